"""RSP-JS 1.3.5: windows as in YASPER for C-SPARQL, but its answers move their borders.

Source: the page of engine versions, section 5, and the engine's own; R1 to R8 are its statements in
its order, S1, S2 and S5 those of the page of living engines, section C, S6 one more of its processor.
Times are in the unit of the timestamps, in which its windows are written too. Each push is taken once the
engine is at rest: how answers that come later move t0 (S4) is not modelled, nor a triple given to two
streams as one object (S3).

Its processor, Comunica 2.10.2, differs from SPARQL 1.1 in errors in aggregates (S2) and FILTER in OPTIONAL
(S6); a query is first written as what that is in SPARQL 1.1:

  (COUNT(?x) AS ?n) .. GROUP BY ?k   =   n := IF(COUNT(?x) = COUNT(*), COUNT(?x), an error) in each group
SPARQL leaves out what has no value in COUNT, and in SAMPLE; in all other aggregates it is an error as well.
  P OPTIONAL { Q FILTER R }   =   P OPTIONAL { Q } FILTER (a variable of Q is unbound || R)
So a solution whose matches all fail the condition is lost, where SPARQL leaves it without a match.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import (
    AT_ITS_CLOSE,
    DECLARED,
    EACH_WINDOW,
    ENDS,
    GRID,
    IN_ORDER,
    OPERATORS,
    OWN_STREAM,
    SAME_INSTANT,
    Content,
    Engine,
    EngineRule,
    Off,
    answers,
    columns,
)
from agreement.engines.r2s import reported_rows
from agreement.engines.versions.sliding import (
    Firing,
    FiringRules,
    FiringWindows,
    OpenedWindows,
    YasperWindow,
    engine_windows,
    first_close,
    javascript_number,
)
from lars.language.formulas import Aggregation, Call
from lars.language.terms import Variable
from solver.facts import Row, Static, Triple
from translate.analysis import fresh_variables, rebuild
from translate.model import patterns as algebra
from translate.model.patterns import variables
from translate.model.query import EngineQuery, ToStream
from translate.tau import in_order

_LENIENT: Final = ("COUNT", "SAMPLE")
_ALL: Final = Aggregation("COUNT")


def with_errors(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in whose groups, those of subqueries too, errors are errors of all aggregates."""
    fresh = fresh_variables(pattern, "all_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group) or not any(
            _is_lenient(aggregation) for _, aggregation in part.aggregates
        ):
            return None
        return _strict(part, rebuild(part.pattern, change), fresh)

    return rebuild(pattern, change)


