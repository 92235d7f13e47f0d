"""Experiments: one format with a place for each value, grids, cells, and running them."""

from agreement.experiments.cells import (
    AdaptedEngine,
    Cell,
    EngineVersion,
    JudgingWork,
    RecordedAnswers,
    Work,
)
