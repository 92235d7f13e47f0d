"""`lars run`: the cells of an experiment, a grid of queries, traces and engines, and their tables."""
