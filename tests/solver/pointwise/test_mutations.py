"""The comparison with the definition can fail: each fault seeded into the encoder is found."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lars import analysis
from lars.analysis import literal_form, windows
from lars.language.program import Program
from lars.language.terms import Atom
from lars.language.windows import TimeWindow, TupleWindow
from solver.pointwise import encoding, point_evaluation
from solver.pointwise.asp_terms import constant
from solver.pointwise.encoding import window_rules
from solver.pointwise.point_evaluation import Collection, _grouped
from solver.rdf import sorted_rows
from tests.lars.strategies import Case, X, Y, cases, streams
from tests.sizes import few, size
from tests.solver.pointwise.test_definition import backgrounds, by_clingo, by_definition
from tests.solver.pointwise.test_gathering import by_definition as gathered_by_definition
from tests.solver.strategies import (
    covered_programs,
    gathered_rules,
    gathering_programs,
    is_encoded,
    valued_atoms,
)

SWAPPED = {"◇": "□", "□": "◇"}


class DifferenceError(Exception):
    """A case whose answer streams differ."""


def changed_window(change):
    """Return the writer of window rules that writes another window than it is given."""
    return lambda window, number: window_rules(change(window), number)


def off_by_one(window):
    if isinstance(window, TimeWindow) and window.past:
        return replace(window, past=window.past - 1)
    return window


def without_pivot(window):
    return replace(window, step=1) if isinstance(window, TimeWindow) else window


def with_other_ties(window):
    if not isinstance(window, TupleWindow):
        return window
    swapped = {"all": "arrival", "arrival": "all", "choose": "all", "elements": "arrival"}
    return replace(window, ties=swapped[window.ties])


def diamond_for_box(literal):
    form = literal_form(literal)
    return replace(form, mode=SWAPPED.get(form.mode, form.mode))


def without_negation(literal):
    return replace(literal_form(literal), positive=True)


FAULTS = {
    "a bound is off by one": (encoding, "window_rules", changed_window(off_by_one)),
    "the pivot is dropped": (encoding, "window_rules", changed_window(without_pivot)),
    "the tie rule is swapped": (encoding, "window_rules", changed_window(with_other_ties)),
    "◇ and □ are swapped": (analysis, "literal_form", diamond_for_box),
    "a negation is dropped": (analysis, "literal_form", without_negation),
}


places, values = Collection._places, Collection._values


def moved(offset, limit):
    """Return the places of an Among, whose ends are others."""

    def changed(self, among):
        end = None if among.limit is None else among.limit + limit
        return places(self, replace(among, offset=among.offset + offset, limit=end))

    return changed


def grouped_alone(self, gather):
    """Return the values of an aggregate, none of which is of nothing."""
    return values(self, gather) if gather.keys or self._instances else iter(())


GATHERING_FAULTS = {
    "an offset is off by one": (Collection, "_places", moved(1, 0)),
    "the end is off by one": (Collection, "_places", moved(0, 1)),
    "the empty group is left out": (Collection, "_values", grouped_alone),
    "the order is ignored": (point_evaluation, "sorted_rows", lambda rows, _: sorted_rows(rows, ())),
    "the first are those of all groups": (
        Collection,
        "_places",
        lambda self, among: places(self, replace(among, keys=())),
    ),
    "a group is one of all": (point_evaluation, "_grouped", lambda instances, _: _grouped(instances, [])),
    "null is a value": (point_evaluation, "_value", constant),
}


@st.composite
def gathering_cases(draw):
    """Cases with literals over all instances; many instances are null or have equal values."""
    stream = draw(streams(valued_atoms, fewest=3, most=9))
    t = draw(st.sampled_from(sorted(stream.input)))
    over = gathered_rules((Atom("f", (X,)), Atom("g", (X, Y)), Atom("g", (Y, X))))
    rules = (*draw(gathering_programs()).rules, *draw(st.lists(over, min_size=2, max_size=3)))
    return Case(Program(rules), stream, t, draw(backgrounds))


def has_window(concerned):
    """Return whether a program has a window over time that a fault concerns."""
    return lambda program: any(isinstance(one, TimeWindow) and concerned(one) for one in windows(program))


CONCERNED = {
    "a bound is off by one": has_window(lambda window: window.past),
    "the pivot is dropped": has_window(lambda window: window.step > 1),
    "the tie rule is swapped": lambda program: "#" in str(program),
}


def first_difference(count, drawn=None, definition=by_definition):
    """Return how many cases it takes to find one that differs; None when none of them does."""
    tried = []
    point_evaluation._encoding.cache_clear()  # what another fault has made of the same programs

    @settings(
        max_examples=count, deadline=None, database=None, derandomize=True, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(cases(covered_programs().filter(is_encoded)) if drawn is None else drawn)
    def run(case):
        tried.append(case)
        try:
            found = by_clingo(case)
        except RuntimeError:
            return  # a fault that makes clingo refuse the text shows nothing
        if found != definition(case):
            raise DifferenceError

    try:
        run()
    except DifferenceError:
        return len(tried)
    return None


@pytest.mark.parametrize("fault", few(FAULTS, 3))
def test_a_fault_seeded_into_the_encoder_is_found(fault, monkeypatch):
    monkeypatch.setattr(*FAULTS[fault])
    # Few random programs have what some faults are about.
    encoded = covered_programs().filter(is_encoded).filter(CONCERNED.get(fault, bool))
    needed = first_difference(1000, cases(encoded))
    print(f"{fault}: found by case {needed}")
    assert needed is not None


@pytest.mark.parametrize("fault", few(GATHERING_FAULTS, 4))
def test_a_fault_seeded_into_the_host_of_gathered_literals_is_found(fault, monkeypatch):
    monkeypatch.setattr(*GATHERING_FAULTS[fault])
    assert first_difference(1000, gathering_cases(), gathered_by_definition) is not None


def test_without_a_fault_nothing_is_found():
    assert first_difference(size(80, 200)) is None
