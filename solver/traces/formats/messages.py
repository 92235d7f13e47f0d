"""Formats of logs: each message is an element; its time is its number, or the value of a property."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from lars.errors import Place
from solver.columns import TermCodes
from solver.rdf import canonical
from solver.traces import input_files
from solver.traces.formats.graphs import LinedQuad, literal_time
from solver.traces.trace_times import Instant, MalformedPart, TimeKind

_TOGETHER: Final = 2**16
"""The approximate number of triples in a block of messages."""


class LoggedMessage(NamedTuple):
    """A message of a log, with its number and its first line, both counted from 1.

    If the message is invalid, but later messages can be read, `fault` is its error.
    """

    number: int
    line: int
    text: bytes
    quads: Sequence[LinedQuad]
    fault: MalformedPart | None = None

    def atoms(self, source: input_files.TraceFile) -> Sequence[input_files.TracedAtom]:
        """Return the triples of all graphs of the message as atoms; for an empty message, only its time.

        If a property gives messages their times, an empty message has no time, and the result is empty.

        Raises:
            MalformedPart: The time or a triple is invalid.
        """
        if self.fault is not None:
            raise self.fault
        triples = [*dict.fromkeys(quad.triple for quad in self.quads)]
        if not triples and source.options.time is not None:
            return ()
        line, written = self._time(source)
        try:
            named = dict.fromkeys((quad.triple, quad.graph) for quad in self.quads if quad.graph)
            return input_files.element_atoms(source, written, None, triples, quads=[*named])
        except MalformedPart as error:
            raise error.at(line=line) from None

    def _time(self, source: input_files.TraceFile) -> tuple[int, Instant]:
        if source.options.time is None:
            return self.line, Instant(TimeKind.INTEGER, self.number)
        timed = _property(source.options.time)
        for line, (_, predicate, value), _ in self.quads:
            if predicate == timed:
                return line, literal_time(value, line)
        problem = f"message {self.number} has no {timed}; expected a time in each message"
        raise MalformedPart(problem, line=self.line)

    def row(self, source: input_files.TraceFile, place: int) -> input_files.ExactRow:
        """Return the message as row number `place` of a block: with its atoms, or with its error."""
        try:
            return input_files.ExactRow(place, self.atoms(source), "", self.line)
        except MalformedPart as error:
            line = error.line or self.line
            return input_files.ExactRow(
                place, (error,), input_files.line_of(self.text, line - self.line + 1), line
            )


@cache
def _property(iri: str) -> str:
    """Return the canonical text of the property that gives messages their times."""
    return canonical(f"<{iri}>")


ReadMessages = Callable[[input_files.TraceFile], Iterator[LoggedMessage]]
"""A function that yields the messages of a file, and raises MalformedPart with the line of a fault."""


class MessageFormat(input_files.FileFormat):
    """A format of logs whose elements are messages."""

    of_messages = True

    def __init__(self, messages: ReadMessages) -> None:
        self.messages = messages

    def __repr__(self) -> str:
        return f"{super().__repr__()}({self.messages.__name__})"

    def blocks(self, part: input_files.TraceFile, terms: TermCodes | None) -> Iterator[input_files.RowBlock]:
        """Yield the messages of a file in blocks, from the beginning of the file to its end.

        The file is not divided into parts, because the number of a message depends on all earlier messages.
        """
        _ = terms
        before, rows, held = 0, list[input_files.ExactRow](), 0
        try:
            for message in self.messages(part):
                rows.append(message.row(part, len(rows)))
                held += len(message.quads) + 1
                if held >= _TOGETHER:
                    yield input_files.RowBlock(before, len(rows), (), rows)
                    before, rows, held = before + len(rows), [], 0
        except MalformedPart as error:
            rows.append(input_files.ExactRow(len(rows), (error,), "", error.line or 1))
        yield input_files.RowBlock(before, len(rows), (), rows)

    def placed(self, source: input_files.TraceFile, places: Sequence[Place]) -> list[Place]:
        """Return the places of errors, with the texts of the lines to quote in messages."""
        numbers = {place.line for place in places}
        with source.file.open("rb") as file:
            lines = islice(enumerate(input_files.lines_in(file), 1), max(numbers))
            texts = {number: input_files.line_of(line, 1) for number, line in lines if number in numbers}
        return [replace(place, line_text=texts.get(place.line, "")) for place in places]
