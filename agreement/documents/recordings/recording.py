"""Recorded data of an engine, and the types of values that several file formats share.

The data are pushed triples and reports. The types are times, terms, IRIs, triples, and terms in SPARQL 1.1
JSON. Rows that are compared often are represented by numbers, and decoded when they are read.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from itertools import repeat
from typing import Annotated, Final, Literal, overload

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from agreement.documents.outputs import plain
from agreement.documents.placed import KeyPath, PlacedData
from agreement.documents.values import WrongValueError, wrong
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import XSD, tagged
from lars.language.terms import Literal as RdfLiteral
from solver import traces
from solver.columns import Array, Mask, Numbering, TraceColumns
from solver.facts import QUAD_PREDICATE, STREAM_PREDICATE, Row, Static, Triple
from solver.rdf import canonical, read_term, short

ANSWER: Final = "Answer"
"""The column in which engines report the boolean of an ASK query: xsd:boolean true or false."""
_STREAM_TRIPLE: Final = (STREAM_PREDICATE, 4)
_STREAM_QUAD: Final = (QUAD_PREDICATE, 5)


@dataclass(frozen=True, slots=True)
class Push:
    """A triple that is pushed into an engine at a time.

    `stream` is the IRI of the stream with < and >, such as `<http://e/S>`. Triples that are pushed together
    as one graph have the same `graph`. `named` are the names of the named graphs that contain the triple in
    its elements.
    """

    t: float
    stream: str
    triple: Triple
    graph: int | None = None
    named: tuple[str, ...] = ()

    def as_element(self) -> "Push":
        """Return the push in the form that an engine receives: without a graph, with new blank nodes."""
        (triple,) = traces.elements_blanks(f"{self.stream}\n{self.t}", [self.triple])
        return replace(self, triple=triple)


@dataclass(frozen=True, slots=True)
class Report:
    """An answer of an engine: the time of the report, and a multiset of rows, which may be empty.

    `trigger` is the number of the push that caused the report, counted from 0; None if the push is unknown.
    """

    t: float
    rows: Sequence[Row]
    trigger: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """Reports in arrival order; `variables` are the sorted columns of the rows.

    `rejected` are the numbers of rejected pushes. `windows` are the bounds that an engine prints with each
    report, in order. `windows` is empty if the engine prints no bounds.

    `lexical` means that its format omits the kinds of terms. The terms of a lexical recording are results of
    `of_text`. Terms that are compared with such terms must first be converted by `as_lexical`: `30` may have
    been a number, a string or part of an IRI. `rows_only` means that the format cannot express an empty
    answer.
    """

    variables: tuple[str, ...]
    reports: tuple[Report, ...]
    rejected: tuple[int, ...] = ()
    windows: tuple[tuple[float, float] | None, ...] = ()
    lexical: bool = field(default=False, compare=False)
    rows_only: bool = field(default=False, compare=False)


SLACK: Final = 1e-6
"""The greatest error in milliseconds of a time, due to floating-point rounding."""


def in_common_columns(recording: Recording, other: Recording) -> tuple[Recording, Recording]:
    """Return both recordings with the sorted columns of both recordings; a missing column is unbound."""
    names = tuple(sorted({*recording.variables, *other.variables}))
    return in_columns(recording, names), in_columns(other, names)


def in_columns(recording: Recording, names: tuple[str, ...]) -> Recording:
    """Return the recording with these columns; a column that the recording lacks is unbound."""
    if names == recording.variables:
        return recording
    places = {name: place for place, name in enumerate(recording.variables)}
    places_of_names = [places.get(name) for name in names]

    def row(whole_row: Row) -> Row:
        return tuple(None if place is None else whole_row[place] for place in places_of_names)

    return replace(_with_rows(recording, lambda rows: tuple(map(row, rows))), variables=names)


def _with_rows(recording: Recording, change: Callable[[Sequence[Row]], Sequence[Row]]) -> Recording:
    """Return a recording in which `change` replaces the rows of each report."""
    reports = (replace(report, rows=change(report.rows)) for report in recording.reports)
    return replace(recording, reports=tuple(reports))


LATEST: Final = 2**53
"""The time in ms from which floating-point milliseconds do not distinguish all times."""
_BEYOND: Final = 2.0**200
"""A number that is too large for a time in every unit."""
ACCEPTED_LATEST: Final = f"expected times below {LATEST} ms"


def pushes_of(trace: TraceColumns, milliseconds: float) -> tuple[Push, ...]:
    """Return the triples of a trace as pushes in arrival order; a time point lasts `milliseconds`.

    All triples of one stream at one time form one graph. Raises LarsError for atoms that are not stream
    triples, and for a time without an exact number of milliseconds.
    """
    others = [
        (some.arrival[0], some.t[0], name)
        for name, some in trace.atoms.items()
        if name not in (_STREAM_TRIPLE, _STREAM_QUAD)
    ]
    if others:
        _, t, (predicate, _) = min(others)
        raise LarsError(f"the trace contains the atom {predicate} at {t}; use RDF streams")
    if (triples := trace.atoms.get(_STREAM_TRIPLE)) is None:
        return ()
    order = np.argsort(triples.arrival, kind="stable")
    times = triples.t[order].tolist()
    if (late := next((t for t in times if t * milliseconds >= LATEST), None)) is not None:
        raise LarsError(f"an element comes at {late}; {ACCEPTED_LATEST}")
    *spo, streams = (trace.terms.atom_texts(column[order]) for column in triples.columns)
    every = tuple(zip(*spo, strict=True))
    named = _graphs_of(trace)
    graphs = (named.get(key, ()) for key in zip(times, streams, every, strict=True)) if named else repeat(())
    return tuple(map(Push, (round(t * milliseconds, 6) for t in times), streams, every, repeat(0), graphs))


def _graphs_of(trace: TraceColumns) -> dict[tuple[int, str, Triple], tuple[str, ...]]:
    """Return the names of the named graphs of each triple, by time, stream and triple."""
    if (quads := trace.atoms.get(_STREAM_QUAD)) is None:
        return {}
    found: dict[tuple[int, str, Triple], tuple[str, ...]] = {}
    columns = (trace.terms.atom_texts(column) for column in quads.columns)
    for t, s, p, o, graph, stream in zip(quads.t.tolist(), *columns, strict=True):
        key = (t, stream, (s, p, o))
        found[key] = tuple(dict.fromkeys((*found.get(key, ()), graph)))
    return found


_NUMBERS: Final = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
)
_BLANK = re.compile(r"_:[A-Za-z0-9_]+")


TimedRow = tuple[float, Mapping[str, str | None]]
"""A row with the time of its report; a variable without a value is unbound."""


def recording_of(
    variables: Iterable[str], reports: Iterable[tuple[float, Iterable[Mapping[str, str | None]]]]
) -> Recording:
    """Return the recording of reports with their times in milliseconds."""
    names = tuple(sorted(set(variables)))
    return Recording(names, tuple(Report(t, rows_in(names, rows)) for t, rows in reports))


def rows_in(names: Sequence[str], rows: Iterable[Mapping[str, str | None]]) -> tuple[Row, ...]:
    """Return rows as tuples in columns; a variable that a row omits is unbound."""
    return tuple(tuple(map(row.get, names)) for row in rows)


def names_of(rows: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return the sorted names of the variables in rows."""
    return tuple(sorted({name for row in rows for name in row}))


