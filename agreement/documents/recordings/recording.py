"""What is recorded of an engine: pushed triples, its reports, what a file of answers leaves out.

What is compared again and again are rows with numbers: columns of numbers, decoded where they are read.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Final, overload

import numpy as np

from lars.errors import LarsError
from lars.language.terms import XSD, Blank, Iri, Literal
from solver.columns import Array, Mask, Numbering, TraceColumns
from solver.facts import STREAM_PREDICATE, Row, Triple
from solver.rdf import read_term

_TRIPLE: Final = (STREAM_PREDICATE, 4)


@dataclass(frozen=True, slots=True)
class Push:
    """A triple given to an engine at a time; pushes are in the order in which they were given.

    `stream` is the text of the stream's IRI, as `<http://e/S>`. Triples pushed together as one graph
    have the same `graph`.
    """

    t: float
    stream: str
    triple: Triple
    graph: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """An answer as an engine gave it: its time, a multiset of rows, maybe none.

    `trigger` is the number of the push during which it came, from 0; None where nobody knows.
    """

    t: float
    rows: Sequence[Row]
    trigger: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """Reports in the order in which they came; `variables` are the columns of their rows, sorted.

    `rejected` are the numbers of the pushes that the engine refused. `windows` are the bounds that an
    engine prints with each report, in their order; empty where it prints none.
    """

    variables: tuple[str, ...]
    reports: tuple[Report, ...]
    rejected: tuple[int, ...] = ()
    windows: tuple[tuple[float, float] | None, ...] = ()


SLACK: Final = 1e-6
"""Milliseconds by which floating point may miss a time."""


def in_common_columns(recording: Recording, other: Recording) -> tuple[Recording, Recording]:
    """Return both with the columns of either, sorted; a column that one lacks is unbound there."""
    names = tuple(sorted({*recording.variables, *other.variables}))
    return _in_columns(recording, names), _in_columns(other, names)


def _in_columns(recording: Recording, names: tuple[str, ...]) -> Recording:
    if names == recording.variables:
        return recording
    places = {name: place for place, name in enumerate(recording.variables)}
    places_of_names = [places.get(name) for name in names]

    def row(whole_row: Row) -> Row:
        return tuple(None if place is None else whole_row[place] for place in places_of_names)

    return replace(_with_rows(recording, lambda rows: tuple(map(row, rows))), variables=names)


def _with_rows(recording: Recording, change: Callable[[Sequence[Row]], Sequence[Row]]) -> Recording:
    """Return a recording with the rows of each report changed."""
    reports = (replace(report, rows=change(report.rows)) for report in recording.reports)
    return replace(recording, reports=tuple(reports))


LATEST: Final = 2**53
"""Times of engines are floating-point milliseconds: from here on they are not told apart."""
ACCEPTED_LATEST: Final = f"accepted: times below {LATEST} ms"


def pushes_of(trace: TraceColumns, milliseconds: float) -> tuple[Push, ...]:
    """Return the triples of a trace, in arrival order, as pushes; one time point is so long.

    The triples of one stream at one time are one graph. LarsError: there are atoms that are no
    triples of a stream, or a time has no exact number of milliseconds.
    """
    others = [(some.arrival[0], some.t[0], name) for name, some in trace.atoms.items() if name != _TRIPLE]
    if others:
        _, t, (predicate, _) = min(others)
        raise LarsError(f"the trace has the atom {predicate} at {t}; accepted: RDF streams")
    if (triples := trace.atoms.get(_TRIPLE)) is None:
        return ()
    order = np.argsort(triples.arrival, kind="stable")
    times = triples.t[order].tolist()
    if (late := next((t for t in times if t * milliseconds >= LATEST), None)) is not None:
        raise LarsError(f"an element comes at {late}; {ACCEPTED_LATEST}")
    *spo, streams = (trace.terms.atom_texts(column[order]) for column in triples.columns)
    return tuple(map(Push, (t * milliseconds for t in times), streams, zip(*spo, strict=True), repeat(0)))


_NUMBERS: Final = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
)
_BLANK = re.compile(r"_:[A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Answers:
    """A recording; `lexical` where its format does not tell the kinds of terms.

    Then its terms are those of `of_text`, and what is compared with them goes through `as_lexical`
    first: `30` may have been a number, a string or part of an IRI. `rows_only` where it has no way to
    say that an answer was empty.
    """

    recording: Recording
    lexical: bool = False
    rows_only: bool = False


TimedRow = tuple[float, Mapping[str, str | None]]
"""A row with the time of its report; a variable that is left out is unbound."""


def recording_of(
    variables: Iterable[str], reports: Iterable[tuple[float, Iterable[Mapping[str, str | None]]]]
) -> Recording:
    """Return the recording of reports with their times in milliseconds."""
    names = tuple(sorted(set(variables)))
    return Recording(names, tuple(Report(t, rows_in(names, rows)) for t, rows in reports))


def rows_in(names: Sequence[str], rows: Iterable[Mapping[str, str | None]]) -> tuple[Row, ...]:
    """Return rows in columns; a variable that one leaves out is unbound."""
    return tuple(tuple(map(row.get, names)) for row in rows)


def names_of(rows: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return the names that rows have, sorted."""
    return tuple(sorted({name for row in rows for name in row}))


