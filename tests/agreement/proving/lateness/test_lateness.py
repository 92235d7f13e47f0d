"""`lars decide --delay`: verdicts against a replay of arrivals and known laws, and as a user reads them."""

from random import Random
from time import process_time

import pyarrow as pa
import pytest

from agreement import api
from agreement.proving.lateness import decide_lateness
from solver.deadlines import Deadline
from tests.agreement.command import lars
from tests.agreement.proving.lateness.late_oracle import LateQuery, kinds
from tests.agreement.proving.lateness.random_cases import lateness_question, wrong_verdicts

PREFIX = "PREFIX : <http://e/> "
ONE = "SELECT ?a WHERE {{ STREAM :s {} {{ ?a :p ?b }} }}"
RANGE = [
    (length, period, wait, delay)
    for length in (0, 1, 3, 5)
    for period in (1, 3)
    for wait in (0, 2)
    for delay in (1, 4)
]


@pytest.mark.parametrize("seed", range(8))
def test_verdicts_and_streams_are_those_of_a_replay(seed):
    verdicts, wrong = wrong_verdicts(f"lateness {seed}")
    assert (len(verdicts), wrong) == (6, [])


def decided(text, delay, wait, period, **more):
    decisions = decide_lateness(lateness_question(PREFIX + text, delay, wait, period, **more))
    return {side: {kind: one.verdict for kind, one in kinds.items()} for side, kinds in decisions.items()}


@pytest.mark.parametrize(("length", "period", "wait", "delay"), RANGE)
def test_a_row_of_one_pattern_is_lost_for_good_as_the_law_says(length, period, wait, delay):
    """The law: nothing is lost for good iff the wait is enough, or the window stays for one more pull."""
    late = max(0, delay - wait)
    pull = decided(ONE.format(f"[RANGE {length}s]" if length else "[NOW]"), delay, wait, period)["pull"]
    assert pull["lost"] == ("possible" if late else "never")
    assert pull["lost for good"] == ("never" if not late or length - late >= period - 1 else "possible")
    assert pull["invented"] == "never"


def test_push_loses_rows_for_good_although_the_window_is_longer_than_the_delay():
    """An old triple gives a row on time with a new triple, which arrives after the old one has left."""
    stream = [(1, 1, "x", "p", "b"), (6, 7, "y", "p", "b")]
    query = LateQuery((("a", "p", "b", ("range", 5)),))
    assert "lost for good" in kinds(query, "push", stream, 5, 0)
    assert decided(ONE.format("[RANGE 5s]"), 1, 0, 5)["push"]["lost for good"] == "possible"


@pytest.mark.parametrize("trigger", ["any", "query-streams", "matching"])
def test_without_a_delay_nothing_changes_and_an_unlimited_window_loses_nothing_for_good(trigger):
    assert set(decided(ONE.format("[ROWS 2]"), 0, 0, 3, trigger=trigger)["push"].values()) == {"never"}
    unlimited = decided(ONE.format("[ALL]"), 3, 0, 3, trigger=trigger)
    expected = {"lost": "possible", "lost for good": "never", "invented": "never"}
    assert unlimited == {"push": expected, "pull": expected}


def test_conditions_that_exclude_each_other_have_no_row_to_lose():
    never = "SELECT ?a WHERE { STREAM :s [RANGE 5s] { ?a :p ?b } FILTER (?b > 3 && ?b < 2) }"
    assert {verdict for side in decided(never, 2, 0, 3).values() for verdict in side.values()} == {"never"}


def test_values_of_other_times_are_open():
    text = "SELECT ?a ?t WHERE { STREAM :s [RANGE 5s] { ?a :p ?b } BIND (NOW() AS ?t) }"
    assert decided(text, 2, 0, 3)["push"]["lost"] == "open"
    assert decided(text, 0, 0, 3)["push"]["lost"] == "never"


