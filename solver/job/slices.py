"""How the timeline is cut into slices, and which input each of them carries."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from lars.analysis import Reach, reach
from lars.language.program import Program
from lars.language.terms import Atom
from lars.language.windows import Interval, TupleWindow
from solver.facts import Arrivals, Fact, Matcher, Newest, Relevance, counts, matcher
from solver.job.questions import Question


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
