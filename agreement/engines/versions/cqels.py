"""A simulation of CQELS: version 1.x with the rules Q1 to Q6, and the recordings of 2011 to 2013.

Q1 and Q3: the buffer of a triple pattern, its expiry, and the search for join partners. A window of width L
contains [now - L, now], both ends included; times are milliseconds. Static elements of a query are evaluated
once; EXISTS is evaluated for each solution. Q4: the join plan of a stream pattern. CqelsMachine implements Q1
to Q4: a pushed triple enters the buffer of each matching pattern, and is joined from each buffer. Q5 and Q6
determine the rows that are reported after a triple has been joined. In the specification, the whole query is
evaluated at each arriving triple over the windows [now - L, now], without SLIDE. The rows that are new since
the previous arrival are reported (ISTREAM).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import takewhile
from typing import Final, Generic, Literal, TypeVar, assert_never

from agreement.documents.outputs import row_order
from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import Engine, EngineRule, Off, answers, columns
from agreement.engines.r2s import reported_rows
from agreement.engines.versions import cqels_text
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.formulas import Aggregation, OrderKey
from lars.language.program import variables as variables_of
from lars.language.terms import XSD, Constant, Variable
from lars.language.terms import Literal as RdfLiteral
from solver.facts import Row, Static, Triple, constant_of
from solver.rdf import aggregate, evaluate, order_key, test
from translate.model import patterns as algebra
from translate.model.query import Dataset, EngineQuery, Language
from translate.model.windows import Now, Range, Rows, Unbounded
from translate.tau import unbind

TextSolution = Mapping[Variable, str]
"""The canonical texts of a solution's terms by variable; terms with equal texts join."""


@dataclass(frozen=True, slots=True, eq=False)
class BufferedTriple:
    """A triple in a buffer, with the binding of the pattern; `position` is its number in the stream."""

    t: float
    stream: str
    triple: Triple
    position: int
    binds: TextSolution

    @property
    def entries(self) -> tuple["BufferedTriple"]:
        """The entries of the mapping: the triple itself."""
        return (self,)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedMapping:
    """A joined mapping and its triples in the buffers.

    A mapping of static data has no triples in the buffers.
    """

    binds: TextSolution
    entries: tuple[BufferedTriple, ...] = ()


T = TypeVar("T", BufferedTriple, JoinedMapping)


def compatible(binding: TextSolution, other: TextSolution) -> bool:
    """Whether two solutions have equal values for all common variables."""
    return all(other.get(name, term) == term for name, term in binding.items())


@dataclass(slots=True, eq=False)
class HashIndex(Generic[T]):
    """An index of items in insertion order, by the values of any variables.

    `names` are the variables that every item binds; `variables` are the variables that some item can bind.
    """

    names: frozenset[Variable]
    variables: frozenset[Variable]
    items: dict[T, None] = field(default_factory=dict)
    _places: dict[tuple[Variable, ...], dict[tuple[str, ...], dict[T, None]]] = field(default_factory=dict)

    def put(self, item: T) -> None:
        """Add an item at the end of the index."""
        self.items[item] = None
        for names, place in self._places.items():
            place.setdefault(_key(item, names), {})[item] = None

    def remove(self, item: T) -> None:
        """Remove an item of the index."""
        del self.items[item]
        for names, place in self._places.items():
            del place[_key(item, names)][item]

    def matching(self, solution: TextSolution, shared: tuple[Variable, ...]) -> Iterable[T]:
        """Return the items that are compatible with a solution.

        `shared` are the variables that both can bind.
        """
        names = tuple(name for name in shared if name in solution and name in self.names)
        if not names:
            mappings: Iterable[T] = self.items
        else:
            place = self._places.get(names)
            mappings = (self._indexed(names) if place is None else place).get(
                tuple(solution[name] for name in names), {}
            )
        # A variable that some items or the solution leave unbound is compatible with everything.
        return mappings if len(names) == len(shared) else self._checked(mappings, solution)

    def _checked(self, mappings: Iterable[T], solution: TextSolution) -> Iterator[T]:
        return (item for item in mappings if compatible(item.binds, solution))

    def _indexed(self, names: tuple[Variable, ...]) -> dict[tuple[str, ...], dict[T, None]]:
        place = self._places.setdefault(names, {})
        for item in self.items:
            place.setdefault(_key(item, names), {})[item] = None
        return place


