"""What a dialect adds to SPARQL, lifted out of a query's tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lars.durations import Duration
from lars.terms import Iri
from translate.dialects.names import Names
from translate.query import MergedStream
from translate.windows import WindowExpression


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream read through a window."""

    iri: Iri
    window: WindowExpression


@dataclass(frozen=True, slots=True)
class Lifted:
    """The streaming clauses of a query; without the `hidden` tokens the rest is SPARQL 1.1.

    `blocks` maps the token STREAM of each block to its stream; in SPARQL it stands as GRAPH <..>.
    """

    names: Names
    hidden: frozenset[int] = frozenset()
    name: str | None = None
    every: Duration | None = None
    merged: tuple[MergedStream, ...] = ()
    blocks: Mapping[int, Stream] = field(default_factory=dict)
