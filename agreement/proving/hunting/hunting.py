"""Hunt for faults: run an engine on streams, judge its runs, repeat wrong runs, and minimize their streams.

The module `explanation.py` explains the wrong runs.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from functools import partial
from itertools import zip_longest
from math import isfinite
from time import monotonic
from typing import Final

from agreement.comparing.smaller import made_small
from agreement.documents.outputs import quantity
from agreement.engines.adapters.messages import (
    EngineAnswers,
    FailedEngineError,
    ProfileReply,
    StreamEngine,
    TimeIsUpError,
    answers_of,
)
from agreement.proving.hunting import references
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.showing import neighbours, size
from agreement.proving.hunting.streams import Stream, streams
from lars.dataclass import dataclass
from lars.durations import read_duration
from lars.errors import LarsError, TimeLimitError
from lars.options import kind_of_value, option
from solver.deadlines import Deadline, until
from solver.settings import Progress, no_progress

# All numbers are guesses with the given reasons. No number was measured on its own.

# Runs of the engine.
_MOST_FAILURES: Final = 5
"""The number of failed runs after which a query is not run again, because its problem is clear."""
_MANY_REPORTS: Final = 200
"""The number of reports from which on a run is not judged, to save time, if enough wrong runs are known."""
MOST_KEPT: Final = 250
"""The maximum number of wrong runs, and of correct runs, on which possible causes are tried."""
_ENOUGH: Final = 40
"""The number of wrong runs per requested fault at which the search for wrong runs ends."""
_FEW_QUERIES: Final = 3
"""The maximum number of queries with wrong runs for which a query with few wrong runs is run more often."""
_OFTEN: Final = 12
"""The number of wrong runs of a query from which on the query is not run more often than others."""
_MORE: Final = 4
"""The number of runs per turn of a query that is run more often than others."""
_REPEATED: Final = 3
"""The number of wrong runs that a new process repeats, to find out whether the engine is deterministic."""
_REPEATED_MORE: Final = 12
"""The number of wrong runs that a new process repeats if some repetition has other answers."""
_UNSTEADY: Final = 1 / 3
"""If a larger share of the repeated runs has other answers, no run is explained: all may be chance."""
_FASTEST: Final = 1e-6
"""The assumed minimum of seconds per message to an engine, so that the expected time of a run is not 0."""
_ONE_RUN: Final = 0.05
"""The share of the time limit that one run may take; streams that would take longer are left out."""
_SHORT: Final = 3
"""The number of triples up to which no stream is left out, because also a slow engine must be run."""

# The shares of the time limit at which phases end.
_EXPLORED: Final = 0.3
"""The share of the time limit for finding wrong runs, if a run is wrong; explanations take the rest."""
_WITHOUT_FAULT: Final = 0.9
"""The share of the time limit for finding wrong runs, if no run is wrong."""
_WITH_FAILURE: Final = 0.6
"""The share of the time limit for finding wrong runs, if no run is wrong, but the engine fails in a run."""
_FAILURE_SMALL: Final = 0.45
"""The share of the time limit at which the minimization of a failed run ends, if other runs are wrong."""
SHOWN: Final = 0.95
"""The share of the time limit at which the minimization of streams ends; the report takes the rest."""

# Faults.
MOST_FAULTS: Final = 12
"""The maximum number of reported faults if the user sets no limit; nobody would read a longer list."""
UNEXPLAINED: Final = "unexplained"
PARTLY: Final = "no fault explains all wrong runs"
IN_PART: Final = "explained in part"
IN_DOUBT: Final = "in doubt"
UNTRIED: Final = "time was up before all rules were tried"
Keeps = Callable[[references.HuntedRun], bool]
"""A function that decides whether a run on a smaller stream still shows the fault to be minimized."""


@dataclass(slots=True)
class Fault:
    """A fault of an engine, with a small run that shows the fault, and the verdict on this run.

    - `rule` explains the fault: the rules of all faults explain every wrong run, and no run contradicts them.
      If `rule` is None, no rule explains the fault, and `alike` describes the wrong runs.
    - `equal_rules` contains other rules that predict the same in every run, so that each of them may be the
      rule of the fault instead.
    - `times` is the number of wrong runs with this fault.
    - `of` is the number of all wrong runs if `likely` explains only a part of them. `left` is the number of
      wrong runs that nothing explains, and `against` the number of runs that contradict `likely`.
    - `isolated` is false if other rules of the engine also change the answers to the run's stream.
      `other_rules` contains the known rules that also change the answers to the run's stream.
    - `likely` is a rule that explains this run and `likely_runs` of the wrong runs, if no rule explains all
      wrong runs.
    - `untried` is true if no rule explains the fault, and time was up before all rules were tried.
    - `repeated` is false if a new process answered differently, so that the engine is not deterministic.
      `confirmed` is false if no time was left to run a new process.
    - `failure` is the message of the error if the engine fails in the run instead of answering: it crashes,
      does not reply in time, or sends an invalid reply. The run then has no answers.
    - `smallest` is false if a time limit ended the search for a smaller stream, or if the fault is not
      repeatable.
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
    confirmed: bool = False
    untried: bool = False
    likely: str | None = None
    failure: str | None = None
    smallest: bool = True
    equal_rules: tuple[references.Switch, ...] = ()
    likely_runs: int = 0
    of: int = 0
    left: int = 0
    against: int = 0

    @property
    def sentence(self) -> str:
        """A description of the fault as text."""
        if self.failure is not None:
            return (
                f"the engine fails: {self.failure}{'' if self.repeated else '; a new process does not fail'}"
            )
        if self.rule is not None:
            return self.rule_sentence
        if not self.repeated:
            return "not deterministic: a new process gives other answers to the same stream"
        if self.of:
            return f"{IN_PART if self.left else IN_DOUBT}: {self.partial_sentence}"
        alike = self.alike or self.verdict.symptom
        if self.likely is None:
            return f"{UNTRIED if self.untried else UNEXPLAINED}: {alike}"
        head = UNTRIED if self.untried else PARTLY
        also = f", and {self.likely_runs} of the wrong runs" if self.likely_runs else ""
        described = f"description of the wrong runs: {alike}"
        return f"{head}: {self.likely} explains the smallest stream{also}; {described}"

    @property
    def rule_sentence(self) -> str:
        """The sentence of the rule, and of the rules that no run tells apart from it."""
        first = "" if self.rule is None else self.rule.sentence
        return or_sentence(first, self.equal_rules)

    @property
    def partial_sentence(self) -> str:
        """The rule that explains a part of the wrong runs, and the numbers of the other runs."""
        left = f"; {_other_runs(self.left)} not explained" if self.left else ""
        verb = "contradicts" if self.against == 1 else "contradict"
        against = f"; {quantity(self.against, 'run')} of the hunt {verb} this rule" if self.against else ""
        return f"{self.likely} explains {self.times} of {self.of} wrong runs{left}{against}"


