"""What windows show, by columns, against clingo: the program of a choice asked at the ticks of its clock."""

from dataclasses import replace
from functools import partial
from random import Random

from hypothesis import event, given
from hypothesis import strategies as st

from agreement.documents.requests import sources
from agreement.engines.engine import answers
from agreement.engines.specifications import clock_answers, evaluated_windows, evaluation
from solver.job import answers_at
from tests.agreement.engines.specifications.operational_strategies import case
from tests.solver.strategies import part_of

SEEDS = st.integers(0, 10**9)


def scheduled(seed):
    """Return a random specification applied to a random task, for one choice of start times."""
    drawn = case(Random(seed))
    task = replace(drawn.task(), versions=())
    places = drawn.places(task)
    return evaluated_windows(task, drawn.specification(places), drawn.choice(places))


def by_clingo(of):
    """Return the same reports, each evaluation's from clingo, with the windows where the choice has them."""
    original = clock_answers.answers_at
    clock_answers.answers_at = partial(answers_at, evaluator="clingo")
    known, evaluation.answers_of = evaluation.answers_of, lambda _: None
    try:
        return evaluation._evaluated(of)
    finally:
        clock_answers.answers_at, evaluation.answers_of = original, known


@part_of(0.4)
@given(SEEDS)
def test_contents_decide_what_is_reported_as_the_program_does_at_its_ticks(seed):
    of = scheduled(seed)
    found = evaluation._evaluated(of)
    event("rows" if any(one.rows for one in found) else "none")
    assert evaluation.answers_of(of) is not None
    expected = by_clingo(of)
    assert [(one.point, one.reported) for one in found] == [(one.point, one.reported) for one in expected]
    assert [sorted(one.rows, key=str) for one in found] == [sorted(one.rows, key=str) for one in expected]


@part_of(0.3)
@given(SEEDS)
def test_contents_of_any_triples_are_answered_each_by_itself(seed):
    rng, task = Random(seed), scheduled(seed).task
    windows = sources(task.query)
    triples = [element.triple for element in task.elements]
    contents = [
        {one: rng.sample(triples, rng.randint(0, min(4, len(triples)))) for one in windows} for _ in range(5)
    ]
    found = answers(task.query, contents, task.run.static)
    alone = [answers(task.query, [content], task.run.static) for content in contents]
    assert [[rows] for rows in found] == alone


@part_of(0.4)
@given(SEEDS)
def test_so_many_rows_are_counted_of_a_content_as_it_answers(seed):
    of = scheduled(seed)
    known, contents = evaluation.answers_of(of), list(map(of.content, of.points))
    counts = list(map(len, known.rows(contents)))
    event("rows" if any(counts) else "none")
    assert known.sizes(contents) == counts
