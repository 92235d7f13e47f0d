"""Recorded answers of engines, and what was recorded with them: one file per format."""
