"""Values for variables: fresh ones, constants, and one for each region that conditions cut out."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Final

from agreement.proving.witness.position_classes import PositionClass, constants_in
from lars.language.formulas import (
    SCALED,
    Among,
    Assign,
    BodyLiteral,
    Call,
    Comparison,
    Expression,
    Gather,
    SetLiteral,
    Test,
)
from lars.language.program import Program
from lars.language.program import variables as variables_of
from lars.language.terms import XSD, Constant, Iri, Literal, Term, Variable
from solver.rdf import test

_FRESH: Final = "http://example.org/"
_NUMERIC: Final = frozenset(XSD + name for name in ("integer", "decimal", "double", "float", "int", "long"))
_COUNTED: Final = frozenset(("COUNT", "SUM", "AVG"))
_BLIND: Final = frozenset(("=", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "IN", "BOUND", "SAMETERM"))
"""Functions with one value for all IRIs that no query names, and for all pairs of different ones."""
_COMPARED: Final = frozenset(("=", "!=", "<", "<=", ">", ">="))
_TYPED: Final = (
    Literal("a"),
    Literal("a", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en"),
    Literal("1", XSD + "integer"),
    Literal("true", XSD + "boolean"),
)
"""Values of the kinds that functions tell apart."""


def fresh(variable: Variable, taken: frozenset[Constant], copy: int = 0) -> Iri:
    """Return a value that stands in no query: `copy` numbers several of one variable."""
    name = f"{_FRESH}{variable.name}{copy + 1 if copy else ''}"
    while Iri(name) in taken:
        name += "_"
    return Iri(name)


def representatives(found: PositionClass) -> Iterator[Constant]:
    """Yield values, besides fresh ones, that the conditions on a class tell apart."""
    expressions = [one.expression for one in found.conditions if isinstance(one, Test | Assign)]
    compared = [term for one in expressions for term in constants_in(one)]
    compared += [
        side
        for one in found.conditions
        if isinstance(one, Comparison)
        for side in (one.left, one.right)
        if isinstance(side, Iri | Literal)
    ]
    numbers = sorted({number for term in compared if (number := _number(term)) is not None})
    yield from (term for term in compared if _number(term) is None)
    several = max((len(variables_of(one)) for one in found.conditions), default=1)
    room = max(several, len(found.names))
    if numbers or several > 1:
        yield from _numbers(numbers or [Decimal(0)], room)
        # It is neither less nor greater nor equal, and no error.
        yield Literal("NaN", XSD + "double")
    if any(_calls(one) - _COMPARED for one in expressions):
        yield from _TYPED
    elif any(isinstance(term, Literal) for term in compared):
        yield Literal("a")


def is_gathering(programs: Iterable[Program]) -> bool:
    """Whether rows are looked at all together: by an aggregate, LIMIT or OFFSET."""
    return any(isinstance(part, SetLiteral) for part in _literals(programs))


def tells_order(programs: Iterable[Program]) -> bool:
    """Whether it matters for answers which new IRI is which: a program orders them, or looks into names."""
    for part in _literals(programs):
        match part:
            case Among():
                return True
            case Gather(_, aggregation) if aggregation.function not in _COUNTED:
                return True
            case Test(expression) | Assign(_, expression) if _calls(expression) - _BLIND:
                return True
            case _:
                pass
    return False


def _literals(programs: Iterable[Program]) -> Iterator[BodyLiteral]:
    return (part for program in programs for rule in program.rules for part in rule.body)


def gathered_values(programs: Sequence[Program], name: Variable) -> Iterator[Constant]:
    """Yield numbers for a variable that is summed: those that conditions name, and their neighbours."""
    literals = list(_literals(programs))
    gathered = [part.aggregation for part in literals if isinstance(part, Gather)]
    if any(one.function in SCALED and name in one.arguments for one in gathered):
        tests = [part.expression for part in literals if isinstance(part, Test)]
        named = {_number(term) for one in tests for term in constants_in(one)} - {None}
        whole = {int(number) for number in named if number is not None} or {1}
        yield from (_integer(Decimal(n + k)) for n in sorted(whole) for k in (-1, 0, 1))


def told_apart(values: Iterable[Constant], found: PositionClass) -> list[Constant]:
    """Return the class's constants, and the values without those that no condition tells from earlier ones.

    As many alike are kept as the class has variables.
    """
    unary = [
        one for one in found.conditions if isinstance(one, Test) and len(variables_of(one.expression)) == 1
    ]
    if any(len(variables_of(one)) > 1 or isinstance(one, Assign) for one in found.conditions):
        return list(dict.fromkeys((*values, *found.constants)))
    named = [
        side for one in found.conditions if isinstance(one, Comparison) for side in (one.left, one.right)
    ]
    kept: dict[tuple[bool, ...], list[Constant]] = {}
    for value in dict.fromkeys(values):
        tested = (_holds(one, value, truth=truth) for one in unary for truth in (True, False))
        region = (*tested, *(value == side for side in named))
        alike = kept.setdefault(region, [])
        if len(alike) < len(found.names):
            alike.append(value)
    told = [value for alike in kept.values() for value in alike]
    return list(dict.fromkeys((*told, *found.constants)))


def _holds(condition: Test, value: Constant, *, truth: bool) -> bool:
    (variable,) = variables_of(condition.expression)
    return test(condition.expression, truth, {variable: value})


def _calls(expression: Expression) -> frozenset[str]:
    match expression:
        case Call(function, arguments):
            return frozenset((function,)).union(*map(_calls, arguments))
        case _:
            return frozenset()


def is_numeric(term: Term) -> bool:
    """Whether the term is a finite number."""
    return _number(term) is not None


def _number(term: Term) -> Decimal | None:
    if not isinstance(term, Literal) or term.datatype not in _NUMERIC:
        return None
    try:
        found = Decimal(term.lexical)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _numbers(numbers: Sequence[Decimal], room: int) -> Iterator[Literal]:
    """Yield the numbers, and so many between each two, below the first and above the last."""
    steps = range(1, room + 1)
    found = [*numbers]
    found += [numbers[0].to_integral_value() - step for step in steps]
    found += [numbers[-1].to_integral_value() + step for step in steps]
    for low, high in pairwise(numbers):
        found += [low + (high - low) * step / (room + 1) for step in steps]
    for number in found:
        whole = number == number.to_integral_value()
        yield Literal(f"{number:f}", XSD + "decimal") if not whole else _integer(number)


def _integer(number: Decimal) -> Literal:
    return Literal(str(int(number)), XSD + "integer")
