"""Questions to a program, and their answers: rows with runs of evaluation times, or whole answer streams."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np

from lars.language.program import Program
from lars.language.terms import Atom, Signature, write_name
from lars.language.windows import Interval
from solver.columns import NULL_CODE, Array, Mask, TermCodes, distinct, keys
from solver.facts import Gate, Row, split, with_facts
from solver.pointwise import Consequences
from solver.relational import (
    EncodedSituation,
    RunTable,
    coalesce,
    concatenate,
    decode,
    row_texts,
    spread,
    subtract,
)

TRIGGER: Final = Atom("trigger")


@dataclass(frozen=True, slots=True)
class Whole:
    """Ask for whole answer streams: at most `most` of them, or what some or all of them derive.

    Each row is then the derived atoms of one answer stream (or the consequences) as texts,
    `@_u a` where a holds at another time than the reference time. No row: no answer stream.
    """

    most: int | None = None
    consequences: Consequences | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A program without its trigger, what is asked for, and the evaluation times.

    A predicate asks for its rows in the one answer stream that there is.
    """

    program: Program
    output: Signature | Whole
    gate: Gate

    @property
    def predicate(self) -> Signature | None:
        """The predicate that is asked for; None when whole answer streams are."""
        return None if isinstance(self.output, Whole) else self.output


class Answer(NamedTuple):
    """A row that question number `question` has at time t."""

    question: int
    t: int
    row: Row


def ask(program: Program, output: Signature | Whole, gate: Gate | None = None) -> Question:
    """Return the question for the atoms of `output`; the gate is the program's own unless given."""
    own, ungated = split(program, TRIGGER)
    return Question(ungated if gate is None else program, output, own if gate is None else gate)


class Stretch(NamedTuple):
    """A row that question number `question` has at each of its evaluation times from first to last."""

    question: int
    row: Row
    first: int
    last: int


