"""Evidence that a ground formula holds or fails in an answer stream, and the bindings of a rule's body.

The index of the stream finds atoms by their predicates, arguments and windows. Evidence consists of the time
points and atoms that decide whether the formula holds. The literals of a body are joined one by one.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import assert_never

from lars import semantics
from lars.analysis import binders, through_box
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language import terms
from lars.language.formulas import (
    At,
    BodyLiteral,
    Box,
    Condition,
    Diamond,
    Formula,
    In,
    Not,
    SetLiteral,
    Truth,
)
from lars.language.program import Program, Rule, atoms, formulas, head_atom, head_time, put, ready, variables
from lars.language.stream import Evaluation, Moment, Stream, cut, moments, with_moments
from lars.language.windows import Interval, IntervalWindow, TupleWindow, Window
from lars.semantics import all_background, decide_condition, groups, refuse, separate

Times = Mapping[terms.Atom, Sequence[int]]


class Atoms:
    """A collection of ground atoms that quickly finds the atoms with given constants at given positions.

    Atoms are found in the order in which the collection received them.
    """

    def __init__(self, atoms: Iterable[terms.Atom]) -> None:
        self._by_signature: dict[terms.Signature, list[terms.Atom]] = {}
        for atom in dict.fromkeys(atoms):
            self._by_signature.setdefault(terms.signature(atom), []).append(atom)
        self._index: dict[
            tuple[terms.Signature, tuple[int, ...]],
            dict[tuple[terms.Constant | terms.Variable, ...], list[terms.Atom]],
        ] = {}

    def like(self, pattern: terms.Atom) -> Sequence[terms.Atom]:
        """Return the atoms with the pattern's predicate that have its constants at the same positions."""
        name = terms.signature(pattern)
        places = tuple(i for i, term in enumerate(pattern.arguments) if not isinstance(term, terms.Variable))
        index = self._index.get((name, places))
        if index is None:
            index = self._index[name, places] = {}
            for atom in self._by_signature.get(name, ()):
                index.setdefault(tuple(atom.arguments[place] for place in places), []).append(atom)
        return index.get(tuple(pattern.arguments[place] for place in places), [])


def matching(
    atoms: Atoms, pattern: terms.Atom, binding: terms.Binding
) -> Iterable[tuple[terms.Atom, terms.Binding]]:
    """Yield the atoms that match a pattern under a binding, each with the binding extended by the match."""
    for atom in atoms.like(terms.substitute(pattern, binding)):
        if (grown := terms.unify(pattern, atom, binding)) is not None:
            yield atom, grown


@dataclass(frozen=True, slots=True)
class PresentAtom:
    """Evidence that an atom holds at t: the atom is in the background or among the stream's atoms at t."""

    t: int
    atom: terms.Atom


@dataclass(frozen=True, slots=True)
class AbsentAtom:
    """Evidence that an atom, possibly with variables, holds at no time point of the interval `within`."""

    atom: terms.Atom
    within: Interval


@dataclass(frozen=True, slots=True)
class OutsideTimeline:
    """Evidence that a formula a or @_t a fails because the time t is outside the visible timeline."""

    t: int
    timeline: Interval


@dataclass(frozen=True, slots=True)
class Points:
    """Evidence for a formula with ◇, □ or @: the time points that decide the formula, each with its evidence.

    If `every` is true, the evidence needs all time points of the visible timeline. If `every` is false, a
    single time point decides the formula.
    """

    timeline: Interval
    points: tuple[tuple[int, "Evidence"], ...]
    every: bool


@dataclass(frozen=True, slots=True)
class WindowContent:
    """Evidence for a formula with a window: the window's interval, and the evidence inside this interval."""

    window: Window
    interval: Interval
    inner: "Evidence"


@dataclass(frozen=True, slots=True)
class Instances:
    """Evidence for an aggregate or order literal at t: the instances of its atom.

    The field `count` is the number of instances, and `examples` contains the first instances.
    """

    t: int
    count: int
    examples: tuple[terms.Atom, ...]


