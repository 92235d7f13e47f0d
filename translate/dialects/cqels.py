"""CQELS-QL: STREAM <iri> [window] { .. } wherever a group of the pattern can stand."""

from collections.abc import Callable
from functools import partial

from lars.terms import Variable
from translate.dialects.clauses import read_blocks, refuse_others
from translate.dialects.lifted import Lifted, Stream
from translate.dialects.names import Names, is_name, read_prologue
from translate.dialects.tokens import Document, Kind, Token
from translate.dialects.windows import read_window
from translate.query import Language
from translate.windows import WindowExpression

ReadWindow = Callable[[Document, Token], tuple[WindowExpression, int]]


def lift_cqels(document: Document) -> Lifted:
    """Return the STREAM blocks of a CQELS query, or raise at the first that is wrong."""
    refuse_others(document, Language.CQELS)
    names = read_prologue(document)
    blocks, hidden = read_blocks(document, "STREAM", partial(read_block, document, names, read_window))
    return Lifted(names, frozenset(hidden), blocks=blocks)


def read_block(document: Document, names: Names, read: ReadWindow, index: int) -> tuple[Stream, int]:
    """Return the stream and window from the token after STREAM on, and the token { after it."""
    token = document.tokens[index]
    if not is_name(token) and token.kind is not Kind.VARIABLE:
        raise document.unexpected(token, "the IRI of a stream or a variable")
    stream = Variable(token.text[1:]) if token.kind is Kind.VARIABLE else names.iri(token)
    window, end = read(document, document.tokens[index + 1])
    after = document.index_from(end)
    if not document.tokens[after].says("{"):
        raise document.unexpected(document.tokens[after], "{ and the pattern of the STREAM block")
    return Stream(stream, window), after
