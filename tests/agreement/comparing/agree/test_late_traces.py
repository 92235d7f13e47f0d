"""`lars agree --late`: answers as the data came, against a replay of arrivals and as a user reads them."""

import json
from time import process_time

import pyarrow as pa
import pytest

from agreement import api
from agreement.comparing.agree import lateness
from agreement.documents.requests import check_arrival
from lars.durations import Duration
from lars.errors import LarsError
from tests.agreement.command import lars
from tests.agreement.comparing.agree.late_cases import differences, waits
from tests.sizes import few

QUERY = "PREFIX : <http://e/> SELECT ?a WHERE { STREAM :s [RANGE 5s] { ?a :p ?b } }"
ABSENT = QUERY.replace("} }", "} FILTER NOT EXISTS { STREAM :s [RANGE 5s] { ?a :q ?c } } }")


@pytest.mark.parametrize("seed", few(range(40), 14))
def test_rows_kinds_and_causes_are_those_of_a_replay(seed):
    assert differences(f"suite {seed}")[1] is None


@pytest.mark.parametrize("seed", range(10))
def test_few_of_very_many_later_pulls_are_enough(seed, monkeypatch):
    monkeypatch.setattr(lateness, "_MOST_PULLS", 3)
    assert differences(f"far {seed}")[1] is None


@pytest.mark.parametrize("seed", range(16))
def test_other_waits_and_the_least_wait_are_those_of_a_replay(seed):
    mine, theirs, least, lost = waits(f"waits {seed}")
    assert mine == theirs
    assert least is None or (lost[0] == 0 and (least == 0 or lost[1] > 0))


def trace(*rows):
    """Return a table of elements (t, a, subject, predicate)."""
    names = {name: [f"<http://e/{row[place]}>" for row in rows] for name, place in (("s", 2), ("p", 3))}
    times = {"t": [row[0] for row in rows], "came": [row[1] for row in rows]}
    return pa.table({**times, **names, "o": ["<http://e/o>"] * len(rows)})


def late(query, table, **options):
    found = api.agree_late(query, table, arrival="came", **options)
    return [(row.side, row.end, row.row[0], row.kind, row.cause, row.late_by) for row in found.late]


def test_a_triple_that_comes_after_the_pull_is_late_or_lost_for_good():
    table = trace((3, 5, "x", "p"), (4, 12, "y", "p"), (12, 12, "z", "p"))
    assert late(QUERY, table, period=4, side="pull") == [
        ("pull", 4, "<http://e/x>", "late", "arrived after the pull", 4),
        ("pull", 4, "<http://e/y>", "lost for good", "arrived after the pull", None),
        ("pull", 8, "<http://e/y>", "lost for good", "arrived after the pull", None),
    ]
    assert late(QUERY, table, period=4, side="pull", wait=8) == []
    causes = {cause for *_, cause, _ in late(QUERY, table, period=4, side="pull", wait=8, lateness=7)}
    assert causes == {"dropped"}


@pytest.mark.parametrize("trigger", ["any", "query-streams"])
def test_a_row_that_push_lacks_because_nothing_made_it_evaluate_names_the_late_element(trigger):
    table = trace((1, 1, "x", "p"), (4, 9, "y", "q"), (4, 9, "z", "q"))
    found = api.agree_late(QUERY, table, arrival="came", period=3, to=9, trigger=trigger)
    assert [(row.side, row.end, row.cause) for row in found.late] == [("push", 6, "arrived after the pull")]
    (row,) = found.to_json()["late"]
    assert [(fact["t"], fact["s"]["value"][-1], fact["arrival"]) for fact in row["support"]] == [
        (1, "x", 1),
        (4, "y", 9),
    ]


def test_the_late_element_is_named_also_if_it_matches_only_a_later_pattern_of_the_trigger():
    query = QUERY.replace("} }", "} OPTIONAL { STREAM :s [RANGE 5s] { ?a :q ?c } } }")
    table = trace((1, 1, "x", "p"), (4, 9, "y", "q"))
    found = api.agree_late(query, table, arrival="came", period=3, to=9, trigger="matching")
    (row,) = [row for row in found.to_json()["late"] if row["side"] == "push"]
    assert [(fact["t"], fact["s"]["value"][-1]) for fact in row["support"]] == [(1, "x"), (4, "y")]


def test_a_blocker_that_comes_late_invents_a_row():
    table = trace((1, 1, "x", "p"), (1, 5, "x", "q"), (8, 8, "z", "p"))
    assert [row[:1] + row[3:5] for row in late(ABSENT, table, period=4)] == [
        ("push", "invented", "blocked too late"),
        ("pull", "invented", "blocked too late"),
    ]


