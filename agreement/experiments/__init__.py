"""Experiment files: one format, its values, placeholders and cells, each with its place in the file."""

from agreement.experiments.cells import (
    Cell,
    CellInput,
    EngineVersion,
    JudgingWork,
    RecordedAnswers,
    TraceFiles,
    Work,
)
from agreement.experiments.tables import Results
