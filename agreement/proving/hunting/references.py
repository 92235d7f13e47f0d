"""The definitions of correct runs in a hunt for faults: specifications, and models of engine versions.

The module also contains the run of a hunt, and the verdict on a run. Words of the hunt:

- switch: a possible fault of an engine. If an engine has the fault, `change` returns the run that must be
  judged.
- way: one interpretation of a switch, if its description allows several. The function `change` returns one
  run for each interpretation of the switch.
- pattern: the shape that answers must have under a switch, if the switch does not determine the answers.
- cause: a switch that explains wrong runs, and that experiments did not refute.
- portrait: a switch made from the wrong runs themselves. A portrait describes properties that all wrong runs
  have.
- miss: a row or a report that only a run or only its prediction contains.
- counterfeit: a run with invented answers (correct answers, no answers, or answers at other times), which
  tests a switch.
- to refute: a run can refute a switch if the switch does not also explain the counterfeits of the run.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import accumulate, chain, islice, product
from math import inf
from typing import Final, Self

from agreement.comparing import judge
from agreement.comparing.judge.alignment import TYPED_BOOLEANS
from agreement.comparing.judge.assignment import clock_driven
from agreement.comparing.judge.by_engine import judged_by
from agreement.comparing.judge.diagnosis import RecordingToJudge
from agreement.comparing.judge.settings import narrow_options
from agreement.comparing.matching.likeness import RowMatch
from agreement.comparing.matching.places import ReportMatch
from agreement.documents.recordings import Recording, Report
from agreement.documents.requests import JudgeOptions, sources
from agreement.engines.adapters.messages import EngineAnswers
from agreement.engines.engine import Engine, EngineRule, columns
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import EngineRun, Specification, frame_task, with_query_bounds
from agreement.engines.specifications.elements import PushedTriple
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.streams import Stream
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, NANOSECONDS, Duration
from lars.errors import LarsError, TimeLimitError
from solver.facts import Row, Static
from solver.rdf import blanks_in
from translate.model.windows import Range


@dataclass(frozen=True, slots=True, eq=False)
class HuntedRun:
    """One run of an engine in a hunt for faults: a query, the pushed triples, and the engine's answers.

    Two runs are never equal, because an engine may answer the same stream differently.
    """

    query: HuntedQuery
    pushes: Stream
    answers: EngineAnswers

    @property
    def run(self) -> EngineRun:
        """The input of the run: query, static data, and pushed triples.

        No two pushed triples share a blank node.
        """
        pushes = tuple(push.as_element() for push in self.pushes)
        return EngineRun(self.query.read, self.query.static, pushes, MILLISECOND)

    @property
    def has_blanks(self) -> bool:
        """Whether a pushed triple contains a blank node."""
        return any(blanks_in(term) for push in self.pushes for term in push.triple)

    @property
    def is_undefined(self) -> bool:
        """Whether the answers of the run cannot be compared because of blank nodes in pushed triples.

        If the engine reports terms as plain texts, its rows do not show which terms are blank nodes. If a
        triple with a blank node arrives twice, no specification defines whether it counts twice.
        """
        if not self.has_blanks:
            return False
        blank = [push for push in self.pushes if any(map(blanks_in, push.triple))]
        return len(set(blank)) < len(blank) or self.answers.lexical

    @property
    def has_rows(self) -> bool:
        """Whether the engine reports a row in this run, including the reports at the end of the stream."""
        return any(report.rows for report in (*(one for _, one in self.answers.reports), *self.answers.flush))

    @property
    def late(self) -> tuple[float, ...]:
        """The times, in ms, of late triples: a late triple is pushed after a triple with a later time."""
        return late_times([push.t for push in self.pushes])

    @property
    def waiting(self) -> Iterator[tuple[float, int, int]]:
        """The reports that come late, as `EngineAnswers.waiting` yields them."""
        return self.answers.waiting([push.t for push in self.pushes])

    @property
    def typed_answers(self) -> Recording:
        """The answers of the run as a recording; `lexical` is set if terms are reported as plain texts."""
        return replace(self._told_at_last.recording(), lexical=self.answers.lexical)

    @property
    def _told_at_last(self) -> EngineAnswers:
        """The answers, with reports at the end of the stream as replies to the last pushed triple.

        A report whose time is later than all pushed triples stays a report at the end of the stream.
        """
        replies, flush = self.answers.replies, self.answers.flush
        due = tuple(
            report for report in flush if report.t <= max((push.t for push in self.pushes), default=0)
        )
        if not due or not replies:
            return self.answers
        last = replies[-1].model_copy(update={"reports": (*replies[-1].reports, *due)})
        return replace(self.answers, replies=(*replies[:-1], last))


def late_times(times: Sequence[float]) -> tuple[float, ...]:
    """Return the times that come after a later time."""
    both = zip(times, accumulate(times, max, initial=-inf), strict=False)
    return tuple(t for t, before in both if t < before)


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The verdict whether a run of an engine is correct, with the expected and the reported rows.

    `correct` is None if nothing can be compared. `places` has one entry for each evaluation. If `by_push` is
    true, `places` has one entry for each pushed triple instead. `choice` is a text with the start time t0 and
    the window bounds of the expected rows. `unjudged` contains reports that are not judged, because no later
    triple shows that their windows closed.
    """

    correct: bool | None
    places: tuple[ReportMatch, ...] = ()
    choice: str = ""
    by_push: bool = False
    unjudged: tuple[ReportMatch, ...] = ()

    @property
    def symptom(self) -> str:
        """The first problem in the run, as a text without numbers."""
        first = next((place for place in self.places if place.problem_text is not None), None)
        if first is None:
            return ""
        if first.unshown or not (first.rows.missing or first.rows.extra):
            return first.problem_text or ""
        if not first.rows.extra:
            return "rows are missing"
        return "rows are missing, and other rows are extra" if first.rows.missing else "rows are extra"


