"""`lars export --to asp`: what clingo prints is read back as what `lars solve --json` prints."""

import os
import re
import subprocess
import sys

import clingo
import pytest

from tests.agreement.answering.export.test_export_ticker import QUERIES, asked
from tests.agreement.answering.export.ticker_runs import read_back
from tests.agreement.command import lars
from tests.packs import SAMPLES

PROGRAMS = {
    "k(a). p(X) ← ⊞^2 ◇ f(X), not k(X). @_T q(X) ← ⊞^3 @_T f(X).": '1: f(a) f(\'b c\').\n3: f("x y\\"z").',
    "p(X) ← ⊞^3 ◇ f(X), not q(X). q(X) ← ⊞^3 ◇ f(X), not p(X). ← q(a).": "1: f(a) f(b) f(-2).\n5: f(c).",
    "p(X) ← ⊞^{#1 choose} ◇ f(X). t ← p(t). @_0 q ← t.": "1: f(t) f(b).",
    "n(N) ← ⊞^3 ◇ e, N := COUNT(*) of f(X). o(X) ← f(X) among 1..1 by X. v(Y) ← f(X), Y := [X + 1].": (
        "1: f(2) e f(1).\n2: e.\n3: f(7)."
    ),
    "p(X) ← ⊞^2 ◇ f(X).": '1: f("é 😀") f("\u202e").',
}


def clingo_output(folder):
    """Return what run.sh prints, clingo called in this process."""
    run = (folder / "run.sh").read_text()
    times, name = re.search(r"for t in (.*); do", run)[1].split(), re.search(r'-c "(\w+)=\$t"', run)[1]
    printed = []
    for t in times:
        control = clingo.Control(
            ["-c", f"{name}={t}", "--models=0", "--project=show"], logger=lambda *_: None
        )
        control.load(str(folder / "program.lp"))
        control.load(str(folder / "stream.lp"))
        control.ground()
        printed.append(f"t={t}:")
        with control.solve(yield_=True) as models:
            printed += [" ".join(map(str, model.symbols(shown=True))) for model in models]
            printed.append("SATISFIABLE" if models.get().satisfiable else "UNSATISFIABLE")
    return "\n".join(printed) + "\n"


def export(tmp_path, program, atoms):
    (tmp_path / "p.lars").write_text(program)
    (tmp_path / "s.atoms").write_text(atoms)
    inputs = (tmp_path / "p.lars", tmp_path / "s.atoms")
    ran = lars("export", *inputs, "--to", "asp", "-o", tmp_path / "out")
    return ran, tmp_path / "out", lars("solve", *inputs, "--in-process", "--json")


@pytest.mark.parametrize("mode", ["push", "pull"])
@pytest.mark.parametrize("query", QUERIES[::2], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_sample_has_the_same_rows_in_clingo(query, mode, tmp_path):
    ran = lars("export", *asked(query, mode), "--to", "asp", "-o", tmp_path / "out")
    assert ran.code == 0, ran.err
    solved = lars("solve", *asked(query, mode), "--in-process", "--json").out
    assert read_back(tmp_path / "out", clingo_output(tmp_path / "out")).out == solved


@pytest.mark.parametrize(("program", "atoms"), PROGRAMS.items())
def test_programs_have_the_same_answer_streams(program, atoms, tmp_path):
    ran, out, solved = export(tmp_path, program, atoms)
    assert ran.code == 0, ran.err
    assert read_back(out, clingo_output(out)).out == solved.out


def test_what_counts_is_the_number_of_evaluation_times_wherever_the_timeline_ends(tmp_path):
    (tmp_path / "p.lars").write_text("p(X) ← ⊞^900000000 ◇ f(X).")
    (tmp_path / "s.atoms").write_text("200000000: f(a).\n1070000000: f(b).")
    inputs = (tmp_path / "p.lars", tmp_path / "s.atoms", "--from", "1069999999")
    ran = lars("export", *inputs, "--to", "asp", "-o", tmp_path / "out")
    assert ran.code == 0, ran.err
    solved = lars("solve", *inputs, "--in-process", "--json").out
    assert '"p(a)", "p(b)"' in solved
    assert read_back(tmp_path / "out", clingo_output(tmp_path / "out")).out == solved


def test_hundreds_of_evaluation_times_are_exported(tmp_path):
    ran, out, solved = export(tmp_path, "p(X) ← ⊞^3 ◇ f(X).", "1: f(a).\n150: f(b).")
    assert ran.code == 0, ran.err
    assert read_back(out, clingo_output(out)).out == solved.out


def test_run_sh_runs_it(tmp_path):
    inputs = (SAMPLES / "door/door.lars", SAMPLES / "door/door.atoms", "--until", "3")
    lars("export", *inputs, "--to", "asp", "-o", tmp_path / "out")
    environment = os.environ | {"CLINGO": f"{sys.executable} -m clingo"}
    ran = subprocess.run(
        [tmp_path / "out/run.sh"], capture_output=True, text=True, check=True, env=environment
    )
    solved = lars("solve", *inputs[:2], "--to", "3", "--in-process", "--json").out
    assert (ran.stderr, read_back(tmp_path / "out", ran.stdout).out) == ("", solved)


def test_arithmetic_that_left_32_bit_is_an_error(tmp_path):
    _, out, _ = export(tmp_path, "p(Y) ← f(X), Y = X * X.", "1: f(100000).")
    ran = read_back(out, clingo_output(out))
    assert (ran.code, "arithmetic exceeded 32 bit at 1; expected smaller numbers" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("t=0:\n\nSATISFIABLE\n", "no answer for the time 1"),
        ("t=0:\n", "the output for the time 0 is not complete"),
        ("p(1)\n", ":1:1: found no time in front of the answer sets; expected the time point, such as t=18:"),
        ("t=0:\nAnswer: 1\np(1\u2028)\n", ":2:1: no answer set of clingo; expected atoms such as p(1) q"),
        ("t=0:\np(1) p(1,2)\n", ":2:1: found p with 2 arguments; expected 1, as in the file legend.json"),
        ("t=0:\np\n", ":2:1: found p with 0 arguments; expected 1, as in the file legend.json"),
        ("t=0:\n*** ERROR: (clingo)\n", ":2:1: no answer set of clingo; expected atoms such as p(1) q"),
    ],
)
def test_an_output_that_is_none_is_one_message(output, said, tmp_path):
    _, out, _ = export(tmp_path, "p(X) ← f(X).", "1: f(a).")
    ran = read_back(out, output)
    assert (ran.code, ran.out, said in ran.err) == (2, "", True), ran.err


