"""Bags of rows for comparing with what was recorded, numbers by value."""

from collections import Counter, defaultdict
from decimal import Decimal

from lars.language.terms import Literal
from solver.facts import constant_of
from solver.rdf import value


def comparable(text):
    """Return a term for comparing: numbers by value."""
    # An IRI without a scheme is no term, and is what YASPER counts with.
    term = None if text is None or text[1:-1].isdigit() else constant_of(text)
    known = value(term) if isinstance(term, Literal) else None
    number = isinstance(known, int | float | Decimal) and not isinstance(known, bool)
    return round(float(known), 9) if number else text


def bags(recording, key):
    """Return the rows that were reported, as a multiset for each key."""
    found = defaultdict(Counter)
    for report in recording.reports:
        found[key(report)].update(tuple(map(comparable, row)) for row in report.rows)
    return dict(found)
