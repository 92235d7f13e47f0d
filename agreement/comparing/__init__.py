"""Compare two sequences of reports: of push and pull, an engine and its specification, or two engines."""
