"""What the relational evaluation costs, against runs in clingo and a fresh clingo program per time point.

`python -m tests.benchmarks.relational_speed [-n 10 100 1000]` prints CPU milliseconds per evaluation
time of ans(X,Y) ← ⊞^30 ◇ p(X,Y), ⊞^5 ◇ q(Y). With `--lars agree SAMPLE ..` it runs that command and
measures each program that it evaluates instead. "encoded" is what is left where a trace is in columns
already and answers stay there. All ways must have the same rows.
"""

import argparse
import time
from collections import Counter
from contextlib import contextmanager
from unittest.mock import patch

from lars.formulas import Diamond, In
from lars.program import Program, Rule
from lars.terms import Atom, Variable
from lars.windows import Interval, TimeWindow
from solver import relational
from solver.facts import Situation
from solver.job import evaluation
from solver.pointwise import runs
from tests.agreement.command import lars
from tests.benchmarks.slice_evaluation import LONG, SHORT, Load, plainly

X, Y = Variable("X"), Variable("Y")
BODY = In(TimeWindow(LONG), Diamond(Atom("p", (X, Y)))), In(TimeWindow(SHORT), Diamond(Atom("q", (Y,))))
PROGRAM = Program((Rule(Atom("ans", (X, Y)), BODY),))


class Watch:
    """Evaluates as runs do, and both ways: the seconds of each, and how many evaluation times there were."""

    def __init__(self):
        self.seconds = Counter()
        self.times = 0

    def __call__(self, program, situation, times, output):
        assert relational.obstacle(program, situation.background) is None
        answers = {}
        for name, way in (("clingo", runs), ("columns", relational.runs)):
            with self.timed(name):
                found = list(way(program, situation, times, output))
            answers[name] = {(row, i) for row, first, last in found for i in range(first, last + 1)}
        encoded = relational.encoded(situation)
        with self.timed("encoded"):
            relational.evaluated(program, encoded, times, output)
        assert answers["clingo"] == answers["columns"]
        self.times += len(times)
        return iter(found)

    @contextmanager
    def timed(self, name):
        """Add the CPU time of what is done within."""
        begin = time.process_time()
        yield
        self.seconds[name] += time.process_time() - begin

    def line(self):
        """Return what one evaluation time costs each way, in milliseconds."""
        each = {name: 1000 * seconds / max(1, self.times) for name, seconds in self.seconds.items()}
        ratio = self.seconds["clingo"] / max(self.seconds["columns"], 1e-9)
        costs = ", ".join(f"{name} {cost:.3f} ms" for name, cost in each.items())
        return f"{self.times} evaluation times, each: {costs}; {ratio:.1f} times"


def loads(sizes, points, naive_points):
    """Print a line for each load."""
    for size in sizes:
        facts, watch = Load(size, points, 1).facts(), Watch()
        answers = list(
            watch(PROGRAM, Situation(Interval(0, points - 1), facts, {}), range(points), ("ans", 2))
        )
        begin = time.process_time()
        naive = plainly(facts, naive_points)
        each = 1000 * (time.process_time() - begin) / max(1, naive_points)
        for t, rows in enumerate(naive):
            assert rows == {row for row, first, last in answers if first <= t <= last}
        print(f"{size} facts a point: {watch.line()}; a program per point {each:.2f} ms", flush=True)


def command(arguments):
    """Print a line for what a command of `lars` evaluates."""
    watch = Watch()
    with patch.object(evaluation, "runs", watch):
        ran = lars(*arguments, "--in-process")
    print(f"{' '.join(arguments)} (exit {ran.code}): {watch.line()}", flush=True)


def main():
    """Read the options, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--per-point", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--naive-points", type=int, default=40, help="time points of the naive way")
    parser.add_argument("--lars", nargs=argparse.REMAINDER, help="a command of lars with its arguments")
    given = parser.parse_args()
    if given.lars:
        command(given.lars)
    else:
        loads(given.per_point, given.points, given.naive_points)


if __name__ == "__main__":
    main()
