"""A query's text, in one of four languages, becomes the query model: its streaming clauses are lifted out.

C-SPARQL has REGISTER .. COMPUTED EVERY .. AS before the query and FROM STREAM <iri> [window], CQELS
STREAM <iri> [window] { .. } in a group, SPARQLstream such blocks and FROM NAMED STREAM <iri> [window].

RSP-QL: FROM NAMED WINDOW <name> ON <stream> [window], read in the pattern by WINDOW <name> { .. }.

Read are RSP4J's language, those of RSP-JS and Kolibrie, whose durations are milliseconds, and the drafts
of the W3C's community group with rsp-spin. When a window of Kolibrie reports, and how it waits for others,
is no part of the query: a note says so. What only Janus and RSP-QL* have is refused by name.

First comes where the clauses stand and which languages have them, then what they say.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from lars.durations import Duration
from lars.errors import PlacedError
from lars.language.terms import Iri, Variable
from translate.dialects.windows import (
    ReadLength,
    read_iso,
    read_length,
    read_milliseconds,
    read_named_window,
    read_now_window,
    read_window,
    reader_at,
)
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.query import EngineQuery, Language, MergedStream, ToStream
from translate.model.windows import Now, WindowExpression
from translate.sparql import Document, Names, Scope, Token, TokenKind, is_name, tokenize
from translate.sparql.queries import translate
from translate.sparql.syntax_tree import AnyWindow, StreamingClauses
from translate.sparql.tokens import read_prologue

TITLES: Final = {
    Language.CSPARQL: "C-SPARQL",
    Language.CQELS: "CQELS",
    Language.SPARQLSTREAM: "SPARQLstream",
    Language.RSPQL: "RSP-QL",
}
_ACCEPTED: Final = {
    Language.CSPARQL: "stand in FROM STREAM <iri> [window]",
    Language.CQELS: "stand in the pattern: STREAM <iri> [window] { .. }",
    Language.SPARQLSTREAM: "stand in FROM NAMED STREAM <iri> [window] or STREAM <iri> [window] { .. }",
    Language.RSPQL: "stand in FROM NAMED WINDOW <name> ON <iri> [window], read by WINDOW <name> { .. }",
}
_OPERATORS: Final = tuple(operator.value for operator in ToStream)
_FORMS: Final = ("SELECT", "CONSTRUCT", "ASK", "DESCRIBE")


@dataclass(frozen=True, slots=True)
class Clause:
    """A streaming clause: how messages name it, its place, and its languages, the likeliest first."""

    name: str
    token: Token
    languages: tuple[Language, ...]


def find_clauses(document: Document) -> tuple[Clause, ...]:
    """Return the streaming clauses of a text, whatever their languages, in no special order."""
    start = read_prologue(document).after
    blocks = tuple(_blocks(document))
    return (*_header(document, start), *_from_clauses(document, start, alone=not blocks), *blocks)


def _from_clauses(document: Document, start: int, *, alone: bool) -> Iterator[Clause]:
    tokens = document.tokens
    registered = tokens[start].is_word("REGISTER")
    for index in from_clauses(document, start, "STREAM"):
        word = tokens[index - 1].is_word("NAMED")
        likely = (Language.CSPARQL, Language.SPARQLSTREAM)
        if word and not registered and token_at(document, index + 3).is_word("NOW", "TRIPLES"):
            likely = (Language.SPARQLSTREAM, Language.CSPARQL)
        # Beside STREAM blocks FROM STREAM without NAMED is a mixture of C-SPARQL and CQELS.
        yield Clause("FROM STREAM", tokens[index], likely if word or alone else likely[:1])
    for index in from_clauses(document, start, "WINDOW"):
        yield Clause("FROM WINDOW", tokens[index], (Language.RSPQL,))


def _blocks(document: Document) -> Iterator[Clause]:
    depth = 0
    for token, following in pairwise(document.tokens):
        depth += token.is_word("{") - token.is_word("}")
        if depth > 0 and token.is_word("STREAM"):
            yield Clause("a STREAM block", token, (Language.CQELS, Language.SPARQLSTREAM))
        elif (
            depth > 0
            and token.is_word("WINDOW")
            and (is_name(following) or following.kind is TokenKind.VARIABLE)
        ):
            yield Clause("a WINDOW block", token, (Language.RSPQL,))


def _header(document: Document, start: int) -> Iterator[Clause]:
    token, following = document.tokens[start], token_at(document, start + 1)
    if token.is_word("REGISTER"):
        own = following.is_word(*_OPERATORS)
        likely = (Language.RSPQL,) if own else (Language.CSPARQL, Language.RSPQL)
        yield Clause("REGISTER", token, likely)
    if token.is_word("RULE", "RETRIEVE"):
        yield Clause(token.text.upper(), token, (Language.RSPQL,))
    operator = operator_after(document, start)
    if operator is not None:
        token = document.tokens[operator]
        yield Clause(token.text.upper(), token, (Language.SPARQLSTREAM, Language.RSPQL))


def refuse_others(document: Document, language: Language) -> None:
    """Raise QueryError at the first clause of the text that the language does not have."""
    clauses = sorted(find_clauses(document), key=lambda clause: clause.token.start)
    _refuse_cqels_2(document, clauses)
    for clause in clauses:
        if language not in clause.languages:
            theirs = " and ".join(TITLES[one] for one in clause.languages)
            problem = f"found {clause.name}, which is {theirs}, in a query of {TITLES[language]}"
            accepted = f"the windows of {TITLES[language]} {_ACCEPTED[language]}"
            raise QueryError(document.place(clause.token.start), f"{problem}; {accepted}")


def _refuse_cqels_2(document: Document, clauses: Sequence[Clause]) -> None:
    """Raise UnsupportedError where STREAM blocks have no window, since FROM STREAM has it."""
    for clause in clauses if any(clause.name == "FROM STREAM" for clause in clauses) else ():
        after = token_at(document, document.index_from(clause.token.start) + 2)
        if clause.name == "a STREAM block" and after.is_word("{"):
            construct = "CQELS 2: a STREAM block whose window stands in FROM STREAM"
            place = document.place(clause.token.start)
            raise UnsupportedError(
                construct, place, covered=f"CQELS 1, whose windows {_ACCEPTED[Language.CQELS]}"
            )


def from_clauses(document: Document, start: int, word: str) -> list[int]:
    """Return the indices of STREAM or WINDOW after FROM [NAMED], outside of every group."""
    clauses, depth, brackets = [], 0, 0
    tokens = document.tokens
    form = next((token for token in tokens[start:] if token.is_word(*_FORMS)), tokens[-1])
    for index in range(start, len(tokens)):
        token = tokens[index]
        depth += token.is_word("{") - token.is_word("}")
        if depth == 0 and token.is_word(word):
            before = index - 2 if tokens[index - 1].is_word("NAMED") else index - 1
            if before >= 0 and tokens[before].is_word("FROM"):
                clauses.append(index)
        # A group in brackets is no pattern of the query's own, but that of an EXISTS in SELECT.
        brackets += token.is_word("(") - token.is_word(")")
        if token.is_word("}") and depth <= 0 >= brackets and not form.is_word("CONSTRUCT"):
            break
    return clauses


def operator_after(document: Document, start: int) -> int | None:
    """Return the index of RSTREAM, ISTREAM or DSTREAM after the query's SELECT or CONSTRUCT."""
    for index in range(start, len(document.tokens) - 1):
        if document.tokens[index].is_word(*_FORMS):
            return index + 1 if document.tokens[index + 1].is_word(*_OPERATORS) else None
        if document.tokens[index].is_word("{"):
            break
    return None


