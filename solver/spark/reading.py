"""Read a trace in Spark's tasks: each task reads parts of files into columns once, and keeps them as bytes.

The atoms of each block are counted and distributed to slices of the timeline.
"""

from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lars.dataclass import dataclass
from lars.errors import LarsError, Place, PlacedError
from lars.language.terms import Atom, Signature
from lars.language.windows import Interval, TupleWindow
from solver import memory, traces
from solver.columns import Array, InputAtoms, TimeBins, TraceColumns, arrivals
from solver.facts import STREAM_PREDICATE
from solver.job import Needs
from solver.job.slices import Counts, all_counts, between, carried_atoms, counted
from solver.settings import TraceOptions
from solver.spark.task_bytes import Block, block_of, pack_atoms

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext


def spread_atoms(
    needs: Needs, timeline: Interval, slices: Sequence[Interval], numbers: Container[int], block: Block
) -> Iterator[tuple[int, bytes]]:
    """Yield pairs of the number of a slice, and the atoms of the block that it needs, as bytes."""
    past, future = needs.ends(timeline)
    for number in between(slices, [some.t for some in block.atoms.values()], past, future):
        if number not in numbers:
            continue
        within = slices[number]
        around = Interval(within.first - past, within.last + future)
        here = {name: some.within(around) for name, some in block.atoms.items()}
        atoms = needs.among(here, block.terms, timeline).thinned(needs.triggers, block.terms).of(within)
        if parts := {name: part for name, part in atoms.items() if len(part.t)}:
            yield number, pack_atoms(parts, block.terms)


def first_count(needs: Needs, timeline: Interval, block: Block) -> int:
    """Return the number of first occurrences in a block that later slices need."""
    atoms = {name: some.within(timeline) for name, some in block.atoms.items()}
    return sum(len(some.t) for some in carried_atoms((), atoms, block.terms, needs.firsts).values())


def carried_by_block(
    windows: Sequence[TupleWindow],
    timeline: Interval,
    slices: Sequence[Interval],
    block: Block,
    firsts: Collection[Atom] = (),
) -> Iterator[tuple[int, bytes]]:
    """Yield pairs of a slice's number, and the block's atoms that later slices may need.

    These are atoms that tuple windows may keep at the slice's end, and first occurrences of `firsts`.

    The number -1 means the part of the timeline before the first slice. The atoms are packed as bytes.
    """
    before = Interval(timeline.first, slices[0].first - 1)
    parts = (before, *slices[:-1])
    near = between(parts, [some.t for some in block.atoms.values()])
    for number, within in enumerate(parts[near.start : near.stop], near.start - 1):
        inside = {name: some.within(within) for name, some in block.atoms.items()}
        if atoms := carried_atoms(windows, inside, block.terms, firsts):
            yield number, pack_atoms(atoms, block.terms)


def stream_counts(timeline: Interval, bins: TimeBins, block: Block) -> dict[str, Array]:
    """Return the number of a block's triples, by stream and bin of the timeline."""
    codes, counts = arrivals(block.atoms, timeline, bins)
    return dict(zip(block.terms.arrow(codes).to_pylist(), counts, strict=True))


def atoms_within(within: Interval, needs: Needs | None, block: Block) -> Iterator[bytes]:
    """Yield the atoms of a block in an interval, packed as bytes; if `needs` is given, only needed atoms."""
    atoms: dict[Signature, InputAtoms] = {}
    for name, some in block.atoms.items():
        here = some.within(within)
        if needs is not None:
            here = here.take(needs.windowed(name, here, block.terms))
        if len(here.t):
            atoms[name] = here
    if atoms:
        yield pack_atoms(atoms, block.terms)


_LEAST_MEMORY: Final = 2**29
_ARRIVALS: Final = 40
"""The number of low bits for an atom's number within its part; the higher bits number the parts."""


