"""Find the limit of a system: the number with which a comparison of the query predicts a log of alerts."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from agreement.comparing.aggregates import COUNT
from agreement.comparing.matching.likeness import is_number, row_key
from agreement.documents.recordings import Push
from agreement.results.logs.report import Prediction
from lars.language.formulas import Call, Expression
from lars.language.terms import XSD, Literal, Variable
from translate.analysis import exchanged, parts
from translate.model import patterns
from translate.model.query import EngineQuery

ValueRange = tuple[Decimal | None, Decimal | None]
"""The least and the greatest value of a variable; None if it is unknown."""
MOST: Final = 14
"""The maximum number of numbers that are tried as one limit; each halves the range of possible limits."""
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _sides(limit: Call) -> tuple[str, str, Decimal]:
    """Return the variable of a limit, its relation with the number on the right, and the number."""
    one, other = limit.arguments
    if isinstance(other, Literal):
        return str(one), limit.function, Decimal(other.lexical)
    assert isinstance(one, Literal)
    return str(other), _MIRRORED[limit.function], Decimal(one.lexical)


def in_words(query: EngineQuery, limit: Call, number: Decimal | None = None) -> str:
    """Return a limit of a query as text, such as `?temperature > 30`; by default with its own number."""
    variable, relation, own = _sides(limit)
    # The parser names aggregates and expressions of HAVING by variables that the user has not written.
    every = [*parts(query.pattern)]
    groups = (part for part in every if isinstance(part, patterns.Group))
    aggregates = {str(name): str(aggregate) for group in groups for name, aggregate in group.aggregates}
    expressions = {
        str(part.variable): str(part.expression) for part in every if isinstance(part, patterns.Extend)
    }
    text = aggregates.get(variable, variable)
    text = re.sub(r"\?_\w+", lambda name: expressions.get(name[0], name[0]), text)
    return f"{text} {relation} {own if number is None else number:f}"


def with_number(query: EngineQuery, limit: Call, number: Decimal) -> EngineQuery:
    """Return a query with another number in a limit."""
    term = Literal(f"{number:f}", f"{XSD}decimal")
    arguments = tuple(term if isinstance(one, Literal) else one for one in limit.arguments)
    changed = replace(limit, arguments=arguments)
    return replace(query, pattern=exchanged(query.pattern, limit, changed))


def grouped(query: EngineQuery) -> frozenset[str] | None:
    """Return the variables of GROUP BY if a query has an aggregate, otherwise None."""
    groups = (part for part in parts(query.pattern) if isinstance(part, patterns.Group) and part.aggregates)
    keys = [part.keys for part in groups]
    return frozenset(str(key).removeprefix("?") for own in keys for key in own) if keys else None


def limits_of(query: EngineQuery) -> Iterator[Call]:
    """Yield each limit: a comparison of a variable with a number that each solution must meet."""
    for condition in dict.fromkeys(_conditions(query.pattern)):
        match condition:
            case Call(function, (Variable(), Literal()) | (Literal(), Variable())) if function in _MIRRORED:
                if any(_numbers(str(one)) for one in condition.arguments if isinstance(one, Literal)):
                    yield condition
            case _:
                pass


def _conditions(pattern: patterns.Pattern) -> Iterator[Expression]:
    """Yield the conditions that each solution must meet: no conditions of OPTIONAL, MINUS or EXISTS."""
    if isinstance(pattern, patterns.Filter):
        yield from _conjuncts(pattern.condition)
    match pattern:
        case patterns.LeftJoin(left) | patterns.Minus(left):
            yield from _conditions(left)
        case patterns.Join(left, right):
            yield from _conditions(left)
            yield from _conditions(right)
        case _ if isinstance(inner := getattr(pattern, "pattern", None), patterns.Pattern):
            yield from _conditions(inner)
        case _:
            pass


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Call) and condition.function == "&&":
        for part in condition.arguments:
            yield from _conjuncts(part)
    else:
        yield condition


def reach_of(query: EngineQuery, limit: Call, pushes: Iterable[Push]) -> ValueRange | None:
    """Return the least and the greatest value of the variable of a limit; None if it has no values.

    These are the least and the greatest number in the objects of the pushed triples. Counts, sums and numbers
    that the query computes can be beyond them.
    """
    name, _, _ = _sides(limit)
    every = [*parts(query.pattern)]
    computed = {str(part.variable) for part in every if isinstance(part, patterns.Extend)}
    for group in (part for part in every if isinstance(part, patterns.Group)):
        for variable, aggregation in group.aggregates:
            if str(variable) == name and aggregation.function == COUNT:
                return Decimal(0), None
            if aggregation.function == "SUM" or not computed.isdisjoint(map(str, aggregation.arguments)):
                computed.add(str(variable))
    if name in computed:
        return None, None
    numbers = _numbers(*{push.triple[2] for push in pushes})
    return (min(numbers), max(numbers)) if numbers else None


def _numbers(*terms: str) -> set[Decimal]:
    """Return the finite numbers among terms in N-Triples syntax."""
    numbers = (Decimal(str(key)) for key in row_key(terms) if is_number(key))
    return {number for number in numbers if number.is_finite()}


def only_selects(query: EngineQuery, limit: Call) -> bool:
    """Return whether a limit only selects answers: a stricter number then removes rows and changes none.

    The limit is in no group, so that no aggregate depends on it, and the query has no LIMIT.
    """
    groups = (part for part in parts(query.pattern) if isinstance(part, patterns.Group))
    return not query.modifiers.slices and not any(limit in _conditions(group.pattern) for group in groups)


def fitting(
    limit: Call,
    base: Prediction,
    reach: ValueRange,
    predicted: Callable[[Decimal], Prediction],
    *,
    only_selects: bool = False,
) -> Prediction | None:
    """Return a prediction with another limit that leaves no evaluation unexplained; None without one.

    Only evaluations count from the first one that `base` does not explain. The search halves the range of
    possible limits: the first evaluation that a limit does not explain shows whether the limit is too low.

    Args:
        limit: The limit of the query.
        base: The prediction with the limit of the query.
        reach: The least and the greatest value of the variable of the limit.
        predicted: Returns the prediction with another number as the limit.
        only_selects: Whether a stricter limit removes rows of each evaluation, and changes no other row. No
            limit then explains a log that lacks predicted rows and has other rows at the same limit.
    """
    since, (_, _, own) = base.inside[0].end, _sides(limit)
    if since is None or (side := _side(limit, base, since)) is None:
        return None
    # A looser limit keeps the rows that the log lacks; a stricter one adds no row that only the log has.
    if only_selects and _lacks_and_adds(base, since):
        return None
    least, greatest = reach
    # One step beyond all values, because a limit above or below all of them is possible too.
    low = None if least is None else min(own, least) - 1
    high = None if greatest is None else max(own, greatest) + 1
    low, high = (own, high) if side > 0 else (low, own)
    for _ in range(MOST):
        number = _between(low, high, own)
        tried = predicted(number)
        if tried.verdict is None:
            return None
        if all(window.end is not None and window.end < since for window in tried.inside):
            return tried
        side = _side(limit, tried, since)
        if side is None or (only_selects and _lacks_and_adds(tried, since)):
            return None
        low, high = (number, high) if side > 0 else (low, number)
    return None


def _lacks_and_adds(prediction: Prediction, since: float) -> bool:
    """Return whether a log lacks predicted rows, and also has rows that are not predicted, from a time on."""
    later = [w for w in prediction.inside if w.end is not None and w.end >= since]
    return any(window.missing for window in later) and any(window.extra for window in later)


def _side(limit: Call, prediction: Prediction, since: float) -> int | None:
    """Return 1 if a limit is too low, -1 if it is too high, None if the first difference shows neither."""
    later = (w for w in prediction.inside if w.end is not None and w.end >= since)
    first = next(later, None)
    if first is None or bool(first.missing) == bool(first.extra):
        return None
    # A greater number removes rows by > and >=, and adds rows by < and <=.
    return 1 if bool(first.missing) == _sides(limit)[1].startswith(">") else -1


def _between(low: Decimal | None, high: Decimal | None, own: Decimal) -> Decimal:
    """Return the number to try between two numbers; None is no bound, and then steps become longer."""
    if low is not None and high is not None:
        return round_number(low, high)
    end, sign = (low, 1) if low is not None else (high, -1)
    assert end is not None
    return end + sign * max(abs(own), abs(end - own), Decimal(1))


def round_number(low: Decimal, high: Decimal) -> Decimal:
    """Return the roundest number in the middle half between two numbers; of several, the one in the middle.

    >>> [str(round_number(Decimal(30), Decimal(high))) for high in ("100", "35", "32", "30.5")]
    ['50', '32', '31', '30.2']
    """
    quarter, middle = (high - low) / 4, (low + high) / 2
    exponent = quarter.adjusted() + 1
    while True:
        for factor in (5, 1):
            step = Decimal(factor).scaleb(exponent)
            near = (middle / step).to_integral_value(ROUND_FLOOR) * step
            number = min(near, near + step, key=lambda one: (abs(one - middle), one))
            if low + quarter <= number <= high - quarter:
                return Decimal(f"{number:f}").normalize() + 0
        exponent -= 1
