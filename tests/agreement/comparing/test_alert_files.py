"""How `lars compare` reads files of alerts: the column of times, zones, missing values, invalid lines."""

import json

import pytest

from agreement import api
from lars.errors import LarsError
from tests.agreement.command import lars

DAY = "2026-03-03"
EVENTS = "when,machine,bar\n" + "".join(
    f"{DAY}T06:{m:02}:{s:02}Z,{'fg'[s > 20]}1,{4 + (m + s) % 3}.5\n" for m in range(30) for s in (5, 25, 45)
)


def alerts(head="AlertTime,machine,mean_bar", at="T06:{:02}:00Z", value="5.{}"):
    rows = [f"{DAY}{at.format(m)},f1,{value.format(m)}\n" for m in (10, 20)]
    return f"{head}\n{''.join(rows)}"


@pytest.fixture
def compare(tmp_path):
    def run(first, second, *options, events=None):
        """Compare two texts of logs; a suffix other than .csv precedes a text and a |."""
        paths = []
        for name, text in (("a", first), ("b", second)):
            suffix, _, content = text.partition("|") if text.startswith(".") else (".csv", "", text)
            paths.append(tmp_path / f"{name}{suffix}")
            paths[-1].write_bytes(content.encode() if isinstance(content, str) else content)
        if events is not None:
            (tmp_path / "events.csv").write_text(events)
            options = (*options, "--events", tmp_path / "events.csv")
        return lars("compare", *paths, *options)

    return run


@pytest.mark.parametrize("name", ["AlertTime", "fired_at", "datum", "Zeit", "ts_utc"])
def test_a_column_of_times_may_have_any_name_in_each_log(compare, name):
    other = "machine,raised,mean_bar\n" + "".join(f"f1,{DAY} 06:{m}:00+00,5.{m}\n" for m in (10, 20))
    run = compare(alerts(head=f"{name},machine,mean_bar"), other)
    assert (run.code, run.out) == (0, "2 alerts in both logs, 0 only in a.csv, 0 only in b.csv\n")
    assert f"a.csv: the times are in the column {name}" in run.err
    assert "b.csv: the times are in the column raised" in run.err


def test_times_in_objects_and_numbers_since_1970_are_found(compare):
    texts = [json.dumps({"x": 1, "fired": f"{DAY}T06:1{m}:00Z"}) for m in (1, 2)]
    numbers = "fired_ms,x\n1772518260000,1\n1772518320000,1\n"
    for text in (".json|[" + ",".join(texts) + "]", ".jsonl|" + "\n".join(texts)):
        run = compare(text, numbers)
        assert (run.code, run.out[:28]) == (0, "2 alerts in both logs, 0 onl")


def test_two_columns_of_times_are_refused_with_both_names(compare):
    first = alerts(head="opened,machine,closed", value=DAY + "T07:{}:00Z")
    run = compare(first, alerts(head="fired,machine,ended", value=DAY + "T07:{}:00Z"))
    assert run.code == 2
    assert "a.csv:1:1: cannot choose the column of times: opened and closed contain times" in run.err
    assert "use --time-variable opened or --time-variable closed" in run.err
    again = compare(
        first,
        alerts(head="fired,machine,closed", value=DAY + "T07:{}:00Z"),
        *("--time-variable", "opened", "--time-variable", "fired"),
    )
    assert again.code == 0


def test_the_name_of_the_column_of_one_log_need_not_be_in_the_other(compare):
    first, second = alerts(), alerts(head="when,machine,mean_bar")
    assert compare(first, second, "--time-variable", "AlertTime").code == 0
    wrong = compare(first, second, "--time-variable", "Alerttime")
    assert (wrong.code, wrong.out) == (2, "")
    assert "--time-variable Alerttime: no log has the column Alerttime" in wrong.err


@pytest.mark.parametrize("text", ["29.11.2026 10:00", "11/29/2026 10:00:00", "20261129T100000Z", "10:00"])
@pytest.mark.parametrize("name", ["AlertTime", "time"])
def test_an_unread_date_is_named_with_its_place_and_the_forms(compare, name, text):
    run = compare(alerts(), f"machine,{name},mean_bar\nf1,{text},5.1\n")
    assert run.code == 2
    assert f"b.csv:2:4: found '{text}'" in run.err
    assert "a dateTime such as 2024-05-01T12:00:00Z or 2024-05-01 12:00" in run.err
    assert "no column" not in run.err


