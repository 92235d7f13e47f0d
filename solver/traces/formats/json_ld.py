"""JSON-LD: timed graphs in one document (TripleWave's form), and lines of documents (NDJSON-LD)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pyoxigraph
from pyoxigraph import RdfFormat

from lars.errors import FailedRunError, place_at
from lars.files import BYTE_ORDER_MARK, MOST_BYTES, check_line_ends
from solver.rdf import NotATerm, blanks_numbered, quad_texts, syntax_problem
from solver.traces.formats.graphs import GraphElement, LinedQuad, graph_elements
from solver.traces.formats.messages import LoggedMessage
from solver.traces.input_files import TraceFile
from solver.traces.json_documents import (
    JSON_TEXT,
    NOWHERE,
    check_absolute,
    check_whole,
    offset_of_iri,
    read_document,
    remote_context,
)
from solver.traces.trace_times import MalformedPart

_CONTEXT: Final = "@context"


def _parsed(text: str, line: int) -> object:
    """Return the parsed JSON of a document that begins on the line `line`.

    Raises:
        MalformedPart: The document is invalid; the error contains the place.
    """
    try:
        document = read_document(text)
    except json.JSONDecodeError as error:
        problem = f"{error.msg}; expected JSON-LD"
        raise MalformedPart(problem, error.colno, line + error.lineno - 1, fatal=True) from None
    except ValueError as error:
        raise MalformedPart(f"{error}; expected JSON-LD", 1, line, fatal=True) from None
    if remote := remote_context(document):
        problem = (
            f"the context is the address of another document, {remote!r}; expected contexts inside the file"
        )
        before = text[: _place_of(remote, text)]
        column = len(before) - before.rfind("\n")
        raise MalformedPart(problem, column, line + before.count("\n"), fatal=True)
    return document


def _quads(data: bytes, line: int) -> Iterator[LinedQuad]:
    """Yield the statements of a document, all with the same line number.

    Raises:
        MalformedPart: The document is invalid.
    """
    number = 0
    try:
        for quad in pyoxigraph.parse(data, format=RdfFormat.JSON_LD, base_iri=NOWHERE):
            number += 1
            texts = s, p, o, graph = quad_texts(quad)
            check_absolute(texts)
            yield LinedQuad(line, (s, p, o), graph)
        check_whole(data, number)
    except SyntaxError as error:
        raise MalformedPart(f"{syntax_problem(error)}; expected JSON-LD", 1, line, fatal=True) from None
    except NotATerm as error:
        raise MalformedPart(str(error), 1, line, fatal=True) from None


def _decoded(data: bytes, line: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        problem = "found bytes that are not valid UTF-8; expected UTF-8"
        line += data.count(b"\n", 0, error.start)
        raise MalformedPart(problem, 1, line, fatal=True) from None


def json_ld_elements(source: TraceFile, data: bytes) -> list[GraphElement]:
    """Return the named graphs of a document as elements, each with the line that first contains its name.

    The document contains the times of the graphs as values of prov:generatedAtTime.
    """
    _ = source
    return graph_elements(document_quads(data))


def document_quads(data: bytes) -> list[LinedQuad]:
    """Return the statements of a document, each with the line that first names its graph or subject."""
    text = _decoded(data.removeprefix(BYTE_ORDER_MARK), 1)
    if "\n" not in text:
        text = text.replace("\r", "\n")
    _parsed(text, 1)
    lines = _first_lines(text)

    def line(name: str) -> int:
        return lines.get(json.dumps(name[1:-1], ensure_ascii=False), 1) if name.startswith("<") else 1

    try:
        quads = [*_quads(text.encode(), 1)]
    except MalformedPart as error:
        # The parser tells no line. The message begins with the IRI.
        place = place_at("", text, offset_of_iri(text, error.problem) or 0)
        raise error.at(place.column, line=place.line) from None
    return [LinedQuad(line(graph or triple[0]), triple, graph) for _, triple, graph in quads]


def _place_of(remote: str, text: str) -> int:
    """Return the offset of the address of a context in a JSON document; 0 if the address is not found."""
    texts = [(match.start(), match[0]) for match in JSON_TEXT.finditer(text)]
    first = next((place for place, each in texts if each == f'"{_CONTEXT}"'), 0)
    return next((place for place, each in texts if place > first and json.loads(each) == remote), 0)


def _first_lines(text: str) -> Mapping[str, int]:
    """Return the first line in which each text of a JSON document occurs.

    The keys of the result are the texts in JSON notation.
    """
    lines, number, before = dict[str, int](), 1, 0
    for match in JSON_TEXT.finditer(text):
        number += text.count("\n", before, match.start())
        before = match.start()
        lines.setdefault(match[0], number)
    return lines


def json_ld_messages(source: TraceFile) -> Iterator[LoggedMessage]:
    """Yield a message for each line of a file; a line {} is an empty message.

    A line that contains only a context is not a message; its context applies to later lines.
    """
    context, number = "", 0
    quads: list[LinedQuad]
    fault: MalformedPart | None
    for line, data in enumerate(_lines(source), 1):
        try:
            text = _decoded(data, line)
            if [*_object(text, line)] == [_CONTEXT]:
                context = json.dumps(json.loads(text)[_CONTEXT])
                continue
            quads, fault = _message_quads(_in_context(text, context), number + 1, line), None
        except MalformedPart as error:
            if _CONTEXT.encode() in data:  # perhaps the context of later lines
                raise
            quads, fault = [], MalformedPart(error.problem, error.column, line)
        number += 1
        yield LoggedMessage(number, line, data, quads, fault)


def _object(text: str, line: int) -> dict[str, object]:
    """Return the JSON object on a line; raise MalformedPart for other JSON and for other text."""
    document = _parsed(text, line)
    if not isinstance(document, dict):
        raise MalformedPart("found no object; expected a JSON object in each line", 1, line, fatal=True)
    return document


def _message_quads(text: str, number: int, line: int) -> list[LinedQuad]:
    """Return the statements of message `number`, whose blank nodes are in no other message."""
    apart = blanks_numbered(f"m{number}b")
    return [
        LinedQuad(line, (apart(s), p, apart(o)), graph and apart(graph))
        for _, (s, p, o), graph in _quads(text.encode(), line)
    ]


def _in_context(text: str, context: str) -> str:
    """Return an object of JSON-LD, as text, with an outer context before its own contexts.

    Numbers keep their digits. Inside of @graph, an object with only @graph would be a named graph.

    >>> _in_context('{"@id": "urn:s", "@context": {"p": "urn:p"}, "p": 1.50}', "{}")
    '{"@context":[{},{"p": "urn:p"}],"@id":"urn:s","p":1.50}'
    """
    if not context:
        return text
    # As texts, since Python converts no integer of more than 4300 digits.
    decoder = json.JSONDecoder(parse_int=str, parse_float=str)
    members, own = list[str](), list[str]()
    at = text.index("{") + 1
    while (start := _MEMBER.match(text, at)) is not None:
        begin = start.end()
        _, at = decoder.raw_decode(text, begin)
        if json.loads(start[1]) == _CONTEXT and not own:
            own.append(text[begin:at])
        else:
            members.append(f"{start[1]}:{text[begin:at]}")
    # A context can be an array, but an array cannot contain another one.
    contexts = (each[1:-1].strip() if each.startswith("[") else each for each in (context, *own))
    every = (f'"{_CONTEXT}":[{",".join(filter(None, contexts))}]', *members)
    return f"{{{','.join(every)}}}"


_MEMBER: Final = re.compile(r'[\s,]*("(?:[^"\\]|\\.)*")\s*:\s*')


def _lines(source: TraceFile) -> Iterator[bytes]:
    """Yield the lines of a file without their line ends, in bounded memory."""
    with source.file.open("rb") as file:
        begin = file.seek(len(BYTE_ORDER_MARK) if file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK else 0)
        check_line_ends(source.path, file.readline(MOST_BYTES).decode("latin-1"))
        file.seek(begin)
        while line := file.readline(MOST_BYTES):
            if len(line) >= MOST_BYTES:
                raise FailedRunError(f"{source.path}: a line is longer than {MOST_BYTES} bytes")
            yield line.rstrip(b"\r\n")


def is_json_ld_lines(lines: Sequence[str]) -> bool:
    """Return whether the first two lines are JSON objects, so that each line is a document.

    >>> is_json_ld_lines(['{"@context": {}}', '{}']), is_json_ld_lines(['{"@id": "urn:s"}'])
    (True, False)
    """
    some = [line for line in lines[:2] if line.strip()]
    try:
        return len(some) > 1 and all(isinstance(json.loads(line), dict) for line in some)
    except (ValueError, RecursionError):
        return False