Evidence = PresentAtom | AbsentAtom | Truth | OutsideTimeline | Points | WindowContent | Instances
"""The reason why a formula holds or fails; the formula `true` is evidence for itself."""


@dataclass(slots=True, eq=False)
class StreamIndex:
    """An index of the part of an answer stream that nested windows show; the method `why` returns evidence.

    The field `input` contains the input atoms that the enclosing tuple windows keep. `input_times` and
    `derived_times` map each atom to its times. Only the part of the stream in `timeline` is visible. The
    index agrees with `lars.language.stream.cut` on the content of windows, and with `holds` of
    `lars.semantics` on truth. The function `allowed` returns whether a proof may use a derived atom, so that
    no atom supports itself.
    """

    timeline: Interval
    input: Evaluation
    input_times: Times
    derived_times: Times
    choice: Mapping[TupleWindow, Evaluation]
    background: frozenset[terms.Atom]
    allowed: Callable[[Moment], bool] = lambda _: True
    # A cache, the only part that changes: each window's content at a time is computed once.
    _cuts: dict[tuple[Window, int], "StreamIndex"] = field(default_factory=dict, init=False)

    def times(self, atom: terms.Atom) -> Sequence[int]:
        """Return the visible time points at which the stream contains the atom, in ascending order."""
        times = self.input_times.get(atom) or self.derived_times.get(atom, ())
        return times[bisect_left(times, self.timeline.first) : bisect_right(times, self.timeline.last)]

    def has(self, atom: terms.Atom, t: int) -> bool:
        """Return whether the stream contains the atom at time t."""
        times = self.input_times.get(atom) or self.derived_times.get(atom, ())
        place = bisect_left(times, t)
        return t in self.timeline and place < len(times) and times[place] == t

    def holds(self, atom: terms.Atom, t: int) -> bool:
        """Return whether the atom is in the stream at time t, or in the background."""
        return atom in self.background or self.has(atom, t)

    def through(self, window: Window, t: int) -> "StreamIndex":
        """Return the index of the window's content at t."""
        index = self._cuts.get((window, t))
        if index is None:
            index = self._cuts[window, t] = self._through(window, t)
        return index

    def _through(self, window: Window, t: int) -> "StreamIndex":
        if isinstance(window, IntervalWindow):
            return replace(self, timeline=window.bounds(t, self.timeline))
        inside = {u: atoms for u, atoms in self.input.items() if u in self.timeline}
        left = cut(Stream(self.timeline, inside, {}, self.choice), window, t)
        return replace(self, timeline=left.timeline, input=left.input, input_times=times_of(left.input))

    def why(self, formula: Formula, t: int, *, wanted: bool = True) -> Evidence | None:
        """Return the evidence that the formula holds at t, or None if the formula does not hold.

        If `wanted` is False, return the evidence that the formula fails at t, or None if the formula holds.
        """
        match formula:
            case terms.Atom():
                return self._atom(formula, t, wanted=wanted)
            case Truth():
                return formula if wanted else None
            case Not(inner):
                return self.why(inner, t, wanted=not wanted)
            case Diamond(terms.Atom() as atom):
                return self._sometimes(atom) if wanted else self._never(atom)
            case Diamond(inner):
                return (self._some if wanted else self._every)(inner, self.timeline, wanted=wanted)
            case Box(inner):
                return (self._every if wanted else self._some)(inner, self.timeline, wanted=wanted)
            case At(terms.Number(u), inner):
                if u not in self.timeline:
                    return None if wanted else OutsideTimeline(u, self.timeline)
                return self._some(inner, Interval(u, u), wanted=wanted)
            case At():
                raise LarsError(f"{formula} is not ground")
            case In(window, inner):
                shown = self.through(window, t)
                evidence = shown.why(inner, t, wanted=wanted)
                return None if evidence is None else WindowContent(window, shown.timeline, evidence)
            case _:
                assert_never(formula)

    def _atom(self, atom: terms.Atom, t: int, *, wanted: bool) -> Evidence | None:
        if not wanted:
            if t not in self.timeline and atom not in self.background:
                return OutsideTimeline(t, self.timeline)
            return None if self.holds(atom, t) else AbsentAtom(atom, Interval(t, t))
        there = atom in self.background or (self.has(atom, t) and self.allowed((t, atom)))
        return PresentAtom(t, atom) if there else None

    def _sometimes(self, atom: terms.Atom) -> Evidence | None:
        times = self.times(atom)
        if atom in self.background and self.timeline:
            times = [self.timeline.last]
        for u in reversed(times):
            if atom in self.background or self.allowed((u, atom)):
                return Points(self.timeline, ((u, PresentAtom(u, atom)),), every=False)
        return None

    def _never(self, atom: terms.Atom) -> Evidence | None:
        there = self.times(atom) or (atom in self.background and self.timeline)
        return None if there else AbsentAtom(atom, self.timeline)

    def _some(self, inner: Formula, times: Interval, *, wanted: bool) -> Evidence | None:
        for u in reversed(times):
            if (evidence := self.why(inner, u, wanted=wanted)) is not None:
                return Points(self.timeline, ((u, evidence),), every=False)
        return None

    def _every(self, inner: Formula, times: Interval, *, wanted: bool) -> Evidence | None:
        points = []
        for u in times:
            if (evidence := self.why(inner, u, wanted=wanted)) is None:
                return None
            points.append((u, evidence))
        return Points(self.timeline, tuple(points), every=True)


