"""Names, strings and values of RDF terms in the SQL of SQLite and DuckDB.

For some values, SQL cannot decide a comparison; these cases are marked.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from lars.analysis import ExportError
from lars.dataclass import dataclass
from lars.errors import on_one_line, printable
from lars.language import terms
from lars.language.formulas import BodyLiteral
from lars.language.program import Rule, write_literal
from solver.rdf import value

_PLAIN: Final = re.compile(r"(ans|[a-z]+_)[a-z0-9_]*|now|timeline|violated", re.ASCII)
"""A pattern of names that need no quotes and are not keywords of SQL."""
_ROWS_OF_A_STATEMENT: Final = 500
"""The number of rows in one INSERT statement; SQLite's parser limits the length of a statement."""


def inexpressible(problem: str, rule: Rule | None, literal: BodyLiteral | None = None) -> ExportError:
    """Return the error for a construct that SQL cannot express exactly, with its body literal if known."""
    sentence = problem if literal is None else f"{write_literal(literal)}: {problem}"
    part = None if rule is None or literal is None else rule.body.index(literal)
    return ExportError(f"--format sql: {sentence}", rule, part)


def quote(text: str | terms.Term) -> str:
    r"""Return an SQL string with the text of a term.

    >>> print(quote("it's"), quote("\u202e"))
    'it''s' ('["\u202e"]' ->> 0)
    """
    held = str(text)
    if printable(held) == held:
        return "'" + held.replace("'", "''") + "'"
    # No other way to write a character that is not seen is known to both.
    return "('" + json.dumps([held]).replace("'", "''") + "' ->> 0)"


