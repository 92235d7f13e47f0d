"""Unusable input of every kind: one message that says where, what was found and what is accepted."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agreement.cli.malformed import CASES, GOOD, MORE, Case
from tests.agreement.command import lars
from tests.packs import ROOT

PLACE = re.compile(r"lars: [^\n]+?:\d+:\d+: ")


ACCEPTED = re.compile(
    r"accepted|expected|\buse\b|requires?|must be|cannot combine|covered|to evaluate without input"
    "|choose|write|are written in|give|name one|literal binds|no such|no time point"
    "|does not exist|do not return|name fewer|say which|invalid TOML|no Parquet|cannot be written"
    "|nested more than|is not a valid character|has no @|each time|cannot be read|twice|32 bit"
    "|stand in|can stand|has no|did you mean"
)


def write(folder: Path, case: Case) -> None:
    for name, content in (GOOD | MORE | ({case.file: case.content} if case.file else {})).items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)


def arguments(case: Case) -> list[str]:
    words = case.command.split()
    return [*words, "--in-process"] if words[0] in ("solve", "agree") else words


def check(code: int, out: str, err: str, case: Case) -> None:
    assert (code, out) == (2, "")
    assert err.startswith("lars: ")
    assert re.findall("(?m)^lars: |^warning: |Traceback|Usage:", err) == ["lars: "]
    assert ACCEPTED.search(err), err
    assert [text for text in case.says if text not in err] == [], err


@pytest.mark.parametrize("name", CASES)
def test_an_unusable_input_gives_exit_code_2_and_one_message(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, CASES[name])
    check(*lars(*arguments(CASES[name])), CASES[name])


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.placed])
def test_a_message_about_a_text_begins_with_its_place_and_shows_the_line(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, CASES[name])
    err = lars(*arguments(CASES[name])).err
    assert PLACE.match(err), err
    path, number, _ = err.removeprefix("lars: ").split(":", 2)
    text = Path(path).read_bytes()
    # Of an empty line, there is nothing to show.
    is_empty = not text.split(b"\n")[int(number) - 1].strip()
    assert bool(re.fullmatch(r" *\^", err.splitlines()[-1])) is not is_empty, err


@pytest.mark.parametrize(
    "name",
    ["a period of zero", "a time that is none", "unknown bounds on the command line", "nothing to compare"],
)
def test_the_installed_command_says_the_same(name, tmp_path):
    write(tmp_path, CASES[name])
    code = "from agreement.cli.__main__ import main; main()"
    command = [sys.executable, "-c", code, *arguments(CASES[name])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    check(ran.returncode, ran.stdout, ran.stderr, CASES[name])


def test_a_warning_does_not_come_before_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    slide = "SELECT ?x WHERE { STREAM <x:s> [RANGE 5s SLIDE 2s] { ?x <x:p> ?y } }"
    write(tmp_path, Case("", (), "cq.rq", slide))
    assert lars("solve", "cq.rq", "none.nq", "--in-process").err.startswith("lars: none.nq")
