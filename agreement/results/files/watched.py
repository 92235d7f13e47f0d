"""The function `watch`: whether push and pull agree on a stream that does not end."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING, ClassVar, Final, Literal
from warnings import catch_warnings, simplefilter

from agreement.comparing.agree import AgreementTask
from agreement.comparing.watch import (
    Record,
    Watcher,
    WatchState,
    newest_batch,
    newest_state,
    send_unsent,
    write_state,
)
from agreement.documents import requests
from agreement.documents.dates import Dates
from agreement.documents.options import IdleOptions, declared, has, has_not
from agreement.documents.outputs import quantity
from agreement.documents.requests import Side
from agreement.documents.table_files import GrowingFormat, OutTable, append_rows, cut_back, json_records
from agreement.documents.traces import options_for
from agreement.documents.values import Period, points_of
from agreement.results.base.library import Listeners, Result, comparison_on, offered_functions
from agreement.results.files import watch_report
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import exists, temporary_folder
from lars.options import argument, option
from lars.version import program
from solver.columns import TermCodes, TraceColumns
from solver.memory import FAILED
from solver.settings import ALL_CORES, Certify, Runner, TraceOptions, TraceWarning, Warn, certify_option
from solver.traces import SIDE_HEAD, as_they_came, check_side_file, prepare
from solver.traces.input_files import STANDARD_INPUT, temporary_copies
from solver.traces.spooling import check_broker, forget_before, is_spooled, opened, spool, topic_of

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page

_TOPICS: Final = "kafka://"
_PAGE_PAUSE: Final = 1.0
"""The minimum number of seconds between two versions of the HTML report."""
_WRITTEN, _LAST_BATCH = "written", "time for the last batch"
_LATENCY: Final = "from the arrival of the newest file of the last batch to its verdicts"
_SPARK, _LINES = "spark", "lines"
"""The folders of the checkpoint with the data of Spark, and with the lines of a source without files."""
_REJECTED: Final = "rejected"
"""The prefix of the key in the state that maps the file with rejected lines to its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """The arguments of `lars watch`.

    Push evaluates when data arrive. Pull evaluates every U time points.
    Reads the files that arrive in a folder, or the messages of a Kafka topic.
    Prints each period on which push and pull disagree.
    Prints a verdict only when no later element can change the verdict.
    Adds rows to the tables periods, differences and too-late of --out.
    Ctrl-C ends the run. To continue the run, repeat the command.
    Each period is in the tables once, even after a crash.
    After a crash, a Kafka topic can contain a record twice, with the same key.

    Example:
    lars watch samples/slide --source arriving --checkpoint kept --out tables --delay 2 --once
    """

    HEADING: ClassVar = "Comparison"
    IDLE: ClassVar = (
        IdleOptions(has("--source", "-"), ("--once",), excludes="--source -, which ends with its input"),
        IdleOptions(
            lambda values: has_not("--push-answers")(values) and has_not("--pull-answers")(values),
            ("--answers-delay", *(each.flag for each in declared(requests.AnswersOptions))),
            requires="--push-answers or --pull-answers",
        ),
        IdleOptions(has_not("--push-answers"), ("--push-reports",), requires="--push-answers"),
        IdleOptions(
            lambda values: (
                not any(str(values.get(name)).startswith(_TOPICS) for name in ("--source", "--out"))
            ),
            ("--jars",),
            requires="--source or --out with kafka://HOST:PORT/TOPIC",
        ),
        IdleOptions(
            lambda values: str(values.get("--out")).startswith(_TOPICS),
            ("--out-format",),
            excludes="--out kafka://HOST:PORT/TOPIC, whose records are JSON",
        ),
        IdleOptions(
            has("--source"),
            ("--stream", "--sort", "--arrival"),
            excludes="--source, whose files arrive in order",
        ),
    )

    inputs: tuple[Path, ...] = argument(
        "EXPERIMENT_DIR | QUERY [QUERY]",
        "Folder with an experiment.toml, or a C-SPARQL query and a CQELS query. Without a C-SPARQL "
        "query, lars derives it. Without a CQELS query, --assign is required.",
        default=(),
        source="trace",
    )
    source: str | None = option(
        None,
        "Folder to which another program moves complete files with elements. Or a source of lines "
        "with elements: standard input (-), a connection (tcp://HOST:PORT), or the messages of a Kafka "
        "topic (kafka://HOST:PORT/TOPIC).",
        metavar="DIR|-|URL",
    )
    jars: tuple[Path, ...] = option(
        (),
        "Jar of Spark's connector for Kafka, or a folder of jars. Repeatable.",
        metavar="FILE|DIR",
        repeated=True,
    )
    options: requests.ComparisonOptions
    delay: Period = option(
        0,
        "Greatest delay of an element. The delay is the newest time that arrived before the element, "
        "minus the time of the element. Elements with a longer delay are not used, and are listed in "
        "the table too-late.",
        requests.readers.length,
        metavar="D",
    )
    checkpoint: Path | None = option(
        None,
        "Folder for the state of the watch. A later command with the same folder continues the watch.",
        metavar="DIR",
    )
    out: str | None = option(
        None,
        "Folder for the tables. Or a Kafka topic (kafka://HOST:PORT/TOPIC) for their rows: each row is a "
        "JSON record with the key TABLE/NUMBER. A second record with the same key repeats the first record.",
        metavar="DIR|URL",
    )
    out_format: GrowingFormat = option(
        "csv", "File format of the growing tables: CSV, JSON lines, or a folder of Parquet files."
    )
    push_answers: Path | None = option(
        None, "Log of the answers of a running push system: a file that grows, or a folder.", metavar="LOG"
    )
    pull_answers: Path | None = option(
        None, "Log of the answers of a running pull system: a file that grows, or a folder.", metavar="LOG"
    )
    push_reports: Literal["all", "new"] = option(
        "all",
        "Rows in each report of the push system: all rows of the answer (all), or only rows that are "
        "new (new).",
    )
    answers_delay: Period | None = option(
        None,
        "Time to wait for the answers about a period, after the end of the period. Later answers do "
        "not count. [default: one pull period]",
        requests.readers.length,
        metavar="D",
    )
    recorded: requests.AnswersOptions
    report: Path | None = option(
        None,
        "HTML report to write. lars writes the report again during the watch, at most once per second.",
        metavar="FILE.html",
    )
    once: bool = option(False, "Read the files that are in the folder now, and end.")
    pause: float = option(
        1.0,
        "Minimum number of seconds between the starts of two batches.",
        metavar="SECONDS",
        least=0.01,
        most=3600,
    )
    files: int = option(100, "Maximum number of files in a batch.", metavar="N", least=1)
    fail_on_empty: bool = requests.fail_on_empty_option()
    master: str = option(ALL_CORES, "Spark master.", metavar="URL")
    certify: Certify | int = certify_option()


