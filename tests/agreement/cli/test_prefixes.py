"""Prefixes of IRIs in tables: from the command line, from Python, from an experiment."""

import pandas as pd
import pytest

from agreement import api
from tests.agreement.command import lars
from tests.packs import SAMPLES

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
    "ex": "found no IRI; expected PREFIX=IRI, such as ex=http://example.org/",
    "ex=e": 'found "e"; expected the IRI of a prefix, an absolute IRI',
    "1=http://e/": "found the prefix '1'; expected PREFIX=IRI, such as ex=http://example.org/",
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
    assert "expected the IRI of a prefix, an absolute IRI" in found.err


BIKES = "time,bike,station\n2026-05-04 08:00:01+00:00,b1,s1\n2026-05-04 08:00:02+00:00,b2,s1\n"
AT = "SELECT ?b ?s WHERE { STREAM <http://e/S> [RANGE 3s] { ?b <http://e/at> ?s } }"
COLUMNS = {"t": "{time}", "s": "ex:{bike}", "ex:at": "ex:{station}"}


def test_columns_of_ones_own_are_explained_on_the_command_line_in_python_and_in_experiments(folder):
    (folder / "bikes.csv").write_text(BIKES)
    (folder / "at.rq").write_text(AT)
    words = [word for part, text in COLUMNS.items() for word in ("--column", f"{part}={text}")]
    prefix = ("--prefix", "ex=http://e/")
    assert lars("solve", "at.rq", "bikes.csv", *words, *prefix).out == (
        "t: (?b, ?s)\n2026-05-04T08:00:01Z: (b1, s1)\n2026-05-04T08:00:02Z: (b1, s1) (b2, s1)\n"
    )
    table = pd.read_csv("bikes.csv", parse_dates=["time"])
    found = api.solve(AT, table, column=COLUMNS, prefix={"ex": "http://e/"})
    assert [len(one.rows) for one in found.answers] == [1, 2]
    columns = "".join(f'"{part}" = "{text}"\n' for part, text in COLUMNS.items())
    head = 'cqels = "at.rq"\nperiod = 3\ntimeline = [0, 6]\n[streams]\n"http://e/S" = "bikes.csv"\n'
    prefixes = '[prefixes]\nex = "http://e/"\n'
    (folder / "experiment.toml").write_text(f"{head}{prefixes}[columns]\n{columns}")
    by_option = lars("agree", "at.rq", "bikes.csv", *words, *prefix, "--period", "3", "--to", "6", "--json")
    assert lars("agree", ".", "--json").out == by_option.out
    (folder / "experiment.toml").write_text(f'{head}{prefixes}[columns."http://e/S"]\n{columns}')
    assert lars("agree", ".", "--json").out == by_option.out
    grid = f"{head}{prefixes}[grid]\nwindow = [3]\n[columns]\n{columns}"
    (folder / "at.rq").write_text(AT.replace("3s", "{window}s"))
    (folder / "experiment.toml").write_text(grid)
    assert lars("agree", ".", "--json").out == by_option.out


def test_a_table_that_nothing_explains_says_how_it_could_be(folder):
    (folder / "bikes.csv").write_text(BIKES)
    found = lars("solve", "cq.rq", "bikes.csv")
    assert (found.code, "or map other columns with options such as --column t={time}, " in found.err) == (
        2,
        True,
    )
    found = lars("solve", "cq.rq", "bikes.csv", "--column", "time")
    assert "--column time: expected PART=TEMPLATE, such as t={time}" in found.err
    with pytest.raises(api.LarsError, match=r"pandas\.DataFrame: no column t, s, p, o among 'time, bike, st"):
        api.solve(QUERY, pd.read_csv("bikes.csv"))


def test_explain_is_asked_with_the_prefixes_as_they_were_given():
    found = lars("agree", SAMPLES / "coupons", "--period", "8", "--prefix", "ex=http://e/")
    assert "--prefix ex=http://e/" in found.out
