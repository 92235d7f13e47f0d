"""CQELS-QL: STREAM <iri> [window] { .. } wherever a group of the pattern can stand."""

from translate.dialects.csparql import find_clause
from translate.dialects.lifted import Lifted, Stream
from translate.dialects.names import Names, is_name, read_prologue
from translate.dialects.tokens import Document, Kind, Token
from translate.dialects.windows import read_window
from translate.errors import QueryError, UnsupportedError


def find_block(document: Document) -> Token | None:
    """Return the first STREAM inside a group, which only CQELS has."""
    depth = 0
    for token in document.tokens:
        depth += token.says("{") - token.says("}")
        if depth > 0 and token.says("STREAM"):
            return token
    return None


def lift(document: Document) -> Lifted:
    """Return the STREAM blocks of a CQELS query, or raise at the first that is wrong."""
    clause = find_clause(document)
    if clause is not None:
        words = "REGISTER" if clause.says("REGISTER") else "FROM STREAM"
        problem = f"found {words}, which is C-SPARQL, in a CQELS query"
        accepted = "the windows of CQELS stand in the pattern: STREAM <iri> [window] { .. }"
        raise QueryError(document.place(clause.start), f"{problem}; {accepted}")
    names = read_prologue(document)
    blocks: dict[int, Stream] = {}
    hidden: set[int] = set()
    groups: list[Token | None] = []
    opened: Token | None = None
    for index, token in enumerate(document.tokens):
        outer = next((group for group in groups if group is not None), None)
        if token.says("STREAM") and groups and index not in hidden:
            _refuse_nesting(document, token, outer)
            stream, after = _read_block(document, names, index + 1)
            blocks[index], opened = stream, token
            hidden.update(range(index + 1, after))
        elif token.says("GRAPH"):
            if outer is not None and outer.says("STREAM"):
                _refuse_nesting(document, token, outer)
            opened = token
        elif token.says("{"):
            groups.append(opened)
            opened = None
        elif token.says("}") and groups:
            groups.pop()
    return Lifted(names, frozenset(hidden), blocks=blocks)


def _refuse_nesting(document: Document, token: Token, outer: Token | None) -> None:
    if outer is not None:
        inner, around = token.text.upper(), outer.text.upper()
        problem = f"found {inner} inside {around}; a stream has no named graphs and no streams in it"
        raise QueryError(document.place(token.start), problem)


def _read_block(document: Document, names: Names, index: int) -> tuple[Stream, int]:
    """Return the stream and window from the token after STREAM on, and the token { after it."""
    token = document.tokens[index]
    if token.kind is Kind.VARIABLE:
        raise UnsupportedError(
            f"the variable stream name {token}", document.place(token.start), covered="STREAM <iri>"
        )
    if not is_name(token):
        raise document.unexpected(token, "the IRI of a stream")
    stream = names.iri(token)
    window, end = read_window(document, document.tokens[index + 1])
    after = document.index_from(end)
    if not document.tokens[after].says("{"):
        raise document.unexpected(document.tokens[after], "{ and the pattern of the STREAM block")
    return Stream(stream, window), after
