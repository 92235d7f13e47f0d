"""A trace without an element is a trace where it is said when it ends; elsewhere it is refused."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.agreement.command import lars

EMPTY = {
    "t.nq": "",
    "t.nt": "# nothing\n",
    "t.trig": "",
    "graphs.trig": "@prefix : <http://e/> .\n",
    "t.csv": "",
    "header.csv": "t,stream,s,p,o\n",
    "t.atoms": "",
    "trace": "",
}
CQELS = "SELECT ?x WHERE { STREAM <x:s> [RANGE 5s] { ?x <x:p> ?y } }"
CSPARQL = "SELECT (COUNT(?x) AS ?n) FROM STREAM <x:s> [RANGE 5s STEP 2s] WHERE { ?x <x:p> ?y }"
PAIR = ("cs.rq", "cq.rq")
COMMANDS = {
    "agree": ("agree", *PAIR, "{}", "--period", "2", "--to", "8"),
    "push": ("solve", "cq.rq", "{}", "--mode", "push", "--to", "3"),
    "pull": ("solve", "cs.rq", "{}", "--mode", "pull", "--to", "3"),
    "explain": ("explain", "n.rq", "{}", "--at", "3", "ans1(0)", "--mode", "pull", "--period", "1"),
    "standalone": ("translate", "cq.rq", "{}", "--at", "3", "--format", "asp"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in {**EMPTY, "cq.rq": CQELS, "n.rq": CSPARQL}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "cs.rq").write_text(CSPARQL.replace("(COUNT(?x) AS ?n)", "?x"), encoding="utf-8")
    columns = {name: pa.array([], pa.string()) for name in ("stream", "s", "p", "o")}
    pq.write_table(pa.table({"t": pa.array([], pa.int64()), **columns}), tmp_path / "t.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("trace", [*EMPTY, "t.parquet"])
@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_one_where_its_end_is_given(command, trace, folder):
    ran = lars(*(part.format(trace) for part in COMMANDS[command]))
    assert ran.code == 0, ran


@pytest.mark.parametrize("trace", [*EMPTY, "t.parquet"])
def test_it_is_refused_where_nobody_says_when_it_ends(trace, folder):
    ran = lars("agree", *PAIR, trace, "--period", 2)
    assert (ran.code, "--to" in ran.err) == (2, True), ran


def test_an_experiment_says_it_by_its_timeline(folder):
    text = 'csparql = "cs.rq"\ncqels = "cq.rq"\nfiles = "t.nq"\nperiod = 2\n'
    (folder / "experiment.toml").write_text(text)
    assert lars("agree", ".").code == 2
    (folder / "experiment.toml").write_text(f"{text}timeline = [0, 8]\n")
    assert lars("agree", ".", "--json").json["periods"][0]["agree"] is True
    assert [lars(*one.split()).code for one in ("run .", "phase . --length 1..3", "shrink .")] == [0, 0, 0]


def test_what_differs_without_an_element_is_shrunk_to_nothing(folder):
    text = 'csparql = "n.rq"\nfiles = "t.nq"\nperiod = 2\n[assign]\n"x:s" = ["x:p"]\n'
    (folder / "experiment.toml").write_text(f"timeline = [0, 8]\n{text}")
    assert lars("shrink", ".", "--out", "left").code == 1
    assert (folder / "left/trace.nq").read_text() == ""
    assert lars("agree", "left").code == 1


@pytest.mark.parametrize("trace", ["t.nq", "header.csv", "t.parquet", "t.trig"])
def test_spark_says_the_same_of_it(trace, folder, spark):
    for command in ("agree", "push"):
        given = (part.format(trace) for part in COMMANDS[command])
        ran = lars(*given, "--json", "--master", "local[2]")
        assert (ran.code, "refused" in ran.err) == (0, False), ran
