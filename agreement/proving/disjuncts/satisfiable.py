"""Decide whether an alternative of a query (a disjunct) can match, by a search for suitable terms."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial, reduce
from itertools import islice
from typing import Final

from agreement.proving.disjuncts.edges import (
    Edge,
    GraphSource,
    Stock,
    is_derived,
    matched,
    positioned,
    shares_blank,
    takes,
)
from agreement.proving.disjuncts.splitting import Disjunct, UncountedError, put_in_test, unbound
from agreement.proving.values import (
    MOST_LINKED,
    OF_TERMS,
    constants_in,
    is_covered,
    most_linked,
    new_iris,
    terms,
    told_apart,
    triple_terms,
    truth_constants,
)
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.formulas import Expression, Test
from lars.language.program import calls
from lars.language.program import variables as named_in
from lars.language.terms import NULL, Blank, Constant, Symbol, Term, Variable
from solver.rdf import evaluate
from solver.rdf import test as holds
from translate.model.windows import Rows

MOST: Final = 200_000
"""The maximum number of partial assignments of terms to variables that are tried for one disjunct."""
_MOST_BARRED: Final = 60_000
_PAIR: Final = 2
"""The number of variables from which on a condition on possible triple terms is tried, but not decided."""
Binding = dict[Variable, Constant]


Model = Mapping[Variable, Constant]
"""A term for each variable of a disjunct; the null constant for an unbound variable."""


@dataclass(frozen=True, slots=True)
class Satisfiability:
    """The result whether a disjunct (alternative of a query) can match; `holds` is None if unknown.

    If the disjunct can match, `model` contains a term for each variable. If the disjunct cannot match, or if
    this is unknown, `why` is the reason as text. If the disjunct cannot match, the conditions in
    `requirements`, or the triple pattern `edge`, are the cause.
    """

    disjunct: Disjunct
    holds: bool | None
    why: str = ""
    requirements: tuple[Test, ...] = ()
    edge: Edge | None = None
    model: Model = field(default_factory=dict)

    @property
    def possible(self) -> bool:
        """Whether the disjunct (alternative of a query) can match; also true if this is unknown."""
        return self.holds is not False

    @property
    def certain(self) -> bool:
        """Whether it is proved that the disjunct gives a row on some stream and static data."""
        return self.holds is True and not self.disjunct.loose


@dataclass(slots=True)
class _Budget:
    """The limit of a search: how many partial assignments of terms to variables it may still try.

    The search calls `check` before each assignment. An error that `check` raises ends the search.
    """

    left: int = MOST
    check: Callable[[], None] = lambda: None

    def spend(self) -> None:
        self.check()
        self.left -= 1
        if self.left < 0:
            raise UncountedError("its conditions have too many variables to try all values")


def satisfiability(disjunct: Disjunct, stock: Stock | None = None) -> Satisfiability:
    """Return whether some data match the patterns and satisfy the conditions of a disjunct.

    If `stock` is given, static patterns match only the triples in `stock`. If `stock` is None, the static
    data are arbitrary.
    """
    binding = _given(disjunct)
    if (misplaced := _misplaced(disjunct, binding)) is not None:
        return misplaced
    if (crowded := _crowded(disjunct, binding)) is not None:
        return crowded
    undecided: Satisfiability | None = None
    excluded = Satisfiability(disjunct, False, "the given static data match no part of the disjunct")
    starts = iter([binding]) if stock is None else _matches(disjunct.stored, stock, binding)
    for number, start in enumerate(starts):
        if number > MOST // 100:
            return Satisfiability(disjunct, None, "the static data match in too many ways to try all of them")
        way = _misplaced(disjunct, start) or _valued(disjunct, start)
        if way.holds:
            return way
        excluded, undecided = (way, undecided) if not way.possible else (excluded, way)
    return undecided or excluded


def _given(disjunct: Disjunct) -> Binding:
    """Return the values that a disjunct (alternative of a query) fixes for variables; null if unbound."""
    return {name: term for name, term in disjunct.values if term is not None} | unbound(disjunct)


def _misplaced(disjunct: Disjunct, binding: Mapping[Variable, Constant]) -> Satisfiability | None:
    """Return a negative result if RDF does not allow a term at its position, such as a literal as subject.

    If RDF allows all terms, the function returns None.
    """
    for edge in disjunct.edges:
        if (problem := edge.why_misplaced(binding)) is not None:
            return Satisfiability(disjunct, False, problem, edge=edge)
    return None


def _crowded(disjunct: Disjunct, binding: Mapping[Variable, Constant]) -> Satisfiability | None:
    """Return a result if a tuple window is, or may be, too small for the triples of a disjunct.

    If all tuple windows are large enough, the function returns None.
    """
    for edge in disjunct.readings:
        window = edge.reading.window
        if not isinstance(window, Rows) or window.elements:
            continue  # An element may consist of any number of triples.
        inside = [
            each
            for each in disjunct.readings
            if each.where.name == edge.where.name
            and isinstance(own := each.reading.window, Rows)
            and own.count <= window.count
        ]
        if len({each.triple for each in inside}) > window.count:
            ground = {each.put(binding).triple.terms for each in inside}
            if (apart := _apart(ground)) > window.count:
                return Satisfiability(
                    disjunct, False, f"{window} holds no {apart} triples at once", edge=edge
                )
            return Satisfiability(
                disjunct, None, f"{window} must contain {len(ground)} triples that may be the same triple"
            )
    return None


def _apart(triples: Iterable[tuple[Term, ...]]) -> int:
    """Return a number of triple patterns that only different triples can match, because constants differ.

    At least this number of triples is necessary to match all patterns.
    """
    terms: list[tuple[Term, ...]] = []
    for triple in sorted(triples, key=str):
        if all(_clash(triple, other) for other in terms):
            terms.append(triple)
    return len(terms)


def _clash(terms: tuple[Term, ...], other: tuple[Term, ...]) -> bool:
    pairs = zip(terms, other, strict=True)
    return any(a != b and not isinstance(a, Variable) and not isinstance(b, Variable) for a, b in pairs)


def _matches(edges: Sequence[Edge], stock: Stock, start: Binding) -> Iterator[Binding]:
    """Yield the variable bindings under which each triple pattern matches a triple in `stock`."""
    if not edges:
        yield start
        return
    first, *rest = edges
    for quad in stock:
        if isinstance(first.where.name, Variable) and isinstance(quad[3], Symbol):
            continue  # GRAPH ?g does not range over the default graph.
        if (grown := matched(first.terms, quad, start)) is not None:
            yield from _matches(rest, stock, grown)


def _valued(disjunct: Disjunct, start: Binding) -> Satisfiability:
    """Return whether variables without a value can have terms that satisfy all conditions of a disjunct."""
    try:
        binding = next(_assigned(disjunct, disjunct.requirements, start), None)
        if binding is not None:
            if _shared_blank(disjunct, binding):
                return Satisfiability(disjunct, None, "a blank node in static data and a stream")
            return Satisfiability(disjunct, True, model=binding)
        covered = tuple(
            test for test in disjunct.requirements if is_decided(put_in_test(test, start), disjunct)
        )
        # If the decided conditions alone exclude each other, the result is proved.
        if covered != disjunct.requirements and next(_assigned(disjunct, covered, start), None) is not None:
            return Satisfiability(
                disjunct, None, "conditions with functions, doubles or times are tried, not decided"
            )
        return Satisfiability(
            disjunct, False, "its conditions exclude each other", _core(disjunct, covered, start)
        )
    except UncountedError as error:
        return Satisfiability(disjunct, None, str(error))


def _shared_blank(disjunct: Disjunct, binding: Binding) -> bool:
    """Return whether the same blank node would occur in static data and in a stream."""
    used: dict[bool, list[list[Term]]] = {True: [], False: []}
    for edge in disjunct.edges:
        terms = [binding.get(term, term) for term in edge.triple.terms if isinstance(term, Variable)]
        used[isinstance(edge.where, GraphSource)].append(terms)
    return shares_blank(used[True], used[False])


def _core(disjunct: Disjunct, requirements: tuple[Test, ...], start: Binding) -> tuple[Test, ...]:
    """Return as few as possible of the conditions that together are never true."""

    def without(kept: tuple[Test, ...], test: Test) -> tuple[Test, ...]:
        rest = tuple(other for other in kept if other is not test)
        return kept if next(_assigned(disjunct, rest, start), None) is not None else rest

    return reduce(without, requirements, requirements)


def is_decided(test: Test, disjunct: Disjunct) -> bool:
    """Return whether the terms that the search tries are enough to decide if a condition can be true."""
    names = named_in(test.expression)
    covered = is_covered(test.expression) and not names & disjunct.calculated
    return covered and (len(names) < _PAIR or not names & _may_be_triples(disjunct))


def _may_be_triples(disjunct: Disjunct) -> frozenset[Variable]:
    """Return the variables whose values may have to be triple terms, because conditions exclude other terms.

    The search does not try all triple terms, so it does not decide conditions on two variables if one of them
    is in the result.
    """
    return frozenset().union(
        *(
            named_in(call)
            for test in disjunct.requirements
            for call in calls(test.expression)
            if call.function in OF_TERMS and not (test.value and call == test.expression)
        )
    )


Exclusions = Sequence[tuple[Test, ...]]
"""Lists of conditions; in a model, the conditions of one list must not all hold together."""


def models(
    disjunct: Disjunct, barred: Exclusions, most: int, check: Callable[[], None] = lambda: None
) -> tuple[list[Model], bool]:
    """Return models of a disjunct (a term for each variable), and whether the search for models is a proof.

    If the search is a proof and returns no model, no model exists. The search returns at most `most` models,
    and no model that satisfies all conditions of a list in `barred`. Static data are arbitrary, and variables
    have different terms if possible. The search calls `check` repeatedly. An error that `check` raises ends
    the search.
    """
    start = _given(disjunct)
    if any(edge.why_misplaced(start) for edge in disjunct.edges):
        return [], True
    tests = (*disjunct.requirements, *(test for case in barred for test in case))
    known_models: list[Model] = []
    try:
        assigned = _assigned(disjunct, disjunct.requirements, start, barred, _Budget(_MOST_BARRED, check))
        known_models.extend(islice(assigned, most))
    except UncountedError:
        return known_models, False
    return known_models, all(is_decided(put_in_test(test, start), disjunct) for test in tests)


_Named = Sequence[tuple[frozenset[Variable], Test]]
"""Conditions, each with the variables that occur in the condition."""


def _by_names(requirements: Sequence[Test]) -> _Named:
    return tuple((named_in(test.expression), test) for test in requirements)


def _still_true(tests: _Named, binding: Binding, budget: _Budget) -> bool:
    """Return whether all conditions hold whose variables all have a value in `binding`."""
    budget.spend()
    ready = (test for names, test in tests if names <= binding.keys())
    return all(holds(test.expression, test.value, binding) for test in ready)


def _assigned(
    disjunct: Disjunct,
    requirements: tuple[Test, ...],
    start: Binding,
    barred: Exclusions = (),
    budget: _Budget | None = None,
) -> Iterator[Binding]:
    needed = _needed(disjunct, (*requirements, *(test for case in barred for test in case)))
    suits = _places(disjunct)
    open_names = sorted(name for name in needed if name not in start and name in disjunct.bound)
    # A given value counts as a constant of the query, so terms just below and above it are tried too.
    expressions = [put_in_test(test, start).expression for tests in (requirements, *barred) for test in tests]
    constants = list(constants_in(expressions))
    new = new_iris(sorted(disjunct.bound - start.keys()), (*constants, *start.values()))
    constants += triple_terms((*expressions, *(how for _, how in disjunct.computed)), [*new.values()])
    others = {name: iri for name, iri in new.items() if name not in needed}
    many = len(open_names) + 1
    looked = [named_in(test.expression) - start.keys() for tests in (requirements, *barred) for test in tests]
    looked += [named_in(how) | {name} for name, how in disjunct.computed]
    linked = most_linked(looked, open_names)
    constants += truth_constants(expressions, linked)
    own = [new[name] for name in open_names]
    values = terms(constants, own, many, linked=linked, blanks=[name.name for name in open_names])
    # A condition can require that a variable is equal to a given value.
    values += [term for term in start.values() if term not in values and term != NULL]
    budget = _Budget() if budget is None else budget
    tests, cases = _by_names(requirements), tuple(map(_by_names, barred))
    alone = {name for name in open_names if all(some == {name} for some in looked if name in some)}
    choices = {}
    for name in open_names:
        suited = [term for term in values if suits(name, term)]
        if name in alone:
            near = [each for each in expressions if name in named_in(each)]
            suited = told_apart(suited, partial(_truths, near, start, name), many, constants)
        choices[name] = [term for term in suited if _still_true(tests, start | {name: term}, budget)]
    # A variable without any term proves that no model exists, however many variables are linked.
    apart = not all(choices.values())
    _keep_supported(choices, tests, start, budget.check)
    order = _in_order(open_names, choices, expressions)
    touched = {name: tuple(each for each in tests if name in each[0]) for name in open_names}

    def grown(binding: Binding, rest: Sequence[Variable]) -> Iterator[Binding]:
        if not rest:
            whole = complete(disjunct, binding)
            barring = any(_still_true(case, whole, budget) for case in cases)
            if _still_true(tests, whole, budget) and not barring:
                yield whole
            return
        # Unused terms come first, and among them the own new IRI, so that no variables are equal by chance.
        used = set(binding.values())
        for term in sorted(choices[rest[0]], key=lambda term: (term in used, term != new[rest[0]])):
            further = binding | {rest[0]: term}
            if _still_true(touched[rest[0]], further, budget):
                yield from grown(further, rest[1:])

    if all(choices.values()):
        yield from grown(start | others, order)
    if linked > MOST_LINKED and not apart:
        raise UncountedError(f"more than {MOST_LINKED} of its variables are compared with each other")


def _truths(
    expressions: Sequence[Expression], start: Binding, name: Variable, term: Constant
) -> tuple[bool, ...]:
    """Return, for each expression, whether it is true and whether it is false if a variable has a given term.

    If the value of an expression is an error, both booleans are false.
    """
    binding = start | {name: term}
    return tuple(holds(each, truth, binding) for each in expressions for truth in (True, False))


def _keep_supported(
    choices: dict[Variable, list[Constant]], tests: _Named, start: Binding, check: Callable[[], None]
) -> None:
    """Remove the terms of variables that cannot satisfy a condition on two variables (arc consistency).

    A term is removed if no term of the condition's other variable makes the condition true.
    """
    open_tests = ((tuple(sorted(names - start.keys())), test) for names, test in tests)
    pairs = [(names, test) for names, test in open_tests if len(names) == _PAIR]
    pairs = [(names, test) for names, test in pairs if choices.keys() >= set(names)]
    changed = True
    while changed:
        changed = False
        for (variable, other), test in [(way, test) for names, test in pairs for way in (names, names[::-1])]:
            check()
            terms = [
                term
                for term in choices[variable]
                if any(
                    holds(test.expression, test.value, start | {variable: term, other: each})
                    for each in choices[other]
                )
            ]
            changed |= len(terms) < len(choices[variable])
            choices[variable] = terms


def _in_order(
    names: Iterable[Variable],
    choices: Mapping[Variable, Sequence[Constant]],
    expressions: Sequence[Expression],
) -> list[Variable]:
    """Return the variables in an order in which conditions on several variables can be tested early.

    The next variable is one that a condition compares with an earlier variable, if possible. If several
    variables are possible, a variable with the fewest terms to try is next.
    """
    near = [named_in(expression) for expression in expressions]
    left, order = set(names), list[Variable]()
    while left:
        known = set(order)
        compared = {name for name in left if any(name in each and each & known for each in near)}
        order.append(min(compared or left, key=lambda name: (len(choices[name]), name)))
        left.remove(order[-1])
    return order


def _needed(disjunct: Disjunct, requirements: Sequence[Test]) -> frozenset[Variable]:
    """Return the variables on whose values conditions depend, directly or through BIND."""
    needed = frozenset[Variable]().union(*(named_in(test.expression) for test in requirements))
    # A later BIND can use the variable of an earlier BIND, so the last one comes first.
    for name, expression in reversed(disjunct.computed):
        if name in needed:
            needed |= named_in(expression)
    return needed


def complete(disjunct: Disjunct, binding: Binding) -> Binding:
    """Return the given values of variables, and the values that BIND computes from them."""
    whole = dict(binding)
    for name, expression in disjunct.computed:
        whole[name] = _value(expression, whole)
    return whole


def _value(expression: Expression, binding: Binding) -> Constant:
    try:
        return evaluate(expression, binding) or NULL
    except LarsError:
        return NULL


def _places(disjunct: Disjunct) -> Callable[[Variable, Constant], bool]:
    """Return a function that decides whether a term is allowed at all positions of a variable."""
    every = [each for edge in disjunct.edges for each in positioned(edge.terms)]
    terms = {
        name: {
            isinstance(edge.where, GraphSource)
            for edge in disjunct.edges
            if name in edge.triple.terms and not is_derived(edge.triple.predicate)
        }
        for name in disjunct.bound
    }
    # Streams and static data never share a blank node, so a variable in both is an IRI or a literal.
    several = {name for name, sources in terms.items() if len(sources) > 1}

    def suits(name: Variable, term: Constant) -> bool:
        if isinstance(term, Blank) and name in several:
            return False
        return all(takes(position, term) for position, each in every if each == name)

    return suits
