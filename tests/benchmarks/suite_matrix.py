"""Whether each test of the suite shows a fault that no other test of its query does, as its comment says.

`python -m tests.benchmarks.suite_matrix [QUERY..]` prints each test whose fault another shows too, or that
does not show it. Tests that tell two vectors, a rule or a cause apart are counted, and not looked at.
"""

import sys
from collections import defaultdict

from agreement.proving.suite.catalogue import catalogue
from agreement.proving.suite.suite_tests import _WRITTEN, chosen_streams, in_words
from tests.agreement.proving.suite.faults import faulty_engines
from translate.model.query import Language

FAULT = "the fault: "


def shows(query, stream, engine):
    """Whether an engine with a fault answers a stream otherwise than without."""
    every = [(one.t, one.stream, one.triple) for one in stream]
    if not engine.vector.by_clock and len(set(every)) < len(every):
        # How often arrivals count what comes twice at one time is left open: no engine is held to it.
        return False
    text, static = _WRITTEN[Language.RSPQL].text(query.family), query.family.static
    found = engine.answers(text, static, stream)
    return found is not None and found != engine.base.answers(text, static, stream)


def main():
    engines = {one.says: one for one in faulty_engines()}
    streams = defaultdict(list)
    for one in chosen_streams():
        streams[one.query].append(one)
    wrong = looked = 0
    for query in catalogue():
        if sys.argv[1:] and query.name not in sys.argv[1:]:
            continue
        for one in streams[query.name]:
            if not one.tells.startswith(FAULT):
                continue
            looked += 1
            fault = engines.get(one.tells.removeprefix(FAULT))
            if fault is None:
                wrong += 1
                print(f"{query.name}: no engine has {one.tells}", flush=True)
                continue
            others = sum(
                shows(query, other.stream, fault) for other in streams[query.name] if other is not one
            )
            own = shows(query, one.stream, fault)
            if others or not own:
                wrong += 1
                print(
                    f"{query.name}: {in_words(one.stream)}: {fault.says}: own {own}, others {others}",
                    flush=True,
                )
    print(
        f"{looked} tests show a fault each, {wrong} of them not alone; {len(chosen_streams())} tests in all"
    )


if __name__ == "__main__":
    main()
