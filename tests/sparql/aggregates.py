"""GROUP BY, HAVING and aggregates (SPARQL 1.1, 18.2.4.1 and 18.5.1), for the reference evaluator."""

from tests.sparql.functions import Scope, evaluate, str_, truth
from tests.sparql.values import Error, UndeterminedError, arithmetic, is_comparable, literal, order_key

ERROR = object()


def aggregated(select, found, exists, table):
    """Return a solution for each group that HAVING keeps: its keys, and what SELECT computes of it.

    `table` is VALUES after the query, which is joined between HAVING and SELECT (18.2.4.3).
    """
    rows = []
    for key, members in groups(select.keys, found, exists).items():
        named = zip(select.keys, key, strict=True)
        solution = {name_of(item): term for item, term in named if name_of(item) and term is not None}

        def aggregate(call, members=members):
            return applied(call, members, exists)

        if all(truth(one, Scope(solution, exists, aggregate)) for one in select.having):
            rows += [computed(select.items, one, exists, aggregate) for one in table(solution)]
    return rows


def groups(keys, found, exists):
    if not keys:
        return {(): found}
    by_key = {}
    for one in found:
        key = tuple(
            term(item.variable if item.expression is None else item.expression, one, exists) for item in keys
        )
        by_key.setdefault(tuple(None if part is ERROR else part for part in key), []).append(one)
    return by_key


def name_of(item):
    return item.variable.name if item.variable is not None else None


def computed(items, solution, exists, aggregate):
    for item in items:
        if item.expression is not None:
            try:
                value = evaluate(item.expression, Scope(solution, exists, aggregate))
            except Error:
                continue
            solution = solution | {item.variable.name: value}
    return solution


def term(expression, solution, exists):
    """Return the expression's value in one solution, or ERROR."""
    try:
        return evaluate(expression, Scope(solution, exists))
    except Error:
        return ERROR


def applied(call, members, exists):
    """Return the aggregate of a group; raises Error."""
    if call.argument is None:
        solutions = [
            frozenset(pair for pair in one.items() if not pair[0].startswith("_:")) for one in members
        ]
        return literal(len(set(solutions) if call.distinct else solutions))
    listed = [term(call.argument, one, exists) for one in members]
    if call.distinct:
        listed = list(dict.fromkeys(listed))
    if call.function == "COUNT":
        return literal(sum(one is not ERROR for one in listed))
    return FUNCTIONS[call.function](listed, call.separator)


def total(listed, _):
    found = literal(0)
    for one in checked(listed):
        found = arithmetic("+", found, one)
    return found


def average(listed, _):
    if not listed:
        return literal(0)
    return arithmetic("/", total(listed, ""), literal(len(listed)))


def checked(listed):
    if ERROR in listed:
        raise Error
    return listed


def extreme(listed, *, greatest):
    """Return MIN or MAX: an end of ORDER BY, where that is determined."""
    if not listed or ERROR in listed:  # ListEval keeps errors (18.5.1), so does Flatten
        raise Error
    keyed = {one: order_key(one) for one in listed}
    if not is_comparable(keyed.values()):
        raise UndeterminedError
    end = (max if greatest else min)(keyed.values(), key=lambda key: (key[0], key[2]))
    return the_one([one for one, key in keyed.items() if key == end])


def the_one(terms):
    """Return the one term that is there, or the one value in a single datatype."""
    if len(set(terms)) != 1:
        raise UndeterminedError
    return terms[0]


def sampled(listed, _):
    if not listed:
        raise Error
    if ERROR in listed and set(listed) != {ERROR}:
        raise UndeterminedError
    return the_one(checked(listed))


def joined(listed, separator):
    """Return GROUP_CONCAT, in a normal order: SPARQL leaves the order open."""
    return literal(separator.join(sorted(str_(one).lexical for one in checked(listed))))


FUNCTIONS = {
    "SUM": total,
    "AVG": average,
    "MIN": lambda listed, _: extreme(listed, greatest=False),
    "MAX": lambda listed, _: extreme(listed, greatest=True),
    "SAMPLE": sampled,
    "GROUP_CONCAT": joined,
}
