"""The query model (V, P, D, S), and what each engine's text says of it: cs(Q) and cq(Q)."""

from dataclasses import dataclass
from enum import Enum

from lars.durations import Duration
from lars.terms import Iri, Variable
from translate.patterns import Bgp, Pattern
from translate.windows import WindowExpression


class Language(Enum):
    """The language a query is written in; it decides between τ1 and τ2."""

    CSPARQL = "csparql"
    CQELS = "cqels"


class Form(Enum):
    """What a query returns: rows of V, or whether there is a row."""

    SELECT = "SELECT"
    ASK = "ASK"


@dataclass(frozen=True, slots=True)
class Dataset:
    """D: the graphs that FROM merges into the default graph, and those FROM NAMED names.

    Both empty means the dataset that is given with the trace.
    """

    default: tuple[Iri, ...] = ()
    named: tuple[Iri, ...] = ()


@dataclass(frozen=True, slots=True)
class MergedStream:
    """A stream and window whose triples enter the default graph: (s, ω, ∅) of cs(Q)."""

    stream: Iri
    window: WindowExpression


@dataclass(frozen=True, slots=True)
class EngineQuery:
    """One engine's query: V, P and D, with the windows where its language puts them.

    C-SPARQL: `merged` lists the FROM STREAM clauses and `pattern` has no StreamBlock.
    CQELS: `merged` is empty and the windows stand in the StreamBlocks of `pattern`.
    `result` is V in the order of the text; `every` is COMPUTED EVERY, `name` the registered name.
    """

    language: Language
    form: Form
    result: tuple[Variable, ...]
    pattern: Pattern
    dataset: Dataset = Dataset()
    merged: tuple[MergedStream, ...] = ()
    name: str | None = None
    every: Duration | None = None


@dataclass(frozen=True, slots=True)
class StreamPattern:
    """(s, ω, g): the part g of P is matched in window ω of stream s."""

    stream: Iri
    window: WindowExpression
    pattern: Bgp


@dataclass(frozen=True, slots=True)
class Query:
    """Q = (V, P, D, S) of LARS (2015), Section 3; P is without STREAM, S a set in text order."""

    form: Form
    result: tuple[Variable, ...]
    pattern: Pattern
    dataset: Dataset
    streams: tuple[StreamPattern, ...]
