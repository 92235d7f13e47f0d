"""The cost for clingo of a program: the number of rule instances, and the background that rules can use.

A grounder such as clingo lists all instances of rules, but the relational evaluation does not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from math import prod
from typing import Final, Literal

import numpy as np

from lars.analysis import positive_loops, reach, windows_of
from lars.errors import FailedRunError, LarsError, OutOfMemoryError
from lars.language.formulas import Among, Assign, At, BodyLiteral, Diamond, Gather, In, Test
from lars.language.program import Program, Rule, atoms, head_atom, variables
from lars.language.terms import Atom, Signature, Term, Variable, signature, substitute
from lars.language.windows import LARGEST_TIME, NOW, Interval, IntervalWindow, TupleWindow
from solver.columns import NO_CODE, Array, Mask, TermCodes, distinct
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
    """Return the number of instances of all rules and of all prefixes of their bodies, summed over the times.

    Literals of a rule's body are joined one by one, in the order of the relational evaluation. The count
    keeps all variables of each rule. Negated literals are ignored. An atom that is visible several times
    counts as several rows. An instance with SPARQL conditions counts as several instances, because clingo
    calls Python for each of the conditions. The counting stops when the number is above `most`, before larger
    tables are built. It also stops before the join of more atoms that are not visible at the same time. The
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
        for bindings in (*parts[:1], *gathered):
            body.add(bindings)
        body.solutions(parts, (), rule.conditions)

    for layer in whole:
        recursive = [rule for rule in layer.rules if rule.places(layer.predicates)]
        for rule in layer.rules:
            if rule not in recursive:
                list_instances(rule)
        # A violated constraint would be an error here, but only its instances count: it is not evaluated.
        tables.derived((layer,) if layer.predicates else ())
        for rule in recursive:
            list_instances(rule)


def _weight(rule: plans.RulePlan) -> int:
    """Return the cost of one instance of a rule, expressed as a number of instances without conditions."""
    return 1 + _CALLED * sum(isinstance(condition, Test | Assign) for condition in rule.conditions)


def _each_arrival(part: plans.Scan, place: int) -> plans.Scan:
    """Return the scan of a literal, changed so that each arrival of an input atom is a row of its own."""
    source = part.source
    # NOW shows one arrival of an atom. Only an atom without a window, whose window is NOW, can be in B,
    # and the scan of a timed source has no atoms of B.
    if part.literal is not None or not isinstance(source, WindowedAtom) or source.timed:
        return part
    if source.window == NOW:
        return part
    arrival = Variable(_ARRIVAL.name.format(place))
    return plans.Scan(replace(source, timed=True), (*part.terms, arrival))


class _ListingBody(RuleBody):
    """An evaluator of rule bodies that counts the rows of each join before it computes the join."""

    def __init__(self, codes: TermCodes, count: int, most: int) -> None:
        super().__init__(codes, count)
        self._most = most
        self.instances = 0
        self.weight = 1
        """The cost of one instance of the current rule."""

    def add(self, bindings: Bindings) -> None:
        """Count each row of a table at each of its times.

        Raises:
            CrowdedError: The number exceeds the maximum.
        """
        table = bindings.table
        self.instances += self._within(int((table.last - table.first + 1).sum()))

    def _within(self, rows: int) -> int:
        instances = self.weight * rows
        if self.instances + instances > self._most:
            self.instances += instances
            raise CrowdedError
        return instances

    def _joined(self, left: Bindings, right: Bindings, needed: frozenset[Variable] | None) -> Bindings:
        self._within(int(matches(left, right).sum()))
        joined = super()._joined(left, right, needed)
        self.add(joined)
        return joined


