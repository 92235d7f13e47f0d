"""The query model (V, P, D, S), the settings of τ, and the properties of query languages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Literal

from lars.durations import MILLISECOND, SECOND, Duration
from lars.language.stream import ToStream
from lars.language.terms import Iri, Variable
from lars.language.windows import Bounds
from translate.model.patterns import UNMODIFIED, Modifiers, Pattern, StreamBlock, TriplePattern
from translate.model.windows import WindowExpression

EPOCH: Final = "1970-01-01T00:00:00Z"
TIMESTAMP: Final = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>"
"""The C-SPARQL function that returns the arrival time of a statement."""

Profile = Literal["paper2015", "sparql11"]
"""The treatment of unbound variables in joins, and of MINUS, by τ.

paper2015 is LARS (2015) made safe: null joins null as a constant, MINUS is Diff.
sparql11 is SPARQL 1.1: an unbound variable is compatible with everything, MINUS needs a
shared variable that is bound on both sides.
"""

Semantics = Literal["set", "bag"]
"""The semantics of answers: a set, as in LARS (2015), or a multiset, as in SPARQL 1.1.

Aggregates range over a multiset with both values.
"""

Trigger = Literal["any", "query-streams", "matching"]
"""The input that triggers a push engine: any, only the query's streams, or only matches."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a translation, and of the evaluation by push.

    `unit` is the duration of one time point, and `origin` is the dateTime of time 0 (for NOW). `bounds` are
    the ends that all windows contain. If `bounds` is None, the query language defines the ends; if it does
    not, windows contain both ends. With `ordered`, the answer predicate contains the values of ORDER BY, so
    that answers can be shown in their order. If a time point consists of several `ticks`, functions that
    return a time divide it by `ticks`.
    """

    profile: Profile = "paper2015"
    unit: Duration = SECOND
    bounds: Bounds | None = None
    semantics: Semantics = "set"
    ordered: bool = False
    origin: str = EPOCH
    ticks: int = 1
    trigger: Trigger = "any"


EmptyGroup = Literal["values", "unbound average", "no row"]
"""The result of aggregates over an empty multiset (SEMANTICS T13) in SPARQL 1.1, SPARQLstream and CQELS."""


@dataclass(frozen=True, slots=True)
class Manner:
    """The syntax of windows and durations in a query language, and the meanings that its documents define.

    - `windows` are the windows of the language, for messages.
    - `units` are the units of durations, the longest unit first. A unit is the text after a number, or a
      text with {} in place of the number.
    - If `merges` is true, the content of windows enters the default graph. If `merges` is false, each block
    reads its window,
      by name if `names_windows` is true.
    - If `pushed` is true, input triggers evaluation. If `pushed` is None, input triggers evaluation only if
      the query has NOW windows or tuple windows.
    - `ends` are the ends of windows; None means that engines differ.
    - If `tumbles` is true, a window without a slide is a tumbling window.
    - If `grid` is true, windows open at multiples of the slide.
    - `opens` is the time at which the first window opens. A window is not evaluated before it closes.
    - `bare` is the unit of an integer without a unit.
    - `texts` is None if the names of streams are IRIs. If the names are words, they are read as IRIs that
      begin with `texts`.
    - `anchored`, set by a reading, means that a window that looks ahead has one position per element.
    - `causal`, set by a reading, means that a window of a log excludes times after the evaluation time.
    - `offset`, set by a reading, is the meaning of OFFSET o with RANGE r at a time t: [t−o, t−o+r] at each
      t, the same interval only at multiples of STEP, or [t−o−r, t−o).
    """

    title: str
    windows: str
    units: Mapping[str, str]
    merges: bool = False
    names_windows: bool = False
    pushed: bool | None = False
    ends: Bounds | None = None
    bare: Duration | None = None
    tumbles: bool = False
    opens: Duration | None = None
    grid: bool = False
    texts: str | None = None
    empty_group: EmptyGroup = "values"
    anchored: bool = False
    causal: bool = False
    offset: Literal["each", "step", "end"] = "each"


class Language(Enum):
    """The language of a query."""

    CSPARQL = "csparql"
    CQELS = "cqels"
    SPARQLSTREAM = "sparqlstream"
    RSPQL = "rspql"
    KOLIBRIE = "kolibrie"
    CQELS2 = "cqels2"
    SPARQ = "sparq"
    JANUS = "janus"

    @property
    def manner(self) -> Manner:
        """The meanings of the language that its documents define."""
        return _MANNERS[self]


_LETTERS: Final = {"d": "d", "h": "h", "m": "m", "s": "s", "ms": "ms"}
_ISO: Final = {"d": "P{}D", "h": "PT{}H", "m": "PT{}M", "s": "PT{}S"}
_MANNERS: Final = {
    Language.CSPARQL: Manner("C-SPARQL", "[RANGE n STEP n] and [RANGE TRIPLES n]", _LETTERS, merges=True),
    Language.CQELS: Manner(
        "CQELS",
        "[NOW], [ALL], [TRIPLES n] and [RANGE n SLIDE n]",
        # The engine drops the last digit of h and d, so its longest unit is the minute.
        {"m": "m", "s": "s", "ms": "ms", "ns": "ns"},
        pushed=True,
        empty_group="no row",
    ),
    Language.SPARQLSTREAM: Manner(
        "SPARQLstream",
        "[NOW - n TO NOW - n SLIDE n] and [TRIPLES n]",
        {"d": " DAY", "h": " HR", "m": " MIN", "s": " S", "ms": " MS"},
        merges=True,
        empty_group="unbound average",
    ),
    Language.RSPQL: Manner(
        "RSP-QL",
        "[RANGE n STEP n], [FROM NOW-n TO NOW-n STEP n] and [ELEMENTS n]",
        _ISO,
        names_windows=True,
        bare=MILLISECOND,
    ),
    Language.KOLIBRIE: Manner(
        "Kolibrie",
        "[RANGE n STEP n]",
        {"h": "PT{}H", "m": "PT{}M", "s": "PT{}S"},
        names_windows=True,
        ends="high-open",
        bare=SECOND,
        tumbles=True,
        texts=":",
    ),
    Language.JANUS: Manner(
        "Janus",
        "[RANGE n STEP n], [START n END n] and [OFFSET n RANGE n STEP n]",
        {"ms": ""},
        names_windows=True,
        ends="high-open",
        bare=MILLISECOND,
    ),
    Language.SPARQ: Manner(
        "sparq",
        "[RANGE n STEP n T0 n] and [ROWS n]",
        _ISO,
        names_windows=True,
        ends="high-open",
        bare=SECOND,
        tumbles=True,
        opens=Duration(0),
    ),
    Language.CQELS2: Manner(
        "CQELS 2",
        "[NOW], [TRIPLES n], [RANGE n STEP n] and [PAST n FUTURE n STEP n]",
        _LETTERS,
        pushed=None,
        ends="high-open",
        tumbles=True,
        texts="",
        grid=True,
    ),
}


MERGING: Final = frozenset(language for language in Language if language.manner.merges)
"""The languages whose windows are merged into the default graph.

