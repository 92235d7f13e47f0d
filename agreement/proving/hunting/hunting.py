"""The hunt: run an engine on streams, judge each run, and try explanations on all wrong runs.

Each cause is one fault. A small stream shows the fault and distinguishes it from correct behavior.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from functools import partial
from itertools import chain, combinations, islice, pairwise, product, starmap, zip_longest
from math import isfinite
from time import monotonic
from typing import Final

from agreement.comparing.arena import Arena, Lead
from agreement.comparing.smaller import fewest_enough, made_small
from agreement.engines.adapters.messages import FailedEngineError, StreamEngine, TimeIsUpError, answers_of
from agreement.engines.engine import Engine, EngineRule
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import as_said
from agreement.proving.hunting import references
from agreement.proving.hunting.descriptions import described
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.input_switches import pauses
from agreement.proving.hunting.portraits import delays, mute_queries, portraits, silent
from agreement.proving.hunting.showing import Cause, Causes, Isolation, RuleCause, neighbours, size
from agreement.proving.hunting.streams import Stream, closing_streams, random_streams, streams
from agreement.proving.hunting.switches import switches_of
from lars.dataclass import dataclass
from lars.durations import read_duration
from lars.errors import LarsError, TimeLimitError
from lars.options import option
from solver.deadlines import Deadline, until
from solver.settings import Progress, no_progress

# All numbers are guesses with the given reasons. No number was measured on its own.

# Runs of the engine.
_MOST_FAILURES: Final = 5
"""The number of failed runs of one query after which the query is not run again; its cause is clear then."""
_MANY_REPORTS: Final = 200
"""The number of reports from which on a run is skipped if enough wrong runs are known, to save time."""
_KEPT: Final = 250
"""The maximum number of wrong runs, and of right runs, on which causes are tried, to limit the time."""
_DESCRIBED: Final = 20
"""The number of wrong runs, and of right runs, that are described if no time is left."""
_ENOUGH: Final = 40
"""The number of wrong runs per requested fault at which the exploration ends."""
_FEW_QUERIES: Final = 3
"""The number of queries with wrong runs up to which a query with few wrong runs is run more often."""
_OFTEN: Final = 12
"""The number of wrong runs of a query from which on the query is not run more often."""
_MORE: Final = 4
"""The number of runs per turn of a query that is run more often."""
_REPEATED: Final = 3
"""The number of wrong runs that a new process repeats, to find out whether the engine is deterministic."""
_REPEATED_MORE: Final = 12
"""The number of wrong runs that a new process repeats if one of its answers is different."""
_UNSTEADY: Final = 1 / 3
"""The share of repeated runs with other answers above which no wrong run is explained: all may be chance."""
_FASTEST: Final = 1e-6
"""The assumed minimum of seconds per message, so that the expected time of a run is never 0."""
_ONE_RUN: Final = 0.05
"""The share of the time limit that one run may take; a stream that would take longer is omitted."""
_SHORT: Final = 3
"""The length of streams up to which no stream is omitted: a slow engine must be run, too."""

# The shares of the time limit at which phases end.
_EXPLORED: Final = 0.3
"""The end of the exploration if a run is wrong: the rest of the time is for explanations."""
_WITHOUT_FAULT: Final = 0.9
"""The end of the exploration if no run is wrong: nothing needs an explanation."""
_UNDERSTOOD: Final = 0.8
"""The end of the search for causes."""
_SHOWN: Final = 0.95
"""The end of the minimization of streams that show faults; the rest of the time is for the report."""

# Causes.
_OWN: Final = 0.5
"""The share of the unexplained runs that the version that the engine names itself must predict."""
_ANOTHER: Final = 0.9
"""The share of the wrong runs that another version must predict: a resemblance by chance is likelier."""
_MOST_FAULTS: Final = 12
"""The maximum number of faults if the user names none: a longer list would not be read."""
_SAMPLE: Final = 60
"""The number of runs by which the needed rules of an engine version are determined."""
_MANY: Final = 12
"""The number of wrong runs from which on pairs of faults are tried: a pair may fit fewer runs by chance."""
_NEAREST: Final = 10
"""The number of possible faults that are paired: the number of pairs grows with its square."""
_CHANCE: Final = 0.1
"""The share of the wrong runs that may remain unexplained: such runs are only counted."""
_FEW: Final = 2
"""The number of wrong runs that may remain unexplained, even if they are more than `_CHANCE`."""
_FEWEST: Final = 2
"""The number of runs that must be evidence for a cause, because a single run can be chance."""
_BESIDE: Final = 1 / 3
"""The number of unexplained runs of the same queries that a cause may leave per explained run."""
_MOST_SHOWN: Final = 10
"""The maximum number of triples of a random stream that may show a single cause, so that people check it."""

# Experiments that test a cause.
_EXPERIMENTS: Final = 24
"""The maximum number of streams on which the cause predicts a wrong report."""
_TRIED: Final = 8
"""The maximum number of streams per query of each kind: neighbours of wrong runs, and random streams."""
_NEAR: Final = 8
"""The maximum number of streams on which the cause predicts no wrong report."""
_MOST_TESTED: Final = 8
"""The maximum number of causes that are tested before none is accepted."""
_MOST_NEIGHBOURS: Final = 40
"""The maximum number of neighbours of a wrong run's stream from which streams are taken."""
UNEXPLAINED: Final = "unexplained"
UNTRIED: Final = "time was up before all rules were tried"
Keeps = Callable[[references.HuntedRun], bool]
"""A function that returns whether a run still has the property that minimization must keep."""


