"""What `lars compare` is given: two profiles, and queries with their trace, or recorded cases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import Final

from agreement.comparing.compare.parting import Divergence, compare_sides
from agreement.comparing.compare.sides import (
    NamedReporter,
    ProfileSide,
    WindowPlacement,
    check_reporter,
    named_reporter,
)
from agreement.comparing.judge import (
    ANSWERS_FORM,
    RefusedCase,
    case_files,
    check_order,
    each_case,
    read_judged_query,
    read_pushes,
    run_of_case,
    static_of_run,
    unit_of,
    why_silent,
)
from agreement.comparing.matching.likeness import Likeness
from agreement.documents.dates import Dates
from agreement.documents.recordings import Case
from agreement.documents.requests import QUERY_SUFFIXES, is_query, origin_text
from agreement.documents.traces import point_in
from agreement.engines.engine import columns
from agreement.engines.specifications import EngineRun, Specification
from lars.durations import MILLISECOND, Duration
from lars.errors import LarsError
from lars.files import exists, read_text
from lars.language.windows import Bounds
from solver.settings import Progress, Time, TraceInput, Warn, no_progress
from translate.model.query import EngineQuery

CASE_SUFFIX: Final = ".json"
ACCEPTED: Final = (
    f"QUERY [QUERY] TRACE.. (queries: {', '.join(QUERY_SUFFIXES)}), "
    f"or recorded cases (*{CASE_SUFFIX}, or folders of them)"
)


@dataclass(frozen=True, slots=True)
class ComparedProfiles:
    """Two profiles by name, what they are compared on, and how."""

    names: tuple[str, str]
    trace: TraceInput
    unit: Duration
    start: Time | None
    bounds: Bounds | None
    likeness: Likeness
    times: bool


@dataclass(frozen=True, slots=True)
class TraceComparison:
    """Where profiles part on one trace; `title` is the case's, times are shown as `unit`, from `origin`."""

    parting: Divergence
    unit: Duration
    title: str | None = None
    origin: str | None = None

    @property
    def dates(self) -> Dates:
        """What dateTimes the time points are, where they are any."""
        return Dates(self.origin, self.unit)


def are_cases(inputs: Sequence[Path]) -> bool:
    """Whether what is compared on are recorded cases; raises LarsError for none and for a mixture."""
    if not inputs:
        raise LarsError(f"nothing to compare on; accepted: {ACCEPTED}")
    cases = [path for path in inputs if path.suffix == CASE_SUFFIX or exists(path, folder=True)]
    if cases and inputs[0] in cases and len(cases) < len(inputs):
        other = next(path for path in inputs if path not in cases)
        raise LarsError(f"{other}: no case; accepted: {ACCEPTED}")
    return inputs[0] in cases


def queries_and_traces(inputs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the one or two queries that a command line begins with, and the trace files after them."""
    second = len(inputs) > 1 and is_query(inputs[1])
    split = 2 if second else 1
    return list(inputs[:split]), list(inputs[split:])


def on_trace(
    profiles: ComparedProfiles, queries: Sequence[Path], warn: Warn, progress: Progress
) -> TraceComparison:
    """Return where two profiles part on a trace; of two queries each side has its own."""
    _check_reporters(profiles)
    read = [read_judged_query(path, profiles.unit) for path in queries]
    texts = [read_text(path, ANSWERS_FORM) for path in queries]
    reporters = _reporters(profiles, texts[0], texts[-1])
    _check_columns(read, queries)
    origin = origin_text(profiles.trace.options.origin)
    warnings: list[str] = []
    engine_runs: list[EngineRun] = []
    for query in read:
        pushes, zero = read_pushes(profiles.trace, query, profiles.unit, warnings.append)
        static = static_of_run(profiles.trace.static, query, warnings.append)
        engine_runs.append(EngineRun(query, static, pushes, profiles.unit, origin, zero))
    placing = _placing(profiles, engine_runs[0].zero, engine_runs[0].last)
    for who, engine_run in zip(reporters, (engine_runs[0], engine_runs[-1]), strict=True):
        if not isinstance(who.reporter, Specification):
            check_order(engine_run.pushes, warnings.append)
    divergence = _compared(profiles, placing, reporters, (engine_runs[0], engine_runs[-1]), progress)
    for who, run, silent in zip(reporters, (engine_runs[0], engine_runs[-1]), divergence.silent, strict=True):
        warnings += why_silent(who.reporter, run) if silent else ()
    for message in dict.fromkeys(warnings):
        warn(message)
    return TraceComparison(divergence, profiles.unit, origin=engine_runs[0].zero)


def _placing(profiles: ComparedProfiles, zero: str | None = None, last: int = 0) -> WindowPlacement:
    """Return where windows begin, as a time point of a trace up to `last`, and what ends they have."""
    start = None if profiles.start is None else point_in(zero, profiles.start, profiles.trace.options, last)
    return WindowPlacement(start, profiles.bounds)


def on_cases(
    profiles: ComparedProfiles, paths: Sequence[Path], progress: Progress
) -> list[TraceComparison | RefusedCase]:
    """Return where two profiles part on what was pushed in each of the recorded cases."""
    _check_reporters(profiles)
    placing = _placing(profiles)

    def found(case: Case) -> TraceComparison:
        run = run_of_case(case)
        engine_run = replace(run, unit=unit_of(run.query, run.pushes))
        reporters = _reporters(profiles, case.query, case.query)
        parting = _compared(profiles, placing, reporters, (engine_run, engine_run), no_progress)
        return TraceComparison(parting, MILLISECOND, case.id)

    return list(each_case(case_files(paths), found, progress))


def _check_reporters(profiles: ComparedProfiles) -> None:
    for name in profiles.names:
        check_reporter(name)


def _reporters(profiles: ComparedProfiles, first: str, second: str) -> tuple[NamedReporter, NamedReporter]:
    """Return both sides for the texts of their queries."""
    reporters = tuple(starmap(named_reporter, zip(profiles.names, (first, second), strict=True)))
    fixed = not any(isinstance(reporter.reporter, Specification) for reporter in reporters)
    if fixed and (profiles.start, profiles.bounds) != (None, None):
        option = "--t0" if profiles.start is not None else "--bounds"
        raise LarsError(f"{option}: accepted with a specification; both engine versions fix it")
    return reporters[0], reporters[1]


def _compared(
    profiles: ComparedProfiles,
    placing: WindowPlacement,
    reporters: tuple[NamedReporter, NamedReporter],
    runs: tuple[EngineRun, EngineRun],
    progress: Progress,
) -> Divergence:
    pairs = zip(reporters, runs, strict=True)
    first, second = (ProfileSide(who.name, who.reporter, on, placing) for who, on in pairs)
    likeness = replace(profiles.likeness, lexical=any(reporter.lexical for reporter in reporters))
    return compare_sides(first, second, likeness, times=profiles.times, progress=progress)


def _check_columns(read: Sequence[EngineQuery], paths: Sequence[Path]) -> None:
    """Raise where two queries answer different variables: every row would differ."""
    named = [sorted(columns(query)) for query in read]
    if named[0] != named[-1]:
        one, other = (", ".join(f"?{name}" for name in names) or "none" for names in (named[0], named[-1]))
        raise LarsError(
            f"{paths[-1]}: it answers the variables {other}, {paths[0]} answers {one}; accepted: the same"
        )
