"""Cells of tables, CSV and Parquet, read exactly: columns t, stream, s, p, o as in N-Triples, or t, atom."""

from collections.abc import Callable, Mapping
from typing import Final

from lars.errors import PlacedError
from solver.rdf import NotATerm, canonical, unquoted
from solver.traces.formats.atom_lines import Written, cell_atom
from solver.traces.rows import ATOMS, TracedAtom, check_roles
from solver.traces.trace_files import TraceFile, reading
from solver.traces.trace_times import Instant, Malformed, TimeKind, cell_time

COLUMNS: Final = ("t", "stream", "s", "p", "o")
ATOM_COLUMNS: Final = ("t", "atom")
ACCEPTED_TABLE: Final = (
    "t as integer, text, date or timestamp; stream (optional), s, p and o as text, o as number, boolean, "
    "date or timestamp too, or atom as text"
)
MAPPED: Final = (
    "or columns of your own, explained: --column t={time} --column s=ex:{bike} .. "
    "--prefix ex=http://example.org/ (lars init guesses them)"
)

Cell = tuple[object, int, int | None]
"""What a row holds in a column, where, and how many quotes open it there; None: it is in no line."""


def read_cells(source: TraceFile, cells: Mapping[str, Cell]) -> TracedAtom:
    """Return what the cells of a row say, by the names of their columns; raise Malformed."""
    column = cells["t"][1]
    written = _written(cells["t"])
    prefixes = dict(source.prefixes)
    if "atom" in cells:
        atom = _atom(cells["atom"], prefixes)
        return TracedAtom(0, source.stamped(written, column), ATOMS, *(atom or (None, ())))
    triple = (_term(cells, "s", prefixes), _term(cells, "p", prefixes), _term(cells, "o", prefixes))
    check_roles(triple, [cells[name][1] for name in "spo"])
    own = _term(cells, "stream", prefixes) if "stream" in cells and cells["stream"][0] else None
    if own is not None and not own.startswith("<"):
        raise Malformed("found no IRI as stream; accepted: an <iri>", cells["stream"][1])
    return reading(source, written, own, triple, column)


def _written(cell: Cell) -> Instant:
    written, column, _ = cell
    match written:
        case int() as value:
            return Instant(TimeKind.INTEGER, value)
        case str() as value:
            try:
                return cell_time(value)
            except Malformed as error:
                raise error.at(column) from None
        case value:
            raise Malformed(f"found {value!r} as t; accepted: {ACCEPTED_TABLE}")


def _atom(cell: Cell, prefixes: Mapping[str, str]) -> Written | None:
    value, column, quotes = cell
    text = "" if value is None else value
    if not isinstance(text, str):
        raise Malformed(f"found {text!r} as atom; accepted: {ACCEPTED_TABLE}", column)
    try:
        return cell_atom(text, prefixes)
    except PlacedError as error:
        before = text[: error.place.column - 1]
        inside = 0 if quotes is None else len(before) + quotes * (1 + before.count('"'))
        raise Malformed(error.problem, column + inside) from None


def _term(cells: Mapping[str, Cell], name: str, prefixes: Mapping[str, str]) -> str:
    text, column, _ = cells[name]
    if not isinstance(text, str):
        raise Malformed(f"found {text!r} as {name}; accepted: {ACCEPTED_TABLE}", column)
    try:
        return _canonical(text, prefixes)
    except NotATerm as error:
        raise Malformed(f"{error}, or a bare absolute IRI", column) from None


def _canonical(text: str, prefixes: Mapping[str, str]) -> str:
    """Return the canonical text of a cell: a term as in N-Triples, an IRI, bare or shortened, a number."""
    if text[:1] in ("<", '"', "_") or ":" not in text:
        return canonical(unquoted(text) or text)
    prefix, _, local = text.partition(":")
    shortened = prefix in prefixes and not local.startswith("//")
    return canonical(f"<{prefixes[prefix]}{local}>" if shortened else f"<{text}>")


def cell_terms(
    source: TraceFile,
) -> Callable[[str], str | None]:
    """Return what reads the terms of cells as canonical texts, None for what is no term."""
    prefixes = dict(source.prefixes)

    def read(text: str) -> str | None:
        try:
            return _canonical(text, prefixes)
        except NotATerm:
            return None

    return read