def test_two_logs_without_alerts_agree_beside_events(compare):
    head = "when,machine,mean_bar\n"
    run = compare(head, head, events=EVENTS)
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("neither log contains an alert, so lars looks for no rule\n")
    assert compare(head, head).out.startswith("neither log contains an alert")


def test_a_log_without_alerts_may_have_any_columns(compare):
    run = compare("AlertTime,Asset\n", alerts())
    assert (run.code, run.err) == (
        1,
        "note: b.csv: the times are in the column AlertTime (--time-variable)\n",
    )
    assert run.out.startswith("a.csv contains no alert, and b.csv contains 2 alerts\n")


@pytest.mark.parametrize("zoned", ["logs", "events", "a.csv", "b.csv"])
def test_times_with_and_without_a_zone_are_named_with_both_files(compare, zoned):
    local, dated = "T06:{:02}:00", "T06:{:02}:00+02:00"
    first = alerts(at=dated if zoned in ("logs", "a.csv") else local)
    second = alerts(at=dated if zoned in ("logs", "b.csv") else local)
    events = EVENTS if zoned == "events" else EVENTS.replace("Z,", ",")
    run = compare(first, second, events=events)
    assert run.code == 2
    other = "a.csv" if zoned == "b.csv" else "b.csv" if zoned == "a.csv" else "events.csv"
    for name in {other, "b.csv" if zoned == "b.csv" else "a.csv"}:
        assert name in run.err
    assert f"{DAY}T06:10:00" in run.err
    assert "has a time zone" in run.err
    assert "use times with a time zone in both files" in run.err
    assert "origin" not in run.err


def test_a_file_with_both_kinds_of_times_is_refused_at_the_place(compare):
    mixed = alerts() + f"{DAY}T06:40:00,f1,5.3\n"
    run = compare(mixed, alerts())
    assert run.code == 2
    assert f"a.csv:4:1: found {DAY}T06:40:00, which has no time zone, but the first time" in run.err


def test_small_numbers_are_not_compared_with_dates(compare):
    run = compare(alerts(), "time,machine,mean_bar\n10,f1,5.10\n")
    assert run.code == 2
    assert "b.csv" in run.err
    assert "10 is a number" in run.err


@pytest.mark.parametrize("word", ["n/a", "-", "NA", "NaN", "null", ""])
def test_a_word_for_a_missing_number_is_named_and_the_column_is_kept(compare, word):
    head = "when,machine,mean_bar"
    rows = []
    for m in range(2, 30):
        own = [4 + (k + s) % 3 + 0.5 for k in range(30) for s in (5,) if (m - 3) * 60 < k * 60 + s <= m * 60]
        rows.append(f"{DAY}T06:{m:02}:00Z,f1,{sum(own) / len(own):.3f}\n")
    whole = f"{head}\n{''.join(rows)}"
    row = rows[9].rsplit(",", 1)[0]
    missing = f"{head}\n{''.join([*rows[:9], f'{row},{word}' + chr(10), *rows[10:]])}"
    run = compare(whole, missing, events=EVENTS)
    assert run.code == 1
    assert "(AVG(?bar) AS ?mean_bar)" in run.out
    assert "27 alerts in both logs, 1 only in a.csv, 1 only in b.csv" in run.out
    what = f"but for {word} in 1 alert" if word else "but for an empty cell in 1 alert"
    assert f"b.csv: the column mean_bar contains numbers, {what}, which counts as no value" in run.err


def test_invalid_lines_of_alerts_are_skipped_and_counted(compare, tmp_path):
    lines = alerts(head="when,machine,mean_bar").splitlines()
    broken = "\n".join([*lines[:2], "2026-03-03T0", "noon,f1,5", f'{DAY}T06:12:00Z,f1,"5', *lines[2:]])
    kept = tmp_path / "kept.txt"
    options = ("--on-error", "skip", "--rejected", kept)
    run = compare("\n".join(lines), broken + "\n", *options)
    assert (run.code, run.out[:21]) == (0, "2 alerts in both logs")
    assert f"skipped 3 invalid lines of b.csv and wrote them to {kept}" in run.err
    assert sorted(line for line in kept.read_text().splitlines() if not line.startswith("#")) == [
        "2026-03-03T0",
        f'{DAY}T06:12:00Z,f1,"5',
        "noon,f1,5",
    ]
    assert compare("\n".join(lines), broken).code == 2
    assert "requires --rejected FILE" in compare("\n".join(lines), broken, "--on-error", "skip").err


