"""Check whether a stream is an answer stream of a program, and explain a failure, under two readings of ¬.

The FLP reduct and the founded reading of ¬ compare a stream with different smaller streams. Each formula has
one atom, and windows depend on input only. In the derived atoms, a formula is therefore monotone (an even
number of ¬ above its atom) or antimonotone. Let I be a model of the program. An antimonotone formula of the
reduct of I that holds in I holds in every smaller stream. Between the data D and I, the reduct is therefore a
definite program with a least model L. The model I is minimal if and only if I = L. The check of a stream with
n derived atoms therefore does not try the 2^n subsets of these atoms. Tests compare the check with the
definition, which tries all subsets.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Final, Literal, assert_never

from lars import analysis
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.formulas import At, Box, Diamond, Formula, In, Not, Truth
from lars.language.program import Program, Rule, formulas, nested
from lars.language.stream import Moment, Stream, cut, moments, with_moments
from lars.language.terms import Atom, Number, Signature, signature
from lars.language.windows import Interval, TupleWindow, Window
from lars.semantics import grounding
from lars.semantics.definitions import Background, all_background, choices, holds, separate

NegationReading = Literal["FLP", "founded"]
"""The stream that decides an outermost ¬α during minimization.

With `FLP`, the smaller stream decides. With `founded`, the interpretation decides.
"""


@dataclass(frozen=True, slots=True)
class ReferencePoint:
    """The settings of an answer stream check: the reference time, the background, and the reading of ¬."""

    t: int
    background: Background = frozenset()
    reading: NegationReading = "FLP"

    def holds(self, formula: Formula, stream: Stream) -> bool:
        """Return whether a formula holds in a stream at the reference time, with the background."""
        return holds(formula, stream, self.t, self.background)

    def holds_below(self, formula: Formula, smaller: Stream, larger: Stream) -> bool:
        """Return whether a formula holds in `smaller`, a stream with only some derived atoms of `larger`.

        The reading of ¬ determines which of the two streams decides formulas under ¬.
        """
        deciding = larger if self.reading == "founded" else None
        return holds(formula, smaller, self.t, self.background, deciding)


def circular_through_negation(program: Program) -> tuple[Rule, ...]:
    """Return the rules through which the two readings of ¬ may differ; if none exists, the readings coincide.

    A rule in the result has an atom under 2, 4, … ¬ that depends on the rule's head. The function ignores
    atoms under an odd number of ¬, because ¬q never supports an atom. Proof that the rules outside the result
    do not matter: take an answer stream that is founded but not FLP. Each atom that FLP cannot derive is
    derived from another atom that FLP cannot derive, without ¬ or under an even number of ¬. In such a chain
    of derivations, steps without ¬ cannot continue forever.

    >>> circular = Rule(Atom("p"), (Not(Not(Atom("p"))),))
    >>> len(circular_through_negation(Program((circular, Rule(Atom("q"), (Not(Not(Atom("p"))),))))))
    1
    """
    below = analysis.successors((head, used) for rule in program.rules for head, used, _ in _supports(rule))
    return tuple(
        rule
        for rule in program.rules
        if any(
            negations and (head == used or head in analysis.reachable(used, below))
            for head, used, negations in _supports(rule)
        )
    )


def _supports(rule: Rule) -> Iterator[tuple[Signature, Signature, int]]:
    """Yield (head predicate, body predicate, number of ¬) for each body atom under an even number of ¬."""
    head = rule.predicate
    for literal in () if head is None else formulas(rule.body):
        *around, innermost = nested(literal)
        negations = sum(isinstance(part, Not) for part in around)
        if head is not None and isinstance(innermost, Atom) and negations % 2 == 0:
            yield head, signature(innermost), negations


@dataclass(frozen=True, slots=True)
class SupportLink:
    """A derived atom, a rule instance that derives the atom, and a body formula of this instance.

    The atom `below` supports the body formula.
    """

    head: Moment
    instance: grounding.GroundRule
    formula: Formula
    below: Moment

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows around the supporting atom in the body formula, outer windows first."""
        return tuple(analysis.windows_of(self.formula))


