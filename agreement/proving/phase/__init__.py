"""`lars phase`: on a trace, the share of periods that agree, by pulling period, window length and rate."""

from agreement.proving.phase.diagram import PhaseDiagram, PhaseRow
from agreement.proving.phase.phasing import PhaseTask, diagrams, own_length, phase_task
