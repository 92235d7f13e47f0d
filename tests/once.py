"""What is expensive to compute, computed by one process of a test run for all of them.

A fixture with the scope `session` or `module` is computed again in each process of pytest-xdist.
"""

import fcntl
import os
import pickle
from collections.abc import Callable
from typing import Any

import pytest


def once(folders: pytest.TempPathFactory, name: str, make: Callable[[], Any]) -> Any:
    """Return what `make` returns in the first process that asks for the name; others wait for it.

    What `make` returns can be pickled. `folders` is the fixture `tmp_path_factory`.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return make()
    shared = folders.getbasetemp().parent / "once"  # the folder of a process is in that of the run
    shared.mkdir(exist_ok=True)
    path, new = shared / name, shared / f"{name}.new"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            new.write_bytes(pickle.dumps(make()))
            new.rename(path)
    return pickle.loads(path.read_bytes())
