"""Walks over patterns: their parts, other parts or variable names in their place, paths as patterns.

Then comes which variables an EXISTS sees of the solution it is tested in, and the substitution of SPARQL 1.1,
18.6. Replacing a variable by its value inside P is done by giving the value to every rule of P: there the
variable is bound from the start. A variable that P binds by itself (BIND, VALUES, an aggregate) and one that
a subquery hides must first have another name.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import assert_never

from lars.language.formulas import Expression, OrderKey
from lars.language.program import put_terms
from lars.language.program import variables as variables_of
from lars.language.terms import Term, Variable
from translate.analysis.nullability import nullable
from translate.memory import remember
from translate.model.patterns import (
    EMPTY,
    Alternative,
    Bgp,
    Exists,
    Extend,
    Filter,
    Graph,
    Group,
    Inverse,
    Join,
    LeftJoin,
    Link,
    Minus,
    Modifiers,
    NegatedSet,
    Path,
    PathPattern,
    PathSequence,
    Pattern,
    RepeatedPath,
    Select,
    Service,
    StreamBlock,
    TriplePattern,
    Union,
    Values,
    can_stay,
    variables,
)


def rebuild(pattern: Pattern, change: Callable[[Pattern], Pattern | None]) -> Pattern:
    """Return the pattern with every part, outermost first, for which `change` has another.

    The patterns of EXISTS are parts too; what `change` gives is not looked into again.
    """
    if (changed := change(pattern)) is not None:
        return changed
    return _with_parts(pattern, lambda part: rebuild(part, change))


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


def expressions_of(pattern: Pattern) -> tuple[Expression, ...]:
    """Return the conditions and values of this pattern, without those of its parts."""
    match pattern:
        case Filter(_, term) | Extend(_, _, term) | LeftJoin(_, _, term) if term is not None:
            return (term,)
        case _:
            return ()


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


@remember
def depth(pattern: Pattern) -> int:
    """Return how many patterns stand inside each other; four triple patterns count as one.

    A basic graph pattern becomes a chain of joins, which are the cheapest of all operators.
    """
    if isinstance(pattern, Bgp):
        return 1 + len(pattern.triples) // 4
    return 1 + max(map(depth, children(pattern)), default=0)


def rename(pattern: Pattern, names: Mapping[Variable, Variable]) -> Pattern:
    """Return the pattern with other names for its variables, wherever they occur."""

    def name(variable: Variable) -> Variable:
        return names.get(variable, variable)

    def tests(tested: LeftJoin | Filter | Extend) -> tuple[Exists, ...]:
        return tuple(replace(test, variable=name(test.variable)) for test in tested.exists)

    pattern = _with_parts(pattern, lambda part: rename(part, names))
    match pattern:
        case Bgp(triples):
            return Bgp(
                tuple(TriplePattern(*(_put(term, names) for term in triple.terms)) for triple in triples)
            )
        case PathPattern(subject, path, object_):
            return PathPattern(_put(subject, names), path, _put(object_, names))
        case StreamBlock(stream, _, inner):
            block = rename(inner, names)
            assert isinstance(block, Bgp | PathPattern)
            read = name(stream) if isinstance(stream, Variable) else stream
            return replace(pattern, stream=read, pattern=block)
        case Join() | Union() | Minus() | LeftJoin(_, _, None):
            return pattern
        case LeftJoin(_, _, condition) | Filter(_, condition):
            assert condition is not None
            return replace(pattern, condition=put_terms(condition, names), exists=tests(pattern))
        case Graph(graph) | Service(graph):
            return replace(pattern, name=name(graph)) if isinstance(graph, Variable) else pattern
        case Extend(_, variable, expression):
            put = put_terms(expression, names)
            return replace(pattern, variable=name(variable), expression=put, exists=tests(pattern))
        case Values(columns):
            return replace(pattern, names=tuple(map(name, columns)))
        case Group(_, keys, aggregates):
            aggregations = tuple(
                (name(variable), replace(how, arguments=tuple(map(name, how.arguments))))
                for variable, how in aggregates
            )
            return replace(pattern, keys=tuple(map(name, keys)), aggregates=aggregations)
        case Select(_, result, modifiers):
            # What the subquery hides is not the same variable, but renaming it alike is harmless.
            modifiers_here = modifiers_renamed(modifiers, names)
            return replace(pattern, result=tuple(map(name, result)), modifiers=modifiers_here)
        case _:
            assert_never(pattern)


def modifiers_renamed(modifiers: Modifiers, names: Mapping[Variable, Variable]) -> Modifiers:
    """Return the modifiers with other names for the variables of ORDER BY."""
    order = tuple(OrderKey(names.get(key.variable, key.variable), key.descending) for key in modifiers.order)
    return replace(modifiers, order=order)


def _put(term: Term, names: Mapping[Variable, Variable]) -> Term:
    return names.get(term, term) if isinstance(term, Variable) else term


def without_paths(pattern: Pattern, others: frozenset[Variable] = frozenset()) -> Pattern:
    """Return the pattern, also inside EXISTS, with paths as patterns; their new variables are not `others`.

    >>> from lars.language.terms import Iri
    >>> path = PathSequence(Link(Iri("p")), Inverse(Link(Iri("q"))))
    >>> print(without_paths(PathPattern(Variable("x"), path, Variable("y"))))
    {?x <p> ?_p0 . ?y <q> ?_p0}
    """
    fresh = _path_variables(occurring_variables(pattern) | others)

    def change(part: Pattern) -> Pattern | None:
        match part:
            case PathPattern(subject, path, object_):
                return path_pattern(subject, path, object_, fresh)
            case StreamBlock(_, _, PathPattern(subject, path, object_)):
                return _in_stream(replace(part, pattern=EMPTY), path_pattern(subject, path, object_, fresh))
            case _:
                return None

    return rebuild(pattern, change)


def _path_variables(taken: frozenset[Variable]) -> Iterator[Variable]:
    prefix = "_p"
    while any(variable.name.startswith(prefix) for variable in taken):
        prefix = f"_{prefix}"
    return (Variable(f"{prefix}{number}") for number in count())


def path_pattern(subject: Term, path: Path, object_: Term, fresh: Iterator[Variable]) -> Pattern:
    """Return the pattern for subject path object."""
    match path:
        case Link(iri):
            return Bgp((TriplePattern(subject, iri, object_),))
        case Inverse(inner):
            return path_pattern(object_, inner, subject, fresh)
        case PathSequence(first, second):
            between = next(fresh)
            return _joined(
                path_pattern(subject, first, between, fresh), path_pattern(between, second, object_, fresh)
            )
        case Alternative(one, other):
            return Union(
                path_pattern(subject, one, object_, fresh), path_pattern(subject, other, object_, fresh)
            )
        case NegatedSet(forward, backward) if forward and backward:
            return Union(
                PathPattern(subject, NegatedSet(forward), object_),
                PathPattern(subject, NegatedSet((), backward), object_),
            )
        case RepeatedPath() | NegatedSet():
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


Variables = frozenset[Variable]
Rename = Callable[[Variable], Variable]


def mentioned_variables(pattern: Pattern) -> Variables:
    """Return the variables that occur in the pattern, in conditions too; a subquery shows its result only."""
    names = variables(pattern)
    if isinstance(pattern, Select):
        return names
    names = names.union(*map(variables_of, expressions_of(pattern)))
    own = frozenset(test.variable for test in tests_of(pattern))
    return names.union(*map(mentioned_variables, children(pattern))) - own


def occurring_variables(pattern: Pattern) -> Variables:
    """Return every variable that occurs anywhere in the pattern, whether it is seen outside or not."""
    return frozenset().union(*map(_own, parts(pattern)))


def fresh_variables(pattern: Pattern, stem: str) -> Iterator[Variable]:
    """Return variables `stem`1, `stem`2, .. that do not occur in the pattern."""
    taken = occurring_variables(pattern)
    return (variable for number in count(1) if (variable := Variable(f"{stem}{number}")) not in taken)


def _own(part: Pattern) -> Variables:
    tested = frozenset(test.variable for test in tests_of(part))
    names = tested.union(variables(part), *map(variables_of, expressions_of(part)))
    match part:
        case Group(_, _, aggregates):
            return names.union(*(aggregation.arguments for _, aggregation in aggregates))
        case Select(_, _, modifiers):
            return names.union(key.variable for key in modifiers.order)
        case _:
            return names


def is_local(pattern: Pattern) -> bool:
    """Whether P under a substitution has a solution exactly if one of its solutions is compatible with it."""
    match pattern:
        case Bgp() | Values():
            return True
        case PathPattern(_, path, _):
            return not can_stay(path)
        case StreamBlock(_, _, inner) | Graph(_, inner) | Service(_, inner, _):
            return is_local(inner)
        case Join(left, right) | Union(left, right):
            return is_local(left) and is_local(right)
        case Filter(inner, condition, ()):
            return is_local(inner) and variables_of(condition) <= variables(inner) - nullable(inner)
        case Filter() | LeftJoin() | Minus() | Extend() | Group() | Select():
            return False
        case _:
            assert_never(pattern)


def apart(
    pattern: Pattern, avoided: Variables, fresh: Iterator[Variable]
) -> tuple[Pattern, Mapping[Variable, Variable]]:
    """Return P with new names for given variables that it binds itself, and these names by the old ones."""
    names: dict[Variable, Variable] = {}

    def own(variable: Variable) -> Variable:
        if variable not in avoided:
            return variable
        return names[variable] if variable in names else names.setdefault(variable, next(fresh))

    return _apart(pattern, avoided, own, fresh), names


def _apart(pattern: Pattern, avoided: Variables, own: Rename, fresh: Iterator[Variable]) -> Pattern:
    def inside(part: Pattern) -> Pattern:
        return _apart(part, avoided, own, fresh)

    match pattern:
        case Bgp() | PathPattern() | StreamBlock():
            return pattern
        case Values(columns, rows):
            return Values(tuple(map(own, columns)), rows)
        case Join() | Union() | Minus() | LeftJoin():
            return replace(pattern, left=inside(pattern.left), right=inside(pattern.right))
        case Filter() | Graph() | Service():
            return replace(pattern, pattern=inside(pattern.pattern))
        case Extend(inner, variable, _):
            return replace(pattern, pattern=inside(inner), variable=own(variable))
        case Group(inner, keys, aggregates):
            within = inside(inner)
            bound = tuple(key if key in variables(within) - avoided else own(key) for key in keys)
            kept = tuple(key for key in bound if key in variables(within))
            return Group(
                within, kept, tuple((own(variable), aggregation) for variable, aggregation in aggregates)
            )
        case Select(inner, result, modifiers):
            hidden = (variables(inner) | mentioned_variables(inner)) & avoided - frozenset(result)
            names = dict(zip(sorted(hidden), fresh, strict=False))
            within = inside(rename(inner, names))
            result_here = tuple(own(name) if own(name) in variables(within) else name for name in result)
            return Select(within, result_here, modifiers_renamed(modifiers, names))
        case _:
            assert_never(pattern)
