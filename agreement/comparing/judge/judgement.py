"""Judging a recording by a specification: every t0 and choice of ends is tried (Definition 25)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from agreement.comparing.judge.alignment import recorded_for
from agreement.comparing.judge.start_times import (
    Bench,
    Misfit,
    RuledOut,
    StartTimes,
    all_starts,
    given_starts,
    sieve,
)
from agreement.comparing.judge.verdict import Options, Verdict, belonging, phase_of
from agreement.documents.recordings import Recording
from agreement.documents.requests import MatchBy, sources
from agreement.engines.specifications import (
    Frame,
    Specification,
    Task,
    Tick,
    TickClock,
    Timetable,
    frame_task,
    needed_tick,
    shape,
)
from lars.errors import LarsError
from lars.language.terms import Variable
from lars.language.windows import Bounds
from solver.settings import Progress, no_progress

_MANY: Final = 1000
"""So many start times are tried although none of them leaves anything to compare."""
_TRIED: Final = 4
"""How many choices are evaluated of those that report at other times than the recording."""
_MOST_CLOSES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a recording, the best first; `choices` is how many were open, and tried."""

    specification: Specification
    verdicts: tuple[Verdict, ...]
    choices: int
    tried_choices: int
    match: MatchBy = MatchBy.TIME

    @property
    def matching(self) -> tuple[Verdict, ...]:
        """The verdicts that find it correct."""
        return tuple(one for one in self.verdicts if one.correct)

    @property
    def correct(self) -> bool | None:
        """Whether it is correct for some choice.

        None where none is, but some leave nothing to compare, or not all choices could be tried.
        """
        if self.matching:
            return True
        return None if self.vacuous or self.tried_choices < self.choices else False

    @property
    def vacuous(self) -> tuple[Verdict, ...]:
        """The verdicts of choices for which there is nothing to compare."""
        return tuple(one for one in self.verdicts if one.correct is None)

    @property
    def undecided(self) -> bool:
        """Whether none of the choices that were tried fits, and not all were."""
        return self.correct is None and not self.vacuous

    @property
    def silent(self) -> bool:
        """Whether no choice that was tried expects a row."""
        windows = (window for one in self.verdicts for window in (*one.transient, *one.windows, *one.later))
        return not any(window.rows.expected for window in windows)

    @property
    def best(self) -> Verdict:
        """The verdict that fits best."""
        return self.verdicts[0]


def judge_recording(
    task: Task,
    specification: Specification,
    recording: Recording,
    options: Options,
    progress: Progress = no_progress,
) -> Judgement:
    """Return the verdicts of a recording under every choice that the specification leaves open."""
    _check_times(task, specification, options)
    if options.rows is not None:
        specification = specification.model_copy(update={"rows": options.rows})
    _check_windows(task, specification)
    recorded = recorded_for(task, recording)
    every = options.bounds or specification.bounds
    benches = [_bench(task, specification, bounds, recorded, options) for bounds in every]
    parts = [_trials(bench, progress) for bench in benches]
    found = [one for part in parts for one in part.verdicts]
    if not any(one.correct for one in found):
        ruled_out = ((*one, n) for n, part in enumerate(parts) for one in part.ruled_out)
        best = sorted(ruled_out, key=lambda one: (one[0].odd, -one[0].right, one[2], one[0].number))
        found += filter(None, (benches[n].verdict(z) for _, z, n in best[:_TRIED]))
    choices, tried = sum(bench.starts.count for bench in benches), sum(part.tried for part in parts)
    return Judgement(specification, tuple(sorted(found, key=_fit)), choices, tried, options.match)


def _bench(
    task: Task, specification: Specification, bounds: Bounds, recorded: Recording, options: Options
) -> Bench:
    base = frame_task(task, specification, bounds)
    read = sources(task.query)
    if options.starts is not None:
        starts = given_starts(read, base.frame, options.starts)
    else:
        reported = [] if options.match is MatchBy.SEQUENCE else recorded.reports
        times = [one.t / task.unit.milliseconds for one in reported]
        starts = all_starts(read, base.frame, options.registered, times)
    phase = phase_of(base, starts.last, options)
    return Bench(Timetable(base), starts, recorded, options, phase, belonging(base, options))


@dataclass(frozen=True, slots=True)
class _Trials:
    """The verdicts on those start times that reports do not rule out, of so many that were tried."""

    verdicts: list[Verdict]
    ruled_out: RuledOut
    tried: int


def _trials(bench: Bench, progress: Progress) -> _Trials:
    options = bench.options
    fitting: list[tuple[int, StartTimes]] = []
    ruled_out: RuledOut = []
    for number, z in enumerate(_worthwhile(bench)):
        if number and bench.expired:
            break
        progress(number, bench.starts.count)
        odd = 0 if options.match is MatchBy.SEQUENCE else bench.odd(z)
        if odd:
            ruled_out.append((Misfit(odd, 0, number), z))
        else:
            fitting.append((number, z))
    several = len(fitting) > options.whole and options.match is MatchBy.TIME
    if several and (ruling := sieve(bench)) is not None:
        fitting, wrong = ruling.sift(fitting, progress)
        ruled_out += wrong
    verdicts: list[Verdict | None] = []
    for done, (_, z) in enumerate(fitting):
        if done and bench.expired:
            break
        progress(done, len(fitting))
        verdicts.append(bench.verdict(z))
    return _Trials([one for one in verdicts if one], ruled_out, len(ruled_out) + len(verdicts))


def _worthwhile(bench: Bench) -> Iterator[StartTimes]:
    """Yield the start times to try: of very many one, where the trace ends before all windows start."""
    starts, options = bench.starts, bench.options
    last = bench.table.of.task.last
    end = last + 1 if options.until is None else options.until
    pointless = options.match is MatchBy.TIME and starts.last > end and starts.count > _MANY
    return starts.combinations(1 if pointless else options.most)


_HINT: Final = 128
"""How many combinations of the start times of several windows are tried for what is a hint."""
_WHOLE: Final = 16


def narrow_options(options: Options, task: Task) -> Options:
    """Return the options with fewer start times, for judging that explains an answer and decides nothing."""
    return replace(options, most=_HINT if len(sources(task.query)) > 1 else None, whole=_WHOLE)


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


def _check_times(task: Task, specification: Specification, options: Options) -> None:
    """Raise where windows would close more often than anyone waits for."""
    frame = Frame(specification, task.unit, Bounds.CLOSED, TickClock(1, (), ()), task.until)
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
