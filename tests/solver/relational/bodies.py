"""Bodies of rules: their solutions by RuleBody, and by trying all products of rows."""

from itertools import product
from operator import ge, gt, le, lt

import numpy as np

from lars.language import formulas as logic
from lars.language.terms import XSD, Blank, Iri, Literal, Number, Symbol, Variable
from solver import rdf
from solver.columns import TermCodes
from solver.relational.evaluation import Bindings, RuleBody
from solver.relational.run_tables import RunTable

COUNT = 4
K, W, X, Y = map(Variable, ("k", "w", "x", "y"))
INTEGERS = ("1", "01", "2", "16777216", "16777217", "9007199254740992", "9007199254740993", "-5")
VALUES = [
    *(Literal(text, XSD + "integer") for text in INTEGERS),
    *(Literal(text, XSD + "decimal") for text in ("1.0", "0.1", f"1.{'0' * 58}1", f"1.{'0' * 58}2")),
    *(Literal(text, XSD + kind) for text in ("1", "0.1", "NaN", "INF") for kind in ("double", "float")),
    *(Literal(text, XSD + "double") for text in ("16777217", "9007199254740992", "-0", "0")),
    *(Literal(text) for text in ("1", "a", "b")),
    *(Literal(f"2026-01-01T{at}", XSD + "dateTime") for at in ("00:00:00", "09:00:00Z", "20:00:00+01:00")),
    *(Literal("true", XSD + "boolean"), Literal("a", "x:unknown"), rdf.read_term('"a"@en')),
    *(Iri("x:a"), Iri("x:b"), Blank("a"), None),
]
CONSTANTS = [*map(Number, (0, 1, 2, 3)), Symbol("a"), Symbol("b"), Iri("x:a")]
RELATIONS = {"<": lt, "<=": le, ">": gt, ">=": ge}


def number(side, row):
    """The integer that an operand of LARS denotes, or None."""
    if isinstance(side, logic.Operation):
        one, other = number(side.left, row), number(side.right, row)
        return None if None in (one, other) else one + other if side.operator == "+" else one - other
    term = row.get(side, side)
    return term.value if isinstance(term, Number) else None


def holds(condition, row):
    """Whether a condition holds, by its definition."""
    if isinstance(condition, logic.Test):
        return rdf.test(condition.expression, condition.value, row)
    if condition.relation in ("=", "!="):
        return (row[condition.left] == row[condition.right]) == (condition.relation == "=")
    one, other = number(condition.left, row), number(condition.right, row)
    return None not in (one, other) and RELATIONS[condition.relation](one, other)


def tried(parts, shared, conditions, kept):
    """Return the rows of all products of rows, with the index at which each holds."""
    for index, chosen in product(range(COUNT), product(*parts)):
        if shared and len({key for key, *_ in chosen}) > 1:
            continue
        if all(first <= index <= last for _, _, first, last in chosen):
            row = dict(zip((W, X, Y), (term for _, term, *_ in chosen), strict=False))
            if all(holds(condition, row) for condition in conditions):
                row[K] = Iri(f"x:{chosen[0][0]}")
                yield index, tuple(row[name] for name in kept)


def found(parts, shared, conditions, kept):
    """Return the rows of the body of a rule, with the index at which each holds."""
    codes, body = TermCodes(), []
    for name, rows in zip((W, X, Y), parts, strict=False):
        keys, terms, first, last = (list(column) for column in zip(*rows, strict=True)) if rows else ([],) * 4
        key = codes.codes(f"<x:{key}>" for key in keys)
        column = np.array([codes.of_constant(term) for term in terms], np.int64)
        key_name = K if shared or name == W else Variable(f"k{name}")
        ends = np.array(first, np.int64), np.array(last, np.int64)
        body.append(Bindings((key_name, name), RunTable((key, column), *ends)))
    result = RuleBody(codes, COUNT).solutions(body, [], conditions, frozenset(kept))
    columns = [result.column(name).tolist() for name in kept]
    for place, (first, last) in enumerate(zip(result.table.first, result.table.last, strict=True)):
        row = [codes.constant(column[place]) if column[place] else None for column in columns]
        for index in range(first, last + 1):
            yield index, tuple(row)
