"""Triples and property paths of the syntax tree → patterns (SPARQL 1.1, Sections 18.2.2.3 to 5).

All groups of one query share its terms, its fresh variables, and where labels of blank nodes are used.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from lars.language.terms import Blank, Iri, Term, Variable
from translate.algebra.expression_reader import LONGEST, SyntaxLeaves, chain, is_tree, leaves
from translate.model.patterns import (
    Alternative,
    Bgp,
    Inverse,
    Link,
    NegatedSet,
    Path,
    PathPattern,
    PathSequence,
    Pattern,
    RepeatedPath,
    Repetition,
    TriplePattern,
    variables,
)
from translate.sparql import TokenKind

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue


@dataclass(slots=True)
class Scope:
    """The terms of a query and the names that its reading invents.

    Fresh variables are numbered for each kind: _b0, _b1, .. with more _ where a name of the text
    begins like that. `labels` says in which run of triples each blank node label stands; `notes`
    what was read otherwise than SPARQL says.
    """

    leaves: SyntaxLeaves
    labels: dict[str, int] = field(default_factory=dict)
    runs: int = 0
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
        names = {token.text[1:] for token in tokens if token.kind is TokenKind.VARIABLE}
        names |= {token.text[2:] for token in tokens if token.kind is TokenKind.BLANK}
        while any(name.startswith(prefix) for name in names):
            prefix = f"_{prefix}"
        return prefix

    def bindable_variables(self, pattern: Pattern) -> tuple[Variable, ...]:
        """Return the variables of the text that a pattern can bind, in the order of the text."""
        bound = variables(pattern)
        tokens = self.leaves.document.tokens
        names = (Variable(token.text[1:]) for token in tokens if token.kind is TokenKind.VARIABLE)
        return tuple(dict.fromkeys(name for name in names if name in bound))

    def repeating(self, times: int) -> Iterator[None]:
        """Yield for each reading of a part that is read several times: all invent the same names."""
        before = dict(self.labels), self.runs, Counter(self._numbers)
        for _ in range(times):
            self.labels, self.runs, self._numbers = dict(before[0]), before[1], Counter(before[2])
            yield

    def check_new(self, leaf: object, bound: Iterable[Variable]) -> Variable:
        """Return the variable after AS, or raise where something binds it before."""
        variable = self.leaves.variable(leaf)
        if variable in bound:
            accepted = f"a variable that nothing binds before AS: {variable} is bound"
            raise self.leaves.unexpected(leaf, accepted)
        return variable


_CHAINS: Final[dict[str, Callable[[Path, Path], Path]]] = {
    "PathAlternative": Alternative,
    "PathSequence": PathSequence,
}


@dataclass(slots=True)
class TriplesRun:
    """A run of triples blocks, which FILTERs do not end: its blank nodes are fresh variables of it."""

    scope: Scope
    number: int = field(init=False)
    blank: dict[str, Variable] = field(default_factory=dict)
    triples: list[TriplePattern | PathPattern] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scope.runs += 1
        self.number = self.scope.runs

    def read(self, blocks: Iterable[Sequence[object]]) -> None:
        """Add the triples of blocks; a label that another run has is an error."""
        for subject, path, object_ in _triples(blocks):
            first = self._term(subject)
            self.triples.append(_connection(first, path, self._term(object_), self.scope.leaves))

    def patterns(self) -> Iterator[Bgp | PathPattern]:
        """Yield the patterns in the order of the text; adjacent triple patterns are one."""
        for is_triple, parts in groupby(self.triples, lambda part: isinstance(part, TriplePattern)):
            if is_triple:
                yield Bgp(tuple(part for part in parts if isinstance(part, TriplePattern)))
            else:
                yield from (part for part in parts if isinstance(part, PathPattern))

    def _term(self, leaf: object) -> Term:
        label = _label(leaf, self.scope.leaves)
        if label is None:
            return self.scope.leaves.term(leaf)
        if self.scope.labels.setdefault(label, self.number) != self.number:
            accepted = f"another label: {label} stands in two basic graph patterns"
            raise self.scope.leaves.unexpected(leaf, accepted)
        if label not in self.blank:
            self.blank[label] = self.scope.fresh("b")
        return self.blank[label]


def read_template(blocks: Iterable[Sequence[object]], scope: Scope) -> tuple[TriplePattern, ...]:
    """Return the triples of a CONSTRUCT template; blank nodes keep their labels, [] gets one."""
    invented: dict[str, Blank] = {}

    def term(leaf: object) -> Term:
        label = _label(leaf, scope.leaves)
        if label is None:
            return scope.leaves.term(leaf)
        if label not in invented:
            invented[label] = Blank(label[2:] if label.startswith("_:") else scope.fresh("b").name)
        return invented[label]

    return tuple(TriplePattern(*(term(leaf) for leaf in triple)) for triple in _triples(blocks))


def _triples(blocks: Iterable[Sequence[object]]) -> Iterator[tuple[object, object, object]]:
    for block in blocks:
        for start in range(0, len(block), 3):
            yield block[start], block[start + 1], block[start + 2]


def _label(leaf: object, terms: SyntaxLeaves) -> str | None:
    """Return the label of a blank node, as in the text or as the parser made it; None for others."""
    from rdflib import BNode

    if not isinstance(leaf, BNode):
        return None
    index = terms.index(leaf)
    return str(leaf) if index is None else terms.document.tokens[index].text


def _connection(
    subject: Term, path: object, object_: Term, terms: SyntaxLeaves
) -> TriplePattern | PathPattern:
    if not is_tree(path):
        return TriplePattern(subject, terms.term(path), object_)
    match read_path(path, terms):
        case Link(iri):
            return TriplePattern(subject, iri, object_)
        case Inverse(Link(iri)):
            return TriplePattern(object_, iri, subject)
        case longer:
            return PathPattern(subject, longer, object_)


def read_path(node: object, terms: SyntaxLeaves) -> Path:
    """Return the property path of a syntax tree (Section 18.2.2.3); chains are read from the left."""
    if not is_tree(node):
        return Link(_iri(node, terms))
    if node.name == "PathNegatedPropertySet":
        return _negated(node, terms)
    parts = [read_path(part, terms) for part in (node.part if isinstance(node.part, list) else [node.part])]
    if len(parts) > LONGEST and node.name == "PathSequence":
        raise terms.unexpected(node.part[LONGEST], f"a path of at most {LONGEST} steps")
    if node.name in _CHAINS:
        return chain(_CHAINS[node.name], parts)
    if node.name == "PathEltOrInverse":
        return Inverse(parts[0])
    return RepeatedPath(parts[0], Repetition(str(node.mod))) if node.mod else parts[0]


def _negated(node: "CompValue", terms: SyntaxLeaves) -> NegatedSet:
    found = [(str(leaf).startswith("i"), _iri(leaf, terms)) for leaf in leaves(node)]
    return NegatedSet(
        tuple(iri for inverse, iri in found if not inverse), tuple(iri for inverse, iri in found if inverse)
    )


def _iri(leaf: object, terms: SyntaxLeaves) -> Iri:
    term = terms.term(leaf)
    if not isinstance(term, Iri):
        raise terms.unexpected(leaf, "an IRI or a variable")
    return term
