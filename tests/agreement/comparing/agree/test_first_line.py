"""The first line of `lars agree`: one sentence; shares of rows, colours, intervals in narrow tables."""

import re

import pytest

from agreement import api
from tests.agreement.command import lars
from tests.packs import SAMPLES

SAMPLE = {
    ("coupons", "--period", "4..8"): (
        "U = 8, (16, 24]: only push reports (25, rayban, b); cause: expired before the pull"
    ),
    ("coupons", "--period", "5,7,8", "--to", "14"): (
        "push and pull agree on 5 whole periods, U = 5, 7..8: neither side reports a row"
    ),
    ("coupons", "--period", "5"): "push and pull agree on 10 whole periods",
    ("coupons", "--period", "5,60"): "push and pull agree on 10 whole periods, U = 5",
    ("coupons", "--period", "60"): "nothing to compare: the timeline contains no whole period",
    ("coupons", "--period", "8", "--side", "pull"): "push and pull disagree, only in rows that are not shown",
}


@pytest.mark.parametrize("words", SAMPLE)
def test_the_verdict_is_said_first(words):
    name, *options = words
    assert lars("agree", SAMPLES / name, *options).out.splitlines()[0] == SAMPLE[words]


@pytest.fixture
def late(tmp_path):
    """A query whose one row no whole period of 4 has: it comes after the last one, and is gone before."""
    (tmp_path / "q.rq").write_text("SELECT ?s WHERE { STREAM <e:S> [RANGE 1s] { ?s <e:p> ?o } }")
    (tmp_path / "t.nq").write_text('<e:a> <e:p> <e:b> <e:S> "9" .\n')
    return "agree", tmp_path / "q.rq", tmp_path / "t.nq", "--period", "4"


def test_an_agreement_on_nothing_is_said_in_line_table_json_and_page(late, tmp_path):
    ran = lars(*late, "--report", tmp_path / "page.html")
    assert ran.out.startswith("push and pull agree on 2 whole periods: neither side reports a row\n")
    assert "agree: neither side reports a row" in ran.out.split("\n", 1)[1]
    assert [period["empty"] for period in lars(*late, "--json").json["periods"]] == [True]
    assert "neither side reports a row." in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(("options", "code"), [((), 0), (["--fail-on-empty"], 3)])
def test_an_agreement_on_nothing_fails_where_that_is_asked(late, options, code):
    assert lars(*late, *options).code == code
    assert lars(*late[:4], "30", *options).code == code
    some = lars("agree", SAMPLES / "coupons", "--period", "5", *options)
    assert some.code == 0
    assert "neither side reports a row" not in some.out


def test_a_row_of_another_variant_is_a_row(tmp_path):
    """Push has the static row if ?a :p ?x also matches static data, and ?a :r ?z only the stream."""
    query = "SELECT ?a FROM STREAM :R {0} FROM STREAM :S {0} WHERE {{ ?a :p ?x MINUS {{ ?a :r ?z }} }}"
    text = f"PREFIX : <http://e/>\nREGISTER QUERY q AS {query.format('[RANGE 5s STEP 5s]')}"
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "s.ttl").write_text("@prefix : <http://e/> . :a :p 1 ; :r 2 .")
    triples = (("b", "p", "R", 2), ("b", "r", "S", 3), ("z", "r", "S", 13))
    lines = (f'<http://e/{s}> <http://e/{p}> 1 <http://e/{g}> "{t}" .\n' for s, p, g, t in triples)
    (tmp_path / "t.nq").write_text("".join(lines).replace("> 1 <", '> "1" <'))
    options = ("--static", tmp_path / "s.ttl", "--unit", "1s")
    ran = lars("agree", tmp_path / "q.rq", tmp_path / "t.nq", *options)
    assert "neither push nor pull reports a row" not in ran.err
    assert "static only" in ran.out


