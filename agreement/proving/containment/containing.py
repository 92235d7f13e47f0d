"""Decide containment of answers: whether each row of one query is a row of another query, at every time.

C1 (proof). The rows of a query are the rows of its disjuncts, its alternatives without UNION. In a disjunct,
triple patterns match, conditions hold, and absent patterns (MINUS, NOT EXISTS, OPTIONAL) do not match. If the
module `cases` closes the cases of each disjunct of the first query, each answer of the first query is an
answer of the other query. Paths of any length are edges. Aggregates and LIMIT are relations (see the module
`relations`). Two queries share a relation if both aggregates range over the same solutions. C1 proves nothing
about functions of random values, or about f:timestamp if the windows differ.

C2 (refutation). If a case remains open, constants replace its variables, and its triples are placed at the
ends of windows. Both queries are evaluated on these data. If the other query lacks a row of the first query,
the data refute the containment. For unions of conjunctive patterns, either C1 or C2 decides. With conditions,
each region of values that the conditions define has data of its own. If neither C1 nor C2 decides, the
verdict is open.

C3 (windows). If windows matter, a case is closed if it is closed for each placement of its arrivals in the
windows of both queries (see the module `placements`). Several windows together may cover one window, which no
single mapping can express.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice, product
from typing import Final

from agreement.documents.requests import WindowSource, sources
from agreement.proving.containment import canonical
from agreement.proving.containment.cases import (
    CaseProver,
    MatchTarget,
    RowCase,
    columns_of,
    first_case,
    resolve,
)
from agreement.proving.containment.forms import is_random, same, settle
from agreement.proving.containment.mappings import Mapper
from agreement.proving.containment.placements import MOST_PUSHED, ArrivalPlacement, placements
from agreement.proving.containment.relations import Relations
from agreement.proving.decisions import Decision
from agreement.proving.disjuncts import (
    MOST,
    Disjunct,
    Edge,
    Model,
    Reading,
    UncountedError,
    disjuncts,
    few_and_many,
    models,
)
from lars.errors import LarsError, TimeLimitError
from lars.language.formulas import Call, Test
from lars.language.program import variables as named_in
from lars.language.terms import XSD, Constant, Iri, Literal, Variable
from solver.deadlines import until
from solver.rdf import value as number
from translate.analysis import expressions_of, parts
from translate.model.patterns import Group, Modifiers, Path, Pattern, Select
from translate.tau import uses_arrivals

# All of these numbers are guesses. They limit the data that are tried after the proof has failed.
_MOST_MODELS: Final = 30
"""The maximum number of models (a term for each variable) for which data of an open case are evaluated."""
_MOST_TRIED: Final = 800
"""The maximum number of small data sets on which both queries are evaluated to refute containment."""
_COPIES: Final = (1, 2, 5, 11)
"""The numbers of copies of a match in tried data, for queries that count.

