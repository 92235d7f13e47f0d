"""Smaller cases of a fault: parts of query and data are dropped while the fault stays."""

from dataclasses import fields, is_dataclass, replace

from tests.sparql.scope import walk
from tests.sparql.syntax import (
    Alternative,
    Case,
    Group,
    InGraph,
    Inverse,
    Minus,
    Negated,
    Op,
    Optional,
    Query,
    Repeated,
    Select,
    Sequence,
    Union,
    Values,
)

MOST = 1500
"""So many cases are tried at most."""
DEFAULTS = {
    "duplicates": "",
    "keys": (),
    "having": (),
    "order": (),
    "limit": None,
    "offset": 0,
    "values": None,
}


def shrunk(case, fails):
    """Return a case with the fault that loses it when anything more is dropped."""
    tried = 0
    while True:
        for smaller in variants(case):
            tried += 1
            if tried > MOST:
                return case
            if fails(smaller):
                case = smaller
                break
        else:
            return case


def variants(case):
    for query in simpler(case.query):
        if is_usual(query):
            yield replace(case, query=query)
    dataset = case.dataset
    for name in dataset.named:
        yield Case(case.query, replace(dataset, named={k: v for k, v in dataset.named.items() if k != name}))
        for triple in sorted(dataset.named[name], key=repr):
            yield Case(
                case.query, replace(dataset, named=dataset.named | {name: dataset.named[name] - {triple}})
            )
    for triple in sorted(dataset.default, key=repr):
        yield Case(case.query, replace(dataset, default=dataset.default - {triple}))


def is_usual(query):
    """Whether it is no corner of the grammar that only shrinking leads to: CONSTRUCT {}, VALUES ()."""
    tables = [node for node in walk(query) if isinstance(node, Values)]
    return bool(query.template or query.form != "CONSTRUCT") and all(table.names for table in tables)


def simpler(tree):
    """Yield trees with one thing less: the biggest things first."""
    yield from here(tree)
    if isinstance(tree, tuple):
        for place, one in enumerate(tree):
            yield tree[:place] + tree[place + 1 :]
            if isinstance(one, Group):
                yield (*tree[:place], *one.parts, *tree[place + 1 :])
            for smaller in simpler(one):
                yield (*tree[:place], smaller, *tree[place + 1 :])
    elif is_dataclass(tree):
        for name in fields(tree):
            for smaller in simpler(getattr(tree, name.name)):
                yield replace(tree, **{name.name: smaller})


def here(tree):
    """Yield what can stand in the place of a node as a whole."""
    match tree:
        case Query("CONSTRUCT" | "ASK", select):
            yield Query("SELECT", replace(select, items=()))
        case Select():
            yield from (
                replace(tree, **{name: plain})
                for name, plain in DEFAULTS.items()
                if getattr(tree, name) != plain
            )
            yield tree.where
        case Optional(group) | Minus(group) | InGraph(_, group):
            yield group
        case Union(groups):
            yield from groups
        case Op(_, arguments):
            yield from arguments
        case Inverse(path) | Repeated(path, _):
            yield path
        case Sequence(left, right) | Alternative(left, right):
            yield from (left, right)
        case Negated(forward, backward) if forward and backward:
            yield from (Negated(forward), Negated((), backward))
        case _:
            return
