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


_OF_VERSIONS: Final = frozenset(("off",))


@dataclass(frozen=True, slots=True)
class BuiltInEngine:
    """A specification or an engine version as a stream engine."""

    reporter: specifications.Specification | Engine

    @property
    def name(self) -> str:
        """The name of the engine."""
        return self.reporter.name

    def open(self, registration: messages.OpenMessage) -> "BuiltInSession":
        """Register a query.

        Raises RefusedQueryError if the engine cannot run the query or an option is invalid.
        """
        try:
            options = self._options(registration.options)
            check_based(registration.query, "query")
            read = self.reporter.read if isinstance(self.reporter, Engine) else read_with_text
            query = read(registration.query, "query")
            engine_run = specifications.EngineRun(query, static_of(registration.static), (), options.unit)
            session = BuiltInSession(self._changed(options), engine_run, options)
            session.reports()
        except LarsError as error:
            raise messages.RefusedQueryError(str(error)) from None
        return session

    def _options(self, written: Mapping[str, object]) -> BuiltInOptions:
        own = isinstance(self.reporter, Engine)
        accepted = [name for name in BuiltInOptions.model_fields if (name in _OF_VERSIONS) is own]
        if wrong := [name for name in written if name not in accepted]:
            raise LarsError(f"options: found {wrong[0]!r}; expected {', '.join(accepted)}")
        try:
            options = BuiltInOptions.model_validate(written)
        except ValidationError as error:
            raise LarsError(f"options: {messages.problem_of(error)}") from None
        if isinstance(self.reporter, Engine):
            names = [rule.name for rule in self.reporter.rules]
            if unknown := [name for name in options.off if name not in names]:
                raise LarsError(f"options: off: found {unknown[0]!r}; expected {', '.join(names)}")
        return options

    def _changed(self, options: BuiltInOptions) -> specifications.Specification | Engine:
        if isinstance(self.reporter, Engine) or not options.change:
            return self.reporter
        try:
            changed = specifications.Specification.model_validate(
                {"name": self.name, "report": []} | dict(options.change)
            )
        except ValidationError as error:
            raise LarsError(f"options: change: {messages.problem_of(error)}") from None
        return self.reporter.model_copy(update={name: getattr(changed, name) for name in options.change})

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


