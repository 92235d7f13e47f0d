"""Whether `lars hunt` names the fault of each toy engine, once, and finds none in a right one.

`python -m tests.benchmarks.hunted_toys [ENGINES] [FAULT..]`: so many engines, or all, or the named ones.
Each hunt explores by its runs, so that what it finds hardly depends on what else the machine does. Named can
also be the faults that were invented after `lars hunt` was written: none of its names is meant for these.
"""

import sys
import time

from agreement.documents.requests import JudgeOptions
from agreement.engines.specifications import builtin
from agreement.proving.hunting import Hunt, HuntLimits, made_queries, reference, run_hunt
from tests.agreement.proving.hunting.toy_faults import FIFTH, FOURTH, LATER, NAMES, THIRD, UNFORESEEN
from tests.agreement.proving.hunting.toy_process import Toy

EVERY = {**NAMES, **UNFORESEEN, **LATER, **THIRD, **FOURTH, **FIFTH}
RUNS = 480
SECONDS = 600


def hunted(fault, runs=RUNS, names=None):
    """Return the hunt of a toy engine, with all queries or those of some names."""
    engine = Toy(fault)
    judge = reference("rspql", builtin("rspql"), JudgeOptions())
    queries = [one for one in made_queries(engine).queries if names is None or one.name in names]
    found = Hunt(engine, queries, judge, HuntLimits(SECONDS, runs))
    run_hunt(found)
    return found


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else len(NAMES)
    chosen = sys.argv[2:] or list(NAMES)[:most]
    good = 0
    for fault in chosen:
        start = time.process_time()
        found = hunted(fault)
        says = [one.sentence for one in found.faults]
        right = len(says) == 1 and EVERY[fault] in says[0] if EVERY[fault] else not says
        good += right
        took = time.process_time() - start
        print(f"{fault:28} {'right' if right else 'WRONG'} {len(says)} {took:5.1f} s {found.runs} runs")
        for one in [] if right and says and "unexplained" not in says[0] else found.faults:
            print(f"      {one.sentence}: {one.times} runs")
        sys.stdout.flush()
    print(f"{good} of {len(chosen)}")


if __name__ == "__main__":
    main()
