"""LARS rules as ASP rules at one reference time: the plain encoding, exact for every program.

Derived atoms hold at `now`; input atoms, and derived ones that some window looks at, carry their
time as last argument. Each LARS rule stands as a comment above its ASP rule. What it expects as
facts: `now(t)`, `timeline(Tmin, Tmax)`, the input, the background, and what windows show and keep.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from lars.analysis import Mode, positive_loops
from lars.language.formulas import Assign
from lars.language.program import Program, Rule, atoms, head_atom, is_fact
from lars.language.terms import Atom, Signature, signature
from lars.language.windows import TupleWindow
from solver.facts import variables_in_order
from solver.pointwise.asp_terms import RuleNames
from solver.pointwise.callbacks import (
    Instances,
    call,
    gathered_signature,
    gathering,
    required_rules,
    table_signature,
)
from solver.pointwise.rule_encoding import AspNames, RuleWriter, computes, window_rules

MOST_NUMBERS: Final = 1_000_000
MOST_TEXTS: Final = 2_000
"""How many values a recursive rule may compute before it counts as endless."""


@dataclass(frozen=True)
class Encoding(AspNames):
    """A program's ASP text.

    `source` is the program that messages show, where it was made from another; of what is derived only
    `output` is read, if it is given.
    """

    source: Program | None = None
    output: Signature | None = None

    def text(self, *, limited: bool = False) -> str:
        """Return the whole program: rules, windows, and how plain and timed predicates relate.

        When limited, a `Host` watches the rules that could compute new values without end.
        """
        rules = [self.rule(rule, self.limit(rule) if limited else ()) for rule in self.proper_rules]
        parts = [*rules, *self._windows(), *self._bridges(), *self._expected()]
        return "\n".join(parts) + "\n"

    @cached_property
    def hosted_text(self) -> str:
        """The whole program as clingo grounds it with a `Host`, and what it shows."""
        project = (f"#project {name}/{arity}." for name, arity in self._names(self.derived))
        show = (f"#show {name}/{arity}." for name, arity in self.signatures)
        shown = " ".join((*project, "#show.", *show)) + "\n"
        return "".join((self.text(limited=True), self.tables(), self.guards(), shown))

    @cached_property
    def signatures(self) -> dict[Signature, tuple[str, bool]]:
        """The predicates that are read by their ASP names and arities, and whether these have a time."""
        return self._names(self.derived if self.output is None else self.derived & {self.output})

    def _names(self, predicates: Iterable[Signature]) -> dict[Signature, tuple[str, bool]]:
        timed = {predicate: predicate in self.timed for predicate in predicates}
        return {(self.name(p, timed=at), p[1] + at): (p[0], at) for p, at in timed.items()}

    @cached_property
    def proper_rules(self) -> tuple[Rule, ...]:
        """The rules that are no facts, in order."""
        return tuple(rule for rule in self.program.rules if not is_fact(rule))

    @property
    def said_rules(self) -> tuple[Rule, ...]:
        """The same rules as messages show them."""
        return tuple(rule for rule in (self.source or self.program).rules if not is_fact(rule))

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
        for literal, number in self.set_literals.items():
            names = RuleNames()
            instance = call(self.name(signature(literal.atom), timed=False), names.terms(literal.atom))
            terms = [names.term(variable) for variable in variables_in_order(literal.atom)]
            yield from gathering(literal, number, instance, terms)

    def states(self, known: Instances) -> str:
        """Return rules that allow those answers alone in which literals have these instances."""
        return "".join(
            line + "\n"
            for literal, number in self.set_literals.items()
            if literal in known
            for line in required_rules(literal, number, known[literal])
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
        forms = [f for _, f in self.literals if f.mode is Mode.NOW and f.window is None]
        plain = {signature(form.atom) for form in forms if isinstance(form.atom, Atom)}
        for predicate in sorted(plain | self.timed | self.background_predicates):
            arguments = [f"X{i}" for i in range(predicate[1])]
            untimed = call(self.name(predicate, timed=False), arguments)
            timed = call(self.name(predicate, timed=True), [*arguments, "T"])
            if predicate in plain and (predicate in self.timed or predicate not in self.derived):
                yield f"{untimed} :- {timed}; now(T)."
            if predicate in self.background_predicates and predicate in self.timed | self.derived:
                yield f"{untimed} :- {call(self.always_name(predicate), arguments)}."
            if predicate in self.background_predicates and predicate in self.timed:
                yield from self._held(predicate, arguments)

    def _expected(self) -> Iterator[str]:
        # Whatever facts are left out, clingo has nothing to say about it.
        used = {signature(f.atom) for _, f in self.literals if isinstance(f.atom, Atom)}
        names = [(self.name(p, timed=True), p[1] + 1) for p in sorted(used - self.derived)]
        names += [
            (self.always_name(p), p[1]) for p in sorted(self.background_predicates & (used | self.timed))
        ]
        names += [("arrival", 5)] if any(isinstance(w, TupleWindow) for w in self.windows) else []
        names += [table_signature(condition, number) for number, condition in self.hosted.items()]
        names += [gathered_signature(literal, number) for literal, number in self.set_literals.items()]
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
