"""The text of programs of I-DLV-sr and Distributed-SR: rules whose atoms refer to past times.

    high(C) :- alpha(C, V) in [5 sec], 12 <= V.        at one or more of the times now - 5 s, .., now
    lfu(C) :- high(C) always in [5 sec].               at each of these times
    often(C) :- high(C) at least 3 in [5 sec].         at 3 or more of these times (or: at most N, count N)
    back(C) :- high(C) in {2 sec, 4 sec}.              at one of these offsets
    #temp low(C) :- not high(C), seen(C).              derived atoms are not kept for later windows

Source: Calimeri et al., Stream Reasoning with DLV (I-DLV-sr, 2021), and its manual.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Final, Literal

from lars.dataclass import dataclass
from lars.durations import NANOSECONDS
from lars.errors import PlacedError
from lars.files import TextFile
from lars.language.formulas import Comparison
from lars.language.program import Origin
from lars.language.terms import Atom, Number, Term, Variable
from lars.text.rule_parser import is_comparison, read_comparison, read_term
from lars.text.scanner import Scanner

Quantity = Literal["in", "always in", "at least", "at most", "count"]
"""The required number of time points in a window at which an atom holds."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """An atom that an I-DLV-sr rule requires at times now - o, for each number of seconds o in `offsets`.

    If `offsets` is empty, the rule requires the atom at the present time. The field `number` is the number
    after `at least`, `at most` or `count`.
    """

    atom: Atom
    offsets: range | tuple[int, ...] = ()
    quantity: Quantity = "in"
    number: Number | Variable | None = None
    negated: bool = False

    def __str__(self) -> str:
        number = "" if self.number is None else f" {self.number} in"
        shown = (
            f"[{self.offsets[-1]} sec]"
            if isinstance(self.offsets, range)
            else f"{{{str(self.offsets)[1:-1]}}}"
        )
        return f"{self.atom} {self.quantity}{number} {shown}" if self.offsets else str(self.atom)


@dataclass(frozen=True, slots=True)
class ReasonerRule:
    """A rule of I-DLV-sr; if it is `temporary`, later windows do not contain the atoms that it derives.

    The field `origin` is the place of the rule in the text.
    """

    head: Atom | None
    body: tuple[Streamed | Comparison, ...]
    origin: Origin
    temporary: bool = False


_COMMENT: Final = re.compile(r"%[^\n]*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_SIGN: Final = re.compile(
    r"^\s*#temp\b|\)?\s(?:always\s+in|in|(?:at\s+(?:least|most)|count)\s+\w+\s+in)\s*[\[{]\s*[0-9]",
    re.MULTILINE,
)
_TEMP, _ARROW, _END = re.compile(r"#temp(?!\w)"), re.compile(":-"), re.compile(r"\.")
_LARS: Final = re.compile("[←⊞◇□]|<>")
_NOT, _HIDDEN = re.compile(r"not(?!\w)"), re.compile(r"_(?!\w)")
_OPEN, _CLOSE = re.compile(r"\("), re.compile(r"\)")
_WHOLE, _LIST = re.compile(r"\["), re.compile(r"\{")
_UNWHOLE, _UNLIST = re.compile(r"\]"), re.compile(r"\}")
_QUANTITIES: Final[Mapping[Quantity, re.Pattern[str]]] = {
    "always in": re.compile(r"always\s+in(?!\w)"),
    "at least": re.compile(r"at\s+least(?!\w)"),
    "at most": re.compile(r"at\s+most(?!\w)"),
    "count": re.compile(r"count(?!\w)"),
    "in": re.compile(r"in(?!\w)"),
}
_IN: Final = _QUANTITIES["in"]
_COUNTED: Final = ("at least", "at most", "count")
_LENGTH: Final = re.compile(r"([0-9]{1,15})\s*(msec|sec|min|hrs)?(?!\w)")
_UNITS: Final = {"msec": "ms", "sec": "s", "min": "m", "hrs": "h", None: "s"}
_REFUSED: Final = {
    re.compile(r"#trigger_frequency"): "#trigger_frequency",
    re.compile(r"&"): "an external atom",
    re.compile(r"#(?:count|sum|min|max|times)"): "an aggregate",
    re.compile(r"@now"): "@now",
    re.compile(r"[|{]"): "a choice in a head",
}


def is_reasoner_program(text: str) -> bool:
    """Return whether a text has syntax of I-DLV-sr or Distributed-SR that LARS programs lack.

    >>> is_reasoner_program("a :- b in [5 sec]."), is_reasoner_program("a :- [+]^5 <> b. % c in [5]")
    (True, False)
    """
    return _SIGN.search(_COMMENT.sub("", text)) is not None


def read_rules(text: str, source: str) -> tuple[ReasonerRule, ...]:
    """Return the rules of a text; raise PlacedError for an invalid or unsupported text."""
    reader = _Reader(Scanner(text, source))
    return tuple(reader.rules(TextFile(source, text)))


@dataclass(slots=True)
class _Reader:
    scanner: Scanner
    hidden: int = field(default=0)

    def rules(self, file: TextFile) -> Iterator[ReasonerRule]:
        scanner = self.scanner
        while (start := scanner.skip()) < len(scanner.text):
            self._refuse()
            temporary = scanner.accept(_TEMP) is not None
            head = None if scanner.peek(_ARROW) else self._atom()
            self._refuse()
            parts = scanner.listed(self._literal) if scanner.accept(_ARROW) else ()
            mixed = (
                "; rules of I-DLV-sr have :-, and windows of LARS are ⊞^3 ◇ p" if scanner.peek(_LARS) else ""
            )
            scanner.expect(_END, f"a comma, or the . that ends a rule{mixed}")
            origin = Origin(file, start, tuple(offset for offset, _ in parts))
            yield ReasonerRule(head, tuple(literal for _, literal in parts), origin, temporary)

    def _refuse(self) -> None:
        for pattern, construct in _REFUSED.items():
            if self.scanner.peek(pattern):
                problem = (
                    f"cannot read {construct} of I-DLV-sr; use rules of atoms in windows, and comparisons"
                )
                raise PlacedError(self.scanner.place(), problem)

    def _literal(self) -> tuple[int, Streamed | Comparison]:
        self._refuse()
        start = self.scanner.skip()
        negated = self.scanner.accept(_NOT) is not None
        if not negated and is_comparison(self.scanner):
            return start, read_comparison(self.scanner)
        return start, replace(self._streamed(), negated=negated)

    def _streamed(self) -> Streamed:
        atom = self._atom()
        kinds = (kind for kind, pattern in _QUANTITIES.items() if self.scanner.accept(pattern))
        if (quantity := next(kinds, None)) is None:
            return Streamed(atom)
        number: Number | Variable | None = None
        if quantity in _COUNTED:
            number = (
                self.scanner.number() or self.scanner.variable() or self.scanner.fail("a number of times")
            )
            self.scanner.expect(_IN, "in and the times")
        return Streamed(atom, self._offsets(), quantity, number)

    def _offsets(self) -> range | tuple[int, ...]:
        if self.scanner.accept(_LIST):
            offsets = self.scanner.listed(self._seconds)
            self.scanner.expect(_UNLIST, "the } after offsets")
            return tuple(sorted({*offsets}))
        self.scanner.expect(_WHOLE, "[5 sec], or offsets as in {1 sec, 3 sec}")
        length = self._seconds()
        self.scanner.expect(_UNWHOLE, "the ] after a length")
        return range(length + 1)

    def _seconds(self) -> int:
        start = self.scanner.skip()
        match = self.scanner.expect(_LENGTH, "a number and sec, min, hrs or msec")
        seconds, rest = divmod(int(match[1]) * NANOSECONDS[_UNITS[match[2]]], NANOSECONDS["s"])
        if rest:
            raise PlacedError(self.scanner.place(start), "cannot count parts of a second; use whole seconds")
        return seconds

    def _atom(self) -> Atom:
        name = self.scanner.name() or self.scanner.fail("an atom, a comparison or not")
        if not self.scanner.accept(_OPEN):
            return Atom(name)
        arguments = self.scanner.listed(self._term)
        self.scanner.expect(_CLOSE, ", or )")
        return Atom(name, arguments)

    def _term(self) -> Term:
        self._refuse()
        if self.scanner.accept(_HIDDEN) is None:
            return read_term(self.scanner)
        self.hidden += 1
        return Variable(f"_{self.hidden}")
