"""Faults done to whole runs on Spark: executors killed, no room on the disk, too little memory, kill.

`python -m tests.benchmarks.spark_faults [--only executor]` prints for each fault how the run ended and
whether that is as it should be; exit code 1: one is not. Workers that are killed, Ctrl-C, and runs
that go on after they were killed are in the suite, `tests/solver/spark`.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import sleep

from tests.agreement.command import lars
from tests.packs import ROOT
from tests.solver.spark.processes import below, is_running, kill, says, slice_under_way, waited

MAIN = """import sys
from solver.spark import pipeline
pipeline.SMALL = int(sys.argv.pop(1))
from agreement.cli.__main__ import main
main()"""
TOGETHER = "from tests.benchmarks.spark_faults import together; together()"
STEP = 104_729
"""Prime: names that follow each other have little in common."""
THREE = "q(X, Z) :- [+]^2 <> p(X), [+]^2 <> p(Y), [+]^2 <> p(Z), X != Y.\n"
CROSS = "many(A, B, C, D, E) :- " + ", ".join(f"[+]^0 <> p({name})" for name in "ABCDE") + ".\n"


def written(folder, program, times, atoms, names=400):
    """Write a program and a trace with so many atoms at each time, of so many names."""
    (folder / "tmp").mkdir(parents=True)
    (folder / "p.lars").write_text(program)
    lines = (
        f"{t}: {', '.join(f'p(a{(5 * t + STEP * i) % names})' for i in range(atoms(t)))}.\n"
        for t in range(times)
    )
    (folder / "t.atoms").write_text("".join(lines))


def started(folder, code, *arguments):
    """Start a process of this project, whose temporary files are in the folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=-1, stderr=-1)


def expected(folder):
    """Return what the run prints in one process."""
    return lars("solve", folder / "p.lars", folder / "t.atoms", "--in-process", "-q").out.encode()


def executor(folder):
    """Kill the executor when slices are being evaluated: nothing changes."""
    written(folder, THREE, 12, lambda _: 24)
    master = "local-cluster[1,1,1024]"
    run = started(folder, MAIN, 24, "solve", "p.lars", "t.atoms", "-q", "--master", master)
    waited(lambda: slice_under_way(run.pid) or run.poll() is not None, seconds=400, pause=0.05)
    kill(next(one for one in below(run.pid) if says(one, "CoarseGrainedExecutorBackend")))
    out, err = run.communicate(timeout=600)
    yield "executor", (run.returncode, out == expected(folder), err) == (0, True, b""), run.returncode, err


def alone(folder):
    """Have too little memory, then no room, then SIGTERM: three runs in one process, since Java starts once.

    Too little memory, for a cross product at one time: what comes before is answered, exit code 3. No
    room for what is exchanged between slices: one line, exit code 3. SIGTERM: silent, 143, nothing left.
    """
    (folder / "tmp").mkdir()
    written(folder / "room", CROSS, 32, lambda t: 60 if t == 5 else 1)
    written(folder / "disk", "q(X) :- [+]^2 <> p(X).\n", 300, lambda _: 100, 10**9)
    written(folder / "terminated", THREE, 32, lambda _: 24)
    run = started(folder, TOGETHER)
    room, disk = (json.loads(run.stdout.readline()) for _ in "12")
    known = [int(line.split(":")[0]) for line in room[1].splitlines() if line[:1].isdigit()]
    yield (
        "room",
        (room[0], known, "at [4, 7]" in room[2]) == (3, [0, 1, 2, 3], True),
        room[0],
        room[2].encode(),
    )
    full = disk[2].count("\n") == 1 and "File too large" in disk[2]
    yield "disk", (disk[:2], full) == ([3, ""], True), disk[0], disk[2].encode()
    waited(lambda: [*folder.glob("terminated/kept/*/*/*.arrow")], seconds=400, pause=0.05)
    processes = below(run.pid)
    run.send_signal(signal.SIGTERM)
    found = run.communicate(timeout=60)
    for _ in range(100):
        if any(map(is_running, processes)):
            sleep(0.1)
    left = [*(folder / "tmp").iterdir(), *filter(is_running, processes)]
    yield "terminated", (run.returncode, found, left) == (143, (b"", b""), []), run.returncode, found[1]


def together():
    """Do the three runs of `alone`, in the process that it starts; a line of JSON says how one ended."""
    from agreement.cli.__main__ import main as command
    from solver.spark import pipeline

    def solve(name, small, *options):
        pipeline.SMALL = small
        files = f"{name}/p.lars", f"{name}/t.atoms"
        return "solve", "-q", *files, "--master", "local[2]", *options

    print(json.dumps(lars(*solve("room", 2000, "--memory", "1G"))), flush=True)
    limits = {pid: resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in (os.getpid(), *below(os.getpid()))}
    for pid, (_, most) in limits.items():
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (100_000, most))
    print(json.dumps(lars(*solve("disk", 2000))), flush=True)
    for pid in (os.getpid(), *below(os.getpid())):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits[os.getpid()])
    sys.argv[1:] = solve("terminated", 24, "--resume", "terminated/kept")
    command()


def done(fault):
    """Do faults in a folder of their own; return the name of each, and how the run ended."""
    with tempfile.TemporaryDirectory() as name:
        return [*fault(Path(name))]


def main():
    """Read the options, do the faults, two at a time since much of it is waiting, print how they end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("executor", "alone"))
    given, bad = parser.parse_args(), 0
    faults = [one for one in (executor, alone) if one.__name__ == (given.only or one.__name__)]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for name, good, code, err in (end for ends in pool.map(done, faults) for end in ends):
            bad += not good
            how = "ok" if good else "NOT AS IT SHOULD BE"
            print(f"{name:12} {how}: exit {code} {err.decode()[:400]!r}", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
