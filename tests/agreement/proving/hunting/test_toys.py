"""Engines that share no code with lars, with one fault each: one entry, with its name."""

from types import SimpleNamespace

import pytest

from agreement.proving.hunting import switches
from tests.agreement.proving.hunting.toy_faults import NAMES
from tests.benchmarks.hunted_toys import hunted

# Each name has a test of one run in `test_names`; `python -m tests.benchmarks.hunted_toys` hunts all of them.
SEVERAL = ("mute", "optional-as-join", "minus-ignored", "row-short", "random", "each-arrival", "ask-as-1")


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


@pytest.mark.parametrize("change", [switches._at_arrival, switches._at_one_time])
def test_a_change_of_the_times_says_nothing_of_a_run_without_reports(change):
    recorded = SimpleNamespace(run=SimpleNamespace(pushes=()), recording=SimpleNamespace(reports=()))
    subject = SimpleNamespace(recorded=recorded)
    assert list(change(subject)) == [subject]
