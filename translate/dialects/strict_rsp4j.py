"""RSP4J's parser (RSPQL.g4, which YASPER has too): the grammar alone, in any case of keywords."""

import re
from typing import Final

from translate.dialects.clauses import first_of, from_clauses, token_at
from translate.dialects.names import is_name, read_prologue
from translate.dialects.strict_shapes import match, refuse_operator, shaped, sparql_tree, word
from translate.dialects.tokens import Document, Kind, tokenize

_ENGINE: Final = "RSP4J"
_DURATION: Final = shaped(
    r"-?P(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
    r"(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?",
    "a duration as in PT10S",
    re.ASCII | re.IGNORECASE,
)
_COUNT: Final = shaped("[0-9]+", "an integer")
_WINDOW: Final = (
    (word("["), word("RANGE"), _DURATION, word("]")),
    (word("["), word("RANGE"), _DURATION, word("STEP"), _DURATION, word("]")),
    (word("["), word("ELEMENTS"), _COUNT, word("]")),
    (word("["), word("ELEMENTS"), _COUNT, word("STEP"), _COUNT, word("]")),
)


def check_rsp4j(text: str, source: str) -> None:
    """Raise QueryError where the grammar of RSP4J rejects the query.

    Nothing is resolved: neither prefixes nor the names of windows need a declaration.
    """
    document = tokenize(text, source)
    names = read_prologue(document)
    start = _after_register(document, names.after)
    hidden = set(range(names.after, start))
    for index in from_clauses(document, start, "WINDOW"):
        hidden.update(range(first_of(document, index), _after_window(document, index)))
    refuse_operator(document, start, _ENGINE)
    blocks = _blocks(document)
    hidden |= {index + 1 for index in blocks}
    sparql_tree(document, names, hidden, blocks, scope=False)


def _after_register(document: Document, start: int) -> int:
    """Return the token after REGISTER RSTREAM <iri> AS, which can be missing."""
    if not document.tokens[start].says("REGISTER"):
        return start
    operator, name, end = (token_at(document, start + place) for place in (1, 2, 3))
    if not operator.says("RSTREAM", "ISTREAM", "DSTREAM"):
        raise document.unexpected(operator, "RSTREAM, ISTREAM or DSTREAM")
    if not is_name(name):
        raise document.unexpected(name, "the IRI of a stream")
    if not end.says("AS"):
        raise document.unexpected(end, "AS")
    form = token_at(document, start + 4)
    if not form.says("SELECT", "CONSTRUCT", "DESCRIBE", "ASK"):
        raise document.unexpected(form, "SELECT, CONSTRUCT, DESCRIBE or ASK")
    return start + 4


def _after_window(document: Document, index: int) -> int:
    """Return the token after a clause of FROM NAMED WINDOW, whose WINDOW is at `index`."""
    tokens = document.tokens
    if not tokens[index - 1].says("NAMED"):
        raise document.unexpected(tokens[index], "NAMED or an IRI after FROM")
    name, on, stream = (token_at(document, index + place) for place in (1, 2, 3))
    if not is_name(name):
        raise document.unexpected(name, "the name of the window")
    if not on.says("ON"):
        raise document.unexpected(on, "ON")
    if not is_name(stream):
        raise document.unexpected(stream, "the IRI of a stream")
    return document.index_from(match(document, stream.end, _WINDOW))


def _blocks(document: Document) -> tuple[int, ...]:
    """Return the WINDOW of each block WINDOW name or variable { .. }."""
    tokens, found, depth = document.tokens, [], 0
    for index, token in enumerate(tokens[:-1]):
        depth += token.says("{") - token.says("}")
        if depth > 0 and token.says("WINDOW"):
            if not is_name(tokens[index + 1]) and tokens[index + 1].kind is not Kind.VARIABLE:
                raise document.unexpected(tokens[index + 1], "the name of a window or a variable")
            found.append(index)
    return tuple(found)
