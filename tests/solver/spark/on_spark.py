"""What a job answers on Spark, answer by answer."""

from solver.columns import TermCodes
from solver.job import Answer
from solver.spark import answers_on_spark


def on_spark(job, frame):
    """Return the answers of the job; each comes once."""
    found = [one.by_time() for one in answers_on_spark(job, frame, TermCodes())]
    return [Answer(n, t, row) for n, rows in enumerate(found) for t in rows for row in rows[t]]
