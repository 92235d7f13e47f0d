"""Queries as text: golden texts in each language, and what needs braces or brackets."""

import re
from dataclasses import replace

import pytest

from lars.language.formulas import Call
from lars.language.terms import XSD, Iri, Literal, Variable
from tests.translate.dialects.crowd import crowd, sample
from translate.dialects import read_query
from translate.model.patterns import (
    Alternative,
    Inverse,
    NegatedSet,
    PathSequence,
    RepeatedPath,
)
from translate.model.query import Language
from translate.writing import write_query
from translate.writing.expression_text import CannotSayError, Dialect, write_expression, write_path

CSPARQL = """\
REGISTER QUERY halls COMPUTED EVERY 5s AS
PREFIX example: <http://example.org/>
SELECT ?who (?t * 2 AS ?twice)
FROM <http://example.org/static>
FROM STREAM <http://example.org/s> [RANGE 10s STEP 5s]
WHERE {
  ?who a example:Person ;
    example:in ?hall .
  OPTIONAL {
    ?hall example:warm ?t .
    FILTER (?t > 20)
  }
}
ORDER BY DESC(?twice)
LIMIT 3
"""
CQELS = """\
SELECT ?who
WHERE {
  STREAM <urn:s> [RANGE 90s SLIDE 5s] {
    ?who <urn:in> ?hall .
  }
  FILTER NOT EXISTS { ?hall <urn:shut> true . }
}
"""
SPARQLSTREAM = """\
SELECT ISTREAM DISTINCT ?hall
FROM NAMED STREAM <urn:s> [NOW - 10 S TO NOW - 5 S SLIDE 1 MIN]
WHERE {
  {
    ?who <urn:in> ?hall .
  } UNION {
    ?who <urn:out> ?hall .
  }
}
"""
RSPQL = """\
PREFIX example: <http://example.org/>
REGISTER RSTREAM <http://example.org/out> AS
SELECT ?hall (COUNT(?who) AS ?all)
FROM NAMED WINDOW <w1> ON <http://example.org/s> [RANGE PT10S STEP PT0.5S]
FROM NAMED WINDOW <w2> ON <http://example.org/t> [ELEMENTS 3]
WHERE {
  WINDOW <w1> {
    ?who example:in ?hall ;
      example:aged ?age .
  }
}
GROUP BY ?hall
HAVING (MAX(?age) > 18)
"""
KOLIBRIE = """\
REGISTER ISTREAM <http://example.org/out> AS
SELECT ?hall
FROM NAMED WINDOW :w1 ON <urn:s> [RANGE 7200 STEP 5]
WHERE {
  WINDOW :w1 {
    ?who <urn:in> ?hall .
  }
}
"""
JANUS = """\
REGISTER RSTREAM <http://example.org/out> AS
SELECT ?hall
FROM NAMED WINDOW <w1> ON STREAM <urn:s> [RANGE 10000 STEP 4000]
FROM NAMED WINDOW <w2> ON LOG <urn:s> [START 0 END 3000]
FROM NAMED WINDOW <w3> ON LOG <urn:s> [OFFSET 10000 RANGE 4000 STEP 1]
WHERE {
  WINDOW <w1> {
    ?who <urn:in> ?hall .
  }
}
"""
SPARQ = """\
REGISTER RSTREAM <http://example.org/out> AS
SELECT ?hall
FROM NAMED WINDOW <w1> ON <urn:s> RANGE PT10S STEP PT4S T0 PT3S
FROM NAMED WINDOW <w2> ON <urn:s> ROWS 3
WHERE {
  WINDOW <w1> {
    ?who <urn:in> ?hall .
  }
}
"""
CQELS2 = """\
REGISTER QUERY halls AS
DSTREAM SELECT DISTINCT ?hall
FROM STREAM s [PAST 10s FUTURE 5s STEP 1m]
FROM STREAM t [NOW]
WHERE {
  STREAM s {
    ?who <urn:in> ?hall .
  }
}
"""


