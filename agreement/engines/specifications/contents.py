"""What a query answers to what its windows show: each content is evaluated once, whichever t0 shows it."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from typing import Final

from agreement.documents.outputs import in_order, row_order
from agreement.documents.recordings import Row
from agreement.documents.requests import sources, with_sources
from agreement.documents.traces import background
from agreement.engines.specifications.elements import Element, Task, heard_on, ticking
from agreement.engines.specifications.parameters import Tick
from lars.analysis import Mode, literal_form
from lars.language.program import Program, formulas
from lars.language.terms import Signature, Variable
from lars.language.windows import SlidingWindow, Window
from solver.columns import Array, TermCodes
from solver.facts import STREAM_PREDICATE
from solver.relational import (
    RunTable,
    ShownContents,
    decoded,
    encoded_rows,
    evaluated_on,
    obstacle,
    span_runs,
)
from translate.model.query import Profile, Semantics, Setting, ToStream
from translate.model.windows import Rows, Sliding
from translate.tau import Output, answered, translated

Content = tuple[range, ...]
"""What each window shows, in the order of the query: places among the elements of its stream."""
_TRIPLE: Final = (STREAM_PREDICATE, 4)
_AT_ONCE: Final = 500_000
"""So many runs of what windows show are in memory together."""

RowRun = tuple[Row, int, int]
"""A raw row with the first and last number of consecutive contents that it answers."""


class ContentAnswers:
    """The answers of a task's query to contents of its windows; those that were asked for are known."""

    def __init__(self, task: Task, setting: Setting) -> None:
        # What a window shows is given here: it only has to be told from the others.
        windows = {source: Sliding(1, 1, number) for number, source in enumerate(sources(task.query))}
        query = with_sources(task.query, lambda one: replace(one, window=windows[one]))
        self.output: Output = answered(query, setting)
        self.program: Program = translated(query, setting)
        self._static = background(task.static, task.query.dataset, lambda _: None, task.query.language)
        self._terms = TermCodes()
        self._background = {
            name: encoded_rows(rows, name[1], self._terms) for name, rows in self._static.items()
        }
        clock = ticking(task, Tick.INSTANT)
        self._columns = [self._encoded(heard_on(clock, source.stream)[1]) for source in windows]
        self._known: dict[Content, tuple[Row, ...]] = {}

    @property
    def covers(self) -> bool:
        """Whether what windows show decides the answer: not when it is seen, or when it arrived."""
        forms = (literal_form(part) for rule in self.program.rules for part in formulas(rule.body))
        by_content = all(form.window is None or form.mode is Mode.SOME for form in forms)
        return by_content and obstacle(self.program, self._static) is None

    def rows(self, contents: Sequence[Content]) -> list[tuple[Row, ...]]:
        """Return the rows that the query has over each content, in their order."""
        new = sorted({one for one in contents if one not in self._known}, key=_ends)
        for part in _parts(new):
            self._known.update(zip(part, self._answered(part), strict=True))
        return [self._known[one] for one in contents]

    def _answered(self, contents: Sequence[Content]) -> Iterator[tuple[Row, ...]]:
        """Yield the answer of each content; it is that of the one before where no row begins or ends."""
        runs = list(self.runs(contents))
        if not self.output.order:
            # Each answer is then in its order, without being sorted by itself.
            runs.sort(key=lambda run: row_order(run[0]))
        borders = sorted({0, *(first for _, first, _ in runs), *(last + 1 for _, _, last in runs)})
        rows: list[list[Row]] = [[] for _ in borders]
        for row, first, last in runs:
            for place in range(bisect_left(borders, first), bisect_right(borders, last)):
                rows[place].append(row)
        for own, (begin, end) in zip(rows, pairwise([*borders, len(contents)]), strict=True):
            shown = in_order(self.output, own) if self.output.order else self.output.shown(own)
            yield from [tuple(shown)] * (end - begin)

    def at_least(self, contents: Sequence[Content]) -> list[int]:
        """Return how many rows each content answers at least: of equal rows the longest run counts."""
        found: list[int] = []
        for part in _parts(contents):
            longest: dict[Row, tuple[int, int]] = {}
            for row, first, last in self.runs(part):
                shown = row[: len(self.output.variables)]
                before = longest.get(shown)
                if before is None or before[1] - before[0] < last - first:
                    longest[shown] = first, last
            changes = [0] * (len(part) + 1)
            for first, last in longest.values():
                changes[first] += 1
                changes[last + 1] -= 1
            found += accumulate(changes[:-1])
        return found

    def runs(self, contents: Sequence[Content]) -> Iterator[RowRun]:
        """Return the raw rows of contents, each with its longest runs of numbers of contents."""
        atoms: dict[tuple[Signature, Window], RunTable] = {
            (_TRIPLE, SlidingWindow(1, 1, number)): self._shown(number, [one[number] for one in contents])
            for number in range(len(self._columns))
        }
        given = ShownContents(self._terms, len(contents), atoms, self._background)
        return decoded(evaluated_on(self.program, given, self.output.predicate), self._terms)

    def _shown(self, number: int, spans: Sequence[range]) -> RunTable:
        table = span_runs([span.start for span in spans], [span.stop for span in spans])
        (places,) = table.columns
        return replace(table, columns=tuple(column[places] for column in self._columns[number]))

    def _encoded(self, elements: Sequence[Element]) -> list[Array]:
        texts = chain.from_iterable((*element.triple, element.stream) for element in elements)
        return list(self._terms.codes(texts).reshape(len(elements), 4).T)


