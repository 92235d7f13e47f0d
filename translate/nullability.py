"""Which variables of a pattern can be null together, and how two sides then join."""

from collections.abc import Iterator
from enum import Enum
from itertools import product
from typing import assert_never

from lars.terms import Variable
from translate.patterns import (
    Bgp,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    Pattern,
    StreamBlock,
    Union,
    variables,
)

Variables = frozenset[Variable]


def null_sets(pattern: Pattern, among: Variables) -> frozenset[Variables]:
    """Return the sets of variables of `among` that one solution can leave null, at least those.

    Each is a subset of `among` ∩ vars(P). Filters are not looked into: the answer is an upper
    bound, and a set too many only costs a rule that never fires.
    """
    match pattern:
        case Bgp() | StreamBlock():
            return frozenset((frozenset(),))
        case Filter(inner, _):
            return null_sets(inner, among)
        case Minus(left, _):
            return null_sets(left, among)
        case Graph(name, inner):
            return frozenset(nulls - {name} for nulls in null_sets(inner, among))
        case Extend(inner, variable, _):
            without = null_sets(inner, among)
            return without | frozenset(nulls | ({variable} & among) for nulls in without)
        case Union(left, right):
            one, other = _sides(left, right, among)
            return one | other
        case Join(left, right):
            return _joined(*_sides(left, right, among))
        case LeftJoin(left, right, _):
            one, other = _sides(left, right, among)
            return _joined(one, other) | one
        case _:
            assert_never(pattern)


def _sides(left: Pattern, right: Pattern, among: Variables) -> tuple[frozenset[Variables], ...]:
    """Return the sets of each side, with what the other side alone binds as null too."""
    missing = (variables(right) - variables(left)) & among, (variables(left) - variables(right)) & among
    return (
        frozenset(nulls | missing[0] for nulls in null_sets(left, among)),
        frozenset(nulls | missing[1] for nulls in null_sets(right, among)),
    )


def _joined(one: frozenset[Variables], other: frozenset[Variables]) -> frozenset[Variables]:
    return frozenset(nulls & more for nulls, more in product(one, other))


class Match(Enum):
    """How a shared variable joins: equal on both sides, or null on one of them."""

    EQUAL = "equal"
    LEFT_NULL = "left null"
    RIGHT_NULL = "right null"


Case = dict[Variable, Match]


def joins(left: Pattern, right: Pattern) -> Iterator[Case]:
    """Yield the ways in which two solutions can be compatible (SPARQL 1.1, 18.3).

    EQUAL covers null on both sides. Without nullable shared variables there is one case.
    """
    shared = variables(left) & variables(right)
    seen: set[frozenset[tuple[Variable, Match]]] = set()
    for nulls_left, nulls_right in product(null_sets(left, shared), null_sets(right, shared)):
        case = {v: _match(v in nulls_left, v in nulls_right) for v in shared}
        if frozenset(case.items()) not in seen:
            seen.add(frozenset(case.items()))
            yield case


def nullable(pattern: Pattern) -> Variables:
    """Return the variables of the pattern that some solution can leave null, at least those."""
    match pattern:
        case Bgp() | StreamBlock():
            return frozenset()
        case Filter(inner, _) | Minus(inner, _):
            return nullable(inner)
        case Graph(name, inner):
            return nullable(inner) - {name}
        case Extend(inner, variable, _):
            return nullable(inner) | {variable}
        case Union(left, right) | Join(left, right) | LeftJoin(left, right, _):
            alone = variables(left) - variables(right), variables(right) - variables(left)
            one, other = nullable(left) | alone[1], nullable(right) | alone[0]
            match pattern:
                case Union():
                    return one | other
                case Join():
                    return one & other
                case _:
                    return one
        case _:
            assert_never(pattern)


def _match(left_null: bool, right_null: bool) -> Match:
    if left_null == right_null:
        return Match.EQUAL
    return Match.LEFT_NULL if left_null else Match.RIGHT_NULL
