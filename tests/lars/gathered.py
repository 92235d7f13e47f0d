"""Random programs with aggregates and orders, and what they say, by trying every binding."""

from itertools import product

from hypothesis import strategies as st

from lars.language.formulas import (
    Aggregation,
    Among,
    Call,
    Comparison,
    Diamond,
    Gather,
    In,
    Not,
    OrderKey,
)
from lars.language.program import Program, Rule, put, variables
from lars.language.stream import with_moments
from lars.language.terms import NULL, XSD, Atom, Literal, Number, Symbol, Variable, substitute
from lars.language.windows import TimeWindow
from lars.semantics import all_background
from lars.semantics.definitions import answer_streams, holds
from tests.lars.strategies import SOURCE, A, B, Case, X, Y, stratified_programs, streams

N, Z = Variable("N"), Variable("Z")
VALUES = (A, B, SOURCE, Symbol("other"), NULL, Number(3), Number(-2))


def integer(number):
    return Literal(str(number), XSD + "integer")


def evaluate(expression):
    """Sums and joins of what has a value here, and an order with ties: shorter texts come first."""
    match expression:
        case Call("PRECEDES", (left, right)):
            return Literal(str(len(str(left)) < len(str(right))).lower(), XSD + "boolean")
        case Call("AGGREGATE SUM", (_, *values)):
            fine = all(isinstance(value, Number) for value in values)
            return Number(sum(value.value for value in values)) if fine else None
        case Call("AGGREGATE GROUP_CONCAT", (Literal(separator), *values)):
            return Literal(separator.join(str(value) for value in values if value != NULL))
        case _:
            raise AssertionError(expression)


# Programs in layers: p, q and r as in all tests, then c/2 that gathers from them, then d/2 from c.

INPUT = (Atom("e"), Atom("f", (X,)), Atom("f", (A,)), Atom("g", (X, Y)), Atom("g", (X, X)), Atom("k", (X,)))
DERIVED = (Atom("r", (X,)), Atom("p"))
C = (Atom("c", (X, Y)), Atom("c", (Y, X)), Atom("c", (X, X)), Atom("c", (A, X)))


@st.composite
def aggregations(draw, names):
    """Any aggregate of variables among these."""
    function = draw(st.sampled_from(("COUNT", "COUNT", "SUM", "GROUP_CONCAT") if names else ("COUNT",)))
    several = st.lists(st.sampled_from(names), max_size=3) if names else st.just([])
    arguments = draw(several) if function == "COUNT" else [draw(st.sampled_from(names))]
    separator = draw(st.sampled_from((" ", ", "))) if function == "GROUP_CONCAT" else " "
    return Aggregation(function, tuple(arguments), draw(st.booleans()), separator)


@st.composite
def gathered(draw, patterns):
    """Gathered literals over the atoms."""
    atom = draw(st.sampled_from(patterns))
    names = sorted(variables(atom))
    some = st.lists(st.sampled_from(names), max_size=2, unique=True).map(tuple) if names else st.just(())
    if draw(st.booleans()):
        return Gather(N, draw(aggregations(names)), atom, draw(some))
    order = tuple(OrderKey(name, draw(st.booleans())) for name in draw(some))
    return Among(atom, order, draw(st.integers(0, 2)), draw(st.none() | st.integers(0, 2)), draw(some))


@st.composite
def gathering_rules(draw, head, patterns):
    """Rules with one gathered literal, and at times another literal about what it binds."""
    literal = draw(gathered(patterns))
    bound = sorted(variables(literal) - {N})
    one = bound[0] if bound else Z
    near = In(TimeWindow(2), Diamond(Atom("f", (one,))))
    more = draw(st.sampled_from(((), (), (near,), (near, Not(Atom("r", (one,)))))))
    known = sorted(frozenset().union(variables(literal), *map(variables, more)))
    first, second = (draw(st.sampled_from((*known, A))) for _ in range(2))
    if draw(st.integers(0, 9)) == 0:
        return Rule(None, (literal, Comparison(first, "=", B), *more))
    return Rule(Atom(head, (first, second)), (*more, literal))


@st.composite
def cases(draw, below=None):
    """Cases in layers, each of which is stratified."""
    base = draw(stratified_programs() if below is None else below)
    layers = [
        draw(st.lists(gathering_rules("c", INPUT + DERIVED), min_size=1, max_size=2)),
        draw(st.lists(gathering_rules("d", C), max_size=2)),
    ]
    stream = draw(streams(fewest=2))
    t = draw(st.sampled_from(sorted(stream.input)))
    known = st.sampled_from((Atom("k", (NULL,)), Atom("k", (A,)), Atom("f", (B,)), Atom("c", (B, NULL))))
    rules = draw(st.permutations((*base.rules, *layers[0], *layers[1])))
    return Case(Program(tuple(rules)), stream, t, draw(st.frozensets(known))), base, layers