Pattern = Callable[[Sequence[ReportMatch]], bool]
"""A function that decides whether reported and expected rows have the relation that a fault predicts."""


@dataclass(frozen=True)
class JudgedRun:
    """A run with everything that is necessary to judge it, such as the specification and the reports.

    The run is right if all its reports are right. If `pattern` is given, the run is also right if `pattern`
    returns true for its expected and reported rows. `late` contains the times, in ms, of triples that arrived
    after a triple with a later time. `pushed` contains the triples exactly as the engine received them.
    `judgements` contains the latest judgements of a hunt, which changed runs often need again.
    """

    specification: Specification
    recorded: RecordingToJudge
    late: tuple[float, ...] = ()
    pattern: Pattern | None = None
    pushed: Stream = ()
    judgements: dict[Hashable, judge.Judgement] = field(default_factory=dict, repr=False, compare=False)

    def with_options(self, **options: object) -> "JudgedRun":
        """Return the run with other values for the given options of judging."""
        changed = replace(self.recorded.options, **options)  # type: ignore[arg-type]
        return replace(self, recorded=replace(self.recorded, options=changed))

    def with_elements(self, elements: tuple[PushedTriple, ...]) -> "JudgedRun":
        """Return the run with the given triples as its input."""
        return replace(
            self, recorded=replace(self.recorded, task=replace(self.recorded.task, elements=elements))
        )

    @cached_property
    def judgement(self) -> judge.Judgement:
        """The verdicts on the run, one for each combination of a start time t0 and window bounds."""
        recorded, known, key = self.recorded, self.judgements, self._key
        if key in known:
            known[key] = known.pop(key)
            return known[key]
        judgement = judge.judge_recording(
            recorded.task, self.specification, recorded.recording, recorded.options
        )
        while len(known) >= _KEPT_JUDGEMENTS:
            del known[next(iter(known))]
        known[key] = judgement
        return judgement

    @property
    def _key(self) -> Hashable:
        """All data on which the judgement depends; runs with equal keys have equal judgements."""
        task, recording = self.recorded.task, self.recorded.recording
        run = task.run
        return (
            self.specification.model_dump_json(),
            self.recorded.options,
            (run.query, _contents(run.static), run.unit, run.origin, run.wait, run.lateness),
            (task.elements, task.until, task.versions),
            (task.kept, task.only_kept, task.at_end),
            (recording.variables, recording.rejected, recording.windows),
            # The equality of recordings ignores these two fields.
            (recording.lexical, recording.rows_only),
            tuple((report.t, tuple(report.rows), report.trigger) for report in recording.reports),
        )

    @cached_property
    def with_few_starts(self) -> "JudgedRun":
        """The same run, judged only with start times t0 that can give different answers on its stream."""
        recorded = self.recorded
        options = narrow_options(recorded.options, recorded.task)
        return replace(self, recorded=replace(recorded, options=options))

    @cached_property
    def counterfeits(self) -> tuple["JudgedRun", ...]:
        """Copies of the run with invented answers: all right answers, no answers, answers at other times."""
        recording = self.recorded.recording
        best = self.judgement.best
        windows = (*best.transient, *best.windows, *best.later)
        right = (
            (window.at, (*window.rows.shared, *window.rows.missing))
            for window in windows
            if window.right is not None
        )
        silent = self.specification.empty == "silent"
        reports = tuple(Report(t, rows, None) for t, rows in right if rows or not silent)
        names = tuple(columns(self.recorded.task.query))
        # The recording without reports is second, so that `expects` can omit it: many causes predict silence.
        others = [replace(recording, variables=names, reports=reports), replace(recording, reports=())]
        if any(one.rows for one in recording.reports):
            far = tuple(Report(one.t + n * _FAR, one.rows) for n, one in enumerate(recording.reports, 1))
            others.append(replace(recording, reports=far))
        return tuple(replace(self, recorded=replace(self.recorded, recording=other)) for other in others)

    def length_errors(self) -> Iterator[float]:
        """Yield the least ms by which windows would have to be longer, for each evaluation with extra rows.

        If rows are missing, the windows would have to be shorter, and the number is negative.
        """
        task = self.recorded.task
        tick = task.unit.milliseconds
        times = [triple.t * tick for triple in task.elements]
        windows = (one.window for one in sources(task.query))
        lengths = {one.length.milliseconds for one in windows if isinstance(one, Range)}
        for place, length in product(self.judgement.best.windows, lengths):
            opening = place.at - length
            if place.rows.extra and (older := [t for t in times if t <= opening]):
                yield opening - max(older) + tick
            if place.rows.missing and (own := [t for t in times if opening < t <= place.at]):
                yield opening - min(own)

    def is_right(self, judgement: judge.Judgement) -> bool | None:
        """Return whether the run is right for some start time t0; None if no report can be judged.

        Windows with a late triple are not judged, because RSP-QL defines only streams in order of time
        (RSP-QL 2014, Definition 9).
        """
        return None if judgement.correct is None else not self.misses(judgement)

    def misses(self, judgement: judge.Judgement) -> int | None:
        """Return the number of wrong rows and reports of the run, for the best start time t0.

        If no report can be judged, the function returns None.
        """
        certain = list(map(self._certain, judgement.verdicts))
        if judgement.correct is None or (self.pattern is not None and not any(certain)):
            return None
        fewest = min((sum(map(_wrongs, windows)) for windows in certain), default=1)
        if self.pattern is None:
            return fewest
        whole = list(chain.from_iterable(map(self._views, judgement.verdicts)))
        holds = any(self.pattern(windows) for windows in (*certain, *whole) if windows)
        # A pattern that does not hold has no number of errors, so it is worse than the fewest errors.
        return 0 if holds else fewest + 1

    @property
    def fitting(self) -> tuple[judge.Verdict, ...]:
        """The verdicts for the start times t0 for which the run is right, also by its pattern."""
        verdicts, holds = self.judgement.verdicts, self.pattern
        if holds is None:
            return tuple(one for one in verdicts if one.windows and not any(map(_wrongs, self._certain(one))))
        return tuple(
            one for one in verdicts if any(holds(windows) for windows in self._views(one) if windows)
        )

    def _certain(self, verdict: judge.Verdict) -> Sequence[ReportMatch]:
        """Return the evaluations that decide whether the run is right: those without late triples."""
        early = self.early_at_end(verdict) if verdict.windows else ()
        return (*(window for window in verdict.windows if not self._may_differ(window)), *early)

    def _views(self, verdict: judge.Verdict) -> Iterator[Sequence[ReportMatch]]:
        """Yield the sequences of evaluations of a verdict in which a pattern may hold."""
        yield verdict.windows
        if verdict.transient:
            # A report that is too early to be judged may still be the first report.
            yield (*verdict.transient, *verdict.windows)
        if at_end := self._due_at_end(verdict):
            # A report at the time of the last triple need not come, but it may be the last report.
            yield (*verdict.windows, *at_end)

    def _due_at_end(self, verdict: judge.Verdict) -> Sequence[ReportMatch]:
        """Return the evaluations exactly at the time of the last triple, which no later triple shows."""
        end = self.recorded.task.last * self.recorded.task.unit.milliseconds
        return [place for place in verdict.later if place.right and place.at == end]

    def early_at_end(self, verdict: judge.Verdict) -> Iterator[ReportMatch]:
        """Yield reports of windows that are still open when the last triple arrives.

        The time of each yielded report is at most the time of the last triple. An engine that closes its
        windows at the end of the stream must report these windows with a later time.
        """
        task = self.recorded.task
        end = task.last * task.unit.milliseconds
        for place in verdict.later:
            if place.right is None and place.rows.actual and place.at <= end:
                yield place

    def _may_differ(self, window: ReportMatch) -> bool:
        """Return whether a late triple can change the expected rows of a window.

        The window can contain the late triple, or ISTREAM or DSTREAM can compare with a window that contains
        the late triple.
        """
        # A report that belongs to no evaluation is wrong, whatever a window contains.
        if not self.late or window.right is None:
            return False
        task = self.recorded.task
        operator = task.query.to_stream or self.specification.stream
        ranges = (one.window for one in sources(task.query) if isinstance(one.window, Range))
        length = max((one.length.milliseconds for one in ranges), default=0.0)
        reach = length if operator == "RSTREAM" else inf
        return any(t <= window.at <= t + reach for t in self.late)


