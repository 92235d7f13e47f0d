"""How long a made-up trace takes to read as columns, against row by row: CPU seconds in each format.

`python -m tests.benchmarks.reading_speed --stations 200 --seconds 100` reads 140,000 triples of each format.
"""

import argparse
import gc
import tempfile
import time
import warnings
from pathlib import Path

from rich.console import Console
from rich.table import Table

from agreement.documents.generate import Plan
from agreement.documents.generate.writing import TraceOutput, make
from lars.durations import SECOND, Duration
from solver.settings import Runner, TraceOptions
from solver.traces import prepare, read_columns
from tests.solver.traces.both_readings import read_here

SUFFIXES = {
    "parquet": ".parquet",
    "nquads": ".nq",
    "ntriples": ".nt",
    "yabench": ".nt",
    "csv": ".csv",
    "trig": ".trig",
}
OPTIONS = TraceOptions(unit=SECOND, trace_unit=SECOND)


def cpu_seconds(read, sources, times):
    """Return the least CPU seconds of some readings."""
    found = []
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        read(sources, OPTIONS)
        found.append(time.process_time() - start)
    return min(found)


def measured(plan, folder):
    """Return the seconds of each format."""
    table = Table("format", "row by row s", "columns s", "ratio", title=f"{plan.expected_triples} triples")
    for kind, suffix in SUFFIXES.items():
        path = folder / f"{kind}{suffix}"
        make(TraceOutput(plan, kind, SECOND), path, Runner(None, True), overwrite=False)
        sources = prepare([path], OPTIONS)
        by_rows, by_columns = cpu_seconds(read_here, sources, 1), cpu_seconds(read_columns, sources, 3)
        table.add_row(kind, f"{by_rows:.2f}", f"{by_columns:.2f}", f"{by_rows / by_columns:.1f}")
    return table


def main():
    """Read the options, run, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stations", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=100)
    given = parser.parse_args()
    plan = Plan(given.stations, duration=Duration(given.seconds * 10**9), unit=SECOND)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Console().print(measured(plan, Path(folder)))


if __name__ == "__main__":
    main()
