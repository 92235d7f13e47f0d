"""Files of a trace: their formats, their rows, and copies that can be read repeatedly.

- Pipes, standard input and compressed files are copied.
- Rows in the usual notation are read together as columns, other rows one by one.
- Two files never share blank nodes. If `blank_nodes` is "element", only equal elements share blank nodes.
"""

import gzip
import json
import shutil
import stat
import sys
import tempfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from lars.dataclass import dataclass
from lars.errors import FailedRunError, LarsError, Place, PlacedError, short_of
from lars.files import (
    BYTE_ORDER_MARK,
    COMPRESSIONS,
    folder_until_exit,
    line_end,
    names_of_copies,
    pipe_key,
    read_bytes,
)
from lars.language.terms import Signature
from solver.columns import Array, Mask, TermCodes
from solver.facts import QUAD_PREDICATE, STREAM_PREDICATE, Arguments, Triple
from solver.memory import limit, size_text
from solver.rdf import blanks_in, is_of_file, is_triple_term, with_blanks
from solver.settings import TraceOptions
from solver.traces.trace_times import Clock, Instant, MalformedPart

STANDARD_INPUT: Final = Path("-")
_COMPRESSED: Final = b"\x1f\x8b"
_ACCEPTED: Final = "a file, a pipe, or - for standard input"
_PART: Final = 2**20
_MOST_RATIO: Final = 100
_LEAST_BOUND: Final = 2**30
"""The size in bytes up to which a compressed file is unpacked, however well it is compressed.

A smaller memory limit (--memory) replaces this size.
"""
_KEPT_FREE: Final = 20, 2**30
"""The part of a disk that copies leave free: the fraction 1/n, but at most a number of bytes."""
_copies: dict[object, Path] = {}
"""The copies of pipes, compressed files and converted files; a pipe can be read only once."""
_numbers: Final = count()
"""The names of the copies."""


_UNCOVERED: Final = COMPRESSIONS | {_COMPRESSED: "gzip, twice"}
"""The first bytes of files that lars does not unpack, and the names of their compressions."""
_SPREADSHEETS: Final = (".xlsx", ".ods")


def check_unpacked(path: Path, start: bytes) -> None:
    """Raise LarsError for a file with a compression that is not covered; `start` is its beginning."""
    for mark, name in _UNCOVERED.items():
        if start.startswith(mark) and path.suffix.lower() not in _SPREADSHEETS:
            raise LarsError(f"{path}: found a file compressed by {name}; use gzip, or unpack the file")


def bare(path: Path) -> Path:
    """Return a path without its extension .gz, if it has this extension."""
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def readable(path: Path) -> Path:
    """Return the path of a regular, uncompressed file with the bytes of a path: the same path, or a copy.

    The function copies pipes, compressed files and standard input (`-`).

    Raises:
        LarsError: The path is neither a file nor a pipe, or a compressed file is damaged.
        FailedRunError: A copy would be too large.
    """
    try:
        key = _key(path)
        if key is not None and key not in _copies:
            copy = _copy(path, _folder() / str(next(_numbers)))
            # The key of a pipe changes until the last write.
            key = _key(path)
            _copies[key], names_of_copies[copy] = copy, path
    except (OSError, EOFError, zlib.error) as error:
        short_of(path, error)
        reason = getattr(error, "strerror", None) or error
        if isinstance(error, EOFError | zlib.error | gzip.BadGzipFile):
            remedy = "use a complete copy of the file"
            raise LarsError(f"{path}: cannot be unpacked: {reason}; {remedy}") from None
        raise LarsError(f"{path}: cannot be read: {reason}") from None
    return path if key is None else _copies[key]


def converted_file(path: Path, how: Hashable, convert: Callable[[Path], None]) -> Path:
    """Return a copy of a file that `convert` has converted, only once for each value of `how`."""
    stat = path.stat()
    key = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, how)
    if key not in _copies:
        made = _folder() / str(next(_numbers))
        convert(made)
        _copies[key] = made
    return _copies[key]


