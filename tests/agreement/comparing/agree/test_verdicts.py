"""Which periods are compared, and what push and pull say in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from agreement.comparing.agree.periods import whole_periods
from lars.language.windows import Interval
from tests.agreement.command import agree
from tests.agreement.written_answers import verdict

A, B = ("<x:a>",), ("<x:b>",)
TIMELINES = some.builds(
    lambda first, length: Interval(first, first + length), some.integers(0, 30), some.integers(0, 60)
)
PERIODS = some.integers(1, 20)
OUTPUTS = some.dictionaries(some.integers(0, 90), some.frozensets(some.sampled_from([A, B])), max_size=8)


def ends(period, first, last):
    return list(whole_periods(period, Interval(first, last)))


@pytest.mark.parametrize(
    ("period", "first", "last", "expected"),
    [
        (4, 0, 10, [(0, 4), (4, 8)]),
        (4, 1, 8, [(0, 4), (4, 8)]),
        (4, 2, 12, [(4, 8), (8, 12)]),
        (4, 4, 8, [(4, 8)]),
        (4, 5, 8, [(4, 8)]),
        (4, 6, 8, []),
        (1, 7, 7, [(6, 7)]),
        (1, 0, 0, []),
        (5, 0, 4, []),
        (5, 0, 5, [(0, 5)]),
        (5, 3, 9, []),
    ],
)
def test_a_period_is_compared_when_all_its_time_points_lie_in_the_timeline(period, first, last, expected):
    assert ends(period, first, last) == expected


@given(PERIODS, TIMELINES)
def test_the_periods_are_those_with_iu_and_i_plus_1_u_inside(period, timeline):
    expected = [
        (i * period, (i + 1) * period)
        for i in range(100)
        if timeline.first <= i * period + 1 and (i + 1) * period <= timeline.last
    ]
    assert list(whole_periods(period, timeline)) == expected


@given(PERIODS, TIMELINES)
def test_the_unfinished_period_begins_where_the_last_whole_one_ends(period, timeline):
    found = verdict(period, timeline, {}, {})
    if found.unfinished is not None:
        start, end = found.unfinished
        assert start % period == 0
        assert start < end == timeline.last
        assert end - start < period or not found.intervals
        assert not found.intervals or found.intervals[-1].end == start
    elif found.intervals:
        assert found.intervals[-1].end == timeline.last


@given(PERIODS, TIMELINES, OUTPUTS, OUTPUTS)
def test_agreement_is_the_union_of_push_against_the_pull_at_the_end(period, timeline, push, pull):
    found = verdict(period, timeline, push, pull)
    for one in found.intervals:
        union = {row for t in range(one.start + 1, one.end + 1) for row in push.get(t, ())}
        assert (one.push, one.pull) == (union, pull.get(one.end, frozenset()))
        assert one.only("push") == union - one.pull
        assert one.agree is (union == one.pull)
    agreeing = all(one.agree for one in found.intervals)
    assert found.agree is (agreeing if found.intervals else None)


@pytest.mark.parametrize("side", ["push", "pull"])
def test_time_0_is_never_compared(side):
    rows = {0: frozenset([A])}
    outputs = (rows, {}) if side == "push" else ({}, rows)
    found = verdict(2, Interval(0, 6), *outputs)
    assert (found.agree, len(found.intervals)) == (True, 3)


def test_the_start_of_a_period_belongs_to_the_one_before():
    found = verdict(2, Interval(0, 4), {2: frozenset([A])}, {2: frozenset([A])})
    assert [one.push for one in found.intervals] == [{A}, set()]


def test_what_push_says_before_the_first_and_after_the_last_whole_period_is_not_compared():
    rows = {t: frozenset([A]) for t in (3, 4, 9, 10)}
    found = verdict(4, Interval(3, 10), rows, {})
    assert [(one.start, one.end, one.push) for one in found.intervals] == [(4, 8, frozenset())]
    assert found.unfinished == (8, 10)


def test_rows_of_several_evaluations_in_a_period_count_once():
    found = verdict(3, Interval(0, 3), {1: frozenset([A]), 2: frozenset([A, B])}, {3: frozenset([A, B])})
    assert found.agree is True


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 4), (2, 9), (6, 9)])
def test_without_a_whole_period_there_is_no_verdict(first, last):
    found = verdict(5, Interval(first, last), {3: frozenset([A])}, {})
    assert (found.agree, [*found.intervals]) == (None, [])


QUERY = "SELECT ?x FROM STREAM <x:s> [RANGE 9s STEP 4s] WHERE { ?x <x:p> ?y }"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "q.rq").write_text(QUERY)
    (tmp_path / "t.nq").write_text(
        "".join(f'<x:a> <x:p> <x:b> <x:s> "{t}" .\n' for t in (0, 4, 8, 13)), encoding="utf-8"
    )
    return tmp_path / "q.rq", tmp_path / "t.nq"


@pytest.mark.parametrize(
    ("first", "last", "compared", "unfinished"),
    [
        (0, 13, [4, 8, 12], {"from": 12, "to": 13}),
        (1, 12, [4, 8, 12], None),
        (2, 12, [8, 12], None),
        (6, 9, [], {"from": 8, "to": 9}),
        (9, 12, [12], None),
    ],
)
def test_the_command_compares_the_whole_periods_between_from_and_to(first, last, compared, unfinished, files):
    ran = agree(*files, "--from", first, "--to", last)
    (period,) = ran.json["periods"]
    assert [one["to"] for one in period["intervals"]] == compared
    assert (period["unfinished"], period["agree"] is None) == (unfinished, not compared)


def test_elements_at_time_0_get_a_warning(files):
    ran = agree(*files)
    assert "warning: the trace has elements at time 0, which no period contains" in ran.err


def test_no_verdict_is_no_disagreement(files):
    ran = agree(*files, "--period", "50")
    assert (ran.code, ran.json["periods"][0]["agree"]) == (0, None)
