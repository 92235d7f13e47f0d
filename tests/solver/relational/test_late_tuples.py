"""Tuple-based windows if atoms came late: against the newest N of the atoms that each time sees."""

from random import Random

import numpy as np
import pytest

from lars.language.windows import TupleWindow
from solver.columns import InputAtoms, TermCodes
from solver.relational import kept_runs
from tests.sizes import few


def newest(seen, size, ties):
    """Return the newest atoms (t, number), in order of time and then of number."""
    if ties == "elements":
        return [each for each in seen if each[0] in sorted({t for t, _ in seen})[::-1][:size]]
    last = seen[-size:] if size else []
    return [each for each in seen if last and each[0] >= last[0][0]] if ties == "all" else last


@pytest.mark.parametrize("seed", few(range(60), 20))
def test_a_window_has_the_newest_atoms_that_have_come(seed):
    random = Random(seed)
    count, size, ties = (
        random.randint(1, 9),
        random.randint(0, 4),
        random.choice(("arrival", "all", "elements")),
    )
    t = sorted(random.randint(0, 6) for _ in range(count))
    since = [time + random.choice((-2, 0, 0, random.randint(0, 5))) for time in t]
    times = sorted(random.sample(range(14), random.randint(1, 14)))
    codes = np.arange(count)
    atoms = InputAtoms(np.array(t), np.arange(count), (codes,), np.array(since))
    runs = kept_runs({("p", 1): atoms}, TupleWindow(size, ties=ties), np.array(times), TermCodes())
    first, last = (ends.tolist() for ends in runs["p", 1])
    for index, at in enumerate(times):
        seen = [(t[n], n) for n in range(count) if max(t[n], since[n]) <= at]
        kept = [(t[n], n) for n in range(count) if first[n] <= index <= last[n]]
        assert kept == newest(seen, size, ties)
