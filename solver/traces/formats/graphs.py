"""Trace formats with graphs as elements: TriG with times in the default graph, numbered Turtle."""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple

import pyoxigraph
from pyoxigraph import RdfFormat

from lars.durations import SECOND
from lars.errors import Place
from lars.language.terms import XSD
from solver.rdf import NotATerm, blanks_numbered, quad_texts, syntax_problem
from solver.settings import TraceOptions
from solver.traces.input_files import bare
from solver.traces.rows import (
    FileFormat,
    FileHead,
    Raw,
    TracedAtom,
    TraceFile,
    Triple,
    line_of,
    standardise,
    stream_of,
    triple_reading,
)
from solver.traces.trace_times import Instant, MalformedPart, TimeKind, read_time

NUMBERED: Final = re.compile(r"data_([0-9]{1,18})\.ttl")
GENERATED_AT: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
ACCEPTED_TRIG: Final = "one named graph an element, its time by prov:generatedAtTime in the default graph"
_TIME = re.compile(r'"([^"\\]*)"(?:\^\^<([^<>]*)>)?')


class _LineByLine:
    """A file that the parser reads line by line: `line` is then where it stands."""

    def __init__(self, data: bytes) -> None:
        self._lines = BytesIO(data.removeprefix(b"\xef\xbb\xbf"))
        self._at_start = True
        self.line = 0

    def read(self, size: int = -1) -> bytes:
        # The parser must not get more than it asks for: a long line comes in parts.
        part = self._lines.readline(size)
        self.line += self._at_start and bool(part)
        self._at_start = part.endswith(b"\n")
        return part


class _Quad(NamedTuple):
    line: int
    triple: Triple
    graph: str | None


def _quads(data: bytes, kind: RdfFormat) -> Iterator[_Quad]:
    """Yield the file's triples in order; raise MalformedPart with line and column."""
    reader = _LineByLine(data)
    try:
        for quad in pyoxigraph.parse(reader, format=kind):  # type: ignore[arg-type]  # it has a read()
            s, p, o, graph = quad_texts(quad)
            yield _Quad(reader.line, (s, p, o), graph)
    except SyntaxError as error:
        accepted = "Turtle" if kind == RdfFormat.TURTLE else f"TriG, {ACCEPTED_TRIG}"
        problem = f"{syntax_problem(error)}; accepted: {accepted}"
        raise MalformedPart(problem, error.offset or 1, error.lineno or reader.line, fatal=True) from None
    except NotATerm as error:
        raise MalformedPart(str(error), 1, reader.line, fatal=True) from None


@dataclass(slots=True)
class _Element:
    """A graph while its file is read: its triples and the times given to it, each with its line."""

    lines: list[int] = field(default_factory=list)
    triples: list[Triple] = field(default_factory=list)
    times: list[tuple[int, str]] = field(default_factory=list)

    def add(self, quad: _Quad) -> None:
        self.lines.append(quad.line)
        self.triples.append(quad.triple)


def _elements(quads: list[_Quad]) -> dict[str, _Element]:
    """Return the elements by graph name, in file order; raise for what belongs to no element."""
    elements: dict[str, _Element] = {}
    for quad in quads:
        if quad.graph is not None:
            elements.setdefault(quad.graph, _Element()).add(quad)
    timed = {quad.triple[0] for quad in quads if quad.graph is None and quad.triple[1] == GENERATED_AT}
    for quad in quads:
        name, predicate, value = quad.triple
        if quad.graph is not None:
            continue
        if name not in elements and name not in timed:
            problem = f"found a triple about {name} outside of any graph; accepted: {ACCEPTED_TRIG}"
            raise MalformedPart(problem, line=quad.line, fatal=True)
        if predicate == GENERATED_AT and name in elements:
            elements[name].times.append((quad.line, value))
    return elements


def _written(name: str, element: _Element) -> tuple[int, Instant]:
    """Return the element's time and the line that gives it."""
    if not element.times:
        raise MalformedPart(f"the graph {name} has no time; accepted: {ACCEPTED_TRIG}", line=element.lines[0])
    line, value = element.times[0]
    for other_line, other in element.times[1:]:
        if other != value:
            problem = f"the graph {name} has the times {value} and {other}; accepted: one"
            raise MalformedPart(problem, line=other_line)
    match = _TIME.fullmatch(value)
    if match is None:
        raise MalformedPart(f"{value} is no time; accepted: an integer or an xsd:dateTime literal", line=line)
    try:
        return line, read_time(match[1], match[2])
    except MalformedPart as error:
        raise error.at(line=line) from None


