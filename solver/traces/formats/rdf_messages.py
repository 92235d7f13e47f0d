"""RDF Messages: logs in Turtle, TriG, N-Triples or N-Quads with the delimiter MESSAGE (W3C RSP, 2026)."""

import math
import re
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import BinaryIO, Final

import pyoxigraph
from pyoxigraph import RdfFormat

from lars.dataclass import dataclass
from lars.errors import FailedRunError
from lars.files import BYTE_ORDER_MARK, MOST_BYTES, line_end
from solver.rdf import NotATerm, blanks_numbered, is_triple_term, quad_texts, syntax_problem
from solver.traces.formats.graphs import LineByLine, LinedQuad
from solver.traces.formats.messages import LoggedMessage
from solver.traces.input_files import TraceFile, bare
from solver.traces.trace_times import MalformedPart

KINDS: Final = {
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
}
_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_BLOCK: Final = 2**20
_ACCEPTED: Final = 'expected MESSAGE after VERSION "1.2-messages", "1.2-basic-messages" or "1.1-messages"'

_NAME: Final = rb"(?:[A-Za-z0-9_:%\x80-\xff-]|\\.)"
_GAP: Final = rb"(?>(?:\s|\#[^\r\n]*+)*)"
_DELIMITER: Final = rb"(?:MESSAGE(?!" + _NAME + rb")|@message(?![A-Za-z0-9-]))"
_VERSION: Final = rb"(?:(?i:VERSION)|@version)" + _GAP + rb"(?=[\"'])"
# Nothing is tried twice, so a long string costs its length. (?>(?:..)*) is (?:..)*+, which Python 3.11.2 gets
# wrong.
_QUIET: Final = re.compile(
    rb"(?>(?:[\s.,;()\[\]{}^|~>=*+!?/&$`]++|\#[^\r\n]*+"
    rb"|<[^\x00-\x20<>\"{}|^`]*+>|<(?=[<(\s])"
    rb"|(?:\"\"\"(?>(?:[^\"\\]++|\\.|\"(?!\"\"))*)\"\"\"|'''(?>(?:[^'\\]++|\\.|'(?!''))*)'''"
    rb"|\"(?!\"\")(?>(?:[^\"\\\r\n]++|\\.)*)\"|'(?!'')(?>(?:[^'\\\r\n]++|\\.)*)')(?:@[A-Za-z0-9-]++)?"
    rb"|(?!" + _DELIMITER + rb"|" + _VERSION + rb")"
    rb"(?:@[A-Za-z0-9-]++|" + _NAME + rb"(?>(?:" + _NAME + rb"|\.(?=" + _NAME + rb"))*))){0,1000})",
    re.DOTALL,
)
"""A pattern of up to 1000 strings, IRIs, comments and words.

None of them delimits messages or declares a version.
"""
_LOUD: Final = re.compile(
    _VERSION + rb"(?:\"(?P<label>[^\"\\\r\n]*)\"|'(?P<other>[^'\\\r\n]*)')"
    rb"|(?P<word>MESSAGE(?!" + _NAME + rb"))|(?P<at>@message(?![A-Za-z0-9-]))" + _GAP + rb"(?P<dot>\.?)"
)
_LONG: Final = (b'"""', b"'''")
_WITHOUT_TRIPLES: Final = (b"1.1-messages", b"1.2-basic-messages")
_VERSION_LINE: Final = re.compile(rb'^[ \t]*VERSION[ \t]*"[^"\\\r\n]*"[ \t]*(?=#|\r?$)', re.MULTILINE)
_REST_OF_LINE: Final = re.compile(rb"[ \t]*(?:#[^\r\n]*)?(?:[\r\n]|\Z)")


_Piece = tuple[bytes, bytes, bytes]
"""A piece of a log: its text, the delimiter after it, and the version declared before the delimiter.

Delimiter and version may be empty.
"""


