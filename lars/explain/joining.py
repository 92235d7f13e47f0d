"""The instances of a rule whose body holds in an answer stream, found by joining its literals."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import assert_never

from lars import semantics
from lars.analysis import binders, through_box
from lars.explain.evidence import Atoms, Judge, StreamIndex, matching, view_of
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
from lars.language.program import Program, atoms, formulas, put, ready, variables
from lars.language.stream import Moment, Stream, moments, with_moments
from lars.language.terms import Atom, Binding, Number, Variable, substitute
from lars.semantics import all_background, decide_condition, groups, refuse, separate

Cost = tuple[bool, int]
"""Whether a literal has to wait for those that have a pattern to look up, and its candidates."""


@dataclass(frozen=True, slots=True)
class IndexedPoint:
    """An answer stream at t with its background, indexed.

    `intensional_input` are the atoms of the input whose predicates rules derive too.
    """

    program: Program
    stream: Stream
    t: int
    view: StreamIndex
    judge: Judge
    intensional_input: frozenset[Moment]
    atoms: Atoms
    evaluate: semantics.Evaluate
    _groups: dict[SetLiteral, tuple[semantics.InstanceGroup, ...]] = field(default_factory=dict)

    def instance_groups(self, literal: SetLiteral) -> tuple[semantics.InstanceGroup, ...]:
        """Return what makes a gathered literal true."""
        if literal not in self._groups:
            self._groups[literal] = tuple(groups(literal, self.now(literal.atom), self.evaluate))
        return self._groups[literal]

    def now(self, pattern: Atom) -> list[Atom]:
        """Return the instances of an atom that hold at t."""
        return [atom for atom, _ in matching(self.atoms, pattern, {}) if self.holds((self.t, atom))]

    def holds(self, moment: Moment) -> bool:
        """Return whether the atom is in the answer stream at its time, or in the background."""
        return moment[1] in self.judge.background or self.view.has(moment[1], moment[0])


def world(  # noqa: PLR0913, PLR0917
    program: Program,
    data: Stream,
    derived: Iterable[Moment],
    t: int,
    background: Iterable[Atom] = (),
    evaluate: semantics.Evaluate = refuse,
) -> IndexedPoint:
    """Return the answer stream that has these derived atoms, ready to be asked; newer atoms come first."""
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
        view=view_of(stream),
        judge=Judge(known),
        intensional_input=moments(input_),
        atoms=every,
        evaluate=evaluate,
    )


def solutions(
    here: IndexedPoint, formula: Formula, view: StreamIndex, t: int, binding: Binding
) -> Iterator[Binding]:
    """Yield the bindings under which a formula holds in the view at t; unbound variables stay under ¬."""
    if variables(formula) <= binding.keys():
        if here.judge.why(put(formula, binding), view, t) is not None:
            yield binding
        return
    match formula:
        case Atom():
            for atom, grown in matching(here.atoms, formula, binding):
                if atom in here.judge.background or view.has(atom, t):
                    yield grown
        case Diamond(Atom() as pattern):
            for atom, grown in matching(here.atoms, pattern, binding):
                if view.times(atom) or (view.timeline and atom in here.judge.background):
                    yield grown
        case Diamond(inner):
            yield from _anywhere(here, inner, view, binding)
        case Box(inner):
            first = solutions(here, inner, view, view.timeline.first, binding) if view.timeline else ()
            yield from (
                binding_of
                for binding_of in first
                if here.judge.why(put(formula, binding_of), view, t) is not None
            )
        case At(time, inner):
            yield from _timed(here, time, inner, view, binding)
        case In(window, inner):
            yield from solutions(here, inner, view.through(window, t), t, binding)
        case Not() | Truth():
            return
        case _:
            assert_never(formula)


def _anywhere(here: IndexedPoint, inner: Formula, view: StreamIndex, binding: Binding) -> Iterator[Binding]:
    seen = set()
    for u in reversed(range(view.timeline.first, view.timeline.last + 1)):
        for solution in solutions(here, inner, view, u, binding):
            if (key := frozenset(solution.items())) not in seen:
                seen.add(key)
                yield solution


def _timed(
    here: IndexedPoint, time: Variable | Number, inner: Formula, view: StreamIndex, binding: Binding
) -> Iterator[Binding]:
    bound = binding.get(time, time) if isinstance(time, Variable) else time
    if isinstance(bound, Number):
        if bound.value in view.timeline:
            yield from solutions(here, inner, view, bound.value, binding)
    elif bound == time:
        for u in _moments(here, inner, view, binding):
            yield from solutions(here, inner, view, u, {**binding, bound: Number(u)})


def _moments(here: IndexedPoint, inner: Formula, view: StreamIndex, binding: Binding) -> Sequence[int]:
    every = range(view.timeline.last, view.timeline.first - 1, -1)
    if not isinstance(inner, Atom):
        return every
    matching_atoms = [atom for atom, _ in matching(here.atoms, inner, binding)]
    if any(atom in here.judge.background for atom in matching_atoms):
        return every
    return sorted({u for atom in matching_atoms for u in view.times(atom)}, reverse=True)


def literal_bindings(here: IndexedPoint, literal: BodyLiteral, binding: Binding) -> Iterator[Binding]:
    """Yield the bindings under which a body literal holds at t, given what is bound."""
    if isinstance(literal, SetLiteral):
        for group in here.instance_groups(literal):
            if all(binding.get(name, value) == value for name, value in group.binding.items()):
                yield {**binding, **group.binding}
    elif not isinstance(literal, Condition):
        yield from solutions(here, literal, here.view, here.t, binding)
    elif (found := decide_condition(literal, binding, here.evaluate)) is not None:
        yield found


def cheapest(here: IndexedPoint, body: Sequence[BodyLiteral], binding: Binding) -> BodyLiteral | None:
    """Return the literal to look at next: the one with the fewest candidates, None when none can be yet."""
    costs = [(cost, place) for place, literal in enumerate(body)
             if (cost := _cost(here, literal, binding)) is not None]  # fmt: skip
    return body[min(costs)[1]] if costs else None


def _cost(here: IndexedPoint, literal: BodyLiteral, binding: Binding) -> Cost | None:
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
    return through_box(literal), 1 + len(here.atoms.like(substitute(atom[0], binding)))


def _binds(formula: Formula, binding: Binding) -> bool:
    """Whether the formula binds every variable of it that is not bound yet."""
    names = frozenset().union(*map(variables, binders(formula)))
    return variables(formula) - binding.keys() <= names


def body_bindings(here: IndexedPoint, body: Sequence[BodyLiteral], binding: Binding) -> Iterator[Binding]:
    """Yield the bindings under which a whole body holds at t."""
    if not body:
        yield binding
        return
    literal = cheapest(here, body, binding)
    if literal is None:
        for time_binding in time_bindings(here, body, binding):
            yield from body_bindings(here, body, time_binding)
        return
    for time_binding in literal_bindings(here, literal, binding):
        yield from body_bindings(here, [part for part in body if part is not literal], time_binding)


def time_bindings(here: IndexedPoint, body: Sequence[BodyLiteral], binding: Binding) -> Iterator[Binding]:
    """Yield a time point for a variable time of @ that nothing else binds, as in @_T ¬p(X), X = T."""
    all_binders = (binder for formula in formulas(body) for binder in binders(formula))
    time = next(
        (binder for binder in all_binders if isinstance(binder, Variable) and binder not in binding), None
    )
    # Without one nothing can be bound: safe rules do not come here.
    for u in () if time is None else reversed(range(here.view.timeline.first, here.view.timeline.last + 1)):
        assert time is not None
        yield {**binding, time: Number(u)}
