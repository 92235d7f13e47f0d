"""An experiment's comparison as `lars agree` and `lars explain` ask for it: with their options on top."""

from dataclasses import replace
from pathlib import Path

from agreement.comparing.agree import AgreementTask, Overrides
from agreement.documents.requests import origin_text
from agreement.experiments.experiment import Experiment, read_experiment
from agreement.experiments.grid import comparison_of
from lars.durations import Duration
from lars.errors import LarsError
from solver.settings import TraceInput, Warn


def on_experiment(path: Path, given: TraceInput, asked: Overrides, warn: Warn) -> AgreementTask:
    """Return the one comparison of an experiment's file, with the options of the command line on top."""
    return on_read(read_experiment(path), given, asked, warn)


def on_read(found: Experiment, given: TraceInput, asked: Overrides, warn: Warn) -> AgreementTask:
    """Return the one comparison of an experiment, with the options of the command line on top."""
    if asked.unit is not None:
        found = _in_other_units(found, asked.unit, warn)
    usual, reading = comparison_of(found, asked.durations(given)), asked.reading
    trace = _trace_given(usual, given)
    setting = replace(
        usual.setting,
        profile=reading.profile or usual.setting.profile,
        bounds=reading.bounds or usual.setting.bounds,
        origin=origin_text(trace.options.origin),
    )
    return replace(
        usual,
        periods=asked.in_points(setting.unit) or usual.periods,
        trace=trace,
        setting=setting,
        trigger=reading.trigger or usual.trigger,
        assigned=asked.assigned or usual.assigned,
        on=usual.on if asked.on is None else asked.on,
        span=(
            usual.span[0] if asked.span[0] is None else asked.span[0],
            usual.span[1] if asked.span[1] is None else asked.span[1],
        ),
    )


def _in_other_units(found: Experiment, unit: Duration, warn: Warn) -> Experiment:
    if found.file.unit not in (None, unit):
        warn(
            f"--unit {unit} replaces the experiment's {found.file.unit}: the time points of its periods and "
            f"timeline, and integers in its traces, count {unit}"
        )
    return found.in_units(unit)


def _trace_given(usual: AgreementTask, given: TraceInput) -> TraceInput:
    """Return an experiment's trace with the options of the command line on top."""
    own, options = usual.trace.options, given.options
    replaced_here = (
        options.streams or options.trace_unit or options.origin or options.prefixes or options.columns
    )
    if usual.generated is not None and replaced_here:
        raise LarsError(
            "--stream, --trace-unit, --origin, --prefix, --column: accepted for traces in files; "
            "this one is made up"
        )
    # A stream that is given another trace is read from that one alone.
    replaced = {path for path, stream in own.streams.items() if stream in options.streams.values()}
    streams = {path: stream for path, stream in own.streams.items() if path not in replaced} | {
        **options.streams
    }
    combined = replace(
        options,
        unit=own.unit,
        trace_unit=options.trace_unit or own.trace_unit,
        origin=options.origin or own.origin,
        sort=options.sort or own.sort,
        streams=streams,
        columns=options.columns or own.columns,
        prefixes=tuple((dict(own.prefixes) | dict(options.prefixes)).items()),
    )
    kept = (path for path in usual.trace.paths if path not in replaced)
    paths = tuple(dict.fromkeys((*kept, *streams)))
    static = given.static or usual.trace.static
    return replace(usual.trace, paths=paths, options=combined, static=static, runner=given.runner)
