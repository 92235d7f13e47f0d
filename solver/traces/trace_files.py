"""Which files a trace consists of, in arrival order, and how each of them is read."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lars.durations import Duration
from lars.errors import LarsError
from solver.rdf import canonical
from solver.traces.atom_lines import head_prefixes, is_atoms
from solver.traces.csv_lines import is_header, read_header
from solver.traces.quad_lines import is_loose, is_timed
from solver.traces.trace_elements import FileFormat, TraceFile
from solver.traces.trace_times import Clock, TraceOptions, instant_of

ACCEPTED: Final = (
    "TriG (.trig), timed N-Triples or N-Quads lines (.nt, .nq), lines of atoms as in 18: near(a). "
    "(.atoms), CSV and Parquet with the columns t, stream, s, p, o or t, atom, a folder of files "
    "data_NN.ttl, a folder of .parquet files"
)
HEAD: Final = 65536
MILLISECOND: Final = Duration(10**6)
SECOND: Final = Duration(10**9)
NUMBERED: Final = re.compile(r"data_([0-9]{1,18})\.ttl")


_EXTENSIONS: Final = {
    ".trig": FileFormat.TRIG,
    ".nt": FileFormat.LINES,
    ".nq": FileFormat.LINES,
    ".atoms": FileFormat.ATOMS,
    ".csv": FileFormat.CSV,
    ".parquet": FileFormat.PARQUET,
}


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
    if not path.exists():
        raise LarsError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        return [path]
    inside = sorted(file for file in path.iterdir() if file.is_file())
    turtle = [file for file in inside if file.suffix == ".ttl"]
    if turtle:
        for file in turtle:
            if not NUMBERED.fullmatch(file.name):
                raise LarsError(
                    f"{file}: found no time in the file's name; accepted in a folder: data_NN.ttl"
                )
        return sorted(turtle, key=_number)
    tables = [file for file in inside if file.suffix == ".parquet" and file.name[0] not in "._"]
    if not tables:
        raise LarsError(f"{path}: the folder holds no trace; accepted: {ACCEPTED}")
    return tables


def _number(file: Path) -> int:
    match = NUMBERED.fullmatch(file.name)
    return int(match[1]) if match else 0


def _source(index: int, given: Path, file: Path, options: TraceOptions) -> TraceFile:
    head = _head(file)
    kind = _format(file, head)
    lines = _whole_lines(head)
    loose = is_loose(lines) if kind is FileFormat.LINES and options.trace_unit is None else None
    default = MILLISECOND if loose else SECOND if kind is FileFormat.TURTLE else options.unit
    origin = None if options.origin is None else instant_of(options.origin)
    named = options.streams.get(file, options.streams.get(given))
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
        read_header(str(file), lines[0]) if kind is FileFormat.CSV else (),
        loose,
        head_prefixes(file) if kind is FileFormat.ATOMS else (),
    )


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as reader:
            head = reader.read(HEAD)
    except OSError as error:
        raise LarsError(f"{file}: cannot be read: {error.strerror}") from None
    if not head:
        raise LarsError(f"{file}: the file is empty; accepted: {ACCEPTED}")
    return head


def _whole_lines(head: bytes) -> list[str]:
    lines = head.decode("utf-8-sig", "replace").split("\n")
    return [line.rstrip("\r") for line in (lines if len(head) < HEAD else lines[:-1] or lines)]


def _format(file: Path, head: bytes) -> FileFormat:
    if NUMBERED.fullmatch(file.name):
        return FileFormat.TURTLE
    if file.suffix == ".ttl":
        raise LarsError(f"{file}: a Turtle file holds no times; name it data_NN.ttl, or write TriG")
    return _EXTENSIONS.get(file.suffix.lower()) or _by_content(file, head)


def _by_content(file: Path, head: bytes) -> FileFormat:
    lines = _whole_lines(head)
    if head.startswith(b"PAR1"):
        return FileFormat.PARQUET
    if is_header(lines[0]):
        return FileFormat.CSV
    if is_atoms(lines):
        return FileFormat.ATOMS
    if is_timed(lines):
        return FileFormat.LINES
    if b"generatedAtTime" in head or re.search(rb"^\s*(@prefix|PREFIX)\s", head, re.MULTILINE):
        return FileFormat.TRIG
    raise LarsError(f"{file}: neither the name nor the content tells the format; accepted: {ACCEPTED}")
