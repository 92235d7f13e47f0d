"""Agreement of push and pull on every stream: the theorems, and the verdicts that they give for a period.

Both sides evaluate one query Q: push at the times E at which input fires it, pull at multiples of U.

T1 (U = 1). If each disjunct has a NOW pattern, they agree on all streams. A period is one time t. If t is in
E both sides evaluate Q at t. If not, nothing that fires arrived at t, so that the window NOW is empty, no
disjunct matches, and neither side has a row. OPTIONAL, MINUS, EXISTS and LIMIT need a match of their left
pattern, so this holds for any Q whose every solution needs such a match.

T2 (no answer). If no disjunct is satisfiable, no side ever has a row: they agree. A disjunct has one step for
a path of any length, which can also be zero or many steps. So conditions on variables outside such paths must
exclude each disjunct. They exclude it whatever the path matches, because other parts bind these variables.

T3 (U >= 2, or a disjunct without NOW). Let windows be [t-L, t], L finite or not, or tuple windows, and let a
triple that no query reads fire push. If some disjunct of a monotone Q is satisfiable, the sides differ on
some stream. Put the triples of a match at one time s. Its row r is an answer from s up to a last time e, or
for ever (nothing else arrives, so windows only lose). If r is an answer for ever, or up to e >= s + U, a pull
whose period is empty reports r, and push is silent. Else, for e > s, let e + 1 be a multiple of U and let
noise arrive at e: push reports r at e, and U >= 2 puts e inside the period of the pull at e + 1, which lacks
r. For e = s and U >= 2 the same without noise. That leaves e = s and U = 1: then r needs a NOW pattern. If r
follows from static data only, push is silent too. Static data do not matter beyond which disjuncts they
satisfy. (A4, and for ASK, low-open, unbounded and tuple windows; with OPTIONAL, MINUS and slides the stream
is looked for and confirmed, not proven to exist.)

T4 (matching input fires, U >= 2). If Q is ASK, or binds no result variable, and each disjunct is one pattern
without conditions in the window [t-(U-1), t], they agree. Each match fires push, which then reports the row,
and is visible to the one pull up to U - 1 later. Push reports the row only after a match in its own period,
as only matches fire.

T5 (streams with new names): see `deciding`.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final

from agreement.proving.disjuncts import Disjunct, Satisfiability
from lars.language.formulas import AGGREGATES, RANDOM
from lars.language.program import calls
from lars.language.program import variables as named_in
from lars.language.terms import Variable
from lars.language.windows import TimeWindow, TupleWindow, Window
from translate.analysis import expressions_of, parts, tests_of, without_paths
from translate.model import patterns as algebra
from translate.model.query import EngineQuery, Form, Setting

_STAMPED: Final = "http://larkc.eu/csparql/sparql/jena/ext#"


class Theorem(Enum):
    """The theorem behind a verdict; the module's docstring has the proofs."""

    NOW = "A4, U = 1: without input a NOW window is empty"
    NOTHING = "no row: no disjunct can be satisfied"
    NEVER = "A4, extended: a row outlives its push, or its pull lacks it"
    MATCHING = "A5, for ASK: each match fires push and is seen by one pull"
    FRESH = "the stream that is shown: no static data need hold its names"
    SEARCHED = "A7: every smallest difference was tried, and there is none"
    WITNESS = "the stream that is shown: lars agree finds the difference"


def is_excluded(disjunct: Satisfiability, apart: frozenset[Variable] = frozenset()) -> bool:
    """Whether conditions alone exclude a disjunct, wherever its edges match: static data are arbitrary.

    No condition may use variables in `apart`.
    """
    tests = disjunct.requirements
    return bool(tests) and all(named_in(test.expression).isdisjoint(apart) for test in tests)


def is_now(window: Window) -> bool:
    """Whether a window contains only present arrivals."""
    return isinstance(window, TimeWindow) and (window.step, window.offsets) == (1, (0, 0))


def only_loses(window: Window) -> bool:
    """Whether a window includes arrivals at once, and without further arrivals only loses (A1)."""
    if isinstance(window, TimeWindow):
        return window.never_empty and window.future == 0
    return isinstance(window, TupleWindow)


def needs_now(disjunct: Disjunct, setting: Setting) -> bool:
    """Whether a disjunct has a NOW pattern."""
    return any(is_now(edge.reading.operator(setting)) for edge in disjunct.readings)


def hindrances(query: EngineQuery) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield reasons why a query is not monotone, each with keywords of its text."""
    if query.form in (Form.CONSTRUCT, Form.DESCRIBE):
        yield query.form.value, (query.form.value,)
    if query.modifiers.slices:
        yield "LIMIT or OFFSET", ("LIMIT", "OFFSET")
    for part in parts(without_paths(query.pattern)):
        match part:
            case algebra.LeftJoin():
                yield "OPTIONAL", ("OPTIONAL",)
            case algebra.Minus():
                yield "MINUS", ("MINUS",)
            case algebra.Group():
                yield "an aggregate", ("GROUP", *AGGREGATES)
            case algebra.PathPattern():
                yield "a path of any length", ()
            case algebra.Select(_, _, modifiers) if modifiers.slices:
                yield "LIMIT or OFFSET", ("LIMIT", "OFFSET")
            case _ if tests_of(part):
                yield "EXISTS", ("EXISTS",)
            case _:
                pass


def volatile(query: EngineQuery) -> str | None:
    """Return a function in the query whose value depends on more than its arguments, or None."""
    expressions = (term for part in parts(query.pattern) for term in expressions_of(part))
    names = (call.function for expression in expressions for call in calls(expression))
    return next((name for name in names if _is_volatile(name)), None)


def _is_volatile(name: str) -> bool:
    return name in RANDOM or name == "NOW" or name.startswith(f"<{_STAMPED}")


def is_uniform(query: EngineQuery, judged: tuple[Satisfiability, ...], period: int, setting: Setting) -> bool:
    """Whether each match alone gives the only row, visible for the period (T4)."""
    if any(disjunct.disjunct.bound & frozenset(query.result) for disjunct in judged):
        return False
    return all(_is_single(disjunct.disjunct, period, setting) for disjunct in judged)


def _is_single(disjunct: Disjunct, period: int, setting: Setting) -> bool:
    more = disjunct.values or disjunct.computed or disjunct.requirements
    if len(disjunct.edges) != 1 or not disjunct.readings or more:
        return False
    window = disjunct.readings[0].reading.operator(setting)
    return isinstance(window, TimeWindow) and only_loses(window) and window.offsets == (1 - period, 0)


def accepts_all(disjunct: Satisfiability) -> bool:
    """Whether every triple of its stream matches the disjunct's one pattern."""
    terms = disjunct.disjunct.edges[0].triple.terms if len(disjunct.disjunct.edges) == 1 else ()
    return bool(terms) and all(isinstance(term, Variable) for term in terms) and len(set(terms)) == len(terms)
