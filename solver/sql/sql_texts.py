"""Names and strings of SQL, as SQLite and DuckDB both read them."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lars.errors import LarsError, on_one_line, printable
from lars.language.formulas import BodyLiteral
from lars.language.program import Rule, write_literal
from lars.language.terms import Signature, Term

_PLAIN: Final = re.compile(r"(ans|[a-z]+_)[a-z0-9_]*|now|timeline|violated", re.ASCII)
"""What stands without quotes, and is no word of SQL."""
_AT_ONCE: Final = 500
"""So many rows stand in one statement; SQLite's parser has bounds."""


class InexpressibleInSqlError(LarsError):
    """What SQL cannot say exactly, with its rule, and the number of its body literal if it is one."""

    def __init__(self, problem: str, rule: Rule | None, literal: BodyLiteral | None = None) -> None:
        said = problem if literal is None else f"{write_literal(literal)}: {problem}"
        super().__init__(f"--format sql: {said}" + ("" if rule is None else f"\n  in the rule {rule}"))
        self.rule = rule
        self.part = None if rule is None or literal is None else rule.body.index(literal)


def quote(text: str | Term) -> str:
    r"""Return a term's text as a string of SQL.

    >>> print(quote("it's"), quote("\u202e"))
    'it''s' ('["\u202e"]' ->> 0)
    """
    held = str(text)
    if printable(held) == held:
        return "'" + held.replace("'", "''") + "'"
    # No other way to write a character that is not seen is known to both.
    return "('" + json.dumps([held]).replace("'", "''") + "' ->> 0)"


def identifier(name: str) -> str:
    """Return a name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def columns(count: int, alias: str = "") -> list[str]:
    """Return the names of the columns that hold an atom's arguments: a1, a2 and so on."""
    return [f"{alias}a{place}" for place in range(1, count + 1)]


def remark(text: object) -> list[str]:
    """Return the lines of a comment."""
    return [f"-- {line}".rstrip() for line in str(text).split("\n")]


def conjunction(parts: Iterable[str]) -> str:
    """Return the conjunction of conditions, true when there is none."""
    return " AND ".join(parts) or "1 = 1"


class TableNames:
    """A name of its own for each table, which differs from the others in more than the case of letters."""

    def __init__(self) -> None:
        self._names: dict[object, str] = {}
        self._taken: set[str] = set()

    def of(self, key: object, wanted: str) -> str:
        """Return the name of what the key stands for, in quotes where SQL needs them."""
        if key not in self._names:
            name, number = on_one_line(wanted), 1
            while name.lower() in self._taken:
                number += 1
                name = f"{on_one_line(wanted)}_{number}"
            self._taken.add(name.lower())
            self._names[key] = name if _PLAIN.fullmatch(name) else identifier(name)
        return self._names[key]

    def input(self, predicate: Signature) -> str:
        """Return the table of a predicate's input atoms."""
        return self.of(("input", predicate), f"atom_{predicate[0]}")

    def background_table(self, predicate: Signature) -> str:
        """Return the table of what B holds of a predicate beside the program's facts."""
        return self.of(("known", predicate), f"known_{predicate[0]}")

    def facts(self, predicate: Signature) -> str:
        """Return the table of all that B holds of a predicate of which the program has facts."""
        return self.of(("facts", predicate), f"fact_{predicate[0]}")

    def derived(self, predicate: Signature) -> str:
        """Return the table of a predicate that rules derive."""
        return self.of(("derived", predicate), predicate[0])


def insert_lines(table: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a statement that inserts rows of expressions; none without rows."""
    for begin in range(0, len(rows), _AT_ONCE):
        listed = ",\n  ".join(f"({', '.join(row)})" for row in rows[begin : begin + _AT_ONCE])
        yield f"INSERT INTO {table} VALUES\n  {listed};"


def temporary(table: str, declared: str) -> Iterator[str]:
    """Yield the statements that make an empty table for the session, in the place of one that was there."""
    yield f"DROP TABLE IF EXISTS temp.{table};"
    yield f"CREATE TEMP TABLE {table} ({declared});"
