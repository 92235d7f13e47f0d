"""Input as files that can be read again and again: pipes, standard input and compressed files are copied."""

import atexit
import gzip
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final

from lars.errors import LarsError
from lars.files import read_bytes, temporary_folder

STANDARD_INPUT: Final = Path("-")
_COMPRESSED: Final = b"\x1f\x8b"
_ACCEPTED: Final = "a file, a pipe, or - for standard input"
_copies: dict[object, Path] = {}
"""The copy of each pipe and compressed file that has been read: a pipe can be read once only."""


def bare(path: Path) -> Path:
    """Return a path without the .gz that says how its bytes are kept."""
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def readable(path: Path) -> Path:
    """Return a plain file with what a path gives: the path, or a copy of a pipe or of what is compressed.

    `-` is standard input. Raises LarsError for what is no file and no pipe, and for broken compression.
    """
    try:
        key = _key(path)
        if key is not None and key not in _copies:
            _copies[key] = _copy(path, _folder() / str(len(_copies)))
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise LarsError(f"{path}: cannot be read: {reason}") from None
    return path if key is None else _copies[key]


def converted_file(path: Path, how: Hashable, convert: Callable[[Path], None]) -> Path:
    """Return what a conversion writes of a plain file, made once for this file and how it is converted."""
    stat = path.stat()
    key = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, how)
    if key not in _copies:
        made = _folder() / str(len(_copies))
        convert(made)
        _copies[key] = made
    return _copies[key]


def _key(path: Path) -> object:
    """Return what a copy is kept by, None where none is needed."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise LarsError("-: standard input is closed")
        return sys.stdin
    try:
        result = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None  # its reader says what is accepted
    if stat.S_ISFIFO(result.st_mode) or stat.S_ISCHR(result.st_mode):
        return result.st_dev, result.st_ino
    if not stat.S_ISREG(result.st_mode):
        return None
    with path.open("rb") as reader:
        compressed = reader.read(len(_COMPRESSED)) == _COMPRESSED
    return (result.st_dev, result.st_ino, result.st_size, result.st_mtime_ns) if compressed else None


def _copy(path: Path, copy: Path) -> Path:
    if path.is_char_device():
        copy.write_bytes(read_bytes(path, _ACCEPTED))  # a device may never end
        return copy
    with _opened(path) as reader, copy.open("wb") as writer:
        start = reader.read(len(_COMPRESSED))
        writer.write(start)
        shutil.copyfileobj(reader, writer)
    if start != _COMPRESSED:
        return copy
    unpacked = copy.with_name(f"{copy.name}.unpacked")
    with gzip.open(copy) as packed, unpacked.open("wb") as writer:
        shutil.copyfileobj(packed, writer)
    copy.unlink()
    return unpacked


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if path == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    with path.open("rb") as reader:
        yield reader


@cache
def _folder() -> Path:
    until_exit = ExitStack()
    atexit.register(until_exit.close)
    return until_exit.enter_context(temporary_folder(prefix="lars-input-"))
