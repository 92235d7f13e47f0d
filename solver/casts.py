"""Casts to the types of XSD (SPARQL 1.1, Section 17.5; XPath, casting). None is an error."""

import math
from decimal import Decimal
from typing import Any, Final

from lars.terms import XSD, Constant, Iri, Literal
from solver.functions import native
from solver.operators import converted
from solver.values import INTEGERS, Moment, Single, literal, scientific, value

_PLAIN: Final = (1e-6, 1e6)  # between them XPath writes a double without an exponent
_MOMENTS: Final = ("dateTime", "date", "time")
CASTS: Final = ("string", "boolean", *INTEGERS, "decimal", "float", "double", *_MOMENTS)
"""The XSD types that `cast` casts to; 17.5 names seven of them, the others are cast as in XPath."""


def cast(kind: str, term: Constant) -> Constant | None:
    """Return the term cast to an XSD type (17.5); a text may have blanks around its lexical form."""
    given = value(term)
    if isinstance(term, Iri) and kind == "string":
        return Literal(term.value)
    if isinstance(given, Moment):
        return native(f"<{XSD}{kind}>", term) if kind in ("string", *_MOMENTS) else None
    if isinstance(given, str) and kind != "string" and isinstance(term, Literal):
        read = Literal(given.strip(" \t\r\n"), XSD + kind)
        number = value(read)
        return None if number is None else read if isinstance(number, Moment) else _as_kind(kind, number)
    return None if given is None or kind in _MOMENTS else _as_kind(kind, given)


def _integer(kind: str, number: int) -> Literal | None:
    """Return the canonical literal of an integer type; None: the type does not reach that far."""
    written = literal(number)
    found = None if written is None else Literal(written.lexical, XSD + kind)
    return None if value(found) is None else found


def _as_kind(kind: str, given: Any) -> Literal | None:
    match kind:
        case "string" if isinstance(given, float) and (not given or _PLAIN[0] <= abs(given) < _PLAIN[1]):
            return Literal(f"{Decimal(scientific(given)).normalize():f}")
        case "string":
            written = literal(given)
            return None if written is None else Literal(written.lexical)
        case "boolean":
            return literal(bool(given) and given == given)  # noqa: PLR0124 - NaN is false
        case "float" | "double":
            return literal(converted(Single if kind == "float" else float, given))
    if isinstance(given, float) and not math.isfinite(given):
        return None
    exact = Decimal(scientific(given)) if isinstance(given, float) else Decimal(given)
    return literal(exact) if kind == "decimal" else _integer(kind, int(exact))
