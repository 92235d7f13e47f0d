"""The order in which recursive rules derive: each atom after those it rests on."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from lars.joining import World
from lars.program import atoms
from lars.proofs import Derived, rule_instances, step
from lars.stream import Moment
from lars.terms import Binding, Signature, signature, substitute

_BROAD: Final = 2000
"""So many instances are looked at in breadth, which finds short proofs; then in depth, to find one soon."""

Instance = tuple[Moment, int, Binding]


class Loop:
    """Derives the atoms of predicates that depend on each other, as far as a goal needs it."""

    def __init__(self, here: World, names: frozenset[Signature]) -> None:
        self._here = here
        self._names = names
        self._found: dict[Moment, Derived] = {}
        self._instances: dict[Moment, Iterator[tuple[int, Binding]]] = {}
        self._queue: deque[Moment] = deque()
        self._turns = 0
        self._waiting: dict[Moment, list[Instance]] = {}
        self._judge = replace(here.judge, allowed=self._allowed)

    def derive(self, goal: Moment) -> Derived | None:
        """Return a step for the goal that rests on atoms derived before it, None when there is none."""
        self._want(goal)
        while goal not in self._found and self._queue:
            self._turns += 1
            moment = self._queue.popleft() if self._turns < _BROAD else self._queue.pop()
            # One instance a turn: what it needs may be found before the others are looked at.
            instance = None if moment in self._found else next(self._instances[moment], None)
            if instance is not None:
                self._queue.append(moment)
                self._consider((moment, *instance))
        return self._found.get(goal)

    def _allowed(self, moment: Moment) -> bool:
        own = signature(moment[1]) in self._names and moment not in self._here.given
        return not own or moment in self._found

    def _want(self, moment: Moment) -> None:
        new = moment not in self._instances
        if new:
            self._instances[moment] = rule_instances(self._here, moment)
        # In depth, what is needed now comes first although it may have been wanted before.
        if new or self._turns >= _BROAD:
            self._queue.append(moment)

    def _consider(self, instance: Instance) -> None:
        if not self._try(instance):
            for needed in self._needed(*instance[1:]):
                self._waiting.setdefault(needed, []).append(instance)
                self._want(needed)

    def _needed(self, number: int, binding: Binding) -> Iterator[Moment]:
        for literal in self._here.program.rules[number - 1].body:
            for pattern, positive, _ in atoms(literal):
                if positive and signature(pattern) in self._names:
                    atom = substitute(pattern, binding)
                    yield from (
                        (u, atom) for u in self._here.view.times(atom) if (u, atom) not in self._found
                    )

    def _try(self, instance: Instance) -> bool:
        """Return whether the instance derives its head; if it does, try those that waited for that."""
        left = [instance]
        for moment, number, binding in left:
            if moment not in self._found:
                found = step(self._here, moment, number, binding, self._judge)
                if found is not None:
                    self._found[moment] = found
                    left.extend(self._waiting.pop(moment, ()))
        return instance[0] in self._found
