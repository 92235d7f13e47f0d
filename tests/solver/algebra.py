"""SPARQL's algebra on multisets, slow on purpose: it puts the project's expressions to whole queries.

rdflib reads the query, and every value, aggregate and order is computed by `solver`. A solution is
a dict without unbound variables. EXISTS, property paths and everything but SELECT and ASK are refused.
"""

from itertools import product

import pyoxigraph as ox
import rdflib
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery

from lars.formulas import Aggregation
from lars.terms import Variable
from solver.aggregates import aggregate
from solver.conditions import evaluate, test
from solver.ordering import sorted_rows
from solver.rdf import read_term, text_of_oxigraph, text_of_rdflib
from tests.solver.expressions import completed, expression

FORMATS = {"turtle": ox.RdfFormat.TURTLE, "nt": ox.RdfFormat.N_TRIPLES, "xml": ox.RdfFormat.RDF_XML}


class NotCoveredError(NotImplementedError):
    """A query of the suite that needs more than this evaluator."""


def triples(file):
    """Return the triples of a data file, lexical forms as written."""
    quads = ox.parse(path=file.path, format=FORMATS[file.format], base_iri=file.iri, rename_blank_nodes=True)
    return {
        tuple(read_term(text_of_oxigraph(term)) for term in (q.subject, q.predicate, q.object)) for q in quads
    }


def query_of(text, base):
    """Return what rdflib reads, literals as written."""
    before, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
    try:
        return translateQuery(parseQuery(text), base)
    finally:
        rdflib.NORMALIZE_LITERALS = before


class Evaluator:
    """The solutions of a node of rdflib's algebra over default and named graphs."""

    def __init__(self, default, named, base):
        self.graph, self.named, self.base = default, named, base
        self.trees, self.made = {}, set()

    def solutions(self, node):
        """Return the solutions of a node, a list."""
        step = getattr(self, f"on_{node.name.lower()}", None)
        if step is None:
            raise NotCoveredError(node.name)
        return step(node)

    def tree(self, node, row):
        """Return rdflib's expression; `row` is the solution that RAND and the like depend on."""
        site, read = self.trees.setdefault(id(node), (f"site {len(self.trees)}", expression(node)))
        return completed(read, self.base, [row[name] for name in sorted(row.keys() - self.made)], site)

    def value(self, node, row):
        """Return the value of an expression in a solution."""
        return evaluate(self.tree(node, row), row)

    def passes(self, node, row):
        """Return whether a condition is true in a solution."""
        return test(self.tree(node, row), True, row)

    def on_bgp(self, node):
        rows = [{}]
        for pattern in node.triples:
            if not all(isinstance(part, rdflib.term.Node) for part in pattern):
                raise NotCoveredError("property path")
            rows = [
                found
                for row in rows
                for triple in self.graph
                if (found := matched(pattern, triple, row)) is not None
            ]
        return [{name: row[name] for name in row if not name.name.startswith("_:")} for row in rows]

    def on_join(self, node):
        return joined(self.solutions(node.p1), self.solutions(node.p2))

    def on_leftjoin(self, node):
        left, right, rows = self.solutions(node.p1), self.solutions(node.p2), []
        for row in left:
            found = [both for both in joined([row], right) if self.passes(node.expr, both)]
            rows += found or [row]
        return rows

    def on_union(self, node):
        return self.solutions(node.p1) + self.solutions(node.p2)

    def on_minus(self, node):
        right = self.solutions(node.p2)
        return [
            row
            for row in self.solutions(node.p1)
            if not any(row.keys() & other.keys() and joined([row], [other]) for other in right)
        ]

    def on_filter(self, node):
        return [row for row in self.solutions(node.p) if self.passes(node.expr, row)]

    def on_extend(self, node):
        rows = [(row, self.value(node.expr, row)) for row in self.solutions(node.p)]
        self.made.add(Variable(str(node.var)))
        return [row if term is None else {**row, Variable(str(node.var)): term} for row, term in rows]

    def on_graph(self, node):
        rows, outside = [], self.graph
        for name, graph in self.named.items():
            self.graph = graph
            found = self.solutions(node.p)
            if isinstance(node.term, rdflib.Variable):
                rows += joined(found, [{Variable(str(node.term)): name}])
            elif read_term(text_of_rdflib(node.term)) == name:
                rows += found
        self.graph = outside
        return rows

    def on_tomultiset(self, node):
        return self.solutions(node.p)

    def on_values(self, node):
        return [
            {
                Variable(str(key)): read_term(text_of_rdflib(term))
                for key, term in row.items()
                if term != "UNDEF"
            }
            for row in node.res
        ]

    def on_aggregatejoin(self, node):
        rows, keys = self.solutions(node.p.p), node.p.expr or []
        groups = {} if keys else {(): []}
        for row in rows:
            groups.setdefault(tuple(self.value(key, row) for key in keys), []).append(row)
        return [self.aggregates(node.A, group) for group in groups.values()]

    def aggregates(self, wanted, group):
        found = {Variable(str(one.res)): self.aggregate(one, group) for one in wanted}
        return {name: term for name, term in found.items() if term is not None}

    def aggregate(self, one, group):
        if one.name == "Aggregate_Count" and one.vars == "*":
            names = sorted({name for row in group for name in row}) if one.distinct else []
            elements = [tuple(row.get(name) for name in names) for row in group]
        else:
            names, elements = [Variable("v")], [(self.value(one.vars, row),) for row in group]
        separator = " " if one.separator is None else str(one.separator)
        function = one.name.removeprefix("Aggregate_").upper().replace("GROUPCONCAT", "GROUP_CONCAT")
        return aggregate(Aggregation(function, tuple(names), bool(one.distinct), separator), elements)

    def on_orderby(self, node):
        rows = self.solutions(node.p)
        keyed = [(*(self.value(key.expr, row) for key in node.expr), row) for row in rows]
        wanted = [(place, key.order == "DESC") for place, key in enumerate(node.expr)]
        return [row for *_, row in sorted_rows(keyed, wanted)]

    def on_project(self, node):
        names = [Variable(str(name)) for name in node.PV]
        return [{name: row[name] for name in names if name in row} for row in self.solutions(node.p)]

    def on_distinct(self, node):
        return [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in self.solutions(node.p))]

    on_reduced = on_distinct

    def on_slice(self, node):
        last = None if node.length is None else node.start + node.length
        return self.solutions(node.p)[node.start : last]


def matched(pattern, triple, row):
    """Return the solution extended so that the pattern becomes the triple, or None."""
    grown = dict(row)
    for part, term in zip(pattern, triple, strict=True):
        if isinstance(part, rdflib.Variable | rdflib.BNode):
            name = f"_:{part}" if isinstance(part, rdflib.BNode) else str(part)
            if grown.setdefault(Variable(name), term) != term:
                return None
        elif read_term(text_of_rdflib(part)) != term:
            return None
    return grown


def joined(left, right):
    """Return the compatible pairs of solutions, merged."""
    return [
        {**one, **two}
        for one, two in product(left, right)
        if all(one[name] == two[name] for name in one.keys() & two.keys())
    ]
