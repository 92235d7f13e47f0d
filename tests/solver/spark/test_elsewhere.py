"""Answers that the driver does not hold: tasks keep them, and the driver reads some at a time."""

import pickle
from dataclasses import replace
from itertools import chain

import pytest

from lars.errors import FailedRunError
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact
from solver.job import Question, Whole
from solver.job.slices import Job
from solver.spark import answers_on_spark, outputs_on_spark, pipeline
from solver.spark.finished_slices import FinishedSlices
from tests.solver.in_process import in_process
from tests.solver.spark.on_spark import block, counts_of

TEXTS = "q(X, Y) ← ⊞^2 ◇ p(X), ⊞^2 ◇ p(Y), X != Y.", "r(X) ← ⊞^4 □ p(X)."
JOB = Job(
    tuple(Question(read(text), name, None) for text, name in zip(TEXTS, (("q", 2), ("r", 1)), strict=True)),
    Interval(0, 31),
    {},
    8,
)
ROWS = [(t, 0, i, "p", (f"a{(7 * t + i * i) % 9}",)) for t in range(32) for i in range(3)]
COUNTS = counts_of(ROWS)
FACTS = [Fact(t, *rest) for t, _, _, *rest in ROWS]


@pytest.fixture
def trace(spark):
    return spark.parallelize([block(ROWS[number::3]) for number in range(3)], 3)


@pytest.fixture
def read_slices(spark, monkeypatch):
    """A driver that holds no answer; the numbers of the slices that it reads at once."""
    asked, run = [], spark.runJob
    monkeypatch.setattr(pipeline, "_HELD", 0)
    monkeypatch.setattr(
        spark, "runJob", lambda rdd, find, parts: asked.append(parts) or run(rdd, find, parts)
    )
    return asked


@pytest.fixture(params=[False, True], ids=["", "resumed"])
def kept(request, tmp_path):
    """A folder of finished slices, three of which are there."""
    return FinishedSlices(tmp_path) if request.param else None


def test_the_driver_holds_no_answers_and_reads_those_of_a_slice_at_a_time(trace, read_slices, kept):
    for _ in "12":
        found = answers_on_spark(JOB, trace, COUNTS, kept)
        assert {part.content for one in found for part in one.every} == {b""}
        expected = [{}, {}]
        for answer in in_process(JOB, FACTS):
            expected[answer.question].setdefault(answer.t, set()).add(answer.row)
        for one, rows in zip(found, expected, strict=True):
            assert {t: own for t, own in one.whole().by_time().items() if own} == rows
            assert (one.evaluations, len(list(one.each_part()))) == (32, 8)
    assert sorted(read_slices) == ([] if kept else sorted([[number] for number in range(8)] * 8))


def test_answers_of_several_slices_are_read_together_if_they_fit(trace, read_slices, monkeypatch):
    found, _ = answers_on_spark(JOB, trace, COUNTS)
    monkeypatch.setattr(pipeline, "_HELD", sum(part.size for part in found.every[:3]))
    list(found.each_part())
    assert read_slices[0] == [0, 1, 2]
    assert (max(map(len, read_slices)) < 8, [*chain(*read_slices)]) == (True, list(range(8)))


def test_rows_and_answer_streams_come_slice_by_slice(trace, read_slices, kept):
    streams = replace(JOB, questions=(replace(JOB.questions[0], output=Whole()),))
    for job in (JOB, streams):
        outputs = outputs_on_spark(job, trace, COUNTS, kept)
        rows = {(n, t, row) for some in outputs for n, own in enumerate(some) for t in own for row in own[t]}
        assert rows == set(map(tuple, in_process(job, FACTS)))
    one = [[number] for number in range(8)]
    assert read_slices == ([] if kept else sorted(one * 2) + one)


def test_small_answers_are_not_read_again(trace, read_slices, monkeypatch):
    monkeypatch.setattr(pipeline, "_HELD", 2**26)
    assert len(answers_on_spark(JOB, trace, COUNTS)[0].whole().by_time()) == 32
    assert read_slices == []


def test_static_data_are_sent_once_and_not_with_each_task(spark, trace, monkeypatch):
    background = {("s", 1): tuple((f"<urn:{number}>",) for number in range(5000))}
    sent, of_task, own = [], [], pipeline.SliceTask
    broadcast = spark.broadcast
    monkeypatch.setattr(spark, "broadcast", lambda value: sent.append(value) or broadcast(value))
    monkeypatch.setattr(pipeline, "SliceTask", lambda *parts: of_task.append(own(*parts)) or of_task[-1])
    text = "q(X) ← ⊞^2 ◇ p(X), not s(X)."
    job = Job((Question(read(text), ("q", 1), None),), Interval(0, 31), background, 4)
    (found,) = answers_on_spark(job, trace, COUNTS)
    assert len(found.whole().by_time()) == 32
    assert [{name: tuple(rows) for name, rows in some.items()} for some in sent] == [background]
    monkeypatch.undo()
    assert len(pickle.dumps(replace(of_task[0], background=None))) < 5000 < len(pickle.dumps(background))


@pytest.mark.parametrize("short", [False, True])
def test_lost_answers_are_evaluated_again(trace, read_slices, monkeypatch, tmp_path, short):
    """If memory suffices only for parts of a slice then, the run ends with a message."""
    flag, own = tmp_path / "short", pipeline.SliceTask

    def task_of(*parts):
        task = own(*parts)

        def halving(index, values):
            for part in task(index, values):
                halves = [(part.first, part.first), (part.first + 1, part.last)]
                ends = halves if flag.exists() and part.question == 1 else [(part.first, part.last)]
                yield from (part._replace(first=first, last=last) for first, last in ends)

        return halving

    monkeypatch.setattr(pipeline, "SliceTask", task_of)
    whole, found = answers_on_spark(JOB, trace, COUNTS)
    expected = [one.whole().by_time() for one in (whole, found)]
    for rdd in trace.context._jsc.getPersistentRDDs().values():
        rdd.unpersist(True)
    if short:
        flag.touch()
    assert whole.whole().by_time() == expected[0]
    if not short:
        assert found.whole().by_time() == expected[1]
        return
    with pytest.raises(FailedRunError) as raised:
        found.whole()
    assert str(raised.value).startswith(
        "the program at [0, 3]: cannot read the answers: Spark lost them, and"
    )
