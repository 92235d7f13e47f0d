"""τ: the translation of graph patterns to rules that all languages share (LARS 2015, Figure 1).

Node i of the pattern tree becomes the predicate ans_i, and each operator has its own rules:
  P1 AND P2       ans_i(V̄) ← ans_2i(V̄1), ans_2i+1(V̄2)
  P1 UNION P2     one rule for each side, with null for variables that the side does not bind
  P FILTER R      ans_i(V̄) ← ans_2i(V̄), R          one rule for each disjunct of R
  BIND, VALUES    ans_i(V̄) ← ans_2i(V̄'), x := [e]     ans_i(c̄) ← true
  GRAPH ?g P      P is evaluated in each named graph; the graph is an argument

Repetitions and negated sets are property paths without an equivalent pattern (SPARQL 1.1, 18.4):
  s path* o       ans_i ← reach_i(s, o)          ans_i ← node_i(s), s = o
                  reach_i(X, Y) ← step(X, Y)     reach_i(X, Z) ← reach_i(X, Y), step(Y, Z)
  s !(p|q) o      ans_i ← triple(s, P, o, g), P != p, P != q
A repetition connects two nodes only once, even if several routes connect the nodes. Zero steps connect every
node of the graph with itself. Zero steps also connect a constant end with itself, even if no triple contains
the constant.

AND, OPTIONAL and MINUS treat variables that can be unbound:
  P1 OPT P2 IF R  ans_i(V̄) ← ans_2i(V̄1), ans_2i+1(V̄2), R
                  ans_i(V̄) ← ans_2i(V̄1), not ans'_i(V̄1)      the other variables of V̄ are null
                  ans'_i(V̄1) ← ans_2i(V̄1), ans_2i+1(V̄2), R
  P1 MINUS P2     ans_i(V̄) ← ans_2i(V̄1), not ans'_i(V̄1)
                  ans'_i(V̄1) ← ans_2i(V̄1), ans_2i+1(V̄2)      if they share a bound variable
In `sparql11`, each way in which two solutions can be compatible has its own rule. In `paper2015`, null joins
null like any other constant, and MINUS is evaluated as Diff.

GROUP BY, and subqueries with their modifiers:
  GROUP BY k, SUM(x)   ans_i(k, v) ← v := SUM(x) of ans_2i(V̄) by k
  SELECT V             ans_i(V̄) ← ans_2i(V̄')          in a multiset, hidden variables distinguish solutions
  LIMIT n OFFSET m     ans_i(V̄) ← ans_2i(V̄, k) among m+1..m+n by k
The input of an aggregate is always a multiset, even if the answers are sets.

The conditions of FILTER and BIND are brought into negation normal form. A disjunction splits a rule, and a
conjunction extends the body of a rule (`expressions.py`). EXISTS becomes a predicate, and τ translates the
pattern of the EXISTS again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import count, product
from typing import Final, assert_never

from lars.language import formulas as logic
from lars.language.program import Rule
from lars.language.program import variables as variables_of
from lars.language.terms import DEFAULT, NULL, XSD, Atom, Iri, Literal, Number, Term, Variable, substitute
from translate.analysis import mentioned_variables, null_sets, nullable, occurring_variables, witnesses
from translate.analysis.nullability import Variables, is_cautious, joins, joins_by_cases
from translate.analysis.rewriting import apart, is_local, path_pattern
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, variables
from translate.model.query import Profile
from translate.model.windows import window_operator
from translate.tau.expressions import Body, disjuncts, unbind, with_row
from translate.tau.node import ActiveGraph, Head, Node, Solution, in_order, pad


def tau(pattern: Pattern, head: Head) -> Iterator[Rule]:
    """Yield the rules that derive the head from the solutions of the pattern.

    If the pattern does not bind a variable of the head, the variable is null.
    """
    node = head.node
    match pattern:
        case algebra.Bgp(()):
            yield head.rule((), node.nothing())
        case algebra.Bgp((triple,)):
            yield head.rule(variables(pattern), (node.edge(*triple.terms), *node.guard))
        case algebra.Bgp(triples):
            single: list[Pattern] = [algebra.Bgp((triple,)) for triple in connected_order(triples)]
            yield from tau(reduce(algebra.Join, single), head)
        case algebra.PathPattern(_, algebra.NegatedSet() as path):
            yield _negated(pattern, path, head)
        case algebra.PathPattern(_, algebra.RepeatedPath() as path):
            yield from _repeated(pattern, path, head)
        case algebra.PathPattern():
            raise AssertionError(pattern)  # other paths are patterns
        case algebra.StreamBlock():
            yield from _stream(pattern, head)
        case algebra.Join(left, right):
            yield from _children(left, right, node)
            yield from join(left, right, head)
        case algebra.Union(left, right):
            yield from _children(left, right, node)
            yield from _union(pattern, head)
        case algebra.LeftJoin(left, right):
            yield from _children(left, right, node)
            yield from left_join(pattern, head)
        case algebra.Minus(left, right):
            yield from _children(left, right, node)
            yield from minus(left, right, head)
        case algebra.Filter(inner, condition, exists):
            yield from tau(inner, node.child(0).head(inner))
            solution = node.child(0).solution(inner)
            rules, bodies = where(condition, exists, solution, node)
            yield from rules
            for tests in bodies:
                yield head.rule(variables(inner), (solution.atom(), *tests), solution.tags)
        case algebra.Extend():
            yield from _extend(pattern, head)
        case algebra.Values():
            yield from _table(pattern, head)
        case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
            yield from _graph(name, inner, head)
        case algebra.Group():
            yield from group(pattern, head)
        case algebra.Select():
            yield from select(pattern, head)
        case _:
            assert_never(pattern)


def connected_order(triples: tuple[algebra.TriplePattern, ...]) -> tuple[algebra.TriplePattern, ...]:
    """Return the triple patterns, ordered so that each shares a variable with an earlier one, if possible.

    If no remaining triple pattern shares a variable, the next one in the text follows. The order affects only
    the size of intermediate results, because conjunction is commutative.
    """
    rest = [(triple, variables(algebra.Bgp((triple,)))) for triple in triples]
    patterns, seen = [rest[0][0]], rest.pop(0)[1]
    while rest:
        place = next((number for number, (_, own) in enumerate(rest) if own & seen), 0)
        triple, own = rest.pop(place)
        patterns.append(triple)
        seen |= own
    return tuple(patterns)


def _children(left: Pattern, right: Pattern, node: Node) -> Iterator[Rule]:
    yield from tau(left, node.child(0).head(left))
    yield from tau(right, node.child(1).head(right))


def _extend(pattern: algebra.Extend, head: Head) -> Iterator[Rule]:
    inner, node = pattern.pattern, head.node
    yield from tau(inner, node.child(0).head(inner))
    solution = node.child(0).solution(inner)
    rules, cases = values(pattern.expression, pattern.exists, solution, node)
    yield from rules
    for expression, more in cases:
        body = (solution.atom(), *more, logic.Assign(pattern.variable, expression))
        yield head.rule(variables(pattern), body, solution.tags)


def _table(table: algebra.Values, head: Head) -> Iterator[Rule]:
    room = witnesses(table) * head.keeps_duplicates
    for number, row in enumerate(table.rows):
        binding = dict(zip(table.names, row, strict=True))
        bound = (binding.get(name) if isinstance(name, Variable) else None for name in head.out)
        terms = (NULL if term is None else term for term in bound)
        yield Rule(head.node.atom((*terms, *(Number(number),) * room)), head.node.nothing())


def _union(union: algebra.Union, head: Head) -> Iterator[Rule]:
    # In a multiset, a solution of both sides counts twice, so the number of the side is a witness.
    room = witnesses(union)
    for side, branch in enumerate((union.left, union.right)):
        solution = head.node.child(side).solution(branch)
        # A match in both sources of a cautious block counts once, so no number tells its sides apart.
        tags: tuple[Term, ...] = () if is_cautious(union) else (Number(side), *solution.tags)
        yield head.rule(variables(branch), (solution.atom(),), (*tags, *(NULL,) * (room - len(tags))))


def _stream(block: algebra.StreamBlock, head: Head) -> Iterator[Rule]:
    node, stream, inner = head.node, block.stream, block.pattern
    window = window_operator(block.window, stream, node.setting.unit, node.setting.bounds)
    named = None if block.graph is None else stream
    name: ActiveGraph = block.graph or stream
    within = replace(node.part("w"), graph=name, window=window, stream=named)
    if isinstance(inner, algebra.Bgp):
        seen = tuple(within.edge(*triple.terms) for triple in inner.triples)
        # A variable stream ranges over the streams that have a triple in the window.
        empty = (within if isinstance(stream, Variable) else node).nothing()
        yield head.rule(variables(block), (*seen, *node.guard) if seen else empty)
        return
    if name in variables(inner):
        # As in GRAPH ?g: the path is walked in each stream, and its end is compared with the name afterwards.
        within = replace(within, graph=node.fresh(f"graph{node.part_name}{node.position}"))
    yield from tau(inner, within.head(inner))
    solution = within.solution(inner)
    atom = solution.atom()
    if isinstance(name, Variable):
        atom = Atom(atom.predicate, (*atom.arguments[:-1], name))
    yield head.rule(variables(block), (atom, *node.exists()), solution.tags)


def _graph(name: Iri | Variable, inner: Pattern, head: Head) -> Iterator[Rule]:
    node = head.node
    # In GRAPH :g { GRAPH :h { .. } }, the inner pattern reads :h alone, but has no solution unless :g exists.
    if isinstance(name, Iri) and not node.exists():
        yield from tau(inner, replace(head, node=replace(node, graph=name)))
        return
    graph: ActiveGraph = name
    if isinstance(name, Variable) and (name in occurring_variables(inner) or name in node.guarded_variables):
        graph = node.fresh(f"graph{node.part_name}{node.position}")
    child = node.child(0, graph)
    yield from tau(inner, child.head(inner))
    # GRAPH ?g ranges over the named graphs only, but triple/4 also contains the default graph.
    inside = (logic.Comparison(name, "!=", DEFAULT),) if isinstance(name, Variable) else ()
    solution = child.solution(inner)
    room = witnesses(algebra.Graph(name, inner)) - len(solution.tags) if node.bag else 0
    for number, nulls in enumerate(sorted(_graph_nulls(name, inner, node.setting.profile), key=len)):
        atom = solution.atom(nulls)
        if isinstance(name, Variable):
            atom = Atom(atom.predicate, (*atom.arguments[:-1], name))
        tags: tuple[Term, ...] = (*solution.tags, *(Number(number),) * room)
        yield head.rule(variables(algebra.Graph(name, inner)), (atom, *inside, *node.exists()), tags)


def _graph_nulls(name: Iri | Variable, inner: Pattern, profile: Profile) -> frozenset[frozenset[Variable]]:
    if profile == "paper2015" or not isinstance(name, Variable):
        return frozenset((frozenset(),))
    return null_sets(inner, frozenset((name,))) | {frozenset()}


_ENDS: Final = (Variable("_from"), Variable("_to"))


def _negated(pattern: algebra.PathPattern, path: algebra.NegatedSet, head: Head) -> Rule:
    node = head.node
    step = node.fresh("P")
    ends = (pattern.subject, pattern.object)
    subject, object_ = reversed(ends) if path.backward else ends
    others = (logic.Comparison(step, "!=", iri) for iri in (*path.forward, *path.backward))
    body = (node.edge(subject, step, object_), *others, *node.guard)
    return head.rule(variables(pattern), body, (step,) if node.bag else ())


def _repeated(pattern: algebra.PathPattern, path: algebra.RepeatedPath, head: Head) -> Iterator[Rule]:
    node = head.node
    ends = tuple(node.fresh(variable.name) for variable in _ENDS)
    inner = path_pattern(ends[0], path.path, ends[1], _fresh(node, "p"))
    # The steps of a path do not depend on the solution that an EXISTS tests, so they have no guard.
    below = replace(node.part("p"), guarded_variables=(), guard=(), bag=False)
    yield from tau(inner, Head(below, ends, keeps_duplicates=False))
    known, often = variables(pattern), path.multiplicity
    # In (p*)+, a single step can already have zero steps inside.
    if often == "+" and algebra.can_stay(path.path):
        often = "*"
    if often == "?":
        step = below.atom((pattern.subject, pattern.object))
        yield head.rule(known, (step, *node.guard))
    else:
        yield from _closure(pattern, below)
        reached = below.atom((pattern.subject, pattern.object), "reach")
        yield head.rule(known, (reached, *node.guard))
    if often != "+":
        yield from _nothing(pattern, below, head)


def _closure(pattern: algebra.PathPattern, below: Node) -> Iterator[Rule]:
    # With a constant end, only the nodes that it reaches, or that reach it, are derived: a linear number.
    def reach(start: Term, end: Term) -> Atom:
        return below.atom((start, end), "reach")

    subject, object_ = pattern.subject, pattern.object
    x, y, z = map(below.fresh, "XYZ")
    if isinstance(subject, Variable) and not isinstance(object_, Variable):
        # Backwards from the constant object.
        yield Rule(reach(x, object_), (below.atom((x, object_)),))
        yield Rule(reach(x, object_), (below.atom((x, y)), reach(y, object_)))
        return
    start = x if isinstance(subject, Variable) else subject
    yield Rule(reach(start, y), (below.atom((start, y)),))
    yield Rule(reach(start, z), (reach(start, y), below.atom((y, z))))


def _nothing(pattern: algebra.PathPattern, below: Node, head: Head) -> Iterator[Rule]:
    """Yield the rules for a path of zero steps, whose subject and object are the same term."""
    node, subject, object_ = head.node, pattern.subject, pattern.object
    fixed = frozenset(node.guarded_variables)
    bound = [end for end in (subject, object_) if not isinstance(end, Variable) or end in fixed]
    body: tuple[logic.BodyLiteral, ...] = node.nothing()
    if not bound:
        yield from _nodes(below)
        assert isinstance(subject, Variable)
        body = (below.atom((subject,), "node"), *node.guard)
    elif len(bound) > 1 and subject != object_:
        # Two different constants are never one term; only a value that EXISTS gives can equal the other end.
        if not fixed & {subject, object_}:
            return
        body = (*body, logic.Comparison(subject, "=", object_))
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
    for number, (mine, theirs) in enumerate(_cases(left, right, head.node)):
        tags = (*solution.tags, *other.tags, *_case_tag(left, right, number))
        body: Body = (solution.atom(mine), other.atom(theirs), *_apart(left, right, mine, theirs, head))
        yield head.rule(variables(left) | variables(right), body, tags)


def _apart(
    left: Pattern, right: Pattern, mine: Variables, theirs: Variables, head: Head
) -> Iterator[logic.Comparison]:
    # In a multiset, the cases must be disjoint: two nulls belong to the case of equal values.
    if head.keeps_duplicates:
        for variable in in_order(mine | theirs):
            if variable in nullable(left if variable in theirs else right):
                yield logic.Comparison(variable, "!=", NULL)


def _case_tag(left: Pattern, right: Pattern, number: int) -> tuple[Term, ...]:
    return (Number(number),) if joins_by_cases(left, right) else ()


def left_join(pattern: algebra.LeftJoin, head: Head) -> Iterator[Rule]:
    """Yield the rules of P1 OPT P2 with a condition."""
    left, right, node = pattern.left, pattern.right, head.node
    solution, other = _solutions(left, right, node)
    both = algebra.Join(left, right)
    for number, (mine, theirs) in enumerate(_cases(left, right, node)):
        body: Body = (solution.atom(mine), other.atom(theirs), *_apart(left, right, mine, theirs, head))
        bodies: list[Body] = [()]
        if pattern.condition is not None:
            # An EXISTS in the condition is tested for each joined solution, so these get their own predicate.
            merged = Solution(both, node, solution.tags + other.tags, f"j{number}")
            if pattern.exists:
                yield Rule(merged.atom(), body)
                body = (merged.atom(),)
            rules, bodies = where(pattern.condition, pattern.exists, merged, node, str(number))
            yield from rules
        tags = (*solution.tags, *other.tags, *_case_tag(left, right, number))
        for tests in bodies:
            yield head.rule(variables(both), (*body, *tests), tags)
            yield Rule(_blocked(left, node, mine), (*body, *tests))
    unmatched = (solution.atom(), logic.Not(_blocked(left, node)))
    missing = len(other.tags) + joins_by_cases(left, right)
    yield head.rule(variables(left), unmatched, (*solution.tags, *(NULL,) * missing))


def minus(left: Pattern, right: Pattern, head: Head) -> Iterator[Rule]:
    """Yield the rules of P1 MINUS P2: the paper's Diff, or SPARQL's Minus."""
    node = head.node
    solution, other = _solutions(left, right, node)
    shared = variables(left) & variables(right) - frozenset(node.guarded_variables)
    if node.setting.profile == "paper2015":
        # The paper's Diff (T2): without a shared variable, any solution of the right side removes all rows.
        blocked = node.atom(in_order(shared), "'")
        yield Rule(blocked, (other.atom(),))
    else:
        for mine, theirs in _cases(left, right, node):
            body = (solution.atom(mine), other.atom(theirs))
            for witness in _witnesses(left, right, shared - mine - theirs):
                yield Rule(_blocked(left, node, mine), (*body, *witness))
        blocked = _blocked(left, node)
    yield head.rule(variables(left), (solution.atom(), logic.Not(blocked)), solution.tags)


def _solutions(left: Pattern, right: Pattern, node: Node) -> tuple[Solution, Solution]:
    solution = node.child(0).solution(left)
    return solution, node.child(1).solution(right, start=1 + len(solution.tags))


def _cases(left: Pattern, right: Pattern, node: Node) -> Iterable[tuple[Variables, Variables]]:
    if node.setting.profile == "paper2015":
        return ((frozenset(), frozenset()),)
    return joins(left, right, frozenset(node.guarded_variables))


def _blocked(left: Pattern, node: Node, nulls: Variables = frozenset()) -> Atom:
    return node.atom((NULL if name in nulls else name for name in node.free(left)), "'")


def _witnesses(left: Pattern, right: Pattern, equal: Variables) -> tuple[tuple[logic.Comparison, ...], ...]:
    # MINUS removes only solutions that share a bound variable. A shared variable that is never null suffices.
    nullable_here = nullable(left) & nullable(right)
    if any(v not in nullable_here for v in equal):
        return ((),)
    return tuple((logic.Comparison(v, "!=", NULL),) for v in in_order(equal))


def group(pattern: algebra.Group, head: Head) -> Iterator[Rule]:
    """Yield the rules of GROUP BY, with one aggregate literal for each aggregate of the group."""
    node, inner = head.node, _with_arguments(pattern, head.node)
    child = replace(node.child(0), bag=True)
    yield from tau(inner, child.head(inner))
    solution = child.solution(inner).atom()
    # A key that nothing binds divides no group; in the body of a rule it would be unsafe.
    keys = tuple(key for key in pattern.keys if key in variables(inner))
    gathers = tuple(
        logic.Gather(variable, aggregation, solution, (*keys, *node.outer))
        for variable, aggregation in pattern.aggregates
    )
    known = variables(pattern) - (frozenset(pattern.keys) - frozenset(keys))
    if not pattern.keys and gathers:
        yield from _one_group(pattern, head, gathers, solution)
    elif keys or node.outer or not gathers:
        yield head.rule(known, gathers or (solution,))
    else:
        # The pattern binds no key, so all solutions form one group, which exists only if a solution does.
        some = node.atom((), "some")
        yield Rule(some, (solution,))
        yield head.rule(known, (*gathers, some))


def _with_arguments(pattern: algebra.Group, node: Node) -> Pattern:
    # A variable that the pattern never binds would make the rule unsafe, so null is its value.
    inner = pattern.pattern
    for _, aggregation in pattern.aggregates:
        for name in aggregation.arguments:
            if name not in variables(inner) and name not in node.guarded_variables:
                inner = algebra.Extend(inner, name, NULL)
    return inner


def _one_group(
    pattern: algebra.Group, head: Head, gathers: tuple[logic.Gather, ...], solution: Atom
) -> Iterator[Rule]:
    # Without GROUP BY, an empty input has one group in SPARQL; the language can differ (T13).
    node, known = head.node, variables(pattern)
    if node.empty_group == "values" and not node.outer:
        yield head.rule(known, (*gathers, *node.exists()))
        return
    some = node.atom((), "some")
    yield Rule(some, (solution,))
    yield head.rule(known, (*gathers, some))
    if node.empty_group == "no row":
        return
    rule = head.rule(known, (*node.nothing(), logic.Not(some)))
    assert isinstance(rule.head, Atom)
    empty = {variable: _of_nothing(aggregation, node) for variable, aggregation in pattern.aggregates}
    yield Rule(substitute(rule.head, empty), rule.body)


def _of_nothing(aggregation: logic.Aggregation, node: Node) -> Term:
    match aggregation.function:
        case "AVG" if node.empty_group == "unbound average":
            return NULL
        case "COUNT" | "SUM" | "AVG":
            return Literal("0", XSD + "integer")
        case "GROUP_CONCAT":
            return Literal("")
        case _:
            return NULL


def select(pattern: algebra.Select, head: Head) -> Iterator[Rule]:
    """Yield the rules of a subquery; a variable that the subquery does not select is unbound outside."""
    head_padded = replace(head, out=tuple(pad(head.out, pattern.result)))
    yield from projection_rules(pattern.pattern, pattern.result, pattern.modifiers, head_padded)


def projection_rules(
    inner: Pattern, result: tuple[Variable, ...], modifiers: algebra.Modifiers, head: Head
) -> Iterator[Rule]:
    """Yield the rules that derive a head from the solutions of a pattern after projection and modifiers.

    The terms `head.out` begin with the projected variables; if duplicates are kept, the hidden variables
    follow.
    """
    node = head.node
    names = in_order(frozenset(result) - frozenset(node.guarded_variables))
    # DISTINCT is a projection to a set: without hidden variables and witnesses, equal rows are one atom.
    keeps = node.bag and modifiers.duplicates != "DISTINCT"
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
    tags = child.solution(inner).tags if keeps else ()
    atom = child.atom((*columns, *tags))
    order = tuple(key for key in modifiers.order if key.variable in columns)
    if not keeps and any(key.variable not in names for key in order):
        # In a set, equal projected rows count once for LIMIT, at their first place in the order. Two of them
        # can be equal in the order, as 1 and 1.0 are; so the first is chosen, not each without an earlier.
        first = logic.Among(atom, order, 0, 1, (*names, *node.outer))
        atom = Atom(f"{atom.predicate}first", atom.arguments)
        yield Rule(atom, (first,))
    among = logic.Among(atom, order, modifiers.offset, modifiers.limit, node.outer)
    bound = frozenset(columns)
    yield head.rule(bound, (among,), (*hidden, *tags))


_TRUE: Final = Literal("true", XSD + "boolean")
_FALSE: Final = Literal("false", XSD + "boolean")


def where(
    condition: logic.Expression,
    exists: tuple[algebra.Exists, ...],
    outer: Solution,
    node: Node,
    mark: str = "",
) -> tuple[Iterable[Rule], list[Body]]:
    """Return the rules that a condition needs, and rule bodies that express the condition (Lloyd-Topor).

    The condition is true if at least one of the bodies holds. In a body, an atom represents each EXISTS test,
    and the returned rules derive these atoms. The argument `mark` makes the names of the predicates unique if
    a node has several conditions.
    """
    tested = _Exists(exists, outer, node, mark)
    bodies: list[Body] = []
    numbers = dict[int, int]()
    for conjunction in disjuncts(unbind(condition, tested.bound_variables | tested.names)):
        choices = [list(_literal(test, tested, numbers)) for test in conjunction]
        bodies += [tuple(part for parts in chosen for part in parts) for chosen in product(*choices)]
    return tested.rules, bodies


def values(
    expression: logic.Expression, exists: tuple[algebra.Exists, ...], outer: Solution, node: Node
) -> tuple[Iterable[Rule], list[tuple[logic.Expression, Body]]]:
    """Return the rules that an expression needs, and pairs of an expression and the body literals it needs.

    Several pairs exist only if the expression calls f:timestamp: one for statements with an arrival time, and
    one for statements without it.
    """
    tested = _Exists(exists, outer, node, "")
    known = unbind(expression, tested.bound_variables | tested.names)
    cases = list(_by_cases(known, tested, {}))
    return tested.rules, cases


class _Exists:
    """The EXISTS tests of a condition, each with its atom, and the rules that derive these atoms."""

    def __init__(self, exists: tuple[algebra.Exists, ...], outer: Solution, node: Node, place: str) -> None:
        self.outer, self.node = outer, node
        self.bound_variables = variables(outer.pattern) | frozenset(node.guarded_variables)
        """The variables that can have a value at the place of the EXISTS."""
        self.atoms: dict[Variable, Atom] = {}
        self.rules: dict[Rule, None] = {}
        for number, test in enumerate(exists):
            mark = f"e{place}x{number}" if place else f"e{number or ''}"
            seen, rules = _rules(test.pattern, self, mark)
            self.atoms[test.variable] = _tested(seen, node, mark)
            self.rules.update(dict.fromkeys(rules))

    @property
    def names(self) -> frozenset[Variable]:
        """The variables that represent EXISTS tests."""
        return frozenset(self.atoms)

    def truth(self, name: Variable) -> Atom:
        """Return the atom that binds the variable of an EXISTS test to true or false.

        An expression needs this atom if it uses the EXISTS test as a value, for example as an argument of =.
        """
        atom = self.atoms[name]
        outer = self.outer.atom()
        for literal, value in ((atom, _TRUE), (logic.Not(atom), _FALSE)):
            self.rules[Rule(_with_value(atom, value), (outer, literal))] = None
        return _with_value(atom, name)


def _with_value(atom: Atom, value: Term) -> Atom:
    return Atom(f"{atom.predicate}is", (value, *atom.arguments))


def _literal(test: logic.Test, tested: _Exists, numbers: dict[int, int]) -> Iterator[Body]:
    if isinstance(test.expression, Variable) and (atom := tested.atoms.get(test.expression)) is not None:
        yield (atom if test.value else logic.Not(atom),)
        return
    for expression, more in _by_cases(test.expression, tested, numbers):
        yield (*more, logic.Test(expression, test.value))


def _by_cases(
    expression: logic.Expression, tested: _Exists, numbers: dict[int, int]
) -> Iterator[tuple[logic.Expression, Body]]:
    held = tuple(map(tested.truth, in_order(variables_of(expression) & tested.names)))
    for function, more in with_row(expression, _row(tested.outer), tested.node, numbers):
        yield function, (*held, *more)


def _row(outer: Solution) -> tuple[Term, ...]:
    # A value of BIND follows from the other values, so RAND() of a solution need not depend on it.
    pattern, added = outer.pattern, set()
    while isinstance(pattern, algebra.Extend):
        added.add(pattern.variable)
        pattern = pattern.pattern
    return tuple(term for term in outer.atom().arguments if term not in added)


def _rules(pattern: Pattern, site: _Exists, mark: str) -> tuple[frozenset[Variable], Iterator[Rule]]:
    seen = site.bound_variables & mentioned_variables(pattern)
    if not is_local(pattern):
        return seen, _substituted(pattern, seen, site, mark)
    seen &= variables(pattern)
    return seen, _compatible(pattern, seen, site, mark)


def _tested(
    seen: frozenset[Variable], node: Node, mark: str, nulls: frozenset[Variable] = frozenset()
) -> Atom:
    names = in_order(seen - frozenset(node.guarded_variables))
    return node.atom((NULL if name in nulls else name for name in names), mark)


def _compatible(pattern: Pattern, seen: frozenset[Variable], site: _Exists, mark: str) -> Iterator[Rule]:
    """Yield the rules of an EXISTS that only tests whether a compatible solution of its pattern exists."""
    part = replace(site.node.part(mark), guarded_variables=(), guard=(), bag=False)
    yield from tau(pattern, part.head(pattern))
    solution = part.solution(pattern)
    own = seen - frozenset(site.node.guarded_variables)
    sides = null_sets(site.outer.pattern, own), null_sets(pattern, seen)
    for mine, theirs in product(*(sorted(sets, key=sorted) for sets in sides)):
        unbound = theirs - mine
        # What the pattern leaves unbound, and what an outer EXISTS gives, has its value in the tested
        # solution.
        outer = (site.outer.atom(mine),) if unbound or site.node.guarded_variables else ()
        yield Rule(_tested(seen, site.node, mark, mine), (solution.atom(unbound), *outer))


def _substituted(pattern: Pattern, seen: frozenset[Variable], site: _Exists, mark: str) -> Iterator[Rule]:
    """Yield the rules of an EXISTS in whose pattern the values of the tested solution replace variables."""
    node = site.node
    own = seen - frozenset(node.guarded_variables)
    for number, nulls in enumerate(sorted(null_sets(site.outer.pattern, own), key=sorted)):
        order = in_order((own - nulls) | frozenset(node.guarded_variables))
        counts = node.bag or node.setting.semantics == "bag"
        part = replace(node.part(f"{mark}n{number}"), guarded_variables=order, guard=(), bag=counts)
        guard = part.atom((), "given")
        part = replace(part, guard=(guard,))
        bound = (logic.Comparison(v, "!=", NULL) for v in order if v in nullable(site.outer.pattern))
        yield Rule(guard, (site.outer.atom(nulls), *bound))
        # The names must also differ from those that an outer EXISTS has introduced.
        taken = occurring_variables(pattern).union(order)
        fresh = (name for name in _fresh(node, mark) if name not in taken)
        inner, names = apart(pattern, frozenset(order), fresh)
        yield from tau(inner, part.head(inner))
        atom = part.solution(inner).atom()
        for again in _rebound(inner, names):
            yield Rule(_tested(seen, node, mark, nulls), (substitute(atom, again),))


def _rebound(inner: Pattern, names: Mapping[Variable, Variable]) -> Iterator[dict[Variable, Term]]:
    # A variable that the pattern itself binds must equal the value of the tested solution, or be unbound.
    bound = [(old, new) for old, new in names.items() if new in variables(inner)]
    choices: list[list[tuple[Variable, Term]]] = [
        [(new, old), (new, NULL)] if new in nullable(inner) else [(new, old)] for old, new in bound
    ]
    for chosen in product(*choices):
        yield dict(chosen)


def _fresh(node: Node, mark: str) -> Iterator[Variable]:
    return (node.fresh(f"_{mark}{number}") for number in count())
