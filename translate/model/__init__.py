"""Queries as values: their windows, paths and patterns, and the model that all dialects share."""
