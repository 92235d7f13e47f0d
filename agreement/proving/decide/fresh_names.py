"""Whether a stream makes the sides differ whatever the static data: its new names can be any.

T5. Let W be a stream on which the sides differ without static data, and let names of W that stand in no
query be replaced by ones that static data D do not hold. Let each static part of Q be met by such a name:
a variable of it has in each row that it is joined with, or is OPTIONAL or MINUS beside, a value from a
pattern of a stream, and in W only new names match there. Then no static part has a match that counts, Q
has on W with D the rows that it has on W alone, and the sides differ there too. Conditions have to be of a
kind that does not look into names; EXISTS, aggregates, LIMIT and paths are left out.
"""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from agreement.proving.witness import named_constants
from lars.language.formulas import Call, Expression
from lars.language.terms import Constant, Iri, Variable
from solver.facts import Fact, constant_of
from translate.analysis import parts, tests_of
from translate.model import patterns as algebra
from translate.model.patterns import Pattern
from translate.model.query import EngineQuery, Setting
from translate.tau import lars_program

_CONNECTIVES: Final = ("&&", "||", "!", "IN", "BOUND")
_COMPARISONS: Final = ("=", "!=", "<", "<=", ">", ">=", "SAMETERM")
_KINDS: Final = ("ISIRI", "ISURI", "ISLITERAL", "ISNUMERIC", "ISBLANK")
_BLIND: Final = frozenset((*_CONNECTIVES, *_COMPARISONS, *_KINDS))
"""Functions with one value for all IRIs that they do not name."""
Names = frozenset[Variable]


def differs_whatever_is_stored(query: EngineQuery, setting: Setting, facts: Sequence[Fact]) -> bool:
    """Whether T5 says that what is so of a stream without static data is so with any."""
    every = tuple(parts(query.pattern))
    if query.modifiers.slices or any(map(tests_of, every)) or not all(map(_is_blind, every)):
        return False
    old = named_constants((lars_program(query, setting),))
    return _is_met(query.pattern, _new_names(every, facts, old), frozenset())


def _is_blind(part: Pattern) -> bool:
    match part:
        case algebra.Filter(_, condition) | algebra.Extend(_, _, condition):
            return all(name.upper() in _BLIND for name in _functions(condition))
        case algebra.LeftJoin(_, _, condition):
            return condition is None or all(name.upper() in _BLIND for name in _functions(condition))
        case algebra.Group() | algebra.PathPattern() | algebra.Service() | algebra.Graph():
            return False
        case algebra.Select(_, _, modifiers):
            return not modifiers.slices
        case _:
            return True


def _functions(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Call):
        yield expression.function
        for one in expression.arguments:
            yield from _functions(one)


def _new_names(every: Sequence[Pattern], facts: Sequence[Fact], old: frozenset[Constant]) -> Names:
    """Return the variables that have a name that no query holds wherever a stream binds them."""
    values: dict[Variable, set[Constant]] = {}
    arrived = [tuple(map(constant_of, fact.arguments[:3])) for fact in facts]
    for block in every:
        inner = block.pattern if isinstance(block, algebra.StreamBlock) else None
        for pattern in inner.triples if isinstance(inner, algebra.Bgp) else ():
            for triple in arrived:
                pairs = list(zip(pattern.terms, triple, strict=True))
                if all(isinstance(term, Variable) or term == value for term, value in pairs):
                    for name, value in pairs:
                        if isinstance(name, Variable):
                            values.setdefault(name, set()).add(value)
    new = (name for name, own in values.items() if all(isinstance(v, Iri) and v not in old for v in own))
    return frozenset(new)


def _anchored(pattern: Pattern, new: Names) -> Names:
    """Return the variables that have a new name in each row of the pattern, from a stream."""
    match pattern:
        case algebra.StreamBlock(_, _, algebra.Bgp(triples)):
            return new.intersection(term for triple in triples for term in triple.terms)
        case algebra.Union(algebra.StreamBlock() as block, part) if block.pattern == part:
            return _anchored(block, new)
        case algebra.Union(left, right):
            return _anchored(left, new) & _anchored(right, new)
        case algebra.Join(left, right):
            return _anchored(left, new) | _anchored(right, new)
        case algebra.LeftJoin(left) | algebra.Minus(left):
            return _anchored(left, new)
        case algebra.Filter(inner) | algebra.Extend(inner):
            return _anchored(inner, new)
        case _:
            return frozenset()


def _is_met(pattern: Pattern, new: Names, outer: Names) -> bool:
    """Whether each static part is met by a new name; `outer` have one in each row that a row is joined with.

    What is outside meets the left side of OPTIONAL and MINUS, never the right one: there a match decides
    before the rows are joined.
    """
    match pattern:
        case algebra.Bgp(triples):
            return not triples or any(not outer.isdisjoint(triple.terms) for triple in triples)
        case algebra.StreamBlock() | algebra.Values():
            return True
        case algebra.Union(algebra.StreamBlock() as block, part) if block.pattern == part:
            return True
        case algebra.Union(left, right):
            return _is_met(left, new, outer) and _is_met(right, new, outer)
        case algebra.Join(left, right):
            beside = _anchored(left, new), _anchored(right, new)
            return _is_met(left, new, outer | beside[1]) and _is_met(right, new, outer | beside[0])
        case algebra.LeftJoin(left, right) | algebra.Minus(left, right):
            return _is_met(left, new, outer) and _is_met(right, new, _anchored(left, new))
        case algebra.Filter(inner) | algebra.Extend(inner):
            return _is_met(inner, new, outer)
        case algebra.Select(inner):
            return _is_met(inner, new, frozenset())
        case algebra.PathPattern() | algebra.Graph() | algebra.Service() | algebra.Group():
            return False
        case _:
            assert_never(pattern)
