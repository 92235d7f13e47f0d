"""The files of a trace: finding the files and their formats, and reading them into columns."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from lars.errors import LarsError, system_error, under_way
from lars.files import BYTE_ORDER_MARK, WIDE, check_line_ends, exists, line_end
from lars.language.terms import Signature
from solver.columns import (
    NO_CODE,
    NULL_CODE,
    Atoms,
    InputAtoms,
    TermCodes,
    TraceColumns,
    in_time_order,
    together,
)
from solver.memory import memory_used, size_text
from solver.rdf import stream_constant
from solver.settings import IN_ORDER, TraceOptions, tell
from solver.traces import input_files
from solver.traces.formats.graphs import (
    NUMBERED,
    GraphFormat,
    NumberedTurtle,
    file_number,
    numbered_element,
    trig_elements,
)
from solver.traces.survey import (
    RejectedRow,
    Summary,
    check_elements,
    check_side_file,
    raise_early,
    report,
    summaries_of,
    survey,
)
from solver.traces.trace_times import Clock, MalformedPart, instant_of

if TYPE_CHECKING:
    from solver.traces.formats.mapped_tables import Columns


HEAD: Final = 65536
ACCEPTED: Final = (
    "TriG (.trig), JSON-LD (.jsonld, .ndjsonld), Jelly (.jelly), timed N-Triples or N-Quads lines (.nt, "
    ".nq), lines of atoms as in 18: near(a). (.atoms) or 18 near(a); (of I-DLV-sr), CSV, Parquet, Arrow "
    "and JSON lines with the columns "
    "t, stream, s, p, o or t, atom, a folder of files data_NN.ttl, a folder of .parquet files, RDF Messages "
    '(VERSION "1.2-messages") in .ttl, .trig, .nt and .nq'
)
EXTENSIONS: Final = frozenset(
    (
        ".trig",
        ".ttl",
        ".nt",
        ".nq",
        ".atoms",
        ".csv",
        ".tsv",
        ".parquet",
        ".arrow",
        ".feather",
        ".ndjson",
        ".jsonl",
        ".jelly",
        ".jsonld",
        ".ndjsonld",
    )
)
BINARY: Final = (".jelly", ".parquet", ".arrow", ".feather")
"""Extensions of files that can have content without having a row."""


_JSON_LD: Final = re.compile(
    rb'(?:%b)?\s*(?:\[\s*)?\{\s*"@(?:context|id|type|graph|reverse|included|index|nest)"' % BYTE_ORDER_MARK
)
"""A pattern of the beginning of JSON-LD: its keywords.

