"""Two readings of ¬ in what must be minimal: the FLP reduct, and the founded one.

FLP, which LARS takes, evaluates all of a body anew in each smaller stream. The founded reading
(Ferraris, and `not not` in clingo) lets the interpretation decide each outermost ¬α; the rest must
be derived from the input step by step. They differ in what stands under two ¬ alone: there ¬¬p is
true of a p that nothing else supports, so {p} is founded for `p ← not not p.`, and only {} is FLP.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from lars.dependencies import reached
from lars.errors import LarsError
from lars.formulas import At, BodyLiteral, Box, Diamond, Formula, In, Not, Truth
from lars.program import Program, Rule, head_atom
from lars.semantics import Background
from lars.stream import Stream, cut
from lars.terms import Atom, Number, Signature, signature


class Reading(Enum):
    """What decides an outermost ¬α in a smaller stream: that stream, or the interpretation."""

    FLP = "FLP"
    FOUNDED = "founded"


@dataclass(frozen=True, slots=True)
class Point:
    """Where a stream is judged: the reference time, the background B, and how ¬ is read."""

    t: int
    background: Background = frozenset()
    reading: Reading = Reading.FLP


def holds_now(formula: Formula, stream: Stream, point: Point) -> bool:
    """Return whether a formula holds in a stream: `lars.semantics.holds`, made for many time points."""
    return _between(formula, stream, stream, point.t, point.background)


def holds_below(formula: Formula, smaller: Stream, larger: Stream, point: Point) -> bool:
    """Return whether a formula holds in a stream below the interpretation `larger`."""
    deciding = larger if point.reading is Reading.FOUNDED else smaller
    return _between(formula, smaller, deciding, point.t, point.background)


def _between(formula: Formula, smaller: Stream, larger: Stream, t: int, background: Background) -> bool:
    match formula:
        case Not(inner):
            return not _between(inner, larger, larger, t, background)
        case Atom():
            return smaller.holds_at(formula, t) or formula in background
        case Truth():
            return True
        case Diamond(Atom() as atom):
            # Only times that have an atom at all are tried, however long the timeline is.
            times = smaller.input.keys() | smaller.derived.keys()
            always = atom in background and bool(smaller.timeline)
            return always or any(smaller.holds_at(atom, u) for u in times)
        case Diamond(inner):
            return any(_between(inner, smaller, larger, u, background) for u in smaller.timeline)
        case Box(inner):
            return all(_between(inner, smaller, larger, u, background) for u in smaller.timeline)
        case At(Number(u), inner):
            return u in smaller.timeline and _between(inner, smaller, larger, u, background)
        case At():
            raise LarsError(f"{formula} is not ground")
        case In(window, inner):
            # Windows depend on the input alone: they show the same part of both.
            shown = cut(smaller, window, t)
            above = shown if larger is smaller else cut(larger, window, t)
            return _between(inner, shown, above, t, background)
        case _:
            assert_never(formula)


def circular_through_negation(program: Program) -> tuple[Rule, ...]:
    """Return the rules through which the readings may differ; without one they coincide.

    They are the rules with an atom under 2, 4, … ¬ that depends on the rule's head. Only atoms
    under an even number of ¬ count for that, since ¬q never supports anything. Proof: of an answer
    stream that is founded and not FLP, each atom that FLP cannot derive is derived by means of
    another one, plainly or under an even number of ¬; plain steps cannot go on for ever.

    >>> circular = Rule(Atom("p"), (Not(Not(Atom("p"))),))
    >>> len(circular_through_negation(Program((circular, Rule(Atom("q"), (Not(Not(Atom("p"))),))))))
    1
    """
    below: dict[Signature, set[Signature]] = {}
    for rule in program.rules:
        for head, used, _ in _supports(rule):
            below.setdefault(head, set()).add(used)
    return tuple(
        rule
        for rule in program.rules
        if any(
            negations and (head == used or head in reached(used, below))
            for head, used, negations in _supports(rule)
        )
    )


def _supports(rule: Rule) -> Iterator[tuple[Signature, Signature, int]]:
    """Yield head, predicate and number of ¬ for each atom of the body under an even number of them."""
    head = head_atom(rule)
    for literal in () if head is None else rule.body:
        for atom, negations in _negated(literal, 0):
            if head is not None and negations % 2 == 0:
                yield signature(head), signature(atom), negations


def _negated(literal: BodyLiteral, negations: int) -> Iterator[tuple[Atom, int]]:
    match literal:
        case Atom():
            yield literal, negations
        case Not(inner):
            yield from _negated(inner, negations + 1)
        case Diamond(inner) | Box(inner) | At(_, inner) | In(_, inner):
            yield from _negated(inner, negations)
        case _:
            return
