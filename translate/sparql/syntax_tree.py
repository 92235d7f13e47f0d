"""SPARQL 1.1 underneath the dialects: the exact place of an error, and the syntax tree.

Two parsers read the same tokens, each laid out as it needs them. pyoxigraph judges the syntax:
every token gets a slot that is wider than any keyword, so the farthest
point its parser reached names the token that is wrong. rdflib gives the tree:
every term in it is the number of its token, so the tree knows its
places and no term is changed on the way.
"""

import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from lars.durations import Duration
from lars.errors import PlacedError
from lars.language.formulas import AGGREGATES
from lars.language.terms import Iri, Variable
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.query import MergedStream, ToStream
from translate.sparql.tokens import Document, Names, Token, TokenKind, is_name

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue


@dataclass(frozen=True, slots=True)
class AnyWindow:
    """WINDOW ?w of RSP-QL: the variable ranges over the declared windows, each with its name.

    WINDOW ?w {P} is the union, in this order, of Join(P read in the stream, Values((?w,), ((name,),))).
    As a GRAPH ?w it stands in `variables`, for FILTERs in P ?w is unbound. Where no window is declared,
    and for a name that none has, it has no solution, as GRAPH of a name that the dataset does not have.
    """

    name: Iri | Variable
    windows: tuple[StreamBlock, ...]


@dataclass(frozen=True, slots=True)
class StreamingClauses:
    """The streaming clauses of a query; without the `hidden` tokens the rest is SPARQL 1.1.

    `blocks` maps the token STREAM or WINDOW of each block to what it reads, as a block without its pattern;
    in SPARQL the token stands as GRAPH <..> (all up to the block's { is hidden). The other fields are
    those of EngineQuery of the same names.
    """

    names: Names
    hidden: frozenset[int] = frozenset()
    name: str | None = None
    every: Duration | None = None
    merged: tuple[MergedStream, ...] = ()
    blocks: Mapping[int, StreamBlock | AnyWindow] = field(default_factory=dict)
    declared: tuple[MergedStream, ...] = ()
    to_stream: ToStream | None = None
    registers_stream: bool = False
    notes: tuple[str, ...] = ()


TERM: Final = re.compile(r"([tui]):?(\d+)")
_OPERANDS: Final = (
    TokenKind.VARIABLE,
    TokenKind.NUMBER,
    TokenKind.STRING,
    TokenKind.TAG,
    TokenKind.IRI,
    TokenKind.NAME,
)
_BARE: Final = ("RAND", "NOW", "UUID", "STRUUID", "BNODE", "COALESCE", "CONCAT")
_SIGNS: Final = ("!", "+", "-")


def visible(document: Document, lifted: StreamingClauses) -> Iterator[tuple[int, Token]]:
    """Yield the tokens of the SPARQL query without the prologue, each with its index."""
    for index, token in enumerate(document.tokens[:-1]):
        if index >= lifted.names.after and index not in lifted.hidden:
            yield index, token


def rdflib_query(document: Document, lifted: StreamingClauses) -> str:
    """Return the query for rdflib: each term is the number of its first token."""
    tokens, pieces = document.tokens, [""]
    brackets = _Brackets()
    closed: Counter[int] = Counter()
    for index, token in visible(document, lifted):
        brackets.see(tokens, index)
        piece = f"GRAPH <t:{index}>" if index in lifted.blocks else _piece(tokens, index, brackets)
        if _is_sign(tokens, index) and _is_sign(tokens, index - 1):
            # !!?x is !(!?x): rdflib reads one sign, as the grammar of SPARQL 1.1 does.
            piece = f"( {piece}"
            closed[_end_of_primary(tokens, index + 1)] += 1
        if token.is_word("*", "+", "?") and piece == token.text:
            pieces[-1] += piece  # rdflib wants the modifier of a path right behind it
        else:
            pieces.append(piece)
        pieces[-1] += " )" * closed[index]
    return " ".join(pieces)


