"""Rows of tables in CSV and Parquet, read one by one or in blocks.

Triples have the columns t, stream, s, p, o, with terms as in N-Triples. Atoms have the columns t, atom, or t,
predicate, arg1, arg2 ..; the arguments end before empty cells.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from lars.errors import PlacedError
from solver.columns import TermCodes
from solver.rdf import NotATerm, data_text, is_triple_term, short, unquote
from solver.traces import input_files
from solver.traces.formats.atom_lines import AtomText, cell_atom
from solver.traces.trace_times import NO_TIME, SKIPPING, Instant, MalformedPart, TimeKind, cell_time

if TYPE_CHECKING:
    from solver.traces.formats.cell_columns import Cells, TimeColumn

COLUMNS: Final = ("t", "stream", "s", "p", "o")
ATOM_COLUMNS: Final = ("t", "atom")
PREDICATE_COLUMNS: Final = ("t", "predicate")
ARGUMENT: Final = re.compile(r"arg[1-9][0-9]{0,3}")
ACCEPTED_TABLE: Final = (
    "t as integer, text, date or timestamp; stream (optional), s, p and o as text, o as number, boolean, "
    "date or timestamp too, or atom as text, or predicate as text and arg1, arg2 .. as text or integer"
)
OTHER_TIMES: Final = ("time", "timestamp", "datetime", "date", "when", "at", "ts")
"""Names of columns of times in tables of other programs."""
MAPPED: Final = (
    "or map other columns with options such as --column t={time}, --column s=ex:{bike} and "
    "--prefix ex=http://example.org/ (lars init guesses this mapping)"
)

Cell = tuple[object, int, int | None]
"""The content of a cell, its column in the line, and the number of opening quotes.

The last number is None if the cell is not from a line.
"""


def argument_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns arg1, arg2 and so on, which contain arguments of atoms, in the order of numbers."""
    return tuple(sorted(filter(ARGUMENT.fullmatch, names), key=lambda name: int(name[3:])))


def atom_columns(names: Iterable[str]) -> tuple[str, ...] | None:
    """Return the columns that form atoms; None if a column is missing between argument columns."""
    arguments = argument_columns(names)
    if arguments and arguments[-1] != f"arg{len(arguments)}":
        return None
    return *PREDICATE_COLUMNS, *arguments


def read_cells(source: input_files.TraceFile, cells: Mapping[str, Cell]) -> list[input_files.TracedAtom]:
    """Return the atoms of a row, given its cells by column name.

    Raises:
        MalformedPart: A cell is invalid.
    """
    column = cells["t"][1]
    written = _written(cells["t"])
    prefixes = dict(source.prefixes)
    if "atom" in cells or "predicate" in cells:
        is_whole = "atom" in cells
        atom = _atom_of(cells["atom"], "atom", prefixes) if is_whole else _atom_in_columns(cells, prefixes)
        return [
            input_files.TracedAtom(source.stamped(written, column), input_files.ATOMS, *(atom or (None, ())))
        ]
    triple = (_term(cells, "s", prefixes), _term(cells, "p", prefixes), _term(cells, "o", prefixes))
    input_files.check_roles(triple, [cells[name][1] for name in "spo"])
    own = _term(cells, "stream", prefixes) if "stream" in cells and cells["stream"][0] else None
    if own is not None and (not own.startswith("<") or is_triple_term(own)):
        raise MalformedPart("found no IRI as stream; expected an <iri>", cells["stream"][1])
    return input_files.element_atoms(source, written, own, [triple], column)


def _written(cell: Cell) -> Instant:
    written, column, _ = cell
    match written:
        case int() as value:
            return Instant(TimeKind.INTEGER, value)
        case str() as value:
            try:
                return cell_time(value)
            except MalformedPart as error:
                raise error.at(column) from None
        case None:
            raise MalformedPart(NO_TIME, no_time=True)
        case value:
            raise MalformedPart(_no_text(value, "t"))


def _no_text(value: object, name: str) -> str:
    """Return the problem with the cell of a column that contains no text, or the empty text."""
    if isinstance(value, bytes):
        return f"the column {name} has bytes that are not valid UTF-8; expected UTF-8"
    if value is None or value == "":
        return f"the column {name} has no value; expected a term in each row, or {SKIPPING}"
    return f"found {value!r} as {name}; expected {ACCEPTED_TABLE}"


