"""A query's text, in one of four languages, becomes the query model: its streaming clauses are lifted out.

C-SPARQL has REGISTER .. COMPUTED EVERY .. AS before the query and FROM STREAM <iri> [window], CQELS
STREAM <iri> [window] { .. } in a group, SPARQLstream such blocks and FROM NAMED STREAM <iri> [window].

RSP-QL: FROM NAMED WINDOW <name> ON <stream> [window], read in the pattern by WINDOW <name> { .. }.

Read are RSP4J's language, those of RSP-JS and Kolibrie, whose durations are milliseconds, and the drafts
of the W3C's community group with rsp-spin. When a window of Kolibrie reports, and how it waits for others,
is no part of the query: a note says so. What only Janus and RSP-QL* have is refused by name.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from lars.durations import Duration
from lars.errors import PlacedError
from lars.language.terms import Iri, Variable
from translate.algebra import SyntaxLeaves, translate
from translate.dialects.clauses import (
    TITLES,
    RegisterClause,
    find_clauses,
    first_of,
    from_clauses,
    operator_after,
    read_blocks,
    read_register,
    refuse_others,
    token_at,
)
from translate.dialects.windows import (
    ReadLength,
    read_iso,
    read_length,
    read_milliseconds,
    read_named_window,
    read_now_window,
    read_window,
)
from translate.errors import QueryError, UnsupportedError
from translate.model.query import EngineQuery, Language, MergedStream, ToStream
from translate.model.windows import Now, WindowExpression
from translate.sparql import (
    AnyWindow,
    Document,
    Names,
    StreamClause,
    StreamingClauses,
    Token,
    TokenKind,
    is_name,
    read_prologue,
    tokenize,
)

_OPERATORS: Final = tuple(operator.value for operator in ToStream)
_POLICY: Final = re.compile(
    r"\s*WITH\s+POLICY\s+(?:steal|wait|\(\s*timeout\s*=\s*\w+\s*,\s*fallback\s*=\s*(?:steal|drop)\s*\))"
)
_USUAL: Final = frozenset(("REPORT ON_WINDOW_CLOSE", "TICK TIME_DRIVEN", "WITH POLICY wait"))
_STATED: Final = re.compile(r"\b(?:REPORT|TICK|WITH\s+POLICY)\s+(?:\w+|\([^()]*\))", re.IGNORECASE)
_CLAUSE: Final = "FROM NAMED WINDOW <name> ON <iri> [RANGE duration STEP duration]"


def lift_rspql(document: Document) -> StreamingClauses:
    """Return the clauses of an RSP-QL query, or raise at the first that is wrong."""
    refuse_others(document, Language.RSPQL)
    names = read_prologue(document)
    header = _read_header(document, names.after)
    hidden = set(range(names.after, header.after))
    names = read_prologue(document, header.after, names)
    windows = _Windows(document, names)
    for index in from_clauses(document, names.after, "WINDOW"):
        hidden.update(range(first_of(document, index), windows.declare(index)))
    blocks, within = read_blocks(document, "WINDOW", windows.read_block)
    # The drafts write FROM GRAPH <g> for FROM <g>.
    hidden |= within | set(from_clauses(document, names.after, "GRAPH"))
    operator = operator_after(document, names.after)
    hidden |= set() if operator is None else {operator}
    return StreamingClauses(
        names=names,
        hidden=frozenset(hidden),
        name=_registered_name(names, header),
        every=header.every,
        merged=windows.merged(),
        blocks=blocks,
        declared=windows.unread(),
        to_stream=_operator(document, header, operator),
        registers_stream=header.stream,
        notes=tuple(dict.fromkeys(windows.notes)),
    )


@dataclass(frozen=True, slots=True)
class _Header:
    """What REGISTER says, and the token after it."""

    after: int
    name: Token | None = None
    every: Duration | None = None
    operator: Token | None = None
    stream: bool = False


def _read_header(document: Document, start: int) -> _Header:
    token, following = document.tokens[start], token_at(document, start + 1)
    if token.is_word("RULE", "RETRIEVE"):
        place = document.place(token.start)
        raise UnsupportedError(f"{token.text.upper()} of Kolibrie", place, covered=f"RSP-QL with {_CLAUSE}")
    if not token.is_word("REGISTER"):
        return _Header(start)
    if not following.is_word(*_OPERATORS):
        if following.is_word("STREAM", "QUERY") and token_at(document, start + 3).is_word("UNDER"):
            place = document.place(document.tokens[start + 3].start)
            raise UnsupportedError("UNDER ENTAILMENT REGIME", place, covered="REGISTER STREAM <iri> AS")
        clause = read_register(document, start, read_iso)
        return _Header(clause.after, document.tokens[start + 2], clause.every, None, clause.stream)
    name, end = token_at(document, start + 2), token_at(document, start + 3)
    if not is_name(name):
        raise document.unexpected(name, f"the IRI of the stream after {following.text.upper()}")
    if not end.is_word("AS"):
        raise document.unexpected(end, "AS")
    return _Header(start + 4, name, None, following, stream=True)


def _registered_name(names: Names, header: _Header) -> str | None:
    """Return the name: an IRI where it is one, else the text, as in REGISTER QUERY q AS."""
    if header.name is None:
        return None
    return names.label(header.name).value if is_name(header.name) else header.name.text


def _operator(document: Document, header: _Header, index: int | None) -> ToStream | None:
    """Return the operator of REGISTER or of SELECT; they must not differ."""
    within = None if index is None else document.tokens[index]
    if header.operator and within and header.operator.text.upper() != within.text.upper():
        raise document.unexpected(within, f"{header.operator.text.upper()}, as REGISTER says")
    token = within or header.operator
    return None if token is None else ToStream(token.text.upper())


@dataclass(slots=True)
class _Windows:
    """The windows of one query: those with a name, those without, and which names were read."""

    document: Document
    names: Names
    named: dict[Iri, StreamClause] = field(default_factory=dict)
    unnamed: list[StreamClause] = field(default_factory=list)
    read: set[Iri] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def declare(self, start: int) -> int:
        """Read the clause whose WINDOW is at `start`, and return the token after it.

        The drafts write the window before ON, or the name behind AS.
        """
        tokens, index, window = self.document.tokens, start + 1, None
        name = tokens[index] if self._is_name(tokens[index], "window") else None
        index += name is not None
        if tokens[index].is_word("["):
            window, index = self._window(index, read_iso)
        if not tokens[index].is_word("ON"):
            accepted = "ON and a stream" if window or name else "the name of the window, or ON and a stream"
            raise self.document.unexpected(tokens[index], accepted)
        stream, index = self._stream(index + 1)
        if window is None:
            window, index = self._window(index, read_milliseconds)
        if name is None and tokens[index].is_word("AS") and self._is_name(tokens[index + 1], "window"):
            name, index = tokens[index + 1], index + 2
        if tokens[start - 1].is_word("NAMED") != (name is not None):
            accepted = "ON or [, or NAMED before WINDOW" if name else "the name of the window"
            raise self.document.unexpected(name or tokens[start + 1], accepted)
        self._add(name, StreamClause(stream, window))
        return index

    def _add(self, token: Token | None, stream: StreamClause) -> None:
        if token is None:
            self.unnamed.append(stream)
            return
        name = self.names.label(token)
        if name in self.named:
            raise self.document.unexpected(token, "a name that no other window has")
        self.named[name] = replace(stream, name=name)

    def _is_name(self, token: Token, what: str) -> bool:
        if token.kind is TokenKind.VARIABLE:
            place = self.document.place(token.start)
            raise UnsupportedError(f"the variable {what} name {token}", place, covered=_CLAUSE)
        return is_name(token)

    def _window(self, index: int, read: ReadLength) -> tuple[WindowExpression, int]:
        start = self.document.tokens[index].start
        window, end = read_named_window(self.document, self.document.tokens[index], read)
        policy = _POLICY.match(self.document.text, end)
        end = end if policy is None else policy.end()
        for stated in _STATED.findall(self.document.text[start:end]):
            if (words := " ".join(stated.split())) not in _USUAL:
                self.notes.append(f"{words} of Kolibrie is left out: it says when a window reports, not what")
        return window, self.document.index_from(end)

    def _stream(self, index: int) -> tuple[Iri, int]:
        """Return the stream after ON, and the token after it."""
        token = self.document.tokens[index]
        if token.is_word("LOG"):
            place = self.document.place(token.start)
            raise UnsupportedError("ON LOG of Janus", place, covered=_CLAUSE)
        index += token.is_word("STREAM")
        token = self.document.tokens[index]
        if not self._is_name(token, "stream"):
            raise self.document.unexpected(token, "the IRI of a stream")
        return self.names.iri(token), index + 1

    def read_block(self, index: int) -> tuple[StreamClause | AnyWindow, int]:
        """Return what a block reads, from the token after WINDOW on, and the token { after it."""
        token, after = self.document.tokens[index], token_at(self.document, index + 1)
        if not is_name(token) and token.kind is not TokenKind.VARIABLE:
            raise self.document.unexpected(token, "the name of a window or a variable")
        if not after.is_word("{"):
            raise self.document.unexpected(after, "{ and the pattern of the WINDOW block")
        if token.kind is TokenKind.VARIABLE:
            self.read.update(self.named)
            return AnyWindow(Variable(token.text[1:]), tuple(self.named.items())), index + 1
        name = self.names.label(token)
        if name not in self.named:
            return AnyWindow(name, ()), index + 1
        self.read.add(name)
        return self.named[name], index + 1

    def merged(self) -> tuple[MergedStream, ...]:
        """Return the windows without a name, whose triples enter the default graph."""
        return _merged(self.unnamed)

    def unread(self) -> tuple[MergedStream, ...]:
        """Return the windows with a name that no block reads."""
        return _merged([stream for name, stream in self.named.items() if name not in self.read])


def _merged(streams: list[StreamClause]) -> tuple[MergedStream, ...]:
    return tuple(
        MergedStream(stream.iri, stream.window, stream.name)
        for stream in streams
        if isinstance(stream.iri, Iri)
    )


def lift_csparql(document: Document) -> StreamingClauses:
    """Return the clauses of a C-SPARQL query, or raise at the first that is wrong."""
    refuse_others(document, Language.CSPARQL)
    names = read_prologue(document)
    registered, hidden = RegisterClause(None, None, stream=False, after=names.after), set[int]()
    if document.tokens[names.after].is_word("REGISTER"):
        registered = read_register(document, names.after, read_length)
        hidden = set(range(names.after, registered.after))
        names = read_prologue(document, registered.after, names)
    merged = []
    for index in from_clauses(document, names.after, "STREAM"):
        stream, after = _read_merged(document, names, index + 1)
        hidden.update(range(first_of(document, index), after))
        merged.append(stream)
    return StreamingClauses(
        names,
        frozenset(hidden),
        registered.name and registered.name.strip("<>"),
        registered.every,
        tuple(merged),
        registers_stream=registered.stream,
    )


def _read_merged(document: Document, names: Names, index: int) -> tuple[MergedStream, int]:
    """Return the stream and window from the token after FROM STREAM on, and the token after it."""
    token = document.tokens[index]
    if token.kind is TokenKind.VARIABLE:
        raise UnsupportedError(
            f"the variable stream name {token}", document.place(token.start), covered="FROM STREAM <iri>"
        )
    if not is_name(token):
        raise document.unexpected(token, "the IRI of a stream")
    stream = names.iri(token)
    window, end = read_window(document, document.tokens[index + 1])
    return MergedStream(stream, window), document.index_from(end)


ReadWindow = Callable[[Document, Token], tuple[WindowExpression, int]]


def lift_cqels(document: Document) -> StreamingClauses:
    """Return the STREAM blocks of a CQELS query, or raise at the first that is wrong."""
    refuse_others(document, Language.CQELS)
    names = read_prologue(document)
    blocks, hidden = read_blocks(document, "STREAM", partial(read_block, document, names, read_window))
    return StreamingClauses(names, frozenset(hidden), blocks=blocks)


def read_block(document: Document, names: Names, read: ReadWindow, index: int) -> tuple[StreamClause, int]:
    """Return the stream and window from the token after STREAM on, and the token { after it."""
    token = document.tokens[index]
    if not is_name(token) and token.kind is not TokenKind.VARIABLE:
        raise document.unexpected(token, "the IRI of a stream or a variable")
    stream = Variable(token.text[1:]) if token.kind is TokenKind.VARIABLE else names.iri(token)
    window, end = read(document, document.tokens[index + 1])
    after = document.index_from(end)
    if not document.tokens[after].is_word("{"):
        raise document.unexpected(document.tokens[after], "{ and the pattern of the STREAM block")
    return StreamClause(stream, window), after


def lift_sparqlstream(document: Document) -> StreamingClauses:
    """Return the clauses of a SPARQLstream query, or raise at the first that is wrong.

    Read as well: FROM STREAM without NAMED, units in the singular, and an operator after CONSTRUCT.
    A stream without a window is read as [NOW]: its translation to a stream processor then
    answers for each element when it arrives.
    """
    refuse_others(document, Language.SPARQLSTREAM)
    names = read_prologue(document)
    merged, hidden = [], set[int]()
    for index in from_clauses(document, names.after, "STREAM"):
        stream, after = _read_named(document, names, index)
        hidden.update(range(first_of(document, index), after))
        merged.append(stream)
    read = partial(read_block, document, names, read_now_window)
    blocks, within = read_blocks(document, "STREAM", read)
    operator = operator_after(document, names.after)
    to_stream = None if operator is None else ToStream(document.tokens[operator].text.upper())
    hidden |= within if operator is None else within | {operator}
    return StreamingClauses(
        names, frozenset(hidden), merged=tuple(merged), blocks=blocks, to_stream=to_stream
    )


def _read_named(document: Document, names: Names, index: int) -> tuple[MergedStream, int]:
    """Return the stream of FROM NAMED STREAM, whose STREAM is at `index`, and the token after it."""
    token, following = document.tokens[index + 1], token_at(document, index + 2)
    if not is_name(token):
        raise document.unexpected(token, "the IRI of a stream")
    stream = names.iri(token)
    if document.tokens[index - 1].is_word("NAMED") and not following.is_word("["):
        return MergedStream(stream, Now()), index + 2
    window, end = read_now_window(document, following)
    return MergedStream(stream, window), document.index_from(end)


_LIFTS: Final[Mapping[Language, Callable[[Document], StreamingClauses]]] = {
    Language.CSPARQL: lift_csparql,
    Language.CQELS: lift_cqels,
    Language.SPARQLSTREAM: lift_sparqlstream,
    Language.RSPQL: lift_rspql,
}


def read_query(
    text: str, source: str, engine: Language | None = None, base: str = "", *, opaque: bool = False
) -> EngineQuery:
    """Return the query that the text says; `source` names the text in messages.

    Relative IRIs are resolved against `base` until the text has a BASE; "" leaves them as they are.
    With `opaque` calls of functions that have no value here are read too: to be printed, not solved.

    The language is recognised by its streaming clauses; a query without any is C-SPARQL. With an
    `engine`, the clauses of the other languages are errors. Raises QueryError where the text is
    wrong and UnsupportedError at a construct that is not covered, each with its place.

    >>> query = read_query("ASK { STREAM <s> [RANGE 1m30s] { ?shop <sells> 'tea' } }", "q.rq")
    >>> print(query.language.value, query.pattern)
    cqels STREAM <s> [RANGE 90s] {?shop <sells> "tea"}
    """
    document = tokenize(text, source, base)
    language, lifted = (engine, _LIFTS[engine](document)) if engine else _recognise(document)
    return translate(SyntaxLeaves(document, lifted, opaque), language)


def _recognise(document: Document) -> tuple[Language, StreamingClauses]:
    """Return the likeliest language that can read the clauses, or raise what the best of them says.

    The best error is the one farthest in the text: its language could read all that is before.
    """
    errors: list[tuple[PlacedError, Language]] = []
    for language in _likely(document):
        try:
            return language, _LIFTS[language](document)
        except PlacedError as error:
            errors.append((error, language))
    best, language = max(errors, key=lambda tried: (tried[0].place.line, tried[0].place.column))
    if isinstance(best, QueryError):
        raise QueryError(best.place, f"{best.problem} (read as {TITLES[language]})")
    raise best


def _likely(document: Document) -> list[Language]:
    """Return the languages that have most of the text's clauses, the likeliest first."""
    clauses = find_clauses(document)
    ranks = {
        language: [clause.languages.index(language) for clause in clauses if language in clause.languages]
        for language in Language
    }
    most = max(map(len, ranks.values()))
    likely = [language for language in Language if len(ranks[language]) == most]
    return sorted(likely, key=lambda language: sum(ranks[language])) if clauses else [Language.CSPARQL]
