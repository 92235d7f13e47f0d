"""The semantics of LARS by its definitions, as code that is easy to check but slow."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import Final, assert_never

from lars.analysis import check_safety, choosing_windows, gathering_parts, intensional, strata
from lars.errors import LarsError
from lars.language import formulas
from lars.language.program import Program, rebuild
from lars.language.stream import Moment, Stream, cut, moments, tie_choices, with_moments
from lars.language.terms import Atom, Number, Signature, signature
from lars.semantics import grounding

Background = frozenset[Atom]

ROUNDS: Final = 300
"""The greatest number of grounding rounds that give new numbers; more rounds cause an error."""


def holds(
    formula: formulas.Formula,
    stream: Stream,
    t: int,
    background: Background = frozenset(),
    above: Stream | None = None,
) -> bool:
    """Return whether a ground formula holds in the stream at t (LARS 2015, Section 2.3).

    t may be outside the timeline, for example in a window after a pivot. Outside the timeline, atoms of the
    background and `true` hold, but atoms of the stream do not. The argument `above` is a stream with the same
    input that decides formulas under ¬; None means `stream`.
    """
    match formula:
        case Atom():
            return stream.holds_at(formula, t) or formula in background
        case formulas.Truth():
            return True
        case formulas.Not(inner):
            return not holds(inner, stream if above is None else above, t, background)
        case formulas.Diamond(Atom() as atom):
            # Only times that have an atom at all are tried, however long the timeline is.
            times = stream.input.keys() | stream.derived.keys()
            always = atom in background and bool(stream.timeline)
            return always or any(u in stream.timeline and stream.holds_at(atom, u) for u in times)
        case formulas.Diamond(inner):
            return any(holds(inner, stream, u, background, above) for u in stream.timeline)
        case formulas.Box(inner):
            return all(holds(inner, stream, u, background, above) for u in stream.timeline)
        case formulas.At(Number(u), inner):
            return u in stream.timeline and holds(inner, stream, u, background, above)
        case formulas.At():
            raise LarsError(f"{formula} is not ground")
        case formulas.In(window, inner):
            # Windows depend on the input alone: they show the same part of both.
            other = None if above is None else cut(above, window, t)
            return holds(inner, cut(stream, window, t), t, background, other)
        case _:
            assert_never(formula)


def body_holds(rule: grounding.GroundRule, stream: Stream, t: int, background: Background) -> bool:
    """Return whether every formula in the body of a rule holds in the stream at t."""
    return all(holds(formula, stream, t, background) for formula in rule.body)


def satisfies(rule: grounding.GroundRule, stream: Stream, t: int, background: Background) -> bool:
    """Return whether the stream satisfies a rule at t: the head holds, or the body does not hold.

    The head of a constraint never holds, and a head @_{t'} with t' outside the timeline never holds.
    """
    if not body_holds(rule, stream, t, background):
        return True
    return rule.head is not None and holds(rule.head, stream, t, background)


def is_model(rules: Iterable[grounding.GroundRule], stream: Stream, t: int, background: Background) -> bool:
    """Return whether the interpretation stream satisfies every rule at t."""
    return all(satisfies(rule, stream, t, background) for rule in rules)


def reduct(
    rules: Iterable[grounding.GroundRule], stream: Stream, t: int, background: Background
) -> tuple[grounding.GroundRule, ...]:
    """Return the rules whose body holds: the FLP reduct {r ∈ P : M,t ⊨ body(r)}."""
    return tuple(rule for rule in rules if body_holds(rule, stream, t, background))


def answer_streams(
    program: Program,
    stream: Stream,
    t: int,
    background: Iterable[Atom] = (),
    evaluate: grounding.Evaluate = grounding.refuse,
) -> tuple[Stream, ...]:
    """Return every answer stream of the program for a data stream at t (LARS 2015, Definition 3).

    Each choice of ties has its own answer streams. If two choices have equal answer streams, the result
    contains the stream once. For one choice, a stratified program has at most one answer stream, which is
    computed layer by layer. For a program that is not stratified, all 2^n sets of derivable atoms are tried.
    If the program has aggregates or orders, each part is evaluated on the answer streams of the lower parts.
    Raises LarsError for an unsafe program, and for t outside the timeline. Raises LarsError for SPARQL
    conditions if `evaluate` is not given.
    """
    check_safety(program)
    known = all_background(program, background)
    layers = gathering_parts(program)
    by_moments: dict[frozenset[Moment], Stream] = {}
    for data in choices(program, separate(program, stream), t):
        streams = [data]
        for part in layers:
            streams = [new for below in streams for new in _answers(part, below, t, known, evaluate)]
        for answer in streams:
            by_moments.setdefault(moments(answer), answer)
    return tuple(by_moments.values())


def _answers(
    program: Program, data: Stream, t: int, background: Background, evaluate: grounding.Evaluate
) -> Iterator[Stream]:
    """Yield the answer streams of a program whose aggregates and orders depend only on the data."""
    put = grounding.stand_ins(program)
    plain = Program(tuple(grounding.with_stand_ins(rule, put) for rule in program.rules))
    known = background | grounding.extension(put, grounding.atoms_at(data, t, background), evaluate)
    layers = strata(plain)
    rules, upper = ground(plain, data, t, known, evaluate)
    if layers is None:
        yield from enumerate_streams(rules, data, upper, t, known)
    else:
        yield from perfect(rules, layers, data, t, known)


def choices(program: Program, stream: Stream, t: int) -> Iterator[Stream]:
    """Yield the stream with each choice of the atoms that windows with ties `choose` keep at t."""
    chosen = choosing_windows(program)
    for atoms in product(*(tie_choices(stream, window, t) for window in chosen)):
        yield replace(stream, choice=dict(zip(chosen, atoms, strict=True)))


def all_background(program: Program, background: Iterable[Atom] = ()) -> Background:
    """Return the background B: the given atoms and the facts of the program."""
    return frozenset(background).union(program.facts)


def separate(program: Program, stream: Stream) -> Stream:
    """Return the stream with intensional input atoms separated from all other input."""
    own = intensional(program)
    moved = [(u, a) for u, atoms in stream.input.items() for a in atoms if signature(a) in own]
    kept = {u: tuple(a for a in atoms if signature(a) not in own) for u, atoms in stream.input.items()}
    return with_moments(replace(stream, input=kept), moved)


def ground(
    program: Program,
    data: Stream,
    t: int,
    background: Background,
    evaluate: grounding.Evaluate = grounding.refuse,
) -> tuple[tuple[grounding.GroundRule, ...], Stream]:
    """Return the ground rules, and the data extended by every atom that some answer stream can contain.

    The extended data are the fixpoint of the rules if every formula under ¬ counts as true. Proof: let J be
    the intersection of an answer stream I with the fixpoint. J is a model of the reduct of I: if a body holds
    in J, its head is in I and in the fixpoint. Since I is minimal, J is equal to I.
    """
    check_safety(program)
    if t not in data.timeline:
        raise LarsError(f"the time point {t} is outside the timeline {data.timeline}")
    rules = program.proper_rules
    upper, computed = with_moments(data, ()), 0
    while computed < ROUNDS:
        atoms = background.union(*upper.input.values(), *upper.derived.values())
        instances_of_rules = (
            ground for rule in rules for ground in grounding.instances(rule, atoms, data.timeline, evaluate)
        )
        ground_rules = tuple(dict.fromkeys(instances_of_rules))
        without_not = [replace(rule, body=tuple(map(_relaxed, rule.body))) for rule in ground_rules]
        grown = with_moments(upper, derived_by(without_not, upper, t, background))
        if grown == upper:
            return ground_rules, upper
        computed += not _numbers(grown) <= _numbers(upper)
        upper = grown
    raise LarsError(
        f"the program's arithmetic derives new numbers in more than {ROUNDS} rounds, perhaps without end"
    )


def _numbers(stream: Stream) -> frozenset[Number]:
    derived = (atom for atoms in stream.derived.values() for atom in atoms)
    return frozenset(term for atom in derived for term in atom.arguments if isinstance(term, Number))


def derived_by(
    rules: Iterable[grounding.GroundRule], stream: Stream, t: int, background: Background
) -> Iterator[Moment]:
    """Yield the head of each rule whose body holds in the stream, if the stream lacks the head."""
    for rule in rules:
        if not satisfies(rule, stream, t, background):
            match rule.head:
                case Atom() as atom:
                    yield t, atom
                case formulas.At(Number(u), Atom() as atom) if u in stream.timeline:
                    yield u, atom
                case _:
                    pass


def _relaxed(formula: formulas.Formula) -> formulas.Formula:
    return rebuild(formula, lambda part: formulas.Truth() if isinstance(part, formulas.Not) else part)


def enumerate_streams(
    rules: tuple[grounding.GroundRule, ...], data: Stream, upper: Stream, t: int, background: Background
) -> Iterator[Stream]:
    """Yield the answer streams, by trying every stream between the data and `upper`."""
    candidates = sorted(moments(upper) - moments(data), key=str)
    for size in range(len(candidates) + 1):
        for chosen in combinations(candidates, size):
            stream = with_moments(data, chosen)
            if is_model(rules, stream, t, background):
                left = reduct(rules, stream, t, background)
                if not any(is_model(left, smaller, t, background) for smaller in _below(data, chosen)):
                    yield stream


def _below(data: Stream, chosen: tuple[Moment, ...]) -> Iterator[Stream]:
    for size in range(len(chosen)):
        for part in combinations(chosen, size):
            yield with_moments(data, part)


def perfect(
    rules: tuple[grounding.GroundRule, ...],
    layers: tuple[frozenset[Signature], ...],
    data: Stream,
    t: int,
    background: Background,
) -> Iterator[Stream]:
    """Yield the perfect model of a stratified program, unless the model violates a constraint."""
    stream = with_moments(data, ())
    for layer in layers:
        own = tuple(rule for rule in rules if _defines(rule, layer))
        while new := tuple(derived_by(own, stream, t, background)):
            stream = with_moments(stream, new)
    if is_model(rules, stream, t, background):
        yield stream


def _defines(rule: grounding.GroundRule, layer: frozenset[Signature]) -> bool:
    match rule.head:
        case (Atom() as atom) | formulas.At(_, Atom() as atom):
            return signature(atom) in layer
        case _:
            return False
