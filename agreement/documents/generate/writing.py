"""Writing of a plan's stream in parts; any order and number of processes gives the same files.

Each trace format can express only some streams. Each text format writes elements in a different form.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from shutil import copyfileobj, rmtree
from typing import BinaryIO, Final, assert_never

from agreement.documents.generate.elements import DATA, Observation, elements, plan_parts
from agreement.documents.generate.plan import TRIPLES, Plan, WrittenFormat
from agreement.documents.outputs import quantity
from agreement.documents.values import LARGEST
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError
from lars.files import exists, replacement_path
from lars.language.windows import Interval
from solver.settings import Progress, Runner, no_progress, progress_of_block, share, tell
from solver.spark import spark_progress
from solver.traces import EXTENSIONS, NUMBERED
from solver.traces.formats.cells import COLUMNS
from solver.traces.formats.csv_lines import csv_line
from solver.traces.formats.graphs import trig_element, turtle
from solver.traces.formats.quad_lines import bare_line, quad_line
from solver.traces.input_files import bare

_LINES: Final[tuple[WrittenFormat, ...]] = ("nquads", "ntriples", "yabench")
_READ_AS: Final[Mapping[str, tuple[WrittenFormat, ...]]] = {
    ".nq": _LINES,
    ".nt": ("ntriples", "nquads", "yabench"),
    ".trig": ("trig",),
    ".csv": ("csv",),
    ".tsv": ("csv",),
    ".parquet": ("parquet",),
}
NAMING_STREAMS: Final = ("nquads", "csv", "parquet")

WrittenElement = tuple[int, str, Observation]
"""The time in the file, the stream as `<iri>`, and the element."""


def format_of(path: Path, written_format: WrittenFormat | None) -> WrittenFormat:
    """Return the format in which to write a trace: `written_format`, or the format of the file's extension.

    Raises LarsError if `lars` would read a trace with this name in another format.
    """
    suffix, names = path.suffix.lower(), ", ".join(_READ_AS)
    if written_format is None and not suffix:
        return "turtle"
    if written_format is None and suffix not in _READ_AS:
        raise LarsError(
            f"{path}: the extension does not determine a format; use {names}, a folder (no extension), "
            "or --format"
        )
    extension = bare(path).suffix.lower()
    own = _READ_AS.get(extension, ()) if extension in EXTENSIONS else (written_format,)
    if written_format is not None and written_format not in own:
        problem = f"a file with this extension is not read as {written_format}"
        raise LarsError(f"{path}: {problem}; use an extension of this format ({names}), or no extension")
    if bare(path) != path:
        raise LarsError(f"{path}: cannot write a compressed trace; use a name without {path.suffix}")
    return written_format or _READ_AS[suffix][0]


def default_unit(kind: WrittenFormat) -> Duration:
    """Return the default unit of a format: ms, or s for a format with one file per second."""
    return SECOND if kind == "turtle" else MILLISECOND


def default_trace_unit(kind: WrittenFormat, unit: Duration) -> Duration:
    """Return the unit of integer times that readers of the format assume by default."""
    return {"yabench": MILLISECOND, "turtle": SECOND}.get(kind, unit)


def check_expressible(kind: WrittenFormat, plan: Plan, trace_unit: Duration) -> None:
    """Raise LarsError if a format cannot express a plan's stream."""
    if not trace_unit.nanoseconds or plan.unit.nanoseconds % trace_unit.nanoseconds:
        raise LarsError(f"--unit {plan.unit}: not a multiple of the trace unit {trace_unit}; use a multiple")
    last = plan.points(plan.start) + plan.points(plan.duration)
    if last * plan.unit.points(trace_unit) > LARGEST:
        raise LarsError(
            f"--trace-unit {trace_unit}: too short for the last time; use a unit in which all times "
            f"are below {LARGEST}"
        )
    if plan.streams > 1 and kind not in NAMING_STREAMS:
        names = ", ".join(NAMING_STREAMS)
        raise LarsError(f"--streams {plan.streams}: the format {kind} cannot name streams; expected {names}")
    if plan.out_of_order and kind == "turtle":
        raise LarsError(
            "--out-of-order: cannot write late elements to a folder with one file per time, "
            "because such a folder has no order of arrival; use a file"
        )


HEADS: Final = {"csv": ",".join(COLUMNS) + "\n"}


def text(kind: WrittenFormat, sent: Iterable[WrittenElement]) -> Iterator[str]:
    """Yield the text of each element in a text format."""
    return (_text(kind, t, stream, element) for t, stream, element in sent)


