"""A search that tries streams, many in one evaluation, for programs that the search with clingo lacks.

In a period, windows reach only times of the frame (the period with the range of its windows). The streams of
a frame can therefore follow each other on one timeline without affecting each other, and are evaluated
together in columns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Final, assert_never

from lars.analysis import windows
from lars.dataclass import dataclass
from lars.errors import TimeLimitError
from lars.language.program import Program
from lars.language.stream import ToStream
from lars.language.terms import Atom, Term, signature
from lars.language.windows import Interval, TimeWindow
from solver.columns import trace_columns
from solver.deadlines import NEVER, Deadline, until
from solver.facts import Arguments, Arrivals, Background, Fact, Multiples, Row
from solver.job import AnswerRuns, Question, answer_runs
from solver.relational import situation_of
from solver.search import contests
from solver.search.frames import PeriodFrame, UncoveredError, frames, scale_of, scale_program
from solver.settings import Progress, no_progress

MOST_TRIED: Final = 100_000
"""The maximum number of streams that are tried for each number of arrivals."""
_STREAMS_AT_ONCE: Final = 4_000
_MOST_STATIC: Final = 2
"""The maximum number of static triples in a tried stream."""
Placements = tuple[tuple[int, int], ...]
"""A stream: pairs of a time and the number of the triple that arrives at this time."""
Ranks = Mapping[Term, tuple[int, int]]
UsedLetters = tuple[int, ...]
"""The number of used terms in each group of exchangeable terms."""


def tried_streams(
    contest: contests.Contest,
    candidates: contests.Candidates,
    sizes: range,
    deadline: Deadline = NEVER,
    progress: Progress = no_progress,
) -> Iterator[contests.ChosenStream]:
    """Yield the streams with the given numbers of arrivals on which the two sides differ, smallest first.

    Raises:
        StoppedSearchError: The deadline has passed, more than MOST_TRIED streams would be tried, or all
            streams were tried only with few static triples.
        UncoveredError: The search does not support a construct.
    """
    _check_covered(contest)
    static = _in_order(candidates.static, candidates.ranks)
    for size in sizes:
        progress(size, sizes.stop)
        scale = scale_of(contest.programs, contest.compared_period, size)
        programs = [scale_program(program, scale) for program in contest.programs]
        every = tuple(frames(programs, contest.compared_period, size, scale, again=contest.looks_back))
        tried = [_FrameStreams(contest, programs, candidates, frame, deadline) for frame in every]
        numbers = range(min(_MOST_STATIC, len(static)) + 1)
        each = (
            placed
            for n in numbers
            for chosen in _chosen(static, n, size, deadline)
            for frame in tried
            for placed in frame.placed(size, chosen)
        )
        for number, _ in enumerate(each):
            if deadline.is_over:
                raise contests.StoppedSearchError(size, contests.TIME_IS_UP)
            if number == MOST_TRIED:
                raise contests.StoppedSearchError(size, contests.TOO_MANY)
        for n in numbers:
            streams = (
                stream
                for chosen in _chosen(static, n, size, deadline)
                for frame in tried
                for stream in frame.streams(size, chosen)
            )
            yield from sorted(streams, key=lambda stream: stream.cost)
    if len(static) > _MOST_STATIC:
        raise contests.StoppedSearchError(sizes.stop, contests.FEW_STATIC)


def _chosen(static: Sequence[Atom], n: int, size: int, deadline: Deadline) -> Iterator[tuple[Atom, ...]]:
    """Yield each choice of n static atoms, one by one: thousands of atoms have millions of pairs."""
    for atoms in combinations(static, n):
        # For many choices, no stream is tried, so that nothing else sees that the time is up.
        if deadline.is_over:
            raise contests.StoppedSearchError(size, contests.TIME_IS_UP)
        yield atoms


def _in_order(atoms: Iterable[Atom], ranks: Ranks) -> list[Atom]:
    """Return atoms in a fixed order; exchangeable terms are compared by their ranks."""

    def key(atom: Atom) -> list[tuple[int, int, str]]:
        return [(*ranks[term], "") if term in ranks else (-1, 0, str(term)) for term in atom.arguments]

    return sorted(atoms, key=key) if ranks else list(atoms)


def _used(atom: Atom, ranks: Ranks, used: UsedLetters) -> UsedLetters | None:
    """Return the number of used terms per group of exchangeable terms after one more atom, or None.

    The result is None if the atom uses a term of a group before an earlier term of the group. If streams
    differ only in exchanged terms, only the stream is tried in which the terms of each group appear in order.
    """
    for term in atom.arguments:
        if term in ranks:
            group, place = ranks[term]
            if place > used[group]:
                return None
            if place == used[group]:
                used = (*used[:group], place + 1, *used[group + 1 :])
    return used


def _check_covered(contest: contests.Contest) -> None:
    if contest.same_input:
        raise UncoveredError("--same-input together with an aggregate or an order")
    for window in (window for program in contest.programs for window in windows(program)):
        if not isinstance(window, TimeWindow) or window.past is None or window.future > 0:
            raise UncoveredError(f"the window {window} together with an aggregate or an order")


@dataclass(frozen=True, slots=True)
class _FrameStreams:
    """The streams that fit in one frame (a period with the range of its windows), for scaled `programs`."""

    contest: contests.Contest
    programs: Sequence[Program]
    candidates: contests.Candidates
    frame: PeriodFrame
    deadline: Deadline

    @property
    def length(self) -> int:
        """The distance, in time points, between consecutive streams on the common timeline.

        The distance is a multiple of the frame's step, so that windows and pulls have the same positions in
        each stream.
        """
        return -(-self.frame.end // self.frame.step) * self.frame.step

    def placed(self, size: int, static: tuple[Atom, ...]) -> Iterator[Placements]:
        """Yield the streams with `size` arrivals to try with the given static atoms.

        If several streams differ only in exchanged terms, the function yields only one of them.
        """
        ranks, arriving = self.candidates.ranks, self.candidates.arrivals
        numbers = {atom: number for number, atom in enumerate(arriving)}
        ordered = [(atom, numbers[atom]) for atom in _in_order(arriving, ranks)]
        count = self.frame.end * len(ordered)

        def grown(chosen: Placements, first: int, used: UsedLetters) -> Iterator[Placements]:
            if len(chosen) == size:
                yield chosen
                return
            for at in range(first, count - size + len(chosen) + 1):
                t, (atom, number) = at // len(ordered) + 1, ordered[at % len(ordered)]
                if (more := _used(atom, ranks, used)) is not None:
                    yield from grown((*chosen, (t, number)), at + 1, more)

        used: UsedLetters | None = (0,) * len(self.candidates.alike)
        for atom in static:
            used = None if used is None else _used(atom, ranks, used)
        if used is not None:
            yield from grown((), 0, used)

    def streams(self, size: int, static: tuple[Atom, ...]) -> Iterator[contests.ChosenStream]:
        """Yield the streams with `size` arrivals on which the sides differ, with the given static atoms."""
        every = self.placed(size, static)
        while some := list(islice(every, _STREAMS_AT_ONCE)):
            try:
                self.deadline.check()
                with until(self.deadline):
                    differing = list(self._differing(some, static))
            except TimeLimitError:
                raise contests.StoppedSearchError(size, contests.TIME_IS_UP) from None
            yield from (moved_back(self.frame, placed, self.candidates, static) for placed in differing)

    def _differing(self, streams: Sequence[Placements], static: tuple[Atom, ...]) -> Iterator[Placements]:
        arriving, length = self.candidates.arrivals, self.length
        facts = [
            fact_of(t + number * length, arriving[n])
            for number, placed in enumerate(streams)
            for t, n in placed
        ]
        timeline = Interval(0, len(streams) * length)
        here = situation_of(trace_columns(facts), timeline, with_atoms(self.candidates.background, static))
        kept = self.frame.end - self.frame.start
        sides = zip(self.programs, (self.contest.left, self.contest.right), strict=True)
        questions = [Question(program, side.output, _gate(side, kept)) for program, side in sides]
        reports = zip(questions, self.contest.kinds, answer_runs(questions, here, timeline), strict=True)
        left, right = (
            self._reported(runs, kind, at_end=isinstance(question.gate, Multiples))
            for question, kind, runs in reports
        )
        for number, placed in enumerate(streams):
            mine, theirs = left.get(number, frozenset()), right.get(number, frozenset())
            if mine - theirs or (theirs - mine and not self.contest.contained):
                yield placed

    def _reported(self, runs: AnswerRuns, kind: ToStream, *, at_end: bool) -> Mapping[int, frozenset[Row]]:
        """Map the number of each stream to the rows that a side reports in the period of the stream."""
        answers = runs.by_time()
        if kind != "RSTREAM":
            answers = self._changes(runs.times.tolist(), answers, kind)
        first = self.frame.end if at_end else self.frame.start + 1
        rows_at: dict[int, frozenset[Row]] = {}
        for t, rows in answers.items():
            number, place = divmod(t - 1, self.length)
            if first <= place + 1 <= self.frame.end:
                rows_at[number] = rows_at.get(number, frozenset()) | rows
        return rows_at

    def _changes(
        self, times: Sequence[int], answers: Mapping[int, frozenset[Row]], kind: ToStream
    ) -> dict[int, frozenset[Row]]:
        """Return the rows that are new (ISTREAM) or gone (DSTREAM) since the stream's last evaluation."""
        result, last, before = {}, 0, frozenset[Row]()
        for t in times:
            # The last evaluation was on the stream before this one on the common timeline.
            if (t - 1) // self.length != (last - 1) // self.length:
                before = frozenset()
            now = answers.get(t, frozenset())
            result[t] = now - before if kind == "ISTREAM" else before - now
            last, before = t, now
        return result


