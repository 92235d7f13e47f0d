"""What a specification says an engine should report: its LARS program, asked at its evaluation times."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.inputs import background
from agreement.outputs import in_order
from agreement.recordings.recording import Row, Triple
from agreement.sources import Source, sources, with_sources
from agreement.specifications.changes import changes
from agreement.specifications.elements import Element, heard, ticking
from agreement.specifications.placing import Frame, moved
from agreement.specifications.reporting import Point, Shown, evaluation_points, needed_tick, shown
from agreement.specifications.specification import Empty, Specification
from lars.durations import Duration
from lars.program import Program, Rule
from lars.terms import Atom, Variable
from lars.windows import Bounds, Interval
from solver.evaluate import ask
from solver.facts import STREAM_PREDICATE, Fact
from solver.gate import Chosen
from solver.pipeline import Job, in_process, stretches_in_process
from solver.static import Static
from translate.answers import Output, answered
from translate.node import NAMED
from translate.profiles import Setting
from translate.query import EngineQuery, ToStream
from translate.translation import translated

VERSION: Final = "version"
"""The predicate of static triples that are there at some times only."""


@dataclass(frozen=True, slots=True)
class Version:
    """Static triples that are there from one time point to another, both included; None: always."""

    triples: frozenset[Triple]
    first: int | None = None
    last: int | None = None
    graph: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A query and its input, at time points of `unit`; the last one evaluated at is `until`."""

    query: EngineQuery
    elements: tuple[Element, ...]
    static: Static
    unit: Duration
    until: int
    versions: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """What a specification leaves open: t0 of each window, in the order of the query, and the ends."""

    starts: tuple[int, ...]
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class View:
    """What one window showed: from its opening to the time of evaluation, so many triples."""

    source: Source
    first: int
    last: int
    triples: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation: its time point, what is reported (None: nothing), and what the windows showed."""

    time: int
    rows: tuple[Row, ...]
    reported: bool
    trigger: int | None
    views: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class Profiled:
    """A specification applied to a task: a LARS program and its evaluation times."""

    task: Task
    specification: Specification
    choice: Choice
    frame: Frame
    windows: tuple[Shown, ...]
    points: tuple[Point, ...]
    program: Program
    output: Output


def profiled(task: Task, specification: Specification, choice: Choice) -> Profiled:
    """Return the LARS program and the evaluation times of a task under a specification."""
    read = sources(task.query)
    elements = heard(task.elements, [source.stream for source in read])
    clock = ticking(elements, needed_tick(specification, read))
    frame = Frame(specification, task.unit, choice.bounds, clock, task.until)
    starts = dict(zip(read, choice.starts, strict=True))
    windows = tuple(shown(source, n, starts[source], frame) for n, source in enumerate(read, 1))
    query = with_sources(task.query, lambda source: moved(source, starts[source], frame))
    setting = _setting(task, specification, clock.scale)
    points = tuple(evaluation_points(windows, specification))
    program, output = translated(query, setting), answered(query, setting)
    program = _with_versions(program) if task.versions else program
    return Profiled(task, specification, choice, frame, windows, points, program, output)


def _setting(task: Task, specification: Specification, ticks: int) -> Setting:
    return Setting(specification.profile, task.unit, semantics=specification.rows, ordered=True, ticks=ticks)


def _with_versions(program: Program) -> Program:
    """Return the program with rules that take what versions of static graphs hold at the time."""
    triple, graph = tuple(map(Variable, "SPOG")), (Variable("G"),)
    holds = Rule(Atom("triple", triple), (Atom(VERSION, triple),))
    names = Rule(Atom(NAMED, graph), (Atom(f"{VERSION}_{NAMED}", graph),))
    return Program((*program.rules, holds, names))


def evaluations(profile: Profiled) -> list[Evaluation]:
    """Return what is evaluated and reported, ascending in time."""
    if not profile.points:
        return []
    rows = _reported(profile, [point.tick for point in profile.points])
    return [_evaluation(profile, point, tuple(rows.get(n, ()))) for n, point in enumerate(profile.points)]


def _reported(profile: Profiled, ticks: Sequence[int]) -> dict[int, list[Row]]:
    """Return what is reported at each evaluation, by its number: two of them can look at one tick."""
    kind = profile.task.query.to_stream or profile.specification.stream
    job, facts = _job(profile, ticks)
    if kind is not ToStream.RSTREAM:
        return changes(kind, ticks, stretches_in_process(job, facts), profile.output)
    found: dict[int, list[Row]] = {}
    for answer in in_process(job, facts):
        found.setdefault(answer.t, []).append(answer.row)
    ordered = {tick: in_order(profile.output, rows) for tick, rows in found.items()}
    return {number: ordered[tick] for number, tick in enumerate(ticks) if tick in ordered}


def _evaluation(profile: Profiled, point: Point, rows: tuple[Row, ...]) -> Evaluation:
    reported = bool(rows) or profile.specification.empty is Empty.REPORTED
    views = tuple(_view(window, point) for window in profile.windows)
    return Evaluation(point.time, rows, reported, point.trigger, views)


def _view(window: Shown, point: Point) -> View:
    opened = window.opening(point.tick)
    return View(window.source, opened, point.time, len(window.span(point.tick)))


def _job(profile: Profiled, ticks: Sequence[int]) -> tuple[Job, list[Fact]]:
    task, clock = profile.task, profile.frame.clock
    # A window can open before time 0, and show what arrives there.
    lowest = min(0, ticks[0], *clock.ticks[:1])
    timeline = Interval(lowest, max(ticks[-1], *clock.ticks[-1:], 0))
    facts = [*_arrived(profile), *_versions(task.versions, profile.points)]
    known = background(task.static, task.query.dataset, lambda _: None)
    question = ask(profile.program, profile.output.predicate, Chosen(tuple(dict.fromkeys(ticks))))
    return Job((question,), timeline, known), facts


def _arrived(profile: Profiled) -> Iterator[Fact]:
    clock = profile.frame.clock
    for tick, element in zip(clock.ticks, clock.elements, strict=True):
        yield Fact(tick, STREAM_PREDICATE, (*element.triple, element.stream))


def _versions(versions: Sequence[Version], points: Sequence[Point]) -> Iterator[Fact]:
    for version in versions:
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
