"""The parser of queries: it builds the syntax tree, or finds the exact place of an error.

sparql.lark is the grammar of SPARQL 1.1. The grammars of the other languages extend sparql.lark. The parse
tables are .json files next to the grammars. The tables are generated in advance, because their generation
takes long. The LALR(1) parser reads one token after another, so an error has the exact token and the expected
tokens.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Final

from lars.dataclass import dataclass
from lars.errors import PlacedError
from lars.language.terms import Iri, Variable
from translate.errors import NeedsRdf12Error, UnsupportedError
from translate.model.manner import Terminal
from translate.model.patterns import StreamBlock
from translate.sparql.tokens import FUNCTIONS_12, Document, Token, declared


@dataclass(frozen=True, slots=True)
class AnyWindow:
    """WINDOW ?w of RSP-QL: the variable ?w is bound to the name of each declared window.

    WINDOW ?w {P} is the union, in this order, of Join(P read in the stream, Values((?w,), ((name,),))). As
    with GRAPH ?g, FILTERs in P see ?w as unbound. If no window is declared, or the name of a WINDOW block is
    unknown, the pattern has no solution.
    """

    name: Iri | Variable
    windows: tuple[StreamBlock, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A node of the syntax tree: the match of a grammar rule, with its tokens and its inner matches."""

    name: str
    parts: "tuple[Part, ...]"

    def find(self, name: str) -> "Phrase | None":
        """Return the first direct part that matches the rule `name`, or None."""
        return next((part for part in self.phrases() if part.name == name), None)

    def phrases(self) -> Iterator["Phrase"]:
        """Yield the direct parts of the phrase that are phrases and not tokens."""
        yield from (part for part in self.parts if isinstance(part, Phrase))

    def find_all(self, *names: str) -> Iterator["Phrase"]:
        """Yield the matches of the given grammar rules at any depth, in the order of the text."""
        for part in self.phrases():
            if part.name in names:
                yield part
            yield from part.find_all(*names)

    def has_word(self, *words: str) -> bool:
        """Return whether a token that is a direct part of the phrase is one of the given keywords."""
        return any(isinstance(part, Token) and part.is_word(*words) for part in self.parts)

    def first(self) -> Token:
        """Return the first token; the phrase must contain a token."""
        return next(self.tokens())

    def tokens(self) -> Iterator[Token]:
        """Yield all tokens of the phrase in the order of the text."""
        for part in self.parts:
            if isinstance(part, Phrase):
                yield from part.tokens()
            else:
                yield part


Part = Phrase | Token


_Tables = tuple[list[dict[str, int] | int], list[tuple[str, str | None, str]]]
"""The parse tables: the action of each state at a terminal or after a rule, and the rules.

An action from 0 on is the number of the next state. The action -1 - n ends rule n. A state that is a number
instead of a table ends that rule at any terminal. A rule consists of its key in the states, its name, and a
sign for each part. The sign = keeps a part, and the sign - omits a part. A rule without a name is inlined. If
the signs of a rule begin with 1 and a match has a single part, this part replaces the match.
"""


@cache
def _tables(package: str, name: str) -> _Tables:
    (folder,) = import_module(package).__path__  # importlib.resources takes longer to load than the tables
    content = json.loads(Path(folder, f"{name}.json").read_text("utf-8"))
    return content["states"], content["rules"]


def _nothing(_document: Document, _token: Token) -> PlacedError | None:
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """The grammar of a query language: the place of its parse tables, and its tokens that SPARQL lacks.

    `explain` may return a better error for an unexpected token. The field `window` is an example of a window.
    """

    package: str = "translate.sparql"
    name: str = "sparql"
    terminals: Mapping[str, Terminal] = field(default_factory=dict)
    explain: Callable[[Document, Token], PlacedError | None] = _nothing
    window: str = ""

    @property
    def tables(self) -> _Tables:
        """The parse tables of the grammar."""
        return _tables(self.package, self.name)

    def titles(self) -> dict[str, str]:
        """Return the names that error messages use for terminals.

        Of the keywords in SPARQL's grammar, only NOW and the keywords in `_SHOWN` have a name.
        """
        words = {one for row in self.tables[0] if isinstance(row, dict) for one in row}
        sparql = {one for row in SPARQL.tables[0] if isinstance(row, dict) for one in row}
        keywords = {one: one for one in sorted(words - sparql) if not one.isdigit()}
        return (
            _SHOWN | {"NOW": "NOW"} | keywords | {name: title for name, (_, title) in self.terminals.items()}
        )


SPARQL: Final = Grammar()


