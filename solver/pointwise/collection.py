"""What the host knows of the instances that clingo collected, and what it answers: see `callbacks`.

One sweep over the reference indexes for each group: what costs time is that an instance comes or
goes, not that there are many reference times.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import clingo

from lars.formulas import Among, Gather, Gathered
from lars.terms import NULL, Constant
from solver.facts import Span, constant, symbol, unite, variables_in_order
from solver.rdf import aggregate, sorted_rows

Symbols = tuple[clingo.Symbol, ...]
Instances = Mapping[Gathered, frozenset[Symbols]]
"""Which instances of their atoms literals shall find at one reference time."""
Element = tuple[Constant | None, ...]
_Change = tuple[int, int, bool]
"""An index, and the rank of what appears there, or is gone from there on."""


class Collection:
    """The instances of one literal's atom with their runs of indexes, and the literal's answers.

    An instance is the terms of the atom's variables; its runs may come in any order, and overlap.
    """

    def __init__(self, literal: Gathered, last: int) -> None:
        self.literal = literal
        self._last = last
        self._spans: dict[Symbols, list[Span]] = {}

    def add(self, instance: Symbols, span: Span) -> None:
        """Note that the instance holds at the indexes from the first to the last of the span."""
        unite(self._spans.setdefault(instance, []), span)

    def answers(self) -> Iterator[tuple[Symbols, Span]]:
        """Yield each answer of the literal with each of its longest runs."""
        answers = _Answers()
        match self.literal:
            case Gather() as gather:
                self._gather(gather, answers)
            case Among() as among:
                self._among(among, answers)
        return answers.runs(self._last)

    def _gather(self, gather: Gather, answers: "_Answers") -> None:
        names = variables_in_order(gather.atom)
        keys = [names.index(key) for key in gather.keys]
        arguments = [names.index(argument) for argument in gather.aggregation.arguments]
        # Groups of nothing but the empty one are there without an instance.
        groups: dict[Symbols, list[Symbols]] = {} if keys else {(): []}
        for instance in self._spans:
            groups.setdefault(_part(instance, keys), []).append(instance)
        for group, members in groups.items():
            elements = [tuple(_value(member[i]) for i in arguments) for member in members]
            changes = sorted(self._changes(members))
            now: clingo.Symbol | None = None
            for index, active in _sweep(changes, always=not keys):
                then, now = now, None
                if active or not keys:
                    found = aggregate(gather.aggregation, (elements[rank] for rank in active))
                    now = symbol(NULL if found is None else found)
                if now != then:
                    answers.replace(index, _row(group, then), _row(group, now))

    def _among(self, among: Among, answers: "_Answers") -> None:
        end = None if among.limit is None else among.offset + among.limit
        for ranked in self._ranked(among):
            self._placed(ranked, _First(among.offset, end), answers)

    def _ranked(self, among: Among) -> Iterable[Sequence[Symbols]]:
        """Return the instances of each group, in order."""
        names = variables_in_order(among.atom)
        order = [(names.index(order.variable), order.descending) for order in among.order]
        keys = [names.index(key) for key in among.keys]
        rows: dict[Element, Symbols] = {tuple(map(_value, instance)): instance for instance in self._spans}
        groups: dict[Symbols, list[Symbols]] = {}
        for row in sorted_rows(rows, order):
            instance = rows[tuple(row)]
            groups.setdefault(_part(instance, keys), []).append(instance)
        return groups.values()

    def _placed(self, ranked: Sequence[Symbols], first: "_First", answers: "_Answers") -> None:
        for index, rank, appears in sorted(self._changes(ranked)):
            entering, leaving = first.appear(rank) if appears else first.vanish(rank)
            answers.replace(
                index,
                None if leaving is None else ranked[leaving],
                None if entering is None else ranked[entering],
            )

    def _changes(self, ranked: Iterable[Symbols]) -> Iterator[_Change]:
        for rank, instance in enumerate(ranked):
            for first, last in self._spans[instance]:
                yield first, rank, True
                if last < self._last:
                    yield last + 1, rank, False


def _sweep(changes: Iterable[_Change], *, always: bool) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each index at which something changes, with the ranks active from there on, ascending."""
    active: list[int] = []
    begun = False
    for index, some in groupby(changes, itemgetter(0)):
        if always and not begun and index > 0:
            yield 0, active
        begun = True
        for _, rank, appears in some:
            if appears:
                insort(active, rank)
            else:
                del active[bisect_left(active, rank)]
        yield index, active
    if always and not begun:
        yield 0, active


class _First:
    """The ranks from place `offset` to before place `end` of those active, as they come and go."""

    def __init__(self, offset: int, end: int | None) -> None:
        self._offset = offset
        self._end = end
        self._active: list[int] = []

    def appear(self, rank: int) -> tuple[int | None, int | None]:
        """Return the rank that enters the places, and the one that leaves them."""
        place = bisect_left(self._active, rank)
        self._active.insert(place, rank)
        return self._moved(place)

    def vanish(self, rank: int) -> tuple[int | None, int | None]:
        """Return the rank that enters the places, and the one that leaves them."""
        place = bisect_left(self._active, rank)
        leaving, entering = self._moved(place)
        del self._active[place]
        return entering, leaving

    def _moved(self, place: int) -> tuple[int | None, int | None]:
        # All from the place on moved by one: one passes the offset, one the end.
        if self._end is not None and max(place, self._offset) >= self._end:
            return None, None
        return self._at(max(place, self._offset)), None if self._end is None else self._at(self._end)

    def _at(self, place: int) -> int | None:
        return self._active[place] if place < len(self._active) else None


class _Answers:
    """Rows with the indexes at which they are answers, noted with ascending indexes for each row."""

    def __init__(self) -> None:
        self._since: dict[Symbols, int] = {}
        self._past: dict[Symbols, list[Span]] = {}

    def replace(self, index: int, leaving: Symbols | None, entering: Symbols | None) -> None:
        """Note that from the index on one row is no answer any more, and another one is."""
        if leaving is not None and (first := self._since.pop(leaving)) < index:
            self._past.setdefault(leaving, []).append((first, index - 1))
        if entering is not None:
            past = self._past.get(entering)
            joined = past and past[-1][1] == index - 1
            self._since[entering] = past.pop()[0] if past and joined else index

    def runs(self, last: int) -> Iterator[tuple[Symbols, Span]]:
        """Yield each row with each of its runs up to the last index."""
        for row, spans in self._past.items():
            yield from ((row, span) for span in spans)
        yield from ((row, (first, last)) for row, first in self._since.items())


def _row(group: Symbols, value: clingo.Symbol | None) -> Symbols | None:
    return None if value is None else (*group, value)


def _part(instance: Symbols, places: Iterable[int]) -> Symbols:
    return tuple(instance[place] for place in places)


def _value(term: clingo.Symbol) -> Constant | None:
    found = constant(term)
    return None if found == NULL else found
