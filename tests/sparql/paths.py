"""Property paths by the definitions of SPARQL 1.1, 18.4, for the reference evaluator."""

from collections import Counter
from typing import assert_never

from tests.sparql.syntax import Alternative, Inverse, Iri, Negated, Repeated, Sequence, Var

NONE = frozenset()


def connected(path, graph, left=NONE, right=NONE):
    """Return the pairs that a path connects, with multiplicities, as a Counter.

    `left` and `right` hold the constant that stands at that end of this very path, if any: a walk of
    length zero connects it to itself, whether it is a node of the graph or not. Inside a sequence
    the inner ends are variables, which are nodes.
    """
    match path:
        case Iri():
            return Counter((s, o) for s, p, o in graph if p == path)
        case Inverse(inner):
            return swapped(connected(inner, graph, right, left))
        case Sequence(first, second):
            return composed(connected(first, graph, left, NONE), connected(second, graph, NONE, right))
        case Alternative(one, other):
            return connected(one, graph, left, right) + connected(other, graph, left, right)
        case Negated(forward, backward):
            return negated(forward, backward, graph)
        case Repeated(inner, "?"):
            steps = connected(inner, graph, left, right)
            return Counter({*steps, *((node, node) for node in nodes(graph) | left | right)})
        case Repeated(inner, often):
            return Counter(set(walked(inner, often, graph, left, right)))
        case _:
            assert_never(path)


def walked(inner, often, graph, left, right):
    """Yield the pairs connected by zero or more (*) or one or more (+) walks.

    They are walked from the left, unless only the right end is a constant.
    """
    if right and not left:
        yield from ((y, x) for x, y in walked(Inverse(inner), often, graph, right, NONE))
        return
    after = {}
    for x, y in connected(inner, graph, left, NONE):
        after.setdefault(x, set()).add(y)
    for start in nodes(graph) | left:
        reached = {start} if often == "*" else set(after.get(start, ()))
        yield from ((start, end) for end in closure(after, reached))


def nodes(graph):
    return {end for s, _, o in graph for end in (s, o)}


def swapped(pairs):
    return Counter({(y, x): count for (x, y), count in pairs.items()})


def composed(left, right):
    found = Counter()
    for (x, y), count in left.items():
        for (other, z), times in right.items():
            if y == other:
                found[x, z] += count * times
    return found


def negated(forward, backward, graph):
    """Return the steps of a negated property set: NPS of the forward part, and of the inverse part."""
    found = Counter()
    if forward or not backward:
        found += Counter((s, o) for s, p, o in graph if p not in forward)
    if backward:
        found += Counter((o, s) for s, p, o in graph if p not in backward)
    return found


def closure(after, reached):
    todo = list(reached)
    while todo:
        for new in after.get(todo.pop(), set()) - reached:
            reached.add(new)
            todo.append(new)
    return reached


def solutions(subject, path, object_, graph):
    """Yield the solutions of a path pattern, each as often as it is there."""
    left, right = (NONE if isinstance(end, Var) else frozenset({end}) for end in (subject, object_))
    for (x, y), count in connected(path, graph, left, right).items():
        found = {}
        if all(bind(found, end, node) for end, node in ((subject, x), (object_, y))):
            yield from (dict(found) for _ in range(count))


def bind(found, end, node):
    return found.setdefault(end.name, node) == node if isinstance(end, Var) else end == node
