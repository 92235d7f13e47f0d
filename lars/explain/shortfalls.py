"""Why an atom does not hold: the rule instances of which most holds, and what fails in each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lars.explain.evidence import Evidence
from lars.explain.joining import IndexedPoint, cheapest, literal_bindings, time_bindings
from lars.explain.near_misses import Sight, sight
from lars.explain.proofs import Premise, Values, premise, some_of, values_of
from lars.language.formulas import Among, BodyLiteral, Condition, Formula, Not, SetLiteral
from lars.language.program import Rule, close, head_atom, head_time, is_fact, variables
from lars.language.stream import Moment
from lars.language.terms import Atom, Binding, Number, Variable, constants, signature, substitute
from lars.language.windows import Interval

BUDGET: Final = 20_000
"""So many literals are looked at in search of the closest instances of one rule."""


@dataclass(frozen=True, slots=True)
class Partial:
    """What is bound so far, and the places of the literals in the body that hold and that fail."""

    binding: Binding
    premises: frozenset[int]
    failed: tuple[int, ...]


@dataclass(slots=True)
class Closest:
    """Finds the instances of a body that satisfy most of it, depth first."""

    point: IndexedPoint
    body: tuple[BodyLiteral, ...]
    left: int = BUDGET
    best: int = -1
    partials: list[Partial] = field(default_factory=list)

    def run(self, state: Partial) -> None:
        """Extend a partial instance by each way to satisfy its next literal, or by its failure."""
        done = {*state.premises, *state.failed}
        remaining = [literal for place, literal in enumerate(self.body) if place not in done]
        if len(state.premises) + len(remaining) < self.best or self.left <= 0:
            return
        literal = cheapest(self.point, remaining, state.binding)
        if literal is None:
            self._undecided(state, remaining)
            return
        place = next(i for i, part in enumerate(self.body) if i not in done and part is literal)
        satisfied = False
        for grown in literal_bindings(self.point, literal, state.binding):
            satisfied = True
            self.left -= 1
            if self.left <= 0:
                break
            self.run(Partial(grown, state.premises | {place}, state.failed))
        if not satisfied:
            self.left -= 1
            self.run(Partial(state.binding, state.premises, (*state.failed, place)))

    def _undecided(self, state: Partial, remaining: list[BodyLiteral]) -> None:
        times = list(time_bindings(self.point, remaining, state.binding)) if not state.failed else []
        for time in times:
            self.left -= 1
            self.run(Partial(time, state.premises, state.failed))
        if not times:
            self._keep(state)

    def _keep(self, state: Partial) -> None:
        if len(state.premises) > self.best:
            self.best, self.partials = len(state.premises), []
        if len(state.premises) == self.best:
            self.partials.append(state)


DEEPEST: Final = 16


@dataclass(frozen=True, slots=True)
class Goal:
    """An atom, maybe with variables, that is at no time point of the interval."""

    atom: Atom
    within: Interval


@dataclass(frozen=True, slots=True)
class Failure:
    """The literal that fails: `despite` shows what holds under its ¬, `sight` where its atom is looked for.

    Of a gathered literal `despite` has the instances that there are, which have another aggregate or
    do not stand where they should. `missing` is what would have to be derived, when rules can derive it.
    """

    literal: BodyLiteral
    despite: Evidence | None = None
    sight: Sight | None = None
    missing: Goal | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A rule instance that comes closest: what holds of its body, what fails, what is undecided.

    No failure means that the rule derives an instance of the goal, but at no time where it is missed.
    `other_count` counts the instances of the rule that are as close; `more` says that there may be others.
    """

    number: int
    rule: Rule
    binding: Values
    premises: tuple[Premise, ...]
    failure: Failure | None
    failed_too: tuple[BodyLiteral, ...]
    left: tuple[BodyLiteral, ...]
    other_count: int
    more: bool


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A rule for the predicate that cannot derive the atom: its head differs, or is at time `head_at`."""

    number: int
    rule: Rule
    head_at: int | None = None


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Why a goal does not hold: attempts of the rules for it, and the rules that cannot be meant."""

    goal: Goal
    attempts: tuple[Attempt, ...]
    mismatches: tuple[Mismatch, ...]
    derivable: bool


