"""Paths of any length: words of properties, and what walks along known edges surely spells.

A path is an automaton over letters, a property forwards or backwards. Known edges spell words, an edge
of another path any word of its language. A walk is one along a path where each word that it may spell
is in the path's language: then it is one on all data.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import assert_never

from lars.language.terms import Iri
from translate.model.patterns import (
    Alternative,
    Inverse,
    Link,
    NegatedSet,
    Path,
    PathSequence,
    RepeatedPath,
    Repetition,
)

Letter = tuple[Iri | None, bool]
"""A property, None for any that is not named, and whether it is walked forwards."""
_Label = tuple[Link | NegatedSet, bool] | None
_States = frozenset[int]
StateSets = frozenset[_States]
"""The states in which a deterministic automaton may be after a walk."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """The language of a path: its moves, with None for one without a letter, from 0 to 1."""

    moves: tuple[tuple[int, _Label, int], ...]

    @property
    def start(self) -> StateSets:
        """Before the first letter."""
        return frozenset((self.closed(frozenset((0,))),))

    def closed(self, states: _States) -> _States:
        """Return the states with those that no letter is needed for."""
        more = states.union(
            after for before, label, after in self.moves if label is None and before in states
        )
        return states if more == states else self.closed(more)

    def step(self, states: _States, letter: Letter) -> _States:
        """Return the states after a letter."""
        return self.closed(
            frozenset(
                after
                for before, label, after in self.moves
                if label is not None and before in states and _spells(label, letter)
            )
        )

    @staticmethod
    def accepts(known: StateSets) -> bool:
        """Whether each word that was spelled is in the language."""
        return bool(known) and all(1 in states for states in known)

    def spelled(self, known: StateSets, word: "Automaton") -> StateSets:
        """Return what is known after an edge along which any word of another path is spelled."""
        alphabet = _letters(self) | _letters(word) | {(None, True), (None, False)}
        pending = [(own, states) for own in word.start for states in known]
        seen = set(pending)
        while pending:
            own, states = pending.pop()
            for letter in alphabet:
                after = word.step(own, letter), self.step(states, letter)
                if after[0] and after not in seen:
                    seen.add(after)
                    pending.append(after)
        return frozenset(states for own, states in seen if 1 in own)


def _spells(label: tuple[Link | NegatedSet, bool], letter: Letter) -> bool:
    step, forward = label
    iri, onwards = letter
    match step:
        case Link(name):
            return (name, forward) == letter
        case NegatedSet(some, others) if others:
            return onwards != forward and iri not in others
        case NegatedSet(some, _):
            return onwards == forward and iri not in some
        case _:
            assert_never(step)


def properties(path: Path) -> frozenset[Iri]:
    """Return the properties that a path names."""
    return frozenset(name for name, _ in _letters(automaton(path)) if name is not None)


def _letters(automaton: Automaton) -> frozenset[Letter]:
    names: set[Iri] = set()
    for _, label, _ in automaton.moves:
        match label:
            case (Link(iri), _):
                names.add(iri)
            case (NegatedSet(some, others), _):
                names.update(some, others)
            case None:
                pass
    return frozenset((name, forward) for name in names for forward in (True, False))


@lru_cache(maxsize=1_024)
def automaton(path: Path) -> Automaton:
    """Return the automaton of a path."""
    return Automaton(tuple(_moves(path, 0, 1, count(2), forward=True)))


def _moves(
    path: Path, start: int, end: int, fresh: Iterator[int], *, forward: bool
) -> Iterator[tuple[int, _Label, int]]:
    match path:
        case Link() | NegatedSet():
            yield start, (path, forward), end
        case Inverse(inner):
            yield from _moves(inner, start, end, fresh, forward=not forward)
        case PathSequence(left, right):
            between = next(fresh)
            first, second = (left, right) if forward else (right, left)
            yield from _moves(first, start, between, fresh, forward=forward)
            yield from _moves(second, between, end, fresh, forward=forward)
        case Alternative(left, right):
            yield from _moves(left, start, end, fresh, forward=forward)
            yield from _moves(right, start, end, fresh, forward=forward)
        case RepeatedPath(inner, often):
            before, after = next(fresh), next(fresh)
            yield from ((start, None, before), (after, None, end))
            yield from _moves(inner, before, after, fresh, forward=forward)
            if often is not Repetition.ZERO_OR_ONE:
                yield after, None, before
            if often is not Repetition.ONE_OR_MORE:
                yield before, None, after
        case _:
            assert_never(path)


def has_empty(path: Path) -> bool:
    """Whether the path may connect a node with itself by no step."""
    found = automaton(path)
    return found.accepts(found.start)