def moved_back(
    frame: PeriodFrame, stream: Placements, candidates: contests.Candidates, static: tuple[Atom, ...]
) -> contests.ChosenStream:
    """Return a stream of a frame in real time points, moved back to the earliest possible time."""
    back = frame.scale.back
    moved = frame.moves(min((t for t, _ in stream), default=frame.end)) * frame.step
    facts = tuple(fact_of(back(t - moved), candidates.arrivals[number]) for t, number in stream)
    end = back(frame.end - moved)
    start = end - 1 if frame.single else back(frame.start - moved)
    return contests.ChosenStream(facts, static, start, end)


def with_atoms(background: Background, static: Sequence[Atom]) -> Background:
    """Return the background together with the atoms `static`."""
    result: dict[tuple[str, int], list[Arguments]] = {name: list(rows) for name, rows in background.items()}
    for atom in static:
        result.setdefault(signature(atom), []).append(tuple(map(str, atom.arguments)))
    return result


def fact_of(t: int, atom: Atom) -> Fact:
    """Return the fact for an atom that holds at t."""
    return Fact(t, atom.predicate, tuple(map(str, atom.arguments)))


def _gate(side: Question, period: int) -> Arrivals | Multiples | None:
    match side.gate:
        case Arrivals() | None:
            return side.gate
        case Multiples():
            return Multiples((period,))
        case tuple():
            raise UncoveredError("a program that is evaluated only at listed times")
        case _:
            assert_never(side.gate)
