"""A slice of the timeline → answers per time point: how it is cut, which input it carries, its evaluation.

The one function that Spark and a process run.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple

from lars.analysis import Reach, reach
from lars.errors import LarsError
from lars.program import Program
from lars.stream import Moment, moment_order, write_moment
from lars.terms import Atom, Signature, signature
from lars.windows import Interval, TupleWindow
from solver.facts import (
    Around,
    Arrivals,
    Fact,
    Gate,
    Matcher,
    Newest,
    Relevance,
    Situation,
    Span,
    counts,
    matcher,
    split,
    times_of,
    unite,
)
from solver.job.repeats import Repeats
from solver.pointwise import Consequences, consequences, models
from solver.runs import Row, is_covered, runs

TRIGGER: Final = Atom("trigger")


@dataclass(frozen=True, slots=True)
class Whole:
    """Ask for whole answer streams: at most `most` of them, or what some or all of them derive.

    Each row is then the derived atoms of one answer stream (or the consequences) as texts,
    `@_u a` where a holds at another time than the reference time. No row: no answer stream.
    """

    most: int | None = None
    consequences: Consequences | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A program without its trigger, what is asked for, and the evaluation times.

    A predicate asks for its rows in the one answer stream that there is.
    """

    program: Program
    output: Signature | Whole
    gate: Gate

    @property
    def predicate(self) -> Signature | None:
        """The predicate that is asked for; None when whole answer streams are."""
        return None if isinstance(self.output, Whole) else self.output


class Answer(NamedTuple):
    """A row that question number `question` has at time t."""

    question: int
    t: int
    row: Row


def ask(program: Program, output: Signature | Whole, gate: Gate | None = None) -> Question:
    """Return the question for the atoms of `output`; the gate is the program's own unless given."""
    own, ungated = split(program, TRIGGER)
    return Question(ungated if gate is None else program, output, own if gate is None else gate)


class Stretch(NamedTuple):
    """A row that question number `question` has at each of its evaluation times from first to last."""

    question: int
    row: Row
    first: int
    last: int


def evaluate(questions: Sequence[Question], situation: Situation, within: Interval) -> Iterator[Answer]:
    """Yield each answer of each question at its evaluation times in the interval, once.

    The situation must hold all input that the programs' windows can see from there.
    """
    for number, question in enumerate(questions):
        times = times_of(question.gate, situation.facts, within.meet(situation.timeline))
        for row, (first, last) in _rows(question, situation, times):
            for t in times[first : last + 1]:
                yield Answer(number, t, row)


def stretches(questions: Sequence[Question], situation: Situation, within: Interval) -> Iterator[Stretch]:
    """Yield the answers as `evaluate` does, those of consecutive evaluation times as one."""
    for number, question in enumerate(questions):
        times = times_of(question.gate, situation.facts, within.meet(situation.timeline))
        for row, (first, last) in _rows(question, situation, times):
            yield Stretch(number, row, times[first], times[last])


def _rows(question: Question, situation: Situation, times: Sequence[int]) -> Iterator[tuple[Row, Span]]:
    """Yield each row with the first and the last of the indexes at which it is an answer, all apart."""
    whole = question.output
    if isinstance(whole, Whole) or not is_covered(question.program, situation.background):
        around, repeats = Around(question.program, situation), Repeats(question.program)
        rows_at = _plain_rows if not isinstance(whole, Whole) else partial(_whole_rows, wanted=whole)
        for index, t in enumerate(times):
            seen = around.at(t)
            found_at = repeats.rows(seen, t, partial(rows_at, question, situation=seen, t=t))
            yield from ((row, (index, index)) for row in found_at)
        return
    found: dict[Row, list[Span]] = {}
    for row, first, last in runs(question.program, situation, times, whole):
        found.setdefault(row, []).append((first, last))
    for row, spans in found.items():
        yield from ((row, span) for span in _apart(spans))


def _apart(spans: list[Span]) -> list[Span]:
    if len(spans) == 1:
        return spans
    apart: list[Span] = []
    for span in spans:
        unite(apart, span)
    return apart


def _whole_rows(question: Question, situation: Situation, t: int, wanted: Whole) -> Iterator[Row]:
    found: Iterable[frozenset[Moment] | None]
    if wanted.consequences is None:
        found = islice(models(question.program, situation, t), wanted.most)
    else:
        found = (consequences(question.program, situation, t, wanted.consequences),)
    for model in found:
        if model is not None:
            moments = sorted(model, key=lambda one: moment_order(one, t))
            yield tuple(write_moment(moment, t) for moment in moments)


