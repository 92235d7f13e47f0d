"""Make small streams on which two queries may differ, from one match of a query."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from operator import itemgetter
from typing import Final

from agreement.proving.disjuncts.edges import Edge, GraphSource, Quad, Stock, arrival
from agreement.proving.disjuncts.satisfiable import Model, complete
from agreement.proving.disjuncts.splitting import Disjunct
from lars.dataclass import dataclass
from lars.language.terms import Constant, Iri, Variable
from lars.language.windows import TimeWindow
from solver.facts import Fact
from solver.rdf import test
from translate.model.query import Setting
from translate.model.windows import Rows

ELSEWHERE = Iri("http://example.org/elsewhere")
"""A stream that no query reads; its triples trigger push and have no other effect."""
Arrival = tuple[int, Quad]
"""The time of an arriving triple, in time points after the first arrival, and the triple with its stream."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stream with static triples, on which two queries may have different answers.

    `noise` is an additional triple that can make push evaluate, and is usually unrelated to the query.
    """

    arrivals: tuple[Arrival, ...]
    static: Stock
    noise: Quad

    @property
    def last(self) -> int:
        """The time of the last arrival, in time points after the first arrival."""
        return max((t for t, _ in self.arrivals), default=0)

    def facts(self, shift: int, noise: int | None = None) -> tuple[Fact, ...]:
        """Return the arriving triples of the stream, each `shift` time points later.

        If `noise` is given, the additional triple that can make push evaluate arrives at this time before the
        shift.
        """
        more = () if noise is None else ((noise, self.noise),)
        listed = sorted((*self.arrivals, *more), key=itemgetter(0))
        return tuple(arrival(t + shift, quad) for t, quad in listed)


_MANY_PATTERNS: Final = 5
"""The number of triple patterns from which on data with fewer triples are tried first.

