"""What a program meets: timeline, input, background."""

from collections.abc import Sequence
from dataclasses import dataclass

from lars.program import Program, is_fact
from lars.terms import Atom
from lars.windows import Interval
from solver.facts import Background, Fact, background_of


@dataclass(frozen=True, slots=True)
class Situation:
    """The timeline, the input in arrival order, and B.

    Equal facts at one time point count once, at their first arrival. With `newest` the input is as if
    nothing had come into view since that time: what no window showed then, since it lies after its
    upper end, is not seen at all, though tuple windows count it.
    """

    timeline: Interval
    facts: Sequence[Fact]
    background: Background
    newest: int | None = None


def with_facts(program: Program, background: Background) -> Background:
    """Return B: the background that is given, and the program's own facts."""
    own = background_of(rule.head for rule in program.rules if is_fact(rule) and isinstance(rule.head, Atom))
    names = dict.fromkeys((*background, *own))
    return {name: dict.fromkeys((*background.get(name, ()), *own.get(name, ()))) for name in names}
