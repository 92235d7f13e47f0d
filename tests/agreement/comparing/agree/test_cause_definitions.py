"""The causes of random comparisons against their definitions; many more: tests/benchmarks/causes.py."""

import pytest

from tests.agreement.cause_cases import (
    Case,
    E,
    Shape,
    case_with_another_query,
    case_with_own_static_data,
    case_with_several_windows,
    case_with_slides,
    case_with_windows_ahead,
    positive_case,
)
from tests.agreement.cause_check import checked, checked_case
from tests.agreement.reference import Arrival, Window
from tests.sizes import few


@pytest.mark.parametrize("first", few(range(0, 100, 25), 2))
def test_each_cause_is_what_its_words_say(first):
    assert [(seed, wrong) for seed in range(first, first + 25) if (wrong := checked(seed)[1])] == []


@pytest.mark.parametrize("first", few(range(120, 200, 20), 2))
def test_so_is_each_cause_where_both_sides_have_static_data_of_their_own(first):
    found = [checked_case(case_with_own_static_data(seed)) for seed in range(first, first + 20)]
    assert [wrong for _, wrong in found if wrong] == []


def test_causes_of_rows_of_positive_queries_follow_the_definitions():
    found = [checked_case(positive_case(seed)) for seed in range(40)]
    assert [wrong for _, wrong in found if wrong] == []
    assert any(("push", "expired before the pull") in causes for causes, _ in found)


@pytest.mark.parametrize("first", few(range(200, 280, 20), 2))
def test_so_is_each_cause_of_two_queries_that_ask_for_different_things(first):
    found = [checked_case(case_with_another_query(seed)) for seed in range(first, first + 20)]
    assert [wrong for _, wrong in found if wrong] == []


@pytest.mark.parametrize("first", few(range(280, 360, 20), 2))
def test_so_is_each_cause_where_windows_look_ahead(first):
    found = [checked_case(case_with_windows_ahead(seed)) for seed in range(first, first + 20)]
    assert [wrong for _, wrong in found if wrong] == []


@pytest.mark.parametrize("first", few(range(0, 80, 20), 2))
def test_so_is_each_cause_where_windows_with_a_slide_are_aggregated(first):
    found = [checked_case(case_with_slides(seed)) for seed in range(first, first + 20)]
    assert [wrong for _, wrong in found if wrong] == []


@pytest.mark.parametrize("first", [*few(range(300, 380, 20), 2), 1040, 2500])
def test_so_is_each_cause_where_one_stream_is_read_through_several_windows(first):
    found = [checked_case(case_with_several_windows(seed)) for seed in range(first, first + 20)]
    assert [wrong for _, wrong in found if wrong] == []


def test_an_aggregate_without_the_newest_input_is_hidden_by_the_pivot():
    arrivals = tuple(Arrival(t, E + "r", "a", "p", value) for t, value in ((1, "1"), (6, "2"), (7, "3")))
    windows = (Window(E + "r", 4, 4),)
    block = ("block", 0, (("?x", "p", "?y"),), False)
    shape = Shape(("x",), (("COUNT", "y", False), ("MAX", "y", False)), ("x",))
    one = Case(block, shape, windows, windows, "closed", arrivals, frozenset(), "any", 4)
    sides = ("pull", "push", "pull")
    assert checked_case(one) == ([(side, "hidden by the pivot") for side in sides], [])


def test_input_after_a_pull_hides_no_aggregate_from_it():
    listed = ((2, "a", "p", "1"), (5, "z", "q", "1"), (7, "b", "p", "1"))
    arrivals = tuple(Arrival(t, E + "r", *triple) for t, *triple in listed)
    windows = (Window(E + "r", 2, 4),)
    block = ("block", 0, (("?x", "p", "?y"),), False)
    shape = Shape(("x",), (("COUNT", "y", False),), ("x",))
    case = Case(block, shape, windows, windows, "closed", arrivals, frozenset(), "any", 1)
    causes, wrong = checked_case(case)
    assert (causes[:2], wrong) == ([("pull", "silent period")] * 2, [])


