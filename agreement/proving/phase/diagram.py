"""Compute from the matches of a query in how many periods push and pull agree, by period and window length.

λ(r, t) is the smallest length of the varied window for which row r is an answer at t. Consider a period with
push's evaluation times E and the pull at its end e. Push reports r for L >= min λ(r, t) over E, and pull
reports r for L >= λ(r, e). Push and pull differ in r exactly for the lengths between both limits.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from agreement.comparing.agree.periods import whole_periods
from agreement.proving.phase.matches import FOREVER, TimedMatch
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver.facts import Row

_Spans = dict[int, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """The numbers of agreeing and of empty periods for each window length, for one pull period.

    `whole` is the number of whole periods on the timeline. In an empty period, neither push nor pull has a
    row.
    """

    period: int
    whole: int
    agreeing: tuple[int, ...]
    empty: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        """Whether neither push nor pull has a row in any whole period, for any window length."""
        return all(count == self.whole for count in self.empty)

    def share(self, place: int) -> float | None:
        """Return the share of periods in which push and pull agree, for the window length at index `place`.

        If the timeline contains no whole period, the function returns None.
        """
        return self.agreeing[place] / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class PhaseDiagram:
    """The agreement of push and pull for each pull period and each length of the window on `stream`.

    The lengths are in time points, and `unit` is the length of a time point. `rate` is the factor by which
    the stream is faster than the trace. `own_length` is the length in time points that the window has in the
    query.
    """

    rate: int
    lengths: tuple[int, ...]
    rows: tuple[PhaseRow, ...]
    unit: Duration
    stream: Iri
    own_length: int

    def runs(self, row: PhaseRow) -> Iterator[tuple[int, int, int]]:
        """Yield ranges of window lengths for which push and pull agree in the same number of periods.

        Each result is the first length, the last length, and the number of agreeing periods.
        """
        for agreeing, run in groupby(zip(self.lengths, row.agreeing, strict=True), key=itemgetter(1)):
            first, *_, last = [length for length, _ in run] * 2
            yield first, last, agreeing

    def counts(self, row: PhaseRow) -> Iterator[tuple[int, int, int, int]]:
        """Yield ranges of window lengths with the same numbers of agreeing periods and of empty periods.

        Each result is the first length, the last length, the number of agreeing periods, and the number of
        empty periods.
        """
        columns = zip(self.lengths, row.agreeing, row.empty, strict=True)
        for (agreeing, empty), run in groupby(columns, key=itemgetter(1, 2)):
            first, *_, last = [length for length, *_ in run] * 2
            yield first, last, agreeing, empty


SeenMatches = tuple[Sequence[TimedMatch], Sequence[TimedMatch], Sequence[int]]
"""The matches of push, the matches of pull, and the times at which push evaluates."""


def phase_row(matches: SeenMatches, period: int, ages: Sequence[int], timeline: Interval) -> PhaseRow:
    """Return the numbers of agreeing and of empty periods for each maximum age of triples in a window.

    The maximum age belongs to the window whose length varies. `ages` contains the maximum ages in time
    points, in ascending order.
    """
    periods = list(whole_periods(period, timeline))
    differing, empty = [0] * len(ages), [0] * len(ages)
    for needs in _needed(matches, periods, ages[-1]):
        spans = [(min(both), max(both)) for both in needs.values() if both[0] != both[1]]
        least = min((min(both) for both in needs.values()), default=FOREVER)
        for place, age in enumerate(ages):
            empty[place] += age < least
            differing[place] += any(low <= age < high for low, high in spans)
    return PhaseRow(period, len(periods), tuple(len(periods) - count for count in differing), tuple(empty))


def _needed(
    seen_matches: SeenMatches, periods: Sequence[tuple[int, int]], longest: int
) -> Iterator[Mapping[Row, Sequence[float]]]:
    """Yield, for each period, the smallest maximum age of triples with which each side reports each row.

    The first age of a row is for push, the second for pull. Ages are in time points. If a side reports a row
    with no maximum age up to `longest`, the age is FOREVER.
    """
    ages: list[dict[Row, list[float]]] = [{} for _ in periods]
    push, pull, times = seen_matches
    fired = sorted(times)
    for side, matches in enumerate((push, pull)):
        for match in matches:
            last = match.end if match.oldest is None else min(match.end, match.oldest + longest)
            for place in range(bisect_left(periods, match.start, key=itemgetter(1)), len(periods)):
                begin, end = periods[place]
                if begin >= last:
                    break
                # Of the times at which push evaluates the first one needs the least.
                at = bisect_left(fired, max(match.start, begin + 1))
                t = end if side else fired[at] if at < len(fired) else end + 1
                if t <= min(end, last):
                    both = ages[place].setdefault(match.row, [FOREVER, FOREVER])
                    both[side] = min(both[side], 0 if match.oldest is None else t - match.oldest)
    yield from ages
