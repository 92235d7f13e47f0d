"""Aggregates and first rows: the definition = the encoding = plain clingo."""

import random
import re
from functools import partial

import clingo
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.language.program import Program
from lars.language.stream import stream_of
from lars.language.terms import NULL, Atom, Iri, Variable
from lars.language.windows import Interval
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from solver.pointwise import consequences, models
from solver.pointwise.asp_terms import symbol
from solver.pointwise.standalone_files import standalone
from solver.rdf import evaluate
from tests.lars.strategies import A, B, Case, cases, streams
from tests.solver.pointwise.test_definition import backgrounds, by_clingo, clingo_rows
from tests.solver.strategies import (
    covered_programs,
    gathered_rules,
    gathering_programs,
    is_encoded,
    number,
    part_of,
    situation,
    valued_atoms,
)

TOP = [("n", 1), ("s", 2), ("w", 2)]


def by_definition(case):
    """Return the answer streams of the definition, SPARQL evaluated by us."""
    found = answer_streams(case.program, case.stream, case.t, case.background, partial(evaluate, binding={}))
    return {frozenset((u, atom) for u, atoms in s.derived.items() for atom in atoms) for s in found}


@part_of(0.25)
@given(gathering_programs(), streams(valued_atoms, fewest=1, most=7), backgrounds, st.data())
def test_the_plain_encoding_gathers_as_the_definition_says(program, stream, known, data):
    case = Case(program, stream, data.draw(st.sampled_from(list(stream.timeline))), known)
    assert by_clingo(case) == by_definition(case)


@part_of(0.25)
@given(
    cases(covered_programs().filter(is_encoded)),
    st.lists(gathered_rules((Atom("r", (Variable("X"),)),)), min_size=1),
)
def test_answer_streams_that_differ_in_what_is_gathered_are_those_of_the_definition(case, more):
    whole = Case(Program((*case.program.rules, *more)), case.stream, case.t, case.background)
    expected = by_definition(whole)
    event(f"{min(len(expected), 2)} answer streams")
    assert by_clingo(whole) == expected


def at(t, *rows, background=()):
    return situation(stream_of(Interval(0, 9), [(t, Atom("f", row)) for row in rows]), background)


def gathered(text, given_to_it, t=2, output=("q", 1)):
    """Return the rows at a time, sorted."""
    (rows,) = clingo_rows(read(text), given_to_it, [t], output).values()
    return sorted(tuple(str(text).split('"^^')[0].strip('"') for text in row) for row in rows)


def test_of_no_instance_there_is_one_group_without_keys_and_none_with_keys():
    nothing = at(1)
    assert gathered("q(?n) ← ?n := COUNT(*) of f(?x).", nothing) == [("0",)]
    assert gathered("q(?n) ← ?n := COUNT(*) of f(?x, ?y) by ?y.", nothing) == []
    assert gathered("q(?n) ← ?n := MIN(?x) of f(?x).", nothing) == [("None",)]


@pytest.mark.parametrize(("aggregate", "value"), [("COUNT(?x)", "2"), ("COUNT(*)", "3"), ("SUM(?x)", "None")])
def test_null_is_an_unbound_value(aggregate, value):
    given_to_it = at(2, (number(5), A), (NULL, A), (number(7), B))
    assert gathered(f"q(?n) ← ?n := {aggregate} of f(?x, ?y).", given_to_it) == [(value,)]


@pytest.mark.parametrize(("aggregate", "value"), [("SUM(?x)", "11"), ("SUM(DISTINCT ?x)", "6")])
def test_equal_values_of_two_instances_count_twice_unless_distinct(aggregate, value):
    given_to_it = at(2, (number(5), A), (number(5), B), (number(1), B))
    assert gathered(f"q(?n) ← ?n := {aggregate} of f(?x, ?y).", given_to_it) == [(value,)]


LETTERS = [(Iri(f"x:{letter}"), number(n)) for letter, n in (("c", 1), ("a", 1), ("b", 2), ("d", 0))]


@pytest.mark.parametrize(
    ("among", "letters"),
    [
        *(("1..2 by ?y", "ad"), ("2..3 by ?y", "ac"), ("1..2 by desc ?y", "ab"), ("1..2 by desc ?x", "cd")),
        *(("4.. by ?y", "b"), ("5..9 by ?y", ""), ("3..2", ""), ("2..", "bcd"), ("1..", "abcd")),
        *(("1..99999999999999999999 by ?y", "abcd"), ("99999999999999999999..", "")),
    ],
)
def test_among_takes_places_of_the_order_and_breaks_ties_by_text(among, letters):
    rows = gathered(f"q(?x) ← f(?x, ?y) among {among}.", at(2, *LETTERS))
    assert "".join(row[0][3] for row in rows) == letters


@pytest.mark.parametrize(
    ("among", "letters"),
    [("1..1 by desc ?x per ?y", "bcd"), ("2.. by desc ?x per ?y", "a"), ("1..1 per ?x, ?y", "abcd")],
)
def test_among_counts_in_each_group(among, letters):
    rows = gathered(f"q(?x) ← f(?x, ?y) among {among}.", at(2, *LETTERS))
    assert "".join(row[0][3] for row in rows) == letters


def test_null_comes_first_in_a_tie():
    given_to_it = at(2, (number(1),), (NULL,), (A,))
    assert gathered("q(?x) ← f(?x) among 1..1.", given_to_it) == [("None",)]


@pytest.mark.parametrize(("rows", "count"), [([], "0"), ([(A,)], "1"), ([(A,), (B,), (NULL,)], "1")])
def test_distinct_tuples_of_no_argument_are_one_if_there_is_an_instance(rows, count):
    assert gathered("q(?n) ← ?n := COUNT(DISTINCT *) of f(?x).", at(2, *rows)) == [(count,)]


