"""The rule schemes of patterns that are more than one atom: paths, AND, OPTIONAL, MINUS, GROUP BY, SELECT.

Property paths that are no patterns are repetitions and negated sets (SPARQL 1.1, 18.4):
  s path* o   ans_i ← reach_i(s, o)       ans_i ← node_i(s), s = o
              reach_i(X, Y) ← step(X, Y)     reach_i(X, Z) ← reach_i(X, Y), step(Y, Z)
  s !(p|q) o  ans_i ← triple(s, P, o, g), P != p, P != q
A repetition connects two nodes once, however many ways there are. Zero steps connect every node
of the graph with itself, and an end that is a constant though it is in no triple.

AND, OPTIONAL and MINUS are over variables that can be unbound:
  P1 AND P2        ans_i(V̄) ← ans_2i(V̄1), ans_2i+1(V̄2)
  P1 OPT P2 IF R   ans_i(V̄) ← ans_2i(V̄1), ans_2i+1(V̄2), R
                   ans_i(V̄) ← ans_2i(V̄1), not ans'_i(V̄1)      the rest of V̄ is null
                   ans'_i(V̄1) ← ans_2i(V̄1), ans_2i+1(V̄2), R
  P1 MINUS P2      ans_i(V̄) ← ans_2i(V̄1), not ans'_i(V̄1)
                   ans'_i(V̄1) ← ans_2i(V̄1), ans_2i+1(V̄2)      where they share a bound variable
In `sparql11` there is such a rule for each way in which two solutions can be compatible, in
`paper2015` null joins null as a constant, and MINUS is Diff.

GROUP BY, and subqueries with their modifiers:
  GROUP BY k, SUM(x)   ans_i(k, v) ← v := SUM(x) of ans_2i(V̄) by k
  SELECT V             ans_i(V̄) ← ans_2i(V̄')                        in a multiset what is dropped is a witness
  LIMIT n OFFSET m     ans_i(V̄) ← ans_2i(V̄, k) among m+1..m+n by k
What an aggregate ranges over is a multiset, whatever the answers are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from typing import Final

from lars.language.formulas import (
    Aggregation,
    Among,
    BodyLiteral,
    Call,
    Comparison,
    Expression,
    Gather,
    Not,
    OrderKey,
    Relation,
    Test,
)
from lars.language.program import Rule
from lars.language.terms import NULL, XSD, Atom, Literal, Number, Term, Variable, substitute
from translate.analysis import Case, Match, joins, joins_by_cases, nullable, path_pattern
from translate.model.patterns import (
    Duplicates,
    Extend,
    Group,
    Join,
    LeftJoin,
    Modifiers,
    NegatedSet,
    PathPattern,
    Pattern,
    RepeatedPath,
    Repetition,
    Select,
    can_stay,
    variables,
)
from translate.model.query import Profile
from translate.tau.condition_rules import Site, where
from translate.tau.node import EmptyGroup, Head, Node, Solution, Tau, in_order, pad, whole

_ENDS: Final = (Variable("_from"), Variable("_to"))


def walk(pattern: PathPattern, head: Head, tau: Tau) -> Iterator[Rule]:
    """Yield the rules of a path that is a repetition or a negated set in one direction."""
    match pattern.path:
        case NegatedSet():
            yield _negated(pattern, pattern.path, head)
        case RepeatedPath():
            yield from _repeated(pattern, pattern.path, head, tau)
        case _:
            raise AssertionError(pattern)


def _negated(pattern: PathPattern, path: NegatedSet, head: Head) -> Rule:
    node = head.node
    step = node.fresh("P")
    ends = (pattern.subject, pattern.object)
    subject, object_ = reversed(ends) if path.backward else ends
    others = (Comparison(step, Relation.UNEQUAL, iri) for iri in (*path.forward, *path.backward))
    body = (node.edge(subject, step, object_), *others, *node.guard)
    return head.rule(variables(pattern), body, (step,) if node.bag else ())


def _repeated(pattern: PathPattern, path: RepeatedPath, head: Head, tau: Tau) -> Iterator[Rule]:
    node = head.node
    ends = tuple(node.fresh(variable.name) for variable in _ENDS)
    inner = path_pattern(ends[0], path.path, ends[1], _between(node))
    below = replace(node.part("p"), guarded_variables=(), guard=(), bag=False)
    yield from tau(inner, Head(below, ends, keeps_duplicates=False))
    known, often = variables(pattern), path.multiplicity
    if often is Repetition.ONE_OR_MORE and can_stay(path.path):
        often = Repetition.ZERO_OR_MORE
    if often is Repetition.ZERO_OR_ONE:
        step = below.atom((pattern.subject, pattern.object))
        yield head.rule(known, (step, *node.guard))
    else:
        yield from _closure(pattern, below)
        reached = below.atom((pattern.subject, pattern.object), "reach")
        yield head.rule(known, (reached, *node.guard))
    if often is not Repetition.ONE_OR_MORE:
        yield from _nothing(pattern, below, head)


def _between(node: Node) -> Iterator[Variable]:
    number = 0
    while True:
        yield node.fresh(f"_p{number}")
        number += 1


def _closure(pattern: PathPattern, below: Node) -> Iterator[Rule]:
    # From a constant end only what is reached from there is derived.
    def reach(start: Term, end: Term) -> Atom:
        return below.atom((start, end), "reach")

    subject, object_ = pattern.subject, pattern.object
    x, y, z = map(below.fresh, "XYZ")
    if isinstance(subject, Variable) and not isinstance(object_, Variable):
        yield Rule(reach(x, object_), (below.atom((x, object_)),))
        yield Rule(reach(x, object_), (below.atom((x, y)), reach(y, object_)))
        return
    start = x if isinstance(subject, Variable) else subject
    yield Rule(reach(start, y), (below.atom((start, y)),))
    yield Rule(reach(start, z), (reach(start, y), below.atom((y, z))))


def _nothing(pattern: PathPattern, below: Node, head: Head) -> Iterator[Rule]:
    """Yield the rules for no step at all: both ends are one term."""
    node, subject, object_ = head.node, pattern.subject, pattern.object
    fixed = frozenset(node.guarded_variables)
    bound = [end for end in (subject, object_) if not isinstance(end, Variable) or end in fixed]
    body: tuple[BodyLiteral, ...] = node.nothing()
    if not bound:
        yield from _nodes(below)
        assert isinstance(subject, Variable)
        body = (below.atom((subject,), "node"), *node.guard)
    elif len(bound) > 1 and subject != object_:
        if not fixed & {subject, object_}:
            return
        body = (*body, Comparison(subject, Relation.EQUAL, object_))
    term = bound[0] if bound else subject
    rule = head.rule(variables(pattern), body)
    assert isinstance(rule.head, Atom)
    same = {end: term for end in (subject, object_) if isinstance(end, Variable) and end not in fixed}
    yield Rule(substitute(rule.head, same), rule.body)


def _nodes(below: Node) -> Iterator[Rule]:
    subject, step, object_ = map(below.fresh, "XPY")
    for end in (subject, object_):
        yield Rule(below.atom((end,), "node"), (below.edge(subject, step, object_),))


def join(left: Pattern, right: Pattern, head: Head) -> Iterator[Rule]:
    """Yield the rules of P1 AND P2."""
    solution, other = _solutions(left, right, head.node)
    for number, case in enumerate(_cases(left, right, head.node)):
        tags = (*solution.tags, *other.tags, *_case_tag(left, right, number))
        body: list[BodyLiteral] = [*_atoms(solution, other, case), *_apart(left, right, case, head)]
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
    solution, other = _solutions(left, right, node)
    both = Join(left, right)
    for number, case in enumerate(_cases(left, right, node)):
        body: tuple[BodyLiteral, ...] = (*_atoms(solution, other, case), *_apart(left, right, case, head))
        bodies: tuple[tuple[BodyLiteral, ...], ...] = ((),)
        if pattern.condition is not None:
            merged = _Merged(both, node, f"j{number}", solution.tags + other.tags)
            if pattern.exists:
                yield Rule(merged.atom(), body)
                body = (merged.atom(),)
            found = where(pattern.condition, pattern.exists, Site(both, merged, node, str(number)), tau)
            yield from found.rules
            bodies = found.bodies
        tags = (*solution.tags, *other.tags, *_case_tag(left, right, number))
        for tests in bodies:
            yield head.rule(variables(both), (*body, *tests), tags)
            yield Rule(_blocked(left, node, case), (*body, *tests))
    unmatched = (solution.atom(), Not(_blocked(left, node, {})))
    missing = len(other.tags) + joins_by_cases(left, right)
    yield head.rule(variables(left), unmatched, (*solution.tags, *(NULL,) * missing))


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
    solution, other = _solutions(left, right, node)
    if node.setting.profile is Profile.PAPER2015:
        # ans' ranges over the shared variables only.
        blocked = node.atom(
            in_order(variables(left) & variables(right) - frozenset(node.guarded_variables)), "'"
        )
        yield Rule(blocked, (other.atom(),))
    else:
        for case in _cases(left, right, node):
            body = _atoms(solution, other, case)
            for witness in _witnesses(left, right, case):
                yield Rule(_blocked(left, node, case), (*body, *witness))
        blocked = _blocked(left, node, {})
    yield head.rule(variables(left), (solution.atom(), Not(blocked)), solution.tags)


def _solutions(left: Pattern, right: Pattern, node: Node) -> tuple[Solution, Solution]:
    solution = Solution(left, node.child(0))
    return solution, solution.then(right, node.child(1))


def _cases(left: Pattern, right: Pattern, node: Node) -> Iterable[Case]:
    guarded_variables = frozenset(node.guarded_variables)
    if node.setting.profile is Profile.PAPER2015:
        return (dict.fromkeys(variables(left) & variables(right) - guarded_variables, Match.EQUAL),)
    return joins(left, right, guarded_variables)


def _atoms(solution: Solution, other: Solution, case: Case) -> tuple[Atom, Atom]:
    left_nulls = frozenset(v for v, match in case.items() if match is Match.LEFT_NULL)
    right_nulls = frozenset(v for v, match in case.items() if match is Match.RIGHT_NULL)
    return solution.atom(left_nulls), other.atom(right_nulls)


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


PRECEDES: Final = "PRECEDES"
"""The order of ORDER BY as a function of two terms; no query can name it."""


def group(pattern: Group, head: Head, tau: Tau) -> Iterator[Rule]:
    """Yield the rules of a group: one literal for each aggregate, all of the same solutions."""
    node, inner = head.node, _with_arguments(pattern, head.node)
    child = replace(node.child(0), bag=True)
    yield from tau(inner, whole(inner, child))
    solution = Solution(inner, child).atom()
    keys = tuple(key for key in pattern.keys if key in variables(inner))
    gathers = tuple(
        Gather(variable, aggregation, solution, (*keys, *node.outer))
        for variable, aggregation in pattern.aggregates
    )
    known = variables(pattern) - (frozenset(pattern.keys) - frozenset(keys))
    if not pattern.keys and gathers:
        yield from _one_group(pattern, head, gathers, solution)
    elif keys or node.outer or not gathers:
        yield head.rule(known, gathers or (solution,))
    else:
        some = node.atom((), "some")
        yield Rule(some, (solution,))
        yield head.rule(known, (*gathers, some))


def _with_arguments(pattern: Group, node: Node) -> Pattern:
    # An argument that the pattern never binds is null in each solution.
    inner = pattern.pattern
    for _, aggregation in pattern.aggregates:
        for name in aggregation.arguments:
            if name not in variables(inner) and name not in node.guarded_variables:
                inner = Extend(inner, name, NULL)
    return inner


def _one_group(pattern: Group, head: Head, gathers: tuple[Gather, ...], solution: Atom) -> Iterator[Rule]:
    # Without GROUP BY there is one group even of nothing, unless the language says otherwise.
    node, known = head.node, variables(pattern)
    if node.empty_group is EmptyGroup.VALUES and not node.outer:
        yield head.rule(known, (*gathers, *node.exists()))
        return
    some = node.atom((), "some")
    yield Rule(some, (solution,))
    yield head.rule(known, (*gathers, some))
    if node.empty_group is EmptyGroup.NO_ROW:
        return
    rule = head.rule(known, (*node.nothing(), Not(some)))
    assert isinstance(rule.head, Atom)
    empty = {variable: _of_nothing(aggregation, node) for variable, aggregation in pattern.aggregates}
    yield Rule(substitute(rule.head, empty), rule.body)


def _of_nothing(aggregation: Aggregation, node: Node) -> Term:
    match aggregation.function:
        case "AVG" if node.empty_group is EmptyGroup.UNBOUND_AVERAGE:
            return NULL
        case "COUNT" | "SUM" | "AVG":
            return Literal("0", XSD + "integer")
        case "GROUP_CONCAT":
            return Literal("")
        case _:
            return NULL


def select(pattern: Select, head: Head, tau: Tau) -> Iterator[Rule]:
    """Yield the rules of a subquery; a name that it hides is unbound outside, whoever asks for it there."""
    head_padded = replace(head, out=tuple(pad(head.out, pattern.result)))
    yield from projection_rules(pattern.pattern, pattern.result, pattern.modifiers, head_padded, tau)


def projection_rules(
    inner: Pattern, result: tuple[Variable, ...], modifiers: Modifiers, head: Head, tau: Tau
) -> Iterator[Rule]:
    """Yield the rules that derive the head from the solutions of a pattern, after projection and modifiers.

    `head.out` begins with V̄; the variables after it are shown too, if the projection keeps them.
    """
    node = head.node
    names = in_order(frozenset(result) - frozenset(node.guarded_variables))
    keeps = node.bag and modifiers.duplicates is not Duplicates.DISTINCT
    hidden = (
        in_order(variables(inner) - frozenset(result) - frozenset(node.guarded_variables)) if keeps else ()
    )
    more = tuple(name for name in head.out if isinstance(name, Variable) and name not in names)
    if not modifiers.slices:
        yield from tau(
            inner,
            Head(
                node, (*head.out, *(hidden if head.keeps_duplicates else ())), keeps and head.keeps_duplicates
            ),
        )
        return
    keys = tuple(dict.fromkeys(k.variable for k in modifiers.order if k.variable in variables(inner)))
    extra = tuple(dict.fromkeys((*more, *(key for key in keys if key not in names), *hidden)))
    child = replace(node.child(0), bag=node.bag)
    columns = (*names, *extra)
    yield from tau(inner, Head(child, columns, keeps))
    tags = Solution(inner, child).tags if keeps else ()
    atom = child.atom((*columns, *tags))
    order = tuple(key for key in modifiers.order if key.variable in columns)
    if not keeps and any(key.variable not in names for key in order):
        yield from _first_ones(atom, names, order, child)
        atom = Atom(f"{atom.predicate}first", atom.arguments)
    among = Among(atom, order, modifiers.offset, modifiers.limit, node.outer)
    bound = frozenset(columns)
    yield head.rule(bound, (among,), (*hidden, *tags))


def _first_ones(
    atom: Atom, names: tuple[Variable, ...], order: tuple[OrderKey, ...], child: Node
) -> Iterator[Rule]:
    # In a set each row of V stands once, at its first place in the order.
    keys = [key for key in order if key.variable not in names]
    others = {key.variable: child.fresh(f"{key.variable.name}_") for key in keys}
    earlier = substitute(atom, others)
    sides: list[Expression] = []
    for number, key in enumerate(keys):
        same = [_same(others[before.variable], before.variable) for before in keys[:number]]
        variable, other = others[key.variable], key.variable
        before = Call(PRECEDES, (other, variable) if key.descending else (variable, other))
        sides.append(reduce(_and, [*same, before]))
    late = Atom(f"{atom.predicate}later", atom.arguments)
    precedes = reduce(lambda term, other: Call("||", (term, other)), sides)
    yield Rule(late, (atom, earlier, Test(precedes)))
    yield Rule(Atom(f"{atom.predicate}first", atom.arguments), (atom, Not(late)))


def _and(term: Expression, other: Expression) -> Expression:
    return Call("&&", (term, other))


def _same(variable: Variable, other: Variable) -> Expression:
    less = Call(PRECEDES, (variable, other)), Call(PRECEDES, (other, variable))
    return _and(Call("!", (less[0],)), Call("!", (less[1],)))
