"""Agreements, verdicts of judges and what parts two sides, as text, JSON, tables."""