def _contents(static: Static) -> Hashable:
    stores = ((language, _contents(own)) for language, own in static.engine_stores.items())
    graphs = ((name, frozenset(graph)) for name, graph in static.named.items())
    return frozenset(static.default), tuple(graphs), tuple(stores)


_UNJUDGED: Final = "not judged: no triple comes after its time"
"""The problem text of a report that is not judged, because no later triple shows that its window closed."""
_MOST_SUBJECTS: Final = 64
"""The maximum number of changed runs that are judged for a combination of faults; a guess."""
_ENOUGH: Final = 20
"""The minimum number of correct runs from which lars may conclude that windows begin at time 0; a guess."""
_FAR: Final = 3_600_000.0
"""The number of ms by which invented reports are moved to times at which no report is expected."""
_KEPT: Final = 500
"""The number of runs whose expected answers are kept in memory while causes are tried.

A hunt keeps 250 wrong and 250 correct runs to try causes, so no answer of these runs is computed twice.
"""
_KEPT_JUDGEMENTS: Final = 1000
"""The number of judgements that are kept in memory while causes are tried.

More would be of little use: a judgement that is needed again is mostly needed soon.
"""
_SAMPLE: Final = 60
"""The maximum number of correct runs that are judged to find out whether windows begin at time 0; a guess."""
_NEARLY_ALL: Final = 0.75
"""The share of correct runs that must fit t0 = 0 before the hunt assumes that windows begin at 0; a guess."""


