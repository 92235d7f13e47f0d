"""The relational evaluation has the rows of clingo, at every time."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.language.stream import stream_of
from lars.language.terms import NULL, XSD, Atom, Number, Symbol
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation, constant_of
from solver.pointwise import models
from solver.relational import decode, encode, evaluate_program, obstacle
from tests.lars.strategies import SOURCE, A, B, streams
from tests.solver.in_process import runs
from tests.solver.pointwise.test_definition import (
    backgrounds,
    clingo_rows,
    inputs,
    programs_of,
    some,
)
from tests.solver.pointwise.test_gathering import TOP
from tests.solver.relational.relational_cases import OUTPUTS, relational_rows, timed_programs
from tests.solver.strategies import (
    fact_of,
    gathering_programs,
    interval_programs,
    part_of,
    situation,
    valued_atoms,
)
from tests.translate.strategies import drawn


def same(program, given_to_it, times, outputs):
    """Check that all rows are those of clingo."""
    assert obstacle(program, given_to_it.background) is None
    for output in outputs:
        expected = clingo_rows(program, given_to_it, times, output)
        assert relational_rows(program, given_to_it, times, output) == expected


@part_of(0.3)
@given(interval_programs(), inputs, backgrounds, st.data())
def test_joins_negations_and_loops_are_those_of_clingo(program, stream, known, data):
    newest = data.draw(st.sampled_from((None, None, *stream.timeline)))
    given_to_it = replace(situation(stream, known), newest=newest)
    same(program, given_to_it, some(list(stream.timeline), data), OUTPUTS)


@part_of(0.2)
@given(gathering_programs(), streams(valued_atoms, fewest=1, most=12), backgrounds, st.data())
def test_aggregates_and_first_rows_are_those_of_clingo(program, stream, known, data):
    same(program, situation(stream, known), some(list(stream.timeline), data), TOP)


@part_of(0.25)
@given(drawn(exclusive=False), st.data())
def test_a_translated_query_has_the_rows_of_clingo(case, data):
    program = programs_of(case, data)
    same(program, case.situation, some(list(case.timeline), data), [("ans1", len(case.query.result))])


@part_of(0.15)
@given(timed_programs(), inputs, backgrounds, st.data())
def test_what_looks_at_times_is_that_of_clingo(program, stream, known, data):
    given_to_it = situation(stream, known)
    times = data.draw(st.lists(st.sampled_from(list(stream.timeline)), min_size=1, max_size=2, unique=True))
    for t in times:
        if len(list(models(program, given_to_it, t))) == 1:
            same(program, given_to_it, [t], [("ans", 2), ("top", 1)])
        else:
            with pytest.raises(LarsError, match=f"0 answer streams at {t}"):
                relational_rows(program, given_to_it, [t], ("ans", 2))


@given(interval_programs(), inputs, backgrounds)
def test_columns_derive_every_atom(program, stream, known):
    given, t = situation(stream, known), stream.timeline.last
    input_atoms = encode(given)
    for output, table in evaluate_program(program, input_atoms, (t,), None).items():
        rows = {row for row, _, _ in decode(table, input_atoms.terms)}
        assert {t: rows} == clingo_rows(program, given, [t], output)


def rows(text, arrivals, times, output=("q", 1), background=()):
    """Return the rows by time, which must be those of clingo."""
    program, given_to_it = read(text), situation(stream_of(Interval(0, 9), arrivals), background)
    same(program, given_to_it, times, [output])
    return relational_rows(program, given_to_it, times, output)


def test_a_row_comes_with_its_longest_runs():
    arrivals = [(t, Atom("f", (A,))) for t in (0, 2, 7)]
    program, given_to_it = (
        read("q(X) ← ⊞^1 ◇ f(X). q(X) ← f(X)."),
        situation(stream_of(Interval(0, 9), arrivals), ()),
    )
    assert [*runs(program, given_to_it, range(10), ("q", 1))] == [(("a",), 0, 3), (("a",), 7, 8)]


def test_null_is_a_term_that_joins_and_an_unbound_value_of_conditions():
    arrivals = [(1, Atom("f", (term,))) for term in (NULL, A, Symbol("nullify"))]
    assert rows("q(X) ← f(X), ⊞^1 ◇ f(X).", arrivals, [1]) == {1: {(None,), ("a",), ("nullify",)}}
    assert rows("q(?x) ← f(?x), ¬[BOUND(?x)].", arrivals, [1]) == {1: {(None,)}}


@pytest.mark.parametrize(
    ("condition", "fitting"),
    [
        ("BOUND(?x)", 8),
        ("ISIRI(?x)", 2),
        ("ISBLANK(?x)", 2),
        ("ISLITERAL(?x)", 4),
        ("ISNUMERIC(?x)", 1),
        ("ISIRI(?x) || ISBLANK(?x)", 4),
    ],
)
def test_a_condition_asks_terms_that_look_alike_one_by_one_unless_it_asks_for_their_kind(condition, fitting):
    """The literals begin alike, and only one is a number; of null, only BOUND has a value."""
    texts = ("<x:a>", "<x:b>", "_:a", "_:b", '"12"', '"12"@en', f'"12"^^<{XSD}integer>', f'"12"^^<{XSD}date>')
    arrivals = [(1, Atom("f", (constant_of(text),))) for text in (*texts, "null")]
    found, others = (rows(f"q(?x) ← f(?x), {sign}[{condition}].", arrivals, [1])[1] for sign in ("", "¬"))
    unbound = condition == "BOUND(?x)"
    assert (len(found), len(others), found & others) == (fitting, 8 - fitting + unbound, set())
    assert ((None,) in others) == unbound


_LAST = 2**62 - 1


@pytest.mark.parametrize(
    "window",
    [f"{_LAST},-{_LAST // 9},1", f"0,{_LAST},1", f"sliding 5,2,{2**30 - 9}", f"#{_LAST}", f"9,0,{_LAST}"],
)
def test_a_window_can_be_of_any_size(window):
    shown = {("a",)} if window[0] in "0#" else set()
    found = rows(f"q(X) ← ⊞^{{{window}}} ◇ f(X).", [(1, Atom("f", (A,)))], [1, 2])
    assert found == {1: shown, 2: shown if window[0] == "#" else set()}


def test_a_tuple_window_of_a_partition_keeps_the_newest_of_each():
    arrivals = [
        (1, Atom("g", (A, SOURCE))),
        (2, Atom("g", (B, SOURCE))),
        (2, Atom("g", (A, B))),
        (4, Atom("e")),
    ]
    found = rows("q(X) ← ⊞^{#1 by 2} ◇ g(X, Y).", arrivals, [1, 2, 4])
    assert found == {1: {("a",)}, 2: {("b",), ("a",)}, 4: {("b",), ("a",)}}


def test_of_ties_all_are_kept_where_the_window_says_so():
    arrivals = [(1, Atom("f", (A,))), (1, Atom("f", (B,))), (3, Atom("e"))]
    assert rows("q(X) ← ⊞^{#1 all} ◇ f(X).", arrivals, [1, 3]) == {1: {("a",), ("b",)}, 3: set()}
    assert len(rows("q(X) ← ⊞^{#2 all} ◇ f(X).", arrivals, [3])[3]) == 2


def test_an_equal_fact_is_counted_once_at_a_time():
    program = read("q(X) ← ⊞^{#2} ◇ f(X).")
    facts = [fact_of(1, Atom("f", (A,))), fact_of(1, Atom("f", (B,))), fact_of(1, Atom("f", (A,)))]
    given_to_it = Situation(Interval(0, 9), facts, {})
    assert relational_rows(program, given_to_it, [1], ("q", 1)) == {1: {("a",), ("b",)}}


def test_the_time_of_an_arrival_is_a_number():
    arrivals = [(2, Atom("f", (A,))), (4, Atom("f", (A,))), (4, Atom("f", (Number(4),)))]
    assert rows("q(T) ← ⊞^2 @_T f(a), T < 4.", arrivals, [3, 4, 5]) == {3: {("2",)}, 4: {("2",)}, 5: set()}
    assert rows("q(T) ← ⊞^3 @_T f(T).", arrivals, [3, 4]) == {3: set(), 4: {("4",)}}
    assert rows("q(S) ← ⊞^0 @_T true, S = T / 2.", arrivals, [5]) == {5: {("2",)}}


def test_a_constraint_says_that_there_is_no_answer():
    program, given_to_it = (
        read("q(X) ← f(X). ← f(b)."),
        situation(stream_of(Interval(0, 9), [(3, Atom("f", (B,)))]), ()),
    )
    assert [*runs(program, given_to_it, [1, 2], ("q", 1))] == []
    with pytest.raises(LarsError, match="0 answer streams at 3"):
        list(runs(program, given_to_it, [2, 3, 4], ("q", 1)))


def test_numbers_beyond_32_bit_are_refused():
    arrivals = [(1, Atom("f", (Number(2**31 - 1),)))]
    given_to_it = situation(stream_of(Interval(0, 9), arrivals), ())
    for sum_ in ("X + 1", "X * X * X", "X * X - X * X"):
        with pytest.raises(LarsError, match="32 bit"):
            list(runs(read(f"q(Y) ← f(X), Y = {sum_}."), given_to_it, [1], ("q", 1)))


def test_a_way_round_is_followed_while_it_holds():
    steps = [(t, Atom("g", (one, other))) for t, one, other in ((1, A, B), (2, B, SOURCE), (4, SOURCE, A))]
    found = rows("m(X, Y) ← ⊞^3 ◇ g(X, Y). m(X, Z) ← m(X, Y), m(Y, Z). q(X) ← m(X, X).", steps, range(9))
    assert [t for t, some in found.items() if some] == [4]


def test_texts_of_a_trace_are_nothing_but_terms():
    hostile = ['"a\\"); drop table q; --"', "<x:'; select 1>", '"\\u0000"']
    facts = [Fact(1, "f", (text,)) for text in hostile]
    found = runs(read("q(X) ← ⊞^2 ◇ f(X)."), Situation(Interval(0, 3), facts, {}), range(4), ("q", 1))
    assert [row[0] for row, _, _ in found] == hostile
