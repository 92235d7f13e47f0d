"""The constructs that the document of CQELS-QL 2.0 (Java) and the grammar of CQELS-RS (Rust) reject."""

from collections.abc import Iterator
from typing import Final

from translate.dialects import lift
from translate.dialects.query_reader import plain
from translate.errors import UnsupportedError
from translate.model.query import Language
from translate.sparql import Document, Phrase, Token, TokenKind, query_of, tokenize
from translate.sparql.tokens import declared
from translate.strict.engine_parsers import check_prefixes, rejection

_JAVA: Final = "CQELS4J"
_RUST: Final = "CQELS-RS"
_Found = Iterator[tuple[Token, str]]
_RUST_LACKS: Final = {
    "having": "HAVING",
    "not_exists": "NOT EXISTS",
    "emit": "EMIT",
    "late": "LATENESS",
    "future": "FUTURE",
    "backward": "PAST",
    "tuples": "TRIPLES with PAST or FUTURE",
}
_JAVA_LACKS: Final = {"to_stream": "operators before SELECT", "static": "STATIC { .. }", "minus": "MINUS"}


def check_cqels4j(text: str, source: str) -> None:
    """Raise QueryError at the first construct that the document of CQELS-QL 2.0 rejects."""
    _check(text, source, _JAVA)


def check_cqels_rs(text: str, source: str) -> None:
    """Raise QueryError at the first construct that CQELS-RS cannot parse or cannot compile."""
    _check(text, source, _RUST)


def _check(text: str, source: str, engine: str) -> None:
    document = tokenize(plain(text, Language.CQELS2), source, rdf12=False)
    try:
        tree, _ = lift(document, Language.CQELS2)
    except UnsupportedError:
        return  # SEQ and MATCH are syntax of the engines.
    check_prefixes(document)
    query = query_of(tree)
    found = [*_both(document, query), *(_java if engine == _JAVA else _rust)(document, tree, query)]
    if found:
        token, reason = min(found, key=lambda one: one[0].start)
        raise rejection(document, token, engine, reason)


def _both(document: Document, query: Phrase) -> _Found:
    for window in query.find_all("window"):
        kind = next(window.phrases())
        slide = kind.find("slide")
        if slide is not None and _before(document, slide.first()).is_word("SLIDE") and kind.name == "range":
            yield _before(document, slide.first()), "RANGE with SLIDE; it has RANGE with STEP"
    for projection in query.find_all("projection"):
        if not list(projection.tokens()):
            place = next(token for token in document.tokens if token.text == "*")
            yield place, "SELECT *"


def _java(document: Document, tree: Phrase, query: Phrase) -> _Found:
    if tree.find("register") is None:
        yield _start(document), "queries without REGISTER QUERY name AS"
    if query.name != "select":
        yield _form(document), "queries other than SELECT"
    for part in query.find_all(*_JAVA_LACKS):
        yield _keyword(document, part, _JAVA_LACKS[part.name]), _JAVA_LACKS[part.name]
    for window in query.find_all("declared"):
        yield from _declared(document, window, "an IRI", "a window that an IRI names", with_stream=False)
    for window in query.find_all("window"):
        kind = next(window.phrases())
        if kind.name == "rows" and any(kind.phrases()):
            yield _keyword(document, kind, "TRIPLES"), "TRIPLES with SLIDE"
        for part in window.find_all("emit"):
            if kind.find("future") is None:
                yield part.first(), "EMIT of a window without FUTURE"
        simple = kind.find("slide") is None and len([*query.find_all("merged")]) == 1
        for part in window.find_all("late"):
            if kind.find("future") is None and not (simple and any(query.find_all("aggregate"))):
                yield part.first(), "LATENESS but for FUTURE, or for an aggregate over one [RANGE n]"
        for length in window.find_all("length"):
            yield from ((token, "the unit ms") for token in length.tokens() if token.is_word("MS"))


def _rust(document: Document, tree: Phrase, query: Phrase) -> _Found:
    if tree.find("register") is not None and query.name != "select":
        yield _form(document), "REGISTER of queries other than SELECT"
    for part in query.find_all(*_RUST_LACKS):
        yield _keyword(document, part, _RUST_LACKS[part.name]), _RUST_LACKS[part.name]
    for call in query.find_all("function"):
        if call.first().kind == "a prefixed name":
            yield call.first(), "calls of functions with prefixed names"
    for window in query.find_all("declared"):
        yield from _declared(document, window, "a prefixed name", "a window that a prefixed name names")
    windows = (part.find("label") for part in query.find_all("declared"))
    labels = {label.first().text for label in windows if label is not None}
    for block in query.find_all("block"):
        label = block.find("label")
        if label is not None and label.first().text not in labels:
            yield label.first(), "a window that no FROM NAMED WINDOW declares"
    for token in document.tokens:
        if token.is_word("SEPARATOR"):
            yield token, "SEPARATOR; it has a comma there"


def _declared(
    document: Document, window: Phrase, kind: TokenKind, named: str, *, with_stream: bool = True
) -> _Found:
    """Yield errors in FROM NAMED WINDOW: a window name of a rejected kind, or ON in place of ON STREAM."""
    label, stream = window.find("label"), window.find("stream")
    assert label is not None
    assert stream is not None
    if label.first().kind == kind:
        yield label.first(), named
    if _before(document, stream.first()).is_word("STREAM") is not with_stream:
        yield stream.first(), "ON without STREAM" if with_stream else "ON STREAM; it has ON"


def _keyword(document: Document, part: Phrase, construct: str) -> Token:
    """Return the token with the first word of a construct's name, in the part or before the part."""
    after = next(part.tokens(), None)
    word, *_ = construct.split()
    own = [
        one for one in document.tokens if one.is_word(word) and (after is None or one.start <= after.start)
    ]
    return own[-1] if own else part.first()


def _before(document: Document, token: Token) -> Token:
    """Return the token that precedes the given token."""
    return max((one for one in document.tokens if one.start < token.start), key=lambda one: one.start)


def _start(document: Document) -> Token:
    """Return the first token after the prologue."""
    return document.tokens[declared(document).after]


def _form(document: Document) -> Token:
    return next(one for one in document.tokens if one.is_word("ASK", "CONSTRUCT", "DESCRIBE"))