@dataclass(frozen=True, slots=True, eq=False)
class Switch:
    """A possible fault of an engine, with the definition that the fault violates.

    The function `change` returns the runs to judge if the engine has the fault, one run for each
    interpretation of the fault. If the fault has no effect in a run, the function `change` returns this run
    unchanged. The function `change` raises LarsError if an engine cannot have the fault in this run. The
    function `held` returns whether a run shows the fault; None if the run cannot show the fault. `parts` are
    the two faults of which a pair of faults consists.
    """

    sentence: str
    right: str
    change: Callable[[JudgedRun], Iterable[JudgedRun]] = lambda subject: (subject,)
    held: Callable[[HuntedRun], bool | None] | None = None
    parts: tuple["Switch", ...] = ()


def both(one: Switch, other: Switch) -> Switch:
    """Return the possible fault that an engine has two faults at the same time.

    Neither of the two faults may have the function `held`.
    """
    assert one.held is other.held is None
    right = one.right if one.right == other.right else f"{one.right}; and {other.right}"

    def change(subject: JudgedRun) -> Iterable[JudgedRun]:
        return chain.from_iterable(map(other.change, one.change(subject)))

    return Switch(f"{one.sentence}; and {other.sentence}", right, change, parts=(one, other))


@dataclass(frozen=True, eq=False)
class Reference(ABC):
    """A definition of correct answers, by which the runs of a hunt for faults are judged.

    `name` is the value of --engine for `lars judge`. `options` contains the options for the comparison of
    reports.
    """

    name: str
    options: JudgeOptions

    @property
    @abstractmethod
    def sentence(self) -> str:
        """A text that names the definition of correct answers."""

    @abstractmethod
    def verdict(
        self, run: HuntedRun, on: tuple[Switch, ...] = (), right: HuntedRun | None = None
    ) -> RunVerdict:
        """Return the verdict whether a run of an engine is correct.

        If the run is wrong, the verdict shows the expected rows for a suitable start time t0. If possible,
        the run `right` is correct for this start time, or the faults `on` predict the run.
        """

    @abstractmethod
    def misses(self, run: HuntedRun, on: tuple[Switch, ...]) -> int | None:
        """Return the number of rows and reports in which a run differs from the prediction of given faults.

        If several start times t0 are possible, the function uses the start time for which the number is
        smallest. If the faults have no effect in the run, the function returns None.
        """

    def can_refute(self, run: HuntedRun, on: tuple[Switch, ...]) -> bool:
        """Return whether a run is evidence that the engine has given faults.

        A run is evidence if other answers to the same stream would have refuted the faults.
        """
        del run, on
        return True

    def expects(self, run: HuntedRun, switch: Switch, *, rows: bool = False) -> bool:
        """Return whether an engine with the given fault must give a wrong answer to the stream of a run.

        If `rows` is true, the fault must not predict that the engine reports nothing, because many faults
        predict this.
        """
        del run, switch, rows
        return True

    def permits_several(self, run: HuntedRun, switch: Switch) -> bool:
        """Return whether a fault permits several answers to the stream of a run, such as any LIMIT rows."""
        del run, switch
        return False

    def narrowed(self, right: Sequence[HuntedRun]) -> "Reference":
        """Return the reference with only one start time t0, if nearly all correct runs fit this time."""
        del right
        return self

    def fits_at_time_zero(self, run: HuntedRun, on: tuple[Switch, ...]) -> bool:
        """Return whether given faults predict a run if windows begin at time 0.

        If the options define t0, the function returns true.
        """
        return self.options.t0 is not None or self.at_zero.predicts(run, on)

    @cached_property
    def at_zero(self) -> Self:
        """The reference with the start time t0 = 0, or with the start times in its options."""
        return replace(self, options=replace(self.options, t0=self.options.t0 or (0,)))

    def predicts(self, run: HuntedRun, on: tuple[Switch, ...]) -> bool:
        """Return whether an engine with exactly the given faults would give the reports of a run."""
        return self.misses(run, on) == 0

    def obstacle(self, query: HuntedQuery) -> str | None:
        """Return the reason why the answers to a query cannot be judged; None if they can be judged."""
        del query
        return None


