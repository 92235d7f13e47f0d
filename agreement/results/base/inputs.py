"""The inputs of a command: an experiment, or queries and traces.

The schema of experiments takes as long to load as a short command. Only an experiment loads it.
"""

from collections.abc import Sequence
from pathlib import Path

from agreement.comparing.agree import AgreementTask, tasks
from agreement.documents import requests
from agreement.documents.values import Period
from solver.settings import Warn


def comparison_on(
    inputs: tuple[Path, ...], options: requests.ComparisonOptions, periods: Sequence[Period], warn: Warn
) -> AgreementTask:
    """Return the comparison of an experiment, or of queries on traces, by pull period."""
    if (path := requests.experiment_in(inputs)) is None:
        return tasks.on_files(inputs, options, periods)
    from agreement.experiments.as_input import on_read
    from agreement.experiments.experiment import read_experiment

    return on_read(read_experiment(path), options.input_options.trace(), options, periods, warn)


def title_of(inputs: Sequence[Path]) -> str:
    """Return the title of the inputs: the title of the experiment, or the names of the files."""
    if (path := requests.experiment_in(inputs)) is None:
        return ", ".join(path.name for path in inputs)
    from agreement.experiments.experiment import read_experiment

    return read_experiment(path).file.title or path.resolve().name
