"""Define models of engine versions: rules that can be switched off one by one, over windows and answers.

The rules are deviations from definitions of RSP-QL (2014). An engine whose parser deviates from the query
language also receives the text of the query.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields
from enum import StrEnum
from typing import Final, TypeVar

from agreement.documents.outputs import in_order
from agreement.documents.recordings import Push, Recording
from agreement.documents.requests import (
    WindowSource,
    base_for,
    check_comparable,
    read_once,
    sources,
    with_sources,
)
from agreement.documents.traces import background
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import Iri
from lars.language.windows import NOW
from solver.columns import TermCodes
from solver.facts import STREAM_PREDICATE, Row, Static, Triple
from solver.relational import concatenate, decode, encoded_rows, evaluated_on
from solver.relational.shown_input import ShownContents, given_rows
from translate.model.patterns import remember
from translate.model.query import EngineQuery, Language, Setting
from translate.model.windows import Now
from translate.strict import StrictEngine, check_strict
from translate.tau import lars_program, output_of


class RspqlDefinition(StrEnum):
    """The definitions of RSP-QL (2014) from which engines deviate, each with a sentence for messages."""

    ENDS = "Definition 13: the window from o to c contains the elements with times t, o < t <= c"
    IN_ORDER = "Definition 9: a stream is in order of time, so a late element changes no window"
    EACH_WINDOW = "Definition 23, window close: each window reports when it closes, independent of arrivals"
    AT_ITS_CLOSE = "Definition 23: a window reports at the time at which it closes"
    SAME_INSTANT = "Definitions 14 and 16: an evaluation reads all windows at the time of the evaluation"
    OPERATORS = "Definitions 20 to 22: the query determines RSTREAM, ISTREAM or DSTREAM"
    OWN_STREAM = "Definition 14: each window contains the stream that its declaration names"
    GRID = (
        "Definition 13: a window closes at t0 + alpha, and then after each beta; t0 does not depend on data"
    )
    DECLARED = "Definition 11: the query declares all windows and their lengths"
    NON_EMPTY = "Definition 23, non-empty content: a window without triples does not report"
    ALL_TRIPLES = "Definitions 12 and 13: a window contains all triples between its ends"


@dataclass(frozen=True, slots=True)
class WrittenQuery(EngineQuery):
    """A query with the text from which it was read; `source` is the name of the text in messages.

    Engines distinguish details that the algebra omits: a FILTER inside STREAM or after STREAM, the sequences
    of triples, and the lines of window declarations.
    """

    text: str = field(default="", compare=False)
    source: str = field(default="query", compare=False)
    base: str = field(default="", compare=False)


@remember
def with_its_text(query: EngineQuery, text: str, source: str, base: str = "") -> WrittenQuery:
    """Return a query with the text from which it was read."""
    known = {member.name: getattr(query, member.name) for member in fields(EngineQuery)}
    return WrittenQuery(**known, text=text, source=source, base=base)


_LOOKED_AT: Final = (Language.CQELS, Language.RSPQL)


def read_with_text(text: str, source: str, language: Language | None = None) -> EngineQuery:
    """Read a query; in CQELS and RSP-QL, the result also contains the text, which engines interpret.

    Raises:
        LarsError: The text is not a valid query.
    """
    query = read_once(text, source, language)
    check_comparable(query, source)
    return with_text(query, text, source)


def with_text(query: EngineQuery, text: str, source: str, base: str | None = None) -> EngineQuery:
    """Return a query of CQELS or RSP-QL with its text, and any other query unchanged."""
    if query.language not in _LOOKED_AT:
        return query
    return with_its_text(query, text, source, base_for(text, source) if base is None else base)


Off = frozenset[str]
"""The names of the rules that are switched off, so that the model follows the specification there."""
NOTHING_OFF: Off = frozenset()


@dataclass(frozen=True, slots=True)
class EngineRule:
    """A rule of an engine version: one difference from the specification, described in one line.

    The field `right` describes the correct behavior, and names its definition (in RSP-QL, 2014, unless
    another source is named).
    """

    name: str
    sentence: str
    right: str = ""


@dataclass(frozen=True, slots=True)
class Engine:
    """The model of an engine version: rules that describe how the version deviates from a specification.

    - `name` is the name on the command line, and `specification` the name of the specification.
    - The function `recorded` computes the reports of the engine. With all rules off, the reports follow the
      specification on the clock of the engine, with windows that begin at multiples of their slide.
    - If `timed` is true, the model also predicts the times of reports, because pushed triples set the clock.
    - `builds` are other engines with the same name in recordings: the same version with other libraries, or
      with windows in a different order. `build` describes the difference from these builds.
    - `own_parser` reads and rejects texts like the parser of the engine; None if this parser is unknown.
    - `parser` accepts all texts, but drops constructs that it does not recognize.
    - `nearest` returns, if the reports depend on an unknown order, the possible reports closest to a
      recording.
    """

    name: str
    specification: str
    rules: tuple[EngineRule, ...]
    recorded: Callable[[EngineQuery, Static, Sequence[Push], Off], Recording]
    timed: bool = True
    builds: tuple["Engine", ...] = ()
    build: str = ""
    own_parser: Callable[[str, str], EngineQuery] | None = None
    parser: StrictEngine | None = None
    nearest: "Callable[[EngineQuery, Static, Sequence[Push], Off, Recording], Recording] | None" = None

    def read(self, text: str, source: str) -> EngineQuery:
        """Read a query like the parser of the engine, if this parser is known.

        Raises:
            LarsError: The text is not a valid query for the engine.
        """
        if self.own_parser is not None:
            return self.own_parser(text, source)
        # An engine of RSP-QL reads it as that, whatever dialect it is told to be of.
        named = read_once(text, source).language.manner.names_windows
        return read_with_text(text, source, Language.RSPQL if named else None)

    def loses(self, query: EngineQuery) -> str | None:
        """Return the part of a query's text that the parser of the engine drops, with its place, or None."""
        if self.parser is None or not isinstance(query, WrittenQuery):
            return None
        try:
            check_strict(query.text, query.source, self.parser)
        except LarsError as error:
            return str(error)
        return None

    def run(
        self, query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off = NOTHING_OFF
    ) -> Recording:
        """Return the reports that the model predicts; the rules in `off` are switched off.

        Each report contains the number of the pushed triple that triggered it.

        Raises:
            LarsError: The engine cannot run the query.
        """
        return self.recorded(query, static, pushes, off)

    def predict(
        self, query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off, of: Recording
    ) -> Recording:
        """Return the predicted reports; from several possible results, the one closest to the recording `of`.

        Raises:
            LarsError: The engine cannot run the query.
        """
        if self.nearest is None:
            return self.recorded(query, static, pushes, off)
        return self.nearest(query, static, pushes, off, of)


