"""Lines side by side in one buffer, and their fields, cut and compared without a call for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from solver.columns import Array, Mask, arrow_mask, arrow_texts, numbers_of

Bytes = npt.NDArray[np.uint8]
_RETURN: Final = ord("\r")


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines of a file: line i is data[starts[i]:starts[i + 1]], and what it says ends at ends[i].

    Between both ends stand a line feed, if the lines have it, and a carriage return before it.
    """

    data: Bytes
    starts: Array
    ends: Array

    def __len__(self) -> int:
        return len(self.ends)

    def text(self, number: int) -> bytes:
        """Return a line without its line feed."""
        return self.data[self.starts[number] : self.starts[number + 1]].tobytes().removesuffix(b"\n")


def lines_of(data: bytes) -> Lines:
    """Return the lines of a text; the last may lack its line feed."""
    numbers = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(numbers == ord("\n"))
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.concatenate(([0], np.minimum(ends + 1, len(data))))
    return _lines(numbers, starts, ends)


def _lines(data: Bytes, starts: Array, ends: Array) -> Lines:
    before = np.maximum(ends - 1, 0)
    returned = (ends > starts[:-1]) & (data[before] == _RETURN) if len(data) else np.zeros(len(ends), bool)
    return Lines(data, starts, ends - returned)


def places_of(data: Bytes, character: str) -> Array:
    """Return where a character stands."""
    return np.flatnonzero(data == ord(character))


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """Fields of lines: `texts` are the distinct ones (binary), `indices` name them, a row for a line."""

    texts: pa.Array
    indices: npt.NDArray[np.int32]

    def used(self, columns: Sequence[int], among: Mask) -> tuple[pa.Array, list[Array]]:
        """Return the distinct texts of some columns of some lines, and for each column its places in them.

        Any other line has any place.
        """
        mask = np.zeros(len(self.texts), np.bool_)
        for column in columns:
            mask[self.indices[among, column]] = True
        places = np.cumsum(mask) - 1
        return self.texts.filter(arrow_mask(mask)), [places[self.indices[:, column]] for column in columns]


def fields_of(lines: Lines, cuts: Sequence[Array], among: Mask) -> Fields:
    """Return the fields that begin at the cuts, an array for each field, in the lines `among` them.

    What follows the last cut is no field; neither is any other line.
    """
    starts = lines.starts[:-1]
    offsets = np.stack([np.where(among, cut, starts) for cut in (starts, *cuts)], axis=1)
    pieces = arrow_texts(lines.data, np.append(offsets.ravel(), lines.starts[-1]))
    encoded = pieces.dictionary_encode()
    return Fields(encoded.dictionary, numbers_of(encoded.indices).reshape(len(lines), -1)[:, :-1])
