"""The recorded data of an engine: pushed triples, and reports with their rows in columns."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import repeat
from typing import Final

import numpy as np

from agreement.documents.recordings.answer_times import ACCEPTED_LATEST, LATEST
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import XSD
from lars.language.terms import Literal as RdfLiteral
from solver import traces
from solver.columns import TraceColumns
from solver.facts import QUAD_PREDICATE, STREAM_PREDICATE, Row, Triple
from solver.rdf import read_term

ANSWER: Final = "Answer"
"""The column in which engines report the boolean of an ASK query: xsd:boolean true or false."""
_STREAM_TRIPLE: Final = (STREAM_PREDICATE, 4)
_STREAM_QUAD: Final = (QUAD_PREDICATE, 5)


@dataclass(frozen=True, slots=True)
class Push:
    """A triple that is pushed into an engine at a time; `t` is the time in milliseconds.

    The field `stream` is the IRI of the stream with < and >, such as `<http://e/S>`. Triples that are pushed
    together as one graph have the same `graph`. The field `named` contains the names of the named graphs that
    contain the triple, if its element is a dataset. The field `came` is the time of arrival, which can be
    later than `t`; None means that it is not known.
    """

    t: float
    stream: str
    triple: Triple
    graph: int | None = None
    named: tuple[str, ...] = ()
    came: float | None = None

    def as_element(self) -> "Push":
        """Return the push with blank node labels that are valid only in its stream and at its time."""
        (triple,) = traces.elements_blanks(f"{self.stream}\n{self.t}", [self.triple])
        return self if triple == self.triple else replace(self, triple=triple)


@dataclass(frozen=True, slots=True)
class Report:
    """An answer of an engine: the time of the report, and a multiset of rows, which may be empty.

    The field `trigger` is the number of the push that caused the report, counted from 0; None if the push is
    unknown.
    """

    t: float
    rows: Sequence[Row]
    trigger: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """Reports in arrival order; `variables` are the sorted columns of the rows.

    The field `rejected` contains the numbers of rejected pushes. The field `windows` contains the bounds that
    an engine prints with each report, in order. The field `windows` is empty if the engine prints no bounds.

    The field `lexical` means that the format of the recording omits the kinds of RDF terms. For example, `30`
    may have been a number, a string or part of an IRI. The terms of a lexical recording are results of the
    function `of_text`. Before other terms are compared with the terms of a lexical recording, `as_lexical`
    must convert the other terms. The field `rows_only` means that the format cannot express an empty answer.
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
    """Return both recordings with the same sorted columns; a column that a recording lacks is unbound."""
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

    return replace(with_rows(recording, lambda rows: tuple(map(row, rows))), variables=names)


def with_rows(recording: Recording, change: Callable[[Sequence[Row]], Sequence[Row]]) -> Recording:
    """Return a recording in which the function `change` replaces the rows of each report."""
    reports = (replace(report, rows=change(report.rows)) for report in recording.reports)
    return replace(recording, reports=tuple(reports))


def pushes_of(trace: TraceColumns, milliseconds: float) -> tuple[Push, ...]:
    """Return the triples of a trace as pushes in arrival order; a time point lasts `milliseconds`.

    All triples of one stream at one time form one graph. Triples with times of arrival are in the order of
    these times. Raises LarsError for atoms that are not stream triples, and for a time without an exact
    number of milliseconds.
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
    arrived: Iterable[float | None] = repeat(None)
    if triples.since is not None:
        order = order[np.argsort(triples.since[order], kind="stable")]
        arrived = (round(t * milliseconds, 6) for t in triples.since[order].tolist())
    times = triples.t[order].tolist()
    if (late := next((t for t in times if t * milliseconds >= LATEST), None)) is not None:
        raise LarsError(f"an element comes at {late}; {ACCEPTED_LATEST}")
    *spo, streams = (trace.terms.atom_texts(column[order]) for column in triples.columns)
    every = tuple(zip(*spo, strict=True))
    named = _graphs_of(trace)
    graphs = (named.get(key, ()) for key in zip(times, streams, every, strict=True)) if named else repeat(())
    moments = (round(t * milliseconds, 6) for t in times)
    return tuple(map(Push, moments, streams, every, repeat(0), graphs, arrived))


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
    (re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
)
_BLANK = re.compile(r"_:[A-Za-z0-9_]+")


TimedRow = tuple[float, Mapping[str, str | None]]
"""A row with the time of its report; a variable without a value is unbound."""


def recording_of(
    variables: Iterable[str], reports: Iterable[tuple[float, Iterable[Mapping[str, str | None]]]]
) -> Recording:
    """Return a recording from reports, each given by its time in milliseconds and its rows."""
    names = tuple(sorted(set(variables)))
    return Recording(names, tuple(Report(t, rows_in(names, rows)) for t, rows in reports))


def rows_in(names: Sequence[str], rows: Iterable[Mapping[str, str | None]]) -> tuple[Row, ...]:
    """Return rows as tuples with one term for each of the `names`; a variable that a row omits is unbound."""
    return tuple(tuple(map(row.get, names)) for row in rows)


def names_of(rows: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return the sorted names of the variables in rows."""
    return tuple(sorted({name for row in rows for name in row}))


def group_reports(rows: Iterable[TimedRow]) -> list[tuple[float, list[Mapping[str, str | None]]]]:
    """Group rows into reports: consecutive rows with equal times form one report."""
    groups: list[tuple[float, list[Mapping[str, str | None]]]] = []
    for t, row in rows:
        if not groups or groups[-1][0] != t:
            groups.append((t, []))
        groups[-1][1].append(row)
    return groups


def made_lexical(recording: Recording) -> Recording:
    """Return a recording without the kinds of its terms."""
    return with_rows(recording, lambda rows: tuple(tuple(map(as_lexical, row)) for row in rows))


def of_text(text: str) -> str | None:
    """Return the RDF term for a text whose kind of term is unknown, such as a cell of CSV.

    A text of a number gives a number literal, `_:b` gives a blank node, and "" gives None. Any other text
    gives a string literal.

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
