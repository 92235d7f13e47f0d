"""Gracious judging after YABench (2016): which borders fit a report best, and early reports."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from agreement.comparing.judge.alignment import Slot, recorded_for
from agreement.comparing.judge.verdict import Options, Verdict, first_close, slots_of
from agreement.comparing.matching.likeness import Likeness, RowMatch, match_rows
from agreement.documents.recordings import Recording, rows_of
from agreement.engines.r2s import relation_to_stream
from agreement.engines.specifications import (
    ContentAnswers,
    EvaluationPoint,
    ScheduledTask,
    ShownSpans,
    Specification,
    Task,
    answers_of,
    at_close,
    evaluated_windows,
    evaluations,
)
from solver.facts import Row
from translate.model.query import ToStream


def early_matches(
    task: Task, specification: Specification, recording: Recording, options: Options, judged: Verdict
) -> dict[float, RowMatch]:
    """Return how each report before the first close meets the windows that are open then, by times in ms."""
    profile = evaluated_windows(task, specification, judged.choice)
    closes = first_close(profile)
    recorded = recorded_for(task, recording)
    slots = slots_of(profile, evaluations(profile), recorded, options)
    early = [slot for slot in slots if slot.expected is None and closes is not None and slot.t < closes]
    answers = answers_of(profile)
    return _compared(profile, answers, early, options) if early and answers is not None else {}


def _compared(
    profile: ScheduledTask, answers: ContentAnswers, early: list[Slot], options: Options
) -> dict[float, RowMatch]:
    task, specification = profile.task, profile.specification
    times = [int(slot.t / task.unit.milliseconds) for slot in early]
    points = (EvaluationPoint(at_close(time, profile.frame), time) for time in times)
    rows = dict(enumerate(answers.rows([profile.content(point) for point in points])))
    kind = task.query.to_stream or specification.stream
    expected = relation_to_stream(kind, range(len(early)), rows)
    how = replace(options.likeness, semantics=specification.rows)
    return {slot.t: match_rows(expected[n], slot.reports[0].rows, how) for n, slot in enumerate(early)}


_STEPS: Final = (1, 2, 3, 5, 9, 17, 33)
"""So many instants away from a border, on each side, another one is tried."""
_SAMPLES: Final = 12
"""How many borders between two that were tried are tried next."""
_ROUNDS: Final = 8
_TRIPLES: Final = 100_000
"""How many triples all contents that are tried together may have."""


@dataclass(frozen=True, slots=True)
class Borders:
    """A run of a stream's elements: places from `first` up to, not including, `end`."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Shift:
    """Borders that fit better than the expected ones, of the query's window number `window` from 1.

    `start` and `end` are how far they moved in triples: positive ones came in later, or left later.
    `first` and `last` are the time points of the first and last triple shown, None where there is none.
    """

    window: int
    start: int
    end: int
    first: int | None
    last: int | None
    rows: RowMatch


def border_shifts(
    task: Task, specification: Specification, recording: Recording, options: Options, judged: Verdict
) -> dict[float, Shift]:
    """Return better borders for the wrong windows of a verdict, by their times in ms."""
    recorded = recorded_for(task, recording)
    profile = evaluated_windows(task, specification, judged.choice)
    answers = answers_of(profile)
    if answers is None:
        return {}
    points = {point.time: point for point in profile.points}
    how = replace(options.likeness, semantics=specification.rows)
    wrong = {window.last for window in (*judged.transient, *judged.windows) if window.problem is not None}
    shifts: dict[float, Shift] = {}
    for slot in slots_of(profile, evaluations(profile), recorded, options):
        if slot.t in wrong and slot.expected is not None and slot.reports:
            shift = best_shift(profile, answers, slot, points[slot.expected.time], how)
            if shift is not None:
                shifts[slot.t] = shift
    return shifts


def best_shift(
    profile: ScheduledTask, answers: ContentAnswers, slot: Slot, point: EvaluationPoint, how: Likeness
) -> Shift | None:
    """Return the best borders for the reports of a slot, evaluated at a point; None if none are better."""
    rows = rows_of(slot.reports)
    expected = slot.expected.rows if slot.expected else ()

    def met(wanted: Sequence[Row]) -> RowMatch:
        return match_rows(wanted, rows, how)

    shifts = [
        _Search(profile, answers, number, point, met).best()
        for number, window in enumerate(profile.windows)
        if window.elements
    ]
    # A window that shows nothing fits every empty report, which says nothing.
    moved = [
        shift
        for shift in shifts
        if shift is not None and (shift.start or shift.end) and shift.first is not None
    ]
    better = [shift for shift in moved if shift.rows.score > met(expected).score]
    return max(better, key=lambda shift: (shift.rows.score, -abs(shift.start) - abs(shift.end)), default=None)


