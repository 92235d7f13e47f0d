"""`lars agree` on a standalone cluster, a master and two workers on this machine: the bytes of one process?

`python -m tests.benchmarks.standalone_cluster [100000 1000000]` starts the cluster on the Java that the
program picks (`solver/spark/session.py`), prints for each size and form what the run took, wall seconds and
CPU seconds of the driver without its Java, the memory of the greatest process of each kind, and whether it
printed the same; exit code 1: it did not. `--driver 512` gives the driver's Java so many megabytes,
`--table FOLDER` takes a trace that is there, and `--alone` compares with nothing.
"""

import argparse
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import pyspark

from solver.spark.session import find_java, java_home, java_of
from tests.benchmarks.agree_queries import CASES
from tests.benchmarks.spark_costs import LARS, make
from tests.packs import ROOT
from tests.solver.spark.processes import below, says, waited

DEPLOY = "org.apache.spark.deploy"
FORMS = ((), ("--json",))
KINDS = {"driver": "agreement.cli", "its Java": "SparkSubmit", "executor": "CoarseGrained", "task": ".daemon"}


def free_port():
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def answers(port):
    """Whether somebody listens on a port."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def cluster(folder, workers=2):
    """Give the URL of a master that has so many workers of one core each; all of them end at the end."""
    home = java_home(find_java(os.environ), folder / "java")
    found, port = java_of(home / "bin" / "java"), free_port()
    print(f"Java {found.version}, {home}")
    environment = {**os.environ, "JAVA_HOME": str(home), "SPARK_LOCAL_DIRS": str(folder)}
    call = [str(Path(pyspark.__file__).parent / "bin" / "spark-class")]
    url = f"spark://127.0.0.1:{port}"
    names = [("master.Master", "--port", str(port))]
    names += [("worker.Worker", "-c", "1", "-m", "3G", "-d", str(folder / "work"), url)] * workers
    begun, log = [], (folder / "cluster.log").open("w+")
    try:
        for name, *options in names:
            command = [*call, f"{DEPLOY}.{name}", "--host", "127.0.0.1", "--webui-port", "0", *options]
            begun.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            waited(lambda: answers(port), pause=0.1)
        text = Path(log.name)
        waited(lambda: text.read_text().count("Successfully registered with master") == workers, pause=0.1)
        yield url
    finally:
        for one in begun:
            one.terminate()
            one.wait()
        log.close()


class Peaks(Thread):
    """Watches the processes below this one: the most megabytes of a process of each kind."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most, self.ended = dict.fromkeys(KINDS, 0), Event()

    def run(self):
        while not self.ended.wait(0.1):
            for process in below(os.getpid()):
                for kind in (kind for kind, word in KINDS.items() if says(process, word)):
                    self.most[kind] = max(self.most[kind], peak(process))

    def end(self):
        """Return the peaks as text."""
        self.ended.set()
        self.join()
        return ", ".join(f"{kind} {most} MB" for kind, most in self.most.items() if most)


def peak(process):
    """Return the greatest memory that a process had, in megabytes; 0 if it has ended."""
    with suppress(OSError):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)
    return 0


def ran(table, queries, driver, period, *options):
    """Return what a comparison prints, its wall seconds, CPU seconds and memory."""
    before, started, peaks = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter(), Peaks()
    peaks.start()
    submitted = {"PYSPARK_SUBMIT_ARGS": f"--driver-memory {driver}m pyspark-shell"} if driver else {}
    run = subprocess.run(
        [*LARS, *queries, table, "--unit", "1s", "--period", period, "-q", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT), **submitted},
        capture_output=True,
        check=False,
    )
    most = peaks.end()
    assert run.returncode in (0, 1), run.stderr.decode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return run.stdout, time.perf_counter() - started, cpu, most


def main():
    """Read the options, start the cluster, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--driver", type=int)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--period", default="1,5,60")
    parser.add_argument("--alone", action="store_true")
    given, same = parser.parse_args(), True
    with tempfile.TemporaryDirectory() as name, cluster(Path(name)) as url:
        folder = Path(name)
        queries = [folder / "q1.cqels.rq", folder / "q1.csparql.rq"]
        for path, text in zip(queries, (CASES[0].pushed, CASES[0].pulled), strict=True):
            path.write_text(text)
        for size in [given.table.name] if given.table else given.sizes:
            table = given.table or make(folder, size, skew=False)
            for form in FORMS[: 1 if given.alone else 2]:
                there, wall, cpu, most = ran(
                    table, queries, given.driver, given.period, "--master", url, *form
                )
                what = f"{size:>9} triples {' '.join(form) or 'as text':8} {len(there):10} bytes"
                verdict = "not compared"
                if not given.alone:
                    here, *_ = ran(table, queries, None, given.period, "--in-process", *form)
                    same &= here == there
                    verdict = "the same" if here == there else "OTHER BYTES"
                print(f"{what} {wall:7.1f} s wall {cpu:6.1f} s CPU: {verdict}; {most}", flush=True)
    sys.exit(not same)


if __name__ == "__main__":
    main()
