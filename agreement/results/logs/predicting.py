"""Predict a log of alerts: find a specification or engine version whose answers are the alerts."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from itertools import groupby, pairwise
from math import ceil, floor, gcd, inf, log10
from pathlib import Path
from statistics import mode
from typing import Final

from agreement.comparing.aggregates import LENGTHS, USUAL
from agreement.comparing.judge import Judgement, judging
from agreement.comparing.judge.by_engine import VersionJudgement
from agreement.comparing.judge.diagnosis import RecordingToJudge
from agreement.comparing.matching.likeness import row_key
from agreement.documents import recordings, requests
from agreement.documents.initial import MINUTE, SINCE_1970
from agreement.documents.recordings import SLACK, Push, Recording, Report
from agreement.documents.values import Period, points_of
from agreement.engines import specifications
from agreement.engines.engine import Engine, Off, columns
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import EngineRun
from agreement.results.judgements import judged_query, judged_run
from agreement.results.logs import limits
from agreement.results.logs.lost import LostTogether, judged_apart
from agreement.results.logs.reading import check_year, read_log, without_words
from agreement.results.logs.report import RARE, Prediction, change_of, later_by
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.formulas import Call
from lars.language.windows import Bounds
from solver.facts import Static
from solver.settings import Progress, TraceInput, Warn, no_progress
from solver.traces import read_time
from translate.model.query import EngineQuery, Semantics
from translate.model.windows import Now, Range

_PUSH: Final = "cqels"
_PUSH_ALL: Final = "cqels, RSTREAM"
_PULL: Final = "csparql"
_CLOSING: Final = "rspql"
# Guesses: each period and each length costs a prediction of the whole log.
_MOST_PERIODS: Final = 6
_MOST_LENGTHS: Final = 14
_PARTS: Final = 4
"""A part of a log whose periods are tried on their own is its first or last fourth, with `_FEWEST` alerts."""
_FEWEST: Final = 4
_CHANCE: Final = 3
"""Times have a clock if their distances have a probability of at most 10 to the power of -3 without it."""
_OFTEN: Final = 2
"""The factor by which more events at the times of a clock are no chance."""
_MOST_CONTENTS: Final = 2_000_000
"""The number of events in all windows together from which their evaluation takes minutes."""
_NOT_PUSHED: Final = (
    "{log} has the times of a clock, and its many events do not, so lars did not try rules that evaluate at "
    "each event; use --query FILE with a query whose answers are the alerts"
)
_BURST: Final = 30_000.0
"""The longest time in ms in which a system writes the alerts of one evaluation."""
_USUAL_VERDICTS: Final = 100
"""The number of verdicts on a log that few logs exceed; more verdicts do not count as progress."""
_MOST_BASES: Final = 3
"""The number of predictions for which other limits are tried; each takes up to `limits.MOST` predictions."""


def later(log: Recording, milliseconds: float) -> Recording:
    """Return a log in which all times are later by the given number of ms, rounded to nanoseconds."""
    reports = (replace(report, t=round(report.t + milliseconds, 6)) for report in log.reports)
    return replace(log, reports=tuple(reports))


@dataclass(frozen=True, slots=True)
class JudgedLogs:
    """The data for predicting logs of alerts.

    - `query` is the query, and `trace` contains the events.
    - `reading` are the options for reading the logs.
    - `periods` are the pull periods to try. If `periods` is empty, the periods that fit the times of a log
      are tried.
    - `wait` is the number of time points by which each pull, or each evaluation at the close of a window, is
      delayed.
    - `lateness` is the limit, in time points, of an element's delay: specifications ignore elements with a
      greater delay.
    - `lacking` are the variables of the query that are not compared, because a log has no column for them.
    - `name` is the name of the query, if each log has a query of its own; otherwise it is empty.
    - `lengths` are lengths of windows that are tried first in place of the only one of the query.
    - `rounding` is the difference that numbers of a log and predicted numbers may have in addition.
    - `gaps` are the columns of numbers in which alerts may lack a number.
    - `losses` are the alerts that a log lacks together, with times in ms since the dateTime `zero`. The rules
      need not explain them.
    - `shift` is the number of ms by which the times of a log are corrected: they become later.
    - `verdicts` contains the known verdicts on one log, by the rule and how it is compared.
    - `progress` receives the number of these verdicts.
    """

    query: Path
    trace: TraceInput
    unit: Duration
    reading: requests.AnswersOptions
    periods: tuple[Period, ...]
    tolerance: float
    wait: int = 0
    lateness: int | None = None
    lacking: frozenset[str] = frozenset()
    name: str = ""
    lengths: tuple[Duration, ...] = ()
    rounding: float = 0.0
    gaps: frozenset[str] = frozenset()
    losses: Sequence[LostTogether] = ()
    zero: str | None = None
    shift: float = 0.0
    verdicts: dict[Hashable, judging.AnswersVerdict] = field(default_factory=dict)
    progress: Progress = no_progress
    _limit: tuple[Call, Decimal] | None = None
    """A limit of the query, and the number that is tried in its place."""
    _tasks: dict[tuple[Call, Decimal] | None, specifications.Task] = field(default_factory=dict)
    """The first task, and the first one with the last tried limit: all predictions use their cached rows."""
    _judges: dict[str, specifications.Specification | Engine] = field(default_factory=dict)
    """The specifications and engine versions that have been tried, by name."""
    _read: dict[str, tuple[EngineRun, str | None]] = field(default_factory=dict)
    """The inputs of engines that have been read, by the engine's name: both logs have the same events."""
    _pushes: judging.KnownPushes = field(default_factory=list)

    def predictions(
        self, log: Path, warn: Warn, progress: Progress, likely: str = ""
    ) -> tuple[Prediction, ...]:
        """Return the predictions of a log, best first; `likely` names the rule of the other log, if known.

        First, push and pull are tried. If neither predicts the log, specifications whose windows report when
        they close are tried. If none of these specifications predicts the log, engine versions are tried, and
        windows of other lengths for the nearest specification. Then, pull periods that fit only the first or
        the last alerts are tried, and another number in one comparison of the query. Pull that reports only
        new rows is tried last.
        """
        unit, messages = self.unit, list[str]()
        run, zero = self._run(_PUSH, messages.append)
        # The same data, in the times of the events.
        self = replace(self._with_losses_since(zero), progress=progress)  # noqa: PLW0642
        answers = self._answers(log, columns(run.query), zero)
        times = [report.t for report in answers.reports]
        if self.periods and not _can_slide(run.query):
            raise LarsError("--period requires a query with a window in time, which can slide, and no [NOW]")
        asked = [Duration(points_of(one, unit) * unit.nanoseconds) for one in self.periods]
        periods = asked or _affordable(run, times, _periods(run, times))
        is_pulled = periods and _costs_minutes(run, None) and _has_own_clock(times, _times(run))
        tried = [] if is_pulled else list(self._pushed(run, answers))
        runs: dict[str, tuple[EngineRun, Duration | None]] = {one.name: (run, None) for one in tried}
        pushed = len(tried)
        wait = f" with a wait of {Duration(self.wait * unit.nanoseconds)}" if self.wait else ""
        for words, engine in (("pull every", _PULL), ("windows that close every", _CLOSING)):
            for period in periods:
                runs[f"{words} {period}{wait}"] = run, period
                tried.append(self._judged(f"{words} {period}{wait}", engine, run, period, answers))
            if any(one.fits for one in tried):
                break
        else:
            language = judging.language_of(self.query, unit)
            # The engine versions of CQELS evaluate at each event, which would take too long, as push does.
            is_left_out = requests.reads_graphs(run.query) or (not pushed and language == _PUSH)
            engines = () if is_left_out else ENGINES.items()
            for name in (name for name, engine in engines if engine.specification == language):
                try:
                    read, _ = self._run(name, messages.append)
                except LarsError as error:
                    # An engine version can reject a query that its query language allows.
                    tried.append(Prediction(name, name, None, str(error)))
                else:
                    tried.append(self._judged(name, name, read, None, answers))
            nearest = min(tried, key=lambda one: one.order)
            # If the length of the windows is wrong, the nearest rule is nearest by chance: try several bases.
            pulls = (one for one in tried if one.engine == _PULL)
            clocked = min(pulls, key=lambda one: one.order, default=None)
            if clocked and not _is_explained(tried):
                tried.append(self._bounded(clocked, "closed", *runs[clocked.name], answers))
                runs[tried[-1].name] = runs[clocked.name]
            pushes = () if nearest.close else tried[:pushed]
            shared = next((one for one in tried if one.name == likely), None)
            bases = {one.name: one for one in (shared, nearest, clocked, *pushes) if one and one.name in runs}
            for base in bases.values():
                if not _is_explained(tried):
                    tried += self._by_other_lengths(base, *runs[base.name], answers)
            if not _is_explained(tried):
                tried += self._by_periods_of_parts(tried, run, asked, wait, answers)
            # Also if two rules explain the log, because one rule with another limit is more likely.
            if not any(one.fits for one in tried):
                tried += self._by_other_limits(tried, runs, answers)
            if not _is_explained(tried):
                tried += self._by_new_rows(run, periods, wait, answers)
        if not pushed and not _is_explained(tried):
            messages.append(_NOT_PUSHED.format(log=log.name))
        for message in dict.fromkeys(messages):
            warn(message)
        grouped = limits.grouped(run.query)
        return _sorted(
            replace(one.since(zero), log=answers, query=self.name, grouped=grouped, shift=self.shift)
            for one in tried
        )

    def _with_losses_since(self, zero: str | None) -> "JudgedLogs":
        more = later_by(self.zero, zero) if self.losses else 0.0
        losses = [(names, row, first + more, last + more) for names, row, first, last in self.losses]
        return replace(self, losses=losses, zero=zero)

    def _pushed(self, run: EngineRun, answers: Recording) -> Iterator[Prediction]:
        """Yield the predictions by evaluations at events: with new or all rows, and with other bounds."""
        tried = [self._judged("push", _PUSH, run, None, answers)]
        if not tried[0].correct:
            tried.append(self._judged("push of all rows at each event", _PUSH_ALL, run, None, answers))
        yield from tried
        if not any(one.correct for one in tried) and _lengths(run.query):
            yield from [self._bounded(one, "low-open", run, None, answers) for one in tried]

    def _by_periods_of_parts(
        self,
        tried: Sequence[Prediction],
        run: EngineRun,
        periods: Sequence[Duration],
        wait: str,
        answers: Recording,
    ) -> Sequence[Prediction]:
        """Return a prediction by pull with a period that fits the first or the last alerts of a log.

        A system whose period changes has no period that fits all its alerts. The result is empty if no such
        period (of those in `periods`, if any) explains the log together with another prediction.
        """
        times = [report.t for report in answers.reports]
        few = len(times) // _PARTS
        for part in (times[-few:], times[:few]) if few >= _FEWEST else ():
            # Short periods first: a long period joins many alerts to one report, and so fits by chance.
            for period in sorted(periods or _periods(run, part)):
                if _begin(times, period) != _begin(part, period) is not None:
                    name = f"pull every {period}{wait}"
                    fitting = self._judged(name, _PULL, run, period, answers, part=part)
                    if _is_explained((*tried, fitting)):
                        return [fitting]
        return []

    def _by_new_rows(
        self, run: EngineRun, periods: Sequence[Duration], wait: str, answers: Recording
    ) -> Sequence[Prediction]:
        """Return predictions by pull that reports only new rows, and by windows of other lengths."""
        run = replace(run, query=replace(run.query, to_stream="ISTREAM"))
        named = {f"pull every {period}{wait}, only rows that are new": period for period in periods}
        tried = [self._judged(name, _PULL, run, period, answers) for name, period in named.items()]
        nearest = min(tried, key=lambda one: one.order, default=None)
        if nearest is None or nearest.fits:
            return tried
        return [*tried, *self._by_other_lengths(nearest, run, named[nearest.name], answers)]

    def _by_other_lengths(
        self, nearest: Prediction, run: EngineRun, slide: Duration | None, answers: Recording
    ) -> Iterator[Prediction]:
        """Yield predictions by the same specification with time windows of other lengths.

        The result is empty if the time windows of the query have several lengths.
        """
        own = sorted({w.length for w in _time_windows(run.query)})
        if len(own) != 1:
            return
        lengths = dict.fromkeys((*self.lengths, *_other_lengths(own[0], slide, run)))
        for length in (length for length in lengths if length != own[0]):
            query = _with_windows(run.query, partial(_resized, length))
            name = f"{nearest.name}, with windows of {length} in place of {own[0]}"
            counted: Sequence[Semantics] = ("set",) if nearest.once else ("bag",)
            other = self._judged(name, nearest.engine, replace(run, query=query), slide, answers, counted)
            yield replace(other, changed=True)
            # Lengths near to the own one come first, so the first correct one is good enough.
            if other.correct and _costs_minutes(run, slide, _MOST_LENGTHS):
                return

    def _bounded(
        self, base: Prediction, bounds: Bounds, run: EngineRun, slide: Duration | None, answers: Recording
    ) -> Prediction:
        """Return the prediction that a prediction becomes with other bounds of its windows.

        Systems of one's own often keep the last minutes without the instant at their start, or with it.
        """
        name = f"{base.name}, with {bounds} windows"
        return self._judged(name, f"{base.engine}, {bounds}", run, slide, answers)

    def _by_other_limits(
        self,
        tried: Sequence[Prediction],
        runs: Mapping[str, tuple[EngineRun, Duration | None]],
        answers: Recording,
    ) -> Sequence[Prediction]:
        """Return a prediction by a query with another limit: another number in one comparison.

        The result is empty if no limit explains the log, alone or from some time on.
        """
        steps = {window.slide for run, _ in runs.values() for window in _time_windows(run.query)} - {None}
        bases = [one for one in _sorted(tried) if one.name in runs and one.inside]
        # The period that the query names is the most likely one.
        bases.sort(key=lambda one: runs[one.name][1] not in steps)
        for base in bases[:_MOST_BASES]:
            run, slide = runs[base.name]
            for limit in limits.limits_of(run.query):
                predicted = partial(self._limited, base, limit, run, slide, answers)
                reach = limits.reach_of(run.query, limit, run.pushes)
                if reach is None:
                    continue
                # With ISTREAM, a stricter limit can also add rows, since a row is new after it was removed.
                selects = _reports_all(run.query, base.judgement) and limits.only_selects(run.query, limit)
                fitting = limits.fitting(limit, base, reach, predicted, only_selects=selects)
                if fitting is not None and _is_explained((*tried, fitting)):
                    return [fitting]
        return []

    def _limited(  # noqa: PLR0913, PLR0917 - a prediction, what made it, and what is changed
        self,
        base: Prediction,
        limit: Call,
        run: EngineRun,
        slide: Duration | None,
        answers: Recording,
        number: Decimal,
    ) -> Prediction:
        """Return the prediction that a prediction becomes with another number as a limit of the query."""
        new, own = (limits.in_words(run.query, limit, one) for one in (number, None))
        name = f"{base.name}, with a limit such as {new} in place of {own}"
        counted: Sequence[Semantics] = ("set",) if base.once else ("bag",)
        other = replace(run, query=limits.with_number(run.query, limit, number))
        limited = replace(self, _limit=(limit, number))
        prediction = limited._judged(name, base.engine, other, slide, answers, counted)  # noqa: SLF001
        return replace(prediction, changed=True)

    def _run(self, name: str, warn: Warn) -> tuple[EngineRun, str | None]:
        """Return the input of the engine, and the dateTime of time 0 (None if times are not since 1970)."""
        if name not in self._read:
            self._read[name] = self._run_read(name, warn)
        return self._read[name]

    def _run_read(self, name: str, warn: Warn) -> tuple[EngineRun, str | None]:
        query = judged_query(self.query, name, self.unit)
        run, zero = judged_run(query, name, self.trace, self.unit, warn, self._pushes)
        kept = tuple(one for one in run.query.result if one.name not in self.lacking)
        run = replace(run, query=replace(run.query, result=kept))
        if name not in ENGINES:
            run = replace(run, wait=self.wait, lateness=self.lateness)
        first = min((push.t for push in run.pushes), default=0.0)
        if zero is not None or first < SINCE_1970:
            return run, zero
        check_year(first)
        begin = (ceil((first - SLACK) / MINUTE) - 1) * MINUTE
        pushes = tuple(replace(push, t=push.t - begin) for push in run.pushes)
        moment = datetime.fromtimestamp(begin / 1000, UTC).isoformat().replace("+00:00", "Z")
        return replace(run, pushes=pushes), moment

    def _answers(self, log: Path, names: tuple[str, ...], zero: str | None) -> Recording:
        """Return a log of alerts with the columns of the query.

        Raises:
            LarsError: A column is missing.
        """
        recording = without_words(read_log(log, self.reading.since(zero)), self.gaps)
        if zero is not None and recording.reports and recording.reports[0].t >= SINCE_1970:
            recording = later(recording, -read_time(zero).value / 10**6)
        recording = later(recording, self.shift) if self.shift else recording
        missing = [name for name in names if name not in recording.variables]
        if missing and recording.reports:
            found = ", ".join(recording.variables)
            free = next((name for name in recording.variables if name not in names), "COLUMN")
            written = {new: column for column, new in (self.reading.rename or {}).items()}
            free = written.get(free, free)
            raise LarsError(
                f"{log}: no column has the name of the variable ?{missing[0]} of the query; found {found}; "
                f"use --rename {free}={missing[0]} if the column {free} contains its values"
            )
        ours = recordings.in_columns(recording, tuple(sorted(names)))
        return replace(ours, lexical=True, rows_only=True)

    def _judged(  # noqa: PLR0913, PLR0917 - an engine, what it gets, and how it is compared
        self,
        name: str,
        engine: str,
        run: EngineRun,
        slide: Duration | None,
        answers: Recording,
        counted: Sequence[Semantics] = ("bag", "set"),
        part: Sequence[float] | None = None,
    ) -> Prediction:
        """Return the prediction of the log by an engine, or by a specification with this slide of windows.

        The start times of windows fit the times of the alerts in `part`; by default, of all alerts.
        """
        run = run if engine in ENGINES else replace(run, query=_sliding(run.query, slide))
        times = [report.t for report in answers.reports] if part is None else part
        clocks = [times]
        if slide is not None and part is None:
            usual = _usual(times, slide)
            # Without times at a rare offset, such as one early report that would move the whole clock.
            clocks += [usual] if _begin(usual, slide) != _begin(times, slide) else []
        tried: list[Prediction] = []
        for clock in clocks:
            tried.append(
                self._by_clock(name, engine, run, slide, answers, counted, clock, is_part=part is not None)
            )
            if tried[-1].correct:
                break
        return min(tried, key=lambda one: one.order)

    def _by_clock(  # noqa: PLR0913, PLR0917 - as above
        self,
        name: str,
        engine: str,
        run: EngineRun,
        slide: Duration | None,
        answers: Recording,
        counted: Sequence[Semantics],
        times: Sequence[float],
        *,
        is_part: bool,
    ) -> Prediction:
        """Return the prediction with windows whose start times fit the given times of alerts."""
        closes = [t - run.wait * self.unit.milliseconds for t in times]
        try:
            every = [None] if slide is None else _starts(run.query, closes, slide, self.unit)
            begin = 0.0 if slide is None else _begin(times, slide) or 0.0
            joined = _clustered(answers) if is_part else _joined(answers, run, slide, begin)
            merged = () if slide is None else _merged_at(answers, joined, slide)
            points = tuple(t / self.unit.milliseconds for t in merged)
            rows = () if merged else [list(map(row_key, report.rows)) for report in joined.reports]
            repeated = sum(len(own) - len({*own}) for own in rows)
            tried: list[Prediction] = []
            for starts in every:
                grouping = None if is_part else begin
                one = self._verdict(name, engine, run, starts, joined, counted, grouping)
                again = repeated if one.once else 0
                tried.append(replace(one, merged=points, period=slide, repeated=again))
                if tried[-1].correct:
                    break
            return min(tried, key=lambda one: one.order)
        except LarsError as error:
            return Prediction(name, engine, None, str(error))

    def _verdict(  # noqa: PLR0913, PLR0917 - as above
        self,
        name: str,
        engine: str,
        run: EngineRun,
        starts: tuple[int, ...] | None,
        answers: Recording,
        counted: Sequence[Semantics],
        grouping: float | None,
    ) -> Prediction:
        """Return the better of the predictions in which equal rows count separately (bag) or once (set).

        The alerts of the log are `answers` in groups that begin `grouping` ms after the start of a period;
        None if alerts near to each other are a group.
        """
        tried: list[Prediction] = []
        # A clock also evaluates after the last event, so evaluations up to the last alert are compared.
        latest = max((report.t for report in answers.reports), default=0.0)
        end = floor((latest + SLACK) / self.unit.milliseconds)
        until = end if starts is not None and end > run.last else None
        for semantics in counted:
            options = requests.JudgeOptions(
                t0=starts,
                until=until,
                diagnosis=False,
                tolerance=self.tolerance,
                rounding=self.rounding,
                semantics=semantics,
            ).started()
            known = name, engine, starts, semantics, grouping
            if known not in self.verdicts:
                recording = self._sharing(judging.recording_to_judge(run, self.unit, answers, options))
                judge = self._judges.get(engine) or self._judges.setdefault(engine, _judge(engine))
                self.verdicts[known] = judging.bare_verdict(judge, recording, no_progress)
                self.progress(min(len(self.verdicts), _USUAL_VERDICTS), _USUAL_VERDICTS)
            verdict, losses = self.verdicts[known], list[LostTogether]()
            if self.losses and isinstance(verdict.judgement, Judgement):
                judgement, losses = judged_apart(verdict.judgement, verdict.names, self.losses)
                verdict = replace(verdict, judgement=judgement)
            tried.append(Prediction(name, engine, verdict, once=semantics == "set", losses=losses))
            # If no evaluation has equal rows, sets and multisets give the same verdict.
            if verdict.correct or not _has_equal_rows(run.query, verdict):
                break
        return min(tried, key=lambda one: one.order)

    def _sharing(self, recording: RecordingToJudge) -> RecordingToJudge:
        """Return a recording whose task has the cache of rows that the tasks with the same limits share."""
        if self._limit not in self._tasks:
            first, task = self._tasks.get(None), recording.task
            # Only the rows with the last tried limit are kept, because others are seldom needed again.
            self._tasks.clear()
            if first is not None:
                self._tasks[None], task = first, task.with_input_of(first)
            self._tasks[self._limit] = task
        return replace(recording, task=recording.task.sharing(self._tasks[self._limit]))


