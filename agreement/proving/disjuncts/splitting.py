"""A pattern as a union of disjuncts: what has to be matched, where, and which conditions have to hold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, assert_never

from agreement.proving.disjuncts.representatives import PositionedTerm, positioned_terms
from lars.errors import LarsError
from lars.language.formulas import Call, Expression
from lars.language.program import put_terms
from lars.language.program import variables as named_in
from lars.language.terms import DEFAULT, NULL, Constant, Iri, Symbol, Term, Variable
from translate.analysis import fresh_variables, occurring_variables, parts, rename, without_paths
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, RepeatedPath, TriplePattern, variables
from translate.model.query import Profile
from translate.model.windows import WindowExpression

MOST: Final = 512
"""Disjuncts of one query: more are not looked at."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Where a triple pattern is matched: in a window of a stream."""

    stream: Iri | Variable
    window: WindowExpression

    def __str__(self) -> str:
        return f"{self.window} of {self.stream}"


@dataclass(frozen=True, slots=True)
class GraphSource:
    """Where a triple pattern is matched: in a graph of the static data."""

    graph: Iri | Symbol | Variable = DEFAULT

    def __str__(self) -> str:
        return "the static data" if self.graph == DEFAULT else f"the static graph {self.graph}"


Where = Reading | GraphSource


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple pattern and where it is matched."""

    triple: TriplePattern
    where: Where

    @property
    def reading(self) -> Reading:
        """Where it is matched, of an edge that is known to be matched in a window."""
        assert isinstance(self.where, Reading)
        return self.where

    @property
    def placed(self) -> tuple[PositionedTerm, ...]:
        """Its terms with their positions, and the name of its graph or stream."""
        name = self.where.stream if isinstance(self.where, Reading) else self.where.graph
        return positioned_terms(self.triple.terms, name)


def edge_under(edge: Edge, names: Mapping[Variable, Term]) -> Edge:
    """Return an edge with terms for its variables, that of its graph or stream too; others stay."""

    # A name may become what none can be: that is found misplaced, as in triples.
    def put(term: Term) -> Any:
        return names.get(term, term) if isinstance(term, Variable) else term

    subject, predicate, object_ = map(put, edge.triple.terms)
    triple = TriplePattern(subject, predicate, object_)
    match edge.where:
        case Reading(stream, window):
            return Edge(triple, Reading(put(stream), window))
        case GraphSource(graph):
            return Edge(triple, GraphSource(put(graph)))
        case _:
            assert_never(edge.where)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition that is to be `value`, without error."""

    expression: Expression
    value: bool = True


@dataclass(frozen=True, slots=True)
class Disjunct:
    """One way to a solution: edges that match, variables with given values, computed ones, conditions.

    `values` None is unbound; of `unknown` variables nothing is known, and conditions on them are left
    out. A match is a solution if nothing matches that is to be `absent`; unless `vague` says what else
    is left out: what aggregates, paths .. say beside. `loose` says why it is only necessary for a
    solution, not sufficient: because of either, or EXISTS; "" where it is exact.
    """

    edges: tuple[Edge, ...] = ()
    values: tuple[tuple[Variable, Constant | None], ...] = ()
    computed: tuple[tuple[Variable, Expression], ...] = ()
    requirements: tuple[Requirement, ...] = ()
    loose: str = ""
    unknown: frozenset[Variable] = frozenset()
    absent: tuple["Absence", ...] = ()
    vague: str = ""

    @property
    def bound(self) -> frozenset[Variable]:
        """The variables that an edge binds."""
        triples = frozenset().union(*(named_in(term) for edge in self.edges for term in edge.triple.terms))
        return triples.union(*map(_variables_of, self.edges))

    @property
    def readings(self) -> tuple[Edge, ...]:
        """The edges that a stream has to match."""
        return tuple(edge for edge in self.edges if isinstance(edge.where, Reading))

    @property
    def stored(self) -> tuple[Edge, ...]:
        """The edges that static data have to match."""
        return tuple(edge for edge in self.edges if isinstance(edge.where, GraphSource))


