"""The parser of Kolibrie at commit 846becb, and its result: windows and the names of blocks.

The grammar for registered queries reads characters, not tokens. The parser of Kolibrie therefore
distinguishes upper and lower case, and different white space.
"""

import re
from collections.abc import Callable
from typing import Final

from lars.dataclass import dataclass
from lars.errors import place_at
from translate.errors import QueryError
from translate.sparql import Document, tokenize
from translate.sparql.tokens import read_prologue

_Piece = tuple[str, str]
"""A regular expression, and its name in messages."""

_SPACES: Final = (r"\s*", "")
_SPACE: Final = (r"\s+", "white space")
_IDENT: Final = r"[\w-]+"
_VARIABLE: Final = r"[?$]\w+"
_IRI: Final = r"<[^<>\s]*>"
_PREFIXED: Final = rf"(?:{_IDENT})?:[\w.-]*[\w-]|{_IDENT}:"
_QUOTED: Final = r"<<.*?>>"
_LITERAL: Final = rf'"(?:[^"\\\n]|\\.)*"(?:@[A-Za-z-]+|\^\^(?:{_IRI}|{_PREFIXED}))?'
_SUBJECT: Final = (
    rf"{_QUOTED}|{_IRI}|{_VARIABLE}|{_PREFIXED}|{_IDENT}",
    "a subject: an IRI, a name, or a variable",
)
_PREDICATE: Final = (
    rf"{_IRI}|{_VARIABLE}|{_PREFIXED}|a",
    "a predicate: an IRI, a name, a variable or a; triple patterns alone",
)
_OBJECT: Final = (
    rf"{_QUOTED}|{_IRI}|{_VARIABLE}|{_LITERAL}|{_PREFIXED}|{_IDENT}",
    "an object: an IRI, a name, a variable, a number or a text in double quotes",
)
_NAME: Final = rf"<[^>]+>|:{_IDENT}|{_VARIABLE}|{_IDENT}"
_DURATION: Final = (
    "(?P<length>PT[0-9]{1,18}[SMH]|[0-9]{1,18}(?![0-9]))",
    "an integer of at most 18 digits, or a duration as in PT4S, PT4M or PT4H",
)
_PARTS: Final = {"S": 1, "M": 60, "H": 3600}
_PARENTHESES: Final = re.compile(r"(?:FILTER|BIND)\s*\(", re.IGNORECASE)
_SUBQUERY: Final = re.compile(r"\{\s*SELECT\b", re.IGNORECASE)
_END: Final = re.compile(r"(?:\s|#[^\n]*)*")
_WHERE: Final = "a WINDOW block, triples, FILTER (..), BIND (..), VALUES, a subquery or }"
_VALUES: Final = (r"(?i:VALUES\s*(?:[?$]\w+|\([^()]*\))\s*\{[^{}]*\})", _WHERE)
_TIMEOUT: Final = r"timeout\s*=\s*(?:PT[0-9]+[SMH]|[0-9]+(?:ms|s)?)"
_FALLBACK: Final = r"fallback\s*=\s*(?:steal|drop)"
_POLICY: Final = (
    rf"(?P<policy>steal|wait|\(\s*{_TIMEOUT}\s*,\s*{_FALLBACK}\s*\))",
    "steal, wait or (timeout=.., fallback=..)",
)

_AGGREGATE: Final = r"(?:SUM|MIN|MAX|AVG)\([?]\w+\)(?:[ \t]+AS[ \t]+[?]\w+)?"


def _spaced(*pieces: str | _Piece) -> tuple[_Piece, ...]:
    """Return patterns for keywords (whose case matters) and other pieces, each followed by white space."""
    whole = ((piece, piece) if isinstance(piece, str) else piece for piece in pieces)
    return tuple(part for piece in whole for part in (piece, _SPACE))


