"""The parser of CQELS 1.x, an extension of that of ARQ 2.9, and what its engine registers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from translate.dialects.query_reader import read_blocks
from translate.errors import QueryError
from translate.model.patterns import StreamBlock
from translate.sparql import Document, Names, Phrase, TokenKind, is_name, tokenize
from translate.sparql.tokens import read_prologue
from translate.strict.clause_shapes import (
    SOME_STREAM,
    match,
    piece_of,
    refuse_operator,
    rejection,
    sparql_tree,
    word,
)

_ENGINE: Final = "CQELS 1.x"
# Units are glued to their numbers, in lower case. Of hours and days the engine drops the last
# digit, and fails when that is the only one.
_LENGTHS: Final = piece_of(
    r"(?:[0-9]+(?:ms|ns|m|s)|[0-9]{2,}[hd])(?:\s*(?:[0-9]+(?:ms|ns|m|s)|[0-9]{2,}[hd]))*",
    "numbers with s, m, ms or ns, or with h or d and two digits at least",
)
_WINDOW: Final = (
    (word("["), word("NOW"), word("]")),
    (word("["), word("ALL"), word("]")),
    (word("["), word("TRIPLES"), piece_of("[0-9]+", "a number of triples"), word("]")),
    (word("["), word("RANGE"), _LENGTHS, word("]")),
    (word("["), word("RANGE"), _LENGTHS, word("SLIDE"), _LENGTHS, word("]")),
    (word("["), word("RANGE"), _LENGTHS, word("TUMBLING"), word("]")),
)
_PATHS: Final = ("alternative", "sequence", "repeated", "inverse", "negated")
_UNREGISTERED: Final = ("OPTIONAL", "BIND", "MINUS")


def check_cqels(text: str, source: str) -> None:
    """Raise QueryError where CQELS 1.x fails to parse the query, or then to register it."""
    document = tokenize(text, source)
    names = read_prologue(document)
    blocks, hidden = read_blocks(document, "STREAM", lambda index: _read_block(document, names, index))
    refuse_operator(document, names.after, _ENGINE)
    for token in document.tokens[names.after :]:
        if token.is_word("VALUES"):
            raise rejection(document, token, _ENGINE, "VALUES; the draft of its time wrote BINDINGS")
    tree = sparql_tree(document, names, hidden | _bindings(document), tuple(blocks))
    form = document.tokens[names.after]
    if not form.is_word("SELECT", "CONSTRUCT"):
        raise rejection(document, form, _ENGINE, "queries other than SELECT and CONSTRUCT")
    if not blocks:
        raise rejection(document, document.tokens[-1], _ENGINE, "queries without a STREAM block")
    ends = _check_groups(document, names.after)
    for path in () if tree is None else _paths(tree):
        token = next(path.tokens(), document.tokens[-1])
        if any(block < document.index_from(token.start) < ends.get(block, block) for block in blocks):
            raise rejection(document, token, _ENGINE, "property paths in a STREAM block")


def _read_block(document: Document, names: Names, index: int) -> tuple[StreamBlock, int]:
    token = document.tokens[index]
    if not is_name(token) and token.kind is not TokenKind.VARIABLE:
        raise document.unexpected(token, "the IRI of a stream or a variable")
    if is_name(token):
        names.iri(token)
    after = document.index_from(match(document, token.end, _WINDOW))
    if not document.tokens[after].is_word("{"):
        raise document.unexpected(document.tokens[after], "{ and the pattern of the STREAM block")
    return SOME_STREAM, after


def _bindings(document: Document) -> set[int]:
    """Return the tokens of BINDINGS, which SPARQL 1.1 replaced by VALUES, up to its end."""
    for index, token in enumerate(document.tokens):
        if token.is_word("BINDINGS"):
            end = next((i for i, one in enumerate(document.tokens) if i > index and one.is_word("}")), None)
            if end is None:
                raise QueryError(document.place(token.start), "found BINDINGS; expected variables and { .. }")
            return set(range(index, end + 1))
    return set()


@dataclass(frozen=True, slots=True)
class _Open:
    """A group that is open: what it belongs to ("" is a plain group), and the STREAM it is of."""

    kind: str
    block: int | None


def _check_groups(document: Document, start: int) -> dict[int, int]:
    """Return the token at which each STREAM block ends; raise at what the engine does not register."""
    tokens, ends, open_groups, word_before = document.tokens, dict[int, int](), list[_Open](), (0, "")
    unions = _unions(document)
    for index in range(start, len(tokens)):
        token = tokens[index]
        plain = all(not group.kind for group in open_groups)
        if token.is_word("STREAM") and open_groups and not plain:
            around = next(group.kind for group in reversed(open_groups) if group.kind)
            raise rejection(document, token, _ENGINE, f"STREAM inside {around}")
        if token.is_word(*_UNREGISTERED) and open_groups and plain:
            raise rejection(document, token, _ENGINE, f"{token.text.upper()} outside of STREAM blocks")
        if token.is_word("STREAM", "GRAPH", "OPTIONAL", "MINUS", "EXISTS", "SERVICE"):
            word_before = (index, token.text.upper())
        elif token.is_word("{"):
            kind = word_before[1] or ("UNION" if index in unions else "")
            kind = kind or ("a subquery" if tokens[index + 1].is_word("SELECT") and open_groups else "")
            open_groups.append(_Open(kind, word_before[0] if word_before[1] == "STREAM" else None))
            word_before = (0, "")
        elif token.is_word("}") and open_groups:
            block = open_groups.pop().block
            ends |= {} if block is None else {block: index}
    return ends


def _unions(document: Document) -> set[int]:
    """Return the { of each group that stands beside UNION."""
    places: set[int] = set()
    opened: list[int] = []
    for index, token in enumerate(document.tokens):
        if token.is_word("{"):
            opened.append(index)
            places |= {index} if document.tokens[index - 1].is_word("UNION") else set()
        elif token.is_word("}") and opened:
            first = opened.pop()
            places |= {first} if document.tokens[index + 1].is_word("UNION") else set()
    return places


def _paths(tree: Phrase) -> Iterator[Phrase]:
    """Yield the property paths of a syntax tree that are more than one IRI or variable."""
    if tree.name in _PATHS:
        yield tree
        return
    for part in tree.phrases():
        yield from _paths(part)