WINDOWS = ("[TRIPLES 1]", "[TRIPLES 2]", "[RANGE 2s]", "[RANGE 3s SLIDE 2s]", "[ALL]", "[NOW]")
SHAPES = ("{} {}", "{{ {} }} UNION {{ {} }}", "{} OPTIONAL {{ {} }}", "{} FILTER NOT EXISTS {{ {} }}")


@pytest.mark.parametrize("seed", range(5))
def test_what_decide_shows_lars_agree_finds_on_the_shown_stream(seed):
    rng = Random(seed)
    blocks = [
        f"STREAM :{rng.choice('sr')} {rng.choice(WINDOWS)} {{ ?{rng.choice('xy')} :p ?{rng.choice('xyz')} }}"
        for _ in range(2)
    ]
    query = f"{PREFIX}SELECT * {{ {rng.choice(SHAPES).format(*blocks)} }}"
    asked = {"period": rng.choice((1, 2, 3)), "wait": rng.choice((0, 1)), "unit": "1s"}
    decided_late = api.decide_late(query, delay=f"{rng.randint(2, 4)}s", time_limit=2, **asked).decisions
    shown = [one.witness for kinds in decided_late.values() for one in kinds.values() if one.witness]
    assert shown
    for witness in shown:
        stream = [
            dict(zip(("t", "came", *"spo", "stream"), map(str, (t, came, *quad)), strict=True))
            for t, came, quad in witness.stream
        ]
        late = api.agree_late(
            query, pa.Table.from_pylist(stream), arrival="came", to=witness.end + 12, **asked
        )
        assert (witness.end, witness.row) in {(row.end, row.row) for row in late.late}


def test_a_window_of_very_many_pulls_is_not_tried():
    """Each pull takes memory: a delay of years and pulls each second took more than a computer has."""
    question = lateness_question(PREFIX + ONE.format("[RANGE 1000000s]"), 1_000_000, 0, 2)
    pull = decide_lateness(question, Deadline.after(5))["pull"]
    assert (pull["invented"].verdict, pull["lost"].verdict) == ("never", "open")
    assert pull["lost"].why.startswith("each stream to try has 1500003 pulls, and at most 1000000 are tried;")


def test_rows_with_and_without_a_value_are_lost_together():
    """Both rows then have one period, and the unbound variable of one has no text by which to sort it."""
    text = "SELECT ?a ?b { { STREAM :s [RANGE 2s] { ?a :p ?b } } UNION { STREAM :s [NOW] { ?a :p ?a } } }"
    assert decided(text, 1, 0, 1)["push"]["lost"] == "possible"


def test_a_window_that_looks_ahead_misses_what_comes_without_delay():
    text = "SELECT ?a FROM STREAM s [PAST 3s FUTURE 2s STEP 1s] WHERE { STREAM s { ?a :p ?b } }"
    assert decided(text, 0, 0, 4)["pull"]["lost"] == "possible"
    assert decided(text, 0, 0, 4)["push"]["lost"] == "possible"
    assert set(decided(text, 1, 3, 4)["pull"].values()) == {"never"}


def test_a_triple_of_a_stream_may_match_a_static_pattern_of_pull_that_merges(tmp_path):
    """No given static triple matches, so that push never has a row."""
    (tmp_path / "q.rq").write_text(
        f"{PREFIX}SELECT ?a ?c WHERE {{ STREAM :s [RANGE 5s] {{ ?a :p ?b }} ?b :r ?c }}"
    )
    (tmp_path / "static.nt").write_text("<http://e/a> <http://e/other> <http://e/b> .\n")
    found = api.decide_late(tmp_path / "q.rq", delay=3, period=4, static=tmp_path / "static.nt").decisions
    assert {decision.verdict for decision in found["push"].values()} == {"never"}
    assert found["pull"]["lost"].verdict != "never"


