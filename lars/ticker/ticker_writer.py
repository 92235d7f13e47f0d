"""LARS programs in the language of Ticker (Beck, Eiter, Folie: Ticker, TPLP 17, 2017).

`a [n sec]` is ⊞^n ◇ a, `a always [n sec]` ⊞^n □ a, `a at T [n sec]` ⊞^n @_T a, `[n #]` a tuple window.
Arguments are variables and numbers, so terms are numbered; a legend of comments says how.
"""

import re
from collections.abc import Hashable, Iterator, Mapping
from itertools import count
from typing import Final, TypeVar, assert_never

from lars.analysis import LiteralForm, Mode
from lars.durations import NANOSECONDS, Duration
from lars.formulas import Arithmetic, Comparison, Operation
from lars.program import Program
from lars.terms import Atom, Constant, Number, Term, Variable, signature, write_name
from lars.text import to_ascii
from lars.ticker.ticker_literals import InexpressibleError, exporting, variables_of
from lars.ticker.ticker_rules import FIRST_TERM, Part, PlainRule, plain_rules
from lars.windows import TimeWindow, TupleWindow, Window

_Key = TypeVar("_Key", bound=Hashable)
_OTHER: Final = re.compile(r"[^A-Za-z0-9]")
_WORDS: Final = frozenset(("always", "at", "false", "in", "not", "now", "over", "sec", "tick", "true")) | {
    # What Ticker computes with, and counts by.
    *("cnt", "eq", "geq", "gt", "incr", "leq", "lt", "neq", "pow", "product", "sum"),
}


def write_ticker(program: Program, unit: Duration, background: tuple[Atom, ...] = ()) -> str:
    """Return the program for Ticker; `background` are further facts, `unit` is one time point.

    Raises ExportError for what Ticker cannot express.

    >>> from lars.durations import read_duration
    >>> from lars.text.notation import read
    >>> print(write_ticker(read("up(X) ← ⊞^3 □ high(X)."), read_duration("1s")).splitlines()[-1])
    up(X) :- high(X) always [3 sec].
    """
    rules = plain_rules(program, background)
    writer = _TickerWriter(rules, unit)
    lines = [line for rule in rules for line in writer.rule(rule)]
    return "\n".join((*(f"% {line}" for line in writer.legend()), *lines)) + "\n"