def test_a_condition_can_ask_for_the_order_of_terms_and_null():
    given_to_it = at(2, (A,), (NULL,), (number(1),), (number(2),))
    later = "r(?x) ← f(?x), f(?y), [PRECEDES(?y, ?x)]. q(?x) ← f(?x), not r(?x)."
    assert gathered(later, given_to_it) == [("None",)]
    assert gathered("q(?x) ← f(?x), ¬[PRECEDES(?x, 2)].", given_to_it) == [("2",), ("a",)]


def test_the_definition_asks_for_the_order_of_null_too():
    stream = stream_of(Interval(0, 9), [(2, Atom("f", (term,))) for term in (A, NULL)])
    case = Case(read("q(?x) ← f(?x), f(?y), [PRECEDES(?x, ?y)]."), stream, 2, frozenset())
    assert by_definition(case) == by_clingo(case) == {frozenset({(2, Atom("q", (NULL,)))})}


def test_constants_and_repeated_variables_choose_the_instances():
    given_to_it = at(2, (A, A), (A, B), (B, B), (B, A))
    assert gathered("q(?n) ← ?n := COUNT(*) of f(?x, ?x).", given_to_it) == [("2",)]
    assert gathered("q(?n) ← ?n := COUNT(*) of f(a, ?x).", given_to_it) == [("2",)]
    assert gathered("q(?x) ← f(?x, ?x) among 2..2.", given_to_it) == [("b",)]


def test_instances_can_be_background_input_at_now_or_gathered():
    known = [Atom("f", (A, B)), Atom("f", (B, B))]
    given_to_it = at(2, (A, A), (B, B), background=known)
    assert gathered("q(?n) ← ?n := COUNT(*) of f(?x, ?y).", given_to_it) == [("3",)]
    assert gathered("q(?n) ← ?n := COUNT(*) of f(?x, ?y).", given_to_it, 3) == [("2",)]
    assert gathered("q(?n) ← ?n := COUNT(*) of f(?x, ?y). f(c, d).", given_to_it, 3) == [("3",)]


def test_a_predicate_can_be_named_as_our_own():
    names = ("gathered", "collected", "finished", "some", "required", "among")
    for name in names:
        text = f"{name}(?x) ← f(?x). q(?n) ← ?n := COUNT(*) of {name}(?x)."
        assert gathered(text, at(2, (A,), (B,))) == [("2",)]


def test_the_first_of_answers_that_differ_are_those_of_each_answer_stream():
    program = read(
        "p(a) ← not p(b). p(b) ← not p(a). q(?x) ← p(?x) among 1..1. r(?n) ← ?n := COUNT(*) of q(?x)."
    )
    found = {frozenset(str(a) for _, a in model if a.predicate != "r") for model in models(program, at(1), 1)}
    assert found == {frozenset({"p(a)", "q(a)"}), frozenset({"p(b)", "q(b)"})}
    brave = consequences(program, at(1), 1, "brave")
    cautious = consequences(program, at(1), 1, "cautious")
    assert (len(brave), [atom.predicate for _, atom in cautious]) == (5, ["r"])


def test_a_gathered_atom_that_depends_on_the_head_is_refused():
    with pytest.raises(LarsError, match="depends on the head"):
        list(models(read("p(?n) ← ?n := COUNT(*) of p(?x)."), at(1), 1))


def test_an_error_while_clingo_asks_surfaces_as_it_is(monkeypatch):
    def fail(*_):
        raise LarsError("one message")

    monkeypatch.setattr("solver.pointwise.point_evaluation.aggregate", fail)
    with pytest.raises(LarsError, match=r"^one message$"):
        clingo_rows(read("q(?n) ← ?n := SUM(?x) of f(?x)."), at(2, (A,)), [2], ("q", 1))


def plain_clingo(text, t):
    """Return the answers of clingo alone to a file at a time; it must have nothing to say."""
    said = []
    (chosen,) = re.findall(r"^#const (\w+)=", text, re.MULTILINE)
    control = clingo.Control(["0", "-c", f"{chosen}={t}"], logger=lambda _, message: said.append(message))
    control.add("base", [], text)
    control.ground([("base", [])])
    with control.solve(yield_=True) as found:
        answers = [{str(atom) for atom in model.symbols(shown=True)} for model in found]
    assert said == []
    return answers


def test_a_file_for_plain_clingo_has_the_answers_at_each_time():
    program = read(
        "p(?x, ?y) ← ⊞^2 ◇ f(?x, ?y). q(?x, ?n) ← ?n := SUM(?y) of p(?x, ?y) by ?x. "
        "m(?n) ← ?n := MAX(?n2) of q(?x, ?n2). r(?x) ← p(?x, ?y) among 2..2 by desc ?y, [?y > 1]. "
        "s(?x, ?y) ← p(?x, ?y) among 1..1 by desc ?y per ?x."
    )
    rng = random.Random(3)
    arrivals = [(t, Atom("f", (rng.choice((A, B)), number(rng.randrange(4))))) for t in range(9)]
    given_to_it = situation(stream_of(Interval(0, 9), arrivals), ())
    text = "\n".join(standalone(program, given_to_it, range(10)).lines())
    for t in (0, 4, 9):
        (expected,) = models(program, given_to_it, t)
        shown = frozenset(
            f"{a.predicate}({','.join(str(symbol(x)) for x in a.arguments)})" for _, a in expected
        )
        assert plain_clingo(text, t) == [shown]
