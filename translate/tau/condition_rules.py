"""FILTER and BIND as logic: negation normal form, then ∨ splits the rule and ∧ extends its body.

Conditions and values of solutions are body literals, with EXISTS as a predicate. Functions whose value is
no matter of terms alone are given something in their place:

NOW()                 the reference time: ⊞^0 @_T true, with the unit and the origin of time
RAND(), UUID(), ..    the solution, so that each has a value of its own, and always the same
f:timestamp(s, p, o)  the time of the latest arrival of the statement in the windows (C-SPARQL)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, product
from typing import Final, Protocol

from lars.language import formulas as logic
from lars.language.formulas import (
    ArithmeticOperator,
    BodyLiteral,
    Call,
    Comparison,
    Expression,
    Not,
    Relation,
    Test,
)
from lars.language.program import Rule, calls
from lars.language.program import variables as variables_of
from lars.language.terms import NULL, XSD, Atom, Literal, Number, Term, Variable, substitute
from lars.language.windows import NOW, Window
from translate.analysis import apart, is_local, mentioned_variables, null_sets, nullable
from translate.model.patterns import Exists, Extend, Pattern, variables
from translate.model.query import Semantics, Setting
from translate.tau.node import Node, Solution, Tau, in_order, whole

TIMESTAMP: Final = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>"
MILLISECONDS: Final = "MILLISECONDS"

Body = tuple[BodyLiteral, ...]


def with_row(
    expression: Expression, row: tuple[Term, ...], node: Node, numbers: Iterator[int]
) -> Iterator[tuple[Expression, Body]]:
    """Yield what the expression is, by cases: each with the body literals under which it is that.

    Each call of such a function takes a number of its own: two calls of RAND are two values.
    """
    if not isinstance(expression, logic.Call):
        yield expression, ()
        return
    choices = [list(with_row(argument, row, node, numbers)) for argument in expression.arguments]
    number = next(numbers) if is_special(expression) else 0
    for chosen in product(*choices):
        call = logic.Call(expression.function, tuple(argument for argument, _ in chosen))
        below = tuple(literal for _, body in chosen for literal in body)
        if not is_special(expression):
            yield call, below
            continue
        for instead, more in _replacements(call, number, row, node):
            yield instead, (*below, *more)


def is_special(call: logic.Call) -> bool:
    """Whether the call has a value that is no matter of its arguments alone."""
    return call.function in (*logic.RANDOM, "NOW", TIMESTAMP)


def uses_arrivals(expression: Expression) -> bool:
    """Whether the expression asks when a statement arrived."""
    return any(call.function == TIMESTAMP for call in calls(expression))


def _replacements(
    call: logic.Call, number: int, row: tuple[Term, ...], node: Node
) -> Iterator[tuple[Expression, Body]]:
    time = node.fresh(f"T{number}")
    match call:
        case logic.Call("NOW", _):
            unit, origin = _unit(node.setting), Literal(node.setting.origin, XSD + "dateTime")
            instant, known = _instant(time, number, node)
            yield (
                logic.Call("NOW", (instant, origin, unit)),
                (logic.In(NOW, logic.At(time, logic.Truth())), *known),
            )
        case logic.Call(function, arguments) if function == TIMESTAMP:
            statement = tuple(term for term in arguments if not isinstance(term, logic.Call))
            value = node.fresh(f"M{number}")
            instant, known = _instant(time, number, node)
            stamp = logic.Assign(value, logic.Call(MILLISECONDS, (instant, _unit(node.setting))))
            yield value, (Atom("latest", (*statement, time)), *known, stamp)
            yield NULL, (logic.Not(Atom("arrived", statement)),)
        case logic.Call("BNODE", (label,)):
            # A label that is unbound is an error, not a missing label.
            labelled = logic.Call("BNODE", (label, _site(number, node), *row))
            yield logic.Call("IF", (logic.Call("ISLITERAL", (label,)), labelled, NULL)), ()
        case logic.Call("BNODE", _):
            yield logic.Call("BNODE", (NULL, _site(number, node), *row)), ()
        case _:
            yield logic.Call(call.function, (_site(number, node), *row)), ()


def _instant(time: Variable, number: int, node: Node) -> tuple[Variable, Body]:
    """Return the time point that a tick lies in, and what binds it."""
    if node.setting.ticks == 1:
        return time, ()
    instant = node.fresh(f"I{number}")
    passed = logic.Operation(ArithmeticOperator.DIVIDE, time, Number(node.setting.ticks))
    return instant, (logic.Comparison(instant, Relation.EQUAL, passed),)


def _site(number: int, node: Node) -> Literal:
    return Literal(f"{node.prefix}{node.position}.{number}")


def _unit(setting: Setting) -> Literal:
    return Literal(str(setting.unit.nanoseconds), XSD + "integer")


def arrivals(windows: tuple[tuple[Window, Term], ...]) -> Iterator[Rule]:
    """Yield the rules of `latest`(s, p, o, T), the last arrival in some window, and `arrived`(s, p, o)."""
    s, p, o, time, later = (Variable(name) for name in ("S", "P", "O", "T", "L"))
    for window, stream in windows:
        seen = logic.In(window, logic.At(time, Atom("striple", (s, p, o, stream))))
        yield Rule(Atom("came", (s, p, o, time)), (seen,))
    arrived = Atom("came", (s, p, o, time))
    after = (Atom("came", (s, p, o, later)), logic.Comparison(time, Relation.LESS, later))
    yield Rule(Atom("earlier", (s, p, o, time)), (arrived, *after))
    yield Rule(Atom("latest", (s, p, o, time)), (arrived, logic.Not(Atom("earlier", (s, p, o, time)))))
    yield Rule(Atom("arrived", (s, p, o)), (arrived,))


Conjunction = tuple[Test, ...]

_LIMIT: Final = 64
"""Beyond so many rules a condition stays one literal, which means the same."""


def disjuncts(condition: Expression, *, value: bool = True) -> tuple[Conjunction, ...]:
    """Return conjunctions of atomic tests, one of which holds iff the condition is `value`.

    >>> a, b = Call("BOUND", (Variable("a"),)), Call("BOUND", (Variable("b"),))
    >>> [" and ".join(map(str, part)) for part in disjuncts(Call("!", (Call("&&", (a, b)),)))]
    ['¬[BOUND(?a)]', '¬[BOUND(?b)]']
    """
    tests = _disjuncts(condition, value=value)
    return tests if len(tests) <= _LIMIT else ((Test(condition, value),),)


def _disjuncts(condition: Expression, *, value: bool) -> tuple[Conjunction, ...]:
    match condition:
        case Call("!", (inner,)):
            return _disjuncts(inner, value=not value)
        case Call("&&" | "||" as operator, (left, right)):
            sides = _disjuncts(left, value=value), _disjuncts(right, value=value)
            if (operator == "||") == value:
                return sides[0] + sides[1]
            if len(sides[0]) * len(sides[1]) > _LIMIT:
                return ((Test(condition, value),),)
            return tuple(tests + other for tests, other in product(*sides))
        case _:
            return ((Test(condition, value),),)


def unbind(expression: Expression, known: frozenset[Variable]) -> Expression:
    """Return the expression with null for every variable that the pattern can never bind."""
    match expression:
        case Variable() if expression not in known:
            return NULL
        case Call(function, arguments):
            return Call(function, tuple(unbind(argument, known) for argument in arguments))
        case _:
            return expression


_TRUE: Final = Literal("true", XSD + "boolean")
_FALSE: Final = Literal("false", XSD + "boolean")


class Outer(Protocol):
    """The atom of the solutions that a condition is asked of."""

    def atom(self, nulls: frozenset[Variable] = frozenset()) -> Atom:
        """Return the atom, with null for these variables."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a condition stands: over the solutions of a pattern, at a node; `mark` tells sites apart."""

    pattern: Pattern
    outer: Outer
    node: Node
    mark: str = ""

    @property
    def bound_variables(self) -> frozenset[Variable]:
        """The variables that can have a value here."""
        return variables(self.pattern) | frozenset(self.node.guarded_variables)


