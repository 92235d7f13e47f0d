"""Programs as text, read and written without loss, with the symbols of the papers or in ASCII.

    ans(X) ← ⊞^30 ◇ offer(X, P), not ⊞^5 □ busy(X).       a rule
    @_T2 due(X) :- [+]^3 @_T q(X), T2 = T + 1.            a head at another time, in ASCII
    ← p, q.     p(a, 'New York', 5, <http://e/x>, "hi"@en).        a constraint, a fact

    ⊞^5 ([+]^5), ⊞^0 or ⊞^now, ⊞^∞ (inf)       time windows [t-5, t], [t, t], all up to t
    ⊞^{l,u,d}, ⊞^{5 low-open}                 with pivot ⌊t/d⌋·d; with other bounds
    ⊞^{10,-5,1}                               that ends before its pivot: [t-10, t-5]
    ⊞^{sliding 10,5,1}, ⊞^{last 10,5,1}       RSP-QL's: 10 wide, one each 5 from 1 on, active; closed last
    ⊞^{from 3 to 9}                           the time points 3 to 9, at every time
    ⊞^#3, ⊞^{#3 's'}                          tuple windows: the newest 3; those of stream s
    ⊞^{#3 by 1,2}, ⊞^{#3 by predicate}        partition windows: by arguments, by predicate alone
    ⊞^{#3 by 1 's' all}, ⊞^{#3 choose}          ties at the oldest instant: arrival, all, choose
    ⊞^{#3 elements}                           the atoms of the newest 3 times
    ◇ (<>), □ ([]), @_T, not or ¬ (~), true   some time, every time, time T, negation
    =, !=, <, <=, >, >=, +, -, *, /, mod      numbers and times; / rounds down
    [?v >= 20], ¬[..] (~[..]), ?y := [..]     SPARQL: true, false, the value of an expression
    ?n := COUNT(*) of p(?s, ?x) by ?s         an aggregate of all instances now, for each ?s
    ?m := SUM(DISTINCT ?x) of p(?s, ?x)       AVG, MIN, MAX, SAMPLE, GROUP_CONCAT(?x; ", ")
    p(?s, ?x) among 1..10 by desc ?x, ?s      the first ten in an order; among 11.. the others
    p(?s, ?x) among 1..3 by ?x per ?s         the first three in an order, for each ?s

X and ?x are variables. Names and 'quoted names' are constants. % starts a comment, and @prefix ex: <iri> .
allows ex:name. Symbols and ASCII can be mixed. Arrows are ←, :- and <-.

>>> print(write(read("p(X) :- [+]^{#3 by 1 's' all} <> q(X), T = 7 / 2, not [+]^inf [] ~r(X, T).")))
p(X) ← ⊞^{#3 by 1 's' all} ◇ q(X), T = 7 / 2, not ⊞^∞ □ ¬r(X, T).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from lars.analysis import bound, check_choices, check_safety, useless_set_literals
from lars.dataclass import dataclass
from lars.errors import LarsError, PlacedError
from lars.files import TextFile
from lars.language.program import Head, Origin, Program, Rule, variables
from lars.language.terms import Iri
from lars.text.rule_parser import read_body, read_head, what_may_follow
from lars.text.scanner import IRI, Scanner

_ASCII: Final = {"◇": "<>", "□": "[]", "⊞": "[+]", "∞": "inf", "¬": "~", "←": ":-"}
PIECE: Final = re.compile(
    rf'"(?:[^"\\]|\\.)*"|(?<![\w\'])\'(?:[^\'\\]|\\.)*\'|{IRI.pattern}|[^\x00-\x7f]', re.DOTALL
)

_ARROW: Final = re.compile(r"←|:-|<-")
_END, _PREFIX = re.compile(r"\."), re.compile(r"@prefix(?!\w)")
_HEAD_ENDS: Final = "← (:-) or the . that ends a fact; a head is one atom"


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix declaration: `name:x` means the IRI followed by x."""

    name: str
    iri: Iri

    def __str__(self) -> str:
        return f"@prefix {self.name}: {self.iri} ."


@dataclass(frozen=True, slots=True)
class Statement:
    """A rule or prefix declaration from `start` to before `end`; `parts` are the offsets of its literals."""

    content: Rule | Prefix
    start: int
    end: int
    parts: tuple[int, ...] = ()


