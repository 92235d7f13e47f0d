"""Experiments: the format experiment.toml, grids, cells, and runs of cells."""

from agreement.experiments.cells import Cell, JudgingWork, Work
