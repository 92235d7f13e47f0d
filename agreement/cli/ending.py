"""The end of a run from outside, by a signal or for lack of memory, without leftovers.

The main thread may run foreign code that blocks signals. So another thread ends the process: children first,
then temporary folders.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from threading import Event, Lock, Thread
from time import monotonic, sleep
from types import FrameType
from typing import Final, NoReturn

from lars.errors import printable
from lars.files import clear_away
from solver import memory

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE: Final = 3.0
"""The number of seconds that the Java process has for the removal of its own folders."""
_SHOW_CURSOR: Final = b"\r\x1b[K\x1b[?25h"
UNFINISHED: Final = "unfinished: standard error says why"
"""The last line of output that ends too early; it is neither JSON nor an answer."""
_GRACE: Final = 60.0
"""The number of seconds in which a run that keeps its partial result must write it."""
_ending: Final = Lock()
_kept: Final = list[Event]()
_streaming: Final = Event()


def watch() -> None:
    """From now on end the process with exit code 128 + n at signal n, and with 3 at the memory limit."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, _noted)
    Thread(target=_await_signal, args=(reader,), daemon=True).start()
    memory.watch(_too_much)


def _noted(number: int, frame: FrameType | None) -> None:
    """Do nothing: the watching thread reads the signal's number from the pipe."""
    del number, frame


def _await_signal(reader: int) -> None:
    numbers = {int(number) for number in _SIGNALS}
    while (number := os.read(reader, 1)[0]) not in numbers:
        pass
    if _kept:
        for stopped in _kept:
            stopped.set()
        # The next signal ends it at once.
        select([reader], [], [], _GRACE)
    end(128 + number)


@contextmanager
def keeping() -> Iterator[Event]:
    """Yield an event that a signal sets; the block must then end soon with its partial result."""
    stopped = Event()
    _kept.append(stopped)
    try:
        yield stopped
    finally:
        _kept.remove(stopped)


def _too_much(sentence: str) -> None:
    end(memory.FAILED, f"lars: {sentence}\n")


@contextmanager
def streaming() -> Iterator[None]:
    """Print lines as they are made in the block; if a signal ends it, the last line reports that."""
    _streaming.set()
    try:
        yield
    finally:
        _streaming.clear()


def end(code: int, sentence: str = "") -> NoReturn:
    """End the process at once, from any thread; later output of other threads is dropped."""
    if not _ending.acquire(blocking=False):
        wait_for_end()
    with suppress(OSError):
        if os.isatty(2):  # a progress bar has hidden the cursor
            os.write(2, _SHOW_CURSOR)
        os.write(2, printable(sentence).encode())
        # A reader who does not read must not keep the process from ending.
        if _streaming.is_set() and select([], [1], [], 0)[1]:
            os.write(1, f"\n{UNFINISHED}\n".encode())
        # Threads that talk with the children complain when these are gone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    _end_adapters()
    _end_children()
    clear_away()
    os._exit(code)


def _end_adapters() -> None:
    # Whoever has started one has loaded this; what adapters have started is in no list of children.
    if (loaded := sys.modules.get("agreement.engines.adapters.client")) is not None:
        with suppress(OSError):
            loaded.end_all()


def is_ending() -> bool:
    """Whether another thread is about to end the process."""
    return _ending.locked()


def wait_for_end() -> NoReturn:
    """Wait until the process has ended."""
    while True:
        Event().wait()


def _end_children() -> None:
    children = list(_children())
    for child in children:
        with suppress(OSError):
            os.kill(child, signal.SIGTERM)
    until = monotonic() + _PATIENCE
    while children and monotonic() < until:
        sleep(0.02)
        children = [child for child in children if _is_running(child)]
    for child in children:
        with suppress(OSError):
            os.kill(child, signal.SIGKILL)


def _children() -> Iterator[int]:
    """Yield the ids of this process's children if the system lists them; others end with their pipe."""
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            yield from map(int, file.read_text(encoding="ascii").split())


def _is_running(child: int) -> bool:
    with suppress(OSError):
        return os.waitpid(child, os.WNOHANG) == (0, 0)
    return False