@dataclass(frozen=True, slots=True)
class Tests:
    """A condition: alternative bodies, one of which holds where it is true, and the rules they need."""

    rules: tuple[Rule, ...]
    bodies: tuple[Body, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """An expression by cases: what it is where a body holds, and the rules that these need."""

    rules: tuple[Rule, ...]
    cases: tuple[tuple[Expression, Body], ...]


def where(condition: Expression, exists: tuple[Exists, ...], site: Site, tau: Tau) -> Tests:
    """Return a condition on solutions as logic: Lloyd-Topor, with each EXISTS as an atom."""
    tested = _Exists(exists, site, tau)
    bodies: list[Body] = []
    numbers = count()
    for conjunction in disjuncts(unbind(condition, site.bound_variables | tested.names)):
        choices = [list(_literal(test, tested, numbers)) for test in conjunction]
        bodies += [tuple(part for parts in chosen for part in parts) for chosen in product(*choices)]
    return Tests(tuple(tested.rules), tuple(bodies))


def values(expression: Expression, exists: tuple[Exists, ...], site: Site, tau: Tau) -> Choices:
    """Return an expression on solutions, which arrival times split into cases."""
    tested = _Exists(exists, site, tau)
    known = unbind(expression, site.bound_variables | tested.names)
    cases = tuple(_cases(known, tested, count()))
    return Choices(tuple(tested.rules), cases)


class _Exists:
    """The EXISTS of a condition: their atoms, and the rules of what is asked of them."""

    def __init__(self, exists: tuple[Exists, ...], site: Site, tau: Tau) -> None:
        self.site = site
        self.atoms: dict[Variable, Atom] = {}
        self.rules: dict[Rule, None] = {}
        for number, test in enumerate(exists):
            mark = f"e{site.mark}x{number}" if site.mark else f"e{number or ''}"
            seen, rules = _rules(test.pattern, site, mark, tau)
            self.atoms[test.variable] = _tested(seen, site.node, mark)
            self.rules.update(dict.fromkeys(rules))

    @property
    def names(self) -> frozenset[Variable]:
        """The variables that stand for an EXISTS."""
        return frozenset(self.atoms)

    def truth(self, name: Variable) -> Atom:
        """Return the atom that binds the variable to true or false, where a condition needs the value."""
        atom = self.atoms[name]
        outer = self.site.outer.atom()
        for literal, value in ((atom, _TRUE), (Not(atom), _FALSE)):
            self.rules[Rule(_with_value(atom, value), (outer, literal))] = None
        return _with_value(atom, name)


def _with_value(atom: Atom, value: Term) -> Atom:
    return Atom(f"{atom.predicate}is", (value, *atom.arguments))


def _literal(test: Test, tested: _Exists, numbers: Iterator[int]) -> Iterator[Body]:
    if isinstance(test.expression, Variable) and (atom := tested.atoms.get(test.expression)) is not None:
        yield (atom if test.value else Not(atom),)
        return
    for expression, more in _cases(test.expression, tested, numbers):
        yield (*more, Test(expression, test.value))


def _cases(
    expression: Expression, tested: _Exists, numbers: Iterator[int]
) -> Iterator[tuple[Expression, Body]]:
    held = tuple(map(tested.truth, in_order(variables_of(expression) & tested.names)))
    site = tested.site
    for function, more in with_row(expression, _row(site), site.node, numbers):
        yield function, (*held, *more)


def _row(site: Site) -> tuple[Term, ...]:
    # What BIND adds to a solution makes it no other one.
    pattern, added = site.pattern, set()
    while isinstance(pattern, Extend):
        added.add(pattern.variable)
        pattern = pattern.pattern
    return tuple(term for term in site.outer.atom().arguments if term not in added)


def _rules(pattern: Pattern, site: Site, mark: str, tau: Tau) -> tuple[frozenset[Variable], Iterator[Rule]]:
    seen = site.bound_variables & mentioned_variables(pattern)
    if not is_local(pattern):
        return seen, _substituted(pattern, seen, site, mark, tau)
    seen &= variables(pattern)
    return seen, _compatible(pattern, seen, site, mark, tau)


def _tested(
    seen: frozenset[Variable], node: Node, mark: str, nulls: frozenset[Variable] = frozenset()
) -> Atom:
    names = in_order(seen - frozenset(node.guarded_variables))
    return node.atom((NULL if name in nulls else name for name in names), mark)


def _compatible(
    pattern: Pattern, seen: frozenset[Variable], site: Site, mark: str, tau: Tau
) -> Iterator[Rule]:
    """Yield the rules of an EXISTS that asks whether some solution of the pattern is compatible."""
    part = replace(site.node.part(mark), guarded_variables=(), guard=(), bag=False)
    yield from tau(pattern, whole(pattern, part))
    solution = Solution(pattern, part)
    own = seen - frozenset(site.node.guarded_variables)
    sides = null_sets(site.pattern, own), null_sets(pattern, seen)
    for mine, theirs in product(*(sorted(sets, key=sorted) for sets in sides)):
        unbound = theirs - mine
        outer = (site.outer.atom(mine),) if unbound or site.node.guarded_variables else ()
        yield Rule(_tested(seen, site.node, mark, mine), (solution.atom(unbound), *outer))


def _substituted(
    pattern: Pattern, seen: frozenset[Variable], site: Site, mark: str, tau: Tau
) -> Iterator[Rule]:
    """Yield the rules of an EXISTS whose pattern is given the values of the solution it is tested in."""
    node = site.node
    own = seen - frozenset(node.guarded_variables)
    for number, nulls in enumerate(sorted(null_sets(site.pattern, own), key=sorted)):
        order = in_order((own - nulls) | frozenset(node.guarded_variables))
        counts = node.bag or node.setting.semantics is Semantics.BAG
        part = replace(node.part(f"{mark}n{number}"), guarded_variables=order, guard=(), bag=counts)
        guard = part.atom((), "given")
        part = replace(part, guard=(guard,))
        bound = (Comparison(v, Relation.UNEQUAL, NULL) for v in order if v in nullable(site.pattern))
        yield Rule(guard, (site.outer.atom(nulls), *bound))
        inner, names = apart(pattern, frozenset(order), _fresh(node, mark))
        yield from tau(inner, whole(inner, part))
        atom = Solution(inner, part).atom()
        for again in _rebound(inner, names):
            yield Rule(_tested(seen, node, mark, nulls), (substitute(atom, again),))


def _rebound(inner: Pattern, names: Mapping[Variable, Variable]) -> Iterator[dict[Variable, Term]]:
    # What the pattern binds by itself must not contradict the value that is given.
    bound = [(old, new) for old, new in names.items() if new in variables(inner)]
    choices: list[list[tuple[Variable, Term]]] = [
        [(new, old), (new, NULL)] if new in nullable(inner) else [(new, old)] for old, new in bound
    ]
    for chosen in product(*choices):
        yield dict(chosen)


def _fresh(node: Node, mark: str) -> Iterator[Variable]:
    return (node.fresh(f"_{mark}{number}") for number in count())
