"""What engines answered on a stream of the benchmarks: right for which t0, and why the others are not."""

from functools import cache

import pytest

from tests.agreement.command import lars
from tests.benches import CSRBENCH, GREENHOUSE
from tests.packs import pack

AVERAGES = {12: 83, 14: 90, 15: 87.667, 17: 92.333, 18: 90, 20: 92.333, 21: 90, 23: 92.333}
AVERAGES |= {24: 90, 26: 92.333, 27: 90, 29: 92.333, 30: 90, 32: 92.333, 33: 90}
ANY = (0, 4, 9)
PUBLISHED = {
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
OWN = {
    ("csparql", 1): ("0..4", (0,)),
    ("csparql", 2): ("0..1", (0, 1)),
    ("csparql", 4): ("0..3", (0,)),
    ("csparql", 5): ("0..1", ()),
    ("cqels", 1): ("0..2", (0, 1, 2)),
    ("cqels", 2): ("0..2", (0, 1, 2)),
    ("cqels", 4): ("0..2", ()),
    ("cqels", 5): ("0..2", (0, 1, 2)),
    ("sparqlstream", 1): ("0..4", (3,)),
    ("sparqlstream", 2): ("0..1", (0, 1)),
    ("sparqlstream", 4): ("0..3", ()),
    ("sparqlstream", 5): ("0..2", (0, 1, 2)),
}
VERDICTS = [
    *(pytest.param(GREENHOUSE, key, *found) for key, found in OWN.items()),
    *(pytest.param(CSRBENCH, key, *found, marks=pack("csrbench")) for key, found in PUBLISHED.items()),
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """What `lars judge` says of an engine's answers to a query of a benchmark."""

    @cache
    def run(bench, engine, number, *options, by=None):
        folder = tmp_path_factory.mktemp("bench")
        (folder / "q.rq").write_text(bench.query(engine, number), "utf-8")
        (folder / "answers.json").write_text(bench.answers(engine, number), "utf-8")
        files = (folder / "q.rq", bench.stream, "--answers", folder / "answers.json")
        ran = lars("judge", *files, "--engine", by or engine, *options, "--json")
        assert ran.err == ""
        return ran

    return run


@pytest.mark.parametrize(("bench", "asked", "tried", "starts"), VERDICTS)
def test_the_verdict_and_the_start_times_are_those_known(bench, asked, tried, starts, judged):
    ran = judged(bench, *asked, "--t0", tried, "--no-diagnosis")
    assert (ran.code, ran.json["correct"]) == (int(not starts), bool(starts))
    assert ran.json["t0"] == [[start] for start in starts]


@pytest.mark.parametrize(("bench", "asked", "tried", "starts"), VERDICTS)
def test_without_start_times_those_within_the_slide_are_tried(bench, asked, tried, starts, judged):
    ran = judged(bench, *asked, "--no-diagnosis")
    assert (ran.json["correct"], ran.json["t0"]) == (bool(starts), [[start] for start in starts[:1]])


BORDERS = [
    pytest.param(GREENHOUSE, [1, 2], [5, 11]),
    pytest.param(CSRBENCH, [1, 2, 3, 4], [17, 19, 20, 31], marks=pack("csrbench")),
]


@pytest.mark.parametrize(("bench", "early", "slips"), BORDERS)
def test_csparql_reports_before_the_first_window_and_lets_triples_slip_out(bench, early, slips, judged):
    found = judged(bench, "csparql", 5, "--no-diagnosis", "--gracious").json
    wrong = {one["to"]: one for one in found["windows"] if one["problem"]}
    before = [t for t, one in wrong.items() if one["problem"] == "a report before the first window closes"]
    assert (before, [t for t in wrong if t not in before]) == (early, slips)
    for t in slips:
        shift = wrong[t]["shift"]
        assert (len(wrong[t]["missing"]), shift["missing"], shift["extra"]) == (1, 0, 0)
        assert shift["start"] > 0 == shift["end"]
        # Triples of the first instant alone are gone: the shift stays inside it.
        assert shift["from"] == wrong[t]["from"]


@pytest.mark.parametrize(("bench", "early", "slips"), BORDERS)
def test_shifted_borders_and_early_reports_are_all_there_is_to_csparql(bench, early, slips, judged):
    own, best, *_ = judged(bench, "csparql", 5, "--no-diagnosis", "--gracious").json["explanations"]
    assert (own["complete"], own["predicted"]) == (False, 1)
    shifted = f"shifting the borders of {len(slips)} windows"
    says = f"{shifted} and reporting {len(early)} times before the first window closes"
    assert (best["says"], best["complete"], best["score"]) == (says, True, 1)


BENCHES = [
    pytest.param(GREENHOUSE, (2, 4, 5, 8, 9, 10)),
    pytest.param(CSRBENCH, tuple(AVERAGES), marks=pack("csrbench")),
]


@pytest.mark.parametrize(("bench", "seconds"), BENCHES)
def test_cqels_averages_are_those_of_the_closed_window(bench, seconds, judged):
    found = judged(bench, "cqels", 4, "--no-diagnosis").json["windows"]
    expected = {one["to"]: one for one in found if one["actual"]}
    assert tuple(expected) == seconds
    assert all(one["recall"] and one["precision"] == 1 for one in expected.values())


@pytest.mark.parametrize(("bench", "seconds"), BENCHES)
def test_cqels_2011_predicts_each_of_the_averages_and_nothing_else(bench, seconds, judged):
    ran = judged(bench, "cqels", 4, by="cqels-2011")
    assert (ran.code, ran.json["correct"], ran.json["score"]) == (0, True, 1)
    assert {one["time"]: one["actual"] for one in ran.json["windows"]} == dict.fromkeys(seconds, 1)


def test_of_all_faults_cqels_2011_explains_cqels(judged):
    own, best, *others = judged(GREENHOUSE, "cqels", 4).json["explanations"]
    assert (best["says"], best["complete"]) == ("the engine cqels-2011", True)
    assert not own["complete"]
    assert not any(one["complete"] for one in others)
