"""What of an engine version's reports counts: how many, when, for which pushes, with which bounds."""

from dataclasses import replace

import pytest

from agreement.comparing.judge.by_engine import judged_by
from agreement.documents.recordings import Push, Recording
from agreement.documents.requests import JudgeOptions
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import EngineRun
from agreement.engines.versions.csparql_097 import CSPARQL_097
from agreement.engines.versions.rsp_js import RSP_JS_135
from lars.durations import MILLISECOND, SECOND
from solver.facts import Static
from translate.dialects import read_query

CSPARQL = (
    "PREFIX : <http://e/> SELECT ?s FROM STREAM <http://e/S> [RANGE 2s STEP 2s] "
    "WHERE { ?s :p ?o FILTER(?s != :b) }"
)
RSPJS = """PREFIX : <http://e/>
REGISTER RStream <http://e/out> AS
SELECT ?s
FROM NAMED WINDOW :w ON STREAM :S [RANGE 2 STEP 2]
WHERE { WINDOW :w { ?s :p ?o } }"""
EXACT = JudgeOptions(pushes=True)
PUSHED = [(500, "a"), (2500, "b"), (4500, "c"), (6500, "a"), (8500, "c")]
NAMES = ("empty report dropped", "empty report twice", "empty report beside rows", "later")


def run_of(query, pushed, unit=MILLISECOND):
    pushes = tuple(
        Push(t, "<http://e/S>", (f"<http://e/{s}>", "<http://e/p>", "<http://e/o>")) for t, s in pushed
    )
    return EngineRun(read_query(query, "q"), Static(frozenset(), {}), pushes, unit)


def predicted(engine, run):
    return engine.run(run.query, run.static, run.pushes)


def changes(recording: Recording):
    """Yield a name and a recording for each way in which one is not what the engine reports."""
    reports = list(recording.reports)
    empty = next(n for n, one in enumerate(reports) if not one.rows)
    full = next(n for n, one in enumerate(reports) if one.rows)
    yield "empty report dropped", reports[:empty] + reports[empty + 1 :]
    yield "empty report twice", [*reports[: empty + 1], *reports[empty:]]
    beside = replace(reports[full], rows=())
    yield "empty report beside rows", [*reports[: full + 1], beside, *reports[full + 1 :]]
    yield "later", [replace(one, t=one.t + 300) for one in reports]


@pytest.mark.parametrize("by_push", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_an_engine_versions_reports_are_counted_and_timed(name, by_push):
    run = run_of(CSPARQL, PUSHED, MILLISECOND if by_push else SECOND)
    right = predicted(CSPARQL_097, run)
    if not by_push:
        right = replace(right, reports=tuple(replace(one, trigger=None) for one in right.reports))
    assert judged_by(CSPARQL_097, run, right, EXACT).correct
    wrong = replace(right, reports=tuple(dict(changes(right))[name]))
    assert not judged_by(CSPARQL_097, run, wrong, EXACT).correct


@pytest.mark.parametrize("name", NAMES[:3])
def test_empty_reports_are_counted_even_if_no_times_are_compared(name):
    run = run_of(CSPARQL, PUSHED)
    wrong = dict(changes(predicted(CSPARQL_097, run)))[name]
    recording = replace(predicted(CSPARQL_097, run), reports=tuple(wrong))
    assert not judged_by(CSPARQL_097, run, recording, replace(EXACT, times=False)).correct


def test_which_pushes_are_refused_counts():
    run = run_of(CSPARQL, [(500, "a"), (3000, "a"), (900, "b"), (6500, "c")])
    right = predicted(CSPARQL_097, run)
    assert judged_by(CSPARQL_097, run, right, EXACT).correct
    for rejected in ((), (1,)):
        if rejected != right.rejected:
            found = judged_by(CSPARQL_097, run, replace(right, rejected=rejected), EXACT)
            assert [step.problem for step in found.wrong if "rejection" in (step.problem or "")]


def test_the_bounds_that_rsp_js_prints_count():
    run = run_of(RSPJS, [(0, "a"), (3, "b"), (6, "c"), (9, "a")])
    right = predicted(RSP_JS_135, run)
    assert right.windows
    assert judged_by(RSP_JS_135, run, right, EXACT).correct
    wrong = replace(right, windows=((777.0, 778.0), *right.windows[1:]))
    assert not judged_by(RSP_JS_135, run, wrong, EXACT).correct


def test_in_sequence_the_reports_of_two_pushes_are_two_answers():
    """CQELS predicts both rows at the second push; here one of them came at the first."""
    query = "SELECT ?s ?z { STREAM <http://e/S> [RANGE 9s] { ?s <http://e/p> ?o } ?s <http://e/k> ?z }"
    known = frozenset(("<http://e/a>", "<http://e/k>", f'"{n}"') for n in range(2))
    run = replace(run_of(query, [(500, "b"), (1500, "a")]), static=Static(known, {}))
    together = predicted(ENGINES["cqels-1.x"], run)
    assert [(report.trigger, len(report.rows)) for report in together.reports] == [(1, 1), (1, 1)]
    apart = replace(together, reports=(replace(together.reports[0], trigger=0), *together.reports[1:]))
    how = JudgeOptions(match="sequence")
    found = [judged_by(ENGINES["cqels-1.x"], run, each, how).correct for each in (apart, together)]
    assert found == [False, True]


def test_a_refused_push_is_named_at_its_time_unit_where_no_push_is_told():
    run = run_of(CSPARQL, PUSHED, SECOND)
    said = predicted(CSPARQL_097, run)
    untold = tuple(replace(report, trigger=None) for report in said.reports)
    judged = judged_by(CSPARQL_097, run, replace(said, reports=untold, rejected=(3,)), EXACT)
    odd = [place for place in judged.places if place.problem and "rejection" in place.problem]
    assert [place.at for place in odd] == [6]