def _text(kind: WrittenFormat, t: int, stream: str, element: Observation) -> str:
    triples = element.triples
    match kind:
        case "nquads":
            return "".join(quad_line(triple, stream, t) for triple in triples)
        case "ntriples":
            return "".join(quad_line(triple, None, t) for triple in triples)
        case "yabench":
            return "".join(bare_line(triple, t) for triple in triples)
        case "trig":
            name = f"<{DATA}Element_S{element.station + 1}_{element.number}{'_again' * element.copy}>"
            return trig_element(name, t, triples)
        case "csv":
            return "".join(csv_line(t, map(cell, (stream, *triple))) for triple in triples)
        case "turtle" | "parquet":
            raise AssertionError(kind)
        case _:
            assert_never(kind)


def cell(term: str) -> str:
    """Return the text of a term in a table: an IRI without < and >, any other term unchanged."""
    return term[1:-1] if term.startswith("<") else term


def table(sent: Iterable[WrittenElement]) -> dict[str, list[int] | list[str]]:
    """Return the columns of a table of elements, with one row for each triple."""
    rows = [(t, stream, triple) for t, stream, element in sent for triple in element.triples]
    return {
        "t": [t for t, _, _ in rows],
        "stream": [cell(stream) for _, stream, _ in rows],
        **{name: [cell(triple[at]) for _, _, triple in rows] for at, name in enumerate("spo")},
    }


LARGE: Final = 10_000_000
"""The number of triples from which Spark writes the trace by default."""
_TOLD: Final = 2**10
"""The number of elements between two reports of progress."""
_MASTER: Final = "local[*]"
_NAME: Final = "part-{:05d}"
_PART: Final = re.compile(r"part-[0-9]{5,}\.parquet")

PartCounts = list[int]
"""The number of elements of each part."""


@dataclass(frozen=True, slots=True)
class TraceOutput:
    """A plan's stream, with the trace format in which it is written; `trace_unit` is the unit of times.

    In a text format, the trace is one file. In Turtle, the trace is a folder with one file for each time. In
    Parquet, the trace is one file, or a folder with several files.
    """

    plan: Plan
    format: WrittenFormat
    trace_unit: Duration

    @property
    def parts(self) -> list[Interval]:
        """The intervals of arrival times that are written together."""
        return plan_parts(self.plan)

    def elements(self, part: Interval) -> Iterator[WrittenElement]:
        """Yield the elements of a part with their times and streams in the file."""
        factor = self.plan.unit.points(self.trace_unit)
        expected = self.plan.expected_triples // TRIPLES // len(self.parts)
        for number, element in enumerate(elements(self.plan, part)):
            if not number % _TOLD:
                tell(number, expected)
            yield element.t * factor, self.plan.stream_of(element.station), element


def spark_master(runner: Runner, output: TraceOutput) -> str | None:
    """Return the Spark master that writes the stream; None if this process writes the stream."""
    if runner.master is not None and runner.in_process:
        raise LarsError("cannot combine --master and --in-process; use one of them")
    large = not runner.in_process and output.plan.expected_triples >= LARGE
    return runner.master or (_MASTER if large else None)


def make(
    output: TraceOutput, path: Path, runner: Runner, progress: Progress = no_progress, *, overwrite: bool
) -> int:
    """Write a trace atomically; return its number of elements.

    Raises LarsError if the format cannot express the stream, or if the stream is empty. The function also
    raises LarsError if the path exists and `overwrite` is false.
    """
    check_expressible(output.format, output.plan, output.trace_unit)
    _check_free(path, overwrite=overwrite)
    master = spark_master(runner, output)
    with replacement_path(path, folders=True) as new:
        counts = (
            _write_in_process(output, new, progress)
            if master is None
            else _write_on_spark(output, new, master, progress)
        )
        _finish(output, new, counts)
    return sum(counts)


def _check_free(path: Path, *, overwrite: bool) -> None:
    """Raise LarsError if a file or folder exists at a path, unless `overwrite` is true."""
    if not exists(path.parent, folder=True):
        raise LarsError(f"{path}: cannot write the trace: the folder {path.parent} does not exist")
    if not exists(path):
        return
    if not overwrite:
        raise LarsError(
            f"{path}: cannot write the trace: this name exists already; use another name, or --overwrite"
        )
    if exists(path, folder=True):
        # A folder is replaced as a whole, so it must contain only a trace.
        names = sorted(one.name for one in path.iterdir())
        if other := [name for name in names if not (NUMBERED.fullmatch(name) or _PART.fullmatch(name))]:
            raise LarsError(f"{path}: cannot overwrite the trace: {other[0]} in it is not a part of a trace")


def summary(output: TraceOutput, path: Path, count: int) -> str:
    """Return the summary of a written trace, with the options with which `lars` reads the trace."""
    plan = output.plan
    options = [f"--unit {plan.unit}"]
    if output.trace_unit != default_trace_unit(output.format, plan.unit):
        options.append(f"--trace-unit {output.trace_unit}")
    options += ["--sort"] * bool(plan.out_of_order)
    stream = shlex.quote(f"{plan.stream_iri}={path}")
    names = "" if output.format in NAMING_STREAMS else f" --stream {stream}"
    read = f"Read it with {' '.join(options)}{names}"
    size = f"{quantity(count, 'element')}, {quantity(count * TRIPLES, 'triple')}"
    return f"{path}: {size} ({output.format}). {read}"


