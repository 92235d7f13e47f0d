"""Faults done to whole runs on Spark: executors killed, no room on the disk, too little memory, kill.

`python -m tests.benchmarks.spark_faults [--only executor]` prints for each fault how the run ended and
whether that is as it should be; exit code 1: one is not. Workers that are killed, Ctrl-C, and runs
that go on after they were killed are in the suite, `tests/solver/spark`.
"""

import argparse
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
STEP = 104_729
"""Prime: names that follow each other have little in common."""
THREE = "q(X, Z) :- [+]^2 <> p(X), [+]^2 <> p(Y), [+]^2 <> p(Z), X != Y.\n"
CROSS = "many(A, B, C, D, E) :- " + ", ".join(f"[+]^0 <> p({name})" for name in "ABCDE") + ".\n"


def written(folder, program, times, atoms, names=400):
    """Write a program and a trace with so many atoms at each time, of so many names."""
    (folder / "tmp").mkdir()
    (folder / "p.lars").write_text(program)
    lines = (
        f"{t}: {', '.join(f'p(a{(5 * t + STEP * i) % names})' for i in range(atoms(t)))}.\n"
        for t in range(times)
    )
    (folder / "t.atoms").write_text("".join(lines))


def started(folder, master, *options, small=24, limit=None):
    """Start a run whose slices hold about so many atoms, and whose files have so many bytes at most."""

    def limited():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    # -q: how far a run is would be said of each that takes long, and is not what is looked at.
    command = [sys.executable, "-c", MAIN, str(small), "solve", "-q", "p.lars", "t.atoms", "--master", master]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    return subprocess.Popen(
        [*command, *options],
        cwd=folder,
        env=environment,
        stdout=-1,
        stderr=-1,
        preexec_fn=limited,  # noqa: PLW1509
    )


def expected(folder):
    """Return what the run prints in one process."""
    return lars("solve", folder / "p.lars", folder / "t.atoms", "--in-process", "-q").out.encode()


def executor(folder):
    """Kill an executor when slices are being evaluated: nothing changes."""
    written(folder, THREE, 32, lambda _: 24)
    run = started(folder, "local-cluster[2,1,1024]", "-q")
    waited(lambda: slice_under_way(run.pid) or run.poll() is not None, seconds=400, pause=0.01)
    kill(next(one for one in below(run.pid) if says(one, "CoarseGrainedExecutorBackend")))
    out, err = run.communicate(timeout=600)
    return (run.returncode, out == expected(folder), err) == (0, True, b""), run.returncode, err


def disk(folder):
    """Have no room for what is exchanged between slices: one line, exit code 3."""
    written(folder, "q(X) :- [+]^2 <> p(X).\n", 3000, lambda _: 100, 10**9)
    run = started(folder, "local[2]", "-q", small=20_000, limit=200_000)
    out, err = run.communicate(timeout=600)
    return (
        (run.returncode, out, err.count(b"\n")) == (3, b"", 1) and b"File too large" in err,
        run.returncode,
        err,
    )


def room(folder):
    """Have too little memory for a cross product at one time: what comes before is answered, exit code 3."""
    written(folder, CROSS, 32, lambda t: 60 if t == 5 else 1)
    run = started(folder, "local[2]", "-q", "--memory", "1G", small=2000)
    out, err = run.communicate(timeout=600)
    known = [int(line.split(b":")[0]) for line in out.splitlines() if line[:1].isdigit()]
    return (run.returncode, known, b"at [4, 7]" in err) == (3, [0, 1, 2, 3], True), run.returncode, err


def terminated(folder):
    """Kill with SIGTERM: silent, 143, nothing left."""
    written(folder, THREE, 32, lambda _: 24)
    run = started(folder, "local[2]", "--resume", "kept")
    waited(lambda: [*folder.glob("kept/*/*/*.arrow")], seconds=400, pause=0.05)
    processes = below(run.pid)
    run.send_signal(signal.SIGTERM)
    found = run.communicate(timeout=60)
    for _ in range(100):
        if any(map(is_running, processes)):
            sleep(0.1)
    left = [*(folder / "tmp").iterdir(), *filter(is_running, processes)]
    return (run.returncode, found, left) == (143, (b"", b""), []), run.returncode, found[1]


def done(fault):
    """Do a fault in a folder of its own; return its name, and how the run ended."""
    with tempfile.TemporaryDirectory() as name:
        return fault.__name__, *fault(Path(name))


def main():
    """Read the options, do the faults, two at a time since much of it is waiting, print how they end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*")
    given, bad = parser.parse_args(), 0
    faults = [
        one for one in (executor, disk, room, terminated) if one.__name__ in (given.only or [one.__name__])
    ]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for name, good, code, err in pool.map(done, faults):
            bad += not good
            how = "ok" if good else "NOT AS IT SHOULD BE"
            print(f"{name:12} {how}: exit {code} {err.decode()[:400]!r}", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
