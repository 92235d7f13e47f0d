"""Which mutants of hunting the suite kills, the whole of it and core alone.

`python -m tests.benchmarks.suite_kills DIR [NAME..]`: a suite's folder, and parts of the mutants' names. The
rest of the suite is asked of those alone that core leaves alive.
"""

import sys
from pathlib import Path

from agreement.engines.specifications import builtin
from agreement.proving.suite import (
    Label,
    Outcome,
    declared_vectors,
    engine_answers,
    judged_suite,
    read_suite,
    writing_of,
)
from tests.agreement.proving.hunting.mutants import mutants


def failed(mutant, tests):
    """Return the tests that a mutant fails, held to the parameters that its specification declares."""
    writing = writing_of(mutant.engine, tests, {}, mutant.specification)
    answers = engine_answers([mutant.engine], tests, writing, {})
    numbers = declared_vectors(builtin(mutant.specification), 0, None)
    claimed = frozenset((number, Label.EVALUATION) for number in numbers)
    found = judged_suite(mutant.name, writing, answers, claimed)
    return [one.test for one in found.results if one.outcome is Outcome.FAILED]


def main():
    tests, names = read_suite(Path(sys.argv[1])), sys.argv[2:]
    core = [one for one in tests if one.level == "core"]
    rest = [one for one in tests if one.level != "core"]
    chosen = [one for one in mutants() if not names or any(name in one.name for name in names)]
    whole = alone = 0
    for mutant in chosen:
        found = failed(mutant, core)
        others = [] if found else failed(mutant, rest)
        whole, alone = whole + bool(found or others), alone + bool(found)
        print(f"{mutant.name:50} {len(found):4} of core failed, else {len(others)}", flush=True)
    print(f"{whole} of {len(chosen)} killed by the whole suite, {alone} by core")


if __name__ == "__main__":
    main()
