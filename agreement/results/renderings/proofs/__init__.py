"""Decisions, witnesses and diagrams, as text, JSON, pictures."""
