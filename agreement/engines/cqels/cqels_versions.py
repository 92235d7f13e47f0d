"""CQELS as it runs: 1.x with its rules Q1 to Q6, and as it was recorded in 2011 to 2013.

Q5 and Q6 are here: which rows are reported when a triple has been joined. The specification: at each
arriving triple the whole query is evaluated over the windows [now - L, now], SLIDE ignored, and what is
new since the arrival before is reported (ISTREAM).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agreement.documents.outputs import row_order
from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.cqels.join_plan import JoinedMapping, StaticData, TextSolution, compatible, joins
from agreement.engines.cqels.machine import CqelsMachine, CqelsStages, Expiry, LiveJoins
from agreement.engines.cqels.query_text import (
    CqelsBody,
    CqelsFilter,
    WrittenQuery,
    as_parsed,
    query_with_text,
    read_body,
)
from agreement.engines.engine import Engine, EngineRule, Off, columns
from agreement.engines.r2s import reported_rows
from lars.errors import LarsError
from lars.language.formulas import Aggregation, OrderKey
from lars.language.program import variables as variables_of
from lars.language.terms import XSD, Constant, Literal, Variable
from solver.facts import Row, Static, constant_of
from solver.rdf import aggregate, order_key
from translate.model.patterns import UNMODIFIED, Duplicates, Extend, Filter, Group, Modifiers, Pattern
from translate.model.query import EngineQuery, Form, ToStream

HeadStep = Extend | Filter
GroupKey = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class CqelsHead:
    """A query around its pattern: steps inside of the groups, the groups, steps behind them.

    Steps are in the order in which they are taken; `columns` is V in alphabetical order.
    """

    columns: tuple[Variable, ...]
    inside: tuple[HeadStep, ...]
    group: Group | None
    after_groups: tuple[HeadStep, ...]
    modifiers: Modifiers

    @property
    def keys(self) -> tuple[Variable, ...]:
        """The variables of GROUP BY."""
        return () if self.group is None else self.group.keys

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables that SELECT, GROUP BY, HAVING and the aggregates mention."""
        variables = frozenset(self.columns).union(self.keys)
        for step in (*self.inside, *self.after_groups):
            variables |= variables_of(step.expression if isinstance(step, Extend) else step.condition)
        for _, aggregation in () if self.group is None else self.group.aggregates:
            variables = variables.union(aggregation.arguments)
        return variables


def head_of(query: EngineQuery) -> CqelsHead:
    """Return what stands around the pattern of a SELECT query."""
    columns = tuple(sorted(query.result))
    behind, pattern = _peeled(query.pattern, (Extend, Filter))
    if isinstance(pattern, Group):
        inside, _ = _peeled(pattern.pattern, (Extend,))
        return CqelsHead(columns, inside, pattern, behind, query.modifiers)
    behind, _ = _peeled(query.pattern, (Extend,))
    return CqelsHead(columns, (), None, behind, query.modifiers)


def _peeled(pattern: Pattern, kinds: tuple[type, ...]) -> tuple[tuple[HeadStep, ...], Pattern]:
    steps: list[HeadStep] = []
    while isinstance(pattern, kinds) and isinstance(pattern, Extend | Filter):
        steps.insert(0, pattern)
        pattern = pattern.pattern
    return tuple(steps), pattern


def _after_steps(steps: Sequence[HeadStep], solution: TextSolution, data: StaticData) -> TextSolution | None:
    """Return a solution with the values of expressions, none where that is an error; None if left out."""
    for step in steps:
        if isinstance(step, Filter):
            if not data.holds(CqelsFilter(step.condition, step.exists), solution):
                return None
        elif (value := data.value(step, solution)) is not None:
            solution = {**solution, step.variable: value}
    return solution


@dataclass(frozen=True, slots=True)
class CqelsGroups:
    """The groups of a query. With `whole` a group needs a value of each argument but those of COUNT (Q6)."""

    head: CqelsHead
    data: StaticData
    whole: bool

    def prepared(self, solution: TextSolution) -> TextSolution:
        """Return a solution with the values of the expressions that are grouped by or aggregated."""
        return _after_steps(self.head.inside, solution, self.data) or solution

    def key(self, solution: TextSolution) -> GroupKey:
        """Return the group of a prepared solution."""
        return tuple(solution.get(name) for name in self.head.keys)

    def of(self, solutions: Iterable[TextSolution]) -> dict[GroupKey, list[TextSolution]]:
        """Return prepared solutions by group, in the order in which the groups begin."""
        bindings: dict[GroupKey, list[TextSolution]] = {}
        for solution in solutions:
            bindings.setdefault(self.key(solution), []).append(solution)
        return bindings

    def values(self, key: GroupKey, members: Iterable[TextSolution]) -> TextSolution | None:
        """Return what a group binds: its key and its aggregates; None where it is left out."""
        assert self.head.group is not None
        known = [*members]
        binding = {name: text for name, text in zip(self.head.keys, key, strict=True) if text is not None}
        for name, aggregation in self.head.group.aggregates:
            elements = [_element(aggregation, solution) for solution in known]
            if self.whole and aggregation.function != "COUNT" and any(None in terms for terms in elements):
                return None
            value = aggregate(aggregation, elements)
            binding |= {} if value is None else {name: str(value)}
        return binding

    def of_nothing(self) -> TextSolution:
        """Return what Q6 binds for a group without a solution: COUNT and AVG are 0, all else is unbound."""
        assert self.head.group is not None
        zero = str(Literal("0", XSD + "integer"))
        aggregates = self.head.group.aggregates
        return {name: zero for name, aggregation in aggregates if aggregation.function in ("COUNT", "AVG")}