@dataclass(slots=True)
class Fault:
    """A fault of an engine: its smallest run, the verdict on this run, the rule, and the number of runs.

    - `rule` is None if no rule explains the fault; `alike` then describes the fault.
    - `isolated` is false if other rules of the engine also have an effect on this stream. `other_rules` are
      these rules, if known.
    - `untried` is true if no rule explains the fault, and time was up before all rules were tried.
    - `repeated` is false if a new process answered differently, so that the engine is not deterministic.
    """

    run: references.HuntedRun
    verdict: references.RunVerdict
    seconds: float
    rule: references.Switch | None = None
    alike: str | None = None
    isolated: bool = True
    other_rules: tuple[references.Switch, ...] = ()
    times: int = 1
    repeated: bool = True
    untried: bool = False

    @property
    def sentence(self) -> str:
        """A description of the fault."""
        if self.rule is not None:
            return f"{self.rule.sentence}{f', {self.alike}' if self.alike else ''}"
        if not self.repeated:
            return "not deterministic: a new process answers the same stream otherwise"
        return f"{UNTRIED if self.untried else UNEXPLAINED}: {self.alike or self.verdict.symptom}"


def seconds_of(value: str | float) -> float:
    """Return a time in seconds, from a number or a duration.

    >>> seconds_of("1m"), seconds_of("2.5"), seconds_of(3)
    (60.0, 2.5, 3.0)
    """
    try:
        number = float(value)
    except ValueError:
        number = read_duration(str(value)).milliseconds / 1000
    if not isfinite(number) or number <= 0:
        raise LarsError("expected a time above zero, such as 60s or 90")
    return number


@dataclass(frozen=True, slots=True)
class HuntLimits:
    """The limits of a hunt (seconds, runs and faults), and the seed of the hunt's random streams."""

    time_limit: float = option(
        60.0, "Time limit of the whole hunt.", seconds_of, metavar="TIME", keyword="str | float"
    )
    runs: int | None = option(
        None,
        "Maximum number of runs that search for faults. The reduction of a fault to a small stream "
        "takes more runs.",
        least=1,
    )
    faults: int | None = option(None, "Stop when N faults are found.", least=1)
    seed: int = option(0, "Seed of the random streams.", least=0)


