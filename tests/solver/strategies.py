"""Random LARS programs that the two encodings cover, and what the solver is given of a case."""

from functools import cache

from hypothesis import settings
from hypothesis import strategies as st

from lars.analysis import UnsupportedFormulaError, literal_form
from lars.language.formulas import (
    AGGREGATES,
    Aggregation,
    Among,
    Assign,
    At,
    Box,
    Comparison,
    Diamond,
    Gather,
    In,
    Not,
    OrderKey,
    SetLiteral,
    Test,
)
from lars.language.program import Program, Rule, is_fact, variables
from lars.language.terms import NULL, XSD, Atom, Literal, Variable
from lars.language.windows import TupleWindow
from solver.facts import Fact, Situation
from solver.facts.facts import background_of
from tests.lars.strategies import (
    SOURCE,
    A,
    B,
    X,
    Y,
    comparisons,
    facts,
    looping_programs,
    programs,
    safe_rule,
    sliding_windows,
    stratified_programs,
    time_windows,
    weighted,
)
from tests.translate.strategies import mostly


def part_of(share):
    """Return settings with a part of the profile's examples, for a property that is slow."""
    return settings(max_examples=max(1, int(settings().max_examples * share)))


def flat(literal, *, windowed=False, timed=False):
    """Return the literal with its outermost window and its outermost ◇ □ @ inside that, ¬ kept."""
    match literal:
        case Not(inner):
            return Not(flat(inner, windowed=windowed, timed=timed))
        case In(window, inner) if not (windowed or timed):
            return In(window, flat(inner, windowed=True))
        case Diamond(inner) | Box(inner) if not timed:
            return type(literal)(flat(inner, windowed=windowed, timed=True))
        case At(time, inner) if not timed:
            return At(time, flat(inner, windowed=windowed, timed=True))
        case In(_, inner) | Diamond(inner) | Box(inner) | At(_, inner):
            return flat(inner, windowed=windowed, timed=timed)
        case _:
            return literal


def flattened(program):
    """Return the program with every formula brought into the covered form, and safe again."""
    return Program(
        tuple(r if is_fact(r) else safe_rule(r.head, tuple(map(flat, r.body))) for r in program.rules)
    )


@cache
def covered_programs():
    """Programs of every kind, with loops, constraints and facts; one of ten is deeper than covered."""
    kinds = weighted(looping_programs(), looping_programs(), programs(), stratified_programs())
    return st.tuples(kinds, st.integers(0, 9)).map(
        lambda drawn: drawn[0] if drawn[1] == 0 else flattened(drawn[0])
    )


def is_encoded(program):
    """Whether the plain encoding covers the program."""
    conditions = Comparison | Test | Assign
    try:
        for rule in program.rules:
            for part in rule.body:
                isinstance(part, conditions | SetLiteral) or literal_form(part)
    except UnsupportedFormulaError:
        return False
    return True


# For the intervals: ◇ in windows over input alone, B apart from that, heads at the reference time.
_input = st.sampled_from(
    (
        *(Atom("e"), Atom("f", (X,)), Atom("f", (X,)), Atom("f", (Y,)), Atom("f", (A,))),
        *(Atom("g", (X, SOURCE)), Atom("g", (X, Y)), Atom("g", (Y, X)), Atom("g", (X, X))),
    )
)
_first, _second = st.sampled_from((Atom("p"), Atom("r", (X,)))), st.just(Atom("m", (X, Y)))
_known = st.sampled_from((Atom("k", (X,)), Atom("h", (X, Y)), Atom("k", (B,))))


@cache
def shown_by_queries():
    """Windows of time, and of tuples by arrival: those of translated queries."""
    ties = st.sampled_from(("arrival", "arrival", "elements"))
    tuples = st.builds(TupleWindow, st.integers(1, 3), st.sampled_from((None, SOURCE)), ties)
    return weighted(time_windows(), time_windows(), sliding_windows(), tuples)


@st.composite
def _interval_rules(draw, heads, below):
    seen_input = st.builds(lambda window, atom: In(window, Diamond(atom)), shown_by_queries(), _input)
    positive = mostly(st.one_of(seen_input, below), st.one_of(_input, _known), 2)
    literal = mostly(positive, positive.map(Not))
    body = tuple(draw(st.lists(literal, min_size=1, max_size=3)))
    if draw(st.integers(0, 3)) == 0:
        body += (draw(comparisons),)
    return safe_rule(draw(heads), body)


@cache
def interval_programs():
    """Stratified programs, with ◇ over input, in three layers; m is recursive at times."""
    layers = (
        _interval_rules(_first, _input),
        _interval_rules(_second, st.one_of(_first, _second)).filter(_is_positive_in_m),
        _interval_rules(st.just(Atom("ans", (X, Y))), st.one_of(_first, _second)),
    )
    known = st.one_of(facts, st.sampled_from((Rule(Atom("h", (A, B))), Rule(Atom("h", (B, B))))))
    return st.builds(
        lambda rules, more, given: Program((*rules, *more, *given)),
        st.tuples(*layers),
        st.lists(st.one_of(*layers), max_size=2),
        st.lists(known, max_size=2),
    )


