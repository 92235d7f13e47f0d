"""SPARQL expressions for tests: read by rdflib, and in tables of `expression | ?x | ?y | expected`."""

import re

import pytest
import rdflib
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.parserutils import CompValue

from lars.formulas import Call
from lars.terms import XSD, Iri, Literal, Variable
from solver.rdf import read_term

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
            return Literal(str(node), str(node.datatype or XSD + "string"))
        case rdflib.URIRef():
            return Iri(str(node))
        case CompValue(name="RelationalExpression") if node.op in ("IN", "NOT IN"):
            options = node.other if isinstance(node.other, list) else []
            inside = Call("IN", tuple(map(expression, (node.expr, *options))))
            return Call("!", (inside,)) if node.op == "NOT IN" else inside
        case CompValue(name="RelationalExpression"):
            return Call(node.op, (expression(node.expr), expression(node.other)))
        case CompValue(name="AdditiveExpression" | "MultiplicativeExpression"):
            return Call(node.op[0], (expression(node.expr), expression(node.other[0])))
        case CompValue(name="ConditionalAndExpression" | "ConditionalOrExpression"):
            sign = "&&" if "And" in node.name else "||"
            return Call(sign, (expression(node.expr), *map(expression, node.other)))
        case CompValue(name="UnaryNot" | "UnaryMinus"):
            return Call("!" if node.name == "UnaryNot" else "NEG", (expression(node.expr),))
        case CompValue(name="Function"):
            return Call(f"<{node.iri}>", tuple(map(expression, node.expr)))
    return Call(node.name.removeprefix("Builtin_").upper(), tuple(map(expression, arguments_of(node))))


def arguments_of(node):
    named = ("arg", "arg1", "arg2", "arg3", "text", "pattern", "replacement", "start", "length", "flags")
    found = [node[name] for name in named if name in node and node[name] is not None]
    return found[0] if len(found) == 1 and isinstance(found[0], list) else found


def read(text):
    """Return the expression that rdflib reads in the text."""
    query = f"PREFIX xsd: <{XSD}> SELECT * {{ FILTER({text}) }}"
    return expression(prepareQuery(query).algebra.p.p.expr)
