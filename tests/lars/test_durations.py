"""Durations as time points: whole numbers of units, up to the largest."""

import pytest

from lars.durations import Duration
from lars.errors import LarsError
from lars.language.windows import LARGEST_TIME


@pytest.mark.parametrize("unit", [1, 7, 10**9])
def test_a_length_is_at_most_the_largest_number_of_time_points(unit):
    assert Duration(LARGEST_TIME * unit).points(Duration(unit)) == LARGEST_TIME
    with pytest.raises(LarsError, match=f"expected up to {LARGEST_TIME}, so choose a coarser unit"):
        Duration((LARGEST_TIME + 1) * unit).points(Duration(unit))


def test_a_length_that_is_no_whole_number_of_units_is_refused():
    with pytest.raises(LarsError, match="the duration 1s is not a multiple of the unit 3ns"):
        Duration(10**9).points(Duration(3))
