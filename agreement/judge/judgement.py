"""Judging a recording by a specification: every t0 and choice of ends is tried (Definition 25)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from operator import itemgetter
from typing import Final

from agreement.engines.engine import columns
from agreement.inputs import sources
from agreement.judge.alignment import Belonging, Expected, Slot, aligned, by_time_point, slots
from agreement.judge.verdict import (
    Comparing,
    EmptyReports,
    Phase,
    Starts,
    Verdict,
    all_starts,
    given_starts,
    verdict,
)
from agreement.likeness import Likeness
from agreement.recordings import SLACK, Recording
from agreement.specifications import (
    Empty,
    Evaluation,
    Frame,
    Framed,
    Profiled,
    Scheduled,
    Specification,
    Task,
    Tick,
    Ticking,
    evaluations,
    framed,
    needed_tick,
    programmed,
    scheduled,
    shape,
)
from lars.errors import LarsError
from lars.terms import Variable
from lars.windows import Bounds
from solver.settings import Progress, unwatched
from translate.query import Semantics

_MANY: Final = 1000
"""So many start times are tried although none of them leaves anything to compare."""
_TRIED: Final = 4
"""How many choices are evaluated of those that report at other times than the recording."""
_MOST_CLOSES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """What a user fixes: start times (None: all that differ), the registration time a, and comparing.

    `until` is the last time point to compare, by default that of the last element: what closes
    before the next one. `early`: reports may come so many ms before their time,
    `late` less than so many ms after it (None: than the slide).
    `bounds` and `rows`: instead of the specification's.
    """

    starts: tuple[int, ...] | None = None
    until: int | None = None
    registered: int = 0
    bounds: tuple[Bounds, ...] | None = None
    rows: Semantics | None = None
    likeness: Likeness = field(default_factory=Likeness)
    empty: EmptyReports = EmptyReports.COMPARED
    early: float = 0
    late: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a recording, the best first; `choices` is how many were open, and tried."""

    specification: Specification
    verdicts: tuple[Verdict, ...]
    choices: int
    tried: int

    @property
    def matching(self) -> tuple[Verdict, ...]:
        """The verdicts that find it correct."""
        return tuple(one for one in self.verdicts if one.correct)

    @property
    def correct(self) -> bool | None:
        """Whether it is correct for some choice.

        None where there is nothing to compare for any, and where not all choices could be tried.
        """
        if all(one.correct is None for one in self.verdicts):
            return None
        return True if self.matching else False if self.tried == self.choices else None

    @property
    def best(self) -> Verdict:
        """The verdict that fits best."""
        return self.verdicts[0]


def judged(
    task: Task,
    specification: Specification,
    recording: Recording,
    options: Options,
    progress: Progress = unwatched,
) -> Judgement:
    """Return the verdicts of a recording under every choice that the specification leaves open."""
    _check_times(task, specification, options)
    if options.rows is not None:
        specification = specification.model_copy(update={"rows": options.rows})
    _check_windows(task, specification)
    recorded = aligned(recording, columns(task.query), task.query)
    found: list[Verdict] = []
    doubtful: list[tuple[int, int, Scheduled, Starts]] = []
    choices = tried = 0
    for bounds in options.bounds or specification.bounds:
        starts = _starts(task, specification, bounds, recorded, options)
        choices += starts.count
        base = framed(task, specification, bounds)
        for done, z in enumerate(_worthwhile(starts, base, options)):
            progress(done, starts.count)
            tried += 1
            schedule = scheduled(base, z)
            odd = _odd(schedule, recorded, starts, options)
            if odd:
                doubtful = sorted([*doubtful, (odd, tried, schedule, starts)], key=itemgetter(0, 1))[:_TRIED]
            else:
                found.append(_verdict(schedule, recorded, starts, options))
    if not any(one.correct for one in found):
        found += [_verdict(schedule, recorded, starts, options) for _, _, schedule, starts in doubtful]
    return Judgement(specification, tuple(sorted(found, key=_fit)), choices, tried)


def _check_windows(task: Task, specification: Specification) -> None:
    """Raise where the specification speaks of a window that the query does not have."""
    read = sources(task.query)
    known = {
        *(str(getattr(source.stream, "value", "")) for source in read),
        *map(str, range(1, len(read) + 1)),
    }
    for name in specification.windows:
        if name not in known and not any(isinstance(source.stream, Variable) for source in read):
            raise LarsError(
                f"the specification {specification.name} speaks of the window {name}; accepted: the query's "
                f"streams and the numbers of its windows, {', '.join(sorted(known))}"
            )


def _worthwhile(starts: Starts, base: Framed, options: Options) -> Iterator[tuple[int, ...]]:
    """Yield the start times to try: of very many one, where the trace ends before all windows start."""
    last = max((element.t for element in base.task.elements), default=0)
    end = last + 1 if options.until is None else options.until
    return islice(starts.combinations(), 1 if starts.last > end and starts.count > _MANY else None)


