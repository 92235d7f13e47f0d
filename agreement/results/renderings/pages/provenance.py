"""Where a page comes from: the command, the version of the program, the date, the files with their hashes."""

import hashlib
import os
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from agreement.documents.outputs import clip_text
from agreement.documents.requests import EXPERIMENT_FILE, QUERY_SUFFIXES
from lars.files import text_in
from lars.version import program_version

_LONGEST: Final = 1_000
_WRITTEN: Final = 20_000
_MOST_WRITTEN: Final = 100_000
"""So many letters of a query stand on a page, and so many of all together."""
_MOST: Final = 100
"""Of more files the first are named."""
_HASHED: Final = 2**28
"""Of larger files, in bytes, the size alone is told."""


def provenance(command: Sequence[str], files: Iterable[Path]) -> list[tuple[str, str]]:
    """Return what is said of how a page was made, by names.

    The date is that of SOURCE_DATE_EPOCH where it is set, so that a page can be made again, byte by byte.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    date = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    every = list(dict.fromkeys(files))
    found = [
        *([("command", shlex.join(command))] if command else []),
        ("version", f"lars {program_version()}"),
        ("date", f"{date:%Y-%m-%dT%H:%M:%SZ}"),
    ]
    found += [("file", _told(path)) for path in every[:_MOST]]
    return [*found, ("files", f"{len(every) - _MOST} more")] if len(every) > _MOST else found


def files_of(request: object) -> list[Path]:
    """Return the files that a request names, and those of the experiments among them."""
    found: dict[Path, None] = {}
    for path in _paths(request):
        toml = path / EXPERIMENT_FILE if path.is_dir() else path
        if not toml.is_file():
            continue
        found[toml] = None
        if toml.suffix == ".toml":
            found |= dict.fromkeys(_named_in(toml))
    return list(found)


def _paths(value: object) -> Iterator[Path]:
    match value:
        case Path():
            yield value
        case str() if value and len(value) < _LONGEST and value.isprintable() and Path(value).exists():
            yield Path(value)
        case tuple() | list():
            for one in value:
                yield from _paths(one)
        case Mapping():
            yield from _paths([*value.keys(), *value.values()])
        case _ if is_dataclass(value) and not isinstance(value, type):
            for one in fields(value):
                yield from _paths(getattr(value, one.name))


def _named_in(toml: Path) -> Iterator[Path]:
    """Yield the files beside an experiment that it names, also as IRI=FILE and cqels:FILE."""
    try:
        waiting: list[object] = [tomllib.loads(toml.read_text(encoding="utf-8"))]
    except (OSError, ValueError):
        return
    while waiting:
        match waiting.pop(0):
            case dict() as table:
                waiting += table.values()
            case list() as several:
                waiting += several
            case str() as text if text and len(text) < _LONGEST and "\0" not in text:
                names = dict.fromkeys((text, text.rpartition("=")[2], text.partition(":")[2]))
                yield from (toml.parent / name for name in names if name and (toml.parent / name).is_file())


def query_texts(files: Iterable[Path]) -> list[tuple[str, str]]:
    """Return the queries among files as their author wrote them, by the files' names.

    Files that are called alike have their folder's name before it.
    """
    queries = [path for path in files if path.suffix in QUERY_SUFFIXES]
    alike = Counter(path.name for path in queries)
    texts, room, left = list[tuple[str, str]](), _MOST_WRITTEN, 0
    for path in queries:
        text = clip_text(text_in(path, "a query"), _WRITTEN)
        room -= len(text)
        if room < 0 or len(texts) == _MOST:
            left += 1
        else:
            texts.append((f"{path.parent.name}/{path.name}" if alike[path.name] > 1 else path.name, text))
    return [*texts, (f"{left} more", "They are named below: how this page was made.")] if left else texts


def _told(path: Path) -> str:
    # A pipe is read once, and not here.
    if not path.is_file():
        return str(path)
    size = path.stat().st_size
    if size > _HASHED:
        return f"{path}: {size:,} bytes"
    with path.open("rb") as opened:
        return f"{path}: {size:,} bytes, SHA-256 {hashlib.file_digest(opened, 'sha256').hexdigest()}"
