"""Patterns alike up to order and hidden names; conditions that say which IRI a variable is."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, permutations
from typing import Final

from agreement.disjuncts import Disjunct, Wanted
from lars.formulas import Call, Expression
from lars.terms import Iri, Variable
from translate import patterns as algebra
from translate.analysis import occurring, renamed
from translate.patterns import Pattern

_MOST: Final = 720
"""Ways to name hidden variables that are tried."""


def same(one: Pattern, other: Pattern, shown: frozenset[Variable]) -> bool:
    """Whether two patterns are the same up to the order of AND, UNION and &&, and hidden names.

    >>> x, y, z, p = *map(Variable, "xyz"), Variable("p")
    >>> pattern = lambda o: algebra.Bgp((algebra.TriplePattern(x, p, o),))
    >>> same(pattern(y), pattern(z), frozenset((x, p))), same(pattern(y), pattern(z), frozenset((x, y)))
    (True, False)
    """
    mine, theirs = (sorted(occurring(pattern) - shown) for pattern in (one, other))
    if len(mine) != len(theirs) or occurring(one) & shown != occurring(other) & shown:
        return False
    wanted = _form(other)
    return any(_form(renamed(one, names)) == wanted for names in _namings(mine, theirs))


def _namings(mine: list[Variable], theirs: list[Variable]) -> Iterator[Mapping[Variable, Variable]]:
    common = {name: name for name in mine if name in theirs}
    if len(common) == len(mine):
        yield common
    for chosen in islice(permutations(theirs), _MOST):
        yield dict(zip(mine, chosen, strict=True))


def _form(pattern: Pattern) -> Hashable:
    """Return what is equal for patterns that differ in order, or in how AND and FILTER are nested."""
    match pattern:
        case algebra.Bgp() | algebra.StreamBlock() | algebra.Join() | algebra.Filter(_, _, ()):
            return "AND", frozenset(_conjuncts(pattern))
        case algebra.Union(left, right):
            return "UNION", frozenset((*_branches(left), *_branches(right)))
        case algebra.Minus(left, right):
            return "MINUS", _form(left), _form(right)
        case algebra.LeftJoin(left, right, condition, ()):
            return "OPTIONAL", _form(left), _form(right), condition
        case _:
            return pattern


def _branches(pattern: Pattern) -> Iterator[Hashable]:
    if isinstance(pattern, algebra.Union):
        yield from (*_branches(pattern.left), *_branches(pattern.right))
    else:
        yield _form(pattern)


def _conjuncts(pattern: Pattern) -> Iterator[Hashable]:
    match pattern:
        case algebra.Bgp(triples):
            yield from triples
        case algebra.StreamBlock(stream, window, algebra.Bgp(triples)):
            yield from ((stream, window, triple) for triple in triples)
        case algebra.StreamBlock(stream, window, inner):
            yield stream, window, _form(inner)
        case algebra.Join(left, right):
            # A FILTER inside a side sees the variables of that side alone.
            yield from (*_side(left), *_side(right))
        case algebra.Filter(inner, condition, ()):
            yield from (("FILTER", each) for each in _conditions(condition))
            yield from _conjuncts(inner)
        case _:
            yield _form(pattern)


def _side(pattern: Pattern) -> Iterator[Hashable]:
    return iter((_form(pattern),)) if isinstance(pattern, algebra.Filter) else _conjuncts(pattern)


def _conditions(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Call) and condition.function == "&&":
        for one in condition.arguments:
            yield from _conditions(one)
    else:
        yield condition


def settled(one: Disjunct) -> Disjunct:
    """Return the disjunct with the IRI that a condition equates a bound variable to as its given value."""
    given, bound = dict(one.given), one.bound
    kept: list[Wanted] = []
    for test in one.wanted:
        match test:
            case Wanted(Call("=" | "SAMETERM", (Variable() as name, Iri() as iri)), True) if name in bound:
                pass
            case Wanted(Call("=" | "SAMETERM", (Iri() as iri, Variable() as name)), True) if name in bound:
                pass
            case _:
                kept.append(test)
                continue
        if given.setdefault(name, iri) != iri:
            kept.append(test)
    return replace(one, given=tuple(given.items()), wanted=tuple(kept))
