"""Ticker's language by the grammar of its parser: a second look at what `lars.ticker` writes.

Where blanks may stand is part of the grammar; `read_ticker` refuses what Ticker's parser and its
check of windows against the clock refuse.
"""

import re
from dataclasses import dataclass

TERM = r"(?:[A-Z][A-Za-z0-9_#@]*|[0-9]+)"
ATOM = re.compile(rf" *(not +)?([a-z][A-Za-z0-9_#@]*)(?:\(({TERM}(?:,{TERM})*)\))?")
AT = re.compile(r" +at +([A-Z][A-Za-z0-9_#@]*)")
ALWAYS = re.compile(r" +always")
WINDOW = re.compile(r"(?: +in +)? *\[ *([0-9]+) +(msec|sec|min|h|#) *\]")
OPERATION = re.compile(rf" *({TERM}) *(=|>=|<=|!=|<|>) *({TERM})(?: *([-+*/%^]) *({TERM}))? *")
COMMENT = re.compile(r"(?:(?://|%)[^\n\r]*[\n\r]|[\n\r])*")
MILLISECONDS = {"msec": 1, "sec": 1000, "min": 60_000, "h": 3_600_000}


@dataclass(frozen=True)
class Term:
    """An atom's name and arguments."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Literal:
    """An atom in a body; `kind` is d, b or @ in a window of `size` ticks, or of `size` tuples."""

    atom: Term
    positive: bool
    kind: str = ""
    time: str | None = None
    size: int = 0
    tuples: bool = False


@dataclass(frozen=True)
class Operation:
    """`left relation right`, or `left = right operator other`."""

    left: str
    relation: str
    right: str
    operator: str | None
    other: str | None


@dataclass(frozen=True)
class ReadRule:
    """A rule; its head may stand at a time."""

    head: Term
    time: str | None
    body: tuple[Literal | Operation, ...]

    def literals(self):
        return [part for part in self.body if isinstance(part, Literal)]


class Reader:
    def __init__(self, text, clock):
        self.text, self.clock, self.end = text, clock, 0

    def accept(self, pattern):
        found = pattern.match(self.text, self.end)
        if found is not None:
            self.end = found.end()
        return found

    def expect(self, pattern):
        found = self.accept(re.compile(pattern) if isinstance(pattern, str) else pattern)
        assert found is not None, f"Ticker expects {pattern} at {self.text[self.end :][:80]!r}"
        return found

    def program(self):
        rules = []
        self.accept(COMMENT)
        while self.end < len(self.text):
            rules.append(self.rule())
        assert rules, "Ticker expects a rule"
        return tuple(rules)

    def rule(self):
        self.accept(COMMENT)
        head, time = self.atom()
        assert head.positive
        body = []
        if self.accept(re.compile(" *:- *")):
            body.append(self.part())
            while self.accept(re.compile(",")):
                body.append(self.part())
            self.accept(re.compile(" *"))
        self.expect(r"\. *")
        self.accept(COMMENT)
        return ReadRule(head.atom, time, tuple(body))

    def atom(self):
        negated, name, arguments = self.expect(ATOM).groups()
        atom = Term(name, tuple(arguments.split(",")) if arguments else ())
        at = self.accept(AT)
        return Literal(atom, negated is None), at and at[1]

    def part(self):
        if found := self.accept(OPERATION):
            left, relation, right, operator, other = found.groups()
            assert operator is None or relation == "=", "Ticker computes right of = only"
            return Operation(left, relation, right, operator, other)
        plain, time = self.atom()
        always = None if time else self.accept(ALWAYS)
        window = self.expect(WINDOW) if always else self.accept(WINDOW)
        if window is None:
            assert time is None, "an @ without a window"
            return plain
        size, unit = int(window[1]), window[2]
        if unit != "#":
            milliseconds = size * MILLISECONDS[unit]
            assert milliseconds >= self.clock, "a window shorter than the clock"
            assert milliseconds % self.clock == 0, "a window that is no multiple of the clock"
            size = milliseconds // self.clock
        assert size > 0
        kind = "@" if time else "b" if always else "d"
        return Literal(plain.atom, plain.positive, kind, time, size, unit == "#")


def read_ticker(text, clock=1000):
    """Return the rules that Ticker reads, when one tick of its clock lasts so many milliseconds."""
    assert text.isascii()
    return Reader(text, clock).program()