def _check_times(task: Task, specification: Specification, options: Options) -> None:
    """Raise where windows would close more often than anyone waits for."""
    frame = Frame(specification, task.unit, Bounds.CLOSED, Ticking(1, (), ()), task.until)
    read = sources(task.query)
    first = min(options.starts or (options.registered,))
    shapes = (shape(source, frame) for source in read)
    closes = max((len(own.closes(first, task.until)) for own in shapes if own is not None), default=0)
    if closes > _MOST_CLOSES and needed_tick(specification, read) is Tick.INSTANT:
        raise LarsError(
            f"windows close {closes} times up to time point {task.until}; accepted: at most {_MOST_CLOSES}, "
            "by a coarser --unit, a later --registered (or --t0), or dateTimes with --origin"
        )


def _fit(found: Verdict) -> tuple[object, ...]:
    delays = [window.delay for window in found.windows if window.delay is not None]
    total = sum(map(abs, delays)) if delays else 0
    return not found.correct, -found.score, found.wrong, total


def _starts(
    task: Task, specification: Specification, bounds: Bounds, recorded: Recording, options: Options
) -> Starts:
    read = sources(task.query)
    first = framed(task, specification, bounds)
    if options.starts is not None:
        return given_starts(read, first.frame, options.starts)
    length = task.unit.milliseconds
    return all_starts(read, first.frame, options.registered, [one.t / length for one in recorded.reports])


def _odd(profile: Scheduled, recorded: Recording, starts: Starts, options: Options) -> int:
    """Return how many evaluations lack a report, or reports an evaluation, whatever the answers are.

    Zero where the answers decide. It spares the evaluation of most start times.
    """
    task = profile.task
    length = task.unit.milliseconds
    times = dict.fromkeys(point.time for point in profile.points)
    expected = [Expected(t, t * length, (), reported=True, views=()) for t in times]
    found = slots(expected, recorded.reports, belonging(profile, options))
    stable = phase_of(profile, starts, options)
    decisive = [slot for slot in found if stable.decides(slot)]
    alone = sum(slot.expected is None for slot in decisive)
    if profile.specification.empty is Empty.SILENT or options.empty is EmptyReports.IGNORED:
        return sum(slot.expected is None and any(one.rows for one in slot.reports) for slot in decisive)
    return alone + sum(not slot.reports for slot in decisive)


def _verdict(schedule: Scheduled, recorded: Recording, starts: Starts, options: Options) -> Verdict:
    profile = programmed(schedule)
    found = compared(profile, evaluations(profile), recorded, phase_of(profile, starts, options), options)
    return replace(found, until=starts.until(found.choice.starts))


def compared(
    profile: Profiled, found: Sequence[Evaluation], recorded: Recording, phase: Phase, options: Options
) -> Verdict:
    """Return the verdict on a recording, given what is evaluated."""
    length = profile.task.unit.milliseconds
    likeness = replace(options.likeness, semantics=profile.specification.rows)
    closes = first_close(profile)
    how = Comparing(likeness, options.empty, length, None if closes is None else closes - options.early)
    return verdict(profile.choice, phase, slots_of(profile, found, recorded, options), how)


def slots_of(
    profile: Profiled, found: Sequence[Evaluation], recorded: Recording, options: Options
) -> list[Slot]:
    """Return each evaluation with the reports that belong to it."""
    expected = by_time_point(found, profile.task.unit.milliseconds)
    return slots(expected, recorded.reports, belonging(profile, options))


def phase_of(profile: Scheduled, starts: Starts, options: Options) -> Phase:
    """Return the stable phase: from t_s to the end, at which a high-open window can still close."""
    length = profile.task.unit.milliseconds
    last = max((element.t for element in profile.task.elements), default=0)
    high_open = profile.choice.bounds is Bounds.HIGH_OPEN
    end = last + high_open if options.until is None else options.until
    known = clock_driven(profile) and options.until is None
    edge = (last + high_open) * length if known else inf
    return Phase(starts.last * length, end * length, edge)


def clock_driven(profile: Scheduled) -> bool:
    """Whether evaluations come from the clock, not from arrivals."""
    return needed_tick(profile.specification, sources(profile.task.query)) is Tick.INSTANT


def belonging(profile: Scheduled, options: Options) -> Belonging:
    """Return when a report belongs to an evaluation: within the slide, where the clock drives."""
    length = profile.task.unit.milliseconds
    if not clock_driven(profile):
        pushed = {element.number: element.t * length for element in profile.task.elements}
        times = tuple(pushed.get(number, 0.0) for number in range(max(pushed, default=-1) + 1))
        return Belonging(None, options.early, times)
    shapes = (shape(source, profile.frame) for source in sources(profile.task.query))
    slides = [found.slide for found in shapes if found is not None]
    late = min(slides, default=1) * length
    allowed = late if options.late is None else min(late, options.late + SLACK)
    return Belonging(allowed, options.early, once=True)


def first_close(profile: Scheduled) -> float | None:
    """Return when the first window of all closes, in ms; None where arrivals are what reports."""
    if not clock_driven(profile):
        return None
    found = ((shape(one.source, profile.frame), one.start) for one in profile.windows)
    closes = [start + own.width for own, start in found if own is not None]
    return min(closes) * profile.task.unit.milliseconds if closes else None
