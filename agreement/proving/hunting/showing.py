"""Choose a small stream that shows a fault, and on which the engine would be right without the fault.

An engine with several faults may be wrong on a stream for two reasons, which a reader cannot distinguish. If
the model of an engine version predicts the engine, the model without one rule shows whether other rules have
an effect.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import field, replace
from typing import Final

from agreement.comparing.smaller import fewest_enough
from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.messages import answers_of
from agreement.engines.engine import Engine, EngineRule
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.references import HuntedRun, Reference, Switch
from agreement.proving.hunting.streams import Stream
from lars.dataclass import dataclass
from lars.errors import LarsError, TimeLimitError


def neighbours(query: HuntedQuery, stream: Stream) -> Iterator[Stream]:
    """Yield streams that differ from a stream by fewer triples, earlier or later times, or another triple."""
    length = len(stream)
    part = length // 2
    while part:
        yield from (stream[:n] + stream[n + part :] for n in range(0, length, part) if length > part)
        part //= 2
    times = sorted({one.t for one in stream})
    if not times[0]:
        for points in sorted({1, *(step for _, step in query.windows)}):
            yield tuple(replace(one, t=one.t + points * query.tick) for one in stream)
    slide = min(_MOST_POINTS, max((step for _, step in query.windows), default=1))
    for before, t in zip([0.0, *times], times, strict=False):
        half = (t - before) // 2 // query.tick * query.tick
        # Up to a slide: an earlier time can show the same fault although the times between do not.
        short = (number * query.tick for number in range(1, slide + 1))
        for less in dict.fromkeys((t - before, half, *short)):
            if 0 < less <= t - before:
                yield tuple(replace(one, t=one.t - less) if one.t >= t else one for one in stream)
                yield tuple(replace(one, t=one.t - less) if one.t == t else one for one in stream)
    for n, push in enumerate(stream):
        for other in query.letters:
            if other[0] == push.stream and other[1] != push.triple:
                yield (*stream[:n], replace(push, triple=other[1]), *stream[n + 1 :])


_MOST_POINTS: Final = 4
"""The maximum number of time points by which each smaller shift of a triple is tried; a guess."""


def size(query: HuntedQuery, stream: Stream) -> tuple[float, ...]:
    """Return a tuple of numbers that measures a stream, and that minimization makes as small as possible.

    The first numbers are the number of triples, the number of triples at time 0, and the number of different
    times. The last numbers are the sum of the times, and the sum of the triples' positions in `letters` of
    the query. Time 0 counts because many engines treat time 0 specially.
    """
    places = {letter: n for n, letter in enumerate(query.letters)}
    letters = sum(places.get((push.stream, push.triple), len(places)) for push in stream)
    times = {push.t for push in stream}
    return (
        len(stream),
        sum(not push.t for push in stream),
        len(times),
        sum(push.t for push in stream),
        letters,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Cause:
    """A possible fault that explains wrong runs, with these runs, and the runs that are evidence for it.

    `equals` contains other possible faults, from which no run of the hunt tells this fault apart.
    """

    switch: Switch
    explained: Sequence[HuntedRun]
    evidence: Sequence[HuntedRun]
    equals: Sequence[Switch] = ()

    @property
    def off(self) -> tuple[EngineRule, ...]:
        """The rules of an engine version that must be off to remove this cause; always empty."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class RuleCause:
    """A rule of an engine version that explains wrong runs, as one of the rules in `needed`.

    The rules in `needed` together explain the wrong runs. `evidence` contains the runs that are not explained
    without this rule.
    """

    engine: Engine
    rule: EngineRule
    needed: tuple[EngineRule, ...]
    evidence: Sequence[HuntedRun]

    @property
    def off(self) -> tuple[EngineRule, ...]:
        """The rules of the engine version that must be off to remove this cause; only its own rule."""
        return (self.rule,)


Causes = Sequence[Cause | RuleCause]


def without(engine: Engine, run: HuntedRun, off: Sequence[EngineRule]) -> HuntedRun | None:
    """Return the run of an engine version's model without some rules; None if it rejects the query."""
    registration = run.query.registration.model_copy(update={"options": {"off": [rule.name for rule in off]}})
    try:
        answers = answers_of(BuiltInEngine(engine), registration, run.run.pushes)
    except TimeLimitError:
        raise
    except LarsError:
        return None
    return None if answers.profile is None else replace(run, answers=answers)


