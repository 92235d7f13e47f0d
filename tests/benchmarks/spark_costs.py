"""What a triple costs `lars agree`, in this process and on Spark, from ten thousand triples to ten million.

`python -m tests.benchmarks.spark_costs [10000 100000 1000000] [--skew]` makes traces of YABench's
observations as Parquet and prints for each size and way CPU seconds of all processes, wall seconds, the
memory of the greatest process, and microseconds of CPU a triple beyond start-up, which is the run on the
smallest trace. Beside it a Spark job that reads the table and counts its values. With --skew nine of ten
triples lie in a hundredth of the time. Needs Linux: processes are counted as they end, Python's workers,
which nobody waits for, while they run.
"""

import argparse
import ctypes
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
from tests.solver.spark.processes import below, children, daemon, says

PER_SECOND = 1400
SUBREAPER = 36
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


class Workers(Thread):
    """Watches Python's workers on Spark: their parent, a daemon, does not know what they take."""

    def __init__(self, first):
        super().__init__(daemon=True)
        self.first, self.seconds, self.ended = first, {}, Event()

    def run(self):
        while not self.ended.wait(PAUSE):
            # Workers are children of a daemon that Java has begun.
            daemons = [one for one in below(self.first) if says(one, "pyspark.daemon") and daemon(one)]
            for worker in [child for one in daemons for child in children(one)]:
                with suppress(OSError):
                    fields = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
                    # Its own time, and that of the processes that it has waited for.
                    self.seconds[worker] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """Return how many seconds all of them took."""
        self.ended.set()
        self.join()
        return sum(self.seconds.values())


def cost(command):
    """Run a command; return CPU seconds of all its processes, wall seconds, megabytes of the greatest."""
    started = time.perf_counter()
    first = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL)
    workers = Workers(first.pid)
    workers.start()
    cpu, most, code = 0.0, 0, 0
    while True:
        try:
            pid, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            break
        if pid == first.pid:
            code, wall = os.waitstatus_to_exitcode(status), time.perf_counter() - started
        cpu += used.ru_utime + used.ru_stime
        most = max(most, used.ru_maxrss)
    first.returncode = code
    assert code in (0, 1), command
    return cpu + workers.end(), wall, most // 1024


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
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    print(f"{'way':20} {'triples':>9} {'CPU s':>7} {'wall s':>7} {'MB':>6} {'µs a triple':>12}")
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
                cpu, wall, most = cost(list(map(str, called(table))))
                start = cpu if start is None else start
                beyond = "" if size == PER_SECOND else f"{1e6 * (cpu - start) / size:12.1f}"
                print(f"{way:20} {size:9} {cpu:7.1f} {wall:7.1f} {most:6} {beyond}", flush=True)


if __name__ == "__main__":
    main()