GOLDEN = {
    Language.CSPARQL: CSPARQL,
    Language.CQELS: CQELS,
    Language.SPARQLSTREAM: SPARQLSTREAM,
    Language.RSPQL: RSPQL,
    Language.KOLIBRIE: KOLIBRIE,
    Language.CQELS2: CQELS2,
    Language.SPARQ: SPARQ,
    Language.JANUS: JANUS,
}
TEXTS = [(one, GOLDEN.get(one) or re.sub(r"(?m)^#.*\n", "", sample(one))) for one in Language]
"""A text of each language as it is written: of one without a golden text its sample is the text."""


@pytest.mark.parametrize("steps", [(3000,), (3000, 3000), (1,), (3000, 5000), (1500, 1000, 1000)])
@pytest.mark.parametrize("wider", [0, 1])
def test_the_step_of_windows_with_offset_alone_is_the_period_that_is_written(steps, wider):
    # Windows of two streams may have the same width, and still need two steps without a period.
    windows = " ".join(
        f"FROM NAMED WINDOW <w{n}> ON LOG <s{n}> [OFFSET {9 + wider * n}000 RANGE 4000 STEP {step}]"
        for n, step in enumerate(steps)
    )
    query = read_query(f"SELECT ?a {windows} {{ WINDOW <w0> {{ ?a <p> ?b }} }}", "q.rq")
    again = read_query(write_query(query, Language.JANUS), "q.rq")
    if len({*steps}) == 1:
        assert (again.every, again) == (query.every, replace(query, notes=again.notes))
        assert query.every.nanoseconds == steps[0] * 10**6
    else:
        assert again.every is query.every is None


def test_a_window_with_offset_of_a_query_without_a_period_is_not_written_with_one():
    query = read_query(
        "SELECT ?a FROM NAMED WINDOW <w> ON LOG <s> [OFFSET 9000 RANGE 4000 STEP 3] "
        "FROM NAMED WINDOW <v> ON LOG <s> [OFFSET 9000 RANGE 4000 STEP 5] "
        "{ WINDOW <w> { ?a <p> ?b } WINDOW <v> { ?a <q> ?c } }",
        "q.rq",
    )
    with pytest.raises(CannotSayError, match="without a period"):
        write_query(query, Language.JANUS)


@pytest.mark.parametrize("language", Language)
def test_the_sample_of_a_language_is_written_and_read_again(language):
    query = crowd(language)
    text = write_query(query, language)
    assert read_query(text, "q.rq", language) == query
    assert write_query(read_query(text, "q.rq", language), language) == text


@pytest.mark.parametrize(("language", "text"), TEXTS)
def test_a_text_is_written_as_it_was_read(language, text):
    assert write_query(read_query(text, "q.rq", language), language) == text


def test_streams_and_blocks_are_said_in_the_words_of_the_other_language():
    merged = write_query(read_query(CSPARQL, "q.rq"), Language.SPARQLSTREAM)
    assert "FROM NAMED STREAM <http://example.org/s> [NOW - 10 S SLIDE 5 S]\n" in merged
    block = write_query(read_query(CQELS, "q.rq"), Language.RSPQL)
    assert "FROM NAMED WINDOW <w1> ON <urn:s> [RANGE PT90S STEP PT5S]\n" in block


GROUPS = [
    "{ ?s <p> ?o } { ?s <q> ?o }",
    "?s <p> ?o { ?s <q> ?o . { ?s <r> ?o } } { ?o <q> ?s }",
    "{ ?s <p> ?o FILTER (?s) } ?s <q> ?o",
    "{ ?s <p> ?o FILTER (?s) } FILTER (?o)",
    "{ ?s <p> ?o FILTER (?s) } BIND (1 AS ?x) ?s <q> ?x",
    "?s <p> ?o OPTIONAL { ?s <q> ?x FILTER (?x = ?o) } ?s <r> ?x",
    "?s <p> ?o OPTIONAL { { ?s <q> ?x FILTER (?x = ?o) } }",
    "?s <p> ?o OPTIONAL { { ?s <q> ?x FILTER (?x) } FILTER (?o) }",
    "OPTIONAL { ?s <p> ?o } OPTIONAL { ?s <q> ?o OPTIONAL { ?s <r> ?t } }",
    "OPTIONAL { } MINUS { } GRAPH ?g { } ?s <p> ?o",
    "MINUS { ?s <p> ?o FILTER (?s) } { ?s ?p ?o MINUS { ?s <q> ?o } }",
    "{ ?s <p> 1 } UNION { { ?s <p> 2 } UNION { ?s <p> 3 } } UNION { }",
    "GRAPH <g> { ?s <p> ?o FILTER (?o) } ?s <q> ?o GRAPH ?s { ?s <q> ?o }",
    "?s <p> [ <q> ( 1 2 ) ] , 'x'@en ; a <c>",
]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("form", ["ASK", "SELECT ?s ?new"])
def test_every_nesting_of_groups_is_read_back(form, group):
    query = read_query(f"{form} {{ {group} }}", "q.rq")
    assert read_query(write_query(query, query.language), "w.rq") == query