The number of answers grows exponentially with the number of patterns.
"""


def few_and_many(disjunct: Disjunct, model: Model) -> Iterator[Model]:
    """Yield one or two models, from which data with a match of a disjunct are made.

    A model gives a term to each variable. If the disjunct has many triple patterns, a model with few
    different triples comes first.
    """
    if len(disjunct.readings) >= _MANY_PATTERNS and (merged := _merged(disjunct, model)) != model:
        yield merged
    yield model


def _merged(disjunct: Disjunct, model: Model) -> Model:
    """Return a model under which several patterns of a window match the same triple, if possible.

    A model gives a term to each variable.
    """
    fixed = replace(disjunct, edges=disjunct.stored).variables
    terms = dict(model)
    for first, second in combinations(disjunct.readings, 2):
        if first.where == second.where:
            grown = _alike(first, second, terms, fixed)
            whole = None if grown is None else complete(disjunct, grown)
            if whole is not None and _holds(disjunct, whole):
                terms = whole
    return terms


def _alike(
    first: Edge, second: Edge, terms: Mapping[Variable, Constant], fixed: frozenset[Variable]
) -> dict[Variable, Constant] | None:
    """Return the terms of variables, changed so that two triple patterns match the same triple, or None.

    Variables in `fixed` keep their terms.
    """
    binding = dict(terms)
    for mine, theirs in zip(first.triple.terms, second.triple.terms, strict=True):
        own, other = (binding[each] if isinstance(each, Variable) else each for each in (mine, theirs))
        if own == other:
            continue
        if isinstance(theirs, Variable) and theirs not in fixed:
            binding[theirs] = own
        elif isinstance(mine, Variable) and mine not in fixed:
            binding[mine] = other
        else:
            return None
    return binding


def _holds(disjunct: Disjunct, terms: dict[Variable, Constant]) -> bool:
    misplaced = (edge.why_misplaced(terms) for edge in disjunct.edges)
    return not any(misplaced) and all(
        test(each.expression, each.value, terms) for each in disjunct.requirements
    )


def _others(disjunct: Disjunct, model: Model) -> Iterator[Model]:
    """Yield models (a term for each variable) that differ from the given model in one IRI of a stream.

    Data with a match for the given model and a match for a yielded model make an aggregate count two
    different terms.
    """
    stored = Disjunct(disjunct.stored).bound
    for name in sorted(Disjunct(disjunct.readings).bound - stored - dict(disjunct.values).keys()):
        if isinstance(term := model[name], Iri):
            yield {**model, name: Iri(f"{term.value}2")}


@dataclass(frozen=True, slots=True)
class Placement:
    """Chooses times for the triples of a match, so that the windows of the query contain the triples.

    The streams can have an additional triple that makes push evaluate. If `noise` is an IRI, the additional
    triple matches no pattern, and arrives in the stream `noise`. If `noise` is None, the additional triple
    matches a pattern of the query.
    """

    setting: Setting
    noise: Iri | None = ELSEWHERE

    def candidates(
        self, disjunct: Disjunct, model: Model, stock: Stock, *, free: bool
    ) -> Iterator[Candidate]:
        """Yield streams that contain one match of a disjunct (alternative of a query).

        The model gives a term to each variable, and so determines the triples of the match. The triples
        arrive as late as the windows allow, all at one time, or as early as the windows allow. If `free` is
        true, static triples for the match are added to `stock`.
        """
        stored = dict.fromkeys(edge.ground(model) for edge in disjunct.stored if free)
        edges, static, noise = _ordered(disjunct), (*stock, *stored), self._noise(disjunct, model)
        extents = [self._extent(edge) for edge in edges]
        latest, earliest = [last for _, last in extents], [first for first, _ in extents]
        ways = [
            _from_zero(zip(times, (edge.ground(model) for edge in edges), strict=True))
            for times in (latest, [0] * len(edges), earliest)
        ]
        ways += (
            # Two matches at one time, so that an aggregate sees two different terms.
            _from_zero((0, edge.ground(each)) for each in (model, other) for edge in edges)
            for other in (_others(disjunct, model) if disjunct.unknown else ())
        )
        yield from (Candidate(arrivals, static, noise) for arrivals in dict.fromkeys(ways))

    def misplaced(self, disjunct: Disjunct, model: Model, stock: Stock, *, free: bool) -> Iterator[Candidate]:
        """Yield streams that contain a triple for one pattern only in the source of another pattern."""
        every = dict.fromkeys(edge.where for edge in disjunct.readings)
        for number, edge in enumerate(disjunct.edges):
            for where in [*every, GraphSource()]:
                # Given static data are fixed, so no triple can be moved to them.
                if where == edge.where or (where == GraphSource() and not free):
                    continue
                moved = (*disjunct.edges[:number], replace(edge, where=where), *disjunct.edges[number + 1 :])
                yield from self.candidates(replace(disjunct, edges=moved), model, stock, free=free)

    def _extent(self, edge: Edge) -> tuple[int, int]:
        window = edge.reading.operator(self.setting)
        first, last = window.offsets if isinstance(window, TimeWindow) else (None, 0)
        return (0, 0) if first is None else (first, last)

    def _noise(self, disjunct: Disjunct, model: Model) -> Quad:
        if self.noise is not None or not disjunct.readings:
            subject, predicate, object_ = (Iri(f"http://example.org/n{number}") for number in (1, 2, 3))
            return subject, predicate, object_, self.noise or ELSEWHERE
        # A match of the same pattern makes push evaluate, whatever the trigger is; its IRIs are new.
        edge = disjunct.readings[-1]
        names = {name: Iri(f"{term.value}2") for name, term in model.items() if isinstance(term, Iri)}
        return *edge.ground({**model, **names})[:3], edge.ground(model)[3]


def _ordered(disjunct: Disjunct) -> list[Edge]:
    """Return the stream patterns of a disjunct, in the order in which their triples arrive.

    Triples for the smallest tuple windows arrive last, so that no newer triple pushes them out.
    """

    def size(edge: Edge) -> tuple[bool, int]:
        window = edge.reading.window
        return (True, -window.count) if isinstance(window, Rows) else (False, 0)

    return sorted(disjunct.readings, key=size)


def _from_zero(arrivals: Iterable[Arrival]) -> tuple[Arrival, ...]:
    listed = sorted(arrivals, key=itemgetter(0))
    first = listed[0][0] if listed else 0
    return tuple(dict.fromkeys((t - first, quad) for t, quad in listed))
