"""Facts about a whole trace that are known before its first row: order, kinds of times, the origin.

Each part of the trace is summarized while it is read, and the facts follow from the summaries. If the facts
show an error, the file is read again to find the line of the error. The summaries also show whether times fit
the windows of a query.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, groupby, islice, pairwise
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import numpy as np

from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError, Place, system_error
from lars.files import exists, replacement_path
from lars.language.terms import Signature
from lars.language.windows import LARGEST_TIME
from solver.columns import NO_CODE, Array, Atoms, TermCodes, distinct
from solver.facts import STREAM_PREDICATE
from solver.settings import Elements, TraceOptions, TraceWarning
from solver.traces.input_files import ATOMS, RowColumns, TracedAtom, TraceFile
from solver.traces.trace_times import (
    LARGEST,
    Clock,
    Instant,
    TimeKind,
    are_calendar,
    calendar_warning,
    different_kinds,
    dividing,
    instant_of,
    show,
)


class Summary(NamedTuple):
    """A summary of the times of one stream in one block of a file.

    - `file` is the index of the file, and `rows` the number of rows.
    - `kind` is the notation of the first time, and `mixed` is true if other times have another notation.
    - `first`, `earliest` and `latest` are times, as values of Instant.
    - `ordered` is true if the times do not decrease.
    - `even` is true if the distance of each time to the earliest time is a multiple of the unit.
    - `gap` is the shortest positive distance between a time and the latest time before it, or 0.
    - `zones` are the time zones of the dateTimes, in minutes ahead of UTC.
    - `calendar` is true if the times are integers, and look like dates without separators.
    """

    file: int
    stream: str | None
    rows: int
    kind: int
    first: int
    earliest: int
    latest: int
    mixed: bool
    ordered: bool
    even: bool
    gap: int
    zones: tuple[int, ...]
    calendar: bool = False

    @property
    def counts(self) -> bool:
        """Whether all times are integers."""
        return self.kind == TimeKind.INTEGER and not self.mixed


def summaries_of(parts: Sequence[RowColumns], file: int, terms: TermCodes, clock: Clock) -> Iterator[Summary]:
    """Yield a summary for each stream in the valid rows of one block."""
    if not parts:
        return
    numbers, kinds, times, streams, zones = (
        getattr(parts[0], name)
        if len(parts) == 1
        else np.concatenate([getattr(part, name) for part in parts])
        for name in ("numbers", "kinds", "times", "streams", "zones")
    )
    if (numbers[1:] < numbers[:-1]).any() or (streams[1:] != streams[:-1]).any():
        order = np.lexsort((numbers, streams))
        numbers, kinds, times, streams = numbers[order], kinds[order], times[order], streams[order]
        zones = zones[order]
    borders = np.flatnonzero(streams[1:] != streams[:-1]) + 1
    own = [slice(*ends) for ends in pairwise([0, *borders.tolist(), len(numbers)])]
    for rows in sorted(own, key=lambda rows: numbers[rows.start]):
        code = int(streams[rows.start])
        stream = ATOMS if code == NO_CODE else terms.texts((code,))[0]
        yield _summary(file, stream, (kinds[rows], times[rows], zones[rows]), clock)


def _summary(file: int, stream: str | None, spelled: tuple[Array, Array, Array], clock: Clock) -> Summary:
    kinds, times, zones = spelled
    is_counted = bool((kinds == TimeKind.INTEGER).all())
    latest = np.maximum.accumulate(times)
    steps = np.diff(latest)
    earliest = int(times.min())
    _, rests = _in_units(times, earliest, clock.unit.nanoseconds)
    return Summary(
        file=file,
        stream=stream,
        rows=len(times),
        kind=int(kinds[0]),
        first=int(times[0]),
        earliest=earliest,
        latest=int(latest[-1]),
        mixed=bool((kinds != kinds[0]).any()),
        ordered=bool((times == latest).all()),
        even=not rests.any(),
        calendar=is_counted and are_calendar(clock.integers(times)),
        gap=int(steps[steps > 0].min(initial=steps.max(initial=0))),
        zones=tuple(distinct(zones[kinds == TimeKind.ZONED]).tolist()),
    )


_MOST_SINCE: Final = 2**64 - 1


def _in_units(times: Array, start: int, unit: int) -> tuple[Array, Array]:
    """Return the distances of times from `start` in whole units, and the remainders."""
    # A difference beyond 63 bits is right when it has no sign.
    since = (times - start).view(np.uint64)
    units, rests = np.divmod(since, np.uint64(min(unit, _MOST_SINCE)))
    return units.view(np.int64), rests.view(np.int64)


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of a survey of a whole trace, such as its number of skipped rows and its last time.

    - `clock` converts the times, if time 0 can only be determined from the whole trace.
    - `shift` is the number of time points to subtract from integers that count from 1970.
    - `misfit` is a text that explains why windows and times suggest a wrong unit, or None.
    - `calendar` is a text that explains that integers look like dates, or None.
    - `zero` is the dateTime of time 0, or None.
    """

    skipped: int
    latest: int = 0
    clock: Clock | None = None
    starts_at_zero: bool = False
    shift: int = 0
    misfit: str | None = None
    zero: str | None = None
    earliest: int | None = None
    calendar: str | None = None

    def timed(self, atoms: Atoms) -> Atoms:
        """Return the atoms with their times converted to time points."""
        return {
            name: replace(
                some, t=self.points(some.t), since=None if some.since is None else self.points(some.since)
            )
            for name, some in atoms.items()
        }

    @property
    def begin(self) -> int | None:
        """The time point of the first element; None if the trace has no elements."""
        return None if self.earliest is None else int(self.points(np.array([self.earliest], np.int64))[0])

    @property
    def last(self) -> int:
        """The last time point of the trace; 0 if the trace has no elements."""
        return int(self.points(np.array([self.latest], np.int64))[0])

    def points(self, times: Array) -> Array:
        """Return times as time points."""
        if self.clock is None or self.clock.zero is None:
            return times - self.shift
        unit = self.clock.unit.nanoseconds
        units, _ = _in_units(times, self.clock.zero.value + unit, unit)
        return units + 1


