"""Traces in tables, CSV and Parquet: columns t, stream, s, p, o with terms as in N-Triples; or of atoms.

These have t, atom, or t, predicate, arg1, arg2 ..: an atom has as many arguments as its row has before
empty cells.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from lars.errors import LarsError, Place, PlacedError
from solver.rdf import NotATerm, canonical, short, unquoted
from solver.traces.formats.atom_lines import Written, cell_atom
from solver.traces.formats.typed_columns import is_dated, is_text, is_typed, literals, moment_texts, moments
from solver.traces.trace_elements import ATOMS, FilePart, TracedAtom, TraceFile, check_roles, reading
from solver.traces.trace_times import Instant, Malformed, TimeKind, cell_time

COLUMNS: Final = ("t", "stream", "s", "p", "o")
ATOM_COLUMNS: Final = ("t", "atom")
_PREDICATE_COLUMNS: Final = ("t", "predicate")
_ARGUMENT: Final = re.compile(r"arg[1-9][0-9]{0,3}")
ACCEPTED_TABLE: Final = (
    "t as integer, text, date or timestamp; stream (optional), s, p and o as text, o as number, boolean, "
    "date or timestamp too, or atom as text, or predicate as text and arg1, arg2 .. as text or integer"
)
MAPPED: Final = (
    "or columns of your own, explained: --column t={time} --column s=ex:{bike} .. "
    "--prefix ex=http://example.org/ (lars init guesses them)"
)
_BATCH: Final = 2**17
_NUMBERS: Final = {"t": 1, "stream": 2, "s": 3, "p": 4, "o": 5, "atom": 2, "predicate": 2}

_FIELD = re.compile(r'(?:"(?P<quoted>[^"]*(?:""[^"]*)*)"|(?P<plain>[^",]*))(?P<end>,|$)')


Cell = tuple[object, int, int | None]
"""What a row holds in a column, where, and how many quotes open it there; None: it is in no line."""


def write_table(source: Any, path: Path) -> Path:
    """Write what hands itself over in Arrow's form as a Parquet file; raise LarsError where it cannot be."""
    try:
        table = pa.table(source)
        columns = [_storable(column) for column in table.itercolumns()]
        pq.write_table(pa.table(columns, table.schema.names), path)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise LarsError(f"{path}: cannot be read: {short(str(error))}; accepted: {ACCEPTED_TABLE}") from None
    return path


def _storable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as Parquet keeps it: the views of polars' categories are texts there."""
    kind = column.type
    if not pa.types.is_dictionary(kind) or not pa.types.is_string_view(kind.value_type):
        return column
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.string()))
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, pa.dictionary(kind.index_type, pa.string()))


def arrow_table(frame: Any) -> pa.Table:
    """Return a data frame of pandas as a table, without an index."""
    return pa.Table.from_pandas(frame, preserve_index=False)


def argument_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns among these that hold arguments of atoms, in the order of their numbers."""
    return tuple(sorted(filter(_ARGUMENT.fullmatch, names), key=lambda name: int(name[3:])))


def _atom_columns(names: Iterable[str]) -> tuple[str, ...] | None:
    """Return the columns of names that make up atoms; None: there is a gap between those of arguments."""
    arguments = argument_columns(names)
    if arguments and arguments[-1] != f"arg{len(arguments)}":
        return None
    return *_PREDICATE_COLUMNS, *arguments


def is_header(line: str) -> bool:
    """Return whether a line is the header of a CSV trace; a column without a name is pandas' index."""
    listed = [name.strip() for name in line.removeprefix(",").split(",")]
    if len(names := set(listed)) < len(listed):
        return False
    known = (set(COLUMNS), set(COLUMNS) - {"stream"}, set(ATOM_COLUMNS))
    return names in known or names == set(_atom_columns(names) or ())


def is_trace_table(file: Path) -> bool:
    """Return whether a Parquet file has the columns of a trace."""
    try:
        names = set(pq.read_schema(file).names)
    except (pa.ArrowInvalid, OSError):
        return True  # its reader says what is accepted
    return any(names >= set(one) for one in (ATOM_COLUMNS, _PREDICATE_COLUMNS, {*COLUMNS} - {"stream"}))


def read_header(path: str, line: str) -> tuple[str, ...]:
    """Return the column names of a CSV trace in their order; raise when it is no header."""
    if not is_header(line):
        accepted = (
            "the columns t, stream, s, p, o, or t, atom, or t, predicate, arg1, arg2 .., in any order; "
            f"{MAPPED}"
        )
        problem = f"found {short(line)} as header; accepted: {accepted}"
        raise PlacedError(Place(path, 1, 1, line), problem)
    return tuple(name.strip() for name in line.split(","))