def token_at(document: Document, index: int) -> Token:
    """Return the token of an index, and beyond the end the end."""
    return document.tokens[min(index, len(document.tokens) - 1)]


def first_of(document: Document, index: int) -> int:
    """Return the index of the FROM before [NAMED] STREAM or WINDOW."""
    return index - 2 if document.tokens[index - 1].is_word("NAMED") else index - 1


ReadBlock = Callable[[int], tuple[StreamBlock | AnyWindow, int]]


def read_blocks(
    document: Document, word: str, read: ReadBlock
) -> tuple[dict[int, StreamBlock | AnyWindow], set[int]]:
    """Return the STREAM or WINDOW blocks of a query by the token of their word, and what they hide.

    `read` gets the token after the word, and returns what the block reads and the token { after it.
    """
    blocks: dict[int, StreamBlock | AnyWindow] = {}
    hidden: set[int] = set()
    groups: list[Token | None] = []
    opened: Token | None = None
    for index, token in enumerate(document.tokens):
        outer = next((group for group in groups if group is not None), None)
        if token.is_word(word) and groups and index not in hidden:
            _refuse_nesting(document, token, outer)
            blocks[index], after = read(index + 1)
            opened = token
            hidden.update(range(index + 1, after))
        elif token.is_word("GRAPH"):
            if outer is not None and outer.is_word(word):
                _refuse_nesting(document, token, outer)
            opened = token
        elif token.is_word("{"):
            groups.append(opened)
            opened = None
        elif token.is_word("}") and groups:
            groups.pop()
    return blocks, hidden


