"""The coupon scenario and its variants through the command: LARS (2015), Examples 1-9."""

from collections import Counter
from unittest.mock import patch

import pytest

from solver import relational
from tests.agreement.command import agree, lars
from tests.packs import SAMPLES
from tests.sizes import few

COUPONS = SAMPLES / "coupons"
XSD = "http://www.w3.org/2001/XMLSchema#"
E = "http://example.org/"
B = {
    "percent": {"type": "literal", "value": "25", "datatype": f"{XSD}integer"},
    "product": {"type": "uri", "value": f"{E}rayban"},
    "shop": {"type": "uri", "value": f"{E}b"},
}
AGREEING = {
    "closed": {*range(4, 8), *range(9, 12), *range(18, 24)},
    "low-open": {*range(4, 8), *range(9, 12), *range(18, 23)},
    "high-open": {6, 8, 9, *range(12, 19), *range(24, 51)},
}
HOLDS = {"closed": range(18, 24), "low-open": range(18, 23), "high-open": range(19, 24)}
SILENT, EXPIRED = ("pull", "silent period"), ("push", "expired before the pull")
VIOLATIONS = {
    1: {(t, t + 1): SILENT for t in range(18, 23)},
    2: {(18, 20): SILENT, (20, 22): SILENT},
    3: {(18, 21): SILENT},
    8: {(16, 24): EXPIRED},
    12: {(12, 24): EXPIRED},
    24: {(0, 24): EXPIRED},
}


@pytest.fixture(scope="module")
def reports():
    """The report of every period from 1 to 51 for each of the bounds."""
    return {bounds: agree(COUPONS, "--period", "1..51", "--bounds", bounds) for bounds in AGREEING}


def periods(ran):
    return {period["period"]: period for period in ran.json["periods"]}


def wrong(period):
    return {(i["from"], i["to"]): i for i in period["intervals"] if not i["agree"]}


@pytest.mark.parametrize("bounds", AGREEING)
def test_exactly_the_listed_periods_agree(reports, bounds):
    verdicts = {u: period["agree"] for u, period in periods(reports[bounds]).items()}
    assert {u for u, verdict in verdicts.items() if verdict is True} == AGREEING[bounds]
    assert {u for u, verdict in verdicts.items() if verdict is None} == {51}
    assert list(verdicts) == list(range(1, 52))


@pytest.mark.parametrize("period", VIOLATIONS)
def test_the_violations_are_where_and_why_they_should_be(reports, period):
    found = wrong(periods(reports["closed"])[period])
    causes = {
        ends: [(cause["side"], cause["cause"]) for cause in one["causes"]] for ends, one in found.items()
    }
    assert causes == {ends: [cause] for ends, cause in VIOLATIONS[period].items()}
    for one in found.values():
        only, none = ("push", "pull") if one["push"] else ("pull", "push")
        assert (one[only], one[none]) == ([B], [])
        assert (one[f"{only}_only"], one[f"{none}_only"]) == ([B], [])


@pytest.mark.parametrize("bounds", AGREEING)
@pytest.mark.parametrize("period", range(1, 51))
def test_pull_answers_at_the_multiples_at_which_the_row_holds(reports, bounds, period):
    intervals = periods(reports[bounds])[period]["intervals"]
    found = {one["to"]: one["pull"] for one in intervals if one["pull"]}
    assert found == {t: [B] for t in HOLDS[bounds] if t % period == 0}


