"""UTF-8 text files, which are read once, provide places for errors, and are replaced atomically."""

import atexit
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from lars import errors
from lars.dataclass import dataclass

WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks with which a text in UTF-16 begins."""
COMPRESSIONS: Final = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "ZIP",
}
"""The first bytes of compressed files, and the names of their compressions."""
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""The bytes that some programs write before a text in UTF-8."""
MOST_BYTES: Final = 2**26
"""The greatest number of bytes that are read from an input without a known end: a pipe or a device."""
_TEMPORARY: Final[set[Path]] = set()
_UNTIL_EXIT: Final = ExitStack()
"""The folders that exist until the program ends.

This name keeps them: from Python 3.13 on, a process that multiprocessing forks drops the functions of atexit.
If only atexit had the stack, its end would delete the folders while the parent process uses them.
"""
atexit.register(_UNTIL_EXIT.close)
_PIPES: Final[dict[tuple[int, ...], bytes]] = {}
"""The bytes of each pipe that has been read, by `pipe_key`; a pipe can be read only once."""
names_of_copies: Final[dict[Path, Path]] = {}
"""Maps each temporary copy to the user's file that it replaces; messages name the user's file."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """The name and text of a file; offsets count the characters of the text from 0."""

    name: str
    text: str

    def error(self, offset: int, problem: str) -> errors.PlacedError:
        """Return the error at an offset; `problem` describes the found text and the expected form."""
        return errors.PlacedError(errors.place_at(self.name, self.text, offset), problem)

    def lines(self) -> list["TextLine"]:
        """Return the lines that are not blank; a line ends with LF, CR LF or the end of the file.

        Raises:
            LarsError: Each line ends with CR alone.
        """
        check_line_ends(self.name, self.text)
        text_lines, offset = [], 0
        for number, text in enumerate(self.text.split("\n"), 1):
            if text.strip():
                text_lines.append(TextLine(self, number, offset, text.removesuffix("\r")))
            offset += len(text) + 1
        return text_lines


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a file, without its line end.

    The field `number` counts from 1, and `offset` is the start of the line.
    """

    file: TextFile
    number: int
    offset: int
    text: str

    def error(self, problem: str, column: int = 1) -> errors.PlacedError:
        """Return the error at a column, which counts from 1."""
        return errors.PlacedError(errors.Place(self.file.name, self.number, column, self.text), problem)


def exists(path: Path, *, folder: bool | None = None) -> bool:
    """Return whether a path exists: a folder if `folder` is True, a file if False, either if None.

    An invalid name does not exist.
    """
    try:
        return path.exists() if folder is None else path.is_dir() if folder else path.is_file()
    except (OSError, ValueError):
        return False


def is_link(path: Path) -> bool:
    """Return whether a path is a symbolic link; an invalid name is not a link."""
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def pipe_key(status: os.stat_result) -> tuple[int, ...]:
    """Return a key that identifies a pipe and its current content.

    The key no longer changes after the pipe has been read to its end. The key contains the time of change,
    because a new pipe can have the inode of a deleted pipe.
    """
    return status.st_dev, status.st_ino, status.st_ctime_ns


def read_bytes(path: Path, accepted: str) -> bytes:
    """Return the bytes of a file or pipe; raise LarsError with the expected kind of file, `accepted`.

    If a pipe is read again, the function returns the same bytes, unless the pipe has been written to since.
    """
    try:
        status = path.stat()
        is_pipe = stat.S_ISFIFO(status.st_mode)
        if is_pipe and (known := _PIPES.get(pipe_key(status))) is not None:
            return known
        with path.open("rb") as file, errors.under_way(lambda: f"reading {names_of_copies.get(path, path)}"):
            if stat.S_ISREG(status.st_mode):
                return file.read()
            data = _bounded(file, str(path))
            if is_pipe:
                _PIPES[pipe_key(os.fstat(file.fileno()))] = data
            return data
    except IsADirectoryError:
        raise errors.LarsError(f"{path}: found a folder; expected {accepted}") from None
    except (FileNotFoundError, NotADirectoryError):
        raise errors.LarsError(f"{path}: no such file; expected {accepted}") from None
    except OSError as error:
        raise errors.LarsError(f"{path}: cannot be read: {error.strerror}; expected {accepted}") from None
    except ValueError as error:
        raise errors.LarsError(f"{path}: cannot be read: {error}; expected {accepted}") from None


