"""The rows that late data change, with their kinds, causes and reports, against a replay of arrivals.

`python -m tests.benchmarks.late_traces N [FIRST]` compares N random queries, streams and delays, and prints
each difference. Exit code 1: a difference was found.
"""

import sys
from collections import Counter

from tests.agreement.comparing.agree.late_cases import differences


def main():
    cases, first = (*map(int, sys.argv[1:]), 0, 0)[:2]
    counted, wrong = Counter(), 0
    for number in range(first, first + cases):
        kinds, difference = differences(f"late trace {number}")
        counted.update(kinds)
        if difference is not None:
            wrong += 1
            print(number, *difference, sep="\n  ", flush=True)
        if number % 100 == 99:
            print(number + 1 - first, "cases", sum(counted.values()), "rows", flush=True)
    for key, count in sorted(counted.items()):
        print(*key, count, sep=", ")
    print(f"{cases} cases, {sum(counted.values())} changed rows, {wrong} cases with a difference")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
