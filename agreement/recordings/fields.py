"""The fields of CSV (RFC 4180) and of TSV, with their places."""

import re
from dataclasses import dataclass

from agreement.recordings.source import Source, lines_of
from solver.rdf import short

_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"(?!")')
_BARE = re.compile(r'[^",\r\n]*')
_END = re.compile(r",|\r?\n|\Z")


@dataclass(frozen=True, slots=True)
class Field:
    """The text of a field, without quotes around it, and the offset where it starts."""

    text: str
    offset: int


def csv_records(source: Source) -> list[list[Field]]:
    """Return the records of a CSV text, without blank lines; raises LarsError with its place."""
    found: list[list[Field]] = []
    record: list[Field] = []
    text, at = source.text, 0
    while at < len(text) or record:
        field, at = _csv_field(source, at)
        record.append(field)
        end = _END.match(text, at)
        if end is None:
            problem = f"found {short(text[at : at + 20])} after a field; accepted: a comma, or the line's end"
            raise source.error(at, problem)
        at = end.end()
        if end[0] != ",":
            found.append(record)
            record = []
    return [record for record in found if len(record) > 1 or record[0].text.strip()]


def _csv_field(source: Source, at: int) -> tuple[Field, int]:
    if not source.text.startswith('"', at):
        found = _BARE.match(source.text, at)
        end = at if found is None else found.end()
        return Field(source.text[at:end], at), end
    quoted = _QUOTED.match(source.text, at)
    if quoted is None:
        problem = 'found a quoted field that does not end, the text is cut off; accepted: "..", with "" for "'
        raise source.error(at, problem)
    return Field(quoted[1].replace('""', '"'), at), quoted.end()


def tsv_records(source: Source) -> list[list[Field]]:
    """Return the records of a TSV text, without blank lines."""
    found = []
    for line in lines_of(source):
        record, offset = [], line.offset
        for text in line.text.split("\t"):
            record.append(Field(text, offset))
            offset += len(text) + 1
        found.append(record)
    return found


def check_width(source: Source, record: list[Field], names: list[str]) -> None:
    """Raise LarsError for a record that has more or fewer fields than there are columns."""
    if len(record) != len(names):
        last = record[min(len(record), len(names) + 1) - 1]
        cut = (
            ", the text is cut off" if not source.text[last.offset + len(last.text) :].strip('"\r\n ') else ""
        )
        problem = f"found {len(record)} fields{cut if len(record) < len(names) else ''}"
        raise source.error(last.offset, f"{problem}; accepted: {len(names)}, {', '.join(names)}")
