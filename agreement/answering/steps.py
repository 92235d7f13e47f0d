"""Evaluate a program step by step: the content of its windows, its firing rules, and the derived atoms.

Source: LARS (2015), Definitions 1 to 3. clingo evaluates each step separately.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final

from agreement.answering.explaining import (
    NoAnswerStream,
    ProgramSituation,
    answer_streams,
    prover_of,
    unanswered_at,
)
from lars.analysis import nearby, windows_of
from lars.dataclass import dataclass
from lars.explain import Closest, Gaps, IndexedPoint, Partial, body_bindings, sight
from lars.language.formulas import At, BodyLiteral, Box, In
from lars.language.program import Program, Rule, close, head_atom, put, variables
from lars.language.stream import Moment, Stream, cut
from lars.language.terms import Atom, Binding, substitute
from lars.language.windows import Interval, IntervalWindow, Window
from lars.semantics import choices

MOST_INSTANCES: Final = 1_000
"""The maximum number of instances of a rule at one time; if more exist, one more instance is returned."""


_MOST_CHECKS: Final = 200
"""The maximum number of literals that the search for the closest instance of one rule checks in one step."""

_MOST_CLOSEST: Final = 20
"""The maximum number of closest instances of a rule at one time that a step contains."""


FailingLiteral = tuple[Atom | None, int, BodyLiteral, int, Gaps | None]
"""The head of a closest rule instance, the index of a failing literal, the literal, and how many others fail.

For □, the last member contains the times at which the atom is missing.
"""


WindowContent = tuple[Interval | None, frozenset[Moment]]
"""The interval that a window shows at a time (None if it is empty), and the atoms in this interval."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a program, at time t: the content of each window, and the first answer stream.

    - `derived` contains the derived atoms of the first answer stream; None if no answer stream exists.
    - `instances` contains, by the number of the rule (from 1), the instances of the rule with a true body.
    - `failures` contains, by the number of a rule that does not fire, a literal that does not hold, for each
      instance of the rule in which the most literals hold. If the search is too long, the rule is missing.
    - `count` is the number of answer streams; if `more` is true, `count` is a lower bound.
    - `unanswered` is the reason why no answer stream exists; None if one exists.
    """

    t: int
    contents: tuple[WindowContent, ...]
    derived: frozenset[Moment] | None
    instances: Mapping[int, tuple[Rule, ...]]
    failures: Mapping[int, tuple[FailingLiteral, ...]]
    count: int
    more: bool
    unanswered: NoAnswerStream | None = None

    def shown_failures(self, before: "Step | None") -> Mapping[int, FailingLiteral]:
        """Return one failing literal for each rule that does not fire; `before` is the previous step.

        Readers ask about an atom that the rule derived in the previous step before they ask about others. Of
        the other instances, the closest is one in which □ lacks its atom at the fewest times.
        """
        earlier = {atom for _, atom in (before and before.derived) or ()}

        def distance(failing: FailingLiteral) -> tuple[bool, int]:
            head, *_, gaps = failing
            return head not in earlier, 0 if gaps is None else gaps.count

        return {number: min(candidates, key=distance) for number, candidates in self.failures.items()}


def windows_in_order(program: Program) -> tuple[Window, ...]:
    """Return the different windows of a program, in the order of its rules.

    In a program that the solver can evaluate, each literal has at most one window, evaluated at time t.
    """
    every = (window for rule in program.rules for literal in rule.body for window in windows_of(literal))
    return tuple(dict.fromkeys(every))


def steps(here: ProgramSituation, times: Iterable[int], path: Path) -> Iterator[Step]:
    """Yield the step of the program at each of the given times.

    Raises:
        LarsError: The solver rejects the program; the message contains the path.
    """
    windows = windows_in_order(here.program)
    for t in times:
        near, _ = nearby(here.program, here.stream, t)
        found, more = answer_streams(here, here.program, t, path)
        unanswered = None if found else unanswered_at(here, t, path)
        if found:
            first = found[0]
            world = prover_of(replace(here, stream=near), here.program, t, first).world
            stream, instances = world.stream, dict(_instances(world))
            failures = dict(_failures(world, instances))
        else:
            # No choice of ties has an answer stream: windows show the first choice.
            first, stream = None, next(choices(here.program, near, t))
            instances, failures = {}, {}
        contents = tuple(_content(stream, window, t) for window in windows)
        yield Step(t, contents, first, instances, failures, len(found), more, unanswered)


def _content(stream: Stream, window: Window, t: int) -> WindowContent:
    """Return the interval of a window at time t, and the atoms in the window.

    For a tuple-based window, the result contains only the atoms that the window keeps.
    """
    if isinstance(window, IntervalWindow):
        interval, left = window.bounds(t, stream.timeline), stream
    else:
        left = cut(stream, window, t)
        interval = left.timeline
    every = chain(left.input.items(), left.derived.items())
    content = frozenset((u, atom) for u, atoms in every if u in interval for atom in atoms)
    return interval or None, content


def _instances(world: IndexedPoint) -> Iterator[tuple[int, tuple[Rule, ...]]]:
    for number, rule in enumerate(world.program.rules, 1):
        distinct: dict[Rule, None] = {}
        for binding in body_bindings(world, rule.body, {}) if rule.body else ():
            distinct[_instance(rule, binding)] = None
            if len(distinct) > MOST_INSTANCES:
                break
        if distinct:
            yield number, tuple(distinct)


def _failures(
    world: IndexedPoint, firing: Collection[int]
) -> Iterator[tuple[int, tuple[FailingLiteral, ...]]]:
    """Yield the failing literals of each rule that does not fire, one for each closest instance of the rule.

    Of several failing literals, a literal without variables is yielded first, such as the trigger of a query.
    """
    for number, rule in enumerate(world.program.rules, 1):
        if number in firing or not rule.body:
            continue
        partials = Closest(world, rule.body, _MOST_CHECKS).search({})
        if failing := tuple(filter(None, (_failing(world, rule, each) for each in partials[:_MOST_CLOSEST]))):
            yield number, failing


def _failing(world: IndexedPoint, rule: Rule, closest: Partial) -> FailingLiteral | None:
    order = sorted(closest.failed, key=lambda place: (bool(variables(rule.body[place])), place))
    if not order:
        return None
    head, literal = head_atom(rule), close(rule.body[order[0]], closest.binding)
    # No other literal is a formula with one atom.
    seen = sight(world, literal) if isinstance(literal, In | Box) else None
    derived = None if head is None else substitute(head, closest.binding)
    return derived, order[0], literal, len(order) - 1, None if seen is None else seen.gaps


def _instance(rule: Rule, binding: Binding) -> Rule:
    head = None if rule.head is None else put(rule.head, binding)
    assert head is None or isinstance(head, Atom | At)
    return Rule(head, tuple(close(literal, binding) for literal in rule.body))
