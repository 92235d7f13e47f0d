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
from agreement.documents.requests import WindowSource, sources, with_sources
from agreement.engines.engine import NOTHING_OFF, Engine
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import Specification, in_words
from agreement.engines.specifications.elements import Element
from agreement.engines.specifications.parameters import Combination
from agreement.proving.hunting.runs import HuntedRun, RunVerdict, WrongPlace
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from translate.analysis import rebuilt
from translate.model.patterns import Filter, Pattern
from translate.model.query import EngineQuery, ToStream
from translate.model.windows import Range

_PAPER: Final = "RSP-QL (2014)"
_PARAMETERS: Final = {
    "report": "when a window reports: Definition 23",
    "bounds": "which ends a window contains",
    "slide": "how windows slide",
    "tick": "what arrives as one",
    "stream": "RSTREAM, ISTREAM and DSTREAM",
    "empty": "whether an empty answer is reported",
    "combination": "which windows have to report",
}


@dataclass(frozen=True, slots=True)
class FaultRule:
    """A rule that an engine may follow in place of the right one; `right` is what it should follow.

    `explains` says whether a run is exactly what this rule predicts; `parts` are the names of the rules of
    an engine version that it consists of.
    """

    says: str
    right: str
    explains: Callable[[HuntedRun], bool]
    parts: frozenset[str] = frozenset()


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
                f"{_PARAMETERS.get(field, field)}; {field} = {in_words(getattr(self.specification, field))}"
            )
            yield FaultRule(says, right, partial(self._by_specification, changed))
        if self.options.starts is not None:
            right = f"t0 = {', '.join(map(str, self.options.starts))}, as given"
            yield FaultRule("windows begin at another t0", right, self._by_any_start)
        for says, right, other in _other_queries(run.query.read):
            yield FaultRule(says, right, partial(self._by_query, other))
        for says, lost in _LOSSES:
            yield FaultRule(says, "every triple of a stream is in its windows", partial(self._by_loss, lost))
        for engine in ENGINES.values():
            if engine.specification == self.specification.name:
                yield from self._of_version(engine, run)

    def _of_version(self, engine: Engine, run: HuntedRun) -> Iterator[FaultRule]:
        """Yield the rules of an engine version that together explain a run, and no fewer of which do."""
        try:
            found = needed_rules(engine, run.given, run.answers.recording(), self.options.likeness)
        except LarsError:
            return
        if found:
            off = frozenset(rule.name for rule in engine.rules if rule not in found)
            says = "; ".join(f"{rule.name} of {engine.name}: {rule.says}" for rule in found)
            explains = partial(_by_version, engine, self.options, off=off)
            parts = frozenset(f"{engine.name} {rule.name}" for rule in found)
            yield FaultRule(says, "without that", explains, parts)

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

    def _by_query(self, other: EngineQuery, run: HuntedRun) -> bool:
        changed = replace(run, query=replace(run.query, read=other))
        try:
            return self._is_right(_few(_recorded(changed, self.options)))
        except LarsError:
            return False

    def _by_loss(self, lost: "_Loss", run: HuntedRun) -> bool:
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


_Loss = Callable[[tuple[Element, ...]], frozenset[int]]


def _first(elements: tuple[Element, ...]) -> frozenset[int]:
    return frozenset([min((one.number for one in elements), default=0)])


def _same_instant(elements: tuple[Element, ...]) -> frozenset[int]:
    """Return all triples of an instant but the first."""
    times: dict[int, int] = {}
    for one in elements:
        times[one.t] = min(one.number, times.get(one.t, one.number))
    return frozenset(one.number for one in elements) - frozenset(times.values())


def _at_zero(elements: tuple[Element, ...]) -> frozenset[int]:
    return frozenset(one.number for one in elements if not one.t)


_LOSSES: Final[tuple[tuple[str, _Loss], ...]] = (
    ("of the triples of one instant only the first counts", _same_instant),
    ("triples of time 0 are lost", _at_zero),
    ("the first triple is lost", _first),
)


def _other_queries(query: EngineQuery) -> Iterator[tuple[str, str, EngineQuery]]:
    """Yield queries that an engine may answer instead, and what of the query it leaves out of account."""
    if query.to_stream is not None:
        for operator in ToStream:
            if operator is not query.to_stream:
                right = f"the query says {query.to_stream.value}"
                yield f"reported as {operator.value}", right, replace(query, to_stream=operator)
    unfiltered = replace(query, pattern=rebuilt(query.pattern, _unfiltered))
    if unfiltered.pattern != query.pattern:
        yield "FILTER is ignored", "SPARQL 1.1, 18.5: Filter", unfiltered
    read = sources(query)
    if len(read) > 1:
        yield from _other_streams(query, read)
    unit = NANOSECONDS["s"] if all(map(_in_seconds, read)) else NANOSECONDS["ms"]
    for says, more in (("longer", unit), ("shorter", -unit)):
        other = with_sources(query, partial(_resized, more))
        yield f"windows are one time point {says}", "the query's RANGE", other


def _in_seconds(source: WindowSource) -> bool:
    window = source.window
    return isinstance(window, Range) and not window.length.nanoseconds % NANOSECONDS["s"]


def _resized(more: int, source: WindowSource) -> WindowSource:
    window = source.window
    if not isinstance(window, Range) or window.length.nanoseconds + more <= 0:
        return source
    return replace(source, window=replace(window, length=Duration(window.length.nanoseconds + more)))


def _unfiltered(part: Pattern) -> Pattern | None:
    return rebuilt(part.pattern, _unfiltered) if isinstance(part, Filter) else None


def _other_streams(
    query: EngineQuery, read: tuple[WindowSource, ...]
) -> Iterator[tuple[str, str, EngineQuery]]:
    right = "each window shows the stream that the query says"
    names = [one.stream for one in read]
    for n, stream in enumerate(dict.fromkeys(names)):
        if any(one != stream for one in names):

            def fed(source: WindowSource, stream: Iri | Variable = stream) -> WindowSource:
                return replace(source, stream=stream)

            yield f"all windows show stream {n + 1}", right, with_sources(query, fed)
    last = {one.stream: one for one in read}
    if len(last) < len(read):

        def alone(source: WindowSource) -> WindowSource:
            same = last[source.stream] == source
            return source if same else replace(source, stream=Iri("http://e/no-stream"))

        yield "of the windows on one stream only the last is fed", right, with_sources(query, alone)


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
