"""Divide a job into slices of the timeline; each slice has all input that its windows can contain.

Slices can therefore be evaluated independently. In this process, the columns of a trace become slices, and
the slices become answers.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from operator import attrgetter
from typing import Final

import numpy as np

from lars.analysis import Reach, reach
from lars.dataclass import dataclass
from lars.language.formulas import Diamond, In, Not
from lars.language.program import Program
from lars.language.terms import Atom, Signature, signature
from lars.language.windows import Interval, TimeWindow, TupleWindow
from solver.columns import (
    Array,
    Atoms,
    CodedTerms,
    InputAtoms,
    Mask,
    TraceColumns,
    in_time_order,
    keys,
    together,
)
from solver.facts import Arrivals, Background
from solver.job.evaluation import Answer, Question, answers_in, used_background
from solver.relational import EncodedSituation, kept_runs, of_source, situation_of
from solver.settings import Certify, Evaluator, Progress, no_progress

Counts = tuple[Array, Array]
"""The ascending starts of the parts of the timeline that have atoms, and the numbers of their atoms."""
_PARTS: Final = 4096
"""The maximum number of parts of the timeline whose atoms are counted separately."""


@dataclass(frozen=True, slots=True)
class Needs:
    """A description of the input atoms that slices of the timeline need for their evaluation.

    For atoms that fit `firsts`, a slice needs the first occurrence from before the slice, at any distance.
    """

    patterns: frozenset[Atom]
    triggers: frozenset[Atom]
    reach: Reach
    firsts: frozenset[Atom] = frozenset()

    @property
    def halo(self) -> int | None:
        """The number of time points before and after a slice whose input the slice needs; None means all."""
        past, future = self.reach.past, self.reach.future
        return None if past is None or future is None else past + future

    def ends(self, timeline: Interval) -> tuple[int, int]:
        """Return how many time points before and after a slice its windows reach in a timeline."""
        past, future = (
            timeline.last + 1 if end is None else end for end in (self.reach.past, self.reach.future)
        )
        return past, future

    def from_before(self, points: int) -> "Needs":
        """Return the needs of slices if they are also evaluated up to `points` time points before them."""
        past = None if self.reach.past is None else self.reach.past + points
        return replace(self, reach=replace(self.reach, past=past))

    def windowed(self, name: Signature, some: InputAtoms, terms: CodedTerms) -> Mask:
        """Return a mask of the atoms that slices read in windows, or that a tuple window must count."""
        mask = _fitting(self.patterns, name, some, terms)
        for window in self.reach.tuples:
            mask |= of_source(some, window, terms)
        return mask

    def among(self, atoms: Atoms, terms: CodedTerms, timeline: Interval) -> "NeededAtoms":
        """Return the given atoms that slices of a timeline need."""
        own: dict[Signature, InputAtoms] = {}
        reached: dict[Signature, InputAtoms] = {}
        for name, some in atoms.items():
            here = some.within(timeline)
            mask = self.windowed(name, here, terms)
            reached[name] = here.take(mask)
            own[name] = here.take(_fitting(self.triggers, name, here, terms) & ~mask)
        return NeededAtoms(reached, own, *self.ends(timeline))


def needs_of(questions: Sequence[Question]) -> Needs:
    """Return the needs of questions: patterns of atoms, and the distance from a slice that windows reach."""
    rules = tuple(rule for question in questions for rule in question.program.rules)
    atoms = (question.needed for question in questions)
    gates = (question.gate for question in questions)
    waited = (atom for gate in gates if isinstance(gate, Arrivals) for atom in gate.patterns)
    return Needs(frozenset().union(*atoms), frozenset(waited), reach(Program(rules)))


def needs_with_firsts(questions: Sequence[Question]) -> Needs:
    """Return the needs of questions, in which windows ⊞^∞ around ◇ need no input from before a slice.

    Such a window shows an atom from the first occurrence of the atom on, so the first occurrence is enough.
    If a slice needs all earlier input anyway, the result is that of `needs_of`.
    """
    whole, firsts, futures, others = needs_of(questions), set[Atom](), [0], []
    for rule in (rule for question in questions for rule in question.program.rules):
        body = []
        for literal in rule.body:
            match literal.inner if isinstance(literal, Not) else literal:
                case In(TimeWindow(past=None, future=future), Diamond(Atom() as atom)):
                    firsts.add(atom)
                    futures.append(future)
                case _:
                    body.append(literal)
        others.append(replace(rule, body=tuple(body)))
    # If the other literals need all earlier input anyway, first occurrences would save nothing.
    seen = reach(Program(tuple(others)))
    if whole.halo is not None or seen.past is None or seen.future is None or seen.tuples:
        return whole
    return replace(whole, reach=replace(seen, future=max(seen.future, *futures)), firsts=frozenset(firsts))


def _fitting(patterns: Iterable[Atom], name: Signature, some: InputAtoms, terms: CodedTerms) -> Mask:
    own = [pattern for pattern in patterns if signature(pattern) == name]
    return terms.fitting_any(own, some.columns, len(some.t))


@dataclass(frozen=True, slots=True, eq=False)
class NeededAtoms:
    """The atoms of a trace, or of a block of it, that slices of the timeline need.

    - `reached` are atoms that a slice reads through windows.
    - `slice_atoms` are other atoms that a slice needs only at times of the slice itself.
    - `past` and `future` are the greatest distances, in time points, from which windows of a slice read
      atoms.
    """

    reached: Atoms
    slice_atoms: Atoms
    past: int
    future: int

    def thinned(self, triggers: Collection[Atom], terms: CodedTerms) -> "NeededAtoms":
        """Return the atoms without those that no window reads and that cause no further evaluation.

        An evaluation at a time needs one atom that fits a trigger, however many atoms fit it. The atoms must
        be ascending in time.
        """
        fewer: dict[Signature, InputAtoms] = {}
        for name, some in self.slice_atoms.items():
            mask = np.zeros(len(some.t), np.bool_)
            for trigger in triggers:
                if signature(trigger) == name:
                    places = np.flatnonzero(terms.matching(trigger.arguments, some.columns, len(some.t)))
                    t = some.t[places]
                    mask[places[np.concatenate(([True], t[1:] != t[:-1]))[: len(t)]]] = True
            fewer[name] = some.take(mask)
        return replace(self, slice_atoms=fewer)

    def of(self, within: Interval) -> dict[Signature, InputAtoms]:
        """Return the atoms that the slice `within` needs, in an arbitrary order."""
        around = Interval(within.first - self.past, within.last + self.future)
        return {
            name: together([some.within(around), self.slice_atoms[name].within(within)])
            for name, some in self.reached.items()
        }

    def near(self, slices: Sequence[Interval]) -> range:
        """Return the range of the numbers of slices that may need at least one of the atoms."""
        times = (some.t for some in (*self.slice_atoms.values(), *self.reached.values()))
        return between(slices, times, self.past, self.future)

    def counts(self) -> Counts:
        """Return parts of the timeline, each with its number of atoms."""
        return counted([some.t for some in (*self.slice_atoms.values(), *self.reached.values())])


def counted(times: Sequence[Array]) -> Counts:
    """Return parts of the timeline, each with its number of the given times; equal times are in one part.

    Each array must be ascending. The number of parts is limited.
    """
    every = np.concatenate([np.empty(0, np.int64), *times])
    if sum(map(bool, map(len, times))) > 1:
        every.sort(kind="stable")
    if not len(every):
        return every, every
    begins = np.flatnonzero(np.concatenate(([True], every[1:] != every[:-1])))
    numbers = np.diff(begins, append=len(every))
    # Parts with similar numbers of atoms; a time with very many atoms stays in one part.
    part = np.cumsum(numbers) * _PARTS // (len(every) + 1)
    firsts = np.flatnonzero(np.diff(part, prepend=-1))
    return every[begins[firsts]], np.add.reduceat(numbers, firsts)


def between(slices: Sequence[Interval], times: Iterable[Array], past: int = 0, future: int = 0) -> range:
    """Return the range of the numbers of slices whose windows can contain at least one of the given times."""
    ends = [(int(t[0]), int(t[-1])) for t in times if len(t)]
    if not ends:
        return range(0)
    begin = bisect_left(slices, min(first for first, _ in ends) - future, key=attrgetter("last"))
    return range(begin, bisect_right(slices, max(last for _, last in ends) + past, key=attrgetter("first")))


def all_counts(numbers: Sequence[Counts]) -> Counts:
    """Return the numbers of atoms in the parts of the timeline, summed over all parts of a trace."""
    every = [np.concatenate(some) for some in zip((np.empty(0, np.int64),) * 2, *numbers, strict=True)]
    begins, places = np.unique(every[0], return_inverse=True)
    return begins, np.bincount(places, every[1], len(begins)).astype(np.int64)


def cut_span(counts: Counts, span: Interval, halo: int | None, *, rows: int) -> list[Interval]:
    """Return slices of the interval `span` with at least `rows` atoms each.

    If each slice needs all input (`halo` is None), the result is a single slice, to avoid repeated work.
    """
    return [span] if halo is None else cut_by_rows(counts, span, rows, halo)


def cut_in_number(counts: Counts, span: Interval, slices: int) -> list[Interval]:
    """Return about `slices` slices of the interval `span`, with similar numbers of atoms."""
    return cut_by_rows(counts, span, max(1, -(-int(counts[1].sum()) // slices)), None)


def cut_by_rows(counts: Counts, span: Interval, rows: int, halo: int | None) -> list[Interval]:
    """Return slices of the interval with at least `rows` rows each; only the last slice may have fewer rows.

    Each slice has at least as many rows as the `halo` time points before the slice. All slices together
    therefore read at most twice the rows of the trace. If `halo` is None, a slice may have fewer rows than
    the input before this slice.
    """
    begins, numbers = counts
    above = np.concatenate(([0], np.cumsum(numbers)))

    def before(t: int) -> int:
        return int(above[np.searchsorted(begins, t, "left")])

    starts, end = [span.first], before(span.last + 1)
    while True:
        at = starts[-1]
        row = max(rows, 0 if halo is None else before(at) - before(max(at - halo, 0)))
        place = int(np.searchsorted(above, before(at) + row, "left"))
        # A rest of less than half a slice is added to the last slice.
        if place >= len(begins) or begins[place] > span.last or end - int(above[place]) < rows // 2:
            break
        starts.append(int(begins[place]))
    return [Interval(a, b - 1) for a, b in zip(starts, [*starts[1:], span.last + 1], strict=True)]


def carried_atoms(
    windows: Iterable[TupleWindow], atoms: Atoms, terms: CodedTerms, firsts: Collection[Atom] = ()
) -> dict[Signature, InputAtoms]:
    """Return the atoms of a trace that at least one of the tuple windows keeps at the end of the trace.

    Several atoms at the oldest time in a window are all included, since the evaluation decides which of them
    remain. The result also contains the first occurrence of each atom that fits `firsts`.
    """
    order = {name: np.lexsort((some.arrival, some.t)) for name, some in atoms.items()}
    ordered = {name: some.take(order[name]) for name, some in atoms.items() if len(some.t)}
    end = np.array([max((int(some.t[-1]) for some in ordered.values()), default=0)])
    marks = {name: np.zeros(len(some.t), np.bool_) for name, some in atoms.items()}
    for window in windows if ordered else ():
        runs = kept_runs(ordered, window.with_ties, end, terms)
        for name, (first, last) in runs.items():
            marks[name][order[name]] |= first <= last
    for name, some in ordered.items() if firsts else ():
        places = np.flatnonzero(_fitting(firsts, name, some, terms))
        (key,) = keys([[column[places] for column in some.columns]], [len(places)], 1)
        _, begins = np.unique(key, return_index=True)
        marks[name][order[name][places[begins]]] = True
    return {name: some.take(marks[name]) for name, some in atoms.items() if marks[name].any()}


def carried_by_part(
    windows: Sequence[TupleWindow], parts: Sequence[Atoms], terms: CodedTerms, firsts: Collection[Atom] = ()
) -> Iterator[dict[Signature, InputAtoms]]:
    """Yield, for each part of a trace except the first, the earlier atoms that `carried_atoms` returns."""
    before: dict[Signature, InputAtoms] = {}
    for part in parts[:-1]:
        before = carried_atoms(windows, join_atoms(before, part), terms, firsts)
        yield before


def join_atoms(atoms: Atoms, other: Atoms) -> dict[Signature, InputAtoms]:
    """Return the atoms of both mappings; atoms of `other` come last."""
    names = dict.fromkeys((*atoms, *other))
    return {name: together([some[name] for some in (atoms, other) if name in some]) for name in names}


ATOMS_PER_SLICE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Job:
    """Questions to evaluate over one timeline and background.

    - `slices` is the number of slices; if None, the job chooses the number.
    - `within` is the interval of requested evaluation times; if None, the whole timeline is evaluated.
    """

    questions: tuple[Question, ...]
    timeline: Interval
    background: Background
    slices: int | None = None
    within: Interval | None = None
    evaluator: Evaluator = "auto"
    certify: Certify | int = "none"

    @property
    def span(self) -> Interval:
        """The part of the timeline with the requested evaluation times."""
        return self.timeline if self.within is None else self.timeline.meet(self.within)

    def relevant(self) -> Background:
        """Return the part of the background that the questions can use."""
        return used_background(self.background, self.questions)


def by_slice(job: Job, columns: TraceColumns, progress: Progress = no_progress) -> Iterator[Iterator[Answer]]:
    """Yield an iterator over the answers for each slice, in ascending order."""
    slices = slices_of(job, columns)
    for done, (within, situation) in enumerate(zip(slices, situations(job, columns, slices), strict=True)):
        progress(done, len(slices))
        yield answers_in(job.questions, situation, within, job.evaluator)


def slices_of(job: Job, columns: TraceColumns) -> list[Interval]:
    """Return the slices of a job that is evaluated in this process."""
    needs = needs_of(job.questions)
    counts = needs.among(columns.atoms, columns.terms, job.timeline).counts()
    if job.slices is not None:
        return cut_in_number(counts, job.span, job.slices)
    return cut_span(counts, job.span, needs.halo, rows=ATOMS_PER_SLICE)


def situations(job: Job, columns: TraceColumns, slices: Sequence[Interval]) -> Iterator[EncodedSituation]:
    """Yield, for each consecutive slice, the situation that the questions of the job need."""
    needs = needs_of(job.questions)
    atoms = needs.among(columns.atoms, columns.terms, job.timeline)
    static = situation_of(replace(columns, atoms={}), job.timeline, job.relevant())
    before = _kept_before(slices, columns, job.timeline, tuple(needs.reach.tuples))
    for within, input_atoms in zip(slices, before, strict=True):
        yield replace(static, atoms=in_time_order(join_atoms(input_atoms, atoms.of(within))))


def _kept_before(
    slices: Sequence[Interval], columns: TraceColumns, timeline: Interval, windows: tuple[TupleWindow, ...]
) -> Iterator[Atoms]:
    """Yield, for each slice, the atoms from before the slice that tuple windows keep."""
    if not windows:
        return repeat({}, len(slices))
    # The part before the first slice comes first, so that each slice has an earlier part.
    ends = Interval(timeline.first, slices[0].first - 1), *slices
    parts = [{name: some.within(interval) for name, some in columns.atoms.items()} for interval in ends]
    return carried_by_part(windows, parts, columns.terms)
