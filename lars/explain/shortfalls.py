"""Reasons why an atom does not hold: the closest rule instances, and their failed literals.

If a positive literal fails, the reason contains the searched interval and the nearest atoms outside this
interval.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from operator import itemgetter
from typing import Final

from lars.dataclass import dataclass
from lars.explain import evidence
from lars.explain.proofs import Premise, Values, premises, some_of, values_of
from lars.language import formulas as logic
from lars.language import program, terms
from lars.language.stream import Moment
from lars.language.windows import Interval, TupleWindow, Window


@dataclass(frozen=True, slots=True)
class WindowMiss:
    """The reason why a tuple window does not show an input atom: the window is full or ignores the atom.

    The field `is_counted` is False if the window ignores the atom, for example because the atom has another
    source. The field `kept_interval` reaches from the oldest to the newest atom that the window keeps in the
    partition of the missing atom; None if it keeps no atom there. The field `is_chosen` is true if the
    missing atom has the time of the oldest kept atoms, so that a choice of ties excluded it.
    """

    window: TupleWindow
    kept_interval: Interval | None
    is_counted: bool
    is_chosen: bool


def window_miss(
    window: TupleWindow, before: evidence.StreamIndex, after: evidence.StreamIndex, moment: Moment
) -> WindowMiss | None:
    """Return the reason why the window does not show an input atom.

    Return None if the atom is in the window, or is not in the input of the window.
    """
    t, atom = moment
    is_input = atom in before.input_times and before.has(atom, t)
    if not is_input or after.has(atom, t):
        return None
    part = window.index(atom)
    times = [
        u for u, atoms in after.input.items() if any(window.index(input_atom) == part for input_atom in atoms)
    ]
    interval = Interval(min(times), max(times)) if times else None
    chosen = window.ties == "choose" and interval is not None and interval.first == t
    return WindowMiss(window, interval, window.counts(atom), chosen)


_FIRST: Final = 3


@dataclass(frozen=True, slots=True)
class Gaps:
    """The instance of the atom in a □ literal that is missing at the fewest times.

    The field `first` contains the first times at which the atom is missing. The field `count` is the number
    of all times at which the atom is missing.
    """

    atom: terms.Atom
    first: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Sight:
    """The result of the search for an atom in the interval `within`.

    The field `windows` contains the windows around the atom, each with its interval at t.

    `before` and `after` are the nearest instances of the atom before and after `within`, with their times.
    The searched time is the time of @; in an empty window, or without @, the reference time. If `within` is
    empty, `before` and `after` are the nearest instances before and after the searched time. The field
    `hidden` is then an instance at the searched time, outside the window. If the formula needs one time, and
    the innermost window does not show it, `outside` is this time. The field `left` is the first time at which
    the window no longer shows the instance `before`. If a tuple window drops the instance `hidden` or
    `before`, the field `dropped` is the reason. If `every` is true (for □), the atom must hold at every time
    of `within`. The field `gaps` then contains the times at which the atom does not hold. If the windows
    include an empty tuple window, the field `empty` is this window.
    """

    atom: terms.Atom
    windows: tuple[tuple[Window, Interval], ...]
    within: Interval
    every: bool
    before: Moment | None
    hidden: Moment | None
    after: Moment | None
    outside: int | None
    left: int | None
    dropped: WindowMiss | None = None
    gaps: Gaps | None = None
    empty: TupleWindow | None = None

    @property
    def newest(self) -> Moment | None:
        """The newest instance up to the end of `within` that the window does not show."""
        return self.hidden or self.before


def sight(here: evidence.IndexedPoint, formula: logic.Formula) -> Sight | None:
    """Return the result of the search for the atom of a formula; None for unsupported forms of formulas.

    A supported formula has any number of outer windows, then at most one ◇, □ or @, then an atom.
    """
    passed, views, below = [], [here.view], formula
    while isinstance(below, logic.In):
        passed.append(below.window)
        views.append(views[-1].through(below.window, here.t))
        below = below.inner
    interval, every, exactly = views[-1].timeline, False, None
    match below:
        case logic.Diamond(terms.Atom() as atom) | logic.At(terms.Variable(), terms.Atom() as atom):
            pass
        case logic.Box(terms.Atom() as atom):
            every = True
        case logic.At(terms.Number(u), terms.Atom() as atom):
            exactly = u
        case terms.Atom() as atom:
            exactly = here.t
        case _:
            return None
    within = interval if exactly is None else interval.meet(Interval(exactly, exactly))
    empty = _empty(passed, views)
    searched = None if within else exactly if interval and exactly is not None else here.t
    before, hidden, after = _nearest(here, atom, views[-1], within, searched)
    newest = hidden or before
    flag = before is not None and len(passed) == 1
    return Sight(
        atom=atom,
        windows=tuple((window, view.timeline) for window, view in zip(passed, views[1:], strict=True)),
        within=within,
        every=every,
        before=before,
        hidden=hidden,
        after=after,
        outside=None if within else exactly,
        left=time_left(passed[0], before[0], here.t, here.view.timeline) if flag and before else None,
        dropped=_dropped(passed, views, newest) if newest and exactly in {None, newest[0]} else None,
        gaps=_gaps(here, atom, views[-1]) if every else None,
        empty=empty,
    )


def _nearest(
    here: evidence.IndexedPoint,
    atom: terms.Atom,
    view: evidence.StreamIndex,
    within: Interval,
    searched: int | None,
) -> tuple[Moment | None, Moment | None, Moment | None]:
    """Return the nearest unseen instances of an atom before, at and after the searched time or interval."""
    instances = ((u, a) for a, _ in evidence.matching(here.atoms, atom, {}) for u in here.view.times(a))
    unseen = [(u, a) for u, a in instances if not (u in within and view.has(a, u))]
    end = within.last if searched is None else searched
    return (
        max((moment for moment in unseen if moment[0] <= end and moment[0] != searched),
            key=itemgetter(0), default=None),
        next((moment for moment in unseen if moment[0] == searched), None),
        min((moment for moment in unseen if moment[0] > end), key=itemgetter(0), default=None),
    )  # fmt: skip


def _empty(passed: Sequence[Window], views: Sequence[evidence.StreamIndex]) -> TupleWindow | None:
    pairs = zip(passed, views[1:], strict=True)
    return next((w for w, view in pairs if isinstance(w, TupleWindow) and not view.timeline), None)


def _dropped(
    passed: Sequence[Window], views: Sequence[evidence.StreamIndex], moment: Moment
) -> WindowMiss | None:
    for window, before, after in zip(passed, views, views[1:], strict=False):
        if isinstance(window, TupleWindow) and (miss := window_miss(window, before, after, moment)):
            return miss
    return None


def _gaps(here: evidence.IndexedPoint, pattern: terms.Atom, view: evidence.StreamIndex) -> Gaps | None:
    atoms = [atom for atom, _ in evidence.matching(here.atoms, pattern, {})]
    atom = max(atoms, key=lambda candidate: len(view.times(candidate)), default=pattern)
    times = frozenset(view.times(atom))
    count = view.timeline.last - view.timeline.first + 1 - len(times)
    # One more number takes no more room than the words that stand for it.
    shown = count if count <= _FIRST + 1 else _FIRST
    first = tuple(islice((u for u in view.timeline if u not in times), shown))
    return Gaps(atom, first, count) if first else None


def time_left(window: Window, u: int, t: int, timeline: Interval) -> int | None:
    """Return the first time up to t at which a window no longer shows the time u.

    The result is None if the window still shows u at t, or never showed u, and for a tuple-based window.
    """
    if isinstance(window, TupleWindow):
        return None

    def first_shown(time: int) -> int:
        return window.bounds(time, timeline).first

    times = range(u, t + 1)
    place = bisect_left(times, u + 1, key=first_shown)
    # So few times before, a window has two pivots at most; without a pivot it showed u at the last of them.
    last_shown = (max(u, u + place - window.stride), u + place - 1)
    was_shown = place > 0 and any(u in window.bounds(time, timeline) for time in last_shown)
    return times[place] if was_shown and place < len(times) else None


BUDGET: Final = 20_000
"""The number of literals that a search for the closest instances of one rule may check."""


@dataclass(frozen=True, slots=True)
class Partial:
    """A partial rule instance: its binding, and the indexes of body literals that hold and that fail.

    The field `failed` maps the index of a literal that fails to the binding with which the literal failed:
    literals that hold anyway may have extended the binding later. The field `waived` contains the indexes of
    literals that must fail in this instance, although other bindings satisfy these literals.
    """

    binding: terms.Binding
    premises: frozenset[int] = frozenset()
    failed: Mapping[int, terms.Binding] = field(default_factory=dict)
    waived: frozenset[int] = frozenset()


@dataclass(slots=True)
class Closest:
    """The depth-first search for the instances of a rule body in which the most literals hold.

    In the first pass, a literal fails only if no binding satisfies it. In the second pass, literals that some
    binding satisfies may also fail, if at least `least` literals hold.
    """

    point: evidence.IndexedPoint
    body: tuple[logic.BodyLiteral, ...]
    left: int = BUDGET
    best: int = -1
    partials: list[Partial] = field(default_factory=list)
    least: int = -1

    def search(self, binding: terms.Binding) -> list[Partial]:
        """Return the instances that extend a binding and in which the most body literals hold."""
        self._run(Partial(binding))
        self.least = self.best + 1
        if self.least < len(self.body):
            self._run(Partial(binding))
        return self.partials

    def _run(self, state: Partial) -> None:
        """Extend a partial instance by each way to satisfy its next literal, or by the literal's failure."""
        for place in state.waived:
            if program.variables(self.body[place]) <= state.binding.keys():
                self._fail(state, place)
                return
        done = {*state.premises, *state.failed, *state.waived}
        remaining = [literal for place, literal in enumerate(self.body) if place not in done]
        if len(state.premises) + len(remaining) < max(self.best, self.least) or self.left <= 0:
            return
        literal = evidence.cheapest(self.point, remaining, state.binding)
        if literal is None:
            self._undecided(state, remaining)
            return
        place = next(i for i, part in enumerate(self.body) if i not in done and part is literal)
        satisfied = False
        for grown in evidence.literal_bindings(self.point, literal, state.binding):
            satisfied = True
            self.left -= 1
            if self.left <= 0:
                break
            self._run(replace(state, binding=grown, premises=state.premises | {place}))
        if not satisfied:
            self.left -= 1
            self._run(replace(state, failed={**state.failed, place: state.binding}))
        elif self.least >= 0 and not program.variables(literal) <= state.binding.keys():
            self._run(replace(state, waived=state.waived | {place}))

    def _fail(self, state: Partial, place: int) -> None:
        """Continue the search with a waived literal marked as failed, unless the literal holds."""
        self.left -= 1
        if not any(True for _ in evidence.literal_bindings(self.point, self.body[place], state.binding)):
            failed = {**state.failed, place: state.binding}
            self._run(replace(state, failed=failed, waived=state.waived - {place}))

    def _undecided(self, state: Partial, remaining: list[logic.BodyLiteral]) -> None:
        times = list(evidence.time_bindings(self.point, remaining, state.binding)) if not state.failed else []
        for time in times:
            self.left -= 1
            self._run(replace(state, binding=time))
        if not times and not state.waived:
            self._keep(state)

    def _keep(self, state: Partial) -> None:
        if len(state.premises) > self.best:
            self.best, self.partials = len(state.premises), []
        if len(state.premises) == self.best >= self.least:
            self.partials.append(state)


