"""Verdicts about queries on all streams: agreement, containment, and smallest streams with a difference."""
