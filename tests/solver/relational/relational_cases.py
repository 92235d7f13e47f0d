"""Cases for the relational evaluation, and its rows beside those of the other two."""

from functools import cache
from itertools import pairwise

from hypothesis import strategies as st

from lars.language.formulas import (
    At,
    Comparison,
    Diamond,
    In,
    Not,
    Operation,
    Truth,
)
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Number
from lars.language.windows import NOW
from tests.lars.strategies import SOURCE, A, B, S, T, X, Y, safe_rule, time_windows, tuple_windows, weighted
from tests.solver.in_process import runs
from tests.solver.strategies import interval_programs

OUTPUTS = (("p", 0), ("r", 1), ("m", 2), ("ans", 2))


def relational_rows(program, given, times, output):
    """Return the rows at each of the times; each run must be as long as can be, and apart from the others."""
    found, spans = {t: set() for t in times}, {}
    for row, first, last in runs(program, given, times, output):
        assert 0 <= first <= last < len(times)
        spans.setdefault(row, []).append((first, last))
        for t in times[first : last + 1]:
            found[t].add(row)
    for runs_of_row in spans.values():
        assert all(first > last + 1 for (_, last), (first, _) in pairwise(runs_of_row))
    return found


_input = st.sampled_from(
    (
        *(Atom("e"), Atom("f", (X,)), Atom("f", (X,)), Atom("f", (Y,)), Atom("f", (A,)), Atom("f", (T,))),
        *(Atom("g", (X, SOURCE)), Atom("g", (X, Y)), Atom("g", (Y, X)), Atom("g", (X, X))),
    )
)
_below = st.sampled_from((Atom("p"), Atom("r", (X,)), Atom("m", (X, Y)), Atom("k", (X,)), Atom("m", (Y, X))))


@cache
def _timed():
    """Literals that runs do not cover: other tuple windows, and the time of what a window shows."""
    windows = weighted(tuple_windows(("arrival", "all")), time_windows())
    seen = st.builds(lambda window, atom: In(window, Diamond(atom)), windows, _input)
    when = st.builds(
        lambda window, time, atom: In(window, At(time, atom)),
        windows, st.sampled_from((T, T, S, Number(3))), _input,
    )  # fmt: skip
    return weighted(seen, when, when, seen.map(Not), st.just(In(NOW, At(T, Truth()))))


_sums = st.sampled_from(
    (
        Comparison(T, "<", S),
        Comparison(S, "=", Operation("/", T, Number(2))),
        Comparison(X, "=", Operation("mod", T, Number(3))),
        Comparison(Operation("-", T, S), "!=", Number(1)),
        Comparison(Operation("*", T, T), ">=", Number(9)),
        Comparison(Operation("+", T, Number(0)), "=", X),
        Comparison(Operation("mod", T, S), "!=", Number(-1)),
        Comparison(X, "!=", Y),
    )
)


@st.composite
def _rules(draw, heads):
    body = tuple(draw(st.lists(_timed(), min_size=1, max_size=2)))
    body += tuple(draw(st.lists(st.one_of(_below, _below.map(Not), _input), max_size=1)))
    body += tuple(draw(st.lists(_sums, max_size=2)))
    return safe_rule(draw(heads), body)


@cache
def timed_programs():
    """Programs that look at times and compute, over those that do not."""
    top = st.sampled_from((Atom("ans", (X, Y)), Atom("ans", (X, T)), Atom("ans", (T, S)), Atom("top", (X,))))
    constraint = st.just(Rule(None, (In(NOW, Diamond(Atom("e"))), Atom("r", (B,)))))
    return st.builds(
        lambda below, rules, more: Program((*below.rules, *rules, *more)),
        interval_programs(),
        st.lists(_rules(top), min_size=1, max_size=3),
        weighted(st.just(()), st.just(()), constraint.map(lambda rule: (rule,))),
    )