def _is_explained(tried: Sequence[Prediction]) -> bool:
    """Return whether one semantics predicts all alerts of a log, or two semantics before and after a time."""
    return any(one.fits for one in tried) or change_of(_sorted(tried)) is not None


def _sorted(tried: Iterable[Prediction]) -> tuple[Prediction, ...]:
    return tuple(sorted(tried, key=lambda one: one.order))


def _reports_all(query: EngineQuery, judgement: Judgement | VersionJudgement | None) -> bool:
    """Return whether each evaluation reports all its rows, also those of the evaluation before."""
    return (
        isinstance(judgement, Judgement) and (query.to_stream or judgement.specification.stream) == "RSTREAM"
    )


def _has_equal_rows(query: EngineQuery, verdict: judging.AnswersVerdict) -> bool:
    """Return whether equal rows can make a difference in a verdict.

    The result is also true if the verdict does not contain all rows of each evaluation, but only changes.
    """
    judgement = verdict.judgement
    if isinstance(judgement, VersionJudgement) or not _reports_all(query, judgement):
        return True
    matches = (m for one in judgement.verdicts for m in (*one.transient, *one.windows, *one.later))
    answers = (recordings.rows_of(reports) for m in matches for reports in (m.right or (), m.came))
    return any(len(set(rows)) < len(rows) for rows in answers)


