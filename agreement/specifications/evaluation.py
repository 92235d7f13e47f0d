"""What a specification says an engine should report: its LARS program, asked at its evaluation times."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from agreement.inputs import WindowSource, sources, with_sources
from agreement.outputs import in_order, row_order
from agreement.recordings import Row, Triple
from agreement.specifications.elements import Element, Frame, heard, placed, ticking
from agreement.specifications.parameters import Empty, Specification
from agreement.specifications.reporting import (
    EvaluationPoint,
    Points,
    ShownWindow,
    evaluation_points,
    needed_tick,
    own_points,
    shown,
    started,
)
from agreement.traces import background
from lars.analysis import Mode, literal_form
from lars.durations import Duration
from lars.program import Program, Rule, formulas
from lars.terms import Atom, Variable
from lars.windows import Bounds, Interval
from solver.facts import STREAM_PREDICATE, Chosen, Fact, Static
from solver.job import Stretch, ask
from solver.job.pipeline import Job, in_process, stretches_in_process
from translate.query import EPOCH, EngineQuery, Setting, ToStream
from translate.tau import NAMED, Output, answered, translated


def changes(
    kind: ToStream, ticks: Sequence[int], found: Iterable[Stretch], output: Output
) -> dict[int, list[Row]]:
    """Return what is new (ISTREAM) or gone (DSTREAM) at each evaluation, by its number from 0.

    `ticks` are the evaluations, ascending; of two at one tick the first counts. Equal rows are
    counted as the output says. Before the first evaluation there is no answer.
    """
    width = len(output.variables)
    deltas: dict[Row, Counter[int]] = {}
    for stretch in found:
        own = deltas.setdefault(stretch.row[:width], Counter())
        own[bisect_left(ticks, stretch.first)] += 1
        own[bisect_left(ticks, stretch.last + 1)] -= 1
    reported: dict[int, list[Row]] = {}
    sign = 1 if kind is ToStream.ISTREAM else -1
    for row in sorted(deltas, key=row_order):
        for number, change in _counted(deltas[row], bag=output.bag):
            if number < len(ticks) and change * sign > 0:
                reported.setdefault(number, []).extend([row] * abs(change))
    return reported


def _counted(deltas: Counter[int], *, bag: bool) -> Iterator[tuple[int, int]]:
    """Yield by how many a row's multiplicity changes at an evaluation; in a set it is 0 or 1."""
    count = 0
    for number in sorted(deltas):
        before, count = count, count + deltas[number]
        yield number, (count - before if bag else (count > 0) - (before > 0))


VERSION: Final = "version"
"""The predicate of static triples that are there at some times only."""


@dataclass(frozen=True, slots=True)
class Version:
    """Static triples that are there from one time point to another, both included; None: always."""

    triples: frozenset[Triple]
    first: int | None = None
    last: int | None = None
    graph: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A query and its input, at time points of `unit` from `origin`; the last one evaluated at is `until`."""

    query: EngineQuery
    elements: tuple[Element, ...]
    static: Static
    unit: Duration
    until: int
    versions: tuple[Version, ...] = ()
    origin: str = EPOCH


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """What a specification leaves open: t0 of each window, in the order of the query, and the ends."""

    starts: tuple[int, ...]
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class FiredWindow:
    """What one window showed: from its opening to the time of evaluation, so many triples."""

    source: WindowSource
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
    views: tuple[FiredWindow, ...]


@dataclass(frozen=True, slots=True)
class Framed:
    """A specification applied to a task but for the start times of the windows."""

    task: Task
    specification: Specification
    frame: Frame
    windows: tuple[ShownWindow, ...]


@dataclass(frozen=True, slots=True)
class Scheduled(Framed):
    """A specification applied to a task: what its windows show, and when it evaluates."""

    choice: OpenChoice
    points: tuple[EvaluationPoint, ...]


@dataclass(frozen=True, slots=True)
class Profiled(Scheduled):
    """A specification applied to a task: a LARS program and its evaluation times."""

    program: Program
    output: Output


def framed(task: Task, specification: Specification, bounds: Bounds) -> Framed:
    """Return what is the same for all start times."""
    read = sources(task.query)
    elements = heard(task.elements, [source.stream for source in read])
    clock = ticking(elements, needed_tick(specification, read))
    frame = Frame(specification, task.unit, bounds, clock, task.until)
    windows = tuple(shown(source, n, 0, frame) for n, source in enumerate(read, 1))
    return Framed(task, specification, frame, windows)


class Timetable:
    """The evaluation times of a specification for each choice of start times."""

    def __init__(self, of: Framed) -> None:
        self.of = of
        self._known: dict[tuple[int, int], tuple[ShownWindow, Points]] = {}

    def scheduled(self, starts: tuple[int, ...]) -> Scheduled:
        """Return the evaluation times for start times, in the order of the query's windows."""
        of = self.of
        own = [self._own(number, start) for number, start in enumerate(starts)]
        reporting = [points for window, points in own if window.strategies]
        points = evaluation_points(reporting, of.specification, of.frame.until)
        choice = OpenChoice(starts, of.frame.bounds)
        windows = tuple(window for window, _ in own)
        return Scheduled(of.task, of.specification, of.frame, windows, choice, tuple(points))

    def _own(self, number: int, start: int) -> tuple[ShownWindow, Points]:
        if (number, start) not in self._known:
            window = started(self.of.windows[number], start)
            points = own_points(window, self.of.windows) if window.strategies else {}
            self._known[number, start] = window, points
        return self._known[number, start]


