"""Compute how often push and pull agree on a trace, by pull period, window length and stream rate."""

from agreement.proving.phase.diagram import PhaseDiagram, PhaseRow
from agreement.proving.phase.phasing import PhaseTask, diagrams, phase_task
