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


def rows(query, data):
    """Return the rows as a sorted list of short texts."""
    found = answer(read(PREFIX + query), list(triples(data)), {})
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
    "a walk of no step in EXISTS": (
        "SELECT ?s { VALUES ?s { :nowhere } FILTER EXISTS { ?s (:zz?)+ ?y } }",
        TWO,
        ["nowhere"],
    ),
    "two calls that are alike": ("SELECT (RAND() = RAND() AS ?same) {}", TWO, ["false"]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_that_of_sparql(name):
    query, data, expected = CASES[name]
    assert rows(query, data) == expected
