"""Expressions of SPARQL's syntax tree as `Call` trees; terms come from the text's own tokens."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from lars.formulas import Call, Expression
from lars.terms import XSD, Iri, Term, Variable
from translate.dialects.lifted import Lifted
from translate.dialects.names import is_name, number
from translate.dialects.sparql import COVERED, TERM, TYPE
from translate.dialects.tokens import Document, Kind
from translate.errors import QueryError, UnsupportedError

PATHS: Final = "property paths"
TIMESTAMP: Final = "http://larkc.eu/csparql/sparql/jena/ext#timestamp"
_CASTS: Final = frozenset(
    XSD + name for name in ("string", "boolean", "integer", "decimal", "float", "double", "dateTime")
)
_SYNONYMS: Final = {"URI": "IRI", "ISURI": "ISIRI"}
_CHAINS: Final = {"ConditionalOrExpression": "||", "ConditionalAndExpression": "&&"}


@dataclass(frozen=True, slots=True)
class Leaves:
    """The terms of a syntax tree, whose leaves are numbers of tokens, and their places."""

    document: Document
    lifted: Lifted

    def index(self, leaf: Any) -> int | None:
        """Return the number of the leaf's token; None for a term that the text does not name."""
        found = TERM.fullmatch(str(leaf))
        return None if found is None else int(found[2])

    def term(self, leaf: Any) -> Term:
        """Return the variable or RDF term of a leaf that is no blank node."""
        index = self.index(leaf)
        if index is None:
            return Iri(str(leaf))
        token = self.document.tokens[index]
        if token.kind is Kind.VARIABLE:
            return Variable(token.text[1:])
        if token.text == "a":
            return Iri(TYPE)
        if is_name(token):
            return self.lifted.names.iri(token)
        if str(leaf).startswith("u"):
            return number(token.text[1:])
        return self.lifted.names.literal(index)

    def variable(self, leaf: Any) -> Variable:
        """Return the variable of a leaf that can be nothing else."""
        term = self.term(leaf)
        assert isinstance(term, Variable)
        return term

    def unexpected(self, leaf: Any, accepted: str) -> QueryError:
        """Return the error that a leaf stands where something else is accepted."""
        return self.document.unexpected(self.document.tokens[self.index(leaf) or 0], accepted)

    def unsupported(self, construct: str, node: Any) -> UnsupportedError:
        """Return the error that names a construct at the first token of its tree."""
        indices = (self.index(leaf) for leaf in leaves(node))
        first = next((index for index in indices if index is not None), self.lifted.names.after)
        while construct == PATHS and self.document.tokens[first - 1].says("^", "!", "("):
            first -= 1
        return UnsupportedError(
            construct, self.document.place(self.document.tokens[first].start), covered=COVERED
        )


def leaves(node: Any) -> Iterator[Any]:
    """Yield the leaves of a syntax tree in the order of the text."""
    if isinstance(node, dict):
        for child in node.values():
            yield from leaves(child)
    elif isinstance(node, str) or not hasattr(node, "__iter__"):
        yield node
    else:
        for child in node:
            yield from leaves(child)


def translate_expression(node: Any, terms: Leaves) -> Expression:
    """Return the expression of a syntax tree; chains of one operator are read from the left.

    `URI` and `isURI` become their synonyms IRI and ISIRI, `NOT IN` is `!` of `IN`, and `+?x`
    the double negation, which has the same value and the same errors.
    """
    if not isinstance(node, dict):
        return terms.term(node)
    return _call(node, terms)


def _call(node: Any, terms: Leaves) -> Expression:
    match name := node.name:
        case "ConditionalOrExpression" | "ConditionalAndExpression":
            return _chain(node, [_CHAINS[name]] * len(node.other or ()), terms)
        case "AdditiveExpression" | "MultiplicativeExpression":
            return _chain(node, node.op or (), terms)
        case "RelationalExpression":
            return _relation(node, terms)
        case "UnaryNot":
            return Call("!", (translate_expression(node.expr, terms),))
        case "UnaryMinus":
            return Call("NEG", (translate_expression(node.expr, terms),))
        case "UnaryPlus":
            return Call("NEG", (Call("NEG", (translate_expression(node.expr, terms),)),))
        case "Function":
            return _function(node, terms)
        case _ if name.startswith("Builtin_"):
            function = name.removeprefix("Builtin_").upper()
            return Call(_SYNONYMS.get(function, function), _arguments(node.values(), terms))
        case _:
            raise terms.unsupported(f"the expression {name}", node)


def _chain(node: Any, operators: Any, terms: Leaves) -> Expression:
    expression = translate_expression(node.expr, terms)
    for operator, other in zip(operators, node.other or (), strict=True):
        expression = Call(str(operator), (expression, translate_expression(other, terms)))
    return expression


def _relation(node: Any, terms: Leaves) -> Expression:
    left = translate_expression(node.expr, terms)
    match node.op:
        case None:
            return left
        case "IN":
            return Call("IN", (left, *_arguments((node.other,), terms)))
        case "NOT IN":
            return Call("!", (Call("IN", (left, *_arguments((node.other,), terms))),))
        case operator:
            return Call(str(operator), (left, translate_expression(node.other, terms)))


def _arguments(values: Any, terms: Leaves) -> tuple[Expression, ...]:
    """Return the arguments of a call; a list of them is one value, and () is the IRI rdf:nil."""
    arguments: list[Expression] = []
    for value in values:
        if isinstance(value, dict):
            arguments.append(translate_expression(value, terms))
        elif isinstance(value, str):
            arguments += [terms.term(value)] if terms.index(value) is not None else []
        else:
            arguments += _arguments(value, terms)
    return tuple(arguments)


def _function(node: Any, terms: Leaves) -> Expression:
    iri = terms.term(node.iri)
    if not isinstance(iri, Iri):
        raise terms.unexpected(node.iri, "a function")
    if iri.value == TIMESTAMP:
        raise terms.unsupported("the function timestamp of C-SPARQL", node.iri)
    if iri.value not in _CASTS:
        raise terms.unsupported(f"the extension function {iri}", node.iri)
    arguments = _arguments((node.expr or (),), terms)
    if len(arguments) != 1:
        raise terms.unexpected(node.iri, f"a cast of one argument: this one has {len(arguments)}")
    return Call(str(iri), arguments)