@dataclass(slots=True)
class _Parser:
    """The LALR(1) parser's stack of states, and the parts of the syntax tree that it has read."""

    grammar: Grammar
    states: list[int] = field(default_factory=lambda: [0])
    values: "list[Part | list[Part]]" = field(default_factory=list)

    def takes(self, terminal: str, token: Token) -> bool:
        """Read the next token; return False if the token is unexpected."""
        (rows, rules), states = self.grammar.tables, self.states
        while True:
            row = rows[states[-1]]
            action = row if isinstance(row, int) else row.get(terminal)
            if action is None:
                return False
            if action >= 0:
                states.append(action)
                self.values.append(token)
                return True
            rule, name, signs = rules[-1 - action]
            self._end(name, signs)
            following = rows[states[-1]]
            assert not isinstance(following, int)
            states.append(following[rule])

    def _end(self, name: str | None, signs: str) -> None:
        """Replace the last parts on the stack by the match of the grammar rule that they complete."""
        alone, signs = signs.startswith("1"), signs.removeprefix("1")
        start = len(self.values) - len(signs)
        parts: list[Part] = []
        for sign, value in zip(signs, self.values[start:], strict=True):
            if isinstance(value, list):
                parts += value
            elif sign == "=":
                parts.append(value)
        del self.values[start:], self.states[start + 1 :]
        if name is None:
            self.values.append(parts)
        else:
            self.values.append(parts[0] if alone and len(parts) == 1 else Phrase(name, tuple(parts)))

    def would_take(self, terminal: str) -> bool:
        """Return whether the parser can read the given terminal as the next token."""
        copy = _Parser(self.grammar, [*self.states], [*self.values])
        return copy.takes(terminal, Token("the end of the query", "", 0))

    def next(self, document: Document, offset: int) -> tuple[str, Token]:
        """Return the terminal (token class in the grammar) and the next token at or after a character."""
        token = document.token_from(offset)
        row = self.grammar.tables[0][self.states[-1]]
        for name, (pattern, _) in self.grammar.terminals.items():
            if isinstance(row, dict) and name not in row:
                continue
            match = pattern.match(document.bare, token.start)
            if match is not None and self.would_take(name):
                return name, Token("a keyword", match.group(), token.start)
        is_new = not document.rdf12 and token.is_word("~", *FUNCTIONS_12)
        return "" if is_new else _terminal(token), token


_TERMINALS: Final = {
    "an IRI": "iriref",
    "a variable": "variable",
    "a blank node": "blank",
    "a string": "string",
    "a language tag": "tag",
    "the end of the query": "$end",
}


def _terminal(token: Token) -> str:
    """Return the terminal (token class) to which a token belongs in the grammar of SPARQL."""
    match token.kind:
        case "a number":
            signed = token.text[0] in "+-"
            return "signed" if signed else "integer" if token.text.isdigit() else "number"
        case "a prefixed name":
            return "pname" if token.text.partition(":")[2] else "namespace"
        case kind:
            return _TERMINALS.get(kind) or ("type" if token.text == "a" else token.text.upper())


COVERED: Final = "queries of SPARQL 1.1 with windows; its functions, casts to types of XSD, and timestamp"
_COVERED_12: Final = 'SPARQL 1.1; use --rdf 1.2, or VERSION "1.2" in the query, for SPARQL 1.2'
_WORDS: Final = {"LATERAL": ("LATERAL", COVERED), "~": ("reifiers, ~ of SPARQL 1.2,", _COVERED_12)}
_UPDATES: Final = ("WITH", "INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD")
_PAIRS: Final = {
    ("AGGREGATE", "{"): ("AGGREGATE in this form and language", COVERED),
    ("ADJUST", "("): ("the function ADJUST", COVERED),
    ("<", "<"): ("triple terms", _COVERED_12),
    ("{", "|"): ("annotations", _COVERED_12),
}
_SHOWN: Final = {
    "variable": "a variable", "iriref": "an IRI", "string": "a literal", "integer": "an integer",
    "STR": "a function", "namespace": "a prefix and :",
    **{text: text for text in ("{", "}", "(", ")", "[", "]", ".", ";", ",", "=", "&&", "||", "*", "AS")},
    **{text: text for text in ("SELECT", "CONSTRUCT", "DESCRIBE", "ASK", "FROM", "WHERE", "BY", "FILTER")},
    **{text: text for text in ("OPTIONAL", "GRAPH", "GROUP", "ORDER", "LIMIT")},
}  # fmt: skip
"""The expected tokens that messages list; keywords are listed only if they show the position in the query."""
_OF_THEM: Final = {"an integer": "a literal", "a prefix and :": "an IRI", "NOW": "a function"}


