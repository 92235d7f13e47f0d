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
        return triples.union(*map(_named, self.edges))

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


def _named(edge: Edge) -> frozenset[Variable]:
    match edge.where:
        case Reading(Variable() as name, _) | GraphSource(Variable() as name):
            return frozenset((name,))
        case _:
            return frozenset()


class UncountedError(LarsError):
    """The pattern has more disjuncts than are looked at."""


def disjuncts(pattern: Pattern, profile: Profile, *, exclusive: bool = False) -> tuple[Disjunct, ...]:
    """Return disjuncts such that each solution of the pattern comes from one of them.

    Of a monotone pattern they are exact: each match of one is a solution. Where sources are `exclusive`
    a cautious block is its stream's part: the other part matches nothing. A path of any length is one
    step of it, which is neither. Raises UncountedError for more than MOST.
    """
    fresh = fresh_variables(pattern, "v")
    return tuple(_Reader(profile, fresh, exclusive=exclusive).read(without_paths(pattern), GraphSource()))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads patterns; `outer` are the variables of the solution that an EXISTS is tested in."""

    profile: Profile
    fresh: Iterator[Variable]
    outer: frozenset[Variable] = frozenset()
    exclusive: bool = False

    def read(self, pattern: Pattern, where: Where) -> list[Disjunct]:
        match pattern:
            case algebra.Bgp(triples):
                return [Disjunct(tuple(Edge(triple, where) for triple in triples))]
            case algebra.StreamBlock(stream, window, inner):
                found, here = self.read(inner, Reading(stream, window)), Reading(stream, window)
                return [self.somewhere(one, here) for one in found] if isinstance(stream, Variable) else found
            case algebra.Union(algebra.StreamBlock() as block, part) if self._is_cautious(block, part):
                return self.read(block, where)
            case algebra.PathPattern(subject, RepeatedPath(inner, _), object_):
                once = without_paths(algebra.PathPattern(subject, inner, object_))
                return [_loose(one, "a path of any length") for one in self.read(once, where)]
            case algebra.PathPattern(subject, _, object_):
                step = TriplePattern(subject, next(self.fresh), object_)
                return [_loose(Disjunct((Edge(step, where),)), "a negated path")]
            case algebra.Join(left, right):
                return self.joined(left, right, where)
            case algebra.Union(left, right):
                return self.counted(
                    _padded(one, variables(pattern))
                    for side in (left, right)
                    for one in self.read(side, where)
                )
            case algebra.Minus(left, right):
                found, shared = self.read(left, where), variables(left) & variables(right)
                try:
                    removing = self.read(right, where)
                except UncountedError:
                    return [_loose(one, "MINUS") for one in found]
                return [self.kept(one, removing, shared) for one in found]
            case algebra.LeftJoin(left, right, _, _):
                extending = self.read(right, where)
                shared = variables(left) & variables(right)
                found = self.read(left, where)
                pairs = [(one, self.extended(one, extending, pattern, where)) for one in found]
                alone = (
                    _lacking(_padded(one, variables(pattern)), "OPTIONAL", self.absent(one, ways))
                    for one, ways in pairs
                )
                # A match of both sides is a solution; one of the left alone need not be.
                return self.counted((*alone, *(way for _, ways in pairs for way in ways)))
            case algebra.Filter(inner, condition, exists):
                return self.filtered(self.read(inner, where), condition, exists, where)
            case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
                return [self.somewhere(one, GraphSource(name)) for one in self.read(inner, GraphSource(name))]
            case algebra.Extend(inner, variable, expression, exists):
                found = self.read(inner, where)
                if exists:
                    return [_unknown(one, "EXISTS in BIND", (variable,)) for one in found]
                return [_extended(one, variable, expression) for one in found]
            case algebra.Values(names, rows):
                return self.counted(Disjunct(values=tuple(zip(names, row, strict=True))) for row in rows)
            case algebra.Group(inner, keys, aggregates):
                names = tuple(name for name, _ in aggregates)
                found = [_unknown(one, "an aggregate", names) for one in self.read(inner, where)]
                nothing = _unknown(Disjunct(), "an aggregate of nothing", names)
                return found if keys else [*found, nothing]
            case algebra.Select():
                return self.projected(pattern, where)
            case _:
                assert_never(pattern)

    def somewhere(self, one: Disjunct, where: Where) -> Disjunct:
        """Return a disjunct in a graph that has to be there: one is that has a triple."""
        if any(edge.where == where for edge in one.edges):
            return one
        subject, predicate, object_ = (next(self.fresh) for _ in range(3))
        return replace(one, edges=(*one.edges, Edge(TriplePattern(subject, predicate, object_), where)))

    def _is_cautious(self, block: algebra.StreamBlock, part: Pattern) -> bool:
        return self.exclusive and block.pattern == part

    def projected(self, select: algebra.Select, where: Where) -> list[Disjunct]:
        hidden = occurring_variables(select.pattern) - frozenset(select.result)
        inner = rename(select.pattern, {name: next(self.fresh) for name in sorted(hidden)})
        found = self.read(inner, where)
        if select.modifiers.slices:
            found = [_loose(one, "LIMIT or OFFSET") for one in found]
        return [_padded(one, frozenset(select.result)) for one in found]

    def extended(
        self, one: Disjunct, found: Sequence[Disjunct], pattern: algebra.LeftJoin, where: Where
    ) -> list[Disjunct]:
        """Return the ways in which OPTIONAL extends a disjunct of its left side."""
        shared = variables(pattern.left) & variables(pattern.right)
        both = [each for other in found if (each := self.both(one, other, shared)) is not None]
        if pattern.condition is None:
            return self.counted(both)
        return self.filtered(both, pattern.condition, pattern.exists, where)

    def kept(self, one: Disjunct, removing: Sequence[Disjunct], shared: frozenset[Variable]) -> Disjunct:
        """Return a disjunct of the left side of MINUS, beside which nothing that removes it matches."""
        pairs = ((other, self.both(one, other, shared)) for other in removing)
        # In SPARQL 1.1 what shares no bound variable removes nothing.
        ways = [
            way
            for other, way in pairs
            if way is not None
            and (self.profile is Profile.PAPER2015 or shared & _fixed(one) & _fixed(other) or other.computed)
        ]
        return _lacking(one, "MINUS", self.absent(one, ways))

    def absent(self, one: Disjunct, ways: Iterable[Disjunct]) -> Absence | None:
        """Return that none of the ways matches beside a disjunct, None where values are computed."""
        names = _fixed(one).union(name for name, _ in one.computed)
        known = frozenset(one.computed)
        # What holds of the disjunct anyway is left out.
        own = (
            replace(
                way,
                requirements=tuple(test for test in way.requirements if test not in one.requirements),
                absent=tuple(each for each in way.absent if each not in one.absent),
            )
            for way in ways
        )
        found = tuple(self.apart(way, names) for way in own)
        plain = all(known <= frozenset(way.computed) and not way.unknown for way in found)
        return Absence(found, names) if plain else None

    def apart(self, one: Disjunct, names: frozenset[Variable]) -> Disjunct:
        """Return the disjunct with new names for all other variables."""
        known = one.bound.union(name for name, _ in (*one.values, *one.computed))
        return _with_names(one, {name: next(self.fresh) for name in sorted(known - names)})

    def filtered(
        self,
        found: Iterable[Disjunct],
        condition: Expression,
        exists: tuple[algebra.Exists, ...],
        where: Where,
    ) -> list[Disjunct]:
        tests = {test.variable: test.pattern for test in exists}
        cases = list(_cases(condition, value=True))
        return self.counted(
            each for one in found for case in cases for each in self.tested(one, case, tests, where)
        )

    def tested(
        self, one: Disjunct, case: tuple[Requirement, ...], tests: Mapping[Variable, Pattern], where: Where
    ) -> list[Disjunct]:
        """Return the ways in which the conditions of a case hold beside a disjunct."""
        plain = tuple(test for test in case if not named_in(test.expression) & tests.keys())
        ways = [_with(one, plain, self.outer)]
        for test in case:
            if test in plain:
                continue
            tried = tests.get(test.expression) if isinstance(test.expression, Variable) else None
            found = None if tried is None else self.beside(one, tried, where)
            if found is None:
                ways = [_loose(each, "EXISTS of more than patterns and conditions") for each in ways]
                continue
            shared = frozenset() if tried is None else variables(tried) & _fixed(one)
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

    def beside(self, one: Disjunct, tried: Pattern, where: Where) -> list[Disjunct] | None:
        """Return the disjuncts of EXISTS in a match of another one, None where they do not tell it.

        What is bound there has its value, in conditions too; other variables are its own.
        """
        computed = frozenset(name for name, _ in one.computed)
        if not all(isinstance(part, _PLAIN) for part in parts(tried)) or variables(tried) & computed:
            return None
        names = _fixed(one) | computed
        found = replace(self, outer=self.outer | names).read(tried, where)
        set_ = (replace(each, values=tuple(pair for pair in each.values if pair[1])) for each in found)
        return [self.apart(each, names) for each in set_]

    def joined(self, left: Pattern, right: Pattern, where: Where) -> list[Disjunct]:
        pairs = product(self.read(left, where), self.read(right, where))
        shared = variables(left) & variables(right)
        return self.counted(one for pair in pairs if (one := self.both(*pair, shared)) is not None)

    def both(self, left: Disjunct, right: Disjunct, shared: frozenset[Variable]) -> Disjunct | None:
        """Return the join of two disjuncts, None where they are never compatible."""
        loose, vague = left.loose or right.loose, left.vague or right.vague
        wanted: list[Requirement] = []
        for name in sorted(shared):
            if any(name in dict(side.computed) for side in (left, right)):
                # A computed value that something else binds too has to be the same one.
                own, later = next(self.fresh), name in dict(right.computed)
                changed = _recomputed(right if later else left, name, own)
                left, right = (left, changed) if later else (changed, right)
                wanted.append(Requirement(Call("SAMETERM", (own, name))))
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
        given = tuple((n, v) for n, v in values.items() if v is not None or n not in bound)
        tests = (*left.requirements, *right.requirements, *wanted)
        unknown = left.unknown | right.unknown
        if unknown & shared:
            loose, vague = (why or "an aggregate that is joined" for why in (loose, vague))
        computed = tuple(dict.fromkeys((*left.computed, *right.computed)))
        absent = (*left.absent, *right.absent)
        return Disjunct(
            edges=(*left.edges, *right.edges),
            values=given,
            computed=computed,
            requirements=tests,
            loose=loose,
            unknown=unknown,
            absent=absent,
            vague=vague,
        )

    def counted(self, found: Iterable[Disjunct]) -> list[Disjunct]:
        kept: list[Disjunct] = []
        for one in found:
            kept.append(one)
            if len(kept) > MOST:
                raise UncountedError(f"the query has more than {MOST} disjuncts")
        return kept


_PLAIN: Final = (
    algebra.Bgp | algebra.StreamBlock | algebra.Join | algebra.Union | algebra.Filter | algebra.Graph
)


def _fixed(one: Disjunct) -> frozenset[Variable]:
    """Return the variables that each match of a disjunct binds."""
    return one.bound.union(name for name, term in one.values if term is not None)


def _with_names(one: Disjunct, names: Mapping[Variable, Variable]) -> Disjunct:
    def way(absent: Absence) -> Absence:
        return Absence(
            tuple(_with_names(each, names) for each in absent.ways),
            frozenset(names.get(name, name) for name in absent.names),
        )

    return replace(
        one,
        edges=tuple(edge_under(edge, names) for edge in one.edges),
        values=tuple((names.get(name, name), term) for name, term in one.values),
        computed=tuple((names.get(name, name), put_terms(how, names)) for name, how in one.computed),
        requirements=tuple(
            replace(test, expression=put_terms(test.expression, names)) for test in one.requirements
        ),
        unknown=frozenset(names.get(name, name) for name in one.unknown),
        absent=tuple(map(way, one.absent)),
    )


def _loose(one: Disjunct, why: str) -> Disjunct:
    return replace(one, loose=one.loose or why, vague=one.vague or why)


def _lacking(one: Disjunct, why: str, absent: Absence | None) -> Disjunct:
    """Return the disjunct that is no solution where something matches beside it."""
    if absent is None:
        return _loose(one, f"{why} over values that are computed")
    return replace(one, loose=one.loose or why, absent=(*one.absent, absent))


def _unknown(one: Disjunct, why: str, names: tuple[Variable, ...]) -> Disjunct:
    return replace(_loose(one, why), unknown=one.unknown.union(names))


def _in_scope(one: Disjunct, expression: Expression, outer: frozenset[Variable] = frozenset()) -> Expression:
    """Return an expression with null for what is unbound here, though it may be bound outside."""
    known = _fixed(one).union(outer, one.unknown, (name for name, _ in one.computed))
    found: Expression = put_terms(expression, dict.fromkeys(named_in(expression) - known, NULL))
    return found


def _extended(one: Disjunct, name: Variable, expression: Expression) -> Disjunct:
    if named_in(expression) & one.unknown:
        return _unknown(one, "an aggregate", (name,))
    scoped = _in_scope(one, expression)
    if scoped == NULL:
        # Nothing is computed: the variable is unbound, as one of another branch is.
        return _padded(one, frozenset((name,)))
    return replace(one, computed=(*one.computed, (name, scoped)))


def _padded(one: Disjunct, names: frozenset[Variable]) -> Disjunct:
    known = one.bound.union(one.unknown, (name for name, _ in (*one.values, *one.computed)))
    missing = tuple((name, None) for name in sorted(names - known))
    return replace(one, values=(*one.values, *missing))


def _recomputed(one: Disjunct, name: Variable, own: Variable) -> Disjunct:
    names = {name: own}
    computed = tuple((names.get(v, v), put_terms(e, names)) for v, e in one.computed)
    wanted = tuple(replace(test, expression=put_terms(test.expression, names)) for test in one.requirements)
    found = replace(one, computed=computed, requirements=wanted)
    return _loose(found, "MINUS or OPTIONAL over values that are computed") if one.absent else found


def _with(one: Disjunct, case: tuple[Requirement, ...], outer: frozenset[Variable]) -> Disjunct:
    # What aggregates say is left out: then it is only necessary that the rest holds.
    kept = tuple(test for test in case if not named_in(test.expression) & one.unknown)
    tests = tuple(replace(test, expression=_in_scope(one, test.expression, outer)) for test in kept)
    found = replace(one, requirements=(*one.requirements, *tests))
    return found if len(kept) == len(case) else _loose(found, "EXISTS or an aggregate")


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


def unbound(one: Disjunct) -> dict[Variable, Constant]:
    """Return null for each variable of the conditions that the disjunct leaves unbound."""
    known = one.bound.union(name for name, _ in (*one.values, *one.computed))
    mentioned = frozenset[Variable]().union(
        *(named_in(test.expression) for test in one.requirements), *(named_in(e) for _, e in one.computed)
    )
    nulls = {name: NULL for name, term in one.values if term is None}
    return {**dict.fromkeys(mentioned - known, NULL), **nulls}