def group_reports(rows: Iterable[TimedRow]) -> list[tuple[float, list[Mapping[str, str | None]]]]:
    """Return consecutive rows of one time as one report."""
    groups: list[tuple[float, list[Mapping[str, str | None]]]] = []
    for t, row in rows:
        if not groups or groups[-1][0] != t:
            groups.append((t, []))
        groups[-1][1].append(row)
    return groups


def made_lexical(recording: Recording) -> Recording:
    """Return a recording without the kinds of its terms."""
    return _with_rows(recording, lambda rows: tuple(tuple(map(as_lexical, row)) for row in rows))


def of_text(text: str) -> str | None:
    """Return the term of a text whose kind of term is unknown.

    A text of a number gives a number literal, `_:b` gives a blank node, and "" gives None. Any other text
    gives a plain literal.

    >>> of_text("90."), of_text("http://e/a"), of_text("_:b0"), of_text("")
    ('"90."^^<http://www.w3.org/2001/XMLSchema#decimal>', '"http://e/a"', '_:b0', None)
    """
    if not text or _BLANK.fullmatch(text):
        return text or None
    for pattern, name in _NUMBERS:
        if pattern.fullmatch(text):
            return str(RdfLiteral(text, XSD + name))
    return str(RdfLiteral(text))


def as_lexical(term: str | None) -> str | None:
    """Return the canonical text of a term without the kind of the term.

    >>> as_lexical('"30"'), as_lexical("<http://e/a>")
    ('"30"^^<http://www.w3.org/2001/XMLSchema#integer>', '"http://e/a"')
    """
    if term is None:
        return None
    if term.startswith("<"):  # also a text that is not an IRI, such as <3>
        return of_text(term[1:-1])
    read = read_term(term)
    return of_text(read.lexical) if isinstance(read, RdfLiteral) else term