class _Parts(NamedTuple):
    """The summary of the parts of a trace that one Spark task has read, and the atoms in these parts.

    The field `lines` contains the number of lines of each part that was read completely. The field `wrong` is
    the error in the next part, possibly with a place in that part. The field `counts` contains the numbers of
    atoms by time, before the survey of the whole trace has converted the times; `ends` are the least and the
    greatest time of an atom, if there are atoms.
    """

    lines: Sequence[int]
    wrong: LarsError | tuple[Place, str] | None = None
    summaries: Sequence[traces.Summary] = ()
    signatures: frozenset[Signature] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    counts: Counts = (np.empty(0, np.int64), np.empty(0, np.int64))
    ends: tuple[int, ...] = ()
    skipped: int = 0
    rejected: Sequence[traces.RejectedRow] = ()
    content: bytes = b""

    def without_rows(self) -> "_Parts":
        """Return the same summary without the rows of the trace."""
        return self._replace(rejected=(), content=b"")


@dataclass(frozen=True, slots=True)
class ReadTrace:
    """A trace that Spark has read, as an RDD of `blocks` in no particular order.

    `spans` has the interval of the times in each block, in the order of the RDD's partitions, and None for a
    block without atoms. `counts` are the numbers of atoms by parts of the timeline. `origin` is the dateTime
    of time 0; None if times are integers. `shift` is as in TraceColumns. `pairs` contains the pairs (stream,
    predicate) that occur in triples. Spark caches the trace until `forget` is called.
    """

    blocks: "RDD[Block]"
    spans: Sequence[Interval | None]
    counts: Counts
    begin: int | None
    last: int
    signatures: frozenset[Signature]
    pairs: frozenset[tuple[str, str]]
    parts: "RDD[_Parts]"
    origin: str | None = None
    shift: int = 0

    def within(self, within: Interval, needs: Needs | None) -> list[bytes]:
        """Return the atoms in an interval as bytes, one item per block that has some; see `atoms_within`."""
        # Most blocks lie elsewhere: Spark would hand each of them to a task, which unpacks it for nothing.
        near = [number for number, span in enumerate(self.spans) if span is not None and span.meet(within)]
        select = partial(atoms_within, within, needs)
        return self.blocks.context.runJob(self.blocks.flatMap(select), list, near) if near else []

    def forget(self) -> None:
        """Remove the trace from the cache of Spark."""
        self.parts.unpersist()


def read_in_tasks(
    context: "SparkContext", sources: Sequence[traces.TraceFile], options: TraceOptions
) -> ReadTrace:
    """Let Spark tasks read a trace; errors and rejected rows are the same as for `read_columns`.

    Warnings are the same, too, except warnings about gaps between times, which are found only inside the part
    of one task.
    """
    from pyspark import StorageLevel

    # Tasks have a folder of their own.
    found_there = [replace(source, copy=source.file.absolute(), skipped=()) for source in sources]
    tasks = traces.file_parts(found_there, 2 * context.defaultParallelism)
    most = task_memory(context, len(tasks))
    read = context.parallelize(list(enumerate(tasks)), len(tasks)).map(partial(_read, options, most))
    read.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        return _surveyed(read, tasks, sources, options)
    except BaseException:
        read.unpersist()
        raise


def _surveyed(
    read: "RDD[_Parts]",
    tasks: Sequence[Sequence[traces.TraceFile]],
    sources: Sequence[traces.TraceFile],
    options: TraceOptions,
) -> ReadTrace:
    parts_read = read.map(_Parts.without_rows).collect()
    _check(tasks, parts_read)
    summaries = [summary for part in parts_read for summary in part.summaries]
    skipped = sum(part.skipped for part in parts_read)
    traces.check_elements(sources, options)
    stream_survey = traces.survey(summaries, skipped, sources, options)
    rejected = read.map(lambda parts: parts.rejected).toLocalIterator() if stream_survey.skipped else ()
    rows = chain.from_iterable(map(_in_whole_files, rejected, _lines_before(tasks, parts_read)))
    traces.report(stream_survey, rows, sources, options)
    ends = [stream_survey.points(np.array(part.ends, np.int64)).tolist() for part in parts_read]
    return ReadTrace(
        read.map(partial(_timed, stream_survey)),
        [Interval(*some) if some else None for some in ends],
        all_counts([(stream_survey.points(part.counts[0]), part.counts[1]) for part in parts_read]),
        stream_survey.begin,
        stream_survey.last,
        frozenset[Signature]().union(*(part.signatures for part in parts_read)),
        frozenset[tuple[str, str]]().union(*(part.pairs for part in parts_read)),
        read,
        stream_survey.zero,
        stream_survey.shift,
    )


