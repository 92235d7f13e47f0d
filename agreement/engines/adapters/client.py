"""Run an adapter as a child process, check its replies, and convert its times to milliseconds.

The process has its own process group. The time to wait and the size of lines are limited in both directions.
"""

import atexit
import json
import os
import re
import selectors
import shlex
import signal
import subprocess
import sys
import uuid
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from difflib import get_close_matches
from fractions import Fraction
from itertools import zip_longest
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import Final, Self, TextIO, TypeVar

from pydantic import ValidationError

from agreement.documents.outputs import plain
from agreement.documents.recordings import Push
from agreement.documents.recordings.recording import of_text
from agreement.documents.recordings.term_entries import answered_term
from agreement.engines.adapters.messages import (
    AdvanceMessage,
    AnyMessage,
    CloseMessage,
    EngineReport,
    ErrorReply,
    FailedEngineError,
    Message,
    OpenMessage,
    ProfileReply,
    PushMessage,
    PushReply,
    RefusedQueryError,
    ReportsReply,
    TimeIsUpError,
    check_variable,
    problem_of,
)
from lars.dataclass import dataclass
from lars.durations import NANOSECONDS
from lars.errors import LarsError, cut, on_one_line

ACCEPTED: Final = "expected a command that starts an adapter, such as 'python3 my_adapter.py'"
MOST_BYTES: Final = 2**25
"""The maximum number of bytes that are read for one reply, including lines that are not replies."""
_BYTES_AT_ONCE: Final = 2**16
_KEPT: Final = 2**11
"""The number of bytes at the end of standard error that are kept for an error message."""
_LONGEST_LINE: Final = 200
"""The maximum number of characters of a line of standard error in an error message."""
_LAST_LINES: Final = 5
"""The number of lines of standard error in an error message, such as the end of a traceback."""
_PATIENCE: Final = 0.5
"""The number of seconds in which an adapter must end after its input is closed."""
_MARK: Final = "LARS_ADAPTER"
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_running: Final[set["ChildProgram"]] = set()


