"""AND, OPTIONAL and MINUS as rules, over variables that can be unbound.

  P1 OPT P2 IF R   ans_i(V̄) ← ans_2i(V̄1), ans_2i+1(V̄2), R
                   ans_i(V̄) ← ans_2i(V̄1), not ans'_i(V̄1)      the rest of V̄ is null
                   ans'_i(V̄1) ← ans_2i(V̄1), ans_2i+1(V̄2), R
  P1 MINUS P2      ans_i(V̄) ← ans_2i(V̄1), not ans'_i(V̄1)
                   ans'_i(V̄1) ← ans_2i(V̄1), ans_2i+1(V̄2)      where they share a bound variable
In `sparql11` there is such a rule for each way in which two solutions can be compatible, in
`paper2015` null joins null as a constant, and MINUS is Diff.
"""

from collections.abc import Iterable, Iterator

from lars.language.formulas import BodyLiteral, Comparison, Not, Relation
from lars.language.program import Rule
from lars.language.terms import NULL, Atom, Number, Term, Variable
from translate.analysis import Case, Match, joins, joins_by_cases, nullable
from translate.model.patterns import Join, LeftJoin, Pattern, variables
from translate.model.query import Profile
from translate.tau.condition_rules import Site, where
from translate.tau.node import Head, Node, Solution, Tau, in_order


def join(left: Pattern, right: Pattern, head: Head) -> Iterator[Rule]:
    """Yield the rules of P1 AND P2."""
    one, other = _solutions(left, right, head.node)
    for number, case in enumerate(_cases(left, right, head.node)):
        tags = (*one.tags, *other.tags, *_case_tag(left, right, number))
        body: list[BodyLiteral] = [*_atoms(one, other, case), *_apart(left, right, case, head)]
        yield head.rule(variables(left) | variables(right), body, tags)


def _apart(left: Pattern, right: Pattern, case: Case, head: Head) -> Iterator[Comparison]:
    # What is counted must be in one case only: null on both sides is in that of equal ones.
    if head.keeps_duplicates:
        for variable in in_order(case):
            side = left if case[variable] is Match.RIGHT_NULL else right
            if case[variable] is not Match.EQUAL and variable in nullable(side):
                yield Comparison(variable, Relation.UNEQUAL, NULL)


def _case_tag(left: Pattern, right: Pattern, number: int) -> tuple[Term, ...]:
    return (Number(number),) if joins_by_cases(left, right) else ()


def left_join(pattern: LeftJoin, head: Head, tau: Tau) -> Iterator[Rule]:
    """Yield the rules of P1 OPT P2 with a condition."""
    left, right, node = pattern.left, pattern.right, head.node
    one, other = _solutions(left, right, node)
    both = Join(left, right)
    for number, case in enumerate(_cases(left, right, node)):
        body: tuple[BodyLiteral, ...] = (*_atoms(one, other, case), *_apart(left, right, case, head))
        bodies: tuple[tuple[BodyLiteral, ...], ...] = ((),)
        if pattern.condition is not None:
            merged = _Merged(both, node, f"j{number}", one.tags + other.tags)
            if pattern.exists:
                yield Rule(merged.atom(), body)
                body = (merged.atom(),)
            found = where(pattern.condition, pattern.exists, Site(both, merged, node, str(number)), tau)
            yield from found.rules
            bodies = found.bodies
        tags = (*one.tags, *other.tags, *_case_tag(left, right, number))
        for tests in bodies:
            yield head.rule(variables(both), (*body, *tests), tags)
            yield Rule(_blocked(left, node, case), (*body, *tests))
    unmatched = (one.atom(), Not(_blocked(left, node, {})))
    missing = len(other.tags) + joins_by_cases(left, right)
    yield head.rule(variables(left), unmatched, (*one.tags, *(NULL,) * missing))


class _Merged:
    """A joined solution before its condition, where an EXISTS must see it; `solution` of a Site."""

    def __init__(self, both: Join, node: Node, mark: str, tags: tuple[Variable, ...]) -> None:
        self.both, self.node, self.mark, self.tags = both, node, mark, tags

    def atom(self, nulls: frozenset[Variable] = frozenset()) -> Atom:
        """Return the atom, with null for these variables."""
        terms: Iterable[Term] = (NULL if name in nulls else name for name in self.node.free(self.both))
        return self.node.atom((*terms, *self.tags), self.mark)


def minus(left: Pattern, right: Pattern, head: Head) -> Iterator[Rule]:
    """Yield the rules of P1 MINUS P2: Diff as the paper prints it, or SPARQL's Minus."""
    node = head.node
    one, other = _solutions(left, right, node)
    if node.setting.profile is Profile.PAPER2015:
        # ans' ranges over the shared variables only.
        blocked = node.atom(
            in_order(variables(left) & variables(right) - frozenset(node.guarded_variables)), "'"
        )
        yield Rule(blocked, (other.atom(),))
    else:
        for case in _cases(left, right, node):
            body = _atoms(one, other, case)
            for witness in _witnesses(left, right, case):
                yield Rule(_blocked(left, node, case), (*body, *witness))
        blocked = _blocked(left, node, {})
    yield head.rule(variables(left), (one.atom(), Not(blocked)), one.tags)


def _solutions(left: Pattern, right: Pattern, node: Node) -> tuple[Solution, Solution]:
    one = Solution(left, node.child(0))
    return one, one.then(right, node.child(1))


def _cases(left: Pattern, right: Pattern, node: Node) -> Iterable[Case]:
    given = frozenset(node.guarded_variables)
    if node.setting.profile is Profile.PAPER2015:
        return (dict.fromkeys(variables(left) & variables(right) - given, Match.EQUAL),)
    return joins(left, right, given)


def _atoms(one: Solution, other: Solution, case: Case) -> tuple[Atom, Atom]:
    left_nulls = frozenset(v for v, match in case.items() if match is Match.LEFT_NULL)
    right_nulls = frozenset(v for v, match in case.items() if match is Match.RIGHT_NULL)
    return one.atom(left_nulls), other.atom(right_nulls)


def _blocked(left: Pattern, node: Node, case: Case) -> Atom:
    names = node.free(left)
    return node.atom((NULL if case.get(v) is Match.LEFT_NULL else v for v in names), "'")


def _witnesses(left: Pattern, right: Pattern, case: Case) -> tuple[tuple[Comparison, ...], ...]:
    # Minus removes only what shares a bound variable: a never-null one is witness enough.
    equal = in_order(v for v, match in case.items() if match is Match.EQUAL)
    nullable_here = nullable(left) & nullable(right)
    if any(v not in nullable_here for v in equal):
        return ((),)
    return tuple((Comparison(v, Relation.UNEQUAL, NULL),) for v in equal)
