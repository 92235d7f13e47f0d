"""Facts about windows: their ends, pivots, and which of them can be empty."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.windows import (
    NOW,
    UNBOUNDED,
    Bounds,
    Interval,
    LastWindow,
    SlidingWindow,
    TimeWindow,
    TupleWindow,
    misses_first,
    misses_last,
)
from tests.lars.strategies import intervals, last_windows, sliding_windows, time_windows

TIMELINE = Interval(0, 50)
sizes = st.integers(1, 60)
steps = st.integers(1, 9)
times = st.integers(0, 50)


@given(sizes, steps, times)
def test_low_open_is_closed_with_one_point_less(size, step, t):
    low_open = TimeWindow(size, step=step, ends="low-open").bounds(t, TIMELINE)
    assert low_open == TimeWindow(size - 1, step=step).bounds(t, TIMELINE)


@given(sizes, steps, times)
def test_high_open_is_closed_without_the_pivot(size, step, t):
    closed = TimeWindow(size, step=step)
    high_open = TimeWindow(size, step=step, ends="high-open").bounds(t, TIMELINE)
    assert list(high_open) == [u for u in closed.bounds(t, TIMELINE) if u != closed.pivot(t)]


@given(
    st.sampled_from(get_args(Bounds)),
    st.sampled_from(
        (TimeWindow(0), TimeWindow(4, -4), TimeWindow(None), TimeWindow(None, -3), TimeWindow(4, 2))
    ),
    times,
)
def test_ends_change_neither_single_points_nor_infinite_nor_looking_ahead(ends, window, t):
    other = TimeWindow(window.past, window.future, window.step, ends)
    assert other.bounds(t, TIMELINE) == window.bounds(t, TIMELINE)


@given(time_windows(), intervals(), times)
def test_a_window_shows_no_more_than_the_timeline(window, timeline, t):
    assert all(u in timeline for u in window.bounds(t, timeline))


@given(time_windows(), times)
def test_a_pivot_is_a_multiple_of_the_step_not_after_t(window, t):
    pivot = window.pivot(t)
    assert pivot % window.step == 0
    assert 0 <= t - pivot < window.step


@given(time_windows(), intervals(), st.data())
def test_a_window_that_is_never_empty_shows_t(window, timeline, data):
    t = data.draw(st.integers(timeline.first, timeline.last))
    assert not window.never_empty or t in window.bounds(t, timeline)


@given(intervals(), st.data())
def test_now_shows_t_and_infinity_all_up_to_t(timeline, data):
    t = data.draw(st.integers(timeline.first, timeline.last))
    assert list(NOW.bounds(t, timeline)) == [t]
    assert UNBOUNDED.bounds(t, timeline) == Interval(timeline.first, t)


@pytest.mark.parametrize(
    ("window", "t", "shown"),
    [
        (TimeWindow(5), 8, range(3, 9)),
        (TimeWindow(5, ends="low-open"), 8, range(4, 9)),
        (TimeWindow(5, ends="high-open"), 8, range(3, 8)),
        (TimeWindow(3, step=3), 1, range(1)),
        (TimeWindow(3, step=3), 3, range(4)),
        (TimeWindow(2, 2, 4), 7, range(2, 7)),
        (TimeWindow(9), 4, range(5)),
        (TimeWindow(10, -5), 20, range(10, 16)),
        (TimeWindow(10, -5, 8), 23, range(6, 12)),
        (TimeWindow(10, -5, ends="low-open"), 20, range(11, 16)),
        (TimeWindow(10, -5, ends="high-open"), 20, range(10, 15)),
        (TimeWindow(None, -5), 20, range(16)),
        (TimeWindow(10, -5), 3, range(0)),
    ],
)
def test_the_worked_windows(window, t, shown):
    assert list(window.bounds(t, TIMELINE)) == list(shown)


def test_a_pivot_before_the_timeline_gives_an_empty_window():
    assert not TimeWindow(1, step=5).bounds(8, Interval(7, 9))
    assert not TimeWindow(2, ends="high-open").bounds(7, Interval(7, 9))


def test_a_window_that_ends_before_its_pivot_can_be_empty():
    assert not TimeWindow(10, -5).never_empty
    assert not TimeWindow(None, -1).never_empty


def test_a_tuple_window_can_always_be_empty():
    assert not TupleWindow(3).never_empty


@given(sliding_windows(), st.integers(-5, 50))
def test_the_active_window_is_the_earliest_opening_one_that_is_still_open(window, t):
    openings = range(window.start, max(window.start, t) + window.slide + 1, window.slide)
    active = next(o for o in openings if t <= o + window.width)
    assert list(window.bounds(t, Interval(-9, 50))) == [u for u in range(-9, t + 1) if active < u]


@given(sliding_windows(), st.integers(0, 3), times)
def test_later_starts_change_nothing_once_they_have_started(window, n, t):
    # RSP-QL (2014), Theorem 1, outside the transient.
    later = SlidingWindow(window.width, window.slide, window.start + n * window.slide)
    if t > window.start + (n - 1) * window.slide + window.width:
        assert later.bounds(t, TIMELINE) == window.bounds(t, TIMELINE)


@given(last_windows(), st.integers(-5, 50))
def test_the_last_window_is_the_latest_that_has_closed(window, t):
    openings = range(window.start, max(window.start, t) + 1, window.slide)
    closed = [o for o in openings if o + window.width <= t]
    shown = [u for u in range(-9, 51) if closed and closed[-1] <= u <= closed[-1] + window.width]
    shown = [u for u in shown if not (misses_first(window.ends) and u == closed[-1])]
    shown = [u for u in shown if not (misses_last(window.ends) and u == closed[-1] + window.width)]
    assert list(window.bounds(t, Interval(-9, 50))) == shown


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 50))
def test_the_last_window_is_one_of_lars_where_the_slide_divides_the_width(slide, times, t):
    pivot, last = TimeWindow(times * slide, 0, slide), LastWindow(times * slide, slide)
    if t >= times * slide:
        high_open = replace(pivot, ends="high-open")
        assert last.bounds(t, TIMELINE) == high_open.bounds(t, TIMELINE)


def test_the_transient_of_theorem_1():
    early, late = SlidingWindow(5, 2, 1), SlidingWindow(5, 2, 3)
    differ = [t for t in range(4, 20) if early.bounds(t, TIMELINE) != late.bounds(t, TIMELINE)]
    assert differ == [4, 5, 6]


@pytest.mark.parametrize("late", [2**31, 2**53, 2**60])
def test_a_sliding_window_opens_late_as_it_does_early(late):
    window, by = SlidingWindow(width=5, slide=3, start=1), 3 * late
    for t in range(9, 20):
        near, far = window.bounds(t, Interval(0, 50)), window.bounds(t + by, Interval(0, 50 + by))
        assert far == Interval(near.first + by, near.last + by)
