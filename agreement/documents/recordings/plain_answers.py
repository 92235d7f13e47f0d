"""Answers in JSON with plain values: an array or lines of objects with a time, as most programs write them.

An object is one row, or one report with a list of rows.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from math import isinf
from typing import Any, Final

from agreement.documents import placed
from agreement.documents.recordings import answer_tables, json_answers, recording, term_entries
from agreement.documents.requests import AnswersOptions
from lars.errors import LarsError, PlacedError
from lars.files import TextFile
from lars.language.terms import XSD, Literal

ACCEPTED_JSON: Final = (
    'an array or lines of objects with a time and a list of rows, {"time": "2026-05-04T10:00:05Z", "rows": '
    '[{"x": 1}]}, or with a time and the values of one row, {"time": 5, "x": 1}'
)
_TYPES: Final[Mapping[type, str]] = {bool: "boolean", int: "integer", float: "double"}

_LISTS: Final = ("rows", "results", "bindings", "answers", "solutions")
"""The keys of arrays that may be empty; under any other key, an empty array may be a value of a row."""

_Placed = tuple[placed.PlacedData, placed.KeyPath, Any]
"""A value in a document, with its path."""


def holds_lists(content: Any) -> bool:
    """Return whether a JSON document is an array, or an object with an array of rows or answers."""
    return isinstance(content, list) or (isinstance(content, dict) and any(_lists(content)))


def read_json(source: TextFile, options: AnswersOptions) -> recording.Recording:
    """Return the reports of an array or lines of objects with plain values.

    An object with an array of rows is one report, which may have no row; its other keys are ignored. Any
    other object is a row: consecutive rows with equal times form one report. A value is a number, a boolean,
    an RDF term in N-Triples syntax, a term as in SPARQL JSON, or another text. If a value is another text,
    all terms are compared by their lexical forms. Raises LarsError with the place of an error.
    """
    names, before, texts = dict[str, None](), 0.0, list[str]()
    reports, rows_before = list[tuple[float, list[dict[str, str | None]]]](), False
    has_lists = False
    entries = list(_entries(source, options))
    guessed: str | None = None
    for document, path, entry in entries:
        column = answer_tables.known_column_of_times([*entry], options) or guessed
        if column is None or column not in entry:
            column = guessed = answer_tables.column_of_times(
                [*entry], options, partial(document.error, path), partial(_cells, entries)
            )
        own = list[str]()
        try:
            t = json_answers.time_at(document, (*path, column), entry[column], options, before)
            where = _only_list(document, path, entry)
            rows = [(path, {name: entry[name] for name in entry if name != column})]
            if where is not None:
                rows = list(_members(document, (*path, *where)))
            found = [{name: _term(document, (*at, name), row[name], own) for name in row} for at, row in rows]
        except LarsError as error:
            answer_tables.skip(options, document.value_text(path), error)
            continue
        texts += own
        names |= dict.fromkeys(name for row in found for name in row)
        if where is None and rows_before and t == before:
            reports[-1][1].extend(found)
        else:
            reports.append((t, found))
        before, rows_before, has_lists = t, where is None, has_lists or where is not None
    answers = replace(recording.recording_of(names, reports), rows_only=not has_lists)
    return replace(recording.made_lexical(answers), lexical=True) if texts else answers


def _cells(entries: list[_Placed], name: str) -> Iterator[str]:
    """Yield the texts under a key in all objects; a value that is not plain has the text ""."""
    for _, _, entry in entries:
        value = entry.get(name)
        yield str(value) if isinstance(value, str | int | float | Decimal) else ""


def _entries(source: TextFile, options: AnswersOptions) -> Iterator[_Placed]:
    """Yield the objects with a time of a text."""
    lines = source.lines()
    if json_answers.one_a_line(lines):
        for line in lines:
            try:
                document = placed.json_of_line(line, ACCEPTED_JSON, _fraction)
                if not isinstance(document.content, dict):
                    raise document.error(
                        (), f"found {placed.shown_json(document.content)}; expected {ACCEPTED_JSON}"
                    )
            except LarsError as error:
                answer_tables.skip(options, line.text, error)
            else:
                yield document, (), document.content
        return
    document = placed.json_of(source, ACCEPTED_JSON, _fraction)
    if not isinstance(document.content, list | dict):
        raise document.error((), f"found {placed.shown_json(document.content)}; expected {ACCEPTED_JSON}")
    if isinstance(document.content, list):
        members = _members(document, ())
    elif answer_tables.known_column_of_times([*document.content], options) is not None:
        members = iter([((), document.content)])
    else:
        where = _only_list(document, (), document.content) or ()
        members = _members(document, where)
    for path, entry in members:
        yield document, path, entry


def _fraction(text: str) -> float | Decimal:
    """Return a number with a fraction or an exponent: a double, or a decimal if a double has fewer digits.

    >>> _fraction("21.50"), _fraction("0.1234567890123456789"), _fraction("1e400")
    (21.5, Decimal('0.1234567890123456789'), inf)
    """
    number = float(text)
    is_kept = "e" in text.lower() or Decimal(text) == Decimal(repr(number))
    return number if is_kept else Decimal(text)


def _members(document: placed.PlacedData, path: placed.KeyPath) -> Iterator[tuple[placed.KeyPath, Any]]:
    """Yield the objects in the array at a path, each with its path."""
    content = document.content
    for step in path:
        content = content[step]
    for number, member in enumerate(content):
        at = (*path, number)
        if not isinstance(member, dict):
            raise document.error(at, f"found {placed.shown_json(member)}; expected {ACCEPTED_JSON}")
        yield at, member


def _lists(entry: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the arrays in an object: its values, and the bindings of SPARQL JSON."""
    for name, value in entry.items():
        if isinstance(value, list):
            yield (name,)
        elif isinstance(value, dict) and isinstance(value.get("bindings"), list):
            yield name, "bindings"


def _only_list(
    document: placed.PlacedData, path: placed.KeyPath, entry: Mapping[str, Any]
) -> tuple[str, ...] | None:
    found = list(_lists(entry))
    if len(found) > 1:
        names = " and ".join(placed.path_text(one) for one in found[:2])
        raise document.error(path, f"found several arrays, such as {names}; expected {ACCEPTED_JSON}")
    if found and found[0][0] not in _LISTS and not entry[found[0][0]]:
        raise document.error((*path, *found[0]), f"found an empty array; expected {ACCEPTED_JSON}")
    return found[0] if found else None


def _term(document: placed.PlacedData, path: placed.KeyPath, value: Any, texts: list[str]) -> str | None:
    """Return the RDF term of a value; a text that is no term is a string, and is added to `texts`."""
    match value:
        case None:
            return None
        case str():
            if not value:
                return None  # as in tables
            if (term := answer_tables.term_in(value)) is None:
                texts.append(value)
            return term or str(Literal(value))
        case dict():
            try:
                return placed.checked_at(term_entries.TermEntry, document, path, value).text()
            except LarsError as error:
                raise error if isinstance(error, PlacedError) else document.error(path, str(error)) from None
        case list():
            raise document.error(path, f"found an array; expected {ACCEPTED_JSON}")
        case Decimal():
            return str(Literal(format(value, "f"), f"{XSD}decimal"))
        case float() if isinf(value):  # 1e400
            raise document.error(
                path, "found a number that is too large for a double; expected a finite number"
            )
        case _:
            return str(Literal(json.dumps(value), XSD + _TYPES[type(value)]))
