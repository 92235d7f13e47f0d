"""Is each answer of one query one of another, at every time, on every stream and static data.

C1. The rows of a query are those of its disjuncts: edges that match, conditions that hold, and what does not
match beside (MINUS, NOT EXISTS, OPTIONAL without a match). Where each of them is closed by cases, each
answer is one of the other query: see `cases`. Paths of any length are edges there, aggregates and LIMIT
relations, which both queries have if they are of the same solutions: see `relations`.

C2. Else let the variables of a case that is left be constants, its triples at the ends of windows: on such
data both queries are evaluated, and a row that the other lacks refutes. For conjunctive patterns
and unions of them one of C1 and C2 decides. With conditions each region that they cut out has its own
canonical data; what neither decides is open.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice, product
from typing import Final

from agreement.containment.canonical import Data, OneQuery, difference_on, placements
from agreement.containment.cases import CaseProver, MatchTarget, RowCase, columns_of, first_case, resolved
from agreement.containment.findings import Containment, Counterexample, Holds, refuted
from agreement.containment.forms import is_random, same, settled
from agreement.containment.mappings import Mapper
from agreement.containment.relations import Relations
from agreement.disjuncts import (
    MOST,
    Disjunct,
    Edge,
    Model,
    Reading,
    UncountedError,
    Wanted,
    disjuncts,
    models,
)
from agreement.inputs import WindowSource, sources
from lars.errors import LarsError
from lars.formulas import Call
from lars.program import variables as named_in
from lars.terms import XSD, Constant, Iri, Literal, Variable
from solver.rdf import value as number
from translate.analysis import parts
from translate.patterns import Group, Pattern, Select
from translate.query import Form

_MOST_MODELS: Final = 30
_MOST_TRIED: Final = 800
_COPIES: Final = (1, 2, 5, 11)
_TRIED_EACH: Final = 6
_COPIED: Final = 4


def contained(one: OneQuery, other: OneQuery) -> Containment:
    """Return whether each answer of one query is an answer of the other."""
    _check_forms(one, other)
    columns = one.result == other.result
    comparable = columns and one.query.dataset == other.query.dataset
    merged = frozenset(one.query.merged) == frozenset(other.query.merged)
    if comparable and merged and same(one.pattern, other.pattern, frozenset(one.result)):
        return Containment(Holds.YES, "the two have one pattern, up to order and hidden names")
    try:
        sides = (one.pattern, one.result), (other.pattern, other.result)
        return _Comparison(one, other, comparable=comparable).decided(*sides)
    except UncountedError as error:
        return Containment(Holds.OPEN, str(error))


_WHY: Final = "each of its disjuncts that can be satisfied ({}) has a mapping from one of the other's"
_Side = tuple[Pattern, Sequence[Variable]]


def _check_forms(one: OneQuery, other: OneQuery) -> None:
    forms = {one.query.form, other.query.form}
    if len(forms) > 1 or not forms <= {Form.SELECT, Form.ASK}:
        found = ", ".join(sorted(form.value for form in forms))
        raise LarsError(f"found {found}; accepted: two SELECT, or two ASK queries")


class _Comparison:
    """Two queries, and whether a mapping between them would say anything."""

    def __init__(self, one: OneQuery, other: OneQuery, *, comparable: bool) -> None:
        self.one, self.other = one, other
        random = any(is_random(part) for query in (one, other) for part in parts(query.pattern))
        self.why = "a function of random values" if random else ""
        self.comparable = comparable and not random
        self.tried = _MOST_TRIED
        whole = [part for query in (one, other) for part in parts(query.pattern)]
        self.counts = any(
            isinstance(part, Group) or (isinstance(part, Select) and part.modifiers.slices) for part in whole
        )

    def decided(self, mine: _Side, theirs: _Side) -> Containment:
        """Return whether the rows of the first query are the other's, or data that refute it."""
        relations = Relations(self.equal)
        cases = list(self.cases(mine, relations))
        goals, inexact = self.goals(theirs, relations)
        left_open = ""
        for disjunct, case in cases:
            prover = CaseProver(goals, relations.paths)
            if prover.is_closed(case):
                continue
            against = self.refutation(prover.left)
            if against is not None:
                return refuted(against, columns=self.one.result == self.other.result)
            left_open = left_open or self.why or prover.exhausted or disjunct.vague or inexact or _TRIED
        if left_open:
            return Containment(Holds.OPEN, left_open)
        return Containment(Holds.YES, _WHY.format(len(cases)))

    def cases(self, side: _Side, relations: Relations) -> Iterator[tuple[Disjunct, RowCase]]:
        """Yield each disjunct of the first query that can be satisfied, in each place of its edges."""
        pattern, names = side
        mapper = Mapper(self.one.merged, self.one.setting, relations.paths)
        for each in disjuncts(relations.read(pattern, whole=True), self.one.setting.profile):
            whole = first_case(each, names, mapper, self.one.merged)
            placed = islice(whole.placed(self.one.merged), MOST + 1)
            for many, case in enumerate(placed):
                if many == MOST:
                    raise UncountedError(f"the query has more than {MOST} disjuncts")
                if not case.is_impossible:
                    yield each, case

    def goals(self, side: _Side, relations: Relations) -> tuple[list[MatchTarget], str]:
        """Return the disjuncts of the other query that give rows, and why others may give more."""
        pattern, names = side
        mapper = Mapper(self.other.merged, self.other.setting, relations.paths)
        every = disjuncts(relations.read(pattern, whole=False), self.other.setting.profile)
        found = [
            MatchTarget(resolved(each), mapper, self.other.merged, (), columns_of(settled(each), names))
            for each in every
            if not each.vague
        ]
        return found if self.comparable else [], next((each.vague for each in every if each.vague), "")

    def equal(
        self, one: Pattern, other: Pattern, mine: Sequence[Variable], theirs: Sequence[Variable]
    ) -> bool:
        """Whether two patterns have the same solutions for some variables, and for others in their place."""
        return self.proved((one, mine), (other, theirs)) and self.proved((other, theirs), (one, mine))

    def proved(self, mine: _Side, theirs: _Side) -> bool:
        """Whether each solution of one pattern is one of the other's."""
        if not self.comparable or self.one.merged != self.other.merged:
            return False
        relations = Relations(lambda *_: False)
        cases = list(self.cases(mine, relations))
        goals, _ = self.goals(theirs, relations)
        return all(CaseProver(goals, relations.paths).is_closed(case) for _, case in cases)

    def refutation(self, left: Sequence[tuple[RowCase, list[tuple[Wanted, ...]]]]) -> Counterexample | None:
        """Return data on which the first query has a row that the other lacks."""
        for case, barred in left:
            found, _ = models(case.plain, barred, _MOST_MODELS)
            for data, t in chain.from_iterable(self.data(case, model) for model in found):
                self.tried -= 1
                if self.tried < 0:
                    return None
                against = difference_on(self.one, self.other, data, t)
                if against is not None:
                    return against
        return None

    def data(self, case: RowCase, model: Model) -> Iterator[Data]:
        """Yield the match of a case, and several that differ in some variables, in other windows too."""
        yield from placements(self.one, self.other, [(edge, model) for edge in case.real])
        for several in _populations(case, model, counts=self.counts):
            first, *more = [[(edge, each) for edge in case.real] for each in several]
            yield from islice(
                placements(self.one, self.other, [*first, *chain.from_iterable(more)]), _TRIED_EACH
            )
            for window in sources(self.other.query) if more else ():
                beside = [(_shown(edge, window), each) for some in more for edge, each in some]
                yield from islice(placements(self.one, self.other, [*first, *beside]), _TRIED_EACH)


