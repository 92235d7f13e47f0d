"""The drafted query: its window is a usual duration only if that is a whole number of time points."""

import pytest

from agreement.comparing.drafts import window_length
from lars.durations import SECOND, Duration


@pytest.mark.parametrize(
    ("age", "unit", "length"),
    [
        (1000.0, 1, 1),
        (1000.0, 60, 60),
        (59_000.0, 60, 60),
        (90_000.0, 60, 120),
        (31_000.0, 1, 30),
        (179_000.0, 1, 180),
        (37_000.0, 1, 38),
    ],
)
def test_the_window_is_a_whole_number_of_time_points(age, unit, length):
    found = window_length(age, Duration(unit * SECOND.nanoseconds))
    assert found == Duration(length * SECOND.nanoseconds)
