"""Compute the rows that CQELS reports after a triple has been joined (rules Q5 and Q6)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agreement.documents.outputs import row_order
from agreement.documents.recordings import Push, Report
from agreement.engines.r2s import reported_rows
from agreement.engines.versions import cqels_text
from agreement.engines.versions.cqels_machine import (
    CqelsMachine,
    JoinedMapping,
    StaticData,
    TextSolution,
    compatible,
    joins,
)
from lars.dataclass import dataclass
from lars.language.formulas import Aggregation, OrderKey
from lars.language.program import variables as variables_of
from lars.language.terms import XSD, Constant, Variable
from lars.language.terms import Literal as RdfLiteral
from solver.facts import Row, constant_of
from solver.rdf import aggregate, order_key
from translate.model import patterns as algebra
from translate.model.query import EngineQuery

HeadStep = algebra.Extend | algebra.Filter
GroupKey = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class CqelsHead:
    """The parts of a query outside its pattern: expressions, groups, and solution modifiers.

    The fields `inside` and `after_groups` contain the steps before and after grouping, in the order of
    execution. `columns` are the result variables in alphabetical order.
    """

    columns: tuple[Variable, ...]
    inside: tuple[HeadStep, ...]
    group: algebra.Group | None
    after_groups: tuple[HeadStep, ...]
    modifiers: algebra.Modifiers

    @property
    def keys(self) -> tuple[Variable, ...]:
        """The variables of GROUP BY."""
        return () if self.group is None else self.group.keys

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables that SELECT, GROUP BY, HAVING and the aggregates use."""
        variables = frozenset(self.columns).union(self.keys)
        for step in (*self.inside, *self.after_groups):
            variables |= variables_of(step.expression if isinstance(step, algebra.Extend) else step.condition)
        for _, aggregation in () if self.group is None else self.group.aggregates:
            variables = variables.union(aggregation.arguments)
        return variables


def head_of(query: EngineQuery) -> CqelsHead:
    """Return the parts of a SELECT query outside its pattern: expressions, groups, and modifiers."""
    columns = tuple(sorted(query.result))
    behind, pattern = _peeled(query.pattern, (algebra.Extend, algebra.Filter))
    if isinstance(pattern, algebra.Group):
        inside, _ = _peeled(pattern.pattern, (algebra.Extend,))
        return CqelsHead(columns, inside, pattern, behind, query.modifiers)
    behind, _ = _peeled(query.pattern, (algebra.Extend,))
    return CqelsHead(columns, (), None, behind, query.modifiers)


def _peeled(
    pattern: algebra.Pattern, kinds: tuple[type, ...]
) -> tuple[tuple[HeadStep, ...], algebra.Pattern]:
    steps: list[HeadStep] = []
    while isinstance(pattern, kinds) and isinstance(pattern, algebra.Extend | algebra.Filter):
        steps.insert(0, pattern)
        pattern = pattern.pattern
    return tuple(steps), pattern


def _after_steps(steps: Sequence[HeadStep], solution: TextSolution, data: StaticData) -> TextSolution | None:
    """Return a solution with the values of BIND expressions; None if a FILTER rejects the solution.

    A value is unbound if its expression is an error.
    """
    for step in steps:
        if isinstance(step, algebra.Filter):
            if not data.holds(cqels_text.CqelsFilter(step.condition, step.exists), solution):
                return None
        elif (value := data.value(step, solution)) is not None:
            solution = {**solution, step.variable: value}
    return solution


def _element(aggregation: Aggregation, solution: TextSolution) -> tuple[Constant | None, ...]:
    texts = (solution.get(name) for name in aggregation.arguments)
    return tuple(None if text is None else constant_of(text) for text in texts)


