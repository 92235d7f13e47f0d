"""RSP-JS 1.3.5: each rule by hand, and the specification without rules; the registry."""

import random
from dataclasses import replace

import pytest

from agreement.engines.engine import with_its_text
from agreement.engines.versions.rsp_js import RSP_JS_135
from lars.errors import LarsError
from solver.facts import Static
from tests.agreement.engines.versions.yasper_traces import (
    NOTHING,
    OBJECT,
    Window,
    as_bags,
    at_closes,
    node,
    pushes,
    random_trace,
    shown,
    streamed,
)
from tests.sizes import few
from translate.dialects import read_query
from translate.model.query import Language

RSP_JS = RSP_JS_135
ALL_OFF = frozenset(rule.name for rule in RSP_JS.rules)
ONE = "WINDOW :w0 { ?s :p :o }"
TWO = "WINDOW :w0 { ?s :p :o } WINDOW :w1 { ?s :q :o }"


TWICE = (
    "FROM NAMED WINDOW :v ON STREAM :S [RANGE 4 STEP 4]\nFROM NAMED WINDOW :w ON STREAM :S [RANGE 2 STEP 2]\n"
)


def written(rest, select):
    text = f"PREFIX : <http://e/>\nSELECT {select}\n{rest}"
    return with_its_text(read_query(text, "q", Language.RSPQL), text, "q")


def query(where=ONE, windows=("S 4 4",), operator="RStream", select="?s", tail=""):
    """Return a query; a window is its stream, its length and its step."""
    declared = (window.split() for window in windows)
    clauses = "\n".join(
        f"FROM NAMED WINDOW :w{n} ON STREAM :{stream} [RANGE {width} STEP {step}]"
        for n, (stream, width, step) in enumerate(declared)
    )
    register = f"REGISTER {operator} <http://e/out> AS"
    return read_query(
        f"PREFIX : <http://e/>\n{register}\nSELECT {select}\n{clauses}\nWHERE {{\n{where} }} {tail}", "q"
    )


def ran(asked, trace, off=(), static=NOTHING):
    return RSP_JS.run(asked, static, pushes(trace), frozenset(off))


def test_a_variable_whose_name_is_window_is_no_clause():
    where = "FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 4]\nWHERE {{\nWINDOW :w {{ ?s :p ?{} }} }}"
    named, other = (ran(written(where.format(name), f"?{name} ?s"), "1 a, 5 b") for name in ("window", "x"))
    assert [report.rows for report in named.reports] == [report.rows for report in other.reports] != []


MANY = ", ".join(f"1 {name}" for name in "abcdefgh")
RULES = {
    "R1": (query(), "1 a, 4 b, 5 c", [(5, 2, ["a"])], [(5, 2, ["a"]), (5, 2, ["b"])]),
    "R2": (query(), "1 a, 5 b, 2 l, 6 c", [(5, 1, ["a"]), (6, 3, ["l"])], [(5, 1, ["a"])]),
    "R3": (query(), "1 a, 5 b", [(5, 1, ["a"])], [(4, 1, ["a"])]),
    "R4": (
        query(windows=["S 4 2"]),
        "1 a, 3 b, 7 c",
        [(3, 1, ["a"]), (7, 2, ["b"])],
        [(3, 1, ["a"]), (7, 2, ["a"]), (7, 2, ["b"]), (7, 2, ["b"])],
    ),
    "R5": (query(TWO, ["S 4 4", "T 8 8"]), "1 a, 6 a T, 7 b", [(7, 2, ["a"])], []),
    "R6": (
        query(windows=["S 4 2"], operator="IStream"),
        "1 a, 3 b, 5 c",
        [(3, 1, ["a"]), (5, 2, ["a"]), (5, 2, ["b"])],
        [(3, 1, ["a"]), (5, 2, ["b"])],
    ),
    "R7": (query(), "1 a, 1 b, 5 c", [(5, 2, ["a"]), (5, 2, ["b"])], [(5, 2, ["a", "b"])]),
    "R8": (
        query(),
        f"{MANY}, 5 x, 9 y, 13 z",
        [*((5, 8, [name]) for name in "abcdefgh"), (9, 9, ["x"])],
        [*((5, 8, [name]) for name in "abcdefgh"), (9, 9, ["x"]), (13, 10, ["y"])],
    ),
    "S1": (
        written(f"{TWICE} WHERE {{\nWINDOW :v {{ ?s :p :o }} }}", "?s"),
        "1 a, 6 b",
        [],
        [(6, 1, ["a"])],
    ),
    "S2": (
        query(
            "WINDOW :w0 { ?s :p :o OPTIONAL { ?s :q ?b } }", select="?s (COUNT(?b) AS ?n)", tail="GROUP BY ?s"
        ),
        "1 a, 6 b",
        [(6, 1, ["-a"])],
        [(6, 1, ["0a"])],
    ),
    "S5": (
        written(
            "FROM NAMED WINDOW :w ON STREAM :S [RANGE PT4S STEP PT4S]\nWHERE {\nWINDOW :w { ?s :p :o } }",
            "?s",
        ),
        "1 a, 4001 b",
        [],
        [(4001, 1, ["a"])],
    ),
    "S6": (
        query("WINDOW :w0 { ?s :p :o OPTIONAL { ?s :p ?b FILTER(?b != :o) } }"),
        "1 a, 6 b",
        [],
        [(6, 1, ["a"])],
    ),
}