def _key(item: BufferedTriple | JoinedMapping, names: tuple[Variable, ...]) -> tuple[str, ...]:
    return tuple(item.binds[name] for name in names)


@dataclass(slots=True)
class CqelsBuffer:
    """The buffer of a triple pattern, oldest first; `start` is the beginning of the current slide."""

    triple: cqels_text.StreamTriple
    index: HashIndex[BufferedTriple] = field(init=False)
    start: float | None = None
    _by_triple: dict[tuple[str, Triple], BufferedTriple] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = HashIndex(self.triple.variables, self.triple.variables)

    def put(self, entry: BufferedTriple) -> None:
        """Insert an entry as the newest entry of the buffer."""
        self.index.put(entry)
        self._by_triple[entry.stream, entry.triple] = entry

    def take(self, entries: list[BufferedTriple]) -> None:
        """Remove entries from the buffer."""
        for entry in entries:
            self.index.remove(entry)
            if self._by_triple.get((entry.stream, entry.triple)) is entry:
                del self._by_triple[entry.stream, entry.triple]

    def equal(self, push: Push) -> list[BufferedTriple]:
        """Return the newest entry of a pushed triple, if the buffer has one."""
        triple = self._by_triple.get((push.stream, push.triple))
        return [] if triple is None else [triple]

    def leaving(
        self, now: float, counts: Mapping[str, int], *, own: bool, slides: bool
    ) -> list[BufferedTriple]:
        """Return the triples that leave the window at a time.

        [TRIPLES n] keeps the newest n triples of the stream; `counts` are the sizes of the streams. For the
        `own` pattern, n includes the arriving triple (Q1). With `slides`, a range window drops triples only
        at the end of a SLIDE, when the next SLIDE begins; NOW keeps the last match (Q3).
        """
        match self.triple.window:
            case Now():
                return list(self.index.items) if slides else self._before(now)
            case Range(length, slide):
                if slides and slide is not None and not self._slides(now, slide.milliseconds):
                    return []
                return self._before(now - length.milliseconds)
            case Rows(count) if own:
                return list(self.index.items)[: max(0, len(self.index.items) - count + 1)]
            case Rows(count):
                return [
                    triple for triple in self.index.items if triple.position <= counts[triple.stream] - count
                ]
            case Unbounded():
                return []
            case other:  # which no text of CQELS contains
                raise AssertionError(other)

    def _slides(self, now: float, slide: float) -> bool:
        if self.start is None:
            self.start = now
        over = now - self.start >= slide
        if over:
            self.start = now
        return over

    def _before(self, first: float) -> list[BufferedTriple]:
        return list(takewhile(lambda entry: entry.t < first, self.index.items))


def match_triple(triple: cqels_text.StreamTriple, push: Push) -> TextSolution | None:
    """Return the binding of a pattern for a pushed triple; None if the triple does not match."""
    texts = (push.stream, *push.triple)
    for place, text in triple.constants:
        if texts[place] != text:
            return None
    binding: dict[Variable, str] = {}
    for term, text in zip(triple.terms, texts, strict=True):
        if isinstance(term, Variable) and binding.setdefault(term, text) != text:
            return None
    return binding


