"""Answers by their runs: what they are at a time."""

import numpy as np

from solver.columns import TermCodes
from solver.job.evaluation import AnswerRuns
from solver.relational.run_tables import as_table


def test_a_time_has_what_is_there_at_any_of_its_places_and_no_other_time_has_anything():
    terms = TermCodes()
    rows = [(("<e:a>",), 0, 1), (("<e:b>",), 2, 2), (("<e:c>",), 3, 3)]
    answers = AnswerRuns(np.array([2, 5, 5, 9]), as_table(rows, 1, terms), terms)
    assert {t: answers.at(t) for t in range(12) if answers.at(t)} == answers.by_time()
    assert answers.at(5) == {("<e:a>",), ("<e:b>",)}
