"""The processes below one: what faults are done to."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep


def children(pid):
    """Return the processes that one began; what ends meanwhile has none, wherever the look at it fails."""
    found = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
    return found


def below(pid):
    """Return all processes below one."""
    return [one for child in children(pid) for one in (child, *below(child))]


def says(pid, word):
    """Whether the command line of a process has a word."""
    with suppress(OSError):
        return word in Path(f"/proc/{pid}/cmdline").read_text()
    return False


def waited(look, seconds=120, pause=0.002):
    """Return what `look` returns as soon as that is something."""
    until = monotonic() + seconds
    while monotonic() < until:
        if found := look():
            return found
        sleep(pause)
    raise TimeoutError


def slice_under_way(pid):
    """Return the Python worker that evaluates a slice, in a child of its own, None where none does."""
    daemons = [one for one in below(pid) if says(one, "daemon\0pyspark.worker")]
    return next((one for one in daemons if len(daemons) > 2 and children(one) and not daemon(one)), None)


def daemon(pid):
    """Whether a process begins workers: its parent is Java."""
    with suppress(OSError):
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return says(parent, "java")
    return True


def is_running(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def kill(pid):
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)
