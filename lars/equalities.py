"""Equalities of a rule's body that only name a term: the term is put for the variable."""

from typing import assert_never

from lars.formulas import (
    Arithmetic,
    Assign,
    At,
    BodyLiteral,
    Box,
    Comparison,
    Diamond,
    Formula,
    In,
    Not,
    Operation,
    Relation,
    Test,
    Truth,
)
from lars.program import Head, Rule, variables
from lars.safety import binders
from lars.terms import Atom, Binding, Number, Term, Variable, substitute

Numbered = tuple[int, BodyLiteral]


def without_equalities(rule: Rule) -> tuple[Head | None, list[Numbered]]:
    """Return the head and the numbered body, a term put for each variable that only = binds to it."""
    head, body = rule.head, list(enumerate(rule.body))
    bound = frozenset().union(
        *(variables(b) for _, p in body if not isinstance(p, Comparison | Test | Assign) for b in binders(p))
    )
    while (found := _equality(body, bound)) is not None:
        number, variable, term = found
        binding: Binding = {variable: term}
        body = [(n, _put(part, binding)) for n, part in body if n != number]
        head = None if head is None else _put_head(head, binding)
    return head, body


def _equality(body: list[Numbered], bound: frozenset[Variable]) -> tuple[int, Variable, Term] | None:
    for number, part in body:
        match part:
            case Comparison(Variable() as variable, Relation.EQUAL, other) if variable not in bound:
                pass
            case Comparison(other, Relation.EQUAL, Variable() as variable) if variable not in bound:
                pass
            case _:
                continue
        if not isinstance(other, Operation):
            return number, variable, other
    return None


def _put(part: BodyLiteral, binding: Binding) -> BodyLiteral:
    match part:
        case Comparison(left, relation, right):
            return Comparison(_put_side(left, binding), relation, _put_side(right, binding))
        case Test() | Assign():
            return part
        case _:
            return _put_formula(part, binding)


def _put_side(side: Arithmetic, binding: Binding) -> Arithmetic:
    match side:
        case Operation(operator, left, right):
            return Operation(operator, _put_side(left, binding), _put_side(right, binding))
        case Variable():
            return binding.get(side, side)
        case _:
            return side


def _put_formula(formula: Formula, binding: Binding) -> Formula:
    match formula:
        case Atom():
            return substitute(formula, binding)
        case Truth():
            return formula
        case Not(inner):
            return Not(_put_formula(inner, binding))
        case Diamond(inner):
            return Diamond(_put_formula(inner, binding))
        case Box(inner):
            return Box(_put_formula(inner, binding))
        case In(window, inner):
            return In(window, _put_formula(inner, binding))
        case At(time, inner):
            return _put_at(time, _put_formula(inner, binding), binding)
        case _:
            assert_never(formula)


def _put_at(time: Variable | Number, inner: Formula, binding: Binding) -> Formula:
    moment = binding.get(time, time) if isinstance(time, Variable) else time
    # @ at something that is no time is false.
    return At(moment, inner) if isinstance(moment, Variable | Number) else Not(Truth())


def _put_head(head: Head, binding: Binding) -> Head:
    put = _put_formula(head, binding)
    return put if isinstance(put, Atom | At) else At(Number(-1), Atom("false"))
