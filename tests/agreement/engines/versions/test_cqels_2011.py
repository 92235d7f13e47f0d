"""CQELS as functional-testing-2013 and csrbench-2013 recorded it: its faults, and what they explain."""

import json
from collections import Counter, defaultdict
from functools import cache

import pyoxigraph
import pytest

from agreement.documents.recordings import Push
from agreement.engines.versions.cqels import CQELS_2011
from agreement.engines.versions.cqels_text import read_written
from solver.facts import Static
from solver.rdf import canonical
from solver.rdf.terms import text_of_oxigraph
from tests.agreement.engines.recorded_bags import bags, comparable
from tests.agreement.engines.versions.cqels_runs import reported
from tests.agreement.engines.versions.cqels_specification import (
    KNOWN,
    PREFIX,
    SHAPES,
    by_rdflib,
    drawn,
    in_cqels,
    plain,
)
from tests.benches import BOTH, GREENHOUSE, QUERIES, triple_files
from tests.sizes import few

ENGINE = CQELS_2011
ALL = tuple(rule.name for rule in ENGINE.rules)
ROOMS = "SELECT ?p1 ?p2 ?room { STREAM :S [RANGE 3s SLIDE 3s] { ?p1 :in ?room . ?p2 :in ?room } }"
SECOND = "0 S m1 in r1/5000 S m2 in r2/10000 S m3 in r1/15000 S m4 in r2"
SAME = (
    "SELECT ?room { STREAM :S [RANGE 10s SLIDE 10s] { ?p1 :in ?room . ?p2 :in ?room } "
    "FILTER (STR(?p1) < STR(?p2)) }"
)
FIRST = ("1000 S m1 in r1", "3000 S m2 in r1", "12000 S m1 in r2", "15000 S m2 in r2")


def run(query, lines, known="", off=()):
    return reported(ENGINE, query, lines, known, off)


def test_the_shared_window_explains_what_was_recorded_of_stream_2():
    found = run(ROOMS, SECOND)
    assert found == [
        (0, "m1 m1 r1"),
        (1, "m2 m2 r2"),
        (2, "m1 m3 r1"),
        (2, "m3 m3 r1"),
        (3, "m2 m4 r2"),
        (3, "m4 m4 r2"),
    ]


def test_without_it_stream_2_is_answered_as_specified():
    assert run(ROOMS, SECOND, off=("2011a",)) == [
        (0, "m1 m1 r1"),
        (1, "m2 m2 r2"),
        (2, "m3 m3 r1"),
        (3, "m4 m4 r2"),
    ]


@pytest.mark.parametrize(
    ("start", "rooms"), [(0, [(1, "r1"), (3, "r2")]), (1, [(2, "r2")]), (2, [(1, "r2")])]
)
def test_stream_1_is_answered_with_what_came_after_the_registration(start, rooms):
    assert run(SAME, "/".join(FIRST[start:])) == rooms


