"""`lars watch` as a command on Spark: it is killed, goes on, and its tables are those of one run."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from unittest.mock import MagicMock, PropertyMock

import pytest

from agreement.results.base.library import Listeners
from agreement.results.files.watched import watch
from lars.errors import FailedRunError, LarsError
from solver.spark.streaming import _batches, check_name
from tests.agreement.comparing.watch.batches import rows_of, written
from tests.agreement.comparing.watch.test_watch import PULL, PUSH, P, Q
from tests.manuals.pages import BLOCKS
from tests.manuals.running import copied, lines, run
from tests.packs import ROOT
from tests.solver.spark.processes import waited

NODE = {"type": "uri", "value": "http://e/1"}
ONE = {"type": "literal", "value": "1", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}
LARS = [sys.executable, "-m", "agreement.cli"]
WATCH = [
    *LARS,
    "watch",
    "pull.rq",
    "push.rq",
    "--source",
    "in #1",
    "--delay",
    "1",
    "--period",
    "2",
    "--files",
    "1",
]
LOGS = ["--push-answers", "log.jsonl", "--pull-answers", "log.jsonl"]
FOLDERS = ["--checkpoint", "kept", "--out", "out", "--files", "1"]


def started(folder, *more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [*WATCH, *FOLDERS, "--master", "local[1]", *LOGS, *more],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def came(folder, number):
    """Move a file of the stream to its folder, as a user does; the files come in the order of numbers.

    The first two files are newer than the others. In a URI, characters of the names have other meanings.
    """
    first = 6 * number + 1
    rows = [
        (first + n, "http://e/s", f"http://e/{n % 2}", (P, Q)[n % 3 == 0], "1") for n in (0, 2, 1, 4, 3, 5)
    ]
    path = written(folder / f"{number}.csv", rows)
    os.utime(path, ((1_700_000_000 if number < 2 else 1_600_000_000) + number,) * 2)
    path.rename(folder / "in #1" / f"{named(number)}.csv")


def named(number):
    return f"{number} %20#"


def states(folder):
    return {path.name for path in Path(folder, "kept").glob("batch-*")}


def test_a_watch_that_is_killed_goes_on_and_its_tables_are_those_of_a_comparison_of_the_whole(tmp_path):
    (tmp_path / "in #1").mkdir()
    (tmp_path / "pull.rq").write_text(PULL)
    (tmp_path / "push.rq").write_text(PUSH)
    lines = (json.dumps({"t": t, "rows": [{"x": NODE, "v": ONE}] * (t % 3 > 0)}) for t in range(1, 40))
    (tmp_path / "log.jsonl").write_text("\n".join([*lines, ""]))
    came(tmp_path, 0)
    run = started(tmp_path, "--pause", "0.1")
    waited(lambda: "batch-0" in states(tmp_path), pause=0.05)
    came(tmp_path, 1)
    waited(lambda: "batch-1" in states(tmp_path), pause=0.05)
    came(tmp_path, 2)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    (tmp_path / "in #1" / "day=1").mkdir()
    (tmp_path / "in #1" / "day=1" / "other.csv").write_text("This is not in the folder of the stream.")
    for number in (3, 4):
        came(tmp_path, number)
    run = started(tmp_path, "--once")
    out, err = run.communicate(timeout=300)
    assert run.returncode == 1, err
    assert out.splitlines()[-1].startswith("judged up to 28: 14 periods, "), out
    elements = [row for number in range(5) for row in rows_of(tmp_path / "in #1", named(number))[1:]]
    written(tmp_path / "whole.csv", sorted(elements, key=lambda row: int(row[0])))
    whole = [
        sys.executable,
        "-m",
        "agreement.cli",
        "agree",
        "pull.rq",
        "push.rq",
        "whole.csv",
        "--in-process",
    ]
    options = ["--to", "28", "--period", "2", "--out", "agree", "--out-format", "csv", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*whole, *options], cwd=tmp_path, env=environment, check=False, capture_output=True)
    # The logs of running systems: as in one run that nobody kills.
    every = [tmp_path / "in #1" / f"{named(number)}.csv" for number in range(5)]
    logs = {f"{side}_answers": str(tmp_path / "log.jsonl") for side in ("push", "pull")}
    folders = {
        "source": str(tmp_path / "in #1"),
        "checkpoint": str(tmp_path / "one"),
        "out": str(tmp_path / "1"),
    }
    queries = str(tmp_path / "pull.rq"), str(tmp_path / "push.rq")
    watch(*queries, **folders, **logs, delay=1, period=2).judge_batch(0, every)
    for name in ("answers", "wrong-rows", "one-log-rows", "too-late-answers"):
        assert rows_of(tmp_path / "out", name) == rows_of(tmp_path / "1", name)
    assert {row[3] for row in rows_of(tmp_path / "1", "answers")[1:]} == {"True", "False"}
    for name, left_out in (("periods", "empty"), ("differences", "pushed")):
        expected, found = rows_of(tmp_path / "agree", name), rows_of(tmp_path / "out", name)
        assert without(found, left_out) == without(expected, left_out)
        assert len(found) > 1


def test_the_manual_shows_what_a_watch_prints(tmp_path):
    copied(tmp_path)
    shell, shown = {}, []
    for part in BLOCKS["agreement/manual/watch.md"]:
        if part.kind == "csv":
            (tmp_path / part.note).write_text(part.text)
        elif part.kind == "sh" and part.note != "watch":
            assert [run(line, tmp_path)[0] for line in lines(part)] == [0] * len(lines(part))
        elif part.kind == "sh":
            (shell["watch"],) = lines(part)
        elif part.kind == "":
            shown.append(part.text)
    # The first file is the older one.
    os.utime(tmp_path / "arriving" / "door.trig", (1_700_000_000,) * 2)
    words = [*LARS, *shell["watch"].split()[1:], "--master", "local[1]"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    watch = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (watch.returncode, [watch.stdout]) == (1, shown), watch.stderr


def without(rows, name):
    """Return the rows without a column that is about the whole stream, or about the past."""
    places = [place for place, column in enumerate(rows[0]) if column != name]
    return [[row[place] for place in places] for row in rows]


def test_a_watch_whose_java_has_ended_says_so():
    frame = MagicMock()
    query = frame.writeStream.foreachBatch().option().trigger().start()
    type(query).isActive = PropertyMock(side_effect=ConnectionRefusedError(111, "Connection refused"))
    query.stop.side_effect = ConnectionRefusedError(111, "Connection refused")
    with pytest.raises(FailedRunError, match="Spark failed: Java has ended; to continue, repeat the command"):
        next(_batches(frame, Path("kept"), lambda *_: None, 1))


@pytest.mark.parametrize("name", ["a*.csv", "b?.csv", "c[1].csv", "d{1}.csv", "e\\f.csv"])
def test_a_name_that_spark_reads_as_a_pattern_is_refused(name):
    with pytest.raises(LarsError, match=r"cannot be watched: Spark reads . as a pattern; use another"):
        check_name(Path("/in") / name, "another name")
    check_name(Path("/in/50%20#1 ü+;:=.csv"), "another name")


def test_lines_of_standard_input_are_judged_and_those_of_a_later_run_too(tmp_path):
    (tmp_path / "pull.rq").write_text(PULL)
    (tmp_path / "push.rq").write_text(PUSH)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [*LARS, "watch", "pull.rq", "push.rq", "--source", "-", "--period", "2", *FOLDERS[:4]]
    header = "t,stream,s,p,o\n"
    texts = [f"1,http://e/s,a:a,{P},1\n2,http://e/s,a:a,{Q},1\n", f"9,http://e/s,a:a,{Q},1\n"]
    outs = []
    for text in texts:
        run = subprocess.run(
            [*words, "--master", "local[1]"],
            cwd=tmp_path,
            env=environment,
            input=header + text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode in (0, 1), run.stderr
        outs.append(run.stdout.splitlines()[-1])
    assert outs[0].startswith("judged up to 0: 0 periods; 2 elements"), outs
    assert outs[1].startswith("judged up to 8: 4 periods, 1 of them disagrees; 3 elements"), outs
    (line,) = rows_of(tmp_path / "out", "differences")[1:]
    assert line[2:6] == ["2", "4", "pull", "silent period"]
    assert [path.name for path in (tmp_path / "kept" / "lines").glob("[0-9]*")] == ["000000000001"]


@contextmanager
def stopped():
    """Yield an event that Ctrl-C has set before the first batch."""
    event = Event()
    event.set()
    yield event


def test_a_watch_says_what_it_waits_for_and_its_early_end_counts_the_files_that_wait(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "pull.rq").write_text(PULL)
    (tmp_path / "push.rq").write_text(PUSH)
    for name in ("1", "2", "_3"):
        written(tmp_path / "in" / f"{name}.csv", [(1, "http://e/s", "http://e/a", P, "1")])
    monkeypatch.setattr("solver.spark.streaming.folder_batches", lambda *_: iter([None]))
    queries, notes = (str(tmp_path / "pull.rq"), str(tmp_path / "push.rq")), []
    folders = {"checkpoint": str(tmp_path / "kept"), "out": str(tmp_path / "out")}
    begun = watch(*queries, source=str(tmp_path / "in"), **folders, period=2)
    run = replace(begun, listeners=Listeners(note=notes.append, keeping=stopped))
    (last,) = run.parts()
    assert notes == [f"the watch waits for files in {tmp_path / 'in'}; Ctrl-C ends it"]
    assert last.endswith("; 0 elements read, 0 too late; 2 files not read yet, which the same command reads")
    for path in (tmp_path / "in").glob("?.csv"):
        path.unlink()
    *_, last = run.parts()
    assert last.endswith("; 0 elements read, 0 too late")
