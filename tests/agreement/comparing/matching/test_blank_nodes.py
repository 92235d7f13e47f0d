"""Rows are compared up to the names of blank nodes."""

import pytest

from agreement.comparing.matching.blank_nodes import alike


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({("_:a", "<x:p>")}, {("_:b", "<x:p>")}, True),
        ({("_:a", "<x:p>"), ("_:b", "<x:p>")}, {("_:c", "<x:p>")}, False),
        ({("_:a", "_:a")}, {("_:a", "_:b")}, False),
        ({("_:a", None), ("<x:c>", "_:a")}, {("_:d", None), ("<x:c>", "_:d")}, True),
        ({("_:a", '"_:b"')}, {("_:c", '"_:d"')}, False),
    ],
)
def test_rows_are_compared_up_to_the_names_of_blank_nodes(one, other, same):
    assert alike(frozenset(one), frozenset(other)) is same
