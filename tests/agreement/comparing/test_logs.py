"""Two logs of alerts: their pairs by definition, and what predicts logs that a simulation wrote."""

import itertools
import json
import random
import re
import time
from collections import Counter
from dataclasses import replace
from itertools import product
from math import inf
from operator import le, lt

import pandas as pd
import pytest

from agreement import api
from agreement.comparing import logs as logs_of_alerts
from agreement.comparing.logs import match_logs
from agreement.comparing.matching.likeness import close
from agreement.documents.recordings import Recording, Report
from agreement.results.logs import compared, limits, predicting
from lars.errors import LarsError
from lars.language.terms import XSD
from tests.agreement.command import lars
from tests.sizes import few, size
from translate.dialects import read_query

ROWS = [('"a"',), ('"b"',), ('"31"^^<http://www.w3.org/2001/XMLSchema#integer>',)]


@pytest.mark.parametrize(
    ("delay", "odd", "expected"),
    [
        (0, {100: -1}, "at 2 of 40 evaluations"),  # a report that is early is wrong
        (1, {20: 0, 100: 0}, "every alert predicted by pull every 5s"),  # most are late, and a few are not
    ],
)
def test_a_few_reports_at_other_times_do_not_move_the_clock_of_the_others(delay, odd, expected, tmp_path):
    rng = random.Random(3)
    events = [(t, f"r{rng.randrange(8)}", rng.randrange(20, 40)) for t in range(1, 201) for _ in range(2)]
    (tmp_path / "events.csv").write_text(
        "time,room,temperature\n" + "".join(f"{t},{room},{value}\n" for t, room, value in events)
    )
    (tmp_path / "q.rq").write_text(
        "PREFIX ex: <http://example.org/> SELECT DISTINCT ?room ?temperature FROM STREAM ex:events "
        "[RANGE 10s STEP 5s] { ?e ex:room ?room ; ex:temperature ?temperature FILTER(?temperature > 30) }"
    )
    begin = 3 if delay else 5
    for name, delays in (("ok.csv", None), ("moved.csv", odd)):
        rows = (
            f"{pull + (0 if delays is None else delays.get(place * 5, delay))},{room},{value}\n"
            for place, pull in enumerate(range(begin, 201, 5), 1)
            for room, value in dict.fromkeys(
                (room, value) for t, room, value in events if pull - 10 < t <= pull and value > 30
            )
        )
        (tmp_path / name).write_text("time,room,temperature\n" + "".join(rows))
    ok, moved, events_file, query = (tmp_path / n for n in ("ok.csv", "moved.csv", "events.csv", "q.rq"))
    ran = lars("compare", ok, moved, "--events", events_file, "--query", query, "--unit", "1s")
    assert "ok.csv: every alert predicted by pull every 5s" in ran.out
    assert expected in next(line for line in ran.out.splitlines() if line.startswith("moved.csv"))


