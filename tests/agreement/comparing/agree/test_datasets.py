"""FROM, FROM NAMED and GRAPH: which triples of the static data a query sees."""

import pytest

from agreement.documents.traces import background
from lars.language.windows import Interval
from solver.facts import Fact, Static
from solver.job import ask
from solver.job.slices import Job
from tests.agreement.comparisons import expand, names
from tests.solver.in_process import in_process
from translate.analysis import check_comparable, remarks
from translate.dialects import read_query
from translate.errors import ModelError
from translate.model.query import Dataset, Language, Setting
from translate.tau import lars_program, push

QUADS = Static(frozenset({names("d q v")}), {names("g1")[0]: frozenset({names("n q v")})})


def rows_of(text, facts, *, static=QUADS, last=9, trigger="any", **job):
    query = read_query(expand(text), "q.rq", Language.CQELS)
    question = ask(push(lars_program(query, Setting()), trigger), ("ans1", len(query.result)))
    known = background(static, query.dataset, lambda _: None)
    found = in_process(Job((question,), Interval(0, last), known, **job), facts)
    return sorted((answer.t, *answer.row) for answer in found)


def test_a_graph_variable_ranges_over_named_graphs_only():
    text = "SELECT ?g ?z { STREAM :r [RANGE 5s] {?a :in ?b} GRAPH ?g {?z :q ?v} }"
    assert rows_of(text, [Fact(1, "striple", names("a in b r"))]) == [(1, *names("g1 n"))]


def test_two_queries_with_different_datasets_are_not_compared():
    queries = [
        read_query(expand(f"SELECT ?x FROM NAMED :{graph} {{ ?x :p ?y }}"), "q.rq", language)
        for graph, language in (("g1", Language.CSPARQL), ("g2", Language.CQELS))
    ]
    with pytest.raises(ModelError, match="different datasets"):
        check_comparable(*queries)


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        (Dataset(), {("d", "default"), ("n", "g1")}),
        (Dataset((read_query(expand("ASK FROM :g1 {}"), "q").dataset.default[0],)), {("n", "default")}),
        (read_query(expand("ASK FROM NAMED :g1 {}"), "q").dataset, {("n", "g1")}),
        (read_query(expand("ASK FROM :own {}"), "q").dataset, {("d", "default")}),
    ],
)
def test_from_and_from_named_are_those_of_sparql(dataset, expected):
    triples = background(QUADS, dataset, lambda _: None)["triple", 4]
    wanted = {(*names(s), graph if graph == "default" else names(graph)[0]) for s, graph in expected}
    assert {(triple[0], triple[3]) for triple in triples} == wanted


def test_a_graph_variable_that_can_be_null_inside_its_graph_is_warned_of():
    query = read_query(expand("SELECT * { GRAPH ?g { ?s :q ?o OPTIONAL {?s :in ?g} } }"), "q.rq")
    assert [remark[:2] for remark in remarks(query, Setting("paper2015"))] == ["T1"]
    assert remarks(query, Setting("sparql11")) == ()
