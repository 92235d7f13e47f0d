"""What the README shows is what the program does."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lars.notation import read, write

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


DOOR = ("samples/door/door.lars", "samples/door/door.atoms")


def test_the_program_and_its_stream_are_those_of_the_sample():
    for file, beginning in zip(DOOR, ("% Who is inside", "% time:"), strict=True):
        assert (ROOT / file).read_text() == block(beginning)


def test_the_answer_streams_are_those_that_are_shown():
    ran = lars("solve", *DOOR, "--from", "1", "--to", "3", "--in-process")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, block("1: {@_2"), "")


def test_the_proof_is_the_one_that_is_shown():
    ran = lars("explain", *DOOR, "--at", "4", "guard(bob)")
    assert (ran.returncode, ran.stdout) == (0, block("in answer stream 2 of 2"))


def test_the_claim_is_refuted_as_it_is_shown(tmp_path):
    (tmp_path / "claim.atoms").write_text(block("4: greet(bob)"))
    ran = lars("check", *DOOR, "--at", "4", "--answer", tmp_path / "claim.atoms")
    assert (ran.returncode, ran.stdout.splitlines()[0] + "\n") == (1, block("4: NOT"))
    assert "@_2 greet(ann)" in ran.stdout


def rows(header):
    """Return the cells of each row of the table with this header."""
    lines = TEXT[TEXT.index(header) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def snippets(cell):
    return [found for found in re.findall(r"`([^`]*)`", cell) if "…" not in found]


def in_a_rule(literal):
    """Return the program of one rule that holds the literal, with p for α."""
    text = literal.replace("α", "p") if "α" in literal else literal
    return read(f"ans :- q(X, Y, T, ?v, ?x), {text}.")


@pytest.mark.parametrize("row", rows("| in a body |"), ids=lambda row: row[0])
def test_each_formula_of_the_language_reads_as_its_ascii(row):
    given, plain = snippets(row[0]), snippets(row[1])
    for text, same in zip(given, plain, strict=False):
        assert in_a_rule(text) == in_a_rule(f"{same} α" if same in ("not", "~") else same)
    assert [in_a_rule(text).rules for text in given]


@pytest.mark.parametrize("row", rows("| window |"), ids=lambda row: row[0])
def test_each_window_of_the_language_is_read_and_written(row):
    for text in snippets(row[0]):
        if text.startswith("⊞"):
            numbered = text.replace("l,u,d", "30,0,5")
            program = read(f"p ← {numbered} ◇ q.")
            assert read(write(program)) == read(write(program, ascii=True)) == program


def test_an_rdf_or_csv_line_is_a_stream_of_atoms(tmp_path):
    (cell,) = re.findall(r"columns `t,atom` \(`(.*?)`\)", TEXT)
    (tmp_path / "s.csv").write_text(f"t,atom\n{cell}\n")
    (tmp_path / "p.lars").write_text("gone(X) ← leave(X).")
    ran = lars("solve", "p.lars", "s.csv", "--in-process", "--from", "6", folder=tmp_path)
    assert ran.stdout == "6: {gone(ann)}\n"


def test_a_program_with_its_input_is_a_file_for_clingo(tmp_path):
    ran = lars("translate", "--format", "asp", *DOOR)
    (tmp_path / "file.lp").write_text(ran.stdout)
    command = [sys.executable, "-m", "clingo", "file.lp", "-c", "t=3", "0"]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False).stdout
    assert [shown.count(atom) for atom in ("Answer:", "guard(ann)", "guard(bob)")] == [2, 1, 1]


@pytest.mark.parametrize(("name", "cell"), [("t.nq", 1), ("t.csv", 3)])
def test_each_line_of_a_trace_is_read(tmp_path, name, cell):
    cells = re.findall(r"`(<http://e/ann>.*?|t,stream.*?|17,http.*?)`", TEXT)
    lines = cells[:1] if cell == 1 else cells[1:3]
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "q.rq").write_text("SELECT * { STREAM <http://e/S> [RANGE 3s] { ?s ?p ?o } }")
    ran = lars("solve", "q.rq", name, "--in-process", "--json", folder=tmp_path)
    assert [json.loads(line)["t"] for line in ran.stdout.splitlines()] == [17], ran.stderr


def test_a_query_is_the_same_in_each_of_the_four_languages():
    crowd = ROOT / "samples" / "crowd"
    given = (crowd / "doors.trig", "--static", crowd / "building.ttl", "--in-process", "--mode", "pull")
    options = (*given, "--period", "2", "--to", "12")
    found = {
        lars("solve", crowd / f"query.{language}.rq", *options).stdout
        for language in ("csparql", "cqels", "sparqlstream", "rspql")
    }
    assert len(found) == 1
    assert "6: (2, house)" in found.pop()


def test_each_command_about_queries_does_what_is_said():
    ran = lars(*re.search(r"`lars (translate samples/crowd[^`]*)`", TEXT)[1].split())
    assert (ran.returncode, ran.stdout.count("FROM NAMED WINDOW")) == (0, 2)
    engines = re.search(r"`--strict (.*?) accepts exactly", TEXT)[1]
    for engine in re.findall(r"[\w.-]+\d?(?=`)", engines):
        ran = lars("translate", "samples/crowd/query.csparql.rq", "--strict", engine)
        assert ran.returncode == (0 if engine == "csparql-0.9.7" else 2), engine