def _pieces(file: BinaryIO) -> Iterator[_Piece]:
    """Yield the pieces of a log between its MESSAGE delimiters, without reading the whole log into memory.

    Raises:
        FailedRunError: A message is too long.
    """
    data, at, begin, version, whole = b"", 0, 0, b"", False
    line_end = -1
    while True:
        at = _quiet_end(data, at)
        loud = _LOUD.match(data, at)
        end = loud.end() if loud else at
        if loud is None and line_end < at:
            line_end = data.find(b"\n", at)
            if line_end < 0 and whole:
                line_end = len(data)
        # Without a delimiter, a token of the text may continue after the bytes that were read.
        is_open = loud is None and (data.startswith(_LONG, at) or line_end < 0)
        if not whole and (end >= len(data) or is_open):
            # A token may have been cut: the message is looked at again with more of the file.
            if len(data) - begin > MOST_BYTES:
                raise FailedRunError(f"{file.name}: a message is longer than {MOST_BYTES} bytes")
            more = file.read(max(_BLOCK, len(data) - begin))
            data, at, begin, whole, line_end = data[begin:] + more, 0, 0, not more, -1
        elif loud is None:
            if at >= len(data):
                yield data[begin:], b"", version
                return
            at += 1
        elif loud["word"] or loud["dot"]:
            yield data[begin:at], loud[0], version
            at = begin = loud.end()
        else:
            label = loud["label"] or loud["other"] or b""
            version, at = label if label.endswith(b"-messages") else version, loud.end()


def _quiet_end(data: bytes, at: int) -> int:
    """Return the offset up to which the text after `at` contains no delimiter and no VERSION."""
    # In parts: one match of everything would hold a place for each of its parts.
    while (quiet := _QUIET.match(data, at)) and quiet.end() > at:
        at = quiet.end()
    return at


def is_log(start: bytes) -> bool:
    """Return whether a file that begins with the bytes `start` is a log of RDF messages.

    A log of RDF messages declares a version for messages, or has a line with only the word MESSAGE.

    >>> is_log(b'VERSION "1.2-messages" <urn:s>'), is_log(b'<urn:s> <urn:p> "MESSAGE" .')
    (True, False)
    """
    at = 0
    while at < len(start):
        at = _quiet_end(start, at)
        if loud := _LOUD.match(start, at):
            if (loud["label"] or loud["other"] or b"").endswith(b"-messages"):
                return True
            begin = max(start.rfind(b"\n", 0, at), start.rfind(b"\r", 0, at)) + 1
            alone = (
                _REST_OF_LINE.match(start, loud.end())
                and not start[begin:at].removeprefix(BYTE_ORDER_MARK).strip()
            )
            if alone and (loud["word"] or loud["dot"]):
                return True
        at = loud.end() if loud else at + 1
    return False


