"""Static data from RDF files; statements in the usual notation are read in large blocks."""

import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyoxigraph
from pyoxigraph import RdfFormat

from lars.errors import LarsError, Place, PlacedError
from lars.files import BYTE_ORDER_MARK, WIDE, decode, read_bytes
from lars.language.terms import Iri
from solver import rdf
from solver.columns import NULL_CODE, Array, TermCodes, arrow_mask, distinct
from solver.facts import CodedRows, Static, distinct_rows
from solver.settings import StaticFile
from solver.traces.input_files import bare, check_unpacked, line_of, readable

if TYPE_CHECKING:
    from solver.traces.formats.cell_columns import Lines

StaticQuad = tuple[str, str, str, str | None]
"""A triple and the name of its graph; None for the default graph."""

ACCEPTED_STATIC: Final = (
    "Turtle (.ttl), N-Triples (.nt), N-Quads (.nq), TriG (.trig), RDF/XML (.rdf, .owl, .xml), JSON-LD "
    "(.jsonld, .json), Notation3 (.n3), TriX (.trix)"
)
# rdflib turns the number 01 into 1: pyoxigraph keeps what is written, and tells places.
_EXACT: Final = {
    ".ttl": RdfFormat.TURTLE,
    ".turtle": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".trig": RdfFormat.TRIG,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".n3": RdfFormat.N3,
    ".jsonld": RdfFormat.JSON_LD,
    ".json": RdfFormat.JSON_LD,
}
_LINE = re.compile(r"at line (\d+)|:(\d+):\d+:")
_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_SMALL: Final = 2**14
"""The file size in bytes below which statements are read one by one, since loading Arrow takes longer."""
_BYTES_CUT_TOGETHER: Final = 2**26
"""The maximum size in bytes of lines that are split together."""


def read_static(files: Sequence[StaticFile]) -> Static:
    """Return the triples of all given RDF files; different files have different blank nodes.

    If the user gives a file as a named graph, the triples of its default graph belong to this named graph.

    Raises:
        LarsError: A file is invalid. The error names the file, and line and column if the parser knows them.
    """
    terms = TermCodes()
    read: dict[Path, Array] = {}
    for file in files:
        if file.path not in read:
            read[file.path] = _statements(file.path, (terms, f"s{len(read)}n"))
    parts = [(file.engine, _in_graph(read[file.path], file.graph, terms)) for file in files]
    # Terms are numbered by the order of their texts; that of null is -1, and no statement has it.
    ranks = terms.ranks(np.arange(len(terms))) - 1
    texts = terms.atom_texts(np.argsort(ranks)[1:])
    engines = dict.fromkeys((None, *(file.engine for file in files)))
    statics = {
        engine: _static([rows for own, rows in parts if own == engine], texts, ranks) for engine in engines
    }
    whole = statics.pop(None)
    return replace(whole, engine_stores={str(engine): own for engine, own in statics.items()})


def _in_graph(rows: Array, name: str | None, terms: TermCodes) -> Array:
    """Return the statements with the graph `name` in place of the default graph."""
    if name is None:
        return rows
    graphs = np.where(rows[:, 3] == NULL_CODE, terms.code(str(Iri(name))), rows[:, 3])
    return np.column_stack((rows[:, :3], graphs))


def _static(parts: Sequence[Array], texts: list[str], ranks: Array) -> Static:
    """Return statements as static data; `ranks` maps the codes of terms to positions in `texts`."""
    rows = np.concatenate([np.empty((0, 4), np.int64), *parts])
    triples = ranks[rows[:, :3]]
    graphs: dict[int, Any] = {  # sets of rows, which are triples here
        graph: CodedRows(texts, distinct_rows([triples[rows[:, 3] == graph]]))
        for graph in (NULL_CODE, *distinct(rows[:, 3]).tolist())
    }
    default = graphs.pop(NULL_CODE)
    return Static(default, {texts[ranks[graph]]: own for graph, own in graphs.items()})


