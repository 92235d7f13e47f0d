"""A query's syntax tree → its pattern and form, by the definitions of SPARQL 1.1, Sections 11 and 18.2.

Runs of triples and paths come first (Sections 18.2.2.3 to 5), then the groups that they stand in. One level,
a query or a subquery, is read at a time: its groups, aggregates, SELECT and modifiers (18.2.4). Then comes
the whole query: its form, dataset, template, and what was lifted out of its text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING, Final

from lars.errors import PlacedError
from lars.language.formulas import Aggregation, Call, Expression, OrderKey
from lars.language.terms import Blank, Constant, Iri, Literal, Term, Variable
from translate.analysis import depth
from translate.model import patterns as algebra
from translate.model.patterns import (
    EMPTY,
    Bgp,
    Exists,
    Path,
    PathPattern,
    Pattern,
    StreamBlock,
    TriplePattern,
    variables,
)
from translate.model.query import Dataset, EngineQuery, Form, Language
from translate.sparql.expressions import (
    LONGEST,
    ExpressionReader,
    Scope,
    aggregate_name,
    chain,
    is_aggregate,
    is_tree,
    leaves,
    translate_expression,
    unwrap,
)
from translate.sparql.syntax_tree import AnyWindow, deep_recursion, read_tree

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue


_CHAINS: Final[dict[str, Callable[[Path, Path], Path]]] = {
    "PathAlternative": algebra.Alternative,
    "PathSequence": algebra.PathSequence,
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
            self.triples.append(_connection(first, path, self._term(object_), self.scope))

    def patterns(self) -> Iterator[Bgp | PathPattern]:
        """Yield the patterns in the order of the text; adjacent triple patterns are one."""
        for is_triple, parts in groupby(self.triples, lambda part: isinstance(part, TriplePattern)):
            if is_triple:
                yield Bgp(tuple(part for part in parts if isinstance(part, TriplePattern)))
            else:
                yield from (part for part in parts if isinstance(part, PathPattern))

    def _term(self, leaf: object) -> Term:
        label = _label(leaf, self.scope)
        if label is None:
            return self.scope.term(leaf)
        if self.scope.labels.setdefault(label, self.number) != self.number:
            accepted = f"another label: {label} stands in two basic graph patterns"
            raise self.scope.unexpected(leaf, accepted)
        if label not in self.blank:
            self.blank[label] = self.scope.fresh("b")
        return self.blank[label]


def read_template(blocks: Iterable[Sequence[object]], scope: Scope) -> tuple[TriplePattern, ...]:
    """Return the triples of a CONSTRUCT template; blank nodes keep their labels, [] gets one."""
    invented: dict[str, Blank] = {}

    def term(leaf: object) -> Term:
        label = _label(leaf, scope)
        if label is None:
            return scope.term(leaf)
        if label not in invented:
            invented[label] = Blank(label[2:] if label.startswith("_:") else scope.fresh("b").name)
        return invented[label]

    return tuple(TriplePattern(*(term(leaf) for leaf in triple)) for triple in _triples(blocks))


def _triples(blocks: Iterable[Sequence[object]]) -> Iterator[tuple[object, object, object]]:
    for block in blocks:
        for start in range(0, len(block), 3):
            yield block[start], block[start + 1], block[start + 2]


def _label(leaf: object, scope: Scope) -> str | None:
    """Return the label of a blank node, as in the text or as the parser made it; None for others."""
    from rdflib import BNode

    if not isinstance(leaf, BNode):
        return None
    index = scope.index(leaf)
    return str(leaf) if index is None else scope.document.tokens[index].text


def _connection(subject: Term, path: object, object_: Term, scope: Scope) -> TriplePattern | PathPattern:
    if not is_tree(path):
        return TriplePattern(subject, scope.term(path), object_)
    match read_path(path, scope):
        case algebra.Link(iri):
            return TriplePattern(subject, iri, object_)
        case algebra.Inverse(algebra.Link(iri)):
            return TriplePattern(object_, iri, subject)
        case longer:
            return PathPattern(subject, longer, object_)


def read_path(node: object, scope: Scope) -> Path:
    """Return the property path of a syntax tree (Section 18.2.2.3); chains are read from the left."""
    if not is_tree(node):
        return algebra.Link(_iri(node, scope))
    if node.name == "PathNegatedPropertySet":
        return _negated(node, scope)
    parts = [read_path(part, scope) for part in (node.part if isinstance(node.part, list) else [node.part])]
    if len(parts) > LONGEST and node.name == "PathSequence":
        raise scope.unexpected(node.part[LONGEST], f"a path of at most {LONGEST} steps")
    if node.name in _CHAINS:
        return chain(_CHAINS[node.name], parts)
    if node.name == "PathEltOrInverse":
        return algebra.Inverse(parts[0])
    return algebra.RepeatedPath(parts[0], algebra.Repetition(str(node.mod))) if node.mod else parts[0]


def _negated(node: "CompValue", scope: Scope) -> algebra.NegatedSet:
    iris = [(str(leaf).startswith("i"), _iri(leaf, scope)) for leaf in leaves(node)]
    return algebra.NegatedSet(
        tuple(iri for inverse, iri in iris if not inverse), tuple(iri for inverse, iri in iris if inverse)
    )


def _iri(leaf: object, scope: Scope) -> Iri:
    term = scope.term(leaf)
    if not isinstance(term, Iri):
        raise scope.unexpected(leaf, "an IRI or a variable")
    return term


_DEEPEST: Final = 256
_Stream = StreamBlock | None
"""The block that a group stands in: inside, each basic graph pattern and path is its stream's."""
ReadExpression = tuple[Expression, tuple[Exists, ...]]
"""An expression with the patterns of its EXISTS."""


