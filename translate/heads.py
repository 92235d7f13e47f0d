"""What the rules of one node derive, and the atoms by which the node above reads its solutions."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lars.formulas import BodyLiteral
from lars.program import Rule
from lars.terms import NULL, Atom, Term, Variable
from translate.node import Node, padded
from translate.patterns import Pattern
from translate.witnesses import witnesses


@dataclass(frozen=True, slots=True)
class Head:
    """ans_i of the variables `out`, and of what tells equal solutions apart if that is `kept`."""

    node: Node
    out: tuple[Variable, ...]
    kept: bool

    def rule(self, known: Iterable[Variable], body: Iterable[BodyLiteral], tags: Iterable[Term] = ()) -> Rule:
        """Return the rule for solutions that bind the `known` variables; the other ones are null."""
        bound = frozenset(known) | frozenset(self.node.given)
        return Rule(self.node.atom((*padded(self.out, bound), *(tags if self.kept else ()))), tuple(body))


def whole(pattern: Pattern, node: Node) -> Head:
    """Return the head that keeps everything of the pattern's solutions."""
    return Head(node, node.free(pattern), node.bag)


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution of a pattern at its node, as a body reads it; its witnesses are numbered from `start`."""

    pattern: Pattern
    node: Node
    start: int = 1

    @property
    def tags(self) -> tuple[Variable, ...]:
        """What tells the solution from an equal one."""
        return self.node.witnesses(witnesses(self.pattern) if self.node.bag else 0, self.start)

    def atom(self, nulls: frozenset[Variable] = frozenset()) -> Atom:
        """Return the atom, with null for these variables."""
        terms = (NULL if name in nulls else name for name in self.node.free(self.pattern))
        return self.node.atom((*terms, *self.tags))

    def then(self, pattern: Pattern, node: Node) -> "Solution":
        """Return the solution of another pattern in the same body."""
        return Solution(pattern, node, self.start + len(self.tags))


Tau = Callable[[Pattern, Head], Iterator[Rule]]
"""τ itself, which the schemes of single operators are given for their parts."""
