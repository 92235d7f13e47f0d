"""Why a ground formula holds or fails in an answer stream: the time points and atoms that decide it.

The stream is indexed for looking things up: which atoms there are, and when a window shows them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from lars.errors import LarsError
from lars.language.formulas import At, Box, Diamond, Formula, In, Not, Truth
from lars.language.stream import Evaluation, Moment, Stream, cut
from lars.language.terms import (
    Atom,
    Binding,
    Constant,
    Number,
    Signature,
    Variable,
    signature,
    substitute,
    unify,
)
from lars.language.windows import Interval, IntervalWindow, TupleWindow, Window

Times = Mapping[Atom, Sequence[int]]


@dataclass(slots=True, eq=False)
class StreamIndex:
    """What the windows passed so far leave of a stream: `timeline` is its timeline.

    `input` is the input that tuple windows left, `input_times` and `derived_times` say when each
    atom is in υ; of all of them only what lies in `timeline` is there. `lars.language.stream.cut` defines it.
    """

    timeline: Interval
    input: Evaluation
    input_times: Times
    derived_times: Times
    choice: Mapping[TupleWindow, Evaluation]
    _cuts: dict[tuple[Window, int], "StreamIndex"] = field(default_factory=dict)

    def times(self, atom: Atom) -> Sequence[int]:
        """Return the time points that are shown at which the atom is in υ, ascending."""
        times = self.input_times.get(atom) or self.derived_times.get(atom, ())
        return times[bisect_left(times, self.timeline.first) : bisect_right(times, self.timeline.last)]

    def has(self, atom: Atom, t: int) -> bool:
        """Return whether the atom is in υ(t)."""
        times = self.input_times.get(atom) or self.derived_times.get(atom, ())
        place = bisect_left(times, t)
        return t in self.timeline and place < len(times) and times[place] == t

    def through(self, window: Window, t: int) -> "StreamIndex":
        """Return what the window shows at t."""
        index = self._cuts.get((window, t))
        if index is None:
            index = self._cuts[window, t] = self._through(window, t)
        return index

    def _through(self, window: Window, t: int) -> "StreamIndex":
        if isinstance(window, IntervalWindow):
            interval = window.bounds(t, self.timeline)
            return StreamIndex(interval, self.input, self.input_times, self.derived_times, self.choice)
        inside = {u: atoms for u, atoms in self.input.items() if u in self.timeline}
        stream = cut(Stream(self.timeline, inside, {}, self.choice), window, t)
        return StreamIndex(
            stream.timeline, stream.input, times_of(stream.input), self.derived_times, self.choice
        )


def view_of(stream: Stream) -> StreamIndex:
    """Return the view of a whole stream."""
    return StreamIndex(
        stream.timeline, stream.input, times_of(stream.input), times_of(stream.derived), stream.choice
    )


def times_of(evaluation: Mapping[int, Iterable[Atom]]) -> dict[Atom, list[int]]:
    """Return at which time points each atom is, ascending."""
    times: dict[Atom, list[int]] = {}
    for t in sorted(evaluation):
        for atom in evaluation[t]:
            times.setdefault(atom, []).append(t)
    return times


class Atoms:
    """Ground atoms, found by predicate and the places that a pattern fixes; their order is kept."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self._by_signature: dict[Signature, list[Atom]] = {}
        for atom in dict.fromkeys(atoms):
            self._by_signature.setdefault(signature(atom), []).append(atom)
        self._index: dict[
            tuple[Signature, tuple[int, ...]], dict[tuple[Constant | Variable, ...], list[Atom]]
        ] = {}

    def like(self, pattern: Atom) -> Sequence[Atom]:
        """Return the atoms that agree with the pattern wherever it has a constant."""
        name = signature(pattern)
        places = tuple(i for i, term in enumerate(pattern.arguments) if not isinstance(term, Variable))
        index = self._index.get((name, places))
        if index is None:
            index = self._index[name, places] = {}
            for atom in self._by_signature.get(name, ()):
                index.setdefault(tuple(atom.arguments[place] for place in places), []).append(atom)
        return index.get(tuple(pattern.arguments[place] for place in places), [])


def matching(atoms: Atoms, pattern: Atom, binding: Binding) -> Iterable[tuple[Atom, Binding]]:
    """Yield the atoms that are instances of the pattern under a binding, each with what it binds."""
    for atom in atoms.like(substitute(pattern, binding)):
        if (grown := unify(pattern, atom, binding)) is not None:
            yield atom, grown


MomentFilter = Callable[[Moment], bool]


@dataclass(frozen=True, slots=True)
class PresentAtom:
    """The atom is in υ(t), or in the background."""

    t: int
    atom: Atom


@dataclass(frozen=True, slots=True)
class AbsentAtom:
    """The atom is at no time point of the interval that was looked at."""

    atom: Atom
    within: Interval


