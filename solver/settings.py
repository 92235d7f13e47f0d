"""Settings of a job: how to read a trace, the choice between Spark and this process, and the progress.

A job that takes long reports its progress. Listeners receive the progress as a fraction of the whole.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from datetime import datetime, time
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, get_args

from lars.dataclass import dataclass
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError, printable
from lars.language.windows import Interval
from lars.options import option

Warn = Callable[[str], None]
Time = int | datetime | time
"""A requested time: a time point, a dateTime, or a time of day.

The trace converts a dateTime or a time of day to a time point.
"""
Span = tuple[Time | None, Time | None]
"""The first and the last time, both inclusive; None means the first or the last time of the input."""
Progress = Callable[[int, int], None]
"""A function that receives the number of finished parts of the present step and of all its parts."""


def no_progress(done: int, total: int) -> None:
    """Do nothing with a report of progress."""
    del done, total


def unsaid(message: str) -> None:
    """Do nothing with a message."""
    del message


_note: ContextVar[Warn | None] = ContextVar("note", default=None)


@contextmanager
def noting(note: Warn) -> Iterator[None]:
    """Send notes about the dateTime of time 0 to `note` during the block, each text only once."""
    token = _note.set(cache(note))
    try:
        yield
    finally:
        _note.reset(token)


def told_origin(warn: Warn) -> Warn:
    """Return the function that receives notes about time 0: the function given to `noting`, or `warn`."""
    return _note.get() or warn


_EPOCH_LIKE: Final = NANOSECONDS["d"] * 365 * 30


OnError = Literal["stop", "skip"]
"""The reaction to an invalid line: stop the run or skip the line."""
BlankNodes = Literal["document", "element"]
"""The scope of blank node labels: equal labels in one scope are one blank node."""


Evaluator = Literal["auto", "relational", "clingo", "both"]
"""The evaluator of programs.

`auto` is `relational` (tables) if possible and else `clingo`; `both` compares the two.
"""
Certify = Literal["all", "some", "none"]
"""The evaluation times at which clingo certifies the relational answers: all, some or none."""


class TraceWarning(UserWarning):
    """A warning or note for the user about a trace.

    If the remark is about skipped lines and elements, `skipped` is their number. If `about` is "origin", the
    remark contains the dateTime of time 0, and commands with several traces show it once. If `about` is
    "periods", the remark is shown only if the command divides the trace into periods.
    """

    def __init__(
        self, sentence: str, skipped: int = 0, about: Literal["trace", "origin", "periods"] = "trace"
    ) -> None:
        super().__init__(sentence)
        self.skipped, self.about = skipped, about

    def __str__(self) -> str:
        return printable(super().__str__())


Elements = Literal["stream", "message", "triple"]
"""The elements of a trace that must have different times."""


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """The options for reading a trace.

    - `unit` is the duration of one time point. Integers in the trace count units of `trace_unit`. If
      `trace_unit` is None, integers count units of `unit`; in lines of YABench they count 1ms, and in a
      folder of Turtle files 1s.
    - `origin` is the dateTime of time 0; None means one unit before the first element. Integers that mean
      more than 30 years count from 1970, and are converted like dateTimes unless `absolute` is true.
    - `streams` maps a file or folder, by its path as given, to the IRI of its stream.
    - `query_streams` are the IRIs that the query reads. If the query reads only one stream, each file
      without a stream belongs to this stream.
    - `windows` contains the query's streams with the lengths of their windows; it is empty if a window has no
      length.
    - `rejected` is the file for the lines that are skipped if `on_error` is "skip".
    - A trace without an element is valid if its end is known (`ends`).
    - `blank_nodes` is the scope in which equal labels are one blank node; None means the whole file.
    - `prefixes` are the prefixes that cells of tables may use to shorten IRIs.
    - `columns` maps a stream (None: all other streams) to templates for tables with columns of their own. A
      cell of such a table has no value if its text is one of the words in `null`.
    - `time` is the IRI of the property that gives messages their times; without it, messages are numbered.
    - If `graphs` is true, each triple of a named graph is also an atom with the name of its graph, for
      queries with GRAPH.
    - `elements` determines which elements must have different times: the elements of each stream (`stream`),
      all elements (`message`), or all elements, which must have one triple each (`triple`).
    - If `unversioned` is true, logs of RDF Messages need no version.
    - `arrival` is the column of the times at which data arrived. If `arrival` is "order", each element
      arrives at the latest time of the elements up to it. If `arrival` is not None, the elements of a trace
      may have any order of times.
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
    elements: Elements | None = None
    arrival: str | None = None

    def reaches_epoch(self, t: int) -> bool:
        """Return whether a time is so large (over 30 years) that it must be counted from 1970."""
        return t * self.unit.nanoseconds >= _EPOCH_LIKE


