"""The query model (V, P, D, S), the settings of τ, and the properties of query languages."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, Literal

from lars.dataclass import dataclass
from lars.durations import SECOND, Duration
from lars.language.stream import ToStream
from lars.language.terms import Iri, Variable
from lars.language.windows import Bounds
from translate.model import languages
from translate.model.manner import Manner, can_say
from translate.model.patterns import UNMODIFIED, Modifiers, Pattern, StreamBlock, TriplePattern

EPOCH: Final = "1970-01-01T00:00:00Z"
TIMESTAMP: Final = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>"
"""The C-SPARQL function that returns the arrival time of a statement."""

Profile = Literal["paper2015", "sparql11"]
"""The treatment of unbound variables in joins, and of MINUS, by τ.

- `paper2015` is the translation of LARS (2015) with safe rules. The constant null joins null, and MINUS is
  evaluated as Diff.
- `sparql11` is SPARQL 1.1: an unbound variable is compatible with everything, and MINUS needs a shared
  variable that is bound on both sides.
"""

Semantics = Literal["set", "bag"]
"""The semantics of answers: a set, as in LARS (2015), or a multiset, as in SPARQL 1.1.

With both semantics, aggregates range over a multiset.
"""

Trigger = Literal["any", "query-streams", "matching"]
"""The input that triggers a query under push: any input, input on its streams, or input that matches."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a translation, and of the evaluation by push.

    The field `unit` is the duration of one time point, and `origin` is the dateTime of time 0 (for NOW). The
    field `bounds` determines whether windows contain their first and last time point. If `bounds` is None,
    the query language determines this; if the language does not, windows contain both. With `ordered`, the
    answer predicate contains the values of ORDER BY, so that answers can be shown in their order. If a time
    point consists of several `ticks`, functions that return a time divide it by `ticks`.
    """

    profile: Profile = "paper2015"
    unit: Duration = SECOND
    bounds: Bounds | None = None
    semantics: Semantics = "set"
    ordered: bool = False
    origin: str = EPOCH
    ticks: int = 1
    trigger: Trigger = "any"


def _others(named: Mapping[str, object]) -> dict[str, str]:
    """Return the names of the query languages, except the given names."""
    found = sorted(module.name for module in iter_modules(languages.__path__))
    return {name.upper(): name for name in found if name.upper() not in named}


class Language(Enum):
    """A query language, such as C-SPARQL; a file in `translate/model/languages` describes each language.

    If the language of a text is unknown, the reader tries the languages in the order of this enumeration.
    """

    CSPARQL = "csparql"
    CQELS = "cqels"
    SPARQLSTREAM = "sparqlstream"
    RSPQL = "rspql"
    KOLIBRIE = "kolibrie"
    CQELS2 = "cqels2"
    SPARQ = "sparq"
    JANUS = "janus"
    vars().update(_others(vars()))

    @property
    def manner(self) -> Manner:
        """The syntax and the meanings of the language, as its documents define them."""
        return _MANNERS[self]


_MANNERS: Final[Mapping[Language, Manner]] = {
    language: import_module(f"{languages.__name__}.{language.value}").MANNER for language in Language
}
MERGING: Final = frozenset(language for language in Language if language.manner.merges)
"""The languages whose windows are merged into the default graph.

In languages that do not merge windows, each block reads its own window.
"""
STEPPED: Final = tuple(
    language
    for language in Language
    if not any(can_say(template, ("length",)) for template in language.manner.templates["range"])
)
"""The languages in which each window with a length has a STEP."""

Form = Literal["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"]
"""The form of a query's result: rows of V, whether a row exists, or triples."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """The dataset D: the graphs of FROM, merged into the default graph, and the graphs of FROM NAMED.

    If the query has neither FROM nor FROM NAMED, the dataset is the static data that the user gives.
    """

    default: tuple[Iri, ...] = ()
    named: tuple[Iri, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineQuery:
    """The query of one engine: result variables V, pattern P and dataset D, with its windows.

    The field `merged` contains the windows whose triples enter the default graph. For example, FROM STREAM of
    C-SPARQL and FROM NAMED STREAM of SPARQLstream declare such windows. The StreamBlocks of `pattern` contain
    the windows of STREAM and WINDOW blocks. The field `declared` contains RSP-QL windows that are declared,
    but that no WINDOW block reads. The field `result` contains the result variables V in the order of the
    text. For CONSTRUCT and DESCRIBE, V contains the variables in `template` and `described`. Each solution
    gets new blank nodes for the blank nodes of the template. The field `name` is the registered name, which
    is the name of a stream if `registers_stream` is true. The field `every` is the period of COMPUTED EVERY.
    `notes` are sentences about parts of the text that are read otherwise than the language defines.
    """

    language: Language
    form: Form
    result: tuple[Variable, ...]
    pattern: Pattern
    dataset: Dataset = Dataset()
    merged: tuple[StreamBlock, ...] = ()
    name: str | None = None
    every: Duration | None = None
    modifiers: Modifiers = UNMODIFIED
    template: tuple[TriplePattern, ...] = ()
    described: tuple[Iri | Variable, ...] = ()
    declared: tuple[StreamBlock, ...] = ()
    to_stream: ToStream | None = None
    registers_stream: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)
    window_names: tuple[Iri, ...] = field(default=(), compare=False)
    """The names of declared windows in the order of the text, also of windows that a WINDOW block reads."""

    @property
    def operator(self) -> ToStream:
        """The relation-to-stream operator of the query; a query without an operator has RSTREAM."""
        return self.to_stream or "RSTREAM"


@dataclass(frozen=True, slots=True)
class Query:
    """The query Q = (V, P, D, S) of LARS (2015), Section 3.

    The pattern P contains no STREAM blocks. S contains a stream s, a window ω and a pattern g for each block,
    in the order of the text.
    """

    form: Form
    result: tuple[Variable, ...]
    pattern: Pattern
    dataset: Dataset
    streams: tuple[StreamBlock, ...]
    modifiers: Modifiers = UNMODIFIED
    template: tuple[TriplePattern, ...] = ()
    described: tuple[Iri | Variable, ...] = ()
