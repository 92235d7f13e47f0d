"""Questions to a program, and their answers at many evaluation times.

The code calls the relational evaluation `columns`. An answer is a set of rows with intervals of evaluation
times, or a sequence of whole answer streams.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import compress, islice, pairwise
from math import lcm
from typing import Final, NamedTuple, Protocol, TypeVar

import numpy as np

from lars.analysis import reach, windows
from lars.dataclass import dataclass
from lars.errors import FailedRunError, LarsError
from lars.language.formulas import At, Diamond, Formula, In, Not, Truth
from lars.language.program import Program, formulas, nested
from lars.language.stream import Moment, write_moments
from lars.language.terms import Atom, Signature, write_name
from lars.language.windows import Interval, TimeWindow, TupleWindow
from solver import pointwise, relational
from solver.columns import NULL_CODE, Array, Mask, TermCodes, distinct, keys
from solver.facts import (
    Background,
    Gate,
    NearSituation,
    Row,
    Situation,
    needed_atoms,
    relevant_background,
    split,
    with_facts,
)
from solver.settings import Evaluator, Runner, tell

TRIGGER: Final = Atom("trigger")


@dataclass(frozen=True, slots=True)
class Whole:
    """A request for at most `most` whole answer streams, or for their brave or cautious consequences.

    A row of the answer contains the derived atoms of one answer stream, or all consequences, as texts. An
    atom a that holds at another time u is written `@_u a`. If no answer stream exists, the answer has no row.
    """

    most: int | None = None
    consequences: pointwise.Consequences | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question for the rows or answer streams that a program has at its evaluation times.

    The field `program` is the program without its trigger, and `gate` contains the evaluation times. If
    `output` is a predicate, the question asks for the rows of this predicate in the only answer stream.
    """

    program: Program
    output: Signature | Whole
    gate: Gate

    @property
    def predicate(self) -> Signature | None:
        """The requested predicate; None if the question asks for whole answer streams."""
        return None if isinstance(self.output, Whole) else self.output

    @property
    def needed(self) -> frozenset[Atom]:
        """Patterns for the input atoms that the program's rules can use."""
        return needed_atoms(self.program, self.predicate)


def used_background(background: Background, questions: Sequence[Question]) -> Background:
    """Return the part of the background that the programs of the questions can use."""
    return relevant_background(background, frozenset().union(*(one.needed for one in questions)))


class Answer(NamedTuple):
    """A row of the answer at time t to the question with the number `question`."""

    question: int
    t: int
    row: Row


def ask(program: Program, output: Signature | Whole, gate: Gate | None = None) -> Question:
    """Return the question for `output`; if `gate` is None, the program's trigger defines the times."""
    own, ungated = split(program, TRIGGER)
    return Question(ungated if gate is None else program, output, own if gate is None else gate)


