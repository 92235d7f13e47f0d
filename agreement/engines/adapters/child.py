"""A program as a child process in a group of its own: lines to it and from it, bounded in time and size."""

import atexit
import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from agreement.documents.values import cut
from agreement.engines.adapters.stream_engines import FailedEngineError
from lars.errors import LarsError, on_one_line

MOST_BYTES: Final = 2**25
"""How much is read before a reply: noise and the reply itself."""
_AT_ONCE: Final = 2**16
_KEPT: Final = 2**11
"""So much of the end of what it writes on standard error is kept for a message."""
_PATIENCE: Final = 0.5
"""How many seconds a program has to end by itself once its input is closed."""
_MARK: Final = "LARS_ADAPTER"
_running: Final[set["ChildProgram"]] = set()


class ChildProgram:
    """A program that answers each line on standard input by one JSON object, a line on standard output.

    All other lines are noise. `silence` is how many seconds a reply may take. Whatever the program
    started, also outside of its process group, ends with it: its environment has a mark. It runs in
    `folder`, if one is named.
    """

    def __init__(self, command: str, silence: float, folder: Path | None = None) -> None:
        self.command, self.silence, self.folder = command, silence, folder
        self.noise = 0
        """How many lines were none of the protocol."""
        self._last_noise = b""
        self._replies: deque[dict[str, object]] = deque()
        self._rest = bytearray()
        """What has been read of a line that has not ended."""
        self._mark = f"{_MARK}={uuid.uuid4().hex}"
        self._said = b""
        self._process = self._started()
        self._selector = selectors.DefaultSelector()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream.fileno(), selectors.EVENT_READ)
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        _running.add(self)

    def _started(self) -> subprocess.Popen[bytes]:
        name, _, value = self._mark.partition("=")
        pipe = subprocess.PIPE
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise LarsError(f"found the adapter {cut(self.command)!r}: {error}; {ACCEPTED}") from None
        if not words:
            raise LarsError(f"found an adapter without a name; {ACCEPTED}")
        if words[0] == "lars":
            # This very one, whether or not its folder is among those that are searched.
            words[:1] = [sys.executable, "-m", "agreement.cli"]
        path = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)))
        try:
            return subprocess.Popen(  # noqa: S603 - the user's own command
                words,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                bufsize=0,
                env={**os.environ, "PATH": path, name: value},
                cwd=self.folder,
                start_new_session=True,
            )
        except OSError as error:
            problem = f"the adapter {cut(words[0])!r} cannot be started: {error.strerror}"
            raise LarsError(f"{problem}; {ACCEPTED}") from None

    def replies(self, lines: Sequence[str]) -> Iterator[dict[str, object]]:
        """Send lines, and yield the reply to each; raises FailedEngineError where one does not come."""
        waiting = memoryview("".join(f"{line}\n" for line in lines).encode())
        self._check_unasked()
        for _ in lines:
            size, until = 0, monotonic() + self.silence
            while (reply := self._reply()) is None:
                size += (moved := self._moved(waiting, until))[1]
                waiting = waiting[moved[0] :]
                if size > MOST_BYTES:
                    raise self._failed(f"has written {MOST_BYTES // 2**20} MiB without a reply")
            yield reply

    def _check_unasked(self) -> None:
        """Raise for a reply that is there before anything has been asked."""
        for key, _ in self._selector.select(0):
            self._read(key.fd)
        if self._reply() is not None:
            raise self._failed("has written a reply that nothing had asked for")

    def _reply(self) -> dict[str, object] | None:
        """Return the next reply of what has been read."""
        return self._replies.popleft() if self._replies else None

    def _take(self, found: bytes) -> None:
        """Take what has been read; lines that are no JSON objects are noise."""
        self._rest += found
        if b"\n" not in found:
            return
        *lines, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        for line in lines:
            if line.lstrip()[:1] == b"{":
                with suppress(ValueError, RecursionError):
                    self._replies.append(dict(json.loads(line)))
                    continue
            if line.strip():
                self.noise += 1
                self._last_noise = line[:_KEPT]

    def _moved(self, waiting: memoryview, until: float) -> tuple[int, int]:
        """Write and read what can be at once; return how many bytes were written, and read."""
        assert self._process.stdin is not None
        written = 0
        if waiting:
            with suppress(BlockingIOError, BrokenPipeError):
                written = os.write(self._process.stdin.fileno(), waiting[:_AT_ONCE])
        left = until - monotonic()
        if left <= 0:
            raise self._failed(f"has not replied for {self.silence:g} s")
        blocked = len(waiting) > written
        ready = self._selector.select(0.001 if blocked else left)
        if not ready and not blocked:
            raise self._failed(f"has not replied for {self.silence:g} s")
        return written, sum(self._read(key.fd) for key, _ in ready)

    def _read(self, stream: int) -> int:
        assert self._process.stdout is not None
        with suppress(BlockingIOError):
            if found := os.read(stream, _AT_ONCE):
                if stream == self._process.stdout.fileno():
                    self._take(found)
                else:
                    self._said = (self._said + found)[-_KEPT:]
                return len(found)
            self._selector.unregister(stream)
            if stream == self._process.stdout.fileno():
                raise self._gone()
        return 0

    def _gone(self) -> FailedEngineError:
        """Return the error for a program that has closed its output."""
        with suppress(subprocess.TimeoutExpired):
            self._await_end(_PATIENCE)
        with suppress(OSError, KeyError):
            assert self._process.stderr is not None
            self._said = (self._said + (os.read(self._process.stderr.fileno(), _AT_ONCE) or b""))[-_KEPT:]
        return self._failed("has ended" if self._has_ended() else "has closed its output")

    def _failed(self, problem: str) -> FailedEngineError:
        """Return the error, once the program has ended."""
        rest = (bytes(self._rest[:_KEPT]) or self._last_noise).decode(errors="replace").strip()
        said = self._said.decode(errors="replace").strip().splitlines()
        self.end()
        how = self._process.returncode
        if problem == "has ended":
            problem += f" by signal {-how}" if how < 0 else f" with exit code {how}"
        told = f"; its last words: {on_one_line(cut(said[-1]))}" if said else ""
        cut_off = f"; it wrote, which is no JSON object: {on_one_line(cut(rest))}" if rest else ""
        return FailedEngineError(f"the adapter {cut(self.command)!r} {problem}{told}{cut_off}")

    def _has_ended(self) -> bool:
        # The process stays known until its group has ended: nobody else can have its number.
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        return found is not None

    def _await_end(self, seconds: float) -> None:
        until = monotonic() + seconds
        while self._process.returncode is None and not self._has_ended():
            if monotonic() > until:
                raise subprocess.TimeoutExpired(self.command, seconds)
            sleep(0.002)

    @property
    def is_running(self) -> bool:
        """Whether it has not been ended."""
        return self in _running

    def end(self, patience: float = 0) -> bool:
        """End the program and all that it has started; return whether it did so by itself in time."""
        if self not in _running:
            return False
        _running.discard(self)
        self._selector.close()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(subprocess.TimeoutExpired):
            self._await_end(patience)
        by_itself = self._has_ended()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        while escaped := list(_marked(self._mark)):
            for number in escaped:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            sleep(0.002)
        return by_itself


ACCEPTED: Final = "accepted: a command that starts an adapter, as --adapter 'python3 my_adapter.py'"


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes with a mark in their environment, where the system tells."""
    wanted = mark.encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


@atexit.register
def end_all() -> None:
    """End all programs that still run: at the end of this process, or of a run from outside."""
    for one in list(_running):
        one.end()
