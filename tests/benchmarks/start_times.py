"""The start times that judging finds, reports ruling out the others, against judging each in whole.

`python -m tests.benchmarks.start_times 1000 --seed 1` prints what the random cases held and the seeds of
those that differ. Exit code 1: they differ.
"""

import argparse
import sys
from collections import Counter
from multiprocessing import Pool

from tests.agreement.comparing.judge.test_search import compared_with_all


def main() -> None:
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    wanted = parser.parse_args()
    seeds = [f"{wanted.seed}.{n}" for n in range(wanted.cases)]
    with Pool(wanted.jobs) as pool:
        found = list(pool.imap(compared_with_all, seeds, chunksize=10))
    held = Counter("correct" if expected else "incorrect" for _, expected in found)
    print(", ".join(f"{count} {name}" for name, count in held.items()))
    wrong = [seed for seed, (ours, expected) in zip(seeds, found, strict=True) if ours != expected]
    print(f"{len(wrong)} cases differ: {' '.join(wrong) or '-'}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
