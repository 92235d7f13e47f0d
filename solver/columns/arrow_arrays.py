"""Columns of numpy as arrays of Arrow and back, by their buffers: Arrow's own ways import pandas first.

Arrow is loaded where it is used: small inputs do without.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from solver.columns.arrays import Array, Mask

if TYPE_CHECKING:
    import pyarrow as pa


def numbers_of(found: "pa.Array") -> npt.NDArray[Any]:
    """Return whole numbers as a column, of the same width; any number where one is null."""
    import pyarrow as pa

    kind = found.type
    name = f"{'' if pa.types.is_signed_integer(kind) else 'u'}int{kind.bit_width}"
    return np.frombuffer(found.buffers()[1], name)[found.offset : found.offset + len(found)]


def mask_of(found: "pa.Array") -> Mask:
    """Return truth values as a mask; null is false."""
    _, values = found.buffers()
    return _bits(values, found) & validity_of(found)


def validity_of(found: "pa.Array") -> Mask:
    """Return which values are not null."""
    valid, *_ = found.buffers()
    return np.ones(len(found), np.bool_) if valid is None else _bits(valid, found)


def _bits(buffer: "pa.Buffer", found: "pa.Array") -> Mask:
    end = found.offset + len(found)
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), count=end, bitorder="little")
    return np.equal(bits[found.offset :], 1)


def arrow_mask(mask: Mask) -> "pa.Array":
    """Return a mask as Arrow's truth values."""
    import pyarrow as pa

    bits = pa.py_buffer(np.packbits(mask, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, bits])


def arrow_numbers(numbers: Array) -> "pa.Array":
    """Return a column as Arrow's whole numbers."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def arrow_codes(numbers: npt.NDArray[np.int32]) -> "pa.Array":
    """Return a column as Arrow's whole numbers of 32 bit."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int32(), len(numbers), [None, pa.py_buffer(numbers)])


def arrow_lists(parts: "Sequence[pa.Array]", kind: "pa.DataType") -> "pa.ListArray":
    """Return arrays of one type as a list in a row each."""
    import pyarrow as pa

    ends = np.cumsum([0, *map(len, parts)]).astype(np.int32)
    return pa.ListArray.from_arrays(
        arrow_codes(ends), pa.concat_arrays(parts) if parts else pa.nulls(0, kind)
    )


def arrow_strings(texts: Sequence[str]) -> "pa.Array":
    """Return texts as Arrow's."""
    import pyarrow as pa

    data, sizes = "".join(texts).encode(), list(map(len, texts))
    if len(data) != sum(sizes):
        sizes = [len(text.encode()) for text in texts]
    return arrow_texts(data, np.cumsum([0, *sizes])).view(pa.string())


def arrow_texts(data: Any, offsets: Array) -> "pa.Array":
    """Return the texts (binary) that stand side by side in `data`, each from one offset to the next."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)


def arrow_text(text: bytes) -> "pa.Scalar":
    """Return a text (binary) as Arrow's scalar."""
    return arrow_texts(text, np.array([0, len(text)]))[0]