def read_record(source: TraceFile, line: str) -> TracedAtom | None:
    """Return what a line of a CSV file says, None for an empty line; raise Malformed."""
    if not line:
        return None
    fields = _fields(line)
    if len(fields) != len(source.header):
        accepted = f"{len(source.header)}, as in the header {','.join(source.header)}"
        raise Malformed(f"found {len(fields)} fields; accepted: {accepted}", fields[-1][1])
    return _read_cells(source, dict(zip(source.header, fields, strict=True)))


def _fields(line: str) -> list[Cell]:
    found: list[Cell] = []
    at = 0
    while True:
        match = _FIELD.match(line, at)
        if match is None:
            raise Malformed(
                f"found {short(line[at:])}; accepted: a field without quotes or commas, or in quotes on one "
                'line with each inner quote doubled, as in """text"""',
                at + 1,
            )
        quoted = match["quoted"]
        text = match["plain"] if quoted is None else quoted.replace('""', '"')
        found.append((text, at + 1, int(quoted is not None)))
        at = match.end()
        if not match["end"]:
            return found


def read_row(source: TraceFile, record: Mapping[str, Any]) -> TracedAtom | Malformed:
    """Return what a row of a Parquet file says; a fault's column is the number of the column."""
    try:
        return _read_cells(source, {name: (value, _number(name), None) for name, value in record.items()})
    except Malformed as error:
        return error


def _number(name: str) -> int:
    return _NUMBERS[name] if name in _NUMBERS else 2 + int(name[3:])


def _read_cells(source: TraceFile, cells: Mapping[str, Cell]) -> TracedAtom:
    column = cells["t"][1]
    written = _written(cells["t"])
    prefixes = dict(source.prefixes)
    if "atom" in cells:
        atom = _atom(cells["atom"], prefixes)
        return TracedAtom(0, source.stamped(written, column), ATOMS, *(atom or (None, ())))
    if "predicate" in cells:
        atom = _atom_in_columns(cells, prefixes)
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
    return _atom_of(cell, "atom", prefixes)


def _atom_of(cell: Cell, name: str, prefixes: Mapping[str, str], around: str = "{}") -> Written | None:
    """Return the atom that a cell is, in the place of {} in the text around it."""
    value, column, quotes = cell
    text = "" if value is None else value
    if not isinstance(text, str):
        raise Malformed(f"found {text!r} as {name}; accepted: {ACCEPTED_TABLE}", column)
    opening = around.index("{}")
    try:
        return cell_atom(around.replace("{}", text), prefixes)
    except PlacedError as error:
        before = text[: max(error.place.column - 1 - opening, 0)]
        inside = 0 if quotes is None else len(before) + quotes * (1 + before.count('"'))
        raise Malformed(error.problem, column + inside) from None


def _atom_in_columns(cells: Mapping[str, Cell], prefixes: Mapping[str, str]) -> Written | None:
    names = argument_columns(cells)
    given = [cells[name][0] not in (None, "") for name in names]
    count = sum(given)
    if not all(given[:count]):
        late = names[max(place for place, one in enumerate(given) if one)]
        problem = (
            f"found {late} without {names[given.index(False)]}; accepted: empty cells after the arguments"
        )
        raise Malformed(problem, cells[late][1])
    if cells["predicate"][0] in (None, ""):
        if count:
            problem = "found arguments without a predicate; accepted: both, or an empty row, which is a time"
            raise Malformed(problem, cells["predicate"][1])
        return None
    head = _atom_of(cells["predicate"], "predicate", prefixes)
    if head is None or head[1]:
        found = short(str(cells["predicate"][0]))
        raise Malformed(f"found {found}; accepted: a predicate alone, as near", cells["predicate"][1])
    arguments = [_argument(cells[name], name, prefixes) for name in names[:count]]
    return head[0], tuple(arguments)


def _argument(cell: Cell, name: str, prefixes: Mapping[str, str]) -> str:
    atom = _atom_of(cell, name, prefixes, "p({})")
    if atom is None or len(atom[1]) != 1:
        problem = f"found {short(str(cell[0]))} as {name}; accepted: one argument of an atom"
        raise Malformed(problem, cell[1])
    return atom[1][0]


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