def _plain_rows(question: Question, situation: Situation, t: int) -> Iterator[Row]:
    found = list(models(question.program, situation, t))
    if len(found) != 1:
        raise LarsError(f"the program has {len(found)} answer streams at {t}, so no one answer")
    for when, atom in found[0]:
        if when == t and signature(atom) == question.output:
            yield tuple(None if text == "null" else text for text in map(str, atom.arguments))


@dataclass(frozen=True)
class Halo:
    """What the questions need beside a slice's own time points, in time points and by pattern."""

    questions: tuple[Question, ...]

    @cached_property
    def reach(self) -> Reach:
        """The farthest that any of the programs looks; None means to the end of the timeline."""
        return reach(Program(tuple(rule for question in self.questions for rule in question.program.rules)))

    @cached_property
    def _patterns(self) -> dict[str, list[Matcher]]:
        atoms = (Relevance(question.program, question.predicate).needed() for question in self.questions)
        return _by_predicate(frozenset().union(*atoms))

    @cached_property
    def _triggers(self) -> dict[str, list[Matcher]]:
        gates = (question.gate for question in self.questions)
        return _by_predicate(atom for gate in gates if isinstance(gate, Arrivals) for atom in gate.patterns)

    def counted(self, fact: Fact) -> bool:
        """Whether a tuple window counts the fact."""
        return any(counts(window, fact.arguments) for window in self.reach.tuples)

    def slices_of(self, fact: Fact, slices: Sequence[Interval]) -> range:
        """Return the indexes of the slices that need the fact, for a window or as a trigger."""
        if _is_matched(fact, self._patterns) or self.counted(fact):
            return self._reached(fact.t, slices)
        if _is_matched(fact, self._triggers):
            own = bisect_right(slices, fact.t, key=attrgetter("first"))
            return range(max(own - 1, 0), own)
        return range(0)

    def _reached(self, t: int, slices: Sequence[Interval]) -> range:
        past, future = self.reach.past, self.reach.future
        first = 0 if future is None else bisect_left(slices, t - future, key=attrgetter("last"))
        last = len(slices) if past is None else bisect_right(slices, t + past, key=attrgetter("first"))
        return range(first, last)


def _by_predicate(atoms: Iterable[Atom]) -> dict[str, list[Matcher]]:
    found: dict[str, list[Matcher]] = {}
    for atom in atoms:
        found.setdefault(atom.predicate, []).append(matcher(atom))
    return found


def _is_matched(fact: Fact, patterns: dict[str, list[Matcher]]) -> bool:
    # A loop, no generator: this runs for each fact of a trace.
    for matches in patterns.get(fact.predicate, ()):  # noqa: SIM110
        if matches(fact):
            return True
    return False


def cut_evenly(timeline: Interval, times: Sequence[int], count: int) -> list[Interval]:
    """Return at most `count` slices of the timeline, with about equally many of the times in each."""
    borders = sorted({times[len(times) * i // count] for i in range(1, count)} if times else ())
    starts = [timeline.first, *(t for t in borders if timeline.first < t <= timeline.last)]
    return [Interval(a, b - 1) for a, b in zip(starts, [*starts[1:], timeline.last + 1], strict=True)]


def tail(windows: Iterable[TupleWindow], facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts, ascending in time, that some of the tuple windows keeps at their end."""
    kept = {index for window in windows for index in Newest(window, facts).up_to(len(facts))}
    return [facts[index] for index in sorted(kept)]


def sliced(facts: Sequence[Fact], slices: Sequence[Interval], halo: Halo) -> list[list[Fact]]:
    """Return for each slice the facts that it needs, in order; facts are given ascending in time."""
    parts: list[list[Fact]] = [[] for _ in slices]
    for fact in facts:
        for index in halo.slices_of(fact, slices):
            parts[index].append(fact)
    if halo.reach.tuples:
        order = {fact: place for place, fact in reversed(list(enumerate(facts)))}
        times = [fact.t for fact in facts]
        for part, within in zip(parts, slices, strict=True):
            before = dict.fromkeys(facts[: bisect_left(times, within.first)])
            # What windows of time and of tuples carry along stays in its order of arrival.
            whole = {*part, *tail(halo.reach.tuples, list(before))}
            part[:] = sorted(whole, key=order.__getitem__)
    return parts