@dataclass(frozen=True, slots=True)
class Trivial:
    """true holds everywhere."""


@dataclass(frozen=True, slots=True)
class OutsideTimeline:
    """@_t fails because t lies outside the timeline that is shown."""

    t: int
    timeline: Interval


@dataclass(frozen=True, slots=True)
class Points:
    """The time points that decide ◇, □ or @: one witness, or `every` point of the timeline shown."""

    timeline: Interval
    points: tuple[tuple[int, "Evidence"], ...]
    every: bool


@dataclass(frozen=True, slots=True)
class WindowContent:
    """What is seen through a window: the interval that it shows, and what decides in there."""

    window: Window
    interval: Interval
    inner: "Evidence"


@dataclass(frozen=True, slots=True)
class Instances:
    """What a gathered literal is about at t: `count` instances of its atom, the first as `examples`."""

    t: int
    count: int
    examples: tuple[Atom, ...]


Evidence = PresentAtom | AbsentAtom | Trivial | OutsideTimeline | Points | WindowContent | Instances


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides ground formulas in views of an answer stream, by the definition of `holds`.

    `allowed` says which derived atoms may be used: to build proofs in which none supports itself.
    """

    background: frozenset[Atom]
    allowed: MomentFilter = lambda _: True

    def why(self, formula: Formula, view: StreamIndex, t: int, *, wanted: bool = True) -> Evidence | None:
        """Return why the formula holds in the view at t (or fails, if that is wanted), else None."""
        match formula:
            case Atom():
                return self._atom(formula, view, t, wanted=wanted)
            case Truth():
                return Trivial() if wanted else None
            case Not(inner):
                return self.why(inner, view, t, wanted=not wanted)
            case Diamond(Atom() as atom):
                return self._sometimes(atom, view) if wanted else self._never(atom, view)
            case Diamond(inner):
                return (self._some if wanted else self._every)(inner, view, wanted=wanted)
            case Box(inner):
                return (self._every if wanted else self._some)(inner, view, wanted=wanted)
            case At(Number(u), inner):
                return self._at(u, inner, view, wanted=wanted)
            case At():
                raise LarsError(f"{formula} is not ground")
            case In(window, inner):
                cut = view.through(window, t)
                evidence = self.why(inner, cut, t, wanted=wanted)
                return None if evidence is None else WindowContent(window, cut.timeline, evidence)
            case _:
                assert_never(formula)

    def _atom(self, atom: Atom, view: StreamIndex, t: int, *, wanted: bool) -> Evidence | None:
        if not wanted:
            there = atom in self.background or view.has(atom, t)
            return None if there else AbsentAtom(atom, Interval(t, t))
        there = atom in self.background or (view.has(atom, t) and self.allowed((t, atom)))
        return PresentAtom(t, atom) if there else None

    def _sometimes(self, atom: Atom, view: StreamIndex) -> Evidence | None:
        times = view.times(atom)
        if atom in self.background and view.timeline:
            times = [view.timeline.last]
        for u in reversed(times):
            if atom in self.background or self.allowed((u, atom)):
                return Points(view.timeline, ((u, PresentAtom(u, atom)),), every=False)
        return None

    def _never(self, atom: Atom, view: StreamIndex) -> Evidence | None:
        there = view.times(atom) or (atom in self.background and view.timeline)
        return None if there else AbsentAtom(atom, view.timeline)

    def _some(self, inner: Formula, view: StreamIndex, *, wanted: bool) -> Evidence | None:
        for u in reversed(range(view.timeline.first, view.timeline.last + 1)):
            if (evidence := self.why(inner, view, u, wanted=wanted)) is not None:
                return Points(view.timeline, ((u, evidence),), every=False)
        return None

    def _every(self, inner: Formula, view: StreamIndex, *, wanted: bool) -> Evidence | None:
        points = []
        for u in view.timeline:
            if (evidence := self.why(inner, view, u, wanted=wanted)) is None:
                return None
            points.append((u, evidence))
        return Points(view.timeline, tuple(points), every=True)

    def _at(self, u: int, inner: Formula, view: StreamIndex, *, wanted: bool) -> Evidence | None:
        if u not in view.timeline:
            return None if wanted else OutsideTimeline(u, view.timeline)
        evidence = self.why(inner, view, u, wanted=wanted)
        return None if evidence is None else Points(view.timeline, ((u, evidence),), every=False)


def present(evidence: Evidence) -> Iterator[Moment]:
    """Yield the atoms with their times that the evidence rests on."""
    match evidence:
        case PresentAtom(t, atom):
            yield t, atom
        case Points(_, points, _):
            for _, inner in points:
                yield from present(inner)
        case WindowContent(_, _, inner):
            yield from present(inner)
        case Instances(t, _, examples):
            yield from ((t, atom) for atom in examples)
        case AbsentAtom() | Trivial() | OutsideTimeline():
            return
        case _:
            assert_never(evidence)
