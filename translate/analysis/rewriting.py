"""Walks over patterns: they list parts, replace parts, rename variables, and turn paths into patterns.

The module also finds the variables that an EXISTS receives from the tested solution, and substitutes values
for these variables (SPARQL 1.1, 18.6). Inside the pattern P of an EXISTS, the value of the tested solution
replaces the variable in every rule of P. A variable that P itself binds (BIND, VALUES, an aggregate), or that
a subquery hides, must be renamed first.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from operator import is_
from typing import Any, Final, assert_never

from lars.language.formulas import Expression
from lars.language.program import variables as variables_of
from lars.language.terms import Iri, Term, Variable
from translate.analysis.nullability import Variables, nullable
from translate.model import patterns as algebra


def rebuild(
    pattern: algebra.Pattern, change: Callable[[algebra.Pattern], algebra.Pattern | None]
) -> algebra.Pattern:
    """Return the pattern after applying `change` to every part, outermost parts first.

    The patterns of EXISTS are parts, too, but patterns inside stream blocks are unchanged. If `change`
    returns a new pattern for a part, `change` is not applied inside the new pattern.
    """
    if (changed := change(pattern)) is not None:
        return changed
    rebuilt = _with_parts(pattern, lambda part: rebuild(part, change))
    if not isinstance(rebuilt, algebra.LeftJoin | algebra.Filter | algebra.Extend) or not rebuilt.exists:
        return rebuilt
    tests = tuple(algebra.Exists(test.variable, rebuild(test.pattern, change)) for test in rebuilt.exists)
    return replace(rebuilt, exists=tests)


def _below(pattern: algebra.Pattern) -> dict[str, algebra.Pattern]:
    """Map the names of a pattern's fields to the patterns in these fields, in the order of the text."""
    return {name: getattr(pattern, name) for name in pattern.__match_args__ if name in _FIELDS}


_FIELDS: Final = frozenset(("left", "right", "pattern"))


def _with_parts(
    pattern: algebra.Pattern, put: Callable[[algebra.Pattern], algebra.Pattern]
) -> algebra.Pattern:
    """Return the pattern after applying `put` to each direct part; a stream block is unchanged."""
    if isinstance(pattern, algebra.Bgp | algebra.PathPattern | algebra.StreamBlock | algebra.Values):
        return pattern
    changes: dict[str, Any] = {name: put(part) for name, part in _below(pattern).items()}
    return replace(pattern, **changes)


def tests_of(pattern: algebra.Pattern) -> tuple[algebra.Exists, ...]:
    """Return the EXISTS tests in the conditions of a pattern, without the tests in the pattern's parts."""
    return pattern.exists if isinstance(pattern, algebra.LeftJoin | algebra.Filter | algebra.Extend) else ()


def direct_parts(pattern: algebra.Pattern) -> tuple[algebra.Pattern, ...]:
    """Return the direct parts of a pattern, without the patterns of EXISTS."""
    return children(pattern)[: len(children(pattern)) - len(tests_of(pattern))]


def expressions_of(pattern: algebra.Pattern) -> tuple[Expression, ...]:
    """Return the expressions of a pattern, such as a filter's condition, without those of its parts."""
    match pattern:
        case algebra.Filter(_, term) | algebra.Extend(_, _, term) | algebra.LeftJoin(_, _, term) if (
            term is not None
        ):
            return (term,)
        case _:
            return ()


def children(pattern: algebra.Pattern) -> tuple[algebra.Pattern, ...]:
    """Return the direct parts of a pattern in the order of the text; patterns of EXISTS come last."""
    return (*_below(pattern).values(), *(test.pattern for test in tests_of(pattern)))


def parts(pattern: algebra.Pattern) -> Iterator[algebra.Pattern]:
    """Yield a pattern and all patterns inside it, also inside EXISTS; a pattern precedes its parts."""
    yield pattern
    for child in children(pattern):
        yield from parts(child)


@algebra.remember
def depth(pattern: algebra.Pattern) -> int:
    """Return the nesting depth of a pattern; four triple patterns count as one level.

    Triple patterns count less because a basic graph pattern becomes a chain of joins, which are the cheapest
    operators.
    """
    if isinstance(pattern, algebra.Bgp):
        return 1 + len(pattern.triples) // 4
    return 1 + max(map(depth, children(pattern)), default=0)


