"""What a random case holds: the names of its constructs, for tables and for classes of faults."""

from tests.sparql.data import ABSENT, UNUSUAL
from tests.sparql.scope import in_scope, occurring, walk
from tests.sparql.syntax import (
    Aggregate,
    Bind,
    Blank,
    Exists,
    Filter,
    Group,
    InGraph,
    Iri,
    Literal,
    Minus,
    Negated,
    Op,
    Optional,
    Repeated,
    Select,
    Step,
    Triples,
    Union,
    Values,
    Var,
)

CLAUSES = {"keys": "GROUP BY", "having": "HAVING", "order": "ORDER BY", "values": "VALUES after the query"}
KINDS = {
    Optional: "OPTIONAL",
    Union: "UNION",
    Minus: "MINUS",
    Filter: "FILTER",
    Bind: "BIND",
    Values: "VALUES",
}


def constructs(case):
    """Return the names of what is in the query, its data and how its parts share variables."""
    found = {case.query.form, *clauses(case.query.select)}
    for node in walk(case.query):
        found.update(of_node(node))
    for node in walk(case.query.select):
        if isinstance(node, Group):
            found.update(of_group(node))
        if isinstance(node, Select) and node is not case.query.select:
            found |= {"subquery", *(f"subquery with {name}" for name in clauses(node))}
        found.update(of_scope(node, "WHERE" if node is case.query.select else "subquery"))
    terms = {
        term
        for graph in (case.dataset.default, *case.dataset.named.values())
        for step in graph
        for term in step
    }
    if any(isinstance(term, Literal) and term.language for term in (*terms, *walk(case.query))):
        found.add("text with a language")
    return found | ({"lexical form that is not canonical"} if terms & set(UNUSUAL) else set())


def of_scope(node, place):
    """Yield where a subquery is all that there is, and whether what it hides is asked for."""
    match node:
        case InGraph(_, group) if is_subquery(group):
            yield "subquery that is the whole GRAPH"
        case Select(where, items):
            if is_subquery(where):
                yield f"subquery that is the whole {place}"
            if {item.variable.name for item in items} & (occurring(where) - in_scope(where).keys()):
                yield "name that a subquery hides"
        case _:
            return


def is_subquery(group):
    match group:
        case Group((InGraph(_, inner),)):
            return is_subquery(inner)
        case Group((Group() as inner,)):
            return is_subquery(inner)
        case _:
            return isinstance(group.parts[0], Select) if len(group.parts) == 1 else False


def clauses(select):
    yield from (name for field, name in CLAUSES.items() if getattr(select, field))
    if select.limit is not None or select.offset:
        yield "LIMIT or OFFSET"
    if select.duplicates:
        yield select.duplicates
    listed = [item.expression for item in select.items if item.expression is not None]
    if any(isinstance(node, Aggregate) for node in walk((tuple(listed), select.having), into_exists=False)):
        yield "aggregates"
    elif listed:
        yield "SELECT expression"
    if any(key.expression is not None for key in select.keys):
        yield "GROUP BY expression"


def of_node(node):
    match node:
        case Op(name):
            yield name
            if name in ("IN", "NOT IN") and len(node.arguments) == 1:
                yield "empty list"
        case Exists(_, negated):
            yield "NOT EXISTS" if negated else "EXISTS"
            if any(isinstance(inner, Exists) for inner in walk(node.group)):
                yield "EXISTS inside EXISTS"
        case Aggregate(function, _, distinct):
            yield f"{function} DISTINCT" if distinct else function
        case Values(_, rows) if any(None in row for row in rows):
            yield "UNDEF"
        case InGraph(name):
            yield "GRAPH IRI" if isinstance(name, Iri) else "GRAPH variable"
        case Step():
            yield from of_step(node)


def of_step(step):
    if isinstance(step.verb, Var):
        yield "variable predicate"
    elif not isinstance(step.verb, Iri):
        yield from (f"path {type(node).__name__}" for node in walk(step.verb) if not isinstance(node, Iri))
        repeated = [node for node in walk(step.verb) if isinstance(node, Repeated)]
        yield from (f"path {node.often}" for node in repeated)
        if any(isinstance(inner, Repeated) for node in repeated for inner in walk(node.path)):
            yield "path repetition inside repetition"
        if any(node.forward and node.backward for node in walk(step.verb) if isinstance(node, Negated)):
            yield "path negated in both directions"
        if ABSENT in (step.subject, step.object):
            yield "path from an absent node"
    if isinstance(step.subject, Blank) or isinstance(step.object, Blank):
        yield "blank node in a pattern"
    if isinstance(step.object, Literal):
        yield "literal in a pattern"


def of_group(group):
    """Yield how the parts of a group share variables with what stands before them, and outside."""
    known, certain = set(), set()
    for part in group.parts:
        yield from (name for kind, name in KINDS.items() if isinstance(part, kind))
        if isinstance(part, Group):
            yield "nested group"
        shared = set(in_scope(part.group if isinstance(part, Minus) else part)) & known
        if shared - certain and not isinstance(part, Minus):
            yield "join over a variable that can be unbound"
        if isinstance(part, Minus) and not shared:
            yield "MINUS without a shared variable"
        known |= set(in_scope(part))
        certain |= bound(part)
    conditions = [part.condition for part in group.parts if isinstance(part, Filter)]
    if any(isinstance(node, Var) and node.name not in known for node in outside(conditions)):
        yield "FILTER names a variable from outside"


def outside(conditions):
    """Return what stands in conditions outside of their EXISTS."""
    return walk(tuple(conditions), into_exists=False)


def bound(part):
    """Return names that every solution of a part binds: some of them at least."""
    match part:
        case Triples():
            return set(in_scope(part))
        case Group(parts):
            return set().union(*map(bound, parts))
        case InGraph(name, group):
            return bound(group) | occurring(name)
        case Union(groups):
            return set.intersection(*map(bound, groups)) if groups else set()
        case _:
            return set()
