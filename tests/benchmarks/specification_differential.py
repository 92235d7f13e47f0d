"""RSP-QL's reference semantics: the program against a machine that lives through the trace.

`python -m tests.benchmarks.specification_differential 5000 --seed 1` prints what the random cases
covered, how the reference of SPARQL compares with pyoxigraph and rdflib on the contents of a part of
them, and each case in which program and machine differ, the first ones made small. Exit code 1:
they differ.
"""

import argparse
import logging
import sys
import warnings
from collections import Counter
from multiprocessing import Pool
from random import Random
from typing import NamedTuple

from tests.agreement.engines.specifications.operational import Machine
from tests.agreement.engines.specifications.operational_comparing import (
    Line,
    differences,
    fault,
    lines_of_logic,
    lines_of_machine,
    shrunk,
)
from tests.agreement.engines.specifications.operational_strategies import Case, case
from tests.sparql.comparison import difference
from tests.sparql.judges import by_rdflib, oxigraph
from tests.sparql.reference import answer
from tests.sparql.values import UndeterminedError

JUDGES = {"pyoxigraph": oxigraph, "rdflib": by_rdflib}


class Found(NamedTuple):
    """What became of a case: what it covered, how the judges of SPARQL did, and what differs."""

    seed: str
    covered: tuple[str, ...]
    judged: tuple[str, ...]
    said: str
    evaluations: int


def main() -> None:
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--judge", type=int, default=10, help="one case in so many goes to other judges too")
    parser.add_argument("--small", type=int, default=10, help="differences to make small")
    wanted = parser.parse_args()
    seeds = [(f"{wanted.seed}.{n}", n % wanted.judge == 0) for n in range(wanted.cases)]
    with Pool(wanted.jobs) as pool:
        found = list(pool.imap(compared, seeds, chunksize=10))
        wrong = [one for one in found if one.said]
        print_covered(found)
        print(f"\n{len(wrong)} cases differ: {' '.join(one.seed for one in wrong) or '-'}")
        for text in pool.imap(small, [one.seed for one in wrong[: wanted.small]]):
            print(f"\nDIFFERENT {text}")
    sys.exit(bool(wrong))


def compared(asked: tuple[str, bool]) -> Found:
    """Return what became of the case of a seed."""
    seed, judge = asked
    one = case(Random(seed))
    try:
        expected = lines_of_machine(one)
        said = next(iter(differences(expected, lines_of_logic(one))), "")
        judged = tuple(judgements(one)) if judge else ()
    except UndeterminedError:
        return Found(seed, ("left open by SPARQL",), (), "", 0)
    except Exception as error:  # noqa: BLE001  (a run that ends in an error differs)
        return Found(seed, (), (), f"{type(error).__name__}: {error}", 0)
    return Found(seed, tuple(covered(one, expected)), judged, said, len(expected))


def covered(one: Case, lines: list[Line]) -> list[str]:
    """Return what a case holds, from the expected answers."""
    run, filled = one.run, any(line.rows for line in lines)
    policy = run.policy
    strategies = [window.strategies for window in run.windows if window.strategies]
    facts = {
        "an evaluation": bool(lines),
        "an answer": filled,
        f"an answer of {policy.operator}": filled,
        f"{policy.bounds} and an answer": filled,
        f"ticks by {policy.tick} and an answer": filled,
        f"{one.asked.language} and an answer": filled,
        f"{run.query.form} and an answer": filled,
        "an empty answer reported": any(line.reported and not line.rows for line in lines),
        "an empty answer silent": any(not line.reported for line in lines),
        "several windows and an answer": filled and len(run.windows) > 1,
        "all of several reporting windows": bool(lines)
        and policy.combination == "all"
        and len(strategies) > 1,
        "several evaluations at one time": len({line.t for line in lines}) < len(lines),
        "a row more than once": any(count > 1 for line in lines for count in line.rows.values()),
        "a conjunction of strategies": bool(lines) and any(len(each) > 1 for each in strategies),
        "an equal element at one time": len({one[:3] for one in run.arrivals}) < len(run.arrivals),
        "t0 beyond the slide": any(window.start >= window.slide > 0 for window in run.windows),
        "a gap between windows": any(window.slide > window.width > 0 for window in run.windows),
        "slide ignored": one.ignored,
        "versions of static data and an answer": filled and bool(run.versions),
        "groups": bool(run.query.select.keys),
        "elements after the last evaluation": any(each.t > run.until for each in run.arrivals),
    }
    kinds = {f"window of kind {window.kind}" for window in run.windows}
    named = {f"strategies {' '.join(sorted(each))}" for each in strategies if lines}
    return [*(name for name, holds in facts.items() if holds), *kinds, *named]


def judgements(one: Case) -> list[str]:
    """Return how other processors of SPARQL answer over the contents of each evaluation."""
    machine, query = Machine(one.run), one.run.query
    said = []
    for moment, _ in machine.evaluated():
        dataset = machine.dataset(moment)
        for name, judge in JUDGES.items():
            said.append(f"{name}: {verdict(query, answer(query, dataset), judge, dataset)}")
    return said


def verdict(query, expected, judge, dataset) -> str:
    """Return whether a judge has the same answer."""
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "other" if difference(query, expected, judge(query, dataset)) else "same"
        except Exception:  # noqa: BLE001  (each judge has errors of its own)
            return "error"
        finally:
            logging.disable(logging.NOTSET)


def print_covered(found: list[Found]) -> None:
    """Print how many cases held what."""
    decided = [one for one in found if one.covered != ("left open by SPARQL",)]
    print(
        f"{len(found)} cases, {len(decided)} decided, {sum(one.evaluations for one in decided)} evaluations"
    )
    for name, times in Counter(name for one in decided for name in one.covered).most_common():
        print(f"{times:8}  {name}")
    print("\nanswers over single contents, beside the reference's")
    for name, times in sorted(Counter(name for one in decided for name in one.judged).items()):
        print(f"{times:8}  {name}")


def small(seed: str) -> str:
    """Return a difference made small, as a text."""
    one = shrunk(case(Random(seed)), lambda smaller: bool(told(smaller)))
    return f"case {seed}\n{one}\n{told(one)}"


def told(one: Case) -> str:
    """Return how a case differs; an error that only one side ends in is a difference."""
    try:
        return fault(one)
    except UndeterminedError:
        return ""
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
