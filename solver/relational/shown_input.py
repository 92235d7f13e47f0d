"""The evaluation times at which windows contain input atoms, as one interval per atom.

The visible atoms at many times are computed together, for windows with any ends.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import chain, pairwise
from typing import Final, Literal, assert_never

import numpy as np

from lars.dataclass import dataclass
from lars.language import windows
from lars.language.terms import Signature, signature
from solver.columns import (
    Array,
    CodedTerms,
    InputAtoms,
    Mask,
    Numbering,
    TermCodes,
    TraceColumns,
    distinct,
    keys,
    trace_columns,
)
from solver.facts import Arrivals, Background, CodedRows, Gate, Situation, WindowedAtom, times_of
from solver.relational.run_tables import RunTable, coalesce, empty, with_longest


@dataclass(frozen=True, slots=True, eq=False)
class ShownContents:
    """Several given contents of a program's windows, numbered from 0 to `count` - 1.

    The field `atoms` contains, for each predicate and window, the atoms with one code per argument, and the
    intervals of the numbers of contents that contain the atom. The number of a content is used as its
    evaluation time.
    """

    terms: TermCodes
    count: int
    atoms: Mapping[tuple[Signature, windows.Window], RunTable]
    background: Mapping[Signature, Array]

    @property
    def times(self) -> Sequence[int]:
        """The numbers of the contents, which are also the evaluation times."""
        return range(self.count)

    def runs(self, source: WindowedAtom) -> RunTable:
        """Return the values of an atom's variables, with the times at which its window contains the atom."""
        assert not source.timed, "the arrival time of an atom is not given"
        table = self.atoms.get((signature(source.atom), source.window))
        if table is None:
            return empty(len(source.places))
        chosen = self.terms.fitting_any(source.any_of, table.columns, len(table))
        return coalesce(table.take(chosen).project(source.places), self.count)


def given_rows(contents: Sequence[Collection[Sequence[str]]], width: int, terms: TermCodes) -> RunTable:
    """Return a table of the rows of texts in all contents; a row's interval is the number of its content."""
    rows: Numbering[Sequence[str]] = Numbering()
    places = np.array(list(map(rows.__getitem__, chain.from_iterable(contents))), np.int64)
    numbers = np.repeat(np.arange(len(contents)), list(map(len, contents)))
    codes = encoded_rows(rows, width, terms)
    return RunTable(tuple(codes[places].T), numbers, numbers)


def span_runs(starts: Sequence[int], ends: Sequence[int]) -> RunTable:
    """Return a table of all numbers in ranges [start, end), each with the indexes of ranges that contain it.

    If starts and ends increase from one range to the next, each number has a single interval.

    >>> result = span_runs([0, 1, 0], [2, 3, 1])
    >>> [column.tolist() for column in (*result.columns, result.first, result.last)]
    [[0, 1, 2, 0], [0, 0, 1, 2], [0, 1, 1, 2]]
    """
    first, end = np.array(starts, np.int64), np.array(ends, np.int64)
    # `_forward` needs ascending ends, so the ranges are divided where an end moves back.
    back = np.flatnonzero((np.diff(first) < 0) | (np.diff(end) < 0)) + 1
    parts = [
        _forward(first[begin:stop], end[begin:stop], begin)
        for begin, stop in pairwise([0, *back.tolist(), len(first)])
    ]
    places, firsts, lasts = (np.concatenate(column) for column in zip(*parts, strict=True))
    return RunTable((places,), firsts, lasts)


def _forward(first: Array, end: Array, begin: int) -> tuple[Array, Array, Array]:
    places = np.arange(first.min(initial=0), end.max(initial=0))
    firsts, lasts = np.searchsorted(end, places, "right"), np.searchsorted(first, places, "right") - 1
    there = firsts <= lasts
    return places[there], firsts[there] + begin, lasts[there] + begin


