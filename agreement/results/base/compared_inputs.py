"""What pull and push of queries are compared on: an experiment, or queries and traces."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from agreement.comparing.agree import AgreementTask, Overrides, agreeing
from agreement.documents.options import argument
from agreement.documents.requests import (
    is_experiment,
)
from agreement.experiments.experiment import read_experiment
from agreement.experiments.grid import on_experiment
from agreement.results.base.boundary import Listeners
from solver.settings import TraceInput


def experiment_in(inputs: Sequence[Path]) -> Path | None:
    """Return the experiment that is asked about, None where queries and traces are named."""
    return inputs[0] if len(inputs) == 1 and is_experiment(inputs[0]) else None


def comparison_of(
    inputs: tuple[Path, ...], trace: TraceInput, overrides: Overrides, listeners: Listeners
) -> AgreementTask:
    """Return the comparison of an experiment, or of queries on traces."""
    experiment = experiment_in(inputs)
    if experiment is not None:
        return on_experiment(experiment, trace, overrides, listeners.warn)
    return agreeing.on_files(inputs, trace, overrides)


def title_of(inputs: Sequence[Path]) -> str:
    """Return what readers call the inputs: an experiment's own title, else the names of files."""
    experiment = experiment_in(inputs)
    if experiment is None:
        return ", ".join(path.name for path in inputs)
    return read_experiment(experiment).file.title or experiment.resolve().name


COMPARED: Final = "EXPERIMENT_DIR | QUERY [QUERY] TRACE.."


def compared_inputs() -> Any:
    """Return the field of what pull and push of queries are compared on."""
    return argument(
        COMPARED,
        "A folder with experiment.toml; or queries in C-SPARQL and CQELS, one or both, and traces.",
        default=(),
        source="trace",
    )
