"""Programs for Ticker beside the ones they say: answers on both sides."""

from dataclasses import replace
from typing import get_args

from hypothesis import strategies as st

from lars.analysis import intensional, strata
from lars.durations import read_duration
from lars.language.formulas import (
    At,
    Box,
    Comparison,
    Diamond,
    In,
    Not,
    Operation,
    Relation,
)
from lars.language.program import Program
from lars.language.stream import Stream, moments
from lars.language.terms import Atom, Number, Variable, signature
from lars.language.windows import Interval, TimeWindow, TupleWindow
from lars.semantics import all_background
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from lars.ticker.ticker_rules import TickerInput
from lars.ticker.ticker_writer import ticker_writer, with_signs
from tests.lars import strategies as base
from tests.lars.strategies import T, X, Y, safe_rule
from tests.lars.ticker.ticker_model import ATOM, Ticker
from tests.lars.written import read_data_stream

SECOND = read_duration("1s")

simple_windows = st.one_of(
    st.builds(TimeWindow, st.integers(0, 4)),
    st.builds(lambda n: TimeWindow(n, ends="low-open"), st.integers(0, 3)),
)
relations = st.sampled_from(get_args(Relation))
small = st.builds(Number, st.integers(0, 6))
sides = st.one_of(st.sampled_from((X, Y, T)), small)
comparisons = st.one_of(
    st.builds(Comparison, sides, relations, sides),
    st.builds(
        lambda operator, one, other, relation, side: Comparison(
            Operation(operator, one, other), relation, side
        ),
        *(
            st.sampled_from(("+", "-", "*")),
            sides,
            sides,
            relations,
            sides,
        ),
    ),
    st.builds(
        lambda operator, n, relation, side: Comparison(Operation(operator, T, Number(n)), relation, side),
        *(
            st.sampled_from(("mod", "/")),
            st.integers(1, 3),
            relations,
            sides,
        ),
    ),
    st.builds(lambda n: Comparison(Variable("U"), "=", n), st.one_of(small, st.just(X))),
    st.just(Comparison(X, "=", base.A)),
)
numbered = st.builds(lambda n: Atom("f", (Number(n),)), st.integers(0, 6))
input_atoms = st.one_of(base.input_atoms, base.input_atoms, numbered)


def looks(atoms):
    """Literals that Ticker has, ¬ inside and outside included."""
    tuples = st.builds(TupleWindow, st.integers(1, 3))
    absent = st.builds(Not, atoms)
    some = st.builds(In, st.one_of(simple_windows, simple_windows, tuples), st.builds(Diamond, atoms))
    moment = st.one_of(st.just(T), st.just(T), st.builds(Number, st.integers(0, 6)))
    at = st.builds(In, st.one_of(simple_windows, simple_windows, tuples), st.builds(At, moment, atoms))
    every = st.builds(In, simple_windows, st.builds(Box, st.one_of(atoms, atoms, absent)))
    return st.one_of(
        atoms, some, some, at, at, every, st.builds(In, simple_windows, st.builds(Diamond, absent))
    )


@st.composite
def rules(draw):
    positive = looks(base.patterns)
    body = draw(
        st.lists(
            st.one_of(positive, positive, base.patterns, st.builds(Not, positive)), min_size=1, max_size=3
        )
    )
    body += draw(st.lists(comparisons, max_size=2))
    atom = draw(base.derived_patterns)
    bound = any(isinstance(one, In) and isinstance(one.inner, At) and one.inner.time == T for one in body)
    return safe_rule(At(T, atom) if bound and draw(st.booleans()) else atom, tuple(body))


programs = st.builds(
    lambda rules, facts: Program((*rules, *facts)),
    st.lists(rules(), min_size=1, max_size=3),
    st.lists(base.facts, max_size=1),
)


