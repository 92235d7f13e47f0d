"""The constraints that a stream violates, and the rules whose heads are outside the timeline.

Even if the whole program has no answer stream, the program without its violated rules can have answer
streams.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from lars.analysis import binders
from lars.dataclass import dataclass
from lars.explain.evidence import IndexedPoint, body_bindings, derived_moment, head_moment, view_of
from lars.explain.proofs import Premise, Values, premises, values_of
from lars.language.formulas import At, Comparison
from lars.language.program import Program, Rule, formulas, is_fact
from lars.language.terms import Atom, Number, Term
from lars.language.windows import Interval
from lars.semantics import choices

MOST: Final = 1000
"""The greatest number of instances of one rule that are counted."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule instance that a stream violates: the body holds, although the head cannot hold.

    The field `number` is the number of the rule, counted from 1. If `head` is None, the rule is a constraint,
    which has no head. Otherwise, the head cannot hold because its time is outside the timeline. The field
    `other_count` is the number of other violated instances of the rule, up to `MOST`.
    """

    number: int
    rule: Rule
    binding: Values
    premises: tuple[Premise, ...]
    head: tuple[Term, Atom] | None
    other_count: int


def without_constraints(program: Program, timeline: Interval) -> Program:
    """Return the program without constraints; its rules with a head @_T apply only for T in the timeline.

    A rule whose body contains a formula @_T with the time T of the head remains as it is: T is in the
    timeline. Comparisons of T with numbers would make the solver ground each time point of the timeline.

    >>> from lars.text.notation import read
    >>> print(without_constraints(read("p ← q. ← p. @_T p ← ⊞^3 @_U q, T = U + 1."), Interval(0, 9)))
    p ← q.
    @_T p ← ⊞^3 @_U q, T = U + 1, T >= 0, T <= 9.
    """
    rules = (rule for rule in program.rules if rule.head is not None)
    return Program(tuple(_kept_to(rule, timeline) for rule in rules))


def _kept_to(rule: Rule, timeline: Interval) -> Rule:
    match rule.head:
        case At(time) if not any(time == binder for part in formulas(rule.body) for binder in binders(part)):
            first = Comparison(time, ">=", Number(timeline.first))
            last = Comparison(time, "<=", Number(timeline.last))
            return replace(rule, body=(*rule.body, first, last))
        case _:
            return rule


def restore(here: IndexedPoint, program: Program) -> IndexedPoint:
    """Return an answer stream of the program without constraints, indexed for the whole `program`.

    Proofs in the answer stream remain valid. If only constraints use a tuple window with ties `choose`, the
    window keeps the first of its possible contents.
    """
    choice = here.stream.choice
    agreeing = (
        stream
        for stream in choices(program, here.stream, here.t)
        if all(stream.choice[window] == kept for window, kept in choice.items())
    )
    stream = next(agreeing)
    return replace(here, program=program, stream=stream, view=view_of(stream, here.view.background))


def violations(here: IndexedPoint) -> Iterator[Violation]:
    """Yield the first violated instance of each rule that the stream violates."""
    for number, rule in enumerate(here.program.rules, 1):
        if is_fact(rule) or isinstance(rule.head, Atom):
            continue
        bindings = (
            binding
            for binding in body_bindings(here, rule.body, {})
            if derived_moment(here, rule, binding) is None
        )
        for binding in islice(bindings, 1):
            others = sum(1 for _ in islice(bindings, MOST))
            yield Violation(
                number,
                rule,
                values_of(binding),
                tuple(premises(here, rule.body, binding)),
                head_moment(here, rule, binding),
                others,
            )
