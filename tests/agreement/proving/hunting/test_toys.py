"""Engines that share no code with lars, with one fault each: one entry, with its name."""

import pytest

from tests.agreement.proving.hunting.toy_faults import NAMES
from tests.benchmarks.hunted_toys import hunted

SEVERAL = (
    *("mute", "open", "range-longer", "ask-as-1", "optional-as-join", "minus-ignored", "row-short"),
    *(
        "random",
        "stream-names-ignored",
        "languages-lost",
        "hour-late",
        "gap-anchored",
        "count-distinct",
        "each-arrival",
        "step-longer",
    ),
)


@pytest.mark.parametrize("fault", ["right", "no-flush", "next-push"])
def test_a_right_engine_has_no_fault_however_late_in_the_run_it_tells(fault):
    assert [one.sentence for one in hunted(fault, 200).faults] == []


@pytest.mark.parametrize("fault", SEVERAL)
def test_one_fault_is_one_entry_with_its_name(fault):
    (found,) = hunted(fault, 150).faults
    assert NAMES[fault] in found.sentence


def test_a_shown_stream_tells_the_rule_from_its_absence_and_needs_no_time_0():
    hunt = hunted("filter-ignored", 200)
    (fault,) = hunt.faults
    assert fault.verdict.correct is False
    assert all(push.t for push in fault.run.pushes)