def _check_span(read: Sequence[Summary], unit: int) -> None:
    """Raise LarsError if the first dateTime is too early, or the last too late to count time points."""
    earliest = min(read, key=lambda summary: summary.earliest)
    if earliest.earliest - unit < -LARGEST:
        first = show(Instant(TimeKind(earliest.kind), earliest.earliest, zone_of(read) or 0))
        raise LarsError(
            f"cannot count time points: time 0, one unit before the first time, {first}, is out of range; "
            "use a finer --unit, or --origin"
        )
    latest = max(read, key=lambda summary: summary.latest)
    if (latest.latest - earliest.earliest) // unit >= LARGEST_TIME:
        first, last = (
            show(Instant(TimeKind(summary.kind), time, zone_of(read) or 0))
            for summary, time in ((earliest, earliest.earliest), (latest, latest.latest))
        )
        raise LarsError(
            f"from {first} to {last} there are more than {LARGEST_TIME} time points; "
            "expected a coarser --unit"
        )


def survey(
    read: Sequence[Summary],
    skipped: int,
    sources: Sequence[TraceFile],
    options: TraceOptions,
    arrived: Sequence[Summary] = (),
) -> Survey:
    """Return the survey of a trace, from summaries of the times and of the arrival times in its files.

    The argument `skipped` is the number of rejected rows, without rows that were left out before.

    Raises:
        LarsError: The trace has no elements, or an error, whose place the message contains.
    """
    # The arrival times of a file are those of the same rows.
    skipped += sum({source.index: len(source.skipped) for source in sources}.values())
    if not read and options.ends:
        return Survey(skipped)
    if not read:
        names = ", ".join(source.path for source in sources[:5])
        left_out = f" (skipped: {skipped})" if skipped else ""
        raise LarsError(
            f"{names}: found no elements in the trace{left_out}; use a trace with elements, or set the end "
            "of the trace by --to or by the key `timeline` of the experiment"
        )
    is_open = options.origin is None
    _check_kinds((*read, *arrived), sources, is_open=is_open)
    earliest = min(summary.earliest for summary in read)
    counted = not is_open or read[0].kind == TimeKind.INTEGER
    if not counted:
        _check_even((*read, *arrived), sources, options)
        _check_span(read, options.time_point.nanoseconds)
    if not options.sort and options.arrival is None:
        _check_order(read, sources, options)
    origin, clock = None, None
    if not counted:
        origin = Instant(
            TimeKind(read[0].kind), earliest - options.time_point.nanoseconds, zone_of(read) or 0
        )
        clock = replace(sources[0].clock, zero=origin)
    shift = _shift(earliest, read, options) if counted else 0
    # Periods part RDF; a program's atoms may well begin at 0.
    at_zero = any(summary.earliest == shift and summary.stream != ATOMS for summary in read)
    slip = misfit(read, options.windows, sources[0].clock.integer_unit)
    zero = _zero(origin, shift, read, options)
    latest = max(summary.latest for summary in read)
    calendar = _dates_as_integers(read, sources)
    return Survey(skipped, latest, clock, counted and at_zero, shift, slip, zero, earliest, calendar)


