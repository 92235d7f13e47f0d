"""Expressions of SPARQL's syntax tree as `Call` trees; terms come from the text's own tokens."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Final, TypeGuard, TypeVar

from lars.language.formulas import Call, Expression
from lars.language.terms import RDF_TYPE, XSD, Iri, Literal, Term, Variable
from translate.errors import QueryError, UnknownFunctionError, UnsupportedError
from translate.model.patterns import Pattern, variables
from translate.model.query import TIMESTAMP
from translate.sparql.syntax_tree import COVERED, TERM, StreamingClauses
from translate.sparql.tokens import Document, TokenKind, is_name, number

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue

_TYPES: Final = (
    "string", "boolean", "decimal", "float", "double", "dateTime", "date", "time",
    "integer", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger", "positiveInteger",
    "long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
)  # fmt: skip
_CASTS: Final = frozenset(XSD + name for name in _TYPES)
_SYNONYMS: Final = {"URI": "IRI", "ISURI": "ISIRI"}
_CHAINS: Final = {"ConditionalOrExpression": "||", "ConditionalAndExpression": "&&"}
_WRAPPERS: Final = (*_CHAINS, "RelationalExpression", "AdditiveExpression", "MultiplicativeExpression")
_AGGREGATE: Final = "Aggregate_"
_STATEMENT: Final = 3
_DISTANCE: Final = "http://www.opengis.net/def/function/geosparql/distance"
_DISTANCES: Final = (_DISTANCE, "http://www.opengis.net/def/geosparql/function/distance")
"""As GeoSPARQL names it, and as queries for streams do."""
_METRE: Final = Iri("http://www.opengis.net/def/uom/OGC/1.0/metre")
_POINTS_AND_UNIT: Final = 3
_COMPUTED: Final = (
    f"a function with a value: those of SPARQL 1.1, casts to types of XSD, {TIMESTAMP}, "
    f"and <{_DISTANCE}> of two points in {_METRE}"
)


@dataclass(slots=True)
class Scope:
    """The terms of a syntax tree, whose leaves are numbers of tokens, and the names that its reading invents.

    With `opaque` a function that nobody computes here is read all the same. Fresh variables are numbered
    for each kind: _b0, _b1, .. with more _ where a name of the text begins like that. `labels` says in which
    run of triples each blank node label stands; `notes` what was read otherwise than SPARQL says.
    """

    document: Document
    lifted: StreamingClauses
    opaque: bool = False
    labels: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    notes: list[str] = field(default_factory=list)
    _numbers: Counter[str] = field(default_factory=Counter)
    _prefixes: dict[str, str] = field(default_factory=dict)

    def index(self, leaf: object) -> int | None:
        """Return the number of the leaf's token; None for a term that the text does not name."""
        match = TERM.fullmatch(str(leaf))
        return None if match is None else int(match[2])

    def term(self, leaf: object) -> Term:
        """Return the variable or RDF term of a leaf that is no blank node."""
        index = self.index(leaf)
        if index is None:
            return Iri(str(leaf))
        token = self.document.tokens[index]
        if token.kind is TokenKind.VARIABLE:
            return Variable(token.text[1:])
        if token.text == "a":
            return RDF_TYPE
        if is_name(token):
            return self.lifted.names.iri(token)
        if str(leaf).startswith("u"):
            return number(token.text[1:])
        return self.lifted.names.literal(index)

    def variable(self, leaf: object) -> Variable:
        """Return the variable of a leaf that can be nothing else."""
        term = self.term(leaf)
        assert isinstance(term, Variable)
        return term

    def is_word(self, leaf: object, *words: str) -> bool:
        """Whether the leaf is one of these keywords."""
        index = self.index(leaf)
        return index is not None and self.document.tokens[index].is_word(*words)

    def first(self, node: object, word: str = "") -> int:
        """Return the index of a tree's first token, or of the last `word` before that."""
        indices = (self.index(leaf) for leaf in leaves(node))
        first = next((index for index in indices if index is not None), self.lifted.names.after)
        before = range(first, -1, -1) if word else ()
        return next((index for index in before if self.document.tokens[index].is_word(word)), first)

    def unexpected(self, node: object, accepted: str, word: str = "") -> QueryError:
        """Return the error that a tree, or the `word` before it, stands where something else can."""
        return self.document.unexpected(self.document.tokens[self.first(node, word)], accepted)

    def unsupported(self, construct: str, node: object, word: str = "") -> UnsupportedError:
        """Return the error that names a construct at the first token of its tree, or at its `word`."""
        place = self.document.place(self.document.tokens[self.first(node, word)].start)
        return UnsupportedError(construct, place, covered=COVERED)

    def fresh(self, kind: str) -> Variable:
        """Return the next variable of a kind, a letter: b for a blank node, e for an EXISTS, .."""
        if kind not in self._prefixes:
            self._prefixes[kind] = self._prefix(f"_{kind}")
        name = f"{self._prefixes[kind]}{self._numbers[kind]}"
        self._numbers[kind] += 1
        return Variable(name)

    def _prefix(self, prefix: str) -> str:
        tokens = self.document.tokens
        names = {token.text[1:] for token in tokens if token.kind is TokenKind.VARIABLE}
        names |= {token.text[2:] for token in tokens if token.kind is TokenKind.BLANK}
        while any(name.startswith(prefix) for name in names):
            prefix = f"_{prefix}"
        return prefix

    def bindable_variables(self, pattern: Pattern) -> tuple[Variable, ...]:
        """Return the variables of the text that a pattern can bind, in the order of the text."""
        bound = variables(pattern)
        tokens = self.document.tokens
        names = (Variable(token.text[1:]) for token in tokens if token.kind is TokenKind.VARIABLE)
        return tuple(dict.fromkeys(name for name in names if name in bound))

    def repeating(self, times: int) -> Iterator[None]:
        """Yield for each reading of a part that is read several times: all invent the same names."""
        before = dict(self.labels), self.runs, Counter(self._numbers)
        for _ in range(times):
            self.labels, self.runs, self._numbers = dict(before[0]), before[1], Counter(before[2])
            yield

    def check_new(self, leaf: object, bound: Iterable[Variable]) -> Variable:
        """Return the variable after AS, or raise where something binds it before."""
        variable = self.variable(leaf)
        if variable in bound:
            accepted = f"a variable that nothing binds before AS: {variable} is bound"
            raise self.unexpected(leaf, accepted)
        return variable