class AnswerParts(Protocol):
    """The answers to a question on a timeline, in one or several parts of the timeline."""

    @property
    def certified(self) -> int:
        """The number of evaluation times at which clingo computed the same rows."""
        ...

    @property
    def evaluations(self) -> int:
        """The number of evaluation times of the question."""
        ...

    @property
    def parts(self) -> Sequence[tuple[int, int]]:
        """A pair for each part of the answers: its last time point, and the number of its row intervals."""
        ...

    def within(self, span: Interval, terms: TermCodes) -> "AnswerRuns":
        """Return all answers at times in the interval, and perhaps also answers at other times.

        If the answers are packed as bytes, their terms get codes of `terms`.
        """
        ...

    def each_part(self) -> "Iterator[AnswerRuns]":
        """Yield the answers of each part of the timeline; rows have their intervals within the part."""
        ...

    def whole(self) -> "AnswerRuns":
        """Return the answers of all parts together."""
        ...

    def of_rows(self, rows: Sequence[Row]) -> "AnswerRuns":
        """Return the answers whose row is in `rows`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class AnswerRuns:
    """The answers to a question: each row with its longest intervals of indexes into `times`.

    The values of `times` never decrease. A time can occur several times, each with a different newest input.
    `certified` is the number of times at which clingo computed the same rows.
    """

    times: Array
    runs: relational.RunTable
    terms: TermCodes
    certified: int = 0

    @property
    def evaluations(self) -> int:
        """The number of evaluation times of the question."""
        return len(self.times)

    @property
    def parts(self) -> Sequence[tuple[int, int]]:
        """The last time point and the number of row intervals, as one pair: all answers form one part."""
        return [(int(self.times.max(initial=0)), len(self.runs))]

    def within(self, span: Interval, terms: TermCodes) -> "AnswerRuns":  # noqa: ARG002 - it has its own
        """Return all answers, including answers outside the interval `span`."""
        return self

    def each_part(self) -> "Iterator[AnswerRuns]":
        """Yield all answers as one part."""
        yield self

    def whole(self) -> "AnswerRuns":
        """Return all answers."""
        return self

    def of_rows(self, rows: Sequence[Row]) -> "AnswerRuns":
        """Return the answers whose row is in `rows`."""
        codes = [[NULL_CODE if text is None else self.terms.code(text) for text in row] for row in rows]
        columns = [np.array(column, np.int64) for column in zip(*codes, strict=True)] if codes else []
        if len(columns) != len(self.runs.columns):
            columns = [np.empty(0, np.int64)] * len(self.runs.columns)
        own, numbers = keys([self.runs.columns, columns], [len(self.runs), len(rows)], 1)
        mask: Mask = np.isin(own, numbers)
        return AnswerRuns(self.times, self.runs.take(mask), self.terms)

    def rows(self) -> Iterator[tuple[Row, int, int]]:
        """Yield each row as texts, with the first and the last time of one of its intervals; null is None.

        Rows are sorted by the first time, then by the last time, then by their texts, null first.
        """
        runs = relational.coalesce(self.runs, len(self.times))
        ranks = [self.terms.ranks(column) for column in reversed(runs.columns)]
        ordered = runs.take(np.lexsort([*ranks, runs.last, runs.first]))
        for row, first, last in relational.decode(ordered, self.terms):
            yield row, int(self.times[first]), int(self.times[last])

    def by_time(self) -> dict[int, frozenset[Row]]:
        """Return the rows at each time that has rows, by ascending time."""
        rows = relational.row_texts(self.runs, self.terms)
        places, indexes = relational.spread(self.runs.first, self.runs.last + 1)
        times, numbers = np.unique(self.times, return_inverse=True)
        # numpy sorts integers of at most 16 bits by their digits (radix sort).
        each = numbers.astype(np.min_scalar_type(len(times)))[indexes]
        listed = list(map(rows.__getitem__, places[np.argsort(each, kind="stable")].tolist()))
        ends = np.cumsum(np.bincount(each, minlength=len(times))).tolist()
        pairs = zip(times.tolist(), [0, *ends], ends, strict=False)
        return {t: frozenset(listed[begin:end]) for t, begin, end in pairs if begin < end}

    def at(self, t: int) -> frozenset[Row]:
        """Return the rows of all evaluations at t; the set is empty if t is not an evaluation time."""
        first, end = (int(np.searchsorted(self.times, t, side)) for side in ("left", "right"))
        table = self.runs.take((self.runs.first < end) & (first <= self.runs.last) & (first < end))
        return frozenset(relational.row_texts(table, self.terms))

    def among(self, times: Array) -> "AnswerRuns":
        """Return the answers at the given times, which must be evaluation times in ascending order."""
        kept, table = np.searchsorted(self.times, times), self.runs
        first = np.searchsorted(kept, table.first, "left")
        last = np.searchsorted(kept, table.last, "right") - 1
        some = relational.coalesce(relational.RunTable(table.columns, first, last), len(kept))
        return AnswerRuns(times, some, self.terms)

    def until(self, times: Array) -> Array:
        """Return for each given time the index of the last evaluation at or before this time.

        The index is -1 if no such evaluation exists.
        """
        return np.searchsorted(self.times, times, "right") - 1

    def held_until(self, columns: Sequence[Array], indexes: Array) -> Array:
        """Return, for each row, the last evaluation, up to its index in `indexes`, that has the row.

        Evaluations have the indexes 0, 1, 2, ...; the result is -1 if the row is not an answer at any
        evaluation up to its index.
        """
        table, room = self.runs, len(self.times) + 1
        own, numbers = keys([table.columns, columns], [len(table), len(indexes)], room)
        # Sorted by row and first index, the candidate is the last interval that begins up to the index.
        order = np.argsort(own * room + table.first)
        begins = (own * room + table.first)[order]
        places = np.searchsorted(begins, numbers * room + indexes, "right") - 1
        if not len(begins):
            return np.full(len(indexes), -1, np.int64)
        run = order[np.maximum(places, 0)]
        known = (places >= 0) & (own[run] == numbers) & (indexes >= 0)
        return np.where(known, np.minimum(table.last[run], indexes), -1)

    def holds_at(self, columns: Sequence[Array], indexes: Array) -> Mask:
        """Return a mask of the rows that the evaluation with their index has; False for the index -1."""
        mask: Mask = self.held_until(columns, indexes) == indexes
        return mask & (indexes >= 0)

    def holds_within(self, columns: Sequence[Array], after: Array, until: Array) -> Mask:
        """Return a mask of the rows that are answers at an evaluation with an index in (after, until]."""
        mask: Mask = np.greater(self.held_until(columns, self.until(until)), self.until(after))
        return mask

    def difference(self, other: "AnswerRuns") -> "AnswerRuns":
        """Return the rows that only `self` or only `other` contains; both must have the same times."""
        width, count = len(self.runs.columns), len(self.times)
        parts = [
            relational.subtract(table, less, range(width), count)
            for table, less in ((self.runs, other.runs), (other.runs, self.runs))
        ]
        return AnswerRuns(
            self.times, relational.coalesce(relational.concatenate(parts, width), count), self.terms
        )


def rows_in_parts(answers: AnswerParts) -> Iterator[tuple[Row, int, int]]:
    """Yield the rows of answers as `AnswerRuns.rows` does, with one part of the answers in memory at a time.

    The parts are read twice: first for the ends of intervals that reach from one part into the next.
    """
    if len(answers.parts) <= 1:
        yield from answers.whole().rows()
        return
    ends: list[tuple[int, int]] = []
    for _ in _linked_parts(answers, ends):  # The first reading only fills `ends`.
        pass
    for part, runs, before, (later, chains) in _linked_parts(answers, []):
        last = runs.last + before
        lasting = dict(zip(last.tolist(), part.times[runs.last].tolist(), strict=True))
        for place, chain in chains.items():
            last[place], lasting[ends[chain][0]] = ends[chain][0], ends[chain][1]
        own = np.setdiff1d(np.arange(len(runs)), later)
        ranks = [part.terms.ranks(column[own]) for column in reversed(runs.columns)]
        order = own[np.lexsort([*ranks, last[own], runs.first[own]])]
        rows = relational.row_texts(runs.take(order), part.terms)
        firsts = part.times[runs.first[order]].tolist()
        yield from zip(rows, firsts, map(lasting.__getitem__, last[order].tolist()), strict=True)


def _linked_parts(
    answers: AnswerParts, ends: list[tuple[int, int]]
) -> Iterator[tuple[AnswerRuns, relational.RunTable, int, tuple[list[int], dict[int, int]]]]:
    """Yield each part that has evaluations, its intervals, and the number of evaluations before the part.

    An interval that reaches into later parts is a chain of intervals. The last value contains the places of
    intervals that continue a chain, and the numbers of the chains that begin in the part, by the place of
    their first interval. `ends` receives the index and the time of the last evaluation of each chain.
    """
    before, lasting = 0, dict[Row, int]()
    for part in answers.each_part():
        if not (count := len(part.times)):
            continue
        runs = relational.coalesce(part.runs, count)
        places = np.flatnonzero((runs.first == 0) | (runs.last == count - 1))
        continued: list[int] = []
        begun: dict[int, int] = {}
        still: dict[Row, int] = {}
        edge = relational.decode(runs.take(places), part.terms)
        for place, (row, first, last) in zip(places.tolist(), edge, strict=True):
            chain = lasting.get(row) if first == 0 else None
            if chain is not None:
                continued.append(place)
            elif last == count - 1:
                chain = begun[place] = len(ends)
                ends.append((0, 0))
            else:
                continue
            ends[chain] = before + last, int(part.times[last])
            if last == count - 1:
                still[row] = chain
        yield part, runs, before, (continued, begun)
        before, lasting = before + count, still


@dataclass(frozen=True, eq=False)
class StreamRuns(Mapping[int, frozenset[Row]]):
    """The only answer stream at each of consecutive evaluation times: its derived atoms, as texts.

    Each derived atom has an interval of indexes into `times`. The atoms are in the order of answer streams.
    """

    times: Array
    atoms: Sequence[str]
    first: Array
    last: Array

    @cached_property
    def _rows(self) -> Mapping[int, frozenset[Row]]:
        return {t: frozenset((row,)) for t, row in self.streams()}

    def __getitem__(self, t: int) -> frozenset[Row]:
        return self._rows[t]

    def __iter__(self) -> Iterator[int]:
        return iter(self.times.tolist())

    def __len__(self) -> int:
        return len(self.times)

    def streams(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield each time with the atoms of its answer stream, in order."""
        places, indexes = relational.spread(self.first, self.last + 1)
        order = np.argsort(indexes, kind="stable")
        places = places[order]
        borders = np.searchsorted(indexes[order], np.arange(len(self.times) + 1))
        for index, t in enumerate(self.times.tolist()):
            yield t, tuple(map(self.atoms.__getitem__, places[borders[index] : borders[index + 1]].tolist()))

    def only(self, is_wanted: Callable[[str], bool]) -> "StreamRuns":
        """Return the answer streams restricted to the atoms whose texts `is_wanted` selects."""
        mask = np.array([is_wanted(atom) for atom in self.atoms], np.bool_)
        atoms = [atom for atom, item in zip(self.atoms, mask.tolist(), strict=True) if item]
        return StreamRuns(self.times, atoms, self.first[mask], self.last[mask])


