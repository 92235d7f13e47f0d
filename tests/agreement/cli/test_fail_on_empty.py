"""An agreement without a row: each command that can find one says so, and fails where that is asked."""

import csv
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.agreement.command import lars

COMMANDS = {
    "agree": ("agree", "."),
    "phase": ("phase", ".", "--length", "4,9", "--assign", "e:S=e:p"),
    "run": ("run", ".", "--out", "results"),
    "compare": ("compare", "csparql", "csparql", "q.rq", "t.nq"),
}


@pytest.fixture(params=["p", "q"], ids=["rows", "no rows"])
def predicate(request, tmp_path, monkeypatch):
    """Write an experiment whose trace has triples with one predicate; the query asks for p."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?s FROM STREAM <e:S> [RANGE 4s STEP 4s] { ?s <e:p> ?o }")
    lines = (f'<e:a> <e:{request.param}> <e:b> <e:S> "{t}" .\n' for t in (4000, 8000))
    (tmp_path / "t.nq").write_text("".join(lines))
    toml_text = 'unit = "1s"\nperiod = 4\ncsparql = "q.rq"\nfiles = "t.nq"\n'
    (tmp_path / "experiment.toml").write_text(f'{toml_text}trace_unit = "1ms"\n')
    return request.param


@pytest.mark.parametrize("command", COMMANDS)
def test_an_agreement_on_nothing_is_said_and_fails_where_that_is_asked(predicate, command):
    more = ("--trace-unit", "1ms") if command == "compare" else ()
    for options, code in (((), 0), (("--fail-on-empty",), 3 if predicate == "q" else 0)):
        found = lars(*COMMANDS[command], *more, *options)
        assert found.code == code, found.err
        assert ("neither side reports a row" in found.out) == (predicate == "q")
        assert ("--fail-on-empty: neither side reports a row" in found.err) == (code == 3)


def test_tables_and_the_page_say_it(predicate, tmp_path):
    empty = predicate == "q"
    lars("run", ".", "--out", "results", "--report", "page.html")
    lars("agree", ".", "--out", "out")
    with Path("results/agreements.csv").open(encoding="utf-8") as file:
        assert {row["empty"].lower() for row in csv.DictReader(file)} == {str(empty).lower()}
    assert set(pq.read_table("out/periods.parquet")["empty"].to_pylist()) == {empty}
    shown = (tmp_path / "page.html").read_text()
    assert ("✓ yes: neither side reports a row" in shown) == empty
    assert ("1 verdict yes (1: neither side reports a row), 0 no." in shown) == empty
    assert (
        lars("compare", "csparql", "csparql", "q.rq", "t.nq", "--trace-unit", "1ms", "--json").json["empty"]
        == empty
    )
