"""Read a query as YASPER 1.0.1 of RSP4J does, whose class TPQueryFactory parses the text.

The grammar is the grammar of RSP-QL, but TPQueryFactory keeps only triples and comparisons of the pattern.
TPQueryFactory assigns triples to the surrounding block of a window, and ignores braces and keywords.
TPQueryFactory ignores case, except in the operator of REGISTER, and reads each object as an IRI.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Final, get_args

from agreement.documents.requests import WindowSource
from agreement.engines.versions.sliding import YasperWindow
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError, cut
from lars.language.stream import ToStream
from lars.language.terms import Iri
from translate.model.windows import Range

NAME: Final = "yasper-rsp4j-1.0.1"
_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*)|<[^<>"{}|^`\s]*>|"(?:\\.|[^"\\])*"(?:@[\w-]+)?|'(?:\\.|[^'\\])*'(?:@[\w-]+)?|[?$]\w+
    |(?:[^\W\d][\w.-]*)?:(?:[\w:%](?:[\w.:%-]*[\w:%-])?)?|[+-]?(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?|\w[\w.]*
    |\^\^|&&|\|\||[<>!]=|.""",
    re.VERBOSE,
)
_DURATION: Final = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?", re.IGNORECASE)
_PARTS: Final = (86_400, 3600, 60, 1)
_ILLEGAL: Final = re.compile(r"""[|^<>"{}\\`\s]""")
_COMPARATORS: Final = ("=", "!=", "<", ">", "<=", ">=")
_GROUPS: Final = ("OPTIONAL", "MINUS", "UNION", "GRAPH", "SERVICE", "SILENT")


YasperComparison = tuple[str, str, str]
"""A comparison in FILTER: an expression without blanks, an operator, and another expression."""
YasperCondition = tuple[tuple[YasperComparison, ...], ...]
"""A FILTER: a disjunction (||) of conjunctions (&&) of comparisons."""


