"""Windows that end after or before the time at which a query is evaluated: when their reports are due."""

import json

import pytest

from agreement import api
from agreement.documents.recordings import Push
from agreement.engines.adapters.built_in import built_in
from agreement.engines.adapters.messages import open_message
from lars.errors import LarsError

TRACE = "t,s,p,o\n" + "".join(f"{t},http://e/a{t},http://e/p,http://e/b\n" for t in (1, 4, 6, 9))
CQELS2 = "PREFIX : <http://e/> SELECT ?a WHERE {{ STREAM s {} {{ ?a :p ?b }} }}"
DIRECTED = CQELS2.format("[PAST 2s FUTURE 2s STEP 3s]")
BESIDE = (
    "PREFIX : <http://e/> SELECT ?a ?c WHERE { STREAM s [PAST 2s FUTURE 2s STEP 3s] { ?a :p ?b } "
    "STREAM s [RANGE 3s STEP 3s] { ?c :p ?b } }"
)
JANUS = (
    "PREFIX : <http://e/> REGISTER RStream :o AS SELECT ?a {} FROM NAMED WINDOW :w ON LOG <http://e/s> {} {} "
    "WHERE {{ WINDOW :w {{ ?a :p ?b }} {} }}"
)
PAST = JANUS.format("", "[OFFSET 4000 RANGE 2000 STEP 3000]", "", "")
LOG = JANUS.format("", "[START 1000 END 6000]", "", "")
LIVE = "FROM NAMED WINDOW :l ON STREAM <http://e/s> [RANGE 3000 STEP 3000]"
BOTH = JANUS.format("?c", "[OFFSET 4000 RANGE 2000 STEP 5000]", LIVE, "WINDOW :l { ?c :p ?b }")


