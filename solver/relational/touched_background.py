"""Which of B's atoms an evaluation can touch: those that join with what windows can show."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import numpy as np

from lars.language.program import Program
from lars.language.terms import Signature, Variable, signature
from solver.columns import Array, Mask, among, distinct
from solver.facts import with_facts
from solver.relational.plans import (
    DerivedAtoms,
    GatheredScan,
    Instants,
    RulePlan,
    Scan,
    ShownAtoms,
    unfolded_plan,
)
from solver.relational.shown_input import EncodedSituation

Table = tuple[Array, ...]
"""The rows of a predicate, an argument each."""
Values = dict[Variable, Array]
"""What variables of a body can be, at most."""
_ROUNDS: Final = 2
"""What one atom leaves of another is carried on so often."""


def with_usable_background(
    program: Program, situation: EncodedSituation, output: Signature
) -> EncodedSituation:
    """Return a situation with those atoms of B alone that some rule's body can use, whatever the time is.

    A body holds for no values of a variable that one of its atoms lacks: an atom of B with other ones
    is in no instance of the rule. The program has no `obstacle`.

    >>> from lars.text.notation import read
    >>> from lars.language.windows import Interval
    >>> from solver.facts import Fact, Situation
    >>> from solver.relational.shown_input import encode
    >>> rows = [(f"r{n}", f"f{n}") for n in range(9)]
    >>> here = encode(Situation(Interval(0, 1), [Fact(1, "p", ("r3",))], {("on", 2): rows}))
    >>> with_usable_background(read("ans(F) ← ⊞^1 ◇ p(R), on(R, F)."), here, ("ans", 1)).decoded().background
    {('on', 2): [('r3', 'f3')]}
    """
    predicates = frozenset((*situation.background, *with_facts(program, {})))
    plan = unfolded_plan(program, output, predicates)
    rules = [*chain.from_iterable(layer.rules for layer in plan.layers), *plan.constraints]
    use = _Use(program, situation, rules)
    for rule in rules:
        use.add(rule)
    background = {name: rows[use.kept[name]] for name, rows in situation.background.items()}
    return replace(situation, background=background)


class _Use:
    """What rules can use of B: `kept` marks its atoms."""

    def __init__(self, program: Program, situation: EncodedSituation, rules: Sequence[RulePlan]) -> None:
        self.kept = {name: np.zeros(len(rows), np.bool_) for name, rows in situation.background.items()}
        self._terms, self._background = situation.terms, situation.background
        self._atoms = {name: some.columns for name, some in situation.atoms.items()}
        self._facts = with_facts(program, {})
        self._rules: dict[Signature, list[RulePlan]] = {}
        for rule in rules:
            if rule.rule.head is not None:
                self._rules.setdefault(rule.predicate, []).append(rule)

    def add(self, rule: RulePlan) -> None:
        """Mark what a rule can use."""
        parts = [
            part for part in rule.joined if isinstance(part, Scan) and not isinstance(part.source, Instants)
        ]
        tables = {part: known for part in parts if (known := self._tables(part)) is not None}
        values: Values = {}
        # Those that have least leave least of the others.
        sizes = {
            part: sum(int(self._fitting(part, table, {}).sum()) for table in tables[part]) for part in tables
        }
        for part in sorted(tables, key=sizes.__getitem__) * _ROUNDS:
            self._restrict(part, tables[part], values)
        for part in (*parts, *rule.subtracted):
            self._keep(part, values)
        for gathered in rule.joined:
            if isinstance(gathered, GatheredScan):
                self._keep(gathered.scan, {})

    def _keep(self, part: Scan, values: Values) -> None:
        if isinstance(part.source, Instants) or (name := _predicate(part)) not in self.kept:
            return
        known = self._fitting(part, tuple(self._background[name].T), values) if name[1] else True
        self.kept[name] |= known

    def _restrict(self, part: Scan, tables: Sequence[Table], values: Values) -> None:
        """Let variables have those values alone that the part can give them."""
        fitting = [self._fitting(part, table, values) for table in tables]
        for variable, place in _places(part).items():
            columns = [table[place][mask] for table, mask in zip(tables, fitting, strict=True)]
            values[variable] = distinct(np.concatenate([np.empty(0, np.int64), *columns]))

    def _fitting(self, part: Scan, table: Table, values: Values) -> Mask:
        """Return which rows of a predicate a part can be, given what its variables can be."""
        if isinstance(part.source, ShownAtoms):
            mask = self._terms.fitting_any(part.source.atom.any_of, table, _rows(table))
        else:
            mask = self._terms.matching(part.terms, table, _rows(table))
        for variable, place in _places(part).items():
            if variable in values:
                mask &= among(table[place], values[variable])
        return mask

    def _tables(self, part: Scan) -> list[Table] | None:
        """Return the rows that a part's predicate can have, and more; None where that is not known."""
        name = _predicate(part)
        if name in self._facts or not name[1]:
            return None
        tables = [tuple(self._background[name].T)] if name in self._background else []
        if isinstance(part.source, ShownAtoms):
            return [*tables, *(self._atoms[predicate] for predicate in (name,) if predicate in self._atoms)]
        for rule in self._rules.get(name, ()):
            derived = self._derived(rule)
            if derived is None:
                return None
            tables.append(derived)
        return tables

    def _derived(self, rule: RulePlan) -> Table | None:
        """Return what a rule can derive of a single window's atoms, and more; None for any other rule."""
        if len(rule.joined) != 1 or not isinstance(part := rule.joined[0], Scan):
            return None
        if not isinstance(part.source, ShownAtoms) or (name := _predicate(part)) in self._facts:
            return None
        places, table = _places(part), self._atoms.get(name)
        if name in self._background or not all(
            term in places for term in rule.arguments if isinstance(term, Variable)
        ):
            return None
        if table is None:
            return (np.empty(0, np.int64),) * len(rule.arguments)
        mask = self._fitting(part, table, {})
        return tuple(
            table[places[term]][mask]
            if isinstance(term, Variable)
            else np.full(int(mask.sum()), self._terms.of_constant(term), np.int64)
            for term in rule.arguments
        )


def _rows(table: Table) -> int:
    return len(table[0])


def _places(part: Scan) -> dict[Variable, int]:
    """Return at which argument of its predicate each variable of a part stands."""
    if isinstance(part.source, ShownAtoms):
        atom = part.source.atom
        pairs = zip(part.terms, map(atom.atom.arguments.index, atom.variables), strict=False)
        return {variable: place for variable, place in pairs if isinstance(variable, Variable)}
    return {term: place for place, term in enumerate(part.terms) if isinstance(term, Variable)}


def _predicate(part: Scan) -> Signature:
    match part.source:
        case DerivedAtoms(predicate):
            return predicate
        case ShownAtoms(atom):
            return signature(atom.atom)
        case Instants():
            raise AssertionError(part)