@dataclass(slots=True)
class _Reader:
    """The reader of the messages in a log; prefixes and the base of a message apply to later messages, too.

    The fields `line` and `column` are the position of the next piece of the log, counted from 1.
    """

    kind: RdfFormat
    unversioned: bool = False
    line: int = 1
    column: int = 1
    base: str | None = None
    prefixes: dict[str, str] = field(default_factory=dict)

    def message(self, number: int, piece: _Piece) -> LoggedMessage:
        """Return the message that a piece of the log contains.

        Raises:
            MalformedPart: The message or the delimiter after it is invalid.
        """
        (text, delimiter, _), line, quads = piece, self.line, [*self._quads(number, piece)]
        self._advance(text)
        if problem := self._fault(piece):
            raise MalformedPart(problem, self.column, self.line, fatal=True)
        self._advance(delimiter)
        begin = quads[0].line if quads else line
        return LoggedMessage(number, begin, text.split(line_end(text), begin - line)[-1], quads)

    def _quads(self, number: int, piece: _Piece) -> Iterator[LinedQuad]:
        apart = blanks_numbered(f"m{number}b")
        (text, delimiter, version), head = (
            piece,
            "".join(f"PREFIX {name}: <{iri}> " for name, iri in self.prefixes.items()),
        )
        if self.kind in _LINES:
            if number > 1 and not _REST_OF_LINE.match(text + delimiter):
                problem = "found other text in the line of MESSAGE; use a separate line for MESSAGE"
                column = self.column + len(text) - len(text.lstrip(b" \t"))
                raise MalformedPart(problem, column, self.line, fatal=True)
            text = _VERSION_LINE.sub(lambda match: b" " * len(match[0]), text)
        reader = LineByLine(head.encode() + line_end(text) + text)
        before = self.line - 2
        try:
            parser = pyoxigraph.parse(reader, format=self.kind, base_iri=self.base)  # type: ignore[arg-type]  # it has a read()
            for quad in parser:
                s, p, o, graph = quad_texts(quad)
                if is_triple_term(o) and version in _WITHOUT_TRIPLES:
                    label = version.decode()
                    problem = f'found a triple term, which {label} does not allow; use VERSION "1.2-messages"'
                    raise MalformedPart(problem, 1, before + reader.line, fatal=True)
                yield LinedQuad(before + reader.line, (apart(s), p, apart(o)), graph and apart(graph))
        except SyntaxError as error:
            line, column = error.lineno or reader.line, error.offset or 1
            column += self.column - 1 if line == 2 else 0  # noqa: PLR2004  (after the line of prefixes)
            problem = f"{syntax_problem(error)}; expected messages in {self.kind.name}"
            raise MalformedPart(problem, column, before + line, fatal=True) from None
        except NotATerm as error:
            raise MalformedPart(str(error), 1, before + reader.line, fatal=True) from None
        self.prefixes, self.base = parser.prefixes, parser.base_iri

    def _fault(self, piece: _Piece) -> str | None:
        """Return the problem with the delimiter after a piece, as text; None if the delimiter is valid."""
        text, delimiter, version = piece
        if not delimiter:
            return None
        word = delimiter.decode()
        if not version and not self.unversioned:
            return f"found {word} without a version; {_ACCEPTED}, or --reading messages=unversioned"
        tail = text[max(text.rfind(b"\n"), text.rfind(b"\r")) + 1 :]
        if self.kind in _LINES and (word != "MESSAGE" or tail.strip(b" \t")):
            return f"found {word} and other text in one line; use a separate line for MESSAGE"
        return None

    def _advance(self, text: bytes) -> None:
        end = line_end(text)
        lines = text.count(end)
        self.line += lines
        length = len(text[text.rfind(end) + 1 :].decode("utf-8", "replace"))
        self.column = length + 1 if lines else self.column + length


def log_messages(source: TraceFile) -> Iterator[LoggedMessage]:
    """Yield the messages of a log, in which MESSAGE ends each message.

    A log without a known extension is read as TriG or N-Quads. The text after the last delimiter is a message
    only if it contains a triple.
    """
    with source.file.open("rb") as file:
        reader = _Reader(_kind(source), source.options.unversioned)
        if file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
            file.seek(0)
        for number, piece in enumerate(_pieces(file), 1):
            message = reader.message(number, piece)
            if piece[1] or message.quads:
                yield message


_TRIED: Final = 2**16
_DELIMITER_LINE: Final = re.compile(rb"^[ \t]*MESSAGE(?=\s|#|\Z)", re.MULTILINE)


def _kind(source: TraceFile) -> RdfFormat:
    """Return the syntax of a log: by its extension, or else TriG or N-Quads, whichever reads farther."""
    if kind := KINDS.get(bare(Path(source.path)).suffix.lower()):
        return kind
    with source.file.open("rb") as file:
        start = _DELIMITER_LINE.sub(b"", file.read(_TRIED).removeprefix(BYTE_ORDER_MARK))
    texts = {RdfFormat.TRIG: start, RdfFormat.N_QUADS: _VERSION_LINE.sub(b"", start)}
    return max(texts, key=lambda kind: _reach(texts[kind], kind))


def _reach(text: bytes, kind: RdfFormat) -> tuple[float, int]:
    """Return the line and column of the first error in a text; the line is infinite without an error."""
    try:
        for _ in pyoxigraph.parse(text, format=kind):
            pass
    except SyntaxError as error:
        return error.lineno or 0, error.offset or 0
    return math.inf, 0
