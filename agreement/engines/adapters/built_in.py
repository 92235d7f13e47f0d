"""Engine versions and specifications (also from TOML files) as stream engines that receive pushes one by one.

The reports are computed from all earlier pushes. A session returns a report when no later push can change the
report. An engine version returns a report during a push. A specification returns a report after the time of
the report. The file also contains the conversion of a real engine with an adapter into an engine version
without rules. The real engine receives the text of the query.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from agreement.documents import values
from agreement.documents.outputs import plain
from agreement.documents.recordings import SLACK, Push, Recording, Report, static_lines, static_of
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
from lars.language.windows import Bounds, misses_last
from solver.facts import Static
from translate.model.query import EngineQuery

_TRUTHS: Final = {truth: f'"{word}"^^<{XSD}boolean>' for truth, word in ((True, "true"), (False, "false"))}


class BuiltInOptions(BaseModel):
    """The `options` of the message open for a specification or an engine version."""

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
        default_factory=dict,
        description="New values for keys of the TOML file of the specification.",
    )
    off: tuple[str, ...] = Field(default=(), description="Rules that the engine version leaves out.")


_OF_VERSIONS: Final = ("off",)
"""The options of an engine version; the other options are of specifications."""
_OF_SPECIFICATIONS: Final = tuple(name for name in BuiltInOptions.model_fields if name not in _OF_VERSIONS)


@dataclass(frozen=True, slots=True)
class BuiltInEngine:
    """A specification or an engine version as a stream engine."""

    reporter: specifications.Specification | Engine

    @property
    def name(self) -> str:
        """The name of the engine."""
        return self.reporter.name

    def open(self, registration: messages.OpenMessage) -> "VersionSession | SpecificationSession":
        """Register a query.

        Raises RefusedQueryError if the engine cannot run the query or an option is invalid.
        """
        try:
            if isinstance(self.reporter, Engine):
                return _version_session(self.reporter, registration)
            return _specification_session(self.reporter, registration)
        except LarsError as error:
            raise messages.RefusedQueryError(str(error)) from None

    def end(self) -> bool:
        """Do nothing, because no process runs."""
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def built_in(name: str) -> BuiltInEngine:
    """Return the engine version or specification with a name, or the specification in a TOML file."""
    return BuiltInEngine(ENGINES[name] if name in ENGINES else specifications.specification(name))


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
    check_based(registration.query, "query")
    query = version.read(registration.query, "query")
    session = VersionSession(version, query, static_of(registration.static), frozenset(options.off))
    session.push(())
    return session


def _specification_session(
    specification: specifications.Specification, registration: messages.OpenMessage
) -> "SpecificationSession":
    options = _options(registration.options, _OF_SPECIFICATIONS)
    check_based(registration.query, "query")
    query = read_with_text(registration.query, "query")
    engine_run = specifications.EngineRun(query, static_of(registration.static), (), options.unit)
    session = SpecificationSession(_changed(specification, options.change), engine_run, options)
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
    """A query that an engine version has registered, and all pushes so far; arrivals are its only clock."""

    version: Engine
    query: EngineQuery
    static: Static
    off: Off
    _pushes: tuple[Push, ...] = field(default=(), init=False)

    @property
    def profile(self) -> messages.ProfileReply:
        """The reply to the message open."""
        return messages.ProfileReply(
            engine=self.version.name,
            dialect=self.query.language.value,
            flushes=False,
            advances=False,
            reads_ahead=True,
            options=_OF_VERSIONS,
        )

    def push(self, pushes: Sequence[Push]) -> list[messages.PushReply]:
        """Push triples; each reply has the reports that the push triggered."""
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
        """Return no report, because an engine version has no separate clock."""
        del t
        return ()

    def close(self) -> tuple[messages.EngineReport, ...]:
        """Return no report, because an engine version reports only when triples arrive."""
        return ()


@dataclass(slots=True)
class SpecificationSession:
    """A query that a specification has registered, and all pushes so far; messages can set its clock."""

    specification: specifications.Specification
    run: specifications.EngineRun
    options: BuiltInOptions
    _clock: float = field(default=float("-inf"), init=False)
    """The time in ms up to which reports were returned; `_includes_end` means including this time."""
    _received: int = field(default=0, init=False)
    """The number of pushes so far, including rejected pushes."""
    _known: Recording = field(default=Recording((), ()), init=False)
    """All reports up to the last push or advance."""

    @property
    def profile(self) -> messages.ProfileReply:
        """The reply to the message open."""
        return messages.ProfileReply(
            engine=self.specification.name,
            dialect=self.run.query.language.value,
            flushes=True,
            advances=True,
            reads_ahead=True,
            options=_OF_SPECIFICATIONS,
        )

    def _reports(self, until: int) -> Recording:
        """Return all reports up to a time point; raises LarsError if the run is impossible."""
        choice = specifications.choice_at(self.run, self.specification, self.options.t0, self.options.bounds)
        return specifications.specified_answers(self.run, self.specification, choice, until)

    def push(self, pushes: Sequence[Push]) -> list[messages.PushReply]:
        """Push triples; a triple that is earlier than the previous triple is rejected."""
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
        """Yield for each triple the reason why the triple is rejected, or None."""
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
        """The report strategies of the windows."""
        return [self.specification.report, *self.specification.windows.values()]

    @property
    def _waits(self) -> bool:
        """Whether a report can change until its time is over."""
        if specifications.lead_of(self.run.query, self.run.unit):
            return True
        tick = specifications.needed_tick(self.specification, sources(self.run.query))
        return tick == "instant" or any(strategies & CLOCKED for strategies in self._strategies)

    @property
    def _includes_end(self) -> bool:
        """Whether a window contains an element at its closing time, which makes the report certain."""
        bounds = self.options.bounds or self.specification.bounds[0]
        closing = all("window-close" in strategies for strategies in self._strategies)
        return misses_last(bounds) and closing and not specifications.has_own_ends(self.run.query)

    def _until(self, t: float) -> tuple[messages.EngineReport, ...]:
        """Return the reports that are certain when the time `t` (in ms) has come."""
        before, self._clock = self._clock, max(self._clock, t)
        ends = self._includes_end
        return tuple(
            _report(report, self._known.variables, None, self.run.query)
            for report in sorted(self._known.reports, key=lambda report: report.t)
            if (before < report.t <= t if ends else before <= report.t < t)
        )

    def advance(self, t: float) -> tuple[messages.EngineReport, ...]:
        """Declare that no push before `t` will follow."""
        if not self._waits:
            self._clock = max(self._clock, t)
            return ()
        until = int((max(t, self._clock) + SLACK) / self.run.unit.milliseconds)
        self._known = self._reports(max(self.run.last, until))
        return self._until(t)

    def close(self) -> tuple[messages.EngineReport, ...]:
        """Return the reports at the time of the last push or advance."""
        if not self._waits or self._includes_end:
            return ()
        names, query, before = self._known.variables, self.run.query, self._clock
        return tuple(
            _report(report, names, None, query) for report in self._known.reports if report.t >= before
        )


def _triggered(recording: Recording, number: int, query: EngineQuery) -> tuple[messages.EngineReport, ...]:
    """Return the reports that the push with this number triggered."""
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
"""The prefix of an engine name; the command of the adapter follows the prefix."""
_ELSE: Final = "rspql"


def adapted_version(command: str, text: str) -> tuple[Engine, bool]:
    """Return the engine of an adapter as an engine version, and whether its rows omit the kinds of terms.

    The adapter opens the query once to read the profile of the engine. Raises LarsError if the engine rejects
    the query.
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