class AnswerParts(Protocol):
    """The answers to a question on a timeline: in columns, or packed, so that parts are read when needed."""

    @property
    def certified(self) -> int:
        """At how many of the evaluation times clingo has the same rows."""
        ...

    @property
    def evaluations(self) -> int:
        """How many evaluation times there are."""
        ...

    @property
    def parts(self) -> Sequence[tuple[int, int]]:
        """Up to which time point each part reaches, ascending, and how many runs it has."""
        ...

    def within(self, span: Interval, terms: TermCodes) -> "AnswerRuns":
        """Return at least the answers at the times of an interval; packed ones get the codes of the terms."""
        ...

    def each_part(self) -> "Iterator[AnswerRuns]":
        """Yield the answers of each part; runs end where it ends."""
        ...

    def whole(self) -> "AnswerRuns":
        """Return all answers together."""
        ...

    def of_rows(self, rows: Sequence[Row]) -> "AnswerRuns":
        """Return the answers that are some of the rows."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class AnswerRuns:
    """The answers to a question: each row with its longest runs of indexes into `times`, which ascend.

    A time can stand there several times, where the newest input that is seen differs. At `certified` of
    the times clingo has the same rows.
    """

    times: Array
    runs: RunTable
    terms: TermCodes
    certified: int = 0

    @property
    def evaluations(self) -> int:
        """How many evaluation times there are."""
        return len(self.times)

    @property
    def parts(self) -> Sequence[tuple[int, int]]:
        """Up to which time point the only part reaches, and how many runs it has."""
        return [(int(self.times.max(initial=0)), len(self.runs))]

    def within(self, span: Interval, terms: TermCodes) -> "AnswerRuns":  # noqa: ARG002 - it has its own
        """Return all answers, which are those of the interval and more."""
        return self

    def each_part(self) -> "Iterator[AnswerRuns]":
        """Yield all answers, which are one part."""
        yield self

    def whole(self) -> "AnswerRuns":
        """Return all answers."""
        return self

    def of_rows(self, rows: Sequence[Row]) -> "AnswerRuns":
        """Return the answers that are some of the rows."""
        codes = [[NULL_CODE if text is None else self.terms.code(text) for text in row] for row in rows]
        columns = [np.array(column, np.int64) for column in zip(*codes, strict=True)] if codes else []
        if len(columns) != len(self.runs.columns):
            columns = [np.empty(0, np.int64)] * len(self.runs.columns)
        own, numbers = keys([self.runs.columns, columns], [len(self.runs), len(rows)], 1)
        mask: Mask = np.isin(own, numbers)
        return AnswerRuns(self.times, self.runs.take(mask), self.terms)

    def rows(self) -> Iterator[tuple[Row, int, int]]:
        """Yield each row as texts, None for null, with the first and last time of each run.

        They come in the order of these times, and of the texts, null first.
        """
        runs = coalesce(self.runs, len(self.times))
        ranks = [self.terms.ranks(column) for column in reversed(runs.columns)]
        ordered = runs.take(np.lexsort([*ranks, runs.last, runs.first]))
        for row, first, last in decode(ordered, self.terms):
            yield row, int(self.times[first]), int(self.times[last])

    def by_time(self) -> dict[int, frozenset[Row]]:
        """Return the rows at each time at which there is one, ascending."""
        rows = row_texts(self.runs, self.terms)
        places, indexes = spread(self.runs.first, self.runs.last + 1)
        times, numbers = np.unique(self.times, return_inverse=True)
        # Small numbers are sorted by their digits.
        each = numbers.astype(np.min_scalar_type(len(times)))[indexes]
        listed = list(map(rows.__getitem__, places[np.argsort(each, kind="stable")].tolist()))
        ends = np.cumsum(np.bincount(each, minlength=len(times))).tolist()
        pairs = zip(times.tolist(), [0, *ends], ends, strict=False)
        return {t: frozenset(listed[begin:end]) for t, begin, end in pairs if begin < end}

    def at(self, t: int) -> frozenset[Row]:
        """Return the rows at a time, all of them where it stands there several times; none if it does not."""
        first, end = (int(np.searchsorted(self.times, t, side)) for side in ("left", "right"))
        table = self.runs.take((self.runs.first < end) & (first <= self.runs.last) & (first < end))
        return frozenset(row_texts(table, self.terms))

    def among(self, times: Array) -> "AnswerRuns":
        """Return the answers at some of the times, given ascending."""
        kept, table = np.searchsorted(self.times, times), self.runs
        first = np.searchsorted(kept, table.first, "left")
        last = np.searchsorted(kept, table.last, "right") - 1
        some = coalesce(RunTable(table.columns, first, last), len(kept))
        return AnswerRuns(times, some, self.terms)

    def until(self, times: Array) -> Array:
        """Return the index of the last evaluation up to each of the times, -1 where there is none."""
        return np.searchsorted(self.times, times, "right") - 1

    def held_until(self, columns: Sequence[Array], indexes: Array) -> Array:
        """Return, for each row of the columns, the last index up to its own at which it is an answer.

        -1: there is none.
        """
        table, room = self.runs, len(self.times) + 1
        own, numbers = keys([table.columns, columns], [len(table), len(indexes)], room)
        order = np.argsort(own * room + table.first)
        begins = (own * room + table.first)[order]
        places = np.searchsorted(begins, numbers * room + indexes, "right") - 1
        if not len(begins):
            return np.full(len(indexes), -1, np.int64)
        run = order[np.maximum(places, 0)]
        known = (places >= 0) & (own[run] == numbers) & (indexes >= 0)
        return np.where(known, np.minimum(table.last[run], indexes), -1)

    def holds_at(self, columns: Sequence[Array], indexes: Array) -> Mask:
        """Return which rows of the columns are answers at the index of each; -1: at none."""
        mask: Mask = self.held_until(columns, indexes) == indexes
        return mask & (indexes >= 0)

    def holds_within(self, columns: Sequence[Array], after: Array, until: Array) -> Mask:
        """Return which rows are answers at some evaluation in (after, until], times of each row."""
        mask: Mask = np.greater(self.held_until(columns, self.until(until)), self.until(after))
        return mask

    def difference(self, other: "AnswerRuns") -> "AnswerRuns":
        """Return the rows that one of two answers at the same times has, where the other lacks them."""
        width, count = len(self.runs.columns), len(self.times)
        parts = [
            subtract(table, less, range(width), count)
            for table, less in ((self.runs, other.runs), (other.runs, self.runs))
        ]
        return AnswerRuns(self.times, coalesce(concatenate(parts, width), count), self.terms)


@dataclass(frozen=True, slots=True, eq=False)
class AtomRuns:
    """Derived atoms as texts, in the order of answer streams, each with a run of indexes of times."""

    atoms: Sequence[str]
    first: Array
    last: Array

    def by_index(self, count: int) -> Iterator[tuple[str, ...]]:
        """Yield what is derived at each of so many indexes, in order."""
        places, indexes = spread(self.first, self.last + 1)
        order = np.argsort(indexes, kind="stable")
        places, borders = places[order], np.searchsorted(indexes[order], np.arange(count + 1))
        for index in range(count):
            yield tuple(map(self.atoms.__getitem__, places[borders[index] : borders[index + 1]].tolist()))


def atom_runs(
    program: Program, situation: EncodedSituation, derived: Mapping[Signature, RunTable]
) -> AtomRuns:
    """Return what a program derives, in order; B's atoms are left out."""
    terms = situation.terms
    background = {
        name: [tuple(terms.atom_texts(row)) for row in rows] for name, rows in situation.background.items()
    }
    known = {name: frozenset(rows) for name, rows in with_facts(program, background).items()}
    tables = {name: _without(table, known.get(name), terms) for name, table in sorted(derived.items())}
    texts = [text for name, table in tables.items() for text in _texts(name, table, terms)]
    order = _order(tables, terms)
    first, last = (
        np.concatenate([np.empty(0, np.int64), *(getattr(table, end) for table in tables.values())])[order]
        for end in ("first", "last")
    )
    return AtomRuns([texts[place] for place in order.tolist()], first, last)


