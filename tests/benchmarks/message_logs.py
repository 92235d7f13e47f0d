"""Random logs of messages that other libraries write, against what lars reads of them.

`python -m tests.benchmarks.message_logs 1000`: so many of each format. pyoxigraph writes each message of RDF
Messages, rdflib those of JSON-LD, pyjelly (where it is installed) frames of Jelly; pyoxigraph's canonical
form tells whether what was read is the same up to blank nodes.
"""

import json
import sys
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pyoxigraph as ox
import rdflib
from pyoxigraph import RdfFormat

from solver.traces import TraceFile, prepare
from solver.traces.formats import rdf_messages
from solver.traces.formats.messages import MessageFormat
from solver.traces.trace_times import Clock
from tests.solver.traces.writing import SECONDS

TEXTS = [
    *(
        "",
        "a",
        'MESSAGE\n"""MESSAGE',
        "# MESSAGE",
        "'''",
        '"',
        "\\",
        "a\\",
        "\r\n",
        "@message .",
        "é€😀",
        "'",
    ),
    *('VERSION "1.2-messages"', "MESSAGE", "<urn:s>", "{", "x" * 300, '""', "\x00\x7f", "ends with \\"),
]
IRIS = ["http://e/s", "http://e/#MESSAGE", "http://e/MESSAGE", "urn:a'b", "http://é/x.MESSAGE", "x:@message"]
SYNTAX = {
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
}
PREFIXES = {"e": "http://e/", "MESSAGE": "urn:", "": "http://e/#"}


def drawn_messages(random, *, graphs):
    """Return messages: lists of quads, some empty, blank nodes with the same labels."""
    iris = [ox.NamedNode(iri) for iri in IRIS]
    nodes = [*iris, *(ox.BlankNode(label) for label in ("a", "b"))]

    def value():
        kind = random.randrange(4)
        if kind == 0:
            return random.choice(nodes)
        text = random.choice(TEXTS)
        return ox.Literal(text, language="message") if kind == 1 else ox.Literal(text)

    def quad():
        graph = random.choice([ox.DefaultGraph(), *nodes]) if graphs else ox.DefaultGraph()
        return ox.Quad(random.choice(nodes), random.choice(iris), value(), graph)

    return [[quad() for _ in range(random.choice([0, 1, 1, 3]))] for _ in range(random.randrange(6))]


def long_strings(random, text):
    """Return Turtle in which some strings are written long, with the line ends that they have."""
    for plain in TEXTS:
        if "\r" in plain or ("\n" in plain and '"""' not in plain):
            escaped = plain.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
            text = text.replace(
                f'"{escaped}"', f'"""{plain}"""' if random.random() < 0.7 else f"'''{plain}'''"
            )
    return text


def written_log(random, messages, extension):
    """Return a log of messages as bytes, a trailing delimiter where the last is empty."""
    flat, kind = extension in (".nt", ".nq"), SYNTAX[extension]
    parts = [random.choice(["", "# MESSAGE\n"]) + 'VERSION "1.2-messages"\n']
    for number, quads in enumerate(messages):
        prefixes = PREFIXES if not flat and random.random() < 0.5 else {}
        text = (ox.serialize(quads, format=kind, prefixes=prefixes) or b"").decode()
        parts.append(text if flat else long_strings(random, text))
        if number + 1 < len(messages) or not quads or random.random() < 0.3:
            ends = ["MESSAGE\n", "MESSAGE # MESSAGE\n"] + (
                [] if flat else ["@message .\n", "MESSAGE ", "@message# x\n."]
            )
            parts.append(random.choice(ends))
    return "".join(parts).encode()


def of_rdflib(term):
    """Return a term of pyoxigraph as one of rdflib."""
    match term:
        case ox.NamedNode():
            return rdflib.URIRef(term.value)
        case ox.BlankNode():
            return rdflib.BNode(term.value)
        case _:
            return rdflib.Literal(term.value, lang=term.language)


def nodes_of(quads):
    """Return quads as an array of JSON-LD; rdflib leaves out blank nodes that point to themselves."""
    if any(isinstance(quad.object, ox.BlankNode) for quad in quads):
        return json.loads(ox.serialize(quads, format=RdfFormat.JSON_LD))
    graph = rdflib.Graph()
    for quad in quads:
        graph.add(tuple(map(of_rdflib, quad.triple)))
    return json.loads(graph.serialize(format="json-ld"))


