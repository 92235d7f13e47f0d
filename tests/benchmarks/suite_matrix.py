"""Whether each test of the suite tells apart what no other test of its query does, as the list says.

`python -m tests.benchmarks.suite_matrix [QUERY..]` prints each test whose fault or vectors another tells
apart too, or that does not tell them; that is not about its query's sentence; or whose comment is not what
engines report. Tests of a rule or a cause are counted, and not looked at.
"""

import sys
from collections import defaultdict

from agreement.proving.suite.catalogue import catalogue
from agreement.proving.suite.suite_tests import chosen_streams
from tests.agreement.proving.suite.comments import FAULT, VECTORS, comment
from tests.agreement.proving.suite.faults import faulty_engines, in_bags
from tests.benchmarks.suite import is_about, stream_line, text_of


def repeats(stream):
    every = [(one.t, one.stream, one.triple) for one in stream]
    return len(set(every)) < len(every)


def tells(query, stream, pair):
    """Whether two engines report otherwise of a stream; the second of one with a fault is that without."""
    # How often arrivals count what comes twice at one time is left open: no engine is held to it.
    if repeats(stream) and not all(one.vector.by_clock for one in pair):
        return False
    found = [one.answers(text_of(query), query.family.static, stream) for one in pair]
    return None not in found and in_bags(found[0]) != in_bags(found[1])


def pair_of(words, engines):
    """Return the two engines that a line of the list names, None where it names a rule or a cause."""
    if words.startswith(FAULT):
        fault = engines[words.removeprefix(FAULT)]
        return fault, fault.base
    if words.startswith(VECTORS):
        one, other = words.removeprefix(VECTORS).split(" or ")
        return engines[one], engines[other]
    return None


def main():
    every = list(faulty_engines())
    engines = {one.says: one for one in every}
    tests = defaultdict(list)
    for one in chosen_streams():
        tests[one.query].append(one)
    wrong = looked = 0
    for query in catalogue():
        if sys.argv[1:] and query.name not in sys.argv[1:]:
            continue
        for one in tests[query.name]:
            pair = pair_of(one.distinction, engines)
            if pair is None:
                continue
            looked += 1
            others = sum(tells(query, other.stream, pair) for other in tests[query.name] if other is not one)
            own = tells(query, one.stream, pair)
            about = is_about(query, one.stream, every)
            said = one.comment == comment(query, one.stream, one.distinction, every)
            if others or not (own and about and said):
                wrong += 1
                words = f"{query.name}: {stream_line(one.stream)}: {one.distinction}"
                print(f"{words}: own {own}, others {others}, about {about}, said {said}", flush=True)
    words = f"{looked} tests tell something apart each, {wrong} of them wrongly or not alone"
    print(f"{words}; {len(chosen_streams())} in all")


if __name__ == "__main__":
    main()
