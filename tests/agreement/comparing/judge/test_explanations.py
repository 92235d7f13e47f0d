"""The faults that explain a wrong case: also those of `lars hunt`, and the simplest of equal ones first."""

import re

import pytest

from agreement import api
from tests.agreement.command import lars
from tests.agreement.comparing.judge.test_batches import case

QUERY = """PREFIX : <http://e/>
REGISTER RStream <http://e/out> AS
SELECT {}
FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 4]
WHERE {{
WINDOW :w {{ ?s :p ?o }} }}"""


def pushed(*triples):
    texts = ((t, f'<http://e/a> <http://e/p> "{o}" .') for t, o in triples)
    return [{"t": t, "stream": "http://e/S", "triple": text} for t, text in texts]


def explained(path):
    """Return the lines about the faults that explain a case, best first."""
    text = lars("judge", path, "--engine", "rspql", "--t0", "0").out
    start = text.index("best explanation: ")
    return [line.removeprefix("best explanation: ").strip() for line in text[start:].splitlines()]


def test_a_case_of_a_hunt_has_the_fault_that_the_hunt_names(tmp_path):
    row = {"s": "<http://e/a>"}
    path = case(
        tmp_path,
        "distinct",
        query=QUERY.format("DISTINCT ?s"),
        engine="mine-1",
        stream=pushed((1, "1"), (2, "2"), (5, "1")),
        output=[{"t": 4, "trigger": 2, "rows": [row, row]}],
    )
    best, *others = explained(path)
    assert best.startswith('rspql with the fault "DISTINCT is ignored" predicts exactly the recorded reports')
    assert (
        'or rspql with the fault "each row is reported twice" predicts exactly the recorded reports' in others
    )
    assert "the recording has only 1 report; a longer recording shows which fault is the cause" in others


@pytest.mark.parametrize("semantics", [None, "bag"])
def test_rows_counted_once_explain_also_if_multisets_are_requested(semantics):
    query = "SELECT ?o FROM STREAM <http://e/S> [RANGE 5s STEP 5s] WHERE { ?s <http://e/p> ?o }"
    triples = ((2, 1), (3, 1), (7, 2), (9, 3))
    trace = {"http://e/S": [(t, (f"http://e/{t}", "http://e/p", o)) for t, o in triples]}
    how = {"engine": "csparql", "bounds": "low-open", "t0": 0, "unit": "1s"}
    answers = [{"t": 5, "rows": [{"o": 1}]}]
    judged = api.judge(query, stream=trace, answers=answers, semantics=semantics, **how)
    assert "best explanation: csparql with counting equal rows once" in judged.text


def test_a_single_change_comes_before_an_engine_version_that_explains_as_much(tmp_path):
    """The windows of rsp-js are high-open, too, and these reports show none of its other rules."""
    times = (2, 4, 5, 8, 9, 12, 13, 17)
    path = case(
        tmp_path,
        "high-open",
        query=QUERY.format("?s ?o"),
        engine="mine-1",
        stream=[
            {**one, "triple": one["triple"].replace("/p>", "/q>")} if one["t"] % 4 == 1 else one
            for one in pushed(*((t, str(t)) for t in times))
        ],
        output=[
            {"t": t, "trigger": times.index(t), "rows": [{"s": "<http://e/a>", "o": f'"{o}"'}]}
            for t, o in ((5, 2), (9, 4), (13, 8), (17, 12))
        ],
    )
    best, second, *_ = explained(path)
    assert best.startswith("rspql with bounds = high-open predicts exactly")
    assert second == "or the engine rsp-js-1.3.5 predicts exactly the recorded reports"


TWO_WINDOWS = """PREFIX : <http://e/>
REGISTER {} <http://e/out> AS
SELECT ?s ?o ?r
FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 2]
FROM NAMED WINDOW :v ON STREAM :S [RANGE 6 STEP 3]
WHERE {{
WINDOW :w {{ ?s :p ?o }}
WINDOW :v {{ ?s :p ?r }} }}"""
NEWEST = 'rspql with the fault "only the last of the windows that close between two arrivals reports"'


