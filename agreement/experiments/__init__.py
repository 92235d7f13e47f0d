"""Experiment files: one format, its values, placeholders and cells, each with its place in the file."""

from agreement.experiments.cells import (
    Cell,
    CellInput,
    EngineVersion,
    JudgingWork,
    QueryText,
    RecordedAnswers,
    TraceFiles,
    Work,
)
from agreement.experiments.experiment import read_experiment
from agreement.experiments.grid import comparison_of
from agreement.experiments.overridden import on_experiment
from agreement.experiments.tables import Results
