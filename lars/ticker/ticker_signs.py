"""Signs in what Ticker prints: at which time it is, and that the input of this time is there.

It prints what changes, takes input for the time at which it reads it, and looks at time 0 only when
there is input. With these signs its answer changes at each tick and with each line of input.
"""

from dataclasses import dataclass, replace

from lars.language.formulas import At, In, Truth
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Variable
from lars.language.windows import TimeWindow
from lars.ticker.ticker_literals import Reasoner, TickerInput, fresh_name
from lars.ticker.ticker_rules import names


@dataclass(frozen=True, slots=True)
class SignedProgram:
    """A program with signs, and its input, of which there is some at 0; `arrival` is the name of a sign."""

    program: Program
    stream: TickerInput
    arrival: Atom


def signed(program: Program, stream: TickerInput, reasoner: Reasoner) -> SignedProgram:
    """Return the program with rules for a number that is the time, and for an atom when input has come.

    Where there is no input at time 0, an atom of its own is: the oldest of tuples takes no other's place.
    """
    taken = names(program) | {name for name, _ in stream.signatures()}
    start, present, pulse, arrival = (
        Atom(fresh_name(name, taken)) for name in ("start", "present", "pulse", "arrival")
    )
    fed = replace(stream, atoms={0: (start,)} | {t: atoms for t, atoms in stream.atoms.items() if atoms})
    time = Variable("T")
    rules = (
        Rule(present, (Truth(),)),
        Rule(replace(pulse, arguments=(time,)), (In(TimeWindow(1), At(time, present)),)),
        *(Rule(arrival, (pattern,)) for pattern in _patterns(fed, reasoner)),
    )
    return SignedProgram(Program((*program.rules, *rules)), fed, arrival)


def _patterns(stream: TickerInput, reasoner: Reasoner) -> list[Atom]:
    """Return atoms of which each line of the input has an instance."""
    if reasoner is Reasoner.CLINGO:
        kinds = sorted({(atoms[0].predicate, len(atoms[0].arguments)) for atoms in stream.atoms.values()})
        return [Atom(name, tuple(Variable(f"X{n}") for n in range(1, arity + 1))) for name, arity in kinds]
    # Its reasoner incremental makes an instance for each combination of values: these have none.
    found: dict[Atom, None] = {}
    for atoms in stream.atoms.values():
        if found.keys().isdisjoint(atoms):
            found[atoms[0]] = None
    return list(found)
