"""SPARQL 1.1: subqueries, groups, aggregates, and the solution modifiers."""

import pytest

from lars.language.formulas import Aggregation, Call, OrderKey
from lars.language.terms import XSD, Iri, Literal, Variable
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.model.patterns import (
    Bgp,
    Exists,
    Extend,
    Filter,
    Group,
    Join,
    Modifiers,
    Select,
    StreamBlock,
    TriplePattern,
    Values,
)
from translate.model.windows import Now

S, P, O, G, N = (Variable(name) for name in "spogn")  # noqa: E741 - the names of the texts
A0, K0, X0, O0 = (Variable(name) for name in ("_a0", "_k0", "_x0", "_o0"))
ONE, TWO = (Literal(text, XSD + "integer") for text in "12")
SPO = Bgp((TriplePattern(S, P, O),))


def pattern_of(text):
    return read_query(text, "q.rq").pattern


def modifiers_of(text):
    return read_query(text, "q.rq").modifiers


def grouped(*aggregates, keys=(), pattern=SPO):
    return Group(pattern, keys, aggregates)


@pytest.mark.parametrize(
    ("text", "aggregation"),
    [
        ("COUNT(*)", Aggregation("COUNT")),
        ("count( DISTINCT * )", Aggregation("COUNT", (S, P, O), distinct=True)),
        ("COUNT(?o)", Aggregation("COUNT", (O,))),
        ("COUNT(DISTINCT ?o)", Aggregation("COUNT", (O,), distinct=True)),
        ("SUM((?o))", Aggregation("SUM", (O,))),
        ("avg(?o)", Aggregation("AVG", (O,))),
        ("MIN(?o)", Aggregation("MIN", (O,))),
        ("MAX(DISTINCT ?o)", Aggregation("MAX", (O,), distinct=True)),
        ("SAMPLE(?o)", Aggregation("SAMPLE", (O,))),
        ("GROUP_CONCAT(?o)", Aggregation("GROUP_CONCAT", (O,))),
        ("GROUP_CONCAT(DISTINCT ?o ; SEPARATOR = ', ')", Aggregation("GROUP_CONCAT", (O,), True, ", ")),
    ],
)
def test_an_aggregate_alone_is_bound_to_its_name(text, aggregation):
    assert pattern_of(f"SELECT ({text} AS ?n) {{ ?s ?p ?o }}") == grouped((N, aggregation))


def test_other_aggregates_get_fresh_variables_and_equal_ones_are_one():
    text = "SELECT (COUNT(?o) + COUNT(?s) * COUNT(?o) AS ?n) { ?s ?p ?o }"
    a1 = Variable("_a1")
    groups = grouped((A0, Aggregation("COUNT", (O,))), (a1, Aggregation("COUNT", (S,))))
    assert pattern_of(text) == Extend(groups, N, Call("+", (A0, Call("*", (a1, A0)))))


def test_an_aggregate_selected_twice_is_bound_once():
    groups = grouped((N, Aggregation("COUNT")))
    assert pattern_of("SELECT (COUNT(*) AS ?n) (COUNT(*) AS ?m) { ?s ?p ?o }") == Extend(
        groups, Variable("m"), N
    )


def test_expressions_of_keys_and_arguments_extend_the_pattern():
    text = "SELECT ?g (SUM(?o + 1) AS ?n) { ?s ?p ?o } GROUP BY ?s (?o * 2 AS ?g) STR(?p) (?o)"
    pattern = Extend(SPO, G, Call("*", (O, TWO)))
    pattern = Extend(Extend(pattern, K0, Call("STR", (P,))), X0, Call("+", (O, ONE)))
    assert pattern_of(text) == Group(pattern, (S, G, K0, O), ((N, Aggregation("SUM", (X0,))),))


def test_having_values_and_select_stand_around_the_groups_in_this_order():
    text = "SELECT ?s (MAX(?o) + 1 AS ?n) { ?s ?p ?o } GROUP BY ?s HAVING (MAX(?o) > 1) VALUES ?s { <a> }"
    groups = grouped((A0, Aggregation("MAX", (O,))), keys=(S,))
    filtered = Filter(groups, Call(">", (A0, ONE)))
    joined = Join(filtered, Values((S,), ((Iri("a"),),)))
    assert pattern_of(text) == Extend(joined, N, Call("+", (A0, ONE)))