@dataclass(frozen=True, eq=False)
class SpecificationReference(Reference):
    """A specification as the definition of correct answers in a hunt."""

    specification: Specification
    _subjects: dict[HuntedRun, JudgedRun] = field(default_factory=dict, init=False, repr=False)
    _judgements: dict[Hashable, judge.Judgement] = field(default_factory=dict, init=False, repr=False)

    @property
    def sentence(self) -> str:
        """A text that names the specification."""
        described = (
            f" ({self.specification.description.rstrip('.')})" if self.specification.description else ""
        )
        return f"RSP-QL (2014) with the parameters of `{self.specification.name}`{described}"

    def verdict(
        self, run: HuntedRun, on: tuple[Switch, ...] = (), right: HuntedRun | None = None
    ) -> RunVerdict:
        """Return the verdict whether a run is correct.

        Windows whose content depends on late triples are not judged.
        """
        if run.is_undefined:
            return RunVerdict(None)
        subject = self._subject(run)
        judgement = subject.judgement
        correct = subject.is_right(judgement)
        if correct is None:
            return RunVerdict(correct)
        shown = judgement.best if correct else self._shown(judgement, right or run, on)
        early = tuple(subject.early_at_end(shown))
        unjudged = tuple(
            replace(window, rows=RowMatch(extra=window.came_rows), problem=_UNJUDGED)
            for window in shown.later
            if window.rows.actual and window not in early
        )
        choice = "" if correct else _choice(judgement, shown)
        return RunVerdict(correct, (*shown.windows, *early), choice, unjudged=unjudged)

    def _shown(self, judgement: judge.Judgement, run: HuntedRun, on: tuple[Switch, ...]) -> judge.Verdict:
        """Return a verdict for a start time t0, if possible 0, with which the faults `on` predict the run.

        If the faults predict the run for no start time, a verdict with the fewest wrong reports is returned.
        """
        subject, verdicts = self._subject(run), judgement.verdicts
        changed = _switched(subject, on) or ()
        starts = {verdict.choice.starts for one in changed for verdict in one.with_few_starts.fitting}
        wrong = [one.wrong + len(tuple(subject.early_at_end(one))) for one in verdicts]
        told = [one for one in verdicts if one.choice.starts in starts] or [
            one for one, count in zip(verdicts, wrong, strict=True) if count == min(wrong)
        ]
        return next((one for one in told if not any(one.choice.starts)), told[0])

    def _subject(self, run: HuntedRun) -> JudgedRun:
        """Return the run with everything that is necessary to judge it, from a cache.

        The cache saves time, because many causes are tried on the same run.
        """
        if run not in self._subjects:
            subject = self._prepared(run)
            while len(self._subjects) >= _KEPT:
                del self._subjects[next(iter(self._subjects))]
            self._subjects[run] = subject
        return self._subjects[run]

    def _prepared(self, run: HuntedRun) -> JudgedRun:
        unit = Duration(int(run.query.tick * NANOSECONDS["ms"]))
        recorded = judge.recording_to_judge(run.run, unit, run.typed_answers, self.options)
        if clock_driven(frame_task(recorded.task, self.specification, "closed")):
            # No later triple shows that a window that closes at the last triple is due.
            options = replace(recorded.options, until=recorded.task.last - 1)
            recorded = replace(recorded, options=options)
        said = with_query_bounds(self.specification, recorded.task.query)
        return _with_booleans(
            JudgedRun(said, recorded, run.late, pushed=run.pushes, judgements=self._judgements)
        )

    def delays(self, run: HuntedRun) -> Iterator[float]:
        """Yield each delay, in ms, from a time at which rows are missing to a time of a report with rows."""
        # Delays depend on t0, so the same t0 is used for all runs.
        subject = self._subject(run)
        recorded = subject.recorded
        options = replace(recorded.options, t0=recorded.options.t0 or (0,))
        subject = replace(subject, recorded=replace(recorded, options=options))
        due = [window.at for window in subject.judgement.best.windows if window.rows.missing]
        came = [report.t for report in subject.recorded.recording.reports if report.rows]
        yield from (t - other for t in came for other in due if t != other)

    def at_zero_subjects(self, runs: Iterable[HuntedRun]) -> list[JudgedRun]:
        """Return runs with all that is necessary to judge them; without the option t0, windows begin at 0."""
        return [self.at_zero._subject(run) for run in runs]  # noqa: SLF001

    def misses(self, run: HuntedRun, on: tuple[Switch, ...]) -> int | None:
        """Return the number of rows and reports in which a run differs from the prediction of given faults.

        If the faults have several interpretations, the function uses the interpretation for which the number
        is smallest. If the faults have no effect in the run, the function returns None.
        """
        told = [switch.held(run) for switch in on if switch.held is not None]
        if None in told or False in told:
            return 1 if False in told else None
        if told and len(told) == len(on):
            return 0
        try:
            subjects = _switched(self._subject(run), on)
            return None if subjects is None else _fewest(subjects)
        except TimeLimitError:
            raise
        except LarsError:
            return 1

    def can_refute(self, run: HuntedRun, on: tuple[Switch, ...]) -> bool:
        """Return whether a run is evidence that an engine has given faults.

        A run is evidence if other answers to its stream would have refuted the faults. For example, a run
        with one report is no evidence that all reports have the same time.
        """
        if all(switch.held is not None for switch in on):
            return True
        try:
            return _has_evidence(self._subject(run), on)
        except TimeLimitError:
            raise
        except LarsError:
            return False

    def permits_several(self, run: HuntedRun, switch: Switch) -> bool:
        """Return whether a fault only relates the reported rows to the expected rows of a run."""
        try:
            return any(one.pattern is not None for one in switch.change(self._subject(run)))
        except TimeLimitError:
            raise
        except LarsError:
            return False

    def expects(self, run: HuntedRun, switch: Switch, *, rows: bool = False) -> bool:
        """Return whether an engine with a fault must give a wrong answer if windows begin at time 0."""
        if switch.held is not None:
            # That other queries are right, too, is a part of what it says.
            return True
        try:
            subject = self.at_zero._subject(run).with_few_starts  # noqa: SLF001
            others = subject.counterfeits[: 2 if rows else 1]
            return all(_fewest(_switched(other, (switch,)) or (other,)) for other in others)
        except TimeLimitError:
            raise
        except LarsError:
            return False

    def differ(self, run: HuntedRun, one: Switch, other: Switch) -> bool:
        """Return whether two faults predict different answers to the stream of a run.

        The function computes the answers that the fault `one` predicts. If they cannot be computed, because
        the fault `one` only describes a relation of expected and reported rows, the function returns false.
        """
        try:
            subject = self.at_zero._subject(run).with_few_starts  # noqa: SLF001
            recorded = subject.recorded
            ways = [way for way in _switched(subject, (one,)) or () if _is_computable(way, subject)]
            predicted = [way.counterfeits[0].recorded.recording for way in ways]
            told = [replace(subject, recorded=replace(recorded, recording=answers)) for answers in predicted]
            return bool(told) and all(_fewest(_switched(own, (other,)) or (own,)) for own in told)
        except TimeLimitError:
            raise
        except LarsError:
            return False

    def narrowed(self, right: Sequence[HuntedRun]) -> "SpecificationReference":
        """Return the reference with the only start time t0 = 0, if nearly all correct runs fit t0 = 0.

        If t0 = 0 fits fewer runs, or if too few runs are correct, the reference is returned unchanged.
        """
        if self.options.t0 is not None or len(right) < _ENOUGH:
            return self
        count = sum(bool(self.at_zero.verdict(run).correct) for run in right[:_SAMPLE])
        return self.at_zero if count >= _NEARLY_ALL * min(len(right), _SAMPLE) else self


