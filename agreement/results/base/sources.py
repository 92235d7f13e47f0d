"""Write data that a Python program gives (text, table or graph) to files, which are then read as inputs.

The files can also be read on Spark. If the program gives a path, nothing is written.
"""

import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Final, Protocol, cast, runtime_checkable

from rdflib import Dataset, Graph
from rdflib.term import BNode, IdentifiedNode, Node

from agreement.documents.values import GIVEN, message_text, static_file
from agreement.results.base.python_values import of_library, text_of
from lars.errors import LarsError, PlacedError
from solver.rdf import SHARED_BLANK
from solver.settings import StaticFile


class ArrowTable(Protocol):
    """A table, or a stream of tables, with Arrow's export interface: of pyarrow, pandas or polars."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the PyCapsule of an Arrow stream."""


GraphTriple = tuple[Node, Node, Node]
Element = tuple[int | datetime, Graph | GraphTriple]
"""An element of a stream: its time, and its graph or triple.

Equal blank nodes of rdflib are one node, also in several elements.
"""
TextSource = str | Path
"""A path or a text; a string with a line break, { or ← is a text."""


@runtime_checkable
class LazyTable(Protocol):
    """A table that is not computed yet, such as a LazyFrame of polars."""

    def collect(self) -> ArrowTable:
        """Compute the table."""

    def collect_schema(self) -> object:
        """Return the columns of the table."""


@runtime_checkable
class Readable(Protocol):
    """An open file or a file-like object, such as BytesIO."""

    def read(self) -> str | bytes:
        """Return the whole content."""


TraceSource = TextSource | Readable | ArrowTable | LazyTable | Iterable[Element]
"""A trace: a file, a text, a table with columns t, stream, s, p, o, or elements."""
StaticSource = TextSource | Readable | Graph
"""Static data: a file, a text, or a graph or dataset of rdflib."""

_TEXT: Final = re.compile(r"[\n{←]")
_QUERY: Final = re.compile(
    r"(?>(?:\s|#[^\n]*\n|@?(?:prefix|base)\b[^<]*<[^>]*>(?:\s*\.)?)*)"
    r"(?:register|select|construct|ask|describe)\b",
    re.IGNORECASE,
)
_RULE: Final = re.compile(r"←|:-\s")
_ACCEPTED: Final = "a path, a text, a table with the columns t, stream, s, p, o, or pairs (t, graph)"


