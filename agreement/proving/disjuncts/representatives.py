"""Terms to try for variables under conditions: representatives of each region that the conditions cut out."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import pairwise
from math import isfinite
from typing import Final

from lars.language.formulas import Call, Expression
from lars.language.terms import (
    RDF_LANG_STRING,
    XSD,
    Blank,
    Constant,
    Iri,
    Literal,
    Symbol,
    Term,
    Variable,
)
from solver.rdf import Single, value

_COMPARED: Final = frozenset(("=", "!=", "<", "<=", ">", ">=", "SAMETERM", "IN"))
_KINDS: Final = frozenset(("ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "BOUND"))
_TINY: Final = Decimal("1e-20")


def new_iris(names: Iterable[Variable], known: Iterable[Term]) -> dict[Variable, Iri]:
    """Return for each variable the IRI that stands for its value where nothing restricts it.

    None is known, and no two are one: what differs from all that conditions name has to be tried too.
    """
    taken, iris = set(known), dict[Variable, Iri]()
    for name in names:
        iri = Iri(f"http://example.org/{name.name}")
        while iri in taken:
            iri = Iri(f"{iri.value}_")
        taken.add(iri)
        iris[name] = iri
    return iris


def constants_in(expressions: Iterable[Expression]) -> Iterator[Constant]:
    """Yield the constants of expressions."""
    for term in expressions:
        if isinstance(term, Call):
            yield from constants_in(term.arguments)
        elif not isinstance(term, Variable):
            yield term


def is_covered(expression: Expression) -> bool:
    """Whether the truth of an expression depends only on how terms compare: then representatives suffice.

    Comparisons of variables and constants, tests of kinds, and what ∧ ∨ ¬ make of them. Of doubles and
    times, whose rounding and zones matter, it does not.
    """
    match expression:
        case Call("!" | "&&" | "||", arguments):
            return all(map(is_covered, arguments))
        case Call(function, arguments) if function in _COMPARED | _KINDS:
            return all(map(_is_plain, arguments))
        case Call():
            return False
        case _:
            return _is_plain(expression)


def _is_plain(term: Expression) -> bool:
    if isinstance(term, Call):
        return False
    return isinstance(term, Variable | Iri | Symbol) or isinstance(value(term), int | Decimal | bool | str)


def representatives(constants: Iterable[Constant], new: Mapping[Variable, Iri], many: int) -> list[Constant]:
    """Return terms that stand for all others under covered conditions on `many` variables.

    What such a condition says of terms depends on their kinds, on which are equal and on their order
    among the constants. So these suffice: an IRI and a blank node for each variable; each constant;
    of numbers and strings `many` in each gap between constants; of numbers such as are equal as
    doubles and not as decimals; of all other kinds one. The first are those that read best.
    """
    terms = tuple(dict.fromkeys(constants))
    others = [term for term in terms if not isinstance(term, Iri | Symbol)]
    return list(
        dict.fromkeys(
            (
                *new.values(),
                *(term for term in terms if isinstance(term, Iri)),
                *others,
                *_numbers(others, many),
                *_strings(others, many),
                *(Literal(text, XSD + "boolean") for text in ("true", "false")),
                Literal("text", RDF_LANG_STRING, "en"),
                Literal("2026-01-01T00:00:00Z", XSD + "dateTime"),
                Literal("NaN", XSD + "double"),
                Literal("none", XSD + "integer"),
                *(Literal(f"{number}", "http://example.org/type") for number in range(many)),
                *(Blank(variable.name) for variable in new),
            )
        )
    )


def _numbers(constants: Iterable[Term], many: int) -> Iterator[Literal]:
    known = sorted({Decimal(number) for term in constants if (number := _number(term)) is not None})
    ends = [known[0] - many - 1, *known, known[-1] + many + 1] if known else [Decimal(-1), Decimal(many + 1)]
    for low, high in pairwise(ends):
        whole = [n for n in range(int(low) - 1, int(low) + many + 2) if low < n < high][:many]
        yield from (Literal(str(n), XSD + "integer") for n in whole)
        step = (high - low) / (many + 1)
        between = [low + step * n for n in range(1, many + 1)] if len(whole) < many else []
        yield from (Literal(f"{n:f}", XSD + "decimal") for n in between)
    for decimal in (*known, Decimal(1)):
        yield Literal(
            f"{decimal:f}.0" if decimal == decimal.to_integral() else f"{decimal:f}", XSD + "decimal"
        )
        yield Literal(f"{decimal + _TINY:f}", XSD + "decimal")
        yield Literal(f"{decimal - _TINY:f}", XSD + "decimal")
        yield Literal(repr(float(decimal)), XSD + "double")


def _number(term: Term) -> int | Decimal | float | None:
    number = value(term) if isinstance(term, Literal) else None
    if isinstance(number, bool) or not isinstance(number, int | Decimal | float | Single):
        return None
    return number if isfinite(number) else None


def _strings(constants: Iterable[Term], many: int) -> Iterator[Literal]:
    texts = (value(term) for term in constants if isinstance(term, Literal))
    known = sorted({text for text in texts if isinstance(text, str)} | {""})
    yield Literal("")
    for low, high in pairwise((*known, None)):
        plain = [f"{low}{letter * number}" for number in range(1, many + 1) for letter in "a\t"]
        between = [text for text in plain if high is None or text < high]
        yield from map(Literal, between)
