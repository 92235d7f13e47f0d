"""The version of this program, and a hash of its source files."""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

_DECIDING: Final = ("*.py", "*.toml")
"""Patterns for the files of a package that determine results."""


def program_version() -> str:
    """Return the installed version of this program, or "not installed"."""
    # The import loads an e-mail parser.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lars-rsp")
    except PackageNotFoundError:
        return "not installed"


@cache
def program(*packages: ModuleType) -> str:
    """Return the program's version and a hash of the source files of the given packages."""
    import hashlib

    sha = hashlib.sha256()
    for package in packages:
        for folder in map(Path, package.__path__):
            for file in sorted(path for kind in _DECIDING for path in folder.rglob(kind)):
                sha.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return f"{program_version()} {sha.hexdigest()}"
