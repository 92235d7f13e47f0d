"""The draft of a query with an aggregate, for alerts that plain Python computes from simulated events."""

import random
import re
import sqlite3
from collections import Counter
from fractions import Fraction

import pytest

from agreement import api
from agreement.comparing.aggregates import _roundest
from lars.errors import LarsError
from tests.sizes import few

FUNCTIONS = {
    "AVG": lambda values: sum(values) / len(values),
    "MAX": max,
    "MIN": min,
    "SUM": sum,
    "COUNT": lambda values: Fraction(len(values)),
}
HOUR = 1500


def simulated(rng, groups=4):
    """Return events (second, group, number with one decimal place), ascending and rarely at one time."""
    level = dict.fromkeys((f"p{n}" for n in range(groups)), Fraction(60))
    events = []
    for t in range(7, HOUR, 3):
        for group in level:
            if rng.random() < 0.12:
                level[group] += Fraction(rng.randrange(-30, 31), 10) + (60 - level[group]) / 15
                level[group] = Fraction(round(level[group] * 10), 10)
                events.append((t, group, level[group]))
    return events


def values(events, function, length, times):
    """Return the aggregate over (t - length, t] for each time and each group with an event there."""
    found = {}
    for t in times:
        for group in {group for _, group, _ in events}:
            own = [v for s, g, v in events if g == group and t - length < s <= t]
            if own:
                found[t, group] = FUNCTIONS[function](own)
    return found


def rounded(number, places):
    """Return a number as systems write it: half up, with this number of decimal places."""
    scaled = (number * 10**places + Fraction(1, 2)).__floor__()
    return f"{scaled / 10**places:.{places}f}"


