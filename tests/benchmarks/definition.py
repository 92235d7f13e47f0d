"""The definition of LARS against the ASP encoding on many random cases, with what the cases hold.

`python -m tests.benchmarks.definition 50000 --seed 1` prints each difference, and then the share
of cases with 0, 1 and more answer streams and with each construct. Exit code 1: they differ.
"""

import argparse
import sys
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.lars.strategies import cases
from tests.solver.constructs import constructs
from tests.solver.pointwise.test_definition import by_clingo, by_definition
from tests.solver.strategies import covered_programs, is_encoded

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


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given_to = parser.parse_args()
    differing, found = compare(given_to.cases, given_to.seed)
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