DEEPEST: Final = 16
_ATTEMPTS: Final = 3
"""The number of closest instances of each rule that an explanation shows for the requested goal."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A body literal that fails in a rule instance; `sight` is the result of the search for its atom.

    If the literal begins with ¬, `despite` is the evidence that the formula under ¬ holds. For an aggregate
    or order literal, `despite` contains the instances of its atom, whose aggregate or rank differs from the
    value in the literal. The field `missing` is the missing atom, if rules can derive atoms of its predicate.
    """

    literal: logic.BodyLiteral
    despite: evidence.Evidence | None = None
    sight: Sight | None = None
    missing: evidence.AbsentAtom | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A rule instance that nearly derives the goal: its body literals that hold, fail, or are undecided.

    If `failure` is None, the rule derives an instance of the goal, but not at the times at which the goal is
    missing. The field `other_count` is the number of further instances of the rule that are equally close to
    the goal. The field `more` is true if the search ended early, so that closer instances may exist.
    """

    number: int
    rule: program.Rule
    binding: Values
    premises: tuple[Premise, ...]
    failure: Failure | None
    failed_too: tuple[logic.BodyLiteral, ...]
    left: tuple[logic.BodyLiteral, ...]
    other_count: int
    more: bool


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A rule that cannot derive the goal (an atom), because its head has other arguments or another time."""

    number: int
    rule: program.Rule
    head_at: int | None = None


