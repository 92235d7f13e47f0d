"""A small input is evaluated in this process, a large one on Spark, and a note says which; options decide."""

import io
import subprocess
import sys

import pytest

from agreement.documents import traces
from lars.durations import Duration
from solver import memory
from solver.settings import Runner, TraceInput, TraceOptions
from solver.spark import SparkTrace
from solver.traces import prepare
from tests.agreement.command import lars
from tests.packs import SAMPLES

DOOR = [SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms"]
MOST = min(5_000_000, memory.machine_memory() // 2 // 1000)
NOTE = (
    f"note: running in this process because the input is small (< {MOST:,} atoms); use --master to "
    "run on Spark\n"
)
CLINGO = (
    "note: evaluated by clingo, not by the relational evaluator: a predicate depends on its own absence, so "
    "a search for answer streams is necessary\n"
)


def loaded(runner):
    given = TraceInput((DOOR[1],), TraceOptions(unit=Duration(10**9)), runner=runner)
    return type(traces.load_trace(given, (), print))


def test_a_small_input_is_evaluated_in_this_process_without_loading_spark():
    code = "import sys\nfrom agreement.cli.__main__ import main\n"
    code += "try: main()\nfinally: print('pyspark' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code, "solve", *DOOR], capture_output=True, text=True, check=True
    )
    assert (ran.stdout.splitlines()[-1], ran.stderr) == ("False", NOTE + CLINGO)


def test_where_is_not_said_where_an_option_says_it():
    assert lars("solve", *DOOR, "--in-process").err == CLINGO


@pytest.mark.parametrize("call", [("agree", SAMPLES / "slide"), ("solve", *DOOR)])
def test_both_options_are_one_too_many(call):
    ran = lars(*call, "--in-process", "--master", "local[2]")
    assert (ran.code, ran.err) == (2, "lars: cannot combine --master and --in-process; use one of them\n")


def test_a_large_input_is_evaluated_on_spark(monkeypatch, spark):
    said: list[str] = []
    assert loaded(Runner(notice=said.append)) is traces.LocalTrace
    monkeypatch.setattr(traces, "MOST_IN_PROCESS", 2)
    assert loaded(Runner(notice=said.append)) is SparkTrace
    assert loaded(Runner(in_process=True, notice=said.append)) is traces.LocalTrace
    assert [text.split(" because")[0] for text in said] == [
        "running in this process",
        "running on Spark, local[*],",
    ]


def test_an_input_that_little_memory_does_not_hold_is_evaluated_on_spark(monkeypatch, spark):
    monkeypatch.setattr(memory, "_most", [2_000])
    said: list[str] = []
    assert loaded(Runner(notice=said.append)) is SparkTrace
    assert said == [
        (
            "running on Spark, local[*], because the input is large (about 5 atoms); use --in-process to "
            "avoid Spark"
        )
    ]


def test_a_master_and_spark_submit_mean_spark(monkeypatch, spark):
    assert loaded(Runner("local[2]")) is SparkTrace
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert loaded(Runner()) is SparkTrace


def test_a_trace_from_standard_input_is_solved(monkeypatch):
    expected = lars("solve", *DOOR, "--in-process").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DOOR[1].read_bytes())))
    assert lars("solve", DOOR[0], "-").out == expected


def test_a_trace_from_standard_input_is_compared_and_explained(monkeypatch):
    sample = SAMPLES / "slide"
    queries = [sample / "query.csparql.rq", sample / "query.cqels.rq"]
    data = (sample / "door.trig").read_bytes()
    expected = lars("agree", *queries, sample / "door.trig", "--json").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert lars("agree", *queries, "-", "--json").out == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert lars("explain", queries[1], "-", "--at", 1, "ans1(ann)").code == 0


@pytest.mark.parametrize("kind", ["nq", "csv", "trig", "parquet"])
def test_the_size_of_a_trace_is_told_from_its_files(tmp_path, kind):
    file = tmp_path / f"t.{kind}"
    assert lars("generate", file, "--stations", 20, "--duration", "20s", "--in-process").code == 0
    (source,) = prepare([file], TraceOptions(unit=Duration(10**6)))
    assert 0.5 < source.size / 2800 < 2


def test_a_small_comparison_loads_neither_spark_nor_engines_nor_what_other_commands_need():
    others = (
        "pyspark",
        "pandas",
        "solver.spark",
        "agreement.comparing.judge",
        "agreement.engines",
        "agreement.documents.recordings",
        "agreement.results.solutions",
        "agreement.results.renderings.pages",
    )
    code = "import sys\nfrom agreement.cli.__main__ import main\n"
    code += f"try: main()\nexcept SystemExit: print([name for name in {others} if name in sys.modules])\n"
    ran = subprocess.run(
        [sys.executable, "-c", code, "agree", SAMPLES / "slide", "--in-process"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.splitlines()[-1] == "[]"
