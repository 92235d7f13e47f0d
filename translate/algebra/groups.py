"""Triples, property paths and groups of the syntax tree → patterns (SPARQL 1.1, Section 18.2.2).

All groups of one query share its terms, its fresh variables, and where labels of blank nodes are used.
Runs of triples and paths come first (Sections 18.2.2.3 to 5), then the groups that they stand in.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING, Final

from lars.language.formulas import Call, Expression
from lars.language.terms import Blank, Constant, Iri, Term, Variable
from translate.algebra.expression_reader import (
    LONGEST,
    ExpressionReader,
    SyntaxLeaves,
    aggregate_name,
    chain,
    is_tree,
    leaves,
    translate_expression,
)
from translate.analysis import depth
from translate.model.patterns import (
    EMPTY,
    Alternative,
    Bgp,
    Exists,
    Extend,
    Filter,
    Graph,
    Inverse,
    Join,
    LeftJoin,
    Link,
    Minus,
    NegatedSet,
    Path,
    PathPattern,
    PathSequence,
    Pattern,
    RepeatedPath,
    Repetition,
    Service,
    StreamBlock,
    TriplePattern,
    Union,
    Values,
    variables,
)
from translate.sparql import AnyWindow, StreamClause, TokenKind

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue


@dataclass(slots=True)
class Scope:
    """The terms of a query and the names that its reading invents.

    Fresh variables are numbered for each kind: _b0, _b1, .. with more _ where a name of the text
    begins like that. `labels` says in which run of triples each blank node label stands; `notes`
    what was read otherwise than SPARQL says.
    """

    leaves: SyntaxLeaves
    labels: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    notes: list[str] = field(default_factory=list)
    _numbers: Counter[str] = field(default_factory=Counter)
    _prefixes: dict[str, str] = field(default_factory=dict)

    def fresh(self, kind: str) -> Variable:
        """Return the next variable of a kind, a letter: b for a blank node, e for an EXISTS, .."""
        if kind not in self._prefixes:
            self._prefixes[kind] = self._prefix(f"_{kind}")
        name = f"{self._prefixes[kind]}{self._numbers[kind]}"
        self._numbers[kind] += 1
        return Variable(name)

    def _prefix(self, prefix: str) -> str:
        tokens = self.leaves.document.tokens
        names = {token.text[1:] for token in tokens if token.kind is TokenKind.VARIABLE}
        names |= {token.text[2:] for token in tokens if token.kind is TokenKind.BLANK}
        while any(name.startswith(prefix) for name in names):
            prefix = f"_{prefix}"
        return prefix

    def bindable_variables(self, pattern: Pattern) -> tuple[Variable, ...]:
        """Return the variables of the text that a pattern can bind, in the order of the text."""
        bound = variables(pattern)
        tokens = self.leaves.document.tokens
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
        variable = self.leaves.variable(leaf)
        if variable in bound:
            accepted = f"a variable that nothing binds before AS: {variable} is bound"
            raise self.leaves.unexpected(leaf, accepted)
        return variable


_CHAINS: Final[dict[str, Callable[[Path, Path], Path]]] = {
    "PathAlternative": Alternative,
    "PathSequence": PathSequence,
}


@dataclass(slots=True)
class TriplesRun:
    """A run of triples blocks, which FILTERs do not end: its blank nodes are fresh variables of it."""

    scope: Scope
    number: int = field(init=False)
    blank: dict[str, Variable] = field(default_factory=dict)
    triples: list[TriplePattern | PathPattern] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scope.runs += 1
        self.number = self.scope.runs

    def read(self, blocks: Iterable[Sequence[object]]) -> None:
        """Add the triples of blocks; a label that another run has is an error."""
        for subject, path, object_ in _triples(blocks):
            first = self._term(subject)
            self.triples.append(_connection(first, path, self._term(object_), self.scope.leaves))

    def patterns(self) -> Iterator[Bgp | PathPattern]:
        """Yield the patterns in the order of the text; adjacent triple patterns are one."""
        for is_triple, parts in groupby(self.triples, lambda part: isinstance(part, TriplePattern)):
            if is_triple:
                yield Bgp(tuple(part for part in parts if isinstance(part, TriplePattern)))
            else:
                yield from (part for part in parts if isinstance(part, PathPattern))

    def _term(self, leaf: object) -> Term:
        label = _label(leaf, self.scope.leaves)
        if label is None:
            return self.scope.leaves.term(leaf)
        if self.scope.labels.setdefault(label, self.number) != self.number:
            accepted = f"another label: {label} stands in two basic graph patterns"
            raise self.scope.leaves.unexpected(leaf, accepted)
        if label not in self.blank:
            self.blank[label] = self.scope.fresh("b")
        return self.blank[label]


def read_template(blocks: Iterable[Sequence[object]], scope: Scope) -> tuple[TriplePattern, ...]:
    """Return the triples of a CONSTRUCT template; blank nodes keep their labels, [] gets one."""
    invented: dict[str, Blank] = {}

    def term(leaf: object) -> Term:
        label = _label(leaf, scope.leaves)
        if label is None:
            return scope.leaves.term(leaf)
        if label not in invented:
            invented[label] = Blank(label[2:] if label.startswith("_:") else scope.fresh("b").name)
        return invented[label]

    return tuple(TriplePattern(*(term(leaf) for leaf in triple)) for triple in _triples(blocks))


def _triples(blocks: Iterable[Sequence[object]]) -> Iterator[tuple[object, object, object]]:
    for block in blocks:
        for start in range(0, len(block), 3):
            yield block[start], block[start + 1], block[start + 2]


def _label(leaf: object, terms: SyntaxLeaves) -> str | None:
    """Return the label of a blank node, as in the text or as the parser made it; None for others."""
    from rdflib import BNode

    if not isinstance(leaf, BNode):
        return None
    index = terms.index(leaf)
    return str(leaf) if index is None else terms.document.tokens[index].text


def _connection(
    subject: Term, path: object, object_: Term, terms: SyntaxLeaves
) -> TriplePattern | PathPattern:
    if not is_tree(path):
        return TriplePattern(subject, terms.term(path), object_)
    match read_path(path, terms):
        case Link(iri):
            return TriplePattern(subject, iri, object_)
        case Inverse(Link(iri)):
            return TriplePattern(object_, iri, subject)
        case longer:
            return PathPattern(subject, longer, object_)


def read_path(node: object, terms: SyntaxLeaves) -> Path:
    """Return the property path of a syntax tree (Section 18.2.2.3); chains are read from the left."""
    if not is_tree(node):
        return Link(_iri(node, terms))
    if node.name == "PathNegatedPropertySet":
        return _negated(node, terms)
    parts = [read_path(part, terms) for part in (node.part if isinstance(node.part, list) else [node.part])]
    if len(parts) > LONGEST and node.name == "PathSequence":
        raise terms.unexpected(node.part[LONGEST], f"a path of at most {LONGEST} steps")
    if node.name in _CHAINS:
        return chain(_CHAINS[node.name], parts)
    if node.name == "PathEltOrInverse":
        return Inverse(parts[0])
    return RepeatedPath(parts[0], Repetition(str(node.mod))) if node.mod else parts[0]


def _negated(node: "CompValue", terms: SyntaxLeaves) -> NegatedSet:
    iris = [(str(leaf).startswith("i"), _iri(leaf, terms)) for leaf in leaves(node)]
    return NegatedSet(
        tuple(iri for inverse, iri in iris if not inverse), tuple(iri for inverse, iri in iris if inverse)
    )


def _iri(leaf: object, terms: SyntaxLeaves) -> Iri:
    term = terms.term(leaf)
    if not isinstance(term, Iri):
        raise terms.unexpected(leaf, "an IRI or a variable")
    return term


_DEEPEST: Final = 256
Aggregate = Callable[["CompValue"], Variable]
ReadExpression = tuple[Expression, tuple[Exists, ...]]
"""An expression with the patterns of its EXISTS."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """A group's pattern and, apart from it, the conjunction of its filters."""

    pattern: Pattern
    condition: Expression | None = None
    exists: tuple[Exists, ...] = ()

    def joined(self) -> Pattern:
        """Return the group's pattern with its filters."""
        return self.pattern if self.condition is None else Filter(self.pattern, self.condition, self.exists)


