"""Judging a recording by an engine version: push by push, rows and, where they are driven, times."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from agreement.comparing.judge.judgement import ANSWER, align, one_report
from agreement.comparing.matching.likeness import Likeness, RowMatch, join_rows, match_rows
from agreement.comparing.matching.sequences import match_part, nearest
from agreement.documents import recordings
from agreement.documents.outputs import plain
from agreement.documents.requests import EmptyReports, MatchBy
from agreement.engines.engine import NOTHING_OFF, Engine
from agreement.engines.specifications import EngineRun
from solver.facts import Row
from translate.model.query import Form

_NONE: Final = RowMatch()


class StepKind(Enum):
    """What reports are compared by."""

    PUSH = "push"
    TIME_UNIT = "time unit"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Step:
    """What is predicted and what is recorded at one push, time unit or answer; `place` is its number."""

    place: int
    predicted: tuple[recordings.Report, ...]
    recorded: tuple[recordings.Report, ...]
    rows: RowMatch
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class VersionJudgement:
    """How a recording meets an engine version: by push where it tells which push triggered what.

    By answer its sequence was compared.
    """

    engine: str
    by: StepKind
    columns: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def correct(self) -> bool | None:
        """Whether every report was predicted, and nothing else; None for a sequence of no reports."""
        if self.by is StepKind.ANSWER and not self.steps:
            return None
        return all(step.problem is None for step in self.steps)

    @property
    def match(self) -> MatchBy:
        """How reports were compared."""
        return MatchBy.SEQUENCE if self.by is StepKind.ANSWER else MatchBy.TIME

    @property
    def wrong(self) -> tuple[Step, ...]:
        """The steps at which it differs."""
        return tuple(step for step in self.steps if step.problem is not None)

    @property
    def silent(self) -> bool:
        """Whether the engine is expected to report no row."""
        return not self.rows.expected

    @property
    def rows(self) -> RowMatch:
        """How the rows of all steps match."""
        return join_rows([step.rows for step in self.steps])


@dataclass(frozen=True, slots=True)
class Pushwise:
    """How reports at one push are compared: their rows, times where predicted, and empty answers.

    `pushes`: also which pushes are refused, and the bounds that are printed with reports. As a
    sequence only rows and empty answers are compared.
    """

    likeness: Likeness
    times: bool = True
    empty: EmptyReports = EmptyReports.COMPARED
    pushes: bool = False
    match: MatchBy = MatchBy.TIME
    numbers: recordings.RowNumbers = field(default_factory=recordings.RowNumbers, compare=False)
    """The numbers of rows, for all that is judged by several engines."""


def judged_by(
    engine: Engine,
    run: EngineRun,
    recorded: recordings.Recording,
    how: Pushwise,
    off: frozenset[str] = NOTHING_OFF,
) -> VersionJudgement:
    """Return the judgement of a recording by an engine with some of its rules off.

    Where nobody knows which push triggered what, what falls into one time unit is compared: with its
    times, if the recording has them finer than the unit. A recording can be of any build of the engine.
    """
    judgements = (_judged_by(build, run, recorded, how, off) for build in (engine, *engine.builds))
    first = next(judgements)
    return first if first.correct else next((other for other in judgements if other.correct), first)


def judged_refusal(engine: Engine, predicted: str | None, recorded: str | None) -> VersionJudgement:
    """Return the judgement where the engine version, or the engine, refuses the query."""
    problem = None
    if recorded is None:
        problem = f"the query is taken in the record, and refused in the prediction: {predicted}"
    elif predicted is None:
        problem = f"the query is refused in the record, and taken in the prediction: {recorded}"
    steps = () if problem is None else (Step(0, (), (), _NONE, problem),)
    return VersionJudgement(engine.name, StepKind.PUSH, (), steps)


def _judged_by(
    engine: Engine, run: EngineRun, recorded: recordings.Recording, how: Pushwise, off: frozenset[str]
) -> VersionJudgement:
    predicted = engine.predict(run.query, run.static, run.pushes, off, recorded)
    by_push = all(report.trigger is not None for report in recorded.reports)
    finer = any(report.t % run.unit.milliseconds for report in recorded.reports)
    exact = replace(how, times=how.times and engine.timed and (by_push or finer))
    if run.query.form is Form.ASK and recorded.variables != (ANSWER,):
        # Not a boolean in a column: the empty row is true, none is false.
        predicted, recorded = (align(each, (), run.query) for each in (predicted, recorded))
    mine, yours = recordings.in_common_columns(predicted, recorded)
    both = recordings.number_rows(mine, how.numbers), recordings.number_rows(yours, how.numbers)
    if how.match is MatchBy.SEQUENCE:
        length = run.unit.milliseconds if not by_push else None
        steps_in_order = _in_sequence(*both, how, length, as_told=engine.timed and by_push)
        return VersionJudgement(engine.name, StepKind.ANSWER, both[0].variables, tuple(steps_in_order))
    ours, theirs = (_grouped(recording.reports, by_push, run.unit.milliseconds) for recording in both)
    steps = (Step(n, ours.get(n, ()), theirs.get(n, ()), _NONE) for n in sorted({*ours, *theirs}))
    by_place = {step.place: _step(step, exact, timed=engine.timed) for step in steps}
    if how.pushes:
        for place, problem in _odd_pushes(predicted, recorded):
            step = by_place.get(place, Step(place, (), (), _NONE))
            by_place[place] = replace(step, problem=step.problem or problem)
    return VersionJudgement(
        engine.name,
        StepKind.PUSH if by_push else StepKind.TIME_UNIT,
        both[0].variables,
        tuple(by_place[place] for place in sorted(by_place)),
    )


def _in_sequence(
    predicted: recordings.Recording,
    recorded: recordings.Recording,
    how: Pushwise,
    unit: float | None,
    *,
    as_told: bool,
) -> Iterator[Step]:
    """Yield recorded reports with what is predicted at each push, or in each time unit, in its order.

    Reports at one push are told apart by their times where `as_told`.
    """
    ignored = how.empty is EmptyReports.IGNORED
    places = _grouped(predicted.reports, unit is None, unit or 1)
    parts = (_parts(places[place], told_apart=as_told).values() for place in sorted(places))
    answers = [rows for part in parts for rows in part if rows or not ignored]
    actual = [report for report in recorded.reports if report.rows or not ignored]

    def joint(report: recordings.Report, other: recordings.Report) -> bool:
        return one_report(report, other) if as_told else unit is not None or bool(report.rows and other.rows)

    pairs = match_part(answers, actual, joint, how.likeness) or nearest(answers, actual, joint, how.likeness)
    for place, (number, reports) in enumerate(pairs):
        rows = () if number is None else answers[number]
        match = match_rows(rows, recordings.rows_of(reports), how.likeness)
        mine = () if number is None else (recordings.Report(0, rows),)
        problem = None if match.equal else f"{len(match.missing)} missing, {len(match.extra)} extra"
        if number is None or not reports:
            problem = "a report that is not predicted" if number is None else "no report of this answer"
        yield Step(place if number is None else number, mine, reports, match, problem)


def _odd_pushes(predicted: recordings.Recording, recorded: recordings.Recording) -> Iterator[tuple[int, str]]:
    for number in sorted({*predicted.rejected} ^ {*recorded.rejected}):
        where = "prediction" if number in predicted.rejected else "record"
        yield number, f"the push is refused in the {where}"
    if any(recorded.windows):
        ours, theirs = _bounds(predicted), _bounds(recorded)
        for place in sorted({*ours, *theirs}):
            if ours.get(place) != theirs.get(place):
                yield place, "other bounds are printed with its reports"


def _bounds(recording: recordings.Recording) -> dict[int, Counter[tuple[float, float] | None]]:
    bounds_at: dict[int, Counter[tuple[float, float] | None]] = {}
    for report, bounds in zip(recording.reports, recording.windows, strict=False):
        bounds_at.setdefault(report.trigger or 0, Counter())[bounds] += 1
    return bounds_at


def _grouped(
    reports: Iterable[recordings.Report], by_push: bool, milliseconds: float
) -> dict[int, tuple[recordings.Report, ...]]:
    reports_of: dict[int, list[recordings.Report]] = {}
    for report in reports:
        place = report.trigger if by_push else int((report.t + recordings.SLACK) // milliseconds)
        assert place is not None
        reports_of.setdefault(place, []).append(report)
    return {place: tuple(group) for place, group in reports_of.items()}


def _step(step: Step, how: Pushwise, *, timed: bool) -> Step:
    mine, yours = (
        _parts(reports, told_apart=timed and how.times) for reports in (step.predicted, step.recorded)
    )
    pairs = [
        match_rows(mine.get(t, ()), yours.get(t, ()), how.likeness) for t in dict.fromkeys((*mine, *yours))
    ]
    rows = join_rows(pairs)
    return replace(step, rows=rows, problem=_problem(step, rows, how, timed=timed))


def _problem(step: Step, rows: RowMatch, how: Pushwise, *, timed: bool) -> str | None:
    ours, theirs = (_shape(reports, how) for reports in (step.predicted, step.recorded))
    if timed and how.times and [t for t, _ in ours] != [t for t, _ in theirs]:
        return f"reports at {_bounds_text(ours)} predicted, at {_bounds_text(theirs)} recorded"
    if not rows.equal:
        return f"{len(rows.missing)} missing, {len(rows.extra)} extra"
    if timed and _odd_sizes(ours, how) != _odd_sizes(theirs, how):
        return f"{_sizes(ours)} predicted, {_sizes(theirs)} recorded"
    if not timed and any(not size for _, size in theirs) and all(size for _, size in ours):
        return "a report without rows"
    return None


def _shape(reports: Iterable[recordings.Report], how: Pushwise) -> list[tuple[float, int]]:
    """Return the time and size of each report in order, without empty ones where they are ignored."""
    compared = how.empty is EmptyReports.COMPARED
    return [(report.t, len(report.rows)) for report in reports if report.rows or compared]


def _odd_sizes(shape: Sequence[tuple[float, int]], how: Pushwise) -> list[int]:
    """Return the sizes that have to be equal: of all reports; without times only of empty ones."""
    return sorted(size for _, size in shape if how.times or not size)


def _sizes(shape: Sequence[tuple[float, int]]) -> str:
    return f"reports of {', '.join(str(size) for _, size in shape)} rows" if shape else "no report"


def _parts(reports: Sequence[recordings.Report], *, told_apart: bool) -> dict[float, Sequence[Row]]:
    """Return the rows at each time; one report can come in several entries."""
    rows: dict[float, list[Sequence[Row]]] = {}
    for report in reports:
        rows.setdefault(report.t if told_apart else 0, []).append(report.rows)
    return {t: recordings.together(parts) for t, parts in rows.items()}


def _bounds_text(shape: Iterable[tuple[float, int]]) -> str:
    return ", ".join(plain(t) for t, _ in shape) or "no time"
