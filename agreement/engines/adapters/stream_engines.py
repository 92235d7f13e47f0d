"""What reports on a stream, whatever runs it: registered, pushed to, asked, closed.

An engine version, a specification, one from a TOML file (`built_in`) and a running program (`client`)
are all StreamEngines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

from agreement.documents.recordings import Push
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

    def end(self) -> None:
        """End whatever runs; the next open starts anew."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