def newest_only(operator, pushes):
    """Return the reports of an engine that evaluates only the newest of the windows that have closed."""
    done, before = 0, set()

    def content(at, length, step):
        end = max(length, -(-(at - length) // step) * step + length)
        return end == at, {o for t, o in pushes if end - length < t <= at}

    for number, (now, _) in enumerate(pushes):
        contents = {at: [content(at, 4, 2), content(at, 6, 3)] for at in range(done + 1, now)}
        closes = [at for at, shown in contents.items() if any(closed and own for closed, own in shown)]
        if not closes:
            continue
        done = closes[-1]
        (_, first), (_, second) = contents[done]
        rows = {(o, r) for o in first for r in second}
        new, before = (rows - before if operator == "IStream" else rows), rows
        if new:
            told = [{"s": "<http://e/a>", "o": f'"{o}"', "r": f'"{r}"'} for o, r in sorted(new)]
            yield {"t": done, "trigger": number, "rows": told}


@pytest.mark.parametrize("operator", ["RStream", "IStream"])
def test_an_engine_that_evaluates_only_the_newest_of_several_closed_windows_is_diagnosed(operator, tmp_path):
    """Windows of different slides close at times that are no multiples of one slide."""
    times = (1, 2, 5, 11, 12, 13, 17, 19, 23, 24, 28, 33, 34, 41)
    pushes = [(t, str(t % 5)) for t in times]
    path = case(
        tmp_path,
        "newest",
        query=TWO_WINDOWS.format(operator),
        engine="mine-1",
        stream=pushed(*pushes),
        output=list(newest_only(operator, pushes)),
    )
    best, *_ = explained(path)
    assert best.startswith(NEWEST)


def test_no_label_of_a_blank_node_explains_answers_without_blank_nodes(tmp_path):
    output = [
        {"t": t, "trigger": n, "rows": [{"s": "<http://e/a>"}] if t == 4 else []}
        for n, t in ((1, 4), (2, 8), (3, 12))
    ]
    path = case(
        tmp_path,
        "empty",
        query=QUERY.format("?s"),
        engine="mine-1",
        stream=[
            {**one, "triple": one["triple"].replace("/p>", "/p>" if one["t"] == 1 else "/q>")}
            for one in pushed((1, "1"), (5, "1"), (9, "1"), (13, "1"))
        ],
        output=output,
    )
    assert not any("blank node" in line for line in explained(path))


SEEN, NOISE = '<http://e/a> <http://e/p> "1" .', "<http://e/n> <http://e/n> <http://e/n> ."


def kept_first(tmp_path, name, seen=(0, 1, 13), last=23):
    """Write the case of an engine that keeps the first time of a triple that arrives again."""
    pushes, kept, close, reports = [SEEN if t in seen else NOISE for t in range(last)], {}, 4, []
    for t, triple in enumerate(pushes):
        if close < t:
            kept = {one: since for one, since in kept.items() if since > close - 4}
            inside = [one for one, since in kept.items() if since <= close]
            rows = [{"s": "<http://e/a>", "a": '"1"'}] if SEEN in inside else []
            reports += [{"t": close, "trigger": t, "rows": rows}] if inside else []
            close += 4
        kept.setdefault(triple, t)
    query = (
        "REGISTER QUERY q AS PREFIX : <http://e/> SELECT ?s ?a FROM STREAM <http://e/S> "
        "[RANGE 4ms STEP 4ms] WHERE { ?s :p ?a }"
    )
    stream = [{"t": t, "stream": "http://e/S", "triple": triple} for t, triple in enumerate(pushes)]
    return case(
        tmp_path, name, query=query, engine="mine-1", dialect="csparql", stream=stream, output=reports
    )


AGAIN = 'csparql with the fault "a triple that arrives again while it is kept counts only at its first time"'


def sentences(path):
    """Return the sentences about all faults that explain a case, best first."""
    diagnosis = api.judge(path, engine="csparql", t0="0")._only.diagnosis
    return [fault.sentence for fault in diagnosis.explanations if fault.complete]


def test_all_rules_of_a_hunt_that_explain_everything_are_named(tmp_path):
    assert AGAIN in sentences(kept_first(tmp_path, "other"))


def test_the_rule_that_a_hunt_named_for_its_case_comes_first(tmp_path):
    short = {"seen": (0, 1), "last": 9}
    assert sentences(kept_first(tmp_path, "01-x", **short))[0] != AGAIN
    path = kept_first(tmp_path, "c", **short)
    path.write_text(
        path.read_text().replace('"id": "c"', '"id": "mine-1/01-a-triple-that-arrives-again-while-it-is"')
    )
    assert sentences(path)[0] == AGAIN


def test_a_recording_that_is_too_long_for_the_rules_of_a_hunt_has_advice(tmp_path):
    said = (
        "lars did not try the rules of lars hunt, because the recording has more than 100 triples or reports"
    )
    for last, is_long in ((23, False), (123, True)):
        text = lars(
            "judge", kept_first(tmp_path, f"n{last}", last=last), "--engine", "csparql", "--t0", "0"
        ).out
        assert (said in text) is is_long


TWO = """PREFIX : <http://e/>
REGISTER RStream <http://e/out> AS
SELECT ?s ?o
FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 2]
FROM NAMED WINDOW :v ON STREAM :T [RANGE 6 STEP 3]
WHERE { WINDOW :w { ?s :p ?o } WINDOW :v { ?s :p ?o } }"""


def test_reports_of_empty_windows_are_named_and_explained(tmp_path):
    """Each window that closes reports, also without a triple, where the language evaluates none."""
    stream = pushed((1, "1"), (2, "1"), (9, "2"), (17, "3"))
    for n in (1, 3):
        stream[n]["stream"] = "http://e/T"
    row = {"s": "<http://e/a>", "o": '"1"'}
    closes = [(4, 2), (6, 2), (8, 2), (9, 3), (10, 3), (12, 3), (14, 3), (15, 3), (16, 3)]
    output = [{"t": t, "trigger": n, "rows": [row] if t == 4 else []} for t, n in closes]
    path = case(tmp_path, "empty", query=TWO, engine="mine-1", stream=stream, output=output)
    ran = lars("judge", path, "--engine", "rspql", "--t0", "0")
    assert "3 of 4 windows are wrong, and 5 reports are not expected, but every row is right: only" in ran.out
    best, *_ = explained(path)
    assert best.startswith(
        "rspql with report = window-close and empty = reported predicts exactly the recorded reports"
    )
    empty = re.findall(r"│ +- │ +(\d+) .*│ a report of a window without a triple +│", ran.out)
    assert empty == ["8", "9", "14", "15", "16"]
    assert "a second report" not in ran.out
