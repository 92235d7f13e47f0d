"""The parser of Kolibrie at commit 846becb, and what it takes from a query: windows and the names of blocks.

Its grammar for registered queries is one of characters, not of tokens: capitals and white space matter.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lars.errors import place_at
from translate.errors import QueryError
from translate.sparql import Names, read_prologue, tokenize

_SPACES: Final = re.compile(r"\s*")
_SPACE: Final = re.compile(r"\s+")
_IDENT: Final = r"[\w-]+"
_VARIABLE: Final = r"[?$]\w+"
_IRI: Final = r"<[^<>\s]*>"
_PREFIXED: Final = rf"(?:{_IDENT})?:[\w.-]*[\w-]|{_IDENT}:"
_QUOTED: Final = r"<<.*?>>"
_LITERAL: Final = rf'"(?:[^"\\\n]|\\.)*"(?:@[A-Za-z-]+|\^\^(?:{_IRI}|{_PREFIXED}))?'
_SUBJECT: Final = re.compile(rf"{_QUOTED}|{_IRI}|{_VARIABLE}|{_PREFIXED}|{_IDENT}")
_PREDICATE: Final = re.compile(rf"{_IRI}|{_VARIABLE}|{_PREFIXED}|a")
_OBJECT: Final = re.compile(rf"{_QUOTED}|{_IRI}|{_VARIABLE}|{_LITERAL}|{_PREFIXED}|{_IDENT}")
_NAME: Final = re.compile(rf"<[^>]+>|:{_IDENT}|{_VARIABLE}|{_IDENT}")
_BLOCK_NAME: Final = re.compile(rf":{_IDENT}|{_IDENT}")
_DURATION: Final = re.compile("PT[0-9]+[SMH]|[0-9]+")
_PARTS: Final = {"S": 1, "M": 60, "H": 3600}
_PROJECTION: Final = re.compile(
    r"SELECT\s+(?:DISTINCT\s+)?(?:\*|(?:[?$]\w+\s*|\((?:[^()]|\([^()]*\))*\)\s*)+)", re.IGNORECASE
)
_PARENTHESES: Final = re.compile(r"(?:FILTER|BIND)\s*\(", re.IGNORECASE)
_VALUES: Final = re.compile(r"VALUES\s*(?:[?$]\w+|\([^()]*\))\s*\{[^{}]*\}", re.IGNORECASE)
_SUBQUERY: Final = re.compile(r"\{\s*SELECT\b", re.IGNORECASE)
_MORE: Final = re.compile(r"\s*;\s*")
_DOT: Final = re.compile(r"[ \t]*\.[ \t]*")
_END: Final = re.compile(r"(?:\s|#[^\n]*)*")
_OPERATOR: Final = re.compile(_IDENT)
_REPORTS: Final = re.compile("ON_WINDOW_CLOSE|ON_CONTENT_CHANGE|NON_EMPTY_CONTENT|PERIODIC")
_TICKS: Final = re.compile("TIME_DRIVEN|TUPLE_DRIVEN|BATCH_DRIVEN")
_POLICY: Final = re.compile(
    r"steal|wait|\(\s*timeout\s*=\s*(?:PT[0-9]+[SMH]|[0-9]+(?:ms|s)?)\s*,\s*fallback\s*=\s*(?:steal|drop)\s*\)"
)
_WHERE: Final = "a WINDOW block, triples, FILTER (..), BIND (..), VALUES, a subquery or }"


@dataclass(frozen=True, slots=True)
class KolibrieWindow:
    """A window as the engine reads it: names without < and >, lengths in the unit of the timestamps.

    `iri` is what its name is in SPARQL.
    """

    name: str
    iri: str
    stream: str
    width: int
    step: int
    report: str = "ON_WINDOW_CLOSE"
    tick: str = "TIME_DRIVEN"
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class KolibrieText:
    """The windows of a query in the order of the text, and the names of the blocks that read them."""

    windows: tuple[KolibrieWindow, ...]
    blocks: tuple[str, ...]


def check_kolibrie(text: str, source: str) -> None:
    """Raise QueryError where Kolibrie refuses to register the query."""
    read_kolibrie(text, source)


def read_kolibrie(text: str, source: str) -> KolibrieText:
    """Return what Kolibrie takes from a query; raises QueryError where it refuses to register it."""
    document = tokenize(text, source)
    names = read_prologue(document)
    scan = _Scanner(text, source, document.tokens[names.after].start)
    scan.word("REGISTER")
    scan.space()
    scan.take(_OPERATOR, "RSTREAM, ISTREAM or DSTREAM")
    scan.space()
    scan.take(re.compile(_IRI), "the IRI of a stream in < and >")
    scan.space()
    scan.word("AS")
    scan.skip()
    scan.take(_PROJECTION, "SELECT and variables")
    scan.skip()
    windows = [_window(scan, names)]
    while scan.sees("FROM"):
        windows.append(_window(scan, names))
    scan.word("WHERE")
    scan.skip()
    blocks = _where(scan)
    end = _END.match(text, scan.at)
    if end is not None and end.end() < len(text):
        scan.at = end.end()
        raise scan.error("the end of the query behind WHERE { .. }")
    return KolibrieText(tuple(windows), blocks)


@dataclass(slots=True)
class _Scanner:
    """A place in the text, from which pieces are taken."""

    text: str
    source: str
    at: int

    def error(self, accepted: str) -> QueryError:
        """Return the error that tells what stands here, and what is accepted."""
        match = re.compile(r"\w+|.|$", re.DOTALL).match(self.text, self.at)
        text = (match.group() if match else "").strip() or "white space or the end of the query"
        place = place_at(self.source, self.text, self.at)
        return QueryError(place, f"found {text}; Kolibrie expects {accepted}")

    def take(self, pattern: re.Pattern[str], accepted: str) -> str:
        """Return what matches here, and go behind it."""
        match = pattern.match(self.text, self.at)
        if match is None:
            raise self.error(accepted)
        self.at = match.end()
        return match.group()

    def word(self, text: str) -> None:
        """Go behind a keyword, whose case matters."""
        self.take(re.compile(re.escape(text)), text)

    def sees(self, text: str) -> bool:
        """Return whether a text stands here."""
        return self.text.startswith(text, self.at)

    def space(self) -> None:
        """Go behind white space, of which there must be some."""
        self.take(_SPACE, "white space")

    def skip(self) -> None:
        """Go behind white space, if there is any."""
        self.take(_SPACES, "")

    def tried(self, read: Callable[["_Scanner"], object]) -> QueryError | None:
        """Read something, or stay where it stands and return why it can't be read."""
        before = self.at
        try:
            read(self)
        except QueryError as error:
            self.at = before
            return error
        return None


