"""What a query answers to what its windows show: each content is evaluated once, whichever t0 shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Final

import numpy as np

from agreement.documents.outputs import in_order
from agreement.documents.recordings import RowNumbers, RowsByNumber
from agreement.documents.requests import sources, with_sources
from agreement.documents.traces import background
from agreement.engines.engine import portions
from agreement.engines.specifications.elements import (
    PushedTriple,
    TickClock,
    Version,
    heard_on,
    stream_elements,
    tick_clock,
)
from agreement.engines.specifications.parameters import Tick
from lars.analysis import Mode, literal_form
from lars.durations import Duration
from lars.language.program import Program, formulas
from lars.language.terms import Signature, Variable
from lars.language.windows import SlidingWindow, Window
from solver.columns import Array, Mask, TermCodes, among, distinct
from solver.facts import STREAM_PREDICATE, Static
from solver.relational import (
    RunTable,
    coalesce,
    encoded_rows,
    evaluated_on,
    obstacle,
    row_texts,
    spread,
    text_order,
)
from solver.relational.shown_input import ShownContents, span_runs
from translate.model.query import EPOCH, EngineQuery, Profile, Semantics, Setting, ToStream
from translate.model.windows import Rows, Sliding
from translate.tau import Output, lars_program, output_of

ShownSpans = tuple[range, ...]
"""What each window shows, in the order of the query: places among the elements of its stream."""
_TRIPLE: Final = (STREAM_PREDICATE, 4)
_GREATEST: Final = 2**62
_AT_ONCE: Final = 500_000
"""So many runs of what windows show are in memory together."""


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Raw rows, each with a run of numbers of contents that it answers, and the numbers of what they show."""

    table: RunTable
    numbers: Array

    @property
    def first(self) -> Array:
        return self.table.first

    @property
    def last(self) -> Array:
        return self.table.last


