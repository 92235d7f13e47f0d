"""SPARQL 1.1 underneath the dialects: the exact place of an error, and the syntax tree.

Two parsers read the same tokens, each laid out as it needs them. pyoxigraph judges the syntax
(translate.sparql.layouts): every token gets a slot that is wider than any keyword, so the farthest
point its parser reached names the token that is wrong. rdflib gives the tree
(translate.sparql.layouts): every term in it is the number of its token, so the tree knows its
places and no term is changed on the way.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from lars.errors import PlacedError
from translate.errors import QueryError, UnsupportedError
from translate.sparql.layouts import numbered_query, read_tokens, visible
from translate.sparql.names import RDF
from translate.sparql.streaming_clauses import StreamingClauses
from translate.sparql.tokens import Document, Token, TokenKind

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue

COVERED: Final = "queries of SPARQL 1.1 with windows; its functions, casts to types of XSD, and timestamp"
TYPE: Final = RDF + "type"
_WORDS: Final = {
    "LATERAL": "LATERAL",
    "VERSION": "VERSION of SPARQL 1.2",
    **{word: f"the operator {word}" for word in ("ISTREAM", "DSTREAM", "RSTREAM")},
}
_FUNCTIONS: Final = (
    "TRIPLE", "SUBJECT", "PREDICATE", "OBJECT", "ISTRIPLE", "LANGDIR", "HASLANG", "HASLANGDIR", "STRLANGDIR",
    "ADJUST",
)  # fmt: skip
_PAIRS: Final = {("<", "<"): "triple terms", ("{", "|"): "annotations"}
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
        text = numbered_query(document, lifted)
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
        if token.end == following.start:
            construct = _PAIRS.get((token.text, following.text), construct)
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

    laid_out = tuple(read_tokens(tokens, lifted))
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
    kept = StreamingClauses(
        lifted.names,
        frozenset(index for index in lifted.hidden if index < wrong),
        blocks={index: stream for index, stream in lifted.blocks.items() if index < wrong},
    )
    for name, text in _SAMPLES.items():
        kind = TokenKind.WORD if text.isalpha() else TokenKind.SYMBOL
        tried = (*before, Token(kind, text, 0), Token(TokenKind.END, "", 0))
        if _first_wrong(kept, tried) == wrong + 1:
            accepted.append(name)
    if "a literal" in accepted:
        accepted.remove("an integer")
    return document.unexpected(document.tokens[wrong], _listed(accepted) or "the end of the query")


def _listed(names: list[str]) -> str:
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