class ChildProgram:
    """A program that answers each line of its input by one line with a JSON object.

    All other lines of the program are ignored. `silence` is the maximum number of seconds to wait for a
    reply. When the program ends, all processes that it started are ended too; a mark in their environment
    identifies them. If `folder` is given, the program runs in this folder. If `log` is given, all lines are
    written to the log, with > for lines to the program and < for lines from the program.
    """

    def __init__(
        self, command: str, silence: float, folder: Path | None = None, log: TextIO | None = None
    ) -> None:
        self.command, self.silence, self.folder, self.log = command, silence, folder, log
        self.until = inf
        """The time by which all replies must have arrived."""
        self.noise = 0
        """The number of lines that do not belong to the protocol."""
        self.op: str | None = None
        """The last message whose reply was awaited, such as close; None if the message has no name."""
        self._last_noise = b""
        self._replies: deque[dict[str, object]] = deque()
        self._rest = bytearray()
        """The bytes of an incomplete line that have been read."""
        self._mark = f"{_MARK}={uuid.uuid4().hex}"
        self._last_words = b""
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
            raise LarsError(f"cannot start the adapter {cut(self.command)!r}: {error}; {ACCEPTED}") from None
        if not words:
            raise LarsError(f"an adapter requires a name; {ACCEPTED}")
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
            problem = f"cannot start the adapter {cut(words[0])!r}: {error.strerror}"
            raise LarsError(f"{problem}; {ACCEPTED}") from None

    def replies(self, lines: Sequence[str], ops: Sequence[str] = ()) -> Iterator[dict[str, object]]:
        """Send lines to the program, and yield the reply to each line.

        `ops` are the names of the messages in the lines, such as push.

        Raises:
            FailedEngineError: A reply is missing or too long.
        """
        waiting = memoryview("".join(f"{line}\n" for line in lines).encode())
        self._write_log(">", lines)
        self._check_unasked()
        for _, op in zip_longest(lines, ops):
            self.op = op
            size, until = 0, min(monotonic() + self.silence, self.until)
            while (reply := self._reply()) is None:
                size += (moved := self._moved(waiting, until))[1]
                waiting = waiting[moved[0] :]
                if size > MOST_BYTES:
                    raise self._failed(f"has written {MOST_BYTES // 2**20} MiB without a reply")
            yield reply

    def _check_unasked(self) -> None:
        """Raise FailedEngineError if the program has written a reply without a request."""
        for key, _ in self._selector.select(0):
            self._read(key.fd)
        if self._reply() is not None:
            raise self._failed("has written a reply without a message")

    def _reply(self) -> dict[str, object] | None:
        """Return the next reply from the output that was already read; None if no reply is left."""
        return self._replies.popleft() if self._replies else None

    def _take(self, data: bytes) -> None:
        """Split bytes from the program into lines, and count the lines that are not JSON objects."""
        self._rest += data
        if b"\n" not in data:
            return
        *lines, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        self._write_log("<", [line.decode(errors="replace") for line in lines])
        for line in lines:
            # Some platforms, such as .NET, begin their output with a byte order mark.
            line = line.lstrip().removeprefix(BOM_UTF8)  # noqa: PLW2901
            if line[:1] == b"{":
                with suppress(ValueError, RecursionError):
                    self._replies.append(self._read_reply(line))
                    continue
            if line.strip():
                self.noise += 1
                self._last_noise = line[:_KEPT]

    def _read_reply(self, line: bytes) -> dict[str, object]:
        # The standard library's reader of bytes would take surrogates, and refuse other wrong bytes as noise.
        content = dict(json.loads(line.decode(errors="replace")))
        # Many serializers write a key without a value as null.
        reply = {key: value for key, value in content.items() if value is not None}
        try:
            line.decode()
        except UnicodeDecodeError as error:
            byte = f"the byte 0x{line[error.start]:02X}, which is not UTF-8"
            raise self._failed(f"has written {byte}; use valid UTF-8") from None
        if half := _HALF.search(line):
            # JSON can write half a character, which no text and no file can hold.
            try:
                json.dumps(reply, ensure_ascii=False).encode()
            except UnicodeEncodeError:
                raise self._failed(
                    f"has written a line with the unpaired surrogate {half[0].decode()}; use valid UTF-8"
                ) from None
        return reply

    def _write_log(self, mark: str, lines: Sequence[str]) -> None:
        if self.log is not None:
            self.log.writelines(f"{mark} {line}\n" for line in lines)
            self.log.flush()

    def _moved(self, waiting: memoryview, until: float) -> tuple[int, int]:
        """Write to the program and read from it as many bytes as possible without waiting.

        Returns:
            The number of written bytes, and the number of read bytes.

        Raises:
            FailedEngineError: The time to wait for a reply is over.
        """
        assert self._process.stdin is not None
        written = 0
        if waiting:
            with suppress(BlockingIOError, BrokenPipeError):
                written = os.write(self._process.stdin.fileno(), waiting[:_BYTES_AT_ONCE])
        left = until - monotonic()
        if left <= 0:
            raise self._failed(f"has not replied for {self.silence:g} s", silent=True)
        blocked = len(waiting) > written
        ready = self._selector.select(0.001 if blocked else left)
        if not ready and not blocked:
            raise self._failed(f"has not replied for {self.silence:g} s", silent=True)
        return written, sum(self._read(key.fd) for key, _ in ready)

    def _read(self, stream: int) -> int:
        assert self._process.stdout is not None
        with suppress(BlockingIOError):
            if data := os.read(stream, _BYTES_AT_ONCE):
                if stream == self._process.stdout.fileno():
                    self._take(data)
                else:
                    self._last_words = (self._last_words + data)[-_KEPT:]
                return len(data)
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
            self._last_words = (
                self._last_words + (os.read(self._process.stderr.fileno(), _BYTES_AT_ONCE) or b"")
            )[-_KEPT:]
        return self._failed("has ended" if self._has_ended() else "has closed its output")

    def _failed(self, problem: str, *, silent: bool = False) -> FailedEngineError:
        """End the program, and return an error with the problem, the exit code and the last output."""
        rest = (bytes(self._rest[:_KEPT]) or self._last_noise).decode(errors="replace").strip()
        sentences = self._last_words.decode(errors="replace").strip().splitlines()
        self.end()
        how = self._process.returncode
        if problem == "has ended":
            problem += f" by signal {-how}" if how < 0 else f" with exit code {how}"
        after = f" after the message {self.op}" if self.op is not None and ";" not in problem else ""
        # Python underlines the place in a line of a traceback by a line of ^ and ~.
        told = [sentence.strip() for sentence in sentences if any(map(str.isalnum, sentence))]
        # The path of a file in a traceback is long, and its line number is at the end.
        last = " | ".join(on_one_line(sentence[:_LONGEST_LINE]) for sentence in told[-_LAST_LINES:])
        text = f"; its last {'line' if len(told) == 1 else 'lines'} on standard error: {last}" if last else ""
        cut_off = f"; its output is not a JSON object: {on_one_line(cut(rest))}" if rest else ""
        sentence = f"the adapter {cut(self.command)!r} {problem}{after}{text}{cut_off}"
        return FailedEngineError(sentence, self.op, silent=silent)

    def _has_ended(self) -> bool:
        # The process stays known until its group has ended: nobody else can have its number.
        ending = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        return ending is not None

    def _await_end(self, seconds: float) -> None:
        until = monotonic() + seconds
        while self._process.returncode is None and not self._has_ended():
            if monotonic() > until:
                raise subprocess.TimeoutExpired(self.command, seconds)
            sleep(0.002)

    @property
    def is_running(self) -> bool:
        """Whether `end` has not been called yet; the program may have ended by itself."""
        return self in _running

    def kill(self) -> None:
        """Kill the program, from any thread; threads that read its output then reach the end."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self, patience: float = 0) -> bool:
        """End the program and all its child processes.

        Returns:
            Whether the program ended by itself within `patience` seconds.
        """
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
        self.kill()
        self._process.wait()
        while escaped := list(_marked(self._mark)):
            for number in escaped:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            sleep(0.002)
        return by_itself


def _marked(mark: str) -> Iterator[int]:
    """Yield the numbers of the processes with a mark in their environment, if the system lists processes."""
    ending = mark.encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if ending in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


@atexit.register
def end_all() -> None:
    """End all running adapters when this process ends."""
    for program in list(_running):
        program.end()


SILENCE: Final = 30.0
"""The default number of seconds in which an adapter must reply."""
_MOST_AHEAD: Final = 256
"""The number of triples that are sent before their replies are read, if the adapter reads ahead."""
_SLOW: Final = 0.1
"""The smallest time of a slow reply, in seconds.

