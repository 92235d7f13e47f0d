"""Both ways to evaluate: where they differ, the run ends with the smallest case that shows it."""

import pytest

from lars.errors import DisputedAnswerError, FailedRunError, LarsError
from lars.language.windows import Interval
from lars.text.atom_streams import read_stream
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.job import Question, Whole
from solver.job.both_ways import PosedProgram, _program_text
from solver.job.slices import Job
from solver.relational import encode, run_tables
from solver.relational.shown_input import ShownInput
from solver.spark import slice_tasks
from solver.spark.pipeline import error_of
from solver.spark.slice_tasks import SliceTask
from tests.agreement.command import lars
from tests.solver.in_process import evaluate
from tests.solver.relational.test_seeded_faults import shorter, whole_rows, with_window

PROGRAM = "in(X) ← ⊞^2 ◇ e(X). out(X) ← in(X), not gone(X). gone(X) ← ⊞^0 ◇ g(X). near(X) ← in(X), k(X)."
INPUT = "0: e(a) e(b) x.\n1: e(a).\n2: e(c).\n3: g(a) g(c).\n5: e(c)."


def answers(evaluator, output=("out", 1), text=PROGRAM):
    facts = [Fact(t, atom.predicate, tuple(map(str, atom.arguments))) for t, atom in read_stream(INPUT)]
    met = Situation(Interval(0, 6), facts, {("k", 1): [("a",)]})
    asked = [Question(read(text), output, None)]
    return sorted((t, row) for _, t, row in evaluate(asked, met, Interval(0, 6), evaluator))


@pytest.fixture
def shorter_windows(monkeypatch):
    monkeypatch.setattr(ShownInput, "_runs", with_window(shorter))


@pytest.mark.parametrize("output", [("out", 1), Whole(), Whole(most=1)])
def test_all_ways_answer_alike(output):
    expected = answers("clingo", output)
    assert expected
    for evaluator in ("auto", "relational", "both"):
        assert answers(evaluator, output) == expected


@pytest.mark.usefixtures("shorter_windows")
def test_a_difference_is_made_small():
    assert answers("auto") != answers("clingo")
    with pytest.raises(DisputedAnswerError, match=r"differ at 2: \(b\) is a row of clingo alone") as raised:
        answers("both")
    assert raised.value.files == {
        "difference.lars": "% (b) is a row of clingo alone\n"
        "in(X) ← ⊞^2 ◇ e(X).\nout(X) ← in(X), not gone(X).\n",
        "difference.atoms": "0: e(b)\n",
    }


def test_what_no_time_shows_alone_keeps_the_times_that_it_needs(monkeypatch):
    monkeypatch.setattr(run_tables, "subtract", whole_rows)
    with pytest.raises(DisputedAnswerError, match=r"\((a|c)\) is a row of clingo alone") as raised:
        answers("both")
    text = raised.value.files["difference.atoms"]
    assert text == "3: g(c)\n5: e(c)\n"


def test_background_that_a_difference_needs_is_in_its_program(monkeypatch):
    monkeypatch.setattr(ShownInput, "_runs", with_window(shorter))
    with pytest.raises(DisputedAnswerError) as raised:
        answers("both", ("near", 1))
    assert raised.value.files["difference.lars"].splitlines()[1:] == [
        "in(X) ← ⊞^2 ◇ e(X).",
        "near(X) ← in(X), k(X).",
        "k(a).",
    ]


def test_a_program_without_answer_has_none_either_way():
    for evaluator in ("auto", "clingo", "both"):
        with pytest.raises(LarsError, match="0 answer streams at 3"):
            answers(evaluator, text=f"{PROGRAM} ← gone(X).")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.lars").write_text(f"{PROGRAM} k(a).")
    (tmp_path / "p.atoms").write_text(INPUT)
    return tmp_path


@pytest.mark.usefixtures("shorter_windows")
@pytest.mark.parametrize(("options", "folder"), [((), ""), (("--out", "found"), "found")])
def test_the_run_fails_and_says_how_to_repeat_it(files, options, folder):
    ran = lars("solve", "p.lars", "p.atoms", "--in-process", "--evaluator", "both", *options)
    shown = ran.err.rpartition("to reproduce the difference, run: lars ")[2].split()
    assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1)
    assert shown[1:3] == [
        str((files / folder / f"difference.{end}").relative_to(files)) for end in ("lars", "atoms")
    ]
    again = lars(*shown, "--in-process")
    assert (again.code, again.err.count("differ at 2")) == (3, 1)
    assert lars("solve", "p.lars", "p.atoms", "--in-process", "--evaluator", "clingo").code == 0


@pytest.mark.usefixtures("shorter_windows")
def test_files_of_another_difference_or_of_the_user_stay(files):
    (files / "difference.atoms").write_text("mine")
    for name in ("difference-2", "difference-3"):
        ran = lars("solve", "p.lars", "p.atoms", "--in-process", "--evaluator", "both")
        assert f"to reproduce the difference, run: lars solve {name}.lars {name}.atoms --from" in ran.err
    assert (files / "difference.atoms").read_text() == "mine"
    assert not (files / "difference.lars").exists()


def test_spark_brings_a_difference_from_its_task(monkeypatch):
    given = DisputedAnswerError("differ", {"a.lars": "p.", "a.atoms": ""}, "--to 3")

    def raising(*_):
        raise raised

    monkeypatch.setattr(slice_tasks, "certified_part", raising)
    within = Interval(0, 3)
    asked = Question(read("p ← e."), ("p", 0), None)
    task = SliceTask(Job((asked,), within, {}), (within,), frozenset(), {}, 0, None)
    for raised in (given, FailedRunError("x"), LarsError("x")):
        told = []
        task._evaluate(encode(Situation(Interval(0, 3), (), {})), Interval(0, 3), [0], told.append)
        found = error_of(told)
        assert (type(found), str(found)) == (type(raised), str(raised))
        assert vars(found) == vars(raised)


def test_what_kept_a_program_from_columns_is_said_once(files):
    (files / "p.lars").write_text("p ← ⊞^{#1 choose} ◇ e(X).")
    said = (
        "note: evaluated by clingo, not by the relational evaluator: ⊞^{#1 choose} ◇ e(X): the window "
        "chooses ties"
    )
    for evaluator in ("auto", "clingo", "both"):
        ran = lars("solve", "p.lars", "p.atoms", "--in-process", "--evaluator", evaluator)
        assert (ran.code, ran.err.count("\n"), ran.err.startswith(said)) == (0, 1, True)
    assert lars("solve", "p.lars", "p.atoms", "--in-process", "-q").err == ""
    ran = lars("solve", "p.lars", "p.atoms", "--in-process", "--evaluator", "relational")
    assert (ran.code, "--evaluator relational cannot evaluate this program: ⊞^{#1 choose}" in ran.err) == (
        2,
        True,
    )
    assert "evaluated by clingo" not in ran.err


def test_what_the_numbers_of_clingo_cannot_hold_is_refused_and_no_difference():
    with pytest.raises(LarsError, match="leaves the numbers of ASP") as raised:
        answers("both", ("big", 1), "n(1500000000). big(Y) ← n(X), Y = X + 1.")
    assert not isinstance(raised.value, DisputedAnswerError)


def test_what_is_said_of_a_difference_is_a_comment_on_each_of_its_lines():
    case = PosedProgram(read("p."), Situation(Interval(0, 0), [], {}), (0,))
    assert _program_text(case, "one\ntwo") == "% one\n% two\np.\n"
