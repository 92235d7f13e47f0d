"""The model of RSP-JS 1.3.5, a port of YASPER: arrivals open and close windows, and answers shift windows.

The model does not cover races between pushed triples, triples that block, delayed answers that move t0, and
triple objects that two streams share. Times have the unit of the timestamps, which is also the unit of the
windows. Each triple waits until the engine is idle.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import Content, Engine, EngineRule, Off, RspqlDefinition, answers, columns
from agreement.engines.r2s import reported_rows
from agreement.engines.versions import sliding
from agreement.engines.versions.processors import with_errors, with_late_conditions
from solver.facts import Row, Static, Triple
from translate.model.query import EngineQuery

_RULES_JS: Final = (
    EngineRule(
        "R1",
        "a window that closes at c, a multiple of the step, contains [c - w, c), not (c - w, c]",
        RspqlDefinition.ENDS,
    ),
    EngineRule(
        "R2", "a late element opens windows again that were already reported", RspqlDefinition.IN_ORDER
    ),
    EngineRule("R3", "a report has the time of the arrival that triggers it", RspqlDefinition.AT_ITS_CLOSE),
    EngineRule(
        "R4",
        "a closed window fires only when an element arrives in its stream. Of the windows "
        "that arrivals opened, only the window that closed last fires, if it closed after 0 "
        "and is not empty. Older closed windows are skipped",
        RspqlDefinition.EACH_WINDOW,
    ),
    EngineRule(
        "R5",
        "when a window fires, the evaluation also reads each other window: its earliest "
        "window that is open at the time of the last triple in the firing window, both ends "
        "included",
        RspqlDefinition.SAME_INSTANT,
    ),
    EngineRule(
        "R6",
        "the operator of REGISTER is ignored: each report contains the full answer",
        RspqlDefinition.OPERATORS,
    ),
    EngineRule(
        "R7",
        "each row is a separate report, with the window from t0 to t0 + step",
        "Definition 24: the rows of an evaluation are one answer",
    ),
    EngineRule(
        "R8",
        "each reported row moves t0 by one step; later arrivals open windows from the new t0",
        RspqlDefinition.GRID,
    ),
    EngineRule(
        "S1",
        "only the last window that names a stream receives the elements of the stream",
        RspqlDefinition.OWN_STREAM,
    ),
    EngineRule(
        "S2",
        "COUNT and SAMPLE are unbound if their expression has no value for some solution of the group",
        "SPARQL 1.1, 18.5.1: solutions with an error are omitted; COUNT without solutions is 0",
    ),
    EngineRule(
        "S5",
        "a window is read only if its declaration is on its own line. A window whose length "
        "is not a number never closes",
        RspqlDefinition.DECLARED,
    ),
    EngineRule(
        "S6",
        "if the FILTER of an OPTIONAL rejects all matches for a solution, the solution is lost",
        "SPARQL 1.1, 18.5, LeftJoin: a solution remains if no match passes the FILTER",
    ),
)
ContentKey = tuple[tuple[Triple, ...], ...]
"""The sorted triples of each window; contents with equal keys have equal answers."""


def _recorded_js(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of RSP-JS.

    Raises:
        LarsError: The query is not a SELECT query over windows with STEP.
    """
    by_lines = "S5" not in off
    declared = sliding.engine_windows(
        query, RSP_JS_135.name, sliding.javascript_number, by_lines=by_lines, each_word=False
    )
    operator = query.operator if "R6" in off else "RSTREAM"
    rules = sliding.FiringRules(
        include_opening="R1" not in off,
        late_reopens="R2" not in off,
        only_latest_fires="R4" not in off,
        others_at_last_triple="R5" not in off,
        only_last_is_fed="S1" not in off,
        empty_fires=False,
        always_opens=True,
        fires_one_by_one=True,
    )
    known: dict[ContentKey, tuple[Row, ...]] = {}
    while True:
        unknown: dict[ContentKey, Content] = {}
        made: list[tuple[Report, tuple[float, float]]] = []
        now: tuple[Row, ...] = ()
        moved: dict[sliding.YasperWindow, float] = dict.fromkeys(declared.alive, 0)
        for firing in sliding.FiringWindows(declared, rules, partial(_first_js, moved, off)).of(pushes):
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
        asked = _by_comunica(sliding.with_window_graphs(query, declared.windows), off)
        known |= zip(unknown, answers(asked, [*unknown.values()], static), strict=True)


def _first_js(
    moved: Mapping[sliding.YasperWindow, float], off: Off, opened: sliding.OpenedWindows, t: float
) -> float:
    """Return when the first window closes that an arrival at `t` opens; `moved` contains the current t0."""
    distance = t if "R8" in off else abs(t - moved[opened.window])
    return sliding.first_close(distance, opened.window.step)


def _reports(
    firing: sliding.Firing, moved: Mapping[sliding.YasperWindow, float], rows: Sequence[Row], off: Off
) -> Iterator[tuple[Report, tuple[float, float]]]:
    """Yield the reports of windows that fire, each with the window bounds that the engine prints."""
    window, t = firing.windows[0].window, firing.close if "R3" in off else firing.t
    if "R7" in off:
        if rows:
            yield Report(t, tuple(rows), firing.push), (firing.close - window.width, firing.close)
        return
    for n, row in enumerate(rows):
        start = 0 if "R8" in off else moved[window] + n * window.step
        yield Report(t, (row,), firing.push), (start, start + window.step)


def _by_comunica(query: EngineQuery, off: Off) -> EngineQuery:
    """Return a query whose answers in SPARQL 1.1 are the answers of Comunica to the given query.

    Comunica is the SPARQL processor of RSP-JS.
    """
    pattern = query.pattern if "S2" in off else with_errors(query.pattern)
    return replace(query, pattern=pattern if "S6" in off else with_late_conditions(pattern))


RSP_JS_135: Final = Engine("rsp-js-1.3.5", "rspql", _RULES_JS, _recorded_js, parser="rsp-js")
