"""A running adapter as a stream engine: its replies checked, its times in milliseconds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from time import sleep
from typing import Final, Self, TypeVar

from pydantic import ValidationError

from agreement.documents.recordings import Push
from agreement.documents.recordings.recording import of_text
from agreement.documents.values import cut
from agreement.engines.adapters.child import ChildProgram
from agreement.engines.adapters.messages import (
    AdvanceMessage,
    AdvanceReply,
    CloseMessage,
    CloseReply,
    EngineReport,
    ErrorReply,
    Message,
    OpenMessage,
    ProfileReply,
    PushMessage,
    PushReply,
    check_variable,
    problem_of,
)
from agreement.engines.adapters.stream_engines import FailedEngineError, RefusedQueryError, Registration
from lars.errors import LarsError
from solver.rdf import canonical

SILENCE: Final = 30.0
"""How many seconds an adapter may take for a reply, where nobody says otherwise."""
_MOST_AHEAD: Final = 256
"""So many pushes are sent before their replies are read, where the adapter reads ahead."""
_AT_END: Final = 0.5
_Reply = TypeVar("_Reply", bound=Message)


@dataclass(slots=True)
class RunningAdapter:
    """An adapter by its command; the process starts when a query is opened, and serves the next one too.

    Unless the adapter says that open is not fresh: then each run has a process of its own.
    """

    command: str
    silence: float = SILENCE
    folder: Path | None = None
    """Where the process runs, if not where this one does."""
    noise: int = field(default=0, init=False)
    """How many lines of the last process were none of the protocol."""
    _child: ChildProgram | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """The command."""
        return self.command

    def open(self, registration: Registration) -> "AdapterSession":
        """Register a query; raises RefusedQueryError, or FailedEngineError where no reply comes."""
        if self._child is None or not self._child.is_running:
            self._child = ChildProgram(self.command, self.silence, self.folder)
        message = OpenMessage(
            query=registration.query, static=registration.static, options=registration.options
        )
        (found,) = self.ask([message])
        if "error" in found:
            raise RefusedQueryError(self._read(ErrorReply, found, "open").error)
        for key in found.keys() - ProfileReply.model_fields.keys():
            if meant := get_close_matches(key, ProfileReply.model_fields, 1, 0.8):
                raise self._failed(
                    f"has replied to open wrongly: unknown key {key!r}, did you mean {meant[0]}"
                )
        return AdapterSession(self, self._read(ProfileReply, found, "open"))

    def ask(self, messages: Sequence[Message]) -> list[Mapping[str, object]]:
        """Send messages, and return the reply to each."""
        assert self._child is not None
        found: list[Mapping[str, object]] = list(
            self._child.replies([one.model_dump_json(by_alias=True) for one in messages])
        )
        self.noise = self._child.noise
        return found

    def reply(self, kind: type[_Reply], found: Mapping[str, object], op: str) -> _Reply:
        """Return a reply as what it has to be; raises FailedEngineError for anything else."""
        if "error" in found:
            said = self._read(ErrorReply, found, op).error
            raise self._failed(f"cannot go on after {op}: {said}")
        return self._read(kind, found, op)

    def _read(self, kind: type[_Reply], found: Mapping[str, object], op: str) -> _Reply:
        try:
            return kind.model_validate(found)
        except ValidationError as error:
            raise self._failed(f"has replied to {op} wrongly: {problem_of(error)}") from None

    def checked(self, report: EngineReport, profile: ProfileReply, op: str) -> EngineReport:
        """Return a report with canonical terms, and its times in milliseconds."""
        length = profile.unit.milliseconds
        rows = tuple(self._row(row, profile, op) for row in report.rows)
        bounds = (None if end is None else end * length for end in (report.window_from, report.window_to))
        start, end = bounds
        return EngineReport.model_construct(t=report.t * length, rows=rows, window_from=start, window_to=end)

    def _row(self, row: Mapping[str, str | None], profile: ProfileReply, op: str) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for name, text in row.items():
            try:
                check_variable(name)
                term = None if text is None else _term(text, profile)
            except LarsError as error:
                raise self._failed(f"has replied to {op} wrongly: {error}") from None
            if term is not None:
                found[name] = term
        return found

    def _failed(self, problem: str) -> FailedEngineError:
        self.end()
        return FailedEngineError(f"the adapter {cut(self.command)!r} {problem}")

    def end(self) -> None:
        """End the process."""
        self.end_by_itself()

    def end_by_itself(self, patience: float = _AT_END) -> bool:
        """End the process; return whether it did so when its input ended, in so many seconds."""
        child, self._child = self._child, None
        return child is None or child.end(patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _term(text: str, profile: ProfileReply) -> str | None:
    try:
        return canonical(text)
    except LarsError:
        if profile.kinds:
            raise
        return of_text(text)


@dataclass(slots=True)
class AdapterSession:
    """A query that an adapter has registered."""

    adapter: RunningAdapter
    profile: ProfileReply

    def push(self, pushes: Sequence[Push]) -> list[PushReply]:
        """Give the engine triples, at the pace that it says; return what each of them caused."""
        ahead = _MOST_AHEAD if self.profile.reads_ahead and not self.profile.pacing_ms else 1
        found: list[PushReply] = []
        for start in range(0, len(pushes), ahead):
            if found and self.profile.pacing_ms:
                sleep(self.profile.pacing_ms / 1000)
            part = [self._message(push) for push in pushes[start : start + ahead]]
            found += map(self._reply, self.adapter.ask(part))
        return found

    def _message(self, push: Push) -> PushMessage:
        return PushMessage(
            t=self._in_units(push.t), stream=push.stream[1:-1], triple=f"{' '.join(push.triple)} ."
        )

    def _in_units(self, t: float) -> float:
        found = t / self.profile.unit.milliseconds
        return int(found) if found == int(found) else found

    def _reply(self, found: Mapping[str, object]) -> PushReply:
        reply = self.adapter.reply(PushReply, found, "push")
        reports = self._checked(reply.reports, "push")
        return PushReply.model_construct(reports=reports, refused=reply.refused, errors=reply.errors)

    def _checked(self, reports: Sequence[EngineReport], op: str) -> tuple[EngineReport, ...]:
        return tuple(self.adapter.checked(one, self.profile, op) for one in reports)

    def advance(self, t: float) -> tuple[EngineReport, ...]:
        """Say that nothing comes before a time any more, where the adapter says that it advances."""
        (found,) = self.adapter.ask([AdvanceMessage(t=self._in_units(t))])
        return self._checked(self.adapter.reply(AdvanceReply, found, "advance").reports, "advance")

    def close(self) -> tuple[EngineReport, ...]:
        """End the run, and the process with it where another query needs another one."""
        (found,) = self.adapter.ask([CloseMessage()])
        reports = self._checked(self.adapter.reply(CloseReply, found, "close").reports, "close")
        if not self.profile.fresh:
            self.adapter.end()
        return reports
