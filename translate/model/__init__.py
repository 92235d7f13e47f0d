"""Queries as values: windows, paths, patterns, and the query model that all dialects share."""
