"""The program as an engine of the W3C's SPARQL tests: `--engine tests.w3c:run` of a harness for them.

The default graph arrives on a stream and is read through one window, named graphs are static data,
and the query's answer is that of its logic program, as a multiset. Nothing here knows any test.
"""

from itertools import count
from pathlib import Path

import pyoxigraph as ox
import rdflib

from lars.language.terms import Blank, Iri, Literal
from solver.facts import constant_of
from solver.rdf.terms import text_of_oxigraph
from tests.sparql.engine import answer, read
from translate.errors import UnsupportedError

FORMATS = {
    "turtle": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "n3": ox.RdfFormat.N3,
    "xml": ox.RdfFormat.RDF_XML,
    "nquads": ox.RdfFormat.N_QUADS,
    "trig": ox.RdfFormat.TRIG,
}


def run(query_text, base, default_graph_files, named_graph_files):
    """Return ('select', names, rows), ('ask', truth) or ('graph', triples) in terms of rdflib.

    Each file has a path, the IRI that is its base and its graph's name, and rdflib's name of its
    format. Raises NotImplementedError for a query that is refused on purpose.
    """
    numbers = count()
    default = {triple for file in default_graph_files for triple in triples(file, next(numbers))}
    named = {}
    for file in named_graph_files:
        named.setdefault(str(Iri(file.iri)), set()).update(triples(file, next(numbers)))
    try:
        found = answer(read(query_text, base), default, named)
    except UnsupportedError as error:
        raise NotImplementedError(str(error)) from None
    match found.form:
        case "SELECT":
            return "select", list(found.columns), [solution(found.columns, row) for row in found.rows]
        case "ASK":
            return "ask", bool(found.rows)
        case _:
            return "graph", [tuple(map(foreign, row)) for row in found.rows]


def triples(file, number):
    """Yield the triples of a file as texts, its blank nodes apart from those of other files."""
    data = Path(file.path).read_bytes()
    for quad in ox.parse(data, format=FORMATS[file.format], base_iri=file.iri):
        terms = (text_of_oxigraph(term) for term in (quad.subject, quad.predicate, quad.object))
        yield tuple(f"_:f{number}{term[2:]}" if term.startswith("_:") else term for term in terms)


def solution(columns, row):
    return {name: foreign(text) for name, text in zip(columns, row, strict=True) if text is not None}


def foreign(text):
    match constant_of(text):
        case Iri(value):
            return rdflib.URIRef(value)
        case Blank(label):
            return rdflib.BNode(label)
        case Literal(lexical, _, str(language)):
            return rdflib.Literal(lexical, lang=language)
        case Literal(lexical, datatype):
            return rdflib.Literal(lexical, datatype=rdflib.URIRef(datatype), normalize=False)
        case other:
            raise TypeError(other)