def _streams_of(
    program: Program,
    situation: relational.EncodedSituation,
    times: Sequence[int],
    derived: Mapping[Signature, relational.RunTable],
) -> StreamRuns:
    """Return the answer streams of a program at many times, with sorted atoms, without background atoms."""
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
    return StreamRuns(np.array(times, np.int64), [texts[place] for place in order.tolist()], first, last)


def _without(
    table: relational.RunTable, known: frozenset[Row] | None, terms: TermCodes
) -> relational.RunTable:
    if not known:
        return table
    rows = _written(table, terms)
    return table.take(np.array([row not in known for row in rows], np.bool_))


def _written(table: relational.RunTable, terms: TermCodes) -> list[Row]:
    columns = [terms.atom_texts(column) for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else relational.row_texts(table, terms)


def _texts(name: Signature, table: relational.RunTable, terms: TermCodes) -> list[str]:
    written, arity = write_name(name[0]), name[1]
    if not arity:
        return [written] * len(table)
    texts = map(", ".join, zip(*map(terms.atom_texts, table.columns), strict=True))
    return [f"{written}({row})" for row in texts]


def _order(tables: Mapping[Signature, relational.RunTable], terms: TermCodes) -> Array:
    """Return row numbers over all tables, sorted as atoms of answer streams are, then by intervals."""
    width, names = max((arity for _, arity in tables), default=0), sorted({name for name, _ in tables})
    ranks = _ranks([column for table in tables.values() for column in table.columns], terms)
    keys: list[list[Array]] = [[] for _ in range(width + 2)]
    for (name, arity), table in tables.items():
        # A shorter atom comes before the atoms that it begins, so a missing argument has the least rank.
        missing = [np.full(len(table), -1)] * (width - arity)
        columns = [*(ranks[column] for column in table.columns), *missing]
        for key, column in zip(keys, (table.first, *reversed(columns)), strict=False):
            key.append(column)
        keys[-1].append(np.full(len(table), names.index(name)))
    return np.lexsort([np.concatenate(parts) for parts in keys]) if tables else np.empty(0, np.int64)


def _ranks(columns: Sequence[Array], terms: TermCodes) -> Array:
    """Map codes to ranks: terms that are numbers come first, by value, and all other terms by text."""
    used = distinct(np.concatenate([np.empty(0, np.int64), *columns]))
    texts = terms.atom_texts(used)
    is_number = [text.removeprefix("-").isdecimal() for text in texts]
    numbers = sorted(compress(range(len(texts)), is_number), key=lambda place: int(texts[place]))
    others = sorted((place for place, flag in enumerate(is_number) if not flag), key=texts.__getitem__)
    ranks = np.zeros(len(terms), np.int64)
    ranks[used[[*numbers, *others]]] = np.arange(len(texts))
    return ranks


ATOMS_AT_ONCE: Final = 250_000
_SPREAD: Final = 50_000_000
"""The maximum product of atoms and evaluation times for clingo, which lists negated atoms at each time."""
_KEPT: Final = 256
"""The maximum number of cached situations."""


class RepeatedSituations:
    """A cache of rows, for evaluations at several times at which the windows contain the same atoms.

    The cache is for programs whose answers do not depend on the time itself. In a program without @, the time
    itself has an effect only through windows. If each formula is an atom or ◇ of an atom, the key of the
    cache contains the atoms and their order. The key also contains the windows around the atoms. For other
    formulas, the key contains the distances of the atoms, the ends of the timeline, and the time modulo the
    steps of the windows.
    """

    def __init__(self, program: Program) -> None:
        self._known: dict[Hashable, list[Row]] = {}
        self._windows = sorted(windows(program), key=str)
        self._reach = reach(program)
        bodies = [part for rule in program.rules for part in formulas(rule.body)]
        self._tells_time = any(isinstance(rule.head, At) for rule in program.rules) or any(
            isinstance(inner, At) for part in bodies for inner in nested(part)
        )
        self._flat = all(map(_is_flat, bodies))
        steps = (window.step for window in self._windows if isinstance(window, TimeWindow))
        self._step = lcm(*steps)
        self._fixed = any(not isinstance(window, TimeWindow) for window in self._windows)

    def rows(self, situation: Situation, t: int, evaluate: Callable[[], Iterable[Row]]) -> Sequence[Row]:
        """Return the rows that `evaluate` yields in a situation at t, from the cache if possible."""
        # The distances in `_key` determine the content of time windows only.
        if self._tells_time or (self._fixed and not self._flat):
            return list(evaluate())
        key = self._flat_key(situation, t) if self._flat else self._key(situation, t)
        if key not in self._known:
            if len(self._known) >= _KEPT:
                # The oldest key: a dictionary keeps the order of insertion.
                del self._known[next(iter(self._known))]
            self._known[key] = list(evaluate())
        return self._known[key]

    def _flat_key(self, situation: Situation, t: int) -> Hashable:
        intervals = [
            window.bounds(t, situation.timeline)
            for window in self._windows
            if not isinstance(window, TupleWindow)
        ]
        # Tuple windows need only the order of the times, and which times are equal.
        ranks = {u: rank for rank, u in enumerate(sorted({fact.t for fact in situation.facts}))}
        facts = tuple(
            (
                f.predicate,
                f.arguments,
                ranks[f.t],
                (f.t > t) - (f.t < t),
                *(f.t in interval for interval in intervals),
            )
            for f in situation.facts
        )
        return facts, *((t in interval, bool(interval)) for interval in intervals)

    def _key(self, situation: Situation, t: int) -> Hashable:
        past, future = t - situation.timeline.first, situation.timeline.last - t
        # An end of the timeline beyond the reach of the windows makes no difference.
        ends = (
            past if self._reach.past is None else min(past, self._reach.past),
            future if self._reach.future is None else min(future, self._reach.future),
        )
        facts = tuple((f.t - t, f.predicate, f.arguments) for f in situation.facts)
        return facts, ends, t % self._step


def _is_flat(part: Formula) -> bool:
    """Return whether a formula is an atom or ◇ of an atom, possibly inside a window and under an outer ¬."""
    match part:
        case Not(inner):
            return _is_flat(inner)
        case In(_, inner) | inner:
            return isinstance(inner.inner if isinstance(inner, Diamond) else inner, Atom | Truth)


def answers_in(
    questions: Sequence[Question],
    situation: relational.EncodedSituation,
    within: Interval,
    evaluator: Evaluator = "auto",
) -> Iterator[Answer]:
    """Yield each answer of each question once, for its evaluation times in the interval.

    The situation must contain all input that the windows of the programs can see at times in the interval.
    """
    for number, question in enumerate(questions):
        posed = PosedQuestion(question, situation, situation.times(question.gate, within).tolist())
        rows = posed.by_columns(PosedQuestion.rows, evaluator)
        for row, first, last in posed.rows_of_clingo() if rows is None else rows:
            for t in posed.times[first : last + 1]:
                yield Answer(number, t, row)


def answer_runs(
    questions: Sequence[Question],
    situation: relational.EncodedSituation,
    within: Interval,
    evaluator: Evaluator = "auto",
) -> list[AnswerRuns]:
    """Return the answers to each question at its evaluation times; the output must be a predicate."""
    return [
        answers_at(question, situation, situation.times(question.gate, within), None, evaluator)
        for question in questions
    ]


def answers_at(
    question: Question,
    situation: relational.EncodedSituation,
    times: Array,
    newest: Array | None = None,
    evaluator: Evaluator = "auto",
) -> AnswerRuns:
    """Return the answers to a question at the given times, in place of the question's evaluation times.

    `times` and `newest` have equal length, and their values never decrease. Each evaluation ignores atoms
    that arrive after its time in `newest`.
    """
    assert question.predicate is not None, "answer streams have rows of no width"
    latest = None if newest is None else newest.tolist()
    posed = PosedQuestion(question, situation, times.tolist(), latest)
    table = posed.by_columns(PosedQuestion.table, evaluator)
    if table is None:
        rows = relational.as_table(posed.rows_of_clingo(), question.predicate[1], situation.terms)
        table = relational.coalesce(rows, len(times))
    return AnswerRuns(times, table, situation.terms)


def stream_runs(
    question: Question, situation: relational.EncodedSituation, times: Sequence[int], evaluator: Evaluator
) -> StreamRuns | None:
    """Return the only answer stream at each time; None if only clingo can answer the question."""
    if evaluator == "both":
        return None
    return PosedQuestion(question, situation, times).by_columns(PosedQuestion.streams, evaluator)


Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True, eq=False)
class PosedQuestion:
    """A question and its input, to be evaluated at the given ascending times in place of its trigger.

    `newest` has the length of `times`, and its values never decrease. Each evaluation ignores atoms that
    arrive after its time in `newest`.
    """

    question: Question
    situation: relational.EncodedSituation
    times: Sequence[int]
    newest: Sequence[int] | None = None

    def by_columns(self, find: Callable[["PosedQuestion"], Outcome], evaluator: Evaluator) -> Outcome | None:
        """Return the result of the relational evaluation; None if clingo must compute the answers.

        The relational evaluation does not cover all questions, and it fails for some numbers and constraints.
        In such cases, clingo evaluates one time after another, so that an error names the first time at which
        the evaluation fails.
        """
        if not by_columns(self.question, self.situation.background, evaluator):
            return None
        if evaluator == "both" and self.newest is None:
            for situation, times in self._seen():
                check_alike_at(self.question, situation.decoded(), times)
        try:
            return find(self)
        except FailedRunError:
            raise
        except LarsError:
            if evaluator == "relational":
                raise
            return None

    def table(self) -> relational.RunTable:
        """Return the rows of the requested predicate."""
        assert self.question.predicate is not None
        predicate = self.question.predicate
        return self._tables().get(predicate, relational.empty(predicate[1]))

    def streams(self) -> StreamRuns:
        """Return the whole answer stream at each time."""
        return _streams_of(self.question.program, self.situation, self.times, self._tables())

    def rows(self) -> Iterator[tuple[Row, int, int]]:
        """Return the requested rows, each with the first and last index of an interval of times."""
        if self.question.predicate is None:
            return ((row, index, index) for index, (_, row) in enumerate(self.streams().streams()))
        return relational.decode(relational.coalesce(self.table(), len(self.times)), self.situation.terms)

    def _tables(self) -> dict[Signature, relational.RunTable]:
        """Return the table of the requested predicate, or the tables of all derived predicates."""
        program, predicate = self.question.program, self.question.predicate
        tables: dict[Signature, list[relational.RunTable]] = {}
        parts = list(self._parts())
        for number, (begin, end, part) in enumerate(parts):
            tell(number, len(parts))
            latest = None if self.newest is None else self.newest[begin:end]
            derived = relational.evaluate_program(program, part, self.times[begin:end], predicate, latest)
            for name in derived if predicate is None else derived.keys() & {predicate}:
                tables.setdefault(name, []).append(derived[name].moved(begin))
        return {
            name: some[0]
            if len(parts) == 1
            else relational.coalesce(relational.concatenate(some, name[1]), len(self.times))
            for name, some in tables.items()
        }

    def rows_of_clingo(self) -> Iterator[tuple[Row, int, int]]:
        """Yield the rows that clingo computes, each with the first and last index of an interval of times.

        The interval of a row never extends beyond its part of the job.
        """
        if self.situation.is_late:
            for index, (situation, times) in enumerate(self._seen()):
                for row, _, _ in by_clingo(self.question, situation.decoded(), times):
                    yield row, index, index
            return
        if self.newest is None:
            for begin, end, part in self._parts():
                for row, first, last in by_clingo(self.question, part.decoded(), self.times[begin:end]):
                    yield row, begin + first, begin + last
            return
        decoded = self.situation.decoded()
        for index, (t, latest) in enumerate(zip(self.times, self.newest, strict=True)):
            for row, _, _ in by_clingo(self.question, replace(decoded, newest=latest), [t]):
                yield row, index, index

    def _seen(self) -> Iterator[tuple[relational.EncodedSituation, Sequence[int]]]:
        """Yield the input, with the times of the evaluations that see the input.

        If data came late, each evaluation sees other input, so the function yields one pair per time.
        """
        if not self.situation.is_late:
            yield self.situation, self.times
            return
        for t in self.times:
            yield self.situation.seen_at(t), [t]

    def _parts(self) -> Iterator[tuple[int, int, relational.EncodedSituation]]:
        """Yield ranges of evaluation times with the input; the joins for one range fit in memory."""
        situation, times, seen = self.situation, self.times, reach(self.question.program)
        if not times:
            return
        if seen.past is None or seen.future is None or seen.tuples:
            # A window without a bound can need any earlier input, so the times are not divided.
            yield 0, len(times), situation
            return
        arrived = np.zeros(len(times), np.int64)
        for some in situation.atoms.values():
            arrived += np.searchsorted(some.t, times, "right")
        total = int(arrived[-1])
        length = times[-1] + 1 - times[0]
        # A part shorter than the reach of the windows would mostly read input of other parts again.
        count = min(1 + total // ATOMS_AT_ONCE, 1 + length // (seen.past + seen.future + 1))
        number = np.maximum(arrived - 1, 0) * count // max(total, 1)
        borders = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(times)]
        for begin, end in pairwise(borders):
            near = Interval(times[begin] - seen.past, times[end - 1] + seen.future)
            yield begin, end, situation.within(near)


