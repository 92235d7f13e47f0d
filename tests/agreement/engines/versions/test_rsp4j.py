"""YASPER 1.0.1 and C-SPARQL 2 of RSP4J: what recordings lack of their rules by hand, and strange texts."""

from dataclasses import replace

import pytest

from agreement.comparing.judge import why_silent
from agreement.documents.recordings import Recording, Report
from agreement.engines.engine import read_with_text
from agreement.engines.registry import engine
from agreement.engines.specifications import EngineRun
from lars.durations import MILLISECOND
from lars.errors import LarsError
from tests.agreement.engines.versions.test_kolibrie_846becb import pushed
from tests.agreement.engines.versions.test_rsp_js import brief
from tests.agreement.engines.versions.yasper_traces import NOTHING, node

YASPER, CSPARQL = engine("yasper-rsp4j-1.0.1"), engine("csparql2-rsp4j-c46e0f67")
BLOCK = "WINDOW :w { ?s :p ?a . }"


def asked(
    where=BLOCK, select="SELECT ?s", operator="RSTREAM", on="<http://e/S>", window="RANGE PT4S STEP PT4S"
):
    head = f"PREFIX : <http://e/>\nREGISTER {operator} <http://e/out> AS\n{select}\n"
    return f"{head}FROM NAMED WINDOW :w ON {on} [{window}]\nWHERE {{ {where} }}"


def ran(version, text, trace, off=()):
    found = version.run(version.read(text, "q"), NOTHING, pushed(trace), frozenset(off))
    return brief(found)


# Times are in milliseconds, windows in seconds.
TWICE = "1000 S a p x, 2000 S a p y, 5000 S b p x, 6000 S b p x, 9500 S a p z, 10000 S b p x, 14000 S c p x"


def test_istream_of_yasper_gives_each_new_row_once():
    text = asked(operator="ISTREAM")
    assert ran(YASPER, text, TWICE)[0] == (5000, 2, ["a"])
    assert ran(YASPER, text, TWICE, {"YO17"})[0] == (5000, 2, ["a", "a"])


OLD_FIRST = [(6000, 1, ["a"]), (13500, 3, ["b", "c"])]
NEW_FIRST = [(6000, 1, ["a"]), (9500, 2, ["b"]), (13500, 3, ["c"])]


@pytest.mark.parametrize("given", [OLD_FIRST, NEW_FIRST])
def test_istream_of_csparql_2_ends_at_the_first_row_that_is_not_new_in_either_order(given):
    text = asked(operator="ISTREAM", window="RANGE PT12S STEP PT4S")
    trace = "1000 S a p x, 6000 S b p x, 9500 S c p x, 13500 S d p x"
    reports = tuple(Report(t, tuple((node(name),) for name in rows), n) for t, n, rows in given)
    query, pushes = CSPARQL.read(text, "q"), pushed(trace)
    found = CSPARQL.predict(query, NOTHING, pushes, frozenset(), Recording(("s",), reports))
    assert brief(found) == given
    assert ran(CSPARQL, text, trace) in (OLD_FIRST, NEW_FIRST)
    assert ran(CSPARQL, text, trace, {"CS9"}) == NEW_FIRST


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (asked(f"{BLOCK} BIND(1 AS ?b) VALUES ?s {{ :z }}"), ["a"]),
        (asked(select="ASK"), ["xa"]),
        (asked(select="CONSTRUCT { ?s :x ?a }"), ["xa"]),
        (asked("WINDOW :w { OPTIONAL { ?s :p ?a } MINUS { ?s :p ?b } }"), ["a"]),
        (asked("WINDOW :w { { SELECT ?s WHERE { ?s :p ?a } LIMIT 1 } }"), ["a"]),
        (asked("WINDOW :w { ?s :p ?a , ?b ; :p ?c }"), ["a"]),
        (asked("WINDOW :w { ?s ?q ?a")[:-1], ["a"]),
        (asked("WINDOW :x { ?s :p ?a }"), []),
        (asked(operator="RStream"), []),
        (asked(on="STREAM <http://e/S>"), []),
        (asked(window="RANGE PT4S"), []),
        (asked("WINDOW :w { ?s :p/:q ?a }"), []),
        (asked(f"FILTER(?a = :x) {BLOCK}"), []),
        (asked("WINDOW :w { ?s :p ?a FILTER(?a = :x && ?a != ?s || ?s = :b) }"), ["a"]),
    ],
)
def test_what_yasper_makes_of_a_text(text, rows):
    found = ran(YASPER, text, "1000 S a p x, 6000 S b p y")
    assert found == ([(6000, 1, rows)] if rows else [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (asked(window="RANGE 4000 STEP 4000"), "the length 4000"),
        (asked(window="ELEMENTS 2 STEP 2"), r"the window \[ELEMENTS 2 STEP 2\]"),
        (asked("WINDOW :w { ?s :p|:q ?a }"), "the path"),
        (asked("WINDOW :w { ?s ^:p ?a }"), "prefix"),
        (asked("WINDOW :w { ?s :p [ :q ?a ] }"), "in a triple pattern"),
        (asked("WINDOW :w { ?s :p ?a FILTER(BOUND(?a)) }"), "FILTER with BOUND"),
        (asked("WINDOW :w { ?s :p ?a FILTER NOT EXISTS { ?s :q ?b } }"), "FILTER with a function"),
        (asked(select="SELECT (COUNT(*) AS ?n)"), "COUNT"),
        (asked().replace("PREFIX : <http://e/>", ""), "the prefix :"),
        ("no query {", "SELECT"),
    ],
)
def test_what_yasper_refuses(text, problem):
    with pytest.raises(LarsError, match=rf"^yasper-rsp4j-1\.0\.1 does not take .*{problem}.*; use "):
        YASPER.read(text, "q")


