"""Groups as ARQ 2.11.1 makes them (rule W6a): aggregates over no solution at all give one row.

  P GROUP BY k, COUNT(x), SUM(x)  =  the groups of P  UNION  the row COUNT 0 where P has no solution
The row has no key; COUNT and AVG are 0, all other aggregates are unbound (also SAMPLE and
GROUP_CONCAT). SPARQL 1.1 has that row without GROUP BY only, and SUM is 0 there.
"""

from collections.abc import Iterator
from functools import reduce
from typing import Final

from lars.formulas import Aggregation, Call
from lars.terms import XSD, Literal, Variable
from translate.patterns import EMPTY, Exists, Extend, Filter, Group, Pattern, Union
from translate.rebuilding import rebuilt
from translate.scope import occurring

_ZERO: Final = Literal("0", XSD + "integer")
_COUNTING: Final = ("COUNT", "AVG")


def with_row_of_nothing(pattern: Pattern) -> Pattern:
    """Return the pattern with that row for each of its groups, those of subqueries included."""
    names = _fresh(pattern)

    def change(part: Pattern) -> Pattern | None:
        if not isinstance(part, Group) or not part.aggregates:
            return None
        return _split(part, rebuilt(part.pattern, change), next(names), next(names))

    return rebuilt(pattern, change)


def _split(group: Group, inner: Pattern, one: Variable, some: Variable) -> Pattern:
    # By a constant key there is no group of nothing; without any solution there is a row instead.
    groups = Group(Extend(inner, one, _ZERO), (*group.keys, one), group.aggregates)
    nothing: Pattern = Filter(EMPTY, Call("!", (some,)), (Exists(some, inner),))
    return Union(groups, reduce(_counted, group.aggregates, nothing))


def _counted(row: Pattern, aggregate: tuple[Variable, Aggregation]) -> Pattern:
    variable, aggregation = aggregate
    return Extend(row, variable, _ZERO) if aggregation.function in _COUNTING else row


def _fresh(pattern: Pattern) -> Iterator[Variable]:
    taken, number = occurring(pattern), 0
    while True:
        number += 1
        if (name := Variable(f"group_{number}")) not in taken:
            yield name
