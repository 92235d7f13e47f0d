"""The causes of `lars agree` against their definitions, on many random comparisons.

`python -m tests.benchmarks.causes 20000 --seed 1 --kind queries` prints how often each cause was found, and
each comparison in which the program says otherwise than the definitions. Exit code 1: it does.
"""

import argparse
import sys
from collections import Counter
from functools import partial
from multiprocessing import Pool

from tests.agreement.cause_cases import (
    case,
    case_with_another_query,
    case_with_own_static_data,
    case_with_slides,
    positive_case,
    text,
)
from tests.agreement.cause_check import checked_case

KINDS = {
    "one": case,
    "queries": case_with_another_query,
    "static": case_with_own_static_data,
    "slides": case_with_slides,
    "positive": positive_case,
}


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="one",
        help="one query, two, two static data, slides below aggregates, or a query without negation",
    )
    wanted = parser.parse_args()
    seeds = range(wanted.seed * 1_000_000, wanted.seed * 1_000_000 + wanted.cases)
    found, wrong, differing = Counter(), 0, 0
    with Pool(wanted.jobs) as pool:
        for seed, (causes, differences) in zip(
            seeds, pool.imap(partial(checked, wanted.kind), seeds, chunksize=50), strict=True
        ):
            found.update(causes)
            differing += bool(causes)
            if differences:
                wrong += 1
                print(
                    f"DIFFERENT: {described(KINDS[wanted.kind](seed), seed)}",
                    *differences,
                    "",
                    sep="\n",
                    flush=True,
                )
            if (seed + 1) % 1000 == 0:
                print(f"{seed + 1 - seeds[0]} comparisons, {wrong} differ", file=sys.stderr, flush=True)
    print(
        f"{wanted.cases} comparisons, {differing} disagree, {found.total()} rows that only one side reports"
    )
    for (side, cause), count in found.most_common():
        print(f"{count:8} {side:5} {cause}")
    print(f"{wrong} comparisons in which the program says otherwise")
    sys.exit(bool(wrong))


def checked(kind, seed):
    """Return what `checked_case` does of the comparison of a kind and a seed."""
    return checked_case(KINDS[kind](seed))


def described(one, seed):
    queries = "\n".join(text(one, merged=merged) for merged in (True, False))
    return f"seed {seed}\n{queries}\n{one.arrivals}\n{one.static} {one.bounds} {one.trigger} U = {one.period}"


if __name__ == "__main__":
    main()
