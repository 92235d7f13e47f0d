"""Queries that say when their windows open, or whose language says which ends these have."""

import json
import re

import pytest

from agreement import api

ASKED = "PREFIX : <http://e/> SELECT ?a {} WHERE {{ WINDOW :w {{ ?a :p ?b }} }} {}"
SPARQ = ASKED.format("", "FROM NAMED WINDOW :w ON :s RANGE 3 STEP 2 T0 1")
KOLIBRIE = ASKED.format("FROM NAMED WINDOW :w ON <http://e/s> [RANGE 3 STEP 2]", "")
TRACE = "".join(f'<http://e/a{t}> <http://e/p> <http://e/b> <http://e/s> "{t}" .\n' for t in (1, 4, 6))
REPORTS = {4: ["a1"], 6: ["a4"], 8: ["a6"]}
"""Of [1, 4), [3, 6) and [5, 8)."""


def judged(folder, query, reports, **how):
    (folder / "q.rq").write_text(query)
    (folder / "t.nq").write_text(TRACE)
    lines = [
        {"t": t, "rows": [{"a": {"type": "uri", "value": f"http://e/{name}"}} for name in names]}
        for t, names in reports.items()
    ]
    (folder / "a.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return api.judge(folder / "q.rq", folder / "t.nq", answers=folder / "a.ndjson", unit="1s", until=8, **how)


def test_an_experiment_judges_by_the_ends_of_the_language(tmp_path):
    (tmp_path / "q.rq").write_text(KOLIBRIE)
    (tmp_path / "t.nq").write_text(TRACE + TRACE.splitlines()[-1].replace("6", "7") + "\n")
    toml = 'kolibrie = "q.rq"\nfiles = "t.nq"\nunit = "1s"\n[[engines]]\nengine = "rspql"\n'
    (tmp_path / "experiment.toml").write_text(toml)
    assert re.search("rspql +yes +3 +0", api.run(tmp_path).text)


def test_windows_open_when_the_query_says(tmp_path):
    found = judged(tmp_path, SPARQ, REPORTS)
    assert found.correct is True
    assert "t0 = 1, bounds high-open" in found.text


@pytest.mark.parametrize(
    "reports", [{5: ["a4"], 7: ["a4", "a6"]}, {4: ["a1", "a4"], 6: ["a4", "a6"], 8: ["a6"]}]
)
def test_no_other_start_and_no_other_ends_fit(reports, tmp_path):
    assert judged(tmp_path, SPARQ, reports).correct is False


def test_other_starts_and_ends_can_be_asked_for(tmp_path):
    reports = {5: ["a4"], 7: ["a6"]}
    assert judged(tmp_path, SPARQ, reports, t0="2", bounds="low-open").correct is True


def test_a_specification_that_a_user_wrote_keeps_its_own_ends(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "rspql"\nreport = ["window-close", "non-empty"]\nbounds = "low-open"\nempty = "silent"\n'
    )
    assert judged(tmp_path, SPARQ, REPORTS, engine=str(own)).correct is False
    low_open = {4: ["a4"], 6: ["a4", "a6"], 8: ["a6"]}
    assert judged(tmp_path, SPARQ, low_open, engine=str(own)).correct is True


def test_the_specification_and_the_ends_are_those_of_the_language(tmp_path):
    found = judged(tmp_path, KOLIBRIE, REPORTS)
    assert found.correct is True
    assert "by rspql for t0 = 1, bounds high-open" in found.text


@pytest.mark.parametrize(("t0", "correct"), [(None, False), ("aligned", True), ("0", False)])
def test_windows_that_close_at_multiples_of_their_slide_open_before_time_0(t0, correct, tmp_path):
    query = "PREFIX : <http://e/> REGISTER RSTREAM :out AS " + ASKED.format(
        "FROM NAMED WINDOW :w ON :s [RANGE 3s STEP 2s]", ""
    )
    reports = {2: ["a1"], 4: ["a4"], 6: ["a4", "a6"], 8: ["a6"]}
    """Of (-1, 2], (1, 4], (3, 6] and (5, 8]; without --t0, no window opens before time 0."""
    assert judged(tmp_path, query, reports, t0=t0).correct is correct


def test_aligned_windows_report_from_time_0_on(tmp_path):
    query = "PREFIX : <http://e/> REGISTER RSTREAM :out AS " + ASKED.format(
        "FROM NAMED WINDOW :w ON :s [RANGE 3s STEP 2s]", ""
    )
    reports = {4: ["a4"], 6: ["a4", "a6"], 8: ["a6"]}
    found = judged(tmp_path, query, reports, t0="aligned")
    assert [(one.end, one.problem) for one in found.differences] == [(2, "1 missing")]


@pytest.mark.parametrize(("at_0", "correct"), [({}, True), ({0: "0"}, True), ({0: "1"}, False)])
def test_an_engine_with_aligned_windows_may_begin_after_time_0(at_0, correct, tmp_path):
    """At time 0, the window (-3, 0] closes: COUNT of nothing is 0, and an engine may begin later."""
    query = "PREFIX : <http://e/> REGISTER RSTREAM :out AS " + ASKED.format(
        "FROM NAMED WINDOW :w ON :s [RANGE 3s STEP 2s]", ""
    ).replace("?a ", "(COUNT(*) AS ?n) ", 1)
    (tmp_path / "q.rq").write_text(query)
    (tmp_path / "t.nq").write_text(TRACE)
    (tmp_path / "all.toml").write_text('name = "all"\nreport = ["window-close"]\n')
    counts = at_0 | {2: "1", 4: "1", 6: "2", 8: "1"}
    answers = [{"t": t, "rows": [{"n": int(count)}]} for t, count in counts.items()]
    found = api.judge(
        tmp_path / "q.rq",
        tmp_path / "t.nq",
        answers=answers,
        unit="1s",
        until=8,
        t0="aligned",
        engine=str(tmp_path / "all.toml"),
    )
    assert found.correct is correct
