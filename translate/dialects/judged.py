"""The layout of a query that pyoxigraph judges: a piece of text for each token, syntax alone.

Every variable and label is written as another one, and SELECT names constants, so no rule of scope
is broken: those are for the reader of the tree, who knows the places.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from translate.dialects.lifted import Lifted
from translate.dialects.numbering import counts_all, sparql_word
from translate.dialects.tokens import Kind, Token

_GLUED: Final = ("COALESCE", "CONCAT", "BNODE")
# pyoxigraph has aggregates in SELECT queries only: behind the pattern of others they are functions.
_OUTSIDE: Final = {
    **dict.fromkeys(("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"), "<x:x>"),
    ";": ",",
    "SEPARATOR": '"x"',
}


def judged(tokens: Sequence[Token], lifted: Lifted) -> Iterator[tuple[int, str]]:
    """Yield each token that is not hidden as its index and what pyoxigraph reads for it."""
    levels = [_Level()]
    selects: bool | None = None
    for index, token in enumerate(tokens):
        if index in lifted.hidden:
            continue
        level = levels[-1]
        if selects is None and token.kind is Kind.WORD and index >= lifted.names.after:
            selects = token.says("SELECT")
        level.see(token)
        if index in lifted.blocks:
            yield index, "GRAPH <w:>"
        elif token.kind is Kind.VARIABLE:
            yield index, _variable(tokens, index, level)
        elif level.selecting and token.says("BOUND") and _calls_variable(tokens, index):
            yield index, "STR"
        elif len(levels) == 1 and not selects:
            yield index, _outside(tokens, index)
        else:
            yield index, _spelled(tokens, index)
        if token.says("{"):
            levels.append(_Level())
        elif token.says("}") and len(levels) > 1:
            levels.pop()


@dataclass(slots=True)
class _Level:
    """What is open between two braces: a SELECT clause, and how many brackets in it."""

    selecting: bool = field(default=False)
    brackets: int = 0

    def see(self, token: Token) -> None:
        """Take in the next token at this level."""
        self.brackets += token.says("(") - token.says(")")
        if token.says("SELECT"):
            self.selecting, self.brackets = True, 0
        elif token.says("WHERE", "FROM") or (token.says("{") and self.brackets <= 0):
            self.selecting = False


def _variable(tokens: Sequence[Token], index: int, level: _Level) -> str:
    if not level.selecting or tokens[index - 1].says("AS"):
        return f"?v{index}"
    return "1" if level.brackets > 0 else f"(1 AS ?v{index})"


def _calls_variable(tokens: Sequence[Token], index: int) -> bool:
    opening, argument, closing = (*tokens[index + 1 : index + 4], None, None, None)[:3]
    if opening is None or argument is None or closing is None:
        return False
    return opening.says("(") and argument.kind is Kind.VARIABLE and closing.says(")")


def _spelled(tokens: Sequence[Token], index: int) -> str:
    # Right by the grammar, but refused by pyoxigraph: TRUE, !(), and a space between COALESCE and (.
    # A < that is no IRI would be read up to the next >: all comparisons stand at the same places.
    token = tokens[index]
    if token.kind is Kind.BLANK:
        return f"_:v{index}"
    if token.says("<", "<="):
        return "="
    if token.says("TRUE", "FALSE"):
        return token.text.lower()
    if token.says(*_GLUED) and index + 1 < len(tokens) and tokens[index + 1].says("("):
        return f"{token.text}("
    if token.says("(") and index > 0 and tokens[index - 1].says(*_GLUED):
        return ""
    if token.says("(") and tokens[index - 1].says("!") and tokens[index + 1].says(")"):
        return "(<x:x>"
    return re.sub(r"[\r\n]", " ", sparql_word(tokens, index))


def _outside(tokens: Sequence[Token], index: int) -> str:
    token = tokens[index]
    if token.says("DISTINCT") and tokens[index - 1].says("("):
        return ""
    if counts_all(tokens, index):
        return "1"
    return _OUTSIDE[token.text.upper()] if token.says(*_OUTSIDE) else _spelled(tokens, index)
