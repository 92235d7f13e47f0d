"""Answers and verdicts that were wrong once, each in its smallest case."""

import pytest

from agreement.causes import RowCause
from agreement.compare import check_comparable
from agreement.inputs import background
from agreement.isomorphism import alike
from lars.notation import read
from lars.windows import Interval
from solver.evaluate import ask
from solver.facts import Fact
from solver.gate import Arrivals
from solver.pipeline import Job, in_process, on_spark
from solver.plain import models
from solver.rows import COLUMNS
from solver.situation import Situation
from solver.static import Static
from tests.agreement.comparisons import expand, explained, facts_of, names, report
from translate.dialects import read_query
from translate.errors import ModelError
from translate.profiles import Profile, Setting
from translate.query import Dataset, Language
from translate.remarks import remarks
from translate.translation import translated
from translate.triggers import Trigger, push

QUADS = Static(frozenset({names("d q v")}), {names("g1")[0]: frozenset({names("n q v")})})


def rows_of(text, facts, *, static=QUADS, last=9, trigger=Trigger.ANY, **job):
    query = read_query(expand(text), "q.rq", Language.CQELS)
    question = ask(push(translated(query, Setting()), trigger), ("ans1", len(query.result)))
    known = background(static, query.dataset, lambda _: None)
    found = in_process(Job((question,), Interval(0, last), known, **job), facts)
    return sorted((answer.t, *answer.row) for answer in found)


def test_a_graph_variable_ranges_over_named_graphs_only():
    text = "SELECT ?g ?z { STREAM :r [RANGE 5s] {?a :in ?b} GRAPH ?g {?z :q ?v} }"
    assert rows_of(text, [Fact(1, "striple", names("a in b r"))]) == [(1, *names("g1 n"))]


@pytest.mark.parametrize("slices", [1, 2, 3, 4, 7])
def test_slices_keep_the_order_of_arrival_for_windows_of_tuples_and_time_together(slices):
    text = "SELECT ?a ?c {{STREAM :s [ROWS 2] {?a :p ?b}} UNION {STREAM :s [RANGE 3s] {?c :q ?d}}}"
    facts = [Fact(5, "striple", names(f"{name} p v s")) for name in "xyz"]
    facts += [Fact(t, "striple", names(f"w{t} p v s")) for t in (7, 8)]
    found = [row for row in rows_of(text, facts, slices=slices) if row[0] == 7]
    assert found == [(7, names("w7")[0], None), (7, names("z")[0], None)]


def test_a_part_of_the_timeline_remembers_what_tuple_windows_kept_before_it(spark):
    query = read_query(expand("SELECT ?a { STREAM :s [ROWS 2] {?a :p ?b} }"), "q.rq")
    question = ask(push(translated(query, Setting())), ("ans1", 1))
    facts = [(t, 0, t, "striple", names(f"a{t} p b s")) for t in (1, 2, 3, 8)]
    frame = spark.createDataFrame(facts, COLUMNS)
    for slices in (1, 2):
        job = Job((question,), Interval(0, 8), {}, slices, Interval(5, 8))
        assert sorted(answer.row for answer in on_spark(job, frame)) == [names("a3"), names("a8")]


def test_predicates_with_the_names_of_the_encoding_stay_the_users():
    text = """big(X) ← ⊞^5 ◇ striple(X, p, ?Y, G), [?Y = "null"].
              test1(X) ← ⊞^5 ◇ striple(Z, p, X, G). now(X) ← test1(X). ask1(X) ← now(X), not value1(X)."""
    facts = [Fact(1, "striple", ("b", "p", '"o"', "g"))]
    (model,) = models(read(text), Situation(Interval(0, 5), facts, {}), 2)
    assert {str(atom) for _, atom in model} == {'test1("o")', 'now("o")', 'ask1("o")'}


