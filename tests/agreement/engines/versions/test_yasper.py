"""YASPER's two configurations: each rule by hand, and the specifications without rules."""

import random

import pytest

from agreement.engines.versions.kolibrie import KOLIBRIE_846BECB
from agreement.engines.versions.rsp_js import RSP_JS_135
from agreement.engines.versions.rsp_rs import RSP_RS_035
from agreement.engines.versions.yasper import YASPER_CQELS, YASPER_CSPARQL
from lars.errors import LarsError
from solver.facts import Static
from tests.agreement.command import lars
from tests.agreement.engines.versions.yasper_traces import (
    NOTHING,
    OBJECT,
    Window,
    as_bags,
    at_arrivals,
    at_closes,
    node,
    pushes,
    random_trace,
    shown,
    streamed,
)
from tests.sizes import few
from translate.dialects import read_query

CSPARQL = YASPER_CSPARQL
CQELS = YASPER_CQELS
ONE = "WINDOW :w0 { ?s :p :o }"
TWO = "WINDOW :w0 { ?s :p :o } WINDOW :w1 { ?s :q :o }"


def query(where=ONE, windows=("S 2 2",), operator="RSTREAM", select="*"):
    """Return a query; a window is its stream, its length and its step in seconds."""
    declared = (window.split() for window in windows)
    clauses = [
        f"FROM NAMED WINDOW :w{n} ON :{stream} [RANGE PT{width}S STEP PT{step}S]"
        for n, (stream, width, step) in enumerate(declared)
    ]
    register = f"REGISTER {operator} :out AS" if operator else ""
    text = f"PREFIX : <http://e/> {register} SELECT {select} {' '.join(clauses)} WHERE {{ {where} }}"
    return read_query(text, "q.rq")


def ran(engine, asked, trace, off=(), static=NOTHING):
    return engine.run(asked, static, pushes(trace), frozenset(off))


def all_off(engine):
    return frozenset(rule.name for rule in engine.rules)


CSPARQL_RULES = {
    "Y1": (query(), "500 a, 2000 b, 2500 c", [(2500, 2, ["a"])], [(2500, 2, ["a", "b"])]),
    "Y2": (
        query(),
        "500 a, 3000 b, 2500 l, 5000 c",
        [(3000, 1, ["a"]), (5000, 3, ["b"])],
        [(3000, 1, ["a"]), (5000, 3, ["b", "l"])],
    ),
    "Y3": (query(), "500 a, 3000 b", [(3000, 1, ["a"])], [(2000, 1, ["a"])]),
    "Y4": (query(), "500 a, 4000 b", [], [(4000, 1, ["a"])]),
    "Y5": (
        query(windows=["S 4 2"]),
        "500 a, 2500 b, 7000 c",
        [(2500, 1, ["a"]), (7000, 2, ["b"])],
        [(2500, 1, ["a"]), (7000, 2, ["a", "b"]), (7000, 2, ["b"])],
    ),
    "Y6": (
        query("WINDOW :w0 { ?s :p ?x }", select="?x"),
        "500 a, 600 b, 3000 c",
        [(3000, 2, ["ao", "bo"])],
        [(3000, 2, ["o", "o"])],
    ),
    "Y7": (query("WINDOW :w0 { ?s :q :o }"), "500 a, 3000 b", [], [(3000, 1, [])]),
}
CQELS_RULES = {
    "YC1": (
        query(),
        "0 a, 3000 b, 2500 l",
        [(0, 0, ["a"]), (3000, 1, ["b"])],
        [(0, 0, ["a"]), (3000, 1, ["b"]), (2500, 2, ["l"])],
    ),
    "YC2": (query("WINDOW :w0 { ?s :p ?x }", select="?x"), "0 a", [(0, 0, ["ao"])], [(0, 0, ["o"])]),
    "YC3": (
        query(operator=None),
        "0 a, 1000 b",
        [(0, 0, ["a"]), (1000, 1, ["a", "b"])],
        [(0, 0, ["a"]), (1000, 1, ["b"])],
    ),
    "YC4": (
        query(),
        "0 a, 0 b, 1000 c",
        [(0, 0, ["a"]), (1000, 2, ["a", "b", "c"])],
        [(0, 0, ["a"]), (0, 1, ["a", "b"]), (1000, 2, ["a", "b", "c"])],
    ),
    "YC5": (
        query(),
        "0 a, 1000 b, 1000 b",
        [(0, 0, ["a"]), (1000, 1, ["a", "b"]), (1000, 2, ["a", "b"])],
        [(0, 0, ["a"]), (1000, 1, ["a", "b"])],
    ),
}


def test_the_hand_made_cases_are_for_every_rule():
    assert [rule.name for rule in CSPARQL.rules] == list(CSPARQL_RULES)
    assert [rule.name for rule in CQELS.rules] == list(CQELS_RULES)