def view_of(stream: Stream, background: frozenset[terms.Atom]) -> StreamIndex:
    """Return the index of a whole stream."""
    times = times_of(stream.input), times_of(stream.derived)
    return StreamIndex(stream.timeline, stream.input, *times, stream.choice, background)


def times_of(evaluation: Mapping[int, Iterable[terms.Atom]]) -> dict[terms.Atom, list[int]]:
    """Map each atom to the time points at which it holds, in ascending order."""
    times: dict[terms.Atom, list[int]] = {}
    for t in sorted(evaluation):
        for atom in evaluation[t]:
            times.setdefault(atom, []).append(t)
    return times


def present(evidence: Evidence) -> Iterator[Moment]:
    """Yield the atoms, with their times, that must be in the stream for the evidence to be valid."""
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
        case AbsentAtom() | Truth() | OutsideTimeline():
            return
        case _:
            assert_never(evidence)


@dataclass(frozen=True, slots=True)
class IndexedPoint:
    """An answer stream with its reference time t, its background, and an index of its atoms.

    The field `intensional_input` contains the input atoms whose predicates are also the heads of rules.
    """

    program: Program
    stream: Stream
    t: int
    view: StreamIndex
    intensional_input: frozenset[Moment]
    atoms: Atoms
    evaluate: semantics.Evaluate
    _groups: dict[SetLiteral, tuple[semantics.InstanceGroup, ...]] = field(default_factory=dict)

    def instance_groups(self, literal: SetLiteral) -> tuple[semantics.InstanceGroup, ...]:
        """Return the groups of atoms for which an aggregate or order literal is true at t."""
        if literal not in self._groups:
            self._groups[literal] = tuple(groups(literal, self.now(literal.atom), self.evaluate))
        return self._groups[literal]

    def now(self, pattern: terms.Atom) -> list[terms.Atom]:
        """Return the ground instances of the atom `pattern` that hold at the reference time t."""
        return [atom for atom, _ in matching(self.atoms, pattern, {}) if self.holds((self.t, atom))]

    def holds(self, moment: Moment) -> bool:
        """Return whether the atom is in the answer stream at its time, or in the background."""
        return self.view.holds(moment[1], moment[0])