ALGEBRA = [
    "?s <p>*/^<q> ?o . ?s <q> ?o . ?o !(<p>|^<q>)? ?s",
    "VALUES (?s ?o) { (<a> UNDEF) ('b\\n\"' -2.50) } ?s <p> ?o",
    "{ SELECT DISTINCT ?s (COUNT(*) AS ?n) { ?s <p> ?o } GROUP BY ?s HAVING (SUM(?o) > 1) } ?s <q> ?n",
    "GRAPH ?g { SELECT ?s { ?s <p> ?o } ORDER BY DESC(?o + 1) LIMIT 2 OFFSET 1 }",
    "SERVICE SILENT <e> { ?s <p> ?o FILTER EXISTS { ?s <q> ?o FILTER NOT EXISTS { ?o ?s ?o } } }",
    "?s <p> ?o OPTIONAL { ?s <q> ?x FILTER (?x = 1 || EXISTS { ?x <p> ?o }) }",
    "BIND (EXISTS { ?s <p> ?o } AS ?x) ?s ?x ?o FILTER NOT EXISTS { ?s <q> ?o }",
    "{ SELECT * { [] <p> _:a . { _:b <q> [] } } }",
]


@pytest.mark.parametrize("group", ALGEBRA)
@pytest.mark.parametrize("form", ["ASK", "SELECT ?s (?o + 1 AS ?new) (?new + 1 AS ?more)"])
def test_the_rest_of_the_algebra_is_read_back(form, group):
    query = read_query(f"{form} {{ {group} }}", "q.rq")
    assert read_query(write_query(query, query.language), "w.rq") == query


ENDS = [
    "SELECT ?s (SUM(?o * 2) / COUNT(DISTINCT ?o) AS ?m) { ?s <p> ?o } GROUP BY ?s",
    "SELECT (COUNT(*) AS ?n) (MAX(?o) AS ?m) { ?s <p> ?o } HAVING (SUM(?o) > 1) ORDER BY AVG(?o)",
    "SELECT ?k { ?s <p> ?o FILTER (?o) } GROUP BY (STR(?s) AS ?k) (?o + 1) ORDER BY ?k DESC(?k)",
    "SELECT (GROUP_CONCAT(DISTINCT ?o; SEPARATOR = ', \\n') AS ?c) { ?s <p> ?o } VALUES ?s { <a> }",
    "SELECT ?s { ?s <p> ?o FILTER (?o) } ORDER BY (?o + 1) ?s LIMIT 0 VALUES (?s) { (<a>) (UNDEF) }",
    "SELECT ?s { ?s <p> ?o } GROUP BY ?s HAVING (EXISTS { ?s <q> ?o } && MIN(?o) < 2)",
    "SELECT ?y (1 AS ?x) (2 AS ?z) { BIND (3 AS ?y) }",
    "SELECT ?x ?y { BIND (3 AS ?y) BIND (?y AS ?x) } ORDER BY ?y",
    "CONSTRUCT { ?s <p> _:b . _:b <q> [] } FROM <d> FROM NAMED <n> { ?s <p> ?o } ORDER BY ?o LIMIT 1",
    "DESCRIBE ?s <x> { ?s <p> ?o }",
    "DESCRIBE <x>",
    "BASE <http://e.org/a/> SELECT (IRI(STR(?s)) AS ?i) { ?s <p> ?o FILTER (?o = IRI('b')) }",
    "SELECT * { [] <p> <q> }",
    "SELECT (COUNT(DISTINCT *) AS ?n) { ?s <p> [ <q> ?o ] } GROUP BY (STR(?s) AS ?k)",
    "SELECT (SUM(IF(EXISTS { ?s <q> ?o }, 1, 0)) AS ?n) { ?s <p> ?o FILTER EXISTS { ?o <q> ?s } }",
    "SELECT ?s (EXISTS { ?s <p> 1 } AS ?x) { ?s <p> ?o FILTER NOT EXISTS { ?s <p> 2 } }",
    "SELECT ?x ?y { { ?s <p> ?o FILTER EXISTS { ?s <p> 2 } } BIND (EXISTS { ?s <p> 1 } AS ?x) }",
]


