"""The one comparison of an experiment, and its one query with its trace, for commands that ask one thing.

`lars agree` and `lars explain` ask for the comparison, other commands for a query. The options of the
command line come on top of the experiment's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from agreement.comparing.agree import AgreementTask, Overrides
from agreement.documents.requests import (
    EvaluationOptions,
    ExecutionMode,
    InputOptions,
    is_experiment,
    origin_text,
)
from agreement.experiments.cells import TraceFiles
from agreement.experiments.experiment import Experiment, ExperimentEntry, read_experiment
from agreement.experiments.grid import comparison_of
from agreement.experiments.schema import ComparisonTable, TraceTable
from agreement.experiments.trace_entries import trace_of
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.windows import Interval
from solver.settings import Span, Time, TraceInput, TraceOptions, Warn
from translate.model.query import MERGING, Language

_Options = TypeVar("_Options", TraceOptions, InputOptions)


def on_experiment(path: Path, trace_input: TraceInput, overrides: Overrides, warn: Warn) -> AgreementTask:
    """Return the one comparison of an experiment's file, with the options of the command line on top."""
    return on_read(read_experiment(path), trace_input, overrides, warn)


def on_read(
    experiment: Experiment, trace_input: TraceInput, overrides: Overrides, warn: Warn
) -> AgreementTask:
    """Return the one comparison of an experiment, with the options of the command line on top."""
    if overrides.unit is not None:
        experiment = _in_other_units(experiment, overrides.unit, warn)
    usual, reading = comparison_of(experiment, overrides.durations(trace_input)), overrides.reading
    trace = _trace_given(usual, trace_input)
    setting = replace(
        usual.setting,
        profile=reading.profile or usual.setting.profile,
        bounds=reading.bounds or usual.setting.bounds,
        origin=origin_text(trace.options.origin),
    )
    return replace(
        usual,
        periods=overrides.in_points(setting.unit) or usual.periods,
        trace=trace,
        setting=setting,
        trigger=reading.trigger or usual.trigger,
        assigned=overrides.assigned or usual.assigned,
        on=usual.on if overrides.on is None else overrides.on,
        span=_within(usual.span, overrides.span),
    )


def _in_other_units(experiment: Experiment, unit: Duration, warn: Warn) -> Experiment:
    if experiment.file.unit not in (None, unit):
        warn(
            f"--unit {unit} replaces the experiment's {experiment.file.unit}: the time points of its "
            f"periods and timeline, and integers in its traces, count {unit}"
        )
    return experiment.in_units(unit)


def _within(usual: Span, value: Span) -> Span:
    """Return from when to when, where what a command line says comes first."""
    (begin, end), (first, last) = usual, value
    return begin if first is None else first, end if last is None else last


def _trace_given(usual: AgreementTask, trace_input: TraceInput) -> TraceInput:
    """Return an experiment's trace with the options of the command line on top."""
    own, options = usual.trace.options, trace_input.options
    replaced_here = (
        options.streams or options.trace_unit or options.origin or options.prefixes or options.columns
    )
    if usual.generated is not None and replaced_here:
        raise LarsError(
            "--stream, --trace-unit, --origin, --prefix, --column: accepted for traces in files; "
            "this one is made up"
        )
    kept = _streams_kept(own, options.streams)
    replaced, streams = own.streams.keys() - kept.keys(), kept | dict(options.streams)
    combined = replace(
        _on_top(options, own),
        unit=own.unit,
        streams=streams,
        columns=options.columns or own.columns,
        prefixes=tuple((dict(own.prefixes) | dict(options.prefixes)).items()),
    )
    paths = dict.fromkeys((*(path for path in usual.trace.paths if path not in replaced), *streams))
    static = trace_input.static or usual.trace.static
    return replace(
        usual.trace, paths=tuple(paths), options=combined, static=static, runner=trace_input.runner
    )


def _streams_kept(own: TraceOptions, values: Mapping[Path, str]) -> dict[Path, str]:
    """Return an experiment's streams: one that is given another trace is read from that one alone."""
    return {path: stream for path, stream in own.streams.items() if stream not in values.values()}


def _on_top(options: _Options, own: TraceOptions) -> _Options:
    """Return options with what an experiment's trace says of times and order where they do not."""
    return replace(
        options,
        trace_unit=options.trace_unit or own.trace_unit,
        origin=options.origin or own.origin,
        sort=options.sort or own.sort,
    )


@dataclass(frozen=True, slots=True)
class SingleQuery:
    """A query's file, the traces that are named beside it, its input, and from when to when it is asked."""

    query: Path
    traces: tuple[Path, ...]
    input_options: InputOptions
    span: Span = (None, None)

    def within(self, first: Time | None, last: Time | None) -> Span:
        """Return from when to when, where what a command line says comes first."""
        return _within(self.span, (first, last))


