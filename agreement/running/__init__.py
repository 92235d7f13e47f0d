"""Experiments with many queries, traces, engines and values of parameters: a cell for each combination."""