def _zero(origin: Instant | None, shift: int, read: Sequence[Summary], options: TraceOptions) -> str | None:
    """Return the dateTime of time 0; None if the integers of the trace count from 0."""
    zone = zone_of(read)
    if origin is not None:
        return show(origin)
    dated = shift or not all(summary.counts for summary in read)
    if dated and options.origin is not None:
        begin = instant_of(options.origin)
        return show(begin if zone is None else replace(begin, zone=zone))
    # Later than dateTimes reach, times are numbers alone, which the warning says.
    return _dated(shift, options) if 0 < shift * options.time_point.nanoseconds <= LARGEST else None


def zone_of(read: Iterable[Summary]) -> int | None:
    """Return the time zone of a trace's dateTimes: UTC if they have several zones, None if they have none."""
    zones = {zone for summary in read for zone in summary.zones}
    return None if not zones else zones.pop() if len(zones) == 1 else 0


def _shift(earliest: int, read: Sequence[Summary], options: TraceOptions) -> int:
    """Return the number of time points to subtract from integers that count from 1970; 0 for other times.

    Raises:
        LarsError: The origin that the user gave is after the first time, or between time points.
    """
    counted = all(summary.counts for summary in read)
    if options.absolute or not counted or not options.reaches_epoch(earliest):
        return 0
    if options.origin is None:
        return earliest - 1
    origin = instant_of(options.origin)
    shift, rest = divmod(origin.value, options.time_point.nanoseconds)
    if rest or shift > earliest:
        raise LarsError(
            f"the trace's integers count since 1970, the first of them {_dated(earliest, options)}; "
            "use an --origin that is not later than the first time, and is a whole number of "
            f"{options.time_point} since 1970"
        )
    return shift


def _dated(t: int, options: TraceOptions) -> str:
    """Return a time point since 1970 as a dateTime, or as a number if the time is too late for a dateTime."""
    value = t * options.time_point.nanoseconds
    return show(Instant(TimeKind.ZONED, value)) if value <= LARGEST else f"{t} of {options.time_point} each"


Check = Callable[[TracedAtom], str | None]
"""A function that returns the error of an atom, or None for a valid atom."""


def _raise_first(source: TraceFile, check: Check) -> NoReturn:
    """Raise the error that `check` returns for the first wrong atom of a file."""
    for _, place, atom in _read_again(source):
        if problem := check(atom):
            raise source.error(place, problem)
    raise LarsError(f"{source.path}: the file changed while it was read")


def raise_early(sources: Sequence[TraceFile], options: TraceOptions) -> NoReturn:
    """Raise an error for the first row whose arrival time is before its time.

    The second half of `sources` consists of the files in the first half, but reads their arrival times.
    """
    half = len(sources) // 2
    for source, other in zip(sources[:half], sources[half:], strict=True):
        times = {number: atom.time for number, _, atom in _read_again(source)}
        for number, place, atom in _read_again(other):
            t = times.get(number, atom.time)
            if atom.time.value < t.value:
                came, due = (_written(time, options) for time in (atom.time, t))
                problem = f"the arrival time {came} in the column {options.arrival} is before the time {due}"
                raise other.error(place, f"{problem}; use a column of times at which rows arrived")
    raise LarsError(f"{sources[0].path}: the file changed while it was read")


def _read_again(source: TraceFile) -> Iterator[tuple[int, Place, TracedAtom]]:
    """Read a file again, and yield its atoms with their numbers and places."""
    numbers = count()
    try:
        for block in source.format.blocks(source, None):
            for row in block.exact_rows:
                for part, number in zip(row.content, numbers, strict=False):
                    if isinstance(part, TracedAtom):
                        yield number, block.place(source.path, row, part), part
    except OSError as error:
        raise system_error(source.path, error, "cannot be read") from None


