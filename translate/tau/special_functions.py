"""Functions whose value is no matter of terms alone: what they are given in their place.

NOW()                 the reference time: ⊞^0 @_T true, with the unit and the origin of time
RAND(), UUID(), ..    the solution, so that each has a value of its own, and always the same
f:timestamp(s, p, o)  the time of the latest arrival of the statement in the windows (C-SPARQL)
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

from lars.language import formulas as logic
from lars.language.formulas import ArithmeticOperator, BodyLiteral, Expression, Relation
from lars.language.program import Rule
from lars.language.terms import NULL, XSD, Atom, Literal, Number, Term, Variable
from lars.language.windows import NOW, Window
from translate.model.query import Setting
from translate.tau.node import Node

TIMESTAMP: Final = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>"
MILLISECONDS: Final = "MILLISECONDS"
_OF_ROW: Final = frozenset(("RAND", "UUID", "STRUUID", "BNODE"))

Body = tuple[BodyLiteral, ...]


def with_row(
    expression: Expression, row: tuple[Term, ...], node: Node, numbers: Iterator[int]
) -> Iterator[tuple[Expression, Body]]:
    """Yield what the expression is, by cases: each with the body literals under which it is that.

    Each call of such a function takes a number of its own: two calls of RAND are two values.
    """
    if not isinstance(expression, logic.Call):
        yield expression, ()
        return
    choices = [list(with_row(argument, row, node, numbers)) for argument in expression.arguments]
    number = next(numbers) if is_special(expression) else 0
    for chosen in product(*choices):
        call = logic.Call(expression.function, tuple(argument for argument, _ in chosen))
        below = tuple(literal for _, body in chosen for literal in body)
        if not is_special(expression):
            yield call, below
            continue
        for instead, more in _replacements(call, number, row, node):
            yield instead, (*below, *more)


def is_special(call: logic.Call) -> bool:
    """Whether the call has a value that is no matter of its arguments alone."""
    return call.function in (*_OF_ROW, "NOW", TIMESTAMP)


def uses_arrivals(expression: Expression | None) -> bool:
    """Whether the expression asks when a statement arrived."""
    return expression is not None and any(call.function == TIMESTAMP for call in _calls(expression))


def _calls(expression: Expression) -> Iterator[logic.Call]:
    if isinstance(expression, logic.Call):
        yield expression
        for argument in expression.arguments:
            yield from _calls(argument)


def _replacements(
    call: logic.Call, number: int, row: tuple[Term, ...], node: Node
) -> Iterator[tuple[Expression, Body]]:
    time = node.fresh(f"T{number}")
    match call:
        case logic.Call("NOW", _):
            unit, origin = _unit(node.setting), Literal(node.setting.origin, XSD + "dateTime")
            instant, known = _instant(time, number, node)
            yield (
                logic.Call("NOW", (instant, origin, unit)),
                (logic.In(NOW, logic.At(time, logic.Truth())), *known),
            )
        case logic.Call(function, arguments) if function == TIMESTAMP:
            statement = tuple(term for term in arguments if not isinstance(term, logic.Call))
            value = node.fresh(f"M{number}")
            instant, known = _instant(time, number, node)
            stamp = logic.Assign(value, logic.Call(MILLISECONDS, (instant, _unit(node.setting))))
            yield value, (Atom("latest", (*statement, time)), *known, stamp)
            yield NULL, (logic.Not(Atom("arrived", statement)),)
        case logic.Call("BNODE", (label,)):
            # A label that is unbound is an error, not a missing label.
            labelled = logic.Call("BNODE", (label, _site(number, node), *row))
            yield logic.Call("IF", (logic.Call("ISLITERAL", (label,)), labelled, NULL)), ()
        case logic.Call("BNODE", _):
            yield logic.Call("BNODE", (NULL, _site(number, node), *row)), ()
        case _:
            yield logic.Call(call.function, (_site(number, node), *row)), ()


def _instant(time: Variable, number: int, node: Node) -> tuple[Variable, Body]:
    """Return the time point that a tick lies in, and what binds it."""
    if node.setting.ticks == 1:
        return time, ()
    instant = node.fresh(f"I{number}")
    passed = logic.Operation(ArithmeticOperator.DIVIDE, time, Number(node.setting.ticks))
    return instant, (logic.Comparison(instant, Relation.EQUAL, passed),)


def _site(number: int, node: Node) -> Literal:
    return Literal(f"{node.prefix}{node.position}.{number}")


def _unit(setting: Setting) -> Literal:
    return Literal(str(setting.unit.nanoseconds), XSD + "integer")


def arrivals(windows: tuple[tuple[Window, Term], ...]) -> Iterator[Rule]:
    """Yield the rules of `latest`(s, p, o, T), the last arrival in some window, and `arrived`(s, p, o)."""
    s, p, o, time, later = (Variable(name) for name in ("S", "P", "O", "T", "L"))
    for window, stream in windows:
        seen = logic.In(window, logic.At(time, Atom("striple", (s, p, o, stream))))
        yield Rule(Atom("came", (s, p, o, time)), (seen,))
    arrived = Atom("came", (s, p, o, time))
    after = (Atom("came", (s, p, o, later)), logic.Comparison(time, Relation.LESS, later))
    yield Rule(Atom("earlier", (s, p, o, time)), (arrived, *after))
    yield Rule(Atom("latest", (s, p, o, time)), (arrived, logic.Not(Atom("earlier", (s, p, o, time)))))
    yield Rule(Atom("arrived", (s, p, o)), (arrived,))