def test_an_atom_whose_last_argument_is_no_time_is_one_message(tmp_path):
    _, out, _ = export(tmp_path, "@_T q ← ⊞^3 @_T f(X).", "1: f(a).")
    printed = clingo_output(out)
    name = re.search(r"(\w+)\(1\)", printed)[1]
    ran = read_back(out, printed.replace(f"{name}(1)", f"{name}(x)"))
    assert (ran.code, "with the last argument x; expected a time" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("report", ["ISTREAM", "DSTREAM"])
@pytest.mark.parametrize("mode", [("push",), ("pull", "--period", "2")])
def test_changes_need_one_evaluation_before_the_first_that_is_shown(report, mode, tmp_path):
    (tmp_path / "q.rq").write_text(
        f"PREFIX : <http://e/>\nREGISTER {report} <http://e/o> AS SELECT ?s FROM NAMED WINDOW :w ON :S "
        "[RANGE 3s STEP 1s] WHERE { WINDOW :w { ?s :p ?o } }"
    )
    rows = "".join(
        f"{t},<http://e/S>,<http://e/x{t}>,<http://e/p>,<http://e/y>\n" for t in (19998, 20000, 20003, 20004)
    )
    (tmp_path / "t.csv").write_text(f"t,stream,s,p,o\n{rows}")
    asked = (tmp_path / "q.rq", tmp_path / "t.csv", "--unit", "1s", "--from", "20000", "--mode", *mode)
    ran = lars("export", *asked, "--to", "asp", "-o", tmp_path / "out")
    assert ran.code == 0, ran.err
    solved = lars("solve", *asked, "--in-process", "--json").out
    assert "http://e/x" in solved
    assert read_back(tmp_path / "out", clingo_output(tmp_path / "out")).out == solved


def test_rows_are_new_since_the_last_close_before_the_first_time_and_not_since_a_close_to_come(tmp_path):
    """The second window closes at 25 for the first time; 20 is as far from 25 as later closes are."""
    block = "{{ WINDOW <w{}> {{ ?s <http://e/p> ?o }} }}".format
    windows = ("RANGE 6", "RANGE 20 STEP 5 T0 5")
    clauses = (f"FROM NAMED WINDOW <w{n}> ON <http://e/S> {window}" for n, window in enumerate(windows))
    text = f"SELECT ?s {{ {block(0)} UNION {block(1)} }} {' '.join(clauses)}"
    (tmp_path / "q.rq").write_text(f"REGISTER ISTREAM <http://e/out> AS {text}")
    (tmp_path / "s.csv").write_text(
        "t,stream,s,p,o\n"
        + "".join(f"{t},http://e/S,http://e/x,http://e/p,http://e/y\n" for t in (13, 19, 30))
    )
    given = (tmp_path / "q.rq", tmp_path / "s.csv", "--engine", "sparq", "--from", 21)
    folder = tmp_path / "out"
    ran = lars("export", *given, "--until", 24, "--to", "asp", "-o", folder)
    assert ran.code == 0, ran.err
    assert re.search(r"for t in (.*); do", (folder / "run.sh").read_text())[1] == "18 24"
    # The row of 18 is there at 24 too, so it is not new.
    solved = lars("solve", *given, "--to", 24, "--json")
    assert [line["t"] for line in solved.lines] == [24]
    assert solved.lines[0]["rows"] == []
    assert read_back(folder, clingo_output(folder)).out == solved.out