Shown = TypeVar("Shown")


BAGS: Final = Setting("sparql11", semantics="bag", ordered=True)
"""The settings of SPARQL 1.1, for engines that pass the content of windows to a SPARQL processor."""


_TRIPLES_AT_ONCE: Final = 500_000
"""The maximum number of triples of window contents in memory; a triple counts once per content."""
_TRIPLE: Final = (STREAM_PREDICATE, 4)

Content = Mapping[WindowSource, Collection[Triple]]
"""The triples in each window of a query; a window that is left out is empty."""


def answers(
    query: EngineQuery, contents: Iterable[Content], static: Static, setting: Setting = BAGS
) -> list[tuple[Row, ...]]:
    """Return the ordered rows of a query for each content of its windows.

    The columns have the order of `columns`. An ASK query has the one row () if the answer is true, and no row
    if the answer is false.
    """
    names = {source: Iri(f"urn:x-lars:source:{n}") for n, source in enumerate(sources(query))}
    snapshot = with_sources(query, lambda source: WindowSource(names[source], Now()))
    output, program = output_of(snapshot, setting), lars_program(snapshot, setting)
    # Whoever reads the static data warns of it once, not for each run.
    known, terms = background(static, query.dataset, lambda _: None, query.language), TermCodes()
    always = {name: encoded_rows(rows, name[1], terms) for name, rows in known.items()}
    row_sets: list[tuple[Row, ...]] = []
    for part in portions(contents, _TRIPLES_AT_ONCE, lambda _, content: sum(map(len, content.values()))):
        tables = [
            given_rows([content.get(source, ()) for content in part], 3, terms).with_constant(
                terms.code(str(name))
            )
            for source, name in names.items()
        ]
        shown_contents = ShownContents(terms, len(part), {(_TRIPLE, NOW): concatenate(tables, 4)}, always)
        rows: list[list[Row]] = [[] for _ in part]
        for row, first, last in decode(evaluated_on(program, shown_contents, output.predicate), terms):
            for number in range(first, last + 1):
                rows[number].append(row)
        row_sets += [tuple(in_order(output, own)) for own in rows]
    return row_sets


def portions(
    contents: Iterable[Shown], most: int, size_after: Callable[[Shown | None, Shown], int]
) -> Iterator[Sequence[Shown]]:
    """Yield window contents in portions; the first content that makes a portion too large is its last.

    A portion is too large if its size is above `most`. The function `size_after` receives the previous
    content (None at the start of a portion) and the next content, and returns the size that the next content
    adds.
    """
    part: list[Shown] = []
    size = 0
    for content in contents:
        size += size_after(part[-1] if part else None, content)
        part.append(content)
        if size > most:
            yield part
            part, size = [], 0
    if part:
        yield part


@remember
def columns(query: EngineQuery, setting: Setting = BAGS) -> tuple[str, ...]:
    """Return the names of a query's columns, in the order in which `answers` returns them."""
    return tuple(variable.name for variable in output_of(query, setting).variables)