@dataclass(slots=True)
class StaticData:
    """The static data in the dataset of the query."""

    static: Static
    dataset: Dataset
    _answers: dict[tuple[object, ...], list[TextSolution]] = field(default_factory=dict)

    def element(self, pattern: algebra.Pattern, kept: frozenset[Variable] | None) -> HashIndex[JoinedMapping]:
        """Return the solutions of a pattern over static data; for `kept` variables, without duplicates."""
        names = algebra.variables(pattern) if kept is None else algebra.variables(pattern) & kept
        modifiers = algebra.UNMODIFIED if kept is None else algebra.Modifiers("DISTINCT")
        solutions = self._solutions(pattern, names, modifiers)
        bound = frozenset(name for name in names if all(name in solution for solution in solutions))
        index: HashIndex[JoinedMapping] = HashIndex(bound, names)
        for solution in solutions:
            index.put(JoinedMapping(solution))
        return index

    def holds(self, condition: cqels_text.CqelsFilter, solution: TextSolution) -> bool:
        """Whether a FILTER is true for a solution.

        EXISTS inside the FILTER is evaluated over the static data.
        """
        if not condition.exists:
            return test(condition.expression, True, solution)
        pattern = _pattern_of(solution, condition.variables)
        return bool(self._solutions_of(algebra.Filter(pattern, condition.expression, condition.exists), ()))

    def value(self, extend: algebra.Extend, solution: TextSolution) -> str | None:
        """Return the value of an expression for a solution; None if the expression is an error."""
        if not extend.exists:
            term = evaluate(extend.expression, solution)
            return None if term is None else str(term)
        image = _pattern_of(solution, cqels_text.CqelsFilter(extend.expression, extend.exists).variables)
        pattern = algebra.Extend(image, extend.variable, extend.expression, extend.exists)
        return next(iter(self._solutions_of(pattern, (extend.variable,))), {}).get(extend.variable)

    def _solutions_of(self, pattern: algebra.Pattern, names: Iterable[Variable]) -> list[TextSolution]:
        key = pattern, frozenset(names)
        if key not in self._answers:
            self._answers[key] = self._solutions(pattern, key[1], algebra.UNMODIFIED)
        return self._answers[key]

    def _solutions(
        self, pattern: algebra.Pattern, names: frozenset[Variable], modifiers: algebra.Modifiers
    ) -> list[TextSolution]:
        result = tuple(sorted(names))
        query = EngineQuery(Language.CQELS, "SELECT", result, pattern, self.dataset, modifiers=modifiers)
        (rows,) = answers(query, [{}], self.static)
        return [
            {name: text for name, text in zip(result, row, strict=True) if text is not None} for row in rows
        ]


def _pattern_of(solution: TextSolution, names: frozenset[Variable]) -> algebra.Pattern:
    """Return a pattern whose only solution is the given solution, restricted to these names."""
    bound = tuple(sorted(name for name in names if name in solution))
    return (
        algebra.Values(bound, (tuple(constant_of(solution[name]) for name in bound),))
        if bound
        else algebra.EMPTY
    )


JoinIndex = HashIndex[BufferedTriple] | HashIndex[JoinedMapping]
"""One side of a join: the buffer of a stream pattern, or the solutions of a static element."""


JoinStep = tuple[JoinIndex, tuple[Variable, ...]]
"""An index, and the shared variables by which the entries of the index are joined."""
JoinPlan = tuple[cqels_text.CqelsFilter | JoinStep, ...]


def join_steps(
    start: cqels_text.StreamTriple,
    statics: Sequence[JoinIndex],
    buffers: Sequence[CqelsBuffer],
    filters: Sequence[cqels_text.CqelsFilter],
    *,
    everything: bool,
) -> Iterator[cqels_text.CqelsFilter | JoinStep]:
    """Yield the join plan of a stream pattern; with `everything`, include cross products and all FILTERs."""
    bound, left = start.variables, list(filters)
    unused: list[JoinIndex] = [*statics]
    unused += (buffer.index for buffer in buffers if buffer.triple is not start)
    while True:
        yield from (cqels_filter for cqels_filter in left if cqels_filter.variables <= bound)
        left = [cqels_filter for cqels_filter in left if not cqels_filter.variables <= bound]
        sharing = (index for index in unused if index.variables & bound)
        chosen = next(sharing, unused[0] if everything and unused else None)
        if chosen is None:
            break
        unused.remove(chosen)
        yield chosen, tuple(sorted(bound & chosen.variables))
        bound |= chosen.variables
    if everything:
        yield from left


def joins(plan: JoinPlan) -> bool:
    """Whether the plan contains a join, and not only FILTERs."""
    return any(isinstance(step, tuple) for step in plan)


def follow(plan: JoinPlan, start: BufferedTriple, data: StaticData) -> list[JoinedMapping]:
    """Return the mappings that a plan joins to a triple, in the order of the joined solutions."""
    mappings = [JoinedMapping(start.binds, start.entries)]
    for step in plan:
        if isinstance(step, cqels_text.CqelsFilter):
            mappings = [mapping for mapping in mappings if data.holds(step, mapping.binds)]
        else:
            index, shared = step
            mappings = [
                JoinedMapping({**mapping.binds, **other.binds}, (*mapping.entries, *other.entries))
                for mapping in mappings
                for other in index.matching(mapping.binds, shared)
            ]
    return mappings


