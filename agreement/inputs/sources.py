"""The windows that a query reads, and the same query with other ones in their place."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from lars.terms import Iri, Variable
from translate.analysis import rebuilt, stream_blocks
from translate.patterns import Pattern, StreamBlock
from translate.query import EngineQuery, MergedStream
from translate.windows import WindowExpression


@dataclass(frozen=True, slots=True)
class WindowSource:
    """A window of a query on a stream, with its name in RSP-QL; blocks that read the same share it."""

    stream: Iri | Variable
    window: WindowExpression
    name: Iri | None = None

    def __str__(self) -> str:
        return f"{self.window} on {self.stream}"


def sources(query: EngineQuery) -> tuple[WindowSource, ...]:
    """Return the windows of a query in the order of its text, each once."""
    merged = (WindowSource(part.stream, part.window) for part in (*query.merged, *query.declared))
    blocks = (WindowSource(block.stream, block.window, block.name) for block in stream_blocks(query.pattern))
    return tuple(dict.fromkeys((*merged, *blocks)))


def with_sources(query: EngineQuery, change: Callable[[WindowSource], WindowSource]) -> EngineQuery:
    """Return the query with each source replaced by what `change` gives for it."""

    def block(part: Pattern) -> Pattern | None:
        if not isinstance(part, StreamBlock):
            return None
        source = change(WindowSource(part.stream, part.window, part.name))
        return replace(part, stream=source.stream, window=source.window)

    def merged(part: MergedStream) -> MergedStream:
        source = change(WindowSource(part.stream, part.window))
        assert isinstance(source.stream, Iri)
        return MergedStream(source.stream, source.window)

    return replace(
        query,
        merged=tuple(map(merged, query.merged)),
        declared=tuple(map(merged, query.declared)),
        pattern=rebuilt(query.pattern, block),
    )