# By trying every binding


def brute(case, base, layers):
    """Return the answer streams: those of the base, and then what each layer's rules say of it."""
    known = all_background(case.program, case.background)
    for found in answer_streams(base, case.stream, case.t, known):
        streams_ = [found]
        for layer in layers:
            streams_ = [with_moments(s, heads(layer, s, case.t, known)) for s in streams_]
        (whole,) = streams_
        constraints = [rule for layer in layers for rule in layer if rule.head is None]
        if not any(list(bindings(rule, whole, case.t, known)) for rule in constraints):
            yield whole


def heads(rules, stream, t, known):
    for rule in rules:
        for binding in bindings(rule, stream, t, known) if rule.head else ():
            if not holds(substitute(rule.head, binding), stream, t, known):
                yield t, substitute(rule.head, binding)


def bindings(rule, stream, t, known):
    """Yield what makes the body true, of all constants that there are."""
    atoms = known.union(stream.input.get(t, ()), stream.derived.get(t, ()))
    universe = {*VALUES, *(term for atom in atoms for term in atom.arguments)}
    names = sorted(frozenset().union(*map(variables, rule.body)) - {N})
    for values in product(sorted(universe, key=str), repeat=len(names)):
        binding = dict(zip(names, values, strict=True))
        for literal in rule.body:
            if isinstance(literal, Gather):
                binding[N] = value(literal, binding, atoms)
        if all(true(literal, binding, atoms, stream, t, known) for literal in rule.body):
            yield binding


def true(literal, binding, atoms, stream, t, known):  # noqa: PLR0913, PLR0917
    match literal:
        case Gather() | Among():
            return is_true(literal, binding, atoms)
        case Comparison(left, _, right):
            return binding.get(left, left) == right
        case _:
            return holds(put(literal, binding), stream, t, known)


def is_true(literal, binding, atoms):
    """Whether a gathered literal is true when these atoms hold, by the definition."""
    if isinstance(literal, Among):
        return substitute(literal.atom, binding) in first(literal, atoms)
    there = not literal.keys or bool(members(literal, binding, atoms))
    return there and binding[literal.variable] == value(literal, binding, atoms)


def members(literal, binding, atoms):
    """Return the instances of a group as what the variables of the atom are in them."""
    keys = {key: binding[key] for key in literal.keys}
    return [found for found in all_instances(literal.atom, atoms) if keys.items() <= found.items()]


def all_instances(pattern, atoms):
    for atom in atoms:
        if (atom.predicate, len(atom.arguments)) == (pattern.predicate, len(pattern.arguments)):
            found = {v: a for v, a in zip(pattern.arguments, atom.arguments, strict=True) if variables(v)}
            if substitute(pattern, found) == atom:
                yield found


def value(literal, binding, atoms):
    how, found = literal.aggregation, members(literal, binding, atoms)
    rows = [tuple(one[name] for name in how.arguments) for one in found]
    if how.function == "COUNT":
        rows = [row for row in rows if row != (NULL,)]
        return integer(len({*rows}) if how.distinct else len(rows))
    values = sorted((row[0] for row in rows), key=str)
    values = [v for i, v in enumerate(values) if not (how.distinct and v in values[:i])]
    return evaluate(Call(f"AGGREGATE {how.function}", (Literal(how.separator), *values))) or NULL


def first(literal, atoms):
    """Return the instances that stand there: those with as many before them as the range says."""
    every = [(found, substitute(literal.atom, found)) for found in all_instances(literal.atom, atoms)]
    end = float("inf") if literal.limit is None else literal.offset + literal.limit
    places = {atom: sum(before(literal, other, (own, atom)) for other in every) for own, atom in every}
    return {atom for atom, place in places.items() if literal.offset <= place < end}


def before(literal, one, other):
    if any(one[0][key] != other[0][key] for key in literal.keys):
        return False
    for order in literal.order:
        left, right = (
            0 if p[0][order.variable] == NULL else len(str(p[0][order.variable])) for p in (one, other)
        )
        if left != right:
            return (left > right) if order.descending else (left < right)
    return texts(one[1]) < texts(other[1])


def texts(atom):
    return ["" if term == NULL else str(term) for term in atom.arguments]
