"""The recorded cases of CQELS, where they are at hand, and bags of rows for comparing."""

import re
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path

import pytest

from lars.terms import Literal
from solver.facts import constant_of
from solver.values import value

SHARED = Path(__file__).parents[3] / "../shared"
FOLDER = SHARED / "recordings/cqels-1.x"


def paths():
    """Return the files of the cases; one placeholder where there are none, for which tests skip."""
    return sorted(FOLDER.glob("*.json")) or [FOLDER / "none.json"]


def family(path):
    """Return the family in a file's name, as 5-static in 067-5-static.json."""
    return re.sub(r"^\d+-", "", path.stem)


def needed(path):
    """Skip where the file is not there."""
    if not path.exists():
        pytest.skip(f"no recordings at {path}")
    return path


def comparable(text):
    """Return a term for comparing: numbers by value."""
    term = None if text is None else constant_of(text)
    known = value(term) if isinstance(term, Literal) else None
    number = isinstance(known, int | float | Decimal) and not isinstance(known, bool)
    return round(float(known), 9) if number else text


def bags(recording, key=lambda report: report.trigger):
    """Return the rows that were reported, as a multiset for each push."""
    found = defaultdict(Counter)
    for report in recording.reports:
        found[key(report)].update(tuple(map(comparable, row)) for row in report.rows)
    return dict(found)