def written_lines(random, messages):
    """Return messages as NDJSON-LD, some below a context that says nothing of them."""
    lines = ['{"@context": {}}']
    for quads in messages:
        nodes = nodes_of(quads)
        context = random.choice([{}, {"@context": {"z": "urn:z#"}}])
        lines += random.choice([[], ['{"@context": {"y": "urn:y#"}}'], ['{"@context": null}']])
        lines.append(
            json.dumps(context | {"@graph": nodes} if quads else {}, ensure_ascii=random.random() < 0.5)
        )
    return "".join(f"{line}\n" for line in lines).encode()


def of_pyjelly(term):
    """Return a term of pyoxigraph as one of pyjelly."""
    from pyjelly.integrations.generic import generic_sink

    match term:
        case ox.NamedNode():
            return generic_sink.IRI(term.value)
        case ox.BlankNode():
            return generic_sink.BlankNode(term.value)
        case ox.DefaultGraph():
            return generic_sink.DefaultGraph
        case _:
            return generic_sink.Literal(term.value, term.language)


def written_frames(random, messages):
    """Return messages as frames of Jelly, at least one, of quads."""
    from pyjelly.integrations.generic import generic_sink, serialize

    def sinks():
        for quads in messages:
            sink = generic_sink.GenericStatementSink()
            for quad in quads:
                parts = quad.subject, quad.predicate, quad.object, quad.graph_name
                sink.add(generic_sink.Quad(*map(of_pyjelly, parts)))
            yield sink

    output = BytesIO()
    serialize.grouped_stream_to_file(sinks(), output)
    return output.getvalue()


def canonical(quads):
    """Return quads up to the names of their blank nodes."""
    dataset = ox.Dataset(quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return sorted(map(str, dataset))


def read_quads(message):
    """Return a message's quads."""
    lines = (f"{' '.join(quad.triple)} {quad.graph or ''} ." for quad in message.quads)
    return of_lines(lines)


def of_lines(lines):
    """Return the quads of lines of N-Quads."""
    return list(ox.parse("\n".join(lines).encode(), format=RdfFormat.N_QUADS))


def messages_of(path):
    """Return the messages that lars reads of a file; raise the fault of a message that lars would skip."""
    (source,) = prepare([path], SECONDS)
    messages = list(source.format.messages(source))
    for fault in (one.fault for one in messages if one.fault is not None):
        raise fault
    return messages


def messages_in(path):
    """Return the messages of a file that is read as a log, whatever it says."""
    how = MessageFormat(rdf_messages.log_messages)
    return list(
        rdf_messages.log_messages(TraceFile(0, str(path), how, SECONDS, Clock(SECONDS.unit, SECONDS.unit)))
    )


KINDS = [*SYNTAX, ".ndjsonld", *([".jelly"] if find_spec("pyjelly") else [])]


def check(seed, folder, extensions=KINDS):
    """Raise AssertionError where a log is read otherwise than it was written."""
    random = Random(seed)
    extension = random.choice(extensions)
    messages = drawn_messages(random, graphs=extension in (".trig", ".nq", ".jelly"))
    path = Path(folder, f"a{extension}")
    if extension == ".jelly":
        messages = [quads for quads in messages if quads] or [[ox.Quad(*[ox.NamedNode("urn:s")] * 3)]]
        path.write_bytes(written_frames(random, messages))
    elif extension == ".ndjsonld":
        path.write_bytes(written_lines(random, messages))
    else:
        path.write_bytes(written_log(random, messages, extension))
    with patch.object(rdf_messages, "_BLOCK", random.choice([1, 7, 50, 2**20])):
        found = messages_of(path)
    assert [message.number for message in found] == list(range(1, len(messages) + 1)), seed
    for message, quads in zip(found, messages, strict=True):
        read = read_quads(message)
        if extension == ".ndjsonld":  # its array of nodes is a graph without a name
            read = [ox.Quad(*quad.triple) for quad in read]
        assert canonical(read) == canonical(quads), seed


def main(cases):
    for kind in KINDS:
        for seed in range(cases):
            with TemporaryDirectory() as folder:
                check(seed, folder, [kind])
        print(f"{cases} random logs {kind} were read as they were written")


if __name__ == "__main__":
    main(int(sys.argv[1]))
