"""The start times t0 of windows (the set Z, RSP-QL 2014) that can lead to different verdicts.

If t0 grows, the verdict on a recording changes only in two cases: the opening of a window moves past an
element, or the close of a window moves past an element, a report, or the close of another window. Between
such changes, all start times have the same verdict. The search therefore tries only the least start time of
each class of start times with equal verdicts.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, product
from math import gcd, prod
from typing import Final

from agreement.documents.requests import WindowSource, sources
from agreement.engines import specifications
from lars.dataclass import dataclass
from lars.language.formulas import At, In
from lars.language.program import formulas
from lars.language.windows import NOW, misses_last
from translate.model.query import Setting
from translate.model.windows import Rows
from translate.tau import lars_program

EACH: Final = 64
"""The slide in time points up to which every start time of a window is tried."""
MOST: Final = 20_000
"""The maximum number of combinations of start times that are tried."""
StartTimes = tuple[int, ...]
"""A start time for each window, in the order of the windows in the query."""


@dataclass(frozen=True, slots=True)
class Starts:
    """The combinations of start times to try.

    - `combinations` contains one start time per window for each try; combinations in which all windows have
      the same start time come first.
    - `count` is the number of all combinations.
    - `last` is the time point t_s: from t_s on, every window has started, with every choice of start times.
    - `only` contains the tried start times if the query has a single window. Each tried start time represents
      all start times before the next tried start time; the last represents the start times up to `end`.
    """

    combinations: tuple[StartTimes, ...]
    count: int
    last: int
    only: tuple[int, ...] = ()
    end: int = 0

    def until(self, z: StartTimes) -> int | None:
        """Return the last start time with the same verdict as `z`; None if the query has several windows."""
        if not self.only:
            return None
        place = bisect_right(self.only, z[0])
        return self.only[place] - 1 if place < len(self.only) else self.end


def given_starts(read: Sequence[WindowSource], frame: specifications.Frame, times: Sequence[int]) -> Starts:
    """Return the combinations of the start times that the user gives with --t0.

    Two start times that differ by a multiple of the slide lead to the same windows, except at the beginning.
    The windows are the same from the stable phase on, which begins at t0 + α - β + 1 (RSP-QL 2014, Theorem
    1). Here, α is the width of the window, β is its slide, and t0 is the later of the two start times.
    """
    starts = [max(times)]
    for own in specifications.shapes(read, frame):
        # In descending order, so that the earliest of equivalent times overwrites the later ones.
        earliest = {t % own.slide: t for t in sorted(times, reverse=True)}
        starts += [t + own.due - own.slide for t in times if t > earliest[t % own.slide]]
    same = [(t,) * len(read) for t in dict.fromkeys(times)]
    others = (z for z in product(times, repeat=len(read)) if len(set(z)) > 1)
    return Starts((*same, *islice(others, MOST))[:MOST], len(times) ** len(read), max(starts))


def last_start(of: specifications.FramedTask, registered: int) -> int:
    """Return t_s: the last possible start time of a window of a query registered at `registered`."""
    return (
        registered
        + max((own.slide for own in specifications.shapes(sources(of.task.query), of.frame)), default=1)
        - 1
    )


def all_starts(
    of: specifications.FramedTask,
    registered: int,
    compared: Callable[[specifications.ShownWindow], Iterable[int]] = lambda _: (),
) -> Starts:
    """Return all combinations of possible start times, or at least one for each possible verdict.

    A window with slide β of a query that is registered at time point a can start at a, ..., a + β - 1.

    Args:
        of: The task to evaluate.
        registered: The time point a at which the query is registered.
        compared: A function that returns the time points of closes at which the comparison with a
            recording can change.
    """
    classes = _Classes(of, registered, compared)
    tried = tuple(islice(classes.combinations(), MOST + 1))
    last = last_start(of, registered)
    if len(tried) > MOST:
        return Starts(tried[:MOST], prod(classes.slides), last)
    only = tuple(sorted(t for (t,) in tried)) if len(of.windows) == 1 else ()
    return Starts(tried, len(tried), last, only, last)


class _Classes:
    """The classes of start times that lead to equal verdicts, each with its least start time.

    Example: one window with width 6 and slide 4, low-open, reported at its close; elements at 1, 5 and 9; the
    query is registered at 0. Possible start times are 0, 1, 2 and 3. The first reported windows are:

        t0   window    elements
        0    (0, 6]    1, 5
        1    (1, 7]    5
        2    (2, 8]    5
        3    (3, 9]    5, 9

    The method `_own` yields three start times. The start time 0 is the registration. At 1 (which is 1, 5 and
    9 modulo the slide), the opening of a window passes an element. At 3 (which is 9 - 6), the close of a
    window reaches an element. The start time 2 is not tried, because no opening and no close passes an
    element between 1 and 2. If a recording has a report at 8, `compared` yields 8, so that 2 is tried, too.
    If the slide is at most `EACH`, all four start times are tried.
    """

    def __init__(
        self,
        of: specifications.FramedTask,
        registered: int,
        compared: Callable[[specifications.ShownWindow], Iterable[int]],
    ) -> None:
        self.of, self.registered = of, registered
        self.shapes = [window.shape for window in of.windows]
        self.slides = [1 if own is None else own.slide for own in self.shapes]
        self.closing = [_closes(window) for window in of.windows]
        # Evaluations caused by arrivals, or by the period of the clock, do not move with t0.
        self.by_arrival = any(by_arrival(window) for window in of.windows)
        self.periodic = any("periodic" in window.strategies for window in of.windows)
        self.timed = _tells_time(of)
        self.own = [frozenset(self._own(number, compared)) for number in range(len(of.windows))]
        self.passing = cache(self._passing)

    def combinations(self) -> Iterator[StartTimes]:
        """Yield start times of all windows; combinations of equal start times come first."""
        width, first = len(self.own), set[StartTimes]()
        if width > 1:
            alike = set.intersection(*(set(self._candidates((), number)) for number in range(width)))
            first = {(t,) * width for t in alike}
            yield from sorted(first)
        yield from (z for z in self._from(()) if z not in first)

    def _from(self, fixed: StartTimes) -> Iterator[StartTimes]:
        if len(fixed) == len(self.own):
            yield fixed
            return
        for t in self._candidates(fixed, len(fixed)):
            yield from self._from((*fixed, t))

    def _candidates(self, fixed: StartTimes, wanted: int) -> list[int]:
        """Return the start times of window `wanted` that can lead to different verdicts.

        The start times of the first windows are `fixed`. In each round, each of the other windows gets the
        start times at which its close passes a close of a window with a known start time. The number of
        rounds suffices for each chain of windows in which each window depends on the next window.
        """
        found = [*({t} for t in fixed), *map(set, self.own[len(fixed) :])]
        for _ in range(len(fixed), len(found)):
            for number in range(len(fixed), len(found)):
                others = [(place, t) for place, ts in enumerate(found) if place != number for t in ts]
                for place, t in others:
                    if len(found[number]) == self.slides[number]:
                        break
                    found[number] |= self.passing(number, place, t)
        return sorted(found[wanted])

    def _passing(self, number: int, other: int, start: int) -> frozenset[int]:
        """Return the start times of a window at which its close reaches or passes a close of another window.

        Args:
            number: The number of the window, from 0.
            other: The number of the other window.
            start: The start time of the other window.
        """
        if not (self.closing[number] or self.closing[other]):
            return frozenset()
        events = self._events(other, start, self.slides[number])
        return frozenset(self._starting(number, (event + more for event in events for more in (0, 1))))

    def _events(self, number: int, start: int, slide: int) -> Iterable[int]:
        """Return the times at which a window with this start time closes.

        For a window that reports on closing, the function returns all closes that differ modulo `slide`. For
        another window, the function returns the first close after each element.
        """
        own, window = self.shapes[number], self.of.windows[number]
        if own is None:
            return ()
        if self.closing[number]:
            # Modulo the slide of the other window, the closes repeat after this number.
            return own.closes(start, self.of.frame.task.until)[: slide // gcd(slide, own.slide)]
        opened = {(element.t - window.misses_first - start) // own.slide for element in window.elements}
        return {start + n * own.slide + own.due for n in opened if n >= 0}

    def _own(
        self, number: int, compared: Callable[[specifications.ShownWindow], Iterable[int]]
    ) -> Iterator[int]:
        """Yield a window's start times at which the verdict can change while other windows stay the same."""
        window, slide, own = self.of.windows[number], self.slides[number], self.shapes[number]
        yield self.registered
        each = slide <= EACH and prod(self.slides) <= EACH**2
        if own is None or each or (self.timed and self.closing[number]):
            yield from range(self.registered, self.registered + slide)
            return
        multiples = self._multiples(slide)
        begins = (element.t + (not window.misses_first) for element in window.elements)
        yield from self._modulo(slide, chain(begins, multiples))
        yield from self._starting(number, chain(self._seen(window), multiples))
        if self.closing[number]:
            versions = chain.from_iterable((version.first, version.last) for version in self.of.task.versions)
            known = (t + more for t in versions if t is not None for more in (0, 1))
            after = (t + 1 for t in multiples)
            yield from self._starting(number, chain(compared(window), known, after))

    def _seen(self, window: specifications.ShownWindow) -> set[int]:
        """Return the close times at which a window can first contain an element, or end at the element."""
        frame = self.of.frame
        high_open = misses_last(frame.bounds)
        more = {int(high_open)}
        # Windows that look ahead, or are shifted, contain elements up to another time than that of the close.
        later = {frame.lead - specifications.shift_of(other.source, frame) for other in self.of.windows}
        if self.by_arrival or later != {0}:
            more |= {0, 1}
        if "content-change" in window.strategies:
            more |= {high_open + 1}
        seen = {element.t + n + past for element in frame.clock.elements for n in more for past in later}
        # A late element is first visible to the close that is evaluated, after the wait, when it arrives.
        late = (element.arrival for element in frame.clock.elements if element.arrival != element.t)
        return seen | {came - frame.task.run.wait + n for came in late for n in (0, 1)}

    def _multiples(self, slide: int) -> range:
        """Return the times of pulls (multiples of the pull period) that differ modulo the slide."""
        if not self.periodic:
            return range(0)
        period = specifications.period_of(self.of.frame)
        first = (self.registered // period + 1) * period
        return range(first, self.of.frame.task.until + 1, period)[: slide // gcd(slide, period)]

    def _starting(self, number: int, closes: Iterable[int]) -> Iterator[int]:
        own = self.shapes[number]
        if own is not None:
            # A window without width contains one instant, so t0 before, at and after this instant differ.
            more = (0,) if own.width else (-1, 0, 1)
            yield from self._modulo(own.slide, (t - own.due + n for t in closes for n in more))

    def _modulo(self, slide: int, times: Iterable[int]) -> set[int]:
        return {self.registered + (t - self.registered) % slide for t in times}


def _closes(window: specifications.ShownWindow) -> bool:
    """Return whether a window reports on closing, so that its evaluations move with its start time."""
    return "window-close" in window.strategies and not isinstance(window.source.window, Rows)


def by_arrival(window: specifications.ShownWindow) -> bool:
    """Return whether arrivals trigger the reports of a window, so that one time can have several reports."""
    # A tuple window closes at each arrival, so its reports on closing are caused by arrivals.
    clocked = {"periodic"} if "window-close" not in window.strategies else set[specifications.Strategy]()
    return bool(window.strategies) and not _closes(window) and not clocked & window.strategies


def _tells_time(of: specifications.FramedTask) -> bool:
    """Return whether the query calls NOW(), so that its answers depend on the evaluation time."""
    setting = Setting(of.specification.profile, of.task.unit, semantics=of.specification.rows)
    parts = (part for rule in lars_program(of.task.query, setting).rules for part in formulas(rule.body))
    return any(isinstance(part, In) and part.window == NOW and isinstance(part.inner, At) for part in parts)
