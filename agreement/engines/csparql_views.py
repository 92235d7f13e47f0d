"""The windows of C-SPARQL 0.9.7, which are views of Esper (rule W4), and the windows of the specification.

A view is told what arrives and what the clock shows; where it reports it returns its content, the
numbers of the pushes in it.
"""

from collections import deque
from dataclasses import dataclass
from math import floor
from typing import Protocol, assert_never

from agreement.engines.csparql_choice import refused, seconds
from agreement.engines.csparql_clock import TICK
from translate.windows import Now, Range, Rows, Sliding, Unbounded, WindowExpression

ALIGNED, FROM_HEAD, BATCHED, COUNTED = "W4a", "W4b", "W4c", "W4d"

Shown = tuple[int, ...]


class View(Protocol):
    """A window on pushes; `shown` is its content when another one reports, at the latest time so far."""

    def arrive(self, number: int, t: float, stamp: float) -> Shown | None:
        """Take the push of this number and time in at its arrival time; return the content to report."""
        ...

    def tick(self, now: float) -> Shown | None:
        """Set the clock; return the content to report."""
        ...

    def shown(self, at: float) -> Shown:
        """Return the content."""
        ...


@dataclass(slots=True)
class Schedule:
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


class Recent:
    """`win:time(R) output snapshot every P`: what arrived in the last R, reported every P.

    With `from_head` (W4b) what has expired stays behind a head that has not.
    """

    def __init__(self, length: int, schedule: Schedule, *, from_head: bool) -> None:
        self._length, self._schedule, self._from_head = length, schedule, from_head
        self._content: deque[tuple[float, int]] = deque()

    def arrive(self, number: int, t: float, stamp: float) -> None:
        """Take a push in; nothing is reported then."""
        self._schedule.start(t)
        self._content.append((stamp, number))

    def tick(self, now: float) -> Shown | None:
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

    def shown(self, at: float) -> Shown:
        """Return the content, for the specification without what has expired by then."""
        if self._from_head:
            return self._numbers()
        return tuple(number for stamp, number in self._content if stamp > at - self._length)

    def _numbers(self) -> Shown:
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


class Batch:
    """`win:time_batch(R)`: what arrived since the last report, whatever its arrival time (W4c)."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._content: list[int] = []

    def arrive(self, number: int, t: float, stamp: float) -> None:
        """Take a push in; nothing is reported then."""
        del stamp
        self._schedule.start(t)
        self._content.append(number)

    def tick(self, now: float) -> Shown | None:
        """Set the clock; return the content to report, and begin anew."""
        if not self._schedule.moves(now) or self._schedule.due() is None:
            return None
        found, self._content = tuple(self._content), []
        return found

    def shown(self, at: float) -> Shown:
        """Return the content."""
        del at
        return tuple(self._content)


class Newest:
    """The newest N pushes: reported with each that arrives, or every N of them, none twice (W4d)."""

    def __init__(self, count: int, *, batched: bool) -> None:
        self._count, self._batched = count, batched
        self._content: deque[int] = deque(maxlen=count)

    def arrive(self, number: int, t: float, stamp: float) -> Shown | None:
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

    def shown(self, at: float) -> Shown:
        """Return the content."""
        del at
        return tuple(self._content)


def view(window: WindowExpression, off: frozenset[str]) -> View:
    """Return a window as the engine has it, or with some of its rules `off` as it is specified."""
    match window:
        case Rows(count):
            return Newest(count, batched=COUNTED not in off)
        case Range():
            length, step = (count * 1000 for count in seconds(window))
            schedule = Schedule(step, ALIGNED not in off)
            if window.tumbling and BATCHED not in off:
                return Batch(schedule)
            return Recent(length, schedule, from_head=FROM_HEAD not in off)
        case Now() | Unbounded() | Sliding():
            raise refused(window)
        case _:
            assert_never(window)
