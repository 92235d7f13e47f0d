"""Conditions and expressions of FILTER and BIND, as bodies of rules.

Each condition is brought into disjunctive normal form: each conjunction of tests becomes the body of a rule.
Functions that depend on more than their arguments get additional arguments:

- NOW(): the reference time from ⊞^0 @_T true, with the unit and the origin of time
- RAND(), UUID() and similar functions get the solution, so that each solution has its own value, the same in
  every run.
- f:timestamp(s, p, o): the time of the latest arrival of the statement in the windows (C-SPARQL)
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

from lars.language import formulas as logic
from lars.language.program import Rule, calls, put_terms
from lars.language.program import variables as variables_of
from lars.language.terms import NULL, XSD, Atom, Literal, Number, Term, Variable
from lars.language.windows import NOW, Window
from translate.model.query import TIMESTAMP, Setting
from translate.tau.node import Node

Body = tuple[logic.BodyLiteral, ...]
MILLISECONDS: Final = "MILLISECONDS"


def with_row(
    expression: logic.Expression, row: tuple[Term, ...], node: Node, numbers: dict[int, int]
) -> Iterator[tuple[logic.Expression, Body]]:
    """Yield the expression with replaced calls of NOW, RAND etc., and body literals that the calls need.

    Each call of a function such as RAND gets its own number, so that two calls have different values; the
    argument `numbers` maps calls, by their identity, to numbers. If a statement may have no arrival time, the
    function yields two cases of f:timestamp.
    """
    if not isinstance(expression, logic.Call):
        yield expression, ()
        return
    choices = [list(with_row(argument, row, node, numbers)) for argument in expression.arguments]
    # By identity: the disjuncts of RAND() < 0.5 && (?a || ?b) share one call, which has one value.
    number = numbers.setdefault(id(expression), len(numbers)) if is_special(expression) else 0
    for chosen in product(*choices):
        call = logic.Call(expression.function, tuple(argument for argument, _ in chosen))
        below = tuple(literal for _, body in chosen for literal in body)
        if not is_special(expression):
            yield call, below
            continue
        for instead, more in _replacements(call, number, row, node):
            yield instead, (*below, *more)


def is_special(call: logic.Call) -> bool:
    """Return whether the value of a call depends on more than its arguments, as for NOW and RAND."""
    return call.function in (*logic.RANDOM, "NOW", TIMESTAMP)


def uses_arrivals(expression: logic.Expression) -> bool:
    """Return whether an expression calls f:timestamp, which returns the arrival time of a statement."""
    return any(call.function == TIMESTAMP for call in calls(expression))


def _replacements(
    call: logic.Call, number: int, row: tuple[Term, ...], node: Node
) -> Iterator[tuple[logic.Expression, Body]]:
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
            # BNODE(?x) with an unbound ?x is an error, and not the same as BNODE().
            labelled = logic.Call("BNODE", (label, _place(number, node), *row))
            yield logic.Call("IF", (logic.Call("ISLITERAL", (label,)), labelled, NULL)), ()
        case logic.Call("BNODE", _):
            yield logic.Call("BNODE", (NULL, _place(number, node), *row)), ()
        case _:
            yield logic.Call(call.function, (_place(number, node), *row)), ()


def _instant(time: Variable, number: int, node: Node) -> tuple[Variable, Body]:
    """Return a variable for `time` divided by the ticks of a time point, and the literals that compute it."""
    if node.setting.ticks == 1:
        return time, ()
    instant = node.fresh(f"I{number}")
    passed = logic.Operation("/", time, Number(node.setting.ticks))
    return instant, (logic.Comparison(instant, "=", passed),)


def _place(number: int, node: Node) -> Literal:
    return Literal(f"{node.part_name}{node.position}.{number}")


def _unit(setting: Setting) -> Literal:
    return Literal(str(setting.unit.nanoseconds), XSD + "integer")


def arrivals(windows: tuple[tuple[Window, Term], ...]) -> Iterator[Rule]:
    """Yield the rules of `latest`(s, p, o, T), with the last arrival time T, and of `arrived`(s, p, o).

    An arrival counts if at least one of the windows contains the statement.
    """
    s, p, o, time, later = (Variable(name) for name in ("S", "P", "O", "T", "L"))
    for window, stream in windows:
        seen = logic.In(window, logic.At(time, Atom("striple", (s, p, o, stream))))
        yield Rule(Atom("came", (s, p, o, time)), (seen,))
    arrived = Atom("came", (s, p, o, time))
    after = (Atom("came", (s, p, o, later)), logic.Comparison(time, "<", later))
    yield Rule(Atom("earlier", (s, p, o, time)), (arrived, *after))
    yield Rule(Atom("latest", (s, p, o, time)), (arrived, logic.Not(Atom("earlier", (s, p, o, time)))))
    yield Rule(Atom("arrived", (s, p, o)), (arrived,))


Conjunction = tuple[logic.Test, ...]
_LIMIT: Final = 64
"""The greatest number of rules for one condition; a condition that needs more rules remains one literal."""


def disjuncts(condition: logic.Expression, *, value: bool = True) -> tuple[Conjunction, ...]:
    """Return the disjunctive normal form of a condition, as conjunctions of atomic tests.

    The condition has the truth value `value` if and only if at least one conjunction holds.

    >>> a, b = logic.Call("BOUND", (Variable("a"),)), logic.Call("BOUND", (Variable("b"),))
    >>> not_both = logic.Call("!", (logic.Call("&&", (a, b)),))
    >>> [" and ".join(map(str, part)) for part in disjuncts(not_both)]
    ['¬[BOUND(?a)]', '¬[BOUND(?b)]']
    """
    tests = _disjuncts(condition, value=value)
    return tests if len(tests) <= _LIMIT else ((logic.Test(condition, value),),)


def _disjuncts(condition: logic.Expression, *, value: bool) -> tuple[Conjunction, ...]:
    match condition:
        case logic.Call("!", (inner,)):
            return _disjuncts(inner, value=not value)
        case logic.Call("&&" | "||" as operator, (left, right)):
            sides = _disjuncts(left, value=value), _disjuncts(right, value=value)
            if (operator == "||") == value:
                return sides[0] + sides[1]
            if len(sides[0]) * len(sides[1]) > _LIMIT:
                return ((logic.Test(condition, value),),)
            return tuple(tests + other for tests, other in product(*sides))
        case _:
            return ((logic.Test(condition, value),),)


def unbind(expression: logic.Expression, known: frozenset[Variable]) -> logic.Expression:
    """Return the expression with null in place of each variable that is not in `known`."""
    return put_terms(expression, dict.fromkeys(variables_of(expression) - known, NULL))