def world(  # noqa: PLR0913, PLR0917
    program: Program,
    data: Stream,
    derived: Iterable[Moment],
    t: int,
    background: Iterable[terms.Atom] = (),
    evaluate: semantics.Evaluate = refuse,
) -> IndexedPoint:
    """Return the indexed answer stream that consists of the data and the given derived atoms.

    The index lists derived atoms before input, and newer atoms before older atoms.
    """
    input_ = separate(program, data)
    stream = with_moments(input_, derived)
    known = all_background(program, background)
    newest = (atoms for u, atoms in sorted(stream.input.items(), reverse=True))
    own = (sorted(atoms, key=str) for u, atoms in sorted(stream.derived.items(), reverse=True))
    every = Atoms(chain(chain.from_iterable(own), chain.from_iterable(newest), sorted(known, key=str)))
    return IndexedPoint(
        program=program,
        stream=stream,
        t=t,
        view=view_of(stream, known),
        intensional_input=moments(input_),
        atoms=every,
        evaluate=evaluate,
    )


def solutions(
    here: IndexedPoint, formula: Formula, view: StreamIndex, t: int, binding: terms.Binding
) -> Iterator[terms.Binding]:
    """Yield the extensions of a binding under which a formula holds in the view at t."""
    if variables(formula) <= binding.keys():
        if view.why(put(formula, binding), t) is not None:
            yield binding
        return
    match formula:
        case terms.Atom():
            for atom, grown in matching(here.atoms, formula, binding):
                if view.holds(atom, t):
                    yield grown
        case Diamond(terms.Atom() as pattern):
            for atom, grown in matching(here.atoms, pattern, binding):
                if view.times(atom) or (view.timeline and atom in view.background):
                    yield grown
        case Diamond(inner):
            yield from _anywhere(here, inner, view, binding)
        case Box(inner):
            first = solutions(here, inner, view, view.timeline.first, binding) if view.timeline else ()
            yield from (
                binding_of for binding_of in first if view.why(put(formula, binding_of), t) is not None
            )
        case At(time, inner):
            yield from _timed(here, time, inner, view, binding)
        case In(window, inner):
            yield from solutions(here, inner, view.through(window, t), t, binding)
        case Not() | Truth():
            return
        case _:
            assert_never(formula)


def _anywhere(
    here: IndexedPoint, inner: Formula, view: StreamIndex, binding: terms.Binding
) -> Iterator[terms.Binding]:
    seen = set()
    for u in reversed(view.timeline):
        for solution in solutions(here, inner, view, u, binding):
            if (key := frozenset(solution.items())) not in seen:
                seen.add(key)
                yield solution


def _timed(
    here: IndexedPoint,
    time: terms.Variable | terms.Number,
    inner: Formula,
    view: StreamIndex,
    binding: terms.Binding,
) -> Iterator[terms.Binding]:
    bound = binding.get(time, time) if isinstance(time, terms.Variable) else time
    if isinstance(bound, terms.Number):
        if bound.value in view.timeline:
            yield from solutions(here, inner, view, bound.value, binding)
    elif bound == time:
        for u in _moments(here, inner, view, binding):
            yield from solutions(here, inner, view, u, {**binding, bound: terms.Number(u)})


def _moments(here: IndexedPoint, inner: Formula, view: StreamIndex, binding: terms.Binding) -> Sequence[int]:
    every = range(view.timeline.last, view.timeline.first - 1, -1)
    if not isinstance(inner, terms.Atom):
        return every
    matching_atoms = [atom for atom, _ in matching(here.atoms, inner, binding)]
    if any(atom in view.background for atom in matching_atoms):
        return every
    return sorted({u for atom in matching_atoms for u in view.times(atom)}, reverse=True)


