"""`lars compare` as it is called: cases, and one message for each malformed call."""

import json

import pytest

from tests.agreement.command import lars
from tests.agreement.comparing.compare.profiles import IN_MS, write

CASE = {
    "id": "mine",
    "engine": "csparql-0.9.7",
    "mode": "external",
    "family": "1-window",
    "query": "REGISTER QUERY q AS PREFIX : <http://e/> SELECT ?s FROM STREAM :S [RANGE 3s STEP 1s] "
    "WHERE { ?s :p ?o }",
    "stream": [
        {"t": t, "stream": "http://e/S", "triple": f"<http://e/{s}> <http://e/p> <http://e/o> ."}
        for s, t in (("a", 1500), ("b", 2000), ("c", 5500))
    ],
    "output": [],
}
CALLS = {
    "compare": ("missing argument", "ENGINE"),
    "compare csparql cqels": ("missing input", "QUERY", "*.json"),
    "compare csparql sql cs.rq t.nq": ("'sql'", "csparql-0.9.7"),
    "compare none.toml csparql cs.rq t.nq": ("none.toml", "no such file"),
    "compare csparql cqels cs.rq": ("missing a trace",),
    "compare csparql cqels none.rq t.nq": ("none.rq",),
    "compare csparql cqels cs.rq none.nq": ("none.nq",),
    "compare csparql cqels none.json": ("none.json", "no such file"),
    "compare csparql cqels case.json t.nq": ("t.nq", "*.json"),
    "compare csparql cqels empty": ("empty", "*.json"),
    "compare csparql cqels case.json --unit 1s": ("--unit", "a recorded case"),
    "compare csparql cqels case.json --sort --origin 2026-01-01T00:00:00Z": (
        "cannot combine --origin and --sort with a recorded case",
    ),
    "compare csparql cqels case.json --on-error skip --rejected r": (
        "cannot combine --on-error and --rejected with a recorded case",
    ),
    "compare csparql cqels bad.json": ("bad.json:1:",),
    "compare csparql cqels-1.x case.json": ("case.json", "CQELS"),
    "compare csparql cqels-1.x cs.rq t.nq": ("cqels",),
    "compare rsp-js-1.3.5 csparql cs.rq t.nq": ("rsp-js-1.3.5 cannot run", "rspql"),
    "compare csparql cqels cs.rq other.rq t.nq": ("other.rq", "?x", "?s"),
    "compare csparql-0.9.7 csparql-0.9.7 cs.rq t.nq --t0 3": ("--t0", "specification"),
    "compare csparql-0.9.7 csparql-0.9.7 cs.rq t.nq --bounds closed": ("--bounds", "specification"),
    "compare csparql cqels cs.rq t.nq --t0 -1": ("--t0 -1", "a time point from 0"),
    "compare csparql cqels cs.rq t.nq --tolerance 2": ("--tolerance", "1"),
    "compare csparql cqels cs.rq t.nq --bounds shut": ("--bounds", "high-open"),
    "compare csparql cqels plain.rq t.nq": ("reads no stream",),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_malformed_call_is_one_message(tmp_path, monkeypatch, call):
    write(tmp_path, other="SELECT ?x FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?x :p ?o }")
    (tmp_path / "case.json").write_text(json.dumps(CASE))
    (tmp_path / "bad.json").write_text('{"id": ')
    (tmp_path / "plain.rq").write_text("SELECT ?s WHERE { ?s <x:p> ?o }")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    units = () if ".json" in call or call.endswith("empty") else IN_MS
    found = lars(*call.split(), *units)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("lars: ")
    assert all(part.lower() in found.err.lower() for part in CALLS[call]), found.err


def test_cases_are_compared_one_by_one(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(CASE))
    (tmp_path / "b.json").write_text(json.dumps(CASE | {"id": "other", "stream": CASE["stream"][:1]}))
    found = lars("compare", "csparql", "csparql-0.9.7", tmp_path, "--json")
    assert (found.code, found.json["same"]) == (1, False)
    assert [(one["id"], one["same"]) for one in found.json["cases"]] == [("mine", False), ("other", True)]
    assert found.json["cases"][0]["needed_rules"] == ["W3a", "W3b"]


def test_cases_are_summed_up_in_words(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(json.dumps(CASE | {"id": name}))
    found = lars("compare", "csparql", "csparql-0.9.7", tmp_path)
    assert "the same in 0 of 2 cases; explained by: W3a in 2, W3b in 2" in found.out


def test_a_query_that_expects_another_stream_is_warned_of(tmp_path):
    folder = write(tmp_path, mine="SELECT ?s FROM STREAM :R [RANGE 3s STEP 1s] WHERE { ?s :p ?o }")
    found = lars("compare", "csparql", "csparql-0.9.7", folder / "mine.rq", folder / "t.nq", *IN_MS)
    assert "no element of the stream <http://e/R>" in found.err


def test_pushes_that_go_back_are_warned_of_once(tmp_path):
    folder = write(tmp_path)
    lines = (folder / "t.nq").read_text()
    (folder / "t.nq").write_text(lines + lines.replace("e/S", "e/R"))
    paths = (folder / "cs.rq", folder / "t.nq")
    found = lars("compare", "csparql", "csparql-0.9.7", *paths, *IN_MS)
    assert found.err.count("push 3 has an earlier time") == 1