def _judge(name: str) -> specifications.Specification | Engine:
    """Return the engine version or specification with a name, such as "cqels, RSTREAM, low-open"."""
    if name in ENGINES:
        return _remembering(ENGINES[name])
    base, *changes = name.split(", ")
    specification = specifications.specification(base)
    for change in changes:
        # CQELS reports only new rows, but self-written systems often report all rows at each event.
        all_rows = {"stream": "RSTREAM", "tick": "instant"}
        update = all_rows if change == "RSTREAM" else {"bounds": (change,)}
        specification = specification.model_copy(update=update)
    return specification


def _remembering(engine: Engine) -> Engine:
    """Return an engine version that stores the reports of its first run, and returns them for later runs."""
    found: list[Recording] = []

    def recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
        if not found:
            found.append(engine.recorded(query, static, pushes, off))
        return found[0]

    return replace(engine, recorded=recorded, builds=tuple(map(_remembering, engine.builds)))


def _joined(log: Recording, run: EngineRun, slide: Duration | None, begin: float) -> Recording:
    """Return a log in which the alerts of one evaluation are one report, at the time of its first alert.

    If `slide` is given, two evaluations are at least one slide apart, and evaluations begin `begin` ms after
    the start of a period. If `slide` is None, each event triggers an evaluation.
    """
    events = sorted({push.t for push in run.pushes})

    def place(report: Report) -> int:
        if slide is None:
            return bisect_right(events, report.t + SLACK)
        return floor((report.t - begin + SLACK) / slide.milliseconds)

    grouped = (tuple(group) for _, group in groupby(log.reports, key=place))
    joined = (replace(group[0], rows=tuple(recordings.rows_of(group))) for group in grouped)
    return replace(log, reports=tuple(joined))