@pytest.mark.parametrize("name", CSPARQL_RULES)
def test_each_rule_of_the_c_sparql_configuration_changes_an_answer(name):
    asked, trace, expected, without = CSPARQL_RULES[name]
    assert shown(ran(CSPARQL, asked, trace)) == expected
    assert shown(ran(CSPARQL, asked, trace, [name])) == without


@pytest.mark.parametrize("name", CQELS_RULES)
def test_each_rule_of_the_cqels_configuration_changes_an_answer(name):
    asked, trace, expected, without = CQELS_RULES[name]
    assert shown(ran(CQELS, asked, trace)) == expected
    assert shown(ran(CQELS, asked, trace, [name])) == without


def test_late_arrivals_are_refused_by_number():
    for engine in (CSPARQL, CQELS):
        assert ran(engine, query(), "500 a, 3000 b, 2500 l, 2500 m T, 5000 c").rejected == (2,)
        assert ran(engine, query(), "500 a, 3000 b, 2500 l", all_off(engine)).rejected == ()


def test_an_arrival_that_is_late_but_after_the_last_report_is_taken():
    found = ran(CSPARQL, query(), "500 a, 1500 b, 1000 l, 3000 c")
    assert shown(found) == [(3000, 3, ["a", "b", "l"])]
    assert found.rejected == ()


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("RSTREAM", [(3000, 2, ["a", "b"]), (5000, 3, ["a"])]),
        ("ISTREAM", [(3000, 2, ["a", "b"])]),
        ("DSTREAM", [(5000, 3, ["b"]), (8000, 4, ["a"])]),
    ],
)
def test_istream_and_dstream_tell_the_difference_to_the_report_before(operator, expected):
    # At 8000 the window that closes then is opened, and is the latest that is closed: it is empty.
    found = ran(CSPARQL, query(operator=operator), "500 a, 600 b, 3000 a, 5000 c, 8000 d")
    assert shown(found) == expected


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("ISTREAM", [(0, 0, ["a"]), (1000, 1, ["b"]), (5000, 3, ["b"])]),
        ("DSTREAM", [(4000, 2, ["b"])]),
    ],
)
def test_with_the_cqels_configuration_too(operator, expected):
    found = ran(CQELS, query(operator=operator), "0 a, 1000 b, 4000 a, 5000 b")
    assert shown(found) == expected


def test_an_arrival_between_two_windows_opens_the_next_one():
    asked = query(windows=["S 1 3"], operator="DSTREAM")
    assert shown(ran(CSPARQL, asked, "2500 a, 3100 b, 6100 c")) == [(6100, 2, ["a"])]


def test_after_a_gap_of_many_windows_only_the_latest_that_was_opened_is_reported():
    found = ran(CSPARQL, query(windows=["S 3 1"]), "500 a, 100500 b, 100500 c, 101500 d")
    assert shown(found) == [(100500, 1, ["a"]), (101500, 3, ["b", "c"])]


def test_windows_of_two_streams_are_joined_as_they_closed_last():
    asked = query(TWO, ["S 2 2", "T 4 4"])
    trace = "500 a, 600 a T, 700 b T, 3000 b, 4500 c T"
    assert shown(ran(CSPARQL, asked, trace)) == [(4500, 4, ["b"])]


def test_two_windows_on_one_stream_make_one_report():
    asked = query("WINDOW :w0 { ?s :p :o } WINDOW :w1 { ?s :p :o }", ["S 2 2", "S 4 4"])
    assert shown(ran(CSPARQL, asked, "500 a, 1000 b, 4500 c")) == [(4500, 2, ["a", "b"])]
    assert shown(ran(CQELS, asked, "500 a, 3500 b, 4500 a")) == [
        (500, 0, ["a"]),
        (3500, 1, ["b"]),
        (4500, 2, ["a", "b"]),
    ]


def test_a_window_without_step_is_tumbling_and_other_streams_are_not_read():
    windows = "FROM NAMED WINDOW :w ON :S [RANGE PT2S]"
    text = f"PREFIX : <http://e/> SELECT * {windows} WHERE {{ WINDOW :w {{ ?s ?p :o }} }}"
    found = ran(CSPARQL, read_query(text, "q.rq"), "500 a, 1000 x T, 3000 b, 5000 y T")
    assert [(t, n) for t, n, _ in shown(found)] == [(3000, 2)]
    assert found.variables == ("p", "s")
    assert [row[1] for row in found.reports[0].rows] == [node("a")]


def test_static_data_are_joined_from_the_default_graph():
    static = Static(frozenset([(node("a"), node("in"), OBJECT)]), {})
    asked = query(f"{ONE} ?s :in ?r")
    for engine, t, n in ((CSPARQL, 3000, 2), (CQELS, 600, 1)):
        found = engine.run(asked, static, pushes("500 b, 600 a, 3000 b"))
        assert [(one.t, one.trigger, one.rows) for one in found.reports] == [(t, n, ((OBJECT, node("a")),))]


