"""RSP-JS 1.3.5 and rsp-rs 0.3.5: windows as in YASPER for C-SPARQL, but on grids that data move.

RSP-JS: its answers move their borders. Source: the page of engine versions, section 5, and the engine's own;
R1 to R8 are its statements in its order, S1, S2 and S5 those of the page of living engines, section C, S6 one
more of its processor. How answers that come later move t0 (S4) is not modelled, nor a triple given to two
streams as one object (S3).

rsp-rs: grids begin with the first triple of their stream. Source: the page of living engines, section A, and
the engine's own. D1 to D7 are what it calls defects, A3 to A11 its other statements, A14 and A15 are of its
processor. How it races where it is not waited for, and can stand still (D8), is not modelled.

Times are in the unit of the timestamps, in which windows are written too. Each push is taken once the engine
is at rest.
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
    NON_EMPTY,
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
from agreement.engines.r2s import relation_to_stream, reported_rows
from agreement.engines.versions.processors import (
    with_distinct_alternatives,
    with_errors,
    with_late_conditions,
    with_texts_concatenated,
)
from agreement.engines.versions.sliding import (
    Firing,
    FiringRules,
    FiringWindows,
    OpenedWindows,
    YasperWindow,
    engine_windows,
    first_close,
    javascript_number,
    rust_integer,
)
from solver.facts import Row, Static, Triple
from translate.model.query import EngineQuery, ToStream

_RULES_JS: Final = (
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


def _recorded_js(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
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
        for firing in FiringWindows(declared, rules, partial(_first_js, moved, off)).of(pushes):
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
        known |= zip(unknown, answers(_by_comunica(query, off), [*unknown.values()], static), strict=True)


def _first_js(moved: Mapping[YasperWindow, float], off: Off, opened: OpenedWindows, t: float) -> float:
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


def _by_comunica(query: EngineQuery, off: Off) -> EngineQuery:
    """Return the query that answers in SPARQL 1.1 what Comunica answers."""
    pattern = query.pattern if "S2" in off else with_errors(query.pattern)
    return replace(query, pattern=pattern if "S6" in off else with_late_conditions(pattern))


RSP_JS_135: Final = Engine("rsp-js-1.3.5", "rspql", _RULES_JS, _recorded_js)


_RULES_RS: Final = (
    EngineRule(
        "D1",
        "windows close at steps from the first triple of their own stream, not from 0; after a first "
        "triple at 0 they are counted from the next one",
        GRID,
    ),
    EngineRule(
        "D2",
        "an arrival that is late opens windows again that have been reported; before the first triple it "
        "opens their mirror image, which does not show it",
        IN_ORDER,
    ),
    EngineRule(
        "D3",
        "only windows in a line of their own are seen; a length that is no integer is 0, and a window with "
        "the step 0 never reports",
        DECLARED,
    ),
    EngineRule(
        "D4",
        "only an arrival in a window's own stream finds it closed, and only the latest of those that "
        "arrivals opened fires, if it closed after 0; older ones are skipped",
        EACH_WINDOW,
    ),
    EngineRule("D5", "a stream is fed to one window only, the last that names it", OWN_STREAM),
    EngineRule(
        "D6",
        "each other window adds the content of its earliest one that is open, both ends included, at the "
        "last triple of the one that fires, at 0 if that is empty",
        SAME_INSTANT,
    ),
    EngineRule(
        "D7",
        "an empty window fires too, as the one that closes at the first triple, or those behind a gap",
        NON_EMPTY,
    ),
    EngineRule("A3", "a window that closes at c shows [c - w, c), not (c - w, c]", ENDS),
    EngineRule("A4", "a report has the time of the arrival that finds a window closed", AT_ITS_CLOSE),
    EngineRule("A8", "the operator of REGISTER is left out: each answer is reported in full", OPERATORS),
    EngineRule(
        "A11",
        "a report is said to be of [T, T + w), T the time of its last triple (0 if it is empty)",
        "Definition 12: a window has an opening and a closing time",
    ),
    EngineRule(
        "A14",
        "what several alternatives of a property path connect is one solution",
        "SPARQL 1.1, 18.4: each alternative of a path has its own solutions",
    ),
    EngineRule(
        "A15",
        "GROUP_CONCAT of anything but texts, numbers too, is unbound",
        "SPARQL 1.1, 18.5.1.7: GROUP_CONCAT of the texts of all values",
    ),
)


def _recorded_rs(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what rsp-rs reports; raises LarsError for what is no SELECT over sliding windows."""
    declared = engine_windows(query, RSP_RS_035.name, rust_integer, by_lines="D3" not in off)
    rules = FiringRules(
        include_opening="A3" not in off,
        late="D2" not in off,
        latest="D4" not in off,
        beside="D6" not in off,
        last_fed="D5" not in off,
        empty="D7" not in off,
        always=False,
        one_by_one=False,
    )
    firings = list(FiringWindows(declared, rules, partial(_first_rs, off)).of(pushes))
    operator = (query.to_stream if "A8" in off else None) or ToStream.RSTREAM
    contents = [firing.content for firing in firings]
    rows_of = dict(enumerate(answers(_by_oxigraph(query, off), contents, static)))
    rows = relation_to_stream(operator, range(len(firings)), rows_of)
    with_rows = [(firing, tuple(rows[n])) for n, firing in enumerate(firings) if rows[n]]
    reports = (
        Report(firing.close if "A4" in off else firing.t, new, firing.push) for firing, new in with_rows
    )
    bounds = tuple(_bounds(firing, off) for firing, _ in with_rows)
    return Recording(columns(query), tuple(reports), (), bounds)


def _first_rs(off: Off, opened: OpenedWindows, t: float) -> float:
    """Return the close of the first window that an arrival opens; its grid begins with the first one."""
    if "D1" not in off and opened.start == 0:
        opened.start = t
    distance = t - opened.start
    return opened.start + first_close(distance if "D2" in off else abs(distance), opened.window.step)


def _bounds(firing: Firing, off: Off) -> tuple[float, float]:
    """Return the bounds that a report is said to be of."""
    width = firing.windows[-1].window.width
    return (firing.close - width, firing.close) if "A11" in off else (firing.last, firing.last + width)


def _by_oxigraph(query: EngineQuery, off: Off) -> EngineQuery:
    """Return the query that answers in SPARQL 1.1 what Oxigraph answers."""
    pattern = query.pattern if "A14" in off else with_distinct_alternatives(query.pattern)
    return replace(query, pattern=pattern if "A15" in off else with_texts_concatenated(pattern))


RSP_RS_035: Final = Engine("rsp-rs-0.3.5", "rspql", _RULES_RS, _recorded_rs)
