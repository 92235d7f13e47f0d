"""C-SPARQL 0.9.7: its windows as recorded, and small cases for each rule, worked out by hand."""

import re

import pytest

from agreement.documents.recordings import read_case
from agreement.engines.versions.csparql_097 import bucket, chosen, statement
from lars.errors import LarsError
from solver.facts import Static
from tests.agreement.engines.versions.csparql_runs import (
    arriving,
    pushed,
    query,
    recording,
    reports,
    rows,
    term,
)
from tests.packs import recorded
from translate.dialects import read_query
from translate.model.query import Language


@pytest.mark.parametrize("path", recorded("csparql-0.9.7"))
def test_the_window_is_the_one_that_a_recording_names(path):
    case = read_case(path)
    if case.engine_window is None:  # recordings of living engines name none
        return
    window = chosen(read_query(case.query, case.id, Language.CSPARQL).merged)
    text = re.sub(r"STREAM\d+", f"<{window.stream.value}>", statement(window))
    assert text == case.engine_window


@pytest.mark.parametrize(
    ("window", "view"),
    [
        ("1m STEP 10s", "win:time(60 seconds) output snapshot every 10 seconds"),
        ("1h STEP 1d", "win:time(3600 seconds) output snapshot every 86400 seconds"),
        ("2h TUMBLING", "win:time_batch(7200 seconds)"),
        ("TRIPLES 7", "win:length_batch(7) output snapshot every 7 events"),
    ],
)
def test_a_window_is_asked_for_in_seconds(window, view):
    assert statement(query(f"S {window}").merged[0]) == f"select irstream * from STREAM2302724542.{view}"


def test_the_window_does_not_depend_on_the_order_of_the_query_unless_buckets_are_the_same():
    one, two = "S 10s STEP 2s", "T 2s STEP 1s"
    assert str(chosen(query(f"{one},{two}").merged).stream) == "<http://e/T>"
    assert str(chosen(query(f"{two},{one}").merged).stream) == "<http://e/T>"
    places = {}
    for n in range(1, 40):
        places.setdefault(bucket(statement(query(f"S {n}s STEP 1s").merged[0])), []).append(n)
    first, second = next(found for found in places.values() if len(found) > 1)[:2]
    for one, two in ((first, second), (second, first)):
        asked = query(f"S {one}s STEP 1s,S {two}s STEP 1s")
        assert chosen(asked.merged) == asked.merged[0]


def test_a_triple_on_a_tick_and_the_first_one_expire_early():
    pushes = arriving("a@20500", "b@21000", "c@21500", "d@22500")
    assert reports(query("S 1s STEP 1s"), pushes) == [(21000, 2, ["b"]), (22001, 3, ["c"])]


def test_triples_on_the_tick_of_the_first_one_enter_at_once_and_those_on_the_next_wait_together():
    pushes = arriving("a@20000", "b@20000", "c@21000", "d@21000", "e@22500")
    assert reports(query("S 2s STEP 1s"), pushes) == [(21000, 4, ["a", "b", "c", "d"])]


def test_nothing_is_reported_before_the_clock_is_moved_or_after_the_last_push():
    pushes = arriving("a@20500", "b@21000", "c@21000")
    assert reports(query("S 5s STEP 1s"), pushes) == []
    assert reports(query("S 5s STEP 1s"), []) == []


def test_a_late_triple_sets_the_clock_back_and_stays_behind_a_younger_head():
    pushes = arriving("a@10500", "b@12500", "c@11500", "d@14700")
    found = reports(query("S 2s STEP 1s"), pushes)
    assert found == [(11001, 1, ["a"]), (13001, 3, ["b", "c"]), (14001, 3, ["b", "c"])]


def test_a_triple_older_than_one_that_waits_is_rejected_and_lost():
    pushes = arriving("a@10500", "b@11000", "c@10700", "d@12500", "e@12200", "f@14500")
    found = recording(query("S 5s STEP 1s"), pushes)
    assert found.rejected == (2,)
    assert [len(report.rows) for report in found.reports] == [2, 2, 4, 4]