_Matches = tuple[Signature, bool, Array, dict[Variable, Array]]
"""Atoms of the situation that match an atom of a rule body, with the values of its variables.

The first three parts are the predicate of the matching atoms, whether they are in the background (and not in
the input), and their indexes among all atoms of the predicate there.
"""
_Role = Literal["joined", "other", "gathered"]
"""The role of an atom in a body: in a positive literal, in any other literal, or in an aggregate or order."""
_BodyAtom = tuple[Atom, _Role, Interval]
"""An atom of a body with its role, and with the range of times around the evaluation time that it reads."""
_ROUNDS: Final = 2
"""The number of rounds in which the atoms of a body restrict each other's values."""
_MOST_ATOMS: Final = 64
"""The number of atoms of a body above which no body of another rule replaces an atom."""


def with_usable_atoms(
    program: Program, situation: EncodedSituation, output: Signature, times: Sequence[int]
) -> EncodedSituation:
    """Return the situation with only the atoms of the input and of the background that rules can use.

    If an atom of a rule body never has some value of a variable, no instance of the rule has this value of
    the variable. If another atom has such a value, the rule cannot use that atom. Nor can a rule use input
    that its windows do not contain at any of the evaluation times, or at a time between them. Because tuple
    windows count all input, all input remains if the program has tuple windows.

    Clingo, which checks the relational evaluation, is given the result. Therefore the rules of the program
    are read here, and not its relational plan: an error in a plan must not remove the atoms that show it.

    >>> from lars.text.notation import read
    >>> from lars.language.windows import Interval
    >>> from solver.facts import Fact, Situation
    >>> from solver.relational.shown_input import encode
    >>> rows = [(f"r{n}", f"f{n}") for n in range(9)]
    >>> here = encode(Situation(Interval(0, 1), [Fact(1, "p", ("r3",))], {("on", 2): rows}))
    >>> program = read("ans(F) ← ⊞^1 ◇ p(R), on(R, F).")
    >>> with_usable_atoms(program, here, ("ans", 1), [1]).decoded().background
    {('on', 2): [('r3', 'f3')]}
    """
    use = _Use(program, situation, times)
    use.add_all(output)
    kept, static, atoms = use.kept, situation.background, situation.atoms
    background = {name: rows[kept[name, True]] for name, rows in static.items()}
    if not reach(program).tuples:
        atoms = {name: some.take(kept[name, False]) for name, some in atoms.items()}
    return replace(situation, atoms=atoms, background=background)


