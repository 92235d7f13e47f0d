"""Is a recorded answer correct: which rows fit, for which start times, and what explains the rest."""
