"""What an element costs `lars watch`, from files and from a topic of a real broker, and are the rows right?

`python -m tests.benchmarks.watch_costs [1000000 10000000] [--topic PARTITIONS] [--master local[1]]` makes a
stream of each size, with elements that are up to two seconds late, and watches it, as files or as messages
of a topic (the pack "kafka"). Prints elements per second, and the memory of the greatest process of each
kind. With `--check`, compares the tables with those of `lars agree` on the whole; exit code 1: other rows.
With `--rate 200000`, files arrive at that many elements per second, and printed is how long each waited for
its verdicts, beside the length of the batches.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.agreement.comparing.watch.batches import HEADER, rows_of
from tests.agreement.comparing.watch.test_watch import PULL, PUSH, P, Q
from tests.agreement.results.test_watched import without
from tests.agreement.results.test_watched_topic import CREATE, SPARK, broker, on_spark
from tests.benchmarks import spark_costs
from tests.benchmarks.spark_costs import cost

PER_SECOND, SUBJECTS, PER_FILE, MADE_AT_ONCE, DELAY = 1000, 2000, 100_000, 2_000_000, 2
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
    rng, number, waiting = np.random.default_rng(size), 0, (np.empty(0, np.int64), [])
    with (folder / "whole.csv").open("w") as whole:
        whole.write(HEAD)
        # A piece at a time: the lines of 10^8 elements do not fit in memory.
        for first in range(0, size, MADE_AT_ONCE):
            count = min(MADE_AT_ONCE, size - first)
            lines = list(lines_of(rng, first, count))
            whole.writelines(lines)
            late = np.where(rng.random(count) < 0.1, rng.integers(1, PER_SECOND, count), 0)
            comes = np.concatenate([waiting[0], np.arange(first, first + count) + late])
            lines, order = [*waiting[1], *lines], np.argsort(comes, kind="stable")
            # What comes after the next piece begins waits for it.
            known = int((comes < first + count).sum()) if first + count < size else len(comes)
            known -= known % PER_FILE if first + count < size else 0
            for begin in range(0, known, PER_FILE):
                path = folder / "in" / f"{number:05}.csv"
                with path.open("w") as file:
                    file.writelines((HEAD, *(lines[n] for n in order[begin : min(begin + PER_FILE, known)])))
                os.utime(path, (1_700_000_000 + number,) * 2)
                number += 1
            waiting = comes[order[known:]], [lines[n] for n in order[known:].tolist()]


def lines_of(rng, first, count):
    """Yield the lines of elements, in the order of time."""
    seconds = (np.arange(first, first + count) // PER_SECOND + 1).tolist()
    subjects, kinds = rng.integers(0, SUBJECTS, count).tolist(), (rng.random(count) < 0.001).tolist()
    for second, subject, other in zip(seconds, subjects, kinds, strict=True):
        yield f"{second},http://e/s,http://e/{subject},{Q if other else P},1\n"


def watched(folder, source, given, *more):
    """Watch a stream to its end; print what it took."""
    options = ["--period", "2", "--delay", str(DELAY if given.topic is None else given.delay), "--once", "-q"]
    folders = ["--checkpoint", folder / "kept", "--out", folder / "out", "--master", given.master]
    queries = [folder / "pull.rq", folder / "push.rq"]
    command = [*LARS, "watch", *queries, "--source", source, *options, *folders, *more]
    wall, seconds, most = cost(list(map(str, command)))
    return wall, {kind: round(each, 1) for kind, each in seconds.items()}, most


def latencies(folder, given):
    """Return for how long each file waited for its verdicts, and how long the batches took, in seconds.

    The files come at `--rate` elements a second; the state of the watch says which of them are judged.
    """
    paths = sorted((folder / "in").iterdir())
    (folder / "arriving").mkdir()
    options = ["--period", "2", "--delay", str(DELAY), "-q", "--master", given.master, "--files", given.files]
    folders = ["--source", folder / "arriving", "--checkpoint", folder / "kept", "--out", folder / "out"]
    command = [*LARS, "watch", folder / "pull.rq", folder / "push.rq", *folders, *options, "--pause", "0.01"]
    came, judged, seen = [], [], {}
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL) as watch:
        paths[0].replace(folder / "arriving" / paths[0].name)
        while judged_files(folder) < 1:
            time.sleep(0.05)
        begun = time.monotonic()
        while len(judged) < len(paths) - 1:
            now = time.monotonic()
            while len(came) < len(paths) - 1 and now - begun >= len(came) * PER_FILE / given.rate:
                path = paths[len(came) + 1]
                # Spark takes files by their times, which are those of their arrival here.
                os.utime(path)
                path.replace(folder / "arriving" / path.name)
                came.append(time.monotonic())
            ready = judged_files(folder) - 1
            seen.setdefault(ready, time.monotonic())
            judged += [time.monotonic()] * (ready - len(judged))
            time.sleep(0.01)
        watch.terminate()
    batches = sorted(seen.values())
    waited = [end - start for start, end in zip(came, judged, strict=True)]
    return waited, [later - earlier for earlier, later in pairwise(batches)]


def judged_files(folder):
    """Return the number of files whose verdicts are written."""
    states = sorted((folder / "kept").glob("batch-*/state.json"), key=os.path.getmtime)
    try:
        return json.loads(states[-1].read_text())["files"] if states else 0
    except (FileNotFoundError, ValueError):
        return 0


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
    parser.add_argument("--rate", type=int, help="files come at this many elements a second; print latencies")
    given, equal = parser.parse_args(), True
    spark_costs.PAUSE = 0.5
    for size in given.sizes:
        with TemporaryDirectory(dir="/tmp") as name, ExitStack() as until:
            folder = Path(name)
            make(folder, size)
            if given.rate is not None:
                waited, batches = map(sorted, latencies(folder, given))
                middle, most = waited[len(waited) // 2], waited[-1]
                print(
                    f"{size} elements, {given.rate} per second: verdicts after {middle:.2f} s (median), "
                    f"{most:.2f} s (longest); {len(batches)} batches, of {batches[len(batches) // 2]:.2f} s "
                    f"(median), {batches[-1]:.2f} s (longest)",
                    flush=True,
                )
                continue
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
