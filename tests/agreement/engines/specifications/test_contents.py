"""What windows show, by columns, against clingo: the program of a choice asked at the ticks of its clock."""

from dataclasses import replace
from functools import partial
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from agreement.documents.recordings import Push
from agreement.documents.requests import sources
from agreement.engines.engine import answers
from agreement.engines.r2s import reported_rows
from agreement.engines.specifications import EngineRun, Task, clock_answers, evaluated_windows, evaluation
from lars.language.terms import XSD
from solver.facts import Static
from solver.job import answers_at
from tests.agreement.engines.specifications.operational_strategies import case
from tests.solver.strategies import part_of
from translate.dialects import read_query

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


def task_of(query, rng):
    """Return a task with a query on random readings of two rooms."""
    head = "PREFIX : <http://e/>\nSELECT ?room "
    text = head + query.replace("{", "{ STREAM :s [RANGE 9s] { ?room :heat ?x } ", 1)
    triples = [
        (f"<http://e/{rng.choice('ab')}>", f'"{rng.randint(1, 4)}"^^<{XSD}integer>') for _ in range(12)
    ]
    pushes = [Push(1000.0 * t, "<http://e/s>", (a, "<http://e/heat>", x)) for t, (a, x) in enumerate(triples)]
    run = EngineRun(read_query(text, "q.rq"), Static(frozenset(), {}), tuple(pushes))
    return Task(run, run.elements, 20)


def random_contents(rng):
    """Return the contents of a window at several evaluations; the first evaluation may be repeated."""
    spans = [sorted(rng.sample(range(13), 2)) for _ in range(8)]
    return [(range(*span),) for span in (*spans, spans[-1], spans[0])]


QUERIES = (
    "{ }",
    "?x { FILTER (?x > 1) }",
    "(AVG(?x) AS ?mean) (COUNT(?x) AS ?n) { } GROUP BY ?room HAVING (AVG(?x) > 2)",
    "(SUM(?x) AS ?sum) { } GROUP BY ?room",
    "{ } ORDER BY ?room LIMIT 2",
)


def listed(rows):
    return [*map(list, rows)]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("semantics", ["bag", "set"])
def test_new_rows_are_the_same_from_known_rows_as_from_all_runs(query, semantics):
    rng = Random(query)
    for _ in range(5):
        known, contents = task_of(query, rng).answers("sparql11", semantics), random_contents(rng)
        by_runs = known.changes("ISTREAM", contents)
        whole = listed(known.rows(contents))
        by_rows = known.changes("ISTREAM", contents)
        assert {n: [*rows] for n, rows in by_rows.items()} == {n: [*rows] for n, rows in by_runs.items()}
        pairs = zip([[], *whole], whole, strict=False)
        new = [reported_rows("ISTREAM", before, now) for before, now in pairs]
        assert [[*by_rows.get(n, ())] for n in range(len(contents))] == new


@pytest.mark.parametrize("query", QUERIES)
def test_answers_that_share_terms_and_aggregates_with_others_are_their_own(query):
    rng = Random(query)
    for _ in range(2):
        task, contents = task_of(query, rng), random_contents(rng)
        for number in range(3):
            text = query.replace("> 2)", f"> {rng.randint(1, 3)}.5)").replace("> 1", f"> {number}")
            other = replace(task_of(text, rng).run, pushes=task.run.pushes)
            alone = Task(other, task.elements, 20)
            shared = replace(alone).with_input_of(task)
            for semantics in ("set", "bag"):
                expected = alone.answers("sparql11", semantics).rows(contents)
                assert listed(shared.answers("sparql11", semantics).rows(contents)) == listed(expected)
            task.answers("sparql11", "bag").rows(contents)
