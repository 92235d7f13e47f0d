"""Split a query pattern into disjuncts: alternatives without UNION, with triple patterns and conditions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Final, assert_never

from agreement.proving.disjuncts.edges import Edge, GraphSource, Reading, Where
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.formulas import Call, Expression, Test
from lars.language.program import put_terms
from lars.language.program import variables as named_in
from lars.language.terms import NULL, Constant, Iri, Literal, Term, Variable
from translate.analysis import fresh_variables, occurring_variables, parts, rename, without_paths
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, RepeatedPath, TriplePattern, variables
from translate.model.query import Profile

MOST: Final = 512
"""The maximum number of disjuncts (alternatives without UNION) of one query."""
_MOST_CASES: Final = 8_192


def put_in_test(test: Test, terms: Mapping[Variable, Term]) -> Test:
    """Return a condition in which each variable in `terms` is replaced by its term."""
    return Test(put_terms(test.expression, terms), test.value)


@dataclass(frozen=True, slots=True)
class Disjunct:
    """One alternative of a query pattern, without UNION: triple patterns that must match, and conditions.

    - `edges` are the triple patterns with their sources; `requirements` are the conditions.
    - `values` contains the fixed values of variables; None means that the variable is unbound.
    - `computed` contains the variables of BIND, each with its expression.
    - `unknown` contains variables, such as results of aggregates, whose values are not known. Conditions on
      variables in `unknown` are omitted.
    - `absent` contains patterns that must not match, such as the right side of MINUS.
    - `vague` names constructs, such as aggregates or paths, whose requirements are omitted.
    - `loose` is the reason why a match of the disjunct need not be a solution; "" if each match is a
      solution.
    """

    edges: tuple[Edge, ...] = ()
    values: tuple[tuple[Variable, Constant | None], ...] = ()
    computed: tuple[tuple[Variable, Expression], ...] = ()
    requirements: tuple[Test, ...] = ()
    loose: str = ""
    unknown: frozenset[Variable] = frozenset()
    absent: tuple["Absence", ...] = ()
    vague: str = ""

    @property
    def bound(self) -> frozenset[Variable]:
        """The variables in the triple patterns of the disjunct."""
        return frozenset(term for edge in self.edges for term in edge.terms if isinstance(term, Variable))

    @property
    def fixed(self) -> frozenset[Variable]:
        """The variables that each match of the disjunct binds."""
        return self.bound.union(name for name, term in self.values if term is not None)

    @property
    def calculated(self) -> frozenset[Variable]:
        """The variables whose values are computed by BIND."""
        return frozenset(name for name, _ in self.computed)

    @property
    def possible(self) -> frozenset[Variable]:
        """The variables that some match of the disjunct binds.

        A variable of BIND counts, although it stays unbound if its expression is an error.
        """
        return self.fixed | self.calculated | self.unknown

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables in triple patterns, and the variables whose values are given or computed."""
        return self.bound | self.calculated | frozenset(name for name, _ in self.values)

    @property
    def readings(self) -> tuple[Edge, ...]:
        """The triple patterns (edges) whose source is a window of a stream."""
        return tuple(edge for edge in self.edges if isinstance(edge.where, Reading))

    @property
    def stored(self) -> tuple[Edge, ...]:
        """The triple patterns (edges) whose source is the static data."""
        return tuple(edge for edge in self.edges if isinstance(edge.where, GraphSource))


Absence = tuple[tuple[Disjunct, ...], frozenset[Variable]]
"""Disjuncts that must not match together with a solution, and the variables that they share with it.

Absences come from MINUS, NOT EXISTS, and OPTIONAL without a match.
"""


class UncountedError(LarsError):
    """The error that a proof or a search has too many cases to try."""


