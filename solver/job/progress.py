"""How far a job is: slices in this process, tasks on Spark."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


Progress = Callable[[int, int], None]
"""Told how many parts of the present step are done, and how many there are."""

_PAUSE: Final = 0.2


def unwatched(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total


@contextmanager
def spark_progress(session: "SparkSession", progress: Progress) -> Iterator[None]:
    """Tell of the active stages' tasks, five times a second, while the block runs."""
    if progress is unwatched:
        yield
        return
    finished = Event()
    watcher = Thread(target=_watch, args=(session, progress, finished), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()


def _watch(session: "SparkSession", progress: Progress, finished: Event) -> None:
    tracker = session.sparkContext.statusTracker()
    while not finished.wait(_PAUSE):
        found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        stages = [stage for stage in found if stage is not None]
        if stages:
            progress(sum(s.numCompletedTasks for s in stages), sum(s.numTasks for s in stages))