def explains(subject: JudgedRun, switch: Switch) -> bool:
    """Return whether a fault predicts a run, and other answers to the same stream would have refuted it."""
    try:
        subjects = (switch.held is None and _switched(subject, (switch,))) or ()
        return _fewest(subjects) == 0 and _has_evidence(subject, (switch,))
    except TimeLimitError:
        raise
    except LarsError:
        return False


def _has_evidence(subject: JudgedRun, on: tuple[Switch, ...]) -> bool:
    """Return whether one interpretation of given faults predicts a wrong run, and no counterfeit of the run.

    Another interpretation may leave so few triples that nothing is due, and then predicts each counterfeit.
    """
    subject = _as_explained(subject.with_few_starts, on)
    ways = _fitting(subject, on)
    return bool(subject.misses(subject.judgement)) and not all(
        any(_holds(other, on, (way,)) for other in subject.counterfeits) for way in ways
    )


def _switched(subject: JudgedRun, on: tuple[Switch, ...]) -> list[JudgedRun] | None:
    """Return the runs to judge if an engine has given faults; None if the faults have no effect."""
    subjects = [subject]
    for switch in on:
        if switch.held is None:
            others = (other for one in subjects for other in switch.change(one))
            subjects = list(islice(others, _MOST_SUBJECTS))
    return None if on and subjects and all(other is subject for other in subjects) else subjects