def read_group(node: "CompValue", stream: _Stream, scope: Scope) -> Pattern:
    """Return the pattern of a group."""
    return _filtered(*_read_parts(node, stream, scope))


def _filtered(pattern: Pattern, condition: ReadExpression | None) -> Pattern:
    return pattern if condition is None else algebra.Filter(pattern, *condition)


def read_expression(
    node: object,
    stream: _Stream,
    scope: Scope,
    read_aggregate: "Callable[[CompValue], Variable] | None" = None,
) -> ReadExpression:
    """Return an expression, a fresh variable in the place of each EXISTS of it."""
    tests: list[Exists] = []

    def exists(group: "CompValue") -> Variable:
        variable = scope.fresh("e")
        tests.append(Exists(variable, read_group(group, stream, scope)))
        return variable

    def refuse(aggregate: "CompValue") -> Variable:
        accepted = "no aggregate: it can stand in SELECT, HAVING and ORDER BY, and not in an aggregate"
        raise scope.unexpected(aggregate, accepted, aggregate_name(aggregate))

    return translate_expression(node, ExpressionReader(scope, exists, read_aggregate or refuse)), tuple(tests)


def _check_depth(pattern: Pattern, node: object, scope: Scope) -> None:
    """Raise at a part of the query with which its pattern is too deep for walks over it."""
    if depth(pattern) > _DEEPEST:
        accepted = f"a query whose patterns stand at most {_DEEPEST} behind or inside each other"
        raise scope.unexpected(node, accepted)


def _read_parts(node: "CompValue", stream: _Stream, scope: Scope) -> tuple[Pattern, ReadExpression | None]:
    """Return a group's pattern and, apart from it, the conjunction of its filters."""
    if node.name == "SubSelect":
        return read_level(node, stream, scope), None
    pattern: Pattern = EMPTY
    run: TriplesRun | None = None
    filters: list[ReadExpression] = []
    for part in node.part or ():
        if part.name == "Filter":
            filters.append(read_expression(part.expr, stream, scope))
        elif part.name == "TriplesBlock":
            run = run or TriplesRun(scope)
            run.read(part.triples)
        else:
            pattern = _extended(_closed(pattern, run, stream), part, stream, scope)
            run = None
            _check_depth(pattern, part, scope)
    pattern = _closed(pattern, run, stream)
    _check_depth(pattern, node, scope)
    return pattern, chain(conjunction, filters) if filters else None


