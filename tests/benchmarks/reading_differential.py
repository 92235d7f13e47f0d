"""Random traces with every kind of fault, read row by row and as columns.

`python -m tests.benchmarks.reading_differential 3000 --seed 1` draws so many, prints each difference, and
what was compared. Exit code 1: they differ.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.solver.traces.both_readings import compared
from tests.solver.traces.random_traces import drawn_trace
from tests.solver.traces.test_columns import SIZES


def compare(seed, found):
    """Compare both readings of one trace; print where they differ."""
    with TemporaryDirectory() as folder:
        paths, options = drawn_trace(seed, Path(folder))
        by_rows, by_columns = compared(paths, options, **SIZES[seed % len(SIZES)])
    found["traces"] += 1
    found["refused alike" if by_rows.error else "read alike"] += by_rows == by_columns
    found["atoms"] += len(by_rows.rows)
    found["with lines skipped"] += by_rows.kept is not None
    if by_rows != by_columns:
        found["DIFFERENT"] += 1
        print(f"DIFFERENT seed {seed}")
        for name in by_rows.__dataclass_fields__:
            one, other = getattr(by_rows, name), getattr(by_columns, name)
            if one != other:
                print(f"{name} by rows: {str(one)[:500]}\n{name} as columns: {str(other)[:500]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = Counter()
    for seed in range(given.seed * given.count, (given.seed + 1) * given.count):
        compare(seed, found)
    print(", ".join(f"{name}: {number}" for name, number in found.items()))
    sys.exit(bool(found["DIFFERENT"]))


if __name__ == "__main__":
    main()
