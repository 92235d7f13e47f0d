"""The folder of finished slices: whose slices a run continues."""

import sys
from dataclasses import replace
from types import ModuleType

import pytest

from lars.durations import SECOND
from lars.errors import FailedRunError
from lars.language.windows import Interval
from lars.text.notation import read
from lars.version import program
from solver.job import Question
from solver.job.slices import Job
from solver.settings import Runner, TraceInput, TraceOptions, no_progress
from solver.spark import finished_slices
from solver.spark.pipeline import spark_trace
from solver.traces import prepare
from tests.solver.spark.on_spark import on_spark

MODULE = sys.modules[finished_slices.__module__]


def package(folder, text):
    """Return a package that has one file."""
    folder.mkdir()
    (folder / "rules.py").write_text(text)
    module = ModuleType("rules")
    module.__path__ = [str(folder)]
    return module


def test_another_text_of_the_program_has_slices_of_its_own(tmp_path, monkeypatch):
    folders = set()
    for name, text in (("old", "answer = 1"), ("same", "answer = 1"), ("new", "answer = 2")):
        text_of = program(package(tmp_path / name, text))
        monkeypatch.setattr(MODULE, "program", lambda *_, now=text_of: now)
        folders.add(finished_slices(tmp_path, (), TraceOptions(unit=SECOND)).folder)
    assert len(folders) == 2


@pytest.mark.parametrize("content", [b"", b"spoiled", b"ARROW1\0\0", b"cut"])
def test_a_spoiled_slice_says_what_to_do(tmp_path, content):
    kept = MODULE.FinishedSlices(tmp_path)
    kept.begin([Interval(0, 9)])
    kept.keep(0, [])
    file = tmp_path / "0.arrow"
    file.write_bytes(file.read_bytes()[:-9] if content == b"cut" else content)
    with pytest.raises(FailedRunError, match=rf"0.arrow: cannot read .* not whole; use rm {file} and"):
        list(kept.parts(kept.finished(1)))


def test_what_slices_of_another_plan_have_found_is_forgotten(tmp_path):
    kept = MODULE.FinishedSlices(tmp_path)
    kept.begin([Interval(0, 9)])
    kept.keep(0, [])
    (tmp_path / "slices.json").write_text("spoiled")
    assert kept.cut() is None
    kept.begin([Interval(0, 4), Interval(5, 9)])
    assert (kept.finished(2), kept.cut()) == (frozenset(), [Interval(0, 4), Interval(5, 9)])


def test_a_run_says_how_many_parts_are_finished(spark, tmp_path):
    path, notes = tmp_path / "t.atoms", []
    path.write_text("".join(f"{t}: p(a{t % 7}).\n" for t in range(32)))
    given, question = TraceOptions(unit=SECOND), Question(read("q(X) ← ⊞^2 ◇ p(X)."), ("q", 1), None)

    def run():
        runner = Runner(master=spark.master, resume=tmp_path / "kept", slices=4, certify="none")
        runner = runner.telling(notes.append, no_progress)
        trace = spark_trace(TraceInput((path,), given, runner=runner), prepare([path], given), {})
        list(trace.answers([question])[0].each_part())

    run()
    assert notes == []
    next((tmp_path / "kept").glob("*/*/3.arrow")).unlink()
    run()
    assert notes == ["--resume continues an earlier run: 3 of 4 parts are finished"]


def test_the_predicates_to_show_do_not_change_the_folder(tmp_path):
    """A set has another order in each process, so a run would find no slice of the run before."""
    kept, folders = MODULE.FinishedSlices(tmp_path), set()
    for shown in (None, frozenset((("q", 1), ("p", 1)))):
        asked = Question(replace(read("q(X) ← p(X)."), answers=shown), ("q", 1), None)
        folders.add(kept.of(Job((asked,), Interval(0, 9), {})).folder)
    assert len(folders) == 1


def tasks(spark, group):
    """Return how many tasks the stages of a group of jobs had, each stage once."""
    tracker = spark.statusTracker()
    stages = {stage for job in tracker.getJobIdsForGroup(group) for stage in tracker.getJobInfo(job).stageIds}
    return sorted(tracker.getStageInfo(stage).numTasks for stage in stages)


@pytest.mark.parametrize("window", ["^2", "^{#2}"])
def test_only_the_missing_slice_has_a_task(spark, tmp_path, window):
    """A task for each finished slice ended its worker, so that one missing slice took longer than all."""
    text = f"q(X, Y) ← ⊞{window} ◇ p(X), ⊞{window} ◇ p(Y), X != Y."
    job = Job((Question(read(text), ("q", 2), None),), Interval(0, 31), {}, 8)
    rows = [(t, 0, i, "p", (f"a{(7 * t + i) % 9}",)) for t in range(32) for i in range(3)]
    kept = MODULE.FinishedSlices(tmp_path)

    def ran(name):
        spark.setJobGroup(name, name)
        found = sorted(on_spark(job, spark, rows, 3, kept))
        spark.setJobGroup("other", "other")
        return found, {file.name: file.stat().st_mtime_ns for file in tmp_path.glob("*/*.arrow")}

    expected, done = ran(f"all {window}")
    assert len(done) == 8
    next(tmp_path.glob("*/3.arrow")).unlink()
    again, repaired = ran(f"one {window}")
    assert (again, {name for name in done if done[name] != repaired[name]}) == (expected, {"3.arrow"})
    assert (tasks(spark, f"all {window}").count(8), tasks(spark, f"one {window}")[0]) == (1, 1)
    assert max(tasks(spark, f"one {window}")) < 8
    assert ran(f"none {window}") == (expected, repaired)
    assert tasks(spark, f"none {window}") == []