class _TickerWriter:
    """Writes rules; predicates and variables keep names of ASCII letters and digits that no other has.

    Terms are numbers from FIRST_TERM up, in the order in which they are asked for.
    """

    def __init__(self, rules: tuple[PlainRule, ...], unit: Duration) -> None:
        self.unit = unit
        atoms = [atom for rule in rules for atom in _atoms(rule)]
        names = [name for rule in rules for part in rule.body for name in sorted(variables_of(part))]
        self.predicates = _distinct(
            {signature(atom): (atom.predicate, _lower(atom.predicate)) for atom in atoms}, _WORDS
        )
        self.variables = _distinct({name: (name.name, _upper(name.name)) for name in names}, frozenset())
        self.hidden = [atom for rule in rules if rule.hidden and (atom := rule.head) is not None]
        self.numbers: dict[Constant, int] = {}
        taken = self.predicates.values()
        self.absurd = next(name for k in count(1) if (name := f"absurd{k}") not in taken)
        self.constraints = any(rule.head is None for rule in rules)

    def legend(self) -> Iterator[str]:
        """Yield what each number and each changed name stands for, between what is true of all programs."""
        yield f"A LARS program for Ticker; one time point is {self.unit}, one tick of Ticker's clock."
        yield f"Below {FIRST_TERM} lie the numbers of the logic."
        yield "What arithmetic makes of them has to lie there too: nothing here watches that."
        for term, number in self.numbers.items():
            yield f"term {number} = {to_ascii(str(term))}"
        yield f"term {FIRST_TERM + len(self.numbers)} and above: every other term of the stream, each its own"
        for (name, arity), new in self.predicates.items():
            if new != name:
                yield f"predicate {new}/{arity} = {to_ascii(write_name(name))}"
        for atom in self.hidden:
            yield f"auxiliary {self.predicates[signature(atom)]}"
        for variable, new in self.variables.items():
            if new != variable.name and not variable.name.startswith("#"):
                yield f"variable {new} = {to_ascii(str(variable))}"
        if self.constraints:
            yield f"auxiliary {self.absurd}: a constraint is a rule that contradicts itself"
        yield "Input is of predicates that nothing here derives, each atom once at a time point."

    def rule(self, rule: PlainRule) -> Iterator[str]:
        """Yield the rule that it says as a comment, and the rule."""
        yield f"% {to_ascii(str(rule.source))}"
        with exporting(rule.source):
            body = [self._part(part) for part in rule.body]
            head = self.absurd if rule.head is None else self._atom(rule.head)
        if rule.head is None:
            body.append(f"not {self.absurd}")
        if rule.time is not None:
            head = f"{head} at {self._term(rule.time)}"
        yield f"{head} :- {', '.join(body)}." if body else f"{head}."

    def _part(self, part: Part) -> str:
        match part:
            case Comparison(left, relation, right):
                return f"{self._side(left)} {relation.value} {self._side(right)}"
            case LiteralForm():
                return self._literal(part) if part.positive else f"not {self._literal(part)}"
            case _:
                assert_never(part)

    def _side(self, side: Arithmetic) -> str:
        if isinstance(side, Operation):
            return f"{self._side(side.left)} {side.operator.value} {self._side(side.right)}"
        return self._term(side)

    def _term(self, term: Term) -> str:
        """Return a term's text. Raises InexpressibleError for a number that is taken or negative."""
        match term:
            case Variable():
                return self.variables[term]
            case Number(value):
                if not 0 <= value < FIRST_TERM:
                    raise InexpressibleError(f"the number {value}: numbers lie in 0..{FIRST_TERM - 1}")
                return str(value)
            case _:
                return str(self.numbers.setdefault(term, FIRST_TERM + len(self.numbers)))

    def _atom(self, atom: Atom) -> str:
        name, arguments = self.predicates[signature(atom)], ", ".join(map(self._term, atom.arguments))
        return f"{name}({arguments})" if arguments else name

    def _literal(self, form: LiteralForm) -> str:
        assert isinstance(form.atom, Atom)
        atom = self._atom(form.atom)
        if form.window is None:
            return atom
        shown = self._window(form.window)
        match form.mode:
            case Mode.EVERY:
                return f"{atom} always {shown}"
            case Mode.AT:
                assert form.time is not None
                return f"{atom} at {self._term(form.time)} {shown}"
            case _:
                return f"{atom} {shown}"

    def _window(self, window: Window) -> str:
        if isinstance(window, TupleWindow):
            return f"[{window.size} #]"
        assert isinstance(window, TimeWindow)
        length = (window.past or 0) * self.unit.nanoseconds
        if length % NANOSECONDS["s"]:
            raise InexpressibleError(
                f"a window of {Duration(length)}: there it lasts whole seconds; choose another --unit"
            )
        return f"[{length // NANOSECONDS['s']} sec]"


def _atoms(rule: PlainRule) -> Iterator[Atom]:
    if rule.head is not None:
        yield rule.head
    yield from (
        part.atom for part in rule.body if isinstance(part, LiteralForm) and isinstance(part.atom, Atom)
    )


def _lower(name: str) -> str:
    plain = _OTHER.sub("", name.replace("'", "Prime"))
    return plain[0].lower() + plain[1:] if plain[:1].isalpha() else f"p{plain}"


def _upper(name: str) -> str:
    plain = _OTHER.sub("", name)
    return plain[0].upper() + plain[1:] if plain[:1].isalpha() else f"V{plain}"


def _distinct(wanted: Mapping[_Key, tuple[str, str]], words: frozenset[str]) -> dict[_Key, str]:
    found: dict[_Key, str] = {}
    taken = set(words)
    # Names that can stay as they are come first.
    for key, (_, name) in sorted(wanted.items(), key=lambda one: one[1][0] != one[1][1]):
        number, new = 1, name
        while new in taken:
            number += 1
            new = f"{name}v{number}"
        taken.add(new)
        found[key] = new
    return {key: found[key] for key in wanted}
