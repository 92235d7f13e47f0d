"""End a run after a signal or at the memory limit, so that no processes and files remain.

The main thread may run C or Java code that blocks signals. So a second thread ends the process: it first ends
the child processes, then removes the temporary folders.
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
"""The number of seconds that the Java process gets to remove its own folders."""
_SHOW_CURSOR: Final = b"\r\x1b[K\x1b[?25h"
UNFINISHED: Final = "unfinished: standard error shows the reason"
"""The last line of output that ends too early; this line is neither JSON nor an answer."""
_GRACE: Final = 60.0
"""The number of seconds that a run gets to write its partial result after a signal."""
_ending: Final = Lock()
_kept: Final = list[Event]()
_streaming: Final = Event()


def watch() -> None:
    """From now on, end the process with exit code 128 + n after signal n, and with 3 at the memory limit."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, _noted)
    Thread(target=_await_signal, args=(reader,), daemon=True).start()
    memory.watch(_too_much)


def _noted(number: int, frame: FrameType | None) -> None:
    """Do nothing when a signal arrives; the watching thread reads the number of the signal from a pipe."""
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
    """Yield an event that a signal sets; after the event, the block must end soon with its partial result."""
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
    """Mark a block that prints lines one by one; if a signal ends the block, a last line reports the end."""
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
    """Return whether another thread is ending the process."""
    return _ending.locked()


def wait_for_end() -> NoReturn:
    """Wait until another thread has ended the process."""
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
    """Yield the ids of the child processes, if the system lists them.

    If the system does not list a child process, the child process ends when its pipe closes.
    """
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            yield from map(int, file.read_text(encoding="ascii").split())


def _is_running(child: int) -> bool:
    with suppress(OSError):
        return os.waitpid(child, os.WNOHANG) == (0, 0)
    return False
