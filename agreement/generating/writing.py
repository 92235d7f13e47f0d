"""Writing a plan's stream part by part: the same files whoever writes the parts, in any order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from shutil import copyfileobj, rmtree
from typing import BinaryIO, Final

from agreement.generating import elements
from agreement.generating.formats import Format
from agreement.generating.plan import Plan
from agreement.generating.writers import HEADS, Sent, table, text, turtle
from lars.durations import Duration
from lars.errors import LarsError
from lars.windows import Interval
from solver.progress import Progress

_NAME: Final = "part-{:05d}"


@dataclass(frozen=True, slots=True)
class Output:
    """What is written: a plan's stream in a format; integers for times count `trace_unit`.

    Text formats make one file, the parts of which follow each other. Turtle makes a folder with a
    file for each time, Parquet one file, or a folder with one for each part when there are several.
    """

    plan: Plan
    format: Format
    trace_unit: Duration

    @property
    def parts(self) -> list[Interval]:
        """The times of arrival that are written together."""
        return elements.parts(self.plan)

    def sent(self, part: Interval) -> Iterator[Sent]:
        """Yield the elements of a part as they are written."""
        factor = self.plan.unit.points(self.trace_unit)
        for element in elements.elements(self.plan, part):
            yield element.t * factor, self.plan.stream_of(element.station), element


Counts = list[int]
"""How many elements each part has."""


def write_part(output: Output, folder: str, number: int, part: Interval) -> int:
    """Write a part, the one of that number, as files of its own into a folder; return its elements.

    A part written twice, as by a task that is tried again, is the same.
    """
    match output.format:
        case Format.TURTLE:
            return _write_seconds(output, Path(folder), part)
        case Format.PARQUET:
            return _write_table(output, Path(folder), number, part)
        case _:
            with Path(folder, _NAME.format(number)).open("wb") as file:
                return _write_text(output, file, part)


def _write_text(output: Output, file: BinaryIO, part: Interval) -> int:
    sent = list(output.sent(part))
    file.writelines(written.encode() for written in text(output.format, sent))
    return len(sent)


def _write_seconds(output: Output, folder: Path, part: Interval) -> int:
    count = 0
    for t, sent in groupby(output.sent(part), key=lambda one: one[0]):
        found = [element for _, _, element in sent]
        lines = turtle(triple for element in found for triple in element.triples)
        (folder / f"data_{t:02d}.ttl").write_bytes(lines.encode())
        count += len(found)
    return count


def _write_table(output: Output, folder: Path, number: int, part: Interval) -> int:
    import pandas as pd  # type: ignore[import-untyped]

    if sent := list(output.sent(part)):
        path = folder / f"{_NAME.format(number)}.parquet"
        frame = pd.DataFrame(table(sent)).astype(dict.fromkeys(("stream", "p"), "category"))
        frame.to_parquet(path, engine="pyarrow", index=False)
    return len(sent)


def write_in_process(output: Output, target: Path, progress: Progress) -> Counts:
    """Write the stream to a file or folder that is not there yet, one part after the other."""
    parts = output.parts

    def watched(write: Callable[[int, Interval], int]) -> Iterator[int]:
        for number, part in enumerate(parts):
            yield write(number, part)
            progress(number + 1, len(parts))

    if output.format in (Format.TURTLE, Format.PARQUET):
        target.mkdir()
        return list(watched(partial(write_part, output, str(target))))
    with target.open("wb") as file:
        file.write(HEADS.get(output.format, "").encode())
        return list(watched(lambda _, part: _write_text(output, file, part)))


def write_on_spark(output: Output, target: Path, master: str, progress: Progress) -> Counts:
    """Write the stream as `write_in_process` does, each part in a task of Spark.

    Tasks write files of their own, which on several machines needs a file system that they share;
    the files of a text format are then appended to each other, and no element passes the driver.
    """
    from agreement.generating.spark import run

    folder = target.with_name("parts")
    folder.mkdir()
    counts = run(output, folder, master, progress)
    if output.format in (Format.TURTLE, Format.PARQUET):
        folder.rename(target)
        return counts
    with target.open("wb") as file:
        file.write(HEADS.get(output.format, "").encode())
        for number in range(len(counts)):
            part = folder / _NAME.format(number)
            with part.open("rb") as written:
                copyfileobj(written, file, 2**20)
            part.unlink()
    return counts


def finish(output: Output, target: Path, counts: Counts) -> None:
    """Make a table of one part a file; raises LarsError for a stream without elements."""
    if not sum(counts):
        raise LarsError(
            f"no observation lies in the duration {output.plan.duration}; accepted: a longer --duration, "
            "more --stations or another --seed"
        )
    if output.format is Format.PARQUET and len(counts) == 1:
        part = (target / f"{_NAME.format(0)}.parquet").rename(target.with_name("table"))
        rmtree(target)
        part.rename(target)
