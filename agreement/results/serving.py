"""The function `serve_engine`: run a specification or engine version as an adapter on standard input."""

import os
from collections.abc import Iterator
from typing import Final

from agreement.documents.requests import Around, reading_as
from agreement.engines.adapters.built_in import BuiltInEngine, built_in
from agreement.engines.adapters.messages import replies
from agreement.results.base.library import Listeners, StreamedTexts, offered_functions
from lars.dataclass import dataclass
from lars.language.terms import absolute_iri
from lars.options import argument, option

_STANDARD_INPUT: Final = 0
_BYTES_AT_ONCE: Final = 2**16


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeEngineRequest:
    """The arguments of `lars serve-engine`.

    Reads requests and writes replies of the adapter protocol. Each line is one JSON document.

    Examples:
    lars serve-engine rspql
    lars record --check 'lars serve-engine rspql'
    """

    engine: str = argument(
        "SPEC|VERSION|FILE.toml",
        "Engine to serve: a specification (csparql, cqels, sparqlstream, rspql, or a .toml file) or a"
        " simulated engine version.",
    )
    base: str | None = option(
        None,
        "IRI against which relative IRIs of a query without BASE are resolved. [default: none, and a "
        "relative IRI is an error]",
        absolute_iri,
    )


def _served(engine: BuiltInEngine, base: str | None) -> Iterator[str]:
    """Yield the replies to the messages on standard input, one line for each message."""
    with reading_as(Around(base)):
        yield from replies(engine, _chunks())


def _chunks() -> Iterator[bytes]:
    while chunk := os.read(_STANDARD_INPUT, _BYTES_AT_ONCE):
        yield chunk


@offered_functions(ServeEngineRequest)
def serve_engine(request: ServeEngineRequest, listeners: Listeners) -> StreamedTexts:
    """Return the replies of an engine to messages of the adapter protocol on standard input."""
    del listeners
    return StreamedTexts(_served(built_in(request.engine), request.base))
