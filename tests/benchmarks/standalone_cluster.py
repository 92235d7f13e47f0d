"""`lars agree` on a standalone cluster, a master and two workers on this machine: the bytes of one process?

`python -m tests.benchmarks.standalone_cluster [100000 1000000]` starts the cluster on the Java that the
program picks (`solver/spark/session.py`), prints for each size and form what the run took, wall seconds and
CPU seconds of the driver without its Java, and whether it printed the same; exit code 1: it did not.
"""

import argparse
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pyspark

from solver.spark.session import java_home, java_of
from tests.benchmarks.agree_queries import CASES
from tests.benchmarks.spark_costs import LARS, make
from tests.packs import ROOT
from tests.solver.spark.processes import waited

DEPLOY = "org.apache.spark.deploy"
FORMS = ((), ("--json",))


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
    home = java_home(os.environ, folder / "java")
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


def ran(table, queries, *options):
    """Return what a comparison prints, its wall seconds and CPU seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = subprocess.run(
        [*LARS, *queries, table, "--unit", "1s", "--period", "1,5,60", "-q", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stderr.decode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return run.stdout, time.perf_counter() - started, cpu


def main():
    """Read the options, start the cluster, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    given, same = parser.parse_args(), True
    with tempfile.TemporaryDirectory() as name, cluster(Path(name)) as url:
        folder = Path(name)
        queries = [folder / "q1.cqels.rq", folder / "q1.csparql.rq"]
        for path, text in zip(queries, (CASES[0].pushed, CASES[0].pulled), strict=True):
            path.write_text(text)
        for size in given.sizes:
            table = make(folder, size, skew=False)
            for form in FORMS:
                here, *_ = ran(table, queries, "--in-process", *form)
                there, wall, cpu = ran(table, queries, "--master", url, *form)
                same &= here == there
                what = f"{size:9} triples {' '.join(form) or 'as text':8} {len(there):10} bytes"
                verdict = "the same" if here == there else "OTHER BYTES"
                print(f"{what} {wall:7.1f} s wall {cpu:6.1f} s CPU: {verdict}", flush=True)
    sys.exit(not same)


if __name__ == "__main__":
    main()
