"""Which atoms a program can use at all, so that a slice carries no others."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lars.analysis import LiteralForm, literal_form
from lars.language.program import Program, Rule, formulas, set_literals
from lars.language.terms import Atom, Signature, Variable, signature
from solver.facts.facts import Arguments, Background
from solver.facts.static import CodedRows


@dataclass(frozen=True)
class Relevance:
    """A program with the predicate whose answers are asked for; None asks for every predicate."""

    program: Program
    output: Signature | None

    @cached_property
    def forms(self) -> tuple[tuple[Rule, LiteralForm, Atom], ...]:
        """Every body literal that holds an atom, with its rule and the atom."""
        return tuple(
            (rule, form, form.atom)
            for rule in self.program.rules
            for part in formulas(rule.body)
            if isinstance((form := literal_form(part)).atom, Atom)
        )

    @cached_property
    def set_atoms(self) -> frozenset[Atom]:
        """Every atom all instances of which some body looks at, with variables renamed."""
        return frozenset(
            canonical_atom(part.atom) for rule in self.program.rules for part in set_literals(rule.body)
        )

    @cached_property
    def used_patterns(self) -> Mapping[Signature, frozenset[Atom]]:
        """The atoms of each predicate that some body holds, with variables renamed."""
        found = self.set_atoms.union(canonical_atom(atom) for _, _, atom in self.forms)
        by_predicate: dict[Signature, set[Atom]] = {}
        for atom in found:
            by_predicate.setdefault(signature(atom), set()).add(atom)
        return {predicate: frozenset(atoms) for predicate, atoms in by_predicate.items()}

    def useful(self, atom: Atom, rule: Rule) -> frozenset[Atom]:
        """Return the instances of a body's atom that the rules which use the rule's head can match."""
        if not isinstance(rule.head, Atom) or self.output in (None, signature(rule.head)):
            return frozenset((canonical_atom(atom),))
        found = set()
        for used in self.used_patterns.get(signature(rule.head), ()):
            fixed = {
                mine: theirs
                for mine, theirs in zip(rule.head.arguments, used.arguments, strict=True)
                if isinstance(mine, Variable) and not isinstance(theirs, Variable)
            }
            arguments = tuple(fixed.get(t, t) if isinstance(t, Variable) else t for t in atom.arguments)
            found.add(canonical_atom(Atom(atom.predicate, arguments)))
        return frozenset(found)

    def needed_atoms(self) -> frozenset[Atom]:
        """Return patterns of every input atom that some rule can use."""
        return self.set_atoms.union(*(self.useful(atom, rule) for rule, _, atom in self.forms))


def relevant_background(background: Background, questions: Iterable[Relevance]) -> Background:
    """Return the part of B that some of the programs can use."""
    needed = [atom for relevance in questions for atom in relevance.needed_atoms()]
    return {
        predicate: _fitting(rows, fitting)
        for predicate, rows in background.items()
        if (fitting := [atom for atom in needed if signature(atom) == predicate])
    }


def _fitting(rows: Iterable[Arguments], patterns: Sequence[Atom]) -> Collection[Arguments]:
    if isinstance(rows, CodedRows):
        return rows.matching(patterns)
    return [row for row in rows if any(_fits(row, atom) for atom in patterns)]


def _fits(row: Arguments, atom: Atom) -> bool:
    """Whether the row has the atom's constants."""
    return all(isinstance(t, Variable) or str(t) == text for t, text in zip(atom.arguments, row, strict=True))


def variables_in_order(atom: Atom) -> tuple[Variable, ...]:
    """Return the atom's variables in order of their first place."""
    return tuple(dict.fromkeys(term for term in atom.arguments if isinstance(term, Variable)))


def canonical_atom(atom: Atom) -> Atom:
    """Return the atom with its variables named by their order, so that variants are equal."""
    names = {variable: Variable(f"X{i}") for i, variable in enumerate(variables_in_order(atom))}
    arguments = (names.get(term, term) if isinstance(term, Variable) else term for term in atom.arguments)
    return Atom(atom.predicate, tuple(arguments))
