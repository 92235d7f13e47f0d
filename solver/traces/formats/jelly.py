"""The format Jelly (RDF in Protocol Buffers), read by pyjelly; each frame is a message."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyoxigraph as ox

from lars.errors import LarsError, Place, pip_install
from solver.rdf import NotATerm, blanks_numbered, text_of_oxigraph
from solver.settings import TraceOptions
from solver.traces.formats.graphs import LinedQuad
from solver.traces.formats.messages import LoggedMessage, MessageFormat
from solver.traces.input_files import FileHead, TraceFile, check_roles
from solver.traces.trace_times import MalformedPart


class Jelly(MessageFormat):
    """The format Jelly, whose files consist of frames; the line of an error is the number of its frame."""

    def begun(self, source: TraceFile, head: FileHead, options: TraceOptions) -> TraceFile:
        """Return the file with the property that gives frames their times.

        Raises:
            LarsError: The package pyjelly is not installed.
        """
        try:
            import pyjelly  # noqa: F401
        except ImportError:
            problem = f"Jelly requires pyjelly; use {pip_install('pyjelly')}"
            raise LarsError(f"{source.path}: cannot be read: {problem}") from None
        return super().begun(source, head, options)

    def placed(self, source: TraceFile, places: Sequence[Place]) -> list[Place]:
        """Return the places without the text of a line, since a frame consists of bytes."""
        _ = source
        return [replace(place, line_text="") for place in places]


def jelly_messages(source: TraceFile) -> Iterator[LoggedMessage]:
    """Yield a message for each frame of a Jelly file."""
    from pyjelly.integrations.generic.parse import parse_jelly_grouped

    number = 0
    with source.file.open("rb") as file:
        try:
            for number, frame in enumerate(parse_jelly_grouped(file), 1):
                yield _message(frame, number)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001  (what pyjelly and Protocol Buffers raise has no base)
            text = " ".join(str(error).split()) or type(error).__name__
            raise MalformedPart(
                f"not valid Jelly: {text}; expected Jelly", 1, number + 1, fatal=True
            ) from None


def _message(frame: Any, number: int) -> LoggedMessage:
    """Return the message of a frame; an invalid statement does not concern later frames."""
    apart, quads = blanks_numbered(f"m{number}b"), list[LinedQuad]()
    try:
        for statement in frame:
            quads.append(_quad([*map(_text, statement)], number, apart))
    except NotATerm as error:
        fault = MalformedPart(str(error), 1, number)
    except ValueError as error:
        fault = MalformedPart(f"{error}; expected RDF 1.1", 1, number)
    except MalformedPart as error:
        fault = MalformedPart(error.problem, 1, number)
    else:
        return LoggedMessage(number, number, b"", quads)
    return LoggedMessage(number, number, b"", (), fault)


def _quad(texts: Sequence[str | None], number: int, apart: Callable[[str], str]) -> LinedQuad:
    """Return a statement of a frame, given the texts of its terms; the text of the default graph is None.

    Raises:
        MalformedPart: Only generalized RDF allows one of the terms at its place.
    """
    s, p, o, graph = (*texts, None)[:4]
    if s is None or p is None or o is None or (graph or "<").startswith('"'):
        found = "literal as name of a graph" if s and p and o else "default graph in a triple"
        raise MalformedPart(f"found a {found}; expected RDF 1.1")
    check_roles((s, p, o), (1, 1, 1))
    return LinedQuad(number, (apart(s), p, apart(o)), graph and apart(graph))


def _text(term: Any) -> str | None:
    """Return the canonical text of a term of pyjelly; None for the default graph."""
    from pyjelly.integrations.generic.generic_sink import DefaultGraph

    return None if term is DefaultGraph else text_of_oxigraph(_term(term))


def _term(term: Any) -> Any:
    """Convert a term of pyjelly to a term of pyoxigraph; pyoxigraph rejects invalid terms."""
    from pyjelly.integrations.generic.generic_sink import IRI, BlankNode, Literal

    match term:
        case IRI():
            return ox.NamedNode(str(term)[1:-1])
        case BlankNode():
            return ox.BlankNode(_label(str(term)[2:]))
        case Literal(_lex=lexical, _langtag=language, _datatype=datatype):
            kind = None if datatype is None else ox.NamedNode(datatype)
            return ox.Literal(lexical, language=language, datatype=kind)
        case _:
            raise NotATerm.of(str(term), "only RDF 1.1 terms are covered")


def _label(text: str) -> str:
    """Return a blank node label that is valid in Turtle; Jelly allows any text."""
    return f"b{text.encode().hex()}"
