"""Experiments: the format experiment.toml, grids, cells, and runs of cells."""

from agreement.experiments.cells import AdaptedEngine, Cell, EngineVersion, JudgingWork, RecordedAnswers, Work
