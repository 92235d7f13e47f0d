"""What a stream is read in, and what it is not: SERVICE, EXISTS, timestamps, windows in the past."""

from typing import get_args

import pytest

from agreement import api
from agreement.documents.requests import sources
from lars.language.windows import Bounds
from translate.analysis import cq, model_of_csparql, remarks
from translate.dialects import read_query
from translate.errors import ModelError
from translate.model.query import Setting
from translate.tau import lars_program

PREFIX = "PREFIX : <http://e/> "


def test_no_part_of_a_service_is_read_from_a_stream():
    text = "SELECT ?a FROM STREAM :s [RANGE 5s STEP 1s] { ?a :p ?b SERVICE :g { ?a :p ?b } }"
    query = read_query(PREFIX + text, "q.rq")
    (bgp, *_) = (query.pattern.left,)
    (stream,) = query.merged
    brave, *_ = cq(model_of_csparql(query, lambda found: {stream.stream: found}))
    assert str(brave.query.pattern.right) == str(query.pattern.right)
    assert str(brave.query.pattern.left) == f"STREAM {stream.stream} {stream.window} {bgp}"


def test_a_timestamp_is_refused_where_the_language_has_none():
    call = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>(?a, :p, ?b)"
    text = f"SELECT ?a {{ STREAM :s [RANGE 5s] {{ ?a :p ?b }} FILTER({call} > 1) }}"
    with pytest.raises(ModelError, match="function of C-SPARQL"):
        lars_program(read_query(PREFIX + text, "q.rq"), Setting())


def test_a_window_that_ends_before_its_pivot_is_closed_whatever_the_bounds_are():
    text = "SELECT ?a FROM NAMED STREAM <http://e/s> [NOW - 3 S TO NOW - 1 S] { ?a ?p ?b }"
    query = read_query(text, "q.rq")
    assert len({str(lars_program(query, Setting(bounds=bounds))) for bounds in get_args(Bounds)}) == 1


@pytest.mark.parametrize("form", ["SELECT DISTINCT ?s", "ASK"])
def test_a_slice_of_what_can_repeat_is_warned_of(form):
    query = read_query(f"{PREFIX} {form} {{ {{ SELECT ?s {{ ?s :p ?y }} LIMIT 2 }} }}", "q.rq")
    assert any(remark.startswith("T12") for remark in remarks(query, Setting(), rows=True))


@pytest.mark.parametrize(
    ("clause", "where"),
    [
        ("FROM STREAM <http://e/s> [RANGE 1s STEP 1s]", "{ ?x :p ?y }"),
        ("FROM NAMED STREAM <http://e/s> [NOW - 1 S]", "{ ?x :p ?y }"),
        ("FROM NAMED WINDOW :w ON <http://e/s> [RANGE PT1S STEP PT1S]", "{ WINDOW :w { ?x :p ?y } }"),
    ],
)
def test_an_exists_in_select_does_not_hide_the_streams_behind_it(clause, where):
    query = read_query(f"{PREFIX}SELECT ?x (EXISTS {{ ?z :p ?z }} AS ?e) {clause} WHERE {where}", "q")
    assert [variable.name for variable in query.result] == ["x", "e"]
    assert len(sources(query)) == 1


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("?x :p* ?g", {("s", "s"), ("t", "a"), ("t", "t")}),
        ("?g :p* ?x", {("s", "s"), ("s", "d"), ("t", "t")}),
    ],
)
@pytest.mark.parametrize("evaluator", ["relational", "clingo"])
def test_a_path_to_the_name_of_its_stream_ends_at_the_name(path, rows, evaluator):
    streams = {"http://e/s": [(1, "sd")], "http://e/t": [(1, "at"), (1, "as")]}
    traces = {
        name: [(t, (f"http://e/{one}", "http://e/p", f"http://e/{other}")) for t, (one, other) in some]
        for name, some in streams.items()
    }
    query = f"{PREFIX}SELECT ?g ?x {{ STREAM ?g [RANGE 3s] {{ {path} }} }}"
    (answer,) = api.solve(query, stream=traces, unit="1s", evaluator=evaluator).answers
    # A node of zero steps is its own end, but no stream has the name of the node d.
    assert {tuple(term[len("<http://e/") : -1] for term in row) for row in answer.rows} == rows