@contextmanager
def temporary_copies() -> Iterator[None]:
    """Delete, at the end of the block, the copies of files that are made in the block.

    Copies that are made outside of such a block exist until the program ends.
    """
    before = set(_copies)
    try:
        yield
    finally:
        for key in _copies.keys() - before:
            copy = _copies.pop(key)
            names_of_copies.pop(copy, None)
            copy.unlink(missing_ok=True)


def _key(path: Path) -> object:
    """Return a key that identifies a file and its content among copied files; None if no copy is needed."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise LarsError("-: standard input is closed")
        return sys.stdin
    try:
        result = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None  # its reader reports the error
    if stat.S_ISFIFO(result.st_mode):
        return pipe_key(result)
    if stat.S_ISCHR(result.st_mode):
        return result.st_dev, result.st_ino
    if not stat.S_ISREG(result.st_mode):
        return None
    with path.open("rb") as reader:
        compressed = reader.read(len(_COMPRESSED)) == _COMPRESSED
    return (result.st_dev, result.st_ino, result.st_size, result.st_mtime_ns) if compressed else None


def _copy(path: Path, copy: Path) -> Path:
    if path.is_char_device():
        copy.write_bytes(read_bytes(path, _ACCEPTED))  # a device may never end
        return copy
    stream = nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else path.open("rb")
    with stream as reader, copy.open("wb") as writer:
        for _ in _written(path, reader, writer):
            pass
    with copy.open("rb") as reader:
        if reader.read(len(_COMPRESSED)) != _COMPRESSED:
            return copy
    unpacked = copy.with_name(f"{copy.name}.unpacked")
    bound = min(_LEAST_BOUND, limit())
    most = max(bound, _MOST_RATIO * copy.stat().st_size)
    with gzip.open(copy) as packed, unpacked.open("wb") as writer:
        for size in _written(path, packed, writer):
            if size > most:
                unpacked.unlink()
                problem = f"unpacks to more than {_MOST_RATIO} times its size"
                raise FailedRunError(
                    f"{path}: {problem}, and more than {size_text(bound)}; expected the file unpacked, "
                    "such as by gunzip -k"
                )
    copy.unlink()
    return unpacked


def _written(path: Path, reader: BinaryIO | gzip.GzipFile, writer: BinaryIO) -> Iterator[int]:
    """Copy all bytes of a reader to a writer; yield the number of copied bytes after each part.

    Raises:
        FailedRunError: The disk of temporary files would have too little free space.
    """
    folder = Path(tempfile.gettempdir())
    fraction, greatest = _KEPT_FREE
    while part := reader.read(_PART):
        disk = shutil.disk_usage(folder)
        if disk.free - len(part) < min(disk.total // fraction, greatest):
            writer.truncate(0)
            raise FailedRunError(
                f"{path}: cannot copy the content to {folder}: the disk has only {size_text(disk.free)} of "
                "free space; set TMPDIR to a folder on a larger disk"
            )
        writer.write(part)
        yield writer.tell()


@cache
def _folder() -> Path:
    return folder_until_exit("lars-input-")


NamedTriple = tuple[Triple, str]
"""A triple, and the name of the graph that contains the triple."""
ATOMS: Final = ""
"""The name of the stream of all atoms that are not read as RDF."""


class TracedAtom(NamedTuple):
    """An atom of a trace with its time, or only a time if `predicate` is None.

    - `time` is in time points; a dateTime is in nanoseconds since 1970 if the user did not give the origin.
      The times of each stream must not decrease.
    - `stream` is the stream of a triple; for all other atoms, it is ATOMS.
    """

    time: Instant
    stream: str | None
    predicate: str | None
    arguments: Arguments

    @property
    def name(self) -> Signature | None:
        """The predicate of the atom with the number of its arguments."""
        return None if self.predicate is None else (self.predicate, len(self.arguments))


def check_roles(triple: Triple, columns: Sequence[int]) -> None:
    """Raise MalformedPart unless the subject of a triple is an IRI or blank node, and its predicate an IRI.

    Raises:
        MalformedPart: The subject or the predicate is another term; the error contains its column in
            `columns`.
    """
    if triple[0].startswith('"') or is_triple_term(triple[0]):
        kind = "literal" if triple[0].startswith('"') else "triple term"
        raise MalformedPart(f"found a {kind} as subject; expected an <iri> or a _:blank node", columns[0])
    if not triple[1].startswith("<") or is_triple_term(triple[1]):
        raise MalformedPart("found no IRI as predicate; expected an <iri>", columns[1])


@dataclass(frozen=True, slots=True, eq=False)
class RowColumns:
    """Rows of a trace with atoms of one predicate, in columns; the columns of triples are s, p, o and stream.

    - `name` is the predicate of the atoms; if it is None, the rows are only times.
    - `numbers` are the numbers of the rows in their block, or in arrival order.
    - `kinds`, `times` and `zones` contain the fields `kind`, `value` and `zone` of the rows' Instants.
    - `streams` contains the codes of streams: the code of null for triples without a stream, and NO_CODE for
      other atoms.
    """

    name: Signature | None
    numbers: Array
    kinds: npt.NDArray[np.int8]
    times: Array
    columns: tuple[Array, ...]
    streams: Array
    zones: npt.NDArray[np.int16]

    def take(self, mask: Mask) -> "RowColumns":
        """Return the rows that a mask selects."""
        spelling = self.kinds[mask], self.times[mask], tuple(column[mask] for column in self.columns)
        return RowColumns(self.name, self.numbers[mask], *spelling, self.streams[mask], self.zones[mask])


class ExactRow(NamedTuple):
    """A row of a block that was read separately (and not in columns), with its text for error messages.

    - `place` is the number of the row in its block, from 0.
    - `line` is the number of the row's line, from 1; it is 0 if each row is one line.
    """

    place: int
    content: Sequence[TracedAtom | MalformedPart]
    text: object
    line: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class RowBlock:
    """Consecutive rows (lines or table rows) of a part of a file.

    - `before` is the number of earlier rows: for lines, in the part; for tables, in the file.
    - `rows` is the number of rows.
    - `usual` contains the rows in usual notation, which were read together as columns.
    - `exact_rows` contains all other rows in order; each of these rows is read when it is needed.
    """

    before: int
    rows: int
    usual: Sequence[RowColumns]
    exact_rows: Iterable[ExactRow]

    def numbers(self, others: Iterable[ExactRow]) -> Array:
        """Return the number of atoms, times and errors before each row, and, as last item, their total."""
        counts = np.zeros(self.rows + 1, np.int64)
        for rows in self.usual:
            counts[rows.numbers + 1] = 1
        for row in others:
            counts[row.place + 1] = len(row.content)
        return np.cumsum(counts)

    def place(self, path: str, row: ExactRow, part: TracedAtom | MalformedPart) -> Place:
        """Return the place of an atom or error in a row, for error messages."""
        column = part.column if isinstance(part, MalformedPart) else 1
        return Place(path, row.line or self.before + row.place + 1, column, str(row.text))


def unusual_places(usual: Sequence[RowColumns], rows: int) -> Array:
    """Return the numbers of the rows of a block that were not read as columns (`usual`)."""
    mask = np.ones(rows, np.bool_)
    for columns in usual:
        mask[columns.numbers] = False
    return np.flatnonzero(mask)


ARROW: Final = (b"ARROW1", b"\xff\xff\xff\xff")
"""The first bytes of an Arrow file, and the first bytes of an Arrow stream."""
PARQUET: Final = b"PAR1"
"""The first bytes of a Parquet file."""


@dataclass(frozen=True, slots=True)
class FileHead:
    """The beginning of a file of a trace, from which its format is recognized.

    - `path` is the name of the file in messages, and `plain` a regular file with the same bytes.
    - `start` contains the first bytes of the file, and `lines` the complete lines among these bytes.
    """

    path: Path
    plain: Path
    start: bytes
    lines: Sequence[str]


def is_json_row(line: str) -> bool:
    """Return whether a line is a JSON object whose values are numbers, texts, true, false or null.

    >>> is_json_row('{"t": 1, "who": "ann"}'), is_json_row('{"t": 1, "rows": []}')
    (True, False)
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and not any(isinstance(value, dict | list) for value in content.values())


