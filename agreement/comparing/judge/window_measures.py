"""What a judged window is measured by."""

from agreement.comparing.judge.verdict import JudgedWindow
from agreement.comparing.matching.likeness import RowMatch
from agreement.documents.outputs import Json, pick


def measures(window: JudgedWindow) -> Json:
    """Return numbers of rows, precision and recall, the delay in ms, what is wrong in words."""
    return {**counts(window.rows), **pick(window, "delay", "triples", "problem")}


def counts(rows: RowMatch) -> Json:
    """Return how many rows are expected and reported, precision and recall."""
    return pick(rows, "expected", "actual", "precision", "recall")
