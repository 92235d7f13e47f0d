"""A trace read row by row and in columns: what both give, to be compared."""

import warnings
from dataclasses import dataclass
from itertools import count, groupby
from operator import itemgetter
from typing import NamedTuple
from unittest.mock import patch

from lars.errors import FailedRunError, LarsError, Place, system_error
from solver.facts import Fact
from solver.traces import MalformedPart, Summary, prepare, read_columns, trace
from solver.traces.formats import lines
from solver.traces.formats.tables import parquet
from solver.traces.survey import RejectedRow, report, survey
from solver.traces.trace_times import TimeKind


class Row(NamedTuple):
    """An atom, only a time, or a fault: then `problem` says why; (position, seq) is the order of arrival."""

    position: int
    seq: int
    kind: int = 0
    time: int = 0
    stream: str | None = None
    predicate: str | None = None
    arguments: tuple = ()
    problem: str | None = None
    zone: int = 0


def exact_rows(source):
    """Yield the rows of a file with their lines, each read by itself."""
    if isinstance(source.format, lines.LineFormat):
        yield from rows_of_lines(source)
    elif isinstance(source.format, parquet.ParquetTable):
        batches = parquet.table_batches(source, 2**12)
        records = (record for batch in batches for record in parquet.batch_records(batch))
        yield from enumerate((parquet.read_row(source, 0, record) for record in records), 1)
    else:
        for block in source.format.blocks(source, None):
            yield from ((row.line, row) for row in block.exact_rows)


def rows_of_lines(source):
    with source.file.open("rb") as file:
        for number in count(1):
            data = file.readline(lines.MOST_BYTES)
            if len(data) >= lines.MOST_BYTES:
                raise FailedRunError(f"{source.path}: line {number} is longer than {lines.MOST_BYTES} bytes")
            if not data:
                return
            yield number, source.format.exact(source, 0, data.removesuffix(b"\n"), first=number == 1)


def checked_rows(sources, options):
    """Yield what the rows of files say, one by one; raise the first fault that cannot be skipped."""
    for source in sources:
        seq = count(1)
        try:
            rows = [
                (line, row_of(part, source, options, next(seq), (line, text)))
                for line, (_, content, text, _) in exact_rows(source)
                for part in content
            ]
        except OSError as error:
            raise system_error(source.path, error, "cannot be read") from None
        yield from whole_elements(source, rows)


def whole_elements(source, rows):
    """Yield the rows of elements without a fault; of the others, yield the first fault."""
    numbers = source.format.element_numbers(source)
    for _, group in groupby(
        enumerate(rows), lambda one: one[0] if numbers is None else numbers[one[1][0] - 1]
    ):
        element = [row for _, (_, row) in group]
        yield from [row for row in element if row.problem is not None][:1] or element


def row_of(part, source, options, seq, written):
    if not isinstance(part, MalformedPart):
        time, stream, predicate, arguments = part
        spelled = time.kind, time.value, stream, predicate, arguments
        return Row(source.index, seq, *spelled, zone=time.zone)
    line, text = written
    if part.fatal or options.on_error == "stop":
        raise source.error(Place(source.path, line, part.column, str(text)), part.problem)
    return Row(source.index, seq, arguments=(str(text), line, part.column), problem=part.problem)


def read_here(sources, options):
    """Return the rows (t, position, seq, predicate, arguments) of a trace, read one by one.

    `t` is in time points, (position, seq) the order of files and in them, arguments are canonical texts. A
    row whose predicate is None says only that the trace reaches its time.
    """
    rows = list(checked_rows(sources, options))
    faults = [row for row in rows if row.problem is not None]
    found = survey(summarise(rows, options.unit.nanoseconds), len(faults), sources, options)
    report(found, (rejected(row, sources[row.position].path) for row in faults), sources, options)
    read = [
        (time_of(found, row, options.unit), row.position, row.seq, row.predicate, row.arguments)
        for row in rows
        if row.problem is None
    ]
    return sorted(read, key=itemgetter(0)) if options.sort or len(sources) > 1 else read


def rejected(row, path):
    text, line, column = row.arguments
    return RejectedRow(row.position, Place(path, line, column, text), row.problem)


