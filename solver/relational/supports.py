"""Supports of answers: the input atoms in one proof of each row, found from the rows back to the input.

A proof of an atom is an instance of a rule whose body holds, with a proof of each positive literal. The
search starts from the rows, and goes through the layers of the program from the last to the first. For each
needed atom, it chooses an instance of a rule, and the atoms of the instance are needed next. A negated
literal adds no atom: it holds for the whole input. The search always ends with a proof, for these reasons:

- Each needed atom holds, because it is an answer, or is in the body of a chosen instance. So a rule of its
  predicate has an instance for it, and the first such rule gives the proof.
- The atoms of a body are in earlier layers, or in the same layer if its predicates depend on each other. In
  such a recursive layer, an atom that was new in round n has an instance whose atoms were new before round n.
  Only such instances are chosen, so the rounds decrease.
- For a long body, atoms are chosen literal by literal. At each literal, only atoms are chosen with which the
  other literals still have a solution, so no choice ends without an instance.
- A literal with an aggregate needs all atoms of its group, because each atom can change the value.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

import numpy as np

from lars.language.formulas import Gather
from lars.language.program import Program
from lars.language.terms import Signature, Term, Variable, signature
from solver.columns import Array, Mask, among, keys
from solver.facts import Fact, Row, WindowedAtom
from solver.relational import plans
from solver.relational.evaluation import Bindings, ProgramTables, RuleBody, scan_atoms, visible_input
from solver.relational.run_tables import RunTable, as_table, coalesce, concatenate, meet
from solver.relational.shown_input import EncodedSituation

_NEED: Final = Variable(" need")
_NUMBER: Final = Variable(" number")
"""Variables for the index of a needed atom and for the number of a matching atom.

No text has these names.
"""
_LONG_BODY: Final = 4
"""The number of body literals of a rule from which an instance is chosen literal by literal.

A body with so many literals could have too many solutions.
"""


def supports(
    program: Program,
    situation: EncodedSituation,
    output: Signature,
    rows: Sequence[Row],
    times: Sequence[int],
) -> list[tuple[Fact, ...]]:
    """Return, for each row that is an answer at its time, the input atoms of one proof, ascending in time.

    If several proofs exist for a row, the function chooses the proof with newer atoms; among others, the
    texts of their terms decide. The program must have no `obstacle`, and must read input through windows.
    """
    own, index = np.unique(np.array(times, np.int64), return_inverse=True)
    table = as_table(zip(rows, index.tolist(), index.tolist(), strict=True), output[1], situation.terms)
    facts_of_rows: list[set[Fact]] = [set() for _ in rows]
    for number, fact in _Descent(program, situation, own.tolist(), output).leaves(table):
        facts_of_rows[number].add(fact)
    return [tuple(sorted(facts)) for facts in facts_of_rows]


_Candidates = tuple[Bindings, Array, bool]
"""The atoms that could match a literal, the index of each solution's atom (-1: none), and if they are input.

