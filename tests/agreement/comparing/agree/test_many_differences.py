"""Many rows that only one side reports: counted, narrowed, spread, each a question to `lars explain`."""

import csv
import json
import shlex

import pytest

from agreement import api
from agreement.comparing.agree.narrowing import spread
from tests.agreement.command import agree, lars
from tests.packs import SAMPLES

COUPONS = SAMPLES / "coupons"
STREAMS = [
    part
    for name in ("coupons", "locations")
    for part in ("--stream", f"http://example.org/{name}={COUPONS / name}.trig")
]
NUMBERS = "http://www.w3.org/2001/XMLSchema#"
TERMS = (
    "<http://e/null>",
    "<http://e/it's?a=$HOME&b>",
    "_:b",
    '"25"',
    f'"25"^^<{NUMBERS}integer>',
    f'"2.5E1"^^<{NUMBERS}double>',
    '"null"',
    '"it\'s \\"here\\" $(date) `x` \\\\ 50%, (a, b)"',
    '"two\\nlines\\ttab"@en-gb',
    '"\\u202Eback\\u001B"',
    '"ü 日本"@de',
)
QUERY = "{{ {0}?x <e:p> ?y{1} OPTIONAL {{ {0}?x <e:q> ?z{1} }} }}"


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """Return a folder in which each term is in a row of push alone, and in one of pull alone."""
    folder = tmp_path_factory.mktemp("it's many")
    merged, apart = QUERY.format("", ""), QUERY.format("STREAM <e:s> [RANGE 2s] { ", " }")
    (folder / "c.rq").write_text(f"SELECT ?x ?y ?z FROM STREAM <e:s> [RANGE 2s] {merged}")
    (folder / "q.rq").write_text(f"SELECT ?x ?y ?z {apart}")
    lines = [f'<e:x{n}> <e:p> {term} <e:s> "{t}" .\n' for t in (1, 8) for n, term in enumerate(TERMS)]
    lines.insert(3, '<e:x3> <e:q> "z" <e:s> "1" .\n')
    (folder / "t.nq").write_text("".join(lines), encoding="utf-8")
    names = 'csparql = "c.rq"\ncqels = "q.rq"\nfiles = "t.nq"\nperiod = [4, 1]\ntimeline = [0, 12]\n'
    (folder / "experiment.toml").write_text(f'title = "many"\nunit = "1s"\n{names}')
    return folder


def test_each_row_prints_as_the_command_that_explains_it(experiment):
    ran = lars("agree", experiment, "--in-process", "--only-period", "4", "--side", "push")
    more = lars("agree", experiment, "--in-process", "--only-period", "1", "--cause", "silent-period")
    # The commands about the side without a row are below.
    parts = (one.out.partition("why the other side")[0].splitlines() for one in (ran, more))
    pushed, pulled = ([line for line in part if line.startswith("lars explain ")] for part in parts)
    assert (len(pushed), len(pulled)) == (len(TERMS), 20)
    atoms = set()
    for line in (*pushed, *pulled[::7]):
        words = shlex.split(line)
        found = lars(*words[1:], "--json")
        # The other query, which lacks what pull alone has, is asked with the same atom.
        alone = lars(*words[1:3], *words[-3:], "--json") if "--engine" in words else found
        assert found.code == 0, found.err + line
        assert (alone.code, alone.json["holds"]) == (0, line in pushed), alone.err
        assert (found.code, found.json["holds"]) == (0, True), line
        assert found.json["atom"] == words[-1] or "\\u202E" in words[-1] or words[-1].startswith("ans(")
        atoms |= {found.json["atom"]} if line in pushed else set()
    assert len(atoms) == len(TERMS)


def test_what_push_reported_before_is_said(experiment):
    (period,) = agree(experiment, "--only-period", "1").json["periods"]
    causes = [cause for one in period["intervals"] for cause in one["causes"]]
    assert {(one["side"], one["cause"], one["pushed"]) for one in causes} == {
        ("pull", "silent period", 1),
        ("pull", "silent period", 8),
    }


def test_the_verdict_is_that_of_all_rows_whatever_is_shown(experiment):
    for options in (("--cause", "blocked later"), ("--side", "pull", "--cause", "expired-before-the-pull")):
        ran = agree(experiment, *options)
        assert (ran.code, [one["intervals"] for one in ran.json["periods"]]) == (1, [[], []])
        assert [one["agree"] for one in ran.json["periods"]] == [False, False]


