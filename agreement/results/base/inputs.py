"""The inputs of commands: queries and traces, or an experiment that contains queries and traces."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agreement.comparing.agree import AgreementTask, Overrides, agreeing
from agreement.documents.requests import ComparisonOptions, ProgramOptions, experiment_in
from agreement.documents.values import Period
from agreement.experiments.experiment import read_experiment
from agreement.experiments.grid import experiment_query, on_experiment, wanted_of
from solver.settings import Span, Warn


def comparison_on(
    inputs: tuple[Path, ...], options: ComparisonOptions, period: tuple[Period, ...], warn: Warn
) -> AgreementTask:
    """Return the comparison of an experiment, or of queries on traces."""
    own_unit, assigned = options.input_options.unit, options.assign or {}
    overrides = Overrides(period, own_unit, options.reading, assigned)
    trace = options.input_options.trace(bad_lines=options.bad_lines)
    experiment = experiment_in(inputs)
    if experiment is not None:
        return on_experiment(experiment, trace, overrides, warn)
    return agreeing.on_files(inputs, trace, overrides)


def title_of(inputs: Sequence[Path]) -> str:
    """Return the title of the inputs: the title of the experiment, or the names of the files."""
    experiment = experiment_in(inputs)
    if experiment is None:
        return ", ".join(path.name for path in inputs)
    return read_experiment(experiment).file.title or experiment.resolve().name


def unfold(
    path: Path, traces: tuple[Path, ...], how: ProgramOptions, span: Span, note: Warn
) -> tuple[Path, tuple[Path, ...], ProgramOptions, Span]:
    """Return query, traces, options and interval; if the path is an experiment, from the experiment."""
    evaluation = how.evaluation
    single = experiment_query(
        (path, *traces), how.input_options, wanted_of(evaluation), note, evaluation.period
    )
    if single is None:
        return path, traces, how, span
    how = replace(how, input_options=single.input_options)
    return single.query, single.traces, how, single.within(*span)