def _bounded(file: BinaryIO, name: str) -> bytes:
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise errors.FailedRunError(
            f"{name}: is longer than {MOST_BYTES} bytes, and is not a regular file; expected a regular file"
        )
    return data


def line_end(data: bytes) -> bytes:
    """Return the last byte of each line end of a text: LF, or CR if the text contains no LF."""
    return b"\n" if b"\n" in data else b"\r"


def check_line_ends(name: Path | str, text: str) -> None:
    """Raise LarsError if each line of a text ends with CR alone, as on the classic Mac OS."""
    if "\n" not in text and "\r" in text.rstrip("\r"):
        remedy = "use LF or CR LF, such as by tr '\\r' '\\n'"
        raise errors.LarsError(
            f"{name}: cannot read the lines of the file: each line ends with CR, without LF; {remedy}"
        )


def decode(name: str, data: bytes, accepted: str) -> TextFile:
    """Return bytes as text, without the byte order mark; raise PlacedError at invalid UTF-8."""
    data = data.removeprefix(BYTE_ORDER_MARK)
    try:
        return TextFile(name, data.decode())
    except UnicodeDecodeError as error:
        problem = f"found the byte {data[error.start]:#04x}, which is not text; expected {accepted}, in UTF-8"
        if kind := next((kind for mark, kind in COMPRESSIONS.items() if data.startswith(mark)), None):
            problem = f"found a file compressed by {kind}; expected {accepted}; unpack the file"
            raise errors.LarsError(f"{name}: {problem}") from None
        if data.startswith(WIDE):
            problem = f"found text in UTF-16; expected {accepted}, in UTF-8 (iconv -f UTF-16 -t UTF-8)"
        file = TextFile(name, data.decode(errors="replace"))
        raise file.error(len(data[: error.start].decode()), problem) from None


def read_file(path: Path, accepted: str) -> TextFile:
    """Return a file with its exact text; raise LarsError with the expected kind of file, `accepted`."""
    return decode(str(path), read_bytes(path, accepted), accepted)


def read_text(path: Path, accepted: str) -> str:
    """Return the text of a file, with every line end replaced by LF; raise the errors of `read_file`."""
    return _with_line_feeds(read_file(path, accepted))


def read_input(accepted: str) -> str:
    """Return the text of standard input; raise the errors of `read_text`."""
    if sys.stdin is None:
        raise errors.LarsError(f"-: standard input is closed; expected {accepted}")
    return _with_line_feeds(decode("-", _bounded(sys.stdin.buffer, "-"), accepted))


def text_in(path: Path, accepted: str) -> str:
    """Return the text of a file, or of standard input if the path is `-`; raise the errors of `read_text`."""
    return read_input(accepted) if str(path) == "-" else read_text(path, accepted)


