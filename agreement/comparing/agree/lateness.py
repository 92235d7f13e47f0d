"""Compare the answers to late data with the answers that the same data would have if they were on time.

An element has an event time t and an arrival time a. The answers *on time* are the answers of `lars agree`
without `--late`, which uses only event times. For the answers *as the data came*, an evaluation for the time
r sees the elements with a <= r, at their event times t. If pull waits W time points after the end of a
period, pull sees the elements with a <= r + W. If a limit of the lateness is given, elements with a greater
delay a - t are dropped. Push evaluates when an element arrives. Rows are compared in the whole periods of the
timeline. Evaluations after the timeline show whether a lost row comes later.

A changed row gets the first of these causes that applies:

- dropped: if no element were dropped, the row would not change.
- arrived after the pull: the row is lost; if only the data that arrived until the pull existed, and were on
  time, the row would not be reported in the period.
- aggregate of other input: the query has an aggregate, LIMIT or OFFSET, which reads other elements.
- blocked when it arrived: push would report the row if no negated pattern could remove it.
- left the window before it arrived: the elements that the row needs were never in the windows together.
- fired by late data: with data on time, the row also holds, but at a time at which push does not evaluate.
  Push evaluates at this time because a late element arrives.
- blocked too late: the element that removes the row arrived after the evaluation.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import islice, product
from operator import itemgetter
from typing import Final, Literal, get_args

import numpy as np

from agreement.comparing.agree.agreeing import VariantReport
from agreement.comparing.agree.causes import AskedProgram
from agreement.comparing.agree.periods import first_start, rows_by_period
from agreement.documents.outputs import row_order
from agreement.documents.requests import SIDES, Side
from agreement.documents.traces import LocalTrace
from lars.analysis import windows
from lars.dataclass import dataclass
from lars.language.formulas import Not, SetLiteral
from lars.language.program import Program, Rule
from lars.language.terms import Signature, signature
from lars.language.windows import LARGEST_TIME, Interval, IntervalWindow
from solver import relational
from solver.columns import Array
from solver.facts import Arrivals, Fact, Gate, Row
from solver.job import AnswerRuns, Question, ask
from solver.job.slices import used_background
from translate.model.query import Setting
from translate.tau import lars_program, push

LateKind = Literal["late", "lost for good", "invented"]
"""The effect of late data on a row: it comes in a later period, it never comes, or it is wrong (invented)."""
LATE_KINDS: Final[tuple[LateKind, ...]] = get_args(LateKind)
LateCause = Literal[
    "dropped",
    "arrived after the pull",
    "aggregate of other input",
    "blocked when it arrived",
    "left the window before it arrived",
    "fired by late data",
    "blocked too late",
]
"""The causes why late data change a row, in the order of the tests."""
LATE_CAUSES: Final[tuple[LateCause, ...]] = get_args(LateCause)
_MOST_PULLS: Final = 100_000
"""The number of pulls after the timeline above which only pulls that see other input are evaluated."""
_SHARED: Final = frozenset(("_timely", "_first", "_borders"))
"""The cached properties that depend neither on the wait nor on the limit of the lateness."""
_Key = tuple[int, ...]
_Spans = dict[_Key, list[tuple[int, int]]]
"""For each row, as codes of its terms: the intervals of indexes of the evaluations that have the row."""
_Place = tuple[_Key, int]
"""A row, as codes of its terms, with the number of a period."""


@dataclass(frozen=True, slots=True)
class LateRow:
    """A row of push or pull that late data change in the period (start, end].

    `at` is the time of the last evaluation in the period that has the row. For a lost row, `at` is the time
    of an evaluation of the data on time; for an invented row, of an evaluation of the data as they came. If a
    lost row is reported after the period, `reported` is the time of this report.
    """

    side: Side
    period: int
    start: int
    end: int
    kind: LateKind
    cause: LateCause
    row: Row
    at: int
    reported: int | None = None

    @property
    def late_by(self) -> int | None:
        """The number of time points from the period's end to the late report of the row; None without one."""
        return None if self.reported is None else self.reported - self.end


