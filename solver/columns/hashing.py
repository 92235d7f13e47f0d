"""Find texts of Arrow among many earlier texts, by 64-bit hashes in a table that grows.

A table has a power of two of slots, with the number of a hash or a negative number for an empty slot. A hash
is in the first free slot from its own place on, so at most half of the slots are filled. A look-up costs the
same however many hashes a table contains; a search of Arrow would cost time for each earlier text.
"""

from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from solver.columns.arrays import Array, bytes_of

if TYPE_CHECKING:
    import pyarrow as pa

Hashes = npt.NDArray[np.uint64]
Slots = npt.NDArray[np.int32]
_EMPTY: Final = -1
_WORD: Final = 8
_LONG: Final = 2**9
"""The number of bytes from which a text is hashed on its own, and not word by word with others."""
_AT_ONCE: Final = 2**14
"""The number of texts whose hashes fit into the cache of a processor."""
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)
_MASKS: Final = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
"""For each number of bytes the mask of a word's first bytes."""


def text_hashes(texts: "pa.Array") -> Hashes:
    """Return the 64-bit hashes of texts; equal texts have equal hashes, also in other processes."""
    ends, content = bytes_of(texts)
    hashes = np.empty(len(texts), np.uint64)
    for first in range(0, len(texts), _AT_ONCE):
        some = ends[first : first + _AT_ONCE + 1].astype(np.int64)
        # Words are also read behind the last text, and masked.
        data = np.concatenate((content[some[0] : some[-1]], np.zeros(_WORD, np.uint8)))
        starts, sizes = some[:-1] - some[0], np.diff(some)
        own = _word_hashes(data, starts, sizes)
        for place in np.flatnonzero(sizes > _LONG).tolist():
            code = crc32(data[starts[place] : starts[place] + sizes[place]].tobytes())
            own[place] = _mixed(np.array([code]), sizes[place : place + 1])[0]
        hashes[first : first + _AT_ONCE] = own
    return hashes


def _word_hashes(data: npt.NDArray[np.uint8], starts: Array, sizes: Array) -> Hashes:
    """Return hashes of texts in `data`; long texts have a hash of their length alone."""
    words = np.ndarray((len(data) - _WORD + 1,), "<u8", data, strides=(1,))
    hashes = _mixed(np.zeros(len(sizes), np.uint64), sizes)
    rows = np.flatnonzero((sizes > 0) & (sizes <= _LONG))
    at = 0
    while len(rows):
        every = len(rows) == len(hashes)
        start, left = (starts, sizes) if every else (starts[rows], sizes[rows])
        word = words[start + at] & _MASKS[np.minimum(left - at, _WORD)]
        if every:
            hashes = _mixed(hashes, word)
        else:
            hashes[rows] = _mixed(hashes[rows], word)
        at += _WORD
        rows = rows[left > at]
    return hashes


def _mixed(hashes: npt.NDArray[np.integer], words: npt.NDArray[np.integer]) -> Hashes:
    """Return hashes after one more word each."""
    mixed = (hashes.astype(np.uint64, copy=False) ^ words.astype(np.uint64, copy=False)) * _FACTOR
    mixed ^= mixed >> _SHIFT
    return mixed


def hash_table(hashes: Hashes) -> Slots:
    """Return a table of the given hashes with room for at least one more."""
    slots = np.full(2 << len(hashes).bit_length(), _EMPTY, np.int32)
    add_hashes(slots, hashes, 0)
    return slots


def room(slots: Slots) -> int:
    """Return the greatest number of hashes in a table."""
    return len(slots) // 2


def add_hashes(slots: Slots, hashes: Hashes, first: int) -> None:
    """Add hashes to a table that has room for them; their numbers are first, first + 1, ..."""
    numbers, last = np.arange(first, first + len(hashes), dtype=np.int32), len(slots) - 1
    at = _places(hashes, slots)
    while len(numbers):
        free = slots[at] < 0
        # Of several numbers for one slot, the last one stays.
        slots[at[free]] = numbers[free]
        lost = slots[at] != numbers
        numbers, at = numbers[lost], (at[lost] + 1) & last


def found_hashes(slots: Slots, known: Hashes, hashes: Hashes) -> Array:
    """Return for each hash the number of an equal hash in a table of the hashes `known`, or -1."""
    numbers, last = np.full(len(hashes), _EMPTY, np.int64), len(slots) - 1
    for first in range(0, len(hashes), _AT_ONCE):
        rows = np.arange(first, min(first + _AT_ONCE, len(hashes)))
        at = _places(hashes[rows], slots)
        while len(rows):
            number = slots[at]
            filled = number >= 0
            if not filled.all():
                rows, at, number = rows[filled], at[filled], number[filled]
            same = known[number] == hashes[rows]
            numbers[rows[same]] = number[same]
            rows, at = rows[~same], (at[~same] + 1) & last
    return numbers


def _places(hashes: Hashes, slots: Slots) -> Array:
    # The high bits of a product depend on all bits of its factors.
    return (hashes >> np.uint64(65 - len(slots).bit_length())).astype(np.int64)
