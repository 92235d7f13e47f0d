"""Decide whether push and pull, which differ on one stream, differ on some stream for any static data (G5).

G5. Let W be a stream on which push and pull differ without static data. Replace the names of W that occur in
no query by names that the static data D do not contain. Assume that each static part of Q has a variable with
this property: in each row that is joined with the static part, or extended by it in OPTIONAL or MINUS, the
variable has a value from a pattern of a stream that matches only new names in W. Under this assumption, no
static part has a relevant match. So Q has the same rows on W with D as on W without D, and push and pull also
differ on W with D. Conditions must not depend on the text of names. G5 excludes EXISTS, aggregates, LIMIT and
paths.

If pull merges windows and static data into one graph, each pattern of pull can match D. Let a row that only
one side has on W contain a new name. Each pattern of pull must be reached from this name: the pattern must
contain a variable that the row, or a reached pattern, binds to a new name. A reached pattern matches only
triples of W, also on W with D. So pull has the row on W with D if and only if pull has the row on W.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from agreement.proving.decide.question import AgreementQuestion
from agreement.proving.decisions import Witness
from agreement.proving.witness import named_constants
from lars.language.program import calls
from lars.language.terms import Constant, Iri, Variable
from solver.facts import Fact, constant_of
from translate.analysis import expressions_of, parts, tests_of
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, TriplePattern
from translate.model.query import EngineQuery, Setting
from translate.tau import lars_program

_CONNECTIVES: Final = ("&&", "||", "!", "IN", "BOUND")
_COMPARISONS: Final = ("=", "!=", "<", "<=", ">", ">=", "SAMETERM")
_KINDS: Final = ("ISIRI", "ISURI", "ISLITERAL", "ISNUMERIC", "ISBLANK")
_BLIND: Final = frozenset((*_CONNECTIVES, *_COMPARISONS, *_KINDS))
"""The functions whose value is the same for all IRIs that do not occur in the query."""
Names = frozenset[Variable]


def differs_whatever_is_stored(query: EngineQuery, setting: Setting, facts: Sequence[Fact]) -> bool:
    """Return whether a query has the same rows on a stream for any static data, so a difference remains.

    The names of the stream are replaced by names that the static data do not contain (theorem G5).
    """
    every = tuple(parts(query.pattern))
    if query.modifiers.slices or any(map(tests_of, every)) or not all(map(_is_blind, every)):
        return False
    old = named_constants((lars_program(query, setting),))
    streamed = (part.pattern for part in every if isinstance(part, algebra.StreamBlock))
    return _is_met(query.pattern, _new_names(streamed, facts, old), frozenset())


def is_shown_whatever_is_stored(question: AgreementQuestion, witness: Witness) -> bool:
    """Return whether push and pull provably differ on the stream of a witness for any static data.

    The proof is theorem G5: the names in the stream can be replaced by names that the static data do not
    contain.
    """
    push, pull = question.pair.cqels, question.pair.csparql
    if not differs_whatever_is_stored(push, question.setting, witness.facts):
        return False
    every = tuple(parts(pull.pattern))
    if pull.modifiers.slices or any(map(tests_of, every)) or not all(map(_is_blind, every)):
        return False
    old = named_constants(lars_program(query, question.setting) for query in (push, pull))
    new = _new_names(every, witness.facts, old)
    row = zip(sorted(pull.result), witness.row, strict=True)
    known = frozenset(name for name, text in row if text is not None and constant_of(text) not in old)
    return _is_reached(pull.pattern, new, known & new)


def _is_reached(pattern: Pattern, new: Names, known: Names) -> bool:
    """Return whether shared variables connect each triple pattern with the variables in `known`.

    A pattern is also connected if it shares a variable with a connected pattern. Only the variables in `new`,
    whose values are names that the static data do not contain, connect patterns.
    """
    match pattern:
        case algebra.Join():
            sides = list(_joined(pattern))
            triples = [each for side in sides if isinstance(side, algebra.Bgp) for each in side.triples]
            reached = _reached(triples, new, known)
            whole = _is_reached(algebra.Bgp(tuple(triples)), new, known)
            others = (side for side in sides if not isinstance(side, algebra.Bgp))
            return whole and all(_is_reached(side, new, reached) for side in others)
        case algebra.Bgp(triples):
            reached = _reached(triples, new, known)
            return all(not reached.isdisjoint(triple.terms) for triple in triples)
        case algebra.Union(left, right):
            return _is_reached(left, new, known) and _is_reached(right, new, known)
        case algebra.LeftJoin(algebra.Bgp(triples) as left, right) | algebra.Minus(
            algebra.Bgp(triples) as left, right
        ):
            return _is_reached(left, new, known) and _is_reached(right, new, _reached(triples, new, known))
        case algebra.Filter(inner) | algebra.Extend(inner):
            return _is_reached(inner, new, known)
        case _:
            return False


def _joined(pattern: Pattern) -> Iterator[Pattern]:
    if isinstance(pattern, algebra.Join):
        yield from (*_joined(pattern.left), *_joined(pattern.right))
    else:
        yield pattern


def _reached(triples: Sequence[TriplePattern], new: Names, known: Names) -> Names:
    """Return the variables in `known`, and the variables in `new` that triple patterns connect with them."""
    terms = (triple.terms for triple in triples if not known.isdisjoint(triple.terms))
    grown = known.union(term for each in terms for term in each if isinstance(term, Variable) and term in new)
    return grown if grown == known else _reached(triples, new, grown)


def _is_blind(part: Pattern) -> bool:
    match part:
        case algebra.Group() | algebra.PathPattern() | algebra.Service() | algebra.Graph():
            return False
        case algebra.Select(_, _, modifiers):
            return not modifiers.slices
        case _:
            called = (call for expression in expressions_of(part) for call in calls(expression))
            return all(call.function.upper() in _BLIND for call in called)


def _new_names(bgps: Iterable[Pattern], facts: Sequence[Fact], old: frozenset[Constant]) -> Names:
    """Return the variables whose values in the stream are always IRIs that no query contains."""
    values: dict[Variable, set[Constant]] = {}
    arrived = [tuple(map(constant_of, fact.arguments[:3])) for fact in facts]
    for bgp in bgps:
        for pattern in bgp.triples if isinstance(bgp, algebra.Bgp) else ():
            for triple in arrived:
                pairs = list(zip(pattern.terms, triple, strict=True))
                if all(isinstance(term, Variable) or term == value for term, value in pairs):
                    for name, value in pairs:
                        if isinstance(name, Variable):
                            values.setdefault(name, set()).add(value)
    new = (name for name, own in values.items() if all(isinstance(v, Iri) and v not in old for v in own))
    return frozenset(new)


def _anchored(pattern: Pattern, new: Names) -> Names:
    """Return the variables whose value in each row of a pattern is a new name from a stream.

    A new name is a name that the static data do not contain.
    """
    match pattern:
        case algebra.StreamBlock(_, _, algebra.Bgp(triples)):
            return new.intersection(term for triple in triples for term in triple.terms)
        # In a cautious block, static data match no new name, so rows with new names come from the stream.
        case algebra.Union(algebra.StreamBlock() as block, part) if block.pattern == part:
            return _anchored(block, new)
        case algebra.Union(left, right):
            return _anchored(left, new) & _anchored(right, new)
        case algebra.Join(left, right):
            return _anchored(left, new) | _anchored(right, new)
        case algebra.LeftJoin(left) | algebra.Minus(left):
            return _anchored(left, new)
        case algebra.Filter(inner) | algebra.Extend(inner):
            return _anchored(inner, new)
        case _:
            return frozenset()


def _is_met(pattern: Pattern, new: Names, outer: Names) -> bool:
    """Return whether each static pattern contains a variable that is always bound to a new name.

    A new name is a name from a stream that the static data do not contain. `outer` are the variables that
    have a new name in each row with which the pattern is joined. The variables in `outer` count for the left
    side of OPTIONAL and MINUS. The variables in `outer` do not count for the right side of OPTIONAL and
    MINUS, which is matched before the join.
    """
    match pattern:
        case algebra.Bgp(triples):
            return not triples or any(not outer.isdisjoint(triple.terms) for triple in triples)
        case algebra.StreamBlock() | algebra.Values():
            return True
        case algebra.Union(algebra.StreamBlock() as block, part) if block.pattern == part:
            return True
        case algebra.Union(left, right):
            return _is_met(left, new, outer) and _is_met(right, new, outer)
        case algebra.Join(left, right):
            # Each side restricts the other, because only joined rows count.
            beside = _anchored(left, new), _anchored(right, new)
            return _is_met(left, new, outer | beside[1]) and _is_met(right, new, outer | beside[0])
        case algebra.LeftJoin(left, right) | algebra.Minus(left, right):
            return _is_met(left, new, outer) and _is_met(right, new, _anchored(left, new))
        case algebra.Filter(inner) | algebra.Extend(inner):
            return _is_met(inner, new, outer)
        case algebra.Select(inner):
            # A sub-SELECT is evaluated alone, and its hidden variables can have outer names.
            return _is_met(inner, new, frozenset())
        case algebra.PathPattern() | algebra.Graph() | algebra.Service() | algebra.Group():
            return False
        case _:
            assert_never(pattern)