def _shown(edge: Edge, window: WindowSource) -> Edge:
    """Return an edge in another window of its stream."""
    if not isinstance(edge.where, Reading) or edge.where.stream != window.stream:
        return edge
    return replace(edge, where=replace(edge.where, window=window.window))


_TRIED: Final = "neither a proof by cases nor data that refute it: conditions and data are tried, not decided"


def _populations(case: RowCase, model: Model, *, counts: bool) -> Iterator[list[Model]]:
    """Yield matches that differ in some variables, where something counts or computes."""
    computed = frozenset[Variable]().union(
        *(named_in(each) for each in case.columns if isinstance(each, Call))
    )
    if computed:
        yield [_copy(model, sorted(computed), 0, numbers=(1,))]
    names = sorted(case.real_variables, key=lambda name: (name in case.columns, name))
    values = [int(found) for term in model.terms.values() if isinstance(found := number(term), int)]
    copies = dict.fromkeys((*_COPIES, *(each for each in values if 0 < each <= _COPIES[-1])))
    for size, many in product(range(1, len(names) + 1), copies) if counts else ():
        for some in islice(combinations(names, size), _COPIED):
            yield [_copy(model, some, each) for each in range(many)]
            for last in (many, 0):
                spread = [*range(1, many), last, 10 * many]
                yield [_copy(model, some, each, numbers=spread) for each in range(many)]
            for one in values:
                yield [_copy(model, some, each, numbers=[one] * many) for each in range(many)]


def _copy(model: Model, names: Sequence[Variable], number: int, numbers: Sequence[int] = ()) -> Model:
    def other(term: Constant) -> Constant:
        if numbers:
            return Literal(str(numbers[number]), XSD + "integer")
        return Iri(f"{term.value}-{number}") if number and isinstance(term, Iri) else term

    return Model({**model.terms, **{name: other(model.terms[name]) for name in names if name in model.terms}})
