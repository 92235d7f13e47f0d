"""Push and pull: the two execution modes as LARS rules (LARS 2015, Section 4.1, Proposition 1)."""

from enum import Enum
from typing import Final, assert_never

from lars.formulas import At, Comparison, Diamond, In, Operation, Operator, Relation, Truth
from lars.program import Program, Rule, atoms
from lars.terms import Atom, Number, Variable
from lars.windows import NOW
from translate.errors import ModelError

TRIGGER: Final = Atom("trigger")


class Trigger(Enum):
    """Which input makes a push engine evaluate: any, that of the query's streams, or a match."""

    ANY = "any"
    QUERY_STREAMS = "query-streams"
    MATCHING = "matching"


def push(program: Program, trigger: Trigger = Trigger.ANY) -> Program:
    """Return ▷P: each rule with a body waits for `trigger`, which input at the same time derives.

    The trigger ranges over input atoms: over derived ones, as printed, it would never fire.
    """
    arrivals = (Rule(TRIGGER, (In(NOW, Diamond(atom)),)) for atom in _arriving(program, trigger))
    return Program((*_gated(program), *arrivals))


def pull(program: Program, period: int) -> Program:
    """Return ◁(P, U): each rule with a body waits for a time that is a multiple of `period` > 0."""
    if period <= 0:
        raise ModelError(f"the pulling period {period} is not positive")
    time = Variable("T")
    multiple = Comparison(Operation(Operator.MOD, time, Number(period)), Relation.EQUAL, Number(0))
    return Program((*_gated(program), Rule(TRIGGER, (In(NOW, At(time, Truth())), multiple))))


def _gated(program: Program) -> tuple[Rule, ...]:
    # Facts are background and hold at every time: gating them would lose them.
    return tuple(Rule(rule.head, (*rule.body, TRIGGER)) if rule.body else rule for rule in program.rules)


def _arriving(program: Program, trigger: Trigger) -> tuple[Atom, ...]:
    anything = (Variable("S"), Variable("P"), Variable("O"))
    match trigger:
        case Trigger.ANY:
            return (Atom("striple", (*anything, Variable("G"))),)
        case Trigger.QUERY_STREAMS:
            sources = dict.fromkeys(atom.arguments[-1] for atom in _stream_atoms(program))
            return tuple(Atom("striple", (*anything, source)) for source in sources)
        case Trigger.MATCHING:
            return tuple(dict.fromkeys(_stream_atoms(program)))
        case _:
            assert_never(trigger)


def _stream_atoms(program: Program) -> tuple[Atom, ...]:
    return tuple(
        atom
        for rule in program.rules
        for literal in rule.body
        for atom, _, _ in atoms(literal)
        if atom.predicate == "striple"
    )
