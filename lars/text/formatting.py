"""The formatter of a program's text, which keeps comments and writes each construct in one fixed way.

Comments keep their position on their own lines or after a statement. A comment inside a rule moves directly
above the rule. If several blank lines are between two statements, one blank line is kept. The formatter
writes an IRI with a prefix if the prefix is declared above the IRI. A rule longer than 100 columns has one
body literal per line.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from lars.dataclass import dataclass
from lars.language.program import Rule, write_literal
from lars.language.terms import Iri
from lars.text import notation
from lars.text.scanner import Scanner

COLUMNS: Final = 100
_INDENT: Final = "    "
_SAME_LINE: Final = re.compile(r"[^\S\n]*")


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the formatted text, and the range of the original text that the piece replaces."""

    start: int
    end: int
    text: str


def format_program(text: str, source: str = "program", *, ascii: bool = False) -> str:  # noqa: A002
    """Return the formatted text of the same program, with unchanged comments.

    Raises PlacedError if the text is not a program. Rules need not be safe.

    >>> print(format_program("@prefix e:<urn:>. p(X):-q( X ,<urn:a>).%why"), end="")
    @prefix e: <urn:> .
    p(X) ← q(X, e:a). %why
    """
    scanner = Scanner(text, source)
    parts = [
        _Part(statement.start, statement.end, _written(statement, scanner, ascii))
        for statement in notation.statements(scanner)
    ]
    return "".join(_lines(text, _with_comments(text, parts, scanner.comments)))


def _written(statement: notation.Statement, scanner: Scanner, plain: bool) -> str:
    content, prefixes = statement.content, scanner.prefixes
    with notation.not_too_deep(scanner):
        text = str(content) if isinstance(content, notation.Prefix) else _shortened(str(content), prefixes)
        text = notation.to_ascii(text) if plain else text
        if isinstance(content, notation.Prefix) or len(text) <= COLUMNS or not content.body:
            return text
        return _broken(content, prefixes, plain)


def _broken(rule: Rule, prefixes: Mapping[str, str], plain: bool) -> str:
    head = "←" if rule.head is None else f"{rule.head} ←"
    parts = [_shortened(part, prefixes) for part in (head, *map(write_literal, rule.body))]
    first, *literals = map(notation.to_ascii, parts) if plain else parts
    return f"{first}\n{_INDENT}" + f",\n{_INDENT}".join(literals) + "."


def _shortened(text: str, prefixes: Mapping[str, str]) -> str:
    def short(piece: re.Match[str]) -> str:
        iri = Scanner(piece.group(), "").iri()
        return piece.group() if iri is None else _short(iri, prefixes)

    return notation.PIECE.sub(short, text)


def _short(iri: Iri, prefixes: Mapping[str, str]) -> str:
    # The longest prefix first; what the scanner would not read as this IRI stays in brackets.
    for name, start in sorted(prefixes.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        if iri.value.startswith(start):
            text = f"{name}:{iri.value[len(start) :]}"
            scanner = Scanner(text, "", prefixes=dict(prefixes))
            if scanner.iri() == iri and scanner.offset == len(text):
                return text
    return str(iri)


def _with_comments(text: str, parts: list[_Part], comments: Mapping[int, str]) -> Iterator[_Part]:
    left = deque(sorted(comments.items()))
    for part in parts:
        lines = []
        while left and left[0][0] < part.end:
            at, comment = left.popleft()
            if at < part.start:
                yield _Part(at, at + len(comment), comment)
            else:
                lines.append(comment)
        end, sentence = part.end, part.text
        if left and _SAME_LINE.fullmatch(text, end, left[0][0]):
            at, comment = left.popleft()
            end, sentence = at + len(comment), f"{sentence} {comment}"
        yield _Part(part.start, end, "\n".join((*lines, sentence)))
    for at, comment in left:
        yield _Part(at, at + len(comment), comment)


def _lines(text: str, parts: Iterable[_Part]) -> Iterator[str]:
    end: int | None = None
    for part in parts:
        if end is not None and text.count("\n", end, part.start) > 1:
            yield "\n"
        yield f"{part.text}\n"
        end = part.end
