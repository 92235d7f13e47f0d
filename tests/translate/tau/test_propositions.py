"""Propositions 1 and 2 of LARS (2015), on random programs and queries.

Answer streams are compared modulo `trigger`. Input atoms are triples of streams, over which the
push trigger ranges; B holds none of them.
"""

from dataclasses import replace

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from lars.language.formulas import At, Box, Diamond, In, Not
from lars.language.program import Program, Rule
from lars.language.stream import stream_of
from lars.language.terms import DEFAULT, Atom, Symbol
from lars.language.windows import Interval
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from solver.pointwise import models
from tests.lars.strategies import SOURCE, cases
from tests.solver.strategies import covered_programs, is_encoded, part_of, situation
from tests.translate.strategies import OWN, drawn, patterns, queries
from translate.analysis import cq, cs
from translate.errors import ModelError
from translate.model.patterns import variables
from translate.tau import TRIGGER, in_order, lars_program, pull, push
from translate.tau.node import Head, Node
from translate.tau.rules import tau

WIDTH = 3


def as_triple(part):
    """Return a formula or head in which e, f(x) and g(x, s) are triples of a stream."""
    match part:
        case Atom("e" | "f" | "g" as name, arguments):
            kept = arguments if name == "g" else (*arguments, SOURCE)
            filled = (*kept[:-1], *[Symbol(name)] * (WIDTH + 1 - len(kept)), kept[-1])
            return Atom("striple", filled)
        case Not() | Diamond() | Box() | At() | In():
            return replace(part, inner=as_triple(part.inner))
        case _:
            return part


def over_triples(case):
    """Return the case with triples for its input atoms, and none of them in B."""
    rules = (Rule(rule.head, tuple(map(as_triple, rule.body))) for rule in case.program.rules)
    arrivals = [(t, as_triple(atom)) for t, inside in case.stream.input.items() for atom in inside]
    return replace(
        case,
        program=Program(tuple(rules)),
        stream=stream_of(case.stream.timeline, arrivals),
        background=frozenset(atom for atom in case.background if atom.predicate not in "efg"),
    )


def without_trigger(found):
    return {frozenset((t, atom) for t, atom in one if atom != TRIGGER) for one in found}


def by_definition(program, case):
    found = answer_streams(program, case.stream, case.t, case.background)
    return without_trigger([(t, a) for t, atoms in s.derived.items() for a in atoms] for s in found)


def by_clingo(program, case):
    return without_trigger(models(program, situation(case.stream, case.background), case.t))


NOTHING = {frozenset()}
"""{D}: the one answer stream that adds nothing to the input."""
periods = st.integers(1, 4)


@given(cases(covered_programs()).map(over_triples))
def test_proposition_1_push_by_the_definition(case):
    fires = bool(case.stream.input.get(case.t))
    event("(1) input" if fires else "(2) no input")
    expected = by_definition(case.program, case) if fires else NOTHING
    assert by_definition(push(case.program), case) == expected


@given(cases(covered_programs()).map(over_triples), periods)
def test_proposition_1_pull_by_the_definition(case, period):
    fires = case.t % period == 0
    event("(3) multiple" if fires else "(4) no multiple")
    expected = by_definition(case.program, case) if fires else NOTHING
    assert by_definition(pull(case.program, period), case) == expected


@given(cases(covered_programs()).map(over_triples), periods)
def test_proposition_1_through_clingo(case, period):
    assume(is_encoded(case.program))
    own = by_clingo(case.program, case)
    event(f"{min(2, len(own))} answer streams")
    expected = own if case.stream.input.get(case.t) else NOTHING
    assert by_clingo(push(case.program), case) == expected
    expected = own if case.t % period == 0 else NOTHING
    assert by_clingo(pull(case.program, period), case) == expected


ANS = read("ans ← ⊞^5 ◇ striple(a, b, c, s).")
STREAM = stream_of(Interval(0, 9), [(1, Atom("striple", tuple(map(Symbol, "abcs"))))])


def derived(program, t):
    (found,) = answer_streams(program, STREAM, t)
    return {str(atom) for atoms in found.derived.values() for atom in atoms}


def test_the_push_trigger_as_printed_never_fires():
    gated = Program(push(ANS).rules[:1])
    printed = Program((*gated.rules, *read("trigger ← ⊞^0 ◇ ans. trigger ← ⊞^0 ◇ trigger.").rules))
    assert [derived(printed, t) for t in (1, 2)] == [set(), set()]
    assert [derived(push(ANS), t) for t in (1, 2)] == [{"ans", "trigger"}, set()]


def test_facts_have_no_trigger_and_constraints_do():
    program = read("k(a). ← k(a). p ← k(a).")
    assert [str(rule) for rule in pull(program, 3).rules] == [
        *("k(a).", "← k(a), trigger.", "p ← k(a), trigger."),
        "trigger ← ⊞^0 @_T true, T mod 3 = 0.",
    ]
    assert answer_streams(pull(program, 3), STREAM, 3) == ()
    assert derived(pull(program, 3), 4) == set()


@pytest.mark.parametrize("period", [0, -2])
def test_a_period_is_positive(period):
    with pytest.raises(ModelError, match="not positive"):
        pull(ANS, period)


static_queries = queries(patterns(properties=OWN[DEFAULT]))


@part_of(0.5)
@given(drawn(static_queries))
def test_proposition_2_without_streams_all_three_translations_are_the_same(case):
    query = case.query
    (only,) = cq(query)
    head = Head(Node(case.setting, variables(query.pattern)), in_order(query.result), keeps_duplicates=False)
    expected = Program(tuple(tau(query.pattern, head)))
    translations = (lars_program(cs(query), case.setting), lars_program(only.query, case.setting))
    assert [set(one.rules) for one in translations] == [set(expected.rules)] * 2
    t = case.timeline.last
    answers = [set(models(one, case.situation, t)) for one in (expected, *translations)]
    assert answers[0] == answers[1] == answers[2]