AS_WRITTEN = {
    "a.csv": ("t,s,v\n1,a,1\n{}\n9,b,2\n", ['x,e,"ab ""c"" d"', '3,"x', "4,e"]),
    "a.jsonl": (
        '{{"t":1,"s":"a","v":1}}\n{}\n{{"t":9,"s":"b","v":2}}\n',
        [
            "oops",
            "[1]",
            '{"t":"bad","s":"a","v":0.1234567890123456789012}',
            '{"t":3,"s":"a","v":1e999}',
            '{"t":3,"s":"a","v":[1]}',
        ],
    ),
    "a.json": (
        '[{{"t":1,"s":"a","v":1}},\n{},\n{{"t":9,"s":"b","v":2}}]',
        ['{"t":"bad", "v":\n0.1234567890123456789012}', '{"t":3,"s":"a","v":[1]}'],
    ),
}


@pytest.mark.parametrize(
    ("name", "line"), [(name, line) for name in AS_WRITTEN for line in AS_WRITTEN[name][1]]
)
def test_a_rejected_alert_is_kept_as_it_is_written(tmp_path, name, line):
    """The invalid line is the second: the other lines show the format."""
    log, kept = tmp_path / name, tmp_path / "kept"
    log.write_text(AS_WRITTEN[name][0].format(line))
    run = lars("compare", log, log, "--on-error", "skip", "--rejected", kept)
    assert (run.code, run.out[:33]) == (0, "2 alerts in both logs, 0 only in ")
    assert kept.read_text().partition("\n# ")[2].partition("\n")[2] == f"{line}\n"


def test_a_wide_tolerance_is_explained(compare):
    texts = (alerts(head="t,machine,mean_bar"), alerts(head="t,machine,mean_bar"))
    assert (
        "--tolerance 0.05 is relative: numbers that differ by up to 5 %"
        in compare(*texts, "--tolerance", 0.05).err
    )
    assert "is relative" not in compare(*texts, "--tolerance", 0.001).err


@pytest.mark.parametrize("arrival", ["received", "order"])
def test_times_of_arrival_with_which_a_rule_predicts_a_log_are_named(compare, arrival):
    # The event of 6:04:50 arrives at 6:07:30, after the evaluation at 6:05.
    late = {4 * 60 + 50: 7 * 60 + 30, 10 * 60 + 50: 13 * 60 + 30, 20 * 60 + 50: 23 * 60 + 30}
    events = [(t, late.get(t, t), f"m{t // 60}") for t in range(10, 1700, 20)]

    def stamp(t):
        return f"{DAY}T06:{t // 60:02}:{t % 60:02}Z"

    def log(came):
        rows = {
            (u, name)
            for u in range(60, 1740, 60)
            for t, *r, name in events
            if u - 90 < t <= u and (r[0] if came else t) <= u
        }
        return "when,machine\n" + "".join(f"{stamp(u)},{name}\n" for u, name in sorted(rows))

    head = "when,machine" + ",received" * (arrival == "received")
    ordered = sorted(events, key=lambda event: event[1])
    rows = (f"{stamp(t)},{name}" + f",{stamp(came)}" * (arrival == "received") for t, came, name in ordered)
    texts = log(came=False), log(came=True)
    run = compare(*texts, events="\n".join((head, *rows, "")))
    assert f"with --arrival {arrival}, the times of arrival of the events, the rule" in run.out
    assert "predicts all alerts of b.csv" in run.out
    assert "predicts all alerts of a.csv\n" not in run.out.split("alerts in only one log")[0]
    # The times of arrival are no candidates for the times of the events.
    head = head.replace("when", "Zeit")
    again = compare(
        *texts, "--arrival", arrival, events="\n".join((head, *ordered_rows(ordered, arrival, stamp), ""))
    )
    assert "b.csv follows the rule" in again.out or "b.csv: every alert predicted" in again.out


def ordered_rows(events, arrival, stamp):
    for t, came, name in events:
        yield f"{stamp(t)},{name}" + f",{stamp(came)}" * (arrival == "received")