def _extended(before: Pattern, part: "CompValue", stream: _Stream, scope: Scope) -> Pattern:
    """Return what the next element of a group makes of the pattern before it."""
    match part.name:
        case "OptionalGraphPattern":
            optional, condition = _read_parts(part.graph, stream, scope)
            return algebra.LeftJoin(before, optional, *(condition or ()))
        case "MinusGraphPattern":
            return algebra.Minus(before, read_group(part.graph, stream, scope))
        case "GroupOrUnionGraphPattern":
            branches = [read_group(group, stream, scope) for group in part.graph]
            return join(before, chain(algebra.Union, branches))
        case "GraphGraphPattern":
            return join(before, _read_graph(part, stream, scope))
        case "Bind":
            expression, exists = read_expression(part.expr, stream, scope)
            variable = scope.check_new(part.var, variables(before))
            return algebra.Extend(before, variable, expression, exists)
        case "InlineData":
            return join(before, _read_values(part, scope))
        case _:
            raise scope.unsupported(part.name, part)


def _read_graph(part: "CompValue", stream: _Stream, scope: Scope) -> Pattern:
    """Return GRAPH or SERVICE or, where the text says STREAM, the block."""
    index = scope.first(part.term)
    before = scope.document.tokens[index - 1]
    block = scope.lifted.blocks.get(index)
    if stream is not None:
        word = "SERVICE" if before.is_word("SERVICE", "SILENT") else "GRAPH"
        raise scope.unsupported(f"{word} inside a block of a stream", part.term, word)
    if isinstance(block, AnyWindow):
        return _read_any_window(block, part, scope)
    if block is not None:
        return _read_block(block, part, scope)
    name = scope.term(part.term)
    if not isinstance(name, Iri | Variable):
        raise scope.unexpected(part.term, "the name of a graph")
    inner = read_group(part.graph, None, scope)
    if before.is_word("SERVICE", "SILENT"):
        return algebra.Service(name, inner, before.is_word("SILENT"))
    return algebra.Graph(name, inner)


def _read_block(stream: StreamBlock, part: "CompValue", scope: Scope) -> Pattern:
    pattern, condition = _read_parts(part.graph, stream, scope)
    return _filtered(stream if pattern == EMPTY else pattern, condition)


def _read_any_window(block: AnyWindow, part: "CompValue", scope: Scope) -> Pattern:
    if isinstance(block.name, Iri) or not block.windows:
        scope.notes.append(f"WINDOW {block.name} is empty: no FROM NAMED WINDOW declares it")
        return algebra.Values(
            scope.bindable_variables(algebra.Graph(block.name, read_group(part.graph, None, scope))), ()
        )
    branches: list[Pattern] = []
    for stream, _ in zip(block.windows, scope.repeating(len(block.windows)), strict=True):
        branches.append(
            algebra.Join(_read_block(stream, part, scope), algebra.Values((block.name,), ((stream.name,),)))
        )
    return reduce(algebra.Union, branches)


def _read_values(node: "CompValue", scope: Scope) -> algebra.Values:
    """Return the table of VALUES; one variable without brackets has values without brackets."""
    names = tuple(scope.variable(leaf) for leaf in node.var or ())
    for index, leaf in enumerate(node.var or ()):
        if names[index] in names[:index]:
            raise scope.unexpected(leaf, f"another variable: VALUES has {names[index]} already")
    rows = []
    for value in node.value or ():
        row = (value,) if isinstance(value, str) else tuple(value)
        if len(row) != len(names):
            accepted = f"a row of as many terms as VALUES has variables: {len(names)}, not {len(row)}"
            raise scope.unexpected(row or node.var, accepted)
        rows.append(tuple(_constant(leaf, scope) for leaf in row))
    return algebra.Values(names, tuple(rows))


