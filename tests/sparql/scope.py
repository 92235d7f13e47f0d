"""The variables in scope of a group (SPARQL 1.1, 18.2.1), and all that occur in a syntax tree."""

from dataclasses import fields, is_dataclass
from typing import assert_never

from tests.sparql.syntax import (
    Bind,
    Exists,
    Filter,
    Group,
    InGraph,
    Minus,
    Optional,
    Select,
    Triples,
    Union,
    Values,
    Var,
)


def in_scope(part):
    """Return the names of the variables in scope, as an ordered dict without values."""
    match part:
        case Group(parts):
            return {name: None for one in parts for name in in_scope(one)}
        case Triples(steps):
            ends = (end for step in steps for end in (step.subject, step.verb, step.object))
            return {end.name: None for end in ends if isinstance(end, Var)}
        case Optional(group):
            return in_scope(group)
        case Union(groups):
            return {name: None for group in groups for name in in_scope(group)}
        case Minus() | Filter():
            return {}
        case Bind(_, variable):
            return {variable.name: None}
        case Values(names, _):
            return {name.name: None for name in names}
        case InGraph(name, group):
            return ({name.name: None} if isinstance(name, Var) else {}) | in_scope(group)
        case Select():
            return dict.fromkeys(shown(part))
        case _:
            assert_never(part)


def shown(select):
    """Return the names of the variables that a SELECT returns, in their order."""
    if select.items:
        return [item.variable.name for item in select.items]
    return list(in_scope(select.where) | ({} if select.values is None else in_scope(select.values)))


def occurring(tree):
    """Return the names of all variables anywhere in a tree."""
    return {one.name for one in walk(tree) if isinstance(one, Var)}


def walk(tree, *, into_exists=True):
    """Yield every node of a tree, the tree itself first."""
    if isinstance(tree, tuple):
        for one in tree:
            yield from walk(one, into_exists=into_exists)
    elif is_dataclass(tree):
        yield tree
        for name in fields(tree) if into_exists or not isinstance(tree, Exists) else ():
            yield from walk(getattr(tree, name.name), into_exists=into_exists)