@pytest.mark.parametrize("path", [":p*", ":p?"])
def test_what_is_before_a_stream_matches_no_path(path):
    """Triples that clear tuple-based windows are nodes, which a path of no step would match."""
    decisions = decide_lateness(
        lateness_question(f"{PREFIX}SELECT ?a WHERE {{ STREAM :s [ROWS 1] {{ ?a {path} ?b }} }}", 2, 0, 4),
        Deadline.after(5),
    )
    rows = [one.witness.row for kinds in decisions.values() for one in kinds.values() if one.witness]
    assert rows
    assert "before" not in str(rows)


@pytest.mark.parametrize(
    ("window", "delay", "wait", "period"),
    [
        ("RANGE 3600s", 1, 0, 4),
        ("RANGE 5s", 86400, 0, 4),
        ("RANGE 5s", 2, 0, 604800),
        ("ROWS 2", 86400, 60, 60),
    ],
)
def test_long_times_end_within_the_limit(window, delay, wait, period):
    absent = "FILTER NOT EXISTS { STREAM :s [RANGE 5s] { ?a :q ?c } }"
    negated = f"SELECT ?a WHERE {{ STREAM :s [{window}] {{ ?a :p ?b }} {absent} }}"
    start = process_time()
    decide_lateness(lateness_question(PREFIX + negated, delay, wait, period), Deadline.after(5))
    assert process_time() - start < 30


def test_the_law_of_one_pattern_needs_no_search_of_a_long_window():
    pull = decided("SELECT ?a WHERE { STREAM :s [RANGE 1d] { ?a :p ?b } }", 1, 0, 86400)["pull"]
    assert pull["lost for good"] == "never"


@pytest.fixture
def query(tmp_path):
    path = tmp_path / "q.rq"
    path.write_text(PREFIX + ONE.format("[RANGE 5s]"))
    return path


def test_the_least_wait_and_the_least_length_are_said(query):
    ran = lars("decide", query, "--delay", "4s", "--wait", "1s", "--period", "4s", "--json")
    late = ran.json["late"]["pull"]
    assert (ran.code, late["least_wait"]) == (1, {"lost": 4, "lost_for_good": 2, "invented": 0})
    assert late["least_length"] == 6
    for wait, length, verdict in ((2, 5, "never"), (1, 6, "never"), (1, 5, "possible")):
        found = decided(ONE.format(f"[RANGE {length}s]"), 4, wait, 4)["pull"]
        assert found["lost for good"] == verdict


def test_a_stream_has_arrivals_and_a_unit_divides_all_lengths(query):
    ran = lars("decide", query, "--delay", "500ms", "--period", "2s", "--json").json
    assert (ran["unit"], ran["period"], ran["delay"], ran["wait"]) == ("500ms", 4, 1, 0)
    (element,) = ran["late"]["pull"]["streams"]["lost"]["stream"]
    assert element["arrival"] - element["t"] == 1
    assert lars("decide", query, "--delay", "0", "--period", "2").code == 0
    assert lars("decide", query, "--delay", "0s", "--wait", "0s", "--period", "2").code == 0
    assert (
        "the pull period U is 1s, because the query has no STEP" in lars("decide", query, "--delay", "2").err
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--wait", "2"), "--wait requires --delay"),
        (("--delay", "-1"), '--delay -1: "-1" is not a duration'),
        (("--delay", "2", "--period", "1..3"), "--delay requires one pull period; found 3"),
        (("--delay", "2", "--equivalent"), "cannot combine --delay with --contained or --equivalent"),
    ],
)
def test_what_cannot_be_asked_is_said(query, options, said):
    ran = lars("decide", query, *options)
    assert ran.code == 2
    assert said in ran.err


def test_the_function_gives_what_the_command_prints(query):
    found = api.decide_late(query, delay="4s", period="4s")
    assert found.to_json() == lars("decide", query, "--delay", "4s", "--period", "4s", "--json").json
    assert found.unchanged is False
    assert len(found.to_pandas()) == 6
