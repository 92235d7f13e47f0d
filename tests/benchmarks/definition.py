"""The definition of LARS against the ASP encoding on many random cases, with what the cases hold.

`python -m tests.benchmarks.definition 50000 --seed 1` prints each difference, and then the share
of cases with 0, 1 and more answer streams and with each construct. `--far`: times and windows around
2^30, 2^31, 2^32, 2^53 and 10^9, by columns too; every other case is stretched. Exit code 1: they differ.
"""

import argparse
import sys
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.lars.strategies import cases
from tests.solver.constructs import constructs
from tests.solver.far_cases import far_cases, problem, spread, spread_problem
from tests.solver.pointwise.test_definition import (
    backgrounds,
    by_clingo,
    by_definition,
    clingo_rows,
    inputs,
    some,
)
from tests.solver.strategies import covered_programs, interval_programs, is_encoded, situation

AT_A_TIME = 2000


def compare(count, number):
    """Return the cases that differ, and how often each construct occurred.

    Hypothesis remembers every case that it made, so they are made a few thousand at a time.
    """
    found, differing = Counter(), []
    for part, begun in enumerate(range(0, count, AT_A_TIME)):
        compare_some(min(AT_A_TIME, count - begun), 1000 * number + part, found, differing)
    return differing, found


def compare_some(count, number, found, differing):
    """Compare so many cases; add what they hold and those that differ."""
    quiet = settings(
        max_examples=count, deadline=None, database=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )  # fmt: skip

    @seed(number)
    @quiet
    @given(cases(covered_programs()))
    def run(case):
        found["cases"] += 1
        if not is_encoded(case.program):
            found["refused by name"] += 1
            return
        expected = by_definition(case)
        found.update({*constructs(case), f"{('0', '1', 'more')[min(len(expected), 2)]} answer streams"})
        if by_clingo(case) != expected:
            differing.append(case)

    run()


def compare_far(count, number):
    """Compare cases far from 0, in long windows, and far apart; return as `compare` does."""
    found, differing = Counter(), []
    quiet = settings(
        max_examples=count // 2, deadline=None, database=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )  # fmt: skip

    @seed(number)
    @quiet
    @given(far_cases(cases(covered_programs().filter(is_encoded))))
    def moved(case):
        last = case.stream.timeline.last
        found.update(("cases", f"last time from 2^{max(b for b in (0, 29, 31, 32, 53) if last >> b)}"))
        if (said := problem(case)) is not None:
            differing.append(f"{case}\n{said}")

    @seed(number)
    @quiet
    @given(interval_programs(), inputs, backgrounds, st.data())
    def apart(program, stream, known, data):
        found["cases"] += 1
        times, output = some(list(stream.timeline), data), ("ans", 2)
        near = clingo_rows(program, situation(stream, known), times, output)
        stretched = data.draw(spread(program, stream))
        found["far apart, with rows"] += any(near.values())
        if (said := spread_problem(stretched, near, times, known, output)) is not None:
            differing.append(f"{stretched[:2]}\n{said}")

    moved()
    apart()
    return differing, found


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--far", action="store_true")
    given_to = parser.parse_args()
    differing, found = (compare_far if given_to.far else compare)(given_to.cases, given_to.seed)
    for case in differing:
        print(f"DIFFERENT:\n{case}\n")
    compared = found["cases"] - found["refused by name"]
    print(f"{found['cases']} cases, {compared} compared, {len(differing)} differ; share of those compared:")
    for name, times in sorted(found.items(), key=lambda item: -item[1]):
        if name != "cases":
            print(f"{times:8} {100 * times / compared:5.1f} %  {name}")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
