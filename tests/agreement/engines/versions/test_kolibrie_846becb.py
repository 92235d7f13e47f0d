"""Kolibrie 846becb: each rule by hand, its defects among them, and the specification without rules."""

import random

import pytest

from agreement.documents.recordings import Push
from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.messages import RefusedQueryError, open_message
from agreement.engines.engine import with_its_text
from agreement.engines.versions.kolibrie import KOLIBRIE_846BECB, KOLIBRIE_SESSION
from lars.errors import LarsError
from solver.facts import Static
from solver.rdf import canonical
from tests.agreement.engines.adapters.kolibrie_server import rows_at_stop
from tests.agreement.engines.versions.test_rsp_js import SHAPES, brief
from tests.agreement.engines.versions.yasper_traces import (
    NOTHING,
    Window,
    as_bags,
    at_closes,
    node,
    random_trace,
    streamed,
)
from tests.sizes import few
from translate.dialects import read_query
from translate.errors import QueryError
from translate.model.query import Language

ALL_OFF = frozenset(rule.name for rule in KOLIBRIE_846BECB.rules)
XSD = "http://www.w3.org/2001/XMLSchema#"
V, W = ":v ON <http://e/S> [RANGE 4 STEP 4]", ":w ON <http://e/T> [RANGE 4 STEP 4]"
P, Q = "WINDOW :v { ?s :p ?a . }", "WINDOW :w { ?t :p ?b . }"


def asked(where=P, windows=(V,), select="*", operator="RSTREAM"):
    clauses = "\n".join(f"FROM NAMED WINDOW {window}" for window in windows)
    head = f"PREFIX : <http://e/>\nREGISTER {operator} <http://e/out> AS\nSELECT {select}"
    text = f"{head}\n{clauses}\nWHERE {{ {where} }}"
    return with_its_text(read_query(text, "q", Language.RSPQL), text, "q")


def term(name):
    if name.isdigit():
        return canonical(f'"{name}"^^<{XSD}integer>')
    return f'"{name[1:]}"' if name.startswith("'") else node(name)


def pushed(text):
    """Return the pushes of `1 S a p 1, ..`; a name with ' before it is a text."""
    parts = (part.split() for part in text.split(","))
    return [Push(int(t), node(stream), (term(s), node(p), term(o))) for t, stream, s, p, o in parts]


def ran(query, trace, off=(), static=NOTHING):
    return brief(KOLIBRIE_SESSION.run(query, static, pushed(trace), frozenset(off)))