def with_late_conditions(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in which what OPTIONAL finds is filtered only once it has been joined."""

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.LeftJoin) or part.condition is None:
            return None
        left, right = rebuild(part.left, change), rebuild(part.right, change)
        condition = part.condition
        for variable in reversed(in_order(variables(right))):
            condition = Call("||", (Call("!", (Call("BOUND", (variable,)),)), condition))
        return algebra.Filter(algebra.LeftJoin(left, right), condition, part.exists)

    return rebuild(pattern, change)


def _is_lenient(aggregation: Aggregation) -> bool:
    return aggregation.function in _LENIENT and len(aggregation.arguments) == 1


def _strict(group: algebra.Group, inner: algebra.Pattern, fresh: Iterator[Variable]) -> algebra.Pattern:
    everything, nothing = next(fresh), next(fresh)
    aggregates, checks = [(everything, _ALL)], []
    for variable, aggregation in group.aggregates:
        if not _is_lenient(aggregation):
            aggregates.append((variable, aggregation))
            continue
        value, bound = next(fresh), next(fresh)
        aggregates += [(value, aggregation), (bound, Aggregation("COUNT", aggregation.arguments))]
        # What never has a value is an error wherever its value is asked for.
        checks.append((variable, Call("IF", (Call("=", (bound, everything)), value, nothing))))
    pattern: algebra.Pattern = algebra.Group(inner, group.keys, tuple(aggregates))
    for variable, expression in checks:
        pattern = algebra.Extend(pattern, variable, expression)
    seen = {*group.keys, *(variable for variable, _ in group.aggregates)}
    return algebra.Select(pattern, tuple(in_order(seen)))


_RULES: Final = (
    EngineRule(
        "R1", "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c]", ENDS
    ),
    EngineRule("R2", "an arrival that is late opens windows again that have been reported", IN_ORDER),
    EngineRule("R3", "a report has the time of the arrival that finds a window closed", AT_ITS_CLOSE),
    EngineRule(
        "R4",
        "only an arrival in a window's own stream finds it closed, and only the latest of those that "
        "arrivals opened fires, if it closed after 0 and is not empty; older ones are skipped",
        EACH_WINDOW,
    ),
    EngineRule(
        "R5",
        "each other window adds the content of its earliest one that is open, both ends included, at the "
        "last triple of the one that fires",
        SAME_INSTANT,
    ),
    EngineRule("R6", "the operator of REGISTER is not looked at: each answer is reported in full", OPERATORS),
    EngineRule(
        "R7",
        "each row is a report of its own, said to be from t0 to t0 + step",
        "Definition 24: the rows of an instant are one answer",
    ),
    EngineRule("R8", "each row moves t0 by a step, from which on arrivals open windows", GRID),
    EngineRule("S1", "a stream is fed to one window only, the last that names it", OWN_STREAM),
    EngineRule(
        "S2",
        "COUNT and SAMPLE of an expression that has no value for some solution of a group are unbound",
        "SPARQL 1.1, 18.5.1: errors are left out; Count of none is 0",
    ),
    EngineRule(
        "S5",
        "only windows in a line of their own are seen; a window whose length is no number never closes",
        DECLARED,
    ),
    EngineRule(
        "S6",
        "a solution is lost where OPTIONAL finds matches for it, but its FILTER rejects all of them",
        "SPARQL 1.1, 18.5, LeftJoin: a solution without a match that passes stays",
    ),
)

ContentKey = tuple[tuple[Triple, ...], ...]
"""A content as the triples of each window, sorted: equal keys have equal answers."""


def _recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what RSP-JS reports; raises LarsError for what is no SELECT over sliding windows."""
    declared = engine_windows(query, RSP_JS_135.name, javascript_number, by_lines="S5" not in off)
    operator = (query.to_stream if "R6" in off else None) or ToStream.RSTREAM
    rules = FiringRules(
        include_opening="R1" not in off,
        late="R2" not in off,
        latest="R4" not in off,
        beside="R5" not in off,
        last_fed="S1" not in off,
        empty=False,
        always=True,
        one_by_one=True,
    )
    known: dict[ContentKey, tuple[Row, ...]] = {}
    while True:
        unknown: dict[ContentKey, Content] = {}
        made: list[tuple[Report, tuple[float, float]]] = []
        now: tuple[Row, ...] = ()
        moved: dict[YasperWindow, float] = dict.fromkeys(declared.alive, 0)
        for firing in FiringWindows(declared, rules, partial(_first, moved, off)).of(pushes):
            key = tuple(tuple(sorted(set(triples))) for triples in firing.content.values())
            if key not in known:
                unknown[key] = firing.content
            before, now = now, known.get(key, ())
            rows = reported_rows(operator, before, now)
            made += _reports(firing, moved, rows, off)
            for opened in firing.windows:
                moved[opened.window] += opened.window.step * len(rows)
        if not unknown:
            reports = tuple(report for report, _ in made)
            return Recording(columns(query), reports, (), tuple(bounds for _, bounds in made))
        # How far t0 moved depends on the answers: what follows an unknown one is a guess until then.
        known |= zip(unknown, answers(_as_processed(query, off), [*unknown.values()], static), strict=True)


def _first(moved: Mapping[YasperWindow, float], off: Off, opened: OpenedWindows, t: float) -> float:
    """Return the close of the first window that an arrival opens, t0 being `moved`."""
    distance = t if "R8" in off else abs(t - moved[opened.window])
    return first_close(distance, opened.window.step)


def _reports(
    firing: Firing, moved: Mapping[YasperWindow, float], rows: Sequence[Row], off: Off
) -> Iterator[tuple[Report, tuple[float, float]]]:
    """Yield the reports of a firing, each with the bounds that it is said to be of."""
    window, t = firing.windows[0].window, firing.close if "R3" in off else firing.t
    if "R7" in off:
        if rows:
            yield Report(t, tuple(rows), firing.push), (firing.close - window.width, firing.close)
        return
    for n, row in enumerate(rows):
        start = 0 if "R8" in off else moved[window] + n * window.step
        yield Report(t, (row,), firing.push), (start, start + window.step)


def _as_processed(query: EngineQuery, off: Off) -> EngineQuery:
    """Return the query that answers in SPARQL 1.1 what Comunica answers."""
    pattern = query.pattern if "S2" in off else with_errors(query.pattern)
    return replace(query, pattern=pattern if "S6" in off else with_late_conditions(pattern))


RSP_JS_135: Final = Engine("rsp-js-1.3.5", "rspql", _RULES, _recorded)