@dataclass(frozen=True, slots=True)
class Shortfall:
    """The reasons why an atom, the goal, does not hold: failed rule instances, and rules with other heads."""

    goal: evidence.AbsentAtom
    attempts: tuple[Attempt, ...]
    mismatches: tuple[Mismatch, ...]
    derivable: bool


def _known(term: terms.Term, binding: Mapping[terms.Variable, terms.Constant]) -> terms.Constant | None:
    return binding.get(term) if isinstance(term, terms.Variable) else term


def _failed_with(rule: program.Rule, state: Partial, place: int) -> terms.Binding:
    """Return the binding with which a body literal fails; a condition or an aggregate needs all values."""
    is_whole = isinstance(rule.body[place], logic.Condition | logic.SetLiteral)
    return state.binding if is_whole else state.failed[place]


def _missing(rule: program.Rule, state: Partial) -> frozenset[logic.BodyLiteral]:
    """Return the literals that fail in a partial rule instance, with their values."""
    return frozenset(
        program.close(rule.body[place], _failed_with(rule, state, place)) for place in state.failed
    )


class Searcher:
    """Finds the reasons why atoms are not in an answer stream."""

    def __init__(self, here: evidence.IndexedPoint) -> None:
        self._here = here
        self._derivable = {rule.predicate for rule in here.program.proper_rules}

    def shortfalls(self, moment: Moment) -> Mapping[evidence.AbsentAtom, Shortfall]:
        """Return the reasons why the atom does not hold at its time, and the reasons for missing premises.

        The returned mapping has the missing atom as its first key, and each missing atom once. The mapping
        contains only atoms that are less than `DEEPEST` rule applications away from the first atom.
        """
        first = evidence.AbsentAtom(moment[1], Interval(moment[0], moment[0]))
        shortfalls: dict[evidence.AbsentAtom, Shortfall] = {}
        left = [first]
        for _ in range(DEEPEST):
            new = [goal for goal in dict.fromkeys(left) if goal not in shortfalls]
            shortfalls |= {goal: self._shortfall(goal, _ATTEMPTS if goal == first else 1) for goal in new}
            failures = (attempt.failure for goal in new for attempt in shortfalls[goal].attempts)
            left = [failure.missing for failure in failures if failure is not None and failure.missing]
        return shortfalls

    def shortfall(self, goal: evidence.AbsentAtom) -> Shortfall | None:
        """Return the closest rule instance of each rule for a missing atom; None if no rule derives it."""
        return self._shortfall(goal, 1) if terms.signature(goal.atom) in self._derivable else None

    def _shortfall(self, goal: evidence.AbsentAtom, at_most: int) -> Shortfall:
        attempts: list[Attempt] = []
        mismatches = []
        for number, rule in enumerate(self._here.program.rules, 1):
            head = program.head_atom(rule)
            if head is None or program.is_fact(rule) or terms.signature(head) != terms.signature(goal.atom):
                continue
            bound = self._bound(head, goal)
            binding = None if bound is None else self._timed(rule, bound, goal)
            if binding is None:
                time = None if bound is None else program.head_time(rule, self._here.t)
                mismatches.append(
                    Mismatch(number, rule, time.value if isinstance(time, terms.Number) else None)
                )
            else:
                attempts.extend(self._attempts(number, rule, binding, at_most))
        return Shortfall(
            goal, tuple(attempts), tuple(mismatches), terms.signature(goal.atom) in self._derivable
        )

    @staticmethod
    def _bound(head: terms.Atom, goal: evidence.AbsentAtom) -> terms.Binding | None:
        """Return the binding of variables that makes a rule's head equal to the goal, or None."""
        pairs = list(zip(head.arguments, goal.atom.arguments, strict=True))
        own: dict[terms.Variable, terms.Constant] = {}
        others: dict[terms.Variable, terms.Constant] = {}
        # What a later pair tells can be about an earlier one.
        for mine, theirs in pairs * len(pairs):
            known = _known(mine, own), _known(theirs, others)
            if None not in known and known[0] != known[1]:
                return None
            for term, binding, value in ((mine, own, known[1]), (theirs, others, known[0])):
                if isinstance(term, terms.Variable) and value is not None:
                    binding[term] = value
        return {**own}

    def _timed(
        self, rule: program.Rule, bound: terms.Binding, goal: evidence.AbsentAtom
    ) -> terms.Binding | None:
        time = program.head_time(rule, self._here.t)
        if isinstance(time, terms.Number):
            return bound if time.value in goal.within else None
        if goal.within.first == goal.within.last:
            moment = terms.Number(goal.within.first)
            return bound if bound.setdefault(time, moment) == moment else None
        return bound

    def _attempts(
        self, number: int, rule: program.Rule, binding: terms.Binding, at_most: int
    ) -> Iterator[Attempt]:
        search = Closest(self._here, rule.body)
        partials = search.search(binding)
        # Of instances whose literals fail alike, one is enough: the others differ only in what holds anyway.
        shown = {_missing(rule, state): state for state in reversed(partials)}
        distinct = [state for state in partials if shown[_missing(rule, state)] is state][:at_most]
        for state in distinct:
            yield self._attempt(number, rule, state, len(partials) - len(distinct), more=search.left <= 0)

    def _attempt(
        self, number: int, rule: program.Rule, state: Partial, others: int, *, more: bool
    ) -> Attempt:
        body, held = range(len(rule.body)), (rule.body[place] for place in sorted(state.premises))
        failed = sorted(state.failed, key=lambda place: (bool(program.variables(rule.body[place])), place))
        left = [place for place in body if place not in state.premises and place not in failed]
        return Attempt(
            number=number,
            rule=rule,
            binding=values_of(state.binding),
            premises=tuple(premises(self._here, held, state.binding)),
            failure=self._failure(rule.body[failed[0]], _failed_with(rule, state, failed[0]))
            if failed
            else None,
            failed_too=tuple(
                program.close(rule.body[place], _failed_with(rule, state, place)) for place in failed[1:]
            ),
            left=tuple(program.close(rule.body[place], state.binding) for place in left),
            other_count=others,
            more=more,
        )

    def _failure(self, literal: logic.BodyLiteral, binding: terms.Binding) -> Failure:
        here, literal_here = self._here, program.close(literal, binding)
        if isinstance(literal_here, logic.Condition):
            return Failure(literal_here)
        if isinstance(literal_here, logic.SetLiteral):
            return self._ungathered(literal_here, binding)
        despite = None
        if not program.variables(literal_here):
            despite = here.view.why(literal_here, here.t, wanted=False)
        if isinstance(literal_here, logic.Not):
            return Failure(literal_here, despite)
        return self._unseen(literal_here, literal_here, despite)

    def _ungathered(self, literal: logic.SetLiteral, binding: terms.Binding) -> Failure:
        keys = {name: binding[name] for name in literal.keys if name in binding}
        group = terms.substitute(literal.atom, keys)
        pattern = terms.substitute(literal.atom, binding) if isinstance(literal, logic.Among) else group
        if instances := self._here.now(pattern):
            count = len(instances if pattern == group else self._here.now(group))
            return Failure(literal, some_of(self._here, count, instances))
        return self._unseen(literal, pattern, None)

    def _unseen(
        self, literal: logic.BodyLiteral, formula: logic.Formula, despite: evidence.Evidence | None
    ) -> Failure:
        seen_by = sight(self._here, formula)
        missing = None
        if seen_by is not None and seen_by.within and terms.signature(seen_by.atom) in self._derivable:
            missing = evidence.AbsentAtom(seen_by.atom, seen_by.within)
            if seen_by.gaps is not None:
                missing = evidence.AbsentAtom(
                    seen_by.gaps.atom, Interval(seen_by.gaps.first[0], seen_by.gaps.first[0])
                )
        return Failure(literal, despite, seen_by, missing)
