"""A query's syntax tree → its pattern and form, by the definitions of SPARQL 1.1, Sections 11 and 18.2.

One level, a query or a subquery, is read at a time: its groups, aggregates, SELECT and modifiers (18.2.4).
Then comes the whole query: its form, dataset, template, and what was lifted out of its text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Final

from lars.errors import PlacedError
from lars.language.formulas import Aggregation, Call, Expression, OrderKey
from lars.language.terms import Iri, Literal, Variable
from translate.algebra.expression_reader import SyntaxLeaves, aggregate_name, is_aggregate, is_tree, unwrap
from translate.algebra.groups import Groups, ReadExpression, Scope, conjunction, join, read_template
from translate.model.patterns import (
    EMPTY,
    Duplicates,
    Extend,
    Filter,
    Group,
    Modifiers,
    Pattern,
    Select,
    TriplePattern,
    variables,
)
from translate.model.query import Dataset, EngineQuery, Form, Language
from translate.sparql import StreamClause, deep_recursion, read_tree

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue


@dataclass(frozen=True, slots=True)
class _Aggregate:
    """An aggregate of the text; without an argument it counts all solutions."""

    function: str
    argument: Expression | None
    distinct: bool = False
    separator: str = " "


@dataclass(slots=True)
class Aggregates:
    """The aggregates found so far, each with its variable; equal aggregates are one.

    `arguments` are the variables of those arguments that are none themselves, `keys` those of
    GROUP BY.
    """

    groups: Groups
    stream: StreamClause | None
    keys: list[Variable] = field(default_factory=list)
    variables: dict[_Aggregate, Variable] = field(default_factory=dict)
    arguments: dict[_Aggregate, tuple[Variable, ReadExpression]] = field(default_factory=dict)

    def read(self, node: "CompValue", name: Variable | None = None) -> Variable:
        """Return the variable of an aggregate in the text, `name` where the aggregate is new."""
        leaves = self.groups.scope.leaves
        expression: ReadExpression | None = None
        if is_tree(inner := unwrap(node.vars)) or not leaves.is_word(inner, "*"):
            expression = self.groups.expression(inner, self.stream)
        separator = leaves.term(node.separator) if node.separator else Literal(" ")
        assert isinstance(separator, Literal)
        argument = None if expression is None else expression[0]
        key = _Aggregate(aggregate_name(node), argument, bool(node.distinct), separator.lexical)
        return self._name_of(key, expression, name)

    def expression(self, node: object) -> ReadExpression:
        """Return an expression with the variables of its aggregates."""
        return self.groups.expression(node, self.stream, self.read)

    def _name_of(
        self, key: _Aggregate, expression: ReadExpression | None, name: Variable | None = None
    ) -> Variable:
        if key not in self.variables:
            self.variables[key] = name or self.groups.scope.fresh("a")
            if expression is not None and variable_of(expression) is None:
                self.arguments[key] = self.groups.scope.fresh("x"), expression
        return self.variables[key]

    def behind_groups(
        self, read_expression: ReadExpression, aliases: Mapping[Variable, ReadExpression], *, grouped: bool
    ) -> ReadExpression:
        """Return an expression as it is seen behind the groups; `aliases` are replaced.

        A variable that is no key is a sample of its group (18.2.4.1).
        """
        expression, exists = read_expression
        apart = {test.variable for test in exists} | {*self.keys, *self.variables.values()}
        used = list(exists)

        def replaced(inner: Expression) -> Expression:
            match inner:
                case Call(function, arguments):
                    return Call(function, tuple(map(replaced, arguments)))
                case Variable() if inner in aliases and inner not in apart:
                    used.extend(test for test in aliases[inner][1] if test not in used)
                    return aliases[inner][0]
                case Variable() if grouped and inner not in apart:
                    return self.sample(inner)
                case _:
                    return inner

        return replaced(expression), tuple(used)

    def sample(self, variable: Variable) -> Variable:
        """Return the variable of one value that a variable, which is no key, has in the group."""
        note = (
            f"{variable} is no key of GROUP BY: a group has one of its values there, as of SAMPLE({variable})"
        )
        self.groups.scope.notes.append(note)
        return self._name_of(_Aggregate("SAMPLE", variable), (variable, ()))

    def group(self, pattern: Pattern, everything: tuple[Variable, ...]) -> Group:
        """Return the groups of a pattern; COUNT(DISTINCT *) counts what `everything` is bound to."""
        for name, expression in self.arguments.values():
            pattern = Extend(pattern, name, *expression)
        aggregates: list[tuple[Variable, Aggregation]] = []
        for key, variable in self.variables.items():
            arguments: tuple[Variable, ...] = _tuple(everything) if key.distinct else ()
            if key in self.arguments:
                arguments = (self.arguments[key][0],)
            elif key.argument is not None:
                assert isinstance(key.argument, Variable)
                arguments = (key.argument,)
            aggregation = Aggregation(key.function, arguments, key.distinct, key.separator)
            aggregates.append((variable, aggregation))
        return Group(pattern, tuple(dict.fromkeys(self.keys)), tuple(aggregates))


def _tuple(everything: tuple[Variable, ...]) -> tuple[Variable, ...]:
    # One variable would be an argument, whose unbound values are left out; a solution is a tuple.
    return everything * 2 if len(everything) == 1 else everything


def variable_of(read_expression: ReadExpression) -> Variable | None:
    """Return the variable of the solutions that an expression is, None for others and for an EXISTS."""
    expression, exists = read_expression
    return expression if isinstance(expression, Variable) and not exists else None


def has_aggregate(node: object) -> bool:
    """Whether an aggregate stands in a tree, outside of EXISTS."""
    if is_tree(node):
        tests = node.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS")
        return is_aggregate(node) or (not tests and any(map(has_aggregate, node.values())))
    return isinstance(node, Iterable) and not isinstance(node, str) and any(map(has_aggregate, node))


@dataclass(frozen=True, slots=True)
class Solutions:
    """What one level of a query returns: its pattern, the variables of SELECT, the modifiers."""

    pattern: Pattern
    result: tuple[Variable, ...]
    modifiers: Modifiers


def read_subquery(groups: Groups, node: "CompValue", stream: StreamClause | None) -> Pattern:
    """Return a SELECT inside a group."""
    solutions = read_level(groups, node, stream)
    return Select(solutions.pattern, solutions.result, solutions.modifiers)


def read_level(groups: Groups, tree: "CompValue", stream: StreamClause | None = None) -> Solutions:
    """Return the solutions of a query or subquery; its parts are read in the order of the text."""
    clauses = (tree.projection, tree.having, tree.orderby)
    grouped = bool(tree.groupby) or any(map(has_aggregate, clauses))
    selects = tree.name in ("SelectQuery", "SubSelect")
    return _Level(groups, tree, stream, grouped, selects, Aggregates(groups, stream)).read()


@dataclass(frozen=True, slots=True)
class _Item:
    """(expression AS variable) of SELECT; the leaf is the variable."""

    leaf: object
    expression: ReadExpression


@dataclass(frozen=True, slots=True)
class _Level:
    """The reading of one level: whether it groups its solutions, whether it is a SELECT."""

    groups: Groups
    tree: "CompValue"
    stream: StreamClause | None
    grouped: bool
    selects: bool
    aggregates: Aggregates
    items: dict[Variable, _Item] = field(default_factory=dict)

    def read(self) -> Solutions:
        """Return the solutions: Group, HAVING, VALUES, SELECT, ORDER BY come in this order."""
        tree, groups = self.tree, self.groups
        result = self._select() if self.selects else []
        inside = groups.group(tree.where, self.stream) if tree.where else EMPTY
        pattern = self._extended_by_keys(inside)
        samples = self._samples() if self.grouped and self.selects else {}
        having = self._having() if tree.having else None
        order = self._order()
        if self.grouped:
            pattern = self.aggregates.group(pattern, groups.scope.bindable_variables(inside))
        if having is not None:
            pattern = Filter(pattern, *having)
        values = groups.values(tree.valuesClause) if tree.valuesClause else EMPTY
        self._check_names(inside, values)
        pattern = join(pattern, values)
        if self.selects and not tree.projection:
            result = list(groups.scope.bindable_variables(pattern))
        for variable, sample in samples.items():
            if variable not in variables(pattern):
                pattern = Extend(pattern, variable, sample)
        for variable, item in self.items.items():
            if item.expression[0] != variable:  # else the group binds it
                pattern = Extend(pattern, variable, *item.expression)
        for key, expression in order:
            if expression is not None:
                pattern = Extend(pattern, key.variable, *expression)
        groups.check_depth(pattern, tree)
        modifiers = self._modifiers(tuple(key for key, _ in order))
        return Solutions(pattern, tuple(dict.fromkeys(result)), modifiers)

    def _select(self) -> list[Variable]:
        terms, result = self.groups.scope.leaves, list[Variable]()
        for item in self.tree.projection or ():
            variable = terms.variable(item.var if item.evar is None else item.evar)
            if item.evar is not None:
                if variable in result:
                    accepted = f"a variable that SELECT has not named: {variable} is"
                    raise terms.unexpected(item.evar, accepted)
                self.items[variable] = _Item(item.evar, self._selected(item.expr, variable))
            result.append(variable)
        return result

    def _selected(self, node: object, variable: Variable) -> ReadExpression:
        inner = unwrap(node)
        if is_aggregate(inner):
            return self.aggregates.read(inner, variable), ()
        return self.aggregates.expression(node)

    def _extended_by_keys(self, pattern: Pattern) -> Pattern:
        scope, keys = self.groups.scope, self.aggregates.keys
        for node in self.tree.groupby.condition if self.tree.groupby else ():
            named = is_tree(node) and node.name == "GroupAs"
            expression = self.groups.expression(node.expr if named else node, self.stream)
            alias = node.var if named else None
            if alias is None and (key := variable_of(expression)) is not None:
                keys.append(key)
                continue
            bound = variables(pattern).union(keys)
            keys.append(scope.fresh("k") if alias is None else scope.check_new(alias, bound))
            pattern = Extend(pattern, keys[-1], *expression)
        return pattern

    def _samples(self) -> dict[Variable, Variable]:
        """Return the samples of variables that SELECT names, though they are no keys (18.2.4.1).

        In its expressions they are samples too. SPARQL's grammar allows neither (11.4), engines do.
        """
        terms, tree = self.groups.scope.leaves, self.tree
        if not tree.projection:
            clause, word = (tree.groupby, "GROUP") if tree.groupby else (tree.having or tree.orderby, "")
            accepted = "no groups: SELECT * names the variables of solutions, which are not grouped"
            raise terms.unexpected(clause, accepted, word)
        before: dict[Variable, ReadExpression] = {}
        samples: dict[Variable, Variable] = {}
        for node in tree.projection:
            variable = terms.variable(node.var if node.evar is None else node.evar)
            if variable in self.items:
                item = self.items[variable]
                behind_groups = self.aggregates.behind_groups(item.expression, before, grouped=True)
                self.items[variable] = replace(item, expression=behind_groups)
                before[variable] = variable, ()
            elif variable not in self.aggregates.keys:
                samples[variable] = self.aggregates.sample(variable)
        return samples

    def _check_names(self, *patterns: Pattern) -> None:
        bound = frozenset(self.aggregates.keys).union(*map(variables, patterns))
        for item in self.items.values():
            self.groups.scope.check_new(item.leaf, bound)

    def _having(self) -> ReadExpression:
        # SPARQL 1.1 leaves the names of SELECT unbound in HAVING. The queries of C-SPARQL and CQELS
        # use them there, (COUNT(?x) AS ?n) .. HAVING (?n > 1): a name stands for its expression.
        aliases: dict[Variable, ReadExpression] = {}
        for name, item in self.items.items():
            aliases[name] = self.aggregates.behind_groups(item.expression, aliases, grouped=False)
        conditions = [self.aggregates.expression(node) for node in self.tree.having.condition]
        exists = [
            self.aggregates.behind_groups(condition, aliases, grouped=self.grouped)
            for condition in conditions
        ]
        return reduce(conjunction, exists)

    def _order(self) -> list[tuple[OrderKey, ReadExpression | None]]:
        """Return the keys of ORDER BY, each with the expression that it stands for unless it is one."""
        aliases: dict[Variable, ReadExpression] = {name: (name, ()) for name in self.items}
        order: list[tuple[OrderKey, ReadExpression | None]] = []
        for node in self.tree.orderby.condition if self.tree.orderby else ():
            expression = self.aggregates.expression(node.expr)
            expression = self.aggregates.behind_groups(expression, aliases, grouped=self.grouped)
            descending = node.order is not None and str(node.order).upper() == "DESC"
            if (variable := variable_of(expression)) is not None:
                order.append((OrderKey(variable, descending), None))
            else:
                order.append((OrderKey(self.groups.scope.fresh("o"), descending), expression))
        return order

    def _modifiers(self, order: tuple[OrderKey, ...]) -> Modifiers:
        duplicates = Duplicates[self.tree.modifier] if self.tree.modifier else Duplicates.KEPT
        part = self.tree.limitoffset
        limit = int(str(part.limit)) if part and part.limit is not None else None
        offset = int(str(part.offset)) if part and part.offset is not None else 0
        return Modifiers(duplicates, order, offset, limit)


_FORMS: Final = {
    "SelectQuery": Form.SELECT,
    "AskQuery": Form.ASK,
    "ConstructQuery": Form.CONSTRUCT,
    "DescribeQuery": Form.DESCRIBE,
}


def translate(leaves: SyntaxLeaves, language: Language) -> EngineQuery:
    """Return the query of a text whose streaming clauses are lifted out.

    Raises QueryError and UnsupportedError with their places.
    """
    with deep_recursion():
        return _translate(leaves, language)


def _translate(leaves: SyntaxLeaves, language: Language) -> EngineQuery:
    tree, error = read_tree(leaves.document, leaves.lifted)
    try:
        query = _read(tree, leaves, language)
    except PlacedError as placed_error:
        if error is not None and _position(error) < _position(placed_error):
            raise error from None
        raise
    if error is not None:
        raise error
    return query


def _position(error: PlacedError) -> tuple[int, int]:
    return error.place.line, error.place.column


def _read(tree: "CompValue", leaves: SyntaxLeaves, language: Language) -> EngineQuery:
    lifted, form = leaves.lifted, _FORMS[tree.name]
    scope = Scope(leaves)
    dataset = _dataset(tree, leaves)
    template = _template(tree, scope) if form is Form.CONSTRUCT else ()
    solutions = read_level(Groups(scope, read_subquery), tree)
    described = _described(tree, scope, solutions) if form is Form.DESCRIBE else ()
    return EngineQuery(
        language=language,
        form=form,
        result=_result(form, solutions, template, described),
        pattern=solutions.pattern,
        dataset=dataset,
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


def _described(tree: "CompValue", scope: Scope, solutions: Solutions) -> tuple[Iri | Variable, ...]:
    """Return what DESCRIBE names, each once; * names all variables in scope."""
    if not tree.var:
        return scope.bindable_variables(solutions.pattern)
    terms = dict.fromkeys(scope.leaves.term(leaf) for leaf in tree.var)
    return tuple(term for term in terms if isinstance(term, Iri | Variable))


def _result(
    form: Form,
    solutions: Solutions,
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


def _dataset(tree: "CompValue", leaves: SyntaxLeaves) -> Dataset:
    """Return the graphs of FROM and FROM NAMED."""
    clauses = tree.datasetClause or ()
    default = [leaves.term(clause.default) for clause in clauses if clause.default]
    terms = [leaves.term(clause.named) for clause in clauses if clause.named]
    return Dataset(
        tuple(iri for iri in default if isinstance(iri, Iri)),
        tuple(iri for iri in terms if isinstance(iri, Iri)),
    )
