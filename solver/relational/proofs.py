"""Why a row is an answer: one proof's input atoms, by matching rules against what was derived."""

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from itertools import chain

from lars import formulas as logic
from lars.analysis import intensional, literal_form, positive_loops
from lars.program import Program, head_atom, is_fact
from lars.semantics import InstanceGroup, decide, groups
from lars.terms import NULL, Atom, Binding, Signature, Variable, constants, signature, substitute, unified
from solver.facts import Arguments, Fact, atom_of, constant_of, with_facts
from solver.rdf import evaluate, test
from solver.relational.encoded_situation import EncodedSituation
from solver.relational.evaluation import Row, derived_at
from solver.relational.shown_input import ShownInput

Leaves = tuple[Fact, ...]
Needed = tuple[Fact | Atom, ...]
Places = tuple[int, ...]


class Proofs:
    """The proofs of answers at one reference time, of a program as τ1 and τ2 make them.

    Beside what `is_covered` asks, input stands in windows alone, and no comparison binds a variable.
    """

    def __init__(self, program: Program, situation: EncodedSituation, t: int) -> None:
        self._program = program
        self._situation = situation
        self._t = t
        self._derived_names = intensional(program)
        self._input = ShownInput(situation, situation.atoms, (t,), None)
        self._background = with_facts(program, situation.decoded_background())
        self._loops = positive_loops(program)
        self._gathered: dict[logic.Gathered, list[InstanceGroup]] = {}
        self._proved: dict[Atom, Leaves | None] = {}
        self._index: dict[tuple[Signature, Places], dict[Arguments, list[Arguments]]] = {}

    @cached_property
    def _derived(self) -> Mapping[Signature, Mapping[Row, int]]:
        return derived_at(self._program, self._situation, self._t)

    def support(self, predicate: str, row: Row) -> Leaves:
        """Return the input atoms of one proof of the row, ascending in time; newer ones are preferred."""
        atom = Atom(predicate, tuple(NULL if text is None else constant_of(text) for text in row))
        # Proofs can be long: what one waits for is proved first, without recursion.
        left = [atom]
        while left:
            try:
                found = next(self._prove(left[-1]), None)
                self._proved[left.pop()] = None if found is None else tuple(dict.fromkeys(found))
            except _NeededError as needed:
                left.append(needed.atom)
        return tuple(sorted(self._proved[atom] or ()))

    def _prove(self, atom: Atom) -> Iterator[Leaves]:
        if _texts(atom) in map(tuple, self._background.get(signature(atom), ())):
            yield ()
        for rule in self._program.rules:
            head = head_atom(rule)
            if head is not None and not is_fact(rule) and (bound := unified(head, atom, {})) is not None:
                for needed in self._satisfy(tuple(rule.body), bound, atom):
                    if (leaves := self._leaves(needed)) is not None:
                        yield leaves

    def _leaves(self, needed: Needed) -> Leaves | None:
        """Return the facts and the leaves of the atoms' proofs, None when one has no proof."""
        found: list[Fact] = []
        for part in needed:
            if isinstance(part, Fact):
                found.append(part)
            elif signature(part) in self._derived_names:
                if part not in self._proved:
                    raise _NeededError(part)
                if (leaves := self._proved[part]) is None:
                    return None
                found += leaves
        return tuple(found)

    def _satisfy(self, body: tuple[logic.BodyLiteral, ...], bound: Binding, above: Atom) -> Iterator[Needed]:
        if not body:
            yield ()
            return
        literal = self._next(body, bound)
        rest = tuple(part for part in body if part is not literal)
        for extended, needed in self._solutions(literal, bound, above):
            for more in self._satisfy(rest, extended, above):
                yield needed + more

    def _solutions(
        self, literal: logic.BodyLiteral, bound: Binding, above: Atom
    ) -> Iterator[tuple[Binding, Needed]]:
        match literal:
            case logic.Test(expression, wanted):
                if test(expression, wanted, constants(bound)):
                    yield bound, ()
            case logic.Assign(variable, expression):
                value = evaluate(expression, constants(bound)) or NULL
                if bound.get(variable, value) == value:
                    yield {**bound, variable: value}, ()
            case logic.Comparison():
                if decide(literal, bound):
                    yield bound, ()
            case logic.Not(inner):
                if not any(True for _ in self._matches(inner, bound)):
                    yield bound, ()
            case logic.Truth():
                yield bound, ()
            case logic.Gather() | logic.Among():
                yield from self._groups(literal, bound)
            case _:
                for extended, one in self._matches(literal, bound):
                    if isinstance(one, Fact) or self._is_below(one, above):
                        yield extended, (one,)

    def _matches(self, formula: logic.Formula, bound: Binding) -> Iterator[tuple[Binding, Fact | Atom]]:
        """Yield what makes the formula true: an input atom that a window shows, or an atom at t."""
        form = literal_form(formula)
        assert isinstance(form.atom, Atom)
        atom = substitute(form.atom, bound)
        shown = [] if form.window is None else self._input.facts_at(0, form.window, atom)
        held = self._instances(atom) if form.window is None else []
        found: Iterator[tuple[Fact | Atom, Atom]] = chain(
            ((fact, atom_of(fact)) for fact in shown), ((instance, instance) for instance in held)
        )
        for one, instance in found:
            extended = unified(atom, instance, bound)
            if extended is not None:
                yield extended, one

    def _is_below(self, atom: Atom, above: Atom) -> bool:
        """Whether a proof of `above` may need the atom: in a loop, only one that is derived before it."""
        if signature(atom) not in self._loops.get(signature(above), ()):
            return True
        return self._order(atom) < self._order(above)

    def _order(self, atom: Atom) -> int:
        return self._derived[signature(atom)].get(_row(atom), -1)

    def _groups(self, literal: logic.Gathered, bound: Binding) -> Iterator[tuple[Binding, Needed]]:
        """Yield the bindings of the literal, each with all its instances."""
        if literal not in self._gathered:
            found = groups(literal, self._instances(literal.atom), partial(evaluate, binding={}))
            self._gathered[literal] = list(found)
        for group in self._gathered[literal]:
            if all(bound.get(name, value) == value for name, value in group.binding.items()):
                yield {**bound, **group.binding}, group.instances

    def _instances(self, atom: Atom) -> Iterator[Atom]:
        return (Atom(atom.predicate, tuple(map(constant_of, row))) for row in self._found(atom))

    def _found(self, atom: Atom) -> list[Arguments]:
        predicate = signature(atom)
        places = _bound_places(atom)
        index = self._index.get((predicate, places))
        if index is None:
            index = self._index[predicate, places] = {}
            for row in self._rows(predicate):
                index.setdefault(tuple(row[place] for place in places), []).append(row)
        return index.get(_at(atom, places), [])

    def _rows(self, predicate: Signature) -> Iterator[Arguments]:
        yield from map(tuple, self._background.get(predicate, ()))
        for row in self._derived.get(predicate, ()):
            yield tuple("null" if text is None else text for text in row)

    def _next(self, body: tuple[logic.BodyLiteral, ...], bound: Binding) -> logic.BodyLiteral:
        """Return the literal to match next: an atom with few unbound places and instances, if any."""

        def cost(literal: logic.BodyLiteral) -> tuple[bool, int, int]:
            if isinstance(literal, logic.Condition | logic.Not | logic.Truth):
                return True, body.index(literal), 0
            atom = literal.atom if isinstance(literal, logic.Gathered) else literal_form(literal).atom
            assert isinstance(atom, Atom)
            unbound = sum(term not in bound for term in atom.arguments if isinstance(term, Variable))
            # What is derived takes an evaluation, which a proof by input alone does not need.
            is_derived = signature(atom) in self._derived_names
            return False, unbound, len(self._derived.get(signature(atom), ())) if is_derived else 0

        return min(body, key=cost)


class _NeededError(Exception):
    """An atom has to be proved before the one that is being proved."""

    def __init__(self, atom: Atom) -> None:
        self.atom = atom


def _bound_places(atom: Atom) -> Places:
    return tuple(place for place, term in enumerate(atom.arguments) if not isinstance(term, Variable))


def _at(atom: Atom, places: Places) -> Arguments:
    return tuple(str(atom.arguments[place]) for place in places)


def _row(atom: Atom) -> Row:
    return tuple(None if term == NULL else str(term) for term in atom.arguments)


def _texts(atom: Atom) -> Arguments:
    return tuple(map(str, atom.arguments))
