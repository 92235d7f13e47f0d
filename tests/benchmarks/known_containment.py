"""Pairs of queries with known answers: containment, equivalence, windows; each answer is searched for data.

`python -m tests.benchmarks.known_containment 65` prints each pair of which the answer is wrong or open, or
data of rdflib's that refute what is known, and the longest time of one. Exit code 1: an answer is wrong.
"""

import argparse
import sys
from multiprocessing import Pool

from tests.agreement.proving.containment.known_pairs import answered, known_pairs, refutations


def checked(task):
    """Return what is wrong with a pair, the seconds of its answer, whether data show all of it."""
    (one, sign, other), count = task
    found, seconds = answered(one, other)
    searched = refutations(one, other, count)
    said = "" if found == sign else f"{found} instead of {sign}"
    known = {"<": (False, True), "=": (False, False), "|": (True, True)}[sign]
    against = any(seen and not holds for seen, holds in zip(searched, known, strict=True))
    return said + (" rdflib refutes it" if against else ""), seconds, searched == known


def main():
    """Answer, search, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=int, help="How many of the pairs.")
    parser.add_argument("--data", type=int, default=40, help="How many data sets are tried for each.")
    parser.add_argument("--jobs", type=int, default=2)
    wanted = parser.parse_args()
    pairs = list(known_pairs())[: wanted.pairs]
    longest, wrong, left, seen = 0.0, 0, 0, 0
    with Pool(wanted.jobs) as pool:
        tasks = [(pair, wanted.data) for pair in pairs]
        for pair, (said, seconds, shown) in zip(pairs, pool.imap(checked, tasks), strict=True):
            seen += shown
            longest = max(longest, seconds)
            left += said.startswith("open")
            wrong += bool(said) and not said.startswith("open instead")
            if said:
                print(*pair, said, sep="\n  ", flush=True)
    print(f"{len(pairs)} pairs, {wrong} wrong, {left} open; data show all that is not so of {seen}")
    print(f"the longest answer took {longest:.2f} s")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
