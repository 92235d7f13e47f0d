"""Where two recordings differ: the reports at one push, or in one time unit, against each other."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import floor

from agreement.comparing.matching.likeness import Likeness, match_rows
from agreement.documents.recordings import SLACK, Push, Recording, Report
from solver.facts import Row


@dataclass(frozen=True, slots=True)
class DifferenceOptions:
    """How reports are compared: their rows, and whether also their times.

    `has_times` is whether both sides tell times, so that several reports at one push are told apart.
    `pushes`: by the push during which they come; None: by the time unit of so many ms.
    """

    likeness: Likeness
    has_times: bool
    times: bool
    pushes: tuple[Push, ...] | None
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ReportsByPlace:
    """Reports by their place, ascending: the number of the push, or of the time unit.

    `after` are those that no push triggers, as it would have to be later than all there are.
    """

    places: dict[int, tuple[Report, ...]]
    after: tuple[Report, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """How the reports at one place differ.

    `moved` are the times of reports that both have, at different times; `empty` those of reports
    without rows in place of which the other side has none.
    """

    place: int
    first: tuple[Report, ...]
    second: tuple[Report, ...]
    only_first: tuple[Row, ...]
    only_second: tuple[Row, ...]
    moved: tuple[tuple[float, float], ...]
    empty: tuple[float, ...]

    @property
    def size(self) -> int:
        """How much differs: rows, times and empty reports."""
        return sum(map(len, (self.only_first, self.only_second, self.moved, self.empty)))


def group_reports(recording: Recording, how: DifferenceOptions) -> ReportsByPlace:
    """Return the reports by place."""
    reach = list(accumulate((push.t for push in how.pushes or ()), max))
    places: dict[int, list[Report]] = {}
    after: list[Report] = []
    for report in recording.reports:
        place = _place(report, reach, how)
        (after if place is None else places.setdefault(place, [])).append(report)
    return ReportsByPlace({place: tuple(_joined(places[place])) for place in sorted(places)}, tuple(after))


def _place(report: Report, reach: Sequence[float], how: DifferenceOptions) -> int | None:
    if how.pushes is None:
        return floor((report.t + SLACK) / how.milliseconds)
    if report.trigger is not None:
        return report.trigger
    # A clock that pushes drive shows a time once a later push has come.
    place = bisect_right(reach, report.t + SLACK)
    return place if place < len(reach) else None


def _joined(reports: Iterable[Report]) -> Iterator[Report]:
    """Yield one report for each time: some engines give each row by itself."""
    found: dict[float, Report] = {}
    for report in reports:
        before = found.get(report.t)
        found[report.t] = report if before is None else replace(before, rows=(*before.rows, *report.rows))
    yield from (found[t] for t in sorted(found))


def differences(one: ReportsByPlace, other: ReportsByPlace, how: DifferenceOptions) -> dict[int, Difference]:
    """Return the difference at each place that has one, ascending."""
    places = sorted({*one.places, *other.places})
    found = (
        difference(place, one.places.get(place, ()), other.places.get(place, ()), how) for place in places
    )
    return {one.place: one for one in found if one is not None}


def difference(
    place: int, one: tuple[Report, ...], other: tuple[Report, ...], how: DifferenceOptions
) -> Difference | None:
    """Return how the reports of two sides at one place differ; None where they do not."""
    pairs = pair_reports(one, other) if how.has_times else [(_whole(one), _whole(other))]
    missing: list[Row] = []
    extra: list[Row] = []
    moved, empty = [], []
    for mine, yours in pairs:
        rows = match_rows(mine.rows if mine else (), yours.rows if yours else (), how.likeness)
        missing, extra = [*missing, *rows.missing], [*extra, *rows.extra]
        if mine and yours:
            later = how.has_times and how.times and abs(mine.t - yours.t) > SLACK
            moved += [(mine.t, yours.t)] if later else []
        elif (alone := mine or yours) and not alone.rows:
            empty.append(alone.t)
    found = Difference(place, one, other, tuple(missing), tuple(extra), tuple(moved), tuple(empty))
    return found if found.size else None


def _whole(reports: tuple[Report, ...]) -> Report | None:
    rows = tuple(row for report in reports for row in report.rows)
    return replace(reports[0], rows=rows) if reports else None


def pair_reports(one: Sequence[Report], other: Sequence[Report]) -> list[tuple[Report | None, Report | None]]:
    """Return reports in pairs, ascending in time: two belong together if each is nearest to the other."""
    nearest = [_nearest(report.t, other) for report in one]
    back = [_nearest(report.t, one) for report in other]
    pairs = {n: m for n, m in enumerate(nearest) if m is not None and back[m] == n}
    found: list[tuple[Report | None, Report | None]] = [
        (report, other[pairs[n]] if n in pairs else None) for n, report in enumerate(one)
    ]
    taken = set(pairs.values())
    return [*found, *((None, report) for n, report in enumerate(other) if n not in taken)]


def _nearest(t: float, reports: Sequence[Report]) -> int | None:
    """Return the number of the report nearest to a time, the earlier of two; None without any."""
    times = [report.t for report in reports]
    place = bisect_left(times, t)
    near = [n for n in (place - 1, place) if 0 <= n < len(times)]
    return min(near, key=lambda n: abs(times[n] - t), default=None)