def _refuse_nesting(document: Document, token: Token, outer: Token | None) -> None:
    if outer is not None and token.is_word("GRAPH"):
        construct = f"GRAPH inside {outer.text.upper()}, which reads a stream of named graphs"
        raise UnsupportedError(construct, document.place(token.start), covered="streams of triples")
    if outer is not None:
        inner, around = token.text.upper(), outer.text.upper()
        problem = f"found {inner} inside {around}; a stream has no streams in it"
        raise QueryError(document.place(token.start), problem)


_POLICY: Final = re.compile(
    r"\s*WITH\s+POLICY\s+(?:steal|wait|\(\s*timeout\s*=\s*\w+\s*,\s*fallback\s*=\s*(?:steal|drop)\s*\))"
)
_USUAL: Final = frozenset(("REPORT ON_WINDOW_CLOSE", "TICK TIME_DRIVEN", "WITH POLICY wait"))
_STATED: Final = re.compile(r"\b(?:REPORT|TICK|WITH\s+POLICY)\s+(?:\w+|\([^()]*\))", re.IGNORECASE)
_CLAUSE: Final = "FROM NAMED WINDOW <name> ON <iri> [RANGE duration STEP duration]"


_NAME: Final = re.compile(r"<[^<>\s]*>|[\w.:/?-]+")


@dataclass(frozen=True, slots=True)
class _Header:
    """What REGISTER says, and the token after it; the name is an IRI, or the text that begins at `name`."""

    after: int
    name: Token | None = None
    every: Duration | None = None
    operator: Token | None = None
    stream: bool = False


def _read_header(document: Document, start: int, language: Language) -> _Header:
    token, following = document.tokens[start], token_at(document, start + 1)
    if token.is_word("RULE", "RETRIEVE"):
        place = document.place(token.start)
        raise UnsupportedError(f"{token.text.upper()} of Kolibrie", place, covered=f"RSP-QL with {_CLAUSE}")
    if not token.is_word("REGISTER"):
        return _Header(start)
    if language is Language.CSPARQL:
        return _read_register(document, start, read_length)
    if not following.is_word(*_OPERATORS):
        if following.is_word("STREAM", "QUERY") and token_at(document, start + 3).is_word("UNDER"):
            place = document.place(document.tokens[start + 3].start)
            raise UnsupportedError("UNDER ENTAILMENT REGIME", place, covered="REGISTER STREAM <iri> AS")
        return _read_register(document, start, read_iso)
    name, end = token_at(document, start + 2), token_at(document, start + 3)
    if not is_name(name):
        raise document.unexpected(name, f"the IRI of the stream after {following.text.upper()}")
    if not end.is_word("AS"):
        raise document.unexpected(end, "AS")
    return _Header(start + 4, name, operator=following, stream=True)


