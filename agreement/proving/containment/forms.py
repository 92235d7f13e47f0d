"""Compare patterns up to the order of their parts and the names of hidden variables; normalize conditions."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from agreement.proving.disjuncts import Disjunct
from lars.dataclass import dataclass
from lars.language.formulas import RANDOM, Call, Expression, Test
from lars.language.program import calls
from lars.language.terms import Iri, Variable
from translate.analysis import expressions_of, tests_of
from translate.model import patterns as algebra
from translate.model.patterns import Pattern

_COMMUTING: Final = frozenset(("=", "!=", "SAMETERM", "+", "*", "&&", "||"))
_EXCHANGED: Final = {">": "<", ">=": "<="}
_DENIED: Final = {"=": "!=", "!=": "=", "&&": "||", "||": "&&"}
_BOOLEAN: Final = frozenset((*_COMMUTING, "<", "<=", "!", "BOUND")) - {"+", "*"}
Names = Mapping[Variable, Variable]


@dataclass(frozen=True, slots=True)
class PatternTree:
    """A query pattern as a tree, with a label such as UNION, and with subtrees or variables as parts.

    If `ordered` is false, the order of the parts does not matter.
    """

    label: Hashable
    parts: tuple["PatternTree | Variable", ...] = ()
    ordered: bool = True


def same(pattern: Pattern, other: Pattern, variables: frozenset[Variable]) -> bool:
    """Return whether two patterns are equal, up to the order of their parts and names of other variables.

    The order of the parts does not matter for AND, UNION and &&. The variables in `variables` must have the
    same names in both patterns.

    >>> x, y, z, p = *map(Variable, "xyz"), Variable("p")
    >>> pattern = lambda o: algebra.Bgp((algebra.TriplePattern(x, p, o),))
    >>> same(pattern(y), pattern(z), frozenset((x, p))), same(pattern(y), pattern(z), frozenset((x, y)))
    (True, False)
    """
    return next(namings(pattern, other, {name: name for name in variables}), None) is not None


def namings(pattern: Pattern, other: Pattern, start: Names) -> Iterator[Names]:
    """Yield each renaming of variables that makes the first pattern equal to the other pattern.

    Each renaming extends `start`. After the renaming, both patterns have each solution equally often.
    """
    return _matched(_form(pattern), _form(other), start)


def _matched(one: PatternTree | Variable, other: PatternTree | Variable, names: Names) -> Iterator[Names]:
    match one, other:
        case Variable(), Variable():
            if names.get(one) == other:
                yield names
            elif one not in names and other not in names.values():
                yield {**names, one: other}
        case PatternTree(label, mine, ordered), PatternTree(word, theirs):
            if label == word and len(mine) == len(theirs):
                yield from (_in_order if ordered else _in_any_order)(mine, theirs, names)
        case _:
            pass


_Parts = Sequence[PatternTree | Variable]


def _in_order(mine: _Parts, theirs: _Parts, names: Names) -> Iterator[Names]:
    if not mine:
        yield names
    for known in _matched(mine[0], theirs[0], names) if mine else ():
        yield from _in_order(mine[1:], theirs[1:], known)


def _in_any_order(mine: _Parts, theirs: _Parts, names: Names) -> Iterator[Names]:
    """Yield the renamings of variables under which two lists of subpatterns are equal in some order.

    The function begins with the subpattern that can be equal to the fewest subpatterns of the other list.
    """
    if not mine:
        yield names
        return
    fits = [[n for n, their in enumerate(theirs) if _may_match(part, their, names)] for part in mine]
    first = min(range(len(mine)), key=lambda number: len(fits[number]))
    rest = (*mine[:first], *mine[first + 1 :])
    for number in fits[first]:
        for known in _matched(mine[first], theirs[number], names):
            yield from _in_any_order(rest, (*theirs[:number], *theirs[number + 1 :]), known)


def _may_match(one: PatternTree | Variable, other: PatternTree | Variable, names: Names) -> bool:
    return next(_matched(one, other, names), None) is not None


def _form(pattern: Pattern) -> PatternTree:
    match pattern:
        case algebra.Bgp() | algebra.StreamBlock() | algebra.Join() | algebra.Filter():
            return PatternTree("AND", tuple(_each_once(_conjuncts(pattern))), ordered=False)
        case algebra.Union():
            return PatternTree("UNION", tuple(_branches(pattern)), ordered=False)
        case algebra.Minus(left, right):
            return PatternTree("MINUS", (_form(left), _form(right)))
        case algebra.LeftJoin(left, right, condition):
            tests = () if condition is None else _conditions(condition, pattern)
            return PatternTree(
                "OPTIONAL", (_form(left), _form(right), PatternTree("IF", tuple(tests), ordered=False))
            )
        case algebra.PathPattern(subject, path, object_):
            return PatternTree(path, tuple(map(_leaf, (subject, object_))))
        case algebra.Graph(name, inner):
            return PatternTree("GRAPH", (_leaf(name), _form(inner)))
        case algebra.Service(name, inner, silent):
            return PatternTree(("SERVICE", silent), (_leaf(name), _form(inner)))
        case algebra.Extend(inner, variable, expression):
            return PatternTree("BIND", (_form(inner), variable, _expression(normal(expression), pattern)))
        case algebra.Values(names, rows):
            columns = (
                PatternTree("COLUMN", (name, *map(_leaf, cells)))
                for name, *cells in zip(names, *rows, strict=True)
            )
            return PatternTree(("VALUES", len(rows)), tuple(columns), ordered=False)
        case algebra.Group(inner, keys, aggregates):
            counted = (
                PatternTree((how.function, how.distinct, how.separator), (name, *how.arguments))
                for name, how in aggregates
            )
            parts = (
                PatternTree("KEYS", keys, ordered=False),
                PatternTree("AGGREGATES", tuple(counted), ordered=False),
            )
            return PatternTree("GROUP", (_form(inner), *parts))
        case algebra.Select(inner, result, modifiers):
            order = tuple(PatternTree(key.descending, (key.variable,)) for key in modifiers.order)
            # With LIMIT, the order of the columns counts, because it decides which of equal rows come first.
            shown = PatternTree("SHOWN", tuple(sorted(result)), ordered=modifiers.slices)
            parts = (shown, PatternTree("ORDER", order))
            label = "SELECT", modifiers.duplicates, modifiers.offset, modifiers.limit
            return PatternTree(label, (_form(inner), *parts))
        case _:
            assert_never(pattern)


def _leaf(term: object) -> PatternTree | Variable:
    return term if isinstance(term, Variable) else PatternTree(term)


def _branches(pattern: Pattern) -> Iterator[PatternTree]:
    if isinstance(pattern, algebra.Union):
        yield from (*_branches(pattern.left), *_branches(pattern.right))
    else:
        yield _form(pattern)


def _conjuncts(pattern: Pattern) -> Iterator[PatternTree]:
    match pattern:
        case algebra.Bgp(triples):
            yield from (PatternTree("TRIPLE", tuple(map(_leaf, triple.terms))) for triple in triples)
        case algebra.StreamBlock(stream, window, algebra.Bgp(triples)):
            where = PatternTree(("STREAM", window), (_leaf(stream),))
            yield from (PatternTree("TRIPLE", (where, *map(_leaf, triple.terms))) for triple in triples)
        case algebra.StreamBlock(stream, window, inner):
            yield PatternTree(("STREAM", window), (_leaf(stream), _form(inner)))
        case algebra.Join(left, right):
            # A FILTER inside a side sees the variables of that side alone.
            yield from (*_side(left), *_side(right))
        case algebra.Filter(inner, condition):
            yield from (PatternTree("FILTER", (each,)) for each in _conditions(condition, pattern))
            yield from _conjuncts(inner)
        case _:
            yield _form(pattern)


def _each_once(conjuncts: Iterable[PatternTree]) -> Iterator[PatternTree]:
    """Yield the parts of a join, without repetitions of triple patterns and filters."""
    seen = set()
    for tree in conjuncts:
        if tree.label not in ("TRIPLE", "FILTER") or tree not in seen:
            seen.add(tree)
            yield tree


def _side(pattern: Pattern) -> Iterator[PatternTree]:
    return iter((_form(pattern),)) if isinstance(pattern, algebra.Filter) else _conjuncts(pattern)


def _conditions(condition: Expression, pattern: Pattern) -> Iterator[PatternTree | Variable]:
    match normal(condition):
        case Call("&&", arguments):
            yield from (_expression(each, pattern) for each in arguments)
        case other:
            yield _expression(other, pattern)


def _expression(expression: Expression, pattern: Pattern) -> PatternTree | Variable:
    """Return an expression as a tree, which includes the patterns of EXISTS in the expression."""
    if isinstance(expression, Call):
        parts = tuple(_expression(each, pattern) for each in expression.arguments)
        # Each place of a function that is random has values of its own.
        label = expression if expression.function in RANDOM else expression.function
        return PatternTree(label, parts, ordered=expression.function not in _COMMUTING)
    tests = {test.variable: test.pattern for test in tests_of(pattern)}
    if isinstance(expression, Variable) and expression in tests:
        return PatternTree("EXISTS", (_form(tests[expression]),))
    return _leaf(expression)


def normal(expression: Expression) -> Expression:
    """Return the normal form of an expression, which always has the same value or error.

    `>` is rewritten to `<` with exchanged sides, IN to a disjunction of `=`, and ¬ moves inside ∧, ∨, = and
    ≠. All steps of the rewriting are valid in SPARQL's three-valued logic. The sides of commutative operators
    are sorted. If the expression calls RAND, the normal form can have other values.

    >>> n, one = Variable("n"), Iri("one")
    >>> print(normal(Call("!", (Call("IN", (n, Iri("two"), one)),))))
    (<one> != ?n) && (<two> != ?n)
    """
    if not isinstance(expression, Call):
        return expression
    function, arguments = expression.function, tuple(map(normal, expression.arguments))
    match function, arguments:
        case "IN", (needle, *options) if options:
            return normal(Call("||", tuple(Call("=", (needle, option)) for option in options)))
        case "!", (Call("&&" | "||" as sign, sides),):
            return normal(Call(_DENIED[sign], tuple(Call("!", (side,)) for side in sides)))
        case "!", (Call("=" | "!=" as sign, sides),):
            return Call(_DENIED[sign], sides)
        case "!", (Call("!", (Call(sign) as inner,)),) if sign in _BOOLEAN:
            return inner
        case ">" | ">=", (left, right):
            return Call(_EXCHANGED[function], (right, left))
        case "&&" | "||", _:
            nested = (_sides(term, function) for term in arguments)
            return Call(function, tuple(sorted({each for some in nested for each in some}, key=str)))
        case _ if function in _COMMUTING:
            return Call(function, tuple(sorted(arguments, key=str)))
        case _:
            return Call(function, arguments)


def _sides(expression: Expression, function: str) -> tuple[Expression, ...]:
    if isinstance(expression, Call) and expression.function == function:
        return expression.arguments
    return (expression,)


def settle(disjunct: Disjunct) -> Disjunct:
    """Return a disjunct in which IRIs from its equations are the fixed values of variables.

    An equation is a condition such as `?x = <http://e/a>`, whose variable occurs in a triple pattern of the
    disjunct.
    """
    binding, bound = dict(disjunct.values), disjunct.bound
    requirements: list[Test] = []
    for test in disjunct.requirements:
        match test:
            case Test(
                Call(
                    "=" | "SAMETERM", (Variable() as name, Iri() as iri) | (Iri() as iri, Variable() as name)
                ),
                True,
            ) if name in bound:
                if binding.setdefault(name, iri) != iri:
                    requirements.append(test)
            case _:
                requirements.append(test)
    return replace(disjunct, values=tuple(binding.items()), requirements=tuple(requirements))


def is_random(part: Pattern) -> bool:
    """Return whether a condition or expression of a pattern calls a function of random values, such as RAND.

    Conditions and expressions of the patterns inside the pattern do not count.
    """
    return any(call.function in RANDOM for expression in expressions_of(part) for call in calls(expression))
