"""Time processes and random numbers by name: when a group of stations observes, in whole units.

Time is cut into cells of one interval. What happens in a cell is drawn for that cell alone, so that
a range of time can be made without what lies before it. A draw is a digest of the seed and of what is
drawn (blake2b), so neither the version of Python, nor the number of processes, nor the order of the
draws matters: any part of a stream can be made alone, on any machine, in any order.
"""

from collections.abc import Iterator
from decimal import Context, Decimal
from functools import cache
from hashlib import blake2b
from math import factorial
from struct import Struct
from typing import Final, NamedTuple, assert_never

from agreement.documents.generate.plan import ArrivalProcess, Plan

WORDS: Final = 2**64
"""A word is uniform on 0..2**64 - 1."""
STEPS: Final = 512
"""How many bits, steps of a walk, one draw gives."""
_MOST: Final = 24
_four = Struct("<4Q").unpack

RandomWords = tuple[int, int, int, int]


def words(what: bytes, seed: int, *name: int) -> RandomWords:
    """Return four independent words for a name."""
    return _four(blake2b(b"%b %d %a" % (what, seed, name), digest_size=32).digest())


def bits(what: bytes, seed: int, *name: int) -> int:
    """Return 512 independent bits for a name."""
    return int.from_bytes(blake2b(b"%b %d %a" % (what, seed, name)).digest(), "little")


def below(word: int, count: int) -> int:
    """Return a number of 0..count-1 from a word; counts far below 2**64 are equally likely.

    >>> below(0, 6), below(2**63, 6), below(2**64 - 1, 6)
    (0, 3, 5)
    """
    return word * count >> 64


@cache
def _poisson() -> tuple[int, ...]:
    # exp is rounded correctly in decimal, in floats it is the platform's.
    exact = Context(prec=60)
    none = exact.exp(Decimal(-1))
    chances = [exact.divide(none, Decimal(factorial(count))) for count in range(_MOST)]
    sums = [sum(chances[: count + 1], Decimal(0)) for count in range(_MOST)]
    return tuple(int(exact.multiply(total, Decimal(WORDS))) for total in sums)


def poisson(word: int) -> int:
    """Return a number that is Poisson distributed with mean 1, from a word.

    >>> [poisson(share * 2**64 // 100) for share in (36, 37, 73, 74, 91, 92)]
    [0, 1, 1, 2, 2, 3]
    """
    return next((count for count, total in enumerate(_poisson()) if word < total), _MOST)


class ObservationTime(NamedTuple):
    """The observation number `nth` of a cell, at the time t; both count from 0."""

    cell: int
    nth: int
    t: int


def burst_length(plan: Plan) -> int:
    """Return how long a burst lasts, in units."""
    return (plan.bursts.size - 1) * plan.points(plan.bursts.gap) if plan.bursts.size > 1 else 0


def moments(plan: Plan, group: int, first: int, end: int) -> Iterator[ObservationTime]:
    """Yield when a group observes in [first, end), cell by cell; bursts can overlap the next cell.

    Nothing is observed outside of [start, start + duration).
    """
    start, interval = plan.points(plan.start), plan.points(plan.interval)
    size = plan.bursts.size
    gap = plan.points(plan.bursts.gap) if size > 1 else 0
    first, end = max(first, start), min(end, start + plan.points(plan.duration))
    lowest = max(0, (first - start - burst_length(plan)) // interval)
    for cell, nth, t in _starts(plan, group, range(lowest, -(-(end - start) // interval))):
        for number in range(size):
            if first <= (at := t + number * gap) < end:
                yield ObservationTime(cell, nth * size + number, at)


def _starts(plan: Plan, group: int, cells: range) -> Iterator[ObservationTime]:
    start, interval = plan.points(plan.start), plan.points(plan.interval)
    match plan.arrivals:
        case ArrivalProcess.REGULAR:
            offset = start + below(words(b"offset", plan.seed, group)[0], interval)
            for cell in cells:
                yield ObservationTime(cell, 0, offset + cell * interval)
        case ArrivalProcess.POISSON:
            # Given their number, the points of a Poisson process in a cell are uniform.
            for cell in cells:
                count = poisson(words(b"count", plan.seed, group, cell)[0])
                drawn = (words(b"time", plan.seed, group, cell, nth)[0] for nth in range(count))
                for nth, at in enumerate(sorted(below(word, interval) for word in drawn)):
                    yield ObservationTime(cell, nth, start + cell * interval + at)
        case _:
            assert_never(plan.arrivals)
