"""Whether a given stream is an answer stream of a program, and if not, why.

Each formula holds one atom, and windows depend on input alone. So in the derived atoms a formula is
monotone (an even number of ¬ above its atom) or antimonotone. Let I be a model of the program. An
antimonotone formula of its reduct that holds in I holds in all that is smaller, so between D and I
the reduct is a definite program: it has a least model L, and I is minimal exactly when I = L.
That is decided without trying the 2^n subsets; tests compare it with the definition that does.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Final

from lars.analysis import check_safety, count_choices, gathered_strata, nearby
from lars.errors import LarsError
from lars.language.program import Program, Rule, formulas, is_fact
from lars.language.stream import Moment, Stream, moments, with_moments
from lars.language.terms import Atom
from lars.language.windows import Interval, TupleWindow
from lars.semantics.definitions import all_background, choices, separate
from lars.semantics.gathering import atoms_at, extension, stand_ins, with_stand_ins
from lars.semantics.grounding import Evaluate, GroundRule, instances, refuse
from lars.semantics.readings import (
    Instance,
    ReferencePoint,
    SupportLink,
    circle,
    moment_of,
    values_in,
)

MOST_CHOICES: Final = 10_000
"""How many choices of ties are tried; with more a stream is not decided."""
MOST_POINTS: Final = 10_000_000
"""How many time points the windows may show: times of @, ◇ and □ are tried one by one."""

Choice = tuple[tuple[TupleWindow, tuple[Moment, ...]], ...]


@dataclass(frozen=True, slots=True)
class IsAnswerStream:
    """The candidate is an answer stream; with windows of ties `choose`, for this choice."""

    choice: Choice = ()


@dataclass(frozen=True, slots=True)
class NotAnInterpretation:
    """The candidate is no stream I ⊇ D that equals D on the input: what it lacks, and has too much.

    `outside` are its atoms at times that the timeline does not have.
    """

    missing: tuple[Moment, ...] = ()
    extra: tuple[Moment, ...] = ()
    outside: tuple[Moment, ...] = ()


@dataclass(frozen=True, slots=True)
class ViolatedRule:
    """A rule's body holds in the candidate, its head does not; `other_count` instances are violated too.

    A constraint, and a head @_{t'} with t' ∉ T, never holds. `choice_count` counts the choices of ties.
    """

    instance: Instance
    other_count: int = 0
    choice: Choice = ()
    choice_count: int = 1


@dataclass(frozen=True, slots=True)
class SmallerModel:
    """The candidate is a model, but not a minimal one: the least model of its reduct is smaller.

    `unfounded` are the atoms that the least model lacks, `unsupported` those of them that are the
    head of no rule whose body holds. If there is none, they support each other: `circle` shows how.
    """

    least: tuple[Moment, ...]
    unfounded: tuple[Moment, ...]
    unsupported: tuple[Moment, ...] = ()
    circle: tuple[SupportLink, ...] = ()
    choice: Choice = ()
    choice_count: int = 1


Verdict = IsAnswerStream | NotAnInterpretation | ViolatedRule | SmallerModel


def check_candidate(
    program: Program,
    data: Stream,
    candidate: Stream,
    point: ReferencePoint,
    evaluate: Evaluate = refuse,
) -> Verdict:
    """Return whether the candidate is an answer stream of the program for the data at a point.

    With ties `choose` it is one when some choice makes it one; else the verdict is that of a choice
    for which it is a model, if there is one. Raises LarsError for an unsafe program, t outside the
    timeline, too many choices or time points, and SPARQL conditions when `evaluate` is not given.

    >>> from lars.text.notation import read
    >>> from lars.language.terms import Atom
    >>> from lars.language.windows import Interval
    >>> data = Stream(Interval(0, 9), {})
    >>> candidate = with_moments(data, [(5, Atom("q"))])
    >>> check_candidate(read("p ← not q. q ← not p."), data, candidate, ReferencePoint(5))
    IsAnswerStream(choice=())
    """
    check_safety(program)
    gathered_strata(program)
    if point.t not in data.timeline:
        raise LarsError(f"the time point {point.t} lies outside the timeline {data.timeline}")
    stream, candidate_data = separate(program, data), separate(program, candidate)
    known = replace(point, background=all_background(program, point.background))
    wrong = _no_interpretation(stream, candidate_data)
    if wrong is not None:
        return wrong
    seen, interval = nearby(program, stream, point.t)
    if interval.last - interval.first >= MOST_POINTS:
        raise LarsError(
            f"the windows show {interval} at {point.t}, more than {MOST_POINTS} time points; "
            "accepted: a coarser unit, or shorter windows"
        )
    candidate_seen = with_moments(seen, moments(candidate_data))
    ground = ground_instances(program, candidate_seen, interval, known, evaluate)
    if count_choices(program, seen, point.t) > MOST_CHOICES:
        raise LarsError(f"windows with ties `choose` have more than {MOST_CHOICES} choices at {point.t}")
    return _over_choices(ground, choices(program, seen, point.t), candidate_seen, known)


def ground_instances(
    program: Program, stream: Stream, interval: Interval, point: ReferencePoint, evaluate: Evaluate
) -> tuple[Instance, ...]:
    """Return every instance whose body can hold in the stream: over its atoms, derivable or not.

    Its gathered literals hold there, and as lower layers decide them, in all streams below as well.
    """
    put = stand_ins(program)
    now = extension(put, atoms_at(stream, point.t, point.background), evaluate)
    atoms = point.background.union(now, *stream.input.values(), *stream.derived.values())
    all_instances = (
        _instance(rule, plain, ground, frozenset(put.values()))
        for rule in program.rules
        if not is_fact(rule)
        for plain in (with_stand_ins(rule, put),)
        for ground in instances(plain, atoms, interval, evaluate)
    )
    return tuple(dict.fromkeys(all_instances))


def _instance(rule: Rule, plain: Rule, ground: GroundRule, put: frozenset[Atom]) -> Instance:
    pairs = tuple(zip(formulas(plain.body), ground.body, strict=True))
    body = tuple(found for pattern, found in pairs if pattern not in put)
    gathered = (values_in(pattern, found) for pattern, found in pairs if pattern in put)
    return Instance(rule, GroundRule(ground.head, body), tuple(sorted(set(chain.from_iterable(gathered)))))


def _no_interpretation(data: Stream, candidate: Stream) -> NotAnInterpretation | None:
    stated, has = (
        frozenset((u, atom) for u, atoms in stream.input.items() for atom in atoms)
        for stream in (data, candidate)
    )
    everything = has | moments(candidate)
    outside = {moment for moment in everything if moment[0] not in data.timeline}
    missing = (stated | moments(data)) - everything
    extra = has - stated - outside
    if not (missing or extra or outside):
        return None
    return NotAnInterpretation(in_order(missing), in_order(extra), in_order(outside))


def in_order(unordered: Iterable[Moment]) -> tuple[Moment, ...]:
    """Return atoms by time, then by their text."""
    return tuple(sorted(unordered, key=lambda moment: (moment[0], str(moment[1]))))


def _over_choices(
    ground: Sequence[Instance], chosen: Iterator[Stream], candidate: Stream, point: ReferencePoint
) -> Verdict:
    verdicts: list[ViolatedRule | SmallerModel] = []
    for data in chosen:
        verdict = _for_choice(ground, data, replace(candidate, choice=data.choice), point)
        if isinstance(verdict, IsAnswerStream):
            return verdict
        verdicts.append(verdict)
    closest = next((verdict for verdict in verdicts if isinstance(verdict, SmallerModel)), verdicts[0])
    return replace(closest, choice_count=len(verdicts))


def _for_choice(
    ground: Sequence[Instance], data: Stream, candidate: Stream, point: ReferencePoint
) -> IsAnswerStream | ViolatedRule | SmallerModel:
    now = cache(lambda formula: point.holds(formula, candidate))
    reduct = [instance for instance in ground if all(map(now, instance.ground.body))]
    violated = [
        instance for instance in reduct if instance.ground.head is None or not now(instance.ground.head)
    ]
    choice = _chosen(candidate)
    if violated:
        of_first_rule = (instance for instance in violated if instance.rule == violated[0].rule)
        return ViolatedRule(min(of_first_rule, key=str), len(violated) - 1, choice)
    least = least_model(reduct, data, candidate, point)
    unfounded = moments(candidate) - moments(least)
    if not unfounded:
        return IsAnswerStream(choice)
    unsupported, links = circle(reduct, unfounded, least, point)
    return SmallerModel(in_order(moments(least)), in_order(unfounded), in_order(unsupported), links, choice)


def _chosen(stream: Stream) -> Choice:
    return tuple(
        (window, tuple((u, atom) for u, atoms in sorted(kept.items()) for atom in atoms))
        for window, kept in sorted(stream.choice.items(), key=lambda pair: str(pair[0]))
    )


def least_model(reduct: Iterable[Instance], data: Stream, candidate: Stream, point: ReferencePoint) -> Stream:
    """Return the least stream between the data and the candidate that satisfies the reduct.

    A formula that holds in both holds in all between; one that holds in the candidate alone is
    monotone. So what is derived once stays derived, and a rule is done when its head is.
    """
    stream, pending = data, [instance.ground for instance in reduct]
    while pending:
        ready = [all(point.holds_below(part, stream, candidate) for part in rule.body) for rule in pending]
        if not any(ready):
            break
        heads = [moment_of(rule.head, point.t) for rule, fires in zip(pending, ready, strict=True) if fires]
        pending = [rule for rule, fires in zip(pending, ready, strict=True) if not fires]
        stream = with_moments(stream, _new(heads, stream, point))
    return stream


def _new(heads: Iterable[Moment | None], stream: Stream, point: ReferencePoint) -> Iterator[Moment]:
    for head in heads:
        if head is not None and head[1] not in point.background and not stream.holds_at(head[1], head[0]):
            yield head
