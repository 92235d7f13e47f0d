"""Streams and what windows leave of them: ties, sources, derived atoms, empty windows."""

from hypothesis import given
from hypothesis import strategies as st

from lars.language.stream import Stream, cut, stream_of
from lars.language.terms import Atom, Symbol
from lars.language.windows import Interval, TimeWindow, TupleWindow
from tests.lars.strategies import streams, windows

A, B, C = (Atom(name) for name in "abc")
S, OTHER = Symbol("s"), Symbol("other")
TIMELINE = Interval(0, 9)


def g(name, source):
    return Atom("g", (Symbol(name), source))


def test_equal_arrivals_at_one_time_count_once_at_the_first():
    assert stream_of(TIMELINE, [(1, A), (1, B), (1, A), (2, A)]).input == {1: (A, B), 2: (A,)}


def test_arrivals_outside_the_timeline_are_left_out():
    assert stream_of(Interval(2, 3), [(1, A), (2, B), (4, C)]).input == {2: (B,)}


def test_a_tuple_window_keeps_the_newest_pairs_by_arrival():
    stream = stream_of(TIMELINE, [(1, A), (1, B), (3, C)])
    shown = cut(stream, TupleWindow(2), 5)
    assert shown == Stream(Interval(1, 5), {1: (B,), 3: (C,)})


def test_a_window_of_elements_keeps_all_atoms_of_the_newest_times():
    stream = stream_of(TIMELINE, [(1, A), (1, B), (3, C), (4, A), (4, B)])
    shown = cut(stream, TupleWindow(2, ties="elements"), 5)
    assert shown == Stream(Interval(3, 5), {3: (C,), 4: (A, B)})
    assert not cut(stream, TupleWindow(0, ties="elements"), 5).timeline


def test_a_tuple_window_ignores_what_comes_after_t():
    stream = stream_of(TIMELINE, [(1, A), (3, C)])
    assert cut(stream, TupleWindow(1), 2) == Stream(Interval(1, 2), {1: (A,)})


def test_a_tuple_window_of_a_source_counts_and_keeps_only_its_atoms():
    first, second = g("first", S), g("second", S)
    stream = stream_of(TIMELINE, [(1, first), (2, second), (3, g("x", OTHER)), (4, A)])
    assert cut(stream, TupleWindow(2, S), 5).input == {1: (first,), 2: (second,)}


def test_a_tuple_window_counts_input_but_shows_the_derived_atoms_of_its_time():
    stream = stream_of(TIMELINE, [(1, A), (3, B)]).with_derived({2: frozenset((C,)), 4: frozenset((C,))})
    shown = cut(stream, TupleWindow(1), 4)
    assert shown.input == {3: (B,)}
    assert shown.derived == {4: frozenset((C,))}


def test_a_tuple_window_before_any_input_is_empty():
    assert not cut(stream_of(TIMELINE, [(3, A)]), TupleWindow(2), 2).timeline
    assert not cut(stream_of(TIMELINE, [(3, A)]), TupleWindow(0), 5).timeline


def test_a_time_window_shows_input_and_derived_atoms_of_its_interval():
    stream = stream_of(TIMELINE, [(1, A), (4, B)]).with_derived({2: frozenset((C,)), 3: frozenset((C,))})
    shown = cut(stream, TimeWindow(2, ends="low-open"), 4)
    assert shown == Stream(Interval(3, 4), {4: (B,)}, {3: frozenset((C,))})


def test_data_newer_than_the_pivot_is_hidden():
    assert cut(stream_of(TIMELINE, [(1, A)]), TimeWindow(3, step=3), 1).input == {}


@given(streams(), windows(), st.integers(0, 14))
def test_a_window_shows_a_substream(stream, window, t):
    shown = cut(stream, window, t)
    assert all(u in stream.timeline for u in shown.timeline)
    for u, atoms in shown.input.items():
        assert u in shown.timeline
        assert set(atoms) <= set(stream.input[u])


@given(streams(), windows(), st.integers(0, 14))
def test_a_window_on_what_it_shows_shows_the_same_atoms(stream, window, t):
    shown = cut(stream, window, t)
    assert cut(shown, window, t).input == shown.input


@given(streams(), st.integers(1, 9), st.integers(0, 14))
def test_a_tuple_window_shows_as_many_atoms_as_there_are_up_to_its_size(stream, size, t):
    arrived = sum(len(atoms) for u, atoms in stream.input.items() if u <= t)
    shown = cut(stream, TupleWindow(size), t).input
    assert sum(map(len, shown.values())) == min(size, arrived)
