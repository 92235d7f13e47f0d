"""The recorded answers of CSRBench: which are correct for which t0, and why the others are not."""

from functools import cache
from pathlib import Path

import pytest

from tests.agreement.command import lars

FOLDER = Path(__file__).parents[2] / "../shared/csrbench"
QUERIES = (1, 2, 4, 5)
AVERAGES = {12: 83, 14: 90, 15: 87.667, 17: 92.333, 18: 90, 20: 92.333, 21: 90, 23: 92.333}
AVERAGES |= {24: 90, 26: 92.333, 27: 90, 29: 92.333, 30: 90, 32: 92.333, 33: 90}
SLIPS = (17, 19, 20, 31)
ANY = (0, 4, 9)
VERDICTS = {
    ("csparql", 1): ("0..9", (0,)),
    ("csparql", 2): ("0..1", (0, 1)),
    ("csparql", 4): ("0..3", (0,)),
    ("csparql", 5): ("0..1", ()),
    ("cqels", 1): ("0,4,9", ANY),
    ("cqels", 2): ("0,4,9", ANY),
    ("cqels", 4): ("0,4,9", ()),
    ("cqels", 5): ("0,4,9", ANY),
    ("sparqlstream", 1): ("0..9", (2,)),
    ("sparqlstream", 2): ("0..1", (0, 1)),
    ("sparqlstream", 4): ("0..3", ()),
    ("sparqlstream", 5): ("0..9", tuple(range(10))),
}


@cache
def judged(engine, query, *options, by=None):
    if not FOLDER.exists():
        pytest.skip(f"no recordings at {FOLDER}")
    files = (FOLDER / f"queries/q{query}.{engine}.rq", FOLDER / "stream")
    answers = FOLDER / f"answers/{engine}-answer-{query}.json"
    ran = lars("judge", *files, "--answers", answers, "--engine", by or engine, *options, "--json")
    assert ran.err == ""
    return ran


@pytest.mark.parametrize(("engine", "query"), VERDICTS)
def test_the_verdict_and_the_start_times_are_those_published(engine, query):
    tried, starts = VERDICTS[engine, query]
    ran = judged(engine, query, "--t0", tried, "--no-diagnosis")
    assert (ran.code, ran.json["correct"]) == (int(not starts), bool(starts))
    assert tuple(ran.json["t0"]) == starts


@pytest.mark.parametrize(("engine", "query"), VERDICTS)
def test_without_start_times_those_within_the_slide_are_tried(engine, query):
    ran = judged(engine, query, "--no-diagnosis")
    starts = VERDICTS[engine, query][1]
    assert (ran.json["correct"], ran.json["t0"]) == (bool(starts), list(starts[:1]))


def test_csparql_reports_before_the_first_window_and_lets_triples_slip_out():
    found = judged("csparql", 5, "--no-diagnosis", "--gracious").json
    wrong = {one["to"]: one for one in found["windows"] if one["problem"]}
    early = [t for t, one in wrong.items() if one["problem"] == "a report before the first window closes"]
    assert (early, tuple(t for t in wrong if t not in early)) == ([1, 2, 3, 4], SLIPS)
    for t in SLIPS:
        shift = wrong[t]["shift"]
        assert (len(wrong[t]["missing"]), shift["missing"], shift["extra"]) == (1, 0, 0)
        assert shift["start"] > 0 == shift["end"]
        # Triples of the first instant alone are gone: the shift stays inside it.
        assert shift["from"] == wrong[t]["from"]


def test_shifted_borders_and_the_early_reports_are_all_there_is_to_csparql():
    own, best, *_ = judged("csparql", 5, "--no-diagnosis", "--gracious").json["explanations"]
    assert (own["complete"], own["predicted"]) == (False, 1)
    says = "shifting the borders of 4 windows and reporting 4 times before the first window closes"
    assert (best["says"], best["complete"], best["score"]) == (says, True, 1)


def test_cqels_averages_are_those_of_the_closed_window():
    found = judged("cqels", 4, "--no-diagnosis").json["windows"]
    expected = {one["to"]: one for one in found if one["actual"]}
    assert list(expected) == list(AVERAGES)
    assert all(one["recall"] and one["precision"] == 1 for one in expected.values())


def test_cqels_2011_predicts_each_of_the_averages_and_nothing_else():
    ran = judged("cqels", 4, by="cqels-2011")
    assert (ran.code, ran.json["correct"], ran.json["score"]) == (0, True, 1)
    assert {one["time"]: one["actual"] for one in ran.json["windows"]} == dict.fromkeys(AVERAGES, 1)


def test_of_all_faults_cqels_2011_explains_cqels():
    ran = judged("cqels", 4)
    own, best, *others = ran.json["explanations"]
    assert (best["says"], best["complete"]) == ("the engine cqels-2011", True)
    assert not own["complete"]
    assert not any(one["complete"] for one in others)
