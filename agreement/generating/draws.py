"""Random numbers by name: any part of a stream can be made alone, on any machine, in any order.

A draw is a digest of the seed and of what is drawn (blake2b), so neither the version of Python,
nor the number of processes, nor the order of the draws matters.
"""

from decimal import Context, Decimal
from functools import cache
from hashlib import blake2b
from math import factorial
from struct import Struct
from typing import Final

WORDS: Final = 2**64
"""A word is uniform on 0..2**64 - 1."""
STEPS: Final = 512
"""How many bits, steps of a walk, one draw gives."""
_MOST: Final = 24
_four = Struct("<4Q").unpack

Words = tuple[int, int, int, int]


def words(what: bytes, seed: int, *name: int) -> Words:
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
