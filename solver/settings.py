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
    """Ignore the progress."""
    del done, total


def unsaid(message: str) -> None:
    """Ignore the message."""
    del message


_note: ContextVar[Warn | None] = ContextVar("note", default=None)


@contextmanager
def noting(note: Warn) -> Iterator[None]:
    """In the block, `note` receives the notes about the time 0 of traces; equal notes are received once."""
    token = _note.set(cache(note))
    try:
        yield
    finally:
        _note.reset(token)


def told_origin(warn: Warn) -> Warn:
    """Return the function that receives notes about time 0; outside a block of `noting`, return `warn`."""
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
    """A remark about a trace for the user that is not an error.

    `skipped` is the number of skipped lines and elements, if the remark is about them. A remark about the
    `origin` names the dateTime of time 0; commands with several traces show it once. A remark about `periods`
    is shown only if the command cuts the trace into periods.
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

    - `unit` is the duration of one time point. Integers in the trace count `trace_unit`. If `trace_unit` is
      None, the unit of integers is `unit`, but 1ms in lines in YABench's notation, and 1s in a folder of
      Turtle files.
    - dateTimes count from `origin`; None means one unit before the first element. Integers above 30 years
      count from 1970, and are then counted from `origin` like dateTimes, unless `absolute` is set.
    - `streams` maps a file or folder, by its path as given, to the IRI of its stream.
    - `query_streams` are the IRIs that the query reads. If the query reads only one stream, each file
      without a stream belongs to this stream.
    - `windows` are the query's streams with the lengths of their windows; `windows` is empty if a window has
      no length.
    - `rejected` is the file for the lines that are skipped if `on_error` is "skip".
    - A trace without an element is valid if its end is known (`ends`).
    - `blank_nodes` is the scope in which equal labels are one blank node; None means the whole file.
    - `prefixes` may shorten IRIs in the cells of tables.
    - `columns` maps the columns of other tables to templates, by stream; None means all other streams.
      A cell of such a table has no value if it is one of the words `null`.
    - `time` is the IRI of the property that gives messages their times; without it, messages are numbered.
    - With `graphs`, each triple of a named graph is also an atom with its graph, for queries with GRAPH.
    - `elements` are the elements that must have different times: elements of each `stream`, or all elements,
      with any number of triples (`message`) or with one `triple` each.
    - With `unversioned`, logs of RDF Messages need no version.
    - `arrival` is the column of the times at which data arrived, or "order": then each element arrives when
      the newest time before it has come. With `arrival`, the elements of a trace may be in any order of time.
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
        """Return whether a number of time points is so large that the trace must count from 1970."""
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
    """The choice between the evaluation of a job on Spark, with the master `master`, and in this process.

    Without a choice by the user, lars evaluates a small input in this process, and a large input on Spark, on
    all cores. The function `notice` receives the decision between Spark and this process. If the folder
    `resume` is given, finished slices are stored there and reused.
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
        """Return the settings with the functions for notes and progress.

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
    """The files of a trace and the options for reading; by default, the timeline ends at the last element."""

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
    """Yield a progress callback that never decreases, and that reaches its total at the end of the block.

    Each step with a visible progress runs in its own `with` block of this function. The code in the block
    therefore does not need to report the end of its work.

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
    """Make the work in the block report to the given progress callback."""
    before = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(before)


def tell(done: int, total: int) -> None:
    """Report the number of finished parts and the number of all parts to the current progress callback."""
    _current.get()(done, total)
