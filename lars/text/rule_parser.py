"""Reading the parts of a rule: its head, formulas and comparisons."""

import re
from typing import Final

from lars.language import formulas as logic
from lars.language.formulas import (
    AGGREGATES,
    Arithmetic,
    ArithmeticOperator,
    BodyLiteral,
    Expression,
    Formula,
    Relation,
)
from lars.language.program import Head
from lars.language.terms import Atom, Number, Variable
from lars.text.condition_parser import (
    AGGREGATE,
    AMONG,
    OF,
    read_aggregation,
    read_among,
    read_expression,
    read_keys,
)
from lars.text.scanner import Scanner
from lars.text.window_parser import read_window

_NOT, _NOT_WORD = re.compile(r"¬|~|not(?![\w:])"), re.compile(r"not(?![\w:])")
_DIAMOND, _BOX = re.compile("◇|<>"), re.compile(r"□|\[\s*\]")
_AT, _WINDOW = re.compile(r"@_|@(?=[A-Z?0-9{])"), re.compile(r"(?:⊞|\[\+\])(?:\s*\^)?")
_TRUE, _CAPITAL = re.compile(r"true(?![\w:])"), re.compile(r"[A-Z]\w*\s*\(")
_OPEN, _CLOSE = re.compile(r"\("), re.compile(r"\)")
_BRACKET, _UNBRACKET, _ASSIGN = re.compile(r"\["), re.compile(r"\]"), re.compile(":=")
_BRACE, _UNBRACE = re.compile(r"\{"), re.compile(r"\}")
_RELATION: Final = re.compile(r"!=|≠|==|<=|≤|>=|≥|=|<(?!>)|>")
_RELATIONS: Final = {
    "==": Relation.EQUAL,
    "≠": Relation.UNEQUAL,
    "≤": Relation.AT_MOST,
    "≥": Relation.AT_LEAST,
}
_SUM, _PRODUCT = re.compile(r"[+\-]"), re.compile(r"[*/]|mod(?!\w)")
_ARITHMETIC: Final = re.compile(rf"{_SUM.pattern}|{_PRODUCT.pattern}")
_COMPARED: Final = re.compile(rf"{_RELATION.pattern}|{_ARITHMETIC.pattern}|:=")
_ASSIGNED: Final = f"a [SPARQL expression], or an aggregate: {', '.join(AGGREGATES)}"
_NAMED: Final = "; a predicate's name begins with a lower-case letter or stands in quotes, as in 'Near'(X)"


def read_head(scanner: Scanner) -> Head:
    """Read an atom or @_T atom."""
    if scanner.accept(_AT):
        return logic.At(_time(scanner), _atom(scanner, "an atom after @ in a head"))
    return _atom(scanner, "a rule: an atom or @_T atom as its head, or ← (:-)")


def read_body(scanner: Scanner) -> tuple[tuple[int, BodyLiteral], ...]:
    """Read the literals of a body, each with the offset at which it begins."""
    return scanner.listed(lambda: (scanner.skip(), _literal(scanner)))


def _literal(scanner: Scanner) -> BodyLiteral:
    if _is_condition(scanner):
        return logic.Test(_condition(scanner))
    if scanner.peek(_NOT):
        named = scanner.peek(_NOT_WORD)
        scanner.accept(_NOT)
        if not _is_condition(scanner):
            return logic.Not(_formula(scanner))
        if named:
            scanner.fail("a formula: a condition is negated as ¬[…] (~[…]), which is not true of an error")
        return logic.Test(_condition(scanner), value=False)
    if not _is_formula(scanner):
        return _comparison(scanner)
    found = _formula(scanner)
    return read_among(scanner, found) if isinstance(found, Atom) and scanner.accept(AMONG) else found


def _is_condition(scanner: Scanner) -> bool:
    return scanner.peek(_BRACKET) and not scanner.peek(_BOX) and not scanner.peek(_WINDOW)


def _is_formula(scanner: Scanner) -> bool:
    if any(map(scanner.peek, (_DIAMOND, _BOX, _AT, _WINDOW, _TRUE))):
        return True
    start = scanner.skip()
    is_atom = scanner.name() is not None and not scanner.peek(_COMPARED)
    scanner.offset = start
    return is_atom