@dataclass(frozen=True, slots=True)
class WatchRun(Result):
    """A run of `lars watch`; the run reads the stream while a caller reads the texts of `parts`."""

    streamed: ClassVar[bool] = True
    request: WatchRequest
    watcher: Watcher
    task: AgreementTask
    digest: str
    listeners: Listeners
    _last: list[WatchState] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)
    _pace: dict[str, float] = field(default_factory=dict)

    def parts(self) -> Iterable[str]:
        """Yield one line for each period that disagrees, until the stream or the run ends."""
        # Starts Java.
        from solver.spark.streaming import folder_batches, is_empty, topic_batches

        request, (source, checkpoint, out) = self.request, _folders(self.request)
        begun, sink, jars = newest_state(checkpoint, self.digest), _sink(request), _jars(request.jars)
        for place, option_name in ((str(request.source), "--source"), (str(request.out), "--out")):
            if topic_of(place, option_name) is not None:
                check_broker(place, option_name)
        is_new = is_empty(sink, _place(request), request.master, jars) if sink else not any(out.iterdir())
        if begun is None:
            if not is_new:
                kind = "topic" if sink else "folder"
                problem = f"the {kind} is not empty, but the folder of --checkpoint is new"
                raise LarsError(f"{_place(request)}: {problem}; use a new {kind} for --out")
            # From now on, the tables belong to this checkpoint, also if the first batch is not finished.
            begun = WatchState(self.digest), _nothing()
            write_state(checkpoint, *begun)
        self._last[:] = [begun[0]]
        # Spark stores what a batch contains before it asks for the batch.
        if begun[0].batch >= 0 and not exists(checkpoint / _SPARK / "offsets" / str(begun[0].batch)):
            raise _gone_back(checkpoint, begun[0].batch)
        self.repair()
        if begun[0].batch >= 0:
            yield f"continues; judged {self._progress()}"
        self.listeners.note(_waits(request))
        put, topic = None, topic_of(str(request.source))
        stored, pause = checkpoint / _SPARK, None if request.once else request.pause
        if topic is not None:
            batches = topic_batches(topic, source, stored, self.judge_batch, request.master, pause, jars)
        else:
            if is_spooled(str(request.source)):
                put = spool(opened(str(request.source)), source)
            batches = folder_batches(source, stored, self.judge_batch, request.master, pause, request.files)
        with self.listeners.keeping() as stopped:
            for batch in batches:
                if batch is not None:
                    state, found = batch
                    self._last[:] = [state]
                    yield from found
                self._write_page(every=_PAGE_PAUSE)
                # The lines have ended, and all are judged.
                is_over = put is not None and put() == self._last[0].files
                if stopped.is_set() or is_over:
                    break
        self._write_page()
        yield f"judged {self._progress()}{self._unread()}"

    def _progress(self) -> str:
        return _progress(self._last[0], self._dates(self._last[0]), len(self.watcher.pairs))

    def _unread(self) -> str:
        """Return a text about the files that the watch has not read, if it ends before its first batch."""
        if self._last[0].batch >= 0 or is_spooled(str(self.request.source)):
            return ""
        waiting = [path for path in _folders(self.request)[0].glob("[!_.]*") if path.is_file()]
        left = quantity(len(waiting), "file")
        return f"; {left} not read yet, which the same command reads" if waiting else ""

    def page(self) -> "Page":
        """Return the content of the HTML report: the numbers, and the last findings."""
        state = self._last[0] if self._last else WatchState(self.digest)
        pace = [(name, f"{seconds:.1f} s") for name, seconds in [*self._pace.items()] if name != _WRITTEN]
        question = "In which periods do push and pull disagree, or running systems answer wrongly?"
        return watch_report.page(state, self._dates(state), pace, question, len(self.watcher.pairs))

    def _write_page(self, every: float = 0) -> None:
        """Write the HTML report if the user requests one, and the last version is old enough.

        The HTML report is written only if its last version is at least `every` seconds old.
        """
        if self.request.report is None or monotonic() - self._pace.get(_WRITTEN, -every) < every:
            return
        # Loads what only pages need.
        from agreement.results.renderings.pages.page import files_of, provenance, query_texts, write_page

        files = files_of(self.request.inputs)
        made = replace(self.page(), provenance=provenance((), files), queries=query_texts(files))
        write_page(self.request.report, made)
        self._pace[_WRITTEN] = monotonic()

    def repair(self) -> None:
        """Make the output agree with the newest stored state.

        If --out is a folder, the rows of an unfinished batch are removed from its tables. If --out is a
        topic, the records that an earlier run has not sent are sent.
        """
        if _sink(self.request) is not None:
            self._send()
            return
        _, checkpoint, out = _folders(self.request)
        begun = newest_state(checkpoint, self.digest)
        for name, size in ({} if begun is None else begun[0].sizes).items():
            if not name.startswith(_REJECTED):
                cut_back(out, name, self.request.out_format, size)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if a period disagrees or a log is wrong; 3 with --fail-on-empty without rows."""
        state = self._last[0]
        if state.disagreeing or any(log.wrong for log in state.logs.values()):
            return 1, None
        if self.request.fail_on_empty and not state.with_rows:
            empty = (
                "neither side reports a row in any judged period" if state.periods else "no period is judged"
            )
            return FAILED, f"--fail-on-empty: {empty}"
        return 0, None

    def _dates(self, state: WatchState) -> Dates:
        return Dates(state.origin, self.task.setting.unit)

    def judge_batch(self, number: int, paths: Sequence[Path]) -> tuple[WatchState, list[str]]:
        """Judge a batch, write the rows of its tables, and store the state."""
        request, (_, checkpoint, _) = self.request, _folders(self.request)
        began = monotonic()
        newest = newest_batch(checkpoint)
        if newest is None and number:
            raise LarsError(
                f"--checkpoint {checkpoint}: the state before batch {number} is missing; use a new folder"
            )
        if newest is not None and number < newest:
            raise _gone_back(checkpoint, newest)
        begun = newest_state(checkpoint, self.digest)
        if begun is not None and begun[0].batch == number:
            # Spark asks again if it did not store that the batch ended: its tables are complete. But it is
            # not known whether its lines were printed.
            return begun[0], list(begun[0].lines)
        state, pending = begun or (WatchState(self.digest), _nothing())
        state = replace(state, batch=number)
        with temporary_copies():
            state, new = self._read(state, paths)
            judged = self.watcher.with_answers(self.watcher.step(state, pending, new, len(paths)))
        dates = self._dates(judged.state)
        sizes, records = judged.state.sizes, list[Record]()
        # Before the first element, it is not known whether the tables have columns of dateTimes.
        if judged.state.newest is not None:
            tables = watch_report.tables(judged, self.watcher.variables)
            own, records = self._append([table.with_dates(dates) for table in tables], sizes)
            sizes = {**sizes, **own}
        found = list(watch_report.lines(judged, dates))
        recent = [*judged.state.recent, *watch_report.findings(judged, dates)][-watch_report.MOST_RECENT :]
        state = replace(judged.state, sizes=sizes, recent=recent, lines=found)
        # A repeated batch can read more of a log. So its first records are stored, and only then sent.
        write_state(checkpoint, state, self.watcher.pruned(judged), records)
        self._send()
        if paths and is_spooled(str(request.source)):
            forget_before(min(paths))
        self._pace[_LAST_BATCH] = monotonic() - began
        if paths:
            came = max((path.stat().st_mtime for path in paths if exists(path)), default=time())
            self._pace[_LATENCY] = max(time() - came, 0.0)
        return state, found

    def _append(
        self, tables: Sequence[OutTable], sizes: Mapping[str, int]
    ) -> tuple[Mapping[str, int], list[Record]]:
        """Append rows to the tables in the folder of --out.

        Returns:
            The new sizes of the tables, and the records to send if --out is a topic.
        """
        request, (*_, out) = self.request, _folders(self.request)
        if _sink(request) is None:
            return {
                table.name: append_rows(out, table, request.out_format, sizes.get(table.name, 0))
                for table in tables
            }, []
        records = {table.name: list(json_records(table, sizes.get(table.name, 0))) for table in tables}
        grown = {name: sizes.get(name, 0) + len(own) for name, own in records.items()}
        return grown, [*chain.from_iterable(records.values())]

    def _send(self) -> None:
        """Write the records of the newest batch to the topic of --out, unless they were already sent."""
        if (sink := _sink(self.request)) is not None:
            # Starts Java.
            from solver.spark.streaming import append_records

            _, checkpoint, _ = _folders(self.request)
            send_unsent(checkpoint, lambda records: append_records(sink, records, _place(self.request)))

    def _read(self, state: WatchState, paths: Sequence[Path]) -> tuple[WatchState, TraceColumns]:
        """Return the elements of files in the order of arrival; append rejected lines to --rejected."""
        if not paths:
            return state, _nothing()
        options = replace(options_for(self.watcher.queries, self.task.trace.options), sort=True, ends=True)
        if options.elements is not None:
            raise LarsError(
                "cannot watch with the readings count=elements, grain=message and grain=triple, because each "
                "file is read separately; use lars agree"
            )
        options = replace(options, absolute=state.absolute, stream=None)
        if state.origin is not None:
            options = replace(options, origin=datetime.fromisoformat(state.origin))
        kept = options.rejected
        with temporary_folder() as folder:
            here = replace(options, rejected=folder / _REJECTED) if kept is not None else options

            def warn(text: str) -> None:
                self._warn(text.replace(str(here.rejected), str(kept)))

            new, skipped = _elements(paths, here, warn)
            if options.origin is None and new.origin is not None:
                begin = self._begin(new.origin)
                new, skipped = _elements(paths, replace(here, origin=begin), warn)
            if any(len(some.t) for some in new.atoms.values()):
                state = _with_times(state, new.origin, paths)
            if kept is not None:
                state = _with_rejected(state, kept, here.rejected)
                state = replace(state, rejected=state.rejected + skipped)
        return state, new

    def _begin(self, zero: str) -> datetime:
        """Return a time 0 before all elements that may arrive, a multiple of the period after midnight.

        `zero` is a dateTime before the oldest element of the first batch.
        """
        try:
            longest = self._duration(max(self.watcher.periods))
            before = datetime.fromisoformat(zero) - self._duration(
                points_of(self.request.delay, self.task.setting.unit)
            )
            midnight = before.replace(hour=0, minute=0, second=0, microsecond=0)
            return midnight + (before - midnight) // longest * longest
        except OverflowError:
            problem = f"cannot count times from one delay before {zero}: this time is not a valid dateTime"
            raise LarsError(f"--delay: {problem}; use a shorter delay, or --origin") from None

    def _duration(self, points: int) -> timedelta:
        return timedelta(microseconds=-(-points * self.task.setting.unit.nanoseconds // 1000))

    def _warn(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self.listeners.warn(text)


def _jars(paths: Sequence[Path]) -> list[Path]:
    """Return the JAR files at the paths; for a folder, all JAR files in the folder."""
    found = [[path] if exists(path, folder=False) else sorted(path.glob("*.jar")) for path in paths]
    if missing := [path for path, own in zip(paths, found, strict=True) if not own]:
        raise LarsError(f"--jars {missing[0]}: no such jar, and no such folder of jars")
    return [*chain.from_iterable(found)]


def _nothing() -> TraceColumns:
    return TraceColumns(TermCodes(), {}, 0)


def _with_times(state: WatchState, zero: str | None, paths: Sequence[Path]) -> WatchState:
    """Return the state with the kind of times of new files, whose time 0 is the dateTime `zero`.

    If `zero` is None, times are integers that count from 0.

    Raises:
        LarsError: Earlier files have the other kind of times.
    """
    if state.absolute if zero is not None else state.origin is not None:
        found, before = "integers that count from 0", "dateTimes, or integers since 1970"
        if zero is not None:
            found, before = before, found
        raise LarsError(
            f"{paths[0]}: the times in this file are {found}, but the times in earlier files are "
            f"{before}; use one kind of times in all files"
        )
    return replace(state, origin=state.origin or zero, absolute=zero is None)


def _with_rejected(state: WatchState, kept: Path, new: Path | None) -> WatchState:
    """Append the rejected lines in `new` to the file `kept`, and store the new size of `kept` in the state.

    The function first cuts `kept` to the size that the state contains, because a run that failed may have
    added lines.
    """
    text = new.read_bytes() if new is not None and exists(new) else b""
    name = f"{_REJECTED} {kept.absolute()}"
    with kept.open("ab") as file:
        # The file may have been moved away since.
        size = min(state.sizes.get(name, 0), file.tell())
        file.truncate(size)
        text = text.removeprefix(SIDE_HEAD.encode()) if size else text
        file.write(text)
    return replace(state, sizes={**state.sizes, name: size + len(text)})


def _elements(paths: Sequence[Path], options: TraceOptions, warn: Warn) -> tuple[TraceColumns, int]:
    """Return the elements of files in the order of arrival, and the number of skipped lines."""
    skipped = 0
    with catch_warnings(record=True) as caught:
        simplefilter("always", TraceWarning)
        sources = prepare(paths, options)
        numbered = next((each for each in sources if each.format.of_messages), None)
        if numbered is not None and options.time is None:
            raise LarsError(
                f"{numbered.path}: cannot watch messages without times, because each file numbers them from "
                "1; use --time IRI"
            )
        found = as_they_came(sources, options)
    for warning in caught:
        if isinstance(warning.message, TraceWarning) and warning.message.about != "origin":
            skipped += warning.message.skipped
            warn(str(warning.message))
    return found, skipped


def _waits(request: WatchRequest) -> str:
    """Return the first note of a watch: the files or lines that the watch reads, and when it ends."""
    source = str(request.source)
    if source.startswith(_TOPICS) and not request.once:
        return f"the watch waits for messages of {source}; Ctrl-C ends it"
    if is_spooled(source):
        named = "standard input" if source == str(STANDARD_INPUT) else source
        return f"the watch reads the lines of {named} until they end"
    if request.once:
        return f"the watch reads the files in {source}, and ends"
    return f"the watch waits for files in {source}; Ctrl-C ends it"


def _verdicts(state: WatchState, queries: int) -> str:
    """Return a text with the numbers of judged periods, and of those that disagree or have no row."""
    periods, wrong, them = watch_report.periods_text(state, queries), state.disagreeing, "any of them"
    if state.periods == 1:
        disagree, them = f", which {'disagrees' if wrong else 'agrees'}", "it"
    else:
        disagree = f", {wrong} of them disagree{'s' * (wrong == 1)}" if state.periods else ""
    empty = "" if state.with_rows or not state.periods else f"; neither side has a row in {them}"
    return f"{periods}{disagree}{empty}"


def _progress(state: WatchState, dates: Dates, queries: int) -> str:
    ends = ", ".join(dates.text(end) for end in sorted(set(state.judged.values()))) or dates.text(0)
    rejected = f", {state.rejected} rejected" if state.rejected else ""
    elements = f"{quantity(state.elements, 'element')} read, {state.late} too late{rejected}"
    answers = "".join(
        f"; {quantity(log.wrong, 'period')} of {side} wrong in {quantity(log.read, 'answer')}"
        for side, log in state.logs.items()
    )
    compared = f" up to {dates.text(state.compared)}" if state.logs else ""
    return f"up to {ends}: {_verdicts(state, queries)}; {elements}{answers}{compared}"


def _gone_back(checkpoint: Path, newest: int) -> LarsError:
    """Return the error for a checkpoint without Spark's files, with which Spark would repeat batches."""
    return LarsError(
        f"--checkpoint {checkpoint}: cannot continue after batch {newest}: files of its folder {_SPARK} are "
        "missing; use a new folder, and a new folder for --out"
    )


