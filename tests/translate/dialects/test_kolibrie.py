"""Kolibrie: a language of its own beside RSP-QL, told by what stands around its windows."""

import pytest

from lars.durations import read_duration
from lars.language.terms import Iri
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.query import Language
from translate.model.windows import Range

BLOCK = "WINDOW :w { ?s ?p ?o }"


def span(length, slide):
    return Range(read_duration(length), read_duration(slide), ends="high-open")


def asked(clause, before="PREFIX e: <e:>", block=BLOCK):
    return read_query(f"{before} SELECT * FROM NAMED WINDOW {clause} WHERE {{ {block} }}", "q.rq")


@pytest.mark.parametrize(
    ("clause", "window"),
    [
        (":w ON <e:s> [RANGE 4 STEP 2]", span("4s", "2s")),
        (":w ON e:s [RANGE 4]", span("4s", "4s")),
        (":w ON e:s [SLIDING 4 STEP 2 REPORT ON_WINDOW_CLOSE TICK TIME_DRIVEN]", span("4s", "2s")),
        (":w ON e:s [SLIDING 4]", span("4s", "4s")),
        (":w ON e:s [TUMBLING 4] WITH POLICY wait", span("4s", "4s")),
        (":w ON e:s [TUMBLING 4 STEP 2]", span("4s", "2s")),
        (":w ON e:s [RANGE PT2M STEP PT1S REPORT ON_WINDOW_CLOSE]", span("2m", "1s")),
        (":w ON e:s [range 4 step PT2S]", span("4s", "2s")),
        (":w ON<e:s>[RANGE 4 STEP 2]", span("4s", "2s")),
        (":w ON # s [NOW]\n e:s [RANGE 4, STEP 2]", span("4s", "2s")),
        (":w ON e:s [RANGE PT4S STEP 2]", span("4s", "2s")),
    ],
)
def test_integers_are_seconds_and_a_window_without_step_tumbles(clause, window):
    query = asked(clause)
    assert (query.language, query.pattern.stream, query.pattern.window) == (
        Language.KOLIBRIE,
        Iri("e:s"),
        window,
    )
    unit = "lengths of windows without a unit count units of 1s: 4 is 4s"
    if "PT4S" in clause:
        unit = unit.replace("4 is 4s", "2 is 2s")
    elif " 2" in clause:
        unit += ", 2 is 2s"
    assert query.notes == ((unit,) * ("PT2M" not in clause))


def test_a_reading_counts_integers_in_milliseconds():
    text = f"SELECT * FROM NAMED WINDOW :w ON :s [RANGE 4000 STEP PT2S] {{ {BLOCK} }}"
    query = read_query(text, "q.rq", readings=(("numbers", "milliseconds"),))
    assert query.pattern.window == span("4s", "2s")
    assert query.notes == ("lengths of windows without a unit count units of 1ms: 4000 is 4s",)


@pytest.mark.parametrize("clause", [":w ON e:s [RANGE PT4S]", ":w ON STREAM :s [RANGE 4 STEP 2]"])
def test_what_others_write_as_well_stays_rsp_ql(clause):
    assert asked(clause, "PREFIX : <e:> PREFIX e: <e:>").language is Language.RSPQL


@pytest.mark.parametrize(
    ("clause", "block", "stream"),
    [
        (":w ON :s [RANGE 4]", ":w", ":s"),
        ("w ON s [RANGE 4]", ":w", ":s"),
        (":w ON s-1 [RANGE 4]", "w", ":s-1"),
        ("<:w> ON <s> [RANGE 4]", ":w", "s"),
        ("?w ON ?s [RANGE 4]", "?w", "?s"),
    ],
)
def test_names_are_texts_with_or_without_a_colon(clause, block, stream):
    query = asked(clause, "REGISTER RSTREAM <o> AS", f"WINDOW {block} {{ ?a <p> ?b }}")
    assert query.pattern.stream == Iri(stream)


@pytest.mark.parametrize("stream", [":s", "?s"])
@pytest.mark.parametrize("operator", ["RSTREAM", "ISTREAM"])
def test_a_registered_query_whose_names_are_no_iris_is_kolibrie_without_another_sign(stream, operator):
    clause, before = f":w ON {stream} [RANGE PT4S STEP PT2S]", f"REGISTER {operator} <o> AS"
    query = asked(clause, before)
    assert (query.language, query.pattern.window) == (Language.KOLIBRIE, span("4s", "2s"))
    assert "the query is read as Kolibrie, as its names are not IRIs" in query.notes
    assert asked(clause.replace("?", ":"), f"PREFIX : <e:> {before}").language is Language.RSPQL
    with pytest.raises(QueryError if stream == ":s" else UnsupportedError):
        asked(clause, "")
    with pytest.raises(QueryError, match="undeclared prefix :"):
        asked(clause, before, "WINDOW :w { ?a :p ?b }")