def test_progress_moves_with_each_rule_that_is_tried(tmp_path):
    # Nearly all of the time passes in rules for a log that no rule explains.
    rng = random.Random(5)
    events = [(t, f"r{rng.randrange(6)}", rng.randrange(20, 40)) for t in range(1, 101)]
    alerts = [(t, room, value) for t, room, value in events if value > 30]
    for name, rows in (("events", events), ("all", alerts), ("some", rng.sample(alerts, len(alerts) // 2))):
        lines = (f"{t},{room},{value}\n" for t, room, value in sorted(rows))
        (tmp_path / f"{name}.csv").write_text("time,room,temperature\n" + "".join(lines))
    told = []
    paths = tmp_path / "all.csv", tmp_path / "some.csv"
    api.compare_logs(
        *paths,
        events=tmp_path / "events.csv",
        unit="1s",
        progress=lambda done, total: told.append(done / total),
    )
    assert len({*told}) > 20
    assert told == sorted(told)


def log(rng):
    times = sorted(rng.choice([0.0, 1.0, 2.5, 7.0, 7.0, 2.0**52]) for _ in range(rng.randrange(4)))
    return Recording(("x",), tuple(Report(t, (rng.choice(ROWS),)) for t in times))


def by_definition(mine, yours, within):
    """Return how often equal rows are nearest to each other: times of both, each as often as both have it."""
    pairs = []
    for row in ROWS:
        one, other = ([r.t for r in side.reports if row in r.rows] for side in (mine, yours))
        for t in sorted(set(one)):
            for u in sorted(set(other)):
                near = min(sorted(set(other)), key=lambda x: (abs(x - t), x)) == u
                back = min(sorted(set(one)), key=lambda x: (abs(x - u), x)) == t
                if near and back and abs(t - u) <= within:
                    pairs += [(row, t, u)] * min(one.count(t), other.count(u))
    return sorted(pairs)


def test_two_alerts_belong_together_if_each_is_nearest_to_the_other():
    rng = random.Random(7)
    for _ in range(400):
        mine, yours, within = log(rng), log(rng), rng.choice([0.0, 1.5, 100.0, inf])
        match = match_logs(mine, yours, 1e-9, within)
        assert sorted((a.row, a.first, a.second) for a in match.both) == by_definition(mine, yours, within)
        counted = sum(2 if a.delay is not None else 1 for a in match.alerts)
        assert counted == len(mine.reports) + len(yours.reports)


def test_alerts_of_two_events_are_no_pair():
    def reports(*times):
        return Recording(("x",), tuple(Report(t, (ROWS[0],)) for t in times))

    # The second log repeats the event of 40, though the event of 70 is nearer.
    match = match_logs(reports(40.0, 71.0), reports(60.0, 62.0), 1e-9, inf, reports(40.0, 70.0))
    assert [(a.first, a.second, a.near, a.again) for a in match.alerts] == [
        (40.0, 60.0, None, False),
        (None, 62.0, 40.0, True),
        (71.0, None, 62.0, False),
    ]


def alerts_by_definition(logs, events, within):
    """Return all pairs and lone alerts, each with its nearest time after the same or after any event."""

    def times(row, log, after=None):
        own = [r.t for r in log.reports for one in r.rows if one == row]
        return [t for t in own if after is None or count(row, t) == after]

    def count(row, t):
        return sum(event <= t for event in times(row, events))

    def near(t, others):
        return min(sorted(others), key=lambda other: abs(other - t), default=None)

    for row, after in product(ROWS, range(len(events.reports) + 1)):
        mine, yours = (times(row, log, after) for log in logs)
        both = [
            (t, u)
            for t, u in product(sorted({*mine}), sorted({*yours}))
            if near(t, yours) == u and near(u, mine) == t and abs(t - u) <= within
            for _ in range(min(mine.count(t), yours.count(u)))
        ]
        yield from ((row, t, u, None) for t, u in both)
        for n, (own, there) in enumerate(((mine, yours), (yours, mine))):
            for t in (Counter(own) - Counter(pair[n] for pair in both)).elements():
                nearest = near(t, there or times(row, logs[1 - n]))
                yield (row, t, None, nearest) if n == 0 else (row, None, t, nearest)


@pytest.mark.parametrize("within", [0.0, 1.5, inf])
def test_pairs_and_lone_alerts_are_those_of_the_definition(within):
    rng = random.Random(within)
    for _ in range(200):
        *logs, events = (log(rng) for _ in range(3))
        found = match_logs(*logs, 1e-9, within, events)
        own = Counter((a.row, a.first, a.second, a.near) for a in found.alerts)
        assert own == Counter(alerts_by_definition(logs, events, within))


def test_numbers_are_equal_by_value():
    decimal = "http://www.w3.org/2001/XMLSchema#decimal"
    mine = Recording(("x",), (Report(0.0, (('"0.3"^^<' + decimal + ">",),)),))
    double = '"0.30000000000000004"^^<http://www.w3.org/2001/XMLSchema#double>'
    assert match_logs(mine, Recording(("x",), (Report(5.0, ((double,),)),)), 1e-9).both
    assert not match_logs(mine, Recording(("x",), (Report(5.0, ((double,),)),)), 0.0).both


def of_numbers(*alerts):
    """Return a log of times with a decimal each."""
    rows = [(t, (f'"{value}"^^<{XSD}decimal>',)) for t, value in alerts]
    return Recording(("x",), tuple(Report(float(t), (row,)) for t, row in sorted(rows)))


def test_numbers_count_as_equal_pair_by_pair_and_keep_their_own_values():
    # 5.2 of the first log is nearer to 5.15 than 5.1 is, but has a partner of its own.
    mine, yours = of_numbers((0, "5.1"), (600, "5.2"), (700, "6.0")), of_numbers((0, "5.15"), (600, "5.21"))
    found = match_logs(mine, yours, 0.011).alerts
    assert [(a.row[0][1:4], a.first, a.second) for a in found] == [
        ("5.1", 0.0, 0.0),
        ("5.2", 600.0, 600.0),
        ("6.0", 700.0, None),
    ]
    (_, lone) = match_logs(mine, of_numbers((10, "5.15"), (0, "5.15")), 0.011).only
    assert [(a.row[0][1:5], a.second, a.near) for a in lone] == [("5.15", 10.0, 0.0)]


def number_of_pairs(mine, yours, tolerance, within):
    """Return the greatest number of pairs of alerts that are nearest to each other."""

    def alike(one, other):
        return abs(one - other) <= tolerance * max(one, other)

    def near(alert, others):
        times = [t for t, value in others if alike(value, alert[1])]
        return min(times, key=lambda t: (abs(t - alert[0]), t), default=None)

    def most(left, free):
        if not left:
            return 0
        (t, value), rest = left[0], left[1:]
        partners = (
            n
            for n, (u, other) in enumerate(free)
            if alike(value, other) and near((t, value), yours) == u and near((u, other), mine) == t
            if abs(t - u) <= within
        )
        return max(most(rest, free), *(1 + most(rest, free[:n] + free[n + 1 :]) for n in partners), 0)

    return most(mine, yours)


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize("within", [3.0, inf])
def test_as_many_alerts_as_possible_form_pairs_within_the_tolerance(within, few, monkeypatch):
    monkeypatch.setattr(logs_of_alerts, "_FEW_KEYS", few)
    rng = random.Random(within)
    for _ in range(200):
        logs = [
            [(rng.choice([0, 2, 4, 9]), rng.choice([50, 51, 52, 53]) / 10) for _ in range(rng.randrange(6))]
            for _ in range(2)
        ]
        match = match_logs(*(of_numbers(*log) for log in logs), 0.0195, within)
        assert len(match.both) == number_of_pairs(*logs, 0.0195, within)
        for n, log in enumerate(logs):
            own = [((a.first, a.second)[n], float(a.row[0][1:4])) for a in match.only[n]]
            assert not Counter(own) - Counter((float(t), value) for t, value in log)


@pytest.mark.parametrize("tolerance", [1e-9, 0.02, 0.1, 1.0])
@pytest.mark.parametrize("known", [False, True])
def test_alerts_found_by_their_time_are_those_found_by_their_numbers(tolerance, known, monkeypatch):
    rng = random.Random(tolerance)
    for _ in range(100):
        numbers = [
            (rng.randrange(40), rng.choice(["0.0", "4.9", "5.0", "5.1", "6", "-5"])) for _ in range(60)
        ]
        logs = [of_numbers(*numbers[start : start + 20]) for start in (0, 20, 40)]
        events = logs[2] if known else None
        found = []
        for number in (0, 2, 100):
            monkeypatch.setattr(logs_of_alerts, "_FEW_KEYS", number)
            found.append(match_logs(*logs[:2], tolerance, inf, events))
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("times", [(0.0, 10.0), (10.0, 0.0)])
def test_an_integer_and_a_decimal_of_one_value_are_near_their_own_numbers(times):
    terms = [f'"100"^^<{XSD}integer>', f'"100.0"^^<{XSD}decimal>']
    own = sorted(zip(times, terms, strict=True))
    mine = Recording(("x",), tuple(Report(t, ((term,),)) for t, term in own))
    yours = Recording(("x",), tuple(Report(t, ((f'"101"^^<{XSD}integer>',),)) for t in (0.0, 10.0)))
    (pair,) = match_logs(mine, yours, 0.1).both
    assert (pair.row, pair.first, pair.second) == ((terms[1],), times[1], times[1])


def comparisons(logs, tolerance, monkeypatch):
    """Return the number of pairs of numbers that a comparison of two logs compares."""
    counted = Counter()

    def counting(*args, **options):
        counted["pairs"] += 1
        return close(*args, **options)

    monkeypatch.setattr(logs_of_alerts, "close", counting)
    match_logs(*logs, tolerance)
    return counted["pairs"]


def of_sensors(rng, number, apart):
    rows = [(t, f"{rng.randint(20_000, 30_000) / 1000}") for t in range(number)]
    return [
        Recording(
            ("s", "x"),
            tuple(
                Report(t + late, ((f'"{t % 10}"^^<{XSD}integer>', f'"{value}"^^<{XSD}decimal>'),))
                for t, value in rows
            ),
        )
        for late in (0.0, apart)
    ]


def test_alerts_with_a_number_and_a_measured_value_are_compared_with_few_others(monkeypatch):
    assert comparisons(of_sensors(random.Random(1), 1000, 1000.0), 1e-9, monkeypatch) < 200_000


def test_alerts_that_are_near_many_others_are_compared_with_few_of_them(monkeypatch):
    assert comparisons(of_sensors(random.Random(1), 1000, 0.5), 0.2, monkeypatch) < 300_000


@pytest.mark.parametrize("other", ["1.0", "1.001"])
def test_many_equal_alerts_at_one_time_are_compared_once(monkeypatch, other):
    logs = [
        of_numbers(*[(5, "1.0")] * 400, *[(5, "3.0")] * 200),
        of_numbers(*[(5, other)] * 200, *[(5, "3.0")] * 400),
    ]
    assert comparisons(logs, 0.01, monkeypatch) < 10_000


def simulated(rng, *, length, period, delay):
    """Return events, and the alerts of values above 35 of a pushing and a pulling system."""
    events, t = [], 0
    for _ in range(60):
        t += rng.randint(1, 9)
        events.append((t, rng.choice(["hall", "attic"]), rng.randint(10, 40)))
    pushed = [(t + delay, room, value) for t, room, value in events if value > 35]
    pulled = [
        (end + delay, room, value)
        for end in range(period, t, period)
        for at, room, value in sorted(set(events))
        if end - length < at <= end and value > 35
    ]
    return events, pushed, pulled


def table(folder, name, rows):
    path = folder / f"{name}.csv"
    path.write_text("time,room,value\n" + "".join(f"{t},{room},{value}\n" for t, room, value in rows))
    return path


@pytest.mark.parametrize("seed", range(4))
def test_what_wrote_a_log_predicts_it(tmp_path, seed):
    rng = random.Random(seed)
    period = rng.choice([5, 10, 20])
    events, pushed, pulled = simulated(rng, length=20, period=period, delay=0)
    query = (
        "PREFIX ex: <http://example.org/>\n"
        "SELECT ?room ?value WHERE { STREAM ex:s [RANGE 20s] { ?e ex:room ?room ; ex:value ?value } "
        "FILTER (?value > 35) }"
    )
    logs = table(tmp_path, "a", pushed), table(tmp_path, "b", pulled)
    found = api.compare_logs(*logs, events=table(tmp_path, "s", events), query=query)
    assert "push" in [one.name for one in found.predictions[0] if one.correct]
    assert f"pull every {period}s" in [one.name for one in found.predictions[1] if one.correct]


def test_an_alert_that_a_pulling_system_lacks_has_its_reason(tmp_path):
    events, pushed, pulled = simulated(random.Random(29), length=10, period=20, delay=0)
    assert any(t % 20 == 10 for t, _, _ in pushed)
    query = (
        "PREFIX ex: <http://example.org/>\n"
        "SELECT DISTINCT ?room ?value WHERE { STREAM ex:s [RANGE 10s] { ?e ex:room ?room ; ex:value ?value } "
        "FILTER (?value > 35) }"
    )
    last = max(end for end, _, _ in pulled)
    outside = sum(t <= last and 0 < t % 20 <= 10 for t, _, _ in pushed)
    after = sum(t > last for t, _, _ in pushed)
    logs = table(tmp_path, "a", pushed), table(tmp_path, "b", sorted(set(pulled)))
    found = api.compare_logs(*logs, events=table(tmp_path, "s", events), query=query, period="20s")
    lacks = f"b.csv lacks {outside + after} alerts of a.csv: {outside} alerts whose event is in none of the"
    assert lacks in found.text
    assert f"{after} alert{'s' * (after > 1)} whose event comes after the last alert of this" in found.text
    untrue = table(tmp_path, "u", sorted({*pulled, (last, "cellar", 99)}))
    other = api.compare_logs(logs[0], untrue, events=table(tmp_path, "s", events), query=query, period="20s")
    assert "no tried rule predicts the log; the nearest rule is pull every 20s" in other.text
    assert "whose event" not in other.text


@pytest.mark.parametrize("seed", range(6))
def test_windows_without_an_alert_contain_events_too(tmp_path, seed):
    """The first log also has the alerts of lower values; most pulls of the second system report nothing."""
    rng = random.Random(seed)
    length, period = rng.choice([(10, 20), (20, 20), (30, 20), (20, 30)])
    events = [(t, rng.choice(["hall", "attic"]), rng.randint(10, 40)) for t in range(3, 900, 7)]
    pulled = [
        (end, room, value)
        for end in range(period, 900, period)
        for t, room, value in events
        if end - length < t <= end and value > 35
    ]
    pushed = [(t, room, value) for t, room, value in events if value > 20]
    query = (
        "PREFIX ex: <http://example.org/>\n"
        f"SELECT ?room ?value WHERE {{ STREAM ex:s [RANGE {length}s] "
        "{ ?e ex:room ?room ; ex:value ?value } "
        "FILTER (?value > 35) }"
    )
    logs = table(tmp_path, "a", pushed), table(tmp_path, "b", pulled)
    found = api.compare_logs(*logs, events=table(tmp_path, "s", events), query=query, period=f"{period}s")
    assert found.predictions[1][0].correct
    last, counts = max(t for t, *_ in pulled), Counter[str]()
    for alert in found.match.only[0]:
        t = alert.first / 1000
        ends = [end for end in range(period, 1000, period) if end - length < t <= end]
        counts["again" if alert.again else "after" if t > last else "in" if ends else "none"] += 1
    (told,) = [
        line for line in found.text.splitlines() if line.startswith("b.csv lacks ") and "whose" in line
    ]
    texts = {
        "again": "that b.csv has at another time after the same event",
        "after": "whose event comes after the last alert of this system",
        "in": "whose event is in a window of this system",
        "none": "whose event is in none of the windows of this system",
    }
    assert counts["in"]
    for kind, text in texts.items():
        alerts = f"{counts[kind]} alert{'s' * (counts[kind] > 1)} {text}"
        assert (alerts in told) if counts[kind] else (text not in told)


@pytest.mark.parametrize("length", [10, 20, 30])
def test_an_event_at_the_end_of_a_window_without_it_is_in_the_next_window(tmp_path, length):
    """System B evaluates each 10 s, over windows that do not contain their end (high-open)."""
    events = [(5 * n, "hall", 40 if n % 6 == 0 else 30 + n % 2) for n in range(1, 68)]
    ends = range(10, 350, 10)
    pulled = [(end, *row) for end in ends for t, *row in events if end - length <= t < end and row[-1] > 35]
    low = [event for event in events if event[2] < 40]
    assert all(any(end - length <= t < end for end in ends) for t, *_ in low)
    assert any(t in ends for t, *_ in low)
    logs = table(tmp_path, "a", low), table(tmp_path, "b", pulled)
    query = WITHIN.replace("20s", f"{length}s")
    found = api.compare_logs(*logs, events=table(tmp_path, "s", events), query=query, period="10s")
    assert found.predictions[1][0].bounds == "high-open"
    assert (
        f"b.csv lacks {len(low)} alerts of a.csv: {len(low)} alerts whose event is in a window of this system"
        in found.text
    )


def test_a_system_that_repeats_all_rows_at_each_event_is_predicted(tmp_path):
    events, _, _ = simulated(random.Random(5), length=20, period=10, delay=0)
    repeated = [
        (now, room, count)
        for now in sorted({t for t, _, _ in events})
        for room in ("attic", "hall")
        if (count := sum(now - 9 <= t <= now and own == room for t, own, _ in events))
    ]
    log = table(tmp_path, "a", repeated)
    query = (
        "PREFIX ex: <http://example.org/>\n"
        "SELECT ?room (COUNT(?v) AS ?value) "
        "WHERE { STREAM ex:s [RANGE 9s] { ?e ex:room ?room ; ex:value ?v } } GROUP BY ?room"
    )
    found = api.compare_logs(log, log, events=table(tmp_path, "s", events), query=query)
    assert [one.name for one in found.predictions[0] if one.correct] == ["push of all rows at each event"]


WITHIN = (
    "PREFIX ex: <http://example.org/>\n"
    "SELECT DISTINCT ?room ?value WHERE { STREAM ex:s [RANGE 20s] { ?e ex:room ?room ; ex:value ?value } "
    "FILTER (?value > 35) }"
)


def pulls(events, length, ends):
    """Return the alerts of a system that pulls every 10 s, with windows of `length(end)`."""
    return [
        (end, room, value)
        for end in ends
        for room, value in sorted({(r, v) for at, r, v in events if end - length(end) < at <= end})
        if value > 35
    ]


def test_another_length_of_windows_predicts_a_log_and_the_time_of_a_change_is_told(tmp_path):
    events, pushed, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    s, a = table(tmp_path, "s", events), table(tmp_path, "a", pushed)
    ends = range(10, events[-1][0], 10)
    middle = ends[len(ends) // 2]
    all_short = table(tmp_path, "b", pulls(events, lambda _: 10, ends))
    found = api.compare_logs(a, all_short, events=s, query=WITHIN, period="10s")
    right = [one.name for one in found.predictions[1] if one.correct]
    assert "pull every 10s, with windows of 10s in place of 20s" in right
    assert "pull every 10s" not in right
    later = table(tmp_path, "c", pulls(events, lambda end: 20 if end < middle else 10, ends))
    told = api.compare_logs(a, later, events=s, query=WITHIN, period="10s").text
    (cause, sentence, interval) = [
        line for line in told.splitlines() if line.startswith(("c.csv: ", "c.csv changed"))
    ]
    at = float(re.search(r"from (\S+) on$", sentence)[1])
    # The first evaluation at which the two lengths differ.
    long, short = (set(pulls(events, lambda _, n=n: n, ends)) for n in (20, 10))
    assert at == min(end for end, *_ in long ^ short if end >= middle)
    assert "c.csv: pull every 10s predicts every alert up to" in sentence
    assert re.search(r"with windows of 1[05]s in place of 20s predicts every alert from", sentence)
    # The last evaluation that fits only the old length.
    last = max(end for end, *_ in long ^ short if end < middle)
    assert f"c.csv changed between {last}, the last" in interval
    assert f"and {at:g}, the first of" in interval
    # The first line names the cause, because some readers read only this line.
    assert told.startswith(cause)
    changed = f"c.csv changed between {last} and {at:g}: before, it follows the rule "
    assert cause.startswith(f'{changed}"evaluate every 10s (pull)"; after, the rule "evaluate every 10s, ')
    assert cause.endswith(
        'in place of 20s"; a.csv follows the rule "evaluate at each event (push)" throughout'
    )


@pytest.mark.parametrize(
    ("before", "after", "asked"),
    [(10, 20, None), (10, 20, "10s,20s"), (10, 30, None), (20, 10, None), (30, 10, "10s,30s")],
)
def test_another_period_from_some_time_on_is_told(tmp_path, before, after, asked):
    draw = random.Random(11)
    events = [(7 * n, draw.choice(["hall", "attic"]), draw.choice([20, 30, 40])) for n in range(1, 90)]
    ends = range(10, events[-1][0], 10)
    middle = ends[len(ends) // 2] // 60 * 60
    whole = pulls(events, lambda _: 20, ends)
    rows = [row for row in whole if not row[0] % (before if row[0] < middle else after)]
    a, b, s = table(tmp_path, "a", whole), table(tmp_path, "b", rows), table(tmp_path, "s", events)
    text = api.compare_logs(a, b, events=s, query=WITHIN, period=asked).text.replace(", each row once", "")
    (told,) = [line for line in text.splitlines() if line.startswith("b.csv: ")]
    pattern = rf"b.csv: pull every {before}s predicts every alert up to (\d+); pull every {after}s predicts "
    old, new = map(int, re.fullmatch(rf"{pattern}every alert from (\d+) on", told).groups())
    # The two periods differ where only one of them evaluates.
    lacking = {end for end, *_ in whole} - {end for end, *_ in rows}
    assert (new == min(lacking)) if before < after else (old == max(lacking))
    assert old < middle <= new


def test_missed_alerts_are_counted_for_a_query_whose_window_is_no_whole_second(tmp_path):
    events, pushed, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    s, a = table(tmp_path, "s", events), table(tmp_path, "a", pushed)
    query = WITHIN.replace("20s", "1500ms")
    found = api.compare_logs(a, a, events=s, query=query, period="10s", window="20s")
    assert list(found.missed.values()) == [0]


def test_alerts_after_the_last_event_are_predicted_and_a_change_is_told(tmp_path):
    events, _, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    end = events[-1][0] // 10 * 10 + 20
    s = table(tmp_path, "s", [*events, (end - 15, "hall", 40)])
    events = [*events, (end - 15, "hall", 40)]
    ends = range(10, end, 10)
    whole = table(tmp_path, "a", pulls(events, lambda _: 20, ends))
    part = table(tmp_path, "b", pulls(events, lambda at: 20 if at < end // 2 else 10, ends))
    assert pulls(events, lambda _: 20, ends)[-1][0] > events[-1][0]
    found = api.compare_logs(whole, part, events=s, query=WITHIN, period="10s")
    best = found.predictions[0][0]
    assert (best.name, best.correct, best.left_out) == ("pull every 10s", True, 0)
    assert "b.csv changed between " in found.text
    assert found.text.startswith("b.csv changed between ")
    assert found.text.splitlines()[0].endswith('; a.csv follows the rule "evaluate every 10s" throughout')
    assert "no tried rule predicts the log" not in found.text


def test_a_pulling_system_that_reports_only_new_rows_is_predicted(tmp_path):
    events = [(4 * n, "hall", 40 if n % 16 < 9 else 20) for n in range(1, 120)]
    ends = range(10, events[-1][0], 10)
    rows = {end: {row[1:] for row in pulls(events, lambda _: 20, [end])} for end in (0, *ends)}
    new = [(end, *row) for end in ends for row in sorted(rows[end] - rows[end - 10])]
    log = table(tmp_path, "a", new)
    found = api.compare_logs(log, log, events=table(tmp_path, "s", events), query=WITHIN, period="10s")
    assert [one.name for one in found.predictions[0] if one.correct] == [
        "pull every 10s, only rows that are new"
    ]


def test_a_column_that_no_log_has_cannot_be_renamed(files):
    with pytest.raises(
        LarsError, match=r"rename=\{\"pump\": \"unit\"\}: no log has the column pump; rename= changes"
    ):
        api.compare_logs(files / "a.csv", files / "a.csv", rename={"pump": "unit"})


def by_bounds(events, length, ends):
    """Return the alerts of pulls by each of the four bounds of their windows."""
    return [
        {
            (end, room, value)
            for end in ends
            for at, room, value in events
            if value > 35 and low(end - length, at) and high(at, end)
        }
        for low, high in product((lt, le), repeat=2)
    ]


@pytest.mark.parametrize(
    ("shape", "told"),
    [((20, 10, 10), True), ((10, 20, 20), True), ((20, 10, 20), False)],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_told_change_is_true_by_definition(tmp_path, seed, shape, told):
    """A log whose windows have another length in a part of the time; a change back is not told."""
    events, pushed, _ = simulated(random.Random(seed), length=20, period=10, delay=0)
    s, a = table(tmp_path, "s", events), table(tmp_path, "a", pushed)
    ends = range(10, events[-1][0], 10)
    rows = pulls(events, lambda end: shape[3 * end // (ends[-1] + 1)], ends)
    found = api.compare_logs(a, table(tmp_path, "b", rows), events=s, query=WITHIN, period="10s")
    (change,) = found.to_json()["changes"][1:]
    assert ("b.csv changed between " in found.text) == (change is not None) == told
    if change is None:
        return
    start, last = change["start"], change["last"]
    # From the one to the other, both lengths have the same rows.
    assert last < max(end for end in ends if shape[3 * end // (ends[-1] + 1)] == shape[0]) + 10 <= start
    parts = ([end for end in ends if end < start], [end for end in ends if end >= start])
    for side, part in zip(("before", "after"), parts, strict=True):
        words = r"(?:pull|windows that close) every 10s(?:, with windows of (\d+)s in place of 20s)?"
        length = int(re.fullmatch(words, change[side])[1] or 20)
        assert {row for row in rows if row[0] in part} in by_bounds(events, length, part)


@pytest.mark.parametrize(("limit", "wanted"), [(30, 35), (37, 35), (35, 37)])
def test_another_limit_predicts_a_log_and_the_log_that_departs_is_named_first(tmp_path, limit, wanted):
    """One system alerts above another number than the query; the other one follows the query."""
    events, _, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    s = table(tmp_path, "s", events)

    def alerts(number):
        rows = {
            (end, r, v) for end in range(10, events[-1][0], 10) for t, r, v in events if end - 20 < t <= end
        }
        return sorted(row for row in rows if row[2] > number)

    a, b = table(tmp_path, "a", alerts(limit)), table(tmp_path, "b", alerts(wanted))
    query = WITHIN.replace("35", str(limit))
    found = api.compare_logs(b, a, events=s, query=query, period="10s")
    (right,) = [one.name for one in found.predictions[0] if one.correct]
    number = float(re.fullmatch(rf".*such as \?value > (\S+) in place of \?value > {limit}", right)[1])
    assert alerts(number) == alerts(wanted)
    plain = right.replace("pull every 10s", "evaluate every 10s (pull)")
    departs = f'b.csv departs from the query throughout, and follows the rule "{plain}"'
    assert found.text.startswith(f'{departs}; a.csv follows the rule "evaluate every 10s" throughout')
    # From the middle on, the limit differs.
    middle = events[-1][0] // 2
    late = table(
        tmp_path,
        "c",
        [r for r in alerts(limit) if r[0] < middle] + [r for r in alerts(wanted) if r[0] >= middle],
    )
    told = api.compare_logs(late, a, events=s, query=query, period="10s")
    assert told.text.startswith("c.csv changed between ")
    (change, nothing) = told.to_json()["changes"]
    assert (change["before"], nothing) == ("pull every 10s", None)
    assert "in place of ?value > " in change["after"]
    differing = sorted({row[0] for row in {*alerts(limit)} ^ {*alerts(wanted)}})
    assert change["start"] == min(end for end in differing if end >= middle)
    (departure, nothing) = told.to_json()["departures"]
    assert departure == {"semantics": "pull every 10s", "start": change["start"], "end": differing[-1]}


def test_another_limit_of_an_aggregate_predicts_a_log(tmp_path):
    events, _, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    ends = range(10, events[-1][0], 10)
    contents = {
        (end, room): [v for t, r, v in events if end - 20 < t <= end and r == room]
        for end in ends
        for room in ("attic", "hall")
    }
    alerts = [(end, room) for (end, room), values in contents.items() if len(values) > 3]
    (tmp_path / "a.csv").write_text("time,room\n" + "".join(f"{t},{room}\n" for t, room in alerts))
    query = (
        "PREFIX ex: <http://example.org/>\n"
        "SELECT ?room WHERE { STREAM ex:s [RANGE 20s] { ?e ex:room ?room ; ex:value ?v } } "
        "GROUP BY ?room HAVING (1 < COUNT(?e))"
    )
    asked = {"events": table(tmp_path, "s", events), "query": query, "period": "10s"}
    (right,) = [
        one for one in api.compare_logs(*[tmp_path / "a.csv"] * 2, **asked).predictions[0] if one.correct
    ]
    assert right.name == "pull every 10s, with a limit such as COUNT(?e) > 3 in place of COUNT(?e) > 1"


def test_no_other_limit_is_tried_for_a_log_that_lacks_and_adds_rows(tmp_path, monkeypatch):
    """The result is that of the whole search: a stricter limit only removes rows."""
    events, _, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    s, rng, numbers = table(tmp_path, "s", events), random.Random(4), []
    limited = predicting.JudgedLogs._limited

    def counted(*args):
        numbers.append(args[-1])
        return limited(*args)

    monkeypatch.setattr(predicting.JudgedLogs, "_limited", counted)
    ends = range(10, events[-1][0], 10)
    rows = sorted({(end, r, v) for end in ends for t, r, v in events if end - 20 < t <= end and v > 30})
    kept = {*rng.sample(rows, len(rows) - 2), *((end, "attic", 99) for end in rng.sample(ends, 2))}
    a = table(tmp_path, "a", sorted(kept))
    text = api.compare_logs(a, a, events=s, query=WITHIN, period="10s").text
    few = len(numbers)
    monkeypatch.setattr(limits, "only_selects", lambda *_: False)
    assert api.compare_logs(a, a, events=s, query=WITHIN, period="10s").text == text
    assert few < len(numbers) - few


@pytest.mark.parametrize(
    ("inner", "outer", "end", "selects"),
    [
        ("", "GROUP BY ?r HAVING (AVG(?v) > 3)", "", True),
        ("FILTER (?v > 3)", "GROUP BY ?r", "", False),
        ("FILTER (?v > 3)", "", "", True),
        ("FILTER (?v > 3)", "", "LIMIT 2", False),
    ],
)
def test_a_limit_only_selects_rows_outside_of_groups_and_without_limit(inner, outer, end, selects):
    body = f"STREAM <http://e/s> [RANGE 20s] {{ ?e <http://e/v> ?v ; <http://e/r> ?r {inner} }}"
    query = read_query(f"SELECT ?r WHERE {{ {body} }} {outer} {end}", "q.rq")
    (limit,) = limits.limits_of(query) or [None]
    assert limits.only_selects(query, limit) == selects


def test_each_rule_is_judged_once_for_two_copies_of_a_log(tmp_path, monkeypatch):
    """As tables with tabs, the same alerts are a log of their own."""
    events, pushed, _ = simulated(random.Random(3), length=20, period=10, delay=0)
    s, a, b = (table(tmp_path, name, rows) for name, rows in (("s", events), ("a", pushed), ("b", pushed)))
    other = tmp_path / "b.tsv"
    other.write_text(b.read_text().replace(",", "\t"))
    judged, bare = [], predicting.judging.bare_verdict
    monkeypatch.setattr(
        predicting.judging, "bare_verdict", lambda *given: judged.append(given) or bare(*given)
    )
    texts, counts = [], []
    for second in (b, other):
        judged.clear()
        texts.append(api.compare_logs(a, second, events=s, query=WITHIN).text)
        counts.append(len(judged))
    assert counts[1] == 2 * counts[0] > 0
    assert texts[1] == texts[0].replace("b.csv", "b.tsv")


def test_a_limit_inside_a_negation_is_not_tried(tmp_path):
    events, pushed, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    s, a = table(tmp_path, "s", events), table(tmp_path, "a", pushed)
    query = WITHIN.replace("FILTER (?value > 35)", "FILTER NOT EXISTS { ?e ex:value ?w FILTER (?w < 30) }")
    assert "limit" not in " ".join(
        one.name for one in api.compare_logs(a, a, events=s, query=query).predictions[0]
    )


def test_a_rule_that_fails_at_most_evaluations_is_not_called_near(tmp_path):
    """Alerts about a property of values that no draft has."""
    events, _, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    s = table(tmp_path, "s", events)
    rows = sorted(
        {(end, r) for end in range(10, 300, 10) for t, r, v in events if end - 20 < t <= end and v % 3 == 1}
    )
    (tmp_path / "a.csv").write_text("time,room\n" + "".join(f"{t},{room}\n" for t, room in rows))
    (tmp_path / "b.csv").write_text("time,room\n" + "".join(f"{t},{room}\n" for t, room in rows[2:]))
    result = api.compare_logs(tmp_path / "a.csv", tmp_path / "b.csv", events=s)
    told = result.text
    assert told.startswith(
        "lars cannot name the log that departs, because no tried rule comes close to either"
    )
    assert "a.csv: no tried rule comes close: the nearest rule, " in told
    assert "that the rule does not explain" not in told
    assert "use query=FILE" in told.splitlines()[-1]
    assert "use query=FILE" in result.to_markdown()
    assert "use --query FILE" in lars("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--events", s).out


def test_an_engine_that_cannot_read_the_query_is_left_out(tmp_path):
    """Kolibrie wants a full IRI or a name without a prefix for a window; RSP-QL allows prefixes."""
    events, pushed, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    s, a = table(tmp_path, "s", events), table(tmp_path, "a", [(t + 4, "attic", v) for t, _, v in pushed])
    query = (
        "PREFIX ex: <http://example.org/>\n"
        "REGISTER RSTREAM <http://example.org/out> AS SELECT ?room ?value\n"
        "FROM NAMED WINDOW ex:w ON ex:s [RANGE PT20S STEP PT10S]\n"
        "WHERE { WINDOW ex:w { ?e ex:room ?room ; ex:value ?value } FILTER (?value > 35) }"
    )
    found = api.compare_logs(a, a, events=s, query=query)
    problems = {one.engine: one.problem for one in found.predictions[0]}
    assert "Kolibrie expects" in problems["kolibrie-846becb"]
    assert not any(one.correct for one in found.predictions[0])


def test_a_lone_alert_shows_the_nearest_time_of_its_row_in_the_other_log(tmp_path):
    rows = {"a": [(1, "hall", 3), (20, "hall", 3), (90, "hall", 3), (90, "attic", 4)], "b": [(22, "hall", 3)]}
    logs = [table(tmp_path, name, own) for name, own in rows.items()]
    lines = [
        line.split("│")[3].strip() for line in api.compare_logs(*logs).text.splitlines() if "│ (" in line
    ]
    assert lines[:3] == ["no; at 22s, 21s later", "no; at 22s, 1m8s earlier", "row not in this log"]


def test_an_alert_that_the_other_log_has_only_after_another_event_is_not_said_to_be_missing(tmp_path):
    """The row occurs twice, and the second system lost its first alert."""
    events = table(tmp_path, "s", [(1, "hall", 40), (300, "hall", 40), (301, "hall", 1)])
    logs = (
        table(tmp_path, "a", [(1, "hall", 40), (300, "hall", 40)]),
        table(tmp_path, "b", [(300, "hall", 40)]),
    )
    found = api.compare_logs(*logs, events=events)
    assert "│ no; at 300s, 4m59s later, other event │" in found.text
    lone = found.to_pandas("alerts").to_dict("records")[0]
    assert (lone["elsewhere"], lone["nearest"]) == (True, 300)
    assert (lone["log"], lone["first"]) == ("a.csv", 1)


def test_equal_alerts_of_one_time_are_counted(tmp_path):
    logs = table(tmp_path, "a", [(5, "hall", 3)] * 2), table(tmp_path, "b", [(5, "hall", 3)])
    assert "fewer at 5s" in api.compare_logs(*logs).text


def test_without_any_time_between_them_alerts_must_have_the_same_time(tmp_path):
    logs = [table(tmp_path, name, [(5, "hall", 3), (t, "attic", 3)]) for name, t in (("a", 7), ("b", 8))]
    for within in ("0s", "0"):
        assert "1 alert in both logs, 1 only" in lars("compare", *logs, "--within", within).out


def test_evaluations_without_a_row_are_told(tmp_path):
    events, pushed, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    s, a = table(tmp_path, "s", events), table(tmp_path, "a", pushed)
    rows = pulls(events, lambda _: 20, range(10, events[-1][0], 10))
    gone = sorted({end for end, *_ in rows})[3:6]
    log = table(tmp_path, "b", [row for row in rows if row[0] not in gone])
    told = api.compare_logs(a, log, events=s, query=WITHIN, period="10s").text
    assert "at 3 of these evaluations, b.csv has no row: perhaps the system did not evaluate" in told
    # A row that is missing beside others has another cause, and then a missing evaluation has, too.
    several = next(
        end for end in sorted({end for end, *_ in rows} - {*gone}) if sum(r[0] == end for r in rows) > 1
    )
    row = next(row for row in rows if row[0] == several)
    log = table(tmp_path, "b", [other for other in rows if other[0] not in gone and other != row])
    told = api.compare_logs(a, log, events=s, query=WITHIN, period="10s").text
    assert "at 3 of these evaluations, b.csv has no row\n" in told


@pytest.mark.parametrize("first", [10, 40])
def test_a_system_may_evaluate_before_its_first_window_is_full_or_wait_until_it_is(tmp_path, first):
    """A window of 40 s that is pulled every 10 s: from 10 s on over what has come, or from 40 s on."""
    events = [(3 * n + n % 2, "hall", 30 + 7 * n % 13) for n in range(1, 60)]
    log = table(tmp_path, "a", pulls(events, lambda _: 40, range(first, events[-1][0], 10)))
    query = WITHIN.replace("20s", "40s")
    found = api.compare_logs(log, log, events=table(tmp_path, "s", events), query=query, period="10s")
    (right,) = [one for one in found.predictions[0] if one.name == "pull every 10s"]
    assert (right.correct, right.left_out, right.unexplained) == (True, 0, [])


def test_a_draft_has_the_columns_and_the_threshold():
    events, pushed, _ = simulated(random.Random(1), length=20, period=10, delay=0)
    frames = [pd.DataFrame(rows, columns=["time", "room", "value"]) for rows in (pushed, events)]
    draft = api.compare_logs(frames[0], frames[0], events=frames[1]).draft
    least = min(value for _, _, value in pushed)
    assert "?event ex:room ?room ; ex:value ?value" in draft
    assert f"FILTER (?value >= {least})" in draft
    assert "[RANGE 1s]" in draft


def test_a_draft_has_no_limit_where_no_number_parts_the_events(tmp_path):
    events = table(tmp_path, "s", [(1, "hall", 20), (2, "hall", 30), (3, "hall", 40)])
    log = table(tmp_path, "a", [(2, "hall", 30)])
    assert "FILTER" not in api.compare_logs(log, log, events=events).draft


def smoke(folder):
    """Write events with a temperature or a smoke level, and alerts of rooms that have been hot and smoky."""
    draw = random.Random(4)
    readings = [(6 * n, draw.choice("xyz"), draw.randrange(50), draw.randrange(9), n) for n in range(1, 99)]
    lines = [
        f"{t},{room},{heat},,{n}" if n % 2 else f"{t},{room},,{fog},{n}" for t, room, heat, fog, n in readings
    ]
    (folder / "s.csv").write_text("time,room,heat,fog,event\n" + "\n".join(lines) + "\n")
    rows = []
    for end in range(60, 580, 60):
        own = [one for one in readings if end - 60 < one[0] <= end]
        hot, smoky = (
            {r for _, r, h, _, n in own if n % 2 and h > 30},
            {r for _, r, _, f, n in own if n % 2 == 0 and f > 4},
        )
        rows += [f"{end},{room}" for room in sorted(hot & smoky)]
    (folder / "a.csv").write_text("time,room\n" + "\n".join(rows) + "\n")
    return folder / "a.csv", folder / "a.csv"


def with_hints(draft, *wanted):
    """Return a draft without the # of the hints that contain a wanted text, and their number."""
    hints = [line for line in draft.splitlines() if line.startswith("    # ?")]
    kept = [line for line in hints if any(text in line for text in wanted)]
    for line in kept:
        draft = draft.replace(line, line.replace("# ", "", 1))
    return draft, len(kept)


def test_the_hints_of_a_draft_run_alone_and_together(tmp_path):
    logs = smoke(tmp_path)
    draft = api.compare_logs(*logs, events=tmp_path / "s.csv").draft
    hints = [line for line in draft.splitlines() if line.startswith("    # ?")]
    assert len(hints) == 6
    for wanted in (*([hint] for hint in few(hints, 1)), hints):
        query, count = with_hints(draft, *wanted)
        assert count == len(wanted)
        assert api.compare_logs(*logs, events=tmp_path / "s.csv", query=query, period="1m").predictions[0]


def test_the_hints_of_a_draft_predict_alerts_of_two_events(tmp_path):
    logs = smoke(tmp_path)
    draft = api.compare_logs(*logs, events=tmp_path / "s.csv").draft
    query, count = with_hints(draft, "ex:room ?room ; ex:heat", "ex:room ?room ; ex:fog")
    for name, number in (("heat", 30), ("fog", 4)):
        query = re.sub(rf"(\?{name}\d?) > \d+\)", rf"\1 > {number})", query)
    query = re.sub(r"RANGE \w+", "RANGE 60s", query)
    best = api.compare_logs(*logs, events=tmp_path / "s.csv", query=query, period="1m").predictions[0][0]
    assert (count, best.correct, best.name, best.left_out) == (2, True, "pull every 1m", 0), query


def test_a_pull_with_other_windows_is_found_though_another_rule_is_nearer(tmp_path):
    """Windows of 60 s in place of 180 s: of the rows that pull predicts by the query, most are wrong."""
    draw = random.Random(5)
    events = [(23 * n, draw.choice("pqrst"), draw.randint(10, 40)) for n in range(1, 150)]
    rows = sorted({(t + -t % 60, room, value) for t, room, value in events if value > 35})
    log, query = table(tmp_path, "a", rows), WITHIN.replace("20s", "180s")
    found = api.compare_logs(log, log, events=table(tmp_path, "s", events), query=query)
    assert "pull every 1m, with windows of 1m in place of 3m" in [
        one.name for one in found.predictions[0] if one.correct
    ]


def test_a_draft_names_only_numbers_that_the_alerts_do_not_have(tmp_path):
    events = table(tmp_path, "s", [(1, "hall", 20), (2, "hall", 30)])
    log = table(tmp_path, "a", [(2, "hall", 30)])
    assert " # ?event" not in api.compare_logs(log, log, events=events).draft


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.csv").write_text("Time;room\n2026-05-04T08:00:02Z;hall\n2026-05-04T08:00:02Z;hall\n")
    (tmp_path / "b.csv").write_text("time\troom\n2026-05-04T08:00:02.5Z\thall\n")
    (tmp_path / "local.csv").write_text("time,room\n2026-05-04T08:00:02,hall\n")
    (tmp_path / "other.csv").write_text("time,floor\n2026-05-04T08:00:02Z,1\n")
    (tmp_path / "none.csv").write_text("time,room\n")
    (tmp_path / "events.csv").write_text("time,floor\n2026-05-04T08:00:02Z,1\n")
    return tmp_path


def test_semicolons_tabs_and_fractions_of_a_second_are_read(files):
    run = lars("compare", files / "a.csv", files / "b.csv")
    assert run.code == 1
    assert "1 alert in both logs, 1 only in a.csv, 0 only in b.csv" in run.out
    assert "delay of b.csv for alerts in both logs: +0.5s" in run.out
    assert lars("compare", files / "a.csv", files / "b.csv", "--within", "100ms").out.count("0 alerts in")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("a.csv", "local.csv"), "has no time zone, and 2026-05-04T08:00:02Z has a time zone"),
        (("a.csv", "other.csv"), "share no column"),
        (("a.csv", "missing.csv"), "no such file"),
        (("a.csv", "b.csv", "--query", "q.rq"), "--query requires --events"),
        (("a.csv", "b.csv", "q.rq"), "cannot compare this file with the logs of alerts "),
        (("a.csv", "b.csv", "--t0", "3"), "cannot combine --t0 with two logs of alerts"),
        (
            ("a.csv", "b.csv", "--events", "events.csv"),
            "cannot derive a query from the columns: alerts and events share no column",
        ),
        (("cqels", "csparql", "q.rq", "t.nq", "--within", "3s"), "logs of alerts: tables such as a.csv"),
    ],
)
def test_what_cannot_be_compared_is_said(files, names, said):
    run = lars("compare", *(files / name if name.endswith(".csv") else name for name in names))
    assert run.code == 2
    assert said in run.err


def test_times_are_shown_in_the_one_zone_of_the_logs(files):
    moved = files / "moved.csv"
    moved.write_text((files / "b.csv").read_text().replace("08:00:02.5Z", "10:00:02.5+02:00"))
    assert "10:00:02.5" in lars("compare", files / "none.csv", moved).out
    assert "08:00:02.5" in lars("compare", files / "a.csv", moved).out


def test_numbers_since_1970_are_times(tmp_path):
    begin = 1_767_225_600
    events = table(tmp_path, "s", [(begin + t, "hall", 40) for t in (1, 25, 61)])
    log = table(tmp_path, "a", [(begin + t, "hall", 40) for t in (20, 40)])
    run = lars("compare", log, log, "--events", events, "--period", "20s")
    assert "every alert predicted by pull every 20s (such as at 2026-01-01T00:00:20Z)" in run.out
    assert "--answers-unit 1ms" in lars("compare", log, log, "--answers-unit", "1000s").err


def test_all_alerts_are_a_table(files):
    lars("compare", files / "a.csv", files / "b.csv", "--out", files / "out", "--out-format", "csv")
    head, *rows = (files / "out" / "alerts.csv").read_text().splitlines()
    assert (head, len(rows)) == (
        "log,first,second,delay,elsewhere,nearest,room",
        2,
    )
    assert {row.split(",")[0] for row in rows} == {"a.csv", "both"}
    assert "2026-05-04T08:00:02.5Z" in rows[0] + rows[1]
    described = json.loads((files / "out" / "columns.json").read_text())["alerts.csv"]
    assert described["second"] == "str: time of the alert in the second log: a dateTime, or in seconds"


@pytest.mark.parametrize("zero", ["", "2026-05-04T08:00:0"])
def test_a_table_of_alerts_has_the_times_of_the_screen_and_names_the_log(tmp_path, zero):
    """A column of the logs may have the name of a column of the table."""
    for name, last in (("one", 9), ("two", 4)):
        rows = "".join(f"{zero}{t},{value},{value}\n" for t, value in ((3, "a"), (last, "b")))
        (tmp_path / f"{name}.csv").write_text(f"time,room,delay\n{rows}{zero}{last},{name},1\n")
    out = tmp_path / "out"
    lars("compare", tmp_path / "one.csv", tmp_path / "two.csv", "--out", out, "--out-format", "csv")
    rows = pd.read_csv(out / "alerts.csv", dtype=str).fillna("").to_dict("records")
    times = [(row["log"], row["first"], row["second"], row["delay"]) for row in rows]
    text = f"{zero}{{}}" if zero else "{}.0"
    assert sorted(times) == [
        ("both", text.format(3), text.format(3), "0.0"),
        ("both", text.format(9), text.format(4), "-5.0"),
        ("one.csv", text.format(9), "", ""),
        ("two.csv", "", text.format(4), ""),
    ]
    assert list(rows[0])[-2:] == ["?delay", "room"]


def test_an_alert_may_come_before_the_first_event(files):
    (files / "early.csv").write_text("time,floor\n2026-05-04T07:00:00Z,1\n2026-05-04T08:00:02Z,1\n")
    run = lars("compare", files / "early.csv", files / "other.csv", "--events", files / "events.csv")
    assert "early.csv: no tried rule predicts the log; the nearest rule is push, except for 1 of 2" in run.out
    assert "other.csv: every alert predicted by push" in run.out


def test_a_log_without_alerts_is_not_predicted_by_what_alerts(files):
    (files / "bare.csv").write_text("time,floor\n")
    run = lars("compare", files / "bare.csv", files / "other.csv", "--events", files / "events.csv")
    assert run.out.startswith("bare.csv contains no alert, and other.csv contains 1 alert")


def test_a_log_without_alerts_is_not_praised_if_none_are_predicted(tmp_path):
    """A query of one log whose limit no event reaches: nothing is due, and nothing came."""
    s = table(tmp_path, "s", [(1, "hall", 40), (25, "hall", 41)])
    a, b = table(tmp_path, "a", [(1, "hall", 40), (25, "hall", 41)]), table(tmp_path, "b", [])
    told = api.compare_logs(a, b, events=s, query=[WITHIN, WITHIN.replace("35", "99")]).text
    assert told.startswith(
        'a.csv follows the rule "evaluate at each event (push)" (query query.rq) throughout; b.csv has no '
        "alert, and a tried"
    )
    assert "b.csv: no alert in the log, and a tried rule predicts none" in told
    assert "b.csv: every alert" not in told


def test_alerts_of_one_evaluation_that_are_logged_one_by_one_are_one_report(tmp_path):
    events = table(tmp_path, "s", [(1, "hall", 40), (2, "attic", 41), (30, "hall", 10)])
    log = table(tmp_path, "a", [(10.2, "hall", 40), (10.7, "attic", 41)])
    found = api.compare_logs(log, log, events=events, period="10s")
    assert "pull every 10s" in [one.name for one in found.predictions[0] if one.correct]


def test_a_window_that_counts_triples_is_pushed_alone(tmp_path):
    events = table(tmp_path, "s", [(1, "hall", 40), (9, "attic", 41)])
    (tmp_path / "q.rq").write_text(
        "PREFIX ex: <http://example.org/>\n"
        "SELECT ?room { STREAM ex:s [TRIPLES 2] { ?e ex:room ?room ; ex:value ?value } }"
    )
    log = table(tmp_path, "a", [(1, "hall", 40), (9, "attic", 41)])
    asked = "compare", log, log, "--events", events, "--query", tmp_path / "q.rq"
    assert "a.csv: every alert predicted by push" in lars(*asked).out
    assert "--period requires a query with a window in time" in lars(*asked, "--period", "3s").err


def test_the_document_says_what_the_exit_code_says(files):
    asked = "compare", files / "b.csv", files / "moved.csv", "--json"
    (files / "moved.csv").write_text((files / "b.csv").read_text().replace("02.5Z", "03Z"))
    assert (lars(*asked).code, lars(*asked).json["same"]) == (1, False)
    assert (lars(*asked, "--no-times").code, lars(*asked, "--no-times").json["same"]) == (0, True)


def test_no_alert_at_all_is_no_agreement(files):
    empty = files / "none.csv"
    assert lars("compare", empty, empty).code == 0
    assert lars("compare", empty, empty, "--fail-on-empty").code == 3


def test_missed_alerts_are_those_whose_events_are_in_no_window(tmp_path):
    rng = random.Random(3)
    events = [(t, str(n), 30) for n, t in enumerate(sorted(rng.sample(range(1, 200), 60)))]
    paths = [table(tmp_path, name, rows) for name, rows in (("s", events), ("a", events), ("b", events[:1]))]
    asked = {"events": paths[0], "period": "7s,20s,50s", "window": "1s,7s,20s"}
    found = api.compare_logs(*paths[1:], **asked).missed
    assert len(found) == 9
    for lengths, count in found.items():
        u, w = (length.nanoseconds // 10**9 for length in lengths)
        seen = {e for k in range(400 // u) for e, _, _ in events if k * u - w < e <= k * u}
        assert count == len(events) - len(seen)
    pulled = "SELECT ?room FROM STREAM <e:s> [RANGE 7s STEP 20s] WHERE { ?e <http://e/room> ?room }"
    columns = {"t": "{time}", "s": "_:{row}", "http://e/room": "{room}"}
    solved = api.solve(pulled, paths[0], column=columns, bounds="low-open").text
    last = events[-1][0] // 20 * 20
    windows = {n for t, n, _ in events if t <= last and -t % 20 < 7}
    assert set(re.findall(r"\((\d+)\)", solved)) == windows


def test_alerts_of_an_aggregate_are_not_counted_by_window(tmp_path):
    """An average depends on several events, and a count of its alerts by one event was always 0."""
    s = table(tmp_path, "s", [(1, "hall", 20), (2, "hall", 40)])
    counted = (
        "SELECT ?room { STREAM <e:s> [RANGE 3s] { ?e <e:room> ?room } } GROUP BY ?room HAVING (COUNT(*) > 1)"
    )
    with pytest.raises(LarsError, match="the query has an aggregate, so that an alert depends on several"):
        api.compare_logs(s, s, events=s, query=counted, period="1s", window="3s")


def test_each_log_has_a_query_of_its_own(tmp_path):
    events, pushed, pulled = simulated(random.Random(2), length=10, period=20, delay=0)
    names = (("s", events), ("a", pushed), ("b", sorted(set(pulled))))
    s, a, b = (table(tmp_path, name, rows) for name, rows in names)
    where = "WHERE { STREAM ex:s [RANGE 10s] { ?e ex:room ?room ; ex:value ?value } FILTER (?value > %d) }"
    head = "PREFIX ex: <http://example.org/> SELECT DISTINCT ?room ?value "
    queries = [head + where % limit for limit in (35, 35)]
    both = api.compare_logs(a, b, events=s, query=queries)
    assert [one[0].correct for one in both.predictions] == [True, True]
    wrong = api.compare_logs(a, b, events=s, query=[queries[0], head + where % 20])
    assert [one[0].correct for one in wrong.predictions] == [True, False]
    for given, said in (({"query": queries * 2}, "found 4 queries"), ({"window": "1s"}, "window= requires")):
        with pytest.raises(api.LarsError, match=said):
            api.compare_logs(a, b, events=s, **given)


@pytest.mark.parametrize(
    ("mine", "yours", "pairs"),
    [
        ("host,cpu_pct,severity", "host,cpu", ["cpu_pct of a.jsonl and cpu of b.jsonl"]),
        ("host,cpu", "host,load", ["cpu of a.jsonl and load of b.jsonl"]),
        ("host,cpu,x", "host,load,y", []),
        ("host,cpu", "host,cpu", []),
    ],
)
def test_columns_that_may_mean_the_same_are_named(tmp_path, monkeypatch, mine, yours, pairs):
    monkeypatch.chdir(tmp_path)
    for name, columns in (("a", mine), ("b", yours)):
        row = {"time": 3, **dict.fromkeys(columns.split(","), 1)}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    found = [note for note in api.compare_logs("a.jsonl", "b.jsonl").notes if "may mean the same" in note]
    assert [note.split(" may mean")[0] for note in found] == [f"the columns {pair}" for pair in pairs]


def test_a_column_gets_the_name_of_the_variable(tmp_path):
    """One system calls its rooms places; the message about this names the option."""
    events, pushed, _ = simulated(random.Random(2), length=20, period=10, delay=0)
    a, s = table(tmp_path, "a", pushed), table(tmp_path, "s", events)
    other = tmp_path / "other.csv"
    other.write_text(a.read_text().replace("room", "place"))
    query = WITHIN.replace("DISTINCT ?room ?value", "DISTINCT ?room")
    with pytest.raises(
        LarsError, match=r"other.csv: no column .* use rename=\{\"place\": \"room\"\} if the column place"
    ):
        api.compare_logs(a, other, events=s, query=query)
    assert 'use rename={"place": "room"}' in " ".join(api.compare_logs(a, other).notes)
    found = api.compare_logs(a, other, events=s, query=WITHIN, rename={"place": "room"})
    assert found.same
    mine, yours = ({one.name for one in each if one.correct} for each in found.predictions)
    assert mine == yours != set()
    (tmp_path / "none.csv").write_text("when,place\n3,hall\n")
    with pytest.raises(
        LarsError, match=r"share no column: .*; use rename=\{\"COLUMN\": \"NAME\"\} to rename a column"
    ):
        api.compare_logs(a, tmp_path / "none.csv")


def test_columns_that_differ_only_in_case_count_as_one_column(tmp_path):
    events, pushed, _ = simulated(random.Random(2), length=20, period=10, delay=0)
    a, b, s = (table(tmp_path, *one) for one in (("a", pushed), ("b", pushed), ("s", events)))
    b.write_text(b.read_text().replace("room,value", "Room,VALUE"))
    for query in (None, WITHIN, WITHIN.replace("?room", "?ROOM")):
        found = api.compare_logs(a, b, events=s, query=query)
        assert found.same
        assert all(any(one.correct for one in tried) for tried in found.predictions)
        assert "differ only in upper and lower case, and count as one column" in " ".join(found.notes)
    assert api.compare_logs(a, b).same
    b.write_text("time,Room,ROOM\n1,hall,attic\n")
    with pytest.raises(LarsError, match="the logs share no column"):
        api.compare_logs(a, b)


def test_a_note_on_the_columns_comes_once_and_names_its_option(tmp_path):
    events, pushed, pulled = simulated(random.Random(2), length=20, period=10, delay=0)
    logs = table(tmp_path, "a", pushed), table(tmp_path, "b", pulled)
    found = api.compare_logs(*logs, events=table(tmp_path, "s", events), query=(WITHIN, WITHIN + " "))
    (note,) = [note for note in found.notes if "is guessed from the columns" in note]
    assert 'Correct it with column={"PREDICATE": "TEMPLATE"} if' in note


def test_numbers_of_no_event_may_be_an_aggregate(tmp_path):
    events, pushed, _ = simulated(random.Random(2), length=20, period=10, delay=0)
    s, a = table(tmp_path, "s", events), table(tmp_path, "a", pushed)
    means = table(tmp_path, "m", [(t, room, f"{value}.25") for t, room, value in pushed])
    (note,) = [note for note in api.compare_logs(means, means, events=s).notes if "aggregate" in note]
    assert note.startswith("most numbers in the column value of the alerts are in no event")
    assert not [note for note in api.compare_logs(a, a, events=s).notes if "aggregate" in note]


def test_a_period_at_which_alerts_would_be_repeated_is_not_tried(tmp_path):
    """Any alerts fit a period of one time point; an event every 30 s says whether one is repeated."""
    events = [(30 * n, "hall", 10 + 30 * (n % 2)) for n in range(1, 30)]
    pushed = [event for event in events if event[2] > 35]
    each = [(t, r, v) for t in range(1, 870) for at, r, v in events if t - 20 < at <= t and v > 35]
    logs = table(tmp_path, "a", pushed), table(tmp_path, "b", each)
    found = api.compare_logs(*logs, events=table(tmp_path, "s", events), query=WITHIN)
    names = [[one.name for one in tried] for tried in found.predictions]
    assert not [name for name in names[0] if name.endswith(" 1s")]
    assert "pull every 1s" in [one.name for one in found.predictions[1] if one.correct]
    asked = api.compare_logs(*logs, events=tmp_path / "s.csv", query=WITHIN, period="1s").predictions[0]
    assert "pull every 1s" in [one.name for one in asked]


def test_a_nested_log_is_refused_with_the_command_that_makes_it_flat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.jsonl").write_text('{"at": 3, "alert": {"host": "a", "cpu": 93}}\n')
    with pytest.raises(LarsError) as error:
        api.compare_logs("b.jsonl", "b.jsonl")
    said = str(error.value)
    assert said.startswith(
        "b.jsonl:1:20: alert: found a nested object; expected objects with values only, for example"
    )
    assert """jq -c '. + .["alert"] | del(.["alert"])' FILE""" in said


def test_the_terms_of_alerts_are_written_in_the_wanted_form(tmp_path):
    logs = table(tmp_path, "a", [(1, "hall", 3)]), table(tmp_path, "b", [(9, "attic", 4)])
    for form, expected in (("values", ["hall", "3"]), ("n-triples", ['"hall"', f'"3"^^<{XSD}integer>'])):
        out = tmp_path / form
        lars("compare", *logs, "--out", out, "--out-format", "csv", "--out-terms", form)
        (row, *_) = pd.read_csv(out / "alerts.csv", dtype=str).to_dict("records")
        assert [row["room"], row["value"]] == expected


def local_events(folder, monkeypatch):
    """Return the options for a log of alerts in ms since 1970, and a trace with dateTimes without a zone."""
    kind = f"<{XSD}dateTime>"
    rows = [(1, "hall"), (25, "attic"), (61, "hall")]
    begin = 1_777_852_800_000  # 2026-05-04T00:00:00Z
    moments = [f"2026-05-04T00:{t // 60:02}:{t % 60:02}" for t, _ in rows]
    triples = [f'<x:e{n}> <x:room> "{room}" <x:s>' for n, (_, room) in enumerate(rows)]
    events = [f'{triple} "{at}"^^{kind} .\n' for triple, at in zip(triples, moments, strict=True)]
    (folder / "s.nq").write_text("".join(events))
    (folder / "a.csv").write_text("time,room\n" + "".join(f"{begin + t * 1000},{room}\n" for t, room in rows))
    (folder / "q.rq").write_text("SELECT ?room { STREAM <x:s> [RANGE 20s] { ?e <x:room> ?room } }")
    monkeypatch.chdir(folder)
    return "a.csv", "a.csv", "--events", "s.nq", "--query", "q.rq", "--answers-unit", "1ms"


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_a_time_without_a_zone_means_the_same_in_every_zone(tmp_path, monkeypatch, zone):
    asked = local_events(tmp_path, monkeypatch)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert "a.csv: every alert predicted by push" in lars("compare", *asked).out
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(("late", "unit"), [(1_714_521_600_000_000, "1ms"), (10_000_000_000, "1s")])
def test_events_beyond_the_last_date_are_refused_with_the_unit_to_use(tmp_path, late, unit):
    events = table(tmp_path, "s", [(late + t, "hall", 40) for t in (1, 25)])
    log = table(tmp_path, "a", [(1_714_521_620, "hall", 40)])
    ran = lars("compare", log, log, "--events", events, "--period", "20s", "--trace-unit", unit)
    assert (ran.code, "beyond the year 2261; use --answers-unit 1ms and" in ran.err) == (2, True)


LATE = """time,arrived,room,value
1,1,kitchen,31
4,4,hall,35
5,11,cellar,33
9,10,attic,38
12,14,kitchen,32
14,15,hall,30
16,16,attic,31
21,21,hall,20
"""


@pytest.mark.parametrize(
    ("how", "late", "pulled"),
    [
        ({"wait": "6s"}, 6, {5: "145", 10: "9", 15: "2", 20: "6"}),
        ({}, 0, {5: "14", 10: "9", 15: "2", 20: "6"}),
        ({"wait": "6s", "lateness": "5s"}, 6, {5: "14", 10: "9", 15: "2", 20: "6"}),
    ],
)
def test_a_log_of_a_system_that_waits_or_drops_is_predicted_with_its_wait_and_lateness(
    tmp_path, how, late, pulled
):
    """Pull every 5 s, over 5 s: at 5 the cellar is missing without a wait."""
    rows = {1: "kitchen,31", 4: "hall,35", 5: "cellar,33", 9: "attic,38", 2: "kitchen,32", 6: "attic,31"}
    lines = [f"{end + late},{rows[int(n)]}" for end, own in pulled.items() for n in own]
    log, events = tmp_path / "a.csv", tmp_path / "s.csv"
    log.write_text("\n".join(["time,room,value", *lines, ""]))
    events.write_text(LATE)
    query = (
        "PREFIX ex: <http://example.org/>\n"
        "SELECT ?room ?value FROM STREAM ex:s [RANGE 5s STEP 5s] "
        "WHERE { ?e ex:room ?room ; ex:value ?value FILTER (?value > 30) }"
    )
    asked = {"events": events, "query": query, "arrival": "arrived", "period": "5s"}
    every = {"wait": "6s"}, {}, {"wait": "6s", "lateness": "5s"}
    found = [api.compare_logs(log, log, **asked, **other).predictions[0] for other in every]
    named = [{one.name for one in predictions if one.correct} for predictions in found]
    words = ["pull every 5s" + " with a wait of 6s" * ("wait" in other) for other in every]
    right = [word in names for word, names in zip(words, named, strict=True)]
    assert right == [other == how for other in every]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (("--wait", "2s"), "--wait requires --events FILE, the log of the events, and --arrival"),
        (("--lateness", "0"), "--lateness requires --events FILE"),
        (("--wait", "2s", "--events", "s.csv"), "--wait requires --arrival"),
    ],
)
def test_a_wait_without_events_or_arrivals_is_refused(tmp_path, monkeypatch, how, said):
    monkeypatch.chdir(tmp_path)
    for name in "as":
        table(tmp_path, name, [(3, "hall", 36)])
    ran = lars("compare", "a.csv", "a.csv", *how)
    assert (ran.code, said in ran.err) == (2, True), ran


def test_a_wait_of_no_time_requires_neither_events_nor_arrivals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(tmp_path, "a", [(3, "hall", 36)])
    assert [lars("compare", "a.csv", "a.csv", "--wait", wait).code for wait in ("0", "0s")] == [0, 0]


def by_a_clock(folder, events, name="b", change=lambda row: row):
    """Write the alerts of pulls every 10 s over 20 s; `change` returns another row, or None for no row."""
    ends = range(10, events[-1][0], 10)
    rows = sorted({(end, r, v) for end in ends for t, r, v in events if end - 20 < t <= end and v > 35})
    return table(folder, name, [new for new in map(change, rows) if new is not None])


def varied(seed=11):
    """Return events with two decimal places."""
    draw = random.Random(seed)
    return [
        (7200 + 7 * n, draw.choice(["hall", "attic", "cellar"]), draw.randrange(1000, 4000) / 100)
        for n in range(150)
    ]


def with_columns(path, head, tail):
    """Add columns to a table, with cells that differ in each line."""
    lines = path.read_text().splitlines()
    path.write_text("\n".join([f"{lines[0]},{head}", *(f"{x},{tail}{n}" for n, x in enumerate(lines[1:]))]))
    return path


def test_columns_that_the_query_does_not_have_are_not_compared(tmp_path):
    events = varied()
    s, paths = table(tmp_path, "s", events), [by_a_clock(tmp_path, events, name) for name in "ab"]
    logs = [with_columns(path, "id", path.stem) for path in paths]
    assert not api.compare_logs(*logs).same
    found = api.compare_logs(*logs, events=s, query=WITHIN, period="10s")
    assert found.same
    assert [note.split(": ", 1)[1] for note in found.notes if " id," in note] == [
        "not compared are the columns id, which the query does not have"
    ] * 2


def test_a_variable_without_a_column_is_not_compared(tmp_path):
    """The second system writes no rooms, and times in ms since 1970."""
    begin, events = 1_777_852_800, simulated(random.Random(11), length=20, period=10, delay=0)[0]
    s = table(tmp_path, "s", [(begin + t, r, v) for t, r, v in events])
    a = by_a_clock(tmp_path, events, "a", change=lambda row: (begin + row[0], *row[1:]))
    b = tmp_path / "b.csv"
    lines = [line.split(",") for line in a.read_text().splitlines()[1:]]
    b.write_text("at,value,sev\n" + "".join(f"{t}000,{v},high\n" for t, _, v in lines))
    found = api.compare_logs(a, b, events=s, query=WITHIN, period="10s")
    assert found.same
    assert "b.csv: no column has the name of the variable ?room of the query" in " ".join(found.notes)
    assert all(any(one.correct for one in tried) for tried in found.predictions)


def test_rounded_numbers_are_named_with_the_tolerance_that_is_enough(tmp_path):
    events = varied()
    s = table(tmp_path, "s", events)
    a = by_a_clock(tmp_path, events, "a")
    b = table(
        tmp_path, "b", [(t, r, round(float(v), 1)) for t, r, v in map(_cells, a.read_text().split()[1:])]
    )
    asked = {"events": s, "query": WITHIN, "period": "10s"}
    found = api.compare_logs(a, b, **asked)
    wanted = float(
        re.match(r"the numbers in the column value of b.csv are rounded: .*[ =]([0-9.]+),", found.text)[1]
    )
    enough = api.compare_logs(a, b, tolerance=wanted, **asked)
    assert len(enough.match.both) > 9 * sum(map(len, enough.match.only))
    assert not api.compare_logs(a, a, **asked).hints


def test_zeros_of_two_logs_at_different_times_have_no_relative_difference():
    """The pair (0, 0) was divided by 0, which ended the command with a traceback."""
    exact = "time,room,v\n10,hall,0\n20,hall,1.25\n30,hall,2.35\n40,hall,3.15\n"
    coarse = "time,room,v\n1110,hall,0\n1120,hall,1.3\n1130,hall,2.4\n1140,hall,3.2\n"
    assert list(map(len, api.compare_logs(exact, coarse, within="10s").match.only)) == [4, 4]


def _cells(line):
    return line.split(",")


def test_another_unit_is_named(tmp_path):
    events = varied()
    a = by_a_clock(tmp_path, events, "a")
    for number, (factor, summand) in enumerate([(1.8, 32), (1 / 1.8, -32 / 1.8), (1000, 0)]):
        change = lambda row, m=factor, k=summand: (*row[:2], round(m * row[2] + k, 1))  # noqa: E731
        (hint,) = api.compare_logs(a, by_a_clock(tmp_path, events, change=change)).hints
        assert ("°F in b.csv", "°F in a.csv", "1000 * the numbers")[number] in hint


def test_times_in_another_zone_are_named(tmp_path):
    events = varied()
    a = by_a_clock(tmp_path, events, "a")
    for hours, word in ((2, "2h later"), (-1, "1h earlier"), (0, None)):
        moved = by_a_clock(tmp_path, events, change=lambda row, h=hours: (row[0] + 3600 * h, *row[1:]))
        hints = api.compare_logs(a, moved).hints
        assert [word in hint for hint in hints] == [True] * bool(word)


def test_a_log_that_was_cut_follows_its_rule(tmp_path):
    events = varied()
    s, a = table(tmp_path, "s", events), by_a_clock(tmp_path, events, "a")
    times = sorted({int(line.split(",")[0]) for line in a.read_text().splitlines()[1:]})
    first, last = times[4], times[-5]
    cut = by_a_clock(tmp_path, events, change=lambda row: row if first <= row[0] <= last else None)
    found = api.compare_logs(a, cut, events=s, query=WITHIN, period="10s")
    assert f'b.csv follows the rule "evaluate every 10s" from {first} to {last}, but' in found.text
    assert "at 4 evaluations before and 4 evaluations after: the log was cut" in found.text
    assert ", 8 only in a.csv, 0 only in b.csv" in found.text
    assert "alerts in only one log" not in found.text
    assert not found.same
    # A row that is missing inside is a departure.
    torn = by_a_clock(
        tmp_path, events, change=lambda row: row if first <= row[0] <= last and row[0] != times[6] else None
    )
    told = api.compare_logs(a, torn, events=s, query=WITHIN, period="10s").text
    assert told.startswith('b.csv departs from the rule "evaluate every 10s (pull)"')


def test_an_alert_that_no_rule_predicts_is_shown_at_its_own_time(tmp_path):
    events = varied()
    s, a = table(tmp_path, "s", events), by_a_clock(tmp_path, events, "a")
    rows = [line.split(",") for line in a.read_text().splitlines()[1:]]
    t = int(rows[5][0])
    odd = table(tmp_path, "b", sorted([*rows, (t + 2, "cellar", 99)], key=lambda row: int(row[0])))
    told = api.compare_logs(a, odd, events=s, query=WITHIN, period="10s").text
    assert f"(cellar, 99) at {t + 2}" in told


@pytest.mark.parametrize(("before", "after"), few([(10, 20), (10, 10), (20, 10), (20, 20)], 2))
def test_few_alerts_name_no_period_that_joins_their_evaluations(tmp_path, before, after):
    """The alerts have no delay, so that a true period divides their distances."""
    false, asked = [], WITHIN.replace("20s", "40s")
    for seed in range(size(3, 4)):
        draw = random.Random(f"{before} {after} {seed}")
        events = [(7 * n, draw.choice(["hall", "attic"]), draw.choice([20, 30, 40])) for n in range(1, 31)]
        ends = [t for t in range(10, 210, 10) if t % (before if t < 100 else after) == 0]
        rows = pulls(events, lambda _: 40, ends)[:14]
        log = table(tmp_path, "a", rows)
        found = api.compare_logs(log, log, events=table(tmp_path, "s", events), query=asked)
        named = [(one.semantics, rows) for one in found.predictions[0] if one.fits]
        if (change := found.to_json()["changes"][0]) is not None:
            named = [(change["before"], [r for r in rows if r[0] <= change["last"]])]
            named.append((change["after"], [r for r in rows if r[0] >= change["start"]]))
        for name, part in named:
            if period := re.match(r"pull every (?:(\d+)m)?(?:(\d+)s)?", name):
                seconds = 60 * int(period[1] or 0) + int(period[2] or 0)
                if len({t % seconds for t, *_ in part}) > 1:
                    false.append((seed, name))
    assert not false


def each_minute(length):
    """Return 30 events, and the alerts of a pull each minute over windows of `length` seconds."""
    events = [(60 * n + 7, "hall" if n % 2 else "attic", 36 + n) for n in range(1, 31)]
    rows = {(end, r, v) for end in range(60, 1830, 60) for t, r, v in events if end - length < t <= end}
    return events, sorted(rows), WITHIN.replace("20s", f"{length}s")


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda rows: rows[:5] + rows[6:], r"420: b.csv lacks (attic, 42), as if alerts were lost or"),
        (lambda rows: [*rows[:5], (420, "loft", 9), *rows[5:]], "420: b.csv has (loft, 9) that the rule"),
        (
            lambda rows: [*rows[:5], (420, "loft", 9), *rows[6:]],
            "420: b.csv lacks (attic, 42) and has (loft,",
        ),
    ],
)
def test_the_first_line_names_the_rows_that_depart_from_the_rule(tmp_path, change, cause):
    events, rows, query = each_minute(60)
    a, b, s = (table(tmp_path, *one) for one in (("a", rows), ("b", change(rows)), ("s", events)))
    first, *_ = api.compare_logs(a, b, events=s, query=query, period="1m").text.splitlines()
    assert first.startswith(
        'b.csv departs from the rule "evaluate every 1m (pull)" at 1 of 29 evaluations with alerts, at '
        f"{cause}"
    )
    assert first.endswith("; a.csv follows this rule throughout")


def test_two_queries_are_told_apart(tmp_path):
    events, pushed, _ = simulated(random.Random(2), length=10, period=20, delay=0)
    s, a = table(tmp_path, "s", events), table(tmp_path, "a", pushed)
    fewer = [row for row in pushed if row[2] > 38]
    b = table(tmp_path, "b", fewer)
    for name, query in (("p", WITHIN), ("q", WITHIN.replace("35", "38").replace("20s", "30s"))):
        (tmp_path / f"{name}.rq").write_text(query.replace("DISTINCT ", ""))
    told = lars(
        "compare", a, b, "--events", s, "--query", tmp_path / "p.rq", "--query", tmp_path / "q.rq"
    ).out
    first, *_ = told.splitlines()
    follows = 'a.csv follows the rule "evaluate at each event (push)" (query p.rq)'
    assert first.startswith(f"each log follows its own query throughout: {follows}")
    assert '; b.csv follows the rule "evaluate at each event" (query q.rq)' in first
    ends = "the queries differ: [RANGE 20s], ?value > 35 in p.rq, and [RANGE 30s], ?value > 38 in q.rq"
    assert first.endswith(ends)


def test_a_long_table_tells_its_length_and_the_command_that_writes_all_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(tmp_path, "a", [(t, "hall", t) for t in range(30)])
    table(tmp_path, "b", [(t, "hall", t) for t in (0, 1, 2, 28, 29)])
    told = lars("compare", "a.csv", "b.csv", "--within", "0s", "--rename", "room=place").out
    assert "the table shows 20 of 25 alerts; the last alert is at 27s" in told
    (command,) = re.findall(r"to write all alerts to compared/alerts.csv, run: lars (.*)", told)
    assert lars(*command.split()).code == 1
    assert len((tmp_path / "compared/alerts.csv").read_text().splitlines()) == 31
    assert '.to_pandas("alerts")' in api.compare_logs("a.csv", "b.csv").text


def test_alerts_of_two_evaluations_of_one_clock_are_not_matched(tmp_path):
    """Each log lacks one of the two alerts of an event that two evaluations report."""
    events, rows, query = each_minute(120)
    one = rows[9]
    other = (one[0] + 60, *one[1:])
    logs = [
        table(tmp_path, name, [r for r in rows if r != lost]) for name, lost in (("a", one), ("b", other))
    ]
    s = table(tmp_path, "s", events)
    assert other in rows
    found = api.compare_logs(*logs, events=s, query=query, period="1m")
    lone = {(alert.first, alert.second) for part in found.match.only for alert in part}
    assert lone == {(None, one[0] * 1000), (other[0] * 1000, None)}
    assert "both systems evaluate at every 1m or more" in " ".join(found.notes)
    asked = api.compare_logs(*logs, events=s, query=query, period="1m", within="10min")
    assert not any(asked.match.only)


def test_a_query_without_an_answer_on_the_events_is_named(tmp_path):
    """A column of numbers and words has texts, which no number is compared with."""
    events, pushed, _ = simulated(random.Random(11), length=20, period=10, delay=0)
    mixed = [(t, room, value) for t, room, value in events] + [(events[-1][0] + 1, "hall", "open")]
    s, a, b = (table(tmp_path, *one) for one in (("s", mixed), ("a", pushed), ("b", pushed[:-3])))
    text = api.compare_logs(a, b, events=s, query=WITHIN, period="10s").text
    assert text.startswith("the query has no answer on these events, so no rule predicts an alert"), text
    text = api.compare_logs(a, b, events=table(tmp_path, "t", events), query=WITHIN, period="10s").text
    assert "has no answer on these events" not in text


def test_rules_at_events_are_not_tried_if_alerts_alone_have_a_clock_and_take_minutes(tmp_path, monkeypatch):
    events = varied()
    s, paths = table(tmp_path, "s", events), [by_a_clock(tmp_path, events, name) for name in "ab"]
    found = [api.compare_logs(*paths, events=s, query=WITHIN, period="10s")]
    monkeypatch.setattr(predicting, "_MOST_CONTENTS", 0)
    found.append(api.compare_logs(*paths, events=s, query=WITHIN, period="10s"))
    names = [{one.name for one in each.predictions[0]} for each in found]
    assert (any("push" in name for name in names[0]), any("push" in name for name in names[1])) == (1, 0)
    assert [str(each.predictions[0][0].name) for each in found] == ["pull every 10s"] * 2
    assert not found[1].warnings
    other = WITHIN.replace("?value > 35", "?value < 35")
    unknown = api.compare_logs(*paths, events=s, query=other, period="10s").warnings
    assert any("a.csv has the times of a clock, and its many events do not" in text for text in unknown)
    # A log of a system that evaluates at events has no clock of its own.
    pushed = table(tmp_path, "c", [(t, room, value) for t, room, value in events if value > 35])
    assert api.compare_logs(pushed, pushed, events=s, query=WITHIN).predictions[0][0].name == "push"


@pytest.mark.parametrize("seed", range(20))
def test_alerts_at_events_have_no_clock_of_their_own(seed):
    rng = random.Random(seed)
    dense = [1000.0 * t for t in range(rng.choice((3000, 30_000)))]
    minutes = dense[:: 60 * rng.randint(1, 5)]
    # A sensor that reports at full minutes causes alerts at full minutes.
    assert not predicting._has_own_clock(minutes, [*dense, *(minutes * 2)])
    assert predicting._has_own_clock(minutes, dense)
    sparse = sorted(rng.sample(dense, len(dense) // 5))
    assert predicting._has_own_clock(minutes, sparse)
    assert not predicting._has_own_clock(sorted(rng.sample(sparse, 50)), sparse)


def lacking_lines(rows, kept, folder, events=None):
    """Return the sentences about alerts that the second log lacks, for the rows of the first log."""
    logs = table(folder, "a", rows), table(folder, "b", kept)
    for pair, name in ((logs, "b.csv"), (logs[::-1], "b.csv")):
        text = api.compare_logs(*pair, **({} if events is None else {"events": events})).text
        yield [line for line in text.splitlines() if line.startswith(f"{name} lacks all")]


@pytest.mark.parametrize("seed", range(10))
def test_alerts_of_one_group_or_of_one_stretch_of_time_are_lost_together(tmp_path, seed):
    rng = random.Random(seed)
    rows = [(t, rng.choice("pqrs"), rng.randint(20, 24)) for t in range(60, 12_000, 60) if rng.random() < 0.6]
    of_group = [row for row in rows if row[1] == "q"]
    begin, end = 3000, 5000 + 600 * rng.randrange(3)
    gap = [row for row in rows if begin < row[0] < end]
    group = f"b.csv lacks all {len(of_group)} alerts with room q"
    late, late_too = ([row for row in rows if row[1] == room and row[0] > begin] for room in "qr")
    early, within = ([row for row in own if row[0] < end] for own in (of_group, late))
    rest = [row for row in gap if row[1] != "q"]
    texts = {
        tuple(of_group): [group],
        tuple(gap): [f"b.csv lacks all {len(gap)} alerts from {gap[0][0]}s to {gap[-1][0]}s"],
        (*of_group, *rest): [
            group,
            f"b.csv lacks all {len(rest)} other alerts from {rest[0][0]}s to {rest[-1][0]}s",
        ],
        # Of one group or of two groups, from a time on, up to a time, or in between.
        tuple(late): [f"b.csv lacks all {len(late)} alerts with room q from {late[0][0]}s on"],
        (*late, *late_too): [
            f"b.csv lacks all {len(own)} alerts with room {own[0][1]} from {own[0][0]}s on"
            for own in sorted((late, late_too))
        ],
        tuple(early): [f"b.csv lacks all {len(early)} alerts with room q up to {early[-1][0]}s"],
        tuple(within): [
            f"b.csv lacks all {len(within)} alerts with room q from {within[0][0]}s to {within[-1][0]}s"
        ],
        # Alerts that are lost here and there, also all three of a measured value.
        tuple(rng.sample(rows, len(rows) // 4)): [],
    }
    for lost, lines in texts.items():
        for found in lacking_lines(rows, [row for row in rows if row not in lost], tmp_path):
            assert found == lines


def test_a_few_lost_alerts_are_not_said_to_be_all(tmp_path):
    rows = [(60 * t, "pqrs"[t % 4], t) for t in range(1, 40)]
    two = [row for row in rows if row[1] != "q"] + [(5, "q", 1), (7, "q", 2)]
    kept = [row for row in two if row[1] != "q"]
    for found in lacking_lines(sorted(two), kept, tmp_path):
        assert found == []
    # At the end, a log was cut, which other sentences say.
    for found in lacking_lines(rows, rows[:20], tmp_path):
        assert found == []


def test_notes_name_the_long_steps_of_a_comparison_with_many_events(tmp_path, monkeypatch):
    events = varied()
    s, paths = table(tmp_path, "s", events), [by_a_clock(tmp_path, events, name) for name in "ab"]
    steps = [
        f"lars compares the alerts with aggregates of {len(events)} events",
        "lars compares a.csv with the answers of the query at the times of several rules",
        "lars compares b.csv with the answers of the query at the times of several rules",
    ]
    for most, notes in ((50_000, []), (len(events) - 1, steps)):
        monkeypatch.setattr(compared, "_MANY_EVENTS", most)
        found = api.compare_logs(*paths, events=s, period="10s").notes
        assert [note for note in found if note.startswith("lars compares")] == notes


@pytest.mark.parametrize(
    "query", ["", "SELECT ?room ?value { STREAM ex:events [RANGE 5s] { ?e ex:room ?room"]
)
@pytest.mark.parametrize("swapped", [False, True])
def test_no_rule_is_derived_from_a_log_without_alerts(tmp_path, swapped, query):
    """Two rules that each predict too many alerts seemed to be a change of the empty log."""
    events = table(tmp_path, "events", [(1, "hall", 19), (2, "attic", 31), (9, "hall", 34), (30, "hall", 20)])
    logs = [table(tmp_path, "empty", []), table(tmp_path, "full", [(2, "attic", 31), (9, "hall", 34)])]
    (tmp_path / "q.rq").write_text(
        f"PREFIX ex: <http://example.org/> {query} ; ex:value ?value }} FILTER (?value > 30) }}"
    )
    given = ("--events", events, *(("--query", tmp_path / "q.rq") if query else ()))
    found = lars("compare", *(reversed(logs) if swapped else logs), *given)
    assert found.out.startswith("empty.csv contains no alert, and full.csv contains 2 alerts")
    assert (found.code, "empty.csv follows" in found.out, "changed" in found.out) == (1, False, False)


def test_sentences_about_many_lost_alerts_with_values_of_their_own_take_seconds(tmp_path):
    for name, room in (("a.csv", "r"), ("b.csv", "q")):
        rows = "".join(f"5,{room}{number},{number}.5\n" for number in range(8000))
        (tmp_path / name).write_text(f"time,room,x\n{rows}")
    begin = time.process_time()
    assert api.compare_logs(tmp_path / "a.csv", tmp_path / "b.csv").text
    assert time.process_time() - begin < 45  # it took minutes


@pytest.mark.parametrize("factor", [1, 10**3, 10**6, 10**9])
def test_invalid_lines_are_skipped_in_logs_of_each_unit_of_times_since_1970(tmp_path, factor):
    rows = "".join(f"{(1714557600 + n) * factor},hall\n" for n in range(3))
    (tmp_path / "a.csv").write_text(f"time,room\n{rows}no time,hall\n{10**40},hall\n")
    (tmp_path / "b.csv").write_text(f"time,room\n{rows}")
    kept = tmp_path / "rejected.txt"
    result = api.compare_logs(tmp_path / "a.csv", tmp_path / "b.csv", on_error="skip", rejected=kept)
    assert len(result.match.both) == 3
    assert "no time,hall" in kept.read_text()


def test_a_group_that_begins_after_the_end_of_a_cut_log_is_not_lost(tmp_path):
    rows = sorted([*((t, "hall") for t in range(0, 200, 10)), *((t, "cellar") for t in range(151, 200, 10))])
    for name, last in (("a.csv", 200), ("b.csv", 100)):
        lines = (f"{t},{room}\n" for t, room in rows if t <= last)
        (tmp_path / name).write_text("time,room\n" + "".join(lines))
    result = api.compare_logs(tmp_path / "a.csv", tmp_path / "b.csv")
    assert "not listed: 14 alerts only in a.csv after 100s" in result.text
    assert "lacks all" not in result.text
    # The text, the JSON document, the page and the exit code count the same alerts.
    assert result.headline == "11 alerts in both logs, 14 only in a.csv, 0 only in b.csv"
    assert result.headline in result.text
    assert (result.same, result.to_json()["only"]) == (False, [14, 0])
    page = result.page()
    assert (page.verdict, page.answer, page.title) == (False, result.headline, "a.csv and b.csv")


def test_parentheses_in_a_value_are_shown(tmp_path):
    for name, rooms in (("a.csv", ("hall", "a (b)")), ("b.csv", ("hall",))):
        lines = (f"{t},{room}\n" for t in range(8) for room in rooms)
        (tmp_path / name).write_text("time,room\n" + "".join(lines))
    shown = api.compare_logs(tmp_path / "a.csv", tmp_path / "b.csv").text
    assert "b.csv lacks all 8 alerts with room a (b)\n" in shown


def test_many_numbers_in_another_unit_take_seconds_and_are_no_lost_groups(tmp_path):
    numbers = [(t, 20 + t % 97 / 10) for t in range(12_000)]
    for name, factor, summand in (("a.csv", 1.0, 0.0), ("b.csv", 1.8, 32.0)):
        lines = (f"{t},{factor * number + summand:.2f}\n" for t, number in numbers)
        (tmp_path / name).write_text("time,v\n" + "".join(lines))
    begin = time.process_time()
    shown = api.compare_logs(tmp_path / "a.csv", tmp_path / "b.csv").text
    assert time.process_time() - begin < 5
    assert "°F in b.csv" in shown
    assert "lacks all" not in shown


@pytest.mark.parametrize("begin", [0, 9000])
def test_a_silent_group_is_named_beside_another_cause(tmp_path, begin):
    """Sensor q is silent at all or from a time on, and another limit loses a third of all alerts."""
    rng, rows = random.Random(5), []
    for t in range(60, 24_000, 60):
        rows += [(t, room, round(rng.uniform(80, 86), 4)) for room in "pqrs" if rng.random() < 0.6]
    kept = [row for row in rows if row[2] > 82 and (row[1] != "q" or row[0] < begin)]
    last = max((row[0] for row in kept if row[1] == "q"), default=0)
    silent = [row for row in rows if row[1] == "q" and row[0] > last]
    when = f" from {silent[0][0]}s on" if begin else ""
    cut = lacking_lines(rows, kept, tmp_path)
    for found in cut:
        assert found == [f"b.csv lacks all {len(silent)} alerts with room q{when}"]
    text = api.compare_logs(table(tmp_path, "a", rows), table(tmp_path, "b", kept)).text
    assert f"b.csv also lacks {len(rows) - len(kept) - len(silent)} other alerts" in text


def test_measured_numbers_are_no_groups(tmp_path):
    """The values of a sensor that is silent are lost with it, and are no sensors."""
    rows = [(60 * t, "pqrs"[t % 4], 20.5 + t // 12 + t % 4 / 10) for t in range(1, 200)]
    kept = [row for row in rows if row[1] != "q"]
    for found in lacking_lines(rows, kept, tmp_path):
        assert found == [f"b.csv lacks all {len(rows) - len(kept)} alerts with room q"]


def test_a_log_may_follow_a_rule_apart_from_a_silent_group(tmp_path):
    """At most evaluations, one of several rooms is missing, so that the rule fails at most evaluations."""
    rooms = ("hall", "attic", "cellar")
    events = [(60 * t + n, room, 36 + (t + n) % 5) for t in range(40) for n, room in enumerate(rooms, 1)]
    rows = sorted((60 * (t // 60 + 1), room, value) for t, room, value in events)
    kept = [row for row in rows if row[1] != "hall"]
    s, a, b = (table(tmp_path, *one) for one in (("s", events), ("a", rows), ("b", kept)))
    lines = api.compare_logs(
        a, b, events=s, query=WITHIN.replace("20s", "60s"), period="1m"
    ).text.splitlines()
    rule = 'the rule "evaluate every 1m (pull)"'
    assert lines[0].startswith(f"b.csv follows {rule} apart from lost alerts with room hall; a.csv follows")
    assert lines[1] == f"b.csv lacks all {len(rows) - len(kept)} alerts with room hall"
    assert "comes close" not in "\n".join(lines)
    assert (
        "b.csv: every alert predicted by pull every 1m (such as at 60), apart from lost alerts with room hall"
        in lines
    )
    # Another lost row is another departure.
    table(tmp_path, "b", kept[1:])
    lines = api.compare_logs(
        a, b, events=s, query=WITHIN.replace("20s", "60s"), period="1m"
    ).text.splitlines()
    assert lines[0].startswith("no tried rule comes close to b.csv")


MEANS = """PREFIX ex: <http://example.org/>
SELECT ?room (AVG(?value) AS ?mean) WHERE {
  STREAM ex:s [RANGE 2m] { ?e ex:room ?room ; ex:value ?value }
} GROUP BY ?room HAVING (AVG(?value) > 80)"""
HOT = "time,room,value\n60,hall,90\n120,hall,70\n150,hall,100\n180,hall,86\n240,hall,60\n300,hall,50\n"


def means(shows, ends):
    """Return the alerts at `ends` over the events at times t for which `shows(t, end)` is true."""
    events = [line.split(",") for line in HOT.split()[1:]]
    text = "time,room,mean\n"
    for end in ends:
        values = [int(value) for t, _, value in events if shows(int(t), end)]
        if values and sum(values) > 80 * len(values):
            text += f"{end},hall,{sum(values) / len(values):.4f}\n"
    return text


def written(folder, **texts):
    """Write a CSV file for each text, and return their paths."""
    paths = [folder / f"{name}.csv" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return paths


def test_rules_that_differ_only_in_the_bounds_of_windows_have_different_names(tmp_path):
    old = means(lambda t, end: end - 120 < t <= end, range(180, 301, 60))
    new = means(lambda t, end: end - 120 <= t < end, range(120, 301, 60))
    first, second, events = written(tmp_path, first=old, second=new, s=HOT)
    result = api.compare_logs(first, second, events=events, query=MEANS)
    first, *lines = result.text.splitlines()
    assert first.startswith("each log follows a rule throughout, and the rules differ: ")
    apart = (
        "each window of first.csv contains the instant at its end (the evaluation), but not the instant at "
        "its start, and each window of second.csv contains the instant at its start, but not the instant at "
        "its end (the evaluation)"
    )
    assert f"the rules differ: {apart}" in first
    assert (
        'second.csv follows the rule "evaluate every 1m, with windows that do not contain their end' in first
    )
    assert "first.csv: every alert predicted by pull every 1m (such as at 180)" in lines
    assert (
        "second.csv: every alert predicted by pull every 1m, with high-open windows (such as at 120)" in lines
    )
    assert "the difference of the rules explains all 5 alerts in only one log" in lines
    mine, yours = (tried[0] for tried in result.to_json()["predictions"])
    assert (mine["semantics"], mine["bounds"]) == ("pull every 1m", "low-open")
    assert (yours["semantics"], yours["bounds"]) == ("pull every 1m, with high-open windows", "high-open")


def test_different_rules_have_different_names(tmp_path, monkeypatch):
    rules = {}
    judged = predicting.JudgedLogs._judged

    def spied(self, name, engine, run, slide, *answers, **part):
        one = judged(self, name, engine, run, slide, *answers, **part)
        query = repr(predicting._sliding(replace(run.query, source=""), slide))
        rules[id(one.judgement)] = one.judgement, (engine, query, run.wait)
        return one

    monkeypatch.setattr(predicting.JudgedLogs, "_judged", spied)
    shows = {
        "low-open": lambda t, end: end - 120 < t <= end,
        "high-open": lambda t, end: end - 120 <= t < end,
        "open": lambda t, end: end - 120 < t < end,
        "closed": lambda t, end: end - 120 <= t <= end,
        "long": lambda t, end: end - 180 < t <= end,
    }
    logs = [means(each, range(start, 301, 60)) for each in shows.values() for start in (60, 90, 180)]
    logs += [logs[0] + logs[0].split("\n", 1)[1], logs[0].replace("180,", "240,")]
    names = {}
    for old, new in itertools.pairwise(logs):
        files = written(tmp_path, old=old, new=new, s=HOT)
        sides = api.compare_logs(*files[:2], events=files[2], query=MEANS).predictions
        texts = {}
        for one in itertools.chain(*sides):
            if one.verdict is not None:
                _, rule = rules[id(one.judgement)]
                own = (*rule, one.bounds, one.once and not one.repeated)
                assert texts.setdefault(one.semantics, own) == own
                names[own] = one.semantics
    assert len(names) == len({*names.values()}) > 20
    assert {"high-open", "low-open", "closed"} <= {bounds for *_, bounds, _ in names}


@pytest.mark.parametrize(("again", "where"), [(0, "at the same time"), (1, "in the same evaluation")])
def test_a_log_that_repeats_alerts_follows_the_rule_and_repeats_them(tmp_path, again, where):
    events = "time,room,value\n10,hall,90\n20,attic,70\n90,hall,99\n130,attic,96\n190,hall,60\n"
    old = "time,room,value\n90,hall,99\n130,attic,96\n"
    new = f"time,room,value\n90,hall,99\n{90 + again},hall,99\n130,attic,96\n"
    first, second, events = written(tmp_path, first=old, second=new, s=events)
    result = api.compare_logs(first, second, events=events)
    lines = result.text.splitlines()
    assert "each row once" not in result.text
    assert "but repeats 1 alert" in lines[0]
    assert f"second.csv repeats 1 alert: the same row again {where}" in lines
    assert [tried[0].repeated for tried in result.predictions] == [0, 1]
    without_events = api.compare_logs(first, second).text
    assert ("second.csv repeats 1 alert: the same row again at the same time" in without_events) == (
        not again
    )


def test_rules_that_evaluate_at_different_times_of_a_period_are_told_apart(tmp_path):
    old, new = (means(lambda t, end: end - 120 < t <= end, range(start, 301, 60)) for start in (60, 90))
    first, second, events = written(tmp_path, first=old, second=new, s=HOT)
    text = api.compare_logs(first, second, events=events, query=MEANS, period="1m").text
    differ = "first.csv has evaluations (such as at 60) and second.csv has evaluations (such as at 90)"
    assert f"the rules differ: {differ}" in text.splitlines()[0]


def alerts_beyond(events, limit, lost):
    """Return the alerts of values above a limit, without those for which `lost` is true."""
    return [row for row in events if row[2] > limit and not lost(*row[:2])]


LOST = {
    "a room": ("hall", 0, inf),
    "a room from a time on": ("hall", 700, inf),
    "a room up to a time": ("hall", 0, 900),
    "all for some time": (None, 500, 1000),
}


@pytest.mark.parametrize(("lost", "how"), few(product(LOST, [(20, 0), (24, 1), (17, 2)]), 5))
def test_a_rule_is_found_apart_from_alerts_that_are_lost_together(tmp_path, lost, how):
    """System B has the limit of the query or another one, and a room or the system is silent."""
    limit, seed = how
    rng = random.Random(seed)
    rooms = ["hall", "attic", "loft", "den"]
    events = [(7 * n, rng.choice(rooms), rng.randint(10, 50)) for n in range(1, 240)]
    limit = 20 if "up to" in lost else limit  # of a group, only a loss that lasts is told from a limit
    silent, begin, end = LOST[lost]
    kept = alerts_beyond(events, limit, lambda t, room: begin <= t < end and silent in {None, room})
    s, a, b = (
        table(tmp_path, *one)
        for one in (("s", events), ("a", alerts_beyond(events, 20, lambda *_: False)), ("b", kept))
    )
    found = api.compare_logs(a, b, events=s, query=WITHIN.replace("DISTINCT ", "").replace("35", "20"))
    first, *lines = found.text.splitlines()
    assert found.aparts[0] == ()
    (_, apart) = found.to_json()["apart"]
    tried = re.match(
        r"push(?:, with a limit such as \?value > (\S+) in place of \?value > 20)?", apart["semantics"]
    )
    number = float(tried[1] or 20)
    gone = [row for row in alerts_beyond(events, number, lambda *_: False) if row not in kept]
    where = f" with room {silent}" if silent else ""
    times = [t for t, *_ in gone]
    when = {
        "a room": "",
        "a room from a time on": f" from {times[0]} on",
        "a room up to a time": f" up to {times[-1]}",
        "all for some time": f" from {times[0]} to {times[-1]}",
    }
    assert apart["but"] == f"apart from lost alerts{where}{when[lost]}"
    # Each predicted alert that the log lacks is one of the room, or in the time, of which it has no alert.
    of_room = [row for row in events if silent in {None, row[1]}]
    assert {*gone} <= {*of_room}
    assert not [row for row in of_room if row in kept and times[0] <= row[0] <= times[-1]]
    assert alerts_beyond(events, number, lambda *row: row in [one[:2] for one in gone]) == kept
    assert first.startswith('b.csv follows the rule "evaluate at each event (push)')
    assert f"{apart['but']}; a.csv follows " in first
    assert [line for line in lines if line.startswith("b.csv: every alert predicted by push")]
    assert "comes close" not in found.text


@pytest.mark.parametrize(
    ("lost", "late", "turned"), few(product([None, "hall"], [95, 7200, -95], [False, True]), 5)
)
def test_a_rule_is_found_with_corrected_times(tmp_path, late, lost, turned):
    """The clock of system B is wrong, and perhaps a room is silent; the rule of both is the query."""
    rng = random.Random(late)
    rooms = ["hall", "attic", "loft"]
    events = [(9000 + 40 * n, rng.choice(rooms), rng.randint(10, 50)) for n in range(1, 90)]
    rows = alerts_beyond(events, 20, lambda *_: False)
    moved = [(t + late, room, value) for t, room, value in rows if room != lost]
    s, a, b = (table(tmp_path, *one) for one in (("s", events), ("a", rows), ("b", moved)))
    logs = (b, a) if turned else (a, b)
    query = WITHIN.replace("DISTINCT ", "").replace("35", "20")
    found = api.compare_logs(*logs, events=s, query=query)
    words = f"{abs(late)}s {'earlier' if late > 0 else 'later'}"
    but = f"if its times are {words}" + (", apart from lost alerts with room hall" if lost else "")
    assert found.to_json()["apart"][not turned] == {"semantics": "push", "but": but}
    told = f'b.csv follows the rule "evaluate at each event (push)" {but}; a.csv follows this rule throughout'
    assert told in found.text.splitlines()
    assert "comes close" not in found.text
    assert "not compared" not in found.text


def test_a_rule_of_few_alerts_is_not_tried_with_corrected_times():
    pairs = [(60.0 * n, ROWS[0]) for n in range(10)]
    mine, yours = (Recording(("x",), tuple(Report(t + d, (row,)) for t, row in pairs)) for d in (0.0, 9.0))
    assert match_logs(mine, yours, 1e-9).shift == 0.0


@pytest.mark.parametrize(("since", "when"), [(0, ""), (2000, " from {}s on")])
def test_a_silent_group_may_be_named_by_a_column_of_the_events(tmp_path, since, when):
    """System B lacks one line of one machine; the alerts have the machine, and no line."""
    rng = random.Random(since)
    names = [(f"m{m}", f"L{line}") for m in range(3) for line in range(3)]
    events = [(7 * n, *rng.choice(names), rng.randint(10, 50)) for n in range(1, 500)]
    head, rows = "time,machine,line,value\n", [",".join(map(str, event)) for event in events]
    (tmp_path / "s.csv").write_text(head + "\n".join(rows) + "\n")
    every = [(t, machine, value, line) for t, machine, line, value in events if value > 20]
    lost = [row for row in every if (row[1], row[3]) == ("m1", "L2") and row[0] >= since]
    logs = [
        table(tmp_path, name, [row[:3] for row in rows])
        for name, rows in (("a", every), ("b", [row for row in every if row not in lost]))
    ]
    for path in logs:
        path.write_text(path.read_text().replace("room", "machine"))
    told = (
        f"b.csv lacks all {len(lost)} alerts with machine m1 and the event's line L2{when.format(lost[0][0])}"
    )
    assert told in api.compare_logs(*logs, events=tmp_path / "s.csv").text.splitlines()
