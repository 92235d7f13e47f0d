"""What runs are judged by, and the rules that may explain a wrong one.

A run of a hunt, and how it was judged.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from math import inf
from operator import itemgetter
from typing import Final

from agreement.comparing.judge import (
    JudgedWindow,
    Judgement,
    Options,
    Verdict,
    judge_recording,
    recording_to_judge,
    unit_of,
)
from agreement.comparing.judge.by_engine import Pushwise, judged_by
from agreement.comparing.judge.diagnosis import RecordingToJudge, diagnose, variations
from agreement.comparing.judge.judgement import UNCLOSED, narrow_options
from agreement.comparing.matching.likeness import RowMatch
from agreement.documents.outputs import plain
from agreement.documents.recordings import Answers
from agreement.engines.adapters import EngineAnswers
from agreement.engines.engine import NOTHING_OFF, Engine, EngineRule, RspqlDefinition, fewest_enough
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import EngineRun, Specification, in_words
from agreement.engines.specifications.parameters import Combination
from agreement.proving.hunting.changes import LOSSES, Loss, other_queries
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.streams import Stream
from lars.durations import MILLISECOND
from lars.errors import LarsError
from solver.facts import Row
from translate.model.query import EngineQuery


@dataclass(frozen=True, slots=True)
class HuntedRun:
    """What an engine answered to a query on a stream."""

    query: HuntedQuery
    pushes: Stream
    answers: EngineAnswers

    @property
    def run(self) -> EngineRun:
        """What the engine was given."""
        return EngineRun(self.query.read, self.query.static, self.pushes, MILLISECOND)

    @property
    def engine(self) -> str:
        """What the engine calls itself."""
        return "" if self.answers.profile is None else self.answers.profile.engine

    @property
    def typed_answers(self) -> Answers:
        """What it answered; lexical where the adapter does not keep the kinds of terms."""
        profile = self.answers.profile
        return Answers(self.answers.recording(), profile is not None and not profile.kinds)


@dataclass(frozen=True, slots=True)
class WrongPlace:
    """What is right and what came at one place, as `at 4 ms` or `push 3`."""

    where: str
    right: tuple[Row, ...]
    came: tuple[Row, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """Whether a run is right, None where nothing can be compared; place by place what is right and came.

    `choice` says for which t0 and ends of windows that is right, where several were tried.
    """

    correct: bool | None
    places: tuple[WrongPlace, ...] = ()
    choice: str = ""

    @property
    def early(self) -> bool:
        """Whether something is reported before the first window closes that is right."""
        return any(place.problem == UNCLOSED for place in self.places)

    @property
    def symptom(self) -> str:
        """The first problem without its numbers."""
        first = next((place.problem for place in self.places if place.problem is not None), "")
        return " ".join(word for word in first.replace(",", " and").split() if not word.isdecimal())


_PAPER: Final = "RSP-QL (2014)"
_PARAMETERS: Final = {
    "report": "Definition 23 (when a window reports)",
    "bounds": "Definition 13 (which ends a window contains)",
    "slide": "Definition 13 (how windows slide)",
    "tick": "Definition 23 (what arrives as one)",
    "stream": "Definitions 20 to 22 (RSTREAM, ISTREAM, DSTREAM)",
    "empty": "Definition 24 (what of an answer without rows is reported)",
    "rows": "Definition 3 (rows are a multiset)",
    "combination": "Definition 23 (which windows have to report)",
}
_EARLIER: Final = "windows that opened before time 0 report too"
OneOfSeveral = Callable[[Sequence[JudgedWindow]], JudgedWindow]
_OF_SEVERAL: Final[tuple[tuple[str, OneOfSeveral], ...]] = (
    ("of the windows that close between two arrivals only the first reports", itemgetter(0)),
    ("of the windows that close between two arrivals only the last reports", itemgetter(-1)),
)
_WAITING: Final = "a report waits for the next triple, however late that comes"


@dataclass(frozen=True, slots=True)
class FaultRule:
    """A rule that an engine may follow in place of the right one; `right` is what it should follow.

    `explains` says whether a run is exactly what this rule predicts; of an engine `version`'s rule whether
    it is one of those that together do, none of which can be left out. `allows` says whether a run in which
    nothing is reported agrees with it, which alone shows nothing.
    """

    sentence: str
    right: str
    explains: Callable[[HuntedRun], bool]
    version: str | None = None
    allows: Callable[[HuntedRun], bool] | None = None

    def covers(self, run: HuntedRun) -> bool:
        """Whether the rule, once it is known, leaves nothing of a run that looks for another."""
        return self.explains(run) or (self.allows is not None and self.allows(run))


@dataclass(frozen=True, slots=True)
class Reference(ABC):
    """What judges runs; what is wrong in them it need not explain.

    `name` is as `lars judge --engine` names it, `options` say what of runs is compared, and how.
    """

    name: str
    options: Options

    @property
    @abstractmethod
    def sentence(self) -> str:
        """By what definition it judges, in words."""

    @abstractmethod
    def verdict(self, run: HuntedRun) -> RunVerdict:
        """Return the verdict on a run."""

    @abstractmethod
    def rules(self, run: HuntedRun) -> Iterator[FaultRule]:
        """Yield the rules that may explain a wrong run, the likelier first."""

    def versions(self, run: HuntedRun) -> Iterator[str]:
        """Yield the engine versions that predict a run in whole: of an engine that is one, that alone."""
        del run
        return iter(())

    def parts(
        self, run: HuntedRun, version: str, known: Collection[str] | None = None
    ) -> tuple[FaultRule, ...]:
        """Return the rules of an engine version that together explain a wrong run, and no fewer of which do.

        Only those that are `known`, by what they say, if some are named.
        Empty where the version does not predict the run, or its rules are not what makes it wrong.
        """
        del run, version, known
        return ()

    def closest(self, run: HuntedRun) -> str | None:
        """Return what explains a run that no rule does: delays and borders; None where nothing does."""
        del run
        return None


@dataclass(frozen=True, slots=True)
class SpecificationReference(Reference):
    """A specification as what judges."""

    specification: Specification

    @property
    def sentence(self) -> str:
        """The definition."""
        described = (
            f" ({self.specification.description.rstrip('.')})" if self.specification.description else ""
        )
        return f"{_PAPER}, its parameters as `{self.specification.name}` sets them{described}"

    def verdict(self, run: HuntedRun) -> RunVerdict:
        """Return the verdict; where late triples were taken, each window is right with them or without.

        A stream has its triples in order of time (RSP-QL 2014, RDF stream), so nothing says which. What has
        been reported before a late triple came can in no engine show it.
        """
        recording = _recorded(run, self.options)
        judgement = self._judged(recording)
        if judgement.correct is False and (late := _late(run)):
            ignored = self._judged(_without(recording, late))
            if ignored.correct or _right_in_either(judgement.best, ignored.best):
                return RunVerdict(True)
        if judgement.correct is not False:
            return RunVerdict(judgement.correct)
        places = (
            _wrong_place(_where(window), window.rows, window.problem) for window in judgement.best.windows
        )
        return RunVerdict(False, tuple(places), _choice(judgement))

    def _judged(self, recording: RecordingToJudge, specification: Specification | None = None) -> Judgement:
        of = specification or self.specification
        return judge_recording(recording.task, of, recording.recording, recording.options)

    def _is_right(self, recording: RecordingToJudge, specification: Specification | None = None) -> bool:
        return self._judged(recording, specification).correct is True

    def rules(self, run: HuntedRun) -> Iterator[FaultRule]:
        """Yield single changes of the specification, of what the query says, of what has arrived."""
        for field, says, changed in self._changed():
            value = in_words(getattr(self.specification, field))
            right = f"{_PARAMETERS.get(field, field)}: {field} = {value}"
            yield FaultRule(says, right, partial(self._by_specification, changed))
        if self.options.starts is not None:
            right = f"t0 = {', '.join(map(str, self.options.starts))}, as given"
            yield FaultRule("windows begin at another t0", right, self._by_any_start)
        for says, right, other in other_queries(run.query.read):
            yield FaultRule(says, right, partial(self._by_query, other))
        for says, lost in LOSSES:
            allows = partial(self._by_loss, lost, silent=True)
            yield FaultRule(says, RspqlDefinition.ALL_TRIPLES, partial(self._by_loss, lost), allows=allows)
        for says, kept in _OF_SEVERAL:
            yield FaultRule(says, RspqlDefinition.EACH_WINDOW, partial(self._by_one_of_several, kept))
        yield FaultRule(_EARLIER, f"{RspqlDefinition.GRID}, and none opens before it", self._by_earlier_start)

    def versions(self, run: HuntedRun) -> Iterator[str]:
        """Yield the engine versions that predict a run in whole: of an engine that is one, that alone."""
        own = ENGINES.get(run.engine)
        for engine in ENGINES.values() if own is None else (own,):
            if engine.specification == self.specification.name and _by_version(engine, self.options, run):
                yield engine.name

    def parts(
        self, run: HuntedRun, version: str, known: Collection[str] | None = None
    ) -> tuple[FaultRule, ...]:
        """Return the rules of an engine version that together explain a run, and no fewer of which do."""
        engine = ENGINES[version]
        rules = self._needed(engine, run, known)
        if rules == ():
            says, right = self._without_rules(engine, run)
            explains = partial(self._is_without_rules, engine, says)
            return (FaultRule(says, right, explains, version),)
        return tuple(self._part(engine, rule, run) for rule in rules or ())

    def _part(self, engine: Engine, rule: EngineRule, run: HuntedRun) -> FaultRule:
        # What all other rules together cannot explain is found out faster than what the fewest do.
        others = tuple(engine_rule for engine_rule in engine.rules if engine_rule != rule)
        explains = self._needs if self._predicts(engine, run, others) else self._lacks
        right = rule.right or "without that"
        return FaultRule(_name_of(engine, rule), right, partial(explains, engine, rule), engine.name)

    def _needed(
        self, engine: Engine, run: HuntedRun, known: Collection[str] | None = None
    ) -> tuple[EngineRule, ...] | None:
        """Return rules, of known ones if some are, that together predict a run and no fewer of which do."""
        rules = tuple(rule for rule in engine.rules if known is None or _name_of(engine, rule) in known)
        for build in (engine, *engine.builds):
            if self._predicts(build, run, rules):
                return fewest_enough(rules, partial(self._predicts, build, run))
        return None

    def _predicts(self, engine: Engine, run: HuntedRun, rules: Sequence[EngineRule]) -> bool:
        off = frozenset(rule.name for rule in engine.rules if rule not in rules)
        return _by_version(replace(engine, builds=()), self.options, run, off)

    def _lacks(self, engine: Engine, rule: EngineRule, run: HuntedRun) -> bool:
        """Whether an engine version predicts a run, and without a rule of its does not."""
        others = tuple(engine_rule for engine_rule in engine.rules if engine_rule != rule)
        return any(
            self._predicts(build, run, engine.rules) and not self._predicts(build, run, others)
            for build in (engine, *engine.builds)
        )

    def _without_rules(self, engine: Engine, run: HuntedRun) -> tuple[str, str]:
        """Return what is wrong with a run that an engine version without its rules predicts.

        Then its windows close at multiples of their slides from ever on, and report when a triple comes.
        """
        off = frozenset(rule.name for rule in engine.rules)
        longest = max(length for length, _ in run.query.windows) * run.query.tick
        engine_run = run.run
        reports = engine.run(engine_run.query, engine_run.static, engine_run.pushes, off).reports
        if any(report.rows and report.t < longest for report in reports):
            return _EARLIER, f"{RspqlDefinition.GRID}, and none opens before it"
        return _WAITING, RspqlDefinition.AT_ITS_CLOSE

    def _is_without_rules(self, engine: Engine, says: str, run: HuntedRun) -> bool:
        return self._needed(engine, run) == () and self._without_rules(engine, run)[0] == says

    def _needs(self, engine: Engine, rule: EngineRule, run: HuntedRun) -> bool:
        return rule in (self._needed(engine, run) or ())

    def _changed(self) -> Iterator[tuple[str, str, Specification]]:
        of = self.specification
        for says, changed in variations(of):
            fields = type(of).model_fields
            yield next(n for n in fields if getattr(of, n) != getattr(changed, n)), says, changed
        for value in Combination:
            if value is not of.combination:
                changed = of.model_copy(update={"combination": value})
                yield "combination", f"combination = {in_words(value)}", changed

    def _by_specification(self, changed: Specification, run: HuntedRun) -> bool:
        return self._is_right(_few(_recorded(run, replace(self.options, bounds=None))), changed)

    def _by_any_start(self, run: HuntedRun) -> bool:
        return self._is_right(_few(_recorded(run, replace(self.options, starts=None))))

    def _by_earlier_start(self, run: HuntedRun) -> bool:
        """Whether windows began so early that those were open at 0 that would be had they always run."""
        recording = _recorded(run, replace(self.options, starts=None, bounds=None))
        longest = max(length for length, _ in run.query.windows) * run.query.tick
        earlier = -int(longest / recording.task.unit.milliseconds)
        options = replace(recording.options, registered=earlier)
        return self._is_right(_few(replace(recording, options=options)))

    def _by_query(self, other: EngineQuery, run: HuntedRun) -> bool:
        changed = replace(run, query=replace(run.query, read=other))
        try:
            return self._is_right(_few(_recorded(changed, self.options)))
        except LarsError:
            return False

    def _by_loss(self, lost: Loss, run: HuntedRun, *, silent: bool = False) -> bool:
        """Whether a run is right without triples that are lost; `silent`: or with nothing to say."""
        recording = _recorded(run, self.options)
        nothing = silent and not any(report.rows for _, report in run.answers.reports)
        right = (True, None) if nothing else (True,)
        few = (_few(_without(recording, numbers)) for numbers in dict.fromkeys(lost(recording.task)))
        return any(self._judged(each).correct in right for each in few)

    def _by_one_of_several(self, kept: OneOfSeveral, run: HuntedRun) -> bool:
        """Whether of the windows that one arrival finds closed one reports, and all others would have."""
        windows = self._judged(_recorded(run, self.options)).best.windows
        times = list(accumulate((push.t for push in run.pushes), max))
        for place in (bisect_left, bisect_right):
            due: dict[int, list[JudgedWindow]] = {}
            for window in windows:
                if window.rows.shared or window.rows.missing or window.rows.extra:
                    due.setdefault(place(times, window.last), []).append(window)
            silent = [window for several in due.values() for window in several if window is not kept(several)]
            wrong = [window for window in windows if window.problem is not None]
            reported = any(window.rows.shared or window.rows.extra for window in silent)
            if wrong and wrong == silent and not reported:
                return True
        return False

    def closest(self, run: HuntedRun) -> str | None:
        """Return the delay or the borders that explain a run."""
        recording = _recorded(run, self.options)
        explanations = diagnose(recording, self._judged(recording)).explanations
        complete = (_without_numbers(each.sentence) for each in explanations if each.complete)
        return next(complete, None)


@dataclass(frozen=True, slots=True)
class VersionReference(Reference):
    """An engine version as what judges: what it does not predict is new."""

    engine: Engine

    @property
    def sentence(self) -> str:
        """What is right: what its rules predict."""
        return f"what the rules of {self.engine.name} predict"

    def verdict(self, run: HuntedRun) -> RunVerdict:
        """Return whether the version predicts every report of a run."""
        judgement = judged_by(self.engine, run.run, run.answers.recording(), _pushwise(run, self.options))
        places = (_wrong_place(f"push {step.place}", step.rows, step.problem) for step in judgement.steps)
        return RunVerdict(judgement.correct, () if judgement.correct else tuple(places))

    def rules(self, run: HuntedRun) -> Iterator[FaultRule]:
        """Yield each of its rules left out."""
        del run
        for rule in self.engine.rules:
            off = frozenset((rule.name,))
            explains = partial(_by_version, self.engine, self.options, off=off)
            yield FaultRule(f"without its rule {rule.name}", f"{rule.name}: {rule.sentence}", explains)


def _wrong_place(where: str, rows: RowMatch, problem: str | None) -> WrongPlace:
    return WrongPlace(where, (*rows.shared, *rows.missing), (*rows.shared, *rows.extra), problem)


def _name_of(engine: Engine, rule: EngineRule) -> str:
    return f"{rule.sentence} ({rule.name} of {engine.name})"


def _by_version(engine: Engine, options: Options, run: HuntedRun, off: frozenset[str] = NOTHING_OFF) -> bool:
    pushwise = _pushwise(run, options, times=False)
    try:
        return judged_by(engine, run.run, run.answers.recording(), pushwise, off).correct is True
    except LarsError:
        return False


def _pushwise(run: HuntedRun, options: Options, *, times: bool = True) -> Pushwise:
    likeness = replace(options.likeness, lexical=run.typed_answers.lexical)
    return Pushwise(likeness, times, options.empty)


def _recorded(run: HuntedRun, options: Options) -> RecordingToJudge:
    return recording_to_judge(run.run, unit_of(run.query.read, run.pushes), run.typed_answers, options)


def _right_in_either(verdict: Verdict, other: Verdict) -> bool:
    """Whether each window that either knows is right in one of two verdicts for the same choice."""
    if verdict.choice != other.choice:
        return False
    both = [{(window.first, window.last): window for window in each.windows} for each in (verdict, other)]

    def right(place: tuple[float | None, float]) -> bool:
        # Where nothing came, a verdict that expects nothing does not list the window.
        known = [each[place] for each in both if place in each]
        silent = len(known) == 1 and not (known[0].rows.shared or known[0].rows.extra)
        return silent or any(window.problem is None for window in known)

    return all(map(right, both[0].keys() | both[1].keys()))


def _few(recording: RecordingToJudge) -> RecordingToJudge:
    return replace(recording, options=narrow_options(recording.options, recording.task))


def _where(window: JudgedWindow) -> str:
    text = "" if window.first is None else f", window {plain(window.first)} to {plain(window.last)}"
    return f"at {plain(window.last)} ms{text}"


def _choice(judgement: Judgement) -> str:
    """Return for which choice what is right is shown."""
    best = judgement.best.choice
    starts = " and ".join(map(str, dict.fromkeys(best.starts)))
    sentence = f"{f't0 = {starts}, ' if best.starts else ''}windows {best.bounds.value}"
    fits = f"none of {judgement.choices} choices of t0 and bounds fits the answers, the closest is"
    return f"{fits} {sentence}" if judgement.choices > 1 else f"for {sentence}"


def _without(recording: RecordingToJudge, numbers: frozenset[int]) -> RecordingToJudge:
    """Return a recording as if pushes had never arrived."""
    left = tuple(triple for triple in recording.task.elements if triple.number not in numbers)
    return replace(recording, task=replace(recording.task, elements=left))


def _late(run: HuntedRun) -> frozenset[int]:
    """Return the numbers of the pushes that go back in time."""
    latest = accumulate((push.t for push in run.pushes), max, initial=-inf)
    both = zip(run.pushes, latest, strict=False)
    return frozenset(n for n, (push, before) in enumerate(both) if push.t < before)


def _without_numbers(text: str) -> str:
    """Return a text without its numbers, so that what says the same of several runs is equal.

    >>> _without_numbers("shifting the borders of 2 windows")
    'shifting the borders of windows'
    """
    words = (word for word in text.split() if not word.replace(".", "").isdecimal())
    return " ".join("windows" if word == "window" else word for word in words)


def reference(name: str, specification: Specification | None, options: Options) -> Reference:
    """Return what judges by the name of an engine version or of a specification."""
    if specification is None:
        return VersionReference(name, options, ENGINES[name])
    return SpecificationReference(name, options, specification)
