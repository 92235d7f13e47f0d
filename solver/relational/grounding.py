"""The cost for clingo of a program: the number of rule instances, and the background that rules can use.

A grounder such as clingo lists all instances of rules, but the relational evaluation does not.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Final

import numpy as np

from lars.errors import FailedRunError, LarsError, OutOfMemoryError
from lars.language.formulas import Assign, Test
from lars.language.program import Program
from lars.language.terms import Signature, Variable
from solver.columns import Array, Mask, TermCodes, among, distinct
from solver.facts import WindowedAtom, with_facts
from solver.relational import plans
from solver.relational.evaluation import (
    Bindings,
    CrowdedError,
    ProgramTables,
    RuleBody,
    matches,
    visible_input,
)
from solver.relational.shown_input import EncodedSituation, ShownInput

_ARRIVAL: Final = Variable(" arrival {}")
"""A variable whose name cannot occur in a program text."""
_CALLED: Final = 10
"""The number of rule instances that clingo lists in the time of one call of Python for a SPARQL condition."""


def ground_instances(program: Program, situation: EncodedSituation, times: Sequence[int], most: int) -> int:
    """Return an upper bound of the number of rule instances at each time of `times`.

    For a single time, the bound is the number of instances of all rules and of all prefixes of their bodies.
    Literals of a rule's body are joined one by one, in the order of the relational evaluation. The estimate
    keeps all variables of each rule. For several times, the join also combines atoms that are not visible at
    the same time. Negated literals are ignored. An atom that is visible several times counts as several rows.
    An instance with SPARQL conditions counts as several instances, because clingo calls Python for each of
    the conditions. The counting stops when the number is above `most`, before larger tables are built. The
    program must not have an `obstacle` (a construct that the relational evaluation lacks).

    >>> from lars.text.notation import read
    >>> from lars.language.windows import Interval
    >>> from solver.facts import Fact, Situation
    >>> from solver.relational.shown_input import encode
    >>> facts = [Fact(1, "e", (x, y)) for x in "abc" for y in "abc"]
    >>> here = encode(Situation(Interval(0, 1), facts, {}))
    >>> path = read("p(X) ← ⊞^1 ◇ e(X, Y), ⊞^1 ◇ e(Y, Z).")  # 9 edges, each of which 3 go on from
    >>> ground_instances(path, here, [1], 1000), ground_instances(path, here, [1], 10) > 10
    (36, True)
    """
    body = _ListingBody(situation.terms, len(times), most)
    try:
        _list_all(program, visible_input(program, situation, times, None), body)
    except (CrowdedError, OutOfMemoryError):
        return max(body.instances, most + 1)
    except FailedRunError:
        raise
    except LarsError:
        # A rule cannot be computed: the evaluation reports the error.
        pass
    return body.instances


def most_instances(program: Program, situation: EncodedSituation) -> int | None:
    """Return an upper bound on the number of rule instances at any time, from the numbers of atoms.

    The result is None if a predicate of the program depends on itself. The program must not have an
    `obstacle` (a construct that the relational evaluation lacks).

    >>> from lars.text.notation import read
    >>> from lars.language.windows import Interval
    >>> from solver.facts import Fact, Situation
    >>> from solver.relational.shown_input import encode
    >>> here = encode(Situation(Interval(0, 1), [Fact(1, "e", (x,)) for x in "abc"], {}))
    >>> most_instances(read("p(X) ← ⊞^1 ◇ e(X). q ← p(X), p(Y)."), here)  # 3, and 3 · 3
    12
    """
    whole, facts = plans.plan(program, None), with_facts(program, {})
    sizes = {name: len(some.t) for name, some in situation.atoms.items()}
    for name in {*situation.background, *facts}:
        always = len(situation.background.get(name, ())) + sum(1 for _ in facts.get(name, ()))
        sizes[name] = sizes.get(name, 0) + always
    total = 0
    for layer in whole:
        if layer.recursive:
            return None
        for rule in layer.rules if layer.predicates else ():
            # A literal without keys has one group, even without an atom.
            own = prod(
                max(sizes.get(part.predicate, 0), part.literal is not None)
                for part in rule.joined
                if part.predicate
            )
            sizes[rule.predicate] = sizes.get(rule.predicate, 0) + own
            total += _weight(rule) * own
    return total


def _list_all(program: Program, shown_input: ShownInput, body: "_ListingBody") -> None:
    """Count the instances of all rules, one layer after another, and raise CrowdedError above the maximum."""
    whole, tables = plans.plan(program, None), ProgramTables(program, shown_input)

    def list_instances(rule: plans.RulePlan) -> None:
        parts = [tables.scan(_each_arrival(part, place)) for place, part in enumerate(rule.joined)]
        gathered = [tables.scan(part.instances) for part in rule.joined if part.literal is not None]
        body.weight = _weight(rule)
        body.add(sum(len(bindings.table) for bindings in (*parts[:1], *gathered)))
        body.solutions(parts, (), rule.conditions)

    for layer in whole:
        recursive = [rule for rule in layer.rules if rule.places(layer.predicates)]
        for rule in layer.rules:
            if rule not in recursive:
                list_instances(rule)
        # Constraints that are violated have instances, too.
        tables.derived((layer,) if layer.predicates else ())
        for rule in recursive:
            list_instances(rule)


def _weight(rule: plans.RulePlan) -> int:
    """Return the cost of one instance of a rule, expressed as a number of instances without conditions."""
    return 1 + _CALLED * sum(isinstance(condition, Test | Assign) for condition in rule.conditions)


def _each_arrival(part: plans.Scan, place: int) -> plans.Scan:
    """Return the scan of a literal, changed so that each arrival of an input atom is a row of its own."""
    if part.literal is not None or not isinstance(part.source, WindowedAtom) or part.source.timed:
        return part
    arrival = Variable(_ARRIVAL.name.format(place))
    return plans.Scan(replace(part.source, timed=True), (*part.terms, arrival))


class _ListingBody(RuleBody):
    """An evaluator of rule bodies that counts the rows of each join before it computes the join."""

    def __init__(self, codes: TermCodes, count: int, most: int) -> None:
        super().__init__(codes, count)
        self._most = most
        self.instances = 0
        self.weight = 1
        """The cost of one instance of the current rule."""

    def add(self, instances: int) -> None:
        """Add to the counted number of rule instances.

        Raises:
            CrowdedError: The number exceeds the maximum.
        """
        self.instances += self.weight * instances
        if self.instances > self._most:
            raise CrowdedError

    def _joined(self, left: Bindings, right: Bindings, needed: frozenset[Variable] | None) -> Bindings:
        self.add(int(matches(left, right).sum()))
        return super()._joined(left, right, needed)


Table = tuple[Array, ...]
"""The rows of a predicate, with one column for each argument."""
Values = dict[Variable, Array]
"""Supersets of the values of the variables of a rule body."""
_ROUNDS: Final = 2
"""The number of rounds in which the atoms of a body restrict each other's values."""


