"""Elements as text, one function for each way of writing them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from agreement.generating.elements import Element
from agreement.generating.formats import Format
from agreement.generating.weather import DATA
from agreement.recordings.recording import Triple
from lars.terms import XSD

_PROV: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
_INTEGER: Final = f"^^<{XSD}integer>"
COLUMNS: Final = ("t", "stream", "s", "p", "o")

Sent = tuple[int, str, Element]
"""The time as it is written, the stream as `<iri>`, the element."""


def nquads(t: int, stream: str, element: Element) -> str:
    """Return an element as timed N-Quads."""
    return "".join(f'{s} {p} {o} {stream} "{t}" .\n' for s, p, o in element.triples)


def ntriples(t: int, _stream: str, element: Element) -> str:
    """Return an element as timed N-Triples."""
    return "".join(f'{s} {p} {o} "{t}" .\n' for s, p, o in element.triples)


def yabench(t: int, _stream: str, element: Element) -> str:
    """Return an element as YABench writes it: neither literals nor times have quotes."""
    return "".join(f"{s} {p} {_bare(o)} <{t}> .\n" for s, p, o in element.triples)


def _bare(term: str) -> str:
    if not term.startswith('"'):
        return term
    lexical, _, datatype = term[1:].rpartition('"^^')
    return f"{lexical}^^{datatype[1:-1]}"


def trig(t: int, _stream: str, element: Element) -> str:
    """Return an element as a named graph, with its time in the default graph."""
    name = f"<{DATA}Element_S{element.station + 1}_{element.number}{'_again' * element.copy}>"
    return f'{name} {_PROV} "{t}"{_INTEGER} .\n{name} {{\n{turtle(element.triples)}}}\n'


def turtle(triples: Iterable[Triple]) -> str:
    """Return triples as Turtle, one a line."""
    return "".join(f"{s} {p} {o} .\n" for s, p, o in triples)


def csv(t: int, stream: str, element: Element) -> str:
    """Return an element as records of a CSV file."""
    named = _field(stream)
    return "".join(f"{t},{named},{_field(s)},{_field(p)},{_field(o)}\n" for s, p, o in element.triples)


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


TEXTS: Final[dict[Format, Callable[[int, str, Element], str]]] = {
    Format.NQUADS: nquads,
    Format.NTRIPLES: ntriples,
    Format.YABENCH: yabench,
    Format.TRIG: trig,
    Format.CSV: csv,
}
HEADS: Final = {Format.CSV: ",".join(COLUMNS) + "\n"}


def text(kind: Format, sent: Iterable[Sent]) -> Iterator[str]:
    """Yield the text of each element in a format of one file."""
    write = TEXTS[kind]
    return (write(t, stream, element) for t, stream, element in sent)