def test_a_condition_that_yasper_cannot_compare_loses_the_report():
    text = asked("WINDOW :w { ?s :p ?a FILTER(?a > 2) }")
    found = YASPER.run(YASPER.read(text, "q"), NOTHING, pushed("1000 S a p x, 6000 S b p 3, 11000 S c p 1"))
    assert (brief(found), found.rejected) == ([(11000, 2, ["b"])], (1,))
    # The exception comes before windows are deleted: the same one fires again.
    again = YASPER.run(YASPER.read(text, "q"), NOTHING, pushed("1000 S a p x, 6000 S b p 3, 7000 S c p 3"))
    assert again.rejected == (1, 2)


def test_windows_of_one_stream_take_an_arrival_in_either_order():
    windows = "[RANGE PT3S STEP PT3S]\nFROM NAMED WINDOW :v ON <http://e/S> [RANGE PT4S STEP PT4S]"
    text = asked(f"{BLOCK} WINDOW :v {{ ?t :q ?b }}").replace("[RANGE PT4S STEP PT4S]", windows)
    trace = "1000 S a p x, 1500 S b q x, 8000 S c p x"
    (other,) = YASPER.builds
    assert (len(ran(YASPER, text, trace)), len(ran(other, text, trace))) == (0, 1)


@pytest.mark.parametrize(
    "text",
    [
        asked(on="STREAM <http://e/S>"),
        asked(window="RANGE PT4S"),
        asked(window="RANGE 4000 STEP 4000"),
        asked(window="ELEMENTS 2 STEP 2"),
        asked(select="CONSTRUCT { ?s :x ?a }"),
        asked()[:-1],
        asked().replace("REGISTER RSTREAM <http://e/out> AS", ""),
        asked().replace("PREFIX : <http://e/>", ""),
    ],
)
def test_what_csparql_2_refuses(text):
    with pytest.raises(LarsError):
        CSPARQL.read(text, "q")
    if "CONSTRUCT" not in text and "PREFIX" in text:
        with pytest.raises(LarsError):
            CSPARQL.run(read_with_text(text, "q"), NOTHING, pushed("1000 S a p x"))


