"""Walks over patterns: the parts of one, and the same pattern with other parts."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import assert_never

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
    PathPattern,
    Pattern,
    Select,
    Service,
    StreamBlock,
    Union,
    Values,
)


def rebuilt(pattern: Pattern, change: Callable[[Pattern], Pattern | None]) -> Pattern:
    """Return the pattern with every part, outermost first, for which `change` has another.

    The patterns of EXISTS are parts too; what `change` gives is not looked into again.
    """
    if (changed := change(pattern)) is not None:
        return changed
    match pattern:
        case Bgp() | PathPattern() | StreamBlock() | Values():
            return pattern
        case Join() | Union() | Minus():
            return replace(pattern, left=rebuilt(pattern.left, change), right=rebuilt(pattern.right, change))
        case LeftJoin():
            left, right = rebuilt(pattern.left, change), rebuilt(pattern.right, change)
            return replace(pattern, left=left, right=right, exists=_tests(pattern.exists, change))
        case Filter() | Extend():
            inner = rebuilt(pattern.pattern, change)
            return replace(pattern, pattern=inner, exists=_tests(pattern.exists, change))
        case Graph() | Service() | Group() | Select():
            return replace(pattern, pattern=rebuilt(pattern.pattern, change))
        case _:
            assert_never(pattern)


def _tests(exists: tuple[Exists, ...], change: Callable[[Pattern], Pattern | None]) -> tuple[Exists, ...]:
    return tuple(Exists(test.variable, rebuilt(test.pattern, change)) for test in exists)


def tests_of(pattern: Pattern) -> tuple[Exists, ...]:
    """Return the EXISTS of the conditions of this pattern, without those of its parts."""
    return pattern.exists if isinstance(pattern, LeftJoin | Filter | Extend) else ()


def children(pattern: Pattern) -> tuple[Pattern, ...]:
    """Return the patterns that this one is made of, in the order of the text; EXISTS come last."""
    tested = tuple(test.pattern for test in tests_of(pattern))
    match pattern:
        case Bgp() | PathPattern() | Values():
            return ()
        case StreamBlock(_, _, inner):
            return (inner,)
        case Join(left, right) | Union(left, right) | Minus(left, right) | LeftJoin(left, right, _):
            return (left, right, *tested)
        case Filter(inner, _) | Extend(inner, _, _) | Graph(_, inner) | Service(_, inner, _):
            return (inner, *tested)
        case Group(inner, _, _) | Select(inner, _, _):
            return (inner,)
        case _:
            assert_never(pattern)


def parts(pattern: Pattern) -> Iterator[Pattern]:
    """Yield the pattern and everything inside it, EXISTS included, each before its own parts."""
    yield pattern
    for child in children(pattern):
        yield from parts(child)
