"""How Spark's rows are cut into slices and given to them: by their number, however they lie in time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Final

import numpy as np

from lars.analysis import Reach, reach
from lars.program import Program
from lars.windows import Interval, TupleWindow
from solver.columns import Array
from solver.facts import Arrivals, Matcher, Relevance, matcher
from solver.job import Question

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_PARTS: Final = 14
"""Two to this many parts of the timeline are counted at a time."""
_FINEST: Final = 256
"""No part that is counted has more than such a share of the rows, unless it is a time point."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What slices need of a trace: rows that windows show, and those that only tell when to evaluate."""

    patterns: frozenset[Matcher]
    triggers: frozenset[Matcher]
    reach: Reach

    @property
    def bounded(self) -> bool:
        """Whether a slice needs no row from far away but those that tuple windows keep."""
        return self.reach.past is not None and self.reach.future is not None


def needs(questions: Sequence[Question]) -> Needs:
    """Return what the questions need beside a slice's own time points, in time points and by pattern."""
    rules = tuple(rule for question in questions for rule in question.program.rules)
    atoms = (Relevance(question.program, question.predicate).needed() for question in questions)
    gates = (question.gate for question in questions)
    waited = (atom for gate in gates if isinstance(gate, Arrivals) for atom in gate.patterns)
    shown = frozenset(map(matcher, frozenset().union(*atoms)))
    return Needs(shown, frozenset(map(matcher, waited)), reach(Program(rules)))


def shown_rows(wanted: Needs) -> "Column":
    """Return whether a window shows or counts a row."""
    return _any([*map(_fits, wanted.patterns), *map(counted_rows, wanted.reach.tuples)])


def needed_rows(wanted: Needs) -> "Column":
    """Return whether a row matters to any slice."""
    return _any([shown_rows(wanted), *map(_fits, wanted.triggers)])


def counted_rows(window: TupleWindow) -> "Column":
    """Return whether a tuple window counts a row."""
    from pyspark.sql import functions as sql

    if window.source is None:
        return sql.lit(True)
    return sql.expr("get(arguments, size(arguments) - 1)") == sql.lit(str(window.source))


def _fits(atom: Matcher) -> "Column":
    from pyspark.sql import functions as sql

    arguments = sql.col("arguments")
    found = (sql.col("predicate") == sql.lit(atom.predicate)) & (sql.size(arguments) == atom.arity)
    fixed = (sql.get(arguments, sql.lit(place)) == sql.lit(text) for place, text in atom.fixed)
    equal = (sql.get(arguments, sql.lit(a)) == sql.get(arguments, sql.lit(b)) for a, b in atom.equal)
    return reduce(and_, (*fixed, *equal), found)


def _any(conditions: Iterable["Column"]) -> "Column":
    from pyspark.sql import functions as sql

    return reduce(or_, conditions, sql.lit(False))


def slice_of(time: str, starts: Sequence[int]) -> str:
    """Return an expression for the number of starts, which ascend, up to a time: comparisons in a tree.

    >>> slice_of("t", [3, 5])
    'if(t < 5L, if(t < 3L, 0, 1), 2)'
    """
    return _between(time, starts, 0, len(starts))


def _between(time: str, starts: Sequence[int], low: int, high: int) -> str:
    if low == high:
        return str(low)
    middle = (low + high) // 2
    before, after = _between(time, starts, low, middle), _between(time, starts, middle + 1, high)
    return f"if({time} < {starts[middle]}L, {before}, {after})"


def row_counts(rows: "DataFrame", timeline: Interval) -> tuple[Array, Array]:
    """Return where parts of the timeline that have rows begin, ascending, and how many rows each has."""
    first, length = timeline.first, timeline.last + 1 - timeline.first
    power = max(0, (length - 1).bit_length() - _PARTS)
    begins, numbers = _counted(rows, first, power)
    most = int(numbers.sum()) // _FINEST
    light: list[tuple[Array, Array]] = []
    while power and (heavy := numbers > most).any():
        light.append((begins[~heavy], numbers[~heavy]))
        inside = rows.where(_any(rows.t.between(t, t + 2**power - 1) for t in begins[heavy].tolist()))
        power = max(0, power - _PARTS + int(heavy.sum()).bit_length())
        begins, numbers = _counted(inside, first, power)
    begins, numbers = (np.concatenate(some) for some in zip(*light, (begins, numbers), strict=True))
    order = np.argsort(begins)
    return begins[order], numbers[order]


def _counted(rows: "DataFrame", first: int, power: int) -> tuple[Array, Array]:
    """Return the same for parts of 2^power time points each."""
    part = f"shiftright(t - {first}L, {power})"
    found = rows.selectExpr(f"{part} as part").groupBy("part").count().toArrow()
    begins, numbers = (found.column(name).to_numpy().astype(np.int64) for name in ("part", "count"))
    return first + (begins << power), numbers


def cut_by_rows(counts: tuple[Array, Array], span: Interval, rows: int, halo: int | None) -> list[Interval]:
    """Return slices of the span with at least so many rows each, but perhaps the last.

    They have no fewer rows of their own than the `halo` before them, in time points, has: what all of
    them hold together is at most twice the trace. None: that may be as it will.
    """
    begins, numbers = counts
    above = np.concatenate(([0], np.cumsum(numbers)))

    def before(t: int) -> int:
        return int(above[np.searchsorted(begins, t, "left")])

    starts, end = [span.first], before(span.last + 1)
    while True:
        at = starts[-1]
        wanted = max(rows, 0 if halo is None else before(at) - before(at - halo))
        place = int(np.searchsorted(above, before(at) + wanted, "left"))
        if place >= len(begins) or begins[place] > span.last or end - int(above[place]) < rows // 2:
            break
        starts.append(int(begins[place]))
    return [Interval(a, b - 1) for a, b in zip(starts, [*starts[1:], span.last + 1], strict=True)]