Expiry = Literal["own", "last", "all"]
"""The patterns from whose buffers old triples are removed when a triple arrives.

`own`: the matching pattern (Q1). `last`: the last matching pattern of each block (2011a). `all`: all
patterns, so that at each time each window has the content of the specification, with each triple once.
"""


@dataclass(slots=True)
class LiveJoins:
    """The joined mappings whose triples are all in the buffers, in order of creation.

    `changed` and `removed` contain the changes since the last call of `settle`.
    """

    now: dict[JoinedMapping, None] = field(default_factory=dict)
    changed: bool = False
    removed: list[JoinedMapping] = field(default_factory=list)
    _by_entry: dict[BufferedTriple, list[JoinedMapping]] = field(default_factory=dict)

    def add(self, mappings: Iterable[JoinedMapping]) -> None:
        """Add mappings."""
        for mapping in mappings:
            self.now[mapping] = None
            self.changed = True
            for entry in set(mapping.entries):
                self._by_entry.setdefault(entry, []).append(mapping)

    def drop(self, entries: Iterable[BufferedTriple]) -> None:
        """Remove the mappings that contain one of these entries."""
        for entry in entries:
            for mapping in self._by_entry.pop(entry, ()):
                if mapping in self.now:
                    del self.now[mapping]
                    self.changed = True
                    self.removed.append(mapping)

    def settle(self) -> None:
        """Clear the lists of changed and removed mappings."""
        self.changed = False
        self.removed.clear()


