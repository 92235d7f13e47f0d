"""Conditions and values of solutions as body literals, with EXISTS as a predicate.

  P1 FILTER NOT EXISTS P2   ans_i(V̄) ← ans_2i(V̄), not ans_ie(S̄)      S̄: what P1 and P2 share
                            ans_ie(S̄) ← ans_1(V̄2) of P2
Where P2 can tell a value from a variable (OPTIONAL, MINUS, a filter on a variable of P1, ..) its
rules are given the values of P1's solutions from the start.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, product
from typing import Final, Protocol

from lars.formulas import BodyLiteral, Call, Comparison, Expression, Not, Relation, Test
from lars.program import Rule
from lars.program import variables as variables_of
from lars.terms import NULL, XSD, Atom, Literal, Term, Variable
from translate.conditions import disjuncts, unbind
from translate.functions import with_row
from translate.heads import Head, Solution, whole
from translate.node import Node, ordered
from translate.nullability import null_sets, nullable
from translate.patterns import Exists, Extend, Pattern, variables
from translate.profiles import Semantics
from translate.scope import apart, is_local, mentioned

Body = tuple[BodyLiteral, ...]
Tau = Callable[[Pattern, Head], Iterator[Rule]]

_TRUTHS: Final = tuple((value, Literal(str(value).lower(), XSD + "boolean")) for value in (True, False))


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
    def known(self) -> frozenset[Variable]:
        """The variables that can have a value here."""
        return variables(self.pattern) | frozenset(self.node.given)


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
    atoms, rules = _exists(exists, site, tau)
    own = frozenset(atoms)
    bodies: list[Body] = []
    numbers = count()
    for conjunction in disjuncts(unbind(condition, site.known | own)):
        choices = [list(_literal(test, atoms, site, numbers)) for test in conjunction]
        bodies += [tuple(part for parts in chosen for part in parts) for chosen in product(*choices)]
    return Tests(rules, tuple(bodies))


def values(expression: Expression, exists: tuple[Exists, ...], site: Site, tau: Tau) -> Choices:
    """Return an expression on solutions, which EXISTS and arrival times split into cases."""
    atoms, rules = _exists(exists, site, tau)
    known = unbind(expression, site.known | frozenset(atoms))
    return Choices(rules, tuple(_cases(known, atoms, site, count())))


def _literal(
    test: Test, atoms: Mapping[Variable, Atom], site: Site, numbers: Iterator[int]
) -> Iterator[Body]:
    if isinstance(test.expression, Variable) and (atom := atoms.get(test.expression)) is not None:
        yield (atom if test.value else Not(atom),)
        return
    for expression, more in _cases(test.expression, atoms, site, numbers):
        yield (*more, Test(expression, test.value))


def _cases(
    expression: Expression, atoms: Mapping[Variable, Atom], site: Site, numbers: Iterator[int]
) -> Iterator[tuple[Expression, Body]]:
    found = ordered(variables_of(expression) & frozenset(atoms))
    for chosen in product(_TRUTHS, repeat=len(found)):
        known = {name: literal for name, (_, literal) in zip(found, chosen, strict=True)}
        held = tuple(
            atoms[name] if value else Not(atoms[name]) for name, (value, _) in zip(found, chosen, strict=True)
        )
        for function, more in with_row(_put(expression, known), _row(site), site.node, numbers):
            yield function, (*held, *more)


def _row(site: Site) -> tuple[Term, ...]:
    # What BIND adds to a solution makes it no other one.
    pattern, added = site.pattern, set()
    while isinstance(pattern, Extend):
        added.add(pattern.variable)
        pattern = pattern.pattern
    return tuple(term for term in site.outer.atom().arguments if term not in added)


def _put(expression: Expression, known: Mapping[Variable, Literal]) -> Expression:
    match expression:
        case Variable():
            return known.get(expression, expression)
        case Call(function, arguments):
            return Call(function, tuple(_put(argument, known) for argument in arguments))
        case _:
            return expression


def _exists(
    exists: tuple[Exists, ...], site: Site, tau: Tau
) -> tuple[dict[Variable, Atom], tuple[Rule, ...]]:
    atoms: dict[Variable, Atom] = {}
    rules: list[Rule] = []
    for number, test in enumerate(exists):
        mark = f"e{site.mark}x{number}" if site.mark else f"e{number or ''}"
        seen = site.known & mentioned(test.pattern)
        if is_local(test.pattern):
            seen &= variables(test.pattern)
            found = _compatible(test.pattern, seen, site, mark, tau)
        else:
            found = _substituted(test.pattern, seen, site, mark, tau)
        atoms[test.variable] = _tested(seen, site.node, mark)
        rules += found
    return atoms, tuple(rules)


def _tested(
    seen: frozenset[Variable], node: Node, mark: str, nulls: frozenset[Variable] = frozenset()
) -> Atom:
    names = ordered(seen - frozenset(node.given))
    return node.atom((NULL if name in nulls else name for name in names), mark)


def _compatible(
    pattern: Pattern, seen: frozenset[Variable], site: Site, mark: str, tau: Tau
) -> Iterator[Rule]:
    """Yield the rules of an EXISTS that asks whether some solution of the pattern is compatible."""
    part = replace(site.node.part(mark), given=(), guard=(), bag=False)
    yield from tau(pattern, whole(pattern, part))
    solution = Solution(pattern, part)
    own = seen - frozenset(site.node.given)
    sides = null_sets(site.pattern, own), null_sets(pattern, seen)
    for mine, theirs in product(*sides):
        unbound = theirs - mine
        outer = (site.outer.atom(mine),) if unbound or site.node.given else ()
        yield Rule(_tested(seen, site.node, mark, mine), (solution.atom(unbound), *outer))


def _substituted(
    pattern: Pattern, seen: frozenset[Variable], site: Site, mark: str, tau: Tau
) -> Iterator[Rule]:
    """Yield the rules of an EXISTS whose pattern is given the values of the solution it is tested in."""
    node = site.node
    own = seen - frozenset(node.given)
    for number, nulls in enumerate(sorted(null_sets(site.pattern, own), key=sorted)):
        given = ordered((own - nulls) | frozenset(node.given))
        counts = node.bag or node.setting.semantics is Semantics.BAG
        part = replace(node.part(f"{mark}n{number}"), given=given, guard=(), bag=counts)
        guard = part.atom((), "given")
        part = replace(part, guard=(guard,))
        bound = (Comparison(v, Relation.UNEQUAL, NULL) for v in given if v in nullable(site.pattern))
        yield Rule(guard, (site.outer.atom(nulls), *bound))
        inner, names = apart(pattern, frozenset(given), _fresh(node, mark))
        yield from tau(inner, whole(inner, part))
        atom = Solution(inner, part).atom()
        for again in _rebound(inner, names):
            yield Rule(_tested(seen, node, mark, nulls), (_with(atom, again),))


def _rebound(inner: Pattern, names: Mapping[Variable, Variable]) -> Iterator[dict[Variable, Term]]:
    # What the pattern binds by itself must not contradict the value that is given.
    bound = [(old, new) for old, new in names.items() if new in variables(inner)]
    choices: list[list[tuple[Variable, Term]]] = [
        [(new, old), (new, NULL)] if new in nullable(inner) else [(new, old)] for old, new in bound
    ]
    for chosen in product(*choices):
        yield dict(chosen)


def _with(atom: Atom, terms: Mapping[Variable, Term]) -> Atom:
    arguments = (terms.get(term, term) if isinstance(term, Variable) else term for term in atom.arguments)
    return Atom(atom.predicate, tuple(arguments))


def _fresh(node: Node, mark: str) -> Iterator[Variable]:
    return (node.fresh(f"_{mark}{number}") for number in count())
