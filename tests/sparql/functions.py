"""SPARQL 1.1 expressions, evaluated as 17.2 to 17.4 say, for the reference evaluator."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, assert_never

from tests.sparql.syntax import Aggregate, Blank, Exists, Iri, Literal, Op, Var
from tests.sparql.values import (
    DECIMAL,
    DOUBLE,
    LANG_STRING,
    MOMENT,
    RELATIONS,
    STRING,
    Error,
    UndeterminedError,
    arithmetic,
    effective,
    equal,
    is_number,
    literal,
    number,
    ordered,
    value,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression is evaluated: a solution, how EXISTS is decided, what aggregates are."""

    solution: dict[str, Any]
    exists: Callable[..., bool]
    aggregate: Callable[..., Any] | None = None


def evaluate(expression, scope):
    """Return the term that an expression has as value; raises Error."""
    match expression:
        case Var(name):
            if name not in scope.solution:
                raise Error
            return scope.solution[name]
        case Iri() | Literal() | Blank():
            return expression
        case Exists(group, negated):
            return literal(scope.exists(group, scope.solution) is not negated)
        case Aggregate():
            assert scope.aggregate is not None
            return scope.aggregate(expression)
        case Op():
            return called(expression, scope)
        case _:
            assert_never(expression)


def truth(expression, scope):
    """Return the effective boolean value, or None for an error."""
    try:
        return effective(evaluate(expression, scope))
    except Error:
        return None


def called(call, scope):
    name, arguments = call.name, call.arguments
    match name:
        case "&&" | "||":
            return connected(name == "||", [truth(one, scope) for one in arguments])
        case "BOUND":
            return literal(not isinstance(arguments[0], Var) or arguments[0].name in scope.solution)
        case "IF":
            return evaluate(arguments[1 if effective(evaluate(arguments[0], scope)) else 2], scope)
        case "COALESCE":
            return coalesced(arguments, scope)
        case "IN" | "NOT IN":
            return among(arguments, scope, wanted=name == "IN")
        case _:
            return applied(name, [evaluate(one, scope) for one in arguments])


def connected(decisive, truths):
    """Return `||` (decisive is true) or `&&` of truth values, None being an error (17.2)."""
    if decisive in truths:
        return literal(decisive)
    if None in truths:
        raise Error
    return literal(not decisive)


def coalesced(arguments, scope):
    for one in arguments:
        try:
            return evaluate(one, scope)
        except Error:
            continue
    raise Error


def among(arguments, scope, *, wanted):
    try:
        needle, failed = evaluate(arguments[0], scope), False
    except Error:
        if arguments[1:]:
            raise
        # An error by 17.2 (an unbound argument), false as an empty disjunction by 17.4.1.9.
        raise UndeterminedError from None
    for one in arguments[1:]:
        try:
            if equal(needle, evaluate(one, scope)):
                return literal(wanted)
        except Error:
            failed = True
    if failed:
        raise Error
    return literal(not wanted)


def applied(name, terms):
    match name:
        case "=" | "!=":
            return literal(equal(*terms) is (name == "="))
        case "+" | "-" | "*" | "/":
            return arithmetic(name, *terms)
        case "!":
            return literal(not effective(*terms))
        case "NEG":
            return literal(-number(*terms))
        case "ABS":
            return literal(abs(number(*terms)))
        case _ if name in RELATIONS:
            return literal(ordered(name, *terms))
        case _:
            return FUNCTIONS[name](*terms)


def string(term):
    """Return a string literal, with a language or without; raises Error for anything else."""
    if isinstance(term, Literal) and (term.language is not None or term.datatype == STRING):
        return term
    raise Error


def pair(one, two):
    """Return the texts of two compatible string literals (17.4.3.1.2)."""
    string(one), string(two)
    if two.language is not None and two.language != one.language:
        raise Error
    return one.lexical, two.lexical


def str_(term):
    if isinstance(term, Iri):
        return Literal(term.value)
    if isinstance(term, Blank):
        raise Error
    if term.datatype in (DECIMAL, DOUBLE) and value(term) is not None:
        raise UndeterminedError  # the lexical form of a computed number is the engine's
    return Literal(term.lexical)


def lang(term):
    if not isinstance(term, Literal):
        raise Error
    return Literal(term.language or "")


def datatype(term):
    if not isinstance(term, Literal):
        raise Error
    return Iri(LANG_STRING if term.language is not None else term.datatype)


def concat(*terms):
    text = "".join(string(term).lexical for term in terms)
    languages = {term.language for term in terms}
    (language,) = languages if len(languages) == 1 else (None,)
    return Literal(text) if language is None else Literal(text, LANG_STRING, language)


def ucase(term):
    return Literal(string(term).lexical.upper(), term.datatype, term.language)


def year(term):
    if not isinstance(value(term), datetime) or term.datatype != MOMENT:
        raise Error
    return literal(value(term).year)


FUNCTIONS = {
    "STR": str_,
    "LANG": lang,
    "DATATYPE": datatype,
    "CONCAT": concat,
    "UCASE": ucase,
    "YEAR": year,
    "STRLEN": lambda term: literal(len(string(term).lexical)),
    "CONTAINS": lambda one, two: literal(operator.contains(*pair(one, two))),
    "STRSTARTS": lambda one, two: literal(str.startswith(*pair(one, two))),
    "sameTerm": lambda one, two: literal(one == two),
    "isIRI": lambda term: literal(isinstance(term, Iri)),
    "isBLANK": lambda term: literal(isinstance(term, Blank)),
    "isLITERAL": lambda term: literal(isinstance(term, Literal)),
    "isNUMERIC": lambda term: literal(is_number(value(term))),
}
ARITIES = {
    name: 2 if name in ("CONTAINS", "STRSTARTS", "sameTerm", "CONCAT") else 1 for name in (*FUNCTIONS, "ABS")
}
"""The plain functions, with the number of arguments that random queries give them."""