def _statements(path: Path, codes: "_Codes") -> Array:
    """Return the statements of a file as rows of codes.

    The code of the default graph is the code of null.
    """
    data = read_bytes(readable(path), ACCEPTED_STATIC)
    check_unpacked(path, data[:_SMALL])
    suffix = bare(path).suffix.lower()
    try:
        if suffix in _EXACT:
            return _exact(path, data, _EXACT[suffix], codes)
        if suffix == ".trix":
            return _of_quads(codes, _of_trix(path, data))
        return _by_content(path, data, codes)
    except rdf.NotATerm as error:
        raise LarsError(f"{path}: {error}") from None


def _exact(path: Path, data: bytes, kind: RdfFormat, codes: "_Codes") -> Array:
    """Return the statements that pyoxigraph reads; large files are read as lines of N-Quads."""
    data, base = data.removeprefix(BYTE_ORDER_MARK), None
    content, tag = data, None
    if kind == RdfFormat.RDF_XML:
        data = _in_utf8(path, data).removeprefix(BYTE_ORDER_MARK)
        _check_entities(path, data)
        tag = next(unused for n in count() if (unused := f"x-none{n}").encode() not in data)
        content = _normal_xml(data, tag)
    if kind == RdfFormat.JSON_LD:
        from solver.traces.json_documents import NOWHERE, check_whole

        base = NOWHERE
        _check_json(path, data)
    with _placed(path, data, kind):
        if len(data) >= _SMALL and kind in _LINES and (rows := _of_lines(codes, data)) is not None:
            return rows
        quads: Iterable[pyoxigraph.Quad] = _quads(content, kind, base, tag)
        if kind == RdfFormat.JSON_LD:
            quads = [*quads]
            check_whole(data, len(quads))
        if len(data) < _SMALL or kind in (RdfFormat.N3, RdfFormat.JSON_LD):
            return _of_quads(codes, _covered(map(rdf.quad_texts, quads), kind))
        lines = pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS)
        assert lines is not None
        rows = _of_lines(codes, lines)
        if rows is None:
            return _of_quads(codes, map(rdf.quad_texts, _quads(content, kind, base, tag)))
        return rows


def _quads(data: bytes, kind: RdfFormat, base: str | None, tag: str | None) -> Iterator[pyoxigraph.Quad]:
    """Yield the statements of a text, in which the language `tag` means no language."""
    quads = pyoxigraph.parse(data, format=kind, base_iri=base)
    return quads if tag is None or tag.encode() not in data else map(partial(_untagged, tag), quads)


def _untagged(tag: str, quad: pyoxigraph.Quad) -> pyoxigraph.Quad:
    s, p, o, graph = quad
    if isinstance(o, pyoxigraph.Literal) and o.language == tag:
        o = pyoxigraph.Literal(o.value)
    elif isinstance(o, pyoxigraph.Literal) and tag in o.value:  # the text of an XML literal
        o = pyoxigraph.Literal(o.value.replace(f'"{tag}"', '""'), datatype=o.datatype)
    return pyoxigraph.Quad(s, p, o, graph)


def _covered(quads: Iterator[StaticQuad], kind: RdfFormat) -> Iterator[StaticQuad]:
    """Yield the given statements; raise NotATerm for relative IRIs in JSON-LD and for formulas of N3."""
    from solver.traces.json_documents import check_absolute

    for quad in quads:
        if kind == RdfFormat.N3 and quad[3] is not None:
            raise rdf.NotATerm.of(quad[3], "only RDF 1.1 is covered, no formulas")
        if kind == RdfFormat.JSON_LD:
            check_absolute(quad)
        yield quad


_ENCODING: Final = re.compile(rb"(<\?xml[^>]*?)\sencoding\s*=\s*[\"']([A-Za-z0-9._\-]+)[\"']")


