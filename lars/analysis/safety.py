"""Safety: what binds the variables of a rule, so that it has finitely many instances."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import assert_never

from lars.analysis.window_extents import windows_of
from lars.errors import LarsError
from lars.language import formulas as logic
from lars.language.formulas import AGGREGATES, BodyLiteral, Formula, Relation
from lars.language.program import Program, Rule, variables
from lars.language.terms import Atom, Variable
from lars.language.windows import Ties, TupleWindow


class UnsafeRuleError(LarsError):
    """A variable of a rule that no positive body literal binds."""

    def __init__(self, rule: Rule, unbound: frozenset[Variable]) -> None:
        names = ", ".join(sorted(map(str, unbound)))
        super().__init__(
            f"unsafe rule: {names} is bound by no positive body literal\n  {rule}\n"
            "A variable is bound by an atom, ◇ or @ in the body, by := or = of bound terms, "
            "and by □ in a window that is never empty."
        )


def binders(formula: Formula, *, empty_possible: bool = False) -> Iterator[Atom | Variable]:
    """Yield what leaves variables with finitely many values when the formula is true.

    An atom must then be in the stream or the background, a variable time of @ in the timeline.
    """
    match formula:
        case Atom():
            yield formula
        case logic.Diamond(inner):
            yield from binders(inner)
        case logic.Box(inner):
            if not empty_possible:
                yield from binders(inner)
        case logic.At(time, inner):
            if isinstance(time, Variable):
                yield time
            yield from binders(inner)
        case logic.In(window, inner):
            yield from binders(inner, empty_possible=empty_possible or not window.never_empty)
        case logic.Not() | logic.Truth():
            return
        case _:
            assert_never(formula)


def bound(body: tuple[BodyLiteral, ...]) -> frozenset[Variable]:
    """Return the variables that the positive part of a body binds, through = and := as well."""
    names: frozenset[Variable] = frozenset()
    assignments: list[tuple[Variable, frozenset[Variable]]] = []
    for literal in body:
        match literal:
            case logic.Comparison(left, Relation.EQUAL, right):
                assignments += [(side, variables(other)) for side, other in ((left, right), (right, left))
                                if isinstance(side, Variable)]  # fmt: skip
            case logic.Comparison() | logic.Test():
                pass
            case logic.Assign(variable, expression):
                assignments.append((variable, variables(expression)))
            case logic.Gather() | logic.Among():
                names |= variables(literal)
            case _:
                names = names.union(*map(variables, binders(literal)))
    for _ in assignments:
        names |= {variable for variable, needed in assignments if needed <= names}
    return names


def check_choices(rule: Rule) -> None:
    """Raise for a window with ties `choose` inside another operator: its choice is for one time only."""
    for literal in rule.body:
        below: BodyLiteral = literal
        while isinstance(below, logic.Not):
            below = below.inner
        inside = below.inner if isinstance(below, logic.In | logic.Diamond | logic.Box | logic.At) else None
        for window in () if inside is None else windows_of(inside):
            if isinstance(window, TupleWindow) and window.ties is Ties.CHOOSE:
                raise LarsError(
                    f"{window} stands inside another operator: no choice of ties is defined there"
                )


def useless_set_literals(rule: Rule) -> Iterator[tuple[int, str]]:
    """Yield the places in the body, from 0, of gathered literals that say nothing, and why."""
    for place, literal in enumerate(rule.body):
        match literal:
            case logic.Gather():
                others = [rule.head, *rule.body[:place], *rule.body[place + 1 :]]
                outside = frozenset().union(*map(variables, others))
                problem = _misgathered(literal, outside)
            case logic.Among(atom, order, offset, limit, keys):
                problem = _foreign("orders by", {key.variable for key in order}, atom)
                problem = problem or _foreign("counts per", frozenset(keys), atom)
                if offset < 0 or (limit is not None and limit < 0):
                    problem = "what is among the first is counted from 1, and no fewer than 0"
            case _:
                problem = None
        if problem is not None:
            yield place, problem


def _misgathered(literal: logic.Gather, outside: frozenset[Variable]) -> str | None:
    own, keys = variables(literal.atom), frozenset(literal.keys)
    if literal.variable in own:
        return (
            f"{literal.variable} is a variable of {literal.atom} already; the aggregate's value needs its own"
        )
    if clash := sorted(map(str, (own - keys) & outside)):
        names = ", ".join(clash)
        return f"{names} stands outside of the aggregate too; accepted: by {names}, or another name inside"
    problem = _foreign("groups by", keys, literal.atom) or _unaggregated(literal.aggregation)
    return problem or _foreign("aggregates", frozenset(literal.aggregation.arguments), literal.atom)


def _unaggregated(aggregation: logic.Aggregation) -> str | None:
    function, single = aggregation.function, len(aggregation.arguments) == 1
    if function not in AGGREGATES:
        return f"{function} is no aggregate; accepted are {', '.join(AGGREGATES)}"
    if function != "COUNT" and not single:
        return f"{function} has one variable as its argument; only COUNT has none, as COUNT(*), or several"
    if function != "GROUP_CONCAT" and aggregation.separator != " ":
        return f"{function} has no separator; only GROUP_CONCAT has one"
    return None


def _foreign(what: str, names: AbstractSet[Variable], atom: Atom) -> str | None:
    missing = ", ".join(sorted(map(str, names - variables(atom))))
    return f"it {what} {missing}, which {atom} does not have" if missing else None


def check_safety(program: Program) -> None:
    """Raise UnsafeRuleError for the first rule that has a variable its body does not bind.

    `@_t a` as a fact is refused too: nothing binds its time to the timeline (LARS, rules). And so is
    a gathered literal that does not fit its atom or its rule.
    """
    for rule in program.rules:
        for place, problem in useless_set_literals(rule):
            raise LarsError(f"{rule.body[place]}: {problem}\n  in the rule {rule}")
        head = frozenset() if rule.head is None else variables(rule.head)
        unbound = head.union(*map(variables, rule.body)) - bound(rule.body)
        if unbound:
            raise UnsafeRuleError(rule, unbound)
        if isinstance(rule.head, logic.At) and not rule.body:
            raise LarsError(f"a fact holds at every time point, so it has no @: {rule}")
        check_choices(rule)
