"""An experiment's comparison as `lars agree` and `lars explain` ask for it: with their options on top."""

from dataclasses import replace
from pathlib import Path

from agreement.agree import AgreementTask, Overrides
from agreement.experiments.experiment import read_experiment
from agreement.experiments.grid import comparison_of
from agreement.inputs import origin_text, read_periods, unit_of
from lars.errors import LarsError
from solver.settings import TraceInput


def on_experiment(path: Path, given: TraceInput, asked: Overrides) -> AgreementTask:
    """Return the one comparison of an experiment, with the options of the command line on top."""
    found = read_experiment(path)
    if asked.unit is not None:
        found = found.in_units(unit_of(asked.unit))
    usual, reading = comparison_of(found), asked.reading
    trace = _trace_given(usual, given)
    setting = replace(
        usual.setting,
        profile=reading.profile or usual.setting.profile,
        bounds=reading.bounds or usual.setting.bounds,
        origin=origin_text(trace.options.origin),
    )
    return replace(
        usual,
        periods=usual.periods if asked.period is None else read_periods(asked.period),
        trace=trace,
        setting=setting,
        trigger=reading.trigger or usual.trigger,
        assigned=asked.assigned or usual.assigned,
        span=asked.span,
    )


def _trace_given(usual: AgreementTask, given: TraceInput) -> TraceInput:
    """Return an experiment's trace with the options of the command line on top."""
    own, options = usual.trace.options, given.options
    if usual.made is not None and (options.streams or options.trace_unit or options.origin):
        raise LarsError("--stream, --trace-unit, --origin: accepted for traces in files; this one is made up")
    streams = {**own.streams, **options.streams}
    combined = replace(
        options,
        unit=own.unit,
        trace_unit=options.trace_unit or own.trace_unit,
        origin=options.origin or own.origin,
        streams=streams,
    )
    paths = tuple(dict.fromkeys((*usual.trace.paths, *streams)))
    static = given.static or usual.trace.static
    return replace(usual.trace, paths=paths, options=combined, static=static, runner=given.runner)