def _window(scan: _Scanner, names: Names) -> KolibrieWindow:
    for word in ("FROM", "NAMED", "WINDOW"):
        scan.word(word)
        scan.space()
    name = scan.take(_NAME, "the name of a window: an IRI, or :name without another prefix").strip("<>")
    scan.space()
    scan.word("ON")
    scan.space()
    stream = scan.take(_NAME, "a stream: an IRI, or :name without another prefix").strip("<>")
    scan.space()
    scan.word("[")
    scan.skip()
    scan.take(re.compile("RANGE|TUMBLING|SLIDING"), "RANGE, TUMBLING or SLIDING")
    scan.space()
    width = _length(scan)
    step = _length(scan) if _optional(scan, "STEP") else width
    report = scan.take(_REPORTS, "a strategy") if _optional(scan, "REPORT") else "ON_WINDOW_CLOSE"
    tick = scan.take(_TICKS, "a tick") if _optional(scan, "TICK") else "TIME_DRIVEN"
    scan.skip()
    scan.take(re.compile("]"), "] or STEP, REPORT, TICK in this order")
    policy = None
    if _optional(scan, "WITH", needed=False):
        scan.word("POLICY")
        scan.space()
        policy = scan.take(_POLICY, "steal, wait or (timeout=.., fallback=..)")
    scan.skip()
    iri = names.prefixes.get(":", "") + name[1:] if name.startswith(":") else name
    return KolibrieWindow(
        name=name, iri=iri, stream=stream, width=width, step=step, report=report, tick=tick, policy=policy
    )


def _optional(scan: _Scanner, word: str, *, needed: bool = True) -> bool:
    """Go behind white space, a keyword and white space, if they stand here; return whether they do."""
    match = re.compile(rf"\s{'+' if needed else '*'}{word}\s+").match(scan.text, scan.at)
    scan.at = scan.at if match is None else match.end()
    return match is not None


def _length(scan: _Scanner) -> int:
    text = scan.take(_DURATION, "an integer, or a duration as in PT4S, PT4M or PT4H")
    return int(text[2:-1]) * _PARTS[text[-1]] if text.startswith("PT") else int(text)


def _where(scan: _Scanner) -> tuple[str, ...]:
    """Read the pattern and return the names of its WINDOW blocks."""
    scan.word("{")
    blocks: list[str] = []
    while True:
        scan.skip()
        if scan.sees("}"):
            scan.word("}")
            return tuple(blocks)
        if scan.sees("WINDOW"):
            blocks.append(_block(scan))
        elif (wrong := scan.tried(_triples)) is not None and scan.tried(_other) is not None:
            raise wrong if _SUBJECT.match(scan.text, scan.at) is None else scan.error(_WHERE)
        dot = _DOT.match(scan.text, scan.at)
        scan.at = scan.at if dot is None else dot.end()


def _block(scan: _Scanner) -> str:
    scan.word("WINDOW")
    scan.space()
    name = scan.take(_BLOCK_NAME, "the name of a window as :name, which no other prefix may have")
    scan.skip()
    scan.word("{")
    scan.skip()
    while not scan.sees("}"):
        _triples(scan)
        scan.skip()
        if scan.sees("."):
            scan.word(".")
        scan.skip()
    scan.word("}")
    return name


def _triples(scan: _Scanner) -> None:
    """Read a subject with its predicates and objects, which ; separates."""
    scan.take(_SUBJECT, "a subject: an IRI, a name, or a variable")
    scan.space()
    while True:
        scan.take(_PREDICATE, "a predicate: an IRI, a name, a variable or a; triple patterns alone")
        scan.space()
        scan.take(_OBJECT, "an object: an IRI, a name, a variable, a number or a text in double quotes")
        more = _MORE.match(scan.text, scan.at)
        if more is None:
            return
        scan.at = more.end()


def _other(scan: _Scanner) -> None:
    """Read what the engine accepts beside triples, and then leaves out."""
    if _PARENTHESES.match(scan.text, scan.at) is not None:
        scan.at = scan.text.index("(", scan.at)
        _balanced(scan, "()")
    elif _SUBQUERY.match(scan.text, scan.at) is not None:
        _balanced(scan, "{}")
    else:
        scan.take(_VALUES, _WHERE)


def _balanced(scan: _Scanner, pair: str) -> None:
    """Go behind the bracket that closes the one that stands here."""
    depth, start = 0, scan.at
    for offset in range(start, len(scan.text)):
        depth += (scan.text[offset] == pair[0]) - (scan.text[offset] == pair[1])
        if depth == 0:
            scan.at = offset + 1
            return
    raise scan.error(f"{pair[1]} for each {pair[0]}")