def table_columns(source: TraceFile) -> tuple[str, ...]:
    """Return the columns to read of a Parquet file; raise when they are not a trace's."""
    try:
        schema = pq.read_schema(source.file)
    except (pa.ArrowInvalid, OSError) as error:
        raise LarsError(f"{source.path}: no Parquet file: {error}") from None
    wanted = _wanted(source, schema.names)
    missing = [name for name in wanted if name not in (*schema.names, "stream")]
    if missing:
        found = f"no column {', '.join(missing)} among {short(', '.join(schema.names))}"
        raise LarsError(f"{source.path}: {found}; accepted: {ACCEPTED_TABLE}; {MAPPED}")
    if twice := [name for name in wanted if schema.names.count(name) > 1]:
        raise LarsError(f"{source.path}: two columns {', '.join(twice)}; accepted: {ACCEPTED_TABLE}")
    present = tuple(name for name in wanted if name in schema.names)
    for name in present:
        if not _fits(name, schema.field(name).type):
            found = f"the column {name} is {schema.field(name).type}"
            raise LarsError(f"{source.path}: {found}; accepted: {ACCEPTED_TABLE}")
    return present


def _wanted(source: TraceFile, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that a trace with columns of these names has; there may be others beside them."""
    if "s" in names or not {"atom", "predicate"} & set(names):
        return COLUMNS
    if "atom" in names:
        return ATOM_COLUMNS
    if (found := _atom_columns(names)) is None:
        gap = next(name for number, name in enumerate(argument_columns(names), 1) if name != f"arg{number}")
        problem = f"the column {gap}, but none before it"
        raise LarsError(f"{source.path}: {problem}; accepted: {ACCEPTED_TABLE}")
    return found


def _fits(name: str, kind: pa.DataType) -> bool:
    if is_text(kind):
        return True
    if _ARGUMENT.fullmatch(name):
        return bool(pa.types.is_integer(kind) or pa.types.is_null(kind))
    if name == "t":
        return pa.types.is_integer(kind) or is_dated(kind)
    return name == "o" and is_typed(kind)


def row_groups(source: TraceFile) -> list[int]:
    """Return how many rows each row group of a Parquet file has; raise when it is none."""
    table_columns(source)
    return _sizes(pq.read_metadata(source.file))


def _sizes(metadata: Any) -> list[int]:
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def table_records(source: TraceFile) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file in order."""
    for batch in table_batches(FilePart(source), 2**12):
        yield from batch_records(batch)


def table_batches(part: FilePart, rows: int | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a part of a Parquet file in order, so many at once, with texts as dictionaries."""
    source = part.source
    columns = list(table_columns(source))
    schema = pq.read_schema(source.file)
    texts = [name for name in columns if is_text(schema.field(name).type)]
    try:
        with pq.ParquetFile(source.file, read_dictionary=texts) as file:
            groups, at, end = _row_groups(file.metadata, part)
            for batch in file.iter_batches(rows or _BATCH, groups, columns):
                if at >= end:
                    return
                # Row groups are read whole.
                before = max(part.begin - at, 0)
                if before < batch.num_rows:
                    yield _plain(batch.slice(before, end - at - before))
                at += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise LarsError(f"{source.path}: cannot be read: {short(str(error))}") from None


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows with texts, as dictionaries, for all but the times: typed columns hold literals."""
    columns = [_plain_column(name, batch.column(name)) for name in batch.schema.names]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _plain_column(name: str, column: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(column.type) and not pa.types.is_string(column.type.value_type):
        texts = column.dictionary.cast(pa.binary()).view(pa.string())
        return pa.DictionaryArray.from_arrays(column.indices, texts)
    if is_text(column.type):
        return column
    if _ARGUMENT.fullmatch(name):
        return column.cast(pa.string())  # a number of the logic
    return moments(column) if name == "t" else literals(column)


def _row_groups(metadata: Any, part: FilePart) -> tuple[list[int], int, int]:
    """Return the row groups that have rows of a part, the first row of these, and the end of the part."""
    end = metadata.num_rows if part.end is None else part.end
    begins = [0, *accumulate(_sizes(metadata))]
    groups = [i for i, (a, b) in enumerate(pairwise(begins)) if a < end and part.begin < b]
    return groups, begins[groups[0]] if groups else 0, end


def batch_records(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch; a text that is no UTF-8 stays bytes, and moments are those of UTC."""
    dated = [pa.types.is_timestamp(column.type) for column in batch.columns]
    columns = [moment_texts(one) if is_one else one for one, is_one in zip(batch.columns, dated, strict=True)]
    batch = pa.RecordBatch.from_arrays(columns, batch.schema.names)
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        for row in range(batch.num_rows):
            yield {name: _cell(batch.column(name)[row]) for name in batch.schema.names}


def _cell(found: Any) -> Any:
    try:
        return found.as_py()
    except UnicodeDecodeError:
        text = found.value if isinstance(found, pa.DictionaryScalar) else found
        return text.as_buffer().to_pybytes()