@dataclass(slots=True)
class Hunt:
    """A running hunt, with its runs and faults; `start` is the time at which the hunt began."""

    engine: StreamEngine
    queries: Sequence[HuntedQuery]
    reference: references.Reference
    limits: HuntLimits
    start: float = field(default_factory=monotonic)
    runs: int = field(default=0, init=False)
    searched: int = field(default=0, init=False)
    """The number of runs that searched for faults."""
    tests: int = field(default=0, init=False)
    """The number of runs that tested causes; the remaining runs minimize or repeat faults."""
    judged_runs: int = field(default=0, init=False)
    faults: list[Fault] = field(default_factory=list, init=False)
    failures: list[tuple[HuntedQuery, str]] = field(default_factory=list, init=False)
    name: str = field(default="", init=False)
    """The name that the engine gives itself."""
    right: list[references.HuntedRun] = field(default_factory=list, init=False)
    wrong: list[references.HuntedRun] = field(default_factory=list, init=False)
    """The wrong runs that are kept for trying causes."""
    left: int = field(default=0, init=False)
    """The number of kept wrong runs that no fault explains."""
    untried: bool = field(default=False, init=False)
    """Whether time was up before all rules were tried on the wrong runs."""
    wrong_runs: int = field(default=0, init=False)
    pace: float = field(default=_FASTEST, init=False)
    """The number of seconds per message in the last run of the engine."""
    first_wrong: float = field(default=0.0, init=False)
    """The number of seconds after which the first wrong run was found."""
    _progress: Progress = field(default=no_progress, init=False)

    @property
    def seconds(self) -> float:
        """The elapsed time in seconds."""
        return monotonic() - self.start

    def in_time(self) -> AbstractContextManager[None]:
        """Return a context manager in which judging raises TimeLimitError after the hunt's time limit."""
        limit = self.limits.time_limit
        return until(Deadline(limit, self.start + limit))

    def is_past(self, share: float) -> bool:
        """Return whether this share of the time limit is over, and report the progress."""
        now, limit = self.seconds, self.limits.time_limit
        self._progress(min(int(now), int(limit)), int(limit))
        return now > share * limit

    def go(self, progress: Progress = no_progress) -> None:
        """Run streams until a limit is reached or every query has failed too often.

        After the runs, explain the wrong runs and add the faults.
        """
        self._progress = progress
        self._explore()
        self.searched = self.runs
        if not self.wrong:
            return
        steady = self._steady()
        if steady and len(self.faults) < (self.limits.faults or _MOST_FAULTS):
            in_order = [self._explained(runs) for runs in (_in_turns(steady), self.right)]
            Explanation(self, *in_order).add_faults()
        self.engine.end()
        for fault in self.faults:
            if fault.repeated and not self.is_past(1):
                fault.repeated = self._again(fault.run)
        self.faults = self.faults[: self.limits.faults]

    def _explained(self, runs: list[references.HuntedRun]) -> list[references.HuntedRun]:
        """Return the runs to explain; for a specification, runs without late triples if such runs exist.

        A specification does not define the effect of late triples, so an engine may treat them in several
        ways.
        """
        if not isinstance(self.reference, references.SpecificationReference):
            return runs
        return [run for run in runs if not run.late] or runs

    def _explore(self) -> None:
        left = [(query, streams(query, self.limits.seed)) for query in self.queries]
        while left and not self._explored:
            for query, pushes in list(left):
                if self._explored:
                    break
                for _ in range(_MORE if self._is_seldom_wrong(query) else 1):
                    self._step(query, next(pushes))
                if sum(failed is query for failed, _ in self.failures) >= _MOST_FAILURES:
                    left = [pair for pair in left if pair[0] is not query]

    def _is_seldom_wrong(self, query: HuntedQuery) -> bool:
        """Return whether few queries have wrong runs and this query has few wrong runs.

        More runs of such a query are needed to show the cause.
        """
        names = Counter(run.query.name for run in self.wrong)
        return len(names) <= _FEW_QUERIES and 0 < names[query.name] < _OFTEN

    @property
    def _explored(self) -> bool:
        limits = self.limits
        enough = limits.faults is not None and len(self.wrong) >= _ENOUGH * limits.faults
        ran = limits.runs is not None and self.runs >= limits.runs
        return enough or ran or self.is_past(_EXPLORED if self.wrong else _WITHOUT_FAULT)

    def run(self, query: HuntedQuery, stream: Stream) -> references.HuntedRun:
        """Return the engine's run on a stream.

        Raises:
            FailedEngineError: The engine fails.
        """
        self.runs += 1
        began = monotonic()
        run = references.HuntedRun(query, stream, answers_of(self.engine, query.registration, stream))
        self.pace = max(_FASTEST, (monotonic() - began) / (len(stream) + 2))
        if run.answers.profile is None:
            raise FailedEngineError(f"refuses a query that it took before: {run.answers.refused}")
        self.name = run.answers.profile.engine
        return run

    def tested(self, query: HuntedQuery, stream: Stream) -> references.HuntedRun | None:
        """Return a run that tests a cause; None if the engine fails."""
        self.tests += 1
        try:
            return self.run(query, stream)
        except FailedEngineError as error:
            self.fail(query, error)
            return None

    def fail(self, query: HuntedQuery, error: LarsError) -> None:
        """Record a run in which the engine failed; reaching a time limit is not a failure."""
        if not isinstance(error, TimeIsUpError | TimeLimitError):
            self.failures.append((query, str(error)))

    def _step(self, query: HuntedQuery, stream: Stream) -> None:
        if len(stream) > max(_SHORT, self.limits.time_limit * _ONE_RUN / self.pace):
            return
        try:
            run = self.run(query, stream)
            if len(run.answers.reports) > _MANY_REPORTS and len(self.wrong) >= _ENOUGH:
                # What judges all of them takes too long.
                return
            with self.in_time():
                correct = self.reference.verdict(run).correct
        except LarsError as error:
            # One run that fails, or that nothing can judge, loses nothing of the others.
            self.fail(query, error)
            return
        self.judged_runs += correct is not None
        if correct is False:
            self.first_wrong = self.first_wrong or self.seconds
            self.wrong_runs += 1
        kept = self.right if correct else self.wrong
        if correct is not None and len(kept) < _KEPT:
            kept.append(run)

    def _steady(self) -> list[references.HuntedRun]:
        """Return the wrong runs without the runs that a new process does not repeat.

        The first run that a new process does not repeat is added as a fault.
        """
        repeated = 0
        unsteady: list[references.HuntedRun] = []
        self.engine.end()
        for run in _in_turns(self.wrong):
            if repeated == (_REPEATED_MORE if unsteady else _REPEATED):
                break
            repeated += 1
            if not self._again(run):
                unsteady.append(run)
        if unsteady and not self.faults:
            run = unsteady[0]
            self.faults.append(Fault(run, self.reference.verdict(run), self.first_wrong, repeated=False))
        if len(unsteady) > _UNSTEADY * repeated:
            return []
        return [run for run in self.wrong if all(run is not other for other in unsteady)]

    def _again(self, run: references.HuntedRun) -> bool:
        """Return whether a repetition of the run gives the same answers."""
        try:
            return self.run(run.query, run.pushes).answers.same(run.answers)
        except FailedEngineError as error:
            self.fail(run.query, error)
            # Without time nothing tells that it answers otherwise.
            return isinstance(error, TimeIsUpError)

    def small(self, run: references.HuntedRun, keeps: Keeps, until: float = _SHOWN) -> references.HuntedRun:
        """Return a minimized wrong run for which `keeps` is true.

        The minimization stops when the share `until` of the time limit is over.
        """
        last = run

        def kept(stream: Stream) -> bool:
            nonlocal last
            if not stream or self.is_past(until):
                return False
            try:
                other = self.run(run.query, stream)
                with self.in_time():
                    wrong = self.reference.verdict(other).correct is False and keeps(other)
            except (FailedEngineError, TimeLimitError):
                return False
            last = other if wrong else last
            return wrong

        made_small(run.pushes, partial(neighbours, run.query), partial(size, run.query), kept)
        return last


