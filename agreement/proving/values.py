"""Choose finitely many RDF terms to try for a variable, so that no relevant data are missed.

A condition is covered if it compares variables and constants, tests the kinds of terms, or combines such
conditions by ∧, ∨ or ¬. A covered condition depends only on the kinds of terms, on equality, and on the order
of values. Terms form a region if no comparison with a constant distinguishes them. If each region contributes
as many terms as variables can need, no stream and no model is missed. If the terms of a stream are replaced
by the terms chosen here, and constants are kept, each condition keeps its truth value. The terms of a region
are different, but can be equal by value, such as 1, 1.0 and 1.00. No chosen term is a constant of a query,
because a pattern may match a constant and no other term.

Numbers: SPARQL compares integers and decimals exactly. SPARQL compares a decimal with a float or double by
the nearest float or double of the decimal. So a decimal has three properties: its value, its nearest double
and its nearest float. All decimals with the same nearest double (or float) form a cell of numbers. For each
constant c, the points are c, its double, its float, and the ends of the cells of c. These points divide the
numbers into intervals. Comparisons with c do not distinguish the decimals of one interval: they are on one
side of c, and their double and float compare with c in the same way. So decimals of each interval, the points
themselves, and the doubles and floats at the points represent all numbers. Doubles between points compare as
decimals do, unless two decimals are near one double. If three or more variables are compared, each gap gets
points of its own. For example, `<` is not transitive: as a float, 0.99999998 is 1, and 0.999999985e0 is less
than 1 but greater than 0.99999998. All numbers are computed as fractions, because constants have any number
of digits.
"""

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import chain, count, islice, pairwise, permutations, product, starmap
from math import floor, inf, isfinite, nextafter
from typing import Final

from lars.language.formulas import Call, Expression
from lars.language.program import calls
from lars.language.terms import (
    RDF_LANG_STRING,
    XSD,
    Blank,
    Constant,
    Iri,
    Literal,
    Symbol,
    Term,
    TripleTerm,
    Variable,
)
from solver.deadlines import check_time
from solver.rdf import Single, value

