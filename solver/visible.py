"""Which input atoms are seen through a window, at which of the reference times."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Final, assert_never

import clingo

from lars.terms import Atom, Variable
from lars.windows import Interval, SlidingWindow, TimeWindow, TupleWindow, Window
from solver.facts import Arguments, Fact, symbol_of
from solver.gate import Matcher, matcher
from solver.relevance import variables_in_order
from solver.situation import Situation

Span = tuple[int, int]
Places = list[tuple[int, Fact]]
# In RDF the second argument is the property, which nearly every triple pattern fixes.
_SECOND: Final = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """Input atoms behind a window that a rule asks for: instances of `atom`, and of one of `any_of`.

    `any_of` are instances of `atom`: those that some rule can use; they save the rest.
    """

    window: Window
    atom: Atom
    any_of: frozenset[Atom]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The atom's variables in order of their first place: the arguments of the ASP predicate."""
        return variables_in_order(self.atom)


class Visible:
    """The input of a slice, found by predicate and second argument, with its runs of times.

    `times` are the reference times, ascending; a run is a first and a last index into them.
    """

    def __init__(self, situation: Situation, times: Sequence[int]) -> None:
        inside = (fact for fact in dict.fromkeys(situation.facts) if fact.t in situation.timeline)
        self._facts = sorted(inside, key=lambda fact: fact.t)
        self._times = times
        self._timeline = situation.timeline
        self._newest = situation.newest
        self._index = _Index((fact.t, fact) for fact in self._facts)
        self._numbers = [clingo.Number(index) for index in range(len(times))]

    def atoms(self, window: Window, atom: Atom) -> list[Fact]:
        """Return the instances of an atom that the window shows at the last reference time, newest first."""
        last = len(self._times) - 1
        wanted = Wanted(window, atom, frozenset((atom,)))
        return [fact for fact, (_, end) in self._spans(wanted) if end == last][::-1]

    def tuples(self, wanted: Wanted) -> list[clingo.Symbol]:
        """Return a tuple of terms, first and last index for each run at which an atom is seen.

        Runs of one atom that meet or overlap are joined, so each index is in at most one.
        """
        places = [wanted.atom.arguments.index(variable) for variable in wanted.variables]
        joined: dict[Arguments, list[Span]] = {}
        for fact, span in self._spans(wanted):
            seen = joined.setdefault(tuple([fact.arguments[place] for place in places]), [])
            if seen and span[0] <= seen[-1][1] + 1:
                seen[-1] = (seen[-1][0], max(seen[-1][1], span[1]))
            else:
                seen.append(span)
        numbers = self._numbers
        return [
            clingo.Function("", [*map(symbol_of, terms), numbers[first], numbers[last]])
            for terms, seen in joined.items()
            for first, last in seen
        ]

    def _spans(self, wanted: Wanted) -> Iterator[tuple[Fact, Span]]:
        match wanted.window:
            case TimeWindow() | SlidingWindow() as window:
                index, span = self._index, _time_run(window, self._times, self._timeline)
            case TupleWindow() as window:
                counted = [fact for fact in self._facts if counts(window, fact.arguments)]
                index = _Index(enumerate(counted))
                span = _tuple_run(window, self._times, counted)
            case _:
                assert_never(wanted.window)
        latest = self._newest
        if latest is not None and isinstance(wanted.window, TimeWindow | SlidingWindow):
            latest = wanted.window.bounds(latest, self._timeline).last
        spans: dict[int, Span | None] = {}
        for place, fact in index.instances(wanted.any_of):
            if latest is None or fact.t <= latest:
                run = spans[place] if place in spans else spans.setdefault(place, span(place))
                if run is not None:
                    yield fact, run


def unite(spans: list[Span], new: Span) -> Span | None:
    """Add a run to ascending runs that do not meet; return the one it is part of then, None if it was."""
    first, last = new
    start = bisect_left(spans, first - 1, key=itemgetter(1))
    end = bisect_right(spans, last + 1, key=itemgetter(0))
    if start < end:
        if spans[start][0] <= first and last <= spans[start][1]:
            return None
        first, last = min(first, spans[start][0]), max(last, spans[end - 1][1])
    spans[start:end] = [(first, last)]
    return first, last


def counts(window: TupleWindow, arguments: Arguments) -> bool:
    """Whether the tuple window counts an input atom with these arguments: it is of its source, if any."""
    return window.source is None or arguments[-1:] == (str(window.source),)


class _Index:
    """Facts with their ascending places, found by predicate and second argument."""

    def __init__(self, facts: Iterable[tuple[int, Fact]]) -> None:
        self._by_predicate: dict[str, Places] = {}
        for pair in facts:
            self._by_predicate.setdefault(pair[1].predicate, []).append(pair)
        self._by_second: dict[str, dict[str, Places]] = {}

    def instances(self, patterns: Iterable[Atom]) -> Places:
        """Return the instances of any of the atoms, ascending in place."""
        found = [list(filter(_at(matcher(atom)), self._candidates(atom))) for atom in patterns]
        if len(found) == 1:
            return found[0]
        return sorted(dict.fromkeys(chain.from_iterable(found)), key=itemgetter(0))

    def _candidates(self, atom: Atom) -> Places:
        every = self._by_predicate.get(atom.predicate, [])
        if len(atom.arguments) < _SECOND + 1 or isinstance(atom.arguments[_SECOND], Variable):
            return every
        if (index := self._by_second.get(atom.predicate)) is None:
            index = self._by_second[atom.predicate] = {}
            for pair in every:
                if len(arguments := pair[1].arguments) > _SECOND:
                    index.setdefault(arguments[_SECOND], []).append(pair)
        return index.get(str(atom.arguments[_SECOND]), [])


def _at(matches: Matcher) -> Callable[[tuple[int, Fact]], bool]:
    return lambda pair: matches(pair[1])


def _time_run(
    window: TimeWindow | SlidingWindow, times: Sequence[int], timeline: Interval
) -> Callable[[int], Span | None]:
    shown = [window.bounds(t, timeline) for t in times]
    return _run([interval.first for interval in shown], [interval.last for interval in shown])


def _tuple_run(
    window: TupleWindow, times: Sequence[int], counted: Sequence[Fact]
) -> Callable[[int], Span | None]:
    # Places count from 0 in arrival order; `arrived` is how many have come by each time.
    arrivals = [fact.t for fact in counted]
    arrived = [bisect_right(arrivals, t) for t in times]
    return _run([n - window.size for n in arrived], [n - 1 for n in arrived])


def _run(firsts: list[int], lasts: list[int]) -> Callable[[int], Span | None]:
    # Both ends never move back, so the indexes whose interval holds a place are consecutive.
    def run(place: int) -> Span | None:
        first, last = bisect_left(lasts, place), bisect_right(firsts, place) - 1
        return (first, last) if first <= last else None

    return run
