"""The guard of the process that evaluates a playground: it prevents access to files, programs and network.

The guard is a second line of defense: the names of files in an experiment are also checked before use. Python
calls the guard whenever a file is opened, a program is started, or a socket is used (PEP 578), until the
process ends.
"""

import os
import resource
import site
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from errno import EACCES
from pathlib import Path
from typing import Any, Final

_STARTS: Final = (
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
)
_NETWORK: Final = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser.")
_CHANGES: Final = {
    "os.remove": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.link": 2,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.chmod": 1,
    "os.chown": 1,
}
"""The audit events that change files, with the number of paths of each event."""
_LISTS: Final = ("os.listdir", "os.scandir")
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_SYSTEM: Final = (
    "/dev/null",
    "/dev/urandom",
    "/proc/self",
    "/sys/fs/cgroup",
    "/usr/share/zoneinfo",
    "/etc/localtime",
)
"""The files and folders that Python and its packages read."""
_HOME: Final = Path(__file__).resolve().parents[3]
_LARGEST_FILE: Final = 2**26
_MOST_OPEN: Final = 256


def guard(folder: Path) -> None:
    """Prevent access to files outside a folder, to programs and to the network until the process ends.

    Python and its packages may still read their own files.
    """
    own = folder.resolve()
    tempfile.tempdir = str(own)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_OPEN, _MOST_OPEN))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.dont_write_bytecode = True
    places = [
        *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")),
        *site.getsitepackages(),
    ]
    places += [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    places += [str(_HOME / name) for name in ("lars", "translate", "solver", "agreement")]
    readable = [*map(os.path.realpath, (*filter(None, places), *_SYSTEM)), str(own)]

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = bool(flags & _WRITES) or (isinstance(mode, str) and mode[:1] in ("w", "a", "x"))
            _check(path, [str(own)] if writes else readable)
        elif event in _CHANGES:
            for path in arguments[: _CHANGES[event]]:
                _check(path, [str(own)])
        elif event in _LISTS:
            _check("." if arguments[0] is None else arguments[0], readable)
        elif event.startswith((*_STARTS, *_NETWORK)):
            raise _refusal(event)

    sys.addaudithook(look)


def _check(path: object, folders: Iterable[str]) -> None:
    if isinstance(path, int):  # open already
        return
    real = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]
    if not any(real == folder or real.startswith(f"{folder}{os.sep}") for folder in folders):
        raise _refusal(path)


def _refusal(what: object) -> PermissionError:
    return PermissionError(
        EACCES, "the playground has no access to files and services outside the experiment", str(what)
    )
