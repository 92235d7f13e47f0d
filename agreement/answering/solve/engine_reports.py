"""What `lars solve --as` finds: the reports of a specification or an engine version."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Final

from agreement.answering.solve.solving import SolvingTask
from agreement.documents.options import option
from agreement.documents.requests import origin_text, readers, sources, time_option
from agreement.documents.traces import check_timeline, point_in
from agreement.documents.values import ABSOLUTE_IRI, cut
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from lars.language.windows import LARGEST_TIME, Bounds, Interval
from solver.settings import Time, Warn
from translate.model.query import Form, Semantics
from translate.model.windows import Range

if TYPE_CHECKING:
    from agreement.documents.recordings import Recording, Report
    from agreement.engines.specifications import EngineRun, Specification
    from solver.facts import Row

_TRIPLES: Final = (Form.CONSTRUCT, Form.DESCRIBE)


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What reports, as --as names it, leaves open."""

    t0: Time | None = time_option("Where windows of a specification begin; 0 by default.")
    until: Time | None = time_option("The last time point reported at; by default that of the last element.")
    as_stream: str | None = option(
        None, "Print the triples of CONSTRUCT as a trace of this stream, in timed N-Quads.", metavar="IRI"
    )


@dataclass(frozen=True, slots=True)
class ReportsTask:
    """A query on its trace, by whose name it is reported, and what else is said of windows and rows."""

    name: str
    solving: SolvingTask
    options: ReportOptions
    bounds: Bounds | None
    rows: Semantics | None


@dataclass(frozen=True, slots=True)
class EngineReports:
    """Reports in the order of their times; `milliseconds` is the length of a time point.

    `origin` is the dateTime of time 0, None where times are numbers alone.
    """

    variables: tuple[Variable, ...]
    reports: "tuple[Report, ...]"
    milliseconds: float
    stream: Iri | None
    origin: str | None


@dataclass(frozen=True, slots=True)
class _Times:
    """When windows begin, the last time point evaluated at, and those shown first and last."""

    start: int | None
    until: int | None
    first: int | None
    last: int | None


def _times(task: ReportsTask, zero: str | None, last: int) -> _Times:
    """Return the times of a task as time points on a trace up to `last`; `zero` is the dateTime of time 0."""
    options, every = task.solving.trace.options, (task.options.t0, task.options.until, *task.solving.span)
    return _Times(*(None if time is None else point_in(zero, time, options, last) for time in every))


def check_only_as(name: str | None, names: Sequence[str], without: Sequence[str]) -> None:
    """Raise for options of `--as` without it, and for those that a profile says itself."""
    if name is None and names:
        raise LarsError(f"{', '.join(names)}: accepted with --as NAME, as a profile reports")
    if name is not None and without:
        problem = "what reports says itself how the query is read and when it is evaluated"
        raise LarsError(f"{', '.join(without)}: accepted without --as {cut(name)}; {problem}")


def reports_as(task: ReportsTask, warn: Warn) -> EngineReports:
    """Return what is reported; raises LarsError for a query that cannot be run."""
    # Loads engines, which no other question needs.
    from agreement.comparing.compare import reporter
    from agreement.comparing.judge import (
        check_order,
        read_judged_query,
        read_pushes,
        static_of_run,
        why_silent,
    )
    from agreement.engines.specifications import EngineRun, Specification
    from agreement.engines.specifications.reporting import CLOCKED

    path, trace, unit = task.solving.path, task.solving.trace, task.solving.setting.unit
    who = reporter(task.name)
    stream = None if task.options.as_stream is None else stream_iri(task.options.as_stream)
    query = read_judged_query(path, unit)
    if stream is not None and query.form not in _TRIPLES:
        raise LarsError(f"--as-stream: found {query.form.value}; accepted: CONSTRUCT, which gives triples")
    # What reports by the clock does so from time 0 on; all else keeps the times of its recording.
    by_clock = isinstance(who, Specification) and not who.report.isdisjoint(CLOCKED)
    options = replace(trace.options, absolute=not by_clock)
    pushes, zero = read_pushes(replace(trace, options=options), query, unit, warn)
    origin = origin_text(trace.options.origin)
    static = static_of_run(trace.static, query, warn)
    engine_run = EngineRun(query, static, pushes, unit, origin)
    times = _times(task, zero, engine_run.last)
    if isinstance(who, Specification):
        recording = _specified(engine_run, who, task, times)
    else:
        _check_version(task)
        check_order(pushes, warn)
        recording = who.run(engine_run.query, engine_run.static, engine_run.pushes)
    if not any(report.rows for report in recording.reports):
        for message in why_silent(who, engine_run):
            warn(message)
    names = tuple(map(Variable, recording.variables))
    return EngineReports(
        names,
        tuple(_reports_in_span(recording, engine_run, times)),
        engine_run.unit.milliseconds,
        stream,
        zero,
    )


def stream_iri(text: str) -> Iri:
    """Return the stream that --as-stream names."""
    bare = readers.without_brackets(text)
    if not ABSOLUTE_IRI.fullmatch(bare):
        raise LarsError(f"--as-stream {cut(text)}: accepted: an absolute IRI, as http://example.org/s")
    return Iri(bare)


def _check_version(task: ReportsTask) -> None:
    options = {"--t0": task.options.t0, "--bounds": task.bounds, "--semantics": task.rows}
    for flag, value in options.items():
        if value is not None:
            problem = "accepted for specifications, an engine version fixes it"
            raise LarsError(f"{flag} with --as {task.name}: {problem}")


def _specified(
    engine_run: "EngineRun", who: "Specification", task: ReportsTask, times: _Times
) -> "Recording":
    from agreement.engines.specifications import OpenChoice, specified_answers

    last = engine_run.last
    until = max(last, times.until or 0, times.last or 0)
    check_timeline(Interval(last, until), _every(engine_run))
    starts = tuple(times.start or 0 for _ in sources(engine_run.query))
    choice = OpenChoice(starts, task.bounds or who.bounds[0])
    changed = who if task.rows is None else who.model_copy(update={"rows": task.rows})
    return specified_answers(engine_run, changed, choice, until)


def _every(engine_run: "EngineRun") -> int:
    windows = [source.window for source in sources(engine_run.query)]
    slides = (
        window.slide.points(engine_run.unit) if isinstance(window, Range) and window.slide else 1
        for window in windows
    )
    return min(slides, default=1)


def _reports_in_span(recording: "Recording", engine_run: "EngineRun", times: _Times) -> "Iterator[Report]":
    first = times.first
    ends = [item for item in (times.last, times.until) if item is not None]
    check_timeline(Interval(first or 0, min(ends, default=LARGEST_TIME)), None)
    least = (first or 0) * engine_run.unit.milliseconds
    # A report 1 ms after a time point still belongs to that time point.
    end = min(((time + 1) * engine_run.unit.milliseconds for time in ends), default=inf)
    yield from (
        report for report in sorted(recording.reports, key=lambda report: report.t) if least <= report.t < end
    )


def check_labels(reports: EngineReports, warn: Warn) -> None:
    """Warn of blank nodes that a trace of the reports takes apart."""
    labels = Counter(label for report in reports.reports for row in report.rows for label in _blank(row))
    if reports.stream is not None and any(count > 1 for count in labels.values()):
        warn("blank nodes stand in several triples; in N-Quads each line is an element with its own ones")


def _blank(row: "Row") -> set[str]:
    return {text for text in row if text is not None and text.startswith("_:")}
