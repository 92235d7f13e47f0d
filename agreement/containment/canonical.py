"""Queries on canonical data: one match of a disjunct, and what queries answer there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from math import lcm
from typing import Final

from agreement.containment.findings import Counterexample
from agreement.containment.forms import settled
from agreement.containment.mappings import Mapper, window_of
from agreement.containment.pruning import pruned
from agreement.decide import trace_on
from agreement.disjuncts import (
    MOST,
    Disjunct,
    Edge,
    Model,
    Reading,
    Stock,
    Stored,
    UncountedError,
    disjuncts,
    edge_under,
    ground,
    is_rdf,
)
from agreement.inputs import sources
from lars.terms import Constant, Term, Variable
from lars.windows import Interval, TimeWindow
from solver.facts import STREAM_PREDICATE, Chosen, Fact, Row
from solver.job import Question
from translate.analysis import parts
from translate.patterns import LeftJoin, Minus, Pattern
from translate.query import EngineQuery, Setting
from translate.tau import answered, translated
from translate.windows import Range

_MOST_PLACEMENTS: Final = 64
_MOST_TIMES: Final = 12


@dataclass(frozen=True)
class OneQuery:
    """One of two queries in one mode."""

    query: EngineQuery
    setting: Setting

    @property
    def result(self) -> tuple[Variable, ...]:
        """Its columns, in order."""
        return tuple(sorted(self.query.result))

    @cached_property
    def pattern(self) -> Pattern:
        """Its pattern, without the OPTIONAL parts of which no column is seen."""
        return pruned(self.query.pattern, frozenset(self.query.result))

    @cached_property
    def merged(self) -> tuple[Reading, ...]:
        """The windows that enter the default graph."""
        return tuple(Reading(one.stream, one.window) for one in self.query.merged)

    @cached_property
    def plain(self) -> tuple[Disjunct, ...]:
        """Its disjuncts as they are written."""
        return tuple(map(settled, disjuncts(self.pattern, self.setting.profile)))

    @cached_property
    def disjuncts(self) -> tuple[Disjunct, ...]:
        """Its disjuncts, in which a pattern of the default graph is one of each source merged there."""
        found: list[Disjunct] = []
        for one in self.plain:
            choices = [self._places(edge) for edge in one.edges]
            found += (replace(one, edges=chosen) for chosen in islice(product(*choices), MOST + 1))
            if len(found) > MOST:
                raise UncountedError(f"the query has more than {MOST} disjuncts")
        return tuple(found)

    def _places(self, edge: Edge) -> tuple[Edge, ...]:
        if edge.where != Stored():
            return (edge,)
        return (edge, *(replace(edge, where=where) for where in self.merged))

    @property
    def mapper(self) -> Mapper:
        """What maps its disjuncts into those of another query."""
        return Mapper(self.result, self.merged, self.setting)

    def rows(self, facts: Sequence[Fact], static: Stock, t: int) -> frozenset[Row]:
        """Return its answers at a time."""
        output = answered(self.query, self.setting)
        question = Question(translated(self.query, self.setting), output.predicate, Chosen((t,)))
        (found,) = trace_on(tuple(facts), static, t).answers([question])
        return found.by_time().get(t, frozenset())


Placed = tuple[int | None, tuple[Constant, Constant, Constant], Constant]
"""A triple of a stream at a time, or at None of a graph of the static data."""


def blockers(other: OneQuery, disjunct: Disjunct) -> Iterator[tuple[Edge, ...]]:
    """Yield edges that may keep a query from a row of the disjunct: what its MINUS and OPTIONAL look for.

    Variables have the names that the query's images give them in the disjunct; others are new.
    """
    for left, right in _beside(other.pattern):
        for target in disjuncts(left, other.setting.profile):
            for image in islice(other.mapper.mappings(target, disjunct, complete=False), _MOST_TIMES):
                for one in disjuncts(right, other.setting.profile):
                    new = {name: Variable(f"{name.name}_new") for name in one.bound}
                    yield tuple(edge_under(edge, new | image) for edge in one.edges)


def _beside(pattern: Pattern) -> Iterator[tuple[Pattern, Pattern]]:
    for part in parts(pattern):
        if isinstance(part, Minus | LeftJoin):
            yield part.left, part.right


def counterexample(
    one: OneQuery, other: OneQuery, disjunct: Disjunct, model: Model, more: tuple[Edge, ...] = ()
) -> Counterexample | None:
    """Return a match of a disjunct on which the first query has a row that the other lacks.

    The edges `more` are matched beside it, as late as their windows show; the model is of both.
    """
    for t in _times(one, other):
        beside = [each for edge in more for each in _placed(edge, model, t, one.setting)[-1:]]
        choices = [_placed(edge, model, t, one.setting) for edge in disjunct.edges]
        for data in islice(product(*choices), _MOST_PLACEMENTS):
            found = difference_on(one, other, (*data, *beside), t)
            if found is not None:
                return found
    return None


def difference_on(one: OneQuery, other: OneQuery, data: Sequence[Placed], t: int) -> Counterexample | None:
    """Return a row that the first query has at t on the data and the other lacks, None where it has all.

    None also where the data are no RDF: they never are there.
    """
    if not all(is_rdf(triple, name) for _, triple, name in data):
        return None
    listed = sorted((each for each in data if each[0] is not None), key=lambda each: each[0] or 0)
    facts = tuple(
        Fact(when or 0, STREAM_PREDICATE, (*map(str, triple), str(stream))) for when, triple, stream in listed
    )
    facts = tuple(dict.fromkeys(facts))
    static = tuple(dict.fromkeys((*triple, graph) for when, triple, graph in data if when is None))
    more = one.rows(facts, static, t) - _renamed(other, one, other.rows(facts, static, t))
    return Counterexample(facts, static, t, min(more, key=str)) if more else None


def _renamed(other: OneQuery, one: OneQuery, rows: frozenset[Row]) -> frozenset[Row]:
    """Return rows in the order of the first query's columns; what it has no column for must be unbound."""
    names = one.result
    found = (dict(zip(other.result, row, strict=True)) for row in rows)
    kept = (row for row in found if all(term is None for name, term in row.items() if name not in names))
    return frozenset(tuple(row.get(name) for name in names) for row in kept)