BY_HAND = {
    "2011a only the last pattern's buffer is purged": (
        ("2011a", "SELECT ?a ?b { STREAM :S [RANGE 1s] { ?s :p ?a . ?s :q ?b } }",
         "0 S x p 1/0 S x q 2/5000 S x q 3/9000 S x p 4", ""),
        [(1, "1 2"), (2, "1 3")], [(1, "1 2")],
    ),
    "2011a two blocks have two windows": (
        ("2011a", "SELECT ?a ?b { STREAM :S [RANGE 1s] { ?s :p ?a } STREAM :S [RANGE 9s] { ?s :q ?b } }",
         "0 S x p 1/5000 S x q 2/6000 S x p 3", ""),
        [(1, "1 2"), (2, "3 2")], [(2, "3 2")],
    ),
    "2011b patterns without a shared variable are not joined, nor filtered": (
        ("2011b", "SELECT ?a ?b { STREAM :S [RANGE 9s] { ?s :p ?a . ?t :q ?b } FILTER(?a > ?b) }",
         "0 S x p 1/1 S x q 2", ""),
        [(0, "1 -"), (1, "- 2")], [],
    ),
    "2011c what expires makes no report": (
        ("2011c", "SELECT (SUM(?b) AS ?n) { STREAM :S [RANGE 1s] { ?s :p ?a . ?s :q ?b } }",
         "0 S x p 1/0 S x q 2/900 S x q 3/1500 S y p 9", ""),
        [(1, "2"), (2, "5")], [(1, "2"), (2, "5"), (3, "3")],
    ),
    "2011c an equal row is reported for each triple that completes it": (
        ("2011c", "SELECT ?s { STREAM :S [RANGE 1s] { ?s :p ?a } }", "0 S x p 1/2000 S x p 1", ""),
        [(0, "x"), (1, "x")], [(0, "x")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "engine", "specified"), BY_HAND.values(), ids=BY_HAND)
def test_a_fault_by_hand_on_and_off(case, engine, specified):
    rule, query, lines, known = case
    assert run(query, lines, known) == engine
    assert run(query, lines, known, (rule,)) == specified


def test_a_filter_in_stream_is_applied():
    query = "SELECT ?a { STREAM :S [RANGE 1s] { ?s :p ?a FILTER(?a > 5) } }"
    assert run(query, "0 S x p 1/5 S x p 9") == [(1, "9")]


@pytest.mark.parametrize("shape", few(SHAPES, 5), ids=" ".join)
def test_without_its_faults_it_is_the_specification(shape):
    windows, lines = drawn(900 + SHAPES.index(shape))
    found = run(in_cqels(shape, windows).removeprefix(PREFIX), lines, KNOWN, ALL)
    assert sorted((n, " ".join(map(plain, row.split()))) for n, row in found) == by_rdflib(
        shape, windows, lines
    )


@cache
def pushes(bench):
    """Return the stream of a benchmark, which has a file for each second."""
    found = []
    for second, path in triple_files(bench).items():
        for quad in pyoxigraph.parse(path.read_bytes(), format=pyoxigraph.RdfFormat.TURTLE):
            triple = tuple(map(text_of_oxigraph, (quad.subject, quad.predicate, quad.object)))
            found.append(Push(second * 1000.0, f"<{bench.iri}>", triple))
    return found


def recorded(bench, number):
    """Return the rows that CQELS answered, as a multiset for each second."""
    found = defaultdict(Counter)
    for relation in json.loads(bench.answers("cqels", number))["relations"]:
        for one in relation["results"]["bindings"]:
            terms = [one["binding"][name] for name in sorted(one["binding"])]
            found[relation["timestamp"] // 1000][tuple(map(written, terms))] += 1
    return found


def written(term):
    if term["type"] == "uri":
        return canonical(f"<{term['value']}>")
    return comparable(canonical(f'"{term["value"]}"^^<{term["datatype"]}>'))


def predicted(bench, number, off=()):
    query = read_written(bench.query("cqels", number), "q.rq")
    found = ENGINE.run(query, Static(frozenset(), {}), pushes(bench), frozenset(off))
    return bags(found, lambda report: report.t // 1000)


@pytest.mark.parametrize("number", QUERIES)
@pytest.mark.parametrize("bench", BOTH)
def test_every_row_of_a_benchmark_is_predicted_at_its_second(bench, number):
    known = recorded(bench, number)
    assert predicted(bench, number) == known
    assert sum(bag.total() for bag in known.values()) == (6 if bench is GREENHOUSE else 15)


@pytest.mark.parametrize("bench", BOTH)
def test_the_specification_has_more_averages_than_were_recorded(bench):
    # Whole answers are compared, so an average that changes as readings expire is new.
    specified, known = predicted(bench, 4, ALL), recorded(bench, 4)
    assert all(not bag - specified[second] for second, bag in known.items())
    assert sum(bag.total() for bag in specified.values()) == (9 if bench is GREENHOUSE else 26)
