"""Store results of slices in a folder, from which an interrupted run on Spark resumes.

A slice is a part of the timeline.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

import pyarrow as pa

import lars
import solver
from lars.dataclass import dataclass
from lars.errors import FailedRunError, short_of
from lars.files import replacement_path, rewrite
from lars.language.windows import Interval
from lars.version import program
from solver.job.slices import Job
from solver.settings import TraceOptions
from solver.spark.task_bytes import Part, part_table, parts_of
from solver.traces import TraceFile

_PLAN: Final = "slices.json"
_DIGITS: Final = 32


@dataclass(frozen=True, slots=True)
class FinishedSlices:
    """The folder in which a job stores the list of its slices, and the result of each finished slice."""

    folder: Path

    def of(self, job: Job) -> "FinishedSlices":
        """Return the folder of a job; its name is a hash of everything that can affect the job's answers."""
        background = sorted((name, sorted(rows)) for name, rows in job.relevant().items())
        parts = job.questions, job.timeline, job.span, job.slices, job.evaluator, job.certify, background
        return FinishedSlices(self.folder / _digest(parts))

    def cut(self) -> list[Interval] | None:
        """Return the list of slices that an earlier run stored, or None if no valid list exists."""
        try:
            return [Interval(*ends) for ends in json.loads((self.folder / _PLAN).read_text(encoding="utf-8"))]
        except (OSError, ValueError, TypeError):
            return None

    def begin(self, slices: Sequence[Interval]) -> None:
        """Store the list of slices of a new run, and delete the stored results of an earlier list."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in self.folder.glob("*.arrow"):
            file.unlink()
        rewrite(self.folder / _PLAN, json.dumps([(interval.first, interval.last) for interval in slices]))

    def keep(self, number: int, parts: Sequence[Part]) -> None:
        """Store the result of the slice `number`."""
        with replacement_path(self._file(number)) as new, pa.OSFile(str(new), "wb") as file:
            table = part_table(parts)
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)

    def finished(self, count: int) -> frozenset[int]:
        """Return the numbers of the finished slices below `count`."""
        return frozenset(number for number in range(count) if self._file(number).exists())

    def note(self) -> str:
        """Return a sentence with the number of slices that earlier runs have finished; empty without any."""
        slices = self.cut() or []
        done = len(self.finished(len(slices)))
        return (
            f"--resume continues an earlier run: {done} of {len(slices)} parts are finished" if done else ""
        )

    def parts(self, numbers: Iterable[int]) -> Iterator[Part]:
        """Yield the stored results of the given slices.

        Raises:
            FailedRunError: A file is damaged.
        """
        for number in numbers:
            path = self._file(number)
            try:
                with pa.OSFile(str(path)) as file:
                    table = pa.ipc.open_file(file).read_all()
                    # Arrow trusts lengths in a file, and would read memory that is not there.
                    table.validate(full=True)
                yield from parts_of(table)
            except (pa.ArrowException, OSError, KeyError, ValueError) as error:
                short_of(path, error)
                raise FailedRunError(
                    f"{path}: cannot read the answers of a slice: the file is not whole; use rm {path} and "
                    "repeat the command, which evaluates the slice again"
                ) from None

    def _file(self, number: int) -> Path:
        return self.folder / f"{number}.arrow"


def finished_slices(folder: Path, sources: Sequence[TraceFile], options: TraceOptions) -> FinishedSlices:
    """Return the folder of a trace, which contains a folder for each job on the trace.

    If a file of the trace or this program has changed, the function returns a new folder, since answers can
    differ.
    """
    parts = [_state(source) for source in sources], options, program(lars, solver)
    return FinishedSlices(folder.absolute() / _digest(parts))


def _state(source: TraceFile) -> tuple[object, ...]:
    # A pipe's copy is new each time.
    path = Path(source.path)
    stat = (path if path.is_file() else source.file).stat()
    return path.absolute(), stat.st_size, stat.st_mtime_ns, replace(source, copy=None)


def _digest(value: object) -> str:
    return sha256(repr(value).encode()).hexdigest()[:_DIGITS]