def _clock(times: Sequence[float]) -> int | None:
    """Return the time in ms of which all distances of times are multiples; None if this can be chance.

    Whole seconds count as the finest times if all distances are whole seconds.
    """
    distances = [round(after - before) for before, after in pairwise(sorted(set(times)))]
    finest = 1 if any(distance % 1000 for distance in distances) else 1000
    ratio = gcd(*distances) // finest
    return ratio * finest if len(distances) * log10(max(ratio, 1)) >= _CHANCE else None


def _has_own_clock(times: Sequence[float], events: Sequence[float]) -> bool:
    """Return whether alerts come at the times of a clock at which events are not more frequent than else.

    An evaluation at each event would then also come at other times.
    """
    clock = _clock(times)
    if clock is None or not events:
        return False
    finest = 1 if any(round(t - events[0]) % 1000 for t in events) else 1000
    common = sum(round(t - times[0]) % clock < finest for t in events)
    return common * clock <= _OFTEN * finest * len(events)


def _times(run: EngineRun) -> Sequence[float]:
    return [push.t for push in run.pushes]


def _costs_minutes(run: EngineRun, period: Duration | None, often: int = 1) -> bool:
    """Return whether the windows of all evaluations, which are made `often`, contain very many events.

    The evaluations are at the times of a clock with a period, or at events if `period` is None.
    """
    length = max(run.pushes[-1].t - run.pushes[0].t, 1.0) if run.pushes else 1.0
    inside = len(run.pushes) * min(max(_lengths(run.query), default=0.0) / length, 1.0)
    evaluations = len(run.pushes) if period is None else length / period.milliseconds
    return often * evaluations * inside > _MOST_CONTENTS


