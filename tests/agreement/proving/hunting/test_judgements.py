"""A hunt judges equal runs once: a judgement is kept with all data on which it depends."""

from dataclasses import fields, replace

import pytest

from agreement.comparing.judge.diagnosis import RecordingToJudge
from agreement.documents.recordings import Recording, Report
from agreement.documents.requests import JudgeOptions
from agreement.engines.specifications import EngineRun, Task, builtin
from agreement.proving.hunting import references
from agreement.proving.hunting.references import JudgedRun, reference
from lars.durations import SECOND
from solver.facts import Static
from tests.agreement.proving.hunting.test_names import RSPQL, run_of

GRAPH = frozenset((("s", "p", "o"),))
OTHER = {
    JudgedRun: {"specification": builtin("csparql")},
    RecordingToJudge: {"options": JudgeOptions(late=0)},
    Task: {
        "elements": (),
        "until": 1,
        "versions": ("a version",),
        "kept": len,
        "only_kept": True,
        "at_end": True,
    },
    EngineRun: {"static": Static(GRAPH, {}), "unit": SECOND, "origin": "1971", "wait": 1, "lateness": 1},
    Recording: {
        "variables": ("z",),
        "reports": (),
        "rejected": (0,),
        "windows": (None,),
        "lexical": True,
        "rows_only": True,
    },
    Report: {"t": 0.5, "rows": (("z",),), "trigger": 99},
}
"""Another value for each field on which a judgement depends."""
SAME = {
    JudgedRun: {
        "recorded",
        "late",
        "pattern",
        "pushed",
        "judgements",
    },  # what came of a judgement depends on these
    RecordingToJudge: {"task", "run", "recording", "rows"},
    Task: {"run", "numbers", "clocks", "content_answers", "alike"},
    EngineRun: {
        "query",
        "pushes",
        "_known",
    },  # the query is changed below; elements are the pushes as they are judged
    Recording: set(),
    Report: set(),
}


@pytest.fixture
def subject():
    """Return a run of an engine with everything to judge it."""
    return reference("rspql", RSPQL, JudgeOptions())._subject(run_of("closed", "tumbling", 20))


def changed(subject, kind, values):
    """Return a run that differs in the given fields of one of the classes."""
    recorded = subject.recorded
    task, recording = recorded.task, recorded.recording
    if kind is JudgedRun:
        return replace(subject, **values)
    if kind is Task:
        recorded = replace(recorded, task=replace(task, **values))
    elif kind is EngineRun:
        recorded = replace(recorded, task=replace(task, run=replace(task.run, **values)))
    elif kind is Recording:
        recorded = replace(recorded, recording=replace(recording, **values))
    elif kind is Report:
        reports = (replace(recording.reports[0], **values), *recording.reports[1:])
        recorded = replace(recorded, recording=replace(recording, reports=reports))
    else:
        recorded = replace(recorded, **values)
    return replace(subject, recorded=recorded)


def test_equal_runs_are_judged_once(subject, monkeypatch):
    first = subject.judgement
    monkeypatch.delattr(references.judge, "judge_recording")
    assert (
        changed(subject, Task, {"elements": tuple(map(replace, subject.recorded.task.elements))}).judgement
        is first
    )
    monkeypatch.undo()
    alone = replace(subject, judgements={})
    assert (alone.judgement is first, alone.judgement == first) == (False, True)


@pytest.mark.parametrize("kind", OTHER, ids=lambda kind: kind.__name__)
def test_runs_that_differ_in_anything_are_judged_each(kind, subject):
    assert {one.name for one in fields(kind)} == OTHER[kind].keys() | SAME[kind]
    for name, value in OTHER[kind].items():
        assert changed(subject, kind, {name: value})._key != subject._key, name


def test_runs_of_two_queries_are_judged_each(subject):
    query = replace(subject.recorded.task.query, to_stream="DSTREAM")
    assert changed(subject, EngineRun, {"query": query})._key != subject._key


@pytest.mark.parametrize("store", [{}, {"csparql": Static(GRAPH, {})}])
@pytest.mark.parametrize("graph", [{}, {"g": GRAPH}])
def test_static_data_are_compared_in_each_graph_and_store(store, graph, subject):
    static = Static(subject.recorded.task.run.static.default, graph, store)
    same = changed(subject, EngineRun, {"static": static})._key == subject._key
    assert same is not bool(store or graph)


def test_a_hunt_keeps_only_the_latest_judgements(subject, monkeypatch):
    monkeypatch.setattr(references, "_KEPT_JUDGEMENTS", 3)
    runs = [changed(subject, Report, {"t": float(t)}) for t in range(5)]
    kept = [one.judgement for one in runs[:3]]
    assert replace(runs[0]).judgement is kept[0]
    assert runs[3].judgement is not kept[0]
    assert list(subject.judgements) == [runs[n]._key for n in (2, 0, 3)]
