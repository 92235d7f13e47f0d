"""Group graph patterns of the syntax tree → patterns (SPARQL 1.1, Section 18.2.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

from lars.language.formulas import Call, Expression
from lars.language.terms import Constant, Iri, Variable
from translate.algebra.expression_reader import (
    ExpressionReader,
    aggregate_name,
    chain,
    translate_expression,
)
from translate.algebra.triples import Scope, TriplesRun
from translate.analysis import depth
from translate.model import patterns as algebra
from translate.model.patterns import variables
from translate.sparql import AnyWindow, StreamClause

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue

_DEEPEST: Final = 256
Aggregate = Callable[["CompValue"], Variable]
ReadExpression = tuple[Expression, tuple[algebra.Exists, ...]]
"""An expression with the patterns of its EXISTS."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """A group's pattern and, apart from it, the conjunction of its filters."""

    pattern: algebra.Pattern
    condition: Expression | None = None
    exists: tuple[algebra.Exists, ...] = ()

    def joined(self) -> algebra.Pattern:
        """Return the group's pattern with its filters."""
        return (
            self.pattern
            if self.condition is None
            else algebra.Filter(self.pattern, self.condition, self.exists)
        )


@dataclass(frozen=True, slots=True)
class Groups:
    """The reading of one query's groups; `subquery` reads a SELECT inside one.

    Inside a STREAM or WINDOW block, which `stream` is, each basic graph pattern and path is the
    stream's.
    """

    scope: Scope
    subquery: Callable[["Groups", "CompValue", StreamClause | None], algebra.Pattern]

    def group(self, node: "CompValue", stream: StreamClause | None) -> algebra.Pattern:
        """Return the pattern of a group."""
        return self._parts(node, stream).joined()

    def expression(
        self, node: object, stream: StreamClause | None, aggregate: Aggregate | None = None
    ) -> ReadExpression:
        """Return an expression, a fresh variable in the place of each EXISTS of it."""
        found: list[algebra.Exists] = []

        def exists(group: "CompValue") -> Variable:
            variable = self.scope.fresh("e")
            found.append(algebra.Exists(variable, self.group(group, stream)))
            return variable

        reader = ExpressionReader(self.scope.leaves, exists, aggregate or self.refuse_aggregate)
        return translate_expression(node, reader), tuple(found)

    def check_depth(self, pattern: algebra.Pattern, node: object) -> None:
        """Raise at a part of the query with which its pattern is too deep for walks over it."""
        if depth(pattern) > _DEEPEST:
            accepted = f"a query whose patterns stand at most {_DEEPEST} behind or inside each other"
            raise self.scope.leaves.unexpected(node, accepted)

    def refuse_aggregate(self, node: "CompValue") -> Variable:
        """Raise where an aggregate stands that has no groups."""
        accepted = "no aggregate: it can stand in SELECT, HAVING and ORDER BY, and not in an aggregate"
        raise self.scope.leaves.unexpected(node, accepted, aggregate_name(node))

    def _parts(self, node: "CompValue", stream: StreamClause | None) -> _Parts:
        if node.name == "SubSelect":
            return _Parts(self.subquery(self, node, stream))
        pattern: algebra.Pattern = algebra.EMPTY
        run: TriplesRun | None = None
        filters: list[ReadExpression] = []
        for part in node.part or ():
            if part.name == "Filter":
                filters.append(self.expression(part.expr, stream))
            elif part.name == "TriplesBlock":
                run = run or TriplesRun(self.scope)
                run.read(part.triples)
            else:
                pattern = self._extended(_closed(pattern, run, stream), part, stream)
                run = None
                self.check_depth(pattern, part)
        pattern = _closed(pattern, run, stream)
        self.check_depth(pattern, node)
        if not filters:
            return _Parts(pattern)
        condition, exists = chain(conjunction, filters)
        return _Parts(pattern, condition, exists)

    def _extended(
        self, before: algebra.Pattern, part: "CompValue", stream: StreamClause | None
    ) -> algebra.Pattern:
        """Return what the next element of a group makes of the pattern before it."""
        match part.name:
            case "OptionalGraphPattern":
                optional = self._parts(part.graph, stream)
                return algebra.LeftJoin(before, optional.pattern, optional.condition, optional.exists)
            case "MinusGraphPattern":
                return algebra.Minus(before, self.group(part.graph, stream))
            case "GroupOrUnionGraphPattern":
                branches = [self.group(group, stream) for group in part.graph]
                return join(before, chain(algebra.Union, branches))
            case "GraphGraphPattern":
                return join(before, self._graph(part, stream))
            case "Bind":
                expression, exists = self.expression(part.expr, stream)
                variable = self.scope.check_new(part.var, variables(before))
                return algebra.Extend(before, variable, expression, exists)
            case "InlineData":
                return join(before, self.values(part))
            case _:
                raise self.scope.leaves.unsupported(part.name, part)

    def _graph(self, part: "CompValue", stream: StreamClause | None) -> algebra.Pattern:
        """Return GRAPH or SERVICE or, where the text says STREAM, the block."""
        leaves = self.scope.leaves
        index = leaves.first(part.term)
        before = leaves.document.tokens[index - 1]
        block = leaves.lifted.blocks.get(index)
        if stream is not None:
            word = "SERVICE" if before.is_word("SERVICE", "SILENT") else "GRAPH"
            raise leaves.unsupported(f"{word} inside a block of a stream", part.term, word)
        if isinstance(block, AnyWindow):
            return self._any_window(block, part)
        if block is not None:
            return self._block(block, part)
        name = leaves.term(part.term)
        if not isinstance(name, Iri | Variable):
            raise leaves.unexpected(part.term, "the name of a graph")
        inner = self.group(part.graph, None)
        if before.is_word("SERVICE", "SILENT"):
            return algebra.Service(name, inner, before.is_word("SILENT"))
        return algebra.Graph(name, inner)

    def _block(self, stream: StreamClause, part: "CompValue") -> algebra.Pattern:
        parts = self._parts(part.graph, stream)
        if parts.pattern == algebra.EMPTY:
            parts = _Parts(
                algebra.StreamBlock(stream.iri, stream.window, algebra.EMPTY, stream.name),
                parts.condition,
                parts.exists,
            )
        return parts.joined()

    def _any_window(self, block: AnyWindow, part: "CompValue") -> algebra.Pattern:
        if isinstance(block.name, Iri) or not block.windows:
            self.scope.notes.append(f"WINDOW {block.name} is empty: no FROM NAMED WINDOW declares it")
            return algebra.Values(
                self.scope.bindable_variables(algebra.Graph(block.name, self.group(part.graph, None))), ()
            )
        branches: list[algebra.Pattern] = []
        readings = self.scope.repeating(len(block.windows))
        for (name, stream), _ in zip(block.windows, readings, strict=True):
            branches.append(
                algebra.Join(self._block(stream, part), algebra.Values((block.name,), ((name,),)))
            )
        return reduce(algebra.Union, branches)

    def values(self, node: "CompValue") -> algebra.Values:
        """Return the table of VALUES; one variable without brackets has values without brackets."""
        leaves = self.scope.leaves
        names = tuple(leaves.variable(leaf) for leaf in node.var or ())
        for index, leaf in enumerate(node.var or ()):
            if names[index] in names[:index]:
                raise leaves.unexpected(leaf, f"another variable: VALUES has {names[index]} already")
        rows = []
        for value in node.value or ():
            row = (value,) if isinstance(value, str) else tuple(value)
            if len(row) != len(names):
                accepted = f"a row of as many terms as VALUES has variables: {len(names)}, not {len(row)}"
                raise leaves.unexpected(row or node.var, accepted)
            rows.append(tuple(self._constant(leaf) for leaf in row))
        return algebra.Values(names, tuple(rows))

    def _constant(self, leaf: object) -> Constant | None:
        if self.scope.leaves.is_word(leaf, "UNDEF"):
            return None
        term = self.scope.leaves.term(leaf)
        assert not isinstance(term, Variable)
        return term


def conjunction(left: ReadExpression, right: ReadExpression) -> ReadExpression:
    """Return the conjunction of two conditions."""
    return Call("&&", (left[0], right[0])), left[1] + right[1]


def _closed(pattern: algebra.Pattern, run: TriplesRun | None, stream: StreamClause | None) -> algebra.Pattern:
    """Return the pattern joined with those of a run of triples."""
    for found in () if run is None else run.patterns():
        block = None if stream is None else algebra.StreamBlock(stream.iri, stream.window, found, stream.name)
        pattern = join(pattern, block or found)
    return pattern


def join(left: algebra.Pattern, right: algebra.Pattern) -> algebra.Pattern:
    """Return P1 AND P2; the empty pattern is the join's neutral element (18.2.2.8)."""
    if algebra.EMPTY in (left, right):
        return right if left == algebra.EMPTY else left
    return algebra.Join(left, right)