def _other_runs(number: int) -> str:
    return "1 of these runs is" if number == 1 else f"{number} of these runs are"


def or_sentence(first: str, others: Sequence[references.Switch]) -> str:
    """Return the sentence of a rule with those of others, from which no run tells it apart."""
    if not others:
        return first
    several = "; or: ".join((first, *(one.sentence for one in others[:_MOST_EQUAL])))
    more = len(others) - _MOST_EQUAL
    rest = f"; or one of {more} more" if more > 0 else ""
    return f"{several}{rest} (no run of the hunt distinguishes these rules)"


_MOST_EQUAL: Final = 3
"""The maximum number of other rules that the sentence of a fault names."""


@kind_of_value("TIME", "str | float")
def seconds_of(value: str | float) -> float:
    """Return a time limit in seconds, from a number or from a duration such as 1m.

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
    """The limits of a hunt (time, runs and faults), and the seed of its random streams."""

    time_limit: float = option(
        60.0, "Time limit of the whole hunt: seconds, or a time such as 5m.", seconds_of
    )
    runs: int | None = option(
        None,
        "Maximum number of runs that search for faults. lars then needs more runs to reduce each "
        "fault to a small stream.",
        least=1,
    )
    faults: int | None = option(None, "Stop when lars has found N faults.", least=1)
    seed: int = option(0, "Seed of the random streams.", least=0)


@dataclass(slots=True)
class Hunt:
    """A hunt for faults of an engine, with the wrong runs and the faults that are found so far.

    `start` is the time at which the hunt began.
    """

    engine: StreamEngine
    queries: Sequence[HuntedQuery]
    reference: references.Reference
    limits: HuntLimits
    start: float = field(default_factory=monotonic)
    runs: int = field(default=0, init=False)
    searched: int = field(default=0, init=False)
    """The number of runs of the engine that searched for faults."""
    tests: int = field(default=0, init=False)
    """The number of runs of the engine that tested causes; further runs minimize or repeat faults."""
    judged_runs: int = field(default=0, init=False)
    faults: list[Fault] = field(default_factory=list, init=False)
    failures: list[tuple[HuntedQuery, str]] = field(default_factory=list, init=False)
    """The runs without a verdict, each with the reason: the engine failed, or nothing can judge the run."""
    failed: list[tuple[references.HuntedRun, str]] = field(default_factory=list, init=False)
    """The runs in which the engine failed, without answers, each with the message of the error."""
    name: str = field(default="", init=False)
    """The name that the engine gives itself."""
    right: list[references.HuntedRun] = field(default_factory=list, init=False)
    wrong: list[references.HuntedRun] = field(default_factory=list, init=False)
    """The wrong runs of the engine on which causes are tried."""
    left: int = field(default=0, init=False)
    """The number of wrong runs in `wrong` that no fault explains."""
    untried: bool = field(default=False, init=False)
    """Whether time was up before all possible causes were tried on the wrong runs."""
    wrong_runs: int = field(default=0, init=False)
    answered: bool = field(default=False, init=False)
    """Whether the engine has answered a stream with a triple without a failure."""
    pace: float = field(default=_FASTEST, init=False)
    """The number of seconds per message in the last run of the engine."""
    waited: float = field(default=0.0, init=False)
    """The number of seconds for which the runs of the engine have lasted."""
    first_wrong: float = field(default=0.0, init=False)
    """The number of seconds from the start of the hunt to the first wrong run."""
    _smallest: tuple[references.HuntedRun, references.RunVerdict] | None = field(default=None, init=False)
    """The wrong run with the fewest triples, with its verdict."""
    _profile: ProfileReply | None = field(default=None, init=False)
    _progress: Progress = field(default=no_progress, init=False)

    @property
    def waiting(self) -> list[references.HuntedRun]:
        """The correct runs with a report that comes later than with the first triple after its time."""
        return [run for run in self.right if not run.late and any(run.waiting)]

    @property
    def seconds(self) -> float:
        """The number of seconds since the hunt began."""
        return monotonic() - self.start

    def in_time(self, share: float = 1) -> AbstractContextManager[None]:
        """Return a context manager in which verdicts raise TimeLimitError after a share of the time limit."""
        limit = self.limits.time_limit
        return until(Deadline(limit, self.start + share * limit))

    def is_past(self, share: float) -> bool:
        """Report the progress, and return whether the given share of the time limit is over."""
        now, limit = self.seconds, self.limits.time_limit
        self._progress(min(int(now), int(limit)), int(limit))
        return now > share * limit

    def defined(self, runs: list[references.HuntedRun]) -> list[references.HuntedRun]:
        """Return the runs without late triples, because specifications do not define late triples.

        If all runs have late triples, or if the model of an engine version defines correct answers, all runs
        are returned.
        """
        if not isinstance(self.reference, references.SpecificationReference):
            return runs
        return [run for run in runs if not run.late] or runs

    def explore(self, progress: Progress = no_progress) -> None:
        """Run the engine on streams of all queries in turn, and keep the wrong and the correct runs."""
        self._progress = progress
        left = [(query, streams(query, self.limits.seed)) for query in self.queries]
        while left and not self._explored:
            for query, pushes in list(left):
                if self._explored:
                    break
                for _ in range(_MORE if self._is_seldom_wrong(query) else 1):
                    self._step(query, next(pushes))
                if sum(failed is query for failed, _ in self.failures) >= _MOST_FAILURES:
                    left = [pair for pair in left if pair[0] is not query]
        self.searched = self.runs

    def _is_seldom_wrong(self, query: HuntedQuery) -> bool:
        """Return whether a query has few wrong runs, and few queries have wrong runs.

        If a query has few wrong runs, more runs are necessary to find the cause.
        """
        names = Counter(run.query.name for run in self.wrong)
        return len(names) <= _FEW_QUERIES and 0 < names[query.name] < _OFTEN

    @property
    def _explored(self) -> bool:
        limits = self.limits
        enough = limits.faults is not None and len(self.wrong) >= _ENOUGH * limits.faults
        ran = limits.runs is not None and self.runs >= limits.runs
        without_wrong = _WITH_FAILURE if self.failed else _WITHOUT_FAULT
        return enough or ran or self.is_past(_EXPLORED if self.wrong else without_wrong)

    def run(self, query: HuntedQuery, stream: Stream) -> references.HuntedRun:
        """Run the engine with a query on a stream, and return the run.

        Raises:
            FailedEngineError: The engine fails.
        """
        self.runs += 1
        began = monotonic()
        try:
            run = references.HuntedRun(query, stream, answers_of(self.engine, query.registration, stream))
        finally:
            seconds = monotonic() - began
            self.waited += seconds
        self.pace = max(_FASTEST, seconds / (len(stream) + 2))
        if run.answers.profile is None:
            problem = "the engine now rejects a query that it accepted before"
            raise FailedEngineError(f"{problem}: {run.answers.refused}")
        self._profile = run.answers.profile
        self.name = self._profile.engine
        self.answered = self.answered or bool(stream)
        return run

    def tested(self, query: HuntedQuery, stream: Stream) -> references.HuntedRun | None:
        """Run the engine on a stream to test a cause, and return the run; None if the engine fails."""
        self.tests += 1
        try:
            return self.run(query, stream)
        except FailedEngineError as error:
            self.fail(query, stream, error)
            return None

    def fail(self, query: HuntedQuery, stream: Stream, error: LarsError) -> None:
        """Record that a run of a query has no verdict, for example because the engine crashed.

        If a run only exceeded a time limit, nothing is recorded.
        """
        if isinstance(error, TimeIsUpError | TimeLimitError):
            return
        self.failures.append((query, str(error)))
        if isinstance(error, FailedEngineError):
            self.failed.append((self._unanswered(query, stream), str(error)))

    def _unanswered(self, query: HuntedQuery, stream: Stream) -> references.HuntedRun:
        return references.HuntedRun(query, stream, EngineAnswers(self._profile))

    def add_failure(self) -> None:
        """Add the fault that the engine fails, with the smallest run in which it fails, as the first fault.

        RSP-QL does not define streams with late triples, so a run without a late triple is preferred. If the
        hunt has this fault already, only the number of failed runs changes.
        """
        known = next((fault for fault in self.faults if fault.failure is not None), None)
        if known is not None:
            known.times = len(self.failed)
        elif self.failed:
            run, message = min(self.failed, key=lambda one: (bool(one[0].late), len(one[0].pushes)))
            fault = Fault(run, references.RunVerdict(False), self.seconds, failure=message)
            self._minimize_failure(fault, _FAILURE_SMALL if self.wrong else SHOWN)
            fault.times = len(self.failed)
            self.faults.insert(0, fault)

    def add_untried(self) -> None:
        """Add a fault for the wrong runs if the time limit was over before anything could describe them."""
        self.untried = True
        described = [fault for fault in self.faults if fault.failure is None]
        self.left = max(self.left, len(self.wrong) - sum(fault.times for fault in described))
        if self._smallest is None or described:
            return
        run, verdict = self._smallest
        fault = Fault(run, verdict, self.first_wrong, times=len(self.wrong), untried=True, smallest=False)
        self.faults.append(fault)
        self.left = 0

    def _minimize_failure(self, fault: Fault, until: float) -> None:
        """Replace the run of a failure by a run on a stream that is as small as possible."""
        query, late = fault.run.query, bool(fault.run.late)

        def kept(stream: Stream) -> bool:
            other = self._unanswered(query, stream)
            if (other.late and not late) or (message := self._failure(other)) is None:
                return False
            fault.run, fault.failure = other, message
            return True

        if fault.run.pushes:
            fault.smallest = self._made_small(fault.run, kept, until)

    def _made_small(self, run: references.HuntedRun, keeps: Callable[[Stream], bool], until: float) -> bool:
        """Minimize the stream of a run as long as `keeps` is true, and return whether the search ended.

        If the share `until` of the hunt's time limit is over, the function returns false.
        """
        ended = True

        def kept(stream: Stream) -> bool:
            nonlocal ended
            ended = ended and not self.is_past(until)
            if not stream or not ended:
                return False
            try:
                return keeps(stream)
            except (TimeIsUpError, TimeLimitError):
                ended = False
                return False

        made_small(run.pushes, partial(neighbours, run.query), partial(size, run.query), kept)
        return ended

    def _failure(self, run: references.HuntedRun) -> str | None:
        """Return the message of the error if the engine fails on the stream of a run; otherwise None.

        Raises:
            TimeIsUpError: The time limit ended before the engine replied.
        """
        try:
            self.run(run.query, run.pushes)
        except TimeIsUpError:
            raise
        except FailedEngineError as error:
            return str(error)
        return None

    def _step(self, query: HuntedQuery, stream: Stream) -> None:
        if len(stream) > max(_SHORT, self.limits.time_limit * _ONE_RUN / self.pace):
            return
        try:
            run = self.run(query, stream)
            if len(run.answers.reports) > _MANY_REPORTS and len(self.wrong) >= _ENOUGH:
                # To judge so many reports takes too long, and enough wrong runs are known.
                return
            with self.in_time():
                verdict = self.reference.verdict(run)
        except LarsError as error:
            # A run that fails, or that cannot be judged, does not end the hunt.
            self.fail(query, stream, error)
            return
        correct = verdict.correct
        self.judged_runs += correct is not None
        if correct is False:
            self.first_wrong = self.first_wrong or self.seconds
            self.wrong_runs += 1
            if self._smallest is None or len(stream) < len(self._smallest[0].pushes):
                self._smallest = run, verdict
        kept = self.right if correct else self.wrong
        if correct is not None and len(kept) < MOST_KEPT:
            kept.append(run)

    def repeatable(self) -> list[references.HuntedRun]:
        """Repeat some wrong runs with a new process of the engine, and return the repeatable wrong runs.

        A run is left out if the new process answers its stream differently, and the first run that is left
        out becomes a fault. If the new process answers too many streams differently, no run is returned.
        """
        repeated = 0
        unsteady: list[references.HuntedRun] = []
        self.engine.end()
        for run in in_turns(self.wrong):
            if repeated == (_REPEATED_MORE if unsteady else _REPEATED):
                break
            repeated += 1
            if not self.repeats(run):
                unsteady.append(run)
        if unsteady:
            run = unsteady[0]
            verdict = self.reference.verdict(run)
            # No smaller stream is tried, because a run on it may be right by chance.
            self.faults.append(Fault(run, verdict, self.first_wrong, repeated=False, smallest=False))
        if len(unsteady) > _UNSTEADY * repeated:
            return []
        return [run for run in self.wrong if all(run is not other for other in unsteady)]

    def repeats(self, run: references.HuntedRun) -> bool:
        """Run the engine on the stream of a run again, and return whether the answers are the same."""
        try:
            return self.run(run.query, run.pushes).answers.same(run.answers)
        except FailedEngineError as error:
            self.fail(run.query, run.pushes, error)
            # If the time is over, nothing shows that the answers differ.
            return isinstance(error, TimeIsUpError)

    def confirm(self, fault: Fault) -> None:
        """Repeat the run of a fault with a new process, and set whether it is repeatable, if time is left."""
        if not fault.repeated or self.is_past(1):
            return
        if fault.failure is None:
            fault.repeated = self.repeats(fault.run)
            if self.is_past(1) and fault.repeated:
                return
        else:
            try:
                fault.repeated = self._failure(fault.run) is not None
            except TimeIsUpError:
                return
        fault.confirmed = True
        # If the fault does not repeat, a smaller stream that was right may be wrong in another run.
        fault.smallest = fault.smallest and fault.repeated

    def join_unsteady(self) -> None:
        """Leave one of the faults that only name an engine that is not deterministic.

        The runs of the other such faults count as unexplained.
        """
        named = [(one.repeated, one.rule, one.failure) != (False, None, None) for one in self.faults]
        first = named.index(False) if False in named else None
        kept = [is_named or n == first for n, is_named in enumerate(named)]
        self.left += sum(fault.times for fault, keeps in zip(self.faults, kept, strict=True) if not keeps)
        self.faults = [fault for fault, keeps in zip(self.faults, kept, strict=True) if keeps]

    def small(
        self, run: references.HuntedRun, keeps: Keeps, until: float = SHOWN
    ) -> tuple[references.HuntedRun, bool]:
        """Return a wrong run on a stream as small as possible, for which the function `keeps` returns true.

        The second returned value is false if the minimization stopped because the share `until` of the hunt's
        time limit was over.
        """
        last = run

        def kept(stream: Stream) -> bool:
            nonlocal last
            try:
                other = self.run(run.query, stream)
            except TimeIsUpError:
                raise
            except FailedEngineError:
                return False
            with self.in_time():
                wrong = self.reference.verdict(other).correct is False and keeps(other)
            last = other if wrong else last
            return wrong

        ended = self._made_small(run, kept, until)
        return last, ended


def in_turns(runs: Sequence[references.HuntedRun]) -> list[references.HuntedRun]:
    """Return the first run of each query, then the second run of each query, and so on."""
    by_query: dict[str, list[references.HuntedRun]] = {}
    for run in runs:
        by_query.setdefault(run.query.name, []).append(run)
    return [run for group in zip_longest(*by_query.values()) for run in group if run is not None]
