"""The memory limit of a run: each process watches its own memory, and ends above the limit.

Foreign code such as clingo's grounding cannot be interrupted, but other threads can run. A thread therefore
checks the memory, more often if the memory is near the limit.
"""

import gc
import os
import re
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import sleep
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, cast

from lars.errors import LarsError, OutOfMemoryError, printable, what_is_under_way

if TYPE_CHECKING:
    from importlib.abc import MetaPathFinder

FAILED: Final = 3
"""The exit code of a failed run, and of a task that ends its own process."""
_UNITS: Final = {"M": 2**20, "G": 2**30, "T": 2**40}
_SIZE: Final = re.compile(rf"([0-9]{{1,6}})([{''.join(_UNITS)}])")
_LEAST: Final = 256 * 2**20
"""The minimum of a memory limit in bytes; the libraries alone would exceed a smaller limit."""
_LEAST_ADDRESSES: Final = 300 * 2**20
"""The minimum address space in bytes with which numpy and the other libraries can be imported."""
_NO_ROOM: Final = re.compile("failed to map segment|[Cc]annot allocate memory|can't start new thread")
_CGROUPS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_THREADS: Final = "OPENBLAS_NUM_THREADS"
_FASTEST: Final = 8 * 2**30
"""A rate in bytes per second; no process takes memory faster."""
_LEAST_SIZE_ASKED: Final = 2**24
_PAUSES: Final = (0.005, 0.25)
_most: list[int] = []


def read_size(text: str) -> int:
    """Return the number of bytes that the text of an option denotes.

    >>> read_size("2G")
    2147483648
    """
    match = _SIZE.fullmatch(text)
    size = int(match[1]) * _UNITS[match[2]] if match else 0
    if size < _LEAST:
        raise LarsError(
            f'--memory "{text[:60]}": not a valid size; use a number with M, G or T, at least 256M, '
            "such as 4G"
        )
    return size


def size_text(size: int) -> str:
    """Return a number of bytes in the notation of options, such as 2G, rounded down.

    >>> size_text(2**31), size_text(3 * 2**29)
    ('2G', '1536M')
    """
    return f"{size >> 30}G" if size % 2**30 == 0 else f"{size >> 20}M"


def machine_memory() -> int:
    """Return the memory, in bytes, of this machine or of the container in which this process runs."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in _CGROUPS:
        with suppress(OSError, ValueError):  # "max", or no such file: no bound
            sizes.append(int(Path(file).read_text(encoding="ascii")))
    return min(sizes)


def memory_used() -> int:
    """Return the memory that this process uses, in bytes; on some systems, the greatest use so far."""
    with suppress(OSError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def limit() -> int:
    """Return the memory limit of a process in bytes; the default is half of the machine's memory."""
    return _most[0] if _most else machine_memory() // 2


def set_bound(most: int | None) -> None:
    """Set the memory limit of a process in bytes; None restores the default."""
    _most[:] = [] if most is None else [most]


@contextmanager
def bound_of_a_run() -> Iterator[None]:
    """Restore the memory limit at the end of the block to its value at the start.

    >>> before = limit()
    >>> with bound_of_a_run():
    ...     set_bound(2**60)
    >>> limit() == before
    True
    """
    before = tuple(_most)
    try:
        yield
    finally:
        _most[:] = before


def problem() -> str:
    """Return the message for a run that exceeds its memory limit, with the task of the run and a remedy."""
    doing = what_is_under_way()
    system, _ = resource.getrlimit(resource.RLIMIT_AS)
    is_of_system = system != resource.RLIM_INFINITY and system < limit()
    most = f"{size_text(system)}, which ulimit -v allows" if is_of_system else size_text(limit())
    sentence = f"the run needs more memory than {most}{f', {doing}' if doing else ''}"
    return f"{sentence}\nuse a larger {'limit' if is_of_system else '--memory'}, or smaller input"


def guard_imports() -> None:
    """Make imports that need too much address space (ulimit -v) raise OutOfMemoryError.

    OpenBLAS, which numpy loads, would end the process itself if it gets no memory. Its exit code 1 would mean
    a verdict.
    """
    system, _ = resource.getrlimit(resource.RLIMIT_AS)
    # Each thread of OpenBLAS takes time and addresses; nothing here uses the threads.
    if system == resource.RLIM_INFINITY:
        if _THREADS not in os.environ:
            os.putenv(_THREADS, "1")  # os.environ, which the adapters of engines inherit, stays as it is
        return
    os.environ.setdefault(_THREADS, "1")
    if system < _LEAST_ADDRESSES:
        sys.meta_path.insert(0, cast("MetaPathFinder", SimpleNamespace(find_spec=_refused)))


def _refused(name: str, *_: object) -> None:
    if name == "numpy":
        raise OutOfMemoryError(problem())


def is_short(error: Exception) -> bool:
    """Return whether an error means that a library or thread could not start for lack of memory.

    The system can also refuse a thread for other reasons. The function assumes lack of memory only if the
    address space is limited.
    """
    limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    return limited and _NO_ROOM.search(str(error)) is not None


def check_room(size: int) -> None:
    """Raise OutOfMemoryError if another `size` bytes would exceed the memory limit."""
    if size >= _LEAST_SIZE_ASKED and memory_used() + size > limit():
        raise OutOfMemoryError(problem())


def watch(stop: Callable[[str], None]) -> None:
    """Call `stop` with a message, from another thread, when the process comes near the limit."""
    Thread(target=_look, args=(stop,), daemon=True).start()


def _look(stop: Callable[[str], None]) -> None:
    least, most = _PAUSES
    while True:
        # Memory taken during a pause, or while the process ends, still fits.
        left = limit() * 15 // 16 - memory_used()
        if left <= 0:
            try:
                said = problem()
            except Exception:  # noqa: BLE001 - what the run was doing is asked of it; the bound holds anyway
                said = f"the run needs more memory than {size_text(limit())}"
            stop(said)
            return
        sleep(min(most, max(least, left / _FASTEST)))


def watch_task(most: int) -> None:
    """Limit the memory of this process, which runs a task.

    If the memory exceeds the limit, the process prints a message and ends.
    """
    watched = bool(_most)
    set_bound(most)
    if not watched:
        watch(_end_task)
        # After each task PySpark looks for garbage: what is imported is none.
        gc.freeze()


def _end_task(sentence: str) -> None:
    os.write(2, f"lars: {printable(sentence)}\n".encode())
    os._exit(FAILED)
