"""Judge a recording by an engine version: compare the recorded reports with the predicted reports.

Recorded and predicted reports are compared for each push, for each time unit, or as two sequences of answers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import floor

from agreement.comparing.judge.alignment import align
from agreement.comparing.judge.settings import likeness_of
from agreement.comparing.matching.likeness import RowMatch, join_rows, match_rows
from agreement.comparing.matching.places import PlaceKind, ReportMatch, Reports, by_place, odd_rows
from agreement.comparing.matching.sequences import match_part, nearest
from agreement.documents import recordings
from agreement.documents.outputs import plain, quantity
from agreement.documents.requests import JudgeOptions, MatchBy
from agreement.engines.engine import NOTHING_OFF, Engine
from agreement.engines.specifications import EngineRun
from lars.dataclass import dataclass
from solver.facts import Row


@dataclass(frozen=True, slots=True)
class VersionJudgement:
    """The comparison of a recording with the reports that a model of an engine version predicts.

    - `engine` is the name of the engine version.
    - `by` is the kind of the compared entries: pushes, time units, or answers in sequence.
    - `columns` are the columns of the compared rows.
    - `places` are the compared entries.
    """

    engine: str
    by: PlaceKind
    columns: tuple[str, ...]
    places: tuple[ReportMatch, ...]

    @property
    def correct(self) -> bool | None:
        """Whether the recorded reports are the predicted reports.

        The value is None if reports are compared as a sequence, but neither side has a report.
        """
        if self.by == "answer" and not self.places:
            return None
        return all(place.problem is None for place in self.places)

    @property
    def match(self) -> MatchBy:
        """The way in which recorded and predicted reports are matched: in sequence, or by time."""
        return "sequence" if self.by == "answer" else "time"

    @property
    def wrong(self) -> tuple[ReportMatch, ...]:
        """The pushes, time units or answers at which the recording differs from the prediction."""
        return tuple(place for place in self.places if place.problem is not None)

    @property
    def silent(self) -> bool:
        """Whether the model of the engine version predicts no row in the whole run."""
        return not self.rows.expected

    @property
    def rows(self) -> RowMatch:
        """The match of the recorded rows with the predicted rows, over the whole run."""
        return join_rows([place.rows for place in self.places])


def judged_by(  # noqa: PLR0913 - the shared numbers come beside what is judged
    engine: Engine,
    run: EngineRun,
    recorded: recordings.Recording,
    options: JudgeOptions,
    off: frozenset[str] = NOTHING_OFF,
    *,
    numbers: recordings.RowNumbers | None = None,
) -> VersionJudgement:
    """Judge a recording by the model of an engine version, with some rules of the model switched off.

    If the recording names the push of each report, reports are compared push by push, with their exact times.
    Otherwise, reports are compared by time unit; exact times are compared only if the recording contains
    times that are finer than a time unit. The recording is correct if it is correct for one of the known
    builds of the engine version.

    Args:
        engine: The engine version.
        run: The input of the engine.
        recorded: The recording to judge.
        options: The settings for comparing reports.
        off: The names of the rules that are switched off.
        numbers: The numbering of rows that callers share if they judge with several engine versions.
    """
    builds = (engine, *engine.builds)
    judgements = (_judged_by(build, run, recorded, options, off, numbers=numbers) for build in builds)
    first = next(judgements)
    return first if first.correct else next((other for other in judgements if other.correct), first)


def judged_refusal(engine: Engine, predicted: str | None, recorded: str | None) -> VersionJudgement:
    """Compare two reasons to reject a query: the predicted and the recorded; None means no rejection."""
    problem = None
    if recorded is None:
        problem = f"the engine accepted the query, but the prediction is a rejection: {predicted}"
    elif predicted is None:
        problem = f"the engine rejected the query, but the prediction is an acceptance: {recorded}"
    places = () if problem is None else (ReportMatch(0, (), problem=problem),)
    return VersionJudgement(engine.name, "push", (), places)


def _judged_by(  # noqa: PLR0913 - as above
    engine: Engine,
    run: EngineRun,
    recorded: recordings.Recording,
    options: JudgeOptions,
    off: frozenset[str],
    *,
    numbers: recordings.RowNumbers | None,
) -> VersionJudgement:
    predicted = engine.predict(run.query, run.static, run.pushes, off, recorded)
    by_push = all(report.trigger is not None for report in recorded.reports)
    length = run.unit.milliseconds
    predicted, recorded = map(_in_nanoseconds, (predicted, recorded))
    times = (report.t for report in recorded.reports)
    finer = any(abs(t - round(t / length) * length) > recordings.SLACK for t in times)
    timed = options.times and engine.timed and (by_push or finer)
    if run.query.form == "ASK" and recorded.variables != (recordings.ANSWER,):
        # The recording has no boolean column: a row without columns means true, and no row means false.
        predicted, recorded = (align(each, (), run.query) for each in (predicted, recorded))
    numbers = numbers or recordings.RowNumbers()
    both = [recordings.number_rows(one, numbers) for one in recordings.in_common_columns(predicted, recorded)]
    pushes = run.pushes if by_push else None
    ours, theirs = (by_place(one.reports, pushes, length)[0] for one in both)
    if options.match == "sequence":
        as_told = engine.timed and by_push
        in_order = _in_sequence(ours.values(), both[1], options, by_push=by_push, as_told=as_told)
        return VersionJudgement(engine.name, "answer", both[0].variables, tuple(in_order))
    places = {n: ReportMatch(n, ours.get(n, ()), theirs.get(n, ())) for n in sorted({*ours, *theirs})}
    places = {n: _matched(place, options, in_time=engine.timed, timed=timed) for n, place in places.items()}
    for number, problem in _odd_pushes(predicted, recorded) if options.pushes else ():
        n = number if by_push else floor((run.pushes[number].t + recordings.SLACK) / length)
        place = places.get(n, ReportMatch(n, ()))
        places[n] = replace(place, problem=place.problem or problem)
    kind: PlaceKind = "push" if by_push else "time unit"
    return VersionJudgement(engine.name, kind, both[0].variables, tuple(places[n] for n in sorted(places)))


def _in_nanoseconds(recording: recordings.Recording) -> recordings.Recording:
    """Return the recording with times rounded to whole nanoseconds, to ignore floating-point errors."""
    return replace(recording, reports=tuple(replace(each, t=round(each.t, 6)) for each in recording.reports))


def _in_sequence(
    due: Iterable[Reports],
    recorded: recordings.Recording,
    options: JudgeOptions,
    *,
    by_push: bool,
    as_told: bool,
) -> Iterator[ReportMatch]:
    """Match the recorded reports, in order, with the predicted reports.

    Several recorded reports can be parts of one answer. If `by_push` is true, the reports that are parts of
    one answer must belong to the same push. If `as_told` is true, these reports must also have the same time.
    """
    ignored = options.empty == "ignored"
    parts = (_parts(reports, told_apart=as_told).values() for reports in due)
    answers = [rows for part in parts for rows in part if rows or not ignored]
    actual = [report for report in recorded.reports if report.rows or not ignored]

    def joint(report: recordings.Report, other: recordings.Report) -> bool:
        both = report.trigger == other.trigger and bool(report.rows and other.rows)
        return not by_push or (both and (not as_told or report.t == other.t))

    how = likeness_of(options)
    pairs = match_part(answers, actual, joint, how) or nearest(answers, actual, joint, how)
    for place, (number, reports) in enumerate(pairs):
        rows = () if number is None else answers[number]
        match = match_rows(rows, recordings.rows_of(reports), how)
        mine = None if number is None else (recordings.Report(0, rows),)
        problem = None if match.equal else odd_rows(match)
        if number is None or not reports:
            problem = (
                "a report that is not predicted" if number is None else ("no report of this predicted answer")
            )
        yield ReportMatch(place if number is None else number, mine, reports, match, problem)


def _odd_pushes(predicted: recordings.Recording, recorded: recordings.Recording) -> Iterator[tuple[int, str]]:
    for number in sorted({*predicted.rejected} ^ {*recorded.rejected}):
        where = "prediction" if number in predicted.rejected else "recording"
        yield number, f"the {where} contains a rejection of the push"
    if any(recorded.windows):
        ours, theirs = _bounds(predicted), _bounds(recorded)
        for place in sorted({*ours, *theirs}):
            if ours.get(place) != theirs.get(place):
                yield place, "other window bounds are printed with the reports of this push"


def _bounds(recording: recordings.Recording) -> dict[int, Counter[tuple[float, float] | None]]:
    bounds_at: dict[int, Counter[tuple[float, float] | None]] = {}
    for report, bounds in zip(recording.reports, recording.windows, strict=False):
        if report.trigger is not None:
            bounds_at.setdefault(report.trigger, Counter())[bounds] += 1
    return bounds_at


def _matched(place: ReportMatch, options: JudgeOptions, *, in_time: bool, timed: bool) -> ReportMatch:
    """Return a match of reports with its rows matched, and with its first difference as the problem.

    If `in_time` is true, the numbers of empty reports must be equal, too. If `timed` is true, the times of
    reports must also be equal.
    """
    both = place.right or (), place.came
    mine, yours = (_parts(reports, told_apart=timed) for reports in both)
    how = likeness_of(options)
    times = dict.fromkeys((*mine, *yours))
    rows = join_rows([match_rows(mine.get(t, ()), yours.get(t, ()), how) for t in times])
    ours, theirs = (_shape(reports, options) for reports in both)
    problem = None
    if timed and [t for t, _ in ours] != [t for t, _ in theirs]:
        problem = f"predicted reports at {_bounds_text(ours)}, recorded reports at {_bounds_text(theirs)}"
    elif not rows.equal:
        problem = odd_rows(rows)
    elif in_time and _odd_sizes(ours, timed=timed) != _odd_sizes(theirs, timed=timed):
        problem = f"{_sizes(ours)} predicted, {_sizes(theirs)} recorded"
    elif not in_time and any(not size for _, size in theirs) and all(size for _, size in ours):
        problem = "a report without rows"
    return replace(place, rows=rows, problem=problem)


def _shape(reports: Iterable[recordings.Report], options: JudgeOptions) -> list[tuple[float, int]]:
    """Return the time in ms and the number of rows of each report, without ignored empty reports."""
    compared = options.empty == "compared"
    return [(report.t, len(report.rows)) for report in reports if report.rows or compared]


def _odd_sizes(shape: Sequence[tuple[float, int]], *, timed: bool) -> list[int]:
    """Return the numbers of rows of all reports, or if `timed` is false, of the empty reports only."""
    return sorted(size for _, size in shape if timed or not size)


def _sizes(shape: Sequence[tuple[float, int]]) -> str:
    sizes = [size for _, size in shape]
    if len(sizes) == 1:
        return f"a report of {quantity(sizes[0], 'row')}"
    return f"reports of {', '.join(map(str, sizes))} rows" if sizes else "no report"


def _parts(reports: Sequence[recordings.Report], *, told_apart: bool) -> dict[float, Sequence[Row]]:
    """Return the rows of all reports, grouped by time; if `told_apart` is false, as one group at time 0."""
    rows: dict[float, list[Sequence[Row]]] = {}
    for report in reports:
        rows.setdefault(report.t if told_apart else 0, []).append(report.rows)
    return {t: recordings.together(parts) for t, parts in rows.items()}


def _bounds_text(shape: Iterable[tuple[float, int]]) -> str:
    return ", ".join(plain(t) for t, _ in shape) or "no time"