class _Search:
    """The search for the borders of one window, the other windows as expected."""

    def __init__(
        self,
        profile: ScheduledTask,
        answers: ContentAnswers,
        number: int,
        point: EvaluationPoint,
        met: Callable[[Sequence[Row]], RowMatch],
    ) -> None:
        self.profile, self.answers, self.number, self.met = profile, answers, number, met
        self.window = profile.windows[number]
        self.shown = profile.content(point)
        span = self.shown[number]
        self.expected = Borders(span.start, span.stop)
        self.tried: dict[Borders, RowMatch] = {}

    def best(self) -> Shift | None:
        """Return the best borders there are, as a shift from the expected ones."""
        firsts = self._instants(self.expected.first)
        ends = self._instants(self.expected.end)
        self._try(Borders(first, end) for first, end in product(firsts, ends) if first <= end)
        for _ in range(_ROUNDS):
            before = now = self._chosen()
            self._try(Borders(first, now.end) for first in self._between(now.first) if first <= now.end)
            now = self._chosen()
            self._try(Borders(now.first, end) for end in self._between(now.end) if now.first <= end)
            if self._chosen() == before:
                break
        return self._shift(self._chosen())

    def _shift(self, borders: Borders) -> Shift:
        triples = self.window.elements[borders.first : borders.end]
        return Shift(
            self.number + 1,
            borders.first - self.expected.first,
            borders.end - self.expected.end,
            triples[0].t if triples else None,
            triples[-1].t if triples else None,
            self.tried[borders],
        )

    def _chosen(self) -> Borders:
        return max(self.tried, key=lambda borders: (self.tried[borders].score, -self._distance(borders)))

    def _instants(self, place: int) -> list[int]:
        """Return the borders between instants around a place, and the place itself."""
        elements = self.window.elements
        changes = [n for n in range(1, len(elements)) if elements[n - 1].t != elements[n].t]
        places = sorted({0, place, *changes, len(elements)})
        at = places.index(place)
        near = [at + side * step for step in _STEPS for side in (-1, 1)]
        return sorted({place, *(places[n] for n in near if 0 <= n < len(places))})

    def _between(self, place: int) -> Iterator[int]:
        """Yield borders inside the instants on both sides of a place, and beside it."""
        tried = sorted({n for borders in self.tried for n in (borders.first, borders.end)})
        at = tried.index(place)
        low, high = tried[max(0, at - 1)], tried[min(len(tried) - 1, at + 1)]
        step = max(1, (high - low) // _SAMPLES)
        near = (place - 1, place + 1)
        yield from sorted(n for n in {*range(low, high + 1, step), *near} if low <= n <= high)

    def _try(self, borders: Iterator[Borders]) -> None:
        new = [one for one in dict.fromkeys(borders) if one not in self.tried]
        size = max(1, max((border.end - border.first for border in new), default=1))
        most = max(1, _TRIPLES // size)
        nearest = sorted(new, key=self._distance)[:most]
        for one, rows in zip(nearest, self._answers(nearest), strict=True):
            self.tried[one] = self.met(rows)

    def _distance(self, borders: Borders) -> int:
        return abs(borders.first - self.expected.first) + abs(borders.end - self.expected.end)

    def _answers(self, borders: Sequence[Borders]) -> list[Sequence[Row]]:
        """Return what would be reported: with ISTREAM what the triples of the last instant added."""
        kind = self.profile.task.query.to_stream or self.profile.specification.stream
        contents = [self._content(border) for border in borders]
        if kind is ToStream.RSTREAM:
            return list(self.answers.rows(contents))
        contents += [self._content(self._before(border)) for border in borders]
        numbers = self.answers.rows(contents)
        pairs = zip(numbers[len(borders) :], numbers[: len(borders)], strict=True)
        return [relation_to_stream(kind, (0, 1), {0: before, 1: now})[1] for before, now in pairs]

    def _before(self, borders: Borders) -> Borders:
        elements, end = self.window.elements, borders.end
        while end > borders.first and elements[end - 1].t == elements[borders.end - 1].t:
            end -= 1
        return Borders(borders.first, end)

    def _content(self, borders: Borders) -> ShownSpans:
        ranges = list(self.shown)
        ranges[self.number] = range(borders.first, borders.end)
        return tuple(ranges)
