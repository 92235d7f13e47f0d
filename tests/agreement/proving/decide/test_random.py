"""Verdicts on random small queries against a naive evaluation and a search through small streams."""

import pytest

from tests.agreement.proving.decide.checking import problem

SEEDS = range(7)


@pytest.mark.parametrize("exotic", [False, True])
@pytest.mark.parametrize("monotone", [True, False])
def test_verdicts_are_those_of_a_search_in_a_small_domain(monotone, exotic):
    found = {seed: problem(seed, monotone=monotone, exotic=exotic, count=20) for seed in SEEDS}
    assert {seed: wrong for seed, (_, wrong) in found.items() if wrong is not None} == {}
    assert len({verdict for verdict, _ in found.values()}) >= 2


def test_verdicts_are_right_where_sources_share_a_predicate():
    found = {seed: problem(seed, monotone=seed % 2 == 0, mixed=True, count=20) for seed in SEEDS}
    assert {seed: wrong for seed, (_, wrong) in found.items() if wrong is not None} == {}
