"""SPARQL 1.1: EXISTS, VALUES, SERVICE and functions inside groups, and in the blocks of streams."""

import pytest

from lars.language.formulas import Call
from lars.language.terms import RDF_LANG_STRING, XSD, Iri, Literal, Variable
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.model.patterns import (
    EMPTY,
    Bgp,
    Exists,
    Extend,
    Filter,
    Join,
    LeftJoin,
    Service,
    StreamBlock,
    TriplePattern,
    Union,
    Values,
)
from translate.model.windows import Now, Rows

S, P, O, X, Y = (Variable(name) for name in "spoxy")  # noqa: E741 - the names of the texts
E0, E1, E2 = (Variable(f"_e{number}") for number in range(3))
ONE, TWO, THREE = (Literal(text, XSD + "integer") for text in "123")
SPO, XPY = Bgp((TriplePattern(S, P, O),)), Bgp((TriplePattern(X, P, Y),))
TYPES = """string boolean decimal float double dateTime date time integer nonPositiveInteger
           negativeInteger nonNegativeInteger positiveInteger long int short byte unsignedLong
           unsignedInt unsignedShort unsignedByte"""


def pattern_of(group):
    return read_query(f"PREFIX xsd: <{XSD}> SELECT * {{ {group} }}", "q.rq").pattern


def expression_of(text):
    return pattern_of(f"FILTER ({text})").condition


def test_exists_is_a_variable_of_its_filter_and_not_exists_is_its_negation():
    found = pattern_of("?s ?p ?o FILTER EXISTS { ?x ?p ?y } FILTER (1 > 2 || NOT EXISTS { ?s ?p ?o })")
    condition = Call("&&", (E0, Call("||", (Call(">", (ONE, TWO)), Call("!", (E1,))))))
    assert found == Filter(SPO, condition, (Exists(E0, XPY), Exists(E1, SPO)))


def test_exists_inside_exists_belongs_to_the_inner_filter():
    found = pattern_of("?s ?p ?o FILTER EXISTS { ?x ?p ?y FILTER EXISTS { ?s ?p ?o } }")
    assert found == Filter(SPO, E0, (Exists(E0, Filter(XPY, E1, (Exists(E1, SPO),))),))


def test_exists_in_the_filter_of_an_optional_part_is_the_left_joins():
    found = pattern_of("?s ?p ?o OPTIONAL { ?x ?p ?y FILTER EXISTS {} }")
    assert found == LeftJoin(SPO, XPY, E0, (Exists(E0, EMPTY),))


def test_exists_in_bind_is_the_extensions():
    found = pattern_of("?s ?p ?o BIND (IF(EXISTS { ?x ?p ?y }, 1, 2) AS ?z)")
    assert found == Extend(SPO, Variable("z"), Call("IF", (E0, ONE, TWO)), (Exists(E0, XPY),))


def test_fresh_variables_are_numbered_in_the_order_of_the_text_and_clash_with_no_name():
    query = read_query(
        """SELECT (EXISTS { [] ?p ?_e } AS ?n) { [] ?p [] FILTER EXISTS { [] ?p 1 } _:_b ?p 2 }""", "q.rq"
    )
    select, where = query.pattern, query.pattern.pattern
    assert [select.exists[0].variable.name, where.exists[0].variable.name] == ["__e0", "__e1"]
    first, second = where.pattern.triples
    inner = select.exists[0].pattern.triples[0], where.exists[0].pattern.triples[0]
    blanks = [inner[0].subject, first.subject, first.object, inner[1].subject, second.subject]
    assert [blank.name for blank in blanks] == [f"__b{number}" for number in range(5)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("VALUES ?x { 1 <a> UNDEF }", Values((X,), ((ONE,), (Iri("a"),), (None,)))),
        ("values (?x ?y) { (1 UNDEF) (UNDEF 2) }", Values((X, Y), ((ONE, None), (None, TWO)))),
        (
            "VALUES (?x ?y) { (1 -1) (TRUE 'a'@EN) }",
            Values(
                (X, Y),
                (
                    (ONE, Literal("-1", XSD + "integer")),
                    (Literal("true", XSD + "boolean"), Literal("a", RDF_LANG_STRING, "en")),
                ),
            ),
        ),
        ("VALUES (?x) { ('a'^^xsd:date) }", Values((X,), ((Literal("a", XSD + "date"),),))),
        ("VALUES ?x {}", Values((X,), ())),
        ("VALUES () { () ( ) }", Values((), ((), ()))),
    ],
)
def test_values_is_a_table(text, values):
    assert pattern_of(text) == values
    assert read_query(f"PREFIX xsd: <{XSD}> SELECT * {{}} {text}", "q.rq").pattern == values


