"""The rows of many times by one program over runs are those of a program for each time."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from lars.language.stream import stream_of
from lars.language.terms import Atom, Iri, Symbol
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.pointwise import Host, have_runs, runs
from tests.lars.strategies import SOURCE, A, B
from tests.solver.pointwise.test_definition import backgrounds, clingo_rows, inputs, programs_of, some
from tests.solver.strategies import interval_programs, part_of, situation
from tests.translate.strategies import drawn


def run_rows(program, given, times, output):
    """Return the rows at each of the times; no two runs of a row meet."""
    found = {t: set() for t in times}
    ends = {}
    for row, (first, last) in runs(program, given, times, output):
        assert all(last + 1 < a or b + 1 < first for a, b in ends.setdefault(row, []))
        ends[row].append((first, last))
        for t in times[first : last + 1]:
            found[t].add(row)
    return found


def test_most_random_programs_have_runs():
    counts = Counter()

    @settings(max_examples=200, derandomize=True)
    @given(interval_programs(), backgrounds)
    def collect(program, known):
        counts[have_runs(program, situation(stream_of(Interval(0, 1), ()), known).background)] += 1

    collect()
    assert counts[True] >= 100


@given(interval_programs(), inputs, backgrounds, st.data())
def test_random_programs_have_the_rows_of_each_time(program, stream, known, data):
    given, output = situation(stream, known), ("ans", 2)
    if not have_runs(program, given.background):
        event("not covered")
        return
    times = some(list(stream.timeline), data)
    expected = clingo_rows(program, given, times, output)
    event("rows" if any(expected.values()) else "no rows")
    assert run_rows(program, given, times, output) == expected


@part_of(0.5)
@given(drawn(exclusive=False), st.data())
def test_a_translated_query_has_the_rows_of_each_time(case, data):
    program, output = programs_of(case, data), ("ans1", len(case.query.result))
    if not have_runs(program, case.background):
        event("not covered")
        return
    times = some(list(case.timeline), data)
    expected = clingo_rows(program, case.situation, times, output)
    event("rows" if any(expected.values()) else "no rows")
    assert run_rows(program, case.situation, times, output) == expected


def rows_both_ways(text, times, stream=(), output=("q", 0), background=()):
    """Return the rows by time, which must be equal both ways."""
    return given_rows_both_ways(text, times, situation(stream_of(Interval(0, 9), stream), background), output)


def given_rows_both_ways(text, times, given, output):
    """Return the rows by time in a situation, which must be equal both ways."""
    program = read(text)
    assert have_runs(program, given.background)
    expected = clingo_rows(program, given, times, output)
    assert run_rows(program, given, times, output) == expected
    return expected


def test_a_fact_without_arguments_is_background_of_runs_too():
    assert rows_both_ways("p. p2 ← e, p. q ← p, p2.", [0, 4], [(4, Atom("e"))]) == {0: set(), 4: {()}}
    assert rows_both_ways("q ← p.", [0], background=[Atom("p")]) == {0: {()}}
    assert rows_both_ways("q ← not p.", [0], background=[Atom("p")]) == {0: set()}


def test_what_arrives_now_may_be_background_too():
    known, arrivals = [Atom("f", (A,))], [(1, Atom("f", (B,)))]
    found = rows_both_ways("q(X) ← f(X).", [0, 1, 2], arrivals, ("q", 1), known)
    assert found == {0: {("a",)}, 1: {("a",), ("b",)}, 2: {("a",)}}


def test_tuple_windows_show_the_last_that_came_of_their_stream():
    came = (1, "a", SOURCE), (2, "b", SOURCE), (2, "c", SOURCE), (3, "a", A), (5, "a", SOURCE)
    arrivals = [(t, Atom("g", (Symbol(name), source))) for t, name, source in came]
    found = rows_both_ways("q(X) ← ⊞^{#2 's'} ◇ g(X, Y).", [0, 1, 2, 4, 5], arrivals, ("q", 1))
    assert found == {0: set(), 1: {("a",)}, 2: {("b",), ("c",)}, 4: {("b",), ("c",)}, 5: {("c",), ("a",)}}


def test_tuple_windows_count_each_arrival_on_the_timeline_once_and_nothing_derived():
    came = (1, "f", "a"), (3, "f", "d"), (4, "f", "b"), (4, "f", "b"), (5, "q", "c"), (6, "f", "c")
    facts = [Fact(t, name, (term,)) for t, name, term in came]
    given = Situation(Interval(3, 9), facts, {})
    found = given_rows_both_ways("q(X) ← ⊞^#2 ◇ f(X).", [3, 4, 5, 6], given, ("q", 1))
    assert found == {3: {("d",)}, 4: {("d",), ("b",)}, 5: {("d",), ("b",)}, 6: {("b",), ("c",)}}


def test_a_row_is_away_only_while_something_is_there():
    arrivals = [(1, Atom("f", (A,))), (3, Atom("e"))]
    found = rows_both_ways("q(X) ← ⊞^4 ◇ f(X), not ⊞^1 ◇ e.", range(7), arrivals, ("q", 1))
    assert [t for t, rows in found.items() if rows] == [1, 2, 5]


def test_conditions_are_asked_of_rows_whose_runs_meet(monkeypatch):
    asked, value = [], Host.value

    def noted(self, number, *terms):
        asked.append(terms)
        return value(self, number, *terms)

    one, other = Iri("x:a"), Iri("x:b")
    arrivals = [
        (1, Atom("f", (one,))),
        (5, Atom("f", (other,))),
        *((8, Atom("g", (x, A))) for x in (one, other)),
    ]
    text = "q(?z) ← ⊞^4 ◇ f(?x), ⊞^1 ◇ g(?x, ?y), ?z := [STR(?x)]. q(?z) ← ⊞^2 ◇ f(?z), not ⊞^1 ◇ g(?z, a)."
    found = rows_both_ways(text, range(10), arrivals, ("q", 1))
    assert (found[7], found[9]) == ({("<x:b>",)}, {('"x:b"',)})
    monkeypatch.setattr(Host, "value", noted)
    assert dict(runs(read(text), situation(stream_of(Interval(0, 9), arrivals), ()), range(10), ("q", 1)))
    assert len(asked) == 1


def test_what_is_newer_than_newest_is_counted_and_not_seen():
    arrivals = [(1, Atom("f", (A,))), (3, Atom("f", (B,)))]
    for window, shown in (("9", {"a"}), ("#1", set()), ("#2", {"a"})):
        text = f"q(X) ← ⊞^{{{window}}} ◇ f(X)."
        given = replace(situation(stream_of(Interval(0, 9), arrivals), ()), newest=2)
        found = given_rows_both_ways(text, [4, 5], given, ("q", 1))
        assert found == {t: {(name,) for name in shown} for t in (4, 5)}, window


@pytest.mark.parametrize(
    "text",
    [
        "q ← ⊞^3 □ e.",
        "q ← ⊞^{#1 all} ◇ e.",
        "q ← ⊞^{#1 by 1} ◇ f(X).",
        "p ← e. q ← ⊞^2 ◇ p.",
        "q ← @3 e.",
        "@3 q ← e.",
        "← e.",
        "q ← not p. p ← not q.",
        "p(X) ← f(X). p(Y) ← g(X, Y), p(X). q ← p(a).",
        "p(X) ← f(Y), X = Y + 1.",
        "k(X) ← f(X).",
    ],
)
def test_what_has_no_runs_is_evaluated_time_by_time(text):
    assert not have_runs(read(text), {("k", 1): [("a",)]})
