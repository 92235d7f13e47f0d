"""SRBench and LSBench against verdicts, rows and causes that another evaluation confirmed.

`python -m tests.benchmarks.published 75` runs so many pairs of queries, prints how often each cause was
found, and each comparison that is otherwise. Exit code 1: one is. Without the packs it says so, and ends.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from lars.errors import LarsError
from tests.agreement.comparing.agree.published import confirmed, jobs, otherwise, outcome
from tests.packs import PACKS, is_there


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=int)
    wanted = parser.parse_args()
    if not all(map(is_there, ("srbench", "lsbench"))):
        print(f"not checked: no {PACKS['srbench'].folder}, or no lsbench beside it")
        return
    known, causes, count, wrong = confirmed(), Counter(), 0, []
    with TemporaryDirectory() as folder:
        for job in jobs()[: wanted.pairs]:
            try:
                found = outcome(job, Path(folder))
            except LarsError as error:
                # Of a pair that cannot be compared nothing was confirmed, either.
                wrong += [(job["name"], str(error))] if any(name == job["name"] for name, _ in known) else []
                continue
            count += len(known.keys() & found.keys())
            causes += sum((counts for _, _, counts in found.values()), Counter())
            wrong += otherwise(found, known)
    print(*wrong, sep="\n")
    print(f"{count} verdicts, {len(wrong)} otherwise; rows by cause: {dict(causes.most_common())}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
