"""Run models of engine versions, and specifications, through the interface of engines that receive triples.

The reports are computed from all triples pushed so far. A run returns a report when no later triple can
change it: an engine version during the push of a triple, a specification after the time of the report. The
file also turns a real engine with an adapter into an engine version without rules, which receives the text of
the query.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from agreement.documents import values
from agreement.documents.outputs import plain
from agreement.documents.recordings import SLACK, Push, Recording, Report, static_lines, static_of
from agreement.documents.recordings.answer_times import ACCEPTED_LATEST, LATEST
from agreement.documents.requests import check_based, sources
from agreement.engines import specifications
from agreement.engines.adapters import messages
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.engine import Engine, Off, read_with_text
from agreement.engines.registry import ENGINES
from agreement.engines.specifications.reporting import CLOCKED
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, Duration
from lars.errors import LarsError
from lars.language.terms import XSD
from lars.language.windows import LARGEST_TIME, Bounds, misses_last
from solver.facts import Static
from translate.model.query import EngineQuery
from translate.model.windows import Rows

_TRUTHS: Final = {truth: f'"{word}"^^<{XSD}boolean>' for truth, word in ((True, "true"), (False, "false"))}


class BuiltInOptions(BaseModel):
    """The options that the message open can set for a specification or an engine version."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    unit: Annotated[Duration, BeforeValidator(values.read_unit)] = Field(
        default=MILLISECOND, description="Length of a time point of the specification."
    )
    t0: int | None = Field(
        default=0,
        description="Start time of the windows of the specification. null: windows close at "
        "multiples of the slide.",
    )
    bounds: Annotated[Bounds, BeforeValidator(values.one_of(Bounds))] | None = Field(
        default=None, description="Ends that belong to a window of the specification."
    )
    change: Mapping[str, object] = Field(
        default_factory=dict, description="New values for keys of the TOML file of the specification."
    )
    off: tuple[str, ...] = Field(default=(), description="Rules that the engine version leaves out.")


_OF_VERSIONS: Final = ("off",)
"""The names of the options of an engine version; all other options belong to specifications."""
_OF_SPECIFICATIONS: Final = tuple(name for name in BuiltInOptions.model_fields if name not in _OF_VERSIONS)


@dataclass(frozen=True, slots=True)
class BuiltInEngine:
    """The model of an engine version, or a specification, as an engine that receives triples."""

    reporter: specifications.Specification | Engine

    @property
    def name(self) -> str:
        """The name of the engine version or of the specification."""
        return self.reporter.name

    def open(self, registration: messages.OpenMessage) -> "VersionSession | SpecificationSession":
        """Register a query, and return its run.

        Raises:
            RefusedQueryError: The engine cannot run the query, or an option is invalid.
        """
        try:
            if isinstance(self.reporter, Engine):
                return _version_session(self.reporter, registration)
            return _specification_session(self.reporter, registration)
        except LarsError as error:
            raise messages.RefusedQueryError(str(error)) from None

    def end(self) -> bool:
        """Return true and do nothing, because no process runs."""
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def built_in(name: str) -> BuiltInEngine:
    """Return the engine version or the specification with a name; the name can be a TOML file."""
    if name in ENGINES:
        return BuiltInEngine(ENGINES[name])
    if name not in specifications.NAMES and not name.endswith(specifications.SUFFIX):
        accepted = f"{specifications.ACCEPTED}, or an engine version ({', '.join(ENGINES)})"
        raise LarsError(f"unknown engine {name!r}; use {accepted}")
    return BuiltInEngine(specifications.specification(name))


def _options(written: Mapping[str, object], accepted: Sequence[str]) -> BuiltInOptions:
    if wrong := [name for name in written if name not in accepted]:
        raise LarsError(f"options: found {wrong[0]!r}; expected {', '.join(accepted)}")
    try:
        return BuiltInOptions.model_validate(written)
    except ValidationError as error:
        raise LarsError(f"options: {messages.problem_of(error)}") from None


def _version_session(version: Engine, registration: messages.OpenMessage) -> "VersionSession":
    options = _options(registration.options, _OF_VERSIONS)
    names = [rule.name for rule in version.rules]
    if unknown := [name for name in options.off if name not in names]:
        raise LarsError(f"options: off: found {unknown[0]!r}; expected {', '.join(names)}")
    check_based(registration.query)
    query = version.read(registration.query, "query")
    session = VersionSession(version, query, static_of(registration.static), frozenset(options.off))
    session.push(())
    return session


def _specification_session(
    specification: specifications.Specification, registration: messages.OpenMessage
) -> "SpecificationSession":
    options = _options(registration.options, _OF_SPECIFICATIONS)
    check_based(registration.query)
    query = read_with_text(registration.query, "query")
    engine_run = specifications.EngineRun(query, static_of(registration.static), (), options.unit)
    changed = _changed(specification, options.change)
    bounds = options.bounds or specifications.with_query_bounds(changed, query).bounds[0]
    session = SpecificationSession(changed, engine_run, bounds, options.t0)
    session.push(())
    return session