@pytest.mark.parametrize(
    ("before", "clause", "block"),
    [
        ("PREFIX ex: <http://e/> REGISTER", "ex:w ON exx:s", "ex:w"),
        ("PREFIX ex: <http://e/> REGISTER", ":w ON :s", ":w"),
        ("REGISTER", "<w> ON ?x", "<w>"),
        ("REGISTER", "<w> ON :s", "<w>"),
        ("REGISTER", ":w ON exx:s", ":w"),
        ("REGISTER", ":w ON :s", "ex:w"),
    ],
)
def test_a_name_that_can_be_an_iri_makes_no_text_kolibrie(before, clause, block):
    with pytest.raises((QueryError, UnsupportedError), match=r"undeclared prefix|the variable stream name"):
        asked(
            f"{clause} [RANGE PT10S STEP PT5S]", f"{before} RSTREAM <o> AS", f"WINDOW {block} {{ ?a <p> ?b }}"
        )


def test_a_variable_is_a_name_and_binds_nothing():
    query = asked(":w ON ?s [RANGE 4]", "REGISTER RSTREAM <o> AS", "WINDOW :w { ?s <p> ?b }")
    assert query.pattern.stream == Iri("?s")
    assert "?s is read as the name of a stream, not as a variable that the pattern binds" in query.notes


def test_where_a_stream_comes_from_is_left_out_with_a_note():
    before = "REGISTER STREAM :s FROM <file:///x> WITH TIMESTAMP <e:at> REGISTER DSTREAM <o> AS"
    query = asked(":w ON :s [RANGE 4]", before)
    assert (query.name, query.to_stream, query.registers_stream) == ("o", "DSTREAM", True)
    assert query.notes[0].startswith("REGISTER STREAM .. FROM .. WITH TIMESTAMP of Kolibrie is ignored")


def test_an_unknown_operator_runs_as_rstream():
    query = asked(":w ON :s [RANGE 4]", "REGISTER ASTREAM <o> AS")
    assert (query.name, query.to_stream) == ("o", None)


@pytest.mark.parametrize(
    ("window", "words"),
    [
        ("[RANGE 4 STEP 2 REPORT PERIODIC]", ("REPORT PERIODIC",)),
        (
            "[RANGE 4 REPORT NON_EMPTY_CONTENT TICK TUPLE_DRIVEN]",
            ("REPORT NON_EMPTY_CONTENT", "TICK TUPLE_DRIVEN"),
        ),
        ("[RANGE 4] WITH POLICY steal", ("WITH POLICY steal",)),
        ("[RANGE 4] WITH POLICY (timeout=5s, fallback=drop)", ("WITH POLICY (timeout=5s, fallback=drop)",)),
    ],
)
def test_when_a_window_reports_is_left_out_with_a_note(window, words):
    assert asked(f":w ON <e:s> {window}").notes[:-1] == tuple(
        f"{word} of Kolibrie is ignored, because it affects the times of reports, not the rows"
        for word in words
    )


@pytest.mark.parametrize(
    ("marked", "word", "kind"),
    [
        ("¦RULE <r> :- CONSTRUCT {} {}", "RULE of Kolibrie", UnsupportedError),
        (
            "¦RETRIEVE SOME ACTIVE STREAM ?s FROM <c> WITH { ?s a <S> }",
            "RETRIEVE of Kolibrie",
            UnsupportedError,
        ),
        (
            "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 4] { } ¦ML.PREDICT(MODEL 'm')",
            "ML.PREDICT of Kolibrie",
            UnsupportedError,
        ),
        ("¦NEURAL RELATION <r> USING MODEL 'm' { }", "NEURAL RELATION of Kolibrie", UnsupportedError),
        ("REGISTER STREAM :s ¦WITH TIMESTAMP SYSTIME", "expected FROM", QueryError),
        ("REGISTER STREAM :s FROM <x> WITH TIMESTAMP SYSTIME¦", "found the end of the query", QueryError),
        ("SELECT * FROM NAMED WINDOW :w ON :s [TUMBLING ¦0] { }", "longer than zero", QueryError),
    ],
)
def test_what_is_no_query_of_windows_is_refused_by_name(marked, word, kind):
    fails_at_mark(marked, word, kind=kind)


def test_a_name_is_a_text_where_its_prefix_is_declared_too():
    query = asked(":w ON :s [RANGE 4]", "PREFIX : <e:>", "WINDOW :w { ?a :p ?b }")
    assert query.pattern.stream == Iri(":s")
    assert ":s is read as the name of a stream, not as an IRI with the prefix :" in query.notes
