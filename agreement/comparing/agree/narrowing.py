"""Which of the rows that one side alone has are shown: narrowed, counted, spread over what there is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from agreement.comparing.agree.causes import RowCause
from agreement.comparing.agree.differences import RowDifference
from agreement.comparing.agree.periods import PeriodComparison, PeriodVerdict, Side
from agreement.comparing.agree.verdicts import VariantReport
from agreement.documents.values import cut
from lars.errors import LarsError

_One = TypeVar("_One")


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A difference with the pulling period and the interval it stands in."""

    period: int
    interval: PeriodComparison
    difference: RowDifference

    @property
    def group(self) -> tuple[int, str, str]:
        """What rows are counted by: period, side and cause."""
        return self.period, self.difference.side.value, self.difference.cause.value


@dataclass(frozen=True, slots=True)
class RowFilter:
    """What is shown of a report; None: all of it."""

    periods: tuple[int, ...] | None = None
    cause: RowCause | None = None
    side: Side | None = None

    def verdicts(self, variant: VariantReport) -> tuple[PeriodVerdict, ...]:
        """Return the verdicts of the periods that are wanted."""
        return tuple(
            verdict for verdict in variant.verdicts if self.periods is None or verdict.period in self.periods
        )

    def intervals(
        self, variant: VariantReport, verdict: PeriodVerdict
    ) -> Iterator[tuple[PeriodComparison, list[FoundRow]]]:
        """Yield each interval with what is wanted of its rows; with a cause or side only those with any."""
        for interval in verdict.intervals:
            found = [
                FoundRow(verdict.period, interval, one)
                for one in variant.differences(interval)
                if (self.cause is None or self.cause is one.cause)
                and (self.side is None or self.side is one.side)
            ]
            if found or (self.cause is None and self.side is None):
                yield interval, found

    def rows(self, variant: VariantReport) -> Iterator[FoundRow]:
        """Yield the differences that are wanted, by period and time."""
        for verdict in self.verdicts(variant):
            for _, found in self.intervals(variant, verdict):
                yield from found


def narrowed(
    only: tuple[int, ...] | None, cause: RowCause | None, side: str | None, periods: Sequence[int]
) -> RowFilter:
    """Return what options ask for; raises LarsError for a period that is not compared, and no cause."""
    for period in only or ():
        if period not in periods:
            compared = ", ".join(map(str, periods))
            raise LarsError(
                f"--only-period {period}: accepted: a period that is compared, of {cut(compared)}"
            )
    return RowFilter(only, cause, None if side is None else Side(side))


def cause_of(text: str) -> RowCause:
    """Return the cause that an option names."""
    named = {cause.value: cause for cause in RowCause}
    found = named.get(text.replace("-", " "))
    if found is None:
        listed = ", ".join(name.replace(" ", "-") for name in named)
        raise LarsError(f"accepted: {listed}")
    return found


def spread(sizes: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Return at most so many places in groups of these sizes: of as many groups as there is room for."""
    chosen = sorted(evenly(range(len(sizes)), most), key=sizes.__getitem__)
    found: list[tuple[int, int]] = []
    for number, group in enumerate(chosen):
        # What small groups do not need is left to larger ones.
        room = (most - len(found)) // (len(chosen) - number)
        found += [(group, place) for place in evenly(range(sizes[group]), room)]
    return found


def evenly(found: Sequence[_One], most: int) -> list[_One]:
    """Return at most so many, from the first on, as far from each other as can be.

    >>> evenly(range(10), 4)
    [0, 2, 5, 7]
    """
    if len(found) <= most:
        return list(found)
    return [found[place * len(found) // most] for place in range(most)]
