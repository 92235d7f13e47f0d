"""A query's pattern taken apart into the clauses that make it: SELECT, GROUP BY, HAVING, ORDER BY, VALUES.

The reader extends the WHERE pattern in this order (SPARQL 1.1, 18.2.4): GROUP BY, HAVING, VALUES,
SELECT expressions, ORDER BY expressions. Here they are taken off again from the outside; what the
reader made of expressions in aggregates goes back into them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lars.language.formulas import Aggregation
from lars.language.terms import Variable
from translate.analysis import parts, tests_of
from translate.model import patterns as algebra
from translate.model.patterns import EMPTY, Pattern, variables
from translate.model.query import Language
from translate.writing.dialect import Dialect

_ARGUMENT: Final = re.compile(r"_+x[0-9]+")
_ORDERING: Final = re.compile(r"_+o[0-9]+")
"""The variables that expressions in aggregates and in ORDER BY get from the reader: they have no name
in the text."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """GROUP BY: its keys, those that are expressions, and the aggregates with what is given to them."""

    keys: tuple[Variable, ...] = ()
    computed: tuple[algebra.Extend, ...] = ()
    aggregates: tuple[tuple[Variable, Aggregation], ...] = ()
    arguments: tuple[algebra.Extend, ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """A WHERE pattern and what stands around it; `selected` are the variables that SELECT names."""

    where: Pattern
    selected: tuple[Variable, ...]
    items: tuple[algebra.Extend, ...] = ()
    orders: tuple[algebra.Extend, ...] = ()
    grouping: Grouping = Grouping()
    having: algebra.Filter | None = None
    table: algebra.Values | None = None


def take_apart(
    pattern: Pattern, selected: tuple[Variable, ...], modifiers: algebra.Modifiers, dialect: Dialect
) -> Level:
    """Return the parts of a query's pattern; raise CannotSayError at COUNT(DISTINCT *) of some variables."""
    keys = tuple(order.variable for order in modifiers.order if _ORDERING.fullmatch(order.variable.name))
    unnamed = tuple(key for key in keys if key not in selected)
    orders, rest = take_extensions(pattern, unnamed)
    items, rest = take_extensions(rest, selected)
    inner, table = _split(rest)
    having = inner if isinstance(inner, algebra.Filter) and isinstance(inner.pattern, algebra.Group) else None
    group = inner if having is None else having.pattern
    if isinstance(group, algebra.Group):
        where, grouping = _take_group_apart(group, dialect)
        return Level(where, selected, items, orders, grouping, having, table)
    if bound := _bound_inside(items, rest):
        items, inner, table = items[bound:], items[bound - 1], None
        rest = inner
    if dialect.language is Language.CQELS:
        return Level(inner, selected, items, orders, table=table)
    return Level(rest, selected, items, orders)


def take_extensions(
    pattern: Pattern, names: Sequence[Variable], wanted: Callable[[Variable], bool] = lambda _: True
) -> tuple[tuple[algebra.Extend, ...], Pattern]:
    """Take extensions off, the last of `names` first; a clause that names them in order makes them again."""
    found = []
    while isinstance(pattern, algebra.Extend) and pattern.variable in names and wanted(pattern.variable):
        found.append(pattern)
        names, pattern = names[: names.index(pattern.variable)], pattern.pattern
    return tuple(reversed(found)), pattern


def _take_group_apart(group: algebra.Group, dialect: Dialect) -> tuple[Pattern, Grouping]:
    several = [found for _, found in group.aggregates if counts_tuples(found)]
    arguments = tuple(
        name for _, found in group.aggregates if found not in several for name in found.arguments
    )
    once = Counter(arguments)
    extends, rest = take_extensions(
        group.pattern, arguments, lambda name: once[name] == 1 and _ARGUMENT.fullmatch(name.name) is not None
    )
    counted = {name for found in several for name in found.arguments}
    keys, where = take_extensions(rest, group.keys, lambda name: name not in counted)
    for found in several:
        if frozenset(found.arguments) != variables(where) - dialect.terms.blanks:
            raise dialect.cannot(f"{found}", "DISTINCT * stands for all variables of the pattern")
    return where, Grouping(group.keys, keys, group.aggregates, extends)


def counts_tuples(aggregation: Aggregation) -> bool:
    """Whether an aggregate is COUNT(DISTINCT *) of some variables."""
    return aggregation.distinct and len(aggregation.arguments) > 1


def _split(pattern: Pattern) -> tuple[Pattern, algebra.Values | None]:
    """Return what VALUES at the end of a query is joined to, and its table."""
    match pattern:
        case algebra.Values():
            return EMPTY, pattern
        case algebra.Join(left, algebra.Values() as table):
            return left, table
        case _:
            return pattern, None


def _bound_inside(items: tuple[algebra.Extend, ...], where: Pattern) -> int:
    """Return how many extensions BIND makes, since their EXISTS have later numbers than those before.

    The reader numbers EXISTS in the order of the text, in which SELECT stands before WHERE.
    """
    before, bound = _numbers(test for part in parts(where) for test in tests_of(part)), 0
    for index, item in enumerate(items):
        own = _numbers(item.exists)
        if own and before and min(own) > min(before):
            bound = index + 1
            before = before.union(*(_numbers(one.exists) for one in items[:bound]))
    return bound


def _numbers(tests: Iterable[algebra.Exists]) -> frozenset[tuple[int, str]]:
    return frozenset((len(test.variable.name), test.variable.name) for test in tests)
