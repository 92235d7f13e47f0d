"""Queries that were answered wrongly once, each in its smallest case, against what SPARQL says."""

import pytest

from agreement.sources import sources
from tests.sparql.engine import answer, read
from translate.dialects import read_query
from translate.errors import ModelError
from translate.profiles import Setting
from translate.remarks import remarks
from translate.strategies import cq, model_of_csparql
from translate.translation import translated
from translate.windows import Bounds

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
        translated(read_query(PREFIX + text, "q.rq"), Setting())


def test_a_window_that_ends_before_its_pivot_is_closed_whatever_the_bounds_are():
    text = "SELECT ?a FROM NAMED STREAM <http://e/s> [NOW - 3 S TO NOW - 1 S] { ?a ?p ?b }"
    query = read_query(text, "q.rq")
    assert len({str(translated(query, Setting(bounds=bounds))) for bounds in Bounds}) == 1


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
