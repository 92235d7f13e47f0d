"""CQELS-QL: STREAM blocks anywhere in the pattern."""

import pyoxigraph as ox
import pytest

from lars.durations import read_duration
from lars.language.terms import Variable
from lars.language.windows import Interval, TupleWindow
from solver.facts import Fact, Situation
from solver.pointwise import models
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.query import Dataset, Language, Setting
from translate.model.windows import Rows, window_operator
from translate.tau import lars_program

COUPONS = """
SELECT ?shop ?product ?percent FROM <g>
WHERE {
  STREAM <coupons> [RANGE 30m] {
    ?shop <offers> ?coupon . ?coupon <product> ?product ; <percent> ?percent }
  STREAM <locations> [RANGE 5m] { ?user <near> ?shop }
  OPTIONAL { ?user <gender> ?gender }
  FILTER (?percent >= 20 && ?gender != 1)
}"""


def pattern_of(group, **options):
    return str(read_query(f"SELECT * {{ {group} }}", "q.rq", **options).pattern)


def test_the_coupon_query_is_read():
    query = read_query(COUPONS, "q.rq")
    assert (query.language, query.form, query.merged) == (Language.CQELS, "SELECT", ())
    assert [graph.value for graph in query.dataset.default] == ["g"]
    assert str(query.pattern) == (
        "(((STREAM <coupons> [RANGE 30m] {?shop <offers> ?coupon . ?coupon <product> ?product"
        " . ?coupon <percent> ?percent} AND STREAM <locations> [RANGE 5m] {?user <near> ?shop})"
        " OPT {?user <gender> ?gender}) FILTER (?percent >= 20) && (?gender != 1))"
    )


@pytest.mark.parametrize(
    ("window", "read"),
    [
        ("[NOW]", "[NOW]"),
        ("[now]", "[NOW]"),
        ("[ALL]", "[RANGE UNBOUNDED]"),
        ("[TRIPLES 5]", "[ROWS 5]"),
        ("[ROWS 5]", "[ROWS 5]"),
        ("[RANGE TRIPLES 5]", "[ROWS 5]"),
        ("[RANGE 1m30s]", "[RANGE 90s]"),
        ("[RANGE 1m 30s SLIDE 10 s]", "[RANGE 90s SLIDE 10s]"),
        ("[RANGE 3h STEP 1h]", "[RANGE 3h SLIDE 1h]"),
        ("[RANGE 3s TUMBLING]", "[RANGE 3s SLIDE 3s]"),
        ("[RANGE UNBOUNDED]", "[RANGE UNBOUNDED]"),
        ("[RANGE 1ns]", "[RANGE 1ns]"),
    ],
)
def test_each_window_is_read(window, read):
    assert pattern_of(f"STREAM <s>{window}{{?s ?p ?o}}") == f"STREAM <s> {read} {{?s ?p ?o}}"


@pytest.mark.parametrize(
    ("group", "pattern"),
    [
        ("?a ?b ?c OPTIONAL { STREAM <s> [NOW] { ?s ?p ?o } }", "({?a ?b ?c} OPT S{?s ?p ?o})"),
        ("?a ?b ?c MINUS { STREAM <s> [NOW] { ?s ?p ?o } }", "({?a ?b ?c} MINUS S{?s ?p ?o})"),
        ("{ STREAM <s> [NOW] { ?s ?p ?o } } UNION { ?a ?b ?c }", "(S{?s ?p ?o} UNION {?a ?b ?c})"),
        ("{ { STREAM <s> [NOW] { ?s ?p ?o } } } . ?a ?b ?c .", "(S{?s ?p ?o} AND {?a ?b ?c})"),
        ("STREAM <s> [NOW] { ?s ?p ?o FILTER (?o > 1) }", "(S{?s ?p ?o} FILTER ?o > 1)"),
        ("STREAM <s> [NOW] { ?s ?p ?o OPTIONAL { ?o ?q ?r } }", "(S{?s ?p ?o} OPT S{?o ?q ?r})"),
        ("STREAM <s> [NOW] { { ?s ?p ?o } UNION { ?o ?p ?s } }", "(S{?s ?p ?o} UNION S{?o ?p ?s})"),
        ("STREAM <s> [NOW] { ?s ?p ?o BIND (?o + 1 AS ?x) }", "(S{?s ?p ?o} BIND ?x := ?o + 1)"),
        (
            "STREAM <s> [NOW] { ?s ?p ?o . ?s ?q ?r FILTER (?o > 1) ?r ?q ?s }",
            "(S{?s ?p ?o . ?s ?q ?r . ?r ?q ?s} FILTER ?o > 1)",
        ),
        ("STREAM <s> [NOW] { }", "S{}"),
        ("STREAM <s> [NOW] { ?s ?p [ <q> ?o ] }", "S{?s ?p ?_b0 . ?_b0 <q> ?o}"),
    ],
)
def test_a_block_stands_anywhere_and_its_content_is_distributed(group, pattern):
    assert pattern_of(group) == pattern.replace("S{", "STREAM <s> [NOW] {")


