"""Whether what the suite expects is certified: window by window with Oxigraph, and by clingo.

`python -m tests.benchmarks.suite_certify DIR [NAME..]`: a suite's folder, tests whose names begin so. Each
choice of each test is looked at under its first vector and its last by Oxigraph, three choices of each test
and language by clingo, which takes longer: the first, the middle and the last. Then twenty faults are seeded
in expected reports, and each has to be found by both. It ends with the figures, what cannot be certified, and
the time.
"""

import sys
from collections import Counter
from pathlib import Path
from random import Random
from resource import RUSAGE_SELF, getrusage
from time import perf_counter

from agreement.documents.recordings import static_of
from agreement.proving.suite import read_suite
from agreement.proving.suite.expecting import VectorReports
from agreement.proving.suite.suite_tests import _read
from tests.agreement.proving.suite.certifying import (
    WindowByWindow,
    by_clingo,
    expected,
    faulty,
    firsts,
    in_order,
    in_time,
    is_the_only,
    oxigraph_is_right,
    with_late,
)
from translate.model.query import Language

FAULTS, SAID = 20, 25


def certified(test):
    """Yield for each choice how it was certified, and whether it is right."""
    lived = WindowByWindow(in_order(test))
    for number in dict.fromkeys(firsts(test) if oxigraph_is_right(test) else ()):
        yield "rspql, Oxigraph window by window", lived.reports(number) in expected(test, number)
    for language in test.texts:
        asked = VectorReports(_read(test.texts[language]), static_of(test.static), in_order(test).stream)
        # Where a triple comes twice at one time, nothing is expected of a language in which arrivals report.
        every = test.expected(language) or ()
        for one in {*every[:1], *every[len(every) // 2 :][:1], *every[-1:]}:
            right = by_clingo(asked, one.vectors[0]) in expected(test, one.vectors[0], language)
            yield f"{language.value}, clingo", right
    if in_order(test) != test:
        yield "late elements that count, Oxigraph", with_late(test) in expected(test, 0)
        for number in dict.fromkeys(firsts(test)):
            for lived in in_time(test, number):
                yield "late ones behind another stream, by time, Oxigraph", lived in expected(test, number)


def main():
    began = perf_counter()
    tests = [
        one
        for one in read_suite(Path(sys.argv[1]))
        if not sys.argv[2:] or one.name.startswith(tuple(sys.argv[2:]))
    ]
    sums, wrong, both = Counter(), [], 0
    for place, test in enumerate(tests):
        if place % SAID == 0:
            print(f"{place} of {len(tests)}", file=sys.stderr, flush=True)
        found = [*certified(test)]
        sums.update(how for how, _ in found)
        wrong += [f"{test.name}: {how}" for how, right in found if not right]
        both += oxigraph_is_right(test) and all(right for _, right in found)
    seeded = seed(tests)
    print(*wrong, sep="\n")
    print(f"{both} of {len(tests)} tests certified by both")
    for how, count in sums.items():
        print(f"  {count} choices: {how}")
    alone = [one.name for one in tests if not oxigraph_is_right(one)]
    print(f"  by clingo alone, since Oxigraph answers otherwise than SPARQL 1.1: {', '.join(alone)}")
    print("  what comes late and counts: by Oxigraph alone, clingo is asked for what is in order")
    print("  queries in C-SPARQL, CQELS, SPARQLstream: by clingo alone, Oxigraph has their windows in RSP-QL")
    print(
        "seeded faults found: " + ", ".join(f"{count} of {FAULTS} by {how}" for how, count in seeded.items())
    )
    used = getrusage(RUSAGE_SELF)
    print(f"{perf_counter() - began:.0f} s, {used.ru_utime:.0f} s of them user CPU")


def seed(tests):
    """Return how many of twenty faults in expected reports each certification finds."""
    rng, found = Random(5), Counter()
    usable = [one for one in tests if any(is_the_only(one, own) for own in one.expected(Language.RSPQL))]
    for _ in range(FAULTS):
        test, number = faulty(rng.choice(usable), rng)
        asked = VectorReports(_read(test.texts[Language.RSPQL]), static_of(test.static), test.stream)
        found["Oxigraph"] += WindowByWindow(test).reports(number) not in expected(test, number)
        found["clingo"] += by_clingo(asked, number) not in expected(test, number)
    return found


if __name__ == "__main__":
    main()
