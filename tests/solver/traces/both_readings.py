"""A trace read row by row and in columns: what both give, to be compared."""

import warnings
from dataclasses import dataclass
from operator import itemgetter
from unittest.mock import patch

from lars.errors import LarsError
from solver.facts import Fact
from solver.traces import prepare, read_columns, trace
from solver.traces.formats import lines, tables
from solver.traces.rows import Summary
from solver.traces.survey import report, survey
from solver.traces.trace import checked_rows


def read_here(sources, options):
    """Return the rows (t, position, seq, predicate, arguments) of a trace, read one by one.

    `t` is in time points, (position, seq) the order of files and in them, arguments are canonical texts. A
    row whose predicate is None says only that the trace reaches its time.
    """
    rows = list(checked_rows(sources, options))
    found = survey(summarise(rows, options.unit.nanoseconds), sources, options)
    report(found, (row for row in rows if row.problem is not None), sources, options)
    read = [
        (time_of(found, row, options.unit), row.position, row.seq, row.predicate, row.arguments)
        for row in rows
        if row.problem is None
    ]
    return sorted(read, key=itemgetter(0)) if options.sort or len(sources) > 1 else read


class Tally:
    """A summary's fields while its rows come in; times are even when they are whole units apart.

    `gap` is the shortest from one time to the next, 0 while there is only one.
    """

    def __init__(self, row):
        self.rows = 0
        self.skipped = 0
        self.kind = row.kind
        self.first = self.earliest = self.latest = row.time
        self.mixed = False
        self.ordered = self.even = True
        self.gap = 0

    def add(self, row, unit):
        """Count a row in."""
        if row.problem is not None:
            self.skipped += 1
            return
        self.rows += 1
        self.mixed = self.mixed or row.kind != self.kind
        self.ordered = self.ordered and row.time >= self.latest
        self.earliest = min(self.earliest, row.time)
        if row.time > self.latest:
            self.gap = min(self.gap or row.time, row.time - self.latest)
        self.latest = max(self.latest, row.time)
        self.even = self.even and (row.time - self.first) % unit == 0


def summarise(rows, unit):
    """Yield a summary for each block and stream of the rows; `unit` in nanoseconds."""
    tallies = {}
    for row in rows:
        key = (row.position, row.stream, row.problem is None)
        tallies.setdefault(key, Tally(row)).add(row, unit)
    for (position, stream, _), tally in tallies.items():
        yield Summary(position, stream, **vars(tally))


def time_of(found, row, unit):
    """Return the time point of a row."""
    return row.time - found.shift if found.origin is None else (row.time - found.origin) // unit.nanoseconds


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
        with patch.object(lines, "_BLOCK", block), patch.object(tables, "_BATCH", batch):
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
