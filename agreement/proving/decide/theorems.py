"""The theorems of `lars decide` about agreement of push and pull on every stream, with proofs.

In the theorems, push and pull evaluate one query Q. Push evaluates Q at the times E at which input fires
push, and pull evaluates Q at the multiples of the period U. A disjunct is an alternative of Q, without UNION.

G1 (U = 1). If each disjunct has a pattern in a NOW window, push and pull agree on all streams. With U = 1, a
period contains one time t. If t is in E, both sides evaluate Q at t. If t is not in E, no input that fires
push arrived at t. In this case the NOW window is empty, no disjunct matches, and neither side has a row.
OPTIONAL, MINUS, EXISTS and LIMIT need a match of their left pattern, so G1 holds for each Q in which every
solution needs a match of a NOW pattern.

G2 (no answer). If no disjunct is satisfiable, neither side ever has a row, so push and pull agree. A disjunct
has one step for a path of any length, but the path can match zero or many steps. So conditions on variables
outside such paths must exclude each disjunct. These conditions exclude the disjunct for each match of the
path, because other parts of the disjunct bind their variables.

G3 (U >= 2, or a disjunct without a NOW pattern). Assume that each window is [t-L, t], with L finite or
infinite, or a tuple window. Assume that a triple that no query reads fires push. If some disjunct of a
monotone query Q is satisfiable, push and pull differ on some stream. Proof: place the triples of a match at
one time s. The row r of the match is an answer from s up to a last time e, or for ever: no other triple
arrives, so windows only lose. If r is an answer for ever, or at least for one period after s, then a pull
whose period contains no input reports r, and push is silent in this period. Otherwise, r stops being an
answer after e. If e > s, let e + 1 be a multiple of U, and let an unrelated triple arrive at e. Push
evaluates at e, because a triple arrives, and reports r at e. Because U >= 2, e is inside the period of the
pull at e + 1. This pull does not report r. If r is an answer only at s, and U >= 2, the same argument needs
no unrelated triple. If r is an answer only at s, and U = 1, r needs a NOW pattern, which G3 excludes. If the
row r follows from static data alone, push never reports r either. Static data matter only because they can
satisfy the static patterns of a disjunct. G3 extends A4 to ASK and to low-open, unbounded and tuple windows.
For queries with OPTIONAL, MINUS or slides, a stream is searched and confirmed, but no theorem proves that
such a stream exists.

G4 (matching input fires push, U >= 2). Assume that Q is ASK, or binds no result variable, and that each
disjunct is one pattern without conditions in the window [t-(U-1), t]. Under this assumption, push and pull
agree. Each match fires push, which reports the row; the next pull, at most U - 1 later, also sees the match.
Push reports the row only after a match in the same period, because only matches fire push.

G5 (streams with new names): see `new_names.py`.
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
from translate.model.query import EngineQuery, Setting

_STAMPED: Final = "http://larkc.eu/csparql/sparql/jena/ext#"


class Theorem(Enum):
    """The possible reasons for a verdict of `lars decide`, such as a theorem or a stream with a difference.

    Each value is the text of a reason. The docstring of the module contains the proofs of the theorems.
    """

    NOW = "G1, U = 1: if no input arrives, the NOW window of pull is empty"
    NOTHING = "neither side ever has a row, because no disjunct can be satisfied"
    NEVER = "A4, extended: a row still holds while push is silent, or expires before the next pull"
    MATCHING = "A5, for ASK: each match makes push evaluate, and one pull sees each match"
    FRESH = "push and pull differ on the stream shown, whose names are not in the static data (G5)"
    UNREAD = "push and pull differ on the stream shown, and no pattern reads static data (A6)"
    SOME = "push and pull differ on the stream shown; without static data, they agree"
    SEARCHED = "A7: the search tried all streams up to the size that suffices, and found no difference"
    WITNESS = "push and pull differ on the stream shown"


def is_excluded(disjunct: Satisfiability, apart: frozenset[Variable] = frozenset()) -> bool:
    """Return whether the conditions of a disjunct are never true, for any values from its triple patterns.

    A disjunct is an alternative of a query, without UNION. If the conditions use a variable in `apart`, the
    result is false.
    """
    tests = disjunct.requirements
    return bool(tests) and all(named_in(test.expression).isdisjoint(apart) for test in tests)


def is_now(window: Window) -> bool:
    """Return whether a window contains only the triples that arrive at the evaluation time."""
    return isinstance(window, TimeWindow) and (window.step, window.offsets) == (1, (0, 0))


def only_loses(window: Window) -> bool:
    """Return whether a window contains each triple from its arrival on, until the triple leaves for good.

    Theorem A1 requires this of all windows: after the last input of a period, the windows only lose triples.
    """
    if isinstance(window, TimeWindow):
        return window.never_empty and window.future == 0
    return isinstance(window, TupleWindow)


def needs_now(disjunct: Disjunct, setting: Setting) -> bool:
    """Return whether each match of a disjunct (alternative of a query) needs a triple in a NOW window."""
    return any(is_now(edge.reading.operator(setting)) for edge in disjunct.readings)


def hindrances(query: EngineQuery) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each reason why a query is not monotone, with keywords that mark its place in the query."""
    if query.form in ("CONSTRUCT", "DESCRIBE"):
        yield query.form, (query.form,)
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
    """Return a function in the query, such as NOW(), whose value does not depend on its arguments only.

    If the value of each function depends only on its arguments, the result is None.
    """
    expressions = (term for part in parts(query.pattern) for term in expressions_of(part))
    names = (call.function for expression in expressions for call in calls(expression))
    return next((name for name in names if _is_volatile(name)), None)


def _is_volatile(name: str) -> bool:
    return name in RANDOM or name == "NOW" or name.startswith(f"<{_STAMPED}")


def is_uniform(query: EngineQuery, judged: tuple[Satisfiability, ...], period: int, setting: Setting) -> bool:
    """Return whether the disjuncts satisfy the premises of theorem G4 (matching input fires push).

    Each disjunct (alternative of the query) must be one triple pattern without conditions, in a window of
    `period` time points, and bind no result variable.
    """
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
    """Return whether a disjunct (alternative of a query) is one triple pattern that matches every triple."""
    terms = disjunct.disjunct.edges[0].triple.terms if len(disjunct.disjunct.edges) == 1 else ()
    return bool(terms) and all(isinstance(term, Variable) for term in terms) and len(set(terms)) == len(terms)
