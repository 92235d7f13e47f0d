"""Settings of a job: reading a trace, place of execution, and progress.

Long work reports its progress; listeners receive it as a part of the whole.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, time
from pathlib import Path
from typing import Final, Literal

from lars.durations import NANOSECONDS, Duration
from lars.errors import printable
from lars.language.windows import Interval

Warn = Callable[[str], None]
Time = int | datetime | time
"""A requested time: a time point, a dateTime, or a time of day, which the trace converts to a time point."""
Span = tuple[Time | None, Time | None]
"""The first and the last time, both included; None means the end of the input."""
Progress = Callable[[int, int], None]
"""Told how many parts of the present step are done, and how many there are."""


def no_progress(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total


def unsaid(message: str) -> None:
    """Tell nobody."""
    del message


_EPOCH_LIKE: Final = NANOSECONDS["d"] * 365 * 30


OnError = Literal["stop", "skip"]
"""The reaction to a line that cannot be read."""
BlankNodes = Literal["document", "element"]
"""The scope in which equal labels are one blank node."""


Evaluator = Literal["auto", "relational", "clingo", "both"]
"""The evaluator of programs: columns if possible, otherwise clingo; or both, compared."""
Certify = Literal["all", "some", "none"]
"""The evaluation times at which clingo certifies columns' answers; a number: that many."""


class TraceWarning(UserWarning):
    """A remark about a trace for the user that is not an error."""

    def __str__(self) -> str:
        return printable(super().__str__())


class PeriodWarning(TraceWarning):
    """A remark that matters only if a trace is cut into periods."""


class OriginWarning(TraceWarning):
    """The dateTime `zero` is time 0 of a trace with dateTimes."""

    def __init__(self, sentence: str, zero: str) -> None:
        super().__init__(sentence)
        self.zero = zero


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """The options for reading a trace.

    `unit` is one time point; integers in the trace count `trace_unit` (None: `unit`, 1ms for lines in
    YABench's spelling, 1s for a folder of Turtle files). dateTimes count from `origin` (None: one unit before
    the first element). `streams` maps a file or folder, by its path as given, to its stream's IRI.
    `query_streams` are the IRIs that the query reads: a single one is the stream of every file without a
    stream. `windows` are these streams with the lengths of their windows; empty if some have none. `rejected`
    keeps the lines that `on_error=SKIP` skips. Integers above 30 years are counted since 1970, and from
    `origin` like dateTimes, unless `absolute` is set. A trace without an element is valid if its end is known
    (`ends`). A label is one blank node in a whole file, or in the scope `blank_nodes`. Cells of tables may
    shorten IRIs by `prefixes`. `columns` maps the columns of other tables to templates, by stream, with None
    for all other streams; a cell of such a table that is one of the words `null` has no value. Messages have
    their times from the property `time`, an IRI, and are numbered without it. With `graphs`, each triple of a
    named graph is also an atom with its graph, for queries with GRAPH. Logs of messages need no version if
    they may be `unversioned`.
    """

    unit: Duration
    trace_unit: Duration | None = None
    origin: datetime | None = None
    sort: bool = False
    on_error: OnError = "stop"
    rejected: Path | None = None
    streams: Mapping[Path, str] = field(default_factory=dict)
    query_streams: tuple[str, ...] = ()
    windows: tuple[tuple[str, int], ...] = ()
    absolute: bool = False
    ends: bool = False
    blank_nodes: BlankNodes | None = None
    prefixes: tuple[tuple[str, str], ...] = ()
    columns: tuple[tuple[str | None, tuple[tuple[str, str], ...]], ...] = ()
    time: str | None = None
    null: tuple[str, ...] = ()
    graphs: bool = False
    unversioned: bool = False

    def reaches_epoch(self, t: int) -> bool:
        """Whether a number of time points is too large for a trace that starts near 0."""
        return t * self.unit.nanoseconds >= _EPOCH_LIKE


ALL_CORES: Final = "local[*]"
"""Spark's default master: all cores of this machine."""


@dataclass(frozen=True, slots=True)
class Runner:
    """The place of a job: on Spark with this master, or in this process; `notice` receives the decision.

    If neither is set, a small input is evaluated in this process, and a large input on Spark, on all cores.
    Finished slices are stored in the folder `resume`, if given, and reused from it.
    """

    master: str | None = None
    in_process: bool = False
    slices: int | None = None
    progress: Progress = no_progress
    notice: Warn = unsaid
    evaluator: Evaluator = "auto"
    certify: Certify | int = "some"
    resume: Path | None = None


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file of static data: plain, as a named graph, or loaded by only one engine.

    `engine` is the query language of that engine; None means that all engines load the file.
    """

    path: Path
    graph: str | None = None
    engine: str | None = None

    def __str__(self) -> str:
        engine = "" if self.engine is None else f"{self.engine}:"
        return f"{engine}{'' if self.graph is None else f'{self.graph}='}{self.path}"


@dataclass(frozen=True, slots=True)
class TraceInput:
    """The files of a trace, and the options for reading; without `timeline`, it ends at the last element."""

    paths: tuple[Path, ...]
    options: TraceOptions
    static: tuple[StaticFile, ...] = ()
    timeline: Interval | None = None
    runner: Runner = field(default_factory=Runner)


_STAGES: Final[Mapping[str, tuple[int, int]]] = {
    "reading": (0, 40),
    "answering": (40, 85),
    "explaining": (85, 100),
}
"""The stages of answering queries on a trace, with their ranges in percent of the whole."""


def stage(name: Literal["reading", "answering", "explaining"], progress: Progress) -> Progress:
    """Return the progress callback of a stage."""
    return share(progress, *_STAGES[name], 100)


def share(progress: Progress, begin: int, end: int, whole: int) -> Progress:
    """Return a progress callback for the part of a whole from `begin` to `end`.

    >>> share(print, 1, 2, 4)(3, 10)
    13 40
    """
    if progress is no_progress:
        return no_progress

    def told(done: int, total: int) -> None:
        if total:
            progress(begin * total + (end - begin) * min(done, total), whole * total)

    return told


@contextmanager
def whole(progress: Progress) -> Iterator[Progress]:
    """Yield a progress callback that never decreases, and that reaches its total at the block's end.

    Each visible progress runs in one such block, so no step needs to report its end.

    >>> with whole(print) as tell_all:
    ...     tell_all(1, 2), tell_all(2, 8), tell_all(3, 4)
    1 2
    3 4
    (None, None, None)
    4 4
    """
    if progress is no_progress:
        yield no_progress
        return
    most, last = 0.0, 1

    def told(done: int, total: int) -> None:
        nonlocal most, last
        if total and done / total > most:
            most, last = done / total, total
            progress(done, total)

    yield told
    if most < 1:
        progress(last, last)


_current: ContextVar[Progress] = ContextVar("progress", default=no_progress)


@contextmanager
def progress_of_block(progress: Progress) -> Iterator[None]:
    """Make the block's work report its progress."""
    before = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(before)


def tell(done: int, total: int) -> None:
    """Report the number of finished parts, and of all parts."""
    _current.get()(done, total)
