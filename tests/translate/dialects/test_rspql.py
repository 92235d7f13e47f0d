"""RSP-QL: windows with names, WINDOW blocks, and the syntax of its families."""

import pytest

from lars.durations import read_duration
from lars.language.terms import Iri
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.query import Language
from translate.model.windows import Range, Rows

HEAD = "PREFIX : <e:> SELECT *"
BLOCK = "WINDOW :w { ?s ?p ?o }"


def span(length, slide=None, until=None):
    return Range(*(part and read_duration(part) for part in (length, slide, until)))


def test_a_query_of_rsp4j_is_read():
    text = f"""PREFIX : <e:> REGISTER ISTREAM <out> AS SELECT ?s FROM <g>
    FROM NAMED WINDOW :w ON :s [RANGE PT10S STEP PT5S] FROM NAMED WINDOW <v> ON <t> [ELEMENTS 5]
    WHERE {{ ?s a :Known . {BLOCK} }}"""
    query = read_query(text, "q.rq")
    assert (query.language, query.name, query.registers_stream) == (Language.RSPQL, "out", True)
    assert (query.to_stream, query.merged) == ("ISTREAM", ())
    assert query.declared == (StreamBlock(Iri("t"), Rows(5)),)
    assert str(query.pattern).endswith("AND STREAM <e:s> [RANGE 10s SLIDE 5s] {?s ?p ?o})")
    assert [graph.value for graph in query.dataset.default] == ["g"]


@pytest.mark.parametrize(
    ("clause", "window"),
    [
        (":w ON :s [RANGE PT10S]", span("10s")),
        (":w ON :s [range pt1h30m step pt0.5s]", span("90m", "500ms")),
        (":w ON :s [RANGE P1DT1H SLIDE P1W]", span("25h", "7d")),
        (":w ON :s [ELEMENTS 5 STEP 1]", Rows(5)),
        (":w ON :s [STEP PT5S RANGE PT10S]", span("10s", "5s")),
        (":w ON :s [ITEM 5]", Rows(5)),
        (":w ON :s [FROM NOW-PT2H TO NOW-PT1H STEP PT10M]", span("2h", "10m", "1h")),
        (":w ON :s [FROM NOW-PT2H TO NOW]", span("2h")),
        (":w ON STREAM :s [RANGE 1500 STEP 1000]", span("1500ms", "1s")),
        (":w ON STREAM :s [RANGE PT1S STEP 1s]", span("1s", "1s")),
        (":w [RANGE 5 s, SLIDE 1s] ON STREAM :s", span("5s", "1s")),
        ("ON STREAM :s [RANGE PT3H SLIDE PT10M] AS :w", span("3h", "10m")),
    ],
)
def test_each_window_of_its_families_is_read(clause, window):
    query = read_query(f"{HEAD} FROM NAMED WINDOW {clause} {{ {BLOCK} }}", "q.rq")
    assert (query.pattern.stream, query.pattern.window) == (Iri("e:s"), window)
    assert (query.language, query.declared) == (Language.RSPQL, ())
    unit = "lengths of windows without a unit count units of 1ms: 1500 is 1500ms, 1000 is 1s"
    assert query.notes == ((unit,) if "RANGE 1500" in clause else ())


@pytest.mark.parametrize(
    ("block", "table", "name"),
    [
        ("WINDOW :win { ?s ?p [ :q ?o ] OPTIONAL { ?s :r ?t } }", "(?s ?p ?o ?t)", "<e:win>"),
        ("WINDOW ex:win {}", "()", "<ex:win>"),
    ],
)
def test_a_window_that_nothing_declares_has_no_solution_and_a_warning_names_it(block, table, name):
    query = read_query(f"{HEAD} FROM NAMED WINDOW :wind ON :s [RANGE PT1S] {{ {block} }}", "q.rq")
    assert str(query.pattern) == f"VALUES {table} {{}}"
    assert query.notes == (
        f"WINDOW {name} is empty, because the query does not declare a window with this name",
    )


def test_a_variable_over_no_window_has_no_solution():
    query = read_query("ASK { WINDOW ?w { ?s ?p ?o } }", "q.rq")
    assert (str(query.pattern), len(query.notes)) == ("VALUES (?w ?s ?p ?o) {}", 1)