def _is_positive_in_m(rule):
    negated = [part.inner for part in rule.body if isinstance(part, Not)]
    return not any(isinstance(atom, Atom) and atom.predicate == "m" for atom in negated)


def situation_of(case):
    """Return what the solver is given of a case."""
    return situation(case.stream, case.background)


def fact_of(t, atom):
    """Return a ground atom at a time as a fact."""
    return Fact(t, atom.predicate, tuple(map(str, atom.arguments)))


def situation(stream, background):
    """Return a stream and atoms of B as the solver is given them."""
    arrivals = [fact_of(t, atom) for t, atoms in stream.input.items() for atom in atoms]
    return Situation(stream.timeline, arrivals, background_of(background))


def number(value):
    """Return the RDF literal of an integer."""
    return Literal(str(value), XSD + "integer")


# Input whose values can be added up, some of which are equal, unbound, or no numbers.
_values = st.sampled_from((*map(number, (-1, 0, 2, 2, 10)), Literal("2.0", XSD + "decimal"), A, NULL))
valued_atoms = st.one_of(
    st.builds(lambda value: Atom("f", (value,)), _values),
    st.builds(lambda key, value: Atom("g", (key, value)), st.sampled_from((A, B)), _values),
    st.builds(lambda value: Atom("g", (value, SOURCE)), _values),
    st.sampled_from((Atom("e"), Atom("f", (B,)))),
)
N, K, V = Variable("N"), Variable("K"), Variable("V")


@st.composite
def _aggregations(draw, atom):
    inside = sorted(variables(atom))
    if not inside or draw(st.integers(0, 4)) == 0:
        return Aggregation("COUNT", tuple(inside) if draw(st.booleans()) else (), draw(st.booleans()))
    return Aggregation(
        draw(st.sampled_from(AGGREGATES)), (draw(st.sampled_from(inside)),), draw(st.booleans())
    )


@st.composite
def _gathers(draw, head, atom):
    """Rules for n(N) without keys, or s(key, N), at times with a condition on the key."""
    inside, aggregation = sorted(variables(atom)), draw(_aggregations(atom))
    if head == "n" or not inside:
        return Rule(Atom("n", (N,)), (Gather(N, aggregation, atom),))
    key = draw(st.sampled_from(inside))
    more = draw(st.lists(st.sampled_from((Atom("k", (key,)), Not(Atom("k", (key,))))), max_size=1))
    return Rule(Atom("s", (key, N)), (Gather(N, aggregation, atom, (key,)), *more))


@st.composite
def _firsts(draw, atom):
    inside = sorted(variables(atom))
    keys = st.builds(OrderKey, st.sampled_from(inside), st.booleans()) if inside else st.nothing()
    order = tuple(draw(mostly(st.lists(keys, min_size=1, max_size=2), st.just([]), 3))) if inside else ()
    limit = draw(st.sampled_from((None, 0, 1, 1, 2, 2**40)))
    # A group by the only variable has one instance, and shows little.
    grouped = len(inside) > 1 and draw(st.booleans())
    groups = (draw(st.sampled_from(inside)),) if grouped else ()
    found = Among(atom, order, draw(st.sampled_from((0, 0, 0, 1, 2, 2**40))), limit, groups)
    return Rule(Atom("w", ((inside or [A])[0], (inside or [A])[-1])), (found,))


def gathered_rules(known, derived=()):
    """Rules for n/1, s/2 or w/2 over these atoms, and for w over those derived in between."""
    atoms = st.sampled_from(known)
    return st.one_of(
        *(atoms.flatmap(lambda atom, head=head: _gathers(head, atom)) for head in ("n", "s")),
        st.sampled_from((*known, *derived)).flatmap(_firsts),
    )


@cache
def gathering_programs():
    """Such programs, with literals over all instances in one to three layers."""
    bottom = (
        *(Atom("p"), Atom("r", (X,)), Atom("m", (X, Y)), Atom("m", (X, Y)), Atom("m", (X, X))),
        *(Atom("ans", (A, X)), Atom("f", (X,)), Atom("g", (X, Y)), Atom("k", (X,)), Atom("h", (X, Y))),
    )
    over = gathered_rules(bottom, (Atom("s", (K, V)), Atom("n", (V,))))
    shown = _interval_rules(st.just(Atom("m", (X, Y))), st.sampled_from((Atom("g", (X, Y)), Atom("f", (X,)))))
    above = st.sampled_from((Atom("s", (K, V)), Atom("s", (K, K)), Atom("s", (A, V)))).flatmap(
        lambda atom: _gathers("n", atom)
    )
    return st.builds(
        lambda below, seen, rules, top: Program((*below.rules, *seen, *rules, *top)),
        interval_programs(),
        st.lists(shown.filter(_is_positive_in_m), max_size=1),
        st.lists(over, min_size=1, max_size=3),
        st.lists(above, max_size=1),
    )