def test_bindings_of_drafts_is_values():
    found = read_query("SELECT * { ?s ?p ?o } BINDINGS ?x ?y { (1 2) (UNDEF 3) }", "q.rq").pattern
    assert found == Join(SPO, Values((X, Y), ((ONE, TWO), (None, THREE))))


@pytest.mark.parametrize(
    ("text", "service"),
    [
        ("SERVICE <g> { ?s ?p ?o }", Service(Iri("g"), SPO)),
        ("service silent ?x { ?s ?p ?o }", Service(X, SPO, silent=True)),
        ("SERVICE <g> { SERVICE ?x {} }", Service(Iri("g"), Service(X, EMPTY))),
    ],
)
def test_a_service_is_named_and_keeps_its_pattern(text, service):
    assert pattern_of(text) == service


def test_a_stream_block_hands_its_stream_to_all_basic_graph_patterns_in_it():
    found = pattern_of("STREAM <s> [NOW] { ?s ?p ?o { ?x ?p ?y } UNION {} FILTER EXISTS { ?x ?p ?y } }")
    spo, xpy = (StreamBlock(Iri("s"), Now(), part) for part in (SPO, XPY))
    assert found == Filter(Join(spo, Union(xpy, EMPTY)), E0, (Exists(E0, xpy),))


def test_a_variable_window_is_the_union_of_the_declared_ones_with_equal_blank_nodes():
    windows = "FROM NAMED WINDOW <w> ON <s> [ELEMENTS 1] FROM NAMED WINDOW <v> ON <r> [ELEMENTS 1]"
    text = f"SELECT * {windows} WHERE {{ WINDOW ?x {{ [] ?p ?o }} [] ?p ?o }}"
    blocks = []
    for window, stream in (("w", "s"), ("v", "r")):
        inner = StreamBlock(Iri(stream), Rows(1), Bgp((TriplePattern(Variable("_b0"), P, O),)))
        blocks.append(Join(inner, Values((X,), ((Iri(window),),))))
    after = Bgp((TriplePattern(Variable("_b1"), P, O),))
    assert read_query(text, "q.rq").pattern == Join(Union(*blocks), after)


@pytest.mark.parametrize("name", ["NOW", "RAND", "UUID", "STRUUID", "BNODE", "COALESCE", "CONCAT"])
def test_a_function_without_arguments_is_a_call(name):
    assert expression_of(f"{name.lower()}() = ?x") == Call("=", (Call(name, ()), X))
    assert pattern_of(f"FILTER {name} ( )").condition == Call(name, ())


def test_a_blank_node_can_be_made_of_a_text():
    assert expression_of("BNODE(?x)") == Call("BNODE", (X,))


@pytest.mark.parametrize("kind", TYPES.split())
def test_casts_to_the_types_of_xsd_are_called_by_their_iri(kind):
    assert expression_of(f"xsd:{kind}(?x)") == Call(f"<{XSD}{kind}>", (X,))