@dataclass(frozen=True, slots=True)
class Groups:
    """The reading of one query's groups; `subquery` reads a SELECT inside one.

    Inside a STREAM or WINDOW block, which `stream` is, each basic graph pattern and path is the
    stream's.
    """

    scope: Scope
    subquery: Callable[["Groups", "CompValue", StreamClause | None], Pattern]

    def group(self, node: "CompValue", stream: StreamClause | None) -> Pattern:
        """Return the pattern of a group."""
        return self._parts(node, stream).joined()

    def expression(
        self, node: object, stream: StreamClause | None, aggregate: Aggregate | None = None
    ) -> ReadExpression:
        """Return an expression, a fresh variable in the place of each EXISTS of it."""
        tests: list[Exists] = []

        def exists(group: "CompValue") -> Variable:
            variable = self.scope.fresh("e")
            tests.append(Exists(variable, self.group(group, stream)))
            return variable

        reader = ExpressionReader(self.scope.leaves, exists, aggregate or self.refuse_aggregate)
        return translate_expression(node, reader), tuple(tests)

    def check_depth(self, pattern: Pattern, node: object) -> None:
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
        pattern: Pattern = EMPTY
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

    def _extended(self, before: Pattern, part: "CompValue", stream: StreamClause | None) -> Pattern:
        """Return what the next element of a group makes of the pattern before it."""
        match part.name:
            case "OptionalGraphPattern":
                optional = self._parts(part.graph, stream)
                return LeftJoin(before, optional.pattern, optional.condition, optional.exists)
            case "MinusGraphPattern":
                return Minus(before, self.group(part.graph, stream))
            case "GroupOrUnionGraphPattern":
                branches = [self.group(group, stream) for group in part.graph]
                return join(before, chain(Union, branches))
            case "GraphGraphPattern":
                return join(before, self._graph(part, stream))
            case "Bind":
                expression, exists = self.expression(part.expr, stream)
                variable = self.scope.check_new(part.var, variables(before))
                return Extend(before, variable, expression, exists)
            case "InlineData":
                return join(before, self.values(part))
            case _:
                raise self.scope.leaves.unsupported(part.name, part)

    def _graph(self, part: "CompValue", stream: StreamClause | None) -> Pattern:
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
            return Service(name, inner, before.is_word("SILENT"))
        return Graph(name, inner)

    def _block(self, stream: StreamClause, part: "CompValue") -> Pattern:
        parts = self._parts(part.graph, stream)
        if parts.pattern == EMPTY:
            parts = _Parts(
                StreamBlock(stream.iri, stream.window, EMPTY, stream.name),
                parts.condition,
                parts.exists,
            )
        return parts.joined()

    def _any_window(self, block: AnyWindow, part: "CompValue") -> Pattern:
        if isinstance(block.name, Iri) or not block.windows:
            self.scope.notes.append(f"WINDOW {block.name} is empty: no FROM NAMED WINDOW declares it")
            return Values(self.scope.bindable_variables(Graph(block.name, self.group(part.graph, None))), ())
        branches: list[Pattern] = []
        readings = self.scope.repeating(len(block.windows))
        for (name, stream), _ in zip(block.windows, readings, strict=True):
            branches.append(Join(self._block(stream, part), Values((block.name,), ((name,),))))
        return reduce(Union, branches)

    def values(self, node: "CompValue") -> Values:
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
        return Values(names, tuple(rows))

    def _constant(self, leaf: object) -> Constant | None:
        if self.scope.leaves.is_word(leaf, "UNDEF"):
            return None
        term = self.scope.leaves.term(leaf)
        assert not isinstance(term, Variable)
        return term


def conjunction(left: ReadExpression, right: ReadExpression) -> ReadExpression:
    """Return the conjunction of two conditions."""
    return Call("&&", (left[0], right[0])), left[1] + right[1]


def _closed(pattern: Pattern, run: TriplesRun | None, stream: StreamClause | None) -> Pattern:
    """Return the pattern joined with those of a run of triples."""
    for found in () if run is None else run.patterns():
        block = None if stream is None else StreamBlock(stream.iri, stream.window, found, stream.name)
        pattern = join(pattern, block or found)
    return pattern


def join(left: Pattern, right: Pattern) -> Pattern:
    """Return P1 AND P2; the empty pattern is the join's neutral element (18.2.2.8)."""
    if EMPTY in (left, right):
        return right if left == EMPTY else left
    return Join(left, right)
