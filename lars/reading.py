"""Reading the parts of a rule: its head, formulas, windows and comparisons."""

import re
from typing import Final

from lars.expressions import read_expression
from lars.formulas import (
    Arithmetic,
    Assign,
    At,
    BodyLiteral,
    Box,
    Comparison,
    Diamond,
    Expression,
    Formula,
    In,
    Not,
    Operation,
    Operator,
    Relation,
    Test,
    Truth,
)
from lars.program import Head
from lars.scanner import Scanner
from lars.terms import Atom, Number, Variable
from lars.windows import Bounds, Ties, TimeWindow, TupleWindow, Window

_COMMA: Final = re.compile(",")
_NOT, _NOT_WORD = re.compile(r"¬|~|not(?!\w)"), re.compile(r"not(?!\w)")
_DIAMOND, _BOX = re.compile("◇|<>"), re.compile(r"□|\[\s*\]")
_AT, _WINDOW, _TRUE = re.compile("@_"), re.compile(r"(?:⊞|\[\+\])\s*\^"), re.compile(r"true(?!\w)")
_OPEN, _CLOSE = re.compile(r"\("), re.compile(r"\)")
_BRACKET, _UNBRACKET, _ASSIGN = re.compile(r"\["), re.compile(r"\]"), re.compile(":=")
_BRACE, _UNBRACE, _HASH = re.compile(r"\{"), re.compile(r"\}"), re.compile("#")
_SIZE: Final = re.compile(r"([0-9]{1,1000})(?!\w)|(?:∞|inf(?!\w))|(now(?!\w))", re.IGNORECASE)
_COUNT: Final = re.compile(r"([0-9]{1,1000})(?!\w)")
_ZERO: Final = re.compile("0+(?![0-9])")
_BY, _PREDICATE = re.compile(r"by(?!\w)"), re.compile(r"predicate(?!\w)")
_TIES: Final = re.compile(rf"(?:{'|'.join(ties.value for ties in Ties)})(?!\w)")
_BRACED: Final = "{30,0,5}, {30 low-open}, {#5 <iri>} or {#5 by 1,2 choose}"
_ENDS: Final = re.compile("|".join(bounds.value for bounds in Bounds))
_RELATION: Final = re.compile(r"!=|≠|<=|≤|>=|≥|=|<(?!>)|>")
_RELATIONS: Final = {"≠": Relation.UNEQUAL, "≤": Relation.AT_MOST, "≥": Relation.AT_LEAST}
_SUM, _PRODUCT = re.compile(r"[+\-]"), re.compile(r"[*/]|mod(?!\w)")
_COMPARED: Final = re.compile(rf"{_RELATION.pattern}|{_SUM.pattern}|{_PRODUCT.pattern}|:=")


def read_head(scanner: Scanner) -> Head:
    """Read an atom or @_T atom."""
    if scanner.accept(_AT):
        return At(_time(scanner), _atom(scanner, "an atom after @ in a head"))
    return _atom(scanner, "a rule: an atom or @_T atom as its head, or ← (:-)")


def read_body(scanner: Scanner) -> tuple[BodyLiteral, ...]:
    """Read the literals of a body."""
    found = [_literal(scanner)]
    while scanner.accept(_COMMA):
        found.append(_literal(scanner))
    return tuple(found)


def _literal(scanner: Scanner) -> BodyLiteral:
    if _is_condition(scanner):
        return Test(_condition(scanner))
    if scanner.peek(_NOT):
        named = scanner.peek(_NOT_WORD)
        scanner.accept(_NOT)
        if not _is_condition(scanner):
            return Not(_formula(scanner))
        if named:
            scanner.fail("a formula: a condition is negated as ¬[…] (~[…]), which is not true of an error")
        return Test(_condition(scanner), value=False)
    return _formula(scanner) if _is_formula(scanner) else _comparison(scanner)


def _is_condition(scanner: Scanner) -> bool:
    return scanner.peek(_BRACKET) and not scanner.peek(_BOX) and not scanner.peek(_WINDOW)


def _is_formula(scanner: Scanner) -> bool:
    if any(map(scanner.peek, (_DIAMOND, _BOX, _AT, _WINDOW, _TRUE))):
        return True
    start = scanner.skip()
    is_atom = scanner.name() is not None and not scanner.peek(_COMPARED)
    scanner.offset = start
    return is_atom


def _condition(scanner: Scanner) -> Expression:
    scanner.expect(_BRACKET, "[")
    found = read_expression(scanner)
    scanner.expect(_UNBRACKET, "an operator or the ] that ends a condition")
    return found


