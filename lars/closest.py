"""The instances of a rule's body of which most holds."""

from dataclasses import dataclass, field
from typing import Final

from lars.formulas import BodyLiteral
from lars.joining import World, cheapest, met, timed
from lars.terms import Binding

BUDGET: Final = 20_000
"""So many literals are looked at in search of the closest instances of one rule."""


@dataclass(frozen=True, slots=True)
class Partial:
    """What is bound so far, and the places of the literals in the body that hold and that fail."""

    binding: Binding
    met: frozenset[int]
    failed: tuple[int, ...]


@dataclass(slots=True)
class Closest:
    """Finds the instances of a body that satisfy most of it, depth first."""

    here: World
    body: tuple[BodyLiteral, ...]
    left: int = BUDGET
    best: int = -1
    found: list[Partial] = field(default_factory=list)

    def run(self, state: Partial) -> None:
        """Extend a partial instance by each way to satisfy its next literal, or by its failure."""
        done = {*state.met, *state.failed}
        remaining = [literal for place, literal in enumerate(self.body) if place not in done]
        if len(state.met) + len(remaining) < self.best or self.left <= 0:
            return
        literal = cheapest(self.here, remaining, state.binding)
        if literal is None:
            self._undecided(state, remaining)
            return
        place = next(i for i, part in enumerate(self.body) if i not in done and part is literal)
        satisfied = False
        for grown in met(self.here, literal, state.binding):
            satisfied = True
            self.left -= 1
            if self.left <= 0:
                break
            self.run(Partial(grown, state.met | {place}, state.failed))
        if not satisfied:
            self.left -= 1
            self.run(Partial(state.binding, state.met, (*state.failed, place)))

    def _undecided(self, state: Partial, remaining: list[BodyLiteral]) -> None:
        times = list(timed(self.here, remaining, state.binding)) if not state.failed else []
        for found in times:
            self.left -= 1
            self.run(Partial(found, state.met, state.failed))
        if not times:
            self._keep(state)

    def _keep(self, state: Partial) -> None:
        if len(state.met) > self.best:
            self.best, self.found = len(state.met), []
        if len(state.met) == self.best:
            self.found.append(state)
