"""Prove by cases that each row of one query is a row of another query, and return the cases that stay open.

A case describes one row of the first query: triple patterns that match, conditions that hold, and absences
(patterns of MINUS, OPTIONAL or NOT EXISTS that do not match). A disjunct is one alternative of a query,
without UNION. A case is closed if one of these rules applies:

- Rule 1: the patterns and conditions of the case are unsatisfiable.
- Rule 2: a disjunct of the other query maps into the case with the values of the row, so the other query has
  the row. For each absence of this disjunct, the case in which the absence matches must also be closed.
- Rule 3: one of the case's absences does match, by such a mapping, so the case is impossible.
- Rule 4: the conditions of the case imply the disjunction of the conditions of several such mappings.
- Rule 5: a path of any length in the case is one step or several steps, and both cases are closed.

Mappings are between conjunctive patterns (Chandra and Merlin 1977). For unions, several mappings are combined
(Sagiv and Yannakakis 1980), and for conditions also (van der Meyden 1997). Cases for negation follow Ullman
(2000).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import count, islice, product
from typing import Final

from agreement.proving import disjuncts
from agreement.proving.containment.forms import normal, settle
from agreement.proving.containment.mappings import Image, Mapper, properties
from lars.dataclass import dataclass
from lars.language.formulas import Call, Expression, Test
from lars.language.program import put_terms
from lars.language.program import variables as named_in
from lars.language.terms import NULL, Iri, Literal, Term, Variable
from solver.deadlines import NEVER, Deadline
from solver.rdf import test as holds
from translate.model import patterns
from translate.model.patterns import PathSequence as Steps

# Guesses, which limit the time of a proof; a larger limit proves more containments.
_DEPTH: Final = 3
_UNFOLDED: Final = 3
_MOST_IMAGES: Final = 30
_MOST_CASES: Final = 150
Columns = tuple[Expression | None, ...]
"""The values of a row, one per column: a term or variable, a computed expression, or None if unbound."""


@dataclass(frozen=True, slots=True)
class MatchTarget:
    """A disjunct (alternative of a query) that a proof tries to map into the known patterns of a case.

    `start` contains the known terms of variables. `columns` contains the values of the disjunct's row; None
    if the disjunct is an absent pattern, such as the right side of MINUS.
    """

    way: disjuncts.Disjunct
    mapper: Mapper
    merged: tuple[disjuncts.Reading, ...]
    start: tuple[tuple[Variable, Term], ...] = ()
    columns: Columns | None = None

    @property
    def compared(self) -> frozenset[Variable]:
        """The variables in computed columns, conditions and absent patterns (such as MINUS) of the disjunct.

        A proof distinguishes two matches of the disjunct only if they differ in one of the returned
        variables.
        """
        computed = (each for each in self.columns or () if isinstance(each, Call))
        tested = (test.expression for test in self.way.requirements)
        names = frozenset[Variable]().union(*map(named_in, (*computed, *tested)))
        return names | self.way.bound if self.way.absent else names

    def through_windows(self, seen: Mapping[disjuncts.Edge, frozenset[disjuncts.Reading]]) -> "MatchTarget":
        """Return the target for a proof in which only given windows contain each known pattern's triple."""
        return replace(self, mapper=replace(self.mapper, windows=seen))


