"""The relational evaluation against the encoding in clingo.

`python -m tests.benchmarks.relational 2000 --seed 1 [--kinds sparql queries]` draws so many programs of each
kind, prints each difference, and what was compared. `sparql` are SPARQL queries with all constructs over
windows of random traces, `queries` are random (V, P, D, S) with several streams; other kinds are programs.
Exit code 1: they differ.
"""

import argparse
import sys
from collections import Counter
from dataclasses import replace
from random import Random
from typing import get_args

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from lars.durations import Duration
from lars.errors import LarsError
from lars.language.windows import Interval
from solver.facts import STREAM_PREDICATE, Fact, Situation
from solver.pointwise import models
from solver.relational import obstacle
from tests.lars.strategies import cases, streams
from tests.solver.pointwise.test_definition import backgrounds, clingo_rows, inputs, programs_of, some
from tests.solver.pointwise.test_gathering import TOP
from tests.solver.relational.relational_cases import OUTPUTS, relational_rows, timed_programs
from tests.solver.strategies import (
    covered_programs,
    gathering_programs,
    interval_programs,
    is_encoded,
    situation,
    situation_of,
    valued_atoms,
)
from tests.sparql.engine import STREAM, text_of, texts
from tests.sparql.generator import case
from tests.sparql.judges import TooSlowError, limited
from tests.sparql.writing import write_query
from tests.translate.strategies import drawn
from translate.dialects import read_query
from translate.model.patterns import StreamBlock
from translate.model.query import Dataset, Profile, Semantics, Setting
from translate.model.windows import Now, Range, Rows, Unbounded
from translate.tau import lars_program, output_of


class Comparison:
    """What was compared, by kind, and how much of it differs."""

    def __init__(self):
        self.found = Counter()

    def compare(self, kind, program, given_to_it, asked):
        """Compare the rows at times of each of some outputs, or that there is no answer."""
        times, outputs = asked
        if obstacle(program, given_to_it.background) is not None:
            self.found[f"{kind}: not covered"] += 1
            return
        for output in outputs:
            try:
                rows = relational_rows(program, given_to_it, times, output)
            except LarsError as error:
                rows = str(error).split(" at ")[0]
            if any(len(list(models(program, given_to_it, t))) != 1 for t in times):
                expected = "the program has 0 answer streams"
            else:
                expected = clingo_rows(program, given_to_it, times, output)
            self.found[f"{kind}: compared"] += 1
            self.found[f"{kind}: with rows"] += isinstance(rows, dict) and any(rows.values())
            if rows != expected:
                self.found["DIFFERENT"] += 1
                print(f"DIFFERENT {output}:\n{program}\n{given_to_it} at {times}\n{rows}\n{expected}\n")


def kinds(comparison):
    """Return for each kind what draws and compares a case."""

    @given(interval_programs(), inputs, backgrounds, st.data())
    def joins(program, stream, known, data):
        times = some(list(stream.timeline), data)
        comparison.compare("joins", program, situation(stream, known), (times, OUTPUTS))

    @given(gathering_programs(), streams(valued_atoms, fewest=1, most=12), backgrounds, st.data())
    def gathering(program, stream, known, data):
        times = some(list(stream.timeline), data)
        comparison.compare("gathering", program, situation(stream, known), (times, TOP))

    @given(drawn(exclusive=False), st.data())
    def queries(case, data):
        output = ("ans1", len(case.query.result))
        times = some(list(case.timeline), data)
        comparison.compare("queries", programs_of(case, data), case.situation, (times, [output]))

    @given(timed_programs(), inputs, backgrounds, st.data())
    def timed(program, stream, known, data):
        times, outputs = [data.draw(st.sampled_from(list(stream.timeline)))], [("ans", 2), ("top", 1)]
        comparison.compare("timed", program, situation(stream, known), (times, outputs))

    @given(cases(covered_programs().filter(is_encoded)))
    def every(case):
        outputs = [("p", 0), ("q", 0), ("r", 1)]
        comparison.compare("every", case.program, situation_of(case), ([case.t], outputs))

    return joins, gathering, queries, timed, every


WINDOWS = (Now(), *(Range(Duration(n * 10**9)) for n in (1, 2, 3)), Rows(2), Rows(4), Unbounded())
LAST = 5
SLIDING = tuple(Range(Duration(n * 10**9), Duration(step * 10**9)) for n, step in ((2, 2), (4, 3)))
SECONDS_A_CASE = 10


def compare_sparql(comparison, number):
    """Compare a query with all constructs of SPARQL on a trace: what varies in time is the default graph."""
    one, rng = case(number, 0.2), Random(number)
    semantics = rng.choice(list(get_args(Semantics)))
    setting = Setting(rng.choice(list(get_args(Profile))), semantics=semantics, ordered=True)
    query = replace(
        read_query(write_query(one.query), "query"),
        dataset=Dataset(),
        merged=(StreamBlock(STREAM, rng.choice((*WINDOWS, *SLIDING))),),
    )
    arrivals = [
        Fact(t, STREAM_PREDICATE, (*texts(triple), str(STREAM)))
        for triple in one.dataset.default
        for t in rng.sample(range(LAST + 1), rng.choice((1, 1, 2)))
    ]
    rng.shuffle(arrivals)
    named = {text_of(name): list(map(texts, triples)) for name, triples in one.dataset.named.items()}
    background = {
        ("triple", 4): [(*triple, name) for name, triples in named.items() for triple in triples],
        ("named", 1): [(name,) for name in named],
    }
    given_to_it = Situation(Interval(0, LAST), sorted(arrivals, key=lambda fact: fact.t), background)
    try:
        program = lars_program(query, setting)
        with limited(SECONDS_A_CASE):
            asked = range(LAST + 1), [output_of(query, setting).predicate]
            comparison.compare("sparql", program, given_to_it, asked)
    except (TooSlowError, LarsError) as error:
        comparison.found[f"sparql: {type(error).__name__}"] += 1


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", metavar="KIND")
    given_to = parser.parse_args()
    comparison = Comparison()
    quiet = settings(
        max_examples=given_to.cases, deadline=None, database=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    for kind in kinds(comparison):
        if given_to.kinds is None or kind.__name__ in given_to.kinds:
            seed(given_to.seed)(quiet(kind))()
    if given_to.kinds is None or "sparql" in given_to.kinds:
        first = given_to.seed * 1_000_000
        for number in range(first, first + given_to.cases):
            compare_sparql(comparison, number)
    for name, times in sorted(comparison.found.items()):
        print(f"{times:8} {name}")
    sys.exit(bool(comparison.found["DIFFERENT"]))


if __name__ == "__main__":
    main()
