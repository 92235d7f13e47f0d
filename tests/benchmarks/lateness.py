"""Verdicts of `lars decide --delay` against a replay of arrivals, on random queries and lengths of time.

`python -m tests.benchmarks.lateness 2000 [FIRST]` prints how often each verdict was given, and each verdict
that the replay refutes: a shown stream without the change, or a small late stream that has a change which is
never possible. Exit code 1: a verdict is wrong.
"""

import sys
from collections import Counter

from tests.agreement.proving.lateness.random_cases import wrong_verdicts


def main():
    cases, first = (*map(int, sys.argv[1:]), 0, 0)[:2]
    counted, wrong = Counter(), []
    for number in range(first, first + cases):
        verdicts, own = wrong_verdicts(f"lateness {number}", streams=1000, seconds=20)
        counted.update(verdicts)
        wrong += own
        for each in own:
            print(number, *each, flush=True)
        if number % 50 == 49:
            print(
                number + 1 - first, len(wrong), Counter(v for (*_, v), n in counted.items() for _ in range(n))
            )
    for key, count in sorted(counted.items()):
        print(*key, count)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