def _is_late(stream: Stream) -> bool:
    return any(later.t < push.t for push, later in pairwise(stream))


def _in_turns(runs: Sequence[references.HuntedRun]) -> list[references.HuntedRun]:
    """Return the runs, alternating between queries, each query's runs in their order."""
    by_query: dict[str, list[references.HuntedRun]] = {}
    for run in runs:
        by_query.setdefault(run.query.name, []).append(run)
    return [run for group in zip_longest(*by_query.values()) for run in group if run is not None]


def _smallest_first(runs: Iterable[references.HuntedRun]) -> list[references.HuntedRun]:
    """Return the runs without blank nodes before the runs with blank nodes, each from small to large."""
    return sorted(runs, key=lambda run: (run.has_blanks, len(run.pushes)))


@dataclass(slots=True)
class Explanation:
    """The explanation of the wrong runs of a hunt by causes, each of which becomes a fault.

    `add_faults` has these phases, in this order:

    1. `_find` names causes. If one cause explains all wrong runs, only this cause is named. Otherwise causes
       are added one after the other, each for the runs that are left. `_tested` runs the engine on new
       streams, which can refute a cause; the new runs are added to `wrong` and `right`. Causes are added to
       `named`, rules of an engine version to `rules`. `_add_rules_of` sets `followed`, removes the runs that
       the version predicts from `wrong`, and renews the `arena`. At the end, `_take_back` removes doubtful
       causes from `named`.
    2. `_isolated` finds for each cause a stream that shows only this cause, and runs the engine on it.
    3. `_show` minimizes the stream of each cause, and adds a fault to the faults of the hunt.
    4. `_add_unexplained` adds a fault without a rule if more runs are left than can be chance. Before,
       `_contrast` runs the engine on streams similar to these runs, and adds the runs to `wrong` and `right`.

    The time limit of the hunt can end each phase; the next phases then use what was found.
    """

    hunt: Hunt
    wrong: list[references.HuntedRun]
    right: list[references.HuntedRun]
    named: list[Cause] = field(default_factory=list, init=False)
    rules: list[RuleCause] = field(default_factory=list, init=False)
    followed: Engine | None = field(default=None, init=False)
    """The engine version whose rules are faults; the runs that this version predicts need no other cause."""
    judge: references.Reference = field(init=False)
    arena: Arena[references.HuntedRun, references.Switch] = field(init=False)

    def __post_init__(self) -> None:
        """Create the arena, which compares possible faults (switches) on the wrong and the correct runs."""
        hunt = self.hunt
        judge = self.judge = hunt.reference.narrowed(self.right)
        if judge is not hunt.reference:
            self.right = [run for run in self.right if judge.verdict(run).correct]
        over = partial(hunt.is_past, _UNDERSTOOD)
        self.arena = Arena(
            self._misses,
            judge.fits_at_time_zero,
            judge.can_refute,
            judge.expects,
            self.wrong,
            self.right,
            over,
        )

    def _misses(self, run: references.HuntedRun, on: tuple[references.Switch, ...]) -> int | None:
        """Return in how many rows and reports a run differs from the prediction.

        None after the time limit.
        """
        if self.hunt.is_past(1):
            return None
        with self.hunt.in_time():
            return self.judge.misses(run, on)

    @property
    def causes(self) -> tuple[references.Switch, ...]:
        """The switches (deviations) of the causes that have been found."""
        return tuple(cause.switch for cause in self.named)

    def add_faults(self) -> None:
        """Add a fault for each cause, the most frequent cause first, and a fault for unexplained runs."""
        self._find()
        self.hunt.untried = self.hunt.is_past(_UNDERSTOOD) and bool(self._left())
        own = self.followed is not None and self.followed.name == self.hunt.name
        # A change of the specification comes before a rule of another engine.
        causes: Causes = (*self.rules, *self.named) if own else (*self.named, *self.rules)
        isolation = Isolation(self.hunt.reference, self.followed, self.causes, self.hunt.queries)
        shown = self._isolated(isolation, causes)
        for number, (cause, run) in enumerate(zip(causes, shown, strict=True)):
            now = self.hunt.seconds / self.hunt.limits.time_limit
            # Each has its part of the time that is left.
            until = now + (_SHOWN - now) / (len(causes) - number)
            self._show(isolation, cause, run, until)
        self._add_unexplained()
        self.hunt.left = 0 if any(fault.rule is None for fault in self.hunt.faults) else len(self._left())

    def _find(self) -> None:
        every, switches = (*self.hunt.wrong, *self.hunt.right), self._switches()
        mute, pictures = tuple(mute_queries(every, self.wrong)), tuple(portraits(every, self.wrong))
        for candidates in (silent(every), mute, switches, pictures, self._pairs(switches)):
            if alone := self._tested(partial(self.arena.only, tuple(candidates))):
                self._name(alone)
                return
        own = ENGINES.get(self.hunt.name)
        self._add_rules(() if own is None else (own,))
        self._add_next(tuple(mute_queries(every, self._left())))
        self._add_next(switches)
        self._add_rules(ENGINES.values())
        # A portrait is no cause: it is said only if it leaves nothing that would be described beside it.
        lead = self.arena.next([one for one in pictures if one.held is None], self.causes)
        if (
            lead is not None
            and not self._is_enough
            and len(lead.explained) >= (1 - _CHANCE) * len(self._left())
        ):
            self._name(lead)
        self._take_back()

    def _name(self, lead: Lead[references.Switch]) -> None:
        explained, evidence = ([self.wrong[n] for n in each] for each in (lead.explained, lead.evidence))
        self.named.append(Cause(lead.switch, explained, evidence))

    def _take_back(self) -> None:
        """Remove doubtful causes, as long as more runs are unexplained than can be chance.

        A cause is doubtful if more runs are unexplained than the cause explains, or if it leaves many runs of
        its own queries unexplained. The cause that a query never returns a row is a symptom, so it is always
        doubtful.
        """
        while self._is_more_than_chance and (cause := next(filter(self._is_doubtful, self.named), None)):
            self.named.remove(cause)

    def _is_doubtful(self, cause: Cause) -> bool:
        explained, left = (
            Counter(run.query.name for run in runs) for runs in (cause.explained, self._left())
        )
        beside = any(left[name] > _BESIDE * count for name, count in explained.items())
        return cause.switch.held is not None or beside or left.total() > len(cause.explained)

    def _pairs(self, switches: Sequence[references.Switch]) -> Iterator[references.Switch]:
        """Yield pairs of the switches whose predictions fit best, if there are enough wrong runs."""
        if len(self.wrong) >= _MANY:
            told = [one for one in switches if one.held is None]
            first, *others = self.arena.nearest(told, _NEAREST)
            # What the nearest one needs may be far from what came where it is on alone.
            others += [one for one in told if one is not first and one not in others]
            yield from starmap(references.both, product([first], others))
            yield from starmap(references.both, combinations(others[: _NEAREST - 1], 2))

    def _switches(self) -> tuple[references.Switch, ...]:
        match self.judge:
            case references.SpecificationReference(_, _, specification) as reference:
                given = self.hunt.reference.options
                said = as_said(specification, *(query.read for query in self.hunt.queries))
                return *switches_of(said, given), *delays(reference, self.wrong), *pauses(self.wrong)
            case references.VersionReference() as version:
                return version.switches
            case _:
                return ()

    @property
    def _is_enough(self) -> bool:
        return len(self.hunt.faults) + len(self.rules) + len(self.named) >= (
            self.hunt.limits.faults or _MOST_FAULTS
        )

    def _add_next(self, switches: Sequence[references.Switch]) -> None:
        """Add the causes that explain the remaining runs, the most frequent cause first."""
        while not self._is_enough and (lead := self._tested(partial(self.arena.next, switches, self.causes))):
            self._name(lead)

    def _tested(self, choose: Callable[[], Lead[references.Switch] | None]) -> Lead[references.Switch] | None:
        """Return the best possible explanation that new runs do not refute. The new runs are kept.

        An explanation of missing reports needs evidence, because missing reports alone do not distinguish
        causes.
        """
        tested, count = set[references.Switch](), 0
        while (lead := choose()) is not None and lead.switch not in tested:
            if len(tested) == _MOST_TESTED:
                return None
            tested.add(lead.switch)
            for run in self._experiments(lead):
                self._add(run)
                count += 1
        # Where time was up before anything could refute it, nothing confirms it.
        untested = count < _FEWEST and self.hunt.is_past(_UNDERSTOOD)
        return lead if lead is not None and len(lead.evidence) >= _FEWEST and not untested else None

    def _experiments(self, lead: Lead[references.Switch]) -> Iterator[references.HuntedRun]:
        """Yield new runs, mostly on streams for which the explanation predicts wrong reports.

        Streams that are similar to the streams of explained runs distinguish the cause from similar causes.
        """
        explained = [self.wrong[number] for number in sorted(lead.explained)]
        left = {query.name: self._untried(query, explained) for query in self.hunt.queries}
        faulty, plain, template = 0, 0, explained[0].answers
        while left and faulty < _EXPERIMENTS:
            for query in self.hunt.queries:
                stream = next(left[query.name], None) if query.name in left else None
                if stream is None or self.hunt.is_past(_UNDERSTOOD):
                    left.pop(query.name, None)
                    continue
                silent_run = references.HuntedRun(query, stream, replace(template, replies=(), flush=()))
                if self.judge.expects(silent_run, lead.switch, rows=True):
                    faulty += 1
                elif plain < _NEAR and any(run.query is query for run in explained):
                    plain += 1
                else:
                    continue
                if (run := self.hunt.tested(query, stream)) is not None:
                    yield run

    def _untried(self, query: HuntedQuery, explained: Sequence[references.HuntedRun]) -> Iterator[Stream]:
        """Yield streams of a query for testing a cause: neighbours of explained runs, and random streams."""
        seed = f"{self.hunt.limits.seed} {self.hunt.runs}"
        own = [run.pushes for run in explained if run.query is query][:_TRIED]
        near = [stream for pushes in own for stream in islice(neighbours(query, pushes), _MOST_NEIGHBOURS)]
        random.Random(seed).shuffle(near)  # noqa: S311
        for pair in islice(zip_longest(near, islice(random_streams(query, seed), _TRIED)), _TRIED):
            yield from (stream for stream in pair if stream and not _is_late(stream))

    def _add(self, run: references.HuntedRun) -> None:
        """Add the run of an experiment to the runs on which causes are tried."""
        correct, engine = self.judge.verdict(run).correct, self.followed
        if engine is not None and references.follows(engine, run, self.judge.options, engine.rules):
            return
        if correct is not None:
            self.hunt.judged_runs += 1
            self.hunt.wrong_runs += not correct
            (self.right if correct else self.wrong).append(run)

    def _isolated(self, isolation: Isolation, causes: Causes) -> list[references.HuntedRun | None]:
        """Return, for each cause, a run that shows only this cause; None if no such run is found."""
        shown: dict[int, references.HuntedRun | None] = {}
        together: dict[int, references.HuntedRun] = {}
        half = (self.hunt.seconds / self.hunt.limits.time_limit + _SHOWN) / 2
        for unanswered_run in self._drawn(causes):
            left = [cause for cause in causes if shown.get(id(cause)) is None]
            if not left or self.hunt.is_past(half):
                break
            for cause in isolation.promised(unanswered_run, left):
                if isolation.is_alone(unanswered_run, cause):
                    shown[id(cause)] = self._confirmed(isolation, cause, unanswered_run)
                else:
                    # It takes another rule too: shown only if no stream does with one.
                    together.setdefault(id(cause), unanswered_run)
        for cause in causes:
            if shown.get(id(cause)) is None and id(cause) in together:
                shown[id(cause)] = self._confirmed(isolation, cause, together[id(cause)])
        return [shown.get(id(cause)) for cause in causes]

    def _drawn(self, causes: Causes) -> Iterator[references.HuntedRun]:
        """Yield streams without answers: small streams of causes, streams of all queries, large streams."""
        if not causes:
            return
        unanswered = replace(causes[0].evidence[0].answers, replies=(), flush=())
        # What hides a cause may depend on the query, so each query has its smallest stream looked at early.
        each = (_in_turns(_smallest_first(cause.evidence)) for cause in causes)
        turns = (run for run in chain.from_iterable(zip_longest(*each)) if run is not None)
        # A run that is evidence of several causes is tried on all of them at once.
        distinct = {(run.query.name, run.pushes): run for run in turns}
        own = [replace(run, answers=unanswered) for run in distinct.values()]
        # Which windows close when hardly depends on what else a query says: one of each kind is enough.
        kinds = {
            (one.windows, *dict.fromkeys(letter[0] for letter in one.letters)): one
            for one in reversed(self.hunt.queries)
        }
        closing = (
            references.HuntedRun(query, stream, unanswered)
            for group in zip_longest(*map(closing_streams, kinds.values()))
            for query, stream in zip(kinds.values(), group, strict=True)
            if stream
        )
        small = (run for run in own if len(run.pushes) <= _MOST_SHOWN)
        yield from (run for pair in zip_longest(small, closing) for run in pair if run is not None)
        every = [(query, streams(query, self.hunt.limits.seed)) for query in self.hunt.queries]
        # As many as looked for faults.
        for _ in range(self.hunt.searched // len(every)):
            drawn = (references.HuntedRun(query, next(pushes), unanswered) for query, pushes in every)
            yield from (run for run in drawn if len(run.pushes) <= _MOST_SHOWN)
        yield from (run for run in own if len(run.pushes) > _MOST_SHOWN)

    def _confirmed(
        self, isolation: Isolation, cause: Cause | RuleCause, unanswered_run: references.HuntedRun
    ) -> references.HuntedRun | None:
        """Return the engine's run on a stream if the run shows only this cause, otherwise None."""
        try:
            run = self.hunt.run(unanswered_run.query, unanswered_run.pushes)
        except FailedEngineError as error:
            self.hunt.fail(unanswered_run.query, error)
            return None
        wrong = self.hunt.reference.verdict(run).correct is False
        return run if wrong and self._is_alone(isolation, cause, run) else None

    def _is_alone(self, isolation: Isolation, cause: Cause | RuleCause, run: references.HuntedRun) -> bool:
        return self._can_refute(cause, run) and isolation.right_without(run, cause) is not None

    def _can_refute(self, cause: Cause | RuleCause, run: references.HuntedRun) -> bool:
        """Return whether a cause explains a run that is unexplained without the cause."""
        if isinstance(cause, Cause):
            switch = cause.switch
            return self.judge.predicts(run, (switch,)) and self.judge.can_refute(run, (switch,))
        options, others = self.judge.options, tuple(one for one in cause.needed if one != cause.rule)
        lacking = references.follows(cause.engine, run, options, others)
        return not lacking and references.follows(cause.engine, run, options, cause.needed)

    def _keeps(
        self, isolation: Isolation, cause: Cause | RuleCause, run: references.HuntedRun | None
    ) -> Keeps:
        """Return the function that returns whether a minimized run still shows the cause."""
        if run is not None:
            alone, most = isolation.is_alone(run, cause), len(isolation.also_right_without(run, cause))
            return lambda one: (
                self._can_refute(cause, one)
                and isolation.right_without(one, cause) is not None
                and (
                    isolation.is_alone(one, cause)
                    if alone
                    else len(isolation.also_right_without(one, cause)) <= most
                )
            )
        if isinstance(cause, RuleCause):
            return partial(self._can_refute, cause)
        before = self.causes[: self.named.index(cause)]
        switches, predicts = (*before, cause.switch), self.judge.predicts
        return lambda one: predicts(one, switches) and not (before and predicts(one, before))

    def _show(
        self, isolation: Isolation, cause: Cause | RuleCause, run: references.HuntedRun | None, until: float
    ) -> None:
        """Add the fault of a cause with a small run, preferably a run that shows only this cause."""
        beside = partial(isolation.beside, cause=cause)
        shown = self._keeps(isolation, cause, run)
        small = self.hunt.small(run or _smallest_first(cause.evidence)[0], shown, until)
        right = isolation.right_without(small, cause)
        others = isolation.other_causes(small, cause) if right is None else beside(small)
        on = (cause.switch,) if isinstance(cause, Cause) else ()
        verdict = self.hunt.reference.verdict(small, on, right)
        told = [self._fault_rule(one) for one in others]
        times = len(cause.explained) if isinstance(cause, Cause) else len(cause.evidence)
        rule = self._fault_rule(cause.switch if isinstance(cause, Cause) else cause.rule)
        isolated = right is not None and not others
        self.hunt.faults.append(
            Fault(small, verdict, self.hunt.first_wrong, rule, None, isolated, tuple(told), times)
        )

    def _fault_rule(self, of: references.Switch | EngineRule) -> references.Switch:
        if isinstance(of, references.Switch):
            return of
        if self.followed is None:
            return references.Switch(of.sentence, of.right)
        sentence = f"{of.sentence} ({of.name} of {self.followed.name})"
        return references.Switch(sentence, of.right or "without that")

    def _left(self) -> list[references.HuntedRun]:
        return [self.wrong[number] for number in self.arena.left(self.causes)]

    def _add_rules(self, engines: Iterable[Engine]) -> None:
        """Add the rules of the first engine version that predicts enough of the unexplained runs.

        A version of another engine must also predict the right runs.
        """
        left, reference = self._left(), self.hunt.reference
        if not left or self.followed or not isinstance(reference, references.SpecificationReference):
            return
        for engine in engines:
            if engine.specification != reference.specification.name:
                continue
            predicted = [
                run for run in left if references.follows(engine, run, reference.options, engine.rules)
            ]
            own = engine.name == self.hunt.name
            enough = len(left) * _OWN if own else len(self.wrong) * _ANOTHER
            if len(predicted) >= enough and (own or self._follows(engine)):
                self._add_rules_of(engine, predicted)
                self.wrong[:] = [run for run in self.wrong if run not in predicted]
                self.arena = replace(self.arena)
                self.followed = engine
                return

    def _follows(self, engine: Engine) -> bool:
        """Return whether the rules of another engine also predict the right runs."""
        options = self.hunt.reference.options
        return all(references.follows(engine, run, options, engine.rules) for run in self.right[:_SAMPLE])

    def _add_rules_of(self, engine: Engine, runs: Sequence[references.HuntedRun]) -> None:
        options, sample = self.hunt.reference.options, runs[:_SAMPLE]

        def all_follow(rules: Sequence[EngineRule]) -> bool:
            return all(references.follows(engine, run, options, rules) for run in sample)

        needed = fewest_enough(engine.rules, all_follow)
        for rule in needed:
            whole = RuleCause(engine, rule, needed, ())
            shown = [run for run in runs if self._can_refute(whole, run)]
            if shown and not self._is_enough:
                self.rules.append(replace(whole, evidence=shown))

    def _is_left(self, run: references.HuntedRun) -> bool:
        return not any(self.judge.predicts(run, (cause,)) for cause in self.causes)

    @property
    def _is_more_than_chance(self) -> bool:
        """Whether the number of unexplained runs is too large to be chance."""
        return len(self._left()) > (max(_FEW, len(self.wrong) * _CHANCE) if self.named else 0)

    def _contrast(self) -> None:
        """Run streams similar to the unexplained wrong runs, to find the common properties of these runs."""
        for run in _smallest_first(self._left())[:_MOST_TESTED]:
            near = list(islice(neighbours(run.query, run.pushes), _MOST_NEIGHBOURS))
            random.Random(self.hunt.limits.seed).shuffle(near)  # noqa: S311
            for stream in near[:_NEAR]:
                if (
                    stream
                    and not _is_late(stream)
                    and not self.hunt.is_past(_UNDERSTOOD)
                    and (one := self.hunt.tested(run.query, stream)) is not None
                ):
                    self._add(one)

    def _add_unexplained(self) -> None:
        """Add a fault without a rule for the unexplained runs, if they are more than chance can explain."""
        if self._is_enough or not self._is_more_than_chance:
            return
        self._contrast()
        left = self._left()
        small = self.hunt.small(_smallest_first(left)[0], self._is_left)
        mute = (one.sentence for one in mute_queries((*self.hunt.wrong, *self.hunt.right), left))
        # Each run is judged once more for it, also if the time is over.
        most = _DESCRIBED if self.hunt.is_past(_SHOWN) else _KEPT
        alike = "; ".join((described(left[:most], self.right[:most], self.judge), *mute))
        verdict = self.judge.verdict(small)
        fault = Fault(small, verdict, self.hunt.first_wrong, None, alike, times=len(left))
        self.hunt.faults.append(replace(fault, untried=self.hunt.untried))
