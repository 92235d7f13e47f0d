"""The causes of random comparisons against their definitions; many more: tests/benchmarks/causes.py."""

import pytest

from tests.agreement.cause_check import checked


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_each_cause_is_what_its_words_say(first):
    assert [(seed, wrong) for seed in range(first, first + 25) if (wrong := checked(seed)[1])] == []


def test_what_pull_hides_from_itself_when_push_evaluates_counts_as_hidden():
    assert checked(132_001_654)[1] == []
