"""The parser of the parts of a rule: head, formulas, comparisons, and windows after ⊞^ or [+]^."""

import re
from collections.abc import Mapping
from typing import Final, get_args

from lars.language import formulas as logic
from lars.language import windows
from lars.language.program import Head
from lars.language.terms import Atom, Constant, Number, Term, Variable
from lars.text import condition_parser
from lars.text.scanner import TERM, Scanner

_COMMA, _HASH, _QUOTE = re.compile(","), re.compile("#"), re.compile("'")

_SIZE: Final = re.compile(r"([0-9]{1,1000})(?!\w)|(?:∞|inf(?!\w))|(now(?!\w))", re.IGNORECASE)
_COUNT: Final = re.compile(r"([0-9]{1,1000})(?!\w)")
_FUTURE: Final = re.compile(r"(-?[0-9]{1,1000})(?!\w)")
_ZERO: Final = re.compile("0+(?![0-9])")
_SLIDING: Final = re.compile(r"sliding(?!\w)")
_LAST: Final = re.compile(r"last(?!\w)")
_FROM, _TO = re.compile(r"from(?!\w)"), re.compile(r"to(?!\w)")
_CAUSAL: Final = re.compile(r"causal(?!\w)")
_BY, _PREDICATE = re.compile(r"by(?![\w:])"), re.compile(r"predicate(?!\w)")
_TIES: Final = re.compile(rf"(?:{'|'.join(windows.TIES)})(?![\w:])")
_ENDS: Final = re.compile("|".join(get_args(windows.Bounds)))


def read_window(scanner: Scanner) -> windows.Window:
    """Read a window: a size such as 30 or #5, or a size and further parameters in braces."""
    braced = scanner.accept(_BRACE) is not None
    window: windows.Window
    if braced and scanner.accept(_SLIDING):
        window = _active(scanner)
    elif braced and scanner.accept(_LAST):
        window = _last(scanner)
    elif braced and scanner.accept(_FROM):
        window = _fixed(scanner)
    elif scanner.accept(_HASH):
        window = _tuples(scanner, braced=braced)
    else:
        window = _times(scanner, braced=braced)
    if braced:
        scanner.expect(
            _UNBRACE,
            "the } that ends a window, as in {30}, {30,0,5 low-open}, {#5 <iri>} or {#5 by 1,2 choose}",
        )
    return window


def _tuples(scanner: Scanner, *, braced: bool) -> windows.TupleWindow:
    size = int(scanner.expect(_COUNT, "a number of tuples").group(1))
    if not braced:
        return windows.TupleWindow(size)
    by = _places(scanner) if scanner.accept(_BY) else None
    source = None if scanner.peek(_TIES) or scanner.peek(_UNBRACE) else _source(scanner)
    ties = scanner.accept(_TIES)
    return windows.TupleWindow(size, source, windows.TIES[ties.group()] if ties else "arrival", by)


def _active(scanner: Scanner) -> windows.SlidingWindow:
    slides, opens = "the window's slide", "the time at which the first window opens"
    width = _positive(scanner, "the window's width")
    scanner.expect(_COMMA, f"a comma and {slides}")
    slide = _positive(scanner, slides)
    scanner.expect(_COMMA, f"a comma and {opens}")
    return windows.SlidingWindow(width, slide, int(scanner.expect(_FUTURE, opens).group(1)))


def _last(scanner: Scanner) -> windows.LastWindow:
    slides, opens = "the window's slide", "the time at which the first window opens, 0 or more"
    width = _positive(scanner, "the window's width")
    scanner.expect(_COMMA, f"a comma and {slides}")
    slide = _positive(scanner, slides)
    scanner.expect(_COMMA, f"a comma and {opens}")
    start, ends = int(scanner.expect(_COUNT, opens).group(1)), scanner.accept(_ENDS)
    return windows.LastWindow(width, slide, start, _bounds(ends) if ends else "high-open")


def _bounds(word: re.Match[str]) -> windows.Bounds:
    return next(bounds for bounds in get_args(windows.Bounds) if bounds == word.group())


