"""Answers as the outside sees them: SPARQL 1.1 JSON bindings, and short text for tables."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from lars.terms import XSD, Blank, Constant, Iri, Literal, Variable
from solver.facts import Fact, constant_of
from solver.intervals import Row
from solver.ordering import sorted_rows
from translate.answers import Output

_WIDTH: Final = 40

Binding = dict[str, dict[str, str]]


def binding(variables: Sequence[Variable], row: Row) -> Binding:
    """Return a row as SPARQL 1.1 JSON: a term per variable, unbound variables are absent."""
    return {
        variable.name: json_term(constant_of(text))
        for variable, text in zip(variables, row, strict=True)
        if text is not None
    }


def json_term(term: Constant) -> dict[str, str]:
    """Return a term as SPARQL 1.1 JSON; a constant of a hand-written program is a plain literal."""
    match term:
        case Iri(value):
            return {"type": "uri", "value": value}
        case Blank(label):
            return {"type": "bnode", "value": label}
        case Literal(lexical, _, str() as language):
            return {"type": "literal", "value": lexical, "xml:lang": language}
        case Literal(lexical, datatype) if datatype != XSD + "string":
            return {"type": "literal", "value": lexical, "datatype": datatype}
        case Literal(lexical):
            return {"type": "literal", "value": lexical}
        case _:
            return {"type": "literal", "value": str(term)}


def bindings(variables: Sequence[Variable], rows: Iterable[Row]) -> list[Binding]:
    """Return rows as JSON, in the order of their texts."""
    return [binding(variables, row) for row in sorted(rows, key=row_order)]


def in_order(output: Output, found: Iterable[Row]) -> list[Row]:
    """Return the answers of the raw rows of ans1: as ORDER BY says, else in the order of their texts."""
    rows = sorted(found, key=row_order)
    if output.order:
        terms = [tuple(None if text is None else constant_of(text) for text in row) for row in rows]
        places = dict(zip(terms, rows, strict=True))
        rows = [places[row] for row in sorted_rows(terms, output.order)]
    return output.shown(rows)


def row_order(row: Row) -> tuple[tuple[bool, str], ...]:
    """Return what rows are sorted by: unbound first, then the terms' texts."""
    return tuple((text is not None, text or "") for text in row)


def json_triple(fact: Fact) -> dict[str, Any]:
    """Return a stream triple with its time, as a support is reported."""
    s, p, o, stream = fact.arguments
    terms = {name: json_term(constant_of(text)) for name, text in (("s", s), ("p", p), ("o", o))}
    return {"t": fact.t, "stream": json_term(constant_of(stream))["value"], **terms}


def short(text: str | None) -> str:
    """Return a term for a table: the last part of an IRI, the lexical form of a literal.

    >>> short('"25"^^<http://www.w3.org/2001/XMLSchema#integer>'), short("<http://e/shops#b>"), short(None)
    ('25', 'b', '-')
    """
    if text is None:
        return "-"
    match constant_of(text):
        case Iri(value):
            shown = value.rstrip("/#").replace("#", "/").rpartition("/")[2] or value
        case Literal(lexical):
            shown = lexical if len(lexical) <= _WIDTH else f"{lexical[: _WIDTH - 1]}…"
        case other:
            shown = str(other)
    return printable(shown)


def printable(text: str) -> str:
    r"""Return a text for a terminal: what would move the cursor or turn the line is escaped.

    >>> print(printable("a\x1b[2J\nb"))
    a\x1b[2J\nb
    """
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def plain(number: float) -> str:
    """Return a time for a reader: all its digits, and no fraction where there is none.

    >>> plain(1577836805001.0), plain(0.5)
    ('1577836805001', '0.5')
    """
    return f"{number:.3f}".rstrip("0").rstrip(".")


def short_row(row: Row) -> str:
    """Return a row for a table."""
    return f"({', '.join(map(short, row))})"
