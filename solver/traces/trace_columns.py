"""A whole trace in columns, from its files."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from lars.errors import Place, refused
from lars.terms import Signature
from solver.columns import InputAtoms, TermCodes, TraceColumns, in_time_order
from solver.facts import STREAM_PREDICATE
from solver.settings import OnError, TraceOptions
from solver.traces.blocks import (
    ExactRow,
    RowBlock,
    TimedRows,
    exact_rows,
    file_blocks,
    joined,
    summaries_of,
    times_of_rows,
)
from solver.traces.file_readers import Raw, error_at
from solver.traces.summaries import Summary, summarise
from solver.traces.survey import Survey, report, survey
from solver.traces.trace import checked_rows
from solver.traces.trace_elements import FileFormat, TraceFile
from solver.traces.trace_times import Malformed

_TRIPLE: Final = (STREAM_PREDICATE, 4)


def read_columns(sources: Sequence[TraceFile], options: TraceOptions) -> TraceColumns:
    """Return a trace in columns; what `read_here` raises, warns of and keeps is the same."""
    reading = _Reading(options)
    for source in sources:
        reading.add(source)
    found = survey(reading.summaries, sources, options)
    report(found, reading.rejected, sources, options)
    return reading.columns(found)


class _Reading:
    """What has been read so far: atoms as they came, what the files say of their times, rejected rows."""

    def __init__(self, options: TraceOptions) -> None:
        self.summaries: list[Summary] = []
        self.rejected: list[Raw] = []
        self._options = options
        self._terms = TermCodes()
        self._atoms: defaultdict[Signature, list[InputAtoms]] = defaultdict(list)
        self._rows = 0

    def add(self, source: TraceFile) -> None:
        """Read a file. LarsError: it cannot be read, or has what cannot be skipped."""
        before, unit = len(self.rejected), self._options.unit.nanoseconds
        timed = joined([times_of_rows((), self._terms), *self._parts(source)])
        self.summaries += summaries_of(timed, source.position(), self._terms, unit)
        self.summaries += summarise(self.rejected[before:], unit)

    def columns(self, found: Survey) -> TraceColumns:
        """Return all that was read, with the times that a survey finds."""
        unit, atoms = self._options.unit, {}
        for name in [*self._atoms]:
            parts = self._atoms.pop(name)
            times = found.times_of(np.concatenate([part.t for part in parts]), unit)
            arrival = np.concatenate([part.arrival for part in parts])
            columns = (np.concatenate([part.columns[place] for part in parts]) for place in range(name[1]))
            atoms[name] = InputAtoms(times, arrival, tuple(columns))
        latest = max(summary.latest for summary in self.summaries if summary.rows)
        last = found.times_of(np.array([latest], np.int64), unit)
        return TraceColumns(self._terms, in_time_order(atoms), int(last[0]))

    def _parts(self, source: TraceFile) -> Iterator[TimedRows]:
        if source.format in (FileFormat.TRIG, FileFormat.TURTLE):
            timed = self._encoded(checked_rows([source], self._options), self._rows)
            self._rows = int(timed.numbers.max(initial=self._rows)) + 1
            yield timed
            return
        try:
            for block in file_blocks(source, self._terms):
                yield from self._of_block(source, block)
        except OSError as error:
            raise refused(source.path, error, "cannot be read") from None

    def _of_block(self, source: TraceFile, block: RowBlock) -> Iterator[TimedRows]:
        others, triples = [*self._checked(source, block)], block.triples
        numbers = block.numbers(others) + self._rows
        arrival = numbers[triples.places]
        if len(arrival):
            self._atoms[_TRIPLE].append(InputAtoms(triples.times, arrival, triples.columns))
            yield TimedRows(arrival, triples.kinds, triples.times, triples.columns[3])
        yield self._encoded(exact_rows(source.position(), others, numbers), 0)
        self._rows = int(numbers[-1])

    def _checked(self, source: TraceFile, block: RowBlock) -> Iterator[ExactRow]:
        stop = self._options.on_error is OnError.STOP
        for row in block.others:
            for found in row.found:
                if isinstance(found, Malformed) and (found.fatal or stop):
                    place = Place(source.path, block.before + row.place + 1, found.column, row.text)
                    raise error_at(source, place, found.problem)
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
            if row.predicate is not None:
                name = row.predicate, len(row.arguments)
                places[name].append((row.time, before + row.seq))
                texts[name] += row.arguments
        for name, placed in places.items():
            times, numbers = np.array(placed, np.int64).T
            columns = self._terms.codes(texts[name]).reshape(len(placed), name[1]).T
            self._atoms[name].append(InputAtoms(times, numbers, tuple(columns)))
        return times_of_rows(read, self._terms, before)