def literal_bindings(
    here: IndexedPoint, literal: BodyLiteral, binding: terms.Binding
) -> Iterator[terms.Binding]:
    """Yield the extensions of a binding under which a literal of a rule body holds at t."""
    if isinstance(literal, SetLiteral):
        for group in here.instance_groups(literal):
            if all(binding.get(name, value) == value for name, value in group.binding.items()):
                yield {**binding, **group.binding}
    elif not isinstance(literal, Condition):
        yield from solutions(here, literal, here.view, here.t, binding)
    elif (found := decide_condition(literal, binding, here.evaluate)) is not None:
        yield found


def cheapest(here: IndexedPoint, body: Sequence[BodyLiteral], binding: terms.Binding) -> BodyLiteral | None:
    """Return the literal with the fewest candidate atoms, or None if all literals must wait for bindings."""
    costs = [(cost, place) for place, literal in enumerate(body)
             if (cost := _cost(here, literal, binding)) is not None]  # fmt: skip
    return body[min(costs)[1]] if costs else None


def _cost(here: IndexedPoint, literal: BodyLiteral, binding: terms.Binding) -> tuple[bool, int] | None:
    """Return whether a literal should be joined late, and the number of atoms that could match the literal.

    Return None if other literals must first bind variables of the literal.
    """
    if isinstance(literal, Condition):
        return (False, 0) if ready(literal, binding.keys()) else None
    if variables(literal) <= binding.keys():
        return False, 0
    if isinstance(literal, SetLiteral):
        return False, 1 + len(here.instance_groups(literal))
    if not _binds(literal, binding):
        return None
    atom = next(atoms(literal), None)
    if atom is None:
        return True, 0
    return through_box(literal), 1 + len(here.atoms.like(terms.substitute(atom[0], binding)))


def _binds(formula: Formula, binding: terms.Binding) -> bool:
    """Return whether the formula binds all of its variables that `binding` does not bind."""
    names = frozenset().union(*map(variables, binders(formula)))
    return variables(formula) - binding.keys() <= names


def body_bindings(
    here: IndexedPoint, body: Sequence[BodyLiteral], binding: terms.Binding
) -> Iterator[terms.Binding]:
    """Yield the bindings under which a whole body holds at t."""
    if not body:
        yield binding
        return
    literal = cheapest(here, body, binding)
    if literal is None:
        for time_binding in time_bindings(here, body, binding):
            yield from body_bindings(here, body, time_binding)
        return
    for extended in literal_bindings(here, literal, binding):
        yield from body_bindings(here, [part for part in body if part is not literal], extended)


def head_moment(
    here: IndexedPoint, rule: Rule, binding: terms.Binding
) -> tuple[terms.Term, terms.Atom] | None:
    """Return the time and the atom of a rule's head, or None for a constraint.

    The time of the head may be an unbound variable, or outside the timeline.
    """
    atom, time = head_atom(rule), head_time(rule, here.t)
    return None if atom is None else (binding.get(time, time), terms.substitute(atom, binding))  # type: ignore[arg-type]


def derived_moment(here: IndexedPoint, rule: Rule, binding: terms.Binding) -> Moment | None:
    """Return the derived atom with its time; None for a constraint or for a time outside the timeline."""
    match head_moment(here, rule, binding):
        case (terms.Number(u), atom) if u in here.view.timeline:
            return u, atom
        case _:
            return None


def time_bindings(
    here: IndexedPoint, body: Sequence[BodyLiteral], binding: terms.Binding
) -> Iterator[terms.Binding]:
    """Yield a binding for each time point of a time variable of @ that no ready literal binds.

    For example, no ready literal binds T in the body @_T ¬p(X), X = T.
    """
    all_binders = (binder for formula in formulas(body) for binder in binders(formula))
    time = next(
        (binder for binder in all_binders if isinstance(binder, terms.Variable) and binder not in binding),
        None,
    )
    # Without one nothing can be bound: safe rules do not come here.
    for u in () if time is None else reversed(here.view.timeline):
        assert time is not None
        yield {**binding, time: terms.Number(u)}