SHORT = QUERY.replace("5s", "2s")
LONG_ABSENT = ABSENT.replace("5s", "15s", 1).replace("5s", "1s")
COUNTED = QUERY.replace("SELECT ?a", "SELECT (COUNT(*) AS ?n)") + " GROUP BY ?b"


@pytest.mark.parametrize(
    ("query", "rows", "change"),
    [
        (QUERY, [(2, 7, "x", "p")], ("late", "arrived after the pull")),
        (SHORT, [(1, 4, "x", "p")], ("lost for good", "left the window before it arrived")),
        (ABSENT, [(2, 4, "x", "p"), (3, 3, "x", "q")], ("lost for good", "blocked when it arrived")),
        (ABSENT, [(2, 2, "x", "p"), (2, 4, "x", "q")], ("invented", "blocked too late")),
        (
            LONG_ABSENT,
            [(1, 1, "x", "p"), (1, 1, "x", "q"), (2, 4, "x", "r")],
            ("invented", "fired by late data"),
        ),
        (COUNTED, [(1, 1, "x", "p"), (1, 2, "y", "p")], ("invented", "aggregate of other input")),
    ],
)
def test_causes_of_push(query, rows, change):
    """The last triple ends the timeline, and is of no pattern."""
    found = late(query, trace(*rows, (10, 10, "end", "e")), period=5, side="push")
    assert [row[3:5] for row in found] == [change]


def test_the_least_wait_is_the_longest_delay_after_a_pull():
    found = api.agree_late(
        QUERY, trace((4, 9, "x", "p"), (5, 7, "y", "p"), (12, 12, "z", "p")), arrival="came", period=4
    )
    (waits,) = found.to_json()["waits"]
    assert (waits["least_wait"], found.sides[1].counts(5, None), found.sides[1].counts(4, None)[2]) == (
        5,
        (0, 0, 0),
        0,
    )
    assert sum(found.sides[1].counts(4, None)) == 1


def test_a_proof_tells_when_its_triples_arrived():
    found = api.agree_late(QUERY, trace((2, 5, "x", "p"), (8, 8, "z", "p")), arrival="came", period=4)
    push, pull = found.to_json()["late"]
    assert [(fact["t"], fact["arrival"]) for row in (push, pull) for fact in row["support"]] == [
        (2, 5),
        (2, 5),
    ]
    assert "2: x p o, arrived at 5" in found.text


def test_a_trace_that_came_in_time_is_unchanged():
    found = api.agree_late(QUERY, trace((2, 2, "x", "p"), (8, 8, "z", "p")), arrival="came", period=4)
    assert (found.unchanged, found.ending[0], found.late) == (True, 0, ())
    assert "reported 2 of 2 rows in time" in found.text


