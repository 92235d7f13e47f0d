"""Equalities of a rule's body that only name a term: the term is put for the variable."""

from lars.formulas import Assign, At, BodyLiteral, Comparison, Operation, Relation, Test
from lars.program import Head, Rule, formulas, gathered, variables
from lars.safety import binders
from lars.substitution import close, put
from lars.terms import Atom, Binding, Number, Term, Variable

Numbered = tuple[int, BodyLiteral]


def without_equalities(rule: Rule) -> tuple[Head | None, list[Numbered]]:
    """Return the head and the numbered body, a term put for each variable that only = binds to it."""
    head, body = rule.head, list(enumerate(rule.body))
    binding_parts = (binder for formula in formulas(rule.body) for binder in binders(formula))
    bound = frozenset().union(*map(variables, binding_parts), *map(variables, gathered(rule.body)))
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
    # A SPARQL condition stays as it is written: no engine can express it, and errors show it.
    return part if isinstance(part, Test | Assign) else close(part, binding)


def _put_head(head: Head, binding: Binding) -> Head:
    found = put(head, binding)
    return found if isinstance(found, Atom | At) else At(Number(-1), Atom("false"))
