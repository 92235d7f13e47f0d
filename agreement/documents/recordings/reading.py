"""Recognition and reading of files with recorded answers."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any, Final, assert_never, get_args

from agreement.documents.placed import json_of, json_of_line
from agreement.documents.recordings import json_answers
from agreement.documents.recordings.answer_tables import (
    ACCEPTED_CSV,
    ACCEPTED_TSV,
    read_answer_table,
    read_csv,
    read_tsv,
    tsv_term,
)
from agreement.documents.recordings.case import ACCEPTED_CASE, case_of
from agreement.documents.recordings.plain_answers import ACCEPTED_JSON, holds_lists, read_json
from agreement.documents.recordings.recording import Recording
from agreement.documents.recordings.yabench import ACCEPTED_YABENCH, read_yabench
from agreement.documents.requests import AnswersFormat, AnswersOptions
from lars.durations import MILLISECOND
from lars.errors import LarsError
from lars.files import BYTE_ORDER_MARK, TextFile, TextLine, decode, read_bytes
from solver.traces.formats.csv_lines import delimiter_of
from solver.traces.input_files import ARROW, PARQUET, bare, is_json_row, readable

ACCEPTED: Final = {
    "case": ACCEPTED_CASE,
    "csrbench": json_answers.ACCEPTED_CSRBENCH,
    "yabench": ACCEPTED_YABENCH,
    "sparql-json": json_answers.ACCEPTED_SPARQL_JSON,
    "csv": ACCEPTED_CSV,
    "tsv": ACCEPTED_TSV,
    "solve": json_answers.ACCEPTED_SOLVED,
    "json": ACCEPTED_JSON,
}
_NAMES: Final = ", ".join(get_args(AnswersFormat))
ACCEPTED_ANSWERS: Final = (
    f"recorded answers in one of the formats {_NAMES}, or a table: Parquet, Arrow, JSON lines"
)
_SUFFIXES: Final[Mapping[str, AnswersFormat]] = {".csv": "csv", ".tsv": "tsv", ".srj": "sparql-json"}
_KEYS: Final[Mapping[str, AnswersFormat]] = {
    "relations": "csrbench",
    "output": "case",
    "head": "sparql-json",
    "boolean": "sparql-json",
}
_LONGEST_LINE: Final = 2**20
_WITHOUT_COLUMNS: Final = {
    "case": frozenset[str](),
    "csrbench": frozenset[str](),
    "yabench": frozenset[str](),
    "solve": frozenset({"t", "?t"}),
}
"""The formats without columns, each with the names of its key with the times."""
_IN_MILLISECONDS: Final = ("csrbench", "yabench")


def read_recording(path: Path, options: AnswersOptions) -> Recording:
    """Return the answers of a file with times in milliseconds; for a case, return the recording of the case.

    Raises LarsError with the file, the place of an error, and the expected form.
    """
    recording = _recording_of(path, options)
    if not options.rename:
        return recording
    names = tuple(options.rename.get(name, name) for name in recording.variables)
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise LarsError(
            f"{path}: --rename gives two columns the name {twice}; found {', '.join(recording.variables)}"
        )
    return replace(recording, variables=names)


def _recording_of(path: Path, options: AnswersOptions) -> Recording:
    accepted = ACCEPTED_ANSWERS if options.answers_format is None else ACCEPTED[options.answers_format]
    is_row = options.answers_format is None and is_table(path)
    if is_row and (options.skipped is None or is_table(path, of_json=False)):
        return read_answer_table(path, options)
    # A pipe can be read only once, so its copy is read.
    source = decode(str(path), read_bytes(readable(path), accepted), accepted)
    # The reader of tables cannot skip a line of JSON.
    kind = options.answers_format or ("json" if is_row else recognise(source, bare(path).suffix.lower()))
    known = _WITHOUT_COLUMNS.get(kind)
    if options.time_variable and known is not None and known.isdisjoint(options.time_variable):
        raise LarsError(
            f"{path}: --time-variable {options.time_variable[0]} requires answers with columns; the format "
            f"{kind} has none; use no --time-variable, or another --answers-format"
        )
    if kind in _IN_MILLISECONDS:
        options = replace(options, unit=MILLISECOND)
    match kind:
        case "case":
            return case_of(path, source).recording
        case "csrbench":
            return json_answers.read_csrbench(source, options)
        case "yabench":
            return read_yabench(source, options)
        case "sparql-json":
            return json_answers.read_sparql_json(source, options)
        case "csv":
            return read_csv(source, options)
        case "tsv":
            return read_tsv(source, options)
        case "solve":
            return json_answers.read_solved(source, options)
        case "json":
            return read_json(source, options)
        case _:
            assert_never(kind)


_ALERTS: Final = frozenset(
    (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".srj", ".parquet", ".arrow", ".feather")
)


def is_log(text: str) -> bool:
    """Return whether a text is the name of a file that can be a log of alerts, by its extension."""
    return Path(text).suffix.lower() in _ALERTS


def is_table(path: Path, *, of_json: bool = True) -> bool:
    """Return whether a file begins like a table: Parquet, Arrow, or JSON lines of plain values.

    If `of_json` is false, JSON lines are not a table.
    """
    try:
        with readable(path).open("rb") as file:
            first = file.readline(_LONGEST_LINE).removeprefix(BYTE_ORDER_MARK)
            while first.isspace():
                first = file.readline(_LONGEST_LINE)
    except (OSError, LarsError):
        return False  # its reader reports the error
    if first.startswith((PARQUET, *ARROW)):
        return True
    return of_json and is_json_row(first.decode("utf-8", "replace"))


def recognise(source: TextFile, suffix: str) -> AnswersFormat:
    """Return the format of a text, by its first line, otherwise by the suffix of its file."""
    lines = source.lines()
    if not lines:
        raise source.error(0, f"the file is empty; expected {ACCEPTED_ANSWERS}")
    first = lines[0].text.strip()
    if first[0] in "{[":
        return _of_keys(lines, source)
    if first.isascii() and first.isdecimal():
        return "yabench"
    # SPARQL's TSV contains terms; other programs write plain texts.
    by_tabs: AnswersFormat = "tsv" if "?" in first or all(map(_are_terms, lines[1:2])) else "csv"
    if suffix in _SUFFIXES:
        return by_tabs if suffix == ".tsv" else _SUFFIXES[suffix]
    separator = delimiter_of(first)
    names = {name.strip().strip('"').lstrip("?$") for name in first.split(separator)}
    # Without a usual name of times, the values of a table with names of columns determine the column.
    is_named = all(map(str.isidentifier, names)) and all(separator in line.text for line in lines[:2])
    if is_named or not names.isdisjoint(json_answers.TIME_VARIABLES):
        return by_tabs if separator == "\t" or first[0] == "?" else "csv"
    problem = (
        f"neither the name of the file nor its first line determines the format; expected {ACCEPTED_ANSWERS}"
    )
    raise source.error(0, problem)


def _are_terms(line: TextLine) -> bool:
    """Return whether each field of a line of TSV is empty or an RDF term."""
    try:
        for text in line.text.split("\t"):
            tsv_term(text)
    except LarsError:
        return False
    return True


def _of_keys(lines: list[TextLine], source: TextFile) -> AnswersFormat:
    by_line = json_answers.one_a_line(lines)
    document = json_of_line(lines[0], ACCEPTED_ANSWERS) if by_line else json_of(source, ACCEPTED_ANSWERS)
    keys = document.content if isinstance(document.content, dict) else ()
    for key, kind in _KEYS.items():
        if key in keys:
            return kind
    if holds_lists(document.content):
        return "solve" if _is_solved(document.content) else "json"
    content = document.content if isinstance(document.content, dict) else {}
    inner = next((key for key, value in content.items() if isinstance(value, dict)), None)
    if inner is not None:
        problem = "found a nested object; expected objects with values only"
        path = f'.["{inner}"]'
        flat = f", for example from jq -c '. + {path} | del({path})' FILE > FILE.jsonl"
        raise document.error((inner,), f"{problem}{flat if inner.isidentifier() else ''}")
    text = f"an object with the keys {', '.join(keys)}" if keys else "an object without keys"
    raise document.error((), f"found {text}; expected {ACCEPTED_ANSWERS}")


def _is_solved(content: Any) -> bool:
    """Return whether an object is a line of `lars solve --json`: a time point, and rows of RDF terms."""
    match content:
        case {"t": int(), "rows": [*rows]}:
            return all(isinstance(row, dict) and not _plain(row) for row in rows)
    return False


def _plain(row: Mapping[str, Any]) -> bool:
    return any(not isinstance(value, dict | NoneType) for value in row.values())
