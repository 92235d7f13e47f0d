"""The start times that judging finds against all that there are, each judged in whole.

`python -m tests.benchmarks.start_times 3000 --seed 1` prints what the random cases held, the seeds of those
that differ and what judging says wrongly. Exit code 1: they differ.
"""

import argparse
import sys
import warnings
from collections import Counter
from multiprocessing import Pool

from tests.agreement.comparing.judge.every_start import compared_with_every_start


def main() -> None:
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    wanted = parser.parse_args()
    seeds = [f"{wanted.seed}.{n}" for n in range(wanted.cases)]
    with Pool(wanted.jobs) as pool:
        found = list(pool.imap(compared, seeds, chunksize=10))
    for count, name in sorted((count, name) for name, count in Counter(held for held, _ in found).items()):
        print(f"{count} with {name}")
    wrong = [(seed, said) for seed, (_, said) in zip(seeds, found, strict=True) if said]
    print(f"{len(wrong)} cases differ")
    for seed, said in wrong:
        print(f"{seed}: {said}")
    sys.exit(bool(wrong))


def compared(seed: str) -> tuple[str, str]:
    """Return what a case held, and what is wrong; an error is wrong too."""
    warnings.simplefilter("ignore")
    try:
        return compared_with_every_start(seed)
    except Exception as error:  # noqa: BLE001  (a run that ends in an error differs)
        return "an error", f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