def _folders(request: WatchRequest) -> tuple[Path, Path, Path]:
    """Return the folder of arriving files, the checkpoint, and the folder of the tables."""
    given = {"--source": request.source, "--checkpoint": request.checkpoint, "--out": request.out}
    missing = [name for name, folder in given.items() if folder is None]
    if missing:
        raise LarsError(f"missing {' and '.join(missing)}; use --source DIR --checkpoint DIR --out DIR")
    source, checkpoint, out = (Path(folder) for folder in given.values() if folder is not None)
    return checkpoint / _LINES if is_spooled(str(request.source)) else source, checkpoint, out


def _sink(request: WatchRequest) -> tuple[str, str] | None:
    """Return the address and the name of the topic of --out; None for a folder."""
    return topic_of(str(request.out), "--out")


def _place(request: WatchRequest) -> str:
    return f"--out {request.out}"


def _digest(request: WatchRequest, task: AgreementTask, watcher: Watcher) -> str:
    """Return a digest of the queries, static data and options that can affect a verdict."""
    options = replace(task.trace.options, rejected=None, on_error="stop")
    logs = [*watcher.logs], watcher.reading, watcher.answers_delay, watcher.new
    sink = _sink(request)
    form = request.out_format if sink is None else f"topic {sink[1]}"
    parts = (
        *([repr(logs)] if watcher.logs else ()),
        *map(repr, (program(), task.setting, watcher.periods, options, request.delay, form)),
        *(repr(pair) for pair in watcher.pairs),
        *(repr(sorted((name, sorted(rows)) for name, rows in known.items())) for known in watcher.statics),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _set_logs(watcher: Watcher, request: WatchRequest, task: AgreementTask) -> None:
    """Give the watcher the logs of the running systems, and the options for reading the logs."""
    unit, (first, *more) = task.setting.unit, watcher.periods
    paths: dict[Side, Path | None] = {"push": request.push_answers, "pull": request.pull_answers}
    given = {side: path for side, path in paths.items() if path is not None}
    if more and given:
        raise LarsError(
            f"--{next(iter(given))}-answers requires one --period: the pull period of the systems"
        )
    if "push" in given and len(watcher.pairs) > 1:
        readings = "; ".join(map(str, watcher.pairs))
        raise LarsError(
            f"--push-answers: cannot judge the log, because {len(watcher.pairs)} different CQELS queries can "
            f"be derived ({readings}); use a C-SPARQL query and the CQELS query of the push system"
        )
    if missing := next((path for path in given.values() if not exists(path)), None):
        raise LarsError(f"{missing}: no such log; use a file or a folder of answers")
    delay = first if request.answers_delay is None else points_of(request.answers_delay, unit)
    watcher.logs, watcher.answers_delay, watcher.reading = given, delay, request.recorded
    watcher.new = request.push_reports == "new"


@offered_functions(WatchRequest)
def watch(request: WatchRequest, listeners: Listeners) -> WatchRun:
    """Return the run of a watch; the run reads the stream while the caller reads the run's text."""
    source, checkpoint, out = _folders(request)
    of_lines = is_spooled(str(request.source))
    if not (of_lines or exists(source, folder=True)):
        raise LarsError(f"--source {source}: no such folder")
    # The options of a trace do not depend on its files.
    trace = STANDARD_INPUT if of_lines else source
    is_experiment = requests.experiment_in(request.inputs) is not None
    inputs = request.inputs if is_experiment else (*request.inputs, trace)
    task = comparison_on(inputs, request.options, listeners.warn)
    runner = Runner(in_process=True, certify=request.certify, notice=listeners.note)
    task = replace(task, trace=replace(task.trace, runner=runner))
    watcher = Watcher(task, points_of(request.delay, task.setting.unit), listeners.warn)
    _set_logs(watcher, request, task)
    rejected = request.options.input_options.trace.rejected
    page, sink = (request.report, "--report"), _sink(request)
    if sink is not None and sink == topic_of(str(request.source)):
        raise LarsError(f"{_place(request)}: is the topic of --source; use another topic")
    tables = None if sink else out, "--out"
    logs = ((path, f"--{side}-answers") for side, path in watcher.logs.items())
    for path, name in ((checkpoint, "--checkpoint"), tables, (rejected, "--rejected"), *logs, page):
        if path is not None and path.resolve().is_relative_to(source.resolve()):
            raise LarsError(f"{name} {path}: is in the folder of --source; use another folder")
    used = {path.resolve() for path in (*request.inputs, *watcher.logs.values())}
    for path, name in ((rejected, "--rejected"), page):
        if path is not None and path.resolve() in used:
            raise LarsError(f"{name} {path}: the command uses this file already; use another file")
        used |= set() if path is None else {path.resolve()}
    if request.report is not None:
        # Loads what only pages need.
        from agreement.results.renderings.pages.page import check_page

        check_page(request.report)
    if rejected is not None:
        check_side_file(rejected, ())
    for folder, name in ((checkpoint, "--checkpoint"), tables):
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LarsError(
                f"{name} {folder}: cannot be used: {error.strerror}; use another folder"
            ) from None
    return WatchRun(request, watcher, task, _digest(request, task, watcher), listeners)