class ContentAnswers:
    """The answers of a task's query to contents of its windows; those that were asked for are known."""

    def __init__(self, task: "Task", setting: Setting) -> None:
        # What a window shows is given here: it only has to be told from the others.
        windows = {source: Sliding(1, 1, number) for number, source in enumerate(sources(task.query))}
        query = with_sources(task.query, lambda source: replace(source, window=windows[source]))
        self.output: Output = output_of(query, setting)
        self.program: Program = lars_program(query, setting)
        self._static = background(task.static, task.query.dataset, lambda _: None, task.query.language)
        self._terms = TermCodes()
        self._background = {
            name: encoded_rows(rows, name[1], self._terms) for name, rows in self._static.items()
        }
        clock = task.clock(Tick.INSTANT)
        self._columns = [self._encoded(heard_on(clock, source.stream)[1]) for source in windows]
        self._numbers = task.numbers
        self._room, self._ranks, self._row_numbers = 0, np.empty(0, np.int64), np.empty(0, np.int64)
        self._known: dict[ShownSpans, RowsByNumber] = {}

    @property
    def covers(self) -> bool:
        """Whether what windows show decides the answer: not when it is seen, or when it arrived."""
        forms = (literal_form(part) for rule in self.program.rules for part in formulas(rule.body))
        by_content = all(form.window is None or form.mode is Mode.SOME for form in forms)
        return by_content and obstacle(self.program, self._static) is None

    def rows(self, contents: Sequence[ShownSpans]) -> list[RowsByNumber]:
        """Return the rows that the query has over each content, in their order."""
        new = sorted({ranges for ranges in contents if ranges not in self._known}, key=_ends)
        for part in portions(new, _AT_ONCE, _added):
            self._known.update(zip(part, self._answered(part), strict=True))
        return [self._known[ranges] for ranges in contents]

    def _answered(self, contents: Sequence[ShownSpans]) -> Iterator[RowsByNumber]:
        """Yield the answer of each content; it is that of the one before where no row begins or ends."""
        runs = self._runs(contents)
        borders = distinct(np.concatenate(([0], runs.first, runs.last + 1)))
        firsts, ends = np.searchsorted(borders, runs.first), np.searchsorted(borders, runs.last, "right")
        owners, places = spread(firsts, ends)
        # Rows of each answer stay in their order.
        order = np.argsort(places, kind="stable")
        begins = np.searchsorted(places[order], np.arange(len(borders) + 1))
        lengths = np.diff(np.append(borders, len(contents)))
        for place, length in enumerate(lengths.tolist()):
            own = owners[order[begins[place] : begins[place + 1]]]
            yield from [self._in_order(runs, own)] * length

    def _in_order(self, runs: "_Runs", own: Array) -> RowsByNumber:
        if self.output.order:
            rows = row_texts(runs.table.take(own), self._terms)
            return self._numbers.numbered(in_order(self.output, rows))
        numbers = runs.numbers[own]
        # Raw rows that answer the same follow each other.
        return RowsByNumber(self._numbers, numbers if self.output.bag else numbers[_differing(numbers)])

    def sizes(self, contents: Sequence[ShownSpans]) -> list[int]:
        """Return how many rows each content answers, without the rows."""
        numbers: list[Array] = []
        for part in portions(contents, _AT_ONCE, _added):
            runs = self._runs(part)
            table = RunTable((runs.numbers,), runs.first, runs.last)
            counted = table if self.output.bag else coalesce(table, len(part))
            changes = np.bincount(counted.first, minlength=len(part) + 1)
            changes -= np.bincount(counted.last + 1, minlength=len(part) + 1)
            numbers.append(np.cumsum(changes)[:-1])
        return np.concatenate(numbers).tolist() if numbers else []

    def changes(self, kind: ToStream, contents: Sequence[ShownSpans]) -> dict[int, RowsByNumber]:
        """Return what is new (ISTREAM) or gone (DSTREAM) at each of the contents, by its number."""
        runs, room = self._runs(contents), len(contents) + 1
        # A row's place in the order of all stands for it: equal rows follow each other.
        begins = _differing(runs.numbers)
        places = np.cumsum(begins) - 1
        events, which = np.unique(
            np.concatenate((places * room + runs.first, places * room + runs.last + 1)), return_inverse=True
        )
        begun, ended = (np.bincount(part, minlength=len(events)) for part in np.split(which, 2))
        changes = begun - ended
        if not self.output.bag:
            counts = np.cumsum(changes)
            changes = (counts > 0).astype(np.int64) - (counts - changes > 0)
        owners, numbers = np.divmod(events, room)
        changes *= 1 if kind is ToStream.ISTREAM else -1
        changes[(numbers == len(contents)) | (changes < 0)] = 0
        rows = np.repeat(runs.numbers[begins][owners], changes)
        at = np.repeat(numbers, changes)
        order = np.argsort(at, kind="stable")
        times, starts = np.unique(at[order], return_index=True)
        ends = [*starts.tolist(), len(order)]
        return {
            number: RowsByNumber(self._numbers, rows[order[begin:end]])
            for number, (begin, end) in zip(times.tolist(), pairwise(ends), strict=True)
        }

    def _runs(self, contents: Sequence[ShownSpans]) -> "_Runs":
        """Return the raw rows of contents in the order of their texts, with runs of numbers of contents."""
        atoms: dict[tuple[Signature, Window], RunTable] = {
            (_TRIPLE, SlidingWindow(1, 1, number)): self._table(
                number, [ranges[number] for ranges in contents]
            )
            for number in range(len(self._columns))
        }
        shown_contents = ShownContents(self._terms, len(contents), atoms, self._background)
        table = evaluated_on(self.program, shown_contents, self.output.predicate)
        table = table.take(text_order(table, self._terms))
        return _Runs(table, self._shown_numbers(table.project(range(len(self.output.variables)))))

    def _shown_numbers(self, table: RunTable) -> Array:
        """Return the numbers of rows; only those that are new are decoded."""
        ranks, room = np.zeros(len(table), np.int64), 1
        for column in table.columns:
            room *= len(self._terms)
            ranks = ranks * len(self._terms) + column
        if room > _GREATEST:
            return self._numbers.numbered(row_texts(table, self._terms)).numbers
        if self._room != room:
            # Terms have been added: rows are told apart by other numbers than before.
            self._room, self._ranks, self._row_numbers = room, ranks[:0], ranks[:0]
        new = np.flatnonzero(~among(ranks, self._ranks))
        if len(new):
            _, first = np.unique(ranks[new], return_index=True)
            new = new[first]
            added = self._numbers.numbered(row_texts(table.take(new), self._terms)).numbers
            known = np.concatenate((self._ranks, ranks[new]))
            order = np.argsort(known)
            self._ranks, self._row_numbers = known[order], np.concatenate((self._row_numbers, added))[order]
        return self._row_numbers[np.searchsorted(self._ranks, ranks)]

    def _table(self, number: int, spans: Sequence[range]) -> RunTable:
        table = span_runs([span.start for span in spans], [span.stop for span in spans])
        (places,) = table.columns
        return replace(table, columns=tuple(column[places] for column in self._columns[number]))

    def _encoded(self, elements: Sequence[PushedTriple]) -> list[Array]:
        texts = chain.from_iterable((*element.triple, element.stream) for element in elements)
        return list(self._terms.codes(texts).reshape(len(elements), 4).T)


