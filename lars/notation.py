"""Programs as text, both ways: the papers' symbols, and the same in plain ASCII.

    ans(X) ← ⊞^30 ◇ offer(X, P), not ⊞^5 □ busy(X).
    ans(X) :- [+]^30 <> offer(X, P), not [+]^5 [] busy(X).

The reader takes both forms, mixed. [condition] and ¬[condition] are SPARQL, `~` is ¬, `inf` is ∞,
`%` starts a comment, and `@prefix ex: <iri> .` allows ex:name.
"""

import re
from typing import Final

from lars.errors import LarsError, PlacedError
from lars.program import Head, Program, Rule
from lars.reading import read_body, read_head
from lars.safety import check_safety
from lars.scanner import IRI, Scanner

_ASCII: Final = {"◇": "<>", "□": "[]", "⊞": "[+]", "∞": "inf", "¬": "~", "←": ":-"}
_PIECE: Final = re.compile(
    rf'"(?:[^"\\]|\\.)*"|(?<![\w\'])\'(?:[^\'\\]|\\.)*\'|{IRI.pattern}|[^\x00-\x7f]', re.DOTALL
)

_ARROW: Final = re.compile(r"←|:-|<-")
_END, _PREFIX = re.compile(r"\."), re.compile(r"@prefix(?!\w)")
_PREFIX_NAME: Final = re.compile(r"((?:[A-Za-z][\w\-]*)?):")


def write(program: Program, *, ascii: bool = False) -> str:  # noqa: A002
    """Return the program's text, one rule a line; `ascii` uses ASCII characters only.

    >>> print(write(read("p ← ⊞^0 ◇ ¬q."), ascii=True))
    p :- [+]^0 <> ~q.
    """
    return _PIECE.sub(_plain, str(program)) if ascii else str(program)


def _plain(piece: re.Match[str]) -> str:
    text = piece.group()
    return _ASCII.get(text) or "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return character if character.isascii() else f"\\u{code:04X}" if code < 1 << 16 else f"\\U{code:08X}"


def read(text: str, source: str = "program") -> Program:
    """Return the program that the text says; `source` names it in errors.

    Raises PlacedError where the text is no program, and for a rule that is not safe.

    >>> print(read("@prefix ex: <http://ex/> . p(X) :- not q(X), [+]^{#5 ex:s} <> r(X, ex:s)."))
    p(X) ← not q(X), ⊞^{#5 <http://ex/s>} ◇ r(X, <http://ex/s>).
    """
    scanner = Scanner(text, source)
    rules: list[Rule] = []
    try:
        while scanner.skip() < len(text):
            if scanner.accept(_PREFIX):
                _declare(scanner)
            else:
                rules.append(_rule(scanner))
    except RecursionError:
        raise PlacedError(scanner.place(), "the text is nested too deeply to be read") from None
    return Program(tuple(rules))


def _declare(scanner: Scanner) -> None:
    name = scanner.expect(_PREFIX_NAME, "a prefix, as in ex:").group(1)
    iri = scanner.iri()
    if iri is None:
        scanner.fail("<iri>")
    scanner.prefixes[name] = iri.value
    scanner.expect(_END, "the . that ends @prefix")


def _rule(scanner: Scanner) -> Rule:
    start = scanner.skip()
    head: Head | None = None if scanner.peek(_ARROW) else read_head(scanner)
    body = read_body(scanner) if scanner.accept(_ARROW) and not scanner.peek(_END) else ()
    scanner.expect(_END, "a comma or the . that ends a rule" if body else "← (:-) or the . that ends a fact")
    rule = Rule(head, body)
    try:
        check_safety(Program((rule,)))
    except LarsError as error:
        raise PlacedError(scanner.place(start), str(error)) from error
    return rule
