"""The model (V, P, D, S) of a query as text and as JSON."""

from collections.abc import Iterator
from typing import Any

from lars.terms import Iri
from translate.query import Query
from translate.tau import ordered


def model_lines(query: Query) -> Iterator[str]:
    """Yield (V, P, D, S) as text."""
    yield f"V = {{{', '.join(f'?{name.name}' for name in ordered(query.result))}}}"
    yield f"P = {query.pattern}"
    default, named = query.dataset.default, query.dataset.named
    yield f"D = {{{', '.join((*map(str, default), *(f'named {graph}' for graph in named)))}}}"
    for number, part in enumerate(query.streams):
        start, end = "S = {" if number == 0 else "     ", "}" if number == len(query.streams) - 1 else ","
        yield f"{start}({part.stream}, {part.window}, {part.pattern}){end}"
    if not query.streams:
        yield "S = {}"


def model_json(query: Query) -> dict[str, Any]:
    """Return (V, P, D, S) for machines."""
    dataset = {"default": query.dataset.default, "named": query.dataset.named}
    return {
        "V": [name.name for name in ordered(query.result)],
        "P": str(query.pattern),
        "D": {key: [graph.value for graph in graphs] for key, graphs in dataset.items()},
        "S": [
            {
                "stream": part.stream.value if isinstance(part.stream, Iri) else str(part.stream),
                "window": str(part.window),
                "pattern": str(part.pattern),
            }
            for part in query.streams
        ],
    }
