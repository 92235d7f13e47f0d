"""Which start times t0 are tried (Z, RSP-QL 2014), and the verdict on a recording for one choice."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice, product
from typing import Final

from agreement.inputs import WindowSource
from agreement.judge.alignment import Slot
from agreement.likeness import Likeness, Matched, joined, matched
from agreement.specifications import Frame, OpenChoice, shape
from lars.windows import Bounds

EACH: Final = 64
"""Up to so many start times of a window each one is tried, beyond only those that make a difference."""
MOST: Final = 20_000
"""How many combinations of start times are tried at most."""


@dataclass(frozen=True, slots=True)
class Starts:
    """The start times of each window, in the order of the query; `registered` is the first, a.

    `last` is t_s, after which every window has started whatever its t0. `end` is the last t0 of all
    where those of a window stand for the ones up to the next.
    """

    of_windows: tuple[tuple[int, ...], ...]
    last: int
    end: int | None = None

    def until(self, z: tuple[int, ...]) -> int | None:
        """Return the last t0 up to which, from that of the only window on, all are like it; else None."""
        if self.end is None or len(z) != 1:
            return None
        place = bisect_right(self.of_windows[0], z[0])
        return self.of_windows[0][place] - 1 if place < len(self.of_windows[0]) else self.end

    def combinations(self) -> Iterator[tuple[int, ...]]:
        """Yield the elements of Z, those in which all windows start alike first, at most MOST."""
        sets = [frozenset(own) for own in self.of_windows]
        same = self.of_windows[0] if self.of_windows else ()
        first = [(t,) * len(sets) for t in same if all(t in own for own in sets)]
        others = (z for z in product(*self.of_windows) if not sets or len(frozenset(z)) > 1)
        yield from islice((z for part in (first, others) for z in part), MOST)

    @property
    def count(self) -> int:
        """How many combinations there are."""
        found = 1
        for own in self.of_windows:
            found *= len(own)
        return found


def given_starts(read: Sequence[WindowSource], frame: Frame, times: Sequence[int]) -> Starts:
    """Return the start times that a user names, for every window.

    Of two that are a multiple of the slide apart the later one's windows are the earlier one's from
    t0 + α - β + 1 on (RSP-QL 2014, Theorem 1): the stable phase begins there.
    """
    found = [max(times)]
    for own in (own for source in read if (own := shape(source, frame)) is not None):
        earliest = {t % own.slide: t for t in sorted(times, reverse=True)}
        found += [t + own.width - own.slide for t in times if t > earliest[t % own.slide]]
    return Starts(tuple(tuple(times) for _ in read), max(found))


def all_starts(
    read: Sequence[WindowSource], frame: Frame, registered: int, reported: Sequence[float]
) -> Starts:
    """Return a .. a + β - 1 for each window, or those of them that tell contents or delays apart.

    `reported` are the recorded times in time points: windows can close at them.
    """
    own = tuple(tuple(_starts(source, frame, registered, reported)) for source in read)
    slides = [found.slide for source in read if (found := shape(source, frame)) is not None]
    last = registered + max(slides, default=1) - 1
    return Starts(own, last, last)


def _starts(source: WindowSource, frame: Frame, registered: int, reported: Sequence[float]) -> list[int]:
    found = shape(source, frame)
    if found is None:
        return [registered]
    if found.slide <= EACH:
        return list(range(registered, registered + found.slide))
    after = frame.bounds is not Bounds.LOW_OPEN
    opening = (element.t + after for element in frame.clock.elements)
    closing = (
        element.t + (frame.bounds is Bounds.HIGH_OPEN) - found.width for element in frame.clock.elements
    )
    aligned = (int(time) - found.width + more for time in reported for more in (0, 1))
    moved = {(time - registered) % found.slide for times in (opening, closing, aligned) for time in times}
    return [registered + shift for shift in sorted(moved | {0})]


UNCLOSED: Final = "a report before the first window closes"


class EmptyReports(Enum):
    """Whether reports without rows are compared: as the profile says, or not at all."""

    COMPARED = "compared"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class JudgedWindow:
    """One evaluation against its record: times in ms, how the rows match, what is wrong in words.

    `first` and `last` are the ends of what the first window showed, and `triples` what all showed.
    Without `problem` all is right.
    """

    first: float | None
    last: float
    rows: Matched
    delay: float | None
    triples: int | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class Phase:
    """The stable phase (after, until] in milliseconds: what lies in it decides.

    An evaluation from `edge` on, at which the trace ends, decides only where it was reported: nothing
    came after it that could have told the engine that it was due.
    """

    after: float
    until: float
    edge: float

    def decides(self, slot: Slot) -> bool:
        """Whether a slot counts."""
        return self.after < slot.t <= self.until and (slot.t < self.edge or bool(slot.reports))


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a recording meets a specification for one choice, window by window.

    `transient` are windows up to t_s, `later` those after the end of the trace, where nobody knows
    the input. Correct: every window in between is right (RSP-QL 2014, Definition 26); None: there
    is nothing to compare. Up to `until` every t0 of the only window gives the same.
    """

    choice: OpenChoice
    phase: Phase
    transient: tuple[JudgedWindow, ...]
    windows: tuple[JudgedWindow, ...]
    later: tuple[JudgedWindow, ...]
    until: int | None = None

    @property
    def correct(self) -> bool | None:
        """Whether every window of the stable phase is right; None without any."""
        return all(window.problem is None for window in self.windows) if self.windows else None

    @property
    def wrong(self) -> int:
        """How many windows of the stable phase are wrong."""
        return sum(window.problem is not None for window in self.windows)

    @property
    def late(self) -> tuple[float, float] | None:
        """The smallest and the largest delay of the stable phase, in ms; None without any report."""
        delays = [window.delay for window in self.windows if window.delay is not None]
        return (min(delays), max(delays)) if delays else None

    @property
    def score(self) -> float:
        """The harmonic mean of precision and recall over all rows of the stable phase; 1 without rows."""
        return joined([window.rows for window in self.windows]).score


