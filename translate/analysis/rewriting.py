"""Walks over patterns: their parts, other parts or variable names in their place, paths as patterns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import assert_never

from lars.formulas import Order
from lars.semantics import put_terms
from lars.terms import Term, Variable
from translate.paths import Alternative, Inverse, Link, Negated, Path, Repeated, Sequence
from translate.patterns import (
    EMPTY,
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


def rebuilt(pattern: Pattern, change: Callable[[Pattern], Pattern | None]) -> Pattern:
    """Return the pattern with every part, outermost first, for which `change` has another.

    The patterns of EXISTS are parts too; what `change` gives is not looked into again.
    """
    if (changed := change(pattern)) is not None:
        return changed
    return _with_parts(pattern, lambda part: rebuilt(part, change))


def _with_parts(pattern: Pattern, put: Callable[[Pattern], Pattern]) -> Pattern:
    """Return the pattern with what `put` gives for each pattern that it is made of, EXISTS included."""

    def tests() -> tuple[Exists, ...]:
        return tuple(Exists(test.variable, put(test.pattern)) for test in tests_of(pattern))

    match pattern:
        case Bgp() | PathPattern() | StreamBlock() | Values():
            return pattern
        case Join() | Union() | Minus():
            return replace(pattern, left=put(pattern.left), right=put(pattern.right))
        case LeftJoin():
            return replace(pattern, left=put(pattern.left), right=put(pattern.right), exists=tests())
        case Filter() | Extend():
            return replace(pattern, pattern=put(pattern.pattern), exists=tests())
        case Graph() | Service() | Group() | Select():
            return replace(pattern, pattern=put(pattern.pattern))
        case _:
            assert_never(pattern)


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


def renamed(pattern: Pattern, names: Mapping[Variable, Variable]) -> Pattern:
    """Return the pattern with other names for its variables, wherever they occur."""

    def name(variable: Variable) -> Variable:
        return names.get(variable, variable)

    pattern = _with_parts(pattern, lambda part: renamed(part, names))
    match pattern:
        case Bgp(triples):
            return Bgp(
                tuple(TriplePattern(*(_put(term, names) for term in triple.terms)) for triple in triples)
            )
        case PathPattern(subject, path, object_):
            return PathPattern(_put(subject, names), path, _put(object_, names))
        case StreamBlock(stream, _, inner):
            block = renamed(inner, names)
            assert isinstance(block, Bgp | PathPattern)
            read = name(stream) if isinstance(stream, Variable) else stream
            return replace(pattern, stream=read, pattern=block)
        case Join() | Union() | Minus() | LeftJoin(_, _, None):
            return pattern
        case LeftJoin(_, _, condition) | Filter(_, condition):
            assert condition is not None
            return replace(pattern, condition=put_terms(condition, names))
        case Graph(graph) | Service(graph):
            return replace(pattern, name=name(graph)) if isinstance(graph, Variable) else pattern
        case Extend(_, variable, expression):
            return replace(pattern, variable=name(variable), expression=put_terms(expression, names))
        case Values(columns):
            return replace(pattern, names=tuple(map(name, columns)))
        case Group(_, keys, aggregates):
            found = tuple(
                (name(variable), replace(how, arguments=tuple(map(name, how.arguments))))
                for variable, how in aggregates
            )
            return replace(pattern, keys=tuple(map(name, keys)), aggregates=found)
        case Select(_, result, modifiers):
            # What the subquery hides is not the same variable, but renaming it alike is harmless.
            shown = modifiers_renamed(modifiers, names)
            return replace(pattern, result=tuple(map(name, result)), modifiers=shown)
        case _:
            assert_never(pattern)


def modifiers_renamed(modifiers: Modifiers, names: Mapping[Variable, Variable]) -> Modifiers:
    """Return the modifiers with other names for the variables of ORDER BY."""
    order = tuple(Order(names.get(key.variable, key.variable), key.descending) for key in modifiers.order)
    return replace(modifiers, order=order)


def _put(term: Term, names: Mapping[Variable, Variable]) -> Term:
    return names.get(term, term) if isinstance(term, Variable) else term


def without_paths(pattern: Pattern, taken: frozenset[Variable]) -> Pattern:
    """Return the pattern, also inside EXISTS, with every path as patterns; its new variables are not `taken`.

    >>> from lars.terms import Iri
    >>> path = Sequence(Link(Iri("p")), Inverse(Link(Iri("q"))))
    >>> print(without_paths(PathPattern(Variable("x"), path, Variable("y")), frozenset()))
    {?x <p> ?_p0 . ?y <q> ?_p0}
    """
    fresh = _fresh(taken)

    def change(part: Pattern) -> Pattern | None:
        match part:
            case PathPattern(subject, path, object_):
                return walked(subject, path, object_, fresh)
            case StreamBlock(_, _, PathPattern(subject, path, object_)):
                return _in_stream(replace(part, pattern=EMPTY), walked(subject, path, object_, fresh))
            case _:
                return None

    return rebuilt(pattern, change)


def _fresh(taken: frozenset[Variable]) -> Iterator[Variable]:
    prefix = "_p"
    while any(variable.name.startswith(prefix) for variable in taken):
        prefix = f"_{prefix}"
    return (Variable(f"{prefix}{number}") for number in count())


def walked(subject: Term, path: Path, object_: Term, fresh: Iterator[Variable]) -> Pattern:
    """Return the pattern for subject path object."""
    match path:
        case Link(iri):
            return Bgp((TriplePattern(subject, iri, object_),))
        case Inverse(inner):
            return walked(object_, inner, subject, fresh)
        case Sequence(first, second):
            between = next(fresh)
            return _joined(walked(subject, first, between, fresh), walked(between, second, object_, fresh))
        case Alternative(one, other):
            return Union(walked(subject, one, object_, fresh), walked(subject, other, object_, fresh))
        case Negated(forward, backward) if forward and backward:
            return Union(
                PathPattern(subject, Negated(forward), object_),
                PathPattern(subject, Negated((), backward), object_),
            )
        case Repeated() | Negated():
            return PathPattern(subject, path, object_)
        case _:
            assert_never(path)


def _joined(left: Pattern, right: Pattern) -> Pattern:
    if isinstance(left, Bgp) and isinstance(right, Bgp):
        return Bgp((*left.triples, *right.triples))
    return Join(left, right)


def _in_stream(block: StreamBlock, pattern: Pattern) -> Pattern:
    match pattern:
        case Join(left, right) | Union(left, right):
            return type(pattern)(_in_stream(block, left), _in_stream(block, right))
        case Bgp() | PathPattern():
            return replace(block, pattern=pattern)
        case _:
            raise AssertionError(pattern)
