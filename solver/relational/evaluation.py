"""Answers of many evaluation times by relational algebra over columns.

A fact is seen at consecutive evaluation times, a run: a positive body is a join in which runs meet,
alternatives are united, negation cuts runs. clingo has no part in it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lars.analysis import intensional
from lars.errors import FailedRunError, LarsError, OutOfMemoryError, TimeLimitError, under_way
from lars.language.formulas import Assign, Test
from lars.language.program import Program, variables
from lars.language.terms import Signature, Variable, signature
from solver.columns import Array, TermCodes
from solver.deadlines import check_time
from solver.facts import Row, Situation, with_facts
from solver.rdf import compile_condition
from solver.relational.plans import (
    DerivedAtoms,
    GatheredScan,
    Instants,
    Layer,
    RelationalPlan,
    RowSource,
    RulePlan,
    Scan,
    ShownAtoms,
    plan,
    unfolded_plan,
)
from solver.relational.rule_bodies import Bindings, RuleBody, scan_atoms
from solver.relational.run_tables import (
    RunTable,
    coalesce,
    concatenate,
    empty,
    steady,
    subtract,
    with_longest,
)
from solver.relational.shown_input import EncodedSituation, ShownInput, encode, encoded_rows

if TYPE_CHECKING:
    from solver.relational.shown_input import ShownContents


def runs(
    program: Program, situation: Situation, times: Sequence[int], output: Signature
) -> Iterator[tuple[Row, int, int]]:
    """Yield the rows of `output` that the program derives at the ascending evaluation times.

    The program has no `obstacle`. Each row comes with its longest runs, as first and last index.
    LarsError: a condition that no row can have, a number beyond 32 bit, or a violated constraint.
    """
    if times:
        encoded_input = encode(situation)
        newest = None if situation.newest is None else [situation.newest] * len(times)
        table = evaluate_program(program, encoded_input, times, output, newest).get(output, empty(output[1]))
        yield from decode(coalesce(table, len(times)), encoded_input.terms)


def decode(table: RunTable, terms: TermCodes) -> Iterator[tuple[Row, int, int]]:
    """Return the rows of a table as texts, None for null, with their first and last index."""
    return zip(row_texts(table, terms), table.first.tolist(), table.last.tolist(), strict=True)


def row_texts(table: RunTable, terms: TermCodes) -> list[Row]:
    """Return the rows of a table as texts, None for null."""
    columns = [terms.texts(column.tolist()) for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * len(table)


def text_order(table: RunTable, terms: TermCodes) -> Array:
    """Return the places of the rows of a table in the order of their texts, null first."""
    if not table.columns:
        return np.arange(len(table))
    return np.lexsort([terms.ranks(column) for column in reversed(table.columns)])


def evaluate_program(
    program: Program,
    situation: EncodedSituation,
    times: Sequence[int],
    output: Signature | None,
    newest: Sequence[int] | None = None,
) -> Mapping[Signature, RunTable]:
    """Return the derived atoms that the output depends on, itself included; None: all.

    Neither the times nor `newest`, of which there are as many, ever move back; at each evaluation
    what arrived after its newest is not seen, though tuple windows count it. Before a join of very many
    rows rules with fewer variables are tried, if there are such.
    """

    def tables(program: Program, crowded: Callable[[], None] = lambda: None) -> Mapping[Signature, RunTable]:
        shown_input = visible_input(program, situation, times, newest)
        evaluation = ProgramTables(program, situation, shown_input, times, crowded)
        return evaluation.derived(plan(program, None) if output is None else evaluation.plan(output))

    def narrower() -> Program:
        from lars.elimination import with_fewer_variables

        return (
            program if output is None else with_fewer_variables(program, output, _input_predicates(situation))
        )

    def crowded() -> None:
        if narrower() is not program:
            raise _CrowdedError

    try:
        return tables(program, crowded)
    except _CrowdedError:
        return tables(narrower())


class _CrowdedError(Exception):
    """A join has very many rows, and fewer variables might do."""


def _input_predicates(situation: EncodedSituation) -> frozenset[Signature]:
    return frozenset((*situation.background, *situation.atoms))


def visible_input(
    program: Program, situation: EncodedSituation, times: Sequence[int], newest: Sequence[int] | None
) -> ShownInput:
    """Return the input that the program does not derive itself."""
    own = intensional(program)
    atoms = {name: some for name, some in situation.atoms.items() if name not in own}
    return ShownInput(situation, atoms, times, newest)


def evaluated_on(program: Program, contents: "ShownContents", output: Signature) -> RunTable:
    """Return the rows of `output` that the program derives of each content that its windows are given."""
    evaluation = ProgramTables(program, contents, contents, range(contents.count))
    return evaluation.derived(evaluation.plan(output)).get(output, empty(output[1]))


class ProgramTables:
    """The tables of a program's sources, as they become known.

    `rounds` are what was new of each recursive predicate, round by round: an atom follows from such as
    were there before.
    """

    def __init__(
        self,
        program: Program,
        situation: "EncodedSituation | ShownContents",
        input_shown: "ShownInput | ShownContents",
        times: Sequence[int],
        crowded: Callable[[], None] = lambda: None,
    ) -> None:
        for rule in program.rules:
            for literal in rule.body:
                if isinstance(literal, Test | Assign):
                    compile_condition(literal.expression)
        self._program = program
        self._input_atoms = input_shown
        self._terms = situation.terms
        self._background = situation.background
        self._facts = with_facts(program, {})
        self._times = times
        self._count = len(times)
        self._body = RuleBody(situation.terms, len(times), crowded)
        self._derived: dict[Signature, RunTable] = {}
        self.rounds: dict[Signature, list[RunTable]] = {}
        self._sources: dict[ShownAtoms, RunTable] = {}

    def plan(self, output: Signature) -> RelationalPlan:
        """Return how the output's atoms are evaluated here."""
        return unfolded_plan(self._program, output, frozenset((*self._background, *self._facts)))

    def derived(self, whole: RelationalPlan) -> dict[Signature, RunTable]:
        """Return the tables of all derived predicates in a plan."""
        for layer in whole.layers:
            self._begin(layer)
            if layer.recursive:
                self._close(layer)
        for rule in whole.constraints:
            violated = self._solutions(rule, {}).table
            if len(violated):
                t = self._times[int(violated.first.min())]
                raise LarsError(f"the program has 0 answer streams at {t}, so no one answer")
        return self._derived

    def _begin(self, layer: Layer) -> None:
        """Derive what needs no atom of the layer itself."""
        for predicate in layer.predicates:
            self._derived[predicate] = empty(predicate[1])
        for predicate in layer.predicates:
            rules = [rule for rule in layer.rules if not rule.places(layer.predicates)]
            heads = [self._head_rows(rule, {}) for rule in rules if rule.predicate == predicate]
            rows = [table for table in (self.background(predicate), *heads) if len(table)]
            self._derived[predicate] = with_longest(concatenate(rows, predicate[1]), self._count)

    def _close(self, layer: Layer) -> None:
        """Derive the rest round by round, each from what was new in the one before."""
        new = {predicate: self._derived[predicate] for predicate in layer.predicates}
        self.rounds |= {predicate: [] for predicate in layer.predicates}
        while any(map(len, new.values())):
            check_time()
            for predicate, fresh in new.items():
                self.rounds[predicate].append(fresh)
            tables: dict[Signature, list[RunTable]] = {predicate: [] for predicate in layer.predicates}
            for rule in layer.rules:
                for place, predicate in rule.places(layer.predicates):
                    if len(new[predicate]):
                        tables[rule.predicate].append(self._head_rows(rule, {place: new[predicate]}))
            for predicate, rows in tables.items():
                width = predicate[1]
                heads, known = coalesce(concatenate(rows, width), self._count), self._derived[predicate]
                new[predicate] = subtract(heads, known, range(width), self._count)
                self._derived[predicate] = concatenate([known, new[predicate]], width)
        for predicate in layer.predicates:
            self._derived[predicate] = coalesce(self._derived[predicate], self._count)

    def _head_rows(self, rule: RulePlan, instead: Mapping[int, RunTable]) -> RunTable:
        with under_way(lambda: f"most of all for {rule.rule.quotation}"):
            try:
                bindings = self._solutions(rule, instead)
            except (OutOfMemoryError, TimeLimitError):
                raise  # the first says what is under way
            except FailedRunError as error:
                raise FailedRunError(f"{error}, in {rule.rule.quotation}") from None
        columns = tuple(
            bindings.column(term)
            if isinstance(term, Variable)
            else np.full(len(bindings.table), self._terms.of_constant(term), np.int64)
            for term in rule.arguments
        )
        whole = set(bindings.names) <= set(rule.arguments)
        return RunTable(columns, bindings.table.first, bindings.table.last, bindings.table.longest and whole)

    def _solutions(self, rule: RulePlan, instead: Mapping[int, RunTable]) -> Bindings:
        """Return the bindings of a rule's body; `instead` has tables for some of what is joined."""
        joined = [
            self.scan(part, instead.get(place)).only(rule.needed(place), self._count)
            for place, part in enumerate(rule.joined)
        ]
        subtracted = [self.scan(part) for part in rule.subtracted]
        return self._body.solutions(joined, subtracted, rule.conditions, variables(rule.rule.head))

    def scan(self, part: Scan | GatheredScan, instead: RunTable | None = None) -> Bindings:
        """Return the bindings of a part of a rule's body, of all that is derived or instead of a table."""
        scan = part if isinstance(part, Scan) else part.scan
        table = self._table(scan.source) if instead is None else instead
        bindings = scan_atoms(scan.terms, table, self._terms)
        if isinstance(part, Scan):
            return bindings
        from solver.relational.rule_bodies import evaluate_set_literal

        return evaluate_set_literal(part.literal, bindings, self._terms, self._count)

    def _table(self, source: RowSource) -> RunTable:
        match source:
            case DerivedAtoms(predicate):
                return self._derived[predicate]
            case Instants():
                return self._input_atoms.instants()
            case ShownAtoms():
                if source not in self._sources:
                    self._sources[source] = self._input(source)
                return self._sources[source]

    def _input(self, source: ShownAtoms) -> RunTable:
        table = self._input_atoms.runs(source)
        atom = source.atom.atom
        always = self.background(signature(atom))
        if source.timed or not len(always):
            return table
        # B stands under no window, so this is a plain atom, which input may hold too.
        fitting = scan_atoms(atom.arguments, always, self._terms).table
        return coalesce(concatenate([table, fitting], len(table.columns)), self._count)

    def background(self, predicate: Signature) -> RunTable:
        """Return what B holds of the predicate, from the situation and from the program's facts."""
        own = encoded_rows(self._facts.get(predicate, ()), predicate[1], self._terms)
        rows = np.concatenate((self._background.get(predicate, own[:0]), own))
        return steady(list(rows.T), len(rows), self._count)
