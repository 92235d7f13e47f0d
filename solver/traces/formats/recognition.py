"""Which format a file of a trace has: its name says it, else how it begins."""

import json
import re
from collections.abc import Callable
from typing import Final

from lars.errors import LarsError
from solver.facts import bare
from solver.traces.formats.atom_lines import AtomLines, is_atoms
from solver.traces.formats.csv_lines import CsvLines, is_header
from solver.traces.formats.graphs import NUMBERED, NumberedTurtle, TrigFile
from solver.traces.formats.quad_lines import QuadLines, is_timed
from solver.traces.trace_files import FileFormat, FileHead

ACCEPTED: Final = (
    "TriG (.trig), timed N-Triples or N-Quads lines (.nt, .nq), lines of atoms as in 18: near(a). "
    "(.atoms), CSV, Parquet, Arrow and JSON lines with the columns t, stream, s, p, o or t, atom, a folder "
    "of files data_NN.ttl, a folder of .parquet files"
)


def _parquet() -> FileFormat:
    # Loads Arrow, which other formats do not need to be recognised.
    from solver.traces.formats.tables import ParquetTable

    return ParquetTable()


def _arrow() -> FileFormat:
    from solver.traces.formats.arrow_files import ArrowTable

    return ArrowTable()


def _json() -> FileFormat:
    from solver.traces.formats.arrow_files import JsonTable

    return JsonTable()


ARROW: Final = (b"ARROW1", b"\xff\xff\xff\xff")
"""How a file of Arrow begins, and how a stream of it does."""
BINARY: Final = (".parquet", ".arrow", ".feather")
"""Files of these names have content where they have no row, too."""
_EXTENSIONS: Final[dict[str, Callable[[], FileFormat]]] = {
    ".trig": TrigFile,
    ".nt": QuadLines,
    ".nq": QuadLines,
    ".atoms": AtomLines,
    ".csv": CsvLines,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".ndjson": _json,
    ".jsonl": _json,
}


def is_json_row(line: str) -> bool:
    """Return whether a line is an object of JSON whose values are numbers, texts, true, false or null.

    >>> is_json_row('{"t": 1, "who": "ann"}'), is_json_row('{"t": 1, "rows": []}')
    (True, False)
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and not any(isinstance(one, dict | list) for one in found.values())


def format_of(head: FileHead) -> FileFormat:
    """Return the format of a file; raises LarsError where neither its name nor its content tells."""
    name = bare(head.path)
    if NUMBERED.fullmatch(name.name):
        return NumberedTurtle()
    if name.suffix == ".ttl":
        raise LarsError(f"{head.path}: a Turtle file holds no times; name it data_NN.ttl, or write TriG")
    if known := _EXTENSIONS.get(name.suffix.lower()):
        return known()
    if not head.start:
        return QuadLines()
    if head.start.startswith(b"PAR1"):
        return _parquet()
    if head.start.startswith(ARROW):
        return _arrow()
    if is_json_row(head.lines[0]):
        return _json()
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