def _read_register(document: Document, start: int, read: ReadLength) -> _Header:
    """Return what REGISTER QUERY or STREAM says; `start` is REGISTER."""
    kind = token_at(document, start + 1)
    if not kind.is_word("QUERY", "STREAM"):
        raise document.unexpected(kind, "QUERY or STREAM and a name after REGISTER")
    first = token_at(document, start + 2)
    name = _NAME.match(document.text, first.start)
    if name is None or first.is_word("AS", "COMPUTED", "EVERY"):
        raise document.unexpected(first, "the name of the query")
    index, every = document.index_from(name.end()), None
    if document.tokens[index].is_word("COMPUTED"):
        index += 1
        if not document.tokens[index].is_word("EVERY"):
            raise document.unexpected(document.tokens[index], "EVERY and a duration after COMPUTED")
    if document.tokens[index].is_word("EVERY"):
        every, reader = read(reader_at(document, document.tokens[index].end), "EVERY")
        index = document.index_from(reader.start)
    if not document.tokens[index].is_word("AS"):
        accepted = "AS" if every else "AS or COMPUTED EVERY"
        raise document.unexpected(document.tokens[index], accepted)
    return _Header(index + 1, first, every, stream=kind.is_word("STREAM"))


def _registered_name(header: _Header, names: Names, language: Language) -> str | None:
    """Return the name: of RSP-QL an IRI where it is one, else the text, as in REGISTER QUERY q AS."""
    if header.name is None:
        return None
    if language is Language.CSPARQL:
        name = _NAME.match(names.document.text, header.name.start)
        return None if name is None else name.group().strip("<>")
    return names.label(header.name).value if is_name(header.name) else header.name.text


def _operator(document: Document, header: _Header, index: int | None) -> ToStream | None:
    """Return the operator of REGISTER or of SELECT; they must not differ."""
    within = None if index is None else document.tokens[index]
    if header.operator and within and header.operator.text.upper() != within.text.upper():
        raise document.unexpected(within, f"{header.operator.text.upper()}, as REGISTER says")
    token = within or header.operator
    return None if token is None else ToStream(token.text.upper())


@dataclass(slots=True)
class _Streams:
    """The streams of one query and their windows: those with a name, those without, which names were read."""

    document: Document
    names: Names
    language: Language
    named: dict[Iri, MergedStream] = field(default_factory=dict)
    merged: list[MergedStream] = field(default_factory=list)
    read: set[Iri] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def merge(self, start: int) -> int:
        """Read FROM [NAMED] STREAM, whose STREAM is at `start`, and return the token after it."""
        token, following = self.document.tokens[start + 1], token_at(self.document, start + 2)
        if token.kind is TokenKind.VARIABLE and self.language is Language.CSPARQL:
            place = self.document.place(token.start)
            raise UnsupportedError(f"the variable stream name {token}", place, covered="FROM STREAM <iri>")
        if not is_name(token):
            raise self.document.unexpected(token, "the IRI of a stream")
        stream, after = self.names.iri(token), start + 2
        window: WindowExpression = Now()
        bare = self.language is Language.SPARQLSTREAM and self.document.tokens[start - 1].is_word("NAMED")
        if not bare or following.is_word("["):
            window, after = self._stream_window(following)
        self.merged.append(MergedStream(stream, window))
        return after

    def read_stream(self, index: int) -> tuple[StreamBlock, int]:
        """Return the stream and window from the token after STREAM on, and the token { after it."""
        token = self.document.tokens[index]
        if not is_name(token) and token.kind is not TokenKind.VARIABLE:
            raise self.document.unexpected(token, "the IRI of a stream or a variable")
        variable = token.kind is TokenKind.VARIABLE
        stream = Variable(token.text[1:]) if variable else self.names.iri(token)
        window, after = self._stream_window(self.document.tokens[index + 1])
        if not self.document.tokens[after].is_word("{"):
            raise self.document.unexpected(
                self.document.tokens[after], "{ and the pattern of the STREAM block"
            )
        return StreamBlock(stream, window), after

    def _stream_window(self, token: Token) -> tuple[WindowExpression, int]:
        """Return the window whose [ the token is, and the token after it."""
        read = read_now_window if self.language is Language.SPARQLSTREAM else read_window
        window, end = read(self.document, token)
        return window, self.document.index_from(end)

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
        if name is None:
            self.merged.append(MergedStream(stream, window))
            return index
        label = self.names.label(name)
        if label in self.named:
            raise self.document.unexpected(name, "a name that no other window has")
        self.named[label] = MergedStream(stream, window, label)
        return index

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

    def read_window(self, index: int) -> tuple[StreamBlock | AnyWindow, int]:
        """Return what a block reads, from the token after WINDOW on, and the token { after it."""
        token, after = self.document.tokens[index], token_at(self.document, index + 1)
        if not is_name(token) and token.kind is not TokenKind.VARIABLE:
            raise self.document.unexpected(token, "the name of a window or a variable")
        if not after.is_word("{"):
            raise self.document.unexpected(after, "{ and the pattern of the WINDOW block")
        if token.kind is TokenKind.VARIABLE:
            self.read.update(self.named)
            return AnyWindow(Variable(token.text[1:]), tuple(map(_block, self.named.values()))), index + 1
        name = self.names.label(token)
        if name not in self.named:
            return AnyWindow(name, ()), index + 1
        self.read.add(name)
        return _block(self.named[name]), index + 1