@st.composite
def cases(draw):
    program = draw(programs)
    stream = draw(base.streams(input_atoms, fewest=2))
    t = draw(st.integers(stream.timeline.first, stream.timeline.last))
    known = st.sampled_from((Atom("k", (base.A,)), Atom("k", (base.B,)), Atom("f", (base.B,))))
    case = base.Case(program, stream, t, draw(st.frozensets(known, max_size=2)))
    base.assume(len(base.candidates(case)) <= base.MOST_CANDIDATES)
    return case


def whole(case):
    """Return the case on a timeline from 0, where Ticker's begins."""
    last = case.stream.timeline.last
    stream = Stream(Interval(0, last), case.stream.input)
    return base.Case(case.program, stream, case.t, case.background)


def signs(case, reasoner):
    """Return the case's program and input with signs, as they are exported."""
    arrivals = {u: tuple(atoms) for u, atoms in case.stream.input.items()}
    free = replace(case, program=Program(tuple(rule for rule in case.program.rules if rule.head is not None)))
    single = strata(case.program) is not None or len(expected(free)) == 1
    return with_signs(case.program, TickerInput(arrivals, case.stream.timeline.last, single), reasoner)


def written(case, reasoner):
    """Return what writes the case's program and input for a reasoner; raises ExportError."""
    program, stream, _ = signs(case, reasoner)
    return ticker_writer(program, SECOND, reasoner, tuple(sorted(case.background)), stream)


def derived(case, moments_of):
    """Return what of these moments rules derive, without what always holds."""
    always = all_background(case.program, case.background)
    own = intensional(case.program)
    return frozenset((u, atom) for u, atom in moments_of if signature(atom) in own and atom not in always)


def expected(case):
    """Return what the answer streams derive, by the definition."""
    found = answer_streams(case.program, case.stream, case.t, case.background)
    return {derived(case, moments(answer)) for answer in found}


def found(case, reasoner):
    """Return what a reasoner's answer sets derive, in the terms of the program."""
    writer, (_, stream, _) = written(case, reasoner), signs(case, reasoner)
    lines = [writer.line(stream.atoms.get(u, ())) for u in case.stream.timeline]
    shown = [ATOM.match(text).groups() for text in Ticker(writer.text(), reasoner).model(lines, case.t)]
    if any(name in writer.heads("violation") for name, _ in shown):
        return set()
    terms = {number: term for term, number in writer.terms.items()}
    names, moments_of = writer.heads("program"), writer.heads("moments")
    answer = set()
    for name, arguments in shown:
        numbers = [int(one) for one in arguments.split(",")] if arguments else []
        u = numbers.pop() if name in moments_of else case.t
        if (predicate := names.get(name) or moments_of.get(name)) is not None:
            answer.add(
                (u, Atom(predicate[0], tuple(terms.get(number, Number(number)) for number in numbers)))
            )
    return {derived(case, answer)}


TELLING = (
    "p(X) ← f(X), X < 5.  q(X) ← f(X), X + 1 > 3.",
    "p(X) ← g(X, X).  r(X) ← g(X, Y), not ⊞^2 ◇ g(a, Y).",
    "p(T) ← ⊞^4 @_T e, T mod 2 = 1.  r(T) ← ⊞^4 @_T e, T / 2 = 1.",
    "p(U) ← ⊞^4 @_T e, U = T + 1, V = U, f(V).  @_T r(X) ← ⊞^3 @_T f(X), X != a.",
    "p(X) ← ⊞^3 @_X f(X).  q(X) ← ⊞^3 ◇ f(X), Y = X, Y >= 3.",
    "p ← ⊞^{2 low-open} □ e.  q ← not ⊞^2 □ ¬e.  r(X) ← ⊞^#2 ◇ f(X), not ⊞^3 @_2 f(X).",
)
ARRIVALS = "1: e f(1) g(a, b)\n2: f(2) e g(a, a)\n3: f(a) e\n4: f(5) f(4) g(b, a) e\n6: f(2) e"


def telling_cases():
    """Cases at each time of one stream, by hand: where what an engine may not look at makes a difference."""
    stream = read_data_stream(ARRIVALS)
    for program in TELLING:
        for t in stream.timeline:
            yield base.Case(read(program), stream, t, frozenset())
