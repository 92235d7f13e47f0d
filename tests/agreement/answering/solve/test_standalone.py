"""`lars translate QUERY TRACE --format asp`: a file that plain clingo runs to our answers."""

import re
import subprocess
import sys
import tomllib

import clingo
import pytest

from solver.pointwise.asp_terms import text_of
from tests.agreement.command import lars
from tests.packs import SAMPLES

QUERIES = sorted(SAMPLES.glob("*/query.*.rq"))


def options(folder):
    """Return the options that say what the sample's experiment says."""
    said = tomllib.loads((folder / "experiment.toml").read_text())
    static = said.get("static", [])
    yield from ("--unit", said["unit"])
    for iri, file in said["streams"].items():
        yield from ("--stream", f"{iri}={folder / file}")
    for file in [static] if isinstance(static, str) else static:
        yield from ("--static", folder / file)


def by_clingo(file, t):
    """Return the rows that clingo shows in the only answer set of a file, and what it says besides."""
    said = []
    control = clingo.Control(["-c", f"t={t}", "0"], logger=lambda _, message: said.append(message))
    control.load(str(file))
    control.ground()
    with control.solve(yield_=True) as models:
        (rows,) = [[tuple(map(text_of, atom.arguments)) for atom in m.symbols(shown=True)] for m in models]
    return set(rows), said


def by_us(query, mode):
    """Return the rows of each evaluation time, each term as its text; null is an unbound variable."""
    ran = lars("solve", query, *options(query.parent), *mode, "--in-process", "--json")
    return {line["t"]: line["rows"] for line in ran.lines}


def term(binding):
    if binding is None:
        return "null"
    if binding["type"] != "literal":
        return f"<{binding['value']}>" if binding["type"] == "uri" else f"_:{binding['value']}"
    language, datatype = binding.get("xml:lang"), binding.get("datatype")
    suffix = f"@{language}" if language else f"^^<{datatype}>" if datatype else ""
    return f'"{binding["value"]}"{suffix}'


def as_tuples(rows):
    names = sorted({name for row in rows for name in row})
    return {tuple(term(row.get(name)) for name in names) for row in rows}


@pytest.mark.parametrize("mode", [("--mode", "push"), ("--mode", "pull")], ids=" ".join)
@pytest.mark.parametrize("query", QUERIES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_file_of_every_sample_gives_our_rows_at_every_time(query, mode, tmp_path):
    period = ("--period", "3") if "pull" in mode else ()
    ran = lars("translate", query, *options(query.parent), *mode, *period, "--format", "asp")
    (tmp_path / "file.lp").write_text(ran.out)
    ours = by_us(query, (*mode, *period))
    last = int(re.search(r"timeline\(0,(\d+)\)", ran.out)[1])
    for t in range(last + 1):
        found, said = by_clingo(tmp_path / "file.lp", t)
        assert (found, said) == (as_tuples(ours.get(t, [])), [])


def test_the_command_of_clingo_runs_the_file(tmp_path):
    query = SAMPLES / "coupons" / "query.cqels.rq"
    (tmp_path / "c.lp").write_text(lars("translate", query, *options(query.parent), "--format", "asp").out)
    command = [sys.executable, "-m", "clingo", str(tmp_path / "c.lp"), "-c", "t=18"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.stdout.count("ans1("), ran.stderr) == (1, "")


def program(tmp_path, text, trace):
    (tmp_path / "p.lars").write_text(text)
    (tmp_path / "s.atoms").write_text(trace)
    return lars("translate", tmp_path / "p.lars", tmp_path / "s.atoms", "--format", "asp")


def test_a_program_of_several_answer_streams_has_as_many_answer_sets(tmp_path):
    ran = program(tmp_path, "p(X) ← ⊞^{#1 choose} ◇ f(X). t ← p(t). @_0 q ← t.", "1: f(t) f(b).")
    assert "#const t1=1." in ran.out
    (tmp_path / "file.lp").write_text(ran.out)
    control = clingo.Control(["0", "--project=show"])
    control.load(str(tmp_path / "file.lp"))
    control.ground()
    with control.solve(yield_=True) as models:
        shown = sorted(sorted(map(str, m.symbols(shown=True))) for m in models)
    assert shown == [["p(b)"], ["p(t)", "q(0)", "t"]]


def test_the_file_may_be_for_hundreds_of_time_points(tmp_path):
    (tmp_path / "all.lp").write_text(program(tmp_path, "p(X) ← ⊞^3 ◇ f(X).", "0: f(a).\n300: f(b).").out)
    assert [by_clingo(tmp_path / "all.lp", t)[0] for t in (3, 4, 300)] == [{("a",)}, set(), {("b",)}]


def test_arithmetic_that_leaves_32_bit_is_shown(tmp_path):
    ran = program(tmp_path, "p(Y) ← f(X), Y = X * X.", "1: f(100000) f(2).")
    (tmp_path / "file.lp").write_text(ran.out)
    control = clingo.Control()
    control.load(str(tmp_path / "file.lp"))
    control.ground()
    with control.solve(yield_=True) as models:
        assert any("wrapped'0" in map(str, m.symbols(shown=True)) for m in models)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--format", "lars"), "use --format asp or sql"),
        (("--format", "asp", "--at", "x"), "--at x: expected a time point"),
        (("--format", "asp", "--engine", "cqels"), "the input contains 4 queries"),
    ],
)
def test_what_a_file_cannot_be_made_of_is_one_message(arguments, words):
    query = SAMPLES / "coupons" / "query.csparql.rq"
    ran = lars("translate", query, *options(query.parent), *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