def _fixed(scanner: Scanner) -> windows.FixedWindow:
    first = int(scanner.expect(_COUNT, "the first time point").group(1))
    scanner.expect(_TO, "to and the last time point")
    last = int(scanner.expect(_COUNT, "the last time point").group(1))
    return windows.FixedWindow(first, last, scanner.accept(_CAUSAL) is not None)


def _positive(scanner: Scanner, what: str) -> int:
    if scanner.peek(_ZERO):
        scanner.fail(f"{what}, at least 1")
    return int(scanner.expect(_COUNT, what).group(1))


def _places(scanner: Scanner) -> tuple[int, ...]:
    if scanner.accept(_PREDICATE):
        return ()
    return scanner.listed(lambda: _place(scanner))


def _place(scanner: Scanner) -> int:
    if scanner.peek(_ZERO):
        scanner.fail("an argument's place, counted from 1")
    return int(
        scanner.expect(
            _COUNT, "the places of the arguments that partition the stream, or the word predicate"
        ).group(1)
    )


def _source(scanner: Scanner) -> Constant:
    start = scanner.skip()
    is_word = not scanner.peek(_QUOTE) and scanner.name() is not None
    scanner.offset = start
    if is_word:
        # As a stream's name it would hide a misspelt choose.
        scanner.fail("all, choose, arrival, by 1,2, or a stream: <iri>, e:name, or 'name' in quotes")
    return scanner.constant()


def _times(scanner: Scanner, *, braced: bool) -> windows.TimeWindow:
    size = scanner.expect(
        _SIZE, "a window: 30, ∞ (inf), now, #5, {30,0,5}, {30 low-open}, {#5 <iri>} or {#5 by 1 all}"
    )
    past = 0 if size.group(2) else None if size.group(1) is None else int(size.group(1))
    future, step = 0, 1
    if braced and scanner.accept(_COMMA):
        future = _future(scanner, past)
        scanner.expect(_COMMA, "a comma and the window's step")
        step = _positive(scanner, "the window's step")
    ends = scanner.accept(_ENDS) if braced else None
    return windows.TimeWindow(past, future, step, _bounds(ends) if ends else "closed")


def _future(scanner: Scanner, past: int | None) -> int:
    start = scanner.skip()
    future = int(scanner.expect(_FUTURE, "the window's reach after the pivot").group(1))
    if past is not None and future < -past:
        scanner.offset = start
        scanner.fail(f"{-past} or more: the window ends where it begins, {past} before the pivot, or later")
    return future


_NOT, _NOT_WORD = re.compile(r"¬|~|not(?![\w:])"), re.compile(r"not(?![\w:])")
_DIAMOND, _BOX = re.compile("◇|<>"), re.compile(r"□|\[\s*\]")
_AT, _WINDOW = re.compile(r"@_|@(?=[A-Z?0-9{])"), re.compile(r"(?:⊞|\[\+\])(?:\s*\^)?")
_TRUE, _CAPITAL = re.compile(r"true(?![\w:])"), re.compile(r"[A-Z]\w*\s*\(")
_HIDDEN: Final = re.compile(r"_+[A-Z]")
_OPEN, _CLOSE = re.compile(r"\("), re.compile(r"\)")
_BRACKET, _UNBRACKET, _ASSIGN = re.compile(r"\["), re.compile(r"\]"), re.compile(":=")
_BRACE, _UNBRACE = re.compile(r"\{"), re.compile(r"\}")
_RELATION: Final = re.compile(r"!=|≠|==|<=|≤|>=|≥|=|<(?!>)|>")
_RELATIONS: Final[Mapping[str, logic.Relation]] = {
    **logic.RELATIONS,
    "==": "=",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
}
_SUM, _PRODUCT = re.compile(r"[+\-]"), re.compile(r"[*/]|mod(?!\w)")
_ARITHMETIC: Final = re.compile(rf"{_SUM.pattern}|{_PRODUCT.pattern}")
_COMPARED: Final = re.compile(rf"{_RELATION.pattern}|{_ARITHMETIC.pattern}|:=")
_ASSIGNED: Final = f"a [SPARQL expression], or an aggregate: {', '.join(logic.AGGREGATES)}"
_NAMED: Final = "; the name of a predicate begins with a lower-case letter, or is in quotes, as in 'Near'(X)"


