"""What `lars decide` says of many random queries, against a naive evaluation and a search.

`python -m tests.benchmarks.decide 20000 --seed 1` prints how often each verdict was found, the share
that is open, and each query of which the verdict is wrong. `--other` takes queries with OPTIONAL and
MINUS, `--exotic` windows of all kinds and any trigger, `--mixed` sources that share a predicate. Exit code
1: a verdict is wrong.
"""

import argparse
import sys
from collections import Counter
from functools import partial
from multiprocessing import Pool

from tests.agreement.proving.decide.checking import problem
from tests.agreement.proving.decide.naive import query_text, random_small


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--streams", type=int, default=60, help="How many streams a search tries.")
    parser.add_argument("--other", action="store_true", help="Queries with OPTIONAL and MINUS.")
    parser.add_argument("--exotic", action="store_true", help="Windows of all kinds, any trigger.")
    parser.add_argument("--mixed", action="store_true", help="Sources that share a predicate.")
    wanted = parser.parse_args()
    seeds = range(wanted.seed * 1_000_000, wanted.seed * 1_000_000 + wanted.cases)
    check = partial(
        problem, monotone=not wanted.other, exotic=wanted.exotic, mixed=wanted.mixed, count=wanted.streams
    )
    found, wrong = Counter(), 0
    with Pool(wanted.jobs) as pool:
        for seed, (verdict, said) in zip(seeds, pool.imap(check, seeds, chunksize=20), strict=True):
            found[verdict] += 1
            if said is not None:
                wrong += 1
                small = random_small(seed, monotone=not wanted.other)
                print(f"WRONG, seed {seed}: {said}\n{query_text(small, merged=False)}\n{small}\n", flush=True)
            if (seed + 1) % 500 == 0:
                print(f"{found.total()} queries, {dict(found)}, {wrong} wrong", file=sys.stderr, flush=True)
    for verdict, count in found.most_common():
        print(f"{count:8} {verdict} ({count / found.total():.1%})")
    print(f"{wrong} verdicts are wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
