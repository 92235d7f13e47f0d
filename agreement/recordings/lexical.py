"""Terms whose kind was not recorded: `30` may have been a number, a string or part of an IRI.

They are compared by what is left of both sides: what looks like a number is one, by its value, `_:b`
is a blank node, nothing is unbound, and everything else is a plain literal.
"""

import re
from typing import Final

from lars.terms import XSD, Blank, Iri, Literal
from solver.rdf import read_term

_NUMBERS: Final = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
)
_BLANK = re.compile(r"_:[A-Za-z0-9_]+")


def of_text(text: str) -> str | None:
    """Return the term that a text of unknown kind stands for.

    >>> of_text("90."), of_text("http://e/a"), of_text("_:b0"), of_text("")
    ('"90."^^<http://www.w3.org/2001/XMLSchema#decimal>', '"http://e/a"', '_:b0', None)
    """
    if not text or _BLANK.fullmatch(text):
        return text or None
    for pattern, name in _NUMBERS:
        if pattern.fullmatch(text):
            return str(Literal(text, XSD + name))
    return str(Literal(text))


def as_lexical(term: str | None) -> str | None:
    """Return what is left of a term, a canonical text, when its kind is not recorded.

    >>> as_lexical('"30"'), as_lexical("<http://e/a>")
    ('"30"^^<http://www.w3.org/2001/XMLSchema#integer>', '"http://e/a"')
    """
    if term is None:
        return None
    match read_term(term):
        case Iri(value):
            return of_text(value)
        case Literal(lexical):
            return of_text(lexical)
        case Blank():
            return term
