"""SPARQL 1.1 underneath the dialects: the exact place of an error, and the syntax tree.

Two parsers read the same tokens, each laid out as it needs them. pyoxigraph judges the syntax: every
token gets a slot that is wider than any keyword, so the farthest point its parser reached names the
token that is wrong. rdflib gives the tree: every term in it is written as the number of its token
(<t:7>, ?t7, _:t7), so the tree knows its places and no term is changed on the way.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, Final

from lars.errors import PlacedError
from translate.dialects.lifted import Lifted
from translate.dialects.names import RDF, is_name
from translate.dialects.tokens import Document, Kind, Token
from translate.errors import QueryError, UnsupportedError

COVERED: Final = (
    "SELECT and ASK over basic graph patterns, windows, UNION, OPTIONAL, MINUS, GRAPH, FILTER and BIND"
)
_AGGREGATES: Final = ("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT")
_OUTSIDE: Final = ("NOW", "RAND", "UUID", "STRUUID", "BNODE")
_CONSTRUCTS: Final = {
    "CONSTRUCT": "CONSTRUCT",
    "DESCRIBE": "DESCRIBE",
    "GROUP": "GROUP BY",
    "HAVING": "HAVING",
    "LIMIT": "LIMIT",
    "OFFSET": "OFFSET",
    "VALUES": "VALUES",
    "BINDINGS": "BINDINGS",
    "EXISTS": "EXISTS",
    "SERVICE": "SERVICE",
    "LATERAL": "LATERAL",
    **{word: f"the aggregate {word}" for word in _AGGREGATES},
    **{word: f"the function {word}, whose value is no part of the stream" for word in _OUTSIDE},
    **{word: f"the operator {word}" for word in ("ISTREAM", "DSTREAM", "RSTREAM")},
}
_GLUED: Final = ("COALESCE", "CONCAT", "BNODE")
_SLOT: Final = 40
_OPERANDS: Final = (Kind.VARIABLE, Kind.NUMBER, Kind.STRING, Kind.TAG, Kind.IRI, Kind.NAME)
_SAMPLES: Final = {
    "a variable": "?x", "an IRI": "<x:x>", "a literal": '"x"',
    **{text: text for text in ("{", "}", "(", ")", "[", "]", ".", ";", ",", "=", "&&", "||", "*", "AS")},
    **{text: text for text in ("SELECT", "ASK", "FROM", "WHERE", "BY", "FILTER", "OPTIONAL", "GRAPH")},
}  # fmt: skip


def read_tree(document: Document, lifted: Lifted) -> tuple[Any, PlacedError | None]:
    """Return rdflib's tree of the query, and what pyoxigraph found wrong in it.

    Both parsers accept every query that is right. What pyoxigraph alone rejects breaks a rule of
    scope: the reader of the tree knows its place better. Raises the error that comes first in the
    text: a construct that is not covered, or a mistake of syntax.
    """
    wrong = _first_wrong(lifted, document.tokens)
    unsupported = _first_unsupported(document, lifted)
    if unsupported is not None and (wrong is None or unsupported[0] <= wrong):
        raise unsupported[1]
    error = None if wrong is None else _syntax_error(document, lifted, wrong)
    start = document.place(document.tokens[lifted.names.after].start)
    try:
        tree = _parse(_numbered(document, lifted))
    except RecursionError:
        raise QueryError(start, "the query is too long to be read: several thousand patterns") from None
    if tree is None:
        raise error or QueryError(start, "this is no query of SPARQL 1.1")
    return tree, error


def _first_unsupported(document: Document, lifted: Lifted) -> tuple[int, UnsupportedError] | None:
    selected = False
    for index, token in _visible(document, lifted):
        construct = _CONSTRUCTS.get(token.text.upper()) if token.kind is Kind.WORD else None
        if token.says("SELECT"):
            construct, selected = "a subquery" if selected else None, True
        if construct is not None:
            first = index
            if token.says("EXISTS") and document.tokens[index - 1].says("NOT"):
                construct, first = "NOT EXISTS", index - 1
            place = document.place(document.tokens[first].start)
            return first, UnsupportedError(construct, place, covered=COVERED)
    return None


def _visible(document: Document, lifted: Lifted) -> Iterator[tuple[int, Token]]:
    """Yield the tokens of the SPARQL query without the prologue, each with its index."""
    for index, token in enumerate(document.tokens[:-1]):
        if index >= lifted.names.after and index not in lifted.hidden:
            yield index, token


def _first_wrong(lifted: Lifted, tokens: Sequence[Token]) -> int | None:
    """Return the index of the first token that cannot stand where it does, by pyoxigraph's parser."""
    from pyoxigraph import Store

    pieces, indices = [], []
    for index in range(len(tokens)):
        if index not in lifted.hidden:
            pieces.append(_for_pyoxigraph(tokens, index) if index not in lifted.blocks else "GRAPH <w:>")
            indices.append(index)
    # Only a whole query can be followed by LIMIT, and % by nothing: so every text is wrong
    # somewhere, and none is ever evaluated (SERVICE would open a connection).
    slots = [piece.ljust(len(piece) + _SLOT) for piece in (*pieces[:-1], "LIMIT", "0", "%")]
    starts = list(accumulate(map(len, slots), initial=0))
    try:
        Store().query("".join(slots), base_iri="http://base.invalid/")
    except SyntaxError as error:
        column = re.match(r"error at 1:(\d+)", str(error))
        slot = bisect_right(starts, int(column[1]) - 1) - 1 if column else 0
        return indices[slot] if slot < len(indices) else None
    return None


