"""Random pairs of queries: whether all data that refute them, or part push and pull, are RDF.

    python -m tests.benchmarks.shown_data 5000 [SEED]

Prints how many pairs were shown data, how many triples these are, and each that is no RDF. Exit code 1: there
is one.
"""

import sys

from tests.agreement.shown_data import problem


def main():
    """Look, print, and exit."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    triples, pairs, wrong = 0, 0, 0
    for seed in range(first, first + count):
        found, many = problem(seed)
        triples, pairs, wrong = triples + many, pairs + (many > 0), wrong + len(found)
        for one, other, quad in found:
            print(f"seed {seed}: {quad}", one, other, sep="\n  ", flush=True)
        if (seed + 1) % 500 == 0:
            print(
                f"{seed + 1 - first} pairs, {pairs} with data, {triples} triples, {wrong} wrong",
                file=sys.stderr,
                flush=True,
            )
    print(f"{count} pairs, {pairs} with data of {triples} triples, {wrong} are no RDF")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