IN_ORDER: Final = "order"
"""The value of `arrival` for data that arrived in the order of the file."""
ALL_CORES: Final = "local[*]"
"""Spark's default master: all cores of this machine."""


_DIGITS: Final = 10


def certify_option() -> Any:
    """Return the declaration of --certify: the number of time points at which clingo verifies answers."""
    return option(
        "some",
        "Number of time points at which clingo verifies the answers. [default: a sample of the time points]",
        _read_certify,
        metavar="all|N|none",
        keyword='Literal["all", "some", "none"] | int | None',
    )


def _read_certify(value: str | int) -> Certify | int:
    text = str(value)
    words: tuple[Certify, ...] = get_args(Certify)
    if text in words:
        return words[words.index(text)]
    if text.isascii() and text.isdecimal() and len(text) < _DIGITS:
        return int(text)
    raise LarsError("expected all, none, some, or a number of time points")


@dataclass(frozen=True, slots=True)
class Runner:
    """The settings that choose whether a job is evaluated on Spark or in this process.

    If the user makes no choice, lars evaluates a small input in this process, and a large input on Spark with
    all cores. The field `master` is the URL of the Spark master. The function `notice` receives a note about
    the choice. If the folder `resume` is given, finished slices of the timeline are stored in this folder and
    reused.
    """

    HEADING: ClassVar = "Execution"

    master: str | None = option(
        None,
        "Run on the Spark master with this URL, such as local[2]. [default: in this process; on "
        "local[*] if the input is large]",
        metavar="URL",
    )
    in_process: bool = option(False, "Run in this process, without Spark.")
    evaluator: Evaluator = option(
        "auto",
        "Evaluate with tables (relational), with clingo, or with both, and compare the answers of "
        "both. With auto, clingo evaluates only programs that tables cannot evaluate.",
    )
    certify: Certify | int = certify_option()
    resume: Path | None = option(
        None,
        "Run on Spark, and save finished parts of the run in DIR. Repeat the command to continue an "
        "interrupted run.",
        metavar="DIR",
    )
    slices: int | None = None
    progress: Progress = no_progress
    notice: Warn = unsaid

    def telling(self, notice: Warn, progress: Progress) -> "Runner":
        """Return the same settings with the given functions for notes and progress.

        Raises:
            LarsError: The options do not fit together.
        """
        if self.in_process and self.master is not None:
            raise LarsError("cannot combine --master and --in-process; use one of them")
        if self.in_process and self.resume is not None:
            raise LarsError(
                "cannot combine --resume with --in-process, because --resume runs on Spark; use one of them"
            )
        # Many questions meet one hindrance.
        return replace(self, notice=cache(notice), progress=progress)


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file of static data for the default graph or a named graph, for all engines or only one engine.

    `engine` is the query language of the only engine that loads the file; None means all engines.
    """

    path: Path
    graph: str | None = None
    engine: str | None = None

    def __str__(self) -> str:
        engine = "" if self.engine is None else f"{self.engine}:"
        return f"{engine}{'' if self.graph is None else f'{self.graph}='}{self.path}"


@dataclass(frozen=True, slots=True)
class TraceInput:
    """The files of a trace and of static data, with the options for reading and evaluating them.

    If `timeline` is None, the timeline ends at the last element of the trace.
    """

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
    """Return the progress callback for one stage of a job."""
    return share(progress, *_STAGES[name], 100)


def share(progress: Progress, begin: int, end: int, whole: int) -> Progress:
    """Return a progress callback for a step whose progress counts from `begin` to `end` of `whole`.

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
    """Yield a progress callback that never decreases, and that reaches its total at the end of the block.

    A step with a visible progress runs in the `with` block of this function, and need not report the end of
    its work.

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
    """Send the reports of `tell` in the block to the given progress callback."""
    before = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(before)


def tell(done: int, total: int) -> None:
    """Report `done` of `total` finished parts to the progress callback of the current block."""
    _current.get()(done, total)