@dataclass(slots=True)
class _Brackets:
    """The brackets that are open before a token, and what stands in them."""

    opened: list[tuple[bool, bool, bool]] = field(default_factory=list)
    calculates: bool = False
    clause: bool = False
    call: bool = False
    negates: bool = False

    def see(self, tokens: Sequence[Token], index: int) -> None:
        """Take in the next token.

        In ( ) of FILTER, BIND and of the clauses that take expressions a signed number behind an
        operand is a sum; in other brackets it is a term of its own.
        """
        token = tokens[index]
        if token.is_word("FILTER", "BIND"):
            self.call = True
        elif token.is_word("SELECT", "GROUP", "HAVING", "ORDER"):
            self.clause = True
        elif token.is_word("WHERE", "FROM", "VALUES", "BINDINGS"):
            self.clause = False
        elif token.is_word("(", "[", "{"):
            self.opened.append((self.calculates, self.clause, self.negates))
            self.negates = token.text == "(" and tokens[index - 1].is_word("!")
            self.calculates = token.text == "(" and (self.calculates or self.clause or self.call)
            self.call = False
            self.clause = False
        elif token.is_word(")", "]", "}") and self.opened:
            self.calculates, self.clause, self.negates = self.opened.pop()


def _piece(tokens: Sequence[Token], index: int, brackets: _Brackets) -> str:
    token, before = tokens[index], tokens[index - 1]
    match token.kind:
        case TokenKind.TAG:
            return ""
        case TokenKind.VARIABLE:
            return f"?t{index}"
        case TokenKind.BLANK:
            return f"_:t{index}"
        case TokenKind.NUMBER:
            if before.is_word("LIMIT", "OFFSET"):
                return token.text
            sum_ = brackets.calculates and _is_operand(before) and token.text[0] in "+-"
            return f"{token.text[0]} <u:{index}>" if sum_ else f"<t:{index}>"
        case TokenKind.STRING:
            return f'"t:{index}"' if tokens[index - 2].is_word("SEPARATOR") else f"<t:{index}>"
        case TokenKind.IRI | TokenKind.NAME:
            return "" if _in_datatype(tokens, index) else _property(tokens, index, brackets)
        case _:
            return _word(tokens, index, brackets)


def _word(tokens: Sequence[Token], index: int, brackets: _Brackets) -> str:
    token, before = tokens[index], tokens[index - 1]
    if token.text == "a":
        return _property(tokens, index, brackets)
    if token.is_word("TRUE", "FALSE", "UNDEF") or (token.is_word(*_BARE) and has_no_argument(tokens, index)):
        return f"<t:{index}>"
    if counts_all(tokens, index):
        return f"<t:{index}>"
    if token.is_word("^^") and _in_datatype(tokens, index):
        return ""
    if token.is_word("^") and (brackets.negates or before.is_word("!")):
        return ""
    return sparql_word(tokens, index)


def sparql_word(tokens: Sequence[Token], index: int) -> str:
    """Return a word or symbol as SPARQL 1.1 writes it.

    SERVICE becomes GRAPH, which has the same syntax: no parser is to do anything about a service.
    BINDINGS ?x ?y {..}, which drafts of SPARQL 1.1 had, is VALUES (?x ?y) {..}.
    """
    token = tokens[index]
    if token.is_word("SERVICE"):
        return "GRAPH"
    if token.is_word("SILENT") and tokens[index - 1].is_word("SERVICE"):
        return ""
    if token.is_word("BINDINGS"):
        return "VALUES ("
    first = index - 1
    while token.is_word("{") and first > 0 and tokens[first].kind is TokenKind.VARIABLE:
        first -= 1
    return ") {" if token.is_word("{") and tokens[first].is_word("BINDINGS") else token.text


def _property(tokens: Sequence[Token], index: int, brackets: _Brackets) -> str:
    inverse = tokens[index - 1].is_word("^") and (brackets.negates or tokens[index - 2].is_word("!"))
    return f"<{'i' if inverse else 't'}:{index}>"


def has_no_argument(tokens: Sequence[Token], index: int) -> bool:
    """Whether () follows the token."""
    return tokens[index + 1].is_word("(") and tokens[index + 2].is_word(")")


def counts_all(tokens: Sequence[Token], index: int) -> bool:
    """Whether the token is the * of COUNT(*)."""
    before = index - 2 if tokens[index - 1].is_word("DISTINCT") else index - 1
    return tokens[index].is_word("*") and tokens[before].is_word("(")


def _is_operand(token: Token) -> bool:
    return token.kind in _OPERANDS or token.is_word(")", "}", "TRUE", "FALSE")


