"""The conversion of LARS programs to I-DLV-sr programs, for windows that look back and contain ◇.

I-DLV-sr keeps derived atoms for later windows, but LARS does not. The writer therefore omits the window
around a derived atom, which shows the atom at the present time only.
"""

import re
from itertools import count
from typing import Final

from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError, PlacedError
from lars.language import formulas as logic
from lars.language import terms
from lars.language.program import Program, Rule, variables
from lars.language.windows import TimeWindow

_WORD: Final = re.compile(r"(?!not\Z)[a-z][A-Za-z0-9_]*")
_CAPITAL: Final = re.compile(r"[A-Z][A-Za-z0-9_]*")
_OTHER: Final = re.compile(r"[^A-Za-z0-9_]")
_SHOWN: Final = "atoms, ⊞^n ◇ a, not, and comparisons with +, - and *"
_OPERATORS: Final = frozenset("+-*")


def write_reasoner_program(program: Program, unit: Duration) -> str:
    """Return the program as I-DLV-sr text; one time point lasts one `unit`, and windows count seconds.

    Raises LarsError for a construct that I-DLV-sr lacks, with the place of the literal if the place is known.

    >>> from lars.text.notation import read
    >>> print(write_reasoner_program(read("p(X) ← ⊞^5 ◇ q(X, ?y), not r(X), ?y > 2."), Duration(10**9)))
    p(X) :- q(X, Y_y) in [5 sec], not r(X), Y_y > 2.
    """
    derived = frozenset(rule.predicate for rule in program.rules if rule.body and rule.predicate is not None)
    strings: dict[str, terms.Term] = {}
    return "\n".join(_Writer(rule, unit, derived, strings).rule() for rule in program.rules)


class _Writer:
    """The writer of one rule in the syntax of I-DLV-sr.

    `_names` maps the rule's variables to names that begin with a capital letter. `strings` are the terms of
    the program that are written as strings.
    """

    def __init__(
        self, rule: Rule, unit: Duration, derived: frozenset[terms.Signature], strings: dict[str, terms.Term]
    ) -> None:
        self._rule, self._unit, self._derived, self._strings = rule, unit, derived, strings
        own = frozenset().union(*(variables(part) for part in (*rule.body, rule.head) if part is not None))
        self._names = {one: one.name for one in own if _CAPITAL.fullmatch(one.name)}
        taken = set(self._names.values())
        for one in sorted(own - self._names.keys()):
            word = _OTHER.sub("", one.name)
            free = (name for number in count(1) if (name := f"{'Y' * number}_{word}") not in taken)
            self._names[one] = next(free)
            taken.add(self._names[one])

    def rule(self) -> str:
        """Return the rule as I-DLV-sr text."""
        head = self._rule.head
        if isinstance(head, logic.At):
            raise self._cannot(f"the head {head}")
        first = "" if head is None else self._atom(head)
        body = ", ".join(self._literal(number, part) for number, part in enumerate(self._rule.body))
        if not body:
            return f"{first or ':- 1 = 1'}."  # a constraint of ASP has a literal
        return f"{first} :- {body}.".lstrip()

    def _cannot(self, what: str, number: int | None = None) -> LarsError:
        problem = f"I-DLV-sr cannot express {what}; use {_SHOWN}"
        origin = self._rule.origin
        return (
            LarsError(f"{problem}\n  in the rule {self._rule}")
            if origin is None
            else PlacedError(origin.place(number), problem)
        )

    def _literal(self, number: int, literal: logic.BodyLiteral) -> str:
        match literal:
            case terms.Atom():
                return self._atom(literal)
            case logic.Not(inner) if not isinstance(inner, logic.Not):
                return f"not {self._literal(number, inner)}"
            case logic.In(TimeWindow(int(past), 0, 1) as window, logic.Diamond(terms.Atom() as atom)) if (
                window == TimeWindow(past)
            ):
                # Of what is derived a window shows the present alone, as all of it is derived anew.
                back = f" in [{self._length(past, number)}]"
                return f"{self._atom(atom)}{'' if terms.signature(atom) in self._derived else back}"
            case logic.Comparison(left, relation, right):
                return f"{self._side(left, number)} {relation} {self._side(right, number)}"
            case _:
                raise self._cannot(str(literal), number)

    def _length(self, points: int, number: int) -> str:
        seconds, rest = divmod(points * self._unit.nanoseconds, NANOSECONDS["s"])
        if rest:
            raise self._cannot("a window of parts of a second", number)
        return f"{seconds} sec"

    def _side(self, side: logic.Arithmetic, number: int) -> str:
        if not isinstance(side, logic.Operation):
            return self._term(side)
        if side.operator not in _OPERATORS:
            raise self._cannot(f"{side}", number)
        return f"({self._side(side.left, number)} {side.operator} {self._side(side.right, number)})"

    def _atom(self, atom: terms.Atom) -> str:
        if _WORD.fullmatch(atom.predicate) is None:
            raise self._cannot(f"the predicate {atom.predicate!r}")
        arguments = ", ".join(map(self._term, atom.arguments))
        return f"{atom.predicate}({arguments})" if arguments else atom.predicate

    def _term(self, term: terms.Term) -> str:
        match term:
            case terms.Variable():
                return self._names[term]
            case terms.Symbol(name) if _WORD.fullmatch(name) is not None:
                return name
            case terms.Number(value):
                return str(value)
            case terms.Literal(lexical) if term == terms.Literal(lexical):
                return self._string(lexical, term)
            case _:
                return self._string(str(term), term)

    def _string(self, text: str, term: terms.Term) -> str:
        if '"' in text or "\\" in text or not text.isprintable():
            raise self._cannot(f"the text {text!r}")
        if (other := self._strings.setdefault(text, term)) != term:
            raise self._cannot(f"both {other} and {term}, which would have the same text")
        return f'"{text}"'
