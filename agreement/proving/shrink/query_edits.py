"""Pairs of queries with one part less: a condition, an operator, a triple pattern, a column."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count

from agreement.comparing.agree import Pair
from lars.language.formulas import Expression
from lars.language.terms import Variable
from translate.analysis import parts, rebuilt, stream_blocks
from translate.model import patterns as algebra
from translate.model.patterns import EMPTY, Pattern, TriplePattern, variables
from translate.model.query import EngineQuery

_Change = Callable[[Pattern], Pattern | None]


def smaller_pairs(pair: Pair) -> Iterator[Pair]:
    """Yield pairs in which both queries lack the same part, and bind their columns all the same."""
    for made in _changes(pair.cqels.pattern):
        # Made anew for each query: some count the operators that they have met.
        csparql, cqels = (
            replace(query, pattern=_tidy(rebuilt(query.pattern, made())))
            for query in (pair.csparql, pair.cqels)
        )
        if all(set(query.result) <= variables(query.pattern) for query in (csparql, cqels)):
            yield Pair(_without_idle_windows(csparql, cqels), cqels, pair.choices)
    for name in pair.cqels.result if len(pair.cqels.result) > 1 else ():
        yield Pair(_without_column(pair.csparql, name), _without_column(pair.cqels, name), pair.choices)


def _changes(pattern: Pattern) -> Iterator[Callable[[], _Change]]:
    found = list(parts(pattern))
    for condition in dict.fromkeys(one.condition for one in found if isinstance(one, algebra.Filter)):
        yield partial(_dropping_condition, condition)
    kinds = (
        (algebra.Union, "left"),
        (algebra.Union, "right"),
        (algebra.LeftJoin, "left"),
        (algebra.Minus, "left"),
    )
    for kind, side in kinds:
        for number in range(sum(isinstance(one, kind) for one in found)):
            yield partial(_keeping_side, kind, number, side)
    triples = (triple for one in found if isinstance(one, algebra.Bgp) for triple in one.triples)
    for triple in dict.fromkeys(triples):
        yield partial(_dropping_triple, triple)


def _dropping_condition(condition: Expression) -> _Change:
    def change(part: Pattern) -> Pattern | None:
        return part.pattern if isinstance(part, algebra.Filter) and part.condition == condition else None

    return change


def _keeping_side(kind: type[Pattern], number: int, side: str) -> _Change:
    met = count()

    def change(part: Pattern) -> Pattern | None:
        if not isinstance(part, kind) or next(met) != number:
            return None
        kept: Pattern = getattr(part, side)
        return kept

    return change


def _dropping_triple(triple: TriplePattern) -> _Change:
    def rest(part: algebra.Bgp) -> algebra.Bgp:
        return algebra.Bgp(tuple(one for one in part.triples if one != triple))

    def change(part: Pattern) -> Pattern | None:
        match part:
            case algebra.Bgp(triples) if triple in triples:
                return rest(part)
            case algebra.StreamBlock(_, _, algebra.Bgp() as inner) if triple in inner.triples:
                left = rest(inner)
                return replace(part, pattern=left) if left.triples else left
            case _:
                return None

    return change


def _tidy(pattern: Pattern) -> Pattern:
    """Return the pattern without joins with nothing."""

    def change(part: Pattern) -> Pattern | None:
        if isinstance(part, algebra.Join) and EMPTY in (part.left, part.right):
            return part.right if part.left == EMPTY else part.left
        return None

    tidier = rebuilt(pattern, change)
    return pattern if tidier == pattern else _tidy(tidier)


def _without_idle_windows(csparql: EngineQuery, cqels: EngineQuery) -> EngineQuery:
    """Return the query without windows of streams that the other one reads no more."""
    read = {block.stream for block in stream_blocks(cqels.pattern)}
    return replace(csparql, merged=tuple(part for part in csparql.merged if part.stream in read))


def _without_column(query: EngineQuery, name: Variable) -> EngineQuery:
    return replace(query, result=tuple(one for one in query.result if one != name))
