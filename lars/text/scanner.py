"""A scanner for texts of the logic: blanks, names, terms, and errors with the expected form."""

import re
import sys
from collections.abc import Callable
from dataclasses import field
from typing import Final, Never, TypeVar

from lars.dataclass import dataclass
from lars.errors import Place, PlacedError, place_at
from lars.language import terms

_CODE: Final = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_WORD: Final = rf"(?:\w|{_CODE})"
# Variables and labels of SPARQL also have signs that \w lacks, such as vowel signs of Hindi. The class
# lists the other characters, since a class of all letters takes long to compile.
_LETTER: Final = (
    r"(?:\w|[^\x00-\xb6\xb8-\xbf\xd7\xf7\u037e\u2000-\u200b\u200e-\u203e\u2041-\u206f\u2190-\u2bff"
    r"\u2ff0-\u3000\ud800-\uf8ff\ufdd0-\ufdef\ufeff\ufffe-\uffff])"
)
_BLANKS: Final = re.compile(r"(?:[\s\ufeff]|%[^\r\n]*)*")
_COMMENT: Final = re.compile(r"%[^\r\n]*")
_FOUND: Final = re.compile(r"\w{1,30}|\S")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SHORT: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}

VARIABLE: Final = re.compile(rf"\?((?:{_LETTER}|{_CODE})+)|([A-Z]{_WORD}*)")
NUMBER: Final = re.compile(rf"(-?[0-9]{{1,1000}})(?!{_WORD})")
_FRACTION: Final = re.compile(r"-?[0-9]+\.(?:\.?[0-9]+|\.)")
NAME: Final = re.compile(rf"([a-z]{_WORD}*'*|_{_WORD}+'*|_'+)")
_UNNAMED: Final = re.compile(rf"_(?!{_WORD}|[':])")
_KEYWORD: Final = re.compile(rf"(?:not|true|false|mod)(?!{_WORD})")
PREFIX: Final = re.compile(rf"((?:[A-Za-z](?:{_WORD}|-)*)?):")
_QUOTED_NAME: Final = re.compile(r"'((?:[^'\\\n\r]|\\.)*)'")
_QUOTED: Final = re.compile(r'"((?:[^"\\\n\r]|\\.)*)"')
IRI: Final = re.compile(r'<((?:[^<>"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})+)>')
_PREFIXED: Final = re.compile(rf"{PREFIX.pattern}({_WORD}(?:(?:{_WORD}|[.\-])*(?:{_WORD}|-))?)")
_BLANK: Final = re.compile(rf"_:((?![.\-])(?:{_LETTER}|{_CODE}|[.\-])+(?<!\.))")
_ANY, _LETTERS = re.compile(r"(?s)."), re.compile(_LETTER)
_QUOTE: Final = re.compile(r"[\"']")
_LANGUAGE: Final = re.compile(r"@([A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--(?:ltr|rtl))?)")
_OPEN_TRIPLE, _CLOSE_TRIPLE = re.compile(r"<<\("), re.compile(r"\)>>")
TERM: Final = "a term: X, ?x, 5, name, 'name', <iri>, ex:name, \"literal\" or _:b"
_SURROGATES: Final = range(0xD800, 0xE000)
_ESCAPES: Final = "\\n \\r \\t \\b \\f \\\" \\' \\\\ \\uXXXX \\UXXXXXXXX"
_DATATYPE: Final = re.compile(r"\^\^")


_COMMA: Final = re.compile(",")
_Part = TypeVar("_Part")


