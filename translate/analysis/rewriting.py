"""Walks over patterns: their parts, other parts or variable names in their place, paths as patterns.

Which variables an EXISTS sees of the solution it is tested in, and the substitution of SPARQL 1.1, 18.6.

Replacing a variable by its value inside P is done by giving the value to every rule of P: there
the variable is bound from the start. A variable that P binds by itself (BIND, VALUES, an
aggregate) and one that a subquery hides must first have another name.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import assert_never

from lars.language.formulas import OrderKey
from lars.language.program import put_terms
from lars.language.program import variables as variables_of
from lars.language.terms import Term, Variable
from translate.analysis.nullability import nullable
from translate.memory import remember
from translate.model import patterns as algebra
from translate.model.patterns import (
    Alternative,
    Inverse,
    Link,
    NegatedSet,
    Path,
    PathSequence,
    Pattern,
    RepeatedPath,
    can_stay,
    variables,
)


def rebuilt(
    pattern: algebra.Pattern, change: Callable[[algebra.Pattern], algebra.Pattern | None]
) -> algebra.Pattern:
    """Return the pattern with every part, outermost first, for which `change` has another.

    The patterns of EXISTS are parts too; what `change` gives is not looked into again.
    """
    if (changed := change(pattern)) is not None:
        return changed
    return _with_parts(pattern, lambda part: rebuilt(part, change))


def _with_parts(
    pattern: algebra.Pattern, put: Callable[[algebra.Pattern], algebra.Pattern]
) -> algebra.Pattern:
    """Return the pattern with what `put` gives for each pattern that it is made of, EXISTS included."""

    def tests() -> tuple[algebra.Exists, ...]:
        return tuple(algebra.Exists(test.variable, put(test.pattern)) for test in tests_of(pattern))

    match pattern:
        case algebra.Bgp() | algebra.PathPattern() | algebra.StreamBlock() | algebra.Values():
            return pattern
        case algebra.Join() | algebra.Union() | algebra.Minus():
            return replace(pattern, left=put(pattern.left), right=put(pattern.right))
        case algebra.LeftJoin():
            return replace(pattern, left=put(pattern.left), right=put(pattern.right), exists=tests())
        case algebra.Filter() | algebra.Extend():
            return replace(pattern, pattern=put(pattern.pattern), exists=tests())
        case algebra.Graph() | algebra.Service() | algebra.Group() | algebra.Select():
            return replace(pattern, pattern=put(pattern.pattern))
        case _:
            assert_never(pattern)


def tests_of(pattern: algebra.Pattern) -> tuple[algebra.Exists, ...]:
    """Return the EXISTS of the conditions of this pattern, without those of its parts."""
    return pattern.exists if isinstance(pattern, algebra.LeftJoin | algebra.Filter | algebra.Extend) else ()


def children(pattern: algebra.Pattern) -> tuple[algebra.Pattern, ...]:
    """Return the patterns that this one is made of, in the order of the text; EXISTS come last."""
    tested = tuple(test.pattern for test in tests_of(pattern))
    match pattern:
        case algebra.Bgp() | algebra.PathPattern() | algebra.Values():
            return ()
        case algebra.StreamBlock(_, _, inner):
            return (inner,)
        case (
            algebra.Join(left, right)
            | algebra.Union(left, right)
            | algebra.Minus(left, right)
            | algebra.LeftJoin(left, right, _)
        ):
            return (left, right, *tested)
        case (
            algebra.Filter(inner, _)
            | algebra.Extend(inner, _, _)
            | algebra.Graph(_, inner)
            | algebra.Service(_, inner, _)
        ):
            return (inner, *tested)
        case algebra.Group(inner, _, _) | algebra.Select(inner, _, _):
            return (inner,)
        case _:
            assert_never(pattern)


def parts(pattern: algebra.Pattern) -> Iterator[algebra.Pattern]:
    """Yield the pattern and everything inside it, EXISTS included, each before its own parts."""
    yield pattern
    for child in children(pattern):
        yield from parts(child)


@remember
def depth(pattern: algebra.Pattern) -> int:
    """Return how many patterns stand inside each other; four triple patterns count as one.

    A basic graph pattern becomes a chain of joins, which are the cheapest of all operators.
    """
    if isinstance(pattern, algebra.Bgp):
        return 1 + len(pattern.triples) // 4
    return 1 + max(map(depth, children(pattern)), default=0)


def rename(pattern: algebra.Pattern, names: Mapping[Variable, Variable]) -> algebra.Pattern:
    """Return the pattern with other names for its variables, wherever they occur."""

    def name(variable: Variable) -> Variable:
        return names.get(variable, variable)

    pattern = _with_parts(pattern, lambda part: rename(part, names))
    match pattern:
        case algebra.Bgp(triples):
            return algebra.Bgp(
                tuple(
                    algebra.TriplePattern(*(_put(term, names) for term in triple.terms)) for triple in triples
                )
            )
        case algebra.PathPattern(subject, path, object_):
            return algebra.PathPattern(_put(subject, names), path, _put(object_, names))
        case algebra.StreamBlock(stream, _, inner):
            block = rename(inner, names)
            assert isinstance(block, algebra.Bgp | algebra.PathPattern)
            read = name(stream) if isinstance(stream, Variable) else stream
            return replace(pattern, stream=read, pattern=block)
        case algebra.Join() | algebra.Union() | algebra.Minus() | algebra.LeftJoin(_, _, None):
            return pattern
        case algebra.LeftJoin(_, _, condition) | algebra.Filter(_, condition):
            assert condition is not None
            return replace(pattern, condition=put_terms(condition, names))
        case algebra.Graph(graph) | algebra.Service(graph):
            return replace(pattern, name=name(graph)) if isinstance(graph, Variable) else pattern
        case algebra.Extend(_, variable, expression):
            return replace(pattern, variable=name(variable), expression=put_terms(expression, names))
        case algebra.Values(columns):
            return replace(pattern, names=tuple(map(name, columns)))
        case algebra.Group(_, keys, aggregates):
            found = tuple(
                (name(variable), replace(how, arguments=tuple(map(name, how.arguments))))
                for variable, how in aggregates
            )
            return replace(pattern, keys=tuple(map(name, keys)), aggregates=found)
        case algebra.Select(_, result, modifiers):
            # What the subquery hides is not the same variable, but renaming it alike is harmless.
            shown = modifiers_renamed(modifiers, names)
            return replace(pattern, result=tuple(map(name, result)), modifiers=shown)
        case _:
            assert_never(pattern)


def modifiers_renamed(modifiers: algebra.Modifiers, names: Mapping[Variable, Variable]) -> algebra.Modifiers:
    """Return the modifiers with other names for the variables of ORDER BY."""
    order = tuple(OrderKey(names.get(key.variable, key.variable), key.descending) for key in modifiers.order)
    return replace(modifiers, order=order)


def _put(term: Term, names: Mapping[Variable, Variable]) -> Term:
    return names.get(term, term) if isinstance(term, Variable) else term


def without_paths(pattern: algebra.Pattern, taken: frozenset[Variable]) -> algebra.Pattern:
    """Return the pattern, also inside EXISTS, with every path as patterns; its new variables are not `taken`.

    >>> from lars.language.terms import Iri
    >>> path = PathSequence(Link(Iri("p")), Inverse(Link(Iri("q"))))
    >>> print(without_paths(algebra.PathPattern(Variable("x"), path, Variable("y")), frozenset()))
    {?x <p> ?_p0 . ?y <q> ?_p0}
    """
    fresh = _fresh(taken)

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        match part:
            case algebra.PathPattern(subject, path, object_):
                return path_pattern(subject, path, object_, fresh)
            case algebra.StreamBlock(_, _, algebra.PathPattern(subject, path, object_)):
                return _in_stream(
                    replace(part, pattern=algebra.EMPTY), path_pattern(subject, path, object_, fresh)
                )
            case _:
                return None

    return rebuilt(pattern, change)


def _fresh(taken: frozenset[Variable]) -> Iterator[Variable]:
    prefix = "_p"
    while any(variable.name.startswith(prefix) for variable in taken):
        prefix = f"_{prefix}"
    return (Variable(f"{prefix}{number}") for number in count())


def path_pattern(subject: Term, path: Path, object_: Term, fresh: Iterator[Variable]) -> algebra.Pattern:
    """Return the pattern for subject path object."""
    match path:
        case Link(iri):
            return algebra.Bgp((algebra.TriplePattern(subject, iri, object_),))
        case Inverse(inner):
            return path_pattern(object_, inner, subject, fresh)
        case PathSequence(first, second):
            between = next(fresh)
            return _joined(
                path_pattern(subject, first, between, fresh), path_pattern(between, second, object_, fresh)
            )
        case Alternative(one, other):
            return algebra.Union(
                path_pattern(subject, one, object_, fresh), path_pattern(subject, other, object_, fresh)
            )
        case NegatedSet(forward, backward) if forward and backward:
            return algebra.Union(
                algebra.PathPattern(subject, NegatedSet(forward), object_),
                algebra.PathPattern(subject, NegatedSet((), backward), object_),
            )
        case RepeatedPath() | NegatedSet():
            return algebra.PathPattern(subject, path, object_)
        case _:
            assert_never(path)


def _joined(left: algebra.Pattern, right: algebra.Pattern) -> algebra.Pattern:
    if isinstance(left, algebra.Bgp) and isinstance(right, algebra.Bgp):
        return algebra.Bgp((*left.triples, *right.triples))
    return algebra.Join(left, right)


def _in_stream(block: algebra.StreamBlock, pattern: algebra.Pattern) -> algebra.Pattern:
    match pattern:
        case algebra.Join(left, right) | algebra.Union(left, right):
            return type(pattern)(_in_stream(block, left), _in_stream(block, right))
        case algebra.Bgp() | algebra.PathPattern():
            return replace(block, pattern=pattern)
        case _:
            raise AssertionError(pattern)


Variables = frozenset[Variable]
Rename = Callable[[Variable], Variable]


def mentioned_variables(pattern: Pattern) -> Variables:
    """Return the variables that occur in the pattern, in conditions too; a subquery shows its result only."""
    found = variables(pattern)
    if isinstance(pattern, algebra.Select):
        return found
    match pattern:
        case algebra.Filter(_, expression) | algebra.Extend(_, _, expression):
            found |= variables_of(expression)
        case algebra.LeftJoin(_, _, condition):
            found |= variables_of(condition)
        case _:
            pass
    own = frozenset(test.variable for test in tests_of(pattern))
    return found.union(*map(mentioned_variables, children(pattern))) - own


def occurring_variables(pattern: Pattern) -> Variables:
    """Return every variable that occurs anywhere in the pattern, whether it is seen outside or not."""
    return frozenset().union(*map(_own, parts(pattern)))


def _own(part: Pattern) -> Variables:
    found = variables(part) | frozenset(test.variable for test in tests_of(part))
    match part:
        case algebra.Filter(_, expression) | algebra.Extend(_, _, expression):
            return found | variables_of(expression)
        case algebra.LeftJoin(_, _, condition):
            return found | variables_of(condition)
        case algebra.Group(_, _, aggregates):
            return found.union(*(aggregation.arguments for _, aggregation in aggregates))
        case algebra.Select(_, _, modifiers):
            return found.union(key.variable for key in modifiers.order)
        case _:
            return found


def is_local(pattern: Pattern) -> bool:
    """Whether P under a substitution has a solution exactly if one of its solutions is compatible with it."""
    match pattern:
        case algebra.Bgp() | algebra.Values():
            return True
        case algebra.PathPattern(_, path, _):
            return not can_stay(path)
        case algebra.StreamBlock(_, _, inner) | algebra.Graph(_, inner) | algebra.Service(_, inner, _):
            return is_local(inner)
        case algebra.Join(left, right) | algebra.Union(left, right):
            return is_local(left) and is_local(right)
        case algebra.Filter(inner, condition, ()):
            return is_local(inner) and variables_of(condition) <= variables(inner) - nullable(inner)
        case algebra.Filter() | algebra.LeftJoin() | algebra.Minus() | algebra.Extend():
            return False
        case algebra.Group() | algebra.Select():
            return False
        case _:
            assert_never(pattern)


def apart(
    pattern: Pattern, given: Variables, fresh: Iterator[Variable]
) -> tuple[Pattern, Mapping[Variable, Variable]]:
    """Return P with new names for given variables that it binds itself, and these names by the old ones."""
    names: dict[Variable, Variable] = {}

    def own(variable: Variable) -> Variable:
        if variable not in given:
            return variable
        return names[variable] if variable in names else names.setdefault(variable, next(fresh))

    return _apart(pattern, given, own, fresh), names


def _apart(pattern: Pattern, given: Variables, own: Rename, fresh: Iterator[Variable]) -> Pattern:
    def inside(part: Pattern) -> Pattern:
        return _apart(part, given, own, fresh)

    match pattern:
        case algebra.Bgp() | algebra.PathPattern() | algebra.StreamBlock():
            return pattern
        case algebra.Values(columns, rows):
            return algebra.Values(tuple(map(own, columns)), rows)
        case algebra.Join() | algebra.Union() | algebra.Minus():
            return replace(pattern, left=inside(pattern.left), right=inside(pattern.right))
        case algebra.LeftJoin():
            return replace(pattern, left=inside(pattern.left), right=inside(pattern.right))
        case algebra.Filter() | algebra.Graph() | algebra.Service():
            return replace(pattern, pattern=inside(pattern.pattern))
        case algebra.Extend(inner, variable, _):
            return replace(pattern, pattern=inside(inner), variable=own(variable))
        case algebra.Group(inner, keys, aggregates):
            within = inside(inner)
            bound = tuple(key if key in variables(within) - given else own(key) for key in keys)
            kept = tuple(key for key in bound if key in variables(within))
            return algebra.Group(
                within, kept, tuple((own(variable), found) for variable, found in aggregates)
            )
        case algebra.Select(inner, result, modifiers):
            hidden = (variables(inner) | mentioned_variables(inner)) & given - frozenset(result)
            names = dict(zip(sorted(hidden), fresh, strict=False))
            within = inside(rename(inner, names))
            shown = tuple(own(name) if own(name) in variables(within) else name for name in result)
            return algebra.Select(within, shown, modifiers_renamed(modifiers, names))
        case _:
            assert_never(pattern)
