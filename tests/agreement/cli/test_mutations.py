"""Damaged inputs of every kind: `tests.benchmarks.mutated_inputs` runs many more."""

import pytest

from tests.benchmarks.mutated_inputs import case, ending_of
from tests.benchmarks.mutations import commands

SEEDS = range(1, 26)
QUICK = ("answers", "options", "program", "static", "trace")


def test_each_command_runs_before_it_is_damaged():
    ends = {
        name: ending_of("sound", name, one).code for name, one in commands().items() if name.startswith(QUICK)
    }
    assert {name: code for name, code in ends.items() if code not in (0, 1)} == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_input_is_refused_or_understood(seed):
    assert ending_of(str(seed), *case(f"suite.{seed}")).wrong == ""
