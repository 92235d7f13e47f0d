"""Kills of `lars watch` at random moments: the tables must be byte for byte those of an uninterrupted run.

`python -m tests.benchmarks.watch_kills [KILLS] [SEED]` kills the program, Java, or both, or lets the disk of
the tables be full, and repeats the command. After some kills the watch ends, and its tables are compared.
Prints each comparison, and the numbers of kills; exit code 1: a table is different. A full disk needs root,
for a file system in memory; otherwise it is left out.
"""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

from tests.agreement.comparing.watch.batches import written
from tests.agreement.comparing.watch.test_watch import PULL, PUSH, P, Q
from tests.packs import ROOT
from tests.solver.spark.processes import below, says, waited

FILES, ELEMENTS, TOGETHER = 30, 24, 6
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
HOW = ["--period", "2", "--files", "1", "--master", "local[1]", "--certify", "none"]


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


def command(out, checkpoint):
    return [*WATCH, *HOW, "--checkpoint", str(checkpoint), "--out", str(out)]


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


def kill(rng, run, checkpoint):
    """Kill the program, Java or both: after a random batch and a pause, or while it starts."""
    kind = rng.choice(("program", "java", "both"))
    if rng.random() < 0.15:
        sleep(rng.random() * 12)
    else:
        wanted = batch(checkpoint) + rng.randint(1, 5)
        waited(lambda: run.poll() is not None or batch(checkpoint) >= min(wanted, FILES - 2), 300, 0.01)
        sleep(rng.random() * 0.7)
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
    return kind if others or kind != "java" else "java (before it ran)"


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


def main():
    kills, seed = (*map(int, sys.argv[1:]), 60, 0)[:2] if len(sys.argv) < 3 else map(int, sys.argv[1:3])
    rng, counted, wrong = random.Random(seed), Counter(), 0
    with TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        stream(rng, folder)
        ended(folder, command("whole", "kept whole"))
        expected = tables(folder / "whole")
        print({table: len(text) for table, text in expected.items()}, flush=True)
        round_ = 0
        while sum(counted.values()) < kills:
            round_ += 1
            out, checkpoint = folder / f"out {round_}", folder / f"kept {round_}"
            disk = round_ % 3 == 0 and os.geteuid() == 0
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
                    run = started(folder, command(out, checkpoint))
                    counted[kill(rng, run, checkpoint)] += 1
                ended(folder, command(out, checkpoint))
                found = tables(out)
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