COMPARED: Final = frozenset(("=", "!=", "<", "<=", ">", ">=", "SAMETERM", "IN"))
KINDS: Final = frozenset(("ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "BOUND"))
CONNECTIVES: Final = frozenset(("!", "&&", "||"))
_FRESH: Final = "http://example.org/"


def new_iris(names: Iterable[Variable], known: Iterable[Term]) -> dict[Variable, Iri]:
    """Return a new IRI for each variable; the IRIs are different, and do not occur in `known`.

    A new IRI represents a value that is different from all constants of a query.
    """
    taken, iris = set(known), dict[Variable, Iri]()
    for name in names:
        iris[name] = fresh(name, taken)
        taken.add(iris[name])
    return iris


def fresh(variable: Variable, known: Iterable[Term], copy: int = 0) -> Iri:
    """Return an IRI that contains the variable's name and is not in `known`.

    Different values of `copy` give different IRIs for the same variable.
    """
    taken = known if isinstance(known, set | frozenset) else set(known)
    iri = Iri(f"{_FRESH}{variable.name}{copy + 1 if copy else ''}")
    while iri in taken:
        iri = Iri(f"{iri.value}_")
    return iri


def constants_in(expressions: Iterable[Expression]) -> Iterator[Constant]:
    """Yield the constants (IRIs, literals and other fixed terms) that occur in expressions."""
    for term in expressions:
        if isinstance(term, Call):
            yield from constants_in(term.arguments)
        elif not isinstance(term, Variable):
            yield term


_PARTS: Final = ("SUBJECT", "PREDICATE", "OBJECT")
_MOST_TRIPLES: Final = 8
OF_TERMS: Final = ("ISTRIPLE", "ISIRI", "ISLITERAL", "ISBLANK")
"""The functions that test the kind of a term; a term for which the last three are false is a triple term."""


def triple_terms(expressions: Iterable[Expression], new: Sequence[Iri]) -> list[Constant]:
    """Return triple terms to try as values of variables, if conditions test parts of these values.

    Conditions test the parts of a triple term with SUBJECT, PREDICATE and OBJECT. The triple terms consist of
    constants of the conditions and of new IRIs.

    >>> x = Variable("x")
    >>> test = Call("SAMETERM", (Call("PREDICATE", (x,)), Iri("x:p")))
    >>> print(*triple_terms([test], [Iri("x:a")]))
    <<( <x:a> <x:p> <x:a> )>>
    """
    looked: dict[Expression, dict[str, list[Constant]]] = {}
    for call in (call for expression in expressions for call in calls(expression)):
        if call.function in (*_PARTS, *OF_TERMS) and isinstance(call.arguments[0], Variable):
            looked.setdefault(call.arguments[0], {})
        for part, other in permutations(call.arguments, 2):
            if isinstance(part, Call) and part.function in _PARTS and not isinstance(other, Variable | Call):
                looked.setdefault(part.arguments[0], {}).setdefault(part.function, []).append(other)
    found: dict[Constant, None] = {}
    for compared in looked.values():
        triples = product(*(compared.get(part, new) for part in _PARTS))
        found |= dict.fromkeys(
            TripleTerm(*parts) for parts in islice(triples, _MOST_TRIPLES if compared else 1)
        )
    return list(found)


def is_covered(expression: Expression) -> bool:
    """Return whether a condition only compares terms, or tests kinds of terms, such as ISIRI.

    Finitely many terms are enough to decide whether a covered condition, such as a comparison of terms, can
    be true. Conditions on computed values, and on times, are not covered.
    """
    match expression:
        case Call(function, arguments) if function in CONNECTIVES:
            return all(map(is_covered, arguments))
        case Call(function, arguments) if function in COMPARED | KINDS:
            return all(map(_is_plain, arguments))
        case Call():
            return False
        case _:
            return _is_plain(expression)


def _is_plain(term: Expression) -> bool:
    if isinstance(term, Call):
        return False
    known = isinstance(term, Literal) and isinstance(value(term), int | Decimal | float | bool | str)
    return known or isinstance(term, Variable | Iri | Symbol)


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield the conditions that a condition combines by ∧, ∨ or ¬."""
    if isinstance(expression, Call) and expression.function in CONNECTIVES:
        yield from (part for each in expression.arguments for part in parts(each))
    else:
        yield expression


def truth_constants(expressions: Iterable[Expression], linked: int) -> list[Constant]:
    """Return terms to try as constants if a condition tests whether the value of a variable is true.

    Numbers are true if they are not 0. Dates and times are neither true nor false, and a date is different
    from each time. `linked` is the number of variables that are compared with each other.
    """
    if not any(isinstance(part, Variable) for expression in expressions for part in parts(expression)):
        return []
    days = [f"2026-01-0{day}{zone}" for day in (1, 2) for zone in ("Z", "+00:00")] + ["2026-01-01"]
    dates = (Literal(day, XSD + "date") for day in days[: None if linked > _NEAR else 1])
    return [integer(0), *dates, Literal("00:00:00Z", XSD + "time")]


def terms(
    constants: Iterable[Constant],
    new: Iterable[Iri],
    many: int,
    *,
    linked: int = 1,
    blanks: Iterable[str] = (),
) -> list[Constant]:
    """Return terms that represent all RDF terms in comparisons with the given constants.

    The most readable terms come first. A region is a set of terms that no comparison with the constants
    distinguishes. The result contains `many` terms of each region if possible, and at least `linked` terms.
    `linked` is the number of variables that are compared with each other. `new` are new IRIs, and `blanks`
    are labels of blank nodes.
    """
    named = tuple(dict.fromkeys(constants))
    literals = tuple(term for term in named if isinstance(term, Literal))
    texts = [text * n for n in range(1, many + 1) for text in ("text", "")]
    chosen: Iterable[Constant] = chain(
        new,
        (term for term in named if isinstance(term, Iri)),
        literals,
        _numbers(literals, many, linked),
        _strings(literals, many),
        (Literal(text, XSD + "boolean") for text in ("true", "false", "1", "0")),
        (Literal(text, RDF_LANG_STRING, "en") for text in texts),
        _times(linked),
        (Literal("none" * n, XSD + "integer") for n in range(1, many + 1)),
        (Literal(f"{n}", "http://example.org/type") for n in range(many)),
        map(Blank, blanks),
        (term for term in named if isinstance(term, TripleTerm)),
    )
    return list(dict.fromkeys(chosen))


def told_apart(
    values: Iterable[Constant],
    region: Callable[[Constant], Hashable],
    many: int,
    named: Container[Constant] = (),
) -> list[Constant]:
    """Return at most `many` values of each region, and all values in `named`.

    A region is a set of values that conditions do not distinguish. `region` returns a key of the region to
    which a value belongs.

    Raises:
        TimeLimitError: The time limit is over.
    """
    kept: dict[Hashable, int] = {}
    apart: list[Constant] = []
    for term in values:
        check_time()
        if term not in named:
            own = region(term)
            kept[own] = kept.get(own, 0) + 1
            if kept[own] > many:
                continue
        apart.append(term)
    return apart


def most_linked(groups: Iterable[frozenset[Variable]], names: Iterable[Variable]) -> int:
    """Return the size of the largest set of variables that groups connect.

    A group connects all its variables. Variables can also be connected through other variables.
    """
    parts: list[frozenset[Variable]] = [frozenset((name,)) for name in names]
    for group in groups:
        near = [part for part in parts if part & group]
        parts = [part for part in parts if not part & group]
        parts += [frozenset[Variable]().union(*near)] if near else []
    return max(map(len, parts), default=1)


def number(term: Term) -> int | Decimal | float | None:
    """Return the number that a term denotes, which can be infinite or NaN; None if it denotes no number."""
    known = value(term) if isinstance(term, Literal) else None
    return known if isinstance(known, int | Decimal | float) and not isinstance(known, bool) else None


def is_finite(amount: float | Decimal) -> bool:
    """Return whether a number is finite, even if it is too large for a double."""
    return not isinstance(amount, float) or isfinite(amount)


def integer(amount: int) -> Literal:
    """Return the RDF literal of an integer, which can have any number of digits."""
    # By way of a decimal, since Python writes no integer of more than 4300 digits.
    return Literal(f"{Decimal(amount):f}", XSD + "integer")


def numbers(constants: Iterable[Term], many: int) -> Iterator[Literal]:
    """Yield the numbers among the constants, and `many` numbers below, between and above each of them."""
    exact = (amount for term in constants if (amount := number(term)) is not None and is_finite(amount))
    anchors = sorted({Fraction(amount) for amount in exact} or {Fraction(0)})
    yield from map(_written, sorted(chain(anchors, *_inside(anchors, many)), key=_digits))


@lru_cache(maxsize=2**8)
def _numbers(constants: tuple[Term, ...], many: int, linked: int) -> tuple[Literal, ...]:
    """Return numbers, of all datatypes, that represent all numbers in comparisons with the constants.

    Each interval of numbers that no comparison distinguishes has `linked` numbers. The result is cached,
    because the cases of a proof compare the same constants.
    """
    return tuple(_each_number(constants, many, linked))


def _each_number(constants: tuple[Term, ...], many: int, linked: int) -> Iterator[Literal]:
    known = [amount for term in constants if (amount := number(term)) is not None]
    finite = {Fraction(amount) for amount in known if is_finite(amount)}
    if any(amount in (inf, -inf) for amount in known):
        finite |= {Fraction(sign * end) for sign in (1, -1) for end in _GREATEST}
    yield from numbers(constants, many)
    yield from map(_written, chain.from_iterable(_inside(sorted({*finite, Fraction(0)}), many)))
    yield Literal("0", XSD + "integer")
    # Numbers near a double that is no constant's matter to three variables, or to more of them.
    clusters = _inside(sorted(finite), linked // _NEAR) if finite else ([Fraction(1)],)
    anchors = sorted({*finite, *chain.from_iterable(clusters)})
    for anchor in anchors:
        alike, double = many if anchor in finite else 1, _double(anchor)
        yield from islice(_spelled(anchor), alike + 1)
        yield from islice(_spelled_float(double, "double"), alike + 1)
        yield from islice(_spelled_float(Single(anchor), "float"), alike + 1)
    points = sorted({point for anchor in anchors for point in _points(anchor)})
    # Of variables that are compared with each other one at least is no decimal of the same interval.
    inside = linked if linked in (1, many) else linked - 1
    yield from map(_written, chain.from_iterable(_inside(points, inside)))
    yield from map(_written, points)
    middles = ((low, (low + high) / 2, high) for low, high in pairwise(points))
    places = chain(zip(points, points, points, strict=True), middles)
    floats = dict.fromkeys(chain.from_iterable(starmap(_floats_at, places)))
    for kind, each in floats:
        yield from islice(_spelled_float(each, kind), linked)
    for text in ("NaN", "INF", "-INF"):
        yield from (Literal(text, XSD + kind) for kind in ("double", "float"))


_NEAR: Final = 3
_TWO: Final = 2
_GREATEST: Final = tuple(
    edge
    for greatest, last in ((2**1024 - 2**971, 2**970), (2**128 - 2**104, 2**103))
    for edge in (greatest, greatest + last)
)
"""The greatest double and float, and for each the smallest number that is rounded to infinity."""


def _double(place: Fraction) -> float:
    try:
        return float(place)
    except OverflowError:
        return inf if place > 0 else -inf


def _points(anchor: Fraction) -> Iterator[Fraction]:
    """Yield a number, its nearest double and float, and the limits of the numbers that round to them."""
    yield anchor
    double = _double(anchor)
    single = Single(anchor)
    for near, neighbours in ((double, _beside(double)), (single, _singles_beside(single))):
        if isfinite(near):
            yield Fraction(near)
            yield from ((Fraction(near) + Fraction(each)) / 2 for each in neighbours if isfinite(each))


def _beside(double: float) -> tuple[float, float]:
    return nextafter(double, -inf), nextafter(double, inf)


def _singles_beside(single: float) -> tuple[float, float]:
    """Return the next smaller and the next greater single-precision number.

    The distance to the next float is 2^29 times the distance to the next double, and at least 2^-149.
    """
    step = max(abs(single) * 2.0**-24, 2.0**-149)
    beside = (Single(single - step * n) for n in (1, 2)), (Single(single + step * n) for n in (1, 2))
    low, high = (next((each for each in some if each != single), single) for some in beside)
    return low, high


def _floats_at(low: Fraction, place: Fraction, high: Fraction) -> Iterator[tuple[str, float]]:
    """Yield the double and the float that are nearest to the number `place`, if they are in [low, high]."""
    double = _double(place)
    for kind, near in (("double", double), ("float", Single(place))):
        if isfinite(near) and low <= Fraction(near) <= high:
            yield kind, near


def _inside(points: Sequence[Fraction], many: int) -> Iterator[list[Fraction]]:
    """Yield `many` numbers below all points, between each two neighbors, and above all points.

    The function prefers numbers with few digits.
    """
    yield [Fraction(-floor(-points[0]) - n) for n in range(1, many + 1)]
    yield from (list(_between(low, high, many)) for low, high in pairwise(points))
    yield [Fraction(floor(points[-1]) + n) for n in range(1, many + 1)]


def _between(low: Fraction, high: Fraction, many: int) -> Iterator[Fraction]:
    """Yield `many` numbers between two limits, with as few decimal digits as possible."""
    scale = 1
    # Products of integers, because products of fractions are reduced each time.
    while ((below := low.numerator * scale // low.denominator) + many) * high.denominator >= (
        high.numerator * scale
    ):
        scale *= 10
    yield from (Fraction(below + n, scale) for n in range(1, many + 1))


def _digits(amount: Fraction) -> tuple[int, int]:
    return len(integer(amount.denominator).lexical), len(integer(amount.numerator).lexical)


def _written(amount: Fraction) -> Literal:
    """Return a number, whose denominator must divide a power of 10, as an integer or decimal literal."""
    if amount.denominator == 1:
        return integer(amount.numerator)
    twos = (amount.denominator & -amount.denominator).bit_length() - 1
    places, odd = twos, amount.denominator >> twos
    for fives in count(1):
        if odd == 1:
            break
        places, odd = max(twos, fives), odd // 5
    whole = integer(abs(amount.numerator) * 10**places // amount.denominator)
    digits = whole.lexical.rjust(places + 1, "0")
    text = f"{'-' if amount < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return Literal(text, XSD + "decimal")


def _spelled(amount: Fraction) -> Iterator[Literal]:
    """Yield literals with exactly the value of a number: the shortest one, then others with more zeros."""
    plain = _written(amount)
    yield plain
    text = plain.lexical if "." in plain.lexical else f"{plain.lexical}."
    while True:
        text += "0"
        yield Literal(text, XSD + "decimal")


def _text(amount: float) -> str:
    return "INF" if amount == inf else "-INF" if amount == -inf else repr(float(amount)).upper()


def _spelled_float(amount: float, kind: str) -> Iterator[Literal]:
    text = _text(amount)
    yield Literal(text, XSD + kind)
    mantissa, _, exponent = text.partition("E")
    mantissa = mantissa if "." in mantissa else f"{mantissa}."
    while isfinite(amount):
        mantissa += "0"
        yield Literal(f"{mantissa}E{exponent or '0'}", XSD + kind)


def _strings(constants: Iterable[Term], many: int) -> Iterator[Literal]:
    texts = (value(term) for term in constants if isinstance(term, Literal))
    known = sorted({text for text in texts if isinstance(text, str)} | {""})
    yield Literal("")
    for low, high in pairwise((*known, None)):
        plain = (f"{low}{letter * n}" for letter in "a\t\x01" for n in range(1, many + 1))
        yield from islice((Literal(text) for text in plain if high is None or text < high), many)


MOST_LINKED: Final = 6
"""The maximum number of compared variables for which dateTimes of all orders are tried."""
_PLACES: Final = (2, 2, 4, 5, 7, 8)
"""The number of different dateTimes, 7 hours apart, that have all orders of 1, 2, .. compared dateTimes."""


def _times(linked: int) -> Iterator[Literal]:
    """Yield dateTime literals, with and without a time zone, that represent `linked` compared dateTimes.

    A time with a zone and a time without a zone are comparable only if they differ by more than 14 hours. So
    the literals are 7 hours apart. All compared times can be equal, and all but one can be equal but later
    than the other time. For more than `MOST_LINKED` times, some orders are missing.
    """
    # Of two times it does not matter which has no zone: they are earlier, equal, later or incomparable.
    for place in range(_PLACES[min(linked, MOST_LINKED) - 1]):
        day, hour = divmod(7 * place, 24)
        start = f"2026-01-{1 + day:02}T{hour:02}:00:00"
        fractions = [f".{'0' * digits}" for digits in range(1, max(_TWO, linked))]
        zoned = ("Z", "+00:00", *(f"{fraction}Z" for fraction in fractions))
        local = ("", *fractions)
        yield from (Literal(f"{start}{text}", XSD + "dateTime") for text in zoned[: _alike(place, linked)])
        unzoned = _alike(max(place, 1), linked) if linked > _TWO else 1 - place
        yield from (Literal(f"{start}{text}", XSD + "dateTime") for text in local[:unzoned])


def _alike(place: int, linked: int) -> int:
    """Return how many spellings a time needs: at a later place, one of the compared times is earlier."""
    return max(_TWO, linked - (place > 0))
