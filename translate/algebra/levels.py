"""One level of a query: grouping, SELECT, solution modifiers (SPARQL 1.1, Section 18.2.4)."""

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from lars.language.formulas import OrderKey
from lars.language.terms import Variable
from translate.algebra.aggregate_reader import Aggregates, has_aggregate, is_variable
from translate.algebra.expression_reader import is_aggregate, is_tree, unwrap
from translate.algebra.groups import Groups, ReadExpression, conjunction, join
from translate.model.patterns import EMPTY, Duplicates, Extend, Filter, Modifiers, Pattern, Select, variables
from translate.sparql import StreamClause


@dataclass(frozen=True, slots=True)
class Solutions:
    """What one level of a query returns: its pattern, the variables of SELECT, the modifiers."""

    pattern: Pattern
    result: tuple[Variable, ...]
    modifiers: Modifiers


def read_subquery(groups: Groups, node: Any, stream: StreamClause | None) -> Pattern:
    """Return a SELECT inside a group."""
    solutions = read_level(groups, node, stream)
    return Select(solutions.pattern, solutions.result, solutions.modifiers)


def read_level(groups: Groups, tree: Any, stream: StreamClause | None = None) -> Solutions:
    """Return the solutions of a query or subquery; its parts are read in the order of the text."""
    clauses = (tree.projection, tree.having, tree.orderby)
    grouped = bool(tree.groupby) or any(map(has_aggregate, clauses))
    selects = tree.name in ("SelectQuery", "SubSelect")
    return _Level(groups, tree, stream, grouped, selects, Aggregates(groups, stream)).read()


@dataclass(frozen=True, slots=True)
class _Item:
    """(expression AS variable) of SELECT; the leaf is the variable."""

    leaf: Any
    found: ReadExpression


@dataclass(frozen=True, slots=True)
class _Level:
    """The reading of one level: whether it groups its solutions, whether it is a SELECT."""

    groups: Groups
    tree: Any
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
            if item.found[0] != variable:  # else the group binds it
                pattern = Extend(pattern, variable, *item.found)
        for key, found in order:
            if found is not None:
                pattern = Extend(pattern, key.variable, *found)
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

    def _selected(self, node: Any, variable: Variable) -> ReadExpression:
        inner = unwrap(node)
        if is_aggregate(inner):
            return self.aggregates.read(inner, variable), ()
        return self.aggregates.expression(node)

    def _extended_by_keys(self, pattern: Pattern) -> Pattern:
        scope, keys = self.groups.scope, self.aggregates.keys
        for node in self.tree.groupby.condition if self.tree.groupby else ():
            named = is_tree(node) and node.name == "GroupAs"
            found = self.groups.expression(node.expr if named else node, self.stream)
            alias = node.var if named else None
            if alias is None and isinstance(found[0], Variable) and is_variable(found):
                keys.append(found[0])
                continue
            bound = variables(pattern).union(keys)
            keys.append(scope.fresh("k") if alias is None else scope.check_new(alias, bound))
            pattern = Extend(pattern, keys[-1], *found)
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
                found = self.aggregates.behind_groups(item.found, before, grouped=True)
                self.items[variable] = replace(item, found=found)
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
            aliases[name] = self.aggregates.behind_groups(item.found, aliases, grouped=False)
        conditions = [self.aggregates.expression(node) for node in self.tree.having.condition]
        seen = [self.aggregates.behind_groups(found, aliases, grouped=self.grouped) for found in conditions]
        return reduce(conjunction, seen)

    def _order(self) -> list[tuple[OrderKey, ReadExpression | None]]:
        """Return the keys of ORDER BY, each with the expression that it stands for unless it is one."""
        aliases: dict[Variable, ReadExpression] = {name: (name, ()) for name in self.items}
        order: list[tuple[OrderKey, ReadExpression | None]] = []
        for node in self.tree.orderby.condition if self.tree.orderby else ():
            found = self.aggregates.expression(node.expr)
            found = self.aggregates.behind_groups(found, aliases, grouped=self.grouped)
            descending = node.order is not None and str(node.order).upper() == "DESC"
            if isinstance(found[0], Variable) and is_variable(found):
                order.append((OrderKey(found[0], descending), None))
            else:
                order.append((OrderKey(self.groups.scope.fresh("o"), descending), found))
        return order

    def _modifiers(self, order: tuple[OrderKey, ...]) -> Modifiers:
        duplicates = Duplicates[self.tree.modifier] if self.tree.modifier else Duplicates.KEPT
        part = self.tree.limitoffset
        limit = int(str(part.limit)) if part and part.limit is not None else None
        offset = int(str(part.offset)) if part and part.offset is not None else 0
        return Modifiers(duplicates, order, offset, limit)
