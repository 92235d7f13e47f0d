"""What an element costs `lars watch`, from files and from a topic of a real broker, and are the rows right?

`python -m tests.benchmarks.watch_costs [1000000 10000000] [--topic PARTITIONS] [--master local[1]]` makes a
stream of each size, with elements that are up to two seconds late, and watches it, as files or as messages
of a topic (the pack "kafka"). Prints elements per second, and the memory of the greatest process of each
kind. With `--check`, compares the tables with those of `lars agree` on the whole; exit code 1: other rows.
"""

import argparse
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.agreement.comparing.watch.batches import HEADER, rows_of
from tests.agreement.comparing.watch.test_watch import PULL, PUSH, P, Q
from tests.agreement.results.test_watched import without
from tests.agreement.results.test_watched_topic import CREATE, SPARK, broker, on_spark
from tests.benchmarks import spark_costs
from tests.benchmarks.spark_costs import cost

PER_SECOND, SUBJECTS, PER_FILE, DELAY = 1000, 2000, 100_000, 2
LARS = [sys.executable, "-m", "agreement.cli"]
HEAD = ",".join(HEADER) + "\n"
# Files are sent one after the other: Spark would read parts of one large file in another order.
SEND = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
address, jars, topic, folder, head = sys.argv[1:]
session = SparkSession.builder.master("local[1]").config("spark.jars", jars).getOrCreate()
def send(lines):
    writer = lines.write.format("kafka").option("kafka.bootstrap.servers", address).option("topic", topic)
    writer.save()
send(session.createDataFrame([(head,)], "value string"))
for path in sorted(Path(folder).iterdir()):
    lines = session.read.text(str(path)).where("value not like 't,%'")
    send(lines.selectExpr("value", "split(value, ',')[2] as key"))
"""


def make(folder, size):
    """Write a stream as files in the order of arrival, and as one file in the order of time."""
    (folder / "in").mkdir(parents=True)
    (folder / "pull.rq").write_text(PULL)
    (folder / "push.rq").write_text(PUSH)
    rng = np.random.default_rng(size)
    t = np.arange(size) // PER_SECOND + 1
    late = np.where(rng.random(size) < 0.1, rng.integers(1, PER_SECOND, size), 0)
    lines = [
        f"{second},http://e/s,http://e/{subject},{Q if other else P},1\n"
        for second, subject, other in zip(
            t.tolist(),
            rng.integers(0, SUBJECTS, size).tolist(),
            (rng.random(size) < 0.001).tolist(),
            strict=True,
        )
    ]
    with (folder / "whole.csv").open("w") as file:
        file.writelines((HEAD, *lines))
    order = np.argsort(np.arange(size) + late, kind="stable").tolist()
    for number, first in enumerate(range(0, size, PER_FILE)):
        path = folder / "in" / f"{number:05}.csv"
        with path.open("w") as file:
            file.writelines((HEAD, *(lines[n] for n in order[first : first + PER_FILE])))
        os.utime(path, (1_700_000_000 + number,) * 2)


def watched(folder, source, given, *more):
    """Watch a stream to its end; print what it took."""
    options = ["--period", "2", "--delay", str(DELAY if given.topic is None else given.delay), "--once", "-q"]
    folders = ["--checkpoint", folder / "kept", "--out", folder / "out", "--master", given.master]
    queries = [folder / "pull.rq", folder / "push.rq"]
    command = [*LARS, "watch", *queries, "--source", source, *options, *folders, *more]
    wall, seconds, most = cost(list(map(str, command)))
    return wall, {kind: round(each, 1) for kind, each in seconds.items()}, most


def same(folder):
    """Whether the tables are those of `lars agree` on the whole, up to the last judged period."""
    end = rows_of(folder / "out", "periods")[-1][3]
    queries = [folder / name for name in ("pull.rq", "push.rq", "whole.csv")]
    options = ["--to", end, "--period", "2", "--in-process", "--out", folder / "agree", "--out-format", "csv"]
    wall, _, most = cost(list(map(str, [*LARS, "agree", *queries, *options, "-q"])))
    print(f"  lars agree: {wall:.0f} s, {most['driver']} MB", flush=True)
    equal = True
    for name, left_out in (("periods", "empty"), ("differences", "pushed")):
        expected, found = rows_of(folder / "agree", name), rows_of(folder / "out", name)
        equal &= without(found, left_out) == without(expected, left_out)
        print(f"  {name}: {len(found) - 1} rows, {len(expected) - 1} expected", flush=True)
    late = len(rows_of(folder / "out", "too-late")) - 1
    print(f"  {'the same' if equal else 'OTHER ROWS'}, {late} elements too late", flush=True)
    return equal


def main():
    """Read the options, measure, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--topic", type=int, metavar="PARTITIONS")
    parser.add_argument("--delay", type=int, default=30, help="for a topic, whose partitions are merged")
    parser.add_argument("--master", default="local[1]")
    parser.add_argument("--files", default="5")
    parser.add_argument("--check", action="store_true")
    given, equal = parser.parse_args(), True
    spark_costs.PAUSE = 0.5
    for size in given.sizes:
        with TemporaryDirectory(dir="/tmp") as name, ExitStack() as until:
            folder = Path(name)
            make(folder, size)
            source, more = folder / "in", ["--files", given.files]
            if given.topic is not None:
                address = until.enter_context(broker(folder))
                on_spark(CREATE, address, "elements", given.topic)
                on_spark(SEND, address, "elements", folder / "in", HEAD.strip())
                source, more = f"kafka://{address}/elements", ["--jars", SPARK]
            wall, seconds, most = watched(folder, source, given, *more)
            of = "files" if given.topic is None else f"a topic with {given.topic} partitions"
            rate = f"{size / wall:.0f} elements per second"
            print(f"{size} elements from {of}: {wall:.1f} s, {rate}, CPU s {seconds}, MB {most}", flush=True)
            equal &= not given.check or same(folder)
    sys.exit(not equal)


if __name__ == "__main__":
    main()
