"""Properties of queries on every stream: decisions, containment, smallest distinguishing streams."""