class Tally:
    """A summary's fields while its rows come in; times are even when they are whole units apart.

    `gap` is the shortest from one time to the next, 0 while there is only one.
    """

    def __init__(self, row):
        self.rows = 0
        self.kind = row.kind
        self.first = self.earliest = self.latest = row.time
        self.mixed = False
        self.ordered = self.even = True
        self.gap = 0
        self.zones = ()

    def add(self, row, unit):
        """Count a row in."""
        self.rows += 1
        self.mixed = self.mixed or row.kind != self.kind
        self.ordered = self.ordered and row.time >= self.latest
        self.earliest = min(self.earliest, row.time)
        if row.time > self.latest:
            self.gap = min(self.gap or row.time, row.time - self.latest)
        self.latest = max(self.latest, row.time)
        self.even = self.even and (row.time - self.first) % unit == 0
        if row.kind == TimeKind.ZONED:
            self.zones = tuple(sorted({*self.zones, row.zone}))


def summarise(rows, unit):
    """Return a summary for each file and stream of the rows; `unit` in nanoseconds."""
    tallies = {}
    for row in rows:
        if row.problem is None:
            tallies.setdefault((row.position, row.stream), Tally(row)).add(row, unit)
    return [Summary(position, stream, **vars(tally)) for (position, stream), tally in tallies.items()]


def time_of(found, row, unit):
    """Return the time point of a row."""
    if found.clock is None:
        return row.time - found.shift
    return (row.time - found.clock.zero.value) // unit.nanoseconds


def fact_of_row(row):
    """Return the fact of a row that has a predicate."""
    t, _, _, predicate, arguments = row
    return Fact(t, predicate, arguments)


@dataclass(frozen=True)
class Outcome:
    """What a reading gives: rows in the order of time and arrival, the last time; or an error."""

    rows: list
    last: int | None
    error: str | None
    warned: list
    kept: str | None


def outcome(read, options):
    """Return what reading gives, whatever it is."""
    rows, last, error = [], None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rows, last = read()
        except LarsError as problem:
            error = f"{type(problem).__name__}: {problem}"
    side = options.rejected
    kept = side.read_text() if side is not None and side.exists() else None
    if kept is not None:
        side.unlink()
    return Outcome(rows, last, error, [str(warning.message) for warning in caught], kept)


def by_rows(sources, options):
    """Return what `read_here` gives: the second way, which shares no loop with the columns."""

    def read():
        rows = read_here(sources, options)
        atoms = [(t, name, arguments) for t, _, _, name, arguments in rows if name is not None]
        return sorted(atoms, key=lambda row: row[0]), max(row[0] for row in rows)

    return outcome(read, options)


def by_columns(sources, options, block=2**22, batch=2**18):
    """Return what `read_columns` gives, with blocks of so many bytes and batches of so many rows."""

    def read():
        with patch.object(lines, "_BLOCK", block), patch.object(parquet, "_batch_size", lambda *_: batch):
            found = read_columns(sources, options)
        return rows_of_columns(found), found.last

    return outcome(read, options)


def rows_of_columns(found):
    """Return the atoms of columns in the order of their arrival."""
    rows = []
    for (name, _), atoms in found.atoms.items():
        assert len(atoms.t)  # a predicate without atoms is none of the trace
        texts = [
            ["null" if text is None else text for text in found.terms.texts(column.tolist())]
            for column in atoms.columns
        ]
        arguments = zip(*texts, strict=True) if texts else [()] * len(atoms.t)
        rows += zip(atoms.arrival.tolist(), atoms.t.tolist(), [name] * len(atoms.t), arguments, strict=True)
    return [row[1:] for row in sorted(rows)]


def read_trace_in_process(paths, options):
    """Return the rows of a trace, which its columns hold too."""
    sources = prepare(paths, options)
    assert by_columns(sources, options) == by_rows(sources, options)
    return read_here(sources, options)


def compared(paths, options, head=trace.HEAD, **sizes):
    """Return what both ways of reading give of a trace, whose formats so many bytes show."""
    with patch.object(trace, "HEAD", head):
        sources = outcome(lambda: (prepare(paths, options), None), options)
    if sources.error is not None:
        return sources, sources
    given = sources.rows
    return by_rows(given, options), by_columns(given, options, **sizes)