def _is_computable(way: JudgedRun, subject: JudgedRun) -> bool:
    """Return whether a changed run still has its answers and times, so that its right answers are known."""
    mine, yours = way.recorded, subject.recorded
    return (way.pattern, mine.recording, mine.options.match) == (None, yours.recording, yours.options.match)


def _as_explained(subject: JudgedRun, on: tuple[Switch, ...]) -> JudgedRun:
    """Return the run, to be judged only with start times t0 for which given faults predict its reports."""
    judged = (other.with_few_starts.judgement for other in _switched(subject, on) or ())
    starts = {start for one in judged for fit in one.matching for start in fit.choice.starts}
    if subject.recorded.options.t0 is not None or not starts or min(starts) < 0:
        return subject
    options = replace(subject.recorded.options, t0=tuple(sorted(starts)))
    return replace(subject, recorded=replace(subject.recorded, options=options))


def _fitting(subject: JudgedRun, on: tuple[Switch, ...]) -> list[int]:
    """Return the numbers of the interpretations under which given faults predict the reports of a run."""
    subjects = enumerate(_switched(subject, on) or ())
    return [n for n, other in subjects if _fewest((other,)) == 0]


def _holds(subject: JudgedRun, on: tuple[Switch, ...], ways: Sequence[int]) -> bool:
    """Return whether given faults predict the answers of a run under one of the interpretations `ways`.

    If an interpretation only describes a relation of expected and reported rows, it counts only if the
    answers are wrong.
    """
    subjects = _switched(subject, on) or ()
    wrong = subject.misses(subject.judgement)
    others = [one for n, one in enumerate(subjects) if n in ways and (one.pattern is None or wrong)]
    return bool(others) and _fewest(others) == 0


def _fewest(subjects: Iterable[JudgedRun]) -> int | None:
    """Return the number of wrong rows and reports of the best of several runs; None if none can be judged."""
    fewest = None if (several := list(subjects)) else 1
    for subject in (one.with_few_starts for one in several):
        judgement = subject.judgement
        missed = subject.misses(judgement)
        if missed is None and subject.pattern is None:
            # Nothing is expected, so each row is an error, unless it is too early or too late to be judged.
            unjudged = max(_rows_in((*one.transient, *one.later)) for one in judgement.verdicts)
            missed = int(unjudged < _came(subject))
        if missed is not None:
            fewest = missed if fewest is None else min(fewest, missed)
        if fewest == 0:
            break
    return fewest


def _rows_in(windows: Iterable[ReportMatch]) -> int:
    return sum(window.rows.actual for window in windows)


def _came(subject: JudgedRun) -> int:
    return sum(len(report.rows) for report in subject.recorded.recording.reports)


def _wrongs(window: ReportMatch) -> int:
    return 0 if window.problem is None else max(1, len(window.rows.missing) + len(window.rows.extra))


