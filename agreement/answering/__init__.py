"""Answers of one query or program: solved, explained, exported to other reasoners."""
