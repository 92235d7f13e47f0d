"""SPARQL's syntax tree → patterns, by the definitions of SPARQL 1.1, Section 18.2."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from typing import Any

from lars.errors import PlacedError
from lars.formulas import Call, Expression
from lars.terms import Iri, Term, Variable
from translate.dialects.lifted import Lifted, Stream
from translate.dialects.sparql import deep_recursion, read_tree
from translate.dialects.tokens import Document, Kind
from translate.expressions import PATHS, Leaves, translate_expression
from translate.patterns import (
    EMPTY,
    Bgp,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    Pattern,
    StreamBlock,
    TriplePattern,
    Union,
    variables,
)
from translate.query import Dataset, EngineQuery, Form, Language


def translate(document: Document, lifted: Lifted, language: Language) -> EngineQuery:
    """Return the query of a text whose streaming clauses are lifted out.

    DISTINCT, REDUCED and ORDER BY change no set of answers and leave no trace. Raises QueryError
    and UnsupportedError with their places.
    """
    with deep_recursion():
        return _translate(document, lifted, language)


def _translate(document: Document, lifted: Lifted, language: Language) -> EngineQuery:
    tree, error = read_tree(document, lifted)
    try:
        query = _read(tree, Leaves(document, lifted), language)
    except PlacedError as found:
        if error is not None and _position(error) < _position(found):
            raise error from None
        raise
    if error is not None:
        raise error
    return query


def _position(error: PlacedError) -> tuple[int, int]:
    return error.place.line, error.place.column


def _read(tree: Any, leaves: Leaves, language: Language) -> EngineQuery:
    groups = _Groups(leaves)
    pattern = groups.group(tree.where, None)
    form = Form.ASK if tree.name == "AskQuery" else Form.SELECT
    result, pattern = groups.project(tree, pattern) if form is Form.SELECT else ((), pattern)
    for condition in tree.orderby.condition if tree.orderby else ():
        translate_expression(condition.expr, leaves)
    lifted, dataset = leaves.lifted, groups.dataset(tree)
    return EngineQuery(language, form, result, pattern, dataset, lifted.merged, lifted.name, lifted.every)


def _fresh(document: Document) -> Iterator[Variable]:
    """Yield variables _b0, _b1, .. for blank nodes, with more _ where a variable begins like that."""
    names = {token.text[1:] for token in document.tokens if token.kind is Kind.VARIABLE}
    prefix = "_b"
    while any(name.startswith(prefix) for name in names):
        prefix = f"_{prefix}"
    return (Variable(f"{prefix}{number}") for number in count())


@dataclass(slots=True)
class _Groups:
    """The reading of one query's groups: fresh variables, and where each blank node label is used."""

    leaves: Leaves
    fresh: Iterator[Variable] = field(init=False)
    invented: set[Variable] = field(default_factory=set)
    labels: dict[str, int] = field(default_factory=dict)
    blocks: int = 0

    def __post_init__(self) -> None:
        self.fresh = _fresh(self.leaves.document)

    def group(self, node: Any, stream: Stream | None) -> Pattern:
        """Return the pattern of a group; inside a STREAM block each basic graph pattern is the stream's."""
        pattern, condition = self.parts(node, stream)
        return pattern if condition is None else Filter(pattern, condition)

    def parts(self, node: Any, stream: Stream | None) -> tuple[Pattern, Expression | None]:
        """Return a group's pattern and, apart from it, the conjunction of its filters."""
        parts = list(node.part or ())
        conditions = [translate_expression(part.expr, self.leaves) for part in parts if part.name == "Filter"]
        pattern: Pattern = EMPTY
        triples: list[Any] = []
        for part in parts:
            if part.name == "TriplesBlock":
                triples += part.triples
            elif part.name != "Filter":
                pattern = self._extended(_join(pattern, self.bgp(triples, stream)), part, stream)
                triples = []
        pattern = _join(pattern, self.bgp(triples, stream))
        return pattern, reduce(
            lambda left, right: Call("&&", (left, right)), conditions
        ) if conditions else None

    def _extended(self, before: Pattern, part: Any, stream: Stream | None) -> Pattern:
        """Return what the next element of a group makes of the pattern before it."""
        match part.name:
            case "OptionalGraphPattern":
                return LeftJoin(before, *self.parts(part.graph, stream))
            case "MinusGraphPattern":
                return Minus(before, self.group(part.graph, stream))
            case "GroupOrUnionGraphPattern":
                return _join(before, reduce(Union, (self.group(group, stream) for group in part.graph)))
            case "GraphGraphPattern":
                return _join(before, self._graph(part))
            case "Bind":
                return self._bind(before, part.var, part.expr)
            case _:
                raise self.leaves.unsupported(part.name, part)

    def _graph(self, part: Any) -> Pattern:
        """Return GRAPH or, where the text says STREAM, the block with its content distributed."""
        stream = self.leaves.lifted.blocks.get(self.leaves.index(part.term) or 0)
        if stream is None:
            name = self.leaves.term(part.term)
            if not isinstance(name, Iri | Variable):
                raise self.leaves.unexpected(part.term, "the name of a graph")
            return Graph(name, self.group(part.graph, None))
        pattern, condition = self.parts(part.graph, stream)
        if pattern == EMPTY:
            pattern = StreamBlock(stream.iri, stream.window, EMPTY)
        return pattern if condition is None else Filter(pattern, condition)

    def _bind(self, before: Pattern, leaf: Any, expression: Any) -> Pattern:
        variable = self.leaves.variable(leaf)
        if variable in variables(before):
            raise self.leaves.unexpected(
                leaf, f"a variable that nothing binds before AS: {variable} is bound"
            )
        return Extend(before, variable, translate_expression(expression, self.leaves))

    def bgp(self, blocks: list[Any], stream: Stream | None) -> Pattern:
        """Return a basic graph pattern, its blank nodes replaced by fresh variables."""
        if not blocks:
            return EMPTY
        self.blocks += 1
        blank: dict[str, Variable] = {}
        triples = []
        for block in blocks:
            terms = [self._term(leaf, blank) for leaf in block]
            triples += [TriplePattern(*terms[start : start + 3]) for start in range(0, len(terms), 3)]
        pattern = Bgp(tuple(triples))
        return pattern if stream is None else StreamBlock(stream.iri, stream.window, pattern)

    def _term(self, leaf: Any, blank: dict[str, Variable]) -> Term:
        from rdflib import BNode

        while isinstance(leaf, dict):
            leaf = self._step(leaf)
        if not isinstance(leaf, BNode):
            return self.leaves.term(leaf)
        index = self.leaves.index(leaf)
        label = str(leaf) if index is None else self.leaves.document.tokens[index].text
        if self.labels.setdefault(label, self.blocks) != self.blocks:
            raise self.leaves.unexpected(leaf, f"another label: {label} stands in two basic graph patterns")
        if label not in blank:
            blank[label] = next(self.fresh)
            self.invented.add(blank[label])
        return blank[label]

    def _step(self, path: Any) -> Any:
        """Return what is inside a path of one step; every other path is refused."""
        steps = path.part if isinstance(path.part, list) else [path.part]
        if len(steps) > 1 or path.mod or path.name not in ("PathAlternative", "PathSequence", "PathElt"):
            raise self.leaves.unsupported(PATHS, path)
        return steps[0]

    def project(self, tree: Any, pattern: Pattern) -> tuple[tuple[Variable, ...], Pattern]:
        """Return V in the order of the text, and the pattern with the SELECT expressions added."""
        if not tree.projection:
            return self._in_scope(pattern), pattern
        result: list[Variable] = []
        for item in tree.projection:
            if item.evar is None:
                result.append(self.leaves.variable(item.var))
                continue
            variable = self.leaves.variable(item.evar)
            if variable in result:
                raise self.leaves.unexpected(
                    item.evar, f"a variable that SELECT has not named: {variable} is"
                )
            pattern = self._bind(pattern, item.evar, item.expr)
            result.append(variable)
        return tuple(dict.fromkeys(result)), pattern

    def _in_scope(self, pattern: Pattern) -> tuple[Variable, ...]:
        bound = variables(pattern) - self.invented
        tokens = self.leaves.document.tokens
        written = (Variable(token.text[1:]) for token in tokens if token.kind is Kind.VARIABLE)
        return tuple(dict.fromkeys(variable for variable in written if variable in bound))

    def dataset(self, tree: Any) -> Dataset:
        """Return the graphs of FROM and FROM NAMED."""
        clauses = tree.datasetClause or ()
        default = [self.leaves.term(clause.default) for clause in clauses if clause.default]
        named = [self.leaves.term(clause.named) for clause in clauses if clause.named]
        return Dataset(
            tuple(iri for iri in default if isinstance(iri, Iri)),
            tuple(iri for iri in named if isinstance(iri, Iri)),
        )


def _join(left: Pattern, right: Pattern) -> Pattern:
    """Return P1 AND P2; the empty pattern is the join's neutral element (18.2.2.8)."""
    if EMPTY in (left, right):
        return right if left == EMPTY else left
    return Join(left, right)
