"""How much a long test does: a part by default, everything with TESTS=whole.

The default keeps the suite short enough to run after each change. A part is the same in every run, and each
test does one: what it asks is asked, of fewer cases.
"""

import os
from collections.abc import Iterable
from typing import Any

WHOLE = os.environ.get("TESTS") == "whole"


def few(cases: Iterable[Any], count: int) -> list[Any]:
    """Return `count` of the cases, from the first one on and evenly apart; or all of them."""
    every = list(cases)
    return every if WHOLE or len(every) <= count else [every[n * len(every) // count] for n in range(count)]


def size(part: int, whole: int) -> int:
    """Return how many cases a test draws."""
    return whole if WHOLE else part
