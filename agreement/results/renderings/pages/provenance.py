"""Where a page comes from: the command, the version of the program, the date, the files with their hashes."""

import hashlib
import os
import shlex
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_MOST: Final = 100
"""Of more files the first are named."""
_HASHED: Final = 2**28
"""Of larger files, in bytes, the size alone is told."""


def program_version() -> str:
    """Return the version of this program, as it is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lars-rsp")
    except PackageNotFoundError:
        return "not installed"


def provenance(command: Sequence[str], files: Iterable[Path]) -> list[tuple[str, str]]:
    """Return what is said of how a page was made, by names.

    The date is that of SOURCE_DATE_EPOCH where it is set, so that a page can be made again, byte by byte.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    date = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    every = list(dict.fromkeys(files))
    found = [
        ("command", shlex.join(command)),
        ("version", f"lars {program_version()}"),
        ("date", f"{date:%Y-%m-%dT%H:%M:%SZ}"),
    ]
    found += [("file", _told(path)) for path in every[:_MOST]]
    return [*found, ("files", f"{len(every) - _MOST} more")] if len(every) > _MOST else found


def _told(path: Path) -> str:
    # A pipe is read once, and not here.
    if not path.is_file():
        return str(path)
    size = path.stat().st_size
    if size > _HASHED:
        return f"{path}: {size:,} bytes"
    with path.open("rb") as opened:
        return f"{path}: {size:,} bytes, SHA-256 {hashlib.file_digest(opened, 'sha256').hexdigest()}"