def timed(t, name):
    return (
        f'<http://e/{name}> <http://e/p> <http://e/o> "{t}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    )


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(QUERY)
    rows = [
        "t,s,p,o,came",
        *(f"{t},<http://e/{t}>,<http://e/p>,<http://e/o>,{a}" for t, a in ((1, 1), (3, 9), (2, 4), (9, 9))),
    ]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    return tmp_path


def test_command_tables_page_and_exit_code(files):
    ran = lars(
        "agree",
        "q.rq",
        "t.csv",
        "--arrival",
        "came",
        "--late",
        "--period",
        "4",
        "--out",
        "o",
        "--out-format",
        "csv",
        "--report",
        "p.html",
    )
    assert ran.code == 1
    assert ran.out.startswith(
        "as the data came, push missed 1 of 3 rows (1 never came); pull missed 2 of 4 rows"
    )
    assert (
        (files / "o/late.csv")
        .read_text()
        .splitlines()[1]
        .startswith("push,4,0,4,lost for good,arrived after the pull")
    )
    assert len((files / "o/waits.csv").read_text().splitlines()) > 5
    assert "What did late data change?" in (files / "p.html").read_text()


def test_an_experiment_names_the_arrival_too(files):
    (files / "experiment.toml").write_text('cqels = "q.rq"\nperiod = 4\n[streams]\n"http://e/s" = "t.csv"\n')
    text = (files / "experiment.toml").read_text()
    assert lars("agree", ".", "--late").code == 2
    given = lars("agree", ".", "--late", "--arrival", "came", "--json").json["late"]
    (files / "experiment.toml").write_text(f'arrival = "came"\n{text}')
    assert lars("agree", ".", "--late", "--json").json["late"] == given


def test_rows_of_a_file_in_any_order_arrive_in_this_order(files):
    (files / "t.nt").write_text("".join(timed(t, name) for t, name in ((1, "a"), (7, "b"), (3, "c"))))
    found = lars("agree", "q.rq", "t.nt", "--arrival", "order", "--late", "--period", "3", "--json").json[
        "late"
    ]
    assert [(row["side"], row["row"]["a"]["value"], row["reported"]) for row in found] == [
        ("push", "http://e/c", 7),
        ("pull", "http://e/c", None),
        ("pull", "http://e/c", None),
    ]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            ("", ""),
            ("--arrival", "late"),
            "t.csv: cannot use --arrival late: the table has no such column; use one of t, s, p, o, came",
        ),
        (
            (",4", ","),
            ("--arrival", "came"),
            "t.csv:4:42: cannot read the arrival time in the column came: the cell is empty; use a time",
        ),
        (
            (",4", ",1"),
            ("--arrival", "came"),
            "t.csv:4:1: the arrival time 1 in the column came is before the time 2; use",
        ),
        (("", ""), (), "--late requires --arrival"),
        (
            ("", ""),
            ("--arrival", "came", "--master", "local[2]"),
            "cannot combine --arrival with --master or --resume",
        ),
        (("", ""), ("--arrival", "came", "--cause", "blocked-later"), "cannot combine --cause with --late"),
        (("", ""), ("--arrival", "came", "--wait", "9" * 60), "the number is too large"),
    ],
)
def test_messages(files, change, options, message):
    text = (files / "t.csv").read_text()
    (files / "t.csv").write_text(text.replace(*change) if change[0] else text)
    ran = lars("agree", "q.rq", "t.csv", "--late", "--period", "4", *options)
    assert (ran.code, message in ran.err) == (2, True), ran.err


def test_a_wait_requires_late_and_several_files_have_no_order(files):
    assert "--wait requires --late" in lars("agree", "q.rq", "t.csv", "--wait", "3").err
    for name in ("a.nt", "b.nt"):
        (files / name).write_text(timed(1, "a"))
    ran = lars("agree", "q.rq", "a.nt", "b.nt", "--arrival", "order", "--late", "--period", "4")
    assert (ran.code, "cannot use --arrival order: 2 files have no common order" in ran.err) == (2, True)


def test_a_wait_of_zero_seconds_is_none_at_all():
    check_arrival(None, Duration(0), None)
    with pytest.raises(LarsError, match="--wait requires --arrival"):
        check_arrival(None, Duration(1), None)


def test_tables_of_json_have_arrivals_and_rows_without_are_skipped(files):
    row = '{{"t": {}, "s": "<http://e/a>", "p": "<http://e/p>", "o": "<http://e/{}>", "came": {}}}\n'
    (files / "t.jsonl").write_text(
        "".join(row.format(*each) for each in ((1, 1, 9), (3, 2, "null"), (9, 3, 9)))
    )
    command = ("agree", "q.rq", "t.jsonl", "--arrival", "came", "--late", "--period", "4", "--json")
    assert (
        "t.jsonl:2:1: cannot read the arrival time in the column came: the cell is empty"
        in lars(*command).err
    )
    ran = lars(*command, "--on-error", "skip", "--rejected", "kept.txt")
    assert (ran.json["late_elements"], ran.json["delay"]) == (1, 8)
    assert "the column came: the cell is empty" in (files / "kept.txt").read_text()


def test_mapped_columns_have_arrivals(files):
    (files / "own.csv").write_text("time,seen,who\n1,1,a\n3,9,b\n9,9,c\n")
    columns = ("--column", "t={time}", "--column", "s=<http://e/{who}>", "--column", "<http://e/p>={who}")
    ran = lars("agree", "q.rq", "own.csv", *columns, "--arrival", "seen", "--late", "--period", "4", "--json")
    assert {row["row"]["a"]["value"] for row in json.loads(ran.out)["late"]} == {"http://e/b"}


def test_arrival_of_something_else_than_a_table():
    with pytest.raises(LarsError, match=r"has no columns; use arrival=\"order\", or a table"):
        api.agree_late(QUERY, timed(1, "a"), arrival="came", period=4)


def test_the_time_grows_as_the_late_rows_do():
    table = trace(*((n, n + 100, f"x{n}", "p") for n in range(12_000)))
    began = process_time()
    assert len(late(QUERY, table, period=1000, side="push")) > 0
    assert process_time() - began < 5