def _is_sign(tokens: Sequence[Token], index: int) -> bool:
    return tokens[index].is_word(*_SIGNS) and not _is_operand(tokens[index - 1])


def _end_of_primary(tokens: Sequence[Token], index: int) -> int:
    """Return the index of the last token of the primary expression that starts at a token."""
    while tokens[index].is_word(*_SIGNS, "NOT", "EXISTS"):
        index += 1
    if index + 1 < len(tokens) and tokens[index + 1].is_word("(") and not tokens[index].is_word("(", "{"):
        index += 1
    if tokens[index].kind is TokenKind.STRING and tokens[index + 1].is_word("^^"):
        return index + 2
    if tokens[index].kind is TokenKind.STRING and tokens[index + 1].kind is TokenKind.TAG:
        return index + 1
    depth = 0
    for end in range(index, len(tokens)):
        depth += tokens[end].is_word("(", "{", "[") - tokens[end].is_word(")", "}", "]")
        if depth <= 0:
            return end
    return len(tokens) - 1


def _in_datatype(tokens: Sequence[Token], index: int) -> bool:
    mark = index if tokens[index].is_word("^^") else index - 1
    return (
        tokens[mark].is_word("^^") and tokens[mark - 1].kind is TokenKind.STRING and is_name(tokens[mark + 1])
    )


_GLUED: Final = ("COALESCE", "CONCAT", "BNODE")
# pyoxigraph has aggregates in SELECT queries only: behind the pattern of others they are functions.
_OUTSIDE: Final = {
    **dict.fromkeys(AGGREGATES, "<x:x>"),
    ";": ",",
    "SEPARATOR": '"x"',
}


def pyoxigraph_pieces(tokens: Sequence[Token], lifted: StreamingClauses) -> Iterator[tuple[int, str]]:
    """Yield each token that is not hidden as its index and what pyoxigraph reads for it."""
    levels = [_Level()]
    selects: bool | None = None
    for index, token in enumerate(tokens):
        if index in lifted.hidden:
            continue
        level = levels[-1]
        if selects is None and token.kind is TokenKind.WORD and index >= lifted.names.after:
            selects = token.is_word("SELECT")
        level.see(token)
        if index in lifted.blocks:
            yield index, "GRAPH <w:>"
        elif token.kind is TokenKind.VARIABLE:
            yield index, _variable(tokens, index, level)
        elif level.selecting and token.is_word("BOUND") and _calls_variable(tokens, index):
            yield index, "STR"
        elif len(levels) == 1 and not selects:
            yield index, _outside(tokens, index)
        else:
            yield index, _spelled(tokens, index)
        if token.is_word("{"):
            levels.append(_Level())
        elif token.is_word("}") and len(levels) > 1:
            levels.pop()


@dataclass(slots=True)
class _Level:
    """What is open between two braces: a SELECT clause, and how many brackets in it."""

    selecting: bool = field(default=False)
    brackets: int = 0

    def see(self, token: Token) -> None:
        """Take in the next token at this level."""
        self.brackets += token.is_word("(") - token.is_word(")")
        if token.is_word("SELECT"):
            self.selecting, self.brackets = True, 0
        elif token.is_word("WHERE", "FROM") or (token.is_word("{") and self.brackets <= 0):
            self.selecting = False


def _variable(tokens: Sequence[Token], index: int, level: _Level) -> str:
    if not level.selecting or tokens[index - 1].is_word("AS"):
        return f"?v{index}"
    return "1" if level.brackets > 0 else f"(1 AS ?v{index})"


def _calls_variable(tokens: Sequence[Token], index: int) -> bool:
    opening, argument, closing = (*tokens[index + 1 : index + 4], None, None, None)[:3]
    if opening is None or argument is None or closing is None:
        return False
    return opening.is_word("(") and argument.kind is TokenKind.VARIABLE and closing.is_word(")")


