"""The files of a trace: found, their formats recognised, described, cut into parts, and read into columns."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from lars.errors import LarsError, Place, system_error
from lars.files import exists
from lars.language.terms import Signature
from solver.columns import InputAtoms, TermCodes, TraceColumns, in_time_order, together
from solver.rdf import canonical
from solver.settings import OnError, TraceOptions, tell
from solver.traces.blocks import TimedRows, join_rows, summaries_of, times_of_rows
from solver.traces.formats.graphs import NUMBERED, NumberedTurtle, TrigFile, file_number
from solver.traces.input_files import STANDARD_INPUT, bare, converted_file, readable
from solver.traces.rows import (
    ARROW,
    PARQUET,
    ExactRow,
    FileFormat,
    FileHead,
    FilePart,
    Raw,
    RowBlock,
    Summary,
    TraceFile,
    exact_rows,
    is_json_row,
)
from solver.traces.survey import WITH_END, Survey, check_side_file, last_time, report, survey
from solver.traces.trace_times import Clock, MalformedPart, instant_of

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
    if head.start.startswith(PARQUET):
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
    if options.on_error is OnError.SKIP and options.rejected is not None:
        check_side_file(options.rejected, paths)
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
    listed = [(path, file) for path in paths for file in _files(path)]
    seen: set[Path] = set()
    for _, file in listed:
        if file.resolve() in seen:
            raise LarsError(f"{file}: the trace names this file twice")
        seen.add(file.resolve())
    return tuple(_source(index, path, file, options) for index, (path, file) in enumerate(listed))


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


def _source(index: int, path: Path, file: Path, options: TraceOptions) -> TraceFile:
    plain = readable(file)
    head = _head(file, plain, empty=options.ends and bare(file).suffix.lower() not in BINARY)
    kind = format_of(head)
    plain = kind.plain(head)
    head = replace(head, plain=plain)
    origin = None if options.origin is None else instant_of(options.origin)
    names = options.streams.get(file, options.streams.get(path))
    columns = dict(options.columns)
    mapping = columns.get(names, columns.get(None))
    if mapping is not None and kind.is_foreign(head):
        kind, plain = _mapped(str(file), plain, mapping, options)
    candidates = () if names else options.query_streams
    if len(candidates) == 1:
        names = candidates[0]
    source = TraceFile(
        index,
        str(file),
        kind,
        Clock(options.unit, options.trace_unit or options.unit, origin),
        None if names is None else canonical(f"<{names}>"),
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


_ROWS_TOLD: Final = 2**14
"""Of rows that are read one by one it is said after so many how far reading is."""


def read_columns(sources: Sequence[TraceFile], options: TraceOptions) -> TraceColumns:
    """Return a trace in columns, whose atoms are in the order of time, then of arrival.

    Several files are merged by time; of one time the files come in the order in which they are given.
    Raises LarsError for what cannot be read, with file, line and column. Skipped lines are kept in
    the side file and counted in a TraceWarning.
    """
    reading, stream_survey = _read(sources, options)
    return reading.columns(stream_survey)


def read_arrivals(sources: Sequence[TraceFile], options: TraceOptions) -> TraceColumns:
    """Return a trace in columns; the atoms of one file are in the order in which they stand there."""
    reading, stream_survey = _read(sources, options)
    if options.sort or len(sources) > 1:
        return reading.columns(stream_survey)
    atoms = reading.timed(stream_survey)
    return TraceColumns(reading.terms, atoms, last_time(reading.summaries, stream_survey, options.unit))


def _read(sources: Sequence[TraceFile], options: TraceOptions) -> tuple["PartReading", Survey]:
    reading = PartReading(options, size=sum(source.size for source in sources))
    for source in sources:
        reading.add(FilePart(source))
    stream_survey = survey(reading.summaries, sources, options)
    report(stream_survey, reading.rejected, sources, options)
    return reading, stream_survey


class PartReading:
    """What has been read so far: atoms as they came, what the files say of their times, rejected rows.

    Rows have numbers in the order of arrival, from `first`; `lines` are those of all parts, of which
    there are about as many as `size` says.
    """

    def __init__(self, options: TraceOptions, first: int = 0, size: int = 0) -> None:
        self.summaries: list[Summary] = []
        self.rejected: list[Raw] = []
        self.lines = 0
        self.terms = TermCodes()
        self._options = options
        self._atoms: defaultdict[Signature, list[InputAtoms]] = defaultdict(list)
        self._rows = first
        self._size = size

    def add(self, part: FilePart) -> None:
        """Read a part of a file. LarsError: it cannot be read, or has what cannot be skipped.

        The error's line counts from the beginning of the part.
        """
        before, unit = len(self.rejected), self._options.unit.nanoseconds
        timed = join_rows([times_of_rows((), self.terms), *self._timed(part)])
        self.summaries += summaries_of(timed, part.source.position(part.begin), self.terms, unit)
        skipped = Counter(row.position for row in self.rejected[before:])
        self.summaries += starmap(Summary.of_skipped, skipped.items())

    def columns(self, stream_survey: Survey) -> TraceColumns:
        """Return all that was read, with the times that a survey finds."""
        last = last_time(self.summaries, stream_survey, self._options.unit)
        return TraceColumns(self.terms, in_time_order(self.timed(stream_survey)), last)

    def timed(self, stream_survey: Survey) -> dict[Signature, InputAtoms]:
        """Return the atoms, as they came, with the times that a survey finds."""
        unit, atoms = self._options.unit, self.atoms()
        return {name: replace(some, t=stream_survey.times_of(some.t, unit)) for name, some in atoms.items()}

    def atoms(self) -> dict[Signature, InputAtoms]:
        """Return the atoms, as they came, with times as `Raw` has them; then they are forgotten here."""
        return {name: together(self._atoms.pop(name)) for name in [*self._atoms]}

    def _timed(self, part: FilePart) -> Iterator[TimedRows]:
        source = part.source
        if (blocks := source.format.blocks(part, self.terms)) is None:
            timed = self._encoded(checked_rows([source], self._options), self._rows)
            self._rows = int(timed.numbers.max(initial=self._rows)) + 1
            yield timed
            return
        try:
            for block in blocks:
                yield from self._of_block(source, block)
                self.lines += block.rows
                tell(self.lines, self._size)
        except OSError as error:
            raise system_error(source.path, error, "cannot be read") from None

    def _of_block(self, source: TraceFile, block: RowBlock) -> Iterator[TimedRows]:
        others = [*self._checked(source, block)]
        numbers = block.numbers(others) + self._rows
        for usual in block.usual:
            arrival = numbers[usual.places]
            if len(arrival):
                self._atoms[usual.name].append(InputAtoms(usual.times, arrival, usual.columns))
                yield TimedRows(arrival, usual.kinds, usual.times, usual.streams)
        yield self._encoded(exact_rows(source.position(), others, numbers), 0)
        self._rows = int(numbers[-1])

    def _checked(self, source: TraceFile, block: RowBlock) -> Iterator[ExactRow]:
        stop = self._options.on_error is OnError.STOP
        for row in block.exact_rows:
            for part in row.content:
                if isinstance(part, MalformedPart) and (part.fatal or stop):
                    place = Place(source.path, block.before + row.place + 1, part.column, row.text)
                    raise source.error(place, part.problem)
            yield row

    def _encoded(self, rows: Iterable[Raw], before: int) -> TimedRows:
        """Keep rows that were read one by one, which are numbered on from some before."""
        read: list[Raw] = []
        places: defaultdict[Signature, list[tuple[int, int]]] = defaultdict(list)
        texts: defaultdict[Signature, list[str]] = defaultdict(list)
        for row in rows:
            if row.problem is not None:
                self.rejected.append(row)
                continue
            read.append(row)
            if not len(read) % _ROWS_TOLD:
                tell(self.lines + len(read), self._size)
            if row.predicate is not None:
                name = row.predicate, len(row.arguments)
                places[name].append((row.time, before + row.seq))
                texts[name] += row.arguments
        for name, placed in places.items():
            times, numbers = np.array(placed, np.int64).T
            columns = self.terms.codes(texts[name]).reshape(len(placed), name[1]).T
            self._atoms[name].append(InputAtoms(times, numbers, tuple(columns)))
        return times_of_rows(read, self.terms, before)
