"""rsp-rs 0.3.5: each rule by hand, its defects among them, and the specification without rules."""

import random

import pytest

from agreement.engines.engine import with_its_text
from agreement.engines.versions.rsp_rs import RSP_RS_035
from lars.errors import LarsError
from solver.facts import Static
from tests.agreement.engines.versions.test_rsp_js import SHAPES, TWO, query
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

RSP_RS = RSP_RS_035
ALL_OFF = frozenset(rule.name for rule in RSP_RS.rules)
ON_T = ["S 4 4", "T 4 4"]


def ran(asked, trace, off=(), static=NOTHING):
    return RSP_RS.run(asked, static, pushes(trace), frozenset(off))


def written(text):
    return with_its_text(read_query(text, "q", Language.RSPQL), text, "q")


def lines(window="[RANGE 4 STEP 4]", block="\nWINDOW :w { ?s :p :o }", clause="ON STREAM :S"):
    text = f"PREFIX : <http://e/>\nSELECT ?s\nFROM NAMED WINDOW :w {clause} {window}\nWHERE {{{block} }}"
    return written(text)


TWICE = written(
    "PREFIX : <http://e/>\nSELECT ?s\nFROM NAMED WINDOW :v ON STREAM :S [RANGE 4 STEP 4]\n"
    "FROM NAMED WINDOW :w ON STREAM :S [RANGE 2 STEP 2]\nWHERE {\nWINDOW :v { ?s :p :o } }"
)
RULES = {
    "D1": (query(), "2 a, 5 b, 7 c", [(7, 2, ["a", "b"])], [(5, 1, ["a"])]),
    "D2": (
        query(windows=["S 4 4"]),
        "1 a, 6 b, 2 c, 7 d",
        [(6, 1, ["a"]), (7, 3, ["c"])],
        [(6, 1, ["a"])],
    ),
    "D3": (lines("[RANGE PT4S STEP PT4S]"), "1 a, 6001 b", [], [(6001, 1, ["a"])]),
    "D4": (
        query(windows=["S 2 2"]),
        "1 a, 2 x, 3 b, 8 c",
        [(8, 3, ["b"])],
        [(8, 3, ["a", "x"]), (8, 3, ["b"])],
    ),
    "D5": (TWICE, "1 a, 6 b", [], [(6, 1, ["a"])]),
    "D6": (query(TWO, ON_T), "1 a, 2 a T, 6 b", [], [(6, 2, ["a"])]),
    "D7": (
        query(windows=["S 2 2"], select="(COUNT(?s) AS ?n)"),
        "1 a, 2 b, 2 c, 4 d",
        [(2, 1, ["0"]), (4, 3, ["3"])],
        [(4, 3, ["3"])],
    ),
    "A3": (query(), "1 a, 5 b, 6 c", [(6, 2, ["a"])], [(5, 1, ["a"]), (6, 2, ["b"])]),
    "A4": (query(), "1 a, 6 b", [(6, 1, ["a"])], [(5, 1, ["a"])]),
    "A8": (
        query(windows=["S 4 2"], operator="IStream"),
        "1 a, 4 b, 6 c",
        [(4, 1, ["a"]), (6, 2, ["a", "b"])],
        [(4, 1, ["a"]), (6, 2, ["b"])],
    ),
    "A14": (query("WINDOW :w0 { ?s (:p|:p) :o }"), "1 a, 6 b", [(6, 1, ["a"])], [(6, 1, ["a", "a"])]),
    "A15": (
        query("WINDOW :w0 { ?s :p ?o }", select="(GROUP_CONCAT(STRLEN(STR(?s))) AS ?n)"),
        "1 a, 6 b",
        [(6, 1, ["-"])],
        [(6, 1, ["10"])],
    ),
}


def short(recording):
    """Return the reports, each row as its value in short."""
    found = []
    for report in recording.reports:
        rows = (
            "-" if one is None else one.split('"')[1] if one[0] == '"' else one[10:-1]
            for (one,) in report.rows
        )
        found.append((report.t, report.trigger, sorted(rows)))
    return found


def test_the_hand_made_cases_are_for_every_rule_but_that_of_bounds():
    assert {rule.name for rule in RSP_RS.rules} == {*RULES, "A11"}


@pytest.mark.parametrize("name", RULES)
def test_each_rule_changes_an_answer(name):
    asked, trace, expected, without = RULES[name]
    assert short(ran(asked, trace)) == expected
    assert short(ran(asked, trace, [name])) == without