Rows of logs may begin with @timestamp or @version.
"""
_JSON_ARRAY: Final = re.compile(rb"(?:%b)?\s*\[\s*[{\]]" % BYTE_ORDER_MARK)


def format_of(head: input_files.FileHead, *, mapped: bool = False) -> input_files.FileFormat:
    """Return the format of a file, from its name or its content.

    If `mapped` is true (the user maps columns), files with an extension of JSON lines may have any columns.

    Raises:
        LarsError: Neither the name nor the content of the file shows a format.
    """
    name = input_files.bare(head.path)
    if NUMBERED.fullmatch(name.name):
        return NumberedTurtle(numbered_element)
    if not head.start:
        from solver.traces.formats.quad_lines import QuadLines

        return QuadLines()  # without bytes, every format has no elements
    if messages := _messages(head, name.suffix.lower()):
        return messages
    if _is_ldes(head, name.suffix.lower()):
        from solver.traces.formats.ldes import ldes_elements

        return GraphFormat(ldes_elements, is_ordered=False)
    rows = mapped and name.suffix.lower() in (".jsonl", ".ndjson")
    if name.suffix.lower() in (".jsonld", ".ndjsonld") or (not rows and _JSON_LD.match(head.start)):
        return _of_json_ld(head, name.suffix.lower())
    if _JSON_ARRAY.match(head.start):
        raise LarsError(
            f"{head.path}: cannot read an array of JSON; use JSON lines, with one object on each line: "
            "jq -c '.[]' FILE > FILE.jsonl"
        )
    if name.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise LarsError(f"{head.path}: cannot read a spreadsheet; save its sheet as CSV in UTF-8")
    if name.suffix.lower() == ".ttl":
        raise LarsError(
            f"{head.path}: a Turtle file contains no times; name the file data_NN.ttl, or use TriG or RDF "
            'Messages (VERSION "1.2-messages")'
        )
    if kind := _of_extension(name.suffix.lower()) or _of_extension(_extension_of_content(head)):
        return kind
    raise LarsError(
        f"{head.path}: neither the name nor the content determines the format; expected {ACCEPTED}"
    )


def check_format(path: Path) -> None:
    """Raise LarsError if neither the name nor the content of a trace shows its format."""
    for file in trace_files(path):
        format_of(_head(file, input_files.readable(file), empty=True), mapped=True)


def _of_json_ld(head: input_files.FileHead, extension: str) -> input_files.FileFormat:
    """Return the format of JSON-LD: lines of documents, or one document of timed graphs.

    Raises:
        LarsError: The document contains no times.
    """
    from solver.traces.formats.json_ld import is_json_ld_lines, json_ld_elements, json_ld_messages
    from solver.traces.formats.messages import MessageFormat

    if extension == ".ndjsonld" or (extension != ".jsonld" and is_json_ld_lines(head.lines)):
        return MessageFormat(json_ld_messages)
    if b"generatedAtTime" not in head.plain.read_bytes():
        raise LarsError(
            f"{head.path}: JSON-LD contains no times; use the file with --static, or write named graphs with "
            "prov:generatedAtTime, or lines of JSON-LD (.ndjsonld)"
        )
    return GraphFormat(json_ld_elements)


_RDF: Final = (".ttl", ".trig", ".nt", ".nq")


def _is_ldes(head: input_files.FileHead, extension: str) -> bool:
    """Return whether an RDF file is a page of a Linked Data Event Stream (LDES)."""
    known = extension in EXTENSIONS and extension not in (*_RDF, ".jsonld")
    # What describes the stream may be at the end of its page.
    is_page = not known and b"https://w3id.org/ldes#" in head.start
    return is_page and b"timestampPath" in head.plain.read_bytes()


def _messages(head: input_files.FileHead, extension: str) -> input_files.FileFormat | None:
    """Return the format of a log of RDF messages, or None for other files."""
    known = extension in EXTENSIONS and extension not in _RDF
    if not known and re.search(rb"MESSAGE|@message|-messages", head.start):
        from solver.traces.formats.messages import MessageFormat
        from solver.traces.formats.rdf_messages import is_log, log_messages

        if extension in _RDF or _extension_of_content(head) in (None, ".trig"):
            return MessageFormat(log_messages) if is_log(head.start) else None
    return None


def _of_extension(extension: str | None) -> input_files.FileFormat | None:
    """Return the format of files with an extension; None for an unknown extension."""
    match extension:
        case ".trig":
            return GraphFormat(trig_elements)
        case ".nt" | ".nq":
            from solver.traces.formats.quad_lines import QuadLines

            return QuadLines()
        case ".atoms":
            from solver.traces.formats.atom_lines import AtomLines

            return AtomLines()
        case ".log":
            from solver.traces.formats.atom_lines import LogLines

            return LogLines()
        case ".csv" | ".tsv":
            from solver.traces.formats.csv_lines import CsvLines

            return CsvLines()
        case ".jelly":
            from solver.traces.formats.jelly import Jelly, jelly_messages

            return Jelly(jelly_messages)
        case ".parquet" | ".arrow" | ".feather" | ".ndjson" | ".jsonl":
            from solver.traces.formats.tables import ArrowFile, JsonTable, ParquetTable

            binary = {".parquet": ParquetTable, ".arrow": ArrowFile, ".feather": ArrowFile}
            return binary.get(extension, JsonTable)()
        case _:
            return None


_ALMOST_ATOMS: Final = re.compile(r"\s*[-+]?[0-9][-+0-9T.:Z]*:\s+[a-z_][A-Za-z0-9_]*(?:[(\s.,]|$)")
"""A pattern of a line of atoms after a number that is not a time, or after a dateTime."""


def _extension_of_content(head: input_files.FileHead) -> str | None:
    """Return the usual extension of files whose content looks like that of the given file, or None."""
    from solver.traces.formats.atom_lines import is_atoms, is_log
    from solver.traces.formats.csv_lines import is_header
    from solver.traces.formats.quad_lines import is_timed, is_triple

    if head.start.startswith(input_files.PARQUET):
        return ".parquet"
    if head.start.startswith(input_files.ARROW):
        return ".arrow"
    if input_files.is_json_row(head.lines[0]):
        return ".jsonl"
    if is_header(head.lines[0]):
        return ".csv"
    if is_atoms(head.lines):
        return ".atoms"
    if is_log(head.lines):
        return ".log"
    if is_timed(head.lines):
        return ".nq"
    prefixed = re.search(rb"^\s*(@prefix|PREFIX)\s", head.start, re.MULTILINE)
    if b"generatedAtTime" in head.start or prefixed:
        return ".trig"
    # The reader of the format then names the part that is not a time.
    if is_triple(head.lines[0]):
        return ".nq"
    return ".atoms" if _ALMOST_ATOMS.match(head.lines[0]) else None


_LEAST: Final = 2**16
_MOST: Final = 2**20
"""The approximate maximum number of atoms that a task reads, if the job has many tasks."""


def file_parts(
    sources: Sequence[input_files.TraceFile], at_least: int
) -> list[tuple[input_files.TraceFile, ...]]:
    """Divide the files of a trace into parts, and return the parts for each task.

    A task can read several small parts. A large trace gives about `at_least` tasks or more.
    """
    sizes = [source.size for source in sources]
    each = max(_LEAST, min(_MOST, sum(sizes) // at_least))
    tasks: list[tuple[input_files.TraceFile, ...]] = []
    room = 0
    for source, size in zip(sources, sizes, strict=True):
        borders = source.format.borders(source, each)
        ends = zip((0, *borders), (*borders, None), strict=True)
        parts = [replace(source, begin=begin, end=end) for begin, end in ends]
        for part in parts:
            own = size // len(parts)
            if not tasks or own > room:
                tasks.append(())
                room = each
            tasks[-1] += (part,)
            room -= own
    return tasks


def prepare(paths: Sequence[Path], options: TraceOptions) -> tuple[input_files.TraceFile, ...]:
    """Return the files of a trace in arrival order, after checking the options against the files.

    The files of a folder are in the order of their numbers.

    Raises:
        LarsError: The options do not fit the files, or a file cannot be read.
    """
    if options.on_error == "skip":
        if options.rejected is None:
            raise LarsError("--on-error skip requires --rejected FILE, for the skipped lines")
        check_side_file(options.rejected, paths)
    unknown = [str(path) for path in options.streams if path not in paths]
    if unknown:
        raise LarsError(f"streams are named for files that the trace does not have: {', '.join(unknown)}")
    if not paths:
        raise LarsError(f"no trace given; expected {ACCEPTED}")
    listed = [(path, file) for path in paths for file in trace_files(path)]
    seen: set[Path] = set()
    for _, file in listed:
        if file.resolve() in seen:
            raise LarsError(f"{file}: the trace contains this file twice; use each file once")
        seen.add(file.resolve())
    sources = tuple(_source(index, path, file, options) for index, (path, file) in enumerate(listed))
    if options.time is not None and not any(source.format.of_messages for source in sources):
        raise LarsError("--time requires a trace of messages, such as RDF Messages")
    if options.blank_nodes is not None and all(source.of_atoms for source in sources):
        cause = "in atoms, equal labels always mean the same blank node"
        raise LarsError(f"--blank-nodes requires a trace of RDF, because {cause}")
    if options.unversioned and not any(source.format.of_messages for source in sources):
        raise LarsError("--reading messages=unversioned requires a trace of messages, such as RDF Messages")
    # A file without bytes can be a table without rows.
    if all(source.file.stat().st_size for source in sources):
        if options.column:
            _check_mapped(sources, options)
        if options.null and not any(source.format.is_mapped for source in sources):
            raise LarsError("--null requires a table with --column")
    if options.on_error == "skip" and options.origin is None:
        sources = tuple(map(_of_one_kind, sources))
    if options.arrival == IN_ORDER and (len(sources) > 1 or not sources[0].format.is_ordered):
        many = len(sources) > 1
        cause = f"{len(sources)} files have no common order" if many else "members of a page have no order"
        remedy = "one file, or a column of tables with the arrival times" if many else "a table, or a log"
        raise LarsError(f"{sources[0].path}: cannot use --arrival order: {cause}; use {remedy}")
    return sources


def _of_one_kind(source: input_files.TraceFile) -> input_files.TraceFile:
    """Return the file with a clock that only accepts the notation of its first time."""
    rows = chain.from_iterable(block.exact_rows for block in source.format.blocks(source, None))
    atoms = (part for row in rows for part in row.content if isinstance(part, input_files.TracedAtom))
    first = next(atoms, None)
    clock = replace(source.clock, kind=None if first is None else first.time.kind)
    arrivals = None if source.arrivals is None else replace(source.arrivals, clock=clock)
    return replace(source, clock=clock, arrivals=arrivals)


def _check_mapped(sources: Sequence[input_files.TraceFile], options: TraceOptions) -> None:
    """Raise LarsError if no table has the columns that the options map."""
    from solver.traces.formats.mapped_tables import MappedTable

    named = {None if name is None else stream_constant(name) for name, _ in options.columns}
    mapped = [source.stream for source in sources if isinstance(source.format, MappedTable)]
    if named - {stream if stream in named else None for stream in mapped}:
        names = ", ".join(source.path for source in sources[:5])
        raise LarsError(
            f"{names}: no table has all columns that --column maps; expected a table "
            "with these columns, or no --column"
        )


def trace_files(path: Path) -> list[Path]:
    """Return the files to read for a path: the file itself, or the traces in a folder, in order.

    Raises:
        LarsError: The path does not exist, or the files in the folder are not a trace.
    """
    if path == input_files.STANDARD_INPUT:
        return [path]
    if not exists(path):
        raise LarsError(f"{path}: no such file or folder")
    if not path.is_dir():
        return [path]
    inside = sorted(file for file in path.iterdir() if file.name[0] not in "._")
    turtle = [file for file in inside if input_files.bare(file).suffix == ".ttl"]
    if turtle:
        for file in turtle:
            if not NUMBERED.fullmatch(input_files.bare(file).name):
                raise LarsError(
                    f"{file}: the name of the file contains no time; use names such as "
                    "data_05.ttl in a folder"
                )
    tables = sorted((file for file in inside if file.suffix == ".parquet"), key=_name_with_numbers)
    files = sorted(turtle, key=file_number) or tables
    if not files:
        raise LarsError(f"{path}: the folder contains no trace; expected {ACCEPTED}")
    if other := next((file for file in inside if file not in files and _holds_trace(file)), None):
        kind = "data_NN.ttl" if turtle else ".parquet"
        raise LarsError(
            f"{path}: found {other.name} next to {kind} files; use one folder per format, or name the files"
        )
    return files


def _name_with_numbers(file: Path) -> list[str | int]:
    """Return the name of a file without its extension, with numbers in place of digits.

    >>> _name_with_numbers(Path("part.10-b2.parquet"))
    ['part.', 10, '-b', 2, '']
    """
    # Words and numbers alternate, so two names are comparable: part.2 comes before part.10.
    parts = re.split(r"([0-9]+)", file.stem)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def _holds_trace(file: Path) -> bool:
    """Return whether a file has the extension of a trace, or a folder contains such a file."""
    inside = (name for _, _, names in os.walk(file) for name in names) if file.is_dir() else (file.name,)
    return any(input_files.bare(Path(name)).suffix.lower() in EXTENSIONS for name in inside)


def _source(index: int, path: Path, file: Path, options: TraceOptions) -> input_files.TraceFile:
    plain = input_files.readable(file)
    name = input_files.bare(file)
    # A numbered file without a byte is a second in which nothing came.
    empty = (options.ends and name.suffix.lower() not in BINARY) or bool(NUMBERED.fullmatch(name.name))
    head = _head(file, plain, empty=empty)
    kind = format_of(head, mapped=bool(options.column))
    plain, skipped = _converted(kind, head, options)
    head = replace(head, plain=plain)
    origin = None if options.origin is None else instant_of(options.origin)
    names = options.streams.get(file, options.streams.get(path))
    columns = dict(options.columns)
    mapping = columns.get(names, columns.get(None))
    arrival, arrivals = None if options.arrival == IN_ORDER else options.arrival, None
    if arrival is not None and head.start:
        _check_arrival(str(file), arrival, kind.columns(head))
    if mapping is not None and _explains(mapping, kind.columns(head)):
        mappings = [mapping]
        if arrival is not None:
            timed = tuple((part, f"{{{arrival}}}" if part == "t" else text) for part, text in mapping)
            mappings.append(timed)
        kind, (plain, *late_tables), skipped = _mapped(str(file), plain, mappings, options, skipped)
        arrivals = next(iter(late_tables), None)
    elif kind.of_lines:
        check_line_ends(file, head.start.decode("latin-1"))
    candidates = () if names else options.query_streams
    if len(candidates) == 1:
        names = candidates[0]
    source = input_files.TraceFile(
        index,
        str(file),
        kind,
        # A task reads one file: it gets none of the other files' streams.
        replace(options, stream=None),
        Clock(options.time_point, options.trace_unit or options.time_point, origin),
        None if names is None else stream_constant(names),
        candidates,
        prefixes=options.prefixes,
        copy=None if plain == file else plain,
        skipped=skipped,
    )
    source = kind.begun(source, head, options)
    if arrival is None:
        return source
    late = replace(source, times=arrival) if arrivals is None else replace(source, copy=arrivals)
    return replace(source, arrivals=replace(late, by_arrival=True))


def _check_arrival(path: str, column: str, columns: input_files.TableColumns | None) -> None:
    """Raise LarsError if a file does not have the column of arrival times that the user named."""
    if columns is None:
        problem = f"cannot use --arrival {column}: the file has no columns"
        raise LarsError(f"{path}: {problem}; use --arrival order, or a table with arrival times")
    names, _ = columns
    if column not in names:
        problem = f"cannot use --arrival {column}: the table has no such column"
        raise LarsError(f"{path}: {problem}; use one of {', '.join(names)}, or --arrival order")


def _explains(mapping: "Columns", columns: input_files.TableColumns | None) -> bool:
    """Return whether a mapping applies to a table.

    If the table has the columns of a trace, the mapping applies only if all columns of the mapping exist.
    """
    from solver.traces.formats.mapped_tables import CELL

    if columns is None:
        return False
    names, of_trace = columns
    return not of_trace or {name for _, text in mapping for name in CELL.findall(text)} <= set(names)


def _converted(
    kind: input_files.FileFormat, head: input_files.FileHead, options: TraceOptions
) -> tuple[Path, tuple[input_files.Fault, ...]]:
    """Return the path of the file to read, and the lines that were left out, if invalid lines are skipped."""
    try:
        return kind.plain(head), ()
    except LarsError:
        faults = () if options.on_error == "stop" else tuple(kind.faults(head))
        if not faults:
            raise
        return kind.plain(replace(head, plain=input_files.without_faults(head.plain, faults))), faults


def _mapped(
    path: str,
    plain: Path,
    mappings: Sequence["Columns"],
    options: TraceOptions,
    skipped: tuple[input_files.Fault, ...],
) -> tuple[input_files.FileFormat, list[Path], tuple[input_files.Fault, ...]]:
    """Convert a table by each mapping to a table of triples.

    Returns:
        The format and the paths of the new tables, and all rows that were left out. If invalid lines are
        skipped, these include the faulty rows of a CSV file.
    """
    from solver.traces.formats.mapped_tables import MappedTable, conversion, faulty_rows, write_mapped

    def tables(plain: Path, dropped: tuple[input_files.Fault, ...] = ()) -> list[Path]:
        more, numbers = options.prefixes, tuple(number for number, *_ in (*skipped, *dropped))
        write = partial(write_mapped, path, plain, nulls=options.null, skipped=skipped, dropped=dropped)
        doing = conversion(path, plain)
        with under_way(lambda: doing):
            return [
                input_files.converted_file(
                    plain, (mapping, more, options.null, numbers), partial(write, mapping, dict(more))
                )
                for mapping in mappings
            ]

    try:
        return MappedTable(), tables(plain), skipped
    except LarsError:
        if options.on_error == "stop":
            raise
        faults, rest = faulty_rows(path, plain, tuple(chain.from_iterable(mappings)), skipped)
        if not faults:
            raise
        return MappedTable(), tables(rest, tuple(faults)), tuple(sorted((*skipped, *faults)))


def _head(file: Path, plain: Path, *, empty: bool) -> input_files.FileHead:
    try:
        with plain.open("rb") as reader:
            head = reader.read(HEAD)
    except OSError as error:
        raise system_error(file, error, "cannot be read") from None
    if not head and not empty:
        raise LarsError(
            f"{file}: the trace is empty; to evaluate without input, set the end of the timeline with "
            "--to TIME"
        )
    input_files.check_unpacked(file, head)
    if head.startswith(WIDE) and not head.startswith(input_files.ARROW):
        raise LarsError(
            f"{file}: found text in UTF-16; use UTF-8, such as the output of `iconv -f UTF-16 -t UTF-8`"
        )
    return input_files.FileHead(file, plain, head, _whole_lines(head))


def _whole_lines(head: bytes) -> list[str]:
    lines = head.decode("utf-8-sig", "replace").split(line_end(head).decode())
    return [line.rstrip("\r") for line in (lines if len(head) < HEAD else lines[:-1] or lines)]


@under_way(lambda: "reading the trace")
def read_columns(sources: Sequence[input_files.TraceFile], options: TraceOptions) -> TraceColumns:
    """Return a trace in columns, with atoms in the order of time, then of arrival.

    Several files are merged by time. At equal times, the atoms are in the order in which the user gave the
    files. Skipped lines are written to the file of --rejected, and a TraceWarning contains their number.

    Raises:
        LarsError: The input is invalid; the error has file, line and column.
    """
    columns = as_they_came(sources, options)
    return replace(columns, atoms=in_time_order(columns.atoms))


def read_arrivals(sources: Sequence[input_files.TraceFile], options: TraceOptions) -> TraceColumns:
    """Return a trace in columns; unless --sort is set, the atoms of a single file keep their order."""
    sort = options.sort or len(sources) > 1
    return read_columns(sources, options) if sort else as_they_came(sources, options)


@under_way(lambda: "reading the trace")
def as_they_came(sources: Sequence[input_files.TraceFile], options: TraceOptions) -> TraceColumns:
    """Return a trace in columns, in the order of its files and of their rows."""
    reading = PartReading(options, size=sum(source.size for source in sources))
    for source in sources:
        reading.add(source)
    atoms, rejected, arrived = reading.atoms(), reading.rejected, list[Summary]()
    files = sources
    check_elements(sources, options, atoms)
    if options.arrival == IN_ORDER:
        atoms = _in_their_order(atoms)
    elif options.arrival is not None:
        again = PartReading(options)
        again.terms = reading.terms
        late = [source.arrivals for source in sources if source.arrivals is not None]
        for source in late:
            again.add(source)
        arrived = [each._replace(file=each.file + len(sources)) for each in again.summaries]
        files = (*sources, *late)
        atoms = _arrived(atoms, again.atoms())
        rejected = _united(sources, again.rejected, rejected)
    stream_survey = survey(reading.summaries, len(rejected), files, options, arrived)
    report(stream_survey, rejected, sources, options)
    if any(some.since is not None and (some.since < some.t).any() for some in atoms.values()):
        raise_early(files, options)
    timed = stream_survey.timed(atoms)
    return TraceColumns(reading.terms, timed, stream_survey.last, stream_survey.zero, stream_survey.shift)


def _united(
    sources: Sequence[input_files.TraceFile], late: Sequence[RejectedRow], rejected: Sequence[RejectedRow]
) -> list[RejectedRow]:
    """Return the rows without a valid time of arrival, and other rejected rows, each row once."""
    rows = (*late, *rejected)
    numbers = {source.index: source.format.element_numbers(source) for source in sources if rows}

    def element(row: RejectedRow) -> tuple[int, int]:
        own = numbers[row.file]
        return row.file, row.place.line if own is None else own[row.place.line - 1]

    each = {element(row): row for row in rows}
    return [each[key] for key in sorted(each)]


def _in_their_order(atoms: Atoms) -> dict[Signature, InputAtoms]:
    """Return atoms with the arrival times that follow from their order in the file.

    The arrival time of an atom is the maximum of its time and all times before it in the file.
    """
    if not atoms:
        return {}
    every = together([replace(some, columns=()) for some in atoms.values()])
    order = np.argsort(every.arrival)
    since = np.empty_like(every.t)
    since[order] = np.maximum.accumulate(every.t[order])
    borders = np.cumsum([len(some.t) for some in atoms.values()])[:-1]
    parts = zip(atoms.items(), np.split(since, borders), strict=True)
    return {name: replace(some, since=own) for (name, some), own in parts}


def _arrived(atoms: Atoms, arrived: Atoms) -> dict[Signature, InputAtoms]:
    """Return the atoms with their arrival times, without atoms whose arrival time could not be read.

    An atom in `atoms` and an atom in `arrived` with the same number come from the same row.
    """
    both = {}
    for name in atoms.keys() & arrived.keys():
        one, other = atoms[name], arrived[name]
        _, places, others = np.intersect1d(one.arrival, other.arrival, return_indices=True)
        both[name] = replace(one.take(places), since=other.t[others])
    return both


def _once(
    rejected: Sequence[RejectedRow], numbers: Sequence[int] | None, before: int
) -> Sequence[RejectedRow]:
    """Return the rejected rows of a part once for each element, as lines that follow `before` other lines."""
    if numbers is not None:
        # A row of a mapped table is several triples.
        firsts = dict[int, RejectedRow]()
        for row in rejected:
            firsts.setdefault(numbers[row.place.line - 1], row)
        return [*firsts.values()]
    return [row._replace(place=replace(row.place, line=before + row.place.line)) for row in rejected]


class PartReading:
    """Collects the results of reading parts of a file: atoms, summaries of times, and rejected rows.

    Rows are numbered in arrival order from `first`. The field `lines` contains the number of lines of all
    parts that were read. The field `size` is the estimated number of rows. The field `rejected` contains the
    rejected rows once for each line of the user's file; in a format of lines, their lines count from the
    beginning of the first part of the file that was read.
    """

    def __init__(self, options: TraceOptions, first: int = 0, size: int = 0) -> None:
        self.summaries: list[Summary] = []
        self.rejected: list[RejectedRow] = []
        self.lines = 0
        self.terms = TermCodes()
        self._options = options
        self._atoms: defaultdict[Signature, list[InputAtoms]] = defaultdict(list)
        self._begun: dict[int, int] = {}
        self._rejected: list[RejectedRow] = []
        self._rows = first
        self._size = size
        self._memory = memory_used()

    def _doing(self, path: str) -> str:
        """Return a description of reading a file, with the memory that reading the whole trace takes."""
        if not self._size or not self._rows:
            return f"reading {path}"
        share = min(self._rows / self._size, 1)
        # A run ends before it reaches its limit.
        whole = size_text(int((self._memory + (memory_used() - self._memory) / share) * 16 / 15))
        return (
            f"reading {path}: about {share:.0%} of the trace is read; reading all of it takes about {whole}"
        )

    def add(self, part: input_files.TraceFile) -> None:
        """Read a part of a file, and add the results to this object.

        Raises:
            LarsError: The input is invalid and cannot be skipped. In a format of lines, the line of the error
                counts from the beginning of the part.
        """
        read, first = list[input_files.RowColumns](), self._rows
        before = (self.lines - self._begun.setdefault(part.index, self.lines)) * part.format.of_lines
        try:
            with under_way(partial(self._doing, part.path)):
                for block in part.format.blocks(part, self.terms):
                    read += self._columns_of(part, block)
                    self.lines += block.rows
                    tell(self._rows, self._size)
        except OSError as error:
            raise system_error(part.path, error, "cannot be read") from None
        numbers = part.format.element_numbers(part) if self._rejected else None
        if numbers is not None:
            # No triple of a skipped row is in the trace.
            out = np.isin(numbers, [numbers[row.place.line - 1] for row in self._rejected])[part.begin :]
            kept = (rows.take(~out[rows.numbers - first]) for rows in read)
            read = [rows for rows in kept if len(rows.numbers)]
        for rows in read:
            if rows.name is not None:
                self._atoms[rows.name].append(InputAtoms(rows.times, rows.numbers, rows.columns))
        self.summaries += summaries_of(read, part.index, self.terms, part.clock)
        self.rejected += _once(self._rejected, numbers, before)
        self._rejected = []

    def atoms(self) -> dict[Signature, InputAtoms]:
        """Return the atoms that were read, with times as values of Instant, and forget these atoms."""
        return {name: together(self._atoms.pop(name)) for name in [*self._atoms]}

    def _columns_of(
        self, source: input_files.TraceFile, block: input_files.RowBlock
    ) -> Iterator[input_files.RowColumns]:
        exact = [*self._checked(source, block)]
        numbers = block.numbers(exact) + self._rows
        self._rows = int(numbers[-1])
        for usual in block.usual:
            if len(usual.numbers):
                yield replace(usual, numbers=numbers[usual.numbers])
        atoms: defaultdict[Signature | None, list[tuple[int, input_files.TracedAtom]]] = defaultdict(list)
        for row in exact:
            for number, part in enumerate(row.content, int(numbers[row.place])):
                if isinstance(part, MalformedPart):
                    problem = source.problem(part.problem, no_time=part.no_time)
                    self._rejected.append(
                        RejectedRow(source.index, block.place(source.path, row, part), problem)
                    )
                else:
                    atoms[part.name].append((number, part))
        for name, numbered in atoms.items():
            yield self._in_columns(name, numbered)

    def _checked(
        self, source: input_files.TraceFile, block: input_files.RowBlock
    ) -> Iterator[input_files.ExactRow]:
        stop = self._options.on_error == "stop"
        for row in block.exact_rows:
            for part in row.content:
                if isinstance(part, MalformedPart) and (part.fatal or stop):
                    place = block.place(source.path, row, part)
                    raise source.error(place, part.problem, no_time=part.no_time)
            yield row

    def _in_columns(
        self, name: Signature | None, numbered: Sequence[tuple[int, input_files.TracedAtom]]
    ) -> input_files.RowColumns:
        """Return numbered atoms of one predicate, which were read one by one, as columns."""
        said = [
            (number, atom.time.kind, atom.time.value, self._stream_code(atom.stream), atom.time.zone)
            for number, atom in numbered
        ]
        numbers, kinds, times, streams, zones = np.array(said, np.int64).T
        texts = chain.from_iterable(atom.arguments for _, atom in numbered)
        columns = self.terms.codes(texts).reshape(len(numbered), 0 if name is None else name[1]).T
        spelling = kinds.astype(np.int8), times, tuple(columns), streams, zones.astype(np.int16)
        return input_files.RowColumns(name, numbers, *spelling)

    def _stream_code(self, stream: str | None) -> int:
        return (
            NULL_CODE
            if stream is None
            else NO_CODE
            if stream == input_files.ATOMS
            else self.terms.code(stream)
        )
