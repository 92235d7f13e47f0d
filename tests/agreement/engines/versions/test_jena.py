"""What C-SPARQL 0.9.7 answers over its window: SPARQL 1.1, but for numbers by value and groups of nothing."""

import pytest

from agreement.documents.recordings import Push
from agreement.engines.versions.csparql_097 import CSPARQL_097
from solver.facts import Static
from tests.agreement.engines.versions.csparql_runs import pushed, query, recording, rows, term
from translate.dialects import read_query

NOTHING = pushed("500 S a q 1^", "1500 S b q 1^")
EQUAL = pushed(
    *("500 S a p 1^", "510 S b p 01^", "520 S c p 2^", "530 S a q 1.0^decimal", "540 S b q +1^int"),
    *(
        "550 S d q 1^double",
        "560 S e p 1.0^double",
        "570 S f p 1^string",
        "580 S g q 1^float",
        "1500 S z z 9^",
    ),
)


def found(body, pushes, off=()):
    return rows(query("S 9s STEP 1s", body), pushes, off)


@pytest.mark.parametrize(
    ("aggregate", "of_nothing"),
    [
        ("COUNT(*)", "0"),
        ("COUNT(?o)", "0"),
        ("COUNT(DISTINCT ?o)", "0"),
        ("AVG(?o)", "0"),
        ("AVG(DISTINCT ?o)", "0"),
        *((f"{name}(?o)", "-") for name in ("SUM", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")),
    ],
)
@pytest.mark.parametrize("by", ["", "GROUP BY ?s", "GROUP BY ?s ?o", "GROUP BY (STR(?s) AS ?k)"])
def test_aggregates_over_nothing_give_one_row(aggregate, of_nothing, by):
    assert found(f"SELECT ({aggregate} AS ?n) WHERE {{ ?s :p ?o }} {by}", NOTHING) == [of_nothing]


def test_a_key_of_nothing_is_unbound_and_groups_of_something_are_as_ever():
    body = "SELECT ?s (SUM(?o) AS ?t) WHERE { ?s :q ?o } GROUP BY ?s"
    assert found(body.replace(":q", ":p"), NOTHING) == ["- -"]
    assert found(body, pushed("500 S a q 1^", "501 S a q 2^", "502 S b q 2^", "1500 S a z 1^")) == [
        "a 3",
        "b 2",
    ]


@pytest.mark.parametrize(
    ("having", "answers"), [("COUNT(?o) = 0", ["0"]), ("COUNT(?o) > 0", []), ("MAX(?o) < 9", [])]
)
def test_having_is_asked_of_the_row_of_nothing(having, answers):
    body = f"SELECT (COUNT(?o) AS ?n) WHERE {{ ?s :p ?o }} GROUP BY ?s HAVING ({having})"
    assert found(body, NOTHING) == answers


def test_without_an_aggregate_there_is_no_row_of_nothing():
    assert found("SELECT ?s WHERE { ?s :p ?o } GROUP BY ?s", NOTHING) == []


def test_an_unbound_key_of_a_subquery_joins_with_everything():
    body = "SELECT ?s ?n WHERE { ?s :q ?x { SELECT ?s (COUNT(?o) AS ?n) WHERE { ?s :p ?o } GROUP BY ?s } }"
    assert found(body, pushed("500 S a q 1^", "501 S b q 1^", "1500 S a z 1^")) == ["0 a", "0 b"]
    assert found(body, pushed("500 S a q 1^", "501 S b q 1^", "1500 S a z 1^"), {"W6a"}) == []


def test_expressions_over_aggregates_of_nothing_have_their_value_or_none():
    body = "SELECT (COUNT(?o) + 1 AS ?a) (SUM(?o) + 1 AS ?b) WHERE { ?s :p ?o }"
    assert found(body, NOTHING) == ["1 -"]
    assert found(body, NOTHING, {"W6a"}) == ["1 1"]


def test_a_join_is_by_value_among_integers_and_decimals():
    body = "SELECT ?s ?t WHERE { ?s :p ?o . ?t :q ?o }"
    assert found(body, EQUAL) == ["a a", "a b", "b a", "b b", "e d"]
    assert found(body, EQUAL, {"W6b"}) == []


@pytest.mark.parametrize(
    ("constant", "subjects"),
    [("1", "a b"), ("1.0", "a b"), ("01", "a b"), ("2.00", "c"), ("1e0", "e"), ('"1"', "f"), ("3", "")],
)
def test_a_constant_matches_each_triple_of_its_value_space(constant, subjects):
    assert found(f"SELECT ?s WHERE {{ ?s :p {constant} }}", EQUAL) == subjects.split()


def test_a_constant_that_matches_two_triples_gives_two_rows():
    pushes = pushed("500 S a p 1^", "501 S a p 01^", "1500 S b p 1^")
    assert found("SELECT ?s WHERE { ?s :p 1 }", pushes) == ["a", "a"]
    assert found("SELECT DISTINCT ?s WHERE { ?s :p 1 }", pushes) == ["a"]
    assert found("SELECT (COUNT(*) AS ?n) WHERE { ?s :p 1 }", pushes) == ["2"]
    assert found("SELECT ?s WHERE { ?s :p 1 }", pushes, {"W6b"}) == ["a"]


@pytest.mark.parametrize(
    ("body", "answers"),
    [
        ("?s :p ?o OPTIONAL { ?t :q ?o FILTER(?t = :a) } FILTER(?s = :b)", ["b a"]),
        ("?s :p ?o FILTER EXISTS { ?t :q ?o }", ["a -", "b -", "e -"]),
        ("?s :p ?o FILTER NOT EXISTS { ?t :q ?o }", ["c -", "f -"]),
        ("?s :p ?o { { ?t :q ?o } UNION { ?t :none ?o } } FILTER(?s = ?t)", ["a a", "b b"]),
        ("?s :p ?o . ?s :z*/:p 2 . ?t :q 1", ["c a", "c b"]),
        ("?s :p ?o MINUS { ?t :q ?o }", ["a -", "b -", "c -", "e -", "f -"]),
    ],
)
def test_what_is_joined_to_a_pattern_is_matched_by_value_and_minus_is_not(body, answers):
    assert found(f"SELECT ?s ?t WHERE {{ {body} }}", EQUAL) == answers


def test_no_column_is_added():
    asked = query("S 9s STEP 1s", "SELECT * WHERE { ?s :p ?o . ?t :q ?o }")
    report = recording(asked, EQUAL).reports[0]
    assert recording(asked, EQUAL).variables == ("o", "s", "t")
    assert len(report.rows) == 5


def test_static_triples_are_matched_by_value_too():
    static = Static(frozenset(), {term("g"): frozenset(((term("x"), term("r"), term("001^")),))})
    asked = query("S 9s STEP 1s", "SELECT ?s FROM :g WHERE { ?s :p ?o . :x :r ?o }")
    assert rows(asked, EQUAL, static=static) == ["a", "b"]


KIND = "http://www.w3.org/2001/XMLSchema#"
OBJECTS = [
    ("a p", "01", "integer"),
    ("a p", "1.0", "decimal"),
    ("b q", "1", "integer"),
    ("b q", "1.00", "decimal"),
]
WINDOW = "FROM STREAM <http://e/S> [RANGE 2s STEP 1s]"


def node(name):
    return f"<http://e/{name}>"


def pushes():
    for number, (names, text, kind) in enumerate(OBJECTS):
        s, p = names.split()
        yield Push(500 + number, node("S"), (node(s), node(p), f'"{text}"^^<{KIND}{kind}>'))
    yield Push(2500, node("S"), (node("c"), node("r"), node("d")))


@pytest.mark.parametrize("pattern", ["?s :p ?x . ?t :q ?x", "?s :p/^:q ?t", "?s (:p|:q) 1"])
@pytest.mark.parametrize(("off", "rows"), [((), 4), (("W6b",), None)])
def test_equal_numbers_meet_in_joins_sequences_and_alternatives(pattern, off, rows):
    query = read_query(
        f"REGISTER QUERY q AS PREFIX : <http://e/> SELECT * {WINDOW} WHERE {{ {pattern} }}", "q"
    )
    found = CSPARQL_097.run(query, Static(frozenset(), {}), list(pushes()), frozenset(off))
    by_term = 1 if "|" in pattern else 0
    assert len(found.reports[0].rows) == (by_term if rows is None else rows)
