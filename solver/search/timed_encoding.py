"""A program as ASP at all time points of a frame at once: each derived atom has its time as last argument.

  a ← b, not c            a(.., T) :- b(.., T); not c(.., T); point(T).
  a ← ⊞^w ◇ s(x, y)       a(.., T) :- shown(X, Y, T).
                          shown(X, Y, T) :- sees(w, T, A, B); s(X, Y, U); A <= U; U <= B.
The windows' ends are facts, so that clingo meets no arithmetic; conditions are asked of the host.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lars.analysis import LiteralForm, Mode, intensional, literal_form
from lars.language.formulas import Assign, BodyLiteral, Comparison, Relation, SetLiteral, Test, Truth
from lars.language.program import Program, Rule, formulas, is_fact
from lars.language.terms import Atom, Signature, signature
from lars.language.windows import Bounds, TimeWindow, TupleWindow, Window
from solver.facts import canonical_atom, variables_in_order
from solver.pointwise import (
    HostedCondition,
    Place,
    RuleNames,
    call,
    comparison,
    condition_arguments,
    condition_atom,
    place,
    predicate_name,
    table,
)
from solver.search.frames import PeriodFrame, UncoveredError

_MOST: Final = 2**31 - 1
"""The greatest number of clingo, which no search counts to: a larger window shows what this one does."""
Tables = dict[tuple[str, Place], int]
"""The numbers of conditions, by the side and the place in which each stands."""


@dataclass
class TimedEncoding:
    """One side's rules; `mark` begins the names of its predicates, `tables` are those of all sides.

    `background` are the predicates of which B holds atoms, or may hold chosen ones.
    """

    mark: str
    program: Program
    background: frozenset[Signature]
    tables: Tables
    windowed_atoms: dict[tuple[Window, Atom], int] = field(default_factory=dict)

    def lines(self, frame: PeriodFrame, points: range) -> Iterator[str]:
        """Yield the ASP rules, for evaluation at these points."""
        yield from (f"{self.mark}point({t})." for t in points)
        derived = intensional(self.program)
        for rule in self.program.rules:
            if not is_fact(rule):
                yield f"% {rule}"
                yield from self._rule(rule, derived)
        for predicate in sorted(derived & self.background):
            names = [f"X{i}" for i in range(predicate[1])]
            given = call(background_name(predicate), names)
            yield f"{call(self.name(predicate), [*names, 'T'])} :- {given}; {self.mark}point(T)."
        for (window, atom), number in self.windowed_atoms.items():
            yield from self._window(window, atom, number, frame, points)

    def name(self, predicate: Signature) -> str:
        """Return the name of a derived predicate."""
        return f"{self.mark}{predicate_name(predicate[0])}"

    def _rule(self, rule: Rule, derived: frozenset[Signature]) -> Iterator[str]:
        if not isinstance(rule.head, Atom):
            raise UncoveredError(f"the rule {rule}")
        names, body, domain = RuleNames(), [f"{self.mark}point(T)"], [f"{self.mark}point(T)"]
        for literal in rule.body:
            if isinstance(literal, Test | Assign):
                continue
            part, binds = self._literal(literal, names, derived)
            body.append(part)
            if binds:
                domain.append(part)
        for literal in rule.body:
            if isinstance(literal, Test | Assign):
                lines, atom = self._condition(literal, rule, names, domain)
                yield from lines
                body.append(atom)
                if isinstance(literal, Assign):
                    domain.append(atom)
        head = call(self.name(signature(rule.head)), [*names.terms(rule.head), "T"])
        yield f"{head} :- {'; '.join(body)}."

    def _literal(
        self, literal: BodyLiteral, names: RuleNames, derived: frozenset[Signature]
    ) -> tuple[str, bool]:
        """Return the ASP literal, and whether it binds variables."""
        if isinstance(literal, Comparison):
            return comparison(literal, names), literal.relation is Relation.EQUAL
        if isinstance(literal, SetLiteral | Test | Assign):
            raise UncoveredError(f"what looks at all solutions together: {literal}")
        form = literal_form(literal)
        negation = "" if form.positive else "not "
        if isinstance(form.atom, Truth):
            return "#true" if form.positive else "#false", False
        predicate, terms = signature(form.atom), names.terms(form.atom)
        if form.window is not None:
            return f"{negation}{self._seen(form, form.window, names)}", form.positive
        if form.mode is not Mode.NOW:
            raise UncoveredError(f"the formula {literal}")
        if predicate in derived:
            return f"{negation}{call(self.name(predicate), [*terms, 'T'])}", form.positive
        return f"{negation}{call(background_name(predicate), terms)}", form.positive

    def _seen(self, form: LiteralForm, window: Window, names: RuleNames) -> str:
        assert isinstance(form.atom, Atom)
        if form.mode is not Mode.SOME:
            raise UncoveredError(f"{form.mode.value} in the window {window}")
        number = self.windowed_atoms.setdefault((window, canonical_atom(form.atom)), len(self.windowed_atoms))
        terms = [names.term(name) for name in variables_in_order(form.atom)]
        return call(f"{self.mark}shown{number}", [*terms, "T"])

    def _condition(
        self, condition: HostedCondition, rule: Rule, names: RuleNames, domain: list[str]
    ) -> tuple[list[str], str]:
        number = self.tables.setdefault((self.mark, place(condition, rule)), len(self.tables) + 1)
        arguments = [names.term(name) for name in condition_arguments(condition)]
        value = names.term(condition.variable) if isinstance(condition, Assign) else ""
        lines = list(table(condition, number, arguments, "; ".join(domain)))
        return lines, condition_atom(condition, number, arguments, value)

    def _window(
        self, window: Window, atom: Atom, number: int, frame: PeriodFrame, points: range
    ) -> Iterator[str]:
        names = RuleNames()
        arrived = call(predicate_name(atom.predicate), [*names.terms(atom), "U"])
        shown = call(f"{self.mark}shown{number}", [*map(names.term, variables_in_order(atom)), "T"])
        yield f"% {window}"
        if isinstance(window, TupleWindow):
            yield from self._newest(window, atom, number, shown, names)
            return
        for t in points:
            ends = window.bounds(t, frame.times)
            if ends:
                yield f"{self.mark}sees({number},{t},{ends.first},{ends.last})."
        yield f"{shown} :- {self.mark}sees({number},T,A,B); {arrived}; A <= U; U <= B."

    def _newest(
        self, window: TupleWindow, atom: Atom, number: int, shown: str, names: RuleNames
    ) -> Iterator[str]:
        """Yield what is among the newest; of one instant candidates arrive in the order of their numbers."""
        source = "_" if window.source is None else RuleNames().term(window.source)
        one, other = (candidate(i, ["_", "_", "_", source]) for i in "IJ")
        newer = f"#count{{J,V : {other}, arrives(J,V), V <= T, (V,J) > (U,I)}}"
        seen = f"{one}; arrives(I,U); {self.mark}point(T); U <= T"
        yield f"{self.mark}kept({number},I,T) :- {seen}; {newer} < {min(window.size, _MOST)}."
        yield f"{shown} :- {candidate('I', names.terms(atom))}; {self.mark}kept({number},I,T)."

    def plain_windows(self, frame: PeriodFrame, points: range) -> Iterator[str]:
        """Yield what each window would show were it closed and did it not slide."""
        for (window, _), number in self.windowed_atoms.items():
            if isinstance(window, TimeWindow):
                plain = replace(window, step=1, ends=Bounds.CLOSED)
                for t in points:
                    ends = plain.bounds(t, frame.times)
                    yield f"{self.mark}plain({number},{t},{ends.first},{ends.last})."


def candidate(number: str, terms: Sequence[str]) -> str:
    """Return the atom that says which triple of which stream a candidate is."""
    return call("candidate", [number, *terms])


def background_name(predicate: Signature) -> str:
    """Return the name under which B's atoms of the predicate are given."""
    return f"always'{predicate_name(predicate[0])}"


def used_predicates(program: Program) -> frozenset[Signature]:
    """Return the predicates that bodies look at without a window, and that no rule derives."""
    forms = (literal_form(part) for rule in program.rules for part in formulas(rule.body))
    plain = {signature(form.atom) for form in forms if isinstance(form.atom, Atom) and form.window is None}
    return frozenset(plain) - intensional(program)
