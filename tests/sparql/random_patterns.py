"""Random groups: all parts of patterns, with joins that hit."""

from contextlib import suppress
from functools import partial

from tests.sparql import data
from tests.sparql.functions import Scope, evaluate, truth
from tests.sparql.random_expressions import HIDDEN_POOL, Expressions
from tests.sparql.scope import in_scope
from tests.sparql.syntax import (
    Alternative,
    Bind,
    Blank,
    Filter,
    Group,
    InGraph,
    Inverse,
    Minus,
    Negated,
    Optional,
    Repeated,
    Sequence,
    Step,
    Triples,
    Union,
    Values,
    Var,
)
from tests.sparql.values import Error, UndeterminedError

PARTS = (
    ("triples", 6), ("optional", 7), ("filter", 6), ("union", 3), ("minus", 4), ("nested", 2), ("bind", 3),
    ("values", 2), ("graph", 4), ("subquery", 3),
)  # fmt: skip
KINDS, WEIGHTS = zip(*PARTS, strict=True)


class Patterns(Expressions):
    """Makes groups over a dataset; `graph` is the graph that is active, `within` whether in EXISTS.

    `witness` is a solution that most parts are made to have, so that many queries have an answer.
    """

    def __init__(self, rng, dataset):
        super().__init__(rng)
        self.dataset = dataset
        self.graph = sorted(dataset.default, key=repr)
        self.within = False

    def group(self, depth, least=1):
        """Return a group of triples and, with some depth left, other parts."""
        parts = [] if self.chance(0.07) else [self.triples()]
        count = (
            self.rng.randint(least, 2 + (depth > 1 and self.chance(0.5)))
            if depth
            else self.rng.choice((0, 0, 0, 1))
        )
        for kind in self.rng.choices(KINDS, WEIGHTS, k=count):
            if depth or kind in ("filter", "bind", "values", "triples"):
                parts += self.part(kind, depth, in_scope(Group(tuple(parts))))
        return Group(tuple(parts))

    def part(self, kind, depth, names):
        match kind:
            case "triples":
                return [self.triples()]
            case "optional":
                return [Optional(self.group(depth - 1))]
            case "filter":
                return [Filter(self.likely(names, min(depth, 2)))]
            case "union":
                return [Union(tuple(self.group(depth - 1, 0) for _ in range(self.rng.choice((2, 2, 3)))))]
            case "minus":
                return [Minus(self.group(depth - 1, 0))]
            case "nested":
                return [self.group(depth - 1)]
            case "bind":
                return self.bind(names)
            case "values":
                return [self.values()]
            case "graph":
                return [self.in_graph(partial(self.group, depth - 1, 0))]
            case _:
                return [self.apart(depth) if self.within else self.subquery(depth - 1)]

    def likely(self, names, depth):
        """Return a condition, mostly one that is true of the witness."""
        scope = Scope({name: self.witness[name] for name in names if name in self.witness}, self.coin)
        for _ in range(3):
            condition = self.condition(names, depth)
            with suppress(UndeterminedError):
                if truth(condition, scope) or self.chance(0.3):
                    break
        return condition

    def coin(self, *_):
        """Return what EXISTS may be."""
        return self.chance(0.5)

    def subquery(self, depth):
        raise NotImplementedError

    def apart(self, depth):
        """Return a subquery with names of its own: inside EXISTS none may be substituted."""
        before, self.pool, self.witness = (self.pool, self.witness), HIDDEN_POOL, {}
        try:
            return self.subquery(depth - 1)
        finally:
            self.pool, self.witness = before

    def inner_group(self):
        before, self.within = self.within, True
        try:
            return self.group(self.rng.choice((0, 0, 1)))
        finally:
            self.within = before

    def bind(self, names):
        free = [] if self.within else [name for name in self.pool if name not in names]
        name = self.rng.choice(free) if free and self.chance(0.6) else self.new_name("n")
        expression = self.operand(names, 2) if self.chance(0.85) else self.condition(names)
        with suppress(Error, UndeterminedError):
            self.witness[name] = evaluate(expression, Scope(self.witness, lambda *_: True))
        return [Bind(expression, Var(name))]

    def values(self):
        pool = HIDDEN_POOL if self.within else self.pool
        names = self.rng.sample(pool, self.rng.choice((1, 1, 2)))
        cells = [
            *{term for triple in self.graph for term in triple if not isinstance(term, Blank)},
            data.ABSENT,
        ]
        cells.sort(key=repr)
        rows = [tuple(self.cell(cells) for _ in names) for _ in range(self.rng.choice((0, 1, 1, 1, 2, 2)))]
        likely = [self.witness.get(name) for name in names]
        if self.chance(0.75) and not any(isinstance(term, Blank) for term in likely):
            rows.append(tuple(likely))
        return Values(tuple(map(Var, names)), tuple(rows))

    def cell(self, cells):
        return None if self.chance(0.2) else self.rng.choice(cells)

    def in_graph(self, group):
        """Return GRAPH of a graph that mostly exists, whose triples the group is then made to match."""
        graphs = sorted(self.dataset.named, key=repr) if self.chance(0.9) else []
        chosen = self.rng.choice(graphs or data.GRAPHS)
        name = self.variable_for(chosen, ("g", *self.pool)) if self.chance(0.6) else chosen
        before, self.graph = self.graph, sorted(self.dataset.named.get(chosen, ()), key=repr) or self.graph
        try:
            return InGraph(name, group())
        finally:
            self.graph = before

    def triples(self):
        """Return one to three triple patterns, each mostly made from a triple that is there."""
        label = self.new_name("b")
        return Triples(tuple(self.step(label) for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3)))))

    def step(self, label):
        s, p, o = self.rng.choice(self.graph)
        subject, thing = self.end(s, 0.75, label), self.end(o, 0.7, label)
        if self.chance(0.2):
            return Step(self.path_end(subject), self.path(2, p), self.path_end(thing))
        return Step(subject, self.variable_for(p) if self.chance(0.12) else p, thing)

    def end(self, term, share, label):
        """Return a variable, a blank node of this basic graph pattern, or the term itself."""
        if self.chance(0.06):
            return Blank(label)
        if self.chance(share) or isinstance(term, Blank):
            return self.variable_for(term)
        return term

    def variable_for(self, term, pool=None):
        """Return a variable whose value in the witness is the term, if one can be."""
        pool = pool or self.pool
        free = [name for name in pool if self.witness.get(name, term) == term]
        taken = [name for name in free if name in self.witness]
        if not free or self.chance(0.1):
            return Var(self.rng.choice(pool))
        name = self.rng.choice(taken if taken and self.chance(0.8) else free)
        self.witness[name] = term
        return Var(name)

    def path_end(self, term):
        if isinstance(term, Var) or not self.chance(0.25):
            return term
        return self.rng.choice((data.ABSENT, *data.NODES[:4]))

    def path(self, depth, likely):
        draw = self.rng.random() if depth else 0.0
        if draw < 0.15:
            return likely if self.chance(0.6) else self.rng.choice(data.PROPERTIES)
        if draw < 0.55:
            return Repeated(self.path(depth - 1, likely), self.rng.choice("*+?"))
        if draw < 0.7:
            return Sequence(self.path(depth - 1, likely), self.path(depth - 1, likely))
        if draw < 0.8:
            return Alternative(self.path(depth - 1, likely), self.path(depth - 1, likely))
        return Inverse(self.path(depth - 1, likely)) if draw < 0.88 else self.negated()

    def negated(self):
        forward = tuple(self.rng.sample(data.PROPERTIES, self.rng.choice((0, 1, 1, 2))))
        backward = tuple(self.rng.sample(data.PROPERTIES, self.rng.choice((0, 0, 1))))
        return Negated(forward, backward) if forward or backward else Negated((data.PROPERTIES[0],))