@dataclass(slots=True)
class CqelsReports:
    """Computes the reports of a query in CQELS, from the solutions that a CqelsMachine joins."""

    machine: CqelsMachine
    head: CqelsHead
    _before: Sequence[Row] = ()

    def of(self, pushes: Sequence[Push]) -> Iterator[Report]:
        """Yield the reports in order, each with the number of the pushed triple that triggered it."""
        for number, push in enumerate(pushes):
            bindings = [binding for batch in self.machine.batches(push) for binding in self._of_each(batch)]
            if "Q5" not in self.machine.off:
                yield from (Report(push.t, (row,), number) for row in self._rows(bindings))
            elif new := self._new(bindings):
                yield Report(push.t, tuple(new), number)
            if self.machine.live is not None:
                self.machine.live.settle()

    def _of_each(self, batch: Sequence[JoinedMapping]) -> Iterator[TextSolution]:
        """Yield the row of each joined solution, if the engine reports solutions separately."""
        if self.head.group is None:
            yield from (joined_mapping.binds for joined_mapping in batch)
        elif "Q6" not in self.machine.off:
            for mapping in batch:
                yield from self._looked_up(self._prepared(mapping.binds))
        elif "Q5" not in self.machine.off:
            bindings = self._groups(self._there()) if batch else {}
            for mapping in batch:
                key = self._key(self._prepared(mapping.binds))
                yield from self._values({key: bindings[key]})

    def _looked_up(self, joined: TextSolution) -> Iterator[TextSolution]:
        """Yield the groups that the first pattern's join plan finds for a joined solution (rule Q6).

        If no group is found, the result is an empty group.
        """
        binding = {name: joined[name] for name in self.head.keys if name in joined}
        first = self.machine.body.triples[0].variables
        known: list[TextSolution] = []
        if joins(self.machine.plans[0]) or any(name in first for name in binding):
            computed = [step.variable for step in self.head.inside if isinstance(step, algebra.Extend)]
            bound = {name: term for name, term in binding.items() if name not in computed}
            whole = (self._prepared(mapping.binds) for mapping in self.machine.whole(0, bound))
            known = [solution for solution in whole if compatible(binding, solution)]
        if not known and self.head.group is not None:
            # For a group without a solution COUNT and AVG are 0, all others are unbound.
            zero = str(RdfLiteral("0", XSD + "integer"))
            aggregates = self.head.group.aggregates
            yield {name: zero for name, part in aggregates if part.function in ("COUNT", "AVG")}
        yield from self._values(self._groups(known))

    def _prepared(self, solution: TextSolution) -> TextSolution:
        """Return a solution with the values of the expressions in GROUP BY and in aggregates."""
        return _after_steps(self.head.inside, solution, self.machine.data) or solution

    def _key(self, solution: TextSolution) -> GroupKey:
        return tuple(solution.get(name) for name in self.head.keys)

    def _groups(self, solutions: Iterable[TextSolution]) -> dict[GroupKey, list[TextSolution]]:
        """Return solutions by group; groups are in the order of their first solutions."""
        groups: dict[GroupKey, list[TextSolution]] = {}
        for solution in solutions:
            groups.setdefault(self._key(solution), []).append(solution)
        return groups

    def _values(self, groups: Mapping[GroupKey, list[TextSolution]]) -> Iterator[TextSolution]:
        for key, members in groups.items():
            if (values := self._of_group(key, members)) is not None:
                yield values

    def _of_group(self, key: GroupKey, members: Sequence[TextSolution]) -> TextSolution | None:
        """Return the key and the aggregates of a group, or None if an aggregate lacks a value (rule Q6).

        COUNT does not need a value. If rule Q6 is off, no group is lost.
        """
        assert self.head.group is not None
        whole = "Q6" not in self.machine.off
        binding = {name: text for name, text in zip(self.head.keys, key, strict=True) if text is not None}
        for name, aggregation in self.head.group.aggregates:
            elements = [_element(aggregation, solution) for solution in members]
            if whole and aggregation.function != "COUNT" and any(None in terms for terms in elements):
                return None
            value = aggregate(aggregation, elements)
            binding |= {} if value is None else {name: str(value)}
        return binding

    def _there(self) -> Iterator[TextSolution]:
        assert self.machine.live is not None
        return (self._prepared(mapping.binds) for mapping in self.machine.live.now)

    def _new(self, bindings: list[TextSolution]) -> list[Row]:
        """Return the rows that are not in the previous answer; equal rows count separately."""
        live = self.machine.live
        asked_one_by_one = self.head.group is not None and "Q6" not in self.machine.off
        if asked_one_by_one:
            return self._istream(bindings) if bindings else []
        assert live is not None
        if not live.changed:
            return []
        if self.head.group is None and self.head.modifiers == algebra.UNMODIFIED:
            gone = self._rows(mapping.binds for mapping in live.removed)
            return reported_rows("ISTREAM", gone, self._rows(bindings))
        if self.head.group is None:
            return self._istream([mapping.binds for mapping in live.now])
        return self._istream(self._values(self._groups(self._there())))

    def _istream(self, bindings: Iterable[TextSolution]) -> list[Row]:
        answer = self._modified([*self._of_select(bindings)])
        before, self._before = self._before, answer
        return reported_rows("ISTREAM", before, answer)

    def _rows(self, bindings: Iterable[TextSolution]) -> list[Row]:
        return [self._row(binding) for binding in self._of_select(bindings)]

    def _of_select(self, bindings: Iterable[TextSolution]) -> Iterator[TextSolution]:
        """Yield the solutions that satisfy HAVING, with the values of the expressions of SELECT."""
        done = (_after_steps(self.head.after_groups, binding, self.machine.data) for binding in bindings)
        return (binding for binding in done if binding is not None)

    def _row(self, solution: TextSolution) -> Row:
        return tuple(solution.get(name) for name in self.head.columns)

    def _modified(self, bindings: list[TextSolution]) -> list[Row]:
        """Return the rows after ORDER BY, DISTINCT, OFFSET and LIMIT; ties are ordered by text."""
        modifiers = self.head.modifiers
        bindings = sorted(bindings, key=lambda binding: row_order(self._row(binding)))
        for key in reversed(modifiers.order):
            bindings.sort(key=lambda binding: _value(binding, key), reverse=key.descending)
        rows = [self._row(binding) for binding in bindings]
        if modifiers.duplicates == "DISTINCT":
            rows = list(dict.fromkeys(rows))
        last = None if modifiers.limit is None else modifiers.offset + modifiers.limit
        return rows[modifiers.offset : last]


def _value(solution: TextSolution, key: OrderKey) -> tuple[object, ...]:
    text = solution.get(key.variable)
    return order_key(None if text is None else constant_of(text))