TableColumns = tuple[Sequence[str], bool]
"""The names of a table's columns, and whether they are the columns of a trace, which needs no mapping."""


Fault = tuple[int, Place, str]
"""A row of a table that cannot be read: its number, from 1, its place, and its problem."""


def kept_rows(rows: int, faults: Sequence[Fault]) -> Array:
    """Return the numbers, from 1, of the first rows of a table without faulty rows."""
    every = np.arange(1, rows + len(faults) + 1)
    return np.setdiff1d(every, [row for row, *_ in faults])[:rows]


def without_faults(plain: Path, faults: Sequence[Fault]) -> Path:
    """Return a copy of a text file in which the lines of faulty rows are empty."""
    numbers = {place.line for _, place, _ in faults}

    def write(made: Path) -> None:
        with plain.open("rb") as file, made.open("wb") as writer:
            writer.writelines(b"\n" if n in numbers else line for n, line in enumerate(lines_in(file), 1))

    return converted_file(plain, ("without", tuple(sorted(numbers))), write)


class FileFormat(ABC):
    """A format of trace files, with the methods that read the rows of a file."""

    bytes_of_atom = 150
    of_atoms = False
    """Whether the rows of each file are atoms; a table may contain atoms, too."""
    of_messages = False
    """Whether the elements of a file are messages, whose time is a number or the value of a property."""
    is_mapped = False
    """Whether the rows of a file are the triples of a mapped table."""
    is_ordered = True
    """Whether elements are read in the order in which they were written."""
    of_lines = False
    """Whether rows are lines that only LF or CR LF ends."""

    def __repr__(self) -> str:
        # A resumed run identifies its trace by this text.
        return type(self).__name__

    def size(self, source: "TraceFile") -> int:
        """Return the approximate number of input atoms in a file."""
        return source.file.stat().st_size // self.bytes_of_atom

    @abstractmethod
    def blocks(self, part: "TraceFile", terms: TermCodes | None) -> Iterator[RowBlock]:
        """Yield the rows of a part of a file in blocks; if `terms` is None, each row is read separately."""

    def borders(self, source: "TraceFile", each: int) -> Sequence[int]:
        """Return the positions that divide a file into parts of about `each` input atoms, or no positions."""
        _ = source, each
        return ()

    def begun(self, source: "TraceFile", head: FileHead, options: TraceOptions) -> "TraceFile":
        """Return the file with the settings, such as prefixes, that its beginning determines.

        Raises:
            LarsError: The beginning is invalid.
        """
        _ = head, options
        return source

    def plain(self, head: FileHead) -> Path:
        """Return the path of the file to read, which for some formats is a converted copy."""
        return head.plain

    def faults(self, head: FileHead) -> Sequence[Fault]:
        """Return the lines because of which `plain` fails, and without which it may succeed."""
        _ = head
        return ()

    def columns(self, head: FileHead) -> TableColumns | None:
        """Return the columns of a table; None if the file is not a table."""
        _ = head
        return None

    def placed(self, source: "TraceFile", places: Sequence[Place]) -> list[Place]:
        """Return the places in the user's file for places in the file that is read."""
        _ = source
        return [*places]

    def element_numbers(self, source: "TraceFile") -> Sequence[int] | None:
        """Return, for each row in order, the number of its element; None if each row is one element."""
        _ = source
        return None


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A file of a trace or a part of such a file, with the settings for reading it.

    - `index` is the number of the file in arrival order.
    - `path` is the name in messages. `copy` is a temporary file that is read in place of `path`: the bytes of
      a pipe, the unpacked bytes of a compressed file, or the triples of a mapped table.
    - `header` contains the columns of a CSV file, and `delimiter` the character between their cells.
    - `stream` is the canonical text of the IRI of the file's stream, or None. If `candidates` (the streams of
      the query) are given, an element may name another stream.
    - `loose` is true if literals and times in a file of lines have no quotes (YABench); None allows both
      notations.
    - `prefixes` are declared at the beginning of a file of atoms, or given for a table.
    - `times` is the column of a table that contains the times.
    - `arrivals` is a TraceFile that reads the arrival times of the same rows; its `by_arrival` is true.
    - `options` are the options of the trace, without its streams.
    - `skipped` are the rows of a table that were left out before it was converted.
    - `begin` and `end` are the ends of the part: the lines that begin in this range of bytes, or a range of
      table rows. The range includes `begin` and excludes `end`. If `end` is None, the range extends to the
      end of the file. A file of graphs (such as TriG) is always a single part.
    """

    index: int
    path: str
    format: FileFormat
    options: TraceOptions
    clock: Clock
    stream: str | None = None
    candidates: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    delimiter: str = ","
    loose: bool | None = None
    prefixes: tuple[tuple[str, str], ...] = ()
    copy: Path | None = None
    times: str = "t"
    by_arrival: bool = False
    arrivals: "TraceFile | None" = None
    skipped: tuple[Fault, ...] = ()
    begin: int = 0
    end: int | None = None

    @property
    def file(self) -> Path:
        """The path of the file to read: the copy, if one exists, otherwise `path`."""
        return self.copy or Path(self.path)

    @property
    def of_atoms(self) -> bool:
        """Whether the rows of the file are atoms, and not RDF."""
        return self.format.of_atoms or bool({"atom", "predicate"} & {*self.header})

    @property
    def size(self) -> int:
        """The approximate number of input atoms in the file; the number is exact for Parquet."""
        return self.format.size(self)

    def stamped(self, written: Instant, column: int) -> Instant:
        """Convert a time in the notation of the file to time points.

        Raises:
            MalformedPart: The time is invalid; the error is at `column`.
        """
        try:
            return self.clock.stamp(written)
        except MalformedPart as error:
            raise error.at(column) from None

    def error(self, place: Place, problem: str, *, no_time: bool = False) -> PlacedError:
        """Return the error for a problem at a place of the file."""
        [own] = self.format.placed(self, [place])
        return PlacedError(own, self.problem(problem, no_time=no_time))

    def problem(self, problem: str, *, no_time: bool = False) -> str:
        """Return the text of a problem with a row; if the problem is an arrival time, add its column.

        If `no_time` is true, the problem is a missing time.
        """
        if not self.by_arrival or "arrival" in problem:
            return problem
        if no_time:
            problem = "the cell is empty; use a time of arrival in each row, or --on-error skip"
        return f"cannot read the arrival time in the column {self.options.arrival}: {problem}"


def lines_in(file: BinaryIO) -> Iterable[bytes]:
    """Return the lines of a file with their ends; if no line ends with LF, each CR ends a line."""
    first = file.readline()
    return chain([first], file) if b"\n" in first else first.splitlines(keepends=True)


def lines_by_number(data: bytes) -> Callable[[int], str]:
    """Return a function that maps a line number, from 1, to the text of the line; "" beyond the last line.

    If no line ends with LF, each CR ends a line.

    The data are split only once, on the first call, since every line can contain an error.
    """
    # The columns of errors count from the character behind a byte order mark.
    lines = cache(partial(data.removeprefix(BYTE_ORDER_MARK).split, line_end(data)))

    def line(number: int) -> str:
        text = lines()[number - 1] if number <= len(lines()) else b""
        return text.decode("utf-8", "backslashreplace").rstrip("\r")

    return line


def line_of(data: bytes, number: int) -> str:
    """Return the line of a text with a number (from 1); "" if the text has fewer lines."""
    return lines_by_number(data)(number)


def whole_lines(path: str, plain: Path, numbers: Iterable[int]) -> list[Place]:
    """Return the places at which lines of a text file begin, given their numbers from 1."""
    line = lines_by_number(plain.read_bytes())
    return [Place(path, number, 1, line(number)) for number in numbers]


def element_atoms(  # noqa: PLR0913
    source: TraceFile,
    written: Instant,
    own: str | None,
    triples: Sequence[Triple],
    column: int = 1,
    *,
    quads: Sequence[NamedTriple] = (),
) -> list[TracedAtom]:
    """Return the triples of an element as atoms, or only the time if the element has no triples.

    - `own` is the stream that the element names; if it is None, the element belongs to the stream of the
      file.
    - `column` is the column of the time in its line, for errors.
    - `quads` are the triples of the element that are in named graphs.

    Raises:
        MalformedPart: The element names another stream than the user, the stream is unknown, or the time is
            invalid.
    """
    if not triples:
        return [TracedAtom(source.stamped(written, column), own or source.stream, None, ())]
    if own is None and source.stream is None and source.candidates:
        names = ", ".join(source.candidates)
        raise MalformedPart(
            f"the stream of the file is unknown; use --stream IRI=FILE with one of the streams {names}",
            fatal=True,
        )
    if own and source.stream and own != source.stream and not source.candidates:
        raise MalformedPart(
            f"the element belongs to {own}, but --stream assigns the file to {source.stream}; "
            "use --stream for files of one stream only"
        )
    stream, time = own or source.stream, source.stamped(written, column)
    if source.options.blank_nodes == "element":
        apart = _of_element(f"{source.index}\n{stream}\n{time.value}", triples)
    else:
        apart = partial(_of_file, source)
    atoms: list[tuple[str, Arguments]] = [(STREAM_PREDICATE, (apart(s), p, apart(o))) for s, p, o in triples]
    if source.options.graphs:
        atoms += [(QUAD_PREDICATE, (apart(s), p, apart(o), apart(graph))) for (s, p, o), graph in quads]
    return [TracedAtom(time, stream, name, (*terms, stream or "null")) for name, terms in atoms]


def _of_file(source: TraceFile, term: str) -> str:
    return with_blanks(term, lambda text: file_blank(source, text[2:]) if is_of_file(text) else text)


def file_blank(source: TraceFile, label: str) -> str:
    """Return the blank node with a label in a file; no other file has this node."""
    return f"_:f{source.index}.{label}"


def elements_blanks(where: str, triples: Sequence[Triple]) -> Sequence[Triple]:
    """Return the triples of an element with blank node labels that only equal elements share.

    A label is a digest of the element's place and text, and does not depend on how a trace is read.
    """
    if not any(blanks_in(term) for triple in triples for term in (triple[0], triple[2])):
        return triples
    apart = _of_element(where, triples)
    return [(apart(s), p, apart(o)) for s, p, o in triples]


def _of_element(where: str, triples: Sequence[Triple]) -> Callable[[str], str]:
    """Return the function that renames the blank nodes of an element."""

    @cache  # Most elements have no blank node, and skip this.
    def element() -> str:
        return "\n".join((where, *(" ".join(triple) for triple in sorted(set(triples)))))

    def name(label: str) -> str:
        from hashlib import blake2b  # loads a library of OpenSSL

        digest = blake2b(f"{element()}\n{label}".encode(), digest_size=16)
        return f"_:e{digest.hexdigest()}"

    return lambda term: with_blanks(term, name)
