"""Patterns with other names for their variables."""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from lars.formulas import Aggregation, Order
from lars.substitution import put_terms
from lars.terms import Term, Variable
from translate.patterns import (
    Bgp,
    Exists,
    Extend,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    Modifiers,
    PathPattern,
    Pattern,
    Select,
    Service,
    StreamBlock,
    TriplePattern,
    Union,
    Values,
)


def renamed(pattern: Pattern, names: Mapping[Variable, Variable]) -> Pattern:
    """Return the pattern with other names for its variables, wherever they occur."""

    def name(variable: Variable) -> Variable:
        return names.get(variable, variable)

    def inside(part: Pattern) -> Pattern:
        return renamed(part, names)

    def tests(exists: tuple[Exists, ...]) -> tuple[Exists, ...]:
        return tuple(Exists(test.variable, inside(test.pattern)) for test in exists)

    match pattern:
        case Bgp(triples):
            return Bgp(
                tuple(TriplePattern(*(_put(term, names) for term in triple.terms)) for triple in triples)
            )
        case PathPattern(subject, path, object_):
            return PathPattern(_put(subject, names), path, _put(object_, names))
        case StreamBlock(stream, _, inner):
            block = inside(inner)
            assert isinstance(block, Bgp | PathPattern)
            read = name(stream) if isinstance(stream, Variable) else stream
            return replace(pattern, stream=read, pattern=block)
        case Join(left, right) | Union(left, right) | Minus(left, right):
            return type(pattern)(inside(left), inside(right))
        case LeftJoin(left, right, condition, exists):
            test = None if condition is None else put_terms(condition, names)
            return LeftJoin(inside(left), inside(right), test, tests(exists))
        case Filter(inner, condition, exists):
            return Filter(inside(inner), put_terms(condition, names), tests(exists))
        case Graph(graph, inner):
            return Graph(name(graph) if isinstance(graph, Variable) else graph, inside(inner))
        case Service(service, inner, silent):
            return Service(name(service) if isinstance(service, Variable) else service, inside(inner), silent)
        case Extend(inner, variable, expression, exists):
            return Extend(inside(inner), name(variable), put_terms(expression, names), tests(exists))
        case Values(columns, rows):
            return Values(tuple(map(name, columns)), rows)
        case Group(inner, keys, aggregates):
            found = tuple((name(v), _aggregation(a, names)) for v, a in aggregates)
            return Group(inside(inner), tuple(map(name, keys)), found)
        case Select(inner, result, modifiers):
            # What the subquery hides is not the same variable, but renaming it alike is harmless.
            return Select(inside(inner), tuple(map(name, result)), modifiers_renamed(modifiers, names))
        case _:
            assert_never(pattern)


def modifiers_renamed(modifiers: Modifiers, names: Mapping[Variable, Variable]) -> Modifiers:
    """Return the modifiers with other names for the variables of ORDER BY."""
    order = tuple(Order(names.get(key.variable, key.variable), key.descending) for key in modifiers.order)
    return replace(modifiers, order=order)


def _put(term: Term, names: Mapping[Variable, Variable]) -> Term:
    return names.get(term, term) if isinstance(term, Variable) else term


def _aggregation(aggregation: Aggregation, names: Mapping[Variable, Variable]) -> Aggregation:
    return replace(aggregation, arguments=tuple(names.get(v, v) for v in aggregation.arguments))
