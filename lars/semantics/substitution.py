"""Substitution: formulas, conditions and expressions with terms for the variables that are bound.

A variable without a term stays, so that what is decided in part can be read and decided further.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, assert_never

from lars import formulas as logic
from lars.formulas import Arithmetic, BodyLiteral, Expression, Formula
from lars.terms import Atom, Binding, Number, Term, Variable, substitute

FALSE: Final = logic.Not(logic.Truth())


def put(formula: Formula, binding: Binding) -> Formula:
    """Return the formula under a binding; @ at something that is no time is false.

    >>> print(put(At(Variable("T"), Atom("p", (Variable("X"),))), {Variable("T"): Number(3)}))
    @_3 p(X)
    """
    match formula:
        case Atom():
            return substitute(formula, binding)
        case logic.Truth():
            return formula
        case logic.At(time, inner):
            moment = _term(time, binding)
            return logic.At(moment, put(inner, binding)) if isinstance(moment, Number | Variable) else FALSE
        case logic.Not(inner) | logic.Diamond(inner) | logic.Box(inner) | logic.In(_, inner):
            return replace(formula, inner=put(inner, binding))
        case _:
            assert_never(formula)


def close(literal: BodyLiteral, binding: Binding) -> BodyLiteral:
    """Return a body literal under a binding; what is gathered stays: it is about all instances."""
    match literal:
        case logic.Comparison(left, relation, right):
            return logic.Comparison(_side(left, binding), relation, _side(right, binding))
        case logic.Test(expression, value):
            return logic.Test(put_terms(expression, binding), value)
        case logic.Assign(variable, expression):
            return logic.Assign(variable, put_terms(expression, binding))
        case logic.Gather() | logic.Among():
            return literal
        case _:
            return put(literal, binding)


def put_terms(expression: Expression, binding: Mapping[Variable, Term]) -> Expression:
    """Return a SPARQL expression under a binding."""
    if isinstance(expression, logic.Call):
        return logic.Call(
            expression.function, tuple(put_terms(part, binding) for part in expression.arguments)
        )
    return _term(expression, binding)


def _side(side: Arithmetic, binding: Binding) -> Arithmetic:
    if isinstance(side, logic.Operation):
        return logic.Operation(side.operator, _side(side.left, binding), _side(side.right, binding))
    return _term(side, binding)


def _term(term: Term, binding: Mapping[Variable, Term]) -> Term:
    return binding.get(term, term) if isinstance(term, Variable) else term
