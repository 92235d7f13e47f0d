"""RSP-QL: FROM NAMED WINDOW <name> ON <stream> [window], read in the pattern by WINDOW <name> { .. }.

Read are RSP4J's language, those of RSP-JS and Kolibrie, whose durations are milliseconds, and the drafts
of the W3C's community group with rsp-spin. When a window of Kolibrie reports, and how it waits for others,
is no part of the query: a note says so. What only Janus and RSP-QL* have is refused by name.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from lars.durations import Duration
from lars.language.terms import Iri, Variable
from translate.dialects.clauses import (
    first_of,
    from_clauses,
    operator_after,
    read_blocks,
    read_register,
    refuse_others,
    token_at,
)
from translate.dialects.windows import ReadLength, read_iso, read_milliseconds, read_named_window
from translate.errors import UnsupportedError
from translate.model.query import Language, MergedStream, ToStream
from translate.model.windows import WindowExpression
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
        said = read_register(document, start, read_iso)
        return _Header(said.after, document.tokens[start + 2], said.every, None, said.stream)
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