def _times(one: OneQuery, other: OneQuery) -> range:
    """Return times at each of which pivots stand otherwise, late enough that windows are whole."""
    windows = [each.window for query in (one, other) for each in sources(query.query)]
    ranges = [window for window in windows if isinstance(window, Range)]
    unit = one.setting.unit
    steps = lcm(1, *(window.slide.points(unit) for window in ranges if window.slide is not None))
    reach = max((window.length.points(unit) for window in ranges), default=0)
    first = -(-(reach + steps + 2) // steps) * steps
    return range(first, first + min(steps, _MOST_TIMES))


def last_time(one: OneQuery, other: OneQuery) -> int:
    """Return a time at which all windows are whole."""
    return _times(one, other)[0]


def newest(edge: Edge, model: Model, t: int, setting: Setting) -> Placed:
    """Return the triple of an edge as late as its window shows it at t."""
    return _placed(edge, model, t, setting)[-1]


def _placed(edge: Edge, model: Model, t: int, setting: Setting) -> list[Placed]:
    """Return the triple of an edge as old as its window shows it at t, and as new."""
    triple = ground(edge, model.terms)
    if isinstance(edge.where, Stored):
        return [(None, triple, _term(edge.where.graph, model))]
    window = window_of(edge.where, setting)
    shown = window.bounds(t, Interval(0, t)) if isinstance(window, TimeWindow) else Interval(t, t)
    times = dict.fromkeys((shown.first, shown.last)) if shown else ()
    return [(when, triple, _term(edge.where.stream, model)) for when in times]


def _term(term: Term, model: Model) -> Constant:
    return model.terms[term] if isinstance(term, Variable) else term