@lru_cache(maxsize=16)
def content_answers(task: Task, profile: Profile, rows: Semantics) -> ContentAnswers | None:
    """Return the answers of a task's query to contents; None where it takes more to know them.

    That is where static data change, and where each stream of a variable has a window of its newest
    triples.
    """
    windows = sources(task.query)
    if task.versions or any(isinstance(w.window, Rows) and isinstance(w.stream, Variable) for w in windows):
        return None
    found = ContentAnswers(task, Setting(profile, task.unit, semantics=rows, ordered=True))
    return found if found.covers else None


def _ends(content: Content) -> list[tuple[int, int]]:
    return [(span.stop, span.start) for span in content]


def _parts(contents: Sequence[Content]) -> Iterator[Sequence[Content]]:
    begin = size = 0
    for number, content in enumerate(contents):
        before = contents[number - 1] if number > begin else (range(0),) * len(content)
        size += sum(map(_added, before, content))
        if size > _AT_ONCE:
            yield contents[begin : number + 1]
            begin, size = number + 1, 0
    if begin < len(contents):
        yield contents[begin:]


def _added(before: range, now: range) -> int:
    """Return how many runs begin at a content."""
    forward = before.start <= now.start and before.stop <= now.stop
    return now.stop - max(now.start, before.stop) if forward else len(now)


def changes(kind: ToStream, found: Iterable[RowRun], count: int, output: Output) -> dict[int, list[Row]]:
    """Return what is new (ISTREAM) or gone (DSTREAM) at each of `count` evaluations, by its number.

    Equal rows are counted as the output says. Before the first evaluation there is no answer.
    """
    width = len(output.variables)
    deltas: dict[Row, Counter[int]] = {}
    for row, first, last in found:
        own = deltas.setdefault(row[:width], Counter())
        own[first] += 1
        own[last + 1] -= 1
    reported: dict[int, list[Row]] = {}
    sign = 1 if kind is ToStream.ISTREAM else -1
    for row in sorted(deltas, key=row_order):
        for number, change in _counted(deltas[row], bag=output.bag):
            if number < count and change * sign > 0:
                reported.setdefault(number, []).extend([row] * abs(change))
    return reported


def _counted(deltas: Counter[int], *, bag: bool) -> Iterator[tuple[int, int]]:
    """Yield by how many a row's multiplicity changes at an evaluation; in a set it is 0 or 1."""
    count = 0
    for number in sorted(deltas):
        before, count = count, count + deltas[number]
        yield number, (count - before if bag else (count > 0) - (before > 0))
