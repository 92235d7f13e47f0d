"""Equalities put in: Ticker compares what is bound, it binds no variable by =."""

from lars.analysis import binders
from lars.language import formulas as logic
from lars.language.formulas import BodyLiteral, Relation
from lars.language.program import Head, Rule, close, formulas, put, set_literals, variables
from lars.language.terms import Atom, Binding, Number, Term, Variable

NumberedLiteral = tuple[int, BodyLiteral]


def without_equalities(rule: Rule) -> tuple[Head | None, list[NumberedLiteral]]:
    """Return the head and the numbered body, a term put for each variable that only = binds to it."""
    head, body = rule.head, list(enumerate(rule.body))
    binding_parts = (binder for formula in formulas(rule.body) for binder in binders(formula))
    bound = frozenset().union(*map(variables, binding_parts), *map(variables, set_literals(rule.body)))
    while (found := _equality(body, bound)) is not None:
        number, variable, term = found
        binding: Binding = {variable: term}
        # A SPARQL condition stays as it is written: Ticker cannot express it, and errors show it.
        body = [(n, part if isinstance(part, logic.Test | logic.Assign) else close(part, binding))
                for n, part in body if n != number]  # fmt: skip
        head = None if head is None else _put_head(head, binding)
    return head, body


def _equality(body: list[NumberedLiteral], bound: frozenset[Variable]) -> tuple[int, Variable, Term] | None:
    for number, part in body:
        match part:
            case logic.Comparison(Variable() as variable, Relation.EQUAL, other) if variable not in bound:
                pass
            case logic.Comparison(other, Relation.EQUAL, Variable() as variable) if variable not in bound:
                pass
            case _:
                continue
        if not isinstance(other, logic.Operation):
            return number, variable, other
    return None


def _put_head(head: Head, binding: Binding) -> Head:
    found = put(head, binding)
    return found if isinstance(found, Atom | logic.At) else logic.At(Number(-1), Atom("false"))