The number 11 has two digits, so that its order as text differs from its order as a number.
"""
_TRIED_EACH: Final = 6
"""The maximum number of sets of times that are tried for several copies of a match."""
_COPIED: Final = 4
"""The maximum number of sets of variables, for each size, in which copies of a match differ."""
_MOST_PLACED: Final = 64
"""The maximum number of placements of arrivals in windows that stay open and are evaluated on data."""
_MODELS_PLACED: Final = 3
"""The maximum number of models (a term for each variable) that are tried for one placement of arrivals."""


def decide_containment(query: canonical.PairQuery, other: canonical.PairQuery) -> Decision:
    """Return the decision whether each answer of the first query is always an answer of the other one.

    A containment is proved by cases. A containment is refuted by small data on which both queries are
    evaluated.

    Raises:
        LarsError: The queries are not two SELECT or two ASK queries.
    """
    _check_forms(query, other)
    columns = query.result == other.result
    every = (part for each in (query, other) for part in parts(each.pattern))
    # RAND() depends on its place in the query and on the whole row, so only equal patterns are comparable.
    fixed = query.query.pattern == other.query.pattern or not any(map(is_random, every))
    alike = fixed and _counts_alike(query, other)
    comparable = columns and query.query.dataset == other.query.dataset and alike
    merged = frozenset(query.query.merged) == frozenset(other.query.merged)
    if comparable and merged and same(query.pattern, other.pattern, frozenset(query.result)):
        return Decision(
            "always", "after simplification, both queries are equal, except for order and hidden names"
        )
    if comparable and merged and _is_slice(query, other):
        return Decision("always", "the other query has the same rows in the same order, and more rows")
    try:
        with until(query.deadline):
            return _Comparison(query, other, comparable=comparable).decided()
    except (TimeLimitError, UncountedError) as error:
        return Decision("open", str(error))


def _counts_alike(query: canonical.PairQuery, other: canonical.PairQuery) -> bool:
    """Return whether AVG without GROUP BY has the same value in both query languages if no solution exists.

    In some query languages, the average of no values is 0, in other languages it is unbound.
    """
    one, two = (each.query.language.manner.empty_group == "unbound average" for each in (query, other))
    every = (part for each in (query, other) for part in parts(each.pattern))
    return one is two or not any(isinstance(part, Group) and not part.keys for part in every)


def _is_slice(query: canonical.PairQuery, other: canonical.PairQuery) -> bool:
    """Return whether the first query returns a part of the other query's rows, because of LIMIT or OFFSET.

    Without LIMIT and OFFSET, both queries must have the same ordered rows.
    """
    mine, theirs = query.query.modifiers, other.query.modifiers
    if not (mine.slices and theirs.slices) or not isinstance(other.pattern, Select):
        return False
    within = theirs.limit is None or (mine.limit is not None and _end(mine) <= _end(theirs))
    alike = replace(other.pattern, modifiers=replace(theirs, offset=mine.offset, limit=mine.limit))
    return theirs.offset <= mine.offset and within and same(query.pattern, alike, frozenset(query.result))


def _end(modifiers: Modifiers) -> int:
    return modifiers.offset + (modifiers.limit or 0)


_WHY: Final = "proof by cases ({}): in each case, the other query also returns the row"
_Side = tuple[Pattern, Sequence[Variable]]
_Left = Sequence[tuple[RowCase, list[tuple[Test, ...]]]]


def lasts(query: canonical.PairQuery, other: canonical.PairQuery, is_kept: Callable[[Edge], bool]) -> bool:
    """Return whether an answer of the first query always stays an answer of the other query.

    The answer must be an answer of the other query by matches that `is_kept` accepts. `is_kept` returns
    whether a match of an edge (triple pattern with its source) remains at later times.
    """
    comparable = query.query.dataset == other.query.dataset and query.result == other.result
    return _Comparison(query, other, comparable=comparable).has_kept(is_kept)


def is_empty(query: canonical.PairQuery) -> bool:
    """Return whether the prover can show that a query never has an answer."""
    relations = Relations(lambda *_: False)
    pattern = relations.read(query.pattern, query.merged, whole=True)
    cases = list(_cases(query, pattern, query.result, relations.paths))
    return all(CaseProver((), relations.paths, query.deadline).is_closed(case.unified) for _, case in cases)


def matches(query: canonical.PairQuery) -> Iterator[RowCase]:
    """Yield a case with triple patterns, conditions and columns for each alternative of a query.

    In the cases, one step replaces each path of any length.
    """
    for _, case in _cases(query, query.pattern, query.result, {}):
        yield case


def _check_forms(query: canonical.PairQuery, other: canonical.PairQuery) -> None:
    forms = {query.query.form, other.query.form}
    if len(forms) > 1 or not forms <= {"SELECT", "ASK"}:
        text = ", ".join(sorted(form for form in forms))
        raise LarsError(f"found {text}; expected two SELECT, or two ASK queries")


def _cases(
    query: canonical.PairQuery, pattern: Pattern, names: Sequence[Variable], paths: dict[Iri, Path]
) -> Iterator[tuple[Disjunct, RowCase]]:
    """Yield each disjunct of a query that can match, with a case for each choice of its triples' sources.

    A disjunct is an alternative of the query, without UNION. `names` are the columns of the rows.

    Raises:
        UncountedError: The query has too many disjuncts.
    """
    mapper = Mapper(query.merged, query.setting, paths, query.deadline)
    for each in disjuncts(pattern, query.setting.profile):
        placed = islice(first_case(each, names, mapper, query.merged).placed(query.merged), MOST + 1)
        for many, case in enumerate(placed):
            if many == MOST:
                raise UncountedError(f"the query has more than {MOST} disjuncts")
            query.deadline.check()
            if not case.is_impossible:
                yield each, case


class _Comparison:
    """The comparison of two queries to decide whether the first is contained in the other.

    `why` is the reason why mappings between the queries cannot prove containment; "" if they can.
    """

    def __init__(self, one: canonical.PairQuery, other: canonical.PairQuery, *, comparable: bool) -> None:
        self.one, self.other = one, other
        every = [part for query in (one, other) for part in parts(query.pattern)]
        self.why = "a function of random values" if any(map(is_random, every)) else ""
        terms = chain.from_iterable(map(expressions_of, every))
        if frozenset(one.merged) != frozenset(other.merged) and any(map(uses_arrivals, terms)):
            self.why = "the time of a statement in different windows"
        self.comparable = comparable and not self.why
        self.tried = _MOST_TRIED
        self.counts = any(
            isinstance(part, Group) or (isinstance(part, Select) and part.modifiers.slices) for part in every
        )

    def decided(self) -> Decision:
        """Return the decision whether each row of the first query is a row of the other query.

        If the other query lacks a row of the first query, the decision contains data that show this.
        """
        relations = Relations(self.equal)
        try:
            cases = list(self.cases((self.one.pattern, self.one.result), relations))
        except TimeLimitError as error:
            return Decision("open", f"{error}, before the disjuncts of the query were counted")
        if not cases:
            return Decision("always", "this query never has an answer, because no disjunct can be satisfied")
        goals, inexact = self.goals((self.other.pattern, self.other.result), relations)
        left_open = ""
        for done, (disjunct, case) in enumerate(cases):
            try:
                containment = self.closed(case, goals, relations.paths)
            except TimeLimitError as error:
                far = f"{done} of the {len(cases)} disjuncts of the query were examined"
                return Decision("open", f"{error}: {far}")
            if containment.holds is False:
                return containment
            if containment.holds is None:
                left_open = left_open or self.why or disjunct.vague or inexact or containment.why
        if left_open:
            return Decision("open", left_open)
        return Decision("always", _WHY.format(len(cases)))

    def closed(self, case: RowCase, goals: Sequence[MatchTarget], paths: dict[Iri, Path]) -> Decision:
        """Return the decision whether the other query has each row that a case of the proof describes.

        If the other query lacks a row of the case, the decision contains data that show this.
        """
        prover = CaseProver(goals, paths, self.one.deadline)
        if prover.is_closed(case.unified):
            return Decision("always", "")
        why = prover.exhausted or _TRIED
        placed: list[tuple[ArrivalPlacement, _Left]] = []
        # No single mapping proves the case, but each placement of its arrivals may have its own (C3).
        try:
            for each in islice(self.left_in_windows(case, goals, paths), _MOST_PLACED):
                placed.append(each)  # noqa: PERF402 - those before an error are kept
            if not placed:
                return Decision("always", "")
        except UncountedError as error:
            why = str(error)
        filled = [each for each in placed if each[0].newer_triples <= MOST_PUSHED]
        if len(filled) < len(placed):
            why = f"a tuple window of more than {MOST_PUSHED} triples is not tried"
        for data, t in chain(self.placed_data(case, filled), self.data_of(prover.left)):
            self.tried -= 1
            if self.tried < 0:
                break
            against = canonical.difference_on(self.one, self.other, data, t)
            if against is not None:
                return canonical.refutation(against, columns=self.one.result == self.other.result)
        return Decision("open", why)

    def has_kept(self, is_kept: Callable[[Edge], bool]) -> bool:
        """Return whether the other query has each row of the first query by matches that `is_kept` accepts.

        `is_kept` returns whether a match of an edge (triple pattern with its source) remains at later times.
        """
        relations = Relations(self.equal)
        cases = list(self.cases((self.one.pattern, self.one.result), relations))
        goals, _ = self.goals((self.other.pattern, self.other.result), relations)
        targets = [each for each in goals if not each.way.absent and all(map(is_kept, each.way.edges))]
        return bool(targets) and all(
            CaseProver(targets, relations.paths, self.one.deadline).is_closed(case.unified)
            or next(self.left_in_windows(case, targets, relations.paths), None) is None
            for _, case in cases
        )

    def cases(self, side: _Side, relations: Relations) -> Iterator[tuple[Disjunct, RowCase]]:
        """Yield each disjunct (alternative) of a pattern, with the cases in which a proof examines its rows.

        The default graph of the pattern contains the windows that the first query merges.
        """
        pattern, names = side
        return _cases(self.one, relations.read(pattern, self.one.merged, whole=True), names, relations.paths)

    def goals(self, side: _Side, relations: Relations) -> tuple[list[MatchTarget], str]:
        """Return the disjuncts (alternatives) of the other query to which a proof can map, as targets.

        Disjuncts with omitted requirements, for example of aggregates, are not targets. The second value of
        the result names an omitted requirement; "" if no requirement is omitted.
        """
        pattern, names = side
        mapper = Mapper(self.other.merged, self.other.setting, relations.paths, self.one.deadline)
        every = disjuncts(relations.read(pattern, self.other.merged, whole=False), self.other.setting.profile)
        targets = [
            MatchTarget(resolve(each), mapper, self.other.merged, (), columns_of(settle(each), names))
            for each in every
            if not each.vague
        ]
        return targets if self.comparable else [], next((each.vague for each in every if each.vague), "")

    def left_in_windows(
        self, case: RowCase, goals: Sequence[MatchTarget], paths: dict[Iri, Path]
    ) -> Iterator[tuple[ArrivalPlacement, _Left]]:
        """Yield each placement of a case's arrivals in windows for which the prover finds no proof.

        Each result contains a placement, and the cases for which the prover finds no proof with this
        placement.

        Raises:
            TimeLimitError: The time limit is over.
            UncountedError: Too many placements exist.
        """
        known = set[object]()
        # Absent patterns of the first query match through its own windows, so these divide the time too.
        queries = (self.other, self.one) if case.denied else (self.other,)
        for placement in placements(case.real, queries):
            self.one.deadline.check()
            windows = placement.windows
            key = frozenset(windows.items()), placement.equal
            if key in known:
                continue
            known.add(key)
            near = case.where(placement.equal).unified
            terms = dict(near.same)
            windows = _merged((edge.put(terms), some) for edge, some in windows.items())
            targets = [each.through_windows(windows) for each in goals]
            prover = CaseProver(targets, paths, self.one.deadline)
            if not prover.is_closed(near.through_windows(windows)):
                yield placement, prover.left

    def equal(
        self, pattern: Pattern, other: Pattern, mine: Sequence[Variable], theirs: Sequence[Variable]
    ) -> bool:
        """Return whether it is proved that two patterns have the same solutions.

        The solutions of the first pattern are compared on the variables `mine`, the solutions of the other
        pattern on `theirs`.
        """
        return self.proved((pattern, mine), (other, theirs)) and self.proved((other, theirs), (pattern, mine))

    def proved(self, mine: _Side, theirs: _Side) -> bool:
        """Return whether it is proved that each solution of the first pattern is a solution of the other."""
        if not self.comparable or self.one.merged != self.other.merged:
            return False
        relations = Relations(lambda *_: False)
        cases = list(self.cases(mine, relations))
        goals, _ = self.goals(theirs, relations)
        return all(
            CaseProver(goals, relations.paths, self.one.deadline).is_closed(case.unified) for _, case in cases
        )

    def placed_data(
        self, root: RowCase, placed: Sequence[tuple[ArrivalPlacement, _Left]]
    ) -> Iterator[canonical.Data]:
        """Yield data for cases without a proof, with the arrivals of a match at their places in the windows.

        An arrival without a place gets the newest time in its window.
        """
        for placement, left in placed:
            for case, barred in left:
                all_models, _ = models(case.plain, barred, _MODELS_PLACED, self.one.deadline.check)
                beside = [edge for edge in case.real if edge not in root.real]
                every = chain.from_iterable(few_and_many(case.plain, each) for each in all_models)
                for model in map(case.whole, every):
                    if root.real_variables <= model.keys():
                        more = [
                            canonical.newest(edge, model, placement.t, self.one.setting) for edge in beside
                        ]
                        yield [*placement.data(root.real, model), *more], placement.t

    def data_of(self, left: _Left) -> Iterator[canonical.Data]:
        """Yield data to evaluate both queries on, for each case without a proof."""
        for case, barred in left:
            all_models, _ = models(case.plain, barred, _MOST_MODELS, self.one.deadline.check)
            every = chain.from_iterable(few_and_many(case.plain, model) for model in all_models)
            yield from chain.from_iterable(self.data(case, case.whole(model)) for model in every)

    def data(self, case: RowCase, model: Model) -> Iterator[canonical.Data]:
        """Yield data with one match of a case, then data with several matches.

        The several matches differ in the values of some variables, and can be in other windows.
        """
        yield from canonical.whole_matches(self.one, self.other, [(edge, model) for edge in case.real])
        for several in _populations(case, model, counts=self.counts):
            first, *more = [[(edge, each) for edge in case.real] for each in several]
            yield from islice(
                canonical.whole_matches(self.one, self.other, [*first, *chain.from_iterable(more)]),
                _TRIED_EACH,
            )
            for window in sources(self.other.query) if more else ():
                beside = [(_in_window(edge, window), each) for some in more for edge, each in some]
                yield from islice(
                    canonical.whole_matches(self.one, self.other, [*first, *beside]), _TRIED_EACH
                )


def _merged(readings: Iterable[tuple[Edge, frozenset[Reading]]]) -> dict[Edge, frozenset[Reading]]:
    """Return, for each edge (triple pattern with its source), the windows that contain its triple.

    The windows of equal edges are combined.
    """
    merged: dict[Edge, frozenset[Reading]] = {}
    for edge, some in readings:
        merged[edge] = merged.get(edge, frozenset()) | some
    return merged


def _in_window(edge: Edge, window: WindowSource) -> Edge:
    """Return the edge (triple pattern with its source), with the given window as its source.

    The given window must be on the edge's stream. An edge of another stream, or of static data, is returned
    unchanged.
    """
    if not isinstance(edge.where, Reading) or edge.where.name != window.stream:
        return edge
    return replace(edge, where=replace(edge.where, window=window.window))


_TRIED: Final = (
    "found neither a proof by cases nor data that refute the containment. For some conditions, "
    "lars tries data but does not decide all cases"
)


def _populations(case: RowCase, model: Model, *, counts: bool) -> Iterator[list[Model]]:
    """Yield groups of matches that differ in the values of some variables.

    Data with several matches can show that queries which count or compute values differ. Each match is a
    model, which gives a term to each variable.
    """
    computed = frozenset[Variable]().union(
        *(named_in(each) for each in case.columns if isinstance(each, Call))
    )
    if computed:
        yield [_copy(model, sorted(computed), 0, numbers=(1,))]
    names = sorted(case.real_variables, key=lambda name: (name in case.columns, name))
    values = [int(amount) for term in model.values() if isinstance(amount := number(term), int)]
    copies = dict.fromkeys((*_COPIES, *(each for each in values if 0 < each <= _COPIES[-1])))
    for size, many in product(range(1, len(names) + 1), copies) if counts else ():
        for some in islice(combinations(names, size), _COPIED):
            yield [_copy(model, some, each) for each in range(many)]
            for last in (many, 0):
                spread = [*range(1, many), last, 10 * many]
                yield [_copy(model, some, each, numbers=spread) for each in range(many)]
            for value in values:
                yield [_copy(model, some, each, numbers=[value] * many) for each in range(many)]


def _copy(model: Model, names: Sequence[Variable], number: int, numbers: Sequence[int] = ()) -> Model:
    def other(term: Constant) -> Constant:
        if numbers:
            return Literal(str(numbers[number]), XSD + "integer")
        return Iri(f"{term.value}-{number}") if number and isinstance(term, Iri) else term

    return {**model, **{name: other(model[name]) for name in names if name in model}}
