"""Translate expressions of SPARQL into `Call` trees, with terms from the tokens of the text."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import reduce
from typing import Final, TypeVar

from lars.dataclass import dataclass
from lars.language.formulas import Call, Expression
from lars.language.terms import RDF_TYPE, XSD, Iri, Literal, Term, TripleTerm, Variable
from translate.errors import QueryError, UnknownFunctionError, UnsupportedError
from translate.model.patterns import Pattern, StreamBlock, variables
from translate.model.query import TIMESTAMP, EngineQuery
from translate.model.windows import WindowExpression
from translate.sparql.syntax_tree import COVERED, AnyWindow, Part, Phrase
from translate.sparql.tokens import Document, Token, is_name, number

_TYPES: Final = (
    "string", "boolean", "decimal", "float", "double", "dateTime", "date", "time",
    "integer", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger", "positiveInteger",
    "long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
)  # fmt: skip
_CASTS: Final = frozenset(XSD + name for name in _TYPES)
_SYNONYMS: Final = {"URI": "IRI", "ISURI": "ISIRI"}
_CHAINS: Final = {"or": "||", "and": "&&"}
_STATEMENT: Final = 3
_DISTANCE: Final = "http://www.opengis.net/def/function/geosparql/distance"
_DISTANCES: Final = (_DISTANCE, "http://www.opengis.net/def/geosparql/function/distance")
"""The distance function under its name in GeoSPARQL and under its name in queries for streams."""
_METRE: Final = Iri("http://www.opengis.net/def/uom/OGC/1.0/metre")
_POINTS_AND_UNIT: Final = 3
_COMPUTED: Final = (
    f"a function with a value: those of SPARQL 1.1, casts to types of XSD, {TIMESTAMP}, "
    f"and <{_DISTANCE}> of two points in {_METRE}"
)


@dataclass(slots=True)
class Scope:
    """The context for reading a query's syntax tree: its streams, its terms, and names for new variables.

    The field `query` is a query with only the streaming parts, to which the reader adds the SPARQL parts. The
    field `blocks` maps the offset of each STREAM or WINDOW block to its stream and window. The field
    `implicit` is the stream that patterns outside of blocks match, or None. If `opaque` is true, calls of
    unknown functions are allowed. New variables are numbered by kind: _b0, _b1, .., with more _ if the text
    already has such names. The field `labels` maps each blank node label to the number of the sequence of
    triples in which it occurs. `notes` are sentences about deviations from SPARQL.
    """

    document: Document
    query: EngineQuery
    blocks: Mapping[int, StreamBlock | AnyWindow] = field(default_factory=dict)
    implicit: StreamBlock | None = None
    opaque: bool = False
    labels: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    notes: list[str] = field(default_factory=list)
    _numbers: Counter[str] = field(default_factory=Counter)
    _prefixes: dict[str, str] = field(default_factory=dict)

    def windows(self) -> Iterator[WindowExpression]:
        """Yield the windows of all streams that the query declares or reads."""
        yield from (part.window for part in (*self.query.merged, *self.query.declared))
        for block in self.blocks.values():
            yield from (part.window for part in (block.windows if isinstance(block, AnyWindow) else (block,)))

    def term(self, part: Part) -> Term:
        """Return the variable or RDF term that a part of the syntax tree denotes, except a blank node."""
        token = next(part.tokens()) if isinstance(part, Phrase) else part
        if token.kind == "a variable":
            return Variable(token.text[1:])
        if token.text == "a":
            return RDF_TYPE
        if is_name(token):
            return self.document.iri(token)
        return self.document.literal(self.document.index_from(token.start))

    def variable(self, part: Part) -> Variable:
        """Return the variable that a part of the syntax tree denotes; the part must be a variable."""
        term = self.term(part)
        assert isinstance(term, Variable)
        return term

    def first(self, part: Part, word: str = "") -> Token:
        """Return the first token of a part; if `word` is given, the last token `word` before the part."""
        tokens = self.document.tokens
        first = next(part.tokens(), tokens[self.document.after]) if isinstance(part, Phrase) else part
        before = range(self.document.index_from(first.start), -1, -1) if word else ()
        return next((tokens[index] for index in before if tokens[index].is_word(word)), first)

    def unexpected(self, part: Part, accepted: str, word: str = "") -> QueryError:
        """Return the error at a part, or at the token `word` before the part, with the expected form."""
        return self.document.unexpected(self.first(part, word), accepted)

    def unsupported(self, construct: str, part: Part, word: str = "") -> UnsupportedError:
        """Return the error for an unsupported construct, at a part or at the token `word` before the part."""
        place = self.document.place(self.first(part, word).start)
        return UnsupportedError(construct, place, covered=COVERED)

    def fresh(self, kind: str) -> Variable:
        """Return a new variable whose name contains the letter `kind`, such as b for blank nodes."""
        if kind not in self._prefixes:
            self._prefixes[kind] = self._prefix(f"_{kind}")
        name = f"{self._prefixes[kind]}{self._numbers[kind]}"
        self._numbers[kind] += 1
        return Variable(name)

    def _prefix(self, prefix: str) -> str:
        tokens = self.document.tokens
        names = {token.text[1:] for token in tokens if token.kind == "a variable"}
        names |= {token.text[2:] for token in tokens if token.kind == "a blank node"}
        while any(name.startswith(prefix) for name in names):
            prefix = f"_{prefix}"
        return prefix

    def bindable_variables(self, pattern: Pattern) -> tuple[Variable, ...]:
        """Return the variables that the query's text contains and a pattern can bind, in textual order."""
        bound = variables(pattern)
        tokens = self.document.tokens
        names = (Variable(token.text[1:]) for token in tokens if token.kind == "a variable")
        return tuple(dict.fromkeys(name for name in names if name in bound))

    def repeating(self, times: int) -> Iterator[None]:
        """Yield `times` times, so that the caller can read a part of the query that many times.

        Each repetition creates new variables with the same names.
        """
        before = dict(self.labels), self.runs, Counter(self._numbers)
        for _ in range(times):
            self.labels, self.runs, self._numbers = dict(before[0]), before[1], Counter(before[2])
            yield

    def check_new(self, part: Part, bound: Iterable[Variable]) -> Variable:
        """Return the variable after AS; raise QueryError if the variable is already bound."""
        variable = self.variable(part)
        if variable in bound:
            accepted = f"a variable that nothing binds before AS: {variable} is bound"
            raise self.unexpected(part, accepted)
        return variable


