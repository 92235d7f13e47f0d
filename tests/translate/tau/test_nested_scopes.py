"""Aggregates, slices and EXISTS within each other: their answers are those of SPARQL."""

import pytest

from tests.sparql.engine import answer, read

PREFIX = "PREFIX : <http://e/> "
VALUED = "a v 1, a v 2, b v 3"
TWO = "a p b, a p c, b p c"


def triples(text):
    for row in text.split(", "):
        s, p, o = row.split()
        end = f'"{o}"^^<http://www.w3.org/2001/XMLSchema#integer>' if o.isdigit() else f"<http://e/{o}>"
        yield f"<http://e/{s}>", f"<http://e/{p}>", end


def rows(query, data, named=""):
    """Return the rows as a sorted list of short texts; `named` are the triples of the graph :g."""
    graphs = {"<http://e/g>": list(triples(named))} if named else {}
    found = answer(read(PREFIX + query), list(triples(data)), graphs)
    return sorted(" ".join(map(short, row)) for row in found.rows)


def short(text):
    return "-" if text is None else text.split('"^^')[0].rsplit("/", 1)[-1].strip('<>"')


CASES = {
    "equal conditions above and below an aggregate": (
        """SELECT (COUNT(*) AS ?k) (SUM(?n) AS ?y) {
        { SELECT ?a (COUNT(?b) AS ?n) { ?a :v ?b FILTER(?b > 1) } GROUP BY ?a } ?a :v ?b FILTER(?b > 1) }""",
        VALUED,
        ["2 2"],
    ),
    "equal values above and below a slice": (
        """SELECT ?a ?x { { SELECT ?a ?b { ?a :v ?b BIND(STR(?b) AS ?x) } ORDER BY ?b LIMIT 2 }
        BIND(STR(?b) AS ?x) }""",
        VALUED,
        ["a 1", "a 2"],
    ),
    "a variable named like a witness in an aggregate": (
        "SELECT ?a (SUM(?W1) AS ?n) { { ?a :p ?b } UNION { ?a :q ?b } } GROUP BY ?a",
        TWO,
        ["a -", "b -"],
    ),
    "a slice below a template": ("CONSTRUCT { ?s :in :x } { ?s :p ?y } ORDER BY ?s LIMIT 2", TWO, ["a in x"]),
    "an aggregate of what has no solution on any data, joined": (
        "SELECT ?s ?n { { SELECT (COUNT(?x) AS ?n) { VALUES ?x {} } } ?s :p :b }",
        TWO,
        ["0 a"],
    ),
    "an offset in EXISTS": (
        """SELECT ?s { ?s :p :b FILTER EXISTS { { SELECT ?k { ?x :p ?y . BIND(1 AS ?k) } OFFSET 1 } } }""",
        TWO,
        ["a"],
    ),
    "an order by what is given to EXISTS": (
        "SELECT DISTINCT ?s { ?s :p ?x FILTER EXISTS { SELECT ?s { ?s :p ?y } ORDER BY ?s LIMIT 2 } }",
        TWO,
        ["a", "b"],
    ),
    "a hidden name in an EXISTS that gives the pattern of another names": (
        """SELECT ?s { ?s :v ?n FILTER EXISTS { ?z :v ?n
        { SELECT ?s { ?s :v ?n FILTER EXISTS { ?c :v ?n BIND(?c AS ?s) } } } } }""",
        VALUED,
        ["a", "a", "b"],
    ),
    "an order in a set by two names, one of them the other one with a mark": (
        "SELECT DISTINCT ?s { ?s :p ?x . ?s :q ?x_ } ORDER BY ?x ?x_ LIMIT 2",
        "a p 1, a p 2, a q 9, b p 3, b q 9",
        ["a", "b"],
    ),
    "an order in a set by two numbers of one value": (
        "SELECT DISTINCT ?s { { ?s :v ?n } UNION { ?s :w ?m BIND(?m * 1.0 AS ?n) } } ORDER BY ?n LIMIT 2",
        "a v 1, a w 1, b v 3",
        ["a", "b"],
    ),
    "a group in EXISTS by what is given to EXISTS": (
        """SELECT DISTINCT ?x { ?x ?k ?z
        FILTER EXISTS { SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x } }""",
        f"{TWO}, c q c",
        ["a", "b"],
    ),
    "a group in EXISTS by what nothing binds": (
        "SELECT ?s { ?s :p :b FILTER EXISTS { SELECT (COUNT(*) AS ?n) { ?x :q ?y } GROUP BY ?k } }",
        TWO,
        [],
    ),
    "a walk of no step in EXISTS": (
        "SELECT ?s { VALUES ?s { :nowhere } FILTER EXISTS { ?s (:zz?)+ ?y } }",
        TWO,
        ["nowhere"],
    ),
    "a name that a subquery hides": (
        "SELECT ?x ?z { { SELECT ?z { ?x :p ?z } } }",
        TWO,
        ["- b", "- c", "- c"],
    ),
    "a name that a DISTINCT subquery hides": (
        "SELECT ?x ?z { { SELECT DISTINCT ?z { ?x :p ?z } } }",
        TWO,
        ["- b", "- c"],
    ),
    "a name that a sliced subquery hides": (
        "SELECT ?x ?z { { SELECT ?z { ?x :p ?z } ORDER BY DESC(?z) LIMIT 2 } }",
        TWO,
        ["- c", "- c"],
    ),
    "a name that the inner one of two subqueries hides": (
        "SELECT ?x ?z { { SELECT ?x ?z { { SELECT ?z { ?x :p ?z } } } } }",
        TWO,
        ["- b", "- c", "- c"],
    ),
    "a hidden name that is ordered by": (
        "SELECT ?z { { SELECT ?z { ?x :p ?z } } } ORDER BY ?x LIMIT 3",
        TWO,
        ["b", "c", "c"],
    ),
    "a hidden name that is counted": (
        "SELECT (COUNT(?x) AS ?m) (COUNT(*) AS ?n) { { SELECT ?z { ?x :p ?z } } }",
        TWO,
        ["0 3"],
    ),
    "a hidden name in a template": ("CONSTRUCT { ?z :of ?x } { { SELECT ?z { ?x :p ?z } } }", TWO, []),
    "a selected name that is no key": ("SELECT ?s ?o { ?s :v ?o } GROUP BY ?s", VALUED, ["1 a", "3 b"]),
    "a selected name beside an aggregate": ("SELECT ?s (SUM(?o) AS ?n) { ?s :v ?o }", VALUED, ["6 a"]),
    "a selected name of a group of nothing": ("SELECT ?s (SUM(?o) AS ?n) { ?s :w ?o }", VALUED, ["0 -"]),
    "a selected name that nothing binds": ("SELECT ?z (COUNT(*) AS ?n) {}", VALUED, ["1 -"]),
    "an expression of a name that is no key": (
        "SELECT (?o + 1 AS ?x) (?x + 1 AS ?y) { ?s :v ?o } GROUP BY ?s HAVING (?o > 1)",
        VALUED,
        ["4 5"],
    ),
    "an expression of an aggregate": (
        "SELECT (SUM(?o) AS ?x) (?x + COUNT(*) AS ?y) { ?s :v ?o }",
        VALUED,
        ["6 9"],
    ),
    "a selected name that is a key only as a text": (
        "SELECT (STR(?s) AS ?x) ?s { ?s :v ?o } GROUP BY STR(?s) ORDER BY ?o",
        VALUED,
        ["a a", "b b"],
    ),
    "a name that is no key and that VALUES binds": (
        "SELECT ?s ?o { ?s :v ?o } GROUP BY ?s VALUES ?o { 2 }",
        VALUED,
        ["2 a", "2 b"],
    ),
    "two calls that are alike": ("SELECT (RAND() = RAND() AS ?same) {}", TWO, ["false"]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_that_of_sparql(name):
    query, data, expected = CASES[name]
    assert rows(query, data) == expected


@pytest.mark.parametrize("around", ["{}", "{{ GRAPH :g {{ {} }} }}"])
def test_a_name_that_a_subquery_in_a_graph_hides_is_unbound(around):
    inside = around.format("{ SELECT ?z { ?x :p ?z } }")
    assert rows(f"SELECT ?x ?z {{ GRAPH :g {{ {inside} }} }}", "a q a", TWO) == ["- b", "- c", "- c"]


@pytest.mark.parametrize(
    "inside",
    [
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "GRAPH :g { BIND(1 AS ?n) }",
        "GRAPH ?g { BIND(1 AS ?n) }",
        "SELECT (COUNT(*) AS ?n) { GRAPH :g { ?s ?p ?o } }",
        "VALUES ?n { 1 }",
    ],
)
def test_a_graph_has_a_solution_only_if_it_is_there(inside):
    assert rows(f"SELECT ?n {{ GRAPH :absent {{ {inside} }} }}", "a p b", "c p d") == []
    assert rows(f"SELECT ?n {{ GRAPH :g {{ {inside} }} }}", "a p b", "c p d") == ["1"]
