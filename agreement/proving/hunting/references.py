"""What runs are judged by, and the rules that may explain a wrong one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from math import inf
from typing import Final, Protocol

from agreement.comparing.judge import Options, judged, recorded, unit_of
from agreement.comparing.judge.by_engine import Pushwise, judged_by
from agreement.comparing.judge.cases import needed_rules
from agreement.comparing.judge.diagnosis import Recorded, diagnosed, variations
from agreement.comparing.judge.judgement import narrowed
from agreement.documents.outputs import plain
from agreement.engines.definitions import ALL_TRIPLES, AT_ITS_CLOSE, GRID
from agreement.engines.engine import NOTHING_OFF, Engine, EngineRule
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import Specification, in_words
from agreement.engines.specifications.parameters import Combination
from agreement.proving.hunting.changes import LOSSES, Loss, other_queries
from agreement.proving.hunting.runs import HuntedRun, RunVerdict, WrongPlace
from lars.errors import LarsError
from translate.model.query import EngineQuery

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
_WAITING: Final = "a report waits for the next triple, however late that comes"


@dataclass(frozen=True, slots=True)
class FaultRule:
    """A rule that an engine may follow in place of the right one; `right` is what it should follow.

    `explains` says whether a run is exactly what this rule predicts; of an engine `version`'s rule whether
    it is one of those that together do, none of which can be left out.
    """

    says: str
    right: str
    explains: Callable[[HuntedRun], bool]
    version: str | None = None


class Reference(Protocol):
    """What judges runs."""

    @property
    def name(self) -> str:
        """As `lars judge --engine` names it."""
        ...

    @property
    def options(self) -> Options:
        """What of runs is compared, and how."""
        ...

    @property
    def says(self) -> str:
        """By what definition it judges, in words."""
        ...

    def verdict(self, run: HuntedRun) -> RunVerdict:
        """Return the verdict on a run."""
        ...

    def rules(self, run: HuntedRun) -> Iterator[FaultRule]:
        """Yield the rules that may explain a wrong run, the likelier first."""
        ...

    def versions(self, run: HuntedRun) -> Iterator[str]:
        """Yield the engine versions that predict a run in whole: of an engine that is one, that alone."""
        ...

    def parts(self, run: HuntedRun, version: str) -> tuple[FaultRule, ...]:
        """Return the rules of an engine version that together explain a wrong run, and no fewer of which do.

        None where the version does not predict the run, or its rules are not what makes it wrong.
        """
        ...

    def closest(self, run: HuntedRun) -> str | None:
        """Return what explains a run that no rule does: delays and borders; None where nothing does."""
        ...


@dataclass(frozen=True, slots=True)
class BySpecification:
    """A specification as what judges; `name` is what names it on the command line."""

    name: str
    specification: Specification
    options: Options

    @property
    def says(self) -> str:
        """The definition."""
        described = (
            f" ({self.specification.description.rstrip('.')})" if self.specification.description else ""
        )
        return f"{_PAPER}, its parameters as `{self.specification.name}` sets them{described}"

    def verdict(self, run: HuntedRun) -> RunVerdict:
        """Return the verdict; where late triples were taken, also that they were left out is right.

        A stream has its triples in order of time (RSP-QL 2014, RDF stream), so nothing says which.
        """
        given = _recorded(run, self.options)
        found = judged(given.task, self.specification, given.recording, given.options)
        if found.correct is False and _late(run) and self._is_right(_without(given, _late(run))):
            return RunVerdict(True)
        if found.correct is not False:
            return RunVerdict(found.correct)
        places = (
            WrongPlace(
                f"at {plain(one.last)} ms",
                (*one.rows.shared, *one.rows.missing),
                (*one.rows.shared, *one.rows.extra),
                one.problem,
            )
            for one in found.best.windows
        )
        return RunVerdict(False, tuple(places))

    def _is_right(self, given: Recorded, specification: Specification | None = None) -> bool:
        of = specification or self.specification
        return judged(given.task, of, given.recording, given.options).correct is True

    def rules(self, run: HuntedRun) -> Iterator[FaultRule]:
        """Yield single changes of the specification, of what the query says, of what has arrived."""
        for field, says, changed in self._changed():
            right = (
                f"{_PARAMETERS.get(field, field)}: {field} = {in_words(getattr(self.specification, field))}"
            )
            yield FaultRule(says, right, partial(self._by_specification, changed))
        if self.options.starts is not None:
            right = f"t0 = {', '.join(map(str, self.options.starts))}, as given"
            yield FaultRule("windows begin at another t0", right, self._by_any_start)
        for says, right, other in other_queries(run.query.read):
            yield FaultRule(says, right, partial(self._by_query, other))
        for says, lost in LOSSES:
            yield FaultRule(says, ALL_TRIPLES, partial(self._by_loss, lost))
        yield FaultRule(_EARLIER, f"{GRID}, and none opens before it", self._by_earlier_start)

    def versions(self, run: HuntedRun) -> Iterator[str]:
        """Yield the engine versions that predict a run in whole: of an engine that is one, that alone."""
        own = ENGINES.get(run.engine)
        for engine in ENGINES.values() if own is None else (own,):
            if engine.specification == self.specification.name and _by_version(engine, self.options, run):
                yield engine.name

    def parts(self, run: HuntedRun, version: str) -> tuple[FaultRule, ...]:
        """Return the rules of an engine version that together explain a run, and no fewer of which do."""
        engine = ENGINES[version]
        found = self._needed(engine, run)
        if found == ():
            says, right = self._without_rules(engine, run)
            explains = partial(self._is_without_rules, engine, says)
            return (FaultRule(says, right, explains, version),)
        return tuple(
            FaultRule(
                f"{rule.says} ({rule.name} of {version})",
                rule.right or "without that",
                partial(self._needs, engine, rule),
                version,
            )
            for rule in found or ()
        )

    def _needed(self, engine: Engine, run: HuntedRun) -> tuple[EngineRule, ...] | None:
        likeness = replace(self.options.likeness, lexical=run.answered.lexical)
        try:
            return needed_rules(engine, run.given, run.answers.recording(), likeness)
        except LarsError:
            return None

    def _without_rules(self, engine: Engine, run: HuntedRun) -> tuple[str, str]:
        """Return what is wrong with a run that an engine version without its rules predicts.

        Then its windows close at multiples of their slides from ever on, and report when a triple comes.
        """
        off = frozenset(rule.name for rule in engine.rules)
        longest = max(length for length, _ in run.query.windows) * run.query.tick
        given = run.given
        reports = engine.run(given.query, given.static, given.pushes, off).reports
        if any(one.rows and one.t < longest for one in reports):
            return _EARLIER, f"{GRID}, and none opens before it"
        return _WAITING, AT_ITS_CLOSE

    def _is_without_rules(self, engine: Engine, says: str, run: HuntedRun) -> bool:
        return self._needed(engine, run) == () and self._without_rules(engine, run)[0] == says

    def _needs(self, engine: Engine, rule: EngineRule, run: HuntedRun) -> bool:
        return rule in (self._needed(engine, run) or ())

    def _changed(self) -> Iterator[tuple[str, str, Specification]]:
        of = self.specification
        for says, changed in variations(of):
            field = next(
                name for name in type(of).model_fields if getattr(of, name) != getattr(changed, name)
            )
            yield field, says, changed
        for value in Combination:
            if value is not of.combination:
                yield (
                    "combination",
                    f"combination = {in_words(value)}",
                    of.model_copy(update={"combination": value}),
                )

    def _by_specification(self, changed: Specification, run: HuntedRun) -> bool:
        given = _recorded(run, replace(self.options, bounds=None))
        return self._is_right(_few(given), changed)

    def _by_any_start(self, run: HuntedRun) -> bool:
        return self._is_right(_few(_recorded(run, replace(self.options, starts=None))))

    def _by_earlier_start(self, run: HuntedRun) -> bool:
        """Whether windows began so early that those were open at 0 that would be had they always run."""
        earlier = -max(length for length, _ in run.query.windows)
        options = replace(self.options, starts=None, registered=earlier, bounds=None)
        return self._is_right(_few(_recorded(run, options)))

    def _by_query(self, other: EngineQuery, run: HuntedRun) -> bool:
        changed = replace(run, query=replace(run.query, read=other))
        try:
            return self._is_right(_few(_recorded(changed, self.options)))
        except LarsError:
            return False

    def _by_loss(self, lost: Loss, run: HuntedRun) -> bool:
        given = _recorded(run, self.options)
        return self._is_right(_few(_without(given, lost(given.task.elements))))

    def closest(self, run: HuntedRun) -> str | None:
        """Return the delay or the borders that explain a run."""
        given = _recorded(run, self.options)
        found = judged(given.task, self.specification, given.recording, given.options)
        complete = (one for one in diagnosed(given, found).explanations if one.complete)
        first = next(complete, None)
        return None if first is None else _without_numbers(first.says)


@dataclass(frozen=True, slots=True)
class ByVersion:
    """An engine version as what judges: what it does not predict is new."""

    engine: Engine
    options: Options

    @property
    def name(self) -> str:
        """Its name."""
        return self.engine.name

    @property
    def says(self) -> str:
        """What is right: what its rules predict."""
        return f"what the rules of {self.engine.name} predict"

    def verdict(self, run: HuntedRun) -> RunVerdict:
        """Return whether the version predicts every report of a run."""
        found = judged_by(self.engine, run.given, run.answers.recording(), _pushwise(run, self.options))
        places = (
            WrongPlace(
                f"push {one.place}",
                (*one.rows.shared, *one.rows.missing),
                (*one.rows.shared, *one.rows.extra),
                one.problem,
            )
            for one in found.steps
        )
        return RunVerdict(found.correct, () if found.correct else tuple(places))

    def rules(self, run: HuntedRun) -> Iterator[FaultRule]:
        """Yield each of its rules left out."""
        del run
        for rule in self.engine.rules:
            off = frozenset((rule.name,))
            explains = partial(_by_version, self.engine, self.options, off=off)
            yield FaultRule(f"without its rule {rule.name}", f"{rule.name}: {rule.says}", explains)

    def versions(self, run: HuntedRun) -> Iterator[str]:
        """Yield nothing: another version is no explanation."""
        del run
        yield from ()

    def parts(self, run: HuntedRun, version: str) -> tuple[FaultRule, ...]:
        """Return nothing."""
        del run, version
        return ()

    def closest(self, run: HuntedRun) -> str | None:
        """Return nothing: what no rule explains is new."""
        del run
        return None


def _by_version(engine: Engine, options: Options, run: HuntedRun, off: frozenset[str] = NOTHING_OFF) -> bool:
    try:
        found = judged_by(
            engine, run.given, run.answers.recording(), _pushwise(run, options, times=False), off
        )
    except LarsError:
        return False
    return found.correct is True


def _pushwise(run: HuntedRun, options: Options, *, times: bool = True) -> Pushwise:
    likeness = replace(options.likeness, lexical=run.answered.lexical)
    return Pushwise(likeness, times, options.empty)


def _recorded(run: HuntedRun, options: Options) -> Recorded:
    return recorded(run.given, unit_of(run.query.read, run.pushes), run.answered, options)


def _few(given: Recorded) -> Recorded:
    return replace(given, options=narrowed(given.options, given.task))


def _without(given: Recorded, numbers: frozenset[int]) -> Recorded:
    """Return a recording as if pushes had never arrived."""
    left = tuple(one for one in given.task.elements if one.number not in numbers)
    return replace(given, task=replace(given.task, elements=left))


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
        return ByVersion(ENGINES[name], options)
    return BySpecification(name, specification, options)
