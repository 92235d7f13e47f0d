"""Replace paths of any length, aggregates and LIMIT by triple patterns, so that mappings can compare them.

GROUP BY and LIMIT depend on all solutions together, so a mapping of single solutions proves nothing. If both
queries have an aggregate over the same solutions with equal multiplicities, both aggregates are the same
relation on all data. Each row of the relation is a node of a separate graph. The node has one triple pattern
for each column.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from itertools import islice, permutations
from typing import Final

from agreement.proving.containment.forms import namings
from agreement.proving.containment.pruning import least
from agreement.proving.disjuncts import Reading
from lars.dataclass import dataclass
from lars.language.formulas import Aggregation, Call
from lars.language.terms import XSD, Iri, Literal, Variable
from translate.analysis import null_sets, parts, rebuild, tests_of, without_paths
from translate.model import patterns as algebra
from translate.model.patterns import Group, Path, PathPattern, Pattern, Select, TriplePattern, can_stay

NOTHING: Final = Iri("derived nothing")
"""The constant for an unbound column of an aggregate.

The space in the name keeps it different from IRIs in data.
"""
_MOST_ORDERS: Final = 24
Equal = Callable[[Pattern, Pattern, tuple[Variable, ...], tuple[Variable, ...]], bool]
"""A function that returns whether two patterns have the same solutions for two lists of variables."""


@dataclass(slots=True)
class Relations:
    """The names for the paths, aggregates and LIMITs of two queries.

    Equal paths, aggregates and LIMITs have the same name. The function `equal` returns whether two patterns
    have the same solutions. `relations` contains each name of an aggregate or LIMIT, with its pattern, its
    columns, and the windows of its default graph.
    """

    equal: Equal
    paths: dict[Iri, Path] = field(default_factory=dict)
    relations: list[tuple[Iri, Pattern, tuple[Variable, ...], frozenset[Reading]]] = field(
        default_factory=list
    )
    _merged: frozenset[Reading] = frozenset()

    def read(self, pattern: Pattern, merged: Iterable[Reading], *, whole: bool) -> Pattern:
        """Return a pattern with triple patterns in place of its paths of any length, aggregates and LIMITs.

        If `whole` is true, the result also contains the patterns inside aggregates and LIMITs. `merged`
        contains the windows that are part of the pattern's default graph.
        """
        self._merged = frozenset(merged)
        walked = without_paths(pattern)
        tested = [test.pattern for part in parts(walked) for test in tests_of(part)]
        kept = {id(part) for each in tested for part in parts(each)}
        return self._related(rebuild(walked, lambda part: self._edge(part, kept)), tested=False, whole=whole)

    def _edge(self, part: Pattern, kept: set[int]) -> Pattern | None:
        match part:
            # Inside EXISTS, a bound variable is a constant, which zero steps connect with itself even if no
            # triple contains the constant.
            case PathPattern(_, path, _) if id(part) in kept and can_stay(path):
                return None
            case PathPattern(subject, path, object_):
                name = Iri(f"path {path}")
                self.paths[name] = path
                return algebra.Bgp((TriplePattern(subject, name, object_),))
            case algebra.StreamBlock(_, _, PathPattern() as inner):
                pattern = self._edge(inner, kept)
                return replace(part, pattern=pattern) if isinstance(pattern, algebra.Bgp) else None
            case _:
                return None

    def _related(self, pattern: Pattern, *, tested: bool, whole: bool) -> Pattern:
        def change(part: Pattern) -> Pattern | None:
            match part:
                case algebra.Graph() | algebra.Service():
                    return part
                case algebra.Minus(left, right) | algebra.LeftJoin(left, right, _, ()):
                    mine = self._related(left, tested=tested, whole=whole)
                    return replace(part, left=mine, right=self._related(right, tested=tested, whole=False))
                case algebra.Filter(inner, _, exists) | algebra.Extend(inner, _, _, exists) if exists:
                    return replace(part, pattern=self._related(inner, tested=tested, whole=whole))
                case algebra.LeftJoin():
                    return part
                case Group(inner, (_, *_) as keys, ()):
                    return Select(self._related(inner, tested=tested, whole=whole), keys)
                case Group(inner, keys, aggregates):
                    columns = (*keys, *(name for name, _ in aggregates))
                    return self._relation(part, columns, inner, keys, whole=whole)
                case Select(_, _, modifiers) if modifiers.limit == 0:
                    return algebra.Values((), ())
                case Select(inner, result, modifiers) if modifiers.slices:
                    return self._relation(part, result, inner, result, whole=whole)
                case _:
                    return None

        return rebuild(pattern, change)

    def _relation(
        self,
        part: Pattern,
        columns: tuple[Variable, ...],
        inner: Pattern,
        variables: tuple[Variable, ...],
        *,
        whole: bool,
    ) -> Pattern:
        name, ordered = self._name_and_order(part, columns)
        row = Variable("a row")
        patterns: list[Pattern] = []
        for nulls in sorted(null_sets(part, frozenset(columns)), key=sorted):
            cells = ((n, NOTHING if column in nulls else column) for n, column in enumerate(ordered))
            edges = (
                TriplePattern(row, name, row),
                *(TriplePattern(row, Iri(f"column {n}"), c) for n, c in cells),
            )
            rows: Pattern = Select(algebra.Graph(name, algebra.Bgp(edges)), columns)
            # Each set of columns that can be unbound together has a pattern of its own.
            patterns.append(rows)
        if not patterns:  # Nothing inside the part has a solution, so it has no row.
            return algebra.Values((), ())
        relation = patterns[0]
        for more in patterns[1:]:
            relation = algebra.Union(relation, more)
        if not whole:
            return relation
        for count, number in least(part).items() if isinstance(part, Group) else ():
            known = Call(">=", (count, Literal(str(number), XSD + "integer")))
            relation = algebra.Filter(relation, known)
        from_ = algebra.Join(Select(self._related(inner, tested=False, whole=True), variables), relation)
        return algebra.Union(from_, relation) if isinstance(part, Group) and not part.keys else from_

    def _name_and_order(
        self, part: Pattern, columns: tuple[Variable, ...]
    ) -> tuple[Iri, tuple[Variable, ...]]:
        """Return the name of an aggregate or LIMIT, and its columns in the order that belongs to the name.

        If an equal aggregate or LIMIT already has a name, the function returns this name.
        """
        for name, known, order, merged in self.relations:
            # The same pattern over other merged windows has other solutions.
            for names in self._alike(known, part, order, columns) if merged == self._merged else ():
                return name, tuple(names[column] for column in order)
        name = Iri(f"derived {len(self.relations)}")
        self.relations.append((name, part, columns, self._merged))
        return name, columns

    def _alike(
        self, known: Pattern, part: Pattern, order: tuple[Variable, ...], columns: tuple[Variable, ...]
    ) -> Iterator[dict[Variable, Variable]]:
        if len(order) != len(columns):
            return
        equal = {name: name for name in order if name in columns}
        yield from (dict(names) for names in islice(namings(known, part, equal), 1))
        # A LIMIT keeps its column names, because ties can be decided by the order of the names.
        if isinstance(known, Group) and isinstance(part, Group):
            yield from (dict(names) for names in islice(namings(known, part, {}), 1))
            if len(known.keys) == len(part.keys) and len(known.aggregates) == len(part.aggregates):
                yield from self._as_sets(known, part)

    def _as_sets(self, known: Group, part: Group) -> Iterator[dict[Variable, Variable]]:
        """Yield mappings of columns under which two aggregates that ignore duplicates are equal.

        The patterns inside both aggregates must have the same set of solutions.
        """
        if not all(_as_a_set(how) for _, how in known.aggregates):
            return
        orders = (
            (keys, aggregates)
            for keys in permutations(part.keys)
            for aggregates in permutations(part.aggregates)
        )
        for keys, aggregates in islice(orders, _MOST_ORDERS):
            pairs = list(zip(known.aggregates, aggregates, strict=True))
            if any(_without_arguments(mine) != _without_arguments(theirs) for mine, theirs in pairs):
                continue
            mine = (*known.keys, *(name for (_, how), _ in pairs for name in how.arguments))
            theirs = (*keys, *(name for _, (_, how) in pairs for name in how.arguments))
            if self.equal(known.pattern, part.pattern, mine, theirs):
                names = dict(zip(known.keys, keys, strict=True))
                yield names | {name: other for (name, _), (other, _) in pairs}


def _as_a_set(how: Aggregation) -> bool:
    """Return whether an aggregate, such as MIN or COUNT(DISTINCT ...), ignores duplicates."""
    return how.function in ("MIN", "MAX") or (
        how.distinct and bool(how.arguments) and how.function in ("COUNT", "SUM", "AVG")
    )


def _without_arguments(aggregate: tuple[Variable, Aggregation]) -> tuple[object, ...]:
    how = aggregate[1]
    return how.function, how.distinct, len(how.arguments)