@dataclass(frozen=True, slots=True)
class ExpressionReader:
    """The scope of expressions, and what stands for an EXISTS and for an aggregate in them."""

    scope: Scope
    exists: "Callable[[CompValue], Variable]"
    aggregate: "Callable[[CompValue], Variable]"


def is_tree(node: object) -> "TypeGuard[CompValue]":
    """Whether a node of the syntax tree has parts, with a name, and is no list of them."""
    return isinstance(node, dict)


def leaves(node: object, skipped: "Callable[[CompValue], bool]" = lambda _: False) -> Iterator[object]:
    """Yield the leaves of a syntax tree in the order of the text, without the trees to be skipped."""
    if is_tree(node):
        if not skipped(node):
            for child in node.values():
                yield from leaves(child, skipped)
    elif isinstance(node, Iterable) and not isinstance(node, str):
        for child in node:
            yield from leaves(child, skipped)
    else:
        yield node


def unwrap(node: object) -> object:
    """Return the expression inside trees that have one side only, as the grammar makes many of."""
    while is_tree(node) and node.name in _WRAPPERS and not node.other:
        if node.name == "RelationalExpression" and node.op is not None:
            break  # IN () has no other side either
        node = node.expr
    return node


def is_aggregate(node: object) -> "TypeGuard[CompValue]":
    """Whether a node of the syntax tree is an aggregate."""
    return is_tree(node) and node.name.startswith(_AGGREGATE)


def aggregate_name(node: "CompValue") -> str:
    """Return the keyword of an aggregate in the syntax tree."""
    name = node.name.removeprefix(_AGGREGATE)
    return "GROUP_CONCAT" if name == "GroupConcat" else str(name.upper())


def translate_expression(node: object, reader: ExpressionReader) -> Expression:
    """Return the expression of a syntax tree; chains of one operator are read from the left.

    `URI` and `isURI` become their synonyms IRI and ISIRI, `NOT IN` is `!` of `IN`, and `+?x`
    the double negation, which has the same value and the same errors. IRI has the BASE of the
    query as its second argument, against which it resolves a relative text.
    """
    node = unwrap(node)
    return _call(node, reader) if is_tree(node) else reader.scope.term(node)