def experiment_query(
    inputs: Sequence[Path], options: InputOptions, languages: Sequence[Language | str | None], note: Warn
) -> SingleQuery | None:
    """Return what an experiment says, if that alone is named; of its queries one in a language `wanted`.

    Without a wish it is the first there is; the options of the command line come before the experiment's.
    """
    if len(inputs) != 1 or not is_experiment(inputs[0]):
        return None
    experiment = read_experiment(inputs[0])
    names = [language for language in languages if language is not None]
    files = query_files(experiment, names)
    if len(files) > 1 and not names:
        others = ", ".join(f"--engine {language.value}" for language in list(files)[1:])
        note(f"{inputs[0]}: asks {next(iter(files.values()))} ({others}: another of its queries)")
    return _with_trace(experiment, next(iter(files.values())), options)


def wanted_of(evaluation: EvaluationOptions) -> tuple[Language | None, ...]:
    """Return the languages that an evaluation asks for: by name, or those of its mode."""
    if evaluation.engine is not None or evaluation.mode is None:
        return (evaluation.engine,)
    pulled = evaluation.mode is ExecutionMode.PULL
    return tuple(language for language in Language if (language in MERGING) == pulled)


def query_files(experiment: Experiment, languages: Sequence[Language | str] = ()) -> dict[Language, Path]:
    """Return the query of an experiment as files, by language; those that are wanted if there are such."""
    entry = _only(experiment, "queries")
    texts = [(one, entry.content[one.value]) for one in Language if one.value in entry.content]
    for language, text in texts:
        if not isinstance(text, str):
            problem = "found a text inside the experiment; accepted here: the path of a file"
            raise experiment.error((*entry.path, language.value), problem)
    files = {one: experiment.file_path(text, (*entry.path, one.value)) for one, text in texts}
    names = [str(item.value if isinstance(item, Language) else item) for item in languages]
    chosen = {one: file for one, file in files.items() if any(_speaks(name, one) for name in names)}
    return chosen or files


def by_profile(files: Mapping[Language, Path], name: str) -> Path:
    """Return which of the queries a profile reads: the one in its language, else the first."""
    return next(
        (file for language, file in files.items() if _speaks(name, language)), next(iter(files.values()))
    )


def _speaks(name: str, language: Language) -> bool:
    """Return whether who has that name, a language or an engine version, reads a language."""
    return name.partition("-")[0] == language.value


def _single(experiment: Experiment, kind: str) -> ExperimentEntry | None:
    """Return the entry of a kind if it is the only one, with one value of each parameter."""
    entries = experiment.entries[kind]
    return None if len(entries) != 1 or experiment.named(entries[0].content, entries[0].path) else entries[0]


def _only(experiment: Experiment, kind: str) -> ExperimentEntry:
    entry = _single(experiment, kind)
    if entry is None:
        problem = f"the experiment has several {kind}; accepted here: one; `lars run` runs them all"
        raise experiment.error((), problem)
    return entry


def _with_trace(experiment: Experiment, query: Path, options: InputOptions) -> SingleQuery:
    entry = _only(experiment, "traces")
    table = experiment.fill(TraceTable, entry, {})
    trace = trace_of(experiment, entry, table)
    if not isinstance(trace, TraceFiles):
        raise experiment.error(
            (*entry.path, "generate"), "found a made-up trace; accepted here: traces in files"
        )
    own = trace.options
    given_streams = dict(options.stream or {})
    static = tuple(
        replace(file, path=experiment.file_path(str(file.path), ("static",)))
        for file in experiment.file.static
    )
    combined = replace(
        _on_top(options, own),
        static=options.static or static,
        stream=_streams_kept(own, given_streams) | given_streams or None,
        unit=options.unit or experiment.file.unit,
        prefix=dict(own.prefixes) | dict(options.prefix or {}) or None,
        column=options.column or _nested(own.columns),
    )
    files = tuple(path for path in trace.paths if path not in own.streams)
    return SingleQuery(query, files, combined, _span(experiment))


def _nested(columns: tuple[tuple[str | None, tuple[tuple[str, str], ...]], ...]) -> dict[str, object] | None:
    tables: dict[str, object] = {}
    for stream, parts in columns:
        tables |= dict(parts) if stream is None else {stream: dict(parts)}
    return tables or None


def _span(experiment: Experiment) -> Span:
    """Return the timeline of the one comparison of an experiment, if it has one."""
    entry = _single(experiment, "comparisons")
    if entry is None:
        return None, None
    timeline = experiment.fill(ComparisonTable, entry, {}).timeline
    if isinstance(timeline, Interval):
        return timeline.first, timeline.last
    return timeline or (None, None)