def test_rows_are_counted_first(experiment):
    ran = lars("agree", experiment, "--in-process")
    assert ran.out.index("number of rows that only one side reports") < ran.out.index(
        "rows that only one side reports: ("
    )
    counted = [
        line.split("│")[1:-1] for line in ran.out.splitlines() if line.startswith("│") and "11 │" in line
    ]
    assert [[cell.strip() for cell in line][:5] for line in counted] == [
        ["4", "push", "expired before the pull", "11", "1"],
        ["1", "pull", "silent period", "44", "4"],
    ] or counted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--only-period", "3"),
            "--only-period 3: this period is not compared; use one of the compared periods: 4, 1",
        ),
        (("--cause", "blocked"), "--cause blocked: expected aggregate-of-nothing, different-static-data, "),
        (("--side", "left"), "left"),
        (("--out", "no/where"), "--out no/where: the folder no does not exist"),
    ],
)
def test_what_cannot_be_shown_is_refused(experiment, options, message):
    ran = lars("agree", experiment, "--in-process", *options)
    assert (ran.code, message in ran.err) == (2, True), ran.err


def test_tables_hold_every_row(experiment, tmp_path):
    shown = agree(experiment, "--out", tmp_path / "o", "--out-format", "csv").json
    with (tmp_path / "o" / "differences.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    told = [
        (str(period["period"]), str(one["to"]), cause["side"], cause["cause"], str(cause["pushed"]))
        for period in shown["periods"]
        for one in period["intervals"]
        for cause in one["causes"]
    ]
    assert [(r["period"], r["to"], r["side"], r["cause"], r["pushed"]) for r in rows] == told
    assert {row["?y"] for row in rows} >= {TERMS[1], TERMS[4], TERMS[7]}
    described = json.loads((tmp_path / "o" / "columns.json").read_text(encoding="utf-8"))
    assert list(described["differences.csv"]) == list(rows[0])


@pytest.mark.parametrize(("side", "engine"), [("push", "cqels"), ("pull", "csparql")])
def test_a_table_holds_the_answers_of_each_side_as_runs(tmp_path, side, engine):
    lars("agree", COUPONS, "--period", "3", "--in-process", "--out", tmp_path / "o", "--out-format", "jsonl")
    runs = [json.loads(line) for line in (tmp_path / "o" / "answers.jsonl").read_text("utf-8").splitlines()]
    names = [name for name in runs[0] if name.startswith("?")]
    period = ("--period", "3") if side == "pull" else ()
    asked = (COUPONS / f"query.{engine}.rq", *STREAMS, "--static", COUPONS / "products.ttl")
    solved = lars(
        "solve", *asked, "--mode", side, *period, "--unit", "1min", "--in-process", "--json", "--to", "50"
    )
    own = [run for run in runs if run["side"] == side]
    assert own
    for line in solved.lines:
        held = [run for run in own if run["first"] <= line["t"] <= run["last"]]
        # Of "25"^^<..> and <http://..> the part that JSON calls value.
        shown = [tuple(run[name][1:].split('"')[0].rstrip(">") for name in names) for run in held]
        rows = [tuple(row[name[1:]]["value"] for name in names) for row in line["rows"]]
        assert sorted(shown) == sorted(rows), line["t"]


@pytest.mark.parametrize(
    ("sizes", "most", "shown"),
    [
        ((1, 9, 2), 6, (1, 3, 2)),
        ((3, 3), 9, (3, 3)),
        ((5, 5, 5), 2, (1, 1, 0)),
        ((100,), 4, (4,)),
        ((), 4, ()),
    ],
)
def test_some_of_all_kinds_are_shown(sizes, most, shown):
    chosen = spread(sizes, most)
    counts = tuple(sum(group == number for group, _ in chosen) for number in range(len(sizes)))
    assert (counts, len(set(chosen))) == (shown, len(chosen))
    assert all(0 <= place < sizes[group] for group, place in chosen)


def test_the_answers_of_several_periods_are_those_of_each_period():
    """Pull evaluates for all periods together; an interval for a period has its own evaluations only."""

    def answers(period):
        table = api.agree(COUPONS, period=period).to_arrow("answers")
        return [tuple(row.values())[1:] for row in table.to_pylist()]

    alone = [row for period in (3, 4, 6) for row in answers(period)]
    together = answers([3, 4, 6])
    assert {*together} == {*alone}
    assert len(together) == len({*together})
    assert {row[1] for row in together if row[0] is None} == {"push"}
    assert {row[0] for row in together if row[1] == "pull"} == {3, 4, 6}