def _check_kinds(read: Sequence[Summary], sources: Sequence[TraceFile], *, is_open: bool) -> None:
    first = read[0].kind

    def clash(kind: int) -> bool:
        return kind != first and (is_open or TimeKind.INTEGER not in (kind, first))

    def check(atom: TracedAtom) -> str | None:
        return different_kinds(atom.time.kind, TimeKind(first)) if clash(atom.time.kind) else None

    for summary in read:
        if (summary.mixed and is_open) or clash(summary.kind):
            _raise_first(sources[summary.file], check)


def _check_even(read: Sequence[Summary], sources: Sequence[TraceFile], options: TraceOptions) -> None:
    start = min(summary.earliest for summary in read)
    unit = options.time_point

    def check(atom: TracedAtom) -> str | None:
        apart = atom.time.value - start
        if apart % unit.nanoseconds == 0:
            return None
        from_start = f"{show(atom.time)}, counted from {show(replace(atom.time, value=start))},"
        return f"the time {from_start} is not a multiple of the unit {unit}: {dividing(apart)}"

    for summary in read:
        if not summary.even or (summary.first - start) % unit.nanoseconds:
            _raise_first(sources[summary.file], check)


def _check_order(read: Sequence[Summary], sources: Sequence[TraceFile], options: TraceOptions) -> None:
    """Raise LarsError if the times of a stream decrease within a file."""
    latest: dict[tuple[int, str | None], int] = {}
    for summary in read:
        key = summary.file, summary.stream
        reached = latest.get(key, summary.first)
        if not summary.ordered or summary.first < reached:
            _raise_first(sources[summary.file], _order_check(options))
        latest[key] = max(summary.latest, reached)


