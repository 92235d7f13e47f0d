"""A place of a run, as the tests of what is said of runs write it."""

from collections import Counter

from agreement.comparing.matching.likeness import RowMatch
from agreement.comparing.matching.places import ReportMatch


def placed(t, right, came):
    """Return a close with the rows that are right, and those that came."""
    mine, theirs = Counter(right), Counter(came)
    parts = (mine & theirs, mine - theirs, theirs - mine)
    rows = RowMatch(*(tuple(part.elements()) for part in parts))
    return ReportMatch(t, (), (), rows, None if mine == theirs else "wrong")
