"""Rows that one side alone has, counted and some of them taken, against listing them all."""

from typing import get_args

from hypothesis import example, given, settings
from hypothesis import strategies as st

from agreement.comparing.agree.agreeing import RowFilter
from agreement.comparing.agree.narrowing import examples, row_groups, size, spread
from agreement.comparing.agree.sides import CAUSES
from agreement.documents.requests import Side
from tests.agreement.comparing.agree.test_causes import SPECS, variant_of
from tests.agreement.comparisons import Spec

SHOWN = st.builds(
    RowFilter,
    st.just(()),
    st.none() | st.sampled_from(CAUSES),
    st.none() | st.sampled_from(get_args(Side)),
)


def listed(shown, variant):
    """Return the groups of all rows, each with its rows' places, in the order of their first rows."""
    rows, groups = list(shown.rows(variant)), {}
    for place, row in enumerate(rows):
        groups.setdefault((row.period, row.side, row.cause), []).append(place)
    return rows, groups


# In each period the first row by text is not the first that was read, and has another cause.
TWO_CAUSES = Spec(
    "none",
    "r",
    False,
    (("ROWS 1", None, 1, 1), ("NOW", 0, 1, None)),
    "closed",
    frozenset({"a p a"}),
    ((0, ("b", "p", "a")),),
    1,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@example(TWO_CAUSES, RowFilter(), 1)
@given(SPECS, SHOWN, st.integers(1, 6))
def test_groups_and_examples_are_those_of_all_rows(spec, shown, most):
    variant = variant_of(spec)
    rows, groups = listed(shown, variant)
    found = row_groups(shown, variant)
    sizes = {key: size(parts) for key, parts in found.items()}
    assert list(sizes.items()) == [(key, len(places)) for key, places in groups.items()]
    every = list(groups.values())
    places = sorted(every[group][place] for group, place in spread(list(map(len, every)), most))
    assert examples(found, variant, most) == [rows[place] for place in places]