class _Use:
    """Masks of the atoms that rules can use, by predicate, in the background (True) and in the input."""

    def __init__(self, program: Program, situation: EncodedSituation, times: Sequence[int]) -> None:
        self._span = Interval(min(times, default=0), max(times, default=0))
        self._timeline = situation.timeline
        self._times = {name: some.t for name, some in situation.atoms.items()}
        self._terms = situation.terms
        self._columns = {(name, True): tuple(rows.T) for name, rows in situation.background.items()}
        self._columns |= {(name, False): some.columns for name, some in situation.atoms.items()}
        self.kept = {
            (name, True): np.zeros(len(rows), np.bool_) for name, rows in situation.background.items()
        }
        self.kept |= {
            (name, False): np.zeros(len(some.t), np.bool_) for name, some in situation.atoms.items()
        }
        self._facts = frozenset(with_facts(program, {}))
        self._always = self._facts.union(situation.background)
        self._loops = positive_loops(program)
        self._bodies: dict[Signature | None, list[tuple[Rule, list[_BodyAtom]]]] = {}
        for rule in program.proper_rules:
            body = [part for literal in rule.body for part in self._parts(literal)]
            self._bodies.setdefault(rule.predicate, []).append((rule, body))
        self._fresh = count()
        self._roots: list[Signature | None] = []

    def add_all(self, output: Signature) -> None:
        """Mark the atoms that the rules for the output, and the constraints, can use."""
        self._roots, done = [output, None], set[Signature | None]()
        while self._roots:
            if (name := self._roots.pop()) in done:
                continue
            done.add(name)
            if name == output:
                whole = Atom(name[0], tuple(Variable(str(place)) for place in range(name[1])))
                self._mark(self._held(whole, whole, whole, self._span))
            for _, body in self._bodies.get(name, ()):
                self._add(body)

    def _add(self, body: list[_BodyAtom]) -> None:
        """Mark the atoms that a rule with a body can use."""
        joined, others = list[list[_Matches]](), list[_BodyAtom]()
        for part in self._unfolded(body):
            rows = self._rows(part) if part[1] == "joined" else None
            if rows is None:
                others.append(part)
            else:
                joined.append(rows)
        # The literals with the fewest rows come first, because they restrict the values of the others most.
        joined.sort(key=lambda rows: sum(len(numbers) for _, _, numbers, _ in rows))
        values: dict[Variable, Array] = {}
        for _ in range(_ROUNDS):
            joined = [self._restricted(rows, values) for rows in joined]
        for atom, role, seen in others:
            rows = self._held(atom, atom, atom, seen)
            # An aggregate needs all instances; the copy keeps this atom from restricting the others.
            joined.append(rows if role == "gathered" else self._restricted(rows, dict(values)))
            self._roots.append(signature(atom))
        self._mark(chain.from_iterable(joined))

    def _mark(self, rows: Iterable[_Matches]) -> None:
        for name, in_background, numbers, _ in rows:
            if len(numbers):
                self.kept[name, in_background][numbers] = True

    def _restricted(self, rows: Sequence[_Matches], values: dict[Variable, Array]) -> list[_Matches]:
        """Return the rows of an atom that have possible values of variables, and restrict these `values`."""
        restricted = []
        for some in rows:
            mask = np.ones(len(some[2]), np.bool_)
            for name, column in some[3].items():
                if name in values:
                    places = np.searchsorted(values[name], column)
                    mask &= np.append(values[name], NO_CODE)[places] == column
            restricted.append(_taken(some, mask))
        for name in {*chain.from_iterable(own for *_, own in restricted)}:
            values[name] = distinct(np.concatenate([own[name] for *_, own in restricted]))
        return restricted

    def _unfolded(self, body: list[_BodyAtom]) -> list[_BodyAtom]:
        """Return the atoms of a body; the body of a rule replaces an atom that only this rule derives."""
        left, atoms = [*body], list[_BodyAtom]()
        while left:
            part = left.pop()
            inner = self._only_body(part[0]) if part[1] == "joined" and len(left) < _MOST_ATOMS else None
            if inner is None:
                atoms.append(part)
            else:
                left += inner
        return atoms

    def _only_body(self, atom: Atom) -> list[_BodyAtom] | None:
        """Return the body of the only rule that derives an atom; None if the atom can hold without the rule.

        The head of the rule must have distinct variables, in place of which the body has the atom's terms.
        """
        name = signature(atom)
        bodies = self._bodies.get(name, [])
        if len(bodies) != 1 or name in self._always or name in self._loops:
            return None
        ((rule, body),) = bodies
        head = () if (whole := head_atom(rule)) is None else whole.arguments
        own = [term for term in head if isinstance(term, Variable)]
        # The head p(X, X) or p(a) would require equal terms, which a substitution cannot express.
        if len({*own}) < len(head):
            return None
        number = next(self._fresh)
        local = (term for part, *_ in body for term in part.arguments if isinstance(term, Variable))
        binding: dict[Variable, Term] = {term: Variable(f" {number} {term.name}") for term in local}
        binding |= zip(own, atom.arguments, strict=True)
        return [(substitute(part, binding), role, seen) for part, role, seen in body]

    def _rows(self, part: _BodyAtom) -> list[_Matches] | None:
        """Return all rows of an atom, or None if they are not known.

        The rows of a predicate are known if each of its rules has one positive atom, which no rule derives.
        """
        atom, _, seen = part
        name = signature(atom)
        rows = self._held(atom, atom, atom, seen)
        if name in self._facts:
            return None
        for rule, body in self._bodies.get(name, ()):
            head = head_atom(rule)
            if head is None or [role for _, role, _ in body] != ["joined"]:
                return None
            ((inner, _, seen),) = body
            if signature(inner) in self._facts.union(self._bodies) or not variables(head) <= variables(inner):
                return None
            rows += self._held(atom, head, inner, seen)
        return rows or [(name, False, _NONE, dict.fromkeys(variables(atom), _NONE))]

    def _held(self, atom: Atom, head: Atom, inner: Atom, seen: Interval) -> list[_Matches]:
        """Return the rows of an atom that a rule derives from the only atom `inner` of its body.

        `seen` contains the times at which the rule reads the atom.
        """
        pairs = [*zip(head.arguments, atom.arguments, strict=True)]
        binding: dict[Variable, Term] = {
            own: term for own, term in pairs if isinstance(own, Variable) and not isinstance(term, Variable)
        }
        if any(binding.get(own, own) != term for own, term in pairs if not isinstance(term, Variable)):  # type: ignore[arg-type]
            return []
        pattern, found = substitute(inner, binding), list[_Matches]()
        for key in ((signature(inner), False), (signature(inner), True)):
            if key not in self.kept or (key[0] in self._bodies and not key[1]):
                continue
            begin, end = (0, len(self.kept[key])) if key[1] else self._visible(key[0], seen)
            columns = tuple(column[begin:end] for column in self._columns[key])
            numbers = np.flatnonzero(self._terms.matching(pattern.arguments, columns, end - begin))
            values: dict[Variable, Array] = {}
            same = np.ones(len(numbers), np.bool_)
            for own, term in pairs if len(numbers) else ():
                if isinstance(term, Variable):
                    column = (
                        columns[inner.arguments.index(own)][numbers]
                        if isinstance(own, Variable)
                        else np.full(len(numbers), self._terms.of_constant(own), np.int64)
                    )
                    same &= values.setdefault(term, column) == column
            if len(numbers):
                found.append(_taken((*key, begin + numbers, values), same))
        return found

    def _visible(self, name: Signature, seen: Interval) -> tuple[int, int]:
        """Return the range of the indexes of the atoms whose times are in an interval."""
        first, last = np.searchsorted(self._times[name], max(seen.first, 0)), min(seen.last, LARGEST_TIME)
        return int(first), max(int(first), int(np.searchsorted(self._times[name], last, "right")))

    def _parts(self, literal: BodyLiteral) -> Iterator[_BodyAtom]:
        """Yield the atom of a literal with its role and the times that it reads; a condition has no atom."""
        seen = self._read(literal)
        for atom, _, _ in atoms(literal):
            match literal:
                case Atom() | In(_, Diamond(Atom())) | In(_, At(_, Atom())):
                    yield atom, "joined", seen
                case Gather() | Among():
                    yield atom, "gathered", seen
                case _:
                    yield atom, "other", seen

    def _read(self, literal: BodyLiteral) -> Interval:
        """Return an interval with all times that a literal reads at the evaluation times, or between them."""
        match literal:
            case In(IntervalWindow() as window, Diamond(Atom()) | At(_, Atom())):
                # Neither end moves back, so two evaluations suffice. The reach of the window would be longer.
                first, last = (window.bounds(t, self._timeline) for t in (self._span.first, self._span.last))
                return Interval(first.first, last.last)
            case _ if any(isinstance(window, TupleWindow) for window in windows_of(literal)):
                # The newest tuples can be arbitrarily old.
                return self._timeline
            case _:
                seen = reach(Program((Rule(None, (literal,)),)))
                return Interval(
                    self._timeline.first if seen.past is None else self._span.first - seen.past,
                    self._timeline.last if seen.future is None else self._span.last + seen.future,
                )


_NONE: Final = np.empty(0, np.int64)


def _taken(rows: _Matches, mask: Mask) -> _Matches:
    """Return the rows that a mask selects."""
    if mask.all():
        return rows
    name, in_background, numbers, values = rows
    return name, in_background, numbers[mask], {one: column[mask] for one, column in values.items()}
