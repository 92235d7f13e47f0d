"""Simulate how CQELS joins triples: each triple pattern has a buffer, and arriving triples join from it.

The class `CqelsMachine` implements four numbered rules of the engine: a pushed triple enters the buffer of
each matching pattern, and is joined from each of these buffers.

- Q1 and Q3 concern the buffer of a triple pattern: its expiry, and the search for join partners.
- Q2 concerns the order of the matching patterns.
- Q4 concerns the plan by which the patterns of a stream are joined.

A window of length L contains [now - L, now] in milliseconds, both ends included. Static elements of a query
are evaluated once; EXISTS is evaluated for each solution.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import takewhile
from typing import Generic, Literal, TypeVar, assert_never

from agreement.documents.recordings import Push
from agreement.engines.engine import Off, answers
from agreement.engines.versions import cqels_text
from lars.dataclass import dataclass
from lars.language.terms import Variable
from solver.facts import Static, Triple, constant_of
from solver.rdf import evaluate, test
from translate.model import patterns as algebra
from translate.model.query import Dataset, EngineQuery, Language
from translate.model.windows import Now, Range, Rows, Unbounded
from translate.tau import unbind

TextSolution = Mapping[Variable, str]
"""A solution: the canonical text of each variable's term; terms with equal texts join."""


@dataclass(frozen=True, slots=True, eq=False)
class BufferedTriple:
    """A triple in the buffer of a pattern, with the terms of the pattern's variables.

    `position` is the number of the triple in its stream.
    """

    t: float
    stream: str
    triple: Triple
    position: int
    binds: TextSolution

    @property
    def entries(self) -> tuple["BufferedTriple"]:
        """This triple, as a tuple."""
        return (self,)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedMapping:
    """A solution with the buffered triples from which it was joined.

    A solution of static data has no buffered triples.
    """

    binds: TextSolution
    entries: tuple[BufferedTriple, ...] = ()


T = TypeVar("T", BufferedTriple, JoinedMapping)


def compatible(binding: TextSolution, other: TextSolution) -> bool:
    """Return whether two solutions have equal terms for all common variables."""
    return all(other.get(name, term) == term for name, term in binding.items())


@dataclass(slots=True, eq=False)
class HashIndex(Generic[T]):
    """An index of solutions, in the order of insertion, by the terms of any variables.

    `names` are the variables that every solution binds; `variables` are all variables that some solution can
    bind.
    """

    names: frozenset[Variable]
    variables: frozenset[Variable]
    items: dict[T, None] = field(default_factory=dict)
    _places: dict[tuple[Variable, ...], dict[tuple[str, ...], dict[T, None]]] = field(default_factory=dict)

    def put(self, item: T) -> None:
        """Add a solution at the end of this index."""
        self.items[item] = None
        for names, place in self._places.items():
            place.setdefault(_key(item, names), {})[item] = None

    def remove(self, item: T) -> None:
        """Remove a solution from this index."""
        del self.items[item]
        for names, place in self._places.items():
            del place[_key(item, names)][item]

    def matching(self, solution: TextSolution, shared: tuple[Variable, ...]) -> Iterable[T]:
        """Return the solutions of the index that are compatible with a given solution.

        The variables `shared` are the variables that the given solution and the index can both bind.
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
    """The buffer of a triple pattern, with the oldest triple first.

    The field `start` is the time at which the current period of SLIDE began.
    """

    triple: cqels_text.StreamTriple
    index: HashIndex[BufferedTriple] = field(init=False)
    start: float | None = None
    _by_triple: dict[tuple[str, Triple], BufferedTriple] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = HashIndex(self.triple.variables, self.triple.variables)

    def put(self, entry: BufferedTriple) -> None:
        """Insert a triple as the newest triple of the buffer."""
        self.index.put(entry)
        self._by_triple[entry.stream, entry.triple] = entry

    def take(self, entries: list[BufferedTriple]) -> None:
        """Remove triples from the buffer."""
        for entry in entries:
            self.index.remove(entry)
            if self._by_triple.get((entry.stream, entry.triple)) is entry:
                del self._by_triple[entry.stream, entry.triple]

    def equal(self, push: Push) -> list[BufferedTriple]:
        """Return a list with the newest triple that equals a pushed triple; empty if no triple does."""
        triple = self._by_triple.get((push.stream, push.triple))
        return [] if triple is None else [triple]

    def leaving(
        self, now: float, counts: Mapping[str, int], *, own: bool, slides: bool
    ) -> list[BufferedTriple]:
        """Return the triples that leave the window at time `now` (ms).

        [TRIPLES n] keeps the newest n triples of the stream; `counts` are the sizes of the streams. For the
        `own` pattern, n includes the arriving triple (Q1). With `slides`, a time-based window drops triples
        only at the end of a SLIDE, when the next SLIDE begins; NOW keeps the last match (Q3).
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
    """Return the terms of a pattern's variables for a pushed triple; None if the triple does not match."""
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
    """The static data of a query, with the dataset that FROM and FROM NAMED define."""

    static: Static
    dataset: Dataset
    _answers: dict[tuple[object, ...], list[TextSolution]] = field(default_factory=dict)

    def element(self, pattern: algebra.Pattern, kept: frozenset[Variable] | None) -> HashIndex[JoinedMapping]:
        """Return the solutions of a pattern over the static data.

        If `kept` is given, only these variables are kept, and each solution occurs once.
        """
        names = algebra.variables(pattern) if kept is None else algebra.variables(pattern) & kept
        modifiers = algebra.UNMODIFIED if kept is None else algebra.Modifiers("DISTINCT")
        solutions = self._solutions(pattern, names, modifiers)
        bound = frozenset(name for name in names if all(name in solution for solution in solutions))
        index: HashIndex[JoinedMapping] = HashIndex(bound, names)
        for solution in solutions:
            index.put(JoinedMapping(solution))
        return index

    def holds(self, condition: cqels_text.CqelsFilter, solution: TextSolution) -> bool:
        """Return whether a FILTER is true for a solution; EXISTS is evaluated over the static data."""
        if not condition.exists:
            return test(condition.expression, True, solution)
        pattern = _pattern_of(solution, condition.variables)
        return bool(self._solutions_of(algebra.Filter(pattern, condition.expression, condition.exists), ()))

    def value(self, extend: algebra.Extend, solution: TextSolution) -> str | None:
        """Return the value of BIND's expression for a solution; None if the expression is an error."""
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
    """Return a pattern whose only solution is the given solution, restricted to the variables `names`."""
    bound = tuple(sorted(name for name in names if name in solution))
    return (
        algebra.Values(bound, (tuple(constant_of(solution[name]) for name in bound),))
        if bound
        else algebra.EMPTY
    )


