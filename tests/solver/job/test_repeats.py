"""What is answered once for situations that are alike is what each time point answers by itself."""

from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import event, given

from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.job import Question, Whole
from solver.job import evaluation as module
from solver.job.evaluation import RepeatedSituations
from tests.lars.strategies import cases
from tests.sizes import few
from tests.solver.in_process import evaluate
from tests.solver.strategies import covered_programs, is_encoded, part_of, situation_of

ALL = Whole(None)


class EachAlone(RepeatedSituations):
    """Evaluates every situation."""

    def rows(self, *situation):
        return list(situation[-1]())


def answers(program, situation):
    asked = [Question(program, ALL, None)]
    found = evaluate(asked, situation, situation.timeline, "clingo")
    return Counter((answer.t, answer.row) for answer in found)


def check(program, situation):
    with patch.object(module, "RepeatedSituations", EachAlone):
        expected = answers(program, situation)
    assert answers(program, situation) == expected


def longer(case, later):
    """The case's situation, with as much time again after it, in which some of its input comes once more."""
    once = situation_of(case)
    timeline = Interval(once.timeline.first, once.timeline.last + 2 * later)
    again = [Fact(fact.t + later, fact.predicate, fact.arguments) for fact in once.facts[::2]]
    return Situation(timeline, [*once.facts, *again], once.background)


@part_of(0.05)
@given(cases(covered_programs()))
def test_random_programs_answer_as_time_points_do_one_by_one(case):
    if is_encoded(case.program):
        event("encoded")
        check(case.program, longer(case, 6))


WINDOWS = [
    "3",
    "∞",
    "0",
    "4,0,3",
    "5,2,1",
    "5,-2,1",
    "5,-2,3",
    "3 low-open",
    "3 high-open",
    "4,0,2 high-open",
    "#2",
]
WINDOWS += ["#2 all", "#2 choose", "#1 by 1", "#2 elements"]
BODIES = ["◇ p(X)", "p(X)", "◇ b(X)", "¬ ◇ p(X)", "□ p(X)", "◇ ¬ p(a)", "□ ¬ p(a)", "@_T p(X)"]


@pytest.mark.parametrize("window", few(WINDOWS, 5))
@pytest.mark.parametrize("body", BODIES)
def test_every_window_answers_as_time_points_do_one_by_one(window, body):
    safe = ", dom(X)" if "X" in body else ""
    head = "q(X)" if "X" in body else "q"
    program = read(f"{head} ← ⊞^{{{window}}} {body}{safe}. ← p(b), p(a).")
    times = [(2, "a"), (2, "b"), (3, "a"), (9, "a"), (14, "b"), (14, "a"), (15, "a")]
    facts = [Fact(t, "p", (name,)) for t, name in times]
    background = {("b", 1): [("c",)], ("dom", 1): [("a",), ("b",)]}
    check(program, Situation(Interval(1, 21), facts, background))


def evaluations(text, facts, last=150):
    program = read(text)
    counted = Counter()

    def counting(rows):
        def count(self, seen, t, evaluate):
            def once():
                counted["evaluated"] += 1
                return evaluate()

            return rows(self, seen, t, once)

        return count

    with patch.object(RepeatedSituations, "rows", counting(RepeatedSituations.rows)):
        answers(program, Situation(Interval(0, last), facts, {}))
    return counted["evaluated"]


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("q ← ⊞^3 ◇ p.", 3),
        ("q ← ⊞^{3,0,2} ◇ p.", 6),
        ("q ← ⊞^{#1} ◇ p.", 4),
        ("q ← ⊞^∞ ◇ p.", 5),
        ("q ← not ⊞^3 □ p.", 12),
        ("q ← ⊞^3 @_T p.", 151),
        ("@_T q ← ⊞^3 @_T p.", 151),
    ],
)
def test_a_quiet_timeline_is_evaluated_a_few_times(text, most):
    found = evaluations(text, [Fact(50, "p", ()), Fact(100, "p", ())])
    assert found == most if most > 150 else 1 < found <= most