def write(program: Program, *, ascii: bool = False) -> str:  # noqa: A002
    """Return the text of the program, one rule per line; `ascii` uses only ASCII characters.

    >>> print(write(read("p ← ⊞^0 ◇ ¬q."), ascii=True))
    p :- [+]^0 <> ~q.
    """
    return to_ascii(str(program)) if ascii else str(program)


def to_ascii(text: str) -> str:
    """Return the text of a program with only ASCII characters; the text must not contain comments."""
    return PIECE.sub(_plain, text)


def _plain(piece: re.Match[str]) -> str:
    text = piece.group()
    return _ASCII.get(text) or "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return character if character.isascii() else f"\\u{code:04X}" if code < 1 << 16 else f"\\U{code:08X}"


def read(text: str, source: str = "program") -> Program:
    """Return the program of a text; errors name the text `source`.

    Raises PlacedError for an invalid text or an unsafe rule.

    >>> print(read("@prefix ex: <http://ex/> . p(X) :- not q(X), [+]^{#5 ex:s} <> r(X, ex:s)."))
    p(X) ← not q(X), ⊞^{#5 <http://ex/s>} ◇ r(X, <http://ex/s>).
    """
    rules, scanner, file = [], Scanner(text, source), TextFile(source, text)
    for statement in statements(scanner):
        if isinstance(statement.content, Rule):
            origin = Origin(file, statement.start, statement.parts)
            rules.append(replace(statement.content, origin=origin))
            with not_too_deep(scanner):
                _check(rules[-1], origin)
    return Program(tuple(rules))


def _check(rule: Rule, origin: Origin) -> None:
    str(rule)  # What can be read can be written: neither is nested too deeply.
    try:
        check_safety(Program((rule,)))
    except LarsError as error:
        raise PlacedError(origin.place(_fault(rule)), str(error)) from error


def _fault(rule: Rule) -> int | None:
    # The literal that is refused by itself, or where an unbound variable occurs first.
    known = bound(rule.body)
    for number, _ in useless_set_literals(rule):
        return number
    if rule.head is not None and not variables(rule.head) <= known:
        return None
    for number, literal in enumerate(rule.body):
        if not variables(literal) <= known:
            return number
    for number, literal in enumerate(rule.body):
        try:
            check_choices(Rule(None, (literal,)))
        except LarsError:
            return number
    return None


def statements(scanner: Scanner) -> Iterator[Statement]:
    """Yield the statements of a text; this function does not check whether rules are safe.

    While reading the statements, the scanner collects the prefixes and the comments of the text. Raises
    PlacedError if the text is not a program.
    """
    while (start := scanner.skip()) < len(scanner.text):
        with not_too_deep(scanner):
            content, parts = (_declaration(scanner), ()) if scanner.accept(_PREFIX) else _rule(scanner)
        yield Statement(content, start, scanner.offset, parts)


@contextmanager
def not_too_deep(scanner: Scanner) -> Iterator[None]:
    """Raise PlacedError at the current place if the block exceeds Python's recursion limit."""
    try:
        yield
    except RecursionError:
        raise PlacedError(scanner.place(), "the text is nested too deeply to be read") from None


def read_prefix(scanner: Scanner) -> bool:
    """Read an @prefix declaration into the scanner's prefixes.

    Return False if the text does not continue with @prefix.
    """
    if not scanner.accept(_PREFIX):
        return False
    _declaration(scanner)
    return True


def _declaration(scanner: Scanner) -> Prefix:
    name, iri = scanner.prefix(), scanner.iri()
    if iri is None:
        scanner.fail("<iri>")
    scanner.prefixes[name] = iri.value
    scanner.expect(_END, "the . that ends @prefix")
    return Prefix(name, iri)


def _rule(scanner: Scanner) -> tuple[Rule, tuple[int, ...]]:
    head: Head | None = None if scanner.peek(_ARROW) else read_head(scanner)
    body = read_body(scanner) if scanner.accept(_ARROW) and not scanner.peek(_END) else ()
    scanner.expect(_END, what_may_follow(scanner) if body else _HEAD_ENDS)
    return Rule(head, tuple(literal for _, literal in body)), tuple(offset for offset, _ in body)
