"""The formats of traces that are written, what each of them can say, and elements as its text."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, assert_never

from agreement.documents.generate.elements import DATA, Observation
from agreement.documents.generate.plan import Plan, TraceFormat
from agreement.documents.recordings import Triple
from agreement.documents.values import LARGEST
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError
from lars.language.terms import XSD

_PROV: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
_INTEGER: Final = f"^^<{XSD}integer>"
COLUMNS: Final = ("t", "stream", "s", "p", "o")


_LINES: Final = (TraceFormat.NQUADS, TraceFormat.NTRIPLES, TraceFormat.YABENCH)
_READ_AS: Final = {
    ".nq": _LINES,
    ".nt": (TraceFormat.NTRIPLES, TraceFormat.NQUADS, TraceFormat.YABENCH),
    ".trig": (TraceFormat.TRIG,),
    ".csv": (TraceFormat.CSV,),
    ".parquet": (TraceFormat.PARQUET,),
    ".atoms": (),
    ".ttl": (),
}
NAMING_STREAMS: Final = (TraceFormat.NQUADS, TraceFormat.CSV, TraceFormat.PARQUET)

Sent = tuple[int, str, Observation]
"""The time as it is written, the stream as `<iri>`, the element."""


def format_of(path: Path, named: TraceFormat | None) -> TraceFormat:
    """Return the format of a file: the one named, else that of its extension, a folder without one.

    Raises LarsError when a trace of that name would be read as something else.
    """
    suffix = path.suffix.lower()
    listed = ", ".join(extension for extension, read in _READ_AS.items() if read)
    if named is None and not suffix:
        return TraceFormat.TURTLE
    if named is None and not _READ_AS.get(suffix):
        raise LarsError(f"{path}: accepted: {listed}, a folder (no extension), or --format")
    if named is not None and named not in _READ_AS.get(suffix, (named,)):
        raise LarsError(
            f"{path}: a file of this name is not read as {named.value}; accepted: an extension for it, "
            f"of {listed}, or none"
        )
    return named or _READ_AS[suffix][0]


def default_unit(kind: TraceFormat) -> Duration:
    """Return the unit when nobody names one: ms, or s where each second has a file."""
    return SECOND if kind is TraceFormat.TURTLE else MILLISECOND


def default_trace_unit(kind: TraceFormat, unit: Duration) -> Duration:
    """Return what integers in a trace count when nobody says it: what readers then assume."""
    return {TraceFormat.YABENCH: MILLISECOND, TraceFormat.TURTLE: SECOND}.get(kind, unit)


def check_expressible(kind: TraceFormat, plan: Plan, trace_unit: Duration) -> None:
    """Raise when a format cannot hold a plan's stream."""
    if not trace_unit.nanoseconds or plan.unit.nanoseconds % trace_unit.nanoseconds:
        raise LarsError(f"--unit {plan.unit}: accepted: a whole number of the trace unit {trace_unit}")
    last = plan.points(plan.start) + plan.points(plan.duration)
    if last * plan.unit.points(trace_unit) > LARGEST:
        raise LarsError(f"--trace-unit {trace_unit}: accepted: one in which times stay below {LARGEST}")
    if plan.streams > 1 and kind not in NAMING_STREAMS:
        names = ", ".join(one.value for one in NAMING_STREAMS)
        raise LarsError(f"--streams {plan.streams}: {kind.value} names no streams; accepted: {names}")
    if plan.out_of_order and kind is TraceFormat.TURTLE:
        raise LarsError("--out-of-order: a folder of files by time has no order of arrival; accepted: a file")


HEADS: Final = {TraceFormat.CSV: ",".join(COLUMNS) + "\n"}


def text(kind: TraceFormat, sent: Iterable[Sent]) -> Iterator[str]:
    """Yield the text of each element in a format of one file."""
    return (_text(kind, t, stream, element) for t, stream, element in sent)


def _text(kind: TraceFormat, t: int, stream: str, element: Observation) -> str:
    triples = element.triples
    match kind:
        case TraceFormat.NQUADS:
            return "".join(f'{s} {p} {o} {stream} "{t}" .\n' for s, p, o in triples)
        case TraceFormat.NTRIPLES:
            return "".join(f'{s} {p} {o} "{t}" .\n' for s, p, o in triples)
        case TraceFormat.YABENCH:
            # Neither literals nor times have quotes.
            return "".join(f"{s} {p} {_bare(o)} <{t}> .\n" for s, p, o in triples)
        case TraceFormat.TRIG:
            # An element is a named graph, its time stands in the default graph.
            name = f"<{DATA}Element_S{element.station + 1}_{element.number}{'_again' * element.copy}>"
            return f'{name} {_PROV} "{t}"{_INTEGER} .\n{name} {{\n{turtle(triples)}}}\n'
        case TraceFormat.CSV:
            return "".join(f"{t},{','.join(map(_field, (stream, *triple)))}\n" for triple in triples)
        case TraceFormat.TURTLE | TraceFormat.PARQUET:
            raise AssertionError(kind)
        case _:
            assert_never(kind)


def _bare(term: str) -> str:
    if not term.startswith('"'):
        return term
    lexical, _, datatype = term[1:].rpartition('"^^')
    return f"{lexical}^^{datatype[1:-1]}"


def turtle(triples: Iterable[Triple]) -> str:
    """Return triples as Turtle, one a line."""
    return "".join(f"{s} {p} {o} .\n" for s, p, o in triples)


def _field(term: str) -> str:
    text = cell(term)
    return '"' + text.replace('"', '""') + '"' if '"' in text or "," in text else text


def cell(term: str) -> str:
    """Return a term as tables hold it: IRIs bare."""
    return term[1:-1] if term.startswith("<") else term


def table(sent: Iterable[Sent]) -> dict[str, list[int] | list[str]]:
    """Return the columns of a table of elements, a row for each triple."""
    rows = [(t, stream, triple) for t, stream, element in sent for triple in element.triples]
    return {
        "t": [t for t, _, _ in rows],
        "stream": [cell(stream) for _, stream, _ in rows],
        **{name: [cell(triple[at]) for _, _, triple in rows] for at, name in enumerate("spo")},
    }