def _changed(
    specification: specifications.Specification, change: Mapping[str, object]
) -> specifications.Specification:
    if not change:
        return specification
    try:
        changed = specifications.Specification.model_validate(
            {"name": specification.name, "report": []} | dict(change)
        )
    except ValidationError as error:
        raise LarsError(f"options: change: {messages.problem_of(error)}") from None
    return specification.model_copy(update={name: getattr(changed, name) for name in change})


@dataclass(slots=True)
class VersionSession:
    """The run of a query on the model of an engine version, with all triples pushed so far.

    The engine has no clock other than the times of arriving triples.
    """

    version: Engine
    query: EngineQuery
    static: Static
    off: Off
    _pushes: tuple[Push, ...] = field(default=(), init=False)

    @property
    def profile(self) -> messages.ProfileReply:
        """The description of the engine, which is the reply to the message open."""
        return messages.ProfileReply(
            engine=self.version.name,
            dialect=self.query.language.value,
            flushes=False,
            advances=False,
            reads_ahead=True,
            options=_OF_VERSIONS,
        )

    def push(self, pushes: Sequence[Push]) -> list[messages.PushReply]:
        """Push triples, and return one reply per triple, with the reports that the triple triggered."""
        if late := next((push.t for push in pushes if abs(push.t) >= LATEST), None):
            # The models add lengths of windows to times, which changes no larger float.
            raise LarsError(f"found the time {plain(late)} ms, which is too late; {ACCEPTED_LATEST}")
        every = (*self._pushes, *(push.as_element() for push in pushes))
        recording = self.version.run(self.query, self.static, every, self.off)
        first, self._pushes = len(self._pushes), every
        return [
            messages.PushReply(
                reports=_triggered(recording, number, self.query),
                refused="the engine rejects the element" if number in recording.rejected else None,
            )
            for number in range(first, len(every))
        ]

    def advance(self, t: float) -> tuple[messages.EngineReport, ...]:
        """Return no report, because the engine has no clock other than the times of arriving triples."""
        del t
        return ()

    def close(self) -> tuple[messages.EngineReport, ...]:
        """Return no report, because an engine version reports only when triples arrive."""
        return ()


