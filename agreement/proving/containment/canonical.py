"""Build small data from one match of a query, and evaluate two queries on the data to refute containment.

The data contain one triple for each triple pattern of the match (canonical data). If the first query has a
row on these data that the second query lacks, the first query is not contained in the second query.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice, product
from math import lcm
from operator import attrgetter
from typing import Final

from agreement.documents.requests import sources
from agreement.proving import disjuncts
from agreement.proving.containment.pruning import counted_edges, prune
from agreement.proving.decisions import Decision, Witness, reported, trace_on
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.language.program import Program
from lars.language.stream import ToStream
from lars.language.terms import Variable
from lars.language.windows import Interval, TimeWindow
from solver.deadlines import NEVER, Deadline, until
from solver.facts import Background, Fact, Row
from solver.job import Question
from translate.analysis import rebuild
from translate.model.patterns import Group, Join, Pattern, Select, StreamBlock
from translate.model.query import EngineQuery, Language, Setting
from translate.model.windows import Range, window_operator
from translate.tau import lars_program, output_of

_MOST_PLACEMENTS: Final = 64
"""The maximum number of sets of triple times that are tried for a match at one evaluation time; a guess."""
_MOST_TIMES: Final = 12
"""The maximum number of evaluation times that are tried for a match; a guess.

The pivot of a window is the last multiple of its slide. The pivots of several windows rarely have more
relative positions.
"""
_ENDS: Final = 2
"""The number of times that `_placed` lists first for each triple: the oldest and the newest visible time.

