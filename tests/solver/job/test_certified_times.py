"""How many evaluation times clingo certifies: as many as it is asked for."""

import pytest

from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.job import Question, certified_runs, evaluation
from solver.relational import encode


@pytest.mark.parametrize(("certify", "expected"), [("none", 0), (3, 3), ("all", 10), (99, 10)])
def test_so_many_times_are_evaluated_by_clingo(certify, expected, monkeypatch):
    asked = []

    def noting(evaluate):
        def noted(question, situation, times):
            asked.extend([times] if isinstance(times, int) else times)
            return evaluate(question, situation, times)

        return noted

    for name in ("by_clingo", "rows_at"):
        monkeypatch.setattr(evaluation, name, noting(getattr(evaluation, name)))
    timeline, facts = Interval(0, 9), [Fact(t, "e", ("a",)) for t in (1, 5)]
    question = Question(read("p(X) ← ⊞^2 ◇ e(X)."), ("p", 1), None)
    here = encode(Situation(timeline, facts, {}))
    found = certified_runs(question, here, timeline, "auto", certify)
    assert found.certified == len(asked) == len(set(asked)) == expected