class Searcher:
    """The shortfalls of atoms in one answer stream; `at_most` attempts a rule are kept for the goal asked."""

    def __init__(self, here: IndexedPoint, at_most: int = 3) -> None:
        self._here = here
        self._at_most = at_most
        heads = (head_atom(rule) for rule in here.program.rules if not is_fact(rule))
        self._derivable = {signature(atom) for atom in heads if atom is not None}

    def shortfalls(self, moment: Moment) -> Mapping[Goal, Shortfall]:
        """Return why the atom does not hold at its time, and the same for each atom that it misses.

        The first is that of the atom itself. Each goal is there once, however often it is missed;
        those that are more than `DEEPEST` steps away are left out.
        """
        first = Goal(moment[1], Interval(moment[0], moment[0]))
        shortfalls: dict[Goal, Shortfall] = {}
        left = [first]
        for _ in range(DEEPEST):
            new = [goal for goal in dict.fromkeys(left) if goal not in shortfalls]
            shortfalls |= {goal: self._shortfall(goal, self._at_most if goal == first else 1) for goal in new}
            failures = (attempt.failure for goal in new for attempt in shortfalls[goal].attempts)
            left = [failure.missing for failure in failures if failure is not None and failure.missing]
        return shortfalls

    def _shortfall(self, goal: Goal, at_most: int) -> Shortfall:
        attempts: list[Attempt] = []
        mismatches = []
        for number, rule in enumerate(self._here.program.rules, 1):
            head = head_atom(rule)
            if head is None or is_fact(rule) or signature(head) != signature(goal.atom):
                continue
            bound = self._bound(head, goal)
            binding = None if bound is None else self._timed(rule, bound, goal)
            if binding is None:
                time = None if bound is None else head_time(rule, self._here.t)
                mismatches.append(Mismatch(number, rule, time.value if isinstance(time, Number) else None))
            else:
                attempts.extend(self._attempts(number, rule, binding, at_most))
        return Shortfall(goal, tuple(attempts), tuple(mismatches), signature(goal.atom) in self._derivable)

    @staticmethod
    def _bound(head: Atom, goal: Goal) -> Binding | None:
        binding: Binding = {}
        for own, term in zip(head.arguments, goal.atom.arguments, strict=True):
            given = binding.setdefault(own, term) if isinstance(own, Variable) else own
            if given != term and not isinstance(term, Variable):
                return None
        return {**constants(binding)}

    def _timed(self, rule: Rule, bound: Binding, goal: Goal) -> Binding | None:
        time = head_time(rule, self._here.t)
        if isinstance(time, Number):
            return bound if time.value in goal.within else None
        if goal.within.first == goal.within.last:
            moment = Number(goal.within.first)
            return bound if bound.setdefault(time, moment) == moment else None
        return bound

    def _attempts(self, number: int, rule: Rule, binding: Binding, at_most: int) -> Iterator[Attempt]:
        search = Closest(self._here, rule.body)
        search.run(Partial(binding, frozenset(), ()))
        others = len(search.partials) - at_most
        for state in search.partials[:at_most]:
            yield self._attempt(number, rule, state, max(0, others), more=search.left <= 0)

    def _attempt(self, number: int, rule: Rule, state: Partial, others: int, *, more: bool) -> Attempt:
        body = range(len(rule.body))
        failed = sorted(state.failed, key=lambda place: (bool(variables(rule.body[place])), place))
        left = [place for place in body if place not in state.premises and place not in failed]
        return Attempt(
            number=number,
            rule=rule,
            binding=values_of(state.binding),
            premises=tuple(self._premises(rule, state)),
            failure=self._failure(rule.body[failed[0]], state.binding) if failed else None,
            failed_too=tuple(close(rule.body[place], state.binding) for place in failed[1:]),
            left=tuple(close(rule.body[place], state.binding) for place in left),
            other_count=others,
            more=more,
        )

    def _premises(self, rule: Rule, state: Partial) -> Iterator[Premise]:
        for place in sorted(state.premises):
            held = premise(self._here, rule.body[place], state.binding, self._here.judge)
            if held is not None:
                yield held

    def _failure(self, literal: BodyLiteral, binding: Binding) -> Failure:
        here, literal_here = self._here, close(literal, binding)
        if isinstance(literal_here, Condition):
            return Failure(literal_here)
        if isinstance(literal_here, SetLiteral):
            return self._ungathered(literal_here, binding)
        despite = None
        if not variables(literal_here):
            despite = here.judge.why(literal_here, here.view, here.t, wanted=False)
        if isinstance(literal_here, Not):
            return Failure(literal_here, despite)
        return self._unseen(literal_here, literal_here, despite)

    def _ungathered(self, literal: SetLiteral, binding: Binding) -> Failure:
        keys = {name: binding[name] for name in literal.keys if name in binding}
        group = substitute(literal.atom, keys)
        pattern = substitute(literal.atom, binding) if isinstance(literal, Among) else group
        if instances := self._here.now(pattern):
            count = len(instances if pattern == group else self._here.now(group))
            return Failure(literal, some_of(self._here, count, instances))
        return self._unseen(literal, pattern, None)

    def _unseen(self, literal: BodyLiteral, formula: Formula, despite: Evidence | None) -> Failure:
        seen_by = sight(self._here, formula)
        missing = None
        if seen_by is not None and signature(seen_by.atom) in self._derivable:
            missing = Goal(seen_by.atom, seen_by.within)
            if seen_by.gaps is not None:
                missing = Goal(seen_by.gaps.atom, Interval(seen_by.gaps.first[0], seen_by.gaps.first[0]))
        return Failure(literal, despite, seen_by, missing)
