"""CQELS 1.x: queries of every kind that it registers, by hand, and those that it does not."""

import pytest

from agreement.documents.recordings import Push
from agreement.engines.engine import read_with_text
from agreement.engines.versions.cqels import CQELS_1X, CQELS_2011
from agreement.engines.versions.cqels_text import read_written, shorten
from lars.errors import LarsError
from solver.facts import Static
from tests.agreement.engines.versions.cqels_runs import E, pushed, reported, static, term
from translate.dialects import read_query

ENGINE = CQELS_1X
ALL = tuple(rule.name for rule in ENGINE.rules)
PREFIX = f"PREFIX : <{E}> "


def run(query, lines, known="", off=()):
    return reported(ENGINE, query, lines, known, off)


def test_a_stream_name_that_is_a_variable_is_bound_and_joined():
    query = "SELECT ?g ?a ?b { STREAM ?g [RANGE 1s] { ?s :p ?a . ?s :q ?b } }"
    lines = "0 S x p 1/1 T x p 2/2 T x q 3/3 S x q 4"
    expected = [(2, "2 3 T"), (3, "1 4 S")]
    assert run(query, lines) == run(query, lines, off=ALL) == expected


def test_one_stream_read_through_two_windows_has_a_buffer_for_each():
    query = "SELECT ?a ?b { STREAM :S [NOW] { ?s :p ?a } STREAM :S [TRIPLES 2] { ?s :p ?b } }"
    lines = "0 S x p 1/1 S x p 2/2 S x p 3"
    # The first pattern is matched and joined before the second one has the triple.
    assert run(query, lines) == [(0, "1 1"), (1, "2 1"), (1, "2 2"), (2, "3 1"), (2, "3 2"), (2, "3 3")]


def test_a_named_graph_is_joined_once_for_each_of_its_rows():
    query = "SELECT ?s ?n FROM NAMED :g { STREAM :S [NOW] { ?s :p ?a } GRAPH :g { ?s :name ?n } }"
    assert run(query, "0 S x p 1/5 S y p 1", "x name 'one' g/x name 'two' g") == [
        (0, "one x"),
        (0, "two x"),
    ]


def test_a_union_is_one_static_element():
    query = "SELECT ?s ?n { STREAM :S [NOW] { ?s :p ?a } { ?s :name ?n } UNION { ?s :in ?n } }"
    assert run(query, "0 S x p 1/5 S y p 1", "x name 'one'/x in r1/y in r1") == [
        (0, "one x"),
        (0, "r1 x"),
        (1, "r1 y"),
    ]


def test_a_static_row_that_leaves_a_shared_variable_unbound_joins_everything():
    query = "SELECT ?s ?n { STREAM :S [NOW] { ?s :p ?n } { ?s :in ?r } UNION { ?r :floor ?n } }"
    assert run(query, "0 S x p 1/5 S y p 2", "x in r1/r1 floor 2") == [(0, "1 x"), (1, "2 y")]


def test_not_exists_whose_variables_are_all_bound_is_applied():
    query = "SELECT ?s { STREAM :S [NOW] { ?s :p ?r } FILTER NOT EXISTS { ?s :in ?r } }"
    assert run(query, "0 S x p a/5 S x p b", "x in a") == [(1, "x")]


def test_terms_join_by_their_texts():
    query = "SELECT ?s ?t { STREAM :S [ALL] { ?s :p ?a . ?t :q ?a } }"
    assert run(query, "0 S x p 1/5 S y q 01/6 S z q 1") == [(2, "x z")]


def test_a_lookup_by_some_keys_gives_a_row_for_each_group_that_agrees():
    query = (
        "SELECT ?s ?b (COUNT(?a) AS ?n) { STREAM :S [ALL] { ?s :p ?a . ?s :q ?b . ?t :r ?b } } GROUP BY ?s ?b"
    )
    lines = "0 S x p 1/1 S y p 2/2 S x q 5/3 S y q 5/4 S z r 5"
    rows = ["5 1 x", "5 1 y"]
    assert run(query, lines) == [(4, row) for row in rows]
    grouped = query.replace("GROUP BY ?s ?b", "GROUP BY ?b").replace("?s ?b (", "?b (")
    assert run(grouped, lines) == [(4, "5 2"), (4, "5 2")]


def test_aggregates_without_group_by_are_looked_up_by_nothing_where_there_is_a_join():
    query = "SELECT (SUM(?b) AS ?n) (AVG(?a) AS ?m) { STREAM :S [ALL] { ?s :p ?a . ?s :q ?b } }"
    assert run(query, "0 S x p 1/1 S x q 2/2 S x q 3") == [(1, "1 2"), (2, "1 5")]