In the other languages, each block reads its own window.
"""
STEPPED: Final = tuple(
    language
    for language in Language
    if language.manner.tumbles or language in (Language.CSPARQL, Language.JANUS)
)
"""The languages in which each window with a length has a STEP."""

Form = Literal["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"]
"""The form of a query's result: rows of V, whether a row exists, or triples."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """The dataset D: the graphs of FROM, merged into the default graph, and the graphs of FROM NAMED.

    If the query has no FROM and no FROM NAMED, the dataset is given with the trace.
    """

    default: tuple[Iri, ...] = ()
    named: tuple[Iri, ...] = ()


@dataclass(frozen=True, slots=True)
class MergedStream:
    """A stream and window whose triples enter the default graph: (s, ω, ∅) of cs(Q).

    `name` is the name of an RSP-QL window that is declared, but that no WINDOW block of the query reads.
    """

    stream: Iri
    window: WindowExpression
    name: Iri | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class EngineQuery:
    """The query of one engine: result variables V, pattern P and dataset D, with its windows.

    `merged` are the windows whose triples enter the default graph: FROM STREAM of C-SPARQL, and FROM NAMED
    STREAM of SPARQLstream. The StreamBlocks of `pattern` contain the windows of STREAM and WINDOW blocks.
    `declared` are RSP-QL windows that are declared, but that no WINDOW block reads. `result` is V in the
    order of the text. For CONSTRUCT and DESCRIBE, V consists of the variables in `template` and `described`.
    A blank node of the template is new in each solution. `name` is the registered name, which is the name of
    a stream if `registers_stream` is true. `every` is the period of COMPUTED EVERY. `notes` list readings of
    the text that differ from the definition of the language.
    """

    language: Language
    form: Form
    result: tuple[Variable, ...]
    pattern: Pattern
    dataset: Dataset = Dataset()
    merged: tuple[MergedStream, ...] = ()
    name: str | None = None
    every: Duration | None = None
    modifiers: Modifiers = UNMODIFIED
    template: tuple[TriplePattern, ...] = ()
    described: tuple[Iri | Variable, ...] = ()
    declared: tuple[MergedStream, ...] = ()
    to_stream: ToStream | None = None
    registers_stream: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Query:
    """Q = (V, P, D, S) of LARS (2015), Section 3: P has no STREAM, S is a set of (s, ω, g) in text order."""

    form: Form
    result: tuple[Variable, ...]
    pattern: Pattern
    dataset: Dataset
    streams: tuple[StreamBlock, ...]
    modifiers: Modifiers = UNMODIFIED
    template: tuple[TriplePattern, ...] = ()
    described: tuple[Iri | Variable, ...] = ()
