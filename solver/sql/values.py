"""What RDF terms denote, in SQL: numbers, strings, booleans; and when SQL cannot tell."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from lars.language.terms import NULL, XSD, Blank, Constant, Iri, Literal, Number, Symbol
from solver.rdf import value
from solver.sql.sql_texts import quote

_EXACT_DIGITS: Final = 15
"""So many digits of a decimal number survive in a double, whatever the number."""

VALUE_VIEWS: Final = rf"""
-- What literals denote. kind: number, string, boolean, moment (a date or time), lang (with a language tag),
-- none (ill-typed, or of a type without values here), node (no literal), ? (not told here). A number of more
-- than {_EXACT_DIGITS} digits is rounded, a float too: slack says how much.
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
    CASE WHEN substr(term, 1, 1) <> '"' THEN 'node' WHEN substr(term, length(term), 1) = '"' THEN 'string'
      WHEN instr(term, '"^^<') = 0 THEN 'lang'
      ELSE replace(substr(term, instr(term, '"^^<') + 3), '{XSD}', '') END AS type,
    CASE WHEN instr(term, '\') > 0 THEN NULL WHEN substr(term, 1, 1) = '"'
      THEN substr(term, 2, instr(substr(term, 2), '"') - 1) END AS text
  FROM compared WHERE term <> 'null'
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
    WHEN type IN ('node', 'lang', 'string') THEN type
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
    ELSE 'number' END AS kind
  FROM literal
) AS told;"""


@dataclass(frozen=True, slots=True)
class SqlTerm:
    """A term of SQL with what it denotes: expressions for the columns of `value`; `kinds` it can have."""

    term: str
    kind: str
    number: str
    text: str
    slack: str
    kinds: frozenset[str]


_COLUMNS: Final = ("term", "kind", "number", "text", "slack")
KINDS: Final = frozenset(("number", "string", "boolean", "moment", "lang", "none", "node", "?"))


def looked_up(alias: str) -> SqlTerm:
    """Return what a row of `value` says."""
    term, kind, number, text, slack = (
        f"{alias}.{name}" for name in ("term", "kind", "number", "text", "slack")
    )
    return SqlTerm(term, kind, number, text, slack, KINDS)


def constant(term: Constant) -> SqlTerm | None:
    """Return what a constant denotes; None where SQL cannot tell."""
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


def _kind_without_value(term: Constant) -> str:
    match term:
        case Literal(language=str()):
            return "lang"
        case Literal():
            return "none"
        case Iri() | Blank() | Symbol() | Number():
            return "none" if term == NULL else "node"
