"""Read an experiment as the input of a command: the query, the traces and the settings of its entries.

`lars agree` and `lars explain` require exactly one comparison; other commands require exactly one query with
a trace. Options of the command line override the keys of the experiment.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from agreement.comparing.agree import AgreementTask, are_pulled
from agreement.documents import requests
from agreement.documents.generate import Plan
from agreement.documents.options import options_of, over
from agreement.documents.requests import Side
from agreement.documents.requests.query_files import query_text
from agreement.documents.traces import span_within
from agreement.documents.values import Period
from agreement.experiments.experiment import (
    Experiment,
    ExperimentEntry,
    in_fitting_units,
    read_experiment,
    trace_of,
)
from agreement.experiments.grid import comparison_of
from agreement.experiments.schema import ComparisonTable, TraceTable
from lars.dataclass import dataclass
from lars.durations import SECOND, Duration
from lars.errors import LarsError
from lars.language.windows import Interval
from solver import settings
from translate.analysis import default_period
from translate.model.query import Language


def on_read(
    experiment: Experiment, options: requests.ComparisonOptions, warn: settings.Warn, *, any_two: bool = False
) -> AgreementTask:
    """Return the only comparison of an experiment; options of the command line override its keys.

    If `any_two` is true, the experiment may have two queries of one side.
    """
    if (unit := options.input_options.trace.unit) is not None:
        experiment = _in_other_units(experiment, unit, warn)
    usual = comparison_of(experiment, options, any_two=any_two)
    trace = _trace_given(usual, options.input_options.trace_input())
    setting = replace(usual.setting, origin=requests.origin_text(trace.options.origin))
    return replace(usual, trace=trace, setting=setting)


def _in_other_units(experiment: Experiment, unit: Duration, warn: settings.Warn) -> Experiment:
    own = experiment.file.input_options.trace.unit
    if own not in (None, unit):
        warn(
            f"--unit {unit} replaces the unit {own} of the experiment. Periods, the timeline, and "
            f"integers in the traces now have the unit {unit}"
        )
    return experiment.in_units(unit)


def _trace_given(usual: AgreementTask, trace_input: settings.TraceInput) -> settings.TraceInput:
    """Return the trace of an experiment; options of the command line override keys of the experiment."""
    own, options = usual.trace.options, trace_input.options
    if usual.generated is not None and (name := next(_reading_options(options), None)) is not None:
        raise LarsError(f"cannot combine {name} with a generated trace; use a trace in files")
    combined = _on_top(options, own)
    streams = combined.streams
    replaced = {path for path, stream in own.streams.items() if stream in options.streams.values()}
    prefixes = tuple((dict(own.prefixes) | dict(options.prefixes)).items())
    combined = replace(combined, unit=own.unit, prefixes=prefixes)
    # One that is named twice stays so, for the reader to refuse.
    kept_paths = [path for path in usual.trace.paths if path not in replaced]
    paths = [*kept_paths, *(path for path in streams if path not in kept_paths)]
    static = trace_input.static or usual.trace.static
    return replace(
        usual.trace, paths=tuple(paths), options=combined, static=static, runner=trace_input.runner
    )


def _reading_options(options: settings.TraceOptions) -> Iterator[str]:
    """Yield the names of the given options that define how files of traces are read."""
    each = options_of(replace(options, unit=None))
    yield from (option.flag for option, value in each if value and value != option.default)
    if options.prefixes:
        yield "--prefix"


def _on_top(options: settings.TraceOptions, own: settings.TraceOptions) -> settings.TraceOptions:
    """Return the options of the command line, completed from the trace of an experiment.

    The command line replaces the traces of the streams that it names.
    """
    kept = {path: stream for path, stream in own.streams.items() if stream not in options.streams.values()}
    return replace(over(options, own), stream=kept | dict(options.streams) or None)


@dataclass(frozen=True, slots=True)
class SingleQuery:
    """The file of a query, the traces, the input options, the first and last time, and the pull period.

    The field `period` is None if the experiment has no pull period or several pull periods.
    """

    query: Path
    traces: tuple[Path, ...]
    input_options: requests.InputOptions
    span: settings.Span = (None, None)
    period: Period | None = None

    def within(self, first: settings.Time | None, last: settings.Time | None) -> settings.Span:
        """Return the first and last time: the times of the command line, or else the usual times."""
        return span_within(self.span, (first, last))


def experiment_query(  # noqa: PLR0913
    inputs: Sequence[Path],
    options: requests.InputOptions,
    languages: Sequence[Language | str | None],
    note: settings.Warn,
    period: Period | None = None,
    *,
    mode: Side | None = None,
) -> SingleQuery | None:
    """Return the query and input of an experiment that is the only input; `languages` selects the query.

    Without `languages`, the first query is used, if possible the first query that is evaluated by `mode`.
    Options of the command line override keys of the experiment. The default unit is the default unit of
    `lars run`, shortened if necessary to divide the `period` of the command line.
    """
    if len(inputs) != 1 or not requests.is_experiment(inputs[0]):
        return None
    experiment = read_experiment(inputs[0])
    names = [language for language in languages if language is not None]
    files = query_files(experiment, names)
    if not names and mode is not None:
        files = _of_side(files, mode) or files
    if len(files) > 1 and not names:
        others = " or ".join(f"--engine {language.value}" for language in list(files)[1:])
        note(
            f"{inputs[0]}: the command uses the query {next(iter(files.values()))}; to use another query "
            f"of the experiment, add {others}"
        )
    read = _with_trace(experiment, next(iter(files.values())), options)
    if read.input_options.trace.unit is not None or requests.as_engines_read(read.query) is not None:
        # Whoever asks knows whether such a query counts as an engine does.
        return read
    lengths = requests.durations_among(() if period is None else (period,))
    counted = () if options.trace.trace_unit is None else (options.trace.trace_unit,)
    unit = in_fitting_units(experiment, (*lengths, *counted)).unit
    if unit != SECOND:
        note(f"one time point is {unit}, so that every duration is a multiple of it (--unit)")
    return replace(read, input_options=read.input_options.with_trace(unit=unit))


def unfold(
    path: Path,
    traces: tuple[Path, ...],
    how: requests.ProgramOptions,
    span: settings.Span,
    note: settings.Warn,
) -> tuple[Path, tuple[Path, ...], requests.ProgramOptions, settings.Span]:
    """Return query, traces, options and interval of a command.

    If the input of the command is an experiment, these values come from the experiment.
    """
    single, how, span = selected(path, traces, how, span, note)
    evaluation = how.evaluation
    if evaluation.period is None and single.period is not None and _lacks_period(single, how):
        note(f"pull evaluates at each multiple of {single.period}, the period of the experiment (--period)")
        how = replace(how, evaluation=replace(evaluation, period=single.period))
    return single.query, single.traces, how, span


def selected(
    path: Path,
    traces: tuple[Path, ...],
    how: requests.ProgramOptions,
    span: settings.Span,
    note: settings.Warn,
) -> tuple[SingleQuery, requests.ProgramOptions, settings.Span]:
    """Return the query, options and interval of a command, and the pull period of its experiment, if any."""
    asked = how.evaluation
    single = experiment_query(
        (path, *traces), how.input_options, [asked.engine], note, asked.period, mode=asked.mode
    )
    if single is None:
        return SingleQuery(path, traces, how.input_options), how, span
    return single, replace(how, input_options=single.input_options), single.within(*span)


def _lacks_period(single: SingleQuery, how: requests.ProgramOptions) -> bool:
    """Return whether the query is evaluated by pull, and defines no pull period itself."""
    unit = how.input_options.trace.time_point
    with suppress(LarsError):
        query = requests.load_query(single.query, unit, how.evaluation.engine, opaque=True, graphs=True)
        return not requests.is_pushed(query, how.evaluation) and default_period(query, unit) is None
    # The command itself reports the error.
    return False


def _of_side(files: Mapping[Language, Path], mode: Side) -> dict[Language, Path]:
    """Return the files of the queries that a comparison of all queries evaluates by pull, or by push."""
    read = [
        requests.read_once(query_text(path), str(path), language, opaque=True)
        for language, path in files.items()
    ]
    sides = zip(files.items(), are_pulled(read), strict=True)
    return dict(file for file, is_pulled in sides if is_pulled == (mode == "pull"))


def query_files(experiment: Experiment, languages: Sequence[Language | str] = ()) -> dict[Language, Path]:
    """Return the query files of an experiment by language; if possible, only for `languages`."""
    entry = _only(experiment, "queries")
    texts = [(one, entry.content[one.value]) for one in Language if one.value in entry.content]
    for language, text in texts:
        if not isinstance(text, str):
            problem = "found the text of a query; this command requires the path of a file"
            raise experiment.error((*entry.path, language.value), problem)
    files = {one: experiment.file_path(text, (*entry.path, one.value)) for one, text in texts}
    names = [str(item.value if isinstance(item, Language) else item) for item in languages]
    chosen = {one: file for one, file in files.items() if any(_speaks(name, one) for name in names)}
    return chosen or files


def by_profile(files: Mapping[Language, Path], name: str) -> Path:
    """Return the query file for `name`, an engine version or query language; the first file if none fits."""
    return next(
        (file for language, file in files.items() if _speaks(name, language)), next(iter(files.values()))
    )


def _speaks(name: str, language: Language) -> bool:
    """Return whether the language or engine version `name` reads a query language."""
    return name.partition("-")[0] == language.value


def _single(experiment: Experiment, kind: str) -> ExperimentEntry | None:
    """Return the only entry of a kind in an experiment, if each of its parameters has one value."""
    entries = experiment.entries[kind]
    if len(entries) != 1:
        return None
    (entry,) = entries
    values = list(islice(experiment.combinations(experiment.named(entry.content, entry.path)), 2))
    return None if len(values) > 1 else replace(entry, content=experiment.filled_content(entry, values[0]))


def _only(experiment: Experiment, kind: str) -> ExperimentEntry:
    entry = _single(experiment, kind)
    if entry is None:
        problem = (
            f"the experiment has several {kind}; this command requires exactly one. `lars run` runs "
            "all of them"
        )
        raise experiment.error((), problem)
    return entry


def _with_trace(experiment: Experiment, query: Path, options: requests.InputOptions) -> SingleQuery:
    entry = _only(experiment, "traces")
    table = experiment.fill(TraceTable, entry, {})
    trace = trace_of(experiment, entry, table)
    if isinstance(trace, Plan):
        raise experiment.error(
            (*entry.path, "generate"), "found a synthetic trace; this command requires traces in files"
        )
    own = trace.options
    unit = options.trace.unit or experiment.file.input_options.trace.unit
    combined = replace(
        options,
        static=options.static or experiment.static(),
        trace=replace(_on_top(options.trace, own), unit=unit),
        around=replace(options.around, prefix=dict((*own.prefixes, *options.around.prefixes)) or None),
    )
    files = tuple(path for path in trace.paths if path not in own.streams)
    return SingleQuery(query, files, combined, _asked(experiment), _pulled(experiment))


def _pulled(experiment: Experiment) -> Period | None:
    """Return the only pull period of the only comparison of an experiment, or None."""
    table = _compared(experiment)
    return table.options.period[0] if table is not None and len(table.options.period) == 1 else None


def _compared(experiment: Experiment) -> ComparisonTable | None:
    entry = _single(experiment, "comparisons")
    return None if entry is None else experiment.fill(ComparisonTable, entry, {})


def _asked(experiment: Experiment) -> settings.Span:
    """Return the timeline of the only comparison of an experiment, or None."""
    table = _compared(experiment)
    if table is None:
        return None, None
    if isinstance(table.timeline, Interval):
        return table.timeline.first, table.timeline.last
    return table.timeline or (None, None)
