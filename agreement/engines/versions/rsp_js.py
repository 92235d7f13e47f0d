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
        "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c]",
        RspqlDefinition.ENDS,
    ),
    EngineRule(
        "R2", "an arrival that is late opens windows again that have been reported", RspqlDefinition.IN_ORDER
    ),
    EngineRule(
        "R3", "a report has the time of the arrival that finds a window closed", RspqlDefinition.AT_ITS_CLOSE
    ),
    EngineRule(
        "R4",
        "only an arrival in a window's own stream finds it closed, and only the latest of those that "
        "arrivals opened fires, if it closed after 0 and is not empty; older ones are skipped",
        RspqlDefinition.EACH_WINDOW,
    ),
    EngineRule(
        "R5",
        "each other window adds the content of its earliest one that is open, both ends included, at the "
        "last triple of the one that fires",
        RspqlDefinition.SAME_INSTANT,
    ),
    EngineRule(
        "R6",
        "the operator of REGISTER is not looked at: each answer is reported in full",
        RspqlDefinition.OPERATORS,
    ),
    EngineRule(
        "R7",
        "each row is a report of its own, with t0 to t0 + step as its window",
        "Definition 24: the rows of an instant are one answer",
    ),
    EngineRule(
        "R8", "each row moves t0 by a step, from which on arrivals open windows", RspqlDefinition.GRID
    ),
    EngineRule(
        "S1", "a stream is fed to one window only, the last that names it", RspqlDefinition.OWN_STREAM
    ),
    EngineRule(
        "S2",
        "COUNT and SAMPLE of an expression that has no value for some solution of a group are unbound",
        "SPARQL 1.1, 18.5.1: errors are left out; Count of none is 0",
    ),
    EngineRule(
        "S5",
        "only windows in a line of their own are seen; a window whose length is not a number never closes",
        RspqlDefinition.DECLARED,
    ),
    EngineRule(
        "S6",
        "a solution is lost where OPTIONAL finds matches for it, but its FILTER rejects all of them",
        "SPARQL 1.1, 18.5, LeftJoin: a solution without a match that passes stays",
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