JoinIndex = HashIndex[BufferedTriple] | HashIndex[JoinedMapping]
"""The solutions on one side of a join: the buffer of a stream pattern, or solutions of static data."""
JoinStep = tuple[JoinIndex, tuple[Variable, ...]]
"""One join of a join plan: an index of solutions, and the shared variables."""
JoinPlan = tuple[cqels_text.CqelsFilter | JoinStep, ...]


def join_steps(
    start: cqels_text.StreamTriple,
    statics: Sequence[JoinIndex],
    buffers: Sequence[CqelsBuffer],
    filters: Sequence[cqels_text.CqelsFilter],
    *,
    everything: bool,
) -> Iterator[cqels_text.CqelsFilter | JoinStep]:
    """Yield the joins and FILTERs that CQELS executes when a triple matches a stream pattern.

    With `everything`, the result also contains cross products and all FILTERs, as in a correct engine.
    """
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
    """Return whether a join plan contains a join, and not only FILTERs."""
    return any(isinstance(step, tuple) for step in plan)


def follow(plan: JoinPlan, start: BufferedTriple, data: StaticData) -> list[JoinedMapping]:
    """Return the solutions that a join plan produces from one triple, in the order of the joins."""
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
    """The joined solutions whose triples are all in the buffers, in the order of their creation.

    `changed` and `removed` contain the changes since the last call of `settle`.
    """

    now: dict[JoinedMapping, None] = field(default_factory=dict)
    changed: bool = False
    removed: list[JoinedMapping] = field(default_factory=list)
    _by_entry: dict[BufferedTriple, dict[JoinedMapping, None]] = field(default_factory=dict)

    def add(self, mappings: Iterable[JoinedMapping]) -> None:
        """Add joined solutions."""
        for mapping in mappings:
            self.now[mapping] = None
            self.changed = True
            for entry in set(mapping.entries):
                self._by_entry.setdefault(entry, {})[mapping] = None

    def drop(self, entries: Iterable[BufferedTriple]) -> None:
        """Remove the joined solutions that contain one of the given triples."""
        for entry in entries:
            for mapping in self._by_entry.pop(entry, ()):
                del self.now[mapping]
                self.changed = True
                self.removed.append(mapping)
                for other in {*mapping.entries} & self._by_entry.keys():
                    del self._by_entry[other][mapping]

    def settle(self) -> None:
        """Before the next triple, empty the lists of changed and removed solutions."""
        self.changed = False
        self.removed.clear()


@dataclass(slots=True)
class CqelsMachine:
    """The state of a query in CQELS; `live` contains the current joined solutions, if they are needed.

    The engine deviates from the specification by the following rules, unless they are `off`:

    - Q1: FILTERs in STREAM are ignored, and static elements have no duplicates.
    - Q2: Matching patterns are processed one after the other, in the order of the engine.
    - Q3: Triples expire by SLIDE.
    - Q4: Only elements with a common variable are joined.
    - Q5: The engine reports a row for each joined solution at once; DISTINCT, ORDER BY, LIMIT and ISTREAM do
      not apply to the whole answer.
    - Q6: Aggregates are computed from the groups that the first pattern's plan finds for a joined solution,
      and not from all solutions.
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
        """Yield the solutions that a pushed triple joins, in one list per matching pattern.

        If rule Q2 is off, patterns have no order, and all solutions are in one list.
        """
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

    def whole(self, number: int, binding: TextSolution) -> list[JoinedMapping]:
        """Return the solutions that a pattern's join plan produces from the triples in its buffer.

        Triples that are incompatible with a solution are left out, because all their joins are, too.
        """
        plan, held = self.plans[number], self.buffers[number].index.items
        known = [entry for entry in held if compatible(binding, entry.binds)]
        return [mapping for entry in known for mapping in follow(plan, entry, self.data)]

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
        """Remove old triples from the buffers when a triple is pushed, even if no pattern matches it."""
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
        """Remove triples from the buffer of a pattern that a pushed triple matches."""
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
        """Count a pushed triple in its stream; equal triples at one time count once."""
        if self._now != push.t:
            self._now = push.t
            self._positions.clear()
        if (push.stream, push.triple) not in self._positions:
            self._counts[push.stream] += 1
            self._positions[push.stream, push.triple] = self._counts[push.stream]


def _filters(body: cqels_text.CqelsBody, off: Off) -> list[cqels_text.CqelsFilter]:
    """Return the FILTERs of a query that the engine applies.

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
