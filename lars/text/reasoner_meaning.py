"""The translation of I-DLV-sr programs to LARS programs, which derive atoms again at each time.

In I-DLV-sr, a derived atom becomes a part of the stream, so a later window can contain it. If a window reads
past atoms of a predicate p, the translation derives p with a time argument. Each predicate on which p depends
also gets a time argument. For example, high(X) at T is 'high@'(X, T). The needed past of a predicate is the
sum of the windows between the predicate and the present. A time argument is always the time of an arrival,
because I-DLV-sr and Distributed-SR evaluate only at arrivals. If a predicate depends on its own past, the
translation needs the whole past of the predicate.

A literal that counts times gets auxiliary predicates, whose names end in the numbers of the rule and of the
literal. The auxiliary predicate `hit` holds for the times at which the atom of a literal held. The auxiliary
predicate `gap` holds for a hit if the next time has no hit. If the program compares the number of hits with a
variable, `rank` n means at least n hits up to a time.

    a(X) :- b(X) always in [3 sec].

    'b@'(X1, ?_then) ← ⊞^3 @_?_then b(X1).
    'hit 1.1'(X, ?_now, ?_then) ← ⊞^0 @_?_now true, 'b@'(X, ?_then), ?_then <= ?_now, ?_now - ?_then <= 3.
    'gap 1.1'(X, ?_now) ← 'hit 1.1'(X, ?_now, ?_then), ?_then < ?_now, ?_other = ?_then + 1,
                          not 'hit 1.1'(X, ?_now, ?_other).
    'always 1.1'(X, ?_now) ← 'hit 1.1'(X, ?_now, ?_then), ?_then = ?_now + -3, not 'gap 1.1'(X, ?_now).
    a(X) ← 'always 1.1'(X, ?_now), ⊞^0 @_?_now true.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import count
from math import inf
from typing import Final

from lars.analysis import check_safety
from lars.dataclass import dataclass
from lars.errors import LarsError, PlacedError
from lars.language import formulas as logic
from lars.language.program import Origin, Program, Rule, variables
from lars.language.terms import Atom, Number, Signature, Term, Variable, signature
from lars.language.windows import NOW, TimeWindow
from lars.text.reasoner_programs import ReasonerRule, Streamed, read_rules

LOG_LINE: Final = "log line"
"""The predicate without arguments that holds at each time for which the log has a line."""
_NOW, _THEN, _OTHER = Variable("_now"), Variable("_then"), Variable("_other")
_RANK, _NEXT = Variable("_rank"), Variable("_next")
_TICK: Final = Atom("log line@", (_NOW,))
_MOST_STEPS: Final = 600
"""The greatest number of times that the translation counts by one rule for each of the times."""


def read_reasoner_program(text: str, source: str, *, persistent: bool = True) -> Program:
    """Return the LARS program of a text; its notes list the windows over derived atoms.

    If `persistent` is false, windows over derived atoms show no earlier derivations, as in LARS, and the
    translation adds no rules for earlier times.

    >>> print(read_reasoner_program("a(X) :- b(X, _) in [9 sec], not c(X).", "program"))
    a(X) ← ⊞^9 ◇ b(X, ?_1), not c(X).
    """
    translation = _Translation(read_rules(text, source), persistent)
    rules = tuple(translation.rules())
    for rule in rules:
        assert rule.origin is not None
        try:
            check_safety(Program((rule,)))
        except LarsError as error:
            raise PlacedError(rule.origin.place(), str(error)) from None
    own = frozenset(signature(rule.head) for rule in translation.read if rule.head is not None)
    return Program(rules, tuple(translation.notes()), own)


@dataclass(slots=True)
class _Translation:
    """The translation of I-DLV-sr rules, with the auxiliary LARS rules that have been needed so far."""

    read: tuple[ReasonerRule, ...]
    persistent: bool
    extra: dict[Rule, None] = field(default_factory=dict)
    intensional: frozenset[Signature] = frozenset()
    derived: frozenset[Signature] = frozenset()
    kept: frozenset[Signature] = frozenset()
    needed: Mapping[Signature, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        proper = (rule for rule in self.read if rule.body and rule.head is not None)
        self.intensional = frozenset(signature(rule.head) for rule in proper if rule.head is not None)
        self.derived = self.intensional if self.persistent else frozenset()
        self.kept = self._kept()
        self.needed = self._needs()

    def _streamed(self) -> Iterator[tuple[ReasonerRule, int, Streamed]]:
        for rule in self.read:
            for number, literal in enumerate(rule.body):
                if isinstance(literal, Streamed):
                    yield rule, number, literal

    def is_fact(self, name: Signature) -> bool:
        """Return whether a predicate has only facts, and no rules with a body."""
        heads = (rule.head for rule in self.read if rule.head is not None)
        return name not in self.intensional and name in map(signature, heads)

    def _kept(self) -> frozenset[Signature]:
        """Return the derived predicates whose past a window reads, and all derived predicates below them."""
        kept = {
            signature(one.atom)
            for _, _, one in self._streamed()
            if one.offsets and signature(one.atom) in self.derived
        }
        while True:
            more = {
                signature(one.atom)
                for rule, _, one in self._streamed()
                if rule.head is not None and signature(rule.head) in kept
            }
            if more & self.derived <= kept:
                return frozenset(kept)
            kept |= more & self.derived

    def rests_on(self, name: Signature, other: Signature) -> bool:
        """Return whether the predicate `name` depends on the predicate `other`, or is equal to it."""
        found, before = {name}, 0
        while len(found) > before:
            before = len(found)
            for rule, _, one in self._streamed():
                if rule.head is not None and signature(rule.head) in found:
                    found.add(signature(one.atom))
        return other in found

    def _needs(self) -> Mapping[Signature, int | None]:
        """Map each predicate to the number of past seconds that the rules need; None means the whole past."""
        needed: dict[Signature, float] = {}
        for rounds in count():
            before = dict(needed)
            for rule, _, one in self._streamed():
                name = None if rule.head is None else signature(rule.head)
                base = needed.get(name, 0) if name in self.kept and name is not None else 0
                reach = base + (one.offsets[-1] if one.offsets else 0)
                if reach > needed.get(signature(one.atom), -1):
                    # Paths without a cycle have ended: what still grows depends on its own past.
                    needed[signature(one.atom)] = inf if rounds > len(self.derived) + 1 else reach
            if needed == before:
                break
        return {name: None if reach == inf else int(reach) for name, reach in needed.items()}

    def notes(self) -> Iterator[str]:
        """Yield a note for each window over derived atoms, with its place in the text."""
        for rule, number, one in self._streamed():
            if one.offsets and signature(one.atom) in self.intensional - self.derived:
                yield (
                    f"{rule.origin.place(number)}: “{one}” contains only atoms that are derived at the "
                    "evaluation time (see --reading derived=persistent)"
                )
            if one.offsets and signature(one.atom) in self.derived:
                reach = self.needed[signature(one.atom)]
                far = "at all earlier times" if reach is None else f"in the last {reach} s"
                yield (
                    f"{rule.origin.place(number)}: “{one}” contains atoms of earlier times: rules derive "
                    f"{one.atom.predicate} {far}"
                )

    def rules(self) -> Iterator[Rule]:
        """Yield the LARS rules, auxiliary rules first."""
        written: list[Rule] = []
        for number, rule in enumerate(self.read, 1):
            if rule.head is not None and signature(rule.head) in self.kept:
                if rule.temporary:
                    problem = (
                        f"cannot look back to {rule.head.predicate} of a #temp rule; use a rule without #temp"
                    )
                    raise PlacedError(rule.origin.place(), problem)
                written.append(self._rule(rule, number, stamped=True))
            else:
                written.append(self._rule(rule, number, stamped=False))
        for name in sorted(self.kept):
            origin = next(rule.origin for rule in self.read if rule.head and signature(rule.head) == name)
            arguments = _arguments(name)
            body = (Atom(f"{name[0]}@", (*arguments, _NOW)), _at_now())
            written.append(Rule(Atom(name[0], arguments), body, origin))
        yield from self.extra
        yield from written

    def _rule(self, rule: ReasonerRule, number: int, *, stamped: bool) -> Rule:
        body: list[logic.BodyLiteral] = [_TICK] if stamped else []
        if stamped:
            self._tick(rule.origin)
        for place, literal in enumerate(rule.body):
            if isinstance(literal, logic.Comparison):
                body.append(literal)
                continue
            body.append(_Asked(self, rule, f"{number}.{place + 1}", stamped=stamped).literal(literal))
        if not stamped and any(_NOW in variables(part) for part in body):
            body.append(_at_now())
        head = (
            Atom(f"{rule.head.predicate}@", (*rule.head.arguments, _NOW))
            if stamped and rule.head
            else rule.head
        )
        return Rule(head, tuple(body), rule.origin)

    def add(self, head: Atom, body: Iterable[logic.BodyLiteral], origin: Origin) -> Atom:
        """Add an auxiliary rule, and return its head."""
        self.extra[Rule(head, tuple(body), origin)] = None
        return head

    def _tick(self, origin: Origin) -> None:
        """Add the rules that derive each arrival time of atoms in the past that the program can read."""
        reaches = [self.needed.get(name, 0) for name in self.kept]
        numbers = [reach for reach in reaches if reach is not None]
        window = TimeWindow(max(numbers) if len(numbers) == len(reaches) else None)
        atoms = {signature(one.atom) for _, _, one in self._streamed()} - self.derived
        arriving = [
            Atom(LOG_LINE),
            *(Atom(name[0], _arguments(name)) for name in sorted(atoms) if not self.is_fact(name)),
        ]
        for atom in arriving:
            self.add(_TICK, (logic.In(window, logic.At(_NOW, atom)),), origin)

    def at(self, atom: Atom, time: Term, origin: Origin) -> Atom:
        """Return the auxiliary atom for the time at which `atom` held or was derived."""
        name = signature(atom)
        if self.is_fact(name):
            return atom
        if name not in self.derived:
            arguments = _arguments(name)
            seen = logic.In(TimeWindow(self.needed[name]), logic.At(_THEN, Atom(name[0], arguments)))
            self.add(Atom(f"{name[0]}@", (*arguments, _THEN)), (seen,), origin)
        return Atom(f"{name[0]}@", (*atom.arguments, time))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The translation of one I-DLV-sr literal; `label` makes the names of its auxiliary predicates unique.

    If `stamped` is true, the predicates of the rule have a time argument, which is an arrival time.
    """

    translation: _Translation
    rule: ReasonerRule
    label: str
    stamped: bool

    def literal(self, one: Streamed) -> logic.BodyLiteral:
        """Return the LARS formula of the literal."""
        name = signature(one.atom)
        if not one.offsets or (self.translation.is_fact(name) and one.quantity == "in"):
            atom = self.translation.at(one.atom, _NOW, self.rule.origin) if self.stamped else one.atom
            return self._signed(atom, negated=one.negated)
        if self.translation.is_fact(name):
            problem = (
                f"cannot count the times of {one.atom.predicate}, which holds always; use an atom of the log"
            )
            raise PlacedError(self.rule.origin.place(), problem)
        is_input = name not in self.translation.derived and not self.stamped
        if is_input and one.quantity == "in" and isinstance(one.offsets, range):
            shown = logic.In(TimeWindow(one.offsets[-1]), logic.Diamond(one.atom))
            return self._signed(shown, negated=one.negated)
        return self._signed(self._counted(one), negated=one.negated != (one.quantity == "at most"))

    def _signed(self, formula: logic.Formula, *, negated: bool) -> logic.Formula:
        """Return the formula or its negation; in a negation, an auxiliary rule hides anonymous variables."""
        names = variables(formula)
        if negated and any(map(_is_hidden, names)):
            formula = self._add("some", sorted(one for one in names if not _is_hidden(one)), (formula,))
        return logic.Not(formula) if negated else formula

    def _counted(self, one: Streamed) -> Atom:
        """Return the auxiliary atom that holds if the literal's atom held at the required number of times."""
        terms = tuple(sorted(variables(one.atom)))
        hits, most = self._hits(one, terms), len(one.offsets) + 1
        if one.number == Number(0) and one.quantity != "at most":
            raise PlacedError(self.rule.origin.place(), f"cannot read “{one}”; use a number from 1 on")
        if one.quantity == "in":
            return self._add("held", (*terms, _NOW), (hits,))
        match one.quantity, one.number:
            case "always in", _:
                return self._always(one, terms, hits)
            case "at most", Number(value):
                return self._at_least(min(value + 1, most), terms, hits)
            case "at least", Number(value):
                return self._at_least(min(value, most), terms, hits)
            case "count", Number(value):
                more = self._at_least(min(value + 1, most), terms, hits)
                return self._add(
                    "counted",
                    (*terms, _NOW),
                    (self._at_least(min(value, most), terms, hits), logic.Not(more)),
                )
            case "at least", Variable() as number:
                return Atom(self._ranks(terms, hits).predicate, (*terms, _NOW, number))
            case "count", Variable() as number:
                ranks = self._ranks(terms, hits)
                more = Atom(ranks.predicate, (*terms, _NOW, _NEXT))
                above = logic.Comparison(_NEXT, "=", _sum(_RANK, Number(1)))
                self._add("counted", (*terms, _NOW, _RANK), (ranks, above, logic.Not(more)))
                return Atom(self._name("counted"), (*terms, _NOW, number))
        problem = f"cannot read “{one}”; use “at most” followed by a number"
        raise PlacedError(self.rule.origin.place(), problem)

    def _hits(self, one: Streamed, terms: tuple[Term, ...]) -> Atom:
        """Return the auxiliary atom `hit`, whose last argument is a time at which the literal's atom held."""
        when = _TICK if self.stamped else _at_now()
        held = self.translation.at(one.atom, _THEN, self.rule.origin)
        back = logic.Operation("-", _NOW, _THEN)
        every: list[tuple[logic.BodyLiteral, ...]] = []
        if isinstance(one.offsets, range):
            near = logic.Comparison(back, "<=", Number(one.offsets[-1]))
            every.append((logic.Comparison(_THEN, "<=", _NOW), near))
        else:
            every += ((logic.Comparison(back, "=", Number(offset)),) for offset in one.offsets)
        for conditions in every:
            self._add("hit", (*terms, _NOW, _THEN), (when, held, *conditions))
        return Atom(self._name("hit"), (*terms, _NOW, _THEN))

    def _always(self, one: Streamed, terms: tuple[Term, ...], hits: Atom) -> Atom:
        """Return the auxiliary atom that holds if the literal's atom held at all required times."""
        if not isinstance(one.offsets, range):
            every = (Atom(hits.predicate, (*terms, _NOW, Variable(f"_at{offset}"))) for offset in one.offsets)
            places = (
                logic.Comparison(Variable(f"_at{offset}"), "=", _sum(_NOW, Number(-offset)))
                for offset in one.offsets
            )
            return self._add("always", (*terms, _NOW), (*every, *places))
        first = logic.Comparison(_THEN, "=", _sum(_NOW, Number(-one.offsets[-1])))
        if self.rule.head is not None and self.translation.rests_on(
            signature(one.atom), signature(self.rule.head)
        ):
            # Under two negations an atom could support itself: the hits are passed one by one.
            self._add("always", (*terms, _NOW, _THEN), (hits, first))
            passed = Atom(self._name("always"), (*terms, _NOW, _OTHER))
            following = logic.Comparison(_THEN, "=", _sum(_OTHER, Number(1)))
            self._add("always", (*terms, _NOW, _THEN), (passed, following, hits))
            return Atom(passed.predicate, (*terms, _NOW, _NOW))
        # From the first of the times on, each hit but that of now has a next one.
        after = logic.Comparison(_OTHER, "=", _sum(_THEN, Number(1)))
        earlier = logic.Comparison(_THEN, "<", _NOW)
        lacks = logic.Not(Atom(hits.predicate, (*terms, _NOW, _OTHER)))
        gap = self._add("gap", (*terms, _NOW), (hits, earlier, after, lacks))
        return self._add("always", (*terms, _NOW), (hits, first, logic.Not(gap)))

    def _at_least(self, number: int, terms: tuple[Term, ...], hits: Atom) -> Atom:
        """Return the auxiliary atom that holds if the literal's atom held at `number` or more times."""
        if number > _MOST_STEPS:  # Each of these steps is a rule, however few times the log has.
            return Atom(self._ranks(terms, hits).predicate, (*terms, _NOW, Number(number)))
        before = Atom(hits.predicate, (*terms, _NOW, _OTHER))
        later = logic.Comparison(_OTHER, "<", _THEN)
        for times in range(2, number + 1):
            reached = self._add(f"{times} times", (*terms, _NOW, _THEN), (before, hits, later))
            before = Atom(reached.predicate, (*terms, _NOW, _OTHER))
        return self._add(f"at least {number}", (*terms, _NOW), (before,))

    def _ranks(self, terms: tuple[Term, ...], hits: Atom) -> Atom:
        """Return the auxiliary atom with a number n: the literal's atom held at n or more different times.

        The rules count by ranks: the rank of a time with the atom is one more than the rank of an earlier
        time.
        """
        rank = Atom(self._name("rank"), (*terms, _NOW, _THEN, _RANK))
        before = Atom(self._name("rank"), (*terms, _NOW, _OTHER, _NEXT))
        first = logic.Comparison(_RANK, "=", Number(1))
        later = logic.Comparison(_OTHER, "<", _THEN)
        one_more = logic.Comparison(_RANK, "=", _sum(_NEXT, Number(1)))
        self.translation.add(rank, (hits, first), self.rule.origin)
        self.translation.add(rank, (before, hits, later, one_more), self.rule.origin)
        return self._add("times", (*terms, _NOW, _RANK), (rank,))

    def _name(self, what: str) -> str:
        return f"{what} {self.label}"

    def _add(self, what: str, arguments: Iterable[Term], body: Iterable[logic.BodyLiteral]) -> Atom:
        return self.translation.add(Atom(self._name(what), tuple(arguments)), body, self.rule.origin)


def _is_hidden(variable: Variable) -> bool:
    return variable.name[1:].isdecimal() and variable.name.startswith("_")


def _at_now() -> logic.Formula:
    return logic.In(NOW, logic.At(_NOW, logic.Truth()))


def _sum(left: Term, right: Term) -> logic.Operation:
    return logic.Operation("+", left, right)


def _arguments(name: Signature) -> tuple[Variable, ...]:
    return tuple(Variable(f"X{number}") for number in range(1, name[1] + 1))
