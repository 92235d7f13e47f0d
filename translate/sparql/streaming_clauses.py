"""The streaming clauses that are lifted out of a query's tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lars.durations import Duration
from lars.language.terms import Iri, Variable
from translate.model.query import MergedStream, ToStream
from translate.model.windows import WindowExpression
from translate.sparql.tokens import Names


@dataclass(frozen=True, slots=True)
class StreamClause:
    """A stream read through a window; STREAM ?s ranges over the streams and binds ?s (StreamBlock)."""

    iri: Iri | Variable
    window: WindowExpression
    name: Iri | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class AnyWindow:
    """WINDOW ?w of RSP-QL: the variable ranges over the declared windows, each a name and its stream.

    WINDOW ?w {P} is the union, in this order, of Join(P read in the stream, Values((?w,), ((name,),))).
    As a GRAPH ?w it stands in `variables`, for FILTERs in P ?w is unbound. Where no window is declared,
    and for a name that none has, it has no solution, as GRAPH of a name that the dataset does not have.
    """

    name: Iri | Variable
    windows: tuple[tuple[Iri, StreamClause], ...]


@dataclass(frozen=True, slots=True)
class StreamingClauses:
    """The streaming clauses of a query; without the `hidden` tokens the rest is SPARQL 1.1.

    `blocks` maps the token STREAM or WINDOW of each block to what it reads; in SPARQL the token
    stands as GRAPH <..> (all up to the block's { is hidden). The other fields are those of
    EngineQuery of the same names.
    """

    names: Names
    hidden: frozenset[int] = frozenset()
    name: str | None = None
    every: Duration | None = None
    merged: tuple[MergedStream, ...] = ()
    blocks: Mapping[int, StreamClause | AnyWindow] = field(default_factory=dict)
    declared: tuple[MergedStream, ...] = ()
    to_stream: ToStream | None = None
    registers_stream: bool = False
    notes: tuple[str, ...] = ()
