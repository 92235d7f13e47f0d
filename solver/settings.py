"""What is said of a job before it runs, and while it does: how a trace is read, where it runs, how far it is.

What takes long says how far it is; who asked hears it as a part of the whole.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, time
from enum import Enum
from pathlib import Path
from typing import Final

from lars.durations import NANOSECONDS, Duration
from lars.errors import printable
from lars.language.windows import Interval

Warn = Callable[[str], None]
Time = int | datetime | time
"""A time as asked for: a time point, or a dateTime, or its time of day, which a trace makes one."""
Span = tuple[Time | None, Time | None]
"""From when to when, both included; None: as far as the input goes."""
Progress = Callable[[int, int], None]
"""Told how many parts of the present step are done, and how many there are."""


def no_progress(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total


def unsaid(message: str) -> None:
    """Tell nobody."""
    del message


_EPOCH_LIKE: Final = NANOSECONDS["d"] * 365 * 30


class OnError(Enum):
    """What a line that cannot be read leads to."""

    STOP = "stop"
    SKIP = "skip"


class BlankNodes(Enum):
    """In what of a trace file equal labels are one blank node."""

    DOCUMENT = "document"
    ELEMENT = "element"


class Evaluator(Enum):
    """What evaluates programs: columns where they cover one, clingo where they do not; or both, compared."""

    AUTO = "auto"
    RELATIONAL = "relational"
    CLINGO = "clingo"
    BOTH = "both"


class Certify(Enum):
    """At which evaluation times clingo certifies what columns answer; a number: at so many."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


class TraceWarning(UserWarning):
    """Something about a trace that the user should know and that is no error."""

    def __str__(self) -> str:
        return printable(super().__str__())


class PeriodWarning(TraceWarning):
    """Something that matters only where a trace is cut into periods."""


class OriginWarning(TraceWarning):
    """Which instant `zero`, as a dateTime, is time 0 of a trace whose times are none of their own."""

    def __init__(self, sentence: str, zero: str) -> None:
        super().__init__(sentence)
        self.zero = zero


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """How a trace is read.

    `unit` is one time point; integers in the trace count `trace_unit` (None: `unit`, 1ms for
    lines in YABench's spelling, 1s for a folder of Turtle files). dateTimes count from `origin`
    (None: one unit before the first element). `streams` names the stream IRI of a file or folder
    by its path as given, `query_streams` are the IRIs that the query reads: a single one is the
    stream of every file that names none. `windows` are those streams with the lengths of the query's
    windows, none if some have none. `rejected` keeps the lines that `on_error=SKIP` skips.
    Integers that reach 30 years are taken as counted since 1970, and then count from `origin` as
    dateTimes do, unless they are wanted as they are (`absolute`). A trace without an element is one
    where it is said when it ends (`ends`). A label is one blank node in all of
    a file, or in what `blank_nodes` says. Cells of tables may shorten IRIs by `prefixes`. Of tables whose
    columns are others than a trace's, `columns` says what they become, by stream, of None in all others.
    Messages have their times from the property `time`, an IRI, and are numbered where there is none.
    With `graphs` each triple of a named graph is an atom with its graph too, as a query asks for it.
    Logs of messages need no version if they may be `unversioned`.
    """

    unit: Duration
    trace_unit: Duration | None = None
    origin: datetime | None = None
    sort: bool = False
    on_error: OnError = OnError.STOP
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
    graphs: bool = False
    unversioned: bool = False

    def reaches_epoch(self, t: int) -> bool:
        """Whether so many time points are no time of a trace that starts near 0."""
        return t * self.unit.nanoseconds >= _EPOCH_LIKE


ALL_CORES: Final = "local[*]"
"""The master that Spark has where none is given."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Where a job runs: on Spark with this master, or in this process; `notice` is told how that was decided.

    With neither a small input is evaluated in this process, a large one on Spark, on all cores. What
    finished there goes to the folder `resume`, if one is given, and is taken from it.
    """

    master: str | None = None
    in_process: bool = False
    slices: int | None = None
    progress: Progress = no_progress
    notice: Warn = unsaid
    evaluator: Evaluator = Evaluator.AUTO
    certify: Certify | int = Certify.SOME
    resume: Path | None = None


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file of static data: as it is, as the graph of a name, or what one engine alone has loaded.

    `engine` is the query language of that engine; of None they are everybody's.
    """

    path: Path
    graph: str | None = None
    engine: str | None = None

    def __str__(self) -> str:
        engine = "" if self.engine is None else f"{self.engine}:"
        return f"{engine}{'' if self.graph is None else f'{self.graph}='}{self.path}"


@dataclass(frozen=True, slots=True)
class TraceInput:
    """The files of a trace and how they are read; `timeline` None ends at the last element."""

    paths: tuple[Path, ...]
    options: TraceOptions
    static: tuple[StaticFile, ...] = ()
    timeline: Interval | None = None
    runner: Runner = field(default_factory=Runner)


class Stage(Enum):
    """A stage of answering queries on a trace, and from which to which percent of the whole it takes."""

    READING = (0, 40)
    ANSWERING = (40, 85)
    EXPLAINING = (85, 100)

    def of(self, progress: Progress) -> Progress:
        """Return who is told of this stage."""
        return share(progress, *self.value, 100)


def share(progress: Progress, begin: int, end: int, whole: int) -> Progress:
    """Return who is told of the part of a whole from `begin` to `end`.

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
    """Yield a callable that passes on to `progress` what exceeds all before; at its end the block is done.

    Every work whose progress somebody sees runs in one such block, so no step needs to report its end.

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
    """Let what is done in the block tell how far it is."""
    before = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(before)


def tell(done: int, total: int) -> None:
    """Tell who asked around this how many parts are done, and how many there are."""
    _current.get()(done, total)
