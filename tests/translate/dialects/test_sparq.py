"""sparq-rsp: windows without brackets, behind the query, and with a time at which the first opens."""

from time import process_time

import pytest

from lars.durations import Duration, read_duration
from lars.language.terms import Iri
from lars.language.windows import LastWindow
from tests.agreement.command import lars
from tests.solver.sql.sql_cases import answers
from tests.translate.marked import fails_at_mark
from translate.analysis import default_period
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.query import Language
from translate.model.windows import Rows, window_operator

SECOND = read_duration("1s")
BLOCK = "{ WINDOW <w> { ?s ?p ?o } }"


@pytest.mark.parametrize(
    ("window", "width", "step", "start"),
    [
        ("RANGE 10", 10, 10, 0),
        ("RANGE PT10S STEP PT5S", 10, 5, 0),
        ("[RANGE 10 STEP 5 T0 100 MAXDELAY 3]", 10, 5, 100),
        ("SLIDING RANGE 100 STEP 25 T0 PT1M", 100, 25, 60),
        ("TUMBLING RANGE P1DT1H MAXDELAY 2", 90000, 90000, 0),
    ],
)
@pytest.mark.parametrize("behind", [True, False])
def test_windows_are_read_before_the_pattern_and_behind_the_query(window, width, step, start, behind):
    clause = f"FROM NAMED WINDOW <w> ON <e:s> {window}"
    parts = ("", BLOCK, "LIMIT 3", clause) if behind else (clause, BLOCK, "LIMIT 3", "")
    query = read_query(f"SELECT * {' '.join(parts)}", "q.rq", Language.SPARQ)
    (read,) = [query.pattern]
    found = window_operator(read.window, Iri("e:s"), SECOND, None)
    assert found == LastWindow(width, step, start, "high-open")
    assert tuple(note for note in query.notes if "without a unit" not in note) == tuple(
        f"MAXDELAY {n} of sparq is ignored, because it affects the times of reports, not the rows"
        for n in window.rstrip("]").split("MAXDELAY ")[1:]
    )


def test_a_note_says_that_sparq_has_no_static_data():
    note = "in sparq they match nothing"
    text = "SELECT * { %s WINDOW <w> { ?s ?p ?o } } FROM NAMED WINDOW <w> ON <s> RANGE 3"
    for pattern in ("", "?s ?q ?z .", "?s <q>+ ?z .", "FILTER EXISTS { ?s ?q 1 }"):
        notes = read_query(text % pattern, "q.rq").notes
        assert any(note in each for each in notes) == bool(pattern)
    assert not read_query("SELECT ?s { STREAM <s> [NOW] { ?s ?p ?o } ?s ?q ?z }", "q.rq").notes


def test_tuples_are_counted_though_the_engine_has_no_words_for_it():
    query = read_query(f"SELECT * {BLOCK} FROM NAMED WINDOW <w> ON <s> ROWS 3", "q.rq")
    assert (query.language, query.pattern.window) == (Language.SPARQ, Rows(3))


@pytest.mark.parametrize(
    ("windows", "period"),
    [(("RANGE 10 STEP 5",), 5), (("RANGE 10 STEP 5 T0 101",), 1), (("RANGE 10 STEP 5", "RANGE 6 STEP 3"), 1)],
)
def test_every_close_is_among_the_times_of_pull(windows, period):
    clauses = " ".join(f"FROM NAMED WINDOW <w{n}> ON <s> {window}" for n, window in enumerate(windows))
    query = read_query(f"SELECT * {{ WINDOW <w0> {{ ?s ?p ?o }} }} {clauses}", "q.rq")
    assert default_period(query, SECOND) == period


@pytest.mark.parametrize(
    ("windows", "times"),
    [
        (("RANGE 10 STEP 5 T0 3",), {13, 18, 23, 28}),
        (("RANGE 10 T0 3",), {13, 23}),
        (("RANGE 10", "RANGE 15"), {10, 15, 20}),
        (("RANGE 4 STEP 6",), {4, 10, 16, 22, 28}),
    ],
)
def test_a_query_is_evaluated_at_the_closes_of_its_windows_and_at_no_other_time(windows, times, tmp_path):
    clauses = " ".join(f"FROM NAMED WINDOW <w{n}> ON <urn:S> {window}" for n, window in enumerate(windows))
    (tmp_path / "q.rq").write_text(f"SELECT ?s {{ WINDOW <w0> {{ ?s ?p ?o }} }} {clauses}")
    (tmp_path / "s.csv").write_text(
        "t,s,p,o\n1,urn:a,urn:p,urn:x\n7,urn:b,urn:p,urn:x\n29,urn:c,urn:p,urn:x\n"
    )
    given = [tmp_path / "q.rq", "--stream", f"urn:S={tmp_path / 's.csv'}", "--engine", "sparq"]
    ran = lars("solve", *given, "--evaluator", "both", "--certify", "all", "--json", "--to", 29)
    assert {line["t"] for line in ran.lines} == times, ran.err
    (tmp_path / "n.rq").write_text(f"SELECT (COUNT(?s) AS ?n) {{ WINDOW <w0> {{ ?s ?p ?o }} }} {clauses}")
    # Of a count there is a row at each evaluation, also of no element.
    script = lars("translate", tmp_path / "n.rq", *given[1:], "--mode", "pull", "--format", "sql").out
    assert {t for t, *_ in answers(script)} == times
    rules = lars("translate", given[0], "--engine", "sparq", "--mode", "pull").out
    assert rules.count("trigger ← ") == len(windows)


