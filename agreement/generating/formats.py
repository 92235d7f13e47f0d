"""The formats of traces that are written, what tells them, and what each of them can say."""

from enum import Enum
from pathlib import Path
from typing import Final

from agreement.experiment_values import LARGEST
from agreement.generating.plan import MILLISECOND, SECOND, Plan
from lars.durations import Duration
from lars.errors import LarsError


class Format(Enum):
    """How elements are written; all are read by every command that takes a trace."""

    NQUADS = "nquads"
    NTRIPLES = "ntriples"
    YABENCH = "yabench"
    TRIG = "trig"
    TURTLE = "turtle"
    CSV = "csv"
    PARQUET = "parquet"


_LINES: Final = (Format.NQUADS, Format.NTRIPLES, Format.YABENCH)
_READ_AS: Final = {
    ".nq": _LINES,
    ".nt": (Format.NTRIPLES, Format.NQUADS, Format.YABENCH),
    ".trig": (Format.TRIG,),
    ".csv": (Format.CSV,),
    ".parquet": (Format.PARQUET,),
    ".atoms": (),
    ".ttl": (),
}
NAMING_STREAMS: Final = (Format.NQUADS, Format.CSV, Format.PARQUET)


def format_of(path: Path, named: Format | None) -> Format:
    """Return the format of a file: the one named, else that of its extension, a folder without one.

    Raises LarsError when a trace of that name would be read as something else.
    """
    suffix = path.suffix.lower()
    listed = ", ".join(extension for extension, read in _READ_AS.items() if read)
    if named is None and not suffix:
        return Format.TURTLE
    if named is None and not _READ_AS.get(suffix):
        raise LarsError(f"{path}: accepted: {listed}, a folder (no extension), or --format")
    if named is not None and named not in _READ_AS.get(suffix, (named,)):
        raise LarsError(
            f"{path}: a file of this name is not read as {named.value}; accepted: an extension for it, "
            f"of {listed}, or none"
        )
    return named or _READ_AS[suffix][0]


def default_unit(kind: Format) -> Duration:
    """Return the unit when nobody names one: ms, or s where each second has a file."""
    return SECOND if kind is Format.TURTLE else MILLISECOND


def default_trace_unit(kind: Format, unit: Duration) -> Duration:
    """Return what integers in a trace count when nobody says it: what readers then assume."""
    return {Format.YABENCH: MILLISECOND, Format.TURTLE: SECOND}.get(kind, unit)


def check_expressible(kind: Format, plan: Plan, trace_unit: Duration) -> None:
    """Raise when a format cannot hold a plan's stream."""
    if not trace_unit.nanoseconds or plan.unit.nanoseconds % trace_unit.nanoseconds:
        raise LarsError(f"--unit {plan.unit}: accepted: a whole number of the trace unit {trace_unit}")
    last = plan.points(plan.start) + plan.points(plan.duration)
    if last * plan.unit.points(trace_unit) > LARGEST:
        raise LarsError(f"--trace-unit {trace_unit}: accepted: one in which times stay below {LARGEST}")
    if plan.streams > 1 and kind not in NAMING_STREAMS:
        names = ", ".join(one.value for one in NAMING_STREAMS)
        raise LarsError(f"--streams {plan.streams}: {kind.value} names no streams; accepted: {names}")
    if plan.out_of_order and kind is Format.TURTLE:
        raise LarsError("--out-of-order: a folder of files by time has no order of arrival; accepted: a file")