def _constant(leaf: object, scope: Scope) -> Constant | None:
    if scope.is_word(leaf, "UNDEF"):
        return None
    term = scope.term(leaf)
    assert not isinstance(term, Variable)
    return term


def conjunction(left: ReadExpression, right: ReadExpression) -> ReadExpression:
    """Return the conjunction of two conditions."""
    return Call("&&", (left[0], right[0])), left[1] + right[1]


def _closed(pattern: Pattern, run: TriplesRun | None, stream: _Stream) -> Pattern:
    """Return the pattern joined with those of a run of triples."""
    for part in () if run is None else run.patterns():
        pattern = join(pattern, part if stream is None else replace(stream, pattern=part))
    return pattern


def join(left: Pattern, right: Pattern) -> Pattern:
    """Return P1 AND P2; the empty pattern is the join's neutral element (18.2.2.8)."""
    if EMPTY in (left, right):
        return right if left == EMPTY else left
    return algebra.Join(left, right)


def variable_of(seen: ReadExpression) -> Variable | None:
    """Return the variable of the solutions that an expression is, None for others and for an EXISTS."""
    expression, exists = seen
    return expression if isinstance(expression, Variable) and not exists else None


def has_aggregate(node: object) -> bool:
    """Whether an aggregate stands in a tree, outside of EXISTS."""
    if is_tree(node):
        tests = node.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS")
        return is_aggregate(node) or (not tests and any(map(has_aggregate, node.values())))
    return isinstance(node, Iterable) and not isinstance(node, str) and any(map(has_aggregate, node))


def read_level(tree: "CompValue", stream: _Stream, scope: Scope) -> algebra.Select:
    """Return the solutions of a query or subquery; its parts are read in the order of the text."""
    grouped = bool(tree.groupby) or any(map(has_aggregate, (tree.projection, tree.having, tree.orderby)))
    return _Level(tree, stream, scope, grouped, tree.name in ("SelectQuery", "SubSelect")).read()