def rename(pattern: algebra.Pattern, names: Mapping[Variable, Variable]) -> algebra.Pattern:
    """Return the pattern after renaming all occurrences of variables by `names`."""
    renamed = _renamed(pattern, names)
    assert isinstance(renamed, algebra.Pattern)
    return renamed


def keeps_ties(pattern: algebra.Pattern, names: Mapping[Variable, Variable]) -> bool:
    """Return whether each LIMIT selects the same rows after the variables are renamed.

    If rows have equal sort keys, LIMIT chooses by the order of the column names and by the texts of the
    columns.
    """
    lists = (
        part.result for part in parts(pattern) if isinstance(part, algebra.Select) and part.modifiers.slices
    )
    return all(
        sorted(columns, key=lambda name: names.get(name, name)) == sorted(columns) for columns in lists
    )


def _renamed(value: object, names: Mapping[Variable, Variable]) -> object:
    """Return a pattern, or a component of one, after renaming variables; unaffected objects are kept."""
    if isinstance(value, Variable):
        return names.get(value, value)
    before = _inside(value)
    after = tuple(_renamed(part, names) for part in before)
    if all(map(is_, before, after)):
        return value
    return after if isinstance(value, tuple) else type(value)(*after)


def exchanged(pattern: algebra.Pattern, old: Expression, new: Expression) -> algebra.Pattern:
    """Return the pattern with the expression `new` in place of each expression that equals `old`."""

    def changed(value: object) -> object:
        if value == old:
            return new
        before = _inside(value)
        after = tuple(map(changed, before))
        if all(map(is_, before, after)):
            return value
        return after if isinstance(value, tuple) else type(value)(*after)

    result = changed(pattern)
    assert isinstance(result, algebra.Pattern)
    return result


def _inside(value: object) -> tuple[object, ...]:
    """Return the components of a value: the items of a tuple, or the fields of a dataclass."""
    if isinstance(value, tuple):
        return value
    return tuple([getattr(value, name) for name in getattr(value, "__match_args__", ())])


def without_paths(pattern: algebra.Pattern, others: Variables = frozenset()) -> algebra.Pattern:
    """Return the pattern in which equivalent patterns replace property paths.

    Paths inside EXISTS are replaced too. New variables are not in `others`.

    >>> from lars.language.terms import Iri
    >>> path = algebra.PathSequence(Iri("p"), algebra.Inverse(Iri("q")))
    >>> print(without_paths(algebra.PathPattern(Variable("x"), path, Variable("y"))))
    {?x <p> ?_p0 . ?y <q> ?_p0}
    """
    fresh = _path_variables(pattern, others)

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

    return rebuild(pattern, change)


def _path_variables(pattern: algebra.Pattern, others: Variables) -> Iterator[Variable]:
    prefix, taken = "_p", occurring_variables(pattern) | others
    while any(variable.name.startswith(prefix) for variable in taken):
        prefix = f"_{prefix}"
    yield from (Variable(f"{prefix}{number}") for number in count())


def path_pattern(
    subject: Term, path: algebra.Path, object_: Term, fresh: Iterator[Variable]
) -> algebra.Pattern:
    """Return the pattern that is equivalent to the path from `subject` to `object_`."""
    match path:
        case Iri():
            return algebra.Bgp((algebra.TriplePattern(subject, path, object_),))
        case algebra.Inverse(inner):
            return path_pattern(object_, inner, subject, fresh)
        case algebra.PathSequence(first, second):
            between = next(fresh)
            return _joined(
                path_pattern(subject, first, between, fresh), path_pattern(between, second, object_, fresh)
            )
        case algebra.Alternative(one, other):
            return algebra.Union(
                path_pattern(subject, one, object_, fresh), path_pattern(subject, other, object_, fresh)
            )
        case algebra.NegatedSet(forward, backward) if forward and backward:
            return algebra.Union(
                algebra.PathPattern(subject, algebra.NegatedSet(forward), object_),
                algebra.PathPattern(subject, algebra.NegatedSet((), backward), object_),
            )
        case algebra.RepeatedPath() | algebra.NegatedSet():
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
            # The steps of a match may come from different times of the window, as in τ2: each block reads all
            # of it.
            return type(pattern)(_in_stream(block, left), _in_stream(block, right))
        case algebra.Bgp() | algebra.PathPattern():
            return replace(block, pattern=pattern)
        case _:
            raise AssertionError(pattern)