@dataclass(slots=True)
class SpecificationSession:
    """The run of a query under a specification, with all triples pushed so far.

    The message advance can set the clock of the run.
    """

    specification: specifications.Specification
    run: specifications.EngineRun
    bounds: Bounds
    t0: int | None
    _clock: float = field(default=float("-inf"), init=False)
    """The time in ms up to which reports were returned; if `_decides_end` is true, including this time."""
    _received: int = field(default=0, init=False)
    """The number of triples pushed so far, including rejected triples."""
    _known: Recording = field(default=Recording((), ()), init=False)
    """All reports that are computed from the triples and times received so far."""

    @property
    def profile(self) -> messages.ProfileReply:
        """The description of the specification, which is the reply to the message open."""
        return messages.ProfileReply(
            engine=self.specification.name,
            dialect=self.run.query.language.value,
            flushes=True,
            advances=True,
            reads_ahead=True,
            options=_OF_SPECIFICATIONS,
        )

    def _reports(self, until: int) -> Recording:
        """Return the reports of this run up to the time point `until`.

        Raises:
            LarsError: The specification does not define the run.
        """
        choice = specifications.choice_at(self.run, self.specification, self.t0, self.bounds)
        return specifications.specified_answers(self.run, self.specification, choice, until)

    def push(self, pushes: Sequence[Push]) -> list[messages.PushReply]:
        """Push triples, and return one reply per triple; a triple out of order is rejected."""
        problems = [*self._problems(pushes)]
        self._received += len(pushes)
        number = len(self.run.pushes)
        both = zip(pushes, problems, strict=True)
        accepted = (push.as_element() for push, problem in both if problem is None)
        before = self.run
        self.run = replace(before, pushes=(*before.pushes, *accepted))
        try:
            self._known, waits = self._reports(self.run.last), self._waits
        except LarsError:
            self.run = before
            # Several pushes that fail together are pushed again, one by one.
            self._received -= len(pushes) if len(pushes) > 1 else 0
            raise
        replies: list[messages.PushReply] = []
        for push, problem in zip(pushes, problems, strict=True):
            if problem is not None:
                replies.append(messages.PushReply(reports=(), refused=problem))
                continue
            reports = self._until(push.t) if waits else _triggered(self._known, number, self.run.query)
            replies.append(messages.PushReply(reports=reports))
            number += 1
        return replies

    def _problems(self, pushes: Sequence[Push]) -> Iterator[str | None]:
        """Yield for each triple the reason why it is rejected, or None."""
        latest = max(self._clock, *(push.t for push in self.run.pushes[-1:]), float("-inf"))
        for number, push in enumerate(pushes, self._received):
            if push.t < latest:
                times = f"{plain(push.t, 9)} ms, which is before the preceding time {plain(latest, 9)} ms"
                yield f"push {number} is at {times}; expected pushes in the order of their times"
                continue
            try:
                specifications.elements_of([push], self.run.unit, number)
            except LarsError as error:
                yield str(error)
            else:
                latest = push.t
                yield None

    @property
    def _strategies(self) -> list[frozenset[specifications.Strategy]]:
        """The report strategies for all windows, followed by the strategies for single windows."""
        return [self.specification.report, *self.specification.windows.values()]

    @property
    def _waits(self) -> bool:
        """Whether the next triple can change a report of the same time, so that the report must wait."""
        if specifications.lead_of(self.run.query, self.run.unit):
            return True
        tick = specifications.needed_tick(self.specification, sources(self.run.query))
        return tick == "instant" or any(strategies & CLOCKED for strategies in self._strategies)

    @property
    def _decides_end(self) -> bool:
        """Whether a report is final at its own time: windows exclude the triples of their closing time."""
        query = self.run.query
        closing = all("window-close" in strategies for strategies in self._strategies)
        # A tuple-based window closes at each triple, and contains this triple.
        counted = any(isinstance(source.window, Rows) for source in sources(query))
        excluded = closing and not counted and not specifications.has_own_ends(query)
        return excluded and misses_last(self.bounds)

    def _until(self, t: float) -> tuple[messages.EngineReport, ...]:
        """Return the reports that no later triple can change after the clock reaches `t` (in ms)."""
        before, self._clock = self._clock, max(self._clock, t)
        ends = self._decides_end
        return tuple(
            _report(report, self._known.variables, None, self.run.query)
            for report in sorted(self._known.reports, key=lambda report: report.t)
            if (before < report.t <= t if ends else before <= report.t < t)
        )

    def advance(self, t: float) -> tuple[messages.EngineReport, ...]:
        """Set the clock to `t` (ms), and return the reports that no later triple can change.

        After this call, no triple with a time before `t` may be pushed.
        """
        if not self._waits:
            self._clock = max(self._clock, t)
            return ()
        until = int((max(t, self._clock) + SLACK) / self.run.unit.milliseconds)
        if until > LARGEST_TIME:
            raise LarsError(f"found the time {plain(t)} ms, which is too large; use a smaller time")
        self._known = self._reports(max(self.run.last, until))
        return self._until(t)

    def close(self) -> tuple[messages.EngineReport, ...]:
        """Return the remaining reports, at the time of the last triple or clock message, or later."""
        if not self._waits or self._decides_end:
            return ()
        names, query, before = self._known.variables, self.run.query, self._clock
        return tuple(
            _report(report, names, None, query) for report in self._known.reports if report.t >= before
        )


def _triggered(recording: Recording, number: int, query: EngineQuery) -> tuple[messages.EngineReport, ...]:
    """Return the reports that the triple with this number triggered."""
    bounds = recording.windows or [None] * len(recording.reports)
    return tuple(
        _report(report, recording.variables, ends, query)
        for report, ends in zip(recording.reports, bounds, strict=True)
        if report.trigger == number
    )


def _report(
    report: Report, names: Sequence[str], bounds: tuple[float, float] | None, query: EngineQuery
) -> messages.EngineReport:
    rows: list[Mapping[str, str | None]] = [
        {name: text for name, text in zip(names, row, strict=True) if text is not None} for row in report.rows
    ]
    if query.form == "ASK" and not names:
        rows = [{"Answer": _TRUTHS[bool(report.rows)]}]
    start, end = bounds or (None, None)
    return messages.EngineReport(t=report.t, rows=tuple(rows), window_from=start, window_to=end)


ADAPTER: Final = "adapter:"
"""The prefix of an engine name that stands for an adapter; the command of the adapter follows."""
_ELSE: Final = "rspql"


def adapted_version(command: str, text: str) -> tuple[Engine, bool]:
    """Return the engine behind an adapter as an engine version, and whether its rows omit the kinds of terms.

    To get the description of the engine, the function opens the query once.

    Raises:
        LarsError: The engine rejects the query.
    """

    def recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
        del query, off
        with RunningAdapter(command) as adapter:
            registration = messages.open_message(text, static_lines(static))
            return messages.accepted_answers(adapter, registration, pushes).recording()

    with RunningAdapter(command) as adapter:
        profile = messages.profile_of(adapter, messages.open_message(text))
    specification = profile.dialect if profile.dialect in specifications.NAMES else _ELSE
    return Engine(profile.engine, specification, (), recorded), not profile.kinds