def test_the_hand_made_cases_are_for_every_rule():
    assert {rule.name for rule in RSP_JS.rules} == set(RULES)


@pytest.mark.parametrize("name", RULES)
def test_each_rule_changes_an_answer(name):
    asked, trace, expected, without = RULES[name]
    assert brief(ran(asked, trace)) == expected
    assert brief(ran(asked, trace, [name])) == without


def brief(recording):
    """Return the reports, each row as its values in short, one after the other."""
    found = []
    for report in recording.reports:
        rows = (
            "".join("-" if t is None else t.split('"')[1] if t[0] == '"' else t[10:-1] for t in row)
            for row in report.rows
        )
        found.append((report.t, report.trigger, sorted(rows)))
    return found


def test_a_count_of_what_some_solution_lacks_is_unbound_and_one_of_no_solution_0():
    both = query("WINDOW :w0 { ?t :p :o OPTIONAL { ?t :q ?b } }", select="(COUNT(?b) AS ?n) (COUNT(*) AS ?m)")
    mixed = [*pushes("1 a"), replace(pushes("1 a T")[0], stream=node("S")), *pushes("2 b, 6 c")]
    assert brief(RSP_JS.run(both, NOTHING, mixed)) == [(6, 3, ["2-"])]
    none = query("WINDOW :w0 { ?t :q ?b }", select="(COUNT(?b) AS ?n)")
    assert brief(ran(none, "1 a, 6 b")) == [(6, 1, ["0"])]


def test_each_row_is_told_to_be_a_step_later_than_the_one_before():
    asked, trace = query(windows=["S 4 2"]), "1 a, 1 b, 3 c, 5 d"
    assert ran(asked, trace).windows == ((0, 2), (2, 4), (4, 6), (6, 8), (8, 10))
    assert set(ran(asked, trace, ["R8"]).windows) == {(0, 2)}
    assert ran(asked, trace, ["R7"]).windows == ((-2, 2), (0, 4))


def test_two_windows_move_by_their_own_rows():
    union = "{\nWINDOW :w0 { ?s :p :o } } UNION {\nWINDOW :w1 { ?s :q :o } }"
    found = ran(query(union, ["S 4 4", "T 2 2"]), "1 a, 1 b T, 3 c T, 5 d, 5 e T")
    assert shown(found) == [(3, 2, ["a"]), (3, 2, ["b"]), (5, 3, ["a"]), (5, 4, ["c"])]
    assert found.windows == ((0, 2), (2, 4), (0, 4), (4, 6))


def test_a_moved_border_opens_a_closed_window_that_is_empty():
    asked, trace = query(windows=["S 4 2"]), "1 a, 3 b, 9 c"
    assert shown(ran(asked, trace)) == [(3, 1, ["a"])]
    assert shown(ran(asked, trace, ["R8"])) == [(3, 1, ["a"]), (9, 2, ["b"])]


