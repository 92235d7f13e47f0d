"""Trace formats whose elements are graphs: TriG with times in the default graph, and numbered Turtle."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final, NamedTuple

import pyoxigraph
from pyoxigraph import RdfFormat

from lars.dataclass import dataclass
from lars.durations import SECOND
from lars.errors import Place
from lars.files import BYTE_ORDER_MARK, line_end
from lars.language.terms import XSD
from solver.columns import TermCodes
from solver.facts import Triple
from solver.rdf import NotATerm, blanks_numbered, quad_texts, syntax_problem
from solver.settings import TraceOptions
from solver.traces import input_files
from solver.traces.trace_times import Instant, MalformedPart, read_time

NUMBERED: Final = re.compile(r"data_([0-9]{1,18})\.ttl")
GENERATED_AT: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
ACCEPTED_TRIG: Final = "one named graph an element, its time by prov:generatedAtTime in the default graph"
_TIME = re.compile(r'"([^"\\]*)"(?:\^\^<([^<>]*)>)?')


class LineByLine:
    """A file that gives a parser one line at a time, so that its attribute `line` is the parser's line."""

    def __init__(self, data: bytes) -> None:
        self._data = data.removeprefix(BYTE_ORDER_MARK)
        self._line_end = line_end(data)
        self._at = self.line = 0
        self._at_start = True

    def read(self, size: int = -1) -> bytes:
        """Return the next line of the file, or the next `size` bytes of a longer line."""
        end = self._data.find(self._line_end, self._at) + 1 or len(self._data)
        # The parser must not get more than it asks for: a long line comes in parts.
        part = self._data[self._at : end if size < 0 else min(end, self._at + size)]
        self._at += len(part)
        self.line += self._at_start and bool(part)
        self._at_start = part.endswith(self._line_end)
        return part


class LinedQuad(NamedTuple):
    """A triple, with the name of its graph and its line in the file."""

    line: int
    triple: Triple
    graph: str | None


def read_quads(data: bytes, kind: RdfFormat) -> Iterator[LinedQuad]:
    """Yield the triples of a file in order, with their graphs and lines.

    Raises:
        MalformedPart: A line is invalid; the error contains line and column.
    """
    reader = LineByLine(data)
    try:
        for quad in pyoxigraph.parse(reader, format=kind):  # type: ignore[arg-type]  # it has a read()
            s, p, o, graph = quad_texts(quad)
            yield LinedQuad(reader.line, (s, p, o), graph)
    except SyntaxError as error:
        accepted = "Turtle" if kind == RdfFormat.TURTLE else f"TriG, {ACCEPTED_TRIG}"
        problem = f"{syntax_problem(error)}; expected {accepted}"
        raise MalformedPart(problem, error.offset or 1, error.lineno or reader.line, fatal=True) from None
    except NotATerm as error:
        raise MalformedPart(str(error), 1, reader.line, fatal=True) from None


@dataclass(slots=True)
class GraphElement:
    """A graph that is an element of a trace: its first line, its triples, and its times with their lines.

    `quads` are the triples that are in named graphs.
    """

    name: str
    line: int = 1
    triples: list[Triple] = field(default_factory=list)
    times: list[tuple[int, str]] = field(default_factory=list)
    kind: str = "graph"
    accepted: str = ACCEPTED_TRIG
    quads: Sequence[input_files.NamedTriple] = ()

    def atoms(self, source: input_files.TraceFile) -> list[input_files.TracedAtom]:
        """Return the triples of the element as atoms at its time.

        Raises:
            MalformedPart: The element has no valid time, or several times; the error contains a line.
        """
        if not self.times:
            problem = f"the {self.kind} {self.name} has no time; expected {self.accepted}"
            raise MalformedPart(problem, line=self.line)
        line, value = self.times[0]
        for other_line, other in self.times[1:]:
            if other != value:
                problem = f"the {self.kind} {self.name} has the times {value} and {other}; use one time"
                raise MalformedPart(problem, line=other_line)
        written = literal_time(value, line)
        try:
            return input_files.element_atoms(source, written, None, self.triples, quads=self.quads)
        except MalformedPart as error:
            raise error.at(line=line) from None


def literal_time(value: str, line: int) -> Instant:
    """Return the time that a literal denotes.

    Raises:
        MalformedPart: The literal is not a time; the error contains `line`.
    """
    match = _TIME.fullmatch(value)
    if match is None:
        problem = f"{value} is not a time; expected an integer or an xsd:dateTime literal"
        raise MalformedPart(problem, line=line)
    try:
        return read_time(match[1], match[2])
    except MalformedPart as error:
        raise error.at(line=line) from None


