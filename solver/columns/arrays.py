"""Columns of integers: row numbers over several columns, and conversion to and from arrays of Arrow.

The conversion uses the buffers of Arrow, since Arrow's own functions import pandas first. Arrow is loaded on
demand, since small inputs do not need Arrow.
"""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from lars.errors import FailedRunError

if TYPE_CHECKING:
    import pyarrow as pa

Array = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_GREATEST_KEY: Final = 2**62
_MOST_BYTES: Final = 2**31
"""The maximum size in bytes of concatenated texts; the offsets of Arrow have 32 bits."""
_MARKS: Final = 32
"""The number of entries per value up to which a table of flags costs less than sorting the values."""


def keys(sides: Sequence[Sequence[Array]], lengths: Sequence[int], room: int) -> list[Array]:
    """Return a number for each row of two tables; rows have the same number if and only if they are equal.

    The product of each number with `room` fits in 63 bits.

    Args:
        sides: The columns of the first and of the second table.
        lengths: The number of rows of each table.
        room: The factor by which the caller can multiply the numbers without an overflow.
    """
    most = _GREATEST_KEY // room
    numbers, size = [np.zeros(length, np.int64) for length in lengths], 1
    places = [(list(columns), _base(columns)) for columns in zip(*sides, strict=True)]
    if prod(base for _, base in places) > most:
        places = [(ranks, len(values)) for ranks, values in (ranked(columns) for columns, _ in places)]
    for columns, base in places:
        if size * base > most:
            numbers, values = ranked(numbers)
            size = len(values)
        numbers = [key * base + column for key, column in zip(numbers, columns, strict=True)]
        size *= base
    return numbers if size <= most else ranked(numbers)[0]


def among(values: Array, others: Array) -> Mask:
    """Return a mask of the values that `others` contains; all values are integers of at least 0.

    >>> among(np.array([5, 3, 5, 9]), np.array([5, 7])).tolist()
    [True, False, True, False]
    """
    if not len(values) or not len(others):
        return np.zeros(len(values), np.bool_)
    mask: Mask
    if (base := _base((values, others))) <= _MARKS * (len(values) + len(others)):
        marked = np.zeros(base, np.bool_)
        marked[others] = True
        mask = marked[values]
        return mask
    if len(others) < len(values):
        mask = _in_sorted(values, np.sort(others))
        return mask
    order = np.argsort(values)
    ascending = values[order]
    places = np.searchsorted(ascending, others)
    known = places[_in_sorted(others, ascending)]
    there = np.zeros(len(values), np.bool_)
    there[known] = True
    mask = np.empty_like(there)
    mask[order] = there[np.searchsorted(ascending, ascending)]
    return mask


def distinct(values: Array) -> Array:
    """Return the distinct values, ascending; numpy's own function would load masked arrays first.

    >>> distinct(np.array([5, 3, 5])).tolist()
    [3, 5]
    """
    ascending = np.sort(values)
    return ascending[np.concatenate(([True], ascending[1:] != ascending[:-1]))[: len(ascending)]]


def distinct_pairs(one: Array, other: Array) -> tuple[Array, Array]:
    """Return the distinct pairs in the rows of two columns, whose values are integers of at least 0.

    >>> distinct_pairs(np.array([7, 2, 7]), np.array([1, 1, 1]))
    (array([2, 7]), array([1, 1]))
    """
    ((first,), _), ((second,), values) = ranked([one]), ranked([other])
    (numbers,), pairs = ranked([first * len(values) + second])
    places = np.empty(len(pairs), np.int64)
    places[numbers] = np.arange(len(one))
    return one[places], other[places]


def _in_sorted(values: Array, ascending: Array) -> Mask:
    places = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.equal(ascending[places], values)


def _base(columns: Sequence[Array]) -> int:
    return 1 + max((int(column.max(initial=0)) for column in columns), default=0)