@dataclass(frozen=True, slots=True, eq=False)
class EncodedSituation:
    """The data of a Situation in columns of codes, for the relational evaluation of any programs.

    The field `atoms` contains the input in the timeline. The field `background` contains rows with one code
    for each argument of a background atom.
    """

    terms: TermCodes
    timeline: windows.Interval
    atoms: Mapping[Signature, InputAtoms]
    background: Mapping[Signature, Array]

    def within(self, within: windows.Interval) -> "EncodedSituation":
        """Return the situation with only the input in an interval."""
        inside = {name: some.within(within) for name, some in self.atoms.items()}
        return replace(self, atoms=inside)

    def near(self, times: Sequence[int], past: int, future: int) -> "EncodedSituation":
        """Return the situation with only the input in [t - past, t + future] for any of the times t."""
        around = distinct(np.array(times, np.int64))
        inside = {name: some.near(around, past, future) for name, some in self.atoms.items()}
        return replace(self, atoms=inside)

    @property
    def is_late(self) -> bool:
        """Whether some atoms arrived late, so that evaluations see them later than at their own times."""
        return any(some.since is not None for some in self.atoms.values())

    def seen_at(self, t: int) -> "EncodedSituation":
        """Return the situation with only the input that an evaluation at t sees."""
        atoms = {
            name: some if some.since is None else replace(some.take(some.since <= t), since=None)
            for name, some in self.atoms.items()
        }
        return replace(self, atoms=atoms)

    def decoded(self) -> Situation:
        """Return the situation with its facts and its background as rows of texts, for clingo."""
        terms, background = self.terms, self.background.items()
        facts = TraceColumns(terms, self.atoms, self.timeline.last).facts(self.timeline)
        static = {name: _row_texts(rows, terms) for name, rows in background}
        return Situation(self.timeline, facts, static)

    def times(self, gate: Gate, within: windows.Interval) -> Array:
        """Return the evaluation times in the interval, in ascending order."""
        within = within.meet(self.timeline)
        if not isinstance(gate, Arrivals):
            return np.array(times_of(gate, (), within), np.int64)
        arrived = [np.empty(0, np.int64)]
        for pattern in gate.patterns:
            if (some := self.atoms.get(signature(pattern))) is not None:
                some = some.within(within)
                fitting = self.terms.matching(pattern.arguments, some.columns, len(some.t))
                moments = (some.t if some.since is None else some.since)[fitting]
                arrived.append(moments[moments <= within.last])
        return distinct(np.concatenate(arrived))


def _row_texts(rows: Array, terms: TermCodes) -> list[tuple[str, ...]]:
    """Return rows of codes as rows of texts."""
    count, arity = rows.shape
    return list(zip(*map(terms.atom_texts, rows.T), strict=True)) if arity else [()] * count


def situation_of(
    columns: TraceColumns, timeline: windows.Interval, background: Background
) -> EncodedSituation:
    """Return the situation of a trace on a timeline."""
    terms = columns.terms
    inside = {name: some.within(timeline) for name, some in columns.atoms.items()}
    rows = {name: encoded_rows(rows, name[1], terms) for name, rows in background.items()}
    return EncodedSituation(terms, timeline, inside, rows)


def encode(situation: Situation) -> EncodedSituation:
    """Return a situation as columns of codes."""
    return situation_of(trace_columns(situation.facts), situation.timeline, situation.background)


def encoded_rows(rows: Iterable[Sequence[str]], arity: int, terms: TermCodes) -> Array:
    """Return rows of texts as rows of codes."""
    if isinstance(rows, CodedRows):
        return terms.codes(rows.texts)[rows.codes]
    row_list = list(rows)
    return terms.codes(chain.from_iterable(row_list)).reshape(len(row_list), arity)


def places_among(ascending: Array, values: Array, side: Literal["left", "right"]) -> Array:
    """Return np.searchsorted(ascending, values, side) for values that are ascending too.

    >>> places_among(np.array([3, 5]), np.array([2, 3, 4, 5]), "right").tolist()
    [0, 1, 1, 2]
    """
    if len(values) <= len(ascending):
        return np.searchsorted(ascending, values, side)
    # It is faster to search the shorter array in the longer one, and to repeat each result.
    borders = np.searchsorted(values, ascending, "right" if side == "left" else "left")
    return np.repeat(np.arange(len(borders) + 1), np.diff(borders, prepend=0, append=len(values)))


_Runs = tuple[Array, Array]

_SUMMABLE: Final = 2**62
"""The bound of times and of distances below which their sums fit in 64 bits."""