def test_a_gap_of_many_ticks_is_passed_tick_by_tick():
    found = reports(query("S 3s STEP 1s"), arriving("a@500", "b@3600500"))
    assert found == [(1001, 1, ["a"]), (2001, 1, ["a"])]


def test_a_step_longer_than_the_range_samples():
    pushes = arriving("a@500", "b@1500", "c@2500", "d@3500", "e@6500")
    assert reports(query("S 1s STEP 3s"), pushes) == [(3001, 3, ["c"])]


def test_tumbling_keeps_what_lies_on_a_tick():
    pushes = arriving("a@20500", "b@21000", "c@21500", "d@23500")
    assert reports(query("S 1s TUMBLING"), pushes) == [(21000, 2, ["a", "b"]), (22001, 3, ["c"])]


def test_a_tuple_window_reports_each_triple_once_when_the_last_has_entered():
    pushes = arriving("a@500", "b@1000", "c@1500", "d@1600", "e@1700")
    assert reports(query("S TRIPLES 2"), pushes) == [(500, 2, ["a", "b"]), (1600, 3, ["c", "d"])]


def test_triples_of_other_streams_count_and_are_not_shown():
    pushes = pushed("500 S a p 1^", "600 T b p 1^", "700 T c p 1^", "800 T d p 1^")
    assert reports(query("S TRIPLES 2"), pushes) == [(600, 1, ["a"])]


def test_a_window_with_triples_but_without_a_solution_is_reported():
    pushes = pushed("500 S a q 1^", "1500 S b q 1^")
    assert reports(query("S 2s STEP 1s"), pushes) == [(1001, 1, [])]


def test_static_data_are_merged_with_a_set_of_triples():
    asked = query("S 9s STEP 1s", "SELECT ?s ?o FROM :g WHERE { ?s :p ?o }")
    triple = (term("a"), term("p"), term("1^"))
    static = Static(frozenset(), {term("g"): frozenset((triple, (term("b"), *triple[1:])))})
    assert reports(asked, arriving("a@500", "a@600", "c@1500"), static=static) == [(1001, 2, ["1 a", "1 b"])]


def test_ask_has_one_row_and_a_stream_is_no_graph():
    pushes = arriving("a@500", "b@1500", "c@2500")
    found = recording(query("S 2s STEP 1s", "ASK WHERE { ?s :p ?o FILTER(?s = :b) }"), pushes)
    assert found.variables == ("Answer",)
    assert [report.rows for report in found.reports] == [
        ((term("false^boolean"),),),
        ((term("true^boolean"),),),
    ]
    assert rows(query("S 2s STEP 1s", "SELECT ?s WHERE { GRAPH :S { ?s :p ?o } }"), pushes) == []


@pytest.mark.parametrize(
    ("window", "body", "message"),
    [
        ("S 3s", "SELECT ?s WHERE { ?s :p ?o }", "the window [RANGE 3s]"),
        ("S UNBOUNDED", "SELECT ?s WHERE { ?s :p ?o }", "the window [RANGE UNBOUNDED]"),
        ("S 1500ms STEP 1s", "SELECT ?s WHERE { ?s :p ?o }", "l and d whole seconds"),
        (
            "S 3s STEP 1s",
            "CONSTRUCT { ?s :q ?o } WHERE { ?s :p ?o }",
            "does not simulate CONSTRUCT; use SELECT or ASK",
        ),
    ],
)
def test_what_the_engine_does_not_have_is_refused(window, body, message):
    with pytest.raises(LarsError, match=re.escape(message)):
        recording(query(window, body), arriving("a@500"))


def test_a_query_of_another_language_is_refused():
    asked = read_query("SELECT ?s WHERE { STREAM <s> [NOW] { ?s ?p ?o } }", "q.rq")
    with pytest.raises(LarsError, match="runs only C-SPARQL queries; use"):
        recording(asked, [])