@dataclass(slots=True)
class Scanner:
    """A text and the current offset; `prefixes` are the declared prefixes.

    Blanks and comments (from % to the end of the line) may precede each token. The field `comments` maps the
    offset of each % that was read to the comment after this %. The field `ended` is the offset after the last
    token that was read.
    """

    text: str
    source: str
    offset: int = 0
    prefixes: dict[str, str] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    ended: int = 0

    def skip(self) -> int:
        """Skip blanks and comments, and return the offset after them."""
        start, blanks = self.offset, _BLANKS.match(self.text, self.offset)
        self.offset = blanks.end() if blanks else start
        if self.offset > start:
            for match in _COMMENT.finditer(self.text, start, self.offset):
                self.comments[match.start()] = match.group().rstrip()
        return self.offset

    def accept(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read a match of the pattern at the current offset; return None if the pattern does not match."""
        match = pattern.match(self.text, self.skip())
        if match:
            self.offset = self.ended = match.end()
        return match

    def peek(self, pattern: re.Pattern[str]) -> bool:
        """Return whether the pattern matches at the current offset, without reading the match."""
        return pattern.match(self.text, self.skip()) is not None

    def expect(self, pattern: re.Pattern[str], accepted: str) -> re.Match[str]:
        """Read a match of the pattern, or raise PlacedError with the expected form."""
        return self.accept(pattern) or self.fail(accepted)

    def place(self, offset: int | None = None) -> Place:
        """Return the place of an offset; without an offset, return the place of the next token."""
        return place_at(self.source, self.text, self.skip() if offset is None else offset)

    def fail(self, accepted: str, start: int | None = None) -> Never:
        """Raise PlacedError with the text at an offset and the expected form.

        The argument `start` is the offset of the text; by default, the offset of the next token.
        """
        start = self.skip() if start is None else start
        match = _FOUND.match(self.text, start)
        if match:
            raise PlacedError(self.place(start), f"found “{match.group()}”, expected {accepted}")
        # Not in the blanks and comments that come last, but where something is missing.
        raise PlacedError(self.place(self.ended), f"found the end of the text, expected {accepted}")

    def name(self) -> str | None:
        """Read the name of a predicate or symbol if a name follows; otherwise return None."""
        if self.peek(_KEYWORD) or self.peek(_BLANK) or self.peek(_PREFIXED):
            return None
        match = self.accept(NAME) or self.accept(_QUOTED_NAME)
        return self._decoded(match) if match else None

    def variable(self) -> terms.Variable | None:
        """Read a variable such as ?name or Name; return None if no variable follows."""
        if self.peek(_PREFIXED):
            return None
        match = self.accept(VARIABLE)
        return terms.Variable(self._word(match, match.lastindex or 1)) if match else None

    def number(self) -> terms.Number | None:
        """Read an integer of the logic if an integer follows; otherwise return None."""
        if part := _FRACTION.match(self.text, start := self.skip()):
            whole, shown = part.group(), part.group()[:30]
            accepted = (
                "an integer; in a body, a range is X >= 3, X <= 5"
                if ".." in whole
                else f'an integer; {shown} is the RDF literal "{shown}"^^<{terms.XSD}decimal>, and a '
                f"condition such as [?x > {shown}] compares RDF literals only"
            )
            raise PlacedError(self.place(start), f"found “{shown}”, expected {accepted}")
        match = self.accept(NUMBER)
        return terms.Number(int(match.group(1))) if match else None

    def term(self, accepted: str = TERM) -> terms.Term:
        """Read a term, or raise PlacedError with the expected form."""
        if (name := self.name()) is not None:
            return terms.Symbol(name)
        if self.peek(_UNNAMED):
            self.fail("a variable with a name, as X: there are none without")
        return self.variable() or self.number() or self.rdf_term() or self.fail(accepted)

    def constant(self, accepted: str = "a constant", term: str = TERM) -> terms.Constant:
        """Read a term that is not a variable, or raise PlacedError with the expected form.

        If a variable follows, the expected form in the message is `accepted`. If no term follows, the
        expected form is `term`.
        """
        start = self.skip()
        value = self.term(term)
        if isinstance(value, terms.Variable):
            self.offset = start
            self.fail(accepted)
        return value

    def listed(self, read: Callable[[], _Part]) -> tuple[_Part, ...]:
        """Read a list of one or more parts with commas between them; `read` reads one part."""
        parts = [read()]
        while self.accept(_COMMA):
            parts.append(read())
        return tuple(parts)

    def rdf_term(self) -> terms.Iri | terms.Literal | terms.Blank | terms.TripleTerm | None:
        """Read an RDF term, as in N-Triples or with a declared prefix.

        Return None if the text does not continue with an RDF term.
        """
        if match := self.accept(_BLANK):
            return terms.Blank(self._word(match))
        if self.accept(_OPEN_TRIPLE):
            return self._triple()
        if match := self.accept(_QUOTED):
            return self._literal(self._decoded(match))
        if self.peek(_QUOTE):
            raise PlacedError(self.place(), "the quotation mark is not closed on its line")
        return self.iri()

    def iri(self) -> terms.Iri | None:
        """Read <iri> or prefix:name; return None if neither follows."""
        if match := self.accept(IRI):
            return terms.Iri(self._decoded(match))
        start = self.skip()
        if match := self.accept(_PREFIXED):
            if (prefix := self._word(match)) not in self.prefixes:
                known = ", ".join(f"{name}:" for name in self.prefixes) or "none"
                problem = f"the prefix {prefix}: is not declared; declared: {known}"
                raise PlacedError(self.place(start), problem)
            return terms.Iri(self.prefixes[prefix] + self._decoded(match, 2))
        return None

    def prefix(self) -> str:
        """Read the name of a prefix and its colon; raise PlacedError at any other text."""
        return self._word(self.expect(PREFIX, "a prefix, as in ex:"))

    def _triple(self) -> terms.TripleTerm:
        start = self.skip()
        subject = self.constant()
        if not isinstance(subject, terms.Iri | terms.Blank):
            self.fail("a triple whose subject is an IRI or a blank node", start)
        predicate = self.iri() or self.fail("an IRI")
        start = self.skip()
        object_ = self.constant()
        if isinstance(object_, terms.Symbol | terms.Number):
            self.fail("a triple whose object is an RDF term", start)
        self.expect(_CLOSE_TRIPLE, "the end )>> of the triple")
        return terms.TripleTerm(subject, predicate, object_)

    def _literal(self, lexical: str) -> terms.Literal:
        if match := self.accept(_LANGUAGE):
            return terms.tagged(lexical, match.group(1))
        if not self.accept(_DATATYPE):
            return terms.Literal(lexical)
        datatype = self.iri()
        if datatype is None:
            self.fail("a datatype: <iri> or prefix:name")
        return terms.Literal(lexical, datatype.value)

    def _word(self, match: re.Match[str], group: int = 1) -> str:
        # In a word that is never quoted, an escaped blank or colon could not be written again.
        return self._decoded(match, group, _LETTERS)

    def _decoded(self, match: re.Match[str], group: int = 1, allowed: re.Pattern[str] = _ANY) -> str:
        def decode(escape: re.Match[str]) -> str:
            code = escape.group(1) or escape.group(2)
            if code is None and escape.group(3) in _SHORT:
                return _SHORT[escape.group(3)]
            number = sys.maxunicode + 1 if code is None else int(code, 16)
            if number > sys.maxunicode or number in _SURROGATES or not allowed.match(chr(number)):
                place = self.place(match.start(group) + escape.start())
                accepted = _ESCAPES if allowed is _ANY else "those of letters and digits"
                raise PlacedError(place, f"{escape.group()} is not an escape here; use {accepted}")
            return chr(number)

        return _ESCAPE.sub(decode, match.group(group))
