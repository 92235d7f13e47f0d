"""Random queries over one to three windows, as syntax trees: little vocabulary, so that joins hit."""

from dataclasses import replace
from random import Random
from typing import NamedTuple

from tests.agreement.engines.specifications.operational import Window
from tests.sparql.generator import Queries
from tests.sparql.scope import in_scope, walk
from tests.sparql.syntax import (
    XSD,
    Aggregate,
    Blank,
    Dataset,
    E,
    Exists,
    Filter,
    Group,
    InGraph,
    Iri,
    Item,
    Literal,
    Minus,
    Op,
    Optional,
    Query,
    Select,
    Step,
    Triple,
    Triples,
    Union,
    Var,
)

STREAMS = (E + "s1", E + "s2")
NODES = tuple(Iri(E + name) for name in "abc")
P, Q, R, K = (Iri(E + name) for name in "pqrk")
GRAPH = Iri(E + "g")
NUMBERS = tuple(Literal(str(n), XSD + "integer") for n in (1, 2, 3))
KINDS = {
    "csparql": ("time", "time", "time", "time", "rows"),
    "sparqlstream": ("time", "time", "time", "time", "rows", "now"),
    "cqels": ("time", "time", "time", "time", "rows", "now", "all"),
    "rspql": ("time", "time", "time", "time", "time", "rows"),
}
MERGING = ("csparql", "sparqlstream")
VARIABLES = dict(zip((*NODES, *NUMBERS), map(Var, "xyznnm"), strict=True))
"""The variable that mostly stands for a term: patterns with it have a common solution."""


class Pool(NamedTuple):
    """The triples that a case is made of: those of streams, and static ones."""

    streamed: tuple[Triple, ...]
    static: tuple[Triple, ...]


def pool(rng: Random) -> Pool:
    streamed = tuple(triple(rng) for _ in range(rng.choice((2, 3, 3, 4, 5))))
    static = tuple((rng.choice(NODES), K, rng.choice(NODES)) for _ in range(2))
    return Pool(streamed, (*static, triple(rng)))


class Asked(NamedTuple):
    """A query and its windows as the text has them: a slide of 0 is none."""

    language: str
    query: Query
    windows: tuple[Window, ...]


def query(rng: Random, known: Pool) -> Asked:
    """Return a query in a random language; one in four that merge its windows holds any SPARQL."""
    language = rng.choice(tuple(KINDS))
    number = rng.choice((1, 1, 1, 1, 2, 2, 3))
    windows = tuple(dict.fromkeys(window(rng, language) for _ in range(number)))
    if language not in MERGING:
        merged = 0.15 if language == "rspql" else 0
        windows = tuple(
            one if rng.random() < merged else one._replace(name=Iri(f"{E}w{n}"))
            for n, one in enumerate(windows)
        )
        windows = tuple(sorted(windows, key=lambda one: one.name is not None))
    elif rng.random() < 0.25:
        return Asked(language, rich(rng, language, known), windows)
    return Asked(language, small(rng, known, windows), windows)


def window(rng: Random, language: str) -> Window:
    kind = rng.choice(KINDS[language])
    width = {"time": rng.randint(1, 8), "rows": rng.randint(1, 4)}.get(kind, 0)
    slide = rng.choice((0, 1, 1, 2, 2, 3, width, width + 1, width + 2)) if kind == "time" else 1
    if language == "csparql":
        slide = slide or width
    return Window(rng.choice(STREAMS), kind, width, slide)


def rich(rng: Random, language: str, known: Pool) -> Query:
    """Return a query with anything that SPARQL has, apart from what is not the same in each evaluation.

    That is new blank nodes, texts put together in any order, and averages of nothing in subqueries.
    """
    seen = frozenset((*known.streamed, *known.static))
    while True:
        found = Queries(rng, Dataset(seen, {GRAPH: seen})).query()
        functions = {one.function for one in walk(found) if isinstance(one, Aggregate)}
        own = {"GROUP_CONCAT"} if language == "csparql" else {"GROUP_CONCAT", "AVG"}
        blanks = any(isinstance(one, Blank) for one in walk(found.template))
        # The clauses of a stream are not recognised behind a pattern in SELECT.
        braces = any(isinstance(one, Exists) for one in walk(found.select.items))
        if not functions & own and not blanks and not braces:
            return found


def triple(rng: Random):
    predicate = rng.choice((P, P, Q, R))
    return rng.choice(NODES), predicate, rng.choice(NUMBERS if predicate == R else NODES)