PLAIN = (
    "SELECT ?x FROM STREAM :r [{}] WHERE {{ ?x :p ?y }}",
    "SELECT ?x WHERE {{ STREAM :r [{}] {{ ?x :p ?y }} }}",
)


@pytest.mark.parametrize(
    ("csparql", "cqels", "period", "last", "cause"),
    [
        ("RANGE 3s STEP 5s", "RANGE 3s", 5, 10, RowCause.EXPIRED_BEFORE_THE_PULL),
        ("RANGE 3s", "RANGE 3s SLIDE 5s", 7, 7, RowCause.HIDDEN_BY_THE_PIVOT),
        ("RANGE 1s", "RANGE 9s", 9, 9, RowCause.DIFFERENT_WINDOWS),
    ],
)
def test_windows_that_differ_are_no_difference_of_sources(csparql, cqels, period, last, cause):
    queries = PLAIN[0].format(csparql), PLAIN[1].format(cqels)
    shared = {"period": period, "last": last, "static": (), "bounds": Setting().bounds}
    found = explained(report(queries, facts_of([("6", *"apb")], lambda _: "r"), **shared))
    assert {one.cause for one in found} == {cause.value}


def test_each_window_is_hidden_by_its_own_pivot():
    windows = {"s1": "RANGE 1s SLIDE 4s", "s2": "RANGE 3s SLIDE 3s"}
    froms = " ".join(f"FROM STREAM :{name} [{window}]" for name, window in windows.items())
    parts = " ".join(f"STREAM :{n} [{w}] {{ ?{n} :{n} ?y{n} }}" for n, w in windows.items())
    queries = f"SELECT ?s1 {froms} WHERE {{ ?s1 :s1 ?ys1 . ?s2 :s2 ?ys2 }}", f"SELECT ?s1 WHERE {{ {parts} }}"
    facts = facts_of([("3", "a", "s1", "v"), ("5", "b", "s2", "v")], lambda predicate: predicate)
    found = explained(report(queries, facts, period=6, last=6, static=(), bounds=Setting().bounds))
    assert [(one.side, one.cause) for one in found] == [("pull", "hidden by the pivot")]


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


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({("_:a", "<x:p>")}, {("_:b", "<x:p>")}, True),
        ({("_:a", "<x:p>"), ("_:b", "<x:p>")}, {("_:c", "<x:p>")}, False),
        ({("_:a", "_:a")}, {("_:a", "_:b")}, False),
        ({("_:a", None), ("<x:c>", "_:a")}, {("_:d", None), ("<x:c>", "_:d")}, True),
        ({("_:a", '"_:b"')}, {("_:c", '"_:d"')}, False),
    ],
)
def test_rows_are_compared_up_to_the_names_of_blank_nodes(one, other, same):
    assert alike(frozenset(one), frozenset(other)) is same


def test_a_graph_variable_that_can_be_null_inside_its_graph_is_warned_of():
    query = read_query(expand("SELECT * { GRAPH ?g { ?s :q ?o OPTIONAL {?s :in ?g} } }"), "q.rq")
    assert [remark[:2] for remark in remarks(query, Setting(Profile.PAPER2015))] == ["T1"]
    assert remarks(query, Setting(Profile.SPARQL11)) == ()


def test_push_without_a_stream_to_wait_for_never_evaluates():
    query = read_query(expand("SELECT ?x { ?x :q ?y }"), "q.rq", Language.CQELS)
    question = ask(push(translated(query, Setting()), Trigger.QUERY_STREAMS), ("ans1", 1))
    assert question.gate == Arrivals(())


def test_many_optionals_are_translated_at_once():
    optionals = " ".join(f"OPTIONAL {{ ?x :p{i} ?y{i} }}" for i in range(40))
    query = read_query(expand(f"SELECT * {{ ?x :p ?y {optionals} }}"), "q.rq")
    assert remarks(query, Setting()) == ()
    assert len(translated(query, Setting(Profile.SPARQL11)).rules) == 40 * 4 + 1