def _block(stream: MergedStream) -> StreamBlock:
    return StreamBlock(stream.stream, stream.window, name=stream.name)


def lift(document: Document, language: Language) -> StreamingClauses:
    """Return the streaming clauses of a query of the language, or raise at the first that is wrong.

    Of SPARQLstream are read as well: FROM STREAM without NAMED, units in the singular, and an operator after
    CONSTRUCT. A stream without a window is read as [NOW] there: its translation to a stream processor then
    answers for each element when it arrives.
    """
    refuse_others(document, language)
    start = read_prologue(document).after
    header = _read_header(document, start, language)
    names = read_prologue(document, header.after, read_prologue(document))
    streams, hidden = _Streams(document, names, language), set(range(start, header.after))
    if language is Language.RSPQL:
        word, declare, read = "WINDOW", streams.declare, streams.read_window
    else:
        word, declare, read = "STREAM", streams.merge, streams.read_stream
    for index in from_clauses(document, names.after, word):
        hidden.update(range(first_of(document, index), declare(index)))
    blocks, within = read_blocks(document, word, read)
    hidden |= within
    if language is Language.RSPQL:
        # The drafts write FROM GRAPH <g> for FROM <g>.
        hidden |= set(from_clauses(document, names.after, "GRAPH"))
    operator = operator_after(document, names.after)
    hidden |= set() if operator is None else {operator}
    return StreamingClauses(
        names=names,
        hidden=frozenset(hidden),
        name=_registered_name(header, names, language),
        every=header.every,
        merged=tuple(streams.merged),
        blocks=blocks,
        declared=tuple(stream for name, stream in streams.named.items() if name not in streams.read),
        to_stream=_operator(document, header, operator),
        registers_stream=header.stream,
        notes=tuple(dict.fromkeys(streams.notes)),
    )


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
    language, lifted = (engine, lift(document, engine)) if engine else _recognise(document)
    return translate(Scope(document, lifted, opaque), language)


def _recognise(document: Document) -> tuple[Language, StreamingClauses]:
    """Return the likeliest language that can read the clauses, or raise what the best of them says.

    The best error is the one farthest in the text: its language could read all that is before.
    """
    errors: list[tuple[PlacedError, Language]] = []
    for language in _likely(document):
        try:
            return language, lift(document, language)
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
