"""A pattern as a union of disjuncts: what has to be matched, where, and which conditions have to hold."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, product
from typing import Any, Final, assert_never

from agreement.disjuncts.positions import Placed, placed
from lars.errors import LarsError
from lars.formulas import Call, Expression
from lars.program import variables as named_in
from lars.semantics import put_terms
from lars.terms import DEFAULT, NULL, Constant, Iri, Symbol, Term, Variable
from translate import patterns as algebra
from translate.analysis import occurring, renamed, without_paths
from translate.paths import Repeated
from translate.patterns import Pattern, TriplePattern, variables
from translate.query import Profile
from translate.windows import WindowExpression

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
class Stored:
    """Where a triple pattern is matched: in a graph of the static data."""

    graph: Iri | Symbol | Variable = DEFAULT

    def __str__(self) -> str:
        return "the static data" if self.graph == DEFAULT else f"the static graph {self.graph}"


Where = Reading | Stored


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple pattern and where it is matched."""

    triple: TriplePattern
    where: Where

    @property
    def placed(self) -> tuple[Placed, ...]:
        """Its terms with their positions, and the name of its graph or stream."""
        name = self.where.stream if isinstance(self.where, Reading) else self.where.graph
        return placed(self.triple.terms, name)


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
        case Stored(graph):
            return Edge(triple, Stored(put(graph)))
        case _:
            assert_never(edge.where)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A condition that is to be `value`, without error."""

    expression: Expression
    value: bool = True


@dataclass(frozen=True, slots=True)
class Disjunct:
    """One way to a solution: edges that match, variables with given values, computed ones, conditions.

    `given` None is unbound; of `unknown` variables nothing is known, and conditions on them are left
    out. A match is a solution if nothing matches that is to be `absent`; unless `unsure` says what
    else is left out: what aggregates, EXISTS .. say beside.
    """

    edges: tuple[Edge, ...] = ()
    given: tuple[tuple[Variable, Constant | None], ...] = ()
    computed: tuple[tuple[Variable, Expression], ...] = ()
    wanted: tuple[Wanted, ...] = ()
    unsure: str = ""
    unknown: frozenset[Variable] = frozenset()
    absent: tuple["Absence", ...] = ()

    @property
    def loose(self) -> str:
        """Why it is only necessary for a solution, not sufficient; "" where it is exact."""
        return self.unsure or next((one.word for one in self.absent), "")

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
        return tuple(edge for edge in self.edges if isinstance(edge.where, Stored))


def _named(edge: Edge) -> frozenset[Variable]:
    match edge.where:
        case Reading(Variable() as name, _) | Stored(Variable() as name):
            return frozenset((name,))
        case _:
            return frozenset()


@dataclass(frozen=True, slots=True)
class Absence:
    """What must not match beside a disjunct: the right side of MINUS or OPTIONAL, as ways to a match.

    Variables that the two share are those that the disjunct binds there; each match takes one of the ways.
    """

    word: str
    ways: tuple[Disjunct, ...]


class UncountedError(LarsError):
    """The pattern has more disjuncts than are looked at."""


def disjuncts(pattern: Pattern, profile: Profile) -> tuple[Disjunct, ...]:
    """Return disjuncts such that each solution of the pattern comes from one of them.

    Of a monotone pattern they are exact: each match of one is a solution. A cautious block is its
    stream's part: where sources are exclusive the other part matches nothing. A path of any length
    is one step of it, which is neither. Raises UncountedError for more than MOST.
    """
    taken = occurring(pattern)
    fresh = (name for number in count(1) if (name := Variable(f"v{number}")) not in taken)
    return tuple(_Reader(profile, fresh).read(without_paths(pattern, taken), Stored()))


@dataclass(frozen=True, slots=True)
class _Reader:
    profile: Profile
    fresh: Iterator[Variable]

    def read(self, pattern: Pattern, where: Where) -> list[Disjunct]:
        match pattern:
            case algebra.Bgp(triples):
                return [Disjunct(tuple(Edge(triple, where) for triple in triples))]
            case algebra.StreamBlock(stream, window, inner):
                return self.read(inner, Reading(stream, window))
            case algebra.Union(algebra.StreamBlock() as block, part) if block.pattern == part:
                return self.read(block, where)
            case algebra.PathPattern(subject, Repeated(inner, _), object_):
                once = without_paths(algebra.PathPattern(subject, inner, object_), frozenset())
                return [_loose(one, "a path of any length") for one in self.read(once, where)]
            case algebra.PathPattern(subject, _, object_):
                step = TriplePattern(subject, next(self.fresh), object_)
                return [Disjunct((Edge(step, where),), unsure="a negated path")]
            case algebra.Join(left, right):
                return self.joined(left, right, where)
            case algebra.Union(left, right):
                return self.counted(
                    _padded(one, variables(pattern))
                    for side in (left, right)
                    for one in self.read(side, where)
                )
            case algebra.Minus(left, _):
                return [self.without(one, pattern, where) for one in self.read(left, where)]
            case algebra.LeftJoin(left, right, condition, exists):
                both = self.joined(left, right, where)
                if condition is not None:
                    both = self.filtered(both, condition, exists)
                # A match of both sides is a solution; one of the left alone need not be.
                alone = (
                    _padded(self.without(one, pattern, where), variables(pattern))
                    for one in self.read(left, where)
                )
                return self.counted((*alone, *both))
            case algebra.Filter(inner, condition, exists):
                return self.filtered(self.read(inner, where), condition, exists)
            case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
                return self.read(inner, Stored(name))
            case algebra.Extend(inner, variable, expression, exists):
                found = self.read(inner, where)
                if exists:
                    return [_unknown(one, "EXISTS in BIND", (variable,)) for one in found]
                return [_extended(one, variable, expression) for one in found]
            case algebra.Values(names, rows):
                return self.counted(Disjunct(given=tuple(zip(names, row, strict=True))) for row in rows)
            case algebra.Group(inner, keys, aggregates):
                names = tuple(name for name, _ in aggregates)
                found = [_unknown(one, "an aggregate", names) for one in self.read(inner, where)]
                nothing = _unknown(Disjunct(), "an aggregate of nothing", names)
                return found if keys else [*found, nothing]
            case algebra.Select():
                return self.projected(pattern, where)
            case _:
                assert_never(pattern)

    def projected(self, select: algebra.Select, where: Where) -> list[Disjunct]:
        hidden = occurring(select.pattern) - frozenset(select.result)
        inner = renamed(select.pattern, {name: next(self.fresh) for name in sorted(hidden)})
        found = self.read(inner, where)
        if select.modifiers.slices:
            found = [_loose(one, "LIMIT or OFFSET") for one in found]
        return [_padded(one, frozenset(select.result)) for one in found]

    def filtered(
        self, found: Iterable[Disjunct], condition: Expression, exists: tuple[algebra.Exists, ...]
    ) -> list[Disjunct]:
        tested = frozenset(test.variable for test in exists)
        cases = list(_cases(condition, value=True))
        return self.counted(_with(one, case, tested) for one in found for case in cases)

    def without(self, one: Disjunct, beside: algebra.Minus | algebra.LeftJoin, where: Where) -> Disjunct:
        """Return a disjunct of the left side beside which the right side must have no match."""
        known = one.bound.union(name for name, term in one.given if term is not None)
        hidden = sorted(occurring(beside) - known)
        own = renamed(beside, {name: next(self.fresh) for name in hidden})
        assert isinstance(own, algebra.Minus | algebra.LeftJoin)
        word = "MINUS" if isinstance(own, algebra.Minus) else "OPTIONAL"
        try:
            ways = [_necessary(way, way.bound) for way in self.read(own.right, where)]
            if isinstance(own, algebra.LeftJoin) and own.condition is not None:
                found = self.filtered(ways, own.condition, own.exists)
                ways = [_necessary(way, way.bound | known) for way in found]
        except UncountedError:
            return _loose(one, word)
        return replace(one, absent=(*one.absent, Absence(word, tuple(ways))))

    def joined(self, left: Pattern, right: Pattern, where: Where) -> list[Disjunct]:
        pairs = product(self.read(left, where), self.read(right, where))
        shared = variables(left) & variables(right)
        return self.counted(one for pair in pairs if (one := self.both(*pair, shared)) is not None)

    def both(self, left: Disjunct, right: Disjunct, shared: frozenset[Variable]) -> Disjunct | None:
        """Return the join of two disjuncts, None where they are never compatible."""
        unsure = left.unsure or right.unsure
        wanted: list[Wanted] = []
        for name in sorted(shared):
            if any(name in dict(side.computed) for side in (left, right)):
                # A computed value that something else binds too has to be the same one.
                own, later = next(self.fresh), name in dict(right.computed)
                changed = _recomputed(right if later else left, name, own)
                left, right = (left, changed) if later else (changed, right)
                wanted.append(Wanted(Call("SAMETERM", (own, name))))
                if self.profile is Profile.SPARQL11:
                    unsure = unsure or "a computed variable that is joined"
        mine, theirs = dict(left.given), dict(right.given)
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
        tests = (*left.wanted, *right.wanted, *wanted)
        unknown = left.unknown | right.unknown
        if unknown & shared:
            unsure = unsure or "an aggregate that is joined"
        computed = (*left.computed, *right.computed)
        edges, absent = (*left.edges, *right.edges), (*left.absent, *right.absent)
        return Disjunct(edges, given, computed, tests, unsure, unknown, absent)

    def counted(self, found: Iterable[Disjunct]) -> list[Disjunct]:
        kept: list[Disjunct] = []
        for one in found:
            kept.append(one)
            if len(kept) > MOST:
                raise UncountedError(f"the query has more than {MOST} disjuncts")
        return kept


def _loose(one: Disjunct, why: str) -> Disjunct:
    return replace(one, unsure=one.unsure or why)


def _necessary(way: Disjunct, known: frozenset[Variable]) -> Disjunct:
    """Return what each match of a way has: its edges, and those conditions that are on `known` variables."""
    return Disjunct(way.edges, wanted=tuple(t for t in way.wanted if named_in(t.expression) <= known))


def _unknown(one: Disjunct, why: str, names: tuple[Variable, ...]) -> Disjunct:
    return replace(_loose(one, why), unknown=one.unknown.union(names))


def _in_scope(one: Disjunct, expression: Expression) -> Expression:
    """Return an expression with null for what is unbound here, though it may be bound outside."""
    known = one.bound.union(one.unknown, (name for name, _ in one.computed))
    known = known.union(name for name, term in one.given if term is not None)
    found: Expression = put_terms(expression, dict.fromkeys(named_in(expression) - known, NULL))
    return found


def _extended(one: Disjunct, name: Variable, expression: Expression) -> Disjunct:
    if named_in(expression) & one.unknown:
        return _unknown(one, "an aggregate", (name,))
    return replace(one, computed=(*one.computed, (name, _in_scope(one, expression))))


def _padded(one: Disjunct, names: frozenset[Variable]) -> Disjunct:
    known = one.bound.union(one.unknown, (name for name, _ in (*one.given, *one.computed)))
    missing = tuple((name, None) for name in sorted(names - known))
    return replace(one, given=(*one.given, *missing))


def _recomputed(one: Disjunct, name: Variable, own: Variable) -> Disjunct:
    names = {name: own}
    computed = tuple((names.get(v, v), put_terms(e, names)) for v, e in one.computed)
    wanted = tuple(replace(test, expression=put_terms(test.expression, names)) for test in one.wanted)
    return replace(one, computed=computed, wanted=wanted)


def _with(one: Disjunct, case: tuple[Wanted, ...], tested: frozenset[Variable]) -> Disjunct:
    # What EXISTS and aggregates say is left out: then it is only necessary that the rest holds.
    said = (test for test in case if not named_in(test.expression) & (tested | one.unknown))
    kept = tuple(replace(test, expression=_in_scope(one, test.expression)) for test in said)
    found = replace(one, wanted=(*one.wanted, *kept))
    return found if len(kept) == len(case) else _loose(found, "EXISTS or an aggregate")


def _cases(condition: Expression, *, value: bool) -> Iterator[tuple[Wanted, ...]]:
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
                yield (Wanted(Call("=", (needle, option))),)
        case _:
            yield (Wanted(condition, value),)


def unbound(one: Disjunct) -> dict[Variable, Constant]:
    """Return null for each variable of the conditions that the disjunct leaves unbound."""
    known = one.bound.union(name for name, _ in (*one.given, *one.computed))
    mentioned = frozenset[Variable]().union(
        *(named_in(test.expression) for test in one.wanted), *(named_in(e) for _, e in one.computed)
    )
    nulls = {name: NULL for name, term in one.given if term is None}
    return {**dict.fromkeys(mentioned - known, NULL), **nulls}
