"""LARS rules as ASP rules at one reference time: the plain encoding, exact for every program.

Derived atoms hold at `now`; input atoms, and derived ones that some window looks at, carry their
time as last argument. Each LARS rule stands as a comment above its ASP rule. What it expects as
facts: `now(t)`, `timeline(Tmin, Tmax)`, the input, the background, and what `asp_windows` says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from lars.dependencies import gathered_strata, intensional, positive_loops
from lars.formulas import Assign, At, Gathered, Test
from lars.program import Program, Rule, atoms, formulas, gathered, head_atom, is_fact
from lars.reach import windows
from lars.seen import Mode, Seen, seen
from lars.terms import Atom, Signature, signature
from lars.windows import TupleWindow, Window
from solver.asp_rules import RuleWriter, computes
from solver.asp_terms import Names
from solver.asp_windows import window_rules
from solver.collection import Instances
from solver.gathering import gathered_signature, gathering, required
from solver.hosted import HostedCondition, Place, call, place, predicate_name, table_signature
from solver.relevance import variables_in_order

MOST_NUMBERS: Final = 1_000_000
MOST_TEXTS: Final = 2_000
"""How many values a recursive rule may compute before it counts as endless."""


@dataclass(frozen=True)
class Encoding:
    """A program's ASP text, and how its predicates are named there.

    `background` are the predicates of which B may hold atoms, beside the program's own facts.
    """

    program: Program
    background: frozenset[Signature] = frozenset()

    @cached_property
    def derived(self) -> frozenset[Signature]:
        """The intensional predicates."""
        return intensional(self.program)

    @cached_property
    def always(self) -> frozenset[Signature]:
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
    def literals(self) -> tuple[tuple[Rule, Seen], ...]:
        """Every formula of every body, with its rule, and the atoms all instances of which are looked at."""
        rules = self.program.rules
        looked_at = ((rule, seen(literal)) for rule in rules for literal in formulas(rule.body))
        return (*looked_at, *((rule, Seen(one.atom)) for rule in rules for one in gathered(rule.body)))

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
    def gathered(self) -> dict[Gathered, int]:
        """The literals over all instances of an atom, numbered in the order of the program.

        Raises GatheredLoopError for one over an atom that depends on the head of its rule.
        """
        gathered_strata(self.program)
        found = (literal for rule in self.program.rules for literal in gathered(rule.body))
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

    def text(self, *, limited: bool = False) -> str:
        """Return the whole program: rules, windows, and how plain and timed predicates relate.

        When limited, a `Host` watches the rules that could compute new values without end.
        """
        rules = [self.rule(rule, self.limit(rule) if limited else ()) for rule in self.proper_rules]
        parts = [*rules, *self._windows(), *self._bridges(), *self._expected()]
        return "\n".join(parts) + "\n"

    @cached_property
    def proper_rules(self) -> tuple[Rule, ...]:
        """The rules that are no facts, in order."""
        return tuple(rule for rule in self.program.rules if not is_fact(rule))

    def rule(self, rule: Rule, more: Sequence[str] = ()) -> str:
        """Return the ASP rules of one LARS rule, under the rule as a comment; `more` is for their body."""
        return "\n".join((f"% {rule}", *RuleWriter(self, rule).lines(more)))

    def limit(self, rule: Rule) -> list[str]:
        """Return what makes a `Host` count the values of a recursive rule that computes."""
        head = head_atom(rule)
        loop = frozenset[Signature]() if head is None else self._loops.get(signature(head), frozenset())
        used = {signature(atom) for literal in rule.body for atom, _, _ in atoms(literal)}
        if head is None or not used & loop or not any(map(computes, rule.body)):
            return []
        # Texts can grow, numbers can't.
        most = MOST_TEXTS if any(isinstance(part, Assign) for part in rule.body) else MOST_NUMBERS
        numbers = [str(self.proper_rules.index(rule)), str(most)]
        return [f"@within({','.join((*numbers, *RuleWriter(self, rule).names.terms(head)))}) = 1"]

    @cached_property
    def _loops(self) -> dict[Signature, frozenset[Signature]]:
        return positive_loops(self.program)

    def tables(self) -> str:
        """Return the rules by which a `Host` answers what `text` leaves open while clingo grounds."""
        writers = [RuleWriter(self, rule) for rule in self.proper_rules]
        tables = (line for writer in writers for line in writer.tables())
        return "\n".join((*tables, *self._gathering())) + "\n"

    def _gathering(self) -> Iterator[str]:
        for literal, number in self.gathered.items():
            names = Names()
            instance = call(self.name(signature(literal.atom), timed=False), names.terms(literal.atom))
            terms = [names.term(variable) for variable in variables_in_order(literal.atom)]
            yield from gathering(literal, number, instance, terms)

    def states(self, known: Instances) -> str:
        """Return rules that allow those answers alone in which literals have these instances."""
        return "".join(
            line + "\n"
            for literal, number in self.gathered.items()
            if literal in known
            for line in required(literal, number, known[literal])
        )

    def guards(self) -> str:
        """Return rules that derive `wrapped'n` when arithmetic of the n-th rule can leave 32 bit."""
        writers = [RuleWriter(self, rule) for rule in self.proper_rules]
        found = (line for number, writer in enumerate(writers) for line in writer.guards(number))
        return "\n".join(found) + "\n"

    def _windows(self) -> Iterator[str]:
        for window, number in self.windows.items():
            yield "\n".join((f"% {window}", *window_rules(window, number)))

    def _bridges(self) -> Iterator[str]:
        plain = {signature(f.atom) for _, f in self.literals if isinstance(f.atom, Atom) and is_plain(f)}
        for predicate in sorted(plain | self.timed | self.always):
            arguments = [f"X{i}" for i in range(predicate[1])]
            untimed = call(self.name(predicate, timed=False), arguments)
            timed = call(self.name(predicate, timed=True), [*arguments, "T"])
            if predicate in plain and (predicate in self.timed or predicate not in self.derived):
                yield f"{untimed} :- {timed}; now(T)."
            if predicate in self.always and predicate in self.timed | self.derived:
                yield f"{untimed} :- {call(self.always_name(predicate), arguments)}."
            if predicate in self.always and predicate in self.timed:
                yield from self._held(predicate, arguments)

    def _expected(self) -> Iterator[str]:
        # Whatever facts are left out, clingo has nothing to say about it.
        used = {signature(f.atom) for _, f in self.literals if isinstance(f.atom, Atom)}
        names = [(self.name(p, timed=True), p[1] + 1) for p in sorted(used - self.derived)]
        names += [(self.always_name(p), p[1]) for p in sorted(self.always & (used | self.timed))]
        names += [("arrival", 5)] if any(isinstance(w, TupleWindow) for w in self.windows) else []
        names += [table_signature(condition, number) for number, condition in self.hosted.items()]
        names += [gathered_signature(literal, number) for literal, number in self.gathered.items()]
        if names:
            yield " ".join(f"#defined {name}/{arity}." for name, arity in names)

    def _held(self, predicate: Signature, arguments: list[str]) -> Iterator[str]:
        # Where B holds atoms of a predicate too, windows look at the two together.
        always = call(self.always_name(predicate), arguments)
        for window in (None, *self.windows):
            held = call(self.held_name(predicate, window), [*arguments, "T"])
            yield f"{held} :- {self._kept(predicate, arguments, window, 'T')}."
            shows = "timeline(A,B)" if window is None else f"window({self.windows[window]},A,B)"
            yield f"{held} :- {always}; {shows}; T = A..B."
            if window is not None:
                number = self.windows[window]
                shown = call(self.shown_name(predicate, window), arguments)
                yield f"{shown} :- now(T); window({number},A,B); A <= T; T <= B; {held}."
                yield f"{shown} :- {always}."

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
        if predicate in self.always:
            return call(self.held_name(predicate, window), [*arguments, time])
        return self._kept(predicate, arguments, window, time)

    def _kept(self, predicate: Signature, arguments: list[str], window: Window | None, time: str) -> str:
        if isinstance(window, TupleWindow) and predicate not in self.derived:
            return f"kept({self.windows[window]},{call(predicate_name(predicate[0]), arguments)},{time})"
        return call(self.name(predicate, timed=True), [*arguments, time])


def is_plain(form: Seen) -> bool:
    """Whether the literal is an ordinary atom, or the negation of one."""
    return form.mode is Mode.NOW and form.window is None
