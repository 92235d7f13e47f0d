"""What is said of a job before it runs: how a trace is read, where it runs, who is told how far it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path

from lars.durations import Duration
from lars.windows import Interval

Warn = Callable[[str], None]
Progress = Callable[[int, int], None]
"""Told how many parts of the present step are done, and how many there are."""


def unwatched(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total


def unsaid(message: str) -> None:
    """Tell nobody."""
    del message


class OnError(Enum):
    """What a line that cannot be read leads to."""

    STOP = "stop"
    SKIP = "skip"


class TraceWarning(UserWarning):
    """Something about a trace that the user should know and that is no error."""


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """How a trace is read.

    `unit` is one time point; integers in the trace count `trace_unit` (None: `unit`, 1ms for
    lines in YABench's spelling, 1s for a folder of Turtle files). dateTimes count from `origin`
    (None: one unit before the first element). `streams` names the stream IRI of a file or folder
    by its path as given, `query_streams` are the IRIs that the query reads: a single one is the
    stream of every file that names none. `rejected` keeps the lines that `on_error=SKIP` skips.
    """

    unit: Duration
    trace_unit: Duration | None = None
    origin: datetime | None = None
    sort: bool = False
    on_error: OnError = OnError.STOP
    rejected: Path | None = None
    streams: Mapping[Path, str] = field(default_factory=dict)
    query_streams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Runner:
    """Where a job runs: on Spark with this master, or in this process; `said` is told how that was decided.

    With neither a small input is evaluated in this process, a large one on Spark, on all cores.
    """

    master: str | None = None
    in_process: bool = False
    slices: int | None = None
    progress: Progress = unwatched
    said: Warn = unsaid


@dataclass(frozen=True, slots=True)
class TraceInput:
    """The files of a trace and how they are read; `timeline` None ends at the last element."""

    paths: tuple[Path, ...]
    options: TraceOptions
    static: tuple[Path, ...] = ()
    timeline: Interval | None = None
    runner: Runner = field(default_factory=Runner)