def test_the_timestamp_of_a_statement_is_called_by_its_iri():
    iri = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>"
    assert expression_of(f"{iri}(?s, <p>, 1)") == Call(iri, (S, Iri("p"), ONE))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("!!?x", "!(!(?x))"),
        ("!!!EXISTS {} || ?x", "!(!(!(EXISTS {}))) || ?x"),
        ("1 - -?x * 2", "1 - ((-?x) * 2)"),
        ("!-xsd:int(?x) = !!'a'^^xsd:int", "(!(-(xsd:int(?x)))) = (!(!('a'^^xsd:int)))"),
        ("!NOT EXISTS {} && !!'a'@en", "!(NOT EXISTS {}) && !(!('a'@en))"),
        ("1+2-3", "1 + 2 - 3"),
        ("?x-1-1*2", "(?x - 1) - (1 * 2)"),
        ("(?x)-1", "?x - 1"),
        ("EXISTS {} -1", "(EXISTS {}) - 1"),
        ("?x NOT IN (1, -1)", "!(?x IN (1, -1))"),
    ],
)
def test_chains_of_signs_and_numbers_glued_to_their_sign_are_told_apart(text, same):
    assert pattern_of(f"FILTER ({text})") == pattern_of(f"FILTER ({same})")


@pytest.mark.parametrize("clause", ["SELECT (?x-1 AS ?y) {}", "SELECT ?x {} GROUP BY ?x HAVING (?x-1)"])
def test_a_number_glued_to_a_sign_is_subtracted_in_every_clause(clause):
    assert read_query(clause, "q.rq") == read_query(clause.replace("-", " - "), "q.rq")


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("ASK { VALUES (?x ?y) { (1 2) (¦3) } }", ("found 3", "as many terms", "2, not 1")),
        ("ASK { VALUES (¦?x ?y) { () } }", ("2, not 0",)),
        ("ASK {} VALUES ?x { ¦(1) }", ("found (", "}")),
        ("ASK { VALUES ?x { ¦_:b } }", ("found _:b",)),
        ("ASK { VALUES ?x { ¦?y } }", ("found ?y",)),
        ("ASK { VALUES (?x ¦?x) {} }", ("found ?x", "another variable")),
        ("ASK { _:a ?p 1 FILTER EXISTS { ¦_:a ?p 2 } }", ("_:a", "two basic graph patterns")),
        ("ASK { FILTER EXISTS ¦?x }", ("found ?x", "{")),
        ("ASK { FILTER (- ¦-?x) }", ("found -", "a variable")),
        ("ASK { ?s ?p ?o BIND (EXISTS { ?x ?y ?z } AS ¦?s) }", ("found ?s", "is bound")),
        ("ASK { FILTER (¦<http://larkc.eu/csparql/sparql/jena/ext#timestamp>(?s) > 1) }", ("1 arguments",)),
        (
            "ASK { FILTER (<http://larkc.eu/csparql/sparql/jena/ext#timestamp>(?s, ?p, ¦?o + 1) > 1) }",
            ("found ?o", "a variable or a term"),
        ),
    ],
)
def test_a_mistake_in_a_group_is_refused_at_its_place(marked, words):
    fails_at_mark(marked, *words)


DISTANCE = "<http://www.opengis.net/def/geosparql/function/distance>"
METRE = "<http://www.opengis.net/def/uom/OGC/1.0/metre>"


@pytest.mark.parametrize(
    "call",
    [
        "<f>(?x)",
        "<http://www.w3.org/2001/XMLSchema#gYear>(?x)",
        f"{DISTANCE}(?x, ?y)",
        f"{DISTANCE}(?x, ?y, <mile>)",
        f"{DISTANCE}(?x, ?y, {METRE}, 1)",
    ],
)
def test_a_function_without_a_clear_value_is_refused_at_its_place_or_read_to_be_printed(call):
    fails_at_mark(f"ASK {{ FILTER (¦{call}) }}", "; expected a function with a value: those of SPARQL 1.1")
    read = read_query(f"ASK {{ FILTER ({call}) }}", "q.rq", opaque=True)
    assert str(read.pattern) == f"({{}} FILTER {call})"


@pytest.mark.parametrize("name", [DISTANCE, "<http://www.opengis.net/def/function/geosparql/distance>"])
def test_a_distance_in_metres_is_read(name):
    assert isinstance(pattern_of(f"FILTER ({name}(?x, ?y, {METRE}) < 9)"), Filter)