def _condition(scanner: Scanner, accepted: str = "[") -> Expression:
    scanner.expect(_BRACKET, accepted)
    found = read_expression(scanner)
    scanner.expect(_UNBRACKET, "an operator or the ] that ends a condition")
    return found


def _formula(scanner: Scanner) -> Formula:
    if scanner.accept(_NOT):
        return logic.Not(_formula(scanner))
    if scanner.accept(_DIAMOND):
        return logic.Diamond(_formula(scanner))
    if scanner.accept(_BOX):
        return logic.Box(_formula(scanner))
    if scanner.accept(_AT):
        return logic.At(_time(scanner), _formula(scanner))
    if scanner.accept(_WINDOW):
        return logic.In(read_window(scanner), _formula(scanner))
    if scanner.accept(_TRUE):
        return logic.Truth()
    return _atom(scanner, "a formula: an atom, true, not, ¬ (~), ◇ (<>), □ ([]), @_T or ⊞^n ([+]^n)")


def _atom(scanner: Scanner, accepted: str) -> Atom:
    name = scanner.name()
    if name is None:
        scanner.fail(accepted + _NAMED if scanner.peek(_CAPITAL) else accepted)
    if not scanner.accept(_OPEN) or scanner.accept(_CLOSE):
        return Atom(name)
    arguments = scanner.listed(scanner.term)
    if scanner.peek(_ARITHMETIC):
        scanner.fail(", or ): arithmetic stands in a comparison, as in p(Y), Y = X + 1")
    scanner.expect(_CLOSE, ", or ): a term has no arguments of its own" if scanner.peek(_OPEN) else ", or )")
    return Atom(name, arguments)


def _time(scanner: Scanner) -> Variable | Number:
    braced = scanner.accept(_BRACE)
    found = scanner.variable() or scanner.number()
    if found is None:
        scanner.fail("a variable or a time point after @_")
    if braced:
        scanner.expect(_UNBRACE, "the } after a time, as in @_{T}")
    return found


def _comparison(scanner: Scanner) -> logic.Comparison | logic.Assign | logic.Gather:
    start, accepted = scanner.skip(), "a formula, a comparison or a [SPARQL condition]"
    left = _sum(scanner, accepted)
    if scanner.peek(_OPEN):
        scanner.offset = start
        scanner.fail(accepted + _NAMED)
    if isinstance(left, Variable) and scanner.accept(_ASSIGN):
        return (
            _gather(scanner, left)
            if scanner.peek(AGGREGATE)
            else logic.Assign(left, _condition(scanner, _ASSIGNED))
        )
    found = scanner.expect(_RELATION, "a relation: = != < <= > >=, or := after a variable").group()
    relation = _RELATIONS.get(found) or Relation(found)
    return logic.Comparison(left, relation, _sum(scanner, "a term or ("))


def _gather(scanner: Scanner, variable: Variable) -> logic.Gather:
    aggregation = read_aggregation(scanner)
    scanner.expect(OF, "of and the atom whose instances are aggregated, as in COUNT(*) of p(X)")
    return logic.Gather(variable, aggregation, _atom(scanner, "an atom after of"), read_keys(scanner))


def _sum(scanner: Scanner, accepted: str) -> Arithmetic:
    left = _product(scanner, accepted)
    while found := scanner.accept(_SUM):
        left = logic.Operation(ArithmeticOperator(found.group()), left, _product(scanner, "a term or ("))
    return left


def _product(scanner: Scanner, accepted: str) -> Arithmetic:
    left = _side(scanner, accepted)
    while found := scanner.accept(_PRODUCT):
        left = logic.Operation(ArithmeticOperator(found.group()), left, _side(scanner, "a term or ("))
    return left


def _side(scanner: Scanner, accepted: str) -> Arithmetic:
    if not scanner.accept(_OPEN):
        return scanner.term(accepted)
    inner = _sum(scanner, "a term or (")
    scanner.expect(_CLOSE, "an operator or )")
    return inner
