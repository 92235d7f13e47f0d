"""Lines of a pipe or a connection in complete files of a folder, from which a stream is read."""

import socket
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import BinaryIO, Final
from urllib.parse import urlsplit

from lars.errors import FailedRunError, LarsError, system_error
from lars.files import replacement_path
from solver.traces.formats.csv_lines import is_header
from solver.traces.input_files import STANDARD_INPUT

_DIGITS: Final = 12
_PATIENCE: Final = 10.0
"""The number of seconds within which a host must answer."""
_SCHEME: Final = "tcp://"


def is_spooled(source: str) -> bool:
    """Return whether a source is standard input or a connection, whose lines are copied to files."""
    return source == str(STANDARD_INPUT) or source.startswith(_SCHEME)


def opened(source: str) -> BinaryIO:
    """Return the lines of standard input (`-`) or of a connection (`tcp://HOST:PORT`).

    Raises:
        LarsError: Standard input is closed, the address is not valid, or nobody answers there.
    """
    if source == str(STANDARD_INPUT):
        if sys.stdin is None:
            raise LarsError("--source -: standard input is closed")
        return sys.stdin.buffer
    try:
        parts = urlsplit(source)
        address = parts.hostname, parts.port
    except ValueError:
        address = None, None
    if None in address:
        raise LarsError(f"--source {source}: is no address; use tcp://HOST:PORT")
    try:
        connection = socket.create_connection((address[0], address[1]), _PATIENCE)
    except OSError as error:
        raise system_error(f"--source {source}", error, "cannot be reached") from None
    connection.settimeout(None)
    return connection.makefile("rb")


def spool(lines: BinaryIO, folder: Path) -> Callable[[], int | None]:
    """Start to read lines.

    Return a function that writes the lines that have come to the next file of a folder.

    The function returns the number of all files if the lines have ended, otherwise None. If the first of the
    lines that have come is the header of a table, this and all later files begin with the header. The files
    have numbers as names. The function raises FailedRunError if the source of the lines failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    header = folder / "_header"  # Spark reads no file whose name begins so
    came: deque[bytes] = deque()
    broken: list[OSError] = []
    count = [1 + max((int(path.name) for path in folder.iterdir() if path.name.isdigit()), default=-1)]

    def read() -> None:
        try:
            for line in lines:
                came.append(line)
        except OSError as error:
            broken.append(error)

    def put() -> int | None:
        ended = not reader.is_alive()
        texts = [came.popleft() for _ in range(len(came))]
        if texts and is_header(texts[0].decode("utf-8", "replace").strip("\r\n")):
            with replacement_path(header) as new:
                new.write_bytes(texts.pop(0))
        if texts:
            first = header.read_bytes() if header.exists() else b""
            with replacement_path(folder / f"{count[0]:0{_DIGITS}}") as new:
                new.write_bytes(first + b"".join(texts))
            count[0] += 1
        if ended and broken:
            problem = f"the lines of --source broke off: {broken[0].strerror or broken[0]}"
            raise FailedRunError(f"{problem}; what has come is kept, and the same command continues")
        return count[0] if ended else None

    reader = Thread(target=read, daemon=True)
    reader.start()
    return put


def forget_before(path: Path) -> None:
    """Delete the files whose lines are earlier than the lines of a file."""
    for earlier in path.parent.iterdir():
        if earlier.name.isdigit() and int(earlier.name) < int(path.name):
            earlier.unlink()