@dataclass(slots=True)
class BuiltInSession:
    """A query that a specification or engine version has registered, and all pushes so far."""

    reporter: specifications.Specification | Engine
    run: specifications.EngineRun
    options: BuiltInOptions
    _clock: float = field(default=float("-inf"), init=False)
    """The time in ms up to which a specification has reported; `_includes_end` means including this time."""
    _received: int = field(default=0, init=False)
    """The number of pushes so far, including rejected pushes."""
    _known: Recording = field(default=Recording((), ()), init=False)
    """All reports up to the last push or advance."""

    @property
    def profile(self) -> messages.ProfileReply:
        """The reply to the message open."""
        own = isinstance(self.reporter, Engine)
        return messages.ProfileReply(
            engine=self.reporter.name,
            dialect=self.run.query.language.value,
            flushes=not own,
            advances=not own,
            reads_ahead=True,
            options=tuple(name for name in BuiltInOptions.model_fields if (name in _OF_VERSIONS) is own),
        )

    def reports(self) -> Recording:
        """Return all reports up to the last push; raises LarsError if the run is impossible."""
        self._known = self._reports()
        return self._known

    def _reports(self) -> Recording:
        engine_run = self.run
        if isinstance(self.reporter, Engine):
            off = frozenset(self.options.off)
            return self.reporter.run(engine_run.query, engine_run.static, engine_run.pushes, off)
        choice = specifications.choice_at(engine_run, self.reporter, self.options.t0, self.options.bounds)
        return specifications.specified_answers(engine_run, self.reporter, choice, engine_run.last)

    def push(self, pushes: Sequence[Push]) -> list[messages.PushReply]:
        """Push triples; a specification rejects a triple that is earlier than the previous triple."""
        own = isinstance(self.reporter, Engine)
        problems = [None] * len(pushes) if own else [*self._problems(pushes)]
        self._received += len(pushes)
        number = len(self.run.pushes)
        both = zip(pushes, problems, strict=True)
        taken = (push.as_element() for push, problem in both if problem is None)
        before = self.run
        self.run = replace(before, pushes=(*before.pushes, *taken))
        try:
            recording, waits = self.reports(), self._waits
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
            reports = self._until(recording, push.t) if waits else self._of(recording, number)
            refused = "the engine rejects the element" if number in recording.rejected else None
            replies.append(messages.PushReply(reports=reports, refused=refused))
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

    def _of(self, recording: Recording, number: int) -> tuple[messages.EngineReport, ...]:
        """Return the reports that the push with this number triggered."""
        bounds = recording.windows or [None] * len(recording.reports)
        both = zip(recording.reports, bounds, strict=True)
        return tuple(
            _report(report, recording.variables, ends, self.run.query)
            for report, ends in both
            if report.trigger == number
        )

    @property
    def _strategies(self) -> list[frozenset[specifications.Strategy]]:
        """The report strategies of a specification's windows; empty for an engine version."""
        if isinstance(self.reporter, Engine):
            return []
        return [self.reporter.report, *self.reporter.windows.values()]

    @property
    def _waits(self) -> bool:
        """Whether a report of a specification can change until its time is over."""
        if isinstance(self.reporter, Engine):
            return False
        if specifications.lead_of(self.run.query, self.run.unit):
            return True
        tick = specifications.needed_tick(self.reporter, sources(self.run.query))
        return tick == "instant" or any(strategies & CLOCKED for strategies in self._strategies)

    @property
    def _includes_end(self) -> bool:
        """Whether a window contains an element at its closing time, which makes the report certain."""
        assert isinstance(self.reporter, specifications.Specification)
        bounds = self.options.bounds or self.reporter.bounds[0]
        closing = all("window-close" in strategies for strategies in self._strategies)
        return misses_last(bounds) and closing and not specifications.has_own_ends(self.run.query)

    def _until(self, recording: Recording, t: float) -> tuple[messages.EngineReport, ...]:
        """Return the reports that are certain when the time `t` (in ms) has come."""
        before, self._clock = self._clock, max(self._clock, t)
        ends = self._includes_end
        return tuple(
            _report(report, recording.variables, None, self.run.query)
            for report in sorted(recording.reports, key=lambda report: report.t)
            if (before < report.t <= t if ends else before <= report.t < t)
        )

    def advance(self, t: float) -> tuple[messages.EngineReport, ...]:
        """Declare that no push before `t` will follow; an engine version has no separate clock."""
        if isinstance(self.reporter, Engine):
            return ()
        if not self._waits:
            self._clock = max(self._clock, t)
            return ()
        until = int((max(t, self._clock) + SLACK) / self.run.unit.milliseconds)
        choice = specifications.choice_at(self.run, self.reporter, self.options.t0, self.options.bounds)
        self._known = specifications.specified_answers(
            self.run, self.reporter, choice, max(self.run.last, until)
        )
        return self._until(self._known, t)

    def close(self) -> tuple[messages.EngineReport, ...]:
        """Return the reports of a specification at the time of the last push or advance."""
        if isinstance(self.reporter, Engine) or not self._waits or self._includes_end:
            return ()
        names, query, before = self._known.variables, self.run.query, self._clock
        return tuple(
            _report(report, names, None, query) for report in self._known.reports if report.t >= before
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
            answers = messages.answers_of(adapter, messages.open_message(text, static_lines(static)), pushes)
        if answers.profile is None:
            raise LarsError(f"the engine rejects the query: {answers.refused}")
        return answers.recording()

    with RunningAdapter(command) as adapter:
        profile = messages.profile_of(adapter, messages.open_message(text))
    specification = profile.dialect if profile.dialect in specifications.NAMES else _ELSE
    return Engine(profile.engine, specification, (), recorded), not profile.kinds
