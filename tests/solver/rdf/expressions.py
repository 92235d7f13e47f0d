"""SPARQL expressions for tests: read by rdflib, and in tables of `expression | ?x | ?y | expected`."""

import re

import pytest
import rdflib
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.parserutils import CompValue

from lars.language.formulas import Call
from lars.language.terms import NULL, XSD, Iri, Literal, Number, Variable
from solver.rdf import read_term, text_of_rdflib

X, Y = Variable("x"), Variable("y")


def term(text):
    """Return the term of a table's column, None for a dash."""
    return None if text == "-" else read_term(re.sub(r"\^\^xsd:(\w+)", rf"^^<{XSD}\1>", text))


def rows(table):
    """Return the parameters of a table's lines."""
    lines = [line for line in table.splitlines() if line and not line.startswith("#")]
    return [pytest.param(*line.rsplit(" | ", 3), id=line) for line in lines]


def expression(node):
    """Return the neutral tree of what rdflib reads."""
    match node:
        case rdflib.Variable():
            return Variable(str(node))
        case rdflib.Literal():
            return read_term(text_of_rdflib(node))
        case rdflib.URIRef():
            return Iri(str(node))
        case CompValue(name="RelationalExpression") if node.op in ("IN", "NOT IN"):
            options = node.other if isinstance(node.other, list) else []
            inside = Call("IN", tuple(map(expression, (node.expr, *options))))
            return Call("!", (inside,)) if node.op == "NOT IN" else inside
        case CompValue(name="RelationalExpression"):
            return Call(node.op, (expression(node.expr), expression(node.other)))
        case CompValue(name="AdditiveExpression" | "MultiplicativeExpression"):
            found = expression(node.expr)
            for sign, other in zip(node.op, node.other, strict=True):
                found = Call(sign, (found, expression(other)))
            return found
        case CompValue(name="ConditionalAndExpression" | "ConditionalOrExpression"):
            sign = "&&" if "And" in node.name else "||"
            return Call(sign, (expression(node.expr), *map(expression, node.other)))
        case CompValue(name="UnaryNot" | "UnaryMinus"):
            return Call("!" if node.name == "UnaryNot" else "NEG", (expression(node.expr),))
        case CompValue(name="UnaryPlus"):
            return Call("NEG", (Call("NEG", (expression(node.expr),)),))
        case CompValue(name="Function"):
            return Call(f"<{node.iri}>", tuple(map(expression, node.expr)))
        case CompValue(name="TrueFilter"):
            return Literal("true", XSD + "boolean")
    return Call(node.name.removeprefix("Builtin_").upper(), tuple(map(expression, arguments_of(node))))


def arguments_of(node):
    named = ("arg", "arg1", "arg2", "arg3", "text", "pattern", "replacement", "start", "length", "flags")
    found = [node[name] for name in named if name in node and node[name] is not None]
    if found == [rdflib.RDF.nil]:  # what rdflib reads in COALESCE()
        return []
    return found[0] if len(found) == 1 and isinstance(found[0], list) else found


def read(text):
    """Return the expression that rdflib reads in the text."""
    query = f"PREFIX xsd: <{XSD}> SELECT * {{ FILTER({text}) }}"
    return expression(prepareQuery(query).algebra.p.p.expr)


def completed(tree, base, row, site="site"):
    """Return an expression whose calls have what they depend on: a base, the time, the site, the row."""
    if not isinstance(tree, Call):
        return tree
    given = tuple(completed(part, base, row, f"{site}.{place}") for place, part in enumerate(tree.arguments))
    match tree.function:
        case "IRI" | "URI":
            added = (Literal(base),)
        case "NOW":
            origin = Literal("2026-01-01T00:00:00Z", XSD + "dateTime")
            added = (Number(0), origin, Literal("1", XSD + "integer"))
        case "RAND" | "UUID" | "STRUUID" | "BNODE":
            label = () if tree.function != "BNODE" or given else (NULL,)
            added = (*label, Literal(site), *row)
        case _:
            added = ()
    return Call(tree.function, (*given, *added))