def graph_elements(quads: list[LinedQuad]) -> list[GraphElement]:
    """Return the elements of a file in order: each named graph is an element with a time.

    If the file contains only a time for a graph, the graph is an element without triples.

    Raises:
        MalformedPart: A triple is outside all elements.
    """
    elements: dict[str, GraphElement] = {}
    # A graph may be named by a blank node, so only what is inside graphs is numbered first.
    apart = blanks_numbered()
    for line, (s, p, o), graph in quads:
        if graph is not None:
            triple = apart(s), p, apart(o)
            elements.setdefault(graph, GraphElement(graph, line)).triples.append(triple)
    for name, element in elements.items():
        graph = apart(name)
        element.quads = [(triple, graph) for triple in element.triples]
    outside = [(line, triple) for line, triple, graph in quads if graph is None]
    timed = {name for _, (name, predicate, _) in outside if predicate == GENERATED_AT}
    ranks = {name: rank for rank, name in enumerate(elements)}
    last = -1
    for line, (name, predicate, value) in outside:
        if name not in elements and name not in timed:
            problem = f"found a triple about {name} outside of any graph; expected {ACCEPTED_TRIG}"
            raise MalformedPart(problem, line=line, fatal=True)
        if predicate == GENERATED_AT:
            last = ranks.setdefault(name, last)
            elements.setdefault(name, GraphElement(name, line)).times.append((line, value))
    return sorted(elements.values(), key=lambda element: ranks[element.name])


def file_number(file: Path) -> int:
    """Return the time in the name of a numbered file, or 0 if the name has no number."""
    match = NUMBERED.fullmatch(input_files.bare(file).name)
    return int(match[1]) if match else 0


_TOGETHER: Final = 2**12


ReadElements = Callable[[input_files.TraceFile, bytes], list[GraphElement]]
"""A function that returns a file's elements; it raises MalformedPart for triples outside all elements."""


class GraphFormat(input_files.FileFormat):
    """A format whose elements are graphs; a file is read as a whole, and its elements one by one."""

    def __init__(self, elements: ReadElements, *, is_ordered: bool = True) -> None:
        self.elements = elements
        self.is_ordered = is_ordered

    def __repr__(self) -> str:
        return f"{super().__repr__()}({self.elements.__name__})"

    def blocks(self, part: input_files.TraceFile, terms: TermCodes | None) -> Iterator[input_files.RowBlock]:
        """Yield the elements of a file in blocks."""
        _ = terms
        data = part.file.read_bytes()
        line = input_files.lines_by_number(data)
        try:
            elements = self.elements(part, data)
        except MalformedPart as error:
            yield input_files.RowBlock(0, 1, (), [_fault(0, error, line)])
            return
        for begin in range(0, len(elements), _TOGETHER):
            some = elements[begin : begin + _TOGETHER]
            rows = (_row(part, place, element, line) for place, element in enumerate(some))
            yield input_files.RowBlock(begin, len(some), (), rows)

    def placed(self, source: input_files.TraceFile, places: Sequence[Place]) -> list[Place]:
        """Return the places of errors, with the texts of the lines to quote in messages."""
        line = input_files.lines_by_number(source.file.read_bytes())
        return [replace(place, line_text=line(place.line)) for place in places]


def _row(
    source: input_files.TraceFile, place: int, element: GraphElement, line: Callable[[int], str]
) -> input_files.ExactRow:
    try:
        return input_files.ExactRow(place, element.atoms(source), "", element.line)
    except MalformedPart as error:
        return _fault(place, error, line)


def _fault(place: int, error: MalformedPart, line: Callable[[int], str]) -> input_files.ExactRow:
    number = error.line or 1
    return input_files.ExactRow(place, (error,), line(number), number)


def trig_elements(source: input_files.TraceFile, data: bytes) -> list[GraphElement]:
    """Return the elements of TriG: named graphs, whose times are in the default graph."""
    _ = source
    return graph_elements(list(read_quads(data, RdfFormat.TRIG)))


class NumberedTurtle(GraphFormat):
    """The format of a folder with one Turtle file for each time; the file's name is the time in seconds."""

    bytes_of_atom = 100

    def begun(
        self, source: input_files.TraceFile, head: input_files.FileHead, options: TraceOptions
    ) -> input_files.TraceFile:
        """Return the file with seconds as the unit of times, unless the user gave another unit."""
        _ = head
        if options.trace_unit is not None:
            return source
        return replace(source, clock=replace(source.clock, integer_unit=SECOND))


def numbered_element(source: input_files.TraceFile, data: bytes) -> list[GraphElement]:
    """Return the triples of a Turtle file as one element, whose time is in the file's name."""
    quads, apart = list(read_quads(data, RdfFormat.TURTLE)), blanks_numbered()
    line = quads[0].line if quads else 1
    time = f'"{file_number(Path(source.path))}"'
    triples = [(apart(s), p, apart(o)) for _, (s, p, o), _ in quads]
    return [GraphElement(source.path, line, triples, [(1, time)])]


def trig_element(name: str, t: int, triples: Iterable[Triple]) -> str:
    """Return an element in TriG: a named graph with the triples, and its time in the default graph."""
    return f'{name} {GENERATED_AT} "{t}"^^<{XSD}integer> .\n{name} {{\n{turtle(triples)}}}\n'


def turtle(triples: Iterable[Triple]) -> str:
    """Return triples as Turtle, one triple per line."""
    return "".join(f"{s} {p} {o} .\n" for s, p, o in triples)