def _element(aggregation: Aggregation, solution: TextSolution) -> tuple[Constant | None, ...]:
    texts = (solution.get(name) for name in aggregation.arguments)
    return tuple(None if text is None else constant_of(text) for text in texts)


@dataclass(slots=True)
class CqelsReports:
    """What is reported of a machine, which follows what is there unless each row is reported at once."""

    machine: CqelsMachine
    head: CqelsHead
    groups: CqelsGroups = field(init=False)
    _before: Sequence[Row] = ()

    def __post_init__(self) -> None:
        self.groups = CqelsGroups(self.head, self.machine.data, whole=self.machine.stages.looked_up)

    def of(self, pushes: Sequence[Push]) -> Iterator[Report]:
        """Yield the reports in their order, each with the number of the push that triggered it."""
        for number, push in enumerate(pushes):
            bindings = [binding for batch in self.machine.batches(push) for binding in self._of_each(batch)]
            if self.machine.stages.each:
                yield from (Report(push.t, (row,), number) for row in self._rows(bindings))
            elif new := self._new(bindings):
                yield Report(push.t, tuple(new), number)
            if self.machine.live is not None:
                self.machine.live.settle()

    def _of_each(self, batch: Sequence[JoinedMapping]) -> Iterator[TextSolution]:
        """Yield what each joined mapping is answered with, where that is asked of the mappings one by one."""
        if self.head.group is None:
            yield from (joined_mapping.binds for joined_mapping in batch)
        elif self.machine.stages.looked_up:
            for mapping in batch:
                yield from self._looked_up(self.groups.prepared(mapping.binds))
        elif self.machine.stages.each:
            bindings = self.groups.of(self._there()) if batch else {}
            for mapping in batch:
                key = self.groups.key(self.groups.prepared(mapping.binds))
                yield from self._values({key: bindings[key]})

    def _looked_up(self, joined: TextSolution) -> Iterator[TextSolution]:
        """Yield the groups that plan 1 finds for a joined mapping, or the group of nothing (Q6)."""
        binding = {name: joined[name] for name in self.head.keys if name in joined}
        first = self.machine.body.triples[0].variables
        known: list[TextSolution] = []
        if joins(self.machine.plans[0]) or any(name in first for name in binding):
            whole = (self.groups.prepared(mapping.binds) for mapping in self.machine.whole(0))
            known = [solution for solution in whole if compatible(binding, solution)]
        if not known:
            yield self.groups.of_nothing()
        yield from self._values(self.groups.of(known))

    def _values(self, groups: Mapping[GroupKey, list[TextSolution]]) -> Iterator[TextSolution]:
        for key, members in groups.items():
            if (values := self.groups.values(key, members)) is not None:
                yield values

    def _there(self) -> Iterator[TextSolution]:
        assert self.machine.live is not None
        return (self.groups.prepared(mapping.binds) for mapping in self.machine.live.now)

    def _new(self, bindings: list[TextSolution]) -> list[Row]:
        """Return what is new in the whole answer; equal rows count."""
        live = self.machine.live
        asked_one_by_one = self.head.group is not None and self.machine.stages.looked_up
        if asked_one_by_one:
            return self._istream(bindings) if bindings else []
        assert live is not None
        if not live.changed:
            return []
        if self.head.group is None and self.head.modifiers == UNMODIFIED:
            gone = self._rows(mapping.binds for mapping in live.removed)
            return reported_rows(ToStream.ISTREAM, gone, self._rows(bindings))
        if self.head.group is None:
            return self._istream([mapping.binds for mapping in live.now])
        return self._istream(self._values(self.groups.of(self._there())))

    def _istream(self, bindings: Iterable[TextSolution]) -> list[Row]:
        answer = self._modified([*self._of_select(bindings)])
        before, self._before = self._before, answer
        return reported_rows(ToStream.ISTREAM, before, answer)

    def _rows(self, bindings: Iterable[TextSolution]) -> list[Row]:
        return [self._row(binding) for binding in self._of_select(bindings)]

    def _of_select(self, bindings: Iterable[TextSolution]) -> Iterator[TextSolution]:
        """Yield solutions with the expressions of SELECT, those of which HAVING is true."""
        done = (_after_steps(self.head.after_groups, binding, self.machine.data) for binding in bindings)
        return (binding for binding in done if binding is not None)

    def _row(self, solution: TextSolution) -> Row:
        return tuple(solution.get(name) for name in self.head.columns)

    def _modified(self, bindings: list[TextSolution]) -> list[Row]:
        """Return the rows as ORDER BY, DISTINCT, OFFSET and LIMIT say; ties go by the rows' texts."""
        modifiers = self.head.modifiers
        bindings = sorted(bindings, key=lambda binding: row_order(self._row(binding)))
        for key in reversed(modifiers.order):
            bindings.sort(key=lambda binding: _value(binding, key), reverse=key.descending)
        rows = [self._row(binding) for binding in bindings]
        if modifiers.duplicates is Duplicates.DISTINCT:
            rows = list(dict.fromkeys(rows))
        last = None if modifiers.limit is None else modifiers.offset + modifiers.limit
        return rows[modifiers.offset : last]