def test_a_variable_ranges_over_the_declared_windows():
    clauses = "FROM NAMED WINDOW :w ON :s [RANGE PT1S] FROM NAMED WINDOW :v ON :t [RANGE PT2S]"
    query = read_query(f"{HEAD} {clauses} {{ WINDOW ?w {{ ?s ?p ?o }} }}", "q.rq")
    assert str(query.pattern) == (
        "((STREAM <e:s> [RANGE 1s] {?s ?p ?o} AND VALUES (?w) {(<e:w>)})"
        " UNION (STREAM <e:t> [RANGE 2s] {?s ?p ?o} AND VALUES (?w) {(<e:v>)}))"
    )
    assert ([variable.name for variable in query.result], query.declared) == (["w", "s", "p", "o"], ())


def test_a_window_without_a_name_is_merged_and_from_graph_is_from():
    query = read_query(f"{HEAD} FROM WINDOW ON :s [RANGE PT1S] FROM GRAPH :g {{ ?s ?p ?o }}", "q.rq")
    assert query.merged == (StreamBlock(Iri("e:s"), span("1s")),)
    assert query.dataset.default == (Iri("e:g"),)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("REGISTER RStream :out AS", ("e:out", None, "RSTREAM", True)),
        ("REGISTER STREAM :out COMPUTED EVERY PT5S AS", ("e:out", "5s", None, True)),
        ("REGISTER QUERY q COMPUTE EVERY PT2S AS", ("q", "2s", None, False)),
        ("REGISTER QUERY q COMPUTED EVERY 1m AS", ("q", "1m", None, False)),
        ("REGISTER STREAM ?out AS", ("?out", None, None, True)),
        ("", (None, None, None, False)),
    ],
)
def test_each_way_to_register_a_query_is_read(header, said):
    clause = "FROM NAMED WINDOW :w ON :s [RANGE PT1S]"
    query = read_query(f"PREFIX : <e:> {header} SELECT * {clause} {{ {BLOCK} }}", "q.rq")
    every = query.every and str(query.every)
    assert (query.name, every, query.to_stream, query.registers_stream) == said


def test_an_aggregate_with_a_name_can_stand_without_brackets_and_a_note_says_so():
    with_brackets, without = (
        read_query(
            f"SELECT {item} FROM NAMED WINDOW <w> ON <s> [RANGE PT1S] {{ WINDOW <w> {{ ?s ?p ?o }} }}", "q"
        )
        for item in ("(AVG(?o) AS ?a)", "AVG(?o) AS ?a")
    )
    assert (without.result, without.pattern) == (with_brackets.result, with_brackets.pattern)
    assert without.notes == ("SELECT .. AS ?a without brackets is read as (.. AS ?a)",)


def test_the_prologue_can_stand_after_register():
    text = "REGISTER RSTREAM :o AS PREFIX : <e:> ASK FROM NAMED WINDOW :w ON :s [RANGE PT1S] {}"
    query = read_query(text, "q.rq")
    assert (query.name, query.declared) == ("e:o", (StreamBlock(Iri("e:s"), span("1s")),))


