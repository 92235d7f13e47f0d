"""The model of rsp-rs 0.3.5, a port of YASPER: the windows of a stream begin with its first triple.

The model does not cover races between pushed triples, and triples that block. Times have the unit of the
timestamps, which is also the unit of the windows. Each triple waits until the engine is idle.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import Engine, EngineRule, Off, RspqlDefinition, answers, columns
from agreement.engines.r2s import relation_to_stream
from agreement.engines.versions import sliding
from agreement.engines.versions.processors import with_distinct_alternatives, with_texts_concatenated
from solver.facts import Static
from translate.model.query import EngineQuery

_RULES_RS: Final = (
    EngineRule(
        "D1",
        "windows close at multiples of the step after the first triple of their own stream, "
        "not after 0. If this triple is at time 0, the times are counted from the next triple",
        RspqlDefinition.GRID,
    ),
    EngineRule(
        "D2",
        "a late element opens windows again that were already reported. An element before the "
        "first triple opens a mirrored window, which does not contain the element",
        RspqlDefinition.IN_ORDER,
    ),
    EngineRule(
        "D3",
        "a window is read only if its declaration is on its own line. A length that is not an "
        "integer is read as 0, and a window with the step 0 never reports",
        RspqlDefinition.DECLARED,
    ),
    EngineRule(
        "D4",
        "a closed window fires only when an element arrives in its stream. Of the windows "
        "that arrivals opened, only the window that closed last fires, if it closed after 0. "
        "Older closed windows are skipped",
        RspqlDefinition.EACH_WINDOW,
    ),
    EngineRule(
        "D5",
        "only the last window that names a stream receives the elements of the stream",
        RspqlDefinition.OWN_STREAM,
    ),
    EngineRule(
        "D6",
        "when a window fires, the evaluation also reads each other window: its earliest "
        "window that is open at the time of the last triple in the firing window (time 0 if "
        "the firing window is empty), both ends included",
        RspqlDefinition.SAME_INSTANT,
    ),
    EngineRule(
        "D7",
        "an empty window also fires, such as the window that closes at the first triple, or "
        "the windows after a gap",
        RspqlDefinition.NON_EMPTY,
    ),
    EngineRule("A3", "a window that closes at c contains [c - w, c), not (c - w, c]", RspqlDefinition.ENDS),
    EngineRule("A4", "a report has the time of the arrival that triggers it", RspqlDefinition.AT_ITS_CLOSE),
    EngineRule(
        "A8",
        "the operator of REGISTER is ignored: each report contains the full answer",
        RspqlDefinition.OPERATORS,
    ),
    EngineRule(
        "A11",
        "a report has the window [T, T + w), where T is the time of the last triple in the "
        "window (0 if the window is empty)",
        "Definition 12: a window has an opening and a closing time",
    ),
    EngineRule(
        "A14",
        "if several alternatives of a property path connect two nodes, they give only one solution",
        "SPARQL 1.1, 18.4: each alternative of a path has its own solutions",
    ),
    EngineRule(
        "A15",
        "GROUP_CONCAT of values that are not strings, such as numbers, is unbound",
        "SPARQL 1.1, 18.5.1.7: GROUP_CONCAT joins the texts of all values",
    ),
)


def _recorded_rs(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of rsp-rs.

    Raises:
        LarsError: The query is not a SELECT query over windows with STEP.
    """
    by_lines = "D3" not in off
    declared = sliding.engine_windows(
        query, RSP_RS_035.name, sliding.rust_integer, by_lines=by_lines, each_word=True
    )
    rules = sliding.FiringRules(
        include_opening="A3" not in off,
        late_reopens="D2" not in off,
        only_latest_fires="D4" not in off,
        others_at_last_triple="D6" not in off,
        only_last_is_fed="D5" not in off,
        empty_fires="D7" not in off,
        always_opens=False,
        fires_one_by_one=False,
    )
    firings = list(sliding.FiringWindows(declared, rules, partial(_first_rs, off)).of(pushes))
    operator = query.operator if "A8" in off else "RSTREAM"
    contents = [firing.content for firing in firings]
    asked = _by_oxigraph(sliding.with_window_graphs(query, declared.windows), off)
    rows_of = dict(enumerate(answers(asked, contents, static)))
    rows = relation_to_stream(operator, range(len(firings)), rows_of)
    with_rows = [(firing, tuple(rows[n])) for n, firing in enumerate(firings) if rows[n]]
    reports = (
        Report(firing.close if "A4" in off else firing.t, new, firing.push) for firing, new in with_rows
    )
    bounds = tuple(_bounds(firing, off) for firing, _ in with_rows)
    return Recording(columns(query), tuple(reports), (), bounds)


def _first_rs(off: Off, opened: sliding.OpenedWindows, t: float) -> float:
    """Return the closing time of the first window that an arrival at `t` opens.

    With rule D1, windows begin at the first arrival.
    """
    if "D1" not in off and opened.start == 0:
        opened.start = t
    distance = t - opened.start
    return opened.start + sliding.first_close(distance if "D2" in off else abs(distance), opened.window.step)


def _bounds(firing: sliding.Firing, off: Off) -> tuple[float, float]:
    """Return the window bounds that rsp-rs prints for a report."""
    width = firing.windows[-1].window.width
    return (firing.close - width, firing.close) if "A11" in off else (firing.last, firing.last + width)


def _by_oxigraph(query: EngineQuery, off: Off) -> EngineQuery:
    """Return a query whose answers in SPARQL 1.1 are the answers of Oxigraph to the given query.

    Oxigraph is the SPARQL processor of rsp-rs.
    """
    pattern = query.pattern if "A14" in off else with_distinct_alternatives(query.pattern)
    return replace(query, pattern=pattern if "A15" in off else with_texts_concatenated(pattern))


RSP_RS_035: Final = Engine("rsp-rs-0.3.5", "rspql", _RULES_RS, _recorded_rs, parser="rsp-rs")
