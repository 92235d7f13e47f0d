"""Columns of a data frame from RDF terms: a column has a common type if all its terms have this type."""

import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from lars.language.terms import Constant, Iri, Literal
from solver.facts import constant_of
from solver.rdf import BOOLEAN_VALUES, CalendarTime, Single, Value, value

_INT64: Final = 2**63
_NANOSECONDS: Final = 10**9
"""The number of nanoseconds in a second; dateTimes of data frames have no finer unit."""


def term_values(texts: Sequence[str | None]) -> Any:
    """Return the values of RDF terms if one data frame type fits all, otherwise the terms as texts."""
    import pandas as pd  # type: ignore[import-untyped]

    terms = [None if text is None else constant_of(text) for text in texts]
    plain = [None if term is None else _plain(term) for term in terms]
    bound = [term for term in terms if term is not None]
    try:
        typed = _typed(plain, [value(term) for term in bound])
    except (ValueError, OverflowError):  # beyond what data frames hold
        typed = None
    return pd.array(plain, dtype="string") if typed is None else typed


def _typed(plain: Sequence[str | None], values: Sequence[Value | None]) -> Any:
    """Return a column of the values of the bound terms; None if the values have no common type."""
    import numpy as np
    import pandas as pd

    if not values or None in values:
        return None
    kinds = {denoted.kind if isinstance(denoted, CalendarTime) else type(denoted) for denoted in values}
    if kinds == {int}:
        if not all(-_INT64 <= number < _INT64 for number in values if isinstance(number, int)):
            return None
        return pd.array([None if text is None else int(text) for text in plain], dtype="Int64")
    if kinds <= {int, Decimal, float, Single}:
        whole = (number for number in values if isinstance(number, int | Decimal))
        if not all(Decimal(repr(float(number))) == number for number in whole):
            return None  # a column of doubles would round them
        # An array of pandas would treat NaN as missing.
        numbers = np.array([math.nan if text is None else float(text) for text in plain])
        return pd.arrays.FloatingArray(numbers, np.array([text is None for text in plain]))
    if kinds == {bool}:
        return pd.array([None if text is None else BOOLEAN_VALUES[text] for text in plain], dtype="boolean")
    if kinds == {"date"}:
        return pd.array(
            [None if text is None else date.fromisoformat(text) for text in plain], dtype="object"
        )
    times = [moment for moment in values if isinstance(moment, CalendarTime)]
    zones = {moment.zoned for moment in times}
    exact = all(_NANOSECONDS % moment.seconds.denominator == 0 for moment in times)
    if kinds == {"dateTime"} and len(zones) == 1 and exact:
        return pd.to_datetime(pd.Series(plain, dtype="string"), format="ISO8601", utc=True in zones)
    return None


def _plain(term: Constant) -> str:
    match term:
        case Literal(lexical):
            return lexical
        case Iri(value):
            return value
        case other:
            return str(other)
