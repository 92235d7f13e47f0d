"""Evaluate a query at times of a clock, if its answers depend on these times, not only on window contents.

Static data that change, or NOW() in the query, have this effect.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from agreement.documents.outputs import row_order
from agreement.documents.requests import WindowSource, with_sources
from agreement.documents.traces import background
from agreement.engines.specifications.elements import Version
from agreement.engines.specifications.frames import Frame, in_ticks, shift_of
from agreement.engines.specifications.reporting import EvaluationPoint, ShownWindow
from agreement.engines.specifications.tasks import Task
from lars.errors import LarsError
from lars.language.program import Program, Rule
from lars.language.stream import ToStream
from lars.language.terms import Atom, Iri, Variable
from lars.language.windows import FixedWindow, Interval
from solver import relational
from solver.facts import Fact, Row, Situation, Static, Triple
from solver.job import Question, answers_at
from translate.model.query import Dataset, Setting
from translate.model.windows import Range
from translate.tau import NAMED, Output, lars_program, output_of

RowRun = tuple[Row, int, int]
"""A row with the numbers of the first and the last of the consecutive evaluations that have this row."""
_DEFAULT: Final = "default"
"""The name of the default graph in programs."""
VERSION: Final = "version"
"""The predicate of static triples that are valid only at some times."""


def runs_at(
    frame: Frame, windows: Sequence[ShownWindow], points: Sequence[EvaluationPoint]
) -> tuple[Output, Iterator[RowRun]]:
    """Evaluate a query at the given evaluation points.

    Returns:
        The output columns, and the rows, each with the numbers of the first and last evaluation that have it.

    Raises:
        LarsError: A window does not end at each evaluation time.
    """
    starts = {window.source: window.start for window in windows}

    def on_clock(source: WindowSource) -> WindowSource:
        window = in_ticks(source, starts[source], frame)
        last_closed = (
            len(windows) > 1 and isinstance(source.window, Range) and source.window.opens is not None
        )
        if isinstance(window, FixedWindow) or shift_of(source, frame) or last_closed:
            raise LarsError(
                f"cannot evaluate the window {source} with NOW() or --static-at: the window does not end at "
                "each time of evaluation; use lars solve"
            )
        return replace(source, window=window)

    task, specification, scale = frame.task, frame.specification, frame.clock.scale
    query = with_sources(task.query, on_clock)
    setting = Setting(
        specification.profile,
        task.unit,
        semantics=specification.rows,
        origin=task.run.origin,
        ordered=True,
        ticks=scale,
    )
    program, output = _with_versions(lars_program(query, setting), task), output_of(query, setting)
    ticks = [point.tick for point in points]
    # A window can open before time 0, and show what arrives there.
    lowest = min(0, ticks[0], *frame.clock.ticks[:1])
    timeline = Interval(lowest, max(ticks[-1], *frame.clock.ticks[-1:], 0))
    static = (
        task.run.static
        if task.query.dataset == Dataset()
        else with_versions(task.run.static, task.versions, ())
    )
    known = background(static, task.query.dataset, lambda _: None, task.query.language)
    question = Question(program, output.predicate, tuple(ticks))
    facts = sorted(_facts(frame, points), key=lambda fact: fact.t)
    answers = answers_at(question, relational.encode(Situation(timeline, facts, known)), np.array(ticks))
    return output, relational.decode(answers.runs, answers.terms)


def _with_versions(program: Program, task: Task) -> Program:
    """Return the program with rules that add the static triples that are valid at the evaluation time."""
    if not task.versions:
        return program
    triple, graph = tuple(map(Variable, "SPOG")), (Variable("G"),)
    holds = Rule(Atom("triple", triple), (Atom(VERSION, triple),))
    names = Rule(Atom(NAMED, graph), (Atom(f"{VERSION}_{NAMED}", graph),))
    return Program((*program.rules, holds, names))


def _facts(frame: Frame, points: Sequence[EvaluationPoint]) -> Iterator[Fact]:
    task = frame.task
    for tick, triple in zip(frame.clock.ticks, frame.clock.elements, strict=True):
        yield from triple.facts(tick)
    named = with_versions(task.run.static, task.versions, ()).named
    for version in task.versions:
        graphs = _read_as(version, task.query.dataset, named)
        for point in points:
            if (version.first is None or version.first <= point.time) and (
                version.last is None or point.time <= version.last
            ):
                yield from (fact for graph in graphs for fact in _triples(version, graph, point.tick))


def _read_as(version: Version, dataset: Dataset, named: Container[str]) -> list[str]:
    """Return the graphs in the query's dataset (FROM, FROM NAMED) that receive the triples of a version."""
    if dataset == Dataset():
        return [version.graph or _DEFAULT]

    def reads(graph: Iri) -> bool:
        # A name that no graph has at any time stands for the data's own default graph, as in static data.
        return version.graph == (str(graph) if str(graph) in named else None)

    default = [_DEFAULT] if any(map(reads, dataset.default)) else []
    return [*default, *(str(graph) for graph in dataset.named if reads(graph))]


def _triples(version: Version, graph: str, tick: int) -> Iterator[Fact]:
    if graph != _DEFAULT:
        yield Fact(tick, f"{VERSION}_{NAMED}", (graph,))
    for triple in version.triples:
        yield Fact(tick, VERSION, (*triple, graph))


def with_versions(static: Static, versions: Sequence[Version], present: Container[Version]) -> Static:
    """Return static data with all named graphs of versions, but only the triples of present versions.

    A version is a set of static triples that are valid in an interval.
    """
    default, named = set[Triple](), {version.graph: set[Triple]() for version in versions if version.graph}
    for version in versions:
        if version in present:
            (named[version.graph] if version.graph else default).update(version.triples)
    graphs = {name: {*own, *static.named.get(name, ())} for name, own in named.items()}
    return replace(static, default={*static.default, *default}, named={**static.named, **graphs})


def changes(kind: ToStream, rows: Iterable[RowRun], count: int, output: Output) -> dict[int, list[Row]]:
    """Return the new (ISTREAM) or removed (DSTREAM) rows of each evaluation, by the number of the evaluation.

    `count` is the number of evaluations. If the output is a multiset, equal rows count separately. Before the
    first evaluation, the answer is empty.
    """
    width = len(output.variables)
    deltas: dict[Row, Counter[int]] = {}
    for row, first, last in rows:
        own = deltas.setdefault(row[:width], Counter())
        own[first] += 1
        own[last + 1] -= 1
    reported: dict[int, list[Row]] = {}
    sign = 1 if kind == "ISTREAM" else -1
    for row in sorted(deltas, key=row_order):
        for number, change in _counted(deltas[row], bag=output.bag):
            if number < count and change * sign > 0:
                reported.setdefault(number, []).extend([row] * abs(change))
    return reported


def _counted(deltas: Counter[int], *, bag: bool) -> Iterator[tuple[int, int]]:
    """Yield each change of a row's multiplicity, with the number of the evaluation.

    In a set (not `bag`), the multiplicity is 0 or 1.
    """
    count = 0
    for number in sorted(deltas):
        before, count = count, count + deltas[number]
        yield number, (count - before if bag else (count > 0) - (before > 0))
