"""What an arriving triple of CQELS is joined with: buffers of patterns, static data, along a plan.

Q1 and Q3: the buffer of a triple pattern, what is dropped from it when, and finding what joins. A window
of L shows [now - L, now], both ends included; times are milliseconds. Static elements are evaluated once,
and EXISTS is asked of solutions. Q4: the plan of a stream pattern, along which is joined.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Generic, TypeVar

from agreement.documents.recordings import Push
from agreement.engines.cqels.query_text import CqelsFilter, StreamTriple
from agreement.engines.engine import answers
from lars.language.terms import Variable
from solver.facts import Static, Triple, constant_of
from solver.rdf import evaluate, test
from translate.model import patterns as algebra
from translate.model.patterns import variables
from translate.model.query import Dataset, EngineQuery, Form, Language
from translate.model.windows import Now, Range, Rows, Unbounded

TextSolution = Mapping[Variable, str]
"""What a solution binds, each to the canonical text of its term; terms join when their texts are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class BufferedTriple:
    """A triple in a buffer, and what its pattern binds; `position` counts the triples of its stream."""

    t: float
    stream: str
    triple: Triple
    position: int
    binds: TextSolution

    @property
    def entries(self) -> tuple["BufferedTriple"]:
        """What it is made of, as of a joined mapping."""
        return (self,)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedMapping:
    """A joined mapping and the entries that it is made of: none where it is one of a static element."""

    binds: TextSolution
    entries: tuple[BufferedTriple, ...] = ()


T = TypeVar("T", BufferedTriple, JoinedMapping)


def compatible(binding: TextSolution, other: TextSolution) -> bool:
    """Whether what both bind is equal."""
    return all(other.get(name, term) == term for name, term in binding.items())


@dataclass(slots=True, eq=False)
class HashIndex(Generic[T]):
    """Items in the order in which they were put in, found by the values of any variables.

    `names` are the variables that every item binds.
    """

    names: frozenset[Variable]
    items: dict[T, None] = field(default_factory=dict)
    _places: dict[tuple[Variable, ...], dict[tuple[str, ...], dict[T, None]]] = field(default_factory=dict)

    def put(self, item: T) -> None:
        """Add an item behind all others."""
        self.items[item] = None
        for names, place in self._places.items():
            place.setdefault(_key(item, names), {})[item] = None

    def remove(self, item: T) -> None:
        """Take out an item that is in."""
        del self.items[item]
        for names, place in self._places.items():
            del place[_key(item, names)][item]

    def matching(self, solution: TextSolution, shared: tuple[Variable, ...]) -> Iterable[T]:
        """Return the items that are compatible with a solution; `shared` are all that both can bind."""
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
    """What a triple pattern holds, the oldest first; `start` is when the slide began that is running."""

    triple: StreamTriple
    index: HashIndex[BufferedTriple] = field(init=False)
    start: float | None = None
    _by_triple: dict[tuple[str, Triple], BufferedTriple] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = HashIndex(self.triple.variables)

    def put(self, entry: BufferedTriple) -> None:
        """Insert an entry as the newest."""
        self.index.put(entry)
        self._by_triple[entry.stream, entry.triple] = entry

    def take(self, entries: list[BufferedTriple]) -> None:
        """Drop entries."""
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
        """Return what the window drops at a time.

        [TRIPLES n] shows the newest n triples of the stream (`counts` are how many each has had), of
        its `own` pattern n with the one to come (Q1). With `slides` a range drops only when a SLIDE
        is over, and then the next one begins, and NOW keeps the last match (Q3).
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
            case other:  # which no text of CQELS says
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


def match_triple(triple: StreamTriple, push: Push) -> TextSolution | None:
    """Return what the pattern binds in a pushed triple, None where it does not match."""
    texts = (push.stream, *push.triple)
    for place, text in triple.constants:
        if texts[place] != text:
            return None
    binding: dict[Variable, str] = {}
    for term, text in zip(triple.terms, texts, strict=True):
        if isinstance(term, Variable) and binding.setdefault(term, text) != text:
            return None
    return binding


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
    _answers: dict[tuple[object, ...], list[TextSolution]] = field(default_factory=dict)

    def element(self, pattern: algebra.Pattern, kept: frozenset[Variable] | None) -> StaticElement:
        """Return the solutions of a pattern: those for `kept` without duplicates, or all of them."""
        names = variables(pattern) if kept is None else variables(pattern) & kept
        modifiers = algebra.UNMODIFIED if kept is None else algebra.Modifiers(algebra.Duplicates.DISTINCT)
        solutions = self._solutions(pattern, names, modifiers)
        bound = frozenset(name for name in names if all(name in solution for solution in solutions))
        index: HashIndex[JoinedMapping] = HashIndex(bound)
        for solution in solutions:
            index.put(JoinedMapping(solution))
        return StaticElement(names, index)

    def holds(self, condition: CqelsFilter, solution: TextSolution) -> bool:
        """Whether a FILTER is true of a solution, its EXISTS asked of the static data."""
        if not condition.exists:
            return test(condition.expression, True, solution)
        pattern = _pattern_of(solution, condition.variables)
        return bool(self._solutions_of(algebra.Filter(pattern, condition.expression, condition.exists), ()))

    def value(self, extend: algebra.Extend, solution: TextSolution) -> str | None:
        """Return the value of an expression for a solution, None where it is an error."""
        if not extend.exists:
            term = evaluate(extend.expression, solution)
            return None if term is None else str(term)
        image = _pattern_of(solution, CqelsFilter(extend.expression, extend.exists).variables)
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
        query = EngineQuery(Language.CQELS, Form.SELECT, result, pattern, self.dataset, modifiers=modifiers)
        (rows,) = answers(query, [{}], self.static)
        return [
            {name: text for name, text in zip(result, row, strict=True) if text is not None} for row in rows
        ]


def _pattern_of(solution: TextSolution, names: frozenset[Variable]) -> algebra.Pattern:
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
            (element.variables, element.index) for element in self.statics
        ]
        unused += [
            (buffer.triple.variables, buffer.index) for buffer in self.buffers if buffer.triple is not start
        ]
        while True:
            yield from (cqels_filter for cqels_filter in filters if cqels_filter.variables <= bound)
            filters = [cqels_filter for cqels_filter in filters if not cqels_filter.variables <= bound]
            sharing = (pair for pair in unused if pair[0] & bound)
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
    mappings = [JoinedMapping(start.binds, start.entries)]
    for step in plan:
        if isinstance(step, CqelsFilter):
            mappings = [mapping for mapping in mappings if data.holds(step, mapping.binds)]
        else:
            mappings = [
                JoinedMapping({**mapping.binds, **other.binds}, (*mapping.entries, *other.entries))
                for mapping in mappings
                for other in step.index.matching(mapping.binds, step.shared)
            ]
    return mappings