def test_one_stream_is_read_through_several_windows():
    query = read_query("ASK { STREAM <s> [NOW] { ?s ?p ?o } STREAM <s> [ALL] { ?s ?p ?o } }", "q.rq")
    assert isinstance(query.pattern.left, StreamBlock)
    assert str(query.pattern.right.window) == "[RANGE UNBOUNDED]"


def test_a_query_without_streams_is_cqels_when_the_engine_says_so():
    text = "ASK FROM NAMED <g> { GRAPH ?g { ?s ?p ?o } }"
    assert read_query(text, "q.rq").language is Language.CSPARQL
    query = read_query(text, "q.rq", Language.CQELS)
    assert query.language is Language.CQELS
    assert [graph.value for graph in query.dataset.named] == ["g"]
    assert query.dataset != Dataset()


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("ASK { STREAM <s> ¦{ ?s ?p ?o } }", ("found {", "[")),
        ("ASK { STREAM <s> [NOW] ¦?s ?p ?o }", ("found ?s", "{")),
        ("ASK { STREAM ¦[NOW] { ?s ?p ?o } }", ("a variable or an IRI",)),
        ("ASK { STREAM <s> [RANGE ¦0s] {} }", ("longer than zero",)),
        ("ASK { STREAM <s> [RANGE ¦1.5s] {} }", ("found 1.5",)),
        ("ASK { STREAM <s> [RANGE 3¦] {} }", ("a unit of time",)),
        ("ASK { STREAM <s> [RANGE 3s SLIDE ¦] {} }", ("found ]", "an integer")),
        ("ASK { STREAM <s> [NOW ¦{ ?s ?p ?o } }", ("found {", "]")),
        ("ASK { STREAM <s> [RANGE ¦BGP 3] {} }", ("found BGP", "UNBOUNDED")),
        ("ASK { STREAM <s> [ROWS ¦1.5] {} }", ("found 1.5",)),
        ("ASK {\n STREAM ¦e:s [NOW] {} }", ("undeclared prefix e:",)),
        ("ASK { ?s ?p ?o } ¦}", ("found }",)),
        ("ASK { GRAPH <g> { ¦STREAM <s> [NOW] {} } }", ("STREAM inside GRAPH",)),
        ("ASK { STREAM <s> [NOW] { { ¦STREAM <t> [NOW] {} } } }", ("STREAM inside STREAM",)),
        ("ASK FROM ¦STREAM <s> [NOW] { ?s ?p ?o }", ("FROM STREAM", "C-SPARQL")),
        ("¦REGISTER QUERY q AS ASK {}", ("REGISTER", "C-SPARQL")),
        ("ASK { ?s ?p ¦STREAM <s> [NOW] {} }", ("found STREAM", "a variable")),
        ("ASK { STREAM <s> [NOW] { ?s ?p ¦} }", ("found }",)),
    ],
)
def test_a_wrong_block_is_refused_at_its_place(marked, words):
    fails_at_mark(marked, *words, kind=QueryError, engine=Language.CQELS)


def test_a_variable_in_the_place_of_the_stream_ranges_over_the_streams():
    block = read_query("SELECT * { STREAM ?g [TRIPLES 5] { ?s ?p ?o } }", "q.rq").pattern
    assert (block.stream, block.window) == (Variable("g"), Rows(5))
    window = window_operator(block.window, block.stream, read_duration("1s"), "closed")
    assert window == TupleWindow(5, by=(4,))


