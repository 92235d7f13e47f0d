"""Kills of `lars watch` at random moments: the tables must be byte for byte those of an uninterrupted run.

`python -m tests.benchmarks.watch_kills [KILLS] [SEED]` kills the program, Java, or both, or lets the disk of
the tables be full, and repeats the command. After some kills the watch ends, and its tables are compared.
Prints each comparison, and the numbers of kills; exit code 1: a table is different. A full disk needs root,
for a file system in memory; otherwise it is left out.

With `--cluster`, the watch runs on a master and two workers, whose executors are also killed. With `--topic`,
the rows go to a topic of a real broker (the pack "kafka"), and the records with distinct keys are compared.

`python -m tests.benchmarks.watch_kills --forked [KILLS] [SEED]`: copies of one process, which need not start,
are killed. Another loop stands for Spark: it stores after each batch that the batch is finished.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from agreement.results.files.watched import watch
from lars.files import replacement_path
from solver.spark import streaming
from tests.agreement.comparing.watch.batches import written
from tests.agreement.comparing.watch.test_watch import PULL, PUSH, P, Q
from tests.agreement.results.test_watched_topic import CREATE, READ, SPARK, broker, on_spark
from tests.benchmarks.standalone_cluster import cluster
from tests.packs import ROOT
from tests.solver.spark.processes import below, says, waited

FILES, ELEMENTS, TOGETHER = 30, 24, 8
WATCH = [
    sys.executable,
    "-m",
    "agreement.cli",
    "watch",
    "pull.rq",
    "push.rq",
    "--source",
    "in",
    "--delay",
    "2",
]
HOW = ["--period", "2", "--files", "1", "--certify", "none"]


def stream(rng, folder):
    """Write the files of a stream, with some elements that are late and some that are too late."""
    (folder / "in").mkdir(parents=True)
    (folder / "pull.rq").write_text(PULL)
    (folder / "push.rq").write_text(PUSH)
    for number in range(FILES):
        times = [number * 8 + n // 3 + 1 for n in range(ELEMENTS)]
        times = [max(1, t - rng.choice((0, 0, 0, 0, 1, 2, 5))) for t in times]
        rows = [(t, "http://e/s", f"http://e/{rng.randrange(3)}", rng.choice((P, Q)), "1") for t in times]
        path = written(folder / "in" / f"{number:03}.csv", rows)
        os.utime(path, (1_700_000_000 + number,) * 2)


def command(out, checkpoint, *more):
    where = more or ("--master", "local[1]")
    return [*WATCH, *HOW, "--checkpoint", str(checkpoint), "--out", str(out), *where]


def started(folder, words):
    how = {"cwd": folder, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, "start_new_session": True}
    with (folder / "log.txt").open("ab") as log:
        return subprocess.Popen([*words, "--pause", "0.01"], stdout=log, stderr=log, **how)


def ended(folder, words):
    """Run a watch to the end of the files; return its tables."""
    how = {"cwd": folder, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
    run = subprocess.run([*words, "--once"], capture_output=True, text=True, check=False, **how)
    assert run.returncode in {0, 1}, run.stderr


def tables(out):
    return {path.name: path.read_bytes() for path in sorted(Path(out).iterdir()) if path.is_file()}


def batch(checkpoint):
    numbers = [int(path.name[6:]) for path in Path(checkpoint).glob("batch-*") if path.name[6:].isdigit()]
    return max(numbers, default=-1)


def of_topic(address, name):
    """Return the records of a topic as the lines of tables: the last record of each key."""
    records = dict(json.loads(line) for line in on_spark(READ, address, name).splitlines())
    numbered = sorted((key.split("/")[0], int(key.split("/")[1]), row) for key, row in records.items())
    lines = {row.pop("table"): [] for *_, row in numbered}
    for table, number, row in numbered:
        assert number == len(lines[table]), (table, number)
        lines[table].append(json.dumps(row, ensure_ascii=False) + "\n")
    return {f"{table}.jsonl": "".join(own).encode() for table, own in lines.items()}


def executors():
    """Return the processes of executors of the cluster that this process began."""
    return [pid for pid in below(os.getpid()) if says(pid, "CoarseGrainedExecutorBackend")]


def kill(rng, run, checkpoint, counted, *, on_cluster):
    """Kill executors, the program, Java or both: after a random batch and a pause, or while it starts."""
    if on_cluster:
        waited(lambda: run.poll() is not None or executors(), 120, 0.05)
        for pid in executors()[: rng.randint(0, 2)]:
            sleep(rng.random())
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                counted["executor"] += 1
    kind = rng.choice(("program", "java", "both"))
    if rng.random() < 0.15:
        sleep(rng.random() * 12)
    else:
        wanted = batch(checkpoint) + rng.randint(1, 3)
        waited(lambda: run.poll() is not None or batch(checkpoint) >= min(wanted, FILES - 2), 300, 0.01)
        sleep(rng.random() * 0.7)
    if kind == "java":
        waited(lambda: run.poll() is not None or any(says(pid, "java") for pid in below(run.pid)), 120, 0.01)
    others = [pid for pid in below(run.pid) if says(pid, "java")]
    with suppress(ProcessLookupError):
        if kind == "both":
            os.killpg(run.pid, signal.SIGKILL)
        elif kind == "java":
            for pid in others:
                os.kill(pid, signal.SIGKILL)
        else:
            run.kill()
    try:
        run.wait(120)
    except subprocess.TimeoutExpired:
        kind = f"{kind} (hangs)"
    for pid in others:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if run.poll() is None:
        run.kill()
        run.wait()
    return kind


def full_disk(folder, out, checkpoint, size):
    """Let a watch write its tables to a disk that becomes full; return whether it ended with an error."""
    run = started(folder, command(out, checkpoint))
    waited(lambda: run.poll() is not None or batch(checkpoint) >= FILES - 1, 300, 0.05)
    code = run.poll()
    if code is None:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    subprocess.run(["mount", "-o", f"remount,size={size}", str(out)], check=True)
    return code


def by_loop(_, checkpoint, step, *__):
    """Ask for the batches after the last finished one, as Spark does; each has one file."""
    done = checkpoint.parent / "finished"
    files = sorted(Path("in").iterdir())
    for number in range(int(done.read_text()) + 1 if done.exists() else 0, FILES):
        offsets = checkpoint / "offsets"
        offsets.mkdir(parents=True, exist_ok=True)
        (offsets / str(number)).touch()
        yield step(number, [files[number].resolve()])
        with replacement_path(done) as new:
            new.write_text(str(number))


def copy_of_process(out, checkpoint):
    """Run a watch in a copy of this process; return its number."""
    pid = os.fork()
    if pid:
        return pid
    try:
        folders = {"source": "in", "checkpoint": str(checkpoint), "out": str(out)}
        for _ in watch("pull.rq", "push.rq", **folders, delay=2, period=2, certify="none").parts():
            pass
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - a copy must not go on as this process
        print(repr(error), flush=True)
        os._exit(1)


@contextmanager
def small_disk(out, pages):
    """Make a folder whose file system in memory has some pages of 4096 bytes; needs root."""
    Path(out).mkdir()
    if pages:
        size = f"size={4096 * pages}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(out)], check=True)
    try:
        yield
    finally:
        if pages:
            subprocess.run(["umount", str(out)], check=False)


def grow(out):
    subprocess.run(["mount", "-o", "remount,size=16m", str(out)], check=True)


def forked(kills, seed):
    """Kill copies of this process at random moments; return the number of different tables."""
    rng, killed, full, rounds, wrong = random.Random(seed), 0, 0, 0, 0
    streaming.folder_batches = by_loop
    with TemporaryDirectory(dir="/tmp") as name, chdir(name):
        stream(rng, Path(name))
        begun = monotonic()
        assert os.waitpid(copy_of_process("whole", "kept whole"), 0)[1] == 0
        expected, usual = tables("whole"), monotonic() - begun
        while killed < kills:
            rounds += 1
            # A copy that ends with an error had no room for its tables.
            out, checkpoint, code = f"out {rounds}", f"kept {rounds}", None
            pages = rng.randint(3, 6) if os.geteuid() == 0 and rounds % 2 else 0
            Path("finished").unlink(missing_ok=True)
            with small_disk(out, pages):
                while code != 0:
                    pid = copy_of_process(out, checkpoint)
                    sleep(rng.random() * usual / 3)
                    if not (ended_by := os.waitpid(pid, os.WNOHANG))[0] and killed < kills:
                        os.kill(pid, signal.SIGKILL)
                        killed += 1
                    code = ended_by[1] if ended_by[0] else os.waitpid(pid, 0)[1]
                    if pages and os.WIFEXITED(code) and code:
                        grow(out)
                        pages, full = 0, full + 1
                    elif code and not os.WIFSIGNALED(code):
                        break
                wrong += code != 0 or tables(out) != expected
        print(killed, "kills of copies,", full, "full disks,", rounds, "watches,", wrong, "different")
    return wrong


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int, nargs="?", default=60)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    for name in ("--forked", "--cluster", "--topic"):
        parser.add_argument(name, action="store_true")
    return parser.parse_args()


def main():
    given = options()
    kills, seed = given.kills, given.seed
    if given.forked:
        sys.exit(bool(forked(kills, seed)))
    rng, counted, wrong = random.Random(seed), Counter(), 0
    with TemporaryDirectory(dir="/tmp") as name, ExitStack() as until:
        folder = Path(name)
        stream(rng, folder)
        more = ["--master", until.enter_context(cluster(folder))] if given.cluster else []
        whole = [*more, "--out-format", "jsonl"] if given.topic else more
        ended(folder, command("whole", "kept whole", *whole))
        expected = tables(folder / "whole")
        if given.topic:
            address = until.enter_context(broker(folder))
            expected = {table: text for table, text in expected.items() if text}
            more = [*(more or ("--master", "local[1]")), "--jars", str(SPARK)]
        print({table: len(text) for table, text in expected.items()}, flush=True)
        round_ = 0
        while sum(counted.values()) < kills:
            round_ += 1
            out, checkpoint = folder / f"out {round_}", folder / f"kept {round_}"
            disk = round_ % 2 == 0 and os.geteuid() == 0 and not more
            if given.topic:
                on_spark(CREATE, address, f"verdicts{round_}", 2)
                out = f"kafka://{address}/verdicts{round_}"
            else:
                out.mkdir()
            if disk:
                # Pages have 4096 bytes: some pages of the tables fit.
                words = ["mount", "-t", "tmpfs", "-o", f"size={4096 * rng.randint(3, 6)}", "tmpfs", str(out)]
                subprocess.run(words, check=True)
            try:
                if disk:
                    code = full_disk(folder, out, checkpoint, "16m")
                    counted[f"full disk, code {code}"] += 1
                for _ in range(TOGETHER):
                    if batch(checkpoint) >= FILES - 2:
                        break
                    run = started(folder, command(out, checkpoint, *more))
                    counted[kill(rng, run, checkpoint, counted, on_cluster=given.cluster)] += 1
                ended(folder, command(out, checkpoint, *more))
                found = of_topic(address, f"verdicts{round_}") if given.topic else tables(out)
                same = found == expected
                wrong += not same
                other = [key for key in expected | found if expected.get(key) != found.get(key)]
                print("round", round_, "same" if same else f"DIFFERENT {other}", dict(counted), flush=True)
            finally:
                if disk:
                    subprocess.run(["umount", str(out)], check=False)
    print(sum(counted.values()), "kills,", wrong, "different", flush=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
