"""Terms as the solver holds them: RDF term ↔ ASP symbol.

This is the only place that quotes terms: no text of a trace or query is part of a program unless
`written` quoted it. Two literals of one value stay two terms.
"""

import re
from functools import lru_cache
from typing import Final, assert_never

import clingo

from lars.errors import LarsError
from lars.language.terms import Blank, Constant, Iri, Literal, Number, Symbol, write_name
from solver.facts import check_writable, constant_of
from solver.rdf import read_term

_IDENTIFIER = re.compile(r"_*[a-z][A-Za-z0-9_]*")
_KEYWORDS: Final = frozenset(("not",))
_ENCODED: Final = "symbol"
_CACHED: Final = 2**16


class UnreadableSymbolError(LarsError):
    """An ASP symbol stands for no constant of LARS."""

    def __init__(self, symbol: clingo.Symbol) -> None:
        super().__init__(f"the ASP term {symbol} stands for no RDF term, plain constant or number")


@lru_cache(maxsize=_CACHED)
def symbol(constant: Constant) -> clingo.Symbol:
    """Return the ASP symbol of a constant; `constant` is the inverse.

    RDF terms become strings of their N-Triples text, numbers become numbers, plain constants stay.
    UnwritableTermError: a number outside 32 bit, or text that is no Unicode (a lone surrogate).

    >>> print(symbol(Iri("x:a")), symbol(Number(3)), symbol(Symbol("wet")), symbol(Symbol("Wet")))
    "<x:a>" 3 wet symbol("Wet")
    """
    check_writable(constant)
    match constant:
        case Number(value):
            return clingo.Number(value)
        case Symbol(name):
            if _IDENTIFIER.fullmatch(name) and name not in _KEYWORDS:
                return clingo.Function(name)
            return clingo.Function(_ENCODED, [clingo.String(name)])
        case Iri() | Literal() | Blank():
            return clingo.String(str(constant))
        case _:
            assert_never(constant)


@lru_cache(maxsize=_CACHED)
def constant(symbol: clingo.Symbol) -> Constant:
    """Return the constant that an ASP symbol stands for; the inverse of `symbol`.

    UnreadableSymbolError: the symbol stands for none (a tuple, `-a`, `f(1)`, `#inf`).
    """
    match symbol.type:
        case clingo.SymbolType.String:
            return read_term(symbol.string)
        case clingo.SymbolType.Number:
            return Number(symbol.number)
        case clingo.SymbolType.Function if symbol.positive and symbol.name:
            if not symbol.arguments:
                return Symbol(symbol.name)
            if symbol.match(_ENCODED, 1) and symbol.arguments[0].type == clingo.SymbolType.String:
                return Symbol(symbol.arguments[0].string)
    raise UnreadableSymbolError(symbol)


@lru_cache(maxsize=_CACHED)
def symbol_of(text: str) -> clingo.Symbol:
    """Return the ASP symbol of an argument text.

    >>> print(symbol_of("<x:a>"), symbol_of("3"), symbol_of("wet"), symbol_of("'Wet'"))
    "<x:a>" 3 wet symbol("Wet")
    """
    if text[:1] in '<"' or text[:2] == "_:":
        return clingo.String(text)
    return symbol(constant_of(text))


def text_of(symbol: clingo.Symbol) -> str:
    """Return the argument text of an ASP symbol; the inverse of `symbol_of`."""
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if symbol.type == clingo.SymbolType.Function and symbol.arguments:
        return write_name(symbol.arguments[0].string)
    return str(symbol)


def asp_text(constant: Constant) -> str:
    r"""Return the ASP source text of a constant: one term on one line that clingo reads back.

    >>> print(asp_text(Literal('say "hi"')), asp_text(Number(-3)))
    "\"say \\\"hi\\\"\"" -3
    """
    return str(symbol(constant))
