"""The formats of traces that are written, what each of them can say, and elements as its text."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, assert_never

from agreement.documents.generate.elements import DATA, Observation
from agreement.documents.generate.plan import Plan, WrittenFormat
from agreement.documents.values import LARGEST
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError
from solver.traces.formats.cells import COLUMNS
from solver.traces.formats.csv_lines import csv_line
from solver.traces.formats.graphs import trig_element
from solver.traces.formats.quad_lines import bare_line, quad_line

_LINES: Final = (WrittenFormat.NQUADS, WrittenFormat.NTRIPLES, WrittenFormat.YABENCH)
_READ_AS: Final = {
    ".nq": _LINES,
    ".nt": (WrittenFormat.NTRIPLES, WrittenFormat.NQUADS, WrittenFormat.YABENCH),
    ".trig": (WrittenFormat.TRIG,),
    ".csv": (WrittenFormat.CSV,),
    ".parquet": (WrittenFormat.PARQUET,),
    ".atoms": (),
    ".ttl": (),
}
NAMING_STREAMS: Final = (WrittenFormat.NQUADS, WrittenFormat.CSV, WrittenFormat.PARQUET)

WrittenElement = tuple[int, str, Observation]
"""The time as it is written, the stream as `<iri>`, the element."""


def format_of(path: Path, named: WrittenFormat | None) -> WrittenFormat:
    """Return the format of a file: the one named, else that of its extension, a folder without one.

    Raises LarsError when a trace of that name would be read as something else.
    """
    suffix = path.suffix.lower()
    listed = ", ".join(extension for extension, read in _READ_AS.items() if read)
    if named is None and not suffix:
        return WrittenFormat.TURTLE
    if named is None and not _READ_AS.get(suffix):
        raise LarsError(f"{path}: accepted: {listed}, a folder (no extension), or --format")
    if named is not None and named not in _READ_AS.get(suffix, (named,)):
        raise LarsError(
            f"{path}: a file of this name is not read as {named.value}; accepted: an extension for it, "
            f"of {listed}, or none"
        )
    return named or _READ_AS[suffix][0]


def default_unit(kind: WrittenFormat) -> Duration:
    """Return the unit when nobody names one: ms, or s where each second has a file."""
    return SECOND if kind is WrittenFormat.TURTLE else MILLISECOND


def default_trace_unit(kind: WrittenFormat, unit: Duration) -> Duration:
    """Return what integers in a trace count when nobody says it: what readers then assume."""
    return {WrittenFormat.YABENCH: MILLISECOND, WrittenFormat.TURTLE: SECOND}.get(kind, unit)


def check_expressible(kind: WrittenFormat, plan: Plan, trace_unit: Duration) -> None:
    """Raise when a format cannot hold a plan's stream."""
    if not trace_unit.nanoseconds or plan.unit.nanoseconds % trace_unit.nanoseconds:
        raise LarsError(f"--unit {plan.unit}: accepted: a whole number of the trace unit {trace_unit}")
    last = plan.points(plan.start) + plan.points(plan.duration)
    if last * plan.unit.points(trace_unit) > LARGEST:
        raise LarsError(f"--trace-unit {trace_unit}: accepted: one in which times stay below {LARGEST}")
    if plan.streams > 1 and kind not in NAMING_STREAMS:
        names = ", ".join(one.value for one in NAMING_STREAMS)
        raise LarsError(f"--streams {plan.streams}: {kind.value} names no streams; accepted: {names}")
    if plan.out_of_order and kind is WrittenFormat.TURTLE:
        raise LarsError("--out-of-order: a folder of files by time has no order of arrival; accepted: a file")


HEADS: Final = {WrittenFormat.CSV: ",".join(COLUMNS) + "\n"}


def text(kind: WrittenFormat, sent: Iterable[WrittenElement]) -> Iterator[str]:
    """Yield the text of each element in a format of one file."""
    return (_text(kind, t, stream, element) for t, stream, element in sent)


def _text(kind: WrittenFormat, t: int, stream: str, element: Observation) -> str:
    triples = element.triples
    match kind:
        case WrittenFormat.NQUADS:
            return "".join(quad_line(triple, stream, t) for triple in triples)
        case WrittenFormat.NTRIPLES:
            return "".join(quad_line(triple, None, t) for triple in triples)
        case WrittenFormat.YABENCH:
            return "".join(bare_line(triple, t) for triple in triples)
        case WrittenFormat.TRIG:
            name = f"<{DATA}Element_S{element.station + 1}_{element.number}{'_again' * element.copy}>"
            return trig_element(name, t, triples)
        case WrittenFormat.CSV:
            return "".join(csv_line(t, map(cell, (stream, *triple))) for triple in triples)
        case WrittenFormat.TURTLE | WrittenFormat.PARQUET:
            raise AssertionError(kind)
        case _:
            assert_never(kind)


def cell(term: str) -> str:
    """Return a term as tables hold it: IRIs bare."""
    return term[1:-1] if term.startswith("<") else term


def table(sent: Iterable[WrittenElement]) -> dict[str, list[int] | list[str]]:
    """Return the columns of a table of elements, a row for each triple."""
    rows = [(t, stream, triple) for t, stream, element in sent for triple in element.triples]
    return {
        "t": [t for t, _, _ in rows],
        "stream": [cell(stream) for _, stream, _ in rows],
        **{name: [cell(triple[at]) for _, _, triple in rows] for at, name in enumerate("spo")},
    }
