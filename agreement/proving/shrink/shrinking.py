"""From a large disagreement to a minimal one: delta debugging, in which each step is evaluated.

Elements first, from what the first differing row rests on, then static triples, queries' parts and times;
again until nothing more can go. A part is gone for good once the rest disagrees for the same cause. What
is left says what the data say: no term takes the place of another.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from agreement.comparing.agree import RowCause, Side, VariantReport
from agreement.proving.shrink.query_edits import smaller_pairs
from agreement.proving.shrink.sizes import Sizes, sizes_of
from agreement.proving.shrink.trial_evaluation import Disagreement, TrialEvaluation, report_on
from lars.errors import FailedRunError, LarsError
from solver.facts import Fact
from solver.settings import Certify, Progress, no_progress

_Item = TypeVar("_Item")
_TRIPLE: Final = ("triple", 4)


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The disagreement that is left, how large it was and is, and how many evaluations that took."""

    left: Disagreement
    cause: RowCause
    before: Sizes
    after: Sizes
    evaluations: int


def cause_in(report: VariantReport) -> RowCause | None:
    """Return the cause of the first row that one side alone has, None where they agree."""
    intervals = report.verdicts[0].intervals
    return next((one.cause for interval in intervals for one in report.differences(interval)), None)


def shrunk(given: Disagreement, trials: TrialEvaluation, progress: Progress = no_progress) -> Shrunk:
    """Return a minimal disagreement for the cause; LarsError where there is none for it."""
    found = trials.first(given)
    if found is None:
        raise LarsError(f"no row that one side alone has has the cause {trials.cause.value}")
    state = _first_guess(given, trials, found[0])
    before, earlier = sizes_of(given), None
    for done in range(100):
        progress(done, 100)
        if state == earlier:
            break
        earlier = state
        for step in (_fewer_elements, _fewer_static, _smaller_queries, _earlier):
            state = step(state, trials)
    last = report_on(state, trials.period, trials.setting, trials.trigger, Certify.ALL)
    if cause_in(last) is None:
        raise FailedRunError("what is left does not disagree when clingo certifies it")
    return Shrunk(state, trials.cause, before, sizes_of(state), trials.count)


def _first_guess(given: Disagreement, trials: TrialEvaluation, report: VariantReport) -> Disagreement:
    """Return the disagreement with as little as what the first differing row rests on, if that will do."""
    for interval in report.verdicts[0].intervals:
        for one in report.differences(interval):
            if one.cause is trials.cause:
                own = set(report.supports([(one, interval)])[0])
                times = {interval.start + 1, interval.end, one.pushed if one.side is Side.PUSH else None}
                near = [fact for fact in given.facts if interval.start < fact.t <= interval.end]
                for more in ((), [fact for fact in near if fact.t in times], near):
                    kept = tuple(fact for fact in given.facts if fact in own or fact in set(more))
                    if found := trials.shortest(replace(given, facts=kept, end=interval.end)):
                        return found
                return trials.shortest(given) or given
    return given


def _fewer_elements(state: Disagreement, trials: TrialEvaluation) -> Disagreement:
    kept = minimal(state.facts, lambda facts: trials.shortest(replace(state, facts=tuple(facts))) is not None)
    return trials.shortest(replace(state, facts=tuple(kept))) or state


def _fewer_static(state: Disagreement, trials: TrialEvaluation) -> Disagreement:
    rows = state.static.get(_TRIPLE, ())

    def with_rows(kept: Sequence[tuple[str, ...]]) -> Disagreement:
        return replace(state, static={**state.static, _TRIPLE: tuple(kept)})

    return with_rows(minimal(rows, lambda kept: trials.shortest(with_rows(kept)) is not None))


def minimal(items: Sequence[_Item], holds: Callable[[Sequence[_Item]], bool]) -> list[_Item]:
    """Return some of the items for which it holds still, though not without any one of them (Zeller, 2002).

    >>> minimal(range(100), lambda some: {3, 97} <= set(some))
    [3, 97]
    """
    kept, size = list(items), max(1, len(items) // 2)
    while kept:
        tried = 0
        while tried < len(kept):
            rest = kept[:tried] + kept[tried + size :]
            if holds(rest):
                kept = rest
            else:
                tried += size
        if size == 1:
            break
        size = max(1, size // 2)
    return kept


def _smaller_queries(state: Disagreement, trials: TrialEvaluation) -> Disagreement:
    for pair in smaller_pairs(state.pair):
        if found := trials.shortest(replace(state, pair=pair)):
            return _smaller_queries(found, trials)
    return state


def _earlier(state: Disagreement, trials: TrialEvaluation) -> Disagreement:
    """Return the disagreement with times moved back: by periods, then from each element on, then each."""
    first = min((fact.t for fact in state.facts), default=1)
    for by in range((first - 1) // trials.period * trials.period, 0, -trials.period):
        moved = replace(state, facts=_moved(state.facts, range(len(state.facts)), by), end=state.end - by)
        if found := trials.shortest(moved):
            state = found
            break
    count = len(state.facts)
    for places in (
        *(range(place, count) for place in range(count)),
        *(range(n, n + 1) for n in range(count)),
    ):
        state = _moved_back(state, trials, places)
    return state


def _moved_back(state: Disagreement, trials: TrialEvaluation, places: range) -> Disagreement:
    """Return the disagreement with the elements at these places as early as steps of 2^n lead."""
    by = state.end
    while by:
        found = None
        own = [fact.t for at, fact in enumerate(state.facts) if at in places]
        if own and min(own) > by:
            facts = _moved(state.facts, places, by)
            ends = dict.fromkeys((state.end - by // trials.period * trials.period, state.end))
            tried = (trials.shortest(replace(state, facts=facts, end=end)) for end in ends)
            found = next(filter(None, tried), None)
        if found is None:
            by //= 2
        else:
            state = found
    return state


def _moved(facts: Sequence[Fact], places: range, by: int) -> tuple[Fact, ...]:
    moved = [fact._replace(t=fact.t - by) if at in places else fact for at, fact in enumerate(facts)]
    return tuple(sorted(moved, key=lambda fact: fact.t))