_HEADER: Final = (
    *_spaced("REGISTER", (_IDENT, "RSTREAM, ISTREAM or DSTREAM"), (_IRI, "the IRI of a stream in < and >")),
    ("AS", "AS"),
    _SPACES,
    (
        rf"(?i:SELECT\s+(?:DISTINCT\s+)?)(?:\*|(?:(?:[?$]\w+|{_AGGREGATE})\s*)+)",
        "SELECT and *, variables, or SUM(?x), MIN(?x), MAX(?x), AVG(?x) without brackets around them",
    ),
    _SPACES,
)
_WINDOW: Final = (
    *_spaced("FROM", "NAMED", "WINDOW"),
    *_spaced((f"(?P<name>{_NAME})", "the name of a window: an IRI, or :name without another prefix")),
    *_spaced("ON", (f"(?P<stream>{_NAME})", "a stream: an IRI, or :name without another prefix")),
    (r"\[", "["),
    _SPACES,
    *_spaced(("RANGE|TUMBLING|SLIDING", "RANGE, TUMBLING or SLIDING")),
)
_BLOCK: Final = (
    *_spaced("WINDOW"),
    (rf"(?P<name>:{_IDENT}|{_IDENT})", "the name of a window as :name, which no other prefix may have"),
    _SPACES,
    (r"\{", "{"),
    _SPACES,
)


@dataclass(frozen=True, slots=True)
class KolibrieWindow:
    """A window as the engine reads it: names without < and >, and lengths in the unit of timestamps.

    The field `iri` is the name of the window as a SPARQL IRI.
    """

    name: str
    iri: str
    stream: str
    width: int
    step: int
    report: str = "ON_WINDOW_CLOSE"
    tick: str = "TIME_DRIVEN"
    policy: str | None = None


def check_kolibrie(text: str, source: str) -> None:
    """Raise QueryError if Kolibrie rejects the query at registration."""
    read_kolibrie(text, source)


def read_kolibrie(text: str, source: str) -> tuple[tuple[KolibrieWindow, ...], tuple[str, ...]]:
    """Return the windows in the order of the text, and the names of the WINDOW blocks.

    Raises QueryError if Kolibrie rejects the query.
    """
    document = read_prologue(tokenize(text, source, rdf12=False))
    scan = _Scanner(text, source, document.tokens[document.after].start)
    scan.take(*_HEADER)
    windows = [_window(scan, document)]
    while scan.sees("FROM"):
        windows.append(_window(scan, document))
    scan.take(("WHERE", "WHERE"), _SPACES)
    blocks = _where(scan)
    end = _END.match(text, scan.at)
    if end is not None and end.end() < len(text):
        scan.at = end.end()
        raise scan.error("the end of the query behind WHERE { .. }")
    return tuple(windows), blocks


@dataclass(slots=True)
class _Scanner:
    """A reader of pieces of the query text from its current position."""

    text: str
    source: str
    at: int

    def error(self, accepted: str) -> QueryError:
        """Return the error at the current position, with the text that follows and the expected form."""
        match = re.compile(r"\w+|.|$", re.DOTALL).match(self.text, self.at)
        text = (match.group() if match else "").strip() or "white space or the end of the query"
        place = place_at(self.source, self.text, self.at)
        return QueryError(place, f"found {text}; Kolibrie expects {accepted}")

    def take(self, *pieces: _Piece) -> dict[str, str]:
        """Read consecutive pieces and return their named groups; raise QueryError at a missing piece."""
        groups: dict[str, str] = {}
        for pattern, accepted in pieces:
            match = re.compile(pattern).match(self.text, self.at)
            if match is None:
                raise self.error(accepted)
            self.at = match.end()
            groups |= match.groupdict()
        return groups

    def takes(self, pattern: str) -> bool:
        """Read a match of the pattern at the current position; return whether the pattern matches."""
        match = re.compile(pattern).match(self.text, self.at)
        self.at = self.at if match is None else match.end()
        return match is not None

    def sees(self, text: str) -> bool:
        """Return whether the given text is at the current position."""
        return self.text.startswith(text, self.at)

    def tried(self, read: Callable[["_Scanner"], object]) -> QueryError | None:
        """Call `read`; if it raises QueryError, restore the position and return the error."""
        before = self.at
        try:
            read(self)
        except QueryError as error:
            self.at = before
            return error
        return None


