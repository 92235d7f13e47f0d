"""What reports on a stream, whatever runs it: registered, pushed to, asked, closed.

An engine version, a specification, one from a TOML file (`built_in`) and a running program (`client`)
are all StreamEngines. A run of one: a query registered, triples pushed, the run closed, and all that the
engine answered meanwhile.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, Self

from agreement.documents.recordings import Push, Recording, Report
from agreement.documents.recordings.recording import rows_in
from agreement.engines.adapters.messages import EngineReport, ProfileReply, PushReply
from lars.errors import FailedRunError, LarsError


class RefusedQueryError(LarsError):
    """The engine does not take a query, and says why."""


class FailedEngineError(FailedRunError):
    """The engine or its adapter failed: it fell silent, ended, or wrote what is no reply."""


@dataclass(frozen=True, slots=True)
class Registration:
    """A query in the engine's own language, static data as lines of N-Quads, and options by their names."""

    query: str
    static: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)


class EngineSession(Protocol):
    """A registered query, until it is closed; times are in milliseconds.

    What the engine cannot go on after raises FailedEngineError.
    """

    @property
    def profile(self) -> ProfileReply:
        """What the engine says of itself."""
        ...

    def push(self, pushes: Sequence[Push]) -> list[PushReply]:
        """Give the engine triples one after the other, and return what each of them caused."""
        ...

    def advance(self, t: float) -> tuple[EngineReport, ...]:
        """Say that nothing comes before a time any more, where a clock can be driven."""
        ...

    def close(self) -> tuple[EngineReport, ...]:
        """End the run; return what is reported of its end alone."""
        ...


class StreamEngine(Protocol):
    """What can be asked queries over streams, one run after the other; `end` ends what it needs for that."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    def open(self, registration: Registration) -> EngineSession:
        """Register a query with nothing seen yet; raises RefusedQueryError where it is not taken."""
        ...

    def end(self) -> bool:
        """End whatever runs, and return whether it did so by itself; the next open starts anew."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


_BLANK: Final = re.compile(r"_:\S+")


@dataclass(frozen=True, slots=True)
class EngineAnswers:
    """What an engine answered in one run; without a profile it `refused` the query.

    `replies` are what each push caused, in their order, `flush` what closing the run did; their times
    are in milliseconds.
    """

    profile: ProfileReply | None
    refused: str | None = None
    replies: tuple[PushReply, ...] = ()
    flush: tuple[EngineReport, ...] = ()

    @property
    def rejected(self) -> Mapping[int, str]:
        """Why pushes were not taken, by their numbers."""
        return {n: reply.refused for n, reply in enumerate(self.replies) if reply.refused is not None}

    @property
    def errors(self) -> tuple[tuple[int, str], ...]:
        """What the engine told of, by the numbers of pushes."""
        return tuple((n, error) for n, reply in enumerate(self.replies) for error in reply.errors)

    @property
    def reports(self) -> tuple[tuple[int, EngineReport], ...]:
        """The reports in their order, with the number of the push that each came during."""
        return tuple((n, report) for n, reply in enumerate(self.replies) for report in reply.reports)

    def recording(self) -> Recording:
        """Return the answers as a recording."""
        reports = self.reports
        names = tuple(sorted({name for _, report in reports for row in report.rows for name in row}))
        bounds = tuple(_bounds(report) for _, report in reports)
        return Recording(
            names,
            tuple(Report(report.t, rows_in(names, report.rows), number) for number, report in reports),
            tuple(self.rejected),
            bounds if any(bounds) else (),
        )

    def same(self, other: "EngineAnswers") -> bool:
        """Whether another run answered the same: at each push the same reports, rows in any order."""
        return _shape(self) == _shape(other)


def _shape(answers: EngineAnswers) -> tuple[object, ...]:
    pushed = [(reply.refused, [_content(report) for report in reply.reports]) for reply in answers.replies]
    return answers.profile, answers.refused, pushed, [_content(report) for report in answers.flush]


def _bounds(report: EngineReport) -> tuple[float, float] | None:
    if report.window_from is None or report.window_to is None:
        return None
    return report.window_from, report.window_to


def _content(report: EngineReport) -> tuple[object, ...]:
    """Return a report without the order of its rows and the names of blank nodes, which may change."""
    rows = (
        frozenset((name, _BLANK.sub("_:", text or "")) for name, text in row.items()) for row in report.rows
    )
    return report.t, _bounds(report), Counter(rows)


def answers_of(engine: StreamEngine, registration: Registration, pushes: Sequence[Push]) -> EngineAnswers:
    """Return what an engine answers in a run of its own; raises FailedEngineError where it fails."""
    try:
        session = engine.open(registration)
    except RefusedQueryError as error:
        return EngineAnswers(None, str(error))
    replies = tuple(session.push(pushes))
    return EngineAnswers(session.profile, None, replies, session.close())
