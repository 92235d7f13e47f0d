"""Traces: timestamped atoms from files, as rows (t, position, seq, predicate, arguments).

`t` is in time points, (position, seq) the order of files and in them, the arguments are
canonical texts; a triple is `striple` of subject, predicate, object and stream ("null": none). A
row whose predicate is None says only that the trace reaches its time. Both ways of reading share
everything but the loop: row by row, and in columns, a file at once or parts of it in Spark's tasks.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, starmap
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lars.durations import MILLISECOND, SECOND
from lars.errors import LarsError, refused
from lars.files import exists
from solver.facts import STANDARD_INPUT, Arguments, Fact, bare, converted, readable
from solver.rdf import canonical
from solver.settings import OnError, TraceOptions
from solver.traces.file_readers import Raw, error_at, read_source
from solver.traces.formats.graphs import NUMBERED, file_number
from solver.traces.summaries import summarise
from solver.traces.survey import WITH_END, Survey, report, survey
from solver.traces.trace_elements import FileFormat, FilePart, TraceFile
from solver.traces.trace_times import Clock, instant_of

if TYPE_CHECKING:
    from solver.traces.formats.mapped_tables import Columns

Row = tuple[int, int, int, str | None, Arguments]


def fact_of_row(row: Row) -> Fact:
    """Return the fact of a row that has a predicate."""
    t, _, _, predicate, arguments = row
    assert predicate is not None, "a row that is only a time is no fact"
    return Fact(t, predicate, arguments)


ACCEPTED: Final = (
    "TriG (.trig), timed N-Triples or N-Quads lines (.nt, .nq), lines of atoms as in 18: near(a). "
    "(.atoms), CSV and Parquet with the columns t, stream, s, p, o or t, atom, a folder of files "
    "data_NN.ttl, a folder of .parquet files"
)
HEAD: Final = 65536
_EXTENSIONS: Final = {
    ".trig": FileFormat.TRIG,
    ".nt": FileFormat.LINES,
    ".nq": FileFormat.LINES,
    ".atoms": FileFormat.ATOMS,
    ".csv": FileFormat.CSV,
    ".parquet": FileFormat.PARQUET,
}


def read_trace_in_process(paths: Sequence[Path], options: TraceOptions) -> list[Row]:
    """Return the rows of a trace; as `read_here`, of its files."""
    return read_here(prepare(paths, options), options)


def read_here(sources: Sequence[TraceFile], options: TraceOptions) -> list[Row]:
    """Return the rows of a trace in arrival order: in a file as they stand there, or sorted by time.

    Several files are merged by time; of one time the files come in the order in which they are given.

    Raises LarsError for what cannot be read, with file, line and column. Skipped lines are kept in
    the side file and counted in a TraceWarning.
    """
    rows = list(checked_rows(sources, options))
    found = survey(summarise(rows, options.unit.nanoseconds), sources, options)
    report(found, (row for row in rows if row.problem is not None), sources, options)
    read = [_row(row, found, options) for row in rows if row.problem is None]
    return sorted(read, key=itemgetter(0)) if options.sort or len(sources) > 1 else read


_BYTES: Final = {
    FileFormat.TRIG: 150,
    FileFormat.TURTLE: 100,
    FileFormat.ATOMS: 20,
    FileFormat.LINES: 150,
    FileFormat.CSV: 150,
}
"""About so many bytes an input atom takes in a file of each format."""


def estimated_size(source: TraceFile) -> int:
    """Return about how many input atoms a file has, from its size; of Parquet it is exact."""
    if source.format is FileFormat.PARQUET:
        return sum(_row_groups(source))
    return source.file.stat().st_size // _BYTES[source.format]


def _row_groups(source: TraceFile) -> list[int]:
    # Tables load Arrow, which other formats do not need.
    from solver.traces.formats.tables import row_groups

    return row_groups(source)


_LEAST: Final = 2**16
_MOST: Final = 2**20
"""About so many atoms at least, and at most, what a task reads has when there are many tasks."""
_CUTS: Final = 4
"""Into so many parts a row group is cut at most: each of them reads it from its beginning."""


def file_parts(sources: Sequence[TraceFile], at_least: int) -> list[tuple[FilePart, ...]]:
    """Return what tasks read, parts of files, of small ones several: `at_least` so many of a large trace."""
    sizes = [estimated_size(source) for source in sources]
    each = max(_LEAST, min(_MOST, sum(sizes) // at_least))
    tasks: list[tuple[FilePart, ...]] = []
    room = 0
    for source, size in zip(sources, sizes, strict=True):
        parts = list(_parts(source, size, each))
        for part in parts:
            own = size // len(parts)
            if not tasks or own > room:
                tasks.append(())
                room = each
            tasks[-1] += (part,)
            room -= own
    return tasks


def _parts(source: TraceFile, atoms: int, each: int) -> Iterator[FilePart]:
    match source.format:
        case FileFormat.TRIG | FileFormat.TURTLE:
            borders = []
        case FileFormat.PARQUET:
            borders = [*_row_borders(_row_groups(source), each)]
        case _:
            length, count = source.file.stat().st_size, atoms // each
            borders = [length * number // count for number in range(1, count)]
    yield from starmap(partial(FilePart, source), pairwise([0, *borders, None]))


def _row_borders(groups: Sequence[int], each: int) -> Iterator[int]:
    """Yield where a table is cut: between row groups where that will do."""
    begin, last, rows = 0, 0, sum(groups)
    for group in groups:
        count = min(_CUTS, max(1, group // each))
        for number in range(1, count + 1):
            border = begin + group * number // count
            if border - last >= each and rows - border >= each // 2:
                yield border
                last = border
        begin += group


def prepare(paths: Sequence[Path], options: TraceOptions) -> tuple[TraceFile, ...]:
    """Return the files of the trace after checking the options against them."""
    if options.on_error is OnError.SKIP and options.rejected is None:
        raise LarsError("skipping bad lines needs a file that keeps them: name one")
    unknown = [str(path) for path in options.streams if path not in paths]
    if unknown:
        raise LarsError(f"streams are named for files that the trace does not have: {', '.join(unknown)}")
    return sources_of(paths, options)


def checked_rows(sources: Sequence[TraceFile], options: TraceOptions) -> Iterator[Raw]:
    """Yield the rows of files one by one, rejected ones too; raise for the first that cannot be skipped."""
    for source in sources:
        for row, place in read_source(source):
            # A rejected row that cannot be skipped: no need to read on.
            if row.problem is not None and (row.fatal or options.on_error is OnError.STOP):
                raise error_at(source, place, row.problem)
            yield row


def _row(row: Raw, found: Survey, options: TraceOptions) -> Row:
    return found.time_of(row, options.unit), row.position, row.seq, row.predicate, row.arguments


def sources_of(paths: Sequence[Path], options: TraceOptions) -> tuple[TraceFile, ...]:
    """Return the files of a trace in arrival order; folders give their files in number order."""
    if not paths:
        raise LarsError(f"no trace given; accepted: {ACCEPTED}")
    listed = [(given, file) for given in paths for file in _files(given)]
    seen: set[Path] = set()
    for _, file in listed:
        if file.resolve() in seen:
            raise LarsError(f"{file}: the trace names this file twice")
        seen.add(file.resolve())
    return tuple(_source(index, given, file, options) for index, (given, file) in enumerate(listed))


def _files(path: Path) -> list[Path]:
    if path == STANDARD_INPUT:
        return [path]
    if not exists(path):
        raise LarsError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        return [path]
    inside = sorted(file for file in path.iterdir() if file.is_file())
    turtle = [file for file in inside if bare(file).suffix == ".ttl"]
    if turtle:
        for file in turtle:
            if not NUMBERED.fullmatch(bare(file).name):
                raise LarsError(
                    f"{file}: found no time in the file's name; accepted in a folder: data_NN.ttl"
                )
        return sorted(turtle, key=file_number)
    tables = [file for file in inside if file.suffix == ".parquet" and file.name[0] not in "._"]
    if not tables:
        raise LarsError(f"{path}: the folder holds no trace; accepted: {ACCEPTED}")
    return tables


def _source(index: int, given: Path, file: Path, options: TraceOptions) -> TraceFile:
    plain = readable(file)
    head = _head(file, plain, empty=options.ends and bare(file).suffix.lower() != ".parquet")
    lines = _whole_lines(head)
    kind = _format(file, head, lines)
    loose = _is_loose(lines) if kind is FileFormat.LINES and options.trace_unit is None else None
    default = MILLISECOND if loose else SECOND if kind is FileFormat.TURTLE else options.unit
    origin = None if options.origin is None else instant_of(options.origin)
    named = options.streams.get(file, options.streams.get(given))
    columns = dict(options.columns)
    mapping = columns.get(named, columns.get(None)) if kind in (FileFormat.CSV, FileFormat.PARQUET) else None
    is_mapped = mapping is not None and not _is_trace(kind, plain, lines)
    if is_mapped:
        kind, plain = FileFormat.PARQUET, _mapped(str(file), plain, mapping or (), options)
    if named and kind is FileFormat.ATOMS:
        raise LarsError(f"{file}: atoms belong to no stream; accepted: --stream for files of RDF")
    candidates = () if named else options.query_streams
    if len(candidates) == 1:
        named = candidates[0]
    return TraceFile(
        index,
        str(file),
        kind,
        Clock(options.unit, options.trace_unit or default, origin),
        None if named is None else canonical(f"<{named}>"),
        candidates,
        _header(file, lines) if kind is FileFormat.CSV and head else (),
        loose,
        _prefixes(kind, plain, options),
        None if plain == file else plain,
        is_mapped,
    )


def _is_loose(lines: Sequence[str]) -> bool:
    from solver.traces.formats.quad_lines import is_loose

    return is_loose(lines)


def _is_trace(kind: FileFormat, plain: Path, lines: Sequence[str]) -> bool:
    """Return whether a table has the columns of a trace."""
    from solver.traces.formats.tables import is_header, is_trace_table

    return is_header(lines[0]) if kind is FileFormat.CSV else is_trace_table(plain)


def _header(file: Path, lines: Sequence[str]) -> tuple[str, ...]:
    from solver.traces.formats.tables import read_header

    return read_header(str(file), lines[0])


def _mapped(path: str, plain: Path, mapping: "Columns", options: TraceOptions) -> Path:
    """Return the triples of a table whose columns a mapping explains."""
    from solver.traces.formats.mapped_tables import write_mapped

    how = mapping, options.prefixes
    return converted(plain, how, partial(write_mapped, path, plain, mapping, dict(options.prefixes)))


def _prefixes(kind: FileFormat, plain: Path, options: TraceOptions) -> tuple[tuple[str, str], ...]:
    """Return the prefixes of a file: those at its head, or those given for tables."""
    if kind is FileFormat.ATOMS:
        from solver.traces.formats.atom_lines import head_prefixes

        return head_prefixes(plain)
    return options.prefixes if kind in (FileFormat.CSV, FileFormat.PARQUET) else ()


def _head(file: Path, plain: Path, *, empty: bool) -> bytes:
    try:
        with plain.open("rb") as reader:
            head = reader.read(HEAD)
    except OSError as error:
        raise refused(file, error, "cannot be read") from None
    if not head and not empty:
        raise LarsError(f"{file}: the file is empty; accepted: {ACCEPTED}{WITH_END}")
    return head


def _whole_lines(head: bytes) -> list[str]:
    lines = head.decode("utf-8-sig", "replace").split("\n")
    return [line.rstrip("\r") for line in (lines if len(head) < HEAD else lines[:-1] or lines)]


def _format(file: Path, head: bytes, lines: Sequence[str]) -> FileFormat:
    name = bare(file)
    if NUMBERED.fullmatch(name.name):
        return FileFormat.TURTLE
    if name.suffix == ".ttl":
        raise LarsError(f"{file}: a Turtle file holds no times; name it data_NN.ttl, or write TriG")
    if known := _EXTENSIONS.get(name.suffix.lower()):
        return known
    if not head:
        return FileFormat.LINES
    if head.startswith(b"PAR1"):
        return FileFormat.PARQUET
    if _is_trace(FileFormat.CSV, file, lines):
        return FileFormat.CSV
    # Each format is loaded once a file may have it.
    from solver.traces.formats.atom_lines import is_atoms
    from solver.traces.formats.quad_lines import is_timed

    if is_atoms(lines):
        return FileFormat.ATOMS
    if is_timed(lines):
        return FileFormat.LINES
    if b"generatedAtTime" in head or re.search(rb"^\s*(@prefix|PREFIX)\s", head, re.MULTILINE):
        return FileFormat.TRIG
    raise LarsError(f"{file}: neither the name nor the content tells the format; accepted: {ACCEPTED}")