def judged(folder, query, reports, **how):
    stream = "s" if "STREAM s" in query else "http://e/s"
    (folder / "q.rq").write_text(query)
    (folder / "t.csv").write_text(TRACE)
    lines = [
        {"t": t, "rows": [{name: _iri(value) for name, value in row.items()} for row in rows]}
        for t, rows in reports.items()
    ]
    (folder / "a.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    how = {"unit": "1s", "until": 9, "diagnosis": False, **how}
    return api.judge(folder / "q.rq", stream={stream: folder / "t.csv"}, answers=folder / "a.ndjson", **how)


def _iri(name):
    return {"type": "uri", "value": f"http://e/{name}"}


def rows(*names):
    return [{"a": name} for name in names]


@pytest.mark.parametrize(
    ("reports", "correct"),
    [
        # (1, 5] and (4, 8], when they close; the report at the anchor 3 is too early.
        ({5: rows("a4"), 8: rows("a6")}, True),
        ({5: rows("a4"), 8: rows("a4", "a6")}, False),
        ({5: rows("a4")}, False),
    ],
)
def test_a_window_that_looks_ahead_is_due_when_it_closes(reports, correct, tmp_path):
    assert judged(tmp_path, DIRECTED, reports, t0="1").correct is correct


def test_the_report_at_the_anchor_is_before_its_time(tmp_path):
    found = judged(tmp_path, DIRECTED, {3: rows("a4"), 6: rows("a6")}, t0="1")
    assert found.correct is False
    assert "a report before the first window closes" in found.text


def test_other_windows_are_seen_at_the_anchor_of_one_that_looks_ahead(tmp_path):
    pairs = {5: [{"a": "a4", "c": "a1"}], 8: [{"a": "a6", "c": "a4"}]}
    assert judged(tmp_path, BESIDE, pairs, t0="0,1", bounds="high-open").correct is True
    # At the close 8 the other window is [3, 6), and not [5, 8).
    pairs[8] = [{"a": "a6", "c": "a6"}]
    assert judged(tmp_path, BESIDE, pairs, t0="0,1", bounds="high-open").correct is False


@pytest.mark.parametrize(
    ("start", "reports", "correct"),
    [
        # [0, 2] at 4 and [3, 5] at 7, or [1, 3] at 5 and [4, 6] at 8.
        (0, {4: rows("a1"), 7: rows("a4")}, True),
        (1, {5: rows("a1"), 8: rows("a4", "a6")}, True),
        (0, {4: rows("a1"), 7: rows("a4", "a6")}, False),
        (0, {2: rows("a1"), 5: rows("a4")}, False),
    ],
)
def test_a_window_of_the_past_is_due_when_it_is_asked(start, reports, correct, tmp_path):
    assert judged(tmp_path, PAST, reports, t0=str(start)).correct is correct


@pytest.mark.parametrize("t", [6, 7, 9])
def test_an_answer_between_fixed_times_is_due_once_at_any_time_after_them(t, tmp_path):
    assert judged(tmp_path, LOG, {t: rows("a1", "a4", "a6")}).correct is True
    assert judged(tmp_path, LOG, {t: rows("a1", "a4")}).correct is False


def test_an_answer_between_fixed_times_is_not_due_before_their_end_or_twice(tmp_path):
    whole = rows("a1", "a4", "a6")
    assert judged(tmp_path, LOG, {5: whole}).correct is False
    assert judged(tmp_path, LOG, {7: whole, 8: whole}).correct is False


def test_the_live_window_says_when_windows_over_a_log_are_due(tmp_path):
    # At 3: [-1, 1] of the log with [0, 3); then [2, 4] with [3, 6), and [5, 7] with [6, 9). Its STEP is idle.
    pairs = {3: [{"a": "a1", "c": "a1"}], 6: [{"a": "a4", "c": "a4"}], 9: [{"a": "a6", "c": "a6"}]}
    assert judged(tmp_path, BOTH, pairs, t0="0").correct is True
    pairs[9] = [{"a": "a4", "c": "a6"}]
    assert judged(tmp_path, BOTH, pairs, t0="0").correct is False


def test_a_served_specification_reports_when_windows_close_that_look_ahead():
    session = built_in("rspql").open(open_message(DIRECTED, (), {"unit": "1s"}))
    pushes = [
        Push(t * 1000, "<s>", (f"<http://e/a{t}>", "<http://e/p>", "<http://e/b>")) for t in (1, 4, 6, 9)
    ]
    replies = session.push(pushes)
    found = {report.t: [row["a"] for row in report.rows] for one in replies for report in one.reports}
    # (0, 4] and (3, 7]: t0 is 0 if the registration has none.
    first, second = ["<http://e/a1>", "<http://e/a4>"], ["<http://e/a4>", "<http://e/a6>"]
    assert found == {4000: first, 7000: second}


@pytest.mark.parametrize(("reading", "correct"), [("causal", True), ("whole", False)])
def test_a_causal_log_contains_the_time_of_evaluation(reading, correct, tmp_path):
    live = "FROM NAMED WINDOW :l ON STREAM <http://e/s> [RANGE 2000 STEP 4000]"
    query = JANUS.format("?c", "[START 3000 END 9000]", live, "WINDOW :l { ?c :p ?b }")
    reports = {4: [], 8: [{"a": "a4", "c": "a6"}, {"a": "a6", "c": "a6"}]}
    trace = {t: own for t, own in reports.items() if own}
    assert judged(tmp_path, query, trace, t0="2", readings={"log": reading}).correct is correct
    at_six = {6: [{"a": "a4", "c": "a4"}, {"a": "a6", "c": "a4"}]}
    found = judged(
        tmp_path, query.replace("STEP 4000", "STEP 6000"), at_six, t0="4", readings={"log": reading}
    )
    assert found.correct is correct


SPARQ = (
    "PREFIX : <http://e/> SELECT ?a ?c WHERE { WINDOW :w { ?a :p ?b } WINDOW :v { ?c :p ?b } } "
    "FROM NAMED WINDOW :w ON <http://e/s> RANGE 3 FROM NAMED WINDOW :v ON <http://e/s> RANGE 2"
)


def test_windows_that_open_when_the_query_says_show_what_closed_last(tmp_path):
    # [0, 3) with [0, 2) at 3 and [2, 4) is empty of a1 at 4; [3, 6) with [4, 6) at 6; with [6, 8) at 8.
    pairs = {3: ("a1", "a1"), 6: ("a4", "a4"), 8: ("a4", "a6"), 9: ("a6", "a6")}
    reports = {t: [{"a": a, "c": c}] for t, (a, c) in pairs.items()}
    assert judged(tmp_path, SPARQ, reports).correct is True
    reports[8] = [{"a": "a6", "c": "a6"}]
    assert judged(tmp_path, SPARQ, reports).correct is False


def test_windows_with_different_ends_need_an_option(tmp_path):
    query = BESIDE.replace("PAST 2s FUTURE 2s STEP 3s", "FUTURE 3s STEP 3s")
    with pytest.raises(LarsError, match="windows are high-open and low-open; use bounds="):
        judged(tmp_path, query, {3: []})
    assert judged(tmp_path, query, {3: [{"a": "a1", "c": "a1"}]}, bounds="closed").correct is False


def test_the_time_of_evaluation_in_a_window_that_ends_elsewhere_is_refused(tmp_path):
    query = PAST.replace("?a :p ?b", "?a :p ?b FILTER(NOW() > 0)")
    with pytest.raises(LarsError, match="does not end at each time of evaluation; use lars solve"):
        judged(tmp_path, query, {4: rows("a1")})