Rename = Callable[[Variable], Variable]


def mentioned_variables(pattern: algebra.Pattern) -> Variables:
    """Return the variables in the pattern and its conditions; for a subquery, only the result variables."""
    names = algebra.variables(pattern)
    if isinstance(pattern, algebra.Select):
        return names
    names = names.union(*map(variables_of, expressions_of(pattern)))
    own = frozenset(test.variable for test in tests_of(pattern))
    return names.union(*map(mentioned_variables, children(pattern))) - own


def occurring_variables(value: object) -> Variables:
    """Return every variable in a pattern or in components of patterns, whether or not it is visible outside.

    >>> sorted(occurring_variables((Variable("x"), (Variable("y"), 3))))
    [Variable(name='x'), Variable(name='y')]
    """
    names: set[Variable] = set()
    rest: list[object] = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, Variable):
            names.add(part)
        else:
            rest += _inside(part)
    return frozenset(names)


def fresh_variables(pattern: algebra.Pattern, stem: str) -> Iterator[Variable]:
    """Return variables `stem`1, `stem`2, .. that do not occur in the pattern."""
    taken = occurring_variables(pattern)
    return (variable for number in count(1) if (variable := Variable(f"{stem}{number}")) not in taken)


def is_local(pattern: algebra.Pattern) -> bool:
    """Return whether EXISTS can test the pattern P by a join, without substituting values in P.

    A join suffices if two conditions are equivalent: P has a solution after values replace variables in P,
    and a solution of P is compatible with the values.
    """
    match pattern:
        case algebra.PathPattern(_, path, _):
            # Zero steps lead from a given value to itself, even if no triple contains the value; a join needs
            # one.
            return not algebra.can_stay(path)
        case algebra.Filter(inner, condition, ()):
            # A condition on another variable would be an error without its given value, and a join comes too
            # late.
            return is_local(inner) and variables_of(condition) <= algebra.variables(inner) - nullable(inner)
        case (
            algebra.Bgp()
            | algebra.Values()
            | algebra.StreamBlock()
            | algebra.Graph()
            | algebra.Service()
            | algebra.Join()
            | algebra.Union()
        ):
            return all(map(is_local, children(pattern)))
        case _:
            return False


def apart(
    pattern: algebra.Pattern, avoided: Variables, fresh: Iterator[Variable]
) -> tuple[algebra.Pattern, Mapping[Variable, Variable]]:
    """Return the pattern with new names for its bound variables that are in `avoided`, and the renaming.

    The renaming maps each old name to its new name.
    """
    names: dict[Variable, Variable] = {}

    def own(variable: Variable) -> Variable:
        if variable not in avoided:
            return variable
        return names[variable] if variable in names else names.setdefault(variable, next(fresh))

    return _apart(pattern, avoided, own, fresh), names


def _apart(
    pattern: algebra.Pattern, avoided: Variables, own: Rename, fresh: Iterator[Variable]
) -> algebra.Pattern:
    def inside(part: algebra.Pattern) -> algebra.Pattern:
        return _apart(part, avoided, own, fresh)

    match pattern:
        case algebra.Values(columns):
            return replace(pattern, names=tuple(map(own, columns)))
        case algebra.Extend(inner, variable):
            return replace(pattern, pattern=inside(inner), variable=own(variable))
        case algebra.Group(inner, keys, aggregates):
            within = inside(inner)
            bound = tuple(key if key in algebra.variables(within) - avoided else own(key) for key in keys)
            kept = tuple(key for key in bound if key in algebra.variables(within))
            # Without a key, no solutions would form a group, too, so one key stays even if nothing binds it.
            own_keys = kept or bound[:1]
            return algebra.Group(
                within, own_keys, tuple((own(variable), aggregation) for variable, aggregation in aggregates)
            )
        case algebra.Select(inner, result):
            hidden = (algebra.variables(inner) | mentioned_variables(inner)) & avoided - frozenset(result)
            hiding = rename(pattern, dict(zip(sorted(hidden), fresh, strict=False)))
            assert isinstance(hiding, algebra.Select)
            within = inside(hiding.pattern)
            result_here = tuple(
                own(name) if own(name) in algebra.variables(within) else name for name in result
            )
            return replace(hiding, pattern=within, result=result_here)
        case _:
            return _with_parts(pattern, inside)
