"""Which mutants of the specifications a hunt kills, after how long, with how many triples.

`python -m tests.benchmarks.hunting [SECONDS]`: at most so many seconds each, 10 if not said.
"""

import sys
from statistics import median

from tests.agreement.proving.hunting.mutants import mutants


def main():
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    seconds, triples, alive = [], [], []
    for mutant in mutants():
        found = mutant.hunted(limit)
        if not found.faults:
            alive.append(mutant.name)
            print(f"{mutant.name:50} alive after {found.runs} runs", flush=True)
            continue
        first = found.faults[0]
        seconds.append(first.seconds)
        triples.append(len(first.run.pushes))
        print(f"{mutant.name:50} {first.seconds:5.1f} s {triples[-1]} triples  {first.sentence}", flush=True)
    count = len(alive) + len(seconds)
    print(
        f"{len(seconds)} of {count} killed ({100 * len(seconds) / count:.0f} %), "
        f"median {median(seconds):.1f} s, {median(triples):g} triples, at most {max(triples)}"
    )


if __name__ == "__main__":
    main()