CLAUSE = "FROM NAMED WINDOW <w> ON <s>"


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("ASK FROM NAMED WINDOW ¦{}", ("found", "expected")),
        ("ASK FROM NAMED WINDOW <w> ¦<s> [RANGE PT1S] {}", ("ON",)),
        ("ASK FROM NAMED WINDOW <w> ON ¦[RANGE PT1S] {}", ("an IRI",)),
        ("ASK FROM NAMED WINDOW ON <s> [RANGE PT1S] ¦{}", ("found {", "AS")),
        ("ASK FROM WINDOW ¦<w> ON <s> [RANGE PT1S] {}", ("found <w>", "ON")),
        (f"ASK {CLAUSE} ¦{{}}", ("found {", "[RANGE PT10S STEP PT5S]")),
        (f"ASK {CLAUSE} [¦NOW] {{}}", ("found NOW", "FROM", "RANGE")),
        (f"ASK {CLAUSE} [RANGE ¦PT] {{}}", ("found PT;", "PT10S")),
        (f"ASK {CLAUSE} [RANGE ¦PT1M1H] {{}}", ("found PT1M1H;",)),
        (f"ASK {CLAUSE} [RANGE ¦PT0S] {{}}", ("longer than zero",)),
        (f"ASK {CLAUSE} [RANGE ¦PT1.5M] {{}}", ("found PT1.5M;",)),
        (f"ASK {CLAUSE} [RANGE PT1S STEP ¦] {{}}", ("a duration as in PT10S",)),
        (f"ASK {CLAUSE} [ELEMENTS ¦PT1S] {{}}", ("found PT1S", "an integer")),
        (f"ASK {CLAUSE} [RANGE PT1S] FROM NAMED WINDOW ¦<w> ON <t> [RANGE PT1S] {{}}", ("no other window",)),
        (f"ASK {CLAUSE} [RANGE PT1S] {{ WINDOW <w> ¦?s ?p ?o }}", ("found ?s; expected {",)),
        (f"ASK {CLAUSE} [RANGE PT1S] {{ WINDOW <w> {{ ¦WINDOW <w> {{}} }} }}", ("WINDOW inside WINDOW",)),
        (
            f"REGISTER RSTREAM <o> AS SELECT ¦ISTREAM * {CLAUSE} [RANGE PT1S] {{}}",
            ("as REGISTER says",),
        ),
        (f"ASK {CLAUSE} [RANGE 4 REPORT ¦NEVER] {{}}", ("ON_CONTENT_CHANGE, ON_WINDOW_CLOSE",)),
        (f"ASK {CLAUSE} [RANGE 4 TICK ¦] {{}}", ("TIME_DRIVEN or TUPLE_DRIVEN",)),
        ("REGISTER RSTREAM ¦q AS ASK {}", ("found q; expected an IRI",)),
        ("REGISTER RSTREAM <q> ¦ASK {}", ("expected AS",)),
        ("ASK FROM ¦STREAM <s> [NOW] {}", ("FROM STREAM", "in a query of RSP-QL")),
    ],
)
def test_a_wrong_clause_is_refused_at_its_place(marked, words):
    fails_at_mark(marked, *words, kind=QueryError, engine=Language.RSPQL)


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        (f"ASK {CLAUSE} [RANGE ¦P1M] {{}}", "the duration P1M"),
        ("ASK FROM NAMED WINDOW <w> [RANGE ¦10 STEP 5] ON <s> {}", "a duration without a unit"),
        ("ASK FROM NAMED WINDOW <w> [RANGE 5s, SLIDE ¦1] ON <s> {}", "a duration without a unit"),
        (f"ASK {CLAUSE} [RANGE ¦?range] {{}}", "a parameter"),
        (f"ASK {CLAUSE} [FROM NOW-¦?from] {{}}", "a parameter"),
        (f"ASK {CLAUSE} [ITEM ¦?n] {{}}", "a parameter"),
        (f"ASK {CLAUSE} [ELEMENTS 5 ¦STEP 2] {{}}", "a tuple window with STEP"),
        ("ASK FROM NAMED WINDOW <w> ON ¦?s [RANGE PT1S] {}", "the variable stream name ?s"),
        ("ASK FROM NAMED WINDOW ¦?w ON <s> [RANGE PT1S] {}", "the variable window name ?w"),
        ("REGISTER STREAM <o> ¦UNDER ENTAILMENT REGIME <r> AS ASK {}", "UNDER ENTAILMENT REGIME"),
    ],
)
def test_what_only_other_languages_have_is_named_at_its_place(marked, word):
    fails_at_mark(marked, word, "covered", kind=UnsupportedError, engine=Language.RSPQL)


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("ASK FROM NAMED WINDOW <w> ON ¦'s' [RANGE PT1S] {}", ("read as RSP-QL",)),
        ("ASK FROM NAMED STREAM <s> [NOW - ¦S] {}", ("found S", "read as SPARQLstream")),
        ("ASK FROM STREAM <s> [RANGE ¦x] {}", ("found x", "read as C-SPARQL")),
        ("ASK { STREAM <s> [RANGE ¦x] {} }", ("found x", "read as CQELS")),
        ("ASK { STREAM <s> [NOW - 5 ¦x] {} }", ("found x", "read as SPARQLstream")),
    ],
)
def test_a_text_that_no_language_has_gives_the_error_of_the_one_that_read_most(marked, words):
    fails_at_mark(marked, *words, kind=QueryError)