RULES = {
    "E1": (
        asked(f"{P} {Q}", [V, W]),
        "1 S a p 1, 1 T b p 2, 4 S c p 1, 4 T d p 2, 5 T e p 3",
        [(5, 4, ["12ab", "11aa"])],
        [(5, 4, ["12ab"])],
    ),
    "E2": (asked(windows=[V.replace("4", "2")]), "1 S a p 1, 4 S b p 1", [], [(4, 1, ["1a"])]),
    "E3": (asked(), "5 S a p 1, 3 S b p 1, 8 S c p 1", [], [(8, 2, ["1a"])]),
    "E4": (asked(f"{P} FILTER(?a > 1)"), "1 S a p 1, 5 S b p 1", [(5, 1, ["1a"])], []),
    "E5": (asked(select="?s"), "1 S a p 1, 5 S b p 1", [(5, 1, ["1a"])], [(5, 1, ["a"])]),
    "E6": (
        asked(f"{P} {Q}", [f"{V} WITH POLICY steal", W]),
        "1 S a p 1, 1 T b p 2, 5 S c p 3, 5 T d p 3, 6 T e p 3, 9 S f p 4, 10 S g p 4",
        [(6, 4, ["12ab", "11aa"]), (10, 6, ["11aa", "12ab", "21ba", "22bb", "31ca", "32cb"])],
        [(6, 4, ["12ab", "11aa"])],
    ),
    "E7": (
        asked(windows=[V.replace("]", " REPORT PERIODIC]")]),
        "1 S a p 1, 2 S b p 1, 3 S b p 1, 6 S c p 1, 11 S d p 1",
        [],
        [(6, 3, ["1a", "1b"]), (11, 4, ["1c"])],
    ),
    "B2a": (asked(), "1 S a p 1, 4 S b p 1", [(4, 1, ["1a"])], []),
    "B2b": (asked(), "1 S a p 1, 5 S b p 1", [(5, 1, ["1a"])], [(4, 1, ["1a"])]),
    "B8": (
        asked("WINDOW :v { ?s :p ?a . } WINDOW :w { ?s :q ?b . }", [V, W]),
        "1 S a p 1, 1 T a q 2, 5 S b p 1, 6 T b q 1, 7 T b q 1",
        [(7, 4, ["12a"])],
        [(5, 2, ["12a"]), (6, 3, ["12a"])],
    ),
    "B10": (
        asked(
            "WINDOW :v { ?s :p ?a . } WINDOW :w { ?s :q ?b . }", [V.replace("4", "2"), W], operator="ISTREAM"
        ),
        "1 S a p 1, 1 T a q 2, 3 S a p 1, 5 T a q 2, 5 S a p 1, 7 S a p 1, 9 T z q 9, 11 S z p 1",
        [(5, 4, ["12a"])],
        [(5, 4, ["12a"]), (11, 7, ["12a"])],
    ),
    "B13": (asked(windows=[V.replace("<http://e/S>", ":S")]), "1 S a p 1, 5 S b p 1", [], [(5, 1, ["1a"])]),
    "B14": (
        asked("WINDOW :v { ?s :p ?a . ?t :q ?a . }"),
        "1 S a p 1, 2 S b q '1, 5 S c p 3",
        [(5, 2, ["1ab"])],
        [],
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_each_rule_changes_an_answer(name):
    query, trace, expected, without = RULES[name]
    assert ran(query, trace) == [(t, n, sorted(rows)) for t, n, rows in expected if rows]
    assert ran(query, trace, [name]) == [(t, n, sorted(rows)) for t, n, rows in without if rows]


def test_the_server_joins_what_waits_after_a_push_and_a_session_before_the_next():
    query = asked(f"{P} {Q}", [V, W])
    trace = "1 S a p 1, 1 T b p 2, 5 S c p 1, 5 T d p 2, 6 T e p 3"
    assert ran(query, trace) == [(6, 4, ["11aa", "12ab"])]
    assert brief(KOLIBRIE_846BECB.run(query, NOTHING, pushed(trace))) == [(5, 3, ["11aa", "12ab"])]


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ("<http://e/S>", "?any", ["1a", "1b"]),
        ("REGISTER RSTREAM", "REGISTER IStream", ["1a"]),
        ("PREFIX : <http://e/>\n", "", []),
        ("SELECT *", "SELECT SUM(?a) AS ?n", ["1a"]),
        ("RANGE 4 STEP 4", "TUMBLING 4", ["1a"]),
        ("RANGE 4 STEP 4", "RANGE PT4S", ["1a"]),
    ],
)
def test_its_own_parser_takes_what_rsp_ql_has_no_words_for(old, new, rows):
    text = asked().text
    assert old in text
    query = KOLIBRIE_846BECB.read(text.replace(old, new), "q")
    found = brief(KOLIBRIE_846BECB.run(query, NOTHING, pushed("1 S a p 1, 2 T b p 1, 5 S c p 1")))
    assert found == ([(5, 2, rows)] if rows else [])


def test_the_word_where_inside_an_iri_ends_no_select():
    text = asked().text.replace("PREFIX : <http://e/>", "PREFIX : <http://e/> PREFIX w: <http://e/WHERE#>")
    query = KOLIBRIE_846BECB.read(text.replace("SELECT *", "SELECT AVG(?a) AS ?a"), "q")
    assert brief(KOLIBRIE_846BECB.run(query, NOTHING, pushed("1 S a p 1, 5 S c p 1"))) == [(5, 1, ["1a"])]


@pytest.mark.parametrize(
    ("where", "select"),
    [
        ("WINDOW :v { ?s :p ?a . FILTER(?a > 1) }", "*"),
        ("WINDOW :v { ?s :p ?a . BIND(1 AS ?b) }", "*"),
        ("WINDOW :v { ?s :p ?a . VALUES ?a { 1 } }", "*"),
        ("WINDOW :v { ?a ^:p ?s }", "*"),
        ("WINDOW :v { ?s :p|:q ?a }", "*"),
        (f"{P} OPTIONAL {{ ?s :q ?b }}", "*"),
        (f"{P} }} LIMIT 1 #", "*"),
        (P, "(COUNT(?a) AS ?n)"),
        (P, "?s COUNT(?a) AS ?n"),
    ],
)
def test_what_its_own_parser_refuses(where, select):
    text = asked().text.replace(P, where).replace("SELECT *", f"SELECT {select}")
    with pytest.raises(QueryError):
        KOLIBRIE_846BECB.read(text, "q")
    with pytest.raises(RefusedQueryError):
        BuiltInEngine(KOLIBRIE_846BECB).open(open_message(text))


def test_the_hand_made_cases_are_for_every_rule():
    assert {rule.name for rule in KOLIBRIE_846BECB.rules} == set(RULES)


def test_where_an_arrival_lies_on_no_multiple_the_window_fires():
    query = asked(windows=[V.replace("4", "2")])
    assert ran(query, "1 S a p 1, 5 S b p 1") == [(5, 1, ["1a"])]
    assert ran(query, "0 S a p 1, 0 S b p 1, 3 S c p 1") == [(3, 2, ["1a", "1b"])]