class RowNumbers:
    """A growing dictionary of rows, in which equal rows have the same number.

    >>> known = RowNumbers()
    >>> rows = known.numbered([("<e:b>",), (None,), ("<e:b>",)])
    >>> rows.numbers.tolist(), list(rows[1:])
    ([0, 1, 0], [(None,), ('<e:b>',)])
    """

    def __init__(self) -> None:
        self._numbers: Numbering[Row] = Numbering()
        self._rows: list[Row] = []

    def numbered(self, rows: Iterable[Row]) -> "RowsByNumber":
        """Return the numbers of the rows; a new row gets a new number."""
        if isinstance(rows, RowsByNumber) and rows.of is self:
            return rows
        return RowsByNumber(self, np.array(list(map(self._numbers.__getitem__, rows)), np.int64))

    @property
    def rows(self) -> Sequence[Row]:
        """All rows of the dictionary, in the order of their numbers."""
        # A dictionary keeps the order in which its keys came.
        if len(self._rows) < len(self._numbers):
            self._rows = list(self._numbers)
        return self._rows

    def __len__(self) -> int:
        return len(self._numbers)


class RowsByNumber(Sequence[Row]):
    """Rows that are represented by their numbers in the dictionary `of`."""

    def __init__(self, of: RowNumbers, numbers: Array) -> None:
        self.of, self.numbers = of, numbers

    @cached_property
    def _decoded(self) -> tuple[Row, ...]:
        return tuple(map(self.of.rows.__getitem__, self.numbers.tolist()))

    def chosen(self, places: Array | Mask) -> "RowsByNumber":
        """Return the rows at the given places, or the rows that a mask selects."""
        return RowsByNumber(self.of, self.numbers[places])

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._decoded)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> "RowsByNumber": ...

    def __getitem__(self, place: int | slice) -> "Row | RowsByNumber":
        if isinstance(place, slice):
            return RowsByNumber(self.of, self.numbers[place])
        return self.of.rows[int(self.numbers[place])]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RowsByNumber) and other.of is self.of:
            return np.array_equal(self.numbers, other.numbers)
        return isinstance(other, tuple | RowsByNumber) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(self._decoded)


def together(parts: Sequence[Sequence[Row]]) -> Sequence[Row]:
    """Return the rows of several answers in order, as numbers if all parts use one dictionary."""
    if len(parts) == 1:
        return parts[0]
    numbered = [part for part in parts if isinstance(part, RowsByNumber)]
    if numbered and len(numbered) == len(parts) and len({id(part.of) for part in numbered}) == 1:
        return RowsByNumber(numbered[0].of, np.concatenate([part.numbers for part in numbered]))
    return tuple(row for part in parts for row in part)


def rows_of(reports: Sequence[Report]) -> Sequence[Row]:
    """Return all rows of reports, in the order of the reports."""
    return together([report.rows for report in reports])


def number_rows(recording: Recording, numbers: RowNumbers) -> Recording:
    """Return a recording whose rows are represented by numbers."""
    return _with_rows(recording, numbers.numbered)


