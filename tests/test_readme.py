"""What the README shows is what the program does."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text()
BLOCKS = dict(enumerate(re.findall(r"```(\w*)\n(.*?)```", TEXT, re.DOTALL)))


def lars(*arguments, folder=ROOT):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "agreement", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment, check=False, encoding="utf-8"
    )


def block(beginning):
    return next(text for _, text in BLOCKS.values() if text.lstrip().startswith(beginning))


def shortened(text):
    return text.replace("<http://example.org/", ":").replace(">", "")


def test_the_query_becomes_the_rules_that_are_shown(tmp_path):
    (tmp_path / "q.rq").write_text(block("PREFIX : "))
    ran = lars("translate", tmp_path / "q.rq", "--mode", "push", "--unit", "1min")
    rules = {shortened(line) for line in ran.stdout.splitlines()}
    shown = [line for line in block("ans8(").splitlines() if line != "…"]
    assert [line for line in shown if shortened(line) not in rules] == []


def test_the_verdicts_are_those_that_are_shown():
    ran = lars("agree", "samples/coupons", "--period", "4..8", "--in-process")
    table = [line for line in block("push and pull").splitlines() if line.startswith("│") and "…" not in line]
    assert ran.returncode == 1
    assert [line for line in table if line not in ran.stdout] == []


def test_the_hand_written_program_runs(tmp_path):
    (tmp_path / "p.lars").write_text(block("@prefix e:"))
    coupons, near = (f"http://example.org/{n}=samples/coupons/{n}.trig" for n in ("coupons", "locations"))
    options = (
        "--stream",
        coupons,
        "--stream",
        near,
        "--unit",
        "1min",
        "--to",
        "24",
        "--in-process",
        "--json",
    )
    last = json.loads(lars("solve", tmp_path / "p.lars", *options).stdout.splitlines()[-1])
    derived = {atom.partition("(")[0] for atom in last["answer_streams"][0]}
    assert (last["t"], derived) == (24, {"gone", "much"})


@pytest.mark.parametrize(("name", "cell"), [("t.nq", 1), ("t.csv", 3)])
def test_each_line_of_a_trace_is_read(tmp_path, name, cell):
    cells = re.findall(r"`(<http://e/ann>.*?|t,stream.*?|17,http.*?)`", TEXT)
    lines = cells[:1] if cell == 1 else cells[1:3]
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "q.rq").write_text("SELECT * { STREAM <http://e/S> [RANGE 3s] { ?s ?p ?o } }")
    ran = lars("solve", "q.rq", name, "--in-process", "--json", folder=tmp_path)
    assert [json.loads(line)["t"] for line in ran.stdout.splitlines()] == [17], ran.stderr
