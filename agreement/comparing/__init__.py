"""Compare two sequences of reports: push and pull, an engine and its specification, two engine versions."""