def _for_pyoxigraph(tokens: Sequence[Token], index: int) -> str:
    # Right by the grammar, but refused by pyoxigraph: TRUE, and a space between COALESCE and (.
    # A < that is no IRI would be read up to the next >: all comparisons stand at the same places.
    token = tokens[index]
    if token.says("<", "<="):
        return "="
    if token.says("TRUE", "FALSE"):
        return token.text.lower()
    if token.says(*_GLUED) and index + 1 < len(tokens) and tokens[index + 1].says("("):
        return f"{token.text}("
    if token.says("(") and index > 0 and tokens[index - 1].says(*_GLUED):
        return ""
    return re.sub(r"[\r\n]", " ", token.text)


def _syntax_error(document: Document, lifted: Lifted, wrong: int) -> QueryError:
    """Return the error at a token, with what pyoxigraph accepts in its stead."""
    for _, token in _visible(document, lifted):
        if token.kind is Kind.NAME and token.start <= document.tokens[wrong].start:
            lifted.names.iri(token)  # raises at an undeclared prefix, which is why the token is wrong
    before, accepted = document.tokens[:wrong], []
    kept = Lifted(
        lifted.names,
        frozenset(index for index in lifted.hidden if index < wrong),
        blocks={index: stream for index, stream in lifted.blocks.items() if index < wrong},
    )
    for name, text in _SAMPLES.items():
        kind = Kind.WORD if text.isalpha() else Kind.SYMBOL
        tried = (*before, Token(kind, text, 0), Token(Kind.END, "", 0))
        if _first_wrong(kept, tried) in (None, wrong + 1):
            accepted.append(name)
    if "FILTER" in accepted:  # inside a group SELECT would be a subquery
        accepted = [name for name in accepted if name not in ("SELECT", "ASK")]
    return document.unexpected(document.tokens[wrong], _listed(accepted) or "the end of the query")


def _listed(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _numbered(document: Document, lifted: Lifted) -> str:
    """Return the query for rdflib: each term is the number of its first token."""
    tokens, pieces = document.tokens, []
    groups: list[bool] = []
    calls = 0
    for index, token in _visible(document, lifted):
        before = tokens[index - 1]
        if token.says("FILTER", "BIND"):
            calls = len(groups) + 1
        if token.says("(", "[", "{"):
            within = not groups or groups[-1] or calls == len(groups) + 1
            groups.append(token.text == "(" and within)
            calls = 0
        elif token.says(")", "]", "}") and groups:
            groups.pop()
        operand = before.kind in _OPERANDS or before.says(")", "TRUE", "FALSE")
        minus = operand and bool(groups) and groups[-1] and token.text[0] in "+-"
        if index in lifted.blocks:
            pieces.append(f"GRAPH <t:{index}>")
        elif token.kind is Kind.TAG or _in_datatype(tokens, index):
            continue
        elif token.kind is Kind.VARIABLE:
            pieces.append(f"?t{index}")
        elif token.kind is Kind.BLANK:
            pieces.append(f"_:t{index}")
        elif token.kind in _OPERANDS or token.says("TRUE", "FALSE") or token.text == "a":
            sign = f"{token.text[0]} " if token.kind is Kind.NUMBER and minus else ""
            pieces.append(f"{sign}<{'u' if sign else 't'}:{index}>")
        elif token.says("*", "+", "?") and pieces:
            pieces[-1] += token.text  # rdflib wants the modifier of a path right behind it
        else:
            pieces.append(token.text)
    return " ".join(pieces)


def _in_datatype(tokens: Sequence[Token], index: int) -> bool:
    mark = index if tokens[index].says("^^") else index - 1
    return tokens[mark].says("^^") and tokens[mark - 1].kind is Kind.STRING and is_name(tokens[mark + 1])


def _parse(text: str) -> Any:
    """Return rdflib's tree, or None when rdflib does not accept the text."""
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql.parser import parseQuery

    try:
        return parseQuery(text)[1]
    except (ParseBaseException, ValueError, TypeError, LookupError, AttributeError):
        return None


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit: rdflib's parser recurses for every triple, and in many frames."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 200_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


TERM: Final = re.compile(r"([tu]):?(\d+)")
TYPE: Final = RDF + "type"