Data in which all triples have one of these two times are tried before other data.
"""


def _with_something(part: Pattern) -> Pattern | None:
    """Return an aggregate without GROUP BY, joined with its own pattern; None if the part is no aggregate.

    If its pattern has no solution, an aggregate without GROUP BY has one row in C-SPARQL and no row in CQELS
    (T13). The join with the pattern removes this row.
    """
    if not isinstance(part, Group) or part.keys:
        return None
    group = replace(part, pattern=rebuild(part.pattern, _with_something))
    return Join(Select(group.pattern, ()), group)


def refutation(against: Witness, *, columns: bool = True) -> Decision:
    """Return the decision that a query is not contained in another query, as a given stream shows.

    If `columns` is false, the text of the decision mentions that both queries have different column names.
    """
    hint = "" if columns else "; the columns of the two queries have different names (--rename A=B)"
    why = f"on the data shown, this query has a row that the other query does not have{hint}"
    return Decision("not always", why, (against,))


@dataclass(frozen=True)
class PairQuery:
    """One of the two queries for which containment is decided, with its settings and time limits.

    `searched` is the maximum number of seconds for the search for a smallest stream.
    """

    query: EngineQuery
    setting: Setting
    deadline: Deadline = NEVER
    searched: float = 5.0

    @property
    def result(self) -> tuple[Variable, ...]:
        """The columns of the query, in alphabetical order."""
        return tuple(sorted(self.query.result))

    @cached_property
    def pattern(self) -> Pattern:
        """The pattern of the query, without OPTIONAL parts and aggregates that change no visible column."""
        pattern = counted_edges(rebuild(self.query.pattern, self._moving))
        if self.query.language is Language.CQELS:
            pattern = rebuild(pattern, _with_something)
        modifiers = self.query.modifiers
        if modifiers.slices:
            return Select(pattern, self.result, modifiers)
        return prune(pattern, frozenset(self.result))

    def _moving(self, part: Pattern) -> Pattern | None:
        """Return a STREAM block without its slide, if the slide is one time point; otherwise return None.

        A window without a slide also moves at each time point, so the matches of the block stay the same.
        """
        match part:
            case StreamBlock(_, Range(slide=Duration() as slide, tumbling=False) as window, _) if (
                slide.points(self.setting.unit) == 1
            ):
                return replace(part, window=replace(window, slide=None))
            case _:
                return None

    @cached_property
    def merged(self) -> tuple[disjuncts.Reading, ...]:
        """The windows whose content is merged into the default graph, as in C-SPARQL."""
        return tuple(disjuncts.Reading(stream.stream, stream.window) for stream in self.query.merged)

    @property
    def operator(self) -> ToStream:
        """The relation-to-stream operator of the query; the default is RSTREAM."""
        return self.query.operator

    def answers(self, facts: Sequence[Fact], static: Background, t: int) -> frozenset[Row]:
        """Return the answers of the query at time `t`, from the facts up to `t` and the static data.

        Raises:
            TimeLimitError: The time limit of the query is over.
        """
        predicate = output_of(self.query, self.setting).predicate
        trace = trace_on([fact for fact in facts if fact.t <= t], static, Interval(0, t))
        with until(self.deadline):
            return reported(Question(self.program, predicate, (t,)), "RSTREAM", trace, t - 1, t)

    @cached_property
    def program(self) -> Program:
        """The LARS program of the query."""
        return lars_program(self.query, self.setting)


def in_unit(query: PairQuery, unit: Duration) -> PairQuery:
    """Return the query with `unit` as the length of one time point."""
    return replace(query, setting=replace(query.setting, unit=unit))


PlacedTriple = tuple[int | None, disjuncts.Quad]
"""A triple with its time; the time is None for a triple in a graph of the static data."""
Data = tuple[Sequence[PlacedTriple], int]
"""Triples with their times, and the time at which both queries are evaluated on the triples."""


def whole_matches(
    query: PairQuery, other: PairQuery, edges: Sequence[tuple[disjuncts.Edge, disjuncts.Model]]
) -> Iterator[Data]:
    """Yield data that contain one match of a query, with different times for the triples of the match.

    Each edge is a triple pattern with its source, and has a model (a term for each variable). In the first
    data, each triple has the oldest or the newest time that its window contains.
    """
    for t in _times(query, other):
        choices = [_placed(edge, model, t, query, other) for edge, model in edges]
        ends = [times[:_ENDS] for times in choices]
        for data in islice(chain(product(*ends), product(*choices)), _MOST_PLACEMENTS):
            yield data, t


def difference_on(query: PairQuery, other: PairQuery, data: Sequence[PlacedTriple], t: int) -> Witness | None:
    """Return a witness with a row that only the first query answers at time `t` on given data, or None.

    If the data are not valid RDF, the function returns None.
    """
    query.deadline.check()
    stream = stream_of(data)
    return None if stream is None else difference_at(query, other, *stream, t)


def stream_of(data: Sequence[PlacedTriple]) -> tuple[tuple[Fact, ...], Background] | None:
    """Return the stream and the static data of placed triples; None if the triples are not valid RDF."""
    static = dict.fromkeys(quad for when, quad in data if when is None)
    arriving = [(when, quad) for when, quad in data if when is not None]
    if not all(disjuncts.is_rdf(quad) for _, quad in data) or disjuncts.shares_blank(
        static, (quad for _, quad in arriving)
    ):
        return None
    arrivals = sorted((disjuncts.arrival(when, quad) for when, quad in arriving), key=attrgetter("t"))
    return tuple(dict.fromkeys(arrivals)), disjuncts.background_of(tuple(static))


def difference_at(
    one: PairQuery, other: PairQuery, facts: tuple[Fact, ...], static: Background, t: int
) -> Witness | None:
    """Return a witness with a row that only the first query answers at time `t`; None if no row exists."""
    mine, theirs = (query.answers(facts, static, t) for query in (one, other))
    more = mine - in_columns_of(one, other, theirs)
    return Witness(facts, static, t - 1, t, frozenset(sorted(more, key=str)[:1])) if more else None


def in_columns_of(query: PairQuery, other: PairQuery, rows: frozenset[Row]) -> frozenset[Row]:
    """Return rows of the other query, with their columns in the order of the first query's columns.

    Rows that bind a variable that is not a column of the first query are left out.
    """
    names = query.result
    bindings = (dict(zip(other.result, row, strict=True)) for row in rows)
    kept = (row for row in bindings if all(term is None for name, term in row.items() if name not in names))
    return frozenset(tuple(row.get(name) for name in names) for row in kept)


def _times(one: PairQuery, other: PairQuery) -> range:
    """Return consecutive evaluation times that are so late that no window begins before time 0.

    The positions of windows relative to each other repeat after the least common multiple of the slides. If
    the least common multiple of the slides is greater than `_MOST_TIMES`, the times show only some positions
    of the windows.
    """
    windows = [each.window for query in (one, other) for each in sources(query.query)]
    ranges = [window for window in windows if isinstance(window, Range)]
    unit = one.setting.unit
    steps = lcm(1, *(window.slide.points(unit) for window in ranges if window.slide is not None))
    reach = max((window.length.points(unit) for window in ranges), default=0)
    # At a pivot of all windows, and so late that no window is cut at time 0.
    first = -(-(reach + steps + 2) // steps) * steps
    return range(first, first + min(steps, _MOST_TIMES))


def last_time(query: PairQuery, other: PairQuery) -> int:
    """Return an evaluation time that is so late that no window of both queries begins before time 0."""
    return _times(query, other)[0]


def newest(edge: disjuncts.Edge, model: disjuncts.Model, t: int, setting: Setting) -> PlacedTriple:
    """Return the triple for an edge, with the newest time that its window contains at evaluation time t.

    An edge is a triple pattern with its source, and a model gives a term for each variable. A static triple
    has the time None.
    """
    last = None if isinstance(edge.where, disjuncts.GraphSource) else shown_last(edge.where, t, setting)
    return last, edge.ground(model)


def shown_last(where: disjuncts.Reading, t: int, setting: Setting) -> int:
    """Return the last time point that a window contains at evaluation time t."""
    interval = _interval(where, t, setting)
    return interval.last if interval else t


def _interval(where: disjuncts.Reading, t: int, setting: Setting) -> Interval:
    window = where.operator(setting)
    return shown_at(window, t) if isinstance(window, TimeWindow) else Interval(t, t)


def shown_at(window: TimeWindow, t: int) -> Interval:
    """Return the interval of time that a window contains at evaluation time t.

    The interval of some windows contains times after the evaluation time t.
    """
    return window.bounds(t, Interval(0, t + max(window.future, 0)))


def _placed(
    edge: disjuncts.Edge, model: disjuncts.Model, t: int, query: PairQuery, other: PairQuery
) -> list[PlacedTriple]:
    """Return the triple for an edge once for each time to try; the edge's window at time t contains the time.

    An edge is a triple pattern with its source. The times to try are the first and the last time in the
    window, and times at the ends of both queries' windows.
    """
    quad = edge.ground(model)
    if isinstance(edge.where, disjuncts.GraphSource):
        return [(None, quad)]
    setting = query.setting
    interval = _interval(edge.where, t, setting)
    if not interval:
        return []
    times = dict.fromkeys((interval.first, interval.last))
    for each in (*sources(query.query), *sources(other.query)):
        beside = window_operator(each.window, each.stream, setting.unit, setting.bounds)
        ends = shown_at(beside, t) if isinstance(beside, TimeWindow) else None
        for when in (ends.first - 1, ends.first, ends.last, ends.last + 1) if ends else ():
            if interval.first <= when <= interval.last:
                times[when] = None
    return [(when, quad) for when in times]
