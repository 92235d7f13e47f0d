"""Which of the rows that one side alone has a page shows, and of some of them proofs.

Of few rows all are shown, of many examples of each cause. As many as cost little have proofs, and what
the other side lacks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from agreement.answering import explaining
from agreement.comparing.agree import Side, VariantReport
from agreement.comparing.agree.narrowing import FoundRow, RowFilter, evenly
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import CAUSES
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json, atom_text, json_text
from agreement.documents.traces import Trace
from agreement.results.renderings import explanation_report
from agreement.results.renderings.pages.timeline import bins_of
from lars.analysis import reach
from lars.errors import LarsError
from lars.language.program import Program
from lars.language.stream import stream_of
from lars.language.windows import Interval
from solver.columns import Array, TermCodes, TimeBins
from solver.facts import Fact, Situation, atom_of, atoms_of
from translate.model.query import EngineQuery

_ALL: Final = 1000
"""Of more rows examples are shown."""
EXAMPLES: Final = 20
"""So many of each cause."""
Tally = Mapping[tuple[int, Side, int], tuple[int, int]]
"""By pulling period, side and the place of a cause: how many rows there are, and in how many periods."""


@dataclass(frozen=True)
class RowSelection:
    """The rows of a report that are wanted, counted without being written down."""

    variant: VariantReport
    row_filter: RowFilter

    def tally(self) -> Tally:
        """Return how many rows there are of each pulling period, side and cause."""
        sizes: dict[tuple[int, Side, int], tuple[int, int]] = {}
        for side, own in self._counts():
            for period in np.unique(self._lengths).tolist():
                some = own[self._lengths == period]
                rows, periods = some.sum(axis=0).tolist(), (some > 0).sum(axis=0).tolist()
                for cause in np.flatnonzero(rows).tolist():
                    sizes[period, side, cause] = rows[cause], periods[cause]
        return dict(
            sorted(sizes.items(), key=lambda pair: (pair[0][0], pair[0][1].value != "push", pair[0][2]))
        )

    @cached_property
    def _lengths(self) -> Array:
        """The length of each period that disagrees."""
        return np.array(
            [comparison.end - comparison.start for comparison in self.variant.explanation.periods], np.int64
        )

    def _counts(self) -> Iterator[tuple[Side, Array]]:
        """Yield, of each side that is wanted, how many of its rows are wanted, by period and cause."""
        if not len(self._lengths):
            return
        for side in Side:
            if self.row_filter.side in (None, side):
                counts = self.variant.explanation.counts(side)
                if self.row_filter.cause is not None:
                    counts[:, [cause is not self.row_filter.cause for cause in CAUSES]] = 0
                if self.row_filter.periods is not None:
                    counts[~np.isin(self._lengths, self.row_filter.periods)] = 0
                yield side, counts

    def rows(self, tally: Tally) -> list[FoundRow]:
        """Return all rows where they are few, else examples of each cause, by period and time."""
        if sum(rows for rows, _ in tally.values()) <= _ALL:
            return list(self.row_filter.rows(self.variant))
        return self.examples(tally)

    def examples(self, tally: Tally) -> list[FoundRow]:
        """Return some rows of each cause, of many pulling periods and both sides, by period and time."""
        found_rows = [row for cause in range(len(CAUSES)) for row in self._of_cause(tally, cause)]
        return sorted(
            found_rows, key=lambda row: (row.period, row.interval.start, row.group, str(row.difference.row))
        )

    def _of_cause(self, tally: Tally, cause: int) -> Iterator[FoundRow]:
        every = [(period, side, rows) for (period, side, own), (rows, _) in tally.items() if own == cause]
        chosen = sorted(evenly(every, EXAMPLES), key=lambda group: group[2])
        left = EXAMPLES
        for number, (period, side, _) in enumerate(chosen):
            # What small groups do not need is left to larger ones.
            share = left // (len(chosen) - number)
            places = evenly(self._places(period, side, cause), share)
            left -= len(places)
            for place in places:
                interval, difference = self.variant.explanation.difference(side, int(place))
                yield FoundRow(period, interval, difference)

    def _places(self, period: int, side: Side, cause: int) -> Sequence[int]:
        causes = self.variant.explanation.causes(side)
        own = (causes.causes == cause) & (self._lengths[causes.owner] == period)
        places: list[int] = np.flatnonzero(own).tolist()
        return places


def counts_json(tally: Tally, verdicts: Sequence[PeriodVerdict]) -> Json:
    """Return the counts as a table: a line a pulling period that disagrees, a column a side and cause."""
    columns = sorted({(side.value != "push", cause) for _, side, cause in tally})
    pairs = [("pull" if pulled else "push", cause) for pulled, cause in columns]
    lines: dict[int, Json] = {
        verdict.period: {
            "period": verdict.period,
            "whole": len(verdict.intervals),
            "wrong": sum(1 for _ in verdict.intervals.disagreeing),
            "cells": [[0, 0]] * len(pairs),
        }
        for verdict in verdicts
        if verdict.agree is False
    }
    for (period, side, cause), (rows, periods) in tally.items():
        cells = list(lines[period]["cells"])
        cells[pairs.index((side.value, cause))] = [rows, periods]
        lines[period]["cells"] = cells
    return {"columns": pairs, "lines": list(lines.values())}


_PROOFS: Final = 20
_ATOMS: Final = 6_000
"""So many atoms all proofs together are looked for among, the first one apart: a program sees each again."""
_FIRST: Final = 10_000
_LETTERS: Final = 120_000
_LONGEST: Final = 60_000
"""So long are all proofs together, and one of them, as JSON."""
QueryPrograms = Mapping[Side, tuple[Program, EngineQuery]]


@dataclass(frozen=True, slots=True)
class _AtomQuestion:
    """An atom that a side is asked about at a time."""

    program: Program
    query: EngineQuery
    t: int
    atom: str

    def seen(self, trace: Trace) -> Interval:
        """Return the part of the timeline that the program can see."""
        own, timeline = reach(self.program), trace.timeline
        first = timeline.first if own.past is None or own.tuples else self.t - own.past
        last = timeline.last if own.future is None else self.t + own.future
        return Interval(first, last).meet(timeline)

    def told(self, trace: Trace, dates: Dates) -> Json:
        """Return the explanation as JSON, as lines where it is no proof."""
        try:
            situated = _around(self, trace, dates)
            explanation = explaining.explain_atom(situated, self.t, self.atom, None, Path("query"))
        except LarsError as error:
            return {"lines": [str(error)], "document": None}
        document = explanation_report.as_json(explanation, dates)
        lines = [] if document.get("proof") else list(explanation_report.text_lines(explanation, dates))
        return {"lines": lines, "document": document}


def _around(question: _AtomQuestion, trace: Trace, dates: Dates) -> explaining.ProgramSituation:
    """Return the program with the input that it can see."""
    timeline = trace.timeline
    facts: list[Fact] = list(trace.facts(question.seen(trace)))
    stream = stream_of(timeline, ((fact.t, atom_of(fact)) for fact in facts))
    background = frozenset(atoms_of(trace.background))
    situation = Situation(timeline, facts, trace.background)
    return explaining.ProgramSituation(question.program, stream, background, situation, question.query, dates)


def proofs(variant: VariantReport, rows: Sequence[FoundRow], sides: QueryPrograms, dates: Dates) -> Json:
    """Return, for some rows by their places, the proof of the side that has it and what the other lacks.

    One row of each period length, side and cause comes before others.
    """
    trace = variant.trace
    proofs_json: Json = {}
    arrived = _Arrived.on(trace)
    atoms, letters = _ATOMS, _LETTERS
    for place in _one_of_each(rows):
        why, lacks = _questions_of(variant, rows[place], sides)
        size = sum(arrived.among(question.seen(trace)) for question in (why, lacks))
        if size > (_FIRST if not proofs_json else atoms):
            continue
        proof = {
            "at": why.t,
            "why": why.told(trace, dates),
            "other_at": lacks.t,
            "lacks": lacks.told(trace, dates),
        }
        atoms -= size
        length = len(json_text(proof))
        if length <= min(letters, _LONGEST):
            letters -= length
            proofs_json[str(place)] = proof
        if len(proofs_json) >= _PROOFS or atoms <= 0:
            break
    return proofs_json


def _one_of_each(rows: Sequence[FoundRow]) -> Iterator[int]:
    """Yield the places of the rows: the first of each group, then the second ones, and on."""
    seen: dict[tuple[int, str, str], int] = {}
    turns: list[tuple[int, int]] = []
    for place, row in enumerate(rows):
        seen[row.group] = seen.get(row.group, 0) + 1
        turns.append((seen[row.group], place))
    return (place for _, place in sorted(turns))


def _questions_of(
    variant: VariantReport, row: FoundRow, sides: QueryPrograms
) -> tuple[_AtomQuestion, _AtomQuestion]:
    """Return what is asked of the side that has a row, and of the other one."""
    difference, end = row.difference, row.interval.end
    own = difference.pushed if difference.side is Side.PUSH and difference.pushed is not None else end
    other = Side.PULL if difference.side is Side.PUSH else Side.PUSH
    times = variant.sides.pushed.within(Interval(row.interval.start + 1, end), TermCodes()).times
    before = [int(t) for t in times[(times > row.interval.start) & (times <= end)][-1:]]
    time = end if other is Side.PULL else before[0] if before else end
    atom = atom_text("ans1", difference.row)
    return _AtomQuestion(*sides[difference.side], own, atom), _AtomQuestion(*sides[other], time, atom)


@dataclass(frozen=True, slots=True)
class _Arrived:
    """How many triples arrive in each bin of the timeline, and how many static ones there are."""

    bins: TimeBins
    counts: Array
    static: int

    @classmethod
    def on(cls, trace: Trace) -> "_Arrived":
        """Return the counts of a trace."""
        bins = bins_of(trace, 1)
        counts = sum(trace.arrivals(bins).values(), np.zeros(bins.count, np.int64))
        return cls(bins, counts, sum(sum(1 for _ in rows) for rows in trace.background.values()))

    def among(self, within: Interval) -> int:
        """Return how many there are in an interval, or a few more: whole bins."""
        first, last = ((t - self.bins.first) // self.bins.width for t in (within.first, within.last))
        return self.static + int(self.counts[max(first, 0) : max(last + 1, 0)].sum())
