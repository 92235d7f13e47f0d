"""Evaluate a query over contents of its windows; each content is evaluated once, for all start times t0."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import field, replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from typing import Final, Generic, TypeVar

import numpy as np

from agreement.documents.outputs import in_order
from agreement.documents.recordings import RowNumbers, RowsByNumber
from agreement.documents.requests import reads_graphs, sources, with_sources
from agreement.engines.engine import portions
from agreement.engines.specifications.elements import PushedTriple
from lars.analysis import literal_form
from lars.dataclass import dataclass
from lars.language.program import Program, formulas
from lars.language.stream import ToStream
from lars.language.terms import Signature
from lars.language.windows import SlidingWindow, Window
from solver import relational
from solver.columns import Array, Mask, TermCodes, among, distinct
from solver.facts import QUAD_PREDICATE, STREAM_PREDICATE, Arguments
from solver.relational.shown_input import ShownContents, span_runs
from translate.model.query import EngineQuery, Setting
from translate.tau import Output, lars_program, output_of

ShownSpans = tuple[range, ...]
"""The content of each window, in the order of the query, as a range of positions in the window's stream.

If some of these elements have not arrived, range(n, n + 1) follows: only the first n pushes have arrived.
"""
_TRIPLE: Final = (STREAM_PREDICATE, 4)
_QUAD: Final = (QUAD_PREDICATE, 5)
_GREATEST: Final = 2**62
_RUNS_AT_ONCE: Final = 500_000
"""The maximum number of window elements that are in memory for one evaluation."""


class ContentAnswers:
    """Computes the rows of a query for given contents of its windows, and caches the rows."""

    def __init__(
        self,
        query: EngineQuery,
        setting: Setting,
        static: Mapping[Signature, Collection[Arguments]],
        streams: Sequence[Sequence[PushedTriple]],
        numbers: RowNumbers,
    ) -> None:
        """Encode the static data, and the stream elements of each window, as columns."""
        self.output, self.program = _over_contents(Same((id(query),), query), setting)
        self._static = static
        self._terms = TermCodes()
        self._background = {
            name: relational.encoded_rows(rows, name[1], self._terms) for name, rows in static.items()
        }
        self._columns = [self._encoded(elements) for elements in streams]
        # Which pushes have arrived decides what a content shows of late elements.
        self._pushes = [np.array([each.number for each in elements], np.int64) for elements in streams]
        self._late = [np.array([each.arrival != each.t for each in elements], bool) for elements in streams]
        self._quads = list(map(self._encoded_quads, streams)) if reads_graphs(query) else []
        self._numbers = numbers
        self._room, self._ranks, self._row_numbers = 0, np.empty(0, np.int64), np.empty(0, np.int64)
        self._known: dict[ShownSpans, RowsByNumber] = {}

    def with_query(self, query: EngineQuery, setting: Setting) -> "ContentAnswers":
        """Return the rows of another query or setting on the same streams, with the same numbers of terms.

        The queries may differ only in their conditions: both have the same streams and static data. A group
        that occurs in both has the same aggregate, which is computed once.
        """
        other = copy(self)
        other.__dict__.update(_room=0, _known={})
        other.output, other.program = _over_contents(Same((id(query),), query), setting)
        return other

    @property
    def covers(self) -> bool:
        """Whether the rows depend only on the contents of windows, not on times of evaluation or arrival."""
        return _is_covered(Same((id(self.program),), self.program), frozenset(self._static))

    def rows(self, contents: Sequence[ShownSpans]) -> list[RowsByNumber]:
        """Return the rows of the query over each content of its windows, in the order of the contents."""
        new = sorted({ranges for ranges in contents if ranges not in self._known}, key=_ends)
        for part in portions(new, _RUNS_AT_ONCE, _added):
            self._known.update(zip(part, self._answered(part), strict=True))
        return [self._known[ranges] for ranges in contents]

    def _answered(self, contents: Sequence[ShownSpans]) -> Iterator[RowsByNumber]:
        """Yield the rows over each content; consecutive contents with the same rows share one result."""
        runs, numbers = self._runs(contents)
        borders = distinct(np.concatenate(([0], runs.first, runs.last + 1)))
        firsts, ends = np.searchsorted(borders, runs.first), np.searchsorted(borders, runs.last, "right")
        owners, places = relational.spread(firsts, ends)
        # Rows of each answer stay in their order.
        order = np.argsort(places, kind="stable")
        begins = np.searchsorted(places[order], np.arange(len(borders) + 1))
        lengths = np.diff(np.append(borders, len(contents)))
        for place, length in enumerate(lengths.tolist()):
            own = owners[order[begins[place] : begins[place + 1]]]
            yield from [self._in_order(runs.take(own), numbers[own])] * length

    def _in_order(self, runs: relational.RunTable, numbers: Array) -> RowsByNumber:
        if self.output.order:
            return self._numbers.numbered(in_order(self.output, relational.row_texts(runs, self._terms)))
        # Raw rows that answer the same follow each other.
        return RowsByNumber(self._numbers, numbers if self.output.bag else numbers[_differing(numbers)])

    def sizes(self, contents: Sequence[ShownSpans]) -> list[int]:
        """Return the number of rows over each content of the windows."""
        numbers: list[Array] = []
        for part in portions(contents, _RUNS_AT_ONCE, _added):
            runs, own = self._runs(part)
            table = relational.RunTable((own,), runs.first, runs.last)
            counted = table if self.output.bag else relational.coalesce(table, len(part))
            changes = np.bincount(counted.first, minlength=len(part) + 1)
            changes -= np.bincount(counted.last + 1, minlength=len(part) + 1)
            numbers.append(np.cumsum(changes)[:-1])
        return np.concatenate(numbers).tolist() if numbers else []

    def changes(self, kind: ToStream, contents: Sequence[ShownSpans]) -> dict[int, RowsByNumber]:
        """Return the new (ISTREAM) or removed (DSTREAM) rows at each content, by its position."""
        if kind == "ISTREAM" and not self.output.order and all(map(self._known.__contains__, contents)):
            return self._new(contents)
        (runs, row_numbers), room = self._runs(contents), len(contents) + 1
        # A row's place in the order of all stands for it: equal rows follow each other.
        begins = _differing(row_numbers)
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
        changes *= 1 if kind == "ISTREAM" else -1
        changes[(numbers == len(contents)) | (changes < 0)] = 0
        rows = np.repeat(row_numbers[begins][owners], changes)
        at = np.repeat(numbers, changes)
        order = np.argsort(at, kind="stable")
        times, starts = np.unique(at[order], return_index=True)
        ends = [*starts.tolist(), len(order)]
        return {
            number: RowsByNumber(self._numbers, rows[order[begin:end]])
            for number, (begin, end) in zip(times.tolist(), pairwise(ends), strict=True)
        }

    def _new(self, contents: Sequence[ShownSpans]) -> dict[int, RowsByNumber]:
        """Return the new rows at each content, from the known rows of all contents."""
        found, before = dict[int, RowsByNumber](), list[int]()
        for place, content in enumerate(contents):
            now, left, new = self._known[content].numbers.tolist(), Counter(before), list[int]()
            for number in now:
                if left[number]:
                    left[number] -= 1
                else:
                    new.append(number)
            if new:
                found[place] = RowsByNumber(self._numbers, np.array(new, np.int64))
            before = now
        return found

    def _runs(self, contents: Sequence[ShownSpans]) -> tuple[relational.RunTable, Array]:
        """Return the rows for contents of windows, and a number for the visible values of each row.

        Rows are in the order of their texts. Each row contains the positions of the first and the last of
        consecutive contents that give the row.
        """
        atoms: dict[tuple[Signature, Window], relational.RunTable] = {}
        for number, own in enumerate(self._columns):
            window, shown = SlidingWindow(1, 1, number), self._shown(number, contents)
            atoms[_TRIPLE, window] = _in_columns(shown, own)
            for quads, before in self._quads[number : number + 1]:
                # Of each triple as many quads as it has graphs.
                (places,) = shown.columns
                owners, numbers = relational.spread(before[places], before[places + 1])
                atoms[_QUAD, window] = _in_columns(replace(shown.take(owners), columns=(numbers,)), quads)
        shown_contents = ShownContents(self._terms, len(contents), atoms, self._background)
        table = relational.evaluated_on(self.program, shown_contents, self.output.predicate)
        table = table.take(relational.text_order(table, self._terms))
        return table, self._shown_numbers(table.project(range(len(self.output.variables))))

    def _shown_numbers(self, table: relational.RunTable) -> Array:
        """Return a number for each row of a table; equal rows have the same number."""
        ranks, room = np.zeros(len(table), np.int64), 1
        for column in table.columns:
            room *= len(self._terms)
            ranks = ranks * len(self._terms) + column
        if room > _GREATEST:
            return self._numbers.numbered(relational.row_texts(table, self._terms)).numbers
        if self._room != room:
            # New terms change the numbers of rows.
            self._room, self._ranks, self._row_numbers = room, ranks[:0], ranks[:0]
        new = np.flatnonzero(~among(ranks, self._ranks))
        if len(new):
            _, first = np.unique(ranks[new], return_index=True)
            new = new[first]
            added = self._numbers.numbered(relational.row_texts(table.take(new), self._terms)).numbers
            known = np.concatenate((self._ranks, ranks[new]))
            order = np.argsort(known)
            self._ranks, self._row_numbers = known[order], np.concatenate((self._row_numbers, added))[order]
        return self._row_numbers[np.searchsorted(self._ranks, ranks)]

    def _shown(self, number: int, contents: Sequence[ShownSpans]) -> relational.RunTable:
        """Return the elements in a window, each with the positions of the contents that contain it."""
        spans = [ranges[number] for ranges in contents]
        table = span_runs([span.start for span in spans], [span.stop for span in spans])
        counts = np.full(len(contents), _GREATEST)
        some = [place for place, ranges in enumerate(contents) if len(ranges) > len(self._columns)]
        if not some:
            return table
        counts[some] = [contents[place][-1].start for place in some]
        late = self._late[number][table.columns[0]]
        part = table.take(late)
        owners, numbers = relational.spread(part.first, part.last + 1)
        (places,) = part.take(owners).columns
        arrived = self._pushes[number][places] < counts[numbers]
        points = relational.RunTable((places[arrived],), numbers[arrived], numbers[arrived])
        return relational.concatenate([table.take(~late), relational.coalesce(points, len(contents))], 1)

    def _encoded_quads(self, elements: Sequence[PushedTriple]) -> tuple[list[Array], Array]:
        """Return the named-graph triples of the elements as columns, and how many precede each element."""
        quads = [(*each.triple, name, each.stream) for each in elements for name in each.named]
        codes = self._terms.codes(chain.from_iterable(quads)).reshape(len(quads), 5)
        return list(codes.T), np.array([0, *accumulate(len(each.named) for each in elements)], np.int64)

    def _encoded(self, elements: Sequence[PushedTriple]) -> list[Array]:
        texts = chain.from_iterable((*element.triple, element.stream) for element in elements)
        return list(self._terms.codes(texts).reshape(len(elements), 4).T)


_Kept = TypeVar("_Kept")


def _in_columns(table: relational.RunTable, columns: Sequence[Array]) -> relational.RunTable:
    (places,) = table.columns
    return replace(table, columns=tuple(column[places] for column in columns))


@dataclass(frozen=True, slots=True)
class Same(Generic[_Kept]):
    """A value as part of a cache key; two values count as equal if their keys `decisive` are equal."""

    decisive: tuple[object, ...]
    kept: _Kept = field(compare=False)


@lru_cache(maxsize=2**7)
def _over_contents(of: Same[EngineQuery], setting: Setting) -> tuple[Output, Program]:
    """Return the output columns and the LARS program for a query over given contents of its windows."""
    query = of.kept
    # The window's content is given: its name only has to be unique.
    windows = {source: SlidingWindow(1, 1, number) for number, source in enumerate(sources(query))}
    named = with_sources(query, lambda source: replace(source, window=windows[source]))
    return output_of(named, setting), lars_program(named, setting)


@lru_cache(maxsize=2**7)
def _is_covered(of: Same[Program], background: frozenset[Signature]) -> bool:
    """Return whether the rows of a program depend only on the contents of its windows."""
    program = of.kept
    forms = (literal_form(part) for rule in program.rules for part in formulas(rule.body))
    by_content = all(form.window is None or form.mode == "◇" for form in forms)
    return by_content and relational.obstacle(program, background) is None


def _ends(content: ShownSpans) -> list[tuple[int, int]]:
    return [(span.stop, span.start) for span in content]


def _added(before: ShownSpans | None, now: ShownSpans) -> int:
    """Return the number of elements in the windows `now` that are not in the windows `before`."""
    return sum(map(_begun, (range(0),) * len(now) if before is None else before, now))


def _begun(before: range, now: range) -> int:
    """Return the number of elements in the window `now` that are not in the window `before`."""
    forward = before.start <= now.start and before.stop <= now.stop
    return now.stop - max(now.start, before.stop) if forward else len(now)


def _differing(numbers: Array) -> Mask:
    """Return a mask that selects each number that differs from the number before it."""
    return np.concatenate(([True], numbers[1:] != numbers[:-1]))[: len(numbers)]