def _affordable(run: EngineRun, times: Sequence[float], periods: Sequence[Duration]) -> Sequence[Duration]:
    """Return the pull periods without those that take minutes, and that the clock of the alerts contradicts.

    With a period that is shorter than the distances of alerts by a clock, alerts also come at other times.
    """
    clock = _clock(times) or 0
    kept = [one for one in periods if one.milliseconds >= clock or not _costs_minutes(run, one)]
    return kept or periods[:1]


def _merged_at(log: Recording, joined: Recording, period: Duration) -> tuple[float, ...]:
    """Return the times in ms of alerts that belong to an earlier evaluation in `joined` without reason.

    A long period joins the alerts of several evaluations, and few alerts then fit it by chance. The alerts of
    one evaluation are written together, and not at several times of a clock.
    """
    times = sorted({report.t for report in log.reports})
    firsts = [report.t for report in joined.reports]
    near = 0.0 if _clock(times) is not None else min(period.milliseconds / 2, _BURST)
    return tuple(t for t in times if t - firsts[bisect_right(firsts, t + SLACK) - 1] > near + SLACK)


def _clustered(log: Recording) -> Recording:
    """Return a log in which alerts are one report if they are nearer than half of the usual distance.

    The usual distance of a log is the most common one of its alerts. So the alerts of a shorter period stay
    apart when a longer period is tried.
    """
    distances = [later.t - one.t for one, later in pairwise(log.reports) if later.t > one.t + SLACK]
    near = mode(distances) / 2 if distances else 0.0
    clusters: list[list[Report]] = []
    for report in log.reports:
        if clusters and report.t - clusters[-1][0].t < near:
            clusters[-1].append(report)
        else:
            clusters.append([report])
    joined = (replace(some[0], rows=tuple(recordings.rows_of(some))) for some in clusters)
    return replace(log, reports=tuple(joined))


