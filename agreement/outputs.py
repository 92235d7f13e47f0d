"""Answers and findings for a reader: rows in order, short terms, counts, and tables."""

from collections.abc import Container, Iterable, Sequence
from typing import Final

from rich.table import Table

from lars.terms import Iri, Literal, Variable
from solver.facts import constant_of
from solver.rdf import sorted_rows
from solver.runs import Row
from translate.tau import Output

_WIDTH: Final = 40


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


def header(variables: Iterable[Variable]) -> str:
    """Return the names of a row's columns."""
    return f"({', '.join(f'?{variable.name}' for variable in variables)})"


def counted(count: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(2, "row"), counted(0, "push")
    ('1 row', '2 rows', '0 pushes')
    """
    plural = "es" if noun.endswith("sh") else "s"
    return f"{count} {noun}{'' if count == 1 else plural}"


def some(texts: Sequence[str], most: int, joint: str = ", ") -> str:
    """Return the first texts, and how many more there are.

    >>> some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return joint.join(texts[:most]) + more


def table(title: str | None, *columns: str, right: Container[str] = (), fold: bool = False) -> Table:
    """Return a table without rows; numbers stand `right`, texts `fold` where they are too long."""
    found = Table(title=title, title_justify="left")
    for name in columns:
        found.add_column(
            name, justify="right" if name in right else "left", overflow="fold" if fold else "ellipsis"
        )
    return found