def read_tree(document: Document, grammar: Grammar) -> Phrase:
    """Return the syntax tree of a text, with the prologue first; raise QueryError at the first wrong token.

    The error names a construct that another language has or that is not supported.
    """
    parser = _Parser(grammar)
    if (wrong := _first_wrong(document, parser)) is not None:
        raise _error(document, grammar, wrong)
    whole = parser.values[0]
    assert isinstance(whole, Phrase)
    return whole


def reach(document: Document, grammar: Grammar) -> int:
    """Return the offset of the first syntax error; if the text is valid, the length of the text plus one."""
    wrong = _first_wrong(document, _Parser(grammar))
    return len(document.text) + 1 if wrong is None else wrong.start


def _first_wrong(document: Document, parser: _Parser) -> Token | None:
    """Parse a text; return the first unexpected token, or None."""
    offset = 0
    while True:
        terminal, token = parser.next(document, offset)
        if not parser.takes(terminal, token):
            return token
        if token.kind == "the end of the query":
            return None
        offset = token.end


FORMS: Final = ("select", "ask", "construct", "construct_where", "describe")
"""The rules of the grammars that match a query."""


def query_of(tree: Phrase) -> Phrase:
    """Return the part of a text's syntax tree that is the query, without the clauses around the query."""
    *_, query = (part for part in tree.phrases() if part.name in FORMS)
    return query


_NUMBERS: Final = frozenset(("size", "iso"))
"""The terminals of the query languages that are numbers or durations."""
_GLUED: Final = re.compile(r"[\w.+-]+")


def _error(document: Document, grammar: Grammar, wrong: Token) -> PlacedError:
    known = grammar.explain(document, wrong) or _unsupported(document, wrong)
    if known is None and wrong.is_word(*_UPDATES) and wrong == document.tokens[declared(document).after]:
        known = UnsupportedError(f"{wrong} of SPARQL Update", document.place(wrong.start), covered=COVERED)
    if known is not None:
        return known
    # A new parser, because the failed one may have ended rules that an accepted token would not have ended.
    parser, whole, offset, before = _Parser(grammar), declared(document), 0, wrong
    while True:
        terminal, token = parser.next(document, offset)
        if token.start == wrong.start:
            break
        parser.takes(terminal, token)
        if token.kind == "a prefixed name" and not before.is_word("PREFIX", "WINDOW", "ON", "STREAM"):
            whole.iri(token)  # raises at a prefix that is not declared
        offset, before = token.end, token
    shown = [name for terminal, name in grammar.titles().items() if parser.would_take(terminal)]
    shown = [name for name in shown if _OF_THEM.get(name) not in shown]
    accepted = " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
    if shown == ["["]:
        accepted = f"[ and a window, as in {grammar.window}"
    if wrong.kind == "a variable" and any(map(parser.would_take, _NUMBERS & grammar.terminals.keys())):
        construct = "a parameter in the place of a number or a duration"
        return UnsupportedError(construct, document.place(wrong.start), covered=accepted)
    if wrong.kind == "a variable" and any(map(parser.would_take, grammar.terminals)):
        accepted += ", not a variable"
    if wrong.kind == "an IRI" and parser.would_take("<"):
        accepted += ", or a space behind < if < compares"
    if wrong.kind == "a number":  # 2h is two tokens, and one word to its reader
        match = _GLUED.match(document.text, wrong.start)
        wrong = wrong if match is None else replace(wrong, text=match.group())
    return document.unexpected(wrong, accepted or "the end of the query")


def _unsupported(document: Document, wrong: Token) -> UnsupportedError | None:
    """Return the error for the first known unsupported construct up to the token `wrong`, or None."""
    for token, following in pairwise((*document.tokens, document.tokens[-1])):
        known = _WORDS.get(token.text.upper()) if token.kind == "a keyword" or token.text == "~" else None
        if token.is_word(*FUNCTIONS_12) and following.is_word("("):
            known = f"the function {token} of SPARQL 1.2", _COVERED_12
        if document.text.startswith("--", token.end) and token.kind == "a language tag":
            known = "base directions", _COVERED_12
        if token.end == following.start or token.kind == "a keyword":
            known = _PAIRS.get((token.text.upper(), following.text), known)
        if known is not None and not (document.rdf12 and known[1] == _COVERED_12):
            kind = NeedsRdf12Error if known[1] == _COVERED_12 else UnsupportedError
            return kind(known[0], document.place(token.start), covered=known[1])
        if token.start >= wrong.start:
            break
    return None


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise Python's recursion limit in the block, because deeply nested queries have deep syntax trees."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 200_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