def test_input_that_no_pattern_reads_hides_no_aggregate_though_a_stream_has_several_windows():
    listed = ((3, "p", "1"), (4, "p", "3"), (8, "q", "2"))
    arrivals = tuple(Arrival(t, E + "r", "b", *rest) for t, *rest in listed)
    push, pull = (tuple(Window(E + "r", past, bounds="open") for past in two) for two in ((5, 5), (8, 2)))
    first, second = (("block", n, (("?x", "p", "?y"),), False) for n in (0, 1))
    shape = Shape(("x",), (("AVG", "y", False),), ("x",))
    case = Case(("union", first, second), shape, push, pull, "open", arrivals, frozenset(), "any", 4)
    assert checked_case(case) == ([(side, "different windows") for side in ("push", "pull")], [])


def test_input_that_only_a_window_without_future_shows_later_blocks_a_row():
    listed = ((1, "r", "z", "z", "z"), (2, "c", "a", "q", "b"), (3, "r", "a", "p", "b"))
    arrivals = tuple(Arrival(t, E + stream, *triple) for t, stream, *triple in listed)
    windows = Window(E + "r", 5, ahead=2), Window(E + "c", 5)
    first, second = (("block", n, (("?x", "pq"[n], f"?{'yz'[n]}"),), False) for n in (0, 1))
    case = Case(
        ("exists", first, second), Shape(), windows, windows, "closed", arrivals, frozenset(), "any", 4
    )
    causes, wrong = checked_case(case)
    assert (causes[0], wrong) == (("push", "blocked later"), [])


def test_different_queries_are_a_cause_on_both_sides():
    pull, push = (("block", 0, (("?x", p, "?y"),), False) for p in "pq")
    windows = (Window(E + "r", 9),)
    arrivals = Arrival(1, E + "r", "a", "p", "b"), Arrival(2, E + "r", "b", "q", "b")
    one = Case(pull, Shape(), windows, windows, "closed", arrivals, frozenset(), "any", 8, pushed=push)
    assert checked_case(one) == ([("push", "different queries"), ("pull", "different queries")], [])


def test_a_group_that_windows_hide_from_push_is_hidden_though_its_aggregate_would_be_another():
    listed = ((1, "r", "x", "p", "1"), (3, "r", "y", "p", "3"), (7, "c", "z", "q", "1"))
    arrivals = tuple(Arrival(t, E + stream, *triple) for t, stream, *triple in listed)
    windows = Window(E + "r", 6, 2), Window(E + "c", 9, 2)
    first, second = (
        ("block", n, ((f"?{v}", "pq"[n], f"?{w}"),), False) for n, (v, w) in enumerate(("xy", "zv"))
    )
    shape = Shape((), (("AVG", "y", False),), ("z",))
    case = Case(("join", first, second), shape, windows, windows, "closed", arrivals, frozenset(), "any", 8)
    assert checked_case(case) == ([("pull", "hidden by the pivot")], [])


def test_static_data_of_one_side_alone_are_a_cause_on_both_sides():
    causes = {
        tuple(one) for seed in (120, 121, 122) for one in checked_case(case_with_own_static_data(seed))[0]
    }
    assert {("push", "different static data"), ("pull", "different static data")} <= causes


def test_what_pull_hides_from_itself_when_push_evaluates_counts_as_hidden():
    listed = ((1, "a", "p", "2"), (4, "b", "p", "b"), (6, "b", "p", "b"), (9, "b", "q", "b"))
    arrivals = tuple(Arrival(t, E + "r", *triple) for t, *triple in listed)
    push, pull = ((Window(E + "r", past, step, "low-open"),) for past, step in ((3, 2), (7, 5)))
    one = ("block", 0, (("?x", "p", "?y"),), False)
    case = Case(one, Shape(), push, pull, "low-open", arrivals, frozenset(), "any", 3)
    found, wrong = checked_case(case)
    assert (found[0], wrong) == (("pull", "hidden by the pivot"), [])
