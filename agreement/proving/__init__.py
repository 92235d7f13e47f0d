"""What holds of queries on every stream: decisions, containment, smallest streams that tell two apart."""
