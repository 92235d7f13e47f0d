"""Construct cs(Q) for C-SPARQL and cq(Q) for CQELS, which express a query Q (LARS 2015, Section 3).

The vocabulary of a stream, or the user, determines the stream in which a part of a C-SPARQL pattern is
matched.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from typing import Literal, get_args

from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from translate.analysis.rewriting import children, parts, rebuild, without_paths
from translate.errors import ModelError
from translate.model import patterns as algebra
from translate.model.patterns import EMPTY, Bgp, PathPattern, Pattern, StreamBlock, TriplePattern, steps
from translate.model.query import EngineQuery, Language, Query


class Assignment:
    """The assignment of triple patterns to streams, by the predicates of the streams' triples.

    `carried` are the pairs (stream, predicate) that occur in the trace, as texts. `assigned` maps a stream to
    the predicates that the user assigns to it, which take precedence over the trace.
    """

    def __init__(
        self, query: EngineQuery, carried: frozenset[tuple[str, str]], assigned: Mapping[Iri, tuple[Iri, ...]]
    ) -> None:
        self._streams = tuple(dict.fromkeys(part.iri for part in query.merged))
        # A FROM STREAM clause that is written twice counts once, so this compares with a set.
        if len(self._streams) < len(frozenset(query.merged)):
            raise LarsError(
                "cannot derive the CQELS query, because the C-SPARQL query reads one stream "
                "through two windows; "
                "use both queries"
            )
        unread = [stream for stream in assigned if stream not in self._streams]
        if unread:
            names = ", ".join(map(str, self._streams)) or "none"
            raise LarsError(
                f"predicates are assigned to {unread[0]}, which the C-SPARQL query does not read; "
                f"expected its streams, {names}"
            )
        self._carried = carried
        self._assigned = assigned
        self._check_paths(query.pattern)

    def __call__(self, bgp: Bgp) -> dict[Iri, Bgp]:
        """Map each stream to the triple patterns that are matched in it; other patterns match static data."""
        parts: dict[Iri, list[TriplePattern]] = {}
        for triple in bgp.triples:
            candidates = self._candidates(triple)
            if len(candidates) > 1:
                names = ", ".join(map(str, candidates))
                remedy = "use both queries, because a CQELS query names the stream of each pattern"
                if isinstance(triple.predicate, Iri):
                    remedy += (
                        "; if one stream matches all patterns with this predicate, --assign STREAM=PREDICATE "
                        "or the key `assign` names this stream"
                    )
                raise LarsError(
                    f"cannot choose the stream of the triple pattern {{{triple}}} among {names}; {remedy}"
                )
            if candidates:
                parts.setdefault(candidates[0], []).append(triple)
        return {stream: Bgp(tuple(triples)) for stream, triples in parts.items()}

    def _check_paths(self, pattern: Pattern) -> None:
        for part in parts(without_paths(pattern)):
            for step in steps(part.path) if isinstance(part, PathPattern) else ():
                if streams := self._streams if step is None else self._of(step):
                    raise LarsError(
                        f"cannot derive the CQELS query, because the path {part} can match in the "
                        f"stream {streams[0]}; "
                        "use both queries"
                    )

    def _candidates(self, triple: TriplePattern) -> list[Iri]:
        predicate = triple.predicate
        return self._of(predicate) if isinstance(predicate, Iri) else list(self._streams)

    def _of(self, predicate: Iri) -> list[Iri]:
        iris = [stream for stream in self._streams if predicate in self._assigned.get(stream, ())]
        return iris or [s for s in self._streams if (str(s), str(predicate)) in self._carried]


Choice = Literal["brave", "cautious"]
"""The sources of a part g of the pattern P.

With `brave`, g is matched only in its stream. With `cautious`, g is matched in its stream and in the dataset.
"""


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the CQELS queries cq(Q), with the choice (brave or cautious) for each (s, ω, g) of S.

    The choices are in the order in which S lists the (s, ω, g).
    """

    choices: tuple[Choice, ...]
    query: EngineQuery

    def __str__(self) -> str:
        return ", ".join(choice for choice in self.choices) or "no stream"


