"""Times of many rows, made time points at once."""

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lars.language.windows import LARGEST_TIME
from solver.columns import Array, Mask, arrow_mask, mask_of, numbers_of
from solver.traces.trace_times import LARGEST, Clock, Instant, MalformedPart, TimeKind

ReadTime = Callable[[str], Instant]
"""Returns the time that a text writes; raises MalformedPart where only the whole row tells what is wrong."""
_FAR: Final = LARGEST // 2


@dataclass(frozen=True, slots=True, eq=False)
class TimeColumn:
    """Times as a clock stamps them, with the kinds of their spelling; what is not `readable` may be none."""

    kinds: npt.NDArray[np.int8]
    values: Array
    readable: Mask

    def take(self, indices: npt.NDArray[np.integer]) -> "TimeColumn":
        """Return the times at these places."""
        return TimeColumn(self.kinds[indices], self.values[indices], self.readable[indices])


def counted_times(clock: Clock, values: Array) -> TimeColumn:
    """Return integers as times."""
    common = gcd(clock.unit.nanoseconds, clock.trace_unit.nanoseconds)
    unit, trace_unit = clock.unit.nanoseconds // common, clock.trace_unit.nanoseconds // common
    if max(unit, trace_unit) > LARGEST:
        return TimeColumn(np.zeros(len(values), np.int8), values, np.zeros(len(values), np.bool_))
    whole, rest = np.divmod(values, unit)
    known = (values >= 0) & (rest == 0) & (whole <= LARGEST_TIME // trace_unit)
    points = np.where(known, whole, 0) * trace_unit
    return TimeColumn(np.full(len(values), TimeKind.INTEGER, np.int8), points, known)


def dated_times(clock: Clock, kind: TimeKind, values: Array, known: Mask) -> TimeColumn:
    """Return dateTimes, in nanoseconds since 1970, as times; those that are not `known` are none."""
    kinds, origin = np.full(len(values), kind, np.int8), clock.origin
    if origin is None:
        return TimeColumn(kinds, values, known)
    if origin.kind is not kind or max(abs(origin.value), clock.unit.nanoseconds) > _FAR:
        return TimeColumn(kinds, values, np.zeros_like(known))
    known = known & (abs(values) <= _FAR)
    points, rest = np.divmod(np.where(known, values, 0) - origin.value, clock.unit.nanoseconds)
    return TimeColumn(kinds, points, known & (points >= 0) & (points <= LARGEST_TIME) & (rest == 0))


def distinct_times(texts: pa.Array, clock: Clock, read: ReadTime, around: str = "") -> TimeColumn:
    """Return the times that distinct texts (binary) write, usual ones as digits with a character around."""
    usual = mask_of(pc.match_substring_regex(texts, f"^{around}[0-9]{{1,18}}{around}$"))
    digits = texts.filter(arrow_mask(usual))
    if around:
        digits = pc.replace_substring(digits, around, "")
    integers = counted_times(clock, numbers_of(digits.cast(pa.string()).cast(pa.int64())))
    count = len(texts)
    column = TimeColumn(np.zeros(count, np.int8), np.zeros(count, np.int64), np.zeros(count, np.bool_))
    column.kinds[usual], column.values[usual] = integers.kinds, integers.values
    column.readable[usual] = integers.readable
    for place in np.flatnonzero(~usual).tolist():
        if (instant := _stamped(texts[place].as_py(), clock, read)) is not None:
            column.kinds[place], column.values[place], column.readable[place] = (
                instant.kind,
                instant.value,
                True,
            )
    return column


def _stamped(text: bytes | None, clock: Clock, read: ReadTime) -> Instant | None:
    try:
        return None if text is None else clock.stamp(read(text.decode()))
    except (MalformedPart, UnicodeDecodeError):
        return None
