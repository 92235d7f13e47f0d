"""C-SPARQL 0.9.7 in external time: Esper keeps one window, Jena answers over what it shows.

choice of the window → which pushes enter → clock and arrival times → windows and reports → answers
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.documents.requests import WindowSource
from agreement.engines.csparql.clock import ClockEvent, StampedArrival, drive, refusals, specified_clock
from agreement.engines.csparql.esper import (
    ALIGNED,
    BATCHED,
    COUNTED,
    FROM_HEAD,
    EsperView,
    ViewContent,
    chosen,
    view,
)
from agreement.engines.csparql.jena import COUNTING, SUMMING, with_equal_values, with_row_of_nothing
from agreement.engines.engine import Content, Engine, EngineRule, Off, answers, columns
from lars.errors import LarsError
from lars.language.terms import XSD, Literal
from solver.facts import Row, Static, Triple
from translate.analysis import parts
from translate.model.patterns import Extend, Filter, LeftJoin, Pattern
from translate.model.query import EngineQuery, Form, Language
from translate.tau import uses_arrivals

ANSWER: Final = "Answer"
"""The column of an ASK, whose one row is xsd:boolean true or false."""

_ONE, _ALL, _TICKS, _LABEL, _ORDER = "W1", "W2", "W3a", "W3b", "W3c"
_KEPT, _GROUPS, _VALUES, _SUMS = "W5", "W6a", "W6b", "P1"

RULES: Final = (
    EngineRule(_ONE, "one window, the first of the query's in hash order, serves all streams"),
    EngineRule(
        _ALL, "triples of every stream enter the window and start it, also of those the query does not name"
    ),
    EngineRule(
        _TICKS, "a triple on a tick enters when a later one comes, at the time before; clocks can be set back"
    ),
    EngineRule(_LABEL, "a report is 1 ms after its tick, unless a triple lay on that"),
    EngineRule(_ORDER, "a triple older than one that waits on its tick is rejected"),
    EngineRule(ALIGNED, "the first report is one step after the tick before the first triple"),
    EngineRule(FROM_HEAD, "out of order, an expired triple stays behind one that has not expired"),
    EngineRule(BATCHED, "TUMBLING shows what came since the last report, whatever its arrival time"),
    EngineRule(COUNTED, "TRIPLES N shows N triples, none twice, when the N-th has come"),
    EngineRule(_KEPT, "no report where the window holds triples of other streams only"),
    EngineRule(_GROUPS, "aggregates over no solution give one row: COUNT and AVG 0, all else unbound"),
    EngineRule(_VALUES, "triple patterns match numbers by value"),
)


@dataclass(frozen=True, slots=True)
class _Window:
    """A window with the streams whose triples enter it and those whose triples it shows; None: all."""

    view: EsperView
    entering: frozenset[str] | None
    kept: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Due:
    """A report without its rows: its time, push, and the numbers of the pushes it is about."""

    t: float
    trigger: int
    kept: ViewContent


def _recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what the engine reports; raises LarsError for a query or window that it does not have."""
    _check(query)
    rejected = () if _ORDER in off else refusals(pushes)
    due = list(_reports(query, pushes, frozenset(rejected), off))
    found = _answered(query, static, [[pushes[n].triple for n in one.kept] for one in due], off)
    variables = (ANSWER,) if query.form is Form.ASK else columns(query)
    reports = (Report(one.t, rows, one.trigger) for one, rows in zip(due, found, strict=True))
    return Recording(variables, tuple(reports), rejected)