@dataclass(frozen=True, slots=True)
class _Level:
    """The reading of one level: whether it groups its solutions, whether it is a SELECT.

    `items` are the expressions of SELECT, `keys` the variables of GROUP BY. Each aggregate has its variable,
    in `aggregates`; equal ones, of one expression, are one. `arguments` are those of their expressions that
    are no variables, by the variables that they get.
    """

    tree: "CompValue"
    stream: _Stream
    scope: Scope
    grouped: bool
    selects: bool
    items: dict[Variable, ReadExpression] = field(default_factory=dict)
    keys: list[Variable] = field(default_factory=list)
    aggregates: dict[tuple[Aggregation, Expression | None], tuple[Variable, Aggregation]] = field(
        default_factory=dict
    )
    arguments: dict[Variable, ReadExpression] = field(default_factory=dict)

    def read(self) -> algebra.Select:
        """Return the solutions: Group, HAVING, VALUES, SELECT, ORDER BY come in this order."""
        tree, scope = self.tree, self.scope
        result = self._select() if self.selects else []
        inside = read_group(tree.where, self.stream, scope) if tree.where else EMPTY
        pattern = self._extended_by_keys(inside)
        samples = self._samples() if self.grouped and self.selects else {}
        having = self._having() if tree.having else None
        order = self._order()
        if self.grouped:
            pattern = self._group(pattern, scope.bindable_variables(inside))
        if having is not None:
            pattern = algebra.Filter(pattern, *having)
        values = EMPTY if tree.valuesClause is None else _read_values(tree.valuesClause, scope)
        self._check_names(inside, values)
        pattern = join(pattern, values)
        if self.selects and not tree.projection:
            result = list(scope.bindable_variables(pattern))
        for variable, sample in samples.items():
            if variable not in variables(pattern):
                pattern = algebra.Extend(pattern, variable, sample)
        for variable, item in self.items.items():
            if item[0] != variable:  # else the group binds it
                pattern = algebra.Extend(pattern, variable, *item)
        for key, expression in order:
            if expression is not None:
                pattern = algebra.Extend(pattern, key.variable, *expression)
        _check_depth(pattern, tree, scope)
        modifiers = self._modifiers(tuple(key for key, _ in order))
        return algebra.Select(pattern, tuple(dict.fromkeys(result)), modifiers)

    def _select(self) -> list[Variable]:
        scope, result = self.scope, list[Variable]()
        for item in self.tree.projection or ():
            variable = scope.variable(item.var if item.evar is None else item.evar)
            if item.evar is not None:
                if variable in result:
                    accepted = f"a variable that SELECT has not named: {variable} is"
                    raise scope.unexpected(item.evar, accepted)
                self.items[variable] = self._selected(item.expr, variable)
            result.append(variable)
        return result

    def _selected(self, node: object, variable: Variable) -> ReadExpression:
        inner = unwrap(node)
        if is_aggregate(inner):
            return self._aggregate(inner, variable), ()
        return self._expression(node)

    def _extended_by_keys(self, pattern: Pattern) -> Pattern:
        scope, keys = self.scope, self.keys
        for node in self.tree.groupby.condition if self.tree.groupby else ():
            named = is_tree(node) and node.name == "GroupAs"
            expression = read_expression(node.expr if named else node, self.stream, scope)
            alias = node.var if named else None
            if alias is None and (key := variable_of(expression)) is not None:
                keys.append(key)
                continue
            bound = variables(pattern).union(keys)
            keys.append(scope.fresh("k") if alias is None else scope.check_new(alias, bound))
            pattern = algebra.Extend(pattern, keys[-1], *expression)
        return pattern

    def _samples(self) -> dict[Variable, Variable]:
        """Return the samples of variables that SELECT names, though they are no keys (18.2.4.1).

        In its expressions they are samples too. SPARQL's grammar allows neither (11.4), engines do.
        """
        scope, tree = self.scope, self.tree
        if not tree.projection:
            clause, word = (tree.groupby, "GROUP") if tree.groupby else (tree.having or tree.orderby, "")
            accepted = "no groups: SELECT * names the variables of solutions, which are not grouped"
            raise scope.unexpected(clause, accepted, word)
        before: dict[Variable, ReadExpression] = {}
        samples: dict[Variable, Variable] = {}
        for node in tree.projection:
            variable = scope.variable(node.var if node.evar is None else node.evar)
            if variable in self.items:
                self.items[variable] = self._behind_groups(self.items[variable], before, grouped=True)
                before[variable] = variable, ()
            elif variable not in self.keys:
                samples[variable] = self._sample(variable)
        return samples

    def _check_names(self, *patterns: Pattern) -> None:
        bound = frozenset(self.keys).union(*map(variables, patterns))
        for node in self.tree.projection or ():
            if node.evar is not None:
                self.scope.check_new(node.evar, bound)

    def _having(self) -> ReadExpression:
        # SPARQL 1.1 leaves the names of SELECT unbound in HAVING. The queries of C-SPARQL and CQELS
        # use them there, (COUNT(?x) AS ?n) .. HAVING (?n > 1): a name stands for its expression.
        aliases: dict[Variable, ReadExpression] = {}
        for name, item in self.items.items():
            aliases[name] = self._behind_groups(item, aliases, grouped=False)
        conditions = [self._expression(node) for node in self.tree.having.condition]
        exists = [self._behind_groups(condition, aliases, grouped=self.grouped) for condition in conditions]
        return reduce(conjunction, exists)

    def _order(self) -> list[tuple[OrderKey, ReadExpression | None]]:
        """Return the keys of ORDER BY, each with the expression that it stands for unless it is one."""
        aliases: dict[Variable, ReadExpression] = {name: (name, ()) for name in self.items}
        order: list[tuple[OrderKey, ReadExpression | None]] = []
        for node in self.tree.orderby.condition if self.tree.orderby else ():
            expression = self._expression(node.expr)
            expression = self._behind_groups(expression, aliases, grouped=self.grouped)
            descending = node.order is not None and str(node.order).upper() == "DESC"
            if (variable := variable_of(expression)) is not None:
                order.append((OrderKey(variable, descending), None))
            else:
                order.append((OrderKey(self.scope.fresh("o"), descending), expression))
        return order

    def _modifiers(self, order: tuple[OrderKey, ...]) -> algebra.Modifiers:
        duplicates = algebra.Duplicates[self.tree.modifier] if self.tree.modifier else algebra.Duplicates.KEPT
        part = self.tree.limitoffset
        limit = int(str(part.limit)) if part and part.limit is not None else None
        offset = int(str(part.offset)) if part and part.offset is not None else 0
        return algebra.Modifiers(duplicates, order, offset, limit)

    def _aggregate(self, node: "CompValue", name: Variable | None = None) -> Variable:
        """Return the variable of an aggregate in the text, `name` where the aggregate is new."""
        scope = self.scope
        expression: ReadExpression | None = None
        if is_tree(inner := unwrap(node.vars)) or not scope.is_word(inner, "*"):
            expression = read_expression(inner, self.stream, scope)
        separator = scope.term(node.separator) if node.separator else Literal(" ")
        assert isinstance(separator, Literal)
        how = Aggregation(aggregate_name(node), (), bool(node.distinct), separator.lexical)
        return self._name_of(how, expression, name)

    def _expression(self, node: object) -> ReadExpression:
        """Return an expression with the variables of its aggregates."""
        return read_expression(node, self.stream, self.scope, self._aggregate)

    def _name_of(
        self, how: Aggregation, seen: ReadExpression | None, name: Variable | None = None
    ) -> Variable:
        """Return the variable of an aggregate of an expression; without one it counts all solutions."""
        key = how, None if seen is None else seen[0]
        if key not in self.aggregates:
            variable = name or self.scope.fresh("a")
            if seen is not None:
                argument = variable_of(seen) or self.scope.fresh("x")
                how = replace(how, arguments=(argument,))
                if variable_of(seen) is None:
                    self.arguments[argument] = seen
            self.aggregates[key] = variable, how
        return self.aggregates[key][0]

    def _behind_groups(
        self, seen: ReadExpression, aliases: Mapping[Variable, ReadExpression], *, grouped: bool
    ) -> ReadExpression:
        """Return an expression as it is seen behind the groups; `aliases` are replaced.

        A variable that is no key is a sample of its group (18.2.4.1).
        """
        expression, exists = seen
        apart = {test.variable for test in exists}.union(self.keys, dict(self.aggregates.values()))
        used = list(exists)

        def replaced(inner: Expression) -> Expression:
            match inner:
                case Call(function, arguments):
                    return Call(function, tuple(map(replaced, arguments)))
                case Variable() if inner in aliases and inner not in apart:
                    used.extend(test for test in aliases[inner][1] if test not in used)
                    return aliases[inner][0]
                case Variable() if grouped and inner not in apart:
                    return self._sample(inner)
                case _:
                    return inner

        return replaced(expression), tuple(used)

    def _sample(self, variable: Variable) -> Variable:
        """Return the variable of one value that a variable, which is no key, has in the group."""
        note = (
            f"{variable} is no key of GROUP BY: a group has one of its values there, as of SAMPLE({variable})"
        )
        self.scope.notes.append(note)
        return self._name_of(Aggregation("SAMPLE", ()), (variable, ()))

    def _group(self, pattern: Pattern, everything: tuple[Variable, ...]) -> algebra.Group:
        """Return the groups of a pattern; COUNT(DISTINCT *) counts what `everything` is bound to."""
        for name, expression in self.arguments.items():
            pattern = algebra.Extend(pattern, name, *expression)
        # One variable would be an argument, whose unbound values are left out; a solution is a tuple.
        whole = everything * 2 if len(everything) == 1 else everything
        aggregates = tuple(
            (variable, replace(how, arguments=whole) if how.distinct and not how.arguments else how)
            for variable, how in self.aggregates.values()
        )
        return algebra.Group(pattern, tuple(dict.fromkeys(self.keys)), aggregates)