def check_alike_at(question: Question, situation: Situation, times: Sequence[int]) -> None:
    """Raise DisputedAnswerError if the relational evaluation and clingo answer a question differently."""
    from solver.job.both_ways import PosedProgram, check_alike

    def columns(case: PosedProgram) -> Iterator[tuple[Row, int, int]]:
        return PosedQuestion(_of_program(case.program), relational.encode(case.situation), case.times).rows()

    def clingo(case: PosedProgram) -> Iterator[tuple[Row, int, int]]:
        return by_clingo(_of_program(case.program), case.situation, case.times)

    def _of_program(program: Program) -> Question:
        return replace(question, program=program)

    check_alike(PosedProgram(question.program, situation, times), columns, clingo)


def by_columns(question: Question, background: Iterable[Signature], evaluator: Evaluator) -> bool:
    """Return whether the relational evaluation answers the question.

    Raises:
        LarsError: `evaluator` requires the relational evaluation, which cannot answer the question.
    """
    if evaluator == "clingo":
        return False
    obstacle_found = hindrance(question, frozenset(background))
    if obstacle_found is not None and evaluator == "relational":
        raise LarsError(f"--evaluator relational cannot evaluate this program: {obstacle_found}")
    return obstacle_found is None


def hindrance(question: Question, background: frozenset[Signature]) -> relational.Obstacle | None:
    """Return the reason why the relational evaluation cannot answer a question; None if it can answer."""
    return _obstacle(question.program, background, whole=question.predicate is None)


