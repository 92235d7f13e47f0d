"""Functions on strings, dates and hashes, computed by pyoxigraph (SPARQL 1.1, Section 17.4).

It receives terms as values, never as query text. What it gets wrong is computed in `operators` and
`substring`, or spelled for it in `regex`. None is an error.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final

import pyoxigraph as ox

from lars.terms import Constant, Iri, Literal
from solver.operators import numeric
from solver.values import value

_CACHED: Final = 2**16
_UNARY: Final = (
    *("STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI"),
    *("MD5", "SHA1", "SHA256", "SHA384", "SHA512"),
    *("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ"),
)
_BINARY: Final = ("STRLANG", "STRSTARTS", "STRENDS", "CONTAINS", "STRBEFORE", "STRAFTER", "LANGMATCHES")

NATIVE: Final[dict[str, tuple[int, int | None]]] = {
    **dict.fromkeys(_UNARY, (1, 1)),
    **dict.fromkeys(_BINARY, (2, 2)),
    "CONCAT": (0, None),
}
"""The functions that pyoxigraph computes, with the least and the greatest number of arguments."""


_STORE = ox.Store()


@lru_cache(maxsize=_CACHED)
def native(function: str, *arguments: Constant, base: str | None = None) -> Constant | None:
    """Return what pyoxigraph computes; `function` is SPARQL's name, or a cast's IRI in brackets."""
    names, query = _question(function, len(arguments))
    try:
        bound: dict[ox.Variable, Any] = dict(zip(names, map(_handed_over, arguments), strict=True))
    except ValueError:
        return None
    solutions: Any = _STORE.query(query, substitutions=bound, base_iri=base)
    (solution,) = solutions
    return _taken_back(solution["result"])


@cache
def _question(function: str, count: int) -> tuple[list[ox.Variable], str]:
    """Return variables for the arguments, and the query for the function's value on them."""
    names = [ox.Variable(f"a{position}") for position in range(count)]
    listed = [f"?{name.value}" for name in names]
    return names, f"SELECT {' '.join(listed)} ({function}({', '.join(listed)}) AS ?result) {{}}"


def _handed_over(term: Constant) -> ox.NamedNode | ox.Literal:
    match term:
        case Iri(text):
            return ox.NamedNode(text)
        case Literal(lexical, _, str(language)):
            return ox.Literal(lexical, language=language)
        case Literal(lexical, datatype):
            return ox.Literal(lexical, datatype=ox.NamedNode(datatype))
        case _:
            raise ValueError(term)  # no function on strings or dates has a value on it


def _taken_back(term: Any) -> Constant | None:
    if isinstance(term, ox.NamedNode):
        return Iri(term.value)
    return None if term is None else Literal(term.value, term.datatype.value, term.language)


def resolved(text: Constant, base: Constant | None = None) -> Constant | None:
    """Return IRI (17.4.2.8) of an IRI or a plain text, which may be relative to a base, a literal."""
    if isinstance(text, Iri):
        return text
    if not isinstance(value(text), str):
        return None
    try:
        return native("IRI", text, base=base.lexical if isinstance(base, Literal) else None)
    except ValueError:  # a base that is no IRI
        return None


def substring(text: Constant, start: Constant, length: Constant | None = None) -> Constant | None:
    """Return SUBSTR (17.4.3.3): the characters at positions from `start` on, `length` many.

    As XPath's fn:substring does, both are rounded and may lie outside of the text; NaN selects nothing.
    """
    first, count = _position(start), math.inf if length is None else _position(length)
    if first is None or count is None or native("STRLEN", text) is None:
        return None
    assert isinstance(text, Literal)
    end = first + count  # NaN from -INF + INF too
    chosen = "".join(one for place, one in enumerate(text.lexical, 1) if first <= place < end)
    return replace(text, lexical=chosen)


def _position(term: Constant) -> float | None:
    """Return a number rounded, a half upwards."""
    number = numeric(term)
    if number is None or (isinstance(number, float) and not math.isfinite(number)):
        return number if number is None else float(number)
    return math.floor(Fraction(number) + Fraction(1, 2))