def circle(
    reduct: Sequence[grounding.GroundRule], unfounded: frozenset[Moment], least: Stream, point: ReferencePoint
) -> tuple[frozenset[Moment], tuple[SupportLink, ...]]:
    """Return the unfounded atoms that no reduct rule supports, and a circle if all of them are supported.

    The second result is a circle of unfounded atoms that support each other; it is empty if some unfounded
    atom has no supporting rule.

    A reduct rule with an unfounded head has a formula that fails in the least model. The failing formula
    depends on an unfounded atom. Each unfounded atom with a supporting rule therefore links to another
    unfounded atom.
    """
    links: dict[Moment, SupportLink] = {}
    heads = [(moment_of(instance.head, point.t), instance) for instance in reduct]
    # What the background has no rule needs to derive, so none supports it.
    supporting = [
        (head, instance)
        for head, instance in heads
        if head is not None and head in unfounded and head[1] not in point.background
    ]
    for head, instance in sorted(supporting, key=lambda pair: str(pair[1])):
        if head not in links:
            links[head] = _link(head, instance, unfounded, least, point)
    unsupported = unfounded - links.keys()
    return unsupported, () if unsupported else _closed(links)


def _link(
    head: Moment,
    instance: grounding.GroundRule,
    unfounded: Collection[Moment],
    least: Stream,
    point: ReferencePoint,
) -> SupportLink:
    failing = [part for part in instance.body if not point.holds(part, least)]
    moments = ((part, moment) for part in failing for moment in looked_at(part, least, point.t))
    chances = [(part, moment) for part, moment in moments if moment in unfounded]
    # An atom that supports itself is the shortest circle.
    part, below = min(chances, key=lambda chance: chance[1] != head)
    return SupportLink(head, instance, part, below)


def _closed(links: Mapping[Moment, SupportLink]) -> tuple[SupportLink, ...]:
    here = min(links, key=lambda moment: (moment[0], str(moment[1])))
    path: list[Moment] = []
    while here not in path:
        path.append(here)
        here = links[here].below
    return tuple(links[moment] for moment in path[path.index(here) :])


def moment_of(head: Atom | At | None, t: int) -> Moment | None:
    """Return the time and the atom that a rule's head derives at reference time t.

    Return None if the time is not a number.
    """
    match head:
        case Atom():
            return t, head
        case At(Number(u), Atom() as atom):
            return u, atom
        case _:
            return None


def looked_at(formula: Formula, stream: Stream, t: int) -> Iterator[Moment]:
    """Yield each (time, atom) that can change the truth of the formula at t."""
    match formula:
        case Atom():
            yield t, formula
        case Truth():
            return
        case Not(inner):
            yield from looked_at(inner, stream, t)
        case Diamond(inner) | Box(inner):
            for u in stream.timeline:
                yield from looked_at(inner, stream, u)
        case At(Number(u), inner):
            yield from looked_at(inner, stream, u) if u in stream.timeline else ()
        case At():
            return
        case In(window, inner):
            yield from looked_at(inner, cut(stream, window, t), t)
        case _:
            assert_never(formula)


MOST_CHOICES: Final = 10_000
"""The greatest number of tie choices that are tried; the check raises LarsError for more choices."""
MOST_POINTS: Final = 10_000_000
"""The greatest number of time points that windows may show; the times of @, ◇ and □ are tried one by one."""

Choice = tuple[tuple[TupleWindow, tuple[Moment, ...]], ...]


@dataclass(frozen=True, slots=True)
class IsAnswerStream:
    """The checked stream is an answer stream.

    If ties are `choose`, the stream is an answer stream for the choice of ties in `choice`.
    """

    choice: Choice = ()


@dataclass(frozen=True, slots=True)
class NotAnInterpretation:
    """The checked stream is not an interpretation: it misses atoms of the data D, or has extra input atoms.

    The field `outside` contains the atoms of the checked stream at times outside the timeline.
    """

    missing: tuple[Moment, ...] = ()
    extra: tuple[Moment, ...] = ()
    outside: tuple[Moment, ...] = ()


@dataclass(frozen=True, slots=True)
class ViolatedRule:
    """A rule whose body holds in the checked stream although its head does not hold.

    The field `other_count` is the number of other violated instances. A constraint has no head that could
    hold, and a head @_{t'} with t' ∉ T never holds. The field `choice_count` is the number of tried ways to
    choose atoms in windows with ties `choose`.
    """

    instance: grounding.GroundRule
    other_count: int = 0
    choice: Choice = ()
    choice_count: int = 1