def _readings(source: TraceFile, element: _Element, line: int, written: Instant) -> Iterator[TracedAtom]:
    try:
        stream = stream_of(source, None)
        time = source.clock.stamp(written)
    except MalformedPart as error:
        raise error.at(line=line) from None
    for place, triple in zip(element.lines, standardise(source, stream, time, element.triples), strict=True):
        yield triple_reading(place, time, stream, triple)


def _numbered(quads: Iterable[_Quad]) -> Iterator[_Quad]:
    """Rename blank nodes by first appearance: libraries label [] at random."""
    renamed = blanks_numbered()
    for line, (s, p, o), graph in quads:
        yield _Quad(line, (renamed(s), p, renamed(o)), graph)


def _read_trig(source: TraceFile, data: bytes) -> Iterator[TracedAtom | MalformedPart]:
    # A graph may be named by a blank node, so only what is inside graphs is numbered.
    quads = list(_quads(data, RdfFormat.TRIG))
    inside = _numbered(quad for quad in quads if quad.graph is not None)
    for name, element in _elements([*inside, *(quad for quad in quads if quad.graph is None)]).items():
        try:
            line, written = _written(name, element)
            yield from _readings(source, element, line, written)
        except MalformedPart as error:
            yield error


def _read_turtle(source: TraceFile, data: bytes) -> Iterator[TracedAtom | MalformedPart]:
    element = _Element()
    for quad in _numbered(_quads(data, RdfFormat.TURTLE)):
        element.add(quad)
    try:
        number = file_number(Path(source.path))
        yield from _readings(source, element, 1, Instant(TimeKind.INTEGER, number))
    except MalformedPart as error:
        yield error


def file_number(file: Path) -> int:
    """Return the time in the name of a numbered file, 0 when it has none."""
    match = NUMBERED.fullmatch(bare(file).name)
    return int(match[1]) if match else 0


class GraphFormat(FileFormat):
    """A format whose elements are graphs: a file has no parts, and its rows are read one by one."""

    bytes_of_triple = 150

    @abstractmethod
    def elements(self, source: TraceFile, data: bytes) -> Iterator[TracedAtom | MalformedPart]:
        """Yield the triples of a file in the order of elements, and what cannot be read."""

    def size(self, source: TraceFile) -> int:
        """Return about how many triples a file has, from its size."""
        return source.file.stat().st_size // self.bytes_of_triple

    def rows(self, source: TraceFile) -> Iterator[tuple[Raw, Place]]:
        """Yield the triples of a file, with the lines in which they end."""
        data = source.file.read_bytes()
        for number, row in enumerate(self._readable(source, data)):
            line = row.line or 1
            yield source.row(row, number, line, line_of(data, line) if isinstance(row, MalformedPart) else "")

    def _readable(self, source: TraceFile, data: bytes) -> Iterator[TracedAtom | MalformedPart]:
        try:
            yield from self.elements(source, data)
        except MalformedPart as error:
            yield error

    def placed(self, source: TraceFile, place: Place) -> Place:
        """Return the place with the text of its line."""
        return replace(place, line_text=line_of(source.file.read_bytes(), place.line))


class TrigFile(GraphFormat):
    """TriG: named graphs, their times in the default graph."""

    def elements(self, source: TraceFile, data: bytes) -> Iterator[TracedAtom | MalformedPart]:
        """Yield the triples of all graphs."""
        return _read_trig(source, data)


class NumberedTurtle(GraphFormat):
    """Turtle, a file for each time point, which its name says; times count seconds."""

    bytes_of_triple = 100

    def begun(self, source: TraceFile, head: FileHead, options: TraceOptions) -> TraceFile:
        """Return the file with times in seconds, unless another unit is given."""
        _ = head
        if options.trace_unit is not None:
            return source
        return replace(source, clock=replace(source.clock, trace_unit=SECOND))

    def elements(self, source: TraceFile, data: bytes) -> Iterator[TracedAtom | MalformedPart]:
        """Yield the triples of the file, one element."""
        return _read_turtle(source, data)


def trig_element(name: str, t: int, triples: Iterable[Triple]) -> str:
    """Return an element as TriG: a named graph, its time in the default graph."""
    return f'{name} {GENERATED_AT} "{t}"^^<{XSD}integer> .\n{name} {{\n{turtle(triples)}}}\n'


def turtle(triples: Iterable[Triple]) -> str:
    """Return triples as Turtle, one a line."""
    return "".join(f"{s} {p} {o} .\n" for s, p, o in triples)
