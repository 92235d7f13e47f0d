"""Which windows show no more than others, at every time of every stream: long ones and short ones alike."""

from math import lcm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.proving.containment.mappings import is_inside
from lars.language.windows import NOW, UNBOUNDED, Interval, TimeWindow
from tests.agreement.command import lars
from tests.lars.strategies import GREAT, time_windows

SHORT = time_windows().filter(lambda one: max(one.past or 0, one.future, -one.future, one.step) < 10)


def shown_inside(inner, outer):
    """Whether one window's times are the other's, tried where each pivot can stand, long after the start."""
    first = 10 * lcm(inner.step, outer.step)
    whole = Interval(0, 3 * first)
    pairs = [(inner.bounds(t, whole), outer.bounds(t, whole)) for t in range(first, 2 * first)]
    return all(set(one) <= set(other) for one, other in pairs)


def times(window, factor):
    past = None if window.past is None else window.past * factor
    return TimeWindow(past, window.future * factor, window.step * factor)


@given(SHORT, SHORT)
def test_a_window_is_in_another_where_that_shows_all_its_times(inner, outer):
    assert is_inside(inner, outer) == shown_inside(inner, outer)


@given(SHORT, SHORT, st.sampled_from(GREAT))
def test_windows_so_many_times_as_long_are_in_each_other_as_short_ones_are(inner, outer, factor):
    # Time points between multiples are there only for steps: both have one, or none.
    inner, outer = (TimeWindow(one.past, one.future, 2 * one.step) for one in (inner, outer))
    near = is_inside(inner, outer)
    assert is_inside(times(inner, factor), times(outer, factor)) == near


@pytest.mark.parametrize("length", [10**9 - 1, 10**9, 2**30, 2**31, 2**53, 10**30])
def test_one_time_point_more_is_more_however_long_a_window_is(length):
    longer, shorter = TimeWindow(length + 1), TimeWindow(length)
    assert is_inside(shorter, longer)
    assert not is_inside(longer, shorter)
    assert not is_inside(UNBOUNDED, longer)
    assert is_inside(longer, UNBOUNDED)
    assert is_inside(NOW, shorter)
    assert not is_inside(TimeWindow(5, 0, length), TimeWindow(length + 3))
    assert is_inside(TimeWindow(5, 0, length), TimeWindow(length + 4))


def query(folder, name, window):
    (folder / name).write_text(f"PREFIX : <http://e/> SELECT ?x {{ STREAM :S {window} {{ ?x :p ?y }} }}")
    return name


DAYS = {
    ("[RANGE 30d SLIDE 1ms]", "[RANGE 20d SLIDE 1ms]"): ("--equivalent", 1),
    ("[RANGE 20d SLIDE 1ms]", "[RANGE 30d SLIDE 1ms]"): ("--contained", 0),
    ("[ALL]", "[RANGE 30d]"): ("--contained", 1),
    ("[RANGE 30d]", "[ALL]"): ("--contained", 0),
    ("[RANGE 100000000d]", "[RANGE 100000000d]"): ("--equivalent", 0),
    ("[RANGE 100000000000d]", "[RANGE 30d]"): ("--contained", 2),
}


@pytest.mark.parametrize("windows", DAYS)
def test_days_in_milliseconds_are_told_apart(windows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [query(tmp_path, f"{place}.rq", window) for place, window in enumerate(windows)]
    asked, code = DAYS[windows]
    found = lars("decide", *names, asked, "--unit", "1ms")
    assert found.code == code, found.err
    assert code < 2 or "8640000000000000000 time points of 1ms; expected up to" in found.err


# t mod 13 - t mod 17, by which the one pivot is after the other, is at most 12, and is that once in 221 s.
BRANCHES = {42: 0, 41: 1}


@pytest.mark.parametrize("length", BRANCHES)
def test_windows_whose_pivots_seldom_meet_are_decided_to_the_second(length, tmp_path):
    pattern = "{ ?x :p ?y }"
    parts = [f"{{ STREAM :S {w} {pattern} }}" for w in (f"[RANGE {length}s SLIDE 17s]", "[RANGE 20s]")]
    names = query(tmp_path, "one.rq", "[RANGE 30s SLIDE 13s]"), "other.rq"
    files = [tmp_path / name for name in names]
    files[1].write_text(f"PREFIX : <http://e/> SELECT ?x {{ {' UNION '.join(parts)} }}")
    assert lars("decide", *files, "--contained").code == BRANCHES[length]


def test_a_window_of_a_hundred_triples_and_more_is_filled(tmp_path):
    files = [tmp_path / query(tmp_path, f"{count}.rq", f"[ROWS {count}]") for count in (120, 150)]
    assert [lars("decide", *pair, "--contained").code for pair in (files, files[::-1])] == [0, 1]


def test_a_window_of_more_triples_than_are_ever_made_is_open_with_that_reason(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [query(tmp_path, f"{count}.rq", f"[ROWS {count}]") for count in (5500, 6000)]
    assert lars("decide", *names, "--contained").code == 0
    found = lars("decide", *names[::-1], "--contained")
    assert (found.code, found.err) == (3, "")
    assert "open (a tuple window of more than 5000 triples is not tried" in found.out