def _atom_of(cell: Cell, name: str, prefixes: Mapping[str, str], around: str = "{}") -> AtomText | None:
    """Return the atom in a cell; the text of the cell replaces {} in `around`."""
    value, column, quotes = cell
    text = "" if value is None else value
    if not isinstance(text, str):
        raise MalformedPart(_no_text(text, name), column)
    opening = around.index("{}")
    try:
        return cell_atom(around.replace("{}", text), prefixes)
    except PlacedError as error:
        before = text[: max(error.place.column - 1 - opening, 0)]
        inside = 0 if quotes is None else len(before) + quotes * (1 + before.count('"'))
        raise MalformedPart(error.problem, column + inside) from None


def _atom_in_columns(cells: Mapping[str, Cell], prefixes: Mapping[str, str]) -> AtomText | None:
    names = argument_columns(cells)
    filled = [cells[name][0] not in (None, "") for name in names]
    count = sum(filled)
    if not all(filled[:count]):
        late = names[max(place for place, flag in enumerate(filled) if flag)]
        problem = (
            f"found {late} without {names[filled.index(False)]}; expected empty cells after the arguments"
        )
        raise MalformedPart(problem, cells[late][1])
    if cells["predicate"][0] in (None, ""):
        if count:
            problem = (
                "found arguments without a predicate; expected a predicate and its arguments, or an empty"
                " row, which means a time without atoms"
            )
            raise MalformedPart(problem, cells["predicate"][1])
        return None
    head = _atom_of(cells["predicate"], "predicate", prefixes)
    if head is None or head[1]:
        found = short(str(cells["predicate"][0]))
        raise MalformedPart(
            f"found {found}; expected a predicate without arguments, such as the word near",
            cells["predicate"][1],
        )
    arguments = [_argument(cells[name], name, prefixes) for name in names[:count]]
    return head[0], tuple(arguments)


def _argument(cell: Cell, name: str, prefixes: Mapping[str, str]) -> str:
    atom = _atom_of(cell, name, prefixes, "p({})")
    if atom is None or len(atom[1]) != 1:
        problem = f"found {short(str(cell[0]))} as {name}; expected one argument of an atom"
        raise MalformedPart(problem, cell[1])
    return atom[1][0]


def _term(cells: Mapping[str, Cell], name: str, prefixes: Mapping[str, str]) -> str:
    text, column, _ = cells[name]
    if not isinstance(text, str) or not text:
        raise MalformedPart(_no_text(text, name), column)
    try:
        return cell_term(prefixes, text)
    except NotATerm as error:
        raise MalformedPart(f"{error}, or a bare absolute IRI", column) from None


def cell_term(prefixes: Mapping[str, str], text: str) -> str:
    """Return the canonical text of the term in a cell: in N-Triples, a bare or prefixed IRI, or a number."""
    if text[:1] in ("<", '"', "_") or ":" not in text:
        return data_text(unquote(text) or text)
    prefix, _, local = text.partition(":")
    shortened = prefix in prefixes and not local.startswith("//")
    return data_text(f"<{prefixes[prefix]}{local}>" if shortened else f"<{text}>")


def table_rows(
    source: input_files.TraceFile,
    names: Sequence[str],
    cells: "Callable[[str], Cells]",
    times: "TimeColumn",
    terms: TermCodes,
) -> list[input_files.RowColumns]:
    """Return the rows of a table that are certainly triples or atoms.

    The argument `names` contains the names of the table's columns. The function `cells` returns the cells of
    a column.
    """
    from solver.traces.formats import cell_columns

    if "atom" in names:
        return cell_columns.atom_rows(cells("atom"), times, terms)
    if "predicate" in names:
        arguments = [cells(name) for name in argument_columns(names)]
        return cell_columns.predicate_rows(cells("predicate"), arguments, times, terms)
    read = partial(cell_term, dict(source.prefixes))
    given = [name for name in ("s", "p", "o", "stream") if name in names]
    # Objects are mostly subjects too: each text is read once for all columns.
    every = [cells(name) for name in given]
    texts, places = cell_columns.shared_texts([own for own, _ in every])
    whole = cell_columns.read_terms(source, texts, read, terms, bare=not source.prefixes)
    columns = [whole.at(numbers).at(own) for numbers, (_, own) in zip(places, every, strict=True)]
    if "stream" not in given:
        columns.append(cell_columns.TermColumn.of_nulls(len(times.values)))
    return [cell_columns.triple_rows(source, terms, times, columns)]
