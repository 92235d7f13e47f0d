"""RSTREAM, ISTREAM and DSTREAM in what `lars solve` prints."""

import json

import pytest

from tests.agreement.command import solve

QUERY = """PREFIX : <http://e/>
SELECT {} ?x FROM NAMED STREAM <http://e/s> [NOW - 2 S SLIDE 1 S] {{ ?x :p ?y }}"""
TRACE = "".join(
    f'<http://e/{name}> <http://e/p> <http://e/o> <http://e/s> "{t}" .\n'
    for name, t in (("a", 1), ("b", 2), ("a", 4))
)
REPORTED = {
    "RSTREAM": ["a", "a b", "a b", "a b", "a", "a", ""],
    "ISTREAM": ["a", "b", "", "", "", "", ""],
    "DSTREAM": ["", "", "", "", "b", "", "a"],
}


def reported(operator, folder, *options):
    (folder / "q.rq").write_text(QUERY.format(operator))
    (folder / "t.nq").write_text(TRACE)
    ran = solve(folder / "q.rq", folder / "t.nq", "--to", "7", "--period", "1", *options)
    lines = map(json.loads, ran.out.splitlines())
    return [" ".join(row["x"]["value"][9:] for row in line["rows"]) for line in lines]


@pytest.mark.parametrize("operator", REPORTED)
def test_each_operator_reports_what_it_says(operator, tmp_path):
    assert reported(operator, tmp_path, "--from", "1") == REPORTED[operator]


def test_what_is_new_is_so_since_the_evaluation_before_the_first_that_is_shown(tmp_path):
    assert reported("ISTREAM", tmp_path, "--from", "2") == REPORTED["ISTREAM"][1:]


@pytest.mark.parametrize("operator", ["ISTREAM", "DSTREAM"])
def test_only_one_evaluation_before_the_first_that_is_shown_is_computed(operator, tmp_path):
    late = 10**15
    (tmp_path / "q.rq").write_text(QUERY.format(operator))
    (tmp_path / "t.nq").write_text(f'<http://e/a> <http://e/p> <http://e/o> <http://e/s> "{late + 1}" .\n')
    times = ("--from", str(late + 1), "--to", str(late + 4), "--origin", "1970-01-01T00:00:00Z")
    # Each multiple of the period from 0 on would need petabytes.
    ran = solve(
        tmp_path / "q.rq", tmp_path / "t.nq", "--period", "1", "--unit", "1s", "--memory", "1G", *times
    )
    rows = [len(json.loads(line)["rows"]) for line in ran.out.splitlines()]
    assert rows == {"ISTREAM": [1, 0, 0, 0], "DSTREAM": [0, 0, 0, 1]}[operator]