def cs(query: Query) -> EngineQuery:
    """Return the C-SPARQL query of Q: ∅ replaces each g, and all windows merge into the default graph.

    Raises ModelError if the stream of a window is a variable, since FROM STREAM requires an IRI.
    """
    merged = dict.fromkeys(StreamBlock(_name(part.stream), part.window) for part in query.streams)
    return replace(_engine_query(query, Language.CSPARQL, query.pattern), merged=tuple(merged))


def cq(query: Query) -> tuple[Variant, ...]:
    """Return all 2^|S| CQELS queries; the first query is all brave, and the last query is all cautious.

    Raises ModelError if the pattern g of a stream is not in P, overlaps another g, or is inside GRAPH.
    """
    parts = tuple(part for part in query.streams if part.pattern != EMPTY)
    _check_parts(query.pattern, parts)
    return tuple(
        Variant(
            choices,
            _engine_query(
                query, Language.CQELS, _replaced(query.pattern, dict(zip(parts, choices, strict=True)))
            ),
        )
        for choices in product(get_args(Choice), repeat=len(parts))
    )


def _engine_query(query: Query, language: Language, pattern: Pattern) -> EngineQuery:
    return EngineQuery(
        language,
        query.form,
        query.result,
        pattern,
        query.dataset,
        modifiers=query.modifiers,
        template=query.template,
        described=query.described,
    )


def _name(stream: Iri | Variable) -> Iri:
    if isinstance(stream, Variable):
        raise ModelError(f"the stream {stream} is a variable, but FROM STREAM of C-SPARQL requires an IRI")
    return stream


def model_of_cqels(query: EngineQuery, *, with_graphs: bool = False) -> Query:
    """Return (V, P, D, S) of a query with STREAM blocks; each block becomes a (s, ω, g) of S.

    `(STREAM s ω g) UNION g` is a cautious block, which also becomes g in P. A block that reads named graphs
    of stream elements cannot become a (s, ω, g). If a query has such a block and `with_graphs` is true, all
    blocks remain in P; if `with_graphs` is false, the function raises ModelError.
    """
    parts = dict.fromkeys(replace(block, name=None) for block in stream_blocks(query.pattern))
    stays = with_graphs and any(part.graph is not None for part in parts)
    pattern = query.pattern if stays else without_streams(query.pattern)
    return _model(query, pattern, (*parts, *query.merged))


def _model(query: EngineQuery, pattern: Pattern, streams: tuple[StreamBlock, ...]) -> Query:
    return Query(
        form=query.form,
        result=query.result,
        pattern=pattern,
        dataset=query.dataset,
        streams=streams,
        modifiers=query.modifiers,
        template=query.template,
        described=query.described,
    )


def model_of_csparql(query: EngineQuery, assigned: Callable[[algebra.Bgp], dict[Iri, algebra.Bgp]]) -> Query:
    """Return (V, P, D, S) of a C-SPARQL query; `assigned` splits a basic graph pattern by streams."""
    parts: dict[StreamBlock, None] = {}
    # Some paths are equivalent to triple patterns, which can be assigned to streams.
    pattern = without_paths(query.pattern)
    for bgp in basic_patterns(pattern):
        for stream, part in assigned(bgp).items():
            # `Assignment` rejects a stream that is read through two windows.
            window = next(merged.window for merged in query.merged if merged.stream == stream)
            parts[StreamBlock(stream, window, part)] = None
    used = {part.stream for part in parts}
    parts |= dict.fromkeys(merged for merged in query.merged if merged.stream not in used)
    return _model(query, pattern, tuple(parts))


def without_streams(pattern: Pattern) -> Pattern:
    """Return the pattern with g in place of each block `STREAM s ω g` and each `(STREAM s ω g) UNION g`."""

    def plain(part: Pattern) -> Pattern | None:
        match part:
            case algebra.StreamBlock(graph=graph) if graph is not None:
                raise ModelError(f"GRAPH {graph} of a window has no counterpart in the model of the paper")
            case algebra.StreamBlock(_, _, inner):
                return inner
            case algebra.Union(algebra.StreamBlock(_, _, inner, _, None), same) if inner == same:
                return inner
            case _:
                return None

    return rebuild(pattern, plain)


