"""Grounding: a rule with constants for its variables, wherever its body can be true at all."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from lars.arithmetic import related, value
from lars.errors import LarsError
from lars.formulas import (
    Assign,
    At,
    Box,
    Call,
    Comparison,
    Condition,
    Diamond,
    Expression,
    Formula,
    In,
    Not,
    Relation,
    Test,
    Truth,
)
from lars.program import Head, Rule, variables
from lars.safety import binders
from lars.terms import (
    NULL,
    XSD,
    Atom,
    Binding,
    Constant,
    Literal,
    Number,
    Signature,
    Variable,
    signature,
    substitute,
)
from lars.windows import Interval

Evaluate = Callable[[Expression], Constant | None]
"""The value of a ground SPARQL expression, None for an error; null is an unbound variable."""

FALSE: Final = Not(Truth())


@dataclass(frozen=True, slots=True)
class GroundRule:
    """A rule without variables, its conditions decided; no head is a constraint."""

    head: Atom | At | None
    body: tuple[Formula, ...]


def refuse(expression: Expression) -> Constant | None:
    """Raise: SPARQL conditions have a value only where a function for them is given."""
    message = f"the definition of LARS gives no value to the SPARQL condition [{expression}]"
    raise LarsError(message)


def instances(
    rule: Rule, atoms: Collection[Atom], timeline: Interval, evaluate: Evaluate = refuse
) -> Iterator[GroundRule]:
    """Yield the instances of a safe rule that matter when only these atoms can ever be true.

    Every other instance has a false body, because a binding atom is never true, a time of @ lies
    outside the timeline, or a condition is false.

    >>> p, q = Atom("p", (Variable("X"),)), Atom("q", (Variable("X"),))
    >>> [str(r.head) for r in instances(Rule(q, (p,)), [Atom("p", (Number(1),))], Interval(0, 9))]
    ['q(1)']
    """
    formulas = [part for part in rule.body if not isinstance(part, Comparison | Test | Assign)]
    conditions = [part for part in rule.body if isinstance(part, Comparison | Test | Assign)]
    found = [binder for formula in formulas for binder in binders(formula)]
    by_signature: dict[Signature, list[Atom]] = {}
    for atom in atoms:
        by_signature.setdefault(signature(atom), []).append(atom)
    for binding in _matches(sorted(found, key=_times_last), by_signature, timeline, {}):
        full = _completed(conditions, binding, evaluate)
        if full is not None:
            yield GroundRule(_head(rule.head, full), tuple(put(formula, full) for formula in formulas))


def _times_last(binder: Atom | Variable) -> bool:
    return isinstance(binder, Variable)


def _matches(
    found: list[Atom | Variable],
    atoms: Mapping[Signature, Iterable[Atom]],
    timeline: Interval,
    binding: Binding,
) -> Iterator[Binding]:
    if not found:
        yield binding
        return
    match found[0]:
        case Variable() as time:
            steps = [binding] if time in binding else [binding | {time: Number(u)} for u in timeline]
        case Atom() as pattern:
            unified = (_unified(pattern, atom, binding) for atom in atoms.get(signature(pattern), ()))
            steps = [step for step in unified if step is not None]
    for step in steps:
        yield from _matches(found[1:], atoms, timeline, step)


def _unified(pattern: Atom, atom: Atom, binding: Binding) -> Binding | None:
    grown = dict(binding)
    for term, constant in zip(pattern.arguments, atom.arguments, strict=True):
        wanted = grown.setdefault(term, constant) if isinstance(term, Variable) else term
        if wanted != constant:
            return None
    return grown


def put(formula: Formula, binding: Binding) -> Formula:
    """Return the formula with its variables replaced; @ at something that is no time is false."""
    match formula:
        case Atom():
            return substitute(formula, binding)
        case Truth():
            return formula
        case Not(inner):
            return Not(put(inner, binding))
        case Diamond(inner):
            return Diamond(put(inner, binding))
        case Box(inner):
            return Box(put(inner, binding))
        case At(time, inner):
            moment = binding[time] if isinstance(time, Variable) else time
            return At(moment, put(inner, binding)) if isinstance(moment, Number) else FALSE
        case In(window, inner):
            return In(window, put(inner, binding))
        case _:
            assert_never(formula)


def _head(head: Head | None, binding: Binding) -> Atom | At | None:
    if head is None:
        return None
    ground = put(head, binding)
    return ground if isinstance(ground, Atom | At) else None


def _completed(conditions: list[Condition], binding: Binding, evaluate: Evaluate) -> Binding | None:
    pending, found = list(conditions), binding
    while pending:
        first = next(condition for condition in pending if ready(condition, found))
        pending.remove(first)
        step = decided(first, found, evaluate)
        if step is None:
            return None
        found = step
    return found


def ready(condition: Condition, binding: Binding) -> bool:
    """Return whether enough is bound to decide a condition, or to bind the variable that it gives."""
    match condition:
        case Assign(_, expression):
            return variables(expression) <= binding.keys()
        case Comparison(left, Relation.EQUAL, right):
            sides = ((left, right), (right, left))
            missing = variables(condition) - binding.keys()
            return not missing or any(missing == {side} - variables(other) for side, other in sides)
        case _:
            return variables(condition) <= binding.keys()


def decided(condition: Condition, binding: Binding, evaluate: Evaluate) -> Binding | None:
    """Return the binding with what the condition binds, or None when it is not true."""
    match condition:
        case Comparison(Variable() as variable, Relation.EQUAL, other) if variable not in binding:
            return _with(binding, variable, value(other, binding))
        case Comparison(other, Relation.EQUAL, Variable() as variable) if variable not in binding:
            return _with(binding, variable, value(other, binding))
        case Comparison():
            return binding if decide(condition, binding) else None
        case Assign(variable, expression):
            return _with(binding, variable, evaluate(closed(expression, binding)) or NULL)
        case Test(expression, expected):
            # Two negations of SPARQL give the effective boolean value, or its error.
            truth = evaluate(Call("!", (Call("!", (closed(expression, binding),)),)))
            return binding if truth == Literal(str(expected).lower(), XSD + "boolean") else None
        case _:
            assert_never(condition)


def decide(comparison: Comparison, binding: Binding) -> bool:
    """Return whether a comparison holds when every variable in it is bound."""
    left, right = value(comparison.left, binding), value(comparison.right, binding)
    return related(left, comparison.relation, right)


def _with(binding: Binding, variable: Variable, found: Constant | None) -> Binding | None:
    if found is None or binding.get(variable, found) != found:
        return None
    return binding | {variable: found}


def closed(expression: Expression, binding: Binding) -> Expression:
    """Return the expression with its variables replaced; one without a value is null, unbound."""
    match expression:
        case Call(function, arguments):
            return Call(function, tuple(closed(argument, binding) for argument in arguments))
        case Variable():
            return binding.get(expression, NULL)
        case _:
            return expression
