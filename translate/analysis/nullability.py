"""Analysis of nulls: variables that can be null together, the cases of a join, and multiplicities.

A multiset of solutions is a set of solutions with witnesses. A witness is the branch of a UNION, the row of a
VALUES, or a variable that a projection drops. A witness can also be the property that matched a negated set,
or the side of a join that left a variable unbound. The multiplicity of a solution is the number of its
witness tuples. The number of witness tuples of a join is the product of the numbers of its two sides. The
multiplicities of a join therefore need no further rules.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final, assert_never

from lars.language.formulas import RANDOM, Call, Expression
from lars.language.program import variables as named_in
from lars.language.terms import NULL, Constant, Variable
from translate.model import patterns as algebra
from translate.model.patterns import NegatedSet, Pattern, remember, variables

_LENIENT: Final = RANDOM | {"COALESCE", "IF", "NOW"}
"""Functions that can have a value although an argument has no value."""


def required_variables(condition: Expression, *, value: bool = True) -> frozenset[Variable]:
    """Return variables that are bound in every solution for which the condition has the truth value `value`.

    >>> from lars.language.terms import Literal
    >>> n, m = Variable("n"), Variable("m")
    >>> test = Call("||", (Call("<", (n, m)), Call("!", (Call("=", (n, Literal("a"))),))))
    >>> sorted(required_variables(test))
    [Variable(name='n')]
    """
    match condition:
        case Call("!", (inner,)):
            return required_variables(inner, value=not value)
        case Call("&&" | "||" as operator, parts):
            sides = [required_variables(part, value=value) for part in parts]
            every = (operator == "&&") is value
            return frozenset().union(*sides) if every else frozenset.intersection(*sides)
        case Call("BOUND", (inner,)):
            return named_in(inner) if value else frozenset()
        case Call("IN", (needle, *options)):
            # ?x NOT IN () is true although ?x is unbound, because no comparison fails.
            return bound_in(needle) if value or options else frozenset()
        case _:
            return bound_in(condition)


def bound_in(expression: Expression) -> frozenset[Variable]:
    """Return variables that are bound in every solution in which the expression has a value."""
    match expression:
        case Call("!", (inner,)):
            return bound_in(inner)
        case Call("&&" | "||", _):
            return required_variables(expression) & required_variables(expression, value=False)
        case Call("BOUND", _) | Call("IN", _):
            return frozenset()
        case Call("IF", (condition, yes, no)):
            return bound_in(condition) | (bound_in(yes) & bound_in(no))
        case Call(function, _) if function in _LENIENT:
            return frozenset()
        case Call(_, arguments):
            return frozenset().union(*map(bound_in, arguments))
        case _:
            return named_in(expression)


def has_value(expression: Expression) -> bool:
    """Return whether the expression has a value in every solution, even if variables are unbound.

    >>> from lars.language.terms import Literal
    >>> has_value(Call("COALESCE", (Variable("x"), Literal("none"))))
    True
    """
    match expression:
        case Variable():
            return False
        case Call("COALESCE", arguments):
            return any(map(has_value, arguments))
        case Call("BOUND", _) | Call("NOW" | "RAND" | "UUID" | "STRUUID", _) | Call("BNODE", ()):
            return True
        case Call():
            return False
        case _:
            return expression != NULL


Variables = frozenset[Variable]


@remember
def null_sets(pattern: Pattern, among: Variables) -> frozenset[Variables]:
    """Return subsets of `among`; for each solution, one of them is the set of its null variables.

    Each returned set is a subset of `among` ∩ vars(P). A filter excludes a set if the filter is true only for
    solutions that bind a variable of the set. The result may contain sets that no solution leaves null; for
    such a set, the translation only gets a rule that never fires.
    """
    match pattern:
        case algebra.Bgp() | algebra.PathPattern() | algebra.StreamBlock():
            return frozenset((frozenset(),))
        case algebra.Filter(inner, condition):
            needed = required_variables(condition)
            return frozenset(nulls for nulls in null_sets(inner, among) if not nulls & needed)
        case algebra.Minus(inner, _):
            return null_sets(inner, among)
        case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
            return frozenset(nulls - {name} for nulls in null_sets(inner, among))
        case algebra.Extend():
            return _of_extension(pattern, among)
        case algebra.Union(left, right):
            one, other = _sides(left, right, among)
            return one | other
        case algebra.Join(left, right):
            return _joined(*_sides(left, right, among))
        case algebra.LeftJoin(left, right, _):
            one, other = _sides(left, right, among)
            # Where the optional side has no match, all its own variables are null.
            return _joined(one, other) | one
        case algebra.Values(names, rows):
            return frozenset(_unbound(names, row) & among for row in rows)
        case algebra.Group():
            return _of_group(pattern, among)
        case algebra.Select(inner, result, _):
            missing = (frozenset(result) - variables(inner)) & among
            inside = among & frozenset(result)
            return frozenset(nulls | missing for nulls in null_sets(inner, inside))
        case _:
            assert_never(pattern)


def null_pairs(left: Pattern, right: Pattern, among: Variables) -> Iterator[tuple[Variables, Variables]]:
    """Yield each pair of null sets, one of the left and one of the right pattern, in a fixed order."""
    yield from product(*(sorted(null_sets(side, among), key=sorted) for side in (left, right)))


def _of_extension(pattern: algebra.Extend, among: Variables) -> frozenset[Variables]:
    inner, added, expression = pattern.pattern, frozenset((pattern.variable,)) & among, pattern.expression
    if isinstance(expression, Variable) and expression in variables(inner):
        sets = null_sets(inner, among | {expression})
        return frozenset((nulls | (added if expression in nulls else frozenset())) & among for nulls in sets)
    without = null_sets(inner, among)
    return without if has_value(expression) else without | frozenset(nulls | added for nulls in without)


def _unbound(names: tuple[Variable, ...], row: tuple[Constant | None, ...]) -> Variables:
    return frozenset(name for name, term in zip(names, row, strict=True) if term is None)


def _of_group(group: algebra.Group, among: Variables) -> frozenset[Variables]:
    # Each aggregate except COUNT can be an error by itself, so all combinations of nulls are possible.
    missing = (frozenset(group.keys) - variables(group.pattern)) & among
    sets = frozenset(n | missing for n in null_sets(group.pattern, among & frozenset(group.keys)))
    if not group.keys:
        # Without keys, the group also exists if the pattern has no solution.
        sets = frozenset((frozenset(),))
    for variable, aggregation in group.aggregates:
        if variable in among and aggregation.function != "COUNT":
            sets |= frozenset(nulls | {variable} for nulls in sets)
    return sets


def _sides(left: Pattern, right: Pattern, among: Variables) -> tuple[frozenset[Variables], ...]:
    """Return the null sets of both sides of a join; each includes the variables of only the other side."""
    missing = (variables(right) - variables(left)) & among, (variables(left) - variables(right)) & among
    return (
        frozenset(nulls | missing[0] for nulls in null_sets(left, among)),
        frozenset(nulls | missing[1] for nulls in null_sets(right, among)),
    )


def _joined(one: frozenset[Variables], other: frozenset[Variables]) -> frozenset[Variables]:
    # A join leaves a variable null only if both sides do.
    return frozenset(nulls & more for nulls, more in product(one, other))


def joins(
    left: Pattern, right: Pattern, names: Variables = frozenset()
) -> Iterator[tuple[Variables, Variables]]:
    """Yield the cases in which solutions of two patterns are compatible (SPARQL 1.1, 18.3).

    A case consists of the shared variables that are null only on the left, and the shared variables that are
    null only on the right. All other shared variables are equal, or null on both sides. If no shared variable
    is nullable, only one case exists. Variables in `names` are treated as constants.
    """
    shared = variables(left) & variables(right) - names
    pairs = null_pairs(left, right, shared)
    yield from dict.fromkeys((mine - theirs, theirs - mine) for mine, theirs in pairs)


@remember
def nullable(pattern: Pattern) -> Variables:
    """Return a superset of the variables that at least one solution of the pattern leaves null.

    The result contains a variable v if and only if `null_sets(pattern, {v})` contains {v}. One pass over the
    pattern finds all such variables, because 500 calls of `null_sets` would take minutes.
    """
    match pattern:
        case algebra.Bgp() | algebra.PathPattern() | algebra.StreamBlock():
            return frozenset()
        case algebra.Filter(inner, condition):
            return nullable(inner) - required_variables(condition)
        case algebra.Minus(inner, _):
            return nullable(inner)
        case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
            return nullable(inner) - {name}
        case algebra.Extend(inner, variable, expression):
            copied = isinstance(expression, Variable) and expression in variables(inner)
            bound = expression not in nullable(inner) if copied else has_value(expression)
            return nullable(inner) if bound else nullable(inner) | {variable}
        case algebra.Union(left, right):
            return nullable(left) | nullable(right) | (variables(left) ^ variables(right))
        case algebra.Join(left, right):
            return _null_on_side(left, right) & _null_on_side(right, left)
        case algebra.LeftJoin(left, right, _):
            return _null_on_side(left, right)
        case algebra.Values(names, rows):
            return frozenset().union(*(_unbound(names, row) for row in rows))
        case algebra.Group(inner, keys, aggregates):
            free = {variable for variable, aggregation in aggregates if aggregation.function != "COUNT"}
            return frozenset(keys) & (nullable(inner) | (frozenset(keys) - variables(inner))) | free
        case algebra.Select(inner, result, _):
            return frozenset(result) & (nullable(inner) | (frozenset(result) - variables(inner)))
        case _:
            assert_never(pattern)


def _null_on_side(side: Pattern, other: Pattern) -> Variables:
    """Return the variables of a join that a solution of one side can leave null."""
    return nullable(side) | (variables(other) - variables(side))


@remember
def witnesses(pattern: Pattern) -> int:
    """Return the number of extra arguments (witnesses) that distinguish equal solutions of the pattern."""
    match pattern:
        case algebra.Bgp() | algebra.Group():
            return 0
        case algebra.PathPattern(_, path, _):
            # Each triple of a negated set is a solution of its own; p* connects two nodes once (SPARQL 1.1,
            # 18.4).
            return int(isinstance(path, NegatedSet))
        case algebra.StreamBlock(_, _, inner):
            return witnesses(inner)
        case algebra.Join(left, right) | algebra.LeftJoin(left, right, _):
            return witnesses(left) + witnesses(right) + joins_by_cases(left, right)
        case algebra.Union():
            return 0 if is_cautious(pattern) else 1 + max(witnesses(pattern.left), witnesses(pattern.right))
        case algebra.Minus(inner, _) | algebra.Filter(inner, _) | algebra.Extend(inner, _, _):
            return witnesses(inner)
        case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
            return witnesses(inner) + (name in nullable(inner))
        case algebra.Values(_, rows):
            # Different rows have different values; numbers are needed only if a row is written twice.
            return int(len(set(rows)) < len(rows))
        case algebra.Select(inner, result, modifiers):
            if modifiers.duplicates == "DISTINCT":
                return 0
            return len(variables(inner) - frozenset(result)) + witnesses(inner)
        case _:
            assert_never(pattern)


def joins_by_cases(left: Pattern, right: Pattern) -> bool:
    """Return whether a shared variable of a join can be unbound.

    If a shared variable can be unbound, a solution of the join does not show which side bound the variable.
    """
    shared = variables(left) & variables(right)
    return bool(shared & (nullable(left) | nullable(right)))


def is_cautious(union: algebra.Union) -> bool:
    """Return whether the union is `(STREAM s ω g) UNION g`.

    The union `(STREAM s ω g) UNION g` only defines the sources of g, so a match counts once.
    """
    return (
        isinstance(union.left, algebra.StreamBlock)
        and union.left.graph is None
        and isinstance(union.right, algebra.Bgp)
        and union.left.pattern == union.right
    )