def disjuncts(pattern: Pattern, profile: Profile) -> tuple[Disjunct, ...]:
    """Return the disjuncts of a pattern: alternatives without UNION. Each solution matches a disjunct.

    If the pattern is monotone, each match of a disjunct is also a solution. One step replaces each path of
    any length, so a match of a disjunct with such a path need not be a solution.

    Raises:
        UncountedError: More than MOST disjuncts exist.
    """
    fresh = fresh_variables(pattern, "v")
    return tuple(_Reader(profile, fresh).read(without_paths(pattern), GraphSource()))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Splits patterns into disjuncts (alternatives without UNION).

    Inside EXISTS, `outer` are the variables of the solution for which EXISTS is tested. If EXISTS is inside
    EXISTS, `outer` contains the variables of both solutions. `matched` are the variables in `outer` that each
    match binds, and not BIND. `fresh` yields new variables.
    """

    profile: Profile
    fresh: Iterator[Variable]
    outer: frozenset[Variable] = frozenset()
    matched: frozenset[Variable] = frozenset()

    def read(self, pattern: Pattern, where: Where) -> list[Disjunct]:
        match pattern:
            case algebra.Bgp(triples):
                return [Disjunct(tuple(Edge(triple, where) for triple in triples))]
            case algebra.StreamBlock(stream, window, inner):
                found = self.read(inner, here := Reading(stream, window))
                anywhere = isinstance(stream, Variable)
                return [self.somewhere(disjunct, here) for disjunct in found] if anywhere else found
            case algebra.PathPattern(subject, RepeatedPath(inner, _), object_):
                once = without_paths(algebra.PathPattern(subject, inner, object_))
                return [_loose(disjunct, "a path of any length") for disjunct in self.read(once, where)]
            case algebra.PathPattern(subject, _, object_):
                step = TriplePattern(subject, next(self.fresh), object_)
                return [_loose(Disjunct((Edge(step, where),)), "a negated path")]
            case algebra.Join(left, right):
                return self.joined(left, right, where)
            case algebra.Union(left, right):
                return self.counted(
                    _padded(disjunct, variables(pattern))
                    for side in (left, right)
                    for disjunct in self.read(side, where)
                )
            case algebra.Minus(left, right):
                found, shared = self.read(left, where), variables(left) & variables(right)
                try:
                    removing = self.read(right, where)
                except UncountedError:
                    return [_loose(disjunct, "MINUS") for disjunct in found]
                return [self.kept(disjunct, removing, shared, where) for disjunct in found]
            case algebra.LeftJoin(left, right, _, _):
                extending = self.read(right, where)
                shared = variables(left) & variables(right)
                found = self.read(left, where)
                pairs = [(disjunct, self.extended(disjunct, extending, pattern, where)) for disjunct in found]
                alone = (
                    _lacking(
                        _padded(disjunct, variables(pattern)), "OPTIONAL", self.absent(disjunct, ways, where)
                    )
                    for disjunct, ways in pairs
                )
                # A match of both sides is a solution. A match of the left side is one only without the right.
                return self.counted((*alone, *(way for _, ways in pairs for way in ways)))
            case algebra.Filter(inner, condition, exists):
                return self.filtered(self.read(inner, where), condition, exists, where)
            case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
                # Inside GRAPH ?g, ?g is unbound. Its value is joined to the result (T7).
                graph = GraphSource(next(self.fresh) if isinstance(name, Variable) else name)
                found = [self.somewhere(disjunct, graph) for disjunct in self.read(inner, graph)]
                return [_in_graph(disjunct, graph.name, name) for disjunct in found]
            case algebra.Extend(inner, variable, expression, exists):
                found = self.read(inner, where)
                if exists:
                    return [_unknown(disjunct, "EXISTS in BIND", (variable,)) for disjunct in found]
                return [_extended(disjunct, variable, expression) for disjunct in found]
            case algebra.Values(names, rows):
                return self.counted(Disjunct(values=tuple(zip(names, row, strict=True))) for row in rows)
            case algebra.Group(inner, keys, aggregates):
                names = tuple(name for name, _ in aggregates)
                found = [_unknown(disjunct, "an aggregate", names) for disjunct in self.read(inner, where)]
                nothing = _unknown(Disjunct(), "an aggregate of nothing", names)
                # Without GROUP BY, an aggregate of no solutions can also give a row (T13).
                return found if keys else [*found, nothing]
            case algebra.Select():
                return self.projected(pattern, where)
            case _:
                assert_never(pattern)

    def somewhere(self, disjunct: Disjunct, where: Where) -> Disjunct:
        """Return the disjunct, which then requires that a graph or stream contains at least one triple.

        If the disjunct has no pattern in the graph or stream, the function adds a pattern that matches any
        triple. The name of a graph or stream without triples is never the value of a variable.
        """
        if any(edge.where == where for edge in disjunct.edges):
            return disjunct
        triple = TriplePattern(next(self.fresh), next(self.fresh), next(self.fresh))
        return replace(disjunct, edges=(*disjunct.edges, Edge(triple, where)))

    def projected(self, select: algebra.Select, where: Where) -> list[Disjunct]:
        # A hidden variable may have the name of an outer variable, but is another variable.
        hidden = occurring_variables(select.pattern) - frozenset(select.result)
        inner = rename(select.pattern, {name: next(self.fresh) for name in sorted(hidden)})
        ways = self.read(inner, where)
        if select.modifiers.slices:
            ways = [_loose(disjunct, "LIMIT or OFFSET") for disjunct in ways]
        return [_padded(disjunct, frozenset(select.result)) for disjunct in ways]

    def extended(
        self, disjunct: Disjunct, ways: Sequence[Disjunct], pattern: algebra.LeftJoin, where: Where
    ) -> list[Disjunct]:
        """Return the joins of a disjunct of OPTIONAL's left side with the disjuncts of its right side.

        `ways` contains the disjuncts of the right side.
        """
        shared = variables(pattern.left) & variables(pattern.right)
        both = [each for other in ways if (each := self.both(disjunct, other, shared)) is not None]
        if pattern.condition is None:
            return self.counted(both)
        return self.filtered(both, pattern.condition, pattern.exists, where)

    def kept(
        self, disjunct: Disjunct, removing: Sequence[Disjunct], shared: frozenset[Variable], where: Where
    ) -> Disjunct:
        """Return a disjunct of MINUS's left side, with the condition that MINUS does not remove its row.

        `removing` contains the disjuncts of the right side.
        """
        pairs = ((other, self.both(disjunct, other, shared)) for other in removing)
        # In SPARQL 1.1, MINUS removes nothing if no shared variable can be bound on both sides (T2).
        ways = [
            way
            for other, way in pairs
            if way is not None
            and (self.profile == "paper2015" or shared & disjunct.possible & other.possible)
        ]
        return _lacking(disjunct, "MINUS", self.absent(disjunct, ways, where))

    def absent(self, disjunct: Disjunct, ways: Iterable[Disjunct], where: Where) -> Absence | None:
        """Return the condition that none of the alternatives `ways` matches together with a disjunct.

        If computed or unknown values prevent an exact condition, the function returns None.
        """
        names, known = self.beside_names(disjunct, where), frozenset(disjunct.computed)
        found = tuple(self.apart(_without(way, disjunct), names) for way in ways)
        plain = all(known <= frozenset(way.computed) and not way.unknown for way in found)
        return (found, names) if plain else None

    def apart(self, disjunct: Disjunct, names: frozenset[Variable]) -> Disjunct:
        """Return a disjunct, with new names for all variables that are not in `names`."""
        return _with_names(disjunct, {name: next(self.fresh) for name in sorted(disjunct.variables - names)})

    def filtered(
        self,
        ways: Iterable[Disjunct],
        condition: Expression,
        exists: tuple[algebra.Exists, ...],
        where: Where,
    ) -> list[Disjunct]:
        tests = {test.variable: test.pattern for test in exists}
        cases = _all_cases(condition, value=True)
        return self.counted(
            each for disjunct in ways for case in cases for each in self.tested(disjunct, case, tests, where)
        )

    def tested(
        self, disjunct: Disjunct, case: tuple[Test, ...], tests: Mapping[Variable, Pattern], where: Where
    ) -> list[Disjunct]:
        """Return the alternatives (disjuncts) in which a disjunct matches and all conditions in `case` hold.

        `tests` contains the patterns inside EXISTS that the conditions use.
        """
        plain = tuple(test for test in case if not named_in(test.expression) & tests.keys())
        ways = [_with(disjunct, plain, self.outer)]
        for test in case:
            if test in plain:
                continue
            tried = tests.get(test.expression) if isinstance(test.expression, Variable) else None
            found = None if tried is None else self.beside(disjunct, tried, where)
            if found is None:
                ways = [_loose(each, "EXISTS of more than patterns and conditions") for each in ways]
                continue
            shared = frozenset() if tried is None else variables(tried) & disjunct.fixed
            pairs = [[self.both(each, other, shared) for other in found] for each in ways]
            joined = [list(filter(None, some)) for some in pairs]
            if test.value:
                ways = [replace(way, loose=way.loose or "EXISTS") for some in joined for way in some]
            else:
                ways = [
                    _lacking(each, "NOT EXISTS", self.absent(each, some, where))
                    for each, some in zip(ways, joined, strict=True)
                ]
        return ways

    def beside(self, disjunct: Disjunct, tried: Pattern, where: Where) -> list[Disjunct] | None:
        """Return the alternatives of an EXISTS pattern for a match of `disjunct`; None if they are not exact.

        Variables of the match have the same values in the EXISTS pattern. Variables of the EXISTS pattern
        that are not in the match get new names.
        """
        if (
            not all(isinstance(part, _PLAIN) for part in parts(tried))
            or variables(tried) & disjunct.calculated
            or occurring_variables(tried) & (disjunct.unknown | (self.outer - self.matched))
        ):
            return None
        names, outer = self.beside_names(disjunct, where), self.outer | disjunct.fixed | disjunct.calculated
        ways = replace(self, outer=outer, matched=self.matched | disjunct.fixed).read(tried, where)
        set_ = (replace(each, values=tuple(pair for pair in each.values if pair[1])) for each in ways)
        return [self.apart(each, names) for each in set_]

    def beside_names(self, disjunct: Disjunct, where: Where) -> frozenset[Variable]:
        """Return the variables of a match whose values patterns of OPTIONAL, MINUS or EXISTS must share.

        If a variable names the current graph, the result includes this variable. If EXISTS is inside EXISTS,
        the result includes the variables of the solution for which the outer EXISTS is tested.
        """
        name = where.name
        graph = (name,) if isinstance(name, Variable) else ()
        return self.matched.union(disjunct.fixed, disjunct.calculated, graph)

    def joined(self, left: Pattern, right: Pattern, where: Where) -> list[Disjunct]:
        pairs = product(self.read(left, where), self.read(right, where))
        shared = variables(left) & variables(right)
        return self.counted(disjunct for pair in pairs if (disjunct := self.both(*pair, shared)) is not None)

    def both(self, left: Disjunct, right: Disjunct, shared: frozenset[Variable]) -> Disjunct | None:
        """Return the join of two disjuncts; None if no solutions of the two disjuncts are compatible.

        `shared` are the variables that both disjuncts may bind.
        """
        loose, vague = left.loose or right.loose, left.vague or right.vague
        requirements: list[Test] = []
        for name in sorted(shared):
            if not any(name in side.calculated for side in (left, right)):
                continue
            unset = [_may_be_unset(side, name) for side in (left, right)]
            uncertain = name in left.unknown | right.unknown
            if self.profile == "sparql11" or all(unset) or uncertain:
                loose, vague = (why or "a computed variable that is joined" for why in (loose, vague))
            if self.profile == "sparql11" and any(_is_unset(side, name) for side in (left, right)):
                continue
            # A computed value must equal another binding of its variable.
            own, later = next(self.fresh), name in right.calculated
            changed = _recomputed(right if later else left, name, own)
            left, right = (left, changed) if later else (changed, right)
            if not (uncertain or (any if self.profile == "sparql11" else all)(unset)):
                requirements.append(Test(Call("SAMETERM", (own, name))))
            elif name in left.calculated and unset[0]:
                # If the BIND of this side is an error, the variable has the value of the other side.
                left = replace(_recomputed(left, name, next(self.fresh)), unknown=left.unknown | {name})
        mine, theirs = dict(left.values), dict(right.values)
        for name in sorted(shared):
            here = name in left.bound or mine.get(name) is not None
            there = name in right.bound or theirs.get(name) is not None
            is_null = (not here and name in mine) or (not there and name in theirs)
            if is_null and here != there and self.profile == "paper2015":
                return None
            if mine.get(name) is not None and theirs.get(name) not in (None, mine[name]):
                return None
        bound, calculated = left.bound | right.bound, left.calculated | right.calculated
        values = {name: mine.get(name) or theirs.get(name) for name in sorted(mine.keys() | theirs)}
        # If one side leaves a variable unbound, the variable has the value of the other side.
        terms = tuple((n, v) for n, v in values.items() if v is not None or n not in bound | calculated)
        tests = (*left.requirements, *right.requirements, *requirements)
        unknown = left.unknown | right.unknown
        if unknown & shared:
            loose, vague = (why or "an aggregate that is joined" for why in (loose, vague))
        computed = tuple(dict.fromkeys((*left.computed, *right.computed)))
        edges, absent = (*left.edges, *right.edges), (*left.absent, *right.absent)
        return Disjunct(edges, terms, computed, tests, loose, unknown, absent, vague)

    def counted(self, ways: Iterable[Disjunct]) -> list[Disjunct]:
        kept: list[Disjunct] = []
        for disjunct in ways:
            kept.append(disjunct)
            if len(kept) > MOST:
                raise UncountedError(f"the query has more than {MOST} disjuncts")
        return kept


_PLAIN: Final = (
    algebra.Bgp | algebra.StreamBlock | algebra.Join | algebra.Union | algebra.Filter | algebra.Graph
)


def _is_unset(disjunct: Disjunct, name: Variable) -> bool:
    """Return whether a variable is unbound in each match of a disjunct."""
    return name not in disjunct.fixed | disjunct.calculated | disjunct.unknown


def _may_be_unset(disjunct: Disjunct, name: Variable) -> bool:
    """Return whether a variable may be unbound in some match, for example after an error in its BIND."""
    how = dict(disjunct.computed).get(name)
    sure = isinstance(how, Iri | Literal) or how in disjunct.fixed
    return name not in disjunct.fixed and not sure


def _in_graph(disjunct: Disjunct, inside: Term, name: Term) -> Disjunct:
    """Return the disjunct with the name of its graph in place of the variable `inside`."""
    if not (isinstance(inside, Variable) and isinstance(name, Variable)):
        return disjunct
    if name in disjunct.calculated | disjunct.unknown:
        return _loose(disjunct, "a computed name of a graph")
    values = tuple((each, term) for each, term in disjunct.values if each != name or term is not None)
    return _with_names(replace(disjunct, values=values), {inside: name})


def _without(way: Disjunct, known: Disjunct) -> Disjunct:
    """Return `way` without the conditions and absent patterns (such as MINUS) that `known` also contains."""
    return replace(
        way,
        requirements=tuple(test for test in way.requirements if test not in known.requirements),
        absent=tuple(each for each in way.absent if each not in known.absent),
    )


def _with_names(disjunct: Disjunct, names: Mapping[Variable, Variable]) -> Disjunct:
    def way(absent: Absence) -> Absence:
        ways, own = absent
        return (
            tuple(_with_names(each, names) for each in ways),
            frozenset(names.get(name, name) for name in own),
        )

    return replace(
        disjunct,
        edges=tuple(edge.put(names) for edge in disjunct.edges),
        values=tuple((names.get(name, name), term) for name, term in disjunct.values),
        computed=tuple((names.get(name, name), put_terms(how, names)) for name, how in disjunct.computed),
        requirements=tuple(put_in_test(test, names) for test in disjunct.requirements),
        unknown=frozenset(names.get(name, name) for name in disjunct.unknown),
        absent=tuple(map(way, disjunct.absent)),
    )


def _loose(disjunct: Disjunct, why: str) -> Disjunct:
    return replace(disjunct, loose=disjunct.loose or why, vague=disjunct.vague or why)


def _lacking(disjunct: Disjunct, why: str, absent: Absence | None) -> Disjunct:
    """Return the disjunct with further patterns that must not match, such as the right side of MINUS.

    `why` is the name of the construct. If `absent` is None, the disjunct records only this name, as a reason
    why its matches need not be solutions.
    """
    if absent is None:
        return _loose(disjunct, f"{why} over values that are computed")
    return replace(disjunct, loose=disjunct.loose or why, absent=(*disjunct.absent, absent))


def _unknown(disjunct: Disjunct, why: str, names: tuple[Variable, ...]) -> Disjunct:
    return replace(_loose(disjunct, why), unknown=disjunct.unknown.union(names))


def _in_scope(
    disjunct: Disjunct, expression: Expression, outer: frozenset[Variable] = frozenset()
) -> Expression:
    """Return an expression, with null in place of variables that are never bound."""
    known = disjunct.possible | outer
    term: Expression = put_terms(expression, dict.fromkeys(named_in(expression) - known, NULL))
    return term


def _extended(disjunct: Disjunct, name: Variable, expression: Expression) -> Disjunct:
    if named_in(expression) & disjunct.unknown:
        return _unknown(disjunct, "an aggregate", (name,))
    scoped = _in_scope(disjunct, expression)
    if scoped == NULL:
        # The expression is always unbound, so the variable is unbound like one of another UNION branch.
        return _padded(disjunct, frozenset((name,)))
    return replace(disjunct, computed=(*disjunct.computed, (name, scoped)))


def _padded(disjunct: Disjunct, names: frozenset[Variable]) -> Disjunct:
    missing = tuple((name, None) for name in sorted(names - disjunct.variables - disjunct.unknown))
    return replace(disjunct, values=(*disjunct.values, *missing))


def _recomputed(disjunct: Disjunct, name: Variable, own: Variable) -> Disjunct:
    names = {name: own}
    computed = tuple((names.get(v, v), put_terms(e, names)) for v, e in disjunct.computed)
    requirements = tuple(put_in_test(test, names) for test in disjunct.requirements)
    again = replace(disjunct, computed=computed, requirements=requirements)
    return _loose(again, "MINUS or OPTIONAL over values that are computed") if disjunct.absent else again


def _with(disjunct: Disjunct, case: tuple[Test, ...], outer: frozenset[Variable]) -> Disjunct:
    # Without the conditions on aggregates, the other conditions are necessary but not sufficient.
    known = [test for test in case if not named_in(test.expression) & disjunct.unknown]
    tests = (replace(test, expression=_in_scope(disjunct, test.expression, outer)) for test in known)
    tested = replace(disjunct, requirements=(*disjunct.requirements, *tests))
    return tested if len(known) == len(case) else _loose(tested, "EXISTS or an aggregate")


def _all_cases(condition: Expression, *, value: bool) -> list[tuple[Test, ...]]:
    cases = list(islice(_cases(condition, value=value), _MOST_CASES + 1))
    if len(cases) > _MOST_CASES:
        raise UncountedError(
            f"a condition of the query can become true or false in more than {_MOST_CASES} ways"
        )
    return cases


def _cases(condition: Expression, *, value: bool) -> Iterator[tuple[Test, ...]]:
    """Yield lists of simpler conditions; `condition` has the truth value `value` if one list holds.

    Negations are moved inside && and ||. A disjunction gives separate lists for its left and its right side.
    """
    match condition:
        case Call("!", (inner,)):
            yield from _cases(inner, value=not value)
        case Call("&&" | "||" as operator, sides) if (operator == "&&") is value:
            for chosen in product(*(_all_cases(side, value=value) for side in sides)):
                yield tuple(test for case in chosen for test in case)
        case Call("&&" | "||", sides):
            for side in sides:
                yield from _cases(side, value=value)
        case Call("IN", (needle, *options)) if value and options:
            for option in options:
                yield (Test(Call("=", (needle, option))),)
        case _:
            yield (Test(condition, value),)


def unbound(disjunct: Disjunct) -> dict[Variable, Constant]:
    """Return null for each variable that conditions or expressions of a disjunct use, but no match binds."""
    mentioned = frozenset[Variable]().union(
        *(named_in(test.expression) for test in disjunct.requirements),
        *(named_in(e) for _, e in disjunct.computed),
    )
    nulls = {name: NULL for name, term in disjunct.values if term is None}
    return {**dict.fromkeys(mentioned - disjunct.variables, NULL), **nulls}