@dataclass(frozen=True, slots=True)
class SmallerModel:
    """The checked stream is a model, but not minimal: the least model of its reduct is smaller.

    The field `unfounded` contains the atoms that the least model lacks. The field `unsupported` contains the
    unfounded atoms without a rule whose body holds. If each unfounded atom has a rule whose body holds, the
    unfounded atoms support each other; `circle` shows the links.
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
    evaluate: grounding.Evaluate = grounding.refuse,
) -> Verdict:
    """Return the verdict whether `candidate` is an answer stream of the program for the data at a time.

    If ties are `choose`, the stream must be an answer stream for at least one choice of ties. If the stream
    is an answer stream for no choice, the verdict describes, if possible, a choice for which the stream is a
    model. Raises LarsError for an unsafe program, for t outside the timeline, and for too many choices or
    time points. The function also raises LarsError if the program has SPARQL conditions and `evaluate` is
    missing.

    >>> from lars.text.notation import read
    >>> from lars.language.terms import Atom
    >>> from lars.language.windows import Interval
    >>> data = Stream(Interval(0, 9), {})
    >>> candidate = with_moments(data, [(5, Atom("q"))])
    >>> check_candidate(read("p ← not q. q ← not p."), data, candidate, ReferencePoint(5))
    IsAnswerStream(choice=())
    """
    analysis.check_safety(program)
    analysis.gathered_strata(program)
    if point.t not in data.timeline:
        raise LarsError(f"the time point {point.t} is outside the timeline {data.timeline}")
    stream, candidate_data = separate(program, data), separate(program, candidate)
    known = replace(point, background=all_background(program, point.background))
    wrong = _no_interpretation(stream, candidate_data)
    if wrong is not None:
        return wrong
    seen, interval = analysis.nearby(program, stream, point.t)
    if interval.last - interval.first >= MOST_POINTS:
        raise LarsError(
            f"the windows show {interval} at {point.t}, more than {MOST_POINTS} time points; "
            "expected a coarser unit, or shorter windows"
        )
    candidate_seen = with_moments(seen, moments(candidate_data))
    ground = ground_instances(program, candidate_seen, interval, known, evaluate)
    if analysis.count_choices(program, seen, point.t) > MOST_CHOICES:
        raise LarsError(f"windows with ties `choose` have more than {MOST_CHOICES} choices at {point.t}")
    return _over_choices(ground, choices(program, seen, point.t), candidate_seen, known)


def ground_instances(
    program: Program, stream: Stream, interval: Interval, point: ReferencePoint, evaluate: grounding.Evaluate
) -> tuple[grounding.GroundRule, ...]:
    """Return every rule instance whose body can hold in the stream, whether or not its atoms can be derived.

    The aggregates and orders of an instance depend only on atoms of lower layers, so they hold in the stream
    and in all smaller streams.
    """
    put = grounding.stand_ins(program)
    now = grounding.extension(put, grounding.atoms_at(stream, point.t, point.background), evaluate)
    atoms = point.background.union(now, *stream.input.values(), *stream.derived.values())
    all_instances = (
        _instance(rule, plain, ground, frozenset(put.values()))
        for rule in program.proper_rules
        for plain in (grounding.with_stand_ins(rule, put),)
        for ground in grounding.instances(plain, atoms, interval, evaluate)
    )
    return tuple(dict.fromkeys(all_instances))


def _instance(
    rule: Rule, plain: Rule, ground: grounding.GroundRule, put: frozenset[Atom]
) -> grounding.GroundRule:
    pairs = tuple(zip(formulas(plain.body), ground.body, strict=True))
    body = tuple(found for pattern, found in pairs if pattern not in put)
    gathered = (grounding.values_in(pattern, found) for pattern, found in pairs if pattern in put)
    bindings = tuple(sorted(set(chain.from_iterable(gathered))))
    return grounding.GroundRule(ground.head, body, rule, bindings)


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
    """Return (time, atom) pairs sorted by time, then by the text of the atom."""
    return tuple(sorted(unordered, key=lambda moment: (moment[0], str(moment[1]))))


def _over_choices(
    ground: Sequence[grounding.GroundRule], chosen: Iterator[Stream], candidate: Stream, point: ReferencePoint
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
    ground: Sequence[grounding.GroundRule], data: Stream, candidate: Stream, point: ReferencePoint
) -> IsAnswerStream | ViolatedRule | SmallerModel:
    now = cache(lambda formula: point.holds(formula, candidate))
    reduct = [instance for instance in ground if all(map(now, instance.body))]
    violated = [instance for instance in reduct if instance.head is None or not now(instance.head)]
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


def least_model(
    reduct: Iterable[grounding.GroundRule], data: Stream, candidate: Stream, point: ReferencePoint
) -> Stream:
    """Return the least stream between the data and the checked stream that satisfies the reduct.

    A formula that holds in the data and in the checked stream holds in every stream between the two. A
    formula that holds only in the checked stream is monotone. If the stream grows, the body of a rule
    therefore stays true, so each rule needs to be applied only once.
    """
    stream, pending = data, list(reduct)
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
