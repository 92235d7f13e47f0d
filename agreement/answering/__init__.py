"""Solve a query or program, explain its answers, and export it to other reasoners."""
