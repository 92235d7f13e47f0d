"""Reading SPARQL conditions: the inverse of `lars.formulas.write_expression`."""

import re
from typing import Final

from lars.formulas import Call, Expression
from lars.scanner import Scanner
from lars.terms import XSD, Literal, Number, Symbol

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
    (re.compile(r"-?[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+(?!\w)"), XSD + "double"),
    (re.compile(r"-?[0-9]*\.[0-9]+(?!\w)"), XSD + "decimal"),
    (re.compile(r"-?[0-9]+(?!\w)"), XSD + "integer"),
    (re.compile(r"(?:true|false)(?![\w:])"), XSD + "boolean"),
)
_NUMBER: Final = re.compile(r"#(-?[0-9]{1,1000})(?!\w)")
_FUNCTION: Final = re.compile(r"([A-Za-z_]\w*)(?=[\s]*\()")


def read_expression(scanner: Scanner) -> Expression:
    """Read a SPARQL expression with SPARQL's precedences, or raise PlacedError."""
    return _binary(scanner, 0)


def _binary(scanner: Scanner, level: int) -> Expression:
    if level == len(_LEVELS):
        return _unary(scanner)
    left = _binary(scanner, level + 1)
    while found := scanner.accept(_LEVELS[level]):
        name = _SPELLED.get(found.group(1), found.group(1))
        if name.upper().endswith("IN"):
            left = Call("IN", (left, *_arguments(scanner)))
            left = left if len(name) == len("IN") else Call("!", (left,))
        else:
            left = Call(name, (left, _binary(scanner, level + 1)))
        if level == _COMPARING:
            break
    return left


def _unary(scanner: Scanner) -> Expression:
    for pattern, datatype in _BARE:
        if found := scanner.accept(pattern):
            return Literal(found.group(), datatype)
    if found := scanner.accept(_PREFIX):
        return Call("!" if found.group(1) == "!" else "NEG", (_unary(scanner),))
    return _primary(scanner)


def _primary(scanner: Scanner) -> Expression:
    if scanner.accept(_OPEN):
        inner = read_expression(scanner)
        scanner.expect(_CLOSE, "an operator or )")
        return inner
    if found := scanner.accept(_NUMBER):
        return Number(int(found.group(1)))
    if found := scanner.accept(_FUNCTION):
        return Call(found.group(1).upper(), _arguments(scanner))
    if (iri := scanner.iri()) is not None:
        return Call(str(iri), _arguments(scanner)) if scanner.peek(_OPEN) else iri
    if (name := scanner.name()) is not None:
        return Symbol(name)
    accepted = "an expression: ?x, a literal, a number, <iri>, a function, !, - or ("
    return scanner.variable() or scanner.rdf_term() or scanner.fail(accepted)


def _arguments(scanner: Scanner) -> tuple[Expression, ...]:
    scanner.expect(_OPEN, "(")
    if scanner.accept(_CLOSE):
        return ()
    found = [read_expression(scanner)]
    while scanner.accept(_COMMA):
        found.append(read_expression(scanner))
    scanner.expect(_CLOSE, ", or )")
    return tuple(found)