def _recorded_with_2111(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what the engine reports with Jena 2.11.1, in whose sums nothing is unbound."""
    return _recorded(query, static, pushes, off | {_SUMS})


CSPARQL_097_POM: Final = Engine(
    "csparql-0.9.7-jena-2.13.0",
    "csparql",
    (*RULES, EngineRule(_SUMS, "with the Jena 2.13.0 that its pom names SUM over no solution is 0")),
    _recorded,
)
"""C-SPARQL 0.9.7 with the Jena of its own pom."""
CSPARQL_097: Final = Engine("csparql-0.9.7", "csparql", RULES, _recorded_with_2111, builds=(CSPARQL_097_POM,))
"""C-SPARQL 0.9.7 driven by the times of the pushes, in ms, with a tick each second, and with Jena 2.11.1."""


def _check(query: EngineQuery) -> None:
    if query.language is not Language.CSPARQL or not query.merged:
        raise LarsError("csparql-0.9.7 runs C-SPARQL; accepted: a query with FROM STREAM <iri> [RANGE ..]")
    if query.form not in (Form.SELECT, Form.ASK) or query.registers_stream:
        kind = "REGISTER STREAM" if query.registers_stream else query.form.value
        raise LarsError(f"nothing is known of how csparql-0.9.7 runs {kind}; accepted: SELECT, ASK")
    if any(_timed(part) for part in parts(query.pattern)):
        raise LarsError("nothing is known of f:timestamp in csparql-0.9.7; accepted: queries without it")


def _timed(part: Pattern) -> bool:
    match part:
        case Extend(_, _, expression):
            return uses_arrivals(expression)
        case Filter(_, condition) | LeftJoin(_, _, condition):
            return uses_arrivals(condition)
        case _:
            return False


def _reports(
    query: EngineQuery, pushes: Sequence[Push], rejected: frozenset[int], off: Off
) -> Iterator[_Due]:
    """Yield the reports: where a window has something to report, and shows a triple of a named stream."""
    windows = _parts(query, off)
    accepted = ((number, push) for number, push in enumerate(pushes) if number not in rejected)
    reached = -inf
    for event in (specified_clock if _TICKS in off else drive)(accepted):
        closing = [_after(part, event, pushes) for part in windows]
        reached = max(reached, event.stamp if isinstance(event, StampedArrival) else event.now)
        if not any(closing):
            continue
        both = [
            (part, part.view.content(reached) if c is None else c)
            for part, c in zip(windows, closing, strict=True)
        ]
        kept = [tuple(n for n in shown if pushes[n].stream in part.kept) for part, shown in both]
        if _KEPT in off or any(one for one, c in zip(kept, closing, strict=True) if c is not None):
            yield _Due(_time(event, off), event.trigger, tuple(chain(*kept)))


def _parts(query: EngineQuery, off: Off) -> list[_Window]:
    named = frozenset(str(part.stream) for part in query.merged)
    if _ONE not in off:
        window = chosen(query.merged).window
        return [_Window(view(window, off), named if _ALL in off else None, named)]
    found = []
    for part in query.merged:
        own = frozenset((str(part.stream),))
        found.append(_Window(view(part.window, off), own if _ALL in off else None, own))
    return found


def _after(part: _Window, event: ClockEvent, pushes: Sequence[Push]) -> ViewContent | None:
    """Let something happen in a window; return what it then reports."""
    if not isinstance(event, StampedArrival):
        return part.view.tick(event.now)
    push = pushes[event.number]
    if part.entering is not None and push.stream not in part.entering:
        return None
    return part.view.arrive(event.number, push.t, event.stamp)


def _time(event: ClockEvent, off: Off) -> float:
    if isinstance(event, StampedArrival):
        return event.stamp
    return event.due if _LABEL in off else event.report_time


def _answered(
    query: EngineQuery, static: Static, contents: Sequence[Sequence[Triple]], off: Off
) -> list[tuple[Row, ...]]:
    pattern = query.pattern
    if _VALUES not in off:
        known = (static.default, *static.named.values())
        pattern = with_equal_values(pattern, chain(*contents, *known))
    if _GROUPS not in off:
        pattern = with_row_of_nothing(pattern, COUNTING if _SUMS in off else SUMMING)
    source = WindowSource(query.merged[0].stream, query.merged[0].window)
    shown: list[Content] = [{source: content} for content in contents]
    found = answers(replace(query, pattern=pattern), shown, static)
    if query.form is not Form.ASK:
        return found
    truths = (str(Literal("true" if rows else "false", XSD + "boolean")) for rows in found)
    return [((truth,),) for truth in truths]
