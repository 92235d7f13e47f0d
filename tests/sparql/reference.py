"""A third judge: SPARQL 1.1, Section 18, evaluated as it is written, slowly, over the syntax trees.

Multisets of solutions are lists of dicts from names to terms; the operators are those of 18.5, the
translation of groups is 18.2.2.6, EXISTS substitutes (18.6). It shares no code with the project nor
with an RDF library. Where SPARQL leaves the result open it raises UndeterminedError.
"""

from dataclasses import dataclass, replace
from typing import Any, assert_never

from tests.sparql.aggregates import aggregated
from tests.sparql.functions import Scope, evaluate, truth
from tests.sparql.paths import solutions as path_solutions
from tests.sparql.scope import shown, walk
from tests.sparql.slicing import arranged
from tests.sparql.substitution import substitute
from tests.sparql.syntax import (
    Aggregate,
    Bind,
    Blank,
    Dataset,
    Filter,
    Group,
    InGraph,
    Iri,
    Literal,
    Minus,
    Optional,
    Query,
    Select,
    Triples,
    Union,
    Values,
    Var,
)
from tests.sparql.values import Error, UndeterminedError

LARGEST = 3000
"""More solutions than that in a multiset are too many to decide a case."""


@dataclass(frozen=True, slots=True)
class Active:
    """D(G): the dataset and its active graph."""

    dataset: Dataset
    graph: Any

    def exists(self, group, solution):
        return bool(self.group(substitute(group, solution)))

    def truth(self, condition, solution):
        return truth(condition, Scope(solution, self.exists)) is True

    def value(self, expression, solution):
        """Return a dict of the expression's value under "", empty when it is an error."""
        try:
            return {"": evaluate(expression, Scope(solution, self.exists))}
        except Error:
            return {}

    def group(self, group):
        """Return the solutions of a group: its parts in order, then its filters."""
        found = [{}]
        for part in group.parts:
            found = bounded(self.extended(found, part))
        filters = [part.condition for part in group.parts if isinstance(part, Filter)]
        return [one for one in found if all(self.truth(condition, one) for condition in filters)]

    def extended(self, found, part):
        match part:
            case Filter():
                return found
            case Optional(group):
                return self.left_join(found, group)
            case Minus(group):
                return minus(found, self.group(group))
            case Bind(expression, variable):
                return [extend(one, variable.name, self.value(expression, one)) for one in found]
            case Triples(steps):
                return self.matched(found, steps)
            case _:
                return join(found, self.part(part))

    def part(self, part):
        match part:
            case Group():
                return self.group(part)
            case Union(groups):
                return [one for group in groups for one in self.group(group)]
            case Values(names, rows):
                table = [zip(names, row, strict=True) for row in rows]
                return [{name.name: term for name, term in row if term is not None} for row in table]
            case InGraph(name, group):
                return self.in_graph(name, group)
            case Select():
                return self.select(part).rows
            case _:
                assert_never(part)

    def left_join(self, left, group):
        """Return LeftJoin(left, P, F), F being the filters at the top of the group (18.2.2.6)."""
        rest = Group(tuple(part for part in group.parts if not isinstance(part, Filter)))
        filters = [part.condition for part in group.parts if isinstance(part, Filter)]
        right, found = self.group(rest), []
        for one in left:
            merged = (one | other for other in right if compatible(one, other))
            kept = [both for both in merged if all(self.truth(condition, both) for condition in filters)]
            found += kept or [one]
        return found

    def in_graph(self, name, group):
        if isinstance(name, Iri):
            named = self.dataset.named
            return replace(self, graph=named[name]).group(group) if name in named else []
        if not isinstance(name, Var):
            return []
        found = []
        for iri, graph in self.dataset.named.items():
            found += join([{name.name: iri}], replace(self, graph=graph).group(group))
        return found

    def matched(self, found, steps):
        """Join solutions with triple patterns, in turn; blank nodes of the pattern are hidden names."""
        for written in steps:
            step = replace(written, subject=hidden(written.subject), object=hidden(written.object))
            if isinstance(step.verb, Var | Blank | Literal):  # substituted, or a variable
                new = (matching(step, triple) for triple in self.graph)
                right = [one for one in new if one is not None]
            else:
                right = list(path_solutions(step.subject, step.verb, step.object, self.graph))
            found = bounded(join(found, right))
        return found

    def select(self, select):
        """Return the solutions of a SELECT: 18.2.4 and 18.2.5."""
        found = self.group(select.where)
        table = [{}] if select.values is None else self.part(select.values)
        if grouped(select):
            found = aggregated(select, found, self.exists, lambda one: join([one], table))
        else:
            found = bounded(join(found, table))
            for item in select.items:
                if item.expression is not None:
                    found = [
                        extend(one, item.variable.name, self.value(item.expression, one)) for one in found
                    ]
        return arranged(select, shown(select), found, self.value)


def bounded(found):
    if len(found) > LARGEST:
        raise UndeterminedError
    return found


def grouped(select):
    """Whether the query groups: by GROUP BY, HAVING or an aggregate, its own and no subquery's."""
    listed = (select.having, tuple(item.expression for item in select.items))
    return bool(select.keys) or any(isinstance(node, Aggregate) for node in walk(listed, into_exists=False))


def hidden(term):
    return Var(f"_:{term.label}") if isinstance(term, Blank) and not term.label.startswith("d") else term


def matching(step, triple):
    found = {}
    for term, node in zip((step.subject, step.verb, step.object), triple, strict=True):
        if isinstance(term, Var):
            if found.setdefault(term.name, node) != node:
                return None
        elif term != node:
            return None
    return found


def compatible(one, other):
    return all(other[name] == term for name, term in one.items() if name in other)


def join(left, right):
    return [one | other for one in left for other in right if compatible(one, other)]


def minus(left, right):
    """Return left without what agrees with a solution of the right in a shared variable."""
    return [
        one
        for one in left
        if not any(compatible(one, other) and one.keys() & other.keys() for other in right)
    ]


def extend(solution, name, value):
    if name in solution:
        raise UndeterminedError
    return solution | ({name: value[""]} if value else {})


def answer(query: Query, dataset: Dataset):
    """Return what the query says of the dataset: a bool, Ordered rows, or the template's triples."""
    active = Active(dataset, dataset.default)
    if query.form == "ASK":
        return bool(active.select(query.select).rows)
    if query.form == "CONSTRUCT":
        return frozenset(constructed(query.template, active.select(query.select).rows))
    return active.select(query.select)


def constructed(template, rows):
    """Yield the triples of the template under each solution (16.2); its blank nodes are new in each."""
    for number, row in enumerate(rows):
        for step in template:
            triple = tuple(filled(term, row, number) for term in (step.subject, step.verb, step.object))
            if isinstance(triple[0], Iri | Blank) and isinstance(triple[1], Iri) and triple[2] is not None:
                yield triple


def filled(term, row, number):
    match term:
        case Var(name):
            return row.get(name)
        case Blank(label):
            return Blank(f"new{number}{label}")
        case _:
            return term
