"""Whole answer streams: how many, brave and cautious consequences, and the same in slices."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.stream import stream_of
from lars.language.terms import Atom
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import NearSituation
from solver.job import Question, Whole
from solver.job.slices import Job
from solver.pointwise import Consequences, consequences, models
from tests.lars.strategies import A, B, cases
from tests.solver.in_process import in_process
from tests.solver.strategies import covered_programs, is_encoded, part_of, situation, situation_of

LOOP = "p ← not q. q ← not p. r ← p. r ← q."
F = [(1, Atom("f", (A,))), (1, Atom("f", (B,)))]


def at(t, arrivals=()):
    return situation(stream_of(Interval(0, 9), arrivals), ())


def names(atoms):
    return None if atoms is None else {str(atom) for _, atom in atoms}


def test_brave_is_what_some_and_cautious_what_every_answer_stream_derives():
    program = read(LOOP)
    assert names(consequences(program, at(3), 3, "brave")) == {"p", "q", "r"}
    assert names(consequences(program, at(3), 3, "cautious")) == {"r"}


def test_without_an_answer_stream_there_are_no_consequences_and_with_the_empty_one_there_are():
    for kind in get_args(Consequences):
        assert consequences(read("p ← not p."), at(3), 3, kind) is None
        assert consequences(read("p ← e."), at(3), 3, kind) == frozenset()


@part_of(0.5)
@given(cases(covered_programs().filter(is_encoded)))
def test_consequences_are_union_and_intersection_of_the_answer_streams(case):
    found = list(models(case.program, situation_of(case), case.t))
    for kind, combined in (
        ("brave", frozenset.union),
        ("cautious", frozenset.intersection),
    ):
        expected = combined(*found) if found else None
        assert consequences(case.program, situation_of(case), case.t, kind) == expected


def rows(program, given_to_it, slices, whole=None):
    job = Job(
        (Question(program, whole or Whole(), None),),
        given_to_it.timeline,
        given_to_it.background,
        slices,
    )
    return sorted((answer.t, answer.row) for answer in in_process(job, given_to_it.facts))


@part_of(0.25)
@given(cases(covered_programs().filter(is_encoded)), st.integers(2, 5))
def test_slices_have_the_answer_streams_of_the_whole(case, slices):
    assert rows(case.program, situation_of(case), slices) == rows(case.program, situation_of(case), 1)


@part_of(0.5)
@given(cases(covered_programs().filter(is_encoded)))
def test_what_lies_outside_every_window_changes_nothing(case):
    whole = situation_of(case)
    around = NearSituation(case.program, whole)
    for t in case.stream.timeline:
        assert set(models(case.program, around.at(t), t)) == set(models(case.program, whole, t))


def test_around_a_time_stands_what_its_windows_show_and_nothing_else():
    arrivals = [*F, (2, Atom("f", (A,))), (4, Atom("g")), (5, Atom("f", (B,)))]
    around = NearSituation(read("p ← ⊞^1 ◇ g. q ← ⊞^{#1 by 1} ◇ f(X)."), at(0, arrivals))
    times = [[fact.t for fact in around.at(t).facts] for t in (3, 4, 7)]
    assert times == [[1, 2], [1, 2, 4], [2, 4, 5]]


@pytest.mark.parametrize(
    ("window", "expected"),
    [("#2", [5, 8]), ("#3", [2, 2, 5, 8]), ("#3 all", [2, 2, 5, 8]), ("#1 by predicate", [5, 8]), ("#0", [])],
)
def test_a_tuple_window_is_given_all_that_it_keeps_however_old(window, expected):
    at_two = [(2, Atom("f", (A,))), (2, Atom("f", (B,)))]
    arrivals = [(1, Atom("f", (A,))), *at_two, (5, Atom("g")), (8, Atom("f", (A,)))]
    around = NearSituation(read(f"p ← ⊞^{{{window}}} ◇ f(X)."), at(0, arrivals))
    around.at(3)
    # Whole instants: which of the tied atoms stay is decided where the window is evaluated.
    assert [fact.t for fact in around.at(9).facts] == expected


@pytest.mark.parametrize(
    "window", ["#2 all", "#1 choose", "#1 by 1", "#2 by predicate choose", "#1 's' all", "#1 elements"]
)
def test_a_slice_remembers_the_ties_before_it(window):
    arrivals = [*F, (1, Atom("g", (A, A))), (8, Atom("f", (A,)))]
    program = read(f"p(X, T) ← ⊞^{{{window}}} @_T f(X).")
    assert rows(program, at(0, arrivals), 5) == rows(program, at(0, arrivals), 1)


def test_so_many_answer_streams_are_found_as_are_wanted():
    assert [len(rows(read(LOOP), at(0), 1, Whole(n))) for n in (1, 2, 3, None)] == [10, 20, 20, 20]


def test_equal_answer_streams_of_two_choices_are_one():
    program = read("p ← ⊞^{#1 choose} ◇ f(X).")
    assert len(list(models(program, at(0, F), 2))) == 1
    given_to_it = situation(stream_of(Interval(0, 9), F), [Atom("p", (A,)), Atom("p", (B,))])
    assert list(models(read("p(X) ← ⊞^{#1 choose} ◇ f(X)."), given_to_it, 2)) == [frozenset()]
