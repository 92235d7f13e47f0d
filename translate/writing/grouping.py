"""GROUP BY with its aggregates: what the reader made of expressions in them goes back into them."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from lars.formulas import Aggregation
from lars.terms import Variable
from translate.patterns import Extend, Group, Pattern, variables
from translate.writing.dialect import Dialect
from translate.writing.expressions import Inline, write_aggregation, write_expression
from translate.writing.patterns import write_exists

_ARGUMENT: Final = re.compile(r"_+x[0-9]+")
_KEY: Final = re.compile(r"_+k[0-9]+")
"""The variables that such expressions get from the reader: they have no name in the text."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """The pattern that is grouped, the texts of the keys, and the text of each aggregate by its variable."""

    where: Pattern
    keys: tuple[str, ...]
    aggregates: Inline


def taken(
    pattern: Pattern, names: Sequence[Variable], wanted: Callable[[Variable], bool] = lambda _: True
) -> tuple[tuple[Extend, ...], Pattern]:
    """Take extensions off, the last of `names` first; a clause that names them in order makes them again."""
    found = []
    while isinstance(pattern, Extend) and pattern.variable in names and wanted(pattern.variable):
        found.append(pattern)
        names, pattern = names[: names.index(pattern.variable)], pattern.pattern
    return tuple(reversed(found)), pattern


def take_group_apart(group: Group, dialect: Dialect) -> Grouping:
    """Return a group in texts; raise CannotSayError at COUNT(DISTINCT *) of some variables only."""
    several = [found for _, found in group.aggregates if counts_tuples(found)]
    arguments = tuple(
        name for _, found in group.aggregates if found not in several for name in found.arguments
    )
    once = Counter(arguments)
    extends, rest = taken(
        group.pattern, arguments, lambda name: once[name] == 1 and _ARGUMENT.fullmatch(name.name) is not None
    )
    counted = {name for found in several for name in found.arguments}
    keys, where = taken(rest, group.keys, lambda name: name not in counted)
    for found in several:
        if frozenset(found.arguments) != variables(where) - dialect.terms.blanks:
            raise dialect.cannot(f"{found}", "DISTINCT * stands for all variables of the pattern")
    texts = {extend.variable: _text(extend, dialect) for extend in extends}
    named = {extend.variable: _key(extend, dialect) for extend in keys}
    return Grouping(
        where,
        tuple(named.get(key) or dialect.terms.variable(key) for key in group.keys),
        {name: write_aggregation(found, dialect.terms, texts) for name, found in group.aggregates},
    )


def counts_tuples(aggregation: Aggregation) -> bool:
    """Whether an aggregate is COUNT(DISTINCT *) of some variables."""
    return aggregation.distinct and len(aggregation.arguments) > 1


def _text(extend: Extend, dialect: Dialect) -> str:
    return write_expression(extend.expression, dialect.terms, write_exists(extend.exists, dialect))


def _key(extend: Extend, dialect: Dialect) -> str:
    text = _text(extend, dialect)
    if _KEY.fullmatch(extend.variable.name):
        return f"({text})"
    return f"({text} AS {dialect.terms.variable(extend.variable)})"