If a reply was slow, a message about a time limit names the slowest reply.
"""
_Reply = TypeVar("_Reply", bound=Message)


@dataclass(slots=True)
class RunningAdapter:
    """An adapter, given by its command; its process starts at the first query and also serves later queries.

    Each run has a separate process if the adapter rejected the last query, or declares that a second query
    does not start a new run.
    """

    command: str
    silence: float = SILENCE
    folder: Path | None = None
    """The folder in which the adapter runs; by default, the folder of this process."""
    log: TextIO | None = None
    """The file to which all messages are written, or None."""
    until: float = inf
    """The time of the monotonic clock after which no reply is awaited."""
    noise: int = field(default=0, init=False)
    """The number of lines of the last process that are not replies."""
    _child: ChildProgram | None = field(default=None, init=False)
    _fresh: bool = field(default=True, init=False)
    """Whether the running process can receive another query."""
    _slowest: float = field(default=0.0, init=False)
    """The maximum number of seconds that a reply took so far."""

    @property
    def name(self) -> str:
        """The command of the adapter, as its name in messages."""
        return self.command

    def open(self, registration: OpenMessage) -> "AdapterSession":
        """Register a query, and return its run.

        Raises:
            RefusedQueryError: The adapter rejects the query.
            FailedEngineError: The adapter sends no reply, or an invalid reply.
        """
        if monotonic() >= self.until:
            raise self._late()
        if not self._fresh:
            self.end()
        if self._child is None or not self._child.is_running:
            self._child = ChildProgram(self.command, self.silence, self.folder, self.log)
        (reply,) = self.ask([registration])
        if "error" in reply:
            # The state of a half-read query must not reach the next one.
            self._fresh = False
            raise RefusedQueryError(self._read(ErrorReply, reply, "open").error)
        for key in reply.keys() - ProfileReply.model_fields.keys():
            if meant := get_close_matches(key, ProfileReply.model_fields, 1, 0.8):
                problem = f"has sent an invalid reply to open: unknown key {key!r}, did you mean {meant[0]}"
                raise self._failed(problem, "open")
        profile = self._read(ProfileReply, reply, "open")
        self._fresh = profile.fresh
        return AdapterSession(self, profile)

    def ask(self, messages: Sequence[AnyMessage]) -> list[Mapping[str, object]]:
        """Send messages to the adapter, and return the reply to each message.

        Raises:
            FailedEngineError: A reply is missing.
            TimeIsUpError: The time limit is over.
        """
        assert self._child is not None
        self._child.until = self.until
        try:
            return self._replies(messages)
        except FailedEngineError:
            if monotonic() < self.until:
                raise
            self.end()
            raise self._late() from None

    def _late(self) -> TimeIsUpError:
        problem = f"cannot wait for the adapter {cut(self.command)!r}: the time limit is over"
        remedy = "use a longer --time-limit"
        if self._slowest >= _SLOW:
            problem += f", and a reply has taken up to {self._slowest:.1f} s"
            remedy = f"use an adapter that replies sooner, or {remedy}"
        return TimeIsUpError(f"{problem}; {remedy}")

    def _replies(self, messages: Sequence[AnyMessage]) -> list[Mapping[str, object]]:
        assert self._child is not None
        began = monotonic()
        try:
            lines = [message.model_dump_json(by_alias=True) for message in messages]
            replies: list[Mapping[str, object]] = list(
                self._child.replies(lines, [message.op for message in messages])
            )
        finally:
            self._slowest = max(self._slowest, (monotonic() - began) / max(1, len(messages)))
        self.noise = self._child.noise
        return replies

    def reply(self, kind: type[_Reply], message: Mapping[str, object], op: str) -> _Reply:
        """Return a reply as an object of the expected type `kind`.

        Raises:
            FailedEngineError: The reply is invalid, or reports an error.
        """
        if "error" in message:
            error = self._read(ErrorReply, message, op).error
            raise self._failed(f"cannot continue after {op}: {error}", op)
        return self._read(kind, message, op)

    def _read(self, kind: type[_Reply], message: Mapping[str, object], op: str) -> _Reply:
        try:
            return kind.model_validate(message)
        except ValidationError as error:
            raise self._failed(f"has sent an invalid reply to {op}: {problem_of(error)}", op) from None

    def checked(self, report: EngineReport, profile: ProfileReply, op: str) -> EngineReport:
        """Return a report of the adapter with canonical terms, and with times in milliseconds.

        Raises:
            FailedEngineError: A time is not a multiple of the adapter's unit, or a row is invalid.
        """
        length = profile.unit.milliseconds
        for t in (report.t, report.window_from, report.window_to):
            if t is not None and t != int(t):
                problem = (
                    f"the time {plain(t, 9)}; use times that are whole numbers of the adapter's time_unit, "
                    f"{profile.time_unit}"
                )
                raise self._failed(f"has replied to {op} with {problem}", op)
        rows = tuple(self._row(row, profile, op) for row in report.rows)
        bounds = (None if end is None else end * length for end in (report.window_from, report.window_to))
        start, end = bounds
        return EngineReport.model_construct(t=report.t * length, rows=rows, window_from=start, window_to=end)

    def _row(self, row: Mapping[str, str | None], profile: ProfileReply, op: str) -> Mapping[str, str]:
        result: dict[str, str] = {}
        for name, text in row.items():
            try:
                check_variable(name)
                term = None if text is None else _term(text, profile)
            except LarsError as error:
                raise self._failed(f"has sent an invalid reply to {op}: {error}", op) from None
            if term is not None:
                result[name] = term
        return result

    def _failed(self, problem: str, op: str) -> FailedEngineError:
        self.end()
        return FailedEngineError(f"the adapter {cut(self.command)!r} {problem}", op)

    def kill(self) -> None:
        """Kill the adapter, from any thread; its current run and later runs then raise TimeIsUpError."""
        self.until = min(self.until, monotonic())
        if (child := self._child) is not None:
            child.kill()

    def end(self, patience: float = _PATIENCE) -> bool:
        """End the process of the adapter.

        Returns:
            Whether the process ended by itself within `patience` seconds after the end of its input.
        """
        child, self._child, self._fresh = self._child, None, True
        patience = min(patience, max(0.0, self.until - monotonic()))
        return child is None or child.end(patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _term(text: str, profile: ProfileReply) -> str | None:
    try:
        return answered_term(text)
    except LarsError:
        if profile.kinds:
            raise
        return of_text(text)


@dataclass(slots=True)
class AdapterSession:
    """The run of a query that an adapter has accepted."""

    adapter: RunningAdapter
    profile: ProfileReply

    def push(self, pushes: Sequence[Push]) -> list[PushReply]:
        """Push triples at the pace that the adapter declares, and return the reply to each triple."""
        ahead = _MOST_AHEAD if self.profile.reads_ahead and not self.profile.pacing_ms else 1
        replies: list[PushReply] = []
        for start in range(0, len(pushes), ahead):
            if replies and self.profile.pacing_ms:
                sleep(self.profile.pacing_ms / 1000)
            part = [self._message(push) for push in pushes[start : start + ahead]]
            replies += map(self._reply, self.adapter.ask(part))
        return replies

    def _message(self, push: Push) -> PushMessage:
        return PushMessage(
            t=self._in_units(push.t), stream=push.stream[1:-1], triple=f"{' '.join(push.triple)} ."
        )

    def _in_units(self, t: float) -> int:
        """Convert a time in ms to the time unit of the adapter.

        Raises:
            LarsError: The time is not a multiple of the unit.
        """
        number = Fraction(round(Fraction(str(t)) * NANOSECONDS["ms"]), self.profile.unit.nanoseconds)
        if number.denominator != 1:
            raise LarsError(
                f"cannot give the adapter {cut(self.adapter.command)!r} the time {plain(t, 9)} ms: "
                f"its time_unit is {self.profile.time_unit}; "
                "use times and a --unit that are multiples of this time_unit"
            )
        return int(number)

    def _reply(self, message: Mapping[str, object]) -> PushReply:
        reply = self.adapter.reply(PushReply, message, "push")
        reports = self._checked(reply.reports, "push")
        return PushReply.model_construct(reports=reports, refused=reply.refused, errors=reply.errors)

    def _checked(self, reports: Sequence[EngineReport], op: str) -> tuple[EngineReport, ...]:
        return tuple(self.adapter.checked(report, self.profile, op) for report in reports)

    def advance(self, t: float) -> tuple[EngineReport, ...]:
        """Send the message advance with the time `t` (ms), and return the reports that the message causes.

        After this call, no triple with a time before `t` may be pushed.
        """
        (reply,) = self.adapter.ask([AdvanceMessage(t=self._in_units(t))])
        return self._checked(self.adapter.reply(ReportsReply, reply, "advance").reports, "advance")

    def close(self) -> tuple[EngineReport, ...]:
        """End the run, and return its last reports.

        If the adapter needs a new process for each query, its process also ends.
        """
        (reply,) = self.adapter.ask([CloseMessage()])
        reports = self._checked(self.adapter.reply(ReportsReply, reply, "close").reports, "close")
        if not self.profile.fresh:
            self.adapter.end()
        return reports
