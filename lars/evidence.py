"""Why a ground formula holds or fails in a view: the time points and atoms that decide it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import assert_never

from lars.errors import LarsError
from lars.formulas import At, Box, Diamond, Formula, In, Not, Truth
from lars.stream import Moment
from lars.terms import Atom, Number
from lars.views import View
from lars.windows import Interval, Window

Allowed = Callable[[Moment], bool]


@dataclass(frozen=True, slots=True)
class Present:
    """The atom is in υ(t), or in the background."""

    t: int
    atom: Atom


@dataclass(frozen=True, slots=True)
class Absent:
    """The atom is at no time point of the interval that was looked at."""

    atom: Atom
    within: Interval


@dataclass(frozen=True, slots=True)
class Trivial:
    """true holds everywhere."""


@dataclass(frozen=True, slots=True)
class Outside:
    """@_t fails because t lies outside the timeline that is shown."""

    t: int
    shown: Interval


@dataclass(frozen=True, slots=True)
class Points:
    """The time points that decide ◇, □ or @: one witness, or `every` point of the timeline shown."""

    shown: Interval
    points: tuple[tuple[int, "Evidence"], ...]
    every: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """What is seen through a window: the interval that it shows, and what decides in there."""

    window: Window
    interval: Interval
    inner: "Evidence"


@dataclass(frozen=True, slots=True)
class Instances:
    """What a gathered literal is about at t: `count` instances of its atom, `some` of which are told."""

    t: int
    count: int
    some: tuple[Atom, ...]


Evidence = Present | Absent | Trivial | Outside | Points | Shown | Instances


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides ground formulas in views of an answer stream, by the definition of `holds`.

    `allowed` says which derived atoms may be used: to build proofs in which none supports itself.
    """

    background: frozenset[Atom]
    allowed: Allowed = lambda _: True

    def why(self, formula: Formula, view: View, t: int, *, wanted: bool = True) -> Evidence | None:
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
                found = self.why(inner, cut, t, wanted=wanted)
                return None if found is None else Shown(window, cut.shown, found)
            case _:
                assert_never(formula)

    def _atom(self, atom: Atom, view: View, t: int, *, wanted: bool) -> Evidence | None:
        if not wanted:
            there = atom in self.background or view.has(atom, t)
            return None if there else Absent(atom, Interval(t, t))
        there = atom in self.background or (view.has(atom, t) and self.allowed((t, atom)))
        return Present(t, atom) if there else None

    def _sometimes(self, atom: Atom, view: View) -> Evidence | None:
        times = view.times(atom)
        if atom in self.background and view.shown:
            times = [view.shown.last]
        for u in reversed(times):
            if atom in self.background or self.allowed((u, atom)):
                return Points(view.shown, ((u, Present(u, atom)),), every=False)
        return None

    def _never(self, atom: Atom, view: View) -> Evidence | None:
        there = view.times(atom) or (atom in self.background and view.shown)
        return None if there else Absent(atom, view.shown)

    def _some(self, inner: Formula, view: View, *, wanted: bool) -> Evidence | None:
        for u in reversed(range(view.shown.first, view.shown.last + 1)):
            if (found := self.why(inner, view, u, wanted=wanted)) is not None:
                return Points(view.shown, ((u, found),), every=False)
        return None

    def _every(self, inner: Formula, view: View, *, wanted: bool) -> Evidence | None:
        points = []
        for u in view.shown:
            if (found := self.why(inner, view, u, wanted=wanted)) is None:
                return None
            points.append((u, found))
        return Points(view.shown, tuple(points), every=True)

    def _at(self, u: int, inner: Formula, view: View, *, wanted: bool) -> Evidence | None:
        if u not in view.shown:
            return None if wanted else Outside(u, view.shown)
        found = self.why(inner, view, u, wanted=wanted)
        return None if found is None else Points(view.shown, ((u, found),), every=False)


def present(evidence: Evidence) -> Iterator[Moment]:
    """Yield the atoms with their times that the evidence rests on."""
    match evidence:
        case Present(t, atom):
            yield t, atom
        case Points(_, points, _):
            for _, inner in points:
                yield from present(inner)
        case Shown(_, _, inner):
            yield from present(inner)
        case Instances(t, _, some):
            yield from ((t, atom) for atom in some)
        case Absent() | Trivial() | Outside():
            return
        case _:
            assert_never(evidence)
