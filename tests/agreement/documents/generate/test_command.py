"""`lars generate` as a user runs it: what it writes, replaces and refuses."""

import pytest

from agreement.documents.generate import Plan
from agreement.documents.generate.writing import LARGE, spark_master
from solver.settings import Runner
from solver.traces import EXTENSIONS
from tests.agreement.command import lars
from tests.agreement.documents.generate.plans import output

WRONG = {
    "--stations 0": "--stations 0: expected a number of at least 1",
    "--stations many": "invalid value for '--stations'",
    "--interval 1": "--interval 1: '1' is not a duration",
    "--interval 0s": "--interval 0s: expected a duration above zero",
    "--duration 0s": "--duration 0s: expected a duration above zero",
    "--interval 1500ms --unit 1s": "--interval 1500ms: expected a whole number of the unit 1s",
    "--duration 1ns": "--duration 1ns: expected a whole number of the unit 1ms",
    "--start 1ns": "--start 1ns: expected a whole number of the unit 1ms",
    "--bursts 2x1ns": "--bursts 1ns: expected a whole number of the unit 1ms",
    "--bursts 0x1s": "--bursts 0: expected a burst of at least 1 observation",
    "--bursts 3": "--bursts 3: expected SIZExGAP, such as 5x100ms",
    "--bursts 3xlong": "--bursts 3xlong: 'long' is not a duration",
    "--values 3": "--values 3: expected LOW..HIGH",
    "--values 5..3": "--values 5..3: the first value is above the second",
    "--walk fast": "--walk fast: expected a step of at least 0",
    "--arrivals sometimes": "invalid value for '--arrivals'",
    "--contemporaneous 2": "--contemporaneous 2: expected 1..1, the stations",
    "--stations 4 --contemporaneous 2 --streams 3": "--streams 3: expected 1..2",
    "--stream-iri s": "--stream-iri s: found 's'; expected an absolute IRI",
    "--duplicates 1.5": "--duplicates 1.5: expected a share from 0 to 1",
    "--out-of-order some": "--out-of-order some: expected a share from 0 to 1",
    "--out-of-order 0.5 --delay 0s": "--delay 0s: expected a duration above zero",
    "--delay 1s": "--delay: requires --out-of-order SHARE",
    "--unit 0s": "--unit 0s: expected a duration above zero",
    "--trace-unit 2ms": "--unit 1ms: not a multiple of the trace unit 2ms; use a multiple",
    "--start 9223372036s --trace-unit 1ns": "--trace-unit 1ns: too short for the last time",
    "--start 99999999999999999d": "--start 99999999999999999d: expected times up to",
    "--duration 1ms": "no observation is in the duration 1ms",
    "--master local[1] --in-process": "cannot combine --master with --in-process",
    "--format turtles": "invalid value for '--format'",
    "--format csv": "a file with this extension is not read as csv",
}
NAMES = {
    **{
        f"t{end} --format nquads": "not read as nquads; use an ext"
        for end in sorted(EXTENSIONS - {".nq", ".nt"})
    },
    "t.nq.gz --format nquads": "cannot write a compressed trace; use a name without .gz",
    "t.JSONL.gz --format nquads": "not read as nquads; use an extension",
    "t.xml": "use .nq, .nt, .trig, .csv, .tsv, .parquet, a folder (no extension), or --format",
    "t.trig --stations 2 --streams 2": "--streams 2: the format trig cannot name streams; expected nquads",
    "t --unit 1ms": "--unit 1ms: not a multiple of the trace unit 1s; use a multiple",
    "t --out-of-order 0.5": "--out-of-order: cannot write late elements to a folder with one file per time",
    "nowhere/t.nq": "cannot write the trace: the folder",
}


def refused(found, problem, folder):
    """Whether nothing but one message came of a call."""
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert found.err.startswith("lars: ")
    assert problem in found.err
    return [path.name for path in folder.iterdir()] == []


@pytest.mark.parametrize(("options", "problem"), WRONG.items())
def test_a_wrong_option_is_one_message_and_no_file(tmp_path, options, problem):
    assert refused(lars("generate", tmp_path / "t.nq", *options.split()), problem, tmp_path)


@pytest.mark.parametrize(("call", "problem"), NAMES.items())
def test_a_format_that_cannot_hold_the_stream_is_one_message(tmp_path, call, problem):
    name, *options = call.split()
    assert refused(lars("generate", tmp_path / name, *options), problem, tmp_path)


@pytest.mark.parametrize("name", ["t.nq", "t.parquet", "t"])
def test_a_trace_is_replaced_only_when_that_is_asked_for(tmp_path, name):
    path = tmp_path / name
    assert lars("generate", path, "--stations", 2).code == 0
    found = lars("generate", path, "--stations", 3)
    assert (found.code, found.err) == (
        2,
        f"lars: {path}: cannot write the trace: this name exists already; use another name, or --overwrite\n",
    )
    assert lars("generate", path, "--stations", 3, "--overwrite").code == 0
    assert lars("generate", tmp_path / f"new{name}", "--stations", 3).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, f"new{name}"])


@pytest.mark.parametrize("name", ["thesis.tex", "results.parquet"])
def test_a_folder_with_other_files_is_not_replaced(tmp_path, name):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / name).write_text("years of work")
    found = lars("generate", tmp_path / "t", "--overwrite")
    assert (found.code, found.err) == (
        2,
        f"lars: {tmp_path}/t: cannot overwrite the trace: {name} in it is not a part of a trace\n",
    )
    assert (tmp_path / "t" / name).exists()


def test_a_folder_takes_the_place_of_a_file_and_back(tmp_path):
    path = tmp_path / "t.parquet"
    for stations in (1, 2000, 1):
        found = lars("generate", path, "--stations", stations, "--overwrite")
        assert (found.code, path.is_dir()) == (0, stations == 2000)
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]


def test_what_fails_half_way_leaves_the_old_trace(tmp_path, monkeypatch):
    path = tmp_path / "t.nq"
    lars("generate", path)
    before = path.read_bytes()
    monkeypatch.setattr("agreement.documents.generate.writing.text", lambda *_: 1 / 0)
    assert lars("generate", path, "--stations", 9, "--overwrite").code == 3
    assert [path.name for path in tmp_path.iterdir()] == ["t.nq"]
    assert path.read_bytes() == before


def test_spark_is_used_when_asked_for_or_when_the_trace_is_large():
    small = output(Plan(), "nquads")
    large = output(Plan(stations=LARGE), "nquads")
    runners = Runner(), Runner("m"), Runner(None, True)
    assert [spark_master(runner, small) for runner in runners] == [None, "m", None]
    assert [spark_master(runner, large) for runner in runners] == ["local[*]", "m", None]