def _sliding(query: EngineQuery, slide: Duration | None) -> EngineQuery:
    return _with_windows(query, lambda window: replace(window, slide=slide))


def _with_windows(query: EngineQuery, change: Callable[[Range], Range]) -> EngineQuery:
    """Return a query whose time windows are changed."""

    def changed(source: requests.WindowSource) -> requests.WindowSource:
        window = source.window
        return replace(source, window=change(window)) if isinstance(window, Range) else source

    return requests.with_sources(query, changed)


def _resized(length: Duration, window: Range) -> Range:
    return replace(window, length=length)


def _time_windows(query: EngineQuery) -> list[Range]:
    windows = (source.window for source in requests.sources(query))
    return [window for window in windows if isinstance(window, Range)]


def _can_slide(query: EngineQuery) -> bool:
    """Return whether a query has a time-based window that can slide, and no window [NOW]."""
    is_pushed = any(isinstance(source.window, Now) for source in requests.sources(query))
    return bool(_lengths(query)) and not is_pushed


def _lengths(query: EngineQuery) -> Sequence[float]:
    """Return the widths of the time-based windows of a query in ms; empty if all windows are tuple-based."""
    return sorted({window.length.milliseconds for window in _time_windows(query)})


def _other_lengths(own: Duration, slide: Duration | None, run: EngineRun) -> Sequence[Duration]:
    """Return the lengths of windows to try in place of `own`, the nearest first.

    These are the usual durations from a sixth to the sixfold of `own`, more durations from the half to the
    double, and the lengths that are one or two pull periods more or less.
    """
    unit, length = run.unit.nanoseconds, own.nanoseconds
    near = [] if slide is None else [length + n * slide.nanoseconds for n in (-2, -1, 1, 2)]
    usual = (
        one.nanoseconds
        for lengths, factor in ((USUAL, 6), (LENGTHS, 2))
        for one in lengths
        if length <= factor * one.nanoseconds <= factor * factor * length
    )
    found = {n for n in (*near, *usual, length // 2, 2 * length) if n > 0 and n % unit == 0 and n != length}
    return [Duration(n) for n in sorted(found, key=lambda n: max(n, length) / min(n, length))[:_MOST_LENGTHS]]


def _periods(run: EngineRun, times: Sequence[float]) -> Sequence[Duration]:
    """Return the pull periods to try: the STEPs of the query, and usual periods that fit the alerts.

    A usual period, such as 10s, fits the alerts if all alerts come in the same half of the period, and if
    pulls with this period would repeat at most half of the alerts. Usual periods that are longer than the
    trace are not tried. Longer periods come first; if all alerts have the same time, shorter periods come
    first. If the query has no time-based window, or a window [NOW], which arrivals evaluate, the result is
    empty.
    """
    if not _can_slide(run.query):
        return ()
    own = [window.slide for window in _time_windows(run.query) if window.slide]
    unit, most = run.unit.nanoseconds, run.last * run.unit.nanoseconds
    lengths = (length for length in USUAL if not length.nanoseconds % unit and length.nanoseconds <= most)
    changes = sorted({*_changes(run)})
    usual = [
        length
        for length in lengths
        if _begin(times, length) is not None and not _is_idle(run, times, changes, length)
    ]
    fitting = usual if len(set(times)) > 1 else usual[::-1]
    return tuple(dict.fromkeys((*own, *fitting)))[:_MOST_PERIODS]


def _changes(run: EngineRun) -> Iterator[float]:
    """Yield the times in ms at which the content of a window can change: an event enters or leaves it."""
    for push in run.pushes:
        for t in {push.t, push.t if push.came is None else push.came}:
            yield from (t + length for length in (0, *_lengths(run.query)))


def _is_idle(run: EngineRun, times: Sequence[float], changes: Sequence[float], period: Duration) -> bool:
    """Return whether a system with this pull period would repeat more than half of the alerts.

    Over a window with the same content, two pulls report the same rows. So an alert contradicts the period if
    no content changes until the next pull, and the log has no alert at the next pull.
    """
    if run.wait or run.query.to_stream not in {None, "RSTREAM"}:
        return False
    length, begin = period.milliseconds, _begin(times, period) or 0.0
    # An alert can be logged late: the pull is at the begin of its half period.
    pulls = sorted({t - (t - begin + SLACK) % length for t in times})

    def is_repeated(pull: float, following: float) -> bool:
        # A window can also exclude the events at its end, which then enter it one time point later.
        end = pull + length + run.unit.milliseconds
        place = bisect_right(changes, pull + SLACK)
        return following > end and (place == len(changes) or changes[place] > end)

    return 2 * sum(map(is_repeated, pulls, (*pulls[1:], inf))) > len(pulls)


def _begin(times: Sequence[float], period: Duration) -> float | None:
    """Return the offset, in ms from the start of a period, of a half period that contains all times.

    The result is None if no half period contains all times, and 0 if no times are given.
    """
    length = period.milliseconds
    phases = sorted({round(t % length, 6) for t in times}) or [0.0]
    gaps = [after - before for before, after in pairwise((*phases, phases[0] + length))]
    widest = max(range(len(gaps)), key=gaps.__getitem__)
    return phases[(widest + 1) % len(phases)] if gaps[widest] * 2 >= length else None


def _usual(times: Sequence[float], period: Duration) -> Sequence[float]:
    """Return the times without those at a rare offset in the period, such as the time of an early report."""
    length = period.milliseconds
    counts = Counter(round(t % length, 6) for t in set(times))
    most = max(counts.values(), default=0)
    return [t for t in times if counts[round(t % length, 6)] * RARE > most]


def _starts(
    query: EngineQuery, times: Sequence[float], period: Duration, unit: Duration
) -> Sequence[tuple[int, ...]]:
    """Return start times t0 with which windows close at the reports, or at a round time shortly before.

    With the first start times, the first window opens before time 0: a system that evaluates from its first
    period on reports what it has seen of a window. The other start times are those of a system that waits
    until a window has its whole length; there are none if the log has a report before that.

    Raises:
        LarsError: No half of the period contains all reports.
    """
    whole, begin = period.milliseconds, _begin(times, period)
    if begin is None:
        raise LarsError(
            f"alerts occur at all times of each period of {period}, so no start time of the windows fits them"
        )
    rounds = (begin - begin % each.milliseconds for each in USUAL if each.milliseconds <= whole)
    closing = dict.fromkeys((begin, *(t for t in rounds if begin - t < whole / 2)))
    lengths = _lengths(query)
    opening = [t - length for t in closing for length in lengths]
    early = min(times, default=0.0) + SLACK < min(lengths)
    groups = (opening,) if early else (opening, [t % whole for t in opening])
    return [tuple(dict.fromkeys(floor((t + SLACK) / unit.milliseconds) for t in own)) for own in groups]
