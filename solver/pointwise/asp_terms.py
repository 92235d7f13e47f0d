"""Terms of LARS in ASP and back, names of predicates, arithmetic and comparisons, with 32-bit limits.

Only this module quotes terms. A text of a trace or query enters a program only through `asp_text` or
`symbol`. Two literals with equal values are different terms.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import prod
from typing import Final, assert_never

import clingo

from lars.errors import LarsError
from lars.language.formulas import Arithmetic, Comparison, Operation
from lars.language.terms import (
    Atom,
    Blank,
    Constant,
    Iri,
    Literal,
    Number,
    Symbol,
    Term,
    TripleTerm,
    Variable,
    write_name,
)
from solver.facts import check_writable, constant_of
from solver.rdf import read_term

_IDENTIFIER = re.compile(r"_*[a-z][A-Za-z0-9_]*")
_KEYWORDS: Final = frozenset(("not",))
_ENCODED: Final = "symbol"
_CACHED: Final = 2**16


@lru_cache(maxsize=_CACHED)
def symbol(constant: Constant) -> clingo.Symbol:
    """Return the ASP symbol of a constant; `constant` is the inverse function.

    An RDF term becomes a string of its N-Triples text, and a number becomes a number. A plain constant is
    unchanged if ASP allows its name; otherwise, the constant becomes `symbol("NAME")`.

    Raises:
        LarsError: A number is outside 32 bits, or a text is invalid Unicode (a lone surrogate).

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
        case Iri() | Literal() | Blank() | TripleTerm():
            return clingo.String(str(constant))
        case _:
            assert_never(constant)


@lru_cache(maxsize=_CACHED)
def constant(symbol: clingo.Symbol) -> Constant:
    """Return the constant of an ASP symbol; `symbol` is the inverse function.

    Raises:
        LarsError: The symbol denotes no constant of LARS, such as a tuple, `-a`, `f(1)` and `#inf`.
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
    raise LarsError(f"the ASP term {symbol} stands for no RDF term, plain constant or number")


@lru_cache(maxsize=_CACHED)
def symbol_of(text: str) -> clingo.Symbol:
    """Return the ASP symbol of an argument text.

    >>> print(symbol_of("<x:a>"), symbol_of("3"), symbol_of("wet"), symbol_of("'Wet'"))
    "<x:a>" 3 wet symbol("Wet")
    """
    if text[:1] in '<"' or text[:2] == "_:":
        return clingo.String(text)
    return symbol(constant_of(text))


_TUPLES_AT_ONCE: Final = 10_000


def tuples_of(rows: Iterable[Sequence[str | int]]) -> Iterator[clingo.Symbol]:
    """Yield each row of argument texts and integers as a tuple for clingo.

    Clingo reads the text of many tuples together, which takes half the time of a call for each tuple.

    >>> print(*tuples_of([("<x:a>", "3"), ("'Wet'",), ()]))
    ("<x:a>",3) (symbol("Wet"),) ()
    """
    remaining = iter(rows)
    while some := [
        f"({','.join(map(_written, row))}{',' * (len(row) == 1)}),"
        for row in islice(remaining, _TUPLES_AT_ONCE)
    ]:
        yield from clingo.parse_term(f"({''.join(some)})").arguments


@lru_cache(maxsize=_CACHED)
def _written(text: str | int) -> str:
    """Return an argument text or an integer in the syntax of ASP."""
    if isinstance(text, int):
        return str(text)
    if (text[:1] not in '<"' and text[:2] != "_:") or not text.isprintable():
        return str(symbol_of(text))
    # Most terms of a trace occur once, and making a symbol of each would take most of the time.
    escaped = text.replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'


def text_of(symbol: clingo.Symbol) -> str:
    """Return the argument text of an ASP symbol; `symbol_of` is the inverse function."""
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if symbol.type == clingo.SymbolType.Function:
        return write_name(symbol.arguments[0].string if symbol.arguments else symbol.name)
    return str(symbol)


def asp_text(constant: Constant) -> str:
    r"""Return the text of a constant in an ASP program, which is one line.

    >>> print(asp_text(Literal('say "hi"')), asp_text(Number(-3)))
    "\"say \\\"hi\\\"\"" -3
    """
    return str(symbol(constant))


_PLAIN: Final = re.compile(r"[A-Za-z0-9_]+")


class RuleNames:
    """The names of a rule's variables in ASP, and a supply of new names.

    `natural` are the variables that are known to be time points. For these variables, ASP's remainder
    operator gives the same result as mod of LARS.
    """

    def __init__(self, natural: frozenset[Variable] = frozenset()) -> None:
        self.natural = natural
        self._odd: dict[Variable, str] = {}
        self._fresh = 0

    def term(self, term: Term) -> str:
        """Return the ASP text of a term."""
        if not isinstance(term, Variable):
            return asp_text(term)
        if _PLAIN.fullmatch(term.name):
            return f"V{term.name}"
        return self._odd.setdefault(term, f"O{len(self._odd)}")

    def terms(self, atom: Atom) -> list[str]:
        """Return the ASP texts of an atom's arguments."""
        return [self.term(argument) for argument in atom.arguments]

    def fresh(self) -> str:
        """Return a new number, to append to the names of auxiliary variables A, B and U of a literal."""
        self._fresh += 1
        return str(self._fresh)

    def arithmetic(self, side: Arithmetic) -> str:
        """Return an arithmetic expression in ASP, in which mod is the remainder of floor division."""
        match side:
            case Operation("mod", left, Number(value)) if left in self.natural and value > 0:
                return f"({self.arithmetic(left)}\\{value})"
            case Operation("mod", left, right):
                return _remainder(self.arithmetic(left), self.arithmetic(right))
            case Operation("/", left, right):
                # ASP divides towards zero and LARS downwards. Without the remainder, both results are equal.
                one, other = self.arithmetic(left), self.arithmetic(right)
                return f"((({one})-{_remainder(one, other)})/({other}))"
            case Operation(operator, left, right):
                return f"({self.arithmetic(left)}{operator}{self.arithmetic(right)})"
            case _:
                return self.term(side)


