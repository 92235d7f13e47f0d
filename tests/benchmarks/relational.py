"""The relational evaluation against runs, and against the plain encoding where runs do not cover a program.

`python -m tests.benchmarks.relational 2000 --seed 1` draws so many programs of each kind, prints each
difference, and what was compared. Exit code 1: they differ.
"""

import argparse
import sys
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from lars.errors import LarsError
from solver.pointwise import models
from solver.relational import obstacle
from tests.lars.strategies import cases, streams
from tests.solver.pointwise.test_definition import backgrounds, fast_rows, inputs, programs_of, some
from tests.solver.pointwise.test_gathering import TOP
from tests.solver.relational.relational_cases import OUTPUTS, relational_rows, timed_programs
from tests.solver.relational.test_relational import by_points
from tests.solver.strategies import (
    covered_programs,
    gathering_programs,
    interval_programs,
    is_encoded,
    situation,
    situation_of,
    valued_atoms,
)
from tests.translate.strategies import drawn


class Comparison:
    """What was compared, by kind, and how much of it differs."""

    def __init__(self):
        self.found = Counter()

    def compare(self, kind, program, given_to_it, asked, reference=fast_rows):
        """Compare the rows at times of each of some outputs, or that there is no answer."""
        times, outputs = asked
        if obstacle(program, given_to_it.background) is not None:
            self.found[f"{kind}: not covered"] += 1
            return
        for output in outputs:
            try:
                rows = relational_rows(program, given_to_it, times, output)
            except LarsError as error:
                rows = str(error).split(" at ")[0]
            if reference is by_points and any(len(list(models(program, given_to_it, t))) != 1 for t in times):
                expected = "the program has 0 answer streams"
            else:
                expected = reference(program, given_to_it, times, output)
            self.found[f"{kind}: compared"] += 1
            self.found[f"{kind}: with rows"] += isinstance(rows, dict) and any(rows.values())
            if rows != expected:
                self.found["DIFFERENT"] += 1
                print(f"DIFFERENT {output}:\n{program}\n{given_to_it} at {times}\n{rows}\n{expected}\n")


def kinds(comparison):
    """Return for each kind what draws and compares a case."""

    @given(interval_programs(), inputs, backgrounds, st.data())
    def joins(program, stream, known, data):
        times = some(list(stream.timeline), data)
        comparison.compare("joins", program, situation(stream, known), (times, OUTPUTS))

    @given(gathering_programs(), streams(valued_atoms, fewest=1, most=12), backgrounds, st.data())
    def gathering(program, stream, known, data):
        times = some(list(stream.timeline), data)
        comparison.compare("gathering", program, situation(stream, known), (times, TOP))

    @given(drawn(exclusive=False), st.data())
    def queries(case, data):
        output = ("ans1", len(case.query.result))
        times = some(list(case.timeline), data)
        comparison.compare("queries", programs_of(case, data), case.situation, (times, [output]))

    @given(timed_programs(), inputs, backgrounds, st.data())
    def timed(program, stream, known, data):
        times, outputs = [data.draw(st.sampled_from(list(stream.timeline)))], [("ans", 2), ("top", 1)]
        comparison.compare("timed", program, situation(stream, known), (times, outputs), by_points)

    @given(cases(covered_programs().filter(is_encoded)))
    def every(case):
        outputs = [("p", 0), ("q", 0), ("r", 1)]
        comparison.compare("every", case.program, situation_of(case), ([case.t], outputs), by_points)

    return joins, gathering, queries, timed, every


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given_to = parser.parse_args()
    comparison = Comparison()
    quiet = settings(
        max_examples=given_to.cases, deadline=None, database=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    for kind in kinds(comparison):
        seed(given_to.seed)(quiet(kind))()
    for name, times in sorted(comparison.found.items()):
        print(f"{times:8} {name}")
    sys.exit(bool(comparison.found["DIFFERENT"]))


if __name__ == "__main__":
    main()
