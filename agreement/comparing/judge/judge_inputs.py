"""What `lars judge` is given, read once: query, pushes, static data over time, answers."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import accumulate
from math import gcd, inf
from pathlib import Path
from typing import Final

from agreement.comparing.judge.diagnosis import RecordingToJudge
from agreement.comparing.judge.verdict import Options
from agreement.comparing.matching.silence import rows_on, silence
from agreement.documents.recordings import Answers, Case, Push, pushes_of
from agreement.documents.requests import (
    EmptyReports,
    MatchBy,
    WindowSource,
    load_query,
    sources,
    with_sources,
)
from agreement.documents.traces import (
    LocalTrace,
    absent_graphs,
    background,
    check_graphs,
    dataset_of,
    mismatches,
    options_for,
    streams_of,
)
from agreement.documents.values import cut
from agreement.engines.engine import Engine, with_its_text
from agreement.engines.specifications import (
    EngineRun,
    Specification,
    Strategy,
    Task,
    Version,
    elements_of,
    specification,
)
from lars.durations import MILLISECOND, NANOSECONDS, Duration
from lars.errors import LarsError
from lars.files import read_text
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.facts import STREAM_PREDICATE, Fact, Static
from solver.job import Question, ask
from solver.settings import (
    OriginWarning,
    PeriodWarning,
    StaticFile,
    TraceInput,
    TraceOptions,
    TraceWarning,
    unsaid,
)
from solver.traces import prepare, read_arrivals, read_static
from translate.dialects import read_query
from translate.model.query import EngineQuery, Language, Profile, Setting
from translate.model.windows import Range
from translate.tau import Trigger, lars_program, output_of, push

_SPAN: Final = re.compile(r"([0-9]{0,15})\.\.([0-9]{0,15})=(.+)", re.DOTALL)


def read_versions(texts: Iterable[str]) -> tuple[Version, ...]:
    """Return the versions that texts FROM..TO=FILE name; both ends are included, and can be left out.

    Raises LarsError for a text that is none, and for a file that cannot be read.
    """
    return tuple(version for text in texts for version in _versions(text))


def _versions(text: str) -> Iterator[Version]:
    match = _SPAN.fullmatch(text)
    first, last = (int(end) if match and end else None for end in (match[1], match[2])) if match else (1, 0)
    if match is None or (first is not None and last is not None and first > last):
        raise LarsError(
            f"--static-at {cut(text)}: accepted: FROM..TO=FILE, as 2..13=shops.ttl, ..1=before.ttl, "
            "14..=after.ttl"
        )
    static = read_static((StaticFile(Path(match[3])),))
    if static.default:
        yield Version(frozenset(static.default), first, last)
    for name, triples in static.named.items():
        yield Version(frozenset(triples), first, last, name)


_FINEST: Final = Duration(1000)
"""The finest time unit that a recording's own times are taken at: a microsecond."""
_LOOKED_AT: Final = (Language.CQELS, Language.RSPQL)
ANSWERS_FORM: Final = "a file with a C-SPARQL, CQELS, SPARQLstream or RSP-QL query"


def with_text(query: EngineQuery, text: str, source: str) -> EngineQuery:
    """Return a query of CQELS or RSP-QL with its text, at which engines look too; others as they are."""
    return with_its_text(query, text, source) if query.language in _LOOKED_AT else query


def read_judged_query(path: Path, unit: Duration) -> EngineQuery:
    """Return the query of a file whose windows are whole numbers of the unit."""
    query = load_query(path, unit)
    return with_text(query, read_text(path, ANSWERS_FORM), str(path))


def recording_to_judge(
    run: EngineRun, unit: Duration, answers: Answers, options: Options, versions: tuple[Version, ...] = ()
) -> RecordingToJudge:
    """Return answers with all that they are judged by, once it is read."""
    refused_late = _refused_late(run.pushes, answers.recording.rejected)
    elements = tuple(triple for triple in elements_of(run.pushes, unit) if triple.number not in refused_late)
    last = max((element.t for element in elements), default=0)
    end = last + _reach(run.query, unit)
    if options.match is MatchBy.SEQUENCE:
        # Once every window is empty each evaluation answers the same.
        end += len(answers.recording.reports) * _slide(run.query, unit)
    else:
        latest = max((report.t for report in answers.recording.reports), default=0.0)
        # Later on every window is empty, and nothing is compared.
        end = max(last, min(int(latest / unit.milliseconds), end), options.until or 0)
    task = Task(run.query, elements, run.static, unit, end, versions, run.origin)
    how = replace(options, likeness=replace(options.likeness, lexical=answers.lexical))
    if answers.rows_only:
        how = replace(how, empty=EmptyReports.IGNORED)
    return RecordingToJudge(task, run, answers.recording, how)


def _refused_late(pushes: Sequence[Push], refused: Sequence[int]) -> set[int]:
    """Return the pushes that go back in time and were refused for it: no stream of RSP-QL has them."""
    latest = accumulate((push.t for push in pushes), max, initial=-inf)
    late = {
        number for number, (push, before) in enumerate(zip(pushes, latest, strict=False)) if push.t < before
    }
    return late.intersection(refused)


def _slide(query: EngineQuery, unit: Duration) -> int:
    slides = (source.window.slide for source in sources(query) if isinstance(source.window, Range))
    return max((slide.points(unit) for slide in slides if slide is not None), default=1)


