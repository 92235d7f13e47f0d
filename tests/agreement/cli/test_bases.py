"""What relative IRIs in queries are resolved against: BASE, else --base, else the file's own IRI."""

import json
import subprocess
import sys

import pytest

from agreement import api
from agreement.documents.requests import absolute_text
from lars.errors import LarsError
from tests.agreement.command import lars

BASE = "http://example.org/"
PULL = "REGISTER QUERY q AS SELECT ?x FROM STREAM <s> [RANGE 5s STEP 1s] WHERE {?x <p> ?y}"
PUSH = "SELECT ?x WHERE {STREAM <s> [RANGE 5s] {?x <p> ?y}}"
TRACE = "".join(f'<{BASE}{x}> <{BASE}p> <{BASE}b> <{BASE}s> "{t}" .\n' for x, t in ("a1", "c3"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two queries in two folders, each with relative IRIs, and a trace."""
    for name, text in {"one/q.rq": PULL, "two/q.cqels": PUSH, "t.nq": TRACE}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def experiment(folder, base=BASE):
    """Write an experiment of both queries, with a base."""
    text = f'base = "{base}"\ncsparql = "one/q.rq"\ncqels = "two/q.cqels"\nfiles = "t.nq"\nperiod = 1\n'
    (folder / "experiment.toml").write_text(text)


@pytest.mark.parametrize("command", [("agree",), ("shrink",), ("phase", "--period", "1..2")])
def test_queries_of_two_folders_are_compared_on_one_base(command, folder):
    name, *options = command
    ran = lars(name, "one/q.rq", "two/q.cqels", "t.nq", *(options or ["--period", 1]), "--base", BASE)
    assert f"<{folder.as_uri()}" not in ran.out + ran.err
    assert "neither side reports a row" not in ran.out + ran.err


def test_an_experiment_names_its_base(folder):
    experiment(folder)
    asked = lars("agree", "one/q.rq", "two/q.cqels", "t.nq", "--period", 1, "--base", BASE, "--json").json
    assert lars("agree", folder, "--json").json["periods"] == asked["periods"]


def test_a_run_judges_adapters_on_the_base_of_its_experiment(folder):
    engines = '[[engines]]\nname = "x"\nadapter = "lars serve-engine cqels"\nlanguage = "cqels"\n'
    text = f'base = "{BASE}"\ncqels = "two/q.cqels"\nfiles = "t.nq"\n{engines}'
    (folder / "experiment.toml").write_text(text)
    ran = lars("run", folder, "--out", "out")
    assert (ran.code, folder.as_uri() in ran.err) == (0, False)
    assert (folder / "out/verdicts.csv").read_text().count(",True,") == 1


def test_the_base_of_a_command_comes_before_that_of_an_experiment(folder):
    experiment(folder, "http://other.example/")
    ran = lars("decide", folder, "--base", BASE)
    assert "other.example" not in ran.out + ran.err


@pytest.mark.parametrize(
    "command",
    [
        ("solve", "two/q.cqels", "t.nq"),
        ("explain", "two/q.cqels", "t.nq", "--at", "1"),
        ("witness", "two/q.cqels", "--period", "2"),
        ("decide", "two/q.cqels", "three.cqels", "--equivalent"),
    ],
)
def test_each_command_reads_on_the_base_what_is_written_with_absolute_iris(command, folder):
    absolute = PUSH.replace("<s>", f"<{BASE}s>").replace("<p>", f"<{BASE}p>")
    (folder / "three.cqels").write_text(absolute)
    ran = lars(*command, "--base", BASE)
    (folder / "two/q.cqels").write_text(absolute)
    assert (ran.code, ran.out) == lars(*command)[:2]


def test_a_base_in_the_query_comes_first(folder):
    (folder / "one/q.rq").write_text(PULL.replace("AS SELECT", "AS BASE <http://own.example/> SELECT"))
    ran = lars("translate", "one/q.rq", "--base", BASE)
    assert ran.code == 0
    assert "<http://own.example/p>" in ran.out
    assert BASE not in ran.out


@pytest.mark.parametrize("reporter", ["csparql", "csparql-0.9.7"])
def test_engines_and_specifications_read_queries_on_the_base(reporter, folder):
    ran = lars("compare", reporter, "csparql", "one/q.rq", "t.nq", "--base", BASE, "--json")
    assert ran.code in (0, 1), ran.err
    assert f"{folder.as_uri()}" not in ran.out + ran.err


def test_an_adapter_gets_a_query_without_relative_iris(folder):
    adapter = "lars serve-engine cqels"
    ran = lars("record", "two/q.cqels", "t.nq", "--adapter", adapter, "--base", BASE, "--out", "case.json")
    assert ran.code == 0, ran.err
    case = json.loads((folder / "case.json").read_text())
    assert f"STREAM <{BASE}s>" in case["query"]
    assert any(report["rows"] for report in case["output"])


@pytest.mark.parametrize(
    ("written", "resolved"),
    [
        ("PREFIX : <n#> ASK {<s> :p <x:o>}", "PREFIX : <x:a/n#> ASK {<x:a/s> :p <x:o>}"),
        ("BASE <b/> PREFIX : <#> ASK {<s> :p 1}", "BASE <x:a/b/> PREFIX : <x:a/b/#> ASK {<x:a/b/s> :p 1}"),
        (
            "PREFIX : <#> BASE <b/> ASK {<s> :p '<x>'}",
            "PREFIX : <x:a/#> BASE <x:a/b/> ASK {<x:a/b/s> :p '<x>'}",
        ),
    ],
)
def test_a_text_with_absolute_iris_says_the_same(written, resolved):
    assert absolute_text(written, "q", "x:a/") == resolved


def test_python_has_the_same_keyword(folder):
    found = api.agree("one/q.rq", "two/q.cqels", "t.nq", period=1, base=BASE)
    assert not any(folder.as_uri() in warning for warning in found.warnings)
    with pytest.raises(LarsError, match="base='x'"):
        api.agree("one/q.rq", "two/q.cqels", "t.nq", period=1, base="x")


@pytest.mark.parametrize(
    ("base", "said"), [((), "relative IRI without a base; use BASE, or --base"), (("--base", BASE), "a1>")]
)
def test_a_served_engine_reads_relative_iris_on_its_base_or_refuses_them(base, said):
    opened = {"op": "open", "query": PUSH, "static": [], "streams": [f"{BASE}s"], "options": {}}
    triple = f"<{BASE}a1> <{BASE}p> <{BASE}b> ."
    pushed = {"op": "push", "stream": f"{BASE}s", "t": 1, "triple": triple}
    served = [sys.executable, "-m", "agreement.cli", "serve-engine", "cqels", *base]
    lines = "".join(f"{json.dumps(each)}\n" for each in (opened, pushed))
    ran = subprocess.run(served, input=lines, capture_output=True, text=True, check=True)
    assert said in ran.stdout


def test_a_base_is_absolute_and_of_a_query(folder):
    (folder / "p.lars").write_text("a(X) :- b(X).\n")
    for command, said in {
        ("translate", "one/q.rq", "--base", "x"): "--base x: found 'x'",
        ("translate", "p.lars", "--base", BASE): "cannot combine --base with a LARS program",
        ("solve", "p.lars", "t.nq", "--base", BASE): "cannot combine --base with a LARS program",
    }.items():
        ran = lars(*command)
        assert ran.code == 2
        assert said in ran.err
