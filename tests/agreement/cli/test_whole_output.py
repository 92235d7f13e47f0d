"""What fails after others were printed: no document that looks whole, no half of one without a word."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agreement.cli.app import print_parts, stream_lines
from agreement.cli.ending import UNFINISHED
from agreement.comparing.agree import agreeing
from tests.agreement.command import lars

AGREE = ("samples/crowd", "--in-process")
ROOT = Path(__file__).parents[3]


def failing_at(count):
    """Yield lines, then fail as nobody foresaw."""
    yield from map(str, range(count))
    raise ValueError("in the middle")


def test_what_is_made_whole_prints_nothing_if_a_part_of_it_fails(capsys):
    with pytest.raises(ValueError, match="middle"):
        print_parts(failing_at(3))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("option", [(), ("--json",), ("--full",)])
def test_a_proof_that_fails_leaves_no_half_of_a_report(option, monkeypatch):
    monkeypatch.setattr(agreeing.VariantReport, "supports", lambda *_: 1 / 0)
    ran = lars("agree", *AGREE, *option)
    assert (ran.code, ran.out) == (3, "")
    assert "ZeroDivisionError" in ran.err


@pytest.mark.parametrize(("count", "left"), [(0, []), (2, ["0", "1", UNFINISHED])])
def test_what_is_printed_as_it_is_made_ends_in_a_line_that_says_it_is_not_all(count, left, capsys):
    with pytest.raises(ValueError, match="middle"):
        stream_lines(failing_at(count))
    assert capsys.readouterr().out.splitlines() == left


def test_the_line_that_says_it_is_not_all_is_no_json():
    with pytest.raises(json.JSONDecodeError):
        json.loads(UNFINISHED)


ENDLESS = (
    "from itertools import count; from time import sleep; from agreement.cli import ending\n"
    "from agreement.cli.app import stream_lines\n"
    "ending.watch(); stream_lines(sleep(0.01) or str(n) for n in count())"
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_amid_answers_leaves_a_last_line_that_says_so(number):
    run = subprocess.Popen([sys.executable, "-c", ENDLESS], cwd=ROOT, stdout=-1, text=True)
    begun = run.stdout.readline()
    run.send_signal(number)
    assert (begun, run.communicate(timeout=60)[0].splitlines()[-1]) == ("0\n", UNFINISHED)
    assert run.returncode == 128 + number


@pytest.mark.parametrize("name", ["t.nq", "./t.nq", "u.nq", "q.rq"])
def test_skipped_lines_do_not_replace_an_input(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    texts = {
        "q.rq": "SELECT ?x WHERE { STREAM <x:s> [RANGE 5s] { ?x <x:p> ?y } }",
        "t.nq": '# a comment\n<x:a> <x:p> <x:b> <x:s> "1" .\nno line\n',
        "u.nq": "",
    }
    for file, text in texts.items():
        Path(file).write_text(text)
    found = lars("solve", "q.rq", "t.nq", "u.nq", "--on-error", "skip", "--rejected", name)
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert f"--rejected {Path(name)}: found a file " in found.err
    assert {file: Path(file).read_text() for file in texts} == texts


def test_skipped_lines_replace_those_of_the_run_before(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q.rq").write_text("SELECT ?x WHERE { STREAM <x:s> [RANGE 5s] { ?x <x:p> ?y } }")
    Path("t.nq").write_text('<x:a> <x:p> <x:b> <x:s> "1" .\nno line\n')
    for _ in range(2):
        asked = ("solve", "q.rq", "t.nq", "--on-error", "skip", "--rejected", "side")
        assert lars(*asked).code == 0
    assert Path("side").read_text().endswith("\nno line\n")


def test_skipped_lines_replace_no_file_that_begins_with_a_comment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q.rq").write_text("SELECT ?x WHERE { STREAM <x:s> [RANGE 5s] { ?x <x:p> ?y } }")
    Path("t.nq").write_text('<x:a> <x:p> <x:b> <x:s> "1" .\nno line\n')
    Path("notes.md").write_text("# My notes\nprecious\n")
    found = lars("solve", "q.rq", "t.nq", "--on-error", "skip", "--rejected", "notes.md")
    assert (found.code, "--rejected notes.md: found a file with something else" in found.err) == (2, True)
    assert Path("notes.md").read_text() == "# My notes\nprecious\n"


@pytest.mark.parametrize(
    "options",
    [
        ("--junit", "known", "--known", "known"),
        ("--junit", "x.html", "--report", "./x.html"),
        ("--junit", "push.rq"),
        ("--report", "t.html"),
        ("--junit", "side", "--on-error", "skip", "--rejected", "side"),
    ],
)
def test_a_file_that_is_written_is_used_once(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    where = "{ ?x <x:p> ?y }"
    texts = {
        "pull.rq": f"REGISTER QUERY q AS SELECT ?x FROM STREAM <x:s> [RANGE 5s STEP 5s] WHERE {where}",
        "push.rq": f"SELECT ?x WHERE {{ STREAM <x:s> [RANGE 5s] {where} }}",
        "t.html": '<x:a> <x:p> <x:b> <x:s> "1" .\n',
        "t.nq": '<x:a> <x:p> <x:b> <x:s> "1" .\n',
        "known": "a known failure\n",
        "experiment.toml": 'csparql = "pull.rq"\ncqels = "push.rq"\nfiles = ["t.nq"]\nperiod = 5\n'
        '[static]\ndefault = ["t.html"]\n',
    }
    for file, text in texts.items():
        Path(file).write_text(text)
    found = lars("agree", "experiment.toml", "--in-process", *options)
    assert (found.code, ": the command uses this file already" in found.err) == (2, True)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == texts


def test_a_device_is_no_file_that_is_used_twice():
    # Nothing overwrites a device: this is the message, also if an option reads the device.
    found = lars("agree", "samples/slide", "--in-process", "--known", "/dev/null", "--junit", "/dev/null")
    assert (found.code, found.err.splitlines()[-1]) == (
        2,
        "lars: /dev/null: is not overwritten: it is a device or pipe; expected the name of a file",
    )
