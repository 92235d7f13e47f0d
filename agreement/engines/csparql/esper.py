"""The window of C-SPARQL 0.9.7: which one it asks Esper for (W1), and Esper's views (W4).

Of the statements for its windows the first of a hash set is used. A view is told what arrives and
what the clock shows; where it reports it returns its content, the numbers of the pushes in it.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Final

from agreement.engines.csparql.clock import TICK
from agreement.engines.engine import Off
from lars.durations import NANOSECONDS
from lars.errors import LarsError
from translate.model.query import MergedStream
from translate.model.windows import Range, Rows, WindowExpression

ALIGNED, FROM_HEAD, BATCHED, COUNTED = "W4a", "W4b", "W4c", "W4d"
_INT: Final = 1 << 32
_GREATEST: Final = 2**31 - 1
_OFFSET: Final = _GREATEST + 1000
_BUCKETS: Final = 16
_ACCEPTED: Final = "[RANGE l STEP d], [RANGE l TUMBLING] or [RANGE TRIPLES n], l and d whole seconds"

ViewContent = tuple[int, ...]
"""The numbers of the pushes that a view shows."""


def chosen(windows: Sequence[MergedStream]) -> MergedStream:
    """Return the one whose statement comes first in the order of Java's `HashSet<String>`.

    That is by bucket; in a bucket they stand in the order of the query. Raises LarsError for a
    window that the engine does not have.
    """
    return min(windows, key=lambda part: bucket(statement(part)))


def statement(part: MergedStream) -> str:
    """Return the text by which the engine asks Esper for a window; streams are numbered by their hash.

    >>> from lars.language.terms import Iri
    >>> statement(MergedStream(Iri("http://e/S"), Rows(3)))
    'select irstream * from STREAM2302724542.win:length_batch(3) output snapshot every 3 events'
    """
    number = java_string_hash(part.stream.value) + _OFFSET
    return f"select irstream * from STREAM{number}.{_view(part.window)}"  # noqa: S608  (no SQL, and never run)


def _view(window: WindowExpression) -> str:
    match window:
        case Rows(count):
            return f"win:length_batch({count}) output snapshot every {count} events"
        case Range():
            length, step = seconds(window)
            if window.tumbling:
                return f"win:time_batch({length} seconds)"
            return f"win:time({length} seconds) output snapshot every {step} seconds"
        case _:
            raise refusal(window)


def seconds(window: Range) -> tuple[int, int]:
    """Return length and step in seconds; raise for what is no window of the engine."""
    if window.slide is None or window.until is not None:
        raise refusal(window)
    length, step = (divmod(part.nanoseconds, NANOSECONDS["s"]) for part in (window.length, window.slide))
    if length[1] or step[1]:
        raise refusal(window)
    return length[0], step[0]


def refusal(window: WindowExpression) -> LarsError:
    """Return the error that C-SPARQL 0.9.7 has no such window."""
    return LarsError(f"csparql-0.9.7 has no window {window}; accepted: {_ACCEPTED}")


def java_string_hash(text: str) -> int:
    """Return Java's `String.hashCode`: of UTF-16 units, a signed number of 32 bits.

    >>> java_string_hash("http://e/S"), java_string_hash("polygenelubricants")
    (155239895, -2147483648)
    """
    units = text.encode("utf-16-be")
    total = 0
    for place in range(0, len(units), 2):
        total = (31 * total + int.from_bytes(units[place : place + 2], "big")) % _INT
    return total - _INT if total > _GREATEST else total


def bucket(text: str) -> int:
    """Return in which of its 16 buckets a `HashSet` of few strings keeps a text.

    >>> bucket("a")
    1
    """
    code = java_string_hash(text) % _INT
    return (code ^ (code >> 16)) % _BUCKETS


@dataclass(slots=True)
class ReportSchedule:
    """When a view of length R reports: every `step` milliseconds.

    With `aligned` (W4a) the first time is one step after the tick up to which the clock had come
    when the first triple arrived, else the next multiple of the step.
    """

    step: int
    aligned: bool
    now: float | None = None
    next: float | None = None

    def start(self, t: float) -> None:
        """Fix the first report when the first triple arrives, that of time t."""
        if self.next is not None:
            return
        if self.aligned:
            self.next = floor(t / TICK) * TICK + self.step
        else:
            clock = t if self.now is None else self.now
            self.next = (floor(clock / self.step) + 1) * self.step

    def moves(self, now: float) -> bool:
        """Set the clock; return whether it went forward, since nothing happens when it is set back."""
        forward = self.now is None or now >= self.now
        self.now = now
        return forward

    def due(self) -> float | None:
        """Return the time of the report that is due, if one is, and fix the next one."""
        now, due = self.now, self.next
        if now is None or due is None or due > now:
            return None
        self.next = due + (floor((now - due) / self.step) + 1) * self.step
        return due


class TimeView:
    """`win:time(R) output snapshot every P`: what arrived in the last R, reported every P.

    With `from_head` (W4b) what has expired stays behind a head that has not.
    """

    def __init__(self, length: int, schedule: ReportSchedule, *, from_head: bool) -> None:
        self._length, self._schedule, self._from_head = length, schedule, from_head
        self._content: deque[tuple[float, int]] = deque()

    def arrive(self, number: int, t: float, stamp: float) -> None:
        """Take a push in; nothing is reported then."""
        self._schedule.start(t)
        self._content.append((stamp, number))

    def tick(self, now: float) -> ViewContent | None:
        """Set the clock; return the content to report: before it expires, unless its end has come."""
        if not self._schedule.moves(now):
            return None
        found, due = None, self._schedule.due()
        if due is not None:
            if self._oldest() + self._length <= due:
                self._expire(now)
            found = self._numbers()
        self._expire(now)
        return found

    def content(self, at: float) -> ViewContent:
        """Return the content, for the specification without what has expired by then."""
        if self._from_head:
            return self._numbers()
        return tuple(number for stamp, number in self._content if stamp > at - self._length)

    def _numbers(self) -> ViewContent:
        return tuple(number for _, number in self._content)

    def _oldest(self) -> float:
        if not self._content:
            return 0
        return self._content[0][0] if self._from_head else min(self._content)[0]

    def _expire(self, now: float) -> None:
        if self._from_head:
            while self._content and self._content[0][0] <= now - self._length:
                self._content.popleft()
        elif self._content and self._oldest() <= now - self._length:
            self._content = deque(entry for entry in self._content if entry[0] > now - self._length)


class BatchView:
    """`win:time_batch(R)`: what arrived since the last report, whatever its arrival time (W4c)."""

    def __init__(self, schedule: ReportSchedule) -> None:
        self._schedule = schedule
        self._content: list[int] = []

    def arrive(self, number: int, t: float, stamp: float) -> None:
        """Take a push in; nothing is reported then."""
        del stamp
        self._schedule.start(t)
        self._content.append(number)

    def tick(self, now: float) -> ViewContent | None:
        """Set the clock; return the content to report, and begin anew."""
        if not self._schedule.moves(now) or self._schedule.due() is None:
            return None
        found, self._content = tuple(self._content), []
        return found

    def content(self, at: float) -> ViewContent:
        """Return the content."""
        del at
        return tuple(self._content)


class CountedView:
    """The newest N pushes: reported with each that arrives, or every N of them, none twice (W4d)."""

    def __init__(self, count: int, *, batched: bool) -> None:
        self._count, self._batched = count, batched
        self._content: deque[int] = deque(maxlen=count)

    def arrive(self, number: int, t: float, stamp: float) -> ViewContent | None:
        """Take a push in; return the content to report."""
        del t, stamp
        self._content.append(number)
        found = tuple(self._content)
        if not self._batched:
            return found
        if len(found) < self._count:
            return None
        self._content.clear()
        return found

    def tick(self, now: float) -> None:
        """Nothing happens: the clock has no effect."""

    def content(self, at: float) -> ViewContent:
        """Return the content."""
        del at
        return tuple(self._content)


EsperView = TimeView | BatchView | CountedView
"""A window on pushes, told what arrives and what the clock shows; each returns the content to report then."""


def view(window: WindowExpression, off: Off) -> EsperView:
    """Return a window as the engine has it, or with some of its rules `off` as it is specified."""
    match window:
        case Rows(count):
            return CountedView(count, batched=COUNTED not in off)
        case Range():
            length, step = (count * 1000 for count in seconds(window))
            schedule = ReportSchedule(step, ALIGNED not in off)
            if window.tumbling and BATCHED not in off:
                return BatchView(schedule)
            return TimeView(length, schedule, from_head=FROM_HEAD not in off)
        case _:
            raise refusal(window)
