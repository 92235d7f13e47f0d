"""Making a trace: where it is written, by which process, and what is said about it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agreement.generating.formats import NAMING_STREAMS, check_expressible, default_trace_unit
from agreement.generating.plan import TRIPLES
from agreement.generating.writing import Counts, Output, finish, write_in_process, write_on_spark
from lars.errors import LarsError
from lars.files import appearing
from solver.progress import Progress, unwatched
from solver.trace_files import NUMBERED

LARGE: Final = 10_000_000
"""From how many triples on Spark writes the trace when nobody says who does."""
_MASTER: Final = "local[*]"
_PARTS: Final = ".parquet"


@dataclass(frozen=True, slots=True)
class Maker:
    """Who writes: Spark on a master, this process, or what the size suggests; neither when both are off."""

    master: str | None = None
    in_process: bool = False

    def of(self, output: Output) -> str | None:
        """Return the Spark master to write on, None for this process."""
        if self.master is not None and self.in_process:
            raise LarsError("accepted: one of --master and --in-process")
        large = not self.in_process and output.plan.expected_triples >= LARGE
        return self.master or (_MASTER if large else None)


def make(output: Output, path: Path, maker: Maker, progress: Progress = unwatched, *, overwrite: bool) -> int:
    """Write a trace, which appears whole or not at all; return how many elements it has.

    Raises LarsError when the format cannot hold the stream, when the path is taken, and when the
    stream is empty.
    """
    check_expressible(output.format, output.plan, output.trace_unit)
    _check_free(path, overwrite=overwrite)
    master = maker.of(output)
    with appearing(path) as new:
        counts = _written(output, new, master, progress)
        finish(output, new, counts)
    return sum(counts)


def _check_free(path: Path, *, overwrite: bool) -> None:
    """Raise when something is at a path that must not be replaced."""
    if not path.parent.is_dir():
        raise LarsError(f"{path}: cannot be written: there is no folder {path.parent}")
    if not path.exists():
        return
    if not overwrite:
        raise LarsError(f"{path}: exists already; accepted: another name, or --overwrite")
    if path.is_dir():
        # A folder is replaced whole, so it must not hold anything else than a trace.
        other = [one for one in path.iterdir() if not (NUMBERED.fullmatch(one.name) or one.suffix == _PARTS)]
        if other:
            raise LarsError(f"{path}: is not overwritten: {other[0].name} in it is no part of a trace")


def _written(output: Output, target: Path, master: str | None, progress: Progress) -> Counts:
    if master is None:
        return write_in_process(output, target, progress)
    return write_on_spark(output, target, master, progress)


def summary(output: Output, path: Path, count: int) -> str:
    """Return what was written and the options by which it is read."""
    plan = output.plan
    options = [f"--unit {plan.unit}"]
    if output.trace_unit != default_trace_unit(output.format, plan.unit):
        options.append(f"--trace-unit {output.trace_unit}")
    options += ["--sort"] * bool(plan.out_of_order)
    named = "" if output.format in NAMING_STREAMS else f" --stream {plan.stream}={path}"
    read = f"read it with {' '.join(options)}{named}"
    return f"{path}: {count} elements, {count * TRIPLES} triples ({output.format.value}); {read}"
