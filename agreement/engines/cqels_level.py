"""What stands around a query's pattern: groups, aggregates, HAVING, SELECT's expressions, modifiers."""

from dataclasses import dataclass

from lars.program import variables as variables_of
from lars.terms import Variable
from translate.patterns import Extend, Filter, Group, Modifiers, Pattern
from translate.query import EngineQuery

Step = Extend | Filter


@dataclass(frozen=True, slots=True)
class Level:
    """A query around its pattern: steps inside of the groups, the groups, steps behind them.

    Steps are in the order in which they are taken; `columns` is V in alphabetical order.
    """

    columns: tuple[Variable, ...]
    inside: tuple[Step, ...]
    group: Group | None
    behind: tuple[Step, ...]
    modifiers: Modifiers

    @property
    def keys(self) -> tuple[Variable, ...]:
        """The variables of GROUP BY."""
        return () if self.group is None else self.group.keys

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables that SELECT, GROUP BY, HAVING and the aggregates mention."""
        found = frozenset(self.columns).union(self.keys)
        for step in (*self.inside, *self.behind):
            found |= variables_of(step.expression if isinstance(step, Extend) else step.condition)
        for _, aggregation in () if self.group is None else self.group.aggregates:
            found = found.union(aggregation.arguments)
        return found


def level_of(query: EngineQuery) -> Level:
    """Return what stands around the pattern of a SELECT query."""
    columns = tuple(sorted(query.result))
    behind, pattern = _peeled(query.pattern, (Extend, Filter))
    if isinstance(pattern, Group):
        inside, _ = _peeled(pattern.pattern, (Extend,))
        return Level(columns, inside, pattern, behind, query.modifiers)
    behind, _ = _peeled(query.pattern, (Extend,))
    return Level(columns, (), None, behind, query.modifiers)


def _peeled(pattern: Pattern, kinds: tuple[type, ...]) -> tuple[tuple[Step, ...], Pattern]:
    steps: list[Step] = []
    while isinstance(pattern, kinds) and isinstance(pattern, Extend | Filter):
        steps.insert(0, pattern)
        pattern = pattern.pattern
    return tuple(steps), pattern
