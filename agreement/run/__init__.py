"""Running the cells of an experiment: a grid of queries, traces, engines and parameters, and its tables."""
