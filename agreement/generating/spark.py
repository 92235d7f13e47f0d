"""The parts of a stream as tasks of Spark."""

from functools import partial
from pathlib import Path

from agreement.generating.writing import Counts, Output, write_part
from lars.errors import LarsError
from lars.windows import Interval
from solver.progress import Progress, spark_progress
from solver.session import spark_session


def run(output: Output, folder: Path, master: str, progress: Progress) -> Counts:
    """Write each part into a folder in a task of its own; return how many elements each has."""
    session = spark_session(master)
    parts = output.parts
    with spark_progress(session, progress):
        tasks = session.sparkContext.parallelize(list(enumerate(parts)), len(parts))
        found = tasks.map(partial(_tried, output, str(folder.absolute()))).collect()
    for problem in found:
        if isinstance(problem, str):
            raise LarsError(problem)
    counts = [count for count in found if isinstance(count, int)]
    written = sum(1 for file in folder.iterdir() if not file.name.startswith("."))
    if not written and any(counts):
        raise LarsError(f"{folder}: the tasks of Spark wrote to another file system; accepted: a shared one")
    return counts


def _tried(output: Output, folder: str, numbered: tuple[int, Interval]) -> int | str:
    """Return how many elements a part has, or why it cannot be written."""
    try:
        return write_part(output, folder, *numbered)
    except OSError as error:
        return f"{folder}: cannot be written: {error.strerror or error}"
