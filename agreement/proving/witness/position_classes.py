"""Which variables of programs can meet one value: through a join, or since two patterns match one triple.

A class holds the variables that can, the constants that stand in such places, and the conditions on them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from lars.language import formulas as logic
from lars.language.program import Program, Rule, atoms, head_atom
from lars.language.program import variables as variables_of
from lars.language.terms import Atom, Constant, Iri, Literal, Term, Variable, signature
from solver.facts import STREAM_PREDICATE

TRIPLE = "triple"
"""The predicate of triples in the active graph, static ones and those of merged streams."""

_Node = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class PatternAtom:
    """A triple pattern as a body holds it: of a stream's triples, or of those in a graph, the `source`."""

    terms: tuple[Term, Term, Term]
    source: Term
    predicate: str = TRIPLE

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables of the three terms."""
        return frozenset(term for term in self.terms if isinstance(term, Variable))


@dataclass(frozen=True, slots=True)
class PositionClass:
    """Variables that can meet one value, with the constants in their places and the conditions on them."""

    names: tuple[Variable, ...]
    constants: tuple[Constant, ...]
    conditions: tuple[logic.Condition, ...]


def is_import(rule: Rule) -> bool:
    """Whether the rule puts the triples of a stream into the default graph."""
    return isinstance(rule.head, Atom) and rule.head.predicate == TRIPLE


def patterns(program: Program) -> Iterator[PatternAtom]:
    """Yield the triple patterns of a program, in the order of its rules."""
    for rule in program.rules:
        for literal in () if is_import(rule) else rule.body:
            for atom, _, _ in atoms(literal):
                if atom.predicate in (TRIPLE, STREAM_PREDICATE):
                    *terms, source = atom.arguments
                    subject, predicate, object_ = terms
                    yield PatternAtom((subject, predicate, object_), source, atom.predicate)


def named_constants(programs: Iterable[Program]) -> frozenset[Constant]:
    """Return every IRI and literal that stands in a program, in heads, patterns and conditions."""
    rules = [rule for program in programs for rule in program.rules]
    heads = (head for rule in rules if (head := head_atom(rule)) is not None)
    literals = [literal for rule in rules for literal in rule.body]
    held = (atom for literal in literals for atom, _, _ in atoms(literal))
    terms = [term for atom in (*heads, *held) for term in atom.arguments]
    for literal in literals:
        match literal:
            case logic.Test(expression) | logic.Assign(_, expression):
                terms += constants_in(expression)
            case logic.Comparison(left, _, right):
                terms += [side for side in (left, right) if not isinstance(side, logic.Operation)]
            case _:
                pass
    return frozenset(term for term in terms if isinstance(term, Iri | Literal))


def constants_in(expression: logic.Expression) -> Iterator[Iri | Literal]:
    """Yield the IRIs and literals of an expression."""
    match expression:
        case Iri() | Literal():
            yield expression
        case logic.Call(_, arguments):
            for argument in arguments:
                yield from constants_in(argument)
        case _:
            return


def unify(one: PatternAtom, other: PatternAtom) -> bool:
    """Whether some triple can match both, whatever their sources."""
    pairs = zip(one.terms, other.terms, strict=True)
    return all(isinstance(a, Variable) or isinstance(b, Variable) or a == b for a, b in pairs)


class PositionClasses:
    """The classes of the variables of some programs; triples that are `known` to be there give values."""

    def __init__(self, programs: Sequence[Program], known: Iterable[PatternAtom] = ()) -> None:
        self._parent: dict[_Node, _Node] = {}
        found = dict.fromkeys(pattern for program in programs for pattern in patterns(program))
        self._static: dict[_Node, set[Constant]] = {}
        for one, other in combinations(found, 2):
            if unify(one, other):
                for a, b in zip(one.terms, other.terms, strict=True):
                    self._unite(_node(a), _node(b))
        for triple in known:
            for pattern in found:
                if unify(pattern, triple):
                    self._note(pattern, triple)
        for rule in (rule for program in programs for rule in program.rules if not is_import(rule)):
            self._join(rule)
        self._conditions = [
            literal
            for program in programs
            for rule in program.rules
            for literal in rule.body
            if isinstance(literal, logic.Condition)
        ]
        for condition in self._conditions:
            if len(compared := variables_of(condition)) > 1:
                first, *rest = sorted(compared)
                for name in rest:
                    self._unite(_node(first), _node(name))
        self._names = sorted({name for pattern in found for name in pattern.variables})
        self._constants: set[Constant] = {
            term for one in found for term in one.terms if not isinstance(term, Variable)
        }

    def of(self, variable: Variable) -> PositionClass:
        """Return the class of a variable that occurs in a pattern."""
        root = self._root(_node(variable))
        names = tuple(name for name in self._names if self._root(_node(name)) == root)
        inside = {t for t in self._constants if self._root(_node(t)) == root}
        for node, values in self._static.items():
            inside |= values if self._root(node) == root else set()
        conditions = tuple(
            dict.fromkeys(
                condition
                for condition in self._conditions
                if any(self._root(_node(name)) == root for name in variables_of(condition))
            )
        )
        return PositionClass(names, tuple(sorted(inside, key=str)), conditions)

    def _join(self, rule: Rule) -> None:
        """Unite variables with the places of derived predicates in which they stand."""
        head = head_atom(rule)
        found = [] if head is None else [head]
        found += [atom for literal in rule.body for atom, _, _ in atoms(literal)]
        for atom in found:
            if atom.predicate not in (TRIPLE, STREAM_PREDICATE):
                for place, term in enumerate(atom.arguments):
                    if isinstance(term, Variable):
                        self._unite(_node(term), (signature(atom), place))
                    elif isinstance(term, Iri | Literal):
                        self._static.setdefault((signature(atom), place), set()).add(term)

    def _note(self, pattern: PatternAtom, triple: PatternAtom) -> None:
        for mine, theirs in zip(pattern.terms, triple.terms, strict=True):
            if isinstance(mine, Variable) and not isinstance(theirs, Variable):
                self._static.setdefault(_node(mine), set()).add(theirs)

    def _unite(self, one: _Node, other: _Node) -> None:
        self._parent[self._root(one)] = self._root(other)

    def _root(self, node: _Node) -> _Node:
        while (above := self._parent.setdefault(node, node)) != node:
            node = above
        return node


def _node(term: Term) -> _Node:
    return ("term", term)
