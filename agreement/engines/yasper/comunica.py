"""Where Comunica 2.10.2 differs from SPARQL 1.1: errors in aggregates (S2), FILTER in OPTIONAL (S6).

  (COUNT(?x) AS ?n) .. GROUP BY ?k   =   n := IF(COUNT(?x) = COUNT(*), COUNT(?x), an error) in each group
SPARQL leaves out what has no value in COUNT, and in SAMPLE; in all other aggregates it is an error as well.
  P OPTIONAL { Q FILTER R }   =   P OPTIONAL { Q } FILTER (a variable of Q is unbound || R)
So a solution whose matches all fail the condition is lost, where SPARQL leaves it without a match.
"""

from collections.abc import Iterator
from itertools import count
from typing import Final

from lars.language.formulas import Aggregation, Call
from lars.language.terms import Variable
from translate.analysis import occurring_variables, rebuilt
from translate.model import patterns as algebra
from translate.model.patterns import variables
from translate.tau import in_order

_LENIENT: Final = ("COUNT", "SAMPLE")
_ALL: Final = Aggregation("COUNT")


def with_errors(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in whose groups, those of subqueries too, errors are errors of all aggregates."""
    taken = occurring_variables(pattern)
    names = (Variable(f"all_{number}") for number in count(1))
    fresh = (name for name in names if name not in taken)

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group) or not any(_is_lenient(one) for _, one in part.aggregates):
            return None
        return _strict(part, rebuilt(part.pattern, change), fresh)

    return rebuilt(pattern, change)


def with_late_conditions(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in which what OPTIONAL finds is filtered only once it has been joined."""

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.LeftJoin) or part.condition is None:
            return None
        left, right = rebuilt(part.left, change), rebuilt(part.right, change)
        condition = part.condition
        for variable in reversed(in_order(variables(right))):
            condition = Call("||", (Call("!", (Call("BOUND", (variable,)),)), condition))
        return algebra.Filter(algebra.LeftJoin(left, right), condition, part.exists)

    return rebuilt(pattern, change)


def _is_lenient(aggregation: Aggregation) -> bool:
    return aggregation.function in _LENIENT and len(aggregation.arguments) == 1


def _strict(group: algebra.Group, inner: algebra.Pattern, fresh: Iterator[Variable]) -> algebra.Pattern:
    everything, nothing = next(fresh), next(fresh)
    aggregates, checks = [(everything, _ALL)], []
    for variable, aggregation in group.aggregates:
        if not _is_lenient(aggregation):
            aggregates.append((variable, aggregation))
            continue
        value, bound = next(fresh), next(fresh)
        aggregates += [(value, aggregation), (bound, Aggregation("COUNT", aggregation.arguments))]
        # What never has a value is an error wherever its value is asked for.
        checks.append((variable, Call("IF", (Call("=", (bound, everything)), value, nothing))))
    found: algebra.Pattern = algebra.Group(inner, group.keys, tuple(aggregates))
    for variable, expression in checks:
        found = algebra.Extend(found, variable, expression)
    seen = {*group.keys, *(variable for variable, _ in group.aggregates)}
    return algebra.Select(found, tuple(in_order(seen)))
