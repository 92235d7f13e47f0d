"""Describe deviations of the engines' SPARQL processors from SPARQL 1.1, by rewriting queries.

In ARQ 2.11.1, numbers match by value (rule W6b), and a GROUP BY without solutions has a row (rule W6a).

  {?s :p ?a . ?t :q ?a . ?t :r 1}  =  {?s :p ?a . ?t :q ?b . ?t :r ?c} FILTER(?a ≐ ?b && 1 ≐ ?c)
≐ holds for equal terms, and for equal numbers of one value space: integers and decimals, doubles, floats.
Different triples with equal values remain different, so a pattern has a solution for each such triple.
Patterns that OPTIONAL, EXISTS or nesting joins also match by value, because ARQ substitutes bindings into
these patterns.

Comunica 2.10.2 deviates for errors in aggregates (S2), and for FILTER in OPTIONAL (S6).

  (COUNT(?x) AS ?n) .. GROUP BY ?k   =   n := IF(COUNT(?x) = COUNT(*), COUNT(?x), an error) in each group
In SPARQL, COUNT and SAMPLE omit a solution without a value; in all other aggregates, a missing value is an
error.
  P OPTIONAL { Q FILTER R }   =   P OPTIONAL { Q } FILTER (a variable of Q is unbound || R)
In Comunica, a solution is lost if all its matches fail the condition; SPARQL keeps this solution without a
match.

Oxigraph 0.5 deviates for alternatives of paths (A14), and for GROUP_CONCAT (A15).

  ?x :p|:q ?y   =   { SELECT DISTINCT ?x ?y { ?x :p|:q ?y } }
  GROUP_CONCAT(?x)   =   GROUP_CONCAT(IF(?x is a text, ?x, an error))
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import reduce
from typing import Final

from lars.dataclass import dataclass
from lars.language.formulas import Aggregation, Call, Expression
from lars.language.terms import XSD, Iri, Literal, Term, Variable
from solver.facts import Triple, constant_of
from solver.rdf import INTEGERS, Single, value
from translate import analysis
from translate.model import patterns as algebra
from translate.model.patterns import variables
from translate.tau import in_order

_ZERO: Final = Literal("0", XSD + "integer")
COUNTING: Final = ("COUNT", "AVG")
"""The aggregates whose value over no solutions is 0 in ARQ 2.11.1, the SPARQL processor of Jena."""
SUMMING: Final = (*COUNTING, "SUM")
"""The aggregates whose value over no solutions is 0 in ARQ 2.13.0, the SPARQL processor of Jena."""
_EXACT: Final = tuple(Iri(XSD + kind) for kind in (*INTEGERS, "decimal"))
_FLOATING: Final = (Iri(XSD + "double"), Iri(XSD + "float"))


def with_row_of_nothing(pattern: algebra.Pattern, zero: Collection[str] = COUNTING) -> algebra.Pattern:
    """Return the pattern, changed so that each GROUP BY without solutions has one row (rule W6a).

    P GROUP BY k, COUNT(x), SUM(x) = the groups of P UNION the row COUNT 0 if P has no solution. The row of an
    empty group has no value for the key of GROUP BY. In the row of an empty group, the aggregates in `zero`
    are 0; all other aggregates are unbound. In SPARQL 1.1, only an aggregate query without GROUP BY has such
    a row, and SUM is 0 in this row.
    """
    names = analysis.fresh_variables(pattern, "group_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group) or not part.aggregates:
            return None
        return _split(part, analysis.rebuild(part.pattern, change), (next(names), next(names)), zero)

    return analysis.rebuild(pattern, change)


def _split(
    group: algebra.Group, inner: algebra.Pattern, names: tuple[Variable, Variable], zero: Collection[str]
) -> algebra.Pattern:
    first, some = names
    # By a constant key there is no group of nothing; without any solution there is a row instead.
    groups = algebra.Group(algebra.Extend(inner, first, _ZERO), (*group.keys, first), group.aggregates)
    nothing: algebra.Pattern = algebra.Filter(
        algebra.EMPTY, Call("!", (some,)), (algebra.Exists(some, inner),)
    )
    for variable, aggregation in group.aggregates:
        if aggregation.function in zero:
            nothing = algebra.Extend(nothing, variable, _ZERO)
    return algebra.Union(groups, nothing)


def with_equal_values(pattern: algebra.Pattern, triples: Iterable[Triple]) -> algebra.Pattern:
    """Return a pattern that SPARQL matches in the given triples as Jena matches `pattern`: numbers by value.

    If no two different terms of the triples and the pattern have equal values, the pattern is unchanged.
    """
    objects: dict[str, set[str]] = defaultdict(set)
    for _, predicate, object_ in triples:
        if object_.startswith('"'):
            objects[object_].add(predicate)
    numbers: dict[object, set[str]] = defaultdict(set)
    for text in {*objects, *(str(term) for term in _constants(pattern))}:
        if (number := _number(text)) is not None:
            numbers[number].add(text)
    equal = frozenset(text for texts in numbers.values() if len(texts) > 1 for text in texts)
    if not equal:
        return pattern
    predicates = frozenset(name for text in equal for name in objects.get(text, ()))
    # ARQ makes triple patterns of the paths that are sequences, inverses and alternatives.
    plain = analysis.without_paths(pattern)
    return _Matching(equal, predicates, analysis.fresh_variables(plain, "value_")).matched(plain)


def _triples(pattern: algebra.Pattern) -> Iterator[algebra.TriplePattern]:
    """Yield all triple patterns of a pattern, also inside windows."""
    for part in analysis.parts(pattern):
        plain = part.pattern if isinstance(part, algebra.StreamBlock) else part
        if isinstance(plain, algebra.Bgp):
            yield from plain.triples


def _constants(pattern: algebra.Pattern) -> Iterator[Term]:
    yield from (triple.object for triple in _triples(pattern) if isinstance(triple.object, Literal))


def _number(text: str) -> tuple[str, float | Decimal] | None:
    number = value(constant_of(text))
    match number:
        case bool():
            return None
        case int() | Decimal():
            return "exact", number
        case float():
            return "float" if isinstance(number, Single) else "double", number
        case _:
            return None


@dataclass(frozen=True, slots=True)
class _Matching:
    """Rewrites patterns so that numbers match by value: new variables with conditions replace the numbers.

    `equal` contains the numbers that equal another term by value, and `predicates` the predicates of triples
    with such objects.
    """

    equal: frozenset[str]
    predicates: frozenset[str]
    fresh: Iterator[Variable]

    def matched(self, pattern: algebra.Pattern) -> algebra.Pattern:
        """Return the pattern, rewritten so that numbers match by value."""
        return analysis.rebuild(pattern, self._changed)

    def _changed(self, part: algebra.Pattern) -> algebra.Pattern | None:
        match part:
            case algebra.Bgp():
                return self._bgp(part, part)
            case algebra.StreamBlock(_, _, algebra.Bgp() as bgp):
                return self._bgp(bgp, part)
            case algebra.Join(left, right) if names := self._shared(left, right):
                joined = algebra.Join(self.matched(left), analysis.rename(self.matched(right), names))
                return algebra.Select(algebra.Filter(joined, _all(names.items())), in_order(variables(part)))
            case algebra.LeftJoin(left, right) if names := self._shared(left, right):
                condition = _all(names.items())
                if part.condition is not None:
                    condition = Call("&&", (condition, part.condition))
                tests = self._tests(part.exists, algebra.Join(left, right))
                optional = algebra.LeftJoin(
                    self.matched(left), analysis.rename(self.matched(right), names), condition, tests
                )
                return algebra.Select(optional, in_order(variables(part)))
            case algebra.Filter(inner) | algebra.Extend(inner) if part.exists:
                return replace(part, pattern=self.matched(inner), exists=self._tests(part.exists, inner))
            case _:
                return None

    def _bgp(self, bgp: algebra.Bgp, whole: algebra.Bgp | algebra.StreamBlock) -> algebra.Pattern:
        """Return triple patterns, or a window around them, rewritten so that numbers match by value."""
        joined = {term for triple in bgp.triples for term in (triple.subject, triple.predicate)}
        terms: set[Term] = set()
        triples: list[algebra.TriplePattern] = []
        names: list[tuple[Term, Term]] = []
        for triple in bgp.triples:
            term = triple.object
            known = term in terms if isinstance(term, Variable) else str(term) in self.equal
            if known and term not in joined and self._concerns(triple):
                names.append((term, next(self.fresh)))
                triples.append(replace(triple, object=names[-1][1]))
            else:
                triples.append(triple)
            terms.add(term)
        if not names:
            return whole
        changed = algebra.Bgp(tuple(triples))
        inner = replace(whole, pattern=changed) if isinstance(whole, algebra.StreamBlock) else changed
        return algebra.Select(algebra.Filter(inner, _all(names)), in_order(variables(whole)))

    def _tests(self, tests: tuple[algebra.Exists, ...], outer: algebra.Pattern) -> tuple[algebra.Exists, ...]:
        result = []
        for test in tests:
            inner = self.matched(test.pattern)
            if names := self._shared(outer, test.pattern):
                inner = algebra.Filter(analysis.rename(inner, names), _all(names.items()))
            result.append(algebra.Exists(test.variable, inner))
        return tuple(result)

    def _shared(self, left: algebra.Pattern, right: algebra.Pattern) -> dict[Variable, Variable]:
        """Return the common variables that may be numbers, each with a new name for the pattern `right`."""
        if not all(
            isinstance(
                part,
                algebra.Bgp
                | algebra.StreamBlock
                | algebra.Filter
                | algebra.Join
                | algebra.Union
                | algebra.Graph,
            )
            for part in analysis.parts(right)
        ):
            return {}
        bound = (variables(left) - analysis.nullable(left)) & (variables(right) - analysis.nullable(right))
        return {name: next(self.fresh) for name in in_order(bound) if self._is_number(name, left, right)}

    def _concerns(self, triple: algebra.TriplePattern) -> bool:
        """Return whether a match of a triple pattern can have a number as object that equals another term."""
        return isinstance(triple.predicate, Variable) or str(triple.predicate) in self.predicates

    def _is_number(self, name: Variable, *sides: algebra.Pattern) -> bool:
        """Return whether a variable occurs only as object, and can be a number that equals another term."""
        for side in sides:
            triples = list(_triples(side))
            if any(name in (triple.subject, triple.predicate) for triple in triples):
                return False
            if not any(triple.object == name and self._concerns(triple) for triple in triples):
                return False
        return True


def _all(pairs: Iterable[tuple[Term, Term]]) -> Expression:
    tests: list[Expression] = [_same(term, other) for term, other in pairs]
    return reduce(lambda term, other: Call("&&", (term, other)), tests)


def _same(term: Term, other: Term) -> Expression:
    kinds = Call("DATATYPE", (term,)), Call("DATATYPE", (other,))
    exact = Call("&&", (Call("IN", (kinds[0], *_EXACT)), Call("IN", (kinds[1], *_EXACT))))
    floating = Call("&&", (Call("IN", (kinds[0], *_FLOATING)), Call("=", kinds)))
    by_value = Call("&&", (Call("||", (exact, floating)), Call("=", (term, other))))
    return Call("||", (Call("SAMETERM", (term, other)), by_value))


_LENIENT: Final = ("COUNT", "SAMPLE")
_ALL: Final = Aggregation("COUNT")


def with_errors(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern, changed so that an error in a group is an error of all its aggregates (rule S2).

    Subqueries are rewritten too.
    """
    fresh = analysis.fresh_variables(pattern, "all_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group) or not any(
            _is_lenient(aggregation) for _, aggregation in part.aggregates
        ):
            return None
        return _strict(part, analysis.rebuild(part.pattern, change), fresh)

    return analysis.rebuild(pattern, change)


