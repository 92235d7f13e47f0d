"""Graph patterns as SPARQL text, the inverse of reading graph patterns (SPARQL 1.1, 18.2.2 and 18.2.4).

The writer first splits the pattern of a query into clauses. The reader of a query extends the WHERE pattern
by GROUP BY, HAVING, VALUES, SELECT expressions and ORDER BY expressions, in this order (18.2.4). The writer
removes the extensions in the opposite order, and puts expressions back into their aggregates.

The remaining pattern is written as a group. The reader processes a group element by element. The reader joins
each element to all earlier elements, makes the element optional, or subtracts the element. The filters of a
group apply to the whole group. Each element of a group is therefore written after the elements of its left
side, and braces around one element change nothing. The text of the clauses comes last.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, assert_never

from lars.dataclass import dataclass
from lars.language.formulas import Aggregation
from lars.language.terms import Variable
from translate.analysis import parts, tests_of
from translate.model import patterns as algebra
from translate.model.patterns import EMPTY, Pattern, variables
from translate.model.query import Language
from translate.writing import expression_text

_ARGUMENT: Final = re.compile(r"_+x[0-9]+")
_ORDERING: Final = re.compile(r"_+o[0-9]+")
"""The names of variables that the reader creates for expressions in aggregates and in ORDER BY.

In the text of a query, expressions replace these variables of the reader.
"""


@dataclass(frozen=True, slots=True)
class Level:
    """The clauses of a query or subquery to write: the WHERE pattern, and the clauses around WHERE.

    The field `selected` contains the variables of SELECT. The field `computed` contains the keys of GROUP BY
    that are expressions, and `arguments` the arguments of aggregates that are expressions.
    """

    where: Pattern
    selected: tuple[Variable, ...]
    items: tuple[algebra.Extend, ...] = ()
    orders: tuple[algebra.Extend, ...] = ()
    keys: tuple[Variable, ...] = ()
    computed: tuple[algebra.Extend, ...] = ()
    aggregates: tuple[tuple[Variable, Aggregation], ...] = ()
    arguments: tuple[algebra.Extend, ...] = ()
    having: algebra.Filter | None = None
    table: algebra.Values | None = None


def take_apart(
    pattern: Pattern,
    selected: tuple[Variable, ...],
    modifiers: algebra.Modifiers,
    dialect: expression_text.Dialect,
) -> Level:
    """Return the clauses (WHERE, GROUP BY, HAVING and others) into which a query's pattern is split.

    Raises CannotSayError if COUNT(DISTINCT *) counts only some variables of the pattern.
    """
    keys = tuple(order.variable for order in modifiers.order if _ORDERING.fullmatch(order.variable.name))
    unnamed = tuple(key for key in keys if key not in selected)
    orders, rest = take_extensions(pattern, unnamed)
    items, rest = take_extensions(rest, selected)
    inner, table = _split(rest)
    having = inner if isinstance(inner, algebra.Filter) and isinstance(inner.pattern, algebra.Group) else None
    group = inner if having is None else having.pattern
    if isinstance(group, algebra.Group):
        level = _take_group_apart(group, selected, dialect)
        return replace(level, items=items, orders=orders, having=having, table=table)
    if bound := _bound_inside(items, rest):
        items, inner, table = items[bound:], items[bound - 1], None
        rest = inner
    if dialect.language is Language.CQELS:
        return Level(inner, selected, items, orders, table=table)
    return Level(rest, selected, items, orders)


def take_extensions(
    pattern: Pattern, names: Sequence[Variable], is_used: Callable[[Variable], bool] = lambda _: True
) -> tuple[tuple[algebra.Extend, ...], Pattern]:
    """Split a pattern into its outermost Extends for variables in `names`, and the pattern inside them.

    The Extends are in the order in which they extend the inner pattern.
    """
    extensions = []
    while isinstance(pattern, algebra.Extend) and pattern.variable in names and is_used(pattern.variable):
        extensions.append(pattern)
        names, pattern = names[: names.index(pattern.variable)], pattern.pattern
    return tuple(reversed(extensions)), pattern


def _take_group_apart(
    group: algebra.Group, selected: tuple[Variable, ...], dialect: expression_text.Dialect
) -> Level:
    several = [found for _, found in group.aggregates if counts_tuples(found)]
    arguments = tuple(
        name for _, found in group.aggregates if found not in several for name in found.arguments
    )
    once = Counter(arguments)
    extends, rest = take_extensions(
        group.pattern, arguments, lambda name: once[name] == 1 and _ARGUMENT.fullmatch(name.name) is not None
    )
    counted = {name for found in several for name in found.arguments}
    keys, where = take_extensions(rest, group.keys, lambda name: name not in counted)
    for aggregation in several:
        if frozenset(aggregation.arguments) != variables(where) - dialect.blanks:
            raise dialect.cannot(f"{aggregation}", "DISTINCT * stands for all variables of the pattern")
    return Level(
        where, selected, keys=group.keys, computed=keys, aggregates=group.aggregates, arguments=extends
    )


def counts_tuples(aggregation: Aggregation) -> bool:
    """Return whether an aggregate is COUNT(DISTINCT *), whose arguments are all variables in scope."""
    return aggregation.distinct and len(aggregation.arguments) != 1


def _split(pattern: Pattern) -> tuple[Pattern, algebra.Values | None]:
    """Split a pattern that ends with VALUES into the pattern before VALUES and the table of VALUES."""
    match pattern:
        case algebra.Values():
            return EMPTY, pattern
        case algebra.Join(left, algebra.Values() as table):
            return left, table
        case _:
            return pattern, None


def _bound_inside(items: tuple[algebra.Extend, ...], where: Pattern) -> int:
    """Return the number of SELECT expressions to write as BIND so that EXISTS tests keep their numbers.

    The reader numbers EXISTS in the order of the text, in which SELECT precedes WHERE.
    """
    before, bound = _numbers(test for part in parts(where) for test in tests_of(part)), 0
    for index, item in enumerate(items):
        own = _numbers(item.exists)
        if own and before and min(own) > min(before):
            bound = index + 1
            before = before.union(*(_numbers(extend.exists) for extend in items[:bound]))
    return bound


def _numbers(tests: Iterable[algebra.Exists]) -> frozenset[tuple[int, str]]:
    return frozenset((len(test.variable.name), test.variable.name) for test in tests)


Lines = list[str]

_KEY: Final = re.compile(r"_+k[0-9]+")
"""The names of variables that the reader creates for expressions in GROUP BY.

