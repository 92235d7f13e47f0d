"""Why a search that found nothing is enough: A7, and that the candidates leave no stream out.

Let both sides be monotone: no `not`, nothing gathered, time windows only. Take a row that one side alone
reports, and one derivation of it at one evaluation. It uses at most n triples of streams, n being the most
stream patterns that a derivation can have; under push one more makes the side evaluate. Without all other
triples the row stays, and the other side, shown less and evaluating no oftener, reports no more. So n
triples, n + 1 under push, are enough (A7), for windows of any bounds and slides.

Values. Give each variable of the derivation a value of its own, which no condition tells from the one it has:
a fresh IRI, or one of the region's representatives. What the other side then derives it derived before, for
the new values map onto the old ones, constants onto themselves, and conditions stay as true. So candidates
with a value for each variable and region are enough, where each condition is on one variable and compares it
with a number, or by = and != with an IRI. The triple that makes push evaluate, and matches no pattern or one
that matches everything, has values of its own.
"""

from functools import lru_cache

from agreement.proving.witness.position_classes import TRIPLE
from agreement.proving.witness.representatives import is_numeric
from lars.analysis import intensional, positive_loops, windows
from lars.language.formulas import BodyLiteral, Call, Comparison, Expression, SetLiteral, Test
from lars.language.program import Program, atoms, head_atom
from lars.language.terms import DEFAULT, Iri, Literal, Signature, Variable, signature
from lars.language.windows import TimeWindow
from solver.facts import STREAM_PREDICATE, Arrivals
from solver.job import Question

_ORDER = frozenset(("<", "<=", ">", ">="))
_EQUALITY = frozenset(("=", "!="))
_CONNECTIVES = frozenset(("&&", "||", "!"))


def most_arrivals(question: Question) -> int | None:
    """Return how many triples are enough for a row of the side; None where A7 does not say."""
    program = question.program
    negative = any(
        not positive for rule in program.rules for part in rule.body for _, positive, _ in atoms(part)
    )
    gathered = any(isinstance(part, SetLiteral) for rule in program.rules for part in rule.body)
    timed = all(isinstance(window, TimeWindow) for window in windows(program))
    if negative or gathered or not timed or positive_loops(program) or question.predicate is None:
        return None
    return _patterns(program, question.predicate) + isinstance(question.gate, Arrivals)


@lru_cache(maxsize=256)
def _patterns(program: Program, predicate: Signature) -> int:
    """Return the most stream patterns that a derivation of the predicate holds."""
    if predicate == (TRIPLE, 4):
        return 1
    derived = intensional(program)
    most = 0
    for rule in program.rules:
        head = head_atom(rule)
        if head is not None and signature(head) == predicate:
            held = [atom for part in rule.body for atom, _, _ in atoms(part)]
            streamed = sum(atom.predicate == STREAM_PREDICATE for atom in held)
            below = (signature(atom) for atom in held if signature(atom) in derived)
            most = max(most, streamed + sum(_patterns(program, one) for one in below))
    return most


def untold(question: Question) -> str | None:
    """Return what keeps the candidates from standing for all streams; None when they do."""
    for rule in question.program.rules:
        for literal in rule.body:
            if (found := _untold(literal)) is not None:
                return found
            for atom, _, _ in atoms(literal):
                if atom.predicate == TRIPLE and atom.arguments[-1] != DEFAULT:
                    return f"static data in a named graph: {literal}"
    patterns = question.gate.patterns if isinstance(question.gate, Arrivals) else ()
    if any(not isinstance(term, Variable) for pattern in patterns for term in pattern.arguments[:3]):
        return "a trigger that only matching triples fire"
    return None


def _untold(literal: BodyLiteral) -> str | None:
    match literal:
        case Comparison():
            return None
        case Test(expression):
            return None if _is_simple(expression) else f"the condition {literal}"
        case _ if isinstance(literal, SetLiteral) or not hasattr(literal, "expression"):
            return None
        case _:
            return f"the value {literal}"


def _is_simple(expression: Expression) -> bool:
    match expression:
        case Call(function, arguments) if function in _CONNECTIVES:
            return all(map(_is_simple, arguments))
        case Call(function, (Variable(), Literal() as value) | (Literal() as value, Variable())):
            return function in _ORDER | _EQUALITY and is_numeric(value)
        case Call(function, (Variable(), Iri()) | (Iri(), Variable())):
            return function in _EQUALITY
        case _:
            return False
