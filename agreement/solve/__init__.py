"""What `lars translate` and `lars solve` print: programs, other texts, answers and reports."""

from agreement.solve.solving import SolvingTask, given_to, moded, trace_of