@dataclass(slots=True)
class CqelsMachine:
    """The state of a query in CQELS; `live` contains the current joined mappings, if they are required.

    Deviations of the engine, unless they are `off`: FILTERs in STREAM are ignored, static elements have no
    duplicates (Q1); matching patterns are processed one after the other in the order of the engine (Q2);
    expiry follows SLIDE (Q3); joins use only shared variables (Q4). Each joined mapping gives a row
    immediately, without DISTINCT, ORDER BY, LIMIT and ISTREAM on the whole answer (Q5). Aggregates are
    computed from the groups that plan 1 finds for a joined mapping, and not from all mappings (Q6).
    """

    body: cqels_text.CqelsBody
    keeping: Expiry
    off: Off
    data: StaticData
    elsewhere: frozenset[Variable]
    live: LiveJoins | None = None
    buffers: list[CqelsBuffer] = field(init=False)
    plans: list[JoinPlan] = field(init=False)
    _order: list[cqels_text.StreamTriple] = field(init=False)
    _counts: Counter[str] = field(default_factory=Counter)
    _now: float = 0.0
    _positions: dict[tuple[str, Triple], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        triples = self.body.triples
        filters = _filters(self.body, self.off)
        matched = (triple.variables for triple in triples)
        tested = (cqels_filter.variables for cqels_filter in filters)
        variables = self.elsewhere.union(*matched, *tested)
        kept = variables if "Q1" not in self.off else None
        statics = [self.data.element(pattern, kept) for pattern in self.body.statics]
        self.buffers = [CqelsBuffer(triple) for triple in triples]
        everything = "Q4" in self.off
        self.plans = [
            tuple(join_steps(triple, statics, self.buffers, filters, everything=everything))
            for triple in triples
        ]
        eager = "Q2" not in self.off
        self._order = sorted(triples, key=lambda triple: -len(triple.constants) if eager else triple.number)

    def batches(self, push: Push) -> Iterator[list[JoinedMapping]]:
        """Yield the joined mappings of a pushed triple, in one batch per pattern or in one batch in all."""
        self._count(push)
        both = ((triple, match_triple(triple, push)) for triple in self._order)
        matches = [(triple, binds) for triple, binds in both if binds is not None]
        self._expire(push, [triple for triple, _ in matches])
        if "Q2" not in self.off:
            for triple, binds in matches:
                self._make_room(triple, push)
                yield self._joined(triple, binds, push)
            return
        for triple, _ in matches:
            self._make_room(triple, push)
        yield [joined for triple, binds in matches for joined in self._joined(triple, binds, push)]

    def whole(self, number: int) -> list[JoinedMapping]:
        """Return the joined mappings of a pattern's plan for all triples in its buffer."""
        held = self.buffers[number].index.items
        return [mapping for entry in held for mapping in follow(self.plans[number], entry, self.data)]

    def _joined(
        self, triple: cqels_text.StreamTriple, binds: TextSolution, push: Push
    ) -> list[JoinedMapping]:
        position = self._positions[push.stream, push.triple]
        entry = BufferedTriple(push.t, push.stream, push.triple, position, binds)
        self.buffers[triple.number].put(entry)
        mappings = follow(self.plans[triple.number], entry, self.data)
        if self.live is not None:
            self.live.add(mappings)
        return mappings

    def _expire(self, push: Push, triples: list[cqels_text.StreamTriple]) -> None:
        """Drop triples that leave the buffers because of time, also if no pattern matches the push."""
        match self.keeping:
            case "own":
                pass
            case "last":
                for block in dict.fromkeys(triple.block for triple in triples):
                    last = max(triple.number for triple in self.body.triples if triple.block == block)
                    self._drop_leaving(self.buffers[last], push.t)
            case "all":
                for buffer in self.buffers:
                    self._drop_leaving(buffer, push.t)
            case _:
                assert_never(self.keeping)

    def _make_room(self, triple: cqels_text.StreamTriple, push: Push) -> None:
        """Drop triples that leave the buffer of a pattern because the pattern matches the push."""
        buffer = self.buffers[triple.number]
        if self.keeping == "all":
            self._drop(buffer, buffer.equal(push))
        elif self.keeping == "own":
            self._drop_leaving(buffer, push.t)

    def _drop_leaving(self, buffer: CqelsBuffer, now: float) -> None:
        own = self.keeping == "own"
        self._drop(buffer, buffer.leaving(now, self._counts, own=own, slides="Q3" not in self.off))

    def _drop(self, buffer: CqelsBuffer, entries: list[BufferedTriple]) -> None:
        buffer.take(entries)
        if self.live is not None:
            self.live.drop(entries)

    def _count(self, push: Push) -> None:
        """Count the triple in its stream; equal triples at one time are counted once."""
        if self._now != push.t:
            self._now = push.t
            self._positions.clear()
        if (push.stream, push.triple) not in self._positions:
            self._counts[push.stream] += 1
            self._positions[push.stream, push.triple] = self._counts[push.stream]


def _filters(body: cqels_text.CqelsBody, off: Off) -> list[cqels_text.CqelsFilter]:
    """Return the FILTERs that are applied.

    In a FILTER inside STREAM, variables of other elements are unbound.
    """
    if "Q1" not in off:
        return [cqels_filter for cqels_filter in body.filters if cqels_filter.block is None]
    return [part if part.block is None else _inside(part, body) for part in body.filters]


def _inside(condition: cqels_text.CqelsFilter, body: cqels_text.CqelsBody) -> cqels_text.CqelsFilter:
    own = (triple.variables for triple in body.triples if triple.block == condition.block)
    tests = (test.variable for test in condition.exists)
    known = frozenset[Variable]().union(*own).union(tests)
    return replace(condition, expression=unbind(condition.expression, known))


HeadStep = algebra.Extend | algebra.Filter
GroupKey = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class CqelsHead:
    """The parts of a query around its pattern: steps before grouping, groups, and steps after grouping.

    The steps are in execution order; `columns` are the result variables V in alphabetical order.
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
        """The variables that SELECT, GROUP BY, HAVING and the aggregates mention."""
        variables = frozenset(self.columns).union(self.keys)
        for step in (*self.inside, *self.after_groups):
            variables |= variables_of(step.expression if isinstance(step, algebra.Extend) else step.condition)
        for _, aggregation in () if self.group is None else self.group.aggregates:
            variables = variables.union(aggregation.arguments)
        return variables


def head_of(query: EngineQuery) -> CqelsHead:
    """Return the parts of a SELECT query around its pattern."""
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
    """Return a solution with the values of expressions, unbound after an error.

    The result is None if a FILTER rejects it.
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
    """The reports of a CqelsMachine, which keeps joined mappings unless each row is reported immediately."""

    machine: CqelsMachine
    head: CqelsHead
    _before: Sequence[Row] = ()

    def of(self, pushes: Sequence[Push]) -> Iterator[Report]:
        """Yield the reports in order, each with the number of the push that triggered the report."""
        for number, push in enumerate(pushes):
            bindings = [binding for batch in self.machine.batches(push) for binding in self._of_each(batch)]
            if "Q5" not in self.machine.off:
                yield from (Report(push.t, (row,), number) for row in self._rows(bindings))
            elif new := self._new(bindings):
                yield Report(push.t, tuple(new), number)
            if self.machine.live is not None:
                self.machine.live.settle()

    def _of_each(self, batch: Sequence[JoinedMapping]) -> Iterator[TextSolution]:
        """Yield the answer of each joined mapping, if each mapping is reported separately."""
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
        """Yield the groups that plan 1 finds for a joined mapping, or the empty group (Q6)."""
        binding = {name: joined[name] for name in self.head.keys if name in joined}
        first = self.machine.body.triples[0].variables
        known: list[TextSolution] = []
        if joins(self.machine.plans[0]) or any(name in first for name in binding):
            whole = (self._prepared(mapping.binds) for mapping in self.machine.whole(0))
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
        """Return prepared solutions by group; groups are in the order of their first solutions."""
        groups: dict[GroupKey, list[TextSolution]] = {}
        for solution in solutions:
            groups.setdefault(self._key(solution), []).append(solution)
        return groups

    def _values(self, groups: Mapping[GroupKey, list[TextSolution]]) -> Iterator[TextSolution]:
        for key, members in groups.items():
            if (values := self._of_group(key, members)) is not None:
                yield values

    def _of_group(self, key: GroupKey, members: Sequence[TextSolution]) -> TextSolution | None:
        """Return the binding of a group's key and aggregates; None if HAVING rejects the group.

        A lookup of plan 1 requires a value for each aggregate argument, except for the arguments of COUNT
        (Q6).
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
        """Return the new rows of the whole answer; equal rows count separately."""
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
        """Return the rows after ORDER BY, DISTINCT, OFFSET and LIMIT; equal sort keys are ordered by text."""
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


def _selecting(query: cqels_text.WrittenQuery, engine: str) -> cqels_text.WrittenQuery:
    if query.form != "SELECT":
        raise LarsError(
            f"{query.source}: cannot run {query.form}: the rules of {engine} are known only for "
            "SELECT; use SELECT"
        )
    return query


def _recorded_1x(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of CQELS 1.x, one report for each row.

    If the text of the query is available, FILTERs inside STREAM and durations are read like in the engine.
    Raises LarsError for a query that the engine cannot parse or register.
    """
    read = cqels_text.query_with_text(query) if "Q3" in off else cqels_text.as_parsed(query)
    keeping: Expiry = "all" if "Q1" in off else "own"
    return _recorded(keeping, off, _selecting(read, CQELS_1X.name), static, pushes)


CQELS_1X: Final = Engine("cqels-1.x", "cqels", _RULES_1X, _recorded_1x, timed=False)


def _recorded_2011(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of CQELS of 2011; raises LarsError unless SELECT has a triple pattern in STREAM."""
    keeping: Expiry = "all" if "2011a" in off else "last"
    like_1x = {"2011b": "Q4", "2011c": "Q5"}
    others = frozenset(("Q1", "Q2", "Q3", "Q6", *(like_1x[name] for name in off if name in like_1x)))
    read = _selecting(cqels_text.query_with_text(query), CQELS_2011.name)
    return _recorded(keeping, others, read, static, pushes)


CQELS_2011: Final = Engine("cqels-2011", "cqels", _RULES_2011, _recorded_2011, timed=False)
"""The engine of the recordings functional-testing-2013 and csrbench-2013."""


def _recorded(
    keeping: Expiry, off: Off, query: cqels_text.WrittenQuery, static: Static, pushes: Sequence[Push]
) -> Recording:
    """Return the reports of a query that is read like by the engine's parser, with the rules in `off` off.

    Raises LarsError unless the query is a SELECT query with a triple pattern in STREAM. Elements of STREAM
    that the engine neither evaluates nor ignores are also errors.
    """
    body = cqels_text.read_body(query.text, query.source, query.base)
    if not body.triples:
        problem = "found no triple pattern in a STREAM block; expected at least one triple pattern"
        raise LarsError(f"{query.source}: {problem}")
    if body.errors and "Q1" in off:
        raise body.errors[0]
    head = head_of(query)
    data = StaticData(static, query.dataset)
    live = LiveJoins() if ("Q5" if head.group is None else "Q6") in off else None
    machine = CqelsMachine(body, keeping, off, data, head.variables, live)
    return Recording(columns(query), tuple(CqelsReports(machine, head).of(pushes)))