def with_late_conditions(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern, changed so that the FILTER in OPTIONAL is applied after the join (rule S6)."""

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.LeftJoin) or part.condition is None:
            return None
        left, right = analysis.rebuild(part.left, change), analysis.rebuild(part.right, change)
        condition = part.condition
        for variable in reversed(in_order(variables(right))):
            condition = Call("||", (Call("!", (Call("BOUND", (variable,)),)), condition))
        return algebra.Filter(algebra.LeftJoin(left, right), condition, part.exists)

    return analysis.rebuild(pattern, change)


def _is_lenient(aggregation: Aggregation) -> bool:
    return aggregation.function in _LENIENT and len(aggregation.arguments) == 1


def _strict(group: algebra.Group, inner: algebra.Pattern, fresh: Iterator[Variable]) -> algebra.Pattern:
    everything, nothing = next(fresh), next(fresh)
    aggregates, checks = [(everything, _ALL)], []
    for variable, aggregation in group.aggregates:
        if not _is_lenient(aggregation):
            aggregates.append((variable, aggregation))
            continue
        value, bound = next(fresh), next(fresh)
        aggregates += [(value, aggregation), (bound, Aggregation("COUNT", aggregation.arguments))]
        # An argument that is always unbound is an error in every use.
        checks.append((variable, Call("IF", (Call("=", (bound, everything)), value, nothing))))
    pattern: algebra.Pattern = algebra.Group(inner, group.keys, tuple(aggregates))
    for variable, expression in checks:
        pattern = algebra.Extend(pattern, variable, expression)
    seen = {*group.keys, *(variable for variable, _ in group.aggregates)}
    return algebra.Select(pattern, tuple(in_order(seen)))


_DISTINCT: Final = algebra.Modifiers("DISTINCT")
_STRING: Final = Iri(XSD + "string")


def with_distinct_alternatives(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in which several alternatives of a path give one solution (rule A14 of rsp-rs)."""
    fresh = analysis.fresh_variables(pattern, "made_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        match part:
            case algebra.StreamBlock(_, _, algebra.PathPattern(subject, path, object_)):
                steps = _steps(subject, path, object_, fresh)
                return reduce(algebra.Join, (_once(replace(part, pattern=step), step.path) for step in steps))
            case algebra.PathPattern(subject, path, object_):
                steps = _steps(subject, path, object_, fresh)
                return reduce(algebra.Join, (_once(step, step.path) for step in steps))
            case _:
                return None

    return analysis.rebuild(pattern, change)


def _steps(
    subject: Term, path: algebra.Path, object_: Term, fresh: Iterator[Variable]
) -> Iterator[algebra.PathPattern]:
    """Yield the steps of a property path; each step of a sequence is a separate path."""
    if isinstance(path, algebra.PathSequence):
        between = next(fresh)
        yield from _steps(subject, path.left, between, fresh)
        yield from _steps(between, path.right, object_, fresh)
    else:
        yield algebra.PathPattern(subject, path, object_)


def _once(pattern: algebra.Pattern, path: algebra.Path) -> algebra.Pattern:
    while isinstance(path, algebra.Inverse):
        path = path.path
    if not isinstance(path, algebra.Alternative):
        return pattern
    return algebra.Select(pattern, tuple(in_order(variables(pattern))), _DISTINCT)


def with_texts_concatenated(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in which GROUP_CONCAT accepts only strings (rule A15 of rsp-rs).

    Subqueries are rewritten too.
    """
    fresh = analysis.fresh_variables(pattern, "made_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group):
            return None
        inner, aggregates = analysis.rebuild(part.pattern, change), []
        for variable, aggregation in part.aggregates:
            if aggregation.function == "GROUP_CONCAT":
                (given,) = aggregation.arguments
                text, nothing = next(fresh), next(fresh)
                inner = algebra.Extend(inner, text, Call("IF", (_is_text(given), given, nothing)))
                aggregates.append((variable, replace(aggregation, arguments=(text,))))
            else:
                aggregates.append((variable, aggregation))
        return replace(part, pattern=inner, aggregates=tuple(aggregates))

    return analysis.rebuild(pattern, change)


def _is_text(variable: Variable) -> Call:
    plain = Call("=", (Call("DATATYPE", (variable,)), _STRING))
    return Call("||", (plain, Call("!=", (Call("LANG", (variable,)), Literal("")))))
