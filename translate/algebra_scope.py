"""What all groups of one query share: its terms, the fresh variables, and where labels are used."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lars.terms import Variable
from translate.dialects.tokens import Kind
from translate.expressions import Leaves
from translate.patterns import Pattern, variables


@dataclass(slots=True)
class Scope:
    """The terms of a query and the names that its reading invents.

    Fresh variables are numbered for each kind: _b0, _b1, .. with more _ where a name of the text
    begins like that. `labels` says in which run of triples each blank node label stands. When
    `lenient` a grouped query may select what is no key; `notes` say what was read so.
    """

    leaves: Leaves
    labels: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    lenient: bool = False
    notes: list[str] = field(default_factory=list)
    _numbers: Counter[str] = field(default_factory=Counter)
    _prefixes: dict[str, str] = field(default_factory=dict)

    def fresh(self, kind: str) -> Variable:
        """Return the next variable of a kind, a letter: b for a blank node, e for an EXISTS, .."""
        if kind not in self._prefixes:
            self._prefixes[kind] = self._prefix(f"_{kind}")
        name = f"{self._prefixes[kind]}{self._numbers[kind]}"
        self._numbers[kind] += 1
        return Variable(name)

    def _prefix(self, prefix: str) -> str:
        tokens = self.leaves.document.tokens
        names = {token.text[1:] for token in tokens if token.kind is Kind.VARIABLE}
        names |= {token.text[2:] for token in tokens if token.kind is Kind.BLANK}
        while any(name.startswith(prefix) for name in names):
            prefix = f"_{prefix}"
        return prefix

    def written(self, pattern: Pattern) -> tuple[Variable, ...]:
        """Return the variables of the text that a pattern can bind, in the order of the text."""
        bound = variables(pattern)
        tokens = self.leaves.document.tokens
        names = (Variable(token.text[1:]) for token in tokens if token.kind is Kind.VARIABLE)
        return tuple(dict.fromkeys(name for name in names if name in bound))

    def repeated(self, times: int) -> Iterator[None]:
        """Yield for each reading of a part that is read several times: all invent the same names."""
        before = dict(self.labels), self.runs, Counter(self._numbers)
        for _ in range(times):
            self.labels, self.runs, self._numbers = dict(before[0]), before[1], Counter(before[2])
            yield

    def check_new(self, leaf: Any, bound: Iterable[Variable]) -> Variable:
        """Return the variable after AS, or raise where something binds it before."""
        variable = self.leaves.variable(leaf)
        if variable in bound:
            accepted = f"a variable that nothing binds before AS: {variable} is bound"
            raise self.leaves.unexpected(leaf, accepted)
        return variable