_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """The unit of numeric times, and the origin of dateTimes; without an origin, dateTimes are rejected.

    If `ordered` is false, the time of a report may be earlier than the time of the previous report.
    """

    unit: Duration
    origin: traces.Instant | None = None
    ordered: bool = True

    def read(self, text: str) -> float:
        """Return the time in milliseconds of a text; raises LarsError for an invalid time.

        >>> AnswerTimes(Duration(10**9)).read("1.5")
        1500.0
        """
        if _NUMBER.fullmatch(text):
            return self.of_number(float(text))
        try:
            return self._since_origin(traces.cell_time(text))
        except traces.MalformedPart:
            raise LarsError(f"found {short(text)}; expected {self._accepted()}") from None

    def of_number(self, number: float) -> float:
        """Return the time in milliseconds of a number in this unit."""
        # JSON has whole numbers that no float reaches.
        amount = min(number, _BEYOND) * self.unit.milliseconds
        if not math.isfinite(amount) or amount < 0:
            raise LarsError(f"found {number!r}; expected {self._accepted()}")
        if amount >= LATEST:
            raise LarsError(f"the time is too late; {ACCEPTED_LATEST}")
        # To the nanosecond: 1.001 s would be 1000.9999999999999 ms, and no time of any window.
        return round(amount, 6)

    def forwards(self, t: float, before: float) -> float:
        """Return the time of a report in ms; raises LarsError if the time precedes the previous report."""
        if self.ordered and t < before:
            problem = f"found {plain(t)} ms, which is before the preceding time {plain(before)} ms"
            accepted = "reports in the order of their times, or --match sequence"
            raise LarsError(f"{problem}; expected {accepted}")
        return t

    def _since_origin(self, written: traces.Instant) -> float:
        if self.origin is None:
            problem = f"found the dateTime {traces.show(written)}, but the dateTime of time 0 is unknown"
            raise LarsError(f"{problem}; expected {self._accepted()}, or dateTimes with --origin")
        if written.kind is traces.TimeKind.INTEGER or written.kind is not self.origin.kind:
            problem = f"found {traces.show(written)}: only one of this time and the origin has a time zone"
            raise LarsError(f"{problem}; expected {self._accepted()}")
        if written.value < self.origin.value:
            begin = traces.show(self.origin)
            problem = f"found {traces.show(written)}, which is before time 0, {begin}"
            raise LarsError(f"{problem}; use --origin with a dateTime up to the earliest time of the answers")
        return self.of_number((written.value - self.origin.value) / self.unit.nanoseconds)

    def _accepted(self) -> str:
        return f"a time from 0 that counts {self.unit}"


ACCEPTED_TRIPLE: Final = "a triple as in N-Triples, <s> <p> <o> ."

_TRIPLE = re.compile(r"(<[^<>]*>|_:\S+)\s*(<[^<>]*>)\s*(\S.*)\.", re.DOTALL)