Query texts omit these names.
"""


def in_braces(head: str, lines: Lines) -> Lines:
    """Return indented lines in braces, with the text `head` before the {."""
    before = f"{head} " if head else ""
    return [f"{before}{{", *(f"  {line}" for line in lines), "}"] if lines else [f"{before}{{ }}"]


def write_group(pattern: Pattern, dialect: expression_text.Dialect) -> Lines:
    """Return the lines between the braces of a group.

    If the reader of queries reads the returned lines, the result is the given pattern.
    """
    match pattern:
        case algebra.Filter(inner, condition, exists):
            test = expression_text.write_operand(condition, dialect, write_exists(exists, dialect))
            return [*_elements(inner, dialect), f"FILTER {test}"]
        case _:
            return _elements(pattern, dialect)


def write_exists(
    exists: Iterable[algebra.Exists], dialect: expression_text.Dialect
) -> expression_text.Inline:
    """Return the text of each EXISTS in an expression, on one line."""
    return {test.variable: _exists(test, dialect) for test in exists}


def _exists(test: algebra.Exists, dialect: expression_text.Dialect) -> str:
    lines = in_braces(expression_text.EXISTS.strip(), write_group(test.pattern, dialect))
    return " ".join(line.strip() for line in lines)


def _elements(pattern: Pattern, dialect: expression_text.Dialect) -> Lines:
    """Return the lines of a group's elements, from which the reader of queries reads the pattern again."""
    match pattern:
        case algebra.Join(left, right):
            return [*_elements(left, dialect), *_joined(left, right, dialect)]
        case algebra.LeftJoin(left, right, None, _):
            # `_elements` puts a Filter in braces: directly in the group, it would be read as the condition.
            optional = in_braces("OPTIONAL", _elements(right, dialect))
            return [*_elements(left, dialect), *optional]
        case algebra.LeftJoin(left, right, condition, exists):
            inline = write_exists(exists, dialect)
            assert condition is not None
            last = f"FILTER {expression_text.write_operand(condition, dialect, inline)}"
            optional = in_braces("OPTIONAL", [*_elements(right, dialect), last])
            return [*_elements(left, dialect), *optional]
        case algebra.Minus(left, right):
            return [*_elements(left, dialect), *in_braces("MINUS", write_group(right, dialect))]
        case algebra.Extend(inner, variable, expression, exists):
            text = expression_text.write_expression(expression, dialect, write_exists(exists, dialect))
            bind = f"BIND ({text} AS {dialect.variable(variable)})"
            return [*_elements(inner, dialect), bind]
        case algebra.Filter():
            return in_braces("", write_group(pattern, dialect))
        case _:
            return _element(pattern, dialect)


def _joined(left: Pattern, right: Pattern, dialect: expression_text.Dialect) -> Lines:
    """Return the lines of the right side of a join, to put after the elements of the left side."""
    match right:
        case algebra.Bgp() if _ends_in_triples(left):
            return in_braces("", _element(right, dialect))
        case algebra.Join() | algebra.LeftJoin() | algebra.Minus() | algebra.Extend() | algebra.Filter():
            return in_braces("", write_group(right, dialect))
        case _:
            return _element(right, dialect)


def _ends_in_triples(pattern: Pattern) -> bool:
    """Return whether a pattern ends with triples, which the reader would merge with triples after it."""
    match pattern:
        case algebra.Bgp(triples):
            return bool(triples)
        case algebra.Join(left, algebra.Bgp(triples)):
            return bool(triples) and not _ends_in_triples(left)
        case _:
            return False


def _element(
    pattern: algebra.Bgp
    | algebra.PathPattern
    | algebra.StreamBlock
    | algebra.Union
    | algebra.Graph
    | algebra.Service
    | algebra.Values
    | algebra.Group
    | algebra.Select,
    dialect: expression_text.Dialect,
) -> Lines:
    match pattern:
        case algebra.Bgp(triples):
            return write_triples(triples, dialect)
        case algebra.PathPattern(subject, path, object_):
            walked = expression_text.write_path(path, dialect)
            return [f"{dialect.term(subject)} {walked} {dialect.term(object_)} ."]
        case algebra.StreamBlock(_, _, inner, _, graph):
            within = _element(inner, dialect)
            if graph is not None:
                within = in_braces(f"GRAPH {dialect.name(graph)}", within)
                if dialect.language is not Language.RSPQL:
                    raise dialect.cannot(f"GRAPH {graph} of a window", "its streams have no named graphs")
            return in_braces(dialect.block(pattern), within)
        case algebra.Union(left, right):
            return _union(left, right, dialect)
        case algebra.Graph(name, inner):
            return in_braces(f"GRAPH {dialect.name(name)}", write_group(inner, dialect))
        case algebra.Service(name, inner, silent):
            head = f"SERVICE {'SILENT ' if silent else ''}{dialect.name(name)}"
            return in_braces(head, write_group(inner, dialect))
        case algebra.Values():
            dialect.values_inside()
            return write_values("VALUES", pattern, dialect)
        case algebra.Select():
            return in_braces("", _subquery(pattern, dialect))
        case algebra.Group():
            raise dialect.cannot("aggregates outside of SELECT", "the groups of GROUP BY are a query's own")
        case _:
            assert_never(pattern)


def write_triples(triples: Iterable[algebra.TriplePattern], dialect: expression_text.Dialect) -> Lines:
    """Return the lines of triple patterns in order; adjacent patterns may share their subject."""
    lines: Lines = []
    for subject, shared in groupby(triples, lambda triple: triple.subject):
        pairs = [
            f"{dialect.predicate(pattern.predicate)} {dialect.term(pattern.object)}" for pattern in shared
        ]
        ends = [";"] * (len(pairs) - 1) + ["."]
        rows = [f"{pair} {end}" for pair, end in zip(pairs, ends, strict=True)]
        lines += [f"{dialect.term(subject)} {rows[0]}", *(f"  {row}" for row in rows[1:])]
    return lines


def _union(left: Pattern, right: Pattern, dialect: expression_text.Dialect) -> Lines:
    # UNION associates to the left, so a union on the left needs no braces.
    if isinstance(left, algebra.Union):
        before = _element(left, dialect)
    else:
        before = in_braces("", write_group(left, dialect))
    first, *rest = in_braces("", write_group(right, dialect))
    return [*before[:-1], f"{before[-1]} UNION {first}", *rest]


def write_values(word: str, values: algebra.Values, dialect: expression_text.Dialect) -> Lines:
    """Return the lines of a table after the keyword `word`, which is VALUES or BINDINGS."""
    names = " ".join(map(dialect.variable, values.names))
    head = f"{word} ({names})" if word == "VALUES" else f"{word} {names}"
    rows = (" ".join("UNDEF" if term is None else dialect.term(term) for term in row) for row in values.rows)
    return in_braces(head, [f"({row})" for row in rows])


def _subquery(select: algebra.Select, dialect: expression_text.Dialect) -> Lines:
    level = take_apart(select.pattern, select.result, select.modifiers, dialect)
    if level.table is not None:
        dialect.values_inside()
    clauses = clauses_of(level, dialect)
    words = "SELECT", select.modifiers.duplicates, clauses.items(select.pattern, select.result)
    return [" ".join(filter(None, words)), *clauses.body(select.modifiers, "")]


@dataclass(frozen=True, slots=True)
class Clauses:
    """The writer of the clauses around a WHERE pattern; its keys and aggregates are already texts.

    The field `named` contains the aggregates that SELECT defines with AS, and `inline` the other aggregates.
    """

    level: Level
    dialect: expression_text.Dialect
    keys: tuple[str, ...]
    named: expression_text.Inline
    inline: expression_text.Inline

    def items(self, pattern: Pattern, result: tuple[Variable, ...]) -> str:
        """Return the text after SELECT: each variable, with its expression if it has one.

        An empty result is written as *, which is possible if each variable is a blank node.
        """
        if not result and not variables(pattern) <= self.dialect.blanks:
            accepted = "SELECT names one variable at least"
            raise self.dialect.cannot("a query without result variables", accepted)
        expressions = {item.variable: self._expression(item) for item in self.level.items}
        # An item with an internal variable ?z for SAMPLE(?y) is that sample: (?z AS ?y) would be invalid.
        for item in self.level.items:
            sample = self.named.get(item.expression, "") if isinstance(item.expression, Variable) else ""
            if sample == f"SAMPLE({self.dialect.variable(item.variable)})":
                expressions[item.variable] = sample
        texts = []
        for variable in result:
            text = expressions.get(variable, self.named.get(variable))
            name = self.dialect.variable(variable)
            # The reader takes a variable in SELECT that is no key for a sample.
            plain = text is None or text == f"SAMPLE({name})"
            texts.append(name if plain else f"({text} AS {name})")
        return " ".join(texts) or "*"

    def body(self, modifiers: algebra.Modifiers, operator: str) -> Lines:
        """Return the text of WHERE and of the clauses after WHERE; an `operator` is behind the pattern."""
        table = self.level.table
        word = "BINDINGS" if self.dialect.language is Language.CQELS else "VALUES"
        return [
            *in_braces("WHERE", write_group(self.level.where, self.dialect)),
            *filter(None, (operator,)),
            *self._grouping(),
            *self._ordering(modifiers),
            *([] if modifiers.limit is None else [f"LIMIT {modifiers.limit}"]),
            *([f"OFFSET {modifiers.offset}"] if modifiers.offset else []),
            *([] if table is None else write_values(word, table, self.dialect)),
        ]

    def _expression(self, extend: algebra.Extend) -> str:
        inline = {**self.inline, **write_exists(extend.exists, self.dialect)}
        return expression_text.write_expression(extend.expression, self.dialect, inline)

    def _grouping(self) -> Lines:
        lines = [f"GROUP BY {' '.join(self.keys)}"] if self.keys else []
        if (having := self.level.having) is not None:
            inline = {**self.named, **self.inline, **write_exists(having.exists, self.dialect)}
            lines.append(f"HAVING {expression_text.write_operand(having.condition, self.dialect, inline)}")
        return lines

    def _ordering(self, modifiers: algebra.Modifiers) -> Lines:
        texts = {order.variable: self._expression(order) for order in self.level.orders}
        shown = []
        for order in modifiers.order:
            text = texts.get(order.variable, self.inline.get(order.variable))
            if text is None:
                text = self.dialect.variable(order.variable)
                shown.append(f"DESC({text})" if order.descending else text)
            else:
                shown.append(f"{'DESC' if order.descending else 'ASC'}({text})")
        return [f"ORDER BY {' '.join(shown)}"] if shown else []


def clauses_of(level: Level, dialect: expression_text.Dialect) -> Clauses:
    """Return the writer of a query's clauses, with the texts of its keys and aggregates."""
    arguments = {extend.variable: _text(extend, dialect) for extend in level.arguments}
    keys = _keys(level, dialect)
    texts = {
        name: expression_text.write_aggregation(aggregation, dialect, arguments)
        for name, aggregation in level.aggregates
    }
    named = {name: text for name, text in texts.items() if name in level.selected}
    inline = {name: text for name, text in texts.items() if name not in level.selected}
    return Clauses(level, dialect, keys, named, inline)


def _keys(level: Level, dialect: expression_text.Dialect) -> tuple[str, ...]:
    texts = {}
    for extend in level.computed:
        text = _text(extend, dialect)
        unnamed = _KEY.fullmatch(extend.variable.name)
        name = "" if unnamed else f" AS {dialect.variable(extend.variable)}"
        texts[extend.variable] = f"({text}{name})"
    return tuple(texts.get(key) or dialect.variable(key) for key in level.keys)


def _text(extend: algebra.Extend, dialect: expression_text.Dialect) -> str:
    return expression_text.write_expression(extend.expression, dialect, write_exists(extend.exists, dialect))