def group_reports(rows: Iterable[TimedRow]) -> list[tuple[float, list[Mapping[str, str | None]]]]:
    """Return rows that follow each other at one time as one report."""
    groups: list[tuple[float, list[Mapping[str, str | None]]]] = []
    for t, row in rows:
        if not groups or groups[-1][0] != t:
            groups.append((t, []))
        groups[-1][1].append(row)
    return groups


def made_lexical(recording: Recording) -> Recording:
    """Return a recording with the kinds of its terms left out."""
    return _with_rows(recording, lambda rows: tuple(tuple(map(as_lexical, row)) for row in rows))


def of_text(text: str) -> str | None:
    """Return the term that a text of unknown kind stands for.

    What looks like a number is one, by its value, `_:b` is a blank node, nothing is unbound, and
    everything else is a plain literal.

    >>> of_text("90."), of_text("http://e/a"), of_text("_:b0"), of_text("")
    ('"90."^^<http://www.w3.org/2001/XMLSchema#decimal>', '"http://e/a"', '_:b0', None)
    """
    if not text or _BLANK.fullmatch(text):
        return text or None
    for pattern, name in _NUMBERS:
        if pattern.fullmatch(text):
            return str(Literal(text, XSD + name))
    return str(Literal(text))


def as_lexical(term: str | None) -> str | None:
    """Return what is left of a term, a canonical text, when its kind is not recorded.

    >>> as_lexical('"30"'), as_lexical("<http://e/a>")
    ('"30"^^<http://www.w3.org/2001/XMLSchema#integer>', '"http://e/a"')
    """
    if term is None:
        return None
    match read_term(term):
        case Iri(value):
            return of_text(value)
        case Literal(lexical):
            return of_text(lexical)
        case Blank():
            return term


class RowNumbers:
    """A growing dictionary of rows: equal rows have one number.

    >>> known = RowNumbers()
    >>> rows = known.numbered([("<e:b>",), (None,), ("<e:b>",)])
    >>> rows.numbers.tolist(), list(rows[1:])
    ([0, 1, 0], [(None,), ('<e:b>',)])
    """

    def __init__(self) -> None:
        self._numbers: Numbering[Row] = Numbering()
        self._rows: list[Row] = []

    def numbered(self, rows: Iterable[Row]) -> "RowsByNumber":
        """Return the rows as numbers, new ones with new numbers."""
        if isinstance(rows, RowsByNumber) and rows.of is self:
            return rows
        return RowsByNumber(self, np.array(list(map(self._numbers.__getitem__, rows)), np.int64))

    @property
    def rows(self) -> Sequence[Row]:
        """Each row at the place that is its number."""
        # A dictionary keeps the order in which its keys came.
        if len(self._rows) < len(self._numbers):
            self._rows = list(self._numbers)
        return self._rows

    def __len__(self) -> int:
        return len(self._numbers)


class RowsByNumber(Sequence[Row]):
    """Rows as their numbers in `of`."""

    def __init__(self, of: RowNumbers, numbers: Array) -> None:
        self.of, self.numbers = of, numbers

    @cached_property
    def _decoded(self) -> tuple[Row, ...]:
        return tuple(map(self.of.rows.__getitem__, self.numbers.tolist()))

    def chosen(self, places: Array | Mask) -> "RowsByNumber":
        """Return the rows at these places, or those that a mask marks."""
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
    """Return the rows of several answers one after the other; numbered where all are, by one dictionary."""
    if len(parts) == 1:
        return parts[0]
    numbered = [part for part in parts if isinstance(part, RowsByNumber)]
    if numbered and len(numbered) == len(parts) and len({id(part.of) for part in numbered}) == 1:
        return RowsByNumber(numbered[0].of, np.concatenate([part.numbers for part in numbered]))
    return tuple(row for part in parts for row in part)


def rows_of(reports: Sequence[Report]) -> Sequence[Row]:
    """Return the rows of reports one after the other."""
    return together([report.rows for report in reports])


def number_rows(recording: Recording, numbers: RowNumbers) -> Recording:
    """Return a recording with its rows as numbers."""
    return _with_rows(recording, numbers.numbered)
