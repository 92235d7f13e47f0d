"""SELECT with its grouping and solution modifiers, of a query and of a subquery.

The reader extends the WHERE pattern in this order (SPARQL 1.1, 18.2.4): GROUP BY, HAVING, VALUES,
SELECT expressions, ORDER BY expressions. Here they are taken off again from the outside.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from lars.terms import Variable
from translate.patterns import (
    EMPTY,
    Exists,
    Extend,
    Filter,
    Group,
    Join,
    Modifiers,
    Pattern,
    Select,
    Values,
    variables,
)
from translate.query import Language
from translate.rebuilding import parts, tests_of
from translate.writing.dialect import Dialect
from translate.writing.expressions import Inline, write_expression, write_operand
from translate.writing.grouping import take_group_apart, taken
from translate.writing.patterns import Lines, braced, write_exists, write_group, write_values

_ORDERING: Final = re.compile(r"_+o[0-9]+")
"""The variables that ORDER BY expressions get from the reader: they have no name in the text."""


@dataclass(frozen=True, slots=True)
class Level:
    """A WHERE pattern and what stands around it.

    Of the aggregates, `named` are those whose variables SELECT names, `inline` the others.
    """

    where: Pattern
    items: tuple[Extend, ...] = ()
    orders: tuple[Extend, ...] = ()
    keys: tuple[str, ...] = ()
    having: Filter | None = None
    table: Values | None = None
    named: Inline = field(default_factory=dict)
    inline: Inline = field(default_factory=dict)


def take_apart(
    pattern: Pattern, selected: tuple[Variable, ...], modifiers: Modifiers, dialect: Dialect
) -> Level:
    """Return the parts of a query's pattern; `selected` are the variables that SELECT can name."""
    keys = tuple(order.variable for order in modifiers.order if _ORDERING.fullmatch(order.variable.name))
    unnamed = tuple(key for key in keys if key not in selected)
    orders, rest = taken(pattern, unnamed)
    items, rest = taken(rest, selected)
    inner, table = _split(rest)
    having = inner if isinstance(inner, Filter) and isinstance(inner.pattern, Group) else None
    group = inner if having is None else having.pattern
    if isinstance(group, Group):
        found = take_group_apart(group, dialect)
        named = {name: text for name, text in found.aggregates.items() if name in selected}
        inline = {name: text for name, text in found.aggregates.items() if name not in selected}
        return Level(found.where, items, orders, found.keys, having, table, named, inline)
    if bound := _bound_inside(items, rest):
        items, inner, table = items[bound:], items[bound - 1], None
        rest = inner
    if dialect.language is Language.CQELS:
        return Level(inner, items, orders, table=table)
    return Level(rest, items, orders)


def _split(pattern: Pattern) -> tuple[Pattern, Values | None]:
    """Return what VALUES at the end of a query is joined to, and its table."""
    match pattern:
        case Values():
            return EMPTY, pattern
        case Join(left, Values() as table):
            return left, table
        case _:
            return pattern, None


def _bound_inside(items: tuple[Extend, ...], where: Pattern) -> int:
    """Return how many extensions BIND makes, since their EXISTS have later numbers than those before.

    The reader numbers EXISTS in the order of the text, in which SELECT stands before WHERE.
    """
    before, bound = _numbers(_tests(where)), 0
    for index, item in enumerate(items):
        own = _numbers(item.exists)
        if own and before and min(own) > min(before):
            bound = index + 1
            before = before.union(*(_numbers(one.exists) for one in items[:bound]))
    return bound


def _tests(pattern: Pattern) -> Iterator[Exists]:
    return (test for part in parts(pattern) for test in tests_of(part))


def _numbers(tests: Iterable[Exists]) -> frozenset[tuple[int, str]]:
    return frozenset((len(test.variable.name), test.variable.name) for test in tests)


def write_subquery(select: Select, dialect: Dialect) -> Lines:
    """Return the lines of a subquery, without its braces."""
    level = take_apart(select.pattern, select.result, select.modifiers, dialect)
    if level.table is not None:
        dialect.values_inside()
    items = write_items(select.pattern, select.result, level, dialect)
    distinct = select.modifiers.duplicates.value
    return [
        " ".join(filter(None, ("SELECT", distinct, items))),
        *write_body(level, select.modifiers, dialect),
    ]


def write_items(pattern: Pattern, result: tuple[Variable, ...], level: Level, dialect: Dialect) -> str:
    """Return what stands after SELECT: each variable, with its expression where it has one.

    No variable at all is *, which the text can say when each variable there is a blank node.
    """
    if not result and not variables(pattern) <= dialect.terms.blanks:
        raise dialect.cannot("a query without result variables", "SELECT names one variable at least")
    expressions = {item.variable: _expression(item, level, dialect) for item in level.items}
    shown = []
    for variable in result:
        text = expressions.get(variable, level.named.get(variable))
        name = dialect.terms.variable(variable)
        shown.append(name if text is None else f"({text} AS {name})")
    return " ".join(shown) or "*"


def _expression(extend: Extend, level: Level, dialect: Dialect) -> str:
    inline = {**level.inline, **write_exists(extend.exists, dialect)}
    return write_expression(extend.expression, dialect.terms, inline)


def write_body(level: Level, modifiers: Modifiers, dialect: Dialect) -> Lines:
    """Return WHERE and what follows it."""
    return [
        *braced("WHERE", write_group(level.where, dialect)),
        *_grouping(level, dialect),
        *_ordering(level, modifiers, dialect),
        *([] if modifiers.limit is None else [f"LIMIT {modifiers.limit}"]),
        *([f"OFFSET {modifiers.offset}"] if modifiers.offset else []),
        *([] if level.table is None else _table(level.table, dialect)),
    ]


def _grouping(level: Level, dialect: Dialect) -> Lines:
    lines = []
    if level.keys:
        lines.append(f"GROUP BY {' '.join(level.keys)}")
    if level.having is not None:
        inline = {**level.named, **level.inline, **write_exists(level.having.exists, dialect)}
        lines.append(f"HAVING {write_operand(level.having.condition, dialect.terms, inline)}")
    return lines


def _ordering(level: Level, modifiers: Modifiers, dialect: Dialect) -> Lines:
    texts = {order.variable: _expression(order, level, dialect) for order in level.orders}
    shown = []
    for order in modifiers.order:
        text = texts.get(order.variable, level.inline.get(order.variable))
        if text is None:
            text = dialect.terms.variable(order.variable)
            shown.append(f"DESC({text})" if order.descending else text)
        else:
            shown.append(f"{'DESC' if order.descending else 'ASC'}({text})")
    return [f"ORDER BY {' '.join(shown)}"] if shown else []


def _table(table: Values, dialect: Dialect) -> Lines:
    return write_values("BINDINGS" if dialect.language is Language.CQELS else "VALUES", table, dialect)