@pytest.mark.parametrize("group", ["{}", "{ FILTER(true) }", "{} FILTER EXISTS { STREAM ?g [NOW] {} }"])
def test_a_variable_stream_without_a_pattern_ranges_over_the_streams_in_its_window(group):
    query = read_query(f"SELECT * {{ STREAM ?g [RANGE 2s] {group} }}", "q.rq")
    triple = "<urn:a>", "<urn:p>", "<urn:b>"
    facts = Fact(1, "striple", (*triple, "<urn:s>")), Fact(3, "striple", (*triple, "<urn:r>"))
    situation = Situation(Interval(0, 3), facts, {})
    (found,) = models(lars_program(query, Setting()), situation, 3)
    rows = sorted(str(atom.arguments[0]) for _, atom in found if atom.predicate == "ans1")
    assert rows == (["<urn:r>"] if "EXISTS" in group else ["<urn:r>", "<urn:s>"])


@pytest.mark.parametrize(
    "group",
    [
        "{ VALUES ?x { 1 } }",
        "{ VALUES ?a { <e:z> } ?a <e:p> ?b }",
        "{ BIND (1 AS ?x) }",
        "{ OPTIONAL { ?a <e:p> ?b } }",
        "{ FILTER EXISTS { ?a <e:p> ?b } OPTIONAL { ?a <e:q> ?b } }",
        "{ { ?a <e:p> ?b } UNION { VALUES ?a { <e:z> } } }",
        "{ { OPTIONAL { ?a <e:q> ?b } } ?a <e:p> ?c }",
        "{ {} UNION { ?a <e:p> ?b } }",
        "{ ?a <e:p> ?b OPTIONAL { BIND (2 AS ?x) } }",
        "{ ?a <e:p> ?b MINUS { ?b <e:p> ?a } }",
    ],
)
def test_a_variable_stream_is_bound_whatever_its_block_holds(group):
    streams = {"<e:r>": ("a p b", "b p a"), "<e:s>": ("a q b", "z p a"), "<e:t>": ("b r b",)}
    facts, expected = [], set()
    query = read_query(f"SELECT * {{ STREAM ?g [RANGE 2s] {group} }}", "q.rq", Language.CQELS)
    for name, triples in streams.items():
        store = ox.Store()
        for triple in triples:
            terms = [ox.NamedNode(f"e:{part}") for part in triple.split()]
            store.add(ox.Quad(*terms))
            facts.append(Fact(1, "striple", (*map(str, terms), name)))
        found = store.query(f"SELECT * {group}")
        names = [variable.value for variable in found.variables]
        rows = [{"g": name} | {each: str(row[each] or "null") for each in names} for row in found]
        expected |= {tuple(row[variable.name] for variable in sorted(query.result)) for row in rows}
    program = lars_program(query, Setting(profile="sparql11"))
    (answer,) = models(program, Situation(Interval(0, 2), facts, {}), 2)
    assert Variable("g") in query.result
    assert {tuple(map(str, atom.arguments)) for _, atom in answer if atom.predicate == "ans1"} == expected


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("SELECT * { STREAM ?g [NOW] { { ¦SELECT ?a { ?a ?p ?b } } } }", "SELECT inside STREAM ?g"),
        ("SELECT * { STREAM ?g [NOW] { ?a ?p ?b ¦MINUS { ?c ?q ?d } } }", "MINUS inside STREAM ?g"),
        (
            "SELECT * { STREAM ?g [NOW] { ?a ?p ?b OPTIONAL { ?b ?q ?c } ¦MINUS { ?c ?r ?d } } }",
            "MINUS inside STREAM ?g",
        ),
    ],
)
def test_what_would_not_be_evaluated_stream_by_stream_is_refused_in_a_variable_stream(marked, words):
    fails_at_mark(marked, words, kind=UnsupportedError)
    read_query(marked.replace("¦", "").replace("STREAM ?g", "STREAM <g>"), "q.rq")


def test_an_operator_is_no_word_of_cqels():
    marked = "SELECT ¦ISTREAM ?s { STREAM <s> [NOW] { ?s ?p ?o } }"
    fails_at_mark(marked, "ISTREAM", "in a query of CQELS", kind=QueryError, engine=Language.CQELS)