ReadInner = Callable[[Phrase], Variable]
"""A function that reads an EXISTS or an aggregate and returns the variable that represents its value."""


def translate_expression(part: Part, scope: Scope, inner: ReadInner) -> Expression:
    """Return the expression that a part of the syntax tree denotes; a - b - c is read as (a - b) - c.

    `URI` and `isURI` become their synonyms IRI and ISIRI, and `NOT IN` becomes `!` of `IN`. `+?x` becomes a
    double negation, which has the same values and errors. The second argument of IRI is the BASE of the
    query, against which IRI resolves a relative text.
    """
    match part:
        case Phrase("or" | "and" as name, conditions):
            read = [_condition(condition, scope, inner) for condition in conditions]
            return chain(lambda term, other: Call(_CHAINS[name], (term, other)), read)
        case Phrase("sum" | "product", (first, *others)):
            return _chain(translate_expression(first, scope, inner), others, scope, inner)
        case Phrase("relation", (left, operator, right)):
            assert isinstance(operator, Token)
            return Call(operator.text, _all((left, right), scope, inner))
        case Phrase("in", operands):
            return Call("IN", _all(operands, scope, inner))
        case Phrase("not_in", operands):
            return Call("!", (Call("IN", _all(operands, scope, inner)),))
        case Phrase("not", (negated,)):
            return Call("!", (_condition(negated, scope, inner),))
        case Phrase("negative", operands):
            return Call("NEG", _all(operands, scope, inner))
        case Phrase("plus", operands):
            return Call("NEG", (Call("NEG", _all(operands, scope, inner)),))
        case Phrase("exists", (Phrase() as group,)):
            return inner(group)
        case Phrase("not_exists", (Phrase() as group,)):
            return Call("!", (inner(group),))
        case Phrase("aggregate"):
            return inner(part)
        case Phrase("triple_expression", operands):
            return _triple(_all(operands, scope, inner))
        case Phrase("function"):
            return _function(part, scope, inner)
        case Phrase("builtin", (Token() as word, *operands)):
            function, arguments = word.text.upper(), _all(operands, scope, inner)
            function = _SYNONYMS.get(function, function)
            if function == "IF":
                arguments = (as_condition(operands[0], arguments[0], scope), *arguments[1:])
            if function == "IRI" and (base := scope.document.base):
                arguments = (*arguments, Literal(base))
            return Call(function, arguments)
        case _:
            return scope.term(part)


