"""Q4: the plan of a stream pattern, and what an arriving triple is joined with along it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agreement.engines.cqels.buffers import BufferedTriple, CqelsBuffer, HashIndex, Joined
from agreement.engines.cqels.query_text import CqelsFilter, StreamTriple
from agreement.engines.cqels.static_data import StaticData, StaticElement
from lars.terms import Variable

Held = HashIndex[BufferedTriple] | HashIndex[Joined]
"""What is joined: the buffer of a stream pattern, or the solutions of a static element."""


@dataclass(frozen=True, slots=True)
class JoinStep:
    """Join what is held along the shared variables."""

    held: Held
    shared: tuple[Variable, ...]


JoinPlan = tuple[CqelsFilter | JoinStep, ...]


@dataclass(frozen=True, slots=True)
class JoinElements:
    """What plans are made of; with `everything` also cross products are joined, and no FILTER is left out."""

    statics: Sequence[StaticElement]
    buffers: Sequence[CqelsBuffer]
    filters: Sequence[CqelsFilter]
    everything: bool

    def plan(self, start: StreamTriple) -> JoinPlan:
        """Return the plan that begins with a stream pattern."""
        return tuple(self._steps(start))

    def _steps(self, start: StreamTriple) -> Iterator[CqelsFilter | JoinStep]:
        bound, filters = start.variables, list(self.filters)
        unused: list[tuple[frozenset[Variable], Held]] = [(one.variables, one.held) for one in self.statics]
        unused += [(one.triple.variables, one.held) for one in self.buffers if one.triple is not start]
        while True:
            yield from (one for one in filters if one.variables <= bound)
            filters = [one for one in filters if not one.variables <= bound]
            sharing = (one for one in unused if one[0] & bound)
            rest = iter(unused if self.everything else ())
            chosen = next(sharing, next(rest, None))
            if chosen is None:
                break
            unused.remove(chosen)
            yield JoinStep(chosen[1], tuple(sorted(bound & chosen[0])))
            bound |= chosen[0]
        if self.everything:
            yield from filters


def joins(plan: JoinPlan) -> bool:
    """Whether the plan has a join, not FILTERs only."""
    return any(isinstance(step, JoinStep) for step in plan)


def follow(plan: JoinPlan, start: BufferedTriple, data: StaticData) -> list[Joined]:
    """Return the mappings that a plan joins to a triple, in the order of the elements' solutions."""
    found = [Joined(start.binds, start.entries)]
    for step in plan:
        if isinstance(step, CqelsFilter):
            found = [one for one in found if data.holds(step, one.binds)]
        else:
            found = [
                Joined({**one.binds, **other.binds}, (*one.entries, *other.entries))
                for one in found
                for other in step.held.matching(one.binds, step.shared)
            ]
    return found