def _spelled(tokens: Sequence[Token], index: int) -> str:
    # Right by the grammar, but refused by pyoxigraph: TRUE, !(), and a space between COALESCE and (.
    # A < that is no IRI would be read up to the next >: all comparisons stand at the same places.
    token = tokens[index]
    if token.kind is TokenKind.BLANK:
        return f"_:v{index}"
    if token.is_word("<", "<="):
        return "="
    if token.kind is TokenKind.NAME:  # :a.b.c is refused there
        prefix, colon, local = token.text.partition(":")
        return prefix + colon + local.replace(".", "-")
    if token.kind is TokenKind.IRI and ":" not in token.text:  # ?a<5&&?b>3 is read as comparisons there
        return "<x:x>"
    if token.is_word("TRUE", "FALSE"):
        return token.text.lower()
    if token.is_word(*_GLUED) and index + 1 < len(tokens) and tokens[index + 1].is_word("("):
        return f"{token.text}("
    if token.is_word("(") and index > 0 and tokens[index - 1].is_word(*_GLUED):
        return ""
    if token.is_word("(") and tokens[index - 1].is_word("!") and tokens[index + 1].is_word(")"):
        return "(<x:x>"
    return re.sub(r"[\r\n]", " ", sparql_word(tokens, index))


def _outside(tokens: Sequence[Token], index: int) -> str:
    token = tokens[index]
    if token.is_word("DISTINCT") and tokens[index - 1].is_word("("):
        return ""
    if counts_all(tokens, index):
        return "1"
    return _OUTSIDE[token.text.upper()] if token.is_word(*_OUTSIDE) else _spelled(tokens, index)


COVERED: Final = "queries of SPARQL 1.1 with windows; its functions, casts to types of XSD, and timestamp"
_WORDS: Final = {
    "LATERAL": "LATERAL",
    "VERSION": "VERSION of SPARQL 1.2",
    **{word: f"the operator {word}" for word in ("ISTREAM", "DSTREAM", "RSTREAM")},
}
_FUNCTIONS: Final = (
    "TRIPLE", "SUBJECT", "PREDICATE", "OBJECT", "ISTRIPLE", "LANGDIR", "HASLANG", "HASLANGDIR", "STRLANGDIR",
    "ADJUST",
)  # fmt: skip
_PAIRS: Final = {
    ("AGGREGATE", "{"): "AGGREGATE of the drafts of C-SPARQL",
    ("<", "<"): "triple terms",
    ("{", "|"): "annotations",
}
_SLOT: Final = 40
_DIGITS: Final = 18
_LONG: Final = 10_000
"""Characters of a query whose tree is too large to be kept."""
_SAMPLES: Final = {
    "a variable": "?x", "an IRI": "<x:x>", "a literal": '"x"', "an integer": "1",
    **{text: text for text in ("{", "}", "(", ")", "[", "]", ".", ";", ",", "=", "&&", "||", "*", "AS")},
    **{text: text for text in ("SELECT", "CONSTRUCT", "DESCRIBE", "ASK", "FROM", "WHERE", "BY", "FILTER")},
    **{text: text for text in ("OPTIONAL", "GRAPH", "GROUP", "ORDER", "LIMIT")},
}  # fmt: skip


def read_tree(document: Document, lifted: StreamingClauses) -> "tuple[CompValue, PlacedError | None]":
    """Return rdflib's tree of the query, and what pyoxigraph found wrong in it.

    Both parsers accept every query that is right. What pyoxigraph alone rejects the reader of the
    tree may place better. Raises the error that comes first in the text: a construct that is not
    covered, or a mistake of syntax.
    """
    wrong = _first_wrong(lifted, document.tokens)
    unsupported = _first_unsupported(document, lifted)
    if unsupported is not None and unsupported[0] <= wrong:
        raise unsupported[1]
    _check_counts(document)
    start = document.place(document.tokens[lifted.names.after].start)
    try:
        text = rdflib_query(document, lifted)
        tree = _parse(text) if len(text) > _LONG else _remembered(text)
    except RecursionError:
        raise QueryError(start, "the query is too long to be read: several thousand patterns") from None
    # That the text ends too early only rdflib says: what follows a query is no mistake before it.
    ends = wrong == len(document.tokens) - 1
    if ends and tree is not None:
        return tree, None
    if ends and _is_whole(lifted, document.tokens):
        raise QueryError(start, "this is no query of SPARQL 1.1")
    error = _syntax_error(document, lifted, wrong)
    if tree is None:
        raise error
    return tree, error