@dataclass(frozen=True, eq=False)
class LateSide:
    """The answers of push or pull for one pull period: with all data on time, and with the data as they came.

    `wait` is the number of time points from the end of a period to the evaluation of pull. Data with a delay
    above `lateness` are dropped; None keeps all data.
    """

    side: Side
    program: Program
    gate: Gate
    output: Signature
    trace: LocalTrace
    on_time: AnswerRuns
    period: int
    wait: int = 0
    lateness: int | None = None
    _known: dict[Program | None, AnswerRuns] = field(default_factory=dict, repr=False, compare=False)

    @property
    def whole(self) -> int:
        """The number of whole periods inside the timeline."""
        return max((self.trace.timeline.last - self._start) // self.period, 0)

    @property
    def _start(self) -> int:
        return first_start(self.period, self.trace.timeline)

    @cached_property
    def _aggregates(self) -> bool:
        """Whether the query has an aggregate, LIMIT or OFFSET."""
        return any(isinstance(part, SetLiteral) for rule in self.program.rules for part in rule.body)

    @cached_property
    def is_monotone(self) -> bool:
        """Whether more input never removes a row, except from tuple-based windows."""
        return not self._aggregates and positive(self.program) == self.program

    @property
    def rows(self) -> int:
        """The number of rows in all whole periods, if all data are on time."""
        table = self._by_period(self._timely)
        return int((table.last - table.first + 1).sum())

    @cached_property
    def _timely(self) -> AnswerRuns:
        """The answers with all data on time; without the answer at time 0, because time 0 is in no period."""
        # Pull has answered at the multiples of all compared periods, not only of this one.
        return _at(self.on_time, self.period if self.side == "pull" else 1)

    @property
    def delay(self) -> int:
        """The longest delay of an element, in time points."""
        return max((int(delays.max(initial=0)) for delays in self._delays), default=0)

    @property
    def late_elements(self) -> int:
        """The number of elements that arrived after their event time."""
        return sum(int((delays > 0).sum()) for delays in self._delays)

    def dropped(self, lateness: int) -> int:
        """Return the number of elements whose delay is above `lateness` time points."""
        return sum(int((delays > lateness).sum()) for delays in self._delays)

    @property
    def reach_ahead(self) -> int:
        """The greatest number of time points by which a window ends after its evaluation time."""
        own = (window.reach[1] for window in windows(self.program) if isinstance(window, IntervalWindow))
        return max(own, default=0)

    @cached_property
    def changes(self) -> Sequence[LateRow]:
        """The rows that are lost or invented because of late data, sorted by period."""
        lost, invented = self._changed
        places = lost | invented
        keys = {key for key, _ in places}
        came, timely = (_spans(answers, keys) for answers in (self._came(), self._timely))
        texts = _texts(keys, self.on_time)
        causes = self._causes(lost, invented)
        found = []
        for place in places:
            key, number = place
            end = self._start + (number + 1) * self.period
            is_lost = place in lost
            at = _last(timely if is_lost else came, key, end)
            reported = _next(came, key, end) if is_lost else None
            kind: LateKind = "late" if reported else "lost for good" if is_lost else "invented"
            about = self.side, self.period, end - self.period, end, kind, causes[place]
            found.append(LateRow(*about, texts[key], at, reported))
        return sorted(found, key=lambda row: (row.end, LATE_KINDS.index(row.kind), row_order(row.row)))

    def counts(self, wait: int, lateness: int | None) -> tuple[int, int, int]:
        """Return the numbers of rows that are late, lost for good, and invented.

        The numbers are computed with the given wait of pull and the given limit of an element's lateness.
        """
        other = self._with(wait, lateness)
        lost, invented = other._changed  # noqa: SLF001
        came = _spans(other._came(), {key for key, _ in lost})  # noqa: SLF001
        ends = ((key, self._start + (number + 1) * self.period) for key, number in lost)
        late = sum(_next(came, key, end) is not None for key, end in ends)
        return late, len(lost) - late, len(invented)

    def least_wait(self) -> int | None:
        """Return a wait W of pull, in time points, with which no row is lost.

        With the wait W - 1, a row would be lost. If the query is monotone, W is the smallest wait without
        lost rows. If every wait loses a row, for example because elements are dropped, the result is None.
        """
        # L1: with a wait of the longest delay and the reach ahead, pull sees what it sees on time.
        low, high = 0, self.delay + self.reach_ahead
        if any(self.counts(high, self.lateness)[:2]):
            return None
        while low < high:
            middle = (low + high) // 2
            loses = any(self.counts(middle, self.lateness)[:2])
            low, high = (middle + 1, high) if loses else (low, middle)
        return low

    def supports(self, rows: Sequence[LateRow]) -> list[tuple[Fact, ...]]:
        """Return the input atoms of one proof of each row; the proof of a lost row uses the data on time.

        If push lost a row only because the input that makes push evaluate arrived after the period, the first
        of this input is also returned.
        """
        proofs: dict[LateRow, tuple[Fact, ...]] = {}
        for invented in (False, True):
            own = [row for row in rows if (row.kind == "invented") == invented]
            trace = self._late(max((0, *(row.at for row in own)))) if invented else self.trace
            known = used_background(trace.background, [Question(self.program, self.output, None)])
            situation = relational.situation_of(trace.columns, trace.timeline, known)
            asked = AskedProgram(self.program, self.output, situation)
            if own and relational.obstacle(self.program, frozenset(trace.background)) is None:
                times = [row.at for row in own]
                proofs |= zip(own, asked.supports([row.row for row in own], times), strict=True)
        return [(*(proof := proofs.get(row, ())), *self._missing_trigger(row, proof)) for row in rows]

    def _missing_trigger(self, row: LateRow, proof: Collection[Fact]) -> Iterator[Fact]:
        """Yield the input atom that came too late to make push evaluate, if the proof came in time."""
        in_time = all(came <= row.end for came in self.arrivals(proof).values())
        if row.cause != "arrived after the pull" or not in_time or not isinstance(self.gate, Arrivals):
            return
        assert self.trace.came is not None
        here = self.trace.came.within(Interval(row.at, row.at))
        fitting = (
            Fact(row.at, pattern.predicate, atom)
            for pattern in self.gate.patterns
            if (some := here.atoms.get(signature(pattern))) is not None
            for mask in [here.terms.matching(pattern.arguments, some.columns, len(some.t))]
            for atom in zip(*(here.terms.atom_texts(column[mask]) for column in some.columns), strict=True)
        )
        yield from islice(fitting, 1)

    def arrivals(self, facts: Collection[Fact]) -> Mapping[Fact, int]:
        """Return the arrival time of each input atom; for an atom that arrives several times, the first."""
        assert self.trace.came is not None
        found: dict[Fact, int] = {}
        for t in {fact.t for fact in facts}:
            here = self.trace.came.within(Interval(t, t))
            for (name, _), some in here.atoms.items():
                assert some.since is not None
                rows = zip(*map(here.terms.atom_texts, some.columns), strict=True)
                for since, row in zip(some.since.tolist(), rows, strict=False):
                    fact = Fact(t, name, row)
                    found[fact] = min(since, found.get(fact, since))
        return {fact: found[fact] for fact in facts}

    @property
    def _delays(self) -> Iterator[Array]:
        assert self.trace.came is not None
        for some in self.trace.came.within(self.trace.timeline).atoms.values():
            assert some.since is not None
            yield some.since - some.t

    def _by_period(self, answers: AnswerRuns) -> relational.RunTable:
        return rows_by_period(self.side, answers, self._start, self.period, self.whole)

    def _late(self, last: int) -> LocalTrace:
        """Return the trace with elements as they came, and with a timeline that ends at `last`."""
        late = self.trace.as_it_came(self.wait, self.lateness)
        return replace(late, timeline=Interval(self.trace.timeline.first, last))

    def _came(self, program: Program | None = None) -> AnswerRuns:
        """Return the answers to the data as they came, of this side's program or of the given program."""
        if program not in self._known:
            pulls = self._pulls(self.wait) if self.side == "pull" else ()
            late = self._late(max((*pulls, self.trace.timeline.last + self.delay)))
            # Other programs serve only to find causes, so clingo need not check their answers.
            if program is not None:
                late = late.without_certification()
            gate = self.gate if self.side == "push" else pulls
            (self._known[program],) = late.answers([Question(program or self.program, self.output, gate)])
        return self._known[program]

    def _with(self, wait: int, lateness: int | None) -> "LateSide":
        """Return the answers of this side for another wait of pull and another limit of the lateness."""
        if (wait, lateness) == (self.wait, self.lateness):
            return self
        trace = self.trace.without_certification()
        other = replace(self, trace=trace, wait=wait, lateness=lateness, _known={})
        vars(other).update((name, vars(self)[name]) for name in _SHARED & vars(self).keys())
        return other

    def _pulls(self, wait: int) -> tuple[int, ...]:
        """Return the times of pull, on the timeline and then until all data have left the windows."""
        timeline, period = self.trace.timeline, self.period
        first = max(-(-timeline.first // period), 1) * period
        return *range(first, timeline.last + 1, period), *self._later_pulls(wait)

    def _later_pulls(self, wait: int) -> Iterator[int]:
        timeline, period = self.trace.timeline, self.period
        own = [window for window in windows(self.program) if isinstance(window, IntervalWindow)]
        last = timeline.last + self.delay
        # After this time, no element enters or leaves a window, so the answers no longer change.
        ends = (window.stride + (window.reach[0] or 0) + window.reach[1] for window in own)
        end = min(last + max(ends, default=0) + period, LARGEST_TIME)
        pulls = range((timeline.last // period + 1) * period, end + 1, period)
        if len(pulls) <= _MOST_PULLS:
            return iter(pulls)
        assert self.trace.came is not None
        times = set(self._borders)
        for some in self.trace.came.within(timeline).atoms.values():
            assert some.since is not None
            times |= {*(some.since - wait).tolist()}
        return iter(sorted({pull for t in times if (pull := -(-t // period) * period) in pulls}))

    @cached_property
    def _borders(self) -> frozenset[int]:
        """The times at which an element enters or leaves a window."""
        own = [window for window in windows(self.program) if isinstance(window, IntervalWindow)]
        columns = self.trace.columns.within(self.trace.timeline)
        times = {t for some in columns.atoms.values() for t in some.t.tolist()}
        return frozenset(t for each in product(own, times) for t in _shown_from_until(*each))

    @cached_property
    def _changed(self) -> tuple[set[_Place], set[_Place]]:
        """Two sets: the lost rows and the invented rows, each row with the number of its period."""
        timely, came = self._by_period(self._timely), self._by_period(self._came())
        width = range(len(timely.columns))
        lost = _exploded(relational.subtract(timely, came, width, self.whole))
        more = relational.subtract(came, timely, width, self.whole)
        invented = set()
        for key, number in _exploded(more):
            # A row that is also reported on time, up to this period, is late and not invented.
            if self._first.get(key, LARGEST_TIME + 1) > self._start + (number + 1) * self.period:
                invented.add((key, number))
        return lost, invented

    @cached_property
    def _first(self) -> Mapping[_Key, int]:
        """For each row, the time of the first evaluation with the row, if all data are on time."""
        times = self._timely.times.tolist()
        firsts: dict[_Key, int] = {}
        for key, first, _ in _listed(self._timely.runs):
            firsts[key] = min(times[first], firsts.get(key, times[first]))
        return firsts

    def _causes(self, lost: set[_Place], invented: set[_Place]) -> Mapping[_Place, LateCause]:
        causes: dict[_Place, LateCause] = {}
        if self.lateness is not None and (lost or invented):
            # The rows that would not change if no element were dropped.
            kept_lost, kept_invented = self._with(self.wait, None)._changed  # noqa: SLF001
            causes |= dict.fromkeys((lost - kept_lost) | (invented - kept_invented), "dropped")
        left, added = lost - causes.keys(), invented - causes.keys()
        other: LateCause = "aggregate of other input"
        if self.side == "pull":
            causes |= dict.fromkeys(left, "arrived after the pull")
            return causes | dict.fromkeys(added, other if self._aggregates else "blocked too late")
        if left:
            arrived = self._held(left, self._until_ends())
            causes |= dict.fromkeys(left - arrived, "arrived after the pull")
            left = arrived
        if self._aggregates:
            return causes | dict.fromkeys(left | added, other)
        if left and not self.is_monotone:
            free = self._held(left, self._came(positive(self.program)))
            causes |= dict.fromkeys(free, "blocked when it arrived")
        causes |= dict.fromkeys(left - causes.keys(), "left the window before it arrived")
        if added:
            there = self._held(added, self._on_time_when_it_came())
            causes |= dict.fromkeys(there, "fired by late data")
        return causes | dict.fromkeys(added - causes.keys(), "blocked too late")

    def _held(self, places: Collection[_Place], answers: AnswerRuns) -> set[_Place]:
        """Return the rows of `places` that the given answers have in the same periods."""
        numbers: dict[_Key, list[int]] = {}
        for key, number in sorted(places, key=itemgetter(1)):
            numbers.setdefault(key, []).append(number)
        held = set[_Place]()
        for key, first, last in _listed(self._by_period(answers)):
            asked = numbers.get(key, [])
            within = asked[bisect_left(asked, first) : bisect_right(asked, last)]
            held.update((key, number) for number in within)
        return held

    def _until_ends(self) -> AnswerRuns:
        """Return push's answers if all elements were on time, and none arrived after its period."""
        assert self.trace.came is not None
        columns = self.trace.came.within(self.trace.timeline)
        atoms = {}
        for name, some in columns.atoms.items():
            assert some.since is not None
            # As if each element had arrived at the first time point of the period in which it arrived.
            atoms[name] = replace(some, since=-(-some.since // self.period) * self.period - self.period + 1)
        late = replace(columns, atoms=atoms)
        timely = {
            name: some.take(some.since <= some.t) for name, some in atoms.items() if some.since is not None
        }
        fired = relational.situation_of(replace(late, atoms=timely).on_time, self.trace.timeline, {})
        times = fired.times(self.gate, self.trace.timeline)
        question = Question(self.program, self.output, tuple(times.tolist()))
        (answers,) = replace(self.trace, columns=late).without_certification().answers([question])
        return answers

    def _on_time_when_it_came(self) -> AnswerRuns:
        """Return the answers with all data on time, at the times of push's evaluations of the late data."""
        times = tuple(self._came().times.tolist())
        columns = self.trace.columns.within(self.trace.timeline)
        timeline = Interval(self.trace.timeline.first, max((self.trace.timeline.last, *times)))
        trace = replace(self.trace, columns=columns, timeline=timeline).without_certification()
        (answers,) = trace.answers([Question(self.program, self.output, times)])
        return answers


def positive(program: Program) -> Program:
    """Return the program without its negated literals, which could remove rows."""
    rules = (
        Rule(rule.head, tuple(part for part in rule.body if not isinstance(part, Not)))
        for rule in program.rules
    )
    return Program(tuple(rules))


def late_sides(
    variant: VariantReport, setting: Setting, periods: Sequence[int], wait: int, lateness: int | None
) -> list[LateSide]:
    """Return, for each pull period, the answers of push and of pull to late and to timely data."""
    programs, trace = variant.programs, variant.trace
    assert isinstance(trace, LocalTrace)
    pushed = ask(push(lars_program(variant.pair.cqels, setting), setting.trigger), programs.output)
    ways = {
        "push": (
            programs.push,
            pushed.gate,
            programs.output,
            trace if programs.push_static is None else trace.on(programs.push_static),
            variant.answers.push.whole(),
        ),
        "pull": (programs.pull, None, programs.output, trace, variant.answers.pull.whole()),
    }
    return [
        LateSide(side, *ways[side], period, wait if side == "pull" else 0, lateness)
        for period in periods
        for side in SIDES
    ]


def _shown_from_until(window: IntervalWindow, t: int) -> tuple[int, int]:
    """Return the first evaluation time at which a window contains t, and the first one after t left it."""
    whole = Interval(0, LARGEST_TIME)

    def first(r: int) -> int:
        return window.bounds(r, whole).first

    def last(r: int) -> int:
        return window.bounds(r, whole).last

    # Neither end of a window moves back in time, so both times are found by bisection.
    every = range(LARGEST_TIME)
    return bisect_left(every, t, key=last), bisect_right(every, t, key=first)


def _at(answers: AnswerRuns, step: int) -> AnswerRuns:
    """Return the answers only at multiples of `step`, without time 0."""
    chosen = np.flatnonzero((answers.times > 0) & (answers.times % step == 0))
    first = np.searchsorted(chosen, answers.runs.first, "left")
    last = np.searchsorted(chosen, answers.runs.last, "right") - 1
    runs = relational.RunTable(answers.runs.columns, first, last).take(first <= last)
    return AnswerRuns(answers.times[chosen], relational.coalesce(runs, len(chosen)), answers.terms)


def _listed(table: relational.RunTable) -> Iterator[tuple[_Key, int, int]]:
    columns = [column.tolist() for column in table.columns]
    rows = zip(*columns, strict=True) if columns else iter([()] * len(table))
    yield from zip(rows, table.first.tolist(), table.last.tolist(), strict=True)


def _exploded(table: relational.RunTable) -> set[_Place]:
    return {(key, number) for key, first, last in _listed(table) for number in range(first, last + 1)}


def _spans(answers: AnswerRuns, keys: Collection[_Key]) -> tuple[list[int], _Spans]:
    """Return the times of evaluations, and for each given row the intervals of evaluations with the row."""
    spans: _Spans = {key: [] for key in keys}
    for key, first, last in _listed(answers.runs):
        if key in spans:
            spans[key].append((first, last))
    return answers.times.tolist(), {key: sorted(own) for key, own in spans.items()}


def _last(spans: tuple[list[int], _Spans], key: _Key, end: int) -> int:
    """Return the time of the last evaluation up to `end` that has a row."""
    times, own = spans[0], spans[1][key]
    index = bisect_right(times, end) - 1
    _, last = own[bisect_right(own, index, key=itemgetter(0)) - 1]
    return times[min(last, index)]


def _next(spans: tuple[list[int], _Spans], key: _Key, end: int) -> int | None:
    """Return the time of the first evaluation after `end` that has a row, or None."""
    times, own = spans[0], spans[1][key]
    index = bisect_right(times, end)
    place = bisect_left(own, index, key=itemgetter(1))
    return times[max(own[place][0], index)] if place < len(own) else None


def _texts(keys: Iterable[_Key], answers: AnswerRuns) -> Mapping[_Key, Row]:
    return {key: tuple(answers.terms.texts(key)) for key in keys}
