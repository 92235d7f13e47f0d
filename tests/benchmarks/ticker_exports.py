"""Programs for Ticker, run by the tests' model of its two reasoners, against `lars solve` on random cases.

`python -m tests.benchmarks.ticker_exports 1000 --seed 1` prints each difference, and of each reasoner how
many programs are equal, or refused and why. Exit code 1: they differ.
"""

import argparse
import sys
from collections import Counter
from typing import get_args

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.ticker import Reasoner
from tests.lars import strategies
from tests.lars.ticker import ticker_cases
from tests.solver.pointwise.test_definition import by_clingo

# Three of four are of the words that Ticker has, the others of any.
CASES = st.integers(0, 3).flatmap(lambda kind: ticker_cases.cases() if kind else strategies.cases())
REASONS = (
    *("its own absence", "are not tuples", "a window inside a window", "facts hold", "without a window"),
    *("the least size of a tuple window", "is longer than 0", "is not limited", "end at the evaluation time"),
    *(
        "the same length at all times",
        "contain the evaluation time",
        "tuples of all streams",
        "last arrivals",
    ),
    *("in an empty window", "¬ between @", "the constant true", "◇ around", "□ around", "@ around"),
    *("without ◇ or @", "beyond the time", "new values without end", "no window of the body", "above 0"),
    *("is not a number", "numbers are from", "that are also facts"),
)


def compared(case, reasoner):
    """Return the kind of a case, and whether it differs."""
    case = ticker_cases.whole(case)
    try:
        answer = ticker_cases.found(case, reasoner)
    except LarsError as refused:
        said = str(refused).split("\n", 1)[0]
        return f"refused: {next((reason for reason in REASONS if reason in said), said)}", False
    equal = answer == by_clingo(case)
    return "equal" if equal else "DIFFERENT", not equal


def compare(count, number):
    """Return what became of the cases, by reasoner, and those that differ."""
    found, differing = Counter(), []

    @seed(number)
    @settings(
        max_examples=count, deadline=None, database=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(CASES)
    def run(case):
        for reasoner in get_args(Reasoner):
            kind, differs = compared(case, reasoner)
            found[reasoner, kind] += 1
            if differs:
                differing.append((reasoner, case))

    run()
    return found, differing


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given_to = parser.parse_args()
    found, differing = compare(given_to.cases, given_to.seed)
    for reasoner, case in differing:
        print(f"DIFFERENT in {reasoner}:\n{case}\n{ticker_cases.written(case, reasoner).text()}")
    for (reasoner, kind), times in sorted(found.items(), key=lambda one: (one[0][0], -one[1])):
        print(f"{times:8}  {reasoner:12} {kind}")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