def identifier(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def columns(count: int, alias: str = "") -> list[str]:
    """Return the names of the columns that contain an atom's arguments: a1, a2 and so on."""
    return [f"{alias}a{place}" for place in range(1, count + 1)]


def remark(text: object) -> list[str]:
    """Return the lines of an SQL comment with the given text."""
    return [f"-- {line}".rstrip() for line in str(text).split("\n")]


def conjunction(parts: Iterable[str]) -> str:
    """Return the conjunction of SQL conditions; for no conditions, a condition that is always true."""
    return " AND ".join(parts) or "1 = 1"


class TableNames:
    """A unique name for each table; two names differ in more than upper and lower case."""

    def __init__(self) -> None:
        self._names: dict[object, str] = {}
        self._taken: set[str] = set()

    def of(self, key: object, text: str) -> str:
        """Return the table name for a key, based on `text`, and quoted if SQL requires quotes."""
        if key not in self._names:
            name, number = on_one_line(text), 1
            while name.lower() in self._taken:
                number += 1
                name = f"{on_one_line(text)}_{number}"
            self._taken.add(name.lower())
            self._names[key] = name if _PLAIN.fullmatch(name) else identifier(name)
        return self._names[key]

    def input(self, predicate: terms.Signature) -> str:
        """Return the name of the table of a predicate's input atoms."""
        return self.of(("input", predicate), f"atom_{predicate[0]}")

    def background_table(self, predicate: terms.Signature) -> str:
        """Return the name of the table of a predicate's background atoms, without the program's facts."""
        return self.of(("known", predicate), f"known_{predicate[0]}")

    def facts(self, predicate: terms.Signature) -> str:
        """Return the name of the table of a predicate's background atoms, with the program's facts."""
        return self.of(("facts", predicate), f"fact_{predicate[0]}")

    def derived(self, predicate: terms.Signature) -> str:
        """Return the name of the table of a predicate's derived atoms."""
        return self.of(("derived", predicate), predicate[0])


def insert_lines(table: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of SQL statements that insert rows of SQL expressions into a table."""
    for begin in range(0, len(rows), _ROWS_OF_A_STATEMENT):
        names = ",\n  ".join(f"({', '.join(row)})" for row in rows[begin : begin + _ROWS_OF_A_STATEMENT])
        yield f"INSERT INTO {table} VALUES\n  {names};"


def temporary(table: str, declared: str) -> Iterator[str]:
    """Yield the SQL statements that create an empty temporary table after dropping an existing one."""
    yield f"DROP TABLE IF EXISTS temp.{table};"
    yield f"CREATE TEMP TABLE {table} ({declared});"


_EXACT_DIGITS: Final = 15
"""The number of decimal digits that a double always keeps."""
_FLOATS: Final = "1.2e-38 AND 3.4e38"
"""The sizes of numbers that a float keeps with its full precision; beyond, it becomes 0 or an infinity."""

VALUE_VIEWS: Final = rf"""
-- What literals denote. kind: number, string, boolean, moment (a date or time), lang (with a language tag),
-- none (ill-typed, or of a type without values here), node (no literal), ? (not told: triple terms too).
-- A number of more than {_EXACT_DIGITS} digits is rounded, a float too: slack says how much.
-- The size of a float that is not told is outside {_FLOATS}.
DROP VIEW IF EXISTS temp.value;
DROP VIEW IF EXISTS temp.literal;
DROP VIEW IF EXISTS temp.lexical;
DROP TABLE IF EXISTS temp.compared;
CREATE TEMP TABLE compared (term TEXT);
CREATE TEMP VIEW lexical AS
SELECT term, type, text, lower(ltrim(substr(text, 1, 1), '+-') || substr(text, 2)) AS bare,
  CASE WHEN type IN ('<integer>', '<int>', '<long>') THEN 'whole' WHEN type = '<decimal>' THEN 'decimal'
    WHEN type IN ('<double>', '<float>') THEN 'double' ELSE '' END AS numeric_type
FROM (
  SELECT DISTINCT term,
    CASE WHEN substr(term, 1, 3) = '<<(' THEN '?' WHEN substr(term, 1, 1) <> '"' THEN 'node'
      WHEN substr(term, length(term), 1) = '"' THEN 'string'
      WHEN instr(plain, '"^^<') = 0 THEN 'lang'
      ELSE replace(substr(plain, instr(plain, '"^^<') + 3), '{terms.XSD}', '') END AS type,
    CASE WHEN instr(term, '\') > 0 THEN NULL WHEN substr(term, 1, 1) = '"'
      THEN substr(term, 2, instr(substr(term, 2), '"') - 1) END AS text
  FROM (
    SELECT term, replace(replace(term, '\\', ''), '\"', '') AS plain FROM compared WHERE term <> 'null'
  ) AS unescaped
) AS written;
CREATE TEMP VIEW literal AS
SELECT term, type, text, numeric_type, mantissa, replace(mantissa, '.', '') AS digits,
  CASE WHEN e > 0 THEN ltrim(substr(bare, e + 1, 1), '+-') || substr(bare, e + 2) ELSE '0' END AS exponent
FROM (
  SELECT *, CASE WHEN e > 0 THEN substr(bare, 1, e - 1) ELSE bare END AS mantissa
  FROM (SELECT *, CASE WHEN numeric_type = 'double' THEN instr(bare, 'e') ELSE 0 END AS e FROM lexical) AS cut
) AS parted;
CREATE TEMP VIEW value AS
SELECT term, kind, text,
  CASE WHEN kind = 'number' THEN CAST(text AS DOUBLE) WHEN text IN ('true', '1') THEN 1 ELSE 0 END AS number,
  CASE WHEN kind <> 'number' THEN 0 WHEN type = '<float>' THEN 1e-6
    WHEN length(digits) > {_EXACT_DIGITS} THEN 1e-14 ELSE 0 END AS slack
FROM (
  SELECT *, CASE
    WHEN type IN ('node', 'lang', 'string', '?') THEN type
    WHEN type IN ('<dateTime>', '<date>', '<time>') THEN 'moment'
    WHEN type = '<boolean>' THEN CASE WHEN text IN ('true', 'false', '1', '0') THEN 'boolean' ELSE 'none' END
    WHEN type LIKE '<%:%' THEN 'none'
    WHEN type LIKE '<%nteger>' AND numeric_type = '' OR type LIKE '<%hort>' OR type LIKE '<%yte>'
      OR type LIKE '<unsigned%>' THEN '?'
    WHEN numeric_type = '' OR text IS NULL THEN 'none'
    WHEN length(text) > 40 OR text IN ('NaN', 'INF', '-INF', '+INF') THEN '?'
    WHEN digits = '' OR exponent = '' OR trim(digits || exponent, '0123456789') <> ''
      OR length(mantissa) - length(digits) > CASE WHEN numeric_type = 'whole' THEN 0 ELSE 1 END THEN 'none'
    WHEN length(exponent) > 2 OR type = '<int>' AND length(digits) > 9
      OR type = '<long>' AND length(digits) > 18 THEN '?'
    WHEN type <> '<float>' OR trim(digits, '0') = '' THEN 'number'
    WHEN abs(CAST(text AS DOUBLE)) BETWEEN {_FLOATS} THEN 'number' ELSE '?' END AS kind
  FROM literal
) AS told;"""


@dataclass(frozen=True, slots=True)
class SqlTerm:
    """A term in SQL: an expression for its text, expressions for its RDF value, and its possible kinds.

    The fields with expressions have the names of the columns of the view `value`.
    """

    term: str
    kind: str
    number: str
    text: str
    slack: str
    kinds: frozenset[str]


KINDS: Final = frozenset(("number", "string", "boolean", "moment", "lang", "none", "node", "?"))


def looked_up(alias: str) -> SqlTerm:
    """Return the term in a row of the view `value`, whose name in the statement is `alias`."""
    term, kind, number, text, slack = (
        f"{alias}.{name}" for name in ("term", "kind", "number", "text", "slack")
    )
    return SqlTerm(term, kind, number, text, slack, KINDS)


def constant(term: terms.Constant) -> SqlTerm | None:
    """Return a constant as a term in SQL; None if SQL cannot express its RDF value."""
    kind, number, text = "node", "NULL", "NULL"
    match value(term):
        case bool() as truth:
            kind, number = "boolean", str(int(truth))
        case int() | Decimal() | float() as found if _is_short(found):
            kind, number = "number", str(found)
        case str() as plain if "\\" not in str(term):
            kind, text = "string", quote(plain)
        case None:
            kind = _kind_without_value(term)
        case _:
            return None
    return SqlTerm(quote(term), f"'{kind}'", number, text, "0", frozenset((kind,)))


def _is_short(number: float | Decimal) -> bool:
    digits = str(number).lower().partition("e")[0].strip("-").replace(".", "").lstrip("0")
    return digits.isdecimal() and len(digits) <= _EXACT_DIGITS if digits else number == 0


def _kind_without_value(term: terms.Constant) -> str:
    match term:
        case terms.Literal(language=str()):
            return "lang"
        case terms.Literal():
            return "none"
        case terms.TripleTerm():
            return "?"
        case terms.Iri() | terms.Blank() | terms.Symbol() | terms.Number():
            return "none" if term == terms.NULL else "node"