_KEPT: Final = 1000
"""The number of simulated runs of an engine version that are kept in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Isolation:
    """Decides whether a stream shows only one cause of wrong answers.

    `followed` is an engine version whose model predicts many answers of the engine, or None.
    """

    judge: Reference
    followed: Engine | None
    switches: Sequence[Switch]
    queries: Sequence[HuntedQuery]
    _simulated: dict[Hashable, HuntedRun | None] = field(default_factory=dict, init=False, repr=False)

    def _without(self, engine: Engine, run: HuntedRun, off: Sequence[EngineRule]) -> HuntedRun | None:
        """Return the result of `without`, from a cache: several causes are tried on the same stream."""
        simulated, key = self._simulated, (engine.name, run.query.name, run.pushes, tuple(off))
        if key not in simulated:
            while len(simulated) >= _KEPT:
                del simulated[next(iter(simulated))]
            simulated[key] = without(engine, run, off)
        return simulated[key]

    def right_without(self, run: HuntedRun, cause: Cause | RuleCause) -> HuntedRun | None:
        """Return the run that is predicted if the engine does not have a cause; None if this run is wrong."""
        if self._beside(run, cause):
            return None
        return self._right(run, cause.off)

    def is_alone(self, run: HuntedRun, cause: Cause | RuleCause) -> bool:
        """Return whether only the given cause makes a run wrong, without help of another rule.

        The run must be wrong if only the rule of the cause is on, and if any other single rule is off.
        """
        return self._is_wrong_with(run, cause, ()) and not self.also_right_without(run, cause)

    def also_right_without(self, run: HuntedRun, cause: Cause | RuleCause) -> tuple[EngineRule, ...]:
        """Return the other rules of the engine version that make the run right if one of them is off."""
        return tuple(rule for rule in self._others(cause) if self._right(run, (rule,)) is not None)

    def beside(self, run: HuntedRun, cause: Cause | RuleCause) -> tuple[EngineRule, ...]:
        """Return the other rules of the engine version that contribute to the wrong answers of a run."""
        also, others = self.also_right_without(run, cause), self._others(cause)
        if self._is_wrong_with(run, cause, also):
            return also
        needed = fewest_enough(others, lambda some: self._is_wrong_with(run, cause, some))
        return tuple(rule for rule in others if rule in also or rule in needed)

    def _others(self, cause: Cause | RuleCause) -> tuple[EngineRule, ...]:
        if self.followed is None or not isinstance(cause, RuleCause):
            return ()
        return tuple(rule for rule in self.followed.rules if rule not in cause.off)

    def _is_wrong_with(self, run: HuntedRun, cause: Cause | RuleCause, rules: Sequence[EngineRule]) -> bool:
        """Return whether a run is wrong if only the rule of the cause and the given rules are on."""
        off = [rule for rule in self._others(cause) if rule not in rules]
        return not off or self._right(run, off) is None

    def other_causes(self, run: HuntedRun, cause: Cause | RuleCause) -> tuple[Switch | EngineRule, ...]:
        """Return the other causes that must be removed with this cause to make the answers of a run right."""
        engine, beside = self.followed, self._beside(run, cause)
        rules = () if engine is None else tuple(rule for rule in engine.rules if rule not in cause.off)

        def enough(some: Sequence[EngineRule]) -> bool:
            return self._right(run, (*cause.off, *some)) is not None

        return *beside, *(fewest_enough(rules, enough) if enough(rules) else ())

    def _right(self, run: HuntedRun, off: Sequence[EngineRule]) -> HuntedRun | None:
        if self.followed is None:
            return run
        left = self._without(self.followed, run, off)
        if left is not None:
            return left if self.judge.verdict(left).correct is not False else None
        # If the engine version refuses the query, another query over the same windows is run on the stream.
        others = (replace(run, query=query) for query in self.queries if _is_alike(query, run.query))
        answered = (self._without(self.followed, other, off) for other in others)
        return next(
            (one for one in answered if one and one.has_rows and self.judge.verdict(one).correct), None
        )

    def _beside(self, run: HuntedRun, cause: Cause | RuleCause) -> tuple[Switch, ...]:
        """Return the possible faults, except the cause, that predict wrong reports on the stream of a run."""
        own = cause.switch if isinstance(cause, Cause) else None
        return tuple(one for one in self.switches if one is not own and self._matters(one, run))

    def _matters(self, switch: Switch, run: HuntedRun) -> bool:
        if switch.held is not None:
            return switch.held(run) is not None
        return self.judge.expects(run, switch)

    def promised(self, run: HuntedRun, causes: Causes) -> Iterator[Cause | RuleCause]:
        """Yield the causes that a stream probably shows, each without the effects of other causes.

        `run` contains the stream, but no answers, because the engine has not yet run on the stream.
        """
        whole = None if self.followed is None else self._without(self.followed, run, ())
        if whole is not None and self.judge.verdict(whole).correct is not False:
            return
        for cause in causes:
            if isinstance(cause, Cause):
                wrong = cause.switch.held is not None or self.judge.expects(run, cause.switch, rows=True)
            else:
                less = self._without(cause.engine, run, cause.off)
                wrong = bool(whole and less and not less.answers.same(whole.answers))
            if wrong and self.right_without(run, cause) is not None:
                yield cause


def _is_alike(one: HuntedQuery, other: HuntedQuery) -> bool:
    return one is not other and (one.windows, one.letters) == (other.windows, other.letters)