@pytest.mark.parametrize("text", ENDS)
def test_what_stands_around_a_pattern_is_read_back(text):
    query = read_query(text, "q.rq")
    assert read_query(write_query(query, query.language), "w.rq") == query


A, B, C = map(Variable, "abc")
ONE, MINUS = Literal("1", XSD + "integer"), Literal("-1", XSD + "integer")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Call("-", (Call("-", (A, B)), C)), "?a - ?b - ?c"),
        (Call("-", (A, Call("-", (B, C)))), "?a - (?b - ?c)"),
        (Call("*", (Call("+", (A, B)), C)), "(?a + ?b) * ?c"),
        (Call("=", (Call("<", (A, B)), C)), "(?a < ?b) = ?c"),
        (Call("!", (Call("IN", (A, ONE, B)),)), "?a NOT IN (1, ?b)"),
        (Call("!", (Call("&&", (A, Call("!", (B,)))),)), "!(?a && !?b)"),
        (Call("-", (A, Call("NEG", (ONE,)))), "?a - -(1)"),
        (Call("-", (A, MINUS)), f'?a - "-1"^^<{XSD}integer>'),
        (Call("||", (Call("&&", (A, B)), Call("BOUND", (C,)))), "?a && ?b || BOUND(?c)"),
        (Call(f"<{XSD}string>", (Literal('"\\\n', language="en"),)), f'<{XSD}string>("\\"\\\\\\n"@en)'),
    ],
)
def test_an_expression_has_no_more_brackets_than_it_needs(expression, text):
    assert write_expression(expression, Dialect(Language.CSPARQL), {}) == text


P, Q = Iri("p"), Iri("q")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (PathSequence(PathSequence(P, Q), P), "<p>/<q>/<p>"),
        (PathSequence(P, PathSequence(Q, P)), "<p>/(<q>/<p>)"),
        (Alternative(PathSequence(P, Q), Inverse(P)), "<p>/<q>|^<p>"),
        (PathSequence(Alternative(P, Q), P), "(<p>|<q>)/<p>"),
        (Inverse(RepeatedPath(P, "*")), "^<p>*"),
        (RepeatedPath(Inverse(P), "+"), "(^<p>)+"),
        (RepeatedPath(RepeatedPath(P, "?"), "*"), "(<p>?)*"),
        (Inverse(Inverse(P)), "^(^<p>)"),
        (NegatedSet((Iri("p"),), (Iri("q"), Iri("r"))), "!(<p>|^<q>|^<r>)"),
        (NegatedSet(), "!()"),
    ],
)
def test_a_path_has_no_more_brackets_than_it_needs(path, text):
    assert write_path(path, Dialect(Language.CSPARQL)) == text


@pytest.mark.parametrize("form", ["SELECT ?_b0 ?n", "CONSTRUCT { ?_b0 <urn:r> ?n }"])
def test_a_variable_of_the_result_is_no_blank_node_whatever_its_name_is(form):
    counted = "{ SELECT (COUNT(DISTINCT *) AS ?n) { ?u <urn:q> ?v } }"
    query = read_query(
        f"{form} WHERE {{ STREAM <urn:s> [RANGE 5s] {{ ?_b0 <urn:p> ?y }} {counted} }}", "q.rq"
    )
    assert read_query(write_query(query, Language.CQELS), "q.rq") == query


@pytest.mark.parametrize("triples", ["[] <e:q> []", "_:a <e:q> 1", "[] <e:q> ?x", "?x <e:q> ?y"])
def test_a_count_of_distinct_solutions_keeps_blank_nodes_out(triples):
    text = f"SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT *) AS ?m) {{ STREAM <e:s> [NOW] {{ {triples} }} }}"
    query = read_query(text, "q.rq")
    assert read_query(write_query(query, Language.CQELS), "q.rq") == query
