"""A trace that a command is given, as values: its files, how they are read, and where the job runs."""

from dataclasses import dataclass, field
from pathlib import Path

from lars.windows import Interval
from solver.progress import Progress, unwatched
from solver.trace_options import TraceOptions


@dataclass(frozen=True, slots=True)
class Runner:
    """Where a job runs: on Spark with this master, or in this process."""

    master: str = "local[*]"
    in_process: bool = False
    slices: int | None = None
    progress: Progress = unwatched


@dataclass(frozen=True, slots=True)
class TraceInput:
    """The files of a trace and how they are read; `timeline` None ends at the last element."""

    paths: tuple[Path, ...]
    options: TraceOptions
    static: tuple[Path, ...] = ()
    timeline: Interval | None = None
    runner: Runner = field(default_factory=Runner)
