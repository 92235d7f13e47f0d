"""Functions that depend on when, or in which solution, they are asked: f:timestamp, NOW, RAND, BNODE."""

import pytest

from lars.durations import Duration
from lars.language.windows import Interval
from solver.facts import Fact, Situation, constant_of
from solver.job import ask
from tests.solver.in_process import evaluate
from translate.dialects import read_query
from translate.model.query import Setting
from translate.tau import lars_program, output_of

PREFIX = "PREFIX : <http://e/> PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#> "
STREAM = "FROM STREAM <http://e/s> [RANGE 4s STEP 1s]"
HALF = Duration(5 * 10**8)


def rows(select, where, arrivals, last=9, **setting):
    """Return the rows at each time, as lexical forms; an arrival is (t, "s o") of the property :p."""
    query = read_query(f"{PREFIX} SELECT {select} {STREAM} {{ {where} }}", "q.rq")
    facts = [Fact(t, "striple", triple(text)) for t, text in arrivals]
    output = output_of(query, Setting(**setting))
    question = ask(lars_program(query, Setting(**setting)), output.predicate)
    found = {}
    for _, t, row in evaluate([question], Situation(Interval(0, last), facts, {}), Interval(0, last)):
        found.setdefault(t, set()).add(tuple(map(short, row)))
    return found


def triple(text):
    s, o = text.split()
    return f"<http://e/{s}>", "<http://e/p>", f"<http://e/{o}>", "<http://e/s>"


def short(text):
    term = None if text is None else constant_of(text)
    return getattr(term, "lexical", None) or getattr(term, "value", None) or getattr(term, "label", None)


TWICE = [(1, "a b"), (3, "a b")]


def test_a_timestamp_is_that_of_the_latest_arrival_in_the_window():
    found = rows("?t", "?x :p ?y BIND(f:timestamp(?x, :p, ?y) AS ?t)", TWICE)
    assert found == {t: {("1000",)} for t in (1, 2)} | {t: {("3000",)} for t in range(3, 8)}


def test_a_timestamp_counts_milliseconds_whatever_the_unit_is():
    query = "?x :p ?y BIND(f:timestamp(?x, :p, ?y) AS ?t)"
    assert rows("?t", query, [(1, "a b")], 2, unit=HALF) == {2: {("500",)}}


def test_a_statement_that_is_not_in_the_window_has_no_timestamp():
    where = "?x :p ?y BIND(f:timestamp(?y, :p, ?x) AS ?t) FILTER(!BOUND(?t))"
    assert rows("?t", where, [(1, "a b")], 1) == {1: {(None,)}}


def test_a_timestamp_in_a_filter_compares_arrivals():
    arrivals = [(1, "a b"), (2, "b c"), (4, "a b")]
    where = "?x :p ?y . ?y :p ?z FILTER(f:timestamp(?x, :p, ?y) < f:timestamp(?y, :p, ?z))"
    assert set(rows("?x", where, arrivals)) == {2, 3}


def test_two_timestamps_in_one_condition_are_two_times():
    arrivals = [(1, "a b"), (2, "b c")]
    calls = "f:timestamp(?x, :p, ?y) < 5000 && f:timestamp(?y, :p, ?z) < 5000 && YEAR(NOW()) > 1900"
    assert set(rows("?x", f"?x :p ?y . ?y :p ?z FILTER({calls})", arrivals)) == {2, 3, 4, 5}


def test_now_is_the_time_of_evaluation():
    found = rows("?n", "?x :p ?y BIND(NOW() AS ?n)", [(5, "a b")], 6)
    assert found == {5: {("1970-01-01T00:00:05Z",)}, 6: {("1970-01-01T00:00:06Z",)}}


def test_now_counts_from_the_origin():
    found = rows("?n", "?x :p ?y BIND(NOW() AS ?n)", [(5, "a b")], 5, origin="2026-11-21T10:00:00Z")
    assert found == {5: {("2026-11-21T10:00:05Z",)}}


@pytest.mark.parametrize("call", ["RAND()", "STRUUID()", "BNODE()", "UUID()"])
def test_each_solution_has_a_value_of_its_own_and_keeps_it(call):
    found = rows("?q ?r ?x", f"?x :p ?y BIND({call} AS ?r) BIND({call} AS ?q)", [(1, "a b"), (1, "b c")], 2)
    values = {value for row in found[1] for value in row[:2]}
    assert (len(values), found[1] == found[2]) == (4, True)


def test_a_call_has_one_value_in_all_disjuncts_of_its_condition():
    condition = "RAND() < 0.5 && (BOUND(?x) || ISIRI(?x) || ISIRI(?y))"
    arrivals = [(1, f"a{number} b") for number in range(40)]
    kept, left = (rows("?x", f"?x :p ?y FILTER({sign}({condition}))", arrivals, 1)[1] for sign in ("", "!"))
    # Both filters ask the same call at the same place, so each solution passes exactly one of them.
    assert (len(kept | left), kept & left) == (40, set())
