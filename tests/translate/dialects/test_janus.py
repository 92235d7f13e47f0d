"""Janus-QL: windows of a log, which are placed by two times or before the time of evaluation."""

import pytest

from lars.durations import read_duration
from lars.language.terms import Iri
from lars.language.windows import NOW, FixedWindow, TimeWindow
from tests.translate.marked import fails_at_mark
from translate.analysis import default_period
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.query import Language
from translate.model.windows import window_operator

MILLISECOND = read_duration("1ms")
BLOCK = "WHERE { WINDOW <w> { ?s ?p ?o } }"


@pytest.mark.parametrize(
    ("clause", "operator"),
    [
        ("ON STREAM <e:s> [RANGE 4000 STEP 2000]", TimeWindow(4000, 0, 2000, "high-open")),
        ("ON LOG <e:s> [START 5 END 9]", FixedWindow(5, 9)),
        ("ON STREAM <e:s> [START 5 END 9]", FixedWindow(5, 9)),
        ("ON LOG <e:s> [OFFSET 9 RANGE 4 STEP 2]", TimeWindow(9, -5)),
        ("ON LOG <e:s> [OFFSET 9 RANGE 9 STEP 2]", TimeWindow(9)),
        ("ON LOG <e:s> [OFFSET 9 RANGE 0 STEP 2]", TimeWindow(9, -9)),
        ("ON LOG <e:s> [OFFSET 0 RANGE 0 STEP 2]", NOW),
    ],
)
def test_each_window_is_one_of_lars_in_milliseconds(clause, operator):
    query = read_query(f"SELECT * FROM NAMED WINDOW <w> {clause} {BLOCK}", "q.rq", Language.JANUS)
    assert query.pattern.stream == Iri("e:s")
    assert window_operator(query.pattern.window, Iri("e:s"), MILLISECOND, None) == operator


@pytest.mark.parametrize(
    ("windows", "period"),
    [
        ("LOG <s> [START 5 END 9]", 1),
        ("LOG <s> [OFFSET 9 RANGE 4 STEP 2]", 2),
        ("LOG <s> [OFFSET 9 RANGE 4 STEP 2] FROM NAMED WINDOW <l> ON STREAM <s> [RANGE 9 STEP 3]", 3),
        ("LOG <s> [START 5 END 9] FROM NAMED WINDOW <l> ON STREAM <s> [RANGE 9 STEP 3]", 3),
    ],
)
def test_a_live_window_says_when_it_is_evaluated_else_the_step(windows, period):
    query = read_query(f"SELECT * FROM NAMED WINDOW <w> ON {windows} {BLOCK}", "q.rq")
    assert query.language is Language.JANUS
    assert default_period(query, MILLISECOND) == period


def test_a_subquery_joins_live_and_historical_windows():
    text = (
        "SELECT ?s ?m FROM NAMED WINDOW <l> ON STREAM <s> [RANGE 6 STEP 3] FROM NAMED WINDOW <h> ON LOG <s> "
        "[START 0 END 9] WHERE { WINDOW <l> { ?s <p> ?v } { SELECT ?s (AVG(?h) AS ?m) "
        "WHERE { WINDOW <h> { ?s <p> ?h } } GROUP BY ?s } }"
    )
    assert read_query(text, "q.rq").language is Language.JANUS


CLAUSE = "SELECT * FROM NAMED WINDOW <w> ON LOG <s>"


@pytest.mark.parametrize(
    ("marked", "word", "kind"),
    [
        (f"{CLAUSE} [START 5 END ¦5] {BLOCK}", "an END after the START", QueryError),
        (f"{CLAUSE} [OFFSET 5 RANGE ¦6 STEP 1] {BLOCK}", "a RANGE of at most the OFFSET", QueryError),
        (f"{CLAUSE} [OFFSET 5 RANGE 4 STEP ¦0] {BLOCK}", "longer than zero", QueryError),
        (f"SELECT * FROM NAMED WINDOW <w> ON ¦LOG <s> [RANGE 5 STEP 5] {BLOCK}", "STREAM", QueryError),
        (f"{CLAUSE} [START 5 END 9] ¦USING BASELINE <w> LAST {BLOCK}", "USING BASELINE", UnsupportedError),
        (f"{CLAUSE} [START ¦-5 END 9] {BLOCK}", "an integer", QueryError),
        (f"{CLAUSE} [START 5 ¦STEP 9] {BLOCK}", "END", QueryError),
    ],
)
def test_what_janus_must_not_have_is_refused_at_its_place(marked, word, kind):
    fails_at_mark(marked, word, kind=kind)
