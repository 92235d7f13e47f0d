"""What `lars solve --as` finds: the reports of a specification or an engine version."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agreement.documents.requests import origin_text, sources
from agreement.documents.traces import check_timeline, point_in
from agreement.documents.values import ABSOLUTE_IRI, cut
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from lars.language.windows import LARGEST_TIME, Bounds, Interval
from solver.settings import Span, Time, TraceInput, Warn
from solver.traces import read_static
from translate.model.query import Form, Semantics
from translate.model.windows import Range

if TYPE_CHECKING:
    from agreement.documents.recordings import Recording, Report
    from agreement.engines.specifications import EngineRun, Specification
    from solver.facts import Row

_TRIPLES: Final = (Form.CONSTRUCT, Form.DESCRIBE)


@dataclass(frozen=True, slots=True)
class ReportsTask:
    """A query, its trace, and who reports; `start` is t0 of every window, times are time points.

    `span` are the first and last time shown, `until` the last time evaluated at; None: the last
    element's, unless a later one is shown. `stream` is the IRI of the stream to print.
    """

    path: Path
    trace: TraceInput
    unit: Duration
    name: str
    start: Time | None
    bounds: Bounds | None
    rows: Semantics | None
    until: Time | None
    span: Span
    stream: str | None


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


def _times(wanted: ReportsTask, zero: str | None, last: int) -> _Times:
    """Return the times of a task as time points on a trace up to `last`; `zero` is the dateTime of time 0."""
    options, every = wanted.trace.options, (wanted.start, wanted.until, *wanted.span)
    return _Times(*(None if one is None else point_in(zero, one, options, last) for one in every))


def check_only_as(name: str | None, given: Sequence[str], without: Sequence[str]) -> None:
    """Raise for options of `--as` without it, and for those that a profile says itself."""
    if name is None and given:
        raise LarsError(f"{', '.join(given)}: accepted with --as NAME, as a profile reports")
    if name is not None and without:
        problem = "what reports says itself how the query is read and when it is evaluated"
        raise LarsError(f"{', '.join(without)}: accepted without --as {cut(name)}; {problem}")


def reports_as(wanted: ReportsTask, warn: Warn) -> EngineReports:
    """Return what is reported; raises LarsError for a query that cannot be run."""
    # Loads engines, which no other question needs.
    from agreement.comparing.compare import reporter
    from agreement.comparing.judge import check_order, read_judged_query, read_pushes, why_silent
    from agreement.engines.specifications import EngineRun, Specification
    from agreement.engines.specifications.reporting import CLOCKED

    who = reporter(wanted.name)
    stream = None if wanted.stream is None else stream_iri(wanted.stream)
    query = read_judged_query(wanted.path, wanted.unit)
    if stream is not None and query.form not in _TRIPLES:
        raise LarsError(f"--as-stream: found {query.form.value}; accepted: CONSTRUCT, which gives triples")
    # What reports by the clock does so from time 0 on; all else keeps the times of its recording.
    by_clock = isinstance(who, Specification) and not who.report.isdisjoint(CLOCKED)
    options = replace(wanted.trace.options, absolute=not by_clock)
    pushes, zero = read_pushes(replace(wanted.trace, options=options), query, wanted.unit, warn)
    origin = origin_text(wanted.trace.options.origin)
    given = EngineRun(query, read_static(wanted.trace.static), pushes, wanted.unit, origin)
    times = _times(wanted, zero, given.last)
    if isinstance(who, Specification):
        found = _specified(given, who, wanted, times)
    else:
        _check_version(wanted)
        check_order(pushes, warn)
        found = who.run(given.query, given.static, given.pushes)
    if not any(report.rows for report in found.reports):
        for message in why_silent(who, given):
            warn(message)
    names = tuple(map(Variable, found.variables))
    return EngineReports(names, tuple(_shown(found, given, times)), given.unit.milliseconds, stream, zero)


def stream_iri(text: str) -> Iri:
    """Return the stream that --as-stream names."""
    bare = text[1:-1] if text[:1] == "<" and text[-1:] == ">" else text
    if not ABSOLUTE_IRI.fullmatch(bare):
        raise LarsError(f"--as-stream {cut(text)}: accepted: an absolute IRI, as http://example.org/s")
    return Iri(bare)


def _check_version(wanted: ReportsTask) -> None:
    options = {"--t0": wanted.start, "--bounds": wanted.bounds, "--semantics": wanted.rows}
    for option, value in options.items():
        if value is not None:
            problem = "accepted for specifications, an engine version fixes it"
            raise LarsError(f"{option} with --as {wanted.name}: {problem}")


def _specified(given: "EngineRun", who: "Specification", wanted: ReportsTask, times: _Times) -> "Recording":
    from agreement.engines.specifications import OpenChoice, specified_answers

    last = given.last
    until = max(last, times.until or 0, times.last or 0)
    check_timeline(Interval(last, until), _every(given))
    starts = tuple(times.start or 0 for _ in sources(given.query))
    choice = OpenChoice(starts, wanted.bounds or who.bounds[0])
    changed = who if wanted.rows is None else who.model_copy(update={"rows": wanted.rows})
    return specified_answers(given, changed, choice, until)


def _every(given: "EngineRun") -> int:
    windows = [source.window for source in sources(given.query)]
    slides = (one.slide.points(given.unit) if isinstance(one, Range) and one.slide else 1 for one in windows)
    return min(slides, default=1)


def _shown(found: "Recording", given: "EngineRun", times: _Times) -> "Iterator[Report]":
    first = times.first
    ends = [one for one in (times.last, times.until) if one is not None]
    check_timeline(Interval(first or 0, min(ends, default=LARGEST_TIME)), None)
    least = (first or 0) * given.unit.milliseconds
    # A report 1 ms after a time point still belongs to that time point.
    end = min(((one + 1) * given.unit.milliseconds for one in ends), default=inf)
    yield from (one for one in sorted(found.reports, key=lambda one: one.t) if least <= one.t < end)


def check_labels(found: EngineReports, warn: Warn) -> None:
    """Warn of blank nodes that a trace of the reports takes apart."""
    labels = Counter(label for report in found.reports for row in report.rows for label in _blank(row))
    if found.stream is not None and any(count > 1 for count in labels.values()):
        warn("blank nodes stand in several triples; in N-Quads each line is an element with its own ones")


def _blank(row: "Row") -> set[str]:
    return {text for text in row if text is not None and text.startswith("_:")}
