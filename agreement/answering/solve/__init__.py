"""What `lars translate` and `lars solve` print: programs, other texts, answers and reports."""
