"""Which test of the suite tells each rule of each engine version from the specification, the smallest one.

`python -m tests.benchmarks.suite_rules DIR [ENGINE..]`: a suite's folder. A rule is told if the engine
with that rule alone reports something else than with none, or refuses; or with all rules something else than
with all others. What no test tells is said too.
"""

import sys
from pathlib import Path

from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.registry import ENGINES
from agreement.proving.suite import engine_answers, read_suite, writing_of
from lars.errors import LarsError


def telling(engine, rule, tests, writing):
    """Return the first test on which a rule makes a difference, alone or to all others, or None."""
    others = [one.name for one in engine.rules if one.name != rule.name]
    pairs = (({"off": others}, {"off": [*others, rule.name]}), ({}, {"off": [rule.name]}))
    for options in pairs:
        for test in tests:
            found = [engine_answers([BuiltInEngine(engine)], [test], writing, one) for one in options]
            said = [one and (one[0].refused is not None or one[0].key("evaluation")) for one in found]
            if said[0] != said[1]:
                return test
    return None


def main():
    tests = sorted(read_suite(Path(sys.argv[1])), key=lambda one: (len(one.stream), one.name))
    for name, engine in ENGINES.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        try:
            writing = writing_of(
                BuiltInEngine(engine), tests, {}, "cqels" if name.startswith("cqels") else None
            )
        except LarsError as error:
            print(f"{name}: {error}".splitlines()[0])
            continue
        spoken = [one for one in tests if writing.language in one.texts]
        for rule in engine.rules:
            test = telling(engine, rule, spoken, writing)
            told = "-" if test is None else f"{test.name} ({len(test.stream)} elements)"
            print(f"{name} | {rule.name} | {told} | {rule.sentence}", flush=True)


if __name__ == "__main__":
    main()
