"""Random terms, formulas, programs and streams.

`cases` are small enough to enumerate all answer streams; any text's programs are in `written`.
"""

from dataclasses import dataclass
from functools import cache
from typing import get_args

from hypothesis import assume
from hypothesis import strategies as st

from lars.analysis import bound
from lars.language.formulas import (
    ArithmeticOperator,
    At,
    Box,
    Comparison,
    Diamond,
    In,
    Not,
    Operation,
    Relation,
    Truth,
)
from lars.language.program import Program, Rule, variables
from lars.language.stream import Stream, moments, stream_of
from lars.language.terms import Atom, Number, Symbol, Variable, substitute
from lars.language.windows import (
    Bounds,
    FixedWindow,
    Interval,
    LastWindow,
    SlidingWindow,
    TimeWindow,
    TupleWindow,
)
from lars.semantics import all_background, choices, separate
from lars.semantics.definitions import ground

X, Y, T, S = (Variable(name) for name in "XYTS")
A, B, SOURCE = Symbol("a"), Symbol("b"), Symbol("s")
MOST_CANDIDATES = 7


@dataclass(frozen=True)
class Case:
    """A program with the data, reference time and background to evaluate it on."""

    program: Program
    stream: Stream
    t: int
    background: frozenset[Atom]

    def __str__(self):
        return (
            f"{self.program}\n{self.stream.timeline} {self.stream.input} at {self.t}, B = {self.background}"
        )


# Around each number that some arithmetic ends at.
GREAT = tuple(number + by for number in (10**9, 2**30, 2**31, 2**32, 2**53) for by in (-2, -1, 0, 1, 2))


def weighted(*strategies):
    """Return one of the strategies; one that is repeated is drawn more often."""
    return st.sampled_from(range(len(strategies))).flatmap(lambda index: strategies[index])


@cache
def time_windows(most=4):
    """⊞^{l,u,d} with all of l, u, d and bounds; small ones and d = 1 more often."""
    great = st.sampled_from(GREAT)
    past = weighted(*(st.none(),) * 3, *(st.integers(0, most),) * 8, great)
    step = weighted(*(st.just(1),) * 7, *(st.integers(1, 3),) * 7, great)
    future = weighted(*(st.just(0),) * 8, *(st.integers(0, 2),) * 4, *(st.integers(-3, -1),) * 4, great)
    return st.builds(_time_window, past, future, step, st.sampled_from(get_args(Bounds)))


def _time_window(past, future, step, ends):
    return TimeWindow(past, future if past is None else max(future, -past), step, ends)


@cache
def sliding_windows(most=4):
    """The active window of (α, β, t0), small, gaps and starts before time 0 included."""
    return st.builds(SlidingWindow, st.integers(1, most), st.integers(1, most), st.integers(-3, 6))


@cache
def last_windows(most=4):
    """The last window to close, small, with gaps and later starts."""
    sizes = st.integers(1, most), st.integers(1, most), st.integers(0, 3)
    return st.builds(LastWindow, *sizes, st.sampled_from(get_args(Bounds)))


@cache
def fixed_windows():
    """Windows between two time points, some of them empty or after the end."""
    return st.builds(FixedWindow, st.integers(0, 6), st.integers(0, 9), st.booleans())


@cache
def tuple_windows(ties=("arrival", "arrival", "all", "elements")):
    """⊞^{#n} and ⊞^{idx,n}: of one stream or all, parted by predicate or by arguments, or not."""
    parted = st.sampled_from((None, None, None, None, (), (1,), (2,), (1, 2)))
    source = st.sampled_from((None, None, SOURCE))
    return st.builds(TupleWindow, st.sampled_from((1, 1, 2, 2, 3, 0)), source, st.sampled_from(ties), parted)


@cache
def windows():
    """Windows that may stand anywhere: all but those with a choice of ties."""
    return weighted(
        time_windows(), time_windows(), sliding_windows(), last_windows(), fixed_windows(), tuple_windows()
    )


@cache
def outer_windows():
    """Windows that may stand outermost."""
    kinds = (windows(), windows(), windows(), windows(), tuple_windows(("choose",)))
    return st.sampled_from(kinds).flatmap(lambda kind: kind)


@cache
def intervals():
    """Timelines of 4 to 8 points, some of which do not begin at 0."""
    first = weighted(st.just(0), st.integers(1, 5))
    return st.builds(lambda low, length: Interval(low, low + length - 1), first, st.integers(4, 8))


