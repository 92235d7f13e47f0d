"""A trace in columns, from its files or from parts of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from lars.errors import Place, system_error
from lars.language.terms import Signature
from solver.columns import InputAtoms, TermCodes, TraceColumns, in_time_order, together
from solver.progress import tell
from solver.settings import OnError, TraceOptions
from solver.traces.blocks import TimedRows, join_rows, summaries_of, times_of_rows
from solver.traces.rows import ExactRow, Raw, RowBlock, Summary, exact_rows, summarise
from solver.traces.survey import Survey, last_time, report, survey
from solver.traces.trace import checked_rows
from solver.traces.trace_files import FilePart, TraceFile
from solver.traces.trace_times import MalformedPart

_ROWS_TOLD: Final = 2**14
"""Of rows that are read one by one it is said after so many how far reading is."""


def read_columns(sources: Sequence[TraceFile], options: TraceOptions) -> TraceColumns:
    """Return a trace in columns, whose atoms are in the order of time, then of arrival.

    Several files are merged by time; of one time the files come in the order in which they are given.
    Raises LarsError for what cannot be read, with file, line and column. Skipped lines are kept in
    the side file and counted in a TraceWarning.
    """
    reading, found = _read(sources, options)
    return reading.columns(found)


def read_arrivals(sources: Sequence[TraceFile], options: TraceOptions) -> TraceColumns:
    """Return a trace in columns; the atoms of one file are in the order in which they stand there."""
    reading, found = _read(sources, options)
    if options.sort or len(sources) > 1:
        return reading.columns(found)
    atoms = reading.timed(found)
    return TraceColumns(reading.terms, atoms, last_time(reading.summaries, found, options.unit))


def _read(sources: Sequence[TraceFile], options: TraceOptions) -> tuple["PartReading", Survey]:
    reading = PartReading(options, size=sum(source.size for source in sources))
    for source in sources:
        reading.add(FilePart(source))
    found = survey(reading.summaries, sources, options)
    report(found, reading.rejected, sources, options)
    return reading, found


class PartReading:
    """What has been read so far: atoms as they came, what the files say of their times, rejected rows.

    Rows have numbers in the order of arrival, from `first`; `lines` are those of all parts, of which
    there are about as many as `size` says.
    """

    def __init__(self, options: TraceOptions, first: int = 0, size: int = 0) -> None:
        self.summaries: list[Summary] = []
        self.rejected: list[Raw] = []
        self.lines = 0
        self.terms = TermCodes()
        self._options = options
        self._atoms: defaultdict[Signature, list[InputAtoms]] = defaultdict(list)
        self._rows = first
        self._size = size

    def add(self, part: FilePart) -> None:
        """Read a part of a file. LarsError: it cannot be read, or has what cannot be skipped.

        The error's line counts from the beginning of the part.
        """
        before, unit = len(self.rejected), self._options.unit.nanoseconds
        timed = join_rows([times_of_rows((), self.terms), *self._timed(part)])
        self.summaries += summaries_of(timed, part.source.position(part.begin), self.terms, unit)
        self.summaries += summarise(self.rejected[before:], unit)

    def columns(self, found: Survey) -> TraceColumns:
        """Return all that was read, with the times that a survey finds."""
        last = last_time(self.summaries, found, self._options.unit)
        return TraceColumns(self.terms, in_time_order(self.timed(found)), last)

    def timed(self, found: Survey) -> dict[Signature, InputAtoms]:
        """Return the atoms, as they came, with the times that a survey finds."""
        unit, atoms = self._options.unit, self.atoms()
        return {name: replace(some, t=found.times_of(some.t, unit)) for name, some in atoms.items()}

    def atoms(self) -> dict[Signature, InputAtoms]:
        """Return the atoms, as they came, with times as `Raw` has them; then they are forgotten here."""
        return {name: together(self._atoms.pop(name)) for name in [*self._atoms]}

    def _timed(self, part: FilePart) -> Iterator[TimedRows]:
        source = part.source
        if (blocks := source.format.blocks(part, self.terms)) is None:
            timed = self._encoded(checked_rows([source], self._options), self._rows)
            self._rows = int(timed.numbers.max(initial=self._rows)) + 1
            yield timed
            return
        try:
            for block in blocks:
                yield from self._of_block(source, block)
                self.lines += block.rows
                tell(self.lines, self._size)
        except OSError as error:
            raise system_error(source.path, error, "cannot be read") from None

    def _of_block(self, source: TraceFile, block: RowBlock) -> Iterator[TimedRows]:
        others = [*self._checked(source, block)]
        numbers = block.numbers(others) + self._rows
        for usual in block.usual:
            arrival = numbers[usual.places]
            if len(arrival):
                self._atoms[usual.name].append(InputAtoms(usual.times, arrival, usual.columns))
                yield TimedRows(arrival, usual.kinds, usual.times, usual.streams)
        yield self._encoded(exact_rows(source.position(), others, numbers), 0)
        self._rows = int(numbers[-1])

    def _checked(self, source: TraceFile, block: RowBlock) -> Iterator[ExactRow]:
        stop = self._options.on_error is OnError.STOP
        for row in block.exact_rows:
            for found in row.content:
                if isinstance(found, MalformedPart) and (found.fatal or stop):
                    place = Place(source.path, block.before + row.place + 1, found.column, row.text)
                    raise source.error(place, found.problem)
            yield row

    def _encoded(self, rows: Iterable[Raw], before: int) -> TimedRows:
        """Keep rows that were read one by one, which are numbered on from some before."""
        read: list[Raw] = []
        places: defaultdict[Signature, list[tuple[int, int]]] = defaultdict(list)
        texts: defaultdict[Signature, list[str]] = defaultdict(list)
        for row in rows:
            if row.problem is not None:
                self.rejected.append(row)
                continue
            read.append(row)
            if not len(read) % _ROWS_TOLD:
                tell(self.lines + len(read), self._size)
            if row.predicate is not None:
                name = row.predicate, len(row.arguments)
                places[name].append((row.time, before + row.seq))
                texts[name] += row.arguments
        for name, placed in places.items():
            times, numbers = np.array(placed, np.int64).T
            columns = self.terms.codes(texts[name]).reshape(len(placed), name[1]).T
            self._atoms[name].append(InputAtoms(times, numbers, tuple(columns)))
        return times_of_rows(read, self.terms, before)