def test_select_can_compute_from_what_is_joined():
    query = "SELECT ?s (?a + ?b AS ?c) { STREAM :S [ALL] { ?s :p ?a . ?s :q ?b } }"
    assert run(query, "0 S x p 1/1 S x q 2") == [(1, "3 x")]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("STREAM :S [RANGE 2h] { ?s :p ?a }", "found 2h"),
        ("STREAM :S [NOW] { ?s :p ?a } OPTIONAL { ?s :q ?b }", "OPTIONAL"),
        ("STREAM :S [NOW] { ?s :p ?a } FILTER EXISTS { STREAM :S [NOW] { ?s :q ?b } }", "STREAM"),
        ("STREAM :S [NOW] { }", "found no triple pattern"),
    ],
)
def test_what_the_engine_cannot_run_is_refused(pattern, said):
    with pytest.raises(LarsError, match=said):
        run(f"SELECT ?s {{ {pattern} }}", "0 S x p 1")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT ?s { STREAM :S [NOW] { ?s :p ?a } OPTIONAL { ?s :q ?b } }", r"q.rq:1:\d+: found OPTIONAL"),
        ("SELECT ?s { STREAM :S [NOW] { ?s :p ?a OPTIONAL { ?s :q ?b } } }", r"q.rq:1:\d+: found OPTIONAL"),
        ("SELECT ?s { { STREAM :S [NOW] { ?s :p ?a } } UNION { ?s :q ?b } }", "in this there is a STREAM"),
        (
            "SELECT ?s { STREAM :S [NOW] { ?s :p ?a } FILTER EXISTS { STREAM :S [NOW] { ?s :q ?b } } }",
            "STREAM",
        ),
        ("SELECT ?s { STREAM :S [NOW] { ?s :p ?a } } VALUES ?a { 1 }", "triples without a VALUES block"),
        ("SELECT ?s { STREAM :S [NOW] { ?s :p ?a } } HAVING (?s > 1)", "found HAVING"),
        ("CONSTRUCT { ?s :p 1 } { STREAM :S [NOW] { ?s :p ?a } }", "cannot run CONSTRUCT"),
    ],
)
def test_what_no_profile_of_cqels_covers_is_refused(query, said):
    with pytest.raises(LarsError, match=said):
        run(query, "0 S x p 1", off=ALL)


def test_a_query_without_its_text_has_its_filters_outside_of_streams():
    text = f"{PREFIX} SELECT ?a {{ STREAM :S [ALL] {{ ?s :p ?a FILTER(?a > 5) }} }}"
    pushes = pushed("0 S x p 1/9 S x p 9")
    found = [
        ENGINE.run(query, static(""), pushes) for query in (read_query(text, "q"), read_written(text, "q"))
    ]
    assert [[report.trigger for report in one.reports] for one in found] == [[1], [0, 1]]


def test_fifteen_thousand_triples_in_bursts_are_joined_by_hash():
    halves = [(f"<{E}s{n}>", f"<{E}p>", f"<{E}m{n}>") for n in range(7500)]
    others = [(f"<{E}m{n}>", f"<{E}q>", f"<{E}o>") for n in range(7500)]
    triples = [triple for pair in zip(halves, others, strict=True) for triple in pair]
    pushes = [Push(float(n // 450 * 1000), f"<{E}S>", triple) for n, triple in enumerate(triples)]
    query = "SELECT ?s { STREAM :S [RANGE 5s SLIDE 5s] { ?s :p ?m . ?m :q ?o } }"
    found = ENGINE.run(read_written(PREFIX + query, "q"), Static(frozenset(), {}), pushes)
    assert [report.trigger for report in found.reports] == list(range(1, 15000, 2))


def test_only_the_durations_of_windows_lose_their_last_digit():
    window = "STREAM :S [range 24h # ]\n SLIDE 100d30m] { ?s :p \"\\u0041 [RANGE 24h]\", '[RANGE 24h]' }"
    text = f"SELECT ?s {{ ?s :p '\\U00000041' {window} {window} }} # [RANGE 24h"
    assert shorten(text) == text.replace("range 24h", "range  2h").replace("100d", " 10d")


def test_a_text_that_looks_like_a_window_is_compared_as_it_is():
    query = "SELECT ?a { STREAM :S [RANGE 24h] { ?s :p ?a } FILTER(?a = '[RANGE 24h]') }"
    texts = ['"[RANGE 24h]"', '"[RANGE  2h]"']
    pushes = [Push(float(n), term("S"), (term("x"), term("p"), text)) for n, text in enumerate(texts)]
    found = ENGINE.run(read_written(PREFIX + query, "q.rq"), static(""), pushes, frozenset())
    assert [report.rows for report in found.reports] == [((texts[0],),)]


@pytest.mark.parametrize("engine", [CQELS_1X, CQELS_2011])
@pytest.mark.parametrize(
    "text",
    [
        "REGISTER QUERY q AS SELECT ?s FROM STREAM <e:s> [RANGE 1s STEP 1s] WHERE { ?s ?p ?o }",
        "SELECT ?s FROM NAMED WINDOW <e:w> ON <e:s> [RANGE PT1S STEP PT1S] { WINDOW <e:w> { ?s ?p ?o } }",
    ],
)
def test_a_query_in_another_language_is_called_so(engine, text):
    with pytest.raises(
        LarsError, match=f"^{engine.name} runs only CQELS queries; use .*translate --to cqels"
    ):
        engine.recorded(read_with_text(text, "q.rq"), Static((), {}), [], frozenset())
