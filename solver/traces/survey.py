"""What must be known of a whole trace before its first row: order, kinds of times, the origin.

Each part of the trace is summarised where it is read; only summaries meet here. When they show a
fault, the one file that has it is read again to name the line.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import numpy as np

from lars.durations import Duration
from lars.errors import LarsError
from lars.files import exists, replacement_path
from lars.language.windows import LARGEST_TIME
from solver.columns import Array
from solver.settings import OnError, OriginWarning, PeriodWarning, TraceOptions, TraceWarning
from solver.traces.blocks import in_units
from solver.traces.rows import ATOMS, Raw, Summary, TraceFile, file_index, misfit
from solver.traces.trace_times import LARGEST, Instant, TimeKind, instant_of, show

WITH_END: Final = ", or none where --to, or an experiment's timeline, says when the trace ends"
Check = Callable[[Raw], str | None]
"""Returns what is wrong with a row, None when nothing is."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What the whole trace says: its origin when dateTimes are still open, the skipped rows.

    `shift` are the time points that integers since 1970 count less. `misfit` says why windows and
    times look like a slip of the unit, if they do. `zero` is the dateTime of time 0, if times have one.
    """

    origin: int | None
    skipped: int
    starts_at_zero: bool
    shift: int = 0
    misfit: str | None = None
    zero: str | None = None

    def times_of(self, times: Array, unit: Duration) -> Array:
        """Return the time points of rows' times."""
        if self.origin is None:
            return times - self.shift
        units, _ = in_units(times, self.origin + unit.nanoseconds, unit.nanoseconds)
        return units + 1


def last_time(summaries: Iterable[Summary], stream_survey: Survey, unit: Duration) -> int:
    """Return the last time point of a whole trace, 0 of one without elements."""
    latest = max((summary.latest for summary in summaries if summary.rows), default=0)
    return int(stream_survey.times_of(np.array([latest], np.int64), unit)[0])


def _check_span(read: list[Summary], unit: int) -> None:
    """Raise when dateTimes are so far apart that there are too many time points since the first."""
    earliest = min(read, key=lambda summary: summary.earliest)
    latest = max(read, key=lambda summary: summary.latest)
    if (latest.latest - earliest.earliest) // unit >= LARGEST_TIME:
        first, last = (
            show(Instant(TimeKind(summary.kind), time))
            for summary, time in ((earliest, earliest.earliest), (latest, latest.latest))
        )
        raise LarsError(
            f"from {first} to {last} there are more than {LARGEST_TIME} time points; "
            "accepted: a coarser --unit"
        )


def survey(summaries: Iterable[Summary], sources: Sequence[TraceFile], options: TraceOptions) -> Survey:
    """Return what the summaries of a whole trace say, or raise the error at its place."""
    listed = sorted(summaries, key=lambda summary: summary.position)
    read = [summary for summary in listed if summary.rows]
    skipped = sum(summary.skipped for summary in listed)
    if not read and options.ends:
        return Survey(None, skipped, starts_at_zero=False)
    if not read:
        names = ", ".join(source.path for source in sources[:5])
        raise LarsError(
            f"{names}: the trace holds no elements ({skipped} bad ones skipped); "
            f"accepted: at least one{WITH_END}"
        )
    # Periods part RDF; a program's atoms may well begin at 0.
    at_zero = any(summary.earliest == 0 and summary.stream != ATOMS for summary in read)
    is_open = options.origin is None
    _check_kinds(read, sources, is_open=is_open)
    earliest = min(summary.earliest for summary in read)
    counted = not is_open or read[0].kind == TimeKind.INTEGER
    if not counted:
        _check_even(read, sources, options)
        _check_span(read, options.unit.nanoseconds)
    if not options.sort:
        _check_order(read, sources, counted=counted)
    origin = None if counted else earliest - options.unit.nanoseconds
    shift = _shift(earliest, read, options) if counted else 0
    slip = misfit(read, options.windows, sources[0].clock.trace_unit)
    zero = _zero(origin, shift, read, options)
    return Survey(origin, skipped, starts_at_zero=counted and at_zero, shift=shift, misfit=slip, zero=zero)


def _zero(origin: int | None, shift: int, read: list[Summary], options: TraceOptions) -> str | None:
    """Return the dateTime of time 0; None where integers count from it."""
    if origin is not None:
        return show(Instant(TimeKind(read[0].kind), origin))
    dated = shift or any(summary.mixed or summary.kind != TimeKind.INTEGER for summary in read)
    if dated and options.origin is not None:
        return show(instant_of(options.origin))
    return _dated(shift, options) if shift else None


def _shift(earliest: int, read: list[Summary], options: TraceOptions) -> int:
    """Return the time point that is time 0 of integers since 1970; 0 where they are none."""
    counted = all(summary.kind == TimeKind.INTEGER and not summary.mixed for summary in read)
    if options.absolute or not counted or not options.reaches_epoch(earliest):
        return 0
    if options.origin is None:
        return earliest - 1
    origin = instant_of(options.origin)
    shift, rest = divmod(origin.value, options.unit.nanoseconds)
    if rest or shift > earliest:
        raise LarsError(
            f"the trace's integers count since 1970, the first of them {_dated(earliest, options)}; "
            f"accepted: an --origin no later, a whole number of {options.unit} since 1970"
        )
    return shift


def _dated(t: int, options: TraceOptions) -> str:
    """Return a time point since 1970 as a dateTime, or as a number when it is too late for one."""
    value = t * options.unit.nanoseconds
    return show(Instant(TimeKind.ZONED, value)) if value <= LARGEST else f"{t} of {options.unit} each"