def test_a_warning_says_that_no_window_closes(tmp_path):
    (tmp_path / "q.rq").write_text(f"SELECT ?s {BLOCK} FROM NAMED WINDOW <w> ON <urn:S> RANGE 10 T0 3")
    (tmp_path / "s.csv").write_text("t,s,p,o\n1,urn:a,urn:p,urn:x\n")
    given = [tmp_path / "q.rq", "--stream", f"urn:S={tmp_path / 's.csv'}", "--from", 14, "--to", 20]
    assert "from 14 to 20: no window closes at these times" in lars("solve", *given).err


def test_an_origin_that_is_no_time_point_is_told_with_its_window():
    query = read_query(f"SELECT * {BLOCK} FROM NAMED WINDOW <w> ON <s> RANGE 10 T0 PT0.5S", "q.rq")
    assert query.pattern.window.opens == Duration(5 * 10**8)


def test_a_template_before_the_windows_is_no_query_before_them():
    text = f"CONSTRUCT {{ ?s ?p ?o }} FROM NAMED WINDOW <w> ON <s> [RANGE PT10S STEP PT5S] {BLOCK}"
    assert read_query(text, "q.rq").language is Language.RSPQL


CLAUSE = "FROM NAMED WINDOW <w> ON <s>"


@pytest.mark.parametrize("window", ["[RANGE PT10S]", "[RANGE PT9S STEP PT3S]"])
@pytest.mark.parametrize(
    "ends",
    [
        ("",),
        ("GROUP BY ?s", "HAVING (COUNT(*) > 1)", "ORDER BY ?s", "LIMIT 3"),
        ("VALUES ?s { <a> }",),
        ("LIMIT 3", "VALUES (?s ?z) { (<a> '}') (UNDEF 1) }"),
        ("LIMIT 2 OFFSET 3", "VALUES () { () }"),
    ],
)
def test_a_window_anywhere_behind_the_pattern_is_a_sign_of_sparq(window, ends):
    whole = f"SELECT ?s {{ WINDOW <w> {{ ?s ?p ?o }} }} {' '.join(ends)} {CLAUSE} {window}"
    query = read_query(whole, "q.rq")
    assert query.language is Language.SPARQ
    for n in range(len(ends)):
        parts = (*ends[:n], f"{CLAUSE} {window}", *ends[n:])
        assert read_query(f"SELECT ?s {{ WINDOW <w> {{ ?s ?p ?o }} }} {' '.join(parts)}", "q.rq") == query


def test_register_may_have_no_operator():
    query = read_query(f"REGISTER <e:o> AS SELECT ?s FROM NAMED WINDOW <w> ON <s> RANGE 10 {BLOCK}", "q.rq")
    assert (query.name, query.operator, query.registers_stream) == ("e:o", "RSTREAM", True)


def test_a_window_without_brackets_needs_no_space_before_its_stream():
    spaced = f"SELECT ?s FROM NAMED WINDOW <w> ON <s> RANGE 10 {BLOCK}"
    assert read_query(spaced.replace(" <s> ", "<s>"), "q.rq") == read_query(spaced, "q.rq")


@pytest.mark.parametrize("tail", ["", "{ ?a ?b ?c }", "VALUES ?s { }", "VALUES ?s { } {", "VALUES " * 3000])
def test_the_sign_of_windows_behind_the_pattern_takes_time_in_proportion_to_the_text(tail):
    texts = [f"{{ }} {'FROM NAMED WINDOW <> ON <> [RANGE PT9S] ' * n} {tail}" for n in (300, 3000)]
    times = []
    for text in texts:
        begin = process_time()
        Language.SPARQ.manner.sign.search(text)
        times.append(process_time() - begin)
    assert times[1] < 40 * times[0] + 0.1


@pytest.mark.parametrize(
    ("marked", "word", "kind"),
    [
        (f"SELECT * {BLOCK} {CLAUSE} [¦NOW-PT1H TO NOW] T0", "a window from NOW of sparq", UnsupportedError),
        (
            f"SELECT * {BLOCK} FROM NAMED WINDOW ¦?w ON <s> RANGE 10",
            "the variable window name",
            UnsupportedError,
        ),
        (f"SELECT * {BLOCK} {CLAUSE} SLIDING RANGE 10¦", "STEP", QueryError),
        (f"SELECT * {BLOCK} {CLAUSE} TUMBLING RANGE 10 ¦STEP 5", "T0", QueryError),
        (f"SELECT * {BLOCK} {CLAUSE} RANGE ¦P1Y", "no fixed length", UnsupportedError),
        (
            f"SELECT * {BLOCK} {CLAUSE} RANGE 1 {CLAUSE.replace('<w>', '¦<w>')} RANGE 2",
            "no other window",
            QueryError,
        ),
        (f"SELECT * {BLOCK} {CLAUSE} RANGE 10 T0 ¦MAXDELAY 3", "a duration", QueryError),
        (f"SELECT * {{ WINDOW ¦<v> {{ ?s ?p ?o }} }} {CLAUSE} RANGE 10", "declares: <w>", QueryError),
        (f"¦ASK {BLOCK} {CLAUSE} RANGE 10", "ASK of sparq; covered: SELECT", UnsupportedError),
        (f"¦CONSTRUCT {{ }} {CLAUSE} [RANGE 9 T0 1] {BLOCK}", "CONSTRUCT of sparq", UnsupportedError),
    ],
)
def test_what_sparq_rejects_is_refused_at_its_place(marked, word, kind):
    fails_at_mark(marked, word, kind=kind)


def test_a_query_without_a_window_is_no_query_of_sparq():
    marked = "¦SELECT * { ?s ?p ?o }"
    fails_at_mark(marked, "a query of sparq without a window", kind=UnsupportedError, engine=Language.SPARQ)