def test_what_select_says_is_left_out_with_its_distinct():
    trace = "1 S a p 1, 2 S b p 1, 5 S c p 1"
    assert ran(asked(select="DISTINCT ?a"), trace) == [(5, 2, ["1a", "1b"])]
    assert ran(asked(select="DISTINCT ?a"), trace, ["E5"]) == [(5, 2, ["1"])]


@pytest.mark.parametrize("rest", ["BIND(?a AS ?b)", "VALUES ?a { 2 }", "{ SELECT ?s WHERE { ?s :r ?x } }"])
def test_what_stands_outside_of_windows_is_left_out_unless_it_is_triples(rest):
    assert ran(asked(f"{P} {rest}"), "1 S a p 1, 5 S b p 1") == [(5, 1, ["1a"])]


def test_static_patterns_are_asked_of_the_static_data_alone_and_joined_by_text():
    static = Static(frozenset([(node("a"), node("n"), '"one"'), (node("a"), node("p"), term("7"))]), {})
    query = asked(f"{P} ?s :n ?n .")
    assert ran(query, "1 S a p 1, 5 S b p 1, 6 S c p 1", static=static) == [(6, 2, ["1onea"])]
    crossed = asked("WINDOW :v { ?s :p ?a . } ?t :n ?n .")
    assert ran(crossed, "1 S b p 1, 5 S b p 1, 6 S c p 1", static=static) == [(6, 2, ["1oneba"])]


def test_durations_are_seconds_in_whatever_unit_the_timestamps_are():
    query = asked(windows=[V.replace("RANGE 4 STEP 4", "RANGE PT4S STEP PT4S")])
    assert ran(query, "1 S a p 1, 5 S b p 1") == [(5, 1, ["1a"])]
    assert ran(query, "1 S a p 1, 5 S b p 1, 4001 S c p 1", ["B13"]) == [(4001, 2, ["1a", "1b"])]


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("REPORT ON_CONTENT_CHANGE", []),
        ("REPORT NON_EMPTY_CONTENT", [(2, 1, ["1a"]), (3, 2, ["1a", "1b"])]),
        ("REPORT ON_WINDOW_CLOSE TICK TUPLE_DRIVEN", []),
    ],
)
def test_strategies_report_as_they_are_implemented(strategy, expected):
    query = asked(windows=[V.replace("]", f" {strategy}]")])
    assert ran(query, "1 S a p 1, 2 S b p 1, 3 S c p 1") == expected


def test_at_the_end_each_window_reports_what_the_first_open_one_holds():
    names, rows = rows_at_stop(asked(), NOTHING, pushed("1 S a p 1, 5 S b p 1, 6 S c p 2"))
    assert (names, sorted(rows)) == (("a", "s"), [(term("1"), node("b")), (term("2"), node("c"))])


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("WINDOW :v { ?s :p ?a . FILTER(?a > 1) }", QueryError),
        ("WINDOW :v { ?s :p ?a . } OPTIONAL { ?s :q ?b }", LarsError),
        ("WINDOW :v { ?s :p ?a } } GROUP BY ?s #", QueryError),
    ],
)
def test_what_kolibrie_does_not_register_is_refused(where, error):
    with pytest.raises(error):
        ran(asked(where), "1 S a p 1")


@pytest.mark.parametrize("operator", ["RSTREAM", "ISTREAM", "DSTREAM"])
@pytest.mark.parametrize(("where", "windows"), SHAPES)
@pytest.mark.parametrize("seed", few(range(3), 1))
def test_without_rules_it_is_its_specification(seed, where, windows, operator):
    trace = random_trace(random.Random(seed), step=1, last=25)
    parts = [window.split() for window in windows]
    read = [Window(stream, int(width), int(step)) for stream, width, step in parts]
    select = f"PREFIX : <http://e/> SELECT ?s WHERE {{ {where.replace('WINDOW', 'GRAPH')} }}"
    clauses = [f":w{n} ON <http://e/{s}> [RANGE {w} STEP {d}]" for n, (s, w, d) in enumerate(parts)]
    found = KOLIBRIE_846BECB.run(asked(where, clauses, "?s", operator), NOTHING, trace, ALL_OFF)
    expected = streamed(at_closes(read, trace, select), operator, silent=True)
    assert as_bags(found.reports) == expected


def test_without_rules_what_is_late_behind_another_stream_opens_no_window_that_has_closed():
    query = asked(windows=[":v ON <http://e/S> [RANGE 3 STEP 2]"])
    late = "3 T x p 1, 1 S a p 1, 2 S b p 1, 9 S c p 1"
    in_order = "1 S a p 1, 2 S b p 1, 3 T x p 1, 9 S c p 1"
    closes = [[close for close, *_ in ran(query, trace, ALL_OFF)] for trace in (late, in_order)]
    assert closes == [[4], [2, 4]]
