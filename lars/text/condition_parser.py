"""The parser of SPARQL conditions, of aggregates and of `among` in rule bodies."""

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from lars.language import formulas
from lars.language.terms import XSD, Atom, Literal, Number, Symbol, Variable
from lars.text.scanner import VARIABLE, Scanner

_LEVELS: Final = (
    re.compile(r"(\|\|)"),
    re.compile(r"(&&)"),
    re.compile(r"(!=|≠|<=|≤|>=|≥|=|<|>|(?:NOT\s+)?IN(?!\w))", re.IGNORECASE),
    re.compile(r"([+\-])"),
    re.compile(r"([*/])"),
)
_COMPARING: Final = 2
_SPELLED: Final = {"≠": "!=", "≤": "<=", "≥": ">="}
_PREFIX: Final = re.compile(r"(!(?!=)|-)")
_OPEN, _CLOSE, _COMMA = re.compile(r"\("), re.compile(r"\)"), re.compile(",")
_BARE: Final = (
    (re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+(?!\w)"), XSD + "double"),
    (re.compile(r"[+-]?[0-9]*\.[0-9]+(?!\w)"), XSD + "decimal"),
    (re.compile(r"[+-]?[0-9]+(?!\w)"), XSD + "integer"),
    (re.compile(r"(?:true|false)(?![\w:])"), XSD + "boolean"),
)
_NUMBER: Final = re.compile(r"#(-?[0-9]{1,1000})(?!\w)")
_FUNCTION: Final = re.compile(r"([A-Za-z_]\w*)(?=[\s]*\()")


def read_expression(scanner: Scanner) -> formulas.Expression:
    """Read a SPARQL expression with the operator precedences of SPARQL.

    Raise PlacedError for invalid text.
    """
    return _binary(scanner, 0)


def _binary(scanner: Scanner, level: int) -> formulas.Expression:
    if level == len(_LEVELS):
        return _unary(scanner)
    left = _binary(scanner, level + 1)
    while match := scanner.accept(_LEVELS[level]):
        name = _SPELLED.get(match.group(1), match.group(1))
        if name.upper().endswith("IN"):
            left = formulas.Call("IN", (left, *_arguments(scanner)))
            left = left if len(name) == len("IN") else formulas.Call("!", (left,))
        else:
            left = formulas.Call(name, (left, _binary(scanner, level + 1)))
        if level == _COMPARING:
            break
    return left


def _unary(scanner: Scanner) -> formulas.Expression:
    for pattern, datatype in _BARE:
        if match := scanner.accept(pattern):
            return Literal(match.group(), datatype)
    if match := scanner.accept(_PREFIX):
        return formulas.Call("!" if match.group(1) == "!" else "NEG", (_unary(scanner),))
    return _primary(scanner)


def _primary(scanner: Scanner) -> formulas.Expression:
    if scanner.accept(_OPEN):
        inner = read_expression(scanner)
        scanner.expect(_CLOSE, "an operator or )")
        return inner
    if match := scanner.accept(_NUMBER):
        return Number(int(match.group(1)))
    if match := scanner.accept(_FUNCTION):
        return formulas.Call(match.group(1).upper(), _arguments(scanner))
    if (iri := scanner.iri()) is not None:
        return formulas.Call(str(iri), _arguments(scanner)) if scanner.peek(_OPEN) else iri
    if (name := scanner.name()) is not None:
        return Symbol(name)
    accepted = "an expression: ?x, a literal, a number, <iri>, a function, !, - or ("
    return scanner.variable() or scanner.rdf_term() or scanner.fail(accepted)


def _arguments(scanner: Scanner) -> tuple[formulas.Expression, ...]:
    scanner.expect(_OPEN, "(")
    if scanner.accept(_CLOSE):
        return ()
    terms = scanner.listed(lambda: read_expression(scanner))
    scanner.expect(_CLOSE, ", or )")
    return terms


_Key = TypeVar("_Key")

AGGREGATE: Final = re.compile(rf"({'|'.join(formulas.AGGREGATES)})(?=\s*\()", re.IGNORECASE)
AMONG: Final = re.compile(r"among(?![\w:\\])")
OF: Final = re.compile(r"of(?![\w:\\])")
_BY, _DESC = re.compile(r"by(?![\w:\\])"), re.compile(r"desc(?![\w:\\])")
_PER: Final = re.compile(r"per(?![\w:\\])")
_DISTINCT: Final = re.compile(r"distinct(?![\w:\\])", re.IGNORECASE)
_ALL, _SEMICOLON = re.compile(r"\*"), re.compile(";")
_QUOTE: Final = re.compile('"')
_ARGUMENT: Final = re.compile(rf"{VARIABLE.pattern}|\*")
_RANGE: Final = re.compile(r"([0-9]{1,1000})\s*\.\.\s*(?:([0-9]{1,1000})(?!\w))?")
_ENDED: Final = re.compile(rf"[,.]|{_PER.pattern}")


def read_aggregation(scanner: Scanner) -> formulas.Aggregation:
    """Read an aggregate such as COUNT(DISTINCT ?x); raise PlacedError for invalid text."""
    function = scanner.expect(AGGREGATE, ", ".join(formulas.AGGREGATES)).group(1).upper()
    scanner.expect(_OPEN, "(")
    distinct = _distinct(scanner)
    arguments: tuple[Variable, ...] = ()
    if not scanner.accept(_ALL):
        arguments = scanner.listed(lambda: _variable(scanner, "a variable, or * for all instances"))
    separator = _separator(scanner) if scanner.accept(_SEMICOLON) else " "
    scanner.expect(_CLOSE, ", or ; or the ) that ends an aggregate")
    return formulas.Aggregation(function, arguments, distinct, separator)


def _distinct(scanner: Scanner) -> bool:
    # A variable can have that name too; then no other argument follows it at once.
    start = scanner.skip()
    if scanner.accept(_DISTINCT) and scanner.peek(_ARGUMENT):
        return True
    scanner.offset = start
    return False


def _separator(scanner: Scanner) -> str:
    start = scanner.skip()
    term = scanner.rdf_term() if scanner.peek(_QUOTE) else None
    if not (isinstance(term, Literal) and term == Literal(term.lexical)):
        scanner.offset = start
        scanner.fail('the separator in quotes, as ", "')
    return term.lexical


def _variable(scanner: Scanner, accepted: str) -> Variable:
    return scanner.variable() or scanner.fail(accepted)


def read_keys(scanner: Scanner) -> tuple[Variable, ...]:
    """Read `by` and the grouping variables; return () if the text does not continue with `by`."""
    return _grouping(scanner, _BY, "a variable to group by")


def _grouping(scanner: Scanner, word: re.Pattern[str], accepted: str) -> tuple[Variable, ...]:
    if not scanner.accept(word):
        return ()
    return (_variable(scanner, accepted), *_more(scanner, scanner.variable))


def read_among(scanner: Scanner, atom: Atom) -> formulas.Among:
    """Read the text after `among` (ranks, order and `per` variables), and return the order literal."""
    start = scanner.skip()
    match = scanner.expect(_RANGE, "which instances, counted from 1: 1..10, or 11.. for all others")
    first, last = int(match.group(1)), match.group(2)
    if first < 1 or (last is not None and int(last) < first - 1):
        scanner.offset = start
        scanner.fail("a range that begins at 1 or later; 3..2 is an empty one")
    limit = None if last is None else int(last) - first + 1
    order: tuple[formulas.OrderKey, ...] = ()
    if scanner.accept(_BY):
        key = _order(scanner) or scanner.fail("a variable to order by, or desc and a variable")
        order = (key, *_more(scanner, lambda: _order(scanner)))
    return formulas.Among(atom, order, first - 1, limit, _grouping(scanner, _PER, "a variable to count per"))


def _order(scanner: Scanner) -> formulas.OrderKey | None:
    descending = scanner.accept(_DESC) is not None
    variable = scanner.variable()
    return None if variable is None else formulas.OrderKey(variable, descending)


def _more(scanner: Scanner, read: Callable[[], _Key | None]) -> Iterator[_Key]:
    # A variable with an operator behind it begins the next literal.
    start = scanner.offset
    while scanner.accept(_COMMA) and (key := read()) is not None and scanner.peek(_ENDED):
        yield key
        start = scanner.offset
    scanner.offset = start