def test_a_window_that_closes_at_zero_does_not_fire():
    asked = query(windows=["S 4 2"])
    assert shown(ran(asked, "0 a, 1 b")) == []
    assert shown(ran(asked, "0 a, 1 b", ALL_OFF)) == [(0, 1, ["a"])]


def test_arrivals_at_the_instant_of_a_report_make_no_other():
    assert shown(ran(query(), "1 a, 5 b, 5 c, 9 d")) == [(5, 1, ["a"]), (9, 3, ["b"]), (9, 3, ["c"])]


def test_after_a_gap_of_many_windows_the_last_filled_one_fires_unless_a_later_one_was_opened():
    assert shown(ran(query(), "1 a, 1001 b")) == [(1001, 1, ["a"])]
    assert shown(ran(query(), "1 a, 5 x, 2000 b, 2001 c")) == [(5, 1, ["a"])]


def test_aggregates_over_a_window_without_solutions_still_have_a_row():
    asked = query("WINDOW :w0 { ?s :q :o }", select="(COUNT(?s) AS ?n)")
    assert [report.rows for report in ran(asked, "1 a, 5 b").reports] == [
        (('"0"^^<http://www.w3.org/2001/XMLSchema#integer>',),)
    ]


def test_static_data_are_the_default_graph_and_hold_no_windows():
    static = Static(frozenset([(node("a"), node("in"), OBJECT), (node("b"), node("p"), OBJECT)]), {})
    assert shown(ran(query(f"{ONE}\n?s :in :o"), "1 a, 2 c, 5 d", static=static)) == [(5, 2, ["a"])]


def test_rows_are_a_multiset_of_what_is_selected():
    asked = query("WINDOW :w0 { ?s :p ?o }", select="?o")
    assert [report.rows for report in ran(asked, "1 a, 2 b, 5 c").reports] == [((OBJECT,),)] * 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("SELECT * FROM NAMED WINDOW <w> ON STREAM <s> [RANGE 2] { WINDOW <w> { ?s ?p ?o } }", "RANGE 2ms"),
        ("SELECT * FROM STREAM <s> [RANGE 2s STEP 1s] { ?s ?p ?o }", "a query in csparql"),
        ("ASK FROM NAMED WINDOW <w> ON STREAM <s> [RANGE 2 STEP 2] { WINDOW <w> { ?s ?p ?o } }", "ASK"),
    ],
)
def test_what_rsp_js_cannot_run_is_refused_by_name(text, problem):
    with pytest.raises(LarsError, match=f"rsp-js-1.3.5 cannot run .*{problem}.*; expected "):
        RSP_JS.run(read_query(text, "q.rq"), NOTHING, pushes("0 a"))


SHAPES = [
    (ONE, ["S 2 2"]),
    (ONE, ["S 3 1"]),
    (ONE, ["S 1 3"]),
    (TWO, ["S 3 2", "T 2 1"]),
    ("WINDOW :w0 { ?s :p :o }\nWINDOW :w1 { ?t :p :o }", ["S 2 2", "S 3 3"]),
]


@pytest.mark.parametrize("operator", ["RStream", "IStream", "DStream"])
@pytest.mark.parametrize(("where", "windows"), SHAPES)
@pytest.mark.parametrize("seed", few(range(3), 1))
def test_without_rules_it_is_its_specification(seed, where, windows, operator):
    trace = random_trace(random.Random(seed), step=1, last=25)
    parts = (window.split() for window in windows)
    read = [Window(stream, int(width), int(step)) for stream, width, step in parts]
    select = f"PREFIX : <http://e/> SELECT ?s WHERE {{ {where.replace('WINDOW', 'GRAPH')} }}"
    found = RSP_JS.run(query(where, windows, operator), NOTHING, trace, ALL_OFF)
    expected = streamed(at_closes(read, trace, select), operator.upper(), silent=True)
    assert as_bags(found.reports) == expected
