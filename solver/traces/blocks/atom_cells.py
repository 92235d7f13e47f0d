"""Atoms in tables: triples, the column `atom`, columns of arguments; usual ones at once, others alone."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solver.columns import (
    NO_CODE,
    NULL_CODE,
    Array,
    Mask,
    TermCodes,
    arrow_mask,
    arrow_numbers,
    arrow_text,
    distinct,
    mask_of,
    numbers_of,
)
from solver.facts import STREAM_PREDICATE
from solver.traces.blocks.distinct_terms import TermColumn
from solver.traces.blocks.time_columns import TimeColumn
from solver.traces.rows import TraceFile, UsualRows

TRIPLE: Final = (STREAM_PREDICATE, 4)


def triple_rows(
    source: TraceFile,
    terms: TermCodes,
    times: TimeColumn,
    columns: Sequence[TermColumn],
    among: Mask,
) -> UsualRows:
    """Return the rows `among` those of the columns (s, p, o, stream) that are triples for certain.

    Others may have a fault, or blank nodes, which are named by all that their element holds.
    """
    s, p, o, own = columns
    number = NULL_CODE if source.stream is None else terms.code(source.stream)
    named = own.codes != NULL_CODE
    usual = s.are("<") & p.are("<") & (o.are("<") | o.are('"')) & (~named | own.are("<"))
    regular = among & times.readable & usual
    if source.stream is None and source.candidates:
        regular &= named
    elif source.stream is not None and not source.candidates:
        regular &= ~named | (own.codes == number)
    streams = np.where(named, own.codes, number)
    places = np.flatnonzero(regular)
    codes = tuple(column[places] for column in (s.codes, p.codes, o.codes, streams))
    return UsualRows(TRIPLE, places, times.kinds[places], times.values[places], codes, codes[3])


_NAME: Final = "[a-z_][A-Za-z0-9_]*"
# Of IRIs those in which nothing looks like the end of an argument.
_IRI: Final = r"<[A-Za-z][A-Za-z0-9+.\-]*:[!#-'*+.-;=?-\[\]_a-z~\-]*>"
_ARGUMENT: Final = rf"({_NAME}|0|-?[1-9][0-9]{{0,8}}|{_IRI})"
_ATOM: Final = rf"^{_NAME}(\({_ARGUMENT}(, ?{_ARGUMENT})*\))?$"
_RESERVED: Final = r"(^|[(, ])(not|true|false|mod)($|[(),])"


def atom_rows(
    cells: pa.Array, places: Array, times: TimeColumn, among: Mask, terms: TermCodes
) -> list[UsualRows]:
    """Return the rows `among` all that hold a usual atom, one table for each predicate.

    `cells` are the distinct texts (binary), `places` where each row's stands among them.
    """
    usual = mask_of(pc.match_substring_regex(cells, _ATOM)) & ~_reserved(cells)
    parts = _parts(cells.filter(arrow_mask(usual)).cast(pa.string()))
    begins = numbers_of(parts.offsets).astype(np.int64)
    words = parts.values
    heads = words.take(arrow_numbers(begins[:-1])).dictionary_encode()
    arguments = words.dictionary_encode()
    is_argument = np.ones(len(words), np.bool_)
    is_argument[begins[:-1]] = False
    codes = _codes(arguments, is_argument, terms)
    chosen = np.flatnonzero(among & times.readable & usual[places])
    atoms = (np.cumsum(usual) - 1)[places[chosen]]
    arities = np.diff(begins) - 1
    room = int(arities.max(initial=0)) + 1
    kinds = (numbers_of(heads.indices).astype(np.int64) * room + arities)[atoms]
    row_parts = []
    for kind in distinct(kinds).tolist():
        own = kinds == kind
        name, rows, first = heads.dictionary[kind // room].as_py(), chosen[own], begins[atoms[own]] + 1
        columns = tuple(codes[first + place] for place in range(kind % room))
        streams = np.full(len(rows), NO_CODE)
        row_parts.append(
            UsualRows((name, kind % room), rows, times.kinds[rows], times.values[rows], columns, streams)
        )
    return row_parts


Cells = tuple[pa.Array, Array]
"""The distinct texts of a column (binary), and where each row's stands among them."""


def column_rows(
    predicates: Cells, arguments: Sequence[Cells], times: TimeColumn, among: Mask, terms: TermCodes
) -> list[UsualRows]:
    """Return the rows `among` all that hold a usual atom in columns, one table for each signature."""
    names, placed = predicates
    mask = mask_of(pc.match_substring_regex(names, f"^{_NAME}$")) & ~_reserved(names)
    certain, going = among & times.readable & mask[placed], np.ones(len(placed), np.bool_)
    arities, columns = np.zeros(len(placed), np.int64), []
    for texts, places in arguments:
        usual = mask_of(pc.match_substring_regex(texts, f"^{_ARGUMENT}$")) & ~_reserved(texts)
        there = ~mask_of(pc.equal(texts, arrow_text(b"")))[places]
        # After an empty cell there is no argument.
        certain &= ~there | (usual[places] & going)
        going &= there
        arities += there
        codes = np.zeros(len(texts), np.int64)
        codes[usual] = terms.codes(texts.filter(arrow_mask(usual)).cast(pa.string()).to_pylist())
        columns.append(codes[places])
    chosen, room = np.flatnonzero(certain), len(arguments) + 1
    kinds = (placed * room + arities)[chosen]
    row_parts = []
    for kind in distinct(kinds).tolist():
        rows, name = chosen[kinds == kind], names[kind // room].as_py().decode()
        own = tuple(column[rows] for column in columns[: kind % room])
        streams = np.full(len(rows), NO_CODE)
        row_parts.append(
            UsualRows((name, kind % room), rows, times.kinds[rows], times.values[rows], own, streams)
        )
    return row_parts


def _reserved(texts: pa.Array) -> Mask:
    return mask_of(pc.match_substring_regex(texts, _RESERVED))


def _parts(atoms: pa.Array) -> pa.Array:
    """Return for each atom its predicate and arguments."""
    for old, new in ((", ", ","), ("(", ","), (")", "")):
        atoms = pc.replace_substring(atoms, old, new)
    return pc.split_pattern(atoms, ",")


def _codes(words: pa.DictionaryArray, mask: Mask, terms: TermCodes) -> Array:
    """Return the codes of the wanted words, each distinct one read once."""
    places = numbers_of(words.indices).astype(np.int64)
    used = np.zeros(len(words.dictionary), np.bool_)
    used[places[mask]] = True
    codes = np.zeros(len(used), np.int64)
    codes[used] = terms.codes(words.dictionary.filter(arrow_mask(used)).to_pylist())
    return codes[places]