def _write_part(output: TraceOutput, folder: str, number: int, part: Interval) -> int:
    """Write the part with this number to separate files in a folder; return its number of elements.

    If a repeated task writes a part again, the files are the same.
    """
    match output.format:
        case "turtle":
            return _write_seconds(output, Path(folder), part)
        case "parquet":
            return _write_table(output, Path(folder), number, part)
        case _:
            with Path(folder, _NAME.format(number)).open("wb") as file:
                return _write_text(output, file, part)


def _write_text(output: TraceOutput, file: BinaryIO, part: Interval) -> int:
    sent = list(output.elements(part))
    file.writelines(written.encode() for written in text(output.format, sent))
    return len(sent)


def _write_seconds(output: TraceOutput, folder: Path, part: Interval) -> int:
    count = 0
    for t, sent in groupby(output.elements(part), key=lambda element: element[0]):
        observations = [element for _, _, element in sent]
        lines = turtle(triple for element in observations for triple in element.triples)
        (folder / f"data_{t:02d}.ttl").write_bytes(lines.encode())
        count += len(observations)
    return count


def _write_table(output: TraceOutput, folder: Path, number: int, part: Interval) -> int:
    import pandas as pd  # type: ignore[import-untyped]

    if sent := list(output.elements(part)):
        path = folder / f"{_NAME.format(number)}.parquet"
        frame = pd.DataFrame(table(sent)).astype(dict.fromkeys(("stream", "p"), "category"))
        frame.to_parquet(path, engine="pyarrow", index=False)
    return len(sent)


def _write_in_process(output: TraceOutput, target: Path, progress: Progress) -> PartCounts:
    """Write the stream to a new file or folder, part after part."""
    parts = output.parts

    def watched(write: Callable[[int, Interval], int]) -> Iterator[int]:
        for number, part in enumerate(parts):
            with progress_of_block(share(progress, number, number + 1, len(parts))):
                count = write(number, part)
            yield count
            progress(number + 1, len(parts))

    if output.format in ("turtle", "parquet"):
        target.mkdir()
        return list(watched(partial(_write_part, output, str(target))))
    with target.open("wb") as file:
        file.write(HEADS.get(output.format, "").encode())
        return list(watched(lambda _, part: _write_text(output, file, part)))


def _write_on_spark(output: TraceOutput, target: Path, master: str, progress: Progress) -> PartCounts:
    """Write the stream to a new file or folder; a task of Spark writes each part.

    Each task writes separate files; on several machines, this requires a shared file system. For a text
    format, the files are concatenated. The driver does not receive the elements.
    """
    folder = target.with_name("parts")
    folder.mkdir()
    counts = _run(output, folder, master, progress)
    if output.format in ("turtle", "parquet"):
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


def _finish(output: TraceOutput, target: Path, counts: PartCounts) -> None:
    """Replace a folder with a single Parquet file by this file; raise LarsError for an empty stream."""
    if not sum(counts):
        raise LarsError(
            f"no observation is in the duration {output.plan.duration}; use a longer --duration, "
            "more --stations or another --seed"
        )
    if output.format == "parquet" and len(counts) == 1:
        part = (target / f"{_NAME.format(0)}.parquet").rename(target.with_name("table"))
        rmtree(target)
        part.rename(target)


def _run(output: TraceOutput, folder: Path, master: str, progress: Progress) -> PartCounts:
    """Write each part into a folder in a separate Spark task; return the number of elements of each part."""
    from solver.spark.session import spark_context

    context = spark_context(master)
    parts = output.parts
    with spark_progress(context, progress):
        tasks = context.parallelize(list(enumerate(parts)), len(parts))
        failures = tasks.map(partial(_tried, output, str(folder.absolute()))).collect()
    for problem in failures:
        if isinstance(problem, str):
            raise LarsError(problem)
    counts = [count for count in failures if isinstance(count, int)]
    written = sum(1 for file in folder.iterdir() if not file.name.startswith("."))
    if not written and any(counts):
        raise LarsError(
            f"{folder}: cannot write the trace: the tasks of Spark wrote to different file "
            "systems; use a shared file system"
        )
    return counts


def _tried(output: TraceOutput, folder: str, numbered: tuple[int, Interval]) -> int | str:
    """Write a part; return its number of elements, or the reason why the part cannot be written."""
    try:
        return _write_part(output, folder, *numbered)
    except OSError as error:
        return f"{folder}: cannot write the trace: {error.strerror or error}"
