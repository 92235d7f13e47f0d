"""Answers and their explanations, as text, JSON, tables."""