def test_a_tumbling_window_shows_what_it_showed_before_after_a_first_triple_at_0():
    assert shown(ran(query(), "0 a, 1 b, 5 c, 6 d")) == [(5, 2, ["a", "b"]), (6, 3, ["b"])]


def test_bounds_are_told_from_the_last_triple_on_and_not_of_the_window():
    asked, trace = query(), "1 a, 2 b, 6 c"
    assert ran(asked, trace).windows == ((2, 6),)
    assert ran(asked, trace, ["A11"]).windows == ((1, 5),)
    counting = query(select="(COUNT(?s) AS ?n)")
    assert ran(counting, "2 a, 3 b").windows == ((0, 4),)


def test_an_arrival_before_the_first_triple_is_lost():
    assert shown(ran(query(), "10 a, 7 b, 15 c")) == [(15, 2, ["a"])]


def test_equal_times_report_once_and_what_comes_at_a_close_finds_it_open():
    assert shown(ran(query(), "1 a, 5 b, 6 c, 6 d, 10 e")) == [(6, 2, ["a"]), (10, 4, ["b", "c", "d"])]


def test_a_length_that_is_no_integer_is_0_and_a_window_of_no_length_is_empty():
    asked = written(
        "PREFIX : <http://e/>\nSELECT (COUNT(?s) AS ?n)\n"
        "FROM NAMED WINDOW :w ON STREAM :S [RANGE PT4S STEP 2]\nWHERE {\nWINDOW :w { ?s :p :o } }"
    )
    assert short(ran(asked, "1 a, 4 b")) == [(4, 1, ["0"])]


@pytest.mark.parametrize(
    "asked",
    [
        lines(block=" WINDOW :w { ?s :p :o }"),
        lines(clause="ON :S"),
        written(
            "PREFIX : <http://e/> SELECT ?s FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 4]\n"
            "{\nWINDOW :w { ?s ?p ?o } }"
        ),
    ],
)
def test_what_the_lines_do_not_show_is_never_answered(asked):
    assert shown(ran(asked, "1 a, 6 b, 11 c")) == []
    assert shown(ran(asked, "1 a, 6 b, 11 c", ["D3"])) == [(6, 1, ["a"]), (11, 2, ["b"])]


def test_static_data_are_joined_where_a_window_is_empty_too():
    static = Static(frozenset([(node("a"), node("in"), OBJECT)]), {})
    asked = query("?s :in :o OPTIONAL { WINDOW :w0 { ?s :p ?x } }", ["S 2 2"])
    assert shown(ran(asked, "1 b, 2 c", static=static)) == [(2, 1, ["a"])]


def test_what_rsp_rs_cannot_run_is_refused_by_name():
    text = "ASK FROM NAMED WINDOW <w> ON STREAM <s> [RANGE 2 STEP 2] { WINDOW <w> { ?s ?p ?o } }"
    with pytest.raises(LarsError, match=r"rsp-rs-0.3.5 cannot run ASK; expected SELECT"):
        RSP_RS.run(read_query(text, "q.rq"), NOTHING, pushes("0 a"))


@pytest.mark.parametrize("operator", ["RStream", "IStream", "DStream"])
@pytest.mark.parametrize(("where", "windows"), SHAPES)
@pytest.mark.parametrize("seed", few(range(3), 1))
def test_without_rules_it_is_its_specification(seed, where, windows, operator):
    trace = random_trace(random.Random(seed), step=1, last=25)
    parts = (window.split() for window in windows)
    read = [Window(stream, int(width), int(step)) for stream, width, step in parts]
    select = f"PREFIX : <http://e/> SELECT ?s WHERE {{ {where.replace('WINDOW', 'GRAPH')} }}"
    found = RSP_RS.run(query(where, windows, operator), NOTHING, trace, ALL_OFF)
    expected = streamed(at_closes(read, trace, select), operator.upper(), silent=True)
    assert as_bags(found.reports) == expected


def test_rsp_rs_reads_each_block_of_a_line_that_begins_with_one():
    block = "\nWINDOW :w { ?s :p :o } OPTIONAL { WINDOW :w { ?s :q :x } }"
    assert short(ran(lines(block=block), "1 a, 6 b")) == [(6, 1, ["a"])]
    assert ran(lines(block=f" {block[1:]}"), "1 a, 6 b").reports == ()
