"""SPARQL 1.1 through logic against three other evaluations, on many random queries and datasets.

`python -m tests.benchmarks.sparql_differential 20000 --seed 1` prints what the cases held, who
agreed with the reference (SPARQL 1.1, Section 18, as it is written), the classes of the libraries'
faults, and each case in which the program differs, made small. Exit code 1: it differs.
"""

import argparse
import sys
from collections import Counter
from functools import partial
from multiprocessing import Pool

from tests.sparql.faults import classified
from tests.sparql.generator import case
from tests.sparql.reference import answer
from tests.sparql.verdicts import JUDGES, fault, judged, smallest
from tests.sparql.writing import write_dataset, write_query


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--nested", type=float, default=0.2, help="how often a subquery is the whole WHERE")
    parser.add_argument("--judges", nargs="+", choices=tuple(JUDGES), default=list(JUDGES))
    parser.add_argument("--classify", type=int, default=50, help="faults of each library to make small")
    wanted = parser.parse_args()
    first = wanted.seed * 1_000_000
    cases = (case(seed, wanted.nested) for seed in range(first, first + wanted.cases))
    with Pool(wanted.jobs) as pool:
        found = list(pool.imap(partial(judged, names=tuple(wanted.judges)), cases, chunksize=20))
        decided = [verdict for verdict in found if verdict.decided]
        print_held(decided, len(found))
        print_agreement(decided, wanted.judges)
        for name in (judge for judge in wanted.judges if judge != "ours"):
            print_classes(
                name, pool.map(partial(small_fault, name), differing(name, decided)[: wanted.classify])
            )
        wrong = differing("ours", decided)
        for text in pool.imap(shown, wrong):
            print(f"\nDIFFERENT: {text}")
    sys.exit(bool(wrong))


def differing(name, verdicts):
    return [verdict.case for verdict in verdicts if name in dict(verdict.differing)]


def print_held(decided, count):
    filled = sum(not verdict.empty for verdict in decided)
    print(
        f"{count} cases, {len(decided)} decided by SPARQL, {100 * filled / len(decided):.1f} % with an answer"
    )
    held = Counter(name for verdict in decided for name in verdict.constructs)
    some = Counter(name for verdict in decided if not verdict.empty for name in verdict.constructs)
    print("   cases   share  with an answer")
    for name, times in held.most_common():
        print(f"{times:8} {100 * times / len(decided):6.1f} % {100 * some[name] / times:6.1f} %  {name}")


def print_agreement(decided, judges):
    print("\nanswers that are those of the reference")
    for name in judges:
        wrong = [dict(verdict.differing)[name] for verdict in decided if name in dict(verdict.differing)]
        failed = sum(text.startswith("fails") for text in wrong)
        print(f"{len(decided) - len(wrong):8} {name}; {len(wrong) - failed} differ, {failed} end in an error")
    together = Counter(
        " and ".join(name for name in judges if name not in dict(verdict.differing)) for verdict in decided
    )
    for names, times in together.most_common():
        print(f"{times:8} agree: {names or 'none'}")


def small_fault(name, one):
    title, small = classified(name, one)
    return title, described(name, small)


def shown(one):
    return described("ours", smallest("ours", one))


def described(name, one):
    query, data = write_query(one.query), write_dataset(one.dataset)
    return f"{query}\n{data}\n{fault(name, one, answer(one.query, one.dataset))}"


def print_classes(name, faults):
    examples = {}
    for title, text in sorted(faults, key=lambda found: len(found[1])):
        examples.setdefault(title, text)
    times = Counter(title for title, _ in faults)
    print(f"\nthe first {len(faults)} faults of {name}, by the rule of SPARQL 1.1 that they break")
    for title, count in times.most_common():
        print(f"{count:8} {title}, as in\n{examples[title]}\n")


if __name__ == "__main__":
    main()
