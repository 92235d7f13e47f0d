"""Simplify patterns: remove the parts that change no visible column, and normalize COUNT.

A hidden column of BIND or of an aggregate can be removed, because neither BIND nor an aggregate removes rows.

P1 OPT P2 extends each solution of P1 in one or more ways. Assume that no variable that only P2 has is visible
outside, and that P2 binds no variable that P1 may leave unbound. Under this assumption, the visible part of
each extension equals the solution of P1, and P1 has the same set of answers as P1 OPT P2.

Counts are written in one form by these rules:

- If each solution binds v, COUNT(v) counts solutions, as COUNT(*) does.
- Different matches of triple patterns differ in some variable, also after joins and filters. If all variables
  except v are keys of the group, no value of v occurs twice. If no row of a pattern occurs twice, DISTINCT in
  a count changes nothing, so DISTINCT is added. DISTINCT never changes MIN or MAX, so DISTINCT is removed.
- A count is a whole number, so n > k is n >= k + 1. A group with keys has at least one solution, so n >= 1
  always holds for its count n. If a condition on a count always holds, the condition is removed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from lars.language.formulas import Aggregation, Call, Expression
from lars.language.program import variables as named_in
from lars.language.terms import XSD, Literal, Variable
from translate.analysis import nullable, occurring_variables, rebuild, tests_of
from translate.model import patterns as algebra

_Names = frozenset[Variable]


def prune(pattern: algebra.Pattern, seen: _Names) -> algebra.Pattern:
    """Return the pattern without OPTIONAL parts, aggregates and BINDs that bind no variable in `seen`.

    On the variables `seen`, both patterns have the same set of solutions.
    """
    match pattern:
        case algebra.LeftJoin(left, right, condition):
            own = algebra.variables(right) - algebra.variables(left)
            if not own & seen and not nullable(left) & algebra.variables(right):
                return prune(left, seen)
            if tests_of(pattern):
                return pattern  # EXISTS can use each variable of both sides.
            tested = frozenset[Variable]() if condition is None else named_in(condition)
            mine = prune(left, seen | occurring_variables(right) | tested)
            return replace(pattern, left=mine, right=prune(right, seen | occurring_variables(left) | tested))
        case algebra.Join(left, right):
            return algebra.Join(
                prune(left, seen | occurring_variables(right)), prune(right, seen | occurring_variables(left))
            )
        case algebra.Union(left, right):
            return algebra.Union(prune(left, seen), prune(right, seen))
        case algebra.Filter(inner, condition, ()):
            return replace(pattern, pattern=prune(inner, seen | named_in(condition)))
        case algebra.Group(_, keys, aggregates):
            columns = tuple(column for column in aggregates if column[0] in seen)
            # Without keys, one group exists on any data, as one solution of the empty pattern does.
            return replace(pattern, aggregates=columns) if keys or columns else algebra.Bgp(())
        case algebra.Extend(inner, variable, expression, ()):
            if variable not in seen:
                return prune(inner, seen)
            return replace(pattern, pattern=prune(inner, seen | named_in(expression)))
        case algebra.Select(inner, result, modifiers) if not modifiers.slices:
            names = tuple(name for name in result if name in seen)
            return replace(pattern, pattern=prune(inner, frozenset(names)), result=names)
        case _:
            return pattern


_INTEGER: Final = XSD + "integer"
_DIGITS: Final = re.compile(r"-?[0-9]+")
"""Integers as XSD writes them: digits of other scripts are no number, although Python reads them."""


def counted_edges(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return an equivalent pattern with a normal form of each COUNT and of conditions on counts."""

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        match part:
            case algebra.Filter(algebra.Group() as group, condition, ()):
                pruned = _group(group)
                terms = [
                    test
                    for side in _conjuncts(condition)
                    if (test := _bounded(side, least(pruned))) is not None
                ]
                if not terms:
                    return pruned
                return replace(
                    part, pattern=pruned, condition=terms[0] if len(terms) == 1 else Call("&&", tuple(terms))
                )
            case algebra.Group():
                return _group(part)
            case _:
                return None

    return rebuild(pattern, change)


def least(group: algebra.Group) -> Mapping[Variable, int]:
    """Return the smallest possible value (0 or 1) of each COUNT of a GROUP BY."""
    bound = _bound(group.pattern)
    return {
        name: int(bool(group.keys) and set(how.arguments) <= bound)
        for name, how in group.aggregates
        if how.function == "COUNT"
    }


def _group(group: algebra.Group) -> algebra.Group:
    inner = counted_edges(group.pattern)
    aggregations = tuple((name, _counting(how, inner, group.keys)) for name, how in group.aggregates)
    return replace(group, pattern=inner, aggregates=aggregations)


def _counting(how: Aggregation, inner: algebra.Pattern, keys: tuple[Variable, ...]) -> Aggregation:
    own = tuple(sorted(occurring_variables(inner) - frozenset(keys)))
    # Solutions differ only in bound variables: those of FILTER and MINUS alone do not count.
    once = _is_set(inner) and len(own) == 1 and set(own) <= _bound(inner)
    if how.function in ("MIN", "MAX"):
        return replace(how, distinct=False)
    if once and how.arguments == own:
        return replace(how, distinct=True)
    if how.function != "COUNT" or how.distinct or not set(how.arguments) <= _bound(inner):
        return how
    return Aggregation("COUNT", own, distinct=True) if once else Aggregation("COUNT")


def _bound(pattern: algebra.Pattern) -> frozenset[Variable]:
    return algebra.variables(pattern) - nullable(pattern)


def _is_set(pattern: algebra.Pattern) -> bool:
    """Return whether a pattern never has the same solution twice."""
    match pattern:
        case algebra.Bgp() | algebra.StreamBlock(_, _, algebra.Bgp()):
            return True
        case algebra.Join(left, right):
            return _is_set(left) and _is_set(right)
        case algebra.Filter(inner) | algebra.Minus(inner, _):
            return _is_set(inner)
        case _:
            return False


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    match condition:
        case Call("&&", sides):
            for side in sides:
                yield from _conjuncts(side)
        case _:
            yield condition


def _bounded(test: Expression, counts: Mapping[Variable, int]) -> Expression | None:
    """Return a comparison of a count with a number, written with `>=` or `<=`; None if it is always true."""
    match test:
        case Call("<" | "<=" | ">" | ">=" as sign, (Literal() as number, Variable() as name)):
            return _bounded(Call(_EXCHANGED[sign], (name, number)), counts)
        case Call(
            "<" | "<=" | ">" | ">=" as sign, (Variable() as name, Literal(text, datatype) as number)
        ) if name in counts and datatype == _INTEGER and _DIGITS.fullmatch(text):
            bound = int(text) + {">": 1, "<": -1}.get(sign, 0)
            if sign[0] == ">" and bound <= counts[name]:
                return None
            return Call(f"{sign[0]}=", (name, replace(number, lexical=str(bound))))
        case _:
            return test


_EXCHANGED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