def _reach(query: EngineQuery, unit: Duration) -> int:
    windows = (source.window for source in sources(query))
    lengths = ((window.length, window.slide or unit) for window in windows if isinstance(window, Range))
    return max((length.points(unit) + slide.points(unit) for length, slide in lengths), default=1)


def read_pushes(
    trace: TraceInput, query: EngineQuery | None, unit: Duration, warn: Callable[[str], None]
) -> tuple[tuple[Push, ...], str | None]:
    """Return a trace as pushes in arrival order, and the dateTime of time 0 if times have one.

    The triples of one stream at one time are one graph. Without a query any streams are read.
    Warns of what makes answers odd: skipped lines, streams that the query does not read.
    """
    if not trace.paths:
        raise LarsError("no trace given; accepted: timed N-Quads, TriG, CSV or Parquet")
    queries = () if query is None else (query,)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TraceWarning)
        pushes = pushes_at(trace.paths, options_for(queries, trace.options), unit)
    zero = None
    for warning in caught:
        if isinstance(warning.message, OriginWarning):
            zero = warning.message.zero
        # That time 0 lies in no period matters to agree alone.
        if not issubclass(warning.category, PeriodWarning):
            warn(str(warning.message))
    windows = [window for engine_query in queries for window in sources(engine_query)]
    if windows and all(isinstance(source.stream, Iri) for source in windows):
        streams = [stream.value for engine_query in queries for stream in streams_of(engine_query)]
        for message in mismatches(streams, {push.stream for push in pushes}):
            warn(message)
    return pushes, zero


def static_of_run(files: Sequence[StaticFile], query: EngineQuery, warn: Callable[[str], None]) -> Static:
    """Return the static data of a run; warns of graphs that FROM names and the data lack."""
    static = read_static(files)
    check_graphs(static, query.dataset, warn)
    return static


def pushes_at(paths: Sequence[Path], options: TraceOptions, unit: Duration) -> tuple[Push, ...]:
    """Return the triples of trace files as pushes; raises LarsError for other atoms."""
    return pushes_of(read_arrivals(prepare(paths, options), options), unit.milliseconds)


def check_order(pushes: Sequence[Push], warn: Callable[[str], None]) -> None:
    """Warn of pushes that go back in time, which engine versions take in their order."""
    later = range(1, len(pushes))
    number = next((number for number in later if pushes[number].t < pushes[number - 1].t), None)
    if number is not None:
        warn(f"push {number} is earlier than the one before it; --sort puts them in order of time")


def why_silent(who: Specification | Engine, run: EngineRun) -> Iterator[str]:
    """Yield why a version or a specification reports no row of what it was given.

    A pattern has a match where it has one in the windows before an arrival, whatever their slides.
    """
    unit, query = run.unit, with_sources(run.query, _moving)
    facts = (
        Fact(triple.t, STREAM_PREDICATE, (*triple.triple, triple.stream))
        for triple in elements_of(run.pushes, unit)
    )
    held = background(run.static, dataset_of((query,)), unsaid, query.language)
    trace = LocalTrace(trace_columns(tuple(facts)), Interval(0, run.last), held)
    setting = Setting(Profile.SPARQL11, unit, origin=run.origin)

    def question(part: EngineQuery) -> Question:
        return ask(push(lars_program(part, setting), Trigger.ANY), output_of(part, setting).predicate)

    yield from absent_graphs(query, held)
    has_rows = rows_on(trace, question)
    if not has_rows(query):
        yield silence(who.name, query, has_rows)
        return
    claimed = who if isinstance(who, Specification) else specification(who.specification)
    if Strategy.WINDOW_CLOSE in claimed.report:
        yield (
            f"{who.name} has no row at any time: its windows report when they close, and what is open at the "
            f"last element, at {run.last}, never does"
        )


def _moving(source: WindowSource) -> WindowSource:
    window = source.window
    return replace(source, window=replace(window, slide=None)) if isinstance(window, Range) else source


def run_of_case(case: Case) -> EngineRun:
    """Return what the engine of a case was given."""
    return EngineRun(_read(case.query, f"{case.path}: query"), case.static, case.pushes, MILLISECOND)


# A case is judged by its engine, by a specification, by its rules one by one.
@lru_cache(maxsize=4)
def _read(text: str, source: str) -> EngineQuery:
    return with_text(read_query(text, source), text, source)


def recorded_of_case(case: Case, options: Options) -> RecordingToJudge:
    """Return a case with all that it is judged by, at the coarsest unit that tells its times apart."""
    run = run_of_case(case)
    return recording_to_judge(
        run, unit_of(run.query, case.pushes), Answers(case.recording, case.lexical), options
    )


def unit_of(query: EngineQuery, pushes: Sequence[Push]) -> Duration:
    """Return the longest duration of which all times and windows are multiples, at most a second."""
    nanoseconds = {round(Fraction(str(t)) * NANOSECONDS["ms"]) for t in {push.t for push in pushes}}
    for source in sources(query):
        if isinstance(source.window, Range):
            lengths = (source.window.length, source.window.slide, source.window.until)
            nanoseconds |= {duration.nanoseconds for duration in lengths if duration is not None}
    unit = reduce(gcd, nanoseconds, NANOSECONDS["s"])
    return Duration(max(unit, _FINEST.nanoseconds))