The matching atoms are numbered. Newer input atoms have smaller numbers. Static data can take the place of
input atoms.
"""


class _Descent:
    """The search for proofs from answers back to the input, for many answers at once.

    Atoms that a proof needs are stored in a table for each predicate, with a column for each argument. The
    last column contains the number of the answer whose proof needs the atom. The interval of a needed atom
    contains a single index.
    """

    def __init__(
        self, program: Program, situation: EncodedSituation, times: Sequence[int], output: Signature
    ) -> None:
        self._output = output
        self._count = len(times)
        self._situation = situation
        self._input = visible_input(program, situation, times, None)
        self._evaluation = ProgramTables(program, self._input)
        self._plan = self._evaluation.plan(output)
        self._evaluation.derived(self._plan)
        self._body = RuleBody(situation.terms, self._count)
        self._needs: dict[Signature, list[RunTable]] = {}
        self._leaves: dict[Signature, list[tuple[Array, Array]]] = {}
        self._numbered_rounds: dict[Signature, RunTable] = {}
        self._arrived: dict[WindowedAtom, RunTable] = {}

    def leaves(self, rows: RunTable) -> Iterator[tuple[int, Fact]]:
        """Yield the input atoms in one proof of each answer, as pairs (number of the answer, input atom)."""
        self._need(self._output, rows, np.arange(len(rows)))
        for layer in reversed(self._plan):
            while needed := layer.predicates & self._needs.keys():
                for predicate in needed:
                    table = concatenate(self._needs.pop(predicate), predicate[1] + 1)
                    self._prove(layer, predicate, coalesce(table, self._count))
        for predicate, numbers in self._leaves.items():
            yield from self._facts(predicate, numbers)

    def _need(self, predicate: Signature, atoms: RunTable, rows: Array) -> None:
        table = RunTable((*atoms.columns, rows), atoms.first, atoms.last)
        self._needs.setdefault(predicate, []).append(table)

    def _facts(
        self, predicate: Signature, numbers: Sequence[tuple[Array, Array]]
    ) -> Iterator[tuple[int, Fact]]:
        rows, places = (np.concatenate(column) for column in zip(*numbers, strict=True))
        distinct, which = np.unique(places, return_inverse=True)
        atoms = self._situation.atoms[predicate].take(distinct)
        texts = map(self._situation.terms.atom_texts, atoms.columns)
        arguments = zip(*texts, strict=True) if atoms.columns else [()] * len(distinct)
        facts = [Fact(t, predicate[0], row) for t, row in zip(atoms.t.tolist(), arguments, strict=True)]
        for row, place in zip(rows.tolist(), which.tolist(), strict=True):
            yield row, facts[place]

    def _prove(self, layer: plans.Layer, predicate: Signature, needed: RunTable) -> None:
        """Choose a rule instance for each needed atom of a predicate, and store the atoms that it needs."""
        always = self._evaluation.background(predicate)
        left = needed.take(~_among(needed.project(range(predicate[1])), always))
        for rule in layer.rules:
            if rule.predicate == predicate and len(left):
                left = left.take(~self._proved(rule, layer, left))

    def _proved(self, rule: plans.RulePlan, layer: plans.Layer, needed: RunTable) -> Mask:
        """Choose an instance of a rule for each needed atom, if one exists; return a mask of these atoms."""
        bindings = self._solutions(rule, layer, needed)
        limit = None
        # An atom proved by atoms of later rounds could be part of its own proof.
        if layer.recursive:
            limit = self._rounds_of(rule.predicate, needed)[bindings.column(_NEED)]
        choices = [self._choice(part, bindings, layer, limit) for part in rule.joined]
        best = self._best(bindings, [one for one in choices if one is not None])
        chosen = Bindings(bindings.names, bindings.table.take(best))
        rows = needed.columns[-1][chosen.column(_NEED)]
        for part, choice in zip(rule.joined, choices, strict=True):
            if choice is not None:
                candidates, place, _ = choice
                self._note(part, candidates, place[best], chosen.table, rows)
            elif part.literal is not None:
                # Each instance of the group can change the value, so the proof has them all.
                instances = self._evaluation.scan(part.instances)
                own, places = self._meeting(chosen, instances, part.literal.keys)
                self._note(part, instances, places, chosen.table.take(own), rows[own])
        proved = np.zeros(len(needed), np.bool_)
        proved[chosen.column(_NEED)] = True
        return proved

    def _solutions(self, rule: plans.RulePlan, layer: plans.Layer, needed: RunTable) -> Bindings:
        """Return the solutions of a rule's body that derive needed atoms, each with the row of its atom.

        If the body is long, only solutions that agree with the best choices for its first literals are
        returned.
        """
        places = RunTable((*needed.columns[:-1], np.arange(len(needed))), needed.first, needed.last)
        heads = scan_atoms((*rule.arguments, _NEED), places, self._situation.terms)
        # A proof finds the instances of an aggregate by its group, so all columns of the group remain.
        scans = map(self._evaluation.scan, rule.joined)
        joined = [
            bindings if part.literal is not None else bindings.only(rule.needed(place), self._count)
            for place, (part, bindings) in enumerate(zip(rule.joined, scans, strict=True))
        ]
        less = [self._evaluation.scan(part) for part in rule.subtracted]
        apart = (
            [] if layer.recursive or len(joined) < _LONG_BODY else list(zip(rule.joined, joined, strict=True))
        )
        for part, own in sorted(apart, key=lambda pair: not _is_input(pair[0])):
            variables = frozenset((*heads.names, *own.names))
            heads = self._body.solutions([heads, *joined], less, rule.conditions, variables)
            # Other columns, if any, have only enough values for the conditions: they choose no atom.
            heads = heads.only(variables, self._count)
            if (choice := self._choice(part, heads, layer, None)) is not None:
                heads = Bindings(heads.names, heads.table.take(self._best(heads, [choice])))
        return self._body.solutions([heads, *joined], less, rule.conditions)

    def _choice(
        self, part: plans.Scan, bindings: Bindings, layer: plans.Layer, limit: Array | None
    ) -> _Candidates | None:
        """Return, for each solution of the body, one atom that matches a literal.

        For a literal with a window, the function returns the newest input atom. For a literal of the same
        recursive layer, the function returns the atom that was derived in the earliest round. The result is
        None for an aggregate, and for a literal that reads no atoms.
        """
        match part:
            case plans.Scan(None) | plans.Scan(literal=Gather()):
                return None
            case plans.Scan(WindowedAtom() as source, terms, None):
                return self._first_candidates(
                    bindings, self._numbered(terms, self._arrivals(source)), None, is_input=True
                )
            case plans.Scan((_, _) as predicate, terms, None) if predicate in layer.predicates:
                return self._first_candidates(bindings, self._numbered(terms, self._rounds(predicate)), limit)
            case _:
                every = self._evaluation.scan(part)
                return self._first_candidates(
                    bindings, Bindings((*every.names, _NUMBER), every.table.with_constant(0)), None
                )

    def _numbered(self, terms: Sequence[Term], table: RunTable) -> Bindings:
        return scan_atoms((*terms, _NUMBER), table, self._situation.terms)

    def _first_candidates(
        self, bindings: Bindings, candidates: Bindings, limit: Array | None, *, is_input: bool = False
    ) -> _Candidates:
        """Return, for each solution, the matching atom with the smallest number (below `limit`, if given)."""
        own, places = self._meeting(bindings, candidates, bindings.names)
        numbers = candidates.column(_NUMBER)[places]
        if limit is not None:
            below = numbers < limit[own]
            own, places, numbers = own[below], places[below], numbers[below]
        least = _least(own, [numbers], lambda rows: self._ranks(candidates, places[rows]))
        taken = np.full(len(bindings.table), -1)
        taken[own[least]] = places[least]
        return candidates, taken, is_input

    def _best(self, bindings: Bindings, choices: Sequence[_Candidates]) -> Array:
        """Return, for each needed atom, the row of the solution with the newest input, if one exists."""
        needs = bindings.column(_NEED)
        possible = np.ones(len(needs), np.bool_)
        newest = []
        for candidates, place, is_input in choices:
            if is_input:
                # A solution without an input atom (place -1) gets 0, and input numbers are below 0.
                newest.append(np.append(candidates.column(_NUMBER), 0)[place])
            else:
                possible &= place >= 0
        best = _least(needs, [~possible, *newest], lambda rows: self._ranks(bindings, rows))
        chosen: Array = best[possible[best]]
        return chosen

    def _ranks(self, bindings: Bindings, rows: Array) -> list[Array]:
        """Return the ranks of terms by their texts, since codes depend on how a trace was read."""
        columns = zip(bindings.names, bindings.table.columns, strict=True)
        return [
            self._situation.terms.ranks(column[rows])
            for name, column in columns
            if name not in {_NEED, _NUMBER}
        ]

    def _meeting(self, left: Bindings, right: Bindings, names: Collection[Variable]) -> tuple[Array, Array]:
        """Return pairs of left and right rows with common times and equal values of common variables."""
        shared = [name for name in right.names if name in names]
        on = [(left.names.index(name), right.names.index(name)) for name in shared]
        return meet(left.table, right.table, on, self._count)

    def _note(
        self, part: plans.Scan, candidates: Bindings, taken: Array, solutions: RunTable, rows: Array
    ) -> None:
        """Store the atoms that were chosen for a literal, as needed atoms or as input of the proofs."""
        match part.source:
            case (_, _) as predicate:
                columns = (candidates.term(term, self._situation.terms)[taken] for term in part.terms)
                self._need(predicate, RunTable(tuple(columns), solutions.first, solutions.last), rows)
            case WindowedAtom(_, atom) if part.literal is None:
                came = taken >= 0
                if not came.any():
                    return
                # The inverse of the numbers that `_arrivals` gives.
                places = -1 - candidates.column(_NUMBER)[taken[came]]
                self._leaves.setdefault(signature(atom), []).append((rows[came], places))
            case _:
                pass

    def _arrivals(self, source: WindowedAtom) -> RunTable:
        """Return the input atoms in a window, each with a number; newer atoms have smaller numbers."""
        if source not in self._arrived:
            table = self._input.arrivals(source)
            columns = (*table.columns[:-1], -1 - table.columns[-1])
            self._arrived[source] = RunTable(columns, table.first, table.last)
        return self._arrived[source]

    def _rounds(self, predicate: Signature) -> RunTable:
        """Return the derived atoms of a recursive predicate, each with the round that derived it first."""
        if predicate not in self._numbered_rounds:
            rounds = self._evaluation.rounds[predicate]
            numbered = [table.with_constant(number) for number, table in enumerate(rounds)]
            self._numbered_rounds[predicate] = concatenate(numbered, predicate[1] + 1)
        return self._numbered_rounds[predicate]

    def _rounds_of(self, predicate: Signature, needed: RunTable) -> Array:
        """Return, for each needed atom, the first round in which the atom was derived at its time."""
        rounds = self._rounds(predicate)
        on = [(place, place) for place in range(predicate[1])]
        own, places = meet(needed, rounds, on, self._count)
        numbers = np.full(len(needed), np.iinfo(np.int64).max)
        np.minimum.at(numbers, own, rounds.columns[-1][places])
        return numbers


def _is_input(part: plans.Scan) -> bool:
    return part.literal is None and isinstance(part.source, WindowedAtom)


def _least(
    groups: Array, numbers: Sequence[Array | Mask], ranks: Callable[[Array], Sequence[Array]]
) -> Array:
    """Return the row of each group with the least numbers; of several such rows, the one with least ranks."""
    order = np.lexsort((*reversed(numbers), groups))
    every, first = np.unique(groups[order], return_index=True)
    least = order[first]
    own = least[np.searchsorted(every, groups)]
    # Ranks by text are slow, so they are computed only for ties.
    tied = np.flatnonzero(np.logical_and.reduce([number == number[own] for number in numbers]))
    if len(tied) > len(least):
        order = np.lexsort((*reversed(ranks(tied)), groups[tied]))
        _, first = np.unique(groups[tied][order], return_index=True)
        least = tied[order[first]]
    return least


def _among(table: RunTable, other: RunTable) -> Mask:
    """Return a mask of the rows of a table that also occur in another table."""
    return among(*keys([table.columns, other.columns], [len(table), len(other)], 1))