def _call(node: "CompValue", reader: ExpressionReader) -> Expression:
    match name := node.name:
        case "ConditionalOrExpression" | "ConditionalAndExpression":
            parts = [translate_expression(part, reader) for part in (node.expr, *(node.other or ()))]
            return chain(lambda term, other: Call(_CHAINS[name], (term, other)), parts)
        case "AdditiveExpression" | "MultiplicativeExpression":
            return _chain(node, node.op or (), reader)
        case "RelationalExpression":
            return _relation(node, reader)
        case "UnaryNot":
            return Call("!", (translate_expression(node.expr, reader),))
        case "UnaryMinus":
            return Call("NEG", (translate_expression(node.expr, reader),))
        case "UnaryPlus":
            return Call("NEG", (Call("NEG", (translate_expression(node.expr, reader),)),))
        case "Function":
            return _function(node, reader)
        case "Builtin_EXISTS":
            return reader.exists(node.graph)
        case "Builtin_NOTEXISTS":
            return Call("!", (reader.exists(node.graph),))
        case _ if is_aggregate(node):
            return reader.aggregate(node)
        case _ if name.startswith("Builtin_"):
            function = name.removeprefix("Builtin_").upper()
            function, arguments = _SYNONYMS.get(function, function), _arguments(node.values(), reader)
            if function == "IRI" and (base := reader.scope.lifted.names.base):
                arguments = (*arguments, Literal(base))
            return Call(function, arguments)
        case _:
            raise reader.scope.unsupported(f"the expression {name}", node)


_One = TypeVar("_One")
_SHORT: Final = 64
LONGEST: Final = 256
"""So many operators that are not associative can stand in a row."""


def chain(join: Callable[[_One, _One], _One], parts: Sequence[_One]) -> _One:
    """Return parts joined from the left, or by halves where they are many: `join` is associative."""
    if len(parts) <= _SHORT:
        return reduce(join, parts)
    middle = len(parts) // 2
    return join(chain(join, parts[:middle]), chain(join, parts[middle:]))


def _chain(node: "CompValue", operators: Sequence[object], reader: ExpressionReader) -> Expression:
    if len(operators) > LONGEST:
        raise reader.scope.unexpected(node.other[LONGEST], f"no more than {LONGEST} operators in a row")
    expression = translate_expression(node.expr, reader)
    for operator, other in zip(operators, node.other or (), strict=True):
        expression = Call(str(operator), (expression, translate_expression(other, reader)))
    return expression


def _relation(node: "CompValue", reader: ExpressionReader) -> Expression:
    left = translate_expression(node.expr, reader)
    match node.op:
        case "IN":
            return Call("IN", (left, *_arguments((node.other,), reader)))
        case "NOT IN":
            return Call("!", (Call("IN", (left, *_arguments((node.other,), reader))),))
        case operator:
            return Call(str(operator), (left, translate_expression(node.other, reader)))


def _arguments(values: Iterable[object], reader: ExpressionReader) -> tuple[Expression, ...]:
    """Return the arguments of a call; a list of them is one value, and () is the IRI rdf:nil."""
    arguments: list[Expression] = []
    for value in values:
        if is_tree(value):
            arguments.append(translate_expression(value, reader))
        elif isinstance(value, Iterable) and not isinstance(value, str):
            arguments += _arguments(value, reader)
        elif reader.scope.index(value) is not None:
            arguments.append(reader.scope.term(value))
    return tuple(arguments)


def _function(node: "CompValue", reader: ExpressionReader) -> Expression:
    scope = reader.scope
    index = scope.index(node.iri)
    if index is not None and scope.document.tokens[index].kind is TokenKind.WORD:
        return Call(scope.document.tokens[index].text.upper(), ())
    iri = scope.term(node.iri)
    if not isinstance(iri, Iri):
        raise scope.unexpected(node.iri, "a function")
    if node.distinct:
        raise scope.unexpected(node.expr, f"an argument of {iri}, which is no aggregate", "DISTINCT")
    arguments = _arguments((node.expr or (),), reader)
    if not scope.opaque and not _is_computed(iri, arguments):
        error = scope.unexpected(node.iri, _COMPUTED)
        raise UnknownFunctionError(error.place, error.problem)
    if iri.value in _CASTS and len(arguments) != 1:
        raise scope.unexpected(node.iri, f"a cast of one argument: this one has {len(arguments)}")
    if str(iri) == TIMESTAMP:
        _check_statement(node, arguments, scope)
    return Call(str(iri), arguments)


def _is_computed(iri: Iri, arguments: tuple[Expression, ...]) -> bool:
    if iri.value not in _DISTANCES:
        return iri.value in _CASTS or str(iri) == TIMESTAMP
    return len(arguments) == _POINTS_AND_UNIT and arguments[-1] == _METRE


def _check_statement(node: "CompValue", arguments: tuple[Expression, ...], scope: Scope) -> None:
    accepted = "the subject, predicate and object of a statement, each a variable or a term"
    if len(arguments) != _STATEMENT:
        raise scope.unexpected(node.iri, f"{accepted}: here are {len(arguments)} arguments")
    for tree, argument in zip(node.expr, arguments, strict=True):
        if isinstance(argument, Call):
            raise scope.unexpected(tree, accepted)
