"""Judging a recording by an engine version: push by push, rows and, where they are driven, times."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agreement.engines.engine import NOTHING_OFF, Engine
from agreement.judging.likeness import Likeness, Matched, matched
from agreement.recordings.recording import Push, Recording, Report, Row
from solver.static import Static
from translate.query import EngineQuery

_SLACK: Final = 1e-6
_NONE: Final = Matched(0, (), ())


@dataclass(frozen=True, slots=True)
class Run:
    """A query as registered, with all that was given to the engine; a time unit is so many ms."""

    query: EngineQuery
    static: Static
    pushes: tuple[Push, ...]
    milliseconds: float = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """What is predicted and what is recorded at one push, or in one time unit; `place` is its number."""

    place: int
    predicted: tuple[Report, ...]
    recorded: tuple[Report, ...]
    rows: Matched
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class VersionJudgement:
    """How a recording meets an engine version; `by_push` where it tells which push triggered what."""

    engine: str
    by_push: bool
    columns: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def correct(self) -> bool:
        """Whether every report was predicted, and nothing else."""
        return all(step.problem is None for step in self.steps)

    @property
    def wrong(self) -> tuple[Step, ...]:
        """The steps at which it differs."""
        return tuple(step for step in self.steps if step.problem is not None)

    @property
    def score(self) -> float:
        """The share of rows that prediction and recording have in common; 1 without rows."""
        common = sum(step.rows.common for step in self.steps)
        odd = sum(len(step.rows.missing) + len(step.rows.extra) for step in self.steps)
        return 2 * common / (2 * common + odd) if common + odd else 1.0

    @property
    def explained(self) -> float:
        """The share of the recorded rows that were predicted; 1 without rows."""
        common = sum(step.rows.common for step in self.steps)
        extra = sum(len(step.rows.extra) for step in self.steps)
        return common / (common + extra) if common + extra else 1.0


@dataclass(frozen=True, slots=True)
class Pushwise:
    """How reports at one push are compared: their rows, and whether also their times where predicted."""

    likeness: Likeness
    times: bool = True


def judged_by(
    engine: Engine, run: Run, recorded: Recording, how: Pushwise, off: frozenset[str] = NOTHING_OFF
) -> VersionJudgement:
    """Return the judgement of a recording by an engine with some of its rules off.

    Where nobody knows which push triggered what, what falls into one time unit is compared.
    """
    predicted = engine.run(run.query, run.static, run.pushes, off)
    by_push = all(report.trigger is not None for report in recorded.reports)
    told_apart = engine.timed and by_push
    names = tuple(sorted({*predicted.variables, *recorded.variables}))
    ours = _grouped(_with_columns(predicted, names), by_push, run.milliseconds)
    theirs = _grouped(_with_columns(recorded, names), by_push, run.milliseconds)
    steps = [
        _step(Step(place, ours.get(place, ()), theirs.get(place, ()), _NONE), how, told_apart=told_apart)
        for place in sorted({*ours, *theirs})
    ]
    return VersionJudgement(engine.name, by_push, names, tuple(steps))


def _with_columns(recording: Recording, names: Sequence[str]) -> tuple[Report, ...]:
    places = {name: place for place, name in enumerate(recording.variables)}
    wanted = [places.get(name) for name in names]

    def row(given: Row) -> Row:
        return tuple(None if place is None else given[place] for place in wanted)

    return tuple(replace(report, rows=tuple(map(row, report.rows))) for report in recording.reports)


def _grouped(reports: Iterable[Report], by_push: bool, milliseconds: float) -> dict[int, tuple[Report, ...]]:
    found: dict[int, list[Report]] = {}
    for report in reports:
        place = report.trigger if by_push else int((report.t + _SLACK) // milliseconds)
        assert place is not None
        found.setdefault(place, []).append(report)
    return {place: tuple(group) for place, group in found.items()}


def _step(step: Step, how: Pushwise, *, told_apart: bool) -> Step:
    mine, yours = (
        _parts(reports, told_apart=told_apart, times=how.times) for reports in (step.predicted, step.recorded)
    )
    pairs = [matched(mine.get(t, ()), yours.get(t, ()), how.likeness) for t in dict.fromkeys((*mine, *yours))]
    rows = Matched(
        sum(pair.common for pair in pairs),
        tuple(row for pair in pairs for row in pair.missing),
        tuple(row for pair in pairs for row in pair.extra),
    )
    problem = None if rows.equal else f"{len(rows.missing)} missing, {len(rows.extra)} extra"
    if mine.keys() != yours.keys():
        problem = f"reports at {_listed(step.predicted)} predicted, at {_listed(step.recorded)} recorded"
    return replace(step, rows=rows, problem=problem)


def _parts(reports: Sequence[Report], *, told_apart: bool, times: bool) -> dict[float, tuple[Row, ...]]:
    """Return the rows of each report: by its time, or its number; a report can come in several entries."""
    if not told_apart:
        return {0: _rows(reports)}
    found: dict[float, tuple[Row, ...]] = {}
    for report in reports:
        found[report.t] = (*found.get(report.t, ()), *report.rows)
    return found if times else dict(enumerate(found.values()))


def _listed(reports: Iterable[Report]) -> str:
    return ", ".join(dict.fromkeys(f"{report.t:g}" for report in reports)) or "no time"


def _rows(reports: Iterable[Report]) -> tuple[Row, ...]:
    return tuple(row for report in reports for row in report.rows)
