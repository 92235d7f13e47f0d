"""`lars export --to ticker`: its answers are those of `lars solve --json`, or it is refused by name."""

import json
import re
import tomllib

import pytest

from tests.agreement.answering.export.ticker_runs import ran, read_back, ticker_output
from tests.agreement.answering.solve.test_standalone import options
from tests.agreement.command import lars
from tests.packs import SAMPLES

REFUSED = {
    ("crowd", "push"): "?people := COUNT(DISTINCT ?who) of",
    ("crowd", "pull"): "?people := COUNT(DISTINCT ?who) of",
    ("slide", "push"): "the window ⊞^{3,0,3}",
    ("rooms", "push"): "the window ⊞^{10,0,10}",
    ("rooms-self", "push"): "the window ⊞^{3,0,3}",
}
QUERIES = sorted(SAMPLES.glob("*/query.c*.rq"))


def asked(query, mode):
    """Return a sample's query with the options of its experiment."""
    found = (query, *options(query.parent), "--mode", mode)
    period = tomllib.loads((query.parent / "experiment.toml").read_text())["period"]
    return (*found, "--period", str(period)) if mode == "pull" else found


@pytest.mark.parametrize(("mode", "reasoner"), [("push", "clingo"), ("pull", "incremental")])
@pytest.mark.parametrize("query", QUERIES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_sample_has_the_same_rows_in_ticker_or_is_refused_by_name(query, mode, reasoner, tmp_path):
    out = tmp_path / "out"
    done = lars("export", *asked(query, mode), "--to", "ticker", "--reasoner", reasoner, "-o", out)
    if construct := REFUSED.get((query.parent.name, mode)):
        assert (done.code, out.exists()) == (2, False)
        assert f"cannot express {construct}" in done.err
        return
    found = read_back(out, ticker_output(out))
    assert found.out == lars("solve", *asked(query, mode), "--in-process", "--json").out


EXPORT_ALONE = {
    "--reasoner",
    "clingo",
    "incremental",
    "--overwrite",
    "--clock",
    "50ms",
    "250ms",
    "1s",
    "4s",
    "16s",
}


@pytest.fixture
def exported(tmp_path):
    """Return what exports a program with atoms to a folder, and what `lars solve --json` says of it."""

    def run(program, atoms, *more):
        (tmp_path / "p.lars").write_text(program)
        (tmp_path / "s.atoms").write_text(atoms)
        inputs = (tmp_path / "p.lars", tmp_path / "s.atoms")
        given = [one for one in more if one not in EXPORT_ALONE]
        solved = lars("solve", *inputs, *given, "--in-process", "--json").out
        return (
            lars("export", *inputs, "--to", "ticker", "-o", tmp_path / "out", *more),
            tmp_path / "out",
            solved,
        )

    return run


ATOMS = "1: f(a) f(3) e.\n2: f(4) g(a, b).\n4: e f(a).\n6: f(3).\n"
PROGRAMS = (
    ("p(X) ← ⊞^2 ◇ f(X), not g(X, b). ← ⊞^1 □ e, ⊞^3 ◇ f(4).", "clingo"),
    ("p(X) ← ⊞^3 ◇ f(X), [?X > 3]. q(Y) ← f(X), Y := [STR(X)].", "clingo"),
    ("@_T q ← ⊞^3 @_T e. @_T r(X) ← ⊞^2 @_T f(X), T mod 2 = 0. s(X) ← ⊞^#2 ◇ f(X).", "clingo"),
    ("@_T q ← ⊞^3 @_T e. r(X, T) ← ⊞^2 @_T f(X), T mod 2 = 0. s(X) ← ⊞^#1 ◇ f(X).", "incremental"),
    ("k(a). k(X) ← f(X), X > 3. p(X) ← ⊞^2 ◇ k(X), not e. t(U) ← ⊞^4 @_T e, U = T + 2.", "incremental"),
    ("p(X) ← ⊞^3 ◇ f(X), not ⊞^3 @_2 g(X, Y), g(Z, Y). r ← not p(a).", "incremental"),
)


@pytest.mark.parametrize(("program", "reasoner"), PROGRAMS)
def test_programs_have_the_same_answer_streams(exported, program, reasoner):
    done, out, solved = exported(program, ATOMS, "--reasoner", reasoner)
    assert done.code == 0, done.err
    assert read_back(out, ticker_output(out)).out == solved


@pytest.mark.parametrize("reasoner", ["clingo", "incremental"])
def test_run_sh_gives_each_line_at_its_time_and_looks_at_each_time(exported, reasoner):
    program = "@_T q ← ⊞^3 @_T e. r(X) ← f(X), not q. s(X) ← ⊞^#2 ◇ f(X). ← f(4)."
    _, out, solved = exported(program, ATOMS, "--reasoner", reasoner, "--clock", "250ms")
    done = ran(out)
    for clock in ("1s", "4s", "16s"):
        if done.returncode:  # a machine that has other things to do: no answer, and never a wrong one
            assert "too slow for its clock" in done.stderr
            exported(program, ATOMS, "--reasoner", reasoner, "--clock", clock, "--overwrite")
            done = ran(out)
    assert (done.returncode, done.stderr) == (0, "")
    assert read_back(out, done.stdout).out == solved


@pytest.mark.parametrize("line", [0, 1, 2])
def test_run_sh_prints_what_came_and_the_clock_it_needs_where_ticker_is_too_slow(exported, line):
    _, out, _ = exported("p(X) ← ⊞^2 ◇ f(X).", ATOMS, "--clock", "250ms")
    whole = ran(out).stdout
    done = ran(out, LATE=str(line))
    told = re.search(r"no answer at (\d) after \d+ms; use lars export --clock (\d+)ms", done.stderr)
    assert (done.returncode, bool(told)) == (1, True)
    assert int(told[2]) >= 500
    assert done.stdout == "".join(x for x in whole.splitlines(keepends=True) if int(x[0]) < int(told[1]))
    assert "no answer for the time" in read_back(out, done.stdout).err


def test_run_sh_says_that_ticker_ended(exported):
    _, out, _ = exported("p(X) ← ⊞^2 ◇ f(X).", ATOMS)
    (out / "program.lars").write_text("p(X) :- ")
    done = ran(out)
    assert (done.returncode, done.stdout) == (1, "")
    assert "run.sh: Ticker ended before it had answered at 0" in done.stderr


def test_what_a_window_shows_counts_in_the_clock_that_is_chosen(exported):
    done, out, solved = exported("p ← ⊞^3 ◇ e.", ATOMS, "--unit", "1min", "--clock", "50ms")
    assert done.code == 0, done.err
    assert "p :- e [150 msec]." in (out / "program.lars").read_text().splitlines()
    assert "--clock 50ms" in (out / "run.sh").read_text()
    assert read_back(out, ticker_output(out)).out == solved


def test_the_files_are_a_line_a_time_point_and_a_legend(exported):
    _, out, _ = exported("p(X) ← ⊞^3 ◇ f(X).", ATOMS)
    assert sorted(path.name for path in out.iterdir()) == [
        "legend.json",
        "program.lars",
        "run.sh",
        "stream.txt",
    ]
    lines = (out / "stream.txt").read_text().split("\n")
    assert lines == ["start", "f(1000000000);f(3)", "f(4)", "", "f(1000000000)", "", "f(3)", ""]
    legend = json.loads((out / "legend.json").read_text())
    assert legend["terms"] == {"1000000000": "a"}
    assert legend["names"] == {"p": {"predicate": "p", "arity": 1, "timed": False}}
    assert '"$TICKER"' in (out / "run.sh").read_text()
    assert (out / "run.sh").stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("", "no answer for the time 0; expected the output of run.sh of an export"),
        (
            "1s (t=1): Set(p(1000000009))\n",
            ":1:1: found the number 1000000009; expected a number that the file legend.json contains",
        ),
        (
            "1s (t=1): p(1)\n",
            ":1:1: found no set of atoms; expected atoms such as Set(p(1), q), or - if no atom holds",
        ),
        ("1s (t=1): Set(p)\n", ":1:1: found p with 0 arguments; expected 1, as in the file legend.json"),
        ("1s (t=1): Set(p(3,4))\n", ":1:1: found p with 2 arguments; expected 1"),
        ("1s (t=1): Set(p(x))\n", ":1:1: found 'p(x)'; expected atoms such as p(1,2), q"),
    ],
)
def test_an_output_that_is_none_is_one_message(exported, output, said):
    _, out, _ = exported("p(X) ← ⊞^3 ◇ f(X).", ATOMS)
    done = read_back(out, output)
    assert (done.code, done.out, said in done.err) == (2, "", True), done.err


def test_what_ticker_lacks_is_refused_with_its_place(exported):
    done, out, _ = exported("p(X) ← f(X), [?X > 3].\nq(X) ← ⊞^∞ ◇ f(X).", ATOMS)
    assert (done.code, out.exists()) == (2, False)
    assert re.search(r"p\.lars:2:8: Ticker cannot express the window ⊞\^∞", done.err)