def say_hindrances(questions: Sequence[Question], background: Background, runner: Runner) -> None:
    """Print a note about each question that clingo answers, as the relational evaluation cannot.

    If the user requires the relational evaluation, such a question is an error, and no note is printed.
    """
    for question in questions if runner.evaluator != "relational" else ():
        if (hindering := hindrance(question, frozenset(background))) is not None:
            runner.notice(f"evaluated by clingo, not by the relational evaluator: {hindering}")


@lru_cache(maxsize=256)
def _obstacle(
    program: Program, background: frozenset[Signature], *, whole: bool
) -> relational.Obstacle | None:
    hindering = relational.obstacle(program, background)
    constraint = next((rule for rule in program.rules if whole and rule.head is None), None)
    if hindering is None and constraint is not None:
        return relational.Obstacle(
            "because of a constraint, a time point can have no answer stream", constraint
        )
    return hindering


def by_clingo(
    question: Question, situation: Situation, times: Sequence[int]
) -> Iterator[tuple[Row, int, int]]:
    """Yield each row that clingo computes, with the first and last index of an interval of times."""
    program, output = question.program, question.output
    if len(times) > 1 and isinstance(output, tuple) and pointwise.have_runs(program, situation.background):
        step = max(2, _SPREAD // (1 + len(situation.facts)))
        for begin in range(0, len(times), step):
            for row, (first, last) in pointwise.runs(program, situation, times[begin : begin + step], output):
                yield row, begin + first, begin + last
        return
    # Without `NearSituation`, clingo would read the input of the whole timeline at each time.
    around, repeats = NearSituation(program, situation), RepeatedSituations(program)
    for index, t in enumerate(times):
        seen = around.at(t)
        evaluate = partial(rows_at, question, seen, t)
        found = repeats.rows(seen, t, evaluate) if len(times) > 1 else evaluate()
        yield from ((row, index, index) for row in found)


def rows_at(question: Question, situation: Situation, t: int) -> Iterator[Row]:
    """Yield each row that clingo computes at t from all input of a situation."""
    found: Iterable[frozenset[Moment] | None]
    whole = question.output
    if not isinstance(whole, Whole):
        yield from pointwise.rows(question.program, situation, t, whole)
        return
    if whole.consequences is None:
        found = islice(pointwise.models(question.program, situation, t), whole.most)
    else:
        found = (pointwise.consequences(question.program, situation, t, whole.consequences),)
    for model in found:
        if model is not None:
            yield write_moments(model, t)
