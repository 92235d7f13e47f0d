"""Results about many streams or parameters: phase diagrams, verdicts for all streams, and witnesses."""