def stream_blocks(pattern: Pattern) -> Iterator[algebra.StreamBlock]:
    """Yield the STREAM blocks of a pattern in the order of the text."""
    yield from (part for part in _leaves(pattern, inside_graph=True) if isinstance(part, algebra.StreamBlock))


def basic_patterns(pattern: Pattern) -> Iterator[algebra.Bgp]:
    """Yield the basic graph patterns of the default graph, in the order of the text."""
    yield from (part for part in _leaves(pattern, inside_graph=False) if isinstance(part, algebra.Bgp))


def _leaves(pattern: Pattern, *, inside_graph: bool) -> Iterator[algebra.Bgp | algebra.StreamBlock]:
    match pattern:
        case algebra.Bgp() | algebra.StreamBlock():
            yield pattern
        case algebra.Graph() | algebra.Service() if not inside_graph:
            return
        case _:
            for child in children(pattern):
                yield from _leaves(child, inside_graph=inside_graph)


def _contains(bgp: algebra.Bgp, part: algebra.Bgp | algebra.PathPattern) -> bool:
    return isinstance(part, algebra.Bgp) and frozenset(part.triples) <= frozenset(bgp.triples)


def _check_parts(pattern: Pattern, parts: tuple[StreamBlock, ...]) -> None:
    outside = tuple(basic_patterns(pattern))
    everywhere = [leaf for leaf in _leaves(pattern, inside_graph=True) if isinstance(leaf, algebra.Bgp)]
    for part in parts:
        if any(_contains(bgp, part.pattern) for bgp in outside):
            continue
        if any(_contains(bgp, part.pattern) for bgp in everywhere):
            raise ModelError(
                f"{_name_of(part)} is inside a GRAPH; cq(Q) requires the pattern outside of GRAPH"
            )
        raise ModelError(f"{_name_of(part)} is not a part of one basic graph pattern of P")
    for bgp in outside:
        for one, other in combinations(_parts_in(bgp, parts), 2):
            if common := set(_triples(one)) & set(_triples(other)):
                text = " . ".join(sorted(map(str, common)))
                raise ModelError(
                    f"the parts of {one.stream} and {other.stream} overlap in {{{text}}}; "
                    "cq(Q) needs each triple pattern in one part"
                )


def _parts_in(bgp: Bgp, parts: Iterable[StreamBlock]) -> list[StreamBlock]:
    """Return the stream blocks whose g is inside a basic graph pattern, without blocks inside larger ones.

    A block is omitted if its g is inside the g of another block with the same stream and window.
    """
    inside = [part for part in parts if _contains(bgp, part.pattern)]

    def covers(other: StreamBlock, part: StreamBlock) -> bool:
        same = (other.stream, other.window) == (part.stream, part.window)
        return same and set(_triples(part)) < set(_triples(other))

    return [part for part in inside if not any(covers(other, part) for other in inside)]


def _replaced(pattern: Pattern, choices: dict[StreamBlock, Choice]) -> Pattern:
    def change(part: Pattern) -> Pattern | None:
        match part:
            case algebra.Bgp():
                return _split(part, choices)
            # Triples of streams are in no named graph (T8), so a pattern inside GRAPH reads static data only.
            case algebra.Graph() | algebra.Service():
                return part
            case _:
                return None

    return rebuild(pattern, change)


def _split(bgp: algebra.Bgp, choices: dict[StreamBlock, Choice]) -> Pattern:
    inside = _parts_in(bgp, choices)
    if not inside:
        return bgp
    patterns = {triple for part in inside for triple in _triples(part)}
    rest = tuple(triple for triple in bgp.triples if triple not in patterns)
    conjuncts: list[Pattern] = [
        part if choices[part] == "brave" else algebra.Union(part, part.pattern) for part in inside
    ]
    return reduce(algebra.Join, [*conjuncts, algebra.Bgp(rest)] if rest else conjuncts)


def _triples(part: StreamBlock) -> tuple[algebra.TriplePattern, ...]:
    return part.pattern.triples if isinstance(part.pattern, algebra.Bgp) else ()


def _name_of(part: StreamBlock) -> str:
    return f"{part.pattern} of the stream {part.stream}"
