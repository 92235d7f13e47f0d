"""Why a row is an answer: one proof's input atoms, by matching rules against what was derived."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from lars.dependencies import intensional
from lars.formulas import Assign, BodyLiteral, Comparison, Condition, Not, Test, Truth
from lars.grounding import decide
from lars.program import Program, Rule, head_atom, is_fact
from lars.seen import seen
from lars.terms import NULL, Atom, Binding, Signature, Variable, constants, signature, substitute, unified
from solver.conditions import evaluate, test
from solver.facts import Arguments, Fact, atom_of, constant_of
from solver.intervals import Row, derived
from solver.situation import Situation, with_facts
from solver.visible import Visible

Leaves = tuple[Fact, ...]


class Proofs:
    """The proofs of answers at one reference time, of a program as τ1 and τ2 make them.

    Beside what `is_covered` asks, input stands in windows alone, no rule is recursive, and no
    comparison binds a variable.
    """

    def __init__(self, program: Program, situation: Situation, t: int) -> None:
        self._program = program
        self._situation = situation
        self._t = t
        self._derived_names = intensional(program)
        self._visible = Visible(situation, (t,))
        self._background = with_facts(program, situation.background)
        self._index: dict[tuple[Signature, tuple[int, ...]], dict[Arguments, list[Arguments]]] = {}

    @cached_property
    def _derived(self) -> Mapping[Signature, set[Row]]:
        return derived(self._program, self._situation, self._t)

    def support(self, predicate: str, row: Row) -> Leaves:
        """Return the input atoms of one proof of the row, ascending in time; newer ones are preferred."""
        atom = Atom(predicate, tuple(NULL if text is None else constant_of(text) for text in row))
        found = next(self._prove(atom), ())
        return tuple(sorted(set(found)))

    def _prove(self, atom: Atom) -> Iterator[Leaves]:
        if _texts(atom) in map(tuple, self._background.get(signature(atom), ())):
            yield ()
        for rule in self._program.rules:
            head = head_atom(rule)
            if head is not None and not is_fact(rule) and (bound := unified(head, atom, {})) is not None:
                yield from self._satisfy(tuple(rule.body), bound, rule)

    def _satisfy(self, body: tuple[BodyLiteral, ...], bound: Binding, rule: Rule) -> Iterator[Leaves]:
        if not body:
            yield ()
            return
        literal = _next(body, bound)
        rest = tuple(part for part in body if part is not literal)
        for extended, leaves in self._solutions(literal, bound):
            for more in self._satisfy(rest, extended, rule):
                yield leaves + more

    def _solutions(self, literal: BodyLiteral, bound: Binding) -> Iterator[tuple[Binding, Leaves]]:
        match literal:
            case Test(expression, wanted):
                if test(expression, wanted, constants(bound)):
                    yield bound, ()
            case Assign(variable, expression):
                value = evaluate(expression, constants(bound)) or NULL
                if bound.get(variable, value) == value:
                    yield {**bound, variable: value}, ()
            case Comparison():
                if decide(literal, bound):
                    yield bound, ()
            case Not(inner):
                if not any(self._atoms(inner, bound)):
                    yield bound, ()
            case Truth():
                yield bound, ()
            case _:
                yield from self._atoms(literal, bound)

    def _atoms(self, literal: BodyLiteral, bound: Binding) -> Iterator[tuple[Binding, Leaves]]:
        assert not isinstance(literal, Condition)
        form = seen(literal)
        assert isinstance(form.atom, Atom)
        atom = substitute(form.atom, bound)
        if form.window is not None:
            for fact in self._visible.atoms(form.window, atom):
                extended = unified(atom, atom_of(fact), bound)
                if extended is not None:
                    yield extended, (fact,)
            return
        for arguments in self._instances(atom):
            instance = Atom(atom.predicate, tuple(map(constant_of, arguments)))
            extended = unified(atom, instance, bound)
            if extended is not None:
                for leaves in self._prove(instance) if signature(atom) in self._derived_names else [()]:
                    yield extended, leaves
                    break

    def _instances(self, atom: Atom) -> list[Arguments]:
        predicate = signature(atom)
        places = tuple(i for i, term in enumerate(atom.arguments) if not isinstance(term, Variable))
        index = self._index.get((predicate, places))
        if index is None:
            index = self._index[predicate, places] = {}
            for row in self._rows(predicate):
                index.setdefault(tuple(row[place] for place in places), []).append(row)
        return index.get(tuple(str(atom.arguments[place]) for place in places), [])

    def _rows(self, predicate: Signature) -> Iterator[Arguments]:
        yield from map(tuple, self._background.get(predicate, ()))
        for row in self._derived.get(predicate, ()):
            yield tuple("null" if text is None else text for text in row)


def _texts(atom: Atom) -> Arguments:
    return tuple(map(str, atom.arguments))


def _next(body: tuple[BodyLiteral, ...], bound: Binding) -> BodyLiteral:
    """Return the literal to match next: the atom with the fewest unbound places, conditions last."""

    def cost(literal: BodyLiteral) -> tuple[bool, int]:
        if isinstance(literal, Condition | Not | Truth):
            return True, body.index(literal)
        atom = seen(literal).atom
        assert isinstance(atom, Atom)
        return False, sum(term not in bound for term in atom.arguments if isinstance(term, Variable))

    return min(body, key=cost)
