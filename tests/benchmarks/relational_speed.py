"""What the relational evaluation costs, against a fresh clingo program per time point, and ours in clingo.

`python -m tests.benchmarks.relational_speed [-n 10 100 1000]` prints CPU milliseconds per evaluation time of
ans(X,Y) ← ⊞^30 ◇ p(X,Y), ⊞^5 ◇ q(Y), and how many times less that is than a program for each time. Facts go
in as Python values and rows at each time come out so, or facts go in as columns with a dictionary and rows
come out as a table, in Arrow, on both sides; without certification, with it as by default, of every
time, and all by clingo. With `--lars agree SAMPLE ..` it runs that command, and measures each program
that it evaluates instead. All ways must have the same rows.
"""

import argparse
import gc
import time
from collections import Counter
from contextlib import contextmanager
from unittest.mock import patch

import pyarrow as pa

from lars.language.formulas import Diamond, In
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Variable
from lars.language.windows import Interval, TimeWindow
from solver import pointwise, relational
from solver.columns import TermCodes, TraceColumns, in_time_order, trace_columns
from solver.facts import Situation
from solver.job import Question, certified_runs
from solver.pointwise import rows
from solver.relational import encode, situation_of
from solver.spark.task_bytes import pack_atoms, unpack_atoms
from tests.agreement.command import lars
from tests.benchmarks.slice_evaluation import LONG, SHORT, Load, plainly
from tests.solver.in_process import runs

X, Y = Variable("X"), Variable("Y")
BODY = In(TimeWindow(LONG), Diamond(Atom("p", (X, Y)))), In(TimeWindow(SHORT), Diamond(Atom("q", (Y,))))
PROGRAM = Program((Rule(Atom("ans", (X, Y)), BODY),))


class Watch:
    """Evaluates a time both ways: the seconds of each, and how many evaluation times there were."""

    def __init__(self):
        self.seconds = Counter()
        self.times = 0

    def __call__(self, program, situation, t, output):
        assert relational.obstacle(program, situation.background) is None
        answers = {}
        with self.timed("clingo"):
            answers["clingo"] = rows(program, situation, t, output)
        with self.timed("columns"):
            answers["columns"] = [row for row, _, _ in runs(program, situation, [t], output)]
        encoded = relational.encode(situation)
        with self.timed("encoded"):
            relational.evaluate_program(program, encoded, [t], output)
        assert set(answers["clingo"]) == set(answers["columns"])
        self.times += 1
        return answers["clingo"]

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


QUESTION = Question(PROGRAM, ("ans", 2), None)
WAYS = {
    "uncertified": ("auto", "none"),
    "default": ("auto", "some"),
    "certify all": ("auto", "all"),
    "clingo": ("clingo", "none"),
}


def in_values(facts, points, evaluator, certify):
    """Return the rows at each time as Python values, from facts as such."""
    timeline = Interval(0, points - 1)
    here = encode(Situation(timeline, facts, {}))
    found = certified_runs(QUESTION, here, timeline, evaluator, certify)
    by_time = found.by_time()
    return [by_time.get(t, frozenset()) for t in range(points)], found.certified


def in_arrow(content, points, evaluator, certify):
    """Return a table of the rows with the first and last time of their runs, from facts as Spark has them."""
    timeline, terms = Interval(0, points - 1), TermCodes()
    columns = TraceColumns(terms, in_time_order(unpack_atoms([content], terms)), timeline.last)
    found = certified_runs(QUESTION, situation_of(columns, timeline, {}), timeline, evaluator, certify)
    texts = pa.array(found.terms.texts(range(len(found.terms))))
    rows = [pa.DictionaryArray.from_arrays(pa.array(column), texts) for column in found.runs.columns]
    ends = (pa.array(found.times[end]) for end in (found.runs.first, found.runs.last))
    return pa.table([*rows, *ends], names=["X", "Y", "first", "last"])


def seconds(run):
    """Return the CPU seconds of a run, and what it returns."""
    begin = time.process_time()
    found = run()
    return time.process_time() - begin, found


def loads(sizes, points, naive_points):
    """Print the lines of each load."""
    for size in sizes:
        facts = Load(size, points, 1).facts()
        known = trace_columns(facts)
        content = pack_atoms(known.atoms, known.terms)
        gc.freeze()
        # Whole windows only: those of the first times are smaller.
        times = range(LONG, points, max(1, (points - LONG) // naive_points))
        naive, expected = seconds(lambda facts=facts, times=times: plainly(facts, times))
        arrow, _ = seconds(lambda found=expected: [as_table(rows) for rows in found])
        each = {"values": naive / len(times), "Arrow": (naive + arrow) / len(times)}
        print(f"{size} facts a point: a program for each time {1000 * each['values']:.2f} ms")
        for name, how in WAYS.items():
            took, (rows, certified) = seconds(lambda facts=facts, how=how: in_values(facts, points, *how))
            assert [rows[t] for t in times] == expected
            said = [line("values", took / points, each)]
            took, found = seconds(lambda content=content, how=how: in_arrow(content, points, *how))
            assert found.num_rows or not any(rows)
            said.append(line("Arrow", took / points, each))
            print(f"  {name:12} {'; '.join(said)}; {certified} of {points} certified", flush=True)


def as_table(rows):
    """Return rows as a table of Arrow."""
    return pa.table(list(map(list, zip(*rows, strict=True))) or [[], []], names=["X", "Y"])


def line(name, took, each):
    """Return what a way costs, and how many times less than a program per point."""
    return f"{name} {1000 * took:8.3f} ms, {each[name] / took:6.1f} times"


def command(arguments):
    """Print a line for what a command of `lars` evaluates."""
    watch = Watch()
    with patch.object(pointwise, "rows", watch):
        ran = lars(*arguments, "--in-process")
    print(f"{' '.join(arguments)} (exit {ran.code}): {watch.line()}", flush=True)


def main():
    """Read the options, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--per-point", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--naive-points", type=int, default=20, help="time points of the naive way")
    parser.add_argument("--lars", nargs=argparse.REMAINDER, help="a command of lars with its arguments")
    given = parser.parse_args()
    # As the command does.
    gc.set_threshold(200_000, 20, 50)
    gc.freeze()
    if given.lars:
        command(given.lars)
    else:
        loads(given.per_point, given.points, given.naive_points)


if __name__ == "__main__":
    main()
