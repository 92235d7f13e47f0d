"""Streams on which two sides may differ, made from the disjuncts of a query."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from agreement.proving.disjuncts.representatives import why_misplaced
from agreement.proving.disjuncts.satisfiable import Model, Stock, complete
from agreement.proving.disjuncts.splitting import Disjunct, Edge, GraphSource, Reading
from lars.durations import Duration
from lars.language.terms import Constant, Iri, Term, Variable
from lars.language.windows import Bounds, TimeWindow
from solver.facts import STREAM_PREDICATE, Fact
from solver.rdf import test
from translate.model.windows import Rows, window_operator

ELSEWHERE = Iri("http://example.org/elsewhere")
"""A stream that no query reads: what arrives there makes push evaluate, and nothing else."""
Arrival = tuple[int, tuple[Constant, Constant, Constant], Constant]
"""A time after the first one, a triple and its stream."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Arrivals, their times counted from `start`, static triples, and the noise that may be added."""

    arrivals: tuple[Arrival, ...]
    static: Stock
    noise: Arrival
    about: Disjunct

    @property
    def last(self) -> int:
        """The time of the last arrival."""
        return max((t for t, _, _ in self.arrivals), default=0)

    def facts(self, shift: int, noise: int | None = None) -> tuple[Fact, ...]:
        """Return the arrivals as facts, `shift` later, with the noise at a time."""
        more = () if noise is None else (replace_time(self.noise, noise),)
        listed = sorted((*self.arrivals, *more), key=lambda arrival: arrival[0])
        return tuple(
            Fact(t + shift, STREAM_PREDICATE, (*map(str, triple), str(stream)))
            for t, triple, stream in listed
        )


def replace_time(arrived: Arrival, t: int) -> Arrival:
    """Return an arrival at another time."""
    return t, *arrived[1:]


def ground(edge: Edge, terms: Mapping[Variable, Constant]) -> tuple[Constant, Constant, Constant]:
    """Return the triple that an edge matches under a model."""
    subject, predicate, object_ = (_term(term, terms) for term in edge.triple.terms)
    return subject, predicate, object_


def _term(term: Term, terms: Mapping[Variable, Constant]) -> Constant:
    return terms[term] if isinstance(term, Variable) else term


_MANY: Final = 5
"""A match of so many patterns has answers by the power of it."""


def few_and_many(disjunct: Disjunct, model: Model) -> Iterator[Model]:
    """Yield models to make data of: where many patterns match, first one with as few triples as can be."""
    if len(disjunct.readings) >= _MANY and (merged := _merged(disjunct, model)) != model:
        yield merged
    yield model


def _merged(disjunct: Disjunct, model: Model) -> Model:
    """Return a model in which patterns of one window match one triple, where conditions let them."""
    fixed = Disjunct(disjunct.stored).bound.union(name for name, _ in (*disjunct.values, *disjunct.computed))
    terms = dict(model.terms)
    for first, second in combinations(disjunct.readings, 2):
        if first.where == second.where:
            grown = _alike(first, second, terms, fixed)
            whole = None if grown is None else complete(disjunct, grown)
            if whole is not None and _holds(disjunct, whole):
                terms = whole
    return Model(terms)


def _alike(
    first: Edge, second: Edge, terms: Mapping[Variable, Constant], fixed: frozenset[Variable]
) -> dict[Variable, Constant] | None:
    """Return terms under which two edges match one triple, None where they cannot."""
    binding = dict(terms)
    for mine, theirs in zip(first.triple.terms, second.triple.terms, strict=True):
        if _term(mine, binding) == _term(theirs, binding):
            continue
        if isinstance(theirs, Variable) and theirs not in fixed:
            binding[theirs] = _term(mine, binding)
        elif isinstance(mine, Variable) and mine not in fixed:
            binding[mine] = _term(theirs, binding)
        else:
            return None
    return binding


def _holds(disjunct: Disjunct, terms: dict[Variable, Constant]) -> bool:
    placed = (why_misplaced(edge.placed, terms) for edge in disjunct.edges)
    return not any(placed) and all(test(each.expression, each.value, terms) for each in disjunct.requirements)


def _others(disjunct: Disjunct, model: Model) -> Iterator[Model]:
    """Yield models that differ in one term of the streams, so that an aggregate has two to count."""
    stored = Disjunct(disjunct.stored).bound
    for name in sorted(Disjunct(disjunct.readings).bound - stored - dict(disjunct.values).keys()):
        if isinstance(term := model.terms[name], Iri):
            yield Model({**model.terms, name: Iri(f"{term.value}2")})


