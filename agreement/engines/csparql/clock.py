"""How C-SPARQL 0.9.7 drives its clock by the pushes (rule W3), and how a clock should be driven.

The engine moves the clock over the ticks between two pushes. A triple exactly on a tick waits until
a later one comes, and enters then, before the clock has reached the tick.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Final

from agreement.documents.recordings import Push
from lars.errors import LarsError

TICK: Final = 1000
"""Milliseconds from a tick to the next."""

_MOST: Final = 1_000_000
"""So many ticks take seconds; more lie between two pushes only by a slip of the unit."""

NumberedPush = tuple[int, Push]
"""A push with its number."""


@dataclass(frozen=True, slots=True)
class ClockSet:
    """The clock is set to `now`, during the push `trigger`, for the sake of the tick or push at `due`.

    `report_time` is the time that a report then carries: after a tick on which nothing lies it is one more.
    """

    trigger: int
    now: float
    due: float
    report_time: float


@dataclass(frozen=True, slots=True)
class StampedArrival:
    """The triple of a push enters the windows with the arrival time `stamp`, during the push `trigger`."""

    trigger: int
    number: int
    stamp: float


ClockEvent = ClockSet | StampedArrival


def refusals(pushes: Sequence[Push]) -> tuple[int, ...]:
    """Return the numbers of the pushes that the engine rejects as unordered.

    They are older than a triple that waits on its tick; others that are out of order it accepts.
    """
    problems = []
    last: float | None = None
    waiting: float | None = None
    for number, push in enumerate(pushes):
        if last is None:
            last = _floor(push.t)
        elif push.t > last + TICK:
            last, waiting = _before(push.t), None
        if push.t == last + TICK:
            waiting = push.t
        elif waiting is not None and push.t < waiting:
            problems.append(number)
    return tuple(problems)


def drive(pushes: Iterable[NumberedPush]) -> Iterator[ClockEvent]:
    """Yield what happens in the engine's windows, push by push."""
    queue: list[NumberedPush] = []
    last = now = 0.0
    started = False
    for number, push in pushes:
        t = push.t
        if not started:
            started, last, now = True, _floor(t), t
            yield from (_at(number, last), StampedArrival(number, number, last), _at(number, t))
            continue
        _check_gap(last, t)
        while t > last + TICK:
            last += TICK
            yield from (StampedArrival(number, waiting, now) for waiting, _ in queue)
            if queue:
                yield _at(number, last)
            queue, now = [], last + 1
            yield ClockSet(number, now, last, now)
        if t == last + TICK:
            queue.append((number, push))
            continue
        if t != now:
            now = t
            yield _at(number, t)
        yield StampedArrival(number, number, now)


def specified_clock(pushes: Iterable[NumberedPush]) -> Iterator[ClockEvent]:
    """Yield what happens where a triple arrives at its own time, and a tick passes with the next push."""
    reached: float | None = None
    times = set[float]()
    for number, push in pushes:
        if reached is None:
            reached = _before(push.t)
            yield _at(number, reached)
        _check_gap(reached, push.t)
        while reached + TICK < push.t:
            reached += TICK
            yield ClockSet(number, reached, reached, reached if reached in times else reached + 1)
        times.add(push.t)
        yield StampedArrival(number, number, push.t)


def _check_gap(last: float, t: float) -> None:
    if t - last > _MOST * TICK:
        raise LarsError(
            f"the clock ticks more than {_MOST} times from {last:.0f} to {t:.0f} ms; accepted: pushes "
            "that lie closer together, or a coarser unit"
        )


def _at(trigger: int, t: float) -> ClockSet:
    return ClockSet(trigger, t, t, t)


def _floor(t: float) -> float:
    return floor(t / TICK) * TICK


def _before(t: float) -> float:
    """Return the last tick before a time, which can be a tick itself."""
    return (ceil(t / TICK) - 1) * TICK
