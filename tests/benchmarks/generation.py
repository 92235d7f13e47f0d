"""How long a made-up trace takes to write, in this process and on Spark, and that both are the same.

Run it with `python -m tests.benchmarks.generation`; the ratio above 1 says that Spark is faster.
"""

import argparse
import filecmp
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from agreement.documents.generate import HALF_A_MINUTE, Plan
from agreement.documents.generate.plan import TRIPLES
from agreement.documents.generate.writing import TraceOutput, default_trace_unit, make
from solver.settings import Runner
from solver.spark.session import spark_context

KINDS = ("nquads", "csv", "trig", "parquet")


def seconds(output: TraceOutput, path: Path, runner: Runner) -> float:
    """Return how long a trace takes to write."""
    start = time.perf_counter()
    make(output, path, runner, overwrite=False)
    return time.perf_counter() - start


def same(one: Path, other: Path) -> bool:
    """Return whether two files, or two folders of files, hold the same bytes."""
    if one.is_file():
        return filecmp.cmp(one, other, shallow=False)
    names = sorted(path.name for path in one.iterdir())
    alike = names == sorted(path.name for path in other.iterdir())
    return alike and filecmp.cmpfiles(one, other, names, shallow=False)[0] == names


def measured(plan: Plan, master: str, folder: Path) -> Table:
    """Return the seconds of each format; both ways must write the same bytes."""
    started = time.perf_counter()
    spark_context(master)
    start = time.perf_counter() - started
    title = f"about {plan.expected_triples} triples; Spark {master} starts in {start:.1f} s"
    table = Table("format", "in process s", "Spark s", "ratio", "with the start", title=title)
    for kind in KINDS:
        output = TraceOutput(plan, kind, default_trace_unit(kind, plan.unit))
        here, there = folder / f"here-{kind}", folder / f"there-{kind}"
        ours, theirs = seconds(output, here, Runner(None, True)), seconds(output, there, Runner(master))
        assert same(here, there), f"{kind}: Spark writes other bytes"
        ratios = (f"{ours / theirs:.2f}", f"{ours / (theirs + start):.2f}")
        table.add_row(kind, f"{ours:.1f}", f"{theirs:.1f}", *ratios)
    return table


def main() -> None:
    """Read the options, run, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--master", default="local[2]")
    given = parser.parse_args()
    seen = HALF_A_MINUTE.nanoseconds // Plan().interval.nanoseconds * TRIPLES
    plan = Plan(stations=-(-given.triples // seen))
    with tempfile.TemporaryDirectory() as folder:
        Console().print(measured(plan, given.master, Path(folder)))


if __name__ == "__main__":
    main()
