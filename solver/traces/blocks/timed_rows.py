"""When rows come, of which stream: what the survey of a trace needs of each of them, in columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from solver.columns import NO_CODE, NULL_CODE, Array, TermCodes
from solver.traces.rows import ATOMS, Raw, Summary

_MOST_SINCE: Final = 2**64 - 1


@dataclass(frozen=True, slots=True, eq=False)
class TimedRows:
    """Rows with their numbers in arrival order, kinds and times as `Raw` has them, and streams as codes."""

    numbers: Array
    kinds: npt.NDArray[np.int8]
    times: Array
    streams: Array

    def take(self, places: Array | slice) -> "TimedRows":
        """Return the rows at these places."""
        return TimedRows(self.numbers[places], self.kinds[places], self.times[places], self.streams[places])


def in_units(times: Array, start: int, unit: int) -> tuple[Array, Array]:
    """Return how many units times are after the start, which none is before, and the rests."""
    # A difference beyond 63 bits is right when it has no sign.
    since = (times - start).view(np.uint64)
    units, rests = np.divmod(since, np.uint64(min(unit, _MOST_SINCE)))
    return units.view(np.int64), rests.view(np.int64)


def stream_code(stream: str | None, terms: TermCodes) -> int:
    """Return the code of a row's stream: of no stream null's, and no code of a term for all other atoms."""
    return NULL_CODE if stream is None else NO_CODE if stream == ATOMS else terms.code(stream)


def times_of_rows(rows: Iterable[Raw], terms: TermCodes, before: int = 0) -> TimedRows:
    """Return rows that were read one by one, none of them rejected, numbered on from some before."""
    said = [(before + row.seq, row.kind, row.time, stream_code(row.stream, terms)) for row in rows]
    numbers, kinds, times, streams = np.array(said, np.int64).reshape(-1, 4).T
    return TimedRows(numbers, kinds.astype(np.int8), times, streams)


def join_rows(parts: Sequence[TimedRows]) -> TimedRows:
    """Return the rows of all parts."""
    numbers, kinds, times, streams = (
        np.concatenate([getattr(part, name) for part in parts]) for name in TimedRows.__slots__
    )
    return TimedRows(numbers, kinds, times, streams)


def summaries_of(rows: TimedRows, position: int, terms: TermCodes, unit: int) -> Iterator[Summary]:
    """Yield a summary for each stream of rows of one block, none rejected; `unit` in nanoseconds."""
    if not len(rows.numbers):
        return
    rows = rows.take(np.lexsort((rows.numbers, rows.streams)))
    borders = np.flatnonzero(rows.streams[1:] != rows.streams[:-1]) + 1
    begins = np.concatenate(([0], borders))
    ends = np.append(borders, len(rows.numbers))
    for group in np.argsort(rows.numbers[begins]).tolist():
        yield _summary(rows.take(slice(begins[group], ends[group])), position, terms, unit)


def _summary(rows: TimedRows, position: int, terms: TermCodes, unit: int) -> Summary:
    code, times = int(rows.streams[0]), rows.times
    latest = np.maximum.accumulate(times)
    steps = np.diff(latest)
    earliest = int(times.min())
    _, rests = in_units(times, earliest, unit)
    return Summary(
        position=position,
        stream=ATOMS if code == NO_CODE else terms.texts((code,))[0],
        rows=len(times),
        skipped=0,
        kind=int(rows.kinds[0]),
        first=int(times[0]),
        earliest=earliest,
        latest=int(latest[-1]),
        mixed=bool((rows.kinds != rows.kinds[0]).any()),
        ordered=bool((times == latest).all()),
        even=not rests.any(),
        gap=int(steps[steps > 0].min(initial=steps.max(initial=0))),
    )
