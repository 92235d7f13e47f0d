"""What a program answers at ticks, its windows placed on the clock: also where contents do not decide."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreement.documents.outputs import row_order
from agreement.documents.requests import with_sources
from agreement.documents.traces import background
from agreement.engines.specifications.contents import Task
from agreement.engines.specifications.elements import Frame, Version, in_ticks
from agreement.engines.specifications.reporting import EvaluationPoint, ShownWindow
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Variable
from lars.language.windows import Interval
from solver.facts import STREAM_PREDICATE, ChosenTimes, Fact, Row, Situation
from solver.job import ask, stretches
from translate.model.query import Setting, ToStream
from translate.tau import NAMED, Output, lars_program, output_of

RowRun = tuple[Row, int, int]
"""A raw row with the first and last number of consecutive evaluations that it answers."""
VERSION: Final = "version"
"""The predicate of static triples that are there at some times only."""


def runs_at(
    task: Task, frame: Frame, windows: Sequence[ShownWindow], points: Sequence[EvaluationPoint]
) -> tuple[Output, Iterator[RowRun]]:
    """Return how answers are read, and raw rows with the first and last number of evaluations in a row.

    Two evaluations can be at one tick.
    """
    starts = {window.source: window.start for window in windows}
    query = with_sources(task.query, lambda one: replace(one, window=in_ticks(one, starts[one], frame)))
    asked, scale = frame.specification, frame.clock.scale
    setting = Setting(
        asked.profile, task.unit, semantics=asked.rows, origin=task.origin, ordered=True, ticks=scale
    )
    program, output = _with_versions(lars_program(query, setting), task), output_of(query, setting)
    ticks = [point.tick for point in points]
    # A window can open before time 0, and show what arrives there.
    lowest = min(0, ticks[0], *frame.clock.ticks[:1])
    timeline = Interval(lowest, max(ticks[-1], *frame.clock.ticks[-1:], 0))
    known = background(task.static, task.query.dataset, lambda _: None, task.query.language)
    question = ask(program, output.predicate, ChosenTimes(tuple(dict.fromkeys(ticks))))
    facts = sorted(_facts(task, frame, points), key=lambda fact: fact.t)
    found = stretches([question], Situation(timeline, facts, known), timeline)
    runs = ((one.row, bisect_left(ticks, one.first), bisect_left(ticks, one.last + 1) - 1) for one in found)
    return output, runs


def _with_versions(program: Program, task: Task) -> Program:
    """Return the program with rules that take what versions of static graphs hold at the time."""
    if not task.versions:
        return program
    triple, graph = tuple(map(Variable, "SPOG")), (Variable("G"),)
    holds = Rule(Atom("triple", triple), (Atom(VERSION, triple),))
    names = Rule(Atom(NAMED, graph), (Atom(f"{VERSION}_{NAMED}", graph),))
    return Program((*program.rules, holds, names))


def _facts(task: Task, frame: Frame, points: Sequence[EvaluationPoint]) -> Iterator[Fact]:
    for tick, one in zip(frame.clock.ticks, frame.clock.elements, strict=True):
        yield Fact(tick, STREAM_PREDICATE, (*one.triple, one.stream))
    for version in task.versions:
        for point in points:
            if (version.first is None or version.first <= point.time) and (
                version.last is None or point.time <= version.last
            ):
                yield from _triples(version, point.tick)


def _triples(version: Version, tick: int) -> Iterator[Fact]:
    graph = version.graph or "default"
    if version.graph is not None:
        yield Fact(tick, f"{VERSION}_{NAMED}", (graph,))
    for triple in version.triples:
        yield Fact(tick, VERSION, (*triple, graph))


def changes(kind: ToStream, found: Iterable[RowRun], count: int, output: Output) -> dict[int, list[Row]]:
    """Return what is new (ISTREAM) or gone (DSTREAM) at each of `count` evaluations, by its number.

    Equal rows are counted as the output says. Before the first evaluation there is no answer.
    """
    width = len(output.variables)
    deltas: dict[Row, Counter[int]] = {}
    for row, first, last in found:
        own = deltas.setdefault(row[:width], Counter())
        own[first] += 1
        own[last + 1] -= 1
    reported: dict[int, list[Row]] = {}
    sign = 1 if kind is ToStream.ISTREAM else -1
    for row in sorted(deltas, key=row_order):
        for number, change in _counted(deltas[row], bag=output.bag):
            if number < count and change * sign > 0:
                reported.setdefault(number, []).extend([row] * abs(change))
    return reported


def _counted(deltas: Counter[int], *, bag: bool) -> Iterator[tuple[int, int]]:
    """Yield by how many a row's multiplicity changes at an evaluation; in a set it is 0 or 1."""
    count = 0
    for number in sorted(deltas):
        before, count = count, count + deltas[number]
        yield number, (count - before if bag else (count > 0) - (before > 0))
