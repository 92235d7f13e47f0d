"""Q4: the plan of a stream pattern, what an arriving triple is joined with along it, and the static data.

Static elements are evaluated once, and EXISTS is asked of solutions.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agreement.engines.cqels.buffers import (
    BufferedTriple,
    CqelsBuffer,
    HashIndex,
    JoinedMapping,
    TextSolution,
)
from agreement.engines.cqels.query_text import CqelsFilter, StreamTriple
from agreement.engines.engine import answers
from lars.language.terms import Variable
from solver.facts import Static, constant_of
from solver.rdf import evaluate, test
from translate.model import patterns as algebra
from translate.model.patterns import variables
from translate.model.query import Dataset, EngineQuery, Form, Language


@dataclass(frozen=True, slots=True)
class StaticElement:
    """The solutions of a static element, and the variables that they can bind."""

    variables: frozenset[Variable]
    index: HashIndex[JoinedMapping]


@dataclass(slots=True)
class StaticData:
    """The data that are there from the start, with the dataset clause of the query."""

    static: Static
    dataset: Dataset
    _seen: dict[tuple[object, ...], list[TextSolution]] = field(default_factory=dict)

    def element(self, pattern: algebra.Pattern, kept: frozenset[Variable] | None) -> StaticElement:
        """Return the solutions of a pattern: those for `kept` without duplicates, or all of them."""
        names = variables(pattern) if kept is None else variables(pattern) & kept
        modifiers = algebra.UNMODIFIED if kept is None else algebra.Modifiers(algebra.Duplicates.DISTINCT)
        found = self._solutions(pattern, names, modifiers)
        bound = frozenset(name for name in names if all(name in solution for solution in found))
        index: HashIndex[JoinedMapping] = HashIndex(bound)
        for solution in found:
            index.put(JoinedMapping(solution))
        return StaticElement(names, index)

    def holds(self, condition: CqelsFilter, solution: TextSolution) -> bool:
        """Whether a FILTER is true of a solution, its EXISTS asked of the static data."""
        if not condition.exists:
            return test(condition.expression, True, solution)
        given = _given(solution, condition.variables)
        return bool(self._asked(algebra.Filter(given, condition.expression, condition.exists), ()))

    def value(self, extend: algebra.Extend, solution: TextSolution) -> str | None:
        """Return the value of an expression for a solution, None where it is an error."""
        if not extend.exists:
            found = evaluate(extend.expression, solution)
            return None if found is None else str(found)
        given = _given(solution, CqelsFilter(extend.expression, extend.exists).variables)
        pattern = algebra.Extend(given, extend.variable, extend.expression, extend.exists)
        return next(iter(self._asked(pattern, (extend.variable,))), {}).get(extend.variable)

    def _asked(self, pattern: algebra.Pattern, names: Iterable[Variable]) -> list[TextSolution]:
        key = pattern, frozenset(names)
        if key not in self._seen:
            self._seen[key] = self._solutions(pattern, key[1], algebra.UNMODIFIED)
        return self._seen[key]

    def _solutions(
        self, pattern: algebra.Pattern, names: frozenset[Variable], modifiers: algebra.Modifiers
    ) -> list[TextSolution]:
        result = tuple(sorted(names))
        query = EngineQuery(Language.CQELS, Form.SELECT, result, pattern, self.dataset, modifiers=modifiers)
        (rows,) = answers(query, [{}], self.static)
        return [
            {name: text for name, text in zip(result, row, strict=True) if text is not None} for row in rows
        ]


def _given(solution: TextSolution, names: frozenset[Variable]) -> algebra.Pattern:
    """Return the pattern whose one solution is the part of a solution that binds the names."""
    bound = tuple(sorted(name for name in names if name in solution))
    return (
        algebra.Values(bound, (tuple(constant_of(solution[name]) for name in bound),))
        if bound
        else algebra.EMPTY
    )


JoinIndex = HashIndex[BufferedTriple] | HashIndex[JoinedMapping]
"""What is joined: the buffer of a stream pattern, or the solutions of a static element."""


@dataclass(frozen=True, slots=True)
class JoinStep:
    """Join what is held along the shared variables."""

    index: JoinIndex
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
        unused: list[tuple[frozenset[Variable], JoinIndex]] = [
            (one.variables, one.index) for one in self.statics
        ]
        unused += [(one.triple.variables, one.index) for one in self.buffers if one.triple is not start]
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


def follow(plan: JoinPlan, start: BufferedTriple, data: StaticData) -> list[JoinedMapping]:
    """Return the mappings that a plan joins to a triple, in the order of the elements' solutions."""
    found = [JoinedMapping(start.binds, start.entries)]
    for step in plan:
        if isinstance(step, CqelsFilter):
            found = [one for one in found if data.holds(step, one.binds)]
        else:
            found = [
                JoinedMapping({**one.binds, **other.binds}, (*one.entries, *other.entries))
                for one in found
                for other in step.index.matching(one.binds, step.shared)
            ]
    return found
