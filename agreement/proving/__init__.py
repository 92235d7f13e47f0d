"""Properties of queries on every stream: decisions, containment, and smallest streams with a difference."""
