"""Which input atoms windows show at which reference times, and what input a program can look at."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from typing import Final, assert_never

import clingo

from lars.analysis import intensional, reach
from lars.program import Program
from lars.terms import Atom, Variable
from lars.windows import SlidingWindow, TimeWindow, TupleWindow, Window
from solver.facts.evaluation_times import Matcher, matcher
from solver.facts.facts import Arguments, Fact, Situation, symbol_of
from solver.facts.relevance import variables_in_order

Span = tuple[int, int]
Places = list[tuple[int, Fact]]
# In RDF the second argument is the property, which nearly every triple pattern fixes.
_SECOND: Final = 1


@dataclass(frozen=True, slots=True)
class WindowedAtom:
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
        self._tuples: dict[TupleWindow, tuple[list[int], _Index]] = {}

    def atoms(self, window: Window, atom: Atom) -> list[Fact]:
        """Return the instances of an atom that the window shows at the last reference time, newest first."""
        last = len(self._times) - 1
        wanted = WindowedAtom(window, atom, frozenset((atom,)))
        return [fact for fact, (_, end) in self._spans(wanted) if end == last][::-1]

    def tuples(self, wanted: WindowedAtom) -> list[clingo.Symbol]:
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

    def _spans(self, wanted: WindowedAtom) -> Iterator[tuple[Fact, Span]]:
        latest = self._newest
        match wanted.window:
            case TimeWindow() | SlidingWindow() as window:
                shown = [window.bounds(t, self._timeline) for t in self._times]
                index = self._index
                span = _run([interval.first for interval in shown], [interval.last for interval in shown])
            case TupleWindow() as window:
                # Places count from 0 in arrival order; `arrived` is how many have come by each time.
                arrivals, index = self._counted(window)
                arrived = [bisect_right(arrivals, t) for t in self._times]
                span = _run([n - window.size for n in arrived], [n - 1 for n in arrived])
            case _:
                assert_never(wanted.window)
        spans: dict[int, Span | None] = {}
        for place, fact in index.instances(wanted.any_of):
            if latest is None or fact.t <= latest:
                run = spans[place] if place in spans else spans.setdefault(place, span(place))
                if run is not None:
                    yield fact, run

    def _counted(self, window: TupleWindow) -> tuple[list[int], "_Index"]:
        """Return the times of the facts that a tuple window counts, and the facts by their places."""
        if window not in self._tuples:
            counted = [fact for fact in self._facts if counts(window, fact.arguments)]
            self._tuples[window] = [fact.t for fact in counted], _Index(enumerate(counted))
        return self._tuples[window]


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


def _run(firsts: list[int], lasts: list[int]) -> Callable[[int], Span | None]:
    # Both ends never move back, so the indexes whose interval holds a place are consecutive.
    def run(place: int) -> Span | None:
        first, last = bisect_left(lasts, place), bisect_right(firsts, place) - 1
        return (first, last) if first <= last else None

    return run


class Around:
    """A situation, cut to what the program's windows can show; asked for ascending times."""

    def __init__(self, program: Program, situation: Situation) -> None:
        own = intensional(program)
        facts = dict.fromkeys(situation.facts)
        inside = (
            f for f in facts if f.t in situation.timeline and (f.predicate, len(f.arguments)) not in own
        )
        self._facts = sorted(inside, key=lambda fact: fact.t)
        self._times = [fact.t for fact in self._facts]
        self._situation = situation
        self._reach = reach(program)
        self._newest = [Newest(window, self._facts) for window in self._reach.tuples]

    def at(self, t: int) -> Situation:
        """Return the situation with no other facts than those that matter at t."""
        past, future = self._reach.past, self._reach.future
        first = 0 if past is None else bisect_left(self._times, t - past)
        end = len(self._times) if future is None else bisect_right(self._times, t + future)
        arrived = bisect_right(self._times, t)
        kept = {index for newest in self._newest for index in newest.up_to(arrived)}
        earlier = sorted(index for index in kept if index < first)
        later = sorted(index for index in kept if index >= end)
        places = (*earlier, *range(first, end), *later)
        return replace(self._situation, facts=[self._facts[index] for index in places])


class Newest:
    """What a tuple window keeps of facts, ascending in time, as more and more of them arrive.

    Ties at the oldest instant are all among it: they are decided where the window is evaluated.
    """

    def __init__(self, window: TupleWindow, facts: Sequence[Fact]) -> None:
        self._window = window
        self._facts = facts
        self._arrived = 0
        self._parts: dict[Arguments, list[int]] = {}

    def up_to(self, arrived: int) -> Iterator[int]:
        """Yield the places of the facts kept when so many have arrived, no fewer than last time."""
        for index in range(self._arrived, arrived):
            fact = self._facts[index]
            if counts(self._window, fact.arguments):
                self._push(_partition(self._window, fact), index)
        self._arrived = max(self._arrived, arrived)
        for part in self._parts.values():
            yield from part

    def _push(self, key: Arguments, index: int) -> None:
        part = self._parts.setdefault(key, [])
        part.append(index)
        size = self._window.size
        if len(part) > size:
            oldest = self._facts[part[-size]].t if size else self._facts[index].t + 1
            self._parts[key] = [place for place in part if self._facts[place].t >= oldest]


def _partition(window: TupleWindow, fact: Fact) -> Arguments:
    """Return the index of a fact's partition, as texts."""
    if window.by is None:
        return ()
    places = (place for place in window.by if place <= len(fact.arguments))
    return fact.predicate, str(len(fact.arguments)), *(fact.arguments[place - 1] for place in places)
