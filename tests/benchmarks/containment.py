"""Containment of many random pairs of queries: made equivalent, made contained, and unlike.

`python -m tests.benchmarks.containment 5000 --seed 1` prints for each kind, and for pairs with windows,
operators and units of all kinds, and MINUS, OPTIONAL and NOT EXISTS with windows of their own, how
often each verdict was found, and each pair of which the verdict is wrong: by how it was made, by a naive
evaluation of the data that refute it, or by random data that refute it. Exit code 1: a verdict is wrong.
"""

import argparse
import sys
from collections import Counter
from functools import partial
from multiprocessing import Pool

from tests.agreement.proving.containment import window_pairs
from tests.agreement.proving.containment.pairs import KINDS, judged, pair
from tests.agreement.proving.decide.naive import query_text

SECONDS = 10
"""How long a pair of windows is decided."""


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    wanted = parser.parse_args()
    seeds = range(wanted.seed * 1_000_000, wanted.seed * 1_000_000 + wanted.cases)
    wrong = 0
    with Pool(wanted.jobs) as pool:
        for kind in KINDS:
            found = Counter()
            results = pool.imap(partial(judged, kind=kind), seeds, chunksize=50)
            for seed, (verdict, said) in zip(seeds, results, strict=True):
                found[verdict.verdict] += 1
                if said is not None:
                    wrong += 1
                    texts = (query_text(one, merged=False) for one in pair(seed, kind))
                    print(f"WRONG, {kind}, seed {seed}: {said}", *texts, sep="\n", flush=True)
            print(f"{kind}: {dict(found)}", flush=True)
        for name, made in (("windows", window_pairs.pair), ("windows beside", window_pairs.pair_beside)):
            found = Counter()
            judging = partial(window_pairs.judged, made=made, seconds=SECONDS)
            for seed, (verdict, said) in zip(seeds, pool.imap(judging, seeds, chunksize=5), strict=True):
                found[verdict.verdict] += 1
                if said is not None:
                    wrong += 1
                    texts = (f"{window_pairs.text(one)} {one}" for one in made(seed))
                    print(f"WRONG, {name}, seed {seed}: {said}", *texts, sep="\n", flush=True)
            print(f"{name}: {dict(found)}", flush=True)
    print(f"{wrong} verdicts are wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