def written(path, rows, *columns):
    def stamp(t):
        return f"2026-05-04T{8 + t // 3600:02}:{t // 60 % 60:02}:{t % 60:02}Z"

    lines = ["time," + ",".join(columns), *(",".join((stamp(t), *map(str, row))) for t, *row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def events_of(folder, events):
    """Write the events."""
    return written(folder / "s.csv", [(t, g, float(v)) for t, g, v in events], "pump", "bar")


def alerts(events, function, length, times, places):
    """Return the limit, a quarter below the greatest value, and the alerts beyond it."""
    known = values(events, function, length, times)
    limit = sorted(known.values())[3 * len(known) // 5]
    rows = [(t, g, rounded(v, places)) for (t, g), v in sorted(known.items()) if v > limit]
    return limit, rows


CASES = [
    ("AVG", 120, "push", True),
    ("AVG", 240, "pull", True),
    ("AVG", 180, "own", True),
    ("MAX", 240, "pull", True),
    ("MIN", 180, "own", True),
    ("SUM", 120, "push", True),
    ("COUNT", 240, "pull", True),
    ("AVG", 180, "push", False),
    ("MAX", 120, "pull", False),
]


@pytest.mark.parametrize(("function", "length", "kind", "has_values"), few(CASES, 6))
def test_the_draft_is_the_rule_of_the_alerts(tmp_path, function, length, kind, has_values):
    """The first log follows the rule; the second lacks two alerts, which the first line names."""
    events = simulated(random.Random(len(function) * length))
    times = range(60, HOUR, 60) if kind == "pull" else sorted({t for t, _, _ in events})
    limit, rows = alerts(events, function, length, times, 3)
    came = {(t, g) for t, g, _ in events}
    if kind == "own":
        rows = [row for row in rows if row[:2] in came]
    columns = ("pump", "level") if has_values else ("pump",)
    kept = [row[: 1 + len(columns)] for row in rows]
    lost = len(kept) // 3, 2 * len(kept) // 3
    a = written(tmp_path / "a.csv", kept, *columns)
    b = written(tmp_path / "b.csv", [row for n, row in enumerate(kept) if n not in lost], *columns)
    s = events_of(tmp_path, events)
    found = api.compare_logs(a, b, events=s)
    draft = found.to_json()["query"]
    value = "COUNT(?event)" if function == "COUNT" else f"{function}(?bar)"
    assert f"[RANGE {length // 60}m]" in draft
    assert ("[NOW]" in draft) == (kind == "own")
    assert (f"({value} AS ?level)" in draft) == has_values
    number = Fraction(re.search(rf"HAVING \({re.escape(value)} > ([\d.]+)\)", draft)[1])
    known = values(events, function, length, times)
    span = rows[0][0], rows[-1][0]
    seen = [v for (t, g), v in known.items() if span[0] <= t <= span[1] and (kind != "own" or (t, g) in came)]
    assert max(v for v in seen if v <= limit) <= number < min(v for v in seen if v > limit)
    assert found.predictions[0][0].correct
    assert found.text.startswith("b.csv departs from the rule")
    assert "b.csv lacks 2 rows" in found.text or "b.csv lacks (" in found.text.splitlines()[0]


@pytest.mark.parametrize("seed", few(range(2), 1))
def test_alerts_without_a_rule_have_no_aggregate(tmp_path, seed):
    """Alerts at random times about random pumps, with and without random numbers."""
    rng = random.Random(seed)
    events = simulated(rng)
    s = events_of(tmp_path, events)
    times = sorted(rng.sample(sorted({t for t, _, _ in events}), 120))
    rows = [(t, rng.choice(events)[1], f"{rng.uniform(50, 70):.2f}") for t in times]
    for columns in (("pump", "level"), ("pump",)):
        a = written(tmp_path / "a.csv", [row[: 1 + len(columns)] for row in rows], *columns)
        assert "HAVING" not in api.compare_logs(a, a, events=s).to_json()["query"]


def test_logs_with_other_quantities_have_a_query_each(tmp_path):
    events = simulated(random.Random(4))
    logs = [alerts(events, function, 240, range(60, HOUR, 60), 2)[1] for function in ("MAX", "AVG")]
    a, b = (written(tmp_path / f"{n}.csv", own, "pump", "level") for n, own in zip("ab", logs, strict=True))
    s = events_of(tmp_path, events)
    found = api.compare_logs(a, b, events=s)
    assert all(tried[0].correct for tried in found.predictions)
    assert found.text.splitlines()[0].startswith(
        "the numbers in the column level are the maximum of bar in the last 4m in a.csv, and the mean of bar "
        "in the last 4m in b.csv"
    )
    assert "(query for b.csv)" in found.text
    assert "MAX(?bar) AS" in found.to_json()["query"]
    assert "AVG(?bar) AS" in found.to_json()["query"]


def test_each_log_without_numbers_may_depend_on_another_quantity(tmp_path):
    events = simulated(random.Random(4))
    logs = [alerts(events, function, 240, range(60, HOUR, 60), 2)[1] for function in ("MAX", "COUNT")]
    a, b = (
        written(tmp_path / f"{n}.csv", [r[:2] for r in own], "pump")
        for n, own in zip("ab", logs, strict=True)
    )
    s = events_of(tmp_path, events)
    found = api.compare_logs(a, b, events=s)
    assert found.text.startswith(
        "alerts depend on the maximum of bar in the last 4m in a.csv, and the number of events in the last "
        "4m in b.csv; "
    )
    assert all(tried[0].correct for tried in found.predictions)


@pytest.mark.parametrize("kind", ["push", "own"])
def test_only_events_with_one_text_may_count(tmp_path, kind):
    """The count of denied badges at a door: other events neither count nor evaluate, in the second case."""
    rng = random.Random(12)
    whole = [(t, g, rng.choice(["denied", "open", "left"])) for t, g, _ in simulated(rng, groups=6)]
    counted = [(t, g, Fraction(1)) for t, g, result in whole if result == "denied"]
    limit, rows = alerts(counted, "COUNT", 300, sorted({t for t, _, _ in whole}), 0)
    if kind == "own":
        rows = [row for row in rows if any(row[:2] == event[:2] for event in counted)]
    a = written(tmp_path / "a.csv", rows, "door", "number")
    s = written(tmp_path / "s.csv", whole, "door", "result")
    found = api.compare_logs(a, a, events=s)
    draft = found.to_json()["query"]
    assert draft.count('ex:result "denied"') == (2 if kind == "own" else 1)
    assert f"HAVING (COUNT(?event) > {limit})" in draft
    assert found.predictions[0][0].correct


def test_one_rule_with_another_limit_is_named_before_two_rules(tmp_path):
    """Windows of another length explain the first alerts, which must not hide that a limit explains all."""
    events = simulated(random.Random(6))
    times = range(60, HOUR, 60)
    limit, rows = alerts(events, "MAX", 240, times, 1)
    higher = [row for row in rows if float(row[2]) > float(limit) + 0.4]
    assert 10 < len(higher) < len(rows)
    a, b = (written(tmp_path / f"{n}.csv", own, "pump", "top") for n, own in (("a", rows), ("b", higher)))
    s = events_of(tmp_path, events)
    found = api.compare_logs(a, b, events=s)
    assert "changed between" not in found.text
    assert found.predictions[1][0].fits
    assert ", with a limit such as MAX(?bar) > " in found.text.splitlines()[0]


def test_few_alerts_follow_the_rule_of_the_other_log_but_for_one_change(tmp_path):
    """Many rules predict three alerts; the pull period of the other log is the likely one, on both sides."""
    events = simulated(random.Random(2))
    times = range(60, HOUR, 60)
    shorter, longer = (values(events, "SUM", length, times) for length in (240, 300))
    limit = sorted(shorter.values())[-4]
    few, rows = (
        [(t, g, rounded(v, 1)) for (t, g), v in sorted(known.items()) if v > limit]
        for known in (shorter, longer)
    )
    assert len(few) == 3 < len(rows) / 4
    a, b = (written(tmp_path / f"{n}.csv", own, "pump", "sum") for n, own in (("a", rows), ("b", few)))
    s = events_of(tmp_path, events)
    for pair in ((a, b), (b, a)):
        first = api.compare_logs(*pair, events=s).text.splitlines()[0]
        assert re.search(
            r'b.csv follows the rule "evaluate every 1m( \(pull\))?, with windows of 4m in', first
        )


def test_a_change_that_explains_every_alert_comes_first_though_the_old_rule_explains_few(tmp_path):
    """Windows of 2m from a third of the time on; 2m rows before that time are no cut of the log."""
    events = simulated(random.Random(2))
    known = [values(events, "AVG", length, range(30, HOUR, 30)) for length in (180, 120)]
    limit = sorted(known[0].values())[len(known[0]) // 2]
    old, new = ([(t, g, rounded(v, 2)) for (t, g), v in sorted(own.items()) if v > limit] for own in known)
    rows = [row for row in old if row[0] < HOUR // 3] + [row for row in new if row[0] >= HOUR // 3]
    a, b = (written(tmp_path / f"{n}.csv", own, "pump", "mean") for n, own in (("a", old), ("b", rows)))
    s = events_of(tmp_path, events)
    text = api.compare_logs(a, b, events=s).text
    assert text.startswith("b.csv changed between ")
    assert "with windows of 2m in place of 3m" in text.splitlines()[0]
    assert "the log was cut" not in text


def test_one_group_with_few_silent_evaluations_has_a_limit(tmp_path):
    """A clock names the evaluations without an alert, though no other group has an alert then."""
    events = [event for event in simulated(random.Random(3), groups=1) if event[0] < 900]
    _, rows = alerts(events, "AVG", 300, range(60, 900, 60), 2)
    a = written(tmp_path / "a.csv", rows, "pump", "mean")
    s = events_of(tmp_path, events)
    found = api.compare_logs(a, a, events=s)
    assert "HAVING (AVG(?bar) > " in found.to_json()["query"]
    assert found.predictions[0][0].correct


def test_a_column_is_renamed_to_the_name_that_the_events_have(tmp_path):
    events = simulated(random.Random(3))
    _, rows = alerts(events, "MAX", 120, range(60, HOUR, 60), 1)
    s = events_of(tmp_path, events)
    a, b = (
        written(tmp_path / "a.csv", rows, "engine", "top"),
        written(tmp_path / "b.csv", rows, "pump", "top"),
    )
    for pair in ((a, b), (b, a)):
        assert any('rename={"engine": "pump"}' in note for note in api.compare_logs(*pair, events=s).notes)
    found = api.compare_logs(a, b, events=s, rename={"engine": "pump"})
    assert found.same
    assert found.predictions[1][0].correct


@pytest.mark.parametrize("seconds", [-420, 95, 3600])
def test_a_wrong_clock_is_named_with_its_error(tmp_path, seconds):
    events = simulated(random.Random(9))
    _, rows = alerts(events, "MAX", 300, range(60, HOUR, 60), 2)
    late = [(t + 3600, *row) for t, *row in rows]
    a = written(tmp_path / "a.csv", late, "pump", "top")
    moved = [(t + seconds, *row) for t, *row in late]
    text = api.compare_logs(a, written(tmp_path / "b.csv", moved, "pump", "top"), within="30s").text
    length, later = {-420: ("7m", "earlier"), 95: ("95s", "later"), 3600: ("1h", "later")}[seconds]
    assert text.startswith(
        f"the times of b.csv are {length} {later} than those of a.csv at {len(rows)} alerts"
    )
    # Without the limit of --within, the alerts are matched by the corrected times.
    found = api.compare_logs(a, tmp_path / "b.csv")
    assert {alert.delay for alert in found.match.alerts} == {seconds * 1000}
    assert found.text.startswith(text.splitlines()[0])
    assert re.search(r"\ndelay of b.csv for alerts in both logs: [-+]\d+s$", found.text)
    fewer = written(tmp_path / "c.csv", late[1:], "pump", "top")
    assert "the times of" not in api.compare_logs(a, fewer, within="30s").text


def test_alerts_that_all_come_late_match_within_the_allowed_time(tmp_path):
    """All but two come 95 s late; the greatest allowed difference counts for the written times."""
    late = {3: 80, 4: 89, 5: 101, 6: -10}
    rows = [(300 * n, f"p{n}") for n in range(1, 101)]
    a = written(tmp_path / "a.csv", rows, "pump")
    b = written(tmp_path / "b.csv", [(t + late.get(t // 300, 95), g) for t, g in rows], "pump")
    found = api.compare_logs(a, b, within="100s")
    delays = Counter(alert.delay / 1000 for alert in found.match.both)
    assert delays == {95: 96, 80: 1, 89: 1, -10: 1}


def test_rows_that_hold_for_long_show_no_wrong_clock(tmp_path):
    """Rows that are repeated each minute for half an hour are nearly all one minute apart."""
    rows = [(3600 * hour + 60 * n, "p1") for hour in range(1, 4) for n in range(30)]
    a = written(tmp_path / "a.csv", rows, "pump")
    b = written(tmp_path / "b.csv", [(t + 60, g) for t, g in rows], "pump")
    assert "the times of" not in api.compare_logs(a, b, within="30s").text


def test_alerts_before_the_first_one_of_a_higher_limit_are_counted(tmp_path):
    """A log of another limit is silent at first: it was not cut, and what it lacks counts."""
    events = [(t, g, v + Fraction(t, 60)) for t, g, v in simulated(random.Random(6))]
    known = values(events, "MAX", 240, range(60, HOUR, 60))
    a_rows, b_rows = (
        [(t, g, rounded(v, 1)) for (t, g), v in sorted(known.items()) if v > limit] for limit in (70, 80)
    )
    a, b = (written(tmp_path / f"{n}.csv", own, "pump", "top") for n, own in (("a", a_rows), ("b", b_rows)))
    s = events_of(tmp_path, events)
    text = api.compare_logs(a, b, events=s, within="0s").text
    assert (
        f"{len(b_rows)} alerts in both logs, {len(a_rows) - len(b_rows)} only in a.csv, 0 only in b.csv"
        in text
    )
    assert "not compared" not in text


def test_arrivals_evaluate_a_window_now_and_no_clock(tmp_path):
    """Two alerts 11 s apart were predicted by a pull every 10s, as if each window were [NOW] once."""
    s = written(tmp_path / "s.csv", [(1, "north"), (12, "north")], "door")
    query = (
        "PREFIX ex: <http://example.org/> SELECT ?door WHERE { STREAM ex:s [NOW] { ?e ex:door ?door }"
        " STREAM ex:s [RANGE 5m] { ?o ex:door ?door } }"
    )
    found = api.compare_logs(s, s, events=s, query=query)
    assert not [one.name for one in found.predictions[0] if "every" in one.name and one.correct]
    with pytest.raises(LarsError, match=r"no \[NOW\]"):
        api.compare_logs(s, s, events=s, query=query, period="10s")


def test_a_group_may_be_a_number_and_the_value_may_have_the_name_of_its_column(tmp_path):
    rng = random.Random(5)
    events = [(t, int(g[1:]), v) for t, g, v in simulated(rng)]
    _, rows = alerts(events, "AVG", 120, range(60, HOUR, 60), 2)
    a = written(tmp_path / "a.csv", rows, "pump", "bar")
    s = events_of(tmp_path, events)
    found = api.compare_logs(a, a, events=s)
    assert "SELECT ?pump (AVG(?bar2) AS ?bar) WHERE {" in found.to_json()["query"]
    assert found.predictions[0][0].correct


def test_rounded_numbers_of_an_own_query_count_as_equal_and_a_note_says_it(tmp_path):
    events = simulated(random.Random(8))
    limit, rows = alerts(events, "AVG", 120, range(60, HOUR, 60), 1)
    a = written(tmp_path / "a.csv", rows, "pump", "mean")
    wrong = [(t, g, f"{float(v) + 0.2:.1f}") for t, g, v in rows]
    b = written(tmp_path / "b.csv", wrong, "pump", "mean")
    s = events_of(tmp_path, events)
    query = (
        "PREFIX ex: <http://example.org/> SELECT ?pump (AVG(?bar) AS ?mean) WHERE { STREAM ex:s [RANGE 2m]"
        f" {{ ?e ex:pump ?pump ; ex:bar ?bar }} }} GROUP BY ?pump HAVING (AVG(?bar) > {float(limit)})"
    )
    found = api.compare_logs(a, b, events=s, query=query)
    assert any(one.fits for one in found.predictions[0])
    assert not any(one.fits for one in found.predictions[1])
    notes = [note for note in found.notes if "decimal place" in note]
    assert ["Use tolerance=NUMBER, a relative difference" in note for note in notes] == [True, True]
    exact = api.compare_logs(a, b, events=s, query=query, tolerance=1e-6)
    assert not any(one.fits for one in exact.predictions[0])
    assert not [note for note in exact.notes if "decimal place" in note]


@pytest.mark.parametrize("numbers", few([(30.5, 60.5), (6.5, 600.5), (-30.5, 60.5), (0.0, 0.5)], 2))
def test_rounding_is_half_of_the_last_digit_whatever_the_size_of_the_numbers(tmp_path, numbers):
    s = events_of(tmp_path, simulated(random.Random(8)))
    rows = [(t, "p1", numbers[t % 2]) for t in range(100, 110)]
    a = written(tmp_path / "a.csv", rows, "pump", "mean")
    b = written(tmp_path / "b.csv", [(t, g, f"{v}25") for t, g, v in rows], "pump", "mean")
    (first, second) = [note for note in api.compare_logs(a, b, events=s).notes if "decimal place" in note]
    assert "a.csv: the numbers in the column mean have at most 1 decimal place, so" in first
    assert "equal up to a difference of 0.05. Use" in first
    assert "b.csv: the numbers in the column mean have at most 3 decimal places, so" in second
    assert "equal up to a difference of 0.0005. Use" in second


def test_means_of_very_different_sizes_count_as_equal_up_to_their_rounding(tmp_path):
    """Half of the last digit of 1.0 is 5 of 100: relative to 600, means of other windows would be equal."""
    rng = random.Random(8)
    events = [(t, g, v * (1 if g == "p1" else 300)) for t, g, v in simulated(rng)]
    rows, longer = (
        [(t, g, rounded(v, 1)) for (t, g), v in sorted(known.items()) if v > 58]
        for known in (values(events, "AVG", length, range(60, HOUR, 60)) for length in (120, 180))
    )
    assert {g for _, g, _ in rows} == {g for _, g, _ in events}
    s = events_of(tmp_path, events)
    a, b = (written(tmp_path / f"{n}.csv", own, "pump", "mean") for n, own in (("a", rows), ("b", longer)))
    found = api.compare_logs(a, b, events=s)
    best = [tried[0] for tried in found.predictions]
    assert all(one.fits for one in best)
    assert ("RANGE 2m" in found.draft, "3m" in f"{best[1].name}{found.draft}") == (True, True)


def test_the_limit_is_the_number_with_the_fewest_digits_that_separates():
    rng = random.Random(1)
    for _ in range(300):
        low = rng.uniform(-100, 100)
        high = low + 10 ** rng.uniform(-6, 3)
        for up in (True, False):
            number = float(_roundest(low, high, up=up))
            assert low - 1e-11 <= number <= high + 1e-11
            assert number != (high if up else low)


def test_a_unit_that_divides_no_usual_length_has_a_draft_without_an_aggregate(tmp_path):
    events = simulated(random.Random(3))
    _, rows = alerts(events, "MAX", 120, range(60, HOUR, 60), 1)
    a = written(tmp_path / "a.csv", [(t // 11 * 11, *row) for t, *row in rows], "pump", "top")
    s = written(tmp_path / "s.csv", [(t // 11 * 11, g, float(v)) for t, g, v in events], "pump", "bar")
    found = api.compare_logs(a, a, events=s, unit="11s", origin="2026-05-04T08:00:00Z")
    assert "HAVING" not in found.to_json()["query"]


def test_alerts_that_share_no_column_with_the_events_are_refused(tmp_path):
    events = simulated(random.Random(3))
    _, rows = alerts(events, "MAX", 120, range(60, HOUR, 60), 1)
    a = written(tmp_path / "a.csv", [(t, "alarm") for t, *_ in rows], "message")
    s = events_of(tmp_path, events)
    with pytest.raises(LarsError, match="share no column"):
        api.compare_logs(a, a, events=s)


def test_a_period_of_the_user_leaves_no_window_now_in_the_draft(tmp_path):
    events = simulated(random.Random(7))
    _, rows = alerts(events, "AVG", 180, sorted({t for t, _, _ in events}), 3)
    came = {(t, g) for t, g, _ in events}
    a = written(tmp_path / "a.csv", [row for row in rows if row[:2] in came], "pump", "level")
    s = events_of(tmp_path, events)
    assert "[NOW]" not in api.compare_logs(a, a, events=s, period="30s").to_json()["query"]


@pytest.mark.parametrize("term", few(['x" . } # ', "a\\", "_:b", "<e:x> ?y", "it's"], 3))
def test_a_text_of_the_events_never_becomes_program_text(tmp_path, term):
    rng = random.Random(12)
    whole = [(t, g, rng.choice([term, "open"])) for t, g, _ in simulated(rng, groups=6)]
    counted = [(t, g, Fraction(1)) for t, g, result in whole if result == term]
    _, rows = alerts(counted, "COUNT", 300, sorted({t for t, _, _ in whole}), 0)
    a = written(tmp_path / "a.csv", rows, "door", "number")
    quoted = term.replace('"', '""')
    s = written(
        tmp_path / "s.csv",
        [(t, g, f'"{r if r == "open" else quoted}"') for t, g, r in whole],
        "door",
        "result",
    )
    found = api.compare_logs(a, a, events=s)
    assert found.predictions[0][0].correct == (term != "_:b")
    assert "_:" not in found.to_json()["query"]


def test_alerts_of_a_real_database_have_the_rule_of_its_query(tmp_path):
    """SQLite computes, rounds and compares; only its answers are read."""
    events = [(t, g, float(v)) for t, g, v in simulated(random.Random(14))]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE seen (t INTEGER, pump TEXT, bar REAL)")
    database.executemany("INSERT INTO seen VALUES (?, ?, ?)", events)
    asked = (
        "SELECT pump, ROUND(AVG(bar), 2) FROM seen WHERE t > ? - 240 AND t <= ? "
        "GROUP BY pump HAVING AVG(bar) > 60.5 ORDER BY pump"
    )
    rows = [(t, *row) for t in range(60, HOUR, 60) for row in database.execute(asked, (t, t))]
    assert len(rows) > 20
    a = written(tmp_path / "a.csv", rows, "pump", "mean")
    b = written(tmp_path / "b.csv", rows[:9] + rows[10:], "pump", "mean")
    found = api.compare_logs(a, b, events=written(tmp_path / "s.csv", events, "pump", "bar"))
    draft = found.to_json()["query"]
    assert "[RANGE 4m]" in draft
    assert found.predictions[0][0].correct
    assert found.text.startswith('b.csv departs from the rule "evaluate every 1m (pull)" at 1 of ')


def test_texts_among_the_numbers_of_events_are_no_values(tmp_path):
    events = simulated(random.Random(10))
    _, rows = alerts(events, "AVG", 240, range(60, HOUR, 60), 2)
    a = written(tmp_path / "a.csv", rows, "pump", "level")
    gaps = [(t + 1, g, "n/a") for t, g, _ in events[::9]]
    whole = sorted([(t, g, float(v)) for t, g, v in events] + gaps, key=lambda event: event[0])
    found = api.compare_logs(a, a, events=written(tmp_path / "s.csv", whole, "pump", "bar"))
    assert found.predictions[0][0].correct
    (note,) = [note for note in found.notes if "no value" in note]
    assert note.startswith("the column bar of the events has numbers, but for n/a")


def test_a_system_of_events_and_a_system_of_a_clock_have_a_draft_each(tmp_path):
    """One evaluates a pump at each of its events, the other all pumps each minute; the rule is one."""
    events = simulated(random.Random(21))
    came = {(t, g) for t, g, _ in events}
    clocks = sorted({t for t, _, _ in events}), range(60, HOUR, 60)
    known = [values(events, "AVG", 180, times) for times in clocks]
    limit = sorted(known[0].values())[3 * len(known[0]) // 5]
    rows = [[(t, g, rounded(v, 2)) for (t, g), v in sorted(own.items()) if v > limit] for own in known]
    a = written(tmp_path / "a.csv", [row for row in rows[0] if row[:2] in came], "pump", "level")
    b = written(tmp_path / "b.csv", rows[1], "pump", "level")
    s = events_of(tmp_path, events)
    for pair in ((a, b), (b, a)):
        found = api.compare_logs(*pair, events=s)
        assert all(tried[0].correct for tried in found.predictions)
        assert found.to_json()["query"].count("[NOW]") == 1


def test_another_limit_of_a_count_explains_a_log_if_the_events_have_no_numbers(tmp_path):
    rng = random.Random(3)
    events = [(t, g, rng.choice(["JAM", "RUN"])) for t, g, _ in simulated(rng)]
    jams = [(t, g, 1) for t, g, state in events if state == "JAM"]
    known = values(jams, "COUNT", 300, range(60, HOUR, 60))
    a, b = (
        written(tmp_path / f"{limit}.csv", [key for key, value in known.items() if value > limit], "pump")
        for limit in (6, 4)
    )
    found = api.compare_logs(a, b, events=written(tmp_path / "s.csv", events, "pump", "state"))
    assert [tried[0].fits for tried in found.predictions] == [True, True]
    assert ", with a limit such as COUNT(?event) > " in found.text.splitlines()[0]
    # The comment of the query writes terms as the events do.
    assert '# The number of events in the last 5m with state "JAM" separates' in found.to_json()["query"]


@pytest.mark.parametrize(
    ("value", "one", "other"),
    [
        ("SUM(?v)", 100, 500),
        ("SUM(?v * -1)", -100, -500),
        ("MAX(?v * 3)", 140, 185),
        ("MIN(?v - 60)", 0, -4),
    ],
)
def test_a_limit_may_be_beyond_the_numbers_in_the_events(tmp_path, value, one, other):
    """The numbers in the events are near 60; sums and computed numbers are far from it."""
    events = simulated(random.Random(3))
    function, argument = re.fullmatch(r"(\w+)\((.*)\)", value).groups()
    factor, summand = {"?v": (1, 0), "?v * -1": (-1, 0), "?v * 3": (3, 0), "?v - 60": (1, -60)}[argument]
    computed = [(t, g, v * factor + summand) for t, g, v in events]
    known = values(computed, function, 200, range(60, HOUR, 60))
    rows = [key for key, number in known.items() if number > other]
    assert 10 < len(rows) < len(known) - 10
    a = written(tmp_path / "a.csv", rows, "pump")
    query = (
        "PREFIX ex: <http://example.org/>\n"
        "SELECT ?pump WHERE { STREAM ex:s [RANGE 200s] { ?e ex:pump ?pump ; ex:bar ?v } } "
        f"GROUP BY ?pump HAVING ({value} > {one})"
    )
    found = api.compare_logs(a, a, events=events_of(tmp_path, events), query=query, period="1m")
    (best, *_) = found.predictions[0]
    assert best.fits
    assert f", with a limit such as {value} > {other} in place of {value} > {one}" in best.name


@pytest.mark.parametrize("has_values", [False, True])
def test_a_condition_that_misses_the_alerts_of_another_line_is_no_rule(tmp_path, has_values):
    """One pump of line L2 is silent from a time on; a mean of line L1 alone explains half of the alerts."""
    events = simulated(random.Random(3))
    columns = ("pump", "level") if has_values else ("pump",)
    _, rows = alerts(events, "AVG", 180, range(30, HOUR, 30), 3)
    old = [row[: 1 + len(columns)] for row in rows]
    late = Counter(pump for t, pump, *_ in old if t >= HOUR // 2)
    silent = max(late, key=late.__getitem__)
    assert 20 * late[silent] > len(old)
    new = [row for row in old if row[1] != silent or row[0] < HOUR // 2]
    a, b = (written(tmp_path / f"{n}.csv", own, *columns) for n, own in zip("ab", (old, new), strict=True))
    others = sorted({g for _, g, _ in events} - {silent})
    lines = {silent: "L2", **dict(zip(others, ("L2", "L1", "L1"), strict=True))}
    own = [(t, g, lines[g], float(v)) for t, g, v in events]
    found = api.compare_logs(a, b, events=written(tmp_path / "s.csv", own, "pump", "line", "bar"))
    draft = found.to_json()["query"]
    assert draft.count("HAVING (AVG(?bar) > ") == 1
    assert "ex:line" not in draft
    assert re.findall(r"wrong at (\d+) of \d+ evaluations of ([ab].csv)", draft) == [("0", "a.csv")]
    assert f"b.csv lacks all {late[silent]} alerts with pump {silent} from 2026-05-04T" in found.text
