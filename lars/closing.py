"""Body literals with constants for the variables that are bound; the others stay, to be read."""

from typing import assert_never

from lars.formulas import (
    Arithmetic,
    Assign,
    At,
    BodyLiteral,
    Box,
    Call,
    Comparison,
    Diamond,
    Expression,
    Formula,
    In,
    Not,
    Operation,
    Test,
    Truth,
)
from lars.grounding import FALSE
from lars.terms import Atom, Binding, Number, Term, Variable, substitute


def close(literal: BodyLiteral, binding: Binding) -> BodyLiteral:
    """Return the literal under a binding of some or all of its variables."""
    match literal:
        case Comparison(left, relation, right):
            return Comparison(_side(left, binding), relation, _side(right, binding))
        case Test(expression, value):
            return Test(_expression(expression, binding), value)
        case Assign(variable, expression):
            return Assign(variable, _expression(expression, binding))
        case _:
            return close_formula(literal, binding)


def close_formula(formula: Formula, binding: Binding) -> Formula:
    """Return the formula under a binding; @ at something that is no time is false."""
    match formula:
        case Atom():
            return substitute(formula, binding)
        case Truth():
            return formula
        case Not(inner):
            return Not(close_formula(inner, binding))
        case Diamond(inner):
            return Diamond(close_formula(inner, binding))
        case Box(inner):
            return Box(close_formula(inner, binding))
        case At(time, inner):
            moment = _term(time, binding)
            closed = close_formula(inner, binding)
            return At(moment, closed) if isinstance(moment, Number | Variable) else FALSE
        case In(window, inner):
            return In(window, close_formula(inner, binding))
        case _:
            assert_never(formula)


def _term(term: Term, binding: Binding) -> Term:
    return binding.get(term, term) if isinstance(term, Variable) else term


def _side(side: Arithmetic, binding: Binding) -> Arithmetic:
    if isinstance(side, Operation):
        return Operation(side.operator, _side(side.left, binding), _side(side.right, binding))
    return _term(side, binding)


def _expression(expression: Expression, binding: Binding) -> Expression:
    if isinstance(expression, Call):
        return Call(expression.function, tuple(_expression(part, binding) for part in expression.arguments))
    return _term(expression, binding)