def programmed(schedule: Scheduled) -> Profiled:
    """Return the LARS program that is asked at the evaluation times."""
    task, specification, frame = schedule.task, schedule.specification, schedule.frame
    windows, choice, points = schedule.windows, schedule.choice, schedule.points
    starts = {window.source: window.start for window in windows}
    query = with_sources(task.query, lambda one: replace(one, window=placed(one, starts[one], frame)))
    ticks, profile = frame.clock.scale, specification.profile
    rows, origin = specification.rows, task.origin
    setting = Setting(profile, task.unit, semantics=rows, origin=origin, ordered=True, ticks=ticks)
    program, output = translated(query, setting), answered(query, setting)
    program = _with_versions(program) if task.versions else program
    return Profiled(task, specification, frame, windows, choice, points, program, output)


def profiled(task: Task, specification: Specification, choice: OpenChoice) -> Profiled:
    """Return the LARS program and the evaluation times of a task under a specification."""
    return programmed(Timetable(framed(task, specification, choice.bounds)).scheduled(choice.starts))


def by_contents(profile: Profiled) -> bool:
    """Return whether what windows show decides the answer: not when it is seen, or when it arrived."""
    forms = (literal_form(part) for rule in profile.program.rules for part in formulas(rule.body))
    return not profile.task.versions and all(form.window is None or form.mode is Mode.SOME for form in forms)


def _with_versions(program: Program) -> Program:
    """Return the program with rules that take what versions of static graphs hold at the time."""
    triple, graph = tuple(map(Variable, "SPOG")), (Variable("G"),)
    holds = Rule(Atom("triple", triple), (Atom(VERSION, triple),))
    names = Rule(Atom(NAMED, graph), (Atom(f"{VERSION}_{NAMED}", graph),))
    return Program((*program.rules, holds, names))


def evaluations(profile: Profiled) -> list[Evaluation]:
    """Return what is evaluated and reported, ascending in time.

    The last ones of a task are kept: a recording is judged again and again, as it is and moved in time.
    """
    if len(profile.points) > _MOST_KEPT:
        return _evaluated(profile)
    says = profile.specification.model_dump_json(exclude={"name", "description"})
    kept = _kept(profile.task, says, profile.choice, profile.points)
    if not kept:
        kept.append(_evaluated(profile))
    return kept[0]


_MOST_KEPT: Final = 100_000


@lru_cache(maxsize=8)
def _kept(*_: object) -> list[list[Evaluation]]:
    return []


def _evaluated(profile: Profiled) -> list[Evaluation]:
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


def _evaluation(profile: Profiled, point: EvaluationPoint, rows: tuple[Row, ...]) -> Evaluation:
    reported = bool(rows) or profile.specification.empty is Empty.REPORTED
    views = (
        FiredWindow(one.source, one.opening(point.tick), point.time, len(one.span(point.tick)))
        for one in profile.windows
    )
    return Evaluation(point.time, rows, reported, point.trigger, tuple(views))


def _job(profile: Profiled, ticks: Sequence[int]) -> tuple[Job, list[Fact]]:
    task, clock = profile.task, profile.frame.clock
    # A window can open before time 0, and show what arrives there.
    lowest = min(0, ticks[0], *clock.ticks[:1])
    timeline = Interval(lowest, max(ticks[-1], *clock.ticks[-1:], 0))
    pairs = zip(clock.ticks, clock.elements, strict=True)
    arrived = (Fact(tick, STREAM_PREDICATE, (*one.triple, one.stream)) for tick, one in pairs)
    facts = [*arrived, *_versions(task.versions, profile.points)]
    known = background(task.static, task.query.dataset, lambda _: None)
    question = ask(profile.program, profile.output.predicate, Chosen(tuple(dict.fromkeys(ticks))))
    return Job((question,), timeline, known), facts


def _versions(versions: Sequence[Version], points: Sequence[EvaluationPoint]) -> Iterator[Fact]:
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
