"""How runs end: 1 is a verdict alone, 3 a run that failed, 128 + n signal n; one line says why."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lars import files
from lars.errors import LarsError
from solver.memory import limit
from solver.traces import SIDE_HEAD
from tests.agreement.cli.malformed import CQELS, CSPARQL, EXPERIMENT, TRACE
from tests.agreement.command import lars
from tests.packs import ROOT, SAMPLES

SLIDE = SAMPLES / "slide"
LONG = "x" * 300
MAIN = [sys.executable, "-c", "from agreement.cli.__main__ import main; main()"]
CROSS = "many(?A, ?B, ?C, ?D, ?E) :- " + ", ".join(f"[+]^5 <> p(?{name})" for name in "ABCDE") + ".\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"cq.rq": CQELS, "cs.rq": CSPARQL, "t.nq": TRACE, "experiment.toml": EXPERIMENT}
    texts |= {"many.lars": CROSS, "many.atoms": f"1: {', '.join(f'p(x{i})' for i in range(60))}.\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def started(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)} | options.pop("env", {})
    return subprocess.Popen([*MAIN, *map(str, arguments)], env=environment, text=True, **options)


def shell(command, cwd):
    """Return code and standard error of a shell's command, in which `lars` is the real one."""
    whole = f"lars() {{ '{sys.executable}' -c '{MAIN[2]}' \"$@\"; }}; {command}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # Output is buffered, as it is for users.
    environment.pop("PYTHONUNBUFFERED", None)
    ran = subprocess.run(
        ["bash", "-c", whole], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stderr


# 1 is a verdict


def test_nothing_to_compare_is_no_verdict_and_says_so(folder):
    ran = lars("agree", "cs.rq", "t.nq", "--period", "50", "--in-process", "--json")
    assert (ran.code, ran.json["periods"][0]["agree"]) == (0, None)
    assert "no whole period of 50 is inside the timeline [0, 3]: nothing is compared" in ran.err


def test_answers_that_cannot_be_compared_are_unusable(folder):
    (folder / "answers.csv").write_text("t,x\n")
    asked = ("judge", "cs.rq", "t.nq", "--answers", "answers.csv", "--time-variable", "t")
    ran = lars(*asked, "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "lars: nothing to compare" in ran.err


def test_who_stops_reading_changes_no_verdict(folder):
    command = f"lars agree '{SLIDE}' --in-process 2> /dev/null | true; exit ${{PIPESTATUS[0]}}"
    assert shell(command, folder) == (1, "")


def test_who_stops_reading_the_help_sees_no_error(folder):
    assert shell("lars agree --help | true; exit ${PIPESTATUS[0]}", folder) == (0, "")


# 3 is a run that failed


@pytest.mark.parametrize(
    ("out", "said"), [("> /dev/full", "No space left on device"), (">&-", "standard output is closed")]
)
def test_output_that_goes_nowhere_is_one_line(folder, out, said):
    for command in ("fmt many.lars", "--help"):
        code, err = shell(f"lars {command} {out}", folder)
        assert (code, err.count("\n")) == (3, 1)
        assert said in err
        assert err.startswith("lars: standard output")


@pytest.mark.parametrize("more", [(), ("--verbose",)])
def test_what_nobody_foresaw_is_one_line_and_with_verbose_a_trace(folder, monkeypatch, more):
    monkeypatch.setattr("agreement.answering.solve.solving.answers", lambda *_: 1 / 0)
    ran = lars("solve", "cq.rq", "t.nq", "--in-process", *more)
    *trace, line = ran.err.splitlines()
    assert (ran.code, ran.out, bool(trace)) == (3, "", bool(more))
    assert line.startswith("lars: the run failed: ZeroDivisionError: division by zero (test_exit_codes.py:")


@pytest.mark.parametrize(
    "command",
    [
        "solve cq.rq z.nq --in-process",
        "solve cq.rq t.nq --static z.ttl --in-process",
        "translate z.rq",
        "fmt z.lars",
        "agree z.toml",
        "judge z.json",
        "judge cs.rq t.nq --answers z.json",
        "solve cq.rq t.nq --as z.toml",
        "check cq.rq t.nq --answer z.atoms --at 3",
    ],
)
def test_a_file_without_end_is_one_line(folder, monkeypatch, command):
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    (name,) = [word for word in command.split() if word.startswith("z.")]
    (folder / name).symlink_to("/dev/zero")
    ran = lars(*command.split())
    assert (ran.code, ran.out) == (3, "")
    assert (
        ran.err
        == f"lars: {name}: is longer than 1000 bytes, and is not a regular file; expected a regular file\n"
    )


def test_texts_that_double_name_their_rule(folder):
    doubled = ", ".join(f"?Y{i + 1} := [CONCAT(?Y{i}, ?Y{i})]" for i in range(31))
    (folder / "p.lars").write_text(f"% one\nlong(?Y31) :- [+]^5 <> p(?X), ?Y0 := [STR(?X)], {doubled}.\n")
    (folder / "p.atoms").write_text('1: p("a").\n')
    ran = lars("solve", "p.lars", "p.atoms", "--in-process")
    first, *_ = ran.err.splitlines()
    said = "a text of 33554432 characters is computed; expected at most 16777216, in the rule at p.lars:2:1"
    assert (ran.code, ran.out, first) == (3, "", f"lars: p.lars: {said}")


def test_a_rule_that_needs_too_much_memory_is_named(folder):
    run = started(
        "solve", "many.lars", "many.atoms", "--in-process", "--memory", "256M", stderr=-1, stdout=-1
    )
    out, err = run.communicate(timeout=120)
    said = "the run needs more memory than 256M, most of all for the rule at many.lars:1:1"
    assert (run.returncode, out, err.splitlines()[0]) == (3, "", f"lars: {said}")


@pytest.mark.parametrize("size", ["4", "4K", "100M", "-1G", "lots"])
def test_a_size_of_memory_is_checked(folder, size):
    ran = lars("fmt", "many.lars", f"--memory={size}")
    assert (ran.code, ran.err) == (
        2,
        (
            f'lars: --memory "{size}": not a valid size; use a number with M, G or T, at least 256M, such '
            "as 4G\n"
        ),
    )


def test_a_bound_on_memory_ends_with_its_run(folder):
    before = limit()
    assert lars("fmt", "many.lars", "--memory", "256M").code == 0
    assert limit() == before
    assert lars("solve", "cq.rq", "none.nq", "--memory", "256M").code == 2
    assert limit() == before


# 130, 143


def watches(run):
    """Whether a process has a way of its own to end at SIGTERM."""
    status = Path(f"/proc/{run.pid}/status").read_text(encoding="ascii")
    (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return int(caught, 16) >> (signal.SIGTERM - 1) & 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_at_once_and_leaves_nothing(folder, number):
    """The program is in clingo, which hears no signal, below a folder that is yet unfinished."""
    (folder / "tmp").mkdir()
    code = (
        "import sys; from lars.files import replacement_path; from pathlib import Path\n"
        "from agreement.cli.__main__ import main\n"
        "with replacement_path(Path('kept.txt')): main()"
    )
    command = [sys.executable, "-c", code, "solve", "many.lars", "many.atoms", "--in-process"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    run = subprocess.Popen(command, env=environment, stdout=-1, stderr=-1)
    until = monotonic() + 60
    while monotonic() < until and not (any(folder.glob(".unfinished.*")) and watches(run)):
        sleep(0.05)
    sleep(1)
    run.send_signal(number)
    assert run.communicate(timeout=60) == (b"", b"")
    assert run.returncode == 128 + number
    assert [*(folder / "tmp").iterdir(), *folder.glob(".*")] == []


# names and places


@pytest.mark.parametrize(
    "command",
    [
        f"translate {LONG}.rq",
        f"solve cq.rq {LONG}.nq --in-process",
        f"solve cq.rq t.nq --static {LONG}.ttl --in-process",
        f"solve cq.rq t.nq --as {LONG}.toml",
        f"agree cs.rq {LONG} --in-process",
        f"agree {LONG}",
        f"run {LONG}",
        f"run . --out {LONG}",
        f"judge {LONG}.json",
        f"judge cs.rq t.nq --answers {LONG}",
        f"compare csparql {LONG}.toml cs.rq t.nq",
        f"check cq.rq --answer {LONG} --at 3",
        f"explain {LONG} {LONG} a --at 3",
        f"fmt {LONG}",
        f"generate {LONG}.nq",
    ],
)
def test_a_name_that_no_file_can_have_is_unusable_input(folder, command):
    ran = lars(*command.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("lars: ") == 1
    assert LONG in ran.err


@pytest.fixture
def taken(folder):
    """What must not be replaced by a file: a folder that holds something, and a pipe."""
    (folder / "full").mkdir()
    (folder / "full" / "work.txt").write_text("mine")
    os.mkfifo(folder / "pipe")
    (folder / "bad.nq").write_text(f"{TRACE}bad\n")
    return folder


SKIP = "solve cq.rq bad.nq --in-process --on-error skip --rejected"


@pytest.mark.parametrize("command", [SKIP, "generate --format nquads --overwrite"])
@pytest.mark.parametrize("name", ["full", "pipe"])
def test_folders_and_devices_are_not_replaced_by_files(taken, command, name):
    ran = lars(*command.split(), name)
    assert (ran.code, ran.out) == (2, "")
    assert re.match(f"lars: {name}: (?:is not overwritten|cannot overwrite)", ran.err)
    assert ((taken / "full" / "work.txt").read_text(), (taken / "pipe").is_fifo()) == ("mine", True)


@pytest.mark.parametrize("command", [SKIP, "generate --format nquads --overwrite"])
def test_what_a_link_points_to_is_replaced(taken, command):
    (taken / "there.nq").write_text(SIDE_HEAD)  # only such a file is replaced by skipped lines
    (taken / "link").symlink_to("there.nq")
    assert lars(*command.split(), "link").code == 0
    assert ((taken / "link").is_symlink(), (taken / "there.nq").read_text() == SIDE_HEAD) == (True, False)


# Parquet


def table(**columns):
    return pa.table({"t": [1, 2], "stream": ["x:s"] * 2, "s": ["x:a"] * 2, "p": ["x:p"] * 2} | columns)


def test_a_text_that_is_no_utf_8_is_named_with_its_row(folder):
    raw = pa.array([b"x:b", b"\xff\xfe"])
    text = pa.StringArray.from_buffers(2, raw.buffers()[1], raw.buffers()[2])
    pq.write_table(table(o=text), "bad.parquet")
    ran = lars("solve", "cq.rq", "bad.parquet", "--in-process")
    assert (ran.code, ran.err.split("; expected")[0]) == (
        2,
        "lars: bad.parquet:2:51: the column o has bytes that are not valid UTF-8",
    )


def test_two_columns_of_one_name_are_refused(folder):
    found = table(o=["x:b"] * 2)
    pq.write_table(
        pa.Table.from_arrays([found["t"], *found.columns], ["t", *found.column_names]), "bad.parquet"
    )
    ran = lars("solve", "cq.rq", "bad.parquet", "--in-process")
    assert (ran.code, ran.err.split(";")[0]) == (2, "lars: bad.parquet: two columns t")


def test_a_folder_that_cannot_be_replaced_stays_as_it_was(tmp_path, monkeypatch):
    old = tmp_path / "kept"
    old.mkdir()
    (old / "a.txt").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with (
        pytest.raises(LarsError, match="cannot be written"),
        files.replacement_path(old, folders=True) as new,
    ):
        new.mkdir()
    assert (old / "a.txt").read_text() == "old"
