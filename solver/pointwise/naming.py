"""How a program's predicates, windows and conditions are named in ASP at one reference time.

Derived atoms hold at `now`; input atoms, and derived ones that some window looks at, carry their
time as last argument.
"""

from dataclasses import dataclass
from functools import cached_property

from lars.analysis import LiteralForm, Mode, gathered_strata, intensional, literal_form, windows
from lars.language.formulas import Assign, At, SetLiteral, Test
from lars.language.program import Program, Rule, formulas, head_atom, is_fact, set_literals
from lars.language.terms import Atom, Signature, signature
from lars.language.windows import TupleWindow, Window
from solver.pointwise.callbacks import HostedCondition, Place, call, place, predicate_name


@dataclass(frozen=True)
class AspNames:
    """What a program names, and what that is called in its ASP text.

    `background` are the predicates of which B may hold atoms, beside the program's own facts.
    """

    program: Program
    background: frozenset[Signature] = frozenset()

    @cached_property
    def derived(self) -> frozenset[Signature]:
        """The intensional predicates."""
        return intensional(self.program)

    @cached_property
    def background_predicates(self) -> frozenset[Signature]:
        """The predicates of which B may hold atoms."""
        facts = (rule.head for rule in self.program.rules if is_fact(rule))
        return self.background | {signature(head) for head in facts if isinstance(head, Atom)}

    @cached_property
    def timed(self) -> frozenset[Signature]:
        """The predicates that some literal looks at elsewhere than now, or some head derives there."""
        looked_at = {
            signature(form.atom)
            for _, form in self.literals
            if isinstance(form.atom, Atom) and (form.mode is not Mode.NOW or form.window is not None)
        }
        elsewhere = {
            signature(atom)
            for rule in self.program.rules
            if isinstance(rule.head, At) and (atom := head_atom(rule)) is not None
        }
        return frozenset(looked_at | elsewhere)

    @cached_property
    def literals(self) -> tuple[tuple[Rule, LiteralForm], ...]:
        """Every formula of every body, with its rule, and the atoms all instances of which are looked at."""
        rules = self.program.rules
        looked_at = ((rule, literal_form(literal)) for rule in rules for literal in formulas(rule.body))
        return (
            *looked_at,
            *((rule, LiteralForm(one.atom)) for rule in rules for one in set_literals(rule.body)),
        )

    @cached_property
    def windows(self) -> dict[Window, int]:
        """The windows, numbered in the order of their text."""
        return {window: i for i, window in enumerate(sorted(windows(self.program), key=str), start=1)}

    @cached_property
    def conditions(self) -> dict[Place, int]:
        """The SPARQL conditions with their places, numbered in the order of the program."""
        found = (
            place(literal, rule)
            for rule in self.program.rules
            for literal in rule.body
            if isinstance(literal, Test | Assign)
        )
        return {where: i for i, where in enumerate(dict.fromkeys(found), start=1)}

    @property
    def hosted(self) -> dict[int, HostedCondition]:
        """The SPARQL conditions by their numbers."""
        return {number: condition for (condition, _), number in self.conditions.items()}

    @cached_property
    def set_literals(self) -> dict[SetLiteral, int]:
        """The literals over all instances of an atom, numbered in the order of the program.

        Raises GatheredLoopError for one over an atom that depends on the head of its rule.
        """
        gathered_strata(self.program)
        found = (literal for rule in self.program.rules for literal in set_literals(rule.body))
        return {literal: i for i, literal in enumerate(dict.fromkeys(found), start=1)}

    def name(self, predicate: Signature, *, timed: bool) -> str:
        """Return the ASP name of a predicate, with or without a time as its last argument."""
        base, arity = predicate
        name = predicate_name(base)
        return f"{name}'at" if timed and (base, arity + 1) in self._signatures else name

    @cached_property
    def _signatures(self) -> frozenset[Signature]:
        heads = (head_atom(rule) for rule in self.program.rules)
        found = {signature(atom) for atom in heads if atom is not None}
        return frozenset(found | {signature(f.atom) for _, f in self.literals if isinstance(f.atom, Atom)})

    def held_name(self, predicate: Signature, window: Window | None) -> str:
        """Return the name of: the window keeps the atom at a time, or B holds it."""
        return f"held{self.windows.get(window, 0) if window else 0}'{self.name(predicate, timed=False)}"

    def shown_name(self, predicate: Signature, window: Window) -> str:
        """Return the name of: the window shows the atom at the reference time, or B holds it."""
        return f"shown{self.windows[window]}'{self.name(predicate, timed=False)}"

    def always_name(self, predicate: Signature) -> str:
        """Return the name under which B's atoms of the predicate are given."""
        name = self.name(predicate, timed=False)
        return f"always'{name}" if predicate in self.timed | self.derived else name

    def at(self, predicate: Signature, arguments: list[str], window: Window | None, time: str) -> str:
        """Return the ASP atom that says: in what the window keeps, or in B, the atom holds at a time."""
        if predicate in self.background_predicates:
            return call(self.held_name(predicate, window), [*arguments, time])
        return self._kept(predicate, arguments, window, time)

    def _kept(self, predicate: Signature, arguments: list[str], window: Window | None, time: str) -> str:
        if isinstance(window, TupleWindow) and predicate not in self.derived:
            return f"kept({self.windows[window]},{call(predicate_name(predicate[0]), arguments)},{time})"
        return call(self.name(predicate, timed=True), [*arguments, time])
