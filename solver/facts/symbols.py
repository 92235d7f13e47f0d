"""Terms as the solver holds them: RDF term ↔ ASP symbol.

This is the only place that quotes terms: no text of a trace or query is part of a program unless
`written` quoted it. Two literals of one value stay two terms.
"""

import re
from functools import lru_cache
from typing import Final, assert_never

import clingo

from lars.errors import LarsError
from lars.terms import Blank, Constant, Iri, Literal, Number, Symbol
from solver.rdf import read_term

_IDENTIFIER = re.compile(r"_*[a-z][A-Za-z0-9_]*")
_KEYWORDS: Final = frozenset(("not",))
_ENCODED: Final = "symbol"
_LEAST, _GREATEST = -(2**31), 2**31 - 1
_CACHED: Final = 2**16


class UnwritableTermError(LarsError):
    """A constant has no ASP symbol; `problem` says why."""

    def __init__(self, constant: Constant, problem: str) -> None:
        shown = ascii(str(constant))[1:-1]
        super().__init__(f"no ASP symbol for {shown[:100]}{'…' * (len(shown) > 100)}: {problem}")  # noqa: PLR2004


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
    match constant:
        case Number(value):
            if not _LEAST <= value <= _GREATEST:
                raise UnwritableTermError(constant, "numbers of the logic are 32 bit")
            return clingo.Number(value)
        case Symbol(name):
            if _IDENTIFIER.fullmatch(name) and name not in _KEYWORDS:
                return clingo.Function(name)
            return clingo.Function(_ENCODED, [_string(constant, name)])
        case Iri() | Literal() | Blank():
            return _string(constant, str(constant))
        case _:
            assert_never(constant)


def _string(constant: Constant, text: str) -> clingo.Symbol:
    if "\0" in text:
        raise UnwritableTermError(constant, "NUL ends a text in ASP")
    try:
        return clingo.String(text)
    except UnicodeEncodeError:
        raise UnwritableTermError(constant, "a lone surrogate is no character") from None


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


def written(constant: Constant) -> str:
    r"""Return the ASP source text of a constant: one term on one line that clingo reads back.

    >>> print(written(Literal('say "hi"')), written(Number(-3)))
    "\"say \\\"hi\\\"\"" -3
    """
    return str(symbol(constant))
