"""`--origin` is time 0 for NOW() too, in whatever command evaluates a query; printed times lose no digit."""

import json

import pytest

from tests.agreement.command import agree, lars, solve

ORIGIN = ("--origin", "2026-01-01T00:00:00Z")
PLAIN = "SELECT ?s WHERE { STREAM <http://e/S> [RANGE 5s] { ?s <http://e/p> ?o } }"
QUERY = PLAIN.replace("?s WHERE", "?s ?year WHERE").replace("} }", "} BIND(YEAR(NOW()) AS ?year) }")
PULLED = (
    "SELECT ?s ?year FROM STREAM <http://e/S> [RANGE 5s STEP 1s] "
    "WHERE { ?s <http://e/p> ?o BIND(YEAR(NOW()) AS ?year) }"
)


@pytest.fixture
def files(tmp_path):
    for name, text in (("q.rq", QUERY), ("p.rq", PULLED), ("plain.rq", PLAIN)):
        (tmp_path / name).write_text(text)
    (tmp_path / "t.nq").write_text('<http://e/a> <http://e/p> <http://e/o> <http://e/S> "1" .\n')
    return tmp_path


def years(lines):
    return [row["year"]["value"] for line in lines for row in line["rows"]]


def test_solving_counts_from_it(files):
    where = (files / "q.rq", files / "t.nq", *ORIGIN)
    assert years(solve(*where).lines) == ["2026"]
    assert years(lars("solve", *where, "--as", "cqels", "--json").lines) == ["2026"]


def test_what_is_solved_is_explained_and_checked(files):
    where = (files / "q.rq", files / "t.nq")
    found = [lars("explain", *where, "--at", 1, *more, "ans(a, 2026)", "--json") for more in (ORIGIN, ())]
    assert [ran.json["holds"] for ran in found] == [True, False]
    year = '"2026"^^<http://www.w3.org/2001/XMLSchema#integer>'
    derived = f"ans1(<http://e/a>, {year}) ans2(<http://e/o>, <http://e/a>) trigger"
    (files / "answer").write_text(f"1: {derived}.")
    check = [lars("check", *where, "--at", 1, "--answer", files / "answer", *more) for more in (ORIGIN, ())]
    assert [ran.code for ran in check] == [0, 1], check


def test_comparing_and_judging_count_from_it(files):
    found = agree(files / "q.rq", files / "p.rq", files / "t.nq", *ORIGIN, "--period", "1", "--to", "1")
    (interval,) = found.json["periods"][0]["intervals"]
    assert {row["year"]["value"] for row in interval["push"] + interval["pull"]} == {"2026"}
    (files / "answers").write_text(json.dumps({"t": 1, "rows": [{
        "s": {"type": "uri", "value": "http://e/a"},
        "year": {"type": "literal", "value": "2026", "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
    }]}))  # fmt: skip
    how = ("--answers", files / "answers", "--answers-format", "solve", "--no-diagnosis")
    codes = [lars("judge", files / "q.rq", files / "t.nq", *how, *more).code for more in (ORIGIN, ())]
    assert codes == [0, 1]


def test_times_of_thirteen_digits_are_printed_whole(files):
    (files / "t.nq").write_text('<http://e/a> <http://e/p> <http://e/o> <http://e/S> "1577836805001" .\n')
    ran = lars("solve", files / "plain.rq", files / "t.nq", "--unit", "1ms", "--as", "cqels-1.x")
    assert ran.out.splitlines()[1].startswith("1577836805001: ")


@pytest.mark.parametrize("option", ["--trace-unit", "--answers-unit"])
def test_a_wrong_length_of_time_is_said_of_its_own_option(files, option):
    for text in ("0s", "soon"):
        ran = lars("judge", files / "q.rq", files / "t.nq", "--answers", files / "t.nq", option, text)
        assert ran.code == 2
        assert ran.err.startswith(f"lars: {option} ")