def _in_utf8(path: Path, data: bytes) -> bytes:
    """Return an XML document in UTF-8, which is the only encoding that the parser reads.

    Raises:
        LarsError: The document does not have the encoding that it declares.
    """
    try:
        if data.startswith(WIDE):
            data = data.decode("utf-16").encode()
            return _ENCODING.sub(rb"\1", data, count=1)
        if (named := _ENCODING.match(data)) and named[2].lower() not in (b"utf-8", b"utf8"):
            return _ENCODING.sub(rb"\1", data.decode(named[2].decode()).encode(), count=1)
    except (LookupError, UnicodeError) as error:
        raise LarsError(
            f"{path}: the encoding of the file is not the declared encoding: {error}; use UTF-8"
        ) from None
    return data


_MARKUP: Final = re.compile(rb"<!\[CDATA\[(?P<text>.*?)\]\]>|<!--.*?-->|<\?(?!xml\s).*?\?>", re.DOTALL)
"""A pattern of CDATA, of comments and of processing instructions."""
_TAG: Final = re.compile(rb"<[^<!?/](?>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*)>")
_VALUE: Final = re.compile(rb"(\sxml:lang\s*=\s*)?(\"[^\"]*\"|'[^']*')")
_EMPTY_TAG: Final = re.compile(rb"\sxml:lang\s*=\s*(?:\"\"|'')")
_BROKEN_VALUE: Final = re.compile(rb"=\s*+(?:\"[^\"<\n\t]*+[\n\t]|'[^'<\n\t]*+[\n\t])")