def test_a_period_has_its_date_where_times_have(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?s WHERE { STREAM <e:S> [RANGE 2m] { ?s <e:p> ?o } }")
    lines = (f'<e:a> <e:p> <e:b> <e:S> "2026-05-04T08:0{t}:00Z" .\n' for t in (1, 9))
    (tmp_path / "t.nq").write_text("".join(lines))
    options = ("--unit", "1m", "--period", "4", "--origin", "2026-05-04T08:00:00Z")
    found = lars("agree", tmp_path / "q.rq", tmp_path / "t.nq", *options).out
    assert found.startswith(
        "U = 4, (08:00, 08:04] on 2026-05-04 (UTC): only push reports (e:a); cause: expired"
    )


def test_the_share_of_rows_is_that_of_the_tables():
    shown = lars("agree", SAMPLES / "rooms", "--json").json
    text = lars("agree", SAMPLES / "rooms").out
    (said,) = re.findall(r"rows that both sides report, of all rows: (.*)", text)[:1]
    for one in re.findall(r"U = (\d+): (\d+) of (\d+)", said):
        (period,) = [each for each in shown["periods"] if each["period"] == int(one[0])]
        both = every = 0
        for interval in period["intervals"]:
            push, pull = ({str(row) for row in interval[side]} for side in ("push", "pull"))
            both, every = both + len(push & pull), every + len(push | pull)
        assert (both, every) == (int(one[1]), int(one[2]))


@pytest.mark.parametrize("sample", ["coupons", "rooms", "minus"])
def test_the_summary_counts_what_the_other_tables_hold(sample):
    found = api.agree(str(SAMPLES / sample), period="1..8")
    summary, causes, periods, rows = map(found.to_pandas, ("summary", "causes", "periods", "differences"))
    for _, period in summary.iterrows():
        own = periods[(periods.period == period.period) & (periods.variant == period.variant)]
        assert (period.whole_periods, period.disagreeing) == (len(own), int((~own.agree).sum()))
        assert period.both + period.push_only == own.push.sum()
        assert period.both + period.pull_only == own.pull.sum()
    keys = ["variant", "period", "side", "cause"]
    counted = rows.groupby(keys).agg(
        rows=("from", "size"), periods=("from", "nunique"), first=("from", "min")
    )
    told = causes.set_index(keys)[["rows", "periods", "first_from"]].sort_index()
    assert told.to_numpy().tolist() == counted.sort_index().to_numpy().tolist()
    assert len(causes) > 0


def test_colours_come_when_they_are_asked_for(monkeypatch):
    call = ("agree", SAMPLES / "coupons", "--period", "8")
    plain = lars(*call).out
    assert "\x1b" not in plain
    assert "\x1b[1;31mU = 8" in lars(*call, "--color", "always").out
    assert lars(*call, "--color", "never").out == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert lars(*call).out == plain


def test_no_line_of_a_narrow_table_ends_inside_an_interval(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    found = lars("agree", SAMPLES / "coupons", "--period", "4..12").out
    assert max(len(line) for line in found.splitlines() if line[:1] in "│┃") <= 60
    assert not re.search(r"[(\[](12|16|18|24|48),\s*│", found)
    assert "(16, 24]" in found


STEP = "REGISTER QUERY q AS SELECT ?s FROM STREAM <e:S> [RANGE 4s STEP 4s] WHERE { ?s <e:p> ?o }"


def test_the_report_says_how_a_slide_hides_rows_and_repeats_no_equal_variant(tmp_path):
    """The derived CQELS query keeps the STEP, and its brave and cautious forms have the same rows."""
    (tmp_path / "q.rq").write_text(STEP)
    trace = tmp_path / "t.nq"
    trace.write_text('<e:a> <e:p> <e:b> <e:S> "1" .\n<e:c> <e:p> <e:b> <e:S> "8" .\n')
    lines = lars("agree", tmp_path / "q.rq", trace).out.splitlines()
    assert lines[1] == (
        "only pull reports 1 of 1 differing row, because a window of push ends at the last multiple of its "
        "SLIDE (4s), before the newest input (hidden by the pivot); lars derived SLIDE from the STEP of the "
        "given query, and the engine CQELS ignores SLIDE"
    )
    assert [line for line in lines if "variant" in line] == [
        (
            "CQELS variants with the same rows (brave: a part matches only its stream; cautious: also static "
            "data): brave · cautious"
        )
    ]
    assert sum(line.startswith("push and pull on") for line in lines) == 1
    static = tmp_path / "s.ttl"
    static.write_text("<e:d> <e:p> <e:b> .")
    apart = lars("agree", tmp_path / "q.rq", trace, "--static", static).out
    assert [line for line in apart.splitlines() if "variant" in line] == [
        "CQELS variant (brave: a part matches only its stream; cautious: also static data): brave",
        "CQELS variant: cautious",
    ]


def test_a_row_of_pull_only_has_the_last_time_of_push_from_an_earlier_period(tmp_path):
    """Push reports the row at 1, in the first period, as the tables say; pull reports it at 4 too."""
    (tmp_path / "q.rq").write_text("SELECT ?s { STREAM <e:S> [RANGE 9s] { ?s <e:p> ?o } }")
    trace = tmp_path / "t.nq"
    trace.write_text('<e:a> <e:p> <e:b> <e:S> "1" .\n<e:c> <e:q> <e:b> <e:S> "6" .\n')
    out = lars("agree", tmp_path / "q.rq", trace, "--period", 2).out
    assert re.search(r"│ 2 │ \(2, 4\] *│ pull *│ 1 *│ \(e:a\) │ silent period", out)
