"""SPARQL's conditions in SQL, whose NULL is SPARQL's error; and arithmetic of the logic."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from lars.language.formulas import (
    Arithmetic,
    ArithmeticOperator,
    Call,
    Comparison,
    Expression,
    Operation,
    Relation,
)
from lars.language.terms import NULL, XSD, Constant, Literal, Number, Variable
from solver.sql.sql_texts import quote
from solver.sql.values import SqlTerm, constant

_ORDERS: Final = ("<", "<=", ">", ">=")
_STARTS: Final = {"ISIRI": "<", "ISURI": "<", "ISBLANK": "_", "ISLITERAL": '"'}
COVERED: Final = (
    "covered are =, !=, <, <=, >, >=, IN, &&, ||, !, BOUND, sameTerm, isIRI, isBlank, isLiteral, isNumeric "
    "of variables and constants"
)


class UnsaidError(Exception):
    """What SQL has no exact words for."""


@dataclass(frozen=True, slots=True)
class SqlTruth:
    """A condition of SQL, NULL where SPARQL has an error, and when SQL cannot tell (None: never)."""

    holds: str
    undecided: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VariableColumns:
    """How variables are written in SQL: the term itself, and what it denotes."""

    term: Mapping[Variable, str]
    denoted: Callable[[Variable], SqlTerm]


def truth(expression: Expression, names: VariableColumns) -> SqlTruth:
    """Return the effective boolean value of a condition; raises UnsaidError."""
    match expression:
        case Call("!", (inner,)):
            found = truth(inner, names)
            return SqlTruth(f"NOT ({found.holds})", found.undecided)
        case Call("&&" | "||" as sign, parts):
            return _connected("AND" if sign == "&&" else "OR", [truth(part, names) for part in parts])
        case Call("IN", (needle, *options)):
            found_options = [truth(Call("=", (needle, option)), names) for option in options]
            return _connected("OR", found_options) if options else SqlTruth("1 = 0")
        case Call("=" | "!=" | "<" | "<=" | ">" | ">=", sides) if NULL in sides:
            return SqlTruth("NULL")
        case Call("BOUND", (Variable() as variable,)):
            return SqlTruth(f"{names.term[variable]} <> {quote(NULL)}")
        case Call("SAMETERM", (left, right)):
            return SqlTruth(f"{_bound(left, names)} = {_bound(right, names)}")
        case Call(function, (one,)) if function in _STARTS:
            return SqlTruth(f"substr({_bound(one, names)}, 1, 1) = '{_STARTS[function]}'")
        case Call("ISNUMERIC", (Variable() as variable,)):
            kind = names.denoted(variable).kind
            return SqlTruth(f"{kind} = 'number'", (f"{kind} = '?'",))
        case Call("=" | "!=" as sign, (left, right)):
            found = _equal(_denoted(left, names), _denoted(right, names))
            return found if sign == "=" else SqlTruth(f"NOT ({found.holds})", found.undecided)
        case Call(sign, (left, right)) if sign in _ORDERS:
            return _ordered(sign, _denoted(left, names), _denoted(right, names))
        case Literal("true" | "false" as text, datatype) if datatype == XSD + "boolean":
            return SqlTruth("1 = 1" if text == "true" else "1 = 0")
        case _:
            raise UnsaidError(f"SQL has no exact words for it; {COVERED}")


def _connected(word: str, parts: list[SqlTruth]) -> SqlTruth:
    holds = f" {word} ".join(f"({part.holds})" for part in parts)
    return SqlTruth(holds, tuple(dict.fromkeys(one for part in parts for one in part.undecided)))


def _bound(expression: Expression, names: VariableColumns) -> str:
    """Return a term, NULL where it is unbound."""
    match expression:
        case Variable():
            return f"NULLIF({names.term[expression]}, {quote(NULL)})"
        case Call():
            raise UnsaidError(f"SQL has no exact words for it; {COVERED}")
        case _:
            return f"NULLIF({quote(expression)}, {quote(NULL)})"


def _denoted(expression: Expression, names: VariableColumns) -> SqlTerm:
    match expression:
        case Variable():
            return names.denoted(expression)
        case Call():
            raise UnsaidError(f"SQL has no exact words for it; {COVERED}")
        case _:
            return _constant(expression)


def _constant(term: Constant) -> SqlTerm:
    found = constant(term)
    if found is None:
        raise UnsaidError(
            f"SQL cannot compare with {term} exactly; covered are numbers of 15 digits and texts"
        )
    return found


def _both(kind: str, left: SqlTerm, right: SqlTerm) -> str:
    """Return when both terms are of a kind, as far as they are not for certain."""
    asked = [f"{one.kind} = '{kind}'" for one in (left, right) if one.kinds != {kind}]
    return " AND ".join(asked) or "1 = 1"


def _ordered(sign: str, left: SqlTerm, right: SqlTerm) -> SqlTruth:
    cases, undecided = [], _unknown(left, right)
    for kind in ("number", "string", "boolean"):
        if kind in left.kinds & right.kinds:
            one, other = (left.text, right.text) if kind == "string" else (left.number, right.number)
            cases.append(f"WHEN {_both(kind, left, right)} THEN {one} {sign} {other}")
            if kind == "string":
                texts = [f"{side.text} IS NULL" for side in (left, right) if len(side.kinds) > 1]
                undecided += [f"{_both(kind, left, right)} AND ({' OR '.join(texts)})"] if texts else []
    if "moment" in left.kinds & right.kinds:
        undecided.append(_both("moment", left, right))
    return SqlTruth(f"CASE {' '.join(cases)} END" if cases else "NULL", tuple(undecided))


def _equal(left: SqlTerm, right: SqlTerm) -> SqlTruth:
    kinds = left.kinds | right.kinds
    # What is unbound has no kind.
    unbound = [f"{side.kind} IS NULL" for side in (left, right) if len(side.kinds) > 1]
    cases = [f"WHEN {' OR '.join(unbound)} THEN NULL"] if unbound else []
    if "number" in left.kinds & right.kinds:
        cases.append(f"WHEN {_both('number', left, right)} THEN {left.number} = {right.number}")
    cases.append(f"WHEN {left.term} = {right.term} THEN 1 = 1")
    for kind, result in (("node", "1 = 0"), ("lang", "1 = 0"), ("none", "NULL")):
        asked = [f"{side.kind} = '{kind}'" for side in (left, right) if kind in side.kinds]
        cases += [f"WHEN {' OR '.join(asked)} THEN {result}"] if kind in kinds else []
    if "boolean" in left.kinds & right.kinds:
        cases.append(f"WHEN {_both('boolean', left, right)} THEN {left.number} = {right.number}")
    undecided = _unknown(left, right)
    moments = [f"{side.kind} = 'moment'" for side in (left, right) if "moment" in side.kinds]
    if moments:
        plain = [f"{side.kind} NOT IN ('node', 'lang')" for side in (left, right)]
        undecided.append(
            f"{left.term} <> {right.term} AND ({' OR '.join(moments)}) AND {' AND '.join(plain)}"
        )
    return SqlTruth(f"CASE {' '.join(cases)} ELSE 1 = 0 END", tuple(undecided))


def _unknown(left: SqlTerm, right: SqlTerm) -> list[str]:
    """Return when the terms have values that SQL does not know, or only roughly."""
    found = [f"{side.kind} = '?'" for side in (left, right) if "?" in side.kinds]
    slack = " + ".join(side.slack for side in (left, right) if len(side.kinds) > 1)
    if slack and "number" in left.kinds & right.kinds:
        size = f"abs({left.number}) + abs({right.number})"
        gap = f"abs({left.number} - {right.number})"
        found.append(f"{slack} > 0 AND {left.term} <> {right.term} AND {gap} <= ({slack}) * ({size})")
    return found


def comparison_text(comparison: Comparison, names: Mapping[Variable, str]) -> str:
    """Return a comparison of constants of the logic; one without value is true of nothing."""
    if comparison.relation in (Relation.EQUAL, Relation.UNEQUAL):
        sign = "=" if comparison.relation is Relation.EQUAL else "<>"
        return f"{as_term(comparison.left, names)} {sign} {as_term(comparison.right, names)}"
    left, right = number(comparison.left, names), number(comparison.right, names)
    return f"{left} {comparison.relation.value} {right}"


_EXACT: Final = 2**62
"""Integers of SQL have 64 bits: up to so many, sums and differences of two are exact."""
_DIVIDED: Final = 2**53
"""Up to so many DuckDB, whose / gives a fraction, divides exactly."""


def overflows(comparison: Comparison, names: Mapping[Variable, str]) -> tuple[str, ...]:
    """Return when SQL may have no exact number for a part of a comparison."""
    ordered = comparison.relation not in (Relation.EQUAL, Relation.UNEQUAL)
    sides = comparison.left, comparison.right
    found = [part for side in sides for part in _parts(side) if ordered or isinstance(side, Operation)]
    divided = [
        part.left
        for part in found
        if isinstance(part, Operation)
        if part.operator is ArithmeticOperator.DIVIDE
    ]
    limits = [
        *((_EXACT, part) for part in found if not isinstance(part, Number)),
        *((_DIVIDED, part) for part in divided),
    ]
    return tuple(f"abs({number(part, names)}) > {most}" for most, part in dict.fromkeys(limits))


def _parts(side: Arithmetic) -> Iterator[Arithmetic]:
    yield side
    if isinstance(side, Operation):
        yield from _parts(side.left)
        yield from _parts(side.right)


def as_term(side: Arithmetic, names: Mapping[Variable, str]) -> str:
    """Return a side as a term's text; NULL where arithmetic has no value."""
    match side:
        case Operation():
            return f"CAST({number(side, names)} AS TEXT)"
        case Variable():
            return names[side]
        case _:
            return quote(side)


