"""What a window shows at which reference times: runs of indexes = the definition of windows."""

from hypothesis import given
from hypothesis import strategies as st

from lars.stream import cut
from lars.terms import Atom
from lars.windows import NOW, Interval, TimeWindow, TupleWindow
from solver.facts import Fact, Situation, Visible, WindowedAtom, text_of
from tests.lars.strategies import SOURCE, A, B, X, Y, streams
from tests.solver.pointwise.test_definition import inputs, some, stream_atoms
from tests.solver.strategies import fact_of, shown_fast, situation

atoms = st.sampled_from(
    [Atom("e"), Atom("f", (X,)), Atom("f", (A,)), Atom("g", (X, Y)), Atom("g", (X, X)), Atom("g", (A, X))]
)


def is_instance(atom, pattern):
    """Whether some values of the pattern's variables make it the atom."""
    if (atom.predicate, len(atom.arguments)) != (pattern.predicate, len(pattern.arguments)):
        return False
    binding = {}
    pairs = zip(pattern.arguments, atom.arguments, strict=True)
    return all((binding.setdefault(p, a) if p in (X, Y) else p) == a for p, a in pairs)


def seen(stream, window, pattern, t):
    """Return the (time, atom) pairs that the window shows at t, by the definition."""
    shown = cut(stream, window, t).input
    return {(u, atom) for u, inside in shown.items() for atom in inside if is_instance(atom, pattern)}


def spread(tuples, count):
    """Return the tuples of terms by index, each at most once at each."""
    found = [[] for _ in range(count)]
    for one in tuples:
        *terms, first, last = one.arguments
        for index in range(first.number, last.number + 1):
            found[index].append(tuple(map(text_of, terms)))
    assert all(len(set(rows)) == len(rows) for rows in found)
    return [set(rows) for rows in found]


def values(atom, pattern):
    """Return the texts of the pattern's variables, in the order of their first place."""
    binding = dict(zip(pattern.arguments[::-1], atom.arguments[::-1], strict=True))
    return tuple(str(binding[v]) for v in dict.fromkeys(pattern.arguments) if v in (X, Y))


@given(inputs, shown_fast(), atoms, st.data())
def test_runs_say_what_the_definition_of_the_window_shows(stream, window, atom, data):
    times = some(list(stream.timeline), data)
    visible = Visible(situation(stream, ()), times)
    expected = [{values(a, atom) for _, a in seen(stream, window, atom, t)} for t in times]
    assert spread(visible.tuples(WindowedAtom(window, atom, frozenset((atom,)))), len(times)) == expected


@given(inputs, shown_fast(), atoms, st.data())
def test_atoms_are_those_shown_at_the_last_time_newest_first(stream, window, atom, data):
    times = some(list(stream.timeline), data)
    found = Visible(situation(stream, ()), times).atoms(window, atom) if times else []
    expected = {fact_of(u, a) for u, a in seen(stream, window, atom, times[-1])} if times else set()
    assert (set(found), len(found)) == (expected, len(expected))
    assert found == sorted(found, key=lambda fact: -fact.t)


@given(streams(stream_atoms, fewest=2, most=9), shown_fast(), st.data())
def test_what_is_newer_than_newest_counts_but_is_not_seen(stream, window, data):
    times, newest = list(stream.timeline), data.draw(st.sampled_from(list(stream.timeline)))
    given_to_it = situation(stream, ())
    until = Situation(given_to_it.timeline, given_to_it.facts, {}, newest)
    pattern = Atom("f", (X,))
    found = {fact for fact in Visible(given_to_it, times).atoms(window, pattern) if fact.t <= newest}
    assert set(Visible(until, times).atoms(window, pattern)) == found


@given(inputs, shown_fast())
def test_atoms_that_no_rule_can_use_are_left_out(stream, window):
    times, every = list(stream.timeline), Atom("f", (X,))
    visible = Visible(situation(stream, ()), times)
    used = spread(visible.tuples(WindowedAtom(window, every, frozenset((Atom("f", (A,)),)))), len(times))
    whole = spread(visible.tuples(WindowedAtom(window, every, frozenset((every,)))), len(times))
    assert used == [rows & {("a",)} for rows in whole]


def runs(window, facts, times):
    """Return the runs of f(X) as (term, first, last)."""
    visible = Visible(Situation(Interval(0, 20), facts, {}), times)
    pattern = Atom("f", (X,))
    found = visible.tuples(WindowedAtom(window, pattern, frozenset((pattern,))))
    return [(str(one.arguments[0]), *(n.number for n in one.arguments[1:])) for one in found]


def f(t, term):
    return Fact(t, "f", (str(term),))


def test_runs_that_meet_are_one():
    times = list(range(10))
    assert runs(TimeWindow(2), [f(1, A), f(4, A)], times) == [("a", 1, 6)]
    assert runs(TimeWindow(2), [f(1, A), f(5, A)], times) == [("a", 1, 3), ("a", 5, 7)]
    assert runs(NOW, [f(1, A), f(2, A), f(2, A)], times) == [("a", 1, 2)]


def test_indexes_count_the_reference_times_not_the_time_points():
    assert runs(TimeWindow(5), [f(3, A)], [0, 4, 8, 9]) == [("a", 1, 2)]
    assert runs(TimeWindow(3, 0, 3), [f(1, A)], [1, 2, 3, 5, 6]) == [("a", 2, 3)]
    assert runs(TimeWindow(5), [f(3, A)], []) == []


def test_a_tuple_window_of_a_source_counts_that_source_alone():
    facts = [Fact(t, "g", (str(term), str(s))) for t, term, s in ((1, A, SOURCE), (2, B, B), (4, B, SOURCE))]
    visible = Visible(Situation(Interval(0, 9), facts, {}), [3, 5])
    pattern = Atom("g", (X, Y))
    shown = {
        s: visible.tuples(WindowedAtom(TupleWindow(1, s), pattern, frozenset((pattern,))))
        for s in (SOURCE, None)
    }
    assert [str(one) for one in shown[SOURCE]] == ["(a,s,0,0)", "(b,s,1,1)"]
    assert [str(one) for one in shown[None]] == ["(b,b,0,0)", "(b,s,1,1)"]
