"""Q4: the plan of a stream pattern, and what an arriving triple is joined with along it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from agreement.engines.cqels.buffers import CqelsBuffer, Joined
from agreement.engines.cqels.query_text import CqelsFilter, StreamTriple
from agreement.engines.cqels.static_data import StaticData, StaticElement
from lars.terms import Variable

Shared = tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class JoinStatic:
    """Join a static element along the shared variables."""

    number: int
    shared: Shared


@dataclass(frozen=True, slots=True)
class JoinStream:
    """Join the buffer of a stream pattern along the shared variables."""

    number: int
    shared: Shared


JoinStep = CqelsFilter | JoinStatic | JoinStream
JoinPlan = tuple[JoinStep, ...]


@dataclass(frozen=True, slots=True)
class JoinElements:
    """What plans are made of; with `everything` also cross products are joined, and no FILTER is left out."""

    statics: Sequence[StaticElement]
    triples: Sequence[StreamTriple]
    filters: Sequence[CqelsFilter]
    everything: bool

    def plan(self, start: StreamTriple) -> JoinPlan:
        """Return the plan that begins with a stream pattern."""
        return tuple(_Planning(self, list(self.filters), start.variables, self._others(start)).steps())

    def _others(self, start: StreamTriple) -> list[tuple[frozenset[Variable], type, int]]:
        """Return the elements to be joined: the static ones first, then those of streams."""
        statics = [(one.variables, JoinStatic, number) for number, one in enumerate(self.statics)]
        streams = [(one.variables, JoinStream, one.number) for one in self.triples if one is not start]
        return [*statics, *streams]


@dataclass(slots=True)
class _Planning:
    """A plan in the making: the filters and elements that are not used yet, the variables bound so far."""

    elements: JoinElements
    filters: list[CqelsFilter]
    bound: frozenset[Variable]
    unused: list[tuple[frozenset[Variable], type, int]]

    def steps(self) -> Iterator[JoinStep]:
        yield from self._checks()
        while (chosen := self._next()) is not None:
            self.unused.remove(chosen)
            variables, kind, number = chosen
            yield kind(number, tuple(sorted(self.bound & variables)))
            self.bound |= variables
            yield from self._checks()
        if self.elements.everything:
            yield from self.filters

    def _next(self) -> tuple[frozenset[Variable], type, int] | None:
        sharing = (one for one in self.unused if one[0] & self.bound)
        rest = iter(self.unused if self.elements.everything else ())
        return next(sharing, next(rest, None))

    def _checks(self) -> Iterator[CqelsFilter]:
        for condition in [one for one in self.filters if one.variables <= self.bound]:
            self.filters.remove(condition)
            yield condition


def joins(plan: JoinPlan) -> bool:
    """Whether the plan has a join, not FILTERs only."""
    return any(not isinstance(step, CqelsFilter) for step in plan)


def follow(
    plan: JoinPlan,
    start: Joined,
    statics: Sequence[StaticElement],
    buffers: Sequence[CqelsBuffer],
    data: StaticData,
) -> list[Joined]:
    """Return the mappings that a plan joins to one, in the order of the elements' solutions."""
    found = [start]
    for step in plan:
        if not found:
            break
        match step:
            case CqelsFilter():
                found = [one for one in found if data.holds(step, one.binds)]
            case JoinStatic(number, shared):
                index = statics[number].solutions
                found = [
                    Joined({**known.binds, **one.binds}, one.entries)
                    for one in found
                    for known in index.matching(one.binds, shared)
                ]
            case JoinStream(number, shared):
                found = list(_extended(found, buffers[number], shared))
            case _:
                assert_never(step)
    return found


def _extended(found: Iterable[Joined], buffer: CqelsBuffer, shared: Shared) -> Iterator[Joined]:
    for one in found:
        for entry in buffer.held.matching(one.binds, shared):
            yield Joined({**one.binds, **entry.binds}, (*one.entries, entry))