def _value(solution: TextSolution, key: OrderKey) -> tuple[object, ...]:
    text = solution.get(key.variable)
    return order_key(None if text is None else constant_of(text))


_RULES_1X: Final = (
    EngineRule(
        "Q1",
        "each triple pattern in STREAM has a buffer of its own, which only its own matches purge: what has "
        "expired still joins; FILTER in STREAM is ignored; static elements are evaluated once, DISTINCT",
    ),
    EngineRule(
        "Q2",
        "the patterns that a triple matches are gone through one after the other, more constants first",
    ),
    EngineRule(
        "Q3",
        "with SLIDE or TUMBLING a buffer is purged only once per slide; NOW keeps the last match; "
        "durations in h and d lose their last digit",
    ),
    EngineRule(
        "Q4",
        "what shares no variable is not joined: a cross product gives partial rows; a FILTER whose "
        "variables are never all bound is not applied",
    ),
    EngineRule("Q5", "one row for each joined mapping, at once; DISTINCT, ORDER BY and LIMIT are ignored"),
    EngineRule(
        "Q6",
        "aggregates are looked up for each joined mapping in the plan of the first stream pattern; "
        "of nothing they give one row",
    ),
)
_RULES_2011: Final = (
    EngineRule(
        "2011a",
        "the patterns of a STREAM block share one window, which purges the last pattern's buffer only: "
        "the others still see older triples",
    ),
    EngineRule(
        "2011b",
        "patterns that share no variable are never joined, and a FILTER spanning them is dropped",
    ),
    EngineRule(
        "2011c",
        "one evaluation per triple: a row for each mapping that it completes, and none when triples expire",
    ),
)


def _recorded_1x(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what the engine reports, a report for each row.

    FILTERs inside STREAM and durations are seen if the query has its text (`read_written`). Raises
    LarsError for a query that the engine cannot parse or register.
    """
    read = query_with_text(query) if "Q3" in off else as_parsed(query)
    stages = CqelsStages(
        Expiry.ALL if "Q1" in off else Expiry.OWN,
        registered="Q1" not in off,
        one_by_one="Q2" not in off,
        slides="Q3" not in off,
        planned="Q4" not in off,
        each="Q5" not in off,
        looked_up="Q6" not in off,
    )
    return _recorded(CQELS_1X.name, stages, read, static, pushes)


CQELS_1X: Final = Engine("cqels-1.x", "cqels", _RULES_1X, _recorded_1x, timed=False)


def _recorded_2011(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what the engine reports; raises LarsError but for SELECT with a triple pattern in STREAM."""
    stages = CqelsStages(
        Expiry.ALL if "2011a" in off else Expiry.LAST,
        registered=False,
        one_by_one=False,
        slides=False,
        planned="2011b" not in off,
        each="2011c" not in off,
        looked_up=False,
    )
    return _recorded(CQELS_2011.name, stages, query_with_text(query), static, pushes)


CQELS_2011: Final = Engine("cqels-2011", "cqels", _RULES_2011, _recorded_2011, timed=False)
"""The engine of functional-testing-2013 and csrbench-2013."""


def _recorded(
    name: str, stages: CqelsStages, query: WrittenQuery, static: Static, pushes: Sequence[Push]
) -> Recording:
    """Return what is reported of a query with its text as the engine's parser takes it.

    Raises LarsError for a query that cannot be run: one without a triple pattern in STREAM, or
    other than SELECT; or with elements in STREAM that the engine leaves out, where it is not to.
    """
    if query.form is not Form.SELECT:
        raise LarsError(f"{query.source}: found {query.form.value}; {name} is known for SELECT only")
    body = read_body(query.text, query.source, query.base)
    _check(body, query.source, registered=stages.registered)
    head = head_of(query)
    data = StaticData(static, query.dataset)
    whole = not stages.each if head.group is None else not stages.looked_up
    live = LiveJoins() if whole else None
    machine = CqelsMachine(body, stages, data, head.variables, live)
    return Recording(columns(query), tuple(CqelsReports(machine, head).of(pushes)))


def _check(body: CqelsBody, source: str, *, registered: bool) -> None:
    if not body.triples:
        problem = "found no triple pattern in a STREAM block; accepted: one at least, which triples can match"
        raise LarsError(f"{source}: {problem}")
    if body.errors and not registered:
        raise body.errors[0]
