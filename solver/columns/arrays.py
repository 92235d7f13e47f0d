"""Columns of whole numbers, and one number for a row of several."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_GREATEST_KEY: Final = 2**62


def keys(sides: Sequence[Sequence[Array]], lengths: Sequence[int], room: int) -> list[Array]:
    """Return a number for each row of each side: equal exactly for equal rows.

    All numbers times `room` fit in 63 bits.
    """
    found, size = [np.zeros(length, np.int64) for length in lengths], 1
    most = _GREATEST_KEY // room
    for side_by_side in zip(*sides, strict=True):
        columns = list(side_by_side)
        base = 1 + max(int(column.max(initial=0)) for column in columns)
        if size * base > most:
            (found, size), (columns, base) = _ranked(found), _ranked(columns)
        found = [key * base + column for key, column in zip(found, columns, strict=True)]
        size *= base
        if size > most:
            found, size = _ranked(found)
    return found


def _ranked(columns: Sequence[Array]) -> tuple[list[Array], int]:
    """Return the numbers replaced by their ranks among all of them, and how many there are."""
    distinct, ranks = np.unique(np.concatenate(columns), return_inverse=True)
    borders = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(ranks.astype(np.int64), borders), len(distinct)