def test_csparql_2_stands_still_at_an_arrival_for_a_window_that_was_read():
    windows = "[RANGE PT4S STEP PT2S]\nFROM NAMED WINDOW :v ON <http://e/T> [RANGE PT4S STEP PT4S]"
    text = asked(f"{BLOCK} OPTIONAL {{ WINDOW :v {{ ?t :q ?b }} }}").replace(
        "[RANGE PT4S STEP PT4S]", windows
    )
    trace = "1000 S a p x, 4000 S b p x, 6000 S c p x, {} {} d q x, 9000 S e p x"
    assert [t for t, _, _ in ran(CSPARQL, text, trace.format(7000, "U"))] == [4000, 6000, 9000]
    assert [t for t, _, _ in ran(CSPARQL, text, trace.format(7000, "T"))] == [4000, 6000]


def test_a_step_of_the_clock_takes_out_what_is_due_before_the_report():
    assert ran(CSPARQL, asked(), "1000 S a p x, 2000 S b p x, 9000 S c p x") == []
    three = asked(window="RANGE PT4S STEP PT3S")
    assert ran(CSPARQL, three, "1000 S a p x, 2000 S b p x, 9000 S c p x") == [(9000, 2, ["a", "b"])]


CLAUSE = "FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 4]"
JS = f"PREFIX : <http://e/>\nREGISTER RStream <out> AS\nSELECT *\n{CLAUSE}\n"


@pytest.mark.parametrize("name", ["rsp-js-1.3.5", "rsp-rs-0.3.5"])
def test_graph_reads_windows_where_these_are_graphs_of_their_names(name):
    version, trace = engine(name), "1 S a p x, 2 S b p x, 6 S c p x"
    texts = [f"{JS}WHERE {{\n{start} {{ ?s :p ?a }}\n}}" for start in ("WINDOW :w", "GRAPH :w", "GRAPH ?g")]
    window, graph, variable = (ran(version, text, trace) for text in texts)
    assert window == graph != []
    assert [(t, n, [row.replace("w", "", 1) for row in rows]) for t, n, rows in variable] == window


def test_graph_reads_windows_of_csparql_2():
    trace = "1000 S a p x, 3000 S b p x, 6000 S c p x"
    texts = [asked(f"{start} {{ ?s :p ?a }}") for start in ("WINDOW :w", "GRAPH :w", "GRAPH ?g")]
    first, *others = (ran(CSPARQL, text, trace) for text in texts)
    assert others == [first, first] != [[], []]


def test_what_the_parser_of_rsp_js_does_not_see_is_the_reason_of_its_silence():
    version = engine("rsp-js-1.3.5")
    query = version.read(f"{JS}WHERE {{ WINDOW :w {{ ?s :p ?a }} }}", "q.rq")
    run = EngineRun(query, NOTHING, tuple(pushed("1 S a p x, 6 S c p x")), MILLISECOND)
    (sentence,) = why_silent(version, run)
    assert "ignores a part of the query: q.rq:5:9: found WINDOW" in sentence


@pytest.mark.parametrize(
    ("relation", "expected"),
    [("=", []), ("!=", ["a"]), ("<", []), (">", []), ("<=", []), (">=", [])],
)
def test_yasper_compares_nan_as_java_compares_doubles(relation, expected):
    nan = '"NaN"^^<http://www.w3.org/2001/XMLSchema#double>'
    query = YASPER.read(asked(f"WINDOW :w {{ ?s :p ?a FILTER(?a {relation} 5) }}"), "q")
    pushes = [replace(push, triple=(*push.triple[:2], nan)) for push in pushed("1000 S a p x, 6000 S b p y")]
    assert brief(YASPER.run(query, NOTHING, pushes, frozenset())) == (
        [(6000, 1, expected)] if expected else []
    )


@pytest.mark.parametrize(("blank", "expected"), [(" \x01", [(6000, 1, ["a"])]), ("\u00a0", [])])
def test_yasper_reads_a_number_between_the_blanks_that_java_trims(blank, expected):
    query = YASPER.read(asked("WINDOW :w { ?s :p ?a FILTER(?a > 5) }"), "q")
    pushes = [
        replace(push, triple=(*push.triple[:2], f'"{blank}7"'))
        for push in pushed("1000 S a p x, 6000 S b p y")
    ]
    assert brief(YASPER.run(query, NOTHING, pushes, frozenset())) == expected
