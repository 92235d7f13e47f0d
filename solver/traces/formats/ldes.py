"""The format of pages of a Linked Data Event Stream (LDES): each member is an element of the trace.

The time of a member is its value of the stream's timestampPath.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pyoxigraph import RdfFormat

from lars.files import BYTE_ORDER_MARK
from lars.language.terms import RDF
from solver.rdf import blanks_numbered, order_key, read_term
from solver.traces.formats.graphs import GraphElement, LinedQuad, literal_time, read_quads
from solver.traces.input_files import TraceFile, bare
from solver.traces.trace_times import MalformedPart

LDES: Final = "https://w3id.org/ldes#"
_MEMBER: Final = "<https://w3id.org/tree#member>"
_TIMESTAMP, _SEQUENCE = (f"<{LDES}{name}>" for name in ("timestampPath", "sequencePath"))
_FIRST, _REST, _NIL = (f"<{RDF}{name}>" for name in ("first", "rest", "nil"))
_KINDS: Final = {".ttl": RdfFormat.TURTLE, ".nt": RdfFormat.N_TRIPLES, ".nq": RdfFormat.N_QUADS}
_ACCEPTED: Final = "a value of the stream's ldes:timestampPath in each member"

Subjects = Mapping[str, Sequence[LinedQuad]]


def ldes_elements(source: TraceFile, data: bytes) -> list[GraphElement]:
    """Return the members of a page as elements, sorted by timestampPath, sequencePath and position.

    Raises:
        MalformedPart: The page does not define the property of the members' times.
    """
    by_subject: defaultdict[str, list[LinedQuad]] = defaultdict(list)
    by_graph: defaultdict[str | None, list[LinedQuad]] = defaultdict(list)
    for quad in _page_quads(source, data):
        by_subject[quad.triple[0]].append(quad)
        by_graph[quad.graph].append(quad)
    paths = [quad for quads in by_subject.values() for quad in quads if quad.triple[1] == _TIMESTAMP]
    if len(paths) != 1:
        problem = f"found {len(paths)} values of ldes:timestampPath; expected one stream in a page"
        raise MalformedPart(problem, 1, paths[1].line if paths else 1, fatal=True)
    stream = paths[0].triple[0]
    timestamps = _path(by_subject, paths[0])
    sequences = [_path(by_subject, quad) for quad in by_subject[stream] if quad.triple[1] == _SEQUENCE]
    members = [quad for quad in by_subject[stream] if quad.triple[1] == _MEMBER]
    names = {quad.triple[2] for quad in members}
    keyed = []
    for quad in {quad.triple[2]: quad for quad in members}.values():
        own = [*_description(by_subject, quad.triple[2], names), *by_graph[quad.triple[2]]]
        element = _element(quad, own, timestamps)
        order = [value for path in sequences[:1] for _, value in _values(own, element.name, path)]
        keyed.append(((_instant(element), order_key(read_term(order[0]) if order else None)), element))
    return [element for _, element in sorted(keyed, key=lambda pair: pair[0])]


def _page_quads(source: TraceFile, data: bytes) -> list[LinedQuad]:
    """Return the distinct statements of a page, with blank nodes numbered."""
    suffix = bare(Path(source.path)).suffix.lower()
    if suffix == ".jsonld" or data.removeprefix(BYTE_ORDER_MARK).lstrip()[:1] in (b"{", b"["):
        from solver.traces.formats.json_ld import document_quads

        quads = document_quads(data)
    else:
        quads = [*read_quads(data, _KINDS.get(suffix, RdfFormat.TRIG))]
    apart = blanks_numbered()
    named = (
        LinedQuad(line, (apart(s), p, apart(o)), graph and apart(graph)) for line, (s, p, o), graph in quads
    )
    once: dict[tuple[object, ...], LinedQuad] = {}
    for quad in named:
        once.setdefault((quad.triple, quad.graph), quad)
    return list(once.values())


def _path(by_subject: Subjects, quad: LinedQuad) -> tuple[str, ...]:
    """Return the properties of a path of SHACL, which is a property or a sequence of properties.

    Raises:
        MalformedPart: The path has another form.
    """
    at, properties, seen = quad.triple[2], list[str](), set[str]()
    while at.startswith("_:") and at not in seen:
        seen.add(at)
        parts = {own.triple[1]: own.triple[2] for own in by_subject[at]}
        properties.append(parts.get(_FIRST, at))
        at = parts.get(_REST, at)
    properties += [] if at == _NIL else [at]
    if not properties or not all(name.startswith("<") for name in properties):
        problem = f"found a complex path as {quad.triple[1]}; expected a property, or a list of properties"
        raise MalformedPart(problem, 1, quad.line, fatal=True)
    return tuple(properties)


def _description(by_subject: Subjects, name: str, members: set[str]) -> list[LinedQuad]:
    """Return the statements of a page about a member, and about the blank nodes that it refers to."""
    quads, waiting, seen = list[LinedQuad](), [name], {name}
    while waiting:
        for quad in by_subject.get(waiting.pop(), ()):
            target = quad.triple[2]
            if quad.graph is None:
                quads.append(quad)
                if target.startswith("_:") and target not in seen and target not in members:
                    seen.add(target)
                    waiting.append(target)
    return quads


def _element(member: LinedQuad, quads: Sequence[LinedQuad], path: Sequence[str]) -> GraphElement:
    name, line = member.triple[2], quads[0].line if quads else member.line
    triples = [*dict.fromkeys(quad.triple for quad in quads)]
    named = [(quad.triple, quad.graph) for quad in quads if quad.graph is not None]
    return GraphElement(name, line, triples, _values(quads, name, path), "member", _ACCEPTED, named)


def _values(quads: Sequence[LinedQuad], name: str, path: Sequence[str]) -> list[tuple[int, str]]:
    """Return the values at the end of a path of properties from a member, each with its line."""
    found = [(0, name)]
    for step in path:
        starts = {value for _, value in found}
        found = [
            (quad.line, quad.triple[2])
            for quad in quads
            if quad.triple[0] in starts and quad.triple[1] == step
        ]
    return found


def _instant(element: GraphElement) -> int:
    """Return the time of a member as a number; -1 for an invalid time, which is rejected later."""
    try:
        return literal_time(element.times[0][1], 1).value if element.times else -1
    except MalformedPart:
        return -1
