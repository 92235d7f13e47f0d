"""The part of the input that a program can look at from one reference time after another."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lars.dependencies import intensional
from lars.program import Program
from lars.reach import reach
from lars.windows import TupleWindow
from solver.facts import Arguments, Fact
from solver.situation import Situation
from solver.visible import counts


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
