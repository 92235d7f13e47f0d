"""The function `generate`, which writes a synthetic stream of weather observations."""

from pathlib import Path
from typing import ClassVar

from agreement.documents.generate import Plan, WrittenFormat, writing
from agreement.documents.generate.plan import TRIPLES
from agreement.documents.options import IdleOptions, has
from agreement.results.base.library import Listeners, Result, offered_functions
from lars.dataclass import dataclass
from lars.durations import Duration, time_unit
from lars.options import argument, option
from solver.settings import Runner


@dataclass(frozen=True, slots=True)
class GeneratedTrace(Result):
    """The result of `generate`: the path of the trace, its number of elements, and a summary."""

    path: Path
    elements: int
    text: str

    def parts(self) -> tuple[str]:
        """Return the text output: the size of the trace, and the options for reading it."""
        return (self.text,)

    @property
    def triples(self) -> int:
        """The number of triples of the trace."""
        return self.elements * TRIPLES


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateRequest:
    """The arguments of `lars generate`.

    The same options and the same seed always give the same file.

    Example:
    lars generate weather.nq --stations 50 --duration 30s --seed 1
    """

    IDLE: ClassVar = (
        IdleOptions(has("--in-process"), ("--master",), excludes="--in-process, which runs without Spark"),
    )

    out: Path = argument(
        "OUT", "File (.nq, .nt, .trig, .csv or .parquet) for the stream, or a folder for Turtle files."
    )
    stream: Plan
    unit: Duration | None = option(
        None, "Length of one time point. [default: 1ms; 1s for a folder of Turtle files]", time_unit
    )
    trace_unit: Duration | None = option(
        None, "Unit of integer times in the file. [default: the value of --unit; 1ms for yabench]", time_unit
    )
    format: WrittenFormat | None = option(None, "File format. [default: by the extension of OUT]")
    overwrite: bool = option(False, "Replace OUT if it exists.")
    master: str | None = option(
        None,
        "Spark master that runs the generation of the stream. [default: local[*] for a large stream]",
        metavar="URL",
    )
    in_process: bool = option(False, "Generate the stream in this process, without Spark.")


@offered_functions(GenerateRequest)
def generate(request: GenerateRequest, listeners: Listeners) -> GeneratedTrace:
    """Write a synthetic stream after YABench, and return its size.

    Two calls with equal arguments write the same bytes.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     result = generate(f"{folder}/weather.nq", stations=2, duration="5s", seed=1)
    >>> result.elements, result.triples
    (10, 70)
    """
    path = request.out
    kind = writing.format_of(path, request.format)
    plan = request.stream.in_unit(request.unit or writing.default_unit(kind))
    counted = request.trace_unit or writing.default_trace_unit(kind, plan.unit)
    output = writing.TraceOutput(plan, kind, counted)
    runner = Runner(request.master, request.in_process)
    count = writing.make(output, path, runner, listeners.progress, overwrite=request.overwrite)
    return GeneratedTrace(path, count, writing.summary(output, path, count))