def _window(scan: _Scanner, document: Document) -> KolibrieWindow:
    window = scan.take(*_WINDOW)
    width = _length(scan)
    step = _length(scan) if scan.takes(r"\s+STEP\s+") else width
    report, tick, policy = "ON_WINDOW_CLOSE", "TIME_DRIVEN", None
    if scan.takes(r"\s+REPORT\s+"):
        reports = "(?P<report>ON_WINDOW_CLOSE|ON_CONTENT_CHANGE|NON_EMPTY_CONTENT|PERIODIC)"
        report = scan.take((reports, "a strategy"))["report"]
    if scan.takes(r"\s+TICK\s+"):
        tick = scan.take(("(?P<tick>TIME_DRIVEN|TUPLE_DRIVEN|BATCH_DRIVEN)", "a tick"))["tick"]
    scan.take(_SPACES, ("]", "] or STEP, REPORT, TICK in this order"))
    if scan.takes(r"\s*WITH\s+"):
        policy = scan.take(*_spaced("POLICY"), _POLICY)["policy"]
    scan.take(_SPACES)
    name, stream = window["name"].strip("<>"), window["stream"].strip("<>")
    iri = document.prefixes.get(":", "") + name[1:] if name.startswith(":") else name
    return KolibrieWindow(
        name=name, iri=iri, stream=stream, width=width, step=step, report=report, tick=tick, policy=policy
    )


def _length(scan: _Scanner) -> int:
    text = scan.take(_DURATION)["length"]
    return int(text[2:-1]) * _PARTS[text[-1]] if text.startswith("PT") else int(text)


def _where(scan: _Scanner) -> tuple[str, ...]:
    """Read the pattern of WHERE, and return the names of its WINDOW blocks."""
    scan.take((r"\{", "{"))
    blocks: list[str] = []
    while True:
        scan.take(_SPACES)
        if scan.takes("}"):
            return tuple(blocks)
        if scan.sees("WINDOW"):
            blocks.append(_block(scan))
        elif (wrong := scan.tried(_triples)) is not None and scan.tried(_other) is not None:
            subject = re.compile(_SUBJECT[0]).match(scan.text, scan.at)
            raise wrong if subject is None else scan.error(_WHERE)
        scan.takes(r"[ \t]*\.[ \t]*")


def _block(scan: _Scanner) -> str:
    name = scan.take(*_BLOCK)["name"]
    while not scan.takes("}"):
        _triples(scan)
        scan.takes(r"\s*\.")
        scan.take(_SPACES)
    return name


def _triples(scan: _Scanner) -> None:
    """Read a subject with its pairs of predicate and object, which semicolons separate."""
    scan.take(_SUBJECT, _SPACE, _PREDICATE, _SPACE, _OBJECT)
    while scan.takes(r"\s*;\s*"):
        scan.take(_PREDICATE, _SPACE, _OBJECT)


def _other(scan: _Scanner) -> None:
    """Read elements between triples that the engine accepts and then ignores."""
    if _PARENTHESES.match(scan.text, scan.at) is not None:
        scan.at = scan.text.index("(", scan.at)
        _balanced(scan, "()")
    elif _SUBQUERY.match(scan.text, scan.at) is not None:
        _balanced(scan, "{}")
    else:
        scan.take(_VALUES)


def _balanced(scan: _Scanner, pair: str) -> None:
    """Read up to the bracket that closes the next opening bracket."""
    depth, start = 0, scan.at
    for offset in range(start, len(scan.text)):
        depth += (scan.text[offset] == pair[0]) - (scan.text[offset] == pair[1])
        if depth == 0:
            scan.at = offset + 1
            return
    raise scan.error(f"{pair[1]} for each {pair[0]}")