def _stream(edge: Edge, model: Model) -> Constant:
    assert isinstance(edge.where, Reading)
    return _term(edge.where.stream, model.terms)


def stored_triples(disjunct: Disjunct, model: Model) -> Stock:
    """Return the static triples that the stored edges match under a model."""
    triples = (
        (*ground(edge, model.terms), _term(edge.where.graph, model.terms))
        for edge in disjunct.stored
        if isinstance(edge.where, GraphSource)
    )
    return tuple(dict.fromkeys(triples))


@dataclass(frozen=True, slots=True)
class Placement:
    """What windows are in time points, so that triples are put where they show them."""

    unit: Duration
    bounds: Bounds
    noise: Iri | None = ELSEWHERE

    def candidates(
        self, disjunct: Disjunct, model: Model, stock: Stock, *, free: bool
    ) -> Iterator[Candidate]:
        """Yield streams with one match of the disjunct: latest possible, all at once, earliest possible."""
        static = (*stock, *(stored_triples(disjunct, model) if free else ()))
        seen = set[tuple[Arrival, ...]]()
        for when in (self._latest, self._at_once, self._earliest):
            arrivals = _from_zero(
                (when(edge), ground(edge, model.terms), _stream(edge, model)) for edge in _ordered(disjunct)
            )
            if arrivals not in seen:
                seen.add(arrivals)
                yield Candidate(arrivals, static, self._noise(disjunct, model), disjunct)
        if disjunct.unknown:
            for other in _others(disjunct, model):
                arrivals = _from_zero(
                    (0, ground(edge, each.terms), _stream(edge, each))
                    for each in (model, other)
                    for edge in _ordered(disjunct)
                )
                yield Candidate(arrivals, static, self._noise(disjunct, model), disjunct)

    def misplaced(self, disjunct: Disjunct, model: Model, stock: Stock, *, free: bool) -> Iterator[Candidate]:
        """Yield streams in which the triple of one edge comes from another edge's source."""
        every = dict.fromkeys(edge.where for edge in disjunct.readings)
        for number, edge in enumerate(disjunct.edges):
            for where in [*every, GraphSource()]:
                if where == edge.where or (where == GraphSource() and not free):
                    continue
                moved = (*disjunct.edges[:number], replace(edge, where=where), *disjunct.edges[number + 1 :])
                yield from self.candidates(replace(disjunct, edges=moved), model, stock, free=free)

    def _latest(self, edge: Edge) -> int:
        return self._extent(edge)[1]

    def _earliest(self, edge: Edge) -> int:
        return self._extent(edge)[0]

    def _at_once(self, edge: Edge) -> int:  # noqa: ARG002
        return 0

    def _extent(self, edge: Edge) -> tuple[int, int]:
        assert isinstance(edge.where, Reading)
        window = window_operator(edge.where.window, edge.where.stream, self.unit, self.bounds)
        first, last = window.offsets if isinstance(window, TimeWindow) else (None, 0)
        return (0, 0) if first is None else (first, last)

    def _noise(self, disjunct: Disjunct, model: Model) -> Arrival:
        other = (Iri("http://example.org/n1"), Iri("http://example.org/n2"), Iri("http://example.org/n3"))
        if self.noise is not None or not disjunct.readings:
            return 0, other, self.noise or ELSEWHERE
        # Another match of the same pattern, which has nothing to do with the first.
        edge = disjunct.readings[-1]
        names = {name: Iri(f"{term.value}2") for name, term in model.terms.items() if isinstance(term, Iri)}
        return 0, ground(edge, {**model.terms, **names}), _stream(edge, model)


def _ordered(disjunct: Disjunct) -> list[Edge]:
    """Return the readings so that those of the smallest tuple windows arrive last."""

    def size(edge: Edge) -> tuple[bool, int]:
        window = edge.where.window if isinstance(edge.where, Reading) else None
        return (True, -window.count) if isinstance(window, Rows) else (False, 0)

    return sorted(disjunct.readings, key=size)


def _from_zero(arrivals: Iterable[Arrival]) -> tuple[Arrival, ...]:
    listed = sorted(arrivals, key=lambda arrival: arrival[0])
    first = listed[0][0] if listed else 0
    return tuple(dict.fromkeys((t - first, triple, stream) for t, triple, stream in listed))