def _normal_xml(data: bytes, no_language: str) -> bytes:
    """Return an XML document with the texts that XML gives its parser's user (XML 1.0, Sections 2.11, 3.3.3).

    Line ends become LF, and line ends and tabs in attributes become spaces. pyoxigraph does neither, and
    rejects CDATA and comments between texts. It also rejects xml:lang="", which means no language, and which
    becomes the language tag `no_language`.
    """

    def text(match: re.Match[bytes]) -> bytes:
        inside = match["text"] or b""
        return inside.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")

    def tag(match: re.Match[bytes]) -> bytes:
        return _VALUE.sub(value, match[0])

    def value(match: re.Match[bytes]) -> bytes:
        if match[1] and len(match[2]) == len('""'):
            return match[1] + f'"{no_language}"'.encode()
        return re.sub(rb"[\n\t]", b" ", match[0])

    data = _MARKUP.sub(text, data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    return _TAG.sub(tag, data) if _BROKEN_VALUE.search(data) or _EMPTY_TAG.search(data) else data


_ENTITY: Final = re.compile(rb"<!ENTITY\s+([^\s%\"]+)\s+\"([^\"]*)\"")
_REFERENCE: Final = re.compile(rb"&([^\s&;#]+);")
_MOST_REPLACED: Final = 2**24


def _check_entities(path: Path, data: bytes) -> None:
    """Raise LarsError for XML entities whose nesting would fill the memory."""
    sizes = dict[bytes, int]()
    for name, text in _ENTITY.findall(data):
        sizes[name] = len(text) + sum(sizes.get(inner, 0) for inner in _REFERENCE.findall(text))
    total = sum(sizes.get(name, 0) for name in _REFERENCE.findall(data)) if sizes else 0
    if total > max(_MOST_REPLACED, 100 * len(data)):
        problem = f"its entities stand for {total} bytes, more than 100 times its size"
        raise LarsError(f"{path}: {problem}; use a file with the texts in place of the entities")


def _by_content(path: Path, data: bytes, codes: "_Codes") -> Array:
    """Return the statements of a file whose extension does not show its format.

    XML and JSON are recognized by their beginnings; other files are read as TriG or N-Quads.

    Raises:
        LarsError: The file is neither TriG nor N-Quads. If both formats can read its first statement, the
            error is the error that is later in the text.
    """
    data = (_in_utf8(path, data) if data.startswith(WIDE) else data).removeprefix(BYTE_ORDER_MARK)
    start = data.lstrip()[:1024]
    if start.startswith((b"<?xml", b"<rdf:RDF")):
        return _exact(path, data, RdfFormat.RDF_XML, codes)
    if re.match(rb'\{\s*"@|\[\s*\{', start):
        return _exact(path, data, RdfFormat.JSON_LD, codes)
    errors: list[PlacedError] = []
    for kind in (RdfFormat.TRIG, RdfFormat.N_QUADS):
        try:
            return _exact(path, data, kind, codes)
        except PlacedError as error:
            if _has_statement(data, kind):
                errors.append(error)
    if errors:
        raise max(errors, key=lambda error: (error.place.line, error.place.column))
    problem = f"neither the name nor the content determines the format; expected {ACCEPTED_STATIC}"
    raise LarsError(f"{path}: {problem}")


def _has_statement(data: bytes, kind: RdfFormat) -> bool:
    """Return whether the first statement of a text can be read in a format."""
    try:
        return next(iter(pyoxigraph.parse(data, format=kind)), None) is not None
    except SyntaxError:
        return False


_Codes = tuple[TermCodes, str]
"""The codes of the terms in static data, and the text before the number in labels of blank nodes."""


def _of_quads(codes: _Codes, quads: Iterator[StaticQuad]) -> Array:
    """Return parsed statements as rows of codes."""
    terms, prefix = codes
    apart = rdf.blanks_numbered(prefix)
    texts = ("null" if text is None else apart(text) for quad in quads for text in quad)
    return terms.codes(texts).reshape(-1, 4)


def _of_lines(codes: _Codes, data: bytes) -> Array | None:
    """Return the statements in lines of N-Quads as rows of codes; None for an unusual notation."""
    from solver.traces.formats.cell_columns import lines_of

    terms, prefix = codes
    apart, rows, begin = rdf.blanks_numbered(prefix), [np.empty((0, 4), np.int64)], 0
    with suppress(rdf.NotATerm, UnicodeDecodeError):
        while begin < len(data):
            end = data.rfind(b"\n", begin, begin + _BYTES_CUT_TOGETHER) + 1 or len(data)
            lines = lines_of(data[begin:end])
            if (cuts := _cuts(lines)) is None:
                return None
            rows.append(_cut(terms, lines, cuts, apart))
            begin = end
        return np.concatenate(rows)
    return None


def _cut(terms: TermCodes, lines: "Lines", cuts: Sequence[Array], apart: Callable[[str], str]) -> Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    from solver.traces.formats.cell_columns import fields_of, used_cells, usual_terms

    fields = used_cells(*fields_of(lines, cuts, np.ones(len(lines), np.bool_)))
    texts, places = pc.binary_slice(fields[0], 0, -1), fields[1]
    usual = usual_terms(texts)
    codes = np.zeros(len(texts), np.int64)
    codes[usual] = terms.codes(texts.filter(arrow_mask(usual)).cast(pa.string()).to_pylist())
    rest = (text.decode() for text in texts.filter(arrow_mask(~usual)).to_pylist())
    codes[~usual] = terms.codes(apart(rdf.data_text(text)) if text else "null" for text in rest)
    rows: Array = codes[places]
    return rows


def _cuts(lines: "Lines") -> list[Array] | None:
    """Return the offsets of predicate, object, graph and final dot in each line of N-Quads.

    A line without a graph has an empty graph before its dot.

    Returns:
        None if a line has an unusual notation.
    """
    from solver.traces.formats.cell_columns import term_cuts

    (p, o, last, dot), usual = term_cuts(lines, 4)
    data, quotes = lines.data, lines.places('"')
    for begin, leads in ((lines.starts[:-1], "<_"), (p, "<"), (o, '<_"')):
        usual &= np.isin(data[begin], [*map(ord, leads)])
    if not usual.all():
        return None
    # An object may hold blanks: what stands before the dot is a graph if no quote is in it.
    mask = (last > o) & np.isin(data[last], [ord("<"), ord("_")])
    mask &= np.searchsorted(quotes, last) == np.searchsorted(quotes, dot)
    return [p, o, np.where(mask, last, dot), dot]


@contextmanager
def _placed(path: Path, data: bytes, kind: RdfFormat) -> Iterator[None]:
    """Turn a syntax error that the block raises into a LarsError with the place of the error.

    If the block raises NotATerm, the function adds the place only in JSON-LD, and only if the place is known.
    """
    try:
        yield
    except rdf.NotATerm as error:
        from solver.traces.json_documents import offset_of_iri

        file = decode(str(path), data, "RDF")
        offset = offset_of_iri(file.text, str(error)) if kind == RdfFormat.JSON_LD else None
        if offset is None:
            raise
        raise file.error(offset, str(error)) from None
    except SyntaxError as error:
        problem = f"{rdf.syntax_problem(error)}; expected {kind.name}"
        own_place = error.lineno or 1, error.offset or 1
        at = _place_in_xml(data) if kind == RdfFormat.RDF_XML else own_place
        if at is None:
            raise LarsError(f"{path}: {problem}") from None
        line, column = at
        raise PlacedError(Place(str(path), line, column, line_of(data, line)), problem) from None


def _place_in_xml(data: bytes) -> tuple[int, int] | None:
    """Return the line and column of the first error in an XML document; None if the document is valid."""
    # Loaded only for invalid files.
    from xml.parsers import expat

    try:
        expat.ParserCreate().Parse(data, True)
    except expat.ExpatError as error:
        return error.lineno, error.offset + 1
    return None


@contextmanager
def _lexical_forms_kept() -> Iterator[None]:
    import rdflib

    before = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = False
    try:
        with warnings.catch_warnings():  # its own parsers use what rdflib calls deprecated
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        rdflib.NORMALIZE_LITERALS = before


def _of_trix(path: Path, data: bytes) -> Iterator[StaticQuad]:
    # Loading rdflib takes a tenth of a short run.
    import rdflib

    dataset = rdflib.Dataset()
    with _lexical_forms_kept():
        try:
            dataset.parse(data=data, format="trix", publicID="urn:")
        except Exception as error:  # noqa: BLE001  (rdflib's parsers share no base)
            sentence = " ".join(str(error).split())
            match = _LINE.search(sentence)
            line = f":{match[1] or match[2]}" if match else ""
            raise LarsError(f"{path}{line}: not valid TriX: {sentence}; expected {ACCEPTED_STATIC}") from None
        default = dataset.default_graph.identifier

        def is_default(graph: object) -> bool:
            # rdflib gives a graph without a name, which is the default graph, a new blank node as its name.
            return graph in (None, default) or (
                isinstance(graph, rdflib.BNode) and graph.encode() not in data
            )

        for s, p, o, graph in dataset.quads((None, None, None, None)):
            s_text, p_text, o_text = (rdf.data_text(rdf.text_of_rdflib(term)) for term in (s, p, o))
            yield s_text, p_text, o_text, None if is_default(graph) else rdf.text_of_rdflib(graph)


def _check_json(path: Path, data: bytes) -> None:
    """Raise LarsError for invalid JSON, and for JSON-LD contexts that would have to be downloaded."""
    file = decode(str(path), data, "JSON-LD")
    from solver.traces.json_documents import read_document, remote_context

    try:
        document = read_document(file.text)
    except json.JSONDecodeError as error:
        raise file.error(error.pos, f"{error.msg}; expected JSON-LD") from None
    except ValueError as error:
        raise LarsError(f"{path}: {error}; expected JSON-LD") from None

    if remote := remote_context(document):
        raise LarsError(
            f"{path}: the context is the address of another document, {remote!r}; expected contexts inside "
            "the file"
        )