def _triple(parts: tuple[Expression, ...]) -> Expression:
    terms = [part for part in parts if not isinstance(part, Call)]
    fixed = len(terms) == len(parts) and (term := TripleTerm(*terms)).is_fixed()
    return term if fixed else Call("TRIPLE", parts)


def _condition(part: Part, scope: Scope, inner: ReadInner) -> Expression:
    return as_condition(part, translate_expression(part, scope, inner), scope)


def as_condition(part: Part, expression: Expression, scope: Scope) -> Expression:
    """Return an expression in a form that can be a condition, with the same effective boolean value.

    As conditions, ill-typed literals and literals with a language tag are errors in SPARQL 1.2, but not in
    SPARQL 1.1 (17.2.2).
    """
    tests = isinstance(part, Phrase) and part.name in ("exists", "not_exists")
    if not scope.document.rdf12 or tests or (isinstance(expression, Call) and expression.function in _TRUTHS):
        return expression
    return Call("EBV", (expression,))


_TRUTHS: Final = frozenset(
    (
        *("=", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "IN", "BOUND", "SAMETERM"),
        *("ISIRI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "ISTRIPLE", "HASLANG", "HASLANGDIR"),
        *("REGEX", "CONTAINS", "STRSTARTS", "STRENDS", "LANGMATCHES"),
    )
)
"""The functions whose value is always a boolean, unless they raise an error."""


def _all(parts: Iterable[Part], scope: Scope, inner: ReadInner) -> tuple[Expression, ...]:
    return tuple(translate_expression(part, scope, inner) for part in parts)


_One = TypeVar("_One")
_SHORT: Final = 64
LONGEST: Final = 256
"""The greatest number of consecutive non-associative operators in an expression."""


def chain(join: Callable[[_One, _One], _One], parts: Sequence[_One]) -> _One:
    """Return the parts combined by `join` from left to right; many parts are combined as two halves.

    The function `join` must be associative.
    """
    if len(parts) <= _SHORT:
        return reduce(join, parts)
    middle = len(parts) // 2
    return join(chain(join, parts[:middle]), chain(join, parts[middle:]))


def _chain(expression: Expression, others: Sequence[Part], scope: Scope, inner: ReadInner) -> Expression:
    """Return a sum or product; `others` are signed numbers, or operators that precede their operands."""
    parts = iter(others)
    for number_of, part in enumerate(parts):
        if isinstance(part, Phrase):  # 1 -2 * 3: the sign of the number is the operator
            sign, *factors = part.parts
            assert isinstance(sign, Token)
            operator, other = sign.text[0], _chain(number(sign.text[1:]), factors, scope, inner)
        else:
            operator, other = part.text, translate_expression(next(parts), scope, inner)
        if number_of >= LONGEST:
            raise scope.unexpected(part, f"no more than {LONGEST} operators in a row")
        expression = Call(operator, (expression, other))
    return expression


def _function(node: Phrase, scope: Scope, inner: ReadInner) -> Expression:
    name, *operands = node.parts
    iri = scope.term(name)
    assert isinstance(iri, Iri)
    if (distinct := node.find("distinct")) is not None:
        raise scope.unexpected(distinct, f"an argument of {iri}, which is not an aggregate")
    arguments = _all(operands, scope, inner)
    if not scope.opaque and not _is_computed(iri, arguments):
        error = scope.unexpected(name, _COMPUTED)
        raise UnknownFunctionError(error.place, error.problem)
    if iri.value in _CASTS and len(arguments) != 1:
        raise scope.unexpected(name, f"a cast of one argument: this one has {len(arguments)}")
    if str(iri) == TIMESTAMP:
        _check_statement(name, operands, arguments, scope)
    return Call(str(iri), arguments)


def _is_computed(iri: Iri, arguments: tuple[Expression, ...]) -> bool:
    if iri.value not in _DISTANCES:
        return iri.value in _CASTS or str(iri) == TIMESTAMP
    return len(arguments) == _POINTS_AND_UNIT and arguments[-1] == _METRE


def _check_statement(
    name: Part, operands: Sequence[Part], arguments: tuple[Expression, ...], scope: Scope
) -> None:
    accepted = "the subject, predicate and object of a statement, each a variable or a term"
    if len(arguments) != _STATEMENT:
        raise scope.unexpected(name, f"{accepted}: here are {len(arguments)} arguments")
    for part, argument in zip(operands, arguments, strict=True):
        if isinstance(argument, Call):
            raise scope.unexpected(part, accepted)
