"""What a user says about a trace: units, origin, order, what to do with bad lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path

from lars.durations import Duration


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
