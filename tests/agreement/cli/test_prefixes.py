"""Prefixes of IRIs in tables: from the command line, from Python, from an experiment."""

import pandas as pd
import pytest

from agreement import api
from tests.agreement.command import lars

QUERY = "SELECT ?s WHERE { STREAM <http://e/S> [RANGE 3s] { ?s <http://e/p> ?o } }"
PULLED = "SELECT ?s FROM STREAM <http://e/S> [RANGE 3s STEP 3s] WHERE { ?s <http://e/p> ?o }"
TABLE = pd.DataFrame({"t": [2], "stream": ["ex:S"], "s": ["ex:a"], "p": ["ex:p"], "o": [30]})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cq.rq").write_text(QUERY)
    (tmp_path / "cs.rq").write_text(PULLED)
    TABLE.to_parquet("t.parquet")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_command_line_and_python_say_what_prefixes_mean():
    assert lars("solve", "cq.rq", "t.parquet", "--prefix", "ex=http://e/").out == "t: (?s)\n2: (a)\n"
    found = api.solve(QUERY, TABLE, prefix={"ex": "http://e/"})
    assert [one.rows for one in found.answers] == [(("<http://e/a>",),)]


def test_an_experiment_has_prefixes_too(folder):
    keys = 'csparql = "cs.rq"\nfiles = "t.parquet"\nperiod = 3\nunit = "1s"\ntimeline = [0, 6]\n'
    (folder / "experiment.toml").write_text(keys + 'prefixes = { ex = "http://e/" }\n')
    found = lars("agree", ".", "--json")
    by_option = lars("agree", "cs.rq", "t.parquet", "--prefix", "ex=http://e/", *WHEN)
    assert found.json["periods"] == by_option.json["periods"]
    assert "no query reads" not in found.err
    (folder / "experiment.toml").write_text(keys + 'prefixes = { ex = "http://other/" }\n')
    assert "no query reads the stream <http://other/S>" in lars("agree", ".").err
    assert "no query reads" not in lars("agree", ".", "--prefix", "ex=http://e/").err


WHEN = ("--period", "3", "--unit", "1s", "--from", "0", "--to", "6", "--json")
WRONG = {
    "ex": "found ''; accepted: an absolute IRI",
    "ex=e": "found 'e'; accepted: an absolute IRI",
    "1=http://e/": "found the prefix '1'; accepted: PREFIX=IRI, as ex=http://example.org/",
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("given", WRONG)
def test_what_is_no_prefix_is_refused(given):
    found = lars("solve", "cq.rq", "t.parquet", "--prefix", given)
    assert found.code == 2
    assert f"--prefix {given}: {WRONG[given]}" in found.err


def test_a_wrong_prefix_of_an_experiment_has_its_place(folder):
    (folder / "experiment.toml").write_text(
        'csparql = "cs.rq"\nfiles = "t.parquet"\nprefixes = { ex = "e" }\n'
    )
    found = lars("agree", ".")
    assert found.code == 2
    assert "experiment.toml:3:" in found.err
    assert "accepted: a table of prefixes and absolute IRIs" in found.err
