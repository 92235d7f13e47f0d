"""Create the output of `lars translate` and `lars solve`: programs, other texts, answers and reports."""