def test_blank_nodes_of_the_pattern_are_no_columns():
    found = ran(CSPARQL, query("WINDOW :w0 { ?s :p _:x . _:x :r ?y }"), "500 a, 3000 b")
    assert found.variables == ("s", "y")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ASK { STREAM <s> [RANGE 1s] { ?s ?p ?o } }", "a query in cqels"),
        ("ASK FROM NAMED WINDOW <w> ON <s> [RANGE PT2S] { WINDOW <w> { ?s ?p ?o } }", "ASK"),
        ("SELECT * FROM NAMED WINDOW <w> ON <s> [ELEMENTS 2] { WINDOW <w> { ?s ?p ?o } }", "ROWS 2"),
        ("SELECT * FROM WINDOW ON <s> [RANGE PT2S] { ?s ?p ?o }", "a window without a name"),
        (
            "SELECT * FROM NAMED WINDOW <w> ON <s> [RANGE PT2S] { WINDOW <w> {?s ?p ?o MINUS {?s <q> ?o}} }",
            "MINUS",
        ),
        (
            "SELECT * FROM NAMED WINDOW <w> ON <s> [RANGE PT2S] { WINDOW <w> { ?s <p>+ ?o } }",
            "a property path",
        ),
    ],
)
def test_what_yasper_cannot_run_is_refused_by_name(text, problem):
    for engine in (CSPARQL, CQELS):
        with pytest.raises(LarsError, match=f"{engine.name} cannot run .*{problem}.*; expected "):
            engine.run(read_query(text, "q.rq"), NOTHING, pushes("0 a"))


SHAPES = [
    (ONE, ["S 2 2"]),
    (ONE, ["S 3 1"]),
    (ONE, ["S 1 3"]),
    (TWO, ["S 3 2", "T 2 1"]),
    ("WINDOW :w0 { ?s :p :o } WINDOW :w1 { ?t :p :o }", ["S 2 2", "S 3 3"]),
]


def spoken(where, windows):
    """Return the windows for the computation, and the query in SPARQL."""
    parts = (window.split() for window in windows)
    read = [Window(stream, int(width) * 1000, int(step) * 1000) for stream, width, step in parts]
    return read, f"PREFIX : <http://e/> SELECT ?s WHERE {{ {where.replace('WINDOW', 'GRAPH')} }}"


@pytest.mark.parametrize("operator", ["RSTREAM", "ISTREAM", "DSTREAM"])
@pytest.mark.parametrize(("where", "windows"), SHAPES)
@pytest.mark.parametrize("seed", few(range(3), 1))
def test_without_rules_the_c_sparql_configuration_is_its_specification(seed, where, windows, operator):
    trace = random_trace(random.Random(seed), step=500, last=12000)
    read, select = spoken(where, windows)
    asked = query(where, windows, operator, select="?s")
    found = CSPARQL.run(asked, NOTHING, trace, all_off(CSPARQL))
    expected = streamed(at_closes(read, trace, select), operator, silent=False)
    assert as_bags(found.reports) == expected


@pytest.mark.parametrize("operator", ["RSTREAM", "ISTREAM", "DSTREAM", None])
@pytest.mark.parametrize(("where", "windows"), SHAPES)
@pytest.mark.parametrize("seed", few(range(3), 1))
def test_without_rules_the_cqels_configuration_is_its_specification(seed, where, windows, operator):
    streams = {node(window.split()[0]) for window in windows}
    trace = [one for one in random_trace(random.Random(seed), step=500, last=9000) if one.stream in streams]
    read, select = spoken(where, windows)
    asked = query(where, windows, operator, select="?s")
    found = CQELS.run(asked, NOTHING, trace, all_off(CQELS))
    # An equal triple at one instant counts once: what it triggers is no evaluation.
    again = {n for n, one in enumerate(trace) if one in trace[:n]}
    arrivals = [one for one in at_arrivals(read, trace, select) if one[1] not in again]
    expected = streamed(arrivals, operator or "ISTREAM", silent=True)
    assert as_bags(found.reports) == expected


@pytest.mark.parametrize(
    "opening", [CSPARQL, RSP_JS_135, RSP_RS_035, KOLIBRIE_846BECB], ids=lambda one: one.name
)
def test_more_windows_than_anybody_walks_through_are_refused(opening):
    assert ran(CQELS, query(windows=["S 100001 1"], operator=""), "500 a").reports
    assert ran(opening, query(windows=["S 100 1"]), "500 a").rejected == ()
    with pytest.raises(
        LarsError, match=r"window of 100001000 ms with a step of 1000 ms has more than 100000 win"
    ):
        ran(opening, query(windows=["S 100001 1"]), "500 a")


def test_a_window_without_its_length_is_refused_by_the_reader_of_yasper(tmp_path):
    text = "SELECT ?s FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE] WHERE { WINDOW <urn:w> { ?s ?p ?o } }"
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "t.csv").write_text("t,s,p,o\n1,e:a,e:p,e:b\n")
    ran = lars("solve", tmp_path / "q.rq", tmp_path / "t.csv", "--as", "yasper-rsp4j-1.0.1")
    assert ran.code == 2
    assert "does not take the window [RANGE]; use [RANGE PT4S STEP PT4S]" in ran.err
