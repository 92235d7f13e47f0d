"""The files of a trace: found, their formats recognised, described, and cut into parts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lars.errors import LarsError, system_error
from lars.files import exists
from solver.facts import STANDARD_INPUT, bare, converted_file, readable
from solver.rdf import canonical
from solver.settings import OnError, TraceOptions
from solver.traces.formats.graphs import NUMBERED, NumberedTurtle, TrigFile, file_number
from solver.traces.rows import Raw
from solver.traces.survey import WITH_END
from solver.traces.trace_files import ARROW, FileFormat, FileHead, FilePart, TraceFile, is_json_row
from solver.traces.trace_times import Clock, instant_of

if TYPE_CHECKING:
    from solver.traces.formats.mapped_tables import Columns

HEAD: Final = 65536
ACCEPTED: Final = (
    "TriG (.trig), timed N-Triples or N-Quads lines (.nt, .nq), lines of atoms as in 18: near(a). "
    "(.atoms), CSV, Parquet, Arrow and JSON lines with the columns t, stream, s, p, o or t, atom, a folder "
    "of files data_NN.ttl, a folder of .parquet files"
)
BINARY: Final = (".parquet", ".arrow", ".feather")
"""Files of these names have content where they have no row, too."""


def format_of(head: FileHead) -> FileFormat:
    """Return the format of a file; raises LarsError where neither its name nor its content tells."""
    name = bare(head.path)
    if NUMBERED.fullmatch(name.name):
        return NumberedTurtle()
    if name.suffix == ".ttl":
        raise LarsError(f"{head.path}: a Turtle file holds no times; name it data_NN.ttl, or write TriG")
    return _of_extension(name.suffix.lower()) or _of_content(head)


def _of_extension(extension: str) -> FileFormat | None:
    """Return the format that the name says; it is loaded with the first file that has it."""
    match extension:
        case ".trig":
            return TrigFile()
        case ".nt" | ".nq":
            from solver.traces.formats.quad_lines import QuadLines

            return QuadLines()
        case ".atoms":
            from solver.traces.formats.atom_lines import AtomLines

            return AtomLines()
        case ".csv":
            from solver.traces.formats.csv_lines import CsvLines

            return CsvLines()
        case ".parquet":
            from solver.traces.formats.tables import ParquetTable

            return ParquetTable()
        case ".arrow" | ".feather":
            from solver.traces.formats.arrow_files import ArrowFile

            return ArrowFile()
        case ".ndjson" | ".jsonl":
            from solver.traces.formats.arrow_files import JsonTable

            return JsonTable()
        case _:
            return None


def _of_content(head: FileHead) -> FileFormat:
    from solver.traces.formats.atom_lines import AtomLines, is_atoms
    from solver.traces.formats.csv_lines import CsvLines, is_header
    from solver.traces.formats.quad_lines import QuadLines, is_timed

    if not head.start:
        return QuadLines()
    if head.start.startswith(b"PAR1"):
        from solver.traces.formats.tables import ParquetTable

        return ParquetTable()
    if head.start.startswith(ARROW):
        from solver.traces.formats.arrow_files import ArrowFile

        return ArrowFile()
    if is_json_row(head.lines[0]):
        from solver.traces.formats.arrow_files import JsonTable

        return JsonTable()
    if is_header(head.lines[0]):
        return CsvLines()
    if is_atoms(head.lines):
        return AtomLines()
    if is_timed(head.lines):
        return QuadLines()
    prefixed = re.search(rb"^\s*(@prefix|PREFIX)\s", head.start, re.MULTILINE)
    if b"generatedAtTime" in head.start or prefixed:
        return TrigFile()
    raise LarsError(f"{head.path}: neither the name nor the content tells the format; accepted: {ACCEPTED}")


_LEAST: Final = 2**16
_MOST: Final = 2**20
"""About so many atoms at least, and at most, what a task reads has when there are many tasks."""


def file_parts(sources: Sequence[TraceFile], at_least: int) -> list[tuple[FilePart, ...]]:
    """Return what tasks read, parts of files, of small ones several: `at_least` so many of a large trace."""
    sizes = [source.size for source in sources]
    each = max(_LEAST, min(_MOST, sum(sizes) // at_least))
    tasks: list[tuple[FilePart, ...]] = []
    room = 0
    for source, size in zip(sources, sizes, strict=True):
        borders = [0, *source.format.borders(source, each), None]
        parts = list(starmap(partial(FilePart, source), pairwise(borders)))
        for part in parts:
            own = size // len(parts)
            if not tasks or own > room:
                tasks.append(())
                room = each
            tasks[-1] += (part,)
            room -= own
    return tasks


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
        for row, place in source.rows():
            # A rejected row that cannot be skipped: no need to read on.
            if row.problem is not None and (row.fatal or options.on_error is OnError.STOP):
                raise source.error(place, row.problem)
            yield row


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
    head = _head(file, plain, empty=options.ends and bare(file).suffix.lower() not in BINARY)
    kind = format_of(head)
    plain = kind.plain(head)
    head = replace(head, plain=plain)
    origin = None if options.origin is None else instant_of(options.origin)
    named = options.streams.get(file, options.streams.get(given))
    columns = dict(options.columns)
    mapping = columns.get(named, columns.get(None))
    if mapping is not None and kind.is_foreign(head):
        kind, plain = _mapped(str(file), plain, mapping, options)
    candidates = () if named else options.query_streams
    if len(candidates) == 1:
        named = candidates[0]
    source = TraceFile(
        index,
        str(file),
        kind,
        Clock(options.unit, options.trace_unit or options.unit, origin),
        None if named is None else canonical(f"<{named}>"),
        candidates,
        copy=None if plain == file else plain,
    )
    return kind.begun(source, head, options)


def _mapped(path: str, plain: Path, mapping: "Columns", options: TraceOptions) -> tuple[FileFormat, Path]:
    """Return the triples of a table whose columns a mapping explains, as a table of them."""
    from solver.traces.formats.mapped_tables import MappedTable, write_mapped

    how = mapping, options.prefixes
    write = partial(write_mapped, path, plain, mapping, dict(options.prefixes))
    return MappedTable(), converted_file(plain, how, write)


def _head(file: Path, plain: Path, *, empty: bool) -> FileHead:
    try:
        with plain.open("rb") as reader:
            head = reader.read(HEAD)
    except OSError as error:
        raise system_error(file, error, "cannot be read") from None
    if not head and not empty:
        raise LarsError(f"{file}: the file is empty; accepted: {ACCEPTED}{WITH_END}")
    return FileHead(file, plain, head, _whole_lines(head))


def _whole_lines(head: bytes) -> list[str]:
    lines = head.decode("utf-8-sig", "replace").split("\n")
    return [line.rstrip("\r") for line in (lines if len(head) < HEAD else lines[:-1] or lines)]
