"""Traces in CSV, one record a line: t, stream, s, p, o with terms as in N-Triples, or t, atom."""

import re
from typing import Final

from lars.errors import Place, PlacedError
from lars.terms import Atom
from solver.rdf import NotATerm, canonical, short
from solver.traces.atom_lines import ATOM_COLUMNS, cell_atom, reading_at
from solver.traces.quad_lines import LineToken, reading
from solver.traces.trace_elements import TracedAtom, TraceFile, check_roles
from solver.traces.trace_times import Malformed, read_time

COLUMNS: Final = ("t", "stream", "s", "p", "o")

_FIELD = re.compile(r'(?:"(?P<quoted>[^"]*(?:""[^"]*)*)"|(?P<plain>[^",]*))(?P<end>,|$)')


def _fields(line: str) -> list[LineToken]:
    found: list[LineToken] = []
    at = 0
    while True:
        match = _FIELD.match(line, at)
        if match is None:
            raise Malformed(
                f"found {short(line[at:])}; accepted: a field without quotes or commas, or in quotes on one "
                'line with each inner quote doubled, as in """text"""',
                at + 1,
            )
        quoted = match["quoted"]
        text = match["plain"] if quoted is None else quoted.replace('""', '"')
        found.append(LineToken("plain" if quoted is None else "quoted", text, at + 1))
        at = match.end()
        if not match["end"]:
            return found


def is_header(line: str) -> bool:
    """Return whether a line is the header of a CSV trace."""
    names = {name.strip() for name in line.split(",")}
    return names in (set(COLUMNS), set(COLUMNS) - {"stream"}, set(ATOM_COLUMNS))


def read_header(path: str, line: str) -> tuple[str, ...]:
    """Return the column names of a CSV trace in their order; raise when it is no header."""
    if not is_header(line):
        accepted = "the columns t, stream, s, p, o, or t, atom, in any order"
        problem = f"found {short(line)} as header; accepted: {accepted}"
        raise PlacedError(Place(path, 1, 1, line), problem)
    return tuple(name.strip() for name in line.split(","))


def read_record(source: TraceFile, line: str) -> TracedAtom | None:
    """Return what a line of a CSV file says, None for an empty line; raise Malformed."""
    if not line:
        return None
    fields = _fields(line)
    if len(fields) != len(source.header):
        accepted = f"{len(source.header)}, as in the header {','.join(source.header)}"
        raise Malformed(f"found {len(fields)} fields; accepted: {accepted}", fields[-1].column)
    named = dict(zip(source.header, fields, strict=True))
    try:
        written = read_time(named["t"].text)
    except Malformed as error:
        raise Malformed(error.problem, named["t"].column) from None
    if "atom" in named:
        return reading_at(source, written, _atom(named["atom"]), named["t"].column)
    triple = (_cell(named["s"]), _cell(named["p"]), _cell(named["o"]))
    check_roles(triple, [named[name].column for name in "spo"])
    own = _cell(named["stream"]) if "stream" in named and named["stream"].text else None
    return reading(source, written, own, triple, named["t"].column)


def _atom(field: LineToken) -> Atom | None:
    try:
        return cell_atom(field.text)
    except PlacedError as error:
        before = field.text[: error.place.column - 1]
        quotes = 1 + before.count('"') if field.kind == "quoted" else 0
        raise Malformed(error.problem, field.column + len(before) + quotes) from None


def _cell(field: LineToken) -> str:
    return cell_text(field.text, field.column)


def cell_text(text: str, column: int) -> str:
    """Return the canonical text of a table's cell: a term as in N-Triples, or a bare IRI."""
    bare = text[:1] not in ("<", '"', "_") and ":" in text
    try:
        return canonical(f"<{text}>" if bare else text)
    except NotATerm as error:
        raise Malformed(f"{error}, or a bare absolute IRI", column) from None