class SourceFiles:
    """A temporary folder with files for the data of a Python program.

    The folder is deleted when no reference to this object exists.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._names: dict[str, Iterator[int]] = {}
        self._blanks: dict[BNode, BNode] = {}

    def path_of(self, source: TraceSource) -> Path:
        """Return the path of a query, program, experiment or trace; data are written to a new file."""
        source = of_library(source)
        if isinstance(source, str | Path):
            return self._of_text(text_of(source), _file_name)
        if isinstance(source, bytes | Readable):
            content = source if isinstance(source, bytes) else source.read()
            return self._written("trace", "", content)
        if isinstance(source, Graph):
            problem = (
                "a graph without times cannot be a trace; expected pairs (t, graph), or the "
                "graph as static data"
            )
            raise LarsError(f"found {type(source).__name__}: {problem}")
        if isinstance(source, LazyTable):
            return self.path_of(source.collect())
        if hasattr(source, "__arrow_c_stream__"):
            # Loads pyarrow, which no query needs.
            from solver.traces.formats.tables import write_table

            kind = type(source)
            return write_table(source, self._file(f"{kind.__module__.partition('.')[0]}.{kind.__name__}", ""))
        if isinstance(source, Iterable):
            return self._written("elements", ".trig", _as_trig(source, self._shared))
        raise LarsError(f"found {message_text(source)} ({type(source).__name__}); expected {_ACCEPTED}")

    def static(self, source: StaticSource) -> StaticFile:
        """Return the path of static data; data are written to a new file."""
        match source:
            case Dataset():
                return StaticFile(
                    self._written("static", ".nq", self._relabeled(source, Dataset(), "nquads"))
                )
            case Graph():
                return StaticFile(self._written("static", ".nt", self._relabeled(source, Graph(), "nt")))
            case str() if not _TEXT.search(source):
                return static_file(str(text_of(source)))
            case str() | Path():
                return StaticFile(self._of_text(text_of(source), lambda _: ("static", "")))
            case Readable():
                return StaticFile(self._written("static", "", source.read()))
            case _:
                found = type(source).__name__
                raise LarsError(f"found {found}; expected a path, a text, a file, or a graph of rdflib")

    def _relabeled(self, source: Graph, copy: Graph, form: str) -> str:
        for graph in source.graphs() if isinstance(source, Dataset) else (source,):
            name = self._shared(graph.identifier)
            own = Graph(copy.store, cast("IdentifiedNode", name)) if isinstance(copy, Dataset) else copy
            own.addN((self._shared(s), self._shared(p), self._shared(o), own) for s, p, o in graph)
        return copy.serialize(format=form)

    def _shared(self, node: Node) -> Node:
        """Return a node of rdflib; a blank node gets the label that it has in all files.

        If a blank node occurs in several values of one call, it has the same label in all files.
        """
        if not isinstance(node, BNode):
            return node
        return self._blanks.setdefault(node, BNode(f"{SHARED_BLANK[2:]}{len(self._blanks)}"))

    def _of_text(self, source: TextSource, named: Callable[[str], tuple[str, str]]) -> Path:
        if isinstance(source, Path) or not _TEXT.search(source):
            return Path(source)
        return self._written(*named(source), source)

    def _written(self, stem: str, suffix: str, content: str | bytes) -> Path:
        path = self._file(stem, suffix)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def _file(self, stem: str, suffix: str) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=GIVEN))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        number = next(self._names.setdefault(stem, count(1)))
        return self._folder / f"{stem}{'' if number == 1 else number}{suffix}"

    def plain(self, sentence: str) -> str:
        """Return an error message with the names of values in place of the paths of temporary files."""
        return sentence if self._folder is None else sentence.replace(f"{self._folder}/", "")

    @contextmanager
    def naming(self) -> Iterator[None]:
        """In the block, error messages contain names of values in place of the paths of temporary files."""
        try:
            yield
        except LarsError as error:
            error.args = tuple(self.plain(str(item)) for item in error.args)
            if isinstance(error, PlacedError):
                error.place = replace(error.place, source=self.plain(error.place.source))
                error.problem = self.plain(error.problem)
            raise


def _file_name(text: str) -> tuple[str, str]:
    """Return the stem and the extension of a file name that fits the content of a text."""
    if _QUERY.match(text):
        return "query", ".rq"
    return ("program", ".lars") if _RULE.search(text) else ("trace", "")


def _as_trig(elements: Iterable[Element], shared: Callable[[Node], Node] = lambda node: node) -> str:
    """Return elements in order as TriG, with a named graph for each element.

    The function `shared` is called on each node of the graphs to get the written node.

    >>> from rdflib import URIRef
    >>> a = URIRef("http://e/a")
    >>> print(_as_trig([(3, (a, a, a))]))
    <urn:element:1> <http://www.w3.org/ns/prov#generatedAtTime> 3 .
    <urn:element:1> { <http://e/a> <http://e/a> <http://e/a> . }
    """
    lines: list[str] = []
    for number, element in enumerate(elements, 1):
        match of_library(element):
            case (int() | datetime() as t, Graph() as graph) if not isinstance(t, bool):
                triples: Sequence[GraphTriple] = list(graph)
            case (int() | datetime() as t, (Node(), Node(), Node()) as triple) if not isinstance(t, bool):
                triples = [triple]
            case _:
                accepted = "a pair of a time, int or datetime, and a graph or triple of rdflib"
                raise LarsError(f"element {number}: found {message_text(element)}; expected {accepted}")
        name = f"<urn:element:{number}>"
        time = f'"{t.isoformat()}"^^<{_DATE_TIME}>' if isinstance(t, datetime) else str(t)
        content = " ".join(f"{' '.join(shared(node).n3() for node in triple)} ." for triple in triples)
        lines += (f"{name} <{_AT}> {time} .", f"{name} {{ {content} }}")
    return "\n".join(lines)


_AT: Final = "http://www.w3.org/ns/prov#generatedAtTime"
_DATE_TIME: Final = "http://www.w3.org/2001/XMLSchema#dateTime"
