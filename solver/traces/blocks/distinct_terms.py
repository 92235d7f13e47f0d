"""Terms of many rows, each distinct text read once: usual ones by one pattern, the others one by one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from solver.columns import (
    NO_CODE,
    NULL_CODE,
    Array,
    Mask,
    TermCodes,
    arrow_mask,
    arrow_text,
    mask_of,
    numbers_of,
    validity_of,
)

ReadTerm = Callable[[str], str | None]
"""Returns the canonical text of the term that a text writes, None where only the whole row tells."""

_BARE: Final = r"[A-Za-z][A-Za-z0-9+.\-]*:[!#-;=?-\[\]_a-z~]*"
_LITERAL: Final = rf'"[^"\\\x00-\x1f\x7f]*"(\^\^<{_BARE}>|@[a-z]{{1,8}}(-[a-z0-9]{{1,8}})*)?'
_CANONICAL: Final = rf"^(<{_BARE}>|{_LITERAL})$"
"""What is its own canonical text, but for two datatypes."""
_CHANGED: Final = r"#(string|langString)>$"
_LESS, _GREATER, _NOTHING = map(arrow_text, (b"<", b">", b""))
_ASCII: Final = r"^[\x00-\x7f]*$"


@dataclass(frozen=True, slots=True, eq=False)
class TermColumn:
    """Codes of terms, and the first characters of their texts: 0 stands for no term that is certain."""

    codes: Array
    leads: npt.NDArray[np.uint8]

    def take(self, indices: npt.NDArray[np.integer]) -> "TermColumn":
        """Return the terms at these places."""
        return TermColumn(self.codes[indices], self.leads[indices])

    def are(self, lead: str) -> Mask:
        """Return which texts begin so: < for an IRI, a quote for a literal."""
        return np.equal(self.leads, ord(lead))


def without_terms(rows: int) -> TermColumn:
    """Return a column of nothing but null."""
    return TermColumn(np.full(rows, NULL_CODE), np.zeros(rows, np.uint8))


def distinct_terms(texts: pa.Array, read: ReadTerm, terms: TermCodes, *, bare: bool = False) -> TermColumn:
    """Return the terms that distinct texts (binary) write, of none and the empty text null.

    With `bare`, IRIs may stand without < and >.
    """
    column = TermColumn(np.full(len(texts), NO_CODE), np.zeros(len(texts), np.uint8))
    empty = ~validity_of(texts) | (numbers_of(pc.binary_length(texts)) == 0)
    column.codes[empty] = NULL_CODE
    usual = usual_terms(texts)
    chosen = texts.filter(arrow_mask(usual)).cast(pa.string())
    column.codes[usual] = terms.codes(chosen.to_pylist())
    column.leads[usual] = np.where(mask_of(pc.starts_with(chosen, "<")), ord("<"), ord('"'))
    if bare:
        iris = mask_of(pc.match_substring_regex(texts, f"^{_BARE}$"))
        inside = texts.filter(arrow_mask(iris))
        whole = pc.binary_join_element_wise(_LESS, inside, _GREATER, _NOTHING)
        column.codes[iris] = terms.codes(whole.cast(pa.string()).to_pylist())
        column.leads[iris] = ord("<")
        usual |= iris
    for place in np.flatnonzero(~(usual | empty)).tolist():
        if text := _decoded(texts[place].as_py(), read):
            column.codes[place], column.leads[place] = terms.code(text), ord(text[0])
    return column


def usual_terms(texts: pa.Array) -> Mask:
    """Return which texts (binary) are their own canonical texts for certain."""
    canonical = mask_of(pc.match_substring_regex(texts, _CANONICAL))
    canonical &= ~mask_of(pc.match_substring_regex(texts, _CHANGED))
    try:
        texts.filter(arrow_mask(canonical)).cast(pa.string())
    except pa.ArrowInvalid:  # no UTF-8
        canonical &= mask_of(pc.match_substring_regex(texts, _ASCII))
    return canonical


def _decoded(text: bytes, read: ReadTerm) -> str | None:
    try:
        return read(text.decode())
    except UnicodeDecodeError:
        return None