def test_several_conditions_of_having_are_one_conjunction():
    text = "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1) ISIRI(?s)"
    groups = grouped((A0, Aggregation("COUNT")), keys=(S,))
    condition = Call("&&", (Call(">", (A0, ONE)), Call("ISIRI", (S,))))
    assert pattern_of(text) == Filter(groups, condition)


def test_a_variable_behind_the_groups_that_is_no_key_is_a_sample():
    text = "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING (?o > 1) ORDER BY ?p"
    a1 = Variable("_a1")
    samples = (A0, Aggregation("SAMPLE", (O,))), (a1, Aggregation("SAMPLE", (P,)))
    assert pattern_of(text) == Filter(grouped(*samples, keys=(S,)), Call(">", (A0, ONE)))
    assert modifiers_of(text).order == (OrderKey(a1),)


def test_a_name_of_select_stands_for_its_expression_in_having():
    text = "SELECT (COUNT(*) AS ?n) (?n + 1 AS ?g) { ?s ?p ?o } HAVING (?n > 1 && ?g > 2)"
    condition = Call("&&", (Call(">", (N, ONE)), Call(">", (Call("+", (N, ONE)), TWO))))
    filtered = Filter(grouped((N, Aggregation("COUNT"))), condition)
    assert pattern_of(text) == Extend(filtered, G, Call("+", (N, ONE)))


def test_having_without_groups_is_a_filter():
    assert pattern_of("SELECT ?s { ?s ?p ?o } HAVING (?o > 1)") == Filter(SPO, Call(">", (O, ONE)))


def test_exists_beside_groups_stands_where_its_expression_does():
    text = """SELECT (SUM(EXISTS {}) AS ?n) { ?s ?p ?o } GROUP BY (EXISTS {} AS ?g)
              HAVING (NOT EXISTS {}) ORDER BY (EXISTS {})"""
    exists = [Exists(Variable(f"_e{number}"), Bgp()) for number in range(4)]
    pattern = Extend(SPO, G, exists[1].variable, (exists[1],))
    pattern = Extend(pattern, X0, exists[0].variable, (exists[0],))
    groups = Group(pattern, (G,), ((N, Aggregation("SUM", (X0,))),))
    filtered = Filter(groups, Call("!", (exists[2].variable,)), (exists[2],))
    assert pattern_of(text) == Extend(filtered, O0, exists[3].variable, (exists[3],))


@pytest.mark.parametrize(
    ("text", "modifiers"),
    [
        ("SELECT ?s { ?s ?p ?o }", Modifiers()),
        ("SELECT DISTINCT ?s { ?s ?p ?o }", Modifiers("DISTINCT")),
        ("select reduced * { ?s ?p ?o }", Modifiers("REDUCED")),
        (
            "SELECT ?s { ?s ?p ?o } ORDER BY DESC(?o) ?s ASC(?p)",
            Modifiers(order=(OrderKey(O, True), OrderKey(S), OrderKey(P))),
        ),
        ("SELECT ?s { ?s ?p ?o } LIMIT 5 OFFSET 2", Modifiers(offset=2, limit=5)),
        ("SELECT ?s { ?s ?p ?o } OFFSET 2 LIMIT 0", Modifiers(offset=2, limit=0)),
        ("ASK { ?s ?p ?o } ORDER BY (?s) OFFSET 1", Modifiers(order=(OrderKey(S),), offset=1)),
        ("CONSTRUCT { ?s ?p 1 } WHERE { ?s ?p ?o } LIMIT 1", Modifiers(limit=1)),
        ("DESCRIBE ?s { ?s ?p ?o } LIMIT 1", Modifiers(limit=1)),
    ],
)
def test_modifiers_are_kept_for_every_form(text, modifiers):
    assert modifiers_of(text) == modifiers
    assert pattern_of(text) == SPO


def test_expressions_of_order_by_extend_the_solutions():
    text = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o } ORDER BY DESC(?n + 1) COUNT(*) ABS(?n)"
    groups = grouped((N, Aggregation("COUNT")))
    first = Extend(groups, O0, Call("+", (N, ONE)))
    assert pattern_of(text) == Extend(first, Variable("_o1"), Call("ABS", (N,)))
    assert modifiers_of(text).order == (OrderKey(O0, True), OrderKey(N), OrderKey(Variable("_o1")))


