"""How far the work is: what takes long says so, and who asked hears it as a part of the whole."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum

from solver.settings import Progress, no_progress


class Stage(Enum):
    """A stage of answering queries on a trace, and from which to which percent of the whole it takes."""

    READING = (0, 40)
    ANSWERING = (40, 85)
    EXPLAINING = (85, 100)

    def of(self, progress: Progress) -> Progress:
        """Return who is told of this stage."""
        return share(progress, *self.value, 100)


def share(progress: Progress, begin: int, end: int, whole: int) -> Progress:
    """Return who is told of the part of a whole from `begin` to `end`.

    >>> share(print, 1, 2, 4)(3, 10)
    13 40
    """
    if progress is no_progress:
        return no_progress

    def told(done: int, total: int) -> None:
        if total:
            progress(begin * total + (end - begin) * min(done, total), whole * total)

    return told


def forward(progress: Progress) -> Progress:
    """Return who is told of the same, but nothing that is less than was told before.

    >>> tell_all = forward(print)
    >>> tell_all(1, 2), tell_all(2, 8), tell_all(3, 4)
    1 2
    3 4
    (None, None, None)
    """
    if progress is no_progress:
        return no_progress
    most = [0.0]

    def told(done: int, total: int) -> None:
        if total and done / total > most[0]:
            most[0] = done / total
            progress(done, total)

    return told


_current: ContextVar[Progress] = ContextVar("progress", default=no_progress)


@contextmanager
def progress_of_block(progress: Progress) -> Iterator[None]:
    """Let what is done in the block tell how far it is."""
    before = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(before)


def tell(done: int, total: int) -> None:
    """Tell who asked around this how many parts are done, and how many there are."""
    _current.get()(done, total)
