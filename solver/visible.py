"""Which input atoms are seen through a window, at which of the reference times."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

import clingo

from lars.terms import Atom, Variable
from lars.windows import Interval, TimeWindow, TupleWindow, Window
from solver.facts import Arguments, Fact, symbol_of
from solver.gate import matcher
from solver.relevance import variables_in_order
from solver.situation import Situation

Span = tuple[int, int]
Places = list[tuple[int, Fact]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Input atoms behind a window that a rule asks for: instances of `atom`, and of one of `any_of`.

    `any_of` are atoms of the same predicate: those that some rule can use; they save the rest.
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
        self._newest = situation.timeline.last if situation.newest is None else situation.newest
        self._by_second = _indexed((fact.t, fact) for fact in self._facts)

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
        return [
            clingo.Function("", [*map(symbol_of, terms), clingo.Number(first), clingo.Number(last)])
            for terms, seen in joined.items()
            for first, last in seen
        ]

    def _spans(self, wanted: Wanted) -> Iterator[tuple[Fact, Span]]:
        matches = matcher(wanted.atom)
        useful = [matcher(atom) for atom in wanted.any_of]
        match wanted.window:
            case TimeWindow() as window:
                index, span = self._by_second, _time_run(window, self._times, self._timeline)
            case TupleWindow() as window:
                counted = [fact for fact in self._facts if counts(window, fact)]
                index = _indexed(enumerate(counted))
                span = _tuple_run(window, self._times, counted)
            case _:
                assert_never(wanted.window)
        spans: dict[int, Span | None] = {}
        for place, fact in _candidates(index, wanted.atom):
            if fact.t <= self._newest and matches(fact) and any(check(fact) for check in useful):
                run = spans[place] if place in spans else spans.setdefault(place, span(place))
                if run is not None:
                    yield fact, run


def counts(window: TupleWindow, fact: Fact) -> bool:
    """Whether the tuple window counts the fact: it is of the window's source, if that is given."""
    return window.source is None or fact.arguments[-1:] == (str(window.source),)


def _indexed(facts: Iterable[tuple[int, Fact]]) -> dict[tuple[str, str | None], Places]:
    # In RDF the second argument is the property, which nearly every triple pattern fixes.
    index: dict[tuple[str, str | None], Places] = {}
    for place, fact in facts:
        second = fact.arguments[1] if len(fact.arguments) > 1 else None
        index.setdefault((fact.predicate, second), []).append((place, fact))
    return index


def _candidates(index: dict[tuple[str, str | None], Places], atom: Atom) -> Iterable[tuple[int, Fact]]:
    second = atom.arguments[1] if len(atom.arguments) > 1 else None
    if not isinstance(second, Variable):
        return index.get((atom.predicate, None if second is None else str(second)), ())
    found = [places for (predicate, _), places in index.items() if predicate == atom.predicate]
    return sorted((pair for places in found for pair in places), key=lambda pair: pair[0])


def _time_run(window: TimeWindow, times: Sequence[int], timeline: Interval) -> Callable[[int], Span | None]:
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
