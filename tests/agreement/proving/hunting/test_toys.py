"""Engines that share no code with lars, with one fault each: one entry, with its name."""

import sys

import pytest

from agreement.comparing.judge import Options
from agreement.engines.adapters import RunningAdapter
from agreement.engines.specifications import builtin
from agreement.proving.hunting import Hunt, HuntLimits, made_queries, reference
from tests.agreement.proving.hunting.toy_faults import NAMES, TOY


def hunted(fault, runs=200):
    """Return the hunt of a toy engine with a fault."""
    with RunningAdapter(f"{sys.executable} {TOY} {fault}") as engine:
        judge = reference("rspql", builtin("rspql"), Options())
        found = Hunt(engine, made_queries(engine).queries, judge, HuntLimits(120, runs))
        found.go()
    return found


@pytest.mark.parametrize("fault", ["right", "no-flush", "next-push"])
def test_a_right_engine_has_no_fault_however_late_in_the_run_it_tells(fault):
    assert [one.sentence for one in hunted(fault).faults] == []


@pytest.mark.parametrize("fault", ["mute", "open", "ask-as-1", "optional-as-join", "row-short", "random"])
def test_one_fault_is_one_entry_with_its_name(fault):
    (found,) = hunted(fault).faults
    assert NAMES[fault] in found.sentence


def test_a_shown_stream_tells_the_rule_from_its_absence_and_needs_no_time_0():
    hunt = hunted("filter-ignored")
    (fault,) = hunt.faults
    assert fault.verdict.correct is False
    assert all(push.t for push in fault.run.pushes)