def _written(time: Instant, options: TraceOptions) -> str:
    """Return a time in the notation of the trace."""
    unit, trace_unit = options.time_point.nanoseconds, (options.trace_unit or options.time_point).nanoseconds
    if time.kind is TimeKind.INTEGER:
        return str(time.value * unit // trace_unit)
    if options.origin is None:
        return show(time)
    return show(replace(time, value=instant_of(options.origin).value + time.value * unit))


def _order_check(options: TraceOptions) -> Check:
    latest: dict[str | None, int] = {}

    def check(atom: TracedAtom) -> str | None:
        t = atom.time.value
        reached = latest.get(atom.stream, t)
        if t < reached:
            stream = "" if atom.stream in (None, ATOMS) else f" of the stream {atom.stream}"
            one, other = (_written(replace(atom.time, value=value), options) for value in (t, reached))
            text = f"the time {one} comes after the later time {other}{stream}"
            return f"{text}; expected times that do not decrease, or --sort"
        latest[atom.stream] = t
        return None

    return check


def _dates_as_integers(read: Sequence[Summary], sources: Sequence[TraceFile]) -> str | None:
    """Return a warning if all times are integers that look like dates without separators, or else None."""
    if not all(summary.calendar for summary in read):
        return None
    clock = sources[read[0].file].clock
    text = str(clock.integers(np.array([read[0].first]))[0])
    return calendar_warning(text, clock.integer_unit)


_LEAST_ROWS: Final = 8
_FIT: Final = 5


def misfit(read: Sequence[Summary], windows: Sequence[tuple[str, int]], counted: Duration) -> str | None:
    """Return the reason why a query's windows and the integers of a trace suggest a wrong unit, or None.

    The unit seems wrong in two situations:

    - No window can contain two times of its stream.
    - The whole trace is shorter than a fifth of the shortest window, and has at least eight elements.

    For dateTimes, the result is always None.
    """
    if not windows or not all(summary.counts for summary in read):
        return None
    advice = f"the integers in the trace count {counted}. If this unit is wrong, set --trace-unit and --unit"
    shortest, longest = (pick(length for _, length in windows) for pick in (min, max))
    gaps = [(gap, length) for stream, length in windows if (gap := _gap(read, f"<{stream}>"))]
    if gaps and all(gap > length for gap, length in gaps):
        gap = min(gap for gap, _ in gaps)
        text = f"times of the trace are at least {gap} time points apart, the longest window has {longest}"
        return f"no window contains elements with different times: {text}; {advice}"
    span = _span(read)
    if span and span * _FIT < shortest and sum(summary.rows for summary in read) >= _LEAST_ROWS:
        text = f"the trace has {span} time points, the shortest window {shortest}"
        return f"every window can contain the whole trace: {text}; {advice}"
    return None


def _gap(read: Sequence[Summary], stream: str) -> int:
    """Return the shortest distance between two times of a stream, in time points.

    The result is 0 if the stream has only two times, or if parts of the trace overlap.
    """
    own = [summary for summary in read if summary.stream == stream]
    between = [later.earliest - summary.latest for summary, later in pairwise(own)]
    if min(between, default=0) < 0:
        return 0
    gap = min((gap for gap in (*between, *(summary.gap for summary in own)) if gap > 0), default=0)
    return gap if _span(own) >= 2 * gap else 0


def _span(read: Sequence[Summary]) -> int:
    if not read:
        return 0
    return max(summary.latest for summary in read) - min(summary.earliest for summary in read)


class RejectedRow(NamedTuple):
    """A skipped row: the index of its file, its place in the file that is read, and its problem."""

    file: int
    place: Place
    problem: str


SkippedLine = tuple[str, str, str]
"""A skipped line of a file: its place (empty if the problem names it), its text, and its problem."""
_TOGETHER: Final = 2**16


def report(
    stream_survey: Survey,
    rejected: Iterable[RejectedRow],
    sources: Sequence[TraceFile],
    options: TraceOptions,
) -> None:
    """Write skipped lines to the file of --rejected, and issue warnings about the trace."""
    if options.on_error == "skip" and options.rejected is not None:
        keep_skipped(options.rejected, _lines_of(rejected, sources))
    if stream_survey.skipped:
        one = stream_survey.skipped == 1
        which, them = ("line or element", "it") if one else ("lines or elements", "them")
        sentence = f"skipped {stream_survey.skipped} invalid {which} and wrote {them} to {options.rejected}"
        warnings.warn(TraceWarning(sentence, stream_survey.skipped), stacklevel=2)
    if stream_survey.zero is not None:
        warnings.warn(TraceWarning(_counting(stream_survey, options), about="origin"), stacklevel=2)
    elif stream_survey.shift:
        warnings.warn(TraceWarning(_counting(stream_survey, options)), stacklevel=2)
    elif options.origin is not None and not options.reaches_epoch(stream_survey.earliest or 0):
        sentence = (
            "--origin does not change the times of the trace, which are integers; it sets only NOW() and "
            "dateTimes in options"
        )
        warnings.warn(TraceWarning(sentence, about="origin"), stacklevel=2)
    if doubt := stream_survey.calendar or stream_survey.misfit:
        warnings.warn(TraceWarning(doubt), stacklevel=2)
    if stream_survey.starts_at_zero:
        sentence = (
            "the trace has elements at time 0, which no period contains; these elements are "
            "evaluated, but not compared"
        )
        warnings.warn(TraceWarning(sentence, about="periods"), stacklevel=2)


def _lines_of(rejected: Iterable[RejectedRow], sources: Sequence[TraceFile]) -> Iterator[SkippedLine]:
    """Yield the lines of the user's files from which rejected rows come."""
    for source in sources:
        yield from ((str(place), place.line_text, problem) for _, place, problem in source.skipped)
    for index, rows in groupby(rejected, lambda row: row.file):
        source = sources[index]
        # The user's file is read once for many rows.
        while some := [*islice(rows, _TOGETHER)]:
            places = source.format.placed(source, [row.place for row in some])
            for place, row in zip(places, some, strict=True):
                text = place.line_text.encode("utf-8", "backslashreplace").decode()
                yield str(place), text, row.problem


def _counting(stream_survey: Survey, options: TraceOptions) -> str:
    if not stream_survey.shift or options.origin is not None:
        default = (
            ", one time point before the first element (--origin sets another time 0)"
            if options.origin is None
            else ""
        )
        return f"time 0 is {stream_survey.zero}, one time point is {options.time_point}{default}"
    zero, late = _dated(stream_survey.shift, options), stream_survey.zero is None
    hint = (
        "; times are too late for dateTimes, so use --trace-unit 1ms if integers count milliseconds"
        if late and not stream_survey.calendar
        else ""
    )
    return (
        f"integers in the trace count from 1970; time 0 is {zero}, one time point before the first element "
        f"(--origin sets another time 0; --origin 1970-01-01T00:00:00Z keeps the integers){hint}"
    )


SIDE_HEAD: Final = "# lines that lars skipped, each below a comment with its place and problem\n"
"""The first line of a file of skipped lines, by which a later run recognizes such a file."""


def check_side_file(path: Path, inputs: Sequence[Path]) -> None:
    """Raise LarsError if the file of skipped lines would replace another file.

    An empty file and an earlier file of skipped lines may be replaced, if they are not part of the trace.
    """
    if not exists(path, folder=False):
        return
    with path.open("rb") as file:
        start = file.read(len(SIDE_HEAD))
    is_input = any(exists(source) and path.samefile(source) for source in inputs)
    if is_input or (start and start != SIDE_HEAD.encode()):
        what = "a file of the trace" if is_input else "a file with something else"
        raise LarsError(
            f"--rejected {path}: found {what}; expected a new file, or a file that --rejected wrote"
        )


def keep_skipped(side_file: Path, skipped: Iterable[SkippedLine], *, more: bool = False) -> None:
    """Write each skipped line, below a comment with its place and problem, and replace the file atomically.

    If `more` is true, the lines follow the lines that are already in the file.
    """
    before = side_file.read_text(encoding="utf-8") if more else SIDE_HEAD
    with replacement_path(side_file) as new, new.open("w", encoding="utf-8", newline="\n") as writer:
        writer.write(before)
        for place, text, problem in skipped:
            writer.write(f"# {': '.join(filter(None, (place, problem)))}\n{text}\n")


_TRIPLE: Final[Signature] = (STREAM_PREDICATE, 4)
_READINGS: Final[dict[Elements, str]] = {
    "stream": "count=elements",
    "message": "grain=message",
    "triple": "grain=triple",
}
_ONE: Final = "an element of a stream is one message, one named graph or one row"


def check_elements(sources: Sequence[TraceFile], options: TraceOptions, atoms: Atoms | None = None) -> None:
    """Raise PlacedError for the first element that has the same time as an earlier element.

    If `options.elements` is "stream", elements of different streams may have the same time. If it is
    "triple", each element must have a single triple. The argument `atoms` contains the atoms of the trace, if
    they have been read; often, they show that the files need not be read again.
    """
    if options.elements is None or (atoms is not None and _are_apart(options.elements, atoms)):
        return
    reading, seen = _READINGS[options.elements], dict[tuple[int, str], tuple[TraceFile, Place]]()
    for source, place, triples in chain.from_iterable(map(_elements, sources)):
        t, stream = triples[0].time.value, triples[0].arguments[-1]
        if options.elements == "triple" and len({each.arguments for each in triples}) > 1:
            problem = f"the element has {len(triples)} triples; use elements of one triple each"
            raise source.error(place, f"cannot apply --reading {reading}: {problem}")
        key = t, stream if options.elements == "stream" else ""
        earlier, own = seen.setdefault(key, (source, place))
        if own is not place:
            [before] = earlier.format.placed(earlier, [own])
            where = f"in line {before.line}" if earlier is source else f"at {before.source}:{before.line}"
            problem = f"the element has the same time as the element {where}, and {_ONE}"
            remedy = "use elements with different times, or a finer --unit"
            raise source.error(place, f"cannot apply --reading {reading}: {problem}; {remedy}")


def _are_apart(elements: Elements, atoms: Atoms) -> bool:
    """Return whether no two triples have the same time, so that no two elements have the same time."""
    if (triples := atoms.get(_TRIPLE)) is None:
        return True
    keys = [triples.t, triples.columns[-1]] if elements == "stream" else [triples.t]
    order = np.lexsort(keys)
    return not np.logical_and.reduce([key[order][1:] == key[order][:-1] for key in keys]).any()


def _elements(source: TraceFile) -> Iterator[tuple[TraceFile, Place, list[TracedAtom]]]:
    """Yield each element of a file that has triples, as (file, place, triples)."""
    numbers = source.format.element_numbers(source)
    # The place of a row in a table has the number of the row, from 1.
    together = groupby(
        enumerate(_rows(source)), lambda row: row[0] if numbers is None else numbers[row[1][0].line - 1]
    )
    for _, group in together:
        (_, (place, triples)), *others = group
        yield source, place, [*triples, *chain.from_iterable(more for _, (_, more) in others)]


def _rows(source: TraceFile) -> Iterator[tuple[Place, list[TracedAtom]]]:
    """Yield the place and the triples of each row of a file that has triples."""
    try:
        for block in source.format.blocks(source, None):
            for row in block.exact_rows:
                atoms = (part for part in row.content if isinstance(part, TracedAtom))
                if triples := [atom for atom in atoms if atom.name == _TRIPLE]:
                    yield block.place(source.path, row, triples[0]), triples
    except OSError as error:
        raise system_error(source.path, error, "cannot be read") from None
