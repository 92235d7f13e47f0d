"""Windows of tuples remember what came before the slice or the part of the timeline."""

import pytest

from agreement.documents.traces import background
from lars.language.windows import Interval
from solver.facts import Fact, Static
from solver.job import ask
from solver.job.slices import Job
from tests.agreement.comparisons import expand, names
from tests.solver.in_process import in_process
from tests.solver.spark.on_spark import on_spark
from translate.dialects import read_query
from translate.model.query import Language, Setting
from translate.tau import lars_program, push

QUADS = Static(frozenset({names("d q v")}), {names("g1")[0]: frozenset({names("n q v")})})


def rows_of(text, facts, *, static=QUADS, last=9, trigger="any", **job):
    query = read_query(expand(text), "q.rq", Language.CQELS)
    question = ask(push(lars_program(query, Setting()), trigger), ("ans1", len(query.result)))
    known = background(static, query.dataset, lambda _: None)
    found = in_process(Job((question,), Interval(0, last), known, **job), facts)
    return sorted((answer.t, *answer.row) for answer in found)


@pytest.mark.parametrize("slices", [1, 2, 3, 4, 7])
def test_slices_keep_the_order_of_arrival_for_windows_of_tuples_and_time_together(slices):
    text = "SELECT ?a ?c {{STREAM :s [ROWS 2] {?a :p ?b}} UNION {STREAM :s [RANGE 3s] {?c :q ?d}}}"
    facts = [Fact(5, "striple", names(f"{name} p v s")) for name in "xyz"]
    facts += [Fact(t, "striple", names(f"w{t} p v s")) for t in (7, 8)]
    found = [row for row in rows_of(text, facts, slices=slices) if row[0] == 7]
    assert found == [(7, names("w7")[0], None), (7, names("z")[0], None)]


def test_a_part_of_the_timeline_remembers_what_tuple_windows_kept_before_it(spark):
    query = read_query(expand("SELECT ?a { STREAM :s [ROWS 2] {?a :p ?b} }"), "q.rq")
    question = ask(push(lars_program(query, Setting())), ("ans1", 1))
    facts = [(t, 0, t, "striple", names(f"a{t} p b s")) for t in (1, 2, 3, 8)]
    for slices in (1, 2):
        job = Job((question,), Interval(0, 8), {}, slices, Interval(5, 8))
        assert sorted(answer.row for answer in on_spark(job, spark, facts)) == [names("a3"), names("a8")]
