"""Results of judges made equal where SPARQL calls them equal: bags of rows, numbers by value.

Blank nodes of the data keep their labels in every judge; those that CONSTRUCT makes are equal up to
isomorphism. GROUP_CONCAT is a multiset of its pieces.
"""

import math
from collections import Counter
from decimal import Context, Decimal
from itertools import permutations

from tests.sparql.data import NODES
from tests.sparql.syntax import Aggregate, Blank, Literal
from tests.sparql.values import is_number, literal, value

_DIGITS = Context(prec=11)
"""Engines divide decimals with as many digits as they like."""


def canonical(term):
    """Return a term such that two terms are alike exactly when their canonical ones are equal."""
    found = value(term)
    if found is None:
        return term
    if is_number(found) and not isinstance(found, int) and math.isfinite(found):
        return Literal(str(_DIGITS.plus(Decimal(found)).normalize() + 0), term.datatype)
    return Literal(literal(found).lexical, term.datatype) if not hasattr(found, "year") else term


def rows_of(query, rows):
    """Return rows of a SELECT in a form that can be compared, in their order."""
    pieces = {
        item.variable.name: item.expression.separator
        for item in query.select.items
        if isinstance(item.expression, Aggregate) and item.expression.function == "GROUP_CONCAT"
    }
    return [frozenset((name, cell(term, pieces.get(name))) for name, term in row.items()) for row in rows]


def cell(term, separator):
    if separator is None:
        return canonical(term)
    return Literal(separator.join(sorted(term.lexical.split(separator))))


def difference(query, expected, found):
    """Return what differs, as a text; empty when the judge found what the reference says."""
    match query.form:
        case "ASK":
            return "" if expected is found else f"expected {expected}, found {found}"
        case "CONSTRUCT":
            return bags(components(expected), components(found))
        case _:
            wanted, there = rows_of(query, expected.rows), rows_of(query, found)
            if query.select.duplicates == "REDUCED":
                return reduced(Counter(wanted), Counter(there))
            return bags(Counter(wanted), Counter(there)) or order(
                wanted, there, total=expected.total and query.select.order
            )


def bags(wanted, there):
    if wanted == there:
        return ""
    return f"missing {shown(wanted - there)}; too many {shown(there - wanted)}"


def reduced(wanted, there):
    same = wanted.keys() == there.keys() and all(there[row] <= wanted[row] for row in wanted)
    return "" if same else f"REDUCED: {bags(wanted, there)}"


def order(wanted, there, *, total):
    return "other order" if total and wanted != there else ""


def shown(bag):
    from tests.sparql.writing import term

    def text(row):
        listed = sorted(row, key=repr)
        return (
            "{"
            + ", ".join(f"{name}={term(one)}" if isinstance(name, str) else str(name) for name, one in listed)
            + "}"
        )

    listed = [f"{count}x {text(row) if isinstance(row, frozenset) else row}" for row, count in bag.items()]
    return " ".join(listed[:3]) or "-"


def components(triples):
    """Return the multiset of a graph's parts that new blank nodes hold together, each in normal form."""
    left = {tuple(map(canonical, triple)) for triple in triples}
    found = Counter()
    while left:
        part = {left.pop()}
        while True:
            labels = {node for triple in part for node in triple if is_new(node)}
            more = {triple for triple in left if labels & set(triple)}
            if not more:
                break
            part, left = part | more, left - more
        found[normal(part, labels)] += 1
    return found


def is_new(node):
    return isinstance(node, Blank) and node not in NODES


def normal(part, labels):
    def renamed(order):
        names = {label: Blank(f"n{number}") for number, label in enumerate(order)}
        return tuple(sorted((tuple(names.get(node, node) for node in triple) for triple in part), key=repr))

    return min((renamed(order) for order in permutations(sorted(labels, key=repr))), key=repr)
