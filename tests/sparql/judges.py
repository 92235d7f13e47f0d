"""What pyoxigraph and rdflib say of a case, in terms of the syntax trees."""

import signal
from contextlib import contextmanager

import pyoxigraph as ox
import rdflib
import rdflib.plugins.sparql as rdflib_sparql

from tests.sparql.syntax import XSD, Blank, Iri, Literal
from tests.sparql.values import LANG_STRING
from tests.sparql.writing import write_query

rdflib_sparql.SPARQL_DEFAULT_GRAPH_UNION = False
rdflib_sparql.SPARQL_LOAD_GRAPHS = False


class TooSlowError(Exception):
    """A judge took too long."""


@contextmanager
def limited(seconds):
    """Raise TooSlowError in Python code that takes longer, in CPU time; main thread only."""

    def stop(*_):
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def oxigraph(query, dataset):
    """Return pyoxigraph's answer: a bool, rows, or a set of triples."""
    store = ox.Store()
    for name, triples in ((None, dataset.default), *dataset.named.items()):
        graph = ox.DefaultGraph() if name is None else ox.NamedNode(name.value)
        if name is not None:
            store.add_graph(graph)
        for triple in triples:
            store.add(ox.Quad(*map(to_oxigraph, triple), graph))
    found = store.query(write_query(query))
    match found:
        case ox.QueryBoolean():
            return bool(found)
        case ox.QuerySolutions():
            names = [variable.value for variable in found.variables]
            return [
                {name: of_oxigraph(row[name]) for name in names if row[name] is not None} for row in found
            ]
        case _:
            return frozenset(
                tuple(map(of_oxigraph, (one.subject, one.predicate, one.object))) for one in found
            )


def to_oxigraph(term):
    match term:
        case Iri(text):
            return ox.NamedNode(text)
        case Blank(label):
            return ox.BlankNode(label)
        case Literal(lexical, _, str(language)):
            return ox.Literal(lexical, language=language)
        case Literal(lexical, datatype):
            return ox.Literal(lexical, datatype=ox.NamedNode(datatype))


def of_oxigraph(term):
    match term:
        case ox.NamedNode():
            return Iri(term.value)
        case ox.BlankNode():
            return Blank(term.value)
        case _:
            return Literal(term.value, term.datatype.value, term.language)


def by_rdflib(query, dataset):
    """Return rdflib's answer, its literals as they are written."""
    rdflib.NORMALIZE_LITERALS = False
    store = rdflib.Dataset(default_union=False)
    for triple in dataset.default:
        store.default_graph.add(tuple(map(to_rdflib, triple)))
    for name, triples in dataset.named.items():
        graph = store.graph(rdflib.URIRef(name.value))
        for triple in triples:
            graph.add(tuple(map(to_rdflib, triple)))
    found = store.query(write_query(query))
    match found.type:
        case "ASK":
            return bool(found.askAnswer)
        case "SELECT":
            names = set(found.vars)
            return [
                {str(name): of_rdflib(term) for name, term in row.items() if name in names}
                for row in found.bindings
            ]
        case _:
            return frozenset(tuple(map(of_rdflib, triple)) for triple in found.graph)


def to_rdflib(term):
    match term:
        case Iri(text):
            return rdflib.URIRef(text)
        case Blank(label):
            return rdflib.BNode(label)
        case Literal(lexical, _, str(language)):
            return rdflib.Literal(lexical, lang=language)
        case Literal(lexical, datatype):
            plain = datatype == XSD + "string"
            return rdflib.Literal(
                lexical, datatype=None if plain else rdflib.URIRef(datatype), normalize=False
            )


def of_rdflib(term):
    match term:
        case rdflib.URIRef():
            return Iri(str(term))
        case rdflib.BNode():
            return Blank(str(term))
        case _ if term.language:
            return Literal(str(term), LANG_STRING, term.language.lower())
        case _:
            return Literal(str(term), str(term.datatype or XSD + "string"))