def _raise_first(source: TraceFile, check: Check) -> NoReturn:
    for row, place in source.rows():
        if problem := check(row):
            raise source.error(place, problem)
    raise LarsError(f"{source.path}: the file changed while it was read")


_SPELLING: Final = {
    TimeKind.INTEGER: "an integer",
    TimeKind.ZONED: "a dateTime with time zone",
    TimeKind.LOCAL: "a dateTime without time zone",
}


def _check_kinds(read: list[Summary], sources: Sequence[TraceFile], *, is_open: bool) -> None:
    first = read[0].kind

    def clash(kind: int) -> bool:
        return kind != first and (is_open or TimeKind.INTEGER not in (kind, first))

    def check(row: Raw) -> str | None:
        if row.problem is not None or not clash(row.kind):
            return None
        text, before = _SPELLING[TimeKind(row.kind)], _SPELLING[TimeKind(first)]
        return f"found {text} after {before}; accepted: one spelling for all times of a trace"

    for summary in read:
        if (summary.mixed and is_open) or clash(summary.kind):
            _raise_first(sources[file_index(summary.position)], check)


def _check_even(read: list[Summary], sources: Sequence[TraceFile], options: TraceOptions) -> None:
    start = min(summary.earliest for summary in read)
    unit = options.unit

    def check(row: Raw) -> str | None:
        if row.problem is not None or (row.time - start) % unit.nanoseconds == 0:
            return None
        from_start = f"{show(row.instant)}, counted from {show(Instant(TimeKind(row.kind), start))},"
        advice = "choose a unit that divides it, or a --trace-unit"
        return f"the time {from_start} is not a whole number of the unit {unit}: {advice}"

    for summary in read:
        if not summary.even or (summary.first - start) % unit.nanoseconds:
            _raise_first(sources[file_index(summary.position)], check)


def _check_order(read: list[Summary], sources: Sequence[TraceFile], *, counted: bool) -> None:
    """Raise when some stream goes back in time in a file, between two blocks or inside one."""
    latest: dict[tuple[int, str | None], int] = {}
    for summary in read:
        file = file_index(summary.position)
        reached = latest.get((file, summary.stream), summary.first)
        if not summary.ordered or summary.first < reached:
            _raise_first(sources[file], _order_check(counted=counted))
        latest[file, summary.stream] = max(summary.latest, reached)


def _order_check(*, counted: bool) -> Check:
    latest: dict[str | None, int] = {}

    def shown(kind: int, value: int) -> str:
        return str(value) if counted else show(Instant(TimeKind(kind), value))

    def check(row: Raw) -> str | None:
        if row.problem is not None:
            return None
        reached = latest.get(row.stream, row.time)
        if row.time < reached:
            stream = "" if row.stream in (None, ATOMS) else f" of the stream {row.stream}"
            text = f"the time {shown(row.kind, row.time)} comes after {shown(row.kind, reached)}{stream}"
            return f"{text}; accepted: times that do not decrease, or --sort"
        latest[row.stream] = row.time
        return None

    return check


def report(
    stream_survey: Survey, skipped: Iterable[Raw], sources: Sequence[TraceFile], options: TraceOptions
) -> None:
    """Keep skipped lines in the side file and warn of what is no error."""
    if options.on_error is OnError.SKIP and options.rejected is not None:
        _keep(options.rejected, skipped, sources)
    if stream_survey.skipped:
        sentence = (
            f"{stream_survey.skipped} bad lines or elements skipped; they are kept in {options.rejected}"
        )
        warnings.warn(TraceWarning(sentence), stacklevel=2)
    if stream_survey.zero is not None:
        warnings.warn(OriginWarning(_counting(stream_survey, options), stream_survey.zero), stacklevel=2)
    if stream_survey.misfit:
        warnings.warn(TraceWarning(stream_survey.misfit), stacklevel=2)
    if stream_survey.starts_at_zero:
        sentence = "the trace has elements at time 0, which lies in no period: they are evaluated only"
        warnings.warn(PeriodWarning(sentence), stacklevel=2)


def _counting(stream_survey: Survey, options: TraceOptions) -> str:
    if not stream_survey.shift or options.origin is not None:
        default = ", one before the first element (--origin says another)" if options.origin is None else ""
        return f"time 0 is {stream_survey.zero}, time points of {options.unit} count from there{default}"
    late = stream_survey.shift * options.unit.nanoseconds > LARGEST
    hint = "; later than dateTimes reach: do they count milliseconds (--trace-unit 1ms)?" if late else ""
    return (
        f"integers in the trace count since 1970: time 0 is {stream_survey.zero}, one time point "
        f"before the first, as for dateTimes (--origin says another; 1970-01-01T00:00:00Z leaves them){hint}"
    )


_SIDE_LINE: Final = "# "


def check_side_file(path: Path, inputs: Sequence[Path]) -> None:
    """Raise LarsError for a side file that would replace an input, or something else than a side file."""
    if not exists(path, folder=False):
        return
    with path.open("rb") as file:
        start = file.read(len(_SIDE_LINE))
    is_input = any(exists(source) and path.samefile(source) for source in inputs)
    if is_input or (start and start != _SIDE_LINE.encode()):
        what = "a file of the trace" if is_input else "a file with something else"
        raise LarsError(f"--rejected {path}: found {what}; accepted: a new file, or one of skipped lines")


def _keep(side_file: Path, skipped: Iterable[Raw], sources: Sequence[TraceFile]) -> None:
    """Write each skipped line below a comment with its file and problem; the file appears whole."""
    with replacement_path(side_file) as new, new.open("w", encoding="utf-8", newline="\n") as writer:
        for row in skipped:
            path = sources[file_index(row.position)].path
            writer.write(f"{_SIDE_LINE}{path}: {row.problem}\n{row.arguments[0]}\n")