_CHOICE, _CHOOSES = "; a choice is two rules: p ← a, not q. and q ← a, not p.", re.compile(r"[0-9]*\s*\{")
_AT_HEAD: Final[Mapping[str, str]] = {
    "#": "; programs have no directives such as #show (use --show) or #const, and % begins a comment",
    "/": "; % begins a comment",
    ":": "; programs have no weak constraints",
    "-": "; a negated predicate is a predicate such as not_p, with the constraint ← p(X), not_p(X).",
}
"""What a rule has instead of what other languages have at its beginning, by the first character there."""
_AT_LITERAL: Final[Mapping[str, str]] = {
    "-": "; negation is not or ¬, and -X is 0 - X",
    "!": "; negation is not or ¬",
    "#": "; an aggregate is ?n := COUNT(*) of p(X)",
}
_AT_RELATION: Final[Mapping[str, str]] = {
    "\\": "; unequal is !=, and the remainder is X mod 2",
    "<": "; unequal is !=",
}


def _instead(scanner: Scanner, remedies: Mapping[str, str]) -> str:
    if scanner.peek(_CHOOSES):
        return _CHOICE
    return remedies.get(scanner.text[scanner.skip() : scanner.offset + 1], "")


def read_head(scanner: Scanner) -> Head:
    """Read the head of a rule: an atom, or @_T and an atom."""
    if scanner.accept(_AT):
        return logic.At(_time(scanner), _atom(scanner, "an atom after @ in a head"))
    begins = "a rule: an atom or @_T atom as its head, or ← (:-)"
    return _atom(scanner, begins + _instead(scanner, _AT_HEAD))


def what_may_follow(scanner: Scanner) -> str:
    """Return what may follow a literal of a body, for an error message."""
    window = "; write a window before its atom, as in ⊞^3 ◇ p" if scanner.peek(_BRACKET) else ""
    return f"a comma or the . that ends a rule{window}"


def read_body(scanner: Scanner) -> tuple[tuple[int, logic.BodyLiteral], ...]:
    """Read the literals of a body; return each literal with the offset of its first character."""
    return scanner.listed(lambda: (scanner.skip(), _literal(scanner)))


def _literal(scanner: Scanner) -> logic.BodyLiteral:
    if _is_condition(scanner):
        return logic.Test(_condition(scanner))
    if scanner.peek(_NOT):
        named = scanner.peek(_NOT_WORD)
        scanner.accept(_NOT)
        if not _is_condition(scanner):
            return logic.Not(_formula(scanner))
        if named:
            scanner.fail(
                "a formula after not; write ¬[…] (~[…]) to negate a condition, which is false for an error"
            )
        return logic.Test(_condition(scanner), value=False)
    if not _is_formula(scanner):
        return _comparison(scanner)
    formula = _formula(scanner)
    return (
        condition_parser.read_among(scanner, formula)
        if isinstance(formula, Atom) and scanner.accept(condition_parser.AMONG)
        else formula
    )


def _is_condition(scanner: Scanner) -> bool:
    return scanner.peek(_BRACKET) and not scanner.peek(_BOX) and not scanner.peek(_WINDOW)


def _is_formula(scanner: Scanner) -> bool:
    if any(map(scanner.peek, (_DIAMOND, _BOX, _AT, _WINDOW, _TRUE))):
        return True
    start = scanner.skip()
    is_atom = scanner.name() is not None and not scanner.peek(_COMPARED)
    scanner.offset = start
    return is_atom


def _condition(scanner: Scanner, accepted: str = "[") -> logic.Expression:
    scanner.expect(_BRACKET, accepted)
    term = condition_parser.read_expression(scanner)
    scanner.expect(_UNBRACKET, "an operator or the ] that ends a condition")
    return term


