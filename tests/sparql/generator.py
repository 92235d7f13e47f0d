"""Random queries with random data: the same case for the same seed, always valid SPARQL 1.1."""

from functools import partial
from random import Random

from tests.sparql import data
from tests.sparql.random_patterns import Patterns
from tests.sparql.scope import in_scope, occurring
from tests.sparql.syntax import (
    Aggregate,
    Blank,
    Case,
    Group,
    Iri,
    Item,
    Key,
    Literal,
    Op,
    Query,
    Select,
    Step,
    Var,
)
from tests.sparql.values import INTEGER

FUNCTIONS = ("COUNT", "COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")


class Queries(Patterns):
    """Makes queries and subqueries.

    `nests` is how often a subquery is the whole WHERE; inside of it half as often, and so on. Then
    the outer queries name what the inner ones hide.
    """

    def __init__(self, rng, dataset, nests=0.0):
        super().__init__(rng, dataset)
        self.nests = nests

    def query(self):
        form = self.rng.choices(("SELECT", "ASK", "CONSTRUCT"), (8, 1, 1))[0]
        depth = self.rng.choice((1, 1, 2, 2))
        if form == "SELECT":
            return Query(form, self.select(depth, nested=False))
        where = self.where(depth)
        if form == "ASK":
            return Query(form, Select(where))
        return Query(form, Select(where), self.template([*in_scope(where), *self.hidden(where)] or self.pool))

    def where(self, depth, least=1):
        """Return the group of a SELECT, of which a subquery can be all, in a GRAPH or in braces too."""
        if not self.nests or not self.chance(self.nests):
            return self.group(depth, least)
        before, self.nests = self.nests, self.nests / 2
        inner = partial(self.alone, depth)
        try:
            made = self.rng.choice((inner, lambda: self.in_graph(inner), lambda: Group((inner(),))))()
        finally:
            self.nests = before
        return made if isinstance(made, Group) else Group((made,))

    def alone(self, depth):
        return Group((self.subquery(depth - 1),))

    def hidden(self, where):
        """Return names of which the group has variables that it does not show."""
        return sorted(occurring(where) - in_scope(where).keys()) if self.nests else []

    def template(self, names):
        return tuple(self.template_step(names) for _ in range(self.rng.choice((1, 2))))

    def template_step(self, names):
        def end():
            draw = self.rng.random()
            return Blank(self.rng.choice("no")) if draw < 0.25 else self.constant() if draw < 0.4 else None

        subject, thing = end(), end()
        if not isinstance(subject, Iri | Blank):
            subject = Var(self.rng.choice(names))
        verb = Var(self.rng.choice(names)) if self.chance(0.2) else self.rng.choice(data.PROPERTIES)
        return Step(subject, verb, thing or Var(self.rng.choice(names)))

    def subquery(self, depth):
        return self.select(max(depth, 0), nested=True)

    def select(self, depth, *, nested):
        where = self.where(depth, 0 if nested else 1)
        values = self.values() if self.chance(0.05) and not nested else None
        names = list(in_scope(where) | ({} if values is None else in_scope(values)))
        hidden = [name for name in self.hidden(where) if name not in names]
        if self.chance(0.3 if nested else 0.22):
            return self.grouped(where, values, [*names, *hidden], nested=nested)
        duplicates = self.rng.choices(("", "DISTINCT", "REDUCED"), (6, 3, 1))[0]
        items = self.items(names, hidden)
        shown = [item.variable for item in items] or list(map(Var, names))
        sortable = shown if duplicates == "DISTINCT" else [*shown, *map(Var, (*names, *hidden))]
        return Select(
            where, items, duplicates, values=values, **self.slice(sortable, nested=nested, among=shown)
        )

    def items(self, names, hidden):
        """Return what SELECT lists; empty is *."""
        if self.chance(0.2) and names:
            return ()
        names = [*names, *hidden]
        listed = [
            Item(Var(name))
            for name in self.rng.sample(names, self.rng.randint(min(1, len(names)), len(names)))
        ]
        if self.chance(0.2):
            expression = self.operand(names, 2) if self.chance(0.8) else self.condition(names)
            listed.append(Item(Var(self.target(names, listed)), expression))
        return tuple(listed or [Item(Var(self.rng.choice(self.pool)))])

    def target(self, names, listed):
        """Return a name that is in use nowhere in this query, at times one of the outer query's."""
        used = {*names, *(item.variable.name for item in listed)}
        free = [name for name in self.pool if name not in used]
        return self.rng.choice(free) if free and self.chance(0.5) else self.new_name("s")

    def slice(self, sortable, *, nested, among):
        if not sortable or not self.chance(0.3):
            return {}
        keys = [
            Key(one, self.chance(0.4))
            for one in self.rng.sample(sortable, self.rng.randint(1, len(sortable)))
        ]
        keys += [Key(one) for one in among if all(key.expression != one for key in keys)]
        limit = self.rng.choice((0, 1, 1, 2, 2, 3)) if nested or self.chance(0.5) else None
        return {"order": tuple(keys), "limit": limit, "offset": self.rng.choice((0, 0, 1))}

    def grouped(self, where, values, names, *, nested):
        keys = self.keys(names)
        items = [Item(key.variable) for key in keys if key.variable is not None and self.chance(0.85)]
        for _ in range(self.rng.choice((1, 1, 2))):
            used = [*names, *(key.variable.name for key in keys if key.variable is not None)]
            items.append(Item(Var(self.target(used, items)), self.computed(names, nested=nested)))
        having = (self.having(names),) if self.chance(0.2) else ()
        return Select(where, tuple(items), keys=keys, having=having, values=values)

    def keys(self, names):
        keys = [
            Item(Var(name)) for name in self.rng.sample(names, min(len(names), self.rng.choice((0, 1, 1, 2))))
        ]
        if self.chance(0.15):
            name = Var(self.new_name("t")) if self.chance(0.7) else None
            keys.append(Item(name, self.operand(names, 1)))
            if isinstance(keys[-1].expression, Var | Iri | Literal):
                keys[-1] = Item(name, Op("STRLEN", (Op("STR", (keys[-1].expression,)),)))
        return tuple(keys)

    def aggregate(self, names, functions=FUNCTIONS):
        function = self.rng.choice(functions)
        distinct = self.chance(0.3)
        if function == "COUNT" and self.chance(0.35):
            return Aggregate(function, None, distinct)
        argument = self.any_variable(names) if self.chance(0.85) else self.operand(names)
        return Aggregate(
            function, argument, distinct, self.rng.choice((" ", "|")) if function == "GROUP_CONCAT" else " "
        )

    def computed(self, names, *, nested):
        if self.chance(0.2):
            return Op(
                self.rng.choice("+-*"),
                (self.aggregate(names, ("COUNT", "SUM", "MIN", "MAX")), Literal("2", INTEGER)),
            )
        return self.aggregate(names, FUNCTIONS[:-1] if nested else FUNCTIONS)

    def having(self, names):
        bound = Literal(str(self.rng.randint(0, 2)), INTEGER)
        return Op(
            self.rng.choice((">", ">=", "!=", "<=")), (self.aggregate(names, ("COUNT", "SUM", "MAX")), bound)
        )


def case(seed, nests=0.0) -> Case:
    """Return the case of a seed, any hashable text or number; `nests` is that of Queries."""
    rng = Random(f"case {seed}")
    dataset = data.dataset(rng)
    return Case(Queries(rng, dataset, nests).query(), dataset)