def ranked(columns: Sequence[Array]) -> tuple[list[Array], Array]:
    """Return columns of integers as indexes into their sorted distinct values, and these values.

    >>> (ranks,), values = ranked([np.array([7, 2, 7])])
    >>> ranks.tolist(), values.tolist()
    ([1, 0, 1], [2, 7])
    """
    base, rows = _base(columns), sum(map(len, columns))
    if base <= 6 * rows + 64:
        # Marks in a table are cheaper than sorting.
        used = np.zeros(base, np.bool_)
        for column in columns:
            used[column] = True
        values, ranks = np.flatnonzero(used), np.empty(base, np.int64)
        ranks[values] = np.arange(len(values))
        return [ranks[column] for column in columns], values
    values, ranks = np.unique(np.concatenate(columns), return_inverse=True)
    borders = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(ranks.astype(np.int64), borders), values


def numbers_of(array: "pa.Array") -> npt.NDArray[Any]:  # of the width that Arrow has them in
    """Return an Arrow array of integers as a numpy array; an arbitrary number replaces each null."""
    import pyarrow as pa

    kind = array.type
    name = f"{'' if pa.types.is_signed_integer(kind) else 'u'}int{kind.bit_width}"
    return np.frombuffer(array.buffers()[1], name)[array.offset : array.offset + len(array)]


def first_bytes(texts: "pa.Array") -> npt.NDArray[np.uint8]:
    """Return the first byte of each text, 0 for an empty text."""
    ends, data = bytes_of(texts)
    if not len(data):
        return np.zeros(len(texts), np.uint8)
    first = data[np.minimum(ends[:-1], len(data) - 1)]
    first[ends[1:] == ends[:-1]] = 0
    return first


def bytes_of(texts: "pa.Array") -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Return the offsets of texts (binary or strings), and the bytes up to the last offset."""
    _, offsets, content = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return ends, np.frombuffer(content or b"", np.uint8)[: ends[-1]]


def mask_of(array: "pa.Array") -> Mask:
    """Return an Arrow array of booleans as a mask; null becomes False."""
    _, values = array.buffers()
    return _bits(values, array) & validity_of(array)


def validity_of(array: "pa.Array") -> Mask:
    """Return a mask of the values of an Arrow array that are not null."""
    valid, *_ = array.buffers()
    return np.ones(len(array), np.bool_) if valid is None else _bits(valid, array)


def _bits(buffer: "pa.Buffer", array: "pa.Array") -> Mask:
    end = array.offset + len(array)
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), count=end, bitorder="little")
    return np.equal(bits[array.offset :], 1)


def arrow_mask(mask: Mask) -> "pa.Array":
    """Return a mask as an Arrow array of booleans."""
    import pyarrow as pa

    bits = pa.py_buffer(np.packbits(mask, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, bits])


def arrow_numbers(numbers: npt.NDArray[np.integer]) -> "pa.Array":
    """Return a numpy array as an Arrow array of integers with the same number of bits."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(numbers.dtype)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])


def arrow_lists(parts: "Sequence[pa.Array]", kind: "pa.DataType") -> "pa.ListArray":
    """Return arrays of one type as an Arrow column of lists, with one list for each array."""
    import pyarrow as pa

    ends = np.cumsum([0, *map(len, parts)]).astype(np.int32)
    filled = [part for part in parts if len(part)]
    # A single array is not copied.
    whole = filled[0] if len(filled) == 1 else pa.concat_arrays(filled) if filled else pa.nulls(0, kind)
    return pa.ListArray.from_arrays(arrow_numbers(ends), whole)


def arrow_strings(texts: Sequence[str]) -> "pa.Array":
    """Return texts as an Arrow array of strings."""
    import pyarrow as pa

    data, sizes = "".join(texts).encode(), list(map(len, texts))
    if len(data) != sum(sizes):
        sizes = [len(text.encode()) for text in texts]
    return arrow_texts(data, np.cumsum([0, *sizes])).view(pa.string())


def arrow_texts(data: bytes | npt.NDArray[np.uint8], offsets: Array) -> "pa.Array":
    """Return the texts whose bytes are concatenated in `data` as an Arrow array of binary values.

    Text i reaches from offsets[i] to offsets[i + 1].
    """
    import pyarrow as pa

    if offsets[-1] >= _MOST_BYTES:
        problem = (
            f"a column contains {offsets[-1]:,} bytes of text, too many for one array; use "
            "shorter texts, or smaller files"
        )
        raise FailedRunError(problem)
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)


def arrow_text(text: bytes) -> "pa.Scalar":
    """Return a text (binary) as a scalar of Arrow."""
    return arrow_texts(text, np.array([0, len(text)]))[0]
