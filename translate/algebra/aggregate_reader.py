"""The aggregates of one level of a query (SPARQL 1.1, Sections 11 and 18.2.4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lars.language.formulas import Aggregation, Call, Expression
from lars.language.terms import Literal, Variable
from translate.algebra.expression_reader import aggregate_name, is_aggregate, is_tree, unwrap
from translate.algebra.groups import Groups, ReadExpression
from translate.model.patterns import Extend, Group, Pattern
from translate.sparql import StreamClause


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

    def read(self, node: Any, name: Variable | None = None) -> Variable:
        """Return the variable of an aggregate in the text, `name` where the aggregate is new."""
        leaves = self.groups.scope.leaves
        found: ReadExpression | None = None
        if is_tree(inner := unwrap(node.vars)) or not leaves.is_word(inner, "*"):
            found = self.groups.expression(inner, self.stream)
        separator = leaves.term(node.separator) if node.separator else Literal(" ")
        assert isinstance(separator, Literal)
        argument = None if found is None else found[0]
        key = _Aggregate(aggregate_name(node), argument, bool(node.distinct), separator.lexical)
        return self._named(key, found, name)

    def expression(self, node: Any) -> ReadExpression:
        """Return an expression with the variables of its aggregates."""
        return self.groups.expression(node, self.stream, self.read)

    def _named(self, key: _Aggregate, found: ReadExpression | None, name: Variable | None = None) -> Variable:
        if key not in self.variables:
            self.variables[key] = name or self.groups.scope.fresh("a")
            if found is not None and not is_variable(found):
                self.arguments[key] = self.groups.scope.fresh("x"), found
        return self.variables[key]

    def behind_groups(
        self, found: ReadExpression, aliases: Mapping[Variable, ReadExpression], *, grouped: bool
    ) -> ReadExpression:
        """Return an expression as it is seen behind the groups; `aliases` are replaced.

        A variable that is no key is a sample of its group (18.2.4.1).
        """
        expression, exists = found
        apart = {one.variable for one in exists} | {*self.keys, *self.variables.values()}
        used = list(exists)

        def replaced(inner: Expression) -> Expression:
            match inner:
                case Call(function, arguments):
                    return Call(function, tuple(map(replaced, arguments)))
                case Variable() if inner in aliases and inner not in apart:
                    used.extend(one for one in aliases[inner][1] if one not in used)
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
        return self._named(_Aggregate("SAMPLE", variable), (variable, ()))

    def group(self, pattern: Pattern, everything: tuple[Variable, ...]) -> Group:
        """Return the groups of a pattern; COUNT(DISTINCT *) counts what `everything` is bound to."""
        for name, found in self.arguments.values():
            pattern = Extend(pattern, name, *found)
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


def is_variable(found: ReadExpression) -> bool:
    """Whether an expression is a variable of the solutions, not the value of an EXISTS."""
    return isinstance(found[0], Variable) and not found[1]


def is_apart(node: Any) -> bool:
    """Whether variables in a tree are others than those of the expression around it."""
    return is_aggregate(node) or node.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS")


def has_aggregate(node: Any) -> bool:
    """Whether an aggregate stands in a tree, outside of EXISTS."""
    if is_tree(node):
        return is_aggregate(node) or (not is_apart(node) and any(map(has_aggregate, node.values())))
    return not isinstance(node, str) and hasattr(node, "__iter__") and any(map(has_aggregate, node))
