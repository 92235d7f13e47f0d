"""What a triple costs `lars agree`, in this process and on Spark, from ten thousand triples to ten million.

`python -m tests.benchmarks.spark_costs [10000 100000 1000000] [--skew]` makes traces of YABench's
observations as Parquet and prints for each size and way wall seconds, CPU seconds and the memory of the
greatest process, each of the driver, of Java and of Python's workers, and microseconds of CPU a triple
beyond start-up, which is the run on the smallest trace. Beside it a Spark job that reads the table and
counts its values. With --skew nine of ten triples lie in a hundredth of the time. Needs Linux: processes
are watched while they run.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.agreement.command import lars
from tests.benchmarks.agree_queries import CASES
from tests.packs import ROOT
from tests.solver.spark.processes import below, says

PER_SECOND = 1400
PAUSE = 0.02
COUNTING = """import sys
from pyspark.sql import SparkSession
from solver.spark.session import spark_context
rows = SparkSession(spark_context(sys.argv[1])).read.parquet(sys.argv[2])
print(rows.selectExpr(*[f"count({name})" for name in rows.columns]).collect())"""
LARS = [sys.executable, "-m", "agreement.cli", "agree"]


def make(folder, triples, *, skew):
    """Return a trace of so many triples."""
    path = folder / f"{triples}.parquet"
    seconds = max(1, triples // PER_SECOND)
    options = ("--stations", 200, "--duration", f"{seconds}s", "--unit", "1s", "--in-process", "--overwrite")
    assert lars("generate", path, *options).code == 0
    if skew and triples > PER_SECOND:
        table = pq.read_table(path)
        even = table.column("t").to_numpy()
        burst = even.min() + (even - even.min()) * 10 // 9 * max(1, seconds // 100) // seconds
        # The first nine tenths come in a hundredth of the time, the rest in the other ninety-nine.
        cut = np.searchsorted(even, np.quantile(even, 0.9))
        later = np.linspace(burst[cut - 1] + 1, even.max(), len(even) - cut).astype(np.int64)
        times = np.concatenate((burst[:cut], later))
        path = folder / f"{triples}-skew.parquet"
        pq.write_table(table.set_column(table.schema.get_field_index("t"), "t", pa.array(times)), path)
    return path


KINDS = ("driver", "Java", "workers")


class Watch(Thread):
    """Watches the processes of a run: Python's workers have a daemon as parent, which waits for none."""

    def __init__(self, first):
        super().__init__(daemon=True)
        self.first, self.seconds, self.most, self.ended = first, {}, dict.fromkeys(KINDS, 0), Event()

    def run(self):
        while not self.ended.wait(PAUSE):
            for process in [self.first, *below(self.first)]:
                with suppress(OSError):
                    self.look(process)

    def look(self, process):
        """Note the CPU seconds of a process, and the most memory it had; of workers that of the greatest."""
        kind = "driver" if process == self.first else "Java" if says(process, "java") else "workers"
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        self.seconds[kind, process] = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        peak = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
        self.most[kind] = max(self.most[kind], peak // 1024)

    def end(self):
        """Return the CPU seconds of each kind, and the megabytes of its greatest process."""
        self.ended.set()
        self.join()
        seconds = {
            kind: sum(spent for (own, _), spent in self.seconds.items() if own == kind) for kind in KINDS
        }
        return seconds, self.most


def cost(command):
    """Run a command; return wall seconds, and CPU seconds and megabytes by kind of process."""
    started = time.perf_counter()
    first = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL)
    watch = Watch(first.pid)
    watch.start()
    code = first.wait()
    wall = time.perf_counter() - started
    assert code in (0, 1), command
    return wall, *watch.end()


def ways(folder, masters):
    """Return how each way is called on a table."""
    case = CASES[0]
    queries = [folder / "q1.cqels.rq", folder / "q1.csparql.rq"]
    for path, text in zip(queries, (case.pushed, case.pulled), strict=True):
        path.write_text(text)
    options = ["--unit", "1s", "--period", f"{case.step}s", "-q"]
    asked = {"in process": lambda table: [*LARS, *queries, table, *options, "--in-process"]}
    for master in masters:
        asked[master] = lambda table, master=master: [*LARS, *queries, table, *options, "--master", master]
    counted = masters[-1]
    asked[f"count on {counted}"] = lambda table: [sys.executable, "-c", COUNTING, counted, table]
    return asked


def main():
    """Read the options, run, print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--masters", nargs="*", default=["local[1]", "local[2]"])
    parser.add_argument("--skew", action="store_true")
    given = parser.parse_args()
    columns = [f"{kind} {unit}" for unit in ("s", "MB") for kind in KINDS]
    heads = " ".join(f"{head:>10}" for head in columns)
    print(f"{'way':20} {'triples':>9} {'wall s':>7} {heads} {'CPU s':>7} {'µs a triple':>12}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = (PER_SECOND, *given.sizes)
        # Elsewhere: a child's greatest memory is at first that of the process which began it.
        with ProcessPoolExecutor(1, get_context("fork")) as pool:
            made = pool.map(partial(make, folder, skew=given.skew), sizes)
            tables = dict(zip(sizes, made, strict=True))
        for way, called in ways(folder, given.masters).items():
            start = None
            for size, table in tables.items():
                wall, seconds, most = cost(list(map(str, called(table))))
                cpu = sum(seconds.values())
                start = cpu if start is None else start
                beyond = "" if size == PER_SECOND else f"{1e6 * (cpu - start) / size:12.1f}"
                values = [f"{one:10.1f}" for one in seconds.values()]
                values += [f"{one:10}" for one in most.values()]
                print(f"{way:20} {size:9} {wall:7.1f} {' '.join(values)} {cpu:7.1f} {beyond}", flush=True)


if __name__ == "__main__":
    main()