class ShownInput:
    """The input atoms of some predicates, and the evaluation times at which windows contain them.

    `newest` has the length of `times`, and its values never decrease. Each evaluation ignores atoms that
    arrive after its time in `newest`, but tuple windows count them. If `newest` is None, each evaluation sees
    all input.
    """

    def __init__(
        self,
        situation: EncodedSituation,
        atoms: Mapping[Signature, InputAtoms],
        times: Sequence[int],
        newest: Sequence[int] | None,
    ) -> None:
        self.terms = situation.terms
        self.background = situation.background
        self.times = times
        self._atoms = atoms
        self._timeline = situation.timeline
        self._newest = None if newest is None else np.array(newest, np.int64)
        self._times = np.array(times, np.int64)
        self._known: dict[tuple[Signature, windows.Window], _Runs] = {}

    def runs(self, source: WindowedAtom) -> RunTable:
        """Return the values of an atom's variables, with the times at which its window contains the atom.

        If `source.timed` is true, the last column contains the time of the atom.
        """
        table = self.arrivals(source)
        return with_longest(table.project(range(len(table.columns) - 1)), len(self._times))

    def arrivals(self, source: WindowedAtom) -> RunTable:
        """Return the table of `runs`, but with a separate row for each arrival of an atom.

        The last column contains the row number of the arriving atom in the input.
        """
        predicate = signature(source.atom)
        if predicate not in self._atoms:
            return empty(len(source.places) + source.timed + 1)
        atoms = self._atoms[predicate]
        key = predicate, source.window
        if key not in self._known:
            self._known[key] = self._runs(*key)
        first, last = self._known[key]
        if atoms.since is not None:
            # An atom that came late is visible from the first evaluation after its arrival on.
            first = np.maximum(first, np.searchsorted(self._times, atoms.since, "left"))
        if self._newest is not None:
            first = np.maximum(first, np.searchsorted(self._newest, atoms.t, "left"))
        fitting = self.terms.fitting_any(source.any_of, atoms.columns, len(atoms.t)) & (first <= last)
        chosen = np.flatnonzero(fitting)
        columns = [atoms.columns[place][chosen] for place in source.places]
        if source.timed:
            columns.append(self.terms.of_numbers(atoms.t[chosen]))
        return RunTable((*columns, chosen), first[chosen], last[chosen])

    def _runs(self, predicate: Signature, window: windows.Window) -> _Runs:
        """Return, for each input atom of a predicate, the interval of times at which a window contains it."""
        match window:
            case windows.IntervalWindow():
                t = self._atoms[predicate].t
                firsts, lasts = window_ends(window, self._times, self._timeline)
                # Neither end of a window moves back, so the indexes at which it contains t are consecutive.
                return places_among(lasts, t, "left"), places_among(firsts, t, "right") - 1
            case windows.TupleWindow():
                # Without partitions, a window counts atoms of all predicates together.
                counted = self._atoms if window.by is None else {predicate: self._atoms[predicate]}
                return kept_runs(counted, window, self._times, self.terms)[predicate]
            case _:
                assert_never(window)


def kept_runs(
    atoms: Mapping[Signature, InputAtoms], window: windows.TupleWindow, times: Array, terms: CodedTerms
) -> dict[Signature, _Runs]:
    """Return, for each atom, the interval of times at which a tuple window keeps the atom.

    The interval begins when the atom arrives, and ends when newer atoms replace it.
    """
    if window.by is not None and len(atoms) > 1:
        # Only atoms of one predicate share a partition.
        apart = (kept_runs({name: some}, window, times, terms) for name, some in atoms.items())
        return {name: runs for one in apart for name, runs in one.items()}
    masks = [counted_atoms(some, window, terms) for some in atoms.values()]
    parts = [some.take(mask) for some, mask in zip(atoms.values(), masks, strict=True)]
    t, arrival = (np.concatenate([getattr(part, end) for part in parts]) for end in ("t", "arrival"))
    since = np.concatenate([part.t if part.since is None else part.since for part in parts])
    key = np.zeros(len(t), np.int64) if window.by is None else partition(parts[0], window)
    order = np.lexsort((arrival, t, key))
    first = np.searchsorted(times, np.maximum(t, since), "left")
    last = np.empty_like(first)
    # If no atom came late, a sort replaces the heap.
    departures = _departures if (t >= since).all() else _late_departures
    last[order] = departures(key[order], t[order], first[order], window, len(times)) - 1
    # An atom that is not counted is never kept: its run is empty.
    runs = {name: (np.ones(len(mask), np.int64), np.zeros(len(mask), np.int64))
            for name, mask in zip(atoms, masks, strict=True)}  # fmt: skip
    borders = np.cumsum([len(part.t) for part in parts])[:-1]
    ends = zip(runs.values(), masks, np.split(first, borders), np.split(last, borders), strict=True)
    for (firsts, lasts), mask, own_first, own_last in ends:
        firsts[mask], lasts[mask] = own_first, own_last
    return runs