@dataclass(frozen=True, slots=True)
class Comparing:
    """How reports are compared: rows, empty answers, and the length of a time point in ms.

    `closes` is when the first window of all closes, in ms; None where no clock closes windows.
    """

    likeness: Likeness
    empty: EmptyReports
    milliseconds: float
    closes: float | None = None


def verdict(choice: OpenChoice, phase: Phase, found: Sequence[Slot], how: Comparing) -> Verdict:
    """Return the verdict on evaluations and the reports that belong to them."""
    compared = [slot for slot in found if not (how.empty is EmptyReports.IGNORED and _is_empty(slot))]
    transient = [slot for slot in compared if slot.t <= phase.after]
    stable = [slot for slot in compared if phase.decides(slot)]
    later = [slot for slot in compared if slot.t > phase.after and not phase.decides(slot)]
    early, decisive, late = (
        tuple(_window(slot, how) for slot in part) for part in (transient, stable, later)
    )
    return Verdict(choice, phase, early, decisive, late)


def _is_empty(slot: Slot) -> bool:
    return not (slot.expected and slot.expected.rows) and not any(report.rows for report in slot.reports)


def _window(slot: Slot, how: Comparing) -> JudgedWindow:
    rows = tuple(row for report in slot.reports for row in report.rows)
    expected = slot.expected
    wanted = expected.rows if expected else ()
    common = matched(wanted, rows, how.likeness)
    views = expected.views if expected else ()
    return JudgedWindow(
        first=views[0].first * how.milliseconds if views else None,
        last=slot.t,
        rows=common,
        delay=slot.delay,
        triples=sum(view.triples for view in views) if views else None,
        problem=_problem(slot, common, how),
    )


def _problem(slot: Slot, common: Matched, how: Comparing) -> str | None:
    if slot.expected is None:
        if slot.again is not None:
            return "a second report"
        early = how.closes is not None and slot.t < how.closes
        return UNCLOSED if early else "a report where nothing is evaluated"
    if common.missing and common.extra:
        return f"{len(common.missing)} missing, {len(common.extra)} extra"
    if common.missing or common.extra:
        return f"{len(common.missing)} missing" if common.missing else f"{len(common.extra)} extra"
    if how.empty is EmptyReports.COMPARED:
        if slot.expected.reported and not slot.reports:
            return "no report of the empty answer"
        if slot.reports and not slot.expected.reported:
            return "a report of an empty answer"
    return None