def step(rng: Random, among: tuple[Triple, ...]) -> Step:
    """Return a triple with most of its nodes replaced by variables."""
    subject, predicate, thing = rng.choice(among)
    return Step(VARIABLES[subject], predicate, hidden(rng, thing))


def hidden(rng: Random, term):
    draw = rng.random()
    if draw < 0.1:
        return term
    return (
        VARIABLES[term]
        if draw < 0.85
        else rng.choice(list(VARIABLES.values())[: 6 if term in NUMBERS else 3])
    )


def atoms(rng: Random, known: Pool, windows) -> list:
    """Return patterns over each window, and maybe over static data."""
    found = []
    for one in windows:
        block = Triples(tuple(step(rng, known.streamed) for _ in range(rng.choice((1, 1, 2)))))
        found.append(block if one.name is None else InGraph(one.name, Group((block,))))
    if rng.random() < 0.3:
        still = Triples((step(rng, known.static),))
        static = InGraph(GRAPH, Group((still,))) if rng.random() < 0.25 else still
        found.insert(rng.randint(0, len(found)), static)
    return found


def small(rng: Random, known: Pool, windows) -> Query:
    first, *others = atoms(rng, known, windows)
    parts = [first]
    for one in others:
        parts = combined(rng, parts, one)
    names = list(in_scope(Group(tuple(parts))))
    if rng.random() < 0.2:
        parts.append(Filter(condition(rng, names)))
    return formed(rng, Group(tuple(parts)), names)


def combined(rng: Random, parts, one) -> list:
    """Return the parts with another one, by an operator of SPARQL."""
    group = Group((one,))
    match rng.choice(("join",) * 6 + ("optional", "optional", "union", "minus", "exists", "not exists")):
        case "join":
            return [*parts, one]
        case "optional":
            return [*parts, Optional(group)]
        case "union":
            return [Union((Group(tuple(parts)), group))]
        case "minus":
            return [*parts, Minus(group)]
        case word:
            return [*parts, Filter(Exists(group, negated=word == "not exists"))]


def condition(rng: Random, names):
    left = Var(rng.choice([*names, "n"]))
    right = rng.choice((*NUMBERS, *NODES, *map(Var, names)))
    return Op(rng.choice(("=", "!=", "<", ">=")), (left, right))


def formed(rng: Random, where: Group, names) -> Query:
    draw = rng.random()
    if draw < 0.1:
        return Query("ASK", Select(where))
    if draw < 0.25:
        made = tuple(Step(Var(rng.choice(names)), rng.choice((P, K)), Var(rng.choice(names))) for _ in "12")
        return Query("CONSTRUCT", Select(where), made[: rng.choice((1, 2))])
    if draw < 0.55:
        return Query("SELECT", grouped(rng, where, names))
    shown = rng.sample(names, rng.randint(1, len(names)))
    return Query(
        "SELECT", Select(where, tuple(Item(Var(name)) for name in shown), rng.choice(("", "DISTINCT")))
    )


def grouped(rng: Random, where: Group, names) -> Select:
    keys = tuple(Item(Var(name)) for name in rng.sample(names, rng.choice((0, 1, 1))))
    function = rng.choice(("COUNT", "COUNT", "SUM", "AVG", "AVG", "MIN", "MAX"))
    value = rng.choice([name for name in names if name in "nm"] or names)
    argument = None if function == "COUNT" and rng.random() < 0.5 else Var(value)
    total = Item(Var("t"), Aggregate(function, argument, distinct=rng.random() < 0.3))
    having = (Op(">", (Aggregate("COUNT", None), NUMBERS[0])),) if rng.random() < 0.2 else ()
    return Select(where, (*keys, total), keys=keys, having=having)


def meant(asked: Asked) -> Query:
    """Return the query in SPARQL 1.1: what languages say of aggregates over nothing is written out.

    The average of nothing is unbound in SPARQLstream; in CQELS such an aggregate has no row.
    """
    select = asked.query.select
    if asked.language == "sparqlstream":
        return replace(asked.query, select=replace(select, items=tuple(map(divided, select.items))))
    if (
        asked.language == "cqels"
        and not select.keys
        and any(isinstance(one.expression, Aggregate) for one in select.items)
    ):
        some = Op(">", (Aggregate("COUNT", None), Literal("0", XSD + "integer")))
        return replace(asked.query, select=replace(select, having=(*select.having, some)))
    return asked.query


def divided(item: Item) -> Item:
    """Return an average as the sum by the number."""
    match item.expression:
        case Aggregate("AVG", value, distinct):
            parts = (Aggregate("SUM", value, distinct), Aggregate("COUNT", value, distinct))
            return replace(item, expression=Op("/", parts))
        case _:
            return item