@pytest.mark.parametrize("bounds", AGREEING)
@pytest.mark.parametrize("period", range(1, 51))
def test_push_answers_in_the_period_of_18_alone_and_never_when_open_above(reports, bounds, period):
    intervals = periods(reports[bounds])[period]["intervals"]
    found = {one["to"]: one["push"] for one in intervals if one["push"]}
    end = -(-18 // period) * period
    assert found == ({} if bounds == "high-open" or end > 50 else {end: [B]})


@pytest.mark.parametrize("bounds", AGREEING)
def test_every_difference_of_every_period_is_explained_once(reports, bounds):
    for period in reports[bounds].json["periods"]:
        for one in period["intervals"]:
            sides = [("push", row) for row in one["push_only"]] + [("pull", row) for row in one["pull_only"]]
            assert [(cause["side"], cause["row"]) for cause in one["causes"]] == sides
            assert one["agree"] is (not sides)


def test_open_above_hides_the_arrival_from_push_though_it_evaluated(reports):
    found = wrong(periods(reports["high-open"])[4])
    assert {ends: one["causes"][0]["cause"] for ends, one in found.items()} == {
        (16, 20): "hidden by the pivot"
    }


@pytest.mark.parametrize("period", [*range(1, 51), 51])
def test_what_is_left_over_is_reported_and_not_compared(reports, period):
    found = periods(reports["closed"])[period]
    whole = 50 // period
    assert len(found["intervals"]) == whole
    assert found["unfinished"] == (None if 50 % period == 0 else {"from": whole * period, "to": 50})


def test_the_json_has_exactly_the_documented_keys(reports):
    report = reports["closed"].json
    assert list(report) == [
        "unit",
        "origin",
        "profile",
        "bounds",
        "on",
        "variant",
        "periods",
        "variants",
        "warnings",
        "certified",
    ]
    assert [report["unit"], report["profile"], report["bounds"]] == ["1m", "paper2015", "closed"]
    said = ["no whole period of 51 is inside the timeline [0, 50]: nothing is compared"]
    assert [report["variant"], report["variants"], report["warnings"]] == ["given", [], said]
    for period in report["periods"]:
        assert list(period) == ["period", "agree", "empty", "intervals", "unfinished"]
        for one in period["intervals"]:
            assert list(one) == [
                *("from", "to", "agree", "push", "pull", "push_only", "pull_only", "causes"),
            ]
            for cause in one["causes"]:
                assert list(cause) == ["side", "row", "cause", "support", "pushed"]


def test_the_support_names_the_four_input_triples(reports):
    (one,) = wrong(periods(reports["closed"])[8]).values()
    support = one["causes"][0]["support"]
    assert all(list(triple) == ["t", "stream", "s", "p", "o"] for triple in support)
    shown = [(x["t"], *(v.removeprefix(E) for v in (x["stream"], x["s"]["value"]))) for x in support]
    assert shown == [
        (15, "coupons", "b"),
        (15, "coupons", "c2"),
        (15, "coupons", "c2"),
        (18, "locations", "claire"),
    ]
    assert [x["p"]["value"].removeprefix(E) for x in support] == ["offers", "on", "reduce", "isNear"]
    assert support[2]["o"] == B["percent"]


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--period", "8"), 1), (("--period", "51"), 0)])
def test_the_exit_code_says_whether_they_agree(options, code):
    ran = agree(COUPONS, *options)
    assert (ran.code, next(iter(ran.json))) == (code, "unit")
    assert ("no whole period of 51" in ran.err) == ("51" in options)


def test_what_makes_an_agreement_hollow_is_warned_of():
    queries = [COUPONS / f"query.{name}.rq" for name in ("csparql", "cqels")]
    mistyped = f"http://example.org/coupon={COUPONS / 'coupons.trig'}"
    ran = agree(*queries, "--stream", mistyped, "--unit", "1min", "--period", "5")
    assert "no element of the stream <http://example.org/coupons>" in ran.err
    unread = "no query reads the stream <http://example.org/coupon> of the trace"
    assert f"{unread}. Its elements make push evaluate; to exclude them, use --trigger query" in ran.err
    triggered = agree(*queries, "--stream", mistyped, "--trigger", "query-streams", "--period", "5")
    assert f"{unread}\n" in triggered.err
    assert "neither push nor pull reports a row" in ran.err
    ran = lars(
        "agree",
        *queries,
        "--stream",
        mistyped,
        "--unit",
        "1min",
        "--period",
        "5",
        "--to",
        "50",
        "--in-process",
    )
    assert ran.out.startswith("push and pull agree on 10 whole periods: neither side reports a row")


def test_one_disagreeing_period_among_many_is_enough_for_exit_code_1():
    assert lars("agree", COUPONS, "--period", "4,5,8", "--in-process").code == 1
    assert lars("agree", COUPONS, "--period", "4..7", "--in-process").code == 0


def test_fifty_periods_evaluate_each_time_point_once():
    seen: list[tuple[int, ...]] = []
    evaluated = relational.evaluate_program

    def spy(program, situation, times, output, newest):
        seen.append(tuple(times))
        return evaluated(program, situation, times, output, newest)

    with (
        patch.object(relational, "evaluate_program", spy),
        patch("agreement.results.renderings.agreement_report.as_json", lambda _: {}),
    ):
        lars("agree", COUPONS, "--period", "1..50", "--in-process", "--json", "--to", "50")
    assert seen == [tuple(range(51)), (10, 15, 18)]


def test_the_causes_in_fifty_periods_take_few_more_evaluations_than_those_in_one():
    asked = Counter()
    evaluated = relational.evaluate_program

    def spy(*arguments):
        asked[periods] += 1
        return evaluated(*arguments)

    with patch.object(relational, "evaluate_program", spy):
        for periods in ("3", "1..50"):
            agree(COUPONS, "--period", periods)
    assert 2 < asked["3"] <= asked["1..50"] < 3 * asked["3"]


@pytest.mark.parametrize(("bounds", "last"), [("closed", 45), ("low-open", 44)])
def test_v1_a_static_location_holds_for_pull_as_long_as_the_coupon_does(bounds, last):
    report = agree(SAMPLES / "coupons-static", "--period", "1", "--bounds", bounds).json
    assert len(report["variants"]) == 4
    for variant in report["variants"]:
        intervals = variant["periods"][0]["intervals"]
        assert {one["to"] for one in intervals if one["pull"]} == set(range(15, last + 1))


def test_v1_only_a_cautious_reading_of_the_locations_sees_the_row_at_15():
    variants = agree(SAMPLES / "coupons-static", "--period", "1").json["variants"]
    pushes = {
        v["variant"]: {i["to"] for i in v["periods"][0]["intervals"] if i["push"] == [B]} for v in variants
    }
    assert pushes == {
        "brave, brave": {18},
        "brave, cautious": {15, 18},
        "cautious, brave": {18},
        "cautious, cautious": {15, 18},
    }


def test_v2_the_union_is_per_pattern_and_the_merge_per_triple():
    report = agree(SAMPLES / "merged").json
    for variant in report["variants"]:
        first, second = variant["periods"][0]["intervals"]
        assert [row["shop"]["value"] for row in first["pull"]] == [f"{E}a"]
        assert [first["push"], second["push"], second["pull"]] == [[], [], []]
        assert first["causes"][0]["cause"] == "merged sources"
    assert [variant["variant"] for variant in report["variants"]] == ["brave", "cautious"]


def test_v3_all_input_seen_and_yet_they_disagree():
    ran = agree(SAMPLES / "minus")
    (one,) = wrong(ran.json["periods"][0]).values()
    assert (ran.code, one["from"], one["to"]) == (1, 0, 2)
    assert [row["order"]["value"] for row in one["push"]] == [f"{E}order7"]
    assert (one["pull"], one["causes"][0]["cause"]) == ([], "blocked later")


def test_v4_the_pivot_hides_from_push_what_pull_sees():
    ran = agree(SAMPLES / "slide")
    (one,) = wrong(ran.json["periods"][0]).values()
    assert (ran.code, one["from"], one["to"], one["push"]) == (1, 0, 3, [])
    assert [row["person"]["value"] for row in one["pull"]] == [f"{E}ann"]
    assert one["causes"][0]["cause"] == "hidden by the pivot"
    assert ran.err.startswith("warning: W2 (slide under push): ")


ON_SPARK = [*sorted(file.parent.name for file in SAMPLES.glob("*/experiment.toml")), "coupons --period 1..50"]


@pytest.mark.parametrize("line", few(ON_SPARK, 4))
def test_spark_and_this_process_print_the_same_bytes(line, spark):
    sample, *options = line.split()
    on_spark = lars("agree", SAMPLES / sample, *options, "--json", "--master", "local[2]")
    assert on_spark == agree(SAMPLES / sample, *options)