def _remainder(left: str, right: str) -> str:
    return f"(((({left})\\({right}))+({right}))\\({right}))"


def comparison(condition: Comparison, names: RuleNames) -> str:
    """Return a comparison in ASP, in which <, <=, > and >= hold only between numbers, as in LARS."""
    left, right = names.arithmetic(condition.left), names.arithmetic(condition.right)
    # ASP orders all terms. Multiplication by 1 is undefined for terms that are not numbers.
    if condition.relation not in ("=", "!="):
        left, right = f"{left}*1", f"{right}*1"
    return f"{left} {condition.relation} {right}"


GREATEST: Final = 2**30
"""The greatest time point and the greatest number; the sum of two such numbers fits in 32 bits."""


def wrapping(side: Arithmetic, names: RuleNames) -> Iterator[str]:
    """Yield ASP conditions, at least one of which is true if the arithmetic exceeds 32 bits.

    A condition can also be true although all results fit in 32 bits, because each operand whose absolute
    value exceeds 2^30 makes a condition true.
    """
    for part in _operations(side):
        if _greatest(part, names.natural) is not None:
            continue
        left, right = f"({names.arithmetic(part.left)})", f"({names.arithmetic(part.right)})"
        for operand in (left, right):
            # Multiplied by 1, since ASP also orders terms that are not numbers.
            yield f"{operand}*1 > {GREATEST}"
            yield f"{operand}*1 < {-GREATEST}"
        if part.operator == "*":
            yield f"{right}*1 != 0; |{left}| > {GREATEST}/|{right}|"


def _operations(side: Arithmetic) -> Iterator[Operation]:
    if isinstance(side, Operation):
        yield side
        yield from _operations(side.left)
        yield from _operations(side.right)


def _greatest(side: Arithmetic, natural: frozenset[Variable]) -> int | None:
    """Return an upper bound of an expression's absolute value; None if no bound within 32 bits is known."""
    match side:
        case Number(value):
            bound: int | None = abs(value)
        case Operation(operator, left, right):
            bounds = _greatest(left, natural), _greatest(right, natural)
            known = [bound for bound in bounds if bound is not None]
            # For mod and /, the ASP text adds the divisor to a remainder, so a sum bounds them too.
            whole = prod(known) if operator == "*" else sum(known)
            bound = whole if len(known) == len(bounds) else None
        case Variable() if side in natural:
            bound = GREATEST
        case _:
            bound = None
    return bound if bound is not None and bound < 2 * GREATEST else None


RESERVED: Final = frozenset(("now", "timeline", "window", "arrival", "newest", "oldest", "kept"))
_PREDICATE = re.compile(r"_*[a-z][A-Za-z0-9_]*'*")


def predicate_name(base: str) -> str:
    """Return the ASP name of a program's predicate.

    All other names in the ASP text contain a prime (') or are reserved, so they differ from these names.

    A name that ASP does not allow is written in hexadecimal, so that different names stay different.

    >>> predicate_name("near"), predicate_name("now"), predicate_name("ans1'"), predicate_name("Né")
    ('near', "user'now", "ans1'", "named'x4ec3a9")
    """
    if not _PREDICATE.fullmatch(base):
        return f"named'x{base.encode(errors='surrogatepass').hex()}"
    return f"user'{base}" if base in RESERVED or base == "not" else base


def call(name: str, arguments: Sequence[str]) -> str:
    """Return the ASP text of a predicate with the given arguments."""
    return f"{name}({','.join(arguments)})" if arguments else name