@dataclass(slots=True)
class YasperBlock:
    """The triple patterns of one window as texts; if `window` is None, the patterns outside all windows.

    A variable is written as `?name`.
    """

    window: Iri | None
    triples: list[tuple[str, str, str]] = field(default_factory=list)
    filters: list[YasperCondition] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class YasperQuery:
    """The query as the engine reads it, with its windows and blocks in the order of the text.

    If `operator` is None, the engine reports nothing. A window without STEP has step 0. `selected` are the
    selected variables; if empty, all variables. `aggregates` contains functions with their argument and
    result variables. If `static` is true, the query has a FROM clause.
    """

    operator: ToStream | None
    windows: tuple[YasperWindow, ...]
    blocks: tuple[YasperBlock, ...]
    selected: tuple[str, ...]
    aggregates: tuple[tuple[str, str, str], ...]
    static: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of rows, in alphabetical order."""
        triples = (triple for block in self.blocks for triple in block.triples)
        every = {term[1:] for triple in triples for term in triple if term[:1] in "?$"}
        rows = {name for _, _, name in self.aggregates} if self.aggregates else self.selected or every
        return tuple(sorted(rows))


@lru_cache
def read_head(text: str) -> tuple[ToStream | None, tuple[YasperWindow, ...]]:
    """Return the operator and the windows of a query; the operator is None unless it is in capitals."""
    reader = _Reader(text)
    operator = reader.operator()
    reader.skip("FROM")
    return operator, reader.dataset()[0]


@lru_cache
def read_yasper(text: str) -> YasperQuery:
    """Read a query as the engine reads it.

    Raises:
        LarsError: The engine does not register the query.
    """
    return _Reader(text).query()


def _refusal(problem: str, use: str) -> LarsError:
    return LarsError(f"{NAME} does not take {problem}; use {use}")


class _Reader:
    """The reader of a query text, one token (word or sign) after the other.

    After the last token, all tokens are empty.
    """

    def __init__(self, text: str) -> None:
        matches = _TOKEN.finditer(text)
        self.pieces = [match.group() for match in matches if match["skip"] is None]
        self.at = 0
        self.prefixes: dict[str, str] = {}
        self.blocks: dict[Iri | None, YasperBlock] = {}

    def peek(self, offset: int = 0) -> str:
        """Return the next token without reading it, or the token `offset` positions later."""
        return self.pieces[self.at + offset] if self.at + offset < len(self.pieces) else ""

    def take(self) -> str:
        """Read the next token."""
        piece = self.peek()
        self.at += 1
        return piece

    def takes(self, *words: str) -> bool:
        """Read the given words if they are the next tokens in any case; return whether this was true."""
        found = all(self.peek(place).upper() == word for place, word in enumerate(words))
        self.at += len(words) if found else 0
        return found

    def balanced(self, closing: str = ")") -> list[str]:
        """Read and return the tokens up to the closing bracket; the bracket is also read."""
        opening, depth, inside = {")": "(", "}": "{", "]": "["}[closing], 1, list[str]()
        while self.peek():
            piece = self.take()
            depth += (piece == opening) - (piece == closing)
            if not depth:
                break
            inside.append(piece)
        return inside

    def term(self, piece: str) -> str:
        """Return a term as the engine reads it: a variable, or an IRI for any other text.

        Raises:
            LarsError: The engine rejects the term.
        """
        if piece[:1] in ("?", "$"):
            return f"?{piece[1:]}"
        if piece.startswith("<"):
            return piece
        prefix, colon, local = piece.partition(":")
        if not colon or piece[:1] in ('"', "'", "_"):
            return f"<{piece}>"
        if prefix not in self.prefixes:
            raise _refusal(f"the prefix {prefix}: of {piece}", f"PREFIX {prefix}: <..>")
        iri = self.prefixes[prefix] + local
        if _ILLEGAL.search(iri):
            raise _refusal(f"the path {piece}", "a name or an IRI in < and >")
        return f"<{iri}>"

    def operator(self) -> ToStream | None:
        """Read the prefixes and REGISTER, and return the operator.

        The operator is None if it is missing or not in capitals.
        """
        while self.takes("PREFIX"):
            name, iri = self.take(), self.take()
            self.prefixes[name.rstrip(":")] = iri[1:-1]
        if not self.takes("REGISTER"):
            return None
        written, _ = self.take(), self.take()
        self.takes("AS")
        return next((kind for kind in get_args(ToStream) if kind == written), None)

    def skip(self, *words: str) -> None:
        """Skip all tokens before the next of the given words."""
        while self.peek() and self.peek().upper() not in words:
            self.take()

    def dataset(self) -> tuple[tuple[YasperWindow, ...], bool]:
        """Read the FROM clauses, and return the windows, and whether a clause names static data."""
        windows, static = list[YasperWindow](), False
        while self.takes("FROM"):
            if self.takes("NAMED", "WINDOW"):
                windows += self._window()
            else:
                static = static or not self.takes("NAMED")
                self.take()
        return tuple(windows), static

    def query(self) -> YasperQuery:
        """Read the whole text, and return the query.

        Raises:
            LarsError: The engine does not register the query.
        """
        operator = self.operator()
        form = self.take().upper()
        if form not in ("SELECT", "CONSTRUCT", "ASK", "DESCRIBE"):
            raise _refusal(f"{cut(form)} in the place of SELECT", "SELECT, CONSTRUCT or ASK")
        selected, aggregates = self._select() if form == "SELECT" else ((), ())
        self.skip("WHERE", "FROM", "{")
        if form == "CONSTRUCT" and self.takes("{"):
            self.balanced("}")
        windows, static = self.dataset()
        self.takes("WHERE")
        self._where()
        blocks = tuple(block for block in self.blocks.values() if block.triples or block.filters)
        return YasperQuery(operator, windows, blocks, selected, aggregates, static)

    def _select(self) -> tuple[tuple[str, ...], tuple[tuple[str, str, str], ...]]:
        """Read SELECT, and return its variables and its aggregates."""
        selected: list[str] = []
        aggregates: list[tuple[str, str, str]] = []
        while self.peek() and self.peek() != "{" and self.peek().upper() not in ("FROM", "WHERE"):
            piece = self.take()
            if piece == "(":
                aggregates.append(_aggregate(self.balanced()))
            elif piece[:1] in ("?", "$"):
                selected.append(piece[1:])
        return tuple(selected), tuple(aggregates)

    def _window(self) -> Iterator[YasperWindow]:
        """Read a window clause, and yield the window; nothing if ON STREAM makes the clause invalid."""
        name = self.term(self.take())
        self.takes("ON")
        stream = self.take()
        if stream.upper() == "STREAM":
            self.take()
        self.take()
        inside = self.balanced("]")
        if len(inside) < 2 or inside[0].upper() != "RANGE":  # noqa: PLR2004 - RANGE and a length
            raise _refusal(f"the window [{' '.join(inside)}]", "[RANGE PT4S STEP PT4S]")
        lengths = [_seconds(piece) for piece in inside[1::2]]
        if stream.upper() == "STREAM":
            return
        width, step = lengths[0], lengths[1] if len(lengths) > 1 else 0
        iri = Iri(self.term(stream)[1:-1])
        window = Range(Duration(width * 10**9), Duration(step * 10**9))
        yield YasperWindow(WindowSource(iri, window, Iri(name[1:-1])), width * 1000, step * 1000)

    def block(self, name: Iri | None) -> YasperBlock:
        """Return the block of a window, or the block outside windows for None."""
        return self.blocks.setdefault(name, YasperBlock(name))

    def _where(self) -> None:
        """Read the pattern; a brace belongs to the preceding window name, or to the enclosing block."""
        names: list[Iri | None] = []
        entered: Iri | None = None
        while piece := self.peek():
            here = names[-1] if names else None
            word = piece.upper()
            if piece == "{":
                self.take()
                names.append(entered or here)
                entered = None
            elif piece == "}":
                self.take()
                if names:
                    names.pop()
                if not names:
                    return
            elif word == "WINDOW":
                self.take()
                entered = Iri(self.term(self.take())[1:-1])
                self.block(entered).triples.clear()
            else:
                self._element(word, here)

    def _element(self, word: str, window: Iri | None) -> None:
        """Read an element of the pattern other than a brace and WINDOW."""
        if word == "FILTER":
            self.take()
            self.block(window).filters.append(self._condition())
        elif word == "BIND":
            self.at += 2
            self.balanced()
        elif word == "VALUES":
            self.skip("{")
            self.take()
            self.balanced("}")
        elif word == "SELECT":
            self.skip("{")
        elif word in _GROUPS:
            self.take()
            if word in ("GRAPH", "SERVICE") and not self.takes("SILENT"):
                self.take()
        elif word in ("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"):
            self.skip("}")
        elif word == ".":
            self.take()
        else:
            self._triples(self.block(window))

    def _triples(self, block: YasperBlock) -> None:
        """Read a subject with its predicates and objects into a block."""
        subject = self._node()
        while True:
            predicate = self._path()
            while True:
                block.triples.append((subject, predicate, self._node()))
                if not self.takes(","):
                    break
            if not self.takes(";"):
                return

    def _node(self) -> str:
        piece = self.take()
        if piece in ("[", "(") and self.peek() not in ("]", ")"):
            raise _refusal(f"{piece} .. in a triple pattern", "variables and IRIs")
        if piece in ("[", "("):
            piece += self.take()
        if self.peek() == "^^":
            self.at += 2
        return self.term(piece)

    def _path(self) -> str:
        """Read a predicate: a variable, or all tokens of a path as one text."""
        if self.peek()[:1] in ("?", "$") and len(self.peek()) > 1:
            return self.term(self.take())
        path, depth = "", 0
        while piece := self.peek():
            name = piece not in ("^", "!", "(", ")", "|", "/", "?", "*", "+")
            if name and path and path[-1] not in "^!(|/":
                break
            depth += (piece == "(") - (piece == ")")
            path += self.take()
            following = self.peek()
            if not depth and (name or piece == ")") and following not in ("|", "/", "?", "*", "+"):
                break
        return self.term(path)

    def _condition(self) -> YasperCondition:
        """Read the condition of a FILTER: comparisons joined by && and ||.

        Raises:
            LarsError: The FILTER has a function or EXISTS.
        """
        if self.take() != "(":
            raise _refusal("FILTER with a function or EXISTS", "comparisons")
        inside = self.balanced()
        return tuple(
            tuple(self._comparison(part) for part in _split(either, "&&")) for either in _split(inside, "||")
        )

    def _comparison(self, pieces: Sequence[str]) -> YasperComparison:
        depth = 0
        for place, piece in enumerate(pieces):
            depth += (piece == "(") - (piece == ")")
            if not depth and piece in _COMPARATORS:
                sides = ("".join(pieces[:place]), "".join(pieces[place + 1 :]))
                left, right = (self._constant(side) for side in sides)
                return left, piece, right
        raise _refusal(f"FILTER with {' '.join(pieces)}", "comparisons, && and ||")

    def _constant(self, side: str) -> str:
        """Return one side of a comparison, with the IRI in place of a prefixed name."""
        name = re.fullmatch(r"(?:[^\W\d][\w.-]*)?:[\w.:%-]*", side)
        return side if name is None else self.term(side)


def _split(pieces: Sequence[str], between: str) -> Iterator[Sequence[str]]:
    """Yield the parts of a list of tokens between the separators that are outside brackets."""
    depth, start = 0, 0
    for place, piece in enumerate(pieces):
        depth += (piece == "(") - (piece == ")")
        if not depth and piece == between:
            yield pieces[start:place]
            start = place + 1
    yield pieces[start:]


def _aggregate(pieces: Sequence[str]) -> tuple[str, str, str]:
    """Return the function, the argument and the result variable of an aggregate such as (COUNT(?a) AS ?n)."""
    text = "".join(pieces[:-2])
    function, opening, rest = text.partition("(")
    variable = re.search(r"\?([^)]*)\)", rest)
    if not opening or variable is None:
        raise _refusal(f"({' '.join(pieces)})", "COUNT(?variable)")
    return function, variable[1], pieces[-1][1:]


def _seconds(piece: str) -> int:
    """Return a duration such as PT4S in seconds, rounded down.

    Raises:
        LarsError: The text is not a duration.
    """
    match = _DURATION.fullmatch(piece)
    if match is None or piece.upper() in ("P", "PT"):
        raise _refusal(f"the length {piece}", "a duration as in PT4S")
    return sum(int(number or 0) * part for number, part in zip(match.groups(), _PARTS, strict=True))
