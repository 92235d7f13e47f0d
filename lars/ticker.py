"""LARS programs in the language of Ticker (Beck, Eiter, Folie: Ticker, TPLP 17, 2017).

`a [n sec]` is ⊞^n ◇ a, `a always [n sec]` ⊞^n □ a, `a at T [n sec]` ⊞^n @_T a, `[n #]` a tuple window.
Arguments are variables and numbers, so terms are numbered.
"""

from collections.abc import Iterator
from itertools import count
from typing import Final, assert_never

from lars.durations import NANOSECONDS, Duration
from lars.exporting import (
    Compared,
    Computed,
    InexpressibleError,
    Look,
    Part,
    PlainRule,
    Reasoner,
    exporting,
)
from lars.exporting_rules import plain_rules
from lars.legend import Vocabulary
from lars.notation import to_ascii
from lars.program import Program
from lars.seen import Mode
from lars.terms import Atom
from lars.windows import TimeWindow

TICKER: Final = Reasoner("Ticker", constants=True, divides=True, unstratified=True, derived=True)
_WORDS: Final = frozenset(("always", "at", "false", "in", "not", "now", "over", "sec", "tick", "true")) | {
    # What Ticker computes with, and counts by.
    *("cnt", "eq", "geq", "gt", "incr", "leq", "lt", "neq", "pow", "product", "sum"),
}


def write_ticker(program: Program, unit: Duration, background: tuple[Atom, ...] = ()) -> str:
    """Return the program for Ticker; `background` are further facts, `unit` is one time point.

    Raises ExportError for what Ticker cannot express.

    >>> from lars.durations import read_duration
    >>> from lars.notation import read
    >>> print(write_ticker(read("up(X) ← ⊞^3 □ high(X)."), read_duration("1s")).splitlines()[-1])
    up(X) :- high(X) always [3 sec].
    """
    return _Writer(plain_rules(program, TICKER, background), unit).text()


class _Writer:
    def __init__(self, rules: tuple[PlainRule, ...], unit: Duration) -> None:
        self.rules, self.unit = rules, unit
        self.names = Vocabulary(rules, _WORDS)
        self._hidden = (n for k in count(1) if (n := f"absurd{k}") not in self.names.predicates.values())
        self.absurd = next(self._hidden)

    def text(self) -> str:
        lines = [line for rule in self.rules for line in self._rule(rule)]
        return "\n".join((*(f"% {line}" for line in self._legend()), *lines)) + "\n"

    def _legend(self) -> Iterator[str]:
        constraints = any(rule.head is None for rule in self.rules)
        own = [f"auxiliary {self.absurd}: a constraint is a rule that contradicts itself"] * constraints
        ticks = f"Ticker; one time point is {self.unit}, one tick of Ticker's clock"
        return self.names.legend(ticks, *own)

    def _rule(self, rule: PlainRule) -> Iterator[str]:
        yield f"% {to_ascii(str(rule.source))}"
        with exporting(TICKER.name, rule.source):
            body = [self._part(part) for part in rule.body]
            head = self.absurd if rule.head is None else self.names.atom(rule.head)
        if rule.head is None:
            body.append(f"not {self.absurd}")
        if rule.time is not None:
            head = f"{head} at {self.names.term(rule.time)}"
        yield f"{head} :- {', '.join(body)}." if body else f"{head}."

    def _part(self, part: Part) -> str:
        term = self.names.term
        match part:
            case Look():
                return f"{'' if part.positive else 'not '}{self._look(part)}"
            case Computed(result, operator, left, right):
                return f"{term(result)} = {term(left)} {operator.value} {term(right)}"
            case Compared(left, relation, right):
                return f"{term(left)} {relation.value} {term(right)}"
            case _:
                assert_never(part)

    def _look(self, look: Look) -> str:
        atom = self.names.atom(look.atom)
        if look.window is None:
            return atom
        shown = self._window(look)
        match look.mode:
            case Mode.EVERY:
                return f"{atom} always {shown}"
            case Mode.AT:
                assert look.time is not None
                return f"{atom} at {self.names.term(look.time)} {shown}"
            case _:
                return f"{atom} {shown}"

    def _window(self, look: Look) -> str:
        if not isinstance(look.window, TimeWindow):
            assert look.window is not None
            return f"[{look.window.size} #]"
        length = (look.window.past or 0) * self.unit.nanoseconds
        if length % NANOSECONDS["s"]:
            raise InexpressibleError(
                f"a window of {Duration(length)}: there it lasts whole seconds; choose another --unit"
            )
        return f"[{length // NANOSECONDS['s']} sec]"