def _with_line_feeds(file: TextFile) -> str:
    return file.text.replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def temporary_folder(beside: Path | None = None, prefix: str = "lars-") -> Iterator[Path]:
    """Yield a temporary folder; the end of the block, or `clear_away`, deletes the folder."""
    with tempfile.TemporaryDirectory(dir=beside, prefix=prefix, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        _TEMPORARY.add(folder)
        try:
            yield folder
        finally:
            _TEMPORARY.discard(folder)


def folder_until_exit(prefix: str = "lars-") -> Path:
    """Return a new temporary folder, which exists until the program ends."""
    return _UNTIL_EXIT.enter_context(temporary_folder(prefix=prefix))


def clear_away() -> None:
    """Remove all temporary folders when a process ends without leaving their blocks."""
    for folder in list(_TEMPORARY):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replacement_path(path: Path, *, folders: bool = False) -> Iterator[Path]:
    """Yield a path to write to; at the end of the block, the new file replaces `path` atomically.

    Readers see either the old or the new file. If the block raises an error, the file at `path` is unchanged.
    If `path` is a link, the link is kept, and the target of the link is replaced. Devices and pipes are
    rejected. Folders are rejected unless `folders` is set.
    """
    try:
        _check_replaceable(path, folders=folders)
        target = Path(os.path.realpath(path))
        # In the same folder, since a rename works inside one file system only.
        with temporary_folder(target.parent, ".unfinished.") as folder:
            new = folder / "new"
            yield new
            _put(new, target)
    except OSError as error:
        raise errors.system_error(path, error, "cannot be written") from None


@contextmanager
def replacement_folder(path: Path, kind: str) -> Iterator[Path]:
    """Yield a folder to write into; at the end of the block, the folder replaces `path` atomically.

    The replacement adds a file with the checksums of all other files, in the format of `sha256sum`. The
    function raises the errors of `check_own_folder`.
    """
    check_own_folder(path, kind)
    with replacement_path(path, folders=True) as new:
        new.mkdir()
        yield new
        lines = "".join(f"{digest_of(file)}  {name}\n" for name, file in sorted(_files(new)))
        (new / _sums(kind)).write_text(lines, encoding="utf-8", newline="\n")
        # Making it may have taken hours, in which somebody may have written there.
        check_own_folder(path, kind)


def check_own_folder(path: Path, kind: str, option: str = "") -> None:
    """Raise LarsError if the folder contains a file that `replacement_folder` did not write.

    A file name does not prove that lars wrote the file. For example, `manifest.ttl` is in every test suite of
    the W3C, and users may have added notes to a README that lars wrote.
    """
    if not exists(path):
        return
    problem = f"{option}{path}: cannot be replaced"
    remedy = f"use a new or empty folder, or a folder that contains only an earlier {kind}"
    if not exists(path, folder=True):
        raise errors.LarsError(f"{problem}: it is not a folder; {remedy}")
    try:
        # Names may contain other characters that Python takes for ends of lines, such as U+2028.
        listed = (path / _sums(kind)).read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        listed = []
    written = {name: digest for digest, _, name in (line.partition("  ") for line in listed)}
    for name, file in _files(path):
        if name not in written and name != _sums(kind):
            raise errors.LarsError(f"{problem}: {name} in it was not written by lars; {remedy}")
        if name in written and digest_of(file) != written[name]:
            raise errors.LarsError(f"{problem}: {name} in it has been changed; {remedy}")


def _sums(kind: str) -> str:
    return f".{kind.replace(' ', '-')}.sha256"


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file below a folder, with its relative path; a link counts as a file."""

    def refuse(error: OSError) -> None:
        raise error

    for parent, folders, names in os.walk(folder, onerror=refuse):
        for path in (Path(parent, name) for name in (*folders, *names)):
            if path.is_symlink() or not path.is_dir():
                yield path.relative_to(folder).as_posix(), path


def digest_of(path: Path) -> str | None:
    """Return the SHA-256 digest of a file; None for a folder, a link, or a path that does not exist."""
    if not path.is_file() or path.is_symlink():
        return None
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_replaceable(path: Path, *, folders: bool) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except ValueError as error:
        raise errors.LarsError(f"{path}: cannot be written: {error}") from None
    if not (stat.S_ISREG(mode) or (folders and stat.S_ISDIR(mode))):
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or pipe"
        raise errors.LarsError(f"{path}: is not overwritten: it is {kind}; expected the name of a file")


def _put(new: Path, target: Path) -> None:
    """Move a file or folder to `target`; an existing folder at `target` moves next to the new folder."""
    if target.is_dir():
        old = target.rename(new.with_name("replaced"))
        try:
            new.replace(target)
        except OSError:
            old.rename(target)
            raise
        return
    if target.exists() and new.is_dir():
        target.unlink()
    elif target.exists():
        shutil.copymode(target, new)
    new.replace(target)


def rewrite(path: Path, text: str) -> None:
    """Replace the content of a file by a text atomically."""
    with replacement_path(path) as new:
        new.write_text(text, encoding="utf-8")