def _formula(scanner: Scanner) -> logic.Formula:
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
    arguments = scanner.listed(lambda: read_term(scanner))
    if scanner.peek(_ARITHMETIC):
        scanner.fail(", or ): write arithmetic in a comparison, as in p(Y), Y = X + 1")
    scanner.expect(_CLOSE, ", or ): a term has no arguments of its own" if scanner.peek(_OPEN) else ", or )")
    return Atom(name, arguments)


def read_term(scanner: Scanner, accepted: str = TERM) -> Term:
    """Read a term of a rule, or raise PlacedError with the expected form."""
    if scanner.peek(_HIDDEN):
        # A variable in other languages: read as a name, it would silently match nothing.
        scanner.fail("a variable without _, such as Y, or a name in quotes, such as '_Y'")
    return scanner.term(accepted)


def _time(scanner: Scanner) -> Variable | Number:
    braced = scanner.accept(_BRACE)
    time = scanner.variable() or scanner.number()
    if time is None:
        scanner.fail("a variable or a time point after @_")
    if braced:
        scanner.expect(_UNBRACE, "the } after a time, as in @_{T}")
    return time


def is_comparison(scanner: Scanner) -> bool:
    """Return whether the text at the current offset is a comparison and not a formula."""
    return not _is_formula(scanner)


def read_comparison(scanner: Scanner) -> logic.Comparison:
    """Read a comparison of terms or of arithmetic expressions over terms."""
    left = _sum(scanner, "a term or (")
    return _compared(scanner, left, "a relation: = != < <= > >=")


def _compared(scanner: Scanner, left: logic.Arithmetic, accepted: str) -> logic.Comparison:
    between = scanner.text[scanner.ended : scanner.skip()]
    more = "; % begins a comment, and the remainder is X mod 2" if "%" in between else ""
    text = scanner.expect(_RELATION, accepted + (more or _instead(scanner, _AT_RELATION))).group()
    right = _sum(scanner, f"a term or ({_instead(scanner, _AT_LITERAL)}")
    return logic.Comparison(left, _RELATIONS[text], right)


def _comparison(scanner: Scanner) -> logic.Comparison | logic.Assign | logic.Gather:
    start, accepted = scanner.skip(), "a formula, a comparison or a [SPARQL condition]"
    left = _sum(scanner, accepted + _instead(scanner, _AT_LITERAL))
    if scanner.peek(_OPEN):
        scanner.offset = start
        scanner.fail(accepted + _NAMED)
    if isinstance(left, Variable) and scanner.accept(_ASSIGN):
        return (
            _gather(scanner, left)
            if scanner.peek(condition_parser.AGGREGATE)
            else logic.Assign(left, _condition(scanner, _ASSIGNED))
        )
    return _compared(scanner, left, "a relation: = != < <= > >=, or := after a variable")


def _gather(scanner: Scanner, variable: Variable) -> logic.Gather:
    aggregation = condition_parser.read_aggregation(scanner)
    scanner.expect(
        condition_parser.OF, "of and the atom whose instances are aggregated, as in COUNT(*) of p(X)"
    )
    return logic.Gather(
        variable, aggregation, _atom(scanner, "an atom after of"), condition_parser.read_keys(scanner)
    )


def _sum(scanner: Scanner, accepted: str) -> logic.Arithmetic:
    left = _product(scanner, accepted)
    while match := scanner.accept(_SUM):
        left = logic.Operation(logic.OPERATORS[match.group()], left, _product(scanner, "a term or ("))
    return left


def _product(scanner: Scanner, accepted: str) -> logic.Arithmetic:
    left = _side(scanner, accepted)
    while match := scanner.accept(_PRODUCT):
        left = logic.Operation(logic.OPERATORS[match.group()], left, _side(scanner, "a term or ("))
    return left


def _side(scanner: Scanner, accepted: str) -> logic.Arithmetic:
    if not scanner.accept(_OPEN):
        return read_term(scanner, accepted)
    inner = _sum(scanner, "a term or (")
    scanner.expect(_CLOSE, "an operator or )")
    return inner
