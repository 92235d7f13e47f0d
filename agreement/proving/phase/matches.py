"""Find the matches of a query with the arrival times of their triples, for all lengths of one window.

A match gives a row from the arrival of its last triple on, as long as the windows contain its triples. The
length L of one window varies: the oldest triple of a match in this window must be at most L old. So each
match with the longest window determines the lengths and times at which it gives a row. A single evaluation
with the longest window is sufficient.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product
from math import inf
from typing import Final

from agreement.documents.requests import reads_graphs, sources
from agreement.documents.traces import Trace
from agreement.proving.disjuncts import Disjunct, Edge, GraphSource, Reading, UncountedError, disjuncts
from lars.dataclass import dataclass
from lars.language import formulas, terms
from lars.language.program import Program, Rule, put_terms
from lars.language.program import variables as named_in
from lars.language.windows import Bounds, TimeWindow, misses_last
from solver.facts import STREAM_PREDICATE, Row
from solver.job import Question
from translate.analysis import parts
from translate.model import patterns as algebra
from translate.model.query import EngineQuery, Setting
from translate.model.windows import Now, Range, Unbounded

FOREVER: Final = inf


@dataclass(frozen=True, slots=True)
class TimedMatch:
    """A match of a query, with its row, and the first and last time point at which it gives the row.

    The first time point is the arrival of the match's last triple. The last time point ignores the window
    whose length varies. `oldest` is the earliest arrival among the triples that the match takes from the
    window whose length varies; None if the match takes no triple from this window.
    """

    row: Row
    start: int
    end: float
    oldest: int | None


def obstacle(query: EngineQuery, setting: Setting) -> str | None:
    """Return the construct of a query because of which each window length needs an evaluation, or None."""
    if reads_graphs(query):
        return "GRAPH inside WINDOW"
    if query.form not in ("SELECT", "ASK"):
        return str(query.form)
    if query.modifiers.slices:
        return "LIMIT or OFFSET"
    if setting.bounds is not None and misses_last(setting.bounds):
        return f"bounds {setting.bounds}"
    for source in sources(query):
        match source.window:
            case Range(_, slide, None, ends=None) if slide is None or slide.points(setting.unit) == 1:
                pass
            case Now() | Unbounded():
                pass
            case window:
                return f"the window {window}"
        if not isinstance(source.stream, terms.Iri):
            return "a stream that is a variable"
    for part in parts(query.pattern):
        match part:
            case algebra.Union(algebra.StreamBlock() as block, other) if block.pattern == other:
                return "a cautious block"
            case algebra.Extend() | algebra.PathPattern():
                return "BIND, or a path"
            case _:
                pass
    try:
        text = next(
            (disjunct.loose for disjunct in disjuncts(query.pattern, setting.profile) if disjunct.loose), None
        )
    except UncountedError as error:
        return str(error)
    return text


def matches(
    query: EngineQuery, setting: Setting, trace: Trace, varied: terms.Iri, longest: int
) -> list[TimedMatch]:
    """Return all matches of a query on a trace, from which the rows for each length of a window follow.

    The window is on the stream `varied`, and is at most `longest` time points long. The function `obstacle`
    must return None for the query.
    """
    times = sorted({fact.t for fact in trace.facts(trace.timeline)} | {trace.timeline.first})
    timed: dict[TimedMatch, None] = {}
    for disjunct in _placed(query, setting, _carried(trace)):
        rule, ages = _rule(disjunct, query, setting, (varied, longest))
        head = rule.head
        assert isinstance(head, terms.Atom)
        question = Question(Program((rule,)), (head.predicate, len(head.arguments)), tuple(times))
        (runs,) = trace.answers([question])
        for row in {row for rows in runs.whole().by_time().values() for row in rows}:
            timed[_match(row, ages, trace.timeline.first)] = None
    return list(timed)


_Carried = frozenset[tuple[str, str]]
"""Pairs of a stream or static graph and a predicate that occurs in it."""


def _carried(trace: Trace) -> _Carried:
    stored = trace.background.get(("triple", 4), ())
    return trace.predicates() | {(str(graph), str(predicate)) for _, predicate, _, graph in stored}


def _placed(query: EngineQuery, setting: Setting, carried: _Carried) -> Iterator[Disjunct]:
    """Yield each alternative of a query, once for each choice of sources in which its patterns can match.

    A source can match a pattern if the source contains the predicate of the pattern.
    """
    merged = [Reading(stream.stream, stream.window) for stream in query.merged]
    for disjunct in disjuncts(query.pattern, setting.profile):
        choices = [
            [each for where in wheres if _is_carried(each := replace(edge, where=where), carried)]
            for edge in disjunct.edges
            for wheres in [[edge.where, *(merged if edge.where == GraphSource() else ())]]
        ]
        for edges in product(*choices):
            yield replace(disjunct, edges=edges)


def _is_carried(edge: Edge, carried: _Carried) -> bool:
    source, predicate = edge.where.name, edge.triple.predicate
    known = not isinstance(source, terms.Variable) and isinstance(predicate, terms.Iri)
    return not known or (str(source), str(predicate)) in carried


def _age(where: Reading, setting: Setting, varied: terms.Iri) -> float | None:
    """Return the maximum age of a triple in a window, in time points.

    For the window whose length varies, the function returns None. If the age has no limit, the function
    returns FOREVER.
    """
    if where.name == varied and isinstance(where.window, Range):
        return None
    window = where.operator(setting)
    assert isinstance(window, TimeWindow)
    return FOREVER if window.past is None else limit(window.past, window.ends)


def limit(length: int, bounds: Bounds | None) -> int:
    """Return the maximum age, in time points, of a triple in a window of the given length."""
    first, _ = TimeWindow(length, ends=bounds or "closed").offsets
    return -(first or 0)


def _rule(
    disjunct: Disjunct, query: EngineQuery, setting: Setting, varied: tuple[terms.Iri, int]
) -> tuple[Rule, tuple[float | None, ...]]:
    """Return a LARS rule that finds the matches of a disjunct, with the maximum age of each stream triple.

    A disjunct is an alternative of a query, without UNION. The head of the rule, match(V, T, ..), contains
    the row V and the arrival time T of each stream triple.
    """
    named = (terms.Variable(f"Time{number}") for number in count())
    fresh = (name for name in named if name not in disjunct.bound)
    body: list[formulas.BodyLiteral] = []
    times: list[terms.Variable] = []
    ages: list[float | None] = []
    for edge in disjunct.edges:
        match edge.where:
            case Reading() as where:
                age = _age(where, setting, varied[0])
                window = TimeWindow(varied[1] if age is None else None if age == FOREVER else int(age))
                times.append(next(fresh))
                ages.append(age)
                body.append(
                    formulas.In(window, formulas.At(times[-1], terms.Atom(STREAM_PREDICATE, edge.terms)))
                )
            case GraphSource(graph):
                body.append(terms.Atom("triple", edge.terms))
                if isinstance(graph, terms.Variable):
                    body.append(formulas.Comparison(graph, "!=", terms.DEFAULT))
    binding, bound = dict(disjunct.values), disjunct.bound
    body += (formulas.Comparison(n, "=", term) for n, term in binding.items() if n in bound and term)
    fixed: dict[terms.Variable, terms.Term] = {
        name: term or terms.NULL for name, term in binding.items() if name not in bound
    }
    for test in disjunct.requirements:
        names = {name: fixed.get(name, terms.NULL) for name in named_in(test.expression) - bound}
        body.append(formulas.Test(put_terms(test.expression, names), test.value))
    columns = [fixed.get(name, name if name in bound else terms.NULL) for name in sorted(query.result)]
    return Rule(terms.Atom("match", (*columns, *times)), tuple(body) or (formulas.Truth(),)), tuple(ages)


def _match(row: Row, ages: tuple[float | None, ...], first: int) -> TimedMatch:
    row_shown = row[: len(row) - len(ages)]
    times = [int(text or 0) for text in row[len(row_shown) :]]
    ends = [t + int(age) for t, age in zip(times, ages, strict=True) if age is not None and age < FOREVER]
    varied = [t for t, age in zip(times, ages, strict=True) if age is None]
    return TimedMatch(
        row_shown, max(times, default=first), min(ends, default=FOREVER), min(varied, default=None)
    )
