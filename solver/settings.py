"""Settings of a job: how to read a trace, the choice between Spark and this process, and the progress.

A job that takes long reports its progress. Listeners receive the progress as a fraction of the whole.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from datetime import datetime, time
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, get_args

from lars.dataclass import dataclass
from lars.durations import NANOSECONDS, SECOND, Duration, moment, time_unit
from lars.errors import LarsError, printable, wrong
from lars.language.terms import absolute_iri, iri, stream_name
from lars.language.windows import Interval
from lars.options import kind_of_value, option, pairs

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


def unit_option() -> Any:
    """Return the declaration of --unit: the length of a time point."""
    return option(
        None,
        "Length of one time point, such as 1min or 500ms. [default: the longest unit that divides "
        "all durations, at most 1s]",
        time_unit,
    )


ColumnsByStream = tuple[tuple[str | None, tuple[tuple[str, str], ...]], ...]


def columns_by_stream(values: Mapping[str, object]) -> ColumnsByStream:
    """Return the templates of columns by stream; the key None contains the templates of all other streams."""
    everywhere = {part: value for part, value in values.items() if not isinstance(value, Mapping)}
    streams = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    for stream in streams:
        iri(stream, "a stream's name")
    every = ((None, everywhere), *streams.items())
    return tuple((stream, tuple(map(_template, parts.items()))) for stream, parts in every if parts)


def _template(part: tuple[str, object]) -> tuple[str, str]:
    key, template = part
    if not isinstance(template, str):
        raise wrong(template, "a table of templates, as t = '{time}', or of such tables by stream", key)
    return key, template


@kind_of_value("PART=TEMPLATE", "Mapping[str, str | Mapping[str, str]]")
def _read_columns(names: Sequence[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the templates of columns, from texts PART=TEMPLATE or from a mapping."""
    if isinstance(names, Mapping):
        columns_by_stream(names)
        return names
    contents: dict[str, str] = {}
    for part, template in pairs(names):
        if not (part and template):
            raise LarsError("expected PART=TEMPLATE, such as t={time} or ex:at=ex:station/{station}")
        if contents.setdefault(part, template) != template:
            raise LarsError(
                f"{part} already has the template {contents[part]}; use one template for each part"
            )
    return contents


@kind_of_value("IRI=FILE", "Mapping[str, TraceSource]")
def _read_streams(names: Sequence[str] | Mapping[str, Path]) -> Mapping[Path, str]:
    """Return the stream of each file, from texts IRI=FILE or from a mapping of streams to files."""
    iris: dict[Path, str] = {}
    texts = names.items() if isinstance(names, Mapping) else [text.rpartition("=")[::2] for text in names]
    for name, file in texts:
        if not (name and str(file)):
            raise LarsError("expected IRI=FILE")
        if iris.setdefault(Path(file), stream := stream_name(name)) != stream:
            raise LarsError(
                f"the file {file} already has the stream {iris[Path(file)]}; use each file for one stream"
            )
    return iris


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """The options for reading a trace, and the settings that commands add.

    Integers in a trace that mean more than 30 years count from 1970, and are converted like dateTimes unless
    `absolute` is true. Without `trace_unit`, integers in lines of YABench count 1ms, and in a folder of
    Turtle files 1s. If `arrival` is not None, the elements of a trace may have any order of times. The fields
    from `prefixes` on are set by commands, and not by the user.

    - `prefixes` are the prefixes that cells of tables may use to shorten IRIs.
    - `query_streams` are the IRIs that the query reads. If the query reads only one stream, each file
      without a stream belongs to this stream.
    - `windows` contains the query's streams with the lengths of their windows; it is empty if a window has no
      length. `lengths` are further lengths that a command tries.
    - A trace without an element is valid if its end is known (`ends`).
    - If `graphs` is true, each triple of a named graph is also an atom with the name of its graph, for
      queries with GRAPH.
    - `elements` determines which elements must have different times: the elements of each stream (`stream`),
      all elements (`message`), or all elements, which must have one triple each (`triple`).
    - If `unversioned` is true, logs of RDF Messages need no version.
    """

    stream: Mapping[Path, str] | None = option(
        None,
        "Read FILE as the trace of the stream IRI. Repeatable.",
        _read_streams,
        source="streams",
        repeated=True,
    )
    unit: Duration | None = unit_option()
    trace_unit: Duration | None = option(
        None, "Unit of integer times in the trace. [default: the value of --unit]", time_unit
    )
    origin: datetime | None = option(
        None,
        "Date and time of time point 0, such as 2026-01-31T12:00:00Z. [default: one unit before "
        "the first element]",
        moment,
    )
    sort: bool = option(
        False,
        "Sort the elements of the trace by time. Without --sort, an element out of order is an error; "
        "lars compare always sorts alerts and their events.",
    )
    blank_nodes: BlankNodes | None = option(
        None,
        "Meaning of a blank node label: the same node in the whole file (document), or only in one "
        "element. [default: document]",
    )
    time: str | None = option(
        None,
        "For RDF Messages: IRI of the property whose value is the time of a message, such as "
        "http://www.w3.org/ns/sosa/resultTime. [default: messages are numbered from 1]",
        absolute_iri,
    )
    column: Mapping[str, Any] | None = option(
        None,
        "Map a column of a table to RDF: t={time} maps the timestamp, s=ex:bike/{bike} the "
        "subject, ex:at={place} the object of the predicate ex:at. Repeatable.",
        _read_columns,
        repeated=True,
    )

    arrival: str | None = option(
        None,
        "Column with the time at which each row of a table arrived. With the value order, rows "
        "arrived in the order of the file. lars agree --late, judge, compare, record and solve --as "
        "use these times. Other commands use them only to order elements with the same time. "
        "[default: elements arrive at their times]",
        metavar="COLUMN|order",
    )
    null: tuple[str, ...] = option(
        (),
        "Word for a missing value in a table with --column, such as n/a or -. Repeatable.",
        metavar="WORD",
        repeated=True,
    )
    on_error: OnError = option(
        "stop", "On an invalid line of a trace or log of alerts, stop with an error or skip the line."
    )
    rejected: Path | None = option(None, "Write skipped lines to FILE. Required with --on-error skip.")
    prefixes: tuple[tuple[str, str], ...] = ()
    query_streams: tuple[str, ...] = ()
    windows: tuple[tuple[str, int], ...] = ()
    lengths: tuple[int, ...] = ()
    absolute: bool = False
    ends: bool = False
    graphs: bool = False
    unversioned: bool = False
    elements: Elements | None = None

    @property
    def time_point(self) -> Duration:
        """The unit, which is the length of one time point."""
        return self.unit or SECOND

    @property
    def streams(self) -> Mapping[Path, str]:
        """The stream of each file or folder, by its path as given."""
        return self.stream or {}

    @property
    def columns(self) -> ColumnsByStream:
        """The templates of tables by stream; the key None contains the templates of all other streams."""
        return columns_by_stream(self.column or {})

    def reaches_epoch(self, t: int) -> bool:
        """Return whether a time is so large (over 30 years) that it must be counted from 1970."""
        return t * self.time_point.nanoseconds >= _EPOCH_LIKE


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
    )


@kind_of_value("all|N|none", 'Literal["all", "some", "none"] | int | None')
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
        "Evaluate by relational algebra (relational), by clingo, or by both, and compare the answers of "
        "both. With auto, clingo evaluates only programs that relational algebra does not cover.",
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