def number(side: Arithmetic, names: Mapping[Variable, str]) -> str:
    """Return a side as a number of the logic; NULL where it is none."""
    match side:
        case Operation(operator, left, right):
            return _computed(operator, number(left, names), number(right, names))
        case Number(found):
            return str(found)
        case Variable():
            text = names[side]
            return f"CASE WHEN substr({text}, 1, 1) IN ({_NUMERIC}) THEN CAST({text} AS BIGINT) END"
        case _:
            return "NULL"


_NUMERIC: Final = ", ".join(f"'{one}'" for one in "-0123456789")


def _computed(operator: ArithmeticOperator, left: str, right: str) -> str:
    match operator:
        case ArithmeticOperator.PLUS | ArithmeticOperator.MINUS | ArithmeticOperator.TIMES:
            return f"({left} {operator.value} {right})"
        case ArithmeticOperator.MOD:
            return _remainder(left, right)
        case ArithmeticOperator.DIVIDE:
            # The rest taken off, division is exact; as a number with a fraction, where / gives one.
            return f"CAST(({left} - {_remainder(left, right)}) / NULLIF({right}, 0) AS BIGINT)"
        case _:
            assert_never(operator)


def _remainder(left: str, right: str) -> str:
    """Return the remainder of floor division, which has the sign of the divisor."""
    divisor = f"NULLIF({right}, 0)"
    return f"(({left} % {divisor} + {right}) % {divisor})"