def _with_booleans(subject: JudgedRun) -> JudgedRun:
    """Return the run of an ASK query, with a mark at each answer that is not a boolean.

    The mark has the effect that an answer which is not a boolean is judged as wrong. If the engine reports
    terms as plain texts, the run is returned unchanged.
    """
    recorded = subject.recorded
    if recorded.task.query.form != "ASK" or recorded.options.lexical:
        return subject

    def told(row: Row) -> Row:
        return tuple(
            text if text is None or text in TYPED_BOOLEANS else f"{_NO_BOOLEAN}{text}" for text in row
        )

    reports = tuple(replace(one, rows=tuple(map(told, one.rows))) for one in recorded.recording.reports)
    recording = replace(recorded.recording, reports=reports)
    return replace(subject, recorded=replace(recorded, recording=recording))


_NO_BOOLEAN: Final = "no boolean: "


def any_truth(report: Report) -> Report:
    """Return a report of an ASK query without the marks that `_with_booleans` adds to answers."""
    rows = (
        tuple(text if text is None else text.removeprefix(_NO_BOOLEAN) for text in row) for row in report.rows
    )
    return replace(report, rows=tuple(rows))


@dataclass(frozen=True, eq=False)
class VersionReference(Reference):
    """The model of an engine version, used as the definition of correct answers in a hunt.

    A report is wrong if the rules of the model do not predict it. The possible faults are that the engine
    does not follow one of the rules.
    """

    engine: Engine
    switches: tuple[Switch, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Create a possible fault for each rule of the engine version: that the rule is missing."""
        rules = self.engine.rules
        switches = (
            Switch(f"without its rule {rule.name}", f"{rule.name}: {rule.sentence}") for rule in rules
        )
        object.__setattr__(self, "switches", tuple(switches))

    @property
    def sentence(self) -> str:
        """A text that names the engine version."""
        return f"the predictions of the rules of {self.engine.name}"

    def verdict(
        self, run: HuntedRun, on: tuple[Switch, ...] = (), right: HuntedRun | None = None
    ) -> RunVerdict:
        """Return the verdict whether the model of the engine version predicts all reports of a run."""
        del on, right
        if run.is_undefined:
            return RunVerdict(None)
        judgement = judged_by(self.engine, run.run, run.answers.recording(), _pushwise(run, self.options))
        return RunVerdict(judgement.correct, () if judgement.correct else judgement.places, by_push=True)

    def misses(self, run: HuntedRun, on: tuple[Switch, ...]) -> int | None:
        """Return 0 if the model predicts a run without the rules that the faults `on` name, otherwise 1."""
        if told := [switch.held(run) for switch in on if switch.held is not None]:
            return None if None in told else int(not all(told))
        pairs = zip(self.engine.rules, self.switches, strict=True)
        rules = [rule for rule, switch in pairs if switch not in on]
        return int(not follows(self.engine, run, self.options, rules))

    def obstacle(self, query: HuntedQuery) -> str | None:
        """Return the reason why the engine version cannot run a query; None if it can run the query."""
        try:
            self.engine.run(query.read, query.static, ())
        except LarsError as error:
            return str(error)
        return None


def follows(engine: Engine, run: HuntedRun, options: JudgeOptions, rules: Sequence[EngineRule]) -> bool:
    """Return whether the model of an engine version predicts a run if only the given rules apply."""
    off = frozenset(rule.name for rule in engine.rules if rule not in rules)
    pushwise = _pushwise(run, options, times=False)
    try:
        return judged_by(engine, run.run, run.answers.recording(), pushwise, off).correct is True
    except TimeLimitError:
        raise
    except LarsError:
        return False


def _pushwise(run: HuntedRun, options: JudgeOptions, *, times: bool = True) -> JudgeOptions:
    return replace(options, lexical=run.typed_answers.lexical, times=times)


def _choice(judgement: judge.Judgement, verdict: judge.Verdict) -> str:
    """Return a text that names the start time t0 and the window bounds of the expected rows to show."""
    choice = verdict.choice
    starts = " and ".join(map(str, dict.fromkeys(choice.starts)))
    sentence = f"{f't0 = {starts}, ' if choice.starts else ''}windows {choice.bounds}"
    fits = f"none of {judgement.choices} choices of t0 and bounds fits the answers; shown is"
    return f"{fits} {sentence}" if judgement.choices > 1 else f"for {sentence}"


def reference(name: str, specification: Specification | None, options: JudgeOptions) -> Reference:
    """Return a definition of correct answers by a specification, or by the model of an engine version.

    If `specification` is None, `name` is the name of the engine version.
    """
    if specification is None:
        return VersionReference(name, options, ENGINES[name])
    return SpecificationReference(name, options, specification)