class RecordingPart(BaseModel):
    """A part of a recording; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)


_NO_SCHEME = re.compile(r"<[^<>\"{}|^`\\\x00-\x20:]*>")


def answered_term(text: str) -> str:
    """Return the canonical text of a term in a row; an IRI without a scheme is unchanged.

    >>> answered_term("<3>"), answered_term("<http://e/a>")
    ('<3>', '<http://e/a>')
    """
    return text if _NO_SCHEME.fullmatch(text) else canonical(text)


def _term(text: str) -> str:
    try:
        return answered_term(text)
    except LarsError as error:
        raise WrongValueError(str(error)) from None


def stream_iri(text: str) -> str:
    """Return the text `<iri>` of an IRI that is written without < and >, or raise WrongValueError."""
    try:
        return canonical(f"<{text}>")
    except LarsError:
        raise WrongValueError(f"found {short(text)}; expected an absolute IRI, without <>") from None


@lru_cache(maxsize=65536)
def triple_of(line: str) -> Triple:
    """Return the triple of a line of N-Triples, or raise LarsError.

    >>> triple_of("<http://e/a> <http://e/p> _:b .")
    ('<http://e/a>', '<http://e/p>', '_:b')
    """
    match = _TRIPLE.fullmatch(line.strip())
    if match is None:
        raise LarsError(f"found {short(line)}; expected {ACCEPTED_TRIPLE}")
    return canonical(match[1]), canonical(match[2]), canonical(match[3].rstrip())


_IN_GRAPH = re.compile(r"(.*\S)\s*(<[^<>\"\s]*>|_:\S+)\s*\.", re.DOTALL)


@lru_cache(maxsize=65536)
def quad_of(line: str) -> tuple[Triple, str | None]:
    """Return the triple and the name of the graph of a line of N-Quads; None means the default graph.

    >>> quad_of('<http://e/a> <http://e/p> "1" <http://e/g> .')
    (('<http://e/a>', '<http://e/p>', '"1"'), '<http://e/g>')
    """
    try:
        return triple_of(line), None
    except LarsError:
        match = _IN_GRAPH.fullmatch(line.strip())
        if match is None:
            raise
        return triple_of(f"{match[1]} ."), canonical(match[2])


def static_of(lines: Iterable[str], graph: str | None = None) -> Static:
    """Return the static data of N-Quads lines.

    Triples without a graph belong to `graph` or the default graph.
    """
    default: set[Triple] = set()
    named: dict[str, set[Triple]] = {}
    for triple, own in map(quad_of, lines):
        name = own or graph
        (default if name is None else named.setdefault(name, set())).add(triple)
    return Static(frozenset(default), {name: frozenset(triples) for name, triples in named.items()})


def static_lines(static: Static) -> tuple[str, ...]:
    """Return static data as lines of N-Quads, sorted."""
    default = (f"{' '.join(triple)} ." for triple in static.default)
    names = (f"{' '.join(triple)} {graph} ." for graph, triples in static.named.items() for triple in triples)
    return (*sorted(default), *sorted(names))


def _line(read: Callable[[str], object]) -> AfterValidator:
    """Return a validator that raises WrongValueError for an invalid line, and returns any other line."""

    def checked(line: str) -> str:
        try:
            read(line)
        except LarsError as error:
            raise WrongValueError(str(error)) from None
        return line

    return AfterValidator(checked)


TermText = Annotated[str, AfterValidator(_term)]
"""A term in N-Triples syntax."""
StreamIri = Annotated[str, AfterValidator(stream_iri)]
"""An IRI that the file writes without < and >; the value contains < and >."""
TripleLine = Annotated[str, _line(triple_of)]
"""A triple as a line of N-Triples."""
QuadLine = Annotated[str, _line(quad_of)]
"""A triple as a line of N-Triples, or a triple of a named graph as a line of N-Quads."""
Finite = Annotated[float, Field(allow_inf_nan=False)]
Index = Annotated[int, Field(ge=0)]


_ACCEPTED_TERM: Final = (
    """a term as in SPARQL 1.2 JSON, {"type": "uri" or "literal" or "bnode" or "triple", "value": ".."}"""
)


class TripleEntry(RecordingPart):
    """The parts of a triple term."""

    subject: "TermEntry"
    predicate: "TermEntry"
    object: "TermEntry"


class TermEntry(RecordingPart):
    """An RDF term in JSON; older engines use `typed-literal` as the type of a literal with a datatype."""

    type: Literal["uri", "literal", "typed-literal", "bnode", "triple"]
    value: str | TripleEntry
    datatype: str | None = None
    language: str | None = Field(default=None, alias="xml:lang")
    lang: str | None = None
    direction: Literal["ltr", "rtl"] | None = Field(default=None, alias="its:dir")

    @model_validator(mode="before")
    @classmethod
    def _is_object(cls, value: object) -> object:
        if not isinstance(value, dict | TermEntry):
            raise wrong(value, _ACCEPTED_TERM)
        return value

    def text(self) -> str:
        """Return the canonical text of the term; raises LarsError if the entry is not an RDF term."""
        match self.type, self.value:
            case "uri", str(value):
                return _iri(value)
            case "bnode", str(value):
                return _blank(value)
            case "literal" | "typed-literal", str(value):
                return self._literal(value)
            case "triple", TripleEntry(subject=subject, predicate=predicate, object=other):
                return canonical(f"<<( {subject.text()} {predicate.text()} {other.text()} )>>")
            case kind, _:
                value = "a triple: subject, predicate and object" if kind == "triple" else "a text"
                raise LarsError(f"found a wrong value for the type {kind}; expected {value}")

    def _literal(self, value: str) -> str:
        if tag := self.language or self.lang:
            directed = f"{tag}--{self.direction}" if self.direction else tag
            return canonical(str(tagged(value, directed)))
        if self.datatype is None:
            return str(RdfLiteral(value))
        _iri(self.datatype)
        return canonical(str(RdfLiteral(value, self.datatype)))


def _iri(value: str) -> str:
    if "\\" in value:
        raise LarsError(f"found {short(value)}; expected an absolute IRI")
    return canonical(f"<{value}>")


def _blank(label: str) -> str:
    try:
        return canonical(f"_:{label}")
    except LarsError:
        # JSON allows labels that N-Triples does not: they become others, one for each.
        return f"_:x{label.encode().hex()}"


def _check(entry: TermEntry) -> TermEntry:
    try:
        entry.text()
    except LarsError as error:
        raise WrongValueError(str(error)) from None
    return entry


BoundTerm = Annotated[TermEntry, AfterValidator(_check)]
SolutionEntry = dict[str, BoundTerm | None]
"""The terms that a solution binds; a variable that is null or omitted is unbound."""


def row_of(solution: Mapping[str, TermEntry | None]) -> dict[str, str | None]:
    """Return the canonical texts of the terms of a solution."""
    return {name: None if entry is None else entry.text() for name, entry in solution.items()}


def check_named(
    document: PlacedData, path: KeyPath, solution: Mapping[str, object], variables: list[str]
) -> None:
    """Raise LarsError for a variable of a solution that the head of the results does not list."""
    for name in solution:
        if name not in variables:
            accepted = ", ".join(variables) or "none"
            problem = f"found the variable {short(name)}; expected a variable of head.vars: {accepted}"
            raise document.error((*path, name), problem, at_key=True)