def _first_unsupported(document: Document, lifted: StreamingClauses) -> tuple[int, UnsupportedError] | None:
    tokens = document.tokens
    for index, token in visible(document, lifted):
        following = tokens[index + 1]
        construct = _WORDS.get(token.text.upper()) if token.kind is TokenKind.WORD else None
        if token.is_word(*_FUNCTIONS) and following.is_word("("):
            construct = f"the function {token} of SPARQL 1.2"
        if token.end == following.start or token.kind is TokenKind.WORD:
            construct = _PAIRS.get((token.text.upper(), following.text), construct)
        if construct is not None:
            return index, UnsupportedError(construct, document.place(token.start), covered=COVERED)
    return None


def _check_counts(document: Document) -> None:
    for before, token in zip(document.tokens, document.tokens[1:], strict=False):
        if before.is_word("LIMIT", "OFFSET") and token.kind is TokenKind.NUMBER and len(token.text) > _DIGITS:
            raise document.unexpected(token, f"an integer of at most {_DIGITS} digits")


def _first_wrong(lifted: StreamingClauses, tokens: Sequence[Token], ending: tuple[str, ...] = ()) -> int:
    """Return the index of the first token that cannot stand where it does, by pyoxigraph's parser.

    The index of the end means that the text begins a query, or is one. With an `ending`, an index
    beyond the end means that text and ending begin one.
    """
    from pyoxigraph import Store

    laid_out = tuple(pyoxigraph_pieces(tokens, lifted))
    indices = [index for index, _ in laid_out]
    pieces = [piece for _, piece in laid_out]
    # No query goes on with %: so every text is wrong somewhere, and none is ever evaluated.
    slots = [piece.ljust(len(piece) + _SLOT) for piece in (*pieces[:-1], *ending, "%")]
    starts = list(accumulate(map(len, slots), initial=0))
    column = None
    try:
        Store().query("".join(slots), base_iri="http://base.invalid/")
    except SyntaxError as error:
        column = re.match(r"error at 1:(\d+)", str(error))
    slot = bisect_right(starts, int(column[1]) - 1) - 1 if column else 0
    return indices[slot] if slot < len(indices) else len(tokens)


def _is_whole(lifted: StreamingClauses, tokens: Sequence[Token]) -> bool:
    """Whether a text that begins a query is one: then a clause that it does not have can follow."""
    if sum(token.is_word("{") - token.is_word("}") for token in tokens) > 0:
        return False
    endings = (("LIMIT", "0"), ("OFFSET", "0"), ("VALUES", "(", ")", "{", "}"))
    return any(_first_wrong(lifted, tokens, ending) == len(tokens) for ending in endings)


def _syntax_error(document: Document, lifted: StreamingClauses, wrong: int) -> QueryError:
    """Return the error at a token, with what pyoxigraph accepts in its stead."""
    for _, token in visible(document, lifted):
        if token.kind is TokenKind.NAME and token.start <= document.tokens[wrong].start:
            lifted.names.iri(token)  # raises at an undeclared prefix, which is why the token is wrong
    before, accepted = document.tokens[:wrong], []
    clauses = StreamingClauses(
        lifted.names,
        frozenset(index for index in lifted.hidden if index < wrong),
        blocks={index: stream for index, stream in lifted.blocks.items() if index < wrong},
    )
    for name, text in _SAMPLES.items():
        kind = TokenKind.WORD if text.isalpha() else TokenKind.SYMBOL
        tried = (*before, Token(kind, text, 0), Token(TokenKind.END, "", 0))
        if _first_wrong(clauses, tried) == wrong + 1:
            accepted.append(name)
    if "a literal" in accepted:
        accepted.remove("an integer")
    return document.unexpected(document.tokens[wrong], _names_text(accepted) or "the end of the query")


def _names_text(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@lru_cache(maxsize=1024)
def _remembered(text: str) -> "CompValue | None":
    """Return the tree of a query of usual length, which nobody changes.

    Queries that differ in their terms alone have one: terms are numbers there, and parsing takes most of
    the time.
    """
    return _parse(text)


def _parse(text: str) -> "CompValue | None":
    """Return rdflib's tree, or None when rdflib does not accept the text."""
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql.parser import parseQuery

    try:
        tree: CompValue = parseQuery(text)[1]
    except (ParseBaseException, ValueError, TypeError, LookupError, AttributeError):
        return None
    return tree


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit: rdflib's parser recurses for every triple, and in many frames."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 200_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