@dataclass(frozen=True, slots=True)
class Absence:
    """What must not match beside a disjunct: none of `ways`; `names` are those of the disjunct."""

    ways: tuple[Disjunct, ...]
    names: frozenset[Variable]


def _variables_of(edge: Edge) -> frozenset[Variable]:
    match edge.where:
        case Reading(Variable() as name, _) | GraphSource(Variable() as name):
            return frozenset((name,))
        case _:
            return frozenset()


class UncountedError(LarsError):
    """The pattern has more disjuncts than are looked at."""


def disjuncts(pattern: Pattern, profile: Profile) -> tuple[Disjunct, ...]:
    """Return disjuncts such that each solution of the pattern comes from one of them.

    Of a monotone pattern they are exact: each match of one is a solution. A path of any length is one
    step of it, which is neither. Raises UncountedError for more than MOST.
    """
    fresh = fresh_variables(pattern, "v")
    return tuple(_Reader(profile, fresh).read(without_paths(pattern), GraphSource()))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads patterns; `outer` are the variables of the solution that an EXISTS is tested in."""

    profile: Profile
    fresh: Iterator[Variable]
    outer: frozenset[Variable] = frozenset()

    def read(self, pattern: Pattern, where: Where) -> list[Disjunct]:
        match pattern:
            case algebra.Bgp(triples):
                return [Disjunct(tuple(Edge(triple, where) for triple in triples))]
            case algebra.StreamBlock(stream, window, inner):
                found, here = self.read(inner, Reading(stream, window)), Reading(stream, window)
                return (
                    [self.somewhere(disjunct, here) for disjunct in found]
                    if isinstance(stream, Variable)
                    else found
                )
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
                return [self.kept(disjunct, removing, shared) for disjunct in found]
            case algebra.LeftJoin(left, right, _, _):
                extending = self.read(right, where)
                shared = variables(left) & variables(right)
                found = self.read(left, where)
                pairs = [(disjunct, self.extended(disjunct, extending, pattern, where)) for disjunct in found]
                alone = (
                    _lacking(_padded(disjunct, variables(pattern)), "OPTIONAL", self.absent(disjunct, ways))
                    for disjunct, ways in pairs
                )
                # A match of both sides is a solution; one of the left alone need not be.
                return self.counted((*alone, *(way for _, ways in pairs for way in ways)))
            case algebra.Filter(inner, condition, exists):
                return self.filtered(self.read(inner, where), condition, exists, where)
            case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
                return [
                    self.somewhere(disjunct, GraphSource(name))
                    for disjunct in self.read(inner, GraphSource(name))
                ]
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
                return found if keys else [*found, nothing]
            case algebra.Select():
                return self.projected(pattern, where)
            case _:
                assert_never(pattern)

    def somewhere(self, disjunct: Disjunct, where: Where) -> Disjunct:
        """Return a disjunct in a graph that has to be there: one is that has a triple."""
        if any(edge.where == where for edge in disjunct.edges):
            return disjunct
        subject, predicate, object_ = (next(self.fresh) for _ in range(3))
        return replace(
            disjunct, edges=(*disjunct.edges, Edge(TriplePattern(subject, predicate, object_), where))
        )

    def projected(self, select: algebra.Select, where: Where) -> list[Disjunct]:
        hidden = occurring_variables(select.pattern) - frozenset(select.result)
        inner = rename(select.pattern, {name: next(self.fresh) for name in sorted(hidden)})
        ways = self.read(inner, where)
        if select.modifiers.slices:
            ways = [_loose(disjunct, "LIMIT or OFFSET") for disjunct in ways]
        return [_padded(disjunct, frozenset(select.result)) for disjunct in ways]

    def extended(
        self, disjunct: Disjunct, ways: Sequence[Disjunct], pattern: algebra.LeftJoin, where: Where
    ) -> list[Disjunct]:
        """Return the ways in which OPTIONAL extends a disjunct of its left side."""
        shared = variables(pattern.left) & variables(pattern.right)
        both = [each for other in ways if (each := self.both(disjunct, other, shared)) is not None]
        if pattern.condition is None:
            return self.counted(both)
        return self.filtered(both, pattern.condition, pattern.exists, where)

    def kept(self, disjunct: Disjunct, removing: Sequence[Disjunct], shared: frozenset[Variable]) -> Disjunct:
        """Return a disjunct of the left side of MINUS, beside which nothing that removes it matches."""
        pairs = ((other, self.both(disjunct, other, shared)) for other in removing)
        # In SPARQL 1.1 what shares no bound variable removes nothing.
        ways = [
            way
            for other, way in pairs
            if way is not None
            and (
                self.profile is Profile.PAPER2015
                or shared & _fixed(disjunct) & _fixed(other)
                or other.computed
            )
        ]
        return _lacking(disjunct, "MINUS", self.absent(disjunct, ways))

    def absent(self, disjunct: Disjunct, ways: Iterable[Disjunct]) -> Absence | None:
        """Return that none of the ways matches beside a disjunct, None where values are computed."""
        names = _fixed(disjunct).union(name for name, _ in disjunct.computed)
        known = frozenset(disjunct.computed)
        # What holds of the disjunct anyway is left out.
        own = (
            replace(
                way,
                requirements=tuple(test for test in way.requirements if test not in disjunct.requirements),
                absent=tuple(each for each in way.absent if each not in disjunct.absent),
            )
            for way in ways
        )
        found = tuple(self.apart(way, names) for way in own)
        plain = all(known <= frozenset(way.computed) and not way.unknown for way in found)
        return Absence(found, names) if plain else None

    def apart(self, disjunct: Disjunct, names: frozenset[Variable]) -> Disjunct:
        """Return the disjunct with new names for all other variables."""
        known = disjunct.bound.union(name for name, _ in (*disjunct.values, *disjunct.computed))
        return _with_names(disjunct, {name: next(self.fresh) for name in sorted(known - names)})

    def filtered(
        self,
        ways: Iterable[Disjunct],
        condition: Expression,
        exists: tuple[algebra.Exists, ...],
        where: Where,
    ) -> list[Disjunct]:
        tests = {test.variable: test.pattern for test in exists}
        cases = list(_cases(condition, value=True))
        return self.counted(
            each for disjunct in ways for case in cases for each in self.tested(disjunct, case, tests, where)
        )

    def tested(
        self,
        disjunct: Disjunct,
        case: tuple[Requirement, ...],
        tests: Mapping[Variable, Pattern],
        where: Where,
    ) -> list[Disjunct]:
        """Return the ways in which the conditions of a case hold beside a disjunct."""
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
            shared = frozenset() if tried is None else variables(tried) & _fixed(disjunct)
            pairs = [[self.both(each, other, shared) for other in found] for each in ways]
            joined = [list(filter(None, some)) for some in pairs]
            if test.value:
                ways = [replace(way, loose=way.loose or "EXISTS") for some in joined for way in some]
            else:
                ways = [
                    _lacking(each, "NOT EXISTS", self.absent(each, some))
                    for each, some in zip(ways, joined, strict=True)
                ]
        return ways

    def beside(self, disjunct: Disjunct, tried: Pattern, where: Where) -> list[Disjunct] | None:
        """Return the disjuncts of EXISTS in a match of another one, None where they do not tell it.

        What is bound there has its value, in conditions too; other variables are its own.
        """
        computed = frozenset(name for name, _ in disjunct.computed)
        if not all(isinstance(part, _PLAIN) for part in parts(tried)) or variables(tried) & computed:
            return None
        names = _fixed(disjunct) | computed
        ways = replace(self, outer=self.outer | names).read(tried, where)
        set_ = (replace(each, values=tuple(pair for pair in each.values if pair[1])) for each in ways)
        return [self.apart(each, names) for each in set_]

    def joined(self, left: Pattern, right: Pattern, where: Where) -> list[Disjunct]:
        pairs = product(self.read(left, where), self.read(right, where))
        shared = variables(left) & variables(right)
        return self.counted(disjunct for pair in pairs if (disjunct := self.both(*pair, shared)) is not None)

    def both(self, left: Disjunct, right: Disjunct, shared: frozenset[Variable]) -> Disjunct | None:
        """Return the join of two disjuncts, None where they are never compatible."""
        loose, vague = left.loose or right.loose, left.vague or right.vague
        requirements: list[Requirement] = []
        for name in sorted(shared):
            if any(name in dict(side.computed) for side in (left, right)):
                # A computed value that something else binds too has to be the same one.
                own, later = next(self.fresh), name in dict(right.computed)
                changed = _recomputed(right if later else left, name, own)
                left, right = (left, changed) if later else (changed, right)
                requirements.append(Requirement(Call("SAMETERM", (own, name))))
                if self.profile is Profile.SPARQL11:
                    loose, vague = (why or "a computed variable that is joined" for why in (loose, vague))
        mine, theirs = dict(left.values), dict(right.values)
        for name in sorted(shared):
            here = name in left.bound or mine.get(name) is not None
            there = name in right.bound or theirs.get(name) is not None
            unset = (not here and name in mine) or (not there and name in theirs)
            if unset and here != there and self.profile is Profile.PAPER2015:
                return None
            if mine.get(name) is not None and theirs.get(name) not in (None, mine[name]):
                return None
        bound = left.bound | right.bound
        values = {name: mine.get(name) or theirs.get(name) for name in sorted(mine.keys() | theirs)}
        terms = tuple((n, v) for n, v in values.items() if v is not None or n not in bound)
        tests = (*left.requirements, *right.requirements, *requirements)
        unknown = left.unknown | right.unknown
        if unknown & shared:
            loose, vague = (why or "an aggregate that is joined" for why in (loose, vague))
        computed = tuple(dict.fromkeys((*left.computed, *right.computed)))
        absent = (*left.absent, *right.absent)
        return Disjunct(
            edges=(*left.edges, *right.edges),
            values=terms,
            computed=computed,
            requirements=tests,
            loose=loose,
            unknown=unknown,
            absent=absent,
            vague=vague,
        )

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


def _fixed(disjunct: Disjunct) -> frozenset[Variable]:
    """Return the variables that each match of a disjunct binds."""
    return disjunct.bound.union(name for name, term in disjunct.values if term is not None)


def _with_names(disjunct: Disjunct, names: Mapping[Variable, Variable]) -> Disjunct:
    def way(absent: Absence) -> Absence:
        return Absence(
            tuple(_with_names(each, names) for each in absent.ways),
            frozenset(names.get(name, name) for name in absent.names),
        )

    return replace(
        disjunct,
        edges=tuple(edge_under(edge, names) for edge in disjunct.edges),
        values=tuple((names.get(name, name), term) for name, term in disjunct.values),
        computed=tuple((names.get(name, name), put_terms(how, names)) for name, how in disjunct.computed),
        requirements=tuple(
            replace(test, expression=put_terms(test.expression, names)) for test in disjunct.requirements
        ),
        unknown=frozenset(names.get(name, name) for name in disjunct.unknown),
        absent=tuple(map(way, disjunct.absent)),
    )


def _loose(disjunct: Disjunct, why: str) -> Disjunct:
    return replace(disjunct, loose=disjunct.loose or why, vague=disjunct.vague or why)


def _lacking(disjunct: Disjunct, why: str, absent: Absence | None) -> Disjunct:
    """Return the disjunct that is no solution where something matches beside it."""
    if absent is None:
        return _loose(disjunct, f"{why} over values that are computed")
    return replace(disjunct, loose=disjunct.loose or why, absent=(*disjunct.absent, absent))


def _unknown(disjunct: Disjunct, why: str, names: tuple[Variable, ...]) -> Disjunct:
    return replace(_loose(disjunct, why), unknown=disjunct.unknown.union(names))


def _in_scope(
    disjunct: Disjunct, expression: Expression, outer: frozenset[Variable] = frozenset()
) -> Expression:
    """Return an expression with null for what is unbound here, though it may be bound outside."""
    known = _fixed(disjunct).union(outer, disjunct.unknown, (name for name, _ in disjunct.computed))
    term: Expression = put_terms(expression, dict.fromkeys(named_in(expression) - known, NULL))
    return term


def _extended(disjunct: Disjunct, name: Variable, expression: Expression) -> Disjunct:
    if named_in(expression) & disjunct.unknown:
        return _unknown(disjunct, "an aggregate", (name,))
    scoped = _in_scope(disjunct, expression)
    if scoped == NULL:
        # Nothing is computed: the variable is unbound, as one of another branch is.
        return _padded(disjunct, frozenset((name,)))
    return replace(disjunct, computed=(*disjunct.computed, (name, scoped)))


def _padded(disjunct: Disjunct, names: frozenset[Variable]) -> Disjunct:
    known = disjunct.bound.union(
        disjunct.unknown, (name for name, _ in (*disjunct.values, *disjunct.computed))
    )
    missing = tuple((name, None) for name in sorted(names - known))
    return replace(disjunct, values=(*disjunct.values, *missing))


def _recomputed(disjunct: Disjunct, name: Variable, own: Variable) -> Disjunct:
    names = {name: own}
    computed = tuple((names.get(v, v), put_terms(e, names)) for v, e in disjunct.computed)
    requirements = tuple(
        replace(test, expression=put_terms(test.expression, names)) for test in disjunct.requirements
    )
    disjunct_again = replace(disjunct, computed=computed, requirements=requirements)
    return (
        _loose(disjunct_again, "MINUS or OPTIONAL over values that are computed")
        if disjunct.absent
        else disjunct_again
    )


def _with(disjunct: Disjunct, case: tuple[Requirement, ...], outer: frozenset[Variable]) -> Disjunct:
    # What aggregates say is left out: then it is only necessary that the rest holds.
    requirements = tuple(test for test in case if not named_in(test.expression) & disjunct.unknown)
    tests = tuple(
        replace(test, expression=_in_scope(disjunct, test.expression, outer)) for test in requirements
    )
    disjunct_now = replace(disjunct, requirements=(*disjunct.requirements, *tests))
    return disjunct_now if len(requirements) == len(case) else _loose(disjunct_now, "EXISTS or an aggregate")


def _cases(condition: Expression, *, value: bool) -> Iterator[tuple[Requirement, ...]]:
    """Yield the ways in which a condition can be `value`: negations go inside, ∨ splits."""
    match condition:
        case Call("!", (inner,)):
            yield from _cases(inner, value=not value)
        case Call("&&" | "||" as operator, sides) if (operator == "&&") is value:
            for chosen in product(*(list(_cases(side, value=value)) for side in sides)):
                yield tuple(test for case in chosen for test in case)
        case Call("&&" | "||", sides):
            for side in sides:
                yield from _cases(side, value=value)
        case Call("IN", (needle, *options)) if value and options:
            for option in options:
                yield (Requirement(Call("=", (needle, option))),)
        case _:
            yield (Requirement(condition, value),)


def unbound(disjunct: Disjunct) -> dict[Variable, Constant]:
    """Return null for each variable of the conditions that the disjunct leaves unbound."""
    known = disjunct.bound.union(name for name, _ in (*disjunct.values, *disjunct.computed))
    mentioned = frozenset[Variable]().union(
        *(named_in(test.expression) for test in disjunct.requirements),
        *(named_in(e) for _, e in disjunct.computed),
    )
    nulls = {name: NULL for name, term in disjunct.values if term is None}
    return {**dict.fromkeys(mentioned - known, NULL), **nulls}