_FORMS: Final = {
    "SelectQuery": Form.SELECT,
    "AskQuery": Form.ASK,
    "ConstructQuery": Form.CONSTRUCT,
    "DescribeQuery": Form.DESCRIBE,
}


def translate(scope: Scope, language: Language) -> EngineQuery:
    """Return the query of a text whose streaming clauses are lifted out.

    Raises QueryError and UnsupportedError with their places.
    """
    with deep_recursion():
        tree, error = read_tree(scope.document, scope.lifted)
        try:
            query = _read(tree, scope, language)
        except PlacedError as placed_error:
            if error is not None and _position(error) < _position(placed_error):
                raise error from None
            raise
        if error is not None:
            raise error
        return query


def _position(error: PlacedError) -> tuple[int, int]:
    return error.place.line, error.place.column


def _read(tree: "CompValue", scope: Scope, language: Language) -> EngineQuery:
    lifted, form = scope.lifted, _FORMS[tree.name]
    template = _template(tree, scope) if form is Form.CONSTRUCT else ()
    solutions = read_level(tree, None, scope)
    described = _described(tree, scope, solutions) if form is Form.DESCRIBE else ()
    return EngineQuery(
        language=language,
        form=form,
        result=_result(form, solutions, template, described),
        pattern=solutions.pattern,
        dataset=_dataset(tree, scope),
        merged=lifted.merged,
        name=lifted.name,
        every=lifted.every,
        modifiers=solutions.modifiers,
        template=template,
        described=described,
        declared=lifted.declared,
        to_stream=lifted.to_stream,
        registers_stream=lifted.registers_stream,
        notes=(*lifted.notes, *scope.notes),
    )