@dataclass(frozen=True, slots=True)
class RowCase:
    """A case of a proof by cases, with the facts that are known about one row of the first query.

    `edges` are triple patterns that match, `requirements` are conditions that hold, and `denied` are
    disjuncts that do not match. `unfolded` is the number of paths that were split into steps.
    """

    edges: tuple[disjuncts.Edge, ...]
    requirements: tuple[Test, ...]
    columns: Columns
    denied: tuple[MatchTarget, ...] = ()
    unfolded: int = 0
    same: tuple[tuple[Variable, Term], ...] = ()
    """The terms that replace variables because of equations in the conditions."""

    @property
    def plain(self) -> disjuncts.Disjunct:
        """The triple patterns and conditions of the case as a disjunct (an alternative of a query).

        For a path of any length, the disjunct requires only that the terms at both ends occur in triples.
        """
        return disjuncts.Disjunct(
            tuple(each for edge in self.edges for each in _neutral(edge)), requirements=self.requirements
        )

    @property
    def real(self) -> tuple[disjuncts.Edge, ...]:
        """The triple patterns of the case, without paths of any length and without aggregates."""
        return tuple(edge for edge in self.edges if not _is_derived(edge))

    @property
    def is_impossible(self) -> bool:
        """Whether no data can satisfy the triple patterns and conditions of the case."""
        return not disjuncts.satisfiability(self.plain).possible

    @property
    def real_variables(self) -> frozenset[Variable]:
        """The variables in the triple patterns of the case, without paths of any length and aggregates."""
        return disjuncts.Disjunct(self.real).bound

    def placed(self, merged: Iterable[disjuncts.Reading]) -> Iterator["RowCase"]:
        """Yield one case for each combination of sources that can contain the triples of this case.

        A pattern of the default graph can match static data or any window in `merged`.
        """
        readings = tuple(merged)
        for edges in product(*(places(edge, readings) for edge in self.edges)):
            yield replace(self, edges=tuple(dict.fromkeys(edges)))

    def through_windows(self, seen: Mapping[disjuncts.Edge, frozenset[disjuncts.Reading]]) -> "RowCase":
        """Return the case in which absent patterns (such as MINUS) match only through given windows."""
        return replace(self, denied=tuple(each.through_windows(seen) for each in self.denied))

    def where(self, equal: tuple[Test, ...]) -> "RowCase":
        """Return the case with the conditions `equal` in addition to its own conditions."""
        return replace(self, requirements=(*self.requirements, *equal))

    @property
    def unified(self) -> "RowCase":
        """The same case with one variable in place of several variables that must have the same RDF term.

        Variables in a condition SAMETERM have the same term. Variables in a condition `=` have the same term
        if one of them is a subject, a predicate or a graph name, because an IRI or blank node is equal only
        to itself.
        """
        placed = (each for edge in self.real for each in disjuncts.positioned(edge.terms))
        nodes = {term for place, term in placed if place != "object"}
        for test in self.requirements:
            match test:
                case Test(
                    Call("SAMETERM" | "=" as sign, (Variable() as variable, Variable() as other)), True
                ) if (
                    variable != other
                    and {variable, other} <= self.bound
                    and (sign != "=" or {variable, other} & nodes)
                ):
                    known: dict[Variable, Term] = {other: variable}
                    moved = self.put(known)
                    same = ((name, _put(term, known)) for name, term in self.same)
                    return replace(moved, same=(*same, (other, variable))).unified
                case _:
                    pass
        return self

    @property
    def bound(self) -> frozenset[Variable]:
        """The variables in the triple patterns and paths of the case."""
        return disjuncts.Disjunct(self.edges).bound

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables in the triple patterns, conditions and columns of the case."""
        columns = (named_in(each) for each in self.columns if each is not None)
        return self.bound.union(*(named_in(test.expression) for test in self.requirements), *columns)

    def whole(self, model: disjuncts.Model) -> disjuncts.Model:
        """Return the model (a term for each variable), with the variables that `unified` replaced."""
        more = {name: model[term] for name, term in self.same if isinstance(term, Variable) and term in model}
        return {**model, **more}

    def put(self, terms: Mapping[Variable, Term]) -> "RowCase":
        """Return the case with each variable in `terms` replaced by its term."""

        def moved(goal: MatchTarget) -> MatchTarget:
            return replace(goal, start=tuple((name, _put(term, terms)) for name, term in goal.start))

        return replace(
            self,
            edges=tuple(dict.fromkeys(edge.put(terms) for edge in self.edges)),
            requirements=tuple(disjuncts.put_in_test(test, terms) for test in self.requirements),
            columns=tuple(None if each is None else put_terms(each, terms) for each in self.columns),
            denied=tuple(map(moved, self.denied)),
        )


def _put(term: Term, terms: Mapping[Variable, Term]) -> Term:
    return terms.get(term, term) if isinstance(term, Variable) else term


def _is_derived(edge: disjuncts.Edge) -> bool:
    """Return whether an edge represents an aggregate, a LIMIT or a path of any length.

    No triple of the data matches an edge that represents an aggregate, a LIMIT or a path of any length.
    """
    return (
        isinstance(edge.where, disjuncts.GraphSource) and disjuncts.is_derived(edge.where.name)
    ) or _is_path(edge)


def _is_path(edge: disjuncts.Edge) -> bool:
    return disjuncts.is_derived(edge.triple.predicate)


def _neutral(edge: disjuncts.Edge) -> Iterator[disjuncts.Edge]:
    if not _is_derived(edge):
        yield edge
        return
    subject, predicate, object_ = edge.triple.terms
    for end in (subject, object_):
        if isinstance(end, Variable):
            # As an object, an end can be any RDF term, as it can in a path or a row.
            yield disjuncts.Edge(
                patterns.TriplePattern(Iri("urn:any"), predicate, end), disjuncts.GraphSource()
            )


def resolve(disjunct: disjuncts.Disjunct) -> disjuncts.Disjunct:
    """Return a disjunct in which known constants and expressions of BIND replace variables.

    Constants replace variables in triple patterns and conditions. Expressions of BIND replace variables in
    conditions.
    """
    disjunct = settle(disjunct)
    constants = {name: term for name, term in disjunct.values if term is not None}
    values = _values(disjunct)
    return replace(
        disjunct,
        edges=tuple(edge.put(constants) for edge in disjunct.edges),
        requirements=tuple(
            replace(test, expression=_valued(test.expression, values)) for test in disjunct.requirements
        ),
    )


def _values(disjunct: disjuncts.Disjunct) -> dict[Variable, Expression]:
    values: dict[Variable, Expression] = {
        name: NULL if term is None else term for name, term in disjunct.values
    }
    for name, how in disjunct.computed:
        values[name] = _valued(how, values)
    return values


def _valued(expression: Expression, values: Mapping[Variable, Expression]) -> Expression:
    if isinstance(expression, Call):
        return replace(expression, arguments=tuple(_valued(each, values) for each in expression.arguments))
    return values.get(expression, expression) if isinstance(expression, Variable) else expression


def columns_of(disjunct: disjuncts.Disjunct, names: Sequence[Variable]) -> Columns:
    """Return the values of the given columns in a row of a disjunct (alternative of a query).

    A value that a proof cannot know, such as an aggregate, is written as a call of UNKNOWN, which is equal
    only to itself.
    """
    unknown = {name: Call("UNKNOWN", (name,)) for name in disjunct.unknown}
    values = {**unknown, **{name: name for name in disjunct.bound}, **_values(disjunct)}
    terms = (values.get(name, NULL) for name in names)
    return tuple(None if each == NULL else each for each in terms)


def first_case(
    disjunct: disjuncts.Disjunct,
    names: Sequence[Variable],
    mapper: Mapper,
    merged: tuple[disjuncts.Reading, ...],
) -> RowCase:
    """Return the case with which the proof about the rows of a disjunct (alternative of a query) begins.

    `names` are the columns of the row, and `merged` are the windows that belong to the default graph.
    """
    way = resolve(disjunct)
    constants: dict[Variable, Term] = {name: term for name, term in disjunct.values if term is not None}
    image: Image = {name: name for name in way.bound} | constants | _constants(way)
    denied = _denied(way, image, mapper, merged)
    return RowCase(
        tuple(dict.fromkeys(way.edges)), way.requirements, columns_of(settle(disjunct), names), denied
    )


def _constants(way: disjuncts.Disjunct) -> dict[Variable, Term]:
    return {name: term for name, term in way.values if term is not None}


def _denied(
    way: disjuncts.Disjunct,
    image: Mapping[Variable, Term],
    mapper: Mapper,
    merged: tuple[disjuncts.Reading, ...],
) -> tuple[MatchTarget, ...]:
    """Return the patterns of MINUS, OPTIONAL and NOT EXISTS that must not match, as targets of mappings.

    `image` contains the known terms of variables. Patterns with omitted requirements (such as aggregates) are
    left out, because their matches prove nothing.
    """
    return tuple(
        MatchTarget(resolve(each), mapper, merged, tuple((n, image[n]) for n in sorted(names) if n in image))
        for ways, names in way.absent
        for each in ways
        if not each.vague
    )


@dataclass(slots=True)
class CaseProver:
    """A prover that tries to show that another query has the row that a case describes.

    `goals` are the disjuncts (alternatives) of the other query. `left` contains each case that is not proved,
    with lists of conditions. If all conditions of a list hold, the other query has the row of the case.
    `most` is the number of cases that the prover may still try.
    """

    goals: Sequence[MatchTarget]
    paths: dict[Iri, patterns.Path]
    deadline: Deadline = NEVER
    left: list[tuple[RowCase, list[tuple[Test, ...]]]] = field(default_factory=list)
    most: int = _MOST_CASES
    fresh: Iterator[int] = field(default_factory=count)

    @property
    def exhausted(self) -> str:
        """A text with the reason why the prover stopped early; "" if the prover tried all cases."""
        return f"more than {_MOST_CASES} cases" if self.most < 0 else ""

    def is_closed(self, case: RowCase, depth: int = _DEPTH) -> bool:
        """Return whether a case is impossible, or the other query also has the row of the case.

        `depth` is the maximum depth of further case distinctions.

        Raises:
            TimeLimitError: The time limit is over.
        """
        self.deadline.check()
        self.most -= 1
        if case.is_impossible:
            return True
        barred: list[tuple[Test, ...]] = []
        # Absent patterns first: a case that is impossible by rule 3 needs no row of the other query.
        for goal in (*case.denied, *self.goals) if self.most > 0 else ():
            for image in islice(_images(goal, case), _MOST_IMAGES):
                conditions = _remaining(case.plain, _conditions(goal, image, case))
                if conditions is not None and self.is_beside(case, goal, image, depth):
                    if not conditions:
                        return True
                    barred.append(conditions)
        if (barred and _is_covered(case, barred, self.deadline)) or self.is_unfolded(case, depth):
            return True
        self.left.append((case, barred))
        return False

    def is_beside(self, case: RowCase, goal: MatchTarget, image: Image, depth: int) -> bool:
        """Return whether a mapping of a target proves a match: no absent pattern of the target can match.

        Absent patterns are the patterns of MINUS, NOT EXISTS, and OPTIONAL without a match. Each case in
        which an absent pattern matches must be closed.
        """
        further = [resolve(way) for ways, _ in goal.way.absent for way in ways]
        # If an absent pattern certainly matches, the target has no such row, and a new case would not help.
        if further and (depth <= 0 or any(_is_there(case, goal, way, image) for way in further)):
            return False
        return all(
            self.is_closed(child, depth - 1)
            for way in further
            for child in self.with_match(case, goal, way, image)
        )

    def with_match(
        self, case: RowCase, goal: MatchTarget, way: disjuncts.Disjunct, image: Image
    ) -> Iterator[RowCase]:
        """Yield the cases in which an absent pattern `way` (such as MINUS) matches.

        Each case has another combination of sources for the triples of the pattern.
        """
        names = sorted(way.bound - image.keys())
        whole = {**image, **{name: self.new_variable(case) for name in names}}
        known: dict[Variable, Term] = {}
        for name, term in way.values:
            if term is not None and _put(whole.setdefault(name, term), known) != term:
                mine = whole[name]
                if not isinstance(mine, Variable) or mine in known:
                    return  # Two different values: the absent pattern cannot match, so no case is left.
                known[mine] = term
        nulls: dict[Variable, Term] = dict.fromkeys(_unnamed(way, whole), NULL)
        requirements = tuple(disjuncts.put_in_test(test, whole | nulls) for test in way.requirements)
        denied = _denied(way, whole, goal.mapper, goal.merged)
        choices = [places(edge.put(whole), goal.merged) for edge in way.edges]
        # More combinations would not be closed: each one counts in `most`, which begins with this limit.
        for edges in islice(product(*choices), _MOST_CASES):
            grown = replace(
                case,
                edges=tuple(dict.fromkeys((*case.edges, *edges))),
                requirements=tuple(dict.fromkeys((*case.requirements, *requirements))),
                denied=(*case.denied, *denied),
            )
            yield grown.put(known) if known else grown

    def new_variable(self, case: RowCase) -> Variable:
        """Return a variable that does not occur in the case."""
        names = (Variable(f"new{number}") for number in self.fresh)
        return next(name for name in names if name not in case.variables)

    def is_unfolded(self, case: RowCase, depth: int) -> bool:
        """Return whether a case is closed after one of its paths of any length is split into steps."""
        for number, edge in enumerate(case.edges):
            path = self.paths.get(edge.triple.predicate)  # type: ignore[arg-type]
            if path is None or depth <= 0 or case.unfolded >= _UNFOLDED:
                continue
            rest = replace(
                case, edges=(*case.edges[:number], *case.edges[number + 1 :]), unfolded=case.unfolded + 1
            )
            # Only the first path is split: its cases contain the other paths, which are split there.
            return any(
                self.are_closed(self.unfolded(rest, edge, path, last=last), depth - 1)
                for last in ((False, True) if isinstance(path, patterns.RepeatedPath) else (False,))
            ) and not _is_open(path)  # The words of a negated set are examples, not all cases.
        return False

    def are_closed(self, cases: Iterable[RowCase], depth: int) -> bool:
        """Return whether all given cases are closed.

        The prover tries every case, and records each open case in `left`.
        """
        closed = [self.is_closed(each, depth) for more in cases for each in more.placed(())]
        return all(closed)

    def unfolded(
        self, rest: RowCase, edge: disjuncts.Edge, path: patterns.Path, *, last: bool
    ) -> Iterator[RowCase]:
        """Yield the cases in which a path has zero steps, has one step, or has a first step and more steps.

        If `last` is true, the last step of the path is split from the other steps, instead of the first step.
        """
        subject, _, object_ = edge.triple.terms
        known = replace(rest, edges=(*rest.edges, edge))
        others = sorted(frozenset[Iri]().union(*map(properties, self.paths.values())))
        for word in _words(path, others, last=last):
            middle = [self.new_variable(known) for _ in word[1:]]
            nodes = [subject, *middle, object_]
            if not word:
                own, other = (subject, object_) if isinstance(subject, Variable) else (object_, subject)
                if isinstance(own, Variable) and isinstance(other, Variable):
                    # In zero steps, both ends are one node: the subject or the object of some triple.
                    name, end = self.new_variable(known), self.new_variable(known)
                    for triple in (
                        patterns.TriplePattern(other, name, end),
                        patterns.TriplePattern(end, name, other),
                    ):
                        node = replace(edge, triple=triple)
                        yield replace(rest, edges=(*rest.edges, node)).put({own: other})
                # A constant has a path of zero steps to itself, even if no triple contains it.
                elif own == other:
                    yield rest
                elif isinstance(own, Variable):
                    yield rest.put({own: other})
                continue
            walk = tuple(self.step(each, nodes[n], nodes[n + 1], edge) for n, each in enumerate(word))
            yield replace(rest, edges=(*rest.edges, *walk))

    def step(self, path: patterns.Path, start: Term, end: Term, edge: disjuncts.Edge) -> disjuncts.Edge:
        """Return an edge (triple pattern with its source) that connects `start` with `end` by a path."""
        match path:
            case Iri():
                return replace(edge, triple=patterns.TriplePattern(start, path, end))
            case patterns.Inverse(inner):
                return self.step(inner, end, start, edge)
            case _:
                name = Iri(f"path {path}")
                self.paths[name] = path
                return replace(edge, triple=patterns.TriplePattern(start, name, end))


def _is_open(path: patterns.Path) -> bool:
    return isinstance(path, patterns.NegatedSet)


def _words(path: patterns.Path, others: Iterable[Iri], *, last: bool) -> Iterator[tuple[patterns.Path, ...]]:
    """Yield sequences of simpler paths that together have the same walks as a property path.

    If `last` is true, the last step of a repeated path is separate, instead of the first step.
    """
    match path:
        case patterns.RepeatedPath(inner, often):
            if often != "+":
                yield ()
            yield (inner,)
            if often != "?":
                more = patterns.RepeatedPath(inner, "+")
                yield (more, inner) if last else (inner, more)
        case Steps(left, right):
            yield left, right
        case patterns.Alternative(left, right):
            yield (left,)
            yield (right,)
        case patterns.Inverse(patterns.Inverse(inner)):
            yield (inner,)
        case patterns.NegatedSet(forward, backward):
            for name in (*others, Iri("http://example.org/other")):
                if name not in (*forward, *backward):
                    yield (patterns.Inverse(name) if backward and not forward else name,)
        case _:
            yield (path,)


def _is_there(case: RowCase, goal: MatchTarget, way: disjuncts.Disjunct, image: Image) -> bool:
    """Return whether a pattern that must not match (such as MINUS) certainly matches in a case.

    If the pattern `way` contains other patterns that must not match, the function returns false.
    """
    target = MatchTarget(way, goal.mapper, goal.merged, tuple(image.items()))
    images = islice(_images(target, case), _MOST_IMAGES)
    return not way.absent and any(not _conditions(target, each, case) for each in images)


def _unnamed(way: disjuncts.Disjunct, names: Mapping[Variable, Term]) -> frozenset[Variable]:
    return frozenset().union(*(named_in(test.expression) for test in way.requirements)) - names.keys()


def places(edge: disjuncts.Edge, merged: Iterable[disjuncts.Reading]) -> tuple[disjuncts.Edge, ...]:
    """Return a triple pattern, once for each source (static data or a window) in which it can match.

    For a path of any length, the function returns only one edge; the steps of the path can be in all sources.
    """
    sources = tuple(merged)
    if isinstance(edge.where, disjuncts.GraphSource) and edge.where.windows and not _is_path(edge):
        sources, edge = edge.where.windows, replace(edge, where=disjuncts.GraphSource())
    if edge.where != disjuncts.GraphSource() or not sources:
        return (edge,)
    if _is_path(edge):
        return (replace(edge, where=disjuncts.GraphSource(windows=sources)),)
    return (edge, *(replace(edge, where=where) for where in sources))


def _images(goal: MatchTarget, case: RowCase) -> Iterator[Image]:
    """Yield mappings of a target's variables under which its triple patterns match the patterns of a case.

    Under each mapping, the row of the target is the row of the case.
    """
    constants = _constants(goal.way)
    image: Image = constants | dict(goal.start)
    if any(image[name] != term for name, term in constants.items()):
        return
    computed = []
    for mine, theirs in zip(goal.columns or (), case.columns if goal.columns else (), strict=True):
        if isinstance(mine, Variable):
            # A triple pattern binds a term of the data, and a computed value need not be one.
            if theirs is None or isinstance(theirs, Call) or image.setdefault(mine, theirs) != theirs:
                return
        elif mine is None or theirs is None or not isinstance(mine, Call):
            if mine != theirs:
                return
        else:
            computed.append((mine, theirs))
    for binding in goal.mapper.images(goal.way.edges, case.edges, image, goal.compared):
        if all(normal(put_terms(mine, binding)) == normal(theirs) for mine, theirs in computed):
            yield binding


def _conditions(goal: MatchTarget, image: Image, case: RowCase) -> tuple[Test, ...]:
    """Return the conditions of a target, under a mapping of its variables, that a case does not contain."""
    known = set(map(_plainly, case.requirements))
    nulls: Image = dict.fromkeys(_unnamed(goal.way, image), NULL)
    tests = (disjuncts.put_in_test(test, image | nulls) for test in goal.way.requirements)
    return tuple(test for test in tests if _plainly(test) not in known)


def _remaining(known: disjuncts.Disjunct, tests: Iterable[Test]) -> tuple[Test, ...] | None:
    """Return the conditions in `tests` that do not follow from `known`; None if one contradicts `known`."""
    requirements: list[Test] = []
    for test in dict.fromkeys(tests):
        if _is_ground(test.expression):
            if not holds(test.expression, test.value, {}):
                return None
            continue
        if not disjuncts.is_decided(test, known):
            requirements.append(test)
            continue
        near = _about(known, test)
        if _has_none(near, ((test,),)):
            continue
        if _has_none(replace(near, requirements=(*near.requirements, test)), ()):
            return None
        requirements.append(test)
    return tuple(requirements)


def _is_ground(expression: Expression) -> bool:
    """Return whether an expression contains no variable, and no function such as NOW() or RAND()."""
    if isinstance(expression, Call):
        return expression.function in _FIXED and all(map(_is_ground, expression.arguments))
    return isinstance(expression, Iri | Literal)


_OPERATORS: Final = frozenset(
    ("=", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "+", "-", "*", "/", "SAMETERM", "IN")
)
_KINDS: Final = frozenset(
    ("ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "STR", "LANG", "DATATYPE", "ABS")
)
_TEXTS: Final = frozenset(
    ("LANGMATCHES", "STRLEN", "UCASE", "LCASE", "STRSTARTS", "STRENDS", "CONTAINS", "REGEX")
)
_FIXED: Final = _OPERATORS | _KINDS | _TEXTS
"""The functions whose value depends only on their arguments."""


@lru_cache(maxsize=4_096)
def _has_none(known: disjuncts.Disjunct, barred: tuple[tuple[Test, ...], ...]) -> bool:
    all_models, whole = disjuncts.models(known, barred, 1)
    return whole and not all_models


def _about(known: disjuncts.Disjunct, test: Test) -> disjuncts.Disjunct:
    """Return a disjunct with only those conditions that share a variable with a given condition.

    Each consequence of some conditions of a disjunct is also a consequence of all its conditions.
    """
    near = (
        each
        for each in known.requirements
        if named_in(each.expression) & named_in(test.expression) and disjuncts.is_decided(each, known)
    )
    return replace(known, requirements=tuple(near))


def _plainly(test: Test) -> Expression:
    return normal(test.expression if test.value else Call("!", (test.expression,)))


def _is_covered(case: RowCase, barred: Sequence[tuple[Test, ...]], deadline: Deadline) -> bool:
    """Return whether the conditions of a case guarantee that all conditions of some list in `barred` hold.

    Conditions that the search for models cannot decide are left out.
    """
    known = case.plain
    decided = [tests for tests in barred if all(disjuncts.is_decided(test, known) for test in tests)]
    plain = replace(
        known, requirements=tuple(test for test in known.requirements if disjuncts.is_decided(test, known))
    )
    all_models, whole = disjuncts.models(plain, decided, 1, deadline.check)
    return whole and not all_models
