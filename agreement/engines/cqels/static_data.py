"""The static data as CQELS uses them: elements evaluated once, and EXISTS asked of solutions."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from agreement.engines.cqels.buffers import HashIndex, Joined, Solution
from agreement.engines.cqels.query_text import CqelsFilter
from agreement.engines.engine import answers
from lars.terms import Variable
from solver.facts import Static, constant_of
from solver.rdf import evaluate, test
from translate.patterns import (
    EMPTY,
    UNMODIFIED,
    Duplicates,
    Extend,
    Filter,
    Modifiers,
    Pattern,
    Values,
    variables,
)
from translate.query import Dataset, EngineQuery, Form, Language


@dataclass(frozen=True, slots=True)
class StaticElement:
    """The solutions of a static element, and the variables that they can bind."""

    variables: frozenset[Variable]
    held: HashIndex[Joined]


@dataclass(slots=True)
class StaticData:
    """The data that are there from the start, with the dataset clause of the query."""

    static: Static
    dataset: Dataset
    _seen: dict[tuple[object, ...], list[Solution]] = field(default_factory=dict)

    def element(self, pattern: Pattern, kept: frozenset[Variable] | None) -> StaticElement:
        """Return the solutions of a pattern: those for `kept` without duplicates, or all of them."""
        names = variables(pattern) if kept is None else variables(pattern) & kept
        modifiers = UNMODIFIED if kept is None else Modifiers(Duplicates.DISTINCT)
        found = self._solutions(pattern, names, modifiers)
        bound = frozenset(name for name in names if all(name in solution for solution in found))
        index: HashIndex[Joined] = HashIndex(bound)
        for solution in found:
            index.put(Joined(solution))
        return StaticElement(names, index)

    def holds(self, condition: CqelsFilter, solution: Solution) -> bool:
        """Whether a FILTER is true of a solution, its EXISTS asked of the static data."""
        if not condition.exists:
            return test(condition.expression, True, solution)
        given = _given(solution, condition.variables)
        return bool(self._asked(Filter(given, condition.expression, condition.exists), ()))

    def value(self, extend: Extend, solution: Solution) -> str | None:
        """Return the value of an expression for a solution, None where it is an error."""
        if not extend.exists:
            found = evaluate(extend.expression, solution)
            return None if found is None else str(found)
        given = _given(solution, CqelsFilter(extend.expression, extend.exists).variables)
        pattern = Extend(given, extend.variable, extend.expression, extend.exists)
        return next(iter(self._asked(pattern, (extend.variable,))), {}).get(extend.variable)

    def _asked(self, pattern: Pattern, names: Iterable[Variable]) -> list[Solution]:
        key = pattern, frozenset(names)
        if key not in self._seen:
            self._seen[key] = self._solutions(pattern, key[1], UNMODIFIED)
        return self._seen[key]

    def _solutions(
        self, pattern: Pattern, names: frozenset[Variable], modifiers: Modifiers
    ) -> list[Solution]:
        result = tuple(sorted(names))
        query = EngineQuery(Language.CQELS, Form.SELECT, result, pattern, self.dataset, modifiers=modifiers)
        (rows,) = answers(query, [{}], self.static)
        return [
            {name: text for name, text in zip(result, row, strict=True) if text is not None} for row in rows
        ]


def _given(solution: Solution, names: frozenset[Variable]) -> Pattern:
    """Return the pattern whose one solution is the part of a solution that binds the names."""
    bound = tuple(sorted(name for name in names if name in solution))
    return Values(bound, (tuple(constant_of(solution[name]) for name in bound),)) if bound else EMPTY
