"""`lars suite`: tests, runs and published claims; `lars cite`: the papers."""
