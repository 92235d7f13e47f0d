"""Reading a trace in Spark's tasks: each reads parts of files into columns, once, and keeps them as bytes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from pyspark import StorageLevel

from lars.durations import Duration
from lars.errors import LarsError, Place, PlacedError
from lars.terms import Signature
from solver import memory
from solver.columns import InputAtoms, TraceColumns
from solver.facts import STREAM_PREDICATE
from solver.settings import TraceOptions
from solver.spark.packed_atoms import Block, block_of, packed_atoms
from solver.traces import (
    FilePart,
    PartReading,
    Raw,
    Summary,
    Survey,
    TraceFile,
    file_parts,
    last_time,
    report,
    survey,
)

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

_LEAST_MEMORY: Final = 2**29
_ARRIVALS: Final = 40
"""So many bits number the atoms of a part; what stands above them numbers the parts."""


class _Said(NamedTuple):
    """What a part says of itself; or `wrong`: why it cannot be read, perhaps at a place in the part."""

    summaries: Sequence[Summary] = ()
    lines: int = 0
    signatures: frozenset[Signature] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    wrong: LarsError | tuple[Place, str] | None = None


class _Part(NamedTuple):
    """A part of a trace as it was read."""

    said: _Said
    rejected: Sequence[Raw] = ()
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class ReadTrace:
    """A trace on Spark, in `blocks` that come in no order.

    `pairs` are those of stream and predicate that triples have; Spark keeps what it has read until `forget`.
    """

    blocks: "RDD[Block]"
    last: int
    signatures: frozenset[Signature]
    pairs: frozenset[tuple[str, str]]
    kept: "RDD[_Part]"

    def forget(self) -> None:
        """Let Spark forget what it has read."""
        self.kept.unpersist()


def read_in_tasks(context: "SparkContext", sources: Sequence[TraceFile], options: TraceOptions) -> ReadTrace:
    """Return a trace; what `read_columns` raises, warns of and keeps is the same."""
    # Tasks have a folder of their own.
    found_there = [replace(source, copy=source.file.absolute()) for source in sources]
    parts, tasks = file_parts(found_there, 2 * context.defaultParallelism)
    most = task_memory(context)
    read = context.parallelize(list(enumerate(parts)), tasks).map(partial(_read, options, most))
    read.persist(StorageLevel.MEMORY_AND_DISK)
    said = read.map(lambda block: block.said).collect()
    _check(parts, said)
    summaries = [summary for one in said for summary in one.summaries]
    found, unit = survey(summaries, sources, options), options.unit
    rejected = read.map(lambda block: block.rejected).toLocalIterator() if found.skipped else ()
    report(found, chain.from_iterable(rejected), sources, options)
    last = last_time(summaries, found, unit)
    return ReadTrace(
        read.map(partial(_timed, found, unit)),
        last,
        frozenset[Signature]().union(*(one.signatures for one in said)),
        frozenset[tuple[str, str]]().union(*(one.pairs for one in said)),
        read,
    )


def task_memory(context: "SparkContext") -> int:
    """Return how many bytes a task may take: tasks on this machine share what the run may take."""
    at_once = context.defaultParallelism if str(context.master).startswith("local") else 1
    return max(_LEAST_MEMORY, memory.bound() // at_once)


def _read(options: TraceOptions, most: int, numbered: tuple[int, FilePart]) -> _Part:
    memory.watch_task(most)
    number, part = numbered
    reading = PartReading(options, number << _ARRIVALS)
    try:
        reading.add(part)
    except PlacedError as error:
        return _Part(_Said(wrong=(error.place, error.problem)))
    except LarsError as error:
        return _Part(_Said(wrong=error))
    atoms = {name: _ascending(some) for name, some in reading.atoms().items()}
    pairs = TraceColumns(reading.terms, atoms, 0).pairs((STREAM_PREDICATE, 4), 3, 1)
    said = _Said(reading.summaries, reading.lines, frozenset(atoms), pairs)
    return _Part(said, reading.rejected, packed_atoms(atoms, reading.terms))


def _ascending(some: InputAtoms) -> InputAtoms:
    in_order = (some.t[1:] >= some.t[:-1]).all()
    return some if in_order else some.take(np.argsort(some.t, kind="stable"))


def _check(parts: Sequence[FilePart], said: Sequence[_Said]) -> None:
    """Raise the first error that a part says, with the line in its file."""
    before, source = 0, None
    for part, one in zip(parts, said, strict=True):
        before, source = before if part.source == source else 0, part.source
        if isinstance(one.wrong, LarsError):
            raise one.wrong
        if one.wrong is not None:
            place, problem = one.wrong
            raise PlacedError(replace(place, line=before + place.line), problem)
        before += one.lines


def _timed(found: Survey, unit: Duration, part: _Part) -> Block:
    block = block_of(part.content)
    timed = {name: replace(some, t=found.times_of(some.t, unit)) for name, some in block.atoms.items()}
    return Block(block.terms, timed)
