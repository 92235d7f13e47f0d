"""Faults on Spark change nothing in what is found, or are one line: killed workers, damaged files .."""

import os
import random
from dataclasses import replace
from threading import Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lars.errors import FailedRunError
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact
from solver.job import Answer, Question, Whole
from solver.job.slices import Job
from solver.spark import outputs_on_spark, pipeline
from solver.spark.session import failure
from solver.spark.task_bytes import Part, PartKind, pack_rows
from tests.agreement.command import lars
from tests.solver.in_process import in_process
from tests.solver.spark.on_spark import on_spark
from tests.solver.spark.processes import kill, slice_under_way, waited

THREE = "q(X, Z) ← ⊞^4 ◇ p(X), ⊞^4 ◇ p(Y), ⊞^4 ◇ p(Z), X != Y."


def job(slices):
    return Job((Question(read(THREE), ("q", 2), None),), Interval(0, 19), {}, slices)


def test_a_worker_that_is_killed_changes_nothing(spark):
    facts = [Fact(t, "p", (f"a{(7 * t + i) % 90}",)) for t in range(20) for i in range(9)]
    rows = [(fact.t, 0, i, *fact[1:]) for i, fact in enumerate(facts)]
    killed = []

    def end_one():
        killed.append(waited(lambda: slice_under_way(os.getpid())))
        kill(killed[0])

    killer = Thread(target=end_one)
    killer.start()
    found = on_spark(job(2), spark, rows)
    killer.join()
    assert killed
    assert sorted(found) == sorted(in_process(job(1), facts))


def test_a_damaged_table_is_named(spark, tmp_path):
    path = tmp_path / "bad.parquet"
    chosen = random.Random(1)
    objects = [f"urn:{chosen.random()}" for _ in range(5000)]
    columns = {name: [f"urn:{name}"] * 5000 for name in ("stream", "s", "p")}
    pq.write_table(pa.table({"t": [1] * 5000, **columns, "o": objects}), path, compression="snappy")
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    path.write_bytes(data)
    query = tmp_path / "q.rq"
    query.write_text("SELECT ?o { STREAM <urn:stream> [RANGE 3s] { ?s ?p ?o } }")
    ran = lars("solve", query, path, "--master", "local[2]")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"lars: {path}: cannot be read: ")


def test_times_that_are_lost_are_named_and_the_others_answered(monkeypatch):
    """Of answer streams those before: a time without a row would have none."""
    lost = Part(0, PartKind.EXHAUSTED, 3, 5, b"the run needs more memory than 1G")
    rows = [Part(0, PartKind.ANSWERS, t, t, pack_rows([Answer(0, t, ("a",))])) for t in (1, 9)]
    slices = [Interval(0, 2), Interval(3, 5), Interval(6, 9)]
    evaluated = slices, [rows[0], lost, rows[1]], iter
    monkeypatch.setattr(pipeline, "_evaluated", lambda *_: evaluated)
    streams = replace(job(1), questions=(Question(read(THREE), Whole(), None),))
    found = outputs_on_spark(streams, None, None)
    assert next(found) == [{1: frozenset({("a",)})}]
    with pytest.raises(FailedRunError) as raised:
        next(found)
    assert str(raised.value) == "not evaluated: the program at [3, 5]: the run needs more memory than 1G"


def test_a_full_disk_is_said_as_such():
    said = "An error occurred.\n: org.apache.spark.SparkException: Exception thrown in awaitResult:\n"
    said += "Caused by: java.io.IOException: No space left on device\n\tat java.base/x"
    (line,) = str(failure(Exception(said))).splitlines()
    assert line.startswith("Spark failed: No space left on device: ")