def task_memory(context: "SparkContext", tasks: int) -> int:
    """Return the number of bytes that each task may use; tasks on this machine share the limit of the run."""
    local = str(context.master).startswith("local")
    return max(_LEAST_MEMORY, memory.limit() // (min(tasks, context.defaultParallelism) if local else 1))


def _read(options: TraceOptions, most: int, numbered: tuple[int, Sequence[traces.TraceFile]]) -> _Parts:
    memory.watch_task(most)
    number, parts = numbered
    reading = traces.PartReading(options, number << _ARRIVALS)
    lines = [0]
    try:
        for part in parts:
            reading.add(part)
            lines.append(reading.lines)
    except LarsError as error:
        wrong = (error.place, error.problem) if isinstance(error, PlacedError) else error
        return _Parts(_steps(lines), wrong)
    atoms = {name: _ascending(some) for name, some in reading.atoms().items()}
    pairs = TraceColumns(reading.terms, atoms, 0).pairs((STREAM_PREDICATE, 4), 3, 1)
    times = [some.t for some in atoms.values() if len(some.t)]
    ends = (min(int(t[0]) for t in times), max(int(t[-1]) for t in times)) if times else ()
    rows = ends, len(reading.rejected), reading.rejected, pack_atoms(atoms, reading.terms)
    counts = counted(times)
    return _Parts(_steps(lines), None, reading.summaries, frozenset(atoms), pairs, counts, *rows)


def _steps(ascending: Sequence[int]) -> list[int]:
    return [later - number for number, later in pairwise(ascending)]


def _ascending(some: InputAtoms) -> InputAtoms:
    in_order = (some.t[1:] >= some.t[:-1]).all()
    return some if in_order else some.take(np.argsort(some.t, kind="stable"))


def _check(tasks: Sequence[Sequence[traces.TraceFile]], parts_read: Sequence[_Parts]) -> None:
    """Raise the first error among the parts that tasks have read, with its line number in the whole file."""
    before, file, of_lines = 0, None, False
    for parts, item in zip(tasks, parts_read, strict=True):
        # Of the part that cannot be read nobody knows the lines.
        for part, lines in zip_longest(parts[: len(item.lines) + 1], item.lines):
            before, file, of_lines = before if part.index == file else 0, part.index, part.format.of_lines
            before += lines or 0
        if isinstance(item.wrong, LarsError):
            raise item.wrong
        if item.wrong is not None:
            place, problem = item.wrong
            # Only lines are counted from the beginning of their part.
            raise PlacedError(replace(place, line=before * of_lines + place.line), problem)


def _lines_before(
    tasks: Sequence[Sequence[traces.TraceFile]], parts_read: Sequence[_Parts]
) -> Iterator[Mapping[int, int]]:
    """Yield for each task the number of lines of its files, by index, that earlier tasks have read."""
    before = Counter[int]()
    for parts, item in zip(tasks, parts_read, strict=True):
        yield {part.index: before[part.index] for part in parts}
        for part, lines in zip(parts, item.lines, strict=True):
            before[part.index] += lines * part.format.of_lines


def _in_whole_files(
    rejected: Sequence[traces.RejectedRow], before: Mapping[int, int]
) -> Iterator[traces.RejectedRow]:
    """Yield the rejected rows of a task with their lines in the whole files."""
    for row in rejected:
        yield row._replace(place=replace(row.place, line=before[row.file] + row.place.line))


def _timed(stream_survey: traces.Survey, parts: _Parts) -> Block:
    block = block_of(parts.content)
    return Block(block.terms, stream_survey.timed(block.atoms))