def window_ends(
    window: windows.IntervalWindow, times: Array, timeline: windows.Interval
) -> tuple[Array, Array]:
    """Return the first and the last time point in a window at each of the given times.

    For an empty window, the ends are arbitrary numbers in or next to the timeline, which fit in 64 bits.
    """
    before, after = timeline.first - 1, timeline.last + 1
    # A subclass of TimeWindow computes other ends than its `offsets`.
    if type(window) is windows.TimeWindow and _is_summable(window, timeline):
        pivots, (first, last) = times - times % window.step, window.offsets
        firsts = np.full(len(times), timeline.first) if first is None else pivots + first
        return np.clip(firsts, timeline.first, after), np.clip(pivots + last, before, timeline.last)
    intervals = [window.bounds(time, timeline) for time in times.tolist()]
    firsts = np.array([min(interval.first, after) for interval in intervals], np.int64)
    return firsts, np.array([max(interval.last, before) for interval in intervals], np.int64)


def _is_summable(window: windows.TimeWindow, timeline: windows.Interval) -> bool:
    """Return whether the times and the ends of a window can be computed in 64 bits."""
    return max(window.step, timeline.last, *(abs(end or 0) for end in window.offsets)) < _SUMMABLE


def of_source(atoms: InputAtoms, window: windows.TupleWindow, terms: CodedTerms) -> Mask:
    """Return a mask of the atoms that have the source of a tuple window; all atoms if it has no source."""
    if window.source is None:
        return np.ones(len(atoms.t), np.bool_)
    if not atoms.columns:
        return np.zeros(len(atoms.t), np.bool_)
    return np.equal(atoms.columns[-1], terms.code(str(window.source)))


def counted_atoms(atoms: InputAtoms, window: windows.TupleWindow, terms: CodedTerms) -> Mask:
    """Return a mask of the atoms that a tuple window counts: atoms of its source, each once per time."""
    return atoms.first_arrivals() & of_source(atoms, window, terms)


def partition(atoms: InputAtoms, window: windows.TupleWindow) -> Array:
    """Return, for each atom of one predicate, the number of its partition in a tuple window."""
    places = [place - 1 for place in window.by or () if place <= len(atoms.columns)]
    (key,) = keys([[atoms.columns[place] for place in places]], [len(atoms.t)], 1)
    return key


def _departures(key: Array, t: Array, first: Array, window: windows.TupleWindow, count: int) -> Array:
    """Return, for each atom, the index of the first evaluation at which the atom has left the window.

    The atoms are sorted by key, then by arrival.
    """
    place = np.arange(len(key))
    follows = np.append((key[1:] != key[:-1]) | (t[1:] != t[:-1]), True)[: len(key)]
    if window.ties == "elements":
        # All atoms of one time are one place, and leave when the time comes that is `size` places later.
        begins = np.append(True, follows[:-1])[: len(key)]
        numbers = np.cumsum(begins) - 1
        one = replace(window, ties="arrival")
        gone: Array = _departures(key[begins], t[begins], first[begins], one, count)[numbers]
        return gone
    if window.ties == "all":
        # An atom leaves together with the last one that came with it.
        place = np.flatnonzero(follows)[np.cumsum(follows) - follows]
    following = np.minimum(place + min(window.size, len(key)), len(key))
    gone = np.append(first, count)[following]
    # If the place `size` places later is in another partition, the atom never leaves.
    return np.where(np.append(key, -1)[following] == key, gone, count)


def _late_departures(key: Array, t: Array, first: Array, window: windows.TupleWindow, count: int) -> Array:
    """Return the result of `_departures` for atoms that can arrive late.

    A newer atom displaces older atoms only from the first evaluation that sees the newer atom.
    """
    gone = np.full(len(key), count)
    # The negated first indexes of the `size` newer atoms that came first; the last of them is on top.
    newer: list[int] = []
    waiting: list[int] = []
    for place in range(len(key) - 1, -1, -1):
        follows = place + 1 < len(key) and key[place] == key[place + 1]
        if not follows:
            newer, waiting = [], []
        elif window.ties == "arrival" or t[place] != t[place + 1]:
            # With `elements`, the atoms of one time are one element, which exists from its first atom on.
            for index in [min(waiting)] if window.ties == "elements" else waiting:
                heappush(newer, -index)
                if len(newer) > window.size:
                    heappop(newer)
            waiting = []
        if window.size == 0:
            gone[place] = first[place]
        elif len(newer) == window.size:
            gone[place] = -newer[0]
        waiting.append(int(first[place]))
    return gone