constants = st.sampled_from((A, B))
# Input: e/0, f/1 and g/2, whose last argument is a stream; derived: p/0, q/0 and r/1; facts: k/1.
input_atoms = st.sampled_from(
    (
        *(Atom("e"), Atom("e"), Atom("f", (A,)), Atom("f", (A,)), Atom("f", (B,))),
        *(Atom("g", (A, SOURCE)), Atom("g", (B, SOURCE)), Atom("g", (A, Symbol("other")))),
        *(Atom("f", (Number(3),)), Atom("f", (Number(-2),))),
    )
)
extensional_patterns = st.sampled_from(
    (
        *(Atom("e"), Atom("e"), Atom("f", (X,)), Atom("f", (X,)), Atom("f", (Y,)), Atom("f", (A,))),
        *(Atom("g", (X, SOURCE)), Atom("g", (X, Y)), Atom("k", (X,)), Atom("f", (T,))),
    )
)
derived_patterns = st.sampled_from((Atom("p"), Atom("q"), Atom("r", (X,)), Atom("r", (A,))))
patterns = weighted(extensional_patterns, derived_patterns, derived_patterns)


def streams(atoms=input_atoms, fewest=0, most=6):
    """Data streams: up to `most` arrivals at up to four time points, in random order at each."""
    return intervals().flatmap(
        lambda timeline: st.lists(
            st.integers(timeline.first, timeline.last), min_size=1, max_size=4, unique=True
        ).flatmap(
            lambda times: st.lists(
                st.tuples(st.sampled_from(times), atoms), min_size=fewest, max_size=most
            ).map(lambda arrivals: stream_of(timeline, arrivals))
        )
    )


@cache
def formulas(atoms=patterns, shown=None, outer=None):
    """Formulas with up to four operators around an atom or true; windowed ◇ are the most frequent."""
    outer = shown or outer or outer_windows()
    shown = shown or windows()
    inner = weighted(atoms, atoms, atoms, atoms, st.just(Truth()), st.builds(Not, atoms))
    time = weighted(st.just(T), st.just(T), st.builds(Number, st.integers(0, 8)))
    timed = weighted(
        st.builds(Diamond, inner),
        st.builds(Diamond, inner),
        st.builds(At, time, inner),
        st.builds(Box, inner),
    )
    nested = weighted(timed, inner, st.builds(Not, timed), st.builds(In, shown, timed))
    windowed = st.builds(In, outer, timed)
    return weighted(
        windowed,
        windowed,
        atoms,
        st.builds(In, outer, nested),
        st.builds(In, outer, st.builds(Diamond, nested)),
        timed,
    )


@cache
def literals(atoms=patterns, shown=None):
    positive = formulas(atoms, shown)
    return weighted(positive, positive, positive, st.builds(Not, positive))


sums = st.builds(
    Operation,
    st.sampled_from(get_args(ArithmeticOperator)),
    st.just(T),
    st.builds(Number, st.integers(-3, 3)),
)
comparisons = weighted(
    st.builds(
        lambda relation, n: Comparison(T, relation, Number(n)),
        st.sampled_from(get_args(Relation)),
        st.integers(0, 8),
    ),
    st.builds(
        lambda n: Comparison(Operation("mod", T, Number(n)), "=", Number(0)),
        st.integers(0, 3),
    ),
    st.just(Comparison(X, "!=", Y)),
    st.just(Comparison(X, "=", A)),
    st.builds(lambda total: Comparison(S, "=", total), sums),
    st.builds(lambda total: Comparison(total, "=", X), sums),
)


def _closed(part, keep):
    """Replace the variables outside `keep`, so that the rule is safe."""
    put = {v: Number(3) if v in (S, T) else A for v in variables(part) - keep}
    match part:
        case Atom():
            return substitute(part, put)
        case Not(inner) | Diamond(inner) | Box(inner):
            return type(part)(_closed(inner, keep))
        case At(time, inner):
            return At(put.get(time, time), _closed(inner, keep))
        case In(window, inner):
            return In(window, _closed(inner, keep))
        case _:
            return part


