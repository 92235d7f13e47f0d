"""Groups of solutions and the values of their aggregates, as SPARQL has them and as Q6 does."""

from collections.abc import Iterable
from dataclasses import dataclass

from agreement.engines.cqels_index import Solution
from agreement.engines.cqels_level import Level
from agreement.engines.cqels_static import StaticData
from lars.formulas import Aggregation
from lars.terms import XSD, Constant, Literal
from solver.aggregates import aggregate
from solver.facts import constant_of
from translate.patterns import Extend

Key = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a query. With `whole` a group needs a value of each argument but those of COUNT (Q6)."""

    level: Level
    data: StaticData
    whole: bool

    def prepared(self, solution: Solution) -> Solution:
        """Return a solution with the values of the expressions that are grouped by or aggregated."""
        for step in self.level.inside:
            if isinstance(step, Extend):
                solution = extended(solution, step, self.data)
        return solution

    def key(self, solution: Solution) -> Key:
        """Return the group of a prepared solution."""
        return tuple(solution.get(name) for name in self.level.keys)

    def of(self, solutions: Iterable[Solution]) -> dict[Key, list[Solution]]:
        """Return prepared solutions by group, in the order in which the groups begin."""
        found: dict[Key, list[Solution]] = {}
        for solution in solutions:
            found.setdefault(self.key(solution), []).append(solution)
        return found

    def values(self, key: Key, members: Iterable[Solution]) -> Solution | None:
        """Return what a group binds: its key and its aggregates; None where it is left out."""
        assert self.level.group is not None
        known = [*members]
        found = {name: text for name, text in zip(self.level.keys, key, strict=True) if text is not None}
        for name, aggregation in self.level.group.aggregates:
            elements = [_element(aggregation, one) for one in known]
            if self.whole and aggregation.function != "COUNT" and any(None in one for one in elements):
                return None
            value = aggregate(aggregation, elements)
            found |= {} if value is None else {name: str(value)}
        return found

    def of_nothing(self) -> Solution:
        """Return what Q6 binds for a group without a solution: COUNT and AVG are 0, all else is unbound."""
        assert self.level.group is not None
        zero = str(Literal("0", XSD + "integer"))
        aggregates = self.level.group.aggregates
        return {name: zero for name, aggregation in aggregates if aggregation.function in ("COUNT", "AVG")}


def _element(aggregation: Aggregation, solution: Solution) -> tuple[Constant | None, ...]:
    texts = (solution.get(name) for name in aggregation.arguments)
    return tuple(None if text is None else constant_of(text) for text in texts)


def extended(solution: Solution, step: Extend, data: StaticData) -> Solution:
    """Return a solution with the value of an expression; where that is an error it stays as it is."""
    value = data.value(step, solution)
    return solution if value is None else {**solution, step.variable: value}