def test_a_subquery_is_seen_through_its_result():
    text = "SELECT * { ?s ?p ?o { SELECT DISTINCT ?s { ?s ?p ?o } ORDER BY ?o LIMIT 1 VALUES ?s { 1 } } }"
    inner = Join(SPO, Values((S,), ((ONE,),)))
    select = Select(inner, (S,), Modifiers("DISTINCT", (OrderKey(O),), 0, 1))
    assert pattern_of(text) == Join(SPO, select)


def test_a_subquery_selects_all_that_is_in_scope_and_no_blank_nodes():
    query = read_query("SELECT * { { SELECT * { [] ?p ?o } } }", "q.rq")
    blank = Bgp((TriplePattern(Variable("_b0"), P, O),))
    assert (query.result, query.pattern) == ((P, O), Select(blank, (P, O)))


def test_the_whole_pattern_can_be_a_subquery():
    text = "SELECT ?n { SELECT (COUNT(*) AS ?n) { ?s ?p ?o } }"
    assert pattern_of(text) == Select(grouped((N, Aggregation("COUNT"))), (N,))


@pytest.mark.parametrize(
    "inner",
    [
        "SELECT ?s ?s { ?s ?p ?o }",
        "SELECT (COUNT(*) AS ?n) (?n + 1 AS ?m) (BOUND(?m) AS ?k) { ?s ?p ?o }",
        "SELECT ?z { ?s ?p ?o } GROUP BY ?z",
        "SELECT (EXISTS { ?s ?p ?o } AS ?e) { ?s ?p ?o } GROUP BY ?s",
        "SELECT (1 AS ?x) { MINUS { ?x ?p ?o } FILTER (?x > 1) }",
    ],
)
def test_a_subquery_is_read_wherever_it_stands_as_it_is_alone(inner):
    for text in (f"SELECT * {{ {{ {inner} }} ?a ?b ?c }}", f"ASK {{ OPTIONAL {{ {inner} }} ?a ?b ?c }}"):
        found = pattern_of(text)
        select = found.left if isinstance(found.left, Select) else found.left.right
        alone = read_query(inner, "q.rq")
        assert (select.pattern, select.result) == (alone.pattern, alone.result)


def test_a_subquery_of_a_stream_block_reads_the_stream():
    text = "ASK { STREAM <s> [NOW] { { SELECT ?s { ?s ?p ?o } } } }"
    assert pattern_of(text) == Select(StreamBlock(Iri("s"), Now(), SPO), (S,))


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("SELECT * { ?s ?p ?o } ¦GROUP BY ?s", ("found GROUP", "SELECT *")),
        ("SELECT (SUM(1 + ¦MAX(?o)) AS ?x) { ?s ?p ?o }", ("found MAX", "no aggregate")),
        ("ASK { ?s ?p ?o FILTER (1 < ¦COUNT(*)) }", ("found COUNT", "no aggregate")),
        ("ASK { ?s ?p ?o BIND (¦GROUP_CONCAT(?o; SEPARATOR='') AS ?x) }", ("found GROUP_CONCAT",)),
        ("SELECT (1 AS ?x) { ?s ?p ?o } GROUP BY (¦SUM(?o) AS ?y)", ("found SUM", "no aggregate")),
        ("SELECT (COUNT(?o) AS ¦?o) { ?s ?p ?o }", ("found ?o", "is bound")),
        ("SELECT (1 AS ¦?x) {} VALUES ?x { 2 }", ("found ?x", "is bound")),
        ("SELECT (1 AS ¦?k) { ?s ?p ?o } GROUP BY (?s AS ?k)", ("found ?k", "is bound")),
        ("SELECT ?s { ?s ?p ?o } GROUP BY (?o AS ¦?s)", ("found ?s", "is bound")),
        ("SELECT ?s { ?s ?p ?o } LIMIT ¦?s", ("found ?s", "an integer")),
        ("SELECT ?s { ?s ?p ?o } LIMIT ¦99999999999999999999", ("at most 18 digits",)),
        ("SELECT ?s { ?s ?p ?o } GROUP ¦?s", ("found ?s", "BY")),
        ("SELECT (COUNT(?s ¦?o) AS ?n) { ?s ?p ?o }", ("found ?o", ")")),
        ("SELECT (COUNT(*) ¦?n) { ?s ?p ?o }", ("found ?n", "AS")),
    ],
)
def test_a_mistake_about_groups_is_refused_at_its_place(marked, words):
    fails_at_mark(marked, *words)
