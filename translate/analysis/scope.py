"""Which variables an EXISTS sees of the solution it is tested in, and the substitution of SPARQL 1.1, 18.6.

Replacing a variable by its value inside P is done by giving the value to every rule of P: there
the variable is bound from the start. A variable that P binds by itself (BIND, VALUES, an
aggregate) and one that a subquery hides must first have another name.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from lars.language.program import variables as variables_of
from lars.language.terms import Variable
from translate.analysis.nullability import nullable
from translate.analysis.rewriting import children, modifiers_renamed, parts, rename, tests_of
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, can_stay, variables

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
