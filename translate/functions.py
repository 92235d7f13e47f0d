"""Functions whose value is no matter of terms alone: what they are given in their place.

NOW()                 the reference time: ⊞^0 @_T true, with the unit and the origin of time
RAND(), UUID(), ..    the solution, so that each has a value of its own, and always the same
f:timestamp(s, p, o)  the time of the latest arrival of the statement in the windows (C-SPARQL)
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

from lars.formulas import (
    Assign,
    At,
    BodyLiteral,
    Call,
    Comparison,
    Expression,
    In,
    Not,
    Relation,
    Truth,
)
from lars.program import Rule
from lars.terms import NULL, XSD, Atom, Literal, Term, Variable
from lars.windows import NOW, Window
from translate.node import Node
from translate.profiles import Setting

TIMESTAMP: Final = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>"
MILLISECONDS: Final = "MILLISECONDS"
_OF_ROW: Final = frozenset(("RAND", "UUID", "STRUUID", "BNODE"))

Body = tuple[BodyLiteral, ...]


def with_row(expression: Expression, row: tuple[Term, ...], node: Node) -> Iterator[tuple[Expression, Body]]:
    """Yield what the expression is, by cases: each with the body literals under which it is that."""
    calls = tuple(dict.fromkeys(_special(expression)))
    choices = [list(_replacements(call, number, row, node)) for number, call in enumerate(calls)]
    for chosen in product(*choices):
        known: dict[Call, Expression] = {}
        for call, (instead, _) in zip(calls, chosen, strict=True):
            known[call] = _within(instead, known)
        yield _put(expression, known), tuple(part for _, body in chosen for part in body)


def uses_arrivals(expression: Expression | None) -> bool:
    """Whether the expression asks when a statement arrived."""
    return expression is not None and any(call.function == TIMESTAMP for call in _special(expression))


def _special(expression: Expression) -> Iterator[Call]:
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from _special(argument)
        if expression.function in (*_OF_ROW, "NOW", TIMESTAMP):
            yield expression


def _put(expression: Expression, known: dict[Call, Expression]) -> Expression:
    if isinstance(expression, Call) and expression in known:
        return known[expression]
    return _within(expression, known)


def _within(expression: Expression, known: dict[Call, Expression]) -> Expression:
    if not isinstance(expression, Call):
        return expression
    return Call(expression.function, tuple(_put(argument, known) for argument in expression.arguments))


def _replacements(
    call: Call, number: int, row: tuple[Term, ...], node: Node
) -> Iterator[tuple[Expression, Body]]:
    time = node.fresh(f"T{number}")
    match call:
        case Call("NOW", _):
            unit, origin = _unit(node.setting), Literal(node.setting.origin, XSD + "dateTime")
            yield Call("NOW", (time, origin, unit)), (In(NOW, At(time, Truth())),)
        case Call(function, arguments) if function == TIMESTAMP:
            statement = tuple(term for term in arguments if not isinstance(term, Call))
            value = node.fresh(f"M{number}")
            stamp = Assign(value, Call(MILLISECONDS, (time, _unit(node.setting))))
            yield value, (Atom("latest", (*statement, time)), stamp)
            yield NULL, (Not(Atom("arrived", statement)),)
        case Call("BNODE", (label,)):
            # A label that is unbound is an error, not a missing label.
            labelled = Call("BNODE", (label, _site(number, node), *row))
            yield Call("IF", (Call("ISLITERAL", (label,)), labelled, NULL)), ()
        case Call("BNODE", _):
            yield Call("BNODE", (NULL, _site(number, node), *row)), ()
        case _:
            yield Call(call.function, (_site(number, node), *row)), ()


def _site(number: int, node: Node) -> Literal:
    return Literal(f"{node.prefix}{node.position}.{number}")


def _unit(setting: Setting) -> Literal:
    return Literal(str(setting.unit.nanoseconds), XSD + "integer")


def arrivals(windows: tuple[tuple[Window, Term], ...]) -> Iterator[Rule]:
    """Yield the rules of `latest`(s, p, o, T), the last arrival in some window, and `arrived`(s, p, o)."""
    s, p, o, time, later = (Variable(name) for name in ("S", "P", "O", "T", "L"))
    for window, stream in windows:
        seen = In(window, At(time, Atom("striple", (s, p, o, stream))))
        yield Rule(Atom("came", (s, p, o, time)), (seen,))
    arrived = Atom("came", (s, p, o, time))
    after = (Atom("came", (s, p, o, later)), Comparison(time, Relation.LESS, later))
    yield Rule(Atom("earlier", (s, p, o, time)), (arrived, *after))
    yield Rule(Atom("latest", (s, p, o, time)), (arrived, Not(Atom("earlier", (s, p, o, time)))))
    yield Rule(Atom("arrived", (s, p, o)), (arrived,))
