"""The hunt: an engine is run on streams, each run judged; wrong ones repeated, made small, grouped."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isfinite
from time import monotonic
from typing import ClassVar, Final

from agreement.comparing.judge.judgement import UNCLOSED
from agreement.documents.options import option
from agreement.engines.adapters import FailedEngineError, StreamEngine, answers_of
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.references import FaultRule, HuntedRun, Reference, RunVerdict
from agreement.proving.hunting.streams import Stream, streams
from lars.durations import read_duration
from lars.errors import LarsError
from solver.settings import Progress, no_progress

_Size = tuple[int, int, float, int]


def shrunk(query: HuntedQuery, stream: Stream, keeps: Callable[[Stream], bool]) -> Stream:
    """Return a stream of which no smaller neighbour is kept: fewer triples, fewer times, earlier, plainer.

    `keeps` may raise or become False for all once no time is left.
    """
    tried = set[Stream]()

    def smaller(now: Stream) -> Stream | None:
        size = _size(query, now)
        for other in _neighbours(query, now):
            if other and other not in tried and _size(query, other) < size:
                tried.add(other)
                if keeps(other):
                    return other
        return None

    while (pushes := smaller(stream)) is not None:
        stream = pushes
    return stream


def _size(query: HuntedQuery, stream: Stream) -> _Size:
    places = {letter: n for n, letter in enumerate(query.letters)}
    letters = sum(places.get((push.stream, push.triple), len(places)) for push in stream)
    return len(stream), len({push.t for push in stream}), sum(push.t for push in stream), letters


def _neighbours(query: HuntedQuery, stream: Stream) -> Iterator[Stream]:
    """Yield streams with triples left out, many at first; with times moved; with other letters."""
    length = len(stream)
    part = length // 2
    while part:
        yield from (stream[:n] + stream[n + part :] for n in range(0, length, part))
        part //= 2
    times = sorted({one.t for one in stream})
    for before, t in zip([0.0, *times], times, strict=False):
        half = (t - before) // 2 // query.tick * query.tick
        for less in dict.fromkeys((t - before, half, query.tick)):
            if 0 < less <= t:
                yield tuple(replace(one, t=one.t - less) if one.t >= t else one for one in stream)
                yield tuple(replace(one, t=one.t - less) if one.t == t else one for one in stream)
    for n, push in enumerate(stream):
        for other in query.letters:
            if other[0] == push.stream and other[1] != push.triple:
                yield (*stream[:n], replace(push, triple=other[1]), *stream[n + 1 :])


_MOST_FAILURES: Final = 5
"""So many runs of one query may fail before it is left alone."""
_LAYERS: Final = 3
"""How often a run that no rule explains is made small, each time without the rules that are known."""
_SAMPLES: Final = 12
_MANY_REPORTS: Final = 200
"""A run with so many reports is made small before anything explains it."""
_EXPLAINED: Final = 0.25
"""Which share of a query's first runs a rule has to explain; an engine may have other faults too."""
_LIKELY: Final = 2
"""So many of a query's first wrong runs the rules of another engine have to explain."""
UNEXPLAINED: Final = "unexplained"


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run in which the engine or its adapter failed."""

    query: HuntedQuery
    stream: Stream
    problem: str


@dataclass(slots=True)
class Fault:
    """A fault of an engine: its smallest run, with the verdict, the rule, and how many runs show it.

    `rule` is None where none explains it; `alike` is then what comes close, or None; `other_rules`
    are other rules of its engine version without which it does not explain the run. Not `repeated`: a
    new process answered the run otherwise, so that the engine is not deterministic.
    """

    run: HuntedRun
    verdict: RunVerdict
    rule: FaultRule | None
    alike: str | None
    seconds: float
    other_rules: tuple[FaultRule, ...] = ()
    times: int = 1
    repeated: bool = True

    @property
    def sentence(self) -> str:
        """What the fault is, in words."""
        if self.rule is not None:
            return self.rule.sentence
        if not self.repeated:
            return "not deterministic"
        sentence = UNCLOSED if self.verdict.early else self.alike or self.verdict.symptom
        return f"{UNEXPLAINED}: {sentence} ({self.run.query.name})"


def _seconds(value: str | float) -> float:
    """Return a time in seconds, of a number of them or of a duration.

    >>> _seconds("1m"), _seconds("2.5"), _seconds(3)
    (60.0, 2.5, 3.0)
    """
    try:
        number = float(value)
    except ValueError:
        number = read_duration(str(value)).milliseconds / 1000
    if not isfinite(number) or number <= 0:
        raise LarsError("accepted: a time above zero, as 60s or 90")
    return number


@dataclass(frozen=True, slots=True)
class HuntLimits:
    """When a hunt ends: after so many seconds, runs or faults; and the seed of its random streams."""

    HEADING: ClassVar = ""

    time_limit: float = option(60.0, "How long is hunted.", _seconds, metavar="TIME", keyword="str | float")
    runs: int | None = option(None, "How many runs there are at most.", least=1)
    faults: int | None = option(None, "How many faults are enough.", least=1)
    seed: int = option(0, "Of the random streams.", least=0)


@dataclass(slots=True)
class Hunt:
    """A hunt as it goes: what was run so far, what was found."""

    engine: StreamEngine
    queries: Sequence[HuntedQuery]
    reference: Reference
    limits: HuntLimits
    runs: int = field(default=0, init=False)
    judged_runs: int = field(default=0, init=False)
    faults: list[Fault] = field(default_factory=list, init=False)
    failures: list[FailedRun] = field(default_factory=list, init=False)
    name: str = field(default="", init=False)
    """What the engine says that it is called."""
    _samples: dict[str, list[HuntedRun]] = field(default_factory=dict, init=False)
    _runs: dict[tuple[str, Stream], HuntedRun] = field(default_factory=dict, init=False)
    """Samples that have been run before their time."""
    _start: float = field(default=0.0, init=False)

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return monotonic() - self._start

    def go(self, progress: Progress = no_progress) -> None:
        """Run until a limit is reached, or every query has failed too often."""
        self._start = monotonic()
        left = [(query, streams(query, self.limits.seed)) for query in self.queries]
        while left and not self._over:
            for query, pushes in list(left):
                if self._over:
                    break
                progress(min(int(self.seconds), int(self.limits.time_limit)), int(self.limits.time_limit))
                self._step(query, next(pushes))
                if sum(failed_run.query is query for failed_run in self.failures) >= _MOST_FAILURES:
                    left = [pair for pair in left if pair[0] is not query]
        self._repeat()

    def _repeat(self) -> None:
        """Run what was found in a new process, which nothing before has touched."""
        self.engine.end()
        for fault in self.faults:
            try:
                fault.repeated = fault.repeated and self._again(fault.run)
            except FailedEngineError as error:
                fault.repeated = False
                self.failures.append(FailedRun(fault.run.query, fault.run.pushes, str(error)))

    @property
    def _over(self) -> bool:
        limits, both = self.limits, (self.runs, len(self.faults))
        reached = zip(both, (limits.runs, limits.faults), strict=True)
        return self.seconds > limits.time_limit or any(most is not None and n >= most for n, most in reached)

    def _run(self, query: HuntedQuery, stream: Stream) -> HuntedRun:
        self.runs += 1
        run = HuntedRun(query, stream, answers_of(self.engine, query.registration, stream))
        if run.answers.profile is None:
            raise FailedEngineError(f"refuses a query that it took before: {run.answers.refused}")
        self.name = run.answers.profile.engine
        return run

    def _step(self, query: HuntedQuery, stream: Stream) -> None:
        try:
            run = self._runs.pop((query.name, stream), None) or self._run(query, stream)
            verdict = self.reference.verdict(run)
            self.judged_runs += verdict.correct is not None
            if verdict.correct is False:
                self._wrong(run, verdict)
        except FailedEngineError as error:
            self.failures.append(FailedRun(query, stream, str(error)))

    def _wrong(self, run: HuntedRun, verdict: RunVerdict) -> None:
        """Count a wrong run where faults that are known explain it, else look for the fault."""
        if known := self._explaining(run) or self._alike(run, verdict):
            for fault in known:
                fault.times += 1
            if len(known) == 1 and known[0].other_rules:
                self._alone(known[0], run)
        elif not self._again(run):
            self._add(Fault(run, verdict, None, None, self.seconds, repeated=False))
        elif len(run.answers.reports) > _MANY_REPORTS:
            # What judges all of them takes too long to be done for each rule.
            small = self._small(run, lambda other: not self._explaining(other))
            if len(small.answers.reports) < len(run.answers.reports):
                self._wrong(small, self.reference.verdict(small))
            else:
                self._unexplained(run)
        elif rules := self._rules(run):
            self._explained(run, rules)
        else:
            self._unexplained(run)

    def _alone(self, fault: Fault, run: HuntedRun) -> None:
        """Show a fault by a run that its rule explains without others, rather than by one of several."""
        version, says = fault.rule.version if fault.rule is not None else None, fault.sentence

        def alone(other: HuntedRun) -> bool:
            parts = () if version is None else self.reference.parts(other, version, [says])
            return [rule.sentence for rule in parts] == [says]

        if self.reference.verdict(run).early == fault.verdict.early and alone(run) and self._again(run):
            fault.run = self._small(run, alone)
            fault.verdict, fault.other_rules = self.reference.verdict(fault.run), ()

    def _explaining(self, run: HuntedRun) -> Sequence[Fault]:
        """Return known faults that explain a run: one alone, or rules of an engine version together."""
        faults = [one for one in self.faults if one.rule is not None]
        for fault in faults:
            if fault.rule is not None and fault.rule.version is None and fault.rule.covers(run):
                return (fault,)
        named = {fault.sentence: fault for fault in faults}
        for version in dict.fromkeys(one.rule.version for one in faults if one.rule is not None):
            rules = () if version is None else self.reference.parts(run, version, named.keys())
            if rules and all(rule.sentence in named for rule in rules):
                return [named[rule.sentence] for rule in rules]
        return ()

    def _alike(self, run: HuntedRun, verdict: RunVerdict) -> Sequence[Fault]:
        """Return a fault without a rule that looks the same."""
        faults = (
            fault for fault in self.faults if fault.rule is None and fault.run.query.name == run.query.name
        )
        return [fault for fault in faults if fault.verdict.symptom == verdict.symptom][:1]

    def _again(self, run: HuntedRun) -> bool:
        """Whether another run answers the same."""
        return self._run(run.query, run.pushes).answers.same(run.answers)

    def _rules(self, run: HuntedRun) -> Sequence[FaultRule]:
        """Return the rule that explains a run, or those of an engine version that together do; or none.

        What explains one run alone is chance (of rows that are missing there are many reasons): that is
        chosen which explains most of the wrong ones among the first runs of its query.
        """
        known = {fault.sentence for fault in self.faults}
        rules = [
            rule for rule in self.reference.rules(run) if rule.sentence not in known and rule.explains(run)
        ]
        versions = list(self.reference.versions(run))
        samples = self._sampled(run.query) if rules or versions else []
        shares = [sum(map(rule.covers, samples)) for rule in rules]
        most = max(shares, default=-1)
        single = [rules[shares.index(most)]] if rules and most >= len(samples) * _EXPLAINED else []
        for version, share in self._by_share(versions, samples):
            if single and (most > share or (most == share and version != self.name)):
                break
            if parts := self.reference.parts(run, version):
                return parts
        return single

    def _by_share(self, versions: Sequence[str], samples: Sequence[HuntedRun]) -> Sequence[tuple[str, int]]:
        """Return engine versions with how many samples they predict; first the one that explained others."""
        foretold = [name for run in samples for name in self.reference.versions(run)]
        used = {fault.rule.version for fault in self.faults if fault.rule is not None}
        shares = [(name, foretold.count(name)) for name in versions]
        # One run is explained by the rules of many engines: those of another one have to explain more.
        likely = [
            share for share in shares if share[0] in used or share[0] == self.name or share[1] >= _LIKELY
        ]
        return sorted(likely, key=lambda pair: (pair[0] not in used, -pair[1]))

    def _sampled(self, query: HuntedQuery) -> list[HuntedRun]:
        """Return the wrong ones among the first runs of a query."""
        if query.name not in self._samples:
            chosen = islice(streams(query, self.limits.seed), _SAMPLES)
            runs = [self._run(query, stream) for stream in chosen if self.seconds <= self.limits.time_limit]
            self._runs |= {(query.name, run.pushes): run for run in runs}
            wrong = [run for run in runs if self.reference.verdict(run).correct is False]
            self._samples[query.name] = wrong
        return self._samples[query.name]

    def _small(self, run: HuntedRun, keeps: Callable[[HuntedRun], bool]) -> HuntedRun:
        """Return a wrong run made small while it is wrong and something is kept of it."""
        last, early = run, self.reference.verdict(run).early

        def kept(stream: Stream) -> bool:
            nonlocal last
            if self.seconds > self.limits.time_limit:
                return False
            try:
                other = self._run(run.query, stream)
                verdict = self.reference.verdict(other)
                # That windows report which opened before time 0 is another fault.
                wrong = verdict.correct is False and verdict.early <= early and keeps(other)
                self.judged_runs += 1
            except FailedEngineError:
                return False
            last = other if wrong else last
            return wrong

        shrunk(run.query, run.pushes, kept)
        return last

    def _explained(self, run: HuntedRun, rules: Sequence[FaultRule]) -> None:
        """Add a fault for each rule that is new, its run made small while that rule explains it."""
        known = {fault.sentence for fault in self.faults}
        for rule in rules:
            if rule.sentence not in known:
                self._report(self._small(run, rule.explains), rule)

    def _unexplained(self, run: HuntedRun) -> None:
        """Make a run small that no rule explains: then one may; what several faults made parts so."""
        for _ in range(_LAYERS):
            small = self._small(run, lambda hunted: not self._explaining(hunted))
            rules = self._rules(small)
            if not rules:
                self._report(small, None, self.reference.closest(small))
                return
            self._explained(small, rules)
            if self._explaining(run):
                return

    def _report(self, small: HuntedRun, rule: FaultRule | None, alike: str | None = None) -> None:
        verdict = self.reference.verdict(small)
        parts = () if rule is None or rule.version is None else self.reference.parts(small, rule.version)
        beside = tuple(
            fault_rule for fault_rule in parts if rule is not None and fault_rule.sentence != rule.sentence
        )
        self._add(Fault(small, verdict, rule, alike, self.seconds, beside))

    def _add(self, fault: Fault) -> None:
        same = next((one for one in self.faults if one.sentence == fault.sentence), None)
        if same is None:
            self.faults.append(fault)
            return
        same.times += 1
        if len(fault.run.pushes) < len(same.run.pushes):
            same.run, same.verdict, same.other_rules = fault.run, fault.verdict, fault.other_rules