def _template(tree: "CompValue", scope: Scope) -> tuple[TriplePattern, ...]:
    """Return the template of CONSTRUCT; CONSTRUCT WHERE {..} has the triples of its pattern."""
    if tree.where is not None and tree.where.name == "FakeGroupGraphPatten":
        return read_template([block for part in tree.where.part for block in part.triples], scope)
    return read_template(tree.template or (), scope)


def _described(tree: "CompValue", scope: Scope, solutions: algebra.Select) -> tuple[Iri | Variable, ...]:
    """Return what DESCRIBE names, each once; * names all variables in scope."""
    if not tree.var:
        return scope.bindable_variables(solutions.pattern)
    terms = dict.fromkeys(scope.term(leaf) for leaf in tree.var)
    return tuple(term for term in terms if isinstance(term, Iri | Variable))


def _result(
    form: Form,
    solutions: algebra.Select,
    template: tuple[TriplePattern, ...],
    described: tuple[Iri | Variable, ...],
) -> tuple[Variable, ...]:
    match form:
        case Form.SELECT:
            return solutions.result
        case Form.ASK:
            return ()
        case Form.DESCRIBE:
            return tuple(term for term in described if isinstance(term, Variable))
        case Form.CONSTRUCT:
            bound = variables(solutions.pattern)
            terms = dict.fromkeys(term for triple in template for term in triple.terms)
            return tuple(term for term in terms if isinstance(term, Variable) and term in bound)


def _dataset(tree: "CompValue", scope: Scope) -> Dataset:
    """Return the graphs of FROM and FROM NAMED."""
    clauses = tree.datasetClause or ()
    default = [scope.term(clause.default) for clause in clauses if clause.default]
    terms = [scope.term(clause.named) for clause in clauses if clause.named]
    return Dataset(
        tuple(iri for iri in default if isinstance(iri, Iri)),
        tuple(iri for iri in terms if isinstance(iri, Iri)),
    )
