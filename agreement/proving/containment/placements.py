"""Enumerate the ways in which windows of one query can contain the triples that another query matches.

At time t, the windows of query B divide the time of a window of query A into cells. All times in a cell are
equivalent: the same windows contain them. Tuple windows divide the arrivals of a stream in the same way,
counted from the newest arrival. A is contained in B if some disjunct of B maps into A's match for each t and
each choice of cells for the arrivals. A disjunct is an alternative of a query, without UNION. The mapping
uses only windows that contain these cells. A union of several windows may cover one window.

The relevant times t are the times at which ends of windows meet or a pivot moves, and the neighbors of these
times. Between these times, the order of the ends does not change. Arrivals that push other arrivals out of a
tuple window are separate data; their terms are new, so they match no constant of a pattern.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from math import lcm, prod
from typing import Final

from agreement.documents.requests import sources
from agreement.proving import disjuncts
from agreement.proving.containment.canonical import PairQuery, PlacedTriple, shown_at
from agreement.proving.values import fresh
from agreement.proving.witness import named_constants
from lars.dataclass import dataclass
from lars.language.formulas import Call, Test
from lars.language.terms import Constant, Iri, Term, Variable
from lars.language.windows import Interval, TimeWindow, TupleWindow, Window
from translate.model.query import Setting

_MOST_TIMES: Final = 20_000
_MOST_GROUPED: Final = 4
MOST_PUSHED: Final = 5_000
_MOST_CHOICES: Final = 5_000


Group = tuple[disjuncts.Edge, ...]
"""Triple patterns (edges) that match one and the same arriving triple."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """A possible arrival of a triple: its time, and the windows that contain the triple.

    `time` is the time point of the arrival. `rank` is the number of different tuple-window sizes for which
    newer arrivals have pushed the triple out. `windows` contains the windows of the other query that contain
    the triple.
    """

    time: int
    rank: int
    windows: frozenset[disjuncts.Reading]


@dataclass(frozen=True, slots=True)
class ArrivalPlacement:
    """The arrivals of a match's triples, each with the windows that contain it at evaluation time `t`.

    `equal` contains the conditions under which several triple patterns match one arrival. `sizes` contains
    the sizes of the tuple windows on each stream. `other` is a new name; additional triples, which push
    arrivals out of tuple windows, have this name in their terms.
    """

    t: int
    spots: tuple[tuple[Group, _Spot], ...]
    sizes: Mapping[Term, tuple[int, ...]]
    other: Iri
    equal: tuple[Test, ...] = ()

    @property
    def windows(self) -> Mapping[disjuncts.Edge, frozenset[disjuncts.Reading]]:
        """For each triple pattern, the windows of the other query that contain its triple."""
        return {edge: spot.windows for group, spot in self.spots for edge in group}

    @property
    def newer_triples(self) -> int:
        """The number of additional triples that are necessary to push arrivals out of tuple windows.

        Each arrival must be pushed out of the tuple windows that do not contain it in this placement.
        """
        newer = (_newer(spot, self.sizes.get(group[0].where.name, ())) for group, spot in self.spots)
        return max(newer, default=0)

    def data(self, edges: Sequence[disjuncts.Edge], model: disjuncts.Model) -> list[PlacedTriple]:
        """Return the triples of a match, and additional triples that push some of them out of tuple windows.

        The triples of each stream are in order of arrival. `model` gives a term for each variable of the
        edges.
        """
        triples: list[PlacedTriple] = [
            (None, edge.ground(model)) for edge in edges if isinstance(edge.where, disjuncts.GraphSource)
        ]
        for stream in dict.fromkeys(group[0].where.name for group, _ in self.spots):
            own = [(g, spot) for g, spot in self.spots if g[0].where.name == stream]
            triples += reversed(list(self._newest_first(own, self.sizes.get(stream, ()), model)))
        return triples

    def _newest_first(
        self, own: Sequence[tuple[Group, _Spot]], sizes: tuple[int, ...], model: disjuncts.Model
    ) -> Iterator[PlacedTriple]:
        edges = sorted(own, key=lambda each: (each[1].rank, -each[1].time))
        passed = 0
        for group, spot in edges:
            newer, quad = _newer(spot, sizes), group[0].ground(model)
            for number in range(passed, newer):
                yield spot.time, unlike(number, self.other, quad[3])
            passed = max(passed, newer) + 1
            yield spot.time, quad


def _newer(spot: _Spot, sizes: tuple[int, ...]) -> int:
    return (0, *sizes)[spot.rank] if sizes else 0


def new_name(queries: Iterable[PairQuery]) -> Iri:
    """Return an IRI that does not occur in the given queries."""
    return fresh(Variable("o"), named_constants(query.program for query in queries))


def unlike(number: int, other: Iri, stream: Constant) -> disjuncts.Quad:
    """Return an additional triple in a stream, whose terms contain a new name and the given number.

    Additional triples push other triples out of tuple windows.
    """
    return Iri(f"{other.value}{number}"), other, other, stream


def placements(edges: Sequence[disjuncts.Edge], queries: Sequence[PairQuery]) -> Iterator[ArrivalPlacement]:
    """Yield the placements of arriving triples in the windows of queries, which together cover all cases.

    Raises:
        UncountedError: Too many placements exist.
    """
    plain = tuple(edge for edge in dict.fromkeys(edges) if isinstance(edge.where, disjuncts.Reading))
    views = tuple(
        disjuncts.Reading(each.stream, each.window) for query in queries for each in sources(query.query)
    )
    views, setting = tuple(dict.fromkeys(views)), queries[0].setting
    streams = list(dict.fromkeys(edge.reading.name for edge in plain))
    places = [_Stream.of(stream, plain, views, setting) for stream in streams]
    sizes: dict[Term, tuple[int, ...]] = {each.stream: each.sizes for each in places}
    other = new_name(queries)
    looks = (*(edge.reading for edge in plain), *views)
    for t in critical_times([look.operator(setting) for look in looks]):
        for chosen in product(*(tuple(each.choices(t)) for each in places)):
            spots = tuple(spot for spots_of_group, _ in chosen for spot in spots_of_group)
            equal = tuple(test for _, tests in chosen for test in tests)
            yield ArrivalPlacement(t, spots, sizes, other, equal)


@dataclass(frozen=True, slots=True)
class _Stream:
    """The triple patterns that match in one stream, and the windows of queries on this stream.

    `sizes` are the different sizes of tuple windows on the stream, in ascending order.
    """

    stream: Iri | Variable
    edges: tuple[disjuncts.Edge, ...]
    views: tuple[disjuncts.Reading, ...]
    sizes: tuple[int, ...]
    setting: Setting

    @classmethod
    def of(
        cls,
        stream: Iri | Variable,
        edges: Sequence[disjuncts.Edge],
        views: Sequence[disjuncts.Reading],
        setting: Setting,
    ) -> "_Stream":
        """Return the triple patterns in `edges` and the windows in `views` that belong to one stream.

        Raises:
            UncountedError: A tuple window counts elements, or the stream has a tuple window and a window that
            looks ahead.
        """
        own = tuple(edge for edge in edges if edge.reading.name == stream)
        near = tuple(view for view in views if view.name == stream or isinstance(view.name, Variable))
        windows = [where.operator(setting) for where in (*(edge.reading for edge in own), *near)]
        sizes = sorted({window.size for window in windows if isinstance(window, TupleWindow)})
        if any(isinstance(window, TupleWindow) and window.ties == "elements" for window in windows):
            raise disjuncts.UncountedError("a tuple window that counts elements is not decided")
        if sizes and any(isinstance(window, TimeWindow) and window.future > 0 for window in windows):
            raise disjuncts.UncountedError(
                "a tuple window together with a window that looks ahead is not decided"
            )
        return cls(stream, own, near, tuple(sizes), setting)

    def choices(self, t: int) -> Iterator[tuple[tuple[tuple[Group, _Spot], ...], tuple[Test, ...]]]:
        """Yield each placement of the stream's arrivals at evaluation time `t`.

        Each result contains a placement, and the conditions under which several triple patterns match one
        arrival.

        Raises:
            UncountedError: Too many placements exist.
        """
        for groups, equal in self._groupings():
            options = [self._spots(group, t) for group in groups]
            if prod(map(len, options)) > _MOST_CHOICES:
                why = "the triples of a match can be placed in too many ways to try all of them"
                raise disjuncts.UncountedError(why)
            for chosen in product(*options):
                if self._fits(chosen):
                    yield tuple(zip(groups, chosen, strict=True)), equal

    def _groupings(self) -> Iterator[tuple[tuple[Group, ...], tuple[Test, ...]]]:
        yield tuple((edge,) for edge in self.edges), ()
        # Only tuple windows count arrivals: otherwise a mapping for several triples also holds for one.
        if not self.sizes:
            return
        if len(self.edges) > _MOST_GROUPED:
            why = "a tuple window must contain many triples, some of which may be the same triple"
            raise disjuncts.UncountedError(why)
        for groups in _partitions(self.edges):
            equal = [_equal(group) for group in groups]
            if len(groups) < len(self.edges) and all(tests is not None for tests in equal):
                yield groups, tuple(test for tests in equal for test in tests or ())

    def _fits(self, spots: Sequence[_Spot]) -> bool:
        """Return whether the arrivals of a match can have the given places at the same time.

        A tuple window must not lose a newer arrival before an older arrival, and must not contain more
        arrivals than its size.
        """
        if not self.sizes:
            return True
        for newer, older in product(spots, spots):
            if newer.time > older.time and newer.rank > older.rank:
                return False
        room = [size - below for below, size in zip((0, *self.sizes), self.sizes, strict=False)]
        return all(sum(spot.rank == rank for spot in spots) <= many for rank, many in enumerate(room))

    def _spots(self, group: Group, t: int) -> list[_Spot]:
        windows = [edge.reading.operator(self.setting) for edge in group]
        interval = Interval(0, self._last(t))
        for window in windows:
            interval = interval.meet(_interval(window, t))
        # The tuple windows of the group's own patterns must still contain the arrival.
        ranks = len(self.sizes)
        for window in windows:
            if isinstance(window, TupleWindow):
                ranks = min(ranks, self.sizes.index(window.size))
        cells = [cell for cell in self._cells(t) if interval.meet(cell) == cell]
        spots = [self._spot(cell.last, rank, t) for cell in reversed(cells) for rank in range(ranks, -1, -1)]
        # In tuple windows, a place also decides how many newer arrivals fit, so no place is redundant.
        return spots if self.sizes else _least(spots)

    @property
    def _looks(self) -> list[disjuncts.Reading]:
        return [*self.views, *(edge.reading for edge in self.edges)]

    def _last(self, t: int) -> int:
        """Return the last time point in any window at evaluation time `t`, or `t` if `t` is later."""
        # A window that looks ahead also contains triples after `t`.
        return max((t, *(_interval(look.operator(self.setting), t).last for look in self._looks)))

    def _spot(self, time: int, rank: int, t: int) -> _Spot:
        return _Spot(time, rank, frozenset(view for view in self.views if self._sees(view, time, rank, t)))

    def _sees(self, view: disjuncts.Reading, time: int, rank: int, t: int) -> bool:
        window = view.operator(self.setting)
        if isinstance(window, TupleWindow):
            return rank <= self.sizes.index(window.size)
        return time in _interval(window, t)

    def _cells(self, t: int) -> list[Interval]:
        ends = {0, t + 1, self._last(t) + 1}
        for look in self._looks:
            interval = _interval(look.operator(self.setting), t)
            ends |= {interval.first, interval.last + 1} if interval else set()
        listed = sorted(ends)
        return [Interval(low, high - 1) for low, high in pairwise(listed)]


def _interval(window: Window, t: int) -> Interval:
    return shown_at(window, t) if isinstance(window, TimeWindow) else Interval(0, t)


def _least(spots: Iterable[_Spot]) -> list[_Spot]:
    """Return the places of an arrival with minimal sets of windows that contain the arrival.

    A mapping that is valid for a set of windows is also valid for a larger set, so a proof does not need
    places with larger sets.
    """
    listed = list({spot.windows: spot for spot in spots}.values())
    return [spot for spot in listed if not any(other.windows < spot.windows for other in listed)]


def _partitions(edges: Sequence[disjuncts.Edge]) -> Iterator[tuple[Group, ...]]:
    if not edges:
        yield ()
        return
    first, *rest = edges
    for groups in _partitions(rest):
        yield ((first,), *groups)
        for number, group in enumerate(groups):
            yield (*groups[:number], (first, *group), *groups[number + 1 :])


def _equal(group: Group) -> tuple[Test, ...] | None:
    """Return the conditions under which all edges (triple patterns) of a group match the same triple.

    If constants of the edges differ, the function returns None.
    """
    requirements: list[Test] = []
    for edge, other in combinations(group, 2):
        for mine, theirs in zip(edge.triple.terms, other.triple.terms, strict=True):
            if mine != theirs:
                if not (isinstance(mine, Variable) or isinstance(theirs, Variable)):
                    return None
                requirements.append(Test(Call("SAMETERM", (mine, theirs))))
    return tuple(dict.fromkeys(requirements))


def critical_times(windows: Sequence[Window]) -> Sequence[int]:
    """Return evaluation times at which the ends of windows have all their possible orders.

    The times are so late that no window begins before time 0.

    Raises:
        UncountedError: A window is neither time-based nor tuple-based, or the pivots have too many positions.
    """
    timed = [window for window in windows if isinstance(window, TimeWindow)]
    if any(not isinstance(window, TimeWindow | TupleWindow) for window in windows):
        raise disjuncts.UncountedError("windows that begin at a time of their own are not decided")
    steps = lcm(1, *(window.step for window in timed))
    base = -(-(max((window.past or 0 for window in timed), default=0) + steps + 2) // steps) * steps
    # With few positions of the pivots, all of them are simpler than the critical ones.
    if steps <= _MOST_TIMES // 20:
        return range(base, base + steps)
    return sorted({base + t for t in _meetings(timed, steps)})


def _meetings(windows: Sequence[TimeWindow], steps: int) -> Iterator[int]:
    """Yield the times at which a window moves or ends of windows coincide, and the times before and after.

    A window moves when its pivot changes, which is the last multiple of its slide. The times are counted from
    a time that is a pivot of all windows.
    """
    moving = {end for window in windows if window.step == 1 for end in _ends(window)}
    stepped = {window for window in windows if window.step > 1}
    if sum(steps // window.step for window in stepped) * (2 + len(moving)) > _MOST_TIMES:
        why = "the pivots of the windows have too many relative positions to try all of them"
        raise disjuncts.UncountedError(why)
    pivots = {
        (pivot, end) for window in stepped for end in _ends(window) for pivot in range(0, steps, window.step)
    }
    times = {pivot for pivot, _ in pivots} | {pivot + end - own for pivot, end in pivots for own in moving}
    yield from ((t + near) % steps for t in times for near in (-1, 0, 1))


def _ends(window: TimeWindow) -> tuple[int, ...]:
    """Return the ends of a window as distances from its pivot, the last multiple of its slide.

    The ends are the first time point of the window, and the time point after its last time point. A window
    with an unlimited past has only the second end.
    """
    far = (window.past or 0) + abs(window.future) + 2
    pivot = far * window.step
    interval = window.bounds(pivot, Interval(0, 2 * pivot + far))
    return (
        (interval.last + 1 - pivot,)
        if window.past is None
        else (interval.first - pivot, interval.last + 1 - pivot)
    )