@dataclass(frozen=True, eq=False)
class Task:
    """A query and its input, at time points of `unit` from `origin`; the last one evaluated at is `until`.

    What it was asked stays known as long as the task: many specifications and start times ask the same.
    """

    query: EngineQuery
    elements: tuple[PushedTriple, ...]
    static: Static
    unit: Duration
    until: int
    versions: tuple[Version, ...] = ()
    origin: str = EPOCH
    numbers: RowNumbers = field(default_factory=RowNumbers, repr=False)
    """The numbers that rows have wherever the query answers them, or an engine reported them."""

    @cached_property
    def last(self) -> int:
        """When the last element arrives, 0 without any."""
        return max((element.t for element in self.elements), default=0)

    def clock(self, tick: Tick) -> TickClock:
        """Return what the query's streams hold on the finest clock that tells its ticks apart."""
        if tick not in self._clocks:
            self._clocks[tick] = tick_clock(self._elements, tick)
        return self._clocks[tick]

    def answers(self, profile: Profile, rows: Semantics) -> ContentAnswers | None:
        """Return the answers of the query to contents; None where it takes more to know them.

        That is where static data change, and where each stream of a variable has a window of its newest
        triples.
        """
        if (profile, rows) not in self._answers:
            self._answers[profile, rows] = self._content_answers(profile, rows)
        return self._answers[profile, rows]

    def _content_answers(self, profile: Profile, rows: Semantics) -> ContentAnswers | None:
        windows = sources(self.query)
        by_stream = any(isinstance(w.window, Rows) and isinstance(w.stream, Variable) for w in windows)
        if self.versions or by_stream:
            return None
        answers = ContentAnswers(self, Setting(profile, self.unit, semantics=rows, ordered=True))
        return answers if answers.covers else None

    @cached_property
    def _elements(self) -> tuple[PushedTriple, ...]:
        return stream_elements(self.query, self.elements)

    @cached_property
    def _clocks(self) -> dict[Tick, TickClock]:
        return {}

    @cached_property
    def _answers(self) -> dict[tuple[Profile, Semantics], ContentAnswers | None]:
        return {}


def _ends(content: ShownSpans) -> list[tuple[int, int]]:
    return [(span.stop, span.start) for span in content]


def _added(before: ShownSpans | None, now: ShownSpans) -> int:
    """Return how many runs begin at a content behind another one."""
    return sum(map(_begun, (range(0),) * len(now) if before is None else before, now))


def _begun(before: range, now: range) -> int:
    """Return how many runs of a window begin with what it shows now."""
    forward = before.start <= now.start and before.stop <= now.stop
    return now.stop - max(now.start, before.stop) if forward else len(now)


def _differing(numbers: Array) -> Mask:
    """Return where a number differs from the one before it."""
    return np.concatenate(([True], numbers[1:] != numbers[:-1]))[: len(numbers)]
