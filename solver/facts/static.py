"""Static data: RDF files as sets of canonical texts, the default graph and named graphs."""

import json
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyoxigraph
import rdflib
from pyoxigraph import RdfFormat

from lars.errors import LarsError, Place, PlacedError
from lars.files import decoded, read_bytes
from solver.facts.input_files import bare, readable
from solver.rdf import NotATerm, blanks_numbered, quad_texts, syntax_problem, text_of_rdflib

Triple = tuple[str, str, str]
Quad = tuple[str, str, str, str | None]

ACCEPTED_STATIC: Final = (
    "Turtle (.ttl), N-Triples (.nt), N-Quads (.nq), TriG (.trig), RDF/XML (.rdf, .owl, .xml), JSON-LD "
    "(.jsonld, .json), Notation3 (.n3), TriX (.trix)"
)
# rdflib turns the number 01 of Turtle into 1: pyoxigraph keeps what is written, and tells places.
_EXACT: Final = {
    ".ttl": RdfFormat.TURTLE,
    ".turtle": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".trig": RdfFormat.TRIG,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
}
_OTHERS: Final = {".jsonld": "json-ld", ".json": "json-ld", ".n3": "n3", ".trix": "trix"}
_LINE = re.compile(r"at line (\d+)|:(\d+):\d+:")


@dataclass(frozen=True, slots=True)
class Static:
    """Static triples as canonical texts; `named` maps a graph's name to its triples."""

    default: frozenset[Triple]
    named: dict[str, frozenset[Triple]]


def read_static(paths: Sequence[Path]) -> Static:
    """Return the union of RDF files; blank nodes of two files differ.

    Raises LarsError with file and, where the parser tells, line and column.
    """
    default: set[Triple] = set()
    named: dict[str, set[Triple]] = {}
    for index, path in enumerate(paths):
        apart = blanks_numbered(f"s{index}n")
        for s, p, o, graph in _quads(path):
            triple = (apart(s), p, apart(o))
            (default if graph is None else named.setdefault(apart(graph), set())).add(triple)
    return Static(frozenset(default), {name: frozenset(triples) for name, triples in named.items()})


def _quads(path: Path) -> Iterator[Quad]:
    data = read_bytes(readable(path), ACCEPTED_STATIC)
    suffix = bare(path).suffix.lower()
    try:
        if suffix in _EXACT:
            yield from _by_oxigraph(path, data, _EXACT[suffix])
        elif suffix in _OTHERS:
            yield from _by_rdflib(path, data, _OTHERS[suffix])
        else:
            yield from _by_content(path, data)
    except NotATerm as error:
        raise LarsError(f"{path}: {error}") from None


def _by_oxigraph(path: Path, data: bytes, kind: RdfFormat) -> Iterator[Quad]:
    try:
        yield from map(quad_texts, pyoxigraph.parse(data.removeprefix(b"\xef\xbb\xbf"), format=kind))
    except SyntaxError as error:
        line = error.lineno or 1
        lines = data.decode("utf-8", "backslashreplace").split("\n")
        text = lines[line - 1] if line <= len(lines) else ""
        problem = f"{syntax_problem(error)}; accepted: {kind.name}"
        raise PlacedError(Place(str(path), line, error.offset or 1, text), problem) from None


@contextmanager
def _lexical_forms_kept() -> Iterator[None]:
    before = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = False
    try:
        with warnings.catch_warnings():  # its own parsers use what rdflib calls deprecated
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        rdflib.NORMALIZE_LITERALS = before


def _by_rdflib(path: Path, data: bytes, kind: str) -> Iterator[Quad]:
    if kind == "json-ld":
        _check_json(path, data)
    dataset = rdflib.Dataset()
    with _lexical_forms_kept():
        try:
            dataset.parse(data=data, format=kind, publicID="urn:")
        except Exception as error:  # noqa: BLE001  (rdflib's parsers share no base)
            said = " ".join(str(error).split())
            match = _LINE.search(said)
            line = f":{match[1] or match[2]}" if match else ""
            raise LarsError(f"{path}{line}: no {kind}: {said}; accepted: {ACCEPTED_STATIC}") from None
        outside = dataset.default_graph.identifier
        for s, p, o, graph in dataset.quads((None, None, None, None)):
            name = None if graph in (None, outside) else text_of_rdflib(graph)
            yield text_of_rdflib(s), text_of_rdflib(p), text_of_rdflib(o), name


def _check_json(path: Path, data: bytes) -> None:
    """Raise for text that is no JSON, and for contexts that would have to be fetched."""
    file = decoded(str(path), data, "JSON-LD")
    try:
        document = json.loads(file.text)
    except json.JSONDecodeError as error:
        raise file.error(error.pos, f"{error.msg}; accepted: JSON-LD") from None
    for key, value in _entries(document):
        if key == "@import" or (key == "@context" and any(isinstance(item, str) for item in _listed(value))):
            raise LarsError(
                f"{path}: found a context by address, {value!r}; accepted: contexts inside the file"
            )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _entries(document: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(document, dict):
        for key, value in document.items():
            yield key, value
            yield from _entries(value)
    elif isinstance(document, list):
        for value in document:
            yield from _entries(value)


def _by_content(path: Path, data: bytes) -> Iterator[Quad]:
    """Read a file whose name tells nothing: XML and JSON by their look, else TriG or N-Quads."""
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1024]
    if start.startswith((b"<?xml", b"<rdf:RDF")):
        return _by_oxigraph(path, data, RdfFormat.RDF_XML)
    if re.match(rb'\{\s*"@|\[\s*\{', start):
        return _by_rdflib(path, data, "json-ld")
    for kind in (RdfFormat.TRIG, RdfFormat.N_QUADS):
        try:
            return iter(list(_by_oxigraph(path, data, kind)))
        except LarsError:
            continue
    raise LarsError(f"{path}: neither the name nor the content tells the format; accepted: {ACCEPTED_STATIC}")