SEMICOLONS = (
    alerts(value='"5,{}"').replace(",f1,", ";f1;").replace("AlertTime,machine,", "AlertTime;machine;")
)
ODD = {
    "spaces after commas": (alerts().replace(",", ", "), "2 alerts in both logs, 0 only"),
    "plain texts between tabs": (".tsv|" + alerts().replace(",", "\t"), "2 alerts in both logs, 0 only"),
    "microseconds": (
        "n,machine,mean_bar\n1772518200000000,f1,5.10\n1772518800000000,f1,5.20\n",
        "2 alerts in both logs, 0 only",
    ),
    "numbers with commas": (SEMICOLONS, "contains numbers with a comma, such as 5,10, which count as texts"),
    "dates without separators": (
        "when,v\n20260303061000,1\n20260303061100,1\n",
        "1000ns; write them as dateTimes, such as 2026-03-03T06:10:00",
    ),
    "spaces in names": (
        alerts(head="Alert Time,machine,v"),
        "a.csv:1:1: found 'Alert Time' as the name of a column; expected names of letters, digits",
    ),
    "no names": (
        alerts()[len("AlertTime,machine,mean_bar\n") :],
        "expected a first line with the names of the columns",
    ),
    "bars": (alerts().replace(",", "|"), "expected commas, semicolons or tabs between columns"),
    "before 1970": (
        "when,v\n1900-01-01T00:00:00Z,1\n",
        "a.csv:2:1: found 1900-01-01T00:00:00Z; expected dateTimes from 1970",
    ),
    "times of day in another column": (
        "date,clock,v\n2026-03-03,06:10,1\n",
        "a.csv:1:1: cannot use the column date for the times: its dates have their times of day in",
    ),
    "days": ("when,v\n2026-03-03,1\n", "such as 2026-03-03T00:00:00Z in place of 2026-03-03"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_files_are_read_rightly_or_refused_with_one_message(compare, name):
    text, expected = ODD[name]
    run = compare(text, alerts())
    assert expected in run.out + run.err
    assert run.code in (0, 1) if "alerts in both" in run.out else run.code == 2


def test_a_third_log_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(alerts())
    run = lars("compare", path, path, path)
    assert run.code == 2
    assert "use one command for each pair of logs, and --events FILE for a log of events" in run.err


@pytest.mark.parametrize("digits", [0, 3, 6, 9])
def test_events_may_count_a_fine_unit_from_1970(compare, digits):
    begin = 1772517600
    numbers = "".join(f"{begin + 60 * m}{'0' * digits},f1,5.{m}\n" for m in (10, 20))
    text = alerts(head="when,machine,mean_bar")
    run = compare(text, text, events=f"at,machine,mean_bar\n{numbers}")
    assert run.code == 0
    assert "a.csv: every alert predicted by push" in run.out


def test_numbers_of_events_with_commas_are_named(compare):
    text = alerts(head="when;machine;mean_bar").replace(",", ";")
    run = compare(text, text, events=text.replace(";5.", ";5,"))
    assert "events.csv: the column mean_bar contains numbers with a comma, such as 5,10" in run.err


def test_texts_in_python_need_no_usual_name_of_times():
    text = alerts()
    for names in ({}, {"time_variable": "AlertTime"}, {"time_variable": ["AlertTime"]}):
        assert api.compare_logs(text, text, **names).same
    with pytest.raises(LarsError, match="no column with a time among AlertTime"):
        api.compare_logs(text, text, time_variable="X")


@pytest.mark.parametrize("room", ["hall", "cellar"])
def test_invalid_lines_of_answers_are_skipped_with_those_of_the_trace(tmp_path, room):
    """If the answers are wrong, the trace is read a second time."""
    (tmp_path / "q.rq").write_text(
        "PREFIX ex: <http://example.org/>\nSELECT ?room WHERE { STREAM ex:s [RANGE 5s] { ?e ex:room ?room } }"
    )
    (tmp_path / "s.csv").write_text("time,room\n2,kitchen\nno time,attic\n5\n9,hall\n")
    (tmp_path / "a.csv").write_text(f"time,room\n2,kitchen\nbad,hall\n9,{room}\n")
    columns = "--column", "t={time}", "--column", "s=_:{row}", "--column", "http://example.org/room={room}"
    asked = ("judge", tmp_path / "q.rq", tmp_path / "s.csv", "--answers", tmp_path / "a.csv", *columns)
    assert lars(*asked).code == 2
    run = lars(*asked, "--on-error", "skip", "--rejected", tmp_path / "rejected.txt")
    assert run.code == int(room != "hall"), run.err
    assert "skipped 1 invalid line of " in run.err
    kept = (tmp_path / "rejected.txt").read_text()
    assert kept.splitlines()[2::2] == ["5", "no time,attic", "bad,hall"]
    if room == "hall":
        logs, events = (
            (tmp_path / "a.csv",) * 2,
            ("--events", tmp_path / "s.csv", "--query", tmp_path / "q.rq"),
        )
        lars("compare", *logs, *events, *columns, "--on-error", "skip", "--rejected", tmp_path / "other.txt")
        assert (tmp_path / "other.txt").read_text() == kept
    assert "'no time'" in kept
    assert "bad,hall" in kept