def with_usable_background(
    program: Program, situation: EncodedSituation, output: Signature
) -> EncodedSituation:
    """Return the situation with only the background atoms that rules can use.

    If an atom of a rule body never has some value of a variable, no instance of the rule has this value of
    the variable. If a background atom has such a value, the rule cannot use the atom. The program must not
    have an `obstacle` (a construct that the relational evaluation lacks).

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
    rules = [*plans.rules_of(plans.unfolded_plan(program, output, predicates))]
    use = _Use(program, situation, rules)
    for rule in rules:
        use.add(rule)
    background = {name: rows[use.kept[name]] for name, rows in situation.background.items()}
    return replace(situation, background=background)


class _Use:
    """A mask of the background atoms that rules can use; `add` extends the mask by the atoms of one rule."""

    def __init__(
        self, program: Program, situation: EncodedSituation, rules: Sequence[plans.RulePlan]
    ) -> None:
        self.kept = {name: np.zeros(len(rows), np.bool_) for name, rows in situation.background.items()}
        self._terms, self._background = situation.terms, situation.background
        self._atoms = {name: some.columns for name, some in situation.atoms.items()}
        self._facts = with_facts(program, {})
        self._rules: dict[Signature, list[plans.RulePlan]] = {}
        for rule in rules:
            if rule.rule.head is not None:
                self._rules.setdefault(rule.predicate, []).append(rule)

    def add(self, rule: plans.RulePlan) -> None:
        """Mark the atoms that a rule can use."""
        parts = [part for part in rule.joined if part.literal is None and part.predicate is not None]
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
        for part in rule.joined:
            if part.literal is not None:
                self._keep(part.instances, {})

    def _keep(self, part: plans.Scan, values: Values) -> None:
        if (name := part.predicate) in self.kept:
            rows = tuple(self._background[name].T)
            self.kept[name] |= self._fitting(part, rows, values) if rows else True

    def _restrict(self, part: plans.Scan, tables: Sequence[Table], values: Values) -> None:
        """Restrict the possible `values` of variables to values in the matching rows of a literal."""
        fitting = [self._fitting(part, table, values) for table in tables]
        for variable, place in _places(part).items():
            columns = [table[place][mask] for table, mask in zip(tables, fitting, strict=True)]
            values[variable] = distinct(np.concatenate([np.empty(0, np.int64), *columns]))

    def _fitting(self, part: plans.Scan, table: Table, values: Values) -> Mask:
        """Return a mask of the rows that match a literal, given the possible values of its variables."""
        if isinstance(part.source, WindowedAtom):
            mask = self._terms.fitting_any(part.source.any_of, table, _rows(table))
        else:
            mask = self._terms.matching(part.terms, table, _rows(table))
        for variable, place in _places(part).items():
            if variable in values:
                mask &= among(table[place], values[variable])
        return mask

    def _tables(self, part: plans.Scan) -> list[Table] | None:
        """Return tables that contain all atoms of a literal's predicate, or None if they are not known."""
        name = part.predicate
        if name is None or name in self._facts or not name[1]:
            return None
        tables = [tuple(self._background[name].T)] if name in self._background else []
        if isinstance(part.source, WindowedAtom):
            return [*tables, self._atoms[name]] if name in self._atoms else tables
        for rule in self._rules.get(name, ()):
            derived = self._derived(rule)
            if derived is None:
                return None
            tables.append(derived)
        return tables

    def _derived(self, rule: plans.RulePlan) -> Table | None:
        """Return a superset of the atoms that a rule derives; None unless its body only reads one window."""
        if len(rule.joined) != 1 or not isinstance((part := rule.joined[0]).source, WindowedAtom):
            return None
        name, places = part.predicate, _places(part)
        if name is None or part.literal is not None or name in self._facts or name in self._background:
            return None
        if not all(term in places for term in rule.arguments if isinstance(term, Variable)):
            return None
        table = self._atoms.get(name)
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


def _places(part: plans.Scan) -> dict[Variable, int]:
    """Return, for each variable of a literal, the index of its argument."""
    if isinstance(part.source, WindowedAtom):
        pairs = zip(part.terms, part.source.places, strict=False)
        return {variable: place for variable, place in pairs if isinstance(variable, Variable)}
    return {term: place for place, term in enumerate(part.terms) if isinstance(term, Variable)}
