"""Answers of columns do not depend on how many of the input's atoms are looked at together."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.windows import Interval
from lars.text.notation import read
from solver.columns import trace_columns
from solver.facts import Fact
from solver.job import Question, answer_runs, evaluation
from solver.relational import encode, situation_of
from tests.solver.pointwise.test_definition import backgrounds, inputs
from tests.solver.relational.relational_cases import OUTPUTS
from tests.solver.strategies import interval_programs, part_of, situation


def answers(questions, here, together, evaluator="auto"):
    with patch.object(evaluation, "ATOMS_AT_ONCE", together), patch.object(evaluation, "_SPREAD", together):
        return [found.by_time() for found in answer_runs(questions, here, here.timeline, evaluator)]


@part_of(0.3)
@given(interval_programs(), inputs, backgrounds, st.integers(1, 3))
def test_few_atoms_at_once_give_the_same_answers(program, stream, known, together):
    here = encode(situation(stream, known))
    questions = [Question(program, output, None) for output in OUTPUTS]
    assert answers(questions, here, together) == answers(questions, here, 10**6)


@pytest.mark.parametrize("window", ["⊞^{#2}", "⊞^{#3 by 1}", "⊞^2", "⊞^{3,0,2}", "⊞^{1,1,1}", "⊞^∞"])
def test_every_kind_of_window_is_whole_in_each_part(window):
    facts = [Fact(t, "p", (f"c{t % 3}",)) for t in (*range(6), 20, 21)]
    here = situation_of(trace_columns(facts), Interval(0, 25), {})
    question = [Question(read(f"q(X) ← {window} ◇ p(X)."), ("q", 1), None)]
    expected = answers(question, here, 10**6)
    assert any(expected[0].values())
    assert answers(question, here, 1) == expected
    assert answers(question, here, 1, "clingo") == answers(question, here, 10**6, "clingo")
    assert answers(question, here, 1, "clingo") == expected
