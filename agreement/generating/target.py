"""Files and folders that appear whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lars.errors import LarsError
from solver.trace_files import NUMBERED

_PARTS: Final = ".parquet"


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raise when something is at a path that must not be replaced."""
    if not path.parent.is_dir():
        raise LarsError(f"{path}: cannot be written: there is no folder {path.parent}")
    if not path.exists():
        return
    if not overwrite:
        raise LarsError(f"{path}: exists already; accepted: another name, or --overwrite")
    if path.is_dir():
        # A folder is replaced whole, so it must not hold anything else than a trace.
        other = [one for one in path.iterdir() if not (NUMBERED.fullmatch(one.name) or one.suffix == _PARTS)]
        if other:
            raise LarsError(f"{path}: is not overwritten: {other[0].name} in it is no part of a trace")


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Give a folder beside a path to write in; whatever is in it afterwards is deleted.

    It lies in the same folder, since a rename works inside one file system only.
    """
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            yield Path(folder)
    except OSError as error:
        raise LarsError(f"{path}: cannot be written: {error.strerror or error}") from None


def put(new: Path, path: Path) -> None:
    """Put a file or folder in a path's place; what was a folder there goes where `new` was."""
    if path.is_dir():
        path.rename(new.with_name("replaced"))
    elif path.exists() and new.is_dir():
        path.unlink()
    elif path.exists():
        shutil.copymode(path, new)
    new.replace(path)
