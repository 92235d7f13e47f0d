"""Which mutants of hunting the suite kills, the whole of it and core alone.

`python -m tests.benchmarks.suite_kills DIR [NAME..]`: a suite's folder, and parts of the mutants' names. The
rest of the suite is asked of those alone that core leaves alive.

`python -m tests.benchmarks.suite_kills DIR --evaluators [STEP]`: engines that evaluate another query, or have
windows with both ends open: at how many pairs of a test and a vector each differs, and is failed; and
whether it is failed where it differs and nowhere else.

`python -m tests.benchmarks.suite_kills DIR --replies [STEP]`: the matrix of tests and vectors: how many pairs
are killed by a wrong engine that reports, for each of the engines how many it is failed at, and whether it is
failed where its replies differ, by a comparison of another hand, and nowhere else. Each STEP-th test.
"""

import sys
from collections import Counter
from pathlib import Path

from agreement.engines.specifications import builtin
from agreement.proving.suite import (
    declared_vectors,
    engine_answers,
    judged_suite,
    read_suite,
    writing_of,
)
from agreement.proving.suite.running import until_of
from tests.agreement.proving.hunting.mutants import mutants
from tests.agreement.proving.suite.replies import answer, evaluated, groups, is_right, told, wrong_replies


def failed(mutant, tests):
    """Return the tests that a mutant fails, held to the parameters that its specification declares."""
    writing = writing_of(mutant.engine, tests, {}, mutant.specification)
    answers = engine_answers([mutant.engine], tests, writing, {})
    numbers = declared_vectors(builtin(mutant.specification), 0, None)
    claimed = frozenset((number, "evaluation") for number in numbers)
    found = judged_suite(mutant.name, writing, answers, claimed)
    return [one.test for one in found.results if one.outcome == "failed"]


def killers(test, right, numbers):
    """Yield which engines fail where these reports are right, and whether that is where they differ."""
    names, until = right[0].names, until_of(test)
    good = [told(names, one.reports, until) for one in right]
    for name, reports in wrong_replies(test, right, numbers[0]):
        fails = not is_right(answer(test, names, reports), right)
        yield name, fails, fails == (told(names, reports, until) not in good)


def due(right):
    """Return what has to be reported: rows, only empty reports, or nothing by one of the right answers."""
    if not all(one.reports for one in right):
        return "nothing due"
    return "rows due" if any(rows for one in right for _, rows in one.reports) else "only empty reports due"


def replies(tests):
    pairs, failed_at, wrong = Counter(), Counter(), []
    for test in tests:
        for right, numbers in groups(test):
            every, kind = [*killers(test, right, numbers)], due(right)
            by = [name for name, fails, _ in every if fails]
            wrong += [(test.name, numbers[0], name) for name, _, as_differs in every if not as_differs]
            pairs[kind, "killed" if by else "not killed"] += len(numbers)
            pairs[kind, "of that by rows alone"] += len(numbers) * any(
                name in by for name in ("one row short", "rows without an answer", "numbers off by one")
            )
            failed_at.update(dict.fromkeys(by, len(numbers)))
    print(f"{len(tests)} tests, {sum(n for (_, how), n in pairs.items() if 'killed' in how)} pairs")
    for (kind, how), count in sorted(pairs.items()):
        print(f"  {kind}: {count} {how}")
    for name, count in failed_at.most_common():
        print(f"{name:30} failed at {count} pairs")
    print(f"{len(wrong)} failed where they do not differ, or passed where they do", *wrong[:20], sep="\n")


def evaluators(tests):
    """Print at how many pairs each wrong evaluator differs and is failed."""
    asked, differing, failed_at, wrong = Counter(), Counter(), Counter(), []
    for test in tests:
        own = [*groups(test)]
        right_of = {number: place for place, (_, numbers) in enumerate(own) for number in numbers}
        for name, reports, numbers in evaluated(test):
            places = Counter(right_of[number] for number in numbers if number in right_of)
            for place, count in places.items():
                right = own[place][0]
                names, until = right[0].names, until_of(test)
                good = [told(names, one.reports, until) for one in right]
                fails = not is_right(answer(test, names, reports), right)
                differs = told(names, reports, until) not in good
                asked[name] += count
                differing[name] += count * differs
                failed_at[name] += count * fails
                if fails != differs:
                    wrong.append((test.name, name))
    for name, count in asked.most_common():
        print(f"{name:30} asked at {count} pairs, differs at {differing[name]}, fails at {failed_at[name]}")
    print(f"{len(wrong)} failed where they do not differ, or passed where they do", *wrong[:20], sep="\n")


def main():
    every = read_suite(Path(sys.argv[1]))
    step = int((*sys.argv[3:], "1")[0]) if sys.argv[2:3] in (["--replies"], ["--evaluators"]) else 1
    if "--replies" in sys.argv:
        return replies(every[::step])
    if "--evaluators" in sys.argv:
        return evaluators(every[::step])
    tests, names = every, sys.argv[2:]
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
    return None


if __name__ == "__main__":
    main()