def safe_rule(head, body):
    """Return the rule with constants for the variables that its body does not bind."""
    keep = bound(body)
    body = tuple(_closed(p, keep) for p in body if not isinstance(p, Comparison) or variables(p) <= keep)
    if head is not None:
        head = _closed(head, keep & bound(body))
    return Rule(head, body or (Truth(),))


@st.composite
def rules(draw, head=derived_patterns, below=patterns):
    """Safe rules of 1 to 3 formulas; a third with a comparison, a fifth with @ in the head."""
    body = tuple(draw(st.lists(literals(below), min_size=1, max_size=3)))
    if draw(st.sampled_from((False, False, True))):
        body += (draw(comparisons),)
    atom = draw(head)
    shape = draw(st.sampled_from(("atom",) * 6 + ("at",) * 3 + ("constraint",)))
    if shape == "at" and T not in bound(body) and draw(st.booleans()):
        body = (In(draw(time_windows(2)), At(T, draw(st.sampled_from((Truth(), Atom("e")))))), *body)
    times = [time for time in (T, S) if time in bound(body)]
    timed = At(draw(st.sampled_from(times or list(map(Number, range(9))))), atom)
    return safe_rule(None if shape == "constraint" else timed if shape == "at" else atom, body)


facts = st.sampled_from((Rule(Atom("k", (A,))), Rule(Atom("k", (B,))), Rule(Atom("p"))))


def programs():
    """Programs of 1 to 5 rules over input and each other, some with a fact."""
    return st.builds(
        lambda derived, known: Program((*derived, *known)),
        st.one_of(st.lists(rules(), min_size=3, max_size=5), st.lists(rules(), min_size=1, max_size=2)),
        st.lists(facts, max_size=1),
    )


@st.composite
def looping_programs(draw):
    """Programs in which p and q (or r) depend on each other's absence, at the same or other times."""
    left, right = draw(st.permutations((Atom("p"), Atom("q"), Atom("r", (A,)))))[:2]
    here = st.sampled_from((Not(left), Not(left), Not(In(TimeWindow(1), Diamond(left)))))
    there = st.sampled_from((Not(right), Not(right), In(TimeWindow(0), Box(Not(right)))))
    any_left, any_right = formulas(st.just(left)).map(Not), literals(st.just(right)).map(_negated)
    more = st.lists(literals(st.sampled_from((Atom("e"), left, right))), max_size=1)
    loop = (
        safe_rule(right, (draw(here | here | any_left), *draw(more))),
        safe_rule(left, (draw(there | there | any_right), *draw(more))),
    )
    return Program((*loop, *draw(st.lists(rules(), min_size=1, max_size=3))))


def _negated(formula):
    return formula if isinstance(formula, Not) else Not(formula)


def stratified_programs():
    """Programs in three layers: p from input, q from p and input, r from all of them."""
    p, q = st.just(Atom("p")), st.just(Atom("q"))
    layers = (
        rules(p, extensional_patterns),
        rules(q, st.one_of(extensional_patterns, p)),
        rules(st.just(Atom("r", (X,))), st.one_of(extensional_patterns, p, q)),
    )
    more = st.lists(st.one_of(*layers), min_size=1, max_size=3)
    return st.builds(lambda first, rest: Program((*first, *rest)), st.tuples(*layers), more)


@st.composite
def cases(draw, made=None):
    """Cases with at most 7 derivable (time, atom) pairs; the input is extensional.

    Those with nothing to derive are kept only when the program is a single rule.
    """
    program = draw(st.one_of(looping_programs(), programs(), stratified_programs()) if made is None else made)
    stream = draw(streams(fewest=2))
    last_input = max(stream.input)
    t = min(stream.timeline.last, last_input + draw(st.sampled_from((0, 1, 2, 0, 3, -1, -2))))
    known = st.sampled_from((Atom("k", (A,)), Atom("k", (B,)), Atom("f", (B,)), Atom("e"), Atom("q")))
    case = Case(program, stream, max(t, stream.timeline.first), draw(st.frozensets(known, max_size=2)))
    assume((len(program.rules) > 1) <= len(candidates(case)) <= MOST_CANDIDATES)
    return case


def candidates(case):
    """Return the (time, atom) pairs that an answer stream of the case can hold."""
    known = all_background(case.program, case.background)
    data = separate(case.program, case.stream)
    chosen = choices(case.program, data, case.t)
    return frozenset().union(*(moments(ground(case.program, one, case.t, known)[1]) for one in chosen))
