"""Lines of a pipe, a connection or a topic, copied to files of a folder, from which a stream is read."""

import re
import socket
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import BinaryIO, Final
from urllib.parse import urlsplit

from lars.errors import FailedRunError, LarsError, system_error
from lars.files import BYTE_ORDER_MARK, replacement_path
from solver.traces.formats.csv_lines import is_header
from solver.traces.input_files import STANDARD_INPUT

_DIGITS: Final = 12
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")
"""A pattern of the name of a Kafka topic."""
_PATIENCE: Final = 10.0
"""The number of seconds within which a host must answer."""
_SCHEME: Final = "tcp://"
_TOPIC: Final = "kafka://"


def is_spooled(source: str) -> bool:
    """Return whether lars copies the lines of the source `source` to files.

    The lines of standard input, of connections and of Kafka topics are copied to files.
    """
    return source == str(STANDARD_INPUT) or source.startswith((_SCHEME, _TOPIC))


def topic_of(place: str, option: str = "--source") -> tuple[str, str] | None:
    """Split `kafka://HOST:PORT/TOPIC` into the address HOST:PORT and the name of the Kafka topic.

    Args:
        place: The value of the option `option`.

    Returns:
        The address and the name; None for any other value.

    Raises:
        LarsError: The address or the name is not valid.
    """
    if not place.startswith(_TOPIC):
        return None
    host, port = _address(place, f"{_TOPIC}HOST:PORT/TOPIC", option)
    name = urlsplit(place).path.strip("/")
    if not _NAME.fullmatch(name):
        raise LarsError(f"{option} {place}: not a topic; use {_TOPIC}HOST:PORT/TOPIC")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}", name


def check_broker(place: str, option: str = "--source") -> None:
    """Raise LarsError if no server answers at the address of a Kafka topic."""
    _connected(place, _address(place, f"{_TOPIC}HOST:PORT/TOPIC", option), option).close()


def opened(source: str) -> BinaryIO:
    """Open standard input (`-`) or a connection (`tcp://HOST:PORT`) for reading lines.

    Raises:
        LarsError: Standard input is closed, the address is not valid, or no server answers at the address.
    """
    if source == str(STANDARD_INPUT):
        if sys.stdin is None:
            raise LarsError("--source -: standard input is closed")
        return sys.stdin.buffer
    connection = _connected(source, _address(source, f"{_SCHEME}HOST:PORT"))
    connection.settimeout(None)
    return connection.makefile("rb")


def _address(place: str, form: str, option: str = "--source") -> tuple[str, int]:
    try:
        parts = urlsplit(place)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if host is None or port is None:
        raise LarsError(f"{option} {place}: not an address; use {form}")
    return host, port


def _connected(place: str, address: tuple[str, int], option: str = "--source") -> socket.socket:
    try:
        return socket.create_connection(address, _PATIENCE)
    except OSError as error:
        raise system_error(f"{option} {place}", error, "cannot be reached") from None


def spool(lines: BinaryIO, folder: Path) -> Callable[[], int | None]:
    """Read lines in the background; return a function that writes the lines received so far to a new file.

    The files are in `folder`, and their names are numbers. If the first received line is the header of a
    table, this and all later files begin with the header. The returned function returns the number of all
    files if the lines have ended, otherwise None. The returned function raises FailedRunError if the source
    of the lines failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
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
        if write_lines(folder, count[0], texts) is not None:
            count[0] += 1
        if ended and broken:
            problem = f"the lines of --source broke off: {broken[0].strerror or broken[0]}"
            raise FailedRunError(f"{problem}; what has come is kept; to continue, repeat the command")
        return count[0] if ended else None

    reader = Thread(target=read, daemon=True)
    reader.start()
    return put


def write_lines(folder: Path, number: int, lines: list[bytes]) -> Path | None:
    """Write lines to the file with the given number in a folder, below the header of the table, if any.

    If the first line is the header of a table, this and all later files begin with the header.

    Returns:
        The path of the file; None if there are no lines except the header.
    """
    header = folder / "_header"  # Spark reads no file whose name begins so
    if lines and is_header(lines[0].removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace").strip("\r\n")):
        with replacement_path(header) as new:
            new.write_bytes(lines.pop(0))
    if not lines:
        return None
    first = header.read_bytes() if header.exists() else b""
    path = folder / f"{number:0{_DIGITS}}"
    with replacement_path(path) as new:
        new.write_bytes(first + b"".join(lines))
    return path


def forget_before(path: Path) -> None:
    """Delete the files of the folder whose lines are earlier than the lines of a file."""
    for earlier in path.parent.iterdir():
        if earlier.name.isdigit() and int(earlier.name) < int(path.name):
            earlier.unlink()