def _formula(scanner: Scanner) -> Formula:
    if scanner.accept(_NOT):
        return Not(_formula(scanner))
    if scanner.accept(_DIAMOND):
        return Diamond(_formula(scanner))
    if scanner.accept(_BOX):
        return Box(_formula(scanner))
    if scanner.accept(_AT):
        return At(_time(scanner), _formula(scanner))
    if scanner.accept(_WINDOW):
        return In(_window(scanner), _formula(scanner))
    if scanner.accept(_TRUE):
        return Truth()
    return _atom(scanner, "a formula: an atom, true, not, ¬ (~), ◇ (<>), □ ([]), @_T or ⊞^n ([+]^n)")


def _atom(scanner: Scanner, accepted: str) -> Atom:
    name = scanner.name()
    if name is None:
        scanner.fail(accepted)
    if not scanner.accept(_OPEN):
        return Atom(name)
    arguments = [scanner.term()]
    while scanner.accept(_COMMA):
        arguments.append(scanner.term())
    scanner.expect(_CLOSE, ", or )")
    return Atom(name, tuple(arguments))


def _time(scanner: Scanner) -> Variable | Number:
    return scanner.variable() or scanner.number() or scanner.fail("a variable or a time point after @_")


def _window(scanner: Scanner) -> Window:
    braced = scanner.accept(_BRACE) is not None
    window = _tuples(scanner, braced=braced) if scanner.accept(_HASH) else _times(scanner, braced=braced)
    if braced:
        scanner.expect(
            _UNBRACE,
            "the } that ends a window, as in {30}, {30,0,5 low-open}, {#5 <iri>} or {#5 by 1,2 choose}",
        )
    return window


def _tuples(scanner: Scanner, *, braced: bool) -> TupleWindow:
    size = int(scanner.expect(_COUNT, "a number of tuples").group(1))
    if not braced:
        return TupleWindow(size)
    by = _places(scanner) if scanner.accept(_BY) else None
    source = None if scanner.peek(_TIES) or scanner.peek(_UNBRACE) else scanner.constant()
    ties = scanner.accept(_TIES)
    return TupleWindow(size, source, Ties(ties.group()) if ties else Ties.ARRIVAL, by)


def _places(scanner: Scanner) -> tuple[int, ...]:
    if scanner.accept(_PREDICATE):
        return ()
    found = [_place(scanner)]
    while scanner.accept(_COMMA):
        found.append(_place(scanner))
    return tuple(found)


def _place(scanner: Scanner) -> int:
    if scanner.peek(_ZERO):
        scanner.fail("an argument's place, counted from 1")
    return int(
        scanner.expect(_COUNT, "the places of the arguments that part the stream, or predicate").group(1)
    )


def _times(scanner: Scanner, *, braced: bool) -> TimeWindow:
    size = scanner.expect(
        _SIZE, "a window: 30, ∞ (inf), now, #5, {30,0,5}, {30 low-open}, {#5 <iri>} or {#5 by 1 all}"
    )
    past = 0 if size.group(2) else None if size.group(1) is None else int(size.group(1))
    future, step, ends = 0, 1, Bounds.CLOSED
    if braced and scanner.accept(_COMMA):
        future = int(scanner.expect(_COUNT, "the window's reach after the pivot").group(1))
        scanner.expect(_COMMA, "a comma and the window's step")
        if scanner.peek(_ZERO):
            scanner.fail("a step of at least 1")
        step = int(scanner.expect(_COUNT, "the window's step").group(1))
    if braced and (found := scanner.accept(_ENDS)):
        ends = Bounds(found.group())
    return TimeWindow(past, future, step, ends)


def _comparison(scanner: Scanner) -> Comparison | Assign:
    left = _sum(scanner, "a formula, a comparison or a [SPARQL condition]")
    if isinstance(left, Variable) and scanner.accept(_ASSIGN):
        return Assign(left, _condition(scanner))
    found = scanner.expect(_RELATION, "a relation: = != < <= > >=, or := after a variable").group()
    relation = _RELATIONS.get(found) or Relation(found)
    return Comparison(left, relation, _sum(scanner, "a term or ("))


def _sum(scanner: Scanner, accepted: str) -> Arithmetic:
    left = _product(scanner, accepted)
    while found := scanner.accept(_SUM):
        left = Operation(Operator(found.group()), left, _product(scanner, "a term or ("))
    return left


def _product(scanner: Scanner, accepted: str) -> Arithmetic:
    left = _side(scanner, accepted)
    while found := scanner.accept(_PRODUCT):
        left = Operation(Operator(found.group()), left, _side(scanner, "a term or ("))
    return left


def _side(scanner: Scanner, accepted: str) -> Arithmetic:
    if not scanner.accept(_OPEN):
        return scanner.term(accepted)
    inner = _sum(scanner, "a term or (")
    scanner.expect(_CLOSE, "an operator or )")
    return inner