def _without(table: RunTable, known: frozenset[Row] | None, terms: TermCodes) -> RunTable:
    if not known:
        return table
    rows = _written(table, terms)
    return table.take(np.array([row not in known for row in rows], np.bool_))


def _written(table: RunTable, terms: TermCodes) -> list[Row]:
    columns = [terms.atom_texts(column) for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else row_texts(table, terms)


def _texts(name: Signature, table: RunTable, terms: TermCodes) -> list[str]:
    written, arity = write_name(name[0]), name[1]
    if not arity:
        return [written] * len(table)
    return [f"{written}({', '.join(map(str, row))})" for row in _written(table, terms)]


def _order(tables: Mapping[Signature, RunTable], terms: TermCodes) -> Array:
    """Return the places of the rows of all tables in the order of `moment_order`, then of their runs."""
    width, names = max((arity for _, arity in tables), default=0), sorted({name for name, _ in tables})
    ranks = _ranks([column for table in tables.values() for column in table.columns], terms)
    keys: list[list[Array]] = [[] for _ in range(width + 2)]
    for (name, arity), table in tables.items():
        # An atom comes before those that go on where it ends.
        missing = [np.full(len(table), -1)] * (width - arity)
        columns = [*(ranks[column] for column in table.columns), *missing]
        for key, column in zip(keys, (table.first, *reversed(columns)), strict=False):
            key.append(column)
        keys[-1].append(np.full(len(table), names.index(name)))
    return np.lexsort([np.concatenate(parts) for parts in keys]) if tables else np.empty(0, np.int64)


def _ranks(columns: Sequence[Array], terms: TermCodes) -> Array:
    """Return for each code that stands in the columns its place in their order: numbers first, by value."""
    used = distinct(np.concatenate([np.empty(0, np.int64), *columns]))
    texts = terms.atom_texts(used)
    keys = [(0, int(text), "") if text.lstrip("-").isdecimal() else (1, 0, text) for text in texts]
    ranks = np.zeros(len(terms), np.int64)
    ranks[used[sorted(range(len(keys)), key=keys.__getitem__)]] = np.arange(len(keys))
    return ranks
