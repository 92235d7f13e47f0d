"""SPARQLstream: FROM NAMED STREAM, STREAM blocks with windows before NOW, and operators."""

from typing import get_args

import pytest

from lars.durations import read_duration
from lars.language.stream import ToStream
from lars.language.terms import Iri
from lars.language.windows import TimeWindow
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.query import Language
from translate.model.windows import Now, Range, Rows, window_operator

STREAM = "http://e/s"


def read(clause, head="SELECT RSTREAM ?s"):
    return read_query(f"{head} FROM NAMED STREAM <{STREAM}> {clause} {{ ?s ?p ?o }}", "q.rq")


def span(length, slide=None, until=None):
    return Range(*(part and read_duration(part) for part in (length, slide, until)))


def test_the_streams_of_a_query_are_merged_into_its_default_graph():
    query = read("[NOW - 10 S SLIDE 5 S] FROM <g> FROM NAMED STREAM <t>")
    assert (query.language, query.to_stream) == (Language.SPARQLSTREAM, "RSTREAM")
    assert query.merged == (StreamBlock(Iri(STREAM), span("10s", "5s")), StreamBlock(Iri("t"), Now()))
    assert str(query.pattern) == "{?s ?p ?o}"
    assert [graph.value for graph in query.dataset.default] == ["g"]


@pytest.mark.parametrize(
    ("clause", "window"),
    [
        ("[NOW - 10 S]", span("10s")),
        ("[now-10s]", span("10s")),
        ("[NOW - 5 MINUTES]", span("5m")),
        ("[NOW - 1 HOUR SLIDE 30 MIN]", span("1h", "30m")),
        ("[NOW - 2 HR SLIDE 1 DAY]", span("2h", "1d")),
        ("[NOW - 300 MS TO NOW]", span("300ms")),
        ("[NOW - 10 S TO NOW - 5 S SLIDE 5 S]", span("10s", "5s", "5s")),
        ("[NOW - 10 S TO NOW - 0 SLIDE]", span("10s")),
        ("[NOW]", Now()),
        ("[NOW TO NOW - 0 S]", Now()),
        ("[NOW - 0]", Now()),
        ("[TRIPLES 7]", Rows(7)),
        ("", Now()),
    ],
)
def test_each_window_is_read(clause, window):
    query = read(clause)
    assert query.language is Language.SPARQLSTREAM
    assert query.merged == (StreamBlock(Iri(STREAM), window),)


def test_a_window_that_ends_before_now_ends_before_the_pivot():
    window = window_operator(span("10s", "5s", "4s"), Iri(STREAM), read_duration("1s"), "closed")
    assert window == TimeWindow(10, -4, 5)


def test_a_block_is_matched_in_its_own_stream():
    query = read_query("SELECT * { ?a ?b ?c STREAM <s> [NOW - 1 S] { ?s ?p ?o } }", "q.rq")
    assert (query.language, query.merged) == (Language.SPARQLSTREAM, ())
    assert str(query.pattern) == "({?a ?b ?c} AND STREAM <s> [RANGE 1s] {?s ?p ?o})"


@pytest.mark.parametrize("operator", get_args(ToStream))
def test_an_operator_stands_after_select_or_construct(operator):
    selected = read("[NOW - 1 S]", f"SELECT {operator.lower()} DISTINCT ?s")
    constructed = read("[NOW - 1 S]", f"CONSTRUCT {operator} {{ ?s ?p ?o }}")
    assert (selected.form, selected.to_stream) == ("SELECT", operator)
    assert (constructed.form, constructed.to_stream) == ("CONSTRUCT", operator)


def test_from_stream_without_named_is_read_when_it_has_a_window():
    query = read_query("SELECT ?s FROM STREAM <s> [NOW-1 HOUR] { ?s ?p ?o }", "q.rq")
    assert (query.language, query.to_stream) == (Language.SPARQLSTREAM, None)
    assert query.merged == (StreamBlock(Iri("s"), span("1h")),)


def test_a_mixture_of_csparql_and_cqels_is_no_sparqlstream():
    marked = "ASK ¦FROM STREAM <s> [NOW] { STREAM <s> [NOW] { ?s ?p ?o } }"
    fails_at_mark(marked, "FROM NAMED STREAM with STREAM blocks", kind=QueryError)
    query = read_query(marked.replace("¦", "").replace("FROM STREAM", "FROM NAMED STREAM"), "q.rq")
    assert (query.language, len(query.merged)) == (Language.SPARQLSTREAM, 1)


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("ASK FROM NAMED STREAM ¦[NOW] {}", ("an IRI",)),
        ("ASK FROM NAMED STREAM¦", ("the end of the query",)),
        ("ASK FROM STREAM <s> ¦{}", ("found {", "[NOW - 10 S SLIDE 5 S]")),
        ("ASK FROM NAMED STREAM <s> [¦RANGE 3s] {}", ("found RANGE", "NOW")),
        ("ASK FROM NAMED STREAM <s> [NOW ¦10 S] {}", ("found 10", "TO")),
        ("ASK FROM NAMED STREAM <s> [NOW - ¦S] {}", ("found S", "an integer")),
        ("ASK FROM NAMED STREAM <s> [NOW - 10 ¦SS] {}", ("found SS", "a unit of time")),
        ("ASK FROM NAMED STREAM <s> [NOW - 10 S TO ¦5 S] {}", ("found 5; expected NOW",)),
        ("ASK FROM NAMED STREAM <s> [¦NOW - 5 S TO NOW - 10 S] {}", ("begins before it ends", "5s and 10s")),
        ("ASK FROM NAMED STREAM <s> [¦NOW TO NOW - 10 S] {}", ("begins before it ends",)),
        ("ASK FROM NAMED STREAM <s> [NOW - 5 S SLIDE ¦0 S] {}", ("longer than zero",)),
        ("ASK FROM NAMED STREAM <s> [TRIPLES ¦0] {}", ("from 1 on",)),
        ("ASK FROM NAMED ¦WINDOW <w> ON <s> [NOW] {}", ("FROM WINDOW", "RSP-QL")),
        ("¦REGISTER QUERY q AS ASK {}", ("REGISTER", "C-SPARQL and RSP-QL")),
        ("ASK { STREAM <s> ¦{ ?s ?p ?o } }", ("found {", "[")),
    ],
)
def test_a_wrong_clause_is_refused_at_its_place(marked, words):
    fails_at_mark(marked, *words, kind=QueryError, engine=Language.SPARQLSTREAM)


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("ASK FROM NAMED STREAM <s> [NOW - 1 ¦MONTH] {}", "the unit MONTH"),
        ("ASK FROM NAMED STREAM <s> [NOW - 2 ¦YEAR] {}", "the unit YEAR"),
        ("ASK FROM NAMED STREAM <s> [NOW - ¦10] {}", "a duration without a unit"),
        ("ASK FROM NAMED STREAM <s> [¦NOW SLIDE 5 S] {}", "a slide of [NOW]"),
    ],
)
def test_a_window_that_is_not_covered_is_named_at_its_place(marked, word):
    fails_at_mark(marked, word, "covered", kind=UnsupportedError, engine=Language.SPARQLSTREAM)
